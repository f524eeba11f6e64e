//! The dependency lock file: which version of each provider was selected, and the hashes of its packages.

use std::collections::BTreeMap;

use super::reader;

pub(crate) const LOCK_FILE: &str = ".terraform.lock.hcl";

/// By provider address in its full form.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LockFile {
    pub providers: BTreeMap<String, Locked>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Locked {
    pub version: String,
    /// Each begins with its scheme: `h1:` of an extracted package, `zh:` of an archive.
    pub hashes: Vec<String>,
}

pub(crate) fn parse(text: &str) -> LockFile {
    let providers = reader::read(text)
        .blocks("provider")
        .filter_map(|block| {
            let locked = Locked {
                version: block.body.text("version")?.to_owned(),
                hashes: block.body.texts("hashes").unwrap_or_default(),
            };
            Some((block.labels.first()?.clone(), locked))
        })
        .collect();
    LockFile { providers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_hashes_are_read() {
        let lock = parse(
            r#"# This file is maintained automatically by "terraform init".
provider "registry.terraform.io/hashicorp/random" {
  version     = "3.9.0"
  constraints = "~> 3.9"
  hashes = [
    "h1:abc=",
    "zh:00",
  ]
}
"#,
        );
        let random = &lock.providers["registry.terraform.io/hashicorp/random"];
        assert_eq!(random.version, "3.9.0");
        assert_eq!(random.hashes, ["h1:abc=", "zh:00"]);
    }
}
