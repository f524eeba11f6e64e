//! `planlens plan` prints what `terraform plan` prints, and with `--json` what `terraform show
//! -json` says of that plan, for each folder in `workspaces/`; and it changes no file. The recorded
//! answers are `plan.txt` and `plan.json` beside each; where terraform of the recorded version is
//! on the PATH it is asked again about a third of them, about all with `PLANLENS_TEST_LONG`. `tests/record` records.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use support::oracle::Oracle;
use support::{
    cache, decimal, has_subcommand, planlens, printed, program, repository, scratch, skipped,
};

/// One test for each folder.
macro_rules! workspaces {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        /// The same modules in JSON syntax.
        mod in_json_syntax {
            $(
                #[test]
                fn $name() {
                    super::check_in_json_syntax(stringify!($name));
                }
            )*
        }

        #[test]
        fn every_folder_has_its_test() {
            let tests = BTreeSet::from([$(stringify!($name).replace('_', "-")),*]);
            let folders: BTreeSet<String> = fs::read_dir(repository().join("tests/workspaces"))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            assert_eq!(tests, folders);
        }
    };
}

workspaces! {
    actions,
    attributes_as_blocks,
    check_hides_message,
    check_unread,
    checks,
    circular_changes,
    cloud,
    cloud_modules,
    conditions_of_instances,
    count_and_for_each,
    create,
    create_before_destroy,
    data_conditions,
    data_fails,
    data_postcondition_fails,
    data_sources,
    delete,
    deprecated_declarations,
    deprecated_values,
    destroy,
    destroy_conditions,
    destroy_conditions_refreshed,
    destroy_drift,
    destroy_nothing,
    destroy_prevented,
    destroy_reads_data,
    destroy_refreshed,
    destroy_removed,
    destroy_stores_outputs,
    destroy_target,
    destroy_target_dependents,
    destroy_target_instances,
    destroy_target_module,
    drift,
    dynamic_attribute,
    environment_arguments,
    ephemeral_blocks,
    ephemeral_instances,
    ephemeral_opened_early,
    exclude,
    failures_left_out,
    for_each_emptied,
    hundred,
    identities,
    ignore_changes,
    implied_move,
    import,
    import_generated,
    import_into_module,
    import_nowhere,
    import_nowhere_in_module,
    import_only,
    json_syntax,
    keepers,
    language,
    legacy,
    modules_count,
    modules_create_before_destroy,
    modules_for_each,
    modules_local,
    modules_nested,
    modules_orphaned,
    modules_own_provider,
    modules_provider_gone,
    modules_providers,
    modules_renamed,
    modules_sensitive,
    modules_shapes,
    modules_unknown,
    modules_validation,
    move_blocked,
    move_chain,
    move_into_module,
    move_keys,
    move_module,
    move_nowhere,
    move_other_type,
    move_resource,
    nested_attributes,
    nested_blocks,
    no_op,
    normalised,
    output_fails,
    output_nulled,
    outputs_only,
    outputs_refreshed,
    override_json,
    override_mixed,
    override_mixed_back,
    override_native,
    overridden_types,
    plan_modifiers,
    prevent_destroy,
    prior_order,
    provider_functions,
    provider_meta,
    provider_problems,
    refresh_only,
    refresh_only_absent,
    refresh_only_import,
    refresh_only_moved,
    refresh_only_nothing,
    refresh_only_target,
    refresh_only_triggered,
    removed,
    removed_after_move,
    removed_twice,
    replace_requested,
    replace_targeted,
    replace_triggered_by,
    replace_without_key,
    replacement,
    rules_behind_rules,
    sensitive,
    state_of_terraform,
    tainted,
    target,
    target_data,
    target_file,
    target_instances,
    target_module_gone,
    target_orphans,
    target_warnings,
    targeted_instance_checked,
    terraform_workspace,
    trigger_by_data,
    trigger_keys,
    trigger_nowhere,
    triggers_replace,
    typed_outputs,
    unknown,
    unknown_and_sensitive,
    update,
    upgraded,
    validation_message_unknown,
    value_changes,
    variable_precedence,
    variables,
}

fn check(test: &str) {
    let folder = repository()
        .join("tests/workspaces")
        .join(test.replace('_', "-"));
    match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => {
            for oracle in Oracle::recorded_in(&folder) {
                let module = scratch(test);
                support::copy_module(&folder, &module);
                let bench = Bench {
                    oracle,
                    cache: Some(&cache),
                };
                compare_plans(test, &module, &folder, bench, Texts::AsRecorded);
            }
        }
        Err(reason) => skipped(test, &reason),
    }
}

/// The modules of which terraform is asked whether they mean the same in JSON syntax.
const ASKED_IN_JSON_SYNTAX: [&str; 5] = [
    "language",
    "nested_blocks",
    "legacy",
    "ignore_changes",
    "variables",
];

fn check_in_json_syntax(test: &str) {
    let folder = repository()
        .join("tests/workspaces")
        .join(test.replace('_', "-"));
    let name = format!("{test}_in_json_syntax");
    match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => {
            let module = scratch(&name);
            support::copy_module(&folder, &module);
            for path in support::files(&module).into_keys() {
                let extension = path.extension().and_then(|extension| extension.to_str());
                if let Some(extension @ ("tf" | "tfvars")) = extension {
                    let text = fs::read_to_string(&path).unwrap();
                    let json = path.with_extension(format!("{extension}.json"));
                    if !json.exists() {
                        fs::write(json, fixture::to_json_syntax(&text)).unwrap();
                        fs::remove_file(path).unwrap();
                    }
                }
            }
            let is_asked = ASKED_IN_JSON_SYNTAX.contains(&test);
            let texts = Texts::InJsonSyntax { is_asked };
            let bench = Bench {
                oracle: Oracle::recorded_in(&folder)[0],
                cache: Some(&cache),
            };
            compare_plans(&name, &module, &folder, bench, texts);
        }
        Err(reason) => skipped(&name, &reason),
    }
}

/// The example needs no providers.
#[test]
fn first_plan() {
    match has_subcommand("plan") {
        Ok(()) => {
            let module = scratch("first_plan");
            support::copy_module(&example(), &module);
            let recorded = recorded_example();
            let bench = Bench {
                oracle: Oracle::Terraform111,
                cache: None,
            };
            compare_plans("first_plan", &module, &recorded, bench, Texts::AsRecorded);
        }
        Err(reason) => skipped("first_plan", &reason),
    }
}

fn example() -> PathBuf {
    repository().join("examples/first-plan")
}

fn recorded_example() -> PathBuf {
    repository().join("tests/data/first-plan")
}

/// The program whose plan is recorded, and the providers that it finds, if the module needs any.
#[derive(Clone, Copy)]
struct Bench<'a> {
    oracle: Oracle,
    cache: Option<&'a Path>,
}

/// The texts of a module.
#[derive(Clone, Copy)]
enum Texts {
    /// Terraform is asked about a sample of them, where it is there.
    AsRecorded,
    /// What `configuration` says of such texts is another thing.
    InJsonSyntax { is_asked: bool },
}

/// Plans the module with planlens and, where it is asked and there, with the real program; both say what `plan.json` and
/// `plan.txt` of it in `recorded` say.
fn compare_plans(test: &str, module: &Path, recorded: &Path, bench: Bench<'_>, texts: Texts) {
    let Bench { oracle, cache } = bench;
    // Its answers are recorded, so a sample tells whether they still hold.
    let is_asked =
        !matches!(texts, Texts::InJsonSyntax { is_asked: false }) && support::is_sampled(test, 3);
    let mut environment = support::environment(&recorded.join("env"));
    environment.push(("PLANLENS_LANGUAGE".into(), oracle.language()));
    if let Some(cache) = cache {
        let providers = oracle.providers(cache);
        support::install_providers(&providers, module);
        let configuration = providers.join("terraformrc").to_string_lossy().into_owned();
        environment.push(("TF_CLI_CONFIG_FILE".into(), configuration));
    }
    let options = fs::read_to_string(recorded.join("options")).unwrap_or_default();
    let options: Vec<&str> = options.split_whitespace().collect();
    let recorded_text = fs::read_to_string(oracle.answer(recorded, "plan.txt")).unwrap();
    let mut recorded: Value = parse(&fs::read(oracle.answer(recorded, "plan.json")).unwrap());

    let before = support::files(module);
    let output = planlens(module)
        .args(["plan", "--json"])
        .args(&options)
        .arg(module)
        .envs(environment.iter().cloned())
        .output()
        .unwrap();
    let generated = take_generated(module);
    let text = planlens(module)
        .arg("plan")
        .args(&options)
        .arg(module)
        .envs(environment.iter().cloned())
        .output()
        .unwrap();
    assert_eq!(generated, take_generated(module));
    let after = support::files(module);
    let touched: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|file| before.get(*file) != after.get(*file))
        .collect();
    assert!(touched.is_empty(), "planning changed files: {touched:?}");
    let Ok(mut ours) = serde_json::from_slice::<Value>(&output.stdout) else {
        panic!("no JSON document on stdout: {}", printed(&output));
    };

    let shown = printed(&text);
    // Sensitive values are there only in the JSON form, as in terraform's.
    assert!(!shown.contains("MARKER-SECRET"), "{shown}");

    let live = is_asked.then(|| {
        live(
            bench,
            module,
            &environment,
            &options,
            &recorded["terraform_version"],
        )
    });
    let mut live = live.flatten();
    if matches!(texts, Texts::InJsonSyntax { .. }) {
        recorded["configuration"] = match &mut live {
            Some((live, _)) => live["configuration"].clone(),
            None => Value::Null,
        };
        if live.is_none() {
            ours["configuration"] = Value::Null;
        }
    }
    let mut differences = compare(&recorded, &ours);
    // Terraform prints control characters in text of several lines as they are.
    differences.extend(compare_texts(
        &text::visible(&recorded_text),
        &String::from_utf8_lossy(&text.stdout),
    ));
    // In JSON syntax it has other places.
    if !matches!(texts, Texts::InJsonSyntax { .. }) {
        differences.extend(compare_reported(test, &recorded_text, &shown));
    }
    match live {
        Some((live, live_text)) => {
            differences.extend(compare_generated(take_generated(module), generated));
            let mut drifted = compare(&recorded, &live);
            drifted.extend(compare_texts(&recorded_text, &live_text));
            assert!(
                drifted.is_empty(),
                "terraform's answer is no more what was recorded:\n{}",
                drifted.join("\n")
            );
        }
        None if is_asked => oracle_is_recorded(),
        None => {}
    }
    if !differences.is_empty() {
        let total = differences.len();
        differences.truncate(40);
        panic!(
            "{total} differences from terraform's plan of {test}:\n{}\n{}",
            differences.join("\n"),
            diagnostics(&ours)
        );
    }
}

/// The real plan of the same folder and its text, where the program of this version is here.
fn live(
    bench: Bench<'_>,
    module: &Path,
    environment: &[(String, String)],
    options: &[&str],
    version: &Value,
) -> Option<(Value, String)> {
    let terraform = match bench.cache {
        Some(cache) => bench.oracle.program(cache)?,
        None => program("terraform")?,
    };
    let run = |arguments: &[&str]| {
        support::command(&terraform, module)
            .args(arguments)
            .envs(environment.iter().cloned())
            .output()
            .unwrap()
    };
    let its_version = parse(&run(&["version", "-json"]).stdout);
    if its_version["terraform_version"] != *version {
        return None;
    }
    // Ours has planned without `init`; terraform wants to be told where modules are.
    if module.join("modules").is_dir() {
        run(&["get"]);
    }
    let mut arguments = vec!["plan", "-refresh=false"];
    arguments.extend(options);
    arguments.extend(["-input=false", "-no-color", "-out=live.plan"]);
    let plan = run(&arguments);
    let shown = run(&["show", "-json", "live.plan"]);
    assert!(
        shown.status.success(),
        "terraform did not plan: {}{}",
        printed(&plan),
        printed(&shown)
    );
    let is_progress = |line: &&str| {
        [
            ": Preparing import...",
            ": Refreshing state...",
            ": Reading...",
            ": Read complete after ",
            ": Opening...",
            ": Opening complete after ",
            ": Closing...",
            ": Closing complete after ",
        ]
        .iter()
        .any(|progress| line.contains(progress))
    };
    let text = String::from_utf8_lossy(&plan.stdout);
    let text: Vec<&str> = text.lines().filter(|line| !is_progress(line)).collect();
    Some((parse(&shown.stdout), text.join("\n")))
}

/// The file that `-generate-config-out=generated.tf` makes; it is not left behind.
fn take_generated(module: &Path) -> Option<String> {
    let path = module.join("generated.tf");
    let text = fs::read_to_string(&path).ok()?;
    fs::remove_file(path).unwrap();
    Some(text)
}

/// Terraform writes the blocks in the order in which it happens to import.
fn compare_generated(theirs: Option<String>, ours: Option<String>) -> Option<String> {
    let blocks = |text: &str| -> BTreeSet<String> {
        text.split("\n\n").map(|it| it.trim().to_owned()).collect()
    };
    let (theirs, ours) = (
        blocks(&theirs.unwrap_or_default()),
        blocks(&ours.unwrap_or_default()),
    );
    let text = |blocks: Vec<&String>| {
        blocks
            .into_iter()
            .map(|it| format!("{it}\n"))
            .collect::<String>()
    };
    (theirs != ours).then(|| {
        format!(
            "generated\n  by terraform alone:\n{}\n  by planlens alone:\n{}",
            text(theirs.difference(&ours).collect()),
            text(ours.difference(&theirs).collect()),
        )
    })
}

/// The first line that differs in two printed plans, from behind the last empty line on.
fn compare_texts(theirs: &str, ours: &str) -> Option<String> {
    let (theirs, ours) = (changes(theirs), changes(ours));
    let mut paragraph: Vec<&str> = Vec::new();
    let (mut their_lines, mut our_lines) = (theirs.lines(), ours.lines());
    loop {
        let (their, our) = (their_lines.next(), our_lines.next());
        if their != our {
            let context = paragraph.join("\n");
            return Some(format!(
                "text: {context}\n  terraform prints {their:?}\n  planlens prints  {our:?}"
            ));
        }
        match their? {
            "" => paragraph.clear(),
            line => paragraph.push(line),
        }
    }
}

/// A printed plan without what follows: errors, warnings, and how to go on.
fn changes(text: &str) -> &str {
    let ends = ["\nError: ", "\nWarning: ", "\nSaved the plan to"];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    let text = text[..end.unwrap_or(text.len())].trim();
    // The line under it; one before it belongs to what was found out by reading.
    text.trim_end_matches('─').trim()
}

/// Where errors or warnings are told in another way, and why.
const TOLD_OTHERWISE: &[(&str, &str)] = &[
    (
        "failures_left_out",
        "planlens doesn't know of which instance of a resource an error is, so it tells no each.key",
    ),
    (
        "modules_validation",
        "planlens doesn't know of which instance of a module an error is, so it tells no values",
    ),
];

/// What is told as an error or a warning by one alone.
fn compare_reported(test: &str, theirs: &str, ours: &str) -> Vec<String> {
    let (theirs, ours) = (reported(theirs), reported(ours));
    let by_terraform = theirs.difference(&ours);
    let by_planlens = ours.difference(&theirs);
    if TOLD_OTHERWISE.iter().any(|(name, _)| *name == test) {
        assert_ne!(theirs, ours, "{test} is told alike now");
        return Vec::new();
    }
    by_terraform
        .map(|text| format!("terraform alone tells: {text}"))
        .chain(by_planlens.map(|text| format!("planlens alone tells: {text}")))
        .collect()
}

/// The errors and warnings of a printed plan.
fn reported(text: &str) -> BTreeSet<String> {
    let mut reported: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_head = line.starts_with("Error: ") || line.starts_with("Warning: ");
        let is_end = line.starts_with("Saved the plan to") || line.starts_with('─');
        match reported.last_mut() {
            _ if is_head => reported.push(line.to_owned()),
            Some(_) if is_end => break,
            // Terraform warns of each instance, and prints the first.
            Some(_) if line.contains("similar warning") => {}
            Some(last) => *last += &format!("\n{line}"),
            None => {}
        }
    }
    reported
        .iter()
        .map(|text| with_sorted_lists(text))
        .collect()
}

/// Terraform lists addresses and the members of a cycle in no order, and tells no place of a cycle.
fn with_sorted_lists(text: &str) -> String {
    if let Some(cycle) = text.strip_prefix("Error: Cycle: ") {
        let mut members: Vec<&str> = cycle.lines().next().unwrap_or("").split(", ").collect();
        members.sort_unstable();
        return format!("Error: Cycle: {}", members.join(", "));
    }
    let is_listed = |line: &&str| line.trim_start().starts_with("- ");
    let mut listed: Vec<&str> = text.lines().filter(is_listed).collect();
    listed.sort_unstable();
    let mut listed = listed.into_iter();
    let lines = text.lines().map(|line| match is_listed(&line) {
        true => listed.next().unwrap_or(line),
        false => line,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn oracle_is_recorded() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        use std::io::Write;
        let _ = writeln!(
            std::io::stderr(),
            "oracle: recorded plans, as terraform of their version is not on the PATH"
        );
    });
}

fn parse(text: &[u8]) -> Value {
    serde_json::from_slice(text)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)))
}

fn diagnostics(plan: &Value) -> String {
    let all = plan["diagnostics"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let lines = all.iter().map(|each| {
        format!(
            "diagnostic: {}: {}",
            text(&each["summary"]),
            text(&each["detail"])
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

const RESOURCE: [&str; 8] = [
    "address",
    "previous_address",
    "mode",
    "type",
    "name",
    "index",
    "provider_name",
    "action_reason",
];
const CHANGE: [&str; 11] = [
    "actions",
    "before",
    "after",
    "after_unknown",
    "before_sensitive",
    "after_sensitive",
    "replace_paths",
    "importing",
    "generated_config",
    "before_identity",
    "after_identity",
];

/// What differs between two lists of changes, each of objects with an address.
fn compare_changes(
    name: &str,
    place: &str,
    theirs: &Value,
    ours: &Value,
    differences: &mut Vec<String>,
) {
    let (left, right) = (by_address(theirs, name), by_address(ours, name));
    for address in keys(&left, &right) {
        let (Some(left), Some(right)) = (left.get(address), right.get(address)) else {
            differences.push(match left.contains_key(address) {
                true => format!("{place}{address}: not planned"),
                false => format!("{place}{address}: planned, but unknown to terraform"),
            });
            continue;
        };
        for key in RESOURCE {
            difference(address, key, &left[key], &right[key], differences);
        }
        for key in CHANGE {
            let (left, right) = (&left["change"][key], &right["change"][key]);
            match key {
                "replace_paths" => {
                    difference(address, key, &sorted(left), &sorted(right), differences)
                }
                _ => difference(address, key, left, right, differences),
            }
        }
    }
}

/// What differs between two plans, one line each: where, what terraform says, what we say.
fn compare(theirs: &Value, ours: &Value) -> Vec<String> {
    let mut differences = Vec::new();

    let names = ["resource_changes", "resource_drift"];
    for (name, place) in names.into_iter().zip(["", "drift of "]) {
        compare_changes(name, place, theirs, ours, &mut differences);
    }
    let none = Map::new();
    let outputs = |plan: &Value| plan["output_changes"].as_object().unwrap_or(&none).clone();
    let (left, right) = (outputs(theirs), outputs(ours));
    for name in keys(&left, &right) {
        for key in CHANGE {
            let place = format!("output.{name}");
            let of = |changes: &Map<String, Value>| {
                changes
                    .get(name)
                    .map(|change| change[key].clone())
                    .unwrap_or_default()
            };
            difference(&place, key, &of(&left), &of(&right), &mut differences);
        }
    }
    difference(
        "variables",
        "",
        &theirs["variables"],
        &ours["variables"],
        &mut differences,
    );
    let outputs = |plan: &Value| plan["planned_values"]["outputs"].clone();
    let (left, right) = (outputs(theirs), outputs(ours));
    difference("planned_values", "outputs", &left, &right, &mut differences);
    let objects = |plan: &Value| {
        let mut found = Map::new();
        planned_objects(&plan["planned_values"]["root_module"], &mut found);
        found
    };
    let (left, right) = (objects(theirs), objects(ours));
    for addr in keys(&left, &right) {
        let of = |objects: &Map<String, Value>| objects.get(addr).cloned().unwrap_or_default();
        difference(
            "planned_values",
            addr,
            &of(&left),
            &of(&right),
            &mut differences,
        );
    }
    let outputs = |plan: &Value| plan["prior_state"]["values"]["outputs"].clone();
    let (left, right) = (outputs(theirs), outputs(ours));
    difference("prior_state", "outputs", &left, &right, &mut differences);
    let objects = |plan: &Value| {
        let mut found = Map::new();
        planned_objects(&plan["prior_state"]["values"]["root_module"], &mut found);
        found
    };
    let (left, right) = (objects(theirs), objects(ours));
    for addr in keys(&left, &right) {
        let of = |objects: &Map<String, Value>| objects.get(addr).cloned().unwrap_or_default();
        difference(
            "prior_state",
            addr,
            &of(&left),
            &of(&right),
            &mut differences,
        );
    }
    for name in ["configuration", "checks"] {
        difference(name, "", &theirs[name], &ours[name], &mut differences);
    }
    for name in ["relevant_attributes", "action_invocations"] {
        let (left, right) = (sorted(&theirs[name]), sorted(&ours[name]));
        difference(name, "", &left, &right, &mut differences);
    }
    let errored = |plan: &Value| Value::Bool(plan["errored"].as_bool().unwrap_or(false));
    difference(
        "errored",
        "",
        &errored(theirs),
        &errored(ours),
        &mut differences,
    );
    differences
}

/// The objects of a module and of those it calls, by module and address.
fn planned_objects(module: &Value, found: &mut Map<String, Value>) {
    let list = |name: &str| module[name].as_array().cloned().unwrap_or_default();
    for resource in list("resources") {
        let place = format!(
            "{} {} {}",
            text(&module["address"]),
            text(&resource["address"]),
            text(&resource["deposed_key"])
        );
        found.insert(place, resource);
    }
    for child in list("child_modules") {
        planned_objects(&child, found);
    }
}

/// The changes of the plan by address; objects of the past that are deposed are apart.
fn by_address(plan: &Value, name: &str) -> Map<String, Value> {
    let changes = plan[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = changes.iter().map(|change| {
        let deposed = change["deposed"]
            .as_str()
            .map(|key| format!(" (deposed {key})"))
            .unwrap_or_default();
        (
            format!("{}{deposed}", text(&change["address"])),
            change.clone(),
        )
    });
    named.collect()
}

fn keys<'a>(left: &'a Map<String, Value>, right: &'a Map<String, Value>) -> BTreeSet<&'a str> {
    left.keys()
        .chain(right.keys())
        .map(String::as_str)
        .collect()
}

/// Paths in an order of their own: the plan's is none.
fn sorted(paths: &Value) -> Value {
    let mut paths = paths.as_array().cloned().unwrap_or_default();
    paths.sort_by_key(Value::to_string);
    Value::Array(paths)
}

fn difference(place: &str, path: &str, left: &Value, right: &Value, out: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            for key in keys(left, right) {
                let at = |object: &Map<String, Value>| object.get(key).cloned();
                match (at(left), at(right)) {
                    (Some(left), Some(right)) => {
                        difference(place, &format!("{path}.{key}"), &left, &right, out)
                    }
                    (left, right) => out.push(line(place, &format!("{path}.{key}"), left, right)),
                }
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                difference(place, &format!("{path}[{index}]"), left, right, out);
            }
        }
        (Value::Number(left), Value::Number(right))
            if decimal(&left.to_string()) == decimal(&right.to_string()) => {}
        (left, right) if left == right => {}
        (left, right) => out.push(line(place, path, Some(left.clone()), Some(right.clone()))),
    }
}

fn line(place: &str, path: &str, theirs: Option<Value>, ours: Option<Value>) -> String {
    let shown = |value: Option<Value>| value.map_or("nothing".into(), |value| value.to_string());
    format!(
        "{place}: {path}: terraform has {}, planlens has {}",
        shown(theirs),
        shown(ours)
    )
}

#[test]
fn numbers_are_equal_however_they_are_written() {
    assert_eq!(decimal("1e30"), decimal("1000000000000000000000000000000"));
    assert_eq!(decimal("-0.50"), decimal("-5e-1"));
    assert_eq!(decimal("0.0"), decimal("0"));
    assert_ne!(
        decimal("12345678901234567890"),
        decimal("12345678901234567891")
    );
}
