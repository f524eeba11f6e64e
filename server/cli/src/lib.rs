//! The command line: one file per command.

mod args;
mod check;
mod commands;
mod completions;
mod diagnostics;
mod doctor;
mod fmt;
mod folder;
mod generated;
mod help;
mod lock_file;
mod log;
mod lsp;
mod man;
mod mcp;
mod output;
mod plan;
mod program;
mod root;
mod stats;
mod trust;
mod validate;

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Context;
use args::Args;
use clap::Command;
use output::{fail, say};

pub use folder::{PlannedFolder, plan_folder};

/// The end of a command: the exit code of the process, or an error for the person at the keyboard.
type Outcome = anyhow::Result<ExitCode>;

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
    let outcome = arguments().and_then(run);
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

fn run(mut words: Vec<String>) -> Outcome {
    if let Some(dir) = chdir(&mut words)? {
        std::env::set_current_dir(&dir)
            .map_err(|error| anyhow::anyhow!("can't switch to {dir}: {error}"))?;
    }
    let table = commands::planlens();
    let Some(name) = word(&mut words) else {
        return without_command(&table, words);
    };
    match name.as_str() {
        completions::ASK => return completions::answer(words),
        "version" => return version(),
        "help" => {
            let command = words.first().and_then(|name| table.find_subcommand(name));
            return show_help(command.unwrap_or(&table));
        }
        _ => {}
    }
    let is_program = program::is_meant(&words);
    let table_of = match is_program && name == "plan" {
        true => "preview",
        false => &name,
    };
    let Some(command) = table.find_subcommand(table_of) else {
        return Err(args::no_command(&name));
    };
    match word_of(command, &mut words)? {
        Some(part) => run_command(part, words, is_program),
        None => run_command(&command.clone().display_name(name), words, is_program),
    }
}

/// The default command: the language server for an editor, unless somebody is at the keyboard.
fn without_command(table: &Command, words: Vec<String>) -> Outcome {
    let asks = |name| {
        words
            .iter()
            .filter_map(|it| args::option(it))
            .any(|it| it.0 == name)
    };
    if asks("version") || asks("v") {
        return version();
    }
    if asks("help") || asks("h") {
        return show_help(table);
    }
    if std::io::stdin().is_terminal() && words.is_empty() {
        fail(help::text(table).trim_end());
        return Ok(ExitCode::FAILURE);
    }
    let lsp = table
        .find_subcommand("lsp")
        .context("finding the command lsp")?;
    run_command(lsp, words, false)
}

fn run_command(command: &Command, words: Vec<String>, is_program: bool) -> Outcome {
    let Some(args) = Args::read(command, words)? else {
        return show_help(command);
    };
    match command.get_display_name().unwrap_or(command.get_name()) {
        "lsp" => with_room(true, lsp::run),
        "preview" => with_room(false, || program::run(&args)),
        "plan" if is_program => with_room(false, || program::run(&args)),
        "plan" => with_room(false, || plan::run(&args)),
        "validate" if is_program => program::validate(&args),
        "validate" => with_room(false, || validate::run(&args)),
        "doctor" if is_program => with_room(false, || doctor::of_program(&args)),
        "stats" if is_program => with_room(false, || stats::of_program(&args)),
        "check" => with_room(true, || check::run(&args)),
        "doctor" => with_room(false, || doctor::run(&args)),
        "stats" => with_room(false, || stats::run(&args)),
        "fmt" => fmt::run(&args),
        "trust list" => trust::list(&args),
        "trust revoke" => trust::revoke(&args),
        "completions" => completions::run(&args),
        "man" => man::run(),
        "mcp" => with_room(true, || mcp::run(&args)),
        name => {
            let parts: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            anyhow::bail!(
                "{name} needs {}: see planlens {name} --help",
                parts.join(" or ")
            )
        }
    }
}

/// Takes the folder of `-chdir`, which stands in front of the command.
fn chdir(words: &mut Vec<String>) -> anyhow::Result<Option<String>> {
    let first = words.first().and_then(|it| args::option(it));
    let Some(("chdir", dir)) = first else {
        return Ok(None);
    };
    let dir = dir.context("-chdir needs a folder: -chdir=DIR")?.to_owned();
    words.remove(0);
    Ok(Some(dir))
}

/// Takes the first word, unless that is an option.
fn word(words: &mut Vec<String>) -> Option<String> {
    let first = words.first().filter(|it| !it.starts_with('-'));
    first.is_some().then(|| words.remove(0))
}

/// Takes the word that says which part of a command is meant.
fn word_of<'a>(
    command: &'a Command,
    words: &mut Vec<String>,
) -> anyhow::Result<Option<&'a Command>> {
    if !command.has_subcommands() {
        return Ok(None);
    }
    let Some(part) = word(words) else {
        return Ok(None);
    };
    let found = command.find_subcommand(&part);
    let name = command.get_name();
    let parts: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let refusal = || {
        format!(
            "{name} takes {}, not {part:?}: see planlens {name} --help",
            parts.join(" or ")
        )
    };
    found.with_context(refusal).map(Some)
}

fn show_help(command: &Command) -> Outcome {
    say(&help::text(command));
    Ok(ExitCode::SUCCESS)
}

fn version() -> Outcome {
    say(&format!("planlens {}\n", env!("CARGO_PKG_VERSION")));
    Ok(ExitCode::SUCCESS)
}
