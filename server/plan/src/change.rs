//! The planned change of one resource instance or output, and its reason.

use std::sync::Arc;

use change::ChangeKind;
use config::{ProviderAddr, ResourceInstanceAddr};
use cty::{Path, Value};
use provider::ImportTarget;
use schema::Schema;
use smol_str::SmolStr;

/// The kind of a change. Names follow Terraform's `plans.Action`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    NoOp,
    Create,
    Read,
    Update,
    DeleteThenCreate,
    CreateThenDelete,
    Delete,
    Forget,
    /// OpenTofu's: a replacement that leaves the old object alone.
    ForgetThenCreate,
}

impl Action {
    /// Whether the object is replaced by another one.
    pub fn is_replace(self) -> bool {
        ChangeKind::from(self).is_replace()
    }

    /// As `terraform plan` marks it in front of a block.
    pub fn symbol(self) -> &'static str {
        ChangeKind::from(self).symbol()
    }

    /// The `actions` of the JSON plan.
    pub fn json_names(self) -> &'static [&'static str] {
        ChangeKind::from(self).steps()
    }
}

impl From<Action> for ChangeKind {
    fn from(action: Action) -> ChangeKind {
        match action {
            Action::NoOp => ChangeKind::NoOp,
            Action::Create => ChangeKind::Create,
            Action::Read => ChangeKind::Read,
            Action::Update => ChangeKind::Update,
            Action::DeleteThenCreate => ChangeKind::DeleteThenCreate,
            Action::CreateThenDelete => ChangeKind::CreateThenDelete,
            Action::Delete => ChangeKind::Delete,
            Action::Forget => ChangeKind::Forget,
            Action::ForgetThenCreate => ChangeKind::ForgetThenCreate,
        }
    }
}

/// Why that action, where the configuration alone doesn't tell. Names follow the JSON plan's `action_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActionReason {
    ReplaceBecauseCannotUpdate,
    ReplaceBecauseTainted,
    ReplaceByRequest,
    ReplaceByTriggers,
    ReadBecauseConfigUnknown,
    ReadBecauseDependencyPending,
    ReadBecauseCheckNested,
    DeleteBecauseNoResourceConfig,
    DeleteBecauseNoModule,
    /// It was moved to an address that the configuration doesn't have.
    DeleteBecauseNoMoveTarget,
    DeleteBecauseWrongRepetition,
    DeleteBecauseCountIndex,
    DeleteBecauseEachKey,
    /// OpenTofu's `enabled` is false.
    DeleteBecauseEnabledFalse,
    /// OpenTofu's `destroy` is false, in the life cycle that the configuration has for it,
    ForgotBecauseLifecycleDestroyInConfig,
    /// or had when the state was written.
    ForgotBecauseLifecycleDestroyInState,
}

impl ActionReason {
    pub fn json_name(self) -> &'static str {
        match self {
            ActionReason::ReplaceBecauseCannotUpdate => "replace_because_cannot_update",
            ActionReason::ReplaceBecauseTainted => "replace_because_tainted",
            ActionReason::ReplaceByRequest => "replace_by_request",
            ActionReason::ReplaceByTriggers => "replace_by_triggers",
            ActionReason::ReadBecauseConfigUnknown => "read_because_config_unknown",
            ActionReason::ReadBecauseDependencyPending => "read_because_dependency_pending",
            ActionReason::ReadBecauseCheckNested => "read_because_check_nested",
            ActionReason::DeleteBecauseNoResourceConfig => "delete_because_no_resource_config",
            ActionReason::DeleteBecauseNoModule => "delete_because_no_module",
            ActionReason::DeleteBecauseNoMoveTarget => "delete_because_no_move_target",
            ActionReason::DeleteBecauseWrongRepetition => "delete_because_wrong_repetition",
            ActionReason::DeleteBecauseCountIndex => "delete_because_count_index",
            ActionReason::DeleteBecauseEachKey => "delete_because_each_key",
            ActionReason::DeleteBecauseEnabledFalse => "delete_because_enabled_false",
            ActionReason::ForgotBecauseLifecycleDestroyInConfig => {
                "forgot_because_lifecycle_destroy_in_config"
            }
            ActionReason::ForgotBecauseLifecycleDestroyInState => {
                "forgot_because_lifecycle_destroy_in_state"
            }
        }
    }
}

/// The planned change of one object of a resource instance.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceInstanceChange {
    pub addr: ResourceInstanceAddr,
    /// Where the state has the object, if that is not `addr`.
    pub previous_addr: Option<Arc<ResourceInstanceAddr>>,
    /// The key of a deposed object; `None` for the current one.
    pub deposed: Option<SmolStr>,
    pub provider: ProviderAddr,
    pub schema: Arc<Schema>,
    pub action: Action,
    pub reason: Option<ActionReason>,
    /// Null for a creation. Carries marks.
    pub before: Value,
    /// Null for a deletion. Carries marks; unknown where only the apply will tell.
    pub after: Value,
    /// Attributes whose change forces the replacement.
    pub replace_paths: Vec<Path>,
    /// The id or identity that the object is imported by, if it is.
    pub importing: Option<Arc<ImportTarget>>,
    /// How the provider tells the object from others, where it does.
    pub identity: Option<Arc<Identities>>,
    /// The `resource` block that was generated for it, where it has none.
    pub generated_config: Option<Arc<str>>,
}

/// The identity of an object before and after a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Identities {
    pub schema_version: i64,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

impl ResourceInstanceChange {
    /// The id that the object is imported by, if it has one.
    pub fn import_id(&self) -> Option<&str> {
        match self.importing.as_deref()? {
            ImportTarget::Id(id) => Some(id),
            ImportTarget::Identity(_) => None,
        }
    }

    /// The places whose change forces the replacement: none where the object is replaced for another reason, or not at all.
    pub fn forcing_paths(&self) -> &[Path] {
        match self.action.is_replace() {
            true => &self.replace_paths,
            false => &[],
        }
    }

    /// Whether a change of the value at `path`, of a part of it or of a value around it, forces the replacement.
    pub fn is_forced_by(&self, path: &Path) -> bool {
        let mut forcing = self.forcing_paths().iter();
        forcing.any(|forcing| forcing.starts_with(path) || path.starts_with(forcing))
    }

    /// `before` and `after` as they may be shown: a value that is sensitive on one side is so on the other.
    pub fn shown(&self) -> (Value, Value) {
        let (_, before_marks) = self.before.unmark_deep_with_paths();
        let (_, after_marks) = self.after.unmark_deep_with_paths();
        let before = self.before.mark_with_paths(&after_marks);
        let after = self.after.mark_with_paths(&before_marks);
        (before, after)
    }

    /// `before` or `after`, with the sensitive attributes of the schema marked, too.
    pub fn with_schema_marks(&self, value: &Value) -> Value {
        self.schema.block.mark_sensitive(value, [])
    }
}

/// The planned change of an output value of the root module.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputChange {
    pub name: SmolStr,
    pub action: Action,
    /// Null where the state has no such output. Without marks: see `is_sensitive`.
    pub before: Value,
    pub after: Value,
    pub is_sensitive: bool,
}
