//! The root modules that are open, each with its engine and its plugins.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};

use config::{Profile, ProviderAddr};
use ide::{
    ChecksCache, FactsCache, LocalProviders, Revision, RootInputs, Snapshot, Substitutes, WhatIf,
};
use plan::{Approved, LanguageChoice, Options, Plan, Root, Substitute, TestPlanner, VarOption};
use text::FileId;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::called::ShownInputs;
use super::callers::RootModules;
use super::{PlannerConfig, Shared};
use crate::editor_inputs;
use crate::opening;
use crate::world::{WorldReads, supposed};

/// How many are kept that no open file needs, so that it is fast to go back to one.
const IDLE: usize = 4;

/// The root modules in which the programs on the PATH are asked at the same time.
static ASKING: Semaphore = Semaphore::const_new(1);

#[derive(Default)]
pub(super) struct Roots(HashMap<PathBuf, KeptRoot>);

struct KeptRoot {
    /// Its inputs when it was opened.
    given: RootInputs,
    root: SharedRoot,
    /// When it was last asked for.
    asked: Revision,
}

pub(super) type SharedRoot = Arc<tokio::sync::Mutex<OpenRoot>>;

pub(super) struct OpenRoot {
    pub(super) root: Root,
    /// Once they were looked for.
    pub(super) local_providers: Option<Arc<LocalProviders>>,
    /// Stand-ins for the schemas of providers that are not installed, and those of them that are of the locked version.
    pub(super) substitutes: Arc<Substitutes>,
    pub(super) locked_substitutes: Substitutes,
    /// Whether a plan of it was ever completed: until then providers may have to start.
    pub(super) is_warm: bool,
    /// Whether its saved text was planned to the end. Then its providers have their configuration.
    pub(super) is_configured: bool,
    pub(super) is_trusted: bool,
    /// The programs on the PATH, once they were asked.
    pub(super) installed: Option<Vec<Profile>>,
    pub(super) asking: Option<JoinHandle<Vec<Profile>>>,
    pub(super) facts: FactsCache,
    pub(super) checks: ChecksCache,
    /// The last plan.
    pub(super) plan: Arc<Plan>,
    pub(super) world: WorldReads,
    pub(super) environment: Option<String>,
    /// Where it is planned for modules alone that it calls, as one of several: their folders.
    pub(super) shown_modules: Option<BTreeSet<String>>,
    /// The open files that test it.
    pub(super) testers: BTreeMap<FileId, TestPlanner>,
}

impl Shared {
    pub(super) fn kept_roots(&self) -> MutexGuard<'_, Roots> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A root module. One that is given something else is another: nothing that was read or started for it counts.
    pub(super) fn root(&self, dir: &Path, snapshot: &Snapshot) -> SharedRoot {
        let given = snapshot.given(dir);
        let asked = snapshot.revision();
        let mut roots = self.kept_roots();
        if let Some(kept) = roots.0.get_mut(dir)
            && kept.given == given
        {
            kept.asked = kept.asked.max(asked);
            return kept.root.clone();
        }
        if let Some(cache_dir) = &self.config.cache_dir
            && let Err(error) = editor_inputs::note(cache_dir, dir, &given)
        {
            tracing::warn!(%error, "what is given to a root module is not noted");
        }
        let root = self.new_root(dir, snapshot);
        let root = Arc::new(tokio::sync::Mutex::new(root));
        let kept = KeptRoot {
            given,
            root: root.clone(),
            asked,
        };
        roots.0.insert(dir.to_owned(), kept);
        root
    }

    /// A root module that is kept nowhere.
    pub(super) fn new_root(&self, dir: &Path, snapshot: &Snapshot) -> OpenRoot {
        let given = snapshot.given(dir);
        let is_trusted = snapshot.trusts(dir);
        let approved = snapshot.approved().clone();
        let mut root = OpenRoot::new(&self.config, dir, &given, is_trusted, approved);
        root.root.share_processes(self.process_limit.clone());
        root
    }
}

impl Roots {
    pub(super) fn opened(&self, dir: &Path) -> Option<SharedRoot> {
        Some(self.0.get(dir)?.root.clone())
    }

    /// Forgets one that may be half done.
    pub(super) fn abandon(&mut self, dir: &Path) {
        self.0.remove(dir);
    }

    /// Forgets those that no open file needs any more, but for the last few, with their plugins.
    pub(super) fn forget(&mut self, modules: &RootModules) {
        let is_idle = |dir: &Path| !modules.planned.contains_key(dir);
        let idle = self.0.iter().filter(|(dir, _)| is_idle(dir));
        let mut asked: Vec<Revision> = idle.map(|(_, kept)| kept.asked).collect();
        asked.sort_by(|a, b| b.cmp(a));
        if let Some(last) = asked.get(IDLE).copied() {
            self.0
                .retain(|dir, kept| !is_idle(dir) || kept.asked > last);
        }
    }
}

impl OpenRoot {
    fn new(
        config: &PlannerConfig,
        dir: &Path,
        given: &RootInputs,
        is_trusted: bool,
        approved: Approved,
    ) -> OpenRoot {
        let mut variables = config.variables.clone();
        variables.extend(given.env.clone());
        let workspace = given.workspace.clone();
        variables.extend(workspace.map(|it| ("TF_WORKSPACE", it)));
        let files = given.var_files.iter();
        let files = files.map(|path| VarOption::File(path.to_string_lossy().into_owned()));
        let values = given.variables.iter().map(|(name, value)| VarOption::Var {
            name: name.clone(),
            value: value.clone(),
        });
        let config = PlannerConfig {
            variables,
            ..config.clone()
        };
        let given_to_it = opening::RootOptions {
            options: files.chain(values).collect(),
            state: given.state_path.clone(),
            language: LanguageChoice::default(),
            is_trusted,
            approved,
        };
        let mut root = Root::new(opening::surroundings(&config, dir, given_to_it));
        let world = WorldReads::default();
        root.keep_reads(world.reads.clone());
        OpenRoot {
            root,
            local_providers: None,
            substitutes: Arc::default(),
            locked_substitutes: Substitutes::new(),
            is_warm: false,
            is_configured: false,
            is_trusted,
            installed: None,
            asking: None,
            facts: FactsCache::default(),
            checks: ChecksCache::default(),
            plan: Arc::default(),
            world,
            environment: given.environment.clone(),
            shown_modules: None,
            testers: BTreeMap::new(),
        }
    }

    pub(super) fn options(&self, what_if: &WhatIf) -> Arc<Options> {
        let shown_modules = self.shown_modules.clone();
        self.world.options(what_if, shown_modules)
    }

    pub(super) fn find_substitutes(&mut self) {
        let found = self.root.substitutes(&self.plan.schemas);
        let schema = |(addr, it): (&ProviderAddr, &Substitute)| (addr.clone(), it.schema.clone());
        let locked = found.iter().filter(|(_, it)| it.is_locked_version);
        self.locked_substitutes = locked.map(schema).collect();
        self.substitutes = Arc::new(found.iter().map(schema).collect());
    }

    pub(super) fn made_from(&mut self, snapshot: &Snapshot) -> ShownInputs {
        let packages = || Arc::new(self.root.packages());
        let local_providers = self.local_providers.get_or_insert_with(packages).clone();
        let location = self.root.state_location();
        ShownInputs {
            local_providers,
            substitutes: self.substitutes.clone(),
            read: self.world.ages(),
            removed: self.facts.removed(),
            numbers: None,
            what_if: supposed(snapshot.what_if()),
            environment: self.environment.clone(),
            workspace: location.map_or_else(String::new, |it| it.workspace().to_string()),
        }
    }

    /// From now on the trust of the snapshot counts.
    pub(super) fn take_trust(&mut self, dir: &Path, snapshot: &Snapshot) {
        self.is_trusted = snapshot.trusts(dir);
        let approved = snapshot.approved().clone();
        if self.root.set_trust(self.is_trusted, approved) {
            self.is_warm = false;
            self.is_configured = false;
        }
    }

    /// Asks the programs on the PATH for their versions: once, and only in a trusted workspace, whose files may choose the program. Answers
    /// whether it was asked now.
    pub(super) fn ask_programs(&mut self, dir: &Path) -> bool {
        if !self.is_trusted || self.installed.is_some() || self.asking.is_some() {
            return false;
        }
        let (dir, variables) = (dir.to_owned(), self.root.variables().clone());
        self.asking = Some(tokio::spawn(async move {
            // Many at a time would hold up the root module that is shown first.
            let _turn = ASKING.acquire().await;
            let ask = move || opening::installed(&dir, &variables);
            tokio::task::spawn_blocking(ask).await.unwrap_or_default()
        }));
        true
    }

    /// The programs on the PATH.
    pub(super) async fn installed(&mut self, dir: &Path) -> Vec<Profile> {
        self.ask_programs(dir);
        // The plan may be dropped while it waits; the next one waits for the same answer.
        if let Some(asking) = &mut self.asking {
            self.installed = Some(asking.await.unwrap_or_default());
            self.asking = None;
        }
        self.installed.clone().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::EnginePlanner;
    use super::*;

    #[test]
    fn of_the_root_modules_that_nothing_needs_the_last_are_kept() {
        let planner = EnginePlanner::new(PlannerConfig {
            variables: Default::default(),
            cache_dir: None,
            now: String::new,
        });
        let mut workspace = ide::Workspace::default();
        for name in ["/a", "/b", "/c", "/d", "/e", "/f", "/b"] {
            workspace.replan();
            planner.shared.root(Path::new(name), &workspace.snapshot());
        }
        let needed = RootModules {
            planned: BTreeMap::from([("/a".into(), Vec::new())]),
            ..RootModules::default()
        };
        let mut roots = planner.shared.kept_roots();
        roots.forget(&needed);
        let mut kept: Vec<&str> = roots.0.keys().filter_map(|it| it.to_str()).collect();
        kept.sort_unstable();
        assert_eq!(kept, ["/a", "/b", "/d", "/e", "/f"]);
    }
}
