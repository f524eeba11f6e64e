//! What is wrong in a file, and what deserves attention in its plan.

use std::collections::HashMap;

use text::{FileId, SegmentId, Severity, Span, TextRange, TextSize};

use crate::{Diagnostic, RelatedPlace, Snapshot};

impl Snapshot {
    /// The files that are not open about which a plan has diagnostics.
    pub fn closed_files_with_diagnostics(&self) -> impl Iterator<Item = &FileId> {
        let is_open = |file: &FileId| self.file(file).is_some();
        self.files_with_planned_diagnostics()
            .filter(move |file| !is_open(file))
    }

    /// The diagnostics of an open file, in the order of the text.
    pub fn diagnostics(&self, file: &FileId) -> Vec<Diagnostic> {
        let mut diagnostics = self.syntax_errors(file);
        for (segment, facts) in self.planned(file) {
            let start = TextRange::empty(segment.offset);
            diagnostics.extend(facts.diagnostics.iter().map(|it| self.resolve(it, start)));
        }
        // A plan reports the syntax errors of its module too.
        diagnostics.sort_by(|a, b| order(a).cmp(&order(b)));
        diagnostics.dedup_by(|a, b| order(a) == order(b));
        diagnostics
    }

    fn syntax_errors(&self, file: &FileId) -> Vec<Diagnostic> {
        let is_ours = config::is_configuration(file.path()) || !file.name().ends_with(".json");
        let source = self.file(file).filter(|_| is_ours);
        let Some(syntax) = source.map(|source| source.syntax()) else {
            return Vec::new();
        };
        let starts: HashMap<SegmentId, TextSize> = syntax
            .segments()
            .map(|segment| (segment.id, segment.offset))
            .collect();
        let errors = syntax.errors().filter_map(|(segment, error)| {
            Some(Diagnostic {
                range: error.range + *starts.get(&segment)?,
                severity: Severity::Error,
                code: "syntax",
                message: message(error.summary, &error.detail),
                related: Vec::new(),
                tags: Vec::new(),
                code_link: None,
            })
        });
        errors.collect()
    }

    /// With absolute ranges. What has no place in the texts of now is at `otherwise`.
    fn resolve(&self, diagnostic: &text::Diagnostic, otherwise: TextRange) -> Diagnostic {
        let range = |span: &Span| self.file(&span.file)?.syntax().resolve(span);
        let related = diagnostic.related.iter().filter_map(|related| {
            Some(RelatedPlace {
                file: related.span.file.clone(),
                range: range(&related.span)?,
                message: related.message.clone(),
            })
        });
        Diagnostic {
            range: diagnostic
                .subject
                .as_ref()
                .and_then(range)
                .unwrap_or(otherwise),
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: message(&diagnostic.summary, &diagnostic.detail),
            related: related.collect(),
            tags: Vec::new(),
            code_link: None,
        }
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
    match (summary, detail) {
        (summary, "") => summary.to_string(),
        (summary, detail) => format!("{summary}: {detail}"),
    }
}
