//! The subject of a name in the text: the thing that definition, references and highlights are about.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use config::{
    Body, FileRole, Files, Module, Origin, ProviderRef, Reference, Referenceable, ResourceAddr,
    ResourceMode,
};
use smol_str::SmolStr;
use syntax::Segment;
use syntax::ast::{Attribute, Block, ExprKind, Item, Label, StepKind};
use text::{FileId, Span, TextRange, TextSize};

use crate::module_context::{self, ModuleContext};
use crate::{Snapshot, SourceFile};

/// Something that a module declares. Of another module than the file's own where there is a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Referent {
    Variable(SmolStr),
    Local(SmolStr),
    Output(SmolStr),
    Resource(ResourceAddr),
    ModuleCall(SmolStr),
    Provider(ProviderRef),
    /// An output of a called module.
    CalledOutput {
        call: SmolStr,
        output: SmolStr,
    },
    /// A variable of a called module.
    CalledInput {
        call: SmolStr,
        input: SmolStr,
    },
    /// A module, by the source that a call gives.
    Source(SmolStr),
}

/// A name in the text, and its subject.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) subject: Referent,
    /// In the file.
    pub(crate) range: TextRange,
}

/// A range in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub file: FileId,
    pub range: TextRange,
}

impl Snapshot {
    /// The subject of the name at `offset`.
    pub(crate) fn subject_at(&self, file: &FileId, offset: TextSize) -> Option<Named> {
        let source = self.hcl_file(file)?;
        let named = names_around(source, file, offset).found;
        let mut touching = named
            .into_iter()
            .filter(|it| it.range.contains_inclusive(offset));
        touching.next()
    }

    /// The subject of the name before the step at `offset`, as by `.id` after a resource.
    pub(crate) fn subject_before(&self, file: &FileId, offset: TextSize) -> Option<Named> {
        let names = names_around(self.hcl_file(file)?, file, offset);
        let mut steps = names.steps.into_iter();
        steps.find(|it| it.range.contains_inclusive(offset))
    }

    /// Where a span is: in the open text, or in the text on disk that was loaded last.
    pub(crate) fn place(&self, span: &Span, module: &Module) -> Option<Location> {
        let open = self
            .file(&span.file)
            .and_then(|source| source.parsed().resolve(span));
        let range = open.or_else(|| module.files.get(&span.file)?.resolve(span))?;
        Some(Location {
            file: span.file.clone(),
            range,
        })
    }

    /// The text of a file of a known module, open or not.
    pub fn text_of(&self, file: &FileId) -> Option<Arc<str>> {
        if let Some(source) = self.file(file) {
            return Some(match source.hcl() {
                Some(syntax) => syntax.text().clone(),
                None => source.document().text().into(),
            });
        }
        let module = &module_context::of_file(self.known_modules(), file)?.module;
        Some(module.files.get(file)?.text().clone())
    }

    /// The same, also of a file that no known module has.
    pub fn text_or_read(&self, file: &FileId, files: &dyn Files) -> Option<Arc<str>> {
        let known = self.text_of(file);
        known.or_else(|| files.read(file.path()).ok())
    }

    /// The module that a subject belongs to, with the name it has there.
    pub(crate) fn owner(
        &self,
        file: &FileId,
        subject: &Referent,
    ) -> Option<(Arc<ModuleContext>, Referent)> {
        let called = |call: &SmolStr| {
            let known = self.known(file);
            let source = known.module.module_calls.get(call)?.source.clone()?;
            self.module_at(file, &source)
        };
        match subject {
            Referent::CalledOutput { call, output } => {
                Some((called(call)?, Referent::Output(output.clone())))
            }
            Referent::CalledInput { call, input } => {
                Some((called(call)?, Referent::Variable(input.clone())))
            }
            other => Some((self.known(file), other.clone())),
        }
    }

    /// The module that a source means in a file, if it is a local path and known.
    pub(crate) fn module_at(&self, file: &FileId, source: &str) -> Option<Arc<ModuleContext>> {
        let dir = local_module(file, source)?;
        self.known_modules().get(&dir).cloned()
    }

    /// The planned instances of the managed resource of a root module whose block is at `offset`.
    pub fn instances_at(&self, file: &FileId, offset: TextSize) -> Vec<String> {
        let known = self.known(file);
        let resource = known.module.resources.values().find(|resource| {
            let place = self.place(&resource.decl.full_span, &known.module);
            let is_here =
                |place: &Location| place.file == *file && place.range.contains_inclusive(offset);
            resource.addr.mode == ResourceMode::Managed && place.as_ref().is_some_and(is_here)
        });
        let planned = resource.filter(|_| known.is_root);
        let planned = planned.and_then(|resource| known.resource(&resource.addr));
        let instances = planned.into_iter().flat_map(|it| &it.instances);
        let addr = |it: &plan::PlannedInstance| {
            planned.map(|of| of.addr.instance(it.key.clone()).to_string())
        };
        instances.filter_map(addr).collect()
    }
}

/// The folder that a local source means in a file.
pub(crate) fn local_module(file: &FileId, source: &str) -> Option<PathBuf> {
    if !config::is_local(source) {
        return None;
    }
    let mut dir = PathBuf::from(file.path());
    dir.pop();
    for part in source.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                dir.pop();
            }
            name => dir.push(name),
        }
    }
    Some(dir)
}

/// All names in a file.
pub(crate) fn names(source: &SourceFile, file: &FileId) -> Vec<Named> {
    let segments = source.syntax().segments();
    segments
        .flat_map(|segment| names_in(Some(segment), file).found)
        .collect()
}

/// All names in the segment around `offset`, the narrowest first where they overlap.
fn names_around(source: &SourceFile, file: &FileId, offset: TextSize) -> Names {
    names_in(source.syntax().segment_at(offset), file)
}

fn names_in(segment: Option<Segment<'_>>, file: &FileId) -> Names {
    let mut names = Names {
        origin: Origin {
            file: file.clone(),
            segment: segment.map_or(text::SegmentId { hash: 0, nth: 0 }, |it| it.id),
        },
        offset: segment.map_or(TextSize::new(0), |it| it.offset),
        role: FileRole::of(file.name()),
        found: Vec::new(),
        providers: HashSet::new(),
        steps: Vec::new(),
    };
    let Some(segment) = segment else {
        return names;
    };
    for item in &segment.parsed.items {
        match item {
            Item::Block(block) => names.block(block),
            Item::Attribute(attribute) if names.role == FileRole::Values => {
                let subject = Referent::Variable(attribute.name.name.clone());
                names.add(subject, attribute.name.range);
            }
            Item::Member(member) if names.role == FileRole::Values => {
                names.add(Referent::Variable(member.name().clone()), member.name_range);
            }
            Item::Attribute(_) | Item::Member(_) => {}
        }
    }
    names
}

struct Names {
    origin: Origin,
    offset: TextSize,
    role: FileRole,
    found: Vec<Named>,
    /// Where names of providers begin. They read like resources.
    providers: HashSet<TextSize>,
    /// The steps after names, each with its subject.
    steps: Vec<Named>,
}

impl Names {
    fn add(&mut self, subject: Referent, range: TextRange) {
        self.found.push(Named {
            subject,
            range: range + self.offset,
        });
    }

    fn block(&mut self, block: &Block) {
        let labels = block.labels.as_slice();
        match (block.kind.name.as_str(), labels) {
            ("variable", [name, ..]) => self.label(Referent::Variable(name.text.clone()), name),
            ("output", [name, ..]) => self.label(Referent::Output(name.text.clone()), name),
            ("module", [name, ..]) => {
                self.label(Referent::ModuleCall(name.text.clone()), name);
                self.module_call(&name.text, block);
            }
            ("provider", [name, ..]) => {
                let alias = block.body.attribute("alias");
                let alias = alias.and_then(|alias| alias.expr.as_literal_string());
                let name_of = ProviderRef {
                    name: name.text.clone(),
                    alias,
                };
                self.label(Referent::Provider(name_of), name);
            }
            (kind, [r#type, name, ..]) if let Some(mode) = ResourceMode::of_block_type(kind) => {
                let addr = ResourceAddr::new(mode, r#type.text.clone(), name.text.clone());
                self.label(Referent::Resource(addr), name);
                if let Some(provider) = block.body.attribute("provider") {
                    self.provider(provider);
                }
            }
            ("run", _) if self.role == FileRole::Tests => {
                for variables in block.body.blocks_of("variables") {
                    self.given(&variables);
                }
            }
            ("variables", []) if self.role == FileRole::Tests => self.given(block),
            ("locals", []) => {
                for local in &block.body.attributes {
                    self.add(Referent::Local(local.name.name.clone()), local.name.range);
                }
            }
            _ => {}
        }
        let missing = self.origin.span(block.header_range);
        let body = Body::new(&self.origin, &block.body, missing);
        for reference in config::refs::body_references(&body) {
            self.reference(&reference);
        }
    }

    /// Values that tests give to variables.
    fn given(&mut self, variables: &Block) {
        for attribute in &variables.body.attributes {
            let subject = Referent::Variable(attribute.name.name.clone());
            self.add(subject, attribute.name.range);
        }
    }

    fn label(&mut self, subject: Referent, label: &Label) {
        self.add(subject, label.range);
    }

    fn module_call(&mut self, call: &SmolStr, block: &Block) {
        for attribute in &block.body.attributes {
            match attribute.name.name.as_str() {
                "source" => {
                    if let Some(source) = attribute.expr.as_literal_string() {
                        self.add(Referent::Source(source), attribute.expr.range);
                    }
                }
                "providers" => self.passed_providers(attribute),
                "version" | "count" | "for_each" | "depends_on" => {}
                input => {
                    let subject = Referent::CalledInput {
                        call: call.clone(),
                        input: input.into(),
                    };
                    self.add(subject, attribute.name.range);
                }
            }
        }
    }

    fn passed_providers(&mut self, attribute: &Attribute) {
        if let ExprKind::Object(items) = &attribute.expr.kind {
            for item in items {
                self.provider_at(&item.value);
            }
        }
    }

    fn provider(&mut self, attribute: &Attribute) {
        self.provider_at(&attribute.expr);
    }

    fn provider_at(&mut self, expr: &syntax::ast::Expr) {
        let Some(traversal) = expr.as_traversal() else {
            return;
        };
        let alias = match traversal.steps.first().map(|step| &step.kind) {
            Some(StepKind::Attr(alias)) => Some(alias.name.clone()),
            _ => None,
        };
        let subject = Referent::Provider(ProviderRef {
            name: traversal.root.name.clone(),
            alias,
        });
        self.providers.insert(expr.range.start() + self.offset);
        self.add(subject, expr.range);
    }

    fn reference(&mut self, reference: &Reference) {
        let Some(mut subject) = subject_of(&reference.subject) else {
            return;
        };
        if let Referent::Resource(addr) = &subject
            && self.role == FileRole::Tests
            && addr.r#type == "output"
        {
            subject = Referent::Output(addr.name.clone());
        }
        let range = reference.span.range + self.offset;
        if !self.providers.contains(&range.start()) {
            if let Some(last) = reference.remaining.last() {
                self.steps.push(Named {
                    subject: subject.clone(),
                    range: range.cover(last.range + self.offset),
                });
            }
            self.add(subject, reference.span.range);
        }
    }
}

/// The subject of a reference, as far as a module declares it.
pub(crate) fn subject_of(referenceable: &Referenceable) -> Option<Referent> {
    Some(match referenceable {
        Referenceable::Var(name) => Referent::Variable(name.clone()),
        Referenceable::Local(name) => Referent::Local(name.clone()),
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
            Referent::Resource(addr.clone())
        }
        Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
            Referent::ModuleCall(call.clone())
        }
        Referenceable::ModuleOutput { call, output, .. } => Referent::CalledOutput {
            call: call.clone(),
            output: output.clone(),
        },
        Referenceable::Count(_)
        | Referenceable::Each(_)
        | Referenceable::Self_
        | Referenceable::Path(_)
        | Referenceable::Terraform(_)
        | Referenceable::Tofu(_) => return None,
    })
}

impl Referent {
    /// Where the module declares it: the name, and the whole declaration.
    pub(crate) fn declaration<'a>(&self, module: &'a Module) -> Option<(&'a Span, &'a Span)> {
        let both = |name: &'a Span, decl: &'a config::Decl| Some((name, &decl.full_span));
        match self {
            Referent::Variable(name) => {
                let it = module.variables.get(name)?;
                both(&it.name.span, &it.decl)
            }
            Referent::Local(name) => {
                let it = module.locals.get(name)?;
                both(&it.name.span, &it.decl)
            }
            Referent::Output(name) => {
                let it = module.outputs.get(name)?;
                both(&it.name.span, &it.decl)
            }
            Referent::Resource(addr) => {
                let it = module.resource(addr)?;
                both(&it.name.span, &it.decl)
            }
            Referent::ModuleCall(call) => {
                let it = module.module_calls.get(call)?;
                both(&it.name.span, &it.decl)
            }
            Referent::Provider(provider) => match module.providers.get(provider) {
                Some(it) => both(&it.name.span, &it.decl),
                None => {
                    let requirement = module.required_providers.get(&provider.name)?;
                    Some((&requirement.name.span, &requirement.span))
                }
            },
            Referent::CalledOutput { .. } | Referent::CalledInput { .. } | Referent::Source(_) => {
                None
            }
        }
    }
}
