//! `planlens fmt`: the work of `terraform fmt`, with its options, output and exit codes.

mod diff;

use std::fs;
use std::io::{IsTerminal, Read};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use disk::Limit;
use text::{TextSize, counted, line_breaks, one_line, visible};

use crate::Outcome;
use crate::args::Args;
use crate::commands::TARGETS;
use crate::diagnostics::numbered;
use crate::output::{fail, say};

const EXTENSIONS: &[&str] = &[
    ".tf",
    ".tfvars",
    ".tofu",
    ".tftest.hcl",
    ".tfmock.hcl",
    ".tofutest.hcl",
];

const ERRORS: u8 = 2;
const NOT_IN_LAYOUT: u8 = 3;

/// The errors of one file that are printed.
const ERROR_LIMIT: usize = 200;

struct Fmt {
    cwd: PathBuf,
    list: bool,
    write: bool,
    diff: bool,
    is_recursive: bool,
    /// With `-check`, output is kept until everything went well.
    check: bool,
    out: String,
    is_terminal: bool,
    has_errors: bool,
    has_changes: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let list = args.switch("list");
    let write = args.switch("write");
    let check = args.flag("check");
    let diff = args.flag("diff");
    let is_recursive = args.flag("recursive");
    let targets = args.values(&[TARGETS]);
    let is_stdin = targets.first().is_some_and(|(_, target)| *target == "-");
    let list = list.unwrap_or(true) && !is_stdin;
    let mut fmt = Fmt {
        cwd: std::env::current_dir().context("finding the current folder")?,
        list: list || check,
        write: write.unwrap_or(true) && !check && !is_stdin,
        diff,
        is_recursive,
        check,
        out: String::new(),
        is_terminal: std::io::stdout().is_terminal(),
        has_errors: false,
        has_changes: false,
    };
    if is_stdin {
        fmt.stdin()?;
    } else if targets.is_empty() {
        fmt.target(".");
    } else {
        for (_, target) in targets {
            if !fmt.target(target) {
                break;
            }
        }
    }
    Ok(match fmt {
        Fmt {
            has_errors: true, ..
        } => ExitCode::from(ERRORS),
        Fmt {
            check: true,
            has_changes: true,
            ..
        } => {
            if list {
                say(&fmt.out);
            }
            ExitCode::from(NOT_IN_LAYOUT)
        }
        _ => ExitCode::SUCCESS,
    })
}

impl Fmt {
    fn stdin(&mut self) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .context("reading standard input")?;
        self.format("<stdin>", None, bytes);
        Ok(())
    }

    /// Formats a file or a folder; whether there is one.
    fn target(&mut self, target: &str) -> bool {
        let path = self.shown(Path::new(target));
        let full = self.cwd.join(&path);
        if full.is_dir() {
            self.folder(&path, &full);
        } else if !full.exists() {
            self.error(&format!("No file or directory at {}", shown(&path)));
            return false;
        } else if is_formatted(&path.to_string_lossy()) {
            self.file(&path);
        } else {
            self.error(
                "Only .tf, .tfvars, and .tftest.hcl files can be processed with planlens fmt",
            );
        }
        true
    }

    /// Formats the files of a folder in the one that was named.
    fn folder(&mut self, folder: &Path, named: &Path) {
        let Ok(entries) = disk::list(&self.cwd.join(folder)) else {
            return self.error(&format!("Cannot read directory {}", shown(folder)));
        };
        let mut names: Vec<_> = entries.into_iter().map(|entry| entry.name).collect();
        names.sort();
        for name in names {
            let text = name.to_string_lossy();
            if is_ignored(&text) {
                continue;
            }
            let path = match folder == Path::new(".") {
                true => PathBuf::from(&name),
                false => folder.join(&name),
            };
            // A link to a folder is not followed.
            let is_folder = fs::symlink_metadata(self.cwd.join(&path)).is_ok_and(|m| m.is_dir());
            if is_folder {
                if self.is_recursive {
                    self.folder(&path, named);
                }
            } else if is_formatted(&text) {
                match self.stays(&path, named) {
                    true => self.file(&path),
                    false => self.error(&format!(
                        "The link {} leads out of {} and of its repository; name the file to format it",
                        shown(&path),
                        shown(named)
                    )),
                }
            }
        }
    }

    /// Whether a file is in the folder that was named or in its repository. Links are followed.
    fn stays(&self, file: &Path, named: &Path) -> bool {
        let file = self.cwd.join(file);
        if !file.is_symlink() {
            return true;
        }
        let real = |path: &Path| disk::real(path).ok();
        let (Some(to), Some(named)) = (real(&file), real(named)) else {
            // The error about it is that of the file.
            return true;
        };
        let folder = file.parent().and_then(real);
        let repository = folder.as_deref().and_then(disk::repository_of);
        to.starts_with(named) || repository.is_some_and(|it| to.starts_with(it))
    }

    fn file(&mut self, path: &Path) {
        match disk::read(&self.cwd.join(path), Limit::CONFIGURATION) {
            Ok(bytes) => self.format(&path.to_string_lossy(), Some(path), bytes),
            Err(_) => self.error(&format!("Failed to read file {}", shown(path))),
        }
    }

    fn format(&mut self, name: &str, path: Option<&Path>, bytes: Vec<u8>) {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return self.bad_encoding(name, &error),
        };
        let file = syntax::parse(&text);
        let Some(edits) = syntax::format_file(&file) else {
            return self.not_formatted(name, &file);
        };
        let is_changed = !edits.is_empty();
        let shown = one_line(name);
        let formatted = text::apply(&text, &edits);
        self.has_changes |= is_changed;
        if is_changed && self.list {
            self.print(&format!("{shown}\n"));
        }
        if is_changed
            && self.write
            && let Some(path) = path
            && disk::replace(&self.cwd.join(path), formatted.as_bytes()).is_err()
        {
            return self.error(&format!("Failed to write {shown}"));
        }
        if is_changed && self.diff {
            let diff = diff::unified(&shown, &text, &formatted, &edits);
            self.print(&diff);
        }
        if !self.list && !self.write && !self.diff {
            let text = formatted.strip_suffix('\n').unwrap_or(&formatted);
            self.print(&format!("{text}\n"));
        }
    }

    /// A terminal shows the text of files; a file or a program receives it as it is: a diff may be applied.
    fn print(&mut self, text: &str) {
        let text = match self.is_terminal {
            true => visible(text),
            false => text.into(),
        };
        match self.check {
            true => self.out.push_str(&text),
            false => say(&text),
        }
    }

    fn error(&mut self, message: &str) {
        self.report(&format!("{message}\n"));
    }

    fn report(&mut self, message: &str) {
        self.has_errors = true;
        fail(&format!("\nError: {message}\n"));
    }

    fn bad_encoding(&mut self, name: &str, error: &std::string::FromUtf8Error) {
        let name = one_line(name);
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        self.error(&format!(
            "Invalid character encoding\n\n  on {name} line {line}\n\nAll input files must be UTF-8 encoded. \
             Ensure that UTF-8 encoding is selected in your editor."
        ));
    }

    fn not_formatted(&mut self, name: &str, file: &syntax::File) {
        let name = one_line(name);
        if file.errors().next().is_none() {
            self.error(&format!(
                "The layout of {name} needs more than {} MiB of spaces",
                syntax::MAX_SPACES >> 20
            ));
        }
        let text = file.text();
        for (segment, error) in file.errors().take(ERROR_LIMIT) {
            let offset = file.offset_of(segment).unwrap_or(TextSize::new(0));
            let at = |at: TextSize| text.floor_char_boundary(usize::from(at + offset));
            let (start, end) = (at(error.at.start()), at(error.at.end()));
            let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[end..].find('\n').map_or(text.len(), |more| end + more);
            let (code, first) = (&text[start..end], line_breaks(&text[..start]) + 1);
            let code = numbered(first, code);
            let place = format!("on {name} line {first}");
            let text = format!("{}\n\n  {place}:\n{code}\n{}", error.summary, error.detail);
            self.report(&text);
        }
        let more = file.errors().skip(ERROR_LIMIT).count();
        if more > 0 {
            self.error(&format!("{} more in {name}", counted(more, "error")));
        }
    }

    /// The path as it is named: from the current folder, without detours.
    fn shown(&self, path: &Path) -> PathBuf {
        let path = without_detours(&self.cwd.join(path));
        let cwd = without_detours(&self.cwd);
        let (mut from, mut to) = (cwd.components().peekable(), path.components().peekable());
        while from.peek().is_some() && from.peek() == to.peek() {
            from.next();
            to.next();
        }
        let up = from.map(|_| Component::ParentDir);
        let shown: PathBuf = up.chain(to).collect();
        match shown.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => shown,
        }
    }
}

/// A path in a message.
fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

fn without_detours(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                result.push(component);
            }
        }
    }
    result
}

fn is_formatted(name: &str) -> bool {
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

/// Hidden files, and those that editors leave behind.
fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || name.starts_with('#') && name.ends_with('#')
}
