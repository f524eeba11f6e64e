//! The machine that reads tokens up to the cursor.

use smol_str::SmolStr;
use syntax::{SyntaxKind, SyntaxToken};
use text::{TextRange, TextSize};

use super::frame::{ForPart, Frame, FrameKind, ItemState};
use super::{Bound, CallAtCursor, Cursor, CursorPlace, Header, ValuePlace, Within};

/// The open frames at the last token that was read, the outermost first.
pub(super) struct Scan {
    frames: Vec<Frame>,
    is_line_start: bool,
}

impl Scan {
    /// At the beginning of a file.
    pub(super) fn new() -> Scan {
        Scan {
            frames: vec![Frame::new(FrameKind::Body {
                header: Header::default(),
                item: ItemState::Start,
            })],
            is_line_start: true,
        }
    }

    fn top(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .expect("the file's body is never popped")
    }

    fn push(&mut self, kind: FrameKind) {
        self.frames.push(Frame::new(kind));
    }

    fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    /// Closes the open frames, up to the innermost one that `is_wanted`, and that one too.
    fn close(&mut self, is_wanted: impl Fn(&FrameKind) -> bool) {
        let open = self.frames.iter().rposition(|frame| is_wanted(&frame.kind));
        if let Some(open) = open.filter(|open| *open > 0) {
            self.frames.truncate(open);
        }
    }

    pub(super) fn token<'a>(
        &mut self,
        token: &SyntaxToken,
        following: impl Iterator<Item = &'a SyntaxToken>,
    ) {
        use SyntaxKind as K;
        let kind = token.kind();
        if kind == K::Newline {
            return self.newline();
        }
        if matches!(
            kind,
            K::Space | K::LineComment | K::BlockComment | K::ByteOrderMark
        ) {
            self.is_line_start |= token.text().contains('\n');
            return;
        }
        if std::mem::take(&mut self.is_line_start) && self.top().is_bracketed() {
            let mut following = following
                .map(SyntaxToken::kind)
                .filter(|kind| *kind != K::Space);
            // Nothing inside of brackets looks like this: they were never closed.
            if kind == K::Ident && following.next() == Some(K::Equal) {
                self.close_brackets();
            }
        }
        match kind {
            K::CloseBrace => {
                self.close(|kind| {
                    matches!(kind, FrameKind::Body { .. } | FrameKind::Object { .. })
                });
            }
            K::CloseBracket => {
                self.close(|kind| matches!(kind, FrameKind::List | FrameKind::Index));
            }
            K::CloseParen => {
                self.close(|kind| matches!(kind, FrameKind::Call(_) | FrameKind::Parens));
            }
            K::TemplateEnd => self.close(|kind| matches!(kind, FrameKind::Template)),
            K::CloseQuote => self.close_quote(),
            K::CloseHeredoc => self.close(|kind| matches!(kind, FrameKind::Heredoc)),
            K::QuotedLiteral => {
                if let FrameKind::Quoted { text, .. } = &mut self.top().kind {
                    text.push_str(token.text());
                }
            }
            K::TemplateLiteral => {}
            K::TemplateInterpolation | K::TemplateControl => self.push(FrameKind::Template),
            _ => self.structure(token),
        }
    }

    fn structure(&mut self, token: &SyntaxToken) {
        if !self.item(token) && !self.element(token) && !self.r#for(token) {
            self.expression(token);
        }
    }

    /// The parts of an item of a body, up to the value of an attribute. Answers whether the token was one.
    fn item(&mut self, token: &SyntaxToken) -> bool {
        use SyntaxKind as K;
        let name = || SmolStr::from(token.text());
        let top = self.top();
        let FrameKind::Body { item, .. } = &mut top.kind else {
            return false;
        };
        match (&mut *item, token.kind()) {
            (ItemState::Start, K::Ident) => {
                *item = ItemState::Header(Header {
                    kind: name(),
                    labels: Vec::new(),
                });
            }
            (ItemState::Start, _) => {}
            (ItemState::Header(header), K::Ident) => header.labels.push(name()),
            (ItemState::Header(header), K::Equal) => {
                *item = ItemState::Value(std::mem::take(&mut header.kind));
                top.restart();
            }
            (ItemState::Header(header), K::OpenBrace) => {
                let header = std::mem::take(header);
                *item = ItemState::Start;
                self.push(FrameKind::Body {
                    header,
                    item: ItemState::Start,
                });
            }
            (ItemState::Header(_), K::OpenQuote) => self.push(FrameKind::Quoted {
                text: String::new(),
                start: token.text_range().start(),
            }),
            (ItemState::Header(_), _) => {}
            (ItemState::Value(_), _) => return false,
        }
        true
    }

    /// Separators of an object's elements, and of keys and values. Answers whether the token is one.
    fn element(&mut self, token: &SyntaxToken) -> bool {
        use SyntaxKind as K;
        let top = self.top();
        let FrameKind::Object {
            keys,
            key,
            is_value,
        } = &mut top.kind
        else {
            return false;
        };
        match token.kind() {
            _ if top.r#for.is_some() => false,
            K::Equal | K::Colon if !*is_value => {
                *is_value = true;
                keys.extend(key.clone());
                top.restart();
                true
            }
            K::Comma => {
                *is_value = false;
                *key = None;
                top.restart();
                true
            }
            K::Ident if !*is_value && token.text() != "for" => {
                *key = Some(SmolStr::from(token.text()));
                false
            }
            _ => false,
        }
    }

    fn expression(&mut self, token: &SyntaxToken) {
        use SyntaxKind as K;
        let start = token.text_range().start();
        let top = self.top();
        match token.kind() {
            K::Ident | K::Number => top.begins(token),
            K::DoubleColon => {}
            K::Dot => top.is_after_dot = top.tail.is_some(),
            K::Star if top.is_after_dot => top.is_after_dot = false,
            K::Star if matches!(top.kind, FrameKind::Index) && top.tail.is_none() => {}
            K::OpenParen => {
                let is_call = top.tail.is_some() && !top.is_after_dot;
                let called = top.tail.filter(|_| is_call);
                if !is_call {
                    top.begins(token);
                }
                match called.and_then(|from| call_name(token, from)) {
                    Some(function) => {
                        self.push(FrameKind::Call(CallAtCursor { function, index: 0 }))
                    }
                    None => self.push(FrameKind::Parens),
                }
            }
            K::OpenBracket => {
                let is_index = top.tail.is_some();
                if !is_index {
                    top.begins(token);
                }
                self.push(if is_index {
                    FrameKind::Index
                } else {
                    FrameKind::List
                });
            }
            K::OpenBrace => {
                top.begins(token);
                self.push(FrameKind::Object {
                    keys: Vec::new(),
                    key: None,
                    is_value: false,
                });
            }
            K::OpenQuote => {
                top.begins(token);
                self.push(FrameKind::Quoted {
                    text: String::new(),
                    start,
                });
            }
            K::OpenHeredoc => {
                top.begins(token);
                self.push(FrameKind::Heredoc);
            }
            K::Comma => {
                if let FrameKind::Call(call) = &mut top.kind {
                    call.index += 1;
                }
                top.restart();
            }
            // Both results of a conditional have the type of the whole.
            K::Question | K::Colon => top.restart(),
            K::Ellipsis => {}
            _ => top.operator(),
        }
    }

    /// The parts of a `for` expression. Answers whether the token was one.
    fn r#for(&mut self, token: &SyntaxToken) -> bool {
        use SyntaxKind as K;
        let top = self.top();
        let start = token.text_range().start();
        match (&mut top.r#for, token.kind()) {
            (None, K::Ident) if token.text() == "for" && top.tail.is_none() => {
                let is_possible = matches!(
                    top.kind,
                    FrameKind::List | FrameKind::Object { .. } | FrameKind::Template
                );
                if is_possible {
                    top.r#for = Some(ForPart::Names(Vec::new()));
                }
                is_possible
            }
            (Some(ForPart::Names(names)), K::Ident) => {
                if token.text() == "in" {
                    let names = std::mem::take(names);
                    top.r#for = Some(ForPart::Collection {
                        names,
                        start: token.text_range().end(),
                    });
                } else {
                    names.push(token.text().into());
                }
                true
            }
            (Some(ForPart::Names(_)), K::Comma) => true,
            (Some(ForPart::Collection { names, start: from }), K::Colon) => {
                let bound = Bound {
                    names: std::mem::take(names),
                    collection: TextRange::new(*from, start),
                };
                top.r#for = Some(ForPart::Body(bound));
                top.restart();
                true
            }
            (Some(ForPart::Body(_)), K::FatArrow) => {
                top.restart();
                true
            }
            // The condition at the end.
            (Some(ForPart::Body(_)), K::Ident) if token.text() == "if" => {
                top.operator();
                true
            }
            _ => false,
        }
    }

    fn newline(&mut self) {
        self.is_line_start = true;
        if let FrameKind::Quoted { .. } = self.top().kind {
            self.close_quote();
        }
        let top = self.top();
        match &mut top.kind {
            FrameKind::Body { item, .. } => {
                *item = ItemState::Start;
                top.restart();
            }
            FrameKind::Object { key, is_value, .. } if top.r#for.is_none() => {
                *is_value = false;
                *key = None;
                top.restart();
            }
            _ => {}
        }
    }

    /// Leaves the brackets around the cursor, up to a body or an object.
    fn close_brackets(&mut self) {
        while self.top().is_bracketed() {
            self.pop();
        }
        self.newline();
        self.is_line_start = false;
    }

    fn close_quote(&mut self) {
        let open = self
            .frames
            .iter()
            .rposition(|frame| matches!(frame.kind, FrameKind::Quoted { .. }));
        let Some(open) = open else { return };
        let mut closed = self.frames.split_off(open);
        let FrameKind::Quoted { text, start } = closed.swap_remove(0).kind else {
            return;
        };
        let top = self.top();
        match &mut top.kind {
            FrameKind::Body {
                item: ItemState::Header(header),
                ..
            } => header.labels.push(text.into()),
            FrameKind::Object {
                key,
                is_value: false,
                ..
            } => *key = Some(text.into()),
            _ => top.tail = Some(start),
        }
    }

    pub(super) fn finish(self, mut cursor: Cursor) -> Cursor {
        let innermost_body = self
            .frames
            .iter()
            .rposition(|frame| matches!(frame.kind, FrameKind::Body { .. }))
            .unwrap_or(0);
        for frame in &self.frames[1..=innermost_body] {
            if let FrameKind::Body { header, .. } = &frame.kind {
                cursor.blocks.push(header.clone());
            }
        }
        for frame in &self.frames {
            if let FrameKind::Call(call) = &frame.kind {
                cursor.calls.push(call.clone());
            }
            if let Some(ForPart::Body(bound)) = &frame.r#for {
                cursor.bound.push(bound.clone());
            }
        }
        if cursor.place != CursorPlace::Nothing {
            cursor.place = self.place(innermost_body, cursor.word.start());
        }
        cursor
    }

    fn place(&self, body: usize, at: TextSize) -> CursorPlace {
        let FrameKind::Body { item, .. } = &self.frames[body].kind else {
            return CursorPlace::Nothing;
        };
        let inner = &self.frames[body + 1..];
        let argument = match item {
            ItemState::Start => return CursorPlace::Item,
            ItemState::Header(header) => {
                return CursorPlace::Label {
                    header: header.clone(),
                    is_quoted: !inner.is_empty(),
                };
            }
            ItemState::Value(argument) => argument.clone(),
        };
        let mut within = Vec::new();
        for (index, frame) in self.frames[body..].iter().enumerate() {
            let is_last = index == inner.len();
            match &frame.kind {
                FrameKind::Body { .. } | FrameKind::Parens => {}
                FrameKind::Object { .. } if frame.r#for.is_some() => within.push(Within::Element),
                FrameKind::Object {
                    keys,
                    key,
                    is_value,
                } => within.push(match (is_value, key) {
                    (true, key) => Within::Item(key.clone().unwrap_or_default()),
                    (false, _) => Within::Key {
                        others: keys.clone(),
                    },
                }),
                FrameKind::List => within.push(Within::Element),
                FrameKind::Index => within.push(Within::Index),
                FrameKind::Call(call) => within.push(Within::Argument {
                    function: call.function.clone(),
                    index: call.index,
                }),
                FrameKind::Quoted { .. } => within.push(Within::Quoted),
                FrameKind::Heredoc => {
                    if is_last {
                        return CursorPlace::Nothing;
                    }
                }
                FrameKind::Template => within.push(Within::Interpolation),
            }
            match &frame.r#for {
                Some(ForPart::Names(_)) if is_last => return CursorPlace::Nothing,
                Some(ForPart::Collection { .. }) => within.push(Within::Operand),
                _ if frame.is_operand => within.push(Within::Operand),
                _ => {}
            }
        }
        // The dot or the bracket is the last thing before the word.
        let base = self
            .base()
            .filter(|from| *from < at)
            .map(|from| TextRange::new(from, at));
        CursorPlace::Value(ValuePlace {
            argument,
            within,
            base,
        })
    }
}

impl Scan {
    /// Where the expression begins whose member or element is next.
    fn base(&self) -> Option<TextSize> {
        let is_index = |frame: &Frame, tail| {
            matches!(frame.kind, FrameKind::Index) && frame.tail == tail && !frame.is_operand
        };
        match self.frames.as_slice() {
            [.., last] if last.is_after_dot => last.tail,
            [.., outer, index] if is_index(index, None) => outer.tail,
            [.., outer, index, quoted] => match quoted.kind {
                FrameKind::Quoted { start, .. } if is_index(index, Some(start)) => outer.tail,
                _ => None,
            },
            _ => None,
        }
    }
}

/// The name before the parenthesis, with its namespaces; `from` is where the expression begins.
fn call_name(paren: &SyntaxToken, from: TextSize) -> Option<SmolStr> {
    let mut name = String::new();
    let mut token = paren.prev_token();
    while let Some(before) = token {
        if before.text_range().start() < from {
            break;
        }
        match before.kind() {
            SyntaxKind::Ident | SyntaxKind::DoubleColon => name.insert_str(0, before.text()),
            SyntaxKind::Space if name.is_empty() => {}
            _ => return None,
        }
        token = before.prev_token();
    }
    (!name.is_empty()).then(|| name.into())
}
