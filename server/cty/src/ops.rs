//! Operations. Marks of operands travel to the result; unknown operands give unknown results, refined
//! by what is already certain.

use crate::refinement::arithmetic_bounds;
use crate::{Number, Type, Value, budget, set, test_conformance, text};

/// An operation that has no answer. Messages are those that diagnostics show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpError {
    /// An operand is not of the type that the operation is for.
    #[error("{expected} required, but have {found}")]
    Type {
        expected: &'static str,
        found: String,
    },
    /// An operand is null.
    #[error("argument must not be null")]
    Null,
    /// The result is no number (infinity by infinity, zero by zero and the like).
    #[error("the result is not a number")]
    NotANumber,
    /// The object has no such attribute, or the collection no such element.
    #[error("{0}")]
    Missing(String),
}

/// Equality.
impl Value {
    /// The language's `==`: false for values of different types, true for two nulls; unknown while
    /// it is not decided.
    pub fn equals(&self, other: &Value) -> Value {
        if !self.contains_marked() && !other.contains_marked() {
            return self.equals_unmarked(other);
        }
        let (a, a_marks) = self.unmark_deep();
        let (b, b_marks) = other.unmark_deep();
        let result = a.equals_unmarked(&b);
        // Where only one is null nothing inside the other is looked at.
        match a.is_null() != b.is_null() {
            true => result.with_same_marks([self, other]),
            false => result.mark_all(&a_marks).mark_all(&b_marks),
        }
    }

    /// The negation of `equals`.
    pub fn not_equals(&self, other: &Value) -> Value {
        let (equal, marks) = self.equals(other).unmark();
        let result = equal.as_bool().map_or(equal, |equal| Value::bool(!equal));
        result.mark_all(&marks)
    }

    fn equals_unmarked(&self, other: &Value) -> Value {
        match self.decide_equality(other) {
            Some(equal) => Value::bool(equal),
            None => unknown_bool(),
        }
    }

    /// Whether two unmarked values are equal; `None`: unknown.
    fn decide_equality(&self, other: &Value) -> Option<bool> {
        budget::spend(1);
        let (a, b) = (self, other);
        if a.is_null() && b.is_definitely_not_null() || b.is_null() && a.is_definitely_not_null() {
            return Some(false);
        }
        match (a.is_known(), b.is_known()) {
            (true, true) => {}
            (false, false) => return None,
            (true, false) => return decide_with_unknown(a, b),
            (false, true) => return decide_with_unknown(b, a),
        }
        if a.is_null() || b.is_null() {
            return Some(a.is_null() && b.is_null());
        }
        if !a.has_wholly_known_type() || !b.has_wholly_known_type() {
            let may_conform = test_conformance(a.ty(), b.ty()).is_empty()
                || test_conformance(b.ty(), a.ty()).is_empty();
            return if may_conform { None } else { Some(false) };
        }
        if a.ty() != b.ty() {
            return Some(false);
        }
        match (a.as_slice(), b.as_slice()) {
            (Some(a), Some(b)) if self.ty().is_set() => return set::equals(a, b),
            (Some(a), Some(b)) if a.len() == b.len() => return all_equal(a.iter().zip(b)),
            (Some(_), Some(_)) => return Some(false),
            _ => {}
        }
        match (a.as_map(), b.as_map()) {
            (Some(a), Some(b)) if a.keys().eq(b.keys()) => {
                // Entries have no order: one that differs decides, wherever it is.
                let decisions = || {
                    a.values()
                        .zip(b.values())
                        .map(|(a, b)| a.decide_equality(b))
                };
                match decisions().any(|equal| equal == Some(false)) {
                    true => Some(false),
                    false => decisions().all(|equal| equal == Some(true)).then_some(true),
                }
            }
            (Some(_), Some(_)) => Some(false),
            _ => Some(a.raw_equals(b)),
        }
    }
}

/// Whether a known value may equal an unknown one.
fn decide_with_unknown(known: &Value, unknown: &Value) -> Option<bool> {
    let is_excluded = unknown.range().includes(known).as_false();
    // An unknown value may become null, and all nulls are equal.
    let may_be_equal = known.is_null() || unknown.ty().has_dynamic() || known.ty() == unknown.ty();
    if is_excluded || !may_be_equal {
        Some(false)
    } else {
        None
    }
}

/// Whether all pairs are equal. The first that is not, or not known to be, decides.
fn all_equal<'a>(mut pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Option<bool> {
    pairs
        .try_fold((), |(), (a, b)| match a.decide_equality(b) {
            Some(true) => Ok(()),
            other => Err(other),
        })
        .map_or_else(|decision| decision, |()| Some(true))
}

fn unknown_bool() -> Value {
    Value::unknown(Type::Bool).refine_not_null()
}

/// Checks operands of a primitive type. False: one is unknown (or of unknown type).
fn all_known(operands: &[&Value], ty: &Type, name: &'static str) -> Result<bool, OpError> {
    if let Some(wrong) = operands
        .iter()
        .find(|value| !value.ty().is_dynamic() && value.ty() != ty)
    {
        return Err(OpError::Type {
            expected: name,
            found: wrong.ty().friendly_name(),
        });
    }
    if operands
        .iter()
        .any(|value| value.is_null() && !value.ty().is_dynamic())
    {
        return Err(OpError::Null);
    }
    Ok(operands
        .iter()
        .all(|value| value.is_known() && !value.ty().is_dynamic()))
}

/// Arithmetic and comparison of numbers.
impl Value {
    pub fn add(&self, other: &Value) -> Result<Value, OpError> {
        self.arithmetic(other, Number::add, true)
    }

    pub fn sub(&self, other: &Value) -> Result<Value, OpError> {
        self.arithmetic(other, Number::sub, true)
    }

    /// Zero times an unknown number is zero.
    pub fn mul(&self, other: &Value) -> Result<Value, OpError> {
        let product = self.arithmetic(other, Number::mul, true)?;
        let is_zero = |value: &Value| value.unmark().0.as_number().is_some_and(Number::is_zero);
        match !product.is_known() && (is_zero(self) || is_zero(other)) {
            true => Ok(Value::int(0).with_same_marks([self, other])),
            false => Ok(product),
        }
    }

    /// A number divided by zero is infinite.
    pub fn div(&self, other: &Value) -> Result<Value, OpError> {
        self.arithmetic(other, Number::div, false)
    }

    /// Remainder toward zero; of the division by zero the number itself.
    pub fn rem(&self, other: &Value) -> Result<Value, OpError> {
        self.arithmetic(other, Number::rem, false)
    }

    pub fn neg(&self) -> Result<Value, OpError> {
        all_known(&[self], &Type::Number, "number")?;
        let (value, marks) = self.unmark();
        let result = match value.as_number() {
            Some(number) => Value::number(number.neg()),
            None => Value::unknown(Type::Number).refine_not_null(),
        };
        Ok(result.mark_all(&marks))
    }

    pub fn abs(&self) -> Result<Value, OpError> {
        all_known(&[self], &Type::Number, "number")?;
        let (value, marks) = self.unmark();
        let result = match value.as_number() {
            Some(number) => Value::number(number.abs()),
            None => Value::unknown(Type::Number)
                .refine()
                .not_null()
                .number_lower_bound(Number::from(0i64), true)
                .build(),
        };
        Ok(result.mark_all(&marks))
    }

    fn arithmetic(
        &self,
        other: &Value,
        op: impl Fn(&Number, &Number) -> Option<Number>,
        has_bounds: bool,
    ) -> Result<Value, OpError> {
        all_known(&[self, other], &Type::Number, "number")?;
        let ((a, _), (b, _)) = (self.unmark(), other.unmark());
        let result = match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => Value::number(op(a, b).ok_or(OpError::NotANumber)?),
            _ => {
                let unknown = Value::unknown(Type::Number).refine().not_null();
                match has_bounds
                    .then(|| arithmetic_bounds(op, &a.range(), &b.range()))
                    .flatten()
                {
                    Some([lower, upper]) => unknown.number_range(lower, upper).build(),
                    None => unknown.build(),
                }
            }
        };
        Ok(result.with_same_marks([self, other]))
    }

    pub fn lt(&self, other: &Value) -> Result<Value, OpError> {
        all_known(&[self, other], &Type::Number, "number")?;
        let ((a, _), (b, _)) = (self.unmark(), other.unmark());
        let decision = match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => Some(a.compare(b).is_lt()),
            _ => a.range().is_below(&b.range()),
        };
        let result = decision.map_or_else(unknown_bool, Value::bool);
        Ok(result.with_same_marks([self, other]))
    }

    pub fn gt(&self, other: &Value) -> Result<Value, OpError> {
        other.lt(self)
    }

    pub fn le(&self, other: &Value) -> Result<Value, OpError> {
        self.lt(other)?.or(&self.equals(other))
    }

    pub fn ge(&self, other: &Value) -> Result<Value, OpError> {
        self.gt(other)?.or(&self.equals(other))
    }
}

/// Logic.
impl Value {
    pub fn not(&self) -> Result<Value, OpError> {
        all_known(&[self], &Type::Bool, "bool")?;
        let (value, marks) = self.unmark();
        let result = value
            .as_bool()
            .map_or_else(unknown_bool, |value| Value::bool(!value));
        Ok(result.mark_all(&marks))
    }

    /// False if one is known to be false, even when the other is unknown. Whether an operator of the
    /// language decides then too is the caller's business.
    pub fn and(&self, other: &Value) -> Result<Value, OpError> {
        self.logic(other, false)
    }

    /// True if one is known to be true, even when the other is unknown. Whether an operator of the
    /// language decides then too is the caller's business.
    pub fn or(&self, other: &Value) -> Result<Value, OpError> {
        self.logic(other, true)
    }

    /// The operation that `deciding` decides, whatever the other operand is.
    fn logic(&self, other: &Value, deciding: bool) -> Result<Value, OpError> {
        all_known(&[self, other], &Type::Bool, "bool")?;
        let ((a, _), (b, _)) = (self.unmark(), other.unmark());
        let result = match (a.as_bool(), b.as_bool()) {
            (Some(value), _) | (_, Some(value)) if value == deciding => Value::bool(deciding),
            (Some(_), Some(_)) if b.as_bool() == Some(deciding) => Value::bool(deciding),
            (Some(_), Some(_)) => Value::bool(!deciding),
            _ => unknown_bool(),
        };
        Ok(result.with_same_marks([self, other]))
    }
}

/// Elements.
impl Value {
    /// An attribute of an object.
    pub fn get_attr(&self, name: &str) -> Result<Value, OpError> {
        let (value, marks) = self.unmark();
        let ty = match value.ty() {
            Type::Dynamic => return Ok(Value::dynamic().mark_all(&marks)),
            ty @ Type::Object(_) => match ty.attribute_type(name) {
                Some(ty) => ty,
                None => {
                    let message = format!("object has no attribute {}", text::quote(name));
                    return Err(OpError::Missing(message));
                }
            },
            ty => {
                return Err(OpError::Type {
                    expected: "object",
                    found: ty.friendly_name(),
                });
            }
        };
        let attribute = match value.get(name) {
            Some(attribute) => attribute.clone(),
            None if value.is_null() => return Err(OpError::Null),
            None => Value::unknown(ty.clone()),
        };
        Ok(attribute.mark_all(&marks))
    }

    /// An element of a list or tuple by number, of a map by name.
    pub fn index(&self, key: &Value) -> Result<Value, OpError> {
        let ((value, _), (place, _)) = (self.unmark(), key.unmark());
        Ok(index(&value, &place)?.with_same_marks([self, key]))
    }

    /// Whether `index` with this key finds an element (bool, maybe unknown). A wrong key type: false.
    pub fn has_index(&self, key: &Value) -> Result<Value, OpError> {
        let ((value, _), (place, _)) = (self.unmark(), key.unmark());
        let found = has_index(&value, &place)?.map_or_else(unknown_bool, Value::bool);
        Ok(found.with_same_marks([self, key]))
    }

    /// Whether a set has this element (bool, maybe unknown).
    pub fn has_element(&self, element: &Value) -> Result<Value, OpError> {
        let ((set, _), (wanted, _)) = (self.unmark(), element.unmark());
        let found = has_element(&set, &wanted)?.map_or_else(unknown_bool, Value::bool);
        Ok(found.with_same_marks([self, element]))
    }

    /// The number of elements of a collection or tuple, or of attributes (number, maybe unknown).
    pub fn length(&self) -> Result<Value, OpError> {
        let (value, marks) = self.unmark();
        let length = match (value.ty(), value.length_int()) {
            (Type::Tuple(elements), _) => Value::number(elements.len()),
            (Type::Object(object), _) => Value::number(object.attributes.len()),
            (_, Some(length)) => Value::number(length),
            (Type::List(_) | Type::Set(_) | Type::Map(_), None) if value.is_null() => {
                return Err(OpError::Null);
            }
            // Unknown elements of a set may turn out to be equal.
            (Type::Set(_), None) if value.is_known() => {
                let most = value.as_slice().map_or(0, <[Value]>::len);
                let range = Value::unknown(Type::Number).refine().not_null();
                range
                    .number_range(Number::from(1i64), Number::from(most))
                    .build()
            }
            (Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Dynamic, None) => {
                let range = value.range();
                // Without an upper bound the length is at most what a length can be.
                let most = range.length_upper_bound().unwrap_or(i64::MAX as u64);
                Value::unknown(Type::Number)
                    .refine()
                    .not_null()
                    .number_range(Number::from(range.length_lower_bound()), Number::from(most))
                    .build()
            }
            (ty, None) => {
                let found = ty.friendly_name();
                return Err(OpError::Type {
                    expected: "collection",
                    found,
                });
            }
        };
        Ok(length.mark_all(&marks))
    }
}

/// What of a container's key is known.
enum KnownKey<'a> {
    Unknown,
    Number(Option<usize>),
    Name(&'a str),
    Other,
}

fn place(key: &Value) -> Result<KnownKey<'_>, OpError> {
    Ok(match (key.ty(), key.as_number(), key.as_str()) {
        (Type::Dynamic, ..) => KnownKey::Unknown,
        (Type::Number | Type::String, None, None) if key.is_null() => return Err(OpError::Null),
        (Type::Number, Some(number), _) => KnownKey::Number(
            number
                .as_u64()
                .and_then(|index| usize::try_from(index).ok()),
        ),
        (Type::String, _, Some(name)) => KnownKey::Name(name),
        (Type::Number | Type::String, ..) => KnownKey::Unknown,
        _ => KnownKey::Other,
    })
}

fn key_type(expected: &'static str, key: &Value) -> OpError {
    OpError::Type {
        expected,
        found: key.ty().friendly_name(),
    }
}

fn index(value: &Value, key: &Value) -> Result<Value, OpError> {
    let missing = || OpError::Missing("value does not have given index key".into());
    let found = |element: Option<&Value>, ty: &Type| match element {
        Some(element) => Ok(element.clone()),
        None if value.is_null() => Err(OpError::Null),
        None if value.is_known() => Err(missing()),
        None => Ok(Value::unknown(ty.clone())),
    };
    let is_key_of = |ty: &Type| key.ty().is_dynamic() || key.ty() == ty;
    match (value.ty(), place(key)?) {
        (Type::Dynamic, _) => Ok(Value::dynamic()),
        (Type::List(_) | Type::Tuple(_), _) if !is_key_of(&Type::Number) => {
            Err(key_type("number", key))
        }
        (Type::Map(_), _) if !is_key_of(&Type::String) => Err(key_type("string", key)),
        (Type::List(element) | Type::Map(element), KnownKey::Unknown) => {
            Ok(Value::unknown(Type::clone(element)))
        }
        (Type::Tuple(_), KnownKey::Unknown) => Ok(Value::dynamic()),
        (Type::List(element), KnownKey::Number(Some(index))) => found(
            value.as_slice().and_then(|elements| elements.get(index)),
            element,
        ),
        (Type::Tuple(elements), KnownKey::Number(Some(index))) => {
            let ty = elements.get(index).ok_or_else(missing)?;
            found(
                value.as_slice().and_then(|elements| elements.get(index)),
                ty,
            )
        }
        (Type::Map(element), KnownKey::Name(name)) => found(value.get(name), element),
        (Type::List(_) | Type::Tuple(_) | Type::Map(_), _) => Err(missing()),
        (ty, _) => Err(OpError::Type {
            expected: "list, map, or tuple",
            found: ty.friendly_name(),
        }),
    }
}

fn has_index(value: &Value, key: &Value) -> Result<Option<bool>, OpError> {
    let is_key_of = |ty: &Type| key.ty().is_dynamic() || key.ty() == ty;
    match (value.ty(), place(key)?) {
        (Type::Dynamic, _) => Ok(None),
        (Type::List(_) | Type::Tuple(_), _) if !is_key_of(&Type::Number) => Ok(Some(false)),
        (Type::Map(_), _) if !is_key_of(&Type::String) => Ok(Some(false)),
        (Type::List(_) | Type::Tuple(_) | Type::Map(_), KnownKey::Unknown) => Ok(None),
        (Type::Tuple(elements), KnownKey::Number(Some(index))) => Ok(Some(index < elements.len())),
        (Type::List(_) | Type::Map(_), _) if value.is_null() => Err(OpError::Null),
        (Type::List(_) | Type::Map(_), _) if !value.is_known() => Ok(None),
        (Type::List(_), KnownKey::Number(Some(index))) => {
            Ok(value.as_slice().map(|elements| index < elements.len()))
        }
        (Type::Map(_), KnownKey::Name(name)) => Ok(Some(value.get(name).is_some())),
        (Type::List(_) | Type::Tuple(_) | Type::Map(_), _) => Ok(Some(false)),
        (ty, _) => Err(OpError::Type {
            expected: "list, map, or tuple",
            found: ty.friendly_name(),
        }),
    }
}

fn has_element(set: &Value, element: &Value) -> Result<Option<bool>, OpError> {
    if set.is_null() {
        return Err(OpError::Null);
    }
    let members = match (set.ty(), set.as_slice()) {
        (_, None) if !set.is_known() => return Ok(None),
        (Type::Set(ty), Some(members)) => {
            let may_be_member =
                element.ty().is_dynamic() || ty.is_dynamic() || **ty == *element.ty();
            if !may_be_member {
                return Ok(Some(false));
            }
            members
        }
        (ty, _) => {
            return Err(OpError::Type {
                expected: "set",
                found: ty.friendly_name(),
            });
        }
    };
    if !element.is_known() {
        return Ok(None);
    }
    match (set::holds(members, element), set.is_wholly_known()) {
        (true, _) => Ok(Some(true)),
        (false, true) => Ok(Some(false)),
        (false, false) => Ok(None),
    }
}
