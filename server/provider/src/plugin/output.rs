//! The output of plugins: read so that they never stall, and logged without their words, which may quote values.

use ::process::Lines;
use grpc::Channel;
use prost::Message;
use serde::Deserialize;

use crate::wire::goplugin::{Empty, StdioData};

/// Reads the stdout and stderr of the plugin's own code: go-plugin sends both through a stream.
pub(crate) async fn follow(provider: String, plugin: Channel) {
    let path = "/plugin.GRPCStdio/StreamStdio";
    let Ok(mut stream) = grpc::server_streaming(plugin, path, Empty {}).await else {
        return;
    };
    let mut lines = Lines::default();
    while let Ok(Some(message)) = stream.message().await {
        let Ok(StdioData { data, .. }) = StdioData::decode(message) else {
            continue;
        };
        lines.add(&data, |line| log(&provider, line));
    }
}

/// A line of hclog, Terraform's logging library.
#[derive(Deserialize)]
struct Record {
    #[serde(rename = "@level")]
    level: String,
    #[serde(rename = "@module", default)]
    module: String,
}

/// A line that a plugin wrote.
pub(crate) fn log(provider: &str, line: &[u8]) {
    let bytes = line.len();
    match serde_json::from_slice::<Record>(line) {
        Ok(Record { level, module }) => {
            tracing::debug!(provider, level, module, bytes, "provider output");
        }
        Err(_) if line.starts_with(b"panic:") || line.starts_with(b"fatal error:") => {
            tracing::debug!(provider, bytes, "provider output: panic");
        }
        Err(_) => tracing::trace!(provider, bytes, "provider output"),
    }
}
