//! Marks: what is known about a value beside the value itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::{Path, PathStep, Value, walk};

/// A mark travels with a value into everything computed from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// Must not be shown.
    Sensitive,
    /// Must not be stored in a plan or state.
    Ephemeral,
    Other(SmolStr),
}

pub type Marks = BTreeSet<Mark>;

/// Whether no message may show the value that has these marks.
pub fn is_secret(marks: &Marks) -> bool {
    marks.contains(&Mark::Sensitive) || marks.contains(&Mark::Ephemeral)
}

/// The marks found at a place inside a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMarks {
    pub path: Path,
    pub marks: Marks,
}

impl PathMarks {
    pub fn sensitive(path: Path) -> PathMarks {
        PathMarks {
            path,
            marks: Marks::from([Mark::Sensitive]),
        }
    }
}

static NO_MARKS: Marks = Marks::new();

/// Marks on the value itself; see `*_deep` for those anywhere inside.
///
/// Marks never stand inside a set: those of an element stand on the set itself.
impl Value {
    /// The marks of the value itself, not of its elements.
    pub fn marks(&self) -> &Marks {
        self.shared_marks().as_deref().unwrap_or(&NO_MARKS)
    }

    /// Whether the value itself is marked, not whether its elements are.
    pub fn is_marked(&self) -> bool {
        self.shared_marks().is_some()
    }

    /// Whether the value itself has this mark.
    pub fn has_mark(&self, mark: &Mark) -> bool {
        self.marks().contains(mark)
    }

    /// Whether the value or anything in it is marked.
    pub fn contains_marked(&self) -> bool {
        self.is_marked() || self.has_marks_inside()
    }

    /// Whether the value or anything in it has this mark.
    pub fn contains_mark(&self, mark: &Mark) -> bool {
        self.has_mark(mark)
            || self.has_marks_inside()
                && self
                    .elements_inside()
                    .any(|(_, element)| element.contains_mark(mark))
    }

    /// The value with one more mark.
    pub fn mark(&self, mark: Mark) -> Value {
        self.mark_all(&Marks::from([mark]))
    }

    /// The value with these marks too.
    pub fn mark_all(&self, marks: &Marks) -> Value {
        if marks.is_subset(self.marks()) {
            return self.clone();
        }
        self.with_marks(Some(Arc::new(self.marks().union(marks).cloned().collect())))
    }

    /// The value with also the marks of all `others` (not of their elements).
    pub fn with_same_marks<'a>(&self, others: impl IntoIterator<Item = &'a Value>) -> Value {
        others
            .into_iter()
            .fold(self.clone(), |value, other| match other.is_marked() {
                true => value.mark_all(other.marks()),
                false => value,
            })
    }

    /// The value without its own marks, and those marks.
    pub fn unmark(&self) -> (Value, Marks) {
        (self.with_marks(None), self.marks().clone())
    }

    /// The value without any marks inside it, and all those marks together.
    pub fn unmark_deep(&self) -> (Value, Marks) {
        let mut all = self.marks().clone();
        let value = match self.has_marks_inside() {
            true => self.rebuild(|_, element| {
                let (element, marks) = element.unmark_deep();
                all.extend(marks);
                element
            }),
            false => self.with_marks(None),
        };
        (value, all)
    }

    /// The value without any marks inside it, and those marks with their places, containers before
    /// their elements.
    pub fn unmark_deep_with_paths(&self) -> (Value, Vec<PathMarks>) {
        let mut all = Vec::new();
        let value = take_marks(self, &Path::new(), &mut all);
        (value, all)
    }

    /// Puts marks back in their places; places that do not exist are passed over.
    pub fn mark_with_paths(&self, marks: &[PathMarks]) -> Value {
        if marks.is_empty() {
            return self.clone();
        }
        walk::transform(self, &mut |path, value| {
            marks
                .iter()
                .filter(|marks| marks.path == *path)
                .fold(value, |value, marks| value.mark_all(&marks.marks))
        })
    }
}

fn take_marks(value: &Value, path: &Path, all: &mut Vec<PathMarks>) -> Value {
    if value.is_marked() {
        all.push(PathMarks {
            path: path.clone(),
            marks: value.marks().clone(),
        });
    }
    if !value.has_marks_inside() {
        return value.with_marks(None);
    }
    let is_object = value.ty().is_object();
    value.rebuild(|key, element| {
        let step = PathStep::for_key(key, is_object);
        take_marks(element, &path.step(step), all)
    })
}
