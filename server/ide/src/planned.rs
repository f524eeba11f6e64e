//! A plan as facts about the text: each at its place.
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
pub(crate) mod lenses;
mod object;
pub(crate) mod value_text;

use std::sync::Arc;

use config::{Module, Reference, Resource, ResourceMode};
use cty::KNOWN_AFTER_APPLY;
use plan::{Plan, ResourceResult};
use text::{Diagnostic, FileId, Severity, Span, TextRange, TextSize};

use crate::objects::{FactsBuilder, Texts};
use crate::{Facts, Policy, Settings};
pub use assertions::facts_of_runs;
pub use cache::FactsCache;
pub use instances::{CalledFacts, InstanceFacts, facts_of_called, merged};
use object::has_errors;

/// The value of a variable without one, and of its dependents.
const NO_VALUE: &str = "(no value)";

/// The value of dependents of a data source that only a refresh reads, and the same where the settings let nothing read it.
const UNREAD: &str = "(not read before a refresh)";
const NEVER_READ: &str = "(not read)";

/// The inputs of facts.
pub struct Planned<'a> {
    pub plan: &'a Plan,
    pub module: &'a Module,
    pub settings: &'a Settings,
}

/// Everything that a plan has to say in the files of its module. Use one `cache` per module.
pub fn facts(planned: &Planned<'_>, cache: &mut FactsCache) -> Facts {
    let mut facts = cache.of_resources(planned).clone();
    let mut of_module = FactsBuilder::default();
    diagnostics::add_of_module(planned, &mut of_module);
    diagnostics::add_removed_blocks(planned, &mut cache.stood, &mut of_module);
    hints::add_values_of_module(planned, &mut of_module);
    lenses::add_of_module(planned, &mut of_module);
    hovers::add_of_module(planned, &mut of_module);
    for (file, segments) in of_module.0 {
        facts.entry(file).or_default().add(segments);
    }
    facts
}

fn resource_facts(planned: &Planned<'_>, resource: &ResourceResult) -> FactsBuilder {
    let mut facts = FactsBuilder::default();
    let object = object::object(planned, resource);
    diagnostics::add_resource(planned, resource, &object, &mut facts);
    if let Some(written) = planned.declared(resource) {
        // The narrowest hovers come first.
        hovers::add_references(planned, &written.decl, &mut facts);
    }
    if let Some(config) = &resource.config {
        hints::add_resource(planned, resource, &object, config, &mut facts);
        lenses::add_resource(&object, &mut facts);
        hovers::add_resource(planned, resource, config, &mut facts);
    }
    facts
}

/// Whether a resource's facts depend on its result alone. The values that it refers to are part of that: when one of
/// them changes, there is another result.
fn is_self_contained(planned: &Planned<'_>, resource: &ResourceResult) -> bool {
    let written = planned.declared(resource);
    let is_of_now = match (written, &resource.config) {
        (Some(written), Some(config)) => Arc::ptr_eq(written, config),
        _ => false,
    };
    // Others are described with a schema that no result of theirs depends on.
    let is_managed = resource.addr.resource.mode == ResourceMode::Managed;
    is_of_now
        && is_managed
        && !written.is_some_and(|it| planned.has_errors(&it.decl.full_span))
        && resource
            .diagnostics
            .iter()
            .all(|diagnostic| diagnostic.subject.is_some())
}

/// Whether `inner` is in `outer`.
fn is_within(outer: &Span, inner: &Span) -> bool {
    outer.segment == inner.segment
        && outer.range.contains_range(inner.range)
        && outer.file == inner.file
}

/// Whether the schema masks the attribute or parts of it, which values of the configuration don't show.
fn may_mask(schema: &schema::Attribute) -> bool {
    let inside = schema.nested_type.as_ref();
    let mut inside = inside.into_iter().flat_map(|it| it.attributes.values());
    schema.sensitive || schema.write_only || inside.any(may_mask)
}

impl Texts for Planned<'_> {
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

impl Planned<'_> {
    /// The declaration of a resource of this module as it now reads.
    fn declared(&self, resource: &ResourceResult) -> Option<&Arc<Resource>> {
        let addr = &resource.addr;
        let declared = addr.module.is_root().then_some(&self.module.resources)?;
        declared.get(&addr.resource)
    }

    /// The text for something unknown at `span`.
    fn unknown(&self, span: &Span, references: &[Reference]) -> &'static str {
        let references = references.iter().filter(|it| is_within(span, &it.span));
        let mut known_sooner = references.filter_map(|it| self.known_sooner(it));
        known_sooner.next().unwrap_or(KNOWN_AFTER_APPLY)
    }

    /// The text for a reference without a value, if it gets one sooner than by an apply.
    fn known_sooner(&self, reference: &Reference) -> Option<&'static str> {
        if self.plan.is_without_value(reference) {
            return Some(NO_VALUE);
        }
        let is_unread = self.plan.is_unread(reference) || self.is_stale(reference);
        let unread = match self.settings.data_sources {
            Policy::Off => NEVER_READ,
            Policy::OnCommand | Policy::OnSave => UNREAD,
        };
        is_unread.then_some(unread)
    }

    /// Whether the state lacks this part of an object that a refresh would read.
    fn is_stale(&self, reference: &Reference) -> bool {
        self.plan.is_standing_in(reference)
            && hovers::referenced(self, &reference.subject).is_some_and(|value| {
                let mut steps = reference.remaining.iter();
                let applied = steps.try_fold(value, |value, step| match value.is_marked() {
                    true => Some(value),
                    false => hovers::path_step(step)?.apply(&value).ok(),
                });
                applied.is_none()
            })
    }

    /// Whether the value at `span` may be unknown only because it, or a reference in it, has errors.
    fn is_in_doubt(&self, span: &Span, references: &[Reference]) -> bool {
        let mut references = references.iter().filter(|it| is_within(span, &it.span));
        references.any(|reference| self.plan.is_in_doubt(reference)) || self.has_errors(span)
    }

    /// Whether an error was found there that belongs to no resource's result.
    fn has_errors(&self, span: &Span) -> bool {
        let is_error = |it: &Diagnostic| {
            let subject = it.subject.as_ref();
            it.severity == Severity::Error && subject.is_some_and(|it| is_within(span, it))
        };
        self.plan.diagnostics.iter().any(is_error)
    }

    /// Where something without a place is shown: the first line of the module's main file.
    fn module_start(&self) -> Option<Span> {
        let files = &self.module.files;
        let main = files.iter().find(|(file, _)| file.name() == "main.tf");
        let with_text = |(_, syntax): &(&FileId, &syntax::File)| !syntax.is_empty();
        let (file, syntax) = main
            .filter(with_text)
            .or_else(|| files.iter().find(with_text))?;
        let segment = syntax.segments().next()?;
        let text = &segment.parsed.text;
        let blank = text.len() - text.trim_start().len();
        let line = text.trim_start().split('\n').next().unwrap_or_default();
        let start = TextSize::try_from(blank).ok()?;
        Some(Span {
            file: file.clone(),
            segment: segment.id,
            range: TextRange::at(start, TextSize::of(line.trim_end())),
        })
    }
}
