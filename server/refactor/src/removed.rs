//! A `removed` block in the place of a resource or a module call, so that its objects are let go and not destroyed.

use config::ResourceMode;
use hcl_edit::Ident;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Attribute, Block, Body};
use text::TextRange;

use crate::site::Site;
use crate::{Edits, Kind, Object, Offer, Refactoring, Refusal};

pub(crate) fn offer(site: &Site<'_>, range: TextRange) -> Option<Offer> {
    let header = site.absolute(site.block.header_range);
    header.intersect(range)?;
    Some(Offer {
        kind: Kind::Forget,
        title: title(&address(site)?),
    })
}

fn title(address: &str) -> String {
    format!("Replace {address} by a removed block, which keeps its objects")
}

/// What can have objects. The address is without keys, as the language wants it.
fn address(site: &Site<'_>) -> Option<String> {
    let object = site.object()?;
    let has_objects = match &object {
        Object::Resource(addr) => addr.mode == ResourceMode::Managed,
        Object::ModuleCall(_) => true,
        _ => false,
    };
    Some(object.address().filter(|_| has_objects)?.to_string())
}

pub(crate) fn forget(site: &Site<'_>) -> Result<Refactoring, Refusal> {
    let address = address(site).ok_or(Refusal::NoName)?;
    let from: Option<Expression> = address.parse().ok();
    let from = from.map(|from| Attribute::new(Ident::new("from"), from));
    let lifecycle = Block::builder(Ident::new("lifecycle"))
        .attribute(Attribute::new(Ident::new("destroy"), false));
    let block = Block::builder(Ident::new("removed"))
        .attributes(from)
        .block(lifecycle);
    let text = Body::builder().block(block).build().to_string();
    let text = text.replacen("\nlifecycle", "\n\nlifecycle", 1);
    let text = syntax::format(&text).unwrap_or(text);
    let mut edits = Edits::default();
    edits.replace(site.file, site.range(), text.trim_end());
    Ok(Refactoring {
        title: title(&address),
        edits,
        moves: Vec::new(),
    })
}
