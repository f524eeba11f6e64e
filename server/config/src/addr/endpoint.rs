//! The two ends of a move: their subjects, the addresses that they match, and how they relate to other moves.
//!
//! Follows OpenTofu's `internal/addrs` (`move_endpoint_module.go`).

use std::fmt;

use smol_str::SmolStr;

use super::{
    AbsResourceAddr, InstanceKey, ModuleAddr, ModuleInstanceAddr, ModuleStep, ResourceInstanceAddr,
    Target,
};

/// An object that can get another address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moveable {
    /// All instances of a module call, in one instance of the calling module.
    Call(ModuleInstanceAddr, SmolStr),
    Module(ModuleInstanceAddr),
    Resource(AbsResourceAddr),
    Instance(ResourceInstanceAddr),
}

impl Moveable {
    /// The noun for it in messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Moveable::Call(..) => "module call",
            Moveable::Module(_) => "module instance",
            Moveable::Resource(_) => "resource",
            Moveable::Instance(_) => "resource instance",
        }
    }

    pub fn short_noun(&self) -> &'static str {
        match self {
            Moveable::Call(..) => "call",
            Moveable::Module(_) | Moveable::Instance(_) => "instance",
            Moveable::Resource(_) => "resource",
        }
    }

    pub fn is_module(&self) -> bool {
        matches!(self, Moveable::Call(..) | Moveable::Module(_))
    }

    /// The module instance that it is in; of a module instance that instance itself.
    fn module(&self) -> &ModuleInstanceAddr {
        match self {
            Moveable::Call(module, _) | Moveable::Module(module) => module,
            Moveable::Resource(addr) => &addr.module,
            Moveable::Instance(addr) => &addr.module,
        }
    }

    /// The same object as seen from the root, where it is named relative to `base`.
    fn within(&self, base: &[ModuleStep]) -> Moveable {
        let module = joined(&[base, self.module().steps()]);
        match self {
            Moveable::Call(_, call) => Moveable::Call(module, call.clone()),
            Moveable::Module(_) => Moveable::Module(module),
            Moveable::Resource(addr) => Moveable::Resource(module.resource(addr.resource.clone())),
            Moveable::Instance(addr) => {
                let resource = module.resource(addr.resource.clone());
                Moveable::Instance(resource.instance(addr.key.clone()))
            }
        }
    }
}

impl fmt::Display for Moveable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moveable::Call(module, call) => module.child(call.clone(), InstanceKey::None).fmt(f),
            Moveable::Module(addr) => addr.fmt(f),
            Moveable::Resource(addr) => addr.fmt(f),
            Moveable::Instance(addr) => addr.fmt(f),
        }
    }
}

/// One end of a move. It stands for one object in each instance of the module that declares the move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MoveEndpoint {
    /// The module that declares the move.
    pub module: ModuleAddr,
    /// Relative to that module.
    pub subject: Moveable,
}

/// A step of a pattern for module instances; without a key it matches every instance.
pub type StepPattern<'a> = (&'a SmolStr, Option<&'a InstanceKey>);

impl MoveEndpoint {
    /// Both ends of a `moved` block, brought to one kind: whole resources or whole module calls where neither end has
    /// an instance key, and single instances otherwise. `None` if one is a module and the other a resource.
    pub fn unify(
        module: &ModuleAddr,
        from: &Target,
        to: &Target,
    ) -> Option<(MoveEndpoint, MoveEndpoint)> {
        let has_key = |target: &Target| match target {
            Target::Module(addr) => addr
                .steps()
                .last()
                .is_none_or(|step| step.key != InstanceKey::None),
            Target::Resource(_) => false,
            Target::Instance(addr) => addr.key != InstanceKey::None,
        };
        let is_whole = !has_key(from) && !has_key(to);
        let end = |target: &Target| MoveEndpoint {
            module: module.clone(),
            subject: subject(target, is_whole),
        };
        let (from, to) = (end(from), end(to));
        (from.subject.is_module() == to.subject.is_module()).then_some((from, to))
    }

    /// The meaning of this end in one instance of the module that declares it.
    pub fn in_instance(&self, module: &ModuleInstanceAddr) -> Moveable {
        self.subject.within(module.steps())
    }

    /// The module instances that this end names, or that its subject is in.
    pub fn pattern(&self) -> Vec<StepPattern<'_>> {
        let base = self.module.calls().iter().map(|call| (call, None));
        let steps = self.subject.module().steps();
        let inner = steps.iter().map(|step| (&step.call, Some(&step.key)));
        let mut pattern: Vec<StepPattern<'_>> = base.chain(inner).collect();
        if let Moveable::Call(_, call) = &self.subject {
            pattern.push((call, None));
        }
        pattern
    }

    /// The calls of the module that this end names, or that its subject is in.
    pub fn calls(&self) -> Vec<&SmolStr> {
        self.pattern().into_iter().map(|(call, _)| call).collect()
    }

    /// Whether the end names this module instance, or something right in it.
    pub fn selects_module(&self, addr: &ModuleInstanceAddr) -> bool {
        let pattern = self.pattern();
        let matches = |(pattern, step): (&StepPattern<'_>, &ModuleStep)| {
            *pattern.0 == step.call && pattern.1.is_none_or(|key| *key == step.key)
        };
        pattern.len() == addr.steps().len() && pattern.iter().zip(addr.steps()).all(matches)
    }

    /// Whether the end names this resource, or an instance of it.
    pub fn selects_resource(&self, addr: &AbsResourceAddr) -> bool {
        let resource = match &self.subject {
            Moveable::Call(..) | Moveable::Module(_) => return false,
            Moveable::Resource(own) => &own.resource,
            Moveable::Instance(own) => &own.resource,
        };
        *resource == addr.resource && self.selects_module(&addr.module)
    }

    /// Whether a move from here continues a move to `other`.
    pub fn can_chain_from(&self, other: &MoveEndpoint) -> bool {
        let (ours, theirs) = (self.pattern(), other.pattern());
        if ours.len() != theirs.len() || !can_match(&theirs, &ours) {
            return false;
        }
        match (&other.subject, &self.subject) {
            (Moveable::Resource(theirs), Moveable::Resource(ours)) => {
                theirs.resource == ours.resource
            }
            (Moveable::Instance(theirs), Moveable::Instance(ours)) => {
                (&theirs.resource, &theirs.key) == (&ours.resource, &ours.key)
            }
            (theirs, ours) => theirs.is_module() && ours.is_module(),
        }
    }

    /// Whether the subject of this end is a part of that of `other`.
    pub fn is_nested_within(&self, other: &MoveEndpoint) -> bool {
        let (ours, theirs) = (self.pattern(), other.pattern());
        if theirs.len() > ours.len() || !can_match(&theirs, &ours) {
            return false;
        }
        let is_deeper = ours.len() > theirs.len();
        match (&other.subject, &self.subject) {
            (Moveable::Call(..), Moveable::Call(..)) => is_deeper,
            (Moveable::Call(..), _) => true,
            (Moveable::Module(_), Moveable::Module(_) | Moveable::Call(..)) => is_deeper,
            (Moveable::Module(_), _) => true,
            (Moveable::Resource(theirs), Moveable::Instance(ours)) => {
                !is_deeper && theirs.resource == ours.resource
            }
            (Moveable::Resource(_) | Moveable::Instance(_), _) => false,
        }
    }

    /// Whether a move from here to `to` changes nothing but instance keys of modules.
    pub fn only_changes_keys(&self, to: &MoveEndpoint) -> bool {
        let module = |subject: &Moveable| match subject {
            Moveable::Call(module, call) => Some(module.module().child(call.clone())),
            Moveable::Module(addr) => Some(addr.module()),
            Moveable::Resource(_) | Moveable::Instance(_) => None,
        };
        let is_call = |end: &MoveEndpoint| matches!(end.subject, Moveable::Call(..));
        let from = module(&self.subject);
        from.is_some() && from == module(&to.subject) && !(is_call(self) && is_call(to))
    }

    /// The steps of `addr` up to the instance of the declaring module, and those from there on.
    fn split<'a>(
        &self,
        addr: &'a ModuleInstanceAddr,
    ) -> Option<(&'a [ModuleStep], &'a [ModuleStep])> {
        let calls = self.module.calls();
        let (base, rest) = addr.steps().split_at_checked(calls.len())?;
        let is_same = base.iter().map(|step| &step.call).eq(calls);
        is_same.then_some((base, rest))
    }

    /// Where a move from here to `to` brings a module instance; `None` if it isn't moved.
    pub fn module_destination(
        &self,
        to: &MoveEndpoint,
        addr: &ModuleInstanceAddr,
    ) -> Option<ModuleInstanceAddr> {
        let (base, rest) = self.split(addr)?;
        match (&self.subject, &to.subject) {
            (Moveable::Module(from), Moveable::Module(to)) => {
                let inner = rest.strip_prefix(from.steps())?;
                Some(joined(&[base, to.steps(), inner]))
            }
            (Moveable::Call(module, from), Moveable::Call(to, call)) => {
                let (step, inner) = rest.strip_prefix(module.steps())?.split_first()?;
                let moved = ModuleStep {
                    call: call.clone(),
                    key: step.key.clone(),
                };
                (step.call == *from).then(|| joined(&[base, to.steps(), &[moved], inner]))
            }
            _ => None,
        }
    }

    /// Where a move from here to `to` brings a whole resource; `None` if it isn't moved as a whole.
    pub fn resource_destination(
        &self,
        to: &MoveEndpoint,
        addr: &AbsResourceAddr,
    ) -> Option<AbsResourceAddr> {
        match (&self.subject, &to.subject) {
            (Moveable::Resource(from), Moveable::Resource(to)) => {
                let (base, rest) = self.split(&addr.module)?;
                let is_from = from.resource == addr.resource && rest == from.module.steps();
                let module = || joined(&[base, to.module.steps()]);
                is_from.then(|| module().resource(to.resource.clone()))
            }
            _ => {
                let module = self.module_destination(to, &addr.module)?;
                Some(module.resource(addr.resource.clone()))
            }
        }
    }

    /// Where a move from here to `to` brings a resource instance; `None` if it isn't moved.
    pub fn instance_destination(
        &self,
        to: &MoveEndpoint,
        addr: &ResourceInstanceAddr,
    ) -> Option<ResourceInstanceAddr> {
        match (&self.subject, &to.subject) {
            (Moveable::Instance(from), Moveable::Instance(to)) => {
                let (base, rest) = self.split(&addr.module)?;
                let is_from = (&from.resource, &from.key) == (&addr.resource, &addr.key)
                    && rest == from.module.steps();
                let module = || joined(&[base, to.module.steps()]);
                is_from.then(|| {
                    module()
                        .resource(to.resource.clone())
                        .instance(to.key.clone())
                })
            }
            _ => {
                let resource = self.resource_destination(to, &addr.resource())?;
                Some(resource.instance(addr.key.clone()))
            }
        }
    }
}

/// Keys that may be any are written as `[*]`.
impl fmt::Display for MoveEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for call in self.module.calls() {
            write!(f, "module.{call}[*].")?;
        }
        self.subject.fmt(f)?;
        match self.subject {
            Moveable::Call(..) | Moveable::Resource(_) => f.write_str("[*]"),
            Moveable::Module(_) | Moveable::Instance(_) => Ok(()),
        }
    }
}

fn subject(target: &Target, is_whole: bool) -> Moveable {
    match target {
        Target::Module(addr) => match addr.steps().split_last() {
            Some((last, caller)) if is_whole => {
                Moveable::Call(joined(&[caller]), last.call.clone())
            }
            _ => Moveable::Module(addr.clone()),
        },
        Target::Resource(addr) if is_whole => Moveable::Resource(addr.clone()),
        Target::Resource(addr) => Moveable::Instance(addr.instance(InstanceKey::None)),
        Target::Instance(addr) if is_whole => Moveable::Resource(addr.resource()),
        Target::Instance(addr) => Moveable::Instance(addr.clone()),
    }
}

fn joined(parts: &[&[ModuleStep]]) -> ModuleInstanceAddr {
    ModuleInstanceAddr::new(parts.iter().copied().flatten().cloned())
}

/// Whether some module instance could match both `a` and the beginning of `b`.
fn can_match(a: &[StepPattern<'_>], b: &[StepPattern<'_>]) -> bool {
    a.iter().zip(b).all(|((a, a_key), (b, b_key))| {
        a == b && (a_key.is_none() || b_key.is_none() || a_key == b_key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(module: &[&str], from: &str, to: &str) -> (MoveEndpoint, MoveEndpoint) {
        let module = ModuleAddr::new(module.iter().copied());
        MoveEndpoint::unify(&module, &from.parse().unwrap(), &to.parse().unwrap()).unwrap()
    }

    fn moved(module: &[&str], from: &str, to: &str, addr: &str) -> Option<String> {
        let (from, to) = ends(module, from, to);
        let moved = from.instance_destination(&to, &addr.parse().unwrap());
        moved.map(|addr| addr.to_string())
    }

    #[test]
    fn an_end_without_a_key_is_an_instance_if_the_other_end_has_a_key() {
        let (from, to) = ends(&["m"], "a.b", "a.c");
        assert_eq!(
            (from.to_string(), to.to_string()),
            ("module.m[*].a.b[*]".into(), "module.m[*].a.c[*]".into())
        );
        let (from, to) = ends(&[], "a.b", "a.b[0]");
        assert_eq!(
            (from.to_string(), to.to_string()),
            ("a.b".into(), "a.b[0]".into())
        );
        let (from, _) = ends(&[], "module.a", "module.b.module.c");
        assert_eq!(from.to_string(), "module.a[*]");
        let mixed = ("module.a".parse().unwrap(), "a.b".parse().unwrap());
        assert!(MoveEndpoint::unify(&ModuleAddr::root(), &mixed.0, &mixed.1).is_none());
    }

    #[test]
    fn a_move_keeps_keys_that_it_does_not_name() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            moved(&[], "a.b", "module.n.a.c", "a.b[1]"),
            some("module.n.a.c[1]")
        );
        assert_eq!(moved(&[], "a.b[1]", "a.c", "a.b[1]"), some("a.c"));
        assert_eq!(moved(&[], "a.b[1]", "a.c", "a.b"), None);
        assert_eq!(
            moved(&["m"], "a.b", "a.c", "module.m[2].a.b"),
            some("module.m[2].a.c")
        );
        assert_eq!(moved(&["m"], "a.b", "a.c", "a.b"), None);
        assert_eq!(
            moved(&[], "module.a", "module.b", "module.a[3].module.c.x.y[0]"),
            some("module.b[3].module.c.x.y[0]")
        );
        assert_eq!(
            moved(&[], "module.a", "module.b[0]", "module.a[0].x.y"),
            None
        );
    }

    #[test]
    fn chained_and_nested_moves_are_reported() {
        let (inner_from, _) = ends(&["a"], "x.y", "x.z");
        let (outer_from, outer_to) = ends(&[], "module.a", "module.b");
        assert!(inner_from.is_nested_within(&outer_from));
        assert!(
            !inner_from.is_nested_within(&outer_to) && !outer_from.is_nested_within(&inner_from)
        );
        let (next, _) = ends(&[], "module.b", "module.c");
        assert!(next.can_chain_from(&outer_to) && !next.can_chain_from(&outer_from));
        let (from, to) = ends(&[], "module.a", "module.a[0]");
        assert!(from.only_changes_keys(&to) && !outer_from.only_changes_keys(&outer_to));
    }
}
