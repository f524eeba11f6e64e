//! Objects with conditions, and the results of these.

use config::{InstanceKey, ModuleAddr, ModuleInstanceAddr, ResourceAddr};
use smol_str::SmolStr;

/// An object of the configuration that has conditions, and their results.
#[derive(Debug, Clone)]
pub(crate) struct Checked {
    pub module: ModuleAddr,
    pub object: Checkable,
    /// `None`: it isn't known which instances there are.
    pub instances: Option<Vec<CheckedInstance>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Checkable {
    Resource(ResourceAddr),
    Output(SmolStr),
    Check(SmolStr),
    Variable(SmolStr),
}

#[derive(Debug, Clone)]
pub(crate) struct CheckedInstance {
    pub module: ModuleInstanceAddr,
    pub key: InstanceKey,
    pub status: CheckStatus,
    /// The messages of the conditions that don't hold.
    pub problems: Vec<String>,
}

/// In the order in which they prevail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CheckStatus {
    #[default]
    Pass,
    Unknown,
    Fail,
    Error,
}

impl Checked {
    pub fn status(&self) -> CheckStatus {
        let instances = self.instances.as_ref();
        instances.map_or(CheckStatus::Unknown, |instances| {
            let statuses = instances.iter().map(|instance| instance.status);
            statuses.max().unwrap_or_default()
        })
    }
}
