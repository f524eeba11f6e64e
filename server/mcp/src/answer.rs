//! Answers of a limited size: a text to read and the same as data, page by page.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The default limit of an answer, in bytes of its encoding.
const BYTES: usize = 18_000;
const MOST_BYTES: usize = 400_000;

/// The minimum length of a text that is cut because it is too long for a page.
const CUT: usize = 2_000;

/// Which part of an answer is wanted.
#[derive(Deserialize, Default, Clone, Copy)]
pub(crate) struct Page {
    /// The number of the first entry.
    #[serde(default)]
    pub from: usize,
    #[serde(default)]
    pub max_bytes: Option<usize>,
}

/// An entry of a list.
pub(crate) struct ListEntry {
    pub text: String,
    pub data: Value,
}

/// The parts of an answer.
pub(crate) struct ToolAnswer {
    /// Before the entries.
    pub head: String,
    pub data: Map<String, Value>,
    /// The name of the entries, as data.
    pub name: &'static str,
    /// How many entries there are.
    pub count: usize,
}

impl Page {
    pub(crate) fn bytes(self) -> usize {
        self.max_bytes.unwrap_or(BYTES).clamp(CUT, MOST_BYTES)
    }
}

impl ToolAnswer {
    /// With the entries from the page's first one on, as many as fit: `make` makes some of them.
    pub(crate) fn of(
        self,
        page: Page,
        make: impl Fn(std::ops::Range<usize>) -> Vec<ListEntry>,
    ) -> CallToolResult {
        const AT_ONCE: usize = 20;
        let ToolAnswer {
            head,
            mut data,
            name,
            count,
        } = self;
        let room = page.bytes();
        let mut text = shown(&head);
        // The entries need room too.
        cut(&mut text, room / 2);
        // Some clients hand on the data alone.
        data.insert("summary".to_owned(), summary(&text));
        // The note that there is more.
        let mut size = sent(&Value::from(text.as_str())) + sent(&Value::Object(data.clone())) + 200;
        let (mut entries, mut next) = (Vec::new(), page.from);
        'all: while next < count {
            let end = count.min(next + AT_ONCE);
            for entry in make(next..end) {
                let mut line = shown(&entry.text);
                let data_size = sent(&entry.data) + 1;
                let is_first = entries.is_empty();
                if is_first {
                    cut(
                        &mut line,
                        room.saturating_sub(size + data_size).max(CUT / 4),
                    );
                }
                let entry_size = sent(&Value::from(line.as_str())) + data_size;
                if !is_first && size + entry_size > room {
                    break 'all;
                }
                size += entry_size;
                text += &line;
                entries.push(entry.data);
                next += 1;
            }
        }
        if next < count {
            text += &format!(
                "({} more: ask again with \"from\": {next}.)\n",
                count - next
            );
            data.insert("next".to_owned(), next.into());
        }
        if !name.is_empty() {
            data.insert(name.to_owned(), entries.into());
        }
        with_text(text, Value::Object(data))
    }
}

/// The beginning of a text, for data.
pub(crate) fn summary(text: &str) -> Value {
    const CHARACTERS: usize = 1_500;
    let summary: String = text.trim_end().chars().take(CHARACTERS).collect();
    summary.into()
}

/// A message as it is listed: a provider's or one with thousands of names is cut.
pub(crate) fn message(text: &str) -> String {
    let mut text = shown(text);
    cut(&mut text, CUT);
    text
}

/// An answer that is one text, cut where it is too long.
pub(crate) fn whole(mut text: String, data: Value, page: Page) -> CallToolResult {
    text = shown(&text);
    cut(&mut text, page.bytes().saturating_sub(sent(&data)));
    with_text(text, data)
}

fn with_text(text: String, data: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(data);
    result
}

/// Why a call is refused, for an agent to read.
pub(crate) fn refused(error: &anyhow::Error) -> CallToolResult {
    let text = shown(&format!("{error:#}"));
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Text in which nothing hides.
pub(crate) fn shown(text: &str) -> String {
    text::visible(text).into_owned()
}

fn cut(text: &mut String, room: usize) {
    if sent(&Value::from(text.as_str())) <= room {
        return;
    }
    let mut end = room.min(text.len());
    while !text.is_char_boundary(end) || sent(&Value::from(&text[..end])) > room {
        end -= 1 + end / 64;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
    }
    let left = text.len() - end;
    text.truncate(end);
    *text += &format!("\n… ({left} more bytes: ask with a larger \"max_bytes\")\n");
}

/// The length of its encoding.
fn sent(value: &Value) -> usize {
    json!(value).to_string().len()
}
