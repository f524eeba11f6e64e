//! The entry of a provider in the dependency lock file, beside the requirements of the module.

use config::ProviderAddr;
use syntax::ast::ExprKind;
use text::{FileId, TextSize};

use crate::hover_text::Text;
use crate::{Hover, Snapshot, links};

impl Snapshot {
    pub(super) fn locked(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let syntax = self.hcl_file(file)?.syntax();
        let blocks = syntax.body().blocks();
        let (block, range) = blocks
            .filter_map(|(id, block)| {
                let range = block.range + syntax.offset_of(id)?;
                Some((block, range))
            })
            .find(|(_, range)| range.contains_inclusive(offset))?;
        let addr = block.labels.first()?.text.parse::<ProviderAddr>().ok()?;
        let expr = |name: &str| block.body.attribute(name).map(|it| &it.expr);
        let text_of = |name: &str| expr(name).and_then(|it| it.as_literal_string());
        let known = self.known(file);
        let mut text = Text::default();
        text.code(&addr.to_string());
        if let Some(version) = text_of("version") {
            let used = known
                .plan
                .schemas
                .get(&addr)
                .and_then(|it| it.version.clone());
            text.paragraph(&match used {
                Some(used) if used != version => format!("Locked: {version}; in use: {used}"),
                _ => format!("Locked: {version}"),
            });
        }
        if let Some(constraints) = text_of("constraints") {
            text.paragraph(&format!("Constraints when it was locked: {constraints}"));
        }
        let required = known.module.required_providers.iter();
        for (name, it) in required.filter(|(_, it)| it.source.as_ref() == Some(&addr)) {
            let version = it.version.as_deref();
            text.paragraph(&match version {
                None => format!("Required as {name}"),
                Some(version) => format!("Required as {name}: {version}"),
            });
        }
        if let Some(ExprKind::Tuple(hashes)) = expr("hashes").map(|it| &it.kind) {
            text.paragraph(&format!("Hashes: {}", hashes.len()));
        }
        text.page(links::documentation(&addr, None));
        Some(text.at(range))
    }
}
