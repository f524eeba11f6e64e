//! The help of commands, from their table.

use clap::{Arg, Command};

use crate::commands::ACCEPTED;

/// Characters to a line, and in front of the words about an option.
const WIDTH: usize = 120;
const COLUMN: usize = 23;

pub(crate) fn text(command: &Command) -> String {
    let usage = command.get_overridden_usage().map(ToString::to_string);
    let usage = usage.unwrap_or_default().replace('\n', "\n       ");
    let about = command.get_long_about().or(command.get_about());
    let about: String = about.map(ToString::to_string).unwrap_or_default();
    let about: Vec<String> = about.lines().map(|line| wrapped(line, 0)).collect();
    let mut text = format!("Usage: {usage}\n\n{}\n", about.join("\n"));
    if command.get_name() == "planlens" {
        text += "\nCommands:\n";
        for each in shown(command) {
            text += &row(each.get_name(), &words(each.get_about()), 15);
        }
    }
    let (does, accepted) = options(command);
    if !does.is_empty() {
        text += "\nOptions:\n";
    }
    for option in does {
        text += &row(&typed(option), &words(option.get_help()), COLUMN);
    }
    if !accepted.is_empty() {
        let names: Vec<String> = accepted.into_iter().map(typed).collect();
        text += &format!("\n{ACCEPTED}:\n  {}\n", wrapped(&names.join(", "), 2));
    }
    text + "\nOptions start with one dash or two.\n"
}

/// Commands of a command that a user should know.
pub(crate) fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|it| !it.is_hide_set())
}

/// The options of a command and of its parts: those with an effect, and those that are accepted.
pub(crate) fn options(command: &Command) -> (Vec<&Arg>, Vec<&Arg>) {
    let is_whole = command.get_name() == "planlens";
    let parts = shown(command).filter(|_| !is_whole);
    let parts = parts.flat_map(|it| it.get_arguments().filter(|it| it.get_id() != "help"));
    let options = command.get_arguments().chain(parts);
    let options = options.filter(|it| it.get_long().is_some() && !it.is_hide_set());
    let (mut does, accepted): (Vec<_>, Vec<_>) =
        options.partition(|it| it.get_help_heading() != Some(ACCEPTED));
    does.sort_by_key(|it| it.get_id() == "help");
    (does, accepted)
}

/// An option as it is typed: `-state=FILE`.
pub(crate) fn typed(option: &Arg) -> String {
    let name = option.get_long().unwrap_or_default();
    match option.get_value_names() {
        Some([value, ..]) => match value.starts_with('\'') {
            true => format!("-{name} {value}"),
            false => format!("-{name}={value}"),
        },
        _ => format!("-{name}"),
    }
}

pub(crate) fn words(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

fn row(name: &str, about: &str, column: usize) -> String {
    let about = wrapped(about, column);
    match name.len() + 4 > column {
        true => format!("  {name}\n{:column$}{about}\n", ""),
        false => format!("  {name:<width$}{about}\n", width = column - 2),
    }
}

/// Breaks a line where it is too long. Those that follow are indented.
fn wrapped(text: &str, indent: usize) -> String {
    let mut result = String::new();
    let mut length = indent;
    for word in text.split(' ') {
        if length + 1 + word.chars().count() > WIDTH && length > indent {
            result += &format!("\n{:indent$}", "");
            length = indent;
        } else if !result.is_empty() {
            result.push(' ');
            length += 1;
        }
        result += word;
        length += word.chars().count();
    }
    result
}
