//! Random module trees, each with the state that an older version of it left: the same seed gives the same trees.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::model::{Applied, Call, Check, Expr, Keys, Kind, Module, Resource, type_of};
use crate::support::random::Random;

/// Several trees under one root, so that one run plans them all.
pub struct Batch {
    pub files: Vec<(String, String)>,
    pub state: Value,
    /// How often each construct and edit occurs.
    pub constructs: BTreeMap<&'static str, usize>,
}

pub fn batch(seed: u64, trees: usize) -> Batch {
    let mut generator = Generator {
        random: Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x7_4ee5),
        constructs: BTreeMap::new(),
        names: 0,
        root: String::new(),
    };
    let mut files = Vec::new();
    let mut resources = Vec::new();
    let mut outputs = json!({});
    for tree in 0..trees {
        let name = format!("t{tree}");
        let before = generator.module(0);
        let input = json!("given");
        let mut applied = Applied {
            random: &mut generator.random,
            resources: Vec::new(),
            tainted: 0,
            deposed: 0,
            waiting: 0,
        };
        let output = applied.module(&before, &format!("module.{name}"), &input);
        let (tainted, deposed) = (applied.tainted, applied.deposed);
        resources.append(&mut applied.resources);
        generator.add("tainted", tainted);
        generator.add("deposed", deposed);
        outputs[&name] = json!({ "value": output, "type": type_of(&output) });
        let after = generator.edited(&before, Some(&format!("module.{name}")));
        after.write(&format!("./{name}"), &mut files);
        let input = match generator.random.chance(20) {
            true => generator.count("edit: another input", "changed"),
            false => "given",
        };
        generator.root += &format!(
            "module \"{name}\" {{\n  source = \"./{name}\"\n  input = \"{input}\"\n}}\noutput \"{name}\" {{\n  value = module.{name}.out\n}}\n"
        );
    }
    files.push(("./main.tf".to_owned(), generator.root));
    let state = json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1,
        "lineage": "00000000-0000-0000-0000-000000000000",
        "outputs": outputs, "resources": resources, "check_results": null,
    });
    Batch {
        files,
        state,
        constructs: generator.constructs,
    }
}

struct Generator {
    random: Random,
    constructs: BTreeMap<&'static str, usize>,
    /// How many names have been given.
    names: usize,
    /// The text of the root module.
    root: String,
}

const KEYS: [&str; 6] = ["a", "b", "c", "d", "x y", "ü"];
const TEXTS: [&str; 5] = ["red", "green", "blue", "", "two words"];

/// Ways to write a text that mean the same.
const SAME: [&str; 12] = [
    "lower({})",
    "join(\"\", [{}])",
    "format(\"%s\", {})",
    "trimspace({})",
    "element([{}], 0)",
    "nonsensitive({})",
    "try({}, \"other\")",
    "one([{}])",
    "lookup({ k = {} }, \"k\", \"other\")",
    "(length([1, 2]) == 2 ? {} : \"other\")",
    "[for s in [{}] : s][0]",
    "\"${{}}\"",
];

/// Ways to make another value of any value.
const OTHER: [&str; 8] = [
    "jsonencode({})",
    "[{}]",
    "length(jsonencode({}))",
    "{} == \"red\"",
    "\"<${jsonencode({})}>\"",
    "sha1(jsonencode({}))",
    "sensitive({})",
    "{ of = {} }",
];

impl Generator {
    fn add(&mut self, construct: &'static str, count: usize) {
        *self.constructs.entry(construct).or_default() += count;
    }

    fn count<T>(&mut self, construct: &'static str, then: T) -> T {
        self.add(construct, 1);
        then
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn keys(&mut self) -> Keys {
        match self.random.below(5) {
            0 => {
                let count = self.random.below(3) + 1;
                self.count("count", Keys::Count(count))
            }
            1 => {
                let keys: Vec<&str> = KEYS
                    .into_iter()
                    .filter(|_| self.random.chance(40))
                    .collect();
                match keys.is_empty() {
                    true => Keys::Single,
                    false => self.count("for_each", Keys::Each(keys)),
                }
            }
            _ => Keys::Single,
        }
    }

    fn text(&mut self) -> Expr {
        Expr::Text((*self.random.pick(&TEXTS)).to_owned())
    }

    /// What is applied first.
    fn module(&mut self, depth: usize) -> Module {
        let mut module = Module::default();
        for id in 0..self.random.below(4) + 1 {
            let value = match self.random.below(6) {
                0 => Expr::Key,
                1 => Expr::Input,
                2 if id > 0 => {
                    let other = self.random.below(id);
                    self.count("reference", Expr::Of(other))
                }
                _ => self.text(),
            };
            let resource = self.resource(id, value);
            module.resources.push(resource);
        }
        let calls = if depth < 2 {
            self.random.below(3 - depth)
        } else {
            0
        };
        // What reads a call comes after it.
        let early = module.resources.len();
        for _ in 0..calls {
            let input = match self.random.below(3) {
                0 => {
                    let other = self.random.below(early);
                    self.count("reference", Expr::Of(other))
                }
                1 => Expr::Input,
                _ => self.text(),
            };
            let name = self.name("m");
            let call = Call {
                dir: name.clone(),
                name,
                keys: self.keys(),
                input,
                module: self.module(depth + 1),
                depends_on: self.depends_on(early),
            };
            self.add("module", 1);
            if self.random.chance(50) {
                let value = self.count("module output", Expr::Child(call.name.clone()));
                let resource = self.resource(module.resources.len(), value);
                module.resources.push(resource);
            }
            module.calls.push(call);
        }
        module
    }

    fn resource(&mut self, id: usize, value: Expr) -> Resource {
        let kind = match self.random.below(8) {
            0 => self.count("null_resource", Kind::Null),
            1 => self.count("lab6_server", Kind::Server),
            2 => self.count("dynamic blocks", Kind::Service),
            3 => self.count("data source", Kind::Lookup),
            _ => self.count("terraform_data", Kind::Data),
        };
        let trigger = self.random.chance(40).then(|| "t0".to_owned());
        let mut lifecycle = Vec::new();
        if kind != Kind::Lookup && self.random.chance(8) {
            self.add("create_before_destroy", 1);
            lifecycle.push("create_before_destroy = true".to_owned());
        }
        let depends_on = self.depends_on(id);
        Resource {
            id,
            name: self.name("r"),
            kind,
            keys: self.keys(),
            value,
            trigger,
            lifecycle,
            depends_on,
        }
    }

    /// One of the resources before that with this id, seldom.
    fn depends_on(&mut self, id: usize) -> Option<usize> {
        if id == 0 || !self.random.chance(10) {
            return None;
        }
        self.add("depends_on", 1);
        Some(self.random.below(id.min(4)))
    }

    /// The next version of a module. `addr`: of its only instance, if it has but one, then and later.
    fn edited(&mut self, before: &Module, addr: Option<&str>) -> Module {
        let mut after = Module::default();
        let mut sunk = Vec::new();
        for resource in &before.resources {
            self.edit_resource(resource, &mut after, before, &mut sunk);
        }
        for call in &before.calls {
            self.edit_call(call, &mut after, addr, &sunk);
        }
        if self.random.chance(30) {
            let value = match after.resources.is_empty() || self.random.chance(40) {
                true => self.text(),
                false => Expr::Of(self.random.pick(&after.resources).id),
            };
            let resource = self.resource(100, value);
            self.add("edit: new resource", 1);
            if let (Some(addr), Kind::Data, Keys::Single) = (addr, resource.kind, &resource.keys)
                && self.random.chance(70)
            {
                self.add("import", 1);
                let name = &resource.name;
                self.root += &format!(
                    "import {{\n  to = {addr}.terraform_data.{name}\n  id = \"id of {name}\"\n}}\n"
                );
            }
            after.resources.push(resource);
        }
        if let Some(looked_at) = after.resources.first().filter(|_| self.random.chance(15)) {
            let value = Expr::Of(looked_at.id);
            // Further inside, terraform makes a cycle of what reads the module as a whole and the check.
            let is_outermost = addr.is_some_and(|addr| addr.matches('.').count() == 1);
            let reads = is_outermost && self.random.chance(50);
            self.add(if reads { "check that reads" } else { "check" }, 1);
            let name = self.name("c");
            after.checks.push(Check { name, value, reads });
        }
        after
    }

    fn edit_resource(
        &mut self,
        before: &Resource,
        module: &mut Module,
        all: &Module,
        sunk: &mut Vec<(String, Resource)>,
    ) {
        let mut after = before.clone();
        let is_managed = before.kind != Kind::Lookup;
        let addr = |name: &str| format!("{}.{name}", before.kind.type_name());
        match self.random.below(24) {
            // Blocks are about managed resources.
            5..=8 | 11..=13 if !is_managed => self.add("edit: none", 1),
            0 | 1 => {
                self.add("edit: value", 1);
                after.value = match self.random.below(4) {
                    0 => self.text(),
                    _ => {
                        let function = *self.random.pick(OTHER.as_slice());
                        Expr::Within(function, Box::new(after.value))
                    }
                };
            }
            2 => {
                self.add("edit: same value", 1);
                if let Expr::Text(_) = after.value {
                    let function = *self.random.pick(SAME.as_slice());
                    after.value = Expr::Within(function, Box::new(after.value));
                }
            }
            3 | 4 => {
                self.add("edit: trigger", 1);
                after.trigger = Some("t1".to_owned());
                let first = "create_before_destroy = true".to_owned();
                if is_managed && !after.lifecycle.contains(&first) && self.random.chance(50) {
                    self.add("create_before_destroy", 1);
                    after.lifecycle.push(first);
                }
            }
            5 => {
                self.add("ignore_changes", 1);
                let name = match before.kind {
                    Kind::Data => "input",
                    Kind::Null => "triggers",
                    Kind::Server | Kind::Lookup => "tags",
                    Kind::Service => "port",
                };
                after.lifecycle.push(format!("ignore_changes = [{name}]"));
                after.value = self.text();
            }
            6 => {
                let mut others = all.resources.iter();
                let other = others.find(|o| o.id < before.id && o.kind != Kind::Lookup);
                if let Some(other) =
                    other.and_then(|o| module.resources.iter().find(|r| r.id == o.id))
                {
                    self.add("replace_triggered_by", 1);
                    let other = format!("{}.{}", other.kind.type_name(), other.name);
                    after
                        .lifecycle
                        .push(format!("replace_triggered_by = [{other}]"));
                }
            }
            7 | 8 => {
                self.add("edit: moved", 1);
                after.name = self.name("r");
                let mut from = addr(&before.name);
                if self.random.chance(25) {
                    self.add("edit: moved twice", 1);
                    let between = addr(&self.name("r"));
                    module.blocks.push(moved(&from, &between));
                    from = between;
                }
                module.blocks.push(moved(&from, &addr(&after.name)));
            }
            9 => {
                self.add("edit: renamed", 1);
                after.name = self.name("r");
            }
            10 => return self.add("edit: removed", 1),
            11 | 12 => {
                let destroy = self.random.chance(30);
                let construct = if destroy {
                    "removed block"
                } else {
                    "removed block, forgets"
                };
                self.add(construct, 1);
                module.blocks.push(removed(&addr(&before.name), destroy));
                return;
            }
            13 => {
                // Into a module, where nothing of this module can be read.
                if let (Expr::Text(_) | Expr::Key, Some(call)) = (&after.value, all.calls.first())
                    && call.keys == Keys::Single
                {
                    self.add("edit: moved into a module", 1);
                    sunk.push((call.name.clone(), after));
                    return;
                }
            }
            14..=17 => {
                self.add("edit: keys", 1);
                after.keys = self.keys();
                if is_managed {
                    let object = addr(&before.name);
                    let block = self.moved_keys(&object, &before.keys, &after.keys);
                    module.blocks.extend(block);
                }
            }
            _ => self.add("edit: none", 1),
        }
        module.resources.push(after);
    }

    fn edit_call(
        &mut self,
        before: &Call,
        module: &mut Module,
        addr: Option<&str>,
        sunk: &[(String, Resource)],
    ) {
        let mut after = before.clone();
        let object = format!("module.{}", before.name);
        let takes_in = sunk.iter().any(|(call, _)| *call == before.name);
        match self.random.below(14) {
            _ if takes_in => {}
            0 | 1 => {
                self.add("edit: module moved", 1);
                after.name = self.name("m");
                module
                    .blocks
                    .push(moved(&object, &format!("module.{}", after.name)));
            }
            2 => {
                self.add("edit: module renamed", 1);
                after.name = self.name("m");
            }
            3 => return self.add("edit: module removed", 1),
            4 => {
                self.add("removed block, module", 1);
                module.blocks.push(removed(&object, self.random.chance(30)));
                return;
            }
            5..=7 => {
                self.add("edit: module keys", 1);
                after.keys = self.keys();
                let block = self.moved_keys(&object, &before.keys, &after.keys);
                module.blocks.extend(block);
            }
            8 => {
                self.add("edit: module input", 1);
                after.input = self.text();
            }
            _ => {}
        }
        let is_single = after.keys == Keys::Single && before.keys == Keys::Single;
        let inner = addr
            .filter(|_| is_single)
            .map(|addr| format!("{addr}.module.{}", after.name));
        after.module = self.edited(&before.module, inner.as_deref());
        for (_, resource) in sunk.iter().filter(|(call, _)| *call == before.name) {
            let r#type = resource.kind.type_name();
            let from = format!("{type}.{}", resource.name);
            let to = format!("{object}.{from}");
            module.blocks.push(moved(&from, &to));
            let id = 200 + after.module.resources.len();
            after.module.resources.push(Resource {
                id,
                depends_on: None,
                ..resource.clone()
            });
        }
        module.calls.push(after);
    }

    /// A block that keeps an object where the keys of all change, mostly; never one that is wrong.
    fn moved_keys(&mut self, object: &str, before: &Keys, after: &Keys) -> Option<String> {
        let (before, after) = (before.all(), after.all());
        let gone: Vec<&String> = before.iter().filter(|key| !after.contains(key)).collect();
        let come: Vec<&String> = after.iter().filter(|key| !before.contains(key)).collect();
        if gone.is_empty() || come.is_empty() || self.random.chance(40) {
            return None;
        }
        self.add("edit: moved to a key", 1);
        let (from, to) = (*self.random.pick(&gone), *self.random.pick(&come));
        Some(moved(&format!("{object}{from}"), &format!("{object}{to}")))
    }
}

fn moved(from: &str, to: &str) -> String {
    format!("moved {{\n  from = {from}\n  to   = {to}\n}}\n")
}

fn removed(from: &str, destroy: bool) -> String {
    format!("removed {{\n  from = {from}\n  lifecycle {{\n    destroy = {destroy}\n  }}\n}}\n")
}
