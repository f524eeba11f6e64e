//! The functions of the language, one file per family.
//!
//! `CONTRIBUTING.md` has the steps to add one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use config::Profile;
use config::language_release::{Since, feature};
use cty::{Type, Value};

pub use signature::{Parameter, Signature, signatures};
pub use time::timestamp_text;

use crate::function::{CallError, Function, Implementation, Param, ReturnType};

mod charset;
mod cidr;
mod collection;
mod conversion;
mod crypto;
mod encoding;
mod file;
mod format;
mod glob;
mod gzip;
mod number;
mod path;
mod regex;
mod rsa;
mod sequence;
mod set;
mod signature;
mod string;
mod template;
pub mod terraform;
mod time;
mod yaml;

/// The functions that an expression can call by name. `try` and `can` are not among them: they see
/// their arguments unevaluated, so the evaluator has them.
#[derive(Debug)]
pub struct Table {
    functions: BTreeMap<&'static str, Function>,
}

/// The functions of all releases.
pub fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let families = [
            charset::functions(),
            cidr::functions(),
            collection::functions(),
            conversion::functions(),
            crypto::functions(),
            encoding::functions(),
            file::functions(),
            format::functions(),
            number::functions(),
            path::functions(),
            regex::functions(),
            rsa::functions(),
            sequence::functions(),
            set::functions(),
            string::functions(),
            template::functions(),
            time::functions(),
            yaml::functions(),
        ];
        let functions = families.into_iter().flatten();
        Table {
            functions: functions
                .map(|function| {
                    let signature = signatures().get(function.name);
                    let since = signature.map_or(Since::ALWAYS, |signature| signature.since);
                    (function.name, Function { since, ..function })
                })
                .collect(),
        }
    });
    &TABLE
}

impl Table {
    /// The function of this name, whichever releases have it.
    pub fn get(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.functions.keys().copied()
    }
}

/// Since when a function can be called by this name, which may be qualified with `core::`. `try` and its like, which
/// are the evaluator's own, count. `None`: no release has it.
pub fn since(name: &str) -> Option<Since> {
    let Some(plain) = name.strip_prefix("core::") else {
        return match table().get(name) {
            Some(function) => Some(function.since),
            None => signatures().get(name).map(|signature| signature.since),
        };
    };
    since(plain).map(|since| since.and(feature::NAMESPACED_FUNCTIONS))
}

/// The functions of a profile, by the names that completion offers.
pub fn names(profile: Profile) -> impl Iterator<Item = &'static str> {
    let all = signatures()
        .iter()
        .map(|(name, signature)| (name.as_str(), signature.since));
    all.filter(move |(_, since)| profile.has(*since))
        .map(|(name, _)| name)
}

/// Declaring functions.
impl Function {
    fn new(name: &'static str, implementation: Implementation) -> Function {
        Function {
            name,
            since: Since::ALWAYS,
            params: Vec::new(),
            variadic: None,
            return_type: ReturnType::Is(Type::Dynamic),
            implementation,
            not_null: false,
        }
    }

    fn takes(mut self, param: Param) -> Function {
        self.params.push(param);
        self
    }

    fn takes_more(mut self, param: Param) -> Function {
        self.variadic = Some(param);
        self
    }

    fn returns(mut self, ty: Type) -> Function {
        self.return_type = ReturnType::Is(ty);
        self
    }

    fn returns_of(mut self, of: fn(&[Value]) -> Result<Type, CallError>) -> Function {
        self.return_type = ReturnType::Of(of);
        self
    }

    fn not_null(mut self) -> Function {
        self.not_null = true;
        self
    }
}

impl Param {
    fn new(name: &'static str, ty: Type) -> Param {
        Param {
            name,
            ty,
            allow_null: false,
            allow_unknown: false,
            allow_dynamic: false,
            allow_marked: false,
            marks_unknown: false,
        }
    }

    fn string(name: &'static str) -> Param {
        Param::new(name, Type::String)
    }

    fn number(name: &'static str) -> Param {
        Param::new(name, Type::Number)
    }

    /// Takes values of any type.
    fn any(name: &'static str) -> Param {
        Param::new(name, Type::Dynamic)
    }

    fn or_null(self) -> Param {
        Param {
            allow_null: true,
            ..self
        }
    }

    fn or_unknown(self) -> Param {
        Param {
            allow_unknown: true,
            ..self
        }
    }

    fn or_dynamic(self) -> Param {
        Param {
            allow_dynamic: true,
            ..self
        }
    }

    fn or_marked(self) -> Param {
        Param {
            allow_marked: true,
            ..self
        }
    }

    /// As most functions of Terraform itself do it, other than those of cty.
    fn or_marked_throughout(self) -> Param {
        Param {
            marks_unknown: true,
            ..self.or_marked()
        }
    }
}

/// The text of an argument that the parameter made a known string without marks.
fn text(arg: &Value) -> &str {
    arg.as_str().unwrap_or_default()
}

/// The elements of an argument that the parameter made a known list, set or tuple without marks.
fn elements(arg: &Value) -> &[Value] {
    arg.as_slice().unwrap_or_default()
}

/// The integer that a known number stands for.
fn whole(arg: &Value) -> Result<i64, String> {
    arg.as_i64().ok_or_else(|| {
        format!(
            "value must be a whole number, between {} and {}",
            i64::MIN,
            i64::MAX
        )
    })
}

/// The float that a known number stands for.
fn float(arg: &Value) -> Result<f64, String> {
    let float = arg.as_number().map_or(0.0, |number| number.to_f64());
    match arg.as_number().is_some_and(|number| number.is_infinite()) || float.is_finite() {
        true => Ok(float),
        false => Err(format!(
            "value must be between {:.6} and {:.6} inclusive",
            -f64::MAX,
            f64::MAX
        )),
    }
}

/// Text in quotes, as Go's `%q` shows it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if (c as u32) < 0x20 || c == '\u{7f}' => {
                out.push_str(&format!("\\x{:02x}", c as u32))
            }
            c if c.is_control()
                || matches!(
                    c,
                    '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{a0}' | '\u{ad}'
                ) =>
            {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text for a message: in quotes, or a substitute if the marks forbid to show it.
fn redacted(shown: String, marks: &cty::Marks) -> String {
    use cty::Mark;
    match (
        marks.contains(&Mark::Ephemeral),
        marks.contains(&Mark::Sensitive),
    ) {
        (true, true) => "(ephemeral sensitive value)".to_owned(),
        (true, false) => "(ephemeral value)".to_owned(),
        (false, true) => "(sensitive value)".to_owned(),
        (false, false) => shown,
    }
}

/// A list value of `Of` elements' type, for functions that make lists of strings.
fn strings(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Value {
    Value::list(Type::String, texts.into_iter().map(Value::string).collect())
}
