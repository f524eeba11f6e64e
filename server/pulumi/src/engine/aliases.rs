//! Under which URN the state knows a resource.

use std::collections::HashSet;

use super::Run;
use super::goal::{Alias, Goal};
use crate::ask::Plugins;
use crate::state::OldResource;
use crate::urn::{STACK_TYPE, StackName, Urn};

impl<P: Plugins> Run<'_, P> {
    /// The URNs that a resource may have had, in the order in which they are tried.
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
        let aliases: Vec<Alias> = goal.aliases.iter().cloned().chain(of_types).collect();
        for alias in &aliases {
            self.expand(urn, goal, alias).into_iter().for_each(&mut add);
        }
        // Where the parent had another name, it had that as a child of it.
        for parent in self.aliases.get(&goal.parent).into_iter().flatten() {
            let name = with_parent_prefix(urn.name(), goal.parent.name(), parent.name());
            add(self.inputs.stack.urn(Some(parent), urn.type_name(), &name));
            let other = Goal {
                parent: parent.clone(),
                ..goal.clone()
            };
            for alias in &aliases {
                self.expand(urn, &other, alias)
                    .into_iter()
                    .for_each(&mut add);
            }
        }
        found
    }

    fn expand(&self, urn: &Urn, goal: &Goal, alias: &Alias) -> Vec<Urn> {
        match alias {
            Alias::Urn(urn) => vec![urn.clone()],
            Alias::Parts {
                name,
                type_name,
                parent,
                has_no_parent,
                stack,
                project,
            } => {
                let own = &self.inputs.stack;
                let names = StackName {
                    stack: stack.clone().unwrap_or_else(|| own.stack.clone()),
                    project: project.clone().unwrap_or_else(|| own.project.clone()),
                };
                let parent = match (has_no_parent, parent) {
                    (true, _) => None,
                    (false, Some(parent)) => Some(parent),
                    (false, None) => Some(&goal.parent),
                };
                let parent = parent.filter(|it| it.type_name() != STACK_TYPE);
                let name = name.as_deref().unwrap_or(urn.name());
                let type_name = type_name.as_deref().unwrap_or(urn.type_name());
                vec![names.urn(parent, type_name, name)]
            }
        }
    }

    /// The object of a resource in the state: by its URN, or else by the first alias that exists.
    pub(super) fn find_old(&self, urn: &Urn, aliases: &[Urn]) -> Option<&OldResource> {
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
