//! Why a type cannot be converted to another.

use super::exists;
use crate::{ObjectType, Type, text};

pub(super) fn required(wanted: &Type) -> String {
    format!("{} required", wanted.friendly_name_for_constraint())
}

/// Why `found` cannot be converted to `wanted`, in the words of diagnostics.
pub fn mismatch_message(found: &Type, wanted: &Type) -> String {
    let required = || required(wanted);
    match (found, wanted) {
        (Type::Object(found), Type::Object(wanted)) => object_mismatch(found, wanted),
        (Type::Tuple(_), Type::List(element)) if element.is_dynamic() => {
            "all list elements must have the same type".into()
        }
        (Type::Tuple(_), Type::Set(element)) if element.is_dynamic() => {
            "all set elements must have the same type".into()
        }
        (Type::Object(_), Type::Map(element)) if element.is_dynamic() => {
            "all map elements must have the same type".into()
        }
        (Type::Tuple(types), Type::List(element) | Type::Set(element)) => {
            match types
                .iter()
                .enumerate()
                .find(|(_, ty)| !exists(ty, element, true))
            {
                Some((at, ty)) => format!("element {at}: {}", mismatch_message(ty, element)),
                None => format!(
                    "all elements must be {}",
                    element.friendly_name_for_constraint()
                ),
            }
        }
        (Type::Object(object), Type::Map(element)) => {
            match object
                .attributes
                .iter()
                .find(|(_, ty)| !exists(ty, element, true))
            {
                Some((name, ty)) => {
                    format!(
                        "element {}: {}",
                        text::quote(name),
                        mismatch_message(ty, element)
                    )
                }
                None => format!(
                    "all elements must be {}",
                    element.friendly_name_for_constraint()
                ),
            }
        }
        (Type::Tuple(_) | Type::Object(_), wanted) if wanted.is_collection() => required(),
        (Type::List(found) | Type::Set(found), Type::List(element)) => {
            format!(
                "incorrect list element type: {}",
                mismatch_message(found, element)
            )
        }
        (Type::List(found) | Type::Set(found), Type::Set(element)) => {
            format!(
                "incorrect set element type: {}",
                mismatch_message(found, element)
            )
        }
        (Type::Map(found), Type::Map(element)) => {
            format!(
                "incorrect map element type: {}",
                mismatch_message(found, element)
            )
        }
        (found, wanted) if found.is_collection() && wanted.is_collection() => required(),
        (found, wanted) if names_found(found, wanted) => {
            format!(
                "{} required, but have {}",
                wanted.friendly_name_for_constraint(),
                found.friendly_name()
            )
        }
        _ => required(),
    }
}

/// Whether a message also says what was found. Where that could look like what is wanted, it confuses.
fn names_found(found: &Type, wanted: &Type) -> bool {
    found.is_primitive() != wanted.is_primitive()
        || *wanted == Type::String
        || matches!(
            (found, wanted),
            (Type::Bool, Type::Number) | (Type::Number, Type::Bool)
        )
        || found.is_tuple() && wanted.is_object()
}

fn object_mismatch(found: &ObjectType, wanted: &ObjectType) -> String {
    let missing: Vec<_> = wanted
        .attributes
        .keys()
        .filter(|name| !found.attributes.contains_key(*name) && !wanted.optional.contains(*name))
        .map(|name| text::quote(name))
        .collect();
    match &missing[..] {
        [] => {}
        [one] => return format!("attribute {one} is required"),
        [one, other] => return format!("attributes {one} and {other} are required"),
        [most @ .., last] => {
            return format!("attributes {}, and {last} are required", most.join(", "));
        }
    }
    let mismatch = |is_unsafe| {
        wanted.attributes.iter().find_map(|(name, ty)| {
            let have = found.attributes.get(name)?;
            (!exists(have, ty, is_unsafe)).then(|| {
                format!(
                    "attribute {}: {}",
                    text::quote(name),
                    mismatch_message(have, ty)
                )
            })
        })
    };
    mismatch(true)
        .or_else(|| mismatch(false))
        .unwrap_or("incorrect object attributes".into())
}
