//! `TF_REATTACH_PROVIDERS`: providers that run already, mostly under a debugger.

use std::collections::BTreeMap;

use config::ProviderAddr;
use serde::Deserialize;

use super::Environment;

/// A running provider. It is not ours to end.
#[derive(Debug, Clone)]
pub(crate) struct Attached {
    pub protocol: u32,
    /// How it is called: `grpc`.
    pub kind: String,
    /// `unix` or `tcp`.
    pub network: String,
    pub address: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    protocol: String,
    #[serde(default)]
    protocol_version: u32,
    addr: Address,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Address {
    network: String,
    string: String,
}

pub(crate) fn attached(environment: &Environment, addr: &ProviderAddr) -> Option<Attached> {
    let text = environment.variable("TF_REATTACH_PROVIDERS")?;
    let entries: BTreeMap<String, Entry> = serde_json::from_str(text).ok()?;
    let full = addr.to_string();
    let (_, entry) = entries.into_iter().find(|(written, _)| {
        // The address may be written without its default host, and without the default namespace.
        full == *written
            || full
                .split_once('/')
                .is_some_and(|(_, rest)| rest == written)
    })?;
    Some(Attached {
        // Before it was part of the variable, the version was always 5.
        protocol: if entry.protocol_version == 0 {
            5
        } else {
            entry.protocol_version
        },
        kind: entry.protocol,
        network: entry.addr.network,
        address: entry.addr.string,
    })
}
