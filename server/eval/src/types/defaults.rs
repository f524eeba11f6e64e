//! Values for optional attributes that are absent.

use std::collections::BTreeMap;
use std::sync::Arc;

use cty::{Type, Value, convert, unify_unsafe};
use smol_str::SmolStr;

/// Values for optional attributes that are absent or null, at any depth of a type.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    pub ty: Type,
    /// By attribute of the object type `ty`.
    pub values: BTreeMap<SmolStr, Value>,
    /// By attribute, or by decimal index of a tuple; of a collection there is one, under the empty name.
    pub children: BTreeMap<SmolStr, Arc<Defaults>>,
}

impl Defaults {
    /// The value with defaults where optional attributes are absent or null. Null and unknown values stay as they
    /// are. The result may still need conversion to the type constraint.
    pub fn apply(&self, value: &Value) -> Value {
        if !value.is_known() || value.is_null() {
            return value.clone();
        }
        let (value, marks) = value.unmark();
        let applied = match value.ty() {
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => self.apply_to_sequence(&value),
            Type::Map(_) | Type::Object(_) => self.apply_to_mapping(&value),
            _ => value,
        };
        applied.mark_all(&marks)
    }

    fn apply_to_sequence(&self, value: &Value) -> Value {
        let elements: Vec<Value> = value
            .elements()
            .enumerate()
            .map(|(i, (_, element))| match self.element(i) {
                Some(defaults) => defaults.apply(element),
                None => element.clone(),
            })
            .collect();
        if elements.is_empty() {
            return value.clone();
        }
        match value.ty() {
            Type::List(_) => match unified(&elements) {
                Some((ty, elements)) => Value::list(ty, elements),
                None => Value::tuple(elements),
            },
            Type::Set(_) => match unified(&elements) {
                Some((ty, elements)) => Value::set(ty, elements),
                None => Value::tuple(elements),
            },
            _ => Value::tuple(elements),
        }
    }

    fn apply_to_mapping(&self, value: &Value) -> Value {
        let mut elements = value.as_map().map(BTreeMap::from).unwrap_or_default();
        for (name, element) in &mut elements {
            if let Some(defaults) = self.attribute(name) {
                *element = defaults.apply(element);
            }
        }
        for (name, default) in &self.values {
            let is_absent = elements.get(name).is_none_or(Value::is_null);
            if is_absent {
                let value = match self.children.get(name) {
                    Some(defaults) => defaults.apply(default),
                    None => default.clone(),
                };
                elements.insert(name.clone(), value);
            } else if default.range().definitely_not_null()
                && let Some(element) = elements.get_mut(name)
                && !element.ty().is_dynamic()
            {
                *element = element.refine_not_null();
            }
        }
        if !value.ty().is_map() {
            return Value::object(elements);
        }
        if elements.is_empty() {
            return value.clone();
        }
        let (names, values): (Vec<SmolStr>, Vec<Value>) = elements.into_iter().unzip();
        match unified(&values) {
            Some((ty, values)) => Value::map(ty, names.into_iter().zip(values)),
            None => Value::object(names.into_iter().zip(values)),
        }
    }

    /// The defaults of the element at an index.
    fn element(&self, index: usize) -> Option<&Defaults> {
        match self.ty {
            Type::Tuple(_) => self.children.get(index.to_string().as_str()),
            _ => self.children.get(""),
        }
        .map(Arc::as_ref)
    }

    /// The defaults of the attribute or map element of a name.
    fn attribute(&self, name: &str) -> Option<&Defaults> {
        match self.ty {
            Type::Object(_) => self.children.get(name),
            _ => self.children.get(""),
        }
        .map(Arc::as_ref)
    }
}

/// The values as one type, which defaults may have made different.
fn unified(values: &[Value]) -> Option<(Type, Vec<Value>)> {
    let types: Vec<Type> = values.iter().map(|value| value.ty().clone()).collect();
    let ty = unify_unsafe(&types)?;
    let values: Result<Vec<Value>, _> = values.iter().map(|value| convert(value, &ty)).collect();
    Some((ty, values.ok()?))
}
