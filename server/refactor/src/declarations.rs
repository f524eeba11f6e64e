//! A variable that becomes a local value, and the other way round.

use std::collections::BTreeMap;

use config::{Files, Referenceable};
use smol_str::SmolStr;
use text::{FileId, Span, TextRange};

use crate::blocks::block;
use crate::inline_module::converted;
use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::moved::place;
use crate::names::names_beside;
use crate::rename::RESERVED_VARIABLES;
use crate::site::Site;
use crate::{Edits, Modules, RefactoringKind, Refusal, SymbolObject};

pub(crate) fn offer(site: &Site<'_>, range: TextRange) -> Option<Offer> {
    match site.block.kind.name.as_str() {
        "variable" => {
            let Some(SymbolObject::Variable(name)) = site.object() else {
                return None;
            };
            site.absolute(site.block.header_range).intersect(range)?;
            // A local value needs one.
            site.block.body.attribute("default")?;
            Some(Offer {
                kind: RefactoringKind::ToLocal,
                title: to_local_title(&name),
            })
        }
        "locals" => {
            let name = local_at(site, range)?;
            let local = site.module.locals.get(&name)?;
            local.decl.references.is_empty().then(|| Offer {
                kind: RefactoringKind::ToVariable,
                title: to_variable_title(&name),
            })
        }
        _ => None,
    }
}

fn to_local_title(name: &str) -> String {
    format!("Convert var.{name} to a local value")
}

fn to_variable_title(name: &str) -> String {
    format!("Convert local.{name} to a variable")
}

/// The local value that is named at the place.
fn local_at(site: &Site<'_>, range: TextRange) -> Option<SmolStr> {
    let is_here = |name: TextRange| site.absolute(name).intersect(range).is_some();
    let mut attributes = site.block.body.attributes.iter();
    let attribute = attributes.find(|it| is_here(it.name.range))?;
    Some(attribute.name.name.clone())
}

pub(crate) fn to_local(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
) -> Result<Refactoring, Refusal> {
    let Some(SymbolObject::Variable(name)) = site.object() else {
        return Err(Refusal::NoName);
    };
    let variable = site.module.variables.get(&name).ok_or(Refusal::NoName)?;
    let default = variable.default.as_ref().ok_or(Refusal::NoName)?;
    if site.module.locals.contains_key(&name) {
        return Err(Refusal::Exists(SymbolObject::Local(name).described()));
    }
    let described = || SymbolObject::Variable(name.clone()).described();
    if let Some(place) = given(scene, site, &name) {
        return Err(Refusal::IsGiven(described(), place));
    }
    if !variable.validations.is_empty() || variable.ephemeral {
        return Err(Refusal::MoreThanValue(described()));
    }
    let r#type = variable.r#type.as_ref();
    let r#type = r#type
        .map(|it| text(scene.modules, &it.span()))
        .unwrap_or_default();
    let (mut value, _) = converted(&default.ast, text(scene.modules, &default.span()), &r#type);
    if variable.sensitive {
        value = format!("sensitive({value})");
    }
    let mut edits = Edits::default();
    let local = block("locals", &[], &[(&name, &value)]);
    edits.replace(site.file, site.range(), local.trim_end());
    let meant = Referenceable::Var(name.clone());
    rename_uses(scene, site, &meant, &format!("local.{name}"), &mut edits);
    Ok(Refactoring {
        title: to_local_title(&name),
        edits,
        moves: Vec::new(),
    })
}

/// Who gives the variable a value: a file of values, a test, or a call.
fn given(scene: &RefactoringContext<'_>, site: &Site<'_>, name: &SmolStr) -> Option<String> {
    let variable = SymbolObject::Variable(name.clone());
    let beside = names_beside(scene.modules, scene.files as &dyn Files, site.dir);
    if let Some(given) = beside.into_iter().find(|it| it.symbol.object == variable) {
        return Some(given.file.name().to_owned());
    }
    scene.modules.iter().find_map(|(dir, module)| {
        let mut calls = module.module_calls.values();
        let call = calls.find(|call| {
            scene.modules.called(dir, &call.name.text) == Some(site.dir)
                && call.arguments.iter().any(|it| it.name() == name)
        });
        Some(format!("module.{}", call?.name.text))
    })
}

pub(crate) fn to_variable(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
    range: TextRange,
) -> Result<Refactoring, Refusal> {
    let name = local_at(site, range).ok_or(Refusal::NoName)?;
    let local = site.module.locals.get(&name).ok_or(Refusal::NoName)?;
    if site.module.variables.contains_key(&name) {
        return Err(Refusal::Exists(SymbolObject::Variable(name).described()));
    }
    if RESERVED_VARIABLES.contains(&name.as_str()) {
        return Err(Refusal::Reserved(name.to_string()));
    }
    let is_constant = local.decl.references.is_empty();
    let value = eval::evaluate(&local.value.ast, &eval::EvalContext::empty()).value;
    if !is_constant || !value.is_wholly_known() {
        return Err(Refusal::NotConstant(format!("local.{name}")));
    }
    let r#type = value.ty().to_string();
    let default = text(scene.modules, &local.value.span());
    let arguments = [("type", r#type.as_str()), ("default", default.as_str())];
    let variable = block("variable", &[&name], &arguments);
    let mut edits = Edits::default();
    let argument = place(scene.modules, &local.decl.full_span).ok_or(Refusal::NoName)?;
    if site.block.body.attributes.len() == 1 {
        edits.replace(site.file, site.range(), variable.trim_end());
    } else {
        let at = TextRange::empty(site.with_comments().start());
        edits.replace(site.file, at, format!("{variable}\n"));
        edits.replace(site.file, site.lines_of(argument), "");
    }
    let meant = Referenceable::Local(name.clone());
    rename_uses(scene, site, &meant, &format!("var.{name}"), &mut edits);
    Ok(Refactoring {
        title: to_variable_title(&name),
        edits,
        moves: Vec::new(),
    })
}

fn rename_uses(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
    meant: &Referenceable,
    new: &str,
    edits: &mut Edits,
) {
    let uses = site
        .module
        .all_references()
        .filter(|it| it.subject == *meant);
    let places = uses.filter_map(|it| Some((&it.span.file, place(scene.modules, &it.span)?)));
    let places: BTreeMap<(&FileId, u32), TextRange> = places
        .map(|(file, range)| ((file, range.start().into()), range))
        .collect();
    for ((file, _), range) in places {
        edits.replace(file, range, new);
    }
}

fn text(modules: &Modules, span: &Span) -> String {
    let syntax = modules.file(&span.file);
    let text = syntax.and_then(|it| Some(it.slice(it.resolve(span)?)));
    text.unwrap_or_default()
}
