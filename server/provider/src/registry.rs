//! What registries offer: modules, and versions of modules and providers. Asked only where the user wants it.
//!
//! Follows "Remote Service Discovery", "Module Registry Protocol" and "Provider Registry Protocol". The system's `curl`
//! makes the connection: with the proxies and certificates of the system, and without a TLS stack of our own.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use config::{ProviderAddr, Version};
use process::Limits;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Environment;
use crate::find::{Host, Hosts};

/// Somebody waits for a list: who takes longer is not reachable.
const ANSWER: Limits = Limits {
    within: Duration::from_secs(6),
    output: 8 << 20,
};

/// How long an answer counts, and the lack of one.
const KEPT: Duration = Duration::from_secs(10 * 60);
const AWAY: Duration = Duration::from_secs(60);

/// Answers that are kept.
const ANSWERS: usize = 200;

/// Versions of one module or provider, and modules, that are offered.
const OFFERED: usize = 100;

/// A module of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryModule {
    /// As a call names it on the registry that is meant without a host.
    pub source: String,
    /// The newest.
    pub version: String,
    pub description: String,
}

/// The registries that the CLI configuration and the environment lead to.
pub struct Registries {
    environment: Environment,
    answers: Mutex<BTreeMap<String, CachedAnswer>>,
}

struct CachedAnswer {
    since: Instant,
    text: Option<String>,
}

/// Where a service of a host is, with a slash at the end.
struct Service {
    base: String,
    token: Option<String>,
}

impl Registries {
    /// Relative paths in the environment name nothing: a folder that is worked on might bring what they name.
    pub fn new(variables: process::Variables) -> Registries {
        Registries {
            environment: Environment {
                root_module: Default::default(),
                variables,
            },
            answers: Mutex::default(),
        }
    }

    /// The versions of a module, the newest first. `source` is its address, with or without a host. Waits for the answer.
    pub fn module_versions(&self, default_host: &str, source: &str) -> Vec<String> {
        #[derive(Deserialize)]
        struct Answer {
            modules: Vec<Listed>,
        }
        let parts: Vec<&str> = source.split('/').collect();
        let (host, path) = match parts[..] {
            [_, _, _] => (default_host, &parts[..]),
            [host, _, _, _] => (host, &parts[1..]),
            _ => return Vec::new(),
        };
        let path = path.join("/");
        let answer: Option<Answer> = self.ask(host, "modules.v1", &format!("{path}/versions"));
        let modules = answer.map_or_else(Vec::new, |answer| answer.modules);
        newest_first(modules.into_iter().flat_map(|it| it.versions))
    }

    /// The versions of a provider, the newest first. Waits for the answer.
    pub fn provider_versions(&self, addr: &ProviderAddr) -> Vec<String> {
        let path = format!("{}/{}/versions", addr.namespace, addr.r#type);
        let answer: Option<Listed> = self.ask(&addr.host, "providers.v1", &path);
        newest_first(answer.map_or_else(Vec::new, |answer| answer.versions))
    }

    /// The modules that may be meant by the beginning of a source: those of the namespace that it names, or those that a
    /// search finds. Waits for the answer.
    pub fn modules(&self, default_host: &str, typed: &str) -> Vec<RegistryModule> {
        #[derive(Deserialize)]
        struct Answer {
            modules: Vec<Module>,
        }
        #[derive(Deserialize)]
        struct Module {
            namespace: String,
            name: String,
            provider: String,
            #[serde(default)]
            version: Option<String>,
            #[serde(default)]
            description: Option<String>,
        }
        let (host, rest) = match typed.split_once('/') {
            Some((host, rest)) if host.contains(['.', ':']) => (host, rest),
            _ => (default_host, typed),
        };
        let path = match rest.split_once('/') {
            Some((namespace, _)) => format!("{namespace}?limit={OFFERED}"),
            None if rest.len() >= 3 => format!("search?q={rest}&limit={OFFERED}"),
            None => return Vec::new(),
        };
        let answer: Option<Answer> = self.ask(host, "modules.v1", &path);
        let modules = answer.map_or_else(Vec::new, |answer| answer.modules);
        let prefix = match host == default_host {
            true => String::new(),
            false => format!("{host}/"),
        };
        let modules = modules.into_iter().take(OFFERED).map(|it| RegistryModule {
            source: format!("{prefix}{}/{}/{}", it.namespace, it.name, it.provider),
            version: it.version.unwrap_or_default(),
            description: it.description.unwrap_or_default(),
        });
        modules.collect()
    }

    fn ask<T: DeserializeOwned>(&self, host: &str, service: &str, path: &str) -> Option<T> {
        // What is typed becomes part of an address: nothing else than a name may.
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_./?=&:".contains(c);
        if !path.chars().all(is_name) || path.contains("..") || !is_host(host) {
            return None;
        }
        let Service { base, token } = self.service(host, service)?;
        let text = self.fetched(&format!("{base}{path}"), token.as_deref())?;
        serde_json::from_str(&text).ok()
    }

    /// Where a host has a service: as the CLI configuration says, or the host itself.
    fn service(&self, host: &str, service: &str) -> Option<Service> {
        let Host { services, token } = Hosts::load(&self.environment).host(host);
        if let Some(services) = services {
            // The user's own word, which may name a server of this machine.
            let base = services.get(service)?.clone();
            let is_address = base.starts_with("https://") || base.starts_with("http://");
            return is_address.then(|| Service {
                base: with_slash(base),
                token,
            });
        }
        let text = self.fetched(
            &format!("https://{host}/.well-known/terraform.json"),
            token.as_deref(),
        )?;
        let services: BTreeMap<String, serde_json::Value> = serde_json::from_str(&text).ok()?;
        let base = services.get(service)?.as_str()?;
        let (base, token) = match base.strip_prefix('/') {
            Some(path) => (format!("https://{host}/{path}"), token),
            None => {
                // Another host is not sent the token of this one.
                let rest = base.strip_prefix("https://")?;
                let is_same = rest.split('/').next() == Some(host);
                (base.to_owned(), token.filter(|_| is_same))
            }
        };
        Some(Service {
            base: with_slash(base),
            token,
        })
    }

    fn fetched(&self, url: &str, token: Option<&str>) -> Option<String> {
        let mut answers = self.answers();
        answers.retain(|_, kept| {
            let counts = match kept.text {
                Some(_) => KEPT,
                None => AWAY,
            };
            kept.since.elapsed() < counts
        });
        if let Some(kept) = answers.get(url) {
            return kept.text.clone();
        }
        drop(answers);
        let text = self.fetch(url, token);
        let mut answers = self.answers();
        if answers.len() >= ANSWERS {
            answers.clear();
        }
        let kept = CachedAnswer {
            since: Instant::now(),
            text: text.clone(),
        };
        answers.insert(url.to_owned(), kept);
        text
    }

    fn answers(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, CachedAnswer>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: there is no answer that can be used.
    fn fetch(&self, url: &str, token: Option<&str>) -> Option<String> {
        // It is written between quotes, and may come from a server.
        if url.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
            return None;
        }
        let variables = &self.environment.variables;
        let program = process::find("curl", variables)?;
        let mut command = Command::new(program);
        command
            // The user's `.curlrc` could write files.
            .args(["--disable", "--config", "-", "--silent", "--fail"])
            .args(["--location", "--max-redirs", "3", "--proto-redir", "=https"])
            .args(["--proto", "=https,http", "--connect-timeout", "3"])
            .env_clear()
            .envs(variables.iter());
        // Other users of the machine can read arguments, and not this.
        let mut lines = format!("url = \"{url}\"\n");
        if let Some(token) = token {
            lines += &format!("oauth2-bearer = \"{token}\"\n");
        }
        let (input, mut config) = std::io::pipe().ok()?;
        config.write_all(lines.as_bytes()).ok()?;
        drop(config);
        let answer = process::run_with_input(command, Stdio::from(input), ANSWER);
        let answer = answer.inspect_err(|error| tracing::debug!(%error, "no answer of a registry"));
        answer.ok().filter(|it| it.is_success)?.text().ok()
    }
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    versions: Vec<ListedVersion>,
}

#[derive(Deserialize)]
struct ListedVersion {
    version: String,
}

/// Released versions: who wants a prerelease names it in full.
fn newest_first(versions: impl IntoIterator<Item = ListedVersion>) -> Vec<String> {
    let released = versions.into_iter().filter_map(|it| {
        let is_released = !it.version.contains(['-', '+']);
        Some((
            Version::parse(&it.version).filter(|_| is_released)?,
            it.version,
        ))
    });
    let mut released: Vec<_> = released.collect();
    released.sort_by(|a, b| b.cmp(a));
    let newest = released.into_iter().take(OFFERED);
    newest.map(|(_, version)| version).collect()
}

/// Whether a text is the name of a host, with or without a port.
fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let is_part = |part: &str| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !part.is_empty() && part.chars().all(is_name)
    };
    name.split('.').all(is_part) && port.parse::<u16>().is_ok()
}

fn with_slash(base: String) -> String {
    match base.ends_with('/') {
        true => base,
        false => base + "/",
    }
}
