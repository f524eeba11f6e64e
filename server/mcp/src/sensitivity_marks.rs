//! The variables that a text declares, and the marks that hide their values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use config::{FileKind, FileRole, Profile};
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use syntax::ast::Item;
use text::FileId;

/// The marks of a text that hide values.
#[derive(Default)]
pub(crate) struct SensitivityMarks {
    pub variables: BTreeSet<Variable>,
    /// `NAME sensitive true` for each such argument of a variable, also if it is repeated.
    pub kept: Vec<(Variable, &'static str, String)>,
    /// `NAME sensitive` for each declaration without that argument: of several declarations, files decide which one counts.
    pub unmarked: Vec<(Variable, &'static str)>,
    /// How often each of the functions that show hidden values is named.
    pub unmasking: BTreeMap<&'static str, usize>,
    pub is_broken: bool,
    /// JSON that cannot be read to the end.
    pub is_unreadable: bool,
}

/// A variable of a module, which is a folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variable {
    folder: Arc<Path>,
    pub name: String,
}

const HIDING: [&str; 2] = ["sensitive", "ephemeral"];

/// The second evaluates a text that other functions may have put together.
const UNMASKING: [&str; 2] = ["nonsensitive", "templatestring"];

impl SensitivityMarks {
    pub fn new(file: &FileId, syntax: &syntax::File) -> SensitivityMarks {
        let text = syntax.text();
        let mut marks = SensitivityMarks {
            unmasking: unmasking(text),
            is_broken: syntax.errors().next().is_some(),
            ..SensitivityMarks::default()
        };
        if FileRole::of(file.name()) == FileRole::Module {
            match file.name().ends_with(".json") {
                true => marks.add_json(file, text),
                false => marks.add_blocks(file, syntax),
            }
        }
        marks
    }

    pub fn add(&mut self, other: &SensitivityMarks) {
        self.variables.extend(other.variables.iter().cloned());
        self.kept.extend(other.kept.iter().cloned());
        self.unmarked.extend(other.unmarked.iter().cloned());
        for (function, count) in &other.unmasking {
            *self.unmasking.entry(function).or_default() += count;
        }
    }

    /// A declaration of a variable, with the settings that hide its value.
    fn add_variable(&mut self, file: &FileId, name: String, settings: Vec<(&'static str, String)>) {
        let folder = Path::new(file.path()).parent().unwrap_or(Path::new(""));
        let variable = Variable {
            folder: folder.into(),
            name,
        };
        self.variables.insert(variable.clone());
        // What an override file leaves out stays as it is.
        if FileKind::of(file.name(), Profile::NEWEST_OPENTOFU) != Some(FileKind::Override) {
            let is_set = |what: &&str| settings.iter().any(|(set, _)| set == what);
            let lacking = HIDING.into_iter().filter(|what| !is_set(what));
            let unmarked = lacking.map(|what| (variable.clone(), what));
            self.unmarked.extend(unmarked);
        }
        let kept = settings.into_iter();
        self.kept
            .extend(kept.map(|(what, setting)| (variable.clone(), what, setting)));
    }

    fn add_blocks(&mut self, file: &FileId, syntax: &syntax::File) {
        let text = syntax.text();
        for segment in syntax.segments() {
            for item in segment.parsed.items.iter() {
                let Item::Block(block) = item else { continue };
                let Some(label) = block
                    .labels
                    .first()
                    .filter(|_| block.kind.name == "variable")
                else {
                    continue;
                };
                let attributes = block.body.attributes.iter();
                let settings = attributes.filter_map(|attribute| {
                    let what = HIDING.iter().find(|it| **it == attribute.name.name)?;
                    let range = attribute.expr.range + segment.offset;
                    let range = usize::from(range.start())..usize::from(range.end());
                    Some((*what, text.get(range).unwrap_or_default().to_owned()))
                });
                self.add_variable(file, label.text.to_string(), settings.collect());
            }
        }
    }

    fn add_json(&mut self, file: &FileId, text: &str) {
        if self.add_json_variables(file, text).is_err() {
            self.is_unreadable = true;
        }
    }

    fn add_json_variables(&mut self, file: &FileId, text: &str) -> serde_json::Result<()> {
        let mut blocks = Vec::new();
        for object in elements(serde_json::from_str(text)?)? {
            let properties = properties(&object)?.into_iter();
            for (_, block) in properties.filter(|(it, _)| it == "variable") {
                blocks.extend(elements(block)?);
            }
        }
        for block in blocks {
            for (name, bodies) in properties(&block)? {
                for body in elements(bodies)? {
                    let settings = properties(&body)?.into_iter();
                    let settings = settings.filter_map(|(set, value)| {
                        let what = HIDING.into_iter().find(|it| *it == set)?;
                        Some((what, value.get().to_owned()))
                    });
                    self.add_variable(file, name.clone(), settings.collect());
                }
            }
        }
        Ok(())
    }
}

/// Counts the functions, also in comments and quotes: the saved text has these as well.
fn unmasking(text: &str) -> BTreeMap<&'static str, usize> {
    let text = &*without_escapes(text);
    let count = |function: &'static str| (function, text.matches(function).count());
    UNMASKING
        .into_iter()
        .map(count)
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The text with the letters that JSON writes as `\u0073`.
fn without_escapes(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("\\u");
    let first = parts.next().unwrap_or_default();
    if first.len() == text.len() {
        return text.into();
    }
    let mut plain = first.to_owned();
    for part in parts {
        let code = part
            .get(..4)
            .and_then(|it| u32::from_str_radix(it, 16).ok());
        match code.and_then(char::from_u32) {
            Some(letter) => {
                plain.push(letter);
                plain += &part[4..];
            }
            None => plain += part,
        }
    }
    plain.into()
}

/// The properties of an object in their order, also those that have the same name.
fn properties(json: &RawValue) -> serde_json::Result<Vec<(String, Box<RawValue>)>> {
    struct Properties;

    impl<'de> Visitor<'de> for Properties {
        type Value = Vec<(String, Box<RawValue>)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(property) = map.next_entry()? {
                all.push(property);
            }
            Ok(all)
        }
    }

    serde_json::Deserializer::from_str(json.get()).deserialize_map(Properties)
}

/// The elements of an array; any other value stands for itself.
fn elements(json: Box<RawValue>) -> serde_json::Result<Vec<Box<RawValue>>> {
    match json.get().starts_with('[') {
        true => serde_json::from_str(json.get()),
        false => Ok(vec![json]),
    }
}
