//! The outline of a file, and the names of a workspace.

use syntax::ast::{Attribute, Block, Expr, ExprKind, Item, ObjectKey};
use text::{FileId, TextRange};

use crate::Snapshot;
use crate::referent::Location;

/// A block or an argument in the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: String,
    /// The planned action of a block.
    pub detail: String,
    pub kind: SymbolKind,
    pub range: TextRange,
    /// The part that names it.
    pub name_range: TextRange,
    pub children: Vec<Symbol>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    Resource,
    Variable,
    Output,
    Module,
    Block,
    Argument,
}

/// A declaration somewhere in the workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkspaceSymbol {
    pub name: String,
    pub kind: SymbolKind,
    pub location: Location,
}

impl Snapshot {
    pub fn symbols(&self, file: &FileId) -> Vec<Symbol> {
        let Some(source) = self.hcl_file(file) else {
            return Vec::new();
        };
        let mut actions = self.actions_of(file, None, " …").into_iter().peekable();
        let segments = source.syntax().segments();
        let symbols = segments.flat_map(|segment| {
            let items = segment.parsed.items.iter();
            items.map(move |item| symbol(item, segment.offset))
        });
        let mut symbols: Vec<Symbol> = symbols.collect();
        for symbol in &mut symbols {
            let mut titles = Vec::new();
            while let Some(action) = actions.next_if(|it| it.range.start() <= symbol.range.end()) {
                if symbol.range.contains_range(action.range) {
                    titles.push(action.title);
                }
            }
            symbol.detail = titles.join(", ");
        }
        symbols
    }

    /// The declarations of all known modules whose name holds the characters of `query` in order.
    pub fn workspace_symbols(&self, query: &str) -> Vec<WorkspaceSymbol> {
        let mut found = Vec::new();
        for known in self.known_modules().values() {
            let module = &known.module;
            let mut add = |name: String, kind, span: &text::Span| {
                if crate::completion::matches(&name, query)
                    && let Some(location) = self.place(span, module)
                {
                    found.push(WorkspaceSymbol {
                        name,
                        kind,
                        location,
                    });
                }
            };
            for (addr, it) in &module.resources {
                add(addr.to_string(), SymbolKind::Resource, &it.decl.full_span);
            }
            for (name, it) in &module.variables {
                add(
                    format!("var.{name}"),
                    SymbolKind::Variable,
                    &it.decl.full_span,
                );
            }
            for (name, it) in &module.locals {
                add(
                    format!("local.{name}"),
                    SymbolKind::Variable,
                    &it.decl.full_span,
                );
            }
            for (name, it) in &module.outputs {
                add(
                    format!("output.{name}"),
                    SymbolKind::Output,
                    &it.decl.full_span,
                );
            }
            for (name, it) in &module.module_calls {
                add(
                    format!("module.{name}"),
                    SymbolKind::Module,
                    &it.decl.full_span,
                );
            }
        }
        found
    }
}

fn symbol(item: &Item, offset: text::TextSize) -> Symbol {
    match item {
        Item::Attribute(attribute) => argument(attribute, offset),
        Item::Member(member) => argument(member.attribute(), offset),
        Item::Block(block) => self::block(block, offset),
    }
}

fn argument(attribute: &Attribute, offset: text::TextSize) -> Symbol {
    Symbol {
        name: attribute.name.name.to_string(),
        detail: String::new(),
        kind: SymbolKind::Argument,
        range: attribute.range + offset,
        name_range: attribute.name.range + offset,
        children: inside(&attribute.expr, offset),
    }
}

/// The elements of a list and the items of an object that are written out.
fn inside(expr: &Expr, offset: text::TextSize) -> Vec<Symbol> {
    let child = |name: String, name_range: TextRange, value: &Expr| Symbol {
        name,
        detail: String::new(),
        kind: SymbolKind::Argument,
        range: name_range.cover(value.range) + offset,
        name_range: name_range + offset,
        children: inside(value, offset),
    };
    match &expr.kind {
        ExprKind::Tuple(elements) => {
            let elements = elements.iter().enumerate();
            elements
                .map(|(index, element)| child(index.to_string(), element.range, element))
                .collect()
        }
        ExprKind::Object(items) => {
            let named = items.iter().filter_map(|item| match &item.key {
                ObjectKey::Name(name) => Some((name.name.to_string(), name.range, &item.value)),
                ObjectKey::Expr(key) => {
                    Some((key.as_literal_string()?.to_string(), key.range, &item.value))
                }
            });
            named
                .map(|(name, range, value)| child(name, range, value))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn block(block: &Block, offset: text::TextSize) -> Symbol {
    let mut children: Vec<Symbol> = Vec::new();
    let attributes = block.body.attributes.iter().cloned().map(Item::Attribute);
    let blocks = block.body.blocks.iter().cloned().map(Item::Block);
    let members = block.body.members.iter().flatten();
    let members = members.cloned().map(Item::Member);
    let items = attributes.chain(blocks).chain(members);
    children.extend(items.map(|item| symbol(&item, offset)));
    children.sort_by_key(|child| child.range.start());
    let labels = block
        .labels
        .iter()
        .map(|label| format!(" \"{}\"", label.text));
    Symbol {
        name: std::iter::once(block.kind.name.to_string())
            .chain(labels)
            .collect(),
        detail: String::new(),
        kind: match block.kind.name.as_str() {
            "resource" | "data" | "ephemeral" => SymbolKind::Resource,
            "variable" => SymbolKind::Variable,
            "output" => SymbolKind::Output,
            "module" => SymbolKind::Module,
            _ => SymbolKind::Block,
        },
        range: block.range + offset,
        name_range: block.header_range + offset,
        children,
    }
}
