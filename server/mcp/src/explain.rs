//! `explain`: why an object is replaced, destroyed or changed, back to the text that brought it about.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

use config::ResourceMode;
use ide::{ListedChange, Location};
use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::{Value, json};
use text::{FileId, TextRange, TextSize};

use crate::answer::{Page, shown, summary as summary_of, whole};
use crate::plan::{entry, head, summary};
use crate::session::{CallArguments, PlannedProposal, Session};
use crate::type_schema::described;

#[derive(Deserialize)]
pub(crate) struct Explain {
    #[serde(flatten)]
    asked: CallArguments,
    #[serde(flatten)]
    page: Page,
    address: String,
}

/// Declarations that are looked at on the way back, and the longest way.
const LOOKED_AT: usize = 200;
const LONGEST: usize = 12;

/// Characters of a provider's own words.
const WORDS: usize = 700;

pub(crate) async fn explain(
    session: &mut Session,
    asked: Explain,
) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let summary = summary(&planned)?;
    let changes = planned.snapshot.planned_changes(&planned.dir);
    let is_meant = |address: &str| {
        let rest = address.strip_prefix(asked.address.as_str());
        rest.is_some_and(|it| it.is_empty() || it.starts_with('[') || it.starts_with(" ("))
    };
    let found: Vec<_> = changes.iter().filter(|it| is_meant(&it.address)).collect();
    let (heading, mut data) = head(&planned, &summary);
    if found.is_empty() {
        let guesses = planned.snapshot.guesses(&planned.dir);
        let guess = guesses.iter().find(|it| is_meant(&it.address));
        let text = match guess {
            Some(guess) => format!("The plan of {} is a guess: {}\n", guess.address, guess.why),
            None => format!(
                "No change is planned for {}, or there is no such object.\n",
                asked.address
            ),
        };
        data.insert("changes".to_owned(), json!([]));
        data.insert("summary".to_owned(), summary_of(&shown(&text)));
        return Ok(whole(text + &heading, data.into(), asked.page));
    }
    let (mut text, mut all) = (String::new(), Vec::new());
    for change in found.iter().take(3) {
        let entry = entry(&planned, change, false);
        let _ = writeln!(text, "{}", entry.text.trim_end());
        let mut data = entry.data;
        let mut chains = Vec::new();
        for cause in &change.causes {
            let Some(location) = &cause.location else {
                continue;
            };
            if let Some(words) = words(&planned, change, &cause.what) {
                let _ = writeln!(text, "    The provider says: {words}");
            }
            let chain = chain(&planned, location);
            for link in &chain {
                let _ = writeln!(text, "    comes from: {}", link.text);
            }
            chains.push(chain.into_iter().map(|it| it.data).collect());
        }
        data["chains"] = Value::Array(chains);
        all.push(data);
    }
    if found.len() > 3 {
        let _ = writeln!(text, "({} more instances change as well.)", found.len() - 3);
    }
    data.insert("changes".to_owned(), all.into());
    Ok(whole(text, data.into(), asked.page))
}

/// The documentation of the argument in a change such as `keepers.release "1" -> "2"`.
fn words(planned: &PlannedProposal, change: &ListedChange, heading: &str) -> Option<String> {
    let location = change.location.as_ref()?;
    let text = planned.text(&location.file)?;
    let header = text
        .get(usize::from(location.range.start())..)?
        .lines()
        .next()?;
    let of_type = header.split('"').nth(1)?;
    let path = heading.split([' ', '[']).next()?;
    let found = planned.snapshot.type_schemas(&planned.dir, of_type);
    let found = found.iter().find(|it| it.mode == ResourceMode::Managed)?;
    // An element of a map is no attribute, but the map is.
    let mut ends = path
        .match_indices('.')
        .map(|(at, _)| at)
        .collect::<Vec<_>>();
    ends.push(path.len());
    let ends = ends.into_iter().rev();
    let described = ends.filter_map(|end| described(&found.schema.block, &path[..end]));
    let words: String = described.take(1).collect();
    let words: String = shown(&words).chars().take(WORDS).collect();
    (!words.is_empty()).then_some(words)
}

/// A declaration on the way back from a cause.
struct ChainLink {
    text: String,
    data: Value,
}

/// The way from a cause to the text that brought it about: the nearest declaration that the proposed text changes, else all
/// that it refers to.
fn chain(planned: &PlannedProposal, from: &Location) -> Vec<ChainLink> {
    let mut seen: BTreeSet<(FileId, TextSize)> = BTreeSet::new();
    let mut waiting = VecDeque::from([(from.clone(), Vec::<Location>::new())]);
    let mut all = Vec::new();
    while let Some((at, way)) = waiting.pop_front() {
        if seen.len() > LOOKED_AT {
            break;
        }
        if is_edited(planned, &at) && !way.is_empty() {
            return way.iter().map(|it| link(planned, it)).collect();
        }
        if way.len() >= LONGEST {
            continue;
        }
        for target in named_in(planned, &at) {
            if seen.insert((target.file.clone(), target.range.start())) {
                let mut way = way.clone();
                way.push(target.clone());
                all.push(target.clone());
                waiting.push_back((target, way));
            }
        }
    }
    all.truncate(LONGEST);
    all.iter().map(|it| link(planned, it)).collect()
}

/// The declarations that a text refers to.
fn named_in(planned: &PlannedProposal, at: &Location) -> Vec<Location> {
    let Some(text) = planned.text(&at.file) else {
        return Vec::new();
    };
    let (start, end) = (usize::from(at.range.start()), usize::from(at.range.end()));
    let Some(part) = text.get(start..end) else {
        return Vec::new();
    };
    let mut found: Vec<Location> = Vec::new();
    let mut before = ' ';
    for (index, char) in part.char_indices() {
        let is_start =
            (char.is_alphabetic() || char == '_') && !(before.is_alphanumeric() || before == '_');
        before = char;
        let Some(offset) = TextSize::try_from(start + index).ok().filter(|_| is_start) else {
            continue;
        };
        let Some(definition) = planned.snapshot.definition(&at.file, offset) else {
            continue;
        };
        let full = definition.full;
        let is_around = full.file == at.file && full.range.contains_range(at.range);
        if !is_around && !found.contains(&full) {
            found.push(full);
        }
    }
    found
}

/// Whether the proposed text differs there from the saved one.
fn is_edited(planned: &PlannedProposal, at: &Location) -> bool {
    let Some(saved) = planned.proposed.saved.get(&at.file) else {
        return false;
    };
    let now = planned.text(&at.file).unwrap_or_default();
    let range = usize::from(at.range.start())..usize::from(at.range.end());
    now.get(range).is_some_and(|part| !saved.contains(part))
}

fn link(planned: &PlannedProposal, at: &Location) -> ChainLink {
    let text = planned.text(&at.file).unwrap_or_default();
    let range = usize::from(at.range.start())..usize::from(at.range.end());
    let line = text
        .get(range)
        .and_then(|it| it.lines().next())
        .unwrap_or_default();
    let line = shown(line.trim());
    let place = planned.place(&at.file, TextRange::empty(at.range.start()));
    let edited = is_edited(planned, at);
    let note = if edited {
        ", which the proposed text changes"
    } else {
        ""
    };
    ChainLink {
        text: format!("{line}  ({place}{note})"),
        data: json!({ "text": line, "at": place.data(), "isEdited": edited }),
    }
}
