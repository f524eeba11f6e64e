//! Keeps the shape of the repository: which crate and which module may know which, how long functions are, where versions
//! stand, first lines.

#[path = "tidy/functions.rs"]
mod functions;
#[path = "tidy/modules.rs"]
mod modules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// In the order of the data flow: a crate depends only on crates before it.
const CRATES: [&str; 25] = [
    "text",
    "disk",
    "change",
    "yaml",
    "passphrase",
    "pulumi",
    "cty",
    "syntax",
    "schema",
    "config",
    "process",
    "grpc",
    "pulumi_provider",
    "state",
    "provider",
    "eval",
    "graph",
    "plan",
    "refactor",
    "ide",
    "host",
    "pulumi_host",
    "lsp",
    "mcp",
    "cli",
];

/// What stays apart although the order would allow it.
const FORBIDDEN: [(&str, &str); 4] = [
    ("eval", "state"),
    ("eval", "provider"),
    ("refactor", "provider"),
    ("ide", "provider"),
];

/// Of engines. What speaks the editor's protocol names none of them; its tests run with one.
const ENGINES: [&[&str]; 2] = [&TERRAFORM, &PULUMI];

const TERRAFORM: [&str; 10] = [
    "cty", "syntax", "schema", "config", "state", "provider", "eval", "plan", "refactor", "host",
];

/// These and Terraform's know nothing of each other.
const PULUMI: [&str; 4] = ["yaml", "pulumi", "pulumi_provider", "pulumi_host"];

/// Used by tests alone, and by every crate's.
const FIXTURE: &str = "fixture";

/// The package that is the binary, and knows the command line alone. Its tests know everything.
const BINARY: &str = "planlens";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn rank(name: &str) -> Option<usize> {
    CRATES.iter().position(|each| *each == name)
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in array(&metadata["packages"]) {
        let from = text(&package["name"]);
        for dependency in array(&package["dependencies"]) {
            let to = text(&dependency["name"]);
            if dependency["path"].is_null() {
                continue;
            }
            let is_for_tests = text(&dependency["kind"]) == "dev";
            let allowed = match (rank(from), rank(to)) {
                (_, None) => to == FIXTURE && is_for_tests && from != FIXTURE,
                // A crate's own tests may ask it for a feature.
                _ if from == to => is_for_tests,
                (Some(from_rank), Some(to_rank)) => {
                    let is_of_engine = ENGINES.iter().any(|engine| engine.contains(&to));
                    let is_apart = from == "lsp" && is_of_engine && !is_for_tests;
                    let is_across = PULUMI.contains(&from) && TERRAFORM.contains(&to)
                        || TERRAFORM.contains(&from) && PULUMI.contains(&to);
                    let is_apart = is_apart || is_across;
                    to_rank < from_rank && !is_apart && !FORBIDDEN.contains(&(from, to))
                }
                (None, Some(_)) => {
                    from == FIXTURE || (from == BINARY && (to == "cli" || is_for_tests))
                }
            };
            if !allowed {
                wrong.push(format!("{from} -> {to}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "these dependencies point the wrong way: {wrong:?}"
    );
}

#[test]
fn every_crate_is_in_its_place() {
    let metadata = metadata();
    let mut names: Vec<_> = array(&metadata["packages"])
        .iter()
        .map(|each| text(&each["name"]))
        .collect();
    names.sort_unstable();
    let mut expected = [CRATES.as_slice(), &[FIXTURE, BINARY]].concat();
    expected.sort_unstable();
    assert_eq!(names, expected);

    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members: Vec<_> = manifest
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"server/")?.strip_suffix("\","))
        .collect();
    assert_eq!(
        members,
        [CRATES.as_slice(), &[FIXTURE]].concat(),
        "members stand in the order of the data flow"
    );
}

#[test]
fn versions_stand_in_the_root_manifest() {
    let mut wrong = Vec::new();
    for name in CRATES.iter().chain([&FIXTURE]) {
        let manifest = format!("server/{name}/Cargo.toml");
        let lines = fs::read_to_string(root().join(&manifest)).unwrap();
        let mut section = String::new();
        for (number, line) in lines.lines().enumerate() {
            let line = line.trim();
            if line.starts_with('[') {
                section = line.to_owned();
            }
            let names_version = line.contains("version = \"")
                || (section.contains("dependencies") && has_bare_version(line));
            if names_version {
                wrong.push(format!("{manifest}:{}: {line}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `name = "1.2"`, as opposed to `name.workspace = true`.
fn has_bare_version(line: &str) -> bool {
    line.split_once('=')
        .is_some_and(|(name, value)| !name.contains('.') && value.trim().starts_with('"'))
}

#[test]
fn every_dependency_is_used() {
    let metadata = metadata();
    let mut unused = Vec::new();
    for package in array(&metadata["packages"]) {
        let manifest = Path::new(text(&package["manifest_path"]));
        let dir = manifest.parent().unwrap();
        let is_binary = text(&package["name"]) == BINARY;
        let src = dir.join(if is_binary { "server/main.rs" } else { "src" });
        let read = |places: &[&Path]| -> String {
            let files = sources_in(places).into_iter();
            files
                .map(|file| fs::read_to_string(file).unwrap())
                .collect()
        };
        // The tests of the binary take in what the fuzz targets run.
        let (tests, fuzz) = (dir.join("tests"), dir.join("fuzz/src"));
        let (in_src, in_all) = (read(&[&src]), read(&[&src, &tests, &fuzz]));
        for dependency in array(&package["dependencies"]) {
            let name = text(&dependency["rename"]);
            let name = match name.is_empty() {
                true => text(&dependency["name"]),
                false => name,
            };
            // The library of `md-5` has another name than its package.
            let name = name.replace("md-5", "md5").replace('-', "_");
            let sources = match text(&dependency["kind"]) {
                "dev" => &in_all,
                _ => &in_src,
            };
            let is_named = sources.match_indices(&name).any(|(at, _)| {
                let is_word = |it: char| it.is_alphanumeric() || it == '_';
                let (before, after) = (&sources[..at], &sources[at + name.len()..]);
                let begins = !before.ends_with(is_word) && !before.trim_end().ends_with("::");
                begins && (after.starts_with("::") || before.ends_with("use "))
            });
            // The same crate once more, with a feature for tests.
            let is_feature =
                !array(&dependency["features"]).is_empty() && text(&dependency["kind"]) == "dev";
            if !is_named && !is_feature {
                unused.push(format!("{}: {name}", text(&package["name"])));
            }
        }
    }
    assert!(unused.is_empty(), "nobody uses {unused:#?}");
}

/// How many crates a build with default features compiles on Linux, ours among them.
///
/// 13 of them decrypt the secrets of Pulumi's states (AES-GCM and PBKDF2 of RustCrypto), 5 are the table of commands and
/// options, its parser and what may have been meant (clap), 9 the protocol of agents (the official SDK rmcp with what makes its
/// schemas) and our crate for it.
const CRATES_OF_A_BUILD: usize = 187;

/// As `cargo tree -e normal,build --prefix none --no-dedupe | sort -u | wc -l` counts them.
#[test]
fn a_build_is_small() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--edges=normal,build", "--prefix=none"])
        .args(["--no-dedupe", "--offline", "--locked"])
        .args(["--target=x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut crates: Vec<&str> = lines.lines().collect();
    crates.sort_unstable();
    crates.dedup();
    assert!(
        (100..=CRATES_OF_A_BUILD).contains(&crates.len()),
        "{} crates: {crates:#?}",
        crates.len()
    );
}

#[test]
fn every_crate_has_a_description() {
    let mut wrong = Vec::new();
    for name in CRATES.iter().chain([&FIXTURE]) {
        let file = format!("server/{name}/src/lib.rs");
        let source = fs::read_to_string(root().join(&file)).unwrap();
        // The first sentence may go over several lines; an empty line of the comment ends it.
        let head: Vec<_> = source
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .take_while(|line| !line.trim().is_empty())
            .collect();
        if !source.starts_with("//! ")
            || !head
                .last()
                .is_some_and(|line| line.trim_end().ends_with('.'))
        {
            wrong.push(file);
        }
    }
    assert!(
        wrong.is_empty(),
        "these do not begin with a `//!` sentence: {wrong:#?}"
    );
}

#[test]
fn every_module_has_a_description() {
    let wrong: Vec<_> = sources()
        .into_iter()
        .filter(|file| !fs::read_to_string(file).unwrap().starts_with("//! "))
        .collect();
    assert!(
        wrong.is_empty(),
        "these do not begin with `//!`: {wrong:#?}"
    );
}

/// Each line of the table beside other servers names the test that shows it, but where planlens has nothing.
#[test]
fn each_feature_names_its_test() {
    let tests: String = sources()
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let table = fs::read_to_string(root().join("docs/comparison.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<Vec<&str>> = rows
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 30);
    for row in rows
        .iter()
        .filter(|row| !row[2].is_empty() && row[2] != "planlens")
    {
        let is_shown = match row[6].trim_matches('`') {
            "" => row[2] == "no",
            name => tests.contains(&format!("fn {name}(")),
        };
        assert!(is_shown, "{}: no test {}", row[1], row[6]);
    }
    // So does what may attack, and what stops it.
    let security = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let names = security.split('`').skip(1).step_by(2).filter(|name| {
        let is_name = |it: char| it.is_ascii_lowercase() || it == '_';
        name.chars().all(is_name) && name.matches('_').count() > 1
    });
    let missing: Vec<&str> = names
        .filter(|name| !tests.contains(&format!("fn {name}(")))
        .collect();
    assert!(missing.is_empty(), "docs/security.md: {missing:?}");
}

/// How many modules of a crate may use each other.
const CIRCLE: usize = 6;

/// Crates with larger circles, which must not grow.
const LARGER_CIRCLES: [(&str, usize); 3] = [("cty", 9), ("refactor", 12), ("lsp", 16)];

#[test]
fn files_named_in_tables_for_contributors_exist() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut count = 0;
    for row in text.lines().filter(|line| line.starts_with('|')) {
        let mut folders = vec![root().to_path_buf()];
        for name in row.split('`').skip(1).step_by(2).filter_map(file_name) {
            let mut paths = folders.iter().map(|folder| folder.join(&name));
            let path = paths.find(|path| path.exists());
            let path = path.unwrap_or_else(|| panic!("`{name}` does not exist: {row}"));
            let above = path.ancestors().skip(usize::from(path.is_file()));
            folders.extend(above.take_while(|it| *it != root()).map(Path::to_path_buf));
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

/// Documents with links, which are relative to their folder.
const LINKING: [&str; 7] = [
    "README.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "server/README.md",
    "tests/README.md",
    "tests/bench/README.md",
    "vscode-extension/README.md",
];

#[test]
fn links_of_documents_lead_to_files() {
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|it| it.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let mut count = 0;
    for path in LINKING.iter().map(|name| root().join(name)).chain(docs) {
        let text = fs::read_to_string(&path).unwrap();
        let targets = text.split("](").skip(1);
        let targets = targets.filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|it| !it.is_empty() && !it.contains(':')) {
            let file = path.parent().unwrap().join(target);
            assert!(file.exists(), "{}: {target}", path.display());
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

/// A path or a bare file name at the start of a command or alone. Later names of a row are relative to earlier ones.
fn file_name(code: &str) -> Option<String> {
    let name = code.split(' ').next()?.replace("tfpluginN", "tfplugin6");
    let is_path = name.contains('/') || [".rs", ".json", ".md"].iter().any(|it| name.ends_with(it));
    is_path.then_some(name)
}

#[test]
fn modules_that_use_each_other_are_few() {
    let mut wrong = Vec::new();
    for name in CRATES {
        let larger = LARGER_CIRCLES.iter().find(|(larger, _)| *larger == name);
        let limit = larger.map_or(CIRCLE, |(_, limit)| *limit);
        let circles = modules::circles(&root().join(format!("server/{name}/src")));
        let too_large = circles.into_iter().filter(|circle| circle.len() > limit);
        wrong.extend(too_large.map(|circle| format!("{name}: {circle:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn circles_are_found_through_exports_and_nested_modules() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "lib.rs",
        "mod a;\nmod b;\nmod c;\nmod d;\n\npub use b::{B, inner::C};\n",
    );
    write("a.rs", "use crate::{B, d};\n\nmod inner;\n");
    write("a/inner.rs", "use super::other;\n");
    write("b.rs", "// crate::d\nconst B: &str = \"crate::d\";\n");
    write("b/inner.rs", "fn f() -> super::super::c::C {}\n");
    write("c.rs", "pub type C = super::a::A;\n");
    write(
        "d.rs",
        "use super::c;\n\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n",
    );
    let circles = modules::circles(dir.path());
    let names = |names: &str| names.chars().map(|it| it.to_string()).collect();
    let found: BTreeSet<String> = names("abcd");
    assert_eq!(circles, [found]);
    write("a.rs", "use crate::B;\n");
    let circles = modules::circles(dir.path());
    let found: BTreeSet<String> = names("abc");
    assert_eq!(circles, [found]);
    write("b/inner.rs", "");
    assert!(modules::circles(dir.path()).is_empty());
}

/// More lines do more than one thing, but for a match that names all cases of an enum.
const LINES_OF_A_FUNCTION: usize = 120;

#[test]
fn functions_are_short() {
    let generated = ["provider/src/wire", "pulumi_provider/src/wire.rs"];
    let generated = generated.map(|it| root().join("server").join(it));
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in CRATES.map(|name| root().join(format!("server/{name}/src"))) {
        for file in sources_in(&[&path]) {
            let text = fs::read_to_string(&file).unwrap();
            if generated.iter().any(|it| file.starts_with(it)) && text.contains("@generated") {
                continue;
            }
            let functions = functions::functions(&text);
            count += functions.len();
            let long = functions
                .into_iter()
                .filter(|it| it.lines > LINES_OF_A_FUNCTION && !it.is_closed_match);
            wrong.extend(long.map(|it| format!("{file:?}: {} has {} lines", it.name, it.lines)));
        }
    }
    assert!(count > 1000, "{count} functions were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What opens a file or lists a folder.
const READING: [&str; 7] = [
    "fs::read(",
    "fs::read_to_string(",
    "read_dir(",
    "File::open(",
    "File::options",
    "OpenOptions",
    "tokio::fs",
];

/// Sources that read without `disk`, each for its reason.
const READERS: [(&str, &str); 7] = [
    ("disk/src/lib.rs", "it is the reader"),
    ("disk/src/private.rs", "writes the user's own files"),
    ("process/src/unix.rs", "asks the system about processes"),
    ("process/src/private_dir.rs", "lists folders of its own"),
    ("cli/src/stats.rs", "asks the system about this process"),
    ("cty/src/testing.rs", "reads the tables of tests"),
    ("fixture/src", "is for tests alone"),
];

/// A text or a folder that names a device, a pipe or a file without an end must not hold anything up.
#[test]
fn files_are_read_by_one_reader() {
    let server = root().join("server");
    let mut wrong = Vec::new();
    for path in sources() {
        let Ok(name) = path.strip_prefix(&server) else {
            continue;
        };
        let name = name.to_string_lossy().into_owned();
        let is_reader = READERS.iter().any(|(reader, _)| name.starts_with(reader));
        if is_reader || !name.contains("/src/") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        // Tests stand at the end of a file.
        let source = source.split("\nmod tests {").next().unwrap_or_default();
        let reads = |line: &&str| READING.iter().any(|it| line.contains(it));
        wrong.extend(
            source
                .lines()
                .filter(reads)
                .map(|line| format!("{name}: {}", line.trim())),
        );
    }
    assert!(wrong.is_empty(), "read with `disk`: {wrong:#?}");
}

/// What makes Markdown for an editor takes `ide::Markdown` alone, which lets nothing live through.
#[test]
fn markdown_for_an_editor_is_made_in_one_place() {
    let mut wrong = sources();
    wrong.retain(|path| {
        let path = path.strip_prefix(root().join("server")).unwrap_or(path);
        let is_ours = path.starts_with("lsp/src") && !path.ends_with("shown.rs");
        let text = fs::read_to_string(root().join("server").join(path)).unwrap_or_default();
        is_ours
            && ["MarkupContent", "MarkupKind", "MarkedString"]
                .iter()
                .any(|it| text.contains(it))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_test_is_switched_off() {
    // Put together here, so that this file does not hold it itself.
    let attribute = ["#[ign", "ore"].concat();
    let mut wrong = sources();
    wrong.retain(|file| fs::read_to_string(file).unwrap().contains(&attribute));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Every Rust source file of ours.
fn sources() -> Vec<PathBuf> {
    sources_in(&[&root().join("server"), &root().join("tests")])
}

fn sources_in(places: &[&Path]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = places.iter().map(|it| it.to_path_buf()).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(path).unwrap().map(|it| it.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") && path.exists() {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Comments begin with a noun or a verb. At most so many in a thousand lines hold one of the words that hide them.
const VAGUE_COMMENTS: usize = 80;

#[test]
fn comments_name_their_subject() {
    let (mut comments, mut vague) = (0, 0);
    for path in sources() {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().map(str::trim_start);
        for line in lines.filter(|line| line.starts_with("//")) {
            let line = line.to_lowercase();
            let mut words = line.split(|it: char| !it.is_alphanumeric());
            comments += 1;
            let is_vague = words.any(|word| ["what", "told"].contains(&word));
            vague += usize::from(is_vague || line.contains(" is none"));
        }
    }
    assert!(comments > 5_000);
    assert!(
        vague * 1_000 <= comments * VAGUE_COMMENTS,
        "{vague} of {comments} comment lines say what, told or \"is none\""
    );
}
