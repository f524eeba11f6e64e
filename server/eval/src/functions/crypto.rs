//! Hashes and identifiers. `uuid` and `bcrypt` differ each time, so a plan does not know them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cty::{Type, Value};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use uuid::{Builder, Uuid};

use super::text;
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    let str = || Param::string("str");
    vec![
        Function::string("base64sha256", |args, _, _| {
            Ok(Value::string(
                STANDARD.encode(Sha256::digest(text(&args[0]))),
            ))
        })
        .takes(str()),
        Function::string("base64sha512", |args, _, _| {
            Ok(Value::string(
                STANDARD.encode(Sha512::digest(text(&args[0]))),
            ))
        })
        .takes(str()),
        Function::string("bcrypt", unpredictable)
            .takes(str())
            .takes_more(Param::number("cost")),
        Function::string("md5", |args, _, _| {
            Ok(Value::string(hex(&Md5::digest(text(&args[0])))))
        })
        .takes(str()),
        Function::string("sha1", |args, _, _| {
            Ok(Value::string(hex(&Sha1::digest(text(&args[0])))))
        })
        .takes(str()),
        Function::string("sha256", |args, _, _| {
            Ok(Value::string(hex(&Sha256::digest(text(&args[0])))))
        })
        .takes(str()),
        Function::string("sha512", |args, _, _| {
            Ok(Value::string(hex(&Sha512::digest(text(&args[0])))))
        })
        .takes(str()),
        Function::string("uuid", unpredictable),
        Function::string("uuidv5", uuidv5)
            .takes(Param::string("namespace"))
            .takes(Param::string("name")),
    ]
}

/// The answer of functions that give another result each time they run: it comes with the apply.
pub(super) fn unpredictable(
    _: &[Value],
    ty: &Type,
    _: &CallContext<'_>,
) -> Result<Value, CallError> {
    Ok(Value::unknown(ty.clone()))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn uuidv5(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let namespace = match text(&args[0]) {
        "dns" => Uuid::NAMESPACE_DNS,
        "url" => Uuid::NAMESPACE_URL,
        "oid" => Uuid::NAMESPACE_OID,
        "x500" => Uuid::NAMESPACE_X500,
        other => Uuid::try_parse(other).map_err(|_| {
            format!(
                "uuidv5() doesn't support namespace {other} ({})",
                uuid_problem(other)
            )
        })?,
    };
    let digest = Sha1::new()
        .chain_update(namespace.as_bytes())
        .chain_update(text(&args[1]))
        .finalize();
    let first = std::array::from_fn(|index| digest[index]);
    let id = Builder::from_sha1_bytes(first).into_uuid();
    Ok(Value::string(id.to_string()))
}

fn uuid_problem(text: &str) -> String {
    match text.len() {
        32 | 36 | 38 | 45 => "invalid UUID format".to_owned(),
        length => format!("invalid UUID length: {length}"),
    }
}
