//! Files. Relative paths start in the folder of the run.

use std::io::ErrorKind;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cty::{Marks, Type, Value, budget};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::crypto::hex;
use super::glob::{GlobError, glob};
use super::path::{clean, resolve};
use super::{quoted, redacted, text};
use crate::function::{
    CallContext, CallError, FileKind, Function, Implementation, OutsideWorkspace, Param,
};

pub(super) fn functions() -> Vec<Function> {
    let of_file = |name, implementation: Implementation| {
        Function::string(name, implementation).takes(Param::string("path").or_marked_throughout())
    };
    vec![
        of_file("file", file),
        of_file("filebase64", filebase64),
        of_file("filebase64sha256", |args, _, context| {
            hashed::<Sha256>(args, context, |digest| STANDARD.encode(digest))
        }),
        of_file("filebase64sha512", |args, _, context| {
            hashed::<Sha512>(args, context, |digest| STANDARD.encode(digest))
        }),
        Function::predicate("fileexists", fileexists)
            .takes(Param::string("path").or_marked_throughout()),
        of_file("filemd5", |args, _, context| {
            hashed::<Md5>(args, context, hex)
        }),
        Function::new("fileset", fileset)
            .takes(Param::string("path").or_marked_throughout())
            .takes(Param::string("pattern").or_marked_throughout())
            .returns(Type::set(Type::String))
            .not_null(),
        of_file("filesha1", |args, _, context| {
            hashed::<Sha1>(args, context, hex)
        }),
        of_file("filesha256", |args, _, context| {
            hashed::<Sha256>(args, context, hex)
        }),
        of_file("filesha512", |args, _, context| {
            hashed::<Sha512>(args, context, hex)
        }),
    ]
}

/// The content of the file at `path`, whose marks say whether messages may show it.
fn read(path: &str, marks: &Marks, context: &CallContext<'_>) -> Result<Vec<u8>, CallError> {
    let resolved = resolve(context, path)?;
    context.files.read(&resolved).map_err(|error| {
        if OutsideWorkspace::is(&error) {
            return refused(path, marks);
        }
        let message = match error.kind() {
            ErrorKind::NotFound => {
                let shown = redacted(quoted(path), marks);
                format!(
                    "no file exists at {shown}; this function works only with files that are distributed \
                     as part of the configuration source code, so if this file will be created by a \
                     resource in this configuration you must instead obtain this result from an attribute \
                     of that resource"
                )
            }
            ErrorKind::IsADirectory => format!("failed to read file: {}", cause(&error, path, marks)),
            _ => cause(&error, path, marks),
        };
        CallError::argument(0, message)
    })
}

/// Nothing is looked at there before the workspace is trusted.
fn refused(path: &str, marks: &Marks) -> CallError {
    let shown = redacted(quoted(path), marks);
    let message = format!(
        "{shown} is outside of the workspace, and functions read nothing there before the workspace is trusted"
    );
    CallError {
        needs_trust: true,
        ..CallError::argument(0, message)
    }
}

/// Why a file cannot be read, as Go says it.
fn cause(error: &std::io::Error, path: &str, marks: &Marks) -> String {
    let shown = redacted(clean(Path::new(path)).to_string_lossy().into_owned(), marks);
    match error.kind() {
        ErrorKind::NotFound => format!("open {shown}: no such file or directory"),
        ErrorKind::IsADirectory => format!("read {shown}: is a directory"),
        _ if error.get_ref().is_some() => format!("open {shown}: {error}"),
        kind => format!("open {shown}: {kind}"),
    }
}

/// The content of a file as text.
pub(super) fn read_text(
    path: &str,
    marks: &Marks,
    context: &CallContext<'_>,
) -> Result<String, CallError> {
    String::from_utf8(read(path, marks, context)?).map_err(|_| {
        CallError::call(format!(
            "contents of {} are not valid UTF-8; use the filebase64 function to obtain the Base64 encoded \
             contents or the other file functions (e.g. filemd5, filesha256) to obtain file hashing results \
             instead",
            redacted(quoted(path), marks)
        ))
    })
}

fn file(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let (path, marks) = args[0].unmark();
    Ok(Value::string(read_text(text(&path), &marks, context)?).mark_all(&marks))
}

fn filebase64(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let (path, marks) = args[0].unmark();
    Ok(Value::string(STANDARD.encode(read(text(&path), &marks, context)?)).mark_all(&marks))
}

/// Bytes that are read and hashed at the cost of one step of the budget.
const BYTES_OF_STEP: usize = 1024;

fn hashed<D: Digest>(
    args: &[Value],
    context: &CallContext<'_>,
    written: fn(&[u8]) -> String,
) -> Result<Value, CallError> {
    let (path, marks) = args[0].unmark();
    let path = text(&path);
    let mut digest = D::new();
    let resolved = resolve(context, path)?;
    let read = context.files.read_parts(&resolved, &mut |part| {
        budget::spend(part.len() / BYTES_OF_STEP);
        digest.update(part);
    });
    read.map_err(|error| match OutsideWorkspace::is(&error) {
        true => refused(path, &marks),
        false => cause(&error, path, &marks).into(),
    })?;
    Ok(Value::string(written(&digest.finalize())).mark_all(&marks))
}

fn fileexists(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let (path, marks) = args[0].unmark();
    let resolved = resolve(context, text(&path))?;
    let shown = || {
        redacted(
            quoted(&clean(Path::new(text(&path))).to_string_lossy()),
            &marks,
        )
    };
    match context.files.kind(&resolved) {
        Ok(FileKind::File) => Ok(Value::bool(true).mark_all(&marks)),
        Ok(FileKind::Directory) => Err(format!("{} is a directory, not a file", shown()).into()),
        Ok(FileKind::Other(what)) => {
            Err(format!("{} is a {what}, not a regular file", shown()).into())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(Value::bool(false).mark_all(&marks))
        }
        Err(error) if OutsideWorkspace::is(&error) => Err(refused(text(&path), &marks)),
        Err(_) => Err(format!("failed to stat {}", shown()).into()),
    }
}

fn fileset(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let (folder, mut marks) = args[0].unmark();
    let (pattern, pattern_marks) = args[1].unmark();
    marks.extend(pattern_marks);
    let start = if text(&folder).is_empty() {
        "."
    } else {
        text(&folder)
    };
    let written = clean(Path::new(&format!("{start}/{}", text(&pattern))));
    let folder = clean(&context.base_dir.join(text(&folder)));
    let pattern = clean(&context.base_dir.join(&written));
    let found = glob(&text::path_text(&pattern), context.files).map_err(|error| {
        let written = written.to_string_lossy();
        let shown = redacted(quoted(&written), &marks);
        let why = match error {
            GlobError::Unreadable(error) if OutsideWorkspace::is(&error) => {
                return refused(&written, &marks);
            }
            GlobError::Syntax => "syntax error in pattern".to_owned(),
            GlobError::Limit(limit) => limit,
            GlobError::Unreadable(error) => error.to_string(),
        };
        CallError::call(format!("failed to glob pattern {shown}: {why}"))
    })?;
    let names = found
        .iter()
        .map(|path| Value::string(relative(&folder, path)));
    Ok(Value::set(Type::String, names.collect()).mark_all(&marks))
}

/// How to get to `path` from `folder`, with forward slashes. Both are clean and absolute.
fn relative(folder: &Path, path: &Path) -> String {
    let common = folder
        .components()
        .zip(path.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = path
        .components()
        .skip(common)
        .map(|name| name.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}
