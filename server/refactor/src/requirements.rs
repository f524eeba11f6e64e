//! `required_providers` with all providers that the module uses, each with a version.

use std::collections::BTreeSet;

use config::{ProviderAddr, quote};
use smol_str::SmolStr;
use syntax::ast::{Block, ExprKind};
use text::TextRange;

use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::site::Site;
use crate::{Edits, RefactoringKind, Refusal};

const TITLE: &str = "Update required_providers";

pub(crate) fn offer(site: &Site<'_>, range: TextRange) -> Option<Offer> {
    let here = required(site)
        .map(|it| it.range)
        .into_iter()
        .chain([site.block.header_range]);
    let is_here = here
        .into_iter()
        .any(|it| site.absolute(it).intersect(range).is_some());
    let needs = !missing(site).is_empty() || !without_version(site).is_empty();
    (site.block.kind.name == "terraform" && is_here && needs).then(|| Offer {
        kind: RefactoringKind::UpdateRequirements,
        title: TITLE.to_owned(),
    })
}

fn required<'a>(site: &Site<'a>) -> Option<&'a Block> {
    let blocks = &site.block.body.blocks;
    blocks
        .iter()
        .find(|it| it.kind.name == "required_providers")
        .map(|it| &**it)
}

/// The providers that the module uses by a local name, and does not require.
fn missing(site: &Site<'_>) -> BTreeSet<SmolStr> {
    let module = site.module;
    let of_resources = module.resources.values().map(|it| match &it.provider {
        Some(provider) => provider.name.clone(),
        None => it.addr.implied_provider().into(),
    });
    let configured = module.providers.values().map(|it| it.name.text.clone());
    let used = of_resources.chain(configured);
    let is_missing = |name: &SmolStr| {
        let is_builtin = module.provider_addr(name) == ProviderAddr::builtin();
        !module.required_providers.contains_key(name) && !is_builtin
    };
    used.filter(is_missing).collect()
}

/// The requirements in this block that are objects without a version, with where one can be added.
fn without_version(site: &Site<'_>) -> Vec<(SmolStr, TextRange)> {
    let entries = required(site).map(|it| it.body.attributes.as_slice());
    let entries = entries.unwrap_or_default().iter();
    let without = entries.filter_map(|entry| {
        let ExprKind::Object(items) = &entry.expr.kind else {
            return None;
        };
        let requirement = site.module.required_providers.get(&entry.name.name)?;
        let last = items.last()?.value.range.end();
        let has_none = requirement.version.is_none() && requirement.source.is_some();
        has_none.then(|| (entry.name.name.clone(), TextRange::empty(last)))
    });
    without.collect()
}

pub(crate) fn update(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
) -> Result<Refactoring, Refusal> {
    let mut edits = Edits::default();
    for (name, at) in without_version(site) {
        if let Some(version) = version(scene, site, &name) {
            let version = format!("\nversion = {version}");
            edits.replace(site.file, site.absolute(at), version);
        }
    }
    let entries = missing(site).into_iter().map(|name| {
        let source = site.module.provider_addr(&name).for_display();
        let version = version(scene, site, &name);
        let version = version
            .map(|it| format!("version = {it}\n"))
            .unwrap_or_default();
        format!("{name} = {{\nsource = {}\n{version}}}\n", quote(&source))
    });
    let entries: String = entries.collect();
    let braces = |block: &Block| block.close_brace.map(|it| it.start());
    let (entries, end) = match required(site) {
        Some(required) => (entries, braces(required)),
        None => {
            let entries = format!("required_providers {{\n{entries}}}\n");
            (entries, braces(site.block))
        }
    };
    if let Some(end) = end {
        edits.replace(site.file, site.absolute(TextRange::empty(end)), entries);
    }
    if edits.is_empty() {
        return Err(Refusal::NoName);
    }
    Ok(Refactoring {
        title: TITLE.to_owned(),
        edits,
        moves: Vec::new(),
    })
}

/// A constraint that the installed version keeps, quoted: `"~> 3.9"`.
fn version(scene: &RefactoringContext<'_>, site: &Site<'_>, name: &str) -> Option<String> {
    let addr = site.module.provider_addr(name);
    let mut plans = scene.plans.iter();
    let version = plans.find_map(|(_, plan)| plan.schemas.get(&addr)?.version.clone())?;
    let mut parts = version.split('.');
    let (major, minor) = (parts.next()?, parts.next()?);
    Some(quote(&format!("~> {major}.{minor}")))
}
