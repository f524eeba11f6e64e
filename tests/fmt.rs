//! `planlens fmt` is `terraform fmt`: each option, standard input, missing files and broken ones. The same
//! output, exit code, errors and files.
//!
//! The terraform on the PATH is asked where it is of the recorded version; else its answers in
//! `fmt/recorded.json` count. After a change of the cases: `UPDATE_FORMAT=1 cargo test --test fmt`.

mod support;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Map, Value, json};
use support::{command, files, planlens, program, repository, scratch};

const VERSION: &str = "1.11.4";

const FILES: &[(&str, &[u8])] = &[
    ("a.tf", b"a   = 1\nb {\nc=2\n}\n"),
    ("good.tf", b"a = 1\n"),
    ("vars.tfvars", b"x=1\n"),
    ("case.tftest.hcl", b"run \"a\" {\ncommand=plan\n}\n"),
    ("data.json", b"{ }\n"),
    ("note.txt", b"x=1\n"),
    ("long.tf", LONG),
    ("sub/d.tf", b"x=1\n"),
    ("sub/deep/e.tf", b"y   =   1\n"),
    ("sub/.hidden/f.tf", b"y   =   1\n"),
    (".hidden.tf", b"x=1\n"),
    ("backup.tf~", b"x=1\n"),
    ("broken/bad.tf", b"c   = \n"),
    ("broken/worse.tf", b"a {\n  b = 1 1\n}\n"),
    ("broken/fine.tf", b"x=1\n"),
    ("bytes/bytes.tf", b"a = 1\nx=\"\xff\"\n"),
    ("empty/empty.tf", b""),
    ("crlf/crlf.tf", b"a   = 1\r\nbb = 2\r\n"),
];

/// Two places that change, with much between them, for the diff.
const LONG: &[u8] =
    b"a = 1\nbb= 2\n\n# 1\n# 2\n# 3\n# 4\n# 5\n# 6\n# 7\n# 8\n# 9\n\nd {\ne = 1\n}\n";

const CASES: &[&[&str]] = &[
    &[],
    &["."],
    &["-recursive"],
    &["-check"],
    &["-check", "-recursive"],
    &["-check", "good.tf"],
    &["-check", "a.tf"],
    &["-check", "-diff", "a.tf"],
    &["-check", "-list=false", "a.tf"],
    &["-check", "-write=true", "a.tf"],
    &["-diff"],
    &["-diff", "long.tf"],
    &["-diff", "-write=false", "long.tf"],
    &["-diff", "-list=false", "-write=false", "long.tf"],
    &["-list=false"],
    &["-list=false", "a.tf"],
    &["-write=false"],
    &["-write=false", "-list=false", "a.tf"],
    &["-write=false", "-list=false", "good.tf"],
    &["-write=false", "-list=false", "-recursive"],
    &["sub"],
    &["sub/"],
    &["./sub/../a.tf"],
    &["-recursive", "sub"],
    &["-recursive", "sub/deep", "a.tf"],
    &["a.tf", "long.tf"],
    &["vars.tfvars", "case.tftest.hcl"],
    &["note.txt"],
    &["data.json"],
    &["a.tf", "note.txt", "long.tf"],
    &["missing.tf"],
    &["missing.tf", "a.tf"],
    &["a.tf", "missing", "long.tf"],
    &["broken"],
    &["-check", "broken"],
    &["-diff", "broken"],
    &["broken/bad.tf", "a.tf"],
    &["bytes"],
    &["-check", "bytes/bytes.tf"],
    &["empty"],
    &["-check", "empty"],
    &["-check", "-diff", "crlf"],
    &["crlf"],
    &["gone"],
    &["gone/gone.tf", "a.tf"],
    &["-"],
    &["-check", "-"],
    &["-diff", "-"],
    &["-check", "-diff", "-"],
    &["-list=false", "-"],
    &["-write=false", "-"],
];

const INPUTS: &[&str] = &["q   =1\nrr=2\n", "q = 1\n", "q = [\n", ""];

/// A run: its arguments, and its input.
struct Case {
    args: Vec<&'static str>,
    input: &'static str,
}

fn cases() -> Vec<Case> {
    let inputs = |args: &[&str]| match args.contains(&"-") {
        true => INPUTS,
        false => &INPUTS[..1],
    };
    let cases = CASES.iter().flat_map(|args| {
        inputs(args).iter().map(|input| Case {
            args: args.to_vec(),
            input,
        })
    });
    cases.collect()
}

#[test]
fn fmt_equals_terraform_fmt() {
    let recorded = repository().join("tests/fmt/recorded.json");
    let cases = cases();
    let theirs = match terraform() {
        Some(terraform) => {
            let run = |case: &Case| answer(case, |folder| command(&terraform, folder));
            let answers: Vec<Value> = cases.iter().map(run).collect();
            if std::env::var_os("UPDATE_FORMAT").is_some() {
                record(&recorded, &cases, &answers);
            }
            answers
        }
        None => {
            let text = fs::read_to_string(&recorded).unwrap();
            let recorded: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(recorded["terraform"], VERSION);
            let answers = recorded["answers"].as_array().unwrap();
            assert_eq!(answers.len(), cases.len(), "record the answers again");
            answers.iter().map(|answer| answer["is"].clone()).collect()
        }
    };
    let mut differences = Vec::new();
    for (case, theirs) in cases.iter().zip(&theirs) {
        let ours = answer(case, planlens);
        if ours != *theirs {
            let (args, input) = (case.args.join(" "), case.input);
            differences.push(format!(
                "fmt {args} <<< {input:?}\n  terraform: {theirs}\n  planlens:  {ours}"
            ));
        }
    }
    let count = cases.len();
    assert!(
        differences.is_empty(),
        "{} of {count}:\n{}",
        differences.len(),
        differences.join("\n")
    );
    let _ = writeln!(std::io::stdout(), "{count} runs of fmt are the same");
}

fn terraform() -> Option<PathBuf> {
    let terraform = program("terraform")?;
    let output = command(&terraform, &scratch("fmt_version"))
        .args(["version", "-json"])
        .output()
        .unwrap();
    let version: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (version["terraform_version"] == VERSION).then_some(terraform)
}

/// The output of a run in a folder of its own, its errors, its exit code, and the files that it changes.
fn answer(case: &Case, program: impl Fn(&Path) -> Command) -> Value {
    let folder = scratch("fmt");
    for (name, text) in FILES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    // A file that cannot be read, whoever runs this.
    fs::create_dir_all(folder.join("gone")).unwrap();
    std::os::unix::fs::symlink("nothing", folder.join("gone/gone.tf")).unwrap();
    let before = files(&folder);
    let mut command = program(&folder);
    let mut child = command
        .arg("fmt")
        .arg("-no-color")
        .args(&case.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(case.input.as_bytes())
        .ok();
    let output = child.wait_with_output().unwrap();
    let changed: Map<String, Value> = files(&folder)
        .into_iter()
        .filter(|(path, text)| before.get(path) != Some(text))
        .map(|(path, text)| {
            (
                relative(&path, &folder),
                String::from_utf8_lossy(&text).into(),
            )
        })
        .collect();
    json!({
        "code": output.status.code(),
        "prints": String::from_utf8_lossy(&output.stdout),
        "errors": errors(&output),
        "changes": changed,
    })
}

fn relative(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap();
    path.iter()
        .filter_map(OsStr::to_str)
        .collect::<Vec<_>>()
        .join("/")
}

/// The summaries of the errors. Terraform's errors about a string after its invalid byte are left out.
fn errors(output: &Output) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let errors = text.lines().filter_map(|line| line.strip_prefix("Error: "));
    errors
        .filter(|error| *error != "Unterminated template string")
        .map(|error| error.replace("terraform fmt", "planlens fmt"))
        .collect()
}

fn record(path: &Path, cases: &[Case], answers: &[Value]) {
    let rows = cases.iter().zip(answers).map(|(case, answer)| {
        json!({ "args": case.args, "input": case.input, "is": answer }).to_string()
    });
    let rows: Vec<String> = rows.collect();
    let text = format!(
        "{{\"terraform\": \"{VERSION}\", \"answers\": [\n{}\n]}}\n",
        rows.join(",\n")
    );
    fs::write(path, text).unwrap();
}

/// A folder with a file in it that is not in the layout.
fn with_file(test: &str) -> PathBuf {
    let folder = scratch(test).join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.tf"), UGLY).unwrap();
    folder
}

const UGLY: &str = "a   = 1\n";
const NEAT: &str = "a = 1\n";

#[test]
fn a_file_that_cannot_be_written_stays_as_it_was() {
    let folder = with_file("fmt_full_disk");
    let text = UGLY.to_owned() + &"# a comment\n".repeat(2000);
    fs::write(folder.join("a.tf"), &text).unwrap();
    let planlens = planlens(&folder);
    // The limit of a file stands for a full disk.
    let mut command = command("sh", &folder);
    command.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "sh"]);
    command
        .arg(planlens.get_program())
        .args(planlens.get_args());
    let output = command.arg("fmt").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(errors(&output), ["Failed to write a.tf".to_owned()].into());
    assert_eq!(fs::read_to_string(folder.join("a.tf")).unwrap(), text);
    assert_eq!(files(&folder).len(), 1);
}

#[test]
fn a_formatted_file_keeps_its_mode_and_its_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = with_file("fmt_mode");
    let file = folder.join("a.tf");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.tf", folder.join("b.tf")).unwrap();
    let output = planlens(&folder).args(["fmt", "b.tf"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), NEAT);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(folder.join("b.tf").is_symlink());
    // Another name of the same file.
    fs::write(&file, UGLY).unwrap();
    fs::hard_link(&file, folder.join("same.txt")).unwrap();
    let output = planlens(&folder).args(["fmt", "a.tf"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(fs::read_to_string(folder.join("same.txt")).unwrap(), NEAT);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
}

#[test]
fn a_link_out_of_the_folder_and_its_repository_is_formatted_only_by_name() {
    let around = with_file("fmt_links");
    let (folder, outside) = (around.join("repository"), around.join("outside.tf"));
    fs::create_dir_all(folder.join(".git")).unwrap();
    fs::write(folder.join("a.tf"), UGLY).unwrap();
    fs::write(&outside, UGLY).unwrap();
    std::os::unix::fs::symlink("../outside.tf", folder.join("b.tf")).unwrap();
    let fmt = |name: &str| planlens(&folder).args(["fmt", name]).output().unwrap();
    let output = fmt(".");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        errors(&output)
            .iter()
            .any(|it| it.starts_with("The link b.tf leads out of ")),
        "{output:?}"
    );
    assert_eq!(fs::read_to_string(folder.join("a.tf")).unwrap(), NEAT);
    assert_eq!(fs::read_to_string(&outside).unwrap(), UGLY);
    assert_eq!(fmt("b.tf").status.code(), Some(0));
    assert_eq!(fs::read_to_string(&outside).unwrap(), NEAT);
    // In one repository, links are followed.
    fs::write(&outside, UGLY).unwrap();
    fs::rename(folder.join(".git"), around.join(".git")).unwrap();
    assert_eq!(fmt(".").status.code(), Some(0));
    assert_eq!(fs::read_to_string(&outside).unwrap(), NEAT);
}

#[test]
fn a_terminal_shows_the_text_of_a_diff_escaped() {
    let test = "a_terminal_shows_the_text_of_a_diff_escaped";
    let folder = with_file("fmt_terminal");
    let text = "# \x1b]0;title\x07\u{202e}\na   = 1\n";
    fs::write(folder.join("a.tf"), text).unwrap();
    let arguments = ["fmt", "-check", "-diff"];
    let output = planlens(&folder).args(arguments).output().unwrap();
    let piped = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(piped.contains("\n # \x1b]0;title\x07\u{202e}\n"), "{piped}");
    if program("script").is_none() {
        return support::skipped(test, "no `script` on the PATH");
    }
    let planlens = planlens(&folder);
    let words = std::iter::once(planlens.get_program()).chain(planlens.get_args());
    let words = words.map(|it| format!("'{}'", it.to_str().unwrap()));
    let line = words.collect::<Vec<_>>().join(" ") + " " + &arguments.join(" ");
    let mut command = command("script", &folder);
    let output = command.args(["-qec", &line, "/dev/null"]).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains(r" # \x1b]0;title\a\u202e"), "{shown}");
}

#[test]
fn a_name_starts_no_line_of_its_own() {
    let folder = with_file("fmt_names");
    fs::write(folder.join("b\n::error::x.tf"), "c =\n").unwrap();
    fs::write(folder.join("c\n::error::x.tf"), b"\xff").unwrap();
    let output = planlens(&folder).arg("fmt").output().unwrap();
    let printed = support::printed(&output);
    assert_eq!(printed.matches(r"\n::error::x.tf").count(), 2, "{printed}");
    assert!(!printed.contains("\n::error::"), "{printed}");
}
