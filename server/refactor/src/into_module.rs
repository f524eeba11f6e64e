//! Moves resources into a module of their own, or into one that is called already: a value that they need of the others becomes
//! an input, and a value that the others need of them an output.

mod interface;

use std::collections::BTreeSet;

use config::{
    Module, ModuleCall, ModuleInstanceAddr, Referenceable, Repetition, Resource, ResourceAddr,
    Target,
};
use smol_str::SmolStr;
use text::{FileId, TextRange};

use self::interface::{Interface, end_of_subject};
use crate::blocks::block;
use crate::edits::append;
use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::site::Site;
use crate::{Edit, Edits, Modules, Move, RefactoringKind, Refusal, SymbolObject};

pub(crate) fn offers(modules: &Modules, file: &FileId, range: TextRange) -> Vec<Offer> {
    let sites = Site::touched(modules, file, range);
    let is_header = |site: &Site<'_>| {
        let header = site.absolute(site.block.header_range);
        header.intersect(range).is_some()
    };
    let moved = moved(&sites);
    let Some((first, _)) = moved
        .first()
        .filter(|(site, _)| sites.len() > 1 || is_header(site))
    else {
        return Vec::new();
    };
    let calls = first.module.module_calls.values();
    let existing = calls.filter(|call| is_single_and_local(call));
    let existing = existing.map(|call| Some(call.name.text.clone()));
    let offer = |call: Option<SmolStr>| Offer {
        title: title(&moved, call.as_ref()),
        kind: RefactoringKind::IntoModule(call),
    };
    std::iter::once(None).chain(existing).map(offer).collect()
}

fn title(moved: &[Moved<'_>], call: Option<&SmolStr>) -> String {
    let what = match moved {
        [(_, resource)] => resource.addr.to_string(),
        several => format!("{} resources", several.len()),
    };
    match call {
        Some(call) => format!("Move {what} into module.{call}"),
        None => format!("Move {what} into a new module"),
    }
}

fn is_single_and_local(call: &ModuleCall) -> bool {
    let source = call.source.as_deref().unwrap_or_default();
    config::is_local(source) && call.repetition == Repetition::Single
}

/// A block with the resource that it declares.
type Moved<'a> = (Site<'a>, &'a Resource);

fn moved<'a>(sites: &[Site<'a>]) -> Vec<Moved<'a>> {
    let resource = |site: &Site<'a>| match site.object()? {
        SymbolObject::Resource(addr) => Some((*site, &**site.module.resources.get(&addr)?)),
        _ => None,
    };
    sites.iter().filter_map(resource).collect()
}

/// Where the resources go.
struct Destination<'a> {
    call: SmolStr,
    dir: SmolStr,
    /// Of a module that is there.
    module: Option<(&'a ModuleCall, &'a Module)>,
}

pub(crate) fn into_module(
    scene: &RefactoringContext<'_>,
    file: &FileId,
    range: TextRange,
    call: Option<&SmolStr>,
) -> Result<Refactoring, Refusal> {
    let sites = Site::touched(scene.modules, file, range);
    let moved = moved(&sites);
    let (first, resource) = moved.first().ok_or(Refusal::NoName)?;
    let destination = match call {
        Some(call) => existing(scene, first, call)?,
        None => new(scene, first, &resource.addr),
    };
    let mut interface = Interface::new(scene, first, &moved, &destination);
    let mut edits = Edits::default();
    let mut texts = Vec::new();
    for (site, resource) in &moved {
        let is_taken = |(_, module): (_, &Module)| module.resource(&resource.addr).is_some();
        if destination.module.is_some_and(is_taken) {
            return Err(Refusal::Exists(format!(
                "module.{}.{}",
                destination.call, resource.addr
            )));
        }
        texts.push(inside(site, resource, &mut interface)?);
    }
    outside(scene, first, &mut interface, &mut edits)?;
    write_module(scene, &destination, &interface, &moved, &texts, &mut edits)?;
    write_call(first, &destination, &interface, &moved, &mut edits)?;
    let root = ModuleInstanceAddr::root;
    let inner = root().child(destination.call.clone(), Default::default());
    let moves = moved.iter().map(|(_, resource)| Move {
        dir: first.dir.clone(),
        from: Target::Resource(root().resource(resource.addr.clone())),
        to: Target::Resource(inner.resource(resource.addr.clone())),
    });
    Ok(Refactoring {
        title: title(&moved, call),
        edits,
        moves: moves.collect(),
    })
}

/// A folder below `modules` that is not there, and a call with its name.
fn new<'a>(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
    addr: &ResourceAddr,
) -> Destination<'a> {
    let numbered = (2..).map(|number| format!("{}_{number}", addr.name));
    let mut names = std::iter::once(addr.name.to_string()).chain(numbered);
    let dir = |name: &str| format!("{}/modules/{name}", site.dir);
    let is_free = |name: &String| {
        let files = scene.files.list(&dir(name)).unwrap_or_default();
        !site.module.module_calls.contains_key(name.as_str()) && files.is_empty()
    };
    let name = names.find(is_free).unwrap_or_default();
    Destination {
        dir: dir(&name).into(),
        call: name.into(),
        module: None,
    }
}

fn existing<'a>(
    scene: &RefactoringContext<'a>,
    site: &Site<'a>,
    call: &SmolStr,
) -> Result<Destination<'a>, Refusal> {
    let no_module = || Refusal::NotDeclared(format!("module.{call}"));
    let dir = scene.modules.called(site.dir, call).ok_or_else(no_module)?;
    let module = scene.modules.get(dir).ok_or_else(no_module)?;
    let decl = site.module.module_calls.get(call).ok_or_else(no_module)?;
    if scene.modules.calls_of(dir) > 1 {
        return Err(Refusal::CalledSeveralTimes(format!("module.{call}")));
    }
    Ok(Destination {
        call: call.clone(),
        dir: dir.clone(),
        module: Some((decl, module)),
    })
}

/// The block as it reads in the module that it goes to.
fn inside(
    site: &Site<'_>,
    resource: &Resource,
    interface: &mut Interface<'_>,
) -> Result<String, Refusal> {
    let mut edits = Vec::new();
    let orders: Vec<_> = resource.depends_on.iter().map(|it| &it.span).collect();
    let triggers = &resource.lifecycle.replace_triggered_by;
    let triggers: Vec<_> = triggers.iter().map(config::Expr::span).collect();
    for reference in &resource.decl.references {
        let span = &reference.span;
        if span.file != *site.file || span.segment != site.segment.id {
            return Err(Refusal::Overridden(resource.addr.to_string()));
        }
        let is_order = orders.contains(&span)
            || triggers
                .iter()
                .any(|it| it.range.contains_range(span.range));
        if let Some((range, text)) = interface.input(site, reference) {
            if is_order {
                return Err(Refusal::OrderedByOthers(resource.addr.to_string()));
            }
            edits.push(Edit::replace(site.absolute(range), text));
        }
    }
    let whole = site.with_comments();
    let text = &site.syntax.text()[std::ops::Range::<usize>::from(whole)];
    edits.sort_by_key(|edit| edit.range.start());
    edits.dedup();
    for edit in &mut edits {
        edit.range -= whole.start();
    }
    let text = text::apply(text, &edits).replace("\r\n", "\n");
    let text = syntax::format(&text).unwrap_or(text);
    Ok(format!("{}\n", text.trim_end()))
}

/// The references of the module's other declarations to the resources.
fn outside(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
    interface: &mut Interface<'_>,
    edits: &mut Edits,
) -> Result<(), Refusal> {
    let module = site.module;
    let order = interface::orders(module);
    let triggers = module.resources.values();
    let triggers = triggers.flat_map(|it| &it.lifecycle.replace_triggered_by);
    let triggers: Vec<_> = triggers.map(config::Expr::span).collect();
    for reference in module.all_references() {
        let span = &reference.span;
        let addr = reference
            .subject
            .resource()
            .filter(|it| interface.is_moved(it));
        let Some(addr) = addr.filter(|_| !interface.is_within(span)) else {
            continue;
        };
        let Some(syntax) = scene.modules.file(&span.file) else {
            continue;
        };
        let Some(place) = syntax.resolve(span) else {
            continue;
        };
        if span.file.name().ends_with(".json") {
            return Err(Refusal::UsedInJson(span.file.name().to_owned()));
        }
        let is_trigger = |it: &text::Span| {
            it.file == span.file
                && it.segment == span.segment
                && it.range.contains_range(span.range)
        };
        if triggers.iter().any(is_trigger) {
            return Err(Refusal::Triggers(addr.to_string()));
        }
        if order.contains(span) {
            edits.replace(&span.file, place, interface.call());
            continue;
        }
        let subject_end = end_of_subject(&syntax.text()[std::ops::Range::<usize>::from(place)]);
        let name = TextRange::at(place.start(), subject_end);
        let single = matches!(
            &reference.subject,
            Referenceable::ResourceInstance(_, config::InstanceKey::None)
        );
        let step = reference.remaining.first().filter(|_| single);
        let attribute = step.and_then(|step| match &step.kind {
            syntax::ast::StepKind::Attr(attribute) => Some((attribute, step.range)),
            _ => None,
        });
        let (range, text) = match attribute {
            Some((attribute, range)) => {
                let end = place.start() + (range.end() - span.range.start());
                let text = interface.output(addr, Some(&attribute.name));
                (TextRange::new(place.start(), end), text)
            }
            None => (name, interface.output(addr, None)),
        };
        edits.replace(&span.file, range, text);
    }
    Ok(())
}

/// The files of the module: blocks, variables, outputs and the providers that it requires.
fn write_module(
    scene: &RefactoringContext<'_>,
    destination: &Destination<'_>,
    interface: &Interface<'_>,
    moved: &[Moved<'_>],
    texts: &[String],
    edits: &mut Edits,
) -> Result<(), Refusal> {
    let mut write = |name: &str, text: String| {
        if !text.is_empty() {
            let file = FileId::new(format!("{}/{name}", destination.dir));
            append(edits, scene.modules, &file, &text);
        }
    };
    write("main.tf", texts.join("\n"));
    write("variables.tf", interface.variables().join("\n"));
    write("outputs.tf", interface.outputs().join("\n"));
    if destination.module.is_none() {
        write("versions.tf", interface::requirements(moved));
    } else if moved
        .iter()
        .any(|(_, resource)| interface::alias(resource).is_some())
    {
        return Err(Refusal::OtherProvider(format!(
            "module.{}",
            destination.call
        )));
    }
    Ok(())
}

/// The call of the new module in the place of the first block, or more arguments for the one that is there.
fn write_call(
    first: &Site<'_>,
    destination: &Destination<'_>,
    interface: &Interface<'_>,
    moved: &[Moved<'_>],
    edits: &mut Edits,
) -> Result<(), Refusal> {
    let mut rest = moved;
    match destination.module {
        None => {
            let source = format!("\"./modules/{}\"", destination.call);
            let mut arguments = vec![("source", source.as_str())];
            arguments.extend(interface.arguments());
            let providers = interface::passed(moved);
            if !providers.is_empty() {
                arguments.push(("providers", &providers));
            }
            let text = block("module", &[&destination.call], &arguments);
            edits.replace(first.file, first.with_comments(), text);
            rest = &moved[1..];
        }
        Some((call, _)) => {
            let span = &call.decl.full_span;
            let arguments = interface.arguments();
            let arguments = arguments
                .iter()
                .map(|(name, value)| format!("  {name} = {value}\n"));
            let text: String = arguments.collect();
            let syntax = first.module.files.get(&span.file);
            let place = syntax.and_then(|it| it.resolve(span));
            if let (Some(syntax), Some(place)) = (syntax, place)
                && !text.is_empty()
            {
                if span.file.name().ends_with(".json") {
                    return Err(Refusal::UsedInJson(span.file.name().to_owned()));
                }
                let brace = usize::from(place.end()) - 1;
                let before = syntax.text()[..brace].trim_end_matches([' ', '\t']);
                let gap = if before.ends_with('\n') { "" } else { "\n" };
                let at = crate::site::size_range(before.len(), before.len());
                edits.replace(&span.file, at, format!("{gap}{text}"));
            }
        }
    }
    for (site, _) in rest {
        edits.replace(site.file, site.paragraph(), "");
    }
    Ok(())
}

/// Names that are given once.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// The first that is free, or the last with a number.
    fn pick(&mut self, wanted: &[String]) -> String {
        let last = wanted.last().cloned().unwrap_or_default();
        let numbered = (2..).map(|number| format!("{last}_{number}"));
        let mut names = wanted.iter().cloned().chain(numbered);
        let name = names.find(|name| !self.0.contains(name)).unwrap_or(last);
        self.0.insert(name.clone());
        name
    }
}
