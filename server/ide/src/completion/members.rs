//! Completion after a dot, or between the brackets of an index.

use config::{FileRole, Origin, Referenceable, ResourceAddr, ResourceMode, is_identifier};
use cty::{Type, Value};
use eval::Variables;
use schema::{ArgumentKind, Attribute, Schema};
use smol_str::SmolStr;
use syntax::ast::{Expr, ExprKind, SplatKind, StepKind, Traversal};
use text::{TextRange, TextSize};

use super::argument_names::{attribute_detail, attribute_documentation, described_as};
use super::elements::element_of;
use super::expected::{ADDRESS_KINDS, Expected};
use super::{Completion, CompletionContext, CompletionKind};
use crate::Markdown;
use crate::terraform_plan::value_text;

/// Characters of a value beside a name.
const VALUE_LIMIT: usize = 60;

impl CompletionContext<'_> {
    pub(super) fn members(
        &self,
        base: TextRange,
        expected: &Expected<'_>,
        items: &mut Vec<Completion>,
    ) {
        let Some((text, is_index)) = self.base_text(base) else {
            return;
        };
        let parsed = syntax::parse_expression(text);
        if let Some(traversal) = parsed.tree.as_traversal().filter(|_| !is_index) {
            if expected.kind == ArgumentKind::Provider || expected.kind == ArgumentKind::Providers {
                return self.aliases(&traversal, items);
            }
            if self.named(&traversal, expected, items) {
                return;
            }
        }
        let value = self.value_behind(&parsed.tree, is_index);
        if is_index {
            self.keys(&value, items);
            if !self.cursor.is_quoted() {
                self.references(expected, items);
                self.functions(expected, items);
            }
            return;
        }
        let documented = self.documented(&parsed.tree);
        self.attributes_of(&value, documented, expected, items);
    }

    pub(crate) fn written(&self, expr: &Expr) -> &str {
        let range = expr.range + self.cursor.segment;
        &self.source.syntax().text()[usize::from(range.start())..usize::from(range.end())]
    }

    /// The type of a member of the expression in front of a dot, and its attribute in the schema.
    pub(crate) fn member(&self, base: TextRange, name: &str) -> Option<(Type, Option<&Attribute>)> {
        let (text, _) = self.base_text(base)?;
        let parsed = syntax::parse_expression(text);
        let value = self.value_behind(&parsed.tree, false);
        let ty = value.ty();
        let ty = ty.attribute_type(name).or(ty.element_type())?.clone();
        let documented = self.documented(&parsed.tree);
        Some((ty, documented.and_then(|attributes| attributes.get(name))))
    }

    /// The value before a dot or a bracket. A missing instance counts as existing: it may exist with other variable values.
    fn value_behind(&self, expr: &Expr, is_index: bool) -> Value {
        let value = behind_splats(expr, self.evaluate(expr), is_index);
        match self.instance(expr) {
            Some(schema) if value.ty().is_dynamic() => {
                Value::unknown(schema.implied_type().clone())
            }
            _ => value,
        }
    }

    /// The expression in front of the cursor's dot or bracket, and whether it was a bracket.
    fn base_text(&self, base: TextRange) -> Option<(&str, bool)> {
        let range = base + self.cursor.segment;
        let text = self.source.syntax().text();
        let text = text.get(usize::from(range.start())..usize::from(range.end()))?;
        // A quote may have been opened after the bracket.
        let text = text.trim_end().trim_end_matches('"');
        if let Some(text) = text.strip_suffix('.') {
            return Some((text, false));
        }
        text.strip_suffix('[').map(|text| (text, true))
    }

    /// Names that are not attributes of a value. Answers whether the traversal leads to such a place.
    fn named(
        &self,
        traversal: &Traversal,
        expected: &Expected<'_>,
        items: &mut Vec<Completion>,
    ) -> bool {
        let module = &self.known.module;
        let steps: Option<Vec<&SmolStr>> = traversal
            .steps
            .iter()
            .map(|step| match &step.kind {
                StepKind::Attr(name) => Some(&name.name),
                StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
            })
            .collect();
        let Some(steps) = steps else { return false };
        let is_bound = self
            .cursor
            .bound
            .iter()
            .any(|it| it.names.contains(&traversal.root.name));
        if is_bound {
            return false;
        }
        let is_address = ADDRESS_KINDS.contains(&expected.kind);
        match (traversal.root.name.as_str(), steps.as_slice()) {
            ("var", []) => {
                for name in module.variables.keys() {
                    items.push(self.referable(
                        CompletionKind::Variable,
                        name,
                        &Referenceable::Var(name.clone()),
                        expected,
                    ));
                }
            }
            ("local", []) => {
                for name in module.locals.keys() {
                    items.push(self.referable(
                        CompletionKind::Local,
                        name,
                        &Referenceable::Local(name.clone()),
                        expected,
                    ));
                }
            }
            ("each", []) => {
                let [key, value] = self
                    .each()
                    .unwrap_or_else(|| [Value::unknown(Type::String), Value::dynamic()]);
                items.push(self.valued(CompletionKind::Member, "key", &key, expected));
                items.push(self.valued(CompletionKind::Member, "value", &value, expected));
            }
            ("count", []) => {
                let index = Value::unknown(Type::Number);
                items.push(self.valued(CompletionKind::Member, "index", &index, expected));
            }
            ("path", []) => {
                let about = [
                    ("module", "The folder of this module."),
                    ("root", "The folder of the root module."),
                    ("cwd", "The folder in which Terraform was started."),
                ];
                for (name, documentation) in about {
                    let mut item = self.item(CompletionKind::Member, name);
                    item.documentation = Markdown::documentation(documentation);
                    items.push(item);
                }
            }
            ("terraform", []) => {
                let about = [
                    ("workspace", "The name of the selected workspace."),
                    ("applying", "Whether a plan is being applied."),
                ];
                for (name, documentation) in about {
                    let mut item = self.item(CompletionKind::Member, name);
                    item.documentation = Markdown::documentation(documentation);
                    items.push(item);
                }
            }
            ("module", []) => {
                let calls = module.module_calls.keys();
                items.extend(calls.map(|name| self.item(CompletionKind::Module, name.as_str())));
            }
            ("module", [call]) => {
                let Some(called) = self.called_by(call) else {
                    return true;
                };
                for (name, output) in &called.module.outputs {
                    let mut item = self.item(CompletionKind::Member, name.as_str());
                    item.documentation = described_as(output.description.as_deref());
                    items.push(item);
                }
            }
            (block_type, rest)
                if rest.len() < 2
                    && let Some(mode) = ResourceMode::of_block_type(block_type) =>
            {
                self.declared(mode, rest, items);
            }
            (r#type, []) if self.is_resource_type(r#type) => {
                self.declared(ResourceMode::Managed, &[&traversal.root.name], items);
            }
            ("run", []) if self.role() == FileRole::Tests => {
                let runs = self.runs().into_iter();
                items.extend(runs.map(|name| self.item(CompletionKind::Module, name)));
            }
            ("output", []) | ("run", [_]) if self.role() == FileRole::Tests => {
                let outputs = self.outputs().into_iter();
                items.extend(outputs.map(|name| self.item(CompletionKind::Member, name)));
            }
            // Members of an object have no address.
            (_, _) if is_address => {}
            _ => return false,
        }
        true
    }

    fn is_resource_type(&self, name: &str) -> bool {
        let mut declared = self.known.module.resources.keys();
        declared.any(|addr| addr.mode == ResourceMode::Managed && addr.r#type == name)
    }

    /// The types of the module's resources of a mode, or the names of those of one type.
    fn declared(&self, mode: ResourceMode, steps: &[&SmolStr], items: &mut Vec<Completion>) {
        for addr in self
            .known
            .module
            .resources
            .keys()
            .filter(|addr| addr.mode == mode)
        {
            match steps {
                [] => {
                    let full = format!("{}.{}", addr.r#type, addr.name);
                    items.push(self.item(CompletionKind::Resource, full));
                    items.push(self.item(CompletionKind::Type, addr.r#type.as_str()));
                }
                [r#type] if **r#type == addr.r#type => {
                    items.push(self.item(CompletionKind::Resource, addr.name.as_str()));
                }
                _ => {}
            }
        }
    }

    /// The configurations of a provider.
    fn aliases(&self, traversal: &Traversal, items: &mut Vec<Completion>) {
        let configurations = self.provider_configurations().into_iter();
        let aliases = configurations
            .filter(|it| it.name == traversal.root.name)
            .filter_map(|it| it.alias.as_ref());
        for alias in aliases {
            items.push(self.item(CompletionKind::Provider, alias.as_str()));
        }
    }

    pub(super) fn referable(
        &self,
        kind: CompletionKind,
        name: &str,
        subject: &Referenceable,
        expected: &Expected<'_>,
    ) -> Completion {
        let value = self.known.value(subject).unwrap_or_else(Value::dynamic);
        let mut item = self.valued(kind, name, &value, expected);
        if let Referenceable::Var(name) = subject {
            let variable = self.known.module.variables.get(name);
            let description = variable.and_then(|variable| variable.description.as_deref());
            item.documentation = described_as(description);
        }
        item
    }

    pub(super) fn valued(
        &self,
        kind: CompletionKind,
        name: &str,
        value: &Value,
        expected: &Expected<'_>,
    ) -> Completion {
        let mut item = self.item(kind, name);
        item.rank = expected.rank(value.ty());
        // A test has values of its own for the module's variables.
        let is_shown =
            value.is_known() && !value.ty().is_dynamic() && self.role() != FileRole::Tests;
        let short = value_text::short(value, VALUE_LIMIT).filter(|_| is_shown);
        item.detail = Some(short.unwrap_or_else(|| value.ty().friendly_name()));
        item
    }

    fn attributes_of(
        &self,
        value: &Value,
        documented: Option<&std::collections::BTreeMap<SmolStr, Attribute>>,
        expected: &Expected<'_>,
        items: &mut Vec<Completion>,
    ) {
        let is_secret = value.is_marked();
        let (value, _) = value.unmark();
        let member = |name: &SmolStr| match value.get(name) {
            Some(inside) if !is_secret => inside.clone(),
            _ => {
                let ty = value
                    .ty()
                    .attribute_type(name)
                    .or(value.ty().element_type());
                Value::unknown(ty.cloned().unwrap_or(Type::Dynamic))
            }
        };
        let names: Vec<SmolStr> = match value.ty() {
            Type::Object(object) => object.attributes.keys().cloned().collect(),
            Type::Map(_) if !is_secret => value
                .as_map()
                .into_iter()
                .flat_map(|map| map.keys().cloned())
                .collect(),
            _ => Vec::new(),
        };
        for name in names {
            let mut item = self.valued(CompletionKind::Member, &name, &member(&name), expected);
            if let Some(attribute) = documented.and_then(|attributes| attributes.get(&name)) {
                item.documentation = attribute_documentation(attribute);
                if !member(&name).is_known() || attribute.sensitive {
                    item.detail = Some(attribute_detail(attribute));
                }
                item.is_deprecated = attribute.deprecated;
            }
            if !is_identifier(&name) {
                self.as_index(&mut item, &name);
            }
            items.push(item);
        }
    }

    /// A name that can't follow a dot: the dot is replaced too.
    fn as_index(&self, item: &mut Completion, name: &str) {
        let dot = item.range.start() - TextSize::of('.');
        item.range = TextRange::new(dot, item.range.end());
        item.snippet = super::escaped(&format!("[{}]", config::addr::quote(name)));
    }

    fn keys(&self, value: &Value, items: &mut Vec<Completion>) {
        if value.is_marked() {
            return;
        }
        let is_quoted = self.cursor.is_quoted();
        for (key, element) in value.elements() {
            let label = match (key.as_str(), key.as_i64()) {
                (Some(key), _) if is_quoted => key.to_owned(),
                (Some(key), _) => config::addr::quote(key),
                (None, Some(index)) if !is_quoted => index.to_string(),
                (None, _) => continue,
            };
            let mut item = self.valued(
                CompletionKind::Literal,
                &label,
                element,
                &Expected::default(),
            );
            item.snippet = super::escaped(&label);
            items.push(item);
        }
    }

    /// The attributes of a resource's schema, when the expression is a resource or one or all instances of it.
    fn documented(&self, expr: &Expr) -> Option<&std::collections::BTreeMap<SmolStr, Attribute>> {
        Some(&self.instance(expr)?.block.attributes)
    }

    /// The schema of a resource, when the expression is that or one or all instances of it.
    fn instance(&self, expr: &Expr) -> Option<&Schema> {
        match &expr.kind {
            ExprKind::Index { collection, .. } => return self.instance(collection),
            ExprKind::Splat(splat) if matches!(splat.each.kind, ExprKind::SplatItem) => {
                return self.instance(&splat.source);
            }
            ExprKind::Parens(inner) => return self.instance(inner),
            _ => {}
        }
        let reference = config::refs::parse(&self.origin(), &*expr.as_traversal()?).ok()?;
        let block = match &reference.subject {
            Referenceable::Self_ => self.around()?,
            subject => subject.resource()?.clone(),
        };
        let schema = self.known.resource_schema(block.mode, &block.r#type)?;
        reference.remaining.is_empty().then_some(schema)
    }

    pub(crate) fn evaluate(&self, expr: &Expr) -> Value {
        let mut names = Variables::new();
        let unknown = |ty: &Type, names: &[&str]| {
            Value::object(names.iter().map(|name| (*name, Value::unknown(ty.clone()))))
        };
        names.insert(
            "path".into(),
            unknown(&Type::String, &["module", "root", "cwd"]),
        );
        names.insert("terraform".into(), unknown(&Type::String, &["workspace"]));
        names.extend(eval::count(Value::unknown(Type::Number)));
        if let Some([key, value]) = self.each() {
            names.extend(eval::each(key, value));
        }
        if let Some(schema) = self
            .around()
            .and_then(|addr| self.known.resource_schema(addr.mode, &addr.r#type))
        {
            names.insert("self".into(), Value::unknown(schema.implied_type().clone()));
        }
        for (iterator, block) in self.dynamic_blocks() {
            let for_each = block.body.attribute("for_each");
            let unknown = || (Value::dynamic(), Value::dynamic());
            let (key, value) = for_each.map_or_else(unknown, |it| self.element(&it.expr, &names));
            let element = Value::object([("key", key), ("value", value)]);
            names.insert(iterator, element);
        }
        for bound in &self.cursor.bound {
            let (key, element) = self.element_of_text(bound.collection, &names);
            match bound.names.as_slice() {
                [value] => {
                    names.insert(value.clone(), element);
                }
                [first, second, ..] => {
                    names.insert(first.clone(), key);
                    names.insert(second.clone(), element);
                }
                [] => {}
            }
        }
        self.evaluate_with(expr, names)
    }

    fn element_of_text(&self, range: TextRange, names: &Variables) -> (Value, Value) {
        let range = range + self.cursor.segment;
        let text = self.source.syntax().text();
        let Some(text) = text.get(usize::from(range.start())..usize::from(range.end())) else {
            return (Value::dynamic(), Value::dynamic());
        };
        self.element(&syntax::parse_expression(text.trim()).tree, names)
    }

    pub(super) fn evaluate_with(&self, expr: &Expr, names: Variables) -> Value {
        let references = config::refs::references(&self.origin(), expr);
        let value = self.known.evaluate(expr, &references, names.clone());
        match value.ty().is_dynamic() {
            // An attribute of null, for example, has a type all the same.
            true => self.known.evaluate_types(expr, &references, names),
            false => value,
        }
    }

    pub(crate) fn origin(&self) -> Origin {
        let syntax = self.source.syntax();
        let segment = syntax.segment_at(self.cursor.segment).map(|it| it.id);
        Origin {
            file: self.file.clone(),
            segment: segment.unwrap_or(text::SegmentId { hash: 0, nth: 0 }),
        }
    }

    /// The resource whose block the cursor is in.
    pub(super) fn around(&self) -> Option<ResourceAddr> {
        let header = self.cursor.blocks.first()?;
        let mode = header.mode()?;
        let [r#type, name] = header.labels.as_slice() else {
            return None;
        };
        Some(ResourceAddr::new(mode, r#type.clone(), name.clone()))
    }

    /// `each.key` and `each.value` at the cursor.
    fn each(&self) -> Option<[Value; 2]> {
        let for_each = self.own_block()?.body.attribute("for_each")?;
        let (key, value) = self.element(&for_each.expr, &Variables::new());
        Some([Value::unknown(key.ty().clone()), value])
    }
}

/// The value to which the step after an expression applies: after a splat, an element.
fn behind_splats(expr: &Expr, value: Value, is_index: bool) -> Value {
    match &expr.kind {
        // An index after `.*` applies to the whole result.
        ExprKind::Splat(splat) if !(is_index && splat.kind == SplatKind::AttributeOnly) => {
            behind_splats(&splat.each, element_of(&value).1, is_index)
        }
        _ => value,
    }
}
