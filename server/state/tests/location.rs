//! Where the state of a workspace is looked for.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use config::{Files, ModuleAddr, ModuleCache, load_module};
use fixture::Fixture;
use state::{Location, LocationVariables, StateError, load, locate};

struct Memory(BTreeMap<String, Arc<str>>);

impl Files for Memory {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(dir)?.strip_prefix('/'));
        Ok(names
            .filter(|name| !name.contains('/'))
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

fn location(fixture: &str, environment: LocationVariables) -> Location {
    let files = memory(fixture);
    let root = ModuleAddr::root();
    let (module, _) = load_module(&files, &mut ModuleCache::default(), "/w", &root);
    locate(&files, &module, "/w", &environment, &BTreeMap::new())
}

fn check(fixture: &str, expected: &str) {
    check_in(fixture, LocationVariables::default(), expected);
}

fn check_in(fixture: &str, environment: LocationVariables, expected: &str) {
    let shown = match location(fixture, environment) {
        Location::File { path, workspace } => format!("{workspace}: {path}"),
        location => format!("{}: {}", location.workspace(), location.caveat().unwrap()),
    };
    assert_eq!(shown, expected);
}

#[test]
fn without_a_backend_it_lies_beside_the_configuration() {
    check("#- /main.tf\n", "default: /w/terraform.tfstate");
}

#[test]
fn a_local_backend_may_name_another_file() {
    let backend =
        "#- /main.tf\nterraform {\n  backend \"local\" { path = \"../s/x.tfstate\" }\n}\n";
    check(backend, "default: /w/../s/x.tfstate");
    let absolute = "#- /main.tf\nterraform {\n  backend \"local\" { path = \"/s/x.tfstate\" }\n}\n";
    check(absolute, "default: /s/x.tfstate");
}

#[test]
fn partial_backend_configuration_comes_from_init() {
    let fixture = r#"
#- /main.tf
terraform {
  backend "local" {}
}
#- /.terraform/terraform.tfstate
{"version": 3, "backend": {"type": "local", "config": {"path": "given.tfstate", "workspace_dir": null}}}
"#;
    check(fixture, "default: /w/given.tfstate");
}

#[test]
fn a_selected_workspace_has_its_own_file() {
    let fixture = "#- /main.tf\n#- /.terraform/environment\nblue\n";
    check(
        fixture,
        "blue: /w/terraform.tfstate.d/blue/terraform.tfstate",
    );
    let green = LocationVariables {
        workspace: Some("green".into()),
        data_dir: None,
    };
    check_in(
        fixture,
        green,
        "green: /w/terraform.tfstate.d/green/terraform.tfstate",
    );
    let elsewhere = LocationVariables {
        workspace: None,
        data_dir: Some("elsewhere".into()),
    };
    check_in(fixture, elsewhere, "default: /w/terraform.tfstate");
    let dir = "#- /main.tf\nterraform {\n  backend \"local\" { workspace_dir = \"d\" }\n}\n#- /.terraform/environment\nblue";
    check(dir, "blue: /w/d/blue/terraform.tfstate");
}

#[test]
fn other_backends_are_named_and_not_read() {
    let s3 = "#- /main.tf\nterraform {\n  backend \"s3\" {}\n}\n";
    check(s3, "default: state not read: it is in the backend \"s3\"");
    let cloud = "#- /main.tf\nterraform {\n  cloud {}\n}\n";
    check(
        cloud,
        "default: state not read: it is in the backend \"cloud\"",
    );
    let initialized = "#- /main.tf\n#- /.terraform/terraform.tfstate\n{\"backend\": {\"type\": \"gcs\", \"config\": {}}}\n";
    check(
        initialized,
        "default: state not read: it is in the backend \"gcs\"",
    );
}

#[test]
fn a_missing_file_is_the_empty_state_and_a_broken_one_is_an_error() {
    let fixture = "#- /main.tf\n";
    let files = memory(fixture);
    assert!(
        load(
            &files,
            &location(fixture, LocationVariables::default()),
            None
        )
        .unwrap()
        .is_empty()
    );
    let fixture = "#- /main.tf\n#- /terraform.tfstate\n{\"version\": 4, \"ser";
    let result = load(
        &memory(fixture),
        &location(fixture, LocationVariables::default()),
        None,
    );
    assert_eq!(result, Err(StateError::Truncated { line: 1 }));
}
