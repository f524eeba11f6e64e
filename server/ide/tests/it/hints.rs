//! Hints that each have a setting of their own.

use ide::Settings;

use crate::support::Opened;

/// Each hint behind the text of its line, with the settings as they are after `choose`.
fn hints(text: &str, choose: impl Fn(&mut Settings)) -> Vec<String> {
    let opened = Opened::new(text).with_settings(choose);
    let text = &opened.files.0[opened.open.path()];
    let hints = opened.snapshot.inlay_hints(&opened.open, opened.range);
    let shown = hints.iter().map(|hint| {
        let before = &text[..usize::from(hint.offset)];
        format!(
            "{}|{}",
            before.lines().last().unwrap_or_default().trim(),
            hint.label()
        )
    });
    shown.collect()
}

const INSTANCES: &str = r#"
#- /main.tf
variable "nodes" {
  default = { a = 1, "b/2" = 2 }
}

resource "terraform_data" "many" {
  for_each = var.nodes
}

resource "terraform_data" "some" {
  count = length(var.nodes)
}

resource "terraform_data" "none" {
  for_each = { for k, v in var.nodes : k => v if v > 9 }
}

resource "terraform_data" "written" {
  count = 2
}
"#;

#[test]
fn instances_are_named_where_the_expression_does_not_show_them() {
    let expected = [
        "for_each = var.nodes|\"a\", \"b/2\"",
        "count = length(var.nodes)|= 2",
        "for_each = { for k, v in var.nodes : k => v if v > 9 }|no instances",
    ];
    assert_eq!(hints(INSTANCES, |_| {}), expected);
    assert!(hints(INSTANCES, |settings| settings.hints.instances = false).is_empty());
}

#[test]
fn instances_of_modules_are_named_as_those_of_resources() {
    let text = r#"
#- /main.tf
variable "nodes" {
  default = { a = 1, "b/2" = 2 }
}

module "many" {
  source   = "./child"
  for_each = var.nodes
}

module "some" {
  source = "./child"
  count  = length(var.nodes)
}

module "unknown" {
  source = "./child"
  count  = length(terraform_data.a.id)
}

resource "terraform_data" "a" {
}
#- /child/main.tf
resource "terraform_data" "a" {
}
"#;
    let expected = [
        "for_each = var.nodes|\"a\", \"b/2\"",
        "count  = length(var.nodes)|= 2",
    ];
    assert_eq!(hints(text, |_| {}), expected);
    assert!(hints(text, |settings| settings.hints.instances = false).is_empty());
}

#[test]
fn parameters_are_named_where_it_is_chosen() {
    let text = "#- /main.tf\nlocals {\n  a = upper(\"a\")\n  b = join(\"-\", [cidrsubnet(\"10.0.0.0/8\", 8, length([]))])\n}\n";
    let only_names = |settings: &mut Settings| {
        settings.hints.values = false;
        settings.hints.parameter_names = true;
    };
    let expected = [
        "b = join(|separator:",
        "b = join(\"-\", [cidrsubnet(|prefix:",
        "b = join(\"-\", [cidrsubnet(\"10.0.0.0/8\",|newbits:",
    ];
    assert_eq!(hints(text, only_names), expected);
    assert!(hints(text, |settings| settings.hints.values = false).is_empty());
}

#[test]
fn values_of_locals_are_shown_or_not() {
    let text = "#- /main.tf\nlocals {\n  a = 1 + 2\n}\n";
    assert_eq!(hints(text, |_| {}), ["a = 1 + 2|= 3"]);
    assert!(hints(text, |settings| settings.hints.values = false).is_empty());
}

/// What failed has no value, which says nothing of an apply.
#[test]
fn an_erroneous_value_has_no_known_after_apply_hint() {
    let text = r#"
#- /main.tf
resource "terraform_data" "healthy" {
  input = "x"
}

locals {
  wrong    = "${local.undeclared}-x"
  behind   = "${local.wrong}-y"
  failed   = 1 + [terraform_data.healthy.id]
  consumer = local.failed
  fine     = terraform_data.healthy.id
}

resource "terraform_data" "a" {
  input            = local.behind
  triggers_replace = terraform_data.healthy.id
}

resource "terraform_data" "b" {
  input            = local.undeclared
  triggers_replace = local.fine
}

module "child" {
  source = "./child"
  given  = local.consumer
}

output "o" {
  value = terraform_data.b.id
}
#- /child/main.tf
variable "given" {
}
"#;
    let expected = [
        "fine     = terraform_data.healthy.id|(known after apply)",
        "triggers_replace = terraform_data.healthy.id|(known after apply)",
    ];
    assert_eq!(hints(text, |_| {}), expected);
}

#[test]
fn a_variable_without_a_value_has_none() {
    let text = r#"
#- /main.tf
variable "size" {
  type = string
}

locals {
  twice = "${var.size}-${var.size}"
}

resource "terraform_data" "a" {
  input            = local.twice
  triggers_replace = local.twice
}
"#;
    assert_eq!(
        hints(text, |_| {}),
        [
            "twice = \"${var.size}-${var.size}\"|(no value)",
            "input            = local.twice|(no value)",
            "triggers_replace = local.twice|(no value)",
        ]
    );
}
