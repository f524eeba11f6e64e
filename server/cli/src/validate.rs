//! `planlens validate`: the errors of `terraform validate`.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use plan::{BehindErrors, Budget, OpenFiles, Options, Plan, PlanMode, PlanningRequest, Root};
use serde_json::json;
use text::{Diagnostic, Severity};

use crate::args::Args;
use crate::output::{fail, say, show};
use crate::{Outcome, diagnostics, root};

pub(crate) fn run(args: &Args) -> Outcome {
    let is_json = args.flag("json");
    let language = root::language(args)?;
    let files = OpenFiles::as_terraform_reads();
    let mut root = root::open(args.dir(), language)?;
    let runtime = root::one_thread()?;
    let plan = runtime.block_on(async {
        let plan = plan(&mut root, &files).await;
        root.providers().shutdown().await;
        plan
    });
    let sources = diagnostics::Sources::new(&root, &plan, &files);
    let found = sources.of_validation(diagnostics::Command::Validate);
    let count = |severity| found.iter().filter(|it| it.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if is_json {
        let diagnostics: Vec<_> = found.iter().map(|it| sources.one_json(it)).collect();
        let document = json!({
            "format_version": "1.0",
            "valid": errors == 0,
            "error_count": errors,
            "warning_count": warnings,
            "diagnostics": diagnostics,
        });
        let text = serde_json::to_string_pretty(&document).context("writing the result as JSON")?;
        say(&text);
        say("\n");
    } else {
        print(&sources, &found, (errors, warnings));
    }
    Ok(match errors {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

/// Looks for errors that do not depend on the values of variables and the state.
pub(crate) async fn plan(root: &mut Root, files: &OpenFiles) -> Plan {
    let options = Options {
        mode: PlanMode::Validate,
        behind_errors: BehindErrors::LeftOut,
        budget: Budget::default().times(root::TIMES_THE_EDITOR),
        ..Options::default()
    };
    let request = PlanningRequest {
        is_saved: true,
        options: Arc::new(options),
        ..PlanningRequest::default()
    };
    root.load(files, &request);
    root.plan(&mut |_| {}).await
}

fn print(
    sources: &diagnostics::Sources<'_>,
    found: &[Diagnostic],
    (errors, warnings): (usize, usize),
) {
    for diagnostic in found {
        let text = sources.one_text(diagnostic);
        match diagnostic.severity {
            Severity::Error => fail(&text),
            Severity::Warning | Severity::Info | Severity::Hint => show(&format!("{text}\n")),
        }
    }
    match (errors, warnings) {
        (0, 0) => say("Success! The configuration is valid.\n\n"),
        (0, _) => say(
            "Success! The configuration is valid, but there were some validation warnings as shown above.\n\n",
        ),
        (_, _) => {}
    }
}
