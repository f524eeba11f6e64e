//! The values of references, as variables: `var.a` and `var.b` are attributes of one `var`.

use std::collections::BTreeMap;

use config::{Referenceable, ResourceMode};
use cty::Value;
use smol_str::SmolStr;

use crate::Variables;

/// Variables in the making.
#[derive(Default)]
pub struct Roots(BTreeMap<SmolStr, Tree>);

enum Tree {
    Leaf(Value),
    Node(Roots),
}

impl Roots {
    /// References to `subject` lead to this value, which of a resource or module is that of all its instances. A whole
    /// module goes before its single outputs.
    ///
    /// Follows `lang.Scope.evalContext` of OpenTofu's `internal/lang/eval.go`.
    pub fn set(&mut self, subject: &Referenceable, value: Value) {
        match subject {
            Referenceable::Var(name) => self.put(&["var", name], value),
            Referenceable::Local(name) => self.put(&["local", name], value),
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                let (r#type, name) = (&*addr.r#type, &*addr.name);
                let root = match addr.mode {
                    ResourceMode::Managed => {
                        self.put(&[r#type, name], value.clone());
                        "resource"
                    }
                    ResourceMode::Data => "data",
                    ResourceMode::Ephemeral => "ephemeral",
                    ResourceMode::Action => "action",
                };
                self.put(&[root, r#type, name], value);
            }
            Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
                self.put(&["module", call], value);
            }
            Referenceable::ModuleOutput { call, output, .. } => {
                self.put(&["module", call, output], value);
            }
            Referenceable::Count(name) => self.put(&["count", name], value),
            Referenceable::Each(name) => self.put(&["each", name], value),
            Referenceable::Self_ => self.put(&["self"], value),
            Referenceable::Path(name) => self.put(&["path", name], value),
            Referenceable::Terraform(name) => self.put(&["terraform", name], value),
            Referenceable::Tofu(name) => self.put(&["tofu", name], value),
        }
    }

    fn put(&mut self, path: &[&str], value: Value) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        if rest.is_empty() {
            self.0.insert(SmolStr::from(*first), Tree::Leaf(value));
            return;
        }
        let below = self.0.entry(SmolStr::from(*first));
        if let Tree::Node(below) = below.or_insert_with(|| Tree::Node(Roots::default())) {
            below.put(rest, value);
        }
    }

    pub fn into_variables(self) -> Variables {
        let roots = self.0.into_iter();
        roots
            .map(|(name, tree)| match tree {
                Tree::Leaf(value) => (name, value),
                Tree::Node(below) => (name, Value::object(below.into_variables())),
            })
            .collect()
    }
}

/// The names for an instance of something with `count`.
pub fn count(index: Value) -> Variables {
    Variables::from([("count".into(), Value::object([("index", index)]))])
}

/// The names for an instance of something with `for_each`.
pub fn each(key: Value, value: Value) -> Variables {
    let each = Value::object([("key", key), ("value", value)]);
    Variables::from([("each".into(), each)])
}
