//! The meaning, the type and the value of a word.

use ide::{Hover, Markdown, PlaceInFile};
use pulumi::evaluate::Binding;
use pulumi::expr::{Access, AccessStep};
use pulumi::schema::{Fields, Property};
use pulumi::urn::PROVIDER_PREFIX;
use pulumi::value::Value;
use text::TextRange;

use super::completion::option_meaning;
use super::names::{Named, accesses, named};
use super::place::{Place, PlaceKind};
use super::typed::{Called, CursorContext, Level, inside, property_at};
use super::words::{
    ALIAS, CONFIG, FUNCTIONS, INVOKE, INVOKE_OPTIONS, PLUGIN, PLUGINS, RESOURCE, SETTINGS, STACK,
    TOP, meaning,
};
use crate::language::FilePurpose;
use crate::planned_objects::value_text;

pub(crate) fn hover(at: &PlaceInFile<'_>) -> Option<Hover> {
    let known = CursorContext::at(at)?;
    if let Some((access, range)) = accesses(&known, at.file, at.offset) {
        return Some(Hover {
            text: reference(&known, &access),
            range,
        });
    }
    let found = named(at, &known).filter(|it| !matches!(it.named, Named::Key));
    let key = found.as_ref().map(|it| it.range).or_else(|| key_at(at))?;
    let text = at.source.document().text();
    // The place after the key is in the mapping of the key.
    let place = Place::at(&text, key.end())?;
    let hover_text = hover_text(&known, &text, &place)?;
    Some(Hover {
        text: hover_text,
        range: key,
    })
}

/// The word around a place.
fn key_at(at: &PlaceInFile<'_>) -> Option<TextRange> {
    let text = at.source.document().text();
    let offset = usize::from(at.offset);
    let is_of_word = |c: char| c.is_alphanumeric() || "_-:/.*[]".contains(c);
    let before = text.get(..offset)?;
    let start = before.rfind(|c: char| !is_of_word(c)).map_or(0, |it| {
        it + before[it..].chars().next().map_or(1, char::len_utf8)
    });
    let after = &text[offset..];
    let end = after.find(|c: char| !is_of_word(c)).unwrap_or(after.len());
    let word = text[start..offset + end].trim_end_matches(':');
    let range = TextRange::new(
        text::TextSize::new(start as u32),
        text::TextSize::new((start + word.len()) as u32),
    );
    (!word.is_empty()).then_some(range)
}

fn hover_text(known: &CursorContext<'_>, text: &str, place: &Place) -> Option<Markdown> {
    let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
    let word = place.typed.as_str();
    if let Some(called) = Called::around(text, place) {
        return in_call(known, &called, place);
    }
    if let PlaceKind::Value { key, .. } = &place.kind {
        return match (path.as_slice(), key.as_str()) {
            (["resources", _], "type") => type_hover(known, word),
            (["plugins", _, "-"], "-") => meaning(&PLUGIN, word).map(Markdown::documentation),
            (["resources", _, "options", "aliases", "-"], "-") => {
                meaning(&ALIAS, word).map(Markdown::documentation)
            }
            (["resources", name, "properties", rest @ ..], "-") => {
                // The first key of an element.
                property_hover(known, name, rest, word)
            }
            (["resources", name, "properties", rest @ ..], key) => {
                let path: Vec<&str> = rest.iter().copied().chain([key]).collect();
                value_hover(known, name, &path, word)
            }
            _ => None,
        };
    }
    let mean = |words| meaning(words, word).map(Markdown::documentation);
    match (&known.role, path.as_slice()) {
        (FilePurpose::Stack(_), []) => mean(&STACK),
        (FilePurpose::Stack(_), ["config"]) => config_hover(known, word),
        (FilePurpose::Stack(_), _) => None,
        (_, _) if word.starts_with("fn::") => mean(&FUNCTIONS).or_else(|| function(known, word)),
        (_, []) => mean(&TOP),
        (_, ["config" | "configuration", _]) => mean(&CONFIG),
        (_, ["resources", _]) => mean(&RESOURCE),
        (_, ["resources", _, "options"]) => option_meaning(word).map(Markdown::documentation),
        (_, ["resources", _, "options", "aliases", "-"]) => mean(&ALIAS),
        (_, ["plugins"]) => mean(&PLUGINS),
        (_, ["plugins", _, "-"]) => mean(&PLUGIN),
        (_, ["resources", name, "properties", rest @ ..]) => {
            property_hover(known, name, rest, word)
        }
        (_, ["config" | "configuration"]) => config_hover(known, word),
        (_, ["resources"]) => {
            let (token, of_type) = known.type_of(known.resource(word)?)?;
            let mut text = Markdown::code(token);
            text.push(Markdown::documentation(of_type.description()));
            Some(text)
        }
        (_, ["variables" | "outputs"]) => value_of(known, word),
        _ => None,
    }
}

/// A key or a value in the call of a function.
fn in_call(known: &CursorContext<'_>, called: &Called<'_>, place: &Place) -> Option<Markdown> {
    let word = place.typed.as_str();
    let key = match &place.kind {
        PlaceKind::Value { key, .. } => key,
        PlaceKind::Key | PlaceKind::Reference { .. } => "",
    };
    if called.is_invoke && called.path.is_empty() {
        return match key {
            "function" => function(known, word),
            "return" => {
                let (_, function) = known.function(&called.written)?;
                Some(described(word, function.output(word)?, false))
            }
            _ => meaning(&INVOKE, word).map(Markdown::documentation),
        };
    }
    let Some(path) = called.argument() else {
        return meaning(&INVOKE_OPTIONS, word).map(Markdown::documentation);
    };
    let (_, function) = known.function(&called.written)?;
    let level = Level::at(function.inputs(), path)?;
    let property = level.field(word)?;
    Some(described(word, property, level.required.contains(&word)))
}

/// A function, with its arguments and its result.
fn function(known: &CursorContext<'_>, word: &str) -> Option<Markdown> {
    let written = word.strip_prefix("fn::").unwrap_or(word);
    let (token, function) = known.function(written)?;
    let mut text = Markdown::code(token);
    let schema = known.schema(token.split(':').next()?)?;
    text.push(Markdown::documentation(schema.function_description(token)));
    let inputs = function.inputs();
    let required: Vec<&str> = inputs.required().collect();
    list(&mut text, "Arguments", &inputs, &required);
    if let Some(outputs) = function.outputs() {
        list(&mut text, "Result", &outputs, &[]);
    }
    Some(text)
}

fn type_hover(known: &CursorContext<'_>, written: &str) -> Option<Markdown> {
    let (token, of_type) = known.resource_type(written)?;
    let mut text = match written.starts_with(PROVIDER_PREFIX) {
        true => Markdown::code(written),
        false => Markdown::code(token),
    };
    if let Some(why) = of_type.deprecation() {
        text.push(Markdown::text(format!("Deprecated: {why}")));
    }
    text.push(Markdown::documentation(of_type.description()));
    let inputs = of_type.written(token);
    let required: Vec<&str> = inputs.required().collect();
    list(&mut text, "Inputs", &inputs, &required);
    list(&mut text, "Outputs", &of_type.state(token), &[]);
    Some(text)
}

/// Properties with their types and descriptions.
fn list(text: &mut Markdown, title: &str, fields: &Fields<'_>, required: &[&str]) {
    /// Some types have hundreds.
    const LISTED: usize = 50;
    let names = fields.names();
    if names.is_empty() {
        return;
    }
    let mut lines = String::new();
    for name in names.iter().take(LISTED) {
        let Some(property) = fields.get(name) else {
            continue;
        };
        let required = if required.contains(name) {
            ", required"
        } else {
            ""
        };
        let first = property.description().lines().next().unwrap_or_default();
        lines += &format!("- `{name}: {}{required}` {first}\n", property.type_text());
    }
    if let Some(more) = names.len().checked_sub(LISTED + 1) {
        lines += &format!("- and {} more\n", more + 1);
    }
    text.push(Markdown::heading(title));
    text.push(Markdown::documentation(&lines));
}

fn property_hover(
    known: &CursorContext<'_>,
    name: &str,
    rest: &[&str],
    word: &str,
) -> Option<Markdown> {
    let (_, of_type) = known.type_of(known.resource(name)?)?;
    let path: Vec<String> = rest
        .iter()
        .chain([&word])
        .map(|it| (*it).to_owned())
        .collect();
    let property = property_at(of_type, &path)?;
    let is_required = match rest {
        [] => of_type.required_inputs().any(|it| it == word),
        _ => {
            let around = property_at(of_type, &path[..path.len() - 1])?;
            around.required().contains(&word)
        }
    };
    Some(described(word, property, is_required))
}

fn described(name: &str, property: Property<'_>, is_required: bool) -> Markdown {
    let required = if is_required { ", required" } else { "" };
    let mut text = Markdown::code(format!("{name}: {}{required}", property.type_text()));
    if let Some(why) = property.deprecation() {
        text.push(Markdown::text(format!("Deprecated: {why}")));
    }
    if property.is_secret() {
        text.push(Markdown::text("Its value is secret."));
    }
    text.push(Markdown::documentation(property.description()));
    text
}

/// One of the values that a schema lists.
fn value_hover(
    known: &CursorContext<'_>,
    name: &str,
    path: &[&str],
    word: &str,
) -> Option<Markdown> {
    let (_, of_type) = known.type_of(known.resource(name)?)?;
    let path: Vec<String> = path.iter().map(|it| (*it).to_owned()).collect();
    let values = property_at(of_type, &path)?.values();
    let (value, description) = values.into_iter().find(|(value, _)| value == word)?;
    let mut text = Markdown::code(value);
    text.push(Markdown::documentation(description));
    Some(text)
}

fn config_hover(known: &CursorContext<'_>, word: &str) -> Option<Markdown> {
    let name = word.rsplit(':').next()?;
    let config = known.program.config.iter();
    let declared = config.into_iter().find(|it| {
        let key = it.decl.key.as_deref().unwrap_or(&it.name);
        it.name == name || key == word
    })?;
    let mut text = Markdown::default();
    if let Some((type_name, _)) = &declared.decl.type_name {
        text.push(Markdown::code(format!("{name}: {type_name}")));
    }
    text.push(value_of(known, &declared.name)?);
    Some(text)
}

/// The value of a name, as of the last plan.
fn value_of(known: &CursorContext<'_>, name: &str) -> Option<Markdown> {
    let plan = &known.folder?.plan;
    let value = match plan.names.get(name).map(|it| &**it) {
        Some(Binding::Value(evaluated)) => &evaluated.value,
        Some(Binding::Resource(_) | Binding::Failed) => return None,
        None => plan.outputs.get(name)?,
    };
    Some(Markdown::code(format!("= {}", shown(value))))
}

fn shown(value: &Value) -> String {
    match value_text(Some(value)) {
        ide::ValueText::Known(text) | ide::ValueText::Unknown(text) => text,
        ide::ValueText::Masked => "[secret]".to_owned(),
        ide::ValueText::Long => "a long value".to_owned(),
    }
}

/// The type and the value of `${...}`.
fn reference(known: &CursorContext<'_>, access: &Access) -> Markdown {
    let mut text = Markdown::default();
    let steps: Vec<String> = access.steps.iter().map(step).collect();
    if access.root == pulumi::program::SETTINGS {
        let hover_text = steps.first().and_then(|it| meaning(&SETTINGS, it));
        hover_text
            .into_iter()
            .for_each(|it| text.push(Markdown::documentation(it)));
    }
    if let Some(decl) = known.resource(&access.root) {
        match (known.type_of(decl), steps.split_first()) {
            (Some((_, of_type)), Some((first, rest))) => {
                let property = of_type.output(first).and_then(|it| inside(it, rest));
                let name = steps.last().map(String::as_str).unwrap_or_default();
                if let Some(property) = property {
                    text.push(described(name, property, false));
                }
            }
            (_, _) => text.push(Markdown::code(&*decl.type_name)),
        }
    }
    if let Some(value) = known.folder.and_then(|it| evaluated(it, access)) {
        text.push(Markdown::code(format!("= {}", shown(&value))));
    }
    if text.is_empty() {
        text.push(Markdown::code(&*access.root));
    }
    text
}

fn step(step: &AccessStep) -> String {
    match step {
        AccessStep::Name(name) | AccessStep::Key(name) => name.clone(),
        AccessStep::Index(_) => "-".to_owned(),
    }
}

fn evaluated(folder: &crate::folder::ProgramFolder, access: &Access) -> Option<Value> {
    let scope = pulumi::evaluate::Scope {
        project: &folder.name,
        dir: &folder.dir,
        bindings: &folder.plan.names,
        calls: None,
        reads_everywhere: false,
        archives: &Default::default(),
        suggests: false,
        reads: Default::default(),
        meter: Default::default(),
    };
    let expr = pulumi::expr::Expr {
        at: access.at,
        kind: pulumi::expr::ExprKind::Access(access.clone()),
    };
    let value = scope.evaluate(&expr).ok()?.value;
    // A whole resource is said by its type.
    (!matches!(value, Value::Resource(_))).then_some(value)
}
