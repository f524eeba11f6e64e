//! What `planlens doctor` says of a Pulumi project.

use std::collections::BTreeSet;

use process::Variables;
use pulumi::ask::Package;
use pulumi::engine::{Inputs, plan};
use pulumi::plan::Plan;
use pulumi::preview::caveats;
use pulumi_provider::Environment;

use super::Section;
use crate::args::Args;
use crate::program::{Prepared, prepared, project, refuse};

const INSTALL: &str = "run `pulumi install` in this folder";

/// Options of `terraform plan`, which mean nothing here.
const OTHERS: [&str; 8] = [
    "refresh",
    "refresh-only",
    "destroy",
    "var",
    "var-file",
    "evaluation-limit",
    "language",
    "replace",
];

/// Everything about the project, with a plan of it.
pub(super) fn all(args: &Args) -> anyhow::Result<Vec<Section>> {
    refuse(args, "doctor", &OTHERS)?;
    let mut planlens = Section::new("planlens");
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let version = env!("CARGO_PKG_VERSION");
    planlens.fine(format!("version {version} on {os} {arch}"));
    let found = project(args)?;
    let mut project = Section::new("project");
    project.fine(format!("{} in {}", found.name, found.path.display()));
    let mut sections = vec![planlens];
    let variables = variables(&Variables::of_this_process());
    match prepared(args) {
        Ok(prepared) => {
            let runtime = crate::root::runtime()?;
            let plan = runtime.block_on(plan(&prepared.inputs, &prepared.installed));
            program(&mut project, &prepared);
            let plugins = plugins(&prepared.inputs, &prepared.environment);
            sections.extend([project, state(&prepared), plugins, variables]);
            sections.push(planned(&plan));
        }
        Err(error) => {
            project.problem(error.to_string(), "planlens can't plan until this is fixed");
            sections.extend([project, variables]);
        }
    }
    Ok(sections)
}

fn program(section: &mut Section, prepared: &Prepared) {
    let Prepared {
        project, inputs, ..
    } = prepared;
    let path = project.program_path();
    let count = inputs.program.resources.len();
    section.fine(format!(
        "the program in {} has {count} resources",
        path.display()
    ));
    let stack = &inputs.stack.stack;
    section.fine(match project.config_path(stack) {
        Some(path) => format!("the stack {stack} is configured in {}", path.display()),
        None => format!("the stack {stack} has no configuration"),
    });
    if inputs.config.has_environment {
        let why =
            "values of environments (`environment:`) are not read: what depends on them is unknown";
        section.note(why, "`pulumi preview` reads them");
    }
}

fn state(prepared: &Prepared) -> Section {
    let mut section = Section::new("state");
    let inputs = &prepared.inputs;
    let resources = inputs.state.resources.len();
    section.fine(format!("the stack has {resources} resources"));
    let sealed = inputs
        .state
        .sealed
        .as_ref()
        .or(inputs.config.sealed.as_ref());
    if let Some(reason) = sealed {
        section.problem(
            format!("secrets are not decrypted: {reason}"),
            "values that depend on them are unknown",
        );
    }
    section
}

/// Where the plugin of each package is that the program uses.
fn plugins(inputs: &Inputs, environment: &Environment) -> Section {
    let mut section = Section::new("plugins");
    let used = inputs.program.resources.iter().map(|it| {
        let version = it.decl.options.version.as_ref();
        inputs.locks.package(it.decl.package(), version)
    });
    let used: BTreeSet<Package> = used.filter(|it| it.name != "pulumi").collect();
    for package in &used {
        let name = match &package.version {
            Some(version) => format!("{} {version}", package.name),
            None => package.name.clone(),
        };
        match environment.place(package) {
            Ok(place) => section.fine(format!("{name}: {place}")),
            Err(missing) => section.problem(format!("{name}: {missing}"), INSTALL),
        }
    }
    if used.is_empty() {
        section.fine("the program needs no plugins");
    }
    section
}

/// What is set that planlens reads. Values may be secret.
fn variables(variables: &Variables) -> Section {
    const READ: [&str; 7] = [
        "PULUMI_HOME",
        "PULUMI_BACKEND_URL",
        "PULUMI_STACK",
        "PULUMI_DEBUG_PROVIDERS",
        "PULUMI_IGNORE_AMBIENT_PLUGINS",
        "PULUMI_CONFIG_PASSPHRASE",
        "PULUMI_CONFIG_PASSPHRASE_FILE",
    ];
    let mut section = Section::new("environment");
    let set: Vec<&str> = READ
        .into_iter()
        .filter(|it| variables.get(it).is_some())
        .collect();
    section.fine(match set.is_empty() {
        true => "no Pulumi variable is set".to_owned(),
        false => format!("set: {}", set.join(", ")),
    });
    section
}

fn planned(plan: &Plan) -> Section {
    let mut section = Section::new("plan");
    let counts = plan.counts();
    let counts: Vec<String> = counts
        .iter()
        .map(|(op, count)| format!("{count} {}", op.name()))
        .collect();
    section.fine(format!("resources: {}", counts.join(", ")));
    for it in plan.problems.iter().filter(|it| it.problem.is_error()) {
        let hint = "`planlens preview` shows where, with the same options and folder";
        section.problem(it.problem.summary.to_string(), hint);
    }
    for caveat in caveats(plan) {
        section.problem(
            format!("the plan is incomplete: {caveat}"),
            "what depends on it is unknown",
        );
    }
    section
}
