//! Declares undeclared names: variables, local values, outputs, and the providers that a module
//! requires.

use std::sync::Arc;

use config::{Module, Referenceable};
use cty::Type;
use refactor::{Edit, Edits};
use syntax::ast::ExprKind;
use text::{Fault, FileId, Span, TextRange, TextSize};

use super::Action;
use super::context::ActionContext;
use crate::Shown;
use crate::body::ArgumentSchema;

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let action = match shown.diagnostic.code {
        "undeclared-reference" => reference(place, shown),
        "undeclared-variable" => variable_of_file(place, shown),
        "unsupported-argument" => input(place, shown),
        "unsupported-attribute" => output(place, shown),
        _ => requirement(place, shown),
    };
    action.into_iter().collect()
}

/// `var.x` or `local.x`.
fn reference(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    match referred(place, shown)? {
        Referenceable::Var(name) => {
            let ty = wanted_type(place, shown.range);
            let block = format!("variable \"{name}\" {{\n  type = {}\n}}\n", ty);
            let title = format!("Declare the variable `{name}`");
            declared(
                place,
                shown,
                title,
                &place.known.module,
                "variables.tf",
                &block,
            )
        }
        Referenceable::Local(name) => local(place, shown, &name),
        _ => None,
    }
}

/// The subject of the reference at the place of a diagnostic.
fn referred(place: &ActionContext<'_>, shown: &Shown) -> Option<Referenceable> {
    let text = place.slice(shown.range);
    let mut parts = text.split(['.', '[']).map(str::trim);
    let root = parts.next()?;
    let name = parts.next()?.into();
    match root {
        "var" => Some(Referenceable::Var(name)),
        "local" => Some(Referenceable::Local(name)),
        _ => None,
    }
}

fn local(place: &ActionContext<'_>, shown: &Shown, name: &str) -> Option<Action> {
    let segments = place.source.syntax().segments();
    let mut blocks = segments.flat_map(|segment| {
        let items = segment.parsed.items.iter();
        items.filter_map(move |item| match item {
            syntax::ast::Item::Block(block) if block.kind.name == "locals" => {
                Some((block, segment.offset))
            }
            _ => None,
        })
    });
    let here = place.around(shown.range.start())?;
    let existing = blocks.find_map(|(block, offset)| {
        let close = block.close_brace? + offset;
        let open = block.open_brace? + offset;
        let is_of_lines = place
            .slice(TextRange::new(open.end(), close.start()))
            .contains('\n');
        is_of_lines.then_some(close.start())
    });
    let edit = match existing {
        Some(close) => {
            let line = place.whole_lines(TextRange::empty(close)).start();
            let before = usize::from(line.min(close));
            let line = place.text[..before]
                .rfind('\n')
                .map_or(0, |newline| newline + 1);
            let at = match place.text[line..usize::from(close)].trim().is_empty() {
                true => TextSize::try_from(line).ok()?,
                false => close,
            };
            Edit::insert(at, format!("  {name} = null\n"))
        }
        None => {
            let block = here.top()?;
            let at = block.range.start() + here.offset;
            Edit::insert(at, format!("locals {{\n  {name} = null\n}}\n\n"))
        }
    };
    let title = format!("Declare the local value `{name}`");
    Some(place.fix(title, shown, vec![edit]))
}

/// A value in a file of values for a variable that there isn't.
fn variable_of_file(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let around = place.around(shown.range.start())?;
    let attribute = around.attribute?;
    let name = &attribute.name.name;
    let value = eval::evaluate(&attribute.expr, &eval::EvalContext::empty()).value;
    let ty = general(value.ty());
    let root = place.snapshot.root_of(place.file)?;
    let known = place.snapshot.known_modules().get(root)?.clone();
    let block = format!("variable \"{name}\" {{\n  type = {ty}\n}}\n");
    let title = format!("Declare the variable `{name}`");
    declared(place, shown, title, &known.module, "variables.tf", &block)
}

/// An argument of a call that its module has no variable for.
fn input(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let around = place.around(shown.range.start())?;
    let call = around.top().filter(|call| call.kind.name == "module")?;
    let name = &around.attribute?.name.name;
    let source = call.body.attribute("source")?.expr.as_literal_string()?;
    let called = place.snapshot.module_at(place.file, &source)?;
    let block = format!("variable \"{name}\" {{\n  type = any\n}}\n");
    let title = format!("Declare the variable `{name}` in the module");
    declared(place, shown, title, &called.module, "variables.tf", &block)
}

/// An output that a called module has not.
fn output(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let name = place.slice(shown.range).strip_prefix('.')?.trim();
    let module = &place.known.module;
    let is_it = |reference: &&config::Reference| {
        let at = place.snapshot.place(&reference.span, module);
        at.is_some_and(|at| at.file == *place.file && at.range.contains_range(shown.range))
    };
    let reference = module.all_references().find(is_it)?;
    let Referenceable::ModuleOutput { call, .. } = &reference.subject else {
        return None;
    };
    let source = module.module_calls.get(call)?.source.clone()?;
    let called = place.snapshot.module_at(place.file, &source)?;
    let block = format!("output \"{name}\" {{\n  value = null\n}}\n");
    let title = format!("Declare the output `{name}` in the module");
    declared(place, shown, title, &called.module, "outputs.tf", &block)
}

/// The requirement of the module for a provider.
fn requirement(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let Fault::MissingRequirement {
        provider: name,
        source,
    } = &shown.diagnostic.fault
    else {
        return None;
    };
    let entry = format!("{name} = {{\n  source = \"{source}\"\n}}\n");
    let indented =
        |by: &str| -> String { entry.lines().map(|line| format!("{by}{line}\n")).collect() };
    let title = format!("Add `{name}` to `required_providers`");
    let module = &place.known.module;
    let Some(header) = &module.required_providers_span else {
        let block = format!(
            "terraform {{\n  required_providers {{\n{}  }}\n}}\n",
            indented("    ")
        );
        return declared(place, shown, title, module, "versions.tf", &block);
    };
    let at = behind_brace(place, module, header)?;
    let edit = Edit::insert(at, format!("\n{}", indented("    ").trim_end()));
    let action = place.fix(title, shown, Vec::new()).preferred();
    Some(action.with_edit(Edits::of(&header.file, vec![edit])))
}

/// Behind the opening brace of the block with this header.
fn behind_brace(place: &ActionContext<'_>, module: &Module, header: &Span) -> Option<TextSize> {
    let text = place.snapshot.text_of(&header.file)?;
    let at = place.snapshot.place(header, module)?.range.end();
    let brace = text.get(usize::from(at)..)?.find('{')?;
    at.checked_add(TextSize::try_from(brace + 1).ok()?)
}

/// Puts a block at the end of the file that such blocks are kept in, or else of this one or the module's main file.
fn declared(
    place: &ActionContext<'_>,
    shown: &Shown,
    title: String,
    module: &Arc<Module>,
    preferred_file: &str,
    block: &str,
) -> Option<Action> {
    let named = |name: &str| module.files.keys().find(|file| file.name() == name);
    let is_native = |file: &&FileId| !file.name().ends_with(".json");
    let own = module.files.keys().find(|file| *file == place.file);
    let file = named(preferred_file)
        .or(own.filter(is_native))
        .or_else(|| named("main.tf"))
        .or_else(|| module.files.keys().find(is_native))?;
    let text = place.snapshot.text_of(file)?;
    let gap = match text.as_ref() {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let block = syntax::format(block).unwrap_or_else(|| block.to_owned());
    let edit = Edit::insert(TextSize::of(&*text), format!("{gap}{block}"));
    let action = place.fix(title, shown, Vec::new());
    Some(action.with_edit(Edits::of(file, vec![edit])))
}

/// The type that the argument wants whose value is the expression at `range`; any where it is only a part.
fn wanted_type(place: &ActionContext<'_>, range: TextRange) -> Type {
    let known = || {
        let around = place.around(range.start())?;
        let attribute = around.attribute?;
        if attribute.expr.range + around.offset != range {
            let is_text = matches!(attribute.expr.kind, ExprKind::Template(_));
            return is_text.then_some(Type::String);
        }
        match around
            .schema(&place.known)?
            .argument(&attribute.name.name)?
        {
            ArgumentSchema::Provider(attribute) => Some(attribute.ty.clone()),
            ArgumentSchema::Language(_) => match attribute.name.name.as_str() {
                "count" => Some(Type::Number),
                "for_each" => Some(Type::set(Type::String)),
                _ => None,
            },
        }
    };
    known().unwrap_or(Type::Dynamic)
}

/// The constraint that fits a value and others like it.
fn general(ty: &Type) -> Type {
    match ty {
        Type::Tuple(elements) => match elements.split_first() {
            Some((first, rest)) if rest.iter().all(|it| it == first) => Type::list(general(first)),
            _ => Type::list(Type::Dynamic),
        },
        other => other.clone(),
    }
}
