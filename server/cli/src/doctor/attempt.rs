//! A plan as `planlens plan` makes it. An obstacle of that is an obstacle of planning.

use plan::{Caveat, Counts, OpenFiles, Options, Root};
use text::{Diagnostic, Severity};

use super::Section;
use super::checks::{LANGUAGE, MODULES, PROVIDERS, STATE};
use crate::diagnostics::{Sources, UNSUPPORTED_VERSION, unplanned};
use crate::plan::{is_refusal, request, validation};

/// Hindrances that are listed.
const LISTED: usize = 10;

/// Errors whose details have no values in them, nor words of other programs.
const OF_SURROUNDINGS: [&str; 7] = [
    "module-not-installed",
    "newer-provider",
    "no-variable-value",
    "null-variable-value",
    "provider-failed",
    "unreadable-directory",
    "unreadable-file",
];

/// The result of a plan.
pub(super) struct Attempt {
    /// Releases that the configuration does not support.
    pub unsupported: Vec<String>,
    hindrances: Vec<Hindrance>,
    counts: Counts,
}

struct Hindrance {
    /// The section that says it with more about it.
    section: Option<&'static str>,
    text: String,
}

/// Plans a root module, with its state from where that is.
pub(super) async fn attempt(root: &mut Root, files: &OpenFiles, options: Options) -> Attempt {
    host::load(root, files, &request(options));
    let plan = root.plan(&mut |_| {}).await;
    let validation = validation(root, files, &plan).await;
    let mut errors: Vec<Diagnostic> = match is_refusal(&validation) {
        true => validation,
        false => plan.all_diagnostics().cloned().collect(),
    };
    errors.retain(|it| it.severity == Severity::Error);
    let sources = Sources::new(root, &plan, files);
    let unsupported = errors.iter().filter(|it| it.code == UNSUPPORTED_VERSION);
    let unsupported = unsupported.map(|it| {
        let first = it.detail.split_inclusive(". ").next().unwrap_or_default();
        format!("{}: {}", sources.in_short(it), first.trim_end())
    });
    let of_errors = errors.iter().map(|error| Hindrance {
        section: section_of(root, error),
        text: match OF_SURROUNDINGS.contains(&error.code) {
            true => format!("{}: {}", sources.in_short(error), error.detail),
            false => sources.in_short(error),
        },
    });
    let of_caveats = unplanned(&plan).into_iter();
    let of_caveats = of_caveats.map(|(caveat, reported)| Hindrance {
        section: section_of_caveat(caveat),
        text: reported.detail,
    });
    Attempt {
        unsupported: unsupported.collect(),
        hindrances: of_errors.chain(of_caveats).collect(),
        counts: plan.counts(),
    }
}

fn section_of(root: &Root, error: &Diagnostic) -> Option<&'static str> {
    match error.code {
        UNSUPPORTED_VERSION => Some(LANGUAGE),
        "backend-not-initialized" | "unreadable-state" => Some(STATE),
        "module-not-installed" => {
            let module = root.module()?;
            let is_of_root = |file| module.files.contains_key(file);
            let subject = error.subject.as_ref()?;
            is_of_root(&subject.file).then_some(MODULES)
        }
        _ => None,
    }
}

fn section_of_caveat(caveat: &Caveat) -> Option<&'static str> {
    match caveat {
        Caveat::StateNotRead(_) => Some(STATE),
        Caveat::Provider(error) if error.is_before_start() => Some(PROVIDERS),
        _ => None,
    }
}

impl Attempt {
    /// The part that no other section has.
    pub(super) fn section(self, others: &[Section]) -> Section {
        let mut section = Section::new("plan");
        let counts = self.counts;
        if self.hindrances.is_empty() {
            section.fine(format!(
                "{} to add, {} to change, {} to destroy",
                counts.add, counts.change, counts.destroy
            ));
            return section;
        }
        let is_said = |it: &Hindrance| {
            let mut others = others.iter().filter(|other| other.has_problems());
            others.any(|other| Some(other.title) == it.section)
        };
        let unsaid = self.hindrances.iter().filter(|it| !is_said(it));
        let mut unsaid: Vec<&str> = unsaid.map(|it| it.text.as_str()).collect();
        unsaid.dedup();
        for text in unsaid.iter().take(LISTED) {
            section.problem(
                *text,
                "`planlens plan` shows the details, with the same options and folder",
            );
        }
        match unsaid.len() {
            0 => section.fine("not made: see the lines marked with ! above"),
            count if count > LISTED => section.fine(format!("and {} more", count - LISTED)),
            _ => {}
        }
        section
    }
}
