//! Lets through whole messages only.
//!
//! The transport behind this stops reading at the first message that it cannot decode. Nothing that a client
//! sends may end the server, so such messages stop here.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tower_lsp_server::jsonrpc::Id;

use crate::event::{Event, Events};

/// The notification that stands for the end of the input. It comes after all messages, on the same path.
pub(crate) const END_OF_INPUT: &str = "$/planlens/endOfInput";

/// The request that stands for one that cannot be decoded.
pub(crate) const UNREADABLE: &str = "$/planlens/unreadable";

/// A message longer than this is not one; the length would be allocated.
const MAX_MESSAGE: u64 = 1 << 30;

/// Headers longer than this are not headers.
const MAX_HEADER: u64 = 1 << 14;

/// Arrays and objects in each other. The transport decodes up to 127, and no message of the protocol has twenty.
const MAX_NESTING: usize = 100;

/// Values in a message. Each takes up to 160 bytes once it is decoded; a list of 100,000 changed files has 300,000.
const MAX_VALUES: usize = 500_000;

/// Bytes of messages that are read before the transport takes them, so that the end of the input is seen.
const READ_AHEAD: usize = 64 << 20;

/// A transport that takes nothing for so long waits for a client that no longer reads.
const STUCK: Duration = Duration::from_secs(1);

/// So long a client that reads nothing is waited for when there is no room for its messages.
const LEFT: Duration = Duration::from_secs(60);

/// Counts the messages that the transport has decoded.
#[derive(Clone, Default)]
pub(crate) struct DecodedCount(Arc<AtomicU64>);

impl DecodedCount {
    pub(crate) fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Copies messages from `input` to `output`, and leaves that open when the input ends: the transport reads on until the server
/// ends. Sends the end of the input as an event by itself where `output` is stuck. Never returns: it is aborted.
pub(crate) async fn copy_messages(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    taken: DecodedCount,
    events: Events,
) {
    let (sender, read) = mpsc::unbounded_channel();
    let mut writing = JoinSet::new();
    writing.spawn(write_messages(read, output));
    let mut sent = 0;
    let mut send = |body: Vec<u8>, room: Option<OwnedSemaphorePermit>| {
        sent += 1;
        // The transport is gone when the server is about to end.
        let _ = sender.send((body, room));
    };
    read_messages(input, &mut send).await;
    let end = json!({ "jsonrpc": "2.0", "method": END_OF_INPUT });
    send(end.to_string().into_bytes(), None);
    loop {
        let before = taken.count();
        if before >= sent {
            break;
        }
        sleep(STUCK).await;
        if taken.count() == before {
            events.send(Event::Notification {
                method: END_OF_INPUT.to_owned(),
                params: Value::Null,
            });
            break;
        }
    }
    drop(events);
    std::future::pending().await
}

/// Sends the messages of `input`, each with the room that it takes, up to the end.
async fn read_messages(
    input: impl AsyncRead + Unpin,
    send: &mut impl FnMut(Vec<u8>, Option<OwnedSemaphorePermit>),
) {
    let mut input = BufReader::new(input);
    let room = Arc::new(Semaphore::new(READ_AHEAD));
    loop {
        let body = match read_message(&mut input).await {
            Ok(Some(body)) => body,
            Ok(None) => return,
            Err(error) => return tracing::warn!(%error, "the input failed"),
        };
        let length = body.len();
        let Some(body) = decodable(body) else {
            tracing::warn!(bytes = length, "unreadable message");
            continue;
        };
        let needed = body.len().min(READ_AHEAD) as u32;
        match timeout(LEFT, room.clone().acquire_many_owned(needed)).await {
            Ok(room) => send(body, room.ok()),
            Err(_) => return tracing::warn!("the client reads nothing"),
        }
    }
}

async fn write_messages(
    mut messages: mpsc::UnboundedReceiver<(Vec<u8>, Option<OwnedSemaphorePermit>)>,
    mut output: impl AsyncWrite + Unpin,
) {
    while let Some((body, _room)) = messages.recv().await {
        if write_message(&mut output, &body).await.is_err() {
            return;
        }
    }
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
                let mut body = Vec::with_capacity(length.min(READ_AHEAD as u64) as usize);
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

/// `body`, if the transport can decode it; in the place of a request that it cannot decode, one that will be refused.
fn decodable(body: Vec<u8>) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        jsonrpc: Cow<'a, str>,
        #[serde(default)]
        method: String,
        #[serde(default)]
        id: Id,
        #[serde(default)]
        #[allow(dead_code)]
        params: IgnoredAny,
    }
    let is_valid = |body: &[u8]| serde_json::from_slice::<Valid>(body).is_ok();
    let (body, is_decodable) = match is_valid(&body) {
        true => (body, true),
        false => {
            let mended = with_whole_characters(&body);
            let is_decodable = is_valid(&mended);
            (mended, is_decodable)
        }
    };
    let envelope: Envelope = serde_json::from_slice(&body).ok()?;
    if envelope.jsonrpc != "2.0" {
        return None;
    }
    if is_decodable {
        let shape = Shape::of(&body);
        if shape.depth <= MAX_NESTING && shape.values <= MAX_VALUES {
            return Some(body);
        }
    }
    let is_request = !envelope.method.is_empty() && envelope.id != Id::Null;
    let refused = json!({ "jsonrpc": "2.0", "method": UNREADABLE, "id": envelope.id });
    is_request.then(|| refused.to_string().into_bytes())
}

/// A JSON text whose strings and numbers can be decoded. Nothing of it is kept.
struct Valid;

impl<'de> Deserialize<'de> for Valid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Valid, D::Error> {
        deserializer.deserialize_any(Valid)
    }
}

impl<'de> Visitor<'de> for Valid {
    type Value = Valid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Valid, E> {
        Ok(Valid)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Valid, E> {
        Ok(Valid)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Valid, E> {
        Ok(Valid)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Valid, E> {
        Ok(Valid)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Valid, E> {
        Ok(Valid)
    }

    fn visit_str<E>(self, _: &str) -> Result<Valid, E> {
        Ok(Valid)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Valid, A::Error> {
        while items.next_element::<Valid>()?.is_some() {}
        Ok(Valid)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Valid, A::Error> {
        while entries.next_entry::<Valid, Valid>()?.is_some() {}
        Ok(Valid)
    }
}

/// The JSON text with U+FFFD for bytes that are not UTF-8, and for halves of a character: `\ud83d` without its other half. An
/// editor sends that where an edit splits an emoji; each half counts as one UTF-16 unit, as U+FFFD does.
fn with_whole_characters(json: &[u8]) -> Vec<u8> {
    /// `\uXXXX`
    const ESCAPE: usize = 6;
    let unit = |text: &[u8]| {
        let digits = text.get(..ESCAPE)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut text = String::from_utf8_lossy(json).into_owned().into_bytes();
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' {
            at += 1;
            continue;
        }
        let (first, second) = (unit(&text[at..]), text.get(at + ESCAPE..).and_then(unit));
        match (first, second) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 2 * ESCAPE,
            (Some(0xd800..=0xdfff), _) => {
                text[at..at + ESCAPE].copy_from_slice(b"\\ufffd");
                at += ESCAPE;
            }
            // An escaped backslash does not begin another escape.
            _ => at += 2,
        }
    }
    text
}

/// How much a JSON text holds once it is decoded.
struct Shape {
    /// Arrays and objects in each other.
    depth: usize,
    /// Values at most: each but the first follows a comma or an opening bracket.
    values: usize,
}

impl Shape {
    fn of(json: &[u8]) -> Shape {
        let (mut depth, mut deepest, mut values) = (0_usize, 0, 1);
        let mut is_string = false;
        let mut bytes = json.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' if is_string => drop(bytes.next()),
                b'"' => is_string = !is_string,
                b'[' | b'{' if !is_string => {
                    depth += 1;
                    deepest = deepest.max(depth);
                    values += 1;
                }
                b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
                b',' if !is_string => values += 1,
                _ => {}
            }
        }
        Shape {
            depth: deepest,
            values,
        }
    }
}
