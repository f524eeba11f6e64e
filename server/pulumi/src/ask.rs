//! Requests to a provider, and its answers.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use crate::path::Path;
use crate::urn::Urn;
use crate::value::Object;

/// Which plugin serves a package.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Package {
    pub name: String,
    pub version: Option<String>,
    /// The plugin that becomes this package, if it has none of its own.
    pub base: Option<Arc<BasePlugin>>,
}

/// A plugin that becomes a package by its parameter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BasePlugin {
    pub plugin: String,
    pub version: Option<String>,
    /// The parameter that it is given.
    pub parameter: Vec<u8>,
}

impl Package {
    /// A package with a plugin of its own.
    pub fn new(name: impl Into<String>, version: Option<String>) -> Package {
        Package {
            name: name.into(),
            version,
            base: None,
        }
    }

    /// The name and the version of the plugin.
    pub fn plugin(&self) -> (&str, Option<&str>) {
        match &self.base {
            Some(base) => (&base.plugin, base.version.as_deref()),
            None => (&self.name, self.version.as_deref()),
        }
    }
}

/// Where plugins are found and started.
pub trait Plugins: Sync {
    type Plugin: Plugin;

    /// A process of its own, not configured.
    fn start(
        &self,
        package: &Package,
    ) -> impl Future<Output = Result<Arc<Self::Plugin>, PluginError>> + Send;
}

/// A running plugin. It has no request that changes anything.
pub trait Plugin: Send + Sync {
    /// Whether it still answers.
    fn is_running(&self) -> bool {
        true
    }

    /// As JSON.
    fn schema(&self) -> impl Future<Output = Result<String, PluginError>> + Send;

    fn check_config(
        &self,
        request: CheckRequest,
    ) -> impl Future<Output = Result<Checked, PluginError>> + Send;

    /// Some plugins answer otherwise once they are configured.
    fn diff_config(
        &self,
        request: DiffRequest,
        is_configured: bool,
    ) -> impl Future<Output = Result<Diffed, PluginError>> + Send;

    /// From now on it has this configuration.
    fn configure(
        &self,
        request: ConfigureRequest,
    ) -> impl Future<Output = Result<(), PluginError>> + Send;

    fn check(
        &self,
        request: CheckRequest,
    ) -> impl Future<Output = Result<Checked, PluginError>> + Send;

    fn diff(
        &self,
        request: DiffRequest,
    ) -> impl Future<Output = Result<Diffed, PluginError>> + Send;

    /// The object that would be created. `None` if the plugin has no previews: then nothing may be sent.
    fn preview_create(
        &self,
        request: CreateRequest,
    ) -> impl Future<Output = Result<Option<Object>, PluginError>> + Send;

    fn preview_update(
        &self,
        request: DiffRequest,
    ) -> impl Future<Output = Result<Option<Object>, PluginError>> + Send;

    /// Calls a function, which may do anything outside.
    fn invoke(
        &self,
        request: InvokeRequest,
        world: ReadPermission,
    ) -> impl Future<Output = Result<Invoked, PluginError>> + Send;

    /// Reads an object that exists already. `None` where it does not.
    fn read(
        &self,
        request: ReadRequest,
        world: ReadPermission,
    ) -> impl Future<Output = Result<Option<ReadObject>, PluginError>> + Send;
}

/// Permission to read objects outside and to call functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadPermission(());

impl ReadPermission {
    /// Only for commands that the user runs for their answer.
    pub fn of_a_command() -> ReadPermission {
        ReadPermission(())
    }
}

/// A plugin is missing, does not answer, or refuses a request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{why}")]
pub struct PluginError {
    pub why: String,
    /// Whether the plugin answered, and would answer the same again.
    pub is_answer: bool,
}

impl PluginError {
    /// There is no answer.
    pub fn new(why: String) -> PluginError {
        PluginError {
            why,
            is_answer: false,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct CheckRequest {
    pub urn: Urn,
    pub olds: Object,
    pub news: Object,
    /// Of names that the provider makes up; the configuration of providers has none.
    pub seed: Vec<u8>,
    /// The name that the configuration of the stack wants.
    pub autonaming: Option<Autonaming>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Autonaming {
    pub name: String,
    pub mode: NamingMode,
    /// Whether a part of the name is made up.
    pub is_random: bool,
}

/// Numbered as in the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamingMode {
    Propose = 0,
    Enforce = 1,
    /// The provider makes up no names.
    Disable = 2,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Checked {
    pub inputs: Object,
    pub failures: Vec<Failure>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// A path.
    pub property: String,
    pub reason: String,
}

/// Also for updates, which take the same.
#[derive(Clone, PartialEq, Debug)]
pub struct DiffRequest {
    pub urn: Urn,
    pub id: String,
    /// Outputs.
    pub olds: Object,
    pub old_inputs: Object,
    pub news: Object,
    pub ignore_changes: Vec<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct CreateRequest {
    pub urn: Urn,
    pub properties: Object,
}

#[derive(Clone, PartialEq, Debug)]
pub struct InvokeRequest {
    pub token: String,
    pub arguments: Object,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Invoked {
    pub result: Object,
    pub failures: Vec<Failure>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ReadRequest {
    pub urn: Urn,
    pub id: String,
    /// From the program. `None` where the object is taken over.
    pub inputs: Option<Object>,
    /// The outputs that the state has of it, where they are more than its inputs.
    pub state: Option<Object>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ReadObject {
    /// Empty if the provider names none.
    pub id: String,
    /// As a program would write them. `None` from a provider that does not support imports.
    pub inputs: Option<Object>,
    pub outputs: Object,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ConfigureRequest {
    pub urn: Urn,
    /// `None` while it is not known.
    pub id: Option<String>,
    pub inputs: Object,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diffed {
    pub changes: Changes,
    pub replaces: Vec<String>,
    pub diffs: Vec<String>,
    /// `None` where the provider has no details.
    pub detailed: Option<Detailed>,
    pub deletes_before_replace: bool,
}

/// The change of a property, by its path in the provider's syntax.
pub type Detailed = BTreeMap<String, PropertyDiff>;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Changes {
    #[default]
    Unknown,
    None,
    Some,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PropertyDiff {
    pub kind: DiffKind,
    /// Between old and new inputs, and not between outputs and inputs.
    pub is_of_inputs: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiffKind {
    Add,
    AddReplace,
    Delete,
    DeleteReplace,
    Update,
    UpdateReplace,
}

impl DiffKind {
    pub fn is_replace(self) -> bool {
        self == self.replacing()
    }

    /// The same, where it makes a replacement necessary.
    pub fn replacing(self) -> DiffKind {
        match self {
            DiffKind::Add | DiffKind::AddReplace => DiffKind::AddReplace,
            DiffKind::Delete | DiffKind::DeleteReplace => DiffKind::DeleteReplace,
            DiffKind::Update | DiffKind::UpdateReplace => DiffKind::UpdateReplace,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            DiffKind::Add => "add",
            DiffKind::AddReplace => "add-replace",
            DiffKind::Delete => "delete",
            DiffKind::DeleteReplace => "delete-replace",
            DiffKind::Update => "update",
            DiffKind::UpdateReplace => "update-replace",
        }
    }
}

impl Diffed {
    /// Whether the provider requires a replacement.
    pub fn is_replace(&self) -> bool {
        let details = self.detailed.iter().flatten();
        !self.replaces.is_empty() || details.into_iter().any(|(_, diff)| diff.kind.is_replace())
    }

    /// With the replacements that paths ask for. Keys at the top that a path names join the reasons; a path into a property
    /// only changes its details.
    pub fn replacing_on(mut self, paths: &[Path]) -> Diffed {
        if self.changes != Changes::Some {
            return self;
        }
        let is_named = |text: &str| {
            let path = Path::parse(text);
            path.is_ok_and(|path| paths.iter().any(|pattern| pattern.contains(&path)))
        };
        for (path, diff) in self.detailed.iter_mut().flatten() {
            if is_named(path) {
                diff.kind = diff.kind.replacing();
            }
        }
        for key in &self.diffs {
            if is_named(key) && !self.replaces.contains(key) {
                self.replaces.push(key.clone());
            }
        }
        self
    }
}
