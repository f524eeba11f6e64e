//! Responses of providers by the content of the requests: undoing an edit asks nobody.
//!
//! Responses hold secrets, so they stay in memory.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cty::Value;

use crate::{
    FunctionError, MoveResponse, PlanResponse, ProviderDiagnostic, UpgradeIdentityResponse,
    UpgradeResponse,
};

/// In bytes on the wire. Five thousand instances with their requests are about 10 MiB; values take some times more
/// memory than their wire form.
const LIMIT: usize = 32 << 20;
/// Answers to keep beside those of a whole plan, for edits to be undone: the keystrokes of an hour are thousands.
const SPARE: usize = 1000;

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

/// Keeps two generations. What is asked for moves to the young one; when that has what a whole plan asks for and
/// [`SPARE`], or half of the limit, it becomes the old one, and the old one is dropped.
pub(crate) struct ResponseCache {
    limit: usize,
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<Key, (Kept, usize)>,
    old: HashMap<Key, (Kept, usize)>,
    young_bytes: usize,
    /// What was asked for since a plan began, and the most of any plan.
    asked: usize,
    most_asked: usize,
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

    /// From here on it is another plan that asks.
    pub fn plan_begins(&self) {
        self.generations().asked = 0;
    }

    pub fn get<T: Answer>(&self, key: &Key) -> Option<T> {
        self.kept(key)?.downcast_ref().cloned()
    }

    fn kept(&self, key: &Key) -> Option<Kept> {
        let mut generations = self.generations();
        generations.asked += 1;
        generations.most_asked = generations.most_asked.max(generations.asked);
        if let Some((kept, _)) = generations.young.get(key) {
            return Some(kept.clone());
        }
        let (kept, bytes) = generations.old.remove(key)?;
        generations.add(*key, kept.clone(), bytes, self.limit);
        Some(kept)
    }

    pub fn insert<T: Answer>(&self, key: Key, answer: T, bytes: usize) {
        self.generations()
            .add(key, Arc::new(answer), bytes, self.limit);
    }

    fn generations(&self) -> MutexGuard<'_, Generations> {
        let generations = self.generations.lock();
        generations.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn add(&mut self, key: Key, kept: Kept, bytes: usize, limit: usize) {
        if bytes > limit / 2 {
            return;
        }
        let is_full = self.young.len() >= self.most_asked + SPARE;
        if is_full || self.young_bytes + bytes > limit / 2 {
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

    #[test]
    fn a_plan_finds_its_answers_and_edits_for_hours_take_no_more() {
        let cache = ResponseCache::new();
        let key = |plan: usize, n: usize| {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&plan.to_le_bytes());
            key[8..16].copy_from_slice(&n.to_le_bytes());
            key
        };
        let ask = |key: Key| {
            let known = cache.get::<Vec<ProviderDiagnostic>>(&key).is_some();
            if !known {
                cache.insert(key, Vec::<ProviderDiagnostic>::new(), 10);
            }
            known
        };
        let whole = 5 * SPARE;
        for is_known in [false, true] {
            cache.plan_begins();
            assert!((0..whole).all(|n| ask(key(0, n)) == is_known));
        }
        for edit in 1..=100 * SPARE {
            cache.plan_begins();
            assert!(!ask(key(edit, 0)) && ask(key(edit, 0)));
            assert!(edit > SPARE || ask(key(0, edit)), "{edit}");
        }
        let generations = cache.generations();
        let kept = generations.young.len() + generations.old.len();
        assert!(kept <= 2 * (whole + SPARE), "{kept}");
    }
}
