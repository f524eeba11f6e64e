//! `textDocument/semanticTokens/full`, `full/delta` and `range`

use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use ide::{SemanticToken, TokenKind};
use serde_json::{Value, json};
use text::FileId;
use tower_lsp_server::ls_types::{
    Range, SemanticTokenModifier, SemanticTokenType, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions,
};

use crate::convert::Convert;
use crate::params::{InDocument, InRange, SinceTokens};
use crate::requests::Context;

/// What the editors were sent last, so that they can be told what changed. Requests of several documents are answered
/// at the same time.
#[derive(Default)]
pub(crate) struct SentTokens {
    count: AtomicU64,
    by_file: DashMap<FileId, (String, Vec<u32>)>,
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

pub(crate) fn full(context: &Context, params: InDocument) -> Option<Value> {
    let (file, convert) = context.document(&params.text_document)?;
    let data = encode(&context.snapshot.semantic_tokens(&file, None), &convert);
    let id = context.sent_tokens.remember(file, data.clone());
    Some(json!({ "resultId": id, "data": data }))
}

pub(crate) fn range(context: &Context, params: InRange) -> Option<Value> {
    let (file, convert) = context.document(&params.text_document)?;
    let within = convert.text_range(params.range);
    let tokens = context.snapshot.semantic_tokens(&file, Some(within));
    Some(json!({ "data": encode(&tokens, &convert) }))
}

/// What changed, or everything to a client that was sent something else last.
pub(crate) fn delta(context: &Context, params: SinceTokens) -> Option<Value> {
    let (file, convert) = context.document(&params.text_document)?;
    let data = encode(&context.snapshot.semantic_tokens(&file, None), &convert);
    let before = context
        .sent_tokens
        .by_file
        .get(&file)
        .map(|sent| sent.clone());
    let id = context.sent_tokens.remember(file, data.clone());
    match before {
        Some((before_id, before)) if before_id == params.previous_result_id => {
            Some(json!({ "resultId": id, "edits": edit(&before, &data) }))
        }
        Some(_) | None => Some(json!({ "resultId": id, "data": data })),
    }
}

impl SentTokens {
    fn remember(&self, file: FileId, data: Vec<u32>) -> String {
        let id = self.count.fetch_add(1, Ordering::Relaxed).to_string();
        self.by_file.insert(file, (id.clone(), data));
        id
    }

    pub(crate) fn forget(&self, file: &FileId) {
        self.by_file.remove(file);
    }
}

/// The one edit between what is the same at both ends.
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
    let (mut line, mut character) = (0, 0);
    for token in tokens {
        let Range { start, end } = convert.range(token.range);
        if start.line != line {
            character = 0;
        }
        data.extend([
            start.line - line,
            start.character - character,
            end.character.saturating_sub(start.character),
            token.kind as u32,
            u32::from(token.is_declaration),
        ]);
        (line, character) = (start.line, start.character);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_holds_what_differs_alone() {
        let edits = |before: &[u32], after: &[u32]| Value::from(edit(before, after));
        assert_eq!(edits(&[1, 2, 3], &[1, 2, 3]), json!([]));
        let one = |start, delete, data: Value| json!([{ "start": start, "deleteCount": delete, "data": data }]);
        assert_eq!(edits(&[1, 2, 3], &[1, 9, 3]), one(1, 1, json!([9])));
        assert_eq!(edits(&[1, 1], &[1, 1, 1]), one(2, 0, json!([1])));
        assert_eq!(edits(&[1, 1, 1], &[1]), one(1, 2, json!([])));
    }
}
