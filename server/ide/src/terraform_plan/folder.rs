//! A module of Terraform as a folder that is planned.

use plan::{Action, Cure, ResourceInstanceChange, ResourceResult};
use text::{Diagnostic, FileId, Span, TextRange};

use super::{cause, object};
use crate::{
    ChangeCounts, ChangeKind, Command, Folder, FolderChange, FolderGuess, ListedCaller,
    ModuleContext, OutsideChange, PlanNumbers, PlanOverview,
};

fn numbers(context: &ModuleContext) -> PlanNumbers {
    let known = context.counted;
    known.unwrap_or_else(|| PlanNumbers::of_plan(&context.plan))
}

impl Folder for ModuleContext {
    fn about(&self) -> PlanOverview {
        let PlanNumbers {
            guesses, errors, ..
        } = numbers(self);
        PlanOverview {
            is_root: self.is_root,
            guesses,
            // Each variable without a value has one.
            errors: errors.saturating_sub(self.unset.len()),
            read: self.read.clone(),
            what_if: self.what_if.clone(),
            environment: self.environment.clone(),
            workspace: self.workspace.clone(),
            caller: self.chosen_caller(),
            unset: self.unset.iter().map(ToString::to_string).collect(),
            is_state_unread: self.plan.is_state_unread,
        }
    }

    fn kinds(&self) -> Box<dyn Iterator<Item = ChangeKind> + '_> {
        Box::new(self.plan.changes().map(|change| change.action.into()))
    }

    fn counts(&self) -> ChangeCounts {
        numbers(self).counts
    }

    fn changes(&self) -> Vec<FolderChange> {
        self.some_changes(&|_| true)
    }

    fn some_changes(&self, is_wanted: &dyn Fn(usize) -> bool) -> Vec<FolderChange> {
        let budget = plan::OutputBudget::of_message();
        let is_shown = |change: &&ResourceInstanceChange| change.action != Action::NoOp;
        let resources = self.plan.resources.values();
        let changes = resources.flat_map(|resource| {
            let changes = resource.changes().filter(is_shown);
            changes.map(move |change| (resource, change))
        });
        let wanted = changes.enumerate().filter(|(it, _)| is_wanted(*it));
        let changes = wanted.map(|(_, (resource, change))| {
            let outlined = object::object_change(change);
            FolderChange {
                address: outlined.address,
                object: resource.addr.to_string(),
                kind: outlined.kind,
                reason: change.reason.map(|reason| reason.json_name()),
                diff: plan::render_change(change, self.plan.product, &budget),
                attributes: cause::attributes(resource, change),
                place: block_of(resource).or_else(|| self.removed.get(&resource.addr).cloned()),
                causes: object::causes_of(resource, change),
                why: outlined.why,
            }
        });
        changes.collect()
    }

    fn guesses(&self) -> Vec<FolderGuess> {
        let guesses = self.plan.resources.values().filter_map(|resource| {
            let caveat = resource.caveat.as_ref();
            let has_errors = super::has_errors(resource)
                || caveat.is_none() && object::has_early_errors(&self.plan, resource);
            let why = match has_errors {
                true => "it has errors".to_owned(),
                false => caveat?.beside_text(),
            };
            let cure = caveat.and_then(plan::Caveat::cure);
            Some(FolderGuess {
                address: resource.addr.to_string(),
                why,
                cure: cure.map(|cure| match cure {
                    Cure::Init => Command::RunInit,
                    Cure::Trust => Command::TrustWorkspace,
                    Cure::Refresh => Command::Replan,
                }),
                place: block_of(resource),
            })
        });
        guesses.collect()
    }

    fn caveats(&self) -> Vec<(String, String)> {
        let caveats = self.plan.caveats();
        caveats
            .map(|(addr, caveat)| (addr.to_string(), caveat.to_string()))
            .collect()
    }

    fn outside(&self) -> Vec<OutsideChange> {
        let resources = self.plan.resources.values();
        resources.flat_map(|it| object::outside(it)).collect()
    }

    fn document(&self) -> String {
        plan::render_document(&self.plan)
    }

    fn output_changes(&self) -> String {
        plan::render_outputs(&self.plan)
    }

    fn files(&self) -> Box<dyn Iterator<Item = &FileId> + '_> {
        Box::new(self.module.files.iter().map(|(file, _)| file))
    }

    fn unplaced(&self) -> Vec<Diagnostic> {
        if !self.module.files.values().all(|it| it.is_empty()) {
            return Vec::new();
        }
        let all = self.plan.all_diagnostics();
        let unplaced = all.filter(|it| it.subject.is_none());
        let diagnostics = unplaced.map(|it| Diagnostic {
            detail: self.module.profile.product.detail_of(it),
            ..it.clone()
        });
        diagnostics.collect()
    }

    fn resolve(&self, span: &Span) -> Option<TextRange> {
        self.module.files.get(&span.file)?.resolve(span)
    }

    fn callers(&self) -> &[ListedCaller] {
        &self.callers
    }
}

/// The whole block of a resource, unless only the state has it.
fn block_of(resource: &ResourceResult) -> Option<Span> {
    let config = resource.config.as_ref()?;
    Some(config.decl.full_span.clone())
}
