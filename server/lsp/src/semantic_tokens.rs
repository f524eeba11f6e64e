//! `textDocument/semanticTokens/full`, `full/delta` and `range`

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use ide::{Parsed, SemanticToken, TextSegment, TokenKind};
use serde::Serialize;
use serde_json::{Value, json};
use text::{FileId, SegmentId};
use tower_lsp_server::ls_types::{
    Position, Range, SemanticTokenModifier, SemanticTokenType, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions,
};

use crate::capabilities::ClientCapabilities;
use crate::context::RequestContext;
use crate::convert::Convert;
use crate::params::{InDocument, InRange, SinceTokens};

/// The tokens that the editors were sent last, so that they get only the changes, and so that unchanged ones are not looked at
/// again. Requests of several documents are answered at the same time.
#[derive(Default)]
pub(crate) struct SentTokens {
    count: AtomicU64,
    by_file: DashMap<FileId, Arc<Sent>>,
}

#[derive(Default)]
struct Sent {
    id: String,
    data: Vec<u32>,
    segments: HashMap<SegmentId, Arc<Encoded>>,
}

/// The tokens of a segment as they are sent: five numbers each, its place relative to the one before; that of the first
/// is relative to the segment's start.
struct Encoded {
    data: Vec<u32>,
    /// Where the last token begins, and where the segment ends.
    last: Position,
    end: Position,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tokens {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_id: Option<String>,
    data: Vec<u32>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum TokensOrEdits {
    Tokens(Tokens),
    #[serde(rename_all = "camelCase")]
    Edits {
        result_id: String,
        edits: Vec<Value>,
    },
}

pub(crate) fn options() -> SemanticTokensOptions {
    SemanticTokensOptions {
        legend: SemanticTokensLegend {
            token_types: TokenKind::ALL.map(token_type).to_vec(),
            token_modifiers: vec![SemanticTokenModifier::DECLARATION],
        },
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    }
}

fn token_type(kind: TokenKind) -> SemanticTokenType {
    match kind {
        TokenKind::Keyword => SemanticTokenType::KEYWORD,
        TokenKind::Type => SemanticTokenType::TYPE,
        TokenKind::Class => SemanticTokenType::CLASS,
        TokenKind::Property => SemanticTokenType::PROPERTY,
        TokenKind::Parameter => SemanticTokenType::PARAMETER,
        TokenKind::Variable => SemanticTokenType::VARIABLE,
        TokenKind::Function => SemanticTokenType::FUNCTION,
        TokenKind::Namespace => SemanticTokenType::NAMESPACE,
        TokenKind::Number => SemanticTokenType::NUMBER,
        TokenKind::Constant => SemanticTokenType::ENUM_MEMBER,
    }
}

/// The tokens of a file that are sent as a whole. 5,000 resources have a tenth; an editor asks for those that it shows, too.
const MAX_TOKENS: usize = 200_000;

pub(crate) fn full(context: &RequestContext, params: InDocument) -> Option<Tokens> {
    let (file, _) = context.document(&params.text_document)?;
    let (_, sent) = context.sent_tokens.send(context, file)?;
    Some(Tokens::whole(&sent))
}

pub(crate) fn range(context: &RequestContext, params: InRange) -> Option<Tokens> {
    let (file, convert) = context.document(&params.text_document)?;
    let within = convert.text_range(params.range);
    let tokens = context.snapshot.semantic_tokens(&file, within);
    Some(Tokens {
        result_id: None,
        data: encode(&tokens, &convert),
    })
}

/// The changes, or everything for a client that was sent something else last.
pub(crate) fn delta(context: &RequestContext, params: SinceTokens) -> Option<TokensOrEdits> {
    let (file, _) = context.document(&params.text_document)?;
    let (before, sent) = context.sent_tokens.send(context, file)?;
    Some(match before.id == params.previous_result_id {
        true => TokensOrEdits::Edits {
            result_id: sent.id.clone(),
            edits: edit(&before.data, &sent.data),
        },
        false => TokensOrEdits::Tokens(Tokens::whole(&sent)),
    })
}

impl Tokens {
    fn whole(sent: &Sent) -> Tokens {
        Tokens {
            result_id: Some(sent.id.clone()),
            data: sent.data.clone(),
        }
    }
}

impl SentTokens {
    /// The tokens that were sent before, and those of now.
    fn send(&self, context: &RequestContext, file: FileId) -> Option<(Arc<Sent>, Arc<Sent>)> {
        let source = context.snapshot.file(&file)?;
        let known = self.by_file.get(&file).map(|known| known.clone());
        let before = known.unwrap_or_default();
        let mut sent = Sent {
            id: self.count.fetch_add(1, Ordering::Relaxed).to_string(),
            data: Vec::with_capacity(before.data.len() + 50),
            segments: HashMap::with_capacity(before.segments.len() + 1),
        };
        let (mut start, mut last) = (Position::default(), Position::default());
        let parsed = source.parsed();
        for segment in parsed.segments() {
            let encoded = match before.segments.get(&segment.id) {
                Some(encoded) => encoded.clone(),
                None => Arc::new(Encoded::new(parsed, &segment, &context.capabilities)),
            };
            if let [lines, characters, rest @ ..] = &*encoded.data
                && sent.data.len() < MAX_TOKENS * 5
            {
                let first = after(start, Position::new(*lines, *characters));
                let from = relative(last, first);
                sent.data.extend([from.line, from.character]);
                sent.data.extend(rest);
                last = after(start, encoded.last);
            }
            start = after(start, encoded.end);
            sent.segments.insert(segment.id, encoded);
        }
        let sent = Arc::new(sent);
        self.by_file.insert(file, sent.clone());
        Some((before, sent))
    }

    pub(crate) fn forget(&self, file: &FileId) {
        self.by_file.remove(file);
    }
}

impl Encoded {
    fn new(parsed: &dyn Parsed, segment: &TextSegment<'_>, client: &ClientCapabilities) -> Encoded {
        let convert = Convert::of_text(segment.text, client);
        let mut tokens = parsed.tokens(segment);
        tokens.truncate(MAX_TOKENS);
        let last = tokens.last().map(|token| token.range.start());
        Encoded {
            data: encode(&tokens, &convert),
            last: convert.position(last.unwrap_or_default()),
            end: convert.position(segment.range().len()),
        }
    }
}

/// The place at this distance after another.
fn after(start: Position, way: Position) -> Position {
    match way.line {
        0 => Position::new(start.line, start.character + way.character),
        lines => Position::new(start.line + lines, way.character),
    }
}

/// The distance from an earlier place to this one.
fn relative(before: Position, place: Position) -> Position {
    match place.line - before.line {
        0 => Position::new(0, place.character.saturating_sub(before.character)),
        lines => Position::new(lines, place.character),
    }
}

/// The one edit between the same beginning and the same end.
fn edit(before: &[u32], after: &[u32]) -> Vec<Value> {
    if before == after {
        return Vec::new();
    }
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let tails = before[start..]
        .iter()
        .rev()
        .zip(after[start..].iter().rev());
    let same = tails.take_while(|(a, b)| a == b).count();
    vec![json!({
        "start": start,
        "deleteCount": before.len() - same - start,
        "data": after[start..after.len() - same],
    })]
}

/// Five numbers for each token, its place relative to the one before.
fn encode(tokens: &[SemanticToken], convert: &Convert<'_>) -> Vec<u32> {
    let mut data = Vec::with_capacity(tokens.len() * 5);
    let mut last = Position::default();
    for token in tokens {
        let Range { start, end } = convert.range(token.range);
        let from = relative(last, start);
        data.extend([
            from.line,
            from.character,
            end.character.saturating_sub(start.character),
            token.kind as u32,
            u32::from(token.is_declaration),
        ]);
        last = start;
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_holds_only_differences() {
        let edits = |before: &[u32], after: &[u32]| Value::from(edit(before, after));
        assert_eq!(edits(&[1, 2, 3], &[1, 2, 3]), json!([]));
        let one = |start, delete, data: Value| json!([{ "start": start, "deleteCount": delete, "data": data }]);
        assert_eq!(edits(&[1, 2, 3], &[1, 9, 3]), one(1, 1, json!([9])));
        assert_eq!(edits(&[1, 1], &[1, 1, 1]), one(2, 0, json!([1])));
        assert_eq!(edits(&[1, 1, 1], &[1]), one(1, 2, json!([])));
    }
}
