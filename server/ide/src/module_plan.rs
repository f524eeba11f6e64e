//! The plan of one module, as if that were the root module.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use config::ModuleInstanceAddr;
use plan::Plan;

/// The plan of a root module, or the part of it for one instance of a called module. The part is made at the first question
/// about it: most called modules have no file open.
#[derive(Clone, Debug, Default)]
pub struct ModulePlan {
    root: Arc<Plan>,
    part: Option<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    instance: ModuleInstanceAddr,
    plan: Arc<OnceLock<Plan>>,
}

impl ModulePlan {
    pub fn within(root: Arc<Plan>, instance: ModuleInstanceAddr) -> ModulePlan {
        let plan = Arc::default();
        ModulePlan {
            root,
            part: Some(Part { instance, plan }),
        }
    }
}

impl From<Arc<Plan>> for ModulePlan {
    fn from(root: Arc<Plan>) -> ModulePlan {
        ModulePlan { root, part: None }
    }
}

impl Deref for ModulePlan {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        match &self.part {
            None => &self.root,
            Some(part) => part.plan.get_or_init(|| self.root.within(&part.instance)),
        }
    }
}
