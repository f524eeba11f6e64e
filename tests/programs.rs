//! Programs of Pulumi beside its real engine: edits that were made at random come to the same in both, and the editor shows
//! what the command line says.
//!
//! `tests/pulumi/build` builds the engine. `PLANLENS_PULUMI_EDITS` is how many edits are compared, `PLANLENS_TEST_SEED` which.
//! Of the programs by hand a part is compared, all of them with `PLANLENS_TEST_LONG`, as `tests/run --long` sets it.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use support::client::SECRET;
use support::editor::{Editor, children};
use support::pulumi::{DISKS, engine, engine_preview, prepared, tools};
use support::random::Random;
use support::{files, planlens, repository, sample, scratch, skipped};

fn number(name: &str, default: usize) -> usize {
    let set = std::env::var(name).ok().and_then(|it| it.parse().ok());
    set.unwrap_or(default)
}

/// The programs, with their files beside them.
fn programs() -> Vec<(String, Value)> {
    let folder = repository().join("tests/pulumi/programs");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let parse = yaml::parse(&text);
        found.push((name, to_json(parse.root.as_ref().unwrap())));
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

fn to_json(node: &yaml::Node) -> Value {
    match &node.kind {
        yaml::NodeKind::Mapping(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|it| (it.key.text().unwrap().to_owned(), to_json(&it.value)));
            Value::Object(entries.collect())
        }
        yaml::NodeKind::Sequence(elements) => elements.iter().map(to_json).collect(),
        yaml::NodeKind::Scalar(scalar) => match scalar.resolve() {
            yaml::Resolved::Null => Value::Null,
            yaml::Resolved::Bool(value) => json!(value),
            yaml::Resolved::Number(number) if number.fract() == 0.0 => json!(number as i64),
            yaml::Resolved::Number(number) => json!(number),
            yaml::Resolved::String => json!(scalar.text),
        },
        yaml::NodeKind::Alias => Value::Null,
    }
}

/// As a person writes it, in lines.
fn to_yaml(value: &Value, indent: usize) -> String {
    let lead = " ".repeat(indent);
    match value {
        Value::Object(object) if !object.is_empty() => {
            let lines = object.iter().map(|(key, value)| {
                let is_plain = key
                    .chars()
                    .all(|c| c.is_alphanumeric() || "-_:".contains(c));
                let is_plain = is_plain && key.parse::<f64>().is_err();
                let key = if is_plain {
                    key.clone()
                } else {
                    json!(key).to_string()
                };
                match value {
                    Value::Object(inner) if !inner.is_empty() => {
                        format!("{lead}{key}:\n{}", to_yaml(value, indent + 2))
                    }
                    _ => format!("{lead}{key}: {}", to_yaml(value, indent)),
                }
            });
            lines.collect()
        }
        other => format!("{other}\n"),
    }
}

/// Edits of a program, made at random.
struct Edits<'a> {
    random: &'a mut Random,
    program: Value,
}

impl Edits<'_> {
    fn disks(&self) -> Vec<String> {
        let resources = self.program["resources"].as_object().unwrap().iter();
        let disks = resources.filter(|(_, it)| {
            let of = it["type"].as_str().unwrap_or_default();
            of.starts_with("lab:") && of.ends_with("Disk")
        });
        disks.map(|(name, _)| name.clone()).collect()
    }

    fn object(&mut self, name: &str, key: &str) -> &mut Map<String, Value> {
        let resource = &mut self.program["resources"][name];
        if !resource[key].is_object() {
            resource[key] = json!({});
        }
        resource[key].as_object_mut().unwrap()
    }

    /// A reference to another disk, or a text where there is none.
    fn other(&mut self, name: &str, path: &str) -> String {
        let others: Vec<String> = self.disks().into_iter().filter(|it| it != name).collect();
        match others.is_empty() {
            true => "fixed".to_owned(),
            false => format!("${{{}{path}}}", self.random.pick(&others)),
        }
    }

    fn value(&mut self, name: &str, property: &str) -> Value {
        let other = self.other(name, ".handle");
        let ports = [
            json!([]),
            json!([{ "protocol": "tcp", "number": 8080 }]),
            json!([{ "protocol": "udp" }, { "protocol": "tcp", "number": 443 }, { "protocol": "tcp" }]),
            json!([{ "protocol": "tcp", "number": 70000 }]),
        ];
        match property {
            "size" => json!(*self.random.pick(&["small", "medium", "large", "huge"])),
            "zone" => json!(*self.random.pick(&["a", "b", &*other])),
            "label" => json!(*self.random.pick(&["one", "two"])),
            "copies" => json!(self.random.below(4)),
            "fast" => json!(self.random.chance(50)),
            "key" => json!(*self.random.pick(&["new-key", "other-key"])),
            "tags" => match self.random.below(4) {
                0 => json!({}),
                1 => json!({ "team": "web", "more.x": "1" }),
                2 => json!({ "from": other }),
                _ => json!({ "sealed": { "fn::secret": "hidden" } }),
            },
            _ => self.random.pick(&ports).clone(),
        }
    }

    fn property(&mut self, name: &str) -> String {
        let all = [
            "size", "zone", "label", "copies", "fast", "key", "tags", "ports",
        ];
        let property = *self.random.pick(&all);
        let value = self.value(name, property);
        self.object(name, "properties")
            .insert(property.to_owned(), value);
        format!("{name}.{property}")
    }

    fn gone(&mut self, name: &str) -> String {
        let properties = self.object(name, "properties");
        let keys: Vec<String> = properties.keys().cloned().collect();
        if keys.is_empty() {
            return self.property(name);
        }
        let key = self.random.pick(&keys).clone();
        self.object(name, "properties").shift_remove(&key);
        format!("{name}.{key} gone")
    }

    fn option(&mut self, name: &str) -> String {
        let other = self.other(name, "");
        let (key, value) = match self.random.below(15) {
            10 if other != "fixed" => ("deletedWith", json!(other)),
            11 => (
                "hideDiffs",
                json!([*self.random.pick(&["size", "tags", "ports[*].number"])]),
            ),
            12 => (
                "customTimeouts",
                json!({ "create": "5m", "delete": "1h30m" }),
            ),
            13 => (
                "aliases",
                json!([{ "noParent": true }, { "name": "before" }]),
            ),
            14 => ("deleteBeforeReplace", json!(false)),
            0 => ("protect", json!(true)),
            1 => ("deleteBeforeReplace", json!(true)),
            2 => ("retainOnDelete", json!(true)),
            3 => (
                "ignoreChanges",
                json!([*self.random.pick(&["size", "zone", "tags.team"])]),
            ),
            4 => (
                "replaceOnChanges",
                json!([*self.random.pick(&["size", "tags", "ports[*].number"])]),
            ),
            5 => ("additionalSecretOutputs", json!(["handle"])),
            6 => ("replacementTrigger", json!(self.random.below(3))),
            7 if other != "fixed" => ("dependsOn", json!([other])),
            8 if other != "fixed" => ("parent", json!(other)),
            9 if other != "fixed" => ("replaceWith", json!([other])),
            _ => ("protect", json!(false)),
        };
        self.object(name, "options").insert(key.to_owned(), value);
        format!("{name} {key}")
    }

    /// A resource of another type than disks.
    fn another(&mut self) -> Option<String> {
        let resources = self.program["resources"].as_object().unwrap().iter();
        let others = resources.filter_map(|(name, it)| {
            let kind = it["type"].as_str()?.rsplit(':').next()?.to_owned();
            let is_provider = it["type"] == "pulumi:providers:lab";
            let is_known = is_provider || ["Slot", "Box", "Stash"].contains(&&*kind);
            is_known.then(|| (name.clone(), kind))
        });
        let others: Vec<(String, String)> = others.collect();
        if others.is_empty() {
            return None;
        }
        let (name, kind) = self.random.pick(&others).clone();
        let other = self.other(&name, ".handle");
        let values = match &*kind {
            "Slot" => vec![
                ("slot", json!("moved")),
                ("note", json!(other)),
                ("note", json!("a\nb\n")),
            ],
            "Box" => vec![
                ("kind", json!("closed")),
                (
                    "parts",
                    json!({ "a": { "name": "z", "words": ["p", other] }, "q.r": { "name": "y" } }),
                ),
                ("parts", json!({ "a": { "name": "x", "lock": "sealed" } })),
                ("limits", json!({ "weight": 2.5, "count": 7 })),
                ("grid", json!([["a"], [], ["b", "c"]])),
                (
                    "free",
                    json!({ "list": [1, null, { "deep": true }], "text": "[1, 2]" }),
                ),
                ("content", json!({ "fn::stringAsset": "other" })),
                (
                    "content",
                    json!({ "fn::assetArchive": { "y": { "fn::fileAsset": "./files/b.txt" }, "z": { "fn::stringAsset": "z" } } }),
                ),
                (
                    "others",
                    json!({ "file": { "fn::fileAsset": "./files/inner/a.txt" } }),
                ),
            ],
            "Stash" => vec![
                ("input", json!({ "of": other, "list": [] })),
                ("input", json!("{\"json\": [1, 2]}")),
                ("input", json!("one\ntwo\nthree\n")),
                ("input", json!([1, 2.5, { "fn::secret": 3 }])),
            ],
            _ => vec![
                ("region", json!("west")),
                ("prefix", json!("q")),
                ("token", json!({ "fn::secret": "t" })),
            ],
        };
        let (property, value) = self.random.pick(&values).clone();
        self.object(&name, "properties")
            .insert(property.to_owned(), value);
        Some(format!("{name}.{property}"))
    }

    /// Something that does not fit its type, or that only looks so.
    fn misfit(&mut self, name: &str) -> String {
        let other = self.other(name, "");
        let inner = |path: &str| match other.strip_suffix('}') {
            Some(other) => json!(format!("{other}{path}}}")),
            None => json!("fixed"),
        };
        let misfits = [
            ("nonsense", json!(1)),
            ("size", json!(["small"])),
            ("copies", json!("many")),
            ("copies", json!("3")),
            ("fast", json!(1)),
            ("label", json!(5)),
            ("tags", json!({ "a": 1, "b": true })),
            ("tags", json!({ "a": [1] })),
            ("tags", json!([1])),
            ("ports", json!([{ "protocl": "tcp" }])),
            ("ports", json!([{ "protocol": "tcp", "number": "many" }])),
            ("ports", json!({ "protocol": "tcp" })),
            ("ports", json!([{}])),
            ("zone", inner(".nonsense")),
            ("zone", inner(".tags.x")),
            ("zone", inner(".size.x")),
            ("zone", inner(".ports")),
            ("copies", inner(".handle")),
            ("copies", inner(".copies")),
            ("zone", inner(".copies")),
            ("tags", inner(".tags")),
            ("tags", inner(".ports")),
            ("ports", inner(".ports")),
            ("zone", inner("")),
            ("key", json!({ "fn::secret": 1 })),
            ("key", json!({ "fn::secret": { "a": 1 } })),
            ("zone", json!({ "fn::join": [1, ["a", "b"]] })),
            ("zone", json!({ "fn::join": [["-"], ["a", "b"]] })),
            ("zone", json!({ "fn::select": ["a", ["a", "b"]] })),
            ("zone", json!({ "fn::select": [1, ["a", "b"]] })),
            ("zone", json!({ "fn::toJSON": { "a": 1 } })),
            ("copies", json!({ "fn::toJSON": { "a": 1 } })),
            ("label", json!("${pulumi.nonsense}")),
            ("label", json!("${pulumi.stack}")),
        ];
        let (property, value) = self.random.pick(&misfits).clone();
        let what = format!("{name}.{property} {value}");
        self.object(name, "properties")
            .insert(property.to_owned(), value);
        what
    }

    fn rename(&mut self, name: &str) -> String {
        let new = format!("{name}-new");
        let text = self.program.to_string();
        let text = text
            .replace(&format!("${{{name}."), &format!("${{{new}."))
            .replace(&format!("${{{name}}}"), &format!("${{{new}}}"));
        self.program = serde_json::from_str(&text).unwrap();
        let resources = self.program["resources"].as_object().unwrap().clone();
        let renamed = resources.into_iter().map(|(key, value)| match key == name {
            true => (new.clone(), value),
            false => (key, value),
        });
        self.program["resources"] = Value::Object(renamed.collect());
        if self.random.chance(60) {
            let alias = json!([{ "name": name }]);
            self.object(&new, "options")
                .insert("aliases".to_owned(), alias);
        }
        format!("{name} renamed")
    }

    /// The edit in words, if one was made.
    fn make(&mut self) -> String {
        let disks = self.disks();
        if disks.is_empty() {
            let resources = self.program["resources"].as_object_mut().unwrap();
            let Some(name) = resources.keys().next().cloned() else {
                return "nothing is left".to_owned();
            };
            resources[&name]["properties"]["input"] = json!("edited");
            return format!("{name}.input");
        }
        let name = self.random.pick(&disks).clone();
        if self.random.chance(25)
            && let Some(edited) = self.another()
        {
            return edited;
        }
        match self.random.below(13) {
            12 => self.misfit(&name),
            0..=4 => self.property(&name),
            5 => self.gone(&name),
            6 | 7 => self.option(&name),
            8 | 9 => self.rename(&name),
            10 => {
                let zone = self.other("", ".handle");
                let added =
                    json!({ "type": "lab:Disk", "properties": { "size": "small", "zone": zone } });
                let resources = self.program["resources"].as_object_mut().unwrap();
                resources.insert("added".to_owned(), added);
                "added".to_owned()
            }
            _ => {
                let is_used = self.program.to_string().contains(&format!("${{{name}"));
                if is_used {
                    return self.property(&name);
                }
                let resources = self.program["resources"].as_object_mut().unwrap();
                resources.shift_remove(&name);
                format!("{name} removed")
            }
        }
    }
}

/// A program with its state, and a folder for edits of it.
struct Base {
    name: String,
    program: Value,
    folder: PathBuf,
    state: PathBuf,
}

fn bases(tools: &Path, test: &str) -> Vec<Base> {
    let root = scratch(test);
    let made = programs().into_iter().map(|(name, program)| {
        let folder = root.join(&name);
        let files = folder.join("work/files/inner");
        fs::create_dir_all(&files).unwrap();
        fs::write(files.join("a.txt"), "one").unwrap();
        fs::write(files.join("../b.txt"), "two\n").unwrap();
        fs::write(folder.join("work/Pulumi.yaml"), to_yaml(&program, 0)).unwrap();
        let state = folder.join("state.json");
        let output = engine(tools, &folder, "up", &state);
        assert!(output.status.success(), "{name}: {output:?}");
        let _ = fs::remove_file(folder.join("world"));
        Base {
            name,
            program,
            folder,
            state,
        }
    });
    made.collect()
}

/// What a preview says of each resource: step, reasons, details and inputs.
fn steps(preview: &Value) -> BTreeSet<String> {
    let sorted = |it: &Value| {
        let all = it.as_array().cloned().unwrap_or_default();
        let mut all: Vec<String> = all.iter().map(Value::to_string).collect();
        all.sort();
        all
    };
    let steps = preview["steps"].as_array().cloned().unwrap_or_default();
    // Those of a refresh repeat the state.
    let steps = steps.iter().filter(|it| it["op"] != "refresh");
    let reported = steps.map(|step| {
        let detailed = step["detailedDiff"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let mut detailed: Vec<String> = detailed
            .iter()
            .map(|(path, it)| format!("{path} {} {}", it["kind"], it["inputDiff"]))
            .collect();
        detailed.sort();
        json!([
            step["op"],
            step["urn"],
            sorted(&step["replaceReasons"]),
            sorted(&step["diffReasons"]),
            detailed,
            in_order(&step["newState"]["inputs"]),
            in_order(&step["newState"]["customTimeouts"]),
            step["newState"]["hideDiff"],
            step["newState"]["aliases"],
            step["newState"]["importID"],
            sorted(&step["newState"]["dependencies"]),
        ])
        .to_string()
    });
    reported.collect()
}

/// The text of a preview by what it says of each resource, as the engine registers them in any order.
fn blocks(text: &str) -> Vec<String> {
    let is_head = |line: &str| {
        let head = line.trim_start_matches([' ', '+', '~', '-', '>', '<']);
        let names_type = head
            .split_once(": (")
            .is_some_and(|(name, _)| name.split(':').count() == 3);
        names_type && !head.contains('"') || head == "Resources:" || line == "    --outputs:--"
    };
    let mut blocks = vec![String::new()];
    for line in text.lines() {
        if is_head(line) {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks.sort();
    blocks
}

/// What the two texts of a preview do not share.
fn text_differences(tools: &Path, base: &Base, programs: Option<&Path>) -> Option<String> {
    let theirs = engine(tools, &base.folder, "diff", &base.state);
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    let ours = preview(tools, base, programs).output().unwrap();
    let ours = String::from_utf8(ours.stdout).unwrap();
    let (a, b) = (blocks(&ours), blocks(&theirs));
    let only = |a: &[String], b: &[String]| {
        let only = a.iter().filter(|it| !b.contains(it));
        only.cloned().collect::<String>()
    };
    (a != b).then(|| format!("  ours\n{}  theirs\n{}", only(&a, &b), only(&b, &a)))
}

fn has_error(preview: &Value) -> bool {
    let all = preview["diagnostics"].as_array();
    // The host of the language reports a type error as a message in color, without a severity of its own.
    let is_error = |it: &Value| {
        let message = it["message"].as_str().unwrap_or_default();
        it["severity"] == "error" || message.starts_with("\u{1b}[31mError\u{1b}[0m")
    };
    all.is_some_and(|all| all.iter().any(is_error))
}

/// With the keys of objects in order.
fn in_order(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries = entries.into_iter();
            Value::Object(
                entries
                    .map(|(key, it)| (key.clone(), in_order(it)))
                    .collect(),
            )
        }
        Value::Array(elements) => elements.iter().map(in_order).collect(),
        other => other.clone(),
    }
}

/// `planlens preview`, as JSON.
fn ours(tools: &Path, base: &Base) -> (Value, String) {
    ours_beside(tools, base, None)
}

/// The same, with the programs of a folder on the PATH.
fn ours_beside(tools: &Path, base: &Base, programs: Option<&Path>) -> (Value, String) {
    let output = preview(tools, base, programs)
        .arg("-json")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (
        serde_json::from_slice(&output.stdout).unwrap_or_default(),
        errors,
    )
}

fn preview(tools: &Path, base: &Base, programs: Option<&Path>) -> Command {
    let work = base.folder.join("work");
    let mut command = prepared(planlens(&work), tools, &base.folder);
    if let Some(programs) = programs {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [programs, tools].map(Path::to_owned).into_iter();
        let path = folders.chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(path).unwrap());
    }
    command.args(["preview", "-stack=dev"]);
    command.arg(format!("-state={}", base.state.display()));
    command
}

/// Writes an edited program with its configuration. Answers what was edited.
fn edit(base: &Base, random: &mut Random) -> String {
    let mut edits = Edits {
        random,
        program: base.program.clone(),
    };
    let count = 1 + edits.random.below(3);
    let mut reported: Vec<String> = (0..count).map(|_| edits.make()).collect();
    let program = edits.program;
    let mut config = String::from("config: {}\n");
    if random.chance(20) {
        let region = *random.pick(&["north", "west"]);
        config = format!("config:\n  lab:region: {region}\n  lab:prefix: p\n");
        reported.push(format!("region {region}"));
    }
    let work = base.folder.join("work");
    fs::write(work.join("Pulumi.dev.yaml"), config).unwrap();
    fs::write(work.join("Pulumi.yaml"), to_yaml(&program, 0)).unwrap();
    reported.join(", ")
}

#[test]
fn random_edits_are_planned_as_the_engine_does() {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped("random_edits_are_planned_as_the_engine_does", &reason),
    };
    let seed = number("PLANLENS_TEST_SEED", 7);
    let edits = number("PLANLENS_PULUMI_EDITS", 20);
    let mut random = Random(seed as u64);
    let bases = bases(&tools, "programs-engine");
    let (mut labelled, mut differ, mut texts) = (Vec::new(), Vec::new(), 0);
    for nth in 0..edits {
        let base = &bases[nth % bases.len()];
        let what = format!("{}: {}", base.name, edit(base, &mut random));
        let theirs = engine_preview(&tools, &base.folder, &base.state);
        let (ours, errors) = ours(&tools, base);
        let (a, b) = (steps(&ours), steps(&theirs));
        // An error ends the engine's preview while others are being registered: which of them it tells is chance.
        let is_ended = has_error(&ours) && has_error(&theirs);
        if a == b && !has_error(&ours) && !has_error(&theirs) {
            texts += 1;
            if let Some(text) = text_differences(&tools, base, None) {
                differ.push(format!("{what}: the text\n{text}"));
            }
        }
        if a == b || is_ended && (a.is_subset(&b) || b.is_subset(&a)) {
            continue;
        }
        match ours["notPlanned"].is_null() {
            false => labelled.push(format!("{what}: {}", ours["notPlanned"])),
            true => {
                let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
                    a.difference(b).cloned().collect::<Vec<_>>().join("\n    ")
                };
                differ.push(format!(
                    "{what}\n  ours\n    {}\n  theirs\n    {}\n{errors}",
                    only(&a, &b),
                    only(&b, &a)
                ));
            }
        }
        let world = base.folder.join("world");
        assert!(!world.exists(), "{what}: {:?}", fs::read_to_string(&world));
    }
    let same = edits - labelled.len() - differ.len();
    report(&format!(
        "seed {seed}: {same} of {edits} edits are planned as the engine does, {texts} with their text, {} labelled, {} differ",
        labelled.len(),
        differ.len()
    ));
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(labelled.is_empty(), "{}", labelled.join("\n"));
}

/// A program that was written by hand, with changes of it: `tests/pulumi/changes`. Its parts begin with `#- `: the program
/// `before`, the `config` of its stack, a `file PATH` beside it, edits, with a line for each thing that is edited, in JSON, and
/// whole programs `after` an edit. A line `state` has the name of a resource and the keys that its entry in the state gets, a
/// line `copy` those that a copy of it at the end gets.
struct Written {
    before: String,
    config: String,
    files: Vec<(String, String)>,
    edits: Vec<(String, String)>,
}

fn written(text: &str) -> Written {
    let mut found = Written {
        before: String::new(),
        config: "config: {}\n".to_owned(),
        files: Vec::new(),
        edits: Vec::new(),
    };
    for part in text.split("#- ").skip(1) {
        let (head, body) = part.split_once('\n').unwrap();
        let (kind, name) = head.split_once(' ').unwrap_or((head, ""));
        let (name, body) = (name.to_owned(), body.to_owned());
        match kind {
            "before" => found.before = body,
            "config" => found.config = body,
            "file" => found.files.push((name, body)),
            "edit" => found.edits.push((name, body)),
            "after" => found.edits.push((name, format!("program {}", json!(body)))),
            other => panic!("{other}"),
        }
    }
    found
}

impl Written {
    /// Writes the program after an edit, and takes back the one before.
    fn write(&self, work: &Path, edit: &str) {
        let (mut program, mut config) = (self.before.clone(), self.config.clone());
        for (path, content) in &self.files {
            let path = work.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let (state, untouched) = (work.join("../state.json"), work.join("../state-of-up.json"));
        if untouched.exists() {
            fs::copy(&untouched, &state).unwrap();
        }
        let mut lines = edit.lines();
        while let Some(line) = lines.next() {
            let (kind, value) = line.split_once(' ').unwrap();
            let value: Value = serde_json::from_str(value).unwrap();
            match kind {
                "-" => {
                    let after = lines.next().and_then(|it| it.strip_prefix("+ ")).unwrap();
                    let after: String = serde_json::from_str(after).unwrap();
                    let before = value.as_str().unwrap();
                    assert!(program.contains(before), "{before}");
                    program = program.replace(before, &after);
                }
                "program" => program = value.as_str().unwrap().to_owned(),
                "config" => config = value.as_str().unwrap().to_owned(),
                "state" | "copy" => {
                    let text = fs::read(&state).unwrap();
                    let name = value[0].as_str().unwrap();
                    let changed = with_keys(&text, name, &value[1], kind == "copy");
                    fs::write(&state, changed).unwrap();
                }
                "file" => fs::write(
                    work.join(value[0].as_str().unwrap()),
                    value[1].as_str().unwrap(),
                )
                .unwrap(),
                other => panic!("{other}"),
            }
        }
        let head = "name: shop\nruntime: yaml\n";
        fs::write(work.join("Pulumi.yaml"), format!("{head}{program}")).unwrap();
        fs::write(work.join("Pulumi.dev.yaml"), config).unwrap();
    }
}

/// An exported state in which the resource of this name, or a copy of it, has these keys, too.
fn with_keys(state: &[u8], name: &str, keys: &Value, is_copied: bool) -> String {
    let mut state: Value = serde_json::from_slice(state).unwrap();
    let resources = state["deployment"]["resources"].as_array_mut().unwrap();
    let end = format!("::{name}");
    let is_named = |it: &Value| it["urn"].as_str().unwrap().ends_with(&end);
    let mut at = resources.iter().position(is_named).unwrap();
    if is_copied {
        resources.push(resources[at].clone());
        at = resources.len() - 1;
    }
    let resource = &mut resources[at];
    for (key, value) in keys.as_object().unwrap() {
        resource[key] = value.clone();
    }
    state.to_string()
}

#[test]
fn programs_written_by_hand_are_planned_as_the_engine_does() {
    let test = "programs_written_by_hand_are_planned_as_the_engine_does";
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    let root = scratch(test);
    // As the engine tells its release.
    let bin = root.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("pulumi");
    fs::write(&program, "#!/bin/sh\necho v3.259.0\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let paths = files(&repository().join("tests/pulumi/changes")).into_keys();
    let paths = match std::env::var("PLANLENS_PULUMI_CHANGES") {
        Ok(folder) if Path::new(&folder).is_dir() => {
            files(Path::new(&folder)).into_keys().collect()
        }
        Ok(wanted) => paths
            .filter(|it| it.to_string_lossy().contains(&wanted))
            .collect(),
        Err(_) => sample(paths, 32),
    };
    let Compared {
        same,
        labelled,
        differ,
    } = compare_written(&tools, &root, &bin, paths, &|_| {});
    report(&format!(
        "{same} changes by hand are planned as the engine does, those of {labelled:?} with a label, {} differ",
        differ.len()
    ));
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    // Outputs with secrets inside, and a setting with two names: chance decides which of them the engine takes.
    let expected = ["configured, ", "config-kinds, both names:"];
    let is_expected = |it: &String| expected.iter().any(|name| it.starts_with(name));
    assert!(labelled.iter().all(is_expected), "{labelled:?}");
}

/// How many previews of the engine are compared, until one is equal.
const ENGINE_PREVIEWS: usize = 3;

/// How changes that were written by hand compare with what the engine plans.
#[derive(Default)]
struct Compared {
    same: usize,
    /// The changes of which something is labelled.
    labelled: BTreeSet<String>,
    differ: Vec<String>,
}

/// `prepare` gets the folder of each program.
fn compare_written(
    tools: &Path,
    root: &Path,
    bin: &Path,
    paths: Vec<PathBuf>,
    prepare: &dyn Fn(&Path),
) -> Compared {
    let mut compared = Compared::default();
    let Compared {
        same,
        labelled,
        differ,
    } = &mut compared;
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let written = written(&fs::read_to_string(&path).unwrap());
        let base = Base {
            program: Value::Null,
            folder: root.join(&name),
            state: root.join(&name).join("state.json"),
            name,
        };
        let work = base.folder.join("work");
        fs::create_dir_all(&work).unwrap();
        prepare(&work);
        written.write(&work, "");
        let output = engine(tools, &base.folder, "up", &base.state);
        assert!(output.status.success(), "{}: {output:?}", base.name);
        fs::copy(&base.state, base.folder.join("state-of-up.json")).unwrap();
        for (what, edit) in &written.edits {
            written.write(&work, edit);
            let output = engine(tools, &base.folder, "preview", &base.state);
            let theirs: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let (ours, errors) = ours_beside(tools, &base, Some(bin));
            let (a, b) = (steps(&ours), steps(&theirs));
            let fails = (has_error(&ours) || ours.is_null(), !output.status.success());
            // The engine goes on after some of the host's errors.
            let fail = fails.0 && (fails.1 || has_error(&theirs));
            let mut is_ended = fail && (a.is_subset(&b) || b.is_subset(&a));
            let mut is_same = a == b && fails == (false, false);
            // Chance decides some answers of the engine: which objects its threads have read when another one ends it, and in which order it goes through a map.
            for _ in 1..ENGINE_PREVIEWS {
                if is_ended || is_same {
                    break;
                }
                let output = engine(tools, &base.folder, "preview", &base.state);
                let again = serde_json::from_slice(&output.stdout).unwrap_or_default();
                let b = steps(&again);
                is_same = a == b && !fails.0 && output.status.success();
                is_ended = fail && !output.status.success() && (a.is_subset(&b) || b.is_subset(&a));
                if is_same {
                    report(&format!(
                        "{}, {what}: chance decides the engine's answer",
                        base.name
                    ));
                }
            }
            let is_whole = is_same && ours["notPlanned"].is_null();
            // The engine prints what several threads do: the order may change.
            let mut texts = (0..ENGINE_PREVIEWS).map(|_| text_differences(tools, &base, Some(bin)));
            let text = is_whole.then(|| texts.try_fold(String::new(), |_, text| text));
            if let Some(text) = text.flatten() {
                differ.push(format!("{}, {what}: the text\n{text}", base.name));
            } else if is_ended || is_same {
                // All steps are equal, but an output may be labelled.
                match ours["notPlanned"].is_null() {
                    true => *same += 1,
                    false => {
                        let label = ours["notPlanned"].to_string();
                        labelled.insert(format!("{}, {what}: {label}", base.name));
                    }
                }
            } else {
                let steps_of = |all: &BTreeSet<String>, others| {
                    let only = all.difference(others).cloned().collect::<Vec<_>>();
                    only.join("\n    ")
                };
                let (ours, theirs) = (steps_of(&a, &b), steps_of(&b, &a));
                differ.push(format!(
                    "{}, {what}\n  ours\n    {ours}\n  theirs\n    {theirs}\n{errors}",
                    base.name
                ));
            }
        }
    }
    compared
}

/// Makes a provider of Terraform a package of a program, as `pulumi package add terraform-provider PATH` does.
fn add_package(work: &Path, name: &str, version: &str, provider: &Path) {
    use base64::Engine as _;
    let value = json!({ "local": { "path": provider } }).to_string();
    let value = base64::engine::general_purpose::STANDARD.encode(value);
    let lock = format!(
        "packageDeclarationVersion: 1\nname: terraform-provider\nversion: 1.0.0\nparameterization:\n  name: {name}\n  version: {version}\n  value: {value}\n"
    );
    fs::create_dir_all(work.join("sdks")).unwrap();
    fs::write(work.join(format!("sdks/{name}.yaml")), lock).unwrap();
}

/// Providers of Terraform, as the bridge calls them, and in which folder of the mirror they are.
const BRIDGED: [(&str, &str, &str); 3] = [
    ("random", "0.0.0", "hashicorp/random/3.9.0"),
    ("lab5", "0.0.0", "planlens/lab5/1.0.0"),
    ("lab6", "0.0.0", "planlens/lab6/1.0.0"),
];

/// The name and the version of a provider of Terraform, and its program.
type Bridged = (&'static str, &'static str, PathBuf);

/// The tools with the bridge, and copies of the providers in a folder: the bridge takes their names from those of the files.
fn bridged(tools: PathBuf, root: &Path) -> Result<(PathBuf, Vec<Bridged>), String> {
    if !tools.join("pulumi-resource-terraform-provider").exists() {
        return Err("the bridge is not built: run tests/pulumi/build".to_owned());
    }
    let mirror = tools.parent().unwrap().join("mirror/registry.terraform.io");
    let mut providers = Vec::new();
    for (name, version, folder) in BRIDGED {
        let found = files(&mirror.join(folder)).into_keys().find(|it| {
            let file = it.file_name().and_then(|it| it.to_str());
            file.is_some_and(|it| it.starts_with("terraform-provider-"))
        });
        let found = found.ok_or("providers are not built: run tests/providers/build")?;
        let provider = root.join(format!("terraform-provider-{name}"));
        fs::copy(found, &provider).unwrap();
        providers.push((name, version, provider));
    }
    Ok((tools, providers))
}

/// The bridge serves the provider of Terraform that its parameter names: `tests/pulumi/bridged`.
#[test]
fn providers_of_terraform_are_planned_through_the_bridge_of_pulumi() {
    let test = "providers_of_terraform_are_planned_through_the_bridge_of_pulumi";
    let root = scratch(test);
    let (tools, providers) = match tools().and_then(|tools| bridged(tools, &root)) {
        Ok(found) => found,
        Err(reason) => return skipped(test, &reason),
    };
    let paths = files(&repository().join("tests/pulumi/bridged")).into_keys();
    let prepare = |work: &Path| {
        for (name, version, provider) in &providers {
            add_package(work, name, version, provider);
        }
    };
    let compared = compare_written(&tools, &root, &tools, sample(paths, 4), &prepare);
    let Compared {
        same,
        labelled,
        differ,
    } = compared;
    report(&format!(
        "{same} changes through the bridge are planned as the engine does, those of {labelled:?} with a label, {} differ",
        differ.len()
    ));
    assert!(labelled.is_empty(), "{labelled:?}");
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Programs that call functions, read or import objects, or configure names: as applied, as planned, and the configuration of
/// the plan.
const OUTSIDE: [Change; 16] = [
    (
        "a function in a variable",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n",
        "variables:\n  loud:\n    fn::invoke:\n      function: lab:shout\n      arguments: {word: hello}\n      return: loud\nresources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${loud}\n      tags: {word: '${whole.address}'}\n  whole:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "{}",
    ),
    (
        "a function by its short name, in a property, with what is known of another resource",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n",
        "variables:\n  loud:\n    fn::lab:shout:\n      word: ${a.size}\nresources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      tags:\n        loud: ${loud.loud}\n        quiet: {'fn::invoke': {function: 'lab:index:shout', arguments: {word: psst}, return: loud}}\n",
        "{}",
    ),
    (
        "a function of something unknown",
        "resources: {}\n",
        "variables:\n  loud:\n    fn::lab:shout:\n      word: ${a.handle}\nresources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${loud.loud}\n",
        "{}",
    ),
    (
        "a function of a secret",
        "resources: {}\n",
        "variables:\n  loud:\n    fn::lab:shout:\n      word: {'fn::secret': hidden}\nresources:\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${loud.loud}\n",
        "{}",
    ),
    (
        "a function that fails",
        "resources: {}\n",
        "variables:\n  loud:\n    fn::lab:shout:\n      word: ''\nresources:\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${loud.loud}\n",
        "{}",
    ),
    (
        "a function of a provider in the program",
        "resources: {}\n",
        "variables:\n  loud:\n    fn::invoke:\n      function: lab:shout\n      arguments: {word: hello}\n      options: {provider: '${west}'}\nresources:\n  west:\n    type: pulumi:providers:lab\n    properties: {region: west}\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${loud.loud}\n    options: {provider: '${west}'}\n",
        "{}",
    ),
    (
        "an object that exists",
        "resources: {}\n",
        "resources:\n  old:\n    type: lab:Disk\n    get: {id: from-before, state: {zone: x}}\n  b:\n    type: lab:Disk\n    properties:\n      size: ${old.size}\n      zone: ${old.handle}\n      key: ${old.seal}\n",
        "{}",
    ),
    (
        "an object by an unknown id",
        "resources: {}\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n  old:\n    type: lab:Disk\n    get: {id: '${a.handle}'}\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${old.handle}\n",
        "{}",
    ),
    (
        "an object that was read before, by another id",
        "resources:\n  old:\n    type: lab:Disk\n    get: {id: from-before}\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${old.handle}\n",
        "resources:\n  old:\n    type: lab:Disk\n    get: {id: another}\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${old.handle}\n",
        "{}",
    ),
    (
        "an object that is no longer read",
        "resources:\n  old:\n    type: lab:Disk\n    get: {id: from-before}\n",
        "resources: {}\n",
        "{}",
    ),
    (
        "an object that does not exist",
        "resources: {}\n",
        "resources:\n  old:\n    type: lab:Disk\n    get: {id: nowhere}\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${old.handle}\n",
        "{}",
    ),
    (
        "an object by an id that is no text",
        "resources: {}\n",
        "resources:\n  old:\n    type: lab:Disk\n    get: {id: 5}\n",
        "{}",
    ),
    (
        "an object without an id",
        "resources: {}\n",
        "resources:\n  old:\n    type: lab:Disk\n    get: {id: ''}\n",
        "{}",
    ),
    (
        "an object that was taken over before",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: large\n      label: from-before\n    options: {import: from-before}\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n      label: from-before\n    options: {import: from-before}\n",
        "{}",
    ),
    (
        "names as in the program",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: a\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${a.handle}\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: b\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${a.handle}\n",
        "{'pulumi:autonaming': {mode: verbatim}}",
    ),
    (
        "names that are made up, but for one type",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: a\n  b:\n    type: lab:Slot\n    properties:\n      slot: one\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: b\n  b:\n    type: lab:Slot\n    properties:\n      slot: two\n    options: {deleteBeforeReplace: false}\n",
        "{'pulumi:autonaming': {pattern: '${name}-${hex(4)}', providers: {lab: {resources: {'lab:index:Slot': {pattern: '${stack}-${name}'}}}}}}",
    ),
];

#[test]
fn external_values_are_asked_as_the_engine_does() {
    compare_changes("external_values_are_asked_as_the_engine_does", &OUTSIDE);
}

#[test]
fn options_change_plans_as_in_the_engine() {
    compare_changes("options_change_plans_as_in_the_engine", &OPTIONS);
}

/// Programs before and after a change, and their configuration after it.
const OPTIONS: [Change; 26] = [
    (
        "an enumeration where a text is wanted",
        "resources:\n  x:\n    type: lab:Box\n    properties: {kind: open}\n",
        "resources:\n  x:\n    type: lab:Box\n    properties: {kind: open}\n  d:\n    type: lab:Disk\n    properties: {size: small, zone: '${x.kind}'}\n",
        "{}",
    ),
    (
        "dates and octal numbers in the configuration of the stack",
        "resources: {}\n",
        "resources:\n  a:\n    type: pulumi:index:Stash\n    properties: {input: ['${d}', '${o}', '${n}', '${none}', '${shop:quoted}']}\n",
        "{'shop:d': 2001-12-14, 'shop:o': {in: [2001-1-2 01:02:03, 2001-12-14T21:59:43.10-05:00], 2002-1-1: x, n: 017}, 'shop:n': 0x1F, 'shop:none': ~, 'shop:quoted': '2001-12-14'}",
    ),
    (
        "numbers in the notations of YAML",
        "resources: {}\n",
        "variables:\n  words: [yes, no, on, off, True, FALSE, ~, Null, '', 0b11, 1:30, 0.10, 1., 017, 0o17, 0x1F, 1_000, .5, 1e3, .inf, .nan]\n  dates: [2001-12-14, 2001-12-14 21:59:43]\nresources:\n  a:\n    type: pulumi:index:Stash\n    properties: {input: ['${words}', '${dates}']}\n",
        "{}",
    ),
    (
        "a provider with an alias has another name",
        "resources:\n  w:\n    type: pulumi:providers:lab\n    properties: {region: west}\n  a:\n    type: lab:Disk\n    properties: {size: small}\n    options: {provider: '${w}'}\n",
        "resources:\n  v:\n    type: pulumi:providers:lab\n    properties: {region: west}\n    options: {aliases: [{name: w}]}\n  a:\n    type: lab:Disk\n    properties: {size: small}\n    options: {provider: '${v}'}\n",
        "{}",
    ),
    (
        "an alias has a key that there is not",
        "resources:\n  top:\n    type: lab:Disk\n    properties: {size: small}\n  mid:\n    type: lab:Disk\n    properties: {size: small}\n    options: {parent: '${top}'}\n",
        "resources:\n  top:\n    type: lab:Disk\n    properties: {size: small}\n  mid:\n    type: lab:Disk\n    properties: {size: small}\n    options: {aliases: [{parentUrn: 'urn:pulumi:dev::shop::lab:index:Disk::top'}]}\n",
        "{}",
    ),
    (
        "a variable holds a secret",
        "variables:\n  w: {'fn::secret': old}\n  o: {x: '${w}', z: plain}\nresources:\n  a:\n    type: lab:Disk\n    properties: {size: small, zone: '${o.z}'}\n",
        "variables:\n  w: {'fn::secret': new}\n  o: {x: '${w}', z: other}\nresources:\n  a:\n    type: lab:Disk\n    properties: {size: small, zone: '${o.z}'}\n",
        "{}",
    ),
    (
        "a dependent in another package is deleted first",
        "resources:\n  s:\n    type: lab:Slot\n    properties: {slot: one}\n  t:\n    type: pulumi:index:Stash\n    properties: {input: '${s.address}'}\n  z:\n    type: lab:Disk\n    properties: {size: small, zone: '${s.address}'}\n",
        "resources:\n  s:\n    type: lab:Slot\n    properties: {slot: two}\n  t:\n    type: pulumi:index:Stash\n    properties: {input: '${s.address}'}\n  z:\n    type: lab:Disk\n    properties: {size: small, zone: '${s.address}'}\n",
        "{}",
    ),
    (
        "all changes are ignored",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: small, tags: {a: '1'}}\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: large, tags: {a: '5'}}\n    options: {ignoreChanges: ['*']}\n",
        "{}",
    ),
    (
        "ignored changes of a resource that is replaced",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: small, zone: a, tags: {k: v}, copies: 1}\n  b:\n    type: lab:Slot\n    properties: {slot: s, note: n}\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: large, zone: b, tags: {k: w, n: o}, copies: 2}\n    options: {ignoreChanges: [size, 'tags.k', copies]}\n  b:\n    type: lab:Slot\n    properties: {slot: t, note: n2}\n    options: {ignoreChanges: [note]}\n",
        "{}",
    ),
    (
        "a version and an address of the plugin",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: small}\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n  c:\n    type: lab:Slot\n    properties: {slot: y}\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: small}\n    options: {version: 1.0.0}\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n  c:\n    type: lab:Slot\n    properties: {slot: y}\n    options: {pluginDownloadURL: 'https://example.com/x'}\n",
        "{lab:prefix: p}",
    ),
    (
        "the configuration of a provider is not known yet",
        "resources:\n  p:\n    type: pulumi:providers:lab\n    properties: {region: west}\n  a:\n    type: lab:Disk\n    properties: {size: small}\n    options: {provider: '${p}'}\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n    options: {parent: '${a}'}\n",
        "resources:\n  p:\n    type: pulumi:providers:lab\n    properties: {region: west, prefix: '${n.address}'}\n  n:\n    type: lab:Slot\n    properties: {slot: n}\n  a:\n    type: lab:Disk\n    properties: {size: small}\n    options: {provider: '${p}'}\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n    options: {parent: '${a}'}\n  c:\n    type: lab:Disk\n    properties: {size: small, zone: '${a.handle}', tags: {x: '${a.size}'}}\n",
        "{}",
    ),
    (
        "all properties come from outputs",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: small, tags: {k: v}}\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n  c:\n    type: lab:Disk\n    properties: {size: small}\n",
        "variables:\n  sealed: {'fn::secret': {size: medium, tags: {q: r}}}\n  open: {size: large}\nresources:\n  a:\n    type: lab:Disk\n    properties: ${sealed}\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n  c:\n    type: lab:Disk\n    properties: ${open}\n",
        "{}",
    ),
    (
        "the name in an alias is a number",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "resources:\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n    options: {aliases: [{name: 5}]}\n",
        "{}",
    ),
    (
        "an alias is no URN",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "resources:\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n    options: {aliases: [a]}\n",
        "{}",
    ),
    (
        "aliases come from a variable",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "variables:\n  before: [{name: a}]\nresources:\n  b:\n    type: lab:Slot\n    properties: {slot: x}\n    options: {aliases: '${before}'}\n",
        "{}",
    ),
    (
        "providers have to be named",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: y}\n",
        "{'pulumi:disable-default-providers': [lab]}",
    ),
    (
        "configuration is not declared, or is of another type than its declaration",
        "resources:\n  a:\n    type: pulumi:index:Stash\n    properties: {input: 1}\n",
        "config:\n  count: {type: integer}\nresources:\n  a:\n    type: pulumi:index:Stash\n    properties: {input: ['${count}', '${shop:word}', '${word}', '${flag}', '${other:key}']}\n",
        "{'shop:count': 2, 'shop:word': '017', 'shop:flag': t, 'other:key': x}",
    ),
    (
        "the default provider of the program comes before that of a parent, and ignores changes",
        "resources:\n  main:\n    type: pulumi:providers:lab\n    properties: {region: west, token: t}\n    defaultProvider: true\n  second:\n    type: pulumi:providers:lab\n    properties: {region: south}\n  b:\n    type: lab:Disk\n    properties: {size: small}\n    options: {provider: '${second}'}\n  c:\n    type: lab:Slot\n    properties: {slot: c}\n    options: {parent: '${b}'}\n",
        "resources:\n  main:\n    type: pulumi:providers:lab\n    properties: {region: east, token: {'fn::secret': t}}\n    options: {ignoreChanges: [region]}\n    defaultProvider: true\n  second:\n    type: pulumi:providers:lab\n    properties: {region: south}\n  b:\n    type: lab:Disk\n    properties: {size: small}\n    options: {provider: '${second}'}\n  c:\n    type: lab:Slot\n    properties: {slot: c, note: n}\n    options: {parent: '${b}'}\n",
        "{}",
    ),
    (
        "whole numbers of more digits than a number keeps",
        "resources: {}\n",
        "resources:\n  a:\n    type: pulumi:index:Stash\n    properties: {input: [9007199254740993, 12345678901234567890, -9223372036854775808, 1e20, 1e21, 1e-7, '${v}', '${w}']}\n",
        "{'shop:v': 12345678901234567890, 'shop:w': '1_000'}",
    ),
    (
        "aliases and merge keys in the configuration of the stack",
        "resources: {}\n",
        "resources:\n  a:\n    type: pulumi:index:Stash\n    properties: {input: ['${v}', '${w}', '${x}']}\n---\nresources: {}\n",
        "{'shop:v': &v {a: b, c: d}, 'shop:w': {<<: *v, a: e}, 'shop:x': *v}",
    ),
    (
        "functions about a resource do not come from it",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n  b:\n    type: lab:Disk\n    properties: {size: small}\n",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n  b:\n    type: lab:Disk\n    properties: {size: small, zone: {'fn::pulumiResourceName': '${a}'}, tags: {t: {'fn::pulumiResourceType': '${a}'}}}\n",
        "{}",
    ),
    (
        "the comparison of a resource ends in an error",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "resources:\n  a:\n    type: lab:Disk\n    properties: {size: small}\n    options: {aliases: [{type: 'lab:index:Slot'}]}\n",
        "{}",
    ),
    (
        "contents that come from a resource",
        "resources:\n  a:\n    type: lab:Box\n    properties: {content: {'fn::stringAsset': x}, others: {f: {'fn::assetArchive': {k: {'fn::stringAsset': q}}}}}\n  b:\n    type: lab:Box\n    properties: {content: '${a.content}', others: '${a.others}'}\n",
        "resources:\n  a:\n    type: lab:Box\n    properties: {content: {'fn::stringAsset': y}, others: {f: {'fn::stringAsset': z}}}\n  b:\n    type: lab:Box\n    properties: {kind: open, content: '${a.content}', others: '${a.others}'}\noutputs: {o: '${a.content}'}\n",
        "{}",
    ),
    (
        "a limit of time is no duration",
        "resources: {}\n",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n    options: {customTimeouts: {create: soon}}\n",
        "{}",
    ),
    (
        "the configuration of a provider in its older form",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "config: {'lab:prefix': {value: p}}\nresources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n",
        "{'lab:config:prefix': q}",
    ),
    (
        "dependents that are deleted first are gone from the program",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: x}\n  b:\n    type: lab:Slot\n    properties: {slot: '${a.address}'}\n  c:\n    type: lab:Disk\n    properties: {size: small, zone: '${b.address}'}\n",
        "resources:\n  a:\n    type: lab:Slot\n    properties: {slot: y}\n",
        "{}",
    ),
];

/// What changes, the program before and after it, and the configuration after it.
type Change = (&'static str, &'static str, &'static str, &'static str);

fn compare_changes(test: &str, changes: &[Change]) {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    for (nth, (what, before, after, config)) in sample(changes.iter().enumerate(), 2) {
        let head = "name: shop\nruntime: yaml\n";
        let base = base(&tools, &format!("{test}-{nth}"), &format!("{head}{before}"));
        let work = base.folder.join("work");
        fs::write(work.join("Pulumi.yaml"), format!("{head}{after}")).unwrap();
        fs::write(work.join("Pulumi.dev.yaml"), format!("config: {config}\n")).unwrap();
        let world = || {
            let lines = fs::read_to_string(base.folder.join("world")).unwrap_or_default();
            let _ = fs::remove_file(base.folder.join("world"));
            lines.lines().map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let theirs = engine_preview(&tools, &base.folder, &base.state);
        let asked = world();
        let (ours, errors) = ours(&tools, &base);
        // The engine refuses a program that refers to an object with such an id.
        if what.contains("unknown id") {
            assert!(ours["notPlanned"].is_array(), "{what}: {ours:#}");
            continue;
        }
        assert_eq!(ours["notPlanned"], Value::Null, "{what}: {errors}");
        assert_eq!(has_error(&ours), has_error(&theirs), "{what}: {errors}");
        let (a, b) = (steps(&ours), steps(&theirs));
        // An error ends the engine's preview while others are being registered.
        assert!(
            a == b || has_error(&ours),
            "{what}\n{a:#?}\n{b:#?}\n{errors}"
        );
        assert_eq!(world(), asked, "{what}");
    }
}

#[test]
fn nothing_outside_is_asked_while_typing() {
    let test = "nothing_outside_is_asked_while_typing";
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    let base = base(&tools, test, DISKS);
    let mut editor = opened(&tools, &base, "info");
    let outside = "  old:\n    type: lab:Disk\n    get: {id: from-before}\n  c:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${old.handle}\n      label: {'fn::invoke': {function: 'lab:shout', arguments: {word: x}, return: loud}}\n";
    let text = format!("{DISKS}{outside}");
    fs::write(base.folder.join("work/Pulumi.yaml"), &text).unwrap();
    editor.set_text(&text);
    let (changes, plan) = shown(&mut editor);
    assert!(changes.contains("c create"), "{plan:#}");
    for label in ["lab:shout is not called", "old is not read"] {
        assert!(plan.to_string().contains(label), "{label}: {plan:#}");
    }
    let world = base.folder.join("world");
    assert!(!world.exists(), "{:?}", fs::read_to_string(&world));
}

/// Past the capture of the tests.
fn report(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[test]
fn the_editor_shows_the_plan_of_the_command_line() {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped("the_editor_shows_the_plan_of_the_command_line", &reason),
    };
    let seed = number("PLANLENS_TEST_SEED", 11);
    let edits = number("PLANLENS_PULUMI_EDITS", 20);
    let mut random = Random(seed as u64);
    let bases = bases(&tools, "programs-editor");
    let (mut compared, mut sampled, mut asked) = (0, 0, 0);
    for (nth, base) in bases.iter().take(10).enumerate() {
        let file = base.folder.join("work/Pulumi.yaml");
        let mut editor = opened(&tools, base, "info");
        for _ in 0..(edits + 9 - nth) / 10 {
            let mut made = Edits {
                random: &mut random,
                program: base.program.clone(),
            };
            let what = format!("{}: {}", base.name, made.make());
            let text = to_yaml(&made.program, 0);
            fs::write(&file, &text).unwrap();
            editor.set_text(&text);
            let (preview, _) = ours(&tools, base);
            let (shown, plan) = shown(&mut editor);
            // The command stops at an error, as Pulumi does; the editor goes on.
            if !has_error(&preview) {
                assert_eq!(shown, reported(&preview), "{what}\n{plan:#}");
                compared += 1;
            }
            asked += 1;
            if asked % 6 == 0 {
                let theirs = engine_preview(&tools, &base.folder, &base.state);
                if !has_error(&preview) {
                    assert_eq!(shown, reported(&theirs), "{what}\n{plan:#}");
                    sampled += 1;
                }
            }
        }
        editor.stop();
        let world = base.folder.join("world");
        assert!(!world.exists(), "{:?}", fs::read_to_string(&world));
    }
    report(&format!(
        "seed {seed}: {compared} edits are shown as they are planned, {sampled} of them beside the engine"
    ));
    assert!(compared * 2 > edits, "{compared} of {edits}");
}

/// An editor with the program, beside a backend that has its state.
fn opened(tools: &Path, base: &Base, level: &str) -> Editor {
    let work = base.folder.join("work");
    let backend = base.folder.join("backend");
    let stacks = backend.join(".pulumi/stacks/shop");
    fs::create_dir_all(&stacks).unwrap();
    fs::copy(&base.state, stacks.join("dev.json")).unwrap();
    fs::write(work.join("Pulumi.dev.yaml"), "config: {}\n").unwrap();
    let mut command = prepared(planlens(&work), tools, &base.folder);
    let log = fs::File::create(base.folder.join("log")).unwrap();
    let url = format!("file://{}", backend.display());
    command
        .arg("lsp")
        .env("PULUMI_BACKEND_URL", url)
        .env("PLANLENS_CACHE_DIR", base.folder.join("caches"))
        .env("PLANLENS_STATE_DIR", base.folder.join("kept"))
        .stderr(log);
    let file = work.join("Pulumi.yaml");
    Editor::launch_file(&mut command, level, &work, &file, "yaml")
}

/// The program of this text, with the state that the engine makes of it.
fn base(tools: &Path, test: &str, text: &str) -> Base {
    let folder = scratch(test);
    fs::create_dir_all(folder.join("work")).unwrap();
    fs::write(folder.join("work/Pulumi.yaml"), text).unwrap();
    let state = folder.join("state.json");
    let output = engine(tools, &folder, "up", &state);
    assert!(output.status.success(), "{output:?}");
    let _ = fs::remove_file(folder.join("world"));
    Base {
        name: test.to_owned(),
        program: Value::Null,
        folder,
        state,
    }
}

/// A plugin ends with the code 0 when no engine has answered it for five minutes.
#[test]
fn a_plugin_that_ends_is_started_again_and_none_outlives_the_server() {
    let test = "a_plugin_that_ends_is_started_again_and_none_outlives_the_server";
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    let base = base(&tools, test, DISKS);
    let mut editor = opened(&tools, &base, "info");
    let update = BTreeSet::from(["a update".to_owned()]);
    for (signal, size) in [("KILL", "medium"), ("INT", "large"), ("KILL", "medium")] {
        let text = DISKS.replacen("small", size, 1);
        fs::write(base.folder.join("work/Pulumi.yaml"), &text).unwrap();
        editor.set_text(&text);
        assert_eq!(shown(&mut editor).0, update, "{size}");
        let plugins = editor.plugin_ids();
        assert!(!plugins.is_empty());
        for plugin in plugins {
            signalled(signal, plugin);
            await_end(plugin);
        }
    }
    editor.set_text(&DISKS.replacen("small", "large", 1));
    assert_eq!(shown(&mut editor).0, update);
    let plugins = editor.plugin_ids();
    assert!(!plugins.is_empty());
    signalled("KILL", editor.server_id().unwrap());
    plugins.into_iter().for_each(await_end);
}

/// The bridge starts a provider of Terraform, which it leaves behind when it is killed.
#[test]
fn no_process_is_left_of_a_plugin_that_starts_another() {
    let test = "no_process_is_left_of_a_plugin_that_starts_another";
    let folder = scratch(test);
    let (tools, providers) = match tools().and_then(|tools| bridged(tools, &folder)) {
        Ok(found) => found,
        Err(reason) => return skipped(test, &reason),
    };
    let text = "name: shop\nruntime: yaml\nresources:\n  a:\n    type: random:Pet\n    properties: {length: 2}\n";
    let work = folder.join("work");
    let (name, version, provider) = &providers[0];
    add_package(&work, name, version, provider);
    fs::write(work.join("Pulumi.yaml"), text).unwrap();
    let state = folder.join("state.json");
    let output = engine(&tools, &folder, "up", &state);
    assert!(output.status.success(), "{output:?}");
    let base = Base {
        name: test.to_owned(),
        program: Value::Null,
        folder,
        state,
    };
    let mut editor = opened(&tools, &base, "info");
    let replaced = BTreeSet::from(["a replace".to_owned()]);
    let all = |editor: &Editor| {
        let plugins = editor.plugin_ids();
        let inner: Vec<u32> = plugins.iter().flat_map(|it| children(*it)).collect();
        assert!(!plugins.is_empty() && !inner.is_empty(), "{plugins:?}");
        (plugins, inner)
    };
    for length in [3, 4] {
        editor.set_text(&text.replace("length: 2", &format!("length: {length}")));
        assert_eq!(shown(&mut editor).0, replaced, "{length}");
        let (plugins, inner) = all(&editor);
        if length == 4 {
            signalled("KILL", editor.server_id().unwrap());
        }
        plugins
            .iter()
            .filter(|_| length == 3)
            .for_each(|it| signalled("KILL", *it));
        plugins.into_iter().chain(inner).for_each(await_end);
    }
}

/// Plugins on Pulumi's Go library end when their engine has not answered for five minutes: ours answers as long as they serve.
#[test]
fn plugins_find_their_engine_long_after_they_were_asked() {
    let test = "plugins_find_their_engine_long_after_they_were_asked";
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    let base = base(&tools, test, DISKS);
    // It notes the address of its engine.
    let bin = base.folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let plugin = bin.join("pulumi-resource-lab");
    let real = tools.join("pulumi-resource-lab");
    let (noted, real) = (base.folder.join("engine"), real.display());
    let script = format!(
        "#!/bin/sh\necho \"$1\" >>{}\nexec {real} \"$@\"\n",
        noted.display()
    );
    fs::write(&plugin, script).unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["pulumi-engine", "pulumi-language-yaml"] {
        std::os::unix::fs::symlink(tools.join(name), bin.join(name)).unwrap();
    }
    let mut editor = opened(&bin, &base, "info");
    editor.set_text(&DISKS.replacen("small", "medium", 1));
    shown(&mut editor);
    let plugins = editor.plugin_ids();
    let addresses = fs::read_to_string(&noted).unwrap();
    let addresses: BTreeSet<&str> = addresses.lines().collect();
    assert!(!addresses.is_empty());
    for address in addresses {
        assert!(speaks_http2(address), "{address}");
    }
    assert_eq!(editor.plugin_ids(), plugins);
    editor.stop();
}

/// Whether a server answers the first words of a connection with its settings.
fn speaks_http2(address: &str) -> bool {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .unwrap();
    stream.write_all(&settings).unwrap();
    let mut head = [0; 9];
    stream.read_exact(&mut head).is_ok() && head[3] == settings[3]
}

/// The provider reads each disk as a large one without a zone.
#[test]
fn changes_outside_are_shown_after_a_command_and_planned_back() {
    let test = "changes_outside_are_shown_after_a_command_and_planned_back";
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    let base = base(&tools, test, DISKS);
    let mut editor = opened(&tools, &base, "info");
    assert_eq!(shown(&mut editor).0, BTreeSet::new());
    let world = base.folder.join("world");
    assert!(!world.exists());
    let replan = json!({ "command": "planlens.replan", "arguments": [] });
    editor.ask("workspace/executeCommand", replan);
    let of_disks = ["a update", "b replace"].map(str::to_owned);
    assert_eq!(shown(&mut editor).0, BTreeSet::from(of_disks));
    let document = json!({ "textDocument": { "uri": editor.uri } });
    let lenses = editor.ask("textDocument/codeLens", document).to_string();
    assert!(lenses.contains("changed outside: size"), "{lenses}");
    let read = fs::read_to_string(&world).unwrap();
    let read: BTreeSet<&str> = read.lines().collect();
    assert_eq!(read, BTreeSet::from(["read a-7f3a", "read b-7f3a"]));
    // An edit reads nothing again, and is compared with what was read.
    fs::remove_file(&world).unwrap();
    editor.set_text(&DISKS.replacen("small", "large", 1));
    assert_eq!(
        shown(&mut editor).0,
        BTreeSet::from(["b replace".to_owned()])
    );
    assert!(!world.exists());
    editor.stop();
}

/// As the text of the whole preview has them, which is compared with the engine's elsewhere.
#[test]
fn changes_of_outputs_are_told_with_the_plan() {
    let test = "changes_of_outputs_are_told_with_the_plan";
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    let text = "name: shop\nruntime: yaml\noutputs:\n  made: one\n  kept: same\n";
    let base = base(&tools, test, text);
    let mut editor = opened(&tools, &base, "info");
    assert_eq!(shown(&mut editor).1["outputChanges"], "");
    editor.set_text(&text.replace("one", "two"));
    let changes = shown(&mut editor).1["outputChanges"].clone();
    let changes = changes.as_str().unwrap();
    let lines: Vec<&str> = changes.lines().map(str::trim).collect();
    let made = lines.iter().find(|line| line.contains("made")).unwrap();
    assert!(
        made.contains("\"one\"") && made.contains("\"two\""),
        "{changes}"
    );
    assert!(!changes.contains("kept"), "{changes}");
    editor.stop();
}

fn signalled(signal: &str, process: u32) {
    let status = Command::new("kill")
        .args(["-s", signal, "--", &process.to_string()])
        .status();
    assert!(status.unwrap().success(), "{signal} {process}");
}

/// Within three seconds nothing is left of a process, as docs/security.md promises.
fn await_end(process: u32) {
    let begin = Instant::now();
    while Path::new(&format!("/proc/{process}")).exists() {
        assert!(begin.elapsed() < Duration::from_secs(3), "{process}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn secrets_of_a_program_are_in_no_message_no_log_and_no_file() {
    let test = "secrets_of_a_program_are_in_no_message_no_log_and_no_file";
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return skipped(test, &reason),
    };
    // The provider gives the seal back in clear.
    let program = format!(
        "name: shop\nruntime: yaml\nvariables:\n  word:\n    fn::secret: {SECRET}-word\nresources:\n  safe:\n    type: lab:Disk\n    properties:\n      size: small\n      key: {SECRET}-key\n      tags:\n        sealed: ${{word}}\n  reader:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${{safe.seal}}\n      tags:\n        json:\n          fn::toJSON: ['${{word}}']\noutputs:\n  word: ${{word}}\n"
    );
    let base = base(&tools, test, &program);
    let mut editor = opened(&tools, &base, "trace");
    let edits = [
        ("size: small", "size: large".to_owned()),
        ("-key\n", "-another\n".to_owned()),
        ("sealed: ${word}", "'${word}': x".to_owned()),
        // Its failure quotes what it was given.
        ("size: small", "size: ${word}".to_owned()),
        ("-word\n", "-other\n".to_owned()),
    ];
    for (before, after) in edits {
        let text = program.replacen(before, &after, 1);
        editor.set_text(&text);
        let document = json!({ "textDocument": { "uri": editor.uri } });
        let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        let mut ranged = document.clone();
        ranged["range"] = whole;
        editor.ask("textDocument/codeLens", document.clone());
        for method in [
            "textDocument/inlayHint",
            "textDocument/documentSymbol",
            "textDocument/diagnostic",
        ] {
            let id = editor.request(method, ranged.clone());
            editor.answer_or_error(id);
        }
        for (line, row) in text.lines().enumerate() {
            let mut place = document.clone();
            place["position"] =
                json!({ "line": line, "character": row.len() - row.trim_start().len() + 1 });
            for method in ["textDocument/hover", "textDocument/completion"] {
                let id = editor.request(method, place.clone());
                editor.answer_or_error(id);
            }
        }
        let (shown, plan) = shown(&mut editor);
        assert!(
            !shown.is_empty() || plan.to_string().contains("[secret]"),
            "{plan}"
        );
        let work = base.folder.join("work");
        let uri = format!("planlens-plan:{}/x.planlens-plan", work.display());
        editor.ask("workspace/textDocumentContent", json!({ "uri": uri }));
    }
    let reported = editor.said.iter().map(Value::to_string);
    let is_secret = |text: &str| text.contains(SECRET) || text.contains("seal-of-");
    let reported: Vec<String> = reported.filter(|it| is_secret(it)).collect();
    assert!(reported.is_empty(), "{reported:#?}");
    editor.stop();
    let log = fs::read_to_string(base.folder.join("log")).unwrap();
    assert!(
        log.contains("plugin output") || log.contains("request"),
        "{log}"
    );
    let lines: Vec<&str> = log.lines().filter(|it| is_secret(it)).collect();
    assert!(lines.is_empty(), "{lines:#?}");
    for kept in ["caches", "kept"] {
        support::no_secret_below(&base.folder.join(kept));
    }
    let world = base.folder.join("world");
    assert!(!world.exists(), "{:?}", fs::read_to_string(&world));
}

/// The changes of a preview, by name.
fn reported(preview: &Value) -> BTreeSet<String> {
    let steps = preview["steps"].as_array().cloned().unwrap_or_default();
    let shown = steps.iter().filter(|it| {
        let urn = it["urn"].as_str().unwrap();
        it["op"] != "same" && !urn.contains("::pulumi:pulumi:Stack::")
    });
    let shown = shown.map(|it| {
        let urn = it["urn"].as_str().unwrap();
        let op = it["op"].as_str().unwrap();
        format!("{} {op}", urn.rsplit("::").next().unwrap())
    });
    shown
        .filter(|it| !it.starts_with("default ") || it.ends_with("delete"))
        .collect()
}

/// The changes that the editor shows, once they are those of its text.
fn shown(editor: &mut Editor) -> (BTreeSet<String>, Value) {
    editor.wait_for_plan();
    let answer = editor.ask("planlens/plan", json!({}));
    let plan = answer["plans"][0].clone();
    assert_eq!(plan["state"], "fresh", "{plan}");
    let changes = plan["changes"].as_array().cloned().unwrap_or_default();
    let changes = changes.iter().map(|it| {
        let actions = it["actions"].as_array().unwrap().iter();
        let actions: Vec<&str> = actions.map(|it| it.as_str().unwrap()).collect();
        let op = match actions.as_slice() {
            ["delete", "create"] | ["create", "delete"] => "replace",
            [one] => one,
            other => panic!("{other:?}"),
        };
        format!("{} {op}", it["address"].as_str().unwrap())
    });
    let changes = changes.collect();
    (changes, plan)
}
