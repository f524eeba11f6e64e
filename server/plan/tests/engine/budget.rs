//! Texts that would evaluate without an end cost only what depends on them.

use std::sync::Arc;

use cty::budget::{Cancel, Limits};
use plan::{Budget, Options, Plan};

use crate::support::{World, block_on};

/// Each of these stops at a limit.
const EVIL: [(&str, &str); 20] = [
    (
        "strings that grow tenfold",
        r#"
a0 = "xxxxxxxxxx"
a1 = "${local.a0}${local.a0}${local.a0}${local.a0}${local.a0}${local.a0}${local.a0}${local.a0}${local.a0}${local.a0}"
a2 = "${local.a1}${local.a1}${local.a1}${local.a1}${local.a1}${local.a1}${local.a1}${local.a1}${local.a1}${local.a1}"
a3 = "${local.a2}${local.a2}${local.a2}${local.a2}${local.a2}${local.a2}${local.a2}${local.a2}${local.a2}${local.a2}"
a4 = "${local.a3}${local.a3}${local.a3}${local.a3}${local.a3}${local.a3}${local.a3}${local.a3}${local.a3}${local.a3}"
a5 = "${local.a4}${local.a4}${local.a4}${local.a4}${local.a4}${local.a4}${local.a4}${local.a4}${local.a4}${local.a4}"
a6 = "${local.a5}${local.a5}${local.a5}${local.a5}${local.a5}${local.a5}${local.a5}${local.a5}${local.a5}${local.a5}"
a7 = "${local.a6}${local.a6}${local.a6}${local.a6}${local.a6}${local.a6}${local.a6}${local.a6}${local.a6}${local.a6}"
evil = "${local.a7}${local.a7}${local.a7}${local.a7}${local.a7}${local.a7}${local.a7}${local.a7}${local.a7}${local.a7}"
"#,
    ),
    (
        "text replaced by itself",
        r#"
a = format("%020000d", 0)
b = replace(local.a, "0", local.a)
evil = replace(local.b, "0", local.b)
"#,
    ),
    (
        "a pattern replaced by what it found, many times",
        r#"
a = format("%020000d", 0)
evil = replace(local.a, "/0+/", join("", [for i in range(1000) : "$0$0$0$0$0$0$0$0$0$0"]))
"#,
    ),
    (
        "lists of lists",
        r#"
a = range(1000)
b = [for i in local.a : local.a]
evil = [for i in local.a : local.b]
"#,
    ),
    (
        "lists that name each other",
        r#"
a0 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
a1 = [local.a0, local.a0, local.a0, local.a0, local.a0, local.a0, local.a0, local.a0, local.a0, local.a0]
a2 = [local.a1, local.a1, local.a1, local.a1, local.a1, local.a1, local.a1, local.a1, local.a1, local.a1]
a3 = [local.a2, local.a2, local.a2, local.a2, local.a2, local.a2, local.a2, local.a2, local.a2, local.a2]
a4 = [local.a3, local.a3, local.a3, local.a3, local.a3, local.a3, local.a3, local.a3, local.a3, local.a3]
a5 = [local.a4, local.a4, local.a4, local.a4, local.a4, local.a4, local.a4, local.a4, local.a4, local.a4]
a6 = [local.a5, local.a5, local.a5, local.a5, local.a5, local.a5, local.a5, local.a5, local.a5, local.a5]
evil = jsonencode(flatten(local.a6))
"#,
    ),
    (
        "three loops in each other",
        "evil = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a * b * c]]]",
    ),
    (
        "loops that yield nothing",
        "evil = [for a in range(1000) : a if length([for b in range(1000) : [for c in range(1000) : c if c < 0]]) < 0]",
    ),
    (
        "anchors of anchors",
        r#"
evil = yamldecode(<<-EOT
  a: &a [x, x, x, x, x, x, x, x, x, x]
  b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
  c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
  d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
  e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
  f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]
  g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]
  EOT
)
"#,
    ),
    (
        "a product of sets",
        "evil = setproduct(range(100), range(100), range(100))",
    ),
    (
        "a wide format, many times",
        r#"evil = join("", [for i in range(1000) : format("%1000000d", i)])"#,
    ),
    (
        "spaces in front of many lines",
        r#"evil = indent(1000000, join("\n", range(1000)))"#,
    ),
    (
        "many long numbers",
        "evil = [for i in range(1000) : tostring(1e100000 + i)]",
    ),
    (
        "an integer of a million digits",
        r#"evil = parseint(format("%01000000d", 1), 10)"#,
    ),
    (
        "a slow pattern",
        r#"
a = join("", [for i in range(1000) : format("%01000d", 0)])
evil = regexall("(0?){100}(0|00|000)*1", local.a)
"#,
    ),
    (
        "a large pattern, many times",
        r#"evil = [for i in range(1000) : can(regex("((0|1|2|3|4|5|6|7|8|9){30}){30}", "x${i}"))]"#,
    ),
    (
        "equal elements are looked for everywhere",
        "evil = distinct(flatten([for a in range(1000) : [for b in range(20) : a * 1000 + b]]))",
    ),
    (
        "the same text, compressed again and again",
        r#"
a = join("", [for i in range(1000) : format("%01000d", 0)])
evil = [for i in range(1000) : base64gzip(local.a)]
"#,
    ),
    (
        "the same object, encoded again and again",
        r#"
a = { for i in range(1000) : "k${i}" => [for j in range(20) : "v${j}"] }
evil = [for i in range(1000) : jsonencode(local.a)]
"#,
    ),
    (
        "an error for each of many",
        r#"evil = { for i in range(1000) : "same" => [for j in range(1000) : 1 / 0] }"#,
    ),
    (
        "arguments without an end",
        r#"
a = flatten([for i in range(1000) : [for j in range(100) : j]])
evil = [for i in range(1000) : max(local.a...)]
"#,
    ),
];

/// Whole configurations that would have instances or modules without an end.
const MANY: [(&str, &str); 9] = [
    (
        "a resource for each of a million keys",
        r#"
resource "fake_disk" "many" {
  for_each = toset(flatten([for a in range(1000) : [for b in range(1000) : "${a}-${b}"]]))
}
"#,
    ),
    (
        "a resource fifty thousand times",
        r#"
resource "fake_disk" "many" {
  count = 50000
}
"#,
    ),
    (
        "modules of modules, a thousand times each",
        r#"
module "m" {
  source = "./m"
  count  = 1000
}
#- /m/main.tf
module "n" {
  source = "./n"
  count  = 1000
}
output "all" {
  value = module.n[*].x
}
#- /m/n/main.tf
resource "fake_disk" "many" {
  count = 1000
}
output "x" {
  value = fake_disk.many[*].id
}
"#,
    ),
    (
        "a module that is called twice by each of many",
        r#"
module "a" {
  source = "./a"
  count  = 100
}
module "b" {
  source = "./a"
  count  = 100
}
#- /a/main.tf
module "a" {
  source = "./b"
  count  = 100
}
module "b" {
  source = "./b"
  count  = 100
}
#- /a/b/main.tf
module "a" {
  source = "./c"
  count  = 100
}
#- /a/b/c/main.tf
locals {
  x = path.module
}
"#,
    ),
    (
        "blocks for each of a million",
        r#"
resource "fake_disk" "many" {
  dynamic "port" {
    for_each = flatten([for a in range(1000) : range(1000)])
    content {
      number = port.value
    }
  }
}
"#,
    ),
    (
        "imports for each of a million",
        r#"
import {
  for_each = toset(flatten([for a in range(1000) : [for b in range(1000) : "${a}-${b}"]]))
  to       = fake_disk.many[each.key]
  id       = each.key
}
resource "fake_disk" "many" {
  for_each = toset(["a"])
}
"#,
    ),
    (
        "conditions without an end",
        r#"
variable "many" {
  default = "a"
  validation {
    condition     = length([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : c]]]) > 0
    error_message = "Never."
  }
}
"#,
    ),
    (
        "a default that grows",
        r#"
variable "many" {
  type    = map(object({ a = optional(map(object({ b = optional(list(string), ["x"]) })), {}) }))
  default = {}
}
locals {
  many = { for i in range(1000) : "k${i}" => { for j in range(1000) : "l${j}" => var.many } }
}
"#,
    ),
    (
        "an output of outputs",
        r#"
module "m" {
  source   = "./m"
  for_each = toset([for i in range(1000) : "k${i}"])
}
output "all" {
  value = [for i in range(1000) : module.m]
}
#- /m/main.tf
output "x" {
  value = [for i in range(1000) : "v${i}"]
}
"#,
    ),
];

#[test]
fn instances_without_an_end_are_reported_and_the_rest_is_planned() {
    for (name, many) in MANY {
        let apart = "resource \"fake_disk\" \"apart\" {\n}\n";
        let mut world = world(&format!("{apart}{many}"));
        let plan = world.plan();
        let codes = codes(&plan);
        assert!(codes.contains(&"evaluation-limit"), "{name}: {codes:?}");
        let is_there = plan
            .changes()
            .any(|it| it.addr.to_string() == "fake_disk.apart");
        assert!(is_there, "{name}");
    }
}

/// A tenth of the editor's budget, as these tests run without optimisation.
fn world(text: &str) -> World {
    let tenth = |limits: Limits| Limits {
        steps: limits.steps / 10,
        bytes: limits.bytes / 10,
    };
    let editor = Budget::default();
    let mut world = World::new(text);
    world.request.options = Arc::new(Options {
        budget: Budget {
            object: tenth(editor.object),
            root: tenth(editor.root),
        },
        ..Options::default()
    });
    world
}

fn text(locals: &str) -> String {
    format!(
        "locals {{\n{locals}\n}}\nresource \"fake_disk\" \"apart\" {{\n  name = \"apart\"\n}}\nresource \"fake_disk\" \"behind\" {{\n  name = try(tostring(local.evil), jsonencode(local.evil), \"\")\n}}\n"
    )
}

fn codes(plan: &Plan) -> Vec<&'static str> {
    plan.all_diagnostics().map(|it| it.code).collect()
}

#[test]
fn an_expression_without_an_end_is_reported_and_the_rest_is_planned() {
    for (name, locals) in EVIL {
        let mut world = world(&text(locals));
        let plan = world.plan();
        let codes = codes(&plan);
        assert!(codes.contains(&"evaluation-limit"), "{name}: {codes:?}");
        let shown = world.show(&plan);
        assert!(shown.contains("+ fake_disk.apart\n"), "{name}: {shown}");
    }
}

#[test]
fn a_plan_is_back_when_the_text_is_mended() {
    let mended = text(r#"evil = "good""#);
    let fresh = {
        let mut world = world(&mended);
        let plan = world.plan();
        world.show(&plan)
    };
    for (name, locals) in EVIL {
        let mut world = world(&text(locals));
        world.plan();
        world.set("/main.tf", &mended);
        let plan = world.plan();
        assert_eq!(world.show(&plan), fresh, "{name}");
    }
}

/// A budget that three of these locals exceed together, and none alone.
fn small_budget() -> Arc<Options> {
    let limits = |steps| Limits {
        steps,
        bytes: 1 << 20,
    };
    Arc::new(Options {
        budget: Budget {
            object: limits(10_000),
            root: limits(15_000),
        },
        ..Options::default()
    })
}

#[test]
fn a_shared_budget_gives_the_same_plan_incrementally_and_anew() {
    let local =
        |name: &str, to: usize| format!("{name} = length([for i in range({to}) : i * 2])\n");
    let texts = [
        local("evil", 1) + &local("a", 900) + &local("b", 900) + &local("c", 900),
        local("evil", 1) + &local("a", 900) + &local("b", 900) + &local("c", 10),
        local("evil", 1)
            + &local("a", 900)
            + &local("b", 800)
            + &local("c", 900)
            + &local("d", 900),
        local("evil", 1) + &local("d", 900),
    ];
    let mut world = World::new(&text(&texts[0]));
    world.request.options = small_budget();
    let mut stopped = Vec::new();
    for locals in &texts {
        let mut fresh = World::new(&text(locals));
        fresh.request.options = small_budget();
        let anew = fresh.plan();
        world.set("/main.tf", &text(locals));
        let plan = world.plan();
        assert_eq!(world.show(&plan), fresh.show(&anew));
        stopped.push(codes(&plan).contains(&"evaluation-limit"));
    }
    assert_eq!(stopped, [true, false, true, false]);
}

#[test]
fn a_cancelled_plan_goes_on_where_it_was() {
    let mut world = World::new(&text(r#"evil = "good""#));
    world.root.load(&world.files, &world.request);
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(
        block_on(
            world
                .root
                .plan_until(&cancel, &mut plan::PublishRequests::none(), &mut |_| {})
        )
        .is_none()
    );
    let plan = block_on(world.root.plan(&mut |_| {}));
    let mut fresh = World::new(&text(r#"evil = "good""#));
    let anew = fresh.plan();
    assert_eq!(world.show(&plan), fresh.show(&anew));
}
