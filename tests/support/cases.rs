//! The configurations of `validate/*.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::repository;

/// A configuration that Terraform refuses.
pub struct Case {
    pub name: String,
    pub files: BTreeMap<String, String>,
}

/// A case begins with `=== NAME`, a file of it other than `main.tf` with `#- PATH`.
pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for group in [
        "blocks",
        "modules",
        "provisioners",
        "references",
        "syntax",
        "values",
        "wiring",
    ] {
        let path = repository().join(format!("tests/validate/{group}.txt"));
        let mut file = String::new();
        for line in fs::read_to_string(path).unwrap().lines() {
            if let Some(name) = line.strip_prefix("=== ") {
                file = "main.tf".to_owned();
                cases.push(Case {
                    name: name.to_owned(),
                    files: BTreeMap::new(),
                });
            } else if let Some(path) = line.strip_prefix("#- ") {
                file = path.to_owned();
            } else if !file.is_empty() {
                let case = cases.last_mut().unwrap();
                *case.files.entry(file.clone()).or_default() += &format!("{line}\n");
            }
        }
    }
    let names: BTreeSet<&String> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    cases
}

impl Case {
    pub fn write(&self, folder: &Path, cache: &Path) {
        for (path, text) in &self.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{}\n", text.trim_end())).unwrap();
        }
        super::install_providers(cache, folder);
    }
}
