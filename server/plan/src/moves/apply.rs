//! Moving the objects of a state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{AbsResourceAddr, ModuleInstanceAddr, Moveable, ProviderAddr, ResourceInstanceAddr};
use state::{Resource, State};

use super::{MoveStatement, Moved, Moves, order};

/// The state with all objects at their new addresses. Statements that form a cycle move nothing, and then no other
/// statement does either.
pub fn apply(statements: &[MoveStatement], state: &Arc<State>) -> (Arc<State>, Moves) {
    let (order, cycles) = order::order(statements);
    if statements.is_empty() || !cycles.is_empty() {
        return (state.clone(), Moves::default());
    }
    let resources = state.resources.iter();
    let mut moving = Moving {
        resources: resources
            .map(|(addr, resource)| (addr.clone(), resource.clone()))
            .collect(),
        moves: Moves::default(),
    };
    for index in order {
        let statement = &statements[index];
        let found = match statement.from.subject {
            Moveable::Call(..) | Moveable::Module(_) => moving.modules(statement),
            Moveable::Resource(_) => moving.whole_resources(statement),
            Moveable::Instance(_) => moving.instances(statement),
        };
        if found == 0 {
            moving.moves.idle.insert(index);
        }
    }
    if moving.moves.moved.is_empty() {
        return (state.clone(), moving.moves);
    }
    let moved = State {
        resources: moving.resources.into_iter().collect(),
        lineage: state.lineage.clone(),
        terraform_version: state.terraform_version.clone(),
        outputs: state.outputs.clone(),
        ..**state
    };
    (Arc::new(moved), moving.moves)
}

struct Moving {
    resources: BTreeMap<AbsResourceAddr, Arc<Resource>>,
    moves: Moves,
}

/// Each kind of statement answers how many objects of its kind it found.
impl Moving {
    fn modules(&mut self, statement: &MoveStatement) -> usize {
        let mut count = 0;
        let modules: BTreeSet<ModuleInstanceAddr> = self
            .resources
            .keys()
            .map(|addr| addr.module.clone())
            .collect();
        for from in &modules {
            let Some(to) = statement.from.module_destination(&statement.to, from) else {
                continue;
            };
            count += 1;
            if self.resources.keys().any(|addr| addr.module == to) {
                self.block(Moveable::Module(from.clone()), Moveable::Module(to));
                continue;
            }
            let resources = self.resources.keys().filter(|addr| addr.module == *from);
            for addr in resources.cloned().collect::<Vec<_>>() {
                let to = to.resource(addr.resource.clone());
                self.move_resource(&addr, to, statement);
            }
        }
        count
    }

    fn whole_resources(&mut self, statement: &MoveStatement) -> usize {
        let destination = |addr: &AbsResourceAddr| {
            let to = statement.from.resource_destination(&statement.to, addr)?;
            Some((addr.clone(), to))
        };
        let found: Vec<_> = self.resources.keys().filter_map(destination).collect();
        let count = found.len();
        for (from, to) in found {
            if self.resources.contains_key(&to) {
                self.block(Moveable::Resource(from), Moveable::Resource(to));
            } else {
                self.move_resource(&from, to, statement);
            }
        }
        count
    }

    fn instances(&mut self, statement: &MoveStatement) -> usize {
        let destination = |addr: ResourceInstanceAddr| {
            let to = statement.from.instance_destination(&statement.to, &addr)?;
            Some((addr, to))
        };
        let instances = self.resources.iter().flat_map(|(addr, resource)| {
            let keys = resource.instances.keys();
            keys.map(|key| addr.instance(key.clone()))
        });
        let found: Vec<_> = instances.filter_map(destination).collect();
        let count = found.len();
        for (from, to) in found {
            let there = self.resources.get(&to.resource());
            if there.is_some_and(|there| there.instances.contains_key(&to.key)) {
                self.block(Moveable::Instance(from), Moveable::Instance(to));
            } else if let Some(provider) = self.move_instance(&from, &to) {
                self.record(from, to, &provider, statement);
            }
        }
        count
    }

    fn move_resource(&mut self, from: &AbsResourceAddr, to: AbsResourceAddr, by: &MoveStatement) {
        let Some(mut resource) = self.resources.remove(from) else {
            return;
        };
        for key in resource.instances.keys() {
            let (from, to) = (from.instance(key.clone()), to.instance(key.clone()));
            self.record(from, to, &resource.provider.provider, by);
        }
        Arc::make_mut(&mut resource).addr = to.clone();
        self.resources.insert(to, resource);
    }

    /// A resource that loses its last instance is gone; a new one comes with the old one's provider.
    /// Answers that provider.
    fn move_instance(
        &mut self,
        from: &ResourceInstanceAddr,
        to: &ResourceInstanceAddr,
    ) -> Option<ProviderAddr> {
        let old = from.resource();
        let resource = self.resources.get_mut(&old).map(Arc::make_mut)?;
        let instance = resource.instances.remove(&from.key)?;
        let provider = resource.provider.clone();
        if resource.instances.is_empty() {
            self.resources.remove(&old);
        }
        let there = self.resources.entry(to.resource()).or_insert_with(|| {
            Arc::new(Resource {
                addr: to.resource(),
                provider: provider.clone(),
                instances: BTreeMap::new(),
            })
        });
        let instances = &mut Arc::make_mut(there).instances;
        instances.insert(to.key.clone(), instance);
        Some(provider.provider)
    }

    /// An object that moves twice has one entry, with its first address.
    fn record(
        &mut self,
        from: ResourceInstanceAddr,
        to: ResourceInstanceAddr,
        provider: &ProviderAddr,
        by: &MoveStatement,
    ) {
        let moved = match self.moves.moved.remove(&from) {
            Some(before) if from.resource.r#type == to.resource.r#type => Moved {
                is_implied: by.is_implied,
                ..before
            },
            before => Moved {
                provider: before.as_ref().map_or(provider, |it| &it.provider).clone(),
                from: before.map_or_else(|| Arc::new(from), |it| it.from),
                is_implied: by.is_implied,
                declared_at: by.span.clone(),
            },
        };
        self.moves.moved.insert(to, moved);
    }

    fn block(&mut self, actual: Moveable, wanted: Moveable) {
        self.moves.blocked.insert(actual, wanted);
    }
}
