//! A function, and the work of a call before and after its implementation runs: arguments are
//! converted to the parameters' types, null and unknown ones are answered, marks are carried over.
//!
//! The rules are those of `zclconf/go-cty`'s `function.Function` and of HCL's function call.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

use crate::problem::OUTSIDE_WORKSPACE;
use config::Profile;
use config::language_release::Since;
use cty::{Mark, Marks, Type, Value, budget, convert};

/// A named function of the language.
#[derive(Debug)]
pub struct Function {
    pub name: &'static str,
    /// Which releases have it.
    pub since: Since,
    pub params: Vec<Param>,
    /// The parameter for further arguments; `None`: there are no further ones.
    pub variadic: Option<Param>,
    pub return_type: ReturnType,
    pub implementation: Implementation,
    /// Whether no call returns null, so that an unknown result is known not to be null.
    pub not_null: bool,
}

/// A parameter, and which special arguments the implementation itself takes care of.
#[derive(Debug, Clone)]
pub struct Param {
    pub name: &'static str,
    pub ty: Type,
    /// Otherwise a null argument is an error.
    pub allow_null: bool,
    /// Otherwise an unknown argument makes the result unknown.
    pub allow_unknown: bool,
    /// Otherwise an argument of a type not yet known makes the result one.
    pub allow_dynamic: bool,
    /// Otherwise the argument comes without marks, which the result then gets.
    pub allow_marked: bool,
    /// Whether the result gets this argument's own marks although the implementation takes care of them,
    /// where an unknown argument makes it unknown.
    pub marks_unknown: bool,
}

#[derive(Debug, Clone)]
pub enum ReturnType {
    Is(Type),
    /// Depends on the arguments, any of which may be unknown.
    Of(fn(&[Value]) -> Result<Type, CallError>),
}

/// Computes the result from arguments that conform to the parameters. The type is the answer of `return_type`
/// for the same arguments; the result conforms to it.
pub type Implementation = fn(&[Value], &Type, &CallContext<'_>) -> Result<Value, CallError>;

/// The inputs of a call besides its arguments.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    /// The absolute folder of the run. Relative paths start here, which is not always the module's folder.
    pub base_dir: &'a Path,
    /// The folder for a leading `~` in a path.
    pub home_dir: Option<&'a Path>,
    pub files: &'a dyn Files,
    /// Evaluates the templates of `templatefile` and `templatestring`.
    pub templates: &'a dyn Templates,
    /// RFC 3339; the same during a whole plan. `None`: not decided yet.
    pub plan_timestamp: Option<&'a str>,
    pub profile: Profile,
    /// How many templates are being rendered around this call.
    pub template_depth: usize,
}

/// The files that functions read. Paths are absolute and clean.
pub trait Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Hands over the content part by part: it may be too long to be read as a whole.
    fn read_parts(&self, path: &Path, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        take(&self.read(path)?);
        Ok(())
    }
    /// Follows symbolic links.
    fn kind(&self, path: &Path) -> io::Result<FileKind>;
    /// The names in a folder, in any order.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;
    /// The number of such calls. The result of an evaluation that made one may differ the next time.
    fn looks(&self) -> usize {
        0
    }
}

/// Something lies outside of the folders that functions may look into while these are not trusted. It comes inside of an
/// [`io::Error`].
#[derive(Debug)]
pub struct OutsideWorkspace;

impl OutsideWorkspace {
    pub fn is(error: &io::Error) -> bool {
        error
            .get_ref()
            .is_some_and(|inner| inner.is::<OutsideWorkspace>())
    }
}

impl fmt::Display for OutsideWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("outside of the workspace, which is not trusted")
    }
}

impl std::error::Error for OutsideWorkspace {}

impl From<OutsideWorkspace> for io::Error {
    fn from(outside: OutsideWorkspace) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, outside)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    File,
    Directory,
    /// A device, pipe or socket, with the words for it.
    Other(&'static str),
}

/// Evaluates templates for functions.
pub trait Templates {
    /// The value of the template `source`, which can refer to `variables` alone (their names are
    /// valid identifiers, their values unknown or marked as they are). `file` is where it was read from.
    fn render(
        &self,
        source: &str,
        file: Option<&str>,
        variables: &BTreeMap<String, Value>,
        context: &CallContext<'_>,
    ) -> Result<Value, CallError>;
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// Which argument is to blame.
    pub argument: Option<usize>,
    pub message: String,
    /// In a trusted workspace it might have one.
    pub needs_trust: bool,
}

impl CallError {
    pub fn argument(index: usize, message: impl fmt::Display) -> CallError {
        CallError {
            argument: Some(index),
            ..CallError::call(message)
        }
    }

    pub fn call(message: impl fmt::Display) -> CallError {
        CallError {
            argument: None,
            message: message.to_string(),
            needs_trust: false,
        }
    }

    /// The name of the rule that is broken.
    pub fn code(&self) -> &'static str {
        match self.needs_trust {
            true => OUTSIDE_WORKSPACE,
            false => "function-call",
        }
    }

    /// The error of a call whose arguments carried these marks unseen, so that it shows no secret.
    pub(crate) fn hidden(self, marks: &Marks) -> CallError {
        let what = match (
            marks.contains(&Mark::Ephemeral),
            marks.contains(&Mark::Sensitive),
        ) {
            (true, _) => "ephemeral",
            (false, true) => "sensitive",
            (false, false) => return self,
        };
        let message = format!("the reason is not shown because an argument is {what}");
        CallError { message, ..self }
    }

    /// Summary and detail of the diagnostic for a call of `function`.
    pub fn describe(&self, function: &Function) -> (&'static str, String) {
        if self.needs_trust {
            return ("Workspace not trusted", format!("{}.", self.message));
        }
        match self.argument.and_then(|index| function.param(index)) {
            Some(param) => (
                "Invalid function argument",
                format!(
                    "Invalid value for \"{}\" parameter: {}.",
                    param.name, self.message
                ),
            ),
            None => (
                "Error in function call",
                format!(
                    "Call to function \"{}\" failed: {}.",
                    function.name, self.message
                ),
            ),
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}

impl From<String> for CallError {
    fn from(message: String) -> CallError {
        CallError::call(message)
    }
}

impl From<&str> for CallError {
    fn from(message: &str) -> CallError {
        CallError::from(message.to_owned())
    }
}

/// Charges a function for looking through a text. Those that walk through containers are charged for each element.
fn charge(arg: &Value) {
    if arg.ty() == &Type::String {
        budget::spend(arg.size() as usize / BYTES_PER_STEP);
    }
}

/// How many bytes of a text are looked at in the time of a step, by functions that go by character.
const BYTES_PER_STEP: usize = 8;

impl Function {
    /// The parameter that takes the argument at `index`.
    pub fn param(&self, index: usize) -> Option<&Param> {
        self.params.get(index).or(self.variadic.as_ref())
    }

    /// Calls the function with arguments of any type, as an expression does.
    pub fn call(&self, args: &[Value], context: &CallContext<'_>) -> Result<Value, CallError> {
        self.check_count(args.len())?;
        let args = args
            .iter()
            .enumerate()
            .filter_map(|(index, arg)| Some((index, arg, self.param(index)?)))
            .map(|(index, arg, param)| {
                convert(arg, &param.ty).map_err(|error| CallError::argument(index, error))
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.call_conforming(&args, context)
    }

    /// Calls the function with arguments that need no conversion; it is an error if they would.
    pub fn call_conforming(
        &self,
        args: &[Value],
        context: &CallContext<'_>,
    ) -> Result<Value, CallError> {
        self.check_count(args.len())?;
        let mut marks = Marks::default();
        let mut marks_of_unknown = Marks::default();
        let mut has_unknown = false;
        let mut has_dynamic = false;
        let mut prepared = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let Some(param) = self.param(index) else {
                continue;
            };
            charge(arg);
            let arg = if param.allow_marked {
                if param.marks_unknown {
                    marks_of_unknown.extend(arg.unmark().1);
                }
                arg.clone()
            } else {
                let (unmarked, arg_marks) = arg.unmark_deep();
                marks.extend(arg_marks);
                unmarked
            };
            // A type that is not known yet ends the checks: the arguments after it are not looked at.
            if !has_dynamic {
                if arg.is_null() && !param.allow_null {
                    return Err(CallError::argument(index, "argument must not be null"));
                }
                if *arg.ty() == Type::Dynamic {
                    has_dynamic = !param.allow_dynamic;
                } else if let Some(error) = cty::test_conformance(arg.ty(), &param.ty).first() {
                    return Err(CallError::argument(index, error));
                }
            }
            has_unknown |= !arg.is_known() && !param.allow_unknown;
            prepared.push(arg);
        }
        if has_dynamic {
            return Ok(Value::dynamic().mark_all(&marks));
        }
        let ty = match &self.return_type {
            ReturnType::Is(ty) => ty.clone(),
            ReturnType::Of(of) => of(&prepared).map_err(|error| error.hidden(&marks))?,
        };
        let result = if has_unknown {
            Value::unknown(ty).mark_all(&marks_of_unknown)
        } else {
            (self.implementation)(&prepared, &ty, context).map_err(|error| error.hidden(&marks))?
        };
        Ok(self.refine(result).mark_all(&marks))
    }

    fn refine(&self, result: Value) -> Value {
        if self.not_null && !result.is_known() && *result.ty() != Type::Dynamic {
            result.refine_not_null()
        } else {
            result
        }
    }

    fn check_count(&self, given: usize) -> Result<(), CallError> {
        let required = self.params.len();
        match self.variadic {
            Some(_) if given < required => Err(CallError::call(format!(
                "wrong number of arguments (at least {required} required; {given} given)"
            ))),
            None if given != required => Err(CallError::call(format!(
                "wrong number of arguments ({required} required; {given} given)"
            ))),
            _ => Ok(()),
        }
    }
}
