//! A report as the results of tests: each root module is one, which fails with its errors and with denied changes.

use std::fmt::Write;

use text::one_line;

use super::report::{Report, RootReport};
use super::text::{change_line, joined};

pub(super) fn of(report: &Report) -> String {
    let failing = report
        .roots
        .iter()
        .filter(|it| !failures(it).is_empty())
        .count();
    let count = report.roots.len();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"planlens check\" tests=\"{count}\" failures=\"{failing}\" errors=\"0\" skipped=\"0\">\n"
    );
    for root in &report.roots {
        let seconds = format!("{}.{:03}", root.ms / 1000, root.ms % 1000);
        let _ = write!(
            text,
            "    <testcase classname=\"planlens\" name=\"{}\" time=\"{seconds}\"",
            escaped(&one_line(&root.path))
        );
        let failures = failures(root);
        if failures.is_empty() {
            text += "/>\n";
            continue;
        }
        let first = failures[0].lines().next().unwrap_or_default();
        let _ = write!(
            text,
            ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
            escaped(first.trim()),
            escaped(&failures.join("\n"))
        );
    }
    text + "  </testsuite>\n</testsuites>\n"
}

fn failures(root: &RootReport) -> Vec<String> {
    let errors = root.diagnostics.iter().filter(|it| it.level == "error");
    let errors = errors.map(|it| {
        let (path, message) = (one_line(&it.path), joined(&it.message));
        format!("{path}:{}:{}: {message}", it.line, it.column)
    });
    let denied = root
        .changes
        .iter()
        .filter(|it| it.is_denied)
        .map(change_line);
    errors.chain(denied).collect()
}

/// Text of an element or an attribute, without characters that XML cannot write.
fn escaped(text: &str) -> String {
    let is_text = |it: &char| !it.is_control() || matches!(it, '\n' | '\t');
    let text: String = text.chars().filter(is_text).collect();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
