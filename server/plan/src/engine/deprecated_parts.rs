//! Warnings of deprecated attributes and outputs inside of whole resources and modules. An expression that takes the whole
//! may pass those parts on or not: only its value tells, so it is evaluated once more, with marks on them.
//!
//! Follows `MarkDeprecatedValues` and `ValidateAndUnmark` of Terraform's `internal/deprecation`, and
//! `ExtractDeprecatedDiagnosticsWithExpr` of OpenTofu's `internal/lang/marks/marks.go`.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::language_release::feature;
use config::{
    Body, CheckRule, Expr, Module, ModuleAddr, Profile, Reference, Referenceable, Repetition,
    ResourceAddr,
};
use cty::{Mark, Marks, Path, PathMarks, PathStep, Value};
use eval::Variables;
use schema::{Block, Schema};
use smol_str::SmolStr;
use text::Diagnostic;

use super::Engine;
use super::modules::View;
use crate::PlanMode;
use crate::deprecated::derived;
use crate::inputs::Inputs;
use crate::node::{NodeId, NodeObject, declaration};
use crate::scope::{DeclarationScope, Values};

/// How much of a value counts.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    Itself,
    Inside,
}

/// So many local values are followed for a node, and so deep.
const MOST_LOCALS: usize = 100;
const MOST_DEEP: usize = 4;

/// An expression of a declaration.
type Looked = (Expr, Extent);

impl Engine {
    /// The warnings of a node, for one of its instances: they are the same for all.
    pub(super) fn deprecated_parts(&self, inputs: &Inputs, node: &NodeId) -> Vec<Diagnostic> {
        let profile = inputs.environment.functions.profile;
        if !profile.has(feature::DEPRECATED_VALUES) {
            return Vec::new();
        }
        let scope_of = match node.object {
            NodeObject::Variable(_) => node.module.parent(),
            _ => Some(node.module.clone()),
        };
        let Some((addr, module)) = scope_of.and_then(|addr| {
            let module = inputs.tree.module(&addr)?;
            Some((addr, module))
        }) else {
            return Vec::new();
        };
        let Some(instance) = self.instances(&addr).first() else {
            return Vec::new();
        };
        let parts = Parts {
            engine: self,
            inputs,
            view: self.view(inputs, &instance.addr),
            addr: &addr,
            module,
            messages: RefCell::default(),
            locals: RefCell::default(),
            depth: Cell::new(0),
        };
        let declared = match node.object {
            // Its value stands in the module around.
            NodeObject::Variable(_) => None,
            _ => declaration(module, node),
        };
        if declared.is_some_and(|decl| !decl.references.iter().any(|it| parts.takes_parts(it))) {
            return Vec::new();
        }
        let (looked, repetition) = looked(inputs, node, module, profile);
        let mut found = Vec::new();
        for (expr, extent) in looked {
            let value = parts.evaluated(&expr, repetition);
            let marks = match (value, extent) {
                (None, _) => continue,
                (Some(value), Extent::Itself) => value.marks().clone(),
                (Some(value), Extent::Inside) => value.unmark_deep().1,
            };
            let messages = parts.messages.borrow();
            found.extend(marks.iter().filter_map(|mark| match mark {
                Mark::Other(source) => {
                    let message = messages.get(source)?;
                    Some(derived(source, message, profile, expr.span()))
                }
                Mark::Sensitive | Mark::Ephemeral => None,
            }));
        }
        found
    }
}

/// The expressions of a node whose values are looked at, and how often the node is there.
fn looked<'a>(
    inputs: &Inputs,
    node: &NodeId,
    module: &'a Module,
    profile: Profile,
) -> (Vec<Looked>, &'a Repetition) {
    let itself = match profile.is_opentofu() {
        true => Extent::Inside,
        false => Extent::Itself,
    };
    let rules = |rules: &'a [CheckRule]| {
        let exprs = rules.iter().flat_map(CheckRule::exprs);
        exprs.map(move |expr| (expr.clone(), itself))
    };
    let mut all = Vec::new();
    let mut repetition = &Repetition::Single;
    match &node.object {
        NodeObject::Local(name) => {
            all.extend(module.locals.get(name).map(|it| (it.value.clone(), itself)));
        }
        NodeObject::Output(name) => {
            // With Terraform one deprecated output may give another one.
            let output = module.outputs.get(name);
            let may_give = |it: &config::Output| !profile.is_opentofu() && it.deprecated.is_some();
            if let Some(output) = output.filter(|it| !may_give(it)) {
                all.extend(output.value.iter().map(|it| (it.clone(), Extent::Inside)));
                all.extend(rules(&output.preconditions));
            }
        }
        NodeObject::Variable(name) => {
            let call = inputs.tree.call(&node.module);
            let argument = call.and_then(|(_, call)| call.argument(name));
            all.extend(argument.map(|it| (it.expr(), itself)));
        }
        NodeObject::Call(name) => {
            let call = module.module_calls.get(name);
            all.extend(
                call.and_then(|it| it.repetition.expr())
                    .map(|it| (it.clone(), itself)),
            );
        }
        NodeObject::Check(name) => {
            if let Some(check) = module.checks.get(name) {
                all.extend(rules(&check.asserts));
            }
        }
        NodeObject::Resource(addr) => {
            if let Some(resource) = module.resource(addr) {
                repetition = &resource.repetition;
                all.extend(repetition.expr().map(|it| (it.clone(), itself)));
                add_arguments(&resource.body, &mut all);
                all.extend(rules(&resource.lifecycle.preconditions));
                all.extend(rules(&resource.lifecycle.postconditions));
            }
        }
        NodeObject::Called(_) | NodeObject::Provider(_) | NodeObject::ProviderConfig(..) => {}
    }
    (all, repetition)
}

/// The arguments of a body and of the blocks in it that are written out.
fn add_arguments(body: &Body, all: &mut Vec<Looked>) {
    let arguments = body.attributes.iter();
    all.extend(arguments.map(|it| (it.expr(), Extent::Inside)));
    for block in body.blocks.iter().filter(|it| it.kind() != "dynamic") {
        add_arguments(&block.body(), all);
    }
}

/// The objects of a module with marks on their deprecated parts.
struct Parts<'a> {
    engine: &'a Engine,
    inputs: &'a Inputs,
    view: View<'a>,
    addr: &'a ModuleAddr,
    module: &'a Arc<Module>,
    /// The advice for each source that a mark names.
    messages: RefCell<BTreeMap<SmolStr, SmolStr>>,
    /// The local values that were followed, and their values if these have deprecated parts.
    locals: RefCell<BTreeMap<SmolStr, Option<Value>>>,
    depth: Cell<usize>,
}

impl Parts<'_> {
    /// The value of an expression that takes a whole with deprecated parts. `None` for any other.
    fn evaluated(&self, expr: &Expr, repetition: &Repetition) -> Option<Value> {
        let references = expr.references();
        if !references.iter().any(|it| self.takes_parts(it)) {
            return None;
        }
        let scope = DeclarationScope::new(self.inputs, &references, self);
        let context = match repetition {
            Repetition::Single => scope.context().child(Variables::new()),
            repetition => scope.for_unknown_instance(repetition),
        };
        Some(eval::evaluate_expr(expr, &context).0)
    }

    /// Whether a reference is to a whole resource or module that has deprecated parts.
    fn takes_parts(&self, reference: &Reference) -> bool {
        match &*self.module.subject(reference) {
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                let is_whole = reference.remaining.is_empty();
                is_whole
                    && self
                        .schema(addr)
                        .is_some_and(|it| has_deprecated(&it.block))
            }
            Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
                let called = self.called_module(call);
                called.is_some_and(|it| it.outputs.values().any(|it| it.deprecated.is_some()))
            }
            Referenceable::Local(name) => self.local(name).is_some(),
            _ => false,
        }
    }

    /// A local value that passes on deprecated parts, with marks on them. OpenTofu takes the marks off each value of an
    /// expression.
    fn local(&self, name: &SmolStr) -> Option<Value> {
        if let Some(known) = self.locals.borrow().get(name) {
            return known.clone();
        }
        let is_opentofu = self.module.profile.is_opentofu();
        let local = self.module.locals.get(name).filter(|_| !is_opentofu)?;
        let depth = self.depth.get();
        if depth == MOST_DEEP || self.locals.borrow().len() == MOST_LOCALS {
            return None;
        }
        // In a cycle there is no value.
        self.locals.borrow_mut().insert(name.clone(), None);
        self.depth.set(depth + 1);
        let value = self.evaluated(&local.value, &Repetition::Single);
        self.depth.set(depth);
        // A warning at the local value covers the marks of the whole value.
        let value = value.map(|it| it.unmark().0);
        let is_part = |it: &Mark| matches!(it, Mark::Other(_));
        let value = value.filter(|it| it.unmark_deep().1.iter().any(is_part));
        self.locals.borrow_mut().insert(name.clone(), value.clone());
        value
    }

    /// The module that a call calls. A validation of OpenTofu knows nothing of outputs.
    fn called_module(&self, call: &SmolStr) -> Option<&Arc<Module>> {
        let validates = self.inputs.options.mode == PlanMode::Validate;
        if self.module.profile.is_opentofu() && validates {
            return None;
        }
        self.inputs.tree.module(&self.addr.child(call.clone()))
    }

    fn schema(&self, addr: &ResourceAddr) -> Option<&Arc<Schema>> {
        let config = self.module.resource(addr)?;
        let node = NodeObject::Resource(addr.clone()).of(self.addr);
        self.engine.schema_of(self.inputs, &node, config)
    }

    /// With marks on the parts that `deprecated` finds by their paths in an instance.
    fn marked(
        &self,
        value: Value,
        repetition: &Repetition,
        source: &str,
        deprecated: impl Fn(&Path) -> Option<SmolStr>,
    ) -> Value {
        let is_single = matches!(repetition, Repetition::Single | Repetition::Enabled(_));
        let mut marks = Vec::new();
        cty::walk(&value, &mut |path, _| {
            let steps = match is_single {
                true => path.steps(),
                false => path.steps().get(1..).unwrap_or_default(),
            };
            let inner = Path(steps.to_vec());
            if let Some(message) = deprecated(&inner) {
                let source = SmolStr::new(format!("{source}{inner}"));
                self.messages.borrow_mut().insert(source.clone(), message);
                marks.push(PathMarks {
                    path: path.clone(),
                    marks: Marks::from([Mark::Other(source)]),
                });
            }
            true
        });
        value.mark_with_paths(&marks)
    }

    fn marked_module(&self, value: Value, call: &SmolStr) -> Value {
        let Some((declared, called)) =
            (self.module.module_calls.get(call)).zip(self.called_module(call))
        else {
            return value;
        };
        let source = format!("module.{call}");
        self.marked(value, &declared.repetition, &source, |path| {
            let [PathStep::GetAttr(output)] = path.steps() else {
                return None;
            };
            let deprecation = called.outputs.get(output)?.deprecated.as_ref()?;
            Some(deprecation.message.as_str().into())
        })
    }
}

impl Values for Parts<'_> {
    fn module(&self) -> Arc<Module> {
        self.view.module()
    }

    fn path(&self) -> &str {
        self.view.path()
    }

    fn value(&self, object: &NodeObject) -> Option<Value> {
        if let NodeObject::Local(name) = object
            && let Some(value) = self.local(name)
        {
            return Some(value);
        }
        let value = self.view.value(object)?;
        Some(match object {
            NodeObject::Called(call) => self.marked_module(value, call),
            NodeObject::Resource(addr) => {
                let config = self.module.resource(addr).zip(self.schema(addr));
                match config {
                    None => value,
                    Some((config, schema)) => {
                        self.marked(value, &config.repetition, &addr.to_string(), |path| {
                            let attribute = schema.block.attribute_at(path)?;
                            let is_itself =
                                matches!(path.steps().last(), Some(PathStep::GetAttr(_)));
                            (attribute.deprecated && is_itself)
                                .then(|| attribute.deprecation_message.clone())
                        })
                    }
                }
            }
            _ => value,
        })
    }

    fn called(&self, call: &SmolStr, outputs: &BTreeSet<SmolStr>) -> Value {
        self.marked_module(self.view.called(call, outputs), call)
    }
}

fn has_deprecated(block: &Block) -> bool {
    let mut attributes = block.attributes.values();
    let mut nested = block.block_types.values();
    attributes.any(|it| it.deprecated) || nested.any(|it| has_deprecated(&it.block))
}
