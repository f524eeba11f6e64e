//! Reads msgpack: numbers in any form, any extension as an unknown value.

use rmp::Marker;
use rmp::decode::{self, Bytes};

use super::{
    Error, LENGTH_LOWER, LENGTH_UPPER, NULLNESS, NUMBER_LOWER, NUMBER_UPPER, REFINED,
    STRING_PREFIX, fail, inside,
};
use crate::{Number, Path, PathStep, RefinementBuilder, Type, Value};

/// The longest description of an unknown value, in bytes.
const MAX_REFINEMENT: usize = 1024;

/// Deeper nesting is an error, so that no input exhausts the stack.
const MAX_DEPTH: usize = 250;

/// Reads one value of type `ty`; any extension is an unknown value.
pub fn decode(bytes: &[u8], ty: &Type) -> Result<Value, Error> {
    read(&mut Reader::new(bytes), ty, &mut Path::new())
}

/// The type that the bytes suggest: objects and tuples, of null and unknown the dynamic type.
pub fn implied_type(bytes: &[u8]) -> Result<Type, Error> {
    let mut reader = Reader::new(bytes);
    let ty = implied(&mut reader, 0)?;
    match reader.rest().is_empty() {
        true => Ok(ty),
        false => fail(&Path::new(), "extra bytes after msgpack value"),
    }
}

struct Reader<'a>(Bytes<'a>);

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(Bytes::new(bytes))
    }

    fn rest(&self) -> &'a [u8] {
        self.0.remaining_slice()
    }

    fn peek(&self) -> Option<Marker> {
        self.rest().first().map(|byte| Marker::from_u8(*byte))
    }

    /// The next bytes, if there are as many.
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest().split_at_checked(length)?;
        self.0 = Bytes::new(rest);
        Some(taken)
    }

    fn nil(&mut self) -> bool {
        let is_nil = self.peek() == Some(Marker::Null);
        if is_nil {
            self.take(1);
        }
        is_nil
    }

    /// Text; also from a byte string. Null is empty.
    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = match self.peek()? {
            Marker::Null => return self.nil().then_some(&[]),
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => {
                decode::read_bin_len(&mut self.0).ok()?
            }
            _ => decode::read_str_len(&mut self.0).ok()?,
        };
        self.take(length as usize)
    }

    /// The length of an array. `Some(None)`: it is null.
    fn array(&mut self) -> Option<Option<usize>> {
        if self.nil() {
            return Some(None);
        }
        decode::read_array_len(&mut self.0)
            .ok()
            .map(|length| Some(length as usize))
    }

    /// The length of a map. `Some(None)`: it is null.
    fn map(&mut self) -> Option<Option<usize>> {
        if self.nil() {
            return Some(None);
        }
        decode::read_map_len(&mut self.0)
            .ok()
            .map(|length| Some(length as usize))
    }

    fn number(&mut self) -> Option<Number> {
        match self.peek()? {
            Marker::F32 => Number::try_from(f64::from(decode::read_f32(&mut self.0).ok()?)).ok(),
            Marker::F64 => Number::try_from(decode::read_f64(&mut self.0).ok()?).ok(),
            Marker::U64 => decode::read_u64(&mut self.0).ok().map(Number::from),
            Marker::FixPos(_)
            | Marker::FixNeg(_)
            | Marker::U8
            | Marker::U16
            | Marker::U32
            | Marker::I8
            | Marker::I16
            | Marker::I32
            | Marker::I64 => decode::read_int::<i64, _>(&mut self.0)
                .ok()
                .map(Number::from),
            _ => Number::parse(self.text()?),
        }
    }
}

fn is_extension(marker: Marker) -> bool {
    matches!(
        marker,
        Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32
    )
}

fn read(reader: &mut Reader, ty: &Type, path: &mut Path) -> Result<Value, Error> {
    let Some(marker) = reader.peek() else {
        return fail(path, "EOF");
    };
    if path.len() > MAX_DEPTH {
        return fail(path, "value is nested too deeply");
    }
    if is_extension(marker) {
        return read_unknown(reader, ty, path);
    }
    if reader.nil() {
        return Ok(Value::null(ty.clone()));
    }
    let value = match ty {
        Type::Dynamic => read_dynamic(reader, path),
        Type::Bool => match decode::read_bool(&mut reader.0) {
            Ok(value) => Ok(Value::bool(value)),
            Err(_) => fail(path, "bool is required"),
        },
        Type::Number => match reader.number() {
            Some(number) => Ok(Value::number(number)),
            None => fail(path, "number is required"),
        },
        Type::String => match reader.text() {
            Some(text) => Ok(Value::string(text)),
            None => fail(path, "string is required"),
        },
        Type::List(element) => {
            let elements = read_elements(reader, element, "a list is required", path)?;
            Ok(Value::list(Type::clone(element), elements))
        }
        Type::Set(element) => {
            let elements = read_elements(reader, element, "a set is required", path)?;
            Ok(Value::set(Type::clone(element), elements))
        }
        Type::Tuple(types) => {
            let length = reader.array().flatten();
            if length.is_some_and(|length| length != types.len()) {
                return fail(
                    path,
                    format!("a tuple of length {} is required", types.len()),
                );
            }
            if length.is_none() {
                return fail(path, "a tuple is required");
            }
            let mut elements = Vec::with_capacity(types.len());
            for (at, ty) in types.iter().enumerate() {
                let step = PathStep::Index(Value::number(at));
                elements.push(inside(path, step, |path| read(reader, ty, path))?);
            }
            Ok(Value::tuple(elements))
        }
        Type::Map(element) => {
            let Some(length) = reader.map().flatten() else {
                return fail(path, "a map is required");
            };
            let mut elements = Vec::new();
            for _ in 0..length {
                let Some(name) = reader.text() else {
                    return fail(path, "non-string key in map");
                };
                let step = PathStep::Index(Value::string(name));
                elements.push((
                    name,
                    inside(path, step, |path| read(reader, element, path))?,
                ));
            }
            match Value::are_of_one_type(elements.iter().map(|(_, element)| element)) {
                true => Ok(Value::map(Type::clone(element), elements)),
                false => fail(path, "inconsistent element types"),
            }
        }
        Type::Object(object) => {
            let Some(length) = reader.map().flatten() else {
                return fail(path, "an object is required");
            };
            let wanted = object.attributes.len();
            if length != wanted {
                return fail(
                    path,
                    format!("an object with {wanted} attributes is required ({length} given)"),
                );
            }
            let mut attributes = Vec::with_capacity(length);
            for _ in 0..length {
                let Some(name) = reader.text() else {
                    return fail(path, "all keys must be strings");
                };
                let is_known = attributes.iter().any(|(known, _)| *known == name);
                let step = PathStep::Index(Value::string(name));
                let attribute = inside(path, step, |path| match object.attributes.get(name) {
                    Some(_) if is_known => fail(path, "duplicate attribute"),
                    Some(ty) => read(reader, ty, path),
                    None => fail(path, "unsupported attribute"),
                })?;
                attributes.push((name, attribute));
            }
            Ok(Value::object(attributes))
        }
        Type::Capsule(capsule) => fail(path, format!("unsupported type {}", capsule.name())),
    }?;
    Ok(value.sharing(ty))
}

fn read_elements(
    reader: &mut Reader,
    ty: &Type,
    required: &str,
    path: &mut Path,
) -> Result<Vec<Value>, Error> {
    let Some(length) = reader.array().flatten() else {
        return fail(path, required);
    };
    let mut elements = Vec::new();
    for at in 0..length {
        let step = PathStep::Index(Value::number(at));
        elements.push(inside(path, step, |path| read(reader, ty, path))?);
    }
    match Value::are_of_one_type(&elements) {
        true => Ok(elements),
        false => fail(path, "inconsistent element types"),
    }
}

/// A value with its type in front, as JSON.
fn read_dynamic(reader: &mut Reader, path: &mut Path) -> Result<Value, Error> {
    match reader.array() {
        Some(Some(2)) => {}
        Some(Some(_)) => return fail(path, "dynamic value array must have exactly two elements"),
        _ => return fail(path, "a dynamic value array is required"),
    }
    let ty = reader
        .bytes()
        .and_then(|json| serde_json::from_slice(json).ok())
        .and_then(|json| Type::from_json(&json).ok());
    match ty {
        Some(ty) => read(reader, &ty, path),
        None => fail(path, "failed to decode type of dynamic value"),
    }
}

fn read_unknown(reader: &mut Reader, ty: &Type, path: &mut Path) -> Result<Value, Error> {
    let Ok(meta) = decode::read_ext_meta(&mut reader.0) else {
        return fail(path, "extension code is required for unknown value");
    };
    let length = meta.size as usize;
    let Some(body) = reader.take(length) else {
        return fail(path, "failed to read msgpack extension body: EOF");
    };
    match (meta.typeid, length) {
        (_, 0 | 1) => Ok(Value::unknown(ty.clone())),
        (REFINED, ..=MAX_REFINEMENT) => {
            read_refinement(&mut Reader::new(body), ty).or_else(|message| {
                fail(
                    path,
                    format!("failed to decode msgpack extension body: {message}"),
                )
            })
        }
        (REFINED, _) => fail(path, "oversize unknown value refinement"),
        (_, _) => Ok(Value::unknown(ty.clone())),
    }
}

fn read_refinement(reader: &mut Reader, ty: &Type) -> Result<Value, &'static str> {
    let length = reader.map().flatten().ok_or("not a map")?;
    if ty.is_dynamic() {
        return Ok(Value::dynamic());
    }
    let mut builder = Value::unknown(ty.clone()).refine();
    for _ in 0..length {
        let key: i64 = decode::read_int(&mut reader.0).map_err(|_| "non-integer key in map")?;
        builder = match u8::try_from(key) {
            Ok(NULLNESS) => match decode::read_bool(&mut reader.0) {
                Ok(true) => builder.null(),
                Ok(false) => builder.not_null(),
                Err(_) => return Err("null refinement is not boolean"),
            },
            Ok(STRING_PREFIX) if *ty != Type::String => {
                return Err("string prefix refinement for non-string type");
            }
            Ok(STRING_PREFIX) => {
                let bytes = reader
                    .bytes()
                    .ok_or("string prefix refinement is not string")?;
                let prefix = std::str::from_utf8(bytes)
                    .map_err(|_| "string prefix refinement is not valid UTF-8")?;
                builder.string_prefix_full(prefix)
            }
            Ok(NUMBER_LOWER | NUMBER_UPPER) if *ty != Type::Number => {
                return Err("numeric bound refinement for non-number type");
            }
            Ok(key @ (NUMBER_LOWER | NUMBER_UPPER)) => {
                number_bound(reader, builder, key == NUMBER_LOWER)
                    .ok_or("length bound refinement must be [number, bool] array")?
            }
            Ok(LENGTH_LOWER | LENGTH_UPPER) if !ty.is_collection() => {
                return Err("length lower bound refinement for non-collection type");
            }
            Ok(key @ (LENGTH_LOWER | LENGTH_UPPER)) => {
                let length: i64 = decode::read_int(&mut reader.0).map_err(
                    |_| "length bound refinement must be integer or [integer, bool] array",
                )?;
                let length = length.max(0) as u64;
                match key == LENGTH_LOWER {
                    true => builder.length_lower_bound(length),
                    false => builder.length_upper_bound(length),
                }
            }
            // What a later version may know.
            _ => {
                skip(reader, 0).ok_or("incomplete map")?;
                builder
            }
        };
    }
    Ok(builder.build())
}

fn number_bound(
    reader: &mut Reader,
    builder: RefinementBuilder,
    is_lower: bool,
) -> Option<RefinementBuilder> {
    if reader.array()?? != 2 {
        return None;
    }
    let number = reader.number()?;
    let inclusive = decode::read_bool(&mut reader.0).ok()?;
    Some(match is_lower {
        true => builder.number_lower_bound(number, inclusive),
        false => builder.number_upper_bound(number, inclusive),
    })
}

/// Passes over one value.
fn skip(reader: &mut Reader, depth: usize) -> Option<()> {
    implied(reader, depth).ok().map(|_| ())
}

fn implied(reader: &mut Reader, depth: usize) -> Result<Type, Error> {
    let error = |message: &str| fail(&Path::new(), message);
    let Some(marker) = reader.peek() else {
        return error("EOF");
    };
    if depth > MAX_DEPTH {
        return error("value is nested too deeply");
    }
    match marker {
        marker if is_extension(marker) => {
            let meta = decode::read_ext_meta(&mut reader.0).ok();
            match meta.and_then(|meta| reader.take(meta.size as usize)) {
                Some(_) => Ok(Type::Dynamic),
                None => error("EOF"),
            }
        }
        Marker::Null => {
            reader.nil();
            Ok(Type::Dynamic)
        }
        Marker::True | Marker::False => {
            reader.take(1);
            Ok(Type::Bool)
        }
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => match reader.bytes() {
            // As in Go, where a string may hold any bytes; decoding is stricter.
            Some(_) => Ok(Type::String),
            None => error("EOF"),
        },
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => {
            let Some(length) = reader.map().flatten() else {
                return error("EOF");
            };
            let mut attributes = Vec::new();
            for _ in 0..length {
                let Some(name) = reader.text() else {
                    return error("all keys must be strings");
                };
                attributes.push((name, implied(reader, depth + 1)?));
            }
            Ok(Type::object(attributes))
        }
        Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
            let Some(length) = reader.array().flatten() else {
                return error("EOF");
            };
            let mut elements = Vec::new();
            for _ in 0..length {
                elements.push(implied(reader, depth + 1)?);
            }
            Ok(Type::tuple(elements))
        }
        Marker::Bin8 | Marker::Bin16 | Marker::Bin32 | Marker::Reserved => {
            error(&format!("unsupported msgpack code 0x{:x}", marker.to_u8()))
        }
        _ => match reader.number() {
            Some(_) => Ok(Type::Number),
            None => error("EOF"),
        },
    }
}
