//! The diagnostics of a file: errors, and the losses in its plan.

use std::path::Path;

use text::{Diagnostic, Fault, FileId, Severity, Span, TextRange, TextSize};

use crate::checks::gains_suggestion;
use crate::{Shown, Snapshot, Tag, diagnostic_codes};

/// The maximum per file: editors slow down with more, and no one reads them.
const SHOWN: usize = 1_000;

/// In bytes: a name or a value of the text may be in it.
const MAX_MESSAGE: usize = 64 << 10;

impl Snapshot {
    /// The files that are not open about which there are diagnostics.
    pub fn closed_files_with_diagnostics(&self) -> impl Iterator<Item = &FileId> {
        let is_open = |file: &FileId| self.file(file).is_some();
        self.files_with_planned_diagnostics()
            .filter(move |file| !is_open(file))
    }

    /// The diagnostics of an open file, in the order of the text. One fault is reported once: a diagnostic of the text alone
    /// comes before one of a plan.
    pub fn diagnostics(&self, file: &FileId) -> Vec<Shown> {
        let mut diagnostics = self.syntax_errors(file);
        let mut has_more = false;
        for check in self.checks(file) {
            if diagnostics.len() >= SHOWN {
                has_more = true;
                continue;
            }
            if let Some(range) = check.subject.as_ref().and_then(|it| self.resolved(it)) {
                let diagnostic = check.clone();
                add(&mut diagnostics, Shown { range, diagnostic }, is_repeated);
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
                let mut found = Shown {
                    range: range.unwrap_or(start),
                    diagnostic: found.clone(),
                };
                if found.is_deprecation() {
                    // The provider says more about it.
                    diagnostics.retain(|it| {
                        let is_same = it.is_deprecation() && meet(it, &found);
                        if is_same {
                            found.diagnostic.fault = it.diagnostic.fault.clone();
                        }
                        !is_same
                    });
                }
                add(&mut diagnostics, found, is_same_fault);
            }
        }
        diagnostics.retain_mut(|it| self.set_severity(it));
        diagnostics.sort_by_cached_key(order);
        if let Some(last) = diagnostics.last_mut().filter(|_| has_more) {
            let Diagnostic {
                summary, detail, ..
            } = &mut last.diagnostic;
            let end = if detail.is_empty() { summary } else { detail };
            end.push_str("\n(More problems in this file are not shown.)");
        }
        diagnostics
    }

    /// The diagnostics of a planned folder that no text has a place for: all its files are empty.
    pub fn unplaced_diagnostics(&self, dir: &Path) -> Vec<Shown> {
        let folder = self.folders_planned().get(dir);
        let unplaced = folder.into_iter().flat_map(|it| it.unplaced());
        let mut diagnostics: Vec<Shown> = unplaced
            .map(|diagnostic| Shown {
                range: TextRange::empty(TextSize::new(0)),
                diagnostic,
            })
            .collect();
        diagnostics.retain_mut(|it| self.set_severity(it));
        diagnostics
    }

    fn syntax_errors(&self, file: &FileId) -> Vec<Shown> {
        let is_ours = config::is_configuration(file.path()) || !file.name().ends_with(".json");
        let source = self.file(file).filter(|it| it.is_hcl() && is_ours);
        let Some(syntax) = source.map(|source| source.syntax()) else {
            return Vec::new();
        };
        let errors = syntax.reported_errors().filter_map(|(segment, error)| {
            let span = |range| Span {
                file: file.clone(),
                segment,
                range,
            };
            let range = syntax.resolve(&span(error.at))?;
            let diagnostic = error.clone().located(span);
            Some(Shown { range, diagnostic })
        });
        errors.collect()
    }

    /// Where a span is in the texts of now.
    pub fn resolved(&self, span: &Span) -> Option<TextRange> {
        self.file(&span.file)?.parsed().resolve(span)
    }

    /// Sets the severity that the settings choose. False: it is not reported.
    fn set_severity(&self, Shown { diagnostic, .. }: &mut Shown) -> bool {
        let chosen = &self.settings().diagnostics.severity;
        let Some(level) = chosen.get(diagnostic.code) else {
            return true;
        };
        let severity = level.severity();
        diagnostic.severity = severity.unwrap_or(diagnostic.severity);
        severity.is_some()
    }
}

impl Shown {
    pub fn message(&self) -> String {
        let Diagnostic {
            summary, detail, ..
        } = &self.diagnostic;
        let message = match detail.as_str() {
            "" => summary.clone(),
            detail => format!("{summary}: {detail}"),
        };
        text::for_people(text::cut(message, MAX_MESSAGE))
    }

    pub fn tags(&self) -> Vec<Tag> {
        let mut tags = diagnostic_codes::tags(self.diagnostic.code);
        if self.is_deprecation() && !tags.contains(&Tag::Deprecated) {
            tags.push(Tag::Deprecated);
        }
        tags
    }

    /// A page that explains the code.
    pub fn code_link(&self) -> Option<String> {
        diagnostic_codes::link(self.diagnostic.code)
    }

    /// Whether it reports a deprecation by a provider.
    fn is_deprecation(&self) -> bool {
        matches!(self.diagnostic.fault, Fault::Deprecated { .. })
    }
}

/// Adds a diagnostic that is new, at its place or around it.
fn add(diagnostics: &mut Vec<Shown>, new: Shown, is_reported: fn(&Shown, &Shown) -> bool) {
    // There may be thousands.
    let touches = |known: &&Shown| known.range.intersect(new.range).is_some();
    let mut near = diagnostics.iter().filter(touches);
    if !near.any(|known| is_reported(known, &new)) {
        diagnostics.push(new);
    }
}

/// Whether they say the same at the same place.
fn is_repeated(known: &Shown, new: &Shown) -> bool {
    known.diagnostic.code == new.diagnostic.code
        && known.range == new.range
        && known.message() == new.message()
}

/// Whether `new`, of a plan, is the fault of `known`: a fault that the text alone shows is found again where it is
/// evaluated, at its place or around it.
fn is_same_fault(known: &Shown, new: &Shown) -> bool {
    let is_error =
        known.diagnostic.severity == Severity::Error && new.diagnostic.severity == Severity::Error;
    // Several things may be missing in one place.
    let is_missing = |it: &Shown| {
        matches!(
            it.diagnostic.code,
            "missing-argument" | "missing-block" | "too-few-blocks"
        )
    };
    // A loss of objects is no fault of the text, whatever its severity.
    let is_plan = matches!(new.diagnostic.code, "forces-replacement" | "destroys");
    let is_fault = is_error && !is_plan && !(is_missing(known) && is_missing(new));
    is_repeated(known, new)
        || (is_fault || gains_suggestion(new.diagnostic.code))
            && known.diagnostic.code == new.diagnostic.code
            && known.range.start() == new.range.start()
        || is_fault && known.diagnostic.code != new.diagnostic.code && meet(known, new)
}

/// Whether they have a character in common, or are at the same place.
fn meet(a: &Shown, b: &Shown) -> bool {
    match a.range.intersect(b.range) {
        Some(common) => !common.is_empty() || a.range == b.range,
        None => false,
    }
}

fn order(shown: &Shown) -> (TextSize, TextSize, &'static str, String) {
    let range = shown.range;
    let code = shown.diagnostic.code;
    (range.start(), range.end(), code, shown.message())
}
