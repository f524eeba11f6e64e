//! A `terraform_data` that is imported: it has the id that it was asked for, and nothing else.

use bytes::Bytes;
use cty::{Type, Value};

use super::TERRAFORM_DATA;
use crate::{ImportResponse, ImportTarget, ImportedObject};

pub(super) fn import(target: ImportTarget) -> ImportResponse {
    let null = || Value::null(Type::Dynamic);
    let id = match target {
        ImportTarget::Id(id) => Value::string(id),
        ImportTarget::Identity(_) => Value::null(Type::String),
    };
    ImportResponse {
        imported: vec![ImportedObject {
            type_name: TERRAFORM_DATA.into(),
            state: Value::object([
                ("id", id),
                ("input", null()),
                ("output", null()),
                ("triggers_replace", null()),
            ]),
            private: Bytes::new(),
            identity: None,
        }],
        deferred: None,
        diagnostics: Vec::new(),
    }
}
