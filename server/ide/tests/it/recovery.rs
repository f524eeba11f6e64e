//! Completion in and behind a block that is broken as people break it while they type.

use text::{FileId, TextSize};

use crate::support::{Memory, opened};

const BEFORE: &str = r#"variable "size" {
  type    = number
  default = 3
}

locals {
  name  = "web"
  nodes = { a = "x" }
}

"#;

const BEHIND: &str = r#"

resource "terraform_data" "healthy" {
  @
  input = local.@
}

resource "fake_thing" "other" {
  zones = [@]
}
"#;

/// A way to break a block, with `|` where somebody types, and what has to be offered there and what not.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// The kinds of breakage that terraform-ls was measured with, and those of the comparison of parsers.
const CASES: [Case; 26] = [
    (
        "no value",
        "resource \"terraform_data\" \"x\" {\n  input = |\n}",
        "local.name",
        "triggers_replace",
    ),
    (
        "no member",
        "resource \"terraform_data\" \"x\" {\n  input = var.|\n}",
        "size",
        "name",
    ),
    (
        "half a header",
        "resource \"terraform_|",
        "terraform_data",
        "input",
    ),
    (
        "half a name",
        "resource \"terraform_data\" \"x\" {\n  trig|\n}",
        "triggers_replace",
        "variable",
    ),
    (
        "half a conditional",
        "resource \"terraform_data\" \"x\" {\n  input = var.size > 2 ? local.|\n}",
        "name",
        "size",
    ),
    (
        "an open call",
        "resource \"terraform_data\" \"x\" {\n  input = upper(local.|\n}",
        "name",
        "input",
    ),
    (
        "an open string",
        "resource \"terraform_data\" \"x\" {\n  input = \"abc\n  |\n}",
        "triggers_replace",
        "input",
    ),
    (
        "an open template",
        "resource \"terraform_data\" \"x\" {\n  input = \"${|\n}",
        "local.name",
        "input",
    ),
    (
        "an open list",
        "resource \"terraform_data\" \"x\" {\n  input = [var.size,\n  |\n}",
        "local.name",
        "variable",
    ),
    (
        "an open interpolation",
        "resource \"terraform_data\" \"x\" {\n  input = \"a-${local.|\n}",
        "name",
        "input",
    ),
    (
        "an open brace",
        "resource \"terraform_data\" \"x\" {\n  input = 1\n  |\n",
        "triggers_replace",
        "input",
    ),
    (
        "the rest is gone",
        "resource \"fake_thing\" \"x\" {\n  name = \"a\"\n  si|",
        "size",
        "name",
    ),
    (
        "no opening brace",
        "resource \"terraform_data\" \"x\"\n  input = local.|\n}",
        "name",
        "size",
    ),
    (
        "no closing brace",
        "resource \"fake_thing\" \"x\" {\n  name = local.|\n",
        "nodes",
        "size",
    ),
    ("half a label", "resource \"fake_|", "fake_thing", "name"),
    (
        "a new member",
        "resource \"fake_thing\" \"x\" {\n  name = \"a\"\n  size = var.|\n}",
        "size",
        "name",
    ),
    (
        "a new value",
        "resource \"fake_thing\" \"x\" {\n  name = \"a\"\n  size =|\n}",
        "var.size",
        "name",
    ),
    (
        "a new string",
        "resource \"fake_thing\" \"x\" {\n  name = \"abc\n  s|\n}",
        "size",
        "name",
    ),
    (
        "a new interpolation",
        "resource \"fake_thing\" \"x\" {\n  name = \"a-${var.|\n  size = 1\n}",
        "size",
        "name",
    ),
    (
        "an open heredoc",
        "resource \"fake_thing\" \"x\" {\n  name = <<EOT\n  s|\n}",
        "size",
        "name",
    ),
    (
        "a new list",
        "resource \"fake_thing\" \"x\" {\n  name = \"a\"\n  zones = [|\n}",
        "local.name",
        "name",
    ),
    (
        "an open object",
        "resource \"terraform_data\" \"x\" {\n  input = {\n    a = local.|\n}",
        "name",
        "size",
    ),
    (
        "an open call with one argument",
        "resource \"terraform_data\" \"x\" {\n  input = merge(local.nodes, |\n}",
        "local.nodes",
        "input",
    ),
    (
        "only a name",
        "resource \"fake_thing\" \"x\" {\n  name = \"a\"\n  size|\n}",
        "size",
        "name",
    ),
    (
        "half a dynamic block",
        "resource \"fake_thing\" \"x\" {\n  name = \"a\"\n  dynamic \"|\n}",
        "rule",
        "size",
    ),
    (
        "a stray brace",
        "resource \"terraform_data\" \"x\" {\n  input = local.|\n}\n}",
        "name",
        "size",
    ),
];

/// What has to be offered at each `@` behind the broken block, and what not.
const HEALTHY: [(&str, &str); 3] = [
    ("triggers_replace", "variable"),
    ("name", "size"),
    ("var.size", "name"),
];

#[test]
fn completion_is_right_in_a_broken_block_and_behind_it() {
    let open = FileId::new("/code/main.tf");
    let healthy = format!(
        "{BEFORE}{}",
        BEHIND.replace("local.@", "local.name").replace('@', "")
    );
    let memory = |text: &str| Memory([("/code/main.tf".to_owned(), text.to_owned())].into());
    let before = opened(&memory(&healthy), &open, true);
    let mut wrong = Vec::new();
    for (kind, broken, offered, absent) in CASES {
        let cut = broken.find('|').unwrap();
        let text = format!("{BEFORE}{}{BEHIND}", broken.replace('|', ""));
        let mut places = vec![(BEFORE.len() + cut, offered, absent)];
        let marks = text.match_indices('@').enumerate();
        places.extend(marks.map(|(nth, (at, _))| (at - nth, HEALTHY[nth].0, HEALTHY[nth].1)));
        let text = text.replace('@', "");
        // With nothing behind the cursor.
        let last = &text[..places[0].0];
        let typed = before.with_file(open.clone(), last);
        let items = typed
            .completions(&open, TextSize::of(last), &Memory::default())
            .items;
        if !items.iter().any(|item| item.label == offered) {
            wrong.push(format!("{kind}, at the end of the file"));
        }
        // Typed into what was planned, and opened as it is.
        let typed = before.with_file(open.clone(), &text);
        for (how, snapshot) in [
            ("typed", typed),
            ("opened", opened(&memory(&text), &open, true)),
        ] {
            for (nth, (at, offered, absent)) in places.iter().enumerate() {
                let at = TextSize::try_from(*at).unwrap();
                let items = snapshot.completions(&open, at, &Memory::default()).items;
                let has = |label: &str| items.iter().any(|item| item.label == label);
                if !has(offered) || has(absent) {
                    let labels: Vec<_> = items.iter().take(8).map(|it| it.label.as_str()).collect();
                    wrong.push(format!("{kind}, {how}, place {nth}: {labels:?}"));
                }
            }
        }
    }
    println!(
        "breakages: {} places wrong in {} kinds",
        wrong.len(),
        CASES.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
