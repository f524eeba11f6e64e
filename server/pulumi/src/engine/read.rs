//! Resources that exist already and that the stack does not own: `get`.

use std::collections::BTreeSet;

use disk::Stamp;
use text::Problem;

use super::Run;
use super::register::{Registration, marked};
use crate::ask::{Plugin, PluginError, Plugins, ReadObject, ReadPermission, ReadRequest};
use crate::caveat::Caveat;
use crate::evaluate::{Binding, NoAnswer, Registered};
use crate::plan::NewResource;
use crate::project::Stacks;
use crate::step::{Decision, Op};
use crate::urn::{STACK_REFERENCE, Urn};
use crate::value::{Object, Value, masked};

impl<P: Plugins> Run<'_, P> {
    pub(super) async fn read(&mut self, registration: Registration<'_>, world: ReadPermission) {
        let declared = registration.declared;
        let urn = registration.urn.clone();
        let Some(id_expr) = declared.decl.read_part("id") else {
            return self.failed(declared);
        };
        let Some(id) = self.evaluate(declared, id_expr).await else {
            return self.failed(declared);
        };
        let mut caveats: BTreeSet<Caveat> = id.caveats;
        let mut inputs = Object::new();
        if let Some(state) = declared.decl.read_part("state") {
            // Its problems are reported; the object is read nevertheless.
            let state = self.evaluate(declared, state).await.unwrap_or_default();
            caveats.extend(state.caveats);
            if let Value::Object(state) = state.value.revealed() {
                inputs.clone_from(state);
            }
        }
        let unread = Caveat::Read(declared.name.clone());
        let message = match id.value.revealed() {
            Value::Unknown => return self.unplanned(declared, &urn, unread),
            Value::String(id) if id.is_empty() => Some(format!("Expected an ID for {urn}")),
            Value::String(_) => None,
            other => {
                let (id, found) = (crate::functions::formatted(other), other.go_type());
                Some(format!("{id} must be a string, instead got type {found}"))
            }
        };
        if let Some(message) = message {
            let at = Some(declared.span(id_expr.at));
            self.report(Some(&urn), Problem::error("read", message, "", at));
            self.outcome.is_stopped = true;
            return self.failed(declared);
        }
        let id = id.value.revealed().as_str().unwrap_or_default();
        // An object that the stack owns gives way to another one.
        let owned = registration.old.as_ref().filter(|old| !old.is_external);
        let is_replaced = owned.is_some_and(|old| old.id != id);
        let found = self.object(&registration, id, Some(&inputs), world).await;
        let found = match found {
            Ok(found) => found,
            Err(ReadFailure::Caveat(caveat)) => return self.unplanned(declared, &urn, caveat),
            Err(ReadFailure::Error(message)) => {
                let at = Some(declared.place());
                self.report(Some(&urn), Problem::error("read", message, "", at));
                self.outcome.is_stopped = true;
                return self.failed(declared);
            }
        };
        self.take(registration, found, inputs, caveats, is_replaced);
    }

    /// A reference to another stack has its outputs.
    pub(super) fn refer(&mut self, registration: Registration<'_>, stacks: &Stacks) {
        let declared = registration.declared;
        let key = Value::from(declared.name.as_str());
        let mut inputs = registration.inputs.clone();
        let name = inputs.entry("name".to_owned()).or_insert(key).clone();
        let found = match &name {
            Value::String(name) => {
                let outputs = self.outputs_of_stack(name, stacks);
                outputs.map(|outputs| reference(name, outputs))
            }
            other => Err(format!(
                "'name' property must be a string, instead got type {}",
                other.go_type()
            )),
        };
        match found {
            Ok(found) => self.take(registration, found, inputs, BTreeSet::new(), false),
            Err(message) => {
                let at = Some(declared.place());
                let problem = Problem::error("read", message, "", at);
                self.report(Some(&registration.urn), problem);
                self.outcome.is_stopped = true;
                self.failed(declared);
            }
        }
    }

    /// A reference to another stack that a function makes: its URN and its outputs.
    pub(super) fn referred(&mut self, name: &str, provider: &Urn) -> Result<Value, NoAnswer> {
        let inputs = self.inputs;
        let not_read = || NoAnswer::NotCalled(Caveat::StackReference(name.to_owned()));
        let stacks = inputs.stacks.as_ref().ok_or_else(not_read)?;
        let outputs = self.outputs_of_stack(name, stacks);
        let outputs = outputs.map_err(NoAnswer::Failed)?;
        let found = reference(name, outputs.clone());
        let urn = inputs.stack.urn(None, STACK_REFERENCE, name);
        let provider = self.providers.get(provider);
        let new = NewResource {
            is_custom: true,
            is_external: true,
            id: Some(found.id),
            inputs: Object::from([("name".to_owned(), Value::from(name))]),
            outputs: Some(found.outputs),
            parent: Some(inputs.stack.root()),
            provider: provider.map(|it| it.reference.clone()).unwrap_or_default(),
            ..NewResource::default()
        };
        let old = self.find_old(&urn, &[]).cloned();
        let decision = Decision::plain(Op::Read);
        self.push(&urn, old, Some(new), decision, BTreeSet::new(), None);
        Ok(Value::Object(Object::from([
            ("urn".to_owned(), Value::from(urn.as_str())),
            ("outputs".to_owned(), Value::Object(outputs)),
        ])))
    }

    /// The outputs of a stack, which are read again when its file changes.
    fn outputs_of_stack(&mut self, name: &str, stacks: &Stacks) -> Result<Object, String> {
        let file = stacks.file(name)?;
        let stamp = Stamp::of(&file).ok();
        if let Some((known, outputs)) = self.memo.stacks.get(&file)
            && *known == stamp
        {
            return Ok(outputs.clone());
        }
        let outputs = stacks.outputs(&file)?;
        self.memo.stacks.insert(file, (stamp, outputs.clone()));
        Ok(outputs)
    }

    /// Takes an object that was read.
    fn take(
        &mut self,
        registration: Registration<'_>,
        found: ReadObject,
        inputs: Object,
        caveats: BTreeSet<Caveat>,
        is_replaced: bool,
    ) {
        let declared = registration.declared;
        let urn = registration.urn.clone();
        let outputs = marked(found.outputs, &registration.added.secret_outputs);
        let registered = Registered {
            name: urn.name().to_owned(),
            type_name: urn.type_name().to_owned(),
            id: Some(Value::String(found.id.clone())),
            outputs: outputs.clone(),
            properties: registration.properties,
            caveats: caveats.clone(),
            urn: urn.clone(),
        };
        let binding = Binding::Resource(Box::new(registered));
        self.outcome.bind(&declared.name, binding);
        let provider = self.providers.get(&registration.provider);
        let new = NewResource {
            is_custom: true,
            is_external: true,
            id: Some(found.id),
            inputs,
            outputs: Some(outputs),
            parent: Some(registration.goal.parent),
            provider: provider.map(|it| it.reference.clone()).unwrap_or_default(),
            additional_secret_outputs: registration.added.secret_outputs,
            ..NewResource::default()
        };
        let decision = match is_replaced {
            true => {
                self.outcome.replaced.push(urn.clone());
                Decision::plain(Op::Replace {
                    deletes_first: false,
                })
            }
            false => Decision::plain(Op::Read),
        };
        let place = declared.place();
        let old = registration.old;
        self.push(&urn, old, Some(new), decision, caveats, Some(place));
    }

    pub(super) async fn object(
        &self,
        registration: &Registration<'_>,
        id: &str,
        inputs: Option<&Object>,
        world: ReadPermission,
    ) -> Result<ReadObject, ReadFailure> {
        let plugin = self.plugin(registration).map_err(ReadFailure::Caveat)?;
        let request = ReadRequest {
            urn: registration.urn.clone(),
            id: id.to_owned(),
            inputs: inputs.cloned(),
            state: None,
        };
        match plugin.read(request, world).await {
            Ok(Some(mut found)) => {
                if found.id.is_empty() {
                    found.id = id.to_owned();
                }
                Ok(found)
            }
            Ok(None) => Err(ReadFailure::Error(format!(
                "resource '{id}' does not exist"
            ))),
            Err(PluginError { why, .. }) => {
                Err(ReadFailure::Error(masked(&why, self.reads.secret_texts())))
            }
        }
    }
}

fn reference(name: &str, outputs: Object) -> ReadObject {
    let secret = outputs.iter().filter(|(_, value)| value.has_secret());
    let secret = secret.map(|(key, _)| Value::from(key.as_str()));
    let all = [
        ("name", Value::from(name)),
        ("secretOutputNames", Value::Array(secret.collect())),
        ("outputs", Value::Object(outputs)),
    ];
    ReadObject {
        id: name.to_owned(),
        outputs: all
            .map(|(key, it)| (key.to_owned(), it))
            .into_iter()
            .collect(),
        inputs: None,
    }
}

/// Why an object is not read.
pub(super) enum ReadFailure {
    Caveat(Caveat),
    Error(String),
}
