//! Small root modules that combine features of the language at random: the same seed gives the same ones.

use std::collections::BTreeMap;

use crate::support::oracle::Oracle;
use crate::support::random::Random;

/// A root module with what is said on the command line.
#[derive(Clone)]
pub struct Module {
    pub files: BTreeMap<String, String>,
    pub options: Vec<String>,
    pub environment: Vec<(String, String)>,
}

/// One module that is applied, and others that were edited since.
pub struct Batch {
    pub base: Module,
    pub edited: Vec<Module>,
}

/// The edits of a batch.
pub const EDITS: usize = 4;

pub fn batch(seed: u64, oracle: Oracle) -> Batch {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9) ^ 0x00c0_ffee);
    let mut world = World::new(&mut random, oracle);
    world.fill();
    let blocks = world.blocks;
    let calls = world.calls;
    let base = Module {
        files: files(&blocks, &calls),
        options: Vec::new(),
        environment: Vec::new(),
    };
    let edited = (0..EDITS).map(|_| edit(&mut random, oracle, &blocks, &calls));
    let edited = edited.collect();
    Batch { base, edited }
}

/// A block of the root module.
#[derive(Clone)]
struct Block {
    /// What expressions call it.
    name: String,
    text: String,
}

fn files(blocks: &[Block], calls: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = calls
        .iter()
        .map(|(name, text)| (format!("{name}/main.tf"), text.clone()))
        .collect();
    let text: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    files.insert("main.tf".into(), text.join("\n"));
    files
}

/// Types of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Str,
    Num,
    Bool,
    Strs,
    Map,
    Set,
    Obj,
    Any,
}

use Ty::{Any, Bool, Map, Num, Obj, Set, Str, Strs};

struct World<'r> {
    random: &'r mut Random,
    oracle: Oracle,
    blocks: Vec<Block>,
    /// The text of each called module, by its folder.
    calls: BTreeMap<String, String>,
    /// What may be referred to: all, and what is known before anything is applied.
    refs: Vec<(Ty, String)>,
    known: Vec<(Ty, String)>,
    count: usize,
    /// Names of loops around an expression.
    inner: Vec<(Ty, String)>,
    is_child: bool,
    /// Nothing is made sensitive.
    is_plain: bool,
}

impl<'r> World<'r> {
    fn new(random: &'r mut Random, oracle: Oracle) -> World<'r> {
        World {
            random,
            oracle,
            blocks: Vec::new(),
            calls: BTreeMap::new(),
            refs: Vec::new(),
            known: Vec::new(),
            count: 0,
            inner: Vec::new(),
            is_child: false,
            is_plain: false,
        }
    }

    fn fill(&mut self) {
        self.settings();
        for _ in 0..1 + self.random.below(3) {
            self.variable();
        }
        for _ in 0..1 + self.random.below(2) {
            self.local();
        }
        for _ in 0..2 + self.random.below(4) {
            match self.random.below(12) {
                0..=7 => self.resource(),
                8 => self.data(),
                9 if !self.is_child => self.call(),
                10 => self.check(),
                11 => self.ephemeral(),
                _ => self.local(),
            }
        }
        for _ in 0..self.random.below(3) {
            self.output();
        }
    }

    fn settings(&mut self) {
        self.push(
            "terraform",
            "terraform {\n  required_providers {\n    lab6 = { source = \"planlens/lab6\" }\n    lab5 = { source = \"planlens/lab5\" }\n  }\n}\n".into(),
        );
        if !self.is_child && self.random.chance(30) {
            self.push(
                "provider",
                "provider \"lab6\" {\n  alias = \"other\"\n}\n".into(),
            );
        }
    }

    fn push(&mut self, name: &str, text: String) {
        self.blocks.push(Block {
            name: name.to_owned(),
            text,
        });
    }

    fn next(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    fn variable(&mut self) {
        let name = self.next("v");
        let (ty, constraint, value) = *self.random.pick(&[
            (Str, "string", "\"alpha\""),
            (Num, "number", "3"),
            (Bool, "bool", "true"),
            (Strs, "list(string)", "[\"a\", \"b\"]"),
            (Map, "map(string)", "{ k = \"one\", l = \"two\" }"),
            (Set, "set(string)", "[\"x\", \"y\"]"),
            (
                Obj,
                "object({ name = string, size = optional(number, 7) })",
                "{ name = \"obj\" }",
            ),
            (Any, "string", "null"),
            (Any, "any", "[1, \"two\", { three = 3 }]"),
        ]);
        let mut body = format!("  type    = {constraint}\n  default = {value}\n");
        let is_sensitive = self.random.chance(20);
        if is_sensitive {
            body += "  sensitive = true\n";
        }
        if self.random.chance(10) && value != "null" {
            body += "  nullable = false\n";
        }
        if self.oracle != Oracle::Terraform111 && self.random.chance(6) {
            body += "  deprecated = \"Use another one.\"\n";
        }
        if self.random.chance(20) {
            let condition = match ty {
                Str if value != "null" => format!("length(var.{name}) > 2"),
                Num => format!("var.{name} > 1"),
                Strs | Map | Set => format!("length(var.{name}) != 5"),
                Str | Bool | Obj | Any => format!("var.{name} == null || true"),
            };
            body += &format!(
                "  validation {{\n    condition     = {condition}\n    error_message = \"The value of {name} is not valid.\"\n  }}\n"
            );
        }
        let reference = format!("var.{name}");
        if !is_sensitive && ty != Any {
            self.known.push((ty, reference.clone()));
        }
        self.refs.push((ty, reference.clone()));
        self.push(&reference, format!("variable \"{name}\" {{\n{body}}}\n"));
    }

    fn local(&mut self) {
        let name = self.next("l");
        let ty = self.ty();
        let value = self.expression(ty, 3);
        self.refs.push((ty, format!("local.{name}")));
        self.push(
            &format!("local.{name}"),
            format!("locals {{\n  {name} = {value}\n}}\n"),
        );
    }

    fn ty(&mut self) -> Ty {
        *self
            .random
            .pick(&[Str, Str, Num, Bool, Strs, Map, Set, Obj, Any])
    }

    /// An expression that no plan has to wait for, and that is not sensitive.
    fn known(&mut self, ty: Ty, depth: usize) -> String {
        let refs = std::mem::replace(&mut self.refs, self.known.clone());
        self.is_plain = true;
        let value = self.expression(ty, depth);
        self.is_plain = false;
        self.refs = refs;
        value
    }

    fn leaf(&mut self, ty: Ty) -> String {
        let named: Vec<String> = self
            .refs
            .iter()
            .chain(&self.inner)
            .chain(&self.inner)
            .filter(|(of, _)| *of == ty || ty == Any)
            .map(|(_, name)| name.clone())
            .collect();
        if !named.is_empty() && self.random.chance(60) {
            return self.random.pick(&named).clone();
        }
        let literals: &[&str] = match ty {
            Str => &[
                "\"abc\"",
                "\"b\"",
                "\"\"",
                "\"10\"",
                "\"Zażółć\"",
                "\"two\\nlines\"",
                "path.module",
                "terraform.workspace",
                "\"a b\"",
            ],
            Num => &["0", "1", "2", "-3", "2.5", "40", "1e3"],
            Bool => &["true", "false"],
            Strs => &[
                "[\"a\", \"b\", \"a\"]",
                "[]",
                "[\"one\"]",
                "tolist([\"q\"])",
            ],
            Map => &[
                "{ a = \"1\", b = \"2\" }",
                "{}",
                "tomap({ k = \"v\" })",
                "{ \"x y\" = \"z\" }",
            ],
            Set => &["toset([\"p\", \"q\"])", "toset([])", "toset([\"s\"])"],
            Obj => &[
                "{ name = \"n\", size = 4 }",
                "{ name = \"m\", size = null }",
            ],
            Any => &[
                "null",
                "[]",
                "{ deep = [1, { x = null }] }",
                "\"any\"",
                "[true, \"x\"]",
                "12345678901234567890",
            ],
        };
        (*self.random.pick(literals)).to_owned()
    }

    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.random.chance(35) {
            return self.leaf(ty);
        }
        let pattern = *self.random.pick(patterns(ty));
        if self.is_plain && pattern.contains("sensitive(") {
            return self.leaf(ty);
        }
        self.pattern(pattern, depth - 1)
    }

    /// Fills the holes of a pattern: `«s»`, `«n»`, `«b»`, `«l»`, `«m»`, `«t»`, `«o»`, `«a»`. `x`, `k` and `v` are names of its loop.
    fn pattern(&mut self, pattern: &str, depth: usize) -> String {
        let before = self.inner.len();
        if pattern.contains("for x in") {
            self.inner.push((Str, "x".into()));
        }
        if pattern.contains("for k, v in") {
            self.inner.extend([(Str, "k".into()), (Str, "v".into())]);
        }
        let mut text = String::new();
        let mut rest = pattern;
        while let Some((start, after)) = rest.split_once('«') {
            let (hole, after) = after.split_once('»').expect("a hole is closed");
            // What is gone through is outside of the loop.
            let names = match start.ends_with("in ") {
                true => self.inner.split_off(before),
                false => Vec::new(),
            };
            let ty = match hole {
                "s" => Str,
                "n" => Num,
                "b" => Bool,
                "l" => Strs,
                "m" => Map,
                "t" => Set,
                "o" => Obj,
                _ => Any,
            };
            text += start;
            text += &self.expression(ty, depth);
            self.inner.extend(names);
            rest = after;
        }
        self.inner.truncate(before);
        text + rest
    }

    fn resource(&mut self) {
        let (kind, body, exports) = *self.random.pick(RESOURCES);
        let name = self.next("r");
        let addr = format!("{kind}.{name}");
        let mut text = format!("resource \"{kind}\" \"{name}\" {{\n");
        // How an attribute of one instance is written elsewhere.
        let mut one = [format!("{addr}."), String::new()];
        let mut refs = Vec::new();
        match self.random.below(10) {
            0 => {
                text += "  count = 2\n";
                one[0] = format!("{addr}[{}].", self.random.below(2));
                self.inner.push((Num, "count.index".into()));
                refs.push((Strs, format!("{addr}[*].id")));
            }
            1 => {
                let condition = self.known(Bool, 2);
                text += &format!("  count = {condition} ? 1 : 0\n");
                one = [format!("try({addr}[0]."), ", DEFAULT)".into()];
            }
            2 => {
                text += "  for_each = { east = \"e\", west = \"w\" }\n";
                one[0] = format!("{addr}[\"east\"].");
                self.inner
                    .extend([(Str, "each.key".into()), (Str, "each.value".into())]);
                refs.push((Strs, format!("values({addr})[*].id")));
                refs.push((Map, format!("{{ for k, v in {addr} : k => v.id }}")));
            }
            3 => {
                let keys = self.known(Set, 2);
                text += &format!("  for_each = {keys}\n");
                one = [format!("try(values({addr})[0]."), ", DEFAULT)".into()];
                self.inner.push((Str, "each.value".into()));
            }
            _ => {}
        }
        let mut unset = Vec::new();
        for line in body.split(';') {
            if line.starts_with('?') && self.random.chance(50) {
                unset.extend(line[1..].split(' ').next());
                continue;
            }
            let line = self.pattern(line.trim_start_matches('?'), 2);
            text += &format!("  {}\n", line.replace('⏎', "\n  "));
        }
        if kind.starts_with("lab6")
            && self.random.chance(20)
            && self.blocks.iter().any(|it| it.name == "provider")
        {
            text += "  provider = lab6.other\n";
        }
        let others = self.resources();
        if self.random.chance(8) && !others.is_empty() {
            text += &format!("  depends_on = [{}]\n", self.random.pick(&others));
        }
        text += &self.lifecycle(body);
        text += "}\n";
        self.inner.clear();
        for export in exports.split(' ') {
            let (ty, attribute) = export.split_once(':').expect("a type and a name");
            let (ty, default) = match ty {
                "s" => (Str, "\"none\""),
                "n" => (Num, "5"),
                "m" => (Map, "{}"),
                "l" => (Strs, "[]"),
                "t" => (Set, "toset([])"),
                _ => (Any, "null"),
            };
            // It would be null.
            if !unset.contains(&attribute) {
                let after = one[1].replace("DEFAULT", default);
                refs.push((ty, format!("{}{attribute}{after}", one[0])));
            }
        }
        self.refs.append(&mut refs);
        self.push(&addr, text);
    }

    fn resources(&self) -> Vec<String> {
        let names = self.blocks.iter().map(|block| block.name.clone());
        names
            .filter(|name| {
                RESOURCES
                    .iter()
                    .any(|(kind, ..)| name.starts_with(&format!("{kind}.")))
            })
            .collect()
    }

    fn lifecycle(&mut self, body: &str) -> String {
        let mut lines = Vec::new();
        if self.random.chance(10) {
            lines.push("create_before_destroy = true".to_owned());
        }
        if self.random.chance(10) {
            let names: Vec<&str> = body
                .split(';')
                .filter_map(|line| line.trim_start_matches('?').split_once(" = "))
                .map(|(name, _)| name)
                .filter(|name| !name.contains([' ', '{']))
                .collect();
            if !names.is_empty() {
                let name = *self.random.pick(&names);
                lines.push(match self.random.chance(20) {
                    true => "ignore_changes = all".to_owned(),
                    false => format!("ignore_changes = [{name}]"),
                });
            }
        }
        if self.random.chance(8) {
            let others = self.resources();
            if !others.is_empty() {
                let other = self.random.pick(&others).clone();
                lines.push(format!("replace_triggered_by = [{other}]"));
            }
        }
        if self.random.chance(8) {
            let (kind, condition) = match self.random.chance(50) {
                true => ("precondition", self.condition()),
                false => ("postcondition", "self.id != \"\"".to_owned()),
            };
            // So that what is applied first is without errors.
            lines.push(format!("{kind} {{\n      condition     = {condition} || true\n      error_message = \"The condition failed.\"\n    }}"));
        }
        if self.oracle == Oracle::Tofu112 && self.random.chance(5) {
            let condition = self.known(Bool, 1);
            lines.push(format!("prevent_destroy = {condition} && false"));
        }
        match lines.is_empty() {
            true => String::new(),
            false => format!("  lifecycle {{\n    {}\n  }}\n", lines.join("\n    ")),
        }
    }

    fn data(&mut self) {
        let name = self.next("d");
        let addr = format!("data.lab6_lookup.{name}");
        let value = self.expression(Str, 2);
        let mut text = format!("data \"lab6_lookup\" \"{name}\" {{\n  name = {value}\n");
        if self.random.chance(30) {
            text += "  filter {\n    name   = \"f\"\n    values = [\"x\"]\n  }\n";
        }
        for (ty, attribute) in [
            (Str, "id"),
            (Str, "region"),
            (Map, "tags"),
            (Str, "secret"),
            (Num, "network.mtu"),
        ] {
            self.refs.push((ty, format!("{addr}.{attribute}")));
        }
        self.push(&addr, text + "}\n");
    }

    fn ephemeral(&mut self) {
        let name = self.next("e");
        let (value, count) = (self.known(Str, 1), self.random.below(3));
        self.push(
            &format!("ephemeral.lab6_session.{name}"),
            format!("ephemeral \"lab6_session\" \"{name}\" {{\n  name = \"n-${{{value} == null ? \"x\" : \"y\"}}\"\n}}\n"),
        );
        let secret = self.next("r");
        let addr = format!("lab6_secret.{secret}");
        self.push(
            &addr,
            format!("resource \"lab6_secret\" \"{secret}\" {{\n  write_only       = ephemeral.lab6_session.{name}.token\n  write_only_count = {count}\n}}\n"),
        );
        self.refs.push((Str, format!("{addr}.id")));
    }

    /// A condition has to look at something.
    fn condition(&mut self) -> String {
        let variable = if self.is_child { "var.v21" } else { "var.v1" };
        format!("({variable} == null || {})", self.expression(Bool, 2))
    }

    fn check(&mut self) {
        let name = self.next("c");
        let condition = self.condition();
        let message = match self.random.chance(50) {
            true => "\"The check failed.\"".to_owned(),
            false => format!("\"The check failed: ${{jsonencode({})}}.\"", self.leaf(Any)),
        };
        self.push(
            &format!("check.{name}"),
            format!("check \"{name}\" {{\n  assert {{\n    condition     = {condition}\n    error_message = {message}\n  }}\n}}\n"),
        );
    }

    fn output(&mut self) {
        let name = self.next("o");
        let ty = self.ty();
        let value = self.expression(ty, 3);
        let mut text = format!("output \"{name}\" {{\n  value     = {value}\n");
        // Sensitive values come from anywhere.
        let is_sensitive = !self.is_child || self.random.chance(30);
        if is_sensitive && self.random.chance(92) {
            text += "  sensitive = true\n";
        }
        if self.random.chance(10) {
            text += "  description = \"An output\"\n";
        }
        if self.oracle == Oracle::Terraform115 && self.random.chance(20) {
            let constraint = match ty {
                Str => "string",
                Num => "number",
                Bool => "bool",
                Strs => "list(string)",
                Map => "map(string)",
                Set => "set(string)",
                Obj => "object({ name = string, size = optional(number, 1) })",
                Any => "any",
            };
            text += &format!("  type = {constraint}\n");
        }
        self.push(&format!("output.{name}"), text + "}\n");
    }

    fn call(&mut self) {
        let name = self.next("m");
        let mut child = World::new(self.random, self.oracle);
        child.is_child = true;
        child.count = 20;
        child.fill();
        child.output();
        let outputs: Vec<String> = child
            .blocks
            .iter()
            .filter_map(|block| block.name.strip_prefix("output."))
            .map(str::to_owned)
            .collect();
        let variables: Vec<(Ty, String)> = child
            .refs
            .iter()
            .filter_map(|(ty, name)| Some((*ty, name.strip_prefix("var.")?.to_owned())))
            .collect();
        let text: Vec<String> = child.blocks.into_iter().map(|block| block.text).collect();
        self.calls.insert(name.clone(), text.join("\n"));
        let mut call = format!("module \"{name}\" {{\n  source = \"./{name}\"\n");
        let mut one = format!("module.{name}");
        match self.random.below(6) {
            0 => {
                call += "  count = 2\n";
                one += "[1]";
            }
            1 => {
                call += "  for_each = toset([\"u\", \"v\"])\n";
                one += "[\"u\"]";
            }
            _ => {}
        }
        for (ty, variable) in variables {
            if self.random.chance(50) {
                let value = self.expression(ty, 2);
                call += &format!("  {variable} = {value}\n");
            }
        }
        for output in outputs {
            self.refs.push((Any, format!("{one}.{output}")));
        }
        self.push(&format!("module.{name}"), call + "}\n");
    }
}

/// How expressions of a type are made of others.
fn patterns(ty: Ty) -> &'static [&'static str] {
    match ty {
        Str => &[
            "\"${«s»}-x\"",
            "upper(«s»)",
            "join(\",\", «l»)",
            "«b» ? «s» : «s»",
            "coalesce(«s», \"z\")",
            "try(«s», \"f\")",
            "format(\"%s-%v\", «s», «n»)",
            "lookup(«m», \"k\", «s»)",
            "jsonencode(«a»)",
            "tostring(«n»)",
            "one([for x in «l» : x][*])",
            "sensitive(«s»)",
            "nonsensitive(sensitive(«s»))",
            "replace(«s», \"a\", «s»)",
            "provider::lab6::join(\"+\", «s», \"z\")",
            "substr(\"abcdef\", 0, 2)",
            "trimspace(«s»)",
            "\"%{ if «b» }yes%{ else }no ${«n»}%{ endif }\"",
            "sha1(jsonencode(«a»))",
            "element(concat(«l», [\"e\"]), 0)",
            "«o».name",
            "md5(«s»)",
            "coalescelist(«l», [\"w\"])[0]",
            "(«b» ? { a = «s» } : { a = \"q\" }).a",
            "yamlencode(«a»)",
            "can(«s») ? \"can\" : «s»",
            "provider::lab6::or_default(«s»)",
        ],
        Num => &[
            "length(«l»)",
            "length(«m»)",
            "max(«n», «n»)",
            "«n» + «n»",
            "«b» ? «n» : «n»",
            "try(tonumber(«s»), 9)",
            "sum([«n», 1])",
            "length(«s»)",
            "ceil(«n»)",
            "-«n»",
            "«n» % 3",
            "index([\"a\", \"b\"], \"b\")",
            "«n» * «n»",
            "try(«o».size, 1)",
            "length(«t»)",
            "parseint(\"ff\", 16)",
        ],
        Bool => &[
            "«s» == «s»",
            "«n» > «n»",
            "contains(«l», «s»)",
            "can(tonumber(«s»))",
            "!«b»",
            "«b» && «b»",
            "«b» || «b»",
            "«a» != null",
            "alltrue([for x in «l» : x != \"\"])",
            "anytrue([«b»])",
            "issensitive(«s»)",
            "«a» == «a»",
            "startswith(«s», \"a\")",
            "«o» == «o»",
            "provider::lab6::is_known(«s»)",
            "«s» == null",
        ],
        Strs => &[
            "[«s», «s»]",
            "[for x in «l» : upper(x)]",
            "keys(«m»)",
            "values(«m»)",
            "sort(«l»)",
            "concat(«l», «l»)",
            "distinct(«l»)",
            "tolist(«t»)",
            "[for x in «l» : x if «b»]",
            "split(\",\", «s»)",
            "compact(«l»)",
            "reverse(«l»)",
            "flatten([«l», [«s»]])",
            "«b» ? «l» : [«s»]",
            "[for k, v in «m» : \"${k}=${v}\"]",
            "try(slice(«l», 0, 1), [])",
            "[«o», «o»][*].name",
            "setunion(«t», [«s»])[*]",
            "formatlist(\"%s!\", «l»)",
        ],
        Map => &[
            "{ a = «s», b = «s» }",
            "merge(«m», «m»)",
            "{ for k, v in «m» : k => upper(v) if v != \"\" }",
            "{ for x in distinct(«l») : \"k-${x}\" => x }",
            "zipmap([\"a\"], [«s»])",
            "tomap({ z = «s» })",
            "«b» ? «m» : {}",
            "{ («s» == null ? \"n\" : \"o\") = «s» }",
            "try(«m», {})",
            "{ for x in «l» : x => x... } == {} ? {} : { g = «s» }",
        ],
        Set => &[
            "toset(«l»)",
            "toset([«s»])",
            "setunion(«t», «t»)",
            "setsubtract(«t», «t»)",
            "toset(keys(«m»))",
            "setintersection(«t», toset(«l»))",
        ],
        Obj => &[
            "{ name = «s», size = «n» }",
            "«b» ? «o» : { name = «s», size = 1 }",
            "[«o»][0]",
            "merge(«o», { size = «n» })",
            "try(«o», { name = \"\", size = 0 })",
        ],
        Any => &[
            "«s»",
            "«n»",
            "«l»",
            "«m»",
            "«o»",
            "[«a», «a»]",
            "{ p = «a», q = «s» }",
            "try(«a», null)",
            "«b» ? «a» : null",
            "jsondecode(jsonencode(«a»))",
            "provider::lab6::any(«a»)",
            "[for x in «l» : { n = x }]",
            "{ for k, v in «m» : v => k... }",
            "(«a»)",
            "[«t», «n»]",
            "sensitive(«a»)",
            "provider::lab6::endpoint(\"h:${«n»}\")",
        ],
    }
}

/// The type of a resource, its arguments (`?`: now and then) and its attributes.
const RESOURCES: &[(&str, &str, &str)] = &[
    (
        "lab6_server",
        "name = \"n-${«s» == null ? 1 : 2}\";?size = «n» > 3 ? 5 : 6;?region = «s»;?tier = «s»;?quota = «n»;?enabled = «b»;?tags = «m»;?zones = «l»;?groups = «t»",
        "s:id s:name s:region s:tier m:tags l:zones t:groups s:address n:revision",
    ),
    (
        "lab6_note",
        "text = \"t ${jsonencode(«s»)}\";?title = «s»",
        "s:id s:text s:title",
    ),
    (
        "lab6_secret",
        "name = «s»;?password = «s»;?pin = «s»;?login = { user = «s», key = «s» };?write_only = «s»;?write_only_count = 1",
        "s:id s:name s:password s:token",
    ),
    (
        "lab6_cluster",
        "name = \"c\";?network = { cidr = \"c-${«b»}\" };?nodes = [{ name = \"n1\", disks = [{ size = 1 }, { size = 2, kind = \"hdd\" }] }];?rules = [{ port = 80, protocol = «s» }, { port = 81, secret = «s» }];?pools = { one = { size = 1, labels = «m» } }",
        "s:id s:name a:nodes a:rules a:pools a:network",
    ),
    (
        "lab6_service",
        "name = \"s\";?port {⏎  number = 80⏎  allow {⏎    from = «s»⏎  }⏎};?port {⏎  number = 81⏎  protocol = «s»⏎};?dynamic \"volume\" {⏎  for_each = «l»⏎  content {⏎    path = volume.value⏎    size = volume.key == \"\" ? 1 : 2⏎  }⏎};?logging {⏎  level = «s»⏎};?timeouts {⏎  create = \"5m\"⏎}",
        "s:id s:name a:port a:volume a:logging",
    ),
    ("lab6_document", "content = «a»", "s:id s:digest a:content"),
    (
        "lab6_planned",
        "a = 1;?b = 2;?mode = «s»;?addresses = [{ zone = «s» }]",
        "s:id n:a n:sum n:kept a:endpoint a:addresses",
    ),
    (
        "lab6_checked",
        "even = 4;?old = «s»;?limits = [{ even = 2 }];?planned = «s»",
        "s:id n:even",
    ),
    (
        "lab6_volume",
        "name = \"vol\";?size = 4",
        "s:id s:name n:size",
    ),
    (
        "lab5_instance",
        "name = \"i-${«b»}\";?size = 3;?label = «s»;?password = «s»;?tags = «m»;?ports = [1, 2];?groups = «t»;?disk {⏎  size = 1⏎};?dynamic \"network\" {⏎  for_each = «t»⏎  content {⏎    subnet = network.value⏎    public = «b»⏎  }⏎};?metadata {⏎  owner = «s»⏎};?timeouts {⏎  create = \"9m\"⏎}",
        "s:id s:name s:region s:address n:revision m:tags l:groups",
    ),
    (
        "lab5_record",
        "name = \"rec-${«n» > 1}\";?value = «s»;?ttl = 60",
        "s:id s:name s:value n:ttl",
    ),
    (
        "lab5_security_group",
        "?name = \"sg\";?description = «s»;?ingress {⏎  from_port = 1⏎  to_port = 2⏎  protocol = \"tcp\"⏎  cidr_blocks = «l»⏎};?tags = «m»",
        "s:id s:arn m:tags_all",
    ),
    (
        "lab5_role",
        "assume_role_policy = jsonencode(«a»);?description = «s»;?tags = «m»",
        "s:id s:arn m:tags_all",
    ),
    (
        "terraform_data",
        "?input = «a»;?triggers_replace = «a»",
        "s:id a:output a:input",
    ),
    ("terraform_data", "input = «s»", "s:id s:output"),
    ("terraform_data", "input = «o»", "s:id s:output.name"),
    (
        "random_pet",
        "?length = 2;?prefix = «s»;?keepers = «m»",
        "s:id s:separator",
    ),
    (
        "random_password",
        "length = 8;?special = «b»",
        "s:id s:result",
    ),
    ("null_resource", "?triggers = «m»", "s:id"),
];

/// A module after random edits of one that is applied.
fn edit(
    random: &mut Random,
    oracle: Oracle,
    base: &[Block],
    calls: &BTreeMap<String, String>,
) -> Module {
    let mut blocks = base.to_vec();
    let mut calls = calls.clone();
    let mut options = Vec::new();
    for _ in 0..1 + random.below(3) {
        match random.below(10) {
            0..=4 => {
                let at = random.below(blocks.len());
                blocks[at].text = other_literal(random, &blocks[at].text);
            }
            5 => {
                if let Some(name) = pick_resource(random, &blocks) {
                    let is_used = blocks.iter().filter(|it| it.text.contains(&name)).count() > 0;
                    if !is_used || random.chance(30) {
                        blocks.retain(|it| it.name != name);
                    }
                }
            }
            6 => rename(random, &mut blocks),
            7 => {
                if let Some(name) = pick_resource(random, &blocks) {
                    let key = *random.pick(&["", "[0]", "[1]", "[\"east\"]", "[\"p\"]"]);
                    options.push(match random.below(7) {
                        0 => format!("-target={name}"),
                        1 | 2 => format!("-replace={name}"),
                        3 if oracle == Oracle::Tofu112 => format!("-exclude={name}"),
                        4 => format!("-target={name}{key}"),
                        5 => format!("-destroy -target={name}{key}"),
                        _ => (*random.pick(&[
                            "-destroy",
                            "-destroy -refresh",
                            "-refresh -refresh-only",
                            "-refresh",
                        ]))
                        .to_owned(),
                    });
                }
            }
            8 => {
                if let Some(name) = calls.keys().next().cloned() {
                    let text = other_literal(random, &calls[&name]);
                    calls.insert(name, text);
                }
            }
            _ => odd(random, oracle, &mut blocks),
        }
    }
    // Both would be refused before anything is read.
    options.truncate(1);
    let files = files(&blocks, &calls);
    Module {
        files,
        options,
        environment: Vec::new(),
    }
}

fn pick_resource(random: &mut Random, blocks: &[Block]) -> Option<String> {
    let names = blocks.iter().map(|it| it.name.clone());
    let names: Vec<String> = names
        .filter(|name| {
            RESOURCES
                .iter()
                .any(|(kind, ..)| name.starts_with(&format!("{kind}.")))
        })
        .collect();
    (!names.is_empty()).then(|| random.pick(&names).clone())
}

/// One text or number is another one.
fn other_literal(random: &mut Random, text: &str) -> String {
    let mut places = Vec::new();
    for (start, line) in lines(text) {
        let Some(equals) = line.find("= ") else {
            continue;
        };
        if line.contains("source") || line.contains("alias") || line.contains("type ") {
            continue;
        }
        let value = &line[equals + 2..];
        let at = start + equals + 2;
        for (offset, c) in value.char_indices() {
            let behind = value[..offset].chars().next_back();
            let is_number = c.is_ascii_digit() && behind.is_none_or(|it| " [(-".contains(it));
            if is_number {
                let end = value[offset..].find(|c: char| !c.is_ascii_digit());
                places.push((
                    at + offset,
                    at + offset + end.unwrap_or(value.len() - offset),
                    "7",
                ));
            }
            if c == '"' && behind.is_none_or(|it| " [(".contains(it)) {
                let rest = &value[offset + 1..];
                if let Some(end) = rest
                    .find('"')
                    .filter(|end| !rest[..*end].contains(['$', '%', '\\']))
                {
                    places.push((at + offset, at + offset + end + 2, "\"other\""));
                }
            }
        }
        for word in ["true", "false"] {
            if value == word {
                places.push((
                    at,
                    at + word.len(),
                    if word == "true" { "false" } else { "true" },
                ));
            }
        }
    }
    if places.is_empty() {
        return text.to_owned();
    }
    let (start, end, with) = *random.pick(&places);
    let with = match random.below(20) {
        0 => "null",
        1 | 2 => "\"10\"",
        _ => with,
    };
    format!("{}{with}{}", &text[..start], &text[end..])
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches('\n'))
    })
}

/// A resource has another name, or was given keys, with a `moved` block or without.
fn rename(random: &mut Random, blocks: &mut Vec<Block>) {
    let Some(name) = pick_resource(random, blocks) else {
        return;
    };
    let (kind, label) = name.split_once('.').expect("a type and a name");
    let new = format!("{kind}.{label}_new");
    let is_word = |text: &str| {
        let mut result = text.replace(
            &format!("\"{kind}\" \"{label}\""),
            &format!("\"{kind}\" \"{label}_new\""),
        );
        for end in [".", "[", "]", ")", ",", " "] {
            result = result.replace(&format!("{name}{end}"), &format!("{new}{end}"));
        }
        result
    };
    for block in blocks.iter_mut() {
        block.text = is_word(&block.text);
        if block.name == name {
            block.name = new.clone();
        }
    }
    match random.below(5) {
        0 => {}
        1 => blocks.push(Block {
            name: "moved".into(),
            text: format!("moved {{\n  from = {name}\n  to   = {new}[\"k\"]\n}}\n"),
        }),
        _ => blocks.push(Block {
            name: "moved".into(),
            text: format!("moved {{\n  from = {name}\n  to   = {new}\n}}\n"),
        }),
    }
}

/// Blocks that are odd by themselves; some are errors.
fn odd(random: &mut Random, oracle: Oracle, blocks: &mut Vec<Block>) {
    let newer: &[&str] = match oracle {
        Oracle::Terraform111 => &[],
        Oracle::Terraform115 => ODD_IN_TERRAFORM_1_15,
        Oracle::Tofu112 => ODD_IN_TOFU_1_12,
    };
    let all: Vec<&str> = ODD.iter().chain(newer).chain(newer).copied().collect();
    let text = (*random.pick(&all)).to_owned();
    let resource = pick_resource(random, blocks).unwrap_or("terraform_data.none".into());
    let text = text.replace("RESOURCE", &resource);
    blocks.push(Block {
        name: "odd".into(),
        text: format!("{text}\n"),
    });
}

const ODD: &[&str] = &[
    "removed {\n  from = lab6_server.gone\n  lifecycle {\n    destroy = false\n  }\n}",
    "removed {\n  from = terraform_data.r4\n  lifecycle {\n    destroy = false\n  }\n}",
    "removed {\n  from = module.m5\n  lifecycle {\n    destroy = true\n  }\n}",
    "moved {\n  from = terraform_data.nowhere\n  to   = terraform_data.nothing\n}",
    "moved {\n  from = RESOURCE\n  to   = module.m9.terraform_data.x\n}",
    "import {\n  to = lab6_volume.imported\n  id = \"here\"\n}\nresource \"lab6_volume\" \"imported\" {\n  name = \"here\"\n  size = 4\n}",
    "import {\n  to = lab6_volume.imported\n  id = \"nothing\"\n}\nresource \"lab6_volume\" \"imported\" {\n  name = \"here\"\n}",
    "import {\n  for_each = toset([\"p\", \"q\"])\n  to       = lab5_record.imported[each.key]\n  id       = \"${each.key}/v\"\n}\nresource \"lab5_record\" \"imported\" {\n  for_each = toset([\"p\", \"q\"])\n  name     = each.key\n  value    = \"w\"\n}",
    "import {\n  to = RESOURCE\n  id = \"again\"\n}",
    "output \"undeclared\" {\n  value = terraform_data.not_here.id\n}",
    "output \"attribute\" {\n  value = RESOURCE.not_an_attribute\n}",
    "output \"whole\" {\n  value     = RESOURCE\n  sensitive = true\n}",
    "output \"leak\" {\n  value = sensitive(\"s\")\n}",
    "output \"condition\" {\n  value = 1\n  precondition {\n    condition     = 1 > 2\n    error_message = \"Never.\"\n  }\n}",
    "resource \"terraform_data\" \"postcondition\" {\n  input = 1\n  lifecycle {\n    postcondition {\n      condition     = self.output == 2\n      error_message = \"Later.\"\n    }\n  }\n}",
    "resource \"terraform_data\" \"prevented\" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}",
    "resource \"terraform_data\" \"unknown_count\" {\n  count = length(RESOURCE.id)\n}",
    "resource \"terraform_data\" \"unknown_keys\" {\n  for_each = toset([RESOURCE.id])\n}",
    "resource \"terraform_data\" \"sensitive_keys\" {\n  for_each = sensitive(toset([\"a\"]))\n}",
    "resource \"terraform_data\" \"null_keys\" {\n  for_each = null\n}",
    "resource \"terraform_data\" \"negative\" {\n  count = -1\n}",
    "resource \"terraform_data\" \"triggered\" {\n  lifecycle {\n    replace_triggered_by = [RESOURCE]\n  }\n}",
    "resource \"lab6_server\" \"typed\" {\n  name = \"x\"\n  size = \"many\"\n}",
    "resource \"lab6_server\" \"incomplete\" {\n  size = 1\n}",
    "resource \"lab6_server\" \"unknown_argument\" {\n  name  = \"x\"\n  colour = 1\n}",
    "resource \"lab6_server\" \"null_name\" {\n  name = null\n}",
    "resource \"lab6_checked\" \"refused\" {\n  even = 3\n}",
    "resource \"lab6_checked\" \"warned\" {\n  even = 2000\n  old  = \"deprecated\"\n}",
    "resource \"lab6_checked\" \"failing\" {\n  planned = \"error\"\n}",
    "resource \"lab5_instance\" \"dynamic\" {\n  name = \"d\"\n  dynamic \"disk\" {\n    for_each = RESOURCE.id == \"\" ? [1] : [1, 2]\n    content {\n      size = disk.value\n    }\n  }\n}",
    "check \"data\" {\n  data \"lab6_lookup\" \"in_check\" {\n    name = \"nothing\"\n  }\n  assert {\n    condition     = data.lab6_lookup.in_check.id == \"\"\n    error_message = \"Not found.\"\n  }\n}",
    "check \"failing\" {\n  assert {\n    condition     = 1 == 2\n    error_message = \"It fails.\"\n  }\n  assert {\n    condition     = RESOURCE.id == \"x\"\n    error_message = \"The id is ${RESOURCE.id}.\"\n  }\n}",
    "variable \"unset\" {\n  type = string\n}",
    "variable \"invalid\" {\n  default = 1\n  validation {\n    condition     = var.invalid > 2\n    error_message = \"Too small: ${var.invalid}.\"\n  }\n}",
    "variable \"ephemeral\" {\n  default   = \"e\"\n  ephemeral = true\n}\nresource \"terraform_data\" \"ephemeral\" {\n  input = var.ephemeral\n}",
    "variable \"mistyped\" {\n  type    = list(string)\n  default = { a = 1 }\n}",
    "locals {\n  circle_a = local.circle_b\n  circle_b = local.circle_a\n}",
    "locals {\n  divided = 1 / 0\n}\noutput \"divided\" {\n  value = local.divided\n}",
    "data \"lab6_failing\" \"f\" {\n}\noutput \"of_failing\" {\n  value = data.lab6_failing.f.id\n}",
    "data \"lab6_lookup\" \"later\" {\n  name       = \"x\"\n  depends_on = [RESOURCE]\n}\noutput \"later\" {\n  value = data.lab6_lookup.later.region\n}",
    "data \"lab5_zones\" \"z\" {\n}\nresource \"terraform_data\" \"zones\" {\n  for_each = toset(data.lab5_zones.z.names)\n  input    = each.key\n}",
    "module \"missing\" {\n  source = \"./missing\"\n}",
    "resource \"terraform_data\" \"self\" {\n  input = terraform_data.self.id\n}",
    "resource \"terraform_data\" \"twice\" {\n}\nresource \"terraform_data\" \"twice\" {\n}",
    "output \"function\" {\n  value = provider::lab6::fail()\n}",
    "output \"conversion\" {\n  value = provider::lab6::join(1, [2])\n}",
    "output \"splat\" {\n  value = [RESOURCE[*], null[*]]\n  sensitive = true\n}",
    "ephemeral \"lab6_session\" \"s\" {\n  name = \"nobody\"\n}",
    "ephemeral \"lab6_session\" \"s\" {\n  name = RESOURCE.id\n}\nlocals {\n  token = ephemeral.lab6_session.s.token\n}\noutput \"leaked\" {\n  value = local.token\n}",
    "resource \"terraform_data\" \"provisioned\" {\n  provisioner \"local-exec\" {\n    command = self.id\n  }\n}",
    "resource \"lab6_checked\" \"deprecated\" {\n  even = 2\n  lifecycle {\n    ignore_changes = [old]\n  }\n}\noutput \"deprecated\" {\n  value = lab6_checked.deprecated.old\n}",
    "resource \"lab6_cluster\" \"ignoring\" {\n  name = \"i\"\n  lifecycle {\n    ignore_changes = [network.gateway, nodes[0].name, id]\n  }\n}",
    "resource \"lab6_cluster\" \"ignoring\" {\n  name = \"i\"\n  lifecycle {\n    ignore_changes = [name, nodes[0].size]\n  }\n}",
    "resource \"terraform_data\" \"triggered\" {\n  lifecycle {\n    replace_triggered_by = [RESOURCE[*]]\n  }\n}",
    "import {\n  to = RESOURCE[0]\n  id = \"counted\"\n}",
    "import {\n  to = module.m99.lab6_volume.v\n  id = \"nowhere\"\n}",
    "import {\n  to = lab6_volume.undeclared[\"k\"]\n  id = \"nowhere\"\n}",
    "locals {\n  template = \"$${name\"\n}\noutput \"rendered\" {\n  value = templatestring(local.template, { name = 1 })\n}",
    "output \"broken\" {\n  value = RESOURCE.id\n  precondition {\n    condition     = RESOURCE.id == \"\"\n    error_message = \"It has an id.\"\n  }\n}",
    "resource \"lab6_document\" \"of_unknown\" {\n  content = { a = RESOURCE.id, b = [sensitive(1)] }\n}",
];

const ODD_IN_TERRAFORM_1_15: &[&str] = &[
    "output \"typed\" {\n  type  = number\n  value = \"12\"\n}",
    "output \"mistyped\" {\n  type  = number\n  value = \"many\"\n}",
    "output \"old\" {\n  value      = 1\n  deprecated = \"Not in the root.\"\n}",
    "variable \"old\" {\n  default    = 1\n  deprecated = \"Use another.\"\n}\noutput \"of_old\" {\n  value = var.old\n}",
    "output \"converted\" {\n  value = convert({ a = 1 }, object({ a = string, b = optional(number, 2) }))\n}",
    "output \"not_converted\" {\n  value = convert([\"a\"], map(string))\n}",
    "import {\n  to       = lab6_volume.by_identity\n  identity = {\n    name = \"idn\"\n  }\n}\nresource \"lab6_volume\" \"by_identity\" {\n  name = \"idn\"\n}",
    "output \"null_of_sensitive\" {\n  value = { a = sensitive(1) } == null\n}",
    "variable \"which\" {\n  default = \"missing\"\n}\nmodule \"chosen\" {\n  source = \"./${var.which}\"\n}",
];

const ODD_IN_TOFU_1_12: &[&str] = &[
    "resource \"terraform_data\" \"disabled\" {\n  lifecycle {\n    enabled = false\n  }\n}\noutput \"of_disabled\" {\n  value = terraform_data.disabled\n}",
    "resource \"terraform_data\" \"enabled\" {\n  input = 1\n  lifecycle {\n    enabled = RESOURCE.id != \"\"\n  }\n}",
    "resource \"terraform_data\" \"kept\" {\n  input = 1\n  lifecycle {\n    prevent_destroy = 1 > 2\n  }\n}",
    "variable \"old\" {\n  default    = 1\n  deprecated = \"Use another.\"\n}\noutput \"of_old\" {\n  value = var.old\n}",
    "output \"old\" {\n  value      = 1\n  deprecated = \"Gone soon.\"\n}",
    "provider \"lab6\" {\n  alias    = \"each\"\n  for_each = toset([\"a\", \"b\"])\n}\nresource \"lab6_note\" \"each\" {\n  for_each = toset([\"a\", \"b\"])\n  provider = lab6.each[each.key]\n  text     = each.key\n}",
    "provider \"lab6\" {\n  alias    = \"each\"\n  for_each = toset([\"a\"])\n}\nresource \"lab6_note\" \"each\" {\n  for_each = toset([\"a\", \"b\"])\n  provider = lab6.each[each.key]\n  text     = each.key\n}",
    "removed {\n  from = lab6_server.gone\n}",
    "output \"ephemeral\" {\n  value     = 1\n  ephemeral = true\n}",
    "output \"null_of_sensitive\" {\n  value = { a = sensitive(1) } == null\n}",
    "import {\n  to = lab6_volume.both\n  id = \"x\"\n  identity = {\n    name = \"idn\"\n  }\n}\nresource \"lab6_volume\" \"both\" {\n  name = \"idn\"\n}",
    "variable \"secret_id\" {\n  default   = \"i\"\n  sensitive = true\n}\nimport {\n  to = lab6_volume.secret\n  id = var.secret_id\n}\nresource \"lab6_volume\" \"secret\" {\n  name = \"i\"\n}",
    "import {\n  for_each = null\n  to       = lab6_volume.none[each.key]\n  id       = \"x\"\n}\nresource \"lab6_volume\" \"none\" {\n  for_each = toset([\"k\"])\n  name     = \"i\"\n}",
    "output \"tofu\" {\n  value = [tofu.workspace, terraform.workspace]\n}",
    "variable \"constant\" {\n  default = \"x\"\n  const   = true\n}\noutput \"constant\" {\n  value = var.constant\n}",
    "resource \"terraform_data\" \"forgotten\" {\n  lifecycle {\n    destroy = false\n  }\n}",
];
