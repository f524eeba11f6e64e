//! The consequences of a resource that is deleted before it is replaced.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use text::Span;

use super::providers::configuration_difference;
use super::register::{Registration, RegistrationError};
use super::{Run, deletion};
use crate::ask::{Plugin, PluginError, Plugins};
use crate::builtin::{self, PackageHost};
use crate::path::Path;
use crate::program::package_of;
use crate::state::OldResource;
use crate::urn::Urn;
use crate::value::Value;

impl<P: Plugins> Run<'_, P> {
    /// Whether the resource depends, in the program, on one that is replaced or deleted first. The engine compares all others
    /// as usual.
    pub(super) fn waits_for_deleted(&self, registration: &Registration<'_>) -> bool {
        let Registration { goal, provider, .. } = registration;
        let mut waiting = vec![&goal.parent, provider];
        waiting.extend(goal.dependencies.iter().chain(&goal.replace_with));
        let mut seen = HashSet::new();
        while let Some(urn) = waiting.pop() {
            if self.replaced.contains(urn) || self.deleted_before.contains(urn) {
                return true;
            }
            if !seen.insert(urn) {
                continue;
            }
            let step = self.steps.get(urn).map(|index| &self.plan.steps[*index]);
            if let Some(new) = step.and_then(|it| it.new.as_ref()) {
                waiting.extend(new.dependencies.iter().chain(&new.parent));
            }
        }
        false
    }

    /// Marks the resources that are deleted with one that is deleted before it is replaced: its dependents in the state, if
    /// their provider would replace them with its values unknown. `urn` and `at` are those of the resource in the program.
    pub(super) async fn delete_dependents(
        &mut self,
        plugin: &PackageHost<P::Plugin>,
        urn: &Urn,
        root: &OldResource,
        at: Option<Span>,
    ) -> Result<(), RegistrationError> {
        let resources = &self.inputs.state.resources;
        let mut gone: BTreeSet<Urn> = BTreeSet::from([root.urn.clone()]);
        let mut deleted = Vec::new();
        // Dependencies come before their dependents.
        let mut waiting: BTreeSet<usize> = self.former.dependents(&root.urn).collect();
        while let Some(index) = waiting.pop_first() {
            let old = &resources[index];
            let provider = old.provider_urn();
            let is_gone = provider.is_some_and(|it| gone.contains(&it))
                || self.follows(plugin, root, old, &gone).await?;
            // Of a resource there may also be an object that an earlier update has replaced and not deleted.
            let is_new = is_gone && (gone.insert(old.urn.clone()) || old.is_to_delete);
            if is_new {
                deleted.push(old);
                let dependents = self.former.dependents(&old.urn);
                waiting.extend(dependents.filter(|it| *it > index));
            }
        }
        // Source: `findResourcesReplacedWith` in `step_generator.go` of Pulumi.
        let replaced_with = resources.iter();
        let replaced_with = replaced_with.filter(|it| it.replace_with.contains(urn));
        deleted.extend(replaced_with.filter(|it| gone.insert(it.urn.clone())));
        // The last one would be deleted first.
        let is_refused = |it: &&&OldResource| {
            it.is_protected && !it.is_to_delete && !self.deleted_before.contains(&it.urn)
        };
        if let Some(refused) = deleted.iter().rev().find(is_refused) {
            let (urn, root) = (&refused.urn, &root.urn);
            let message = format!(
                "unable to replace resource \"{urn}\" as part of replacing \"{root}\" as it is currently marked for protection. To unprotect the resource, remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the command:\n`pulumi state unprotect '{urn}'`"
            );
            self.error(Some(root), "protected-resource", message, at);
            return Err(RegistrationError::Failed);
        }
        let replaced_before = deleted.iter().rev().filter(|it| it.is_to_delete);
        let deletions = replaced_before.map(|old| Arc::new(deletion(old, None)));
        self.outcome.steps.extend(deletions);
        gone.remove(&root.urn);
        self.outcome.deleted_before.extend(gone);
        Ok(())
    }

    /// Whether a resource of the state is replaced if all values from the resources in `gone` are unknown.
    ///
    /// Source: `requiresReplacement` in `step_generator.go` of Pulumi.
    async fn follows(
        &mut self,
        plugin: &PackageHost<P::Plugin>,
        root: &OldResource,
        old: &OldResource,
        gone: &BTreeSet<Urn>,
    ) -> Result<bool, PluginError> {
        let depends = |urns: &Vec<Urn>| urns.iter().any(|urn| gone.contains(urn));
        let mut news = old.inputs.clone();
        let dependent = news.iter_mut().filter(|(name, _)| {
            let urns = old.property_dependencies.get(*name);
            urns.is_some_and(depends)
        });
        let dependent = dependent.map(|(_, value)| *value = Value::Unknown);
        if dependent.count() == 0 {
            return Ok(false);
        }
        let package = package_of(old.urn.type_name());
        let provider = old.provider_urn();
        let is_same = package == package_of(root.urn.type_name());
        let registered = provider.as_ref().and_then(|it| self.providers.get(it));
        let asked = match registered.map(|it| it.plugin.clone()) {
            Some(plugin) => plugin,
            None if package == builtin::PACKAGE => Some(Arc::new(PackageHost::Builtin)),
            None if is_same => None,
            None => match provider {
                Some(provider) => Some(self.former_provider(&provider).await?),
                None => None,
            },
        };
        let asked = match &asked {
            Some(asked) => asked,
            None if is_same => plugin,
            None => {
                let why = format!("no provider for {}", old.urn);
                return Err(PluginError::new(why));
            }
        };
        let diff = match old.urn.package_of_provider() {
            Some(_) => {
                let request = configuration_difference(&old.urn, old, &news);
                asked.diff_config(request, true).await?
            }
            None => {
                let ignored = &old.ignore_changes;
                self.diff(asked, &old.urn, old, &news, ignored).await?
            }
        };
        let paths = old.replace_on_changes.iter();
        let paths = paths.filter_map(|it| Path::parse(it).ok());
        Ok(diff.replacing_on(&paths.collect::<Vec<_>>()).is_replace())
    }
}
