//! Modules from elsewhere: their sources and versions, as they are installed for the root module and, where the user wants
//! it, as registries have them.

use std::path::Path;

use config::InstalledModule;

use super::providers::pessimistic;
use super::{Completion, CompletionContext, CompletionKind};
use crate::Markdown;
use crate::cursor::{CursorPlace, Within};

/// The rank of installed modules, before those that a registry finds.
const INSTALLED: u8 = 2;

impl CompletionContext<'_> {
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
            item.rank = INSTALLED;
            items.push(item);
        }
        if self.cursor.is_quoted()
            && let Some(registry) = self.registry
        {
            for module in registry.modules(self.default_registry(), &self.cursor.typed) {
                let mut item = self.item(CompletionKind::Module, module.source);
                item.detail = Some(module.version);
                item.documentation = Markdown::documentation(&module.description);
                items.push(item);
            }
        }
    }

    /// Whether the typed beginning of a module's source changes the answer.
    pub(super) fn is_searched(&self) -> bool {
        let (Some(_), CursorPlace::Value(place)) = (self.registry, &self.cursor.place) else {
            return false;
        };
        let is_of_call = self
            .cursor
            .blocks
            .last()
            .is_some_and(|it| it.kind == "module");
        is_of_call && place.argument == "source" && place.within.last() == Some(&Within::Quoted)
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
        let wanted = wanted.to_owned();
        let mut versions: Vec<String> = versions.collect();
        let asked = self
            .registry
            .map(|it| it.module_versions(self.default_registry(), &wanted));
        for version in asked.into_iter().flatten() {
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
        self.versions(&versions, items);
    }

    /// The constraints that versions lead to, the newest first.
    pub(super) fn versions(&self, versions: &[String], items: &mut Vec<Completion>) {
        for (nth, version) in versions.iter().enumerate() {
            let rank = u8::try_from(nth).unwrap_or(u8::MAX).min(3);
            for text in pessimistic(version).into_iter().chain([version.clone()]) {
                let mut item = self.item(CompletionKind::Literal, text);
                item.rank = rank;
                items.push(item);
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

    fn default_registry(&self) -> &'static str {
        self.known.module.profile.product.registry()
    }

    /// As it is written: without the host that is meant anyway.
    fn without_registry<'s>(&self, source: &'s str) -> &'s str {
        let rest = source.strip_prefix(self.default_registry());
        rest.and_then(|it| it.strip_prefix('/')).unwrap_or(source)
    }
}

/// A source without the folder that is meant in the package.
fn package(source: &str) -> &str {
    source.split("//").next().unwrap_or(source)
}
