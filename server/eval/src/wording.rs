//! Shared parts of messages: the nearest of some names, and why a value can't be converted.

use cty::{ConvertError, Type, Value};
use text::{Fault, WantedType};

pub(crate) use text::did_you_mean;

/// As `why`, after the place in the value: `[0]: a number is required`. Keys are shown.
pub(crate) fn why_at(error: &ConvertError) -> String {
    match error.path.steps() {
        [] => why(error).to_owned(),
        _ => format!("{}: {}", error.path, why(error)),
    }
}

/// Why a value can't be converted, in the words of Terraform 1.11. Later releases add its type.
pub(crate) fn why(error: &ConvertError) -> &str {
    match error.message.rfind(", but have ") {
        Some(end) => &error.message[..end],
        None => &error.message,
    }
}

/// The fault of a value that can't be converted: which type it should have as a whole, unless something in it is wrong.
pub(crate) fn wrong_type(value: &Value, wanted: &Type) -> Fault {
    let is_sequence = matches!(value.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_));
    let wanted = match wanted {
        Type::String => WantedType::String,
        Type::Number => WantedType::Number,
        Type::Bool => WantedType::Bool,
        Type::List(_) if !is_sequence => WantedType::List,
        Type::Set(_) if !is_sequence => WantedType::Set,
        _ => return Fault::Other,
    };
    Fault::WrongType { wanted }
}
