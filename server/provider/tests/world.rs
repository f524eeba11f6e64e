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
    assert_eq!(refused[0].attribute, Some(Path::new().attr("length")));
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
