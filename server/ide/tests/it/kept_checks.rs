//! What was found in a declaration is kept as long as it still holds.

use std::collections::BTreeMap;

use config::ProviderAddr;
use ide::{Checked, ChecksCache};
use plan::Request;
use text::FileId;

use crate::support::{Memory, new_root};

/// A resource, and something that only a map may be given to.
fn module(resource: &str) -> String {
    format!("{resource}\nlocals {{\n  names = keys(terraform_data.a.id)\n}}\n")
}

/// A resource that is referred to is edited: what refers to it is looked at again if the type is another now.
#[test]
fn kept_checks_equal_fresh_checks() {
    let mut root = new_root();
    let mut kept = ChecksCache::default();
    for (resource, is_wrong) in [
        (
            "resource \"terraform_data\" \"a\" {\n  input = 1\n}\n",
            true,
        ),
        (
            "resource \"terraform_data\" \"a\" {\n  input = 2\n}\n",
            true,
        ),
        (
            "resource \"terraform_data\" \"a\" {\n  count = 1\n}\n",
            false,
        ),
        (
            "resource \"terraform_data\" \"a\" {\n  input = 2\n}\n",
            true,
        ),
        (
            "resource \"terraform_data\" \"b\" {\n  input = 2\n}\n",
            false,
        ),
        ("resource \"terraform_data\" \"a\" {}\n", true),
    ] {
        let file = FileId::new("/code/main.tf");
        let files = Memory(BTreeMap::from([(file.path().to_owned(), module(resource))]));
        root.load(&files, &Request::default());
        let checked = Checked {
            tree: root.tree().unwrap(),
            problems: &[],
            schemas: &root.schemas_at_hand(),
            substitutes: &Default::default(),
            functions: root.functions(),
            open: std::slice::from_ref(&file),
            variable_files: &[],
        };
        assert!(checked.schemas.contains_key(&ProviderAddr::builtin()));
        let found = ide::check(&checked, &mut kept);
        assert_eq!(found, ide::check(&checked, &mut ChecksCache::default()));
        let mut of_keys = found.of_file(&file);
        let is_reported =
            of_keys.any(|it| it.code == "function-call" || it.code == "invalid-argument");
        assert_eq!(is_reported, is_wrong, "{resource}{:?}", found);
    }
}
