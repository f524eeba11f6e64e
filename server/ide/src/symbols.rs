//! The outline of a file, and the names of a workspace.

use syntax::ast::{Attribute, Block, Expr, ExprKind, Item, ObjectKey};
use text::{FileId, TextRange, TextSize};

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
        let mut outline = Outline {
            offset: TextSize::default(),
            room: INNER_LIMIT,
        };
        let mut symbols = Vec::new();
        for segment in source.syntax().segments() {
            outline.offset = segment.offset;
            symbols.extend(segment.parsed.items.iter().map(|item| outline.item(item)));
        }
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

/// So many arguments, nested blocks and elements are listed in a file, beside all of its outermost blocks.
const INNER_LIMIT: usize = 20_000;

struct Outline {
    /// Of the segment.
    offset: TextSize,
    /// For further symbols inside of others.
    room: usize,
}

impl Outline {
    fn item(&mut self, item: &Item) -> Symbol {
        match item {
            Item::Attribute(attribute) => self.argument(attribute),
            Item::Member(member) => self.argument(member.attribute()),
            Item::Block(block) => self.block(block),
        }
    }

    fn argument(&mut self, attribute: &Attribute) -> Symbol {
        Symbol {
            name: attribute.name.name.to_string(),
            detail: String::new(),
            kind: SymbolKind::Argument,
            range: attribute.range + self.offset,
            name_range: attribute.name.range + self.offset,
            children: self.elements(&attribute.expr),
        }
    }

    /// The elements of a list and the items of an object that are written out.
    fn elements(&mut self, expr: &Expr) -> Vec<Symbol> {
        match &expr.kind {
            ExprKind::Tuple(elements) => {
                let elements = elements.iter().enumerate();
                elements
                    .map_while(|(index, it)| self.element(index.to_string(), it.range, it))
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
                    .map_while(|(name, range, value)| self.element(name, range, value))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn element(&mut self, name: String, name_range: TextRange, value: &Expr) -> Option<Symbol> {
        self.inner(|outline| Symbol {
            name,
            detail: String::new(),
            kind: SymbolKind::Argument,
            range: name_range.cover(value.range) + outline.offset,
            name_range: name_range + outline.offset,
            children: outline.elements(value),
        })
    }

    /// A symbol inside of another. `None` if there is no room for more.
    fn inner(&mut self, symbol: impl FnOnce(&mut Outline) -> Symbol) -> Option<Symbol> {
        self.room = self.room.checked_sub(1)?;
        Some(symbol(self))
    }

    fn block(&mut self, block: &Block) -> Symbol {
        let body = &block.body;
        let mut children: Vec<Symbol> = Vec::new();
        let members = body.members.iter().flatten();
        let arguments = body.attributes.iter();
        let arguments = arguments.chain(members.map(|it| it.attribute()));
        children.extend(arguments.map_while(|it| self.inner(|outline| outline.argument(it))));
        let blocks = body.blocks.iter();
        children.extend(blocks.map_while(|it| self.inner(|outline| outline.block(it))));
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
            range: block.range + self.offset,
            name_range: block.header_range + self.offset,
            children,
        }
    }
}
