//! From names to their uses beside the module, labels that change together, and calls of modules.

use std::path::Path;

use crate::support::Opened;

/// The texts of all uses, each with its file.
fn uses(text: &str) -> Vec<String> {
    let opened = Opened::new(text);
    let found = opened
        .snapshot
        .references(&opened.open, opened.range.start(), true);
    let shown = found.iter().map(|place| {
        let text = &opened.files.0[place.file.path()];
        format!(
            "{}: {}",
            place.file.name(),
            &text[std::ops::Range::from(place.range)]
        )
    });
    shown.collect()
}

const MODULE: &str = r#"
#- /main.tf
variable "size" {
  type = number
}

output "id" {
  value = var.size
}
"#;

#[test]
fn a_name_in_a_test_leads_to_the_module() {
    let test = |text: &str| uses(&format!("#- /tests/a.tftest.hcl\n{text}\n{MODULE}"));
    let found = test(
        "variables {\n  size = 1\n}\n\nrun \"a\" {\n  variables {\n    size = 2\n  }\n  assert {\n    condition = var.si$0ze > 1\n  }\n}",
    );
    let expected = [
        "main.tf: \"size\"",
        "main.tf: var.size",
        "a.tftest.hcl: size",
        "a.tftest.hcl: size",
        "a.tftest.hcl: var.size",
    ];
    assert_eq!(found, expected);
    let found = test("run \"a\" {\n  assert {\n    condition = output.i$0d == 1\n  }\n}");
    assert_eq!(found, ["main.tf: \"id\"", "a.tftest.hcl: output.id"]);
    let found = test("run \"a\" {\n  variables {\n    si$0ze = 2\n  }\n}");
    assert_eq!(found.len(), 3);
    // Another language has other variables.
    assert!(
        uses(&format!(
            "#- /a.tfcomponent.hcl\nx \"a\" {{\n  b = var.si$0ze\n}}\n{MODULE}"
        ))
        .is_empty()
    );
}

#[test]
fn labels_change_together_where_nobody_else_uses_them() {
    let linked = |text: &str| {
        let opened = Opened::new(text);
        let ranges = opened
            .snapshot
            .linked_ranges(&opened.open, opened.range.start());
        let text = &opened.files.0[opened.open.path()];
        let shown = ranges.into_iter().flatten().map(|range| {
            let line = text[..usize::from(range.start())].matches('\n').count() + 1;
            format!("{line} {}", &text[std::ops::Range::from(range)])
        });
        shown.collect::<Vec<_>>()
    };
    let here = "resource \"terraform_data\" \"fi$0rst\" {\n}\n\noutput \"x\" {\n  value = [terraform_data.first.id, resource.terraform_data.first[0]]\n}\n";
    assert_eq!(
        linked(&format!("#- /main.tf\n{here}")),
        ["1 first", "5 first", "5 first"]
    );
    let other = "#- /other.tf\nlocals {\n  a = terraform_data.first\n}\n";
    assert!(linked(&format!("#- /main.tf\n{here}{other}")).is_empty());
    let locals = "#- /main.tf\nlocals {\n  na$0me = 1\n  b    = local.name + local.name\n}\n";
    assert_eq!(linked(locals), ["2 name", "3 name", "3 name"]);
    // Values may be given from outside.
    assert!(linked("#- /main.tf\nvariable \"a$0b\" {\n}\nlocals {\n  c = var.ab\n}\n").is_empty());
}

#[test]
fn a_module_knows_its_callers_and_its_calls() {
    let text = r#"
#- /main.tf
module "a" {
  source = "./child"
}
module "b" {
  source = "./child$0"
}
#- /child/main.tf
module "deep" {
  source = "../deep"
}
#- /deep/one.tf
locals {}
"#;
    let opened = Opened::new(text);
    let module = opened
        .snapshot
        .module_around(&opened.open, opened.range.start())
        .unwrap();
    assert_eq!(module.file.path(), "/code/child/main.tf");
    let callers = opened.snapshot.callers_of(&module.dir);
    let [(caller, calls)] = callers.as_slice() else {
        panic!("{callers:?}")
    };
    assert_eq!(caller.dir, Path::new("/code"));
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let calls = opened.snapshot.calls_of(&module.dir);
    assert_eq!(
        calls[0].module.as_ref().unwrap().file.path(),
        "/code/deep/one.tf"
    );
}

#[test]
fn references_are_counted_where_it_is_chosen() {
    let text = r#"
#- /child/main.tf
variable "size" {
  type = number
}
locals {
  double = var.size + var.size
}
output "id" {
  value = local.double
}
output "nobody" {
  value = 1
}
#- /main.tf
module "a" {
  source = "./child"
  size   = 1
}
output "x" {
  value = [module.a.id, module.a.id]
}
"#;
    let lenses = |chosen: bool| {
        let opened = Opened::new(text).with_settings(|settings| settings.lens.references = chosen);
        let text = &opened.files.0[opened.open.path()];
        let lenses = opened.snapshot.code_lenses(&opened.open);
        let shown = lenses
            .iter()
            .map(|it| format!("{}: {}", &text[std::ops::Range::from(it.range)], it.title));
        shown.collect::<Vec<_>>()
    };
    let expected = [
        "\"size\": 3 references",
        "double: 1 reference",
        "\"id\": 2 references",
        "\"nobody\": 0 references",
    ];
    assert_eq!(lenses(true), expected);
    assert!(lenses(false).is_empty());
}

#[test]
fn an_action_leads_to_the_triggers_that_name_it() {
    let found = uses(
        "#- /main.tf\nterraform {\n  required_version = \">= 1.14\"\n}\naction \"fake_ping\" \"b$0\" {}\nresource \"fake_thing\" \"a\" {\n  lifecycle {\n    action_trigger {\n      events = [after_create]\n      actions = [action.fake_ping.b]\n    }\n  }\n}\n",
    );
    assert_eq!(found, ["main.tf: \"b\"", "main.tf: action.fake_ping.b"]);
    let found = uses(
        "#- /main.tf\nterraform {\n  required_version = \">= 1.14\"\n}\naction \"fake_ping\" \"b\" {}\nresource \"fake_thing\" \"a\" {\n  lifecycle {\n    action_trigger {\n      events = [after_create]\n      actions = [action.fake_ping.b$0]\n    }\n  }\n}\n",
    );
    assert_eq!(found, ["main.tf: \"b\"", "main.tf: action.fake_ping.b"]);
}

#[test]
fn a_variable_in_the_condition_of_a_trigger_is_used() {
    let found = uses(
        "#- /main.tf\nvariable \"is_on$0\" {\n  type = bool\n}\nresource \"fake_thing\" \"a\" {\n  lifecycle {\n    action_trigger {\n      condition = var.is_on\n    }\n  }\n}\nterraform {\n  required_version = \">= 1.14\"\n}\n",
    );
    assert_eq!(found, ["main.tf: \"is_on\"", "main.tf: var.is_on"]);
}
