//! Files that nobody would write like that: configuration of all kinds in the worst of layouts.

use syntax::{SyntaxKind, parse};

use crate::support::Random;

/// A file of random items.
pub fn written(random: &mut Random) -> String {
    let mut writer = Writer {
        random,
        out: String::new(),
        depth: 0,
    };
    for n in 0..1 + writer.random.below(4) {
        writer.item(n, true);
    }
    finished(writer.out, random)
}

/// The text with other white space between its tokens, and with comments.
pub fn mangled(text: &str, random: &mut Random) -> String {
    let file = parse(text);
    let mut out = String::new();
    // Open brackets and quotes: whether a line may break here.
    let mut open: Vec<SyntaxKind> = Vec::new();
    let mut last = SyntaxKind::Newline;
    let elements = file.segments().flat_map(|segment| {
        let tree = segment.parsed.syntax();
        let tokens = tree.descendants_with_tokens();
        let tokens = tokens.filter_map(|element| element.into_token());
        tokens.collect::<Vec<_>>()
    });
    for token in elements {
        let (kind, text) = (token.kind(), token.text());
        use SyntaxKind::*;
        let is_literal = matches!(open.last(), Some(OpenQuote | OpenHeredoc));
        let is_free = !is_literal && !matches!(kind, CloseQuote | CloseHeredoc | TemplateEnd);
        match kind {
            Space => {
                for _ in 0..1 + random.below(4) {
                    out.push_str(random.pick::<&str>(&[" ", "  ", "\t"]));
                }
                last = kind;
                continue;
            }
            Newline if random.below(3) == 0 => out.push_str(random.pick::<&str>(&[
                " # note",
                "   // note",
                " /* note */ ",
                "\t",
                "\n",
                "\n\n",
                "  ",
            ])),
            Newline | LineComment | BlockComment => {}
            _ if is_free && last != CloseHeredoc => {
                let may_break = matches!(open.last(), Some(OpenParen | OpenBracket));
                match random.below(24) {
                    0 => out.push_str("/* c */"),
                    1 => out.push_str("  "),
                    2 => out.push_str(" \t"),
                    3 if may_break && kind != Comma => out.push('\n'),
                    4 if may_break => out.push_str(" # broken\n"),
                    _ => {}
                }
            }
            _ => {}
        }
        match kind {
            OpenBrace
            | OpenBracket
            | OpenParen
            | OpenQuote
            | OpenHeredoc
            | TemplateInterpolation
            | TemplateControl => open.push(kind),
            CloseBrace | CloseBracket | CloseParen | CloseQuote | CloseHeredoc | TemplateEnd => {
                open.pop();
            }
            _ => {}
        }
        out.push_str(text);
        last = kind;
    }
    finished(out, random)
}

/// With other line ends, or without the last one, or with spaces behind it.
fn finished(mut text: String, random: &mut Random) -> String {
    if random.below(8) == 0 {
        text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    match random.below(12) {
        0 => text.truncate(text.trim_end().len()),
        1 => text.push_str("   "),
        2 => text.push_str("\n\n\t\n"),
        _ => {}
    }
    text
}

struct Writer<'r> {
    random: &'r mut Random,
    out: String,
    depth: usize,
}

const NAMES: &[&str] = &[
    "a",
    "name",
    "in",
    "for",
    "if",
    "count",
    "for_each",
    "a-b",
    "tags",
    "größe",
    "e\u{301}t",
    "x1",
    "null",
    "source",
    "description",
    "a_very_long_name_of_an_argument",
];

const WORDS: &[&str] = &[
    "",
    "x",
    "web server",
    "\\n",
    "\\\"",
    "$${x}",
    "%%{ if }",
    "ä€",
    "🇩🇪",
    "👩‍👩‍👧",
    "$",
    "%",
    "\\\\",
    "#",
    "//",
    " = ",
    "\t",
];

const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "-",
];

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn pick(&mut self, from: &[&str]) {
        let picked = *self.random.pick(from);
        self.put(picked);
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    /// White space that need not be.
    fn gap(&mut self) {
        self.pick(&[
            "",
            "",
            "",
            " ",
            " ",
            " ",
            "  ",
            "   ",
            "\t",
            " \t ",
            "/* c */",
            " /* c */ ",
            "/* a\n b */",
        ]);
    }

    fn space(&mut self) {
        self.pick(&[" ", " ", "  ", "\t", " /* c */ "]);
    }

    /// Between brackets, where lines may break.
    fn break_or_gap(&mut self) {
        match self.random.below(6) {
            0 => self.pick(&[
                "\n",
                "\n  \n",
                " # c\n",
                "\n# c\n\n",
                "\n      ",
                "// c\n\t",
            ]),
            _ => self.gap(),
        }
    }

    fn line_end(&mut self) {
        self.pick(&[
            "\n",
            "\n",
            "\n",
            "  \n",
            "# c\n",
            "    # longer comment\n",
            "// c\n",
            "\n\n",
            "\n\n\n  # alone\n",
            "\n/* x\n y */\n",
            " /* c */\n",
            "\n\t\n",
        ]);
    }

    fn indent(&mut self) {
        self.pick(&["", "", "  ", "    ", "\t", "       "]);
    }

    fn item(&mut self, n: usize, is_top: bool) {
        self.indent();
        match self.random.below(6) {
            0 | 1 if self.depth < 3 => self.block(),
            2 if is_top => self.variable(),
            _ => self.attribute(n),
        }
    }

    fn attribute(&mut self, n: usize) {
        self.pick(NAMES);
        let unique = format!("{n}");
        self.put(&unique);
        self.gap();
        self.put("=");
        self.gap();
        match self.random.below(8) {
            0 => self.heredoc(),
            1 => self.wrapped(),
            _ => {
                self.expr();
                self.line_end();
            }
        }
    }

    fn wrapped(&mut self) {
        self.put("\"${");
        self.pick(&["", " ", "\n", "\n\n  ", "~ "]);
        self.expr();
        self.pick(&["", " ", "\n", " # c\n", "\n  "]);
        self.put("}\"");
        self.line_end();
    }

    fn variable(&mut self) {
        self.put("variable");
        self.space();
        self.pick(&["\"v\"", "v", "\"v\" /* c */ "]);
        self.gap();
        self.put("{\n");
        self.indent();
        self.put("type");
        self.gap();
        self.put("=");
        self.gap();
        self.pick(&[
            "\"string\"",
            "\"list\"",
            "\"map\"",
            "list",
            "map",
            "set",
            "string",
            "any",
            "\"set\"",
            "list(string)",
            "(list)",
            "object({a=string,b=optional(number,1)})",
            "\"${string}\"",
            "\"number\"",
        ]);
        self.line_end();
        self.attribute(0);
        self.put("}");
        self.line_end();
    }

    fn block(&mut self) {
        self.pick(&[
            "resource",
            "locals",
            "data",
            "dynamic",
            "lifecycle",
            "variable",
        ]);
        for _ in 0..self.random.below(3) {
            self.space();
            self.pick(&[
                "\"aws_instance\"",
                "web",
                "\"a b\"",
                "\"\\u00e9\"",
                "\"\\t\\\"\"",
                "\"\"",
                "\"e\u{301}\"",
                "\"\u{200b}\"",
                "a-b",
                "\"/* no */\"",
            ]);
        }
        self.gap();
        self.put("{");
        match self.random.below(5) {
            0 => self.gap(),
            1 => {
                self.gap();
                self.pick(NAMES);
                self.gap();
                self.put("=");
                self.gap();
                self.expr();
                self.gap();
            }
            _ => {
                self.line_end();
                self.depth += 1;
                for n in 0..self.random.below(6) {
                    self.item(n, false);
                }
                self.depth -= 1;
                self.indent();
            }
        }
        self.put("}");
        self.line_end();
    }

    fn heredoc(&mut self) {
        self.pick(&["<<EOT\n", "<<-EOT\n"]);
        for _ in 0..self.random.below(4) {
            self.indent();
            match self.random.below(5) {
                0 => {
                    self.put("a ${");
                    self.expr();
                    self.put("} b");
                }
                1 => self.put("%{ if true ~}"),
                2 => self.put("x = \"y\" # no comment"),
                3 => self.put("größe\t\u{1f600}  "),
                _ => {}
            }
            self.put("\n");
        }
        // Directives are closed where they were opened.
        let ifs = self.out[self.out.rfind("<<").unwrap()..]
            .matches("%{ if true")
            .count();
        for _ in 0..ifs {
            self.put("%{endif}");
        }
        self.put(if ifs > 0 { "\n" } else { "" });
        self.indent();
        self.put("EOT\n");
    }

    fn expr(&mut self) {
        if self.depth > 4 {
            return self.leaf();
        }
        self.depth += 1;
        match self.random.below(16) {
            0..4 => self.leaf(),
            4 | 5 => {
                self.expr();
                self.gap();
                self.pick(OPERATORS);
                self.gap();
                self.expr();
            }
            6 => {
                self.pick(&["-", "!", "- ", "-", "!!"]);
                self.leaf();
            }
            7 => {
                self.put("(");
                self.break_or_gap();
                self.expr();
                self.break_or_gap();
                self.put(")");
            }
            8 => {
                self.expr();
                self.gap();
                self.put("?");
                self.gap();
                self.expr();
                self.gap();
                self.put(":");
                self.gap();
                self.expr();
            }
            9 => {
                self.pick(&[
                    "merge(",
                    "f(",
                    "provider::a::b(",
                    "provider :: a ::b(",
                    "max (",
                    "concat(",
                ]);
                self.elements();
                self.pick(&["", "", "..."]);
                self.put(")");
            }
            10 | 11 => {
                self.put("[");
                self.elements();
                self.put("]");
            }
            12 => self.object(),
            13 => {
                self.put("[");
                self.break_or_gap();
                self.put("for");
                self.space();
                self.pick(&["x", "k, v", "k ,v"]);
                self.space();
                self.put("in");
                self.pick(&["[", " [", "  ["]);
                self.elements();
                self.put("]");
                self.gap();
                self.put(":");
                self.gap();
                self.expr();
                self.pick(&["", " if true", "  if  !x"]);
                self.break_or_gap();
                self.put("]");
            }
            14 => self.template(),
            _ => {
                self.put("{");
                self.break_or_gap();
                self.put("for k,v in m:");
                self.expr();
                self.gap();
                self.put("=>");
                self.gap();
                self.expr();
                self.break_or_gap();
                self.put("}");
            }
        }
        self.depth -= 1;
    }

    fn elements(&mut self) {
        self.break_or_gap();
        let count = self.random.below(4);
        for n in 0..count {
            self.expr();
            self.break_or_gap();
            if n + 1 < count {
                self.put(",");
                self.break_or_gap();
            }
        }
        // A call with `...` or a list must not be empty before it.
        if count == 0 {
            self.put("1");
        }
    }

    fn object(&mut self) {
        self.put("{");
        let count = self.random.below(5);
        let is_lines = !self.chance(3);
        self.put(if is_lines { "\n" } else { "" });
        for n in 0..count {
            if is_lines {
                self.indent();
            }
            self.pick(&[
                "a",
                "\"b c\"",
                "(var.k)",
                "größe",
                "long_key_name",
                "\"${x}\"",
                "1",
                "in",
            ]);
            self.gap();
            self.pick(&["=", ":", "="]);
            self.gap();
            self.expr();
            if is_lines {
                self.pick(&["", ",", " ,", " "]);
                self.line_end();
            } else if n + 1 < count {
                self.put(",");
                self.gap();
            }
        }
        self.put("}");
    }

    fn template(&mut self) {
        self.put("\"");
        for _ in 0..self.random.below(4) {
            match self.random.below(3) {
                0 => self.pick(WORDS),
                1 => {
                    self.pick(&["${", "${ ", "${~"]);
                    self.expr();
                    self.pick(&["}", " }", "~}"]);
                }
                _ => {
                    self.pick(&["%{if true}", "%{ if  true ~}"]);
                    self.pick(WORDS);
                    self.pick(&["%{else}b", ""]);
                    self.pick(&["%{endif}", "%{~ endif }"]);
                }
            }
        }
        self.put("\"");
    }

    fn leaf(&mut self) {
        self.pick(&[
            "1",
            "1.5e3",
            "true",
            "null",
            "var.x",
            "local.a.b",
            "var.list[0]",
            "var.map[\"k\"]",
            "a.*.b",
            "a[*].b",
            "data.x.y[ 0 ] . z",
            "\"text\"",
            "\"\"",
            "\"${var.x}\"",
            "\"a-${ var.x }-b\"",
            "-1",
            "- 1",
            "each.value",
            "[]",
            "{}",
            "[ ]",
            "{ }",
            "f()",
            "x . y",
            "l[-1]",
            "l[ x ]",
            "f(x) [0]",
            "(x)[0]",
        ]);
    }
}
