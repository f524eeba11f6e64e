//! The scope of a declaration before anything is planned: values of which only the type is
//! known, as for `terraform validate`.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{
    Module, ModuleAddr, ProviderAddr, Reference, Referenceable, Repetition, Resource, ResourceAddr,
};
use cty::{Type, Value};
use eval::{EvalContext, FunctionAnswer, ProviderFunction, ProviderFunctions, Roots};
use schema::{ProviderSchema, Schema};
use smol_str::SmolStr;

use super::Checked;
use crate::module_context::types_of;

/// A module that is checked.
#[derive(Clone, Copy)]
pub(super) struct CheckScope<'a> {
    pub(super) addr: &'a ModuleAddr,
    pub(super) module: &'a Arc<Module>,
    pub(super) checked: &'a Checked<'a>,
}

/// The known part of a resource's type.
pub(super) enum TypeOf<'a> {
    Known(&'a Arc<Schema>),
    /// Its provider has no such type, but these.
    Unsupported(ProviderAddr, &'a BTreeMap<SmolStr, Arc<Schema>>),
    /// The schema of its provider is not at hand.
    Unknown,
}

impl<'a> CheckScope<'a> {
    pub(super) fn type_of(&self, resource: &Resource) -> TypeOf<'a> {
        let provider = self.module.provider_of(resource).0;
        let installed = self.checked.schemas.get(&provider);
        let Some(schema) = installed.or_else(|| self.checked.substitutes.get(&provider)) else {
            return TypeOf::Unknown;
        };
        let types = types_of(schema, resource.addr.mode);
        match types.get(&resource.addr.r#type) {
            Some(schema) => TypeOf::Known(schema),
            None => TypeOf::Unsupported(provider, types),
        }
    }

    /// The scope of an object with this repetition, with the values for `references`.
    pub(super) fn context(
        &self,
        references: &[Reference],
        repetition: &Repetition,
    ) -> EvalContext<'a> {
        let mut roots = Roots::default();
        let is_output = |it: &&Reference| matches!(it.subject, Referenceable::ModuleOutput { .. });
        // References into a whole module are not looked at.
        let (outputs, others): (Vec<_>, Vec<_>) = references.iter().partition(is_output);
        for reference in outputs.into_iter().chain(others) {
            self.set(&mut roots, &reference.subject);
        }
        let mut variables = roots.into_variables();
        variables.insert("self".into(), Value::dynamic());
        match repetition {
            Repetition::Single | Repetition::Enabled(_) => {}
            Repetition::Count(_) => variables.extend(eval::count(Value::unknown(Type::Number))),
            Repetition::ForEach(_) => {
                let key = Value::unknown(Type::String);
                variables.extend(eval::each(key, Value::dynamic()));
            }
        }
        let functions = SchemaFunctions {
            module: self.module.clone(),
            schemas: self.checked.schemas.clone(),
        };
        EvalContext::new(variables, self.checked.functions)
            .with_provider_functions(Arc::new(functions))
    }

    /// Sets the known part of the value of a reference.
    fn set(&self, roots: &mut Roots, subject: &Referenceable) {
        let value = match subject {
            Referenceable::Var(name) => self.variable(name),
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                self.resource(addr)
            }
            Referenceable::Path(_) => Value::unknown(Type::String),
            _ => Value::dynamic(),
        };
        match subject {
            Referenceable::ModuleOutput { call, .. } => {
                roots.set(&Referenceable::Module(call.clone()), self.outputs(call));
            }
            subject => roots.set(subject, value),
        }
    }

    pub(super) fn called(&self, call: &SmolStr) -> Option<&'a Arc<Module>> {
        self.checked.tree.module(&self.addr.child(call.clone()))
    }

    /// Which outputs a called module has.
    fn outputs(&self, call: &SmolStr) -> Value {
        let (Some(call), Some(called)) = (self.module.module_calls.get(call), self.called(call))
        else {
            return Value::dynamic();
        };
        let outputs = called.outputs.keys();
        let instance = Type::object(outputs.map(|name| (name.clone(), Type::Dynamic)));
        Value::unknown(match call.repetition {
            Repetition::Single | Repetition::Enabled(_) => instance,
            Repetition::Count(_) => Type::list(instance),
            Repetition::ForEach(_) => Type::map(instance),
        })
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
        match self.schema_of_value(addr) {
            Some(schema) => Value::unknown(schema.implied_type().clone()),
            None => Value::dynamic(),
        }
    }

    /// The schema that decides the type of a resource's value, if it is known.
    pub(super) fn schema_of_value(&self, addr: &ResourceAddr) -> Option<&'a Arc<Schema>> {
        self.schema_of_object(self.module.resource(addr)?)
    }

    /// That of a resource with one instance.
    pub(super) fn schema_of_object(&self, resource: &Resource) -> Option<&'a Arc<Schema>> {
        match (&resource.repetition, self.type_of(resource)) {
            (Repetition::Single, TypeOf::Known(schema)) => Some(schema),
            _ => None,
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

    fn answer(&self, provider: &str, function: &str, _: &[Value]) -> FunctionAnswer {
        let schema = self.schema(provider);
        match schema.and_then(|schema| schema.functions.get(function)) {
            Some(signature) => {
                FunctionAnswer::Known(Ok(Value::unknown(signature.return_type.clone())))
            }
            None => FunctionAnswer::Needed,
        }
    }
}
