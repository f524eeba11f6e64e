//! What is wrong in a file, and what deserves attention in its plan.

use std::collections::HashMap;

use text::{Fault, FileId, SegmentId, Severity, Span, TextRange, TextSize};

use crate::{Diagnostic, RelatedPlace, Snapshot, Tag, codes};

/// Of one file: nobody reads more, and editors slow down.
const SHOWN: usize = 1_000;

impl Snapshot {
    /// The files that are not open about which there are diagnostics.
    pub fn closed_files_with_diagnostics(&self) -> impl Iterator<Item = &FileId> {
        let is_open = |file: &FileId| self.file(file).is_some();
        self.files_with_planned_diagnostics()
            .filter(move |file| !is_open(file))
    }

    /// The diagnostics of an open file, in the order of the text. One fault is told once: what the text alone tells
    /// comes before what a plan found out.
    pub fn diagnostics(&self, file: &FileId) -> Vec<Diagnostic> {
        let mut diagnostics = self.syntax_errors(file);
        let mut has_more = false;
        for check in self.checks(file) {
            if diagnostics.len() >= SHOWN {
                has_more = true;
                continue;
            }
            if let Some(range) = check.subject.as_ref().and_then(|it| self.resolved(it)) {
                add(&mut diagnostics, self.diagnostic(check, range), is_repeated);
            }
        }
        for (segment, facts) in self.diagnosed(file) {
            let start = TextRange::empty(segment.offset);
            for found in &facts.diagnostics {
                if diagnostics.len() >= SHOWN {
                    has_more = true;
                    continue;
                }
                let range = found.subject.as_ref().and_then(|it| {
                    match it.segment == segment.id && it.file == *file {
                        true => Some(it.range + segment.offset),
                        false => self.resolved(it),
                    }
                });
                let mut found = self.diagnostic(found, range.unwrap_or(start));
                if found.is_deprecation() {
                    // The provider says more about it.
                    diagnostics.retain(|it| {
                        let is_same = it.is_deprecation() && meet(it, &found);
                        if is_same {
                            found.fault = it.fault.clone();
                        }
                        !is_same
                    });
                }
                add(&mut diagnostics, found, is_same_fault);
            }
        }
        diagnostics.retain_mut(|it| self.set_severity(it));
        diagnostics.sort_by(|a, b| order(a).cmp(&order(b)));
        if let Some(last) = diagnostics.last_mut().filter(|_| has_more) {
            last.message
                .push_str("\n(More problems in this file are not shown.)");
        }
        diagnostics
    }

    fn syntax_errors(&self, file: &FileId) -> Vec<Diagnostic> {
        let is_ours = config::is_configuration(file.path()) || !file.name().ends_with(".json");
        let source = self.hcl_file(file).filter(|_| is_ours);
        let Some(syntax) = source.map(|source| source.syntax()) else {
            return Vec::new();
        };
        if syntax.told_errors().next().is_none() {
            return Vec::new();
        }
        let starts: HashMap<SegmentId, TextSize> = syntax
            .segments()
            .map(|segment| (segment.id, segment.offset))
            .collect();
        let errors = syntax.told_errors().filter_map(|(segment, error)| {
            let range = error.range + *starts.get(&segment)?;
            let wrong = text::Diagnostic::error("syntax", error.summary, &error.detail, None);
            Some(self.diagnostic(&wrong.with_fault(error.fault.clone()), range))
        });
        errors.collect()
    }

    /// Where a span is in the texts of now.
    fn resolved(&self, span: &Span) -> Option<TextRange> {
        self.file(&span.file)?.parsed().resolve(span)
    }

    /// At `range`, with absolute ranges.
    fn diagnostic(&self, diagnostic: &text::Diagnostic, range: TextRange) -> Diagnostic {
        let related = diagnostic.related.iter().filter_map(|related| {
            Some(RelatedPlace {
                file: related.span.file.clone(),
                range: self.resolved(&related.span)?,
                message: related.message.clone(),
            })
        });
        let mut found = Diagnostic {
            range,
            severity: diagnostic.severity,
            code: diagnostic.code,
            fault: diagnostic.fault.clone(),
            message: message(&diagnostic.summary, &diagnostic.detail),
            related: related.collect(),
            tags: codes::tags(diagnostic.code),
            code_link: codes::link(diagnostic.code),
        };
        if found.is_deprecation() && !found.tags.contains(&Tag::Deprecated) {
            found.tags.push(Tag::Deprecated);
        }
        found
    }

    /// Makes it as loud as the settings say. False: it is not to be told.
    fn set_severity(&self, diagnostic: &mut Diagnostic) -> bool {
        let chosen = &self.settings().diagnostics.severity;
        let Some(level) = chosen.get(diagnostic.code) else {
            return true;
        };
        let severity = level.severity();
        diagnostic.severity = severity.unwrap_or(diagnostic.severity);
        severity.is_some()
    }
}

impl Diagnostic {
    /// Whether it is about something that a provider wants nobody to use any more.
    fn is_deprecation(&self) -> bool {
        matches!(self.fault, Fault::Deprecated { .. })
    }
}

/// Adds what was not told already, at its place or around it.
fn add(
    diagnostics: &mut Vec<Diagnostic>,
    new: Diagnostic,
    is_told: fn(&Diagnostic, &Diagnostic) -> bool,
) {
    // There may be thousands.
    let touches = |known: &&Diagnostic| known.range.intersect(new.range).is_some();
    let mut near = diagnostics.iter().filter(touches);
    if !near.any(|known| is_told(known, &new)) {
        diagnostics.push(new);
    }
}

/// Whether they say the same at the same place.
fn is_repeated(known: &Diagnostic, new: &Diagnostic) -> bool {
    known.code == new.code && known.range == new.range && known.message == new.message
}

/// Whether `new`, of a plan, is the fault that `known` tells: what the text alone shows is found again where it is
/// evaluated, at its place or around it.
fn is_same_fault(known: &Diagnostic, new: &Diagnostic) -> bool {
    let is_error = known.severity == Severity::Error && new.severity == Severity::Error;
    // Several things may be missing in one place.
    let is_missing = |it: &Diagnostic| {
        matches!(
            it.code,
            "missing-argument" | "missing-block" | "too-few-blocks"
        )
    };
    // A loss of objects is no fault of the text, however loud it is to be told.
    let is_plan = matches!(new.code, "forces-replacement" | "destroys");
    let is_fault = is_error && !is_plan && !(is_missing(known) && is_missing(new));
    is_repeated(known, new)
        || is_fault && known.code == new.code && known.range.start() == new.range.start()
        || is_fault && known.code != new.code && meet(known, new)
}

/// Whether they have a character in common, or are at the same place.
fn meet(a: &Diagnostic, b: &Diagnostic) -> bool {
    match a.range.intersect(b.range) {
        Some(common) => !common.is_empty() || a.range == b.range,
        None => false,
    }
}

fn order(diagnostic: &Diagnostic) -> (TextSize, TextSize, &str, &str) {
    let Diagnostic {
        range,
        code,
        message,
        ..
    } = diagnostic;
    (range.start(), range.end(), code, message)
}

fn message(summary: &str, detail: &str) -> String {
    text::told(match (summary, detail) {
        (summary, "") => summary.to_string(),
        (summary, detail) => format!("{summary}: {detail}"),
    })
}
