//! Changes outside: objects that are no longer as the state has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Memo;
use super::register::marked;
use crate::ask::{Plugin, ReadPermission, ReadRequest};
use crate::builtin::PackageHost;
use crate::state::{OldResource, State};
use crate::urn::{PROVIDER_PREFIX, Urn};
use crate::value::{Object, Value};

/// A change of an object that its stack did not make.
#[derive(Clone, PartialEq, Debug)]
pub struct OutsideChange {
    /// The outputs in the state.
    pub before: Object,
    /// `None`: it no longer exists.
    pub after: Option<Object>,
}

/// A state, brought up to date.
#[derive(Clone, Debug, Default)]
pub struct Refreshed {
    pub state: Arc<State>,
    /// By the URNs of the state before.
    pub changes: BTreeMap<Urn, OutsideChange>,
    /// The resources that could not be read, and why.
    pub unread: Vec<(Urn, String)>,
}

impl<T: Plugin> Memo<T> {
    /// Reads the objects of a state with the plugins of the last plan.
    ///
    /// Source: `RefreshStep` in `step.go` of Pulumi's engine.
    pub async fn refreshed(&self, state: &State, world: ReadPermission) -> Refreshed {
        let mut found = Refreshed::default();
        let mut now = State {
            sealed: state.sealed.clone(),
            ..State::default()
        };
        for old in &state.resources {
            let plugin = self.plugin_of(old);
            let Some(plugin) = plugin.filter(|_| is_read(old)) else {
                now.resources.push(old.clone());
                continue;
            };
            match self.read_again(plugin, old, world).await {
                Ok(Some(read)) => {
                    if read.outputs != old.outputs {
                        let change = OutsideChange {
                            before: old.outputs.clone(),
                            after: Some(read.outputs.clone()),
                        };
                        found.changes.insert(old.urn.clone(), change);
                    }
                    now.resources.push(read);
                }
                Ok(None) => {
                    let change = OutsideChange {
                        before: old.outputs.clone(),
                        after: None,
                    };
                    found.changes.insert(old.urn.clone(), change);
                }
                Err(why) => {
                    found.unread.push((old.urn.clone(), why));
                    now.resources.push(old.clone());
                }
            }
        }
        found.state = Arc::new(now);
        found
    }

    fn plugin_of(&self, old: &OldResource) -> Option<&PackageHost<T>> {
        let kept = self.providers.get(&old.provider_urn()?)?;
        kept.provider.plugin.as_deref()
    }

    async fn read_again(
        &self,
        plugin: &PackageHost<T>,
        old: &OldResource,
        world: ReadPermission,
    ) -> Result<Option<OldResource>, String> {
        let request = ReadRequest {
            urn: old.urn.clone(),
            id: old.id.clone(),
            inputs: Some(old.inputs.clone()),
            state: Some(old.outputs.clone()),
        };
        let read = plugin.read(request, world).await;
        let read = read.map_err(|error| {
            let mut secrets = Vec::new();
            let values = old.inputs.values().chain(old.outputs.values());
            values.for_each(|it| it.secret_texts(&mut secrets));
            crate::value::masked(&error.why, secrets)
        })?;
        // An object without an id is gone.
        let read = read.filter(|read| !read.id.is_empty());
        Ok(read.map(|read| {
            let secret = |object: &Object| {
                let secret = object.iter().filter(|(_, value)| value.has_secret());
                secret.map(|(key, _)| key.clone()).collect::<Vec<_>>()
            };
            let outputs = marked(plain(read.outputs), &old.additional_secret_outputs);
            let inputs = read.inputs.map(plain);
            OldResource {
                id: read.id,
                inputs: inputs
                    .map_or_else(|| old.inputs.clone(), |it| marked(it, &secret(&old.inputs))),
                outputs: marked(outputs, &secret(&old.outputs)),
                ..old.clone()
            }
        }))
    }
}

/// Without what the engine leaves out of a state.
fn plain(object: Object) -> Object {
    let entries = object.into_iter();
    entries.filter(|(_, it)| *it != Value::Null).collect()
}

/// Whether a refresh reads its object. Resources of the engine itself have none.
fn is_read(old: &OldResource) -> bool {
    let is_own = old.is_custom && !old.is_external && !old.is_to_delete;
    let type_name = old.urn.type_name();
    is_own
        && !old.is_pending_replacement
        && !old.id.is_empty()
        && !type_name.starts_with(PROVIDER_PREFIX)
        && crate::program::package_of(type_name) != crate::builtin::PACKAGE
}
