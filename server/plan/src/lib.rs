//! The engine: what will happen to each resource instance, and why.

mod change;
mod condition;
mod engine;
mod expansion;
mod files;
mod functions;
mod given;
mod graph;
mod inputs;
mod instance;
mod json;
pub mod moves;
mod node;
pub mod objchange;
mod options;
mod plan;
mod provider_config;
mod render;
mod resource;
mod result;
mod root;
mod scope;
mod trigger;

pub use change::{Action, ActionReason, OutputChange, ResourceInstanceChange};
pub use engine::{Engine, Stats};
pub use files::{OpenFiles, SourceText};
pub use given::VarOption;
pub use inputs::{Environment, Inputs};
pub use instance::{InstanceDiagnostic, InstancePlan};
pub use json::{plain, to_json};
pub use options::{Mode, Options};
pub use plan::{Counts, ModuleValues, Plan, Resources};
pub use render::{render_change, render_plan};
pub use result::{PlannedInstance, ResourceResult};
pub use root::{Request, Root, Surroundings, TERRAFORM_VERSION};
