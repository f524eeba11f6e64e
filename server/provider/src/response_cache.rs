//! Responses of providers by the content of the requests: undoing an edit needs no request.
//!
//! Responses hold secrets, so they stay in memory.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cty::Value;
use lru::LruCache;

use crate::{
    FunctionError, MoveResponse, PlanResponse, Problem, UpgradeIdentityResponse, UpgradeResponse,
};

/// In bytes on the wire. Five thousand instances with their requests are about 10 MiB; values take some times more
/// memory than their wire form.
const LIMIT: usize = 32 << 20;
/// Answers to keep beside as many as a whole plan has, for edits to be undone: the keystrokes of an hour are thousands.
const SPARE: usize = 1000;

/// A digest of the provider's executable, its configuration, the call's name and the request.
pub(crate) type AnswerKey = [u8; 32];

/// A response that may be kept. Which type it is follows from the call, which is part of the key.
pub(crate) trait CachedAnswer: Clone + Send + Sync + 'static {
    /// Whether the same request would be answered the same: an error may come from an API that is gone for a moment.
    fn is_lasting(&self) -> bool;
}

/// A validation's errors are its result.
impl CachedAnswer for Vec<Problem> {
    fn is_lasting(&self) -> bool {
        true
    }
}

/// Functions are pure by the protocol.
impl CachedAnswer for Result<Value, FunctionError> {
    fn is_lasting(&self) -> bool {
        true
    }
}

macro_rules! lasting_without_errors {
    ($($response:ty),*) => {
        $(impl CachedAnswer for $response {
            fn is_lasting(&self) -> bool {
                !self.diagnostics.iter().any(Problem::is_error)
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

/// Keeps the last answers: as many as a whole plan asks for and [`SPARE`].
pub(crate) struct ResponseCache {
    limit: usize,
    answers: Mutex<Answers>,
}

struct Answers {
    /// With their bytes.
    kept: LruCache<AnswerKey, (Arc<dyn Any + Send + Sync>, usize)>,
    bytes: usize,
    /// The requests since a plan began, and the most of any plan.
    asked: usize,
    most_asked: usize,
}

impl ResponseCache {
    pub fn new() -> ResponseCache {
        ResponseCache::with_limit(LIMIT)
    }

    fn with_limit(limit: usize) -> ResponseCache {
        let answers = Answers {
            kept: LruCache::unbounded(),
            bytes: 0,
            asked: 0,
            most_asked: 0,
        };
        ResponseCache {
            limit,
            answers: Mutex::new(answers),
        }
    }

    /// From here on it is another plan that asks.
    pub fn plan_begins(&self) {
        self.answers().asked = 0;
    }

    pub fn get<T: CachedAnswer>(&self, key: &AnswerKey) -> Option<T> {
        let kept = {
            let mut answers = self.answers();
            answers.asked += 1;
            answers.most_asked = answers.most_asked.max(answers.asked);
            answers.kept.get(key)?.0.clone()
        };
        kept.downcast_ref().cloned()
    }

    pub fn insert<T: CachedAnswer>(&self, key: AnswerKey, answer: T, bytes: usize) {
        self.answers()
            .add(key, (Arc::new(answer), bytes), self.limit);
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers {
    fn add(&mut self, key: AnswerKey, answer: (Arc<dyn Any + Send + Sync>, usize), limit: usize) {
        self.bytes += answer.1;
        let replaced = self.kept.put(key, answer);
        self.bytes -= replaced.map_or(0, |(_, bytes)| bytes);
        while (self.kept.len() > self.most_asked + SPARE || self.bytes > limit)
            && let Some((_, (_, bytes))) = self.kept.pop_lru()
        {
            self.bytes -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> AnswerKey {
        [n; 32]
    }

    fn is_kept(cache: &ResponseCache, n: u8) -> bool {
        cache.get::<Vec<Problem>>(&key(n)).is_some()
    }

    #[test]
    fn recently_used_answers_stay_and_others_go() {
        let cache = ResponseCache::with_limit(40);
        let none = Vec::<Problem>::new();
        for n in 0..100 {
            cache.insert(key(n), none.clone(), 10);
            assert!(is_kept(&cache, 0), "{n}");
        }
        assert!(is_kept(&cache, 99));
        assert!(!is_kept(&cache, 50));
        // More than there is room for.
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
        let ask = |key: AnswerKey| {
            let known = cache.get::<Vec<Problem>>(&key).is_some();
            if !known {
                cache.insert(key, Vec::<Problem>::new(), 10);
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
            assert!(edit > SPARE || ask(key(0, edit - 1)), "{edit}");
        }
        assert_eq!(cache.answers().kept.len(), whole + SPARE);
    }
}
