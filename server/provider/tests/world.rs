//! Calls that read the world, and those of newer protocols, on real providers: each has its answer, and an answer that
//! depends on the world is asked for each time.

mod common;

use std::fs;

use bytes::Bytes;
use common::{Root, block_with, trusted};
use cty::{Path, Type, Value};
use provider::{
    ImportRequest, ImportTarget, MoveRequest, ProviderError, ReadDataSourceRequest, ReadRequest,
    Rpc,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_data_source_is_read_each_time() {
    let Some(root) = Root::new(&["hashicorp/local"]) else {
        return;
    };
    let providers = trusted(&root);
    let local = root.provider(&providers, "hashicorp/local");
    let schema = local.schema().await.unwrap().data_sources["local_file"].clone();
    let config = block_with(&schema, &[("filename", Value::string("a.txt"))]);
    let found = local
        .validate_data_source_config("local_file", &config)
        .await
        .unwrap();
    assert_eq!(found, []);
    let read = || {
        local.read_data_source(ReadDataSourceRequest {
            type_name: "local_file".into(),
            config: config.clone(),
            provider_meta: None,
        })
    };
    let missing = read().await.unwrap();
    assert!(missing.diagnostics[0].is_error());
    for text in ["one", "two"] {
        fs::write(root.dir().join("a.txt"), text).unwrap();
        let state = read().await.unwrap().state;
        assert_eq!(state.get("content").unwrap().as_str(), Some(text));
    }
    assert_eq!(providers.stats().calls[&Rpc::ReadDataSource], 3);
    assert_eq!(providers.stats().cache_hits, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resource_is_read_each_time_and_may_be_gone() {
    let Some(root) = Root::new(&["hashicorp/local"]) else {
        return;
    };
    let providers = trusted(&root);
    let local = root.provider(&providers, "hashicorp/local");
    let schema = local.schema().await.unwrap().resources["local_file"].clone();
    // The id is the SHA-1 digest of the content.
    let id = Value::string("da39a3ee5e6b4b0d3255bfef95601890afd80709");
    let text = |text: &str| Value::string(text);
    let given = [
        ("filename", text("a.txt")),
        ("content", text("")),
        ("id", id),
    ];
    let state = block_with(&schema, &given);
    let read = || {
        local.read_resource(ReadRequest {
            type_name: "local_file".into(),
            current_state: state.clone(),
            private: Bytes::new(),
            provider_meta: None,
            current_identity: None,
        })
    };
    fs::write(root.dir().join("a.txt"), "").unwrap();
    assert_eq!(read().await.unwrap().new_state, state);
    fs::remove_file(root.dir().join("a.txt")).unwrap();
    assert!(read().await.unwrap().new_state.is_null());
    assert_eq!(providers.stats().calls[&Rpc::ReadResource], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_gives_the_object_of_its_id() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let providers = trusted(&root);
    let random = root.provider(&providers, "hashicorp/random");
    let import = |id: &str| {
        random.import_resource_state(ImportRequest {
            type_name: "random_id".into(),
            target: ImportTarget::Id(id.to_owned()),
        })
    };
    let found = import("p-9h").await.unwrap();
    assert_eq!(found.diagnostics, []);
    let [object] = &found.imported[..] else {
        panic!("{found:?}")
    };
    assert_eq!(object.type_name, "random_id");
    assert_eq!(object.state.get("hex").unwrap().as_str(), Some("a7ef61"));
    assert!(object.identity.is_none());
    let refused = import("/").await.unwrap();
    assert!(refused.diagnostics[0].is_error());
    assert!(refused.imported.iter().all(|object| object.state.is_null()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_from_a_type_that_is_not_taken_is_refused() {
    let Some(root) = Root::new(&["hashicorp/random", "hashicorp/null"]) else {
        return;
    };
    let providers = trusted(&root);
    let request = |target: &str| MoveRequest {
        source_provider: "hashicorp/null".parse().unwrap(),
        source_type_name: "null_resource".into(),
        source_schema_version: 0,
        source_state: Bytes::from_static(br#"{"id":"1","triggers":null}"#),
        source_private: Bytes::new(),
        source_identity: Bytes::new(),
        source_identity_schema_version: 0,
        target_type_name: target.into(),
    };
    let random = root.provider(&providers, "hashicorp/random");
    let refused = random
        .move_resource_state(request("random_id"))
        .await
        .unwrap();
    assert!(refused.diagnostics[0].is_error());
    assert!(refused.target_state.is_null());
    // Its SDK is older than the call.
    let null = root.provider(&providers, "hashicorp/null");
    let refused = null.move_resource_state(request("null_resource")).await;
    assert!(
        matches!(refused, Err(ProviderError::Unsupported { .. })),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ephemeral_resource_is_opened_anew_each_time() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let providers = trusted(&root);
    let random = root.provider(&providers, "hashicorp/random");
    let schema = random.schema().await.unwrap().ephemeral["random_password"].clone();
    let config = |length: i64| block_with(&schema, &[("length", Value::int(length))]);
    let refused = random
        .validate_ephemeral_config("random_password", &config(0))
        .await
        .unwrap();
    assert_eq!(refused[0].at, Some(Path::new().attr("length")));
    let mut results = Vec::new();
    for _ in 0..2 {
        let opened = random
            .open_ephemeral("random_password", &config(9))
            .await
            .unwrap();
        assert_eq!(opened.diagnostics, []);
        results.push(opened.result.get("result").unwrap().clone());
        let closed = random.close_ephemeral("random_password", opened.private);
        assert_eq!(closed.await.unwrap(), []);
    }
    assert_ne!(results[0], results[1]);
    let none = random.open_ephemeral("random_nothing", &config(9)).await;
    assert!(matches!(none, Err(ProviderError::UnknownType { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_is_called_once_for_equal_arguments() {
    let Some(root) = Root::new(&["hashicorp/local", "hashicorp/time"]) else {
        return;
    };
    let providers = trusted(&root);
    let time = root.provider(&providers, "hashicorp/time");
    let duration = [Value::string("1h30m")];
    for _ in 0..3 {
        let parsed = time.call_function("duration_parse", &duration).await;
        let parsed = parsed.unwrap().unwrap();
        assert_eq!(parsed.get("minutes"), Some(&Value::int(90)));
    }
    assert_eq!(providers.stats().calls[&Rpc::CallFunction], 1);
    let refused = time
        .call_function("duration_parse", &[Value::string("soon")])
        .await;
    assert_eq!(refused.unwrap().unwrap_err().argument, Some(0));
    let local = root.provider(&providers, "hashicorp/local");
    let exists = local
        .call_function("direxists", &[Value::string(".")])
        .await;
    assert_eq!(exists.unwrap(), Ok(Value::bool(true)));
    let missing = local
        .call_function("nothing", &[Value::null(Type::String)])
        .await;
    assert!(matches!(missing, Err(ProviderError::UnknownType { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_with_an_identity_is_imported_by_it_and_keeps_it() {
    let Some(root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let identities = &schema.identities["lab6_volume"];
    assert!(identities.block.attributes["name"].required);
    assert!(identities.block.attributes["zone"].optional);
    let text = |text: &str| Value::string(text);
    let identity = |zone: Value| Value::object([("name", text("one")), ("zone", zone)]);
    let by = |target: ImportTarget| {
        lab6.import_resource_state(ImportRequest {
            type_name: "lab6_volume".into(),
            target,
        })
    };
    let none = Value::null(Type::String);
    let found = by(ImportTarget::Identity(identity(none))).await.unwrap();
    assert_eq!(found.diagnostics, []);
    let object = &found.imported[0];
    assert_eq!(object.state.get("name"), Some(&text("one")));
    assert_eq!(object.identity, Some(identity(text("a"))));

    let read = lab6.read_resource(ReadRequest {
        type_name: "lab6_volume".into(),
        current_state: object.state.clone(),
        private: object.private.clone(),
        provider_meta: Some(Value::object([("module_name", text("here"))])),
        current_identity: object.identity.clone(),
    });
    let read = read.await.unwrap();
    assert_eq!(read.new_state, object.state);
    assert_eq!(read.new_identity, object.identity);

    let refused = by(ImportTarget::Id("nothing".to_owned())).await.unwrap();
    assert_eq!(refused.diagnostics[0].summary, "Cannot import");
    let raw = br#"{"name":"one"}"#;
    let upgraded = lab6.upgrade_resource_identity("lab6_volume", 0, raw).await;
    assert_eq!(upgraded.unwrap().upgraded_identity, identity(text("a")));
    // What says what a type is, is kept on disk whole.
    let cached = root.providers(provider::Approved::Nothing);
    let cached = root.provider(&cached, "planlens/lab6").schema().await;
    assert_eq!(cached.unwrap(), schema);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_of_another_type_is_moved() {
    let Some(root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let moved = lab6.move_resource_state(MoveRequest {
        source_provider: "planlens/lab6".parse().unwrap(),
        source_type_name: "lab6_disk".into(),
        source_schema_version: 0,
        source_state: Bytes::from_static(br#"{"id":"1","label":"one","gigabytes":5}"#),
        source_private: Bytes::new(),
        source_identity: Bytes::new(),
        source_identity_schema_version: 0,
        target_type_name: "lab6_volume".into(),
    });
    let moved = moved.await.unwrap();
    assert_eq!(moved.diagnostics, []);
    let [id, name] = ["1", "one"].map(Value::string);
    let expected = Value::object([("id", id), ("name", name), ("size", Value::int(5))]);
    assert_eq!(moved.target_state, expected);
    assert!(moved.target_identity.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_has_a_time_of_renewal() {
    let Some(root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap().ephemeral["lab6_session"].clone();
    let config = |name: &str| block_with(&schema, &[("name", Value::string(name))]);
    let opened = lab6
        .open_ephemeral("lab6_session", &config("me"))
        .await
        .unwrap();
    assert!(opened.renew_at.is_some() && !opened.private.is_empty());
    let renewed = lab6.renew_ephemeral("lab6_session", opened.private.clone());
    let renewed = renewed.await.unwrap();
    assert!(renewed.renew_at >= opened.renew_at);
    let closed = lab6.close_ephemeral("lab6_session", renewed.private).await;
    assert_eq!(closed.unwrap(), []);
    let refused = lab6.open_ephemeral("lab6_session", &config("nobody")).await;
    let refused = refused.unwrap();
    assert_eq!(refused.diagnostics[0].at, Some(Path::new().attr("name")));
}

/// An ephemeral resource, a read and an import are never sent twice, however the process ends under them.
#[test]
fn calls_with_side_effects_are_never_cached_or_repeated() {
    let touching: Vec<&str> = Rpc::ALL
        .into_iter()
        .filter(|rpc| rpc.touches_world())
        .map(Rpc::name)
        .collect();
    let expected = [
        "ConfigureProvider",
        "ReadResource",
        "ReadDataSource",
        "ImportResourceState",
        "OpenEphemeralResource",
        "RenewEphemeralResource",
        "CloseEphemeralResource",
    ];
    assert_eq!(touching, expected);
}
