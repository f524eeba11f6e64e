//! `planlens man`: the manual page, from the table of commands.

use std::process::ExitCode;

use clap::Command;

use crate::Outcome;
use crate::commands::{ACCEPTED, planlens};
use crate::help::{options, shown, typed, words};
use crate::output::say;

const END: &str = "\
.SH ENVIRONMENT
.TP
.B PLANLENS_LANGUAGE
The language, as with \\-language.
.TP
.B PLANLENS_CACHE_DIR
The folder for schemas of providers, which are kept between runs.
.TP
.B PLANLENS_STATE_DIR
The folder for approvals.
.TP
.B NO_COLOR
No colors in plans.
.PP
Terraform's variables (TF_VAR_NAME, TF_CLI_CONFIG_FILE, TF_DATA_DIR, TF_WORKSPACE and others) mean the same as in Terraform.
.SH SEE ALSO
.BR terraform (1),
.BR tofu (1),
.BR pulumi (1)
";

pub(crate) fn run() -> Outcome {
    say(&page());
    Ok(ExitCode::SUCCESS)
}

fn page() -> String {
    let table = planlens();
    let mut page = format!(
        ".TH PLANLENS 1 \"\" \"planlens {}\" \"User Commands\"\n.SH NAME\nplanlens \\- {}\n.SH SYNOPSIS\n",
        env!("CARGO_PKG_VERSION"),
        words(table.get_about())
    );
    page += &usage(&table);
    page += &format!(
        ".SH DESCRIPTION\n{}\nOptions start with one dash or two.\n.SH OPTIONS\n",
        text(&words(table.get_long_about()))
    );
    page += &options_of(&table);
    page += ".SH COMMANDS\n";
    for command in shown(&table) {
        page += &format!(".SS {}\n{}.PP\n", text(command.get_name()), usage(command));
        let about = words(command.get_long_about().or(command.get_about()));
        page += &format!("{}\n", text(&about).replace('\n', "\n.br\n"));
        page += &options_of(command);
    }
    page + END
}

fn usage(command: &Command) -> String {
    let usage = command.get_overridden_usage().map(ToString::to_string);
    let usage = usage.unwrap_or_default();
    let lines = usage.lines().map(|line| format!(".B {}\n", text(line)));
    lines.collect::<Vec<_>>().join(".br\n")
}

fn options_of(command: &Command) -> String {
    let (does, accepted) = options(command);
    let mut part = String::new();
    for option in does {
        let about = text(&words(option.get_help()));
        part += &format!(".TP\n.B {}\n{about}\n", text(&typed(option)));
    }
    if !accepted.is_empty() {
        let names: Vec<_> = accepted.into_iter().map(|it| text(&typed(it))).collect();
        part += &format!(".TP\n.B {}\n{ACCEPTED}.\n", names.join(", "));
    }
    part
}

/// Text that is not taken for a request.
fn text(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = text
        .lines()
        .map(|line| match line.starts_with(['.', '\'']) {
            true => format!("\\&{line}"),
            false => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n")
}
