//! From the syntax of one segment to its declarations. The result depends on the segment alone, so it is kept while
//! the segment doesn't change.

mod action;
mod import;
mod module_call;
mod named;
mod provisioner;
mod refactor;
mod resource;
mod settings;

use std::sync::Arc;

use syntax::ast;
use text::{Diagnostic, TextSize, did_you_mean};

use crate::language_release::{self, Profile};
use crate::module::{
    Check, Import, Local, ModuleCall, Moved, Output, Provider, Removed, Resource, Variable,
};
use crate::read::{BlockSpec, Reader, block};
use crate::source::Origin;

pub(crate) use module_call::{local_with_version, module_references};
pub(crate) use named::output_references;
pub(crate) use resource::resource_references;
pub(crate) use settings::{Settings, is_version_constraint};

/// The declarations of one segment, in source order, and their errors.
#[derive(Debug)]
pub(crate) struct SegmentDecls {
    pub items: Vec<DeclaredItem>,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
pub(crate) enum DeclaredItem {
    Settings(Arc<Settings>),
    Variable(Arc<Variable>),
    Local(Arc<Local>),
    Output(Arc<Output>),
    Provider(Arc<Provider>),
    ModuleCall(Arc<ModuleCall>),
    Resource(Arc<Resource>),
    Check(Arc<Check>),
    Moved(Arc<Moved>),
    Removed(Arc<Removed>),
    Import(Arc<Import>),
}

const ROOT: &[BlockSpec] = &[
    block("terraform", &[]),
    block("provider", &["name"]),
    block("variable", &["name"]),
    block("locals", &[]),
    block("output", &["name"]),
    block("module", &["name"]),
    block("resource", &["type", "name"]),
    block("data", &["type", "name"]),
    block("ephemeral", &["type", "name"]),
    block("moved", &[]),
    block("removed", &[]),
    block("import", &[]),
    block("check", &["name"]),
    block("action", &["type", "name"]),
    block("language", &[]),
];

/// Parses a configuration or variables file, whose name says in which syntax it is.
pub fn parse_file(path: &str, text: &str) -> syntax::File {
    match path.strip_suffix(".json") {
        None => syntax::parse(text),
        Some(path) if path.ends_with(".tfvars") => syntax::parse_json(text, |_| None),
        Some(_) => syntax::parse_json(text, |kind| {
            let spec = ROOT.iter().find(|spec| spec.kind == kind)?;
            Some(spec.labels)
        }),
    }
}

/// The text of a file that has this content. Bytes that are not UTF-8 are U+FFFD in it, and the first of them is named.
pub fn decode(bytes: &[u8]) -> (Arc<str>, Option<TextSize>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.into(), None),
        Err(error) => {
            let invalid = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
            let text = String::from_utf8_lossy(bytes).into();
            (text, Some(invalid.into()))
        }
    }
}

/// The tree of a file that was decoded. Bytes that are not UTF-8 are an error.
pub fn parse_decoded(path: &str, text: &str, invalid: Option<TextSize>) -> syntax::File {
    let file = parse_file(path, text);
    match invalid {
        Some(offset) => file.with_invalid_encoding(offset),
        None => file,
    }
}

/// Reads a segment's items. In override files less is required.
pub(crate) fn declare(
    origin: &Origin,
    items: &[ast::Item],
    is_override: bool,
    profile: Profile,
) -> SegmentDecls {
    let mut reader = Reader {
        origin: origin.clone(),
        is_override,
        profile,
        diagnostics: Vec::new(),
    };
    let mut declared = Vec::new();
    for item in items {
        match item {
            ast::Item::Attribute(attribute) => {
                let name = &attribute.name;
                let detail = format!("An argument named \"{}\" is not expected here.", name.name);
                let at = reader.span(name.range);
                reader.error("unsupported-argument", "Unsupported argument", detail, at);
            }
            ast::Item::Member(member) => {
                let kinds = ROOT.iter().map(|spec| spec.kind);
                let at = reader.span(member.name_range);
                reader.unexpected_member(member.name(), kinds, at);
            }
            ast::Item::Block(ast) => declare_block(&mut reader, ast, &mut declared),
        }
    }
    declared.shrink_to_fit();
    reader.diagnostics.shrink_to_fit();
    SegmentDecls {
        items: declared,
        diagnostics: reader.diagnostics,
    }
}

fn declare_block(reader: &mut Reader, ast: &Arc<ast::Block>, declared: &mut Vec<DeclaredItem>) {
    let kind = ast.kind.name.as_str();
    let Some(spec) = ROOT.iter().find(|spec| spec.kind == kind) else {
        if kind == "required_providers" {
            let detail =
                "A \"required_providers\" block must be nested inside a \"terraform\" block.";
            let at = reader.span(ast.header_range);
            return reader.error(
                "unsupported-block",
                "Invalid required_providers block",
                detail,
                at,
            );
        }
        let known = ROOT.iter().map(|spec| spec.kind);
        let known = known.filter(|kind| reader.profile.has(language_release::item("", kind)));
        let meant = did_you_mean(kind, known);
        let at = reader.span(ast.kind.range);
        return reader.unsupported_block(kind, meant, &meant.to_string(), at);
    };
    reader.check_root_block(ast);
    if !reader.check_labels(ast, spec) {
        return;
    }
    let block = reader.block(ast);
    match kind {
        "terraform" => declared.push(DeclaredItem::Settings(Arc::new(settings::settings(
            reader, &block,
        )))),
        "provider" => declared.push(DeclaredItem::Provider(Arc::new(settings::provider(
            reader, &block,
        )))),
        "variable" => declared.push(DeclaredItem::Variable(Arc::new(named::variable(
            reader, &block,
        )))),
        "locals" => {
            let locals = named::locals(reader, &block);
            declared.extend(
                locals
                    .into_iter()
                    .map(|local| DeclaredItem::Local(Arc::new(local))),
            );
        }
        "output" => declared.push(DeclaredItem::Output(Arc::new(named::output(
            reader, &block,
        )))),
        "check" => declared.push(DeclaredItem::Check(Arc::new(named::check(reader, &block)))),
        "module" => {
            declared.push(DeclaredItem::ModuleCall(Arc::new(
                module_call::module_call(reader, &block),
            )));
        }
        "moved" => declared.extend(
            refactor::moved(reader, &block)
                .map(Arc::new)
                .map(DeclaredItem::Moved),
        ),
        "removed" => {
            declared.extend(
                refactor::removed(reader, &block)
                    .map(Arc::new)
                    .map(DeclaredItem::Removed),
            );
        }
        "language" => declared.push(DeclaredItem::Settings(Arc::new(settings::language(
            reader, &block,
        )))),
        "action" => declared.push(DeclaredItem::Resource(Arc::new(action::action(
            reader, &block,
        )))),
        "import" => {
            declared.extend(
                import::import(reader, &block)
                    .map(Arc::new)
                    .map(DeclaredItem::Import),
            );
        }
        _ => declared.push(DeclaredItem::Resource(Arc::new(resource::resource(
            reader, &block, false,
        )))),
    }
}
