//! Resources whose instances refer to themselves, or to each other.

use std::collections::HashSet;

use config::{AbsResourceAddr, InstanceKey, Reference, Referenceable, Resource};
use text::Diagnostic;

use crate::expansion::Keys;

/// The instances that refer to themselves, and the errors.
pub(crate) fn instances(
    config: &Resource,
    addr: &AbsResourceAddr,
    keys: &Keys,
) -> (HashSet<InstanceKey>, Vec<Diagnostic>) {
    let own = own_references(config);
    let (mut circular, mut diagnostics) = (HashSet::new(), Vec::new());
    let mut seen = HashSet::new();
    for (key, _) in keys.iter().filter(|_| !own.is_empty()) {
        for diagnostic in self_references(&own, addr, key) {
            circular.insert(key.clone());
            if seen.insert(diagnostic.clone()) {
                diagnostics.push(diagnostic);
            }
        }
    }
    (circular, diagnostics)
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
    let error = |reference: &Reference| {
        let addr = addr.instance(key.clone());
        Diagnostic::error(
            "self-reference",
            "Self-referential block",
            format!("Configuration for {addr} may not refer to itself."),
            reference.span.clone(),
        )
    };
    own.iter().filter(is_self).map(error).collect()
}
