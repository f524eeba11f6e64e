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
    /// The versions that the configuration allowed when it was selected.
    pub constraints: String,
    /// Each begins with its scheme: `h1:` of an extracted package, `zh:` of an archive.
    pub hashes: Vec<String>,
}

/// Fails with the first mistake in the text, as Terraform does: a half-merged file selects nothing.
pub(crate) fn parse(text: &str) -> Result<LockFile, String> {
    let file = syntax::parse(text);
    let first = file.errors().filter_map(|(segment, error)| {
        let offset = file.segment(segment)?.offset + error.at.start();
        Some((offset, error))
    });
    if let Some((offset, error)) = first.min_by_key(|(offset, _)| *offset) {
        let line = text[..offset.into()].matches('\n').count() + 1;
        return Err(format!("{} on line {line}", error.summary));
    }
    let providers = reader::read(text)
        .blocks("provider")
        .filter_map(|block| {
            let locked = Locked {
                version: block.body.text("version")?.to_owned(),
                constraints: block
                    .body
                    .text("constraints")
                    .unwrap_or_default()
                    .to_owned(),
                hashes: block.body.texts("hashes").unwrap_or_default(),
            };
            Some((block.labels.first()?.clone(), locked))
        })
        .collect();
    Ok(LockFile { providers })
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
        )
        .unwrap();
        let random = &lock.providers["registry.terraform.io/hashicorp/random"];
        assert_eq!(random.version, "3.9.0");
        assert_eq!(random.hashes, ["h1:abc=", "zh:00"]);
    }

    #[test]
    fn a_half_merged_file_is_refused() {
        let error = parse("# comment\n<<<<<<< ours\nprovider \"a\" {\n}\n").unwrap_err();
        assert!(error.contains("on line 2"), "{error}");
    }
}
