//! Random names in random module trees are changed, with the `moved` blocks that go with it: the result parses, all
//! references lead somewhere, and its plan has the same actions on each object as the plan before.
//!
//! One by one against our own plans, and many together against those of the real terraform. The same for the refactorings that the menu
//! offers on resources and module calls.

#[allow(dead_code)]
#[path = "trees/generate.rs"]
mod generate;
#[path = "trees/model.rs"]
mod model;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use change::ChangeKind;
use config::{DiskFiles, ModuleTree, ResourceInstanceAddr};
use generate::{Batch, batch};
use plan::{Action, LanguageChoice, OpenFiles, Options, Plan, PlanningRequest, Root, Surroundings};
use refactor::{
    Difference, Edits, Modules, MovedBlocks, Name, NameRole, Refactoring, RefactoringContext,
    RefactoringKind, Refusal, SymbolObject, WriteMoved,
};
use serde_json::Value;
use smol_str::SmolStr;
use support::random::Random;
use support::{command, printed, program, sample, scratch, skipped};
use text::{FileId, TextRange};
use tokio::runtime::Runtime;

/// Other trees than those that plans are compared on.
const FIRST_SEED: u64 = 9000;
const TREES: usize = 20;

/// A batch of trees on disk, planned.
struct World {
    folder: PathBuf,
    root: Root,
    runtime: Runtime,
    disk: OpenFiles,
    random: Random,
}

impl World {
    fn new(name: &str, seed: u64, cache: &Path) -> World {
        let batch = batch(seed, TREES);
        let folder = write(&format!("{name}_{seed}"), &batch, cache);
        let mut variables = process::Variables::of_this_process();
        let terraformrc = cache.join("terraformrc");
        variables.insert(
            "TF_CLI_CONFIG_FILE".to_owned(),
            terraformrc.display().to_string(),
        );
        let surroundings = Surroundings {
            dir: folder.clone(),
            cwd: folder.clone(),
            variables,
            options: Vec::new(),
            state: None,
            plan_timestamp: None,
            cache_dir: None,
            is_trusted: true,
            approved: plan::Approved::All,
            language: LanguageChoice::pinned(config::Profile::TERRAFORM_1_11),
        };
        World {
            folder,
            root: Root::new(surroundings),
            runtime: Runtime::new().unwrap(),
            disk: OpenFiles::default(),
            random: Random(seed),
        }
    }

    fn plan(&mut self, files: &OpenFiles) -> (Plan, Arc<ModuleTree>) {
        let request = PlanningRequest {
            is_saved: true,
            may_configure: true,
            options: Arc::new(Options {
                import: true,
                read_data_sources: true,
                ..Options::default()
            }),
            ..PlanningRequest::default()
        };
        self.root.load(files, &request);
        let plan = self.runtime.block_on(self.root.plan(&mut |_| {}));
        (plan, self.root.tree().unwrap().clone())
    }

    /// Something that one of the modules declares.
    fn any_name(&mut self, modules: &Modules) -> Name {
        let dirs: Vec<&SmolStr> = modules.iter().map(|(dir, _)| dir).collect();
        loop {
            let dir = *self.random.pick(&dirs);
            let names = refactor::names(modules, dir);
            let declared: Vec<&Name> = names
                .iter()
                .filter(|it| it.role == NameRole::Declaration)
                .collect();
            if !declared.is_empty() {
                return (*self.random.pick(&declared)).clone();
            }
        }
    }

    fn refactor(
        &self,
        (plan, tree): (&Plan, &ModuleTree),
        place: (&FileId, TextRange),
        kind: &RefactoringKind,
    ) -> Result<Refactoring, Refusal> {
        let scene = RefactoringContext {
            modules: &Modules::of([tree]),
            files: &DiskFiles,
            plans: &[(tree, plan)],
            blocks: &MovedBlocks {
                write: WriteMoved::WhenInState,
                file: String::new(),
            },
        };
        refactor::refactor(&scene, place.0, place.1, kind)
    }

    /// The files with the edits, in memory.
    fn edited(&self, edits: &Edits) -> OpenFiles {
        let mut documents = std::collections::HashMap::new();
        for file in edits.files.keys() {
            let before = config::Files::read(&self.disk, file.path()).unwrap();
            let after = edits.applied(file, &before);
            documents.insert(
                file.path().to_owned(),
                config::parse_file(file.path(), &after),
            );
        }
        for (file, text) in &edits.created {
            documents.insert(
                file.path().to_owned(),
                config::parse_file(file.path(), text),
            );
        }
        self.disk.with_parsed(documents)
    }
}

fn write(name: &str, batch: &Batch, cache: &Path) -> PathBuf {
    let folder = scratch(name);
    for (path, text) in &batch.files {
        let path = folder.join(path.strip_prefix("./").unwrap_or(path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(folder.join("terraform.tfstate"), batch.state.to_string()).unwrap();
    support::install_providers(cache, &folder);
    folder.canonicalize().unwrap()
}

fn kind(object: &SymbolObject) -> &'static str {
    match object {
        SymbolObject::Variable(_) => "variable",
        SymbolObject::Local(_) => "local value",
        SymbolObject::Output(_) => "output",
        SymbolObject::Resource(_) => "resource",
        SymbolObject::ModuleCall(_) => "module call",
        SymbolObject::Provider(_) => "provider",
        SymbolObject::ResourceKey(..) | SymbolObject::CallKey(..) | SymbolObject::LocalKey(..) => {
            "key"
        }
    }
}

#[test]
fn random_renames() {
    const BATCHES: u64 = 5;
    const RENAMES: usize = 100;
    let test = "random_renames";
    let cache = match support::cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut moved_blocks, mut refused, mut reported) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in sample(FIRST_SEED..FIRST_SEED + BATCHES, 2) {
        let mut world = World::new(test, seed, &cache);
        let disk = world.disk.clone();
        let (before, tree) = world.plan(&disk);
        let modules = Modules::of([&*tree]);
        let mut done = 0;
        while done < RENAMES {
            let name = world.any_name(&modules);
            let new_name = format!("renamed{done}");
            let place = (&name.file, name.range);
            let renamed =
                world.refactor((&before, &tree), place, &RefactoringKind::Rename(new_name));
            let renamed = match renamed {
                Ok(renamed) => renamed,
                Err(Refusal::FormerAddress { .. } | Refusal::UsedAsWhole(_)) => {
                    refused += 1;
                    continue;
                }
                Err(other) => panic!("seed {seed}: {:?}: {other}", name.symbol),
            };
            done += 1;
            *kinds.entry(kind(&name.symbol.object)).or_default() += 1;
            let count = |text: &str| text.matches("moved {").count();
            moved_blocks += renamed
                .edits
                .created
                .values()
                .map(|text| count(text))
                .sum::<usize>();
            moved_blocks += renamed
                .edits
                .files
                .values()
                .flatten()
                .map(|it| count(&it.text))
                .sum::<usize>();
            let edited = world.edited(&renamed.edits);
            let (after, _) = world.plan(&edited);
            let proof = renamed.prove(&tree, &before, &after);
            // Where the key of an instance is used, its value changes with it.
            let is_key = matches!(
                name.symbol.object,
                SymbolObject::ResourceKey(..) | SymbolObject::CallKey(..)
            );
            // A count that came or went inside of a module is lost with the address of the module: it is reported.
            let is_reported = matches!(name.symbol.object, SymbolObject::ModuleCall(_))
                && before.changes().any(|change| {
                    let is_inside = renamed.renamed(&tree, &change.addr) != change.addr;
                    is_inside && change.previous_addr.is_some()
                });
            let is_reported = is_reported || is_key && proof.errors.is_empty();
            if !proof.is_safe() && is_reported {
                reported += 1;
            } else if !proof.is_safe() {
                let object = name.symbol.object.described();
                let dir = &name.symbol.dir;
                wrong.push(format!(
                    "seed {seed}: {object} in {dir}: {proof}\n{}",
                    proof.details()
                ));
            }
        }
        fs::remove_dir_all(&world.folder).unwrap();
    }
    let count: usize = kinds.values().sum();
    let report = format!(
        "{count} renames: {kinds:?}, {moved_blocks} moved blocks; {refused} refused as former addresses or used as a whole, {reported} told to move less\n"
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (kind, of_kind) in kinds {
        let is_often = of_kind * 25 >= count;
        assert!(
            is_often || kind == "provider",
            "{kind}: {of_kind} of {count}"
        );
    }
}

/// Everything that is offered on a declaration, except for intended changes.
fn offers(modules: &Modules, name: &Name) -> Vec<RefactoringKind> {
    let offers = refactor::offers(modules, &name.file, name.range).into_iter();
    let mut kinds: Vec<RefactoringKind> = offers.map(|offer| offer.kind).collect();
    kinds.retain(|kind| *kind != RefactoringKind::Forget);
    if !matches!(
        name.symbol.object,
        SymbolObject::Resource(_) | SymbolObject::ModuleCall(_)
    ) {
        kinds.clear();
    }
    // One of many files.
    kinds.dedup_by_key(|kind| {
        matches!(kind, RefactoringKind::ToFile(_))
            .then_some(())
            .ok_or(format!("{kind:?}"))
    });
    kinds
}

fn offered(kind: &RefactoringKind) -> String {
    match kind {
        RefactoringKind::Rename(_) => "rename".to_owned(),
        RefactoringKind::IntoModule(None) => "into a new module".to_owned(),
        RefactoringKind::IntoModule(Some(_)) => "into a module".to_owned(),
        RefactoringKind::ToFile(_) => "to a file".to_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn random_refactorings() {
    const BATCHES: u64 = 5;
    const REFACTORINGS: usize = 60;
    let test = "random_refactorings";
    let cache = match support::cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut reported = 0;
    let mut wrong = Vec::new();
    let seeds = sample(FIRST_SEED + 200..FIRST_SEED + 200 + BATCHES, 2);
    let tried = seeds.len() * REFACTORINGS;
    for seed in seeds {
        let mut world = World::new(test, seed, &cache);
        let disk = world.disk.clone();
        let (before, tree) = world.plan(&disk);
        let modules = Modules::of([&*tree]);
        let mut left = REFACTORINGS;
        while left > 0 {
            let name = world.any_name(&modules);
            let kinds = offers(&modules, &name);
            if kinds.is_empty() {
                continue;
            }
            let kind = world.random.pick(&kinds).clone();
            left -= 1;
            let place = (&name.file, name.range);
            let made = match world.refactor((&before, &tree), place, &kind) {
                Ok(made) => made,
                Err(refusal) => {
                    let why = format!("{refusal:?}");
                    let why = why.split(['(', ' ']).next().unwrap_or_default();
                    *refused.entry(why.to_owned()).or_default() += 1;
                    continue;
                }
            };
            let edited = world.edited(&made.edits);
            let (after, _) = world.plan(&edited);
            let proof = made.prove(&tree, &before, &after);
            *done.entry(offered(&kind)).or_default() += 1;
            // An object that is in the way, or about to move by a count that came or went, may not come along. And the object
            // that was there at a new address is used.
            let is_left = |it: &Difference| match it.after {
                Some(after) => after == ChangeKind::NoOp,
                None => matches!(it.before, Some(ChangeKind::Delete | ChangeKind::Read)),
            };
            let is_pending = before.changes().any(|change| {
                let is_inside = made.renamed(&tree, &change.addr) != change.addr;
                is_inside && (change.previous_addr.is_some() || change.action == Action::Delete)
            });
            // An input may need a value that depends on the module that it goes to.
            // FIXME: moves into a module that is inlined may end where its resources go, too.
            let is_known_error =
                |it: &String| it.starts_with("Cycle:") || it == "Ambiguous move statements";
            let is_reported = match proof.errors.as_slice() {
                [] => is_pending || proof.differences.iter().all(is_left),
                errors => errors.iter().all(is_known_error),
            };
            if !proof.is_safe() && is_reported {
                reported += 1;
            } else if !proof.is_safe() {
                wrong.push(format!(
                    "seed {seed}: {} in {}: {proof}\n{}",
                    made.title,
                    name.symbol.dir,
                    proof.details()
                ));
            }
        }
        fs::remove_dir_all(&world.folder).unwrap();
    }
    let count: usize = done.values().sum();
    let report = format!(
        "{count} refactorings: {done:?}; refused: {refused:?}; {reported} told to change something\n"
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        count * 3 >= tried * 2 && reported <= count / 20,
        "{reported} of {count}"
    );
}

#[test]
fn renames_beside_terraform() {
    let rename = |_: &mut World, _: &Modules, _: &Name, left: usize| {
        Some(RefactoringKind::Rename(format!("renamed{left}")))
    };
    let seeds = FIRST_SEED + 100..FIRST_SEED + 105;
    beside_terraform("renames_beside_terraform", seeds, 20, rename);
}

#[test]
fn refactorings_beside_terraform() {
    let any = |world: &mut World, modules: &Modules, name: &Name, _: usize| {
        let kinds = offers(modules, name);
        (!kinds.is_empty()).then(|| world.random.pick(&kinds).clone())
    };
    let seeds = FIRST_SEED + 300..FIRST_SEED + 303;
    beside_terraform("refactorings_beside_terraform", seeds, 20, any);
}

/// Does the refactorings of `choose` on random names, many in one configuration, and compares the plans of terraform.
fn beside_terraform(
    test: &str,
    seeds: std::ops::Range<u64>,
    count: usize,
    choose: impl Fn(&mut World, &Modules, &Name, usize) -> Option<RefactoringKind>,
) {
    let cache = match support::cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    if program("terraform").is_none() {
        return skipped(test, "terraform is not on the PATH");
    }
    let mut wrong = Vec::new();
    let (mut done, mut objects) = (0, 0);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for seed in sample(seeds, 2) {
        let mut world = World::new(test, seed, &cache);
        let mut expected = actions(&terraform_plan(&world.folder, &cache));
        objects += expected.len();
        let mut left = count;
        while left > 0 {
            let disk = world.disk.clone();
            let (before, tree) = world.plan(&disk);
            let modules = Modules::of([&*tree]);
            let name = world.any_name(&modules);
            let Some(kind) = choose(&mut world, &modules, &name, left) else {
                continue;
            };
            let place = (&name.file, name.range);
            let Ok(renamed) = world.refactor((&before, &tree), place, &kind) else {
                continue;
            };
            // An unsafe one asks first.
            let edited = world.edited(&renamed.edits);
            let (after, _) = world.plan(&edited);
            if !renamed.prove(&tree, &before, &after).is_safe() {
                continue;
            }
            save(&world, &renamed.edits);
            let follow = |((addr, deposed), action): ((ResourceInstanceAddr, String), String)| {
                ((renamed.renamed(&tree, &addr), deposed), action)
            };
            expected = expected.into_iter().map(follow).collect();
            left -= 1;
            done += 1;
            *kinds.entry(offered(&kind)).or_default() += 1;
        }
        let after = actions(&terraform_plan(&world.folder, &cache));
        for object in expected.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            let (was, is) = (expected.get(object), after.get(object));
            if was != is {
                wrong.push(format!(
                    "seed {seed}: {}{}: {was:?} became {is:?}",
                    object.0, object.1
                ));
            }
        }
        if wrong.is_empty() {
            fs::remove_dir_all(&world.folder).unwrap();
        }
    }
    let report = format!("{done} done: {kinds:?}, {objects} objects planned by terraform\n");
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn save(world: &World, edits: &Edits) {
    let texts = edits.files.keys().map(|file: &FileId| {
        let before = fs::read_to_string(file.path()).unwrap();
        (file.path().to_owned(), edits.applied(file, &before))
    });
    for (path, text) in texts.collect::<Vec<_>>() {
        fs::write(path, text).unwrap();
    }
    for (file, text) in &edits.created {
        assert!(Path::new(file.path()).starts_with(&world.folder));
        fs::create_dir_all(Path::new(file.path()).parent().unwrap()).unwrap();
        fs::write(file.path(), text).unwrap();
    }
}

fn terraform_plan(folder: &Path, cache: &Path) -> Value {
    let run = |arguments: &[&str]| {
        let output = command("terraform", folder)
            .args(arguments)
            .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            printed(&output)
        );
        output.stdout
    };
    run(&["get"]);
    run(&[
        "plan",
        "-refresh=false",
        "-input=false",
        "-no-color",
        "-out=live.plan",
    ]);
    serde_json::from_slice(&run(&["show", "-json", "live.plan"])).unwrap()
}

/// The actions on each object, by its address and the key of a deposed one.
fn actions(plan: &Value) -> BTreeMap<(ResourceInstanceAddr, String), String> {
    let changes = plan["resource_changes"].as_array().into_iter().flatten();
    changes
        .map(|change| {
            let addr = change["address"].as_str().unwrap().parse().unwrap();
            let deposed = change["deposed"].as_str().unwrap_or_default().to_owned();
            ((addr, deposed), change["change"]["actions"].to_string())
        })
        .collect()
}
