//! Gives an expression a name: a local value, or a variable where it is a literal.

use cty::Type;
use refactor::Edit;
use smol_str::SmolStr;
use syntax::ast::{Attribute, Block, Expr, ExprKind, Item};
use text::{TextRange, TextSize};

use super::context::{ActionContext, Around};
use super::{Action, ActionKind};
use syntax::walk::{Visitor, walk_items};

/// Blocks in whose arguments local values and variables may stand.
const BLOCKS: [&str; 7] = [
    "resource",
    "data",
    "ephemeral",
    "output",
    "module",
    "provider",
    "locals",
];

/// Arguments that are read without being evaluated.
const STATIC: [&str; 10] = [
    "source",
    "version",
    "provider",
    "providers",
    "depends_on",
    "alias",
    "ignore_changes",
    "replace_triggered_by",
    "create_before_destroy",
    "prevent_destroy",
];

pub(super) fn offers(place: &ActionContext<'_>, range: TextRange) -> Vec<Action> {
    let Some(found) = Extracted::at(place, range) else {
        return Vec::new();
    };
    let local = found.local(place);
    local.into_iter().chain(found.variable(place)).collect()
}

struct Extracted<'a> {
    around: Around<'a>,
    top: &'a Block,
    expr: Expr,
    /// In the file.
    range: TextRange,
    /// The argument that has the expression as its value.
    argument: &'a Attribute,
}

impl<'a> Extracted<'a> {
    fn at(place: &ActionContext<'a>, range: TextRange) -> Option<Extracted<'a>> {
        let selected = trimmed(place, range);
        let around = place.around(selected.start())?;
        let top = around.top()?;
        let argument = around.attribute?;
        let is_evaluated = BLOCKS.contains(&top.kind.name.as_str())
            && !STATIC.contains(&argument.name.name.as_str())
            && !place.file.name().ends_with(".json");
        if !is_evaluated {
            return None;
        }
        let segment = place.source.syntax().segment_at(selected.start())?;
        let mut find = Find {
            selected: selected.checked_sub(around.offset)?,
            found: None,
            bound: Vec::new(),
        };
        walk_items(&segment.parsed.items, &mut find);
        let expr = find.found?;
        let range = expr.range + around.offset;
        if !selected.is_empty() && range != selected {
            return None;
        }
        let dynamic = around.blocks.iter().filter(|it| it.kind.name == "dynamic");
        find.bound
            .extend(dynamic.filter_map(|it| Some(it.labels.first()?.text.clone())));
        find.bound
            .extend(["each", "count", "self"].map(SmolStr::from));
        let mut is_free = true;
        config::refs::each_traversal(&expr, &mut |traversal| {
            is_free &= !find.bound.contains(&traversal.root.name);
        });
        is_free.then_some(Extracted {
            around,
            top,
            expr,
            range,
            argument,
        })
    }

    fn local(&self, place: &ActionContext<'_>) -> Option<Action> {
        let name = self.name(|name| place.known.module.locals.contains_key(name));
        let line = format!("  {name} = {}\n", place.slice(self.range));
        let own =
            (self.top.kind.name == "locals").then(|| self.argument.range + self.around.offset);
        let at = match own {
            Some(own) => Some(place.whole_lines(own).start()),
            None => end_of_locals(place),
        };
        let declaration = match at {
            Some(at) => Edit::insert(at, line),
            None => Edit::insert(self.start_of_top(), format!("locals {{\n{line}}}\n\n")),
        };
        let title = format!("Extract to the local value `{name}`");
        let used = Edit::replace(self.range, format!("local.{name}"));
        Some(action(
            place,
            title,
            ActionKind::Extract,
            vec![declaration, used],
        ))
    }

    /// Only a value that is the same for every caller: a literal.
    fn variable(&self, place: &ActionContext<'_>) -> Option<Action> {
        let mut is_literal =
            self.top.kind.name != "locals" || self.expr.range == self.argument.expr.range;
        config::refs::each_traversal(&self.expr, &mut |_| is_literal = false);
        let evaluated = eval::evaluate(&self.expr, &eval::EvalContext::empty());
        let ty = evaluated.value.ty().clone();
        let is_plain = matches!(ty, Type::String | Type::Number | Type::Bool);
        if !is_literal || !is_plain || matches!(self.expr.kind, ExprKind::Call(_)) {
            return None;
        }
        let name = self.name(|name| place.known.module.variables.contains_key(name));
        let value = place.slice(self.range);
        let block =
            format!("variable \"{name}\" {{\n  type    = {ty}\n  default = {value}\n}}\n\n");
        let title = format!("Extract to the variable `{name}`");
        let declaration = Edit::insert(self.start_of_top(), block);
        let used = Edit::replace(self.range, format!("var.{name}"));
        Some(action(
            place,
            title,
            ActionKind::Extract,
            vec![declaration, used],
        ))
    }

    fn start_of_top(&self) -> TextSize {
        self.top.range.start() + self.around.offset
    }

    /// That of the argument, or one like it that is not taken.
    fn name(&self, is_taken: impl Fn(&str) -> bool) -> String {
        let wanted = self.argument.name.name.as_str();
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or_default()
    }
}

/// The smallest expression around a place that is worth a name, and the names that `for` binds around it.
struct Find {
    selected: TextRange,
    found: Option<Expr>,
    bound: Vec<SmolStr>,
}

impl Visitor for Find {
    fn expr(&mut self, expr: &Expr) {
        if !expr.range.contains_range(self.selected) {
            return;
        }
        match &expr.kind {
            ExprKind::Traversal(_) | ExprKind::SplatItem | ExprKind::Error(_) => return,
            ExprKind::For(it) => {
                let names = it.key_var.iter().chain([&it.value_var]);
                self.bound.extend(names.map(|name| name.name.clone()));
            }
            _ => {}
        }
        self.found = Some(expr.clone());
    }
}

/// Before the closing brace of the last `locals` block of the file that has lines of its own.
fn end_of_locals(place: &ActionContext<'_>) -> Option<TextSize> {
    let mut last = None;
    for segment in place.source.syntax().segments() {
        for item in &segment.parsed.items {
            if let Item::Block(block) = item
                && block.kind.name == "locals"
                && let Some(brace) = block.close_brace
            {
                let brace = brace + segment.offset;
                let line = place.whole_lines(brace);
                last = (line != brace).then_some(line.start());
            }
        }
    }
    last
}

pub(super) fn action(
    place: &ActionContext<'_>,
    title: String,
    kind: ActionKind,
    mut edits: Vec<Edit>,
) -> Action {
    edits.sort_by_key(|edit| edit.range.start());
    let edits = refactor::lay_out(place.source.syntax(), edits);
    Action {
        title,
        kind,
        fixes: Vec::new(),
        is_preferred: false,
        is_safe: false,
        effect: super::Effect::Edit(place.edit(edits)),
    }
}

/// The range without the white space around.
fn trimmed(place: &ActionContext<'_>, range: TextRange) -> TextRange {
    let text = place.slice(range);
    let front = TextSize::of(text) - TextSize::of(text.trim_start());
    let len = TextSize::of(text.trim());
    TextRange::at(range.start() + front, len)
}
