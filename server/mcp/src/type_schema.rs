//! `schema`: the documentation of a type or an argument, in the installed version of its provider.

use config::ResourceMode;
use ide::TypeSchema;
use rmcp::model::CallToolResult;
use schema::{Attribute, Block};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::{ListEntry, Page, ToolAnswer, shown};
use crate::session::{CallArguments, Session};

#[derive(Deserialize)]
pub(crate) struct Schema {
    #[serde(flatten)]
    asked: CallArguments,
    #[serde(flatten)]
    page: Page,
    #[serde(rename = "type")]
    of_type: String,
    /// The path of an argument or a block: `lifecycle_rule.expiration`.
    #[serde(default)]
    attribute: Option<String>,
}

/// Characters of a description in a list, and of the one that was asked for.
const IN_LIST: usize = 240;
const ALONE: usize = 4_000;

const SIMILAR: usize = 40;

pub(crate) async fn schema(session: &mut Session, asked: Schema) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let found = planned.snapshot.type_schemas(&planned.dir, &asked.of_type);
    let wanted = asked.attribute.as_deref().unwrap_or_default();
    let mut entries = Vec::new();
    let mut providers = Vec::new();
    for found in &found {
        providers.push(title(found, &asked.of_type));
        let lines = lines_of(&found.schema.block, wanted);
        entries.extend(lines);
    }
    let head = match (found.is_empty(), entries.is_empty()) {
        (true, _) => {
            let names = planned.snapshot.type_names(&planned.dir);
            let similar = similar(&names, &asked.of_type);
            let known = match similar.is_empty() {
                true => format!("{} types are known here.", names.len()),
                false => format!("There are: {}.", similar.join(", ")),
            };
            let needed = planned.needed.as_deref().unwrap_or_default();
            format!(
                "No known provider has the type {:?}. {known} {needed}\n",
                asked.of_type
            )
        }
        (false, true) => format!("{} has no attribute or block {wanted:?}.\n", asked.of_type),
        (false, false) => format!("{}\n", providers.join("; ")),
    };
    let mut data = Map::new();
    data.insert("providers".to_owned(), json!(providers));
    let answer = ToolAnswer {
        head,
        data,
        name: "attributes",
        count: entries.len(),
    };
    Ok(answer.of(asked.page, |range| {
        let entry = |it: &Line| ListEntry {
            text: it.text(),
            data: it.data(),
        };
        entries[range].iter().map(entry).collect()
    }))
}

/// An attribute or a block in a line.
pub(crate) fn described(block: &Block, path: &str) -> Option<String> {
    let lines = lines_of(block, path);
    let line = lines.iter().find(|it| it.path == path)?;
    Some(line.text().trim_end().to_owned())
}

fn title(found: &TypeSchema, name: &str) -> String {
    let kind = match found.mode {
        ResourceMode::Managed => "resource",
        ResourceMode::Data => "data source",
        ResourceMode::Ephemeral => "ephemeral resource",
        ResourceMode::Action => "action",
    };
    let description = cut(&found.schema.block.description, IN_LIST);
    let description = (!description.is_empty()).then(|| format!(": {description}"));
    format!(
        "{kind} {name} of {}{}",
        found.provider,
        description.unwrap_or_default()
    )
}

fn similar(names: &[String], wanted: &str) -> Vec<String> {
    let of_same = |it: &&String| it.contains(wanted) || wanted.contains(it.as_str());
    let mut found: Vec<String> = names
        .iter()
        .filter(of_same)
        .take(SIMILAR)
        .cloned()
        .collect();
    let close = text::similar(wanted, names.iter().map(String::as_str));
    found.extend(
        close
            .map(str::to_owned)
            .filter(|it| !found.contains(it))
            .into_iter()
            .collect::<Vec<_>>(),
    );
    found
}

/// An attribute or a block.
struct Line {
    path: String,
    what: String,
    notes: Vec<&'static str>,
    description: String,
}

impl Line {
    fn text(&self) -> String {
        let notes = match self.notes.is_empty() {
            true => String::new(),
            false => format!(" ({})", self.notes.join(", ")),
        };
        let description = match self.description.is_empty() {
            true => String::new(),
            false => format!(": {}", self.description),
        };
        format!("{}: {}{notes}{description}\n", self.path, self.what)
    }

    fn data(&self) -> Value {
        json!({ "path": shown(&self.path), "type": self.what, "notes": self.notes })
    }
}

/// The element at a path, and its content.
fn lines_of(block: &Block, path: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    add_block(block, "", &mut lines);
    let depth = |it: &str| it.matches('.').count();
    if path.is_empty() {
        lines.retain(|it| depth(&it.path) == 0);
        return lines;
    }
    let below = format!("{path}.");
    lines.retain(|it| {
        it.path == path || it.path.starts_with(&below) && depth(&it.path) == depth(path) + 1
    });
    let is_alone = lines.len() == 1;
    for line in &mut lines {
        let room = if is_alone { ALONE } else { IN_LIST };
        line.description = cut(&line.description, room);
    }
    lines
}

fn add_block(block: &Block, before: &str, lines: &mut Vec<Line>) {
    for (name, attribute) in &block.attributes {
        add_attribute(attribute, &format!("{before}{name}"), lines);
    }
    for (name, nested) in &block.block_types {
        let path = format!("{before}{name}");
        let mut notes = Vec::new();
        if nested.min_items > 0 {
            notes.push("required");
        }
        if nested.max_items == 1 {
            notes.push("at most one");
        }
        if nested.block.deprecated {
            notes.push("deprecated");
        }
        lines.push(Line {
            what: format!("block ({:?})", nested.nesting).to_lowercase(),
            description: cut(&nested.block.description, IN_LIST),
            path: path.clone(),
            notes,
        });
        add_block(&nested.block, &format!("{path}."), lines);
    }
}

fn add_attribute(attribute: &Attribute, path: &str, lines: &mut Vec<Line>) {
    let notes = [
        (attribute.required, "required"),
        (attribute.optional, "optional"),
        (attribute.computed, "computed"),
        (attribute.sensitive, "sensitive"),
        (attribute.write_only, "write-only"),
        (attribute.deprecated, "deprecated"),
    ];
    lines.push(Line {
        path: path.to_owned(),
        what: attribute.ty.to_string(),
        notes: notes
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, note)| note)
            .collect(),
        description: cut(&attribute.description, ALONE),
    });
    for (name, nested) in attribute.nested_type.iter().flat_map(|it| &it.attributes) {
        add_attribute(nested, &format!("{path}.{name}"), lines);
    }
}

fn cut(text: &str, room: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(room) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
