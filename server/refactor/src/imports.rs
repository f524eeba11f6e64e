//! The configuration of the target of an `import` block that nothing declares.

use std::sync::Arc;

use config::{Import, InstanceKey, ResourceInstanceAddr};
use text::TextRange;

use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::site::Site;
use crate::{Edits, RefactoringKind, Refusal};

pub(crate) fn offer(site: &Site<'_>) -> Option<Offer> {
    let (_, addr) = undeclared(site)?;
    Some(Offer {
        kind: RefactoringKind::GenerateImported,
        title: title(&addr),
    })
}

fn title(addr: &ResourceInstanceAddr) -> String {
    format!("Generate the configuration of {addr}")
}

fn undeclared<'a>(site: &Site<'a>) -> Option<(&'a Arc<Import>, ResourceInstanceAddr)> {
    let is_it = |import: &&Arc<Import>| {
        let span = &import.decl.full_span;
        span.file == *site.file && site.syntax.resolve(span) == Some(site.range())
    };
    let import = site.module.imports.iter().find(is_it)?;
    let addr = import.target.instance()?;
    let is_declared = site.module.resources.contains_key(&addr.resource);
    let is_one = addr.module.is_root() && addr.key == InstanceKey::None;
    (!is_declared && is_one).then_some((import, addr))
}

/// Writes the configuration that a plan generated, after the block.
pub(crate) fn generate(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
) -> Result<Refactoring, Refusal> {
    let (_, addr) = undeclared(site).ok_or(Refusal::NoName)?;
    let mut changes = scene.plans.iter().flat_map(|(_, plan)| plan.changes());
    let change = changes.find(|change| change.addr == addr);
    let generated = change.and_then(|change| change.generated_config.as_ref());
    let generated = generated.ok_or_else(|| Refusal::NotRead(addr.to_string()))?;
    let mut edits = Edits::default();
    let end = TextRange::empty(site.range().end());
    edits.replace(site.file, end, format!("\n\n{generated}"));
    Ok(Refactoring {
        title: title(&addr),
        edits,
        moves: Vec::new(),
    })
}
