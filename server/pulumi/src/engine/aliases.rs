//! Under which URN the state knows a resource.

use std::collections::HashSet;

use super::Run;
use super::goal::{Alias, Goal};
use crate::ask::Plugins;
use crate::state::OldResource;
use crate::urn::{STACK_TYPE, StackName, Urn};

impl<'a, P: Plugins> Run<'a, P> {
    /// The URNs that a resource may have had, in the order in which they are tried.
    ///
    /// Source: `generateAliases` in `step_generator.go` of Pulumi's engine.
    pub(super) fn alias_urns(&self, urn: &Urn, goal: &Goal, types: &[String]) -> Vec<Urn> {
        let mut found: Vec<Urn> = Vec::new();
        let mut known = HashSet::from([urn.clone()]);
        let mut add = |alias: Urn| {
            if known.insert(alias.clone()) {
                found.push(alias);
            }
        };
        let of_types = types.iter().map(|type_name| Alias::Parts {
            name: None,
            type_name: Some(type_name.clone()),
            parent: None,
            has_no_parent: false,
            stack: None,
            project: None,
        });
        let aliases = goal.aliases.iter().cloned().chain(of_types);
        let own: Vec<Urn> = aliases.map(|it| self.former_urn(urn, goal, &it)).collect();
        own.iter().cloned().for_each(&mut add);
        // Where the parent had another name, it had that as a child of it.
        if let Some(parent) = self.aliases.get(&goal.parent) {
            for child in std::iter::once(urn).chain(&own) {
                let name = with_parent_prefix(child.name(), goal.parent.name(), parent.name());
                let stack = &self.inputs.stack;
                add(stack.urn(Some(parent), child.type_name(), &name));
            }
        }
        found
    }

    fn former_urn(&self, urn: &Urn, goal: &Goal, alias: &Alias) -> Urn {
        match alias {
            Alias::Urn(urn) => urn.clone(),
            Alias::Parts {
                name,
                type_name,
                parent,
                has_no_parent,
                stack,
                project,
            } => {
                let parent = match (has_no_parent, parent) {
                    (true, _) => None,
                    (false, Some(parent)) => Some(self.aliases.get(parent).unwrap_or(parent)),
                    (false, None) => Some(&goal.parent),
                };
                let parent = parent.filter(|it| it.type_name() != STACK_TYPE);
                let name = name.as_deref().unwrap_or(urn.name());
                let type_name = type_name.as_deref().unwrap_or(urn.type_name());
                let own = &self.inputs.stack;
                match parent {
                    // Its stack and project are those of the parent.
                    Some(parent) => parent.child(type_name, name),
                    None => {
                        let names = StackName {
                            stack: stack.clone().unwrap_or_else(|| own.stack.clone()),
                            project: project.clone().unwrap_or_else(|| own.project.clone()),
                        };
                        names.urn(None, type_name, name)
                    }
                }
            }
        }
    }

    /// The parents that have a say in the aliases of a resource, with their URNs in the state.
    pub(super) fn alias_parents(&self, goal: &Goal) -> Vec<(Urn, Option<Urn>)> {
        let named = goal.aliases.iter().filter_map(|alias| match alias {
            Alias::Parts { parent, .. } => parent.as_ref(),
            Alias::Urn(_) => None,
        });
        let parents = std::iter::once(&goal.parent).chain(named);
        let parents = parents.map(|it| (it.clone(), self.aliases.get(it).cloned()));
        parents.collect()
    }

    /// The object of a resource in the state: by its URN, or else by the first alias that exists.
    pub(super) fn find_old(&self, urn: &Urn, aliases: &[Urn]) -> Option<&'a OldResource> {
        let urns = std::iter::once(urn).chain(aliases);
        let index = urns.into_iter().find_map(|urn| self.olds.get(urn))?;
        self.inputs.state.resources.get(*index)
    }
}

/// Children are often named after their parent.
fn with_parent_prefix(name: &str, parent: &str, before: &str) -> String {
    match name.strip_prefix(parent) {
        Some(rest) => format!("{before}{rest}"),
        None => name.to_owned(),
    }
}
