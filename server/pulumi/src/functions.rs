//! The functions of the language.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Component, Path};

use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use base64::{DecodeError, Engine};
use disk::Limit;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use text::TextRange;
use unicode_segmentation::UnicodeSegmentation;

use crate::archive;
use crate::caveat::Caveat;
use crate::evaluate::{Evaluated, Fault, Invocation, NoAnswer, Origin, Scope, fault};
use crate::expr::{AccessStep, Call, Function};
use crate::urn::{STACK_REFERENCE, Urn};
use crate::value::{Archive, Asset, Object, Secret, Source, Value};

/// The answer of a provider's function, which is asked for between two evaluations.
fn invoked(
    scope: &Scope<'_>,
    token: &str,
    arguments: &[Value],
    caveats: &mut BTreeSet<Caveat>,
    at: TextRange,
) -> Result<Value, Fault> {
    let given = arguments.first().unwrap_or(&Value::Null);
    if given.has_unknown() {
        return Ok(Value::Unknown);
    }
    let not_called = Caveat::Invoke(token.to_owned());
    let (Some(calls), false) = (scope.calls, given.is_sealed()) else {
        caveats.insert(not_called);
        return Ok(Value::Unknown);
    };
    let arguments_of_call = match given.revealed() {
        Value::Object(object) => object.clone(),
        _ => Object::new(),
    };
    let option = |key: &str| match arguments.get(1)?.revealed() {
        Value::Object(options) => options.get(key),
        _ => None,
    };
    let resource = |key: &str| match option(key)?.revealed() {
        Value::Resource(resource) => Some(Urn::new(&resource.urn)),
        _ => None,
    };
    let text = |key: &str| option(key).and_then(Value::as_str).map(str::to_owned);
    let invocation = Invocation {
        token: token.to_owned(),
        arguments: arguments_of_call,
        version: text("version"),
        url: text("pluginDownloadURL"),
        provider: resource("provider"),
        parent: resource("parent"),
    };
    let Some(call) = calls.iter().find(|it| it.invocation == invocation) else {
        scope.reads.borrow_mut().calls.push(invocation);
        return Ok(Value::Unknown);
    };
    match &call.answer {
        Ok(value) if given.has_secret() || value.has_secret() => {
            Ok(Value::secret(value.without_secrets()))
        }
        Ok(value) => Ok(value.clone()),
        Err(NoAnswer::Failed(why)) => Err(fault(at, why)),
        Err(NoAnswer::NotCalled(caveat)) => {
            caveats.insert(caveat.clone());
            Ok(Value::Unknown)
        }
    }
}

/// An output of another stack, which is referred to between two evaluations.
///
/// Source: `evaluateBuiltinStackReference` in `run.go` of Pulumi's YAML host.
fn stack_output(
    scope: &Scope<'_>,
    stack: &str,
    arguments: &[Value],
    result: &mut Evaluated,
    at: TextRange,
) -> Result<Value, Fault> {
    let not_read = Caveat::StackReference(stack.to_owned());
    let Some(calls) = scope.calls else {
        result.caveats.insert(not_read);
        return Ok(Value::Unknown);
    };
    let invocation = Invocation {
        token: STACK_REFERENCE.to_owned(),
        arguments: Object::from([("name".to_owned(), Value::from(stack))]),
        version: None,
        url: None,
        provider: None,
        parent: None,
    };
    let Some(call) = calls.iter().find(|it| it.invocation == invocation) else {
        scope.reads.borrow_mut().calls.push(invocation);
        return Ok(Value::Unknown);
    };
    let reference = match &call.answer {
        Ok(reference) => reference,
        Err(NoAnswer::Failed(why)) => return Err(fault(at, why)),
        Err(NoAnswer::NotCalled(caveat)) => {
            result.caveats.insert(caveat.clone());
            return Ok(Value::Unknown);
        }
    };
    let Value::Object(reference) = reference else {
        return Ok(Value::Unknown);
    };
    let urn = reference.get("urn").and_then(Value::as_str);
    result.dependencies.extend(urn.map(Urn::new));
    let name = arguments.first().unwrap_or(&Value::Null);
    let found = match (name.revealed(), reference.get("outputs")) {
        (Value::Unknown, _) | (_, None) => Value::Unknown,
        (Value::String(name), Some(Value::Object(outputs))) => {
            outputs.get(name).cloned().unwrap_or_default()
        }
        (other, _) => {
            let message = format!(
                "expected property name argument to fn::stackReference to be a string, got {}",
                other.go_type()
            );
            return Err(fault(at, &message));
        }
    };
    Ok(match name.has_secret() || found.has_secret() {
        true => Value::secret(found.without_secrets()),
        false => found,
    })
}

/// Calls a function. `result` holds the dependencies of the arguments.
pub(crate) fn call(
    scope: &Scope<'_>,
    call: &Call,
    mut arguments: Vec<Value>,
    mut result: Evaluated,
    at: TextRange,
) -> Result<Evaluated, Fault> {
    match &call.function {
        Function::Invoke { token, result: of } => {
            result.value = invoked(scope, token, &arguments, &mut result.caveats, at)?;
            result.has_output = true;
            if let Some(of) = of {
                if lacks(&result.value, of) {
                    let message = format!(
                        "fn::invoke of {token} did not contain a property '{of}' in the returned value"
                    );
                    return Err(fault(at, message));
                }
                let of = [AccessStep::Name(of.clone())];
                result.value = scope.walk(&result.value, &of, at, Origin::Program)?;
            }
            return Ok(result);
        }
        Function::StackReference(stack) => {
            result.value = stack_output(scope, stack, &arguments, &mut result, at)?;
            result.has_output = true;
            return Ok(result);
        }
        Function::Secret => {
            result.value = match arguments.remove(0) {
                // As the host: nothing is no secret.
                Value::Null => Value::Null,
                value => Value::secret(value.as_output()),
            };
            if matches!(result.value.revealed(), Value::Resource(_)) {
                result.dependencies.clear();
            }
            return Ok(result);
        }
        Function::Unsecret => {
            result.value = arguments.remove(0).revealed().clone();
            if matches!(result.value, Value::Resource(_)) {
                result.dependencies.clear();
            }
            return Ok(result);
        }
        Function::ReadFile
        | Function::FileBase64
        | Function::FileBase64Sha256
        | Function::FileAsset
        | Function::FileArchive => {
            let path = arguments.first().and_then(|it| it.revealed().as_str());
            if let Some(path) = path.filter(|it| !may_read(scope, it)) {
                result.caveats.insert(Caveat::Outside(path.to_owned()));
                result.value = Value::Unknown;
                return Ok(result);
            }
        }
        _ => {}
    }
    let is_whole = |it: &Value| it.revealed().is_whole();
    if result.has_hidden && call.function == Function::ToJson && arguments.iter().any(is_whole) {
        result.caveats.insert(Caveat::SecretText);
        result.value = Value::secret(Value::Unknown);
        return Ok(result);
    }
    let is_secret = arguments.iter().any(Value::has_secret);
    let value =
        match arguments.iter().any(Value::has_unknown_part) && !is_about_resource(&call.function) {
            true => Value::Unknown,
            false => {
                let arguments: Vec<Value> = arguments.iter().map(Value::without_secrets).collect();
                scope
                    .meter
                    .take(least_size(&call.function, &arguments), at)?;
                let value = known(scope, call, &arguments, at)?;
                scope.meter.take_value(&value, at)?;
                value
            }
        };
    if is_about_resource(&call.function) {
        result.dependencies.clear();
    }
    let unread = match &value {
        Value::Archive(archive) if archive.hash.is_empty() => {
            let link = scope.archives.link_in(&archive.source);
            Some(link.map_or(Caveat::Content, Caveat::Outside))
        }
        Value::Asset(asset) if asset.hash.is_empty() => Some(Caveat::Content),
        _ => None,
    };
    result.caveats.extend(unread);
    result.value = match is_secret {
        true => Value::secret(value),
        false => value,
    };
    Ok(result)
}

/// Whether a known answer has no such property.
fn lacks(answer: &Value, property: &str) -> bool {
    match answer.revealed() {
        Value::Object(object) => !object.contains_key(property),
        _ => false,
    }
}

fn is_about_resource(function: &Function) -> bool {
    matches!(function, Function::ResourceName | Function::ResourceType)
}

/// The minimum size of a result that may be much larger than the arguments.
fn least_size(function: &Function, arguments: &[Value]) -> usize {
    let text = |value: &Value| value.as_str().map_or(0, str::len);
    match (function, arguments) {
        (Function::Join, [delimiter, Value::Array(parts)]) => text(delimiter) * parts.len(),
        (Function::Split, [_, Value::String(parts)]) => parts.len() * size_of::<Value>(),
        _ => 0,
    }
}

/// The error of a function whose argument should be a text.
fn no_text(function: &str, argument: &Value) -> String {
    let found = argument.type_name();
    match function {
        "toBase64" | "fromBase64" => {
            format!("expected argument to fn::{function} to be a string, got {found}")
        }
        "readFile" => {
            let found = argument.go_type();
            format!("Argument to fn::readFile must be a string, got {found}")
        }
        "filebase64" | "filebase64sha256" => {
            format!("fn::{function} requires a string path, got {found}")
        }
        _ => format!("fn::{function} requires a string, got {found}"),
    }
}

/// `whole` is the place of the call.
fn known(
    scope: &Scope<'_>,
    call: &Call,
    arguments: &[Value],
    whole: TextRange,
) -> Result<Value, Fault> {
    let first = arguments.first().unwrap_or(&Value::Null);
    let second = arguments.get(1).unwrap_or(&Value::Null);
    let place = |index: usize| call.arguments.get(index).map_or(whole, |it| it.at);
    let at = place(0);
    let text = |name: &str| match first {
        Value::String(text) => Ok(text.as_str()),
        other => Err(fault(at, no_text(name, other))),
    };
    Ok(match &call.function {
        Function::Join => join((first, at), (second, place(1)))?,
        Function::Split => match (first, second) {
            (Value::String(delimiter), Value::String(text)) => split(delimiter, text),
            (first, _) => {
                let is_first = !matches!(first, Value::String(_));
                let at = place(usize::from(!is_first));
                // As the host: it names the type of an empty text.
                return Err(fault(at, "Must be a string, not a string"));
            }
        },
        Function::Select => select(scope, (first, at), (second, place(1)))?,
        Function::ToJson if first.has_resource() => {
            let why = "json: error calling MarshalJSON for type pulumi.MapOutput: Outputs can not be marshaled to JSON";
            return Err(fault(whole, format!("failed to encode JSON: {why}")));
        }
        Function::ToJson => Value::String(json(first)),
        Function::ToBase64 => Value::String(BASE64_STANDARD.encode(text("toBase64")?)),
        Function::FromBase64 => {
            let encoded = text("fromBase64")?;
            let bytes = decoded(encoded).map_err(|byte| {
                let why = format!("illegal base64 data at input byte {byte}");
                fault(
                    at,
                    format!("fn::fromBase64 unable to decode {encoded}, error: {why}"),
                )
            })?;
            let text = String::from_utf8(bytes);
            let text =
                text.map_err(|_| fault(at, "fn::fromBase64 output is not a valid UTF-8 string"))?;
            Value::String(text)
        }
        Function::Sha1 => Value::String(hex(&Sha1::digest(text("sha1")?))),
        Function::Length => length(first, at)?,
        Function::SingleOrNone => single_or_none(first, at)?,
        Function::ReadFile => {
            let bytes = file(scope, text("readFile")?, READ_FILE, at)?;
            Value::String(String::from_utf8_lossy(&bytes).into_owned())
        }
        Function::FileBase64 => Value::String(BASE64_STANDARD.encode(file(
            scope,
            text("filebase64")?,
            "fn::filebase64 error reading file",
            at,
        )?)),
        Function::FileBase64Sha256 => {
            let bytes = file(
                scope,
                text("filebase64sha256")?,
                "fn::filebase64sha256 error reading file",
                at,
            )?;
            Value::String(BASE64_STANDARD.encode(Sha256::digest(bytes)))
        }
        Function::StringAsset => asset_of_text(content_argument(first, at)?),
        Function::FileAsset | Function::RemoteAsset if is_empty(first) => asset_of_text(""),
        Function::FileArchive | Function::RemoteArchive if is_empty(first) => {
            archive(scope, Source::Assets(Object::new()), at)?
        }
        Function::FileAsset => {
            let path = content_argument(first, at)?;
            Value::Asset(Asset {
                hash: hex(&Sha256::digest(file(scope, path, READ_FILE, at)?)),
                source: Source::Path(path.to_owned()),
            })
        }
        Function::RemoteAsset => Value::Asset(Asset {
            hash: String::new(),
            source: Source::Uri(remote(content_argument(first, at)?, at)?),
        }),
        Function::FileArchive => {
            let path = content_argument(first, at)?;
            scope.reads.borrow_mut().files.insert(path.to_owned());
            archive::local(&scope.dir.join(path)).map_err(|why| fault(at, why))?;
            archive(scope, Source::Path(path.to_owned()), at)?
        }
        Function::RemoteArchive => archive(
            scope,
            Source::Uri(remote(content_argument(first, at)?, at)?),
            at,
        )?,
        Function::AssetArchive => match first {
            Value::Object(object) => archive(scope, Source::Assets(object.clone()), at)?,
            _ => {
                return Err(fault(
                    at,
                    "the argument to fn::assetArchive must be an object",
                ));
            }
        },
        Function::ResourceName => Value::from(urn(first, "pulumiResourceName", at)?.name()),
        Function::ResourceType => Value::from(urn(first, "pulumiResourceType", at)?.type_name()),
        // Answered before their arguments are looked at.
        Function::Invoke { .. }
        | Function::StackReference(_)
        | Function::Secret
        | Function::Unsecret => Value::Unknown,
    })
}

/// Decodes base64 as Go does: without line breaks, and whatever the last bits are. The error is the position of the first byte
/// that does not fit.
fn decoded(text: &str) -> Result<Vec<u8>, usize> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    let plain = text.replace(['\r', '\n'], "");
    LENIENT.decode(&plain).map_err(|error| match error {
        DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
        DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => plain.len() / 4 * 4,
    })
}

/// An asset or archive without a source has no content.
fn is_empty(source: &Value) -> bool {
    source.as_str() == Some("")
}

fn asset_of_text(text: &str) -> Value {
    Value::Asset(Asset {
        hash: hex(&Sha256::digest(text)),
        source: Source::Text(text.to_owned()),
    })
}

/// The source of an asset or an archive.
fn content_argument(value: &Value, at: TextRange) -> Result<&str, Fault> {
    value.as_str().ok_or_else(|| {
        let found = value.go_type();
        fault(
            at,
            format!("Argument to fn::* must be a string, got {found}"),
        )
    })
}

/// As a person counts: elements, entries, or characters.
fn length(value: &Value, at: TextRange) -> Result<Value, Fault> {
    Ok(match value {
        Value::Array(elements) => Value::Number(elements.len() as f64),
        Value::Object(object) => Value::Number(object.len() as f64),
        Value::String(text) => Value::Number(characters(text) as f64),
        other => {
            let found = other.type_name();
            return Err(fault(
                at,
                format!("fn::length requires a list, map, or string, got {found}"),
            ));
        }
    })
}

/// The only element of a list, or null.
fn single_or_none(value: &Value, at: TextRange) -> Result<Value, Fault> {
    Ok(match value {
        Value::Array(elements) => match elements.as_slice() {
            [] => Value::Null,
            [element] => element.clone(),
            more => {
                let count = more.len();
                let what =
                    format!("fn::singleOrNone expected a list of 0 or 1 elements, got {count}");
                return Err(fault(at, what));
            }
        },
        other => {
            let found = other.type_name();
            return Err(fault(
                at,
                format!("fn::singleOrNone requires a list, got {found}"),
            ));
        }
    })
}

/// The address of a file elsewhere, which Pulumi can read by a few schemes.
///
/// Source: `readURI` in `sdk/go/common/resource/asset/asset.go` of Pulumi.
fn remote(address: &str, at: TextRange) -> Result<String, Fault> {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme);
    match scheme.unwrap_or_default() {
        "file" | "http" | "https" => Ok(address.to_owned()),
        other => {
            let message = format!("Unrecognized or unsupported URI scheme: {other}");
            Err(fault(at, message))
        }
    }
}

/// So many bytes are hashed in the time in which one byte of a value is made.
const HASHED_BYTES: u64 = 64;

fn archive(scope: &Scope<'_>, source: Source, at: TextRange) -> Result<Value, Fault> {
    let limit = scope.meter.left().saturating_mul(HASHED_BYTES);
    let read = (scope.archives).read(scope.dir, &source, scope.reads_everywhere, limit);
    scope.reads.borrow_mut().files.extend(read.files);
    let cost = read.bytes.div_ceil(HASHED_BYTES);
    scope
        .meter
        .take(usize::try_from(cost).unwrap_or(usize::MAX), at)?;
    Ok(Value::Archive(Archive {
        hash: read.hash.unwrap_or_default(),
        source,
    }))
}

fn urn(value: &Value, function: &str, at: TextRange) -> Result<Urn, Fault> {
    match value {
        Value::Resource(resource) => Ok(Urn::new(&resource.urn)),
        other => {
            let found = other.type_name();
            Err(fault(
                at,
                format!("fn::{function} requires a resource, got {found}"),
            ))
        }
    }
}

/// Both arguments have their places.
fn join(delimiter: (&Value, TextRange), parts: (&Value, TextRange)) -> Result<Value, Fault> {
    let delimiter = match delimiter.0 {
        Value::Null => "",
        Value::String(text) => text,
        other => {
            return Err(fault(
                delimiter.1,
                format!("delimiter must be a string, not {}", other.type_name()),
            ));
        }
    };
    let (parts, at) = parts;
    let Value::Array(parts) = parts else {
        let found = parts.type_name();
        return Err(fault(
            at,
            format!("the second argument to fn::join must be a list, found {found}"),
        ));
    };
    let mut texts = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let Value::String(text) = part else {
            let found = part.type_name();
            let what = "the second argument to fn::join must be a list of strings";
            return Err(fault(at, format!("{what}, found {found} at index {index}")));
        };
        texts.push(text.as_str());
    }
    Ok(Value::String(texts.join(delimiter)))
}

fn split(delimiter: &str, text: &str) -> Value {
    Value::Array(match delimiter {
        "" => text.chars().map(|c| Value::String(c.to_string())).collect(),
        _ => text.split(delimiter).map(Value::from).collect(),
    })
}

fn select(
    scope: &Scope<'_>,
    index: (&Value, TextRange),
    values: (&Value, TextRange),
) -> Result<Value, Fault> {
    let (index, at) = index;
    let Value::Number(index) = index else {
        return Err(fault(
            at,
            format!("index must be a number, not {}", index.type_name()),
        ));
    };
    if index.fract() != 0.0 || *index < 0.0 {
        return Err(fault(
            at,
            format!("index must be a positive integral, not {index}"),
        ));
    }
    let steps = [AccessStep::Index(*index as usize)];
    scope.walk(values.0, &steps, values.1, Origin::Program)
}

/// Whether a function may read a file. Nothing outside of a project that is not trusted is even looked at, and no link in it is
/// followed.
fn may_read(scope: &Scope<'_>, path: &str) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_symlink());
    let is_inside = || {
        let names = Path::new(path).components();
        let mut way = scope.dir.to_owned();
        names.into_iter().all(|name| {
            way.push(name);
            matches!(name, Component::Normal(_) | Component::CurDir) && !is_link(&way)
        })
    };
    scope.reads_everywhere || is_inside()
}

/// How the error begins with which a file is not read.
const READ_FILE: &str = "Error reading file at path";

fn file(scope: &Scope<'_>, path: &str, failure: &str, at: TextRange) -> Result<Vec<u8>, Fault> {
    scope.reads.borrow_mut().files.insert(path.to_owned());
    let read = disk::read(&scope.dir.join(path), Limit::VALUE);
    read.map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => format!("open {path}: no such file or directory"),
            ErrorKind::IsADirectory => format!("read {path}: is a directory"),
            _ => error.to_string(),
        };
        fault(at, format!("{failure} {path}: {why}"))
    })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// As a person counts: without the marks that join others. The host's library does not know that conjuncts of Indic scripts are
/// one character (rule GB9c of Unicode).
fn characters(text: &str) -> usize {
    let is_one = |text: &str| text.graphemes(true).count() == 1;
    let joined = |cluster: &str| {
        let chars = cluster.chars().zip(cluster.chars().skip(1));
        let conjoined = chars.filter(|(before, c)| {
            let is_consonant = is_one(&format!("\u{915}\u{94d}{c}")) && !is_one(&format!("a{c}"));
            is_consonant && !is_one(&format!("{before}a"))
        });
        conjoined.count()
    };
    let clusters = text.graphemes(true);
    clusters.map(|it| 1 + joined(it)).sum()
}

/// As Go's `%v` writes it.
pub(crate) fn formatted(value: &Value) -> String {
    match value {
        Value::Null | Value::NullOutput => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number_like_g(*number),
        Value::String(text) => text.clone(),
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(formatted).collect();
            format!("[{}]", elements.join(" "))
        }
        Value::Object(object) => {
            let entries = object.iter();
            let entries: Vec<String> = entries
                .map(|(key, value)| format!("{key}:{}", formatted(value)))
                .collect();
            format!("map[{}]", entries.join(" "))
        }
        Value::Secret(Secret::Known(value)) => formatted(&value.without_secrets()),
        Value::Secret(Secret::Sealed(_)) => String::new(),
        Value::Resource(resource) => {
            let urn = Urn::new(&resource.urn);
            let id = resource.id.as_deref().map(formatted).unwrap_or_default();
            format!("{{{urn} {} {} {{{id}}} }}", urn.name(), urn.type_name())
        }
        Value::Unknown | Value::Asset(_) | Value::Archive(_) => String::new(),
    }
}

/// The shortest digits, with an exponent from seven places on or below the fourth after the point.
fn number_like_g(number: f64) -> String {
    exponential(number, -4, 6).unwrap_or_else(|| number.to_string())
}

/// With an exponent of at least two digits, where the number has one.
pub(crate) fn exponential(number: f64, least: i32, most: i32) -> Option<String> {
    if number == 0.0 || !number.is_finite() {
        return None;
    }
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let sign = if exponent < 0 { '-' } else { '+' };
    let is_needed = exponent < least || exponent >= most;
    is_needed.then(|| format!("{mantissa}e{sign}{:02}", exponent.abs()))
}

/// As Go's encoder writes it: keys in order, and characters of HTML escaped.
pub fn json(value: &Value) -> String {
    match value {
        Value::Null | Value::NullOutput | Value::Unknown => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number_as_json(*number),
        Value::String(text) => quoted(text),
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(json).collect();
            format!("[{}]", elements.join(","))
        }
        Value::Object(object) => {
            let entries = object.iter();
            let entries: Vec<String> = entries
                .map(|(key, value)| format!("{}:{}", quoted(key), json(value)))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
        Value::Secret(Secret::Known(value)) => json(&value.without_secrets()),
        Value::Secret(Secret::Sealed(_)) => "null".to_owned(),
        Value::Asset(_) | Value::Archive(_) | Value::Resource(_) => "{}".to_owned(),
    }
}

pub(crate) fn number_as_json(number: f64) -> String {
    match exponential(number, -6, 21) {
        // One digit of an exponent is enough below the point.
        Some(text) => text.replace("e-0", "e-"),
        None => number.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            '\u{8}' => result.push_str("\\b"),
            '\u{c}' => result.push_str("\\f"),
            c if c < ' ' || matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') => {
                result.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => result.push(c),
        }
    }
    result.push('"');
    result
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::budget::Meter;
    use crate::evaluate::{Binding, Bindings, Registered};
    use crate::expr::Reader;
    use crate::value::Object;

    fn evaluate(text: &str) -> Result<Value, String> {
        let parse = yaml::parse(text);
        let mut problems = Vec::new();
        let mut reader = Reader {
            source: text,
            problems: &mut problems,
        };
        let expr = reader.expr(parse.root.as_ref().unwrap());
        let outputs = Object::from([
            ("arn".to_owned(), Value::from("arn-1")),
            (
                "tags".to_owned(),
                Value::Object(Object::from([("x".to_owned(), Value::from("y"))])),
            ),
            (
                "mixed".to_owned(),
                Value::Object(Object::from([
                    ("open".to_owned(), Value::from("x")),
                    ("sealed".to_owned(), Value::secret("hidden".into())),
                ])),
            ),
        ]);
        let resource = Registered {
            urn: Urn::new("urn:pulumi:dev::shop::t:index:T::res"),
            name: "res".to_owned(),
            type_name: "t:index:T".to_owned(),
            id: Some(Value::Unknown),
            outputs,
            properties: vec!["arn".to_owned(), "later".to_owned()],
            caveats: BTreeSet::new(),
        };
        let bindings = [
            (
                "n".to_owned(),
                Binding::Value(Evaluated::plain(Value::Number(1_000_000.0))),
            ),
            (
                "s".to_owned(),
                Binding::Value(Evaluated::plain(Value::secret("hidden".into()))),
            ),
            (
                "u".to_owned(),
                Binding::Value(Evaluated::plain(Value::Unknown)),
            ),
            ("res".to_owned(), Binding::Resource(Box::new(resource))),
            ("failed".to_owned(), Binding::Failed),
        ];
        let mut known = Bindings::new(HashSet::from(["n".to_owned()]));
        for (name, binding) in bindings {
            known.insert(&name, Arc::new(binding));
        }
        let scope = Scope {
            project: "shop",
            dir: Path::new("/"),
            bindings: &known,
            calls: None,
            reads_everywhere: false,
            archives: &archive::Archives::default(),
            suggests: true,
            reads: RefCell::default(),
            meter: Meter::default(),
        };
        match scope.evaluate(&expr) {
            Ok(evaluated) => Ok(evaluated.value),
            Err(Fault::Behind(name)) => Err(format!("behind {name}")),
            Err(Fault::Problem(problem)) => Err(problem.summary.into_owned()),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match evaluate(text) {
            Ok(value) => json(&value),
            Err(message) => message,
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn functions_answer_as_the_language_host_does() {
        check("fn::join: ['-', [a, b]]", "\"a-b\"");
        check(
            "fn::join: ['-', [a, 1]]",
            "the second argument to fn::join must be a list of strings, found a number at index 1",
        );
        check("fn::split: [',', 'a,b']", "[\"a\",\"b\"]");
        check("fn::select: [1, [a, b]]", "\"b\"");
        check(
            "fn::select: [2, [a, b]]",
            "list index 2 out-of-bounds for list of length 2",
        );
        check(
            "fn::select: [-1, [a]]",
            "index must be a positive integral, not -1",
        );
        check(
            "fn::toJSON: {b: [1, 1.5, true, null], a: '<x&y>'}",
            r#""{\"a\":\"\\u003cx\\u0026y\\u003e\",\"b\":[1,1.5,true,null]}""#,
        );
        check("fn::toBase64: häß", "\"aMOkw58=\"");
        check("fn::fromBase64: aGk=", "\"hi\"");
        check("fn::fromBase64: \"aG\\nk=\"", "\"hi\"");
        check(
            "fn::fromBase64: aG?=",
            "fn::fromBase64 unable to decode aG?=, error: illegal base64 data at input byte 2",
        );
        check(
            "fn::fileAsset: 5",
            "Argument to fn::* must be a string, got float64",
        );
        check(
            "fn::sha1: abc",
            "\"a9993e364706816aba3e25717850c26c9cd0d89d\"",
        );
        check("fn::length: 'e\u{301}x'", "2");
        check("fn::length: 'क्षि'", "2");
        check("fn::length: {a: 1}", "1");
        check("fn::singleOrNone: []", "null");
        check(
            "fn::singleOrNone: [1, 2]",
            "fn::singleOrNone expected a list of 0 or 1 elements, got 2",
        );
        check("fn::pulumiResourceName: ${res}", "\"res\"");
        check("fn::pulumiResourceType: ${res}", "\"t:index:T\"");
    }

    #[test]
    fn interpolation_writes_values_as_go_does() {
        check("x ${n}", "\"x 1e+06\"");
        check("x ${res.tags}", "\"x map[x:y]\"");
        check("x ${shop:n}", "\"x 1e+06\"");
    }

    #[test]
    fn results_of_unknowns_and_secrets_stay_unknown_and_secret() {
        for text in [
            "fn::join: ['-', ['${u}']]",
            "x ${u}",
            "fn::toJSON: {a: '${res.later}'}",
            "${res.id}",
        ] {
            assert_eq!(evaluate(text), Ok(Value::Unknown), "{text}");
        }
        for text in [
            "fn::toJSON: ['${s}']",
            "x ${s}",
            "fn::join: ['', ['${s}', '${u}']]",
            "fn::secret: 1",
        ] {
            assert!(matches!(evaluate(text), Ok(Value::Secret(_))), "{text}");
        }
        let inner = evaluate("fn::secret: [x, '${s}']");
        let whole = ["x", "hidden"].map(Value::from);
        assert_eq!(inner, Ok(Value::secret(Value::Array(whole.to_vec()))));
        let unknown = evaluate("fn::secret: [x, '${u}']");
        assert_eq!(unknown, Ok(Value::secret(Value::Unknown)));
        check("fn::unsecret: ${s}", "\"hidden\"");
        assert_eq!(evaluate("fn::t:lookup: {a: 1}"), Ok(Value::Unknown));
    }

    #[test]
    fn nothing_is_looked_at_behind_an_unknown_part_of_a_text() {
        assert_eq!(evaluate("${u} ${nobody} ${s}"), Ok(Value::Unknown));
        assert!(evaluate("${res.tags.x} ${res.arn[7]}").is_err());
    }

    #[test]
    fn secrets_inside_of_an_output_are_in_no_text() {
        check("${res.mixed}", "{\"open\":\"x\",\"sealed\":{}}");
        assert_eq!(evaluate("x ${res.mixed}"), Ok(Value::Unknown));
        let json = evaluate("fn::toJSON: ['${res.mixed}']");
        assert_eq!(json, Ok(Value::secret(Value::Unknown)));
        check("x ${res.mixed.open}", "\"x x\"");
    }

    #[test]
    fn a_whole_resource_has_no_text() {
        assert_eq!(evaluate("x ${res} ${n}"), Ok(Value::Unknown));
        check(
            "fn::toJSON: ['${res}']",
            "failed to encode JSON: json: error calling MarshalJSON for type pulumi.MapOutput: Outputs can not be marshaled to JSON",
        );
    }

    #[test]
    fn a_secret_that_is_not_decrypted_has_no_text() {
        let sealed = Value::Secret(Secret::Sealed("v1:a:b".to_owned()));
        assert_eq!(
            (formatted(&sealed), json(&sealed)),
            (String::new(), "null".to_owned())
        );
    }

    #[test]
    fn properties_of_resources_are_known_unknown_or_missing() {
        check("${res.arn}", "\"arn-1\"");
        check("${res.tags.x}", "\"y\"");
        check("${res.tags.z}", "null");
        check("${res.nothing}", "null");
        check(
            "${res.arn.x}",
            "receiver must be a list or object, not a string",
        );
        check("${failed.x}", "behind failed");
        check(
            "${nobody}",
            "resource or variable named \"nobody\" could not be found",
        );
    }
}
