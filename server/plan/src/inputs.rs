//! The inputs of a plan. Equal inputs give equal plans: the clock, the environment and the disk come in here.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use config::{InstanceKey, ModuleTree, ProviderConfigAddr};
use eval::Functions;
use eval::variables::InputValue;
use provider::{Provider, Providers};
use smol_str::SmolStr;
use state::State;
use text::{FileId, Places, SegmentId, Span};

use crate::files::FunctionFiles;
use crate::functions::FunctionAnswers;
use crate::moves::{Modules, MoveStatement, Moves};
use crate::node::NodeId;
use crate::options::Options;
use crate::reads::{ReadingProvider, Reads};

/// Everything that one plan of a root module depends on.
#[derive(Clone)]
pub struct Inputs {
    pub tree: Arc<ModuleTree>,
    /// Segments whose text can't be parsed: their declarations keep the meaning they had before.
    pub broken: Arc<HashSet<(FileId, SegmentId)>>,
    /// Where reading found errors.
    pub wrong: Arc<Places>,
    /// Values given from outside, by variable, those of highest precedence only.
    pub variables: Arc<BTreeMap<SmolStr, InputValue>>,
    /// With all objects at the addresses that the configuration has for them.
    pub state: Arc<State>,
    /// The same before anything was moved.
    pub(crate) stored: Arc<State>,
    pub(crate) moves: Arc<Moves>,
    pub(crate) move_statements: Arc<[MoveStatement]>,
    /// If set, the existing objects are unknown for this reason, so no creation is reported.
    pub state_caveat: Option<state::StateUnavailable>,
    pub environment: Arc<RunEnvironment>,
    /// The files behind the functions of `environment`.
    pub(crate) function_files: Arc<FunctionFiles>,
    /// The providers' answers about their functions.
    pub(crate) function_answers: Arc<FunctionAnswers>,
    pub providers: Arc<Providers>,
    /// Keeps the objects that providers read, which they do only if they may. `None`: each plan reads for itself.
    pub reads: Option<Arc<Reads>>,
    /// Counts up whenever providers may answer differently than before: installed, replaced, trusted.
    pub providers_revision: u64,
    /// Whether providers may be configured, which can reach out to the world.
    pub may_configure: bool,
    /// Whether providers may get the configuration: that may name programs to run.
    pub is_trusted: bool,
    pub options: Arc<Options>,
    /// Nodes treated as unknown because their value comes from data sources in the state, with those data sources'
    /// addresses. Empty, except while errors of these values are examined.
    pub(crate) distrusted: Arc<BTreeMap<NodeId, String>>,
    /// Planned before everything else: the part that the user edits and sees.
    pub focus: Arc<BTreeSet<NodeId>>,
    /// Whether every text is as saved; a provider is never configured from a half-typed one.
    pub is_saved: bool,
}

impl Inputs {
    /// The modules of the configuration.
    pub(crate) fn modules(&self) -> Modules<'_> {
        let modules = self.tree.iter();
        modules
            .map(|(addr, module)| (addr, &*module.module))
            .collect()
    }

    /// The provider with one of its configurations. It starts when it is first asked something.
    pub(crate) fn provider(&self, addr: &ProviderConfigAddr) -> Arc<dyn Provider> {
        self.reading(self.providers.provider(addr), addr, &InstanceKey::None)
    }

    /// The provider with one of several configurations.
    pub(crate) fn provider_instance(
        &self,
        addr: &ProviderConfigAddr,
        key: &InstanceKey,
    ) -> Arc<dyn Provider> {
        self.reading(self.providers.instance(addr, key), addr, key)
    }

    fn reading(
        &self,
        provider: Arc<dyn Provider>,
        addr: &ProviderConfigAddr,
        key: &InstanceKey,
    ) -> Arc<dyn Provider> {
        match &self.reads {
            Some(reads) => Arc::new(ReadingProvider {
                provider,
                addr: addr.clone(),
                key: key.clone(),
                reads: reads.clone(),
            }),
            None => provider,
        }
    }

    pub(crate) fn is_broken(&self, span: &Span) -> bool {
        !self.broken.is_empty() && self.broken.contains(&(span.file.clone(), span.segment))
    }
}

/// The properties of the run itself that expressions can ask for.
#[derive(Clone)]
pub struct RunEnvironment {
    /// `terraform.workspace`
    pub workspace: SmolStr,
    /// `path.root`, as Terraform prints it: relative to where it runs.
    pub root_dir: SmolStr,
    /// `path.cwd`
    pub cwd: SmolStr,
    /// The functions of the language, with their access to the outside.
    pub functions: Functions,
}
