//! Responses of providers by the content of the requests: undoing an edit asks nobody.
//!
//! Responses hold secrets, so they stay in memory.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cty::Value;

use crate::{
    FunctionError, MoveResponse, PlanResponse, ProviderDiagnostic, UpgradeIdentityResponse,
    UpgradeResponse,
};

/// In bytes on the wire. Five thousand instances with their requests are about 10 MiB; values take some times more
/// memory than their wire form.
const LIMIT: usize = 32 << 20;

/// A digest of the provider's executable, its configuration, the call's name and the request.
pub(crate) type Key = [u8; 32];

/// A response that may be kept. Which type it is follows from the call, which is part of the key.
pub(crate) trait Answer: Clone + Send + Sync + 'static {
    /// Whether the same request would be answered the same: an error may come from an API that is gone for a moment.
    fn is_lasting(&self) -> bool;
}

/// A validation's errors are its result.
impl Answer for Vec<ProviderDiagnostic> {
    fn is_lasting(&self) -> bool {
        true
    }
}

/// Functions are pure by the protocol.
impl Answer for Result<Value, FunctionError> {
    fn is_lasting(&self) -> bool {
        true
    }
}

macro_rules! lasting_without_errors {
    ($($response:ty),*) => {
        $(impl Answer for $response {
            fn is_lasting(&self) -> bool {
                !self.diagnostics.iter().any(ProviderDiagnostic::is_error)
            }
        })*
    };
}

lasting_without_errors!(
    UpgradeResponse,
    UpgradeIdentityResponse,
    PlanResponse,
    MoveResponse
);

type Kept = Arc<dyn Any + Send + Sync>;

/// Keeps two generations. What is asked for moves to the young one; when that has half of the limit it becomes the old
/// one, and the old one is dropped.
pub(crate) struct ResponseCache {
    limit: usize,
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<Key, (Kept, usize)>,
    old: HashMap<Key, (Kept, usize)>,
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

    pub fn get<T: Answer>(&self, key: &Key) -> Option<T> {
        self.kept(key)?.downcast_ref().cloned()
    }

    fn kept(&self, key: &Key) -> Option<Kept> {
        let mut generations = self
            .generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((kept, _)) = generations.young.get(key) {
            return Some(kept.clone());
        }
        let (kept, bytes) = generations.old.remove(key)?;
        generations.add(*key, kept.clone(), bytes, self.limit);
        Some(kept)
    }

    pub fn insert<T: Answer>(&self, key: Key, answer: T, bytes: usize) {
        let mut generations = self
            .generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        generations.add(key, Arc::new(answer), bytes, self.limit);
    }
}

impl Generations {
    fn add(&mut self, key: Key, kept: Kept, bytes: usize, limit: usize) {
        if bytes > limit / 2 {
            return;
        }
        if self.young_bytes + bytes > limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, (kept, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Key {
        [n; 32]
    }

    fn is_kept(cache: &ResponseCache, n: u8) -> bool {
        cache.get::<Vec<ProviderDiagnostic>>(&key(n)).is_some()
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let cache = ResponseCache::with_limit(40);
        let none = Vec::<ProviderDiagnostic>::new();
        for n in 0..100 {
            cache.insert(key(n), none.clone(), 10);
            assert!(is_kept(&cache, 0), "{n}");
        }
        assert!(is_kept(&cache, 99));
        assert!(!is_kept(&cache, 50));
        cache.insert(key(200), none, 41);
        assert!(!is_kept(&cache, 200));
    }
}
