//! A comment for a pull request: losses first, with their causes; the plans folded; never longer than such a comment may be.

use std::fmt::Write;

use text::counted;

use super::report::{Report, ReportedChange, RootReport};
use super::text::guesses;

/// Bytes; GitHub takes 65,536 characters.
const LONGEST: usize = 60_000;

/// Bytes for the part that is not folded.
const OPEN: usize = 40_000;

/// Marks the comment that a later run replaces.
const MARK: &str = "<!-- planlens check -->";

pub(super) fn of(report: &Report) -> String {
    let mut text = format!("{MARK}\n### {}\n\n", title(report));
    let roots: Vec<&RootReport> = report.roots.iter().filter(|it| !is_quiet(it)).collect();
    let sum = |count: fn(&RootReport) -> usize| report.roots.iter().map(count).sum::<usize>();
    let lost = |kind: &str| {
        let changes = report.roots.iter().flat_map(|it| &it.changes);
        changes.filter(|it| it.kind() == kind).count()
    };
    let _ = writeln!(
        text,
        "**{} replaced, {} destroyed**, {} changed in place, {} created. {}.\n",
        lost("replace"),
        lost("destroy"),
        lost("update"),
        lost("create"),
        counted(report.errors(), "error")
    );
    match report.denied().len() {
        0 => {}
        1 => text += "**1 of these changes is denied.**\n\n",
        count => text += &format!("**{count} of these changes are denied.**\n\n"),
    }
    if let Some(sentence) = guesses(sum(|it| it.guesses)) {
        text += &format!("{sentence}.\n\n");
    }
    text += &errors(report);
    let mut left_out = 0;
    let mut sorted = roots;
    // Losses come first.
    sorted.sort_by_key(|it| {
        (
            it.changes.iter().map(rank).min().unwrap_or(9),
            it.path.clone(),
        )
    });
    for root in sorted {
        let part = open(root);
        if text.len() + part.len() > OPEN {
            left_out += 1;
            continue;
        }
        text += &part;
        let details = folded(root);
        if text.len() + details.len() < LONGEST - 2_000
            && text.len() + details.len() < OPEN + 15_000
        {
            text += &details;
        }
    }
    if left_out > 0 {
        let _ = writeln!(
            text,
            "\n{left_out} more root modules change; `planlens check -format=text` lists all of them."
        );
    }
    text
}

fn title(report: &Report) -> String {
    let others = report.roots.iter().filter(|it| !is_quiet(it)).count();
    match &report.base {
        Some(base) if others == 0 => {
            format!("planlens: no plan changes, compared with {}", code(base))
        }
        Some(base) if others == 1 => {
            format!(
                "planlens: the plan of 1 root module changes, compared with {}",
                code(base)
            )
        }
        Some(base) => format!(
            "planlens: the plans of {others} root modules change, compared with {}",
            code(base)
        ),
        None => format!("planlens: {}", counted(report.roots.len(), "root module")),
    }
}

fn is_quiet(root: &RootReport) -> bool {
    root.changes.is_empty() && !root.has_other_plan
}

fn rank(change: &ReportedChange) -> u8 {
    match change.kind() {
        "destroy" => 0,
        "replace" => 1,
        "forget" => 2,
        "update" => 3,
        "create" => 4,
        _ => 5,
    }
}

fn errors(report: &Report) -> String {
    const LISTED: usize = 20;
    let found = report.found();
    let errors: Vec<_> = found.into_iter().filter(|it| it.level == "error").collect();
    let mut text = String::new();
    for it in errors.iter().take(LISTED) {
        let message: String = it.message.chars().take(300).collect();
        let _ = writeln!(
            text,
            "- {}: {}",
            code(&format!("{}:{}", it.path, it.line)),
            code(&message)
        );
    }
    if errors.len() > LISTED {
        let _ = writeln!(text, "- {} more errors", errors.len() - LISTED);
    }
    match text.is_empty() {
        true => text,
        false => format!("#### Errors\n\n{text}\n"),
    }
}

/// A root module with its losses and changes, each in a line.
fn open(root: &RootReport) -> String {
    const LISTED: usize = 30;
    let mut text = format!(
        "#### {}\n\n{} to add, {} to change, {} to destroy\n\n",
        code(&root.path),
        root.add,
        root.change,
        root.destroy
    );
    let mut changes: Vec<&ReportedChange> = root.changes.iter().collect();
    changes.sort_by_key(|it| rank(it));
    for change in changes.iter().take(LISTED) {
        let what = match change.kind() {
            "other" if change.symbol.is_empty() => "no longer changed",
            "other" => "other",
            kind => kind,
        };
        let what = match rank(change) {
            0 | 1 => format!("**{what}**"),
            _ => what.to_owned(),
        };
        let denied = if change.is_denied {
            " — **denied**"
        } else {
            ""
        };
        let place = match (&change.path, change.line) {
            (Some(path), Some(line)) if rank(change) < 2 => {
                format!(" at {}", code(&format!("{path}:{line}")))
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "- {what} {}{place}{denied}", code(&change.address));
        for cause in change.causes.iter().take(5) {
            let _ = writeln!(text, "  - forced by {}", code(cause));
        }
        if let Some(why) = &change.why {
            let _ = writeln!(text, "  - because {}", words(why));
        }
    }
    if changes.len() > LISTED {
        let _ = writeln!(text, "- {} more", changes.len() - LISTED);
    }
    if changes.is_empty() {
        text += "- outputs only\n";
    }
    text + "\n"
}

/// The changes as the plan prints them.
fn folded(root: &RootReport) -> String {
    let diffs: Vec<String> = root
        .changes
        .iter()
        .filter(|it| !it.diff.is_empty())
        .map(|it| marked(&it.diff))
        .collect();
    if diffs.is_empty() {
        return String::new();
    }
    let diffs = diffs.join("\n\n");
    let fence = "`".repeat(longest_run(&diffs).max(2) + 1);
    format!(
        "<details><summary>The plan of these changes</summary>\n\n{fence}diff\n{diffs}\n{fence}\n\n</details>\n\n"
    )
}

/// With the marks at the start of the lines, where they are coloured.
fn marked(diff: &str) -> String {
    let lines = text::visible(diff)
        .lines()
        .map(|line| {
            let rest = line.trim_start();
            let spaces = " ".repeat(line.len() - rest.len());
            let mark = [
                ("+ ", '+'),
                ("- ", '-'),
                ("~ ", '!'),
                ("-/+ ", '-'),
                ("+/- ", '-'),
            ];
            match mark.iter().find(|(start, _)| rest.starts_with(start)) {
                Some((_, mark)) => format!("{mark} {spaces}{rest}"),
                None => format!("  {line}"),
            }
        })
        .collect::<Vec<_>>();
    lines.join("\n")
}

/// As prose where no sign in it could mean something, else as code.
fn words(text: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || matches!(it, ' ' | ',');
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => code(text),
    }
}

/// Text of others, on one line, in which nothing is live.
fn code(text: &str) -> String {
    let text = text::one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{ticks} {text} {ticks}"),
        false => format!("{ticks}{text}{ticks}"),
    }
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|it| it != '`').map(str::len);
    runs.max().unwrap_or_default()
}
