//! Real provider executables, where the test command has built them: schemas, plans, configurations.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

use common::{Root, block_with, plan, report, trusted};
use cty::{Path, Type, Value};
use provider::{Approvals, Approved, Package, ProviderError, RawState, Rpc};
use schema::{Block, ProviderSchema, Schema};

const ALL: [&str; 7] = [
    "hashicorp/random",
    "hashicorp/null",
    "hashicorp/local",
    "hashicorp/time",
    "hashicorp/tls",
    "planlens/lab5",
    "planlens/lab6",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemas_are_those_that_terraform_prints() {
    let Some(root) = Root::new(&ALL) else { return };
    let providers = trusted(&root);
    let Some(printed) = root.terraform_schemas() else {
        report("SKIPPED the comparison: no terraform on the PATH");
        return;
    };
    for name in ALL {
        let ours = root.provider(&providers, name).schema().await.unwrap();
        let printed = &printed[format!("registry.terraform.io/{name}").as_str()];
        assert_eq!(comparable(&ours), comparable(printed), "{name}");
    }
    providers.shutdown().await;
    assert_eq!(root.leftovers(), Vec::<String>::new());
}

/// Without what the printed form leaves out.
fn comparable(schema: &ProviderSchema) -> Vec<(String, Schema)> {
    let all = schema
        .resources
        .iter()
        .chain(&schema.data_sources)
        .chain(&schema.ephemeral);
    all.map(|(name, schema)| {
        let mut block = Block::clone(&schema.block);
        forget_messages(&mut block);
        (name.to_string(), Schema::new(schema.version, block))
    })
    .collect()
}

fn forget_messages(block: &mut Block) {
    block.deprecation_message = "".into();
    for attribute in block.attributes.values_mut() {
        attribute.deprecation_message = "".into();
    }
    for nested in block.block_types.values_mut() {
        forget_messages(&mut nested.block);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cached_schemas_need_no_process() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let lock = fs::read_to_string(root.dir().join(".terraform.lock.hcl")).unwrap();
    let first = trusted(&root);
    let schema = root
        .provider(&first, "hashicorp/random")
        .schema()
        .await
        .unwrap();
    assert_eq!(first.stats().processes_started, 1);
    let second = root.providers(Approved::Nothing);
    let cached = root
        .provider(&second, "hashicorp/random")
        .schema()
        .await
        .unwrap();
    assert_eq!(cached, schema);
    assert_eq!(second.stats().processes_started, 0);
    // It stands in for it in modules that have not installed it, too.
    let addr = "hashicorp/random".parse().unwrap();
    for is_locked_version in [true, false] {
        if !is_locked_version {
            root.edit_lock_file(|_| String::new());
        }
        let found = root.providers(Approved::Nothing).substitute(&addr).unwrap();
        assert_eq!(found.schema.version.as_deref(), Some("3.9.0"));
        assert_eq!(found.schema.resources, schema.resources);
        assert_eq!(found.is_locked_version, is_locked_version);
    }
    root.edit_lock_file(|_| lock.clone());
    for file in root.cache_files() {
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    }
    let third = root.providers(Approved::Nothing);
    let refused = root.provider(&third, "hashicorp/random").schema().await;
    assert!(matches!(refused, Err(ProviderError::NotTrusted { .. })));
    third.approve(Approved::All);
    assert_eq!(
        root.provider(&third, "hashicorp/random")
            .schema()
            .await
            .unwrap(),
        schema
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_missing_from_the_lock_file_does_not_start() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    root.edit_lock_file(|text| text.replace("h1:", "h1:x"));
    let providers = trusted(&root);
    let refused = root.provider(&providers, "hashicorp/random").schema().await;
    let Err(error @ ProviderError::LockMismatch { .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(error.to_string().contains(".terraform.lock.hcl"), "{error}");
    let missing = root.provider(&providers, "hashicorp/null").schema().await;
    assert!(
        matches!(missing, Err(ProviderError::NotInstalled { .. })),
        "{missing:?}"
    );
    assert_eq!(providers.stats().processes_started, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn providers_are_found_in_overrides_mirrors_and_caches() {
    let overrides = "dev_overrides {\n \"hashicorp/random\" = \"PACKAGE\"\n }";
    let mirror = "filesystem_mirror {\n path = \"MIRROR\"\n include = [\"hashicorp/*\"]\n }";
    for config in [
        format!("provider_installation {{\n {overrides}\n}}\n"),
        format!("provider_installation {{\n {mirror}\n}}\n"),
        "plugin_cache_dir = \"MIRROR\"".to_owned(),
    ] {
        let Some(mut root) = Root::new(&["hashicorp/random"]) else {
            return;
        };
        fs::remove_dir_all(root.dir().join(".terraform")).unwrap();
        if config.contains("dev_overrides") {
            fs::remove_file(root.dir().join(".terraform.lock.hcl")).unwrap();
        }
        root.set_cli_config(&config);
        let providers = trusted(&root);
        let schema = root.provider(&providers, "hashicorp/random").schema().await;
        assert!(
            schema.unwrap().resources.contains_key("random_pet"),
            "{config}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_plans_create_update_and_replace() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let providers = trusted(&root);
    let random = root.provider(&providers, "hashicorp/random");
    let schema = random.schema().await.unwrap().resources["random_pet"].clone();
    let keepers = |text: &str| Value::map(Type::String, [("k", Value::string(text))]);
    let config = block_with(&schema, &[("keepers", keepers("a"))]);
    let create = plan(&random, "random_pet", &schema, None, config).await;
    assert!(!create.planned_state.get("id").unwrap().is_known());
    assert_eq!(create.requires_replace, []);
    assert!(!create.legacy_type_system);

    let prior = r#"{"id":"a-b","keepers":{"k":"a"},"length":2,"prefix":null,"separator":"-"}"#;
    let upgraded = random
        .upgrade_resource_state("random_pet", 0, RawState::Json(prior))
        .await
        .unwrap();
    assert_eq!(upgraded.diagnostics, []);
    // This plugin refuses what Terraform before 0.12 wrote; an empty object would be created anew without a word.
    let flat = BTreeMap::from([("id".to_owned(), "a-b".to_owned())]);
    let refused = random.upgrade_resource_state("random_pet", 0, RawState::Flat(&flat));
    let refused = refused.await.unwrap().diagnostics;
    assert_eq!(
        refused[0].summary,
        "Unable to Read Previously Saved State for UpgradeResourceState"
    );
    let prior = upgraded.upgraded_state;
    assert_eq!(prior.get("id").unwrap().as_str(), Some("a-b"));

    let unchanged = plan(&random, "random_pet", &schema, Some(&prior), prior.clone()).await;
    assert!(unchanged.planned_state.raw_equals(&prior));

    let mut proposed = BTreeMap::from(prior.as_map().unwrap());
    proposed.insert("keepers".into(), keepers("b"));
    let proposed = Value::object(proposed);
    let replace = plan(&random, "random_pet", &schema, Some(&prior), proposed).await;
    assert_eq!(replace.requires_replace, [Path::new().attr("keepers")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_validation_names_the_attribute() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let providers = trusted(&root);
    let random = root.provider(&providers, "hashicorp/random");
    let schema = random.schema().await.unwrap().resources["random_password"].clone();
    let invalid = block_with(&schema, &[("length", Value::int(0))]);
    let found = random
        .validate_resource_config("random_password", &invalid)
        .await
        .unwrap();
    let attributes: Vec<_> = found.iter().map(|d| (d.is_error(), d.at.clone())).collect();
    assert!(
        attributes.contains(&(true, Some(Path::new().attr("length")))),
        "{found:?}"
    );

    let unknown = random
        .validate_resource_config("random_nothing", &invalid)
        .await;
    assert!(
        matches!(unknown, Err(ProviderError::UnknownType { .. })),
        "{unknown:?}"
    );
    let wrong = Value::object([("length", Value::int(1))]);
    let refused = random
        .validate_resource_config("random_password", &wrong)
        .await;
    assert!(
        matches!(refused, Err(ProviderError::Request { .. })),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_requests_are_sent_once() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let providers = trusted(&root);
    let random = root.provider(&providers, "hashicorp/random");
    let schema = random.schema().await.unwrap().resources["random_id"].clone();
    for length in [4, 5, 4, 5, 4] {
        let config = block_with(&schema, &[("byte_length", Value::int(length))]);
        random
            .validate_resource_config("random_id", &config)
            .await
            .unwrap();
        let planned = plan(&random, "random_id", &schema, None, config).await;
        assert_eq!(
            planned.planned_state.get("byte_length").unwrap().as_i64(),
            Some(length)
        );
    }
    let stats = providers.stats();
    assert_eq!(stats.calls[&Rpc::PlanResourceChange], 2);
    assert_eq!(stats.calls[&Rpc::ValidateResourceConfig], 2);
    assert_eq!(stats.cache_hits, 6);
    assert!(stats.bytes_sent > 0 && stats.bytes_received > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_and_legacy_providers_answer() {
    let Some(root) = Root::new(&["hashicorp/null", "planlens/lab5"]) else {
        return;
    };
    let providers = trusted(&root);
    let null = root.provider(&providers, "hashicorp/null");
    let schema = null.schema().await.unwrap().resources["null_resource"].clone();
    let planned = plan(
        &null,
        "null_resource",
        &schema,
        None,
        block_with(&schema, &[]),
    )
    .await;
    assert!(planned.legacy_type_system);
    assert!(!planned.planned_state.get("id").unwrap().is_known());

    let lab5 = root.provider(&providers, "planlens/lab5");
    let schema = lab5.schema().await.unwrap().resources["lab5_instance"].clone();
    let config = block_with(&schema, &[("name", Value::string("a"))]);
    let planned = plan(&lab5, "lab5_instance", &schema, None, config).await;
    assert!(planned.legacy_type_system);
    // Listed although nothing is there to be replaced.
    assert!(planned.requires_replace.contains(&Path::new().attr("name")));
    assert!(!planned.planned_private.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_configuration_is_sent_once_and_a_refused_one_leaves_a_fresh_process() {
    let Some(root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let config =
        |endpoint: &str| block_with(&schema.provider, &[("endpoint", Value::string(endpoint))]);
    let refused = lab6.configure(&config("invalid")).await.unwrap();
    assert_eq!(refused[0].at, Some(Path::new().attr("endpoint")));
    let note = &schema.resources["lab6_note"];
    let text = block_with(note, &[("text", Value::string("x"))]);
    plan(&lab6, "lab6_note", note, None, text.clone()).await;
    assert_eq!(providers.stats().processes_started, 2);
    for _ in 0..3 {
        assert_eq!(lab6.configure(&config("here")).await.unwrap(), []);
        plan(&lab6, "lab6_note", note, None, text.clone()).await;
    }
    assert_eq!(providers.stats().processes_started, 2);
    assert_eq!(providers.stats().calls[&Rpc::ConfigureProvider], 2);
    assert_eq!(lab6.configure(&config("there")).await.unwrap(), []);
    assert_eq!(providers.stats().processes_started, 3);
    plan(&lab6, "lab6_note", note, None, text).await;
    // The same request under another configuration is another one.
    assert_eq!(providers.stats().calls[&Rpc::PlanResourceChange], 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_provider_is_attached_to_and_left_running() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let mut running = root.start_by_hand("planlens/lab6");
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let note = &schema.resources["lab6_note"];
    let config = block_with(note, &[("text", Value::string("x"))]);
    plan(&lab6, "lab6_note", note, None, config).await;
    providers.shutdown().await;
    assert!(running.try_wait().unwrap().is_none());
    running.kill().unwrap();
    running.wait().unwrap();
}

/// As they listen on Windows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_provider_is_attached_to_on_a_port_of_this_machine() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let mut running = root.start_by_hand_on("planlens/lab6", |socket| ("tcp", port_of(socket)));
    let providers = trusted(&root);
    root.provider(&providers, "planlens/lab6")
        .schema()
        .await
        .unwrap();
    providers.shutdown().await;
    running.kill().unwrap();
    running.wait().unwrap();
    for (network, address, expected) in [
        (
            "tcp",
            "192.0.2.1:80",
            "is not an address and port of this machine",
        ),
        ("udp", "127.0.0.1:1", "neither on a Unix socket nor on TCP"),
    ] {
        let mut running = root.start_by_hand_on("planlens/lab6", |_| (network, address.to_owned()));
        for file in root.cache_files() {
            fs::remove_file(file).unwrap();
        }
        let providers = trusted(&root);
        let refused = root.provider(&providers, "planlens/lab6").schema().await;
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        running.kill().unwrap();
        running.wait().unwrap();
    }
}

/// Passes on what comes to a port to a socket, and back.
fn port_of(socket: &str) -> String {
    use std::net::{Shutdown, TcpListener};
    use std::os::unix::net::UnixStream;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let socket = socket.to_owned();
    std::thread::spawn(move || {
        for mut ours in listener.incoming().map_while(Result::ok) {
            let Ok(mut theirs) = UnixStream::connect(&socket) else {
                return;
            };
            let (mut from, mut to) = (ours.try_clone().unwrap(), theirs.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut theirs, &mut ours);
                let _ = ours.shutdown(Shutdown::Both);
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_starts_as_soon_as_its_very_package_is_approved() {
    let Some(root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let approve = |packages: BTreeSet<Package>| {
        let patterns = Vec::new();
        Approved::These(Arc::new(Approvals { patterns, packages }))
    };
    let providers = root.providers(approve(BTreeSet::new()));
    let lab6 = root.provider(&providers, "planlens/lab6");
    let refused = lab6.schema().await;
    assert!(matches!(refused, Err(ProviderError::NotApproved { .. })));
    let packages = providers.refused();
    let lock = fs::read_to_string(root.dir().join(".terraform.lock.hcl")).unwrap();
    assert!(packages.iter().all(|it| lock.contains(&it.hash)) && packages.len() == 1);
    let other = |package: &Package| Package {
        hash: "h1:other".to_owned(),
        ..package.clone()
    };
    providers.approve(approve(packages.iter().map(other).collect()));
    lab6.schema().await.unwrap_err();
    assert_eq!(providers.stats().processes_started, 0);
    providers.approve(approve(packages));
    lab6.schema().await.unwrap();
    assert!(providers.refused().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_provider_of_the_user_needs_no_approval() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let mut running = root.start_by_hand("planlens/lab6");
    for (approved, is_attached) in [
        (Approved::These(Arc::default()), true),
        (Approved::Nothing, false),
    ] {
        let providers = root.providers(approved);
        for file in root.cache_files() {
            fs::remove_file(file).unwrap();
        }
        let lab6 = root.provider(&providers, "planlens/lab6");
        assert_eq!(lab6.schema().await.is_ok(), is_attached);
    }
    running.kill().unwrap();
    running.wait().unwrap();
}
