//! Links in the text: documentation of providers and resource types, and modules. Few, as editors underline them.

use config::{ProviderAddr, ResourceMode};
use syntax::ast::{Block, Item};
use text::{FileId, TextRange};

use crate::referent::local_module;
use crate::{ModuleContext, Snapshot};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    pub range: TextRange,
    pub target: LinkTarget,
    pub tooltip: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkTarget {
    Page(String),
    File(FileId),
}

impl Snapshot {
    pub fn links(&self, file: &FileId) -> Vec<Link> {
        let Some(source) = self.hcl_file(file) else {
            return Vec::new();
        };
        let known = self.known(file);
        let mut links = Vec::new();
        for segment in source.syntax().segments() {
            for item in &segment.parsed.items {
                if let Item::Block(block) = item {
                    let before = links.len();
                    self.links_of(block, file, &known, &mut links);
                    for link in &mut links[before..] {
                        link.range += segment.offset;
                    }
                }
            }
        }
        links
    }

    fn links_of(&self, block: &Block, file: &FileId, known: &ModuleContext, links: &mut Vec<Link>) {
        let Some(label) = block.labels.first() else {
            return;
        };
        let mode = ResourceMode::of_block_type(&block.kind.name);
        let page = match (mode, block.kind.name.as_str()) {
            (Some(mode), _) => {
                let local_name = label.text.split('_').next().unwrap_or_default();
                documentation(
                    &known.module.provider_addr(local_name),
                    Some((mode, &label.text)),
                )
            }
            (None, "provider") => documentation(&known.module.provider_addr(&label.text), None),
            _ => None,
        };
        links.extend(page.map(|page| Link {
            range: label.range,
            target: LinkTarget::Page(page),
            tooltip: format!("Documentation of {}", label.text),
        }));
        if block.kind.name == "module"
            && let Some(source) = block.body.attribute("source")
            && let Some(text) = source.expr.as_literal_string()
        {
            let folder = local_module(file, &text);
            let main = folder.and_then(|dir| {
                let module = &self.known_modules().get(&dir)?.module;
                let mut files = module.files.keys();
                files
                    .find(|file| file.name() == "main.tf")
                    .or_else(|| module.files.keys().next())
                    .cloned()
            });
            let target = main
                .map(LinkTarget::File)
                .or_else(|| registry_page(&text).map(LinkTarget::Page));
            links.extend(target.map(|target| Link {
                range: source.expr.range,
                target,
                tooltip: format!("Module {text}"),
            }));
        }
    }
}

/// The page of a provider, or of one of its types. Only public registries have such pages.
pub(crate) fn documentation(
    provider: &ProviderAddr,
    r#type: Option<(ResourceMode, &str)>,
) -> Option<String> {
    if provider.is_builtin() {
        let page = match r#type? {
            (ResourceMode::Managed, "terraform_data") => "resources/terraform-data",
            (ResourceMode::Data, "terraform_remote_state") => "state/remote-state-data",
            _ => return None,
        };
        return Some(format!(
            "https://developer.hashicorp.com/terraform/language/{page}"
        ));
    }
    let ProviderAddr {
        host,
        namespace,
        r#type: name,
    } = provider;
    if host != ProviderAddr::DEFAULT_HOST {
        return None;
    }
    let base = format!("https://{host}/providers/{namespace}/{name}/latest/docs");
    let Some((mode, type_name)) = r#type else {
        return Some(base);
    };
    let folder = match mode {
        ResourceMode::Managed => "resources",
        ResourceMode::Data => "data-sources",
        ResourceMode::Ephemeral => "ephemeral-resources",
        ResourceMode::Action => "actions",
    };
    let page = type_name
        .strip_prefix(&format!("{name}_"))
        .unwrap_or(type_name);
    Some(format!("{base}/{folder}/{page}"))
}

/// The page of a module of the public registry.
fn registry_page(source: &str) -> Option<String> {
    let source = source.split("//").next()?;
    let parts: Vec<&str> = source.split('/').collect();
    let is_name = |part: &&str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
    };
    match parts.as_slice() {
        parts @ [_, _, _] if parts.iter().all(is_name) => Some(format!(
            "https://{}/modules/{source}/latest",
            ProviderAddr::DEFAULT_HOST
        )),
        _ => None,
    }
}
