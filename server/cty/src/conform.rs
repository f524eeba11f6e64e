//! Whether a type meets a type constraint, and where not.

use crate::{Path, PathError, PathStep, Type, Value, text};

/// Where `given` does not conform to `wanted` (in which `Dynamic` stands for any type). Empty if it
/// does.
pub fn test_conformance(given: &Type, wanted: &Type) -> Vec<PathError> {
    let mut errors = Vec::new();
    test_at(&mut Path::new(), given, wanted, &mut errors);
    errors
}

fn test_at(path: &mut Path, given: &Type, wanted: &Type, errors: &mut Vec<PathError>) {
    let error = |path: &Path, message| PathError {
        path: path.clone(),
        message,
    };
    let mut inside = |path: &mut Path, step, given: &Type, wanted: &Type| {
        path.0.push(step);
        test_at(path, given, wanted, errors);
        path.0.pop();
    };
    match (given, wanted) {
        (_, Type::Dynamic) => {}
        (given, wanted) if given == wanted => {}
        (Type::Object(have), Type::Object(want)) => {
            let (have, want) = (&have.attributes, &want.attributes);
            for (name, wanted) in want {
                if let Some(given) = have.get(name) {
                    inside(path, PathStep::GetAttr(name.clone()), given, wanted);
                }
            }
            for name in have.keys().filter(|name| !want.contains_key(*name)) {
                let message = format!("unsupported attribute {}", text::quote(name));
                errors.push(error(path, message));
            }
            for name in want.keys().filter(|name| !have.contains_key(*name)) {
                let message = format!("missing required attribute {}", text::quote(name));
                errors.push(error(path, message));
            }
        }
        (Type::Tuple(have), Type::Tuple(want)) if have.len() != want.len() => {
            let message = format!(
                "{} elements are required, but got {}",
                want.len(),
                have.len()
            );
            errors.push(error(path, message));
        }
        (Type::Tuple(have), Type::Tuple(want)) => {
            for (index, (given, wanted)) in have.iter().zip(want.iter()).enumerate() {
                inside(path, PathStep::Index(Value::number(index)), given, wanted);
            }
        }
        (Type::List(given), Type::List(wanted)) => {
            inside(
                path,
                PathStep::Index(Value::unknown(Type::Number)),
                given,
                wanted,
            );
        }
        (Type::Map(given), Type::Map(wanted)) => {
            inside(
                path,
                PathStep::Index(Value::unknown(Type::String)),
                given,
                wanted,
            );
        }
        (Type::Set(given), Type::Set(wanted)) => {
            inside(
                path,
                PathStep::Index(Value::unknown(Type::clone(given))),
                given,
                wanted,
            );
        }
        (given, wanted) => {
            let (wanted, given) = (wanted.friendly_name(), given.friendly_name());
            errors.push(error(
                path,
                format!("{wanted} required, but received {given}"),
            ));
        }
    }
}
