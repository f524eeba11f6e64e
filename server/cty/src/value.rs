//! Values: known, null or unknown, of a type, with marks.

mod entries;
mod make;
mod share;

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::{Mark, Marks, Number, Refinement, Type, budget};

pub use entries::{Entries, EntriesIter};
pub use share::Parts;

/// A value of the language: known, null or unknown, of a type, with marks. A clone is cheap.
///
/// `==` and `Hash` are those of `raw_equals`: same type, same content, same marks; use `equals`
/// for the language's `==`. `Debug` shows sensitive values as `(sensitive)`.
#[derive(Clone)]
pub struct Value {
    data: Data,
    marks: Option<Arc<Marks>>,
}

#[derive(Clone)]
enum Data {
    Null(Type),
    Unknown(Type),
    Refined(Arc<Refined>),
    Bool(bool),
    Number(Number),
    String(SmolStr),
    Sequence(Arc<Sequence>),
    Mapping(Arc<Mapping>),
    Capsule(Arc<Capsule>),
}

/// An unknown value of which something is known.
struct Refined {
    ty: Type,
    refinement: Refinement,
}

/// List, set (in the order of iteration) or tuple.
struct Sequence {
    ty: Type,
    elements: Vec<Value>,
    inside: Inside,
}

/// Map or object.
struct Mapping {
    ty: Type,
    entries: Entries,
    inside: Inside,
}

struct Capsule {
    ty: Type,
    payload: Arc<dyn Any + Send + Sync>,
}

/// What elements at any depth are like.
#[derive(Clone, Copy)]
struct Inside {
    wholly_known: bool,
    contains_marked: bool,
    size: u64,
    depth: u16,
}

impl Inside {
    fn of<'a>(elements: impl Iterator<Item = &'a Value>) -> Inside {
        let mut inside = Inside {
            wholly_known: true,
            contains_marked: false,
            size: OWN_SIZE,
            depth: 0,
        };
        for element in elements {
            inside.wholly_known &= element.is_wholly_known();
            inside.contains_marked |= element.contains_marked();
            inside.size = inside.size.saturating_add(element.size());
            inside.depth = inside.depth.max(element.depth());
        }
        inside.depth = inside.depth.saturating_add(1);
        budget::check_size(inside.size, inside.depth);
        inside
    }
}

/// Bytes of a value beside its text and its elements.
const OWN_SIZE: u64 = size_of::<Value>() as u64;

/// Text in Unicode normal form C.
pub(crate) fn normalize(text: &str) -> SmolStr {
    use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
    match text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        true => text.into(),
        false => text.nfc().collect(),
    }
}

/// Looking into values. Accessors answer `None` on null, unknown and marked values.
impl Value {
    pub fn ty(&self) -> &Type {
        static BOOL: Type = Type::Bool;
        static NUMBER: Type = Type::Number;
        static STRING: Type = Type::String;
        match &self.data {
            Data::Null(ty) | Data::Unknown(ty) => ty,
            Data::Refined(refined) => &refined.ty,
            Data::Bool(_) => &BOOL,
            Data::Number(_) => &NUMBER,
            Data::String(_) => &STRING,
            Data::Sequence(sequence) => &sequence.ty,
            Data::Mapping(mapping) => &mapping.ty,
            Data::Capsule(capsule) => &capsule.ty,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null(_))
    }

    /// Not unknown; elements may be. Null is known.
    pub fn is_known(&self) -> bool {
        !matches!(self.data, Data::Unknown(_) | Data::Refined(_))
    }

    /// Nothing in the value is unknown. Marks are passed over.
    pub fn is_wholly_known(&self) -> bool {
        match &self.data {
            Data::Unknown(_) | Data::Refined(_) => false,
            Data::Sequence(sequence) => sequence.inside.wholly_known,
            Data::Mapping(mapping) => mapping.inside.wholly_known,
            Data::Null(_)
            | Data::Bool(_)
            | Data::Number(_)
            | Data::String(_)
            | Data::Capsule(_) => true,
        }
    }

    /// Whether the type of everything inside is known. Of null it is, whatever the type.
    pub fn has_wholly_known_type(&self) -> bool {
        match &self.data {
            Data::Null(_) => true,
            Data::Unknown(ty) => !ty.has_dynamic(),
            Data::Refined(refined) => !refined.ty.has_dynamic(),
            Data::Sequence(sequence) => {
                sequence.inside.wholly_known
                    || sequence.elements.iter().all(Value::has_wholly_known_type)
            }
            Data::Mapping(mapping) => {
                mapping.inside.wholly_known
                    || mapping.entries.values().all(Value::has_wholly_known_type)
            }
            Data::Bool(_) | Data::Number(_) | Data::String(_) | Data::Capsule(_) => true,
        }
    }

    /// About how many bytes the value would take if nothing in it were shared: how much there is to walk through.
    pub fn size(&self) -> u64 {
        match &self.data {
            Data::String(text) => OWN_SIZE + text.len() as u64,
            Data::Sequence(sequence) => sequence.inside.size,
            Data::Mapping(mapping) => mapping.inside.size,
            Data::Null(_)
            | Data::Unknown(_)
            | Data::Refined(_)
            | Data::Bool(_)
            | Data::Number(_)
            | Data::Capsule(_) => OWN_SIZE,
        }
    }

    /// How many containers are around the innermost element, up to a limit.
    fn depth(&self) -> u16 {
        match &self.data {
            Data::Sequence(sequence) => sequence.inside.depth,
            Data::Mapping(mapping) => mapping.inside.depth,
            _ => 0,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match (&self.data, &self.marks) {
            (Data::String(text), None) => Some(text),
            _ => None,
        }
    }

    pub fn as_number(&self) -> Option<&Number> {
        match (&self.data, &self.marks) {
            (Data::Number(number), None) => Some(number),
            _ => None,
        }
    }

    /// The integer, if the value is a number that is one.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    pub fn as_bool(&self) -> Option<bool> {
        match (&self.data, &self.marks) {
            (Data::Bool(value), None) => Some(*value),
            _ => None,
        }
    }

    /// Whether the value is known to be true, and unmarked.
    pub fn as_true(&self) -> bool {
        self.as_bool() == Some(true)
    }

    /// Whether the value is known to be false, and unmarked.
    pub fn as_false(&self) -> bool {
        self.as_bool() == Some(false)
    }

    /// The elements of a list, set or tuple. A set's are in their order of iteration.
    pub fn as_slice(&self) -> Option<&[Value]> {
        match (&self.data, &self.marks) {
            (Data::Sequence(sequence), None) => Some(&sequence.elements),
            _ => None,
        }
    }

    /// The elements of a map or the attributes of an object.
    pub fn as_map(&self) -> Option<&Entries> {
        match (&self.data, &self.marks) {
            (Data::Mapping(mapping), None) => Some(&mapping.entries),
            _ => None,
        }
    }

    pub fn as_capsule(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        match (&self.data, &self.marks) {
            (Data::Capsule(capsule), None) => Some(&capsule.payload),
            _ => None,
        }
    }

    /// What is known about an unknown value, marked or not.
    pub fn refinement(&self) -> Option<&Refinement> {
        match &self.data {
            Data::Refined(refined) => Some(&refined.refinement),
            _ => None,
        }
    }

    /// Whether there are elements to iterate over: known, not null, unmarked, and of a type that
    /// has them.
    pub fn can_iterate(&self) -> bool {
        self.marks.is_none() && matches!(self.data, Data::Sequence(_) | Data::Mapping(_))
    }

    /// Key and element of each element, in order: list and tuple by index, map and object by name,
    /// set in the order of its elements (the key is the element). Nothing if `!can_iterate()`.
    pub fn elements(&self) -> Elements<'_> {
        match self.marks {
            None => self.elements_inside(),
            Some(_) => Elements(Remaining::Sequence {
                is_set: false,
                index: 0,
                elements: &[],
            }),
        }
    }

    /// `elements`, of a marked value too.
    pub(crate) fn elements_inside(&self) -> Elements<'_> {
        Elements(match &self.data {
            Data::Sequence(sequence) => Remaining::Sequence {
                is_set: sequence.ty.is_set(),
                index: 0,
                elements: &sequence.elements,
            },
            Data::Mapping(mapping) => Remaining::Mapping(mapping.entries.iter()),
            _ => Remaining::Sequence {
                is_set: false,
                index: 0,
                elements: &[],
            },
        })
    }

    /// How many elements: `None` if null, unknown or marked, and for a set whose unknown elements
    /// may turn out to be equal.
    pub fn length_int(&self) -> Option<usize> {
        match (&self.data, &self.marks) {
            (Data::Sequence(sequence), None) => {
                let length = sequence.elements.len();
                let is_certain =
                    !sequence.ty.is_set() || length < 2 || sequence.inside.wholly_known;
                is_certain.then_some(length)
            }
            (Data::Mapping(mapping), None) => Some(mapping.entries.len()),
            _ => None,
        }
    }

    /// The attribute of a known, unmarked object (or element of such a map), without copying.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let entries = self.as_map()?;
        entries
            .get(name)
            .or_else(|| entries.get(normalize(name).as_str()))
    }

    /// Same type, same content, same marks. Unknown values are the same if equally refined.
    pub fn raw_equals(&self, other: &Value) -> bool {
        budget::spend(1);
        self.marks == other.marks
            && match (&self.data, &other.data) {
                (Data::Null(a), Data::Null(b)) | (Data::Unknown(a), Data::Unknown(b)) => a == b,
                (Data::Refined(a), Data::Refined(b)) => {
                    Arc::ptr_eq(a, b) || a.ty == b.ty && a.refinement == b.refinement
                }
                (Data::Bool(a), Data::Bool(b)) => a == b,
                (Data::Number(a), Data::Number(b)) => a == b,
                (Data::String(a), Data::String(b)) => a == b,
                (Data::Sequence(a), Data::Sequence(b)) => {
                    Arc::ptr_eq(a, b) || a.ty == b.ty && a.elements == b.elements
                }
                (Data::Mapping(a), Data::Mapping(b)) => {
                    Arc::ptr_eq(a, b) || a.ty == b.ty && a.entries == b.entries
                }
                (Data::Capsule(a), Data::Capsule(b)) => {
                    a.ty == b.ty
                        && std::ptr::addr_eq(Arc::as_ptr(&a.payload), Arc::as_ptr(&b.payload))
                }
                _ => false,
            }
    }

    /// Adds everything that `raw_equals` sees to a hash.
    pub fn fingerprint(&self, state: &mut impl Hasher) {
        self.hash(state);
    }

    /// The value with unknown parts as null of their type.
    pub fn unknown_as_null(&self) -> Value {
        if self.is_wholly_known() {
            return self.clone();
        }
        let data = match &self.data {
            Data::Unknown(ty) => Data::Null(ty.clone()),
            Data::Refined(refined) => Data::Null(refined.ty.clone()),
            _ => {
                let changed = self.rebuild(|_, element| element.unknown_as_null());
                return changed.mark_all(self.marks());
            }
        };
        Value {
            data,
            marks: self.marks.clone(),
        }
    }

    /// A container of the same kind with changed elements, unmarked. Not containers stay.
    pub(crate) fn rebuild(&self, mut change: impl FnMut(&Value, &Value) -> Value) -> Value {
        let (value, _) = self.unmark();
        let changed: Vec<_> = value
            .elements()
            .map(|(key, element)| change(&key, element))
            .collect();
        value.with_elements(changed)
    }

    /// A container of the same kind and names with other elements, in order.
    pub(crate) fn with_elements(&self, elements: Vec<Value>) -> Value {
        match (&self.data, self.ty()) {
            (Data::Sequence(_), Type::List(element)) => Value::list(Type::clone(element), elements),
            (Data::Sequence(_), Type::Set(element)) => Value::set(Type::clone(element), elements),
            (Data::Sequence(_), _) => Value::tuple(elements),
            (Data::Mapping(mapping), Type::Map(element)) => {
                Value::map(Type::clone(element), mapping.entries.keys().zip(elements))
            }
            (Data::Mapping(mapping), _) => Value::object(mapping.entries.keys().zip(elements)),
            _ => self.with_marks(None),
        }
        .sharing(self.ty())
    }

    /// Whether anything inside the container is marked; the value's own marks are not counted.
    pub(crate) fn has_marks_inside(&self) -> bool {
        match &self.data {
            Data::Sequence(sequence) => sequence.inside.contains_marked,
            Data::Mapping(mapping) => mapping.inside.contains_marked,
            _ => false,
        }
    }
}

/// Iterates over (key, element).
pub struct Elements<'a>(Remaining<'a>);

enum Remaining<'a> {
    Sequence {
        is_set: bool,
        index: usize,
        elements: &'a [Value],
    },
    Mapping(EntriesIter<'a>),
}

impl<'a> Iterator for Elements<'a> {
    type Item = (Value, &'a Value);

    fn next(&mut self) -> Option<(Value, &'a Value)> {
        budget::spend(1);
        match &mut self.0 {
            Remaining::Sequence {
                is_set,
                index,
                elements,
            } => {
                let element = elements.get(*index)?;
                let key = if *is_set {
                    element.clone()
                } else {
                    Value::number(*index)
                };
                *index += 1;
                Some((key, element))
            }
            Remaining::Mapping(entries) => entries
                .next()
                .map(|(name, element)| (Value::new(Data::String(name.clone())), element)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = match &self.0 {
            Remaining::Sequence {
                index, elements, ..
            } => elements.len() - index,
            Remaining::Mapping(entries) => entries.len(),
        };
        (length, Some(length))
    }
}

impl ExactSizeIterator for Elements<'_> {}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.raw_equals(other)
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.marks.hash(state);
        discriminant(&self.data).hash(state);
        match &self.data {
            Data::Null(ty) | Data::Unknown(ty) => ty.hash(state),
            Data::Refined(refined) => (&refined.ty, &refined.refinement).hash(state),
            Data::Bool(value) => value.hash(state),
            Data::Number(number) => number.hash(state),
            Data::String(text) => text.hash(state),
            Data::Sequence(sequence) => {
                discriminant(&sequence.ty).hash(state);
                if sequence.elements.is_empty() {
                    sequence.ty.hash(state);
                }
                sequence.elements.hash(state);
            }
            Data::Mapping(mapping) => {
                discriminant(&mapping.ty).hash(state);
                if mapping.entries.is_empty() {
                    mapping.ty.hash(state);
                }
                mapping.entries.hash(state);
            }
            Data::Capsule(capsule) => Arc::as_ptr(&capsule.payload).addr().hash(state),
        }
    }
}

/// Near to how the value would be written: `["a", null(string), unknown(number)]`.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = match &self.marks {
            Some(marks) if marks.contains(&Mark::Sensitive) => return f.write_str("(sensitive)"),
            Some(marks) => marks.iter().collect(),
            None => Vec::new(),
        };
        match &self.data {
            Data::Null(Type::Dynamic) => f.write_str("null"),
            Data::Null(ty) => write!(f, "null({ty})"),
            Data::Unknown(ty) => write!(f, "unknown({ty})"),
            Data::Refined(refined) => write!(f, "unknown({}{})", refined.ty, refined.refinement),
            Data::Bool(value) => write!(f, "{value}"),
            Data::Number(number) => write!(f, "{number}"),
            Data::String(text) => write!(f, "{text:?}"),
            Data::Sequence(sequence) => {
                match &sequence.ty {
                    Type::Tuple(_) => {}
                    ty if sequence.elements.is_empty() => write!(f, "{ty}")?,
                    Type::Set(_) => f.write_str("set")?,
                    _ => f.write_str("list")?,
                }
                f.debug_list().entries(&sequence.elements).finish()
            }
            Data::Mapping(mapping) => {
                match &mapping.ty {
                    Type::Map(_) if mapping.entries.is_empty() => write!(f, "{}", mapping.ty)?,
                    Type::Map(_) => f.write_str("map")?,
                    _ => {}
                }
                f.debug_map()
                    .entries(mapping.entries.iter().map(|(k, v)| (k.as_str(), v)))
                    .finish()
            }
            Data::Capsule(capsule) => write!(f, "{}(..)", capsule.ty),
        }?;
        others
            .iter()
            .try_for_each(|mark| write!(f, ".mark({mark:?})"))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::string(text)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::int(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::bool(value)
    }
}
