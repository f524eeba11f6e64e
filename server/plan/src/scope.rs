//! What the names in the expressions of one declaration stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{InstanceKey, Reference, Referenceable, ResourceAddr, ResourceMode};
use cty::Value;
use eval::{Context, Variables};
use smol_str::SmolStr;

use crate::functions::ModuleFunctions;
use crate::inputs::{Environment, Inputs};
use crate::node::NodeId;

/// The values of everything that a declaration refers to.
pub(crate) struct Scope<'a> {
    context: Context<'a>,
}

impl<'a> Scope<'a> {
    /// Only what `references` name is in the scope; `value_of` gives the value of a node. What has none (undeclared,
    /// or not planned) is unknown: whoever checks references has reported it.
    pub(crate) fn new(
        inputs: &'a Inputs,
        references: &[Reference],
        value_of: impl Fn(&NodeId) -> Option<Value>,
    ) -> Scope<'a> {
        let mut roots = Roots::default();
        let value = |node: NodeId| value_of(&node).unwrap_or_else(Value::dynamic);
        for reference in references {
            match &reference.subject {
                Referenceable::Var(name) => {
                    roots.set(&["var", name], value(NodeId::Variable(name.clone())));
                }
                Referenceable::Local(name) => {
                    roots.set(&["local", name], value(NodeId::Local(name.clone())));
                }
                Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                    roots.set_resource(addr, value(NodeId::Resource(addr.clone())));
                }
                Referenceable::Module(call)
                | Referenceable::ModuleInstance(call, _)
                | Referenceable::ModuleOutput { call, .. } => {
                    roots.set(&["module", call], Value::dynamic());
                }
                Referenceable::Path(name) => {
                    roots.set(&["path", name], path(&inputs.environment, name));
                }
                Referenceable::Terraform(name) => {
                    roots.set(&["terraform", name], terraform(&inputs.environment, name));
                }
                // Given by the instance, where there is one.
                Referenceable::Count(_) | Referenceable::Each(_) | Referenceable::Self_ => {}
            }
        }
        let context = Context::new(roots.into_variables(), &inputs.environment.functions);
        let functions = ModuleFunctions {
            module: inputs.module.clone(),
            answers: inputs.function_answers.clone(),
        };
        Scope {
            context: context.with_provider_functions(Arc::new(functions)),
        }
    }

    pub(crate) fn context(&self) -> &Context<'a> {
        &self.context
    }

    /// The scope of one instance of a resource: with `count` or `each`.
    pub(crate) fn for_instance(&self, key: &InstanceKey, each_value: Option<Value>) -> Context<'_> {
        let variables = match key {
            InstanceKey::None => Variables::new(),
            InstanceKey::Int(index) => {
                let index = Value::int(i64::try_from(*index).unwrap_or(i64::MAX));
                Variables::from([("count".into(), Value::object([("index", index)]))])
            }
            InstanceKey::String(key) => {
                let each = Value::object([
                    ("key", Value::string(key)),
                    ("value", each_value.unwrap_or_else(Value::dynamic)),
                ]);
                Variables::from([("each".into(), each)])
            }
        };
        self.context.child(variables)
    }
}

/// Objects in the making: root names with what is below them.
#[derive(Default)]
struct Roots(BTreeMap<SmolStr, Tree>);

enum Tree {
    Leaf(Value),
    Node(BTreeMap<SmolStr, Tree>),
}

impl Roots {
    fn set(&mut self, path: &[&str], value: Value) {
        let Some((last, parents)) = path.split_last() else {
            return;
        };
        let mut level = &mut self.0;
        for name in parents {
            let tree = level
                .entry(SmolStr::from(*name))
                .or_insert_with(|| Tree::Node(BTreeMap::new()));
            let Tree::Node(children) = tree else { return };
            level = children;
        }
        level.insert(SmolStr::from(*last), Tree::Leaf(value));
    }

    fn set_resource(&mut self, addr: &ResourceAddr, value: Value) {
        match addr.mode {
            ResourceMode::Managed => self.set(&[&addr.r#type, &addr.name], value),
            ResourceMode::Data => self.set(&["data", &addr.r#type, &addr.name], value),
            ResourceMode::Ephemeral => self.set(&["ephemeral", &addr.r#type, &addr.name], value),
        }
    }

    fn into_variables(self) -> Variables {
        self.0
            .into_iter()
            .map(|(name, tree)| (name, tree.into_value()))
            .collect()
    }
}

impl Tree {
    fn into_value(self) -> Value {
        match self {
            Tree::Leaf(value) => value,
            Tree::Node(children) => Value::object(
                children
                    .into_iter()
                    .map(|(name, tree)| (name, tree.into_value())),
            ),
        }
    }
}

fn path(environment: &Environment, name: &str) -> Value {
    match name {
        "module" | "root" => Value::string(&environment.root_dir),
        "cwd" => Value::string(&environment.cwd),
        _ => Value::dynamic(),
    }
}

fn terraform(environment: &Environment, name: &str) -> Value {
    match name {
        "workspace" => Value::string(&environment.workspace),
        _ => Value::dynamic(),
    }
}
