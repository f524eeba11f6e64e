//! Files that would hold up a plan, eat what is not theirs or never end: each costs a diagnostic.
#![cfg(unix)]

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use plan::{OpenFiles, Plan, PlanningRequest, Reach, Root, Surroundings};
use tempfile::TempDir;

use crate::support::{block_on, fake, root, surroundings};

/// A root module on disk.
struct Module(TempDir);

impl Module {
    fn new(text: &str) -> Module {
        let module = Module(tempfile::tempdir().unwrap());
        module.write("main.tf", text);
        module
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn link(&self, name: &str, to: impl AsRef<Path>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(to, path).unwrap();
    }

    fn pipe(&self, name: &str) {
        let path = self.0.path().join(name);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    fn sparse(&self, name: &str, length: u64) {
        let file = File::create(self.0.path().join(name)).unwrap();
        file.set_len(length).unwrap();
    }

    /// The values of the outputs that are known and what is wrong, where the folder is not trusted.
    fn untrusted(&self) -> String {
        let surroundings = Surroundings {
            dir: self.0.path().to_owned(),
            cwd: self.0.path().to_owned(),
            variables: [("HOME".to_owned(), "/etc".to_owned())].into(),
            is_trusted: false,
            ..surroundings()
        };
        let mut root = root(surroundings, Arc::new(fake()));
        let show = |root: &mut Root| {
            root.load(&OpenFiles::default(), &PlanningRequest::default());
            let plan = block_on(root.plan(&mut |_| {}));
            let outputs = plan.output_changes();
            let outputs = outputs.map(|it| format!("{} = {:?}\n", it.name, it.after));
            let errors = plan.all_diagnostics();
            let errors = errors.map(|it| format!("{}: {}\n", it.code, it.detail));
            outputs.chain(errors).collect::<String>()
        };
        let untrusted = show(&mut root);
        let is_refused = untrusted.contains("outside-workspace");
        assert_eq!(root.was_out_of_reach(), is_refused);
        root.set_reach(Reach::Everywhere);
        assert!(!show(&mut root).contains("outside-workspace"));
        untrusted
    }

    fn plan(&self, files: &OpenFiles) -> Plan {
        let surroundings = Surroundings {
            dir: self.0.path().to_owned(),
            cwd: self.0.path().to_owned(),
            ..surroundings()
        };
        let mut root = root(surroundings, Arc::new(fake()));
        root.load(files, &PlanningRequest::default());
        block_on(root.plan(&mut |_| {}))
    }

    /// What is wrong, and what `output "healthy"` is: all else is planned.
    fn problems(&self) -> Vec<String> {
        let plan = self.plan(&OpenFiles::default());
        let healthy = plan.output_changes().find(|it| it.name == "healthy");
        let value = healthy.and_then(|it| it.after.as_str());
        // Without the state it isn't said what is created.
        assert!(value == Some("yes") || plan.is_state_unread);
        let dir = self.0.path().to_string_lossy();
        plan.all_diagnostics()
            .map(|it| it.detail.replace(&*dir, "DIR"))
            .collect()
    }
}

const HEALTHY: &str = "output \"healthy\" {\n  value = \"yes\"\n}\n";

fn problems_of(expression: &str, prepare: impl FnOnce(&Module)) -> String {
    let module = Module::new(&format!(
        "{HEALTHY}output \"evil\" {{\n  value = {expression}\n}}\n"
    ));
    prepare(&module);
    module.problems().concat()
}

#[track_caller]
fn check(expression: &str, problems: &str, prepare: impl FnOnce(&Module)) {
    let all = problems_of(expression, prepare);
    assert!(all.contains(problems), "{expression}: {all}");
}

fn nothing(_: &Module) {}

#[test]
fn functions_read_no_device_pipe_or_socket() {
    let not_regular = "not a regular file";
    for path in [
        "/dev/stdin",
        "/dev/zero",
        "/dev/tty",
        "/dev/full",
        "/dev/fd/0",
    ] {
        check(&format!("file({path:?})"), not_regular, nothing);
    }
    for function in [
        "file",
        "filebase64",
        "filebase64sha256",
        "filebase64sha512",
        "filemd5",
        "filesha1",
        "filesha256",
        "filesha512",
    ] {
        check(&format!("{function}(\"pipe\")"), not_regular, |it| {
            it.pipe("pipe")
        });
    }
    check("templatefile(\"pipe\", {})", not_regular, |it| {
        it.pipe("pipe")
    });
    check(
        "fileexists(\"pipe\")",
        "is a named pipe, not a regular file",
        |it| it.pipe("pipe"),
    );
    check(
        "fileexists(\"/dev/zero\")",
        "is a device node, not a regular file",
        nothing,
    );
    check("file(\"link\")", not_regular, |it| {
        it.link("link", "/dev/zero")
    });
    check("file(\"loop\")", "open loop: ", |it| {
        it.link("loop", "loop")
    });
}

#[test]
fn functions_read_no_more_of_a_file_than_their_limit() {
    check(
        "file(\"long\")",
        "larger than 64 MiB, the limit for such a file",
        |it| {
            it.sparse("long", (64 << 20) + 1);
        },
    );
    check(
        "filemd5(\"long\")",
        "larger than 1 GiB, the limit for such a file",
        |it| {
            it.sparse("long", (1 << 30) + 1);
        },
    );
}

#[test]
fn an_honest_archive_of_20_mb_is_read_and_hashed() {
    for call in [
        "filebase64sha256(\"lambda.zip\")",
        "length(filebase64(\"lambda.zip\"))",
    ] {
        let problems = problems_of(call, |it| it.write("lambda.zip", vec![7; 20_000_000]));
        assert_eq!(problems, "");
    }
}

#[test]
fn a_search_for_files_ends() {
    check(
        "fileset(\"/\", \"**\")",
        "stopped after 200000 files and folders",
        nothing,
    );
    check(
        "fileset(\".\", \"**\")",
        "stopped after 200000 files and folders",
        |it| {
            // Each of these holds all of them.
            for name in ["a", "b", "c"] {
                it.link(name, ".");
            }
        },
    );
    check(
        "fileset(\".\", \"**\")",
        "stopped at folders that are 200 deep",
        |it| {
            it.write(&format!("{}x", "d/".repeat(300)), "");
        },
    );
    check(
        "fileset(\".\", join(\"\", [for i in range(1000) : \"{a,b}\"]))",
        "longer than 4096 bytes",
        nothing,
    );
    check(
        "fileset(\".\", join(\"\", [for i in range(20) : \"{a,b}\"]))",
        "more than 1000 patterns",
        nothing,
    );
    check("length(fileset(\".\", \"**\"))", "", |it| {
        it.link("self", ".");
        it.pipe("pipe");
    });
}

#[test]
fn configuration_that_is_no_regular_file_is_passed_over() {
    let read = |prepare: &dyn Fn(&Module)| {
        let module = Module::new(HEALTHY);
        prepare(&module);
        module.problems().join("\n")
    };
    let refused = "The file \"DIR/odd.tf\" could not be read: not a regular file.";
    assert_eq!(read(&|it| it.pipe("odd.tf")), refused);
    assert_eq!(read(&|it| it.link("odd.tf", "/dev/zero")), refused);
    assert_eq!(
        read(&|it| it.sparse("odd.tf", 100_000_000)),
        "The file \"DIR/odd.tf\" could not be read: larger than 16 MiB, the limit for such a file."
    );
    for name in ["terraform.tfvars", "terraform.tfvars.json"] {
        let refused = format!("Given variables file {name} could not be read: not a regular file.");
        assert_eq!(read(&|it| it.link(name, "/dev/zero")), refused);
        assert_eq!(read(&|it| it.pipe(name)), refused);
    }
    let state = read(&|it| it.link("terraform.tfstate", "/dev/zero"));
    assert!(state.contains("not a regular file"), "{state}");
    // What only `init` writes counts as not written.
    for name in [
        ".terraform.lock.hcl",
        ".terraform/environment",
        ".terraform/terraform.tfstate",
    ] {
        assert_eq!(read(&|it| it.link(name, "/dev/zero")), "", "{name}");
    }
}

#[test]
fn objects_that_an_unread_file_may_declare_are_not_destroyed() {
    let module = Module::new(
        "variable \"v\" {\n  default = 1\n}\noutput \"healthy\" {\n  value = local.elsewhere\n}\n",
    );
    let object = |name: &str| {
        format!(
            r#"{{"mode": "managed", "type": "terraform_data", "name": "{name}", "provider": "provider[\"terraform.io/builtin/terraform\"]", "instances": [{{"attributes": {{"id": "{name}"}}}}]}}"#
        )
    };
    let state = format!(
        r#"{{"version": 4, "outputs": {{"old": {{"value": "yes", "type": "string"}}}}, "resources": [{}]}}"#,
        object("a")
    );
    module.write("terraform.tfstate", state);
    module.write("terraform.tfvars", "elsewhere = 1\n");
    let lost = |plan: &Plan| (plan.changes().count(), plan.output_changes().count());
    let codes = |plan: &Plan| plan.all_diagnostics().map(|it| it.code).collect::<Vec<_>>();

    let whole = module.plan(&OpenFiles::default());
    assert_eq!(lost(&whole), (1, 1));
    assert_eq!(
        codes(&whole),
        ["undeclared-reference", "undeclared-variable"]
    );

    module.pipe("odd.tf");
    let partial = module.plan(&OpenFiles::default());
    assert_eq!(lost(&partial), (0, 0));
    assert_eq!(codes(&partial), ["unreadable-file", "undeclared-reference"]);
    let details: String = partial.all_diagnostics().map(|it| &*it.detail).collect();
    assert!(details.ends_with("It may be declared in a file that could not be read."));
}

#[test]
fn files_that_are_too_long_together_are_not_read() {
    let module = Module::new(HEALTHY);
    let comment = format!("# {}\n", "x".repeat(1_000));
    for name in ["n.tf", "o.tf"] {
        module.write(name, comment.repeat(2_500));
    }
    assert_eq!(module.problems(), Vec::<String>::new());
    let plan = module.plan(&OpenFiles::for_editor());
    let problems: Vec<_> = plan.all_diagnostics().collect();
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    let dir = module.0.path().to_string_lossy();
    assert_eq!(
        problem.detail.replace(&*dir, "DIR"),
        "The file \"DIR/o.tf\" could not be read: the files of the root module have more than 4 MiB."
    );
    // One that is open is read whatever there is beside it.
    let path = format!("{dir}/o.tf");
    let open = HashMap::from([(path, syntax::parse(&comment.repeat(2_500)))]);
    let plan = module.plan(&OpenFiles::for_editor().with_parsed(open));
    assert_eq!(plan.all_diagnostics().count(), 0);
}

#[test]
fn modules_at_strange_places_end() {
    let call = |source: &str| format!("{HEALTHY}module \"m\" {{\n  source = {source:?}\n}}\n");
    for source in [
        "../../../../../../../../../../../../proc",
        "../../../../../../../../../../../../dev",
    ] {
        Module::new(&call(source)).problems();
    }
    let module = Module::new(&call("example.com/a/b/c"));
    module.link(".terraform/modules/modules.json", "/dev/zero");
    assert!(module.problems().concat().contains("init"));
    let module = Module::new(&call("example.com/a/b/c"));
    module.write(
        ".terraform/modules/modules.json",
        r#"{"Modules": [{"Key": "m", "Source": "example.com/a/b/c", "Dir": "/dev"}]}"#,
    );
    module.problems();
}

#[test]
fn functions_read_nothing_outside_of_a_workspace_that_is_not_trusted() {
    for (expression, path) in [
        ("file(\"/etc/hostname\")", "/etc/hostname"),
        ("filemd5(\"/etc/hostname\")", "/etc/hostname"),
        ("filebase64(pathexpand(\"~/hostname\"))", "/etc/hostname"),
        ("fileexists(\"/etc/hostname\")", "/etc/hostname"),
        ("fileset(\"/etc\", \"host*\")", "/etc/host*"),
        ("fileset(\".\", \"*/hostname\")", "*/hostname"),
        ("fileset(\".\", \"../*\")", "../*"),
        ("templatefile(\"~/hostname\", {})", "~/hostname"),
        ("templatefile(\"inside.tftpl\", {})", "/etc/hostname"),
        ("templatestring(local.template, {})", "/etc/hostname"),
        ("file(\"link\")", "link"),
        ("file(\"folder/hostname\")", "folder/hostname"),
        ("try(file(\"/etc/hostname\"), \"none\")", "/etc/hostname"),
        ("can(file(\"/etc/hostname\"))", "/etc/hostname"),
    ] {
        let module = Module::new(&format!(
            "locals {{\n  template = \"$${{file(\\\"/etc/hostname\\\")}}\"\n}}\noutput \"evil\" {{\n  value = {expression}\n}}\n"
        ));
        module.link("link", "/etc/hostname");
        module.link("folder", "/etc");
        module.write("inside.tftpl", "${file(\"/etc/hostname\")}");
        let shown = module.untrusted();
        let expected = format!(
            "outside-workspace: {path:?} is outside of the workspace, and functions read nothing there before the workspace is trusted.\n"
        );
        assert!(shown.ends_with(&expected), "{expression}: {shown}");
        assert!(
            !shown.contains("none") && !shown.contains("false"),
            "{expression}: {shown}"
        );
    }
}

#[test]
fn functions_read_files_inside_an_untrusted_workspace() {
    let module = Module::new(
        r#"
output "files" {
  value = [file("a/x"), file("${path.module}/link"), fileexists("none"), fileset(".", "**/x"), try(file("none"), "b")]
}
"#,
    );
    module.write("a/x", "x");
    module.link("link", "a/x");
    let shown = module.untrusted();
    let expected = r#"files = ["x", "x", false, set["a/x"], "b"]"#;
    assert_eq!(shown.trim(), expected);
}

#[test]
fn a_state_beyond_the_limit_is_reported() {
    let module = Module::new(HEALTHY);
    module.sparse("terraform.tfstate", (512 << 20) + 1);
    let problems = module.problems().concat();
    let limit = "larger than 512 MiB, the limit for such a file. Existing objects are unknown.";
    assert!(problems.contains(limit), "{problems}");
}
