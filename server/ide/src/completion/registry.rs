//! Modules from elsewhere that are installed for the root module: their sources and versions.

use std::path::Path;

use config::InstalledModule;

use super::providers::pessimistic;
use super::{Completion, CompletionKind, Context};

impl Context<'_> {
    /// Sources of installed modules, as a call names them.
    pub(super) fn installed_modules(&self, items: &mut Vec<Completion>) {
        for module in self.modules_from_elsewhere() {
            let mut item = self.item(
                CompletionKind::Module,
                self.without_registry(&module.source),
            );
            item.detail = module
                .version
                .map(|version| format!("{version}, installed"));
            items.push(item);
        }
    }

    /// Versions of the module that the call around the cursor calls.
    pub(super) fn installed_versions(&self, items: &mut Vec<Completion>) {
        let source = self.own_body().and_then(|body| {
            let source = body.attribute("source")?;
            source.expr.as_literal_string()
        });
        let Some(source) = source else { return };
        let wanted = package(self.without_registry(&source));
        let installed = self.modules_from_elsewhere().into_iter();
        let versions = installed
            .filter(|module| package(self.without_registry(&module.source)) == wanted)
            .filter_map(|module| module.version);
        for version in versions {
            for text in pessimistic(&version).into_iter().chain([version.clone()]) {
                items.push(self.item(CompletionKind::Literal, text));
            }
        }
    }

    fn modules_from_elsewhere(&self) -> Vec<InstalledModule> {
        let root = self.root.or_else(|| Path::new(self.file.path()).parent());
        let (Some(files), Some(root)) = (self.files, root.and_then(Path::to_str)) else {
            return Vec::new();
        };
        let mut installed = config::installed_modules(files, root, ".terraform");
        installed.retain(|module| !module.source.is_empty() && !module.source.starts_with('.'));
        installed
    }

    /// As it is written: without the host that is meant anyway.
    fn without_registry<'s>(&self, source: &'s str) -> &'s str {
        let registry = self.known.module.profile.product.registry();
        let rest = source.strip_prefix(registry);
        rest.and_then(|it| it.strip_prefix('/')).unwrap_or(source)
    }
}

/// A source without the folder that is meant in the package.
fn package(source: &str) -> &str {
    source.split("//").next().unwrap_or(source)
}
