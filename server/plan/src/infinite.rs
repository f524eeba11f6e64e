//! Infinite numbers, which neither a plan file nor a state can hold.

use config::ResourceInstanceAddr;
use cty::{Type, Value};
use text::{Diagnostic, Span};

use crate::instance::{InstancePlace, InstanceProblem};

pub(crate) const INFINITE_NUMBER: &str = "infinite-number";

/// An output of the root module that can't be stored.
pub(crate) fn in_output(name: &str, value: &Value, at: Option<Span>) -> Option<Diagnostic> {
    has_infinity(value).then(|| {
        Diagnostic::error(
            INFINITE_NUMBER,
            "Failed to write plan file",
            format!("The plan file could not be written: failed to write state snapshot: Failed to serialize output value in state: An error occured while serializing output value \"{name}\": cannot serialize infinity as JSON.."),
            at,
        )
    })
}

/// An object that can't be stored.
pub(crate) fn in_object(addr: &ResourceInstanceAddr, value: &Value) -> Option<InstanceProblem> {
    has_infinity(value).then(|| {
        InstanceProblem::error(
            INFINITE_NUMBER,
            format!("failed to encode {addr} in state: failed to serialize value: cannot serialize infinity as JSON"),
            "",
            InstancePlace::default(),
        )
    })
}

fn has_infinity(value: &Value) -> bool {
    let mut found = false;
    cty::walk(value, &mut |_, inner| {
        found |= *inner.ty() == Type::Number
            && inner
                .unmark()
                .0
                .as_number()
                .is_some_and(|number| number.is_infinite());
        !found
    });
    found
}
