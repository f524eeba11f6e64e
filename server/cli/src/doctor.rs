//! `planlens doctor`: everything that planning a folder depends on, and its obstacles.

mod attempt;
mod checks;
mod program;

use std::process::ExitCode;

use serde_json::json;

use crate::args::Args;
use crate::output::{say, show};
use crate::{Outcome, plan, root};

/// A part of the page.
struct Section {
    title: &'static str,
    lines: Vec<Line>,
}

struct Line {
    is_problem: bool,
    text: String,
    /// The advice.
    hint: Option<&'static str>,
}

impl Section {
    fn new(title: &'static str) -> Section {
        Section {
            title,
            lines: Vec::new(),
        }
    }

    fn fine(&mut self, text: impl Into<String>) {
        self.lines.push(Line {
            is_problem: false,
            text: text.into(),
            hint: None,
        });
    }

    fn problem(&mut self, text: impl Into<String>, hint: &'static str) {
        self.lines.push(Line {
            is_problem: true,
            text: text.into(),
            hint: Some(hint),
        });
    }

    /// Adds a recommendation that is no obstacle.
    fn note(&mut self, text: impl Into<String>, hint: &'static str) {
        self.lines.push(Line {
            is_problem: false,
            text: text.into(),
            hint: Some(hint),
        });
    }

    fn has_problems(&self) -> bool {
        self.lines.iter().any(|line| line.is_problem)
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    refuse_stack(args)?;
    let given = root::given(args)?;
    let options = plan::options(args)?;
    let surroundings = root::surroundings(args.dir(), given)?;
    let sections = root::runtime()?.block_on(checks::all(surroundings, options));
    Ok(report(&sections, args.flag("json")))
}

/// Of a Pulumi project.
pub(crate) fn of_program(args: &Args) -> Outcome {
    let sections = program::all(args)?;
    Ok(report(&sections, args.flag("json")))
}

/// An option of Pulumi projects.
pub(crate) fn refuse_stack(args: &Args) -> anyhow::Result<()> {
    match args.value("stack") {
        Some(_) => anyhow::bail!(
            "-stack is for Pulumi programs, and there is no Pulumi.yaml in {}",
            args.dir().unwrap_or("this folder")
        ),
        None => Ok(()),
    }
}

fn report(sections: &[Section], is_json: bool) -> ExitCode {
    let is_fine = !sections.iter().any(Section::has_problems);
    match is_json {
        true => say(&format!("{}\n", to_json(sections, is_fine))),
        false => show(&to_text(sections, is_fine)),
    }
    match is_fine {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}

fn to_text(sections: &[Section], is_fine: bool) -> String {
    let mut text = String::new();
    for section in sections {
        text += &format!("{}\n", section.title);
        for line in &section.lines {
            let mark = if line.is_problem { "!" } else { " " };
            text += &format!("{mark} {}\n", line.text);
            if let Some(hint) = line.hint {
                text += &format!("  -> {hint}\n");
            }
        }
        text += "\n";
    }
    text + match is_fine {
        true => "Nothing prevents planning.\n",
        false => "The plan fails or is incomplete until each line marked with ! is fixed.\n",
    }
}

fn to_json(sections: &[Section], is_fine: bool) -> serde_json::Value {
    let line =
        |line: &Line| json!({ "ok": !line.is_problem, "text": line.text, "hint": line.hint });
    let section = |section: &Section| {
        let lines: Vec<_> = section.lines.iter().map(line).collect();
        json!({ "title": section.title, "ok": !section.has_problems(), "lines": lines })
    };
    let sections: Vec<_> = sections.iter().map(section).collect();
    json!({ "version": env!("CARGO_PKG_VERSION"), "ok": is_fine, "sections": sections })
}
