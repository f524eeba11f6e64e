//! Answers of a plugin by the content of the requests: undoing an edit needs no request.
//!
//! A plugin has one configuration for as long as it runs, so its answers follow from the requests. They hold secrets and stay
//! in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use lru::LruCache;
use sha2::{Digest, Sha256};

/// In bytes. Thousands of resources with their requests take a third of it.
const LIMIT: usize = 32 << 20;

/// A digest of the question's name and the request.
pub(crate) type AnswerKey = [u8; 32];

pub(crate) fn key(name: &str, request: &[u8]) -> AnswerKey {
    Sha256::new_with_prefix(name)
        .chain_update([0])
        .chain_update(request)
        .finalize()
        .into()
}

/// The answers that were asked for last.
pub(crate) struct Answers(Mutex<AnswerCache>);

struct AnswerCache {
    answers: LruCache<AnswerKey, Bytes>,
    bytes: usize,
}

impl Answers {
    pub(crate) fn new() -> Answers {
        Answers(Mutex::new(AnswerCache {
            answers: LruCache::unbounded(),
            bytes: 0,
        }))
    }

    pub(crate) fn get(&self, key: &AnswerKey) -> Option<Bytes> {
        self.kept().answers.get(key).cloned()
    }

    pub(crate) fn insert(&self, key: AnswerKey, answer: &Bytes) {
        let mut kept = self.kept();
        // Not a view of something larger.
        let answer = Bytes::copy_from_slice(answer);
        kept.bytes += key.len() + answer.len();
        let replaced = kept.answers.put(key, answer);
        kept.bytes -= replaced.map_or(0, |it| key.len() + it.len());
        while kept.bytes > LIMIT
            && let Some((key, answer)) = kept.answers.pop_lru()
        {
            kept.bytes -= key.len() + answer.len();
        }
    }

    fn kept(&self) -> MutexGuard<'_, AnswerCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recently_used_answers_stay_and_others_go() {
        let answers = Answers::new();
        let answer = Bytes::from(vec![0; 1 << 20]);
        let key = |n: u8| key("Check", &[n]);
        for n in 0..100 {
            answers.insert(key(n), &answer);
            assert!(answers.get(&key(0)).is_some(), "{n}");
        }
        assert!(answers.get(&key(99)).is_some());
        assert!(answers.get(&key(50)).is_none());
        assert_ne!(super::key("Check", b"a"), super::key("Diff", b"a"));
    }
}
