//! Objects that exist already and that the stack takes over: the option `import`.

use std::collections::BTreeSet;

use text::Problem;

use super::Run;
use super::read::ReadFailure;
use super::register::{Registration, marked};
use crate::ask::{Plugins, ReadPermission};
use crate::caveat::Caveat;
use crate::plan::NewResource;
use crate::state::OldResource;
use crate::step::{Decision, Op};

impl<P: Plugins> Run<'_, P> {
    /// Plans a resource that is an object that exists already.
    pub(super) async fn take_over(&mut self, mut registration: Registration<'_>, id: &str) {
        let declared = registration.declared;
        let Some(world) = self.inputs.options.world else {
            let caveat = Caveat::Import(declared.name.clone());
            return self.unplanned(declared, &registration.urn, caveat);
        };
        if self.import(&mut registration, id, world).await {
            self.register(registration).await;
        }
    }

    /// Takes an object over, in the place of one that the state has. From here on the state counts as having it. Answers whether
    /// that succeeded.
    ///
    /// Source: `ImportStep` in `step.go` of Pulumi's engine.
    async fn import(
        &mut self,
        registration: &mut Registration<'_>,
        id: &str,
        world: ReadPermission,
    ) -> bool {
        let declared = registration.declared;
        let urn = registration.urn.clone();
        let found = self.object(registration, id, None, world).await;
        let found = found.and_then(|found| match found.inputs.clone() {
            Some(inputs) => Ok((found, inputs)),
            None => Err(ReadFailure::Error(format!(
                "provider does not support importing resources; please try updating the '{}' plugin",
                urn.type_name().split(':').next().unwrap_or_default()
            ))),
        });
        let (found, inputs) = match found {
            Ok(found) => found,
            Err(ReadFailure::Caveat(caveat)) => {
                self.unplanned(declared, &urn, caveat);
                return false;
            }
            Err(ReadFailure::Error(why)) => {
                let at = Some(declared.place());
                let problem = Problem::error("read", format!("Preview failed: {why}"), "", at);
                self.report(Some(&urn), problem);
                self.outcome.is_stopped = true;
                self.failed(declared);
                return false;
            }
        };
        let secrets = &registration.added.secret_outputs;
        let outputs = marked(found.outputs, secrets);
        let provider = self.providers.get(&registration.provider);
        let goal = &registration.goal;
        let mut new = NewResource {
            is_custom: true,
            inputs: registration.registered.clone(),
            parent: Some(goal.parent.clone()),
            provider: provider.map(|it| it.reference.clone()).unwrap_or_default(),
            dependencies: goal.dependencies.clone(),
            property_dependencies: goal.property_dependencies.clone(),
            additional_secret_outputs: secrets.clone(),
            is_protected: goal.is_protected,
            is_retained_on_delete: goal.is_retained_on_delete,
            deleted_with: goal.deleted_with.clone(),
            replace_with: goal.replace_with.clone(),
            hide_diffs: declared.decl.options.hide_diffs.clone(),
            custom_timeouts: goal.custom_timeouts.clone(),
            import_id: Some(id.to_owned()),
            ..NewResource::default()
        };
        let imported = OldResource {
            is_custom: true,
            id: found.id.clone(),
            inputs: inputs.clone(),
            outputs: outputs.clone(),
            parent: new.parent.clone(),
            provider: new.provider.clone(),
            is_protected: goal.is_protected,
            hide_diffs: new.hide_diffs.clone(),
            import_id: new.import_id.clone(),
            ..OldResource::new(urn.clone())
        };
        let before = registration.old.replace(imported);
        registration.ignore_changes();
        let (op, old) = match before {
            // The engine does not count it among the replaced ones, which `replaceWith` follows.
            Some(before) => {
                new.id = Some(found.id);
                new.inputs = inputs;
                new.outputs = Some(outputs);
                let deletes_first = false;
                (Op::Replace { deletes_first }, Some(before))
            }
            None => (Op::Import, registration.old.clone()),
        };
        let place = Some(declared.place());
        let decision = Decision::plain(op);
        self.push(&urn, old, Some(new), decision, BTreeSet::new(), place);
        true
    }
}
