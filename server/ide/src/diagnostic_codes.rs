//! The meaning of each code of a diagnostic, from `schemas/diagnostics.json`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::Tag;

/// One entry of `schemas/diagnostics.json`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Code {
    pub code: String,
    /// As it is reported unless the settings say otherwise: `error`, `warning`, `info` or `hint`; several where it
    /// depends.
    pub severity: String,
    /// One sentence.
    pub meaning: String,
    #[serde(default)]
    pub tag: Option<CodeTag>,
    /// A fixture in which it is reported.
    #[serde(default)]
    pub example: Option<String>,
    /// Where there is no example: the things that it would need.
    #[serde(default)]
    pub needs: Option<String>,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum CodeTag {
    Unnecessary,
    Deprecated,
}

/// Every code, in the order of the file.
pub static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../schemas/diagnostics.json"))
        .expect("the list is part of the build, and a test reads it")
});

static BY_NAME: LazyLock<HashMap<&str, &Code>> = LazyLock::new(|| {
    CODES
        .iter()
        .map(|code| (code.code.as_str(), code))
        .collect()
});

/// The entry of a code.
pub fn code(name: &str) -> Option<&'static Code> {
    BY_NAME.get(name).copied()
}

/// The place of a code in the documentation.
pub(crate) fn link(name: &str) -> Option<String> {
    code(name)?;
    Some(format!(
        "{}/blob/main/docs/diagnostics.md#{name}",
        env!("CARGO_PKG_REPOSITORY")
    ))
}

pub(crate) fn tags(name: &str) -> Vec<Tag> {
    let tag = code(name).and_then(|code| code.tag);
    let tag = tag.map(|tag| match tag {
        CodeTag::Unnecessary => Tag::Unnecessary,
        CodeTag::Deprecated => Tag::Deprecated,
    });
    tag.into_iter().collect()
}
