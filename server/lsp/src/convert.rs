//! From the protocol's words to ours and back. Offsets are converted here and nowhere else.

use std::path::Path;
use std::str::FromStr;

use ide::Snapshot;
use serde_json::json;
use text::{Document, FileId, LineIndex, Severity, TextRange, TextSize};
use tower_lsp_server::ls_types::{self, Uri};

use crate::capabilities::ClientCapabilities;
use crate::params;
use crate::shown::{markup, shown, title};

/// Converts the places of one document, for one client.
pub(crate) struct Convert<'a> {
    lines: LineIndex,
    client: &'a ClientCapabilities,
}

impl Convert<'_> {
    pub(crate) fn new<'a>(document: &Document, client: &'a ClientCapabilities) -> Convert<'a> {
        Convert {
            lines: document.line_index(),
            client,
        }
    }

    pub(crate) fn of_text<'a>(text: &str, client: &'a ClientCapabilities) -> Convert<'a> {
        Convert {
            lines: LineIndex::new(text),
            client,
        }
    }

    pub(crate) fn client(&self) -> &ClientCapabilities {
        self.client
    }

    pub(crate) fn offset(&self, point: params::Point) -> TextSize {
        self.lines.offset(point.position(), self.client.encoding)
    }

    pub(crate) fn text_range(&self, range: params::Range) -> TextRange {
        self.lines.range(
            range.start.position(),
            range.end.position(),
            self.client.encoding,
        )
    }

    pub(crate) fn position(&self, offset: TextSize) -> ls_types::Position {
        let position = self.lines.position(offset, self.client.encoding);
        ls_types::Position::new(position.line, position.character)
    }

    pub(crate) fn range(&self, range: TextRange) -> ls_types::Range {
        ls_types::Range::new(self.position(range.start()), self.position(range.end()))
    }

    pub(crate) fn diagnostic(
        &self,
        found: ide::Shown,
        snapshot: &Snapshot,
    ) -> ls_types::Diagnostic {
        let diagnostic = &found.diagnostic;
        let related = diagnostic.related.iter().filter_map(|related| {
            let file = &related.span.file;
            let lines = Convert::new(snapshot.file(file)?.document(), self.client);
            let range = lines.range(snapshot.resolved(&related.span)?);
            Some(ls_types::DiagnosticRelatedInformation {
                location: ls_types::Location::new(uri(file)?, range),
                message: shown(&related.message),
            })
        });
        let tags = found.tags().into_iter().map(|tag| match tag {
            ide::Tag::Unnecessary => ls_types::DiagnosticTag::UNNECESSARY,
            ide::Tag::Deprecated => ls_types::DiagnosticTag::DEPRECATED,
        });
        let code_link = found.code_link().and_then(|it| Uri::from_str(&it).ok());
        ls_types::Diagnostic {
            range: self.range(found.range),
            severity: Some(match diagnostic.severity {
                Severity::Error => ls_types::DiagnosticSeverity::ERROR,
                Severity::Warning => ls_types::DiagnosticSeverity::WARNING,
                Severity::Info => ls_types::DiagnosticSeverity::INFORMATION,
                Severity::Hint => ls_types::DiagnosticSeverity::HINT,
            }),
            code: Some(ls_types::NumberOrString::String(
                diagnostic.code.to_string(),
            )),
            code_description: (code_link.filter(|_| self.client.code_description))
                .map(|href| ls_types::CodeDescription { href }),
            source: Some("planlens".to_string()),
            tags: self.client.diagnostic_tags.then(|| tags.collect()),
            related_information: self.client.related_information.then(|| related.collect()),
            message: shown(&found.message()),
            data: None,
        }
    }

    pub(crate) fn inlay_hint(&self, hint: ide::InlayHint) -> ls_types::InlayHint {
        let is_before = hint.kind == ide::HintKind::Parameter;
        ls_types::InlayHint {
            position: self.position(hint.offset),
            label: title(&hint.label()).into(),
            kind: is_before.then_some(ls_types::InlayHintKind::PARAMETER),
            text_edits: None,
            // The protocol has no format of its own for tooltips.
            tooltip: hint
                .tooltip
                .map(|text| markup(&text, self.client.hover_format).into()),
            padding_left: Some(!is_before),
            padding_right: is_before.then_some(true),
            data: hint.kind.tone().map(|tone| json!({ "tone": tone.name() })),
        }
    }

    pub(crate) fn code_lens(&self, lens: ide::CodeLens) -> ls_types::CodeLens {
        ls_types::CodeLens {
            range: self.range(lens.range),
            // An empty command is how the protocol says that a title does nothing.
            command: Some(ls_types::Command {
                title: title(&lens.title),
                command: lens
                    .command
                    .map_or_else(String::new, |command| command.name().to_string()),
                arguments: None,
            }),
            data: Some(json!({ "isChange": matches!(lens.kind, ide::LensKind::Change(_)) })),
        }
    }
}

/// The file that a URI names. A URI of another scheme stands for itself.
pub(crate) fn file_id(uri: &str) -> FileId {
    let Some(rest) = uri.strip_prefix("file://") else {
        return FileId::new(uri);
    };
    // The part before the path is a host; editors leave it empty or say `localhost`. Windows has files of other hosts.
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(0));
    let decoded = percent_decoded(path);
    if cfg!(windows) && !["", "localhost"].contains(&host) {
        return FileId::new(format!("//{host}{decoded}"));
    }
    // A drive is written after a slash.
    let is_drive =
        matches!(decoded.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    FileId::new(
        decoded
            .strip_prefix('/')
            .filter(|_| is_drive)
            .unwrap_or(&decoded),
    )
}

/// An invalid escape stays as it is.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let byte = match rest {
            [b'%', high, low, ..] => [*high, *low]
                .map(|digit| char::from(digit).to_digit(16))
                .iter()
                .try_fold(0, |byte, digit| Some(byte * 16 + (*digit)?)),
            _ => None,
        };
        match byte {
            Some(byte) => {
                bytes.push(byte as u8);
                rest = &rest[3..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn uri(file: &FileId) -> Option<Uri> {
    match file.scheme() {
        Some(_) => Uri::from_str(file.path()).ok(),
        None => match file.path().strip_prefix("//") {
            Some(of_host) if cfg!(windows) => {
                let (host, path) = of_host.split_once('/')?;
                let path = Uri::from_file_path(Path::new(&format!("C:/{path}")))?;
                let (_, path) = path.as_str().split_once("C:")?;
                Uri::from_str(&format!("file://{host}{path}")).ok()
            }
            Some(_) | None => Uri::from_file_path(Path::new(file.path())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_of_files_become_paths_and_others_stay() {
        let path = |uri| file_id(uri).path().to_string();
        assert_eq!(path("file:///a%20b/%C3%B6.tf"), "/a b/ö.tf");
        let drive = if cfg!(windows) { "C" } else { "c" };
        assert_eq!(path("file:///c%3A/a/x.tf"), format!("{drive}:/a/x.tf"));
        assert_eq!(path("file://localhost/a [b]/100%.tf"), "/a [b]/100%.tf");
        assert_eq!(path("untitled:Untitled-1"), "untitled:Untitled-1");
        assert_eq!(path("not a uri"), "not a uri");
        let same = |text: &str| assert_eq!(uri(&file_id(text)).unwrap().as_str(), text);
        match cfg!(windows) {
            true => {
                same("file:///C:/a%20b/x.tf");
                same("file://host/share/a%20b/x.tf");
                assert_eq!(
                    path("file://host/share/a%20b/x.tf"),
                    "//host/share/a b/x.tf"
                );
            }
            false => same("file:///a%20b/x.tf"),
        }
        assert_eq!(
            uri(&file_id("untitled:U-1")).unwrap().as_str(),
            "untitled:U-1"
        );
    }
}
