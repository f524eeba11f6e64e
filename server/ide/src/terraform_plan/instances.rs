//! The facts of a plan in the files of called modules: of all their instances together.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

use config::ModuleTree;
use cty::budget;
use indexmap::IndexMap;
use plan::Plan;
use text::{FileId, SegmentId, TextRange, TextSize};

use super::{FactInputs, FactsCache, HoverSource, facts};
use crate::{
    CodeLens, Facts, FileFacts, HintKind, Hover, InlayHint, MAX_HINT_LABEL, Markdown, SegmentFacts,
    Settings,
};

/// The facts of one instance of a called module.
#[derive(Clone, Debug)]
pub struct InstanceFacts {
    /// Its address: `module.a["x"]`.
    pub instance: String,
    pub facts: Facts,
}

/// Roughly the steps to look through an instance, so that a newer text is seen soon.
const STEPS_OF_INSTANCE: usize = 1_000;

/// The instances of called modules, by the modules' folders.
pub type CalledFacts = BTreeMap<String, Vec<InstanceFacts>>;

/// Everything that a plan has to say in the files of the modules that its root calls, as far as the folder of a module
/// `is_shown`.
pub fn facts_of_called(
    plan: &Plan,
    tree: &ModuleTree,
    settings: &Settings,
    is_shown: impl Fn(&str) -> bool,
) -> CalledFacts {
    let mut by_dir = CalledFacts::new();
    let called = tree.iter().filter(|(addr, _)| !addr.is_root());
    let shown: Vec<_> = called.filter(|(_, it)| is_shown(&it.dir)).collect();
    if shown.is_empty() {
        return by_dir;
    }
    let instances = plan.instances_by_module();
    for (addr, module) in shown {
        for instance in instances.get(addr).into_iter().flatten() {
            budget::spend(STEPS_OF_INSTANCE);
            let planned = FactInputs {
                plan: &Arc::new(plan.within(instance)),
                module: &module.module,
                settings,
                tree: Some((tree, addr)),
            };
            let found = InstanceFacts {
                instance: instance.to_string(),
                facts: facts(&planned, &mut FactsCache::default()),
            };
            let of_dir = by_dir.entry(module.dir.to_string()).or_default();
            of_dir.push(found);
        }
    }
    by_dir
}

/// Facts that all instances of a module share, each by its name, are shown once; those of only some, with a count.
pub fn merged(instances: &[(String, &Facts)]) -> Facts {
    let mut all: BTreeMap<&FileId, BTreeMap<SegmentId, Arc<SegmentFacts>>> = BTreeMap::new();
    for (_, facts) in instances {
        for (file, segments) in *facts {
            let known = all.entry(file).or_default();
            known.extend(
                segments
                    .iter()
                    .map(|(segment, _)| (segment, Arc::default())),
            );
        }
    }
    for (file, segments) in &mut all {
        for (segment, merged) in segments {
            let of_instance = |(name, facts): &(String, &Facts)| {
                let facts = facts.get(*file)?.get(*segment)?;
                Some((name.clone(), facts.clone()))
            };
            let of_instances: Vec<(String, Arc<SegmentFacts>)> =
                instances.iter().filter_map(of_instance).collect();
            let total = instances.len();
            let mut facts = SegmentFacts::default();
            let diagnostics = counted(&of_instances, |it| &it.diagnostics, |it| it.subject.clone());
            facts.diagnostics = diagnostics.into_iter().map(|(it, _)| it).collect();
            facts.inlay_hints = merged_hints(&of_instances, total);
            for (lens, who) in counted(&of_instances, |it| &it.code_lenses, |it| it.range) {
                let title = of(&lens.title, who.len(), total);
                facts.code_lenses.push(CodeLens { title, ..lens });
            }
            *merged = Arc::new(facts);
        }
    }
    let merged = all.into_iter().map(|(file, segments)| {
        let mut facts: FileFacts = segments.into_iter().collect();
        let hovers = instances.iter().flat_map(|(name, of_instance)| {
            let hovers = of_instance.get(file).into_iter().flat_map(|it| &it.hovers);
            hovers.map(|it| (name.clone(), it.clone()))
        });
        facts.hovers = vec![Arc::new(HoverSource::OfInstances(hovers.collect()))];
        (file.clone(), facts)
    });
    merged.collect()
}

/// Facts of some instances, with their names.
type SharedFact<'a, T> = (T, Vec<&'a str>);

/// Each different fact of the instances.
fn counted<F, T: Clone + PartialEq, P: Hash + Eq>(
    instances: &[(String, F)],
    items: impl Fn(&F) -> &Vec<T>,
    place: impl Fn(&T) -> P,
) -> Vec<SharedFact<'_, T>> {
    let mut counted: Vec<SharedFact<'_, T>> = Vec::new();
    let mut by_place: HashMap<P, Vec<usize>> = HashMap::new();
    for (name, facts) in instances {
        for item in items(facts) {
            let at_place = by_place.entry(place(item)).or_default();
            match at_place.iter().find(|index| counted[**index].0 == *item) {
                Some(index) => counted[*index].1.push(name),
                None => {
                    at_place.push(counted.len());
                    counted.push((item.clone(), vec![name]));
                }
            }
        }
    }
    counted
}

/// One hint for each place: with the values that it has in the instances, or why some of them are replaced.
fn merged_hints(instances: &[(String, Arc<SegmentFacts>)], total: usize) -> Vec<InlayHint> {
    let mut places: BTreeMap<TextSize, Vec<SharedFact<'_, InlayHint>>> = BTreeMap::new();
    for (hint, who) in counted(instances, |it| &it.inlay_hints, |it| it.offset) {
        places.entry(hint.offset).or_default().push((hint, who));
    }
    let merge = |mut found: Vec<SharedFact<'_, InlayHint>>| {
        let forces =
            |(hint, _): &SharedFact<'_, InlayHint>| hint.kind == HintKind::ForcesReplacement;
        if found.iter().any(forces) {
            found.retain(forces);
        }
        let count = found.iter().map(|(_, who)| who.len()).sum();
        let (first, _) = found.first()?;
        let label = match &found[..] {
            [_] => first.label().to_string(),
            _ => {
                let texts: Vec<&str> = found.iter().map(|(hint, _)| hint.text()).collect();
                let lead = match first.kind {
                    HintKind::ForcesReplacement => first.lead().to_owned(),
                    _ => format!("{} values: ", texts.len()),
                };
                let room = MAX_HINT_LABEL.saturating_sub(lead.chars().count());
                lead + &first_few(&texts, room)
            }
        };
        let label = of(&label, count, total);
        Some(InlayHint::new(
            first.offset,
            label,
            first.kind,
            first.tooltip.clone(),
        ))
    };
    places.into_values().filter_map(merge).collect()
}

/// As many as there is room for, at least one.
fn first_few(texts: &[&str], room: usize) -> String {
    let mut few = String::new();
    for (nth, text) in texts.iter().enumerate() {
        let is_last = nth + 1 == texts.len();
        let more = if is_last { 0 } else { ", …".chars().count() };
        let len = few.chars().count() + ", ".len() + text.chars().count() + more;
        if nth > 0 && len > room {
            return few + ", …";
        }
        if nth > 0 {
            few.push_str(", ");
        }
        few.push_str(text);
    }
    few
}

/// How many characters of the differences between instances a hover lists, at least.
const LISTED: usize = 2_000;

/// One hover for each place: it lists the instances where they differ.
pub(super) fn merged_hovers(instances: &[(String, Vec<Hover>)]) -> Vec<Hover> {
    let total = instances.len();
    let mut places: IndexMap<TextRange, Vec<SharedFact<'_, Hover>>> = IndexMap::new();
    for (hover, who) in counted(instances, |it| it, |it| it.range) {
        places.entry(hover.range).or_default().push((hover, who));
    }
    let merge = |(range, found): (TextRange, Vec<SharedFact<'_, Hover>>)| {
        if let [(hover, who)] = found.as_slice() {
            let mut text = Markdown::default();
            if who.len() < total {
                text.push(Markdown::heading(of(&list(who), who.len(), total)));
            }
            text.push(hover.text.clone());
            return Hover { range, text };
        }
        let texts: Vec<&Markdown> = found.iter().map(|(hover, _)| &hover.text).collect();
        let (mut text, different, end) = Markdown::in_common(&texts);
        let mut listed = 0;
        for (nth, (different, (_, who))) in different.into_iter().zip(&found).enumerate() {
            if listed > LISTED {
                let more = found.len() - nth;
                text.push(Markdown::text(format!("{more} more differ")));
                break;
            }
            listed += different.len();
            text.push(Markdown::heading(of(&list(who), who.len(), total)));
            text.push(different);
        }
        text.push(end);
        Hover { range, text }
    };
    places.into_iter().map(merge).collect()
}

/// The first few names.
fn list(names: &[&str]) -> String {
    const NAMED: usize = 3;
    let named: Vec<&str> = names.iter().copied().take(NAMED).collect();
    let named = named.join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn of(text: &str, count: usize, total: usize) -> String {
    match count < total {
        true => format!("{text} · {count} of {total} module instances"),
        false => text.to_owned(),
    }
}
