//! The configuration that Terraform generates for an object that is imported without having one.
//!
//! Follows OpenTofu's `internal/genconfig`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::sync::Arc;

use config::{
    Files, Module, ModuleAddr, ModuleCache, ModuleInstanceAddr, ProviderConfigAddr, Resource,
    ResourceAddr, ResourceMode, is_identifier, quote,
};
use cty::{Mark, Type, Value};
use eval::{EvalContext, Functions, Variables};
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Schema};
use smol_str::SmolStr;
use state::State;

use crate::import;

/// A `resource` block that plans to keep `object` as it is, as far as the schema can tell: attributes that only the provider sets
/// and deprecated ones are left out, and a sensitive argument is `null` with a comment. Without a newline at its end.
///
/// `object` is of the implied type of `schema`, as the provider's ImportResourceState and ReadResource gave it, with
/// its sensitive parts marked. `provider` is the `provider` argument, where the type's own provider is not the right one.
pub fn generate_resource(
    addr: &ResourceAddr,
    provider: Option<&str>,
    schema: &Block,
    object: &Value,
) -> String {
    let (r#type, name) = (quote(&addr.r#type), quote(&addr.name));
    let mut text = format!("resource {type} {name} {{\n");
    if let Some(provider) = provider {
        line(&mut text, "provider", provider, "");
    }
    write_body(&mut text, schema, object);
    text.push('}');
    // Text that does not parse, such as a key that is not a name, stays as it was written.
    syntax::format(&text).unwrap_or(text)
}

fn line(text: &mut String, name: &str, value: &str, comment: &str) {
    let _ = writeln!(text, "{name} = {value}{comment}");
}

fn write_body(text: &mut String, schema: &Block, object: &Value) {
    write_attributes(text, &schema.attributes, object);
    for (name, nested) in &schema.block_types {
        let blocks = part(object, name).filter(|_| !nested.block.deprecated);
        if let Some(blocks) = blocks {
            write_blocks(text, name, nested, &blocks);
        }
    }
}

fn write_attributes(text: &mut String, schema: &BTreeMap<SmolStr, Attribute>, object: &Value) {
    for (name, attribute) in schema {
        if !is_written(name, attribute) {
            continue;
        }
        match &attribute.nested_type {
            Some(nested) => write_nested(text, name, attribute, nested, object),
            None => {
                let value = part(object, name).unwrap_or_else(|| Value::null(attribute.ty.clone()));
                match attribute.sensitive || is_sensitive(&value) {
                    true => line(text, name, "null", " # sensitive"),
                    false => line(text, name, &argument(attribute, &value), ""),
                }
            }
        }
    }
}

/// An `id` that may be given is one that Terraform's older SDK adds by itself.
fn is_written(name: &str, attribute: &Attribute) -> bool {
    let is_implied_id = name == "id" && attribute.computed && attribute.optional;
    attribute.is_argument() && !attribute.deprecated && !is_implied_id
}

/// The older SDK has an empty text where nothing was given.
fn argument(attribute: &Attribute, value: &Value) -> String {
    match value.as_str() {
        Some("") if attribute.optional => "null".to_owned(),
        Some(string) => as_json(string).unwrap_or_else(|| quote(string)),
        None => expression(value),
    }
}

/// The expression for a text that holds a JSON object or array.
fn as_json(string: &str) -> Option<String> {
    let json = string.trim();
    if !json.starts_with(['{', '[']) {
        return None;
    }
    let value = cty::json::decode_implied(json).ok()?;
    Some(format!("jsonencode({})", expression(&value)))
}

fn write_nested(
    text: &mut String,
    name: &str,
    attribute: &Attribute,
    nested: &NestedType,
    object: &Value,
) {
    if attribute.sensitive || is_sensitive(object) {
        let nothing = match nested.nesting {
            Nesting::List | Nesting::Set => "[]",
            Nesting::Single | Nesting::Group | Nesting::Map => "{}",
        };
        return line(text, name, nothing, " # sensitive");
    }
    let Some(value) = part(object, name).filter(|value| value.is_known() && !value.is_null())
    else {
        return line(text, name, "null", "");
    };
    match nested.nesting {
        Nesting::Single | Nesting::Group => {
            let _ = write!(text, "{name} = ");
            write_object(text, nested, &value, "");
        }
        Nesting::List | Nesting::Set => {
            let _ = writeln!(text, "{name} = [");
            for element in elements(&value) {
                write_object(text, nested, &element, ",");
            }
            text.push_str("]\n");
        }
        Nesting::Map => {
            let _ = writeln!(text, "{name} = {{");
            for (key, element) in members(&value) {
                let _ = write!(text, "{} = ", key_text(&key));
                write_object(text, nested, &element, "");
            }
            text.push_str("}\n");
        }
    }
}

fn write_object(text: &mut String, nested: &NestedType, object: &Value, after: &str) {
    if is_sensitive(object) {
        let _ = writeln!(text, "{{}}{after} # sensitive");
        return;
    }
    text.push_str("{\n");
    write_attributes(text, &nested.attributes, object);
    let _ = writeln!(text, "}}{after}");
}

fn write_blocks(text: &mut String, name: &str, nested: &NestedBlock, value: &Value) {
    let is_one = matches!(nested.nesting, Nesting::Single | Nesting::Group);
    if value.is_null() || !value.is_known() {
        return;
    }
    if is_sensitive(value) {
        let _ = writeln!(text, "{name} {{}} # sensitive");
        return;
    }
    let blocks = match nested.nesting {
        Nesting::Single | Nesting::Group => vec![(name.to_owned(), value.clone())],
        Nesting::List | Nesting::Set => elements(value)
            .map(|element| (name.to_owned(), element))
            .collect(),
        Nesting::Map => members(value)
            .map(|(key, element)| (format!("{name} {}", quote(&key)), element))
            .collect(),
    };
    for (header, block) in blocks {
        let _ = write!(text, "{header} {{");
        if is_sensitive(&block) && !is_one {
            text.push_str("} # sensitive\n");
            continue;
        }
        text.push('\n');
        write_body(text, &nested.block, &block);
        text.push_str("}\n");
    }
}

/// A known value as an expression; unknown parts are `null`.
fn expression(value: &Value) -> String {
    if let Some(string) = value.as_str() {
        return quote(string);
    }
    match value.ty() {
        _ if value.is_null() || !value.is_known() => "null".to_owned(),
        Type::Bool => (value.as_bool() == Some(true)).to_string(),
        Type::Number => value
            .as_number()
            .map(ToString::to_string)
            .unwrap_or_default(),
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => {
            let elements: Vec<String> = elements(value).map(|it| expression(&it)).collect();
            format!("[{}]", elements.join(", "))
        }
        Type::Map(_) | Type::Object(_) => {
            let mut text = "{".to_owned();
            for (key, element) in members(value).filter(|(_, element)| element.is_known()) {
                if text.len() == 1 {
                    text.push('\n');
                }
                line(&mut text, &key_text(&key), &expression(&element), "");
            }
            text + "}"
        }
        Type::String | Type::Dynamic | Type::Capsule(_) => "null".to_owned(),
    }
}

/// A key of a map, quoted where it has to be.
fn key_text(key: &str) -> String {
    match is_identifier(key) {
        true => key.to_owned(),
        false => quote(key),
    }
}

fn is_sensitive(value: &Value) -> bool {
    value.has_mark(&Mark::Sensitive)
}

/// An attribute of an object, or the blocks of one type in it.
fn part(object: &Value, name: &str) -> Option<Value> {
    object.unmark().0.as_map()?.get(name).cloned()
}

fn elements(value: &Value) -> impl Iterator<Item = Value> {
    let value = value.unmark().0;
    value
        .as_slice()
        .map(<[Value]>::to_vec)
        .into_iter()
        .flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (SmolStr, Value)> {
    let value = value.unmark().0;
    let members = value.as_map().into_iter().flatten();
    let members: Vec<_> = members
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    members.into_iter()
}

/// The file that seems to declare imported objects without a declaration. No file on disk has its name.
const FILE: &str = "(generated).tf";

/// Whether a declaration is one of [`with_declarations`].
pub(crate) fn is_declaration(resource: &Resource) -> bool {
    let span = resource.decl.span.file.path();
    span.rsplit('/').next() == Some(FILE)
}

/// The files of a root module in `dir` with one more, which declares the targets of its import blocks that neither `module`
/// nor the state has; `None` if there are none.
pub(crate) fn with_declarations<'a>(
    files: &'a dyn Files,
    dir: &str,
    module: &Module,
    state: &State,
) -> Option<Added<'a>> {
    let mut text = String::new();
    for import in &module.imports {
        let addr = &import.target.resource;
        let instance = ModuleInstanceAddr::root().resource(addr.clone());
        let is_wanted = import::can_be_generated(import)
            && addr.mode == ResourceMode::Managed
            && !module.resources.contains_key(addr)
            && !state.resources.contains_key(&instance);
        if is_wanted {
            let (r#type, name) = (quote(&addr.r#type), quote(&addr.name));
            let _ = writeln!(text, "resource {type} {name} {{");
            if let Some(provider) = &import.provider {
                line(&mut text, "provider", &provider.to_string(), "");
            }
            text.push_str("}\n");
        }
    }
    (!text.is_empty()).then(|| Added::new(files, dir, &text))
}

/// Files with one more.
pub(crate) struct Added<'a> {
    files: &'a dyn Files,
    path: String,
    file: syntax::File,
}

impl<'a> Added<'a> {
    fn new(files: &'a dyn Files, dir: &str, text: &str) -> Added<'a> {
        let path = format!("{dir}/{FILE}");
        Added {
            files,
            file: config::parse_file(&path, text),
            path,
        }
    }
}

impl Files for Added<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let mut names = self.files.list(dir)?;
        if self.path.strip_prefix(dir) == Some(&format!("/{FILE}")) {
            names.push(FILE.to_owned());
        }
        Ok(names)
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        Ok(self.parse(path)?.text().clone())
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        match path == self.path {
            true => Ok(self.file.clone()),
            false => self.files.parse(path),
        }
    }
}

struct NoFiles;

impl Files for NoFiles {
    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn read(&self, _: &str) -> io::Result<Arc<str>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// How the configuration of one resource is generated.
pub struct Generated {
    addr: ResourceAddr,
    provider: Option<String>,
    functions: Functions,
}

impl Generated {
    pub(crate) fn new(
        addr: &ResourceAddr,
        provider: &ProviderConfigAddr,
        functions: Functions,
    ) -> Generated {
        let name = &provider.provider.r#type;
        let provider = match &provider.alias {
            Some(alias) => Some(format!("{name}.{alias}")),
            None => (name != addr.implied_provider()).then(|| name.to_string()),
        };
        Generated {
            addr: addr.clone(),
            provider,
            functions,
        }
    }

    /// The block for `object`, and the value of its body. Errors in it are left to the provider.
    pub(crate) fn configuration(&self, schema: &Schema, object: &Value) -> (Arc<str>, Value) {
        let provider = self.provider.as_deref();
        let text = generate_resource(&self.addr, provider, &schema.block, object);
        let files = Added::new(&NoFiles, "", &text);
        let mut cache = ModuleCache::new(self.functions.profile);
        let (module, _) = config::load_module(&files, &mut cache, "", &ModuleAddr::root());
        let context = EvalContext::new(Variables::new(), &self.functions);
        let config = match module.resources.get(&self.addr) {
            Some(resource) => {
                let ty = schema.implied_type();
                eval::decode_as(&resource.body, &schema.block, ty, &context).value
            }
            None => Value::null(schema.implied_type().clone()),
        };
        (text.into(), config)
    }
}
