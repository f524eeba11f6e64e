//! Refactorings, case by case: the files of `tests/rename` and `tests/actions`, each with what comes of it behind the
//! line `#=`.
//!
//! The first line says `# rename NAME`, and with which options, or `# do TITLE` with the title that a menu shows; `$0` is
//! the cursor, and a comment `# END` the end of the selected range. Objects of the state are `terraform_data` with the given input. `UPDATE_EXPECT=1` writes what comes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{ResourceInstanceAddr, ResourceMode};
use fixture::Fixture;
use plan::{Options, Plan, PlanningRequest, Root, Surroundings};
use refactor::{
    Edits, Modules, MovedBlocks, Proof, RefactoringContext, RefactoringKind, WriteMoved,
};
use serde_json::{Value, json};
use text::{FileId, TextRange};

const DIR: &str = "/module";

/// Files in memory, kept parsed as an editor keeps its documents. One that is called `unread.tf` cannot be read.
#[derive(Clone, Default)]
struct Texts(BTreeMap<String, syntax::File>);

impl Texts {
    fn set(&mut self, path: &str, text: &str) {
        self.0
            .insert(path.to_owned(), config::parse_file(path, text));
    }

    fn after(&self, edits: &Edits) -> Texts {
        let mut after = self.clone();
        for (file, syntax) in &self.0 {
            let edited = edits.applied(&FileId::new(file.as_str()), syntax.text());
            after.set(file, &edited);
        }
        for (file, text) in &edits.created {
            after.set(file.path(), text);
        }
        after
    }
}

impl config::Files for Texts {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = self.0.keys().filter_map(|path| {
            let name = path.strip_prefix(dir)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        });
        Ok(names.collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        Ok(self.parse(path)?.text().clone())
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        let is_unread = path.ends_with("/unread.tf");
        let file = self.0.get(path).filter(|_| !is_unread).cloned();
        file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

struct World {
    files: Texts,
    options: Arc<Options>,
    root: Root,
}

impl World {
    fn plan(&mut self, files: &Texts) -> Plan {
        let request = PlanningRequest {
            is_saved: true,
            may_configure: true,
            options: self.options.clone(),
            ..PlanningRequest::default()
        };
        self.root.load(files, &request);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(self.root.plan(&mut |_| {}))
    }
}

fn world(fixture: &Fixture) -> World {
    let mut files = Texts::default();
    for file in &fixture.files {
        files.set(&format!("{DIR}{}", file.path), &file.text);
    }
    files.set(&format!("{DIR}/terraform.tfstate"), &state(&fixture.state));
    let surroundings = Surroundings {
        dir: PathBuf::from(DIR),
        cwd: PathBuf::from(DIR),
        variables: Default::default(),
        options: Vec::new(),
        state: None,
        plan_timestamp: None,
        cache_dir: None,
        is_trusted: true,
        approved: plan::Approved::All,
        language: plan::LanguageChoice::pinned(config::Profile::TERRAFORM_1_11),
    };
    World {
        files,
        options: Arc::default(),
        root: Root::new(surroundings),
    }
}

/// A state of `terraform_data` objects.
fn state(objects: &[(String, String)]) -> String {
    let object = |(addr, input): &(String, String)| {
        let addr: ResourceInstanceAddr = addr.parse().unwrap();
        assert_eq!(addr.resource.mode, ResourceMode::Managed);
        let input = input.trim();
        let mut instance = json!({
            "schema_version": 0,
            "attributes": {
                "id": "1",
                "input": { "value": input, "type": "string" },
                "output": { "value": input, "type": "string" },
                "triggers_replace": null,
            },
        });
        match &addr.key {
            config::InstanceKey::None => {}
            config::InstanceKey::Int(index) => instance["index_key"] = json!(index),
            config::InstanceKey::String(key) => instance["index_key"] = json!(key.as_str()),
        }
        let mut resource = json!({
            "mode": "managed",
            "type": addr.resource.r#type.as_str(),
            "name": addr.resource.name.as_str(),
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [instance],
        });
        if !addr.module.is_root() {
            resource["module"] = json!(addr.module.to_string());
        }
        resource
    };
    let mut resources: Vec<Value> = Vec::new();
    for mut next in objects.iter().map(object) {
        let same = |it: &&mut Value| {
            ["module", "type", "name"]
                .iter()
                .all(|key| it.get(key) == next.get(key))
        };
        match resources.iter_mut().find(same) {
            Some(known) => {
                let instance = next["instances"][0].take();
                known["instances"].as_array_mut().unwrap().push(instance);
            }
            None => resources.push(next),
        }
    }
    json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "a",
        "outputs": {}, "resources": resources,
    })
    .to_string()
}

/// What comes of the case, as text.
fn outcome(text: &str) -> String {
    let (first, _) = text.split_once('\n').unwrap();
    let mut blocks = MovedBlocks {
        write: WriteMoved::WhenInState,
        file: String::new(),
    };
    let mut new_name = None;
    if let Some(words) = first.strip_prefix("# rename ") {
        let mut words = words.split_whitespace();
        new_name = words.next();
        for option in words {
            match option {
                "always" => blocks.write = WriteMoved::Always,
                "never" => blocks.write = WriteMoved::Never,
                file => blocks.file = file.to_owned(),
            }
        }
    }
    let text = match text.contains("CRLF") {
        true => text.replace('\n', "\r\n"),
        false => text.to_owned(),
    };
    let fixture = Fixture::parse(&text);
    let mut world = world(&fixture);
    let files = world.files.clone();
    let mut before = world.plan(&files);
    let tree = world.root.tree().unwrap().clone();
    if first.starts_with("# do Generate") {
        world.options = Arc::new(Options {
            import: true,
            generate_config: true,
            ..Options::default()
        });
        before = world.plan(&files);
    }
    let modules = Modules::of([&*tree]);
    let (index, offset) = fixture.cursor.unwrap();
    let file = FileId::new(format!("{DIR}{}", fixture.files[index].path));
    let text = fixture.files[index].text.as_str();
    let end = text.find("# END").map(|end| end.try_into().unwrap());
    let range = TextRange::new(offset, end.unwrap_or(offset));
    let kind = match new_name {
        Some(new_name) => match refactor::renamable(&modules, &files, &file, offset) {
            Ok(_) => RefactoringKind::Rename(new_name.to_owned()),
            Err(refusal) => return format!("refused: {refusal}\n"),
        },
        None => {
            let title = first.strip_prefix("# do ").unwrap();
            let offers = refactor::offers(&modules, &file, range);
            let offer = offers.iter().find(|it| it.title == title);
            let offer = offer.unwrap_or_else(|| panic!("no {title:?} among {offers:#?}"));
            offer.kind.clone()
        }
    };
    let scene = RefactoringContext {
        modules: &modules,
        files: &files,
        plans: &[(&*tree, &before)],
        blocks: &blocks,
    };
    let refactoring = match refactor::refactor(&scene, &file, range, &kind) {
        Ok(refactoring) => refactoring,
        Err(refusal) => return format!("refused: {refusal}\n"),
    };
    if let Some(title) = first.strip_prefix("# do ") {
        assert_eq!(refactoring.title, title);
    }
    let after = files.after(&refactoring.edits);
    let plan = world.plan(&after);
    let proof = refactoring.prove(&tree, &before, &plan);
    show(&files, &after, &proof)
}

/// The files that changed, and what was proven.
fn show(before: &Texts, after: &Texts, proof: &Proof) -> String {
    let mut shown = format!("{proof}\n");
    for line in proof.details().lines() {
        let _ = writeln!(shown, "  {line}");
    }
    for (path, syntax) in &after.0 {
        let text = syntax.text();
        let was = before.0.get(path).map(|it| it.text().clone());
        if was.as_ref() != Some(text) {
            let path = path.strip_prefix(DIR).unwrap();
            let text = text.replace("\r\n", "␍\n");
            let _ = write!(shown, "#- {path}\n{text}");
            if !text.ends_with('\n') {
                shown.push_str("(no end of line)\n");
            }
        }
    }
    shown
}

#[test]
fn cases() {
    let folders = ["tests/rename", "tests/actions"].into_iter();
    let folders = folders.map(|it| Path::new(env!("CARGO_MANIFEST_DIR")).join(it));
    let mut paths: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|it| it.unwrap().path())
        .collect();
    paths.sort();
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let (given, expected) = text.split_once("#=\n").unwrap_or((&text, ""));
        let outcome = outcome(given);
        if is_update {
            fs::write(path, format!("{given}#=\n{outcome}")).unwrap();
        } else if outcome != expected {
            let name = path.file_name().unwrap().to_string_lossy();
            wrong.push(format!(
                "{name}:\n--- expected\n{expected}--- was\n{outcome}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
