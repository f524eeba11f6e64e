//! What the names in the expressions of one declaration stand for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{
    InstanceKey, Module, Reference, Referenceable, Repetition, ResourceAddr, ResourceMode,
};
use cty::{Mark, Type, Value};
use eval::{Context, Variables};
use smol_str::SmolStr;

use crate::functions::ModuleFunctions;
use crate::inputs::{Environment, Inputs};
use crate::node::Object;

/// The values of the objects of one module instance.
pub(crate) trait Values {
    /// What the module declares.
    fn module(&self) -> Arc<Module>;

    /// `path.module`
    fn path(&self) -> &str;

    /// `None` for what is undeclared or not planned.
    fn value(&self, object: &Object) -> Option<Value>;

    /// A called module with these of its output values, in the shape that its instances have.
    fn called(&self, call: &SmolStr, outputs: &BTreeSet<SmolStr>) -> Value;
}

/// The values of everything that a declaration refers to.
pub(crate) struct Scope<'a> {
    context: Context<'a>,
}

impl<'a> Scope<'a> {
    /// Only what `references` name is in the scope. What has no value is unknown: whoever checks references has
    /// reported it.
    pub(crate) fn new(
        inputs: &'a Inputs,
        references: &[Reference],
        values: &impl Values,
    ) -> Scope<'a> {
        let mut roots = Roots::default();
        let mut outputs: BTreeMap<&SmolStr, BTreeSet<SmolStr>> = BTreeMap::new();
        let value = |object: Object| values.value(&object).unwrap_or_else(Value::dynamic);
        for reference in references {
            match &reference.subject {
                Referenceable::Var(name) => {
                    roots.set(&["var", name], value(Object::Variable(name.clone())));
                }
                Referenceable::Local(name) => {
                    roots.set(&["local", name], value(Object::Local(name.clone())));
                }
                Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                    roots.set_resource(addr, value(Object::Resource(addr.clone())));
                }
                Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
                    roots.set(&["module", call], value(Object::Called(call.clone())));
                }
                Referenceable::ModuleOutput { call, output, .. } => {
                    outputs.entry(call).or_default().insert(output.clone());
                }
                Referenceable::Path(name) => {
                    roots.set(
                        &["path", name],
                        path(&inputs.environment, values.path(), name),
                    );
                }
                Referenceable::Terraform(name) => {
                    roots.set(&["terraform", name], terraform(&inputs.environment, name));
                }
                Referenceable::Tofu(name) => {
                    roots.set(&["tofu", name], terraform(&inputs.environment, name));
                }
                // Given by the instance, where there is one.
                Referenceable::Count(_) | Referenceable::Each(_) | Referenceable::Self_ => {}
            }
        }
        for (call, outputs) in outputs {
            if !roots.has(&["module", call]) {
                roots.set(&["module", call], values.called(call, &outputs));
            }
        }
        let context = Context::new(roots.into_variables(), &inputs.environment.functions);
        let functions = ModuleFunctions {
            module: values.module(),
            answers: inputs.function_answers.clone(),
        };
        Scope {
            context: context.with_provider_functions(Arc::new(functions)),
        }
    }

    pub(crate) fn context(&self) -> &Context<'a> {
        &self.context
    }

    /// The scope of one instance of a resource or module: with `count` or `each`.
    pub(crate) fn for_instance(&self, key: &InstanceKey, each_value: Option<Value>) -> Context<'_> {
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
    pub(crate) fn for_unknown_instance(&self, repetition: &Repetition) -> Context<'_> {
        self.context.child(match repetition {
            Repetition::Single | Repetition::Enabled(_) => Variables::new(),
            Repetition::Count(_) => count(Value::unknown(Type::Number)),
            Repetition::ForEach(_) => each(Value::unknown(Type::String), Value::dynamic()),
        })
    }
}

fn count(index: Value) -> Variables {
    Variables::from([("count".into(), Value::object([("index", index)]))])
}

fn each(key: Value, value: Value) -> Variables {
    let each = Value::object([("key", key), ("value", value)]);
    Variables::from([("each".into(), each)])
}

/// Objects in the making: root names with what is below them.
#[derive(Default)]
pub(crate) struct Roots(BTreeMap<SmolStr, Tree>);

enum Tree {
    Leaf(Value),
    Node(BTreeMap<SmolStr, Tree>),
}

impl Roots {
    pub(crate) fn set(&mut self, path: &[&str], value: Value) {
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

    fn has(&self, path: &[&str; 2]) -> bool {
        match self.0.get(path[0]) {
            Some(Tree::Node(children)) => children.contains_key(path[1]),
            Some(Tree::Leaf(_)) | None => false,
        }
    }

    fn set_resource(&mut self, addr: &ResourceAddr, value: Value) {
        match addr.mode {
            ResourceMode::Managed => {
                self.set(&["resource", &addr.r#type, &addr.name], value.clone());
                self.set(&[&addr.r#type, &addr.name], value);
            }
            ResourceMode::Data => self.set(&["data", &addr.r#type, &addr.name], value),
            ResourceMode::Ephemeral => self.set(&["ephemeral", &addr.r#type, &addr.name], value),
        }
    }

    pub(crate) fn into_variables(self) -> Variables {
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

pub(crate) fn path(environment: &Environment, module: &str, name: &str) -> Value {
    match name {
        "module" => Value::string(module),
        "root" => Value::string(&environment.root_dir),
        "cwd" => Value::string(&environment.cwd),
        _ => Value::dynamic(),
    }
}

pub(crate) fn terraform(environment: &Environment, name: &str) -> Value {
    match name {
        "workspace" => Value::string(&environment.workspace),
        "applying" => Value::bool(false).mark(Mark::Ephemeral),
        _ => Value::dynamic(),
    }
}
