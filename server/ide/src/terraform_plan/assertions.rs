//! The results of the runs of a test file, at their assertions.

use cty::KNOWN_AFTER_APPLY;
use eval::{RuleKind, RuleStatus};
use plan::{Assertion, RunOutcome, TestRun};
use text::{Diagnostic, Related, RelatedRole, Span, TextSize};

use super::FactsBuilder;
use crate::{Facts, HintKind, InlayHint, Markdown};

/// The facts of a test file. `syntax` is the text that `runs` were made from.
pub fn facts_of_runs(runs: &[TestRun], syntax: &syntax::File) -> Facts {
    let mut facts = FactsBuilder::default();
    for run in runs {
        match &run.outcome {
            RunOutcome::Untold(why) => {
                let tooltip =
                    format!("The result of this run is unknown until the test runs: {why}.");
                let tooltip = Markdown::text(tooltip);
                let end = line_end(syntax, &run.header);
                let kind = HintKind::KnownAfterApply;
                let hint = InlayHint::new(end, "(not known)", kind, Some(tooltip));
                facts.at(&run.header).inlay_hints.push(hint);
            }
            RunOutcome::Fails(error) => {
                facts.at(&run.header).diagnostics.push(failed(run, error));
            }
            RunOutcome::Assertions(assertions) => {
                for assertion in assertions {
                    add_assertion(assertion, &mut facts);
                }
            }
        }
    }
    facts.built()
}

fn add_assertion(assertion: &Assertion, facts: &mut FactsBuilder) {
    let at = &assertion.condition;
    let facts = facts.at(at);
    facts.diagnostics.extend_from_slice(&assertion.diagnostics);
    let (label, kind) = match &assertion.status {
        RuleStatus::Pass => ("= true", HintKind::Value),
        RuleStatus::Unknown => (KNOWN_AFTER_APPLY, HintKind::KnownAfterApply),
        RuleStatus::Fail(message) => {
            return facts.diagnostics.push(Diagnostic::error(
                "assertion-failed",
                "Test assertion failed",
                message
                    .as_deref()
                    .unwrap_or(RuleKind::Condition.no_message()),
                at.clone(),
            ));
        }
        RuleStatus::Error => return,
    };
    let hint = InlayHint::new(at.range.end(), label, kind, None);
    facts.inlay_hints.push(hint);
}

fn failed(run: &TestRun, error: &Diagnostic) -> Diagnostic {
    let why = match error.detail.as_str() {
        "" => error.summary.clone(),
        detail => format!("{}: {detail}", error.summary),
    };
    let mut failed = Diagnostic::error(
        "run-failed",
        "Test run fails before its assertions",
        why,
        run.header.clone(),
    );
    failed
        .related
        .extend(error.subject.clone().map(|span| Related {
            span,
            message: error.summary.clone(),
            role: RelatedRole::Other,
        }));
    failed
}

/// The end of the line that `span` begins in.
fn line_end(syntax: &syntax::File, span: &Span) -> TextSize {
    let segment = syntax.segment(span.segment);
    let text = segment.map_or("", |segment| &segment.parsed.text);
    let rest = text.get(usize::from(span.range.start())..).unwrap_or("");
    let line = rest.split('\n').next().unwrap_or("").trim_end();
    span.range.start() + TextSize::of(line)
}
