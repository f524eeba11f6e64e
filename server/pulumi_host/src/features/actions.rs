//! Actions at a place: fixes, options of a resource, and names for values.

use ide::{Action, ActionKind, Effect, OfferedRefactoring, PlaceInFile, Shown};
use pulumi::path::Path;
use pulumi::plan::Step;
use pulumi::program::{Declared, ResourceDecl};
use pulumi::step::Op;
use serde::{Deserialize, Serialize};
use text::{Edits, Fault, Missing, Replacement, TextRange, TextSize};
use yaml::{MappingEntry, Node, NodeKind, Resolved};

use super::names::is_declared;
use super::typed::CursorContext;
use crate::folder::ProgramFolder;
use crate::options::{OptionValue, Resource, with_line_ends};

/// A refactoring that a second plan proves, when it is chosen.
#[derive(Serialize, Deserialize)]
pub(crate) enum Proven {
    /// An alias for an object in the state: `line` is the element of the list.
    Alias { resource: String, line: String },
}

pub(crate) fn actions(at: &PlaceInFile<'_>, range: TextRange) -> Vec<Action> {
    let Some(known) = CursorContext::at(at) else {
        return Vec::new();
    };
    let text = at.source.document().text();
    let place = Here {
        at,
        known: &known,
        text: &text,
        range,
    };
    let mut actions = place.fixes();
    actions.extend(place.of_resource());
    actions.extend(place.of_value());
    actions
}

/// Where something is to be done.
struct Here<'a> {
    at: &'a PlaceInFile<'a>,
    known: &'a CursorContext<'a>,
    text: &'a str,
    range: TextRange,
}

impl<'a> Here<'a> {
    fn edit(&self, title: String, kind: ActionKind, edits: Vec<Replacement>) -> Action {
        Action {
            title,
            kind,
            fixes: Vec::new(),
            is_preferred: false,
            is_safe: false,
            effect: Effect::Edit(Edits::of(self.at.file, edits)),
        }
    }

    fn fixes(&self) -> Vec<Action> {
        let diagnostics = self.at.snapshot.diagnostics(self.at.file).into_iter();
        let here: Vec<Shown> = diagnostics
            .filter(|it| it.range.intersect(self.range).is_some())
            .collect();
        let mut missing: Vec<&Shown> = Vec::new();
        let mut actions = Vec::new();
        for shown in &here {
            match &shown.diagnostic.fault {
                Fault::Misspelt { meant } => actions.extend(self.meant(shown, meant)),
                Fault::Missing(Missing::Argument(_)) => missing.push(shown),
                _ => {}
            }
        }
        actions.extend(self.missing(&missing));
        actions
    }

    /// Replaces a name with the suggested one.
    fn meant(&self, shown: &Shown, meant: &str) -> Option<Action> {
        let written = self.text.get(std::ops::Range::<usize>::from(shown.range))?;
        let is_name = |c: char| c.is_alphanumeric() || "_-:/".contains(c);
        let start = match written.strip_prefix("${") {
            Some(_) => 2,
            None => written.find(is_name)?,
        };
        let rest = &written[start..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let size = |offset: usize| TextSize::new(offset as u32);
        let range = TextRange::at(shown.range.start() + size(start), size(end));
        let edits = vec![Replacement::replace(range, meant)];
        Some(Action {
            fixes: vec![shown.clone()],
            is_preferred: true,
            ..self.edit(format!("Change to `{meant}`"), ActionKind::QuickFix, edits)
        })
    }

    /// Adds all properties that a resource misses at once.
    fn missing(&self, missing: &[&Shown]) -> Option<Action> {
        let resource = self.resource()?;
        let names = missing.iter().filter_map(|it| match &it.diagnostic.fault {
            Fault::Missing(Missing::Argument(name)) => Some(name.as_str()),
            _ => None,
        });
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            return None;
        }
        let edit = self.written(resource)?.properties(&names)?;
        let title = format!("Add {}", quoted(&names));
        Some(Action {
            fixes: missing.iter().map(|it| (*it).clone()).collect(),
            is_preferred: true,
            ..self.edit(title, ActionKind::QuickFix, vec![edit])
        })
    }

    /// The resource that the place is in.
    fn resource(&self) -> Option<&'a Declared<ResourceDecl>> {
        let file = &self.known.yaml.file;
        let mut segments = file.segments();
        let segment = segments.find(|it| it.range().contains_inclusive(self.range.start()))?;
        let entries = segment.parsed.entries.iter();
        let mut around = entries.filter(|it| {
            let whole = it.key.range.cover(it.value.range) + segment.offset;
            whole.contains_inclusive(self.range.start())
        });
        let name = around.next()?.key.text()?;
        let resources = self.known.program.resources.iter();
        let mut own = resources.filter(|it| it.file == *self.at.file && it.segment == segment.id);
        own.find(|it| it.name == name).map(|it| &**it)
    }

    fn written(&self, resource: &Declared<ResourceDecl>) -> Option<Resource<'a>> {
        let segment = self.known.yaml.file.segment(resource.segment)?;
        Resource::find(self.text, segment, &resource.name)
    }

    fn of_resource(&self) -> Vec<Action> {
        let Some((resource, written)) =
            self.resource().and_then(|it| Some((it, self.written(it)?)))
        else {
            return Vec::new();
        };
        let folder = self.known.folder;
        let step = folder.and_then(|it| step_of(it, resource));
        let mut actions = Vec::new();
        let mut add = |title: &str, key: &str, wanted: OptionValue<'_>| {
            if let Ok(edit) = written.option(key, wanted) {
                actions.push(self.edit(title.to_owned(), ActionKind::Rewrite, vec![edit]));
            }
        };
        let options = &resource.decl.options;
        let name = &resource.name;
        if let Some(property) = step.and_then(|it| self.changed_property(resource, it)) {
            let title = format!("Ignore changes of `{property}`");
            let wanted = OptionValue::Element {
                line: &property,
                flow: &property,
            };
            add(&title, "ignoreChanges", wanted);
        }
        if self.is_at_name(resource) {
            let is_true = OptionValue::Value("true");
            if options.protect.is_none() {
                add(&format!("Protect {name}"), "protect", is_true);
            }
            if options.retain_on_delete != Some(true) {
                let title = format!("Retain {name} when the stack deletes it");
                add(&title, "retainOnDelete", is_true);
            }
            let is_created_first = Op::Replace {
                deletes_first: false,
            };
            if step.is_some_and(|it| it.op == is_created_first) {
                let title = format!("Delete {name} before its replacement is created");
                add(&title, "deleteBeforeReplace", is_true);
            }
        }
        if let Some((folder, step)) = folder.zip(step) {
            actions.extend(aliases(folder, resource, step));
        }
        actions
    }

    fn is_at_name(&self, resource: &Declared<ResourceDecl>) -> bool {
        let segment = self.known.yaml.file.segment(resource.segment);
        let offset = segment.map(|it| it.offset).unwrap_or_default();
        let header = resource.at.cover(resource.decl.type_at) + offset;
        header.contains_inclusive(self.range.start())
    }

    /// The property around the place, if the plan changes it.
    fn changed_property(&self, resource: &Declared<ResourceDecl>, step: &Step) -> Option<String> {
        if !matches!(step.op, Op::Update | Op::Replace { .. }) {
            return None;
        }
        let segment = self.known.yaml.file.segment(resource.segment)?;
        let properties = resource.decl.properties.as_ref()?.properties()?;
        let around = properties.iter().find(|it| {
            let whole = it.key.at.cover(it.value.at) + segment.offset;
            whole.contains_inclusive(self.range.start())
        })?;
        let name = around.key.as_str()?;
        let detailed = step.detailed.iter().flatten().map(|(path, _)| path);
        let mut paths = detailed.chain(&step.diff_keys);
        let is_it = |path: &String| Path::parse(path).is_ok_and(|it| it.root() == Some(name));
        paths.any(is_it).then(|| name.to_owned())
    }

    /// Another name for a value: a variable, or configuration.
    fn of_value(&self) -> Vec<Action> {
        let found = self.resource().and_then(|resource| {
            let segment = self.known.yaml.file.segment(resource.segment)?;
            let start = self.range.start().checked_sub(segment.offset)?;
            let entries = segment.parsed.entries.iter();
            let mut entries = entries.filter(|it| it.key.text() == Some(&resource.name));
            let properties = entries.next()?.value.get("properties")?;
            let (key, value) = scalar_at(&properties.value, start, "value")?;
            Some((key, value, segment.offset))
        });
        let Some((key, value, offset)) = found else {
            return Vec::new();
        };
        let range = value.range + offset;
        let Some(written) = self.text.get(std::ops::Range::<usize>::from(range)) else {
            return Vec::new();
        };
        let is_plain = !written.is_empty() && !written.contains(['\n', '$']);
        let type_name = match value.scalar().map(|it| it.resolve()) {
            Some(Resolved::Bool(_)) => "boolean",
            Some(Resolved::Number(number)) if number.fract() == 0.0 => "integer",
            Some(Resolved::Number(_)) => "number",
            Some(Resolved::String) => "string",
            Some(Resolved::Null) | None => return Vec::new(),
        };
        let Some(name) = self.free_name(key).filter(|_| is_plain) else {
            return Vec::new();
        };
        let named = Replacement::replace(range, format!("${{{name}}}"));
        let variable = self.declaration("variables", &[], &|indent| {
            format!("{indent}{name}: {written}\n")
        });
        let config = self.declaration("config", &["configuration"], &|indent| {
            format!("{indent}{name}:\n{indent}  type: {type_name}\n{indent}  default: {written}\n")
        });
        let offers = [
            (format!("Extract into the variable `{name}`"), variable),
            (
                format!("Extract into the configuration value `{name}`"),
                config,
            ),
        ];
        let made = offers.into_iter().filter_map(|(title, declaration)| {
            let mut edits = vec![declaration?, named.clone()];
            edits.sort_by_key(|it| it.range.start());
            Some(self.edit(title, ActionKind::Extract, edits))
        });
        made.collect()
    }

    fn free_name(&self, key: &str) -> Option<String> {
        let is_word = |c: char| c.is_alphanumeric() || "_-".contains(c);
        let base: String = key.chars().filter(|c| is_word(*c)).collect();
        let numbered = (2..100).map(|nth| format!("{base}{nth}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let is_free = |it: &String| {
            !it.is_empty()
                && it != pulumi::program::SETTINGS
                && !is_declared(&self.known.program, it)
        };
        names.find(is_free)
    }

    /// A new entry in a section, which is made if it is not there.
    fn declaration(
        &self,
        section: &str,
        others: &[&str],
        lines: &dyn Fn(&str) -> String,
    ) -> Option<Replacement> {
        let edit = self.declaration_edit(section, others, lines)?;
        Some(with_line_ends(self.text, edit))
    }

    fn declaration_edit(
        &self,
        section: &str,
        others: &[&str],
        lines: &dyn Fn(&str) -> String,
    ) -> Option<Replacement> {
        let file = &self.known.yaml.file;
        let sections = [&[section][..], others].concat();
        let entry = sections
            .iter()
            .find_map(|it| file.entries(it).into_iter().next());
        if let Some(entry) = entry {
            let start = entry.key.range.start() + entry.segment.offset;
            let before = &self.text[..usize::from(start)];
            let line = before.rfind('\n').map_or(0, |it| it + 1);
            let indent = &self.text[line..usize::from(start)];
            // Between braces there are no lines.
            let is_flow = file.keys().any(|it| {
                let start = it.value.range.start() + it.segment.offset;
                sections.contains(&it.name()) && self.text[usize::from(start)..].starts_with('{')
            });
            if is_flow || !indent.trim().is_empty() {
                return None;
            }
            return Some(Replacement::insert(
                TextSize::new(line as u32),
                lines(indent),
            ));
        }
        if file.keys().any(|it| sections.contains(&it.name())) {
            return None;
        }
        let resources = file.keys().find(|it| it.name() == "resources")?;
        let at = resources.key.range.start() + resources.segment.offset;
        Some(Replacement::insert(
            at,
            format!("{section}:\n{}", lines("  ")),
        ))
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    names.join(", ")
}

/// The scalar around an offset, with the last key on the way to it.
fn scalar_at<'a>(node: &'a Node, offset: TextSize, key: &'a str) -> Option<(&'a str, &'a Node)> {
    match &node.kind {
        NodeKind::Scalar(_) => node.range.contains_inclusive(offset).then_some((key, node)),
        NodeKind::Sequence(elements) => elements.iter().find_map(|it| scalar_at(it, offset, key)),
        NodeKind::Mapping(entries) => entries.iter().find_map(|entry: &MappingEntry| {
            let key = entry.key.text()?;
            scalar_at(&entry.value, offset, key)
        }),
        NodeKind::Alias => None,
    }
}

fn step_of<'a>(folder: &'a ProgramFolder, resource: &Declared<ResourceDecl>) -> Option<&'a Step> {
    let place = resource.place();
    let mut steps = folder.plan.steps.iter().map(|it| &**it);
    steps.find(|it| it.declared.as_ref() == Some(&place))
}

/// Resources that are deleted, and that this new one may be under another name or parent.
fn aliases(folder: &ProgramFolder, resource: &Declared<ResourceDecl>, step: &Step) -> Vec<Action> {
    /// More are no help.
    const OFFERED: usize = 3;
    let Some(new) = step.new.as_ref().filter(|_| step.op == Op::Create) else {
        return Vec::new();
    };
    let steps = folder.plan.steps.iter();
    let deleted = steps.filter_map(|it| it.old.as_ref().filter(|_| it.op == Op::Delete));
    let mut deleted: Vec<_> = deleted
        .filter(|old| old.urn.type_name() == step.urn.type_name())
        .map(|old| {
            let inputs = old.inputs.iter();
            let same = inputs.filter(|(key, value)| new.inputs.get(*key) == Some(value));
            (old.urn.name() == step.urn.name(), same.count(), old)
        })
        .collect();
    deleted.sort_by_key(|(is_named, same, _)| std::cmp::Reverse((*is_named, *same)));
    let is_only = deleted.len() == 1;
    let offered = deleted.into_iter().take(OFFERED);
    let actions = offered.filter_map(|(is_named, same, old)| {
        // A URN has the types of the parents, and not their names.
        let is_same_parent = old.urn.qualified_type() == step.urn.qualified_type();
        let line = match (is_named, is_same_parent) {
            (false, true) => format!("name: {}", old.urn.name()),
            (true, false) if old.urn.qualified_type() == old.urn.type_name() => {
                "noParent: true".to_owned()
            }
            _ => old.urn.to_string(),
        };
        let title = match is_named {
            true => format!(
                "Keep {}, which had another parent, by an alias",
                old.urn.name()
            ),
            false => format!("Keep {} under its new name, by an alias", old.urn.name()),
        };
        let proven = Proven::Alias {
            resource: resource.name.clone(),
            line,
        };
        Some(Action {
            title,
            kind: ActionKind::QuickFix,
            fixes: Vec::new(),
            is_preferred: is_only && (is_named || same > 0),
            is_safe: false,
            effect: Effect::Refactoring(OfferedRefactoring(serde_json::to_value(proven).ok()?)),
        })
    });
    actions.collect()
}
