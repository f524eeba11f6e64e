//! Refinements: what is known about an unknown value.

use std::fmt;

use smol_str::SmolStr;

use crate::value::normalize;
use crate::{Marks, Number, Type, Value, test_conformance, text};

/// What is known about an unknown value. Which fields are used depends on its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Refinement {
    /// `Some(false)`: the value will not be null.
    pub nullable: Option<bool>,
    /// Of a string: the text it will begin with.
    pub string_prefix: SmolStr,
    pub number_lower: Option<NumberBound>,
    pub number_upper: Option<NumberBound>,
    /// Of a collection.
    pub length_lower: u64,
    pub length_upper: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NumberBound {
    pub value: Number,
    pub inclusive: bool,
}

/// A list of unknown elements stands for an unknown list up to this length.
const MAX_UNKNOWN_ELEMENTS: u64 = 65_536;

/// Collects refinements for a value; see `Value::refine`.
///
/// Refining never changes a known value nor the unknown value of unknown type. What does not apply
/// to the type, or contradicts what is known already, is passed over.
#[derive(Debug, Clone)]
pub struct RefinementBuilder {
    value: Value,
    marks: Marks,
    refinement: Refinement,
}

impl RefinementBuilder {
    pub fn not_null(mut self) -> Self {
        self.refinement.nullable.get_or_insert(false);
        self
    }

    /// The value will be null, so it is.
    pub fn null(mut self) -> Self {
        self.refinement.nullable.get_or_insert(true);
        self
    }

    /// The string begins with `prefix`, cut back to where more text cannot change its last character.
    pub fn string_prefix(self, prefix: &str) -> Self {
        self.string_prefix_full(&text::safe_prefix(prefix))
    }

    /// The string begins with exactly `prefix`; the caller knows that what follows does not combine
    /// with it.
    pub fn string_prefix_full(mut self, prefix: &str) -> Self {
        let prefix = normalize(prefix);
        if *self.value.ty() == Type::String
            && prefix.len() > self.refinement.string_prefix.len()
            && prefix.starts_with(self.refinement.string_prefix.as_str())
        {
            self.refinement.string_prefix = prefix;
        }
        self
    }

    pub fn number_lower_bound(mut self, value: Number, inclusive: bool) -> Self {
        let bound = NumberBound { value, inclusive };
        let is_tighter = self.refinement.number_lower.as_ref().is_none_or(|old| {
            let order = bound.value.compare(&old.value);
            order.is_gt() || order.is_eq() && (old.inclusive || !bound.inclusive)
        });
        let fits = are_consistent(Some(&bound), self.refinement.number_upper.as_ref());
        let says_something = !(bound.value.is_infinite() && bound.value.is_negative());
        if *self.value.ty() == Type::Number && is_tighter && fits && says_something {
            self.refinement.number_lower = Some(bound);
        }
        self
    }

    pub fn number_upper_bound(mut self, value: Number, inclusive: bool) -> Self {
        let bound = NumberBound { value, inclusive };
        let is_tighter = self.refinement.number_upper.as_ref().is_none_or(|old| {
            let order = bound.value.compare(&old.value);
            order.is_lt() || order.is_eq() && (old.inclusive || !bound.inclusive)
        });
        let fits = are_consistent(self.refinement.number_lower.as_ref(), Some(&bound));
        let says_something = !bound.value.is_infinite() || bound.value.is_negative();
        if *self.value.ty() == Type::Number && is_tighter && fits && says_something {
            self.refinement.number_upper = Some(bound);
        }
        self
    }

    /// Both bounds, inclusive.
    pub fn number_range(self, lower: Number, upper: Number) -> Self {
        self.number_lower_bound(lower, true)
            .number_upper_bound(upper, true)
    }

    pub fn length_lower_bound(mut self, length: u64) -> Self {
        let fits = self
            .refinement
            .length_upper
            .is_none_or(|upper| length <= upper);
        if self.value.ty().is_collection() && length > self.refinement.length_lower && fits {
            self.refinement.length_lower = length;
        }
        self
    }

    pub fn length_upper_bound(mut self, length: u64) -> Self {
        let is_tighter = self
            .refinement
            .length_upper
            .is_none_or(|upper| length < upper);
        let fits = self.refinement.length_lower <= length;
        if self.value.ty().is_collection() && is_tighter && fits {
            self.refinement.length_upper = Some(length);
        }
        self
    }

    pub fn length(self, length: u64) -> Self {
        self.length_lower_bound(length).length_upper_bound(length)
    }

    /// The refined value; known if the refinements leave only one.
    pub fn build(self) -> Value {
        let RefinementBuilder {
            value,
            marks,
            refinement,
        } = self;
        let refined = match value.is_known() || value.ty().is_dynamic() {
            true => value,
            false => collapse(value.ty(), &refinement)
                .unwrap_or_else(|| Value::refined(value.ty().clone(), refinement)),
        };
        refined.mark_all(&marks)
    }
}

fn are_consistent(lower: Option<&NumberBound>, upper: Option<&NumberBound>) -> bool {
    let (Some(lower), Some(upper)) = (lower, upper) else {
        return true;
    };
    let order = lower.value.compare(&upper.value);
    order.is_lt() || order.is_eq() && lower.inclusive == upper.inclusive
}

/// The value of which there is only one, or that says the same by its elements.
fn collapse(ty: &Type, refinement: &Refinement) -> Option<Value> {
    if refinement.nullable? {
        return Some(Value::null(ty.clone()));
    }
    match ty {
        Type::Number => {
            let (lower, upper) = (
                refinement.number_lower.as_ref()?,
                refinement.number_upper.as_ref()?,
            );
            let is_one = lower.inclusive && upper.inclusive && lower.value == upper.value;
            is_one.then(|| Value::number(lower.value.clone()))
        }
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            let length = refinement.length_upper?;
            if length != refinement.length_lower {
                return None;
            }
            let element = Type::clone(element);
            match (ty, length) {
                (Type::Map(_), 0) => Some(Value::map(element, std::iter::empty::<(&str, _)>())),
                (Type::Map(_), _) => None,
                // Several unknown elements of a set may turn out to be equal.
                (Type::Set(_), 0 | 1) => {
                    let elements = vec![Value::unknown(element.clone()); length as usize];
                    Some(Value::set(element, elements))
                }
                (Type::List(_), 0..=MAX_UNKNOWN_ELEMENTS) => {
                    let elements = vec![Value::unknown(element.clone()); length as usize];
                    Some(Value::list(element, elements))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What values a possibly unknown value may turn out to have.
#[derive(Debug, Clone)]
pub struct ValueRange {
    ty: Type,
    refinement: Refinement,
}

impl ValueRange {
    /// The type, as far as it is known.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    pub fn could_be_null(&self) -> bool {
        self.refinement.nullable != Some(false)
    }

    pub fn definitely_not_null(&self) -> bool {
        !self.could_be_null()
    }

    /// What a string begins with.
    pub fn string_prefix(&self) -> SmolStr {
        self.refinement.string_prefix.clone()
    }

    /// `None`: none, or not a number.
    pub fn number_lower_bound(&self) -> Option<NumberBound> {
        self.refinement.number_lower.clone()
    }

    /// `None`: none, or not a number.
    pub fn number_upper_bound(&self) -> Option<NumberBound> {
        self.refinement.number_upper.clone()
    }

    /// Of a collection.
    pub fn length_lower_bound(&self) -> u64 {
        self.refinement.length_lower
    }

    /// `None`: none, or not a collection.
    pub fn length_upper_bound(&self) -> Option<u64> {
        self.refinement.length_upper
    }

    /// Whether a value is in this range: a bool, unknown if it may be.
    pub fn includes(&self, value: &Value) -> Value {
        let unknown = Value::unknown(Type::Bool).refine_not_null();
        match (self.refinement.nullable, value.is_null()) {
            (Some(true), is_null) => return Value::bool(is_null),
            (Some(false), true) => return Value::bool(false),
            (None, true) => return Value::bool(true),
            (_, false) => {}
        }
        if !test_conformance(value.ty(), &self.ty).is_empty() {
            return Value::bool(false);
        }
        let range = value.range();
        let is_outside = match value.ty() {
            Type::String => value
                .as_str()
                .is_some_and(|text| !text.starts_with(self.refinement.string_prefix.as_str())),
            Type::List(_) | Type::Set(_) | Type::Map(_) => {
                let (lower, upper) = possible_lengths(value);
                is_above(lower, self.length_upper_bound())
                    || is_above(self.length_lower_bound(), upper)
            }
            Type::Number => {
                are_apart(range.number_lower_bound(), self.number_upper_bound())
                    || are_apart(self.number_lower_bound(), range.number_upper_bound())
            }
            _ => false,
        };
        if is_outside {
            Value::bool(false)
        } else {
            unknown
        }
    }

    /// The bounds, as numbers that may be infinite. `None`: the type is not known to be number.
    fn bounds(&self) -> Option<[Number; 2]> {
        let value = |bound: Option<NumberBound>, negative| {
            bound.map_or_else(|| Number::infinity(negative), |bound| bound.value)
        };
        (self.ty == Type::Number).then(|| {
            [
                value(self.number_lower_bound(), true),
                value(self.number_upper_bound(), false),
            ]
        })
    }

    /// Whether every number of this range is below every one of the other: true, false or open.
    pub(crate) fn is_below(&self, other: &ValueRange) -> Option<bool> {
        let ([lower, upper], [other_lower, other_upper]) = (self.bounds()?, other.bounds()?);
        if upper.compare(&other_lower).is_lt() {
            return Some(true);
        }
        lower.compare(&other_upper).is_gt().then_some(false)
    }
}

/// How many elements a collection has at least, and at most.
fn possible_lengths(value: &Value) -> (u64, Option<u64>) {
    if !value.can_iterate() {
        let range = value.range();
        return (range.length_lower_bound(), range.length_upper_bound());
    }
    // Unknown elements of a set may turn out to be equal.
    let most = value.elements().len() as u64;
    (
        value.length_int().map_or(1, |length| length as u64),
        Some(most),
    )
}

fn is_above(lower: u64, upper: Option<u64>) -> bool {
    upper.is_some_and(|upper| lower > upper)
}

/// Whether a lower bound excludes everything that an upper bound lets in.
fn are_apart(lower: Option<NumberBound>, upper: Option<NumberBound>) -> bool {
    let (Some(lower), Some(upper)) = (lower, upper) else {
        return false;
    };
    let order = lower.value.compare(&upper.value);
    order.is_gt() || order.is_eq() && !(lower.inclusive && upper.inclusive)
}

/// The bounds of a result, given those of the operands and an operation that is monotonic in each.
pub(crate) fn arithmetic_bounds(
    op: impl Fn(&Number, &Number) -> Option<Number>,
    a: &ValueRange,
    b: &ValueRange,
) -> Option<[Number; 2]> {
    let (a, b) = (a.bounds()?, b.bounds()?);
    // Where one corner is not a number, none says anything.
    let corners = a
        .iter()
        .flat_map(|x| b.iter().map(|y| op(x, y)))
        .collect::<Option<Vec<Number>>>()?;
    let lowest = corners.iter().min_by(|x, y| x.compare(y))?;
    let highest = corners.iter().rev().max_by(|x, y| x.compare(y))?;
    Some([lowest.clone(), highest.clone()])
}

impl Value {
    /// Starts refining; marks stay on the result.
    pub fn refine(&self) -> RefinementBuilder {
        let (value, marks) = self.unmark();
        let refinement = value.refinement().cloned().unwrap_or_default();
        RefinementBuilder {
            value,
            marks,
            refinement,
        }
    }

    /// Short for `refine().not_null().build()`.
    pub fn refine_not_null(&self) -> Value {
        match self.is_known() {
            true => self.clone(),
            false => self.refine().not_null().build(),
        }
    }

    /// What the value may turn out to be; marks are passed over.
    pub fn range(&self) -> ValueRange {
        let (value, _) = self.unmark();
        let mut refinement = value.refinement().cloned().unwrap_or_default();
        if value.is_known() {
            refinement.nullable = Some(value.is_null());
        }
        if let Some(text) = value.as_str() {
            refinement.string_prefix = text.into();
        } else if let Some(number) = value.as_number() {
            let bound = NumberBound {
                value: number.clone(),
                inclusive: true,
            };
            refinement.number_lower = Some(bound.clone());
            refinement.number_upper = Some(bound);
        } else if value.ty().is_collection()
            && let Some(length) = value.length_int()
        {
            refinement.length_lower = length as u64;
            refinement.length_upper = Some(length as u64);
        }
        ValueRange {
            ty: value.ty().clone(),
            refinement,
        }
    }

    /// Whether the value is not null, or is refined not to be.
    pub fn is_definitely_not_null(&self) -> bool {
        match self.is_known() {
            true => !self.is_null(),
            false => self
                .refinement()
                .is_some_and(|refinement| refinement.nullable == Some(false)),
        }
    }
}

/// Each followed after a comma: `, not null, prefix "a", >= 1, length <= 3`.
impl fmt::Display for Refinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nullable {
            Some(false) => f.write_str(", not null")?,
            Some(true) => f.write_str(", null")?,
            None => {}
        }
        if !self.string_prefix.is_empty() {
            write!(f, ", prefix {:?}", self.string_prefix)?;
        }
        for (bound, sign) in [(&self.number_lower, ">"), (&self.number_upper, "<")] {
            if let Some(NumberBound { value, inclusive }) = bound {
                write!(f, ", {sign}{} {value}", if *inclusive { "=" } else { "" })?;
            }
        }
        if self.length_lower > 0 {
            write!(f, ", length >= {}", self.length_lower)?;
        }
        match self.length_upper {
            Some(upper) => write!(f, ", length <= {upper}"),
            None => Ok(()),
        }
    }
}
