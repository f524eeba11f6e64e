//! What the expressions of a declaration may refer to, before anything is planned: values of which only the type is
//! known, as for `terraform validate`.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{
    Module, ModuleAddr, ProviderAddr, Reference, Referenceable, Repetition, Resource, ResourceAddr,
    ResourceMode,
};
use cty::{Type, Value};
use eval::{Answer, Context, ProviderFunction, ProviderFunctions};
use schema::{ProviderSchema, Schema};
use smol_str::SmolStr;

use super::Checked;
use crate::known::{Tree, types_of};

/// A module that is checked.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) addr: &'a ModuleAddr,
    pub(super) module: &'a Arc<Module>,
    pub(super) checked: &'a Checked<'a>,
}

/// What is known of the type of a resource.
pub(super) enum TypeOf<'a> {
    Known(&'a Arc<Schema>),
    /// Its provider has no such type, but these.
    Unsupported(ProviderAddr, &'a BTreeMap<SmolStr, Arc<Schema>>),
    /// The schema of its provider is not at hand.
    Unknown,
}

impl<'a> Scope<'a> {
    pub(super) fn type_of(&self, resource: &Resource) -> TypeOf<'a> {
        let provider = self.module.provider_of(resource).0;
        let Some(schema) = self.checked.schemas.get(&provider) else {
            return TypeOf::Unknown;
        };
        let types = types_of(schema, resource.addr.mode);
        match types.get(&resource.addr.r#type) {
            Some(schema) => TypeOf::Known(schema),
            None => TypeOf::Unsupported(provider, types),
        }
    }

    /// The scope of an object that is repeated so, with what `references` name.
    pub(super) fn context(&self, references: &[Reference], repetition: &Repetition) -> Context<'a> {
        let mut tree = Tree::default();
        for reference in references {
            let (path, value) = self.referred(&reference.subject);
            tree.set(&path, value);
        }
        let mut variables = tree.into_variables();
        variables.insert("self".into(), Value::dynamic());
        match repetition {
            Repetition::Single | Repetition::Enabled(_) => {}
            Repetition::Count(_) => {
                let index = Value::unknown(Type::Number);
                variables.insert("count".into(), Value::object([("index", index)]));
            }
            Repetition::ForEach(_) => {
                let key = Value::unknown(Type::String);
                let each = Value::object([("key", key), ("value", Value::dynamic())]);
                variables.insert("each".into(), each);
            }
        }
        let functions = SchemaFunctions {
            module: self.module.clone(),
            schemas: self.checked.schemas.clone(),
        };
        Context::new(variables, self.checked.functions).with_provider_functions(Arc::new(functions))
    }

    /// The names that lead to what is referred to, and what is known of its value.
    fn referred(&self, subject: &Referenceable) -> (Vec<SmolStr>, Value) {
        let two = |root: &str, name: &SmolStr| vec![SmolStr::new(root), name.clone()];
        match subject {
            Referenceable::Var(name) => (two("var", name), self.variable(name)),
            Referenceable::Local(name) => (two("local", name), Value::dynamic()),
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                let mode = match addr.mode {
                    ResourceMode::Managed => None,
                    ResourceMode::Data => Some("data".into()),
                    ResourceMode::Ephemeral => Some("ephemeral".into()),
                };
                let names = [addr.r#type.clone(), addr.name.clone()];
                let path = mode.into_iter().chain(names).collect();
                (path, self.resource(addr))
            }
            Referenceable::Module(call)
            | Referenceable::ModuleInstance(call, _)
            | Referenceable::ModuleOutput { call, .. } => (two("module", call), Value::dynamic()),
            Referenceable::Path(name) => (two("path", name), Value::unknown(Type::String)),
            Referenceable::Terraform(name) => (two("terraform", name), Value::dynamic()),
            Referenceable::Tofu(name) => (two("tofu", name), Value::dynamic()),
            Referenceable::Count(_) => (vec!["count".into()], Value::dynamic()),
            Referenceable::Each(_) => (vec!["each".into()], Value::dynamic()),
            Referenceable::Self_ => (vec!["self".into()], Value::dynamic()),
        }
    }

    fn variable(&self, name: &SmolStr) -> Value {
        let Some(variable) = self.module.variables.get(name) else {
            return Value::dynamic();
        };
        let (constraint, _) = eval::variables::constraint(variable);
        let value = Value::unknown(constraint.ty.without_optional_attributes());
        eval::variables::marked(variable, &value)
    }

    fn resource(&self, addr: &ResourceAddr) -> Value {
        let Some(resource) = self.module.resource(addr) else {
            return Value::dynamic();
        };
        match (&resource.repetition, self.type_of(resource)) {
            (Repetition::Single, TypeOf::Known(schema)) => {
                Value::unknown(schema.implied_type().clone())
            }
            _ => Value::dynamic(),
        }
    }
}

/// The functions of providers as far as their schemas are known. None is called.
struct SchemaFunctions {
    module: Arc<Module>,
    schemas: BTreeMap<ProviderAddr, Arc<ProviderSchema>>,
}

impl SchemaFunctions {
    fn schema(&self, provider: &str) -> Option<&Arc<ProviderSchema>> {
        self.schemas.get(&self.module.provider_addr(provider))
    }
}

impl ProviderFunctions for SchemaFunctions {
    fn find(&self, provider: &str, function: &str) -> ProviderFunction {
        if !self.module.required_providers.contains_key(provider) {
            return ProviderFunction::NoSuchProvider;
        }
        match self.schema(provider) {
            Some(schema) => match schema.functions.get(function) {
                Some(signature) => ProviderFunction::Known(signature.clone()),
                None => ProviderFunction::NoSuchFunction,
            },
            None => ProviderFunction::Needed,
        }
    }

    fn answer(&self, provider: &str, function: &str, _: &[Value]) -> Answer {
        let schema = self.schema(provider);
        match schema.and_then(|schema| schema.functions.get(function)) {
            Some(signature) => Answer::Known(Ok(Value::unknown(signature.return_type.clone()))),
            None => Answer::Needed,
        }
    }
}
