//! What a plan has to say in the files of called modules: of all their instances together.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::ModuleTree;
use plan::Plan;

use super::{Facts, FactsBuilder, FactsCache, Planned, facts};
use crate::{CodeLens, Hover, InlayHint, SegmentFacts, Settings};

/// Everything that a plan has to say in the files of the modules that its root calls.
pub fn facts_of_called(plan: &Plan, tree: &ModuleTree, settings: &Settings) -> Facts {
    let mut by_dir: BTreeMap<&str, Vec<Facts>> = BTreeMap::new();
    for (addr, module) in tree.iter().filter(|(addr, _)| !addr.is_root()) {
        for instance in plan.instances_of(addr) {
            let planned = Planned {
                plan: &plan.within(instance),
                module: &module.module,
                settings,
            };
            let found = facts(&planned, &mut FactsCache::default());
            by_dir.entry(&module.dir).or_default().push(found);
        }
    }
    let mut all = FactsBuilder::default();
    for instances in by_dir.into_values() {
        all.extend(&merged(&instances));
    }
    all.0
}

/// What all instances say is said once; what only some of them say, with how many.
fn merged(instances: &[Facts]) -> Facts {
    let mut all: Facts = Facts::new();
    for facts in instances {
        for (file, segments) in facts {
            let known = all.entry(file.clone()).or_default();
            for segment in segments.keys() {
                known.entry(*segment).or_default();
            }
        }
    }
    for (file, segments) in &mut all {
        for (segment, merged) in segments {
            let of_instance = |facts: &Facts| facts.get(file)?.get(segment).cloned();
            let of_instances: Vec<Arc<SegmentFacts>> =
                instances.iter().filter_map(of_instance).collect();
            let total = instances.len();
            let mut facts = SegmentFacts::default();
            for (diagnostic, _) in counted(&of_instances, |it| &it.diagnostics) {
                facts.diagnostics.push(diagnostic);
            }
            for (hint, count) in counted(&of_instances, |it| &it.inlay_hints) {
                let label = of(hint.label(), count, total);
                facts.inlay_hints.push(InlayHint::new(
                    hint.offset,
                    label,
                    hint.kind,
                    hint.tooltip.clone(),
                ));
            }
            for (lens, count) in counted(&of_instances, |it| &it.code_lenses) {
                let title = of(&lens.title, count, total);
                facts.code_lenses.push(CodeLens { title, ..lens });
            }
            for (hover, count) in counted(&of_instances, |it| &it.hovers) {
                facts.hovers.push(Hover {
                    markdown: of(&hover.markdown, count, total),
                    plaintext: of(&hover.plaintext, count, total),
                    ..hover
                });
            }
            *merged = Arc::new(facts);
        }
    }
    all
}

/// Each of what the instances say, with the number of those that say it.
fn counted<T: Clone + PartialEq>(
    instances: &[Arc<SegmentFacts>],
    items: impl Fn(&SegmentFacts) -> &Vec<T>,
) -> Vec<(T, usize)> {
    let mut counted: Vec<(T, usize)> = Vec::new();
    for item in instances.iter().flat_map(|facts| items(facts)) {
        match counted.iter_mut().find(|(known, _)| known == item) {
            Some((_, count)) => *count += 1,
            None => counted.push((item.clone(), 1)),
        }
    }
    counted
}

fn of(text: &str, count: usize, total: usize) -> String {
    match count < total {
        true => format!("{text} · {count} of {total} module instances"),
        false => text.to_owned(),
    }
}
