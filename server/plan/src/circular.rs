//! Resources whose instances refer to themselves, or to each other, and local values that refer to themselves.

use std::collections::HashSet;
use std::fmt::Display;

use config::{AbsResourceAddr, InstanceKey, Local, Reference, Referenceable, Resource};
use text::Diagnostic;

use crate::expansion::Keys;

/// The errors of instances that refer to themselves. With any, none can be planned: each instance refers to the same ones.
pub(crate) fn instances(config: &Resource, addr: &AbsResourceAddr, keys: &Keys) -> Vec<Diagnostic> {
    let own = own_references(config);
    let mut diagnostics = Vec::new();
    let mut seen = HashSet::new();
    for (key, _) in keys.iter().filter(|_| !own.is_empty()) {
        let found = self_references(&own, addr, key).into_iter();
        diagnostics.extend(found.filter(|it| seen.insert(it.clone())));
    }
    diagnostics
}

/// The errors of a `count` or `for_each` that refers to the resource itself.
pub(crate) fn in_repetition(config: &Resource) -> Vec<Diagnostic> {
    let expr = config.repetition.expr();
    let references = expr.map_or_else(Vec::new, config::Expr::references);
    let own = references
        .iter()
        .filter(|it| it.subject.resource() == Some(&config.addr));
    own.map(|reference| itself(&config.addr, reference))
        .collect()
}

/// The error of a local value whose expression refers to it.
///
/// Follows `NodeLocal.Execute` of OpenTofu's `internal/tofu/node_local.go`.
pub(crate) fn local_value(local: &Local) -> Option<Diagnostic> {
    let name = &local.name.text;
    let is_own = |it: &&Reference| matches!(&it.subject, Referenceable::Local(it) if it == name);
    let own = local.decl.references.iter().find(is_own)?;
    Some(Diagnostic::error(
        "self-reference",
        "Self-referencing local value",
        format!("Local value local.{name} cannot use its own result as part of its expression."),
        own.span.clone(),
    ))
}

/// Several instances that refer to each other, as the product lists them.
pub(crate) fn cycle(config: &Resource, addr: &AbsResourceAddr, keys: &Keys) -> Option<Diagnostic> {
    let own = config.decl.references.iter().filter_map(|reference| {
        let subject = &reference.subject;
        (subject.resource() == Some(&config.addr)).then_some(subject)
    });
    let own: Vec<&Referenceable> = own.collect();
    if own.is_empty() {
        return None;
    }
    let is_meant = |key: &InstanceKey| {
        own.iter().any(|subject| match subject {
            Referenceable::ResourceInstance(_, InstanceKey::None) => true,
            Referenceable::ResourceInstance(_, other) => other == key,
            _ => true,
        })
    };
    // Each instance refers to the same ones: those form the cycle.
    let members: Vec<String> = keys
        .iter()
        .filter(|(key, _)| is_meant(key))
        .map(|(key, _)| addr.instance(key.clone()).to_string())
        .collect();
    (members.len() > 1).then(|| {
        let summary = format!("Cycle: {}", members.join(", "));
        Diagnostic::error("cycle", summary, "", config.decl.span.clone())
    })
}

/// The references of a resource's arguments to the resource itself.
fn own_references(config: &Resource) -> Vec<Reference> {
    let is_own = |reference: &Reference| reference.subject.resource() == Some(&config.addr);
    // Other parts of the block may refer to the resource, but seldom does any.
    if !config.decl.references.iter().any(is_own) {
        return Vec::new();
    }
    let mut references = config::refs::body_references(&config.body);
    references.retain(is_own);
    references
}

fn self_references(
    own: &[Reference],
    addr: &AbsResourceAddr,
    key: &InstanceKey,
) -> Vec<Diagnostic> {
    let is_self = |reference: &&Reference| match &reference.subject {
        Referenceable::ResourceInstance(_, InstanceKey::None) => true,
        Referenceable::ResourceInstance(_, other) => other == key,
        _ => true,
    };
    let addr = addr.instance(key.clone());
    own.iter()
        .filter(is_self)
        .map(|reference| itself(&addr, reference))
        .collect()
}

fn itself(addr: &dyn Display, reference: &Reference) -> Diagnostic {
    Diagnostic::error(
        "self-reference",
        "Self-referential block",
        format!("Configuration for {addr} may not refer to itself."),
        reference.span.clone(),
    )
}
