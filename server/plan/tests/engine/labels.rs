//! What is not planned yet says so, and is never planned wrongly.

use std::sync::Arc;

use config::ProviderAddr;
use expect_test::expect;
use plan::{Options, Reads};
use provider::Rpc;
use provider::fake::FakeResource;

use crate::support::{World, check, disk_block, fake, surroundings};

#[test]
fn an_unread_state_claims_no_creation() {
    check(
        r#"
terraform {
  backend "s3" {
  }
}
resource "fake_disk" "a" {
}
output "o" {
  value = fake_disk.a.kind
}
"#,
        expect![[r#"
            label fake_disk.a: state not read: it is in the backend "s3"
            warning at `backend "s3"`: State can't be read: backend "s3" is not initialized: run `terraform init`. Existing objects are unknown.
        "#]],
    );
}

#[test]
fn data_sources_are_unknown() {
    check(
        r#"
data "fake_image" "a" {
}
resource "fake_disk" "a" {
  name = data.fake_image.a.id
}
output "o" {
  value = data.fake_image.a
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            output o: create unknown(any)
            label data.fake_image.a: data.fake_image.a is not read: its values are unknown in this plan
        "#]],
    );
}

/// A folder with an object of a type that its provider plans by asking a service, one that is to be deleted, and reads that
/// are allowed only when the test says so.
fn with_service() -> (World, Arc<Reads>) {
    let text = r#"
#- state kubernetes_manifest.a
id = "1"
name = "zero"
port = []
#- state kubernetes_manifest.gone
id = "2"
port = []
#- state fake_disk.b
id = "b"
kind = "std"
revision = "r"
name = "1"
#- /main.tf
resource "kubernetes_manifest" "a" {
  name = "one"
}
resource "fake_disk" "b" {
  name = kubernetes_manifest.a.id
}
"#;
    let provider = fake().with_resource("kubernetes_manifest", FakeResource::new(disk_block()));
    let mut world = World::with(text, surroundings(), provider);
    let providers = world.root.providers();
    providers.insert(ProviderAddr::implied("kubernetes"), world.provider.clone());
    let reads = Arc::new(Reads::default());
    world.root.keep_reads(reads.clone());
    (world, reads)
}

/// How often the provider was asked about objects of the type, except whether their configuration is valid.
fn asked(world: &World) -> usize {
    let requests = world.provider.requests().into_iter();
    let requests = requests.filter(|it| it.rpc != Rpc::ValidateResourceConfig);
    requests
        .filter(|it| it.type_name == "kubernetes_manifest")
        .count()
}

#[test]
fn an_object_whose_plan_asks_a_service_is_not_planned_while_typing() {
    let (mut world, _) = with_service();
    let plan = world.plan();
    expect![[r#"
        = fake_disk.b
        - kubernetes_manifest.gone (delete_because_no_resource_config)
        label kubernetes_manifest.a: not planned while you type: provider registry.terraform.io/hashicorp/kubernetes asks a service to plan kubernetes_manifest; run Replan
    "#]].assert_eq(&world.show(&plan));
    assert_eq!(asked(&world), 0);
}

#[test]
fn a_plan_that_asked_a_service_is_kept() {
    let (mut world, reads) = with_service();
    world.plan();
    reads.begin(false, true);
    world.request.options = Arc::new(Options {
        reading_round: 1,
        ..Options::default()
    });
    let plan = world.plan();
    expect![[r#"
        = fake_disk.b
        ~ kubernetes_manifest.a
            name: "zero" -> "one"
        - kubernetes_manifest.gone (delete_because_no_resource_config)
    "#]]
    .assert_eq(&world.show(&plan));
    reads.end();
    let text = world.files.texts()["/module/main.tf"].clone();
    let edited = text.replace("\"one\"", "\"two\"");
    let after_replan = asked(&world);
    world.set("/main.tf", &edited);
    let plan = world.plan();
    assert!(world.show(&plan).contains("label kubernetes_manifest.a"));
    world.set("/main.tf", &text);
    let plan = world.plan();
    assert!(!world.show(&plan).contains("label"));
    assert_eq!(asked(&world), after_replan);
}
