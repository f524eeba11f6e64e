//! Completion where more than the language and the schemas decide: in other kinds of files, and of what is on disk.

use text::TextSize;

use crate::support::Opened;

/// A module that everything here is about.
const MODULE: &str = r#"
#- /main.tf
variable "size" {
  type        = number
  description = "How large it is."
}

variable "color" {
  type = string
}

locals {
  name = "web"
}

resource "fake_thing" "a" {
  name = local.name
  size = var.size
}

output "id" {
  value = fake_thing.a.id
}
"#;

/// Everything that is offered in `file`, the best first, as label and what is inserted.
fn offered(file: &str) -> Vec<(String, String)> {
    let opened = Opened::new(&format!("{}\n{MODULE}", file.trim()));
    let items = opened
        .snapshot
        .completions(&opened.open, opened.range.start(), &opened.files);
    // Or the word may still bring types of other providers.
    assert!(
        !items.is_incomplete || items.items.len() < 2_000,
        "nothing is cut"
    );
    let text = |it: &ide::Completion| (it.label.clone(), ide::snippet_as_text(&it.snippet));
    items.items.iter().map(text).collect()
}

/// What is offered first at the cursor, and what is not offered.
fn check(file: &str, first: &[&str], absent: &[&str]) {
    let offered = offered(file);
    let labels: Vec<&str> = offered.iter().map(|(label, _)| label.as_str()).collect();
    let shown = &labels[..labels.len().min(12)];
    assert!(labels.starts_with(first), "{file}\n{shown:?}");
    for label in absent {
        assert!(!labels.contains(label), "{label} in {file}\n{shown:?}");
    }
}

#[test]
fn elements_of_sensitive_collections_are_masked() {
    let text = "variable \"m\" {\n  type = map(string)\n  default = { a = \"hunter2\" }\n  sensitive = true\n}\n\
         resource \"terraform_data\" \"x\" {\n  for_each = { for k, v in var.m : k => v }\n  input = each.$0\n}\n";
    let opened = Opened::new(text);
    let offered = opened
        .snapshot
        .completions(&opened.open, opened.range.start(), &opened.files);
    let details = offered.items.iter().filter_map(|it| it.detail.as_deref());
    assert_eq!(Vec::from_iter(details), ["string", "(sensitive value)"]);
}

#[test]
fn tests_have_blocks_and_names_of_their_own() {
    let check = |text: &str, first: &[&str], absent: &[&str]| {
        check(&format!("#- /tests/a.tftest.hcl\n{text}"), first, absent);
    };
    check(
        "$0",
        &["provider", "mock_provider", "override_data"],
        &["resource", "locals"],
    );
    check(
        "run \"a\" {\n  $0\n}",
        &["command", "expect_failures"],
        &["for_each"],
    );
    check(
        "run \"a\" {\n  command = $0\n}",
        &["apply", "plan"],
        &["var.size"],
    );
    check(
        "run \"a\" {\n  variables {\n    $0\n  }\n}",
        &["color", "size"],
        &["name"],
    );
    check("variables {\n  size = 1\n  $0\n}", &["color"], &["size"]);
    check(
        "run \"a\" {\n  assert {\n    $0\n  }\n}",
        &["condition", "error_message"],
        &["command"],
    );
    check(
        "run \"a\" {\n  assert {\n    condition = fake_thing.a.$0\n  }\n}",
        &["enabled"],
        &["a"],
    );
    check(
        "run \"a\" {\n  assert {\n    condition = output.$0\n  }\n}",
        &["id"],
        &["name"],
    );
    check(
        "run \"a\" {\n}\n\nrun \"b\" {\n  variables {\n    color = run.$0\n  }\n}",
        &["a"],
        &["b"],
    );
    check(
        "run \"a\" {\n}\n\nrun \"b\" {\n  variables {\n    color = run.a.$0\n  }\n}",
        &["id"],
        &["a"],
    );
    check(
        "run \"a\" {\n  expect_failures = [$0]\n}",
        &["fake_thing.a"],
        &["path.module"],
    );
    check(
        "mock_provider \"fake\" {\n  mock_resource \"$0\" {\n  }\n}",
        &["fake_disk"],
        &[],
    );
    check(
        "mock_provider \"fake\" {\n  mock_resource \"fake_thing\" {\n    defaults = {\n      $0\n    }\n  }\n}",
        &["id"],
        &["name"],
    );
    check(
        "override_resource {\n  target = fake_thing.a\n  values = {\n    $0\n  }\n}",
        &["id"],
        &["name"],
    );
    super::completion::check(
        "#- /mocks/a.tfmock.hcl\n$0",
        &["mock_data", "mock_resource"],
        &["run"],
    );
    super::completion::check(
        "#- /a.tofutest.hcl\nrun \"a\" {\n  comm$0\n}",
        &["command"],
        &[],
    );
}

#[test]
fn values_of_tests_are_not_taken_for_those_of_the_plan() {
    let file = "#- /a.tftest.hcl\nrun \"a\" {\n  assert {\n    condition = local.$0\n  }\n}";
    let opened = Opened::new(&format!("{file}\n{MODULE}"));
    let items = opened
        .snapshot
        .completions(&opened.open, opened.range.start(), &opened.files);
    assert_eq!(items.items[0].detail.as_deref(), Some("string"));
}

#[test]
fn nothing_is_offered_in_languages_that_are_not_known() {
    for name in [
        "a.tfcomponent.hcl",
        "a.tfdeploy.hcl",
        "a.tfquery.hcl",
        "terragrunt.hcl",
        "a.policy.hcl",
    ] {
        check(&format!("#- /{name}\n$0"), &[], &["resource", "run"]);
        assert!(
            offered(&format!("#- /{name}\nx \"a\" {{\n  b = var.$0\n}}")).is_empty(),
            "{name}"
        );
    }
}

#[test]
fn values_in_a_folder_below_are_those_of_the_module() {
    check("#- /env/prod.tfvars\n$0", &["color", "size"], &["name"]);
    check(
        "#- /tests/mocks/a/b/c/d.tfmock.hcl\nmock_resource \"$0\" {\n}",
        &["fake_disk"],
        &[],
    );
}

#[test]
fn values_that_a_validation_names_are_offered() {
    let check = |r#type: &str, condition: &str, given: &str, expected: &[&str]| {
        let variable = format!(
            "variable \"chosen\" {{\n  type = {type}\n  validation {{\n    condition     = {condition}\n    error_message = \"no\"\n  }}\n}}\n"
        );
        let offered = offered(&format!(
            "#- /a.tfvars\nchosen = {given}\n#- /more.tf\n{variable}"
        ));
        let labels: Vec<&str> = offered.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, expected, "{condition}");
    };
    let text = |condition, expected| check("string", condition, "$0", expected);
    text("contains([\"b\", \"a\"], var.chosen)", &["\"a\"", "\"b\""]);
    text(
        "var.chosen == \"a\" || (\"b\" == var.chosen || var.chosen == null)",
        &["\"a\"", "\"b\""],
    );
    text(
        "contains([\"a\", \"b\"], var.chosen) && var.chosen != \"b\"",
        &["\"a\"", "\"b\""],
    );
    text(
        "contains([\"a\", \"b\"], var.chosen) && contains([\"b\", \"c\"], var.chosen)",
        &["\"b\""],
    );
    text(
        "can(regex(\"^(small|large)$\", var.chosen))",
        &["\"large\"", "\"small\""],
    );
    text(
        "anytrue([var.chosen == \"a\", var.chosen == \"b\"])",
        &["\"a\"", "\"b\""],
    );
    // Nothing that can be listed.
    text("can(regex(\"^[a-z]+$\", var.chosen))", &[]);
    text("can(regex(\"^a|b$\", var.chosen))", &[]);
    text("var.chosen == \"a\" || length(var.chosen) > 3", &[]);
    text("contains([\"a\"], lower(var.chosen))", &[]);
    check(
        "string",
        "contains([\"a\", \"b\"], var.chosen)",
        "\"$0\"",
        &["a", "b"],
    );
    let number = |condition, expected| check("number", condition, "$0", expected);
    number("contains([80, 443], var.chosen)", &["443", "80"]);
    number(
        "var.chosen >= 1 && var.chosen < 4 && floor(var.chosen) == var.chosen",
        &["1", "2", "3"],
    );
    number("var.chosen > -2 && 0 >= var.chosen", &["-1", "0"]);
    number("var.chosen > 0 && var.chosen <= 65535", &[]);
    let each = "alltrue([for it in var.chosen : contains([\"a\", \"b\"], it)])";
    check("list(string)", each, "[\"$0\"]", &["a", "b"]);
    check("list(string)", each, "$0", &["[ string ]"]);
}

#[test]
fn json_syntax_completes_as_native_syntax() {
    // What is offered first, and what is written for it.
    let check = |text: &str, label: &str, written: &str| {
        let offered = offered(&format!("#- /more.tf.json\n{text}"));
        let found = offered.iter().find(|(it, _)| it == label);
        let shown = &offered[..offered.len().min(8)];
        assert_eq!(
            found.map(|it| it.1.as_str()),
            Some(written),
            "{text}\n{shown:?}"
        );
    };
    check("{\"$0", "resource", "resource");
    check("{$0}", "resource", "\"resource\": {\n  \n}");
    check("{\"resource\": {\"fake_$0\"}}", "fake_thing", "fake_thing");
    check("{\"data\": {$0}}", "fake_zone", "\"fake_zone\": {\n  \n}");
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\"na$0\"}}}}",
        "name",
        "name",
    );
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\n  \"name\": \"a\",\n  $0\n}}}}",
        "size",
        "\"size\": ",
    );
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\"rule\": [{\"$0\"}]}}}}",
        "port",
        "port",
    );
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\"name\": \"a ${var.$0\"}}}}",
        "size",
        "size",
    );
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\"name\": \"\\\"${lookup(local.$0",
        "name",
        "name",
    );
    let each = "{\"resource\": {\"fake_thing\": {\"x\": {\n  \"for_each\": {\"a\": {\"zone\": \"b\"}},\n  \"name\": \"${each.value.$0\"}}}}";
    check(each, "zone", "zone");
    check(
        &each.replace(
            "{\"a\": {\"zone\": \"b\"}}",
            "\"${{ a = { zone = \\\"b\\\" } }}\"",
        ),
        "zone",
        "zone",
    );
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\"name\": $0}}}}",
        "local.name",
        "\"${local.name}\"",
    );
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\"enabled\": $0}}}}",
        "true",
        "true",
    );
    check(
        "{\"resource\": {\"fake_thing\": {\"x\": {\"depends_on\": [\"$0\"]}}}}",
        "fake_thing.a",
        "fake_thing.a",
    );
    check(
        "{\"variable\": {\"x\": {\"type\": \"$0\"}}}",
        "string",
        "string",
    );
    check(
        "{\"output\": {\"x\": {\"value\": \"${fake_thing.a.$0}\"}}}",
        "id",
        "id",
    );
    let given = offered("#- /a.tfvars.json\n{\"size\": 1, \"$0\"}");
    assert_eq!(given, [("color".to_owned(), "color".to_owned())]);
}

#[test]
fn completion_in_json_replaces_the_current_word() {
    let text = "#- /a.tf.json\n{\"output\": {\"x\": {\"value\": \"\\u00e9 ${var.si$0} b\"}}}";
    let opened = Opened::new(&format!("{text}\n{MODULE}"));
    let items = opened
        .snapshot
        .completions(&opened.open, opened.range.start(), &opened.files);
    let word = items.items[0].range;
    let end = opened.range.start();
    assert_eq!((word.start(), word.end()), (end - TextSize::of("si"), end));
}

#[test]
fn paths_are_those_of_the_folder() {
    const FILES: &str = "\n#- /a.txt\n#- /tpl/b.tpl\n#- /tpl/deep/c.tpl\n#- /.hidden\n";
    let check = |value: &str, expected: &[&str]| {
        let offered = offered(&format!(
            "#- /more.tf\noutput \"x\" {{\n  value = {value}\n}}\n{FILES}"
        ));
        let labels: Vec<&str> = offered.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, expected, "{value}");
    };
    check("file(\"$0\")", &["a.txt", "main.tf", "more.tf", "tpl/"]);
    check("file(\"tpl/$0\")", &["tpl/b.tpl", "tpl/deep/"]);
    check(
        "templatefile(\"${path.module}/tpl/b$0\", {})",
        &["/tpl/b.tpl", "/tpl/deep/"],
    );
    check(
        "upper(filebase64(\"${path.root}$0",
        &["/a.txt", "/main.tf", "/more.tf", "/tpl/"],
    );
    check("fileset(\"$0\", \"*\")", &["tpl/"]);
    check("fileset(\".\", \"$0\")", &[]);
    check("upper(\"$0\")", &[]);
}

#[test]
fn sources_of_modules_are_folders() {
    const FILES: &str = "\n#- /net/main.tf\n#- /modules/vpc/main.tf\n#- /docs/a.md\n";
    let check = |source: &str, expected: &[&str]| {
        let offered = offered(&format!(
            "#- /more.tf\nmodule \"x\" {{\n  source = \"{source}\"\n}}\n{FILES}"
        ));
        let labels: Vec<&str> = offered.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, expected, "{source}");
    };
    check("$0", &["./net", "../", "./docs/", "./modules/"]);
    check("./modules/$0", &["./modules/vpc"]);
}

#[test]
fn modules_from_elsewhere_are_those_that_are_installed() {
    const INSTALLED: &str = r#"
#- /.terraform/modules/modules.json
{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"vpc","Source":"registry.terraform.io/acme/vpc/aws","Version":"5.1.2","Dir":".terraform/modules/vpc"},{"Key":"git","Source":"git::https://example.com/vpc.git","Dir":".terraform/modules/git"},{"Key":"near","Source":"./net","Dir":"net"}]}
"#;
    let check = |inside: &str, expected: &[&str]| {
        let offered = offered(&format!(
            "#- /more.tf\nmodule \"x\" {{\n  {inside}\n}}\n{INSTALLED}"
        ));
        let labels: Vec<&str> = offered.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, expected, "{inside}");
    };
    check(
        "source = \"$0\"",
        &["acme/vpc/aws", "git::https://example.com/vpc.git", "../"],
    );
    check(
        "source  = \"acme/vpc/aws\"\n  version = \"$0\"",
        &["5.1.2", "~> 5.1"],
    );
    check(
        "source  = \"acme/vpc/aws//modules/endpoints\"\n  version = \"$0\"",
        &["5.1.2", "~> 5.1"],
    );
    check("source  = \"acme/other/aws\"\n  version = \"$0\"", &[]);
}

#[test]
fn parameters_are_shown_in_templates_of_json() {
    let text = "#- /more.tf.json\n{\"output\": {\"x\": {\"value\": \"a ${join(\\\",\\\", $0\"}}}";
    let opened = Opened::new(&format!("{text}\n{MODULE}"));
    let help = opened
        .snapshot
        .signature_help(&opened.open, opened.range.start())
        .unwrap();
    assert!(help.label.starts_with("join("), "{}", help.label);
    assert_eq!(help.active, Some(1));
}

#[test]
fn iterators_of_dynamic_blocks_have_keys_and_values() {
    let dynamic = |head: &str, argument: &str| {
        format!(
            "#- /more.tf\nresource \"fake_thing\" \"x\" {{\n  name = \"a\"\n  dynamic \"rule\" {{\n    {head}\n    content {{\n      port = {argument}\n    }}\n  }}\n}}"
        )
    };
    let each = "for_each = [{ port = 1, note = \"a\" }]";
    let named = format!("iterator = it\n    {each}");
    check(&dynamic(each, "rule.$0"), &["key", "value"], &[]);
    check(&dynamic(each, "rule.value.$0"), &["port", "note"], &[]);
    check(&dynamic(&named, "it.value.$0"), &["port", "note"], &[]);
    check(&dynamic(&named, "rule.value.$0"), &[], &["port"]);
    check(
        &dynamic("for_each = { a = { size = 1 } }", "rule.value.$0"),
        &["size"],
        &[],
    );
    check(&dynamic(each, "ru$0"), &["rule"], &[]);
    let unknown = "for_each = [for it in fake_thing.y.rules : { port = it.id, note = it.name }]";
    check(&dynamic(unknown, "rule.value.$0"), &["note", "port"], &[]);
    let inside_header = dynamic("for_each = [rule.$0]", "1");
    check(&inside_header, &[], &["value"]);
}

/// The types of variables and the expressions of local values say it.
#[test]
fn elements_of_empty_and_null_collections_have_members() {
    const DECLARED: &str = r#"
variable "pools" {
  type = map(object({ size = number, taints = list(object({ key = string })), window = optional(object({ days = list(object({ day = string })) })) }))
  default = {}
}
variable "labels" {
  type    = list(map(string))
  default = [{ team = "a" }, { owner = "b" }]
}
variable "probe" {
  type    = object({ path = string, headers = list(object({ value = string })) })
  default = null
}
locals {
  taints = flatten([for name, pool in var.pools : [for taint in pool.taints : { pool = name, taint = taint }]])
  by_key = { for it in local.taints : it.taint.key => it }
  sizes  = { blue = { min = 1, max = 2 }, green = { min = 1, spot = true } }
  first  = one([fake_thing.unplanned])
  again  = local.first
  round  = { for it in local.other : it.key => it }
  other  = { for it in local.round : it.key => it }
}
"#;
    let output =
        |value: &str| format!("#- /more.tf\n{DECLARED}output \"x\" {{\n  value = {value}\n}}\n");
    for (value, offered) in [
        ("[for it in local.taints : it.$0]", &["pool", "taint"][..]),
        ("[for it in local.taints : it.taint.$0]", &["key"]),
        ("[for it in local.by_key : it.taint.$0]", &["key"]),
        (
            "[for it in values(local.by_key) : it.$0]",
            &["pool", "taint"],
        ),
        (
            "[for it in try(local.by_key, {}) : it.$0]",
            &["pool", "taint"],
        ),
        ("[for it in local.round : it.$0]", &[]),
        ("[for it in local.sizes : it.$0]", &["max", "min", "spot"]),
        ("local.again.$0", &["capacity", "enabled", "id"]),
        ("[for it in var.probe[*] : it.$0]", &["headers", "path"]),
        ("[for it in var.probe.headers : it.$0]", &["value"]),
        ("[for it in toset(var.labels) : it.$0]", &["owner", "team"]),
        (
            "[for pool in var.pools : [for it in pool.window[*] : it.$0]]",
            &["days"],
        ),
        (
            "[for pool in var.pools : [for it in pool.window.days : it.$0]]",
            &["day"],
        ),
    ] {
        check(&output(value), offered, &["length"]);
    }
    let each = "resource \"fake_thing\" \"x\" {\n  for_each = local.by_key\n  name = each.value.taint.$0\n}\n";
    check(&format!("#- /more.tf\n{DECLARED}{each}"), &["key"], &[]);
}

#[test]
fn configurations_that_callers_pass_are_offered() {
    let file = |provider: &str| {
        format!(
            "#- /more.tf\nterraform {{\n  required_providers {{\n    fake = {{\n      source = \"hashicorp/fake\"\n      configuration_aliases = [fake.replica]\n    }}\n  }}\n}}\nresource \"fake_thing\" \"x\" {{\n  provider = {provider}\n}}\n"
        )
    };
    check(&file("$0"), &["fake", "fake.replica"], &[]);
    check(&file("fake.$0"), &["replica"], &[]);
}

#[test]
fn providers_not_installed_are_known_from_built_in_schemas() {
    const REQUIRED: &str = "terraform {\n  required_providers {\n    random = { source = \"hashicorp/random\" }\n  }\n}\n";
    let file = |text: &str| format!("#- /more.tf\n{REQUIRED}{text}\n");
    check(
        &file("resource \"random_$0\" \"x\" {\n}"),
        &["fake_disk", "fake_thing", "random_bytes"],
        &["tls_private_key"],
    );
    check(
        &file("resource \"random_bytes\" \"x\" {\n  $0\n}"),
        &["length", "keepers"],
        &["base64"],
    );
    check(
        &file(
            "resource \"random_bytes\" \"x\" {\n  length = 1\n}\noutput \"x\" {\n  value = random_bytes.x.$0\n}",
        ),
        &["base64"],
        &[],
    );
    for (repetition, reference) in [
        ("count = 2", "random_bytes.x[1]."),
        ("count = 2", "random_bytes.x[*]."),
        ("count = 2", "random_bytes.x.*."),
        ("count = 0", "random_bytes.x[0]."),
        (
            "count = length(random_bytes.y.base64)",
            "random_bytes.x[0].",
        ),
        (
            "count = length(random_bytes.y.base64)",
            "random_bytes.x[*].",
        ),
        ("for_each = toset([\"a\"])", "random_bytes.x[\"a\"]."),
        (
            "for_each = toset([\"a\"])",
            "random_bytes.x[random_bytes.y.hex].",
        ),
        ("count = 2", "random_bytes.x[random_bytes.y.length]."),
        ("for_each = toset([\"a\"])", "[for x in random_bytes.x : x."),
        (
            "for_each = toset([random_bytes.y.base64])",
            "random_bytes.x[\"a\"].",
        ),
        (
            "for_each = toset([random_bytes.y.base64])",
            "values(random_bytes.x)[*].",
        ),
    ] {
        let resource = format!("resource \"random_bytes\" \"x\" {{\n  {repetition}\n}}");
        let text = format!("{resource}\noutput \"x\" {{\n  value = {reference}$0\n}}");
        check(&file(&text), &["base64", "hex", "keepers", "length"], &[]);
    }
    check(
        &file(
            "resource \"random_bytes\" \"x\" {\n  for_each = toset([\"a\", \"b\"])\n}\noutput \"x\" {\n  value = random_bytes.x[\"$0\"]\n}",
        ),
        &["a", "b"],
        &[],
    );
    let text = file("resource \"random_bytes\" \"x\" {\n  len$0gth = \"a\"\n  no_such = 1\n}");
    let opened = Opened::new(&format!("{text}{MODULE}"));
    let hover = opened
        .snapshot
        .hover(&opened.open, opened.range.start())
        .unwrap()
        .text
        .to_plaintext();
    assert!(
        hover.contains("From hashicorp/random 3.9.0, not from a plugin of this folder."),
        "{hover}"
    );
    // It says nothing of what is wrong.
    let codes: Vec<_> = opened
        .diagnostics()
        .iter()
        .map(|it| it.diagnostic.code)
        .collect();
    assert_eq!(codes, ["provider-not-installed"]);
}

/// Editors put what begins with the word before what has its letters, and then go by rank and name.
#[test]
fn a_type_comes_first_when_its_beginning_is_typed() {
    for (typed, first) in [
        ("aws_inst", "aws_instance"),
        ("aws_s3_bucket", "aws_s3_bucket"),
        ("azurerm_kubernetes", "azurerm_kubernetes_cluster"),
        ("google_compute_inst", "google_compute_instance"),
    ] {
        let file = format!("#- /more.tf\nresource \"{typed}$0\" \"x\" {{\n}}");
        let opened = Opened::new(&format!("{file}\n{MODULE}"));
        let place = opened.range.start();
        let offered = opened
            .snapshot
            .completions(&opened.open, place, &opened.files);
        let items = offered
            .items
            .iter()
            .filter(|it| it.label.starts_with(typed));
        let best = items.min_by_key(|it| (it.rank, &it.label)).unwrap();
        assert_eq!(best.label, first);
    }
}

#[test]
fn types_of_well_known_providers_are_offered_before_anything_is_required() {
    let check = |file: &str, present: &[&str], absent: &[&str]| {
        let offered = offered(file);
        let has = |label: &&&str| offered.iter().any(|(it, _)| it == **label);
        let missing: Vec<_> = present.iter().filter(|label| !has(label)).collect();
        let wrong: Vec<_> = absent.iter().filter(has).collect();
        assert!(
            missing.is_empty() && wrong.is_empty(),
            "{file}\n{missing:?} {wrong:?}"
        );
    };
    check(
        "#- /more.tf\nresource \"aws_$0\" \"x\" {\n}",
        &["aws_vpc", "aws_instance", "aws_s3_bucket"],
        &["azurerm_subnet"],
    );
    // While the word may still become anything, the editor is to ask again.
    let opened = Opened::new(&format!("#- /more.tf\nresource \"$0\"\n{MODULE}"));
    let offered = opened
        .snapshot
        .completions(&opened.open, opened.range.start(), &opened.files);
    assert!(offered.is_incomplete);
    check(
        "#- /more.tf\nresource \"aws_instance\" \"x\" {\n  $0\n}",
        &[
            "ami",
            "instance_type",
            "root_block_device",
            "tags",
            "lifecycle",
        ],
        &["arn"],
    );
    check(
        "#- /more.tf\nresource \"aws_instance\" \"x\" {\n  root_block_device {\n    $0\n  }\n}",
        &["volume_size", "volume_type"],
        &["ami"],
    );
    // An attribute that is written as a block.
    check(
        "#- /more.tf\nresource \"aws_security_group\" \"x\" {\n  dynamic \"$0\" {\n  }\n}",
        &["ingress", "egress", "timeouts"],
        &["tags", "vpc_id"],
    );
    for written in ["ingress {", "dynamic \"ingress\" {\n    content {"] {
        let closes = "}".repeat(written.matches('{').count());
        let file = format!(
            "#- /more.tf\nresource \"aws_security_group\" \"x\" {{\n  {written}\n    $0\n  {closes}\n}}"
        );
        check(&file, &["from_port", "cidr_blocks"], &["vpc_id"]);
    }
    check(
        "#- /more.tf\nresource \"aws_vpc\" \"main\" {\n}\noutput \"x\" {\n  value = aws_vpc.main.$0\n}",
        &["id", "arn", "cidr_block"],
        &["ami"],
    );
    check(
        "#- /more.tf\nprovider \"$0\" {\n}",
        &["aws", "azurerm", "google"],
        &[],
    );
    check(
        "#- /more.tf\nprovider \"aws\" {\n  $0\n}",
        &["region", "default_tags", "alias"],
        &[],
    );
    // A name that the module gives to another provider means that one.
    check(
        "#- /more.tf\nterraform {\n  required_providers {\n    aws = {\n      source = \"acme/aws\"\n    }\n  }\n}\nresource \"aws_$0\" \"x\" {\n}",
        &[],
        &["aws_vpc"],
    );
}

#[test]
fn required_providers_are_completed_from_known_providers() {
    let required = |inside: &str| {
        let file =
            format!("#- /more.tf\nterraform {{\n  required_providers {{\n    {inside}\n  }}\n}}\n");
        let opened = Opened::new(&format!("{file}{MODULE}"));
        let opened =
            opened.with_local_provider("registry.terraform.io/acme/robot", &["2.1.3", "1.9.0"]);
        let items = opened
            .snapshot
            .completions(&opened.open, opened.range.start(), &opened.files);
        items
            .items
            .into_iter()
            .map(|it| (it.label.clone(), ide::snippet_as_text(&it.snippet)))
            .collect::<Vec<_>>()
    };
    let labels = |inside: &str| {
        required(inside)
            .into_iter()
            .map(|it| it.0)
            .collect::<Vec<_>>()
    };
    let entries = required("$0");
    let robot = entries.iter().find(|it| it.0 == "robot").unwrap();
    assert_eq!(
        robot.1,
        "robot = {\n  source  = \"acme/robot\"\n  version = \"~> 2.1\"\n}"
    );
    assert!(entries.iter().any(|it| it.0 == "random"), "{entries:?}");
    assert_eq!(labels("robot = { source = \"$0\" }")[0], "acme/robot");
    assert_eq!(
        labels("robot = {\n  source = \"acme/robot\"\n  version = \"$0\"\n}"),
        ["2.1.3", "~> 2.1", "1.9.0", "~> 1.9"]
    );
}

#[test]
fn more_than_can_be_sent_is_never_cut_silently() {
    let declared = |count: usize| {
        let locals: String = (0..count)
            .map(|nth| format!("  name_{nth} = {nth}\n"))
            .collect();
        format!(
            "#- /more.tf\noutput \"x\" {{\n  value = local.$0\n}}\n#- /main.tf\nlocals {{\n{locals}}}\n"
        )
    };
    for (count, is_cut) in [(100, false), (2_500, true)] {
        let opened = Opened::new(&declared(count));
        let found = opened
            .snapshot
            .completions(&opened.open, opened.range.start(), &opened.files);
        assert_eq!(
            (found.is_incomplete, found.items.len() < count),
            (is_cut, is_cut)
        );
    }
    // What is typed on brings the others.
    let opened = Opened::new(&declared(2_500).replace("local.$0", "local.name_2499$0"));
    let found = opened
        .snapshot
        .completions(&opened.open, opened.range.start(), &opened.files);
    let labels: Vec<&str> = found.items.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(
        (found.is_incomplete, labels.as_slice()),
        (true, ["name_2499"].as_slice())
    );
}

#[test]
fn an_action_has_its_types_and_arguments_and_is_named_where_it_is_invoked() {
    let module = |text: &str| {
        format!("#- /b.tf\nterraform {{\n  required_version = \">= 1.14\"\n}}\n{text}")
    };
    check(
        &module("action \"fake_pi$0\" \"b\" {\n}"),
        &["fake_ping"],
        &["fake_thing"],
    );
    let action = |config: &str| {
        format!("action \"fake_ping\" \"b\" {{\n  config {{\n    {config}\n  }}\n}}")
    };
    check(&module(&action("tar$0")), &["target"], &["count"]);
    let resource = "resource \"fake_thing\" \"b\" {\n  lifecycle {\n    action_trigger {\n      events = [after_create]\n      actions = [action.fake_ping.$0]\n    }\n  }\n}\n";
    check(
        &module(&format!("{resource}{}", action("target = 1"))),
        &["b"],
        &["a"],
    );
}
