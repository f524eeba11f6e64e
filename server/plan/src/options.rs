//! Kinds of plans beside that of the next apply.

use std::collections::BTreeSet;

use config::{ResourceInstanceAddr, Target};

use crate::Budget;

/// As the options of `terraform plan` have it. Equal inputs and equal options give equal plans, except that reading
/// the world finds the objects as they are now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub mode: PlanMode,
    /// Whether each object of the state is read before it is planned.
    pub refresh: bool,
    /// Counts up whenever the world has to be read again.
    pub reading_round: u64,
    /// Whether objects that `import` blocks name are found and read. If not, their resources aren't planned.
    pub import: bool,
    /// `-generate-config-out`: targets of `import` blocks of the root module that nothing declares get the configuration
    /// that [`crate::generate_resource`] makes of the object: see [`ResourceInstanceChange::generated_config`].
    ///
    /// [`ResourceInstanceChange::generated_config`]: crate::ResourceInstanceChange
    pub generate_config: bool,
    pub behind_errors: BehindErrors,
    /// Whether data sources are read. Where not, their values are unknown.
    pub read_data_sources: bool,
    /// `-replace`: planned as if they had to be replaced.
    pub replace: Vec<ResourceInstanceAddr>,
    /// `-target`: planned with their dependencies, and nothing else. Empty: everything.
    pub targets: Vec<Target>,
    /// OpenTofu's `-exclude`: not planned, nor their dependents.
    pub excludes: Vec<Target>,
    /// Folders of called modules: other declarations are planned only as far as these depend on them.
    /// `None`: everything.
    pub shown_modules: Option<BTreeSet<String>>,
    /// How much evaluation may cost.
    pub budget: Budget,
}

impl Options {
    /// Whether dependents of something with errors are left out.
    pub(crate) fn leaves_out(&self) -> bool {
        self.behind_errors == BehindErrors::LeftOut
    }

    /// Whether a configuration that Terraform refuses is refused, as by a command: an editor warns and plans on.
    pub(crate) fn refuses(&self) -> bool {
        self.leaves_out() || self.mode == PlanMode::Validate
    }

    /// Whether something is left out on purpose.
    pub fn is_selective(&self) -> bool {
        !self.targets.is_empty() || !self.excludes.is_empty()
    }

    /// Whether an instance of a selected resource is among those that are meant.
    pub(crate) fn selects(&self, addr: &ResourceInstanceAddr) -> bool {
        let module = addr.module.module();
        let mut meant = self
            .targets
            .iter()
            .filter(|target| target.reaches(&module, &addr.resource))
            .peekable();
        let is_meant = meant.peek().is_none() || meant.any(|target| target.contains(addr));
        is_meant && !self.excludes.iter().any(|target| target.contains(addr))
    }
}

/// The plan of resources that depend on something with errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BehindErrors {
    /// The known part of them is planned, and labelled.
    #[default]
    Labelled,
    /// They are left out, as Terraform doesn't get to them.
    LeftOut,
    /// They keep the plan of the last configuration without errors. Other changes since then are labelled.
    AsBefore,
}

/// The goal of the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlanMode {
    /// The objects that the configuration wants.
    #[default]
    Normal,
    /// Nothing: all that the state has is deleted.
    Destroy,
    /// The objects as they are: only the state changes.
    RefreshOnly,
    /// Nothing: only errors that do not depend on the values of variables and resources are reported.
    Validate,
}
