//! `planlens check`: a repository of many root modules, changes of it in git, policies, and the formats of reports.

#[path = "check/changes.rs"]
mod changes;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use support::client::SECRET;
use support::editor::peak_memory;
use support::random::Random;
use support::{planlens, printed, program, repository, scratch, skipped};

const FORMATS: [&str; 6] = ["text", "json", "sarif", "github", "junit", "markdown"];

fn check(folder: &Path, options: &[&str]) -> Output {
    let mut command = planlens(folder);
    command.arg("check").args(options);
    command
        .env("PLANLENS_CACHE_DIR", folder.with_extension("cache"))
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn report(folder: &Path, options: &[&str]) -> Value {
    let output = check(folder, &[&["-format=json"], options].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", printed(&output)))
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args([
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@localhost",
        "-c",
        "commit.gpgsign=false",
    ]);
    let output = command.args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        printed(&output)
    );
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "x", "--allow-empty"]);
}

/// A state with objects of the builtin provider: name, input, trigger.
fn state(objects: &[(&str, &str, &str)]) -> String {
    let resources = objects.iter().map(|(name, input, trigger)| {
        serde_json::json!({
            "mode": "managed", "type": "terraform_data", "name": name,
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [{ "schema_version": 0, "attributes": {
                "id": format!("id-{name}"),
                "input": { "value": input, "type": "string" },
                "output": { "value": input, "type": "string" },
                "triggers_replace": { "value": trigger, "type": "string" },
            } }],
        })
    });
    let resources: Vec<Value> = resources.collect();
    serde_json::json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "a", "outputs": {}, "resources": resources,
    })
    .to_string()
}

/// Three root modules, two of which call a module.
fn shop(test: &str) -> PathBuf {
    let folder = scratch(test).join("repository");
    let call = |size: &str| {
        format!(
            "module \"disk\" {{\n  source = \"../../modules/disk\"\n  size   = \"{size}\"\n}}\n"
        )
    };
    write(&folder, "envs/prod/main.tf", &call("10"));
    write(&folder, "envs/test/main.tf", &call("5"));
    write(
        &folder,
        "other/main.tf",
        "resource \"terraform_data\" \"a\" {\n  input            = \"one\"\n  triggers_replace = \"t\"\n}\n\nresource \"terraform_data\" \"gone\" {\n  input            = \"two\"\n  triggers_replace = \"t\"\n}\n",
    );
    write(
        &folder,
        "other/terraform.tfstate",
        &state(&[("a", "one", "t"), ("gone", "two", "t")]),
    );
    write(
        &folder,
        "modules/disk/main.tf",
        "variable \"size\" {\n  type = string\n}\n\nresource \"terraform_data\" \"disk\" {\n  input = var.size\n}\n",
    );
    folder.canonicalize().unwrap()
}

#[test]
fn root_modules_are_found_and_checked_in_each_format() {
    let folder = shop("root_modules_are_found");
    let all = report(&folder, &[]);
    let paths: Vec<&str> = all["roots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["envs/prod", "envs/test", "other"]);
    let output = check(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(
        text(&output),
        "envs/prod: 1 to add, 0 to change, 0 to destroy\nenvs/test: 1 to add, 0 to change, 0 to destroy\n3 root modules: 0 errors, 0 warnings.\n"
    );

    // A fault in a module that two call is one.
    write(
        &folder,
        "modules/disk/main.tf",
        "resource \"terraform_data\" \"disk\" {\n  inptu = \"50%,\"\n}\n",
    );
    let output = check(&folder, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(
        text(&output).contains("modules/disk/main.tf:2:3: error: Unsupported argument"),
        "{}",
        printed(&output)
    );
    for (format, expected) in [
        (
            "github",
            "::error file=modules/disk/main.tf,line=2,col=3,endLine=2,endColumn=8,title=unsupported-argument::Unsupported argument",
        ),
        (
            "junit",
            "<testsuite name=\"planlens check\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\">",
        ),
        ("sarif", "\"ruleId\": \"unsupported-argument\""),
        ("markdown", "`modules/disk/main.tf:2`"),
        ("json", "\"code\": \"unsupported-argument\""),
    ] {
        let output = check(&folder, &["-format", format]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains(expected), "{}", printed(&output));
    }
    let output = check(&folder, &["-format=yaml"]);
    assert!(
        printed(&output).contains("takes one of text, json, sarif, github, junit, markdown"),
        "{}",
        printed(&output)
    );
}

#[test]
fn objects_with_errors_count_as_guesses() {
    let folder = scratch("check-guesses");
    let main = "\
resource \"terraform_data\" \"undeclared\" {
  input = var.nothing
}

resource \"terraform_data\" \"behind\" {
  input = terraform_data.undeclared.output
}

resource \"terraform_data\" \"mistyped\" {
  inptu = 1
}

resource \"terraform_data\" \"fine\" {
}
";
    write(&folder, "main.tf", main);
    let report = report(&folder, &[]);
    assert_eq!(report["roots"][0]["guesses"], 3, "{report:#}");
    let shown = text(&check(&folder, &[]));
    assert!(shown.contains("3 planned objects are guesses"), "{shown}");
}

#[test]
fn a_change_is_reported_with_its_effect_and_denied_by_a_policy() {
    let folder = shop("a_change_is_told");
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    let output = check(&folder, &["-diff=main"]);
    assert_eq!(
        text(&output),
        "Compared with main: no plan changes; 0 errors, 0 warnings.\n"
    );
    // The index and the configuration of git stay as they are.
    let before = support::files(&folder.join(".git"));

    let main = fs::read_to_string(folder.join("other/main.tf")).unwrap();
    let (kept, _) = main
        .split_once("resource \"terraform_data\" \"gone\"")
        .unwrap();
    write(&folder, "other/main.tf", &kept.replace("\"t\"", "\"u\""));
    write(
        &folder,
        "modules/disk/main.tf",
        "variable \"size\" {\n  type = string\n}\n\nresource \"terraform_data\" \"disk\" {\n  input = \"${var.size} GB\"\n}\n",
    );
    let output = check(&folder, &["-diff=main"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(
        text(&output)
            .lines()
            .filter(|it| !it.contains("warning"))
            .collect::<Vec<_>>()
            .join("\n"),
        "envs/prod: 1 to add, 0 to change, 0 to destroy\n  + module.disk.terraform_data.disk  (modules/disk/main.tf:5)\nenvs/test: 1 to add, 0 to change, 0 to destroy\n  + module.disk.terraform_data.disk  (modules/disk/main.tf:5)\nother: 1 to add, 0 to change, 2 to destroy (1 replaced)\n  -/+ terraform_data.a  (other/main.tf:1)\n      forces replacement: triggers_replace \"t\" -> \"u\"\n  - terraform_data.gone\n      because it is not in the configuration",
        "{}",
        printed(&output)
    );
    let output = check(&folder, &["-diff=main", "-deny=replace,destroy"]);
    assert_eq!(output.status.code(), Some(3), "{}", printed(&output));
    assert!(
        text(&output).contains("DENIED: replace") && text(&output).contains("DENIED: destroy"),
        "{}",
        printed(&output)
    );
    let output = check(
        &folder,
        &["-diff=main", "-deny=replace,destroy", "-format=github"],
    );
    assert!(text(&output).contains("::error file=other/main.tf,line=1,title=replace is denied::other: terraform_data.a triggers_replace \"t\" -> \"u\"\n"), "{}", printed(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 changes are denied"));

    let edited = fs::read_to_string(folder.join("other/main.tf")).unwrap();
    write(
        &folder,
        "other/main.tf",
        &format!(
            "# planlens:allow replace\n{edited}# planlens:allow destroy terraform_data.gone\n"
        ),
    );
    let output = check(&folder, &["-diff=main", "-deny=replace,destroy"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let output = check(&folder, &["-deny=remove"]);
    assert!(
        printed(&output)
            .contains("-deny takes create, update, replace, destroy, forget, not \"remove\"")
    );

    // A rule that was broken before is not reported again; a new error is.
    write(
        &folder,
        "envs/prod/main.tf",
        "locals {\n  a = var.nope\n}\n",
    );
    commit(&folder);
    write(
        &folder,
        "envs/prod/main.tf",
        "# moved down\nlocals {\n  a = var.nope\n  b = var.new\n}\n",
    );
    let reported = text(&check(&folder, &["-diff=HEAD"]));
    assert!(
        !reported.contains("\"nope\"")
            && reported
                .contains("envs/prod/main.tf:4:7: error: Reference to undeclared input variable"),
        "{reported}"
    );
    // A new root module has all that it has.
    write(
        &folder,
        "new/main.tf",
        "resource \"terraform_data\" \"n\" {\n}\n",
    );
    let reported = text(&check(&folder, &["-diff=HEAD"]));
    assert!(
        reported.contains("new: 1 to add")
            && reported.contains("  + terraform_data.n  (new/main.tf:1)\n"),
        "{reported}"
    );
    fs::remove_dir_all(folder.join("new")).unwrap();
    git(&folder, &["checkout", "-q", "--", "."]);
    git(&folder, &["reset", "-q", "--hard", "HEAD~1"]);
    let mut after = support::files(&folder.join(".git"));
    after.retain(|path, _| {
        before.contains_key(path)
            && !path.ends_with("HEAD")
            && !path.ends_with("index")
            && !path.to_string_lossy().contains("logs")
    });
    for (path, content) in after {
        let is_moved = path.to_string_lossy().contains("refs") || path.ends_with("COMMIT_EDITMSG");
        assert!(is_moved || before[&path] == content, "{path:?}");
    }
}

/// The plan of a root module in words, as the command has it.
fn plans(folder: &Path, roots: &[&str]) -> BTreeMap<String, String> {
    let plan = |root: &&str| {
        let output = planlens(folder).args(["plan", root]).output().unwrap();
        ((*root).to_owned(), text(&output))
    };
    roots.iter().map(plan).collect()
}

#[test]
fn a_comparison_finds_exactly_the_root_modules_whose_plan_changes() {
    let folder = scratch("a_comparison_finds").join("repository");
    let roots = ["r/a", "r/b", "r/c", "r/d"];
    for root in roots {
        let module = if root < "r/c" { "one" } else { "two" };
        write(
            &folder,
            &format!("{root}/main.tf"),
            &format!(
                "module \"m\" {{\n  source = \"../../m/{module}\"\n  name   = \"{root}\"\n}}\n\nresource \"terraform_data\" \"own\" {{\n  input = \"v0\"\n}}\n\nvariable \"x\" {{\n  default = \"d\"\n}}\n\noutput \"x\" {{\n  value = \"${{var.x}} ${{file(\"${{path.module}}/note.txt\")}}\"\n}}\n"
            ),
        );
        write(&folder, &format!("{root}/note.txt"), "note");
    }
    for module in ["one", "two"] {
        write(
            &folder,
            &format!("m/{module}/main.tf"),
            "variable \"name\" {}\n\nresource \"terraform_data\" \"in\" {\n  input = \"v0 ${var.name}\"\n}\n\nlocals {\n  unused = \"v0\"\n}\n",
        );
    }
    let folder = folder.canonicalize().unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    let mut random = Random(50);
    let mut before = plans(&folder, &roots);
    let mut found = BTreeMap::new();
    for number in 1..=50 {
        let root = *random.pick(&roots);
        let module = *random.pick(&["one", "two"]);
        let edit = |name: &str, from: &str, to: &str| {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            write(&folder, name, &text.replacen(from, to, 1));
        };
        match random.below(8) {
            0 => edit(
                &format!("{root}/main.tf"),
                "input = \"v",
                &format!("input = \"v{number}"),
            ),
            1 => edit(
                &format!("m/{module}/main.tf"),
                "input = \"v",
                &format!("input = \"v{number}"),
            ),
            2 => edit(
                &format!("m/{module}/main.tf"),
                "unused = \"v",
                &format!("unused = \"v{number}"),
            ),
            3 => edit(
                &format!("{root}/main.tf"),
                "module \"m\"",
                &format!("# {number}\nmodule \"m\""),
            ),
            4 => write(
                &folder,
                &format!("{root}/note.txt"),
                &format!("note {number}"),
            ),
            5 => write(
                &folder,
                &format!("{root}/terraform.tfvars"),
                &format!("x = \"{}\"\n", number % 3),
            ),
            6 => write(&folder, "README.md", &format!("{number}\n")),
            _ => write(
                &folder,
                &format!("{root}/more{number}.tf"),
                &format!("output \"o{number}\" {{\n  value = {number}\n}}\n"),
            ),
        }
        let after = plans(&folder, &roots);
        let expected: Vec<&str> = roots
            .into_iter()
            .filter(|root| before[*root] != after[*root])
            .collect();
        let report = report(&folder, &["-diff=HEAD"]);
        let reported = report["roots"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["has_other_plan"] == true);
        let reported: Vec<&str> = reported.map(|it| it["path"].as_str().unwrap()).collect();
        assert_eq!(reported, expected, "commit {number}");
        *found.entry(reported.len()).or_insert(0) += 1;
        before = after;
        commit(&folder);
    }
    assert!(found.len() > 2, "{found:?}");
}

#[test]
fn files_that_functions_find_are_those_before_the_change() {
    let folder = scratch("files_that_functions_find").join("repository");
    write(
        &folder,
        "a/main.tf",
        "resource \"terraform_data\" \"t\" {\n  for_each = fileset(\"${path.module}/templates\", \"**/*.tpl\")\n  input    = templatefile(\"${path.module}/templates/${each.key}\", {})\n}\n\noutput \"has_note\" {\n  value = fileexists(\"${path.module}/note.txt\")\n}\n",
    );
    write(
        &folder,
        "b/main.tf",
        "output \"b\" {\n  value = fileset(path.module, \"*.tpl\")\n}\n",
    );
    write(&folder, "a/templates/kept.tpl", "kept");
    write(&folder, "a/templates/edited.tpl", "before");
    write(&folder, "a/templates/deep/gone.tpl", "gone");
    let folder = folder.canonicalize().unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    let changes = || {
        let report = report(&folder, &["-diff=main"]);
        let roots = report["roots"].as_array().unwrap().clone();
        let reported = roots.iter().flat_map(|root| {
            let changes = root["changes"].as_array().unwrap().iter();
            let changes = changes
                .map(|it| format!("{} {} -> {}", it["address"], it["before"], it["actions"]));
            std::iter::once(root["path"].to_string()).chain(changes)
        });
        reported.map(|it| it.replace('\\', "")).collect::<Vec<_>>()
    };
    assert_eq!(changes(), [""; 0]);
    fs::remove_dir_all(folder.join("a/templates/deep")).unwrap();
    write(&folder, "a/templates/edited.tpl", "after");
    write(&folder, "a/templates/more/new.tpl", "new");
    assert_eq!(
        changes(),
        [
            "\"a\"",
            "\"terraform_data.t[\"edited.tpl\"]\" [\"create\"] -> [\"create\"]",
            "\"terraform_data.t[\"more/new.tpl\"]\" [\"no-op\"] -> [\"create\"]",
            "\"terraform_data.t[\"deep/gone.tpl\"]\" [\"create\"] -> [\"no-op\"]",
        ]
    );
    git(&folder, &["checkout", "-q", "--", "."]);
    fs::remove_dir_all(folder.join("a/templates/more")).unwrap();
    write(&folder, "a/note.txt", "");
    assert_eq!(changes(), ["\"a\""]);
    write(&folder, "b/x.tpl", "");
    assert_eq!(changes(), ["\"a\"", "\"b\""]);
}

/// Without the times.
fn timeless(mut report: Value) -> Value {
    for root in report["roots"].as_array_mut().unwrap() {
        root["ms"] = 0.into();
    }
    report
}

#[test]
fn shards_that_are_merged_are_the_whole() {
    let folder = scratch("shards").join("repository");
    for number in 0..12 {
        write(
            &folder,
            &format!("r{number:02}/main.tf"),
            &format!("resource \"terraform_data\" \"a\" {{\n  input = var.nope{number}\n}}\n"),
        );
    }
    let folder = folder.canonicalize().unwrap();
    let whole = check(&folder, &["-format=json"]);
    write(&folder, "whole.json", &text(&whole));
    let mut parts = Vec::new();
    for part in 1..=4 {
        let name = format!("part{part}.json");
        let part = check(
            &folder,
            &[
                "-format=json",
                &format!("-shard={part}/4"),
                "-costs=whole.json",
            ],
        );
        let report: Value = serde_json::from_slice(&part.stdout).unwrap();
        assert!(!report["roots"].as_array().unwrap().is_empty());
        write(&folder, &name, &text(&part));
        parts.push(name);
    }
    let names: Vec<&str> = parts.iter().map(String::as_str).collect();
    let merged = check(
        &folder,
        &[&["-merge", "-format=json"], names.as_slice()].concat(),
    );
    assert_eq!(merged.status.code(), Some(1));
    let of = |output: &Output| timeless(serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!(of(&merged), of(&whole));
    for format in FORMATS
        .into_iter()
        .filter(|it| *it != "json" && *it != "junit")
    {
        let merged = check(
            &folder,
            &[&["-merge", "-format", format], names.as_slice()].concat(),
        );
        assert_eq!(
            text(&merged),
            text(&check(&folder, &["-format", format])),
            "{format}"
        );
    }
    let twice = check(&folder, &["-merge", "part1.json", "part1.json"]);
    assert!(
        printed(&twice).contains("is in more than one report"),
        "{}",
        printed(&twice)
    );
}

#[test]
fn the_comment_of_a_pull_request_reads_as_it_should() {
    let folder = shop("the_comment");
    write(
        &folder,
        "other/variables.tf",
        &format!("variable \"key\" {{\n  sensitive = true\n  default   = \"{SECRET}\"\n}}\n"),
    );
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    let main = fs::read_to_string(folder.join("other/main.tf")).unwrap();
    let (kept, _) = main
        .split_once("resource \"terraform_data\" \"gone\"")
        .unwrap();
    let kept = kept
        .replace("\"one\"", "var.key")
        .replace("\"t\"", "\"`u` <b> ![x](http://x) | @all\"");
    write(
        &folder,
        "other/main.tf",
        &format!("{kept}resource \"terraform_data\" \"new\" {{\n}}\n"),
    );
    write(
        &folder,
        "envs/prod/more.tf",
        "output \"o\" {\n  value = 1\n}\n",
    );
    let output = check(
        &folder,
        &["-diff=main", "-format=markdown", "-deny=destroy"],
    );
    assert_eq!(output.status.code(), Some(3));
    let comment = text(&output);
    assert!(!comment.contains(SECRET), "{comment}");
    let golden = repository().join("tests/data/check/comment.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write(repository(), "tests/data/check/comment.md", &comment);
    }
    assert_eq!(comment, fs::read_to_string(golden).unwrap_or_default());
    // No format has the secret.
    for format in FORMATS {
        let reported = printed(&check(&folder, &["-diff=main", "-format", format]));
        assert!(!reported.contains(SECRET), "{format}: {reported}");
    }
}

#[test]
fn a_comment_is_never_longer_than_one_may_be() {
    let folder = scratch("a_long_comment").join("repository");
    write(&folder, "README.md", "");
    let folder = folder.canonicalize().unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    for root in 0..60 {
        let blocks = (0..40).map(|it| {
            format!(
                "resource \"terraform_data\" \"a{it}\" {{\n  input = \"{}\"\n}}\n",
                "x`é".repeat(40)
            )
        });
        write(
            &folder,
            &format!("r{root:02}/main.tf"),
            &blocks.collect::<String>(),
        );
    }
    let comment = text(&check(&folder, &["-diff=main", "-format=markdown"]));
    assert!(
        comment.len() <= 60_000 && comment.len() > 30_000,
        "{}",
        comment.len()
    );
    assert!(comment.contains("more root modules change"), "{comment}");
    assert_eq!(
        comment.matches("<details>").count(),
        comment.matches("</details>").count()
    );
}

#[test]
fn sarif_follows_its_schema() {
    let test = "sarif_follows_its_schema";
    let folder = shop("sarif");
    write(
        &folder,
        "envs/prod/näme (x).tf",
        "locals {\n  ä = var.nope\n}\n",
    );
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    write(&folder, "other/main.tf", "locals {\n  a = var.nope\n}\n");
    let reported = text(&check(
        &folder,
        &["-format=sarif", "-diff=main", "-deny=destroy"],
    ));
    let log: Value = serde_json::from_str(&reported).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(
        (&log["version"], results.len()),
        (&"2.1.0".into(), 5),
        "{reported}"
    );
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for result in results {
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result}"
        );
    }
    let reported = text(&check(&folder, &["-format=sarif"]));
    assert!(
        reported.contains("\"uri\": \"envs/prod/n%C3%A4me%20%28x%29.tf\""),
        "{reported}"
    );
    let cache = std::env::var_os("PLANLENS_TEST_CACHE").map(PathBuf::from);
    let cache = cache.unwrap_or_else(|| {
        PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/planlens-test")
    });
    let (schema, python) = (
        cache.join("sarif-schema-2.1.0.json"),
        cache.join("mcp/bin/python"),
    );
    if !schema.exists() || !python.exists() {
        return skipped(
            test,
            "put sarif-schema-2.1.0.json of OASIS into the cache folder of the tests, where tests/run makes mcp/bin/python",
        );
    }
    write(&folder, "log.sarif", &reported);
    let script = "import json,sys,jsonschema; jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))";
    let output = support::command(&python, &folder)
        .args(["-c", script])
        .arg(&schema)
        .arg("log.sarif")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
}

/// Bytes that one root module of 100 resources more may take: its part of the report and its text.
const OF_A_ROOT: u64 = 256 << 10;

#[test]
fn memory_grows_with_the_report_and_not_with_the_plans() {
    let peak = |count: u64| {
        let folder = scratch(&format!("memory_grows_{count}")).join("repository");
        for root in 0..count {
            let blocks = (0..100).map(|it| {
                format!(
                    "resource \"terraform_data\" \"a{it}\" {{\n  input = \"{root} {it} {}\"\n}}\n",
                    "x".repeat(200)
                )
            });
            write(
                &folder,
                &format!("r{root:03}/main.tf"),
                &blocks.collect::<String>(),
            );
        }
        let mut command = planlens(&folder);
        let mut running = command.arg("check").stdout(Stdio::null()).spawn().unwrap();
        let mut peak = 0;
        while running.try_wait().unwrap().is_none() {
            peak = peak_memory(running.id()).unwrap_or(peak);
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        peak
    };
    let (few, many) = (peak(20), peak(120));
    assert!(few > 0 && many < few + 100 * OF_A_ROOT, "{few} {many}");
}

#[test]
fn many_root_modules_cost_far_less_than_a_terraform_for_each() {
    let test = "many_root_modules_cost_far_less_than_a_terraform_for_each";
    if program("terraform").is_none() {
        return skipped(test, "no terraform on the PATH");
    }
    let folder = scratch("many_root_modules").join("repository");
    write(
        &folder,
        "modules/m/main.tf",
        "variable \"name\" {}\nresource \"terraform_data\" \"in\" {\n  input = var.name\n}\n",
    );
    for root in 0..200 {
        let blocks = (0..5).map(|it| {
            format!("resource \"terraform_data\" \"a{it}\" {{\n  input = \"{root} {it}\"\n}}\n")
        });
        let call =
            format!("module \"m\" {{\n  source = \"../modules/m\"\n  name   = \"{root}\"\n}}\n");
        write(
            &folder,
            &format!("r{root:03}/main.tf"),
            &(blocks.collect::<String>() + &call),
        );
    }
    let begin = std::time::Instant::now();
    let output = check(&folder, &[]);
    let ours = begin.elapsed();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(text(&output).ends_with("200 root modules: 0 errors, 0 warnings.\n"));
    let mut theirs = std::time::Duration::ZERO;
    for root in ["r000", "r099", "r199"] {
        let run = |arguments: &[&str]| {
            let output = support::command("terraform", &folder.join(root))
                .args(arguments)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", printed(&output));
        };
        run(&["init", "-no-color"]);
        let begin = std::time::Instant::now();
        run(&["validate", "-no-color"]);
        theirs += begin.elapsed();
    }
    let theirs = theirs * 200 / 3;
    let _ = std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!(
            "check of 200 root modules: {ours:?}; terraform validate in each: {theirs:?}\n"
        ),
    );
}
