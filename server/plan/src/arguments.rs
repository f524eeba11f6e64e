//! Options that the environment adds to `terraform plan`: `TF_CLI_ARGS_plan` and `TF_CLI_ARGS`.
//!
//! Follows "TF_CLI_ARGS and TF_CLI_ARGS_name" in Terraform's documentation of environment variables. The words of
//! `TF_CLI_ARGS_plan` come first, then those of `TF_CLI_ARGS`, then the user's own, so that the latter win.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use config::{ResourceInstanceAddr, Target};
use process::Variables;
use text::Diagnostic;

use crate::input_values::VarOption;
use crate::{Options, PlanMode};

/// The arguments that change a plan; all others are passed over.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub options: Vec<VarOption>,
    pub state: Option<PathBuf>,
    mode: PlanMode,
    replace: Vec<ResourceInstanceAddr>,
    targets: Vec<Target>,
    excludes: Vec<Target>,
    pub diagnostics: Vec<Diagnostic>,
}

/// The environment variables, in the order of their words.
const VARIABLES: [&str; 2] = ["TF_CLI_ARGS_plan", "TF_CLI_ARGS"];

impl Arguments {
    /// `cwd` is where Terraform would run, which paths are relative to.
    pub(crate) fn of_environment(variables: &Variables, cwd: &Path) -> Arguments {
        let mut arguments = Arguments::default();
        for variable in VARIABLES {
            // As Terraform reads them.
            let text = variables
                .get(variable)
                .unwrap_or_default()
                .to_string_lossy();
            match words(&text) {
                Some(words) => arguments.read(variable, words, cwd),
                None => arguments.problem(variable, "a quote is not closed"),
            }
        }
        arguments
    }

    /// These options, with those of the environment added.
    pub(crate) fn beside(&self, options: &Arc<Options>) -> Arc<Options> {
        let adds_nothing = self.replace.is_empty()
            && self.targets.is_empty()
            && self.excludes.is_empty()
            && self.mode == PlanMode::Normal;
        if adds_nothing || options.mode == PlanMode::Validate {
            return options.clone();
        }
        let mut options = Options::clone(options);
        if options.mode == PlanMode::Normal {
            options.mode = self.mode;
        }
        options.replace.splice(0..0, self.replace.iter().cloned());
        options.targets.splice(0..0, self.targets.iter().cloned());
        options.excludes.splice(0..0, self.excludes.iter().cloned());
        Arc::new(options)
    }

    fn read(&mut self, variable: &str, words: Vec<String>, cwd: &Path) {
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
                continue;
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            let is_on = value.as_deref() != Some("false");
            match name {
                "destroy" if is_on => self.mode = PlanMode::Destroy,
                "refresh-only" if is_on => self.mode = PlanMode::RefreshOnly,
                "var" | "var-file" | "state" | "replace" | "target" | "exclude" => {
                    let value = value.or_else(|| words.next()).unwrap_or_default();
                    if self.take(name, &value, cwd).is_none() {
                        self.problem(variable, &format!("the value of -{name} can't be read"));
                    }
                }
                _ => {}
            }
        }
    }

    /// `None`: the value can't be read.
    fn take(&mut self, name: &str, value: &str, cwd: &Path) -> Option<()> {
        fn addr<A: FromStr>(value: &str) -> Option<A> {
            value.parse().ok()
        }
        match name {
            "var" => {
                let (name, value) = value.split_once('=')?;
                self.options.push(VarOption::Var {
                    name: name.trim().to_owned(),
                    value: value.to_owned(),
                });
            }
            "var-file" => {
                let path = cwd.join(value).to_string_lossy().into_owned();
                self.options.push(VarOption::File(path));
            }
            "state" => self.state = Some(cwd.join(value)),
            "replace" => self.replace.push(addr(value)?),
            "target" => self.targets.push(addr(value)?),
            _ => self.excludes.push(addr(value)?),
        }
        Some(())
    }

    fn problem(&mut self, variable: &str, why: &str) {
        self.diagnostics.push(Diagnostic::error(
            "environment-arguments",
            format!("Error parsing extra CLI args from {variable}"),
            format!("Not valid as arguments of `terraform plan`: {why}."),
            None,
        ));
    }
}

/// The words of a command line, as a shell has them without expanding anything. `None`: a quote is not closed.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            ('"' | '\'', None) => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (char, Some(open)) if char == open => quote = None,
            (char, None) if char.is_ascii_whitespace() => words.extend(word.take()),
            (char, _) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let read = |text| words(text).map(|words| words.join("|"));
        assert_eq!(
            read(r#" -var "a=x y"  -var 'b="$HOME"' c\ d "" "#).as_deref(),
            Some(r#"-var|a=x y|-var|b="$HOME"|c d|"#)
        );
        assert_eq!(read("-var 'a"), None);
        assert_eq!(read("").as_deref(), Some(""));
    }
}
