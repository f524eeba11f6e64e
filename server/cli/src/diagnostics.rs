//! Diagnostics as Terraform prints them: as text, and in the form of `terraform validate -json`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use config::{AbsResourceAddr, Files, ResourceMode};
use plan::{OpenFiles, Plan, Root};
use serde_json::{Value as Json, json};
use text::{Diagnostic, Severity, TextRange};

/// The texts that diagnostics point into.
pub(crate) struct Sources<'a> {
    root: &'a Root,
    files: &'a OpenFiles,
}

/// A diagnostic's place.
struct Place {
    /// Relative to the root module where it is in there.
    file: String,
    text: Arc<str>,
    range: TextRange,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(root: &'a Root, files: &'a OpenFiles) -> Sources<'a> {
        Sources { root, files }
    }

    pub(crate) fn to_json(&self, plan: &Plan) -> Json {
        self.all(plan)
            .iter()
            .map(|diagnostic| self.one_json(diagnostic))
            .collect()
    }

    pub(crate) fn to_text(&self, plan: &Plan) -> Vec<String> {
        self.all(plan)
            .iter()
            .map(|diagnostic| self.one_text(diagnostic))
            .collect()
    }

    /// The plan's diagnostics in the order of their places, and what could not be planned as warnings.
    fn all(&self, plan: &Plan) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = plan.all_diagnostics().cloned().collect();
        all.extend(unplanned(plan));
        let place = |diagnostic: &Diagnostic| {
            let span = diagnostic.subject.as_ref()?;
            Some((span.file.clone(), self.root.resolve(span)?.start()))
        };
        all.sort_by_cached_key(place);
        all
    }

    fn place(&self, diagnostic: &Diagnostic) -> Option<Place> {
        let span = diagnostic.subject.as_ref()?;
        let path = Path::new(span.file.path());
        let file = path
            .strip_prefix(self.root.dir())
            .unwrap_or(path)
            .to_string_lossy();
        Some(Place {
            file: file.into_owned(),
            text: Files::read(self.files, span.file.path()).ok()?,
            range: self.root.resolve(span)?,
        })
    }

    fn one_json(&self, diagnostic: &Diagnostic) -> Json {
        let mut json = json!({
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning | Severity::Info | Severity::Hint => "warning",
            },
            "summary": diagnostic.summary,
            "detail": diagnostic.detail,
        });
        if let Some(place) = self.place(diagnostic) {
            let (start, end) = (
                place.position(place.range.start()),
                place.position(place.range.end()),
            );
            json["range"] = json!({ "filename": place.file, "start": start, "end": end });
            let (line, code) = place.lines();
            let offset = usize::from(place.range.start()) - place.line_start(place.range.start());
            json["snippet"] = json!({
                "context": null,
                "code": code,
                "start_line": line,
                "highlight_start_offset": offset,
                "highlight_end_offset": (offset + usize::from(place.range.len())).min(code.len()),
                "values": [],
            });
        }
        json
    }

    fn one_text(&self, diagnostic: &Diagnostic) -> String {
        let kind = match diagnostic.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Info | Severity::Hint => "Note",
        };
        let mut text = format!("\n{kind}: {}\n", diagnostic.summary);
        if let Some(place) = self.place(diagnostic) {
            let (line, code) = place.lines();
            text += &format!("\n  on {} line {line}:\n", place.file);
            for (index, code) in code.lines().enumerate() {
                text += &format!("{:>4}: {code}\n", line + index);
            }
        }
        if !diagnostic.detail.is_empty() {
            text += &format!("\n{}\n", wrapped(&diagnostic.detail));
        }
        text.trim_end().to_owned()
    }
}

/// The text in lines of at most 77 characters, as Terraform prints it where it knows no width.
/// Lines that begin with a space are laid out already, and stay.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 77;
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let words = match paragraph.starts_with(' ') {
            true => vec![paragraph],
            false => paragraph.split(' ').collect(),
        };
        let mut line = String::new();
        for (at, word) in words.into_iter().enumerate() {
            if at > 0 && line.chars().count() + 1 + word.chars().count() > WIDTH {
                lines.push(std::mem::take(&mut line));
            } else if at > 0 {
                line.push(' ');
            }
            line += word;
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// What can't be planned truly, once for each reason. It is an error unless it only concerns data sources.
fn unplanned(plan: &Plan) -> Vec<Diagnostic> {
    let mut by_reason: BTreeMap<&str, Vec<&AbsResourceAddr>> = BTreeMap::new();
    for (addr, reason) in plan.caveats() {
        by_reason.entry(reason).or_default().push(addr);
    }
    let diagnostic = |(reason, addrs): (&str, Vec<&AbsResourceAddr>)| {
        let config = addrs
            .iter()
            .find_map(|addr| plan.resources.get(addr)?.config.as_ref());
        let names: Vec<String> = addrs.iter().map(ToString::to_string).collect();
        let is_error = addrs
            .iter()
            .any(|addr| addr.resource.mode == ResourceMode::Managed);
        let severity = match is_error {
            true => Severity::Error,
            false => Severity::Warning,
        };
        Diagnostic {
            severity,
            ..Diagnostic::error(
                "not-planned",
                "Plan is incomplete",
                format!("{}: {reason}.", names.join(", ")),
                config.map(|config| config.decl.span.clone()),
            )
        }
    };
    by_reason.into_iter().map(diagnostic).collect()
}

impl Place {
    /// Lines and columns count from 1, columns in characters.
    fn position(&self, offset: text::TextSize) -> Json {
        let start = self.line_start(offset);
        let before = &self.text[..start];
        let column = self
            .text
            .get(start..usize::from(offset))
            .map_or(0, |t| t.chars().count());
        json!({
            "line": before.matches('\n').count() + 1,
            "column": column + 1,
            "byte": usize::from(offset),
        })
    }

    fn line_start(&self, offset: text::TextSize) -> usize {
        let before = self.text.get(..usize::from(offset)).unwrap_or(&self.text);
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The number of the first line, and all lines of the range.
    fn lines(&self) -> (usize, &str) {
        let start = self.line_start(self.range.start());
        let end = usize::from(self.range.end());
        let rest = self.text.get(end..).unwrap_or_default();
        let end = end + rest.find('\n').unwrap_or(rest.len());
        let line = self.text[..start].matches('\n').count() + 1;
        (
            line,
            self.text
                .get(start..end)
                .unwrap_or_default()
                .trim_end_matches('\r'),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn details_are_wrapped_where_terraform_does() {
        let detail = "Resource lab6_server.precious has lifecycle.prevent_destroy set, but the plan \
                      calls for this resource to be destroyed. To avoid this error and continue \
                      with the plan, either disable it.\n  - as it is\n\nThe end.";
        let expected = "Resource lab6_server.precious has lifecycle.prevent_destroy set, but the plan\n\
                        calls for this resource to be destroyed. To avoid this error and continue\n\
                        with the plan, either disable it.\n  - as it is\n\nThe end.";
        assert_eq!(wrapped(detail), expected);
    }
}
