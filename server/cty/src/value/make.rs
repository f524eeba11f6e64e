//! Making values.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Capsule, Data, Entries, Inside, Mapping, Refined, Sequence, Value, normalize};
use crate::{CapsuleType, Marks, Number, Refinement, Type, budget, set};

/// Strings, attribute names and map keys are brought into normal form C.
impl Value {
    pub(super) fn new(data: Data) -> Value {
        Value { data, marks: None }
    }

    pub fn string(text: impl AsRef<str>) -> Value {
        budget::allocate(text.as_ref().len());
        Value::new(Data::String(normalize(text.as_ref())))
    }

    /// An integer, with 64 bits of precision.
    pub fn int(value: i64) -> Value {
        Value::number(value)
    }

    pub fn number(number: impl Into<Number>) -> Value {
        Value::new(Data::Number(number.into()))
    }

    pub fn bool(value: bool) -> Value {
        Value::new(Data::Bool(value))
    }

    pub fn null(ty: Type) -> Value {
        Value::new(Data::Null(ty))
    }

    pub fn unknown(ty: Type) -> Value {
        Value::new(Data::Unknown(ty))
    }

    /// The unknown value of unknown type.
    pub fn dynamic() -> Value {
        Value::unknown(Type::Dynamic)
    }

    /// An unknown value, unrefined if the refinement says nothing.
    pub(crate) fn refined(ty: Type, refinement: Refinement) -> Value {
        match refinement == Refinement::default() || ty.is_dynamic() {
            true => Value::unknown(ty),
            false => Value::new(Data::Refined(Arc::new(Refined { ty, refinement }))),
        }
    }

    /// A list. Its elements are of one type, which becomes the list's; untyped null and unknown
    /// elements take that type. `element` is the type if there are no others.
    pub fn list(element: Type, elements: Vec<Value>) -> Value {
        let (element, elements) = unified(element, elements);
        Value::sequence(Type::list(element), elements)
    }

    /// A set, its type as in `list`. Equal elements become one; all marks of the elements move to
    /// the set.
    pub fn set(element: Type, elements: Vec<Value>) -> Value {
        let mut marks = Marks::new();
        let unmarked = elements
            .into_iter()
            .map(|element| match element.contains_marked() {
                true => {
                    let (element, own) = element.unmark_deep();
                    marks.extend(own);
                    element
                }
                false => element,
            })
            .collect();
        let (element, elements) = unified(element, unmarked);
        Value::sequence(Type::set(element), set::distinct(elements)).mark_all(&marks)
    }

    /// A map, its type as in `list`.
    pub fn map<N: AsRef<str>>(
        element: Type,
        elements: impl IntoIterator<Item = (N, Value)>,
    ) -> Value {
        let (names, elements): (Vec<_>, Vec<_>) = elements
            .into_iter()
            .map(|(name, element)| (normalize(name.as_ref()), element))
            .unzip();
        let (element, elements) = unified(element, elements);
        let entries: Vec<_> = names.into_iter().zip(elements).collect();
        Value::mapping(Type::map(element), entries.into())
    }

    pub fn object<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Value)>) -> Value {
        let entries: Vec<_> = attributes
            .into_iter()
            .map(|(name, value)| (normalize(name.as_ref()), value))
            .collect();
        Value::object_of(entries.into())
    }

    /// Not generic: otherwise each caller of `object` has a copy.
    fn object_of(entries: Entries) -> Value {
        Value::mapping(object_type(&entries), entries)
    }

    pub fn tuple(elements: Vec<Value>) -> Value {
        Value::sequence(
            Type::tuple(elements.iter().map(|value| value.ty().clone())),
            elements,
        )
    }

    pub fn empty_object() -> Value {
        Value::object(std::iter::empty::<(&str, Value)>())
    }

    pub fn empty_tuple() -> Value {
        Value::tuple(Vec::new())
    }

    pub fn capsule(ty: &CapsuleType, payload: Arc<dyn Any + Send + Sync>) -> Value {
        let ty = Type::Capsule(ty.clone());
        Value::new(Data::Capsule(Arc::new(Capsule { ty, payload })))
    }

    /// Whether values can be the elements of one collection: all of one type, or of unknown type.
    pub fn are_of_one_type<'a>(elements: impl IntoIterator<Item = &'a Value>) -> bool {
        let mut types = elements
            .into_iter()
            .map(Value::ty)
            .filter(|ty| !ty.is_dynamic());
        types.next().is_none_or(|first| types.all(|ty| ty == first))
    }

    fn sequence(ty: Type, elements: Vec<Value>) -> Value {
        charge(elements.len());
        let inside = Inside::of(elements.iter());
        Value::new(Data::Sequence(Arc::new(Sequence {
            ty,
            elements,
            inside,
        })))
    }

    fn mapping(ty: Type, entries: Entries) -> Value {
        charge(entries.len());
        let inside = Inside::of(entries.values());
        Value::new(Data::Mapping(Arc::new(Mapping {
            ty,
            entries,
            inside,
        })))
    }

    /// The value, holding on to the type that is given if it is the same: thousands of objects of one
    /// schema then share one.
    pub(crate) fn sharing(mut self, ty: &Type) -> Value {
        let own = match &mut self.data {
            Data::Sequence(sequence) => Arc::get_mut(sequence).map(|sequence| &mut sequence.ty),
            Data::Mapping(mapping) => Arc::get_mut(mapping).map(|mapping| &mut mapping.ty),
            _ => None,
        };
        if let Some(own) = own.filter(|own| *own == ty) {
            *own = ty.clone();
        }
        self
    }

    /// The same null or unknown value, of another type. Others keep theirs.
    pub(crate) fn with_type(self, ty: &Type) -> Value {
        let data = match self.data {
            Data::Null(_) => Data::Null(ty.clone()),
            Data::Unknown(_) => Data::Unknown(ty.clone()),
            other => other,
        };
        Value {
            data,
            marks: self.marks,
        }
    }

    /// The value with exactly these marks.
    pub(crate) fn with_marks(&self, marks: Option<Arc<Marks>>) -> Value {
        Value {
            data: self.data.clone(),
            marks: marks.filter(|marks| !marks.is_empty()),
        }
    }

    pub(crate) fn shared_marks(&self) -> &Option<Arc<Marks>> {
        &self.marks
    }
}

/// The type of an object. The elements of a list are often alike: an object of the same type as the last one shares it.
fn object_type(entries: &Entries) -> Type {
    thread_local! {
        static LAST: RefCell<Type> = const { RefCell::new(Type::Dynamic) };
    }
    let is_type = |attributes: &BTreeMap<SmolStr, Type>| {
        let mut both = attributes.iter().zip(entries);
        attributes.len() == entries.len()
            && both.all(|((name, ty), (own, value))| name == own && ty == value.ty())
    };
    LAST.with_borrow_mut(|last| {
        if !last.attributes().is_some_and(is_type) {
            let types = entries.iter().map(|(name, it)| (name, it.ty().clone()));
            *last = Type::object(types);
        }
        last.clone()
    })
}

/// Charges a container of so many elements.
fn charge(elements: usize) {
    budget::spend(elements);
    budget::allocate((1 + elements) * size_of::<Value>());
}

/// The one type of a collection's elements, and the elements in that type. Where they are of several
/// types, none is said.
fn unified(fallback: Type, elements: Vec<Value>) -> (Type, Vec<Value>) {
    if !Value::are_of_one_type(&elements) {
        return (Type::Dynamic, elements);
    }
    let typed = elements.iter().map(Value::ty).find(|ty| !ty.is_dynamic());
    let element = typed.cloned().unwrap_or(fallback);
    let in_type = |value: Value| match value.ty().is_dynamic() && !element.is_dynamic() {
        true => value.with_type(&element),
        false => value,
    };
    let elements = elements.into_iter().map(in_type).collect();
    (element, elements)
}
