//! Root modules and those that they call: knowledge and facts.

use std::collections::btree_map::Entry;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use config::{ModuleAddr, ModuleTree};
use ide::{
    CalledFacts, Caller, CodeLens, FactInputs, Facts, FactsCache, Folder, Folders, InstanceFacts,
    LensKind, ListedCaller, LocalProviders, ModuleContext, ModulePlan, PlanNumbers, RemovedPlaces,
    Revision, SegmentFacts, Settings, Snapshot, Substitutes,
};
use plan::Plan;
use text::{Span, TextRange};

use super::Shared;
use super::callers::{PLANNED_CALLERS, RootModules};

/// The inputs of a plan beside the texts, as they are shown.
pub(super) struct ShownInputs {
    pub(super) local_providers: Arc<LocalProviders>,
    pub(super) substitutes: Arc<Substitutes>,
    pub(super) read: Vec<String>,
    pub(super) removed: Arc<RemovedPlaces>,
    pub(super) numbers: Option<PlanNumbers>,
    pub(super) what_if: Vec<String>,
    pub(super) environment: Option<String>,
    pub(super) workspace: String,
}

/// The facts of a root module in those that it calls, and of which texts.
pub(super) struct RootFacts {
    revision: Revision,
    pub(super) planned_at: Instant,
    pub(super) facts: CalledFacts,
}

/// The last results that were shown while other root modules were planned.
pub(super) struct LastShown {
    /// Of the texts.
    revision: Revision,
    at: Instant,
    /// Not a part of a plan.
    is_whole: bool,
}

/// How often results of many root modules are shown while others are planned.
const TOLD_EACH: Duration = Duration::from_millis(250);

impl Shared {
    /// Forgets the facts of root modules that are no longer planned.
    pub(super) fn forget_called(&self, modules: &RootModules) {
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        called.retain(|root, _| modules.planned.contains_key(root));
    }

    /// Keeps the facts of a root module in the modules that it calls.
    pub(super) fn tell_called(&self, dir: &Path, revision: Revision, facts: CalledFacts) {
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let of_root = RootFacts {
            revision,
            planned_at: Instant::now(),
            facts,
        };
        called.insert(dir.to_owned(), of_root);
    }

    /// Whether the results of one of many root modules are shown before the others are planned: of the first, and then from
    /// time to time. A part of a plan is not shown in the place of a whole one.
    pub(super) fn is_told_now(&self, revision: Revision, is_whole: bool) -> bool {
        let mut last_shown = self
            .last_shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_soon = |last: &LastShown| {
            last.revision == revision
                && last.at.elapsed() < TOLD_EACH
                && (last.is_whole || !is_whole)
        };
        if last_shown.as_ref().is_some_and(is_soon) {
            return false;
        }
        *last_shown = Some(LastShown {
            revision,
            at: Instant::now(),
            is_whole,
        });
        true
    }

    /// `facts`, which are to be shown in the root module in `dir`, with those of the modules that it calls: of all instances
    /// of all root modules that call them too, or of the caller that was chosen.
    pub(super) fn with_called(
        &self,
        dir: &Path,
        facts: Facts,
        modules: &RootModules,
        snapshot: &Snapshot,
    ) -> Facts {
        // Those that are not planned yet say nothing of the new text.
        let of_now = modules.partial.contains_key(dir);
        let mut all = self.of_called([dir], of_now, modules, snapshot);
        add(&mut all, facts);
        all
    }

    /// The facts in the modules that some root modules call; with `of_now` as far as those are planned by now.
    pub(super) fn of_called<'a>(
        &self,
        dirs: impl IntoIterator<Item = &'a Path>,
        of_now: bool,
        modules: &RootModules,
        snapshot: &Snapshot,
    ) -> Facts {
        let called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let mut facts = Facts::new();
        let called_modules = dirs.into_iter().filter_map(|dir| called.get(dir));
        let called_modules: BTreeSet<&String> = called_modules
            .flat_map(|of_root| of_root.facts.keys())
            .collect();
        for module in called_modules {
            let chosen = snapshot.caller(Path::new(module));
            let chosen = chosen.filter(|it| modules.planned.contains_key(&it.root));
            let is_meant = |root: &Path| chosen.is_none_or(|it| it.root == root);
            let roots = called.iter().filter(|(root, of_root)| {
                is_meant(root) && (!of_now || of_root.revision >= snapshot.revision())
            });
            let of_roots: Vec<(&PathBuf, &Vec<InstanceFacts>)> = roots
                .filter_map(|(root, of_root)| Some((root, of_root.facts.get(module)?)))
                .collect();
            let is_one = of_roots.len() == 1;
            let name = |root: &Path, instance: &str| match is_one {
                true => instance.to_owned(),
                false => format!("{}: {instance}", ide::folder_name(root)),
            };
            let instances = |wanted: Option<&String>| -> Vec<(String, &Facts)> {
                let all = of_roots
                    .iter()
                    .flat_map(|(root, found)| found.iter().map(move |it| (root, it)));
                let wanted = all.filter(|(_, it)| wanted.is_none_or(|name| it.instance == *name));
                wanted
                    .map(|(root, it)| (name(root, &it.instance), &it.facts))
                    .collect()
            };
            let mut shown = instances(chosen.and_then(|it| it.instance.as_ref()));
            if shown.is_empty() {
                // The instance that was chosen is gone.
                shown = instances(None);
            }
            let mut merged = ide::merged(&shown);
            let callers = modules.of.get(Path::new(module)).map_or(0, BTreeSet::len);
            if chosen.is_none() && callers > PLANNED_CALLERS {
                tell_of_others(&mut merged, Path::new(module), callers, snapshot);
            }
            facts.extend(merged);
        }
        facts
    }

    /// The root module in `dir` and those that it calls; of one with several instances, the first
    /// or the one that was chosen.
    pub(super) fn known(
        &self,
        plan: &Arc<Plan>,
        tree: &ModuleTree,
        dir: &Path,
        made_from: &ShownInputs,
        modules: &RootModules,
        snapshot: &Snapshot,
    ) -> Folders {
        let mut known = Folders::new();
        let mut called = tree.iter().filter(|(addr, _)| !addr.is_root()).peekable();
        let has_called = called.peek().is_some();
        // Of a root module alone, all resources need not be looked through.
        let instances = has_called.then(|| plan.instances_by_module());
        let instances = instances.unwrap_or_default();
        for (addr, module) in called {
            let folder = PathBuf::from(module.dir.as_str());
            let chosen = snapshot.caller(&folder);
            let roots = modules.of.get(&folder).into_iter().flatten();
            let mut roots = roots.filter(|root| modules.planned.contains_key(*root));
            let teller = match chosen {
                Some(chosen) if modules.planned.contains_key(&chosen.root) => Some(&chosen.root),
                Some(_) | None => roots.next(),
            };
            let Some(instances) = instances.get(addr) else {
                continue;
            };
            let wanted = chosen.and_then(|it| it.instance.as_ref());
            let mut wanted = instances
                .iter()
                .filter(|it| wanted.is_some_and(|wanted| it.to_string() == *wanted));
            let Some(instance) = wanted.next().or_else(|| instances.first()) else {
                continue;
            };
            if teller.is_some_and(|teller| teller != dir) {
                continue;
            }
            let of_instance = || -> Arc<dyn Folder> {
                Arc::new(ModuleContext {
                    module: module.module.clone(),
                    plan: ModulePlan::within(plan.clone(), (*instance).clone()),
                    is_root: false,
                    local_providers: made_from.local_providers.clone(),
                    substitutes: made_from.substitutes.clone(),
                    callers: self.listed_callers(&folder, modules, snapshot),
                    ..ModuleContext::default()
                })
            };
            known.entry(folder.clone()).or_insert_with(of_instance);
        }
        if modules.partial.contains_key(dir) {
            return known;
        }
        let unset = plan.diagnostics.iter();
        let unset = unset.filter(|it| it.code == "no-variable-value");
        let unset: HashSet<&Span> = unset.filter_map(|it| it.subject.as_ref()).collect();
        let variables = tree.root().variables.iter();
        let variables = variables.filter(|(_, it)| unset.contains(&it.decl.span));
        let unset = variables.map(|(name, _)| name.clone());
        let of_root = ModuleContext {
            module: tree.root().clone(),
            plan: plan.clone().into(),
            counted: made_from.numbers,
            is_root: true,
            local_providers: made_from.local_providers.clone(),
            substitutes: made_from.substitutes.clone(),
            read: made_from.read.clone(),
            removed: made_from.removed.clone(),
            what_if: made_from.what_if.clone(),
            environment: made_from.environment.clone(),
            workspace: made_from.workspace.clone(),
            callers: self.listed_callers(dir, modules, snapshot),
            unset: unset.collect(),
        };
        known.insert(dir.to_owned(), Arc::new(of_root));
        known
    }

    /// The root modules that call a module, each with the instances that its plan has, and the module itself.
    fn listed_callers(
        &self,
        module: &Path,
        modules: &RootModules,
        snapshot: &Snapshot,
    ) -> Vec<ListedCaller> {
        let Some(roots) = modules.of.get(module) else {
            return Vec::new();
        };
        let called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let mut callers = Vec::new();
        for root in roots {
            let of_root = called.get(root);
            let of_module = module
                .to_str()
                .and_then(|module| of_root?.facts.get(module));
            let instances = of_module.into_iter().flatten();
            let instances: Vec<String> = instances.map(|it| it.instance.clone()).collect();
            let several = instances
                .into_iter()
                .filter(|_| of_module.is_some_and(|it| it.len() > 1));
            let all = std::iter::once(None).chain(several.map(Some));
            callers.extend(all.map(|instance| Caller {
                root: root.clone(),
                instance,
            }));
        }
        callers.push(Caller {
            root: module.to_owned(),
            instance: None,
        });
        let chosen = snapshot.caller(module);
        let list = |caller| ListedCaller {
            is_chosen: Some(&caller) == chosen,
            caller,
        };
        callers.into_iter().map(list).collect()
    }
}

/// Says at the top of the open files of a module that more call it than are planned.
fn tell_of_others(facts: &mut Facts, module: &Path, callers: usize, snapshot: &Snapshot) {
    for (file, source) in snapshot.files() {
        let is_of_module = Path::new(file.path()).parent() == Some(module);
        let syntax = is_of_module.then(|| source.hcl()).flatten();
        let Some(first) = syntax.and_then(|syntax| syntax.segments().next()) else {
            continue;
        };
        let lens = CodeLens {
            range: TextRange::default(),
            title: format!("as {PLANNED_CALLERS} of {callers} callers plan it"),
            kind: LensKind::Note,
            command: None,
        };
        let last_shown = SegmentFacts {
            code_lenses: vec![lens],
            ..SegmentFacts::default()
        };
        let facts = facts.entry(file.clone()).or_default();
        facts.add([(first.id, Arc::new(last_shown))]);
    }
}

/// Adds facts to those of the same files. The plan of a root module has the diagnostics of called
/// modules that belong to no resource.
pub(super) fn add(facts: &mut Facts, more: Facts) {
    for (file, more) in more {
        match facts.entry(file) {
            Entry::Vacant(facts) => drop(facts.insert(more)),
            Entry::Occupied(mut facts) => facts.get_mut().join(more),
        }
    }
}

/// The facts in a root module.
pub(super) fn facts_of_root(
    plan: &Arc<Plan>,
    tree: &ModuleTree,
    settings: &Settings,
    cache: &mut FactsCache,
) -> Facts {
    let root_addr = ModuleAddr::root();
    let planned = FactInputs {
        plan,
        module: tree.root(),
        settings,
        tree: Some((tree, &root_addr)),
    };
    ide::facts(&planned, cache)
}
