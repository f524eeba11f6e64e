//! What kind of plan is asked for, beside that of the next apply.

use std::collections::BTreeSet;

use config::{ResourceInstanceAddr, Target};

use crate::Budget;

/// As the options of `terraform plan` have it. Equal inputs and equal options give equal plans, except that reading
/// the world finds what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub mode: Mode,
    /// Whether each object of the state is read before it is planned.
    pub refresh: bool,
    /// Counts up whenever what was read before has to be read again.
    pub reading_round: u64,
    /// Whether objects that `import` blocks name are found and read. Where not, what they are imported into isn't planned.
    pub import: bool,
    /// `-generate-config-out`: what `import` blocks of the root module name and nothing declares gets the configuration
    /// that [`crate::generate_resource`] makes of the object: see [`ResourceInstanceChange::generated_config`].
    ///
    /// [`ResourceInstanceChange::generated_config`]: crate::ResourceInstanceChange
    pub generate_config: bool,
    pub behind_errors: BehindErrors,
    /// Whether data sources are read. Where not, their values are unknown.
    pub read_data_sources: bool,
    /// `-replace`: planned as if they had to be replaced.
    pub replace: Vec<ResourceInstanceAddr>,
    /// `-target`: planned with what they depend on, and nothing else. Empty: everything.
    pub targets: Vec<Target>,
    /// OpenTofu's `-exclude`: not planned, nor what depends on them.
    pub excludes: Vec<Target>,
    /// Folders of called modules: what is declared elsewhere is planned only where it has to be known for these.
    /// `None`: everything.
    pub shown_modules: Option<BTreeSet<String>>,
    /// How much evaluation may cost.
    pub budget: Budget,
}

impl Options {
    /// Whether what depends on something with errors is left out.
    pub(crate) fn leaves_out(&self) -> bool {
        self.behind_errors == BehindErrors::LeftOut
    }

    /// Whether what Terraform refuses is refused, as by a command: an editor warns and plans on.
    pub(crate) fn refuses(&self) -> bool {
        self.leaves_out() || self.mode == Mode::Validate
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

/// What becomes of resources that depend on something with errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BehindErrors {
    /// What can be known of them is planned, and labelled.
    #[default]
    Labelled,
    /// They are left out, as Terraform doesn't get to them.
    LeftOut,
    /// They keep the plan of the last configuration without errors. What else changed since then is labelled.
    AsBefore,
}

/// What the plan leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// What the configuration wants.
    #[default]
    Normal,
    /// Nothing: all that the state has is deleted.
    Destroy,
    /// What there is: only the state changes.
    RefreshOnly,
    /// Nothing: it is said what is wrong whatever the values of variables and resources are.
    Validate,
}
