//! Where a module and its callers name things: declarations and uses, each exactly at the name.

use std::collections::HashMap;

use config::{
    Body, Files, Module, Origin, ProviderRef, Reference, Referenceable, ResourceAddr, ResourceMode,
};
use smol_str::SmolStr;
use syntax::Segment;
use syntax::ast::{
    Attribute, Block, Expr, ExprKind, Item, Key, ObjectItem, ObjectKey, Step, StepKind,
};
use text::{FileId, SegmentId, Span, TextRange, TextSize};

use crate::site::size_range;
use crate::words::{Word, words};
use crate::{Modules, Symbol, SymbolObject, outputs};

/// The role of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameRole {
    Declaration,
    Use,
    /// In the address of a `moved` block: history, which stays as it is.
    Moved,
}

/// A name in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub symbol: Symbol,
    pub file: FileId,
    /// Of the name alone, without quotes.
    pub range: TextRange,
    pub role: NameRole,
}

/// All names in the configuration files of the module in `dir`.
pub fn names(modules: &Modules, dir: &SmolStr) -> Vec<Name> {
    let Some(module) = modules.get(dir) else {
        return Vec::new();
    };
    let mut finder = Finder {
        modules,
        dir,
        files: module
            .files
            .iter()
            .map(|(file, syntax)| (file, segments(syntax)))
            .collect(),
        found: Vec::new(),
    };
    for (file, syntax) in &module.files {
        for segment in syntax.segments() {
            finder.declared(file, &segment);
        }
    }
    finder.referred(module);
    finder.found
}

/// The names in files beside the configuration of the module in `dir`: values for its variables, and its tests.
pub fn names_beside(modules: &Modules, files: &dyn Files, dir: &SmolStr) -> Vec<Name> {
    let mut finder = Finder {
        modules,
        dir,
        files: HashMap::new(),
        found: Vec::new(),
    };
    for dir in [dir.to_string(), format!("{dir}/tests")] {
        for name in files.list(&dir).unwrap_or_default() {
            let is_test = TEST_FILES.iter().any(|extension| name.ends_with(extension));
            let is_values = VALUE_FILES
                .iter()
                .any(|extension| name.ends_with(extension));
            let path = format!("{dir}/{name}");
            if let (true, Ok(syntax)) = (is_test || is_values, files.parse(&path)) {
                let file = FileId::new(path);
                for segment in syntax.segments() {
                    finder.beside(&file, &segment, is_test);
                }
            }
        }
    }
    finder.found
}

const VALUE_FILES: [&str; 2] = [".tfvars", ".tfvars.json"];
const TEST_FILES: [&str; 2] = [".tftest.hcl", ".tofutest.hcl"];

fn segments(file: &syntax::File) -> HashMap<SegmentId, Segment<'_>> {
    file.segments()
        .map(|segment| (segment.id, segment))
        .collect()
}

struct Finder<'a> {
    modules: &'a Modules,
    dir: &'a SmolStr,
    files: HashMap<&'a FileId, HashMap<SegmentId, Segment<'a>>>,
    found: Vec<Name>,
}

impl<'a> Finder<'a> {
    fn add(
        &mut self,
        dir: &SmolStr,
        object: SymbolObject,
        file: &FileId,
        range: TextRange,
        role: NameRole,
    ) {
        self.found.push(Name {
            symbol: Symbol {
                dir: dir.clone(),
                object,
            },
            file: file.clone(),
            range,
            role,
        });
    }

    /// The declarations of a block, in all layers of override files.
    fn declared(&mut self, file: &FileId, segment: &Segment<'_>) {
        for item in &segment.parsed.items {
            if let Item::Block(block) = item {
                self.declared_by(file, segment, block);
                for reached in outputs::reached(block) {
                    if let Some(called) = self.modules.called(self.dir, &reached.call).cloned() {
                        let object = SymbolObject::Output(reached.output);
                        let at = reached.range + segment.offset;
                        self.add(&called, object, file, at, NameRole::Use);
                    }
                }
            }
        }
    }

    fn declared_by(&mut self, file: &FileId, segment: &Segment<'_>, block: &Block) {
        let dir = self.dir.clone();
        let place = |range| unquoted(&segment.parsed.text, range) + segment.offset;
        let mut declare =
            |object, range| self.add(&dir, object, file, place(range), NameRole::Declaration);
        match (block.kind.name.as_str(), block.labels.as_slice()) {
            ("variable", [name, ..]) => {
                declare(SymbolObject::Variable(name.text.clone()), name.range)
            }
            ("output", [name, ..]) => declare(SymbolObject::Output(name.text.clone()), name.range),
            ("module", [name, ..]) => {
                declare(SymbolObject::ModuleCall(name.text.clone()), name.range);
                for (key, range) in keys(block) {
                    declare(SymbolObject::CallKey(name.text.clone(), key), range);
                }
                if let Some(providers) = block.body.attribute("providers") {
                    self.passed_providers(file, segment, &name.text, providers);
                }
            }
            (kind, [r#type, name, ..]) if let Some(mode) = ResourceMode::of_block_type(kind) => {
                let addr = ResourceAddr::new(mode, r#type.text.clone(), name.text.clone());
                declare(SymbolObject::Resource(addr.clone()), name.range);
                for (key, range) in keys(block) {
                    declare(SymbolObject::ResourceKey(addr.clone(), key), range);
                }
            }
            ("locals", []) => {
                for local in &block.body.attributes {
                    let name = &local.name.name;
                    declare(SymbolObject::Local(name.clone()), local.name.range);
                    for (key, range) in object_keys(&local.expr) {
                        declare(SymbolObject::LocalKey(name.clone(), key), range);
                    }
                }
                for member in block.body.members.iter().flatten() {
                    declare(
                        SymbolObject::Local(member.name().clone()),
                        member.name_range,
                    );
                }
            }
            ("provider", [name, ..]) => {
                if let Some(alias) = block.body.attribute("alias")
                    && let Some(text) = alias.expr.as_literal_string()
                {
                    let provider = ProviderRef {
                        name: name.text.clone(),
                        alias: Some(text),
                    };
                    declare(SymbolObject::Provider(provider), alias.expr.range);
                }
            }
            ("check", _) => {
                for data in block.body.blocks_of("data") {
                    self.declared_by(file, segment, &data);
                }
            }
            _ => {}
        }
    }

    /// `providers = { theirs = ours }` of a call.
    fn passed_providers(
        &mut self,
        file: &FileId,
        segment: &Segment<'_>,
        call: &SmolStr,
        providers: &Attribute,
    ) {
        let ExprKind::Object(items) = &providers.expr.kind else {
            return;
        };
        let called = self.modules.called(self.dir, call).cloned();
        for item in items {
            let own = self.dir.clone();
            self.provider(&own, file, segment, item.value.range);
            if let (Some(called), ObjectKey::Expr(Expr { range, .. })) = (&called, &item.key) {
                self.provider(called, file, segment, *range);
            }
        }
    }

    /// `aws.west`, in a module.
    fn provider(&mut self, dir: &SmolStr, file: &FileId, segment: &Segment<'_>, range: TextRange) {
        let text = &segment.parsed.text[range];
        if let [name, alias, ..] = words(text).as_slice() {
            let provider = ProviderRef {
                name: name.text.into(),
                alias: Some(alias.text.into()),
            };
            let at = alias.range + range.start() + segment.offset;
            self.add(
                dir,
                SymbolObject::Provider(provider),
                file,
                at,
                NameRole::Use,
            );
        }
    }

    /// The uses, which the declarations of the module know.
    fn referred(&mut self, module: &'a Module) {
        for reference in module.all_references() {
            self.address(&reference.span, Form::Reference, NameRole::Use);
            self.local_key(reference);
        }
        for moved in &module.moved {
            self.address(&moved.from_span, Form::Address, NameRole::Moved);
            self.address(&moved.to_span, Form::Address, NameRole::Moved);
        }
        for removed in &module.removed {
            self.address(&removed.from_span, Form::Address, NameRole::Use);
        }
        for import in &module.imports {
            self.address(&import.to_span, Form::Address, NameRole::Use);
        }
        for resource in module.resources.values() {
            let triggers = resource.lifecycle.action_triggers.iter();
            for action in triggers.flat_map(|trigger| &trigger.actions) {
                self.address(&action.expr.span(), Form::Reference, NameRole::Use);
            }
            if let Some(span) = &resource.provider_span
                && let Some(segment) = self.segment(span)
            {
                let own = self.dir.clone();
                self.provider(&own, &span.file, &segment, span.range);
            }
        }
        for call in module.module_calls.values() {
            let Some(called) = self.modules.called(self.dir, &call.name.text).cloned() else {
                continue;
            };
            for argument in &call.arguments {
                let span = argument.name_span();
                if let Some(segment) = self.segment(&span) {
                    let range = unquoted(&segment.parsed.text, span.range) + segment.offset;
                    let object = SymbolObject::Variable(argument.name().clone());
                    self.add(&called, object, &span.file, range, NameRole::Use);
                }
            }
        }
    }

    /// `local.a.key` or `local.a["key"]`.
    fn local_key(&mut self, reference: &Reference) {
        let Some((local, step)) = static_key(reference) else {
            return;
        };
        let Some(segment) = self.segment(&reference.span) else {
            return;
        };
        let text = &segment.parsed.text[step.range];
        let (front, back) = match &step.kind {
            StepKind::Attr(_) => (
                text.find(|c| c != '.' && !char::is_whitespace(c)),
                text.len(),
            ),
            _ => (
                text.find('"').map(|it| it + 1),
                text.rfind('"').unwrap_or_default(),
            ),
        };
        if let Some(front) = front.filter(|front| *front <= back) {
            let key = text[front..back].into();
            let range = size_range(front, back) + step.range.start() + segment.offset;
            let own = self.dir.clone();
            let object = SymbolObject::LocalKey(local.clone(), key);
            self.add(&own, object, &reference.span.file, range, NameRole::Use);
        }
    }

    /// An item of a file of values, or of a test.
    fn beside(&mut self, file: &FileId, segment: &Segment<'_>, is_test: bool) {
        let dir = self.dir.clone();
        for item in &segment.parsed.items {
            let (name, range) = match item {
                Item::Block(block) if is_test => {
                    self.test_block(file, segment, block);
                    continue;
                }
                Item::Attribute(given) if !is_test => (&given.name.name, given.name.range),
                Item::Member(given) if !is_test => (given.name(), given.name_range),
                _ => continue,
            };
            let range = unquoted(&segment.parsed.text, range) + segment.offset;
            self.add(
                &dir,
                SymbolObject::Variable(name.clone()),
                file,
                range,
                NameRole::Use,
            );
        }
    }

    fn test_block(&mut self, file: &FileId, segment: &Segment<'_>, block: &Block) {
        let dir = self.dir.clone();
        let body = &block.body;
        // Another module is tested.
        if !body.blocks_of("module").is_empty() {
            return;
        }
        let own = (block.kind.name == "variables").then_some(body);
        let nested = body.blocks_of("variables");
        let bodies = own.into_iter().chain(nested.iter().map(|it| &it.body));
        for given in bodies.flat_map(|body| &body.attributes) {
            let range = given.name.range + segment.offset;
            let object = SymbolObject::Variable(given.name.name.clone());
            self.add(&dir, object, file, range, NameRole::Use);
        }
        let is_override = block.kind.name.starts_with("override_");
        let origin = Origin {
            file: file.clone(),
            segment: segment.id,
        };
        let mut found = Vec::new();
        let body = Body::new(&origin, body, origin.span(block.header_range));
        config::refs::each_body_traversal(&body, &mut |_, traversal| {
            found.push(config::refs::range(traversal));
        });
        for range in found {
            let form = if is_override {
                Form::Address
            } else {
                Form::Test
            };
            self.address_at(file, segment, range, form, NameRole::Use);
        }
    }

    fn segment(&self, span: &Span) -> Option<Segment<'a>> {
        self.files.get(&span.file)?.get(&span.segment).copied()
    }

    fn address(&mut self, span: &Span, form: Form, role: NameRole) {
        if let Some(segment) = self.segment(span) {
            self.address_at(&span.file, &segment, span.range, form, role);
        }
    }

    /// The names of a reference or an address, each in the module that it is looked up in.
    fn address_at(
        &mut self,
        file: &FileId,
        segment: &Segment<'_>,
        range: TextRange,
        form: Form,
        role: NameRole,
    ) {
        let Some(text) = segment
            .parsed
            .text
            .get(std::ops::Range::<usize>::from(range))
        else {
            return;
        };
        let all = words(text);
        let mut words = all.as_slice();
        let mut dir = self.dir.clone();
        let start = segment.offset + range.start();
        loop {
            let (object, word, rest) = match (words, form) {
                ([module, call, rest @ ..], _) if module.text == "module" => {
                    (SymbolObject::ModuleCall(call.text.into()), call, rest)
                }
                ([var, name, ..], Form::Reference | Form::Test) if var.text == "var" => (
                    SymbolObject::Variable(name.text.into()),
                    name,
                    [].as_slice(),
                ),
                ([local, name, ..], Form::Reference | Form::Test) if local.text == "local" => {
                    (SymbolObject::Local(name.text.into()), name, [].as_slice())
                }
                ([output, name, ..], Form::Test) if output.text == "output" => {
                    (SymbolObject::Output(name.text.into()), name, [].as_slice())
                }
                ([run, _, output, ..], Form::Test) if run.text == "run" => (
                    SymbolObject::Output(output.text.into()),
                    output,
                    [].as_slice(),
                ),
                _ => match resource(words) {
                    Some((addr, name)) => (SymbolObject::Resource(addr), name, [].as_slice()),
                    None => return,
                },
            };
            let called = match &object {
                SymbolObject::ModuleCall(call) => self.modules.called(&dir, call).cloned(),
                _ => None,
            };
            if let Some((key, range)) = word.key {
                let key = key.into();
                let instance = match &object {
                    SymbolObject::Resource(addr) => {
                        Some(SymbolObject::ResourceKey(addr.clone(), key))
                    }
                    SymbolObject::ModuleCall(call) => {
                        Some(SymbolObject::CallKey(call.clone(), key))
                    }
                    _ => None,
                };
                if let Some(instance) = instance {
                    self.add(&dir, instance, file, range + start, role);
                }
            }
            self.add(&dir, object, file, word.range + start, role);
            let Some(called) = called else { return };
            dir = called;
            words = rest;
            if let ([output, ..], Form::Reference | Form::Test) = (words, form) {
                let object = SymbolObject::Output(output.text.into());
                return self.add(&dir, object, file, output.range + start, role);
            }
        }
    }
}

/// Where names are looked up: `module.a.b` is an output in an expression, and the start of a resource in an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Reference,
    /// A reference in a test, which also sees outputs and earlier runs.
    Test,
    Address,
}

/// The resource that is named, and its own name.
fn resource<'a>(words: &'a [Word<'a>]) -> Option<(ResourceAddr, &'a Word<'a>)> {
    let mode = match words.first()?.text {
        "data" => Some(ResourceMode::Data),
        "ephemeral" => Some(ResourceMode::Ephemeral),
        "action" => Some(ResourceMode::Action),
        "resource" => Some(ResourceMode::Managed),
        _ => None,
    };
    let rest = &words[usize::from(mode.is_some())..];
    let [r#type, name, ..] = rest else {
        return None;
    };
    let mode = mode.unwrap_or(ResourceMode::Managed);
    Some((ResourceAddr::new(mode, r#type.text, name.text), name))
}

/// The keys that `for_each` spells out: of an object, or of a set of strings.
fn keys(block: &Block) -> Vec<(SmolStr, TextRange)> {
    let Some(for_each) = block.body.attribute("for_each") else {
        return Vec::new();
    };
    match &for_each.expr.kind {
        ExprKind::Object(_) => object_keys(&for_each.expr),
        ExprKind::Call(call) if call.name == "toset" => {
            match call.args.first().map(|it| &it.kind) {
                Some(ExprKind::Tuple(elements)) => elements
                    .iter()
                    .filter_map(|it| Some((it.as_quoted_string()?, it.range)))
                    .collect(),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The keys of an object that are spelled out.
fn object_keys(expr: &Expr) -> Vec<(SmolStr, TextRange)> {
    let ExprKind::Object(items) = &expr.kind else {
        return Vec::new();
    };
    let key = |item: &ObjectItem| match &item.key {
        ObjectKey::Name(name) => Some((name.name.clone(), name.range)),
        ObjectKey::Expr(key) => Some((key.as_quoted_string()?, key.range)),
    };
    items.iter().filter_map(key).collect()
}

/// The local value that a reference takes a key of, where that is written as it is.
pub(crate) fn static_key(reference: &Reference) -> Option<(&SmolStr, &Step)> {
    let Referenceable::Local(local) = &reference.subject else {
        return None;
    };
    let step = reference.remaining.first()?;
    let is_key = matches!(
        &step.kind,
        StepKind::Attr(_) | StepKind::Index(Key::String(_))
    );
    is_key.then_some((local, step))
}

/// The range without the quotes around it.
fn unquoted(text: &str, range: TextRange) -> TextRange {
    let one = TextSize::new(1);
    match text.get(std::ops::Range::<usize>::from(range)) {
        Some(name) if name.len() >= 2 && name.starts_with('"') && name.ends_with('"') => {
            TextRange::new(range.start() + one, range.end() - one)
        }
        _ => range,
    }
}
