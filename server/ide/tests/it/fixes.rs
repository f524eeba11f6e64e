//! Quick fixes: the text before, the action, the text after. After a fix, what it fixes is not reported any more.

use expect_test::{Expect, expect};

use crate::scrambled::check_scrambled;
use crate::support::{Opened, opened};

/// Applies the action with this title at the cursor.
fn check(before: &str, title: &str, after: Expect) {
    check_scrambled(before);
    let opened_before = Opened::new(before);
    let actions = opened_before.snapshot.actions(
        &opened_before.open,
        opened_before.range,
        &opened_before.files,
        &|_| true,
    );
    let files = opened_before.done(title);
    after.assert_eq(&files.changed(&opened_before.files, &opened_before.open));
    let action = actions.iter().find(|it| it.title == title).unwrap();
    let snapshot = opened(&files, &opened_before.open, true);
    let left = snapshot.diagnostics(&opened_before.open);
    for fixed in &action.fixes {
        assert!(
            !left
                .iter()
                .any(|it| it.diagnostic.code == fixed.diagnostic.code
                    && it.message() == fixed.message()),
            "{} is still there: {left:#?}",
            fixed.diagnostic.code
        );
    }
    assert!(!action.fixes.is_empty() || action.title.starts_with("Apply all"));
}

/// What users write into their own messages, each of which looks like one of ours.
const LIKE_OURS: [&str; 5] = [
    "Did you mean \\\"prod\\\"?",
    "The argument \\\"prod\\\" is required.",
    "Unsuitable: string required.",
    "Unsuitable: a number is required.",
    "For example, use: data.x.prod[count.index]",
];

#[test]
fn texts_of_users_lead_to_no_edit() {
    for said in LIKE_OURS {
        let text = format!(
            r#"
variable "stage" {{
  default = "pord"
  validation {{
    condition     = contains(["prod", "test"], var.stage)
    error_message = "{said}"
  }}
}}

resource "terraform_data" "a" {{
  input = var.stage
  lifecycle {{
    precondition {{
      condition     = var.stage == "prod"
      error_message = "{said}"
    }}
  }}
}}

output "a" {{
  value = var.stage
  precondition {{
    condition     = var.stage == "prod"
    error_message = "{said}"
  }}
}}
"#
        );
        let opened = Opened::new(&text);
        let said = said.replace('\\', "");
        let reported = opened.diagnostics();
        let reported: Vec<_> = reported
            .iter()
            .filter(|it| it.message().contains(&said))
            .map(|it| it.diagnostic.code)
            .collect();
        assert_eq!(
            reported,
            [
                "invalid-variable-value",
                "condition-failed",
                "condition-failed"
            ],
            "{said}"
        );
        let is_fix = |kind| kind == ide::ActionKind::QuickFix;
        let fixes = opened
            .snapshot
            .actions(&opened.open, opened.range, &opened.files, &is_fix);
        assert!(fixes.is_empty(), "{said}: {fixes:#?}");
    }
}

#[test]
fn a_variable_is_called_as_it_was_meant() {
    check(
        r#"
variable "region" {
  type = string
}

output "a" {
  value = "in ${var.re$0gionn}"
}
"#,
        "Change to `region`",
        expect![[r#"
            variable "region" {
              type = string
            }

            output "a" {
              value = "in ${var.region}"
            }
        "#]],
    );
}

#[test]
fn a_resource_is_called_as_it_was_meant() {
    check(
        r#"
resource "terraform_data" "server" {
}

output "a" {
  value = terraform_data.$0sever.id
}
"#,
        "Change to `terraform_data.server`",
        expect![[r#"
            resource "terraform_data" "server" {
            }

            output "a" {
              value = terraform_data.server.id
            }
        "#]],
    );
}

#[test]
fn an_argument_a_type_an_attribute_and_a_function_are_called_as_they_were_meant() {
    let before = r#"
resource "fake_thing" "a" {
  nam$0e = "x"
}
"#;
    check(
        &before.replace("nam$0e = \"x\"", "name = \"x\"\n  si$0zze = 3"),
        "Change to `size`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "x"
              size = 3
            }
        "#]],
    );
    check(
        &before
            .replace("\"fake_thing\"", "\"fake_thi$0gn\"")
            .replace("nam$0e", "name"),
        "Change to `fake_thing`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "x"
            }
        "#]],
    );
    check(
        "resource \"fake_thing\" \"a\" {\n  name = \"x\"\n}\n\noutput \"a\" {\n  value = fake_thing.a.na$0em\n}\n",
        "Change to `name`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "x"
            }

            output "a" {
              value = fake_thing.a.name
            }
        "#]],
    );
    check(
        "output \"a\" {\n  value = toup$0per(\"x\")\n}\n\noutput \"b\" {\n  value = uper(\"x\")\n}\n".replace("toup$0per", "upp$0r").as_str(),
        "Change to `upper`",
        expect![[r#"
            output "a" {
              value = upper("x")
            }

            output "b" {
              value = uper("x")
            }
        "#]],
    );
}

#[test]
fn missing_arguments_are_added() {
    check(
        "resource \"fake_disk\" \"a\" {$0\n  size = 3\n}\n",
        "Add all missing arguments and blocks (2)",
        expect![[r#"
            resource "fake_disk" "a" {
              size = 3
              kind = ""
              mount {
                path = ""
              }
            }
        "#]],
    );
    check(
        "resource \"fake_thing\" \"a\" {$0}\n",
        "Add the missing argument `name`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = ""
            }
        "#]],
    );
    check(
        "resource \"fake_thing\" \"a\" {\n  name = \"a\"\n  rule {$0 note = \"x\" }\n}\n",
        "Add the missing argument `port`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
              rule {
                note = "x"
                port = 0
              }
            }
        "#]],
    );
    check(
        r#"
module "$0child" {
  source = "./child"
}
#- /child/main.tf
variable "names" {
  type = list(string)
}

output "names" {
  value = var.names
}
"#,
        "Add the missing argument `names`",
        expect![[r#"
            module "child" {
              source = "./child"
              names = []
            }
        "#]],
    );
}

#[test]
fn missing_arguments_are_added_from_anywhere_in_the_header() {
    for text in [
        "$0resource \"fake_thing\" \"a\" {\n  size = 1\n}\n",
        "resource \"fake_$0thing\" \"a\" {\n  size = 1\n}\n",
        "resource \"fake_thing\" \"a\" $0 {\n  size = 1\n}\n",
    ] {
        let added = text.replace("$0", "").replace("1\n", "1\n  name = \"\"\n");
        let opened = Opened::new(text);
        let done = opened.done("Add the missing argument `name`");
        assert_eq!(done.changed(&opened.files, &opened.open), added);
    }
    check(
        "resource \"fake_thing\" \"a\" {\n  name = \"a\"\n  r$0ule {\n  }\n}\n",
        "Add the missing argument `port`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
              rule {
                port = 0
              }
            }
        "#]],
    );
    let inside = "resource \"fake_thing\" \"a\" {\n  size = $01\n}\n";
    let opened = Opened::new(inside);
    let all = |_| true;
    let actions = opened
        .snapshot
        .actions(&opened.open, opened.range, &opened.files, &all);
    assert!(
        actions.iter().all(|it| !it.title.starts_with("Add")),
        "{actions:#?}"
    );
}

#[test]
fn unexpected_names_are_removed_or_corrected() {
    let call = |child: &str| {
        format!(
            "module \"m\" {{\n  source = \"./m\"\n  na$0m    = [\n    1,\n  ]\n}}\n#- /m/main.tf\nvariable \"{child}\" {{\n  default = 1\n}}\n"
        )
    };
    check(
        &call("name"),
        "Change to `name`",
        expect![[r#"
        module "m" {
          source = "./m"
          name    = [
            1,
          ]
        }
    "#]],
    );
    check(
        &call("other"),
        "Remove `nam`",
        expect![[r#"
        module "m" {
          source = "./m"
        }
    "#]],
    );
    // What is missing is perhaps what is meant.
    check(
        "resource \"fake_thing\" \"a\" {\n  cap$0tion = \"x\"\n}\n",
        "Change to `name`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "x"
            }
        "#]],
    );
    for (text, titles) in [
        (
            "variable \"a\" {\n  defa$0lt = 1\n}\n",
            ["Change to `default`", "Remove `defalt`"],
        ),
        (
            "resource \"fake_thing\" \"a\" {\n  name = \"a\"\n  rule {\n    port = 1\n    no$0t = 1\n  }\n}\n",
            ["Change to `note`", "Remove `not`"],
        ),
        (
            "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    prevent_dest$0oy = true\n  }\n}\n",
            ["Change to `prevent_destroy`", "Remove `prevent_destoy`"],
        ),
        (
            "provider \"fake\" {\n  regi$0n_ = \"x\"\n}\n",
            ["Change to `region`", "Remove `regin_`"],
        ),
    ] {
        let opened = Opened::new(text);
        let actions = opened
            .snapshot
            .actions(&opened.open, opened.range, &opened.files, &|_| true);
        let offered: Vec<&str> = actions.iter().map(|it| it.title.as_str()).collect();
        assert!(
            titles.iter().all(|it| offered.contains(it)),
            "{text}: {offered:#?}"
        );
    }
}

#[test]
fn redundant_moved_blocks_are_removed() {
    let text = r#"
resource "terraform_data" "old" {
}

mov$0ed {
  from = terraform_data.old
  to   = terraform_data.new
}

output "a" {
  value = terraform_data.old.id
}
"#;
    check(
        text,
        "Rename terraform_data.old to terraform_data.new",
        expect![[r#"
            resource "terraform_data" "new" {
            }

            moved {
              from = terraform_data.old
              to   = terraform_data.new
            }

            output "a" {
              value = terraform_data.new.id
            }
        "#]],
    );
    check(
        text,
        "Remove the moved block",
        expect![[r#"
        resource "terraform_data" "old" {
        }

        output "a" {
          value = terraform_data.old.id
        }
    "#]],
    );
    check(
        r#"
module "one" {
  source = "./one"
}

moved {
  from = module.one
  $0to   = module.two
}
#- /one/main.tf
"#,
        "Rename module.one to module.two",
        expect![[r#"
            module "two" {
              source = "./one"
            }

            moved {
              from = module.one
              to   = module.two
            }
        "#]],
    );
    let both = r#"
resource "terraform_data" "a" {
}

resource "terraform_data" "b" {
}

moved {$0
  from = terraform_data.a
  to   = terraform_data.b
}
"#;
    check(
        both,
        "Remove the moved block",
        expect![[r#"
        resource "terraform_data" "a" {
        }

        resource "terraform_data" "b" {
        }
    "#]],
    );
    let opened = Opened::new(both);
    let actions = opened
        .snapshot
        .actions(&opened.open, opened.range, &opened.files, &|_| true);
    assert!(
        actions.iter().all(|it| !it.title.starts_with("Rename")),
        "{actions:#?}"
    );
}

#[test]
fn a_moved_block_that_no_object_of_the_state_needs_is_removed() {
    let state = |name: &str| {
        format!(
            r#"{{ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "a", "outputs": {{}}, "resources": [
  {{ "mode": "managed", "type": "terraform_data", "name": "{name}", "provider": "provider[\"terraform.io/builtin/terraform\"]",
    "instances": [{{ "schema_version": 0, "attributes": {{ "id": "1", "input": null, "output": null, "triggers_replace": null }} }}] }}
] }}
"#
        )
    };
    let text = |state: &str| {
        format!(
            r#"
resource "terraform_data" "c" {{
}}

mo$0ved {{
  from = terraform_data.a
  to   = terraform_data.b
}}

moved {{
  from = terraform_data.b
  to   = terraform_data.c
}}
#- /terraform.tfstate
{state}"#
        )
    };
    let idle = |state: &str| {
        let shown = Opened::new(&text(state)).shown();
        shown.matches("idle-move").count()
    };
    assert_eq!(idle(&state("a")), 0);
    assert_eq!(idle(&state("b")), 1);
    assert_eq!(idle(&state("c")), 2);
    // Nobody knows what a state holds that is not here.
    assert_eq!(idle("{}"), 0);
    check(
        &text(&state("b")),
        "Remove the moved block",
        expect![[r#"
        resource "terraform_data" "c" {
        }

        moved {
          from = terraform_data.b
          to   = terraform_data.c
        }
    "#]],
    );
}

#[test]
fn a_variable_in_json_gets_its_value_elsewhere() {
    let text =
        "#- /main.tf.json\n{ \"variable\": { \"zo$0ne\": { \"type\": \"list(string)\" } } }\n";
    let opened = Opened::new(text);
    let done = opened.done("Set `zone` in terraform.tfvars");
    let added = "#- /terraform.tfvars\nzone = []\n";
    assert_eq!(done.changed(&opened.files, &opened.open), added);
    let actions = opened
        .snapshot
        .actions(&opened.open, opened.range, &opened.files, &|_| true);
    assert!(
        actions.iter().all(|it| !it.title.starts_with("Add")),
        "{actions:#?}"
    );
}

#[test]
fn undeclared_references_are_declared() {
    check(
        r#"
resource "fake_thing" "a" {
  name = var.$0name
}
#- /variables.tf
variable "other" {
  type = string
}
"#,
        "Declare the variable `name`",
        expect![[r##"
            #- /variables.tf
            variable "other" {
              type = string
            }

            variable "name" {
              type = string
            }
        "##]],
    );
    check(
        "resource \"fake_thing\" \"a\" {\n  name  = \"a\"\n  zones = var.$0zones\n}\n",
        "Declare the variable `zones`",
        expect![[r#"
            resource "fake_thing" "a" {
              name  = "a"
              zones = var.zones
            }

            variable "zones" {
              type = list(string)
            }
        "#]],
    );
    check(
        "output \"a\" {\n  value = local.$0name\n}\n",
        "Declare the local value `name`",
        expect![[r#"
            locals {
              name = null
            }

            output "a" {
              value = local.name
            }
        "#]],
    );
    check(
        "locals {\n  b = 1\n}\n\noutput \"a\" {\n  value = [local.b, local.$0name]\n}\n",
        "Declare the local value `name`",
        expect![[r#"
            locals {
              b = 1
              name = null
            }

            output "a" {
              value = [local.b, local.name]
            }
        "#]],
    );
    check(
        r#"
module "child" {
  source = "./child"
}

output "a" {
  value = module.child.$0address
}
#- /child/main.tf
locals {
  x = 1
}
"#,
        "Declare the output `address` in the module",
        expect![[r##"
            #- /child/main.tf
            locals {
              x = 1
            }

            output "address" {
              value = null
            }
        "##]],
    );
    check(
        r#"
module "child" {
  source = "./child"
  si$0ze = 3
}
#- /child/main.tf
locals {
  x = 1
}
"#,
        "Declare the variable `size` in the module",
        expect![[r##"
            #- /child/main.tf
            locals {
              x = 1
            }

            variable "size" {
              type = any
            }
        "##]],
    );
    check(
        "#- /terraform.tfvars\nzo$0nes = [\"a\", \"b\"]\n#- /main.tf\nlocals {\n}\n",
        "Declare the variable `zones`",
        expect![[r##"
            #- /main.tf
            locals {
            }

            variable "zones" {
              type = list(string)
            }
        "##]],
    );
    check(
        "resource \"fake_$0thing\" \"a\" {\n  name = \"a\"\n}\n",
        "Add `fake` to `required_providers`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
            }

            terraform {
              required_providers {
                fake = {
                  source = "hashicorp/fake"
                }
              }
            }
        "#]],
    );
}

#[test]
fn unused_declarations_are_removed() {
    check(
        "variable \"$0a\" {\n  type = string\n}\n\noutput \"b\" {\n  value = 1\n}\n",
        "Remove the variable `a`",
        expect![[r#"
            output "b" {
              value = 1
            }
        "#]],
    );
    check(
        "locals {\n  a$0 = 1 # one\n  b = 2\n}\n\noutput \"b\" {\n  value = local.b\n}\n",
        "Remove the local value `a`",
        expect![[r#"
            locals {
              b = 2
            }

            output "b" {
              value = local.b
            }
        "#]],
    );
    check(
        "output \"b\" {\n  value = 1\n}\n\nlocals {\n  a$0 = 1\n}\n",
        "Remove the local value `a`",
        expect![[r#"
            output "b" {
              value = 1
            }
        "#]],
    );
    check(
        "data \"fake_zone\" \"$0a\" {\n}\n\noutput \"b\" {\n  value = 1\n}\n",
        "Remove the data source",
        expect![[r#"
            output "b" {
              value = 1
            }
        "#]],
    );
    check(
        "resource \"fake_thing\" \"a\" {\n  name = \"a\"\n  colo$0ur = \"red\"\n}\n",
        "Remove `colour`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
            }
        "#]],
    );
}

#[test]
fn deprecated_syntax_is_replaced() {
    check(
        "resource \"fake_thing\" \"a\" {\n  name = \"a\"\n  capa$0city = 3\n}\n",
        "Replace `capacity` with `size`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
              size = 3
            }
        "#]],
    );
}

#[test]
fn a_value_is_converted_to_the_wanted_type() {
    let thing = |argument: &str| {
        format!("resource \"fake_thing\" \"a\" {{\n  name = \"a\"\n  {argument}\n}}\n")
    };
    check(
        &thing("zones = $0\"x\""),
        "Write `[\"x\"]`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
              zones = ["x"]
            }
        "#]],
    );
    check(
        &thing("size = \"th$0ree\"").replace("\"th$0ree\"", "\"$03 \""),
        "Write `3`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
              size = 3
            }
        "#]],
    );
    check(
        &thing("for_each = $0[\"x\", \"y\"]"),
        "Write `toset([\"x\", \"y\"])`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
              for_each = toset(["x", "y"])
            }
        "#]],
    );
    check(
        &thing("enabled = \"ye$0s\""),
        "Write `true`",
        expect![[r#"
            resource "fake_thing" "a" {
              name = "a"
              enabled = true
            }
        "#]],
    );
    check(
        "variable \"n\" {\n  type    = list(string)\n  default = \"$0a\"\n}\n\noutput \"n\" {\n  value = var.n\n}\n",
        "Write `[\"a\"]`",
        expect![[r#"
            variable "n" {
              type    = list(string)
              default = ["a"]
            }

            output "n" {
              value = var.n
            }
        "#]],
    );
}

#[test]
fn redundant_expressions_are_simplified() {
    let output = |value: &str| {
        format!("variable \"v\" {{\n  type = bool\n}}\n\noutput \"a\" {{\n  value = {value}\n}}\n")
    };
    check(
        &output("\"$0${var.v}\""),
        "Remove the quotes and `${}`",
        expect![[r#"
            variable "v" {
              type = bool
            }

            output "a" {
              value = var.v
            }
        "#]],
    );
    check(
        &output("$0var.v ? true : false"),
        "Write `var.v`",
        expect![[r#"
            variable "v" {
              type = bool
            }

            output "a" {
              value = var.v
            }
        "#]],
    );
    check(
        &output("$0var.v == false"),
        "Write `!var.v`",
        expect![[r#"
            variable "v" {
              type = bool
            }

            output "a" {
              value = !var.v
            }
        "#]],
    );
    check(
        &output("$0!(1 == 2) && var.v"),
        "Write `1 != 2`",
        expect![[r#"
            variable "v" {
              type = bool
            }

            output "a" {
              value = 1 != 2 && var.v
            }
        "#]],
    );
    let list = "locals {\n  l = [\"a\"]\n}\n\noutput \"a\" {\n  value = local.l$0.0\n}\n";
    check(
        list,
        "Write `[0]`",
        expect![[r#"
        locals {
          l = ["a"]
        }

        output "a" {
          value = local.l[0]
        }
    "#]],
    );
    let variable =
        "variable \"a\" {\n  type = $0\"list\"\n}\n\noutput \"a\" {\n  value = var.a\n}\n";
    check(
        variable,
        "Write `list(string)`",
        expect![[r#"
        variable "a" {
          type = list(string)
        }

        output "a" {
          value = var.a
        }
    "#]],
    );
    let depends = "resource \"terraform_data\" \"a\" {\n}\n\nresource \"terraform_data\" \"b\" {\n  depends_on = [$0\"terraform_data.a\"]\n}\n";
    check(
        depends,
        "Remove the quotes",
        expect![[r#"
        resource "terraform_data" "a" {
        }

        resource "terraform_data" "b" {
          depends_on = [terraform_data.a]
        }
    "#]],
    );
}

#[test]
fn an_instance_is_named_with_its_key() {
    let counted = "resource \"terraform_data\" \"a\" {\n  count = 2\n}\n\n";
    let single = "resource \"terraform_data\" \"a\" {\n}\n\n";
    let output = |value: &str| format!("output \"a\" {{\n  value = {value}\n}}\n");
    check(
        &(counted.to_owned() + &output("terraform_data.$0a.id")),
        "Add `[0]`",
        expect![[r#"
            resource "terraform_data" "a" {
              count = 2
            }

            output "a" {
              value = terraform_data.a[0].id
            }
        "#]],
    );
    check(
        &(single.to_owned() + &output("terraform_data.$0a[0].id")),
        "Remove `[0]`",
        expect![[r#"
            resource "terraform_data" "a" {
            }

            output "a" {
              value = terraform_data.a.id
            }
        "#]],
    );
    let other =
        "resource \"terraform_data\" \"b\" {\n  count = 2\n  input = terraform_data.$0a.id\n}\n";
    check(
        &(counted.to_owned() + other),
        "Add `[count.index]`",
        expect![[r#"
            resource "terraform_data" "a" {
              count = 2
            }

            resource "terraform_data" "b" {
              count = 2
              input = terraform_data.a[count.index].id
            }
        "#]],
    );
}

#[test]
fn safe_fixes_apply_together() {
    check(
        "$0locals {\n  a = \"${local.b}\"\n  b = [\"${local.c}\", local.d.0]\n  c = 1\n  d = [local.a]\n}\n",
        "Apply all safe fixes",
        expect![[r#"
            locals {
              a = local.b
              b = [local.c, local.d[0]]
              c = 1
              d = [local.a]
            }
        "#]],
    );
}
