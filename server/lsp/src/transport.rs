//! Lets through whole messages only.
//!
//! The transport behind this stops reading at the first message that it cannot decode. Nothing that a client
//! sends may end the server, so such messages stop here.

use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tower_lsp_server::jsonrpc::Id;

/// The notification that stands for the end of the input. It comes after all messages, on the same path.
pub(crate) const END_OF_INPUT: &str = "$/planlens/endOfInput";

/// A message longer than this is not one; the length would be allocated.
const MAX_MESSAGE: u64 = 1 << 30;

/// Headers longer than this are not headers.
const MAX_HEADER: u64 = 1 << 14;

/// Copies messages from `input` to `output` until one of them ends.
pub(crate) async fn copy_messages(
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> std::io::Result<()> {
    let mut input = BufReader::new(input);
    loop {
        match read_message(&mut input).await {
            Ok(Some(body)) if is_message(&body) => write_message(&mut output, &body).await?,
            Ok(Some(body)) => tracing::warn!(bytes = body.len(), "unreadable message"),
            Ok(None) => break,
            Err(error) => {
                tracing::warn!(%error, "the input failed");
                break;
            }
        }
    }
    let end = format!(r#"{{"jsonrpc":"2.0","method":"{END_OF_INPUT}"}}"#);
    write_message(&mut output, end.as_bytes()).await
}

async fn write_message(output: &mut (impl AsyncWrite + Unpin), body: &[u8]) -> std::io::Result<()> {
    let header = format!("Content-Length: {}\r\n\r\n", body.len());
    output.write_all(header.as_bytes()).await?;
    output.write_all(body).await
}

/// The body of the next message, or `None` at the end of the input.
async fn read_message(
    input: &mut (impl AsyncBufReadExt + Unpin),
) -> std::io::Result<Option<Vec<u8>>> {
    let mut length: Option<u64> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut *input)
            .take(MAX_HEADER)
            .read_until(b'\n', &mut line)
            .await?
            == 0
        {
            return Ok(None);
        }
        let header = String::from_utf8_lossy(&line);
        let header = header.trim();
        if header.is_empty() {
            if let Some(length) = length.take().filter(|length| *length <= MAX_MESSAGE) {
                let mut body = Vec::new();
                (&mut *input).take(length).read_to_end(&mut body).await?;
                return Ok(Some(body));
            }
        } else if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// Whether the transport can decode `body`.
fn is_message(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        jsonrpc: std::borrow::Cow<'a, str>,
        #[serde(default)]
        #[allow(dead_code)]
        method: String,
        #[serde(default)]
        #[allow(dead_code)]
        id: Id,
        #[serde(default)]
        #[allow(dead_code)]
        params: IgnoredAny,
    }
    serde_json::from_slice::<Envelope>(body).is_ok_and(|envelope| envelope.jsonrpc == "2.0")
}
