//! `references`, `rename`, `refactor` and `format`: ways through a configuration, and edits for the client to make.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use ide::{ActionKind, DiskFiles, Effect, Intent, OfferedRefactoring, Refactored, Selection as At};
use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use text::{Edits, FileId, Position, PositionEncoding, TextRange, TextSize};

use crate::answer::{ListEntry, Page, ToolAnswer, shown, whole};
use crate::proposal;
use crate::session::{CallArguments, PlannedProposal, Session};

/// A name: by its declaration, or by its place in a text.
#[derive(Deserialize)]
pub(crate) struct Named {
    #[serde(flatten)]
    asked: CallArguments,
    #[serde(flatten)]
    page: Page,
    /// `var.region`, `aws_instance.web`, `module.network`, `local.name`, `output.id`
    #[serde(default)]
    name: Option<String>,
    #[serde(flatten)]
    spot: Spot,
    /// The new name.
    #[serde(default)]
    new_name: Option<String>,
    /// Which of the refactorings that are offered.
    #[serde(default)]
    title: Option<String>,
}

#[derive(Deserialize)]
struct Spot {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    column: Option<u32>,
    #[serde(default)]
    end_line: Option<u32>,
}

#[derive(Deserialize)]
pub(crate) struct Format {
    #[serde(flatten)]
    asked: CallArguments,
    #[serde(flatten)]
    page: Page,
    path: String,
}

pub(crate) async fn references(
    session: &mut Session,
    asked: Named,
) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let (file, range) = asked.range(&planned)?;
    let found = planned.snapshot.references(&file, range.start(), true);
    let name = asked.said();
    let head = match found.len() {
        0 => format!("Nothing named {name} is declared here.\n"),
        count => format!("{count} places name {name}, including its declaration:\n"),
    };
    let answer = ToolAnswer {
        head,
        data: Map::new(),
        name: "references",
        count: found.len(),
    };
    Ok(answer.of(asked.page, |range| {
        let entry = |it: &ide::Location| {
            let place = planned.place(&it.file, it.range);
            let text = planned.text(&it.file).unwrap_or_default();
            let line = match proposal::is_of_values(&it.file) {
                // The rest of the line may be a secret.
                true => text.get(std::ops::Range::<usize>::from(it.range)),
                false => text.lines().nth(place.line as usize - 1),
            };
            let line = line.unwrap_or_default();
            let line: String = shown(line.trim()).chars().take(160).collect();
            ListEntry {
                text: format!("{place}:{}: {line}\n", place.column),
                data: place.data(),
            }
        };
        found[range].iter().map(entry).collect()
    }))
}

pub(crate) async fn rename(session: &mut Session, asked: Named) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let (file, range) = asked.range(&planned)?;
    let new_name = asked.new_name.clone().context("rename needs new_name")?;
    made(
        session,
        &planned,
        file,
        range,
        Intent::Rename(new_name),
        asked.page,
    )
    .await
}

/// Lists the actions at a place, or makes the one with the title.
pub(crate) async fn refactor(
    session: &mut Session,
    asked: Named,
) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let (file, range) = asked.range(&planned)?;
    let actions = planned
        .snapshot
        .actions(&file, range, &DiskFiles, &|_| true);
    let actions: Vec<(String, ActionKind, Effect)> = actions
        .into_iter()
        .filter(|it| {
            matches!(
                it.effect,
                Effect::Edit(_) | Effect::Later | Effect::Refactoring(_)
            )
        })
        .map(|it| (it.title, it.kind, it.effect))
        .collect();
    let Some(title) = &asked.title else {
        let head = match actions.len() {
            0 => "No quick fix or refactoring is available here.\n",
            _ => "Available here; ask again with one of these titles:\n",
        };
        let answer = ToolAnswer {
            head: head.to_owned(),
            data: Map::new(),
            name: "offers",
            count: actions.len(),
        };
        return Ok(answer.of(asked.page, |range| {
            let entry = |(title, kind, _): &(String, ActionKind, Effect)| ListEntry {
                text: format!("- {title}\n"),
                data: json!({ "title": shown(title), "kind": kind.name() }),
            };
            actions[range].iter().map(entry).collect()
        }));
    };
    let chosen = actions.into_iter().find(|(it, ..)| it == title);
    let (_, kind, effect) = chosen.with_context(|| format!("{title:?} is not available here"))?;
    let edits = match effect {
        Effect::Refactoring(OfferedRefactoring(what)) => {
            ensure!(
                what != json!("GenerateImported"),
                "this reads remote objects, so only the user can run it"
            );
            let intent = Intent::OfferedRefactoring(OfferedRefactoring(what));
            return made(session, &planned, file, range, intent, asked.page).await;
        }
        Effect::Edit(edits) => edits,
        _ => {
            let edits = planned.snapshot.resolve_action(&file, kind);
            edits.context("there is nothing to change")?
        }
    };
    Ok(edited(
        &planned,
        &format!("{title}: make these edits.\n"),
        Map::new(),
        &edits,
        &BTreeMap::new(),
        asked.page,
    ))
}

/// Has a refactoring made and proven.
async fn made(
    session: &Session,
    planned: &PlannedProposal,
    file: FileId,
    range: TextRange,
    intent: Intent,
    page: Page,
) -> anyhow::Result<CallToolResult> {
    let at = At {
        snapshot: planned.snapshot.clone(),
        file,
        range,
    };
    let made = session.planner().refactor(at, intent).await;
    let Refactored {
        title,
        edits,
        texts,
        proof,
    } = made.map_err(|it| anyhow::anyhow!(it.0))?;
    let mut head = format!("{title}: {proof}. Make these edits; planlens has not made them.\n");
    let details = proof.details();
    if !details.is_empty() {
        let _ = writeln!(head, "{details}");
    }
    let mut data = Map::new();
    data.insert(
        "isSafe".to_owned(),
        (proof.is_safe() && proof.unplanned.is_none()).into(),
    );
    data.insert("proof".to_owned(), shown(&proof.to_string()).into());
    Ok(edited(planned, &head, data, &edits, &texts, page))
}

/// Edits as a client makes them: a range of lines and characters from 1, and the new text.
fn edited(
    planned: &PlannedProposal,
    head: &str,
    mut data: Map<String, Value>,
    edits: &Edits,
    texts: &BTreeMap<FileId, Arc<str>>,
    page: Page,
) -> CallToolResult {
    let mut entries = Vec::new();
    for (file, replacements) in &edits.files {
        let text = texts.get(file).map(|it| it.to_string());
        let text = text.or_else(|| planned.text(file)).unwrap_or_default();
        let index = text::LineIndex::new(&text);
        for it in replacements {
            let [start, end] = [it.range.start(), it.range.end()]
                .map(|at| index.position(at, PositionEncoding::Utf32))
                .map(|at| (at.line + 1, at.character + 1));
            let path = planned.path(file);
            entries.push(json!({
                "path": path,
                "start": { "line": start.0, "column": start.1 },
                "end": { "line": end.0, "column": end.1 },
                "text": it.text,
            }));
        }
    }
    for (file, text) in &edits.created {
        entries.push(json!({ "path": planned.path(file), "create": true, "text": &**text }));
    }
    data.insert("count".to_owned(), entries.len().into());
    let answer = ToolAnswer {
        head: head.to_owned(),
        data,
        name: "edits",
        count: entries.len(),
    };
    answer.of(page, |range| {
        let entry = |data: &Value| {
            let path = data["path"].as_str().unwrap_or_default();
            let place = match data["create"].is_null() {
                true => {
                    let number = |at: &str, what: &str| data[at][what].to_string();
                    format!(
                        "{path} {}:{} to {}:{}",
                        number("start", "line"),
                        number("start", "column"),
                        number("end", "line"),
                        number("end", "column")
                    )
                }
                false => format!("{path} (new file)"),
            };
            ListEntry {
                text: format!("{place}: {}\n", data["text"]),
                data: data.clone(),
            }
        };
        entries[range].iter().map(entry).collect()
    })
}

pub(crate) async fn format(session: &mut Session, asked: Format) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let path = proposal::path(&asked.path, &planned.dir, &planned.workspace)?;
    let file = FileId::new(path.to_string_lossy());
    let text = planned.text(&file).context("the file does not exist")?;
    let snapshot = planned.snapshot.with_file(file.clone(), &text);
    let Some(edits) = snapshot.formatting(&file) else {
        bail!("the file has a syntax error and cannot be formatted");
    };
    if edits.is_empty() {
        return Ok(whole(
            format!("{} is already formatted.\n", planned.path(&file)),
            json!({ "isFormatted": true }),
            asked.page,
        ));
    }
    let formatted = text::apply(&text, &edits);
    let name = planned.path(&file);
    let mut data = Map::new();
    data.insert("isFormatted".to_owned(), false.into());
    if formatted.len() < asked.page.bytes() / 3 && !proposal::is_of_values(&file) {
        let text = format!("{name} is not formatted. terraform fmt would write:\n{formatted}");
        data.insert("text".to_owned(), formatted.into());
        return Ok(whole(text, data.into(), asked.page));
    }
    let mut all = Edits::default();
    all.files.insert(file, edits);
    let head = format!("{name} is not formatted. Make these edits; planlens has not made them.\n");
    Ok(edited(
        &planned,
        &head,
        data,
        &all,
        &BTreeMap::new(),
        asked.page,
    ))
}

impl Named {
    /// As an answer calls it.
    fn said(&self) -> String {
        match (&self.name, &self.spot.path) {
            (Some(name), _) => name.clone(),
            (None, Some(path)) => format!("what is at {path}:{}", self.spot.line.unwrap_or(1)),
            (None, None) => String::new(),
        }
    }

    /// Where it is.
    fn range(&self, planned: &PlannedProposal) -> anyhow::Result<(FileId, TextRange)> {
        if let Some(name) = &self.name {
            let (file, offset) = declaration(planned, name)
                .with_context(|| format!("nothing is declared as {name:?} in this folder"))?;
            return Ok((file, TextRange::empty(offset)));
        }
        let Spot {
            path,
            line,
            column,
            end_line,
        } = &self.spot;
        let (Some(path), Some(line)) = (path, line) else {
            bail!("give a name, or a path with a line and a column");
        };
        let path = proposal::path(path, &planned.dir, &planned.workspace)?;
        let file = FileId::new(path.to_string_lossy());
        let open = planned.snapshot.file(&file);
        let index = open
            .context("the file is not in this folder")?
            .document()
            .line_index();
        let offset = |line: u32, column: u32| {
            let position = Position::new(line.saturating_sub(1), column.saturating_sub(1));
            index.offset(position, PositionEncoding::Utf32)
        };
        let start = offset(*line, column.unwrap_or(1));
        let end = end_line.map_or(start, |line| offset(line + 1, 1));
        Ok((file, TextRange::new(start, end.max(start))))
    }
}

/// Where something is declared: the place of its name.
fn declaration(planned: &PlannedProposal, name: &str) -> Option<(FileId, TextSize)> {
    let symbols = planned.snapshot.workspace_symbols(name);
    let is_of_folder =
        |file: &FileId| std::path::Path::new(file.path()).parent() == Some(&planned.dir);
    let symbol = symbols
        .into_iter()
        .find(|it| it.name == name && is_of_folder(&it.location.file))?;
    let location = symbol.location;
    let text = planned.text(&location.file)?;
    let part = text.get(usize::from(location.range.start())..)?;
    let own = name.rsplit('.').next()?;
    let header = part.lines().next()?;
    // The last label, or a name without quotes.
    let at = header.find(&format!("\"{own}\"")).map(|at| at + 1);
    let at = at.or_else(|| header.find(own))?;
    Some((
        location.file,
        location.range.start() + TextSize::try_from(at).ok()?,
    ))
}
