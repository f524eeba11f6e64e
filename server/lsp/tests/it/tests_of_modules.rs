//! Test files: what comes of their runs, as far as a plan tells it.

use std::fs;
use std::sync::Arc;

use expect_test::{Expect, expect};
use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use serde_json::{Value, json};

use crate::client::{Client, editors, range};

const MODULE: &str = r#"variable "size" {
  type    = number
  default = 1
  validation {
    condition     = var.size > 0
    error_message = "The size is positive."
  }
}

variable "name" {
  type    = string
  default = "none"
}

resource "terraform_data" "a" {
  input = "${var.name}-${var.size}"
}

output "name" {
  value = terraform_data.a.output
}

output "input" {
  value = terraform_data.a.input
}
"#;

/// A module with values of its own, beside a test of it that is open.
struct Tested {
    client: Client,
    dir: tempfile::TempDir,
    uri: String,
}

impl Tested {
    async fn open(test: &str) -> Tested {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("main.tf", MODULE);
        write("terraform.tfvars", "name = \"of the module\"\nsize = 2\n");
        write("tests/terraform.tfvars", "name = \"of the tests\"\n");
        write("tests/a.tftest.hcl", test);
        let options = Options {
            planner: Arc::new(EnginePlanner::new(PlannerConfig {
                variables: Default::default(),
                cache_dir: None,
                now: || "2026-01-01T00:00:00Z".to_string(),
            })),
            ..crate::client::patient()
        };
        // Hints wait for the plan; when they are there, so is what is wrong.
        let mut capabilities = editors::helix();
        capabilities["textDocument"]["diagnostic"] = json!({});
        let settings = json!({ "trust": "never" });
        let mut client = Client::start_with(capabilities, settings, options).await;
        let uri = format!("file://{}/tests/a.tftest.hcl", dir.path().display());
        client.open_as(&uri, test).await;
        Tested { client, dir, uri }
    }

    /// The hints and then the errors, each behind its line.
    async fn shown(&mut self, text: &str) -> String {
        let document = json!({ "uri": self.uri });
        let everywhere = json!({ "textDocument": document, "range": range((0, 0), (1000, 0)) });
        let hints = self.client.ask("textDocument/inlayHint", everywhere).await;
        let found = json!({ "textDocument": document });
        let found = self.client.ask("textDocument/diagnostic", found).await;
        let shown = |position: &Value, text_: &Value| {
            let line = position["line"].as_u64().unwrap() as usize;
            let line = text.lines().nth(line).unwrap().trim();
            format!("{line}  # {}\n", text_.as_str().unwrap())
        };
        let hints = hints.as_array().unwrap().iter();
        let hints = hints.map(|it| shown(&it["position"], &it["label"]));
        let found = found["items"].as_array().unwrap().iter();
        let found = found.map(|it| shown(&it["range"]["start"], &it["message"]));
        hints.chain(found).collect()
    }
}

async fn check(test: &str, expected: Expect) {
    let mut tested = Tested::open(test).await;
    expected.assert_eq(&tested.shown(test).await);
    tested.client.shut_down().await;
}

// What fails here fails so in `terraform test` of 1.11.4 too, and what is not known there stops it.
#[tokio::test(flavor = "multi_thread")]
async fn assertions_are_shown_as_far_as_they_are_known() {
    check(
        r#"
variables {
  size = 3
}

run "of_the_file" {
  command = plan
  assert {
    condition     = output.input == "of the tests-3"
    error_message = "not met"
  }
  assert {
    condition     = terraform_data.a.input == "of the tests-4"
    error_message = "It is ${output.input}."
  }
  assert {
    condition     = terraform_data.a.id != ""
    error_message = "not met"
  }
  assert {
    condition     = var.sise == 3
    error_message = "not met"
  }
}

run "of_the_run" {
  command = plan
  variables {
    size = var.size + 1
    name = run.of_the_file.name
  }
  assert {
    condition     = var.size == 3
    error_message = "The size is ${var.size}."
  }
  assert {
    condition     = startswith(output.input, "x")
    error_message = "not met"
  }
}

run "refused" {
  command = plan
  variables {
    size = 0
  }
}

run "meant_to_fail" {
  command = plan
  variables {
    size = 0
  }
  expect_failures = [var.size]
}
"#,
        expect![[r#"
            condition     = output.input == "of the tests-3"  # = true
            condition     = terraform_data.a.id != ""  # (known after apply)
            condition     = startswith(output.input, "x")  # (known after apply)
            condition     = terraform_data.a.input == "of the tests-4"  # Test assertion failed: It is of the tests-3.
            condition     = var.sise == 3  # Reference to undeclared input variable: An input variable with the name "sise" has not been declared. Did you mean "size"?
            condition     = var.size == 3  # Test assertion failed: The size is 4.
            run "refused" {  # Test run fails before its assertions: Invalid value for variable: The size is positive.
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn assertions_that_a_plan_cannot_decide_are_labelled() {
    check(
        r#"
run "applies" {
  assert {
    condition     = output.input == "of the tests-2"
    error_message = "not met"
  }
}

run "behind_it" {
  command = plan
  assert {
    condition     = output.input == "of the tests-2"
    error_message = "not met"
  }
}

run "elsewhere" {
  command = plan
  module {
    source = "./other"
  }
}

run "narrowed" {
  command   = plan
  state_key = "another"
  plan_options {
    target = [terraform_data.a]
  }
}
"#,
        expect![[r#"
            condition     = output.input == "of the tests-2"  # = true
            run "behind_it" {  # (not known)
            run "elsewhere" {  # (not known)
            run "narrowed" {  # (not known)
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_the_module_shows_in_its_open_test() {
    let test = "run \"a\" {\n  command = plan\n  assert {\n    condition     = var.size == 2\n    error_message = \"It is ${var.size}.\"\n  }\n}\n";
    let mut tested = Tested::open(test).await;
    let holds = "condition     = var.size == 2  # = true\n";
    assert_eq!(tested.shown(test).await, holds);
    let main = format!("file://{}/main.tf", tested.dir.path().display());
    let text = MODULE.replace("type    = number", "type    = string");
    tested.client.open_as(&main, &text).await;
    let fails = "condition     = var.size == 2  # Test assertion failed: It is 2.\n";
    assert_eq!(tested.shown(test).await, fails);
    tested.client.shut_down().await;
}
