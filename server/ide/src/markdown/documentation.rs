//! Untrusted Markdown, rewritten from the events of a CommonMark parser.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, TextMergeStream};
use text::visible;

use super::escape;

/// Bytes of a piece of documentation that are shown. The longest of public providers have some 5,000.
const LIMIT: usize = 20_000;

/// Lists and quotes that may stand in each other. Deeper ones are not indented further.
const DEPTH: usize = 8;

/// The source as far as it is shown.
pub(super) fn cut(source: &str) -> String {
    let source = source.trim();
    match source.len() > LIMIT {
        true => format!("{}…", &source[..source.floor_char_boundary(LIMIT)]),
        false => source.to_owned(),
    }
}

pub(super) fn render(source: &str) -> String {
    let source = visible(source);
    let mut writer = Writer::default();
    for event in TextMergeStream::new(Parser::new_ext(&source, Options::ENABLE_TABLES)) {
        writer.event(event);
    }
    writer.out.trim().to_owned()
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The beginning of each line, in the blocks that are open.
    prefixes: Vec<&'static str>,
    lists: Vec<List>,
    /// Links that are open: where they lead, unless that is lost, and where their text begins.
    links: Vec<(Option<String>, usize)>,
    /// Whether a block may begin here: at the start, and after the marker of an item or a quote.
    is_at_start: Start,
    /// The code that is being read, and its language.
    code: Option<(String, String)>,
    /// The HTML that is being read.
    html: Option<String>,
    is_in_table: bool,
    /// Cells of the first row.
    columns: usize,
}

/// A list that is open.
struct List {
    /// The number of the next item, in a list with numbers.
    number: Option<u64>,
    has_items: bool,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Start {
    #[default]
    OfBlock,
    OfLine,
    No,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(code) => self.code(&code),
            Event::Html(html) | Event::InlineHtml(html) => match &mut self.html {
                Some(block) => block.push_str(&html),
                None => self.text(&without_tags(&html)),
            },
            Event::SoftBreak | Event::HardBreak if self.is_in_table => self.raw(" "),
            Event::SoftBreak => self.line(),
            Event::HardBreak => {
                self.raw("\\");
                self.line();
            }
            Event::Rule => {
                self.block();
                self.raw("***");
            }
            // Extensions that are not switched on.
            Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.block(),
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::Heading { level, .. } => {
                self.block();
                self.raw(&format!("{} ", "#".repeat(level as usize)));
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.open("> ", "> ");
            }
            Tag::CodeBlock(kind) => {
                self.block();
                self.code = Some((language(kind), String::new()));
            }
            Tag::List(number) => self.lists.push(List {
                number,
                has_items: false,
            }),
            Tag::Item => self.item(),
            Tag::Table(_) => {
                self.block();
                self.is_in_table = true;
                self.columns = 0;
            }
            Tag::TableHead => self.raw("|"),
            Tag::TableRow => {
                self.line();
                self.raw("|");
            }
            Tag::TableCell => {
                self.columns += 1;
                self.raw(" ");
            }
            Tag::Emphasis => self.raw("*"),
            Tag::Strong => self.raw("**"),
            Tag::Link { dest_url, .. } => {
                let page = escape::page(&dest_url);
                if page.is_some() {
                    self.raw("[");
                }
                self.links.push((page, self.out.len()));
            }
            // The alternative text of an image is text.
            Tag::Image { .. } => {}
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::Strikethrough
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.prefixes.pop();
                self.is_at_start = Start::No;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::HtmlBlock => {
                let text = without_tags(&self.html.take().unwrap_or_default());
                if !text.trim().is_empty() {
                    self.block();
                    self.text(text.trim());
                }
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::Table => self.is_in_table = false,
            TagEnd::TableHead => {
                self.line();
                self.raw(&format!("|{}", " --- |".repeat(self.columns)));
            }
            TagEnd::TableCell => self.raw(" |"),
            TagEnd::Emphasis => self.raw("*"),
            TagEnd::Strong => self.raw("**"),
            TagEnd::Link => self.end_link(),
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::TableRow
            | TagEnd::Image
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::Strikethrough
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn item(&mut self) {
        let is_inside = self.lists.len() > 1;
        let Some(list) = self.lists.last_mut() else {
            return;
        };
        let marker = match &mut list.number {
            Some(number) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            None => "- ".to_owned(),
        };
        match std::mem::replace(&mut list.has_items, true) || is_inside {
            true => self.line_of_block(),
            false => self.block(),
        }
        // Each line of an item stands below its first character.
        const SPACES: &str = "                        ";
        self.open(&marker, &SPACES[..marker.len().min(SPACES.len())]);
    }

    /// A link without a text shows where it leads.
    fn end_link(&mut self) {
        let Some((Some(page), start)) = self.links.pop() else {
            return;
        };
        if self.out[start..].trim().is_empty() {
            self.plain(&page);
        }
        self.raw(&format!("]({page})"));
    }

    fn code(&mut self, code: &str) {
        // A cell would end inside of such code.
        if self.is_in_table && code.contains(['|', '\\']) {
            return self.text(code);
        }
        // Two pieces of code that touch would be read as others.
        if self.out.ends_with('`') {
            self.raw(" ");
        }
        self.raw(&escape::code(code));
    }

    fn code_block(&mut self) {
        let Some((language, code)) = self.code.take() else {
            return;
        };
        let fence = escape::fence(&code);
        self.raw(&format!("{fence}{language}"));
        for line in code.trim_end().lines() {
            self.line();
            self.raw(line);
        }
        self.line();
        self.raw(&fence);
    }

    /// Text that reads as it is, on one or more lines. The addresses of `https` pages in it are links.
    fn text(&mut self, text: &str) {
        for (nth, line) in text.split('\n').enumerate() {
            match nth > 0 {
                true if self.is_in_table => self.raw(" "),
                true => self.line(),
                false => {}
            }
            let mut rest = line;
            while let Some((before, address, behind)) =
                address(rest).filter(|_| self.links.is_empty())
            {
                self.plain(before);
                match escape::page(address) {
                    Some(page) => {
                        self.raw("[");
                        self.plain(address);
                        self.raw(&format!("]({page})"));
                    }
                    None => self.plain(address),
                }
                rest = behind;
            }
            self.plain(rest);
        }
    }

    fn plain(&mut self, text: &str) {
        let starts_line = self.is_at_start != Start::No;
        let text = if starts_line { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        let start = self.out.len();
        escape::inline(text, starts_line, &mut self.out);
        if !self.links.is_empty() {
            // Some editors read brackets in the text of a link as another link.
            let text = self.out.split_off(start);
            let text = text.replace("\\[", "&#91;").replace("\\]", "&#93;");
            self.out.push_str(&text);
        }
        self.is_at_start = Start::No;
    }

    fn raw(&mut self, markdown: &str) {
        self.out.push_str(markdown);
        self.is_at_start = Start::No;
    }

    /// Begins a block: after an empty line, unless a block may begin here.
    fn block(&mut self) {
        if self.is_at_start != Start::OfBlock {
            self.line();
            self.line();
        }
        self.is_at_start = Start::OfBlock;
    }

    /// Begins a block on the next line.
    fn line_of_block(&mut self) {
        if self.is_at_start != Start::OfBlock {
            self.line();
        }
        self.is_at_start = Start::OfBlock;
    }

    /// Opens a container of blocks: its first line begins with `first`, the others with `next`.
    fn open(&mut self, first: &str, next: &'static str) {
        let is_deep = self.prefixes.len() >= DEPTH;
        self.raw(if is_deep { "" } else { first });
        self.prefixes.push(if is_deep { "" } else { next });
        self.is_at_start = Start::OfBlock;
    }

    fn line(&mut self) {
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end);
        self.out.push('\n');
        self.out.extend(self.prefixes.iter().copied());
        self.is_at_start = Start::OfLine;
    }
}

/// The name of a language, without its attributes.
fn language(kind: CodeBlockKind<'_>) -> String {
    let info = match kind {
        CodeBlockKind::Fenced(info) => info,
        CodeBlockKind::Indented => CowStr::Borrowed(""),
    };
    let is_of_name = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '+';
    info.chars().take_while(is_of_name).take(20).collect()
}

/// The first address of an `https` page in a line, with the text before and after it.
fn address(line: &str) -> Option<(&str, &str, &str)> {
    let start = line.find("https://")?;
    let rest = &line[start..];
    let is_end = |c: char| {
        c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '[' | ']' | '(' | ')' | '|')
    };
    let address = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~']);
    Some((&line[..start], address, &rest[address.len()..]))
}

/// HTML without the elements that pages are made of. Another word in angle brackets is a placeholder for the reader.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let tag = &rest[start..];
        let end = match tag.strip_prefix("<!--") {
            Some(comment) => comment
                .find("-->")
                .map_or(tag.len(), |end| end + "<!---->".len()),
            None => tag.find('>').map_or(tag.len(), |end| end + 1),
        };
        let inside = tag[1..end].trim_end_matches('>');
        if inside
            .trim_end_matches(['/', ' '])
            .eq_ignore_ascii_case("br")
        {
            text.push(' ');
        }
        let is_placeholder = inside
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_'));
        if is_placeholder && !ELEMENTS.contains(&&*inside.to_ascii_lowercase()) {
            text.push_str(&tag[..end]);
        }
        rest = &tag[end..];
    }
    text + rest
}

/// Elements of HTML that descriptions hold, or that do something.
const ELEMENTS: [&str; 56] = [
    "a",
    "abbr",
    "applet",
    "audio",
    "b",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "head",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "kbd",
    "li",
    "link",
    "math",
    "meta",
    "object",
    "ol",
    "p",
    "pre",
    "script",
    "span",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "td",
    "th",
    "title",
    "tr",
    "ul",
    "video",
];

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    fn check(source: &str, expected: Expect) {
        expected.assert_eq(&super::render(&super::cut(source)));
    }

    #[test]
    fn emphasis_code_lists_and_tables_stay() {
        check(
            "# The *size* of a `disk`\nIn **GiB**, ~~MB~~:\n\n* one\n  line\n  1. two\n\n     ```hcl\n     a = 1\n\n     b = 2\n     ```\n* three\n\n> quoted\n\n| a | b |\n|---|:-:|\n| `x` | y\\|z |\n",
            expect![[r#"
                # The *size* of a `disk`

                In **GiB**, \~\~MB\~\~:

                - one
                  line
                  1. two

                     ```hcl
                     a = 1

                     b = 2
                     ```
                - three

                > quoted

                | a | b |
                | --- | --- |
                | `x` | y\|z |"#]],
        );
    }

    #[test]
    fn links_to_https_pages_stay_and_others_lose_their_address() {
        check(
            "[a](https://a.example/x_y) [b](http://b.example) [c](command:evil) [d](javascript:evil()) [e](file:///etc) [f](../g) [h](data:text/html,x) [i][1] [j][2] <https://k.example> <mailto:l@m.example> https://n.example/o. www.p.example\n\n[1]: https://i.example 'title'\n[2]: vscode://j",
            expect![[
                r#"[a](https://a.example/x_y) b c d e f h [i](https://i.example) j [https\://k.example](https://k.example) mailto:l\@m.example [https\://n.example/o](https://n.example/o). www\.p.example"#
            ]],
        );
        check(
            "[](https://a.example) [https://good.example](https://good.example@evil.example)",
            expect![[r#"[https\://a.example](https://a.example) https\://good.example"#]],
        );
    }

    #[test]
    fn images_and_html_are_lost() {
        check(
            "![alt](https://evil.example/p.png) [![in a link](x.png)](https://a.example)\n\n<img src=\"https://evil.example/p.png\"> a<br>b <b onclick=\"x()\">bold</b> <!-- c --> arn:<bucket>/x <A HREF='x'>d</A>\n\n<script>\nalert(1)\n</script>\n\n![ref]\n\n[ref]: https://evil.example/p.png",
            expect![[r#"
                alt [in a link](https://a.example)

                a b bold  arn:&lt;bucket>/x d

                alert(1)

                ref"#]],
        );
    }

    #[test]
    fn code_beside_code_stays_code() {
        check(
            "`a`<b>``![](https://x)`y``\n\n`` ` `` ` `",
            expect![[r#"
            `a` ``![](https://x)`y``

            `` ` ``"#]],
        );
        check(
            "| a |\n|---|\n| `b\\|![](https://x)` |",
            expect![[r#"
            | a |
            | --- |
            | b\|!\[\]([https\://x](https://x)) |"#]],
        );
        check(
            "a \\| `x|![](https://evil.example)`\n:-\\|-:",
            expect![[r#"
            a \| `x|![](https://evil.example)`
            \:-\|-:"#]],
        );
    }

    #[test]
    fn long_or_deeply_nested_documentation_is_cut() {
        let long = super::render(&super::cut(&"ä".repeat(super::LIMIT)));
        assert!(long.len() < super::LIMIT + 10 && long.ends_with('…'));
        let deep = super::render(&super::cut(
            &(">".repeat(9_000) + "\na\n".repeat(4_000).as_str()),
        ));
        assert!(deep.len() < 20 * super::LIMIT, "{} bytes", deep.len());
    }
}
