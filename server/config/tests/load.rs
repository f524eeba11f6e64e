//! Loading a directory: which files, what overrides what, and how much an edit costs.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use config::{
    DiskFiles, Files, IgnoreChanges, Module, ModuleAddr, ModuleCache, Repetition, ResourceAddr,
    load_module,
};
use fixture::Fixture;
use text::Diagnostic;

#[derive(Default)]
struct Memory(BTreeMap<String, Arc<str>>);

impl Files for Memory {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(dir)?.strip_prefix('/'));
        Ok(names
            .filter(|name| !name.contains('/'))
            .rev()
            .map(str::to_owned)
            .collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        self.0
            .get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn memory(fixture: &str) -> Memory {
    let files = Fixture::parse(fixture).files;
    Memory(
        files
            .into_iter()
            .map(|file| (format!("/w{}", file.path), file.text.into()))
            .collect(),
    )
}

fn load(fixture: &str) -> (Arc<Module>, Vec<Diagnostic>) {
    let mut cache = ModuleCache::default();
    load_module(&memory(fixture), &mut cache, "/w", &ModuleAddr::root())
}

fn summaries(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics
        .iter()
        .map(|diagnostic| diagnostic.summary.as_str())
        .collect()
}

#[test]
fn files_are_read_by_their_names() {
    let (module, diagnostics) = load(
        "\
#- /b.tf
locals {
  from_b = 1
}
#- /a.tf
locals {
  from_a = 1
}
#- /.hidden.tf
syntax error
#- /main.tf~
syntax error
#- /#main.tf#
syntax error
#- /sub/x.tf
syntax error
#- /notes.txt
#- /data.tf.json
{\"locals\": {\"from_json\": 1}}
#- /other.json
{\"locals\": {}}
",
    );
    let names: Vec<_> = module.files.keys().map(|file| file.name()).collect();
    assert_eq!(names, ["a.tf", "b.tf", "data.tf.json"]);
    assert_eq!(
        module.locals.keys().collect::<Vec<_>>(),
        ["from_a", "from_b", "from_json"]
    );
    assert_eq!(summaries(&diagnostics), Vec::<String>::new());
}

#[test]
fn override_files_replace_arguments() {
    let (module, diagnostics) = load(
        r#"
#- /main.tf
variable "v" {
  type      = string
  default   = "a"
  sensitive = true
}
resource "random_pet" "counted" {
  count = 2
}
resource "random_pet" "a" {
  for_each = {}
  prefix = "x"
  length = 3
  rule { n = 1 }
  rule { n = 2 }
  other { n = 3 }
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [prefix]
  }
}
output "o" { value = 1 }
#- /x_override.tf
variable "v" {
  default   = "b"
  sensitive = false
}
resource "random_pet" "counted" {
  for_each = {}
}
resource "random_pet" "a" {
  for_each = { a = 1 }
  length   = each.value
  dynamic "rule" {
    for_each = []
    content {}
  }
  lifecycle {
    prevent_destroy = true
  }
}
output "o" { value = 2 }
output "nope" { value = 1 }
moved {
  from = random_pet.b
  to   = random_pet.a
}
"#,
    );
    assert_eq!(
        summaries(&diagnostics),
        [
            "Missing base output definition to override",
            "Cannot override 'moved' blocks"
        ]
    );
    let variable = &module.variables["v"];
    assert!(!variable.sensitive && variable.r#type.is_some());
    assert_eq!(
        variable.default.as_ref().unwrap().origin.file.name(),
        "x_override.tf"
    );

    let resource = &module.resources[&ResourceAddr::managed("random_pet", "a")];
    assert!(
        matches!(&resource.repetition, Repetition::ForEach(each) if each.origin.file.name() == "x_override.tf")
    );
    let counted = &module.resources[&ResourceAddr::managed("random_pet", "counted")];
    assert!(matches!(counted.repetition, Repetition::Count(_)));
    let file_of = |name: &str| {
        resource
            .body
            .attribute(name)
            .unwrap()
            .origin
            .file
            .name()
            .to_owned()
    };
    assert_eq!(
        (file_of("prefix"), file_of("length")),
        ("main.tf".into(), "x_override.tf".into())
    );
    let blocks: Vec<_> = resource
        .body
        .blocks
        .iter()
        .map(|b| b.effective_kind())
        .collect();
    assert_eq!(blocks, ["other", "rule"]);
    assert_eq!(resource.lifecycle.create_before_destroy, Some(true));
    assert!(resource.lifecycle.prevent_destroy.is_some());
    assert!(matches!(&resource.lifecycle.ignore_changes, IgnoreChanges::Paths(p) if p.len() == 1));
}

#[test]
fn dynamic_blocks_bind_their_iterator() {
    let (module, diagnostics) = load(
        r#"
resource "a_b" "c" {
  dynamic "rule" {
    for_each = local.rules
    content {
      port = rule.value.port
      dynamic "inner" {
        for_each = rule.value.inner
        iterator = it
        content {
          x = it.value + inner.value.x + local.y
        }
      }
    }
  }
  list = [for rule in local.rules : "${rule}-%{ for y in local.ys }${y}%{ endfor }"]
}
resource "inner" "value" {}
locals {
  rules = []
  y     = 1
  ys    = []
}
"#,
    );
    assert_eq!(summaries(&diagnostics), [] as [&str; 0]);
    let references = &module.resources[&ResourceAddr::managed("a_b", "c")]
        .decl
        .references;
    let text = &module.files[0];
    let found: Vec<_> = references
        .iter()
        .map(|reference| {
            text.resolve(&reference.span)
                .map(|range| usize::from(range.len()))
        })
        .map(Option::unwrap)
        .collect();
    // local.rules, local.ys, local.rules, inner.value, local.y
    assert_eq!(found.len(), 5, "{references:?}");
}

#[test]
fn an_edit_keeps_the_declarations_of_the_other_segments() {
    let block = |i: usize, input: &str| {
        format!("resource \"terraform_data\" \"r{i}\" {{\n  input = {input}\n}}\n\n")
    };
    let text = |edited: &str| {
        (0..1000)
            .map(|i| {
                if i == 500 {
                    block(i, edited)
                } else {
                    block(i, &format!("local.x + {i}"))
                }
            })
            .collect::<String>()
            + "locals {\n  x = 1\n}\n"
    };
    let mut files = Memory::default();
    let mut cache = ModuleCache::default();
    let mut load = |text: String| {
        files.0.insert("/w/main.tf".into(), text.into());
        load_module(&files, &mut cache, "/w", &ModuleAddr::root())
    };
    let (before, _) = load(text("1"));
    let (after, diagnostics) = load(text("local.nope"));
    assert_eq!(
        summaries(&diagnostics),
        ["Reference to undeclared local value"]
    );
    assert_eq!(after.resources.len(), 1000);
    let kept = before.resources.values().zip(after.resources.values());
    assert_eq!(
        kept.filter(|(before, after)| Arc::ptr_eq(before, after))
            .count(),
        999
    );
}

/// Files as an editor keeps them: a new text is parsed from the one before.
#[derive(Default)]
struct Open(BTreeMap<String, syntax::File>);

impl Files for Open {
    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(self.0.keys().map(|path| path[3..].to_owned()).collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        self.parse(path).map(|file| file.text().clone())
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        let file = self.0.get(path).cloned();
        file.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[test]
fn loading_after_an_edit_equals_loading_anew() {
    const MAIN: &str = r#"
variable "v" {
  default = 1
}

locals {
  a = 1
  b = local.a
}

resource "fake_disk" "one" {
  size = var.v
}

resource "fake_disk" "two" {
  size = fake_disk.one.size
}

output "o" {
  value = fake_disk.two.size
}
"#;
    // What is replaced, one after the other in the same text, and by what.
    let edits = [
        ("size = var.v", "size = 2"),
        ("size = 2", "size = local.nope"),
        ("size = fake_disk.one.size", "size = 3"),
        ("size = local.nope", "size = local.a"),
        ("b = local.a", "b = local.c"),
        ("b = local.c", "b = 7"),
        ("default = 1", "default = 2\n  wrong = 1"),
        ("\n  wrong = 1", ""),
        ("size = local.a", "count = 2\n  size = local.a"),
        ("value = fake_disk.two.size", "value = fake_disk.one.size"),
        ("count = 2", "for_each = {}"),
        ("fake_disk\" \"two", "fake_disk\" \"three"),
        ("fake_disk\" \"three", "fake_disk\" \"one"),
        ("size = 3", "size = 4"),
        (
            "fake_disk\" \"one\" {\n  size = 4",
            "fake_disk\" \"two\" {\n  size = 4",
        ),
        ("a = 1", "a = 1 +"),
        ("a = 1 +", "a = 1"),
        ("fake_disk.one.size", "[for d in fake_disk.one : d.size]"),
        ("size = 4", "size = 5\n  provider = fake.other"),
        ("output \"o\"", "output \"p\""),
        ("\n  provider = fake.other", ""),
        ("size = 5", "size = 6"),
    ];
    for with_override in [false, true] {
        let mut files = Open::default();
        if with_override {
            let text = "resource \"fake_disk\" \"one\" {\n  size = 9\n}\n";
            let path = "/w/x_override.tf".to_owned();
            files.0.insert(path, syntax::parse(text));
        }
        let mut text = MAIN.to_owned();
        let mut cache = ModuleCache::default();
        let root = ModuleAddr::root();
        for (from, to) in edits {
            assert!(text.contains(from), "{from} in {text}");
            text = text.replacen(from, to, 1);
            let path = "/w/main.tf".to_owned();
            let file = match files.0.get(&path) {
                Some(before) => before.reparse(&text).0,
                None => syntax::parse(&text),
            };
            files.0.insert(path, file);
            let (edited, edited_diagnostics) = load_module(&files, &mut cache, "/w", &root);
            let mut nothing = ModuleCache::default();
            let (anew, anew_diagnostics) = load_module(&files, &mut nothing, "/w", &root);
            assert_eq!(edited_diagnostics, anew_diagnostics, "{to}");
            assert_eq!(format!("{edited:?}"), format!("{anew:?}"), "{to}");
        }
    }
}

#[test]
fn a_directory_that_is_not_there_is_an_empty_module() {
    let mut cache = ModuleCache::default();
    let root = ModuleAddr::root();
    let (module, diagnostics) = load_module(&DiskFiles, &mut cache, "/nowhere/at/all", &root);
    assert!(module.files.is_empty());
    assert_eq!(summaries(&diagnostics), ["Failed to read module directory"]);
}

#[test]
fn half_typed_blocks_leave_the_others_as_they_are() {
    let whole = r#"
variable "v" { default = 1 }
resource "a_b" "c" {
  x = "${var.v}" 
  lifecycle { ignore_changes = [x, y["z"]] }
  depends_on = [a_b.d]
}
resource "a_b" "d" {}
module "m" { source = "./m" }
check "k" {
  assert {
    condition     = a_b.c.x == 1
    error_message = "no"
  }
}
terraform {
  required_providers { a = { source = "x/a", version = "~> 1" } }
  backend "local" { path = "p" }
}
moved {
  from = a_b.e[0]
  to   = module.m.a_b.f
}
"#;
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        load(&format!("#- /main.tf\n{}", &whole[..end]));
        load(&format!("#- /main.tf\n{}", &whole[end..]));
    }
    let (module, diagnostics) = load(&format!("#- /main.tf\n{whole}"));
    assert_eq!(summaries(&diagnostics), [] as [&str; 0]);
    assert_eq!(
        (
            module.resources.len(),
            module.moved.len(),
            module.checks.len()
        ),
        (2, 1, 1)
    );
    assert_eq!(
        module.provider_addr("a").to_string(),
        "registry.terraform.io/x/a"
    );
}

#[test]
fn an_import_block_may_have_an_instance_key_known_later() {
    let (module, diagnostics) = load(
        r#"
#- /main.tf
import {
  to = module.a["x"].module.b.fake_disk.c[0]
  id = "1"
}
import {
  for_each = toset(["x"])
  to       = module.a[each.key].fake_disk.c[each.value]
  id       = each.key
}
import {
  to = resource.fake_disk.c
  id = "2"
}
import {
  to = fake_disk.c
  id = "3"
}
import {
  to = fake_disk.c.id
  id = "4"
}
import {
  to = each.key
  id = "5"
}
"#,
    );
    let imports = module.imports.iter();
    let targets: Vec<_> = imports
        .map(|import| {
            let instance = import.target.instance().map(|addr| addr.to_string());
            (import.target.config().to_string(), instance)
        })
        .collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        targets,
        [
            (
                "module.a.module.b.fake_disk.c".into(),
                some("module.a[\"x\"].module.b.fake_disk.c[0]")
            ),
            ("module.a.fake_disk.c".into(), None),
            ("fake_disk.c".into(), some("fake_disk.c")),
            ("fake_disk.c".into(), some("fake_disk.c")),
        ]
    );
    assert_eq!(
        summaries(&diagnostics),
        [
            "Duplicate import configuration for \"fake_disk.c\"",
            "Invalid import address",
            "Invalid address",
            "Invalid import address",
            "Invalid address",
        ]
    );
    let duplicate = &diagnostics[0];
    assert_eq!(
        duplicate.detail,
        "An import block for the resource \"fake_disk.c\" was already declared at main.tf:10,1-7. A resource can have only one import block."
    );
}

#[test]
fn the_errors_of_a_module_are_listed_up_to_a_limit() {
    let (module, diagnostics) = load(&format!(
        "#- /main.tf\nvariable \"v\" {{}}\n{}",
        "b {\n}\n".repeat(2_000)
    ));
    assert!(module.variables.contains_key("v"));
    assert_eq!(diagnostics.len(), 1_001);
    let last = diagnostics.last().unwrap();
    assert_eq!(last.summary, "Too many errors and warnings");
    assert_eq!(
        last.detail,
        "The module has at least 2000 errors and warnings. Only 1000 of them are shown, errors first."
    );
}
