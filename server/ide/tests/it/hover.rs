//! Hovers in files that are no native configuration.

use crate::support::Opened;

fn hover(text: &str) -> String {
    let opened = Opened::new(text);
    let hover = opened.snapshot.hover(&opened.open, opened.range.start());
    let Some(hover) = hover else {
        return String::new();
    };
    let shown = &opened.files.0[opened.open.path()][std::ops::Range::from(hover.range)];
    let shown = shown.lines().next().unwrap_or_default();
    format!("{shown}: {}", hover.text.to_plaintext())
}

#[test]
fn hover_of_a_lock_entry_names_provider_and_constraints() {
    let text = r#"
#- /.terraform.lock.hcl
provider "registry.terraform.io/hashicorp/random" {
  ver$0sion     = "3.6.0"
  constraints = "~> 3.0"
  hashes = [
    "h1:a",
    "zh:b",
  ]
}
#- /main.tf
terraform {
  required_providers {
    dice = { source = "hashicorp/random", version = ">= 3.1" }
  }
}
"#;
    assert_eq!(
        hover(text),
        "provider \"registry.terraform.io/hashicorp/random\" {: registry.terraform.io/hashicorp/random\n\n\
         Locked: 3.6.0\n\nConstraints when it was locked: ~> 3.0\n\nRequired as dice: >= 3.1\n\n\
         Hashes: 2"
    );
}

#[test]
fn json_syntax_is_described_as_native_syntax_is() {
    let of = |text: &str| hover(&format!("#- /main.tf.json\n{text}\n"));
    let thing = |inside: &str| {
        of(&format!(
            "{{\"resource\": {{\"fake_thing\": {{\"x\": {{{inside}}}}}}}}}"
        ))
    };
    assert!(of("{\"res$0ource\": {}}").starts_with("resource: resource"));
    assert!(of("{\"resource\": {\"fake_th$0ing\": {}}}").starts_with("fake_thing: fake_thing"));
    assert_eq!(thing("\"si$0ze\": 1"), "size: size : number\n\nOptional");
    assert!(thing("\"na$0me\": \"a\"").contains("Required"));
    assert!(thing("\"rule\": [{\"por$0t\": 1}]").starts_with("port: port : number"));
}

#[test]
fn tests_are_described() {
    let of = |text: &str| {
        hover(&format!(
            "#- /tests/a.tftest.hcl\n{text}\n#- /main.tf\nvariable \"size\" {{\n  type = number\n  description = \"How large.\"\n}}\n"
        ))
    };
    assert!(of("ru$0n \"a\" {\n}").starts_with("run: run"));
    assert!(of("run \"a\" {\n  com$0mand = plan\n}").contains("optional, keyword"));
    assert!(of("variables {\n  si$0ze = 1\n}").contains("How large."));
    assert!(
        of("run \"a\" {\n  assert {\n    condition = var.si$0ze > 1\n  }\n}")
            .contains("How large.")
    );
    // Another language.
    assert_eq!(hover("#- /a.tfcomponent.hcl\ncomp$0onent \"a\" {\n}"), "");
}
