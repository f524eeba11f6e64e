//! Where variables are given values: the environment, tfvars files and the command line.
//!
//! Follows "Variable Definition Precedence" in Terraform's documentation.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io::ErrorKind;

use config::{Expr, Files, Module, Origin, Variable};
use cty::Value;
use eval::variables::{InputValue, constraint};
use process::Variables;
use smol_str::SmolStr;
use text::{Diagnostic, FileId, Span, TextRange, TextSize};

/// A `-var` or `-var-file` option.
#[derive(Debug, Clone, PartialEq)]
pub enum VarOption {
    Var {
        name: String,
        value: String,
    },
    File(String),
    /// A value as it is, which may be unknown or sensitive. Nobody can write that in an option.
    Value {
        name: String,
        value: Value,
    },
}

/// The values of a root module's variables, and the tfvars files that were read for them.
#[derive(Default)]
pub(crate) struct InputValues {
    pub values: BTreeMap<SmolStr, InputValue>,
    pub files: BTreeMap<FileId, syntax::File>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Collects values in the order of their precedence: a later one wins. `options` come as on the command line, with
/// absolute paths.
pub(crate) fn input_values(
    module: &Module,
    files: &dyn Files,
    dir: &str,
    environment: &Variables,
    options: &[VarOption],
) -> InputValues {
    let mut given = InputValues::default();
    for (name, value) in environment.iter() {
        if let Some(name) = name.to_str().and_then(|name| name.strip_prefix("TF_VAR_"))
            && let Some(variable) = module.variables.get(name)
        {
            given.take(variable, value);
        }
    }
    for path in automatic_files(files, dir) {
        given.read(module, files, dir, &path);
    }
    for option in options {
        match option {
            VarOption::File(path) => given.read(module, files, dir, path),
            VarOption::Value { name, value } => {
                if let Some(variable) = module.variables.get(name.as_str()) {
                    let at = variable.decl.span.clone();
                    let value = InputValue::Argument(value.clone(), at);
                    given.values.insert(name.as_str().into(), value);
                }
            }
            VarOption::Var { name, value } if module.variables.contains_key(name.as_str()) => {
                given.values.insert(name.as_str().into(), InputValue::CommandLine(value.clone()));
            }
            VarOption::Var { name, .. } => given.diagnostics.push(Diagnostic::error(
                "undeclared-variable",
                "Value for undeclared variable",
                format!(
                    "A variable named {name:?} was assigned on the command line, but the root module does not declare a variable of that name. To use this value, add a \"variable\" block to the configuration."
                ),
                None,
            )),
        }
    }
    given
}

/// The paths of the files with values in a folder that are read without being named, in the order of precedence.
pub(crate) fn automatic_files(files: &dyn Files, dir: &str) -> Vec<String> {
    let mut names = files.list(dir).unwrap_or_default();
    names.sort();
    let defaults = ["terraform.tfvars", "terraform.tfvars.json"];
    let default = defaults
        .into_iter()
        .filter(|default| names.iter().any(|name| name == default));
    let automatic = names
        .iter()
        .map(String::as_str)
        .filter(|name| name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json"));
    let all = default.chain(automatic);
    all.map(|name| format!("{dir}/{name}")).collect()
}

impl InputValues {
    /// A value in the environment that is not UTF-8 is a string with replacement characters, as Terraform prints it; it is not
    /// an expression.
    fn take(&mut self, variable: &Variable, value: &OsStr) {
        let text = value.to_string_lossy().into_owned();
        let is_string = variable.r#type.is_none() || constraint(variable).0.ty.is_primitive();
        if value.to_str().is_none() && !is_string {
            self.diagnostics.push(Diagnostic::error(
                "syntax",
                "Invalid character encoding",
                format!(
                    "The value of TF_VAR_{} is not UTF-8 encoded.",
                    variable.name.text
                ),
                variable.decl.span.clone(),
            ));
        }
        let name = variable.name.text.clone();
        self.values.insert(name, InputValue::Environment(text));
    }

    fn read(&mut self, module: &Module, files: &dyn Files, dir: &str, path: &str) {
        // Whatever it is called, it has no blocks.
        let is_named_otherwise = path.ends_with(".json") && !path.ends_with(".tfvars.json");
        let file = match is_named_otherwise {
            true => files
                .read(path)
                .map(|text| syntax::parse_json(&text, |_| None)),
            false => files.parse(path),
        };
        let read = file.map(|file| self.read_file(module, path, file));
        if let Err(error) = read {
            let why = match error.kind() {
                ErrorKind::NotFound => "does not exist".to_owned(),
                _ => format!("could not be read: {error}"),
            };
            let path = path
                .strip_prefix(dir)
                .map_or(path, |rest| rest.trim_start_matches('/'));
            self.diagnostics.push(Diagnostic::error(
                "unreadable-file",
                "Failed to read variables file",
                format!("Given variables file {path} {why}."),
                None,
            ));
        }
    }

    fn read_file(&mut self, module: &Module, path: &str, file: syntax::File) {
        let id = FileId::new(path);
        let span = |segment, range| Span {
            file: id.clone(),
            segment,
            range,
        };
        let mut found = Vec::new();
        for (segment, error) in file.reported_errors().take(MAX_PROBLEMS) {
            found.push(error.clone().located(|range| span(segment, range)));
        }
        // Terraform does not look for blocks in a file with other errors.
        if found.is_empty() {
            let blocks = file.body().blocks().take(MAX_PROBLEMS);
            found.extend(blocks.map(|(segment, block)| {
                let at = span(segment, block.header_range);
                misplaced_block(block, id.name(), at)
            }));
        }
        let is_list = path.ends_with(".json") && file.text().trim_start().starts_with('[');
        let first = file.segments().next().map(|it| it.id);
        if let Some(first) = first.filter(|_| is_list) {
            let at = span(first, TextRange::empty(TextSize::new(0)));
            let detail = "A JSON object is required here, setting the arguments for this block.";
            let summary = "Incorrect JSON value type";
            let wrong = Diagnostic::error("syntax", summary, detail, at);
            self.diagnostics.extend(found);
            self.diagnostics.push(wrong);
            self.files.insert(id, file);
            return;
        }
        let limit = found.len() + MAX_PROBLEMS;
        let mut names = HashSet::new();
        for (segment, attribute) in file.body().attributes() {
            let name = &attribute.name.name;
            // The parser says it of native syntax.
            if !names.insert(name) && path.ends_with(".json") {
                if found.len() < limit {
                    found.push(Diagnostic::error(
                        "duplicate-argument",
                        "Duplicate attribute definition",
                        format!("The argument {name:?} was already set."),
                        span(segment, attribute.name.range),
                    ));
                }
                continue;
            }
            if !module.variables.contains_key(name) {
                // A name without an equals sign is still being typed.
                let is_whole = attribute.equals.is_some();
                if is_whole && found.len() < limit && module.unread.is_empty() {
                    let at = span(segment, attribute.name.range);
                    found.push(undeclared(name, id.name(), Some(at)));
                }
                continue;
            }
            let origin = Origin {
                file: id.clone(),
                segment,
            };
            let expr = Expr::new(&origin, attribute.expr.clone());
            self.values.insert(name.clone(), InputValue::File(expr));
        }
        self.diagnostics.extend(found);
        self.files.insert(id, file);
    }
}

/// So many problems of each kind are reported in one file of values.
const MAX_PROBLEMS: usize = 1_000;

/// The error for a block in a file where only values of variables may stand.
pub fn misplaced_block(block: &syntax::ast::Block, file: &str, at: Span) -> Diagnostic {
    let file = file.rsplit('/').next().unwrap_or(file);
    let label = block.labels.first().map(|label| label.text.as_str());
    let (summary, detail) = match (block.kind.name.as_str(), label) {
        ("variable", Some(name)) => (
            "Variable declaration in .tfvars file".to_owned(),
            format!(
                "A .tfvars file is used to assign values to variables that have already been declared in .tf files, not to declare new variables. To declare variable {name:?}, place this block in one of your .tf files, such as variables.tf.\n\nTo set a value for this variable in {file}, use the definition syntax instead:\n    {name} = <value>"
            ),
        ),
        (kind, _) => (
            format!("Unexpected {kind:?} block"),
            "Blocks are not allowed here.".to_owned(),
        ),
    };
    Diagnostic::error("unexpected-block", summary, detail, at)
}

fn undeclared(name: &str, file: &str, at: Option<Span>) -> Diagnostic {
    let file = file.rsplit('/').next().unwrap_or(file);
    let detail = format!(
        "The root module does not declare a variable named {name:?} but a value was found in file {file:?}. If you meant to use this value, add a \"variable\" block to the configuration."
    );
    Diagnostic::warning(
        "undeclared-variable",
        "Value for undeclared variable",
        detail,
        at,
    )
}
