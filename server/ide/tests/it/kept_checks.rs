//! What was found in a declaration is kept as long as it still holds.

use std::collections::{BTreeMap, BTreeSet};

use config::ProviderAddr;
use ide::{Checked, ChecksCache};
use plan::{PlanningRequest, Root};
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
        let found = checked(&mut root, &module(resource), &mut kept);
        let is_reported = found.contains("function-call") || found.contains("invalid-argument");
        assert_eq!(is_reported, is_wrong, "{resource}{found:?}");
    }
}

/// The codes of the diagnostics of a text, in which kept and fresh checks agree.
fn checked(root: &mut Root, text: &str, kept: &mut ChecksCache) -> BTreeSet<&'static str> {
    let file = FileId::new("/code/main.tf");
    let files = Memory(BTreeMap::from([(file.path().to_owned(), text.to_owned())]));
    root.load(&files, &PlanningRequest::default());
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
    let found = ide::check(&checked, kept);
    assert_eq!(
        found,
        ide::check(&checked, &mut ChecksCache::default()),
        "{text}"
    );
    found.of_file(&file).map(|it| it.code).collect()
}

/// Each declaration of a module that is checked in parts, as it is written in turn. Some have errors of their own, or of what
/// they refer to.
const VERSIONS: [&[&str]; 10] = [
    &[
        "variable \"v\" {\n  type = string\n}\n",
        "variable \"v\" {\n  type = list(string)\n}\n",
        "",
    ],
    &[
        "variable \"w\" {\n  default = 1\n}\n",
        "variable \"w\" {\n  type = bool\n  default = \"no bool\"\n}\n",
    ],
    &[
        "locals {\n  keys = keys(terraform_data.a.id)\n}\n",
        "locals {\n  keys = keys(var.v)\n}\n",
        "locals {\n  keys = 1\n}\n",
    ],
    &[
        "locals {\n  all = local.keys\n}\n",
        "locals {\n  all = abs([])\n}\n",
        "",
    ],
    &[
        "resource \"terraform_data\" \"a\" {}\n",
        "resource \"terraform_data\" \"a\" {\n  count = 2\n}\n",
        "resource \"terraform_data\" \"a\" {\n  nope = 1\n}\n",
    ],
    &[
        "resource \"terraform_data\" \"b\" {\n  input = upper(terraform_data.a.id)\n}\n",
        "resource \"terraform_data\" \"b\" {\n  input = length(terraform_data.a)\n}\n",
    ],
    &[
        "output \"o\" {\n  value = upper(var.v)\n}\n",
        "output \"o\" {\n  value = sum(\"\")\n}\n",
        "",
    ],
    &[
        "",
        "resource \"unknown_thing\" \"x\" {}\n",
        "resource \"terraform_data\" \"a\" {\n  input = abs(true)\n}\n",
    ],
    &[
        "",
        "provider \"null\" {}\n",
        "terraform {\n  required_providers {\n    unknown = {\n      source = \"acme/unknown\"\n    }\n  }\n}\n",
    ],
    &[
        "",
        "check \"c\" {\n  data \"terraform_data\" \"d\" {}\n  assert {\n    condition = true\n    error_message = \"e\"\n  }\n}\n",
        "data \"terraform_remote_state\" \"s\" {\n  backend = \"local\"\n}\n",
    ],
];

#[test]
fn kept_checks_equal_fresh_checks_after_any_edit() {
    let mut root = new_root();
    let mut kept = ChecksCache::default();
    let quiet = (0..70).map(|i| format!("resource \"terraform_data\" \"r{i}\" {{}}\n"));
    let quiet: String = quiet.collect();
    let mut chosen = [0; VERSIONS.len()];
    let mut found = BTreeSet::new();
    let mut random = 1_u64;
    for _ in 0..1200 {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let edited = (random >> 33) as usize % VERSIONS.len();
        chosen[edited] = (random >> 50) as usize % VERSIONS[edited].len();
        let parts = VERSIONS
            .iter()
            .zip(chosen)
            .map(|(versions, it)| versions[it]);
        let (before, after): (Vec<_>, Vec<_>) =
            (parts.clone().take(5).collect(), parts.skip(5).collect());
        let text = before.concat() + &quiet + &after.concat();
        found.extend(checked(&mut root, &text, &mut kept));
    }
    for code in [
        "function-call",
        "unknown-resource-type",
        "unused-local",
        "unused-data-source",
        "missing-provider-requirement",
        "unsupported-argument",
    ] {
        assert!(found.contains(code), "{code}: {found:?}");
    }
}
