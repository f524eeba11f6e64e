//! Which changes are denied, and the comments that allow them all the same.

use std::ops::RangeInclusive;

use anyhow::ensure;

use super::report::ReportedChange;

const KINDS: [&str; 5] = ["create", "update", "replace", "destroy", "forget"];

/// In a comment: `# planlens:allow`, `# planlens:allow replace`, `# planlens:allow destroy aws_instance.web`.
const ALLOW: &str = "planlens:allow";

/// The kinds of `-deny`.
pub(super) struct Denied(Vec<String>);

impl Denied {
    pub(super) fn read(said: &str) -> anyhow::Result<Denied> {
        let kinds = said.split(',').map(str::trim).filter(|it| !it.is_empty());
        let kinds: Vec<String> = kinds.map(str::to_owned).collect();
        for kind in &kinds {
            ensure!(
                KINDS.contains(&kind.as_str()),
                "-deny takes {}, not {kind:?}",
                KINDS.join(", ")
            );
        }
        Ok(Denied(kinds))
    }

    pub(super) fn takes(&self, change: &ReportedChange) -> bool {
        let kind = change.kind();
        let is_allowed = change.allowed.iter().any(|it| it == kind || it == "any");
        self.0.iter().any(|it| it == kind) && !is_allowed
    }
}

/// A comment that allows something.
struct Allowing<'a> {
    line: usize,
    kinds: Vec<&'a str>,
    addresses: Vec<&'a str>,
}

/// The kinds that comments in a text allow for the object of this address, whose block is in these lines, counted from 1.
pub(super) fn allowed(
    text: &str,
    address: &str,
    block: Option<RangeInclusive<usize>>,
) -> Vec<String> {
    if !text.contains(ALLOW) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let is_comment = |line: usize| {
        let line = lines
            .get(line.wrapping_sub(1))
            .map_or("", |it| it.trim_start());
        line.starts_with('#') || line.starts_with("//")
    };
    let block = block.map(|block| {
        // The comments right above it belong to it.
        let mut start = *block.start();
        while is_comment(start - 1) {
            start -= 1;
        }
        start..=*block.end()
    });
    let resource = address.split('[').next().unwrap_or(address);
    let mut allowed = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(it) = allowing(index + 1, line) else {
            continue;
        };
        let is_named = it
            .addresses
            .iter()
            .any(|it| *it == address || *it == resource);
        let is_beside = block.as_ref().is_some_and(|block| block.contains(&it.line));
        if is_named || it.addresses.is_empty() && is_beside {
            match it.kinds.as_slice() {
                [] => allowed.push("any".to_owned()),
                kinds => allowed.extend(kinds.iter().map(|it| (*it).to_owned())),
            }
        }
    }
    allowed
}

fn allowing(line: usize, text: &str) -> Option<Allowing<'_>> {
    let (before, said) = text.split_once(ALLOW)?;
    let is_comment = before.contains('#') || before.contains("//");
    let words: Vec<&str> = said
        .split([' ', ',', '\t'])
        .filter(|it| !it.is_empty())
        .collect();
    let kinds: Vec<&str> = words
        .iter()
        .copied()
        .filter(|it| KINDS.contains(it))
        .collect();
    let addresses = words
        .iter()
        .copied()
        .filter(|it| it.contains('.'))
        .collect();
    is_comment.then_some(Allowing {
        line,
        kinds,
        addresses,
    })
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn a_comment_allows_the_change_that_it_names_or_stands_at() {
        let text = "# planlens:allow replace\n# of a test\nresource \"a\" \"b\" {\n}\nresource \"a\" \"c\" { # planlens:allow\n}\n# planlens:allow destroy a.gone, a.old\nlocals {}\nx = \"planlens:allow\"\n";
        assert_eq!(allowed(text, "a.b", Some(3..=4)), ["replace"]);
        assert_eq!(allowed(text, "a.c[0]", Some(5..=6)), ["any"]);
        assert_eq!(allowed(text, "a.gone", None), ["destroy"]);
        assert_eq!(allowed(text, "a.old[\"x\"]", None), ["destroy"]);
        assert!(allowed(text, "a.other", None).is_empty());
        assert!(allowed(text, "x", Some(9..=9)).is_empty());
    }
}
