//! Changes that could hide their effect from `planlens check`, and repositories that attack it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::support::{printed, scratch};
use super::{check, commit, git, state, text, write};

const RESOURCE: &str = "resource \"terraform_data\" \"x\" {\n  input            = \"one\"\n  triggers_replace = \"t\"\n}\n";

/// A repository with a resource in the folder `m` and in its state.
fn with_state(test: &str) -> PathBuf {
    let folder = scratch(test).join("repository");
    write(&folder, "m/main.tf", RESOURCE);
    write(&folder, "m/terraform.tfstate", &state(&[("x", "one", "t")]));
    let folder = folder.canonicalize().unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    folder
}

fn assert_fails(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", printed(output));
    assert!(printed(output).contains(message), "{}", printed(output));
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_beside_empty_ones_is_an_error() {
    let folder = with_state("an_unreadable_file");
    write(&folder, "m/main.tf", "");
    std::os::unix::fs::symlink("nothing", folder.join("m/x.tf")).unwrap();
    for options in [&[][..], &["-diff=main"]] {
        assert_fails(
            &check(&folder, options),
            "m:1:1: error: Failed to read file: ",
        );
    }
    fs::remove_file(folder.join("m/main.tf")).unwrap();
    for options in [&[][..], &["-diff=main"]] {
        assert_fails(
            &check(&folder, options),
            "m/x.tf:1:1: error: Failed to read file: ",
        );
    }
    fs::remove_file(folder.join("m/x.tf")).unwrap();
    write(&folder, "m/main.tf", "");
    write(&folder, "m/terraform.tfstate", "{");
    assert_fails(&check(&folder, &[]), "m:1:1: error: State can't be read");
}

/// The destruction of the resource is denied.
fn assert_denied(folder: &Path, base: &str) {
    let output = check(folder, &[&format!("-diff={base}"), "-deny=destroy"]);
    assert_eq!(output.status.code(), Some(3), "{}", printed(&output));
    assert!(
        text(&output).contains("  - terraform_data.x  DENIED: destroy"),
        "{}",
        printed(&output)
    );
}

fn assert_same(folder: &Path, base: &str) {
    let output = check(folder, &[&format!("-diff={base}")]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(
        text(&output).contains("no plan changes"),
        "{}",
        printed(&output)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_name_that_is_not_utf8_is_compared() {
    use std::os::unix::ffi::OsStrExt;
    let folder = with_state("a_file_name_that_is_not_utf8");
    let odd = std::ffi::OsStr::from_bytes(b"x\xe9.tf");
    // In the base, among the untracked files, and among the changed ones.
    fs::rename(folder.join("m/main.tf"), folder.join("m").join(odd)).unwrap();
    commit(&folder);
    write(&folder, "m/main.tf", "");
    fs::write(folder.join("m").join(odd), "").unwrap();
    assert_denied(&folder, "HEAD");
    fs::rename(folder.join("m").join(odd), folder.join(odd)).unwrap();
    assert_denied(&folder, "HEAD");
    commit(&folder);
    assert_denied(&folder, "HEAD~1");
}

#[test]
fn a_base_that_is_not_utf8_is_compared() {
    let folder = with_state("a_base_that_is_not_utf8");
    let odd = [b"# x\xe9\n".as_slice(), RESOURCE.as_bytes()].concat();
    fs::write(folder.join("m/main.tf"), odd).unwrap();
    commit(&folder);
    write(&folder, "m/main.tf", &format!("# café\n{RESOURCE}"));
    assert_same(&folder, "main");
    write(&folder, "m/main.tf", "# café\n");
    assert_denied(&folder, "main");
    fs::write(folder.join("m/main.tf"), b"# x\xe9\n").unwrap();
    assert_fails(&check(&folder, &["-diff=main"]), "not valid UTF-8");
}

#[cfg(unix)]
#[test]
fn links_are_followed_in_the_base() {
    use std::os::unix::fs::symlink;
    let folder = with_state("links_in_the_base");
    let real = |name: &str| folder.join(name);
    // To a file, and to the folder of a module.
    write(&folder, "shared/x.tf.inc", RESOURCE);
    symlink("../shared/x.tf.inc", real("m/x.tf")).unwrap();
    write(&folder, "m/main.tf", "output \"o\" {\n  value = 1\n}\n");
    let output = |value: &str| format!("output \"v\" {{\n  value = {value}\n}}\n");
    write(&folder, "one/main.tf", &output("1"));
    write(&folder, "two/main.tf", &output("2"));
    symlink("one", real("link")).unwrap();
    let call =
        "module \"a\" {\n  source = \"../link\"\n}\n\noutput \"v\" {\n  value = module.a.v\n}\n";
    write(&folder, "caller/main.tf", call);
    commit(&folder);
    assert_same(&folder, "main");

    write(&folder, "shared/x.tf.inc", "");
    assert_denied(&folder, "main");
    fs::remove_file(real("m/x.tf")).unwrap();
    assert_denied(&folder, "main");
    write(&folder, "m/x.tf", RESOURCE);
    assert_same(&folder, "main");

    let changed = || text(&check(&folder, &["-diff=main"]));
    write(&folder, "one/main.tf", &output("3"));
    assert!(changed().contains("caller: "), "{}", changed());
    git(&folder, &["checkout", "-q", "--", "one"]);
    assert!(!changed().contains("caller: "), "{}", changed());
    fs::remove_file(real("link")).unwrap();
    symlink("two", real("link")).unwrap();
    assert!(changed().contains("caller: "), "{}", changed());

    fs::remove_file(real("link")).unwrap();
    symlink("../..", real("m/y.tf")).unwrap();
    commit(&folder);
    fs::remove_file(real("m/y.tf")).unwrap();
    assert_fails(
        &check(&folder, &["-diff=main"]),
        "it is a link out of the repository",
    );
}

#[test]
fn a_committed_selection_of_a_workspace_is_an_error() {
    let folder = with_state("a_committed_selection");
    write(&folder, "m/.terraform/environment", "other");
    // As `terraform workspace select` leaves it.
    let output = check(&folder, &["-diff=main"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    git(&folder, &["checkout", "-q", "-b", "change"]);
    git(&folder, &["add", "-f", "m/.terraform/environment"]);
    commit(&folder);
    assert_fails(
        &check(&folder, &["-diff=main"]),
        "m/.terraform/environment:1:1: error: Selection changed: ",
    );
    assert_same(&folder, "change");
}

#[test]
fn a_submodule_is_compared_with_its_former_commit() {
    let folder = with_state("a_submodule");
    let module = folder.with_file_name("module");
    write(&module, "main.tf", RESOURCE);
    git(&module, &["init", "-q", "-b", "main"]);
    commit(&module);
    let url = module.to_str().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    git(&folder, &[&add[..], &[url, "mod"]].concat());
    let call = "module \"a\" {\n  source = \"../mod\"\n}\n";
    write(&folder, "caller/main.tf", call);
    commit(&folder);
    assert_same(&folder, "main");
    let assert_changed = || {
        let changed = text(&check(&folder, &["-diff=main"]));
        assert!(
            changed.contains("  + module.a.terraform_data.x"),
            "{changed}"
        );
    };
    write(&folder, "mod/main.tf", &RESOURCE.replace("one", "two"));
    assert_changed();
    git(&folder, &["checkout", "-q", "-b", "change"]);
    commit(&folder.join("mod"));
    commit(&folder);
    assert_changed();
    fs::remove_dir_all(folder.join("mod")).unwrap();
    fs::create_dir(folder.join("mod")).unwrap();
    assert_fails(
        &check(&folder, &["-diff=main"]),
        "the submodule changed, but it is not checked out",
    );
    assert_same(&folder, "change");
}

#[cfg(unix)]
#[test]
fn a_comparison_starts_no_program_that_the_repository_names() {
    let folder = with_state("no_program_of_a_repository");
    let mark = folder.with_file_name("ran");
    let evil = format!("echo ran >> {}; cat", mark.display());
    write(
        &folder,
        ".gitattributes",
        "* filter=evil diff=evil\nm/* filter=a=b\n",
    );
    commit(&folder);
    for key in [
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.process",
        "filter.a=b.clean",
        "diff.evil.textconv",
        "diff.evil.command",
        "diff.external",
    ] {
        git(&folder, &["config", key, &evil]);
    }
    git(&folder, &["config", "filter.evil.required", "true"]);
    // Each file looks edited.
    for name in ["m/main.tf", "m/terraform.tfstate", ".gitattributes"] {
        let text = fs::read(folder.join(name)).unwrap();
        fs::remove_file(folder.join(name)).unwrap();
        fs::write(folder.join(name), text).unwrap();
    }
    assert_same(&folder, "main");
    write(&folder, "m/main.tf", "");
    assert_denied(&folder, "main");
    assert!(!mark.exists());
}

#[cfg(unix)]
#[test]
fn a_bare_repository_among_the_files_is_not_asked() {
    let folder = with_state("a_bare_repository");
    let mark = folder.with_file_name("ran");
    let inner = folder.join("m");
    let monitor = format!("touch {}; false", mark.display());
    git(&inner, &["init", "-q", "--bare", "."]);
    for (key, value) in [
        ("core.bare", "false"),
        ("core.worktree", "."),
        ("core.fsmonitor", &monitor),
    ] {
        git(&inner, &["config", "--file", "config", key, value]);
    }
    let output = check(&inner, &["-diff=HEAD"]);
    assert_fails(&output, "cannot use bare repository");
    assert!(!mark.exists(), "{}", printed(&output));
}

#[test]
fn an_object_that_a_partial_clone_lacks_is_an_error_and_is_not_fetched() {
    let folder = with_state("a_partial_clone");
    write(&folder, "m/main.tf", "");
    commit(&folder);
    git(&folder, &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", folder.display());
    let arguments = ["clone", "-q", "--filter=blob:none", &url, "clone"];
    git(folder.parent().unwrap(), &arguments);
    assert_fails(
        &check(&folder.with_file_name("clone"), &["-diff=HEAD~1"]),
        "m/main.tf:1:1: error: Failed to read file: ",
    );
}

#[cfg(unix)]
#[test]
fn names_and_reports_start_no_line_of_their_own() {
    let folder = with_state("names_with_line_breaks");
    write(
        &folder,
        "a\n::error::x/b\n::error::y.tf",
        "locals {\n  a = var.nope\n}\n",
    );
    let assert_harmless = |options: &[&str]| {
        let output = printed(&check(&folder, options));
        assert!(output.contains(r"\n::error::"), "{output}");
        assert!(!output.contains("\n::error::"), "{output}");
    };
    for format in ["-format=text", "-format=junit", "-format=markdown"] {
        assert_harmless(&[format]);
    }
    let mut report = super::report(&folder, &["-diff=main"]);
    report["base"] = "main\n::error::z".into();
    report["roots"][0]["diagnostics"][0]["message"] = "a\n::error::z".into();
    write(&folder, "report.json", &report.to_string());
    for format in ["-format=text", "-format=junit", "-format=markdown"] {
        assert_harmless(&["-merge", format, "report.json"]);
    }
}

#[cfg(unix)]
#[test]
fn generated_configuration_follows_no_link() {
    let folder = scratch("generated_configuration").join("m");
    let import = "import {\n  to = terraform_data.x\n  id = \"i\"\n}\n";
    write(&folder, "main.tf", import);
    let link = folder.join("generated.tf");
    std::os::unix::fs::symlink("../outside.tf", &link).unwrap();
    let mut command = super::planlens(&folder);
    command.args(["plan", "-generate-config-out=generated.tf"]);
    let output = command.output().unwrap();
    assert_fails(&output, "generated.tf exists");
    assert!(!folder.with_file_name("outside.tf").exists());
    fs::remove_file(link).unwrap();
    let output = command.output().unwrap();
    assert!(folder.join("generated.tf").exists(), "{}", printed(&output));
}
