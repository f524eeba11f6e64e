//! A marked secret goes through every call of real providers; nothing that is written down holds it.

mod common;

use common::{Root, block_with, plan, trusted};
use cty::{Type, Value};
use provider::RawState;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_reach_neither_logs_nor_disk_nor_errors() {
    const MARKER: &str = "MARKER-8d1f-secret";
    let logs = common::record_logs();
    let Some(root) = Root::new(&["planlens/lab6", "planlens/lab5"]) else {
        return;
    };
    let providers = trusted(&root);
    for (name, type_name) in [
        ("planlens/lab6", "lab6_secret"),
        ("planlens/lab5", "lab5_instance"),
    ] {
        let lab = root.provider(&providers, name);
        let schema = lab.schema().await.unwrap();
        let config = block_with(&schema.provider, &[("token", Value::string(MARKER))]);
        lab.validate_provider_config(&config).await.unwrap();
        lab.configure(&config).await.unwrap();
        let resource = &schema.resources[type_name];
        let given = [
            ("password", Value::string(MARKER)),
            ("name", Value::string("n")),
        ];
        let config = block_with(resource, &given);
        lab.validate_resource_config(type_name, &config)
            .await
            .unwrap();
        plan(&lab, type_name, resource, None, config).await;
        let stored = format!("{{\"name\":\"n\",\"password\":\"{MARKER}\",\"gone\":[]}}");
        if let Err(error) = lab
            .upgrade_resource_state(type_name, 0, RawState::Json(&stored))
            .await
        {
            assert!(!format!("{error} {error:?}").contains(MARKER), "{error}");
        }
        let list = Value::list(Type::String, vec![Value::string(MARKER)]);
        let wrong = block_with(resource, &[("name", list)]);
        let error = lab
            .validate_resource_config(type_name, &wrong)
            .await
            .unwrap_err();
        assert!(!format!("{error} {error:?}").contains(MARKER), "{error}");
    }
    providers.shutdown().await;
    let files = root.all_files();
    assert!(
        files.iter().any(|(name, _)| name.contains("schemas")),
        "{files:?}"
    );
    for (name, content) in files {
        assert!(!content.contains(MARKER), "{name}");
    }
    let logs = logs.text();
    assert!(logs.contains("provider started"));
    assert!(!logs.contains(MARKER));
}
