//! Errors inside of one declaration: unexpected and missing arguments and blocks; expressions that
//! can't be evaluated whatever the values are.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use config::{
    Body, Decl, Expr, Module, ModuleCall, Provider, Reference, Referenceable, Repetition, Resource,
    Table,
};
use cty::budget::{Limits, within_or_leave};
use eval::variables::{InputValue, final_value};
use eval::{EvalContext, evaluate_expr};
use schema::Schema;
use smol_str::SmolStr;
use text::{Diagnostic, Span};

use super::scope::{CheckScope, TypeOf};
use super::{Checks, deprecated};

/// The findings in the declarations of a module, by the address of each in memory: who holds a declaration keeps
/// that address.
#[derive(Default)]
pub(super) struct BodiesCache {
    schemas: usize,
    found: HashMap<usize, Entry>,
    /// The module of the last round.
    last: Option<Last>,
    /// Of the declarations that were checked last, those with findings and those that are checked each time.
    remarkable: HashSet<usize>,
    /// Counts the checks of the module.
    round: u64,
    /// Steps of evaluation that are left in this round.
    steps_left: u64,
}

/// How much evaluation one round may cost. Larger costs are left to the plan, which says so.
const STEPS_PER_ROUND: u64 = 5_000_000;
const LIMITS: Limits = Limits {
    steps: 1_000_000,
    bytes: 16 << 20,
};

struct Entry {
    /// The declaration, and those that it refers to.
    held: Vec<KeptDeclaration>,
    /// The sources of the types of the values that it refers to.
    types: Vec<KeptDeclaration>,
    diagnostics: Arc<[Diagnostic]>,
    /// When it was last used.
    round: u64,
}

/// A declaration, kept in memory so that no other gets its address; `None`: there is none of that name.
#[derive(Clone)]
struct KeptDeclaration(Option<Arc<dyn Any + Send + Sync>>);

impl KeptDeclaration {
    fn new(declared: &Arc<impl Any + Send + Sync>) -> KeptDeclaration {
        KeptDeclaration::of(Some(declared))
    }

    fn of<T: Any + Send + Sync>(declared: Option<&Arc<T>>) -> KeptDeclaration {
        KeptDeclaration(declared.map(|it| it.clone() as Arc<dyn Any + Send + Sync>))
    }

    fn are_same(one: &[KeptDeclaration], other: &[KeptDeclaration]) -> bool {
        one.iter()
            .map(KeptDeclaration::address)
            .eq(other.iter().map(KeptDeclaration::address))
    }

    fn address(&self) -> Option<*const ()> {
        self.0.as_ref().map(|it| Arc::as_ptr(it).cast())
    }

    fn key(&self) -> usize {
        self.address().map_or(0, |it| it as usize)
    }
}

/// A module as it was checked, and the modules that it calls.
struct Last {
    module: Arc<Module>,
    called: Vec<Option<Arc<Module>>>,
}

impl Last {
    fn of(scope: &CheckScope<'_>) -> Last {
        Last {
            module: scope.module.clone(),
            called: called(scope).map(Option::<&Arc<Module>>::cloned).collect(),
        }
    }

    /// True if every object that a reference can name kept its type. Then only changed declarations can have other errors.
    fn has_same_types(&self, scope: &CheckScope<'_>) -> bool {
        let (before, now) = (&self.module, scope.module);
        let (gone, come) = before.resources.difference(&now.resources);
        let gone = before.resources.range(gone).map(|it| it.1);
        let come = now.resources.range(come).map(|it| it.1);
        let address = |schema: Option<&Arc<Schema>>| schema.map(Arc::as_ptr);
        let has_same_type = |(before, now): (&Arc<Resource>, &Arc<Resource>)| {
            address(scope.schema_of_object(before)) == address(scope.schema_of_object(now))
        };
        let is_same_call = |(before, now): (&Option<Arc<Module>>, Option<&Arc<Module>>)| {
            before.as_ref().map(Arc::as_ptr) == now.map(Arc::as_ptr)
        };
        before.profile == now.profile
            && before.required_providers == now.required_providers
            && before.variables.is_same(&now.variables)
            && before.providers.is_same(&now.providers)
            && before.module_calls.is_same(&now.module_calls)
            && before.checks.is_same(&now.checks)
            && before.duplicates.is_empty()
            && now.duplicates.is_empty()
            && self.called.iter().zip(called(scope)).all(is_same_call)
            && before.resources.has_same_keys(&now.resources)
            && gone.zip(come).all(has_same_type)
    }
}

fn called<'a>(scope: &CheckScope<'a>) -> impl Iterator<Item = Option<&'a Arc<Module>>> {
    let calls = scope.module.module_calls.keys();
    calls.map(|call| scope.called(call))
}

impl BodiesCache {
    pub(super) fn check(&mut self, scope: &CheckScope<'_>, found: &mut Checks) {
        // A schema never changes under its provider's name while the provider is the same.
        let schemas = scope.checked.schemas.values();
        let schemas = schemas.chain(scope.checked.substitutes.values());
        let schemas = schemas.fold(0usize, |sum, it| sum.wrapping_add(Arc::as_ptr(it) as usize));
        if std::mem::replace(&mut self.schemas, schemas) != schemas {
            self.found.clear();
            self.last = None;
        }
        self.round += 1;
        self.steps_left = STEPS_PER_ROUND;
        let last = self.last.take();
        let last = last.filter(|last| last.has_same_types(scope));
        let before = last.as_ref().map(|last| &*last.module);
        if before.is_none() {
            self.remarkable.clear();
        }
        let module = scope.module;
        let duplicates = &module.duplicates;
        let resources =
            self.changed_or_remarkable(before.map(|it| &it.resources), &module.resources);
        for resource in resources.into_iter().chain(&duplicates.resources) {
            let held = KeptDeclaration::new(resource);
            let mut check = || check_resource(scope, resource);
            self.one(scope, &[held], &resource.decl, &mut check, found);
        }
        let checks = module.checks.values().chain(&duplicates.checks);
        let scoped = checks.filter_map(|check| check.data.as_ref());
        for resource in scoped {
            let held = KeptDeclaration::new(resource);
            let mut check = || check_resource(scope, resource);
            self.one(scope, &[held], &resource.decl, &mut check, found);
        }
        let variables =
            self.changed_or_remarkable(before.map(|it| &it.variables), &module.variables);
        for variable in variables.into_iter().chain(&duplicates.variables) {
            let held = KeptDeclaration::new(variable);
            let mut check = || {
                let mut found = final_value(variable, None).1;
                found.retain(|it| it.code != "no-variable-value");
                found
            };
            self.one(scope, &[held], &variable.decl, &mut check, found);
        }
        let locals = self.changed_or_remarkable(before.map(|it| &it.locals), &module.locals);
        for local in locals.into_iter().chain(&duplicates.locals) {
            let held = KeptDeclaration::new(local);
            let mut check = || expressions(scope, &local.decl, [&local.value]);
            self.one(scope, &[held], &local.decl, &mut check, found);
        }
        let outputs = self.changed_or_remarkable(before.map(|it| &it.outputs), &module.outputs);
        for output in outputs.into_iter().chain(&duplicates.outputs) {
            let held = KeptDeclaration::new(output);
            let mut check = || expressions(scope, &output.decl, &output.value);
            self.one(scope, &[held], &output.decl, &mut check, found);
        }
        for provider in module.providers.values().chain(&duplicates.providers) {
            let held = KeptDeclaration::new(provider);
            let mut check = || check_provider(scope, provider);
            self.one(scope, &[held], &provider.decl, &mut check, found);
        }
        for call in module.module_calls.values() {
            let called = scope.called(&call.name.text);
            let held = [KeptDeclaration::new(call), KeptDeclaration::of(called)];
            let mut check = || check_call(scope, call, called);
            self.one(scope, &held, &call.decl, &mut check, found);
        }
        for call in &duplicates.module_calls {
            let checked = self.limited(&mut || check_duplicate_call(scope, call));
            found.extend(checked.unwrap_or_default());
        }
        if before.is_none() {
            let round = self.round;
            self.found.retain(|_, entry| entry.round == round);
        }
        self.last = Some(Last::of(scope));
    }

    /// The declarations of a table to look at: all, or those that changed since `before` and those that are remarkable.
    fn changed_or_remarkable<'t, K: Eq + Hash, D>(
        &mut self,
        before: Option<&Table<K, D>>,
        now: &'t Table<K, D>,
    ) -> Vec<&'t Arc<D>> {
        let Some(before) = before else {
            return now.values().collect();
        };
        // Nothing is read of a declaration but its address: there may be thousands.
        let key = |it: &Arc<D>| Arc::as_ptr(it) as usize;
        let (gone, come) = before.difference(now);
        for (_, declared) in before.range(gone) {
            self.found.remove(&key(declared));
            self.remarkable.remove(&key(declared));
        }
        let is_remarkable = |it: &Arc<D>| self.remarkable.contains(&key(it));
        let numbered = (0..).zip(now.values());
        let wanted = numbered.filter(|(at, it)| come.contains(at) || is_remarkable(it));
        wanted.map(|it| it.1).collect()
    }

    /// The errors of a declaration, from before if nothing changed. `declared` is all that they follow from, beside what is
    /// referred to.
    fn one(
        &mut self,
        scope: &CheckScope<'_>,
        declared: &[KeptDeclaration],
        decl: &Decl,
        check: &mut dyn FnMut() -> Vec<Diagnostic>,
        found: &mut Checks,
    ) {
        let referred = decl.references.iter().flat_map(|it| referred(scope, it));
        let held = declared.iter().cloned().chain(referred);
        let key = declared.first().map_or(0, KeptDeclaration::key);
        let is_known = |entry: &Entry| {
            let known = entry.held.iter().map(KeptDeclaration::address);
            known.eq(held.clone().map(|it| it.address()))
        };
        let types = || {
            let types = decl.references.iter().flat_map(|it| types(scope, it));
            types.collect::<Vec<KeptDeclaration>>()
        };
        // A declaration that is referred to may be edited and keep its type.
        let has_same_types = |entry: &mut Entry| {
            let known = entry.held.get(..declared.len()).unwrap_or_default();
            let is_same = KeptDeclaration::are_same(known, declared)
                && KeptDeclaration::are_same(&entry.types, &types());
            if is_same {
                entry.held = held.clone().collect();
            }
            is_same
        };
        let entry = self.found.get_mut(&key);
        if let Some(entry) = entry
            && (is_known(entry) || has_same_types(entry))
        {
            entry.round = self.round;
            found.extend(entry.diagnostics.iter().cloned());
            if !entry.diagnostics.is_empty() {
                self.remarkable.insert(key);
            }
            return;
        }
        self.remarkable.insert(key);
        let files = &scope.checked.functions.files;
        let looks = files.looks();
        let Some(diagnostics) = self.limited(check) else {
            return;
        };
        let diagnostics: Arc<[Diagnostic]> = diagnostics.into();
        found.extend(diagnostics.iter().cloned());
        if files.looks() != looks {
            self.found.remove(&key);
            return;
        }
        if diagnostics.is_empty() {
            self.remarkable.remove(&key);
        }
        let entry = Entry {
            held: held.collect(),
            types: types(),
            diagnostics,
            round: self.round,
        };
        self.found.insert(key, entry);
    }
}

impl BodiesCache {
    /// `None`: the check would cost too much.
    fn limited(&mut self, check: &mut dyn FnMut() -> Vec<Diagnostic>) -> Option<Vec<Diagnostic>> {
        let limits = Limits {
            steps: LIMITS.steps.min(self.steps_left),
            ..LIMITS
        };
        let (found, spent) = within_or_leave(limits, check);
        self.steps_left -= spent.steps;
        found.ok()
    }
}

/// The declarations that decide the type of a reference; no more than those are looked at.
fn types(scope: &CheckScope<'_>, reference: &Reference) -> Vec<KeptDeclaration> {
    match &reference.subject {
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
            vec![KeptDeclaration::of(scope.schema_of_value(addr))]
        }
        _ => referred(scope, reference),
    }
}

/// The declarations that say so.
fn referred(scope: &CheckScope<'_>, reference: &Reference) -> Vec<KeptDeclaration> {
    let module = scope.module;
    match &reference.subject {
        Referenceable::Var(name) => vec![KeptDeclaration::of(module.variables.get(name))],
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
            vec![KeptDeclaration::of(module.resource(addr))]
        }
        Referenceable::ModuleOutput { call, .. } => vec![
            KeptDeclaration::of(module.module_calls.get(call)),
            KeptDeclaration::of(scope.called(call)),
        ],
        _ => Vec::new(),
    }
}

fn check_resource(scope: &CheckScope<'_>, resource: &Arc<Resource>) -> Vec<Diagnostic> {
    let context = scope.context(&resource.decl.references, &resource.repetition);
    let mut found = Vec::new();
    match scope.type_of(resource) {
        TypeOf::Known(schema) => {
            let decoded = eval::decode_as(
                &resource.body,
                &schema.block,
                schema.implied_type(),
                &context,
            );
            found.extend(decoded.diagnostics);
            deprecated::check(&resource.body, &schema.block, &mut found);
            deprecated::check_type(resource, &schema.block, &mut found);
        }
        TypeOf::Unsupported(provider, types) => {
            let name = &resource.addr.r#type;
            let hint = text::did_you_mean(name, types.keys().map(SmolStr::as_str));
            let provider = provider.for_display();
            let unsupported = Diagnostic::error(
                "unknown-resource-type",
                "Invalid resource type",
                format!(
                    "The provider {provider} does not support resource type {:?}.{hint}",
                    name.as_str()
                ),
                resource.r#type.span.clone(),
            );
            found.push(unsupported.with_fault(hint));
        }
        TypeOf::Unknown => without_schema(&resource.body, &context, &mut found),
    }
    match &resource.repetition {
        Repetition::Single => {}
        Repetition::Count(expr) | Repetition::ForEach(expr) | Repetition::Enabled(expr) => {
            found.extend(evaluate_expr(expr, &context).1);
        }
    }
    for rule in &resource.lifecycle.preconditions {
        for expr in rule.exprs() {
            found.extend(evaluate_expr(expr, &context).1);
        }
    }
    found
}

/// The expressions of a body whose schema is not at hand. In JSON syntax and in `dynamic` blocks only a schema tells
/// which parts are evaluated.
fn without_schema(body: &Body, context: &EvalContext<'_>, found: &mut Vec<Diagnostic>) {
    for attribute in &body.attributes {
        found.extend(evaluate_expr(&attribute.expr(), context).1);
    }
    for block in body.blocks.iter().filter(|block| block.kind() != "dynamic") {
        without_schema(&block.body(), context, found);
    }
}

fn check_provider(scope: &CheckScope<'_>, provider: &Provider) -> Vec<Diagnostic> {
    let context = scope.context(&provider.decl.references, &Repetition::Single);
    let mut found = Vec::new();
    let addr = scope.module.provider_addr(&provider.name.text);
    match scope.checked.schemas.get(&addr) {
        Some(schema) => {
            let block = &schema.provider.block;
            let ty = schema.provider.implied_type();
            // A provider's required argument may come from the environment: the provider itself reports a missing one.
            let decoded = eval::decode_as(&provider.body, block, ty, &context).diagnostics;
            let is_missing =
                |it: &Diagnostic| matches!(it.code, "missing-argument" | "missing-block");
            found.extend(decoded.into_iter().filter(|it| !is_missing(it)));
            deprecated::check(&provider.body, block, &mut found);
        }
        None => without_schema(&provider.body, &context, &mut found),
    }
    found
}

fn expressions<'e>(
    scope: &CheckScope<'_>,
    decl: &Decl,
    exprs: impl IntoIterator<Item = &'e Expr>,
) -> Vec<Diagnostic> {
    let context = scope.context(&decl.references, &Repetition::Single);
    let exprs = exprs.into_iter();
    exprs
        .flat_map(|expr| evaluate_expr(expr, &context).1)
        .collect()
}

fn check_duplicate_call(scope: &CheckScope<'_>, call: &ModuleCall) -> Vec<Diagnostic> {
    let first = scope.module.module_calls.get(&call.name.text);
    // Another module is not read.
    let is_same = first.is_some_and(|first| first.source == call.source);
    let called = scope.called(&call.name.text).filter(|_| is_same);
    let mut found = check_call(scope, call, called);
    if let Some(called) = called {
        config::check_arguments(call, called, &mut found);
    }
    found
}

/// The arguments of a call, each as the variable that it is for wants it.
fn check_call(
    scope: &CheckScope<'_>,
    call: &ModuleCall,
    called: Option<&Arc<Module>>,
) -> Vec<Diagnostic> {
    let context = scope.context(&call.decl.references, &call.repetition);
    let mut found = Vec::new();
    for argument in &call.arguments {
        let expr = argument.expr();
        let (value, problems) = evaluate_expr(&expr, &context);
        let is_right = problems.is_empty();
        found.extend(problems);
        let variable = called.and_then(|called| called.variables.get(argument.name()));
        if let Some(variable) = variable.filter(|_| is_right) {
            let given = InputValue::Argument(value, expr.span());
            let unsuitable = final_value(variable, Some(&given)).1.into_iter();
            let is_here = |it: &Diagnostic| is_at(it, &expr.span());
            found.extend(unsuitable.filter(is_here));
        }
    }
    match &call.repetition {
        Repetition::Single => {}
        Repetition::Count(expr) | Repetition::ForEach(expr) | Repetition::Enabled(expr) => {
            found.extend(evaluate_expr(expr, &context).1);
        }
    }
    found
}

fn is_at(diagnostic: &Diagnostic, span: &Span) -> bool {
    diagnostic.subject.as_ref() == Some(span)
}
