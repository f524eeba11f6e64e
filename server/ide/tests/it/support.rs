//! A workspace in memory: a fixture, loaded, checked and planned.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use config::{Files, ModuleAddr, ProviderAddr};
use fixture::Fixture;
use ide::{
    Checked, ChecksCache, Effect, FactInputs, FactsCache, Folders, ModuleContext, PlanTrigger,
    PlanUpdate, Shown, Snapshot, Workspace,
};
use plan::{LanguageChoice, Plan, PlanningRequest, Root, Surroundings};
use refactor::Edits;
use schema::ProviderSchema;
use text::{Document, FileId, Severity, TextRange};

/// Where the files of a fixture are.
const DIR: &str = "/code";

/// The files of a fixture, by absolute path.
#[derive(Clone, Default)]
pub struct Memory(pub BTreeMap<String, String>);

impl Files for Memory {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let prefix = format!("{}/", dir.replace("/./", "/").trim_end_matches('/'));
        let below = self.0.keys().filter_map(|path| path.strip_prefix(&prefix));
        let below: Vec<&str> = below.collect();
        match below.is_empty() {
            true => Err(io::ErrorKind::NotFound.into()),
            false => Ok(below
                .iter()
                .filter(|it| !it.contains('/'))
                .map(|it| it.to_string())
                .collect()),
        }
    }

    fn folders(&self, dir: &str) -> io::Result<Vec<String>> {
        // As the disk reads `a/./../b`.
        let mut parts: Vec<&str> = Vec::new();
        for part in dir.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                name => parts.push(name),
            }
        }
        let prefix = format!("/{}/", parts.join("/"));
        let below = self.0.keys().filter_map(|path| path.strip_prefix(&prefix));
        let folders = below.filter_map(|path| Some(path.split_once('/')?.0.to_owned()));
        let folders: std::collections::BTreeSet<String> = folders.collect();
        Ok(folders.into_iter().collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        let text = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(text.as_str().into())
    }
}

/// A fixture that an editor has open.
pub struct Opened {
    pub files: Memory,
    pub open: FileId,
    /// Where the fixture's cursor is, or else the whole file.
    pub range: TextRange,
    pub snapshot: Snapshot,
}

impl Opened {
    /// Opens the file with the cursor, or the first; checks and plans.
    pub fn new(text: &str) -> Opened {
        let fixture = Fixture::parse(text);
        let path = |path: &str| format!("{DIR}{path}");
        let files = fixture
            .files
            .iter()
            .map(|file| (path(&file.path), file.text.clone()));
        let files = Memory(files.collect());
        let (file, offset) = match fixture.cursor {
            Some((file, offset)) => (file, Some(offset)),
            None => (0, None),
        };
        let open = FileId::new(path(&fixture.files[file].path));
        let whole = TextRange::up_to(text::TextSize::of(fixture.files[file].text.as_str()));
        let range = offset.map_or(whole, TextRange::empty);
        let snapshot = opened(&files, &open, true);
        Opened {
            files,
            open,
            range,
            snapshot,
        }
    }

    /// The same with other settings.
    pub fn with_settings(self, choose: impl Fn(&mut ide::Settings)) -> Opened {
        let mut settings = self.snapshot.settings().clone();
        choose(&mut settings);
        let snapshot = planned(&self.files, &self.open, true, settings, Default::default());
        Opened { snapshot, ..self }
    }

    /// The same on a machine that has packages of a provider.
    pub fn with_local_provider(self, addr: &str, versions: &[&str]) -> Opened {
        let versions = versions.iter().map(ToString::to_string).collect();
        let local = ide::LocalProviders::from([(addr.parse().unwrap(), versions)]);
        let settings = self.snapshot.settings().clone();
        let snapshot = planned(&self.files, &self.open, true, settings, Arc::new(local));
        Opened { snapshot, ..self }
    }

    pub fn diagnostics(&self) -> Vec<Shown> {
        self.snapshot.diagnostics(&self.open)
    }

    /// One line for each: where, how loud, which and what.
    pub fn shown(&self) -> String {
        let text = &self.files.0[self.open.path()];
        let lines = self.diagnostics().into_iter().map(|it| {
            let before = &text[..usize::from(it.range.start())];
            let line = before.matches('\n').count() + 1;
            let severity = match it.diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "info",
                Severity::Hint => "hint",
            };
            let at = text[std::ops::Range::from(it.range)].replace('\n', "⏎");
            format!(
                "{line} `{at}` {severity} {}: {}\n",
                it.diagnostic.code,
                it.message().replace('\n', "⏎")
            )
        });
        lines.collect()
    }

    /// The files after an action, by the title of that.
    pub fn done(&self, title: &str) -> Memory {
        let actions = self
            .snapshot
            .actions(&self.open, self.range, &self.files, &|_| true);
        let titles: Vec<&str> = actions.iter().map(|it| it.title.as_str()).collect();
        let action = actions.iter().find(|it| it.title == title);
        let action = action.unwrap_or_else(|| panic!("no {title:?} among {titles:#?}"));
        let edit = match &action.effect {
            Effect::Edit(edit) => edit.clone(),
            Effect::Later => self
                .snapshot
                .resolve_action(&self.open, action.kind)
                .unwrap(),
            Effect::Command(..)
            | Effect::Environment(_)
            | Effect::Setting(..)
            | Effect::Refactoring(_) => panic!("{title} is made elsewhere"),
        };
        self.files.edited(&edit)
    }
}

impl Memory {
    fn edited(&self, edits: &Edits) -> Memory {
        let mut files = self.clone();
        for file in edits.files.keys() {
            let text = files.0.entry(file.path().to_owned()).or_default();
            *text = edits.applied(file, text);
        }
        for (file, text) in &edits.created {
            files.0.insert(file.path().to_owned(), text.clone());
        }
        files
    }

    /// The files that differ from `before`, with their paths if it is not only `open`.
    pub fn changed(&self, before: &Memory, open: &FileId) -> String {
        let changed: Vec<_> = self
            .0
            .iter()
            .filter(|(path, text)| before.0.get(*path) != Some(text))
            .collect();
        match changed.as_slice() {
            [(path, text)] if *path == open.path() => (*text).clone(),
            several => several
                .iter()
                .map(|(path, text)| format!("#- {}\n{text}", &path[DIR.len()..]))
                .collect(),
        }
    }
}

/// A workspace with these files on disk, of which one is open.
pub fn opened(files: &Memory, open: &FileId, is_planned: bool) -> Snapshot {
    planned(files, open, is_planned, settings(), Default::default())
}

/// Lenses tell the action of each block.
fn settings() -> ide::Settings {
    let mut settings = ide::Settings::default();
    settings.actions.show = ide::ShownActions::All;
    settings.actions.place = ide::ActionPlace::Lens;
    settings
}

fn planned(
    files: &Memory,
    open: &FileId,
    is_planned: bool,
    settings: ide::Settings,
    local: Arc<ide::LocalProviders>,
) -> Snapshot {
    let mut workspace = Workspace::default();
    workspace.set_settings(settings);
    let text = &files.0[open.path()];
    workspace.set_document(open.clone(), Document::new(1, text));
    let job = workspace.plan_job().unwrap();
    assert_eq!(job.reason, PlanTrigger::Edit);
    let mut root = new_root();
    root.load(files, &PlanningRequest::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let mut plan = runtime.unwrap().block_on(root.plan(&mut |_| {}));
    for (addr, schema) in schemas() {
        plan.schemas.insert(addr, schema);
    }
    let tree = root.tree().unwrap().clone();
    let variable_files: Vec<(FileId, syntax::File)> = match open.name().contains(".tfvars") {
        true => vec![(open.clone(), config::parse_file(open.path(), text))],
        false => Vec::new(),
    };
    let checked = Checked {
        tree: &tree,
        problems: &root.problems(),
        schemas: &plan.schemas,
        substitutes: &Default::default(),
        functions: root.functions(),
        open: std::slice::from_ref(open),
        variable_files: &variable_files,
    };
    let checks = Arc::new(ide::check(&checked, &mut ChecksCache::default()));
    let settings = job.snapshot.settings().clone();
    let plan = Arc::new(plan);
    let root_addr = ModuleAddr::root();
    let planned = FactInputs {
        plan: &plan,
        module: tree.root(),
        settings: &settings,
        tree: Some((&tree, &root_addr)),
    };
    let mut facts = ide::Facts::new();
    for instances in ide::facts_of_called(&plan, &tree, &settings, |_| true).into_values() {
        let named = instances.iter().map(|it| (it.instance.clone(), &it.facts));
        facts.extend(ide::merged(&named.collect::<Vec<_>>()));
    }
    for (file, of_file) in ide::facts(&planned, &mut FactsCache::default()) {
        facts.entry(file).or_default().join(of_file);
    }
    workspace.apply_plan(PlanUpdate {
        revision: job.snapshot.revision(),
        facts: if is_planned {
            facts
        } else {
            Default::default()
        },
        known: known(&tree, &plan, &local),
        checks: BTreeMap::from([(DIR.into(), checks)]),
        declared: Default::default(),
        root: None,
        is_complete: true,
    });
    workspace.snapshot()
}

/// The variables that have no value, as the host tells them.
fn unset(module: &config::Module, plan: &Plan) -> Vec<smol_str::SmolStr> {
    let names = module.variables.keys();
    names.filter(|name| plan.is_unset(name)).cloned().collect()
}

fn known(tree: &config::ModuleTree, plan: &Arc<Plan>, local: &Arc<ide::LocalProviders>) -> Folders {
    let modules = tree.iter().map(|(_, module)| {
        let known = ModuleContext {
            module: module.module.clone(),
            plan: plan.clone().into(),
            local_providers: local.clone(),
            unset: unset(&module.module, plan),
            ..ModuleContext::default()
        };
        let known: Arc<dyn ide::Folder> = Arc::new(known);
        (Path::new(module.dir.as_str()).to_owned(), known)
    });
    modules.collect()
}

/// Of a provider of ours, `fake`, that nobody can start.
/// A root module of which nothing is read yet.
pub fn new_root() -> Root {
    Root::new(Surroundings {
        dir: DIR.into(),
        cwd: DIR.into(),
        variables: Default::default(),
        options: Vec::new(),
        state: None,
        plan_timestamp: None,
        cache_dir: None,
        is_trusted: false,
        approved: plan::Approved::Nothing,
        language: LanguageChoice::default(),
    })
}

fn schemas() -> BTreeMap<ProviderAddr, Arc<ProviderSchema>> {
    let json = include_str!("fake-schema.json");
    let schemas = schema::provider_schemas_from_json(json).unwrap();
    let (_, mut schema) = schemas.into_iter().next().unwrap();
    // The document doesn't tell the messages that the protocol has.
    let mut thing = schema::Block::clone(&schema.resources["fake_thing"].block);
    for (name, message) in [
        ("title", "use name instead"),
        ("capacity", "Use `size` instead."),
    ] {
        thing.attributes.get_mut(name).unwrap().deprecation_message = message.into();
    }
    let thing = Arc::new(schema::Schema::new(0, thing));
    schema.resources.insert("fake_thing".into(), thing);
    BTreeMap::from([(ProviderAddr::implied("fake"), Arc::new(schema))])
}
