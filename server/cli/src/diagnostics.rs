//! Diagnostics as Terraform prints them: as text, and in the form of `terraform validate -json`.

mod calls;
mod values;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::iter::repeat_n;
use std::path::Path;
use std::sync::Arc;

use config::language_release::feature;
use config::{AbsResourceAddr, Files, ModuleTree, Product, Repetition, ResourceMode};
use plan::{Caveat, OpenFiles, Plan, PlanMode, Root};
use serde_json::{Value as Json, json};
use syntax::ast::{Block, Item};
use text::{Diagnostic, Fault, Places, RelatedRole, Severity, Span, TextRange, cut, line_breaks};

use calls::Called;

use crate::plan::{is_of_values, is_refusal};

/// The texts that diagnostics point into.
pub(crate) struct Sources<'a> {
    root: &'a Root,
    /// Whose diagnostics these are.
    plan: &'a Plan,
    files: &'a OpenFiles,
    /// Found while the modules were loaded.
    loading: HashSet<Diagnostic>,
    /// The diagnostics about the arguments of module calls, once somebody asks.
    of_calls: OnceCell<HashSet<Diagnostic>>,
}

/// The command that reads the configuration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    Plan,
    Validate,
}

const PROVIDER_WIRING: &str = "provider-wiring";

/// Errors of modules together, once each of them could be read.
const OF_THE_TREE: [&str; 5] = [
    "import-in-module",
    "module-cycle",
    "module-not-installed",
    PROVIDER_WIRING,
    "too-many-modules",
];

/// Errors and warnings of the declaration of a variable or an output.
const OF_DECLARATIONS: [&str; 5] = [
    "functions-not-allowed",
    "ignored-attribute",
    "invalid-default",
    "invalid-type",
    "quoted-type",
];

/// Errors of `moved` and `removed` blocks. They hide all others: objects that moved wrongly are the likely cause of these.
///
/// Follows `planWalk` of OpenTofu's `internal/tofu/context_plan.go`.
const OF_MOVES: [&str; 5] = [
    "ambiguous-move",
    "cyclic-move",
    "moved-still-exists",
    "redundant-move",
    "removed-still-exists",
];

/// An error of a provider that makes an object of another type one of its own. Terraform moves all objects before it looks
/// at anything else.
const STATE_MOVE: &str = "unsupported-move";

/// Warnings of the values of variables and of options, which are found before anything is planned.
const BEFORE_THE_PLAN: [&str; 2] = ["targeted", UNDECLARED];

/// A value for a variable that is not declared. Terraform looks at the values once the configuration is read.
pub(crate) const UNDECLARED: &str = "undeclared-variable";

/// Errors that keep Terraform from looking at any object.
const BEFORE_THE_WALK: [&str; 5] = [
    "cycle",
    "missing-function-provider",
    "missing-provider-config",
    "unknown-provisioner",
    UNSUPPORTED_VERSION,
];

/// OpenTofu learns which functions a provider has once it is configured. A message that is unknown while no object is planned may
/// be known in the plan.
fn is_after_validation(it: &Diagnostic) -> bool {
    let is_unknown = it.fault == Fault::UnknownUntilApply;
    it.code == "missing-provider-function" || is_unknown && it.code == eval::INVALID_MESSAGE
}

/// Found while the modules are loaded, but reported once they all are and the variables have values.
pub(crate) const UNSUPPORTED_VERSION: &str = "unsupported-version";

/// Found in the text, but reported when Terraform gets to the resource.
pub(crate) const DEPENDS_ON_A_PART: &str = "invalid-depends-on";

/// Errors at a place that are not found by evaluation.
const NOT_EVALUATED: [&str; 8] = [
    "deprecated-attribute",
    "deferred-not-allowed",
    "import-failed",
    "invalid-object",
    "invalid-plan",
    "not-planned",
    "provider",
    "provider-failed",
];

/// Diagnostics that carry data for programs in Terraform.
const WITH_DATA: [&str; 3] = [
    "condition-failed",
    "deprecated-attribute",
    "invalid-variable-value",
];

/// Errors about undeclared references, and about references that their declarations do not allow.
const OF_REFERENCES: [&str; 2] = ["instance-key", "undeclared-reference"];

/// How much of the lines of an error is printed with it, in bytes. Each of many errors may be in one long line.
const CODE_LIMIT: usize = 32 << 10;

/// The lines of an error with their numbers, from this one on.
pub(crate) fn numbered(first: usize, code: &str) -> String {
    let code = cut(code.to_owned(), CODE_LIMIT);
    let lines = code.lines().enumerate();
    lines
        .map(|(index, line)| format!("{:>4}: {line}\n", first + index))
        .collect()
}

/// A diagnostic's place.
struct DiagnosticPlace {
    /// Relative to the root module where it is in there.
    file: String,
    text: Arc<str>,
    range: TextRange,
    /// The header of the block around it.
    context: Option<String>,
}

fn of_calls(tree: &ModuleTree) -> HashSet<Diagnostic> {
    let mut found = Vec::new();
    for (addr, module) in tree.iter() {
        if let Some((_, call)) = tree.call(addr) {
            config::check_arguments(call, &module.module, &mut found);
        }
    }
    found.into_iter().collect()
}

impl<'a> Sources<'a> {
    pub(crate) fn new(root: &'a Root, plan: &'a Plan, files: &'a OpenFiles) -> Sources<'a> {
        Sources {
            root,
            plan,
            files,
            loading: root.problems().iter().cloned().collect(),
            of_calls: OnceCell::new(),
        }
    }

    /// The plan's diagnostics with the warnings of the validation; or the errors of that, as Terraform does not get to
    /// the plan then.
    pub(crate) fn to_json(&self, validation: &[Diagnostic]) -> Json {
        let all = match is_refusal(validation) {
            false => self.all(validation),
            true => {
                let mut refused = validation.to_vec();
                self.sort(&mut refused);
                refused
            }
        };
        all.iter()
            .map(|diagnostic| self.one_json(diagnostic))
            .collect()
    }

    pub(crate) fn to_text(&self, warnings: &[Diagnostic]) -> Vec<String> {
        let mut all = self.all(warnings);
        // As Terraform does, errors come last.
        all.sort_by_key(|diagnostic| diagnostic.severity == Severity::Error);
        all.iter()
            .map(|diagnostic| self.one_text(diagnostic))
            .collect()
    }

    /// Whether errors come before anything is planned: no plan is shown then.
    pub(crate) fn has_errors_before_plan(&self) -> bool {
        let mut all = self.plan.all_diagnostics();
        all.any(|it| self.hides_others(it))
    }

    /// Errors that are found before any object is planned. OpenTofu looks at the targets of imports then, too.
    fn hides_others(&self, diagnostic: &Diagnostic) -> bool {
        let is_of_import = diagnostic.code == "import-without-resource";
        OF_MOVES.contains(&diagnostic.code)
            || is_of_import && self.plan.product == Product::OpenTofu
    }

    /// The plan's diagnostics in the order of their places, its caveats as warnings, and other warnings that it has not.
    fn all(&self, warnings: &[Diagnostic]) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = self.plan.all_diagnostics().cloned().collect();
        let subject = |it: &Diagnostic| (it.summary.clone(), it.subject.clone());
        let of_validation: HashSet<_> = warnings.iter().map(subject).collect();
        let mut known: HashSet<_> = all.iter().map(subject).collect();
        let is_shown = |it: &&Diagnostic| known.insert(subject(it)) || self.is_found_again(it);
        let warnings = warnings.iter().filter(is_shown);
        all.extend(warnings.cloned());
        let is_error_of_state =
            |it: &Diagnostic| it.severity == Severity::Error && it.code == STATE_MOVE;
        let has_error_of_state =
            self.plan.product == Product::Terraform && all.iter().any(is_error_of_state);
        let is_of_moves = |it: &Diagnostic| match has_error_of_state {
            true => is_error_of_state(it),
            false => self.hides_others(it),
        };
        if all.iter().any(is_of_moves) {
            let is_before = |it: &Diagnostic| {
                BEFORE_THE_PLAN.contains(&it.code) || of_validation.contains(&subject(it))
            };
            all.retain(|it| is_of_moves(it) || it.severity != Severity::Error && is_before(it));
        } else {
            all.extend(unplanned(self.plan).into_iter().map(|(_, it)| it));
        }
        self.sort(&mut all);
        sum_up_undeclared(&mut all);
        let times = |it: &Diagnostic| match self.is_repeated(it) {
            true => it.repeats as usize + 1,
            false => 1,
        };
        let repeated = all
            .into_iter()
            .flat_map(|it| repeat_n(it.clone(), times(&it)));
        repeated.collect()
    }

    /// Whether a diagnostic of the validation is shown beside the same one of the plan.
    pub(crate) fn is_found_again(&self, diagnostic: &Diagnostic) -> bool {
        let is_evaluated = || !self.loading.contains(diagnostic);
        diagnostic.severity != Severity::Error && self.is_repeated(diagnostic) && is_evaluated()
    }

    /// Whether a diagnostic is shown as often as it is found.
    ///
    /// Source: `AppendWithoutDuplicates` in `internal/tfdiags/diagnostics.go` of Terraform since 1.12, and `Equals` in `hcl.go`
    /// beside it: a diagnostic with data for programs is never a duplicate.
    fn is_repeated(&self, diagnostic: &Diagnostic) -> bool {
        let profile = &self.root.functions().profile;
        let has_data = match diagnostic.fault {
            Fault::FunctionArgument | Fault::UnknownUntilApply => true,
            _ => WITH_DATA.contains(&diagnostic.code),
        };
        !profile.has(feature::EQUAL_DIAGNOSTICS_ONCE) || has_data || diagnostic.subject.is_none()
    }

    /// Where the root module can't be read, no module that it calls is.
    ///
    /// Follows `loadConfig` of OpenTofu's `internal/configs/configload/loader_load.go`.
    fn drop_modules_of_broken_root(&self, of_files: &mut Vec<Diagnostic>) {
        if of_files.iter().any(|it| self.is_error_of_root(it)) {
            of_files.retain(|it| self.is_of_root(it) != Some(false));
        }
    }

    fn is_error_of_root(&self, it: &Diagnostic) -> bool {
        it.severity == Severity::Error && self.is_of_root(it) == Some(true)
    }

    /// Whether a diagnostic is in a file of the root module; `None` if it is in no module's file.
    fn is_of_root(&self, it: &Diagnostic) -> Option<bool> {
        let place = it.subject.as_ref().filter(|place| !is_of_values(place))?;
        Some(Path::new(place.file.path()).parent() == Some(self.root.dir()))
    }

    /// Whether a variable without a value is reported before the other modules are loaded: the program evaluates their sources,
    /// and the files of the root module have no errors.
    pub(crate) fn loads_modules_later(&self) -> bool {
        let profile = self.root.functions().profile;
        let loading = self.root.loading_problems();
        let of_files = loading
            .iter()
            .filter(|it| !self.is_of_tree(it) && !self.is_of_call(it));
        let of_declarations = self
            .plan
            .all_diagnostics()
            .filter(|it| self.is_of_declaration(it));
        !profile.is_opentofu()
            && profile.has(feature::STATIC_EVALUATION)
            && !of_files
                .chain(of_declarations)
                .any(|it| self.is_error_of_root(it))
    }

    /// Whether a diagnostic is about modules and their calls together. Releases that evaluate sources check the addresses while
    /// they load the modules.
    fn is_of_tree(&self, it: &Diagnostic) -> bool {
        let profile = self.root.functions().profile;
        let evaluates = profile.has(feature::STATIC_EVALUATION);
        // OpenTofu evaluates them with the file.
        let is_of_source = it.code == "invalid-source"
            || it.code == "variables-not-allowed" && !profile.is_opentofu();
        OF_THE_TREE.contains(&it.code) || evaluates && is_of_source && self.is_of_module_block(it)
    }

    /// The errors, in the order of the places. As with Terraform, errors of the files hide errors of
    /// the modules together, those hide errors of providers and the order of objects, and those the rest.
    pub(crate) fn of_validation(&self, command: Command) -> Vec<Diagnostic> {
        let has_errors =
            |found: &[Diagnostic]| found.iter().any(|it| it.severity == Severity::Error);
        let mut loading = self.root.loading_problems();
        let is_later = |it: &Diagnostic| match it.severity {
            Severity::Error => {
                [DEPENDS_ON_A_PART, UNDECLARED, UNSUPPORTED_VERSION].contains(&it.code)
            }
            Severity::Warning | Severity::Info | Severity::Hint => it.code == UNSUPPORTED_VERSION,
        };
        loading.retain(|it| !is_later(it));
        let (of_calls, mut loading): (Vec<_>, Vec<_>) =
            loading.into_iter().partition(|it| self.is_of_call(it));
        let (of_tree, mut of_files): (Vec<_>, Vec<_>) =
            loading.iter().cloned().partition(|it| self.is_of_tree(it));
        let reads_in_parts = self.plan.product == Product::OpenTofu && command == Command::Plan;
        let mut all: Vec<Diagnostic> = self.plan.all_diagnostics().cloned().collect();
        all.retain(|it| !is_after_validation(it));
        of_files.extend(all.iter().filter(|it| self.is_of_declaration(it)).cloned());
        let is_before_walk = |it: &Diagnostic| BEFORE_THE_WALK.contains(&it.code);
        // Releases that evaluate sources compare the providers of modules once these are right.
        let profile = self.root.functions().profile;
        let compares_early = !profile.has(feature::STATIC_EVALUATION);
        let is_told = |it: &Diagnostic| it.code != PROVIDER_WIRING || compares_early;
        let is_of_modules =
            |it: &Diagnostic| it.severity == Severity::Error && it.code != PROVIDER_WIRING;
        if has_errors(&of_files) {
            let waits = |it: &Diagnostic| reads_in_parts && self.is_read_later(it);
            if of_files.iter().any(|it| self.stops(it) && !waits(it)) {
                of_files.retain(|it| !waits(it));
                self.drop_modules_of_broken_root(&mut of_files);
            } else {
                of_files.extend(of_tree.into_iter().filter(is_told));
            }
            // A value is looked for in the configuration once all values could be read.
            let is_of_values = |it: &Diagnostic| {
                it.severity == Severity::Error && it.subject.as_ref().is_some_and(is_of_values)
            };
            if of_files.iter().any(is_of_values) {
                of_files.retain(|it| it.code != UNDECLARED);
            }
            all = of_files;
        } else if has_errors(&of_tree) {
            all = loading;
            if of_tree.iter().any(is_of_modules) {
                all.retain(is_told);
            }
        } else if has_errors(&of_calls) {
            loading.extend(of_calls);
            all = loading;
        } else if all.iter().any(is_before_walk) {
            all.retain(|it| is_before_walk(it) || it.severity != Severity::Error);
        }
        let is_in = |it: &Diagnostic, places: &Places| {
            it.subject.as_ref().is_some_and(|at| places.contain(at))
        };
        let with_resource = self.read_with_the_resource();
        all.retain(|it| !(OF_REFERENCES.contains(&it.code) && is_in(it, &with_resource)));
        let behind = self.behind_in_depends_on(&all);
        all.retain(|it| {
            let is_told = it.severity != Severity::Error || it.code == DEPENDS_ON_A_PART;
            is_told || !is_in(it, &behind)
        });
        self.sort(&mut all);
        all
    }

    /// Whether it is about the arguments of a module call. Terraform compares them with the variables once it knows the
    /// values of those of the root module.
    pub(crate) fn is_of_call(&self, it: &Diagnostic) -> bool {
        let of_calls = || self.root.tree().map(|tree| of_calls(tree));
        let known = self.of_calls.get_or_init(|| of_calls().unwrap_or_default());
        let is_block = || it.code == "unsupported-block" && self.is_of_module_block(it);
        known.contains(it) || is_block()
    }

    /// Whether an error keeps the program from reading the called modules.
    fn stops(&self, it: &Diagnostic) -> bool {
        it.severity == Severity::Error && self.is_of_root(it) != Some(false)
    }

    /// Whether a diagnostic is about a duplicate name or a static value. For a plan, OpenTofu reads files, variables, local
    /// values and settings of the root module first, and looks at the rest only if there is no error among them.
    fn is_read_later(&self, it: &Diagnostic) -> bool {
        let block = it.subject.as_ref().and_then(|at| self.block(at));
        let kind = block.map_or("", |block| block.kind.name.as_str());
        match it.code {
            "no-variable-value" => true,
            "unsuitable-value" | "variables-not-allowed" => {
                ["locals", "module", "provider"].contains(&kind)
            }
            // It is refused while its file is read.
            "invalid-override" if kind == "check" => false,
            "duplicate-declaration" | "invalid-override" => {
                let mut settings = block.into_iter().flat_map(|block| &block.body.blocks);
                let is_of_module = settings.any(|setting| {
                    let is_there = |at: &Span| setting.header_range.contains_range(at.range);
                    ["required_providers", "backend", "cloud"].contains(&&*setting.kind.name)
                        && it.subject.as_ref().is_some_and(is_there)
                });
                is_of_module || !["variable", "locals", "terraform"].contains(&kind)
            }
            _ => false,
        }
    }

    /// The references of `depends_on` behind one that is wrong: Terraform looks at no other one then.
    fn behind_in_depends_on(&self, all: &[Diagnostic]) -> Places {
        let is_of_reference =
            |it: &&Diagnostic| OF_REFERENCES.contains(&it.code) || it.code == DEPENDS_ON_A_PART;
        let wrong = all.iter().filter(is_of_reference);
        let wrong: Places = wrong.filter_map(|it| it.subject.as_ref()).collect();
        let mut behind = Vec::new();
        for (_, module) in self.root.tree().into_iter().flat_map(|tree| tree.iter()) {
            let module = &module.module;
            let resources = module.resources.values().map(|it| &it.depends_on);
            let calls = module.module_calls.values().map(|it| &it.depends_on);
            let outputs = module.outputs.values().map(|it| &it.depends_on);
            for list in resources.chain(calls).chain(outputs) {
                let mut references = list.iter();
                if references.any(|it| wrong.have_one_in(&it.span)) {
                    behind.extend(references.map(|it| &it.span));
                }
            }
        }
        behind.into_iter().collect()
    }

    /// The expressions of `replace_triggered_by`, and of OpenTofu's `enabled`. Terraform reads them only when it plans the
    /// resource.
    fn read_with_the_resource(&self) -> Places {
        let enabled = |repetition: &'a Repetition| match repetition {
            Repetition::Enabled(expr) => Some(expr),
            Repetition::Single | Repetition::Count(_) | Repetition::ForEach(_) => None,
        };
        let modules = self.root.tree().into_iter().flat_map(|tree| tree.iter());
        let read = modules.flat_map(|(_, called)| {
            let (resources, calls) = (&called.module.resources, &called.module.module_calls);
            let triggers = resources
                .values()
                .flat_map(|it| &it.lifecycle.replace_triggered_by);
            let of_resources = resources
                .values()
                .filter_map(move |it| enabled(&it.repetition));
            let of_calls = calls.values().filter_map(move |it| enabled(&it.repetition));
            triggers.chain(of_resources).chain(of_calls)
        });
        let spans: Vec<Span> = read.map(config::Expr::span).collect();
        spans.iter().collect()
    }

    fn is_of_module_block(&self, diagnostic: &Diagnostic) -> bool {
        let block = diagnostic.subject.as_ref().and_then(|it| self.block(it));
        block.is_some_and(|block| block.kind.name == "module")
    }

    pub(crate) fn has_declaration_errors(&self) -> bool {
        let mut all = self.plan.all_diagnostics();
        all.any(|it| it.severity == Severity::Error && self.is_of_declaration(it))
    }

    /// Whether it is about the type or the default of a variable, or the type of an output. Terraform reads these with the file.
    fn is_of_declaration(&self, diagnostic: &Diagnostic) -> bool {
        if !OF_DECLARATIONS.contains(&diagnostic.code) {
            return false;
        }
        let span = diagnostic.subject.as_ref();
        let block = span.and_then(|it| self.block(it).zip(Some(it)));
        block.is_some_and(|(block, at)| match block.kind.name.as_str() {
            "variable" => true,
            "output" => {
                let mut attributes = block.body.attributes.iter();
                attributes
                    .any(|it| it.name.name == "type" && it.expr.range.contains_range(at.range))
            }
            _ => false,
        })
    }

    /// In the order of the places, each as often as Terraform shows it; of a cycle it tells no place.
    fn sort(&self, all: &mut Vec<Diagnostic>) {
        let place = |diagnostic: &Diagnostic| {
            let span = diagnostic.subject.as_ref()?;
            Some((span.file.clone(), self.root.resolve(span)?.start()))
        };
        all.sort_by_cached_key(place);
        let mut kept: Vec<Diagnostic> = Vec::new();
        let mut cycles = HashSet::new();
        for diagnostic in all.drain(..) {
            let mut beside = kept.iter().rev();
            let mut beside = beside
                .by_ref()
                .take_while(|it| it.subject == diagnostic.subject);
            let is_known = match diagnostic.code {
                "cycle" | plan::APPLY_CYCLE => !cycles.insert(diagnostic.summary.clone()),
                _ => !self.is_found_again(&diagnostic) && beside.any(|it| *it == diagnostic),
            };
            if !is_known {
                kept.push(diagnostic);
            }
        }
        *all = kept;
    }

    fn place(&self, diagnostic: &Diagnostic) -> Option<DiagnosticPlace> {
        let span = &self.subject(diagnostic)?;
        let path = Path::new(span.file.path());
        let file = path
            .strip_prefix(self.root.dir())
            .unwrap_or(path)
            .to_string_lossy();
        Some(DiagnosticPlace {
            file: file.into_owned(),
            text: Files::read(self.files, span.file.path()).ok()?,
            range: self.root.resolve(span)?,
            context: self.context(span),
        })
    }

    /// The subject of a diagnostic. A provider's diagnostic about a block as a whole is placed at its body.
    fn subject(&self, diagnostic: &Diagnostic) -> Option<Span> {
        // OpenTofu names the variable, not the value.
        let is_opentofu = self.root.functions().profile.is_opentofu();
        let related = &diagnostic.related[..];
        if let [declared] = related
            && is_opentofu
            && diagnostic.code == "invalid-variable-value"
            && matches!(declared.role, RelatedRole::Declaration { .. })
        {
            return Some(declared.span.clone());
        }
        let span = diagnostic.subject.clone()?;
        let block = self.block(&span).filter(|_| diagnostic.address.is_some());
        let block = block.filter(|block| block.header_range == span.range);
        Some(match block.and_then(|block| block.open_brace) {
            Some(range) => Span { range, ..span },
            None => span,
        })
    }

    /// The detail with the other places that it is about, in Terraform's words.
    fn detail(&self, diagnostic: &Diagnostic) -> String {
        let product = self.root.functions().profile.product;
        let mut detail = product.detail_of(diagnostic);
        for related in &diagnostic.related {
            let Some(at) = self.at(&related.span) else {
                continue;
            };
            match &related.role {
                RelatedRole::Rule => {
                    detail += &format!("\n\nThis was checked by the validation rule at {at}.");
                }
                RelatedRole::Value => {
                    detail += &format!(" Invalid value defined at {at}.");
                }
                RelatedRole::Declaration { variable, why } => {
                    let tree = self.root.tree();
                    let mut modules = tree.into_iter().flat_map(|tree| tree.iter());
                    let declares =
                        modules.find(|(_, it)| it.module.files.contains_key(&related.span.file));
                    let module = declares.filter(|(addr, _)| !addr.is_root());
                    let module = module.map_or_else(String::new, |(addr, _)| format!("{addr}."));
                    let said = match diagnostic.code {
                        "null-variable-value" => "defined",
                        _ => "declared",
                    };
                    detail = format!(
                        "The given value is not suitable for {module}var.{variable} {said} at {at}: {why}."
                    );
                }
                RelatedRole::Other => {}
            }
        }
        detail
    }

    /// A place as Terraform writes it into texts: `main.tf:3,1-13`.
    fn at(&self, span: &Span) -> Option<String> {
        let about = Diagnostic::error("", "", "", span.clone());
        let place = self.place(&about)?;
        let side = |offset| {
            let position = place.position(offset);
            (position["line"].clone(), position["column"].clone())
        };
        let (line, column) = side(place.range.start());
        let (end_line, end) = side(place.range.end());
        let file = &place.file;
        Some(match line == end_line {
            true => format!("{file}:{line},{column}-{end}"),
            false => format!("{file}:{line},{column}-{end_line},{end}"),
        })
    }

    /// The header of the outermost block that a place is in.
    fn context(&self, span: &Span) -> Option<String> {
        let block = self.block(span)?;
        if block.header_range.start() >= span.range.start() && !span.range.is_empty() {
            return None;
        }
        let labels = block
            .labels
            .iter()
            .map(|label| format!(" {:?}", label.text));
        Some(block.kind.name.to_string() + &labels.collect::<String>())
    }

    fn block(&self, span: &Span) -> Option<&Block> {
        block(self.root.tree()?, span)
    }

    /// The function that was being called.
    fn called(&self, diagnostic: &Diagnostic) -> Option<Called> {
        calls::called(self.root.tree()?, diagnostic)
    }

    /// The values of the references at a diagnostic's place, where that was evaluated.
    fn values(&self, diagnostic: &Diagnostic) -> BTreeMap<String, String> {
        let rule = diagnostic
            .related
            .iter()
            .find(|it| it.role == RelatedRole::Rule);
        let condition = rule.and_then(|rule| self.condition(&rule.span));
        let evaluated = condition.or(diagnostic.subject.clone());
        match (self.root.tree(), &evaluated) {
            (Some(tree), Some(span))
                // A validation takes all values of variables for unknown once their rules were checked.
                if !NOT_EVALUATED.contains(&diagnostic.code)
                    && (rule.is_none() || self.plan.mode != PlanMode::Validate)
                    && !self.loading.contains(diagnostic) =>
            {
                let is_of_unknown = diagnostic.fault == Fault::UnknownUntilApply;
                values::values(self.plan, tree, span, is_of_unknown)
            }
            _ => BTreeMap::new(),
        }
    }

    /// The condition of a variable's validation rule.
    fn condition(&self, rule: &Span) -> Option<Span> {
        let modules = self.root.tree()?.iter().map(|(_, called)| &called.module);
        let variables = modules.flat_map(|module| module.variables.values());
        let mut rules = variables.flat_map(|variable| &variable.validations);
        let rule = rules.find(|it| it.span == *rule)?;
        Some(rule.condition.as_ref()?.span())
    }

    pub(crate) fn one_json(&self, diagnostic: &Diagnostic) -> Json {
        let mut json = json!({
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning | Severity::Info | Severity::Hint => "warning",
            },
            "summary": diagnostic.summary,
            "detail": self.detail(diagnostic),
        });
        if let Some(address) = &diagnostic.address {
            json["address"] = json!(address);
        }
        if let Some(place) = self.place(diagnostic) {
            let (start, end) = (
                place.position(place.range.start()),
                place.position(place.range.end()),
            );
            json["range"] = json!({ "filename": place.file, "start": start, "end": end });
            let (line, code) = place.lines();
            if code.len() > CODE_LIMIT {
                return json;
            }
            let offset = usize::from(place.range.start()) - place.line_start(place.range.start());
            json["snippet"] = json!({
                "context": place.context,
                "code": code,
                "start_line": line,
                "highlight_start_offset": offset,
                "highlight_end_offset": (offset + usize::from(place.range.len())).min(code.len()),
                "values": self.values(diagnostic).iter().map(|(name, what)| json!({
                    "traversal": name,
                    "statement": what,
                })).collect::<Json>(),
            });
            if let Some(called) = self.called(diagnostic) {
                json["snippet"]["function_call"] = called.to_json();
            }
        }
        json
    }

    /// The summary and the place, without values and without the words of other programs.
    pub(crate) fn in_short(&self, diagnostic: &Diagnostic) -> String {
        match self.place(diagnostic) {
            Some(place) => format!(
                "{} ({} line {})",
                diagnostic.summary,
                place.file,
                place.lines().0
            ),
            None => diagnostic.summary.clone(),
        }
    }

    pub(crate) fn one_text(&self, diagnostic: &Diagnostic) -> String {
        let kind = match diagnostic.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Info | Severity::Hint => "Note",
        };
        let mut text = format!("\n{kind}: {}\n", diagnostic.summary);
        if let Some(address) = &diagnostic.address {
            text += &format!("\n  with {address},\n");
        }
        if let Some(place) = self.place(diagnostic) {
            let (line, code) = place.lines();
            let context = place.context.iter().map(|it| format!(", in {it}"));
            let context: String = context.collect();
            let gap = match diagnostic.address {
                Some(_) => "",
                None => "\n",
            };
            text += &format!("{gap}  on {} line {line}{context}:\n", place.file);
            text += &numbered(line, code);
            let called = self.called(diagnostic);
            let called = called.map(|it| format!("while calling {}", it.title()));
            let values = self.values(diagnostic).into_iter();
            let values = values.map(|(name, what)| format!("{name} {what}"));
            let reported: Vec<String> = called.into_iter().chain(values).collect();
            if !reported.is_empty() {
                text += &format!("    ├{}\n", "─".repeat(16));
            }
            for line in reported {
                text += &format!("    │ {line}\n");
            }
        }
        let detail = self.detail(diagnostic);
        if !detail.is_empty() {
            text += &format!("\n{}\n", wrapped(&detail));
        }
        text.trim_end().to_owned()
    }
}

/// The outermost block at a place.
fn block<'t>(tree: &'t ModuleTree, span: &Span) -> Option<&'t Block> {
    let segment = tree.file(&span.file)?.segment(span.segment)?;
    let blocks = segment.parsed.items.iter().filter_map(|item| match item {
        Item::Block(block) => Some(&**block),
        Item::Attribute(_) | Item::Member(_) => None,
    });
    let at = span.range.start();
    let is_around = |it: &&Block| it.range.start() <= at && at <= it.range.end();
    // A broken file is a single segment.
    blocks
        .clone()
        .find(is_around)
        .or_else(|| blocks.clone().next())
}

/// The text in lines of at most 77 characters, as Terraform prints it where it knows no width.
/// Lines that begin with a space are laid out already, and stay.
pub(crate) fn wrapped(text: &str) -> String {
    const WIDTH: usize = 77;
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let words = match paragraph.starts_with(' ') {
            true => vec![paragraph],
            false => paragraph.split(' ').collect(),
        };
        let mut line = String::new();
        for (at, word) in words.into_iter().enumerate() {
            if at > 0 && line.chars().count() + 1 + word.chars().count() > WIDTH {
                lines.push(std::mem::take(&mut line));
            } else if at > 0 {
                line.push(' ');
            }
            line += word;
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// Of the values for variables that are not declared Terraform names two.
fn sum_up_undeclared(all: &mut Vec<Diagnostic>) {
    const NAMED: usize = 2;
    let mut count = 0;
    all.retain(|it| {
        let is_undeclared = it.code == UNDECLARED && it.severity == Severity::Warning;
        count += usize::from(is_undeclared);
        !is_undeclared || count <= NAMED
    });
    if count > NAMED {
        let others = count - NAMED;
        let detail = format!(
            "In addition to the other similar warnings shown, {others} other variable(s) defined without being declared."
        );
        let summary = "Values for undeclared variables";
        all.push(Diagnostic::warning(UNDECLARED, summary, detail, None));
    }
}

/// The objects without a true plan, once for each reason. It is an error unless it only concerns data sources.
pub(crate) fn unplanned(plan: &Plan) -> Vec<(&Caveat, Diagnostic)> {
    let mut by_reason: BTreeMap<&Caveat, Vec<&AbsResourceAddr>> = BTreeMap::new();
    // An error of the resource itself says why.
    let is_reported = |addr: &AbsResourceAddr| {
        let resource = plan.resources.get(addr);
        let mut diagnostics = resource.into_iter().flat_map(|it| &it.diagnostics);
        diagnostics.any(|it| it.severity == Severity::Error)
    };
    for (addr, reason) in plan.caveats().filter(|(addr, _)| !is_reported(addr)) {
        by_reason.entry(reason).or_default().push(addr);
    }
    let diagnostic = |reason: &Caveat, addrs: Vec<&AbsResourceAddr>| {
        let config = addrs
            .iter()
            .find_map(|addr| plan.resources.get(addr)?.config.as_ref());
        let names: Vec<String> = addrs.iter().map(ToString::to_string).collect();
        let is_error = addrs
            .iter()
            .any(|addr| addr.resource.mode == ResourceMode::Managed);
        let severity = match is_error {
            true => Severity::Error,
            false => Severity::Warning,
        };
        Diagnostic {
            severity,
            ..Diagnostic::error(
                "not-planned",
                "Plan is incomplete",
                format!("{}: {reason}.", names.join(", ")),
                config.map(|config| config.decl.span.clone()),
            )
        }
    };
    let by_reason = by_reason.into_iter();
    by_reason
        .map(|(reason, addrs)| (reason, diagnostic(reason, addrs)))
        .collect()
}

impl DiagnosticPlace {
    /// Lines and columns count from 1, columns in characters.
    fn position(&self, offset: text::TextSize) -> Json {
        let start = self.line_start(offset);
        let before = &self.text[..start];
        let column = self
            .text
            .get(start..usize::from(offset))
            .map_or(0, |t| t.chars().count());
        json!({
            "line": line_breaks(before) + 1,
            "column": column + 1,
            "byte": usize::from(offset),
        })
    }

    fn line_start(&self, offset: text::TextSize) -> usize {
        let before = self.text.get(..usize::from(offset)).unwrap_or(&self.text);
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The number of the first line, and all lines of the range.
    fn lines(&self) -> (usize, &str) {
        let start = self.line_start(self.range.start());
        let end = usize::from(self.range.end());
        let rest = self.text.get(end..).unwrap_or_default();
        let end = end + rest.find('\n').unwrap_or(rest.len());
        let line = line_breaks(&self.text[..start]) + 1;
        (
            line,
            self.text
                .get(start..end)
                .unwrap_or_default()
                .trim_end_matches('\r'),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn details_are_wrapped_where_terraform_does() {
        let detail = "Resource lab6_server.precious has lifecycle.prevent_destroy set, but the plan \
                      calls for this resource to be destroyed. To avoid this error and continue \
                      with the plan, either disable it.\n  - as it is\n\nThe end.";
        let expected = "Resource lab6_server.precious has lifecycle.prevent_destroy set, but the plan\n\
                        calls for this resource to be destroyed. To avoid this error and continue\n\
                        with the plan, either disable it.\n  - as it is\n\nThe end.";
        assert_eq!(wrapped(detail), expected);
    }
}
