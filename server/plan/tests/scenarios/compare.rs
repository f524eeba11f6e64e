//! Plans a scenario and compares what comes out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use cty::{Type, Value};
use plan::{
    Action, ActionReason, BehindErrors, Options, Plan, PlanMode, PlanningRequest,
    ResourceInstanceChange, Root, Surroundings,
};
use serde_json::Value as Json;
use text::Severity;

use crate::recorded::{DIR, PROFILE, Scenario};
use crate::replay::{Replay, Transcript, no_schema, provider_schema, value_differences};

/// Something that is not as recorded.
pub struct Difference {
    /// For the histogram.
    pub kind: String,
    pub detail: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// All that differs, causes before their consequences.
pub fn differences(scenario: &Scenario) -> Vec<Difference> {
    let transcript = Arc::new(Transcript::new(scenario.calls.clone(), scenario.is_errored));
    let plan = plan(scenario, &transcript);
    let mut found = Vec::new();
    let mut add = |kind: &str, detail: String| {
        found.push(Difference {
            kind: kind.to_owned(),
            detail,
        });
    };
    if scenario.is_errored {
        // What could still be planned beside an error is ours to say.
        let errors = plan
            .all_diagnostics()
            .filter(|it| it.severity == Severity::Error);
        let ours: BTreeSet<String> = errors.map(|it| sorted_cycle(&it.summary)).collect();
        let recorded = &scenario.errors;
        let recorded: BTreeSet<String> = recorded.iter().map(|it| sorted_cycle(it)).collect();
        if ours != recorded {
            add("summaries", format!("ours {ours:?} recorded {recorded:?}"));
        }
        return found;
    }
    let errors = plan
        .all_diagnostics()
        .filter(|d| d.severity == Severity::Error);
    let errors: Vec<String> = errors
        .map(|d| format!("{}: {}", d.summary, d.detail))
        .collect();
    for miss in transcript.misses() {
        add("request differs", miss);
    }
    for error in errors {
        add("error", error);
    }
    for (addr, caveat) in plan.caveats() {
        add("label", format!("{addr}: {caveat}"));
    }
    for (kind, detail) in transcript.miscounted(scenario.is_destroy()) {
        add(&kind, detail);
    }
    compare_changes(scenario, &plan, &mut add);
    compare_outputs(scenario, &plan, &mut add);
    found
}

fn plan(scenario: &Scenario, transcript: &Arc<Transcript>) -> Plan {
    let mut root = Root::new(Surroundings {
        dir: PathBuf::from(DIR),
        cwd: PathBuf::from(DIR),
        variables: Default::default(),
        options: scenario.variables.clone(),
        state: None,
        plan_timestamp: None,
        cache_dir: None,
        is_trusted: true,
        approved: plan::Approved::All,
        language: plan::LanguageChoice::pinned(PROFILE),
    });
    let schemas: Vec<_> = scenario.schemas.iter().map(provider_schema).collect();
    for addr in scenario.providers() {
        let prefix = format!("{}_", addr.r#type);
        let own = schemas.iter().find(|schema| {
            let mut types = schema.resources.keys().chain(schema.data_sources.keys());
            types.any(|name| name.starts_with(&prefix))
        });
        let known = own.or(schemas.first()).cloned();
        // Where the recorded plan failed before any schema was needed, what the resources are isn't known.
        if known.is_none() && scenario.is_errored {
            continue;
        }
        let mut schema = known.unwrap_or_else(no_schema);
        for other in &schemas {
            for (name, resource) in &other.resources {
                let entry = schema.resources.entry(name.clone());
                entry.or_insert_with(|| resource.clone());
            }
        }
        let replay = Replay {
            transcript: transcript.clone(),
            schema: Arc::new(schema),
        };
        root.providers().insert(addr, Arc::new(replay));
    }
    let request = PlanningRequest {
        is_saved: true,
        may_configure: true,
        options: Arc::new(options(scenario)),
        ..PlanningRequest::default()
    };
    root.load(&scenario.files, &request);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime starts");
    runtime.block_on(root.plan(&mut |_| {}))
}

fn options(scenario: &Scenario) -> Options {
    let given = &scenario.options;
    let targets = |targets: &[String]| {
        targets
            .iter()
            .filter_map(|text| text.parse().ok())
            .collect()
    };
    Options {
        budget: Default::default(),
        reading_round: 0,
        mode: match given.mode.as_str() {
            "DestroyMode" => PlanMode::Destroy,
            "RefreshOnlyMode" => PlanMode::RefreshOnly,
            _ => PlanMode::Normal,
        },
        refresh: !given.is_refresh_skipped,
        import: true,
        // The recording lacks it; that it was there shows in what is not complained about.
        generate_config: !scenario
            .errors
            .contains("Configuration for import target does not exist"),
        behind_errors: BehindErrors::LeftOut,
        read_data_sources: true,
        replace: given
            .force_replace
            .iter()
            .filter_map(|text| text.parse().ok())
            .collect(),
        targets: targets(&given.targets),
        excludes: targets(&given.excludes),
        shown_modules: None,
    }
}

/// The members of a cycle are told in no order.
fn sorted_cycle(summary: &str) -> String {
    match summary.strip_prefix("Cycle: ") {
        None => summary.to_owned(),
        Some(members) => {
            let mut members: Vec<&str> = members.split(", ").collect();
            members.sort_unstable();
            format!("Cycle: {}", members.join(", "))
        }
    }
}

/// By address and deposed key.
type Key = (String, String);

fn compare_changes(scenario: &Scenario, plan: &Plan, add: &mut dyn FnMut(&str, String)) {
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    // That the state forgets what was read is no change to show.
    let is_shown = |json: &&Json| {
        let is_data = text(&json["addr"]).split('.').any(|step| step == "data");
        !(is_data && json["action"] == "Delete")
    };
    let recorded = scenario.changes.iter().filter(is_shown);
    let recorded: BTreeMap<Key, &Json> = recorded
        .map(|json| ((text(&json["addr"]), text(&json["deposed"])), json))
        .collect();
    let ours: BTreeMap<Key, &ResourceInstanceChange> = plan
        .changes()
        .map(|change| {
            let deposed = change.deposed.as_deref().unwrap_or_default().to_owned();
            ((change.addr.to_string(), deposed), change)
        })
        .collect();
    for (key, json) in &recorded {
        match ours.get(key) {
            None => add("change is missing", format!("{} {}", key.0, json["action"])),
            Some(change) => compare_change(&key.0, json, change, add),
        }
    }
    for (key, change) in &ours {
        if !recorded.contains_key(key) {
            add("change too many", format!("{} {:?}", key.0, change.action));
        }
    }
}

fn compare_change(
    addr: &str,
    recorded: &Json,
    ours: &ResourceInstanceChange,
    add: &mut dyn FnMut(&str, String),
) {
    let previous = ours
        .previous_addr
        .as_deref()
        .unwrap_or(&ours.addr)
        .to_string();
    if recorded["prev"] != previous.as_str() {
        add(
            "previous address",
            format!("{addr}: ours {previous} recorded {}", recorded["prev"]),
        );
    }
    let action = action_name(ours.action);
    if recorded["action"] != action {
        add(
            "action",
            format!("{addr}: ours {action} recorded {}", recorded["action"]),
        );
        return;
    }
    let reason = format!("ResourceInstance{}", reason_name(ours.reason));
    if recorded["reason"] != reason.as_str() {
        add(
            "reason",
            format!("{addr}: ours {reason} recorded {}", recorded["reason"]),
        );
    }
    let paths = |path: &cty::Path| path.to_string();
    let ours_replace: BTreeSet<String> = ours.replace_paths.iter().map(paths).collect();
    let replace = recorded["replace"].as_array().into_iter().flatten();
    let replace: BTreeSet<String> = replace
        .filter_map(Json::as_str)
        .map(str::to_owned)
        .collect();
    if ours_replace != replace {
        add(
            "replace paths",
            format!("{addr}: ours {ours_replace:?} recorded {replace:?}"),
        );
    }
    let ty = ours.schema.implied_type();
    for (name, value) in [("before", &ours.before), ("after", &ours.after)] {
        let mut found = Vec::new();
        match decode(&recorded[format!("{name}_mp")], ty) {
            Some(recorded) => {
                value_differences(name, &recorded, &value.unmark_deep().0, &mut found)
            }
            None => found.push(format!("{name} can't be read")),
        }
        for difference in found {
            add(name, format!("{addr}: {difference}"));
        }
    }
}

fn compare_outputs(scenario: &Scenario, plan: &Plan, add: &mut dyn FnMut(&str, String)) {
    let mut ours: BTreeMap<String, &plan::OutputChange> = plan
        .outputs
        .iter()
        .map(|output| (format!("output.{}", output.name), output))
        .collect();
    for json in &scenario.outputs {
        let addr = json["addr"].as_str().unwrap_or_default();
        // What child modules pass on is compared by what becomes of it.
        if addr.starts_with("module.") {
            continue;
        }
        let Some(output) = ours.remove(addr) else {
            add("output is missing", addr.to_owned());
            continue;
        };
        let action = action_name(output.action);
        if json["action"] != action {
            add(
                "output action",
                format!("{addr}: ours {action} recorded {}", json["action"]),
            );
        }
        let mut found = Vec::new();
        match decode(&json["after_mp"], &Type::Dynamic) {
            Some(recorded) => {
                value_differences(addr, &recorded, &output.after.unmark_deep().0, &mut found);
            }
            None => found.push(format!("{addr} can't be read")),
        }
        found
            .into_iter()
            .for_each(|difference| add("output", difference));
    }
    for addr in ours.keys() {
        add("output too many", addr.clone());
    }
}

fn decode(hex: &Json, ty: &Type) -> Option<Value> {
    let hex = hex.as_str()?;
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(byte).collect();
    cty::msgpack::decode(&bytes?, ty).ok()
}

fn action_name(action: Action) -> &'static str {
    match action {
        Action::NoOp => "NoOp",
        Action::Create => "Create",
        Action::Read => "Read",
        Action::Update => "Update",
        Action::DeleteThenCreate => "DeleteThenCreate",
        Action::CreateThenDelete => "CreateThenDelete",
        Action::Delete => "Delete",
        Action::Forget => "Forget",
        Action::ForgetThenCreate => "ForgetThenCreate",
    }
}

/// As the recording names it: `replace_because_tainted` is `ReplaceBecauseTainted`.
fn reason_name(reason: Option<ActionReason>) -> String {
    let Some(reason) = reason else {
        return "ChangeNoReason".to_owned();
    };
    let words = reason.json_name().split('_');
    words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        })
        .collect()
}
