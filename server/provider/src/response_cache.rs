//! Responses of providers by the content of the requests: undoing an edit asks nobody.
//!
//! Responses hold secrets, so they stay in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::{PlanResponse, ProviderDiagnostic, UpgradeResponse};

/// In bytes on the wire. Five thousand instances with their requests are about 10 MiB; values take some times more
/// memory than their wire form.
const LIMIT: usize = 32 << 20;

/// A digest of the provider's executable, its configuration, the call's name and the request.
pub(crate) type Key = [u8; 32];

#[derive(Clone)]
pub(crate) enum Cached {
    Diagnostics(Vec<ProviderDiagnostic>),
    Upgrade(UpgradeResponse),
    Plan(PlanResponse),
}

/// Keeps two generations. What is asked for moves to the young one; when that has half of the limit it becomes the old
/// one, and the old one is dropped.
pub(crate) struct ResponseCache {
    limit: usize,
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<Key, (Cached, usize)>,
    old: HashMap<Key, (Cached, usize)>,
    young_bytes: usize,
}

impl ResponseCache {
    pub fn new() -> ResponseCache {
        ResponseCache::with_limit(LIMIT)
    }

    fn with_limit(limit: usize) -> ResponseCache {
        ResponseCache {
            limit,
            generations: Mutex::default(),
        }
    }

    pub fn get(&self, key: &Key) -> Option<Cached> {
        let mut generations = self
            .generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((cached, _)) = generations.young.get(key) {
            return Some(cached.clone());
        }
        let (cached, bytes) = generations.old.remove(key)?;
        generations.add(*key, cached.clone(), bytes, self.limit);
        Some(cached)
    }

    pub fn insert(&self, key: Key, cached: Cached, bytes: usize) {
        let mut generations = self
            .generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        generations.add(key, cached, bytes, self.limit);
    }
}

impl Generations {
    fn add(&mut self, key: Key, cached: Cached, bytes: usize, limit: usize) {
        if bytes > limit / 2 {
            return;
        }
        if self.young_bytes + bytes > limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, (cached, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Key {
        [n; 32]
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let cache = ResponseCache::with_limit(40);
        for n in 0..100 {
            cache.insert(key(n), Cached::Diagnostics(Vec::new()), 10);
            assert!(cache.get(&key(0)).is_some(), "{n}");
        }
        assert!(cache.get(&key(99)).is_some());
        assert!(cache.get(&key(50)).is_none());
        cache.insert(key(200), Cached::Diagnostics(Vec::new()), 41);
        assert!(cache.get(&key(200)).is_none());
    }
}
