//! A file in JSON syntax as a row of segments, one for each block of its body.
//!
//! Blocks share their surroundings: several resources stand under one `"resource"`. A segment reaches from the end of
//! the block before it to the end of its own, so it has the names that are written for it first; a name from before
//! that, is placed at the block's own name.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use rowan::{GreenNode, GreenToken, Language, NodeOrToken};
use text::{Problem, TextRange, TextSize};

use super::blocks::deep_members;
use super::token::{size, tokens};
use super::{Member, RootLabels, check, reader};
use crate::ast::{Block, Body, Ident, Item, Label};
use crate::file::{ParsedSegment, StoredSegment};
use crate::{File, Hcl, SyntaxKind};

/// Cuts a file, sharing segments with `previous`. Answers also how many are new, and all errors by the place in the
/// file.
pub(crate) fn cut(
    text: &str,
    labels: RootLabels,
    previous: &File,
) -> (Vec<StoredSegment>, usize, Vec<Problem>) {
    let tokens = tokens(text);
    let mut errors = check::check(text, &tokens);
    let is_broken = !errors.is_empty();
    let root = reader::read(text, &tokens, is_broken);
    drop(tokens);
    let mut wrong = Vec::new();
    let members = deep_members(&root, None, &mut wrong);
    drop(root);
    // The root of a broken text was reported already.
    errors.extend(wrong.into_iter().filter(|_| !is_broken));
    let mut items = Vec::new();
    for member in members {
        match labels(member.name()) {
            Some(labels) => {
                let blocks = member.blocks(labels, &mut errors);
                items.extend(blocks.into_iter().map(Item::Block));
            }
            None if member.is_comment() => {}
            None => items.push(Item::Member(member)),
        }
    }
    let mut known: HashMap<u64, Arc<ParsedSegment>> = previous
        .segments()
        .map(|segment| (segment.id.hash, Arc::clone(segment.parsed)))
        .collect();
    let (mut segments, mut parsed, mut start) = (Vec::new(), 0, 0);
    // A large file is not in memory twice: an item goes where its segment is made.
    for item in items.into_iter().map(Some).chain([None]) {
        let end = item
            .as_ref()
            .map_or(text.len(), |item| usize::from(item.range().end()));
        let is_only = end == 0 && item.is_none() && segments.is_empty();
        if start == end && !is_only {
            continue;
        }
        let hash = hash(item.as_ref(), text, start..end);
        let segment = known.entry(hash).or_insert_with(|| {
            parsed += 1;
            let item = item.map(|item| moved(&item, size(start)));
            let green = green(&text[start..end]);
            Arc::new(ParsedSegment::of_json(&text[start..end], green, item, hash))
        });
        segments.push(StoredSegment::new(Arc::clone(segment)));
        start = end;
    }
    (segments, parsed, errors)
}

/// Of the text and of its meaning at its place. In broken text an item may begin before its segment.
fn hash(item: Option<&Item>, text: &str, segment: Range<usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let first = item.map_or(segment.start, |item| usize::from(item.range().start()));
    (first as i64 - segment.start as i64).hash(&mut hasher);
    match item {
        Some(Item::Block(block)) => {
            block.kind.name.hash(&mut hasher);
            block
                .labels
                .iter()
                .for_each(|label| label.text.hash(&mut hasher));
        }
        Some(Item::Member(_) | Item::Attribute(_)) | None => item.is_some().hash(&mut hasher),
    }
    text[first.min(segment.start)..segment.end].hash(&mut hasher);
    hasher.finish()
}

/// JSON has no finer tree than this: nothing is formatted in it.
fn green(text: &str) -> GreenNode {
    let token = GreenToken::new(Hcl::kind_to_raw(SyntaxKind::Json), text);
    GreenNode::new(
        Hcl::kind_to_raw(SyntaxKind::Segment),
        [NodeOrToken::Token(token)],
    )
}

/// The item with ranges relative to `start`.
fn moved(item: &Item, start: TextSize) -> Item {
    match item {
        Item::Attribute(attribute) => Item::Attribute(attribute.clone()),
        Item::Member(member) => Item::Member(Arc::new(member.moved(start))),
        Item::Block(block) => Item::Block(Arc::new(moved_block(block, start))),
    }
}

fn moved_block(block: &Block, start: TextSize) -> Block {
    let is_own = |range: &TextRange| range.start() >= start;
    let last = block.labels.last().map(|label| label.range);
    let name = last.filter(is_own).unwrap_or(block.header_range);
    let place = |range: TextRange| if is_own(&range) { range } else { name } - start;
    let members = block.body.members.iter().flatten();
    Block {
        kind: Ident::of(&block.kind.name, place(block.kind.range)),
        labels: block
            .labels
            .iter()
            .map(|label| Label {
                range: place(label.range),
                ..label.clone()
            })
            .collect(),
        body: Body {
            members: Some(
                members
                    .map(|it| Arc::new(Member::moved(it, start)))
                    .collect(),
            ),
            range: block.body.range - start,
            ..Body::default()
        },
        header_range: block.header_range - start,
        open_brace: block.open_brace.map(|range| range - start),
        close_brace: block.close_brace.map(|range| range - start),
        range: block.range - start,
    }
}
