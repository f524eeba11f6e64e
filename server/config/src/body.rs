//! The content of a block, in either syntax.
//!
//! In native syntax attributes and blocks look different. In JSON both are properties, and only who knows the schema
//! can separate them: so a body is read with the expectation for each name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use smol_str::SmolStr;
use syntax::{ast, json};
use text::{Diagnostic, FileId, Problem, SegmentId, Span, TextRange};

use crate::source::{Attribute, Block, Origin};

/// So many repeated properties of one body are reported.
const MAX_DUPLICATES: usize = 1_000;

/// The content of a block, for a schema to decode.
///
/// After an override file was merged in, items of one body may come from several files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    pub attributes: Vec<Attribute>,
    pub blocks: Vec<Block>,
    /// In JSON syntax, properties that are not yet known to be attributes or blocks.
    pub members: Vec<Member>,
    /// The bodies of override files, where a schema is needed to merge them in.
    overrides: Vec<Body>,
    /// Where a missing argument is reported.
    pub missing_item: Span,
}

/// A property of an object of JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub origin: Origin,
    pub json: Arc<json::Member>,
}

/// The kind of a name in a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected<'s> {
    Attribute,
    /// Blocks with labels that are called so.
    Block(&'s [&'s str]),
}

impl Body {
    pub fn new(origin: &Origin, ast: &ast::Body, missing_item: Span) -> Body {
        let attributes = ast.attributes.iter();
        let blocks = ast.blocks.iter();
        let members = ast.members.iter().flatten();
        Body {
            attributes: attributes
                .map(|ast| Attribute {
                    origin: origin.clone(),
                    ast: ast.clone(),
                })
                .collect(),
            blocks: blocks
                .map(|ast| Block {
                    origin: origin.clone(),
                    ast: ast.clone(),
                })
                .collect(),
            members: members
                .filter(|member| !member.is_comment())
                .map(|json| Member {
                    origin: origin.clone(),
                    json: json.clone(),
                })
                .collect(),
            overrides: Vec::new(),
            missing_item,
        }
    }

    /// The body of a whole file, as `parse_file` reads it.
    pub fn of_file(id: &FileId, file: &syntax::File) -> Body {
        let start = file.segments().next();
        let mut body = Body::of_attributes(
            Vec::new(),
            Span {
                file: id.clone(),
                segment: start.map_or(SegmentId { hash: 0, nth: 0 }, |segment| segment.id),
                range: TextRange::default(),
            },
        );
        for segment in file.segments() {
            let origin = Origin {
                file: id.clone(),
                segment: segment.id,
            };
            for item in &segment.parsed.items {
                let origin = origin.clone();
                match item {
                    ast::Item::Attribute(ast) => body.attributes.push(Attribute {
                        origin,
                        ast: ast.clone(),
                    }),
                    ast::Item::Block(ast) => body.blocks.push(Block {
                        origin,
                        ast: ast.clone(),
                    }),
                    ast::Item::Member(json) => body.members.push(Member {
                        origin,
                        json: json.clone(),
                    }),
                }
            }
        }
        body
    }

    /// A body of arguments alone.
    pub fn of_attributes(attributes: Vec<Attribute>, missing_item: Span) -> Body {
        Body {
            attributes,
            blocks: Vec::new(),
            members: Vec::new(),
            overrides: Vec::new(),
            missing_item,
        }
    }

    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name() == name)
    }

    pub fn blocks_of(&self, kind: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.kind() == kind)
    }

    /// Whether no schema is needed to tell attributes from blocks.
    pub fn is_decided(&self) -> bool {
        self.members.is_empty() && self.overrides.is_empty()
    }

    /// The properties of JSON that are left, here and in override files.
    pub fn all_members(&self) -> impl Iterator<Item = &Member> {
        let overrides = self.overrides.iter().flat_map(|body| &body.members);
        self.members.iter().chain(overrides)
    }

    pub fn is_empty(&self) -> bool {
        let is_empty = |body: &Body| {
            body.attributes.is_empty() && body.blocks.is_empty() && body.members.is_empty()
        };
        self.layers().all(is_empty)
    }

    /// All that is written here and in override files, before those are merged in.
    pub fn layers(&self) -> impl Iterator<Item = &Body> {
        std::iter::once(self).chain(&self.overrides)
    }

    /// The body with its properties of JSON taken as expected; those without an expectation
    /// stay. A property that does not fit is reported.
    pub fn content<'s>(
        &self,
        expected: &dyn Fn(&str) -> Option<Expected<'s>>,
    ) -> (Cow<'_, Body>, Vec<Diagnostic>) {
        if self.is_decided() {
            return (Cow::Borrowed(self), Vec::new());
        }
        let mut diagnostics = Vec::new();
        let mut body = self.decided(expected, &mut diagnostics);
        for over in &self.overrides {
            let over = over.decided(expected, &mut diagnostics);
            body.replace_with(&over);
            body.members.extend(over.members);
        }
        (Cow::Owned(body), diagnostics)
    }

    /// All properties as attributes.
    pub fn just_attributes(&self) -> (Cow<'_, Body>, Vec<Diagnostic>) {
        let (body, mut diagnostics) = self.content(&|_| Some(Expected::Attribute));
        for diagnostic in &mut diagnostics {
            diagnostic.summary = "Duplicate attribute definition".into();
        }
        (body, diagnostics)
    }

    fn decided<'s>(
        &self,
        expected: &dyn Fn(&str) -> Option<Expected<'s>>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Body {
        let mut body = Body {
            attributes: self.attributes.clone(),
            blocks: self.blocks.clone(),
            members: Vec::new(),
            overrides: Vec::new(),
            missing_item: self.missing_item.clone(),
        };
        let own = self.attributes.iter().enumerate();
        let own = own.map(|(at, it)| (it.name().clone(), at));
        let mut known: HashMap<SmolStr, usize> = own.collect();
        for member in &self.members {
            match expected(member.name()) {
                Some(Expected::Attribute) => match known.get(member.name()) {
                    None => {
                        known.insert(member.name().clone(), body.attributes.len());
                        body.attributes.push(member.attribute());
                    }
                    Some(first) if diagnostics.len() < MAX_DUPLICATES => {
                        diagnostics.push(member.duplicate(&body.attributes[*first]));
                    }
                    Some(_) => {}
                },
                Some(Expected::Block(labels)) => {
                    body.blocks.extend(member.blocks(labels, diagnostics));
                }
                None => body.members.push(member.clone()),
            }
        }
        body
    }

    /// Adds another body of the same file.
    pub fn extend(&mut self, other: Body) {
        self.attributes.extend(other.attributes);
        self.blocks.extend(other.blocks);
        self.members.extend(other.members);
    }

    /// Merges in the body of an override file.
    pub(crate) fn merge(&mut self, over: &Body) {
        match self.is_decided() && over.is_decided() {
            true => self.replace_with(over),
            false => self.overrides.push(over.clone()),
        }
    }

    /// Arguments replace arguments; blocks of a type, `dynamic` or not, replace all blocks of that type.
    fn replace_with(&mut self, over: &Body) {
        for attribute in &over.attributes {
            match self
                .attributes
                .iter_mut()
                .find(|a| a.name() == attribute.name())
            {
                Some(existing) => *existing = attribute.clone(),
                None => self.attributes.push(attribute.clone()),
            }
        }
        let is_replaced = |kind: &str| {
            over.blocks
                .iter()
                .any(|block| block.effective_kind() == kind)
        };
        self.blocks
            .retain(|block| !is_replaced(block.effective_kind()));
        self.blocks.extend(over.blocks.iter().cloned());
    }
}

impl Member {
    pub fn name(&self) -> &smol_str::SmolStr {
        self.json.name()
    }

    pub fn name_span(&self) -> Span {
        self.origin.span(self.json.name_range)
    }

    pub fn attribute(&self) -> Attribute {
        Attribute {
            origin: self.origin.clone(),
            ast: self.json.attribute().clone(),
        }
    }

    fn blocks(&self, labels: &[&str], diagnostics: &mut Vec<Diagnostic>) -> Vec<Block> {
        let mut errors = Vec::new();
        let blocks = self.json.blocks(labels, &mut errors);
        diagnostics.extend(errors.into_iter().map(|error| {
            let code = "json-value";
            Problem { code, ..error }.located(|range| self.origin.span(range))
        }));
        let block = |ast| Block {
            origin: self.origin.clone(),
            ast,
        };
        blocks.into_iter().map(block).collect()
    }

    fn duplicate(&self, first: &Attribute) -> Diagnostic {
        let detail = format!("The argument \"{}\" was already set.", self.name());
        Diagnostic::error(
            "duplicate-argument",
            "Duplicate argument",
            detail,
            self.name_span(),
        )
        .with_related(first.name_span(), "first set here")
    }
}
