//! Values that are known before all modules are read: for the sources and versions of modules, and for backends.
//!
//! Follows OpenTofu's `internal/configs/static_evaluator.go` and `static_scope.go`. Terraform allows the same for modules,
//! with variables that are declared for it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use config::language_release::feature;
use config::{
    Expr, ModuleAddr, ModuleTree, Reference, Referenceable, StaticEvaluator, Variable,
    has_variables,
};
use cty::{Mark, Type, Value, convert};
use eval::variables::{self, InputValue};
use eval::{EvalContext, Roots, evaluate_expr};
use smol_str::SmolStr;
use text::{Diagnostic, Severity, Span};

use crate::inputs::RunEnvironment;
use crate::scope::{path, terraform};

/// The inputs of such values.
pub(crate) struct StaticValues<'a> {
    environment: &'a RunEnvironment,
    /// Reads the values that the variables of the root module are given.
    read_given: &'a dyn Fn(&config::Module) -> BTreeMap<SmolStr, InputValue>,
    given: OnceCell<BTreeMap<SmolStr, InputValue>>,
    is_for_command: bool,
}

const CONSTANTS_ALONE: &str = "Only literal values and constant variables (with const = true) are allowed for this attribute, as well as values derived from these.";

/// The evaluations in progress, from the argument that needs a value down to its dependencies.
type Needs = Vec<Need>;

struct Need {
    module: ModuleAddr,
    /// As messages name it.
    subject: String,
    declared_at: Span,
}

impl<'a> StaticValues<'a> {
    pub fn new(
        environment: &'a RunEnvironment,
        read_given: &'a dyn Fn(&config::Module) -> BTreeMap<SmolStr, InputValue>,
        is_for_command: bool,
    ) -> StaticValues<'a> {
        StaticValues {
            environment,
            read_given,
            given: OnceCell::new(),
            is_for_command,
        }
    }

    /// See `Root::backend_settings`.
    pub fn of_backend(&self, tree: &ModuleTree) -> (BTreeMap<SmolStr, String>, Vec<Diagnostic>) {
        let (mut settings, mut diagnostics) = (BTreeMap::new(), Vec::new());
        let profile = self.environment.functions.profile;
        let is_evaluated = profile.is_opentofu() && profile.has(feature::STATIC_EVALUATION);
        let backend = tree.root().backend.as_ref().filter(|_| is_evaluated);
        let body = backend.map(|backend| backend.body.just_attributes().0);
        for attribute in body.iter().flat_map(|body| &body.attributes) {
            if !has_variables(&attribute.ast.expr) {
                continue;
            }
            let subject = format!("backend.{}", attribute.name());
            match self.text(tree, &ModuleAddr::root(), &subject, &attribute.expr()) {
                Ok(Some(text)) => drop(settings.insert(attribute.name().clone(), text.into())),
                Ok(None) => {}
                Err(found) => diagnostics.extend(found),
            }
        }
        (settings, diagnostics)
    }

    /// Errors of variables with `const = true`, and of OpenTofu's provider configurations with `for_each`: their values do not
    /// wait for the plan.
    ///
    /// Follows `NewModule` of OpenTofu's `internal/configs/module.go`.
    pub fn check(&self, tree: &ModuleTree) -> Vec<Diagnostic> {
        let profile = self.environment.functions.profile;
        let mut found = Vec::new();
        if !profile.has(feature::STATIC_EVALUATION) {
            return found;
        }
        let is_static = |diagnostic: &Diagnostic| diagnostic.code == "variables-not-allowed";
        for (addr, module) in tree.iter() {
            for provider in module.module.providers.values() {
                let Some(keys) = &provider.for_each else {
                    continue;
                };
                let alias = provider.alias.as_ref().map_or("", |alias| &alias.text);
                let subject = format!("provider.{}.{alias}.for_each", provider.name.text);
                let mut needs = needs_of(addr, subject, keys);
                if let Err(problems) = self.evaluate(tree, addr, keys, &mut needs) {
                    found.extend(problems.into_iter().filter(is_static));
                }
            }
            let Some((_, call)) = tree.call(addr) else {
                continue;
            };
            for variable in module.module.variables.values() {
                let name = &variable.name.text;
                let parent = addr.parent().unwrap_or_default();
                let argument = call
                    .argument(name)
                    .filter(|_| variable.is_const == Some(true));
                let Some(argument) = argument.map(config::Attribute::expr) else {
                    continue;
                };
                let mut needs = needs_of(addr, format!("{addr}:var.{name}"), &argument);
                let Err(problems) = self.evaluate(tree, &parent, &argument, &mut needs) else {
                    continue;
                };
                // Follows `evalModuleVariable` of Terraform's `internal/terraform/node_module_variable.go`.
                if !profile.is_opentofu() {
                    let problem = problems.into_iter().find(is_static);
                    found.extend(problem.map(|problem| Diagnostic {
                        summary: "Const variables must be known".into(),
                        detail: "Only a constant value can be passed into a constant module variable.".into(),
                        subject: Some(argument.span()),
                        ..problem
                    }));
                    continue;
                }
                found.extend(problems.into_iter().filter(is_static));
                found.push(Diagnostic::error(
                    "unsuitable-value",
                    "Unable to compute static value",
                    format!("{addr}: depends on {addr}:var.{name} which is not available"),
                    call.decl.span.clone(),
                ));
            }
        }
        found
    }

    /// The value of an argument in an `encryption` block, without marks.
    pub fn of_encryption(
        &self,
        tree: &ModuleTree,
        subject: &str,
        expr: &Expr,
    ) -> Result<Value, Vec<Diagnostic>> {
        let root = ModuleAddr::root();
        let mut needs = needs_of(&root, subject.to_owned(), expr);
        let value = self.evaluate(tree, &root, expr, &mut needs)?;
        let value = value.unmark_deep_with_paths().0;
        match value.is_wholly_known() {
            true => Ok(value),
            false => Err(vec![unavailable(subject, "a value", expr.span())]),
        }
    }

    /// An error that was reported elsewhere is returned without a diagnostic.
    fn evaluate(
        &self,
        tree: &ModuleTree,
        addr: &ModuleAddr,
        expr: &Expr,
        needs: &mut Needs,
    ) -> Result<Value, Vec<Diagnostic>> {
        let place = tree.get(addr).ok_or_else(Vec::new)?;
        let subject = needs.last().map_or("", |it| &it.subject).to_owned();
        let undefined = |kind: &str, name: &str, reference: &Reference| {
            // Terraform reports it with all other references.
            match self.environment.functions.profile.is_opentofu() {
                false => Vec::new(),
                true => vec![Diagnostic::error(
                    "variables-not-allowed",
                    format!("Undefined {kind}"),
                    format!("Undefined {kind} {name}"),
                    reference.span.clone(),
                )],
            }
        };
        let mut roots = Roots::default();
        for reference in &expr.references() {
            let refuse = |summary: &str, what: &str| {
                let detail = format!(
                    "Unable to use {what} in static context, which is required by {subject}"
                );
                let at = reference.span.clone();
                let of_source = "The module source can only reference constant input variables and local values.";
                Err(vec![self.refusal(needs, (summary, detail), of_source, at)])
            };
            match &reference.subject {
                Referenceable::Var(name) => {
                    let what = format!("var.{name}");
                    let declared = place.module.variables.get(name);
                    let variable =
                        declared.ok_or_else(|| undefined("variable", &what, reference))?;
                    if let Some(refusal) = self.not_constant(variable, expr, needs) {
                        return Err(vec![refusal]);
                    }
                    let at = &variable.decl.span;
                    let value = self.needed(addr, what, at, expr, needs, |needs| {
                        self.variable(tree, addr, variable, expr, needs)
                    })?;
                    roots.set(&reference.subject, value);
                }
                Referenceable::Local(name) => {
                    let what = format!("local.{name}");
                    let declared = place.module.locals.get(name);
                    let local = declared.ok_or_else(|| undefined("local", &what, reference))?;
                    let at = &local.decl.full_span;
                    let value = self.needed(addr, what, at, expr, needs, |needs| {
                        self.evaluate(tree, addr, &local.value, needs)
                    })?;
                    roots.set(&reference.subject, value);
                }
                Referenceable::Path(name) => {
                    let value = path(self.environment, &place.path, name);
                    roots.set(&reference.subject, value);
                }
                Referenceable::Terraform(name) => {
                    roots.set(&reference.subject, terraform(self.environment, name));
                }
                Referenceable::Tofu(name) => {
                    roots.set(&reference.subject, terraform(self.environment, name));
                }
                Referenceable::Module(call)
                | Referenceable::ModuleInstance(call, _)
                | Referenceable::ModuleOutput { call, .. } => {
                    let summary = "Module output not supported in static context";
                    return refuse(summary, &format!("module.{call}"));
                }
                Referenceable::Resource(resource)
                | Referenceable::ResourceInstance(resource, _) => {
                    return refuse("Dynamic value in static context", &resource.to_string());
                }
                Referenceable::Count(name) => {
                    return refuse("Dynamic value in static context", &format!("count.{name}"));
                }
                Referenceable::Each(name) => {
                    return refuse("Dynamic value in static context", &format!("each.{name}"));
                }
                Referenceable::Self_ => return refuse("Dynamic value in static context", "self"),
            }
        }
        let context = EvalContext::new(roots.into_variables(), &self.environment.functions);
        let (value, diagnostics) = evaluate_expr(expr, &context);
        match has_errors(&diagnostics) {
            true => Err(diagnostics),
            false => Ok(value),
        }
    }

    /// The error for a reference that is not known early: `told`, or of the source of a module in Terraform `of_source`.
    ///
    /// Follows `evalSource` of Terraform's `internal/terraform/node_module_install.go`.
    fn refusal(
        &self,
        needs: &Needs,
        told: (&str, String),
        of_source: &str,
        at: Span,
    ) -> Diagnostic {
        let is_opentofu = self.environment.functions.profile.is_opentofu();
        let source = needs.first().filter(|it| it.subject.ends_with(".source"));
        let summary = "Invalid module source";
        let (summary, detail, at) = match source.filter(|_| !is_opentofu) {
            Some(_) if needs.len() == 1 => (summary, of_source.to_owned(), at),
            Some(source) => {
                let why = "The module source contains a reference that is unknown during init.";
                let at = source.declared_at.clone();
                (summary, format!("{why}\n\n{CONSTANTS_ALONE}"), at)
            }
            None => (told.0, told.1, at),
        };
        Diagnostic::error("variables-not-allowed", summary, detail, at)
    }

    /// The value of something that is needed on the way; an error if that leads back to it.
    fn needed(
        &self,
        addr: &ModuleAddr,
        what: String,
        declared_at: &Span,
        expr: &Expr,
        needs: &mut Needs,
        value: impl FnOnce(&mut Needs) -> Result<Value, Vec<Diagnostic>>,
    ) -> Result<Value, Vec<Diagnostic>> {
        let mut others = needs.iter();
        if others.any(|it| it.module == *addr && it.subject == what) {
            let detail = format!("{what} is self referential");
            let summary = "Circular reference";
            let at = expr.span();
            return Err(vec![Diagnostic::error(
                "variables-not-allowed",
                summary,
                detail,
                at,
            )]);
        }
        needs.push(Need {
            module: addr.clone(),
            subject: what,
            declared_at: declared_at.clone(),
        });
        let value = value(needs);
        let need = needs.pop();
        let is_opentofu = self.environment.functions.profile.is_opentofu();
        let user = needs.last().zip(need).filter(|_| is_opentofu);
        value.map_err(|mut found| {
            if let Some((user, need)) = user {
                let at = user.declared_at.clone();
                let unable = unavailable(&user.subject, &need.subject, at);
                if !found.contains(&unable) {
                    found.push(unable);
                }
            }
            found
        })
    }

    /// The error for a variable that is not known early, whatever its value is.
    fn not_constant(&self, variable: &Variable, expr: &Expr, needs: &Needs) -> Option<Diagnostic> {
        let name = &variable.name.text;
        let is_opentofu = self.environment.functions.profile.is_opentofu();
        let why = match variable.is_const {
            Some(true) => return None,
            Some(false) => "because it is declared as \"const = false\"",
            None if is_opentofu => return None,
            None => "because it is not declared as \"const = true\"",
        };
        let detail = format!("The variable \"{name}\" cannot be used in a static context, {why}.");
        let summary = "Unable to use variable in static context";
        let of_source = format!(
            "The value of a reference in the module source is unknown.\n\n{CONSTANTS_ALONE}"
        );
        Some(self.refusal(needs, (summary, detail), &of_source, expr.span()))
    }

    fn variable(
        &self,
        tree: &ModuleTree,
        addr: &ModuleAddr,
        variable: &Variable,
        expr: &Expr,
        needs: &mut Needs,
    ) -> Result<Value, Vec<Diagnostic>> {
        let name = &variable.name.text;
        let given = match (addr.parent(), tree.call(addr)) {
            (Some(parent), Some((_, call))) => match call.argument(name) {
                Some(argument) => {
                    let expr = argument.expr();
                    let value = self.evaluate(tree, &parent, &expr, needs)?;
                    Some(InputValue::Argument(value, expr.span()))
                }
                None => None,
            },
            _ => {
                let root = || (self.read_given)(tree.root());
                self.given.get_or_init(root).get(name).cloned()
            }
        };
        let is_opentofu = self.environment.functions.profile.is_opentofu();
        let is_unset = given.is_none() && variable.default.is_none();
        // A command of OpenTofu would ask for it.
        if is_unset && addr.is_root() && is_opentofu && self.is_for_command {
            return Err(vec![Diagnostic::error(
                "no-variable-value",
                format!("Failed to request input from user for variable var.{name}"),
                String::new(),
                variable.decl.span.clone(),
            )]);
        }
        if is_unset {
            let needed_by = needs.iter().rev().nth(1).map_or("", |it| &it.subject);
            return Err(vec![unavailable(
                needed_by,
                &format!("var.{name}"),
                expr.span(),
            )]);
        }
        let (value, diagnostics) = variables::final_value(variable, given.as_ref());
        match has_errors(&diagnostics) {
            true => Err(diagnostics),
            false => Ok(variables::marked(variable, &value)),
        }
    }
}

impl StaticEvaluator for StaticValues<'_> {
    fn is_for_command(&self) -> bool {
        self.is_for_command
    }

    fn text(
        &self,
        tree: &ModuleTree,
        addr: &ModuleAddr,
        subject: &str,
        expr: &Expr,
    ) -> Result<Option<SmolStr>, Vec<Diagnostic>> {
        let mut needs = needs_of(addr, subject.to_owned(), expr);
        let value = self.evaluate(tree, addr, expr, &mut needs)?;
        let unsuitable = |summary: &str, detail: String| {
            let at = expr.span();
            vec![Diagnostic::error("unsuitable-value", summary, detail, at)]
        };
        for (mark, kind) in [
            (Mark::Sensitive, "Sensitive"),
            (Mark::Ephemeral, "Ephemeral"),
        ] {
            if value.has_mark(&mark) {
                let detail = format!(
                    "{kind} values, or values derived from {} values, cannot be used as {subject}.",
                    kind.to_lowercase()
                );
                return Err(unsuitable(&format!("{kind} value not allowed"), detail));
            }
        }
        let (value, _) = value.unmark();
        if !value.is_known() {
            return Err(vec![unavailable(subject, "a value", expr.span())]);
        }
        if value.is_null() {
            return Ok(None);
        }
        match convert(&value, &Type::String) {
            Ok(text) => Ok(text.as_str().map(SmolStr::from)),
            Err(_) => {
                let detail = "Unsuitable value: string required".to_owned();
                Err(unsuitable("Unsuitable value type", detail))
            }
        }
    }
}

/// The evaluation of an argument.
fn needs_of(addr: &ModuleAddr, subject: String, expr: &Expr) -> Needs {
    vec![Need {
        module: addr.clone(),
        subject,
        declared_at: expr.span(),
    }]
}

fn unavailable(subject: &str, what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(
        "unsuitable-value",
        "Unable to compute static value",
        format!("{subject} depends on {what} which is not available"),
        at,
    )
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    let mut diagnostics = diagnostics.iter();
    diagnostics.any(|diagnostic| diagnostic.severity == Severity::Error)
}
