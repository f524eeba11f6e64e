//! How many plugin processes are alive at a time, over all root modules of an editor.
//!
//! Several root modules may call the module that is edited, and each has plugins of its own, as a plugin runs in the folder
//! of its root module. They take turns: a root module that has no place for its plugins waits until another was planned, and
//! then the plugins of that one end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The processes of all root modules together.
#[derive(Default)]
pub struct ProcessLimit {
    /// 0: any number.
    most: AtomicUsize,
    holders: Mutex<Vec<Holder>>,
    /// Somebody needs fewer processes than before.
    freed: Notify,
    /// Counts up with each holder and each plan.
    clock: AtomicUsize,
}

/// How soon it is looked whether processes can be ended that were still asked something.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The processes of one root module's providers.
struct Holder {
    id: usize,
    end: Weak<dyn EndProcesses>,
    alive: usize,
    /// The plans in the making.
    plans: usize,
    /// How many processes such a plan needs.
    needed: usize,
    /// When the last plan began.
    last: usize,
}

pub(crate) trait EndProcesses: Send + Sync {
    /// Ends the processes that answer no call; answers whether there was one.
    fn end_idle(&self) -> BoxFuture<'_, bool>;
}

/// The place of a process. Dropped, it is free.
pub(crate) struct HeldPlace(HeldProcesses);

/// A plan in the making, whose processes are not ended for others.
pub struct Planning(HeldProcesses);

struct HeldProcesses {
    limit: Arc<ProcessLimit>,
    holder: usize,
}

enum Admission {
    Admitted,
    /// These have to end before.
    Ending(Arc<dyn EndProcesses>),
    Later,
}

impl ProcessLimit {
    /// At most so many processes are alive from now on, unless a single root module needs more.
    pub fn set(&self, most: usize) {
        self.most.store(most, Ordering::Relaxed);
    }

    /// Answers the number of the new holder.
    pub(crate) fn join(&self, end: Weak<dyn EndProcesses>) -> usize {
        let id = self.clock.fetch_add(1, Ordering::Relaxed);
        self.holders().push(Holder {
            id,
            end,
            alive: 0,
            plans: 0,
            needed: 0,
            last: id,
        });
        id
    }

    pub(crate) fn leave(&self, id: usize) {
        self.holders().retain(|it| it.id != id);
        self.freed.notify_waiters();
    }

    /// A plan begins that needs at most so many processes.
    pub(crate) fn plan(self: &Arc<Self>, id: usize, needed: usize) -> Planning {
        let last = self.clock.fetch_add(1, Ordering::Relaxed);
        self.change(id, |holder| {
            (holder.needed, holder.last) = (needed, last);
            holder.plans += 1;
        });
        Planning(self.held(id))
    }

    /// Waits until another process may start.
    pub(crate) async fn admit(self: &Arc<Self>, id: usize) -> HeldPlace {
        loop {
            let freed = self.freed.notified();
            match self.try_admit(id) {
                Admission::Admitted => return HeldPlace(self.held(id)),
                Admission::Ending(holder) if holder.end_idle().await => {}
                // Calls in flight end without a word.
                Admission::Ending(_) | Admission::Later => drop(timeout(LOOK_AGAIN, freed).await),
            }
        }
    }

    fn try_admit(&self, id: usize) -> Admission {
        let most = match self.most.load(Ordering::Relaxed) {
            0 => usize::MAX,
            most => most,
        };
        let mut holders = self.holders();
        let others = holders.iter().filter(|it| it.id != id);
        let taken: usize = others.map(Holder::taken).sum();
        let Some(own) = holders.iter_mut().find(|it| it.id == id) else {
            // It is being dropped.
            return Admission::Admitted;
        };
        // Who has begun goes on: two that wait for each other would wait for ever.
        if own.alive > 0 || taken == 0 || taken + own.needed.max(1) <= most {
            own.alive += 1;
            return Admission::Admitted;
        }
        let idle = holders.iter().filter(|it| it.plans == 0 && it.alive > 0);
        let longest = idle.min_by_key(|it| it.last);
        match longest.and_then(|it| it.end.upgrade()) {
            Some(end) => Admission::Ending(end),
            None => Admission::Later,
        }
    }

    fn held(self: &Arc<Self>, holder: usize) -> HeldProcesses {
        HeldProcesses {
            limit: self.clone(),
            holder,
        }
    }

    fn holders(&self) -> MutexGuard<'_, Vec<Holder>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, id: usize, change: impl FnOnce(&mut Holder)) {
        if let Some(holder) = self.holders().iter_mut().find(|it| it.id == id) {
            change(holder);
        }
    }
}

impl Holder {
    /// How many places are not for others, unless it ends its processes.
    fn taken(&self) -> usize {
        match self.plans > 0 && self.alive > 0 {
            true => self.alive.max(self.needed),
            false => self.alive,
        }
    }
}

impl HeldProcesses {
    fn free(&self, change: impl FnOnce(&mut Holder)) {
        self.limit.change(self.holder, change);
        self.limit.freed.notify_waiters();
    }
}

impl Drop for HeldPlace {
    fn drop(&mut self) {
        self.0.free(|holder| holder.alive -= 1);
    }
}

impl Drop for Planning {
    fn drop(&mut self) {
        self.0.free(|holder| holder.plans -= 1);
    }
}
