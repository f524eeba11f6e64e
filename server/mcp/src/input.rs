//! The lines that a client sends, without those that the protocol's library drops: the client would wait for ever.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// The tool that is called instead of the one in a line that is too long.
pub(crate) const TOO_LONG: &str = "(too long)";

/// The tool that is called instead of the one in a line that is not valid JSON, as with half of a surrogate pair.
pub(crate) const UNREADABLE: &str = "(unreadable)";

/// Bytes of a line, with its end.
pub(crate) const LONGEST: usize = 16 << 20;

/// Bytes at each end of a line in which its id is looked for.
const ENDS: usize = 1024;

/// Copies lines.
pub(crate) fn limited(input: impl AsyncRead + Unpin + Send + 'static) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(copy(input, ours));
    theirs
}

async fn copy(input: impl AsyncRead + Unpin, mut output: DuplexStream) -> std::io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    loop {
        let mut line = Vec::new();
        let mut part = (&mut input).take(LONGEST as u64);
        if part.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        if line.len() == LONGEST && line.last() != Some(&b'\n') {
            line.truncate(ENDS);
            line = refused(TOO_LONG, &line, &end_of_line(&mut input).await?);
        } else if serde_json::from_slice::<Value>(&line).is_err() {
            let (begin, end) = (line.len().min(ENDS), line.len().saturating_sub(ENDS));
            line = refused(UNREADABLE, &line[..begin], &line[end..]);
        }
        output.write_all(&line).await?;
    }
}

/// Reads on to the end of a line, and answers its last bytes.
async fn end_of_line(input: &mut BufReader<impl AsyncRead + Unpin>) -> std::io::Result<Vec<u8>> {
    let mut last = Vec::new();
    loop {
        let read = input.fill_buf().await?;
        let end = read.iter().position(|it| *it == b'\n');
        let count = end.map_or(read.len(), |it| it + 1);
        last.extend_from_slice(&read[..count]);
        last.drain(..last.len().saturating_sub(ENDS));
        input.consume(count);
        if end.is_some() || count == 0 {
            return Ok(last);
        }
    }
}

/// A call that is refused, with the id of the one that begins and ends so.
fn refused(tool: &str, begin: &[u8], end: &[u8]) -> Vec<u8> {
    let [begin, end] = [begin, end].map(String::from_utf8_lossy);
    // In a string there are no quotes without a backslash before them.
    let before_params = begin.split("\"params\"").next().unwrap_or_default();
    let id = [before_params, &end].into_iter().find_map(|text| {
        let (_, rest) = text.rsplit_once("\"id\":")?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        values.next()?.ok()
    });
    let call = id.map(|id| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } })
    });
    call.map_or(Vec::new(), |it| format!("{it}\n").into_bytes())
}
