//! Deprecated attributes and outputs inside of whole objects. The places are those of terraform 1.15.0 and tofu 1.12.6.

use std::collections::BTreeSet;

use config::Profile;
use expect_test::{Expect, expect};
use plan::{LanguageChoice, Surroundings};
use provider::fake::{FakeProvider, FakeResource};

use crate::support::{World, disk_block, surroundings};

const MAIN: &str = r#"
#- /m/main.tf
output "legacy" {
  value      = "x"
  deprecated = "Use current."
}

output "current" {
  value = "y"
}
#- /main.tf
module "counted" {
  source = "./m"
  count  = 2
}
module "keyed" {
  source   = "./m"
  for_each = toset(["a"])
}
module "single" {
  source = "./m"
}
resource "fake_disk" "d" {
  for_each = toset(["a"])
  name     = each.key
}
locals {
  whole    = module.single
  disk     = fake_disk.d
  legacies = [for k, v in module.keyed : v.legacy]
}
output "splat" { value = module.counted[*].legacy }
output "each" { value = { for k, m in module.keyed : k => m.legacy } }
output "all" { value = module.keyed }
output "length" { value = length(module.keyed) }
output "current" { value = [for m in module.keyed : m.current] }
output "whole" { value = local.whole.legacy }
output "legacies" { value = local.legacies }
output "disk" { value = fake_disk.d }
output "disk_kind" { value = { for k, d in fake_disk.d : k => d.kind } }
output "disk_name" { value = local.disk["a"].name }
output "json" { value = jsonencode(fake_disk.d["a"]) }
resource "fake_disk" "e" {
  name = join(",", module.counted[*].legacy)
  tags = { for k, m in module.keyed : k => m.current }
}
output "one" { value = one(module.single[*].legacy) }
"#;

/// The places of the warnings.
fn check(profile: Profile, expected: Expect) {
    let surroundings = Surroundings {
        language: LanguageChoice::pinned(profile),
        ..surroundings()
    };
    let mut block = disk_block();
    block.attributes.get_mut("kind").unwrap().deprecated = true;
    let provider = FakeProvider::new().with_resource("fake_disk", FakeResource::new(block));
    let mut world = World::with(MAIN, surroundings, provider);
    let plan = world.plan();
    let shown = world.show(&plan);
    let warnings = shown.lines().filter(|it| it.starts_with("warning"));
    let places: BTreeSet<&str> = warnings.filter_map(|it| it.split('`').nth(1)).collect();
    expected.assert_eq(&places.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn parts_of_whole_objects_are_followed_through_expressions() {
    check(Profile::TERRAFORM_1_11, expect![]);
    check(
        Profile::terraform(1, 15, 0),
        expect![[r#"
        fake_disk.d
        join(",", module.counted[*].legacy)
        jsonencode(fake_disk.d["a"])
        local.legacies
        local.whole.legacy
        module.counted[*].legacy
        module.keyed
        one(module.single[*].legacy)
        { for k, d in fake_disk.d : k => d.kind }
        { for k, m in module.keyed : k => m.legacy }"#]],
    );
    check(
        Profile::NEWEST_OPENTOFU,
        expect![[r#"
        [for k, v in module.keyed : v.legacy]
        join(",", module.counted[*].legacy)
        module.counted[*].legacy
        module.keyed
        module.single
        one(module.single[*].legacy)
        { for k, m in module.keyed : k => m.legacy }"#]],
    );
}

#[test]
fn locals_are_followed_within_a_limit() {
    let mut text = String::from(
        "#- /m/main.tf\noutput \"legacy\" {\n  value      = \"x\"\n  deprecated = \"Use another.\"\n}\n#- /main.tf\nmodule \"m\" {\n  source = \"./m\"\n}\nlocals {\n  l0 = module.m\n  a  = local.b\n  b  = local.a\n",
    );
    for at in 1..40 {
        let before = format!("local.l{}", at - 1);
        text += &format!("  l{at} = [{}]\n", [before.as_str(); 4].join(", "));
    }
    text += "}\noutput \"o\" {\n  value = [local.l2, local.a]\n}\n";
    let surroundings = Surroundings {
        language: LanguageChoice::pinned(Profile::terraform(1, 15, 0)),
        ..surroundings()
    };
    let mut world = World::with(&text, surroundings, FakeProvider::new());
    let plan = world.plan();
    let shown = world.show(&plan);
    assert!(shown.contains("Deprecated value used"), "{shown}");
    assert!(shown.contains("Cycle: "), "{shown}");
}
