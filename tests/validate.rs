//! Broken configurations are told as `terraform validate` tells them: the same summaries, and most of the places and texts.
//!
//! `validate/*.txt` hold the configurations, `validate/recorded.json` what terraform says of them, which is asked where
//! it is on the PATH. `PLANLENS_RECORD_VALIDATE=1 cargo test --test validate` records anew.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use support::cases::cases;
use support::editor::Editor;
use support::{command, planlens, printed, program, repository, scratch, skipped};

const VERSION: &str = "1.11.4";

/// Where planlens says something else, and why.
const EXPLAINED: &[(&str, &str)] = &[
    (
        "a precondition about itself",
        "terraform evaluates what it has refused already, and tells it again as an unknown variable",
    ),
    (
        "a variable without a name",
        "terraform looks for a variable with an empty name besides",
    ),
];

/// Severity and summary of each diagnostic, and its place.
type Reported = BTreeMap<(String, String), BTreeSet<String>>;

/// What terraform 1.11.4 refuses before it plans: it says what is wrong, and shows no plan of the rest.
#[test]
fn configurations_that_terraform_refuses_are_not_planned() {
    let good = "output \"good\" {\n  value = 1\n}\n";
    let bad = [
        ("output \"bad\" {", "Unclosed configuration block"),
        ("variable \"bad\" {}", "No value for required variable"),
        (
            "module \"bad\" {\n  source = \"./gone\"\n}",
            "Module not installed",
        ),
        (
            "resource \"terraform_data\" \"bad\" {\n  count = 0\n  nope  = 1\n}",
            "Unsupported argument",
        ),
        ("output \"bad\" {\n  value = [1][5]\n}", "Invalid index"),
    ];
    for (text, summary) in bad {
        let folder = scratch("validate_refused");
        fs::write(folder.join("good.tf"), good).unwrap();
        fs::write(folder.join("bad.tf"), text).unwrap();
        let ours = planlens(&folder).arg("plan").output().unwrap();
        let mut asked = vec![("planlens", ours)];
        if let Some(terraform) = program("terraform") {
            let arguments = ["plan", "-input=false", "-no-color"];
            let theirs = command(&terraform, &folder)
                .args(arguments)
                .output()
                .unwrap();
            asked.push(("terraform", theirs));
        }
        for (who, output) in asked {
            let (shown, reported) = (printed(&output), String::from_utf8_lossy(&output.stderr));
            assert!(reported.contains(summary), "{who}: {shown}");
            assert!(!shown.contains("good"), "{who}: {shown}");
            assert_eq!(output.status.code(), Some(1), "{who}");
        }
        // In the JSON form the rest is told beside it.
        let output = planlens(&folder).args(["plan", "--json"]).output().unwrap();
        let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(plan["errored"], json!(true), "{text}");
        assert_eq!(plan["output_changes"]["good"]["after"], json!(1), "{text}");
        let reported = plan["diagnostics"].to_string();
        assert!(reported.contains(summary), "{reported}");
    }
}

/// What is said of options whose values are no addresses.
const WRONG_ADDRESSES: [(&str, &str, &str); 10] = [
    (
        "-target=nope",
        "Invalid target \"nope\"",
        "Resource specification must include a resource type and name.",
    ),
    (
        "-target=var.a",
        "Invalid target \"var.a\"",
        "The keyword \"var\" is reserved and cannot be used to target a resource address. If you are targeting a resource type that uses a reserved keyword, please prefix your address with \"resource.\".",
    ),
    (
        "-target=module",
        "Invalid target \"module\"",
        "Prefix \"module.\" must be followed by a module name.",
    ),
    (
        "-target=a.b.c",
        "Invalid target \"a.b.c\"",
        "Resource instance key must be given in square brackets.",
    ),
    (
        "-target=a.b[0].c",
        "Invalid target \"a.b[0].c\"",
        "Unexpected extra operators after address.",
    ),
    (
        "-target=a.b[x]",
        "Invalid target \"a.b[x]\"",
        "Index brackets must contain either a literal number or a literal string.",
    ),
    (
        "-target=a.",
        "Invalid target \"a.\"",
        "Dot must be followed by attribute name.",
    ),
    (
        "-target=a b",
        "Invalid target \"a b\"",
        "Expected an attribute access or an index operator.",
    ),
    (
        "-replace=module.a",
        "Invalid force-replace address \"module.a\"",
        "A resource instance address is required here. The module path must be followed by a resource instance specification.",
    ),
    (
        "-replace=data.a.b",
        "Invalid force-replace address \"data.a.b\"",
        "Only managed resources can be used with the -replace=... option.",
    ),
];

#[test]
fn options_without_an_address_are_refused_as_by_terraform() {
    let folder = scratch("validate_addresses");
    fs::write(folder.join("main.tf"), "output \"a\" {\n  value = 1\n}\n").unwrap();
    for (option, summary, detail) in WRONG_ADDRESSES {
        check_refused(&folder, &[option], summary, detail);
    }
}

#[test]
fn options_that_exclude_each_other_are_refused_as_by_terraform() {
    let folder = scratch("validate_options");
    fs::write(folder.join("main.tf"), "output \"a\" {\n  value = 1\n}\n").unwrap();
    check_refused(
        &folder,
        &["-refresh-only", "-refresh=false"],
        "Incompatible refresh options",
        "It doesn't make sense to use -refresh-only at the same time as -refresh=false, because Terraform would have nothing to do.",
    );
    check_refused(
        &folder,
        &["-exclude=terraform_data.a"],
        "Failed to parse command-line flags",
        "flag provided but not defined: -exclude",
    );
    check_refused(
        &folder,
        &["-destroy", "-replace=terraform_data.a"],
        "Unsupported plan mode",
        "Forcing resource instance replacement (with -replace=...) is allowed only in normal planning mode.",
    );
    check_refused(
        &folder,
        &["-var=a"],
        "Invalid -var option",
        "The given -var option \"a\" is not correctly specified. Must be a variable name and value separated by an equals sign, like -var=\"key=value\".",
    );
}

#[test]
fn options_are_refused_in_the_words_of_opentofu() {
    let folder = scratch("validate_options_of_opentofu");
    fs::write(folder.join("main.tofu"), "output \"a\" {\n  value = 1\n}\n").unwrap();
    let mut ours = planlens(&folder);
    ours.env_remove("PLANLENS_LANGUAGE");
    let ours = ours.args(["plan", "-refresh-only", "-refresh=false"]);
    let ours = printed(&ours.output().unwrap());
    assert!(
        ours.contains("because OpenTofu would have nothing to do."),
        "{ours}"
    );
}

/// As the real programs of these releases answered.
#[test]
fn newer_releases_validate_with_the_types_of_attributes() {
    let folder = scratch("validate_types");
    let text = r#"
variable "is_on" {
  type    = bool
  default = true
}
resource "terraform_data" "first" {}
resource "terraform_data" "second" {
  count = 0
  input = var.is_on ? { name = "m" } : terraform_data.first.id
}
resource "terraform_data" "numbered" {
  count = 2
}
resource "terraform_data" "third" {
  count = 0
  input = var.is_on ? { name = "m" } : terraform_data.numbered[0].id
}
"#;
    fs::write(folder.join("main.tf"), text).unwrap();
    for (language, errors) in [
        ("terraform@1.14", 0),
        ("terraform@1.15", 1),
        ("opentofu@1.11", 0),
        ("opentofu@1.12", 1),
    ] {
        let arguments = ["validate", "-json", &format!("-language={language}")];
        let output = planlens(&folder).args(arguments).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["error_count"], errors, "{language}: {report}");
    }
}

#[test]
fn of_many_values_without_a_declaration_two_are_named() {
    let folder = scratch("validate_undeclared");
    fs::write(folder.join("main.tf"), "output \"a\" {\n  value = 1\n}\n").unwrap();
    fs::write(folder.join("terraform.tfvars"), "b = 1\nc = 2\n").unwrap();
    fs::write(
        folder.join("more.auto.tfvars.json"),
        r#"{ "d": 3, "e": 4, "f": 5 }"#,
    )
    .unwrap();
    let ours = planlens(&folder).args(["plan", "-json"]).output().unwrap();
    let document: Value = serde_json::from_slice(&ours.stdout).unwrap();
    let mut answers = vec![document["diagnostics"].as_array().unwrap().clone()];
    if let Some(terraform) = program("terraform") {
        let mut theirs = command(&terraform, &folder);
        let output = theirs.args(["plan", "-json"]).output().unwrap();
        let output = String::from_utf8_lossy(&output.stdout);
        let lines = output
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        let reported = lines.map(|it| it["diagnostic"].clone());
        answers.push(reported.filter(Value::is_object).collect());
    }
    for diagnostics in answers {
        let summaries: Vec<&str> = diagnostics
            .iter()
            .filter_map(|it| it["summary"].as_str())
            .collect();
        let named = "Value for undeclared variable";
        assert_eq!(summaries, [named, named, "Values for undeclared variables"]);
        let detail = "In addition to the other similar warnings shown, 3 other variable(s) defined without being declared.";
        assert_eq!(diagnostics[2]["detail"], detail);
    }
}

/// As tofu 1.12.6 reports them, with the lines.
#[test]
fn attributes_that_the_type_of_a_variable_drops_are_warnings_with_opentofu() {
    let folder = scratch("validate_ignored");
    let caller = "variable \"d\" {\n  type = object({ size = number })\n  default = {\n    size  = 1\n    sizes = [1]\n  }\n}\nmodule \"m\" {\n  source = \"./m\"\n  s = {\n    image   = \"nginx\"\n    replica = var.d.size\n    ports = [\n      { number = 80 },\n      { number = 443, secure = true },\n    ]\n  }\n}\n";
    let called = "variable \"s\" {\n  type = object({\n    image    = string\n    replicas = optional(number, 1)\n    ports    = list(object({ number = number }))\n  })\n}\n";
    fs::create_dir_all(folder.join("m")).unwrap();
    fs::write(folder.join("main.tf"), caller).unwrap();
    fs::write(folder.join("m/main.tf"), called).unwrap();
    for (language, lines) in [
        ("opentofu@1.12.6", &[5, 12, 15][..]),
        ("terraform@1.11.4", &[]),
    ] {
        let output = planlens(&folder)
            .args(["validate", "-json"])
            .env("PLANLENS_LANGUAGE", language)
            .output()
            .unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let diagnostics = document["diagnostics"].as_array().unwrap();
        let reported = diagnostics
            .iter()
            .filter(|it| it["summary"] == "Object attribute is ignored");
        let at: Vec<u64> = reported
            .filter_map(|it| it["range"]["start"]["line"].as_u64())
            .collect();
        assert_eq!(at, lines, "{language}: {document}");
    }
}

/// As tofu 1.12.6 and terraform 1.15.0 report them, with the lines.
#[test]
fn errors_of_files_hide_those_of_modules_as_in_each_release() {
    const TWICE: &str = "output \"o\" {\n  value = 1\n}\noutput \"o\" {\n  value = 1\n}\nmodule \"m\" {\n  source = \"./z\"\n}\n";
    const UNSET: &str = "variable \"v\" {}\nlocals {\n  s = \"./${var.v}\"\n}\nmodule \"m\" {\n  source = local.s\n}\nmodule \"n\" {\n  source = \"./z\"\n}\n";
    let constant = UNSET.replace("{}\n", "{ default = \"m\" }\n");
    let twice = "main.tf:4 Duplicate output definition";
    let in_module = "z/main.tf:3 Unsupported argument";
    let unset = "main.tf:1 No value for required variable";
    for (language, command, text, expected) in [
        ("opentofu@1.12.6", "plan", TWICE, &[twice, in_module][..]),
        ("opentofu@1.12.6", "validate", TWICE, &[twice]),
        ("terraform@1.15.0", "plan", TWICE, &[twice]),
        ("terraform@1.15.0", "plan", UNSET, &[unset]),
        (
            "terraform@1.15.0",
            "validate",
            &constant,
            &["main.tf:6 Invalid module source", in_module],
        ),
        (
            "opentofu@1.12.6",
            "plan",
            UNSET,
            &[
                "main.tf:1 Failed to request input from user for variable var.v",
                "main.tf:3 Unable to compute static value",
                "main.tf:5 Module not installed",
                "main.tf:6 Unable to compute static value",
                in_module,
            ],
        ),
    ] {
        let folder = scratch("validate_hidden");
        fs::create_dir_all(folder.join("z")).unwrap();
        fs::write(folder.join("main.tf"), text).unwrap();
        let called = "output \"x\" {\n  value = 1\n  extra = 1\n}\n";
        fs::write(folder.join("z/main.tf"), called).unwrap();
        let found = places_in(&folder, command, language);
        assert_eq!(found, expected, "{language} {command} {text}");
    }
}

/// As tofu 1.12.6 and terraform 1.11.4 report them.
#[test]
fn terraform_stops_at_the_first_wrong_trigger() {
    let folder = scratch("validate_triggers");
    let text = "resource \"terraform_data\" \"a\" {\n  for_each = { x = 1 }\n  lifecycle {\n    replace_triggered_by = [terraform_data.b[each.value], local.x]\n  }\n}\nresource \"terraform_data\" \"b\" {}\n";
    fs::write(folder.join("main.tf"), text).unwrap();
    let each = "main.tf:4 Invalid each reference in replace_triggered_by expression";
    let other = "main.tf:4 Invalid reference in replace_triggered_by expression";
    let missing = "main.tf:4 Invalid replace_triggered_by expression";
    for (language, expected) in [
        ("terraform@1.11.4", &[each][..]),
        ("opentofu@1.12.6", &[each, other, missing]),
    ] {
        let found = places_in(&folder, "validate", language);
        assert_eq!(found, expected, "{language}");
    }
}

/// As tofu 1.12.6 and terraform 1.11.4 report them, with the lines.
#[test]
fn errors_of_other_phases_are_left_out_as_in_each_release() {
    const CHECK: &str =
        "check \"c\" {\n  assert {\n    condition     = false\n    error_message = \"m\"\n  }\n}\n";
    const MISSING: &str = "locals {\n  o = { a = 1 }\n}\nresource \"terraform_data\" \"t\" {\n  for_each = { for s in [local.o] : s.b => 1 }\n}\noutput \"n\" {\n  value = local.o.c\n}\n";
    const BOTH: &str =
        "resource \"terraform_data\" \"t\" {\n  count    = 1\n  input    = 1\n  for_each = {}\n}\n";
    const UNSET: &str = "variable \"n\" {\n  default = 1\n}\n";
    let attribute = |line| format!("main.tf:{line} Unsupported attribute");
    let condition = "main.tf:3 Invalid assert expression".to_owned();
    let refused = "override.tf:1 Can't override check blocks".to_owned();
    let together =
        |line| format!("main.tf:{line} Invalid combination of \"count\" and \"for_each\"");
    let twice = "terraform.tfvars:4 Attribute redefined".to_owned();
    let none = "main.tf:1 Zero assert blocks".to_owned();
    for (text, other, of_terraform, of_opentofu) in [
        (
            CHECK,
            ("override.tf", CHECK),
            vec![none.clone(), condition.clone(), refused.clone()],
            vec![none, condition, refused],
        ),
        (
            MISSING,
            ("z.tf", ""),
            vec![attribute(5), attribute(8)],
            vec![attribute(8)],
        ),
        (BOTH, ("z.tf", ""), vec![together(4)], vec![together(2)]),
        (
            UNSET,
            ("terraform.tfvars", "block {\n}\nn = 1\nn = 2\n"),
            vec![twice.clone()],
            vec![twice],
        ),
    ] {
        let folder = scratch("validate_phases");
        fs::write(folder.join("main.tf"), text).unwrap();
        fs::write(folder.join(other.0), other.1).unwrap();
        for (language, expected) in [
            ("terraform@1.11.4", of_terraform),
            ("opentofu@1.12.6", of_opentofu),
        ] {
            let found = places_in(&folder, "plan", language);
            assert_eq!(found, expected, "{language} {text}");
        }
    }
}

/// The errors of a command, with their places.
fn places_in(folder: &Path, command: &str, language: &str) -> Vec<String> {
    let output = planlens(folder)
        .args([command, "-no-color"])
        .env("PLANLENS_LANGUAGE", language)
        .output()
        .unwrap();
    places_of(&printed(&output))
}

/// `FILE:LINE SUMMARY` of the errors in the text of a command.
fn places_of(reported: &str) -> Vec<String> {
    let errors = reported.split("Error: ").skip(1);
    let places = errors.map(|error| {
        let mut lines = error.lines();
        let summary = lines.next().unwrap();
        let place = lines.find_map(|it| it.trim().strip_prefix("on ")).unwrap();
        let (file, line) = place.split_once(" line ").unwrap();
        let line: String = line.chars().take_while(char::is_ascii_digit).collect();
        format!("{file}:{line} {summary}")
    });
    places.collect()
}

#[test]
fn a_lock_file_that_does_not_fit_is_refused_as_by_terraform() {
    let folder = scratch("validate_lock_file");
    let requirement = "terraform {\n  required_providers {\n    random = {\n      source  = \"hashicorp/random\"\n      version = \"~>3.5,>= 3.1.0\"\n    }\n  }\n}\n";
    fs::write(folder.join("main.tf"), requirement).unwrap();
    let begin = "The following dependency selections recorded in the lock file are inconsistent with the current configuration:\n  - provider registry.terraform.io/hashicorp/random: ";
    let summary = "Inconsistent dependency lock file";
    let detail = format!(
        "{begin}required by this configuration but no version is selected\n\nTo make the initial dependency selections that will initialize the dependency lock file, run:\n  terraform init"
    );
    check_refused(&folder, &[], summary, &detail);
    let update = "To update the locked dependency selections to match a changed configuration, run:\n  terraform init -upgrade";
    let lock = |constraints: &str| {
        let text = format!(
            "provider \"registry.terraform.io/hashicorp/random\" {{\n  version     = \"3.4.0\"\n  constraints = \"{constraints}\"\n}}\n"
        );
        fs::write(folder.join(".terraform.lock.hcl"), text).unwrap();
    };
    // Terraform wants the package of the locked version to be installed before it compares the versions.
    lock("~> 3.4");
    let detail = format!(
        "{begin}locked version selection 3.4.0 doesn't match the updated version constraints \">= 3.1.0, ~> 3.5\"\n\n{update}"
    );
    check_refused_here(&folder, &[], summary, &detail);
    lock(">= 3.1.0, ~> 3.5");
    let detail = format!(
        "{begin}version constraints \">= 3.1.0, ~> 3.5\" don't match the locked version selection 3.4.0\n\n{update}"
    );
    check_refused_here(&folder, &[], summary, &detail);
}

/// Planning fails with this error alone, here and with terraform where it is on the PATH.
fn check_refused(folder: &Path, options: &[&str], summary: &str, detail: &str) {
    check_refused_here(folder, options, summary, detail);
    if let Some(terraform) = program("terraform") {
        let arguments = [&["plan", "-json"], options].concat();
        let theirs = command(&terraform, folder)
            .args(&arguments)
            .output()
            .unwrap();
        let reported = String::from_utf8_lossy(&theirs.stdout);
        let mut lines = reported
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        let expected = json!({ "severity": "error", "summary": summary, "detail": detail });
        assert!(lines.any(|it| it["diagnostic"] == expected), "{reported}");
    }
}

fn check_refused_here(folder: &Path, options: &[&str], summary: &str, detail: &str) {
    let arguments = [&["plan", "-json"], options].concat();
    let ours = planlens(folder)
        .args(&arguments)
        .env("PLANLENS_LANGUAGE", "terraform@1.11.4")
        .output()
        .unwrap();
    assert_eq!(ours.status.code(), Some(1), "{options:?}");
    let document: Value = serde_json::from_slice(&ours.stdout).unwrap();
    let expected = json!([{ "severity": "error", "summary": summary, "detail": detail }]);
    assert_eq!(document["diagnostics"], expected);
    let ours = planlens(folder).arg("plan").args(options).output().unwrap();
    let text = String::from_utf8_lossy(&ours.stderr);
    assert!(text.contains(&format!("Error: {summary}\n")), "{text}");
}

/// The errors of a plan, and those of terraform where it is on the PATH.
fn errors_of_plans(folder: &Path) -> Vec<(&'static str, String)> {
    let ours = planlens(folder).arg("plan").output().unwrap();
    let mut plans = vec![("planlens", ours)];
    if let Some(terraform) = program("terraform") {
        let arguments = ["plan", "-input=false", "-no-color"];
        let theirs = command(&terraform, folder).args(arguments).output();
        plans.push(("terraform", theirs.unwrap()));
    }
    let text = |errors: Vec<u8>| String::from_utf8_lossy(&errors).into_owned();
    let plans = plans.into_iter();
    plans.map(|(who, it)| (who, text(it.stderr))).collect()
}

#[test]
fn a_trigger_that_is_not_declared_is_told_when_nothing_else_is_wrong() {
    let folder = scratch("validate_trigger");
    let trigger = "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    replace_triggered_by = [terraform_data.nope]\n  }\n}\n";
    let wrong = "output \"a\" {\n  value = [1][5]\n}\n";
    for (text, told, hidden) in [
        (trigger.to_owned(), "undeclared resource", "Invalid index"),
        (
            format!("{trigger}{wrong}"),
            "Invalid index",
            "undeclared resource",
        ),
    ] {
        fs::write(folder.join("main.tf"), text).unwrap();
        for (who, reported) in errors_of_plans(&folder) {
            assert!(reported.contains(told), "{who}: {reported}");
            assert!(!reported.contains(hidden), "{who}: {reported}");
        }
    }
}

#[test]
fn a_variable_that_is_null_hides_no_rule_of_others() {
    let folder = scratch("validate_null");
    let text = "variable \"null\" {\n  nullable = false\n}\nvariable \"small\" {\n  default = 1\n  validation {\n    condition     = var.small > 1\n    error_message = \"Too small.\"\n  }\n}\n";
    fs::write(folder.join("main.tf"), text).unwrap();
    fs::write(folder.join("terraform.tfvars"), "null = null\n").unwrap();
    for (who, reported) in errors_of_plans(&folder) {
        assert!(
            reported.contains("Error: Required variable not set"),
            "{who}: {reported}"
        );
        assert!(
            reported.contains("Error: Invalid value for variable"),
            "{who}: {reported}"
        );
    }
}

/// Configurations that Terraform 1.11.4 does not support, alone and beside other mistakes.
const UNSUPPORTED: &[&[(&str, &str)]] = &[
    &[(
        "main.tf",
        "terraform {\n  required_version = \">= 99.0\"\n}\n",
    )],
    &[(
        "main.tf",
        "terraform {\n  required_version = \"~> 1.5.0\"\n}\nresource \"terraform_data\" \"a\" {\n  nope = local.none\n}\n",
    )],
    &[(
        "main.tf",
        "terraform {\n  required_version = \"!= 1.11.4\"\n}\nvariable \"unset\" {}\n",
    )],
    &[
        ("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
        (
            "m/main.tf",
            "terraform {\n  required_version = \"< 1.0, > 0.12\"\n}\n\noutput \"o\" {\n  value = nope\n}\n",
        ),
    ],
    &[
        (
            "main.tf",
            "terraform {\n  required_version = \">= 1.12\"\n}\nterraform {\n  required_version = \"< 1.11\"\n}\n",
        ),
        (
            "more.tf",
            "terraform {\n  required_version = \"1.11.3\"\n}\n",
        ),
    ],
    &[
        (
            "main.tf",
            "terraform {\n  required_version = \">= 99\"\n}\n",
        ),
        ("wrong.tf", "resource \"x\" {\n}\n"),
    ],
    &[
        (
            "main.tf",
            "terraform {\n  required_version = \">= 99\"\n}\n",
        ),
        ("a.tf", "variable \"a\" {\n}\n"),
        ("terraform.tfvars", "a = = 1\n"),
    ],
    &[(
        "main.tf",
        "terraform {\n  required_version = \"1.11.4-beta1\"\n}\n",
    )],
];

#[test]
fn a_release_that_is_not_supported_is_refused_in_terraforms_words() {
    let test = "a_release_that_is_not_supported_is_refused_in_terraforms_words";
    if !has_terraform() {
        return skipped(test, "terraform 1.11.4 is not on the PATH");
    }
    for files in UNSUPPORTED {
        let folder = scratch(test);
        for (name, text) in *files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        // It fails, and lists the modules.
        command("terraform", &folder).arg("init").output().unwrap();
        let plan: &[&str] = &["plan", "-input=false", "-no-color"];
        for arguments in [plan, &["validate", "-no-color"], &["validate", "-json"]] {
            let theirs = command("terraform", &folder).args(arguments).output();
            let mut ours = planlens(&folder);
            let ours = ours
                .env_remove("PLANLENS_LANGUAGE")
                .args(arguments)
                .output();
            let (theirs, ours) = (theirs.unwrap(), ours.unwrap());
            assert_eq!(ours.status.code(), Some(1), "{}", printed(&ours));
            assert_eq!(theirs.status.code(), Some(1), "{}", printed(&theirs));
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            assert_eq!(
                text(&ours.stderr),
                text(&theirs.stderr),
                "{arguments:?} {files:?}"
            );
            if arguments.contains(&"-json") {
                let [ours, theirs] = [&ours, &theirs]
                    .map(|it| -> Value { serde_json::from_slice(&it.stdout).unwrap() });
                assert_eq!(ours["diagnostics"], theirs["diagnostics"], "{files:?}");
            }
        }
        // Which release runs is said by the PATH; none is no error.
        let mut alone = planlens(&folder);
        let alone = alone
            .env_remove("PLANLENS_LANGUAGE")
            .env("PATH", "/bin:/usr/bin");
        let output = alone.args(["validate", "-json"]).output().unwrap();
        let reported = printed(&output);
        assert!(
            !reported.contains("Unsupported Terraform Core"),
            "{reported}"
        );
    }
}

#[test]
fn a_release_that_is_not_supported_is_a_warning_in_the_editor_which_plans_on() {
    let test = "a_release_that_is_not_supported_is_a_warning_in_the_editor_which_plans_on";
    if !has_terraform() {
        return skipped(test, "terraform 1.11.4 is not on the PATH");
    }
    let folder = scratch(test);
    let text = "terraform {\n  required_version = \">= 1.12\"\n}\nresource \"terraform_data\" \"a\" {\n}\n";
    fs::write(folder.join("main.tf"), text).unwrap();
    let mut editor = Editor::start(&folder, &[], &folder.join("log"));
    let reported = editor.wait_for_diagnostic("unsupported-version");
    assert_eq!(reported["severity"], 2);
    assert_eq!(
        reported["range"]["start"],
        json!({ "line": 1, "character": 2 })
    );
    editor.wait_for_plan();
    let id = editor.request("planlens/plan", json!({}));
    let plan = editor.answer(id).0["plans"][0].clone();
    assert_eq!(
        (&plan["add"], &plan["guesses"]),
        (&json!(1), &json!(0)),
        "{plan}"
    );
    editor.replace(1, 22..29, ">= 1.11");
    while editor
        .last_diagnostics()
        .iter()
        .any(|it| it["code"] == "unsupported-version")
    {
        editor.next();
    }
    editor.stop();
}

#[test]
fn broken_configurations_have_terraforms_errors() {
    let test = "broken_configurations_have_terraforms_errors";
    let cache = match support::cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let is_recording = std::env::var_os("PLANLENS_RECORD_VALIDATE").is_some();
    let is_live = has_terraform();
    let recorded = fs::read_to_string(recorded_file()).unwrap_or_default();
    let recorded: Value = serde_json::from_str(&recorded).unwrap_or_default();
    assert!(is_recording || recorded["terraform"] == VERSION);
    let (mut answers, mut problems) = (Map::new(), Vec::new());
    let (mut alike, mut places, mut same_places) = (0, 0, 0);
    let (mut texts, mut same_texts) = (0, 0);
    let (mut values, mut same_values) = (0, 0);
    let cases = cases();
    for case in &cases {
        let folder = scratch("validate");
        case.write(&folder, &cache);
        // Without a recorded answer, or by the sample, terraform is asked again.
        let answer = &recorded["cases"][&case.name];
        let is_asked = is_recording || answer.is_null() || support::is_sampled(&case.name, 3);
        let theirs = match is_live && is_asked {
            true => terraform(&folder, &cache),
            false => answer.clone(),
        };
        assert!(theirs.is_array(), "{} is not recorded", case.name);
        answers.insert(case.name.clone(), theirs.clone());
        let ours = ours(&folder, &cache);
        let (their_values, our_values) = (
            reported_values(&theirs),
            reported_values(&ours["diagnostics"]),
        );
        let (their_details, our_details) = (details(&theirs), details(&ours["diagnostics"]));
        let (theirs, ours) = (reported(&theirs), reported(&ours["diagnostics"]));
        let is_alike = theirs.keys().eq(ours.keys());
        let is_explained = EXPLAINED.iter().any(|(name, _)| *name == case.name);
        if is_alike == is_explained {
            let (theirs, ours) = (theirs.keys(), ours.keys());
            problems.push(format!(
                "{}: terraform {theirs:?}, planlens {ours:?}",
                case.name
            ));
        }
        alike += usize::from(is_alike);
        if is_alike {
            texts += their_details.len();
            same_texts += their_details.intersection(&our_details).count();
            values += their_values.len();
            same_values += their_values.intersection(&our_values).count();
            // None is told that terraform doesn't tell.
            for reported in our_values.difference(&their_values) {
                problems.push(format!("{}: planlens alone tells {reported:?}", case.name));
            }
        }
        // Of some terraform tells no place.
        for (summary, at) in theirs.iter().filter(|_| is_alike) {
            let known: Vec<&String> = at.iter().filter(|at| !at.starts_with("null")).collect();
            places += known.len();
            same_places += known
                .iter()
                .filter(|at| ours[summary].contains(**at))
                .count();
        }
    }
    if is_recording && is_live {
        record(answers);
    }
    let report = format!(
        "validate: {alike} of {} configurations have the same summaries, {} explained; {same_places} of {places} places, {same_texts} of {texts} texts, {same_values} of {values} values\n",
        cases.len(),
        EXPLAINED.len(),
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        cases.len() >= 190
            && same_places * 100 >= places * 85
            && same_texts * 100 >= texts * 92
            && same_values * 100 >= values * 75,
        "{report}"
    );
}

/// `planlens validate` of a folder: its exit code fits what it says.
fn ours(folder: &Path, cache: &Path) -> Value {
    let output = planlens(folder)
        .args(["validate", "-json"])
        .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
        .output()
        .unwrap();
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no answer: {}", printed(&output)));
    let count = |severity: &str| {
        let all = said["diagnostics"].as_array().unwrap().iter();
        all.filter(|it| it["severity"] == severity).count()
    };
    assert_eq!(said["format_version"], "1.0");
    assert_eq!(said["error_count"], count("error"));
    assert_eq!(said["warning_count"], count("warning"));
    assert_eq!(said["valid"], count("error") == 0);
    assert_eq!(output.status.code(), Some(i32::from(count("error") > 0)));
    said
}

fn terraform(folder: &Path, cache: &Path) -> Value {
    let run = |arguments: &[&str]| {
        command("terraform", folder)
            .args(arguments)
            .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
            .output()
            .unwrap()
    };
    if !folder.join(".terraform/modules/modules.json").exists() {
        run(&["get"]);
    }
    let output = run(&["validate", "-json"]);
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no answer: {}", printed(&output)));
    let short = |it: &Value| {
        json!({
            "severity": it["severity"],
            "summary": it["summary"],
            "detail": it["detail"],
            "range": it["range"],
            "address": it["address"],
            "snippet": {
                "values": it["snippet"]["values"],
                "function_call": it["snippet"]["function_call"],
            },
        })
    };
    said["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(short)
        .collect()
}

/// The summaries with their details.
fn details(diagnostics: &Value) -> BTreeSet<(String, String)> {
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let all = diagnostics.as_array().into_iter().flatten();
    all.map(|it| (text(it, "summary"), text(it, "detail")))
        .collect()
}

/// The summaries with what is said beside them: of values, of whose object it is, and of the function that was called.
fn reported_values(diagnostics: &Value) -> BTreeSet<(String, String)> {
    let all = diagnostics.as_array().into_iter().flatten();
    all.flat_map(|it| {
        let values = it["snippet"]["values"].as_array().into_iter().flatten();
        let beside = [&it["address"], &it["snippet"]["function_call"]];
        let beside = beside.into_iter().filter(|it| !it.is_null());
        let reported = values.chain(beside);
        reported.map(|reported| (it["summary"].to_string(), reported.to_string()))
    })
    .collect()
}

/// The members of a cycle are told in no order.
fn reported(diagnostics: &Value) -> Reported {
    let mut reported = Reported::new();
    for diagnostic in diagnostics.as_array().into_iter().flatten() {
        let text = |name: &str| diagnostic[name].as_str().unwrap_or_default().to_owned();
        let mut summary = text("summary");
        if let Some(members) = summary.strip_prefix("Cycle: ") {
            let mut members: Vec<&str> = members.split(", ").collect();
            members.sort_unstable();
            summary = format!("Cycle: {}", members.join(", "));
        }
        let range = &diagnostic["range"];
        let side = |side: &str| format!("{}:{}", range[side]["line"], range[side]["column"]);
        let at = format!("{} {} {}", range["filename"], side("start"), side("end"));
        reported
            .entry((text("severity"), summary))
            .or_default()
            .insert(at);
    }
    reported
}

fn has_terraform() -> bool {
    program("terraform").is_some_and(|terraform| {
        let output = command(terraform, repository())
            .args(["version", "-json"])
            .output()
            .unwrap();
        let version: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        version["terraform_version"] == VERSION
    })
}

fn recorded_file() -> PathBuf {
    repository().join("tests/validate/recorded.json")
}

fn record(answers: Map<String, Value>) {
    let cases: Vec<String> = answers
        .iter()
        .map(|(name, answer)| format!("{}: {answer}", Value::from(name.as_str())))
        .collect();
    let text = format!(
        "{{\"terraform\": \"{VERSION}\", \"cases\": {{\n{}\n}}}}\n",
        cases.join(",\n")
    );
    fs::write(recorded_file(), text).unwrap();
}
