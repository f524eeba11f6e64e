//! Functions: of the language, and of the module's providers.

use eval::functions::Signature;
use text::TextSize;

use super::expected::Expected;
use super::{Completion, CompletionContext, CompletionKind};
use crate::Markdown;

impl CompletionContext<'_> {
    pub(super) fn functions(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) {
        let namespace = self.namespace();
        if namespace.is_empty() {
            let profile = self.known.profile(self.file);
            let functions = eval::functions::signatures().iter();
            for (name, signature) in functions.filter(|(_, it)| profile.has(it.since)) {
                items.push(self.function(name, signature, expected));
            }
        }
        for (name, signature) in self.known.provider_functions() {
            let mut item = self.function(&name, &signature, expected);
            item.range = item
                .range
                .cover_offset(item.range.start() - TextSize::of(namespace));
            items.push(item);
        }
    }

    fn function(&self, name: &str, signature: &Signature, expected: &Expected<'_>) -> Completion {
        let mut item = self.item(CompletionKind::Function, name);
        if !self.rest.starts_with('(') {
            let takes_none = signature.parameters.is_empty() && signature.variadic.is_none();
            item.snippet = format!("{name}({})", if takes_none { "" } else { "$0" });
        }
        item.detail = Some(signature.title(name));
        item.documentation = Markdown::documentation(&signature.description);
        item.rank = expected.rank(&signature.returns).max(5);
        item
    }

    /// The namespace directly before the word: `provider::local::`.
    pub(super) fn namespace(&self) -> &str {
        let text = self.source.syntax().text();
        let before = &text[..usize::from(self.word().start())];
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':');
        let namespace = &before[before.trim_end_matches(is_name).len()..];
        if namespace.ends_with("::") {
            namespace
        } else {
            ""
        }
    }
}
