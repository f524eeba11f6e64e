//! The values of the names in the expressions of one declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{InstanceKey, Module, Reference, Referenceable, Repetition};
use cty::{Mark, Type, Value};
use eval::{EvalContext, Roots, Variables, count, each};
use smol_str::SmolStr;

use crate::functions::ModuleFunctions;
use crate::inputs::{Inputs, RunEnvironment};
use crate::node::NodeObject;

/// The values of the objects of one module instance.
pub(crate) trait Values {
    /// The declarations of the module.
    fn module(&self) -> Arc<Module>;

    /// `path.module`
    fn path(&self) -> &str;

    /// `None` for an object that is undeclared or not planned.
    fn value(&self, object: &NodeObject) -> Option<Value>;

    /// A called module with these of its output values, in the shape that its instances have.
    fn called(&self, call: &SmolStr, outputs: &BTreeSet<SmolStr>) -> Value;
}

/// The values of everything that a declaration refers to.
pub(crate) struct DeclarationScope<'a> {
    context: EvalContext<'a>,
}

impl<'a> DeclarationScope<'a> {
    /// Only the subjects of `references` are in the scope. One without a value is unknown: the check of references has
    /// reported it.
    pub(crate) fn new(
        inputs: &'a Inputs,
        references: &[Reference],
        values: &impl Values,
    ) -> DeclarationScope<'a> {
        let mut roots = Roots::default();
        let mut whole = BTreeSet::new();
        let mut outputs: BTreeMap<SmolStr, BTreeSet<SmolStr>> = BTreeMap::new();
        let planned = |object: NodeObject| values.value(&object).unwrap_or_else(Value::dynamic);
        let module = values.module();
        for reference in references {
            let subject = module.subject(reference);
            let value = match &*subject {
                Referenceable::Var(name) => planned(NodeObject::Variable(name.clone())),
                Referenceable::Local(name) => planned(NodeObject::Local(name.clone())),
                Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                    planned(NodeObject::Resource(addr.clone()))
                }
                Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
                    whole.insert(call.clone());
                    planned(NodeObject::Called(call.clone()))
                }
                Referenceable::ModuleOutput { call, output, .. } => {
                    outputs
                        .entry(call.clone())
                        .or_default()
                        .insert(output.clone());
                    continue;
                }
                Referenceable::Path(name) => path(&inputs.environment, values.path(), name),
                Referenceable::Terraform(name) | Referenceable::Tofu(name) => {
                    terraform(&inputs.environment, name)
                }
                // InputValue by the instance, where there is one.
                Referenceable::Count(_) | Referenceable::Each(_) | Referenceable::Self_ => continue,
            };
            roots.set(&subject, value);
        }
        for (call, outputs) in outputs {
            if !whole.contains(&call) {
                let value = values.called(&call, &outputs);
                roots.set(&Referenceable::Module(call), value);
            }
        }
        let context = EvalContext::new(roots.into_variables(), &inputs.environment.functions);
        let functions = ModuleFunctions {
            module,
            answers: inputs.function_answers.clone(),
        };
        DeclarationScope {
            context: context.with_provider_functions(Arc::new(functions)),
        }
    }

    pub(crate) fn context(&self) -> &EvalContext<'a> {
        &self.context
    }

    /// The scope of one instance of a resource or module: with `count` or `each`.
    pub(crate) fn for_instance(
        &self,
        key: &InstanceKey,
        each_value: Option<Value>,
    ) -> EvalContext<'_> {
        let variables = match key {
            InstanceKey::None => Variables::new(),
            InstanceKey::Int(index) => count(Value::int(i64::try_from(*index).unwrap_or(i64::MAX))),
            InstanceKey::String(key) => each(
                Value::string(key),
                each_value.unwrap_or_else(Value::dynamic),
            ),
        };
        self.context.child(variables)
    }

    /// The scope of any instance, where it isn't known which there are.
    pub(crate) fn for_unknown_instance(&self, repetition: &Repetition) -> EvalContext<'_> {
        self.context.child(match repetition {
            Repetition::Single | Repetition::Enabled(_) => Variables::new(),
            Repetition::Count(_) => count(Value::unknown(Type::Number)),
            Repetition::ForEach(_) => each(Value::unknown(Type::String), Value::dynamic()),
        })
    }
}

pub(crate) fn path(environment: &RunEnvironment, module: &str, name: &str) -> Value {
    match name {
        "module" => Value::string(module),
        "root" => Value::string(&environment.root_dir),
        "cwd" => Value::string(&environment.cwd),
        _ => Value::dynamic(),
    }
}

pub(crate) fn terraform(environment: &RunEnvironment, name: &str) -> Value {
    match name {
        "workspace" => Value::string(&environment.workspace),
        "applying" => Value::bool(false).mark(Mark::Ephemeral),
        _ => Value::dynamic(),
    }
}
