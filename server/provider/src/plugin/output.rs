//! What plugins write: read so that they never stall, and logged without their words, which may quote values.

use bytes::Bytes;
use prost::Message;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt};
use tonic::transport::Channel;

use super::channel;
use crate::wire::goplugin::{Empty, StdioData};

/// How much of one line is looked at. Nothing bounds what a plugin writes.
const LINE_LIMIT: usize = 64 << 10;

/// Reads a plugin's stderr to its end.
pub(crate) async fn drain(provider: String, mut stderr: impl AsyncRead + Unpin) {
    let mut lines = Lines::default();
    let mut buffer = vec![0; 8 << 10];
    while let Ok(read) = stderr.read(&mut buffer).await {
        if read == 0 {
            break;
        }
        lines.add(&buffer[..read], |line| log(&provider, line));
    }
}

/// Reads what the plugin's own code writes to stdout and stderr: go-plugin sends both through a stream.
pub(crate) async fn follow(provider: String, plugin: Channel) {
    let path = "/plugin.GRPCStdio/StreamStdio";
    let Ok(mut stream) = channel::server_streaming(plugin, path, Empty {}).await else {
        return;
    };
    let mut lines = Lines::default();
    while let Ok(Some(message)) = stream.message().await {
        let Ok(StdioData { data, .. }) = StdioData::decode(message as Bytes) else {
            continue;
        };
        lines.add(&data, |line| log(&provider, line));
    }
}

/// Cuts bytes into lines. What is over the limit of a line is dropped.
#[derive(Default)]
struct Lines {
    line: Vec<u8>,
}

impl Lines {
    fn add(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_LIMIT.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                each(self.line.trim_ascii_end());
                self.line.clear();
            }
        }
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

fn log(provider: &str, line: &[u8]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_across_reads_and_bounded() {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        lines.add(b"a\nb", |line| seen.push(line.to_vec()));
        lines.add(b"c\n\n", |line| seen.push(line.to_vec()));
        lines.add(&vec![b'x'; 3 * LINE_LIMIT], |line| seen.push(line.to_vec()));
        lines.add(b"\n", |line| seen.push(line.to_vec()));
        let lengths: Vec<usize> = seen.iter().map(Vec::len).collect();
        assert_eq!(lengths, [1, 2, 0, LINE_LIMIT]);
    }
}
