//! The resources that `-target` and `-replace` name.

use crate::urn::Urn;

/// URNs, and patterns of URNs: `*` stands for anything in one part, `**` for anything.
///
/// Source: `UrnTargets` in `pkg/resource/deploy/deployment.go` of Pulumi's engine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Targets(Vec<String>);

impl Targets {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contain(&self, urn: &Urn) -> bool {
        self.0.iter().any(|it| matches(it, urn.as_str()))
    }

    /// The errors about URNs that the stack does not have.
    pub(crate) fn missing(&self, is_known: impl Fn(&str) -> bool) -> Vec<String> {
        let missing = self
            .0
            .iter()
            .filter(|it| !it.contains('*') && !is_known(it));
        let messages = missing.map(|urn| {
            let hint = match urn.contains('$') {
                true => "",
                false => " Did you forget to escape $ in your shell?",
            };
            format!("Target '{urn}' could not be found in the stack.{hint}")
        });
        messages.collect()
    }
}

impl FromIterator<String> for Targets {
    fn from_iter<I: IntoIterator<Item = String>>(urns: I) -> Targets {
        Targets(urns.into_iter().collect())
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(before) else {
        return false;
    };
    let (after, stops_at_parts) = match after.strip_prefix('*') {
        Some(after) => (after, false),
        None => (after, true),
    };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    let mut ends = ends.take_while(|end| !(stops_at_parts && rest[..*end].contains(':')));
    ends.any(|end| matches(after, &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_parts_or_anything() {
        let targets = Targets::from_iter(["urn:*::b".to_owned(), "**::c".to_owned()]);
        let contain = |urn: &str| targets.contain(&Urn::new(urn));
        assert!(contain("urn:a::b") && contain("urn:::b") && contain("urn:x::y::c"));
        assert!(!contain("urn:a:x::b") && !contain("urn:a::bc") && !contain("c"));
    }

    #[test]
    fn urns_that_the_stack_does_not_have_are_named() {
        let urns = ["known", "nope", "a$b", "any*"].map(str::to_owned);
        let missing = Targets::from_iter(urns).missing(|it| it == "known");
        let expected = [
            "Target 'nope' could not be found in the stack. Did you forget to escape $ in your shell?",
            "Target 'a$b' could not be found in the stack.",
        ];
        assert_eq!(missing, expected);
    }
}
