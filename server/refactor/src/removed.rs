//! A `removed` block in the place of a resource or a module call, so that its objects are let go and not destroyed.

use config::ResourceMode;
use text::TextRange;

use crate::blocks::{inner_block, outer_block};
use crate::site::Site;
use crate::{Edits, Offer, Refactoring, RefactoringKind, Refusal, SymbolObject};

pub(crate) fn offer(site: &Site<'_>, range: TextRange) -> Option<Offer> {
    let header = site.absolute(site.block.header_range);
    header.intersect(range)?;
    Some(Offer {
        kind: RefactoringKind::Forget,
        title: title(&address(site)?),
    })
}

fn title(address: &str) -> String {
    format!("Replace {address} with a removed block that keeps its objects")
}

/// Declarations that can have objects. The address is without keys, as the language wants it.
fn address(site: &Site<'_>) -> Option<String> {
    let object = site.object()?;
    let has_objects = match &object {
        SymbolObject::Resource(addr) => addr.mode == ResourceMode::Managed,
        SymbolObject::ModuleCall(_) => true,
        _ => false,
    };
    Some(object.address().filter(|_| has_objects)?.to_string())
}

pub(crate) fn forget(site: &Site<'_>) -> Result<Refactoring, Refusal> {
    let address = address(site).ok_or(Refusal::NoName)?;
    let lifecycle = inner_block("lifecycle", &[("destroy", "false")]);
    let text = outer_block("removed", &[("from", &address)], &[lifecycle]);
    let text = text.replacen("\n  lifecycle", "\n\n  lifecycle", 1);
    let mut edits = Edits::default();
    edits.replace(site.file, site.range(), text.trim_end());
    Ok(Refactoring {
        title: title(&address),
        edits,
        moves: Vec::new(),
    })
}
