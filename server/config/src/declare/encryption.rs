//! References of OpenTofu's `encryption` blocks.
//!
//! Follows `New` and `methodConfigsFromTarget` of OpenTofu's `internal/encryption`.

use std::collections::BTreeSet;

use smol_str::SmolStr;
use syntax::ast::StepKind;
use text::{Diagnostic, Span};

use crate::read::{BodySpec, Reader, block};
use crate::refs;
use crate::source::{Block, Body, Expr};

const ENCRYPTION: BodySpec = BodySpec {
    required: &[],
    optional: &[],
    blocks: &[
        block("key_provider", &["type", "name"]),
        block("method", &["type", "name"]),
        block("state", &[]),
        block("plan", &[]),
        block("remote_state_data_sources", &[]),
    ],
};

const TARGET: BodySpec = BodySpec {
    required: &[],
    optional: &["method", "enforced"],
    blocks: &[block("fallback", &[])],
};

const REMOTE: BodySpec = BodySpec {
    required: &[],
    optional: &[],
    blocks: &[
        block("default", &[]),
        block("remote_state_data_source", &["name"]),
    ],
};

const METHOD: BodySpec = BodySpec {
    required: &[],
    optional: &["keys"],
    blocks: &[],
};

/// A type and a name.
type Declared = (SmolStr, SmolStr);

const UNENCRYPTED: &str = "unencrypted";

pub(super) fn check(reader: &mut Reader, block: &Block) {
    if !reader.profile.is_opentofu() {
        return;
    }
    let body = reader.partial_content(block, &ENCRYPTION).0;
    let at = block.header_span();
    let methods: Vec<&Block> = body.blocks_of("method").collect();
    for method in &methods {
        if reader.label(&method.ast, 0).text == UNENCRYPTED {
            reader.diagnostics.push(Diagnostic::warning(
                "encryption",
                "Unencrypted method configured",
                "Method unencrypted is present in configuration. This is a security risk and should only be enabled during migrations.",
                at.clone(),
            ));
        }
    }
    for target in body.blocks_of("state").chain(body.blocks_of("plan")) {
        check_target(reader, &body, target, &at);
    }
    for remote in body.blocks_of("remote_state_data_sources") {
        for target in &reader.partial_content(remote, &REMOTE).0.blocks {
            check_target(reader, &body, target, &at);
        }
    }
}

/// `at`: the whole of the encryption.
fn check_target(reader: &mut Reader, encryption: &Body, target: &Block, at: &Span) {
    let declared = declared(reader, encryption, "method");
    let mut named = Vec::new();
    let mut enforced = None;
    let mut next = Some(target.clone());
    while let Some(target) = next {
        let body = reader.partial_content(&target, &TARGET).0;
        enforced = enforced.or_else(|| Some(reader.optional_bool(&body, "enforced")));
        if let Some(method) = body.attribute("method") {
            let method = method.expr();
            match reference(&method, "method") {
                Some(name) if declared.contains(&name) => named.push(name),
                Some((r#type, name)) => {
                    let detail = format!(
                        "There is no method {:?} {:?} block declared in the encryption block.",
                        r#type.as_str(),
                        name.as_str()
                    );
                    let summary = "Reference to undeclared encryption method";
                    return reader.error("encryption", summary, detail, method.span());
                }
                // It may be a text, or is told otherwise.
                None => return,
            }
        }
        next = body.blocks_of("fallback").next().cloned();
    }
    let is_enforced = enforced.flatten() == Some(true);
    if is_enforced && named.iter().any(|(r#type, _)| r#type == UNENCRYPTED) {
        return reader.error(
            "encryption",
            "Unencrypted method is forbidden",
            "Unable to use unencrypted method since the enforced flag is set.",
            at.clone(),
        );
    }
    if let Some(first) = named.first() {
        check_keys(reader, encryption, first);
    }
}

/// The key provider of the method that encrypts. Others are looked at when something is to be decrypted.
fn check_keys(reader: &mut Reader, encryption: &Body, method: &Declared) {
    let is_it = |reader: &mut Reader, block: &&Block| {
        let label = |reader: &mut Reader, at| reader.label(&block.ast, at).text;
        (label(reader, 0), label(reader, 1)) == *method
    };
    let found = encryption
        .blocks_of("method")
        .find(|block| is_it(reader, block));
    let Some(found) = found else { return };
    let body = reader.partial_content(found, &METHOD).0;
    let Some(keys) = body.attribute("keys") else {
        return;
    };
    let keys = keys.expr();
    let providers = declared(reader, encryption, "key_provider");
    if let Some(named) = reference(&keys, "key_provider")
        && !providers.contains(&named)
    {
        let detail = format!(
            "There is no key_provider {:?} {:?} block declared in the encryption block.",
            named.0.as_str(),
            named.1.as_str()
        );
        let summary = "Reference to undeclared key provider";
        reader.error("encryption", summary, detail, keys.span());
    }
}

fn declared(reader: &mut Reader, encryption: &Body, kind: &str) -> BTreeSet<Declared> {
    let blocks = encryption.blocks_of(kind);
    blocks
        .map(|block| {
            let r#type = reader.label(&block.ast, 0).text;
            (r#type, reader.label(&block.ast, 1).text)
        })
        .collect()
}

/// `ROOT.TYPE.NAME`
fn reference(expr: &Expr, root: &str) -> Option<Declared> {
    let mut found = None;
    refs::each_traversal(&expr.ast, &mut |traversal| {
        let mut names = traversal.steps.iter().map(|step| match &step.kind {
            StepKind::Attr(name) => Some(name.name.clone()),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
        });
        if traversal.root.name == root
            && let (Some(Some(r#type)), Some(Some(name))) = (names.next(), names.next())
        {
            found = Some((r#type, name));
        }
    });
    found
}
