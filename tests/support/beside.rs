//! `planlens doctor` beside `planlens plan`: it says of each folder that can't be planned that it can't be.

use std::path::Path;

use serde_json::Value;

use super::{planlens, printed};

/// What both said of a folder.
#[derive(Default)]
pub struct Beside {
    pub is_planned: bool,
    /// The lines of the doctor that are marked, with what is to be done about them.
    pub marked: Vec<String>,
    /// Why the doctor is greener than the plan.
    pub greener: Option<String>,
}

/// Asks both in a folder, with the same environment and options.
pub fn beside(folder: &Path, environment: &[(String, String)], options: &[&str]) -> Beside {
    let run = |command: &[&str]| {
        let mut planlens = planlens(folder);
        let planlens = planlens.args(command).args(options);
        planlens.envs(environment.iter().cloned()).output().unwrap()
    };
    // At once: both may wait for a plugin that hangs.
    let (plan, doctor) = std::thread::scope(|scope| {
        let plan = scope.spawn(|| run(&["plan", "-no-color"]));
        let doctor = run(&["doctor", "-json"]);
        (plan.join().unwrap(), doctor)
    });
    let said = printed(&plan);
    let is_planned = plan.status.success() && !said.contains("Plan is incomplete");
    let page: Value = serde_json::from_slice(&doctor.stdout).unwrap_or_default();
    let sections = page["sections"].as_array().into_iter().flatten();
    let lines = sections.flat_map(|it| it["lines"].as_array().into_iter().flatten());
    let marked = lines.filter(|line| line["ok"] == false);
    let text = |line: &Value| format!("{} {}", line["text"], line["hint"]);
    let mut marked: Vec<String> = marked.map(text).collect();
    if page.is_null() {
        marked.push(String::from_utf8_lossy(&doctor.stderr).into_owned());
    }
    let is_red = doctor.status.code() == Some(1) && !marked.is_empty();
    let is_greener = !is_planned && !is_red;
    let greener = is_greener.then(|| format!("{said}\n{}", printed(&doctor)));
    Beside {
        is_planned,
        marked,
        greener,
    }
}
