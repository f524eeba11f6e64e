//! Puts the declarations of a module in the place of its call.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{
    Module, ModuleCall, ModuleInstanceAddr, Referenceable, Repetition, Target, Variable, quote,
};
use smol_str::SmolStr;
use syntax::ast::{Expr, ExprKind};
use text::{FileId, Span, TextRange};

use crate::blocks::block;
use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::moved::place;
use crate::site::{Site, in_template};
use crate::{Edit, Edits, Move, RefactoringKind, Refusal, SymbolObject};

pub(crate) fn offer(site: &Site<'_>, range: TextRange) -> Option<Offer> {
    let call = called(site)?;
    let header = site.absolute(site.block.header_range);
    header.intersect(range)?;
    let is_local = config::is_local(call.source.as_deref()?);
    let is_single = call.repetition == Repetition::Single;
    (is_local && is_single).then(|| Offer {
        kind: RefactoringKind::InlineModule,
        title: title(&call.name.text),
    })
}

fn title(call: &str) -> String {
    format!("Inline module.{call}")
}

fn called<'a>(site: &Site<'a>) -> Option<&'a ModuleCall> {
    match site.object()? {
        SymbolObject::ModuleCall(name) => Some(site.module.module_calls.get(&name)?),
        _ => None,
    }
}

pub(crate) fn inline(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
) -> Result<Refactoring, Refusal> {
    let call = called(site).filter(|call| call.repetition == Repetition::Single);
    let call = call.ok_or(Refusal::NoName)?;
    let name = &call.name.text;
    let dir = scene.modules.called(site.dir, name);
    let module = dir.and_then(|dir| scene.modules.get(dir));
    let module = module.ok_or_else(|| Refusal::NotDeclared(format!("module.{name}")))?;
    fits(site, call, module)?;
    let inlined = Inlined::new(scene, site, call, module);
    let mut pieces = Vec::new();
    if !inlined.new_locals.is_empty() {
        let locals = inlined.new_locals.iter();
        let locals: Vec<_> = locals
            .map(|(name, it)| (name.as_str(), it.as_str()))
            .collect();
        pieces.push(block("locals", &[], &locals));
    }
    for file in module.files.keys() {
        for part in Site::all(scene.modules, file) {
            if !LEFT_OUT.contains(&part.block.kind.name.as_str()) {
                let text = inlined.rewritten(file, part.with_comments());
                let text = syntax::format(&text).unwrap_or(text);
                pieces.push(format!("{}\n", text.trim_end()));
            }
        }
    }
    let mut edits = Edits::default();
    match pieces.is_empty() {
        true => edits.replace(site.file, site.paragraph(), ""),
        false => edits.replace(site.file, site.range(), pieces.join("\n").trim_end()),
    }
    inlined.rewrite_uses(&mut edits)?;
    let root = ModuleInstanceAddr::root;
    let inner = root().child(name.clone(), Default::default());
    let resources = module
        .resources
        .keys()
        .map(|addr| [&inner, &root()].map(|it| Target::Resource(it.resource(addr.clone()))));
    let calls = module.module_calls.keys().map(|call| {
        [&inner, &root()].map(|it| Target::Module(it.child(call.clone(), Default::default())))
    });
    let moves = resources.chain(calls).map(|[from, to]| Move {
        dir: site.dir.clone(),
        from,
        to,
    });
    Ok(Refactoring {
        title: title(name),
        edits,
        moves: moves.collect(),
    })
}

/// Blocks of a called module that are gone when it is a part of the calling one.
const LEFT_OUT: [&str; 3] = ["variable", "output", "terraform"];

/// Whether the module can be a part of the one that calls it.
fn fits(site: &Site<'_>, call: &ModuleCall, module: &Module) -> Result<(), Refusal> {
    let address = || format!("module.{}", call.name.text);
    if let Some(file) = module.files.keys().find(|it| it.name().ends_with(".json")) {
        return Err(Refusal::UsedInJson(file.name().to_owned()));
    }
    if !call.depends_on.is_empty() {
        return Err(Refusal::OrderedByOthers(address()));
    }
    let is_other = |(theirs, ours): (&config::ProviderRef, &config::ProviderRef)| theirs != ours;
    let names = module.resources.values().map(|it| match &it.provider {
        Some(provider) => provider.name.as_str(),
        None => it.addr.implied_provider(),
    });
    let mut unlike =
        names.filter(|name| module.provider_addr(name) != site.module.provider_addr(name));
    let has_own = module.providers.values().next().is_some();
    if has_own || call.providers.iter().any(is_other) || unlike.next().is_some() {
        return Err(Refusal::OtherProvider(address()));
    }
    let ours = site.module;
    let resource = module
        .resources
        .keys()
        .find(|it| ours.resource(it).is_some());
    let same_call = |it: &&SmolStr| ours.module_calls.contains_key(*it);
    let same_check = |it: &&SmolStr| ours.checks.contains_key(*it);
    let taken = resource
        .map(|it| it.to_string())
        .or_else(|| {
            Some(format!(
                "module.{}",
                module.module_calls.keys().find(same_call)?
            ))
        })
        .or_else(|| Some(format!("check.{}", module.checks.keys().find(same_check)?)));
    taken.map_or(Ok(()), |it| Err(Refusal::Exists(it)))
}

/// The new names of a module's declarations in the one that calls it.
struct Inlined<'a> {
    scene: &'a RefactoringContext<'a>,
    site: Site<'a>,
    call: &'a ModuleCall,
    module: &'a Arc<Module>,
    /// By the name of the variable.
    inputs: BTreeMap<SmolStr, String>,
    /// Local values that get another name.
    renamed: BTreeMap<SmolStr, String>,
    /// For inputs that are more than a name or a literal.
    new_locals: Vec<(String, String)>,
}

impl<'a> Inlined<'a> {
    fn new(
        scene: &'a RefactoringContext<'a>,
        site: &Site<'a>,
        call: &'a ModuleCall,
        module: &'a Arc<Module>,
    ) -> Inlined<'a> {
        let mut inlined = Inlined {
            scene,
            site: *site,
            call,
            module,
            inputs: BTreeMap::new(),
            renamed: BTreeMap::new(),
            new_locals: Vec::new(),
        };
        for name in module.locals.keys() {
            if site.module.locals.contains_key(name) {
                let new = inlined.free_local(name);
                inlined.renamed.insert(name.clone(), new);
            }
        }
        for (name, variable) in module.variables.iter() {
            let is_used = |it: &config::Reference| it.subject == Referenceable::Var(name.clone());
            if module.all_references().any(is_used) {
                let (value, is_simple) = inlined.value(variable);
                let value = match is_simple {
                    true => value,
                    false => {
                        let local = inlined.free_local(name);
                        inlined.new_locals.push((local.clone(), value));
                        format!("local.{local}")
                    }
                };
                inlined.inputs.insert(name.clone(), value);
            }
        }
        inlined
    }

    /// A name for a local value, after the call.
    fn free_local(&self, name: &str) -> String {
        let wanted = format!("{}_{name}", self.call.name.text);
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let is_free = |name: &String| {
            let name = name.as_str();
            let is_new = |(it, _): &(String, String)| it == name;
            !self.site.module.locals.contains_key(name)
                && !self.module.locals.contains_key(name)
                && !self.new_locals.iter().any(is_new)
        };
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        names.find(is_free).unwrap_or(wanted)
    }

    /// The value of a variable, and whether it may stand in its place as it is.
    fn value(&self, variable: &Variable) -> (String, bool) {
        let mut arguments = self.call.arguments.iter();
        let given = arguments.find(|it| *it.name() == variable.name.text);
        let given = given.map(config::Attribute::expr);
        let Some(expr) = given.as_ref().or(variable.default.as_ref()) else {
            return ("null".to_owned(), true);
        };
        let text = self.text(&expr.span());
        let r#type = variable.r#type.as_ref();
        let r#type = r#type.map(|it| self.text(&it.span())).unwrap_or_default();
        let (mut value, mut is_simple) = converted(&expr.ast, text, &r#type);
        if variable.sensitive {
            value = format!("sensitive({value})");
            is_simple = false;
        }
        (value, is_simple)
    }

    fn text(&self, span: &Span) -> String {
        let syntax = self.scene.modules.file(&span.file);
        let place = syntax.and_then(|it| Some(it.slice(it.resolve(span)?)));
        place.unwrap_or_default()
    }

    /// A part of the called module as it reads in the calling one.
    fn rewritten(&self, file: &FileId, range: TextRange) -> String {
        let Some(syntax) = self.module.files.get(file) else {
            return String::new();
        };
        let text = syntax.text();
        let mut edits: Vec<Edit> = Vec::new();
        let mut at = |span: &Span, new: &dyn Fn(TextRange) -> Option<(TextRange, String)>| {
            let place = Some(span).filter(|it| it.file == *file);
            let place = place.and_then(|it| syntax.resolve(it));
            if let Some(place) = place.filter(|it| range.contains_range(*it))
                && let Some((range, text)) = new(place)
            {
                edits.push(Edit::replace(range, text));
            }
        };
        for reference in self.module.all_references() {
            at(&reference.span, &|place| match &reference.subject {
                Referenceable::Var(name) => Some(in_template(text, place, self.inputs.get(name)?)),
                Referenceable::Local(name) => {
                    Some((place, format!("local.{}", self.renamed.get(name)?)))
                }
                Referenceable::Path(name) if name == "module" => {
                    let path = format!("\"${{path.module}}/{}\"", self.source());
                    Some(in_template(text, place, &path))
                }
                _ => None,
            });
        }
        for (name, new) in &self.renamed {
            if let Some(local) = self.module.locals.get(name) {
                at(&local.name.span, &|place| Some((place, new.clone())));
            }
        }
        for call in self.module.module_calls.values() {
            if let (Some(source), Some(span)) = (&call.source, &call.source_span)
                && source.starts_with('.')
            {
                let source = joined(self.source(), source);
                at(span, &|place| Some((place, quote(&source))));
            }
        }
        // Their subject is where it was.
        let prefix = format!("module.{}.", self.call.name.text);
        let moved = self.module.moved.iter();
        let ends = moved.flat_map(|it| [&it.from_span, &it.to_span]);
        let removed = self.module.removed.iter().map(|it| &it.from_span);
        for end in ends.chain(removed) {
            at(end, &|place| {
                Some((TextRange::empty(place.start()), prefix.clone()))
            });
        }
        edits.sort_by_key(|edit| edit.range.start());
        edits.dedup();
        for edit in &mut edits {
            edit.range -= range.start();
        }
        text::apply(&text[std::ops::Range::<usize>::from(range)], &edits).replace("\r\n", "\n")
    }

    fn source(&self) -> &str {
        let source = self.call.source.as_deref().unwrap_or_default();
        source.strip_prefix("./").unwrap_or(source)
    }

    /// The references of the calling module into the call.
    fn rewrite_uses(&self, edits: &mut Edits) -> Result<(), Refusal> {
        let name = &self.call.name.text;
        let module = self.site.module;
        for reference in module.all_references() {
            if reference.subject.module_call() != Some(name) {
                continue;
            }
            let span = &reference.span;
            let Some(at) = place(self.scene.modules, span) else {
                continue;
            };
            if span.file.name().ends_with(".json") {
                return Err(Refusal::UsedInJson(span.file.name().to_owned()));
            }
            let Referenceable::ModuleOutput { output, .. } = &reference.subject else {
                return Err(Refusal::UsedAsWhole(format!("module.{name}")));
            };
            let output = self
                .module
                .outputs
                .get(output)
                .and_then(|it| it.value.as_ref());
            let Some(value) = output else { continue };
            let span_of_value = value.span();
            let Some(range) = place(self.scene.modules, &span_of_value) else {
                continue;
            };
            let text = self.rewritten(&span_of_value.file, range);
            let text = match is_compound(&value.ast) {
                true => format!("({text})"),
                false => text,
            };
            let syntax = self.scene.modules.file(&span.file);
            let (range, text) = match syntax {
                Some(syntax) => in_template(syntax.text(), at, &text),
                None => (at, text),
            };
            edits.replace(&span.file, range, text);
        }
        Ok(())
    }
}

fn is_compound(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary { .. } | ExprKind::Conditional(_) | ExprKind::Unary { .. }
    )
}

/// The value of the type that a variable wants, and whether it is but a name or a literal.
pub(crate) fn converted(expr: &Expr, text: String, r#type: &str) -> (String, bool) {
    let literal = match &expr.kind {
        ExprKind::Number(_) => Some("number"),
        ExprKind::Bool(_) => Some("bool"),
        ExprKind::Template(template) => {
            let is_one_line = template.as_literal().is_some() && !text.contains('\n');
            is_one_line.then_some("string")
        }
        _ => None,
    };
    let is_simple = match &expr.kind {
        ExprKind::Null | ExprKind::Traversal(_) => true,
        _ => literal.is_some(),
    };
    let collection = ["set", "list", "map"];
    let collection = collection
        .iter()
        .find(|it| r#type.starts_with(&format!("{it}(")));
    match (literal, collection) {
        (Some(literal), _) if ["string", "number", "bool"].contains(&r#type) => {
            match literal == r#type {
                true => (text, true),
                false => (format!("to{}({text})", r#type), false),
            }
        }
        (None, Some(collection)) if !matches!(expr.kind, ExprKind::Null) => {
            (format!("to{collection}({text})"), false)
        }
        _ => (text, is_simple),
    }
}

/// A local source that stands in the module of another one, as the caller of that would write it.
fn joined(outer: &str, inner: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in outer.split('/').chain(inner.split('/')) {
        match part {
            "." | "" => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    match path.starts_with("..") {
        true => path,
        false => format!("./{path}"),
    }
}
