//! Addresses of providers and of their configurations.

use std::fmt;
use std::str::FromStr;

use schema::Bundled;
use smol_str::{SmolStr, ToSmolStr};

use super::{AddrError, ModuleAddr};
use crate::language_release::Product;

/// A provider's source address, `HOST/NAMESPACE/TYPE`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProviderAddr {
    pub host: SmolStr,
    pub namespace: SmolStr,
    pub r#type: SmolStr,
}

impl ProviderAddr {
    /// The registry that an address without a host means. OpenTofu has another one: see [`ProviderAddr::parse_on`].
    pub const DEFAULT_HOST: &'static str = "registry.terraform.io";

    pub fn new(
        host: impl Into<SmolStr>,
        namespace: impl Into<SmolStr>,
        r#type: impl Into<SmolStr>,
    ) -> ProviderAddr {
        ProviderAddr {
            host: host.into(),
            namespace: namespace.into(),
            r#type: r#type.into(),
        }
    }

    /// The provider that a local name means when `required_providers` doesn't say otherwise, for Terraform.
    pub fn implied(local_name: &str) -> ProviderAddr {
        ProviderAddr::implied_on(ProviderAddr::DEFAULT_HOST, local_name)
    }

    /// The provider that a local name means where `default_host` is the registry.
    pub fn implied_on(default_host: &'static str, local_name: &str) -> ProviderAddr {
        match local_name {
            "terraform" => ProviderAddr::builtin(),
            name => ProviderAddr::new(
                SmolStr::new_static(default_host),
                SmolStr::new_static("hashicorp"),
                name,
            ),
        }
    }

    /// The provider inside the CLI itself, with `terraform_data`.
    pub fn builtin() -> ProviderAddr {
        ProviderAddr::new(
            SmolStr::new_static("terraform.io"),
            SmolStr::new_static("builtin"),
            SmolStr::new_static("terraform"),
        )
    }

    pub fn is_builtin(&self) -> bool {
        self.host == "terraform.io" && self.namespace == "builtin"
    }

    /// The bundled schema of a provider of a public registry.
    pub fn bundled(&self) -> Option<&'static Bundled> {
        let registries = [Product::Terraform, Product::OpenTofu].map(Product::registry);
        let is_public = registries.contains(&self.host.as_str());
        let name = is_public.then(|| format!("{}/{}", self.namespace, self.r#type))?;
        schema::bundled().get(name.as_str())
    }

    /// Reads `TYPE`, `NAMESPACE/TYPE` or `HOST/NAMESPACE/TYPE` where `default_host` stands for a missing host.
    pub fn parse_on(default_host: &str, text: &str) -> Result<ProviderAddr, AddrError> {
        let parts: Vec<&str> = text.split('/').collect();
        let (host, namespace, r#type) = match parts[..] {
            [r#type] => (default_host, "hashicorp", r#type),
            [namespace, r#type] => (default_host, namespace, r#type),
            [host, namespace, r#type] => (host, namespace, r#type),
            _ => {
                return Err(AddrError(
                    "the \"source\" attribute must be in the format \"[hostname/][namespace/]name\"".into(),
                ));
            }
        };
        let r#type = provider_part(r#type).map_err(|why| {
            AddrError(format!(
                "invalid provider type {:?} in source {text:?}: {why}",
                r#type
            ))
        })?;
        let namespace = if namespace == LEGACY_NAMESPACE {
            LEGACY_NAMESPACE.into()
        } else {
            provider_part(namespace).map_err(|why| {
                AddrError(format!(
                    "invalid provider namespace {namespace:?} in source {text:?}: {why}"
                ))
            })?
        };
        let host = hostname(host).ok_or_else(|| {
            AddrError(format!(
                "invalid provider source hostname {host:?} in source {text:?}"
            ))
        })?;
        if namespace == LEGACY_NAMESPACE && host != default_host {
            return Err(AddrError(format!(
                "the legacy provider namespace \"-\" can be used only with hostname {default_host}"
            )));
        }
        let addr = ProviderAddr {
            host,
            namespace,
            r#type,
        };
        if parts.len() > 1 && addr.r#type.starts_with("terraform-") {
            return Err(AddrError(redundant_prefix(&addr)));
        }
        Ok(addr)
    }

    /// The address as messages show it: without a default host.
    pub fn for_display(&self) -> String {
        let defaults = [Product::Terraform, Product::OpenTofu].map(Product::registry);
        if defaults.contains(&self.host.as_str()) {
            format!("{}/{}", self.namespace, self.r#type)
        } else {
            self.to_string()
        }
    }
}

impl FromStr for ProviderAddr {
    type Err = AddrError;

    fn from_str(text: &str) -> Result<ProviderAddr, AddrError> {
        ProviderAddr::parse_on(ProviderAddr::DEFAULT_HOST, text)
    }
}

impl fmt::Display for ProviderAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.namespace, self.r#type)
    }
}

/// The namespace of providers from before source addresses existed, still seen in old state.
const LEGACY_NAMESPACE: &str = "-";

fn redundant_prefix(addr: &ProviderAddr) -> String {
    match addr.r#type.strip_prefix("terraform-provider-") {
        Some(rest) if provider_part(rest).is_ok() => {
            let suggested = ProviderAddr {
                r#type: rest.into(),
                ..addr.clone()
            };
            format!(
                "Provider source \"{}\" has a type with the prefix \"terraform-provider-\", which isn't valid. Although that prefix is often used in the names of version control repositories for Terraform providers, provider source strings should not include it.\n\nDid you mean \"{}\"?",
                addr.for_display(),
                suggested.for_display()
            )
        }
        _ => format!(
            "Provider source \"{addr}\" has a type with the prefix \"terraform-\", which isn't allowed because it would be redundant to name a Terraform provider with that prefix. If you are the author of this provider, rename it to not include the prefix."
        ),
    }
}

/// A namespace or type in its normal form: lower case letters, digits and inner single dashes.
pub(crate) fn provider_part(text: &str) -> Result<SmolStr, &'static str> {
    if text.is_empty() {
        return Err("must have at least one character");
    }
    let is_valid = |c: char| c.is_alphanumeric() || c == '-';
    if !text.chars().all(is_valid) {
        return Err(
            "must contain only letters, digits, and dashes, and may not use leading or trailing dashes",
        );
    }
    if text.starts_with('-') || text.ends_with('-') {
        return Err(
            "must contain only letters, digits, and dashes, and may not use leading or trailing dashes",
        );
    }
    if text.contains("--") {
        return Err("cannot use multiple consecutive dashes");
    }
    Ok(text.to_lowercase().into())
}

/// A host name in its normal form, with a port when it is not 443.
fn hostname(text: &str) -> Option<SmolStr> {
    let (name, port) = match text.split_once(':') {
        Some((name, port)) => (name, Some(port.parse::<u16>().ok()?)),
        None => (text, None),
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if !name.split('.').all(is_label) {
        return None;
    }
    let name = name.to_lowercase();
    Some(match port {
        None | Some(443) => name.into(),
        Some(port) => format_args!("{name}:{port}").to_smolstr(),
    })
}

/// A provider configuration: a `provider` block, or the empty one that a module without it uses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProviderConfigAddr {
    pub module: ModuleAddr,
    pub provider: ProviderAddr,
    pub alias: Option<SmolStr>,
}

impl fmt::Display for ProviderConfigAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.module.is_root() { "" } else { "." };
        write!(f, "{}{dot}provider[\"{}\"]", self.module, self.provider)?;
        match &self.alias {
            Some(alias) => write!(f, ".{alias}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_address_is_completed_from_the_right() {
        for (text, full) in [
            ("aws", "registry.terraform.io/hashicorp/aws"),
            ("Hashicorp/AWS", "registry.terraform.io/hashicorp/aws"),
            ("example.com:443/a/b", "example.com/a/b"),
            ("example.com:8443/a/b", "example.com:8443/a/b"),
            (
                "terraform.io/builtin/terraform",
                "terraform.io/builtin/terraform",
            ),
        ] {
            assert_eq!(text.parse::<ProviderAddr>().unwrap().to_string(), full);
        }
        for text in [
            "",
            "/",
            "a//b",
            "a/b/c/d",
            "a_b",
            "-/x/y",
            "x/terraform-provider-y",
            "-a",
        ] {
            assert!(text.parse::<ProviderAddr>().is_err(), "{text}");
        }
    }

    #[test]
    fn provider_configuration_addresses_print_as_they_are_read() {
        for text in [
            "provider[\"registry.terraform.io/hashicorp/random\"]",
            "provider[\"registry.terraform.io/hashicorp/random\"].east",
            "module.a.module.b.provider[\"example.com/x/y\"].east",
        ] {
            assert_eq!(
                text.parse::<ProviderConfigAddr>().unwrap().to_string(),
                text
            );
        }
        assert!(
            "module.a[0].provider[\"aws\"]"
                .parse::<ProviderConfigAddr>()
                .is_err()
        );
        assert!("provider.aws".parse::<ProviderConfigAddr>().is_err());
    }
}
