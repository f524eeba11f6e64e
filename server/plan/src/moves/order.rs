//! In which order moves happen: one that goes on with what another brought comes after that, and one inside of what
//! another moves comes before or after it, as its addresses say.

use std::collections::BTreeSet;

use super::MoveStatement;

/// The statements in the order in which they apply, those of cycles left out; and the cycles, each with its members.
pub(super) fn order(statements: &[MoveStatement]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let all = 0..statements.len();
    let waits_for: Vec<Vec<usize>> = all
        .clone()
        .map(|one| {
            let is_before =
                |other: &usize| *other != one && depends_on(&statements[one], &statements[*other]);
            all.clone().filter(is_before).collect()
        })
        .collect();
    let mut left: BTreeSet<usize> = all.collect();
    let mut order = Vec::new();
    loop {
        let is_ready = |one: &usize| waits_for[*one].iter().all(|other| !left.contains(other));
        let ready: Vec<usize> = left.iter().copied().filter(is_ready).collect();
        if ready.is_empty() {
            break;
        }
        left.retain(|one| !ready.contains(one));
        order.extend(ready);
    }
    (order, cycles(&waits_for, left))
}

/// Whether `b` has to happen before `a`.
fn depends_on(a: &MoveStatement, b: &MoveStatement) -> bool {
    if a.from.can_chain_from(&b.to) {
        return true;
    }
    let is_nested = a.from.is_nested_within(&b.to)
        || a.to.is_nested_within(&b.to)
        || b.from.is_nested_within(&a.from)
        || b.to.is_nested_within(&a.from);
    // What an outer move does to the keys of a module alone leaves inner addresses as they are: both its ends match
    // them, so only the inner move waits.
    let is_outer = a.to.module.calls().len() < b.to.module.calls().len();
    is_nested && !(is_outer && a.from.only_changes_keys(&a.to))
}

/// The sets of statements among `left` that wait for each other.
fn cycles(waits_for: &[Vec<usize>], left: BTreeSet<usize>) -> Vec<Vec<usize>> {
    let reached = |from: usize| {
        let mut reached: Vec<usize> = Vec::new();
        let mut stack = waits_for[from].clone();
        while let Some(one) = stack.pop() {
            if !reached.contains(&one) {
                reached.push(one);
                stack.extend(&waits_for[one]);
            }
        }
        reached
    };
    let reached: Vec<(usize, Vec<usize>)> =
        left.into_iter().map(|one| (one, reached(one))).collect();
    let mut cycles: Vec<Vec<usize>> = Vec::new();
    for (one, from_one) in &reached {
        let is_seen = cycles.iter().flatten().any(|member| member == one);
        if is_seen || !from_one.contains(one) {
            continue;
        }
        let is_member =
            |(other, back): &&(usize, Vec<usize>)| from_one.contains(other) && back.contains(one);
        let members = reached.iter().filter(is_member).map(|(other, _)| *other);
        cycles.push(members.collect());
    }
    cycles
}
