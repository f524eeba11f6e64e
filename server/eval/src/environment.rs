//! The functions that expressions can call, and their access to the outside.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::language_release::feature;
use config::{Product, Profile};
use cty::Value;
use syntax::parse_template;
use text::{Problem, TextRange};
use unicode_segmentation::UnicodeSegmentation;

use crate::evaluate::eval;
use crate::functions;
use crate::problem::{Problems, needs_trust};
use crate::{CallContext, CallError, EvalContext, Files, Function, Templates, Variables};

/// The functions of the language, with all that their results depend on besides their arguments.
#[derive(Clone)]
pub struct Functions {
    /// The absolute folder of the run, where relative paths start.
    pub base_dir: PathBuf,
    /// The folder for a leading `~` in a path.
    pub home_dir: Option<PathBuf>,
    pub files: Arc<dyn Files + Send + Sync>,
    /// RFC 3339; the same during a whole plan. `None`: not decided yet.
    pub plan_timestamp: Option<String>,
    /// Decides which functions there are, and their behaviour.
    pub profile: Profile,
}

impl Functions {
    /// Functions that see no file and no time.
    pub fn without_surroundings() -> Functions {
        Functions {
            base_dir: PathBuf::from("/"),
            home_dir: None,
            files: Arc::new(NoFiles),
            plan_timestamp: None,
            profile: Profile::TERRAFORM_1_11,
        }
    }

    /// The function of this name, which may be qualified with `core::`, if the profile has it. `try` and its like are
    /// the evaluator's own.
    pub fn get(&self, name: &str) -> Option<&'static Function> {
        let plain = name.strip_prefix("core::");
        let function = functions::table().get(plain.unwrap_or(name))?;
        let is_named_so = plain.is_none() || self.profile.has(feature::NAMESPACED_FUNCTIONS);
        (is_named_so && self.profile.has(function.since)).then_some(function)
    }

    /// The names of all functions that the profile has.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        functions::names(self.profile)
    }

    /// Calls a function for an expression that is inside of so many templates.
    pub(crate) fn call(
        &self,
        function: &Function,
        args: &[Value],
        context: &EvalContext<'_>,
    ) -> Result<Value, CallError> {
        let renderer = Renderer { functions: self };
        let call_context = CallContext {
            base_dir: &self.base_dir,
            home_dir: self.home_dir.as_deref(),
            files: &*self.files,
            templates: &renderer,
            plan_timestamp: self.plan_timestamp.as_deref(),
            profile: self.profile,
            template_depth: context.template_depth(),
        };
        function.call_conforming(args, &call_context)
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions")
            .field("base_dir", &self.base_dir)
            .finish_non_exhaustive()
    }
}

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn kind(&self, _: &Path) -> std::io::Result<crate::FileKind> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn list(&self, _: &Path) -> std::io::Result<Vec<String>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// About so many bytes of tree come from a byte of template.
const TREE_BYTES: usize = 16;

/// Evaluates the templates of `templatefile` and `templatestring`.
struct Renderer<'a> {
    functions: &'a Functions,
}

impl Templates for Renderer<'_> {
    fn render(
        &self,
        source: &str,
        file: Option<&str>,
        variables: &BTreeMap<String, Value>,
        call: &CallContext<'_>,
    ) -> Result<Value, CallError> {
        let place = |range: TextRange| TemplatePlace {
            file: file.unwrap_or("<templatestring argument>"),
            source,
            range,
        };
        cty::budget::allocate(source.len().saturating_mul(TREE_BYTES));
        let parsed = parse_template(source);
        if let Some(error) = parsed.errors.first() {
            let others = others(parsed.errors.len());
            let at = place(error.at);
            let problem = format!("{at}: {}; {}{others}", error.summary, error.detail);
            return Err(match (file, call.profile.product) {
                (None, Product::Terraform) => {
                    CallError::argument(0, format!("invalid template: {problem}"))
                }
                (Some(_), _) | (None, Product::OpenTofu) => CallError::call(problem),
            });
        }
        // Also where it is never evaluated.
        let mut missing = None;
        config::refs::each_traversal(&parsed.tree, &mut |traversal| {
            if !variables.contains_key(traversal.root.name.as_str()) {
                missing.get_or_insert_with(|| traversal.root.clone());
            }
        });
        if let Some(root) = missing {
            let (name, at) = (root.name, place(root.range));
            let message = format!("vars map does not contain key \"{name}\", referenced at {at}");
            return Err(CallError::argument(1, message));
        }
        let variables: Variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.clone()))
            .collect();
        let context = EvalContext::new(variables, self.functions).in_template(call.template_depth);
        let mut problems = Problems::default();
        let value = eval(&parsed.tree, &context, &mut problems);
        let errors: Vec<&Problem> = problems
            .0
            .iter()
            .filter(|problem| problem.is_error())
            .collect();
        let Some(first) = errors.first() else {
            return Ok(value);
        };
        if let Some(refused) = errors.iter().find(|problem| needs_trust(problem)) {
            return Err(CallError {
                needs_trust: true,
                ..CallError::call(refused.detail.trim_end_matches('.'))
            });
        }
        let at = place(first.at);
        let others = others(errors.len());
        Err(CallError::call(format!(
            "{at}: {}; {}{others}",
            first.summary, first.detail
        )))
    }
}

fn others(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        _ => format!(", and {} other diagnostic(s)", count - 1),
    }
}

/// A range in a template as messages have it: `file:line,column-column`.
pub(crate) struct TemplatePlace<'a> {
    pub file: &'a str,
    pub source: &'a str,
    pub range: TextRange,
}

impl TemplatePlace<'_> {
    /// Line and column of an offset, both from 1; a column is a grapheme cluster.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.source.get(..offset).unwrap_or(self.source);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].graphemes(true).count() + 1)
    }
}

impl fmt::Display for TemplatePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position(self.range.start().into());
        let (end_line, end_column) = self.position(self.range.end().into());
        write!(f, "{}:{line},{column}-", self.file)?;
        match line == end_line {
            true => write!(f, "{end_column}"),
            false => write!(f, "{end_line},{end_column}"),
        }
    }
}
