//! `planlens check`: the diagnostics of an editor, and the effect of a change on the plans, for many root modules at once.

mod base;
mod git;
mod github;
mod junit;
mod markdown;
mod policy;
mod report;
mod roots;
mod run;
mod sarif;
mod shard;
mod text;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};

use crate::Outcome;
use crate::args::Args;
use crate::commands::TARGETS;
use crate::output::{fail, say, show};
use policy::Denied;
use report::Report;

/// The exit codes where there are errors, and where the policy denies a change.
const ERRORS: u8 = 1;
const DENIED: u8 = 3;

pub(crate) fn run(args: &Args) -> Outcome {
    let named: Vec<&str> = args
        .values(&[TARGETS])
        .into_iter()
        .map(|(_, it)| it)
        .collect();
    let denied = Denied::read(args.value("deny").unwrap_or_default())?;
    let mut report = match args.flag("merge") {
        true => merged(&named)?,
        false => checked(args, &named)?,
    };
    report.deny(&denied);
    let format = args.value("format").unwrap_or("text");
    match format {
        "json" => say(&(report.to_json()? + "\n")),
        "sarif" => say(&(sarif::of(&report)? + "\n")),
        "junit" => say(&junit::of(&report)),
        "github" => show(&github::of(&report)),
        "markdown" => say(&markdown::of(&report)),
        _ => show(&text::of(&report)),
    }
    let is_denied = !report.denied().is_empty();
    if format != "text" && (is_denied || report.errors() > 0) {
        fail(&text::conclusion(&report));
    }
    Ok(match (report.errors(), is_denied) {
        (1.., _) => ExitCode::from(ERRORS),
        (0, true) => ExitCode::from(DENIED),
        (0, false) => ExitCode::SUCCESS,
    })
}

fn checked(args: &Args, named: &[&str]) -> anyhow::Result<Report> {
    let cwd = std::env::current_dir().context("finding the current folder")?;
    let cwd = cwd.canonicalize().context("finding the current folder")?;
    let mut places: Vec<PathBuf> = Vec::new();
    for name in named {
        let place = match Path::new(name).canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => bail!("there is no folder {name}"),
            place => place.with_context(|| format!("can't find {name}"))?,
        };
        places.push(place);
    }
    if places.is_empty() {
        places.push(cwd.clone());
    }
    let mut roots = roots::find(&places)?;
    ensure!(
        !roots.is_empty(),
        "found no root module of Terraform or OpenTofu; Pulumi programs are planned by `planlens preview`"
    );
    if let Some(shard) = args.value("shard") {
        let costs = args.value("costs").map(Report::read).transpose()?;
        roots = shard::part(roots, shard, costs.as_ref(), &cwd)?;
    }
    let base = args
        .value("diff")
        .map(|base| base::DiffBase::of(base, &cwd))
        .transpose()?;
    let settings = crate::root::settings(args)?;
    crate::root::runtime()?.block_on(run::all(roots, base, &cwd, settings))
}

fn merged(named: &[&str]) -> anyhow::Result<Report> {
    if named.is_empty() {
        bail!("-merge takes reports written by -format=json");
    }
    let reports = named.iter().map(|path| Report::read(path));
    Report::merge(reports.collect::<anyhow::Result<_>>()?)
}
