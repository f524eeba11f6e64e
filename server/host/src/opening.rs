//! How a root module is opened: by the editor, as it is, and by a command, which the user trusts it with.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use config::{Product, Profile};
use plan::{Approved, LanguageChoice, OpenFiles, PlanningRequest, Root, Surroundings, VarOption};
use process::Variables;
use state::Pulled;

use crate::PlannerConfig;

/// The inputs of a root module beside its folder and the process around it.
pub struct RootOptions {
    /// Values of variables.
    pub options: Vec<VarOption>,
    pub state: Option<PathBuf>,
    pub language: LanguageChoice,
    pub is_trusted: bool,
    pub approved: Approved,
}

/// The inputs of the root module in `dir`.
pub fn surroundings(config: &PlannerConfig, dir: &Path, given: RootOptions) -> Surroundings {
    Surroundings {
        dir: dir.to_owned(),
        cwd: dir.to_owned(),
        variables: config.variables.clone(),
        options: given.options,
        state: given.state,
        plan_timestamp: Some((config.now)()),
        cache_dir: config.cache_dir.clone(),
        is_trusted: given.is_trusted,
        approved: given.approved,
        language: given.language,
    }
}

/// The releases on the PATH that `dir` would be planned with. Its files may choose the program.
pub fn installed(dir: &Path, variables: &Variables) -> Vec<Profile> {
    let found = state::programs(dir, variables).into_iter();
    found.filter_map(|program| program.profile.ok()).collect()
}

/// Reads a root module, and its state from where it is: the user asked for a plan.
pub fn load(root: &mut Root, files: &OpenFiles, request: &PlanningRequest) {
    root.load(files, request);
    let Some(location) = root.unread_state().cloned() else {
        return;
    };
    match state::pull(product(root), root.dir(), root.variables()) {
        Ok(text) => root.set_pulled(Pulled {
            location,
            text: text.into(),
            at: SystemTime::now(),
        }),
        Err(error) => root.set_not_pulled(location, error),
    }
    root.load(files, request);
}

/// Whose program the folder is planned with.
pub(crate) fn product(root: &Root) -> Product {
    let choice = root.choice();
    choice.map_or(Product::Terraform, |choice| choice.profile.product)
}
