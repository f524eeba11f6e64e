//! Paths as text. They are cleaned and joined as on the machine that plans.

use std::path::{Component, Path, PathBuf};

use cty::Value;

use super::text;
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    let path = || Param::string("path");
    vec![
        Function::string("abspath", |args, _, context| {
            let path = context.base_dir.join(text(&args[0]));
            Ok(Value::string(with_slashes(&clean(&path))))
        })
        .takes(path()),
        Function::string("basename", |args, _, _| {
            Ok(Value::string(basename(text(&args[0]))))
        })
        .takes(path()),
        Function::string("dirname", |args, _, _| {
            Ok(Value::string(dirname(text(&args[0]))))
        })
        .takes(path()),
        Function::string("pathexpand", |args, _, context| {
            Ok(Value::string(expand(context, text(&args[0]))?))
        })
        .takes(path()),
    ]
}

/// The last name in a path, as Go's `filepath.Base`.
fn basename(path: &str) -> &str {
    if path.is_empty() {
        return ".";
    }
    let trimmed = path.trim_end_matches(std::path::is_separator);
    match trimmed.rsplit(std::path::is_separator).next() {
        Some("") | None => "/",
        Some(name) => name,
    }
}

/// The clean path before the last name, as Go's `filepath.Dir`.
fn dirname(path: &str) -> String {
    let end = path
        .rfind(std::path::is_separator)
        .map_or(0, |separator| separator + 1);
    clean(Path::new(&path[..end]))
        .to_string_lossy()
        .into_owned()
}

/// The path with `~` replaced by the user's folder.
pub(super) fn expand(context: &CallContext<'_>, path: &str) -> Result<String, CallError> {
    let Some(rest) = path.strip_prefix('~') else {
        return Ok(path.to_owned());
    };
    if !rest.is_empty() && !rest.starts_with(std::path::is_separator) {
        return Err("cannot expand user-specific home dir".into());
    }
    match context.home_dir {
        Some(home) => Ok(format!("{}{rest}", home.display())
            .trim_end_matches('/')
            .to_owned()),
        None => Err("the user's home directory is not known".into()),
    }
}

/// The absolute, clean path that a path in the configuration stands for.
pub(super) fn resolve(context: &CallContext<'_>, path: &str) -> Result<PathBuf, CallError> {
    let path = expand(context, path).map_err(|error| format!("failed to expand ~: {error}"))?;
    Ok(clean(&context.base_dir.join(path)))
}

/// The shortest path that means the same without looking at files, as Go's `filepath.Clean`.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match cleaned.components().next_back() {
                Some(Component::Normal(_)) => {
                    cleaned.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                Some(Component::CurDir | Component::ParentDir) | None => cleaned.push(".."),
            },
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                cleaned.push(component)
            }
        }
    }
    match cleaned.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => cleaned,
    }
}

fn with_slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    }
}
