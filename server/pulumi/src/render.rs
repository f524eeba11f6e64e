//! A plan as the text of `pulumi preview --diff`.

use std::collections::{BTreeMap, BTreeSet};

use crate::ask::{Detailed, DiffKind};
use crate::json::UNKNOWN;
use crate::path::{Path, Step as PathStep};
use crate::plan::{Plan, Step};
use crate::preview::is_shown;
use crate::step::Op;
use crate::urn::{STACK_TYPE, Urn};
use crate::value::{Object, Value};

/// The text. Secrets are masked.
pub fn text(plan: &Plan) -> String {
    let mut text = String::new();
    let mut depths: BTreeMap<&Urn, usize> = BTreeMap::new();
    for step in &plan.steps {
        if is_shown(step) && step.is_planned() {
            let depth = depth(step, &depths);
            depths.insert(&step.urn, depth);
            resource(&mut text, step, depth);
        }
    }
    outputs(&mut text, plan);
    summary(&mut text, plan);
    text
}

/// What happens to one resource.
pub fn step(step: &Step) -> String {
    let mut text = String::new();
    resource(&mut text, step, 0);
    text.trim_end().to_owned()
}

/// Children stand below their parents, as far as these are shown.
fn depth(step: &Step, depths: &BTreeMap<&Urn, usize>) -> usize {
    let parent = match (&step.new, &step.old) {
        (Some(new), _) => new.parent.as_ref(),
        (None, Some(old)) => old.parent.as_ref(),
        (None, None) => None,
    };
    parent.map_or(0, |parent| {
        depths.get(parent).copied().unwrap_or_default() + 1
    })
}

fn mark(op: Op) -> &'static str {
    match op {
        Op::Same => "  ",
        Op::Create => "+ ",
        Op::Update => "~ ",
        Op::Replace { .. } => "+-",
        Op::Delete => "- ",
        Op::Read => "> ",
        Op::Discard => "< ",
    }
}

fn resource(text: &mut String, step: &Step, depth: usize) {
    let indent = " ".repeat(4 * depth);
    let type_name = step.urn.type_name();
    let is_locked = match (&step.new, &step.old) {
        (Some(new), _) => new.is_protected,
        (None, Some(old)) => old.is_protected,
        (None, None) => false,
    };
    let lock = if is_locked { " 🔒" } else { "" };
    let is_retained =
        step.op == Op::Delete && step.old.as_ref().is_some_and(|it| it.is_retained_on_delete);
    let retained = if is_retained { "[retain]" } else { "" };
    let op = step.op.name();
    text.push_str(&format!(
        "{indent}{}{type_name}: ({op}{retained}){lock}\n",
        mark(step.op)
    ));
    let inner = " ".repeat(4 * depth + 4);
    let id = step
        .old
        .as_ref()
        .map(|old| old.id.as_str())
        .filter(|it| !it.is_empty());
    if let Some(id) = id {
        text.push_str(&format!("{inner}[id={id}]\n"));
    }
    text.push_str(&format!("{inner}[urn={}]\n", step.urn));
    match (step.op, &step.old, &step.new) {
        (Op::Create, _, Some(new)) => properties(text, &new.inputs, 4 * depth + 4),
        (Op::Delete, Some(old), _) => properties(text, &old.inputs, 4 * depth + 4),
        (Op::Update | Op::Replace { .. }, Some(old), Some(new)) => {
            if !old.provider.is_empty() && old.provider != new.provider {
                let new = new.provider.replace(UNKNOWN, "[unknown]");
                text.push_str(&format!("{inner}[provider: {} => {new}]\n", old.provider));
            }
            changes(text, step, 4 * depth + 2);
        }
        _ => {}
    }
}

/// What differs: by the provider's details, or else between the inputs, or the outputs of what is replaced without a difference.
fn changes(text: &mut String, step: &Step, indent: usize) {
    let (Some(old), Some(new)) = (&step.old, &step.new) else {
        return;
    };
    if let Some(detailed) = step.detailed.as_ref().filter(|it| !it.is_empty()) {
        let values = Values {
            outputs: &old.outputs,
            inputs: &old.inputs,
            news: &new.inputs,
            detailed,
        };
        return Changes::of(detailed).write_all(text, &values, &Path(Vec::new()), indent);
    }
    match &new.outputs {
        Some(outputs) if step.diff_keys.is_empty() => {
            objects(text, &old.outputs, outputs, &[], indent)
        }
        _ => objects(text, &old.inputs, &new.inputs, &step.diff_keys, indent),
    }
}

/// Two objects beside each other, with what is the same; only `keys`, if there are any.
fn objects(text: &mut String, old: &Object, new: &Object, keys: &[String], indent: usize) {
    let all: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let width = all
        .iter()
        .map(|key| key.chars().count())
        .max()
        .unwrap_or_default();
    let is_meant = |key: &String| (keys.is_empty() || keys.contains(key)) && !key.starts_with("__");
    for key in all.into_iter().filter(|key| is_meant(key)) {
        difference(
            text,
            &format!("{key:width$}"),
            old.get(key),
            new.get(key),
            indent,
        );
    }
}

fn difference(
    text: &mut String,
    name: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    indent: usize,
) {
    let lead = " ".repeat(indent);
    let line = match (old, new) {
        (None, None) => return,
        (None, Some(new)) => format!("{lead}+ {name}: {}\n", shown(new, indent + 2)),
        (Some(old), None) => format!("{lead}- {name}: {}\n", shown(old, indent + 2)),
        (Some(Value::Secret(_)), Some(Value::Unknown | Value::Secret(_))) => {
            format!("{lead}  {name}: [secret]\n")
        }
        (Some(old), Some(new)) if old == new => {
            format!("{lead}  {name}: {}\n", shown(new, indent + 2))
        }
        (Some(old), Some(new)) => {
            let (kind, old, new) = match (as_json(old), as_json(new)) {
                (Some(old), Some(new)) => ("(json) ", old, new),
                _ => ("", old.clone(), new.clone()),
            };
            let (open, close) = match (&old, &new) {
                (Value::Array(_), Value::Array(_)) => ('[', ']'),
                (Value::Object(_), Value::Object(_)) => ('{', '}'),
                _ => {
                    let (old, new) = (shown(&old, indent + 2), shown(&new, indent + 2));
                    text.push_str(&format!("{lead}~ {name}: {old} => {new}\n"));
                    return;
                }
            };
            text.push_str(&format!("{lead}~ {name}: {kind}{open}\n"));
            inside(text, &old, &new, indent + 4);
            format!("{lead}  {close}\n")
        }
    };
    text.push_str(&line);
}

fn inside(text: &mut String, old: &Value, new: &Value, indent: usize) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => objects(text, old, new, &[], indent),
        (Value::Array(old), Value::Array(new)) => {
            for index in 0..old.len().max(new.len()) {
                difference(
                    text,
                    &format!("[{index}]"),
                    old.get(index),
                    new.get(index),
                    indent,
                );
            }
        }
        _ => {}
    }
}

/// What a text holds that is an object or a list in JSON.
fn as_json(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|it| it.starts_with(['{', '[']))?;
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(crate::json::from_json(&json, &|_| None))
}

/// Properties that a person did not make are left out, but they count for the width.
fn properties(text: &mut String, object: &Object, indent: usize) {
    let width = object
        .keys()
        .map(|key| key.chars().count())
        .max()
        .unwrap_or_default();
    for (key, value) in object {
        if key.starts_with("__") {
            continue;
        }
        let value = shown(value, indent);
        text.push_str(&format!("{}{key:width$}: {value}\n", " ".repeat(indent)));
    }
}

/// A value whose first line stands behind its key at `indent`.
fn shown(value: &Value, indent: usize) -> String {
    let (inner, outer) = (" ".repeat(indent + 4), " ".repeat(indent));
    match value {
        Value::Null => "<null>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => match as_json(value) {
            Some(json) => format!("(json) {}", shown(&json, indent)),
            None => format!("{text:?}"),
        },
        Value::Unknown => "[unknown]".to_owned(),
        Value::Secret(_) => "[secret]".to_owned(),
        Value::Array(elements) if elements.is_empty() => "[]".to_owned(),
        Value::Array(elements) => {
            let elements = elements.iter().enumerate();
            let lines: String = elements
                .map(|(index, it)| format!("{inner}[{index}]: {}\n", shown(it, indent + 4)))
                .collect();
            format!("[\n{lines}{outer}]")
        }
        Value::Object(object) if object.is_empty() => "{}".to_owned(),
        Value::Object(object) => {
            let mut lines = String::new();
            properties(&mut lines, object, indent + 4);
            format!("{{\n{lines}{outer}}}")
        }
        Value::Asset(asset) => {
            let hash = asset.hash.get(..7).unwrap_or_default();
            format!("asset({hash})")
        }
        Value::Archive(_) => "archive".to_owned(),
        Value::Resource(resource) => format!("{:?}", resource.urn),
    }
}

/// The changed paths as a tree.
#[derive(Default)]
struct Changes {
    kind: Option<DiffKind>,
    below: BTreeMap<PathStep, Changes>,
}

struct Values<'a> {
    outputs: &'a Object,
    inputs: &'a Object,
    news: &'a Object,
    detailed: &'a Detailed,
}

impl Values<'_> {
    fn old(&self, path: &Path) -> Option<&Value> {
        let is_of_inputs = self
            .detailed
            .get(&path.to_string())
            .is_some_and(|it| it.is_of_inputs);
        match is_of_inputs {
            true => path.get(self.inputs),
            false => path.get(self.outputs).or_else(|| path.get(self.inputs)),
        }
    }

    /// Whether it, or something that it is a part of, is secret.
    fn is_secret(&self, path: &Path) -> bool {
        let is_secret = |object: &Object| {
            let prefixes = (1..=path.0.len()).map(|end| Path(path.0[..end].to_vec()));
            prefixes
                .into_iter()
                .any(|it| matches!(it.get(object), Some(Value::Secret(_))))
        };
        is_secret(self.news) || is_secret(self.inputs) || is_secret(self.outputs)
    }
}

impl Changes {
    fn of(detailed: &Detailed) -> Changes {
        let mut root = Changes::default();
        for (path, diff) in detailed {
            let Ok(path) = Path::parse(path) else {
                continue;
            };
            let mut at = &mut root;
            for step in path.0 {
                at = at.below.entry(step).or_default();
            }
            at.kind = Some(diff.kind);
        }
        root
    }

    fn write_all(&self, text: &mut String, values: &Values<'_>, at: &Path, indent: usize) {
        for (step, changes) in &self.below {
            let path = at.then(step.clone());
            let name = match step {
                PathStep::Name(name) => name.clone(),
                PathStep::Index(index) => format!("[{index}]"),
                PathStep::Any => "[*]".to_owned(),
            };
            changes.write(text, values, &path, &name, indent);
        }
    }

    fn write(
        &self,
        text: &mut String,
        values: &Values<'_>,
        path: &Path,
        name: &str,
        indent: usize,
    ) {
        let lead = " ".repeat(indent);
        let Some(kind) = self.kind else {
            let is_list = self.below.keys().any(|it| matches!(it, PathStep::Index(_)));
            let (open, close) = if is_list { ('[', ']') } else { ('{', '}') };
            text.push_str(&format!("{lead}~ {name}: {open}\n"));
            let more = if name.starts_with('[') { 8 } else { 4 };
            self.write_all(text, values, path, indent + more);
            text.push_str(&format!("{}{close}\n", " ".repeat(indent + more - 2)));
            return;
        };
        let is_secret = values.is_secret(path);
        let show = |value: Option<&Value>| match value {
            _ if is_secret => "[secret]".to_owned(),
            Some(value) => shown(value, indent + 2),
            None => "<null>".to_owned(),
        };
        let (old, new) = (values.old(path), path.get(values.news));
        let line = match kind {
            DiffKind::Add | DiffKind::AddReplace => format!("{lead}+ {name}: {}\n", show(new)),
            DiffKind::Delete | DiffKind::DeleteReplace => {
                format!("{lead}- {name}: {}\n", show(old))
            }
            DiffKind::Update | DiffKind::UpdateReplace if is_secret => {
                format!("{lead}~ {name}: [secret] => [secret]\n")
            }
            DiffKind::Update | DiffKind::UpdateReplace => {
                return difference(text, name, old, new, indent);
            }
        };
        text.push_str(&line);
    }
}

/// The outputs of a stack that is created.
fn outputs(text: &mut String, plan: &Plan) {
    let stack = plan
        .steps
        .iter()
        .find(|step| step.urn.type_name() == STACK_TYPE);
    if stack.is_some_and(|step| step.op == Op::Create) && !plan.outputs.is_empty() {
        text.push_str("    --outputs:--\n");
        properties(text, &plan.outputs, 4);
    }
}

fn summary(text: &mut String, plan: &Plan) {
    text.push_str("Resources:\n");
    let counts = plan.counts();
    let replace = Op::Replace {
        deletes_first: false,
    };
    let (mut changes, mut kinds) = (0, 0);
    for op in [Op::Create, Op::Update, Op::Delete, replace] {
        if let Some(count) = counts.get(&op) {
            text.push_str(&format!("    {}{count} to {}\n", mark(op), op.name()));
            changes += count;
            kinds += 1;
        }
    }
    let unchanged = counts
        .get(&Op::Same)
        .map(|count| format!("{count} unchanged"));
    let changes = (kinds > 1).then(|| format!("{changes} changes"));
    let unplanned = plan.steps.iter().filter(|step| !step.is_planned()).count();
    let unplanned = (unplanned > 0).then(|| format!("{unplanned} not planned"));
    let parts = [changes, unchanged, unplanned].into_iter().flatten();
    let parts: Vec<String> = parts.collect();
    if !parts.is_empty() {
        text.push_str(&format!("    {}\n", parts.join(". ")));
    }
}
