//! The runs of a test file, as far as a plan of the module shows their results.
//!
//! Follows "Tests" in Terraform's documentation: a file begins without a state, its runs are made in their order, and
//! the changes of one are there for the next.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use config::{
    CheckRule, Expr, Files, Module, ModuleAddr, Origin, Reference, Referenceable, ResourceAddr,
    ResourceMode,
};
use cty::Value;
use eval::{EvalContext, RuleResult, RuleStatus, Variables};
use smol_str::SmolStr;
use syntax::ast;
use text::{Diagnostic, FileId, SegmentId, Severity, Span};

use crate::files::OpenFiles;
use crate::input_values::{VarOption, automatic_files};
use crate::root::Tested;
use crate::{PlanningRequest, Root};

/// The result of a `run` block.
#[derive(Debug, Clone, PartialEq)]
pub struct TestRun {
    /// The block's type and label.
    pub header: Span,
    pub outcome: RunOutcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// Why it is unknown before the test is run, for a person to read.
    Untold(String),
    /// It doesn't get to its assertions: an error of the values that it gives, or a broken condition.
    Fails(Diagnostic),
    Assertions(Vec<Assertion>),
}

/// The result of an `assert` block.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    pub condition: Span,
    pub status: RuleStatus,
    /// The errors of the block itself.
    pub diagnostics: Vec<Diagnostic>,
}

/// Plans the runs of one test file. Use one for each file, so that a plan is updated instead of rebuilt.
#[derive(Default)]
pub struct TestPlanner(Option<(Root, Tested)>);

/// A block at the top of a test file.
struct TopBlock<'a> {
    block: &'a Arc<ast::Block>,
    origin: Origin,
}

impl TestPlanner {
    /// The results of the runs of `test`, a test of the module `root`. That has to be loaded.
    pub async fn runs(
        &mut self,
        root: &Root,
        files: &OpenFiles,
        test: &FileId,
        syntax: &syntax::File,
    ) -> Vec<TestRun> {
        let blocks: Vec<TopBlock<'_>> = syntax
            .body()
            .blocks()
            .map(|(segment, block)| TopBlock::new(test, segment, block))
            .collect();
        let with = match blocks.iter().any(TopBlock::brings_providers) {
            true => Tested::WithoutPlugins,
            false => Tested::WithPlugins,
        };
        // The plan may be dropped while it waits: then it is repaired at the next one all the same.
        let (tested, was_with) = self.0.get_or_insert_with(|| (root.for_tests(with), with));
        if *was_with != with {
            (*tested, *was_with) = (root.for_tests(with), with);
        }
        let mut applied: BTreeMap<String, SmolStr> = BTreeMap::new();
        let mut runs = Vec::new();
        for run in blocks.iter().filter(|it| it.block.kind.name == "run") {
            // Its text isn't whole.
            if syntax.is_broken(run.origin.segment) {
                continue;
            }
            let mut why_hidden = run.why_hidden(&blocks);
            let state = run.state();
            if let Some(before) = applied.get(&state) {
                let why = format!("run {before:?} applies before it, and its result is not known");
                why_hidden = why_hidden.or(Some(why));
            }
            if !run.only_plans() {
                applied.entry(state).or_insert(run.name());
            }
            let outcome = match why_hidden {
                Some(why) => RunOutcome::Untold(why),
                None => run.outcome(tested, root, files, test, &blocks).await,
            };
            runs.push(TestRun {
                header: run.origin.span(run.block.header_range),
                outcome,
            });
        }
        runs
    }
}

impl<'a> TopBlock<'a> {
    fn new(file: &FileId, segment: SegmentId, block: &'a Arc<ast::Block>) -> TopBlock<'a> {
        let file = file.clone();
        let origin = Origin { file, segment };
        TopBlock { block, origin }
    }

    fn kind(&self) -> &str {
        &self.block.kind.name
    }

    fn name(&self) -> SmolStr {
        let label = self.block.labels.first();
        label.map_or_else(SmolStr::default, |label| label.text.clone())
    }

    fn keyword(&self, name: &str) -> Option<SmolStr> {
        self.block.body.attribute(name)?.expr.as_keyword()
    }

    fn only_plans(&self) -> bool {
        self.keyword("command").is_some_and(|it| it == "plan")
    }

    fn brings_providers(&self) -> bool {
        matches!(self.kind(), "provider" | "mock_provider")
            || self.kind() == "run" && self.block.body.attribute("providers").is_some()
    }

    /// Runs with one state see the changes of the others.
    fn state(&self) -> String {
        let literal = |body: &ast::Body, name: &str| {
            let attribute = body.attribute(name)?;
            Some(attribute.expr.as_literal_string()?.to_string())
        };
        let body = &self.block.body;
        let other = body.blocks_of("module").into_iter().next();
        literal(body, "state_key")
            .or_else(|| literal(&other?.body, "source"))
            .unwrap_or_default()
    }

    /// Why a plan of the module does not show the result of the run.
    fn why_hidden(&self, blocks: &[TopBlock<'_>]) -> Option<String> {
        let body = &self.block.body;
        let is_override = |kind: &str| kind.starts_with("override_");
        if !body.blocks_of("module").is_empty() {
            return Some("it runs another module".to_owned());
        }
        if blocks.iter().any(|it| is_override(it.kind()))
            || body.blocks.iter().any(|it| is_override(&it.kind.name))
        {
            return Some("it is run with overrides".to_owned());
        }
        let options = body.blocks_of("plan_options");
        let narrows = |name| options.iter().any(|it| it.body.attribute(name).is_some());
        (narrows("mode") || narrows("target"))
            .then(|| "it is run with options of its own".to_owned())
    }

    async fn outcome(
        &self,
        tested: &mut Root,
        root: &Root,
        files: &OpenFiles,
        test: &FileId,
        blocks: &[TopBlock<'_>],
    ) -> RunOutcome {
        let module = tested
            .module()
            .or(root.module())
            .cloned()
            .unwrap_or_default();
        let values = self.values(root, &module, blocks);
        tested.follow(root, options(root, files, test, values));
        tested.set_function_files(Arc::new(files.clone()));
        tested.load(files, &PlanningRequest::default());
        let plan = tested.plan(&mut |_| {}).await;
        let expects_failures = self.block.body.attribute("expect_failures").is_some();
        let mut errors = plan.all_diagnostics();
        if let Some(error) = errors.find(|it| it.severity == Severity::Error) {
            let is_of_run = matches!(error.code, "invalid-variable-value" | "condition-failed");
            return match is_of_run {
                true if expects_failures => RunOutcome::Assertions(Vec::new()),
                true => RunOutcome::Fails(error.clone()),
                false => RunOutcome::Untold(format!("the plan has errors: {}", error.summary)),
            };
        }
        let asserts = self.block.body.blocks_of("assert").into_iter();
        RunOutcome::Assertions(
            asserts
                .filter_map(|block| self.assertion(tested, &block))
                .collect(),
        )
    }

    fn assertion(&self, tested: &Root, block: &ast::Block) -> Option<Assertion> {
        let expr = |name| {
            let attribute = block.body.attribute(name)?;
            Some(Expr::new(&self.origin, attribute.expr.clone()))
        };
        let rule = CheckRule {
            condition: expr("condition"),
            error_message: expr("error_message"),
            span: self.origin.span(block.header_range),
        };
        let condition = rule.condition.as_ref()?.span();
        let module = tested.module()?;
        let references = references(&rule, module);
        let root = ModuleAddr::root();
        let misread = |it| config::check_reference(module, &root, it);
        let wrong: Vec<Diagnostic> = references.iter().filter_map(misread).collect();
        let result = match wrong.is_empty() {
            true => tested.engine().assert(&rule, &references)?,
            false => RuleResult {
                status: RuleStatus::Error,
                diagnostics: wrong,
            },
        };
        Some(Assertion {
            condition,
            status: result.status,
            diagnostics: result.diagnostics,
        })
    }

    /// The values that the run gives to variables: its own before those of the file.
    fn values(&self, root: &Root, module: &Module, blocks: &[TopBlock<'_>]) -> Variables {
        let of_file = blocks.iter().filter(|it| it.kind() == "variables");
        let of_file = of_file.map(|it| (&it.origin, it.block.clone()));
        let own = self.block.body.blocks_of("variables").into_iter();
        let own = own.map(|block| (&self.origin, block));
        let mut given = Variables::new();
        for (origin, block) in of_file.chain(own) {
            let names = module.variables.keys();
            let mut variables: Variables = names.map(|it| (it.clone(), Value::dynamic())).collect();
            variables.extend(given.clone());
            let names = Variables::from([
                ("var".into(), Value::object(variables)),
                // The outputs of earlier runs.
                ("run".into(), Value::dynamic()),
            ]);
            let context = EvalContext::new(names, root.functions());
            for attribute in &block.body.attributes {
                let expr = Expr::new(origin, attribute.expr.clone());
                let (value, problems) = eval::evaluate_expr(&expr, &context);
                let is_wrong = problems.iter().any(|it| it.severity == Severity::Error);
                let value = if is_wrong { Value::dynamic() } else { value };
                given.insert(attribute.name.name.clone(), value);
            }
        }
        given
    }
}

/// Everything that gives values to variables, in the order of precedence.
fn options(root: &Root, files: &dyn Files, test: &FileId, values: Variables) -> Vec<VarOption> {
    let mut options = root.options().to_vec();
    let folder = Path::new(test.path()).parent();
    let beside = folder.filter(|folder| *folder != root.dir());
    if let Some(folder) = beside.and_then(Path::to_str) {
        let found = automatic_files(files, folder).into_iter();
        options.extend(found.map(VarOption::File));
    }
    options.extend(values.into_iter().map(|(name, value)| VarOption::Value {
        name: name.into(),
        value,
    }));
    options
}

/// The references of an assertion into the module. `run` and `output` are names that tests alone have.
fn references(rule: &CheckRule, module: &Module) -> Vec<Reference> {
    let is_of_test = |subject: &Referenceable| match subject.resource() {
        Some(addr) if is_named(addr, "run") => true,
        Some(addr) if is_named(addr, "output") => module.outputs.contains_key(&addr.name),
        _ => false,
    };
    let exprs = rule.exprs();
    exprs
        .flat_map(Expr::references)
        .filter(|it| !is_of_test(&it.subject))
        .collect()
}

fn is_named(addr: &ResourceAddr, root: &str) -> bool {
    addr.mode == ResourceMode::Managed && addr.r#type == root
}
