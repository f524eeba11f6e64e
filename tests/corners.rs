//! Odd corners: small random modules that combine features of the language are planned as the real programs plan them,
//! before anything is applied and after random edits.
//!
//! A few seeds are planned with every `cargo test` where terraform is on the PATH. `tests/corners/run` takes other seeds
//! and other programs, and keeps what differed; or compares modules that were written by hand.

#[path = "corners/generate.rs"]
mod generate;
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use generate::{Batch, Module, batch};
use serde_json::{Value, json};
use support::oracle::Oracle;
use support::{command, decimal, planlens, printed, scratch, skipped};

/// The seeds of every run.
const SEEDS: Range<u64> = 0..2;

#[test]
fn random_corners() {
    let test = "random_corners";
    let seeds = match std::env::var("PLANLENS_CORNER_SEEDS") {
        Ok(seeds) => {
            let (first, last) = seeds.split_once("..").expect("seeds are FIRST..LAST");
            first.parse().unwrap()..last.parse().unwrap()
        }
        Err(_) => SEEDS,
    };
    let named = std::env::var("PLANLENS_CORNER_ORACLE").unwrap_or("terraform-1.11".into());
    let oracle = Oracle::ALL.into_iter().find(|it| it.name() == named);
    let oracle = oracle.expect("an oracle of this name");
    let cache = match support::cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let Some(program) = oracle.program(&cache) else {
        return skipped(test, &format!("{named} is not here"));
    };
    let bench = Bench {
        oracle,
        program,
        providers: oracle.providers(&cache),
    };
    let (mut count, mut planned, mut different) = (0, 0, Vec::new());
    let folder = std::env::var_os("PLANLENS_CORNER_FOLDER").map(PathBuf::from);
    let batches: Vec<(String, Batch)> = match &folder {
        Some(folder) => written(folder),
        None => seeds
            .map(|seed| (seed.to_string(), batch(seed, oracle)))
            .collect(),
    };
    for (name, batch) in batches {
        for (name, outcome) in bench.batch(&name, &batch) {
            count += 1;
            planned += usize::from(outcome.is_planned);
            let mut err = std::io::stderr();
            if !outcome.differences.is_empty() {
                let found = outcome.differences.join("\n  ");
                let _ = writeln!(err, "{name}\n  {found}");
                different.push(name);
            }
        }
    }
    let equal = count - different.len();
    let _ = writeln!(
        std::io::stderr(),
        "{named}: {equal} of {count} equal, {planned} of them planned without errors"
    );
    assert!(different.is_empty(), "{}", different.join(" "));
}

/// The modules of a folder: `NAME/before` is applied, and each other folder `NAME/EDIT` is planned after that. A folder
/// without folders named `before` is one module. The files `options` and `environment` say what a plan is started with; the
/// value of a variable has `\n` for a new line.
fn written(folder: &Path) -> Vec<(String, Batch)> {
    let folders = |of: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = entries.filter(|it| it.is_dir()).collect();
        folders.sort();
        folders
    };
    let batches = folders(folder).into_iter().map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let batch = match path.join("before").is_dir() {
            true => Batch {
                base: module(&path.join("before")),
                edited: folders(&path)
                    .iter()
                    .filter(|it| !it.ends_with("before"))
                    .map(|it| module(it))
                    .collect(),
            },
            false => Batch {
                base: module(&path),
                edited: Vec::new(),
            },
        };
        (name, batch)
    });
    batches.collect()
}

fn module(folder: &Path) -> Module {
    let mut files = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(of) = folders.pop() {
        for entry in fs::read_dir(of).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                files.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    let options = files.remove("options").unwrap_or_default();
    let environment = files.remove("environment").unwrap_or_default();
    let variables = environment.lines().filter_map(|line| line.split_once('='));
    Module {
        files,
        options: options.split_whitespace().map(str::to_owned).collect(),
        environment: variables
            .map(|(name, value)| (name.to_owned(), value.replace("\\n", "\n")))
            .collect(),
    }
}

/// What `init` writes about the modules that a folder calls.
fn list_calls(module: &Module, caller: &str, folder: &Path, modules: &mut Vec<Value>) {
    for (path, text) in &module.files {
        if Path::new(path).parent() != Some(folder) {
            continue;
        }
        for call in text.split("module \"").skip(1) {
            let (name, rest) = call.split_once('"').unwrap();
            let source = rest
                .split_once("source")
                .and_then(|(_, it)| it.split('"').nth(1));
            let Some(dir) = source.and_then(|it| it.strip_prefix("./")) else {
                continue;
            };
            let dir = folder.join(dir);
            if module
                .files
                .keys()
                .any(|path| Path::new(path).parent() == Some(&dir))
            {
                let key = format!("{caller}{name}");
                modules.push(json!({"Key": key, "Source": source, "Dir": dir}));
                list_calls(module, &format!("{key}."), &dir, modules);
            }
        }
    }
}

/// A real program, and the providers that it finds.
struct Bench {
    oracle: Oracle,
    program: PathBuf,
    providers: PathBuf,
}

struct Outcome {
    is_planned: bool,
    differences: Vec<String>,
}

impl Bench {
    /// The modules of a batch, by name. The folders of those that are planned alike are removed.
    fn batch(&self, name: &str, batch: &Batch) -> Vec<(String, Outcome)> {
        let name = |index: usize| format!("{}-{name}-{index}", self.oracle.name());
        let applied = scratch(&name(0));
        self.write(&batch.base, &applied);
        let mut outcomes = vec![(name(0), self.compare(&batch.base, &applied))];
        self.run(
            &batch.base,
            &applied,
            &["apply", "-auto-approve", "-input=false"],
        );
        let state = fs::read(applied.join("terraform.tfstate")).unwrap_or_default();
        if outcomes[0].1.differences.is_empty() {
            fs::remove_dir_all(&applied).unwrap();
        } else {
            // So that what differed can be seen again.
            let _ = fs::remove_file(applied.join("terraform.tfstate"));
        }
        for (index, module) in batch.edited.iter().enumerate() {
            let folder = scratch(&name(index + 1));
            self.write(module, &folder);
            if !state.is_empty() {
                fs::write(folder.join("terraform.tfstate"), &state).unwrap();
            }
            let outcome = self.compare(module, &folder);
            if outcome.differences.is_empty() {
                fs::remove_dir_all(&folder).unwrap();
            }
            outcomes.push((name(index + 1), outcome));
        }
        outcomes
    }

    fn write(&self, module: &Module, folder: &Path) {
        for (path, text) in &module.files {
            let path = Path::new(path);
            fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
            fs::write(folder.join(path), text).unwrap();
        }
        let mut modules = vec![json!({"Key": "", "Source": "", "Dir": "."})];
        list_calls(module, "", Path::new(""), &mut modules);
        support::install_providers(&self.providers, folder);
        fs::create_dir_all(folder.join(".terraform/modules")).unwrap();
        let modules = json!({"Modules": modules}).to_string();
        let listed = folder.join(".terraform/modules/modules.json");
        if !listed.exists() {
            fs::write(listed, modules).unwrap();
        }
        fs::write(folder.join("options"), module.options.join(" ")).unwrap();
    }

    fn run(&self, module: &Module, folder: &Path, arguments: &[&str]) -> std::process::Output {
        command(&self.program, folder)
            .args(arguments)
            .envs(module.environment.clone())
            .env("TF_CLI_CONFIG_FILE", self.providers.join("terraformrc"))
            .output()
            .unwrap()
    }

    fn compare(&self, module: &Module, folder: &Path) -> Outcome {
        let options = module.options.join(" ");
        let options: Vec<&str> = options.split_whitespace().collect();
        let mut arguments = vec![
            "plan",
            "-refresh=false",
            "-input=false",
            "-json",
            "-out=planned",
            "-detailed-exitcode",
        ];
        arguments.extend(&options);
        let theirs = self.run(module, folder, &arguments);
        let planned = folder.join("planned");
        let has_plan = planned.exists();
        let document = has_plan.then(|| self.run(module, folder, &["show", "-json", "planned"]));
        let _ = fs::remove_file(&planned);
        let _ = fs::remove_file(folder.join(".terraform.tfstate.lock.info"));
        let ours = planlens(folder)
            .args(["plan", "-json", "-detailed-exitcode"])
            .args(&options)
            .envs(module.environment.clone())
            .env("PLANLENS_LANGUAGE", self.oracle.language())
            .env("TF_CLI_CONFIG_FILE", self.providers.join("terraformrc"))
            .output()
            .unwrap();
        let mut differences = Vec::new();
        let (code, our_code) = (theirs.status.code(), ours.status.code());
        if code != our_code {
            differences.push(format!("exit code: {code:?}, ours {our_code:?}"));
        }
        let lines: Vec<Value> = String::from_utf8_lossy(&theirs.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let reported = lines.iter().map(|line| &line["diagnostic"]);
        let reported = reported.filter(|it| it.is_object());
        let about_objects = reported_by(reported.clone().filter(|it| it["address"].is_string()));
        let mut their_reports = reported_by(reported);
        let Ok(our_plan) = serde_json::from_slice::<Value>(&ours.stdout) else {
            differences.push(format!("no document: {}", printed(&ours)));
            return Outcome {
                is_planned: has_plan,
                differences,
            };
        };
        let mut our_told = reported_by(our_plan["diagnostics"].as_array().into_iter().flatten());
        if wants_init(&their_reports) || goes_on(self.oracle, &their_reports, &our_told) {
            return Outcome {
                is_planned: has_plan,
                differences: Vec::new(),
            };
        }
        drop_parts(&about_objects, &mut their_reports, &mut our_told);
        differences.extend(compare_reported(&their_reports, &our_told));
        if let Some(Ok(their_plan)) = document.map(|it| serde_json::from_slice::<Value>(&it.stdout))
        {
            let before = differences.len();
            difference(
                "",
                &prepared(their_plan),
                &prepared(our_plan),
                &mut differences,
            );
            differences.truncate(before + 12);
        }
        Outcome {
            is_planned: code != Some(1),
            differences,
        }
    }
}

/// Errors that planlens reports at the argument that is wrong, and Terraform at the head of the block.
const PLACED_OTHERWISE: [&str; 1] = ["Module not installed"];

/// planlens reads states without `init`; what it cannot read it says instead.
fn wants_init(theirs: &BTreeSet<Reported>) -> bool {
    let mut texts = theirs.iter().map(|(text, _)| text.as_str());
    texts.any(|text| text.starts_with("error: Backend initialization required, please run"))
}

/// Errors in the values of variables after which Terraform 1.15.0 plans all the same: it reports them, and forgets them.
fn goes_on(oracle: Oracle, theirs: &BTreeSet<Reported>, ours: &BTreeSet<Reported>) -> bool {
    let is_of_values = |(text, place): &&Reported| {
        let file = place.as_ref().map_or("", |(file, _)| file);
        text == "error: Failed to read variables file"
            || text == "error: Invalid -var option"
            || text.starts_with("error: ") && file.contains(".tfvars")
    };
    oracle == Oracle::Terraform115
        && ours
            .iter()
            .find(is_of_values)
            .is_some_and(|it| theirs.contains(it))
}

/// Of what providers say about a part of a nested attribute or of a block, Terraform knows the argument or the block;
/// planlens names the line of the part.
fn drop_parts(
    about_objects: &BTreeSet<Reported>,
    theirs: &mut BTreeSet<Reported>,
    ours: &mut BTreeSet<Reported>,
) {
    let outer: Vec<Reported> = about_objects.difference(ours).cloned().collect();
    for whole in outer {
        let (text, Some((file, line))) = &whole else {
            continue;
        };
        let is_part = |it: &&Reported| {
            let place = it.1.as_ref().filter(|(other, _)| other == file);
            it.0 == *text && place.is_some_and(|(_, other)| other > line)
        };
        let part = ours.difference(theirs).find(is_part).cloned();
        if let Some(part) = part {
            theirs.remove(&whole);
            ours.remove(&part);
        }
    }
}

/// A diagnostic: severity and summary, and its file and line.
type Reported = (String, Option<(String, u64)>);

/// Terraform tells some errors once for each way to them: they are told once here.
fn reported_by<'a>(reported: impl Iterator<Item = &'a Value>) -> BTreeSet<Reported> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let each = reported.map(|it| {
        let summary = match text(&it["summary"]).strip_prefix("Cycle: ") {
            // In the order of the search for it.
            Some(names) => {
                let mut names: Vec<&str> = names.split(", ").map(without_new_key).collect();
                names.sort_unstable();
                format!("Cycle: {}", names.join(", "))
            }
            None => text(&it["summary"]),
        };
        // Terraform has an empty range for the default of a variable that a call does not set.
        let line = it["range"]["start"]["line"]
            .as_u64()
            .filter(|line| *line > 0);
        let line = line.filter(|_| !PLACED_OTHERWISE.contains(&summary.as_str()));
        // The value of a variable from the environment or an option is in no file.
        let file = text(&it["range"]["filename"]);
        let line = line.filter(|_| !file.starts_with("<value for "));
        let place = line.map(|line| (text(&it["range"]["filename"]), line));
        (format!("{}: {summary}", text(&it["severity"])), place)
    });
    each.collect()
}

/// A step in a cycle. The key that a deposed object is to have differs from run to run.
fn without_new_key(step: &str) -> &str {
    let deposed = " (destroy deposed";
    match step.find(deposed) {
        Some(at) => &step[..at + deposed.len()],
        None => step,
    }
}

/// Errors of Terraform that planlens leaves out, and the error at the same place that says it already. Each has its reason:
/// - `Unknown variable`: conditions and `dynamic` blocks are evaluated although a name in them is not declared or not
///   allowed, and then fail at that name.
const SAID_ALREADY: [(&str, &str); 3] = [
    (
        "error: Unknown variable",
        "error: Missing resource instance key",
    ),
    (
        "error: Unknown variable",
        "error: Reference to undeclared resource",
    ),
    (
        "error: Unknown variable",
        "error: Invalid \"self\" reference",
    ),
];

/// Errors of Terraform that planlens reports under the summary of their cause:
/// - a wrong provider in an `import` block, which Terraform finds while it compares the lock file;
/// - a state that can't be decrypted, which OpenTofu finds while it takes a lock. planlens takes none.
const NAMED_OTHERWISE: [(&str, &str); 2] = [
    (
        "error: Inconsistent dependency lock file",
        "error: Invalid import provider argument",
    ),
    (
        "error: Error acquiring the state lock",
        "error: State can't be read",
    ),
];

/// For a reference that begins with no attribute, as `path["module"]`, Terraform reports an attribute without a name and a
/// place beside the wrong operation.
fn is_nameless(it: &Reported, theirs: &BTreeSet<Reported>) -> bool {
    let (text, place) = it;
    let is_of_attribute = text.starts_with("error: Invalid \"") && text.ends_with("\" attribute");
    let is_undeclared = text == "error: Reference to undeclared input variable"
        || text == "error: Reference to undeclared local value";
    let mut texts = theirs.iter().map(|(text, _)| text);
    place.is_none()
        && (is_of_attribute || is_undeclared)
        && texts.any(|text| text == "error: Invalid reference")
}

fn is_better(it: &Reported, theirs: &BTreeSet<Reported>, ours: &BTreeSet<Reported>) -> bool {
    let (text, place) = it;
    let mut already = SAID_ALREADY.iter().filter(|(second, _)| second == text);
    let mut otherwise = NAMED_OTHERWISE.iter().filter(|(named, _)| named == text);
    is_nameless(it, theirs)
        || already.any(|(_, first)| theirs.contains(&((*first).to_owned(), place.clone())))
        || otherwise.any(|(_, cause)| ours.iter().any(|(text, _)| text == cause))
}

/// An error that has no place there may have one here.
fn compare_reported(theirs: &BTreeSet<Reported>, ours: &BTreeSet<Reported>) -> Vec<String> {
    let shown = |(text, place): &Reported| match place {
        Some((file, line)) => format!("{text} ({file}:{line})"),
        None => text.clone(),
    };
    let is_ours = |it: &&Reported| match it.1 {
        Some(_) => ours.contains(*it),
        None => ours.iter().any(|our| our.0 == it.0),
    };
    let is_theirs = |it: &&Reported| theirs.contains(*it) || theirs.contains(&(it.0.clone(), None));
    let missing = theirs
        .iter()
        .filter(|it| !is_ours(it) && !is_better(it, theirs, ours));
    let is_cause = |it: &&Reported| {
        let mut named = NAMED_OTHERWISE.iter().filter(|(_, cause)| *cause == it.0);
        named.any(|(named, _)| theirs.iter().any(|(text, _)| text == named))
    };
    let added = ours.iter().filter(|it| !is_theirs(it) && !is_cause(it));
    let missing = missing.map(|it| format!("told by it alone: {}", shown(it)));
    let added = added.map(|it| format!("told by ours alone: {}", shown(it)));
    missing.chain(added).collect()
}

/// Without what has no order, or is of the run.
fn prepared(mut plan: Value) -> Value {
    let root = plan.as_object_mut().unwrap();
    for name in ["timestamp", "diagnostics"] {
        root.remove(name);
    }
    let sort = |list: &mut Value| {
        if let Some(list) = list.as_array_mut() {
            list.sort_by_key(Value::to_string);
        }
    };
    if let Some(list) = root.get_mut("relevant_attributes") {
        sort(list);
    }
    for name in ["resource_changes", "resource_drift"] {
        let changes = root.get_mut(name).and_then(Value::as_array_mut);
        for change in changes.into_iter().flatten() {
            if let Some(paths) = change["change"].get_mut("replace_paths") {
                sort(paths);
            }
        }
    }
    sort_modules(root.get_mut("planned_values"));
    sort_modules(
        root.get_mut("prior_state")
            .and_then(|it| it.get_mut("values")),
    );
    plan
}

/// Modules of a module come in the order of a map, which differs from run to run.
fn sort_modules(values: Option<&mut Value>) {
    let mut modules: Vec<&mut Value> = Vec::new();
    modules.extend(values.and_then(|it| it.get_mut("root_module")));
    while let Some(module) = modules.pop() {
        let children = module
            .get_mut("child_modules")
            .and_then(Value::as_array_mut);
        if let Some(children) = children {
            children.sort_by_key(|it| it["address"].to_string());
            modules.extend(children);
        }
    }
}

fn difference(place: &str, theirs: &Value, ours: &Value, found: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            for key in theirs
                .keys()
                .chain(ours.keys().filter(|it| !theirs.contains_key(*it)))
            {
                let place = format!("{place}.{key}");
                match (theirs.get(key), ours.get(key)) {
                    (Some(theirs), Some(ours)) => difference(&place, theirs, ours, found),
                    (theirs, ours) => found.push(line(&place, theirs, ours)),
                }
            }
        }
        (Value::Array(theirs), Value::Array(ours)) if theirs.len() == ours.len() => {
            for (index, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
                difference(&format!("{place}[{index}]"), theirs, ours, found);
            }
        }
        (Value::Number(theirs), Value::Number(ours))
            if decimal(&theirs.to_string()) == decimal(&ours.to_string()) => {}
        (theirs, ours) if theirs == ours => {}
        (theirs, ours) => found.push(line(place, Some(theirs), Some(ours))),
    }
}

fn line(place: &str, theirs: Option<&Value>, ours: Option<&Value>) -> String {
    let shown = |value: Option<&Value>| {
        let text = value.map_or("nothing".into(), Value::to_string);
        text.chars().take(160).collect::<String>()
    };
    format!("{place}: {}, ours {}", shown(theirs), shown(ours))
}
