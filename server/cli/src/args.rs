//! Options as Terraform's users type them: with one dash or two, `-name=value` or `-name value`, and in any order.

use std::path::PathBuf;

use anyhow::{Context, bail};

/// The arguments that no one has taken yet.
pub(crate) struct Args {
    rest: Vec<String>,
}

impl Args {
    pub(crate) fn new(args: Vec<String>) -> Args {
        Args { rest: args }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The folder of `-chdir`, which stands in front of the command.
    pub(crate) fn chdir(&mut self) -> anyhow::Result<Option<String>> {
        let Some(first) = self.rest.first() else {
            return Ok(None);
        };
        let Some(("chdir", dir)) = option(first) else {
            return Ok(None);
        };
        let dir = dir.context("-chdir needs a folder: -chdir=DIR")?.to_owned();
        self.rest.remove(0);
        Ok(Some(dir))
    }

    /// The command: the first argument, unless that is an option.
    pub(crate) fn command(&mut self) -> Option<String> {
        match self.rest.first() {
            Some(first) if !first.starts_with('-') => Some(self.rest.remove(0)),
            _ => None,
        }
    }

    /// Takes an option without a value, or with `=true` or `=false`.
    pub(crate) fn flag(&mut self, name: &str) -> anyhow::Result<bool> {
        Ok(self.switch(name)?.unwrap_or(false))
    }

    /// Takes a flag that may be set to either value.
    pub(crate) fn switch(&mut self, name: &str) -> anyhow::Result<Option<bool>> {
        let Some(position) = self.position(name) else {
            return Ok(None);
        };
        let argument = self.rest.remove(position);
        match option(&argument).and_then(|(_, value)| value) {
            None | Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(value) => bail!("-{name} is either true or false, not {value:?}"),
        }
    }

    /// Takes every occurrence of the options `names`, each with its value, in their order.
    pub(crate) fn values(&mut self, names: &[&str]) -> anyhow::Result<Vec<(String, String)>> {
        let mut values = Vec::new();
        let mut position = 0;
        while position < self.rest.len() {
            let found = option(&self.rest[position])
                .filter(|(name, _)| names.contains(name))
                .map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
            let Some((name, value)) = found else {
                position += 1;
                continue;
            };
            self.rest.remove(position);
            let value = match value {
                Some(value) => value,
                None if position < self.rest.len() => self.rest.remove(position),
                None => bail!("-{name} needs a value"),
            };
            values.push((name, value));
        }
        Ok(values)
    }

    /// Takes the last value of an option.
    pub(crate) fn value(&mut self, name: &str) -> anyhow::Result<Option<String>> {
        Ok(self.values(&[name])?.pop().map(|(_, value)| value))
    }

    /// Whether the flag is there, without taking it.
    pub(crate) fn has_flag(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// Arguments that are folders, without taking them.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let paths = self.rest.iter().filter(|it| !it.starts_with('-'));
        paths.map(PathBuf::from).filter(|it| it.is_dir()).collect()
    }

    /// What is left when all options were taken: at most one folder.
    pub(crate) fn dir(self, command: &str) -> anyhow::Result<Option<String>> {
        let mut dir = None;
        for argument in self.rest {
            match argument {
                option if option.starts_with('-') => {
                    bail!("{command} has no option {option}: see planlens {command} --help")
                }
                extra if dir.is_some() => {
                    bail!("{command} takes one folder: {extra:?} is too much")
                }
                folder => dir = Some(folder),
            }
        }
        Ok(dir)
    }

    /// What is left when all options were taken: any number of folders and files, and `-` for stdin.
    pub(crate) fn targets(self, command: &str) -> anyhow::Result<Vec<String>> {
        let is_option = |argument: &&String| argument.starts_with('-') && *argument != "-";
        match self.rest.iter().find(is_option) {
            Some(option) => {
                bail!("{command} has no option {option}: see planlens {command} --help")
            }
            None => Ok(self.rest),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.rest
            .iter()
            .position(|argument| option(argument).is_some_and(|(n, _)| n == name))
    }
}

/// `-name`, `--name`, `-name=value`, `--name=value`.
fn option(argument: &str) -> Option<(&str, Option<&str>)> {
    let body = argument
        .strip_prefix("--")
        .or_else(|| argument.strip_prefix('-'))?;
    match body.split_once('=') {
        Some((name, value)) => Some((name, Some(value))),
        None => (!body.is_empty()).then_some((body, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Args {
        Args::new(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn one_dash_is_as_good_as_two() {
        let mut args = args("--json -detailed-exitcode -var a=1 --var=b=2 dir");
        assert!(args.flag("json").unwrap());
        assert!(args.flag("detailed-exitcode").unwrap());
        let values = args.values(&["var", "var-file"]).unwrap();
        let values: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["a=1", "b=2"]);
        assert_eq!(args.dir("plan").unwrap().as_deref(), Some("dir"));
    }

    #[test]
    fn what_nobody_took_is_an_error() {
        let error = args("-jsn").dir("plan").unwrap_err().to_string();
        assert_eq!(error, "plan has no option -jsn: see planlens plan --help");
    }
}
