//! The command line: one file per command.

mod args;
mod diagnostics;
mod doctor;
mod fmt;
mod folder;
mod generated;
mod lsp;
mod output;
mod plan;
mod program;
mod root;
mod stats;
mod trust;
mod validate;

use std::io::IsTerminal;
use std::process::ExitCode;

use args::Args;
use output::{fail, say};

pub use folder::{PlannedFolder, plan_folder};

/// What a command ends with: the exit code of the process, or an error for the person at the keyboard.
type Outcome = anyhow::Result<ExitCode>;

const HELP: &str = "\
planlens plans Terraform configuration while you type.

Usage: planlens [-chdir=DIR] COMMAND [OPTIONS] [DIR]

Commands:
  lsp      speak the language server protocol on stdin and stdout (the default, unless stdin is a terminal)
  plan     show what `terraform plan` would do, without changing anything; in the folder of a Pulumi program in YAML what
           `pulumi preview` would, which `preview` says too
  validate say what is wrong, as `terraform validate` does
  fmt      bring configuration into the layout of `terraform fmt`
  doctor   show what planning depends on, and what hinders it
  trust    show which provider plugins and folders you approved, or take that back
  stats    show what a plan costs, stage by stage, and what an edit costs

Options:
  -chdir=DIR   switch to another folder first
  --help       show this, or the help of a command: planlens COMMAND --help
  --version    show the version

Options are taken with one dash or two.
";

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == process::WATCH_ARGUMENT)
    {
        process::watch();
        return ExitCode::SUCCESS;
    }
    process::watch_with_this_program();
    let outcome = arguments().and_then(|args| run(Args::new(args)));
    process::end_all();
    process::stay_if_interrupted();
    match outcome {
        Ok(code) => code,
        Err(error) => {
            fail(&format!("planlens: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// An argument that isn't text may be secret all the same.
fn arguments() -> anyhow::Result<Vec<String>> {
    let numbered = std::env::args_os().enumerate().skip(1);
    let texts = numbered.map(|(number, argument)| {
        let text = argument.into_string();
        text.map_err(|_| anyhow::anyhow!("argument {number} is not UTF-8 encoded"))
    });
    texts.collect()
}

/// Runs a command where limits of the system leave it enough: without that, a thread would be missing at any moment.
fn with_room(is_server: bool, run: impl FnOnce() -> Outcome) -> Outcome {
    const MIB: u64 = 1 << 20;
    let processors = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    // Measured, with room. Each processor has a thread, whose stack is large in the server.
    let (base, each, open_files) = match is_server {
        true => (1024, 32, 64),
        false => (128, 4, 32),
    };
    let needs = process::Needs {
        address_space: (base + each * processors) * MIB,
        open_files,
    };
    needs.check().map_err(anyhow::Error::msg)?;
    run()
}

fn run(mut args: Args) -> Outcome {
    if let Some(dir) = args.chdir()? {
        std::env::set_current_dir(&dir)
            .map_err(|error| anyhow::anyhow!("can't switch to {dir}: {error}"))?;
    }
    match args.command().as_deref() {
        None if args.has_flag("version") => {
            say(&format!("planlens {}\n", env!("CARGO_PKG_VERSION")));
            Ok(ExitCode::SUCCESS)
        }
        None if args.has_flag("help") || args.has_flag("h") => {
            say(HELP);
            Ok(ExitCode::SUCCESS)
        }
        None if std::io::stdin().is_terminal() && args.is_empty() => {
            fail(HELP.trim_end());
            Ok(ExitCode::FAILURE)
        }
        None | Some("lsp") => with_room(true, || lsp::run(args)),
        Some("preview") => with_room(false, || program::run(args)),
        Some("plan") if program::is_meant(&args) => with_room(false, || program::run(args)),
        Some("plan") => with_room(false, || plan::run(args)),
        Some("validate") if program::is_meant(&args) => program::validate(args),
        Some(command @ ("doctor" | "stats")) if program::is_meant(&args) => {
            anyhow::bail!("{command} does not look at Pulumi projects")
        }
        Some("validate") => with_room(false, || validate::run(args)),
        Some("fmt") => fmt::run(args),
        Some("doctor") => with_room(false, || doctor::run(args)),
        Some("trust") => trust::run(args),
        Some("stats") => with_room(false, || stats::run(args)),
        Some("version") => {
            say(&format!("planlens {}\n", env!("CARGO_PKG_VERSION")));
            Ok(ExitCode::SUCCESS)
        }
        Some("help") => {
            say(HELP);
            Ok(ExitCode::SUCCESS)
        }
        Some(unknown) => anyhow::bail!("there is no command {unknown:?}: see planlens --help"),
    }
}
