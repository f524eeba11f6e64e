//! `planlens completions`, and the answers to the scripts of the shells.
//!
//! The scripts ask planlens for the words at the cursor, so they know each option that this planlens takes, in the spelling
//! with which the word begins: those that clap could write know options with two dashes alone.

use std::path::{Path, is_separator};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Arg, Command, ValueHint};
use ide::ApprovalFile;

use crate::args::{Args, find, needs_value, option};
use crate::commands::{APPROVED, SHELL, planlens};
use crate::output::say;
use crate::{Outcome, help, program, root};

/// The command of the scripts: the shell, the number of the word at the cursor, and the words after the program.
pub(crate) const ASK: &str = "__complete";

pub(crate) fn run(args: &Args) -> Outcome {
    say(match args.value(SHELL) {
        Some("bash") => include_str!("completions/planlens.bash"),
        Some("zsh") => include_str!("completions/planlens.zsh"),
        Some("fish") => include_str!("completions/planlens.fish"),
        _ => include_str!("completions/planlens.ps1"),
    });
    Ok(ExitCode::SUCCESS)
}

/// Answers a script: a line for each word that may stand at the cursor, with a tab before its description.
pub(crate) fn answer(asked: Vec<String>) -> Outcome {
    let mut asked = asked.into_iter();
    let shell = asked.next().context("which shell asks is missing")?;
    let at = asked.next().and_then(|it| it.parse::<usize>().ok());
    let at = at.context("the number of the word is missing")?;
    let mut words: Vec<String> = asked.collect();
    words.resize(at + 1, String::new());
    if shell == "bash" {
        words = without_breaks(words);
    }
    let word = words.pop().unwrap_or_default();
    // The part before it is not replaced in bash.
    let kept = match option(&word) {
        Some((_, Some(value))) if shell == "bash" => word.len() - value.len(),
        _ => 0,
    };
    let candidates = candidates(&words, &word);
    let lines = candidates.iter().map(|it| match shell.as_str() {
        "bash" => format!("{}\n", &it.word[kept..]),
        _ => format!("{}\t{}\n", it.word, it.about),
    });
    say(&lines.collect::<String>());
    Ok(ExitCode::SUCCESS)
}

/// Bash divides words at `=`.
fn without_breaks(words: Vec<String>) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let mut is_behind = false;
    for word in words {
        let is_break = word == "=";
        match whole.last_mut() {
            Some(last) if (is_break || is_behind) && last.starts_with('-') => *last += &word,
            _ => whole.push(word),
        }
        is_behind = is_break;
    }
    whole
}

struct Candidate {
    word: String,
    about: String,
}

/// The words that can complete `word` after `words`.
fn candidates(words: &[String], word: &str) -> Vec<Candidate> {
    let table = planlens();
    let mut command = &table;
    let mut waiting = None;
    for each in words {
        if waiting.take().is_some() {
            continue;
        }
        match option(each) {
            Some((name, None)) => waiting = find(command, name).filter(|it| needs_value(it)),
            Some(_) => {}
            None => command = command.find_subcommand(each).unwrap_or(command),
        }
    }
    if command.get_name() == "plan" && program::is_meant(words) {
        command = table.find_subcommand("preview").unwrap_or(command);
    }
    match (waiting, option(word)) {
        (Some(option), _) => values(option, "", word),
        (None, Some((name, Some(value)))) => find(command, name)
            .map(|option| values(option, &word[..word.len() - value.len()], value))
            .unwrap_or_default(),
        (None, _) if word.starts_with('-') => options(command, word),
        (None, _) => {
            let commands = help::shown(command).map(|it| Candidate {
                word: it.get_name().to_owned(),
                about: help::words(it.get_about()),
            });
            let places = command.get_positionals();
            let places = places.flat_map(|place| values(place, "", word));
            let mut all: Vec<_> = commands.chain(places).collect();
            all.retain(|it| it.word.starts_with(word));
            all
        }
    }
}

fn options(command: &Command, word: &str) -> Vec<Candidate> {
    let dashes = if word.starts_with("--") { "--" } else { "-" };
    let options = command.get_arguments().filter(|it| !it.is_hide_set());
    let options = options.filter_map(|it| {
        let name = it.get_long()?;
        let end = match it.get_value_names() {
            Some(_) if needs_value(it) => "=".to_owned(),
            Some([value, ..]) => format!("={value}"),
            _ => String::new(),
        };
        Some(Candidate {
            word: format!("{dashes}{name}{end}"),
            about: help::words(it.get_help()),
        })
    });
    options.filter(|it| it.word.starts_with(word)).collect()
}

/// The values of an option or a place that begin with `value`, each with `before` in front.
fn values(of: &Arg, before: &str, value: &str) -> Vec<Candidate> {
    let possible = of.get_possible_values().into_iter();
    let mut words: Vec<String> = possible.map(|it| it.get_name().to_owned()).collect();
    match of.get_id().as_str() {
        "language" => words.extend(["terraform", "opentofu"].map(str::to_owned)),
        APPROVED => {
            let kept = root::state_dir().map(|dir| ApprovalFile::read(&dir));
            let providers = kept.into_iter().flat_map(|it| it.providers);
            words.extend(providers.map(|it| it.address));
        }
        _ if of.get_long().is_some() && !needs_value(of) => {
            words.extend(["true", "false"].map(str::to_owned));
        }
        _ => {}
    }
    words.dedup();
    match of.get_value_hint() {
        ValueHint::DirPath => words.extend(paths(value, true)),
        ValueHint::FilePath | ValueHint::AnyPath => words.extend(paths(value, false)),
        _ => {}
    }
    let is_shown = |it: &String| it.starts_with(value) && !it.contains(char::is_control);
    let words = words.into_iter().filter(is_shown);
    let words = words.map(|word| Candidate {
        word: format!("{before}{word}"),
        about: String::new(),
    });
    words.collect()
}

/// The files and folders whose paths begin like this.
fn paths(typed: &str, only_folders: bool) -> Vec<String> {
    let (folder, start) = match typed.rfind(is_separator) {
        Some(end) => typed.split_at(end + 1),
        None => ("", typed),
    };
    let place = match folder.strip_prefix("~/") {
        Some(below) => std::env::home_dir().unwrap_or_default().join(below),
        None => Path::new(".").join(folder),
    };
    let mut found = Vec::new();
    for entry in disk::list(&place).unwrap_or_default() {
        let Some(name) = entry.name.to_str() else {
            continue;
        };
        let is_folder = entry.path.is_dir();
        let is_hidden = name.starts_with('.') && !start.starts_with('.');
        if !is_hidden && (is_folder || !only_folders) {
            let end = if is_folder { "/" } else { "" };
            found.push(format!("{folder}{name}{end}"));
        }
    }
    found.sort();
    found
}
