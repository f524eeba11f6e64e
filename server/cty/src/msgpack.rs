//! The msgpack wire form: what providers speak, and plan files.

mod read;

use rmp::encode;

use crate::{Number, Path, PathStep, Type, Value, ValueRange, convert, json, text};

/// A value that has no msgpack form for a type, or bytes that are no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub path: Path,
    pub message: String,
}

fn fail<T>(path: &Path, message: impl Into<String>) -> Result<T, Error> {
    Err(Error {
        path: path.clone(),
        message: message.into(),
    })
}

fn inside<T>(path: &mut Path, step: PathStep, act: impl FnOnce(&mut Path) -> T) -> T {
    path.0.push(step);
    let result = act(path);
    path.0.pop();
    result
}

/// The extension for unknown values of which something is known, and the keys of what is known.
const REFINED: i8 = 0x0c;
const NULLNESS: u8 = 1;
const STRING_PREFIX: u8 = 2;
const NUMBER_LOWER: u8 = 3;
const NUMBER_UPPER: u8 = 4;
const LENGTH_LOWER: u8 = 5;
const LENGTH_UPPER: u8 = 6;

/// A longer prefix is cut, in bytes.
const MAX_PREFIX: usize = 256;

pub use read::{decode, implied_type};

/// Encodes an unmarked value as `ty`, to which it is converted if it does not conform. Unknown values
/// are extensions: 0 unrefined, 12 refined.
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let path = &mut Path::new();
    match crate::test_conformance(value.ty(), ty).is_empty() {
        true => write(value, ty, path, &mut out)?,
        false => {
            let converted = convert(value, ty).map_err(|error| Error {
                path: error.path,
                message: error.message,
            })?;
            write(&converted, ty, path, &mut out)?;
        }
    }
    Ok(out)
}

/// Writing to memory does not fail.
fn done<T, E>(_: Result<T, E>) {}

fn write(value: &Value, ty: &Type, path: &mut Path, out: &mut Vec<u8>) -> Result<(), Error> {
    if value.is_marked() {
        return fail(path, "value has marks, so it cannot be serialized");
    }
    if ty.is_dynamic() && !value.ty().is_dynamic() {
        let ty = match json::type_text(value.ty()) {
            Ok(ty) => ty,
            Err(error) => return fail(path, format!("failed to serialize type: {error}")),
        };
        done(encode::write_array_len(out, 2));
        done(encode::write_bin(out, ty.as_bytes()));
        return write(value, value.ty(), path, out);
    }
    if !value.is_known() {
        write_unknown(&value.range(), out);
    } else if value.is_null() {
        done(encode::write_nil(out));
    } else if let Some(text) = value.as_str() {
        done(encode::write_str(out, text));
    } else if let Some(number) = value.as_number() {
        write_number(number, out);
    } else if let Some(value) = value.as_bool() {
        done(encode::write_bool(out, value));
    } else if let Some(entries) = value.as_map() {
        done(encode::write_map_len(out, entries.len() as u32));
        for (name, element) in entries {
            done(encode::write_str(out, name));
            let (step, element_ty) = match ty {
                Type::Map(ty) => (PathStep::Index(Value::string(name)), Type::clone(ty)),
                ty => (
                    PathStep::GetAttr(name.clone()),
                    ty.attribute_type(name).unwrap_or(element.ty()).clone(),
                ),
            };
            inside(path, step, |path| write(element, &element_ty, path, out))?;
        }
    } else if let Some(elements) = value.as_slice() {
        done(encode::write_array_len(out, elements.len() as u32));
        for (at, (key, element)) in value.elements().enumerate() {
            let element_ty = match ty {
                Type::Tuple(types) => types.get(at),
                ty => ty.element_type(),
            };
            let element_ty = element_ty.unwrap_or(element.ty());
            inside(path, PathStep::Index(key), |path| {
                write(element, element_ty, path, out)
            })?;
        }
    } else {
        return fail(path, "capsule types not supported for msgpack encoding");
    }
    Ok(())
}

/// As an integer or float if that is exact, else as text.
fn write_number(number: &Number, out: &mut Vec<u8>) {
    let float = number.to_f64();
    let is_exact = || Number::try_from(float).is_ok_and(|exact| exact.compare(number).is_eq());
    if let Some(integer) = number.as_i64() {
        done(encode::write_sint(out, integer));
    } else if number.is_infinite() || !number.is_integer() && is_exact() {
        done(encode::write_f64(out, float));
    } else {
        done(encode::write_str(out, &number.to_string()));
    }
}

fn write_unknown(range: &ValueRange, out: &mut Vec<u8>) {
    let mut entries = 0u32;
    let mut body = Vec::new();
    let mut entry = |key: u8, write: &dyn Fn(&mut Vec<u8>)| {
        entries += 1;
        done(encode::write_uint(&mut body, u64::from(key)));
        write(&mut body);
    };
    if range.definitely_not_null() {
        entry(NULLNESS, &|body| done(encode::write_bool(body, false)));
    }
    let prefix = range.string_prefix();
    if !prefix.is_empty() {
        let prefix = match prefix.len() > MAX_PREFIX {
            true => text::safe_prefix(&prefix[..prefix.floor_char_boundary(MAX_PREFIX - 1)]),
            false => prefix.to_string(),
        };
        entry(STRING_PREFIX, &|body| {
            done(encode::write_str(body, &prefix))
        });
    }
    let bounds = [
        (NUMBER_LOWER, range.number_lower_bound()),
        (NUMBER_UPPER, range.number_upper_bound()),
    ];
    for (key, bound) in bounds {
        if let Some(bound) = bound {
            entry(key, &|body| {
                done(encode::write_array_len(body, 2));
                write_number(&bound.value, body);
                done(encode::write_bool(body, bound.inclusive));
            });
        }
    }
    if range.length_lower_bound() > 0 {
        let length = range.length_lower_bound();
        entry(LENGTH_LOWER, &|body| done(encode::write_uint(body, length)));
    }
    if let Some(length) = range.length_upper_bound() {
        entry(LENGTH_UPPER, &|body| done(encode::write_uint(body, length)));
    }
    if entries == 0 {
        // An extension of type zero, its content without meaning.
        return out.extend([0xd4, 0, 0]);
    }
    let mut whole = Vec::new();
    done(encode::write_map_len(&mut whole, entries));
    whole.extend(body);
    done(encode::write_ext_meta(out, whole.len() as u32, REFINED));
    out.extend(whole);
}
