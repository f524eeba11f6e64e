//! The step of a resource: one function of all its inputs.
//!
//! The order of its questions is that of the step generator of Pulumi's engine.

use crate::ask::{Changes, Detailed, Diffed};

/// The operation of an update on a resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    Same,
    Create,
    Update,
    /// The new one is created first, unless the old one is deleted before.
    Replace {
        deletes_first: bool,
    },
    Delete,
    /// It exists already, and the stack does not own it.
    Read,
    /// It is no longer read.
    Discard,
    /// It exists already, and the stack takes it over.
    Import,
}

impl Op {
    /// As Pulumi names it.
    pub fn name(self) -> &'static str {
        match self {
            Op::Same => "same",
            Op::Create => "create",
            Op::Update => "update",
            Op::Replace { .. } => "replace",
            Op::Delete => "delete",
            Op::Read => "read",
            Op::Discard => "discard",
            Op::Import => "import",
        }
    }
}

/// Everything that has a say in the step of one resource.
#[derive(Clone, PartialEq, Debug)]
pub struct Situation {
    /// `None` where the state has no such resource.
    pub old: Option<OldObject>,
    pub kind: ResourceKind,
    /// Deleted already, because a dependency is deleted before it is replaced.
    pub is_deleted_before: bool,
    /// Named by `-target`, or nothing is.
    pub is_targeted: bool,
    /// Named by `-replace`.
    pub is_replace_requested: bool,
    /// Whether its replacement trigger is another or not known.
    pub is_triggered: bool,
    /// Whether a resource of its `replaceWith` is replaced.
    pub is_replaced_with: bool,
    /// Whether the resource of its `deletedWith` is replaced. Counts from version 3.260 on.
    pub is_deleted_with: bool,
    /// Whether its provider is another one.
    pub has_new_provider: bool,
    /// The option, where it is set.
    pub deletes_before_replace: Option<bool>,
}

/// Properties of the object in the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OldObject {
    /// Only read, and never created.
    pub is_external: bool,
    pub is_pending_replacement: bool,
    pub has_init_errors: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResourceKind {
    /// A provider returns the changes.
    Custom,
    /// Whether its inputs are others.
    Component { has_changed: bool },
}

/// The operation and its reasons.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    pub op: Op,
    pub replace_keys: Vec<String>,
    pub diff_keys: Vec<String>,
    pub detailed: Option<Detailed>,
}

/// The decision before a provider is asked for differences, if one is possible then.
#[derive(Clone, PartialEq, Debug)]
pub enum EarlyDecision {
    Decided(Decision),
    /// The provider is asked.
    Diff,
}

impl Decision {
    pub(crate) fn plain(op: Op) -> Decision {
        Decision {
            op,
            replace_keys: Vec::new(),
            diff_keys: Vec::new(),
            detailed: None,
        }
    }
}

impl Situation {
    fn replace(&self, keys: &[&str]) -> EarlyDecision {
        let op = Op::Replace {
            deletes_first: self.deletes_before_replace.unwrap_or_default(),
        };
        EarlyDecision::Decided(Decision {
            replace_keys: keys.iter().map(|it| (*it).to_owned()).collect(),
            ..Decision::plain(op)
        })
    }
}

/// The first half: all decisions without the provider.
pub fn decide_early(situation: &Situation) -> EarlyDecision {
    let plain = |op| EarlyDecision::Decided(Decision::plain(op));
    let Some(old) = situation.old else {
        // A resource outside of the targets is not created.
        return match situation.is_targeted {
            true => plain(Op::Create),
            false => plain(Op::Same),
        };
    };
    if situation.is_deleted_before || old.is_external {
        return situation.replace(&[]);
    }
    if !situation.is_targeted {
        return plain(Op::Same);
    }
    if situation.is_triggered {
        return situation.replace(&[]);
    }
    if situation.is_replace_requested {
        return situation.replace(&["id"]);
    }
    if situation.is_replaced_with {
        return situation.replace(&["replaceWith"]);
    }
    if situation.is_deleted_with {
        return situation.replace(&["deletedWith"]);
    }
    if situation.has_new_provider {
        return situation.replace(&["provider"]);
    }
    match situation.kind {
        ResourceKind::Component { has_changed: true } => plain(Op::Update),
        ResourceKind::Component { has_changed: false } => plain(Op::Same),
        ResourceKind::Custom => EarlyDecision::Diff,
    }
}

/// The second half, by the provider's answer. `diff` includes the additions of options and the schema.
pub fn decide(situation: &Situation, diff: Diffed) -> Decision {
    let old = situation.old.unwrap_or(OldObject {
        is_external: false,
        is_pending_replacement: false,
        has_init_errors: false,
    });
    let has_changed = diff.changes == Changes::Some || old.is_pending_replacement;
    let op = match has_changed {
        true if diff.is_replace() || old.is_pending_replacement => Op::Replace {
            deletes_first: situation
                .deletes_before_replace
                .unwrap_or(diff.deletes_before_replace),
        },
        true => Op::Update,
        false if old.has_init_errors => Op::Update,
        false => return Decision::plain(Op::Same),
    };
    Decision {
        op,
        replace_keys: match op {
            Op::Replace { .. } => diff.replaces,
            Op::Same
            | Op::Create
            | Op::Update
            | Op::Delete
            | Op::Read
            | Op::Discard
            | Op::Import => Vec::new(),
        },
        diff_keys: diff.diffs,
        detailed: diff.detailed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{DiffKind, PropertyDiff};
    use crate::path::Path;

    const OLD: OldObject = OldObject {
        is_external: false,
        is_pending_replacement: false,
        has_init_errors: false,
    };

    fn situation() -> Situation {
        Situation {
            old: Some(OLD),
            kind: ResourceKind::Custom,
            is_deleted_before: false,
            is_targeted: true,
            is_replace_requested: false,
            is_triggered: false,
            is_replaced_with: false,
            is_deleted_with: false,
            has_new_provider: false,
            deletes_before_replace: None,
        }
    }

    #[track_caller]
    fn check_early(situation: Situation, expected: &str) {
        let found = match decide_early(&situation) {
            EarlyDecision::Diff => "diff".to_owned(),
            EarlyDecision::Decided(decision) => {
                format!("{} {:?}", decision.op.name(), decision.replace_keys)
            }
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn questions_before_the_provider_have_an_order() {
        check_early(situation(), "diff");
        let create = Situation {
            old: None,
            is_triggered: true,
            ..situation()
        };
        check_early(create.clone(), "create []");
        check_early(
            Situation {
                is_targeted: false,
                ..create
            },
            "same []",
        );
        let all = Situation {
            is_replace_requested: true,
            is_replaced_with: true,
            is_deleted_with: true,
            has_new_provider: true,
            ..situation()
        };
        let mut next = Situation {
            is_triggered: true,
            ..all.clone()
        };
        check_early(next.clone(), "replace []");
        next.is_triggered = false;
        check_early(next.clone(), "replace [\"id\"]");
        next.is_replace_requested = false;
        check_early(next.clone(), "replace [\"replaceWith\"]");
        next.is_replaced_with = false;
        check_early(next.clone(), "replace [\"deletedWith\"]");
        next.is_deleted_with = false;
        check_early(next, "replace [\"provider\"]");
        check_early(
            Situation {
                is_targeted: false,
                ..all
            },
            "same []",
        );
    }

    #[test]
    fn external_and_pending_deletions_are_replaced_without_reasons() {
        let external = OldObject {
            is_external: true,
            ..OLD
        };
        check_early(
            Situation {
                old: Some(external),
                ..situation()
            },
            "replace []",
        );
        check_early(
            Situation {
                is_deleted_before: true,
                is_replace_requested: true,
                ..situation()
            },
            "replace []",
        );
    }

    #[test]
    fn components_change_by_their_inputs() {
        for (has_changed, expected) in [(true, "update []"), (false, "same []")] {
            check_early(
                Situation {
                    kind: ResourceKind::Component { has_changed },
                    ..situation()
                },
                expected,
            );
        }
    }

    fn diff(path: &str, kind: DiffKind) -> Diffed {
        let root = Path::parse(path).unwrap().root().unwrap().to_owned();
        let property = PropertyDiff {
            kind,
            is_of_inputs: false,
        };
        Diffed {
            changes: Changes::Some,
            replaces: match kind.is_replace() {
                true => vec![root.clone()],
                false => Vec::new(),
            },
            diffs: vec![root],
            detailed: Some(Detailed::from([(path.to_owned(), property)])),
            deletes_before_replace: false,
        }
    }

    fn paths(paths: &[&str]) -> Vec<Path> {
        paths.iter().map(|it| Path::parse(it).unwrap()).collect()
    }

    #[track_caller]
    fn check(situation: &Situation, diff: Diffed, expected: &str) {
        let decision = decide(situation, diff);
        let details = decision.detailed.iter().flatten();
        let details: Vec<String> = details
            .map(|(path, diff)| format!("{path}: {}", diff.kind.name()))
            .collect();
        let first = match decision.op {
            Op::Replace {
                deletes_first: true,
            } => " delete first",
            _ => "",
        };
        let keys = decision.replace_keys.join(", ");
        let found = format!(
            "{}{first} [{keys}] {}",
            decision.op.name(),
            details.join(", ")
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn the_step_follows_the_diff_of_the_provider() {
        let all = situation();
        check(
            &all,
            diff("size", DiffKind::Update),
            "update [] size: update",
        );
        check(
            &all,
            diff("zone", DiffKind::UpdateReplace),
            "replace [zone] zone: update-replace",
        );
        let none = Diffed {
            changes: Changes::None,
            ..diff("size", DiffKind::Update)
        };
        check(&all, none.clone(), "same [] ");
        let errors = Situation {
            old: Some(OldObject {
                has_init_errors: true,
                ..OLD
            }),
            ..situation()
        };
        check(&errors, none.clone(), "update [] size: update");
        let pending = Situation {
            old: Some(OldObject {
                is_pending_replacement: true,
                ..OLD
            }),
            ..situation()
        };
        check(&pending, none, "replace [] size: update");
    }

    #[test]
    fn paths_make_replacements_of_updates() {
        let all = situation();
        let nested = diff("rules[1].protocol", DiffKind::Update)
            .replacing_on(&paths(&["rules[*].protocol"]));
        check(&all, nested, "replace [] rules[1].protocol: update-replace");
        let top = diff("size", DiffKind::Add).replacing_on(&paths(&["size"]));
        check(&all, top, "replace [size] size: add-replace");
        let other =
            diff("rules[1].port", DiffKind::Update).replacing_on(&paths(&["rules[*].protocol"]));
        check(&all, other, "update [] rules[1].port: update");
    }

    #[test]
    fn the_option_decides_whether_the_old_one_goes_first() {
        let first = Diffed {
            deletes_before_replace: true,
            ..diff("zone", DiffKind::UpdateReplace)
        };
        check(
            &situation(),
            first.clone(),
            "replace delete first [zone] zone: update-replace",
        );
        let not = Situation {
            deletes_before_replace: Some(false),
            ..situation()
        };
        check(&not, first, "replace [zone] zone: update-replace");
    }
}
