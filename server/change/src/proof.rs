//! Whether an edit changes what a plan does.

use std::collections::BTreeMap;
use std::fmt;

use crate::ChangeKind;

/// The comparison of the plans before and after an edit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// Objects that the second plan treats differently.
    pub differences: Vec<Difference>,
    /// Summaries of errors that were not there before.
    pub errors: Vec<String>,
    /// Why something could not be planned, and so is not compared.
    pub unplanned: Option<String>,
}

/// One object that the plan treats otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The address after the edit.
    pub addr: String,
    /// `None` where the plan has no such object.
    pub before: Option<ChangeKind>,
    pub after: Option<ChangeKind>,
}

impl Proof {
    /// Compares what two plans do to objects, by the addresses that these have after the edit, and the summaries of their
    /// errors. The key identifies an object; `name` gives the address that messages use.
    pub fn of<K: Ord>(
        [before, after]: [&mut dyn Iterator<Item = (K, ChangeKind)>; 2],
        name: impl Fn(&K) -> String,
        [errors_before, errors_after]: [&mut dyn Iterator<Item = &str>; 2],
    ) -> Proof {
        let mut kinds: BTreeMap<K, (Option<ChangeKind>, Option<ChangeKind>)> = BTreeMap::new();
        for (key, kind) in before {
            kinds.entry(key).or_default().0 = Some(kind);
        }
        for (key, kind) in after {
            kinds.entry(key).or_default().1 = Some(kind);
        }
        let differences = kinds
            .into_iter()
            .filter(|(_, (before, after))| before != after);
        let differences = differences.map(|(key, (before, after))| Difference {
            addr: name(&key),
            before,
            after,
        });
        let differences = differences.collect();
        let mut errors: BTreeMap<&str, usize> = BTreeMap::new();
        for error in errors_after {
            *errors.entry(error).or_default() += 1;
        }
        for error in errors_before {
            if let Some(now) = errors.get_mut(error) {
                *now = now.saturating_sub(1);
            }
        }
        errors.retain(|_, count| *count > 0);
        Proof {
            differences,
            errors: errors.into_keys().map(str::to_owned).collect(),
            unplanned: None,
        }
    }

    /// Whether the edit is known to change nothing.
    pub fn is_safe(&self) -> bool {
        self.differences.is_empty() && self.errors.is_empty()
    }

    /// One line per difference, then the new errors.
    pub fn details(&self) -> String {
        let differences = self.differences.iter().map(|it| {
            let what = match it.after {
                None | Some(ChangeKind::NoOp) => "is no longer changed",
                Some(ChangeKind::Create) => "would be created",
                Some(ChangeKind::Read) => "would be read",
                Some(ChangeKind::Update) => "would be changed",
                Some(
                    ChangeKind::DeleteThenCreate
                    | ChangeKind::CreateThenDelete
                    | ChangeKind::ForgetThenCreate,
                ) => "would be replaced",
                Some(ChangeKind::Delete) => "would be destroyed",
                Some(ChangeKind::Forget) => "would be forgotten",
                Some(ChangeKind::Import) => "would be imported",
                Some(ChangeKind::Refresh) => "would be refreshed",
            };
            format!("{} {what}", it.addr)
        });
        let lines: Vec<String> = differences.chain(self.errors.iter().cloned()).collect();
        lines.join("\n")
    }

    /// What two root modules prove together.
    pub fn and(mut self, other: Proof) -> Proof {
        self.differences.extend(other.differences);
        self.errors.extend(other.errors);
        self.unplanned = self.unplanned.or(other.unplanned);
        self
    }
}

/// In a few words: `no changes to infrastructure`, or `1 to add, 1 to destroy`.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.errors.first() {
            return write!(f, "the plan would fail: {error}");
        }
        if self.differences.is_empty() {
            return match &self.unplanned {
                None => f.write_str("no changes to infrastructure"),
                Some(caveat) => write!(f, "no changes in what could be planned ({caveat})"),
            };
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for difference in &self.differences {
            let what = match difference.after {
                None | Some(ChangeKind::NoOp) => "no longer changed",
                Some(ChangeKind::Create) => "to add",
                Some(ChangeKind::Read) => "to read",
                Some(ChangeKind::Update) => "to change",
                Some(
                    ChangeKind::DeleteThenCreate
                    | ChangeKind::CreateThenDelete
                    | ChangeKind::ForgetThenCreate,
                ) => "to replace",
                Some(ChangeKind::Delete) => "to destroy",
                Some(ChangeKind::Forget) => "to forget",
                Some(ChangeKind::Import) => "to import",
                Some(ChangeKind::Refresh) => "to refresh",
            };
            *counts.entry(what).or_default() += 1;
        }
        let counts: Vec<String> = counts
            .iter()
            .map(|(what, count)| format!("{count} {what}"))
            .collect();
        f.write_str(&counts.join(", "))
    }
}
