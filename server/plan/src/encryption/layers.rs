//! Several `encryption` blocks merged: that of a module, those of override files, and `TF_ENCRYPTION`.

use std::borrow::Cow;

use config::{Attribute, Block, Body, Expected, Expr, Module};
use smol_str::SmolStr;
use text::{Diagnostic, FileId, Span};

/// The parts of a later one replace those of the earlier ones.
pub(super) struct Layers {
    bodies: Vec<Body>,
    /// The block of the module.
    pub at: Option<Span>,
}

/// A `key_provider` or `method` block.
pub(super) struct EncryptionBlock {
    pub kind: &'static str,
    pub r#type: SmolStr,
    pub name: SmolStr,
    pub at: Option<Span>,
    attributes: Vec<Attribute>,
}

/// Something that is encrypted, with its methods: the first one encrypts, and all decrypt.
pub(super) struct Target {
    pub is_enforced: bool,
    /// `Err` has the block that names no method.
    pub methods: Vec<Result<Expr, Span>>,
}

/// The file name for the text of the variable.
const VARIABLE: &str = "TF_ENCRYPTION";

pub(super) fn is_in_a_file(span: &Span) -> bool {
    span.file.path() != VARIABLE
}

impl Layers {
    pub fn of(module: &Module, variable: Option<&str>) -> (Layers, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let blocks = module.encryption.iter();
        let mut bodies: Vec<Body> = blocks.map(|block| block.body.clone()).collect();
        let variable = variable.map(str::trim).filter(|text| !text.is_empty());
        if let Some(text) = variable {
            let file = match text.starts_with('{') {
                true => syntax::parse_json(text, |_| None),
                false => syntax::parse(text),
            };
            for (_, error) in file.reported_errors() {
                diagnostics.push(Diagnostic::error(
                    "encryption",
                    &*error.summary,
                    format!("{VARIABLE}: {}", error.detail),
                    None,
                ));
            }
            bodies.push(Body::of_file(&FileId::new(VARIABLE), &file));
        }
        let at = module.encryption.first().map(|it| it.decl.span.clone());
        let mut layers = Layers {
            bodies: Vec::new(),
            at,
        };
        for body in bodies {
            let (body, found) = content(&body, &[], &BLOCKS);
            diagnostics.extend(found);
            layers.bodies.push(body);
        }
        (layers, diagnostics)
    }

    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The blocks of a kind; each has the arguments of all layers.
    pub fn declared(&self, kind: &'static str) -> Vec<EncryptionBlock> {
        let mut declared: Vec<EncryptionBlock> = Vec::new();
        for block in self.bodies.iter().flat_map(|body| body.blocks_of(kind)) {
            let label = |index| block.label(index).map_or(SmolStr::default(), |it| it.text);
            let (r#type, name) = (label(0), label(1));
            let attributes = block.body().just_attributes().0.into_owned().attributes;
            let mut known = declared.iter_mut();
            match known.find(|it| it.r#type == r#type && it.name == name) {
                Some(known) => {
                    let names: Vec<_> = attributes.iter().map(Attribute::name).collect();
                    known.attributes.retain(|it| !names.contains(&it.name()));
                    known.attributes.extend(attributes.iter().cloned());
                }
                None => declared.push(EncryptionBlock {
                    kind,
                    r#type,
                    name,
                    at: Some(block.header_span()).filter(is_in_a_file),
                    attributes,
                }),
            }
        }
        declared
    }

    pub fn find(&self, kind: &'static str, r#type: &str, name: &str) -> Option<EncryptionBlock> {
        let mut declared = self.declared(kind).into_iter();
        declared.find(|it| it.r#type == r#type && it.name == name)
    }

    /// Two blocks with the same name in one layer.
    pub fn duplicates(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (body, kind) in self
            .bodies
            .iter()
            .flat_map(|body| ["key_provider", "method"].map(|kind| (body, kind)))
        {
            let labels = |block: &Block| {
                (
                    block.label(0).map(|it| it.text),
                    block.label(1).map(|it| it.text),
                )
            };
            let blocks: Vec<&Block> = body.blocks_of(kind).collect();
            for (index, block) in blocks.iter().enumerate() {
                let mut before = blocks[..index].iter();
                if let (Some(r#type), Some(name)) = labels(block)
                    && before.any(|other| labels(other) == labels(block))
                {
                    found.push(Diagnostic::error(
                        "encryption",
                        format!("Duplicate {kind}"),
                        format!("Found multiple instances of {kind}.{type}.{name}"),
                        self.at.clone(),
                    ));
                }
            }
        }
        found
    }

    /// `state` or `plan`.
    pub fn target(&self, kind: &str) -> Option<Target> {
        let blocks = self
            .bodies
            .iter()
            .filter_map(|body| body.blocks_of(kind).next());
        target(blocks)
    }

    pub fn remote_targets(&self) -> Vec<Target> {
        let remotes = self.bodies.iter();
        let remotes = remotes.flat_map(|body| body.blocks_of("remote_state_data_sources"));
        let remotes: Vec<Body> = remotes
            .map(|block| content(&block.body(), &[], &REMOTE).0)
            .collect();
        let default = target(
            remotes
                .iter()
                .filter_map(|it| it.blocks_of("default").next()),
        );
        let mut targets: Vec<Target> = default.into_iter().collect();
        let named: Vec<&Block> = remotes
            .iter()
            .flat_map(|it| it.blocks_of("remote_state_data_source"))
            .collect();
        let name = |block: &Block| block.label(0).map(|it| it.text);
        for (index, block) in named.iter().enumerate() {
            let is_first = !named[..index].iter().any(|it| name(it) == name(block));
            let same = named.iter().copied().filter(|it| name(it) == name(block));
            targets.extend(target(same).filter(|_| is_first));
        }
        targets
    }
}

impl EncryptionBlock {
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|it| it.name() == name)
    }

    /// Arguments that are none of these.
    pub fn refuse_others(&self, names: &[&str]) -> Result<(), Vec<Diagnostic>> {
        let others = self.attributes.iter();
        let others = others.filter(|it| !names.contains(&it.name().as_str()));
        let refused: Vec<Diagnostic> = others
            .map(|it| {
                let detail = format!("An argument named \"{}\" is not expected here.", it.name());
                let at = it.name_span();
                Diagnostic::error("unsupported-argument", "Unsupported argument", detail, at)
            })
            .collect();
        match refused.is_empty() {
            true => Ok(()),
            false => Err(refused),
        }
    }
}

/// The settings of one thing in several layers.
fn target<'a>(blocks: impl Iterator<Item = &'a Block>) -> Option<Target> {
    let blocks: Vec<&Block> = blocks.collect();
    let body = |block: &&Block| content(&block.body(), &["method", "enforced"], &FALLBACK).0;
    let bodies: Vec<Body> = blocks.iter().map(body).collect();
    let is_enforced = |body: &Body| {
        let enforced = body.attribute("enforced").map(Attribute::expr);
        enforced.is_some_and(|it| matches!(it.ast.kind, syntax::ast::ExprKind::Bool(true)))
    };
    let last_method = bodies.iter().rev().find_map(|it| it.attribute("method"));
    let unnamed = blocks.last()?.header_span();
    let mut methods = vec![last_method.map(Attribute::expr).ok_or(unnamed)];
    let fallback = bodies
        .iter()
        .rev()
        .find_map(|it| it.blocks_of("fallback").next());
    methods.extend(
        fallback
            .and_then(|it| target([it].into_iter()))
            .into_iter()
            .flat_map(|it| it.methods),
    );
    Some(Target {
        is_enforced: bodies.iter().any(is_enforced),
        methods,
    })
}

type Blocks = [(&'static str, &'static [&'static str])];

const NAMED: &[&str] = &["type", "name"];

const BLOCKS: [(&str, &[&str]); 5] = [
    ("key_provider", NAMED),
    ("method", NAMED),
    ("state", &[]),
    ("plan", &[]),
    ("remote_state_data_sources", &[]),
];

const REMOTE: [(&str, &[&str]); 2] = [("default", &[]), ("remote_state_data_source", &["name"])];

const FALLBACK: [(&str, &[&str]); 1] = [("fallback", &[])];

/// The body with these arguments and blocks.
fn content(body: &Body, arguments: &[&str], blocks: &Blocks) -> (Body, Vec<Diagnostic>) {
    let expected = |name: &str| match arguments.contains(&name) {
        true => Some(Expected::Attribute),
        false => {
            let block = blocks.iter().find(|(kind, _)| *kind == name);
            block.map(|(_, labels)| Expected::Block(labels))
        }
    };
    let (body, diagnostics) = body.content(&expected);
    (Cow::into_owned(body), diagnostics)
}
