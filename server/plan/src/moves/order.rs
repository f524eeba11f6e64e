//! In which order moves happen: one that continues another comes after that, and one inside of an object that
//! another moves comes before or after it, as its addresses say.

use std::collections::{BTreeSet, HashMap};

use config::{InstanceKey, Moveable, ResourceAddr, StepPattern};
use smol_str::SmolStr;

use super::MoveStatement;

/// So many statements with the same end are ordered; more than one is an error by itself, unless they are equal.
const WITH_ONE_END: usize = 100;

/// The statements in the order in which they apply, those of cycles left out; and the cycles, each with its members.
pub(super) fn order(statements: &[MoveStatement]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let all = 0..statements.len();
    let counted = counted(statements);
    let concerned = Concerned::new(statements, &counted);
    let waits_for: Vec<Vec<usize>> = all
        .clone()
        .map(|one| {
            if !counted[one] {
                return Vec::new();
            }
            let is_before =
                |other: &usize| *other != one && depends_on(&statements[one], &statements[*other]);
            let others = concerned.by(&statements[one]);
            others.into_iter().filter(is_before).collect()
        })
        .collect();
    let mut waiting: Vec<usize> = waits_for.iter().map(Vec::len).collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); statements.len()];
    for (one, others) in waits_for.iter().enumerate() {
        others.iter().for_each(|other| before[*other].push(one));
    }
    let mut left: BTreeSet<usize> = all.collect();
    let mut ready: BTreeSet<usize> = left
        .iter()
        .copied()
        .filter(|one| waiting[*one] == 0)
        .collect();
    let mut order = Vec::new();
    while !ready.is_empty() {
        let mut next = BTreeSet::new();
        for one in ready {
            left.remove(&one);
            order.push(one);
            for &other in &before[one] {
                waiting[other] -= 1;
                if waiting[other] == 0 {
                    next.insert(other);
                }
            }
        }
        ready = next;
    }
    (order, cycles(&waits_for, &left))
}

/// Of each statement whether it has a place in the order. Relations grow with the square of the statements about one object.
fn counted(statements: &[MoveStatement]) -> Vec<bool> {
    let mut alike = [HashMap::new(), HashMap::new()];
    let statements = statements.iter();
    let counted = statements.map(|statement| {
        let ends = [&statement.from, &statement.to].into_iter();
        let counts = ends.zip(&mut alike).map(|(end, alike)| {
            let count: &mut usize = alike.entry(end).or_default();
            *count += 1;
            *count
        });
        counts.max().is_none_or(|most| most <= WITH_ONE_END)
    });
    counted.collect()
}

/// The statements that may have to do with each other: about one resource, about one module, or about modules in it.
#[derive(Default)]
struct Concerned<'a> {
    /// Those that name this resource.
    by_resource: HashMap<&'a ResourceAddr, StatementsOfAddress<'a>>,
    /// Those that name this instance.
    by_instance: HashMap<(&'a ResourceAddr, &'a InstanceKey), StatementsOfAddress<'a>>,
    /// Those that name this resource, or an instance of it.
    within: HashMap<&'a ResourceAddr, StatementsOfAddress<'a>>,
    /// Those that name this module.
    by_module: HashMap<Vec<&'a SmolStr>, StatementsOfAddress<'a>>,
    /// Those that name something in this module, or the module.
    below: HashMap<Vec<&'a SmolStr>, StatementsOfAddress<'a>>,
}

impl<'a> Concerned<'a> {
    fn new(statements: &'a [MoveStatement], counted: &[bool]) -> Concerned<'a> {
        let mut concerned = Concerned::default();
        let statements = statements.iter().enumerate();
        for (index, statement) in statements.filter(|(index, _)| counted[*index]) {
            for end in [&statement.from, &statement.to] {
                let (calls, pattern) = (end.calls(), end.pattern());
                for depth in 1..=calls.len() {
                    let below = concerned.below.entry(calls[..depth].to_vec());
                    below.or_default().insert(index, &pattern[..depth]);
                }
                let named = match &end.subject {
                    Moveable::Resource(addr) => {
                        concerned.by_resource.entry(&addr.resource).or_default()
                    }
                    Moveable::Instance(addr) => {
                        let instance = (&addr.resource, &addr.key);
                        concerned.by_instance.entry(instance).or_default()
                    }
                    Moveable::Call(..) | Moveable::Module(_) => {
                        concerned.by_module.entry(calls).or_default()
                    }
                };
                named.insert(index, &pattern);
                if let Some(resource) = resource(&end.subject) {
                    let within = concerned.within.entry(resource).or_default();
                    within.insert(index, &pattern);
                }
            }
        }
        concerned
    }

    fn by(&self, statement: &MoveStatement) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for end in [&statement.from, &statement.to] {
            let (calls, pattern) = (end.calls(), end.pattern());
            let mut add = |alike: Option<&StatementsOfAddress<'_>>, depth: usize| {
                for some in alike.iter().flat_map(|it| it.matching(&pattern[..depth])) {
                    found.extend(some);
                }
            };
            for depth in 1..=calls.len() {
                add(self.by_module.get(&calls[..depth]), depth);
            }
            let inner = match &end.subject {
                Moveable::Resource(addr) => self.within.get(&addr.resource),
                Moveable::Instance(addr) => {
                    add(self.by_resource.get(&addr.resource), calls.len());
                    self.by_instance.get(&(&addr.resource, &addr.key))
                }
                Moveable::Call(..) | Moveable::Module(_) => self.below.get(&calls),
            };
            add(inner, calls.len());
        }
        found
    }
}

/// Statements that differ in the instances of modules that they name.
#[derive(Default)]
struct StatementsOfAddress<'a> {
    by_instance: HashMap<Vec<StepPattern<'a>>, Vec<usize>>,
    /// Those that name all instances of a module.
    of_all: Vec<usize>,
}

impl<'a> StatementsOfAddress<'a> {
    fn insert(&mut self, index: usize, pattern: &[StepPattern<'a>]) {
        match names_one(pattern) {
            true => self.by_instance.entry(pattern.to_vec()).or_default(),
            false => &mut self.of_all,
        }
        .push(index);
    }

    /// The statements that may name the same instances.
    fn matching(&self, pattern: &[StepPattern<'a>]) -> Vec<&[usize]> {
        let mut all = vec![&*self.of_all];
        match names_one(pattern) {
            true => all.extend(self.by_instance.get(pattern).map(Vec::as_slice)),
            false => all.extend(self.by_instance.values().map(Vec::as_slice)),
        }
        all
    }
}

fn names_one(pattern: &[StepPattern<'_>]) -> bool {
    pattern.iter().all(|(_, key)| key.is_some())
}

fn resource(subject: &Moveable) -> Option<&ResourceAddr> {
    match subject {
        Moveable::Resource(addr) => Some(&addr.resource),
        Moveable::Instance(addr) => Some(&addr.resource),
        Moveable::Call(..) | Moveable::Module(_) => None,
    }
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
    // An outer move that only changes the keys of a module leaves inner addresses as they are: both its ends match
    // them, so only the inner move waits.
    let is_outer = a.to.module.calls().len() < b.to.module.calls().len();
    is_nested && !(is_outer && a.from.only_changes_keys(&a.to))
}

/// The sets of statements among `left` that wait for each other, by their first statements.
fn cycles(waits_for: &[Vec<usize>], left: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut cycles = graph::strongly_connected(|one: usize| &*waits_for[one], left);
    cycles.retain(|members| members.len() > 1);
    cycles.sort_unstable();
    cycles
}
