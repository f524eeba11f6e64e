//! Settings: read from the client, checked against the one list of them, applied.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use ide::{ActionPlace, Settings};
use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::{MessageKind, Question};
use crate::lifecycle::Phase;
use crate::state::State;

/// The section of an editor's settings that is ours.
const SECTION: &str = "planlens";

/// One entry of `schemas/settings.json`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Setting {
    key: String,
    #[serde(flatten)]
    rule: Rule,
    #[cfg(test)]
    default: Value,
}

/// The valid values: a small JSON schema.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Rule {
    /// Without it, anything.
    #[serde(rename = "type")]
    kind: Option<ValueKind>,
    #[serde(rename = "enum", default)]
    choices: Vec<String>,
    /// For a string: its pattern, and its description for messages.
    pattern: Option<String>,
    #[serde(default)]
    pattern_error_message: String,
    minimum: Option<i64>,
    maximum: Option<i64>,
    /// Of a list.
    items: Option<Box<Rule>>,
    /// Of an object: rules for named entries.
    #[serde(default)]
    properties: BTreeMap<String, Rule>,
    /// Of an object: the rule for all other entries.
    additional_properties: Option<Box<Rule>>,
}

#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum ValueKind {
    Boolean,
    Integer,
    String,
    Array,
    Object,
}

/// `schemas/settings.json`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Schema {
    settings: Vec<Setting>,
    /// Of editors alone: they may send them, and they mean nothing here.
    editor_settings: Vec<Setting>,
}

fn by_key(of: impl Fn(Schema) -> Vec<Setting>) -> BTreeMap<String, Setting> {
    let schema: Schema = serde_json::from_str(include_str!("../../../schemas/settings.json"))
        .expect("the schema is part of the build, and a test reads it");
    let settings = of(schema).into_iter();
    settings
        .map(|setting| (setting.key.clone(), setting))
        .collect()
}

/// Every setting, by its key.
static SETTINGS: LazyLock<BTreeMap<String, Setting>> =
    LazyLock::new(|| by_key(|schema| schema.settings));

static EDITOR_SETTINGS: LazyLock<BTreeMap<String, Setting>> =
    LazyLock::new(|| by_key(|schema| schema.editor_settings));

/// The client's settings, from the least to the greatest weight: at the start, by its configuration, by a command.
#[derive(Default)]
pub(crate) struct SettingsLayers {
    initial: SettingsSource,
    configured: SettingsSource,
    pub(crate) paused: Option<bool>,
    /// The configuration was asked for, and the answer is not here yet.
    pub(crate) awaits_configuration: bool,
    reported: BTreeSet<String>,
    pub(crate) current: Settings,
}

/// One source of settings: valid values, by key, and the errors.
#[derive(Default, PartialEq, Debug)]
struct SettingsSource {
    values: BTreeMap<&'static str, Value>,
    problems: Vec<String>,
}

impl SettingsLayers {
    pub(crate) fn set_initial(&mut self, options: &Value) {
        self.initial = read(options);
    }

    fn merged(&self) -> Settings {
        // A later source weighs more.
        let source = self.initial.values.iter().chain(&self.configured.values);
        let mut settings =
            Settings::with(source.map(|(key, value)| (*key, value))).unwrap_or_else(|error| {
                tracing::error!(%error, "the settings are not as their schema says");
                Settings::default()
            });
        settings.paused = self.paused.unwrap_or(settings.paused);
        settings
    }
}

impl State {
    /// Applies the client's settings.
    pub(crate) fn apply_settings(&mut self) {
        let mut settings = self.settings.merged();
        if !(self.capabilities.inlay_hints && settings.enable.inlay_hints) {
            settings.actions.place = ActionPlace::Lens;
        }
        if settings.log.level != self.settings.current.log.level {
            (self.options.set_log_level)(settings.log.level);
        }
        if settings != self.settings.current {
            self.workspace.set_settings(settings.clone());
            self.settings.current = settings;
            if self.phase == Phase::Running {
                self.something_shown_changed();
            }
        }
        self.apply_trust();
    }

    pub(crate) fn report_setting_problems(&mut self) {
        let source = [&self.settings.initial, &self.settings.configured];
        let problems: BTreeSet<String> = source
            .into_iter()
            .flat_map(|source| source.problems.iter().cloned())
            .collect();
        let new: Vec<String> = problems
            .difference(&self.settings.reported)
            .cloned()
            .collect();
        if !new.is_empty() {
            let message = format!("planlens settings: {}", new.join("; "));
            self.client.show_message(MessageKind::Warning, &message);
            self.settings.reported.extend(new);
        }
    }

    pub(crate) fn register_configuration(&mut self) {
        if self.capabilities.registers_configuration {
            self.client.register(
                "planlens-settings",
                "workspace/didChangeConfiguration",
                json!({ "section": SECTION }),
            );
        }
    }

    pub(crate) fn ask_for_configuration(&mut self) {
        if self.capabilities.configuration {
            self.settings.awaits_configuration = true;
            let params = json!({ "items": [{ "section": SECTION }] });
            self.client
                .ask("workspace/configuration", params, Question::Configuration);
        }
    }

    pub(crate) fn configuration_answered(&mut self, answer: Option<Value>) {
        self.settings.awaits_configuration = false;
        if let Some(answer) = answer {
            self.configure(&answer[0]);
        }
    }

    /// The notification carries the settings, or only says that they changed.
    pub(crate) fn configuration_changed(&mut self, params: &Value) {
        match &params["settings"] {
            Value::Object(settings) if !settings.is_empty() => self.configure(&params["settings"]),
            _ => self.ask_for_configuration(),
        }
    }

    fn configure(&mut self, settings: &Value) {
        self.settings.configured = read(settings);
        self.apply_settings();
        self.report_setting_problems();
    }
}

/// Reads settings with or without the name of their section, as nested objects or with dots in the keys.
fn read(settings: &Value) -> SettingsSource {
    let mut source = SettingsSource::default();
    match settings.get(SECTION).unwrap_or(settings) {
        Value::Null => {}
        Value::Object(settings) => read_object("", settings, &mut source),
        other => source
            .problems
            .push(format!("an object is expected, not {}", name_of(other))),
    }
    source
}

/// The short name of a setting that has others beside it, where its value is no object.
const SHORT: [(&str, &str); 1] = [("trust", "trust.mode")];

fn read_object(prefix: &str, object: &Map<String, Value>, source: &mut SettingsSource) {
    for (name, value) in object {
        let name = name
            .strip_prefix("planlens.")
            .filter(|_| prefix.is_empty())
            .unwrap_or(name);
        let key = format!("{prefix}{name}");
        let below = format!("{key}.");
        let mut keys = SETTINGS.keys().chain(EDITOR_SETTINGS.keys());
        if value.is_null() || EDITOR_SETTINGS.contains_key(&key) {
            continue;
        }
        let short = SHORT.iter().find(|(short, _)| *short == key);
        let long = short.filter(|_| !value.is_object()).map(|(_, long)| *long);
        if let Some((long, setting)) = SETTINGS.get_key_value(long.unwrap_or(&key)) {
            match setting.rule.problem(&key, value) {
                None => {
                    source.values.insert(long, value.clone());
                }
                Some(problem) => source.problems.push(problem),
            }
        } else if keys.any(|key| key.starts_with(&below)) {
            match value {
                Value::Object(object) => read_object(&below, object, source),
                other => source
                    .problems
                    .push(format!("\"{key}\" is an object, not {}", name_of(other))),
            }
        } else {
            source
                .problems
                .push(format!("there is no setting \"{key}\""));
        }
    }
}

impl Rule {
    /// The error of `value`, in words; the value itself is not repeated.
    fn problem(&self, name: &str, value: &Value) -> Option<String> {
        let (is_right, expected) = match (self.kind?, value) {
            (ValueKind::Object, Value::Object(object)) => {
                return object.iter().find_map(|(key, value)| {
                    let name = format!("{name}.{key}");
                    let others = self.additional_properties.as_deref();
                    match self.properties.get(key).or(others) {
                        Some(rule) => rule.problem(&name, value),
                        None => Some(format!("there is no setting \"{name}\"")),
                    }
                });
            }
            (ValueKind::Array, Value::Array(items)) => {
                let rule = self.items.as_deref()?;
                return items.iter().find_map(|item| rule.problem(name, item));
            }
            (ValueKind::Object, _) => (false, "an object".to_string()),
            (ValueKind::Array, _) => (false, "a list".to_string()),
            (ValueKind::Boolean, _) => (value.is_boolean(), "true or false".to_string()),
            (ValueKind::Integer, _) => {
                let (least, most) = (
                    self.minimum.unwrap_or(i64::MIN),
                    self.maximum.unwrap_or(i64::MAX),
                );
                let is_right = value.as_i64().is_some_and(|n| (least..=most).contains(&n));
                (is_right, format!("a whole number from {least} to {most}"))
            }
            (ValueKind::String, Value::String(text)) if self.pattern.is_some() => {
                let pattern = self.pattern.as_deref().and_then(|it| Regex::new(it).ok());
                let is_right = pattern.is_none_or(|it| it.is_match(text));
                (is_right, self.pattern_error_message.clone())
            }
            (ValueKind::String, _) if self.choices.is_empty() => {
                (value.is_string(), "a string".to_string())
            }
            (ValueKind::String, _) => {
                let is_right = value
                    .as_str()
                    .is_some_and(|s| self.choices.iter().any(|c| c == s));
                let choices: Vec<String> =
                    self.choices.iter().map(|c| format!("\"{c}\"")).collect();
                (is_right, format!("one of {}", choices.join(", ")))
            }
        };
        (!is_right).then(|| format!("\"{name}\" must be {expected}"))
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_lists_the_settings_and_their_defaults() {
        let mut listed = BTreeMap::new();
        for setting in SETTINGS.values() {
            let problem = setting.rule.problem(&setting.key, &setting.default);
            assert_eq!(problem, None, "{}", setting.key);
            listed.insert(setting.key.clone(), setting.default.clone());
        }
        let mut actual = BTreeMap::new();
        flatten(
            "",
            &serde_json::to_value(Settings::default()).unwrap(),
            &mut actual,
        );
        assert_eq!(listed, actual);
    }

    #[test]
    fn each_setting_has_scope_and_meaning_in_the_schema() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../schemas/settings.json")).unwrap();
        for setting in schema["settings"].as_array().unwrap() {
            assert!(["machine", "window"].contains(&setting["scope"].as_str().unwrap()));
            assert!(setting["description"].as_str().unwrap().ends_with('.'));
        }
    }

    /// Settings that a folder may have: how things are shown, which language it is in, which values its roots get.
    const HARMLESS: [&str; 13] = [
        "paused",
        "lens.references",
        "diagnostics.replacement",
        "diagnostics.severity",
        "language.product",
        "language.version",
        "moved.write",
        "moved.file",
        "roots",
        "provider.maxInFlight",
        "provider.maxProcesses",
        "log.level",
        "marks",
    ];

    /// A folder that was cloned brings no settings that start or read something.
    #[test]
    fn only_the_user_sets_programs_and_paths() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../schemas/settings.json")).unwrap();
        let settings = ["settings", "editorSettings"];
        let settings = settings
            .iter()
            .flat_map(|list| schema[list].as_array().unwrap());
        let of_folders: Vec<&str> = settings
            .filter(|setting| setting["scope"] != "machine")
            .map(|setting| setting["key"].as_str().unwrap())
            .collect();
        let harmless = |key: &str| {
            let is_group = |group: &&str| key.starts_with(group);
            ["enable.", "actions.", "hints."].iter().any(is_group) || HARMLESS.contains(&key)
        };
        let others: Vec<_> = of_folders
            .into_iter()
            .filter(|key| !harmless(key))
            .collect();
        assert_eq!(others, Vec::<&str>::new());
    }

    #[test]
    fn every_choice_of_the_schema_is_one_of_the_settings() {
        for setting in SETTINGS.values() {
            for choice in &setting.rule.choices {
                let source = read(&json!({ &*setting.key: choice }));
                assert_eq!(source.problems, Vec::<String>::new());
                let settings =
                    Settings::with(source.values.iter().map(|(key, value)| (*key, value)));
                assert!(settings.is_ok(), "{} = {choice}", setting.key);
            }
        }
    }

    #[test]
    fn keys_may_be_nested_or_dotted_and_have_the_section_in_front() {
        let expected = read(&json!({ "enable": { "hover": false } }));
        assert_eq!(expected.values["enable.hover"], json!(false));
        for same in [
            json!({ "enable.hover": false }),
            json!({ "planlens": { "enable": { "hover": false } } }),
            json!({ "planlens.enable.hover": false }),
        ] {
            assert_eq!(read(&same), expected, "{same}");
        }
    }

    #[test]
    fn trust_is_short_for_its_mode() {
        let modes = [
            json!({ "trust": "always", "trust.providers": ["acme/*"] }),
            json!({ "trust": { "mode": "always", "providers": ["acme/*"] } }),
            json!({ "planlens.trust.mode": "always", "planlens.trust.providers": ["acme/*"] }),
        ];
        for settings in modes {
            let mut layers = SettingsLayers::default();
            layers.set_initial(&settings);
            let trust = layers.merged().trust;
            assert_eq!(trust.mode, ide::Trust::Always, "{settings}");
            assert_eq!(trust.providers, ["acme/*"], "{settings}");
        }
    }

    #[test]
    fn unknown_and_invalid_settings_are_named() {
        let source = read(&json!({
            "trust": "yes",
            "enable": { "hovers": true },
            "hints": 1,
            "provider": { "maxInFlight": 0 },
            "refresh": null,
            "paused": true,
            "server": { "path": "planlens" },
            "marks": 1,
            "trust.providers": "acme/*",
            "roots": { "app": { "varFiles": ["a.tfvars", 1] }, "b": { "varFile": [] } },
            "env": { "app": { "AWS_PROFILE": null } },
        }));
        assert_eq!(
            source.problems,
            [
                "\"trust\" must be one of \"ask\", \"always\", \"never\"",
                "there is no setting \"enable.hovers\"",
                "\"hints\" is an object, not a number",
                "\"provider.maxInFlight\" must be a whole number from 1 to 64",
                "\"trust.providers\" must be a list",
                "\"roots.app.varFiles\" must be a string",
                "\"env.app.AWS_PROFILE\" must be a string",
            ]
        );
        assert_eq!(source.values.len(), 1);
        assert_eq!(
            read(&json!([])).problems,
            ["an object is expected, not an array"]
        );
    }

    fn flatten(prefix: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(object) if !object.is_empty() => {
                for (name, value) in object {
                    let dot = if prefix.is_empty() { "" } else { "." };
                    flatten(&format!("{prefix}{dot}{name}"), value, into);
                }
            }
            leaf => {
                into.insert(prefix.to_string(), leaf.clone());
            }
        }
    }
}
