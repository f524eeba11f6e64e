//! Links in a program: the documentation of types and functions, and files that functions read.

use std::path::Path;

use ide::{Link, LinkTarget, PlaceInFile};
use pulumi::program::package_of;
use pulumi::urn::PROVIDER_PREFIX;
use text::{FileId, TextSize};
use yaml::{Node, NodeKind};

use super::typed::CursorContext;
use crate::language::FilePurpose;

pub(crate) fn links(at: &PlaceInFile<'_>) -> Vec<Link> {
    let Some(known) = CursorContext::at(at).filter(|it| !matches!(it.role, FilePurpose::Stack(_)))
    else {
        return Vec::new();
    };
    let dir = Path::new(at.file.path()).parent().unwrap_or(Path::new("/"));
    let mut links = Links {
        known: &known,
        dir,
        found: Vec::new(),
    };
    for section in ["variables", "resources", "outputs"] {
        for item in known.yaml.file.entries(section) {
            let offset = item.segment.offset;
            if section == "resources"
                && let Some(of) = item.value.get("type")
                && let Some(written) = of.value.text()
            {
                links.documentation(&of.value, written, offset);
            }
            links.files(item.value, offset);
        }
    }
    links.found
}

struct Links<'a> {
    known: &'a CursorContext<'a>,
    dir: &'a Path,
    found: Vec<Link>,
}

impl Links<'_> {
    fn documentation(&mut self, node: &Node, written: &str, offset: TextSize) {
        let token = self.known.resource_type(written).map(|(token, _)| token);
        let Some(page) = page(token.unwrap_or(written)) else {
            return;
        };
        self.found.push(Link {
            range: node.range + offset,
            target: LinkTarget::Page(page),
            tooltip: "Documentation in the Pulumi Registry".to_owned(),
        });
    }

    /// The files that functions name.
    fn files(&mut self, node: &Node, offset: TextSize) {
        const READS: [&str; 5] = [
            "fn::readFile",
            "fn::fileAsset",
            "fn::fileArchive",
            "fn::filebase64",
            "fn::filebase64sha256",
        ];
        match &node.kind {
            NodeKind::Scalar(_) | NodeKind::Alias => {}
            NodeKind::Sequence(elements) => elements.iter().for_each(|it| self.files(it, offset)),
            NodeKind::Mapping(entries) => {
                for entry in entries {
                    let is_read = entry.key.text().is_some_and(|key| READS.contains(&key));
                    let path = entry
                        .value
                        .text()
                        .filter(|it| is_read && !it.contains("${"));
                    match path.map(|it| self.dir.join(it)).filter(|it| it.is_file()) {
                        Some(path) => self.found.push(Link {
                            range: entry.value.range + offset,
                            target: LinkTarget::File(FileId::new(path.to_string_lossy())),
                            tooltip: "Open the file".to_owned(),
                        }),
                        None => self.files(&entry.value, offset),
                    }
                }
            }
        }
    }
}

/// The page of a type in the registry, whose packages all have their pages in one form.
fn page(token: &str) -> Option<String> {
    const PACKAGES: &str = "https://www.pulumi.com/registry/packages";
    if let Some(package) = token.strip_prefix(PROVIDER_PREFIX) {
        return is_name(package).then(|| format!("{PACKAGES}/{package}/api-docs/provider/"));
    }
    let package = package_of(token);
    let parts: Vec<&str> = token.split(':').collect();
    let (module, name) = match parts.as_slice() {
        [_, name] => ("index", *name),
        // Bridged packages repeat the type in its module.
        [_, module, name] => match module.rsplit_once('/') {
            Some((module, last)) if last.eq_ignore_ascii_case(name) => (module, *name),
            _ => (*module, *name),
        },
        _ => return None,
    };
    // The engine's own have none.
    let is_path = module.split('/').all(is_name);
    if package == "pulumi" || !is_path || ![package, name].into_iter().all(is_name) {
        return None;
    }
    let name = name.to_lowercase();
    Some(match module {
        "index" => format!("{PACKAGES}/{package}/api-docs/{name}/"),
        module => format!("{PACKAGES}/{package}/api-docs/{module}/{name}/"),
    })
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !text.is_empty() && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_pages_in_the_registry() {
        let base = "https://www.pulumi.com/registry/packages";
        for (token, expected) in [
            (
                "aws:s3/bucketV2:BucketV2",
                Some("aws/api-docs/s3/bucketv2/"),
            ),
            ("random:RandomPet", Some("random/api-docs/randompet/")),
            (
                "random:index/randomPet:RandomPet",
                Some("random/api-docs/randompet/"),
            ),
            (
                "kubernetes:core/v1:Pod",
                Some("kubernetes/api-docs/core/v1/pod/"),
            ),
            ("pulumi:providers:aws", Some("aws/api-docs/provider/")),
            ("pulumi:index:Stash", None),
            ("a b:index:T", None),
            ("half", None),
        ] {
            let expected = expected.map(|it| format!("{base}/{it}"));
            assert_eq!(page(token), expected, "{token}");
        }
    }
}
