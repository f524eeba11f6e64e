//! The `source` of a module call.

use super::load::join;
use crate::language_release::Product;

/// Whether a module's source is a path, and not an address that `terraform init` follows.
pub fn is_local(source: &str) -> bool {
    let source = source.replace('\\', "/");
    source.starts_with("./") || source.starts_with("../") || source == "." || source == ".."
}

/// True if no registry and no kind of download can have the source. Doubtful sources count as addresses.
///
/// Follows `ParseModuleSource` of OpenTofu's `internal/addrs/module_source.go` and the detectors of
/// `internal/getmodules/getter.go`.
pub(super) fn is_no_address(source: &str) -> bool {
    let package = package_of(source);
    let may_be_detected = package.is_empty()
        || source.contains("::")
        || package.ends_with(':')
        || package.contains(['@', '?', '\\'])
        || package.starts_with('/')
        || ["github.com/", "bitbucket.org/"]
            .iter()
            .any(|it| package.starts_with(it))
        || ["googleapis.com", "amazonaws.com"]
            .iter()
            .any(|it| package.contains(it));
    !may_be_detected && RegistrySource::parse(source).is_none()
}

/// A source without the folder behind `//`.
pub(super) fn package_of(source: &str) -> &str {
    source.split("//").next().unwrap_or_default()
}

fn is_name_in_registry(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_inner)
}

/// True if `init` lists a module with this source under this address. Addresses of downloads are written in other words:
/// they count as the same.
pub(super) fn is_source_of(source: &str, listed: &str) -> bool {
    match (is_local(source), is_local(listed)) {
        (true, true) => join(".", source) == join(".", listed),
        (false, false) => match (RegistrySource::parse(source), RegistrySource::parse(listed)) {
            (Some(source), Some(listed)) => source == listed,
            _ => true,
        },
        _ => false,
    }
}

/// `HOST/NAMESPACE/NAME/SYSTEM//FOLDER`.
#[derive(PartialEq)]
struct RegistrySource<'a> {
    /// `None`: the product's own registry.
    host: Option<&'a str>,
    module: Vec<&'a str>,
    folder: &'a str,
}

impl RegistrySource<'_> {
    fn parse(source: &str) -> Option<RegistrySource<'_>> {
        let (package, folder) = source.split_once("//").unwrap_or((source, ""));
        let mut module: Vec<&str> = package.split('/').collect();
        let own = [Product::Terraform, Product::OpenTofu].map(Product::registry);
        let host = (module.len() == 4).then(|| module.remove(0));
        let is_valid = module.len() == 3 && module.iter().all(|it| is_name_in_registry(it));
        is_valid.then_some(RegistrySource {
            host: host.filter(|it| !own.contains(it)),
            module,
            folder,
        })
    }
}
