//! References to instances that get other keys.

use std::collections::HashSet;

use config::{InstanceKey, Reference, Referenceable};
use syntax::ast::{Expr, ExprKind};
use syntax::walk::{Visitor, walk_items};
use text::{FileId, Span, TextRange, TextSize};

use super::{RepetitionChange, Subject};
use crate::site::{Interpolation, Site, in_template, is_interpolation, size_range};
use crate::words::words;
use crate::{Edits, Modules, Refusal, Repeat, SymbolObject};

impl RepetitionChange {
    /// Rewrites the references of the block to its own instance.
    pub fn rewrite_body(&self, edits: &mut Edits, site: &Site<'_>, subject: &Subject<'_>) {
        let done = self.rewrite_elements(edits, site);
        let argument = subject.written.map(|it| site.absolute(it.range));
        for reference in &subject.decl.references {
            let (Referenceable::Count(name) | Referenceable::Each(name)) = &reference.subject
            else {
                continue;
            };
            let Some(new) = self.names.iter().find(|(it, _)| it == name) else {
                continue;
            };
            let Some(range) = site.syntax.resolve(&reference.span) else {
                continue;
            };
            let is_done = done
                .iter()
                .chain(&argument)
                .any(|it| it.contains_range(range));
            if reference.span.file == *site.file && !is_done {
                let text = site.syntax.text();
                let is_part = is_interpolation(text, range) == Some(Interpolation::Part);
                let new = match new.1.as_str() {
                    "tonumber(each.key)" if is_part => "each.key",
                    new => new,
                };
                let (range, text) = in_template(text, range, new);
                edits.replace(site.file, range, text);
            }
        }
    }

    fn rewrite_elements(&self, edits: &mut Edits, site: &Site<'_>) -> Vec<TextRange> {
        struct Find<'a>(&'a Site<'a>, &'a str, Vec<TextRange>);
        impl Visitor for Find<'_> {
            fn expr(&mut self, expr: &Expr) {
                if let ExprKind::Index { collection, key } = &expr.kind
                    && self.0.text(collection.range) == self.1
                    && self.0.text(key.range) == "count.index"
                {
                    self.2.push(self.0.absolute(expr.range));
                }
            }
        }
        let Some((list, element)) = &self.elements else {
            return Vec::new();
        };
        let mut find = Find(site, list, Vec::new());
        walk_items(&site.segment.parsed.items, &mut find);
        for range in &find.2 {
            edits.replace(site.file, *range, *element);
        }
        find.2
    }

    /// Rewrites the references to the instances elsewhere.
    pub fn rewrite_uses(
        &self,
        edits: &mut Edits,
        modules: &Modules,
        site: &Site<'_>,
        subject: &Subject<'_>,
    ) -> Result<(), Refusal> {
        let order = of_order(site);
        for reference in site.module.all_references() {
            if let Some(key) = subject.key_in(reference) {
                let is_of_order = order.contains(&reference.span);
                self.rewrite_use(edits, modules, &reference.span, key, is_of_order)?;
            }
        }
        Ok(())
    }

    /// A use of the instance with a key, or of all of them.
    fn rewrite_use(
        &self,
        edits: &mut Edits,
        modules: &Modules,
        span: &Span,
        key: Option<&InstanceKey>,
        is_of_order: bool,
    ) -> Result<(), Refusal> {
        let Some(syntax) = modules.file(&span.file) else {
            return Ok(());
        };
        let Some(place) = syntax.resolve(span) else {
            return Ok(());
        };
        let text = syntax.text();
        let written = &text[std::ops::Range::<usize>::from(place)];
        let (name_end, key_end) = parts(written);
        let new = |key| Some(&self.keys.iter().find(|(old, _)| old == key)?.1);
        let (range, new) = match key {
            None if is_of_order => return Ok(()),
            Some(key) => match new(key) {
                Some(new) => (size_range(name_end, key_end), new.to_string()),
                None => return Ok(()),
            },
            None => {
                let after = &text[usize::from(place.end())..];
                let is_splat = after.starts_with("[*]") || after.starts_with(".*");
                let name = &written[..name_end];
                let before = &text[..usize::from(place.start())];
                let (_, to) = &self.keys[0];
                if is_splat && self.from == Repeat::Count && *to == InstanceKey::None {
                    return Ok(());
                }
                let is_values = before.ends_with("values(") && after.starts_with(')');
                let whole = match self.whole.as_str() {
                    // `values(a)` of a list
                    whole if is_values && whole.starts_with("zipmap") => {
                        let around = TextRange::new(
                            place.start() - TextSize::of("values("),
                            place.end() + TextSize::of(")"),
                        );
                        return replace(edits, &span.file, around, name);
                    }
                    whole => {
                        let whole = whole.replace("{}", name);
                        match whole.starts_with('{') && after.starts_with(['[', '.']) {
                            true => format!("({whole})"),
                            false => whole,
                        }
                    }
                };
                (size_range(0, name_end), whole)
            }
        };
        replace(edits, &span.file, range + place.start(), &new)
    }
}

fn replace(edits: &mut Edits, file: &FileId, range: TextRange, text: &str) -> Result<(), Refusal> {
    if file.name().ends_with(".json") {
        return Err(Refusal::UsedInJson(file.name().to_owned()));
    }
    edits.replace(file, range, text);
    Ok(())
}

impl Subject<'_> {
    /// Whether a reference means the object: one instance of it by its key, or all.
    fn key_in<'r>(&self, reference: &'r Reference) -> Option<Option<&'r InstanceKey>> {
        match (&self.object, &reference.subject) {
            (SymbolObject::Resource(own), Referenceable::ResourceInstance(addr, key)) => {
                (own == addr).then_some(Some(key))
            }
            (SymbolObject::Resource(own), Referenceable::Resource(addr)) => {
                (own == addr).then_some(None)
            }
            (SymbolObject::ModuleCall(own), Referenceable::ModuleInstance(call, key))
            | (SymbolObject::ModuleCall(own), Referenceable::ModuleOutput { call, key, .. }) => {
                (own == call).then_some(Some(key))
            }
            (SymbolObject::ModuleCall(own), Referenceable::Module(call)) => {
                (own == call).then_some(None)
            }
            _ => None,
        }
    }
}

/// References that only order the work: `depends_on` and `replace_triggered_by`. They mean all instances.
fn of_order(site: &Site<'_>) -> HashSet<Span> {
    let module = site.module;
    let resources = module.resources.values();
    let triggers = resources.flat_map(|it| &it.lifecycle.replace_triggered_by);
    let resources = module.resources.values().flat_map(|it| &it.depends_on);
    let calls = module.module_calls.values().flat_map(|it| &it.depends_on);
    let outputs = module.outputs.values().flat_map(|it| &it.depends_on);
    let orders = resources.chain(calls).chain(outputs);
    let spans = orders.map(|it| it.span.clone());
    spans.chain(triggers.map(config::Expr::span)).collect()
}

/// Where the name ends in an address as it is written, and the key behind it.
fn parts(written: &str) -> (usize, usize) {
    let words = words(written);
    let first = words.first().map_or("", |word| word.text);
    let last = match first {
        "data" | "ephemeral" | "resource" => 2,
        _ => 1,
    };
    let Some(word) = words.get(last) else {
        return (written.len(), written.len());
    };
    let name_end = usize::from(word.range.end());
    let rest = &written[name_end..];
    let key_start = match word.key {
        Some((_, range)) => usize::from(range.end()),
        None => name_end,
    };
    let key_end = match rest.trim_start().starts_with('[') {
        true => written[key_start..]
            .find(']')
            .map_or(name_end, |it| key_start + it + 1),
        false => name_end,
    };
    (name_end, key_end)
}
