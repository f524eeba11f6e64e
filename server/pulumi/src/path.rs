//! Paths of properties: `a.b[0]["k.x"]`, and patterns with `[*]`.

use std::borrow::Cow;
use std::fmt;

use crate::value::{Object, Value};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Path(pub Vec<PathStep>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PathStep {
    Name(String),
    Index(usize),
    /// Any name or index.
    Any,
    /// The same, in the syntax of a map.
    AnyKey,
}

/// Not a path, for the reason that Pulumi gives.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PathError(Cow<'static, str>);

impl PathStep {
    pub fn is_any(&self) -> bool {
        matches!(self, PathStep::Any | PathStep::AnyKey)
    }
}

impl Path {
    pub fn name(name: &str) -> Path {
        Path(vec![PathStep::Name(name.to_owned())])
    }

    /// Source: `ParsePropertyPath` in `sdk/go/common/resource/properties_path.go` of Pulumi.
    pub fn parse(text: &str) -> Result<Path, PathError> {
        let mut steps = Vec::new();
        let mut rest = text;
        if rest.starts_with('.') {
            return Err(PathError(
                "expected property path to start with a name or index".into(),
            ));
        }
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() {
                    return Err(PathError(
                        "expected property path to end with a name or index".into(),
                    ));
                }
                rest = after;
            } else if let Some(inside) = rest.strip_prefix("[\"") {
                let (name, after) = quoted(inside)?;
                steps.push(PathStep::Name(name));
                rest = after;
            } else if let Some(inside) = rest.strip_prefix('[') {
                let (index, after) = inside
                    .split_once(']')
                    .ok_or(PathError("missing closing bracket in array index".into()))?;
                steps.push(match index {
                    "*" => PathStep::Any,
                    _ => PathStep::Index(index_of(index)?),
                });
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                steps.push(match &rest[..end] {
                    "*" => PathStep::Any,
                    name => PathStep::Name(name.to_owned()),
                });
                rest = &rest[end..];
            }
        }
        Ok(Path(steps))
    }

    /// Whether this, as a pattern, is `other` or something that `other` is a part of.
    pub fn contains(&self, other: &Path) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        self.0.len() <= other.0.len() && pairs.into_iter().all(|(a, b)| a.is_any() || a == b)
    }

    /// The property at the top.
    pub fn root(&self) -> Option<&str> {
        match self.0.first()? {
            PathStep::Name(name) => Some(name),
            PathStep::Index(_) | PathStep::Any | PathStep::AnyKey => None,
        }
    }

    pub fn then(&self, step: PathStep) -> Path {
        Path(self.0.iter().cloned().chain([step]).collect())
    }

    /// As the engine prints it. A wildcard for any part is a name that needs quotes.
    pub fn printed(&self) -> String {
        let parts = self.0.iter().map(|step| match step {
            PathStep::Any | PathStep::AnyKey => "[\"*\"]".to_owned(),
            other => Path(vec![other.clone()]).to_string(),
        });
        let mut text = String::new();
        for part in parts {
            if !text.is_empty() && !part.starts_with('[') {
                text.push('.');
            }
            text.push_str(&part);
        }
        text
    }

    pub fn get<'a>(&self, object: &'a Object) -> Option<&'a Value> {
        let (first, rest) = self.0.split_first()?;
        let PathStep::Name(name) = first else {
            return None;
        };
        rest.iter().try_fold(object.get(name)?, |value, step| {
            match (value.revealed(), step) {
                (Value::Object(object), PathStep::Name(name)) => object.get(name),
                (Value::Array(elements), PathStep::Index(index)) => elements.get(*index),
                _ => None,
            }
        })
    }
}

/// An index as Go's `strconv.ParseInt` reads it. No list has a negative index.
fn index_of(index: &str) -> Result<usize, PathError> {
    match index.parse::<i64>() {
        Ok(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
        Err(_) => Err(PathError(
            format!("invalid array index: strconv.ParseInt: parsing {index:?}: invalid syntax")
                .into(),
        )),
    }
}

/// The text before the closing quote, and the text after the bracket.
fn quoted(text: &str) -> Result<(String, &str), PathError> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let after = text[at + 1..].strip_prefix(']');
                let after = after.ok_or(PathError(
                    "missing closing bracket in property access".into(),
                ))?;
                return Ok((name, after));
            }
            '\\' if text[at + 1..].starts_with('"') => {
                chars.next();
                name.push('"');
            }
            c => name.push(c),
        }
    }
    Err(PathError("missing closing quote in property name".into()))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Name(name) if name.is_empty() || name.contains(['.', '[', ']', '"']) => {
                    write!(f, "[\"{}\"]", name.replace('"', "\\\""))?;
                }
                PathStep::Name(name) if nth == 0 => f.write_str(name)?,
                PathStep::Name(name) => write!(f, ".{name}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Any => f.write_str("[*]")?,
                PathStep::AnyKey => f.write_str(".*")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_written() {
        for text in [
            "a",
            "a.b",
            "a[0]",
            "a[0].b",
            "tags[\"k.x\"]",
            "[\"a.b\"].c",
            "rules[*].protocol",
            "a[\"q\\\"t\"]",
        ] {
            assert_eq!(Path::parse(text).unwrap().to_string(), text);
        }
        for text in ["a[\"b\"]", "a..b", "a.[\"b\"]"] {
            assert_eq!(Path::parse(text).unwrap().to_string(), "a.b");
        }
        let printed = |text| Path::parse(text).unwrap().printed();
        assert_eq!(printed("*"), "[\"*\"]");
        assert_eq!(printed("a[\"b\"].*.c[*][0]"), "a.b[\"*\"].c[\"*\"][0]");
        for text in [".", "a.", "a[", "a[x]", "a[\"b", "a[\"b\"", ".a"] {
            assert!(Path::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pattern_contains_paths_below_it() {
        let path = |text| Path::parse(text).unwrap();
        for (pattern, other, expected) in [
            ("a", "a", true),
            ("a", "a.b[0]", true),
            ("a.b", "a", false),
            ("rules[*].protocol", "rules[1].protocol", true),
            ("rules[*].protocol", "rules[1].port", false),
            ("rules[*].protocol", "rules", false),
            ("tags[*]", "tags.x", true),
        ] {
            assert_eq!(
                path(pattern).contains(&path(other)),
                expected,
                "{pattern} {other}"
            );
        }
    }
}
