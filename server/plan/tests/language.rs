//! Which product and release a root module is planned as, and what that changes.

use std::path::Path;

use config::{Product, Profile, Version};
use expect_test::expect;
use plan::{LanguageChoice, OpenFiles, Plan, PlanningRequest, Root, Surroundings};

fn root(dir: &Path, language: LanguageChoice) -> Root {
    Root::new(Surroundings {
        dir: dir.to_owned(),
        cwd: dir.to_owned(),
        variables: Default::default(),
        options: Vec::new(),
        state: None,
        plan_timestamp: None,
        cache_dir: None,
        is_trusted: false,
        approved: plan::Approved::Nothing,
        language,
    })
}

fn plan(root: &mut Root) -> Plan {
    root.load(&OpenFiles::default(), &PlanningRequest::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(root.plan(&mut |_| {}))
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn chosen(root: &Root) -> String {
    let choice = root.choice().unwrap();
    format!("{} because {}", choice.profile, choice.why())
}

fn problems(plan: &Plan) -> Vec<String> {
    let all = plan.all_diagnostics();
    all.map(|d| format!("{}: {}", d.summary, d.detail))
        .collect()
}

const MAIN: &str = "output \"a\" {\n  value = false && terraform_data.a.id == \"b\"\n}\n\nresource \"terraform_data\" \"a\" {\n}\n";

#[test]
fn the_language_release_follows_files_and_machine() {
    let dir = folder(&[("main.tf", MAIN)]);
    let installed = LanguageChoice {
        installed: vec![Profile::TERRAFORM_1_11],
        ..LanguageChoice::default()
    };
    let mut root = root(dir.path(), installed);
    let is_known = |plan: &Plan| plan.outputs[0].after.is_known();
    assert!(!is_known(&plan(&mut root)));
    expect!["Terraform 1.11.4 because terraform 1.11.4 is on the PATH"].assert_eq(&chosen(&root));

    // Another release evaluates otherwise, without another root.
    let required = format!("terraform {{\n  required_version = \">= 1.12\"\n}}\n{MAIN}");
    std::fs::write(dir.path().join("main.tf"), required).unwrap();
    let planned = plan(&mut root);
    assert!(is_known(&planned));
    expect!["Unsupported Terraform Core version: This configuration does not support Terraform version 1.11.4. To proceed, either choose another supported Terraform version or update this version constraint. Version constraints are normally set for good reason, so updating the constraint may lead to other errors or unexpected behavior."]
        .assert_eq(&problems(&planned).join("\n"));
    assert!(!planned.has_errors());
    root.set_language(LanguageChoice::default());
    assert_eq!(problems(&plan(&mut root)), Vec::<String>::new());
    root.set_language(LanguageChoice {
        installed: vec![Profile::TERRAFORM_1_11],
        ..LanguageChoice::default()
    });
    plan(&mut root);
    expect![[r#"Terraform 1.15.3 because terraform 1.11.4 is on the PATH; required_version excludes 1.11.4, and 1.15.3 is the newest Terraform that planlens knows"#]]
        .assert_eq(&chosen(&root));

    std::fs::write(dir.path().join("main.tofu"), MAIN).unwrap();
    let planned = plan(&mut root);
    assert!(is_known(&planned));
    expect!["OpenTofu 1.12.6 because main.tofu is a file of OpenTofu; 1.12.6 is the newest OpenTofu that planlens knows"]
        .assert_eq(&chosen(&root));
    root.set_language(LanguageChoice::pinned(Profile::terraform(1, 9, 0)));
    let planned = plan(&mut root);
    expect![[r#"
        Unsupported Terraform Core version: This configuration does not support Terraform version 1.9.0. To proceed, either choose another supported Terraform version or update this version constraint. Version constraints are normally set for good reason, so updating the constraint may lead to other errors or unexpected behavior."#]]
    .assert_eq(&problems(&planned).join("\n"));
}

#[test]
fn opentofu_has_a_registry_of_its_own() {
    let text = "resource \"random_pet\" \"a\" {\n}\n";
    let dir = folder(&[("main.tofu", text)]);
    let mut root = root(dir.path(), LanguageChoice::default());
    let planned = plan(&mut root);
    let provider = planned.resources.values().next().unwrap().provider.clone();
    assert_eq!(
        provider.to_string(),
        "registry.opentofu.org/hashicorp/random"
    );
}

#[test]
fn a_function_of_another_release_is_reported() {
    let text = "output \"a\" {\n  value = urldecode(\"+\")\n}\n";
    let dir = folder(&[("main.tf", text)]);
    let language = LanguageChoice {
        product: Some(Product::OpenTofu),
        version: Some(Version::new(1, 6, 0)),
        installed: Vec::new(),
    };
    let mut root = root(dir.path(), language);
    expect![[r#"Call to unknown function: The function "urldecode" was added in OpenTofu 1.7; this configuration is for OpenTofu 1.6."#]]
        .assert_eq(&problems(&plan(&mut root)).join("\n"));
}

#[test]
fn a_backend_of_opentofu_may_refer_to_variables() {
    let text = r#"
variable "stage" {
  default = "test"
}

terraform {
  backend "local" {
    path          = "${var.stage}.tfstate"
    workspace_dir = terraform_data.a.id
  }
}

resource "terraform_data" "a" {
}
"#;
    let dir = folder(&[("main.tf", text)]);
    let found = |language| {
        let mut root = root(dir.path(), language);
        let problems = problems(&plan(&mut root));
        let location = root.state_location().map(|location| match location {
            state::Location::File { path, .. } => path.rsplit('/').next().map(str::to_owned),
            state::Location::Backend { .. } => None,
        });
        format!("{:?} {}", location.flatten(), problems.join("\n"))
    };
    expect![[r#"Some("test.tfstate") Dynamic value in static context: Unable to use terraform_data.a in static context, which is required by backend.workspace_dir"#]].assert_eq(&found(LanguageChoice::pinned(Profile::NEWEST_OPENTOFU)));
    expect![[r#"
        Some("terraform.tfstate") Variables not allowed: Variables may not be used here.
        Variables not allowed: Variables may not be used here."#]]
    .assert_eq(&found(LanguageChoice::pinned(Profile::NEWEST_TERRAFORM)));
}
