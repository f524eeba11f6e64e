//! Elements of collections: of what `each`, the iterator of a dynamic block or a name of `for` stands for.

use std::collections::BTreeMap;

use config::Referenceable;
use cty::{Type, Value};
use eval::Variables;
use smol_str::SmolStr;
use syntax::ast::{Call, Expr, ExprKind, For};

use super::CompletionContext;

/// Expressions inside each other, and local values by way of their names, that are looked through.
const DEPTH_LIMIT: usize = 16;

/// Elements whose keys are gathered.
const ELEMENTS_LIMIT: usize = 100;

impl CompletionContext<'_> {
    /// A key and an element of a collection. If the value does not have one, the expression shows its type.
    pub(super) fn element(&self, collection: &Expr, names: &Variables) -> (Value, Value) {
        self.element_within(collection, names, DEPTH_LIMIT)
    }

    fn element_within(&self, collection: &Expr, names: &Variables, depth: usize) -> (Value, Value) {
        let value = self.evaluate_with(collection, names.clone());
        let (key, element) = element_of(&value);
        if !element.ty().is_dynamic() || depth == 0 {
            return (key, element);
        }
        let inside = |expr: &Expr| self.element_within(expr, names, depth - 1);
        let of_either = |exprs: &mut dyn Iterator<Item = &Expr>| {
            let mut found = exprs.map(inside).filter(|it| !it.1.ty().is_dynamic());
            found
                .next()
                .unwrap_or_else(|| (key.clone(), element.clone()))
        };
        match &collection.kind {
            ExprKind::For(it) => {
                let names = self.names_of(it, names, depth);
                let key = match it.key {
                    Some(_) => Type::String,
                    None => Type::Number,
                };
                (Value::unknown(key), self.evaluate_with(&it.value, names))
            }
            ExprKind::Conditional(it) => {
                of_either(&mut [&it.true_result, &it.false_result].into_iter())
            }
            ExprKind::Parens(inner) => inside(inner),
            // Of something that is not a list: a list of it, or an empty one.
            ExprKind::Splat(splat) if matches!(splat.each.kind, ExprKind::SplatItem) => {
                let source = self.evaluate_with(&splat.source, names.clone());
                (key, Value::unknown(source.ty().clone()))
            }
            ExprKind::Call(call) => match call.name.as_str() {
                "flatten" => (key, self.flattened(&call.args, names, depth)),
                _ if keeps_elements(call) => of_either(&mut call.args.iter()),
                _ => (key, element),
            },
            _ => match self.local(collection) {
                // Its names are not those around the reference to it.
                Some(local) => self.element_within(local, &Variables::new(), depth - 1),
                None => (key, element),
            },
        }
    }

    /// An element of the result of `flatten`.
    fn flattened(&self, exprs: &[Expr], names: &Variables, depth: usize) -> Value {
        let Some(expr) = exprs.first().filter(|_| depth > 0) else {
            return Value::dynamic();
        };
        match &expr.kind {
            ExprKind::For(it) => {
                let names = self.names_of(it, names, depth);
                self.flattened(std::slice::from_ref(&it.value), &names, depth - 1)
            }
            ExprKind::Tuple(elements) => self.flattened(elements, names, depth - 1),
            _ => {
                let value = self.evaluate_with(expr, names.clone());
                match value.ty() {
                    Type::List(_) | Type::Set(_) | Type::Tuple(_) => element_of(&value).1,
                    _ => value,
                }
            }
        }
    }

    /// The names around a `for` expression, and its own.
    fn names_of(&self, it: &For, names: &Variables, depth: usize) -> Variables {
        let (key, element) = self.element_within(&it.collection, names, depth - 1);
        let mut names = names.clone();
        if let Some(var) = &it.key_var {
            names.insert(var.name.clone(), Value::unknown(key.ty().clone()));
        }
        names.insert(it.value_var.name.clone(), element);
        names
    }

    /// The expression of a local value, if this one is a reference to it.
    fn local(&self, expr: &Expr) -> Option<&Expr> {
        let reference = config::refs::parse(&self.origin(), &*expr.as_traversal()?).ok()?;
        match &reference.subject {
            Referenceable::Local(name) if reference.remaining.is_empty() => {
                Some(&self.known.module.locals.get(name)?.value.ast)
            }
            _ => None,
        }
    }
}

/// Whether the elements of a call's result are those of its arguments.
fn keeps_elements(call: &Call) -> bool {
    let is_of_elements = matches!(
        call.name.as_str(),
        "coalesce"
            | "coalescelist"
            | "concat"
            | "distinct"
            | "merge"
            | "reverse"
            | "slice"
            | "tolist"
            | "tomap"
            | "toset"
            | "try"
            | "values"
    );
    is_of_elements && !call.expand_final
}

/// A key and an element as they are in a collection: parts that differ between the elements are unknown.
pub(super) fn element_of(collection: &Value) -> (Value, Value) {
    let (collection, marks) = collection.unmark();
    let (key, element) = element_of_unmarked(&collection);
    (key.mark_all(&marks), element.mark_all(&marks))
}

fn element_of_unmarked(collection: &Value) -> (Value, Value) {
    let unknown_key = match collection.ty() {
        Type::Map(_) | Type::Object(_) => Value::unknown(Type::String),
        Type::Set(element) => Value::unknown((**element).clone()),
        _ => Value::unknown(Type::Number),
    };
    let elements = collection.elements().map(|(_, element)| element);
    let Some(element) = collection.ty().element_type() else {
        return (unknown_key, common(elements));
    };
    let element = match element {
        // Any of them may have the keys of all.
        Type::Map(inside) => {
            let maps = elements.take(ELEMENTS_LIMIT).filter(|it| !it.is_marked());
            let keys = maps.filter_map(Value::as_map).flat_map(|map| map.keys());
            let keys: Vec<_> = keys.cloned().collect();
            match keys.is_empty() {
                true => Value::unknown(element.clone()),
                false => Value::map(
                    (**inside).clone(),
                    keys.into_iter()
                        .map(|key| (key, Value::unknown((**inside).clone()))),
                ),
            }
        }
        _ => Value::unknown(element.clone()),
    };
    (unknown_key, element)
}

/// An object with the attributes of all that are objects; otherwise the first element.
fn common<'a>(mut elements: impl Iterator<Item = &'a Value>) -> Value {
    let Some(first) = elements.next() else {
        return Value::dynamic();
    };
    let Type::Object(_) = first.ty() else {
        return first.clone();
    };
    let mut attributes = attributes_of(first);
    for element in elements.take(ELEMENTS_LIMIT) {
        for (name, value) in attributes_of(element) {
            let of_others = attributes.entry(name).or_insert_with(|| value.clone());
            if *of_others != value {
                *of_others = match of_others.ty() == value.ty() {
                    true => Value::unknown(value.ty().clone()),
                    false => Value::dynamic(),
                };
            }
        }
    }
    Value::object(attributes)
}

fn attributes_of(object: &Value) -> BTreeMap<SmolStr, Value> {
    let Type::Object(ty) = object.ty() else {
        return BTreeMap::new();
    };
    let unknown = |name: &SmolStr| Value::unknown(ty.attributes[name].clone());
    let of = |name: &SmolStr| object.get(name).cloned().unwrap_or_else(|| unknown(name));
    ty.attributes
        .keys()
        .map(|name| (name.clone(), of(name)))
        .collect()
}
