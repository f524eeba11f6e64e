//! How much memory the values of a program may take.
//!
//! They are counted in bytes, never in time. So the same text stops at the same place on every machine, and a plan that
//! was repaired edit by edit equals one that is made anew.

use std::cell::Cell;

use text::{Problem, TextRange};

use crate::evaluate::Fault;
use crate::value::{Object, Secret, Source, Value};

/// The code of the diagnostic.
const EVALUATION_LIMIT: &str = "evaluation-limit";

/// An entry of a map, beside its key and its value.
const ENTRY: usize = 32;

/// How often the URN of a resource is kept: in its steps, for its aliases, and in the options of its children.
const URNS: usize = 3;

/// Values of variables, resources and functions nest no deeper: the text of a plan grows with the square of the depth.
const MAX_DEPTH: usize = 200;

/// Limits, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Of one variable, resource or output.
    pub object: u64,
    /// Of all of them.
    pub program: u64,
}

impl Default for Budget {
    /// The editor's.
    fn default() -> Budget {
        Budget {
            object: 16 << 20,
            program: 64 << 20,
        }
    }
}

impl Budget {
    /// So many times as much.
    pub fn times(self, factor: u32) -> Budget {
        Budget {
            object: self.object.saturating_mul(factor.into()),
            program: self.program.saturating_mul(factor.into()),
        }
    }
}

/// The rest of a budget during an evaluation.
#[derive(Debug, Clone)]
pub struct Meter {
    limit: u64,
    spent: Cell<u64>,
}

impl Default for Meter {
    /// Of an expression that is evaluated for itself.
    fn default() -> Meter {
        Meter::new(Budget::default().object)
    }
}

impl Meter {
    pub fn new(limit: u64) -> Meter {
        Meter {
            limit,
            spent: Cell::new(0),
        }
    }

    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    pub(crate) fn left(&self) -> u64 {
        self.limit - self.spent()
    }

    /// Counts so many bytes. An error where there are not as many left.
    pub(crate) fn take(&self, bytes: usize, at: TextRange) -> Result<(), Fault> {
        let spent = self.spent.get().saturating_add(bytes as u64);
        self.spent.set(spent.min(self.limit));
        if spent <= self.limit {
            return Ok(());
        }
        let limit = format!("after {} KiB of values", self.limit >> 10);
        Err(stopped(&limit, "smaller", at))
    }

    /// Counts a value that is copied or made by a function. An error where it nests too deep.
    pub(crate) fn take_value(&self, value: &Value, at: TextRange) -> Result<(), Fault> {
        if value.depth() > MAX_DEPTH {
            let limit = format!("at {MAX_DEPTH} levels of nested values");
            return Err(stopped(&limit, "less deep", at));
        }
        self.take(value.size(), at)
    }
}

fn stopped(limit: &str, remedy: &str, at: TextRange) -> Fault {
    let detail = format!(
        "Evaluation stopped {limit}. The value is treated as unknown. Make the values that this expression builds {remedy}."
    );
    let problem = Problem::error(EVALUATION_LIMIT, "Evaluation limit reached", detail, at);
    Fault::Problem(Box::new(problem))
}

impl Value {
    /// The memory that it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        let inner = match self {
            Value::Null
            | Value::NullOutput
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Unknown => 0,
            Value::String(text) | Value::Secret(Secret::Sealed(text)) => text.len(),
            Value::Array(elements) => elements.iter().map(Value::size).sum(),
            Value::Object(object) => size_of_object(object),
            Value::Secret(Secret::Known(value)) => value.size(),
            Value::Asset(asset) => asset.hash.len() + size_of_source(&asset.source),
            Value::Archive(archive) => archive.hash.len() + size_of_source(&archive.source),
            Value::Resource(resource) => {
                URNS * resource.urn.len() + resource.id.as_ref().map_or(0, |it| it.size())
            }
        };
        size_of::<Value>() + inner
    }

    /// The levels of lists and objects in each other.
    fn depth(&self) -> usize {
        let inner = match self {
            Value::Array(elements) => elements.iter().map(Value::depth).max(),
            Value::Object(object) => object.values().map(Value::depth).max(),
            Value::Secret(Secret::Known(value)) => return value.depth(),
            Value::Archive(archive) => match &archive.source {
                Source::Assets(assets) => assets.values().map(Value::depth).max(),
                Source::Text(_) | Source::Path(_) | Source::Uri(_) => None,
            },
            _ => None,
        };
        inner.map_or(0, |it| it + 1)
    }
}

fn size_of_object(object: &Object) -> usize {
    let entries = object.iter();
    entries
        .map(|(key, value)| ENTRY + key.len() + value.size())
        .sum()
}

fn size_of_source(source: &Source) -> usize {
    match source {
        Source::Text(text) | Source::Path(text) | Source::Uri(text) => text.len(),
        Source::Assets(assets) => size_of_object(assets),
    }
}
