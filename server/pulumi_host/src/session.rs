//! An open project: the inputs of its plan, and kept results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{Limit, Stamp};
use ide::{PlanTrigger, Snapshot};
use process::Variables;
use pulumi::ask::ReadPermission;
use pulumi::config::Config;
use pulumi::engine::drift::Refreshed;
use pulumi::engine::{Inputs, Memo, PlanOptions};
use pulumi::lock::Locks;
use pulumi::plan::Plan;
use pulumi::program::Program;
use pulumi::project::{Project, ProjectError, passphrase};
use pulumi::release::Release;
use pulumi::secrets::Keys;
use pulumi::state::State;
use pulumi::urn::StackName;
use pulumi_provider::{Environment, Installed, Process, command};
use text::FileId;

use crate::gate::Trust;
use crate::language::{self, FilePurpose, YamlFile, project_of, text_too_long};

/// Plugins that a project names itself: the package, its version and where it is.
type Named = Vec<(String, Option<String>, PathBuf)>;

/// A project, from plan to plan.
pub(crate) struct Session {
    dir: PathBuf,
    variables: Variables,
    trust: Arc<Trust>,
    plugins: Option<(Named, Installed)>,
    memo: Memo<Process>,
    program: Program,
    keys: Arc<Keys>,
    state: Option<(PathBuf, Option<Stamp>, Arc<State>)>,
    /// The output of `pulumi stack export` for a stack without a state file.
    exported: Option<(String, Result<Arc<State>, String>)>,
    config: Option<(String, String, Config)>,
    /// The release of the engine, once a program depends on it.
    engine: Option<Option<Release>>,
    /// Files that were looked up on the disk, as of some change there.
    looked_up: Option<(u64, PathBuf, LookedUp)>,
    /// Whether the texts on the disk were planned.
    has_planned: bool,
    /// Whether objects are read as soon as they may be.
    wants_objects: bool,
    /// The state of the last plan, as it is stored.
    stored: Option<Arc<State>>,
    /// A stored state, and the objects that were read since.
    refreshed: Option<(Arc<State>, Arc<Refreshed>)>,
}

#[derive(Clone)]
struct LookedUp {
    /// Packages whose plugins are installed.
    installed: Vec<String>,
    /// The lock files, or why they are refused.
    locks: Result<Arc<Locks>, String>,
}

/// The inputs of a plan of a project, and its result.
pub(crate) struct PlannedProject {
    pub project: Project,
    pub stack: String,
    /// Otherwise the name of the stack is made up, and its configuration and resources are unknown.
    pub is_stack_selected: bool,
    /// All stacks that are known on this machine.
    pub stacks: Vec<String>,
    pub program: Program,
    pub plan: Arc<Plan>,
    /// Why the existing resources are not known.
    pub unread: Option<String>,
    pub schemas: Vec<Arc<pulumi::schema::Schema>>,
    pub installed: Vec<String>,
    pub refreshed: Arc<Refreshed>,
}

/// A project that is not planned, and why.
pub(crate) struct Unplannable {
    pub project: Project,
    pub why: String,
    /// Whether the program is read once the user trusts the folder.
    pub reads_outside: bool,
}

impl Unplannable {
    fn new(project: Project, why: String) -> Unplannable {
        Unplannable {
            project,
            why,
            reads_outside: false,
        }
    }
}

/// Whether a folder is outside of another one, links followed.
fn leads_out(dir: &Path, of: &Path) -> bool {
    match (disk::real(dir), disk::real(of)) {
        (Ok(dir), Ok(of)) => !dir.starts_with(of),
        _ => !dir.starts_with(of),
    }
}

/// The texts of a project.
struct Texts<'a> {
    /// `None`: those on the disk alone.
    snapshot: Option<&'a Snapshot>,
}

impl Texts<'_> {
    fn text(&self, path: &Path) -> Option<String> {
        let file = FileId::new(path.to_string_lossy());
        let open = self.snapshot.and_then(|it| it.file(&file));
        match open {
            Some(source) => Some(source.document().text()),
            None => disk::read_text(path, Limit::CONFIGURATION).ok(),
        }
    }

    fn parsed(&self, path: &Path) -> Option<yaml::File> {
        let file = FileId::new(path.to_string_lossy());
        let open = self.snapshot.and_then(|it| it.file(&file));
        match open.and_then(|source| YamlFile::of(source.parsed())) {
            Some(yaml) => Some(yaml.file.clone()),
            None => Some(language::read(&self.text(path)?)),
        }
    }
}

impl Session {
    pub(crate) fn new(dir: PathBuf, variables: Variables) -> Session {
        let text = |name: &str| variables.text(name).map(str::to_owned);
        let keys = Arc::new(Keys::new(passphrase(&text)));
        Session {
            dir,
            variables,
            trust: Arc::default(),
            plugins: None,
            memo: Memo::default(),
            program: Program::default(),
            keys,
            state: None,
            exported: None,
            config: None,
            engine: None,
            looked_up: None,
            has_planned: false,
            wants_objects: false,
            stored: None,
            refreshed: None,
        }
    }

    pub(crate) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// The project as the editor has it.
    fn project(&self, texts: &Texts<'_>) -> Option<Project> {
        let path = Project::find(&self.dir)?;
        let file = texts.parsed(&path)?;
        Some(Project::read(&self.dir, path, &file))
    }

    /// Plans the project with the texts of the editor. `None`: the project no longer exists.
    pub(crate) async fn plan(
        &mut self,
        snapshot: &Snapshot,
        reason: PlanTrigger,
    ) -> Option<Result<PlannedProject, Unplannable>> {
        self.trust.take(snapshot, &self.dir);
        if snapshot.settings().state.allows(reason) && snapshot.trusts(&self.dir) {
            self.export(snapshot).await;
        }
        let is_saved = is_saved(snapshot, &self.dir);
        if !is_saved && !self.has_planned {
            // Providers are configured only with saved text, so that is planned first.
            self.planned(snapshot, &Texts { snapshot: None }, true)
                .await;
            self.has_planned = true;
        }
        let texts = Texts {
            snapshot: Some(snapshot),
        };
        let planned = self.planned(snapshot, &texts, is_saved).await;
        self.has_planned |= is_saved;
        let may_read = is_saved && snapshot.trusts(&self.dir);
        if may_read && self.wants_objects && matches!(planned, Some(Ok(_))) {
            self.refresh().await;
            return self.planned(snapshot, &texts, is_saved).await;
        }
        planned
    }

    /// Takes in the reason of a plan. Answers whether objects wait to be read.
    pub(crate) fn wish(&mut self, snapshot: &Snapshot, reason: PlanTrigger) -> bool {
        self.wants_objects |= snapshot.settings().refresh.allows(reason);
        self.wants_objects && snapshot.trusts(&self.dir) && is_saved(snapshot, &self.dir)
    }

    /// Reads the objects of the stored state, with the plugins of the last plan.
    async fn refresh(&mut self) {
        self.wants_objects = false;
        let Some(stored) = self.stored.clone() else {
            return;
        };
        let world = ReadPermission::of_a_command();
        let refreshed = self.memo.refreshed(&stored, world).await;
        self.refreshed = Some((stored, Arc::new(refreshed)));
    }

    /// The state with the objects that were read, if any were.
    fn by_now(&self, stored: &Arc<State>) -> Arc<Refreshed> {
        let known = self.refreshed.as_ref();
        match known.filter(|(of, _)| Arc::ptr_eq(of, stored)) {
            Some((_, refreshed)) => refreshed.clone(),
            None => Arc::new(Refreshed {
                state: stored.clone(),
                ..Refreshed::default()
            }),
        }
    }

    async fn planned(
        &mut self,
        snapshot: &Snapshot,
        texts: &Texts<'_>,
        is_saved: bool,
    ) -> Option<Result<PlannedProject, Unplannable>> {
        let project = self.project(texts)?;
        if let Err(error) = project.plannable() {
            let why = error.to_string();
            return Some(Err(Unplannable::new(project, why)));
        }
        // Its functions read the files beside the program.
        if !snapshot.trusts(&self.dir) && leads_out(&project.program_dir(), &self.dir) {
            let why = "`main` leads out of the project's folder. planlens reads that program only if you trust this folder.";
            return Some(Err(Unplannable {
                reads_outside: true,
                ..Unplannable::new(project, why.to_owned())
            }));
        }
        let variables = self.variables.clone();
        let variables = |name: &str| variables.text(name).map(str::to_owned);
        let given = snapshot.given(&self.dir);
        let selected = project.stack(given.workspace.as_deref(), &variables);
        let (mut is_selected, mut unread) = (true, None);
        let stacks = project.stacks(&variables);
        let (stack, organization) = match (selected, stacks.as_slice()) {
            (Some(found), _) => found,
            // Of one there is no choice.
            (None, [only]) => (only.clone(), "organization".to_owned()),
            (None, _) => {
                is_selected = false;
                unread = Some(NO_STACK.to_owned());
                ("dev".to_owned(), "organization".to_owned())
            }
        };
        let (state, unread) = match (given.state_path, unread) {
            (Some(path), unread) => self.state_of(&project, &path, unread),
            (None, Some(why)) => (self.no_state(), Some(why)),
            (None, None) => self.backend_state(&project, &stack, &variables),
        };
        let stored = self.stored.insert(state).clone();
        let refreshed = self.by_now(&stored);
        let config = self.config(&project, &stack, texts);
        let program_path = project.program_path();
        let id = FileId::new(program_path.to_string_lossy());
        let file = texts.parsed(&program_path)?;
        self.program = self.program.edited(&id, &file);
        let release = match self.program.depends_on_release() {
            true => self.engine().await,
            false => None,
        };
        let environment = Environment {
            variables: self.variables.clone(),
            dir: project.program_dir(),
            named: project.plugins.clone(),
        };
        let LookedUp { installed, locks } = self.look_up(snapshot, &environment);
        let locks = match locks {
            Ok(locks) => locks,
            Err(why) => return Some(Err(Unplannable::new(project, why))),
        };
        let inputs = Inputs {
            locks,
            stacks: project.other_stacks(&self.keys, &variables),
            program: self.program.clone(),
            config,
            state: refreshed.state.clone(),
            stack: StackName {
                stack: stack.clone(),
                project: project.name.clone(),
            },
            organization,
            dir: project.program_dir(),
            root_dir: self.dir.clone(),
            options: PlanOptions {
                release,
                reads_everywhere: snapshot.trusts(&self.dir),
                ..PlanOptions::default()
            },
            is_saved,
            may_have_policies: project.may_have_policies(&variables),
        };
        if self
            .plugins
            .as_ref()
            .is_none_or(|(named, _)| *named != project.plugins)
        {
            let plugins = Installed::behind(environment, self.trust.clone());
            self.plugins = Some((project.plugins.clone(), plugins));
        }
        let (_, plugins) = self.plugins.as_ref()?;
        let plan = Arc::new(self.memo.plan(&inputs, plugins).await);
        Some(Ok(PlannedProject {
            stack,
            is_stack_selected: is_selected,
            stacks,
            program: inputs.program,
            plan,
            unread,
            schemas: self.memo.schemas().map(|(_, it)| it.clone()).collect(),
            installed,
            project,
            refreshed,
        }))
    }

    /// Everything that changes with files that no editor has open.
    fn look_up(&mut self, snapshot: &Snapshot, environment: &Environment) -> LookedUp {
        let now = (snapshot.changes_on_disk(), &environment.dir);
        if let Some((changes, dir, known)) = &self.looked_up
            && (*changes, dir) == now
        {
            return known.clone();
        }
        let found = LookedUp {
            installed: environment.installed(),
            locks: Locks::find(&environment.dir).map(Arc::new),
        };
        self.looked_up = Some((now.0, now.1.clone(), found.clone()));
        found
    }

    /// Reads the state of a stack that is in no file.
    async fn export(&mut self, snapshot: &Snapshot) {
        let texts = Texts {
            snapshot: Some(snapshot),
        };
        let Some(project) = self.project(&texts) else {
            return;
        };
        let variables = self.variables.clone();
        let text = |name: &str| variables.text(name).map(str::to_owned);
        let given = snapshot.given(&self.dir).workspace;
        let Some((stack, _)) = project.stack(given.as_deref(), &text) else {
            return;
        };
        if !matches!(
            project.state_file(&stack, &text),
            Err(ProjectError::Backend(_))
        ) {
            return;
        }
        let qualified = given.unwrap_or_else(|| stack.clone());
        let dir = self.dir.clone();
        let asked =
            tokio::task::spawn_blocking(move || command::export(&dir, &qualified, &variables));
        let text = asked.await.unwrap_or_else(|error| Err(error.to_string()));
        let state = text.and_then(|text| {
            let state = State::read(text.as_bytes(), &self.keys);
            state.map(Arc::new).map_err(|error| error.to_string())
        });
        self.exported = Some((stack, state));
    }

    async fn engine(&mut self) -> Option<Release> {
        if let Some(known) = self.engine {
            return known;
        }
        let (dir, variables) = (self.dir.clone(), self.variables.clone());
        let asked = tokio::task::spawn_blocking(move || command::version(&dir, &variables));
        let version = asked.await.ok().flatten();
        self.engine = Some(version);
        version
    }

    /// The state in a file, or why it cannot be read.
    fn state_of(
        &mut self,
        project: &Project,
        path: &Path,
        unread: Option<String>,
    ) -> (Arc<State>, Option<String>) {
        match self.state(project, path) {
            Ok(state) => (state, unread),
            Err(why) => (self.no_state(), Some(why)),
        }
    }

    /// The state that the backend has of a stack, or why it is not known.
    fn backend_state(
        &mut self,
        project: &Project,
        stack: &str,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> (Arc<State>, Option<String>) {
        let unread = match project.state_file(stack, variables) {
            Ok(path) => return self.state_of(project, &path, None),
            Err(error) => error,
        };
        let why = match self.exported.as_ref().filter(|(of, _)| of == stack) {
            Some((_, Ok(state))) => return (state.clone(), None),
            Some((_, Err(why))) => {
                format!("{unread}, and `pulumi stack export` could not read it: {why}")
            }
            None if matches!(unread, ProjectError::Backend(_)) => format!(
                "{unread}. In a trusted workspace, the command Replan reads it with `pulumi stack export`"
            ),
            None => unread.to_string(),
        };
        (self.no_state(), Some(why))
    }

    fn no_state(&mut self) -> Arc<State> {
        let none = PathBuf::new();
        match &self.state {
            Some((path, None, state)) if *path == none => state.clone(),
            _ => {
                let state = Arc::default();
                self.state = Some((none, None, Arc::clone(&state)));
                state
            }
        }
    }

    /// The state in a file, which is read again when the file changes.
    fn state(&mut self, project: &Project, path: &Path) -> Result<Arc<State>, String> {
        let stamp = Stamp::of(path).ok();
        if let Some((known, known_stamp, state)) = &self.state
            && (known.as_path(), known_stamp) == (path, &stamp)
        {
            return Ok(state.clone());
        }
        let state = match stamp {
            Some(_) => project
                .state(path, &self.keys)
                .map_err(|it| it.to_string())?,
            None => State::default(),
        };
        let state = Arc::new(state);
        self.state = Some((path.to_owned(), stamp, state.clone()));
        Ok(state)
    }

    fn config(&mut self, project: &Project, stack: &str, texts: &Texts<'_>) -> Config {
        let path = project.config_path(stack);
        let text = path.and_then(|path| texts.text(&path)).unwrap_or_default();
        let config = match &self.config {
            Some((known, of, config)) if (known, of) == (&text, &project.name) => config.clone(),
            _ => {
                let config = match text_too_long(&text) {
                    Some(why) => Config::unread(why),
                    None => Config::read(&text, &project.name, &self.keys),
                };
                self.config = Some((text, project.name.clone(), config.clone()));
                config
            }
        };
        project.configured(config, stack)
    }
}

const NO_STACK: &str = "no stack is selected: choose one with the command Set Environment, or with `pulumi stack select`";

/// Whether the texts of the editor are saved.
fn is_saved(snapshot: &Snapshot, dir: &Path) -> bool {
    let own = snapshot.files().filter(|(file, _)| {
        FilePurpose::of(file).is_some() && project_of(file, &Path::is_file).as_deref() == Some(dir)
    });
    let mut own = own;
    own.all(|(file, source)| {
        let saved = disk::read_text(Path::new(file.path()), Limit::CONFIGURATION);
        saved.is_ok_and(|saved| source.document().has_text(&saved))
    })
}
