//! Counters of the requests to providers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::wire::Rpc;

/// The requests to all providers of a root module so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Calls sent to processes, by name. The builtin provider has no process.
    pub calls: BTreeMap<Rpc, u64>,
    /// Requests answered from the response cache.
    pub cache_hits: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub processes_started: u64,
}

impl Stats {
    pub fn all_calls(&self) -> u64 {
        self.calls.values().sum()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    calls: [AtomicU64; Rpc::ALL.len()],
    cache_hits: AtomicU64,
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
    processes_started: AtomicU64,
}

impl Counters {
    pub fn count_call(&self, rpc: Rpc, sent: usize, received: usize) {
        self.calls[rpc as usize].fetch_add(1, Ordering::Relaxed);
        self.bytes_sent.fetch_add(sent as u64, Ordering::Relaxed);
        self.bytes_received
            .fetch_add(received as u64, Ordering::Relaxed);
    }

    pub fn count_cache_hit(&self) {
        self.cache_hits.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_start(&self) {
        self.processes_started.fetch_add(1, Ordering::Relaxed);
    }

    pub fn stats(&self) -> Stats {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let calls = Rpc::ALL
            .into_iter()
            .map(|rpc| (rpc, count(&self.calls[rpc as usize])));
        Stats {
            calls: calls.filter(|(_, calls)| *calls > 0).collect(),
            cache_hits: count(&self.cache_hits),
            bytes_sent: count(&self.bytes_sent),
            bytes_received: count(&self.bytes_received),
            processes_started: count(&self.processes_started),
        }
    }
}
