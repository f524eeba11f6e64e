//! The plan of Terraform or OpenTofu as facts about the text: each at its place.
//!
//! Everything is kept per segment and relative to it, so that it can be shown as long as that text stands.

mod assertions;
mod cache;
mod calls;
mod cause;
mod diagnostics;
mod folder;
mod former_blocks;
mod hints;
mod hovers;
mod instances;
pub(crate) mod object;
pub(crate) mod value_text;

use std::sync::Arc;

use config::{Module, ModuleAddr, ModuleTree, Resource, ResourceMode};
use plan::{Plan, ResourceResult};
use text::{FileId, Span};

use crate::any_engine::{FactsBuilder, Texts, end, first_line, part};
use crate::code_lenses::{self, module_call};
use crate::{Facts, Settings};
pub use assertions::facts_of_runs;
use cache::Marked;
pub use cache::{FactsCache, PlanNumbers};
pub(crate) use hovers::HoverSource;
pub use instances::{CalledFacts, InstanceFacts, facts_of_called, merged};
use object::has_errors;

/// The inputs of facts.
pub struct FactInputs<'a> {
    pub plan: &'a Arc<Plan>,
    pub module: &'a Arc<Module>,
    pub settings: &'a Settings,
    /// The tree that the module is in, and its address there. Hovers need neither.
    pub tree: Option<(&'a ModuleTree, &'a ModuleAddr)>,
}

/// Everything that a plan has to say in the files of its module. Hovers are made when somebody hovers. Use one `cache` per
/// module.
pub fn facts(planned: &FactInputs<'_>, cache: &mut FactsCache) -> Facts {
    let mut facts = cache.of_resources(planned).clone();
    let mut of_module = FactsBuilder::default();
    let marked = cache
        .marked
        .update(planned.plan.resources.chunks(), Marked::of);
    cache.numbers = PlanNumbers::sum(planned.plan, marked.clone().map(|it| it.numbers));
    let unplanned = marked.clone().flat_map(|it| &it.unplanned);
    diagnostics::add_of_module(planned, unplanned, &mut of_module);
    let removed: Vec<_> = marked.clone().flat_map(|it| &it.removed).collect();
    let stood = &mut cache.stood;
    let removed = diagnostics::add_removed_blocks(planned, &removed, stood, &mut of_module);
    cache.removed = Arc::new(removed);
    cache.effects.update(marked.flat_map(|it| &it.changed));
    hints::add_values_of_module(planned, &cache.effects, &mut of_module);
    module_call::add_of_module(planned, &mut of_module);
    for (file, segments) in of_module.files {
        facts.entry(file).or_default().add(segments);
    }
    let hovers = Arc::new(HoverSource::of(planned));
    for file in planned.module.files.keys() {
        let facts = facts.entry(file.clone()).or_default();
        facts.hovers = vec![hovers.clone()];
    }
    facts
}

fn resource_facts(planned: &FactInputs<'_>, resource: &ResourceResult) -> FactsBuilder {
    let mut facts = FactsBuilder::default();
    let object = object::object(planned, resource);
    diagnostics::add_resource(planned, resource, &object, &mut facts);
    if let Some(config) = &resource.config {
        // A block that is planned is known as such, whether or not it has something to show.
        facts.at(&config.decl.span);
        hints::add_resource(planned, resource, &object, config, &mut facts);
        code_lenses::add(&object, &mut facts);
    }
    facts
}

/// Whether a resource's facts depend on its result alone. The values that it refers to are part of that: when one of
/// them changes, there is another result.
fn is_self_contained(planned: &FactInputs<'_>, resource: &ResourceResult) -> bool {
    let written = planned.declared(resource);
    let is_of_now = match (written, &resource.config) {
        (Some(written), Some(config)) => Arc::ptr_eq(written, config),
        _ => false,
    };
    // Others are described with a schema that no result of theirs depends on.
    let is_managed = resource.addr.resource.mode == ResourceMode::Managed;
    is_of_now
        && is_managed
        && !written.is_some_and(|it| planned.plan.has_errors_within(&it.decl.full_span))
        && resource
            .diagnostics
            .iter()
            .all(|diagnostic| diagnostic.subject.is_some())
}

/// Whether the schema masks the attribute or parts of it, which values of the configuration don't show.
fn may_mask(schema: &schema::Attribute) -> bool {
    let inside = schema.nested_type.as_ref();
    let mut inside = inside.into_iter().flat_map(|it| it.attributes.values());
    schema.sensitive || schema.write_only || inside.any(may_mask)
}

impl Texts for FactInputs<'_> {
    fn segment_text(&self, span: &Span) -> Option<&str> {
        let file = self.module.files.get(&span.file)?;
        let segment = file.segment(span.segment)?;
        Some(&segment.parsed.text)
    }

    fn has_syntax_errors(&self, span: &Span) -> bool {
        let file = self.module.files.get(&span.file);
        file.is_some_and(|file| file.is_broken(span.segment))
    }
}

impl FactInputs<'_> {
    /// The declaration of a resource of this module as it now reads.
    fn declared(&self, resource: &ResourceResult) -> Option<&Arc<Resource>> {
        let addr = &resource.addr;
        let declared = addr.module.is_root().then_some(&self.module.resources)?;
        declared.get(&addr.resource)
    }

    /// Where something without a place is shown: the first line of the module's main file.
    fn module_start(&self) -> Option<Span> {
        let (file, syntax) = self.main_file()?;
        let first = syntax.segments().next()?;
        let text = &*first.parsed.text;
        part(file, &(first.id, text), first_line(text)?)
    }

    /// The end of the module's main file.
    fn module_end(&self) -> Option<Span> {
        let (file, syntax) = self.main_file()?;
        let last = syntax.segment_count().checked_sub(1)?;
        let last = syntax.segments_from(last).next()?;
        end(file, &(last.id, &last.parsed.text))
    }

    /// `main.tf`, else the first file with text.
    fn main_file(&self) -> Option<(&FileId, &syntax::File)> {
        let files = &self.module.files;
        let main = files.iter().find(|(file, _)| file.name() == "main.tf");
        let with_text = |(_, syntax): &(&FileId, &syntax::File)| !syntax.is_empty();
        main.filter(with_text)
            .or_else(|| files.iter().find(with_text))
    }
}
