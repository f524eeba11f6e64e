//! `planlens plan` in the folder of a Pulumi project: the preview of `pulumi preview`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use process::Variables;
use pulumi::ask::ReadPermission;
use pulumi::budget::Budget;
use pulumi::engine::{Inputs, PlanOptions, plan, plan_refreshed};
use pulumi::plan::{Plan, PlanProblem};
use pulumi::preview::{caveats, digest};
use pulumi::project::Project;
use pulumi::render;
use pulumi_provider::{Environment, Installed};
use text::{LineIndex, PositionEncoding, Span};

use crate::Outcome;
use crate::args::Args;
use crate::output::{fail, say, show};
use crate::root;

/// Whether the words after a command name a Pulumi project.
pub(crate) fn is_meant(words: &[String]) -> bool {
    let mut paths = words.iter().filter(|it| !it.starts_with('-'));
    let dir = paths.find(|it| Path::new(it).is_dir());
    Project::open(dir.map_or(Path::new("."), Path::new)).is_some()
}

pub(crate) fn run(args: &Args) -> Outcome {
    let is_json = args.flag("json");
    let is_detailed = args.flag("detailed-exitcode");
    let Prepared {
        project,
        mut inputs,
        installed,
        ..
    } = prepared(args)?;
    let world = ReadPermission::of_a_command();
    inputs.options.world = Some(world);
    let runtime = crate::root::one_thread()?;
    let plan = match project.refreshes_always {
        true => runtime.block_on(plan_refreshed(&inputs, &installed, world)),
        false => runtime.block_on(plan(&inputs, &installed)),
    };
    if is_json {
        let document =
            serde_json::to_string_pretty(&digest(&plan)).context("writing the plan as JSON")?;
        say(&document);
        say("\n");
    } else {
        show(&render::text(&plan));
    }
    report(&plan);
    let is_failed = plan.has_errors() || plan.lacks_provider();
    let is_refused = is_failed || is_detailed && !plan.is_complete();
    Ok(match (is_refused, is_detailed && plan.has_changes()) {
        (true, _) => ExitCode::FAILURE,
        (false, true) => ExitCode::from(2),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// What a plan is made from.
pub(crate) struct Prepared {
    pub project: Project,
    pub inputs: Inputs,
    pub environment: Environment,
    pub installed: Installed,
}

pub(crate) fn prepared(args: &Args) -> anyhow::Result<Prepared> {
    let urns = |name: &'static str| {
        let values = args.values(&[name]).into_iter();
        values.map(|(_, urn)| urn.to_owned()).collect()
    };
    let options = PlanOptions {
        targets: urns("target"),
        replace: urns("replace"),
        stops_at_faults: true,
        world: None,
        release: None,
        reads_everywhere: true,
        budget: Budget::default().times(root::evaluation_limit(args)?),
    };
    let state = args.value("state").map(PathBuf::from);
    let project = project(args)?;
    let dir = &project.dir;
    let variables = Variables::of_this_process();
    let text = |name: &str| variables.text(name).map(str::to_owned);
    let export = |stack: &str| pulumi_provider::command::export(dir, stack, &variables);
    let stack = args.value("stack");
    let mut inputs = project.inputs(stack, state.as_deref(), options, &text, &export)?;
    if inputs.program.depends_on_release() {
        inputs.options.release = pulumi_provider::command::version(dir, &variables);
    }
    let environment = Environment {
        dir: project.program_dir(),
        named: project.plugins.clone(),
        variables,
    };
    Ok(Prepared {
        inputs,
        installed: Installed::new(environment.clone()),
        environment,
        project,
    })
}

/// The project of the folder that a command names.
pub(crate) fn project(args: &Args) -> anyhow::Result<Project> {
    let dir = std::path::absolute(args.dir().unwrap_or("."))?;
    let project = Project::open(&dir);
    let missing = || {
        format!(
            "no Pulumi.yaml in {}: run the command in the folder of a Pulumi project, or name that folder",
            dir.display()
        )
    };
    Ok(project.with_context(missing)??)
}

/// Refuses options that mean nothing for programs.
pub(crate) fn refuse(args: &Args, command: &str, names: &[&'static str]) -> anyhow::Result<()> {
    match args.values(names).first() {
        Some((option, _)) => bail!(
            "{command} has no option -{option} for Pulumi programs: see planlens preview --help"
        ),
        None => Ok(()),
    }
}

/// The errors that the text of the program shows. No plugin is asked, so no types are known.
pub(crate) fn validate(args: &Args) -> Outcome {
    refuse(args, "validate", &["json", "language"])?;
    let project = project(args)?;
    project.plannable()?;
    let mut plan = Plan::default();
    let program = project.program()?;
    let configured = project.configured_names();
    let order = program.order(&project.name, configured.iter().map(String::as_str));
    for problem in program.problems.into_iter().chain(order.problems) {
        plan.problems.push(PlanProblem {
            urn: None,
            problem: problem.map(Some),
        });
    }
    report(&plan);
    if plan.has_errors() {
        return Ok(ExitCode::FAILURE);
    }
    say("The program has no syntax errors. `planlens preview` also checks types and values.\n");
    Ok(ExitCode::SUCCESS)
}

/// Shows the errors and the caveats.
fn report(plan: &Plan) {
    let mut files = HashMap::new();
    for it in &plan.problems {
        let severity = match it.problem.is_error() {
            true => "Error",
            false => "Warning",
        };
        let at = it
            .problem
            .at
            .as_ref()
            .and_then(|span| place(span, &mut files));
        let at = at.map(|at| format!("\n\n  on {at}")).unwrap_or_default();
        let detail = match it.problem.detail.as_str() {
            "" => String::new(),
            detail => format!("\n\n{detail}"),
        };
        fail(&format!("{severity}: {}{at}{detail}\n", it.problem.summary));
    }
    for caveat in caveats(plan) {
        fail(&format!("Plan is incomplete: {caveat}"));
    }
}

/// The file and the line of a place.
fn place(span: &Span, files: &mut HashMap<String, (LineIndex, yaml::File)>) -> Option<String> {
    let path = span.file.path();
    if !files.contains_key(path) {
        let text = disk::read_text(Path::new(path), disk::Limit::CONFIGURATION).ok()?;
        let parsed = (LineIndex::new(&text), yaml::File::parse(&text));
        files.insert(path.to_owned(), parsed);
    }
    let (lines, file) = files.get(path)?;
    let segment = file.segment(span.segment)?;
    let start = lines.position(segment.offset + span.range.start(), PositionEncoding::Utf8);
    Some(format!("{} line {}", span.file.name(), start.line + 1))
}
