//! Reads options as Terraform's users type them: with one dash or two, `-name=value` or `-name value`, and in any order. `commands.rs`
//! declares them.

use anyhow::{anyhow, bail};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, ArgMatches, Command};

use crate::commands::{DIR, planlens};

/// The arguments of a command, as its table has them.
pub(crate) struct Args(ArgMatches);

impl Args {
    /// Reads the words after a command. `None` if they ask for its help.
    pub(crate) fn read(command: &Command, words: Vec<String>) -> anyhow::Result<Option<Args>> {
        let Some(words) = with_two_dashes(command, words)? else {
            return Ok(None);
        };
        match command.clone().try_get_matches_from(words) {
            Ok(matches) => Ok(Some(Args(matches))),
            Err(error) => Err(refusal(command, &error)),
        }
    }

    /// Whether an option without a value is there.
    pub(crate) fn flag(&self, name: &'static str) -> bool {
        self.switch(name).unwrap_or(false)
    }

    /// The value of an option that needs none.
    pub(crate) fn switch(&self, name: &'static str) -> Option<bool> {
        self.value(name).map(|value| value == TRUE)
    }

    /// The last value of an option.
    pub(crate) fn value(&self, name: &'static str) -> Option<&str> {
        self.values(&[name]).pop().map(|(_, value)| value)
    }

    /// Every occurrence of the options or places `names`, each with its value, in their order.
    pub(crate) fn values(&self, names: &[&'static str]) -> Vec<(&'static str, &str)> {
        let mut found = Vec::new();
        for name in names {
            // A command without such an option was not given it.
            let values = self.0.try_get_many::<String>(name).ok().flatten();
            let places = values.is_some().then(|| self.0.indices_of(name)).flatten();
            let values = values.into_iter().flatten();
            let values = places.into_iter().flatten().zip(values);
            found.extend(values.map(|(place, value)| (place, *name, value.as_str())));
        }
        found.sort_by_key(|(place, ..)| *place);
        let found = found.into_iter();
        found.map(|(_, name, value)| (name, value)).collect()
    }

    /// The folder that a command is about.
    pub(crate) fn dir(&self) -> Option<&str> {
        self.value(DIR)
    }
}

const TRUE: &str = "true";

/// `-name`, `--name`, `-name=value`, `--name=value`.
pub(crate) fn option(word: &str) -> Option<(&str, Option<&str>)> {
    let body = word
        .strip_prefix("--")
        .or_else(|| word.strip_prefix('-'))
        .filter(|body| !body.is_empty())?;
    match body.split_once('=') {
        Some((name, value)) => Some((name, Some(value))),
        None => Some((body, None)),
    }
}

/// The option of this name.
pub(crate) fn find<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let is_it =
        |it: &&Arg| it.get_long() == Some(name) || name == "h" && it.get_short() == Some('h');
    command.get_arguments().find(is_it)
}

/// Whether an option can't be without a value.
pub(crate) fn needs_value(option: &Arg) -> bool {
    option.get_num_args().is_some_and(|it| it.min_values() > 0)
}

/// The words as clap understands them: `--name=value`. `None` where help is asked for.
fn with_two_dashes(command: &Command, words: Vec<String>) -> anyhow::Result<Option<Vec<String>>> {
    let mut result = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let Some((name, value)) = option(&word) else {
            let ends_options = word == "--";
            result.push(word);
            if ends_options {
                result.extend(words);
                break;
            }
            continue;
        };
        let Some(option) = find(command, name) else {
            result.push(format!("--{name}"));
            continue;
        };
        let value = match (value, needs_value(option)) {
            (Some(value), true) => value.to_owned(),
            (None, true) => match words.next() {
                Some(value) => value,
                None => bail!("-{name} needs a value"),
            },
            (None | Some(TRUE | "1"), false) => TRUE.to_owned(),
            (Some("false" | "0"), false) => "false".to_owned(),
            (Some(value), false) => bail!("-{name} is either true or false, not {value:?}"),
        };
        if option.get_id() == "help" {
            return Ok(None);
        }
        result.push(format!("--{name}={value}"));
    }
    Ok(Some(result))
}

/// Why a command does not take its words, with a suggestion.
fn refusal(command: &Command, error: &Error) -> anyhow::Error {
    let name = command.get_display_name().unwrap_or(command.get_name());
    // Programs have options of their own under this name.
    let (of, page) = match (name, command.get_name()) {
        ("plan", "preview") => (" for Pulumi programs", "preview"),
        _ => ("", name),
    };
    let help = format!("see planlens {page} --help");
    let context = |kind| context(error, kind).into_iter().next().unwrap_or_default();
    let positional = command.get_positionals().next();
    let place = positional.map(|it| it.get_id().as_str());
    match (error.kind(), context(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, option) if option.starts_with("--") => {
            let meant = match context(ContextKind::SuggestedArg) {
                meant if meant.starts_with("--") => format!("did you mean {}? ", &meant[1..]),
                _ => String::new(),
            };
            match meant.as_str() {
                "" => anyhow!("{name} has no option {}{of}: {help}", &option[1..]),
                meant => anyhow!(
                    "{name} has no option {}{of}: {meant}{}",
                    &option[1..],
                    capital(&help)
                ),
            }
        }
        (ErrorKind::UnknownArgument, extra) => match place {
            Some(DIR) => anyhow!("{name} takes only one folder: remove {extra:?}"),
            Some(place) => anyhow!("{name} takes only one {place}: remove {extra:?}"),
            None => anyhow!("{name} takes no argument: remove {extra:?}"),
        },
        (ErrorKind::InvalidValue, _) => {
            let wrong = context(ContextKind::InvalidValue);
            let valid = crate::args::context(error, ContextKind::ValidValue).join(", ");
            let option = context(ContextKind::InvalidArg);
            let option = option.split(['=', ' ']).next().unwrap_or_default();
            // An argument without a dash goes by the name of the command.
            let taker = match option.strip_prefix("--") {
                Some(option) => format!("-{option}"),
                None => name.to_owned(),
            };
            anyhow!("{taker} takes one of {valid}, not {wrong:?}: {help}")
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            let valid = positional.map(Arg::get_possible_values);
            let valid = valid.unwrap_or_default();
            let names: Vec<&str> = valid.iter().map(|it| it.get_name()).collect();
            match names.as_slice() {
                [] => anyhow!("{name} needs {}: {help}", place.unwrap_or_default()),
                names => anyhow!("{name} needs one of {}: {help}", names.join(", ")),
            }
        }
        _ => anyhow!("{error}"),
    }
}

/// Says that there is no such command, and which may have been meant.
pub(crate) fn no_command(name: &str) -> anyhow::Error {
    let error = planlens().try_get_matches_from([name]).err();
    let meant = error
        .map(|it| context(&it, ContextKind::SuggestedSubcommand))
        .unwrap_or_default();
    // The best comes last.
    match meant.last() {
        Some(meant) => {
            anyhow!("there is no command {name:?}: did you mean {meant}? See planlens --help")
        }
        None => anyhow!("there is no command {name:?}: see planlens --help"),
    }
}

fn context(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(rest.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, text: &str) -> anyhow::Result<Option<Args>> {
        let table = planlens();
        let command = table.find_subcommand(command).unwrap();
        Args::read(
            command,
            text.split_whitespace().map(str::to_owned).collect(),
        )
    }

    fn refused(command: &str, text: &str) -> String {
        read(command, text).err().unwrap().to_string()
    }

    #[test]
    fn the_table_is_sound() {
        planlens().debug_assert();
    }

    #[test]
    fn one_dash_is_as_good_as_two() {
        let text = "--json -detailed-exitcode -var a=1 -var-file -f --var=b=-2 -refresh=false dir";
        let args = read("plan", text).unwrap().unwrap();
        assert!(args.flag("json"));
        assert!(args.flag("detailed-exitcode"));
        assert_eq!(args.switch("refresh"), Some(false));
        assert_eq!(args.switch("destroy"), None);
        let values = args.values(&["var", "var-file"]);
        assert_eq!(
            values,
            [("var", "a=1"), ("var-file", "-f"), ("var", "b=-2")]
        );
        assert_eq!(args.dir(), Some("dir"));
    }

    #[test]
    fn help_is_shown_beside_any_other_option() {
        for text in ["-help", "--help", "-h", "-jsn dir -help", "--help=true a b"] {
            assert!(read("plan", text).unwrap().is_none(), "{text}");
        }
        let args = read("plan", "-var -help -- -h").unwrap().unwrap();
        assert_eq!((args.value("var"), args.dir()), (Some("-help"), Some("-h")));
    }

    #[test]
    fn an_unknown_option_is_refused_with_a_suggestion() {
        for (command, text, expected) in [
            (
                "plan",
                "-jsn",
                "plan has no option -jsn: did you mean -json? See planlens plan --help",
            ),
            (
                "plan",
                "--jsn=secret",
                "plan has no option -jsn: did you mean -json? See planlens plan --help",
            ),
            (
                "plan",
                "-xyz",
                "plan has no option -xyz: see planlens plan --help",
            ),
            ("plan", "a b", "plan takes only one folder: remove \"b\""),
            ("plan", "-var", "-var needs a value"),
            (
                "plan",
                "-json=no",
                "-json is either true or false, not \"no\"",
            ),
            ("lsp", "a", "lsp takes no argument: remove \"a\""),
            (
                "completions",
                "",
                "completions needs one of bash, zsh, fish, powershell: see planlens completions --help",
            ),
            (
                "completions",
                "tcsh",
                "completions takes one of bash, zsh, fish, powershell, not \"tcsh\": see planlens completions --help",
            ),
        ] {
            assert_eq!(refused(command, text), expected);
        }
        for name in ["pln", "paln"] {
            assert_eq!(
                no_command(name).to_string(),
                format!("there is no command {name:?}: did you mean plan? See planlens --help")
            );
        }
        assert_eq!(
            no_command("zzz").to_string(),
            "there is no command \"zzz\": see planlens --help"
        );
    }
}
