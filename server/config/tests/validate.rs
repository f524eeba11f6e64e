//! What loading reports, beside what `terraform validate` says of the same files.
//!
//! `validate.txt` holds cases and the recorded answers of Terraform 1.11.4. Below each case:
//! `#=` both say it, `#<` only Terraform does, `#>` only we do, and `#?` why they differ.
//! `UPDATE_VALIDATE=1 cargo test -p config --test validate` records anew, with terraform on the PATH.

use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::sync::Arc;

use config::{Files, Module, ModuleAddr, ModuleCache, Profile, load_module};
use fixture::Fixture;
use text::{Diagnostic, Severity, Span};

struct Memory(HashMap<String, Arc<str>>);

impl Files for Memory {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let in_dir = |path: &String| {
            let name = path.strip_prefix(dir)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        };
        Ok(self.0.keys().filter_map(in_dir).collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        self.0
            .get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

struct Case {
    title: String,
    text: String,
    reason: Vec<String>,
    recorded: Vec<String>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("#### ") {
            let title = title.to_owned();
            cases.push(Case {
                title,
                text: String::new(),
                reason: Vec::new(),
                recorded: Vec::new(),
            });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        match line.get(..3) {
            Some("#= " | "#< " | "#> ") => case.recorded.push(line.to_owned()),
            Some("#? ") => case.reason.push(line.to_owned()),
            _ => writeln!(case.text, "{line}").unwrap(),
        }
    }
    cases
}

fn ours(case: &Case) -> Vec<String> {
    let fixture = Fixture::parse(&case.text);
    let files = fixture.files.iter().map(|file| {
        let path = format!("/code/{}", file.path.trim_start_matches('/'));
        (
            path,
            Arc::from(file.text.trim_end_matches('\n').to_owned() + "\n"),
        )
    });
    let files = Memory(files.collect());
    let mut cache = ModuleCache::new(Profile::TERRAFORM_1_11);
    let (module, diagnostics) = load_module(&files, &mut cache, "/code", &ModuleAddr::root());
    let mut lines: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| line(&files, &module, diagnostic))
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

fn line(files: &Memory, module: &Module, diagnostic: &Diagnostic) -> String {
    let severity = if diagnostic.severity == Severity::Error {
        "error"
    } else {
        "warning"
    };
    let place = diagnostic
        .subject
        .as_ref()
        .map_or("-".into(), |span| place(files, module, span));
    let detail = diagnostic.detail.replace('\n', "\\n");
    format!("{severity} {place} {} || {detail}", diagnostic.summary)
}

fn place(files: &Memory, module: &Module, span: &Span) -> String {
    let text = files.read(span.file.path()).unwrap();
    let range = module.files[&span.file].resolve(span).unwrap();
    let position = |offset: usize| {
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        format!(
            "{line}:{}",
            before.chars().rev().take_while(|c| *c != '\n').count() + 1
        )
    };
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let end = end.max(start + 1).min(text.len());
    format!("{}:{}-{}", span.file.name(), position(start), position(end))
}

fn terraform(case: &Case) -> Vec<String> {
    let dir = tempdir(&case.title);
    for file in Fixture::parse(&case.text).files {
        let path = dir.join(file.path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text.trim_end_matches('\n').to_owned() + "\n").unwrap();
    }
    let run = |args: &[&str]| {
        std::process::Command::new("terraform")
            .args(args)
            .current_dir(&dir)
            .output()
            .unwrap()
    };
    run(&["get"]);
    let output = run(&["validate", "-json", "-no-color"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut lines: Vec<_> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(reported)
        .collect();
    lines.sort();
    lines.dedup();
    std::fs::remove_dir_all(dir).unwrap();
    lines
}

fn tempdir(title: &str) -> std::path::PathBuf {
    let name: String = title.chars().filter(|c| c.is_alphanumeric()).collect();
    let dir = std::env::temp_dir().join(format!("validate-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn reported(diagnostic: &serde_json::Value) -> String {
    let text = |key: &str| {
        diagnostic[key]
            .as_str()
            .unwrap_or_default()
            .replace('\n', "\\n")
    };
    let range = &diagnostic["range"];
    let place = match range["filename"].as_str() {
        Some(file) => format!(
            "{file}:{}:{}-{}:{}",
            range["start"]["line"],
            range["start"]["column"],
            range["end"]["line"],
            range["end"]["column"]
        ),
        None => "-".to_owned(),
    };
    format!(
        "{} {place} {} || {}",
        text("severity"),
        text("summary"),
        text("detail")
    )
}

#[test]
fn loading_reports_the_errors_of_terraform_validate() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let is_update = std::env::var_os("UPDATE_VALIDATE").is_some();
    let (mut updated, mut wrong, mut counts) = (String::new(), String::new(), [0; 3]);
    for case in cases(&text) {
        let ours = ours(&case);
        let theirs: Vec<String> = if is_update {
            terraform(&case)
        } else {
            let theirs = case.recorded.iter().filter(|line| !line.starts_with("#>"));
            theirs.map(|line| line[3..].to_owned()).collect()
        };
        let mut compared: Vec<String> = Vec::new();
        for line in &theirs {
            let sign = if ours.contains(line) { '=' } else { '<' };
            compared.push(format!("#{sign} {line}"));
        }
        for line in ours.iter().filter(|line| !theirs.contains(line)) {
            compared.push(format!("#> {line}"));
        }
        for line in &compared {
            counts[["#=", "#<", "#>"]
                .iter()
                .position(|sign| line.starts_with(sign))
                .unwrap()] += 1;
        }
        if compared != case.recorded {
            let (recorded, compared) = (case.recorded.join("\n"), compared.join("\n"));
            writeln!(
                wrong,
                "{}:\nrecorded:\n{recorded}\nnow:\n{compared}\n",
                case.title
            )
            .unwrap();
        }
        let differs = compared.iter().any(|line| !line.starts_with("#="));
        let reason = if differs {
            case.reason.join("\n") + "\n"
        } else {
            String::new()
        };
        let body = case.text.trim_end_matches('\n');
        let compared = compared.join("\n");
        writeln!(
            updated,
            "#### {}\n{body}\n{}{compared}\n",
            case.title,
            reason.trim_start()
        )
        .unwrap();
    }
    if is_update {
        std::fs::write(&path, updated.trim_end().to_owned() + "\n").unwrap();
    }
    let [both, terraform, us] = counts;
    // The counts are seen with `--nocapture`.
    std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!(
            "validate: {both} alike, {terraform} of terraform alone, {us} of ours alone\n"
        ),
    )
    .unwrap();
    assert!(is_update || wrong.is_empty(), "{wrong}");
}
