//! The settings. `schemas/settings.json` lists every key with its meaning and its default.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use config::{Product, Version};
use refactor::MovedBlocks;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use text::Severity;

use crate::PlanTrigger;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub trust: TrustSettings,
    pub paused: bool,
    pub enable: Enable,
    pub actions: Actions,
    pub hints: Hints,
    pub lens: Lens,
    pub diagnostics: Diagnostics,
    pub refresh: Policy,
    pub data_sources: Policy,
    pub state: Policy,
    pub configure: Configure,
    pub registry: RegistryAccess,
    pub language: LanguageSetting,
    pub moved: MovedBlocks,
    pub roots: RootsSettings,
    pub env: EnvSettings,
    pub provider: Provider,
    pub log: Log,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrustSettings {
    pub mode: Trust,
    /// Patterns of the addresses of providers that start without a question.
    pub providers: Vec<String>,
}

/// Whether folders are trusted and plugins may start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Trust {
    Ask,
    Always,
    Never,
}

/// Groups of features, so that another server can run beside this one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enable {
    pub diagnostics: bool,
    pub hover: bool,
    pub completion: bool,
    pub inlay_hints: bool,
    pub code_lens: bool,
    pub navigation: bool,
    pub formatting: bool,
}

/// How the planned actions of blocks are shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Actions {
    pub show: ShownActions,
    pub place: ActionPlace,
}

/// Of which blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ShownActions {
    All,
    Changes,
    Off,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ActionPlace {
    /// A hint after the block's header.
    Line,
    /// A code lens above the block.
    Lens,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hints {
    pub forces_replacement: bool,
    pub updates: bool,
    pub changed_outside: bool,
    pub known_after_apply: bool,
    pub values: bool,
    pub instances: bool,
    pub parameter_names: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lens {
    /// Whether lenses count references, too.
    pub references: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    /// How loudly the replacement or deletion of an existing object is reported.
    pub replacement: Level,
    /// How loudly something is reported, by code, where that is not as the code has it.
    pub severity: BTreeMap<String, Level>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    Error,
    Warning,
    Info,
    Hint,
    Off,
}

impl Level {
    pub fn severity(self) -> Option<Severity> {
        match self {
            Level::Error => Some(Severity::Error),
            Level::Warning => Some(Severity::Warning),
            Level::Info => Some(Severity::Info),
            Level::Hint => Some(Severity::Hint),
            Level::Off => None,
        }
    }
}

/// When calls may run that read the outside world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Policy {
    Off,
    OnCommand,
    OnSave,
}

impl Policy {
    /// Whether the reason of a plan lets such a call run.
    pub fn allows(self, reason: PlanTrigger) -> bool {
        match self {
            Policy::Off => false,
            Policy::OnCommand => reason == PlanTrigger::Command,
            Policy::OnSave => reason >= PlanTrigger::Save,
        }
    }
}

/// When providers are configured, which may contact their service.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Configure {
    Auto,
    OnSave,
    Off,
}

/// Whether completion asks registries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RegistryAccess {
    Off,
    Online,
}

/// Whose language the configuration is written in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LanguageSetting {
    pub product: ProductChoice,
    /// Like `1.11`; empty: files and machine decide.
    pub version: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProductChoice {
    Auto,
    Terraform,
    Opentofu,
}

impl LanguageSetting {
    /// The choice of the user.
    pub fn chosen(&self) -> (Option<Product>, Option<Version>) {
        let product = match self.product {
            ProductChoice::Auto => None,
            ProductChoice::Terraform => Some(Product::Terraform),
            ProductChoice::Opentofu => Some(Product::OpenTofu),
        };
        (product, Version::parse(&self.version))
    }
}

/// The setting `roots`, by folder.
pub type RootsSettings = BTreeMap<String, RootSettings>;

/// Environment variables by folder, or by folder and environment.
pub type EnvSettings = BTreeMap<String, BTreeMap<String, String>>;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RootSettings {
    #[serde(flatten)]
    pub always: EnvironmentSettings,
    /// By name.
    pub environments: BTreeMap<String, EnvironmentSettings>,
    /// The one that counts until another is chosen.
    pub environment: Option<String>,
}

/// Options of `terraform plan`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvironmentSettings {
    pub var_files: Vec<String>,
    pub variables: BTreeMap<String, Value>,
    pub workspace: Option<String>,
    pub state_path: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// Calls to one provider process at the same time, if it starts from now on.
    pub max_in_flight: u32,
    /// The maximum number of provider processes of all root modules; one that alone needs more gets them.
    pub max_processes: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Log {
    pub level: LogLevel,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// One entry of `schemas/settings.json`, as far as it is of interest here.
#[derive(Deserialize)]
struct Listed {
    key: String,
    default: Value,
}

/// `schemas/settings.json`
#[derive(Deserialize)]
struct List {
    settings: Vec<Listed>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../schemas/settings.json"))
        .expect("the list is part of the build, and a test reads it")
});

impl Settings {
    /// The defaults, with other values for these keys of the list.
    pub fn with<'a>(
        said: impl IntoIterator<Item = (&'a str, &'a Value)>,
    ) -> serde_json::Result<Settings> {
        let defaults = LIST.settings.iter();
        let defaults = defaults.map(|listed| (listed.key.as_str(), &listed.default));
        let mut settings = Value::Null;
        for (key, value) in defaults.chain(said) {
            let mut names = key.split('.');
            let place = names.try_fold(&mut settings, |object, name| {
                if object.is_null() {
                    *object = Value::Object(Map::new());
                }
                Some(object.as_object_mut()?.entry(name).or_insert(Value::Null))
            });
            if let Some(place) = place {
                *place = value.clone();
            }
        }
        serde_json::from_value(settings)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        static DEFAULT: LazyLock<Settings> = LazyLock::new(|| {
            Settings::with([]).expect("a test compares the defaults with what they are for")
        });
        DEFAULT.clone()
    }
}
