//! An engine for lines: what exists are values by name. A value that begins with `!` can't be changed in place, `?` is known
//! only afterwards, `~` can't be looked at, and one of a name with `secret` in it is shown to nobody.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ide::{
    Cause, Caveat, ChangeKind, Changed, Folder, Former, Intent, Language, ObjectChange,
    ObjectFacts, ObjectFolder, PlanJob, PlanOverview, PlanSink, PlanUpdate, PlannedObject, Planner,
    PlannerFuture, Proof, Refactored, Refused, Renamable, Selection, Snapshot, ValueText,
};
use text::{Diagnostic, Edits, FileId, Span, TextRange};

use crate::language::{Line, Toy, ToyFile};

pub struct ToyEngine {
    pub exists: BTreeMap<String, String>,
    pub facts: Mutex<BTreeMap<PathBuf, ObjectFacts>>,
}

type Exists = BTreeMap<String, String>;

impl Planner for ToyEngine {
    fn takes(&self, file: &FileId, _snapshot: &Snapshot) -> bool {
        is_toy(file)
    }

    fn languages(&self) -> Vec<Arc<dyn Language>> {
        vec![Arc::new(Toy)]
    }

    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        let mut update = PlanUpdate::empty(job.snapshot.revision());
        for (dir, files) in folders(&job.snapshot) {
            let (objects, faults) = planned(&self.exists, &job.snapshot, &files);
            let start = start(&job.snapshot, &files);
            let mut stood = self.facts.lock().unwrap();
            let stood = stood.entry(dir.clone()).or_default();
            let facts = stood.of(&job.snapshot, &objects, &faults, &[], start.as_ref());
            update.facts.extend(facts);
            let folder = ObjectFolder {
                objects,
                removed: stood.former_places(&job.snapshot),
                files,
                about: PlanOverview {
                    is_root: true,
                    errors: faults.len(),
                    ..PlanOverview::default()
                },
            };
            let folder: Arc<dyn Folder> = Arc::new(folder);
            update.known.insert(dir, folder);
        }
        update.is_complete = true;
        report.update(update);
        Box::pin(std::future::ready(()))
    }

    fn renamable(&self, place: Selection) -> PlannerFuture<Result<Renamable, Refused>> {
        let found = named(&place).map(|(start, line)| Renamable {
            range: line.name_range + start,
            name: line.name,
        });
        Box::pin(std::future::ready(found))
    }

    fn refactor(
        &self,
        place: Selection,
        intent: Intent,
    ) -> PlannerFuture<Result<Refactored, Refused>> {
        Box::pin(std::future::ready(self.renamed(&place, intent)))
    }
}

impl ToyEngine {
    fn renamed(&self, place: &Selection, intent: Intent) -> Result<Refactored, Refused> {
        let Intent::Rename(new_name) = intent else {
            return Err(Refused("A toy offers nothing.".to_owned()));
        };
        let (start, line) = named(place)?;
        let mut edits = Edits::default();
        edits.replace(&place.file, line.name_range + start, new_name.as_str());
        // The fragile ones are forgotten: the proof tells.
        if line.was.is_none() && !line.value.starts_with('!') {
            let end = TextRange::empty(line.value_range.end() + start);
            edits.replace(&place.file, end, format!(" # was {}", line.name));
        }
        let files = [place.file.clone()];
        let text: Arc<str> = place.snapshot.text_of(&place.file).unwrap_or_default();
        let edited = edits.applied(&place.file, &text);
        let (before, _) = planned(&self.exists, &place.snapshot, &files);
        let after = place.snapshot.with_file(place.file.clone(), &edited);
        let (after, _) = planned(&self.exists, &after, &files);
        let name = |name: &str| match name == line.name {
            true => new_name.clone(),
            false => name.to_owned(),
        };
        let kinds = |objects: &[PlannedObject], name: &dyn Fn(&str) -> String| {
            let changes = objects.iter().flat_map(|it| &it.changes);
            let kinds = changes.map(|it| (name(&it.address), it.kind));
            kinds.collect::<Vec<(String, ChangeKind)>>().into_iter()
        };
        let proof = Proof::of(
            [
                &mut kinds(&before, &name),
                &mut kinds(&after, &str::to_owned),
            ],
            String::clone,
            [&mut std::iter::empty(), &mut std::iter::empty()],
        );
        Ok(Refactored {
            title: format!("Rename {} to {new_name}", line.name),
            texts: BTreeMap::from([(place.file.clone(), text)]),
            edits,
            proof,
        })
    }
}

/// What the lines of some files come to, and those that say nothing.
fn planned(
    exists: &Exists,
    snapshot: &Snapshot,
    files: &[FileId],
) -> (Vec<PlannedObject>, Vec<Diagnostic>) {
    let (mut objects, mut faults, mut left) = (Vec::new(), Vec::new(), exists.clone());
    for file in files {
        let source = snapshot.file(file).map(|it| it.parsed());
        for line in source
            .and_then(ToyFile::of)
            .map_or(Vec::new(), |it| it.lines(file))
        {
            match line {
                Ok((span, line)) => objects.push(object(&mut left, span, line)),
                Err(span) => faults.push(Diagnostic::error(
                    "syntax",
                    "A line is name = value",
                    "",
                    span,
                )),
            }
        }
    }
    objects.extend(left.into_iter().map(|(name, value)| PlannedObject {
        changes: vec![ObjectChange {
            details: format!("- {name} = {}", shown(&name, &value)),
            ..ObjectChange::new(&name, ChangeKind::Delete)
        }],
        address: name,
        ..PlannedObject::default()
    }));
    (objects, faults)
}

/// What becomes of a line; what exists of it is taken out.
fn object(left: &mut Exists, span: Span, line: Line) -> PlannedObject {
    let Line { name, value, .. } = &line;
    let former = line.was.clone().filter(|was| left.contains_key(was));
    let old = left.remove(former.as_ref().unwrap_or(name));
    let kind = match &old {
        None => ChangeKind::Create,
        Some(old) if old == value => ChangeKind::NoOp,
        Some(_) if value.starts_with('!') => ChangeKind::DeleteThenCreate,
        Some(_) => ChangeKind::Update,
    };
    let at_value = Span {
        range: line.value_range,
        ..span.clone()
    };
    let text = |value: &str| match is_secret(name) {
        true => ValueText::Masked,
        false => ValueText::Known(value.to_owned()),
    };
    let cause = old.filter(|_| kind.is_replace()).map(|old| Cause {
        span: at_value.clone(),
        argument: None,
        changed: vec![Changed {
            path: name.clone(),
            name: name.clone(),
            before: text(&old),
            after: text(value),
            is_own_place: true,
        }],
    });
    let change = ObjectChange {
        former: former.map(|was| Former {
            instance: was.clone(),
            object: was,
        }),
        causes: cause.into_iter().collect(),
        details: format!("{} {name} = {}", kind.symbol(), shown(name, value)),
        ..ObjectChange::new(name, kind)
    };
    PlannedObject {
        address: name.clone(),
        instances: 1,
        changes: vec![change],
        unknown: Vec::from_iter((value == "?").then_some((at_value, "(known after apply)"))),
        caveat: (value == "~").then(|| Caveat {
            is_of_errors: false,
            brief: "nobody looks there".to_owned(),
            whole: format!("{name} is a guess: nobody looks there"),
        }),
        place: Some(span),
        ..PlannedObject::default()
    }
}

fn shown<'a>(name: &str, value: &'a str) -> &'a str {
    if is_secret(name) { "(secret)" } else { value }
}

fn is_secret(name: &str) -> bool {
    name.contains("secret")
}

/// The line whose name is at a place, with where it starts.
fn named(place: &Selection) -> Result<(text::TextSize, Line), Refused> {
    let source = place.snapshot.file(&place.file).map(|it| it.parsed());
    let lines = source.and_then(ToyFile::of).map(|it| it.lines(&place.file));
    let found = lines
        .into_iter()
        .flatten()
        .flatten()
        .find_map(|(span, line)| {
            let start = source?.resolve(&span)?.start();
            let range = line.name_range + start;
            range
                .contains_inclusive(place.range.start())
                .then_some((start, line))
        });
    found.ok_or_else(|| Refused("There is no name here.".to_owned()))
}

/// Where what has no place is shown: the first line that says something.
fn start(snapshot: &Snapshot, files: &[FileId]) -> Option<Span> {
    let file = files.first()?;
    let lines = ToyFile::of(snapshot.file(file)?.parsed())?.lines(file);
    lines.into_iter().next().map(|line| match line {
        Ok((span, _)) | Err(span) => span,
    })
}

fn folders(snapshot: &Snapshot) -> BTreeMap<PathBuf, Vec<FileId>> {
    let mut folders: BTreeMap<PathBuf, Vec<FileId>> = BTreeMap::new();
    for (file, _) in snapshot.files().filter(|(file, _)| is_toy(file)) {
        let of_folder = folders.entry(folder(file).to_owned()).or_default();
        of_folder.push(file.clone());
    }
    folders
}

fn is_toy(file: &FileId) -> bool {
    file.name().ends_with(".toy")
}

fn folder(file: &FileId) -> &Path {
    Path::new(file.path()).parent().unwrap_or(Path::new(""))
}
