//! A report for a person at a terminal.

use std::fmt::Write;

use text::{counted, one_line};

use super::report::{Report, ReportedChange};

pub(super) fn of(report: &Report) -> String {
    let mut text = String::new();
    for found in report.found() {
        let _ = writeln!(
            text,
            "{}:{}:{}: {}: {} [{}]",
            one_line(&found.path),
            found.line,
            found.column,
            one_line(&found.level),
            joined(&found.message),
            one_line(&found.code)
        );
    }
    for root in &report.roots {
        let is_quiet = root.changes.is_empty() && !root.has_other_plan;
        if is_quiet {
            continue;
        }
        let replaced = match root.replace {
            0 => String::new(),
            count => format!(" ({count} replaced)"),
        };
        let guesses = match guesses(root.guesses) {
            Some(sentence) => format!("; {sentence}"),
            None => String::new(),
        };
        let _ = writeln!(
            text,
            "{}: {} to add, {} to change, {} to destroy{replaced}{guesses}",
            match root.path.as_str() {
                "." => "this folder".into(),
                path => one_line(path),
            },
            root.add,
            root.change,
            root.destroy
        );
        let is_reported = |it: &&ReportedChange| report.base.is_some() || it.is_denied;
        for change in root.changes.iter().filter(is_reported) {
            text += &change_line(change);
        }
    }
    text + &conclusion(report) + "\n"
}

/// Says how many objects are not planned for sure.
pub(super) fn guesses(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 planned object is a guess".to_owned()),
        count => Some(format!("{count} planned objects are guesses")),
    }
}

/// Text of others in one line. A runner of GitHub takes a line of its log that begins with `::` for a command.
pub(super) fn joined(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
    one_line(&lines.collect::<Vec<_>>().join(" ")).into_owned()
}

/// A change with its causes.
pub(super) fn change_line(change: &ReportedChange) -> String {
    let at = match (&change.path, change.line) {
        (Some(path), Some(line)) => format!("  ({}:{line})", one_line(path)),
        _ => String::new(),
    };
    let note = match change.is_denied {
        true => format!("  DENIED: {}", change.kind()),
        false => String::new(),
    };
    let address = one_line(&change.address);
    let mut text = match &*one_line(&change.symbol) {
        "" => format!("  {address}: no longer changed{at}\n"),
        symbol => format!("  {symbol} {address}{at}{note}\n"),
    };
    for cause in &change.causes {
        let _ = writeln!(text, "      forces replacement: {}", joined(cause));
    }
    if let Some(why) = &change.why {
        let _ = writeln!(text, "      because {}", joined(why));
    }
    text
}

/// All of it in a line.
pub(super) fn conclusion(report: &Report) -> String {
    let warnings = report
        .found()
        .iter()
        .filter(|it| it.level == "warning")
        .count();
    let mut text = match &report.base {
        Some(base) => {
            let base = one_line(base);
            let others = report.roots.iter().filter(|it| it.has_other_plan).count();
            match others {
                0 => format!("Compared with {base}: no plan changes; "),
                1 => format!("Compared with {base}: the plan of 1 root module changes; "),
                _ => format!("Compared with {base}: the plans of {others} root modules change; "),
            }
        }
        None => format!("{}: ", counted(report.roots.len(), "root module")),
    };
    let errors = counted(report.errors(), "error");
    let _ = write!(text, "{errors}, {}.", counted(warnings, "warning"));
    match report.denied().len() {
        0 => {}
        1 => text += " 1 change is denied.",
        count => text += &format!(" {count} changes are denied."),
    }
    text
}
