//! Commands of GitHub's runners, which show the findings beside the changed lines.

use super::report::{Report, ReportedChange};

pub(super) fn of(report: &Report) -> String {
    let mut text = String::new();
    for found in report.found() {
        let command = match found.level.as_str() {
            "error" => "error",
            "warning" => "warning",
            _ => "notice",
        };
        text += &format!(
            "::{command} file={},line={},col={},endLine={},endColumn={},title={}::{}\n",
            property(&found.path),
            found.line,
            found.column,
            found.end_line,
            found.end_column,
            property(&found.code),
            data(&found.message)
        );
    }
    for root in &report.roots {
        let is_reported = |it: &&ReportedChange| {
            it.is_denied || report.base.is_some() && matches!(it.kind(), "replace" | "destroy")
        };
        for change in root.changes.iter().filter(is_reported) {
            let (command, title) = match change.is_denied {
                true => ("error", format!("{} is denied", change.kind())),
                false => ("warning", change.kind().to_owned()),
            };
            let place = match (&change.path, change.line) {
                (Some(path), Some(line)) => format!("file={},line={line},", property(path)),
                _ => String::new(),
            };
            let why = change
                .causes
                .iter()
                .chain(&change.why)
                .cloned()
                .collect::<Vec<_>>();
            let message = format!("{}: {} {}", root.path, change.address, why.join(", "));
            text += &format!(
                "::{command} {place}title={}::{}\n",
                property(&title),
                data(message.trim_end())
            );
        }
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
