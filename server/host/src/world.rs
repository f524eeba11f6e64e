//! The reads of a root module's plans: made when the settings allow it, and kept until the next ones.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use config::{ResourceInstanceAddr, Target};
use ide::{PlanSink, PlanTrigger, Progress, Settings, WhatIf};
use plan::{BehindErrors, Options, Reads, Root};
use state::{Location, Pulled, StateError};
use tokio::task::JoinHandle;

use crate::opening::product;

#[derive(Default)]
pub(crate) struct WorldReads {
    pub(crate) reads: Arc<Reads>,
    /// Whether configuration is generated for objects that are imported without one, for one plan.
    generates: bool,
    /// How often objects or data sources were to be read.
    round: u64,
    /// The reads to make as soon as they are allowed.
    waiting: WantedReads,
    /// The reads of the plan in the making.
    wanted: WantedReads,
    /// When objects and data sources were last read.
    objects_at: Option<SystemTime>,
    data_at: Option<SystemTime>,
    wants_state: bool,
    pulling: Option<JoinHandle<()>>,
    /// The result of pulling the state, until a plan takes it.
    pulled: Arc<Mutex<Option<PulledState>>>,
    /// Where a kept state was looked for.
    looked_at: Option<Location>,
    state_at: Option<SystemTime>,
}

type PulledState = Result<Pulled, (Location, StateError)>;

#[derive(Default, Clone, Copy, PartialEq)]
struct WantedReads {
    objects: bool,
    data: bool,
}

impl WorldReads {
    /// Takes in the reason of a plan. Nothing is read for unsaved or untrusted text: that waits.
    pub(crate) fn wish(&mut self, reason: PlanTrigger, settings: &Settings, may_read: bool) {
        // A refactoring that was cancelled may have left it.
        self.generates = false;
        self.wants_state |= settings.state.allows(reason);
        self.waiting.objects |= settings.refresh.allows(reason);
        self.waiting.data |= settings.data_sources.allows(reason);
        self.wanted = WantedReads::default();
        self.reads.end();
        if may_read && self.waiting != WantedReads::default() {
            self.wanted = std::mem::take(&mut self.waiting);
            self.round += 1;
            self.reads.begin(self.wanted.objects, self.wanted.data);
        }
    }

    /// Shows the reads of the plan in the making.
    pub(crate) fn show_reading(&self, report: &Arc<dyn PlanSink>) -> Option<Progress> {
        let title = match (self.wanted.objects, self.wanted.data) {
            (true, true) => "Reading objects and data sources",
            (true, false) => "Reading objects",
            (false, true) => "Reading data sources",
            (false, false) => return None,
        };
        Some(report.progress(title))
    }

    /// A plan was completed, with all that it was to read.
    pub(crate) fn is_read(&mut self) {
        let now = SystemTime::now();
        let wanted = std::mem::take(&mut self.wanted);
        if wanted.objects {
            self.objects_at = Some(now);
        }
        if wanted.data {
            self.data_at = Some(now);
        }
        self.reads.end();
    }

    /// From now on, or no longer, imported objects are read and their configuration generated.
    pub(crate) fn generate(&mut self, generates: bool) {
        self.generates = generates;
        match generates {
            true => self.reads.begin(true, false),
            false => self.reads.end(),
        }
    }

    pub(crate) fn options(
        &self,
        what_if: &WhatIf,
        shown_modules: Option<BTreeSet<String>>,
    ) -> Arc<Options> {
        let has_objects = self.wanted.objects || self.objects_at.is_some();
        Arc::new(Options {
            refresh: has_objects,
            import: has_objects || self.generates,
            generate_config: self.generates,
            read_data_sources: self.wanted.data || self.data_at.is_some(),
            reading_round: self.round,
            replace: addresses(&what_if.replace).collect(),
            targets: addresses(&what_if.targets).collect(),
            behind_errors: BehindErrors::AsBefore,
            shown_modules,
            ..Options::default()
        })
    }

    /// Gives a root module that was loaded the state of its backend, as far as it is here. Answers whether it has to be
    /// loaded again.
    pub(crate) fn take_state(&mut self, root: &mut Root, cache_dir: Option<&Path>) -> bool {
        let came = {
            let mut pulled = self.pulled.lock().unwrap_or_else(PoisonError::into_inner);
            pulled.take()
        };
        match came {
            Some(Ok(pulled)) => {
                self.state_at = Some(pulled.at);
                root.set_pulled(pulled);
                return true;
            }
            // A state that was pulled before is still better than nothing.
            Some(Err((location, error))) if root.unread_state().is_some() => {
                root.set_not_pulled(location, error);
                return true;
            }
            Some(Err((_, error))) => tracing::warn!(%error, "the state was not pulled"),
            None => {}
        }
        let Some(location) = root.unread_state().cloned() else {
            return false;
        };
        if self.looked_at.as_ref() == Some(&location) {
            return false;
        }
        let kept = cache_dir.and_then(|cache| state::kept(cache, root.dir(), &location));
        self.looked_at = Some(location);
        self.state_at = None;
        let Some(kept) = kept else { return false };
        self.state_at = Some(kept.at);
        root.set_pulled(kept);
        true
    }

    /// Pulls the state of a backend beside the plan, if that is wanted: the plan after it has it.
    pub(crate) fn pull_state(
        &mut self,
        root: &Root,
        cache_dir: Option<PathBuf>,
        report: &Arc<dyn PlanSink>,
    ) {
        let is_pulling = self.pulling.as_ref().is_some_and(|it| !it.is_finished());
        if is_pulling || !std::mem::take(&mut self.wants_state) {
            return;
        }
        let Some(location @ Location::Backend { .. }) = root.state_location().cloned() else {
            return;
        };
        let product = product(root);
        let (dir, variables) = (root.dir().to_owned(), root.variables().clone());
        let (pulled, report) = (self.pulled.clone(), report.clone());
        self.pulling = Some(tokio::task::spawn_blocking(move || {
            let _progress = report.progress("Reading the state");
            let answer = match state::pull(product, &dir, &variables) {
                Ok(text) => Ok(Pulled {
                    location,
                    text: text.into(),
                    at: SystemTime::now(),
                }),
                Err(error) => Err((location, error)),
            };
            if let (Ok(new), Some(cache_dir)) = (&answer, cache_dir)
                && let Err(error) = state::keep(&cache_dir, &dir, new)
            {
                tracing::warn!(%error, "the state is not kept");
            }
            *pulled.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            report.world_was_read();
        }));
    }

    /// The reads, and how long ago they were.
    pub(crate) fn ages(&self) -> Vec<String> {
        let age = |what: &str, at: Option<SystemTime>| {
            let seconds = at?.elapsed().unwrap_or_default().as_secs();
            let (count, unit) = match seconds {
                0..60 => return Some(format!("{what} read less than a minute ago")),
                60..3600 => (seconds / 60, "minute"),
                3600..86400 => (seconds / 3600, "hour"),
                _ => (seconds / 86400, "day"),
            };
            let plural = if count == 1 { "" } else { "s" };
            Some(format!("{what} read {count} {unit}{plural} ago"))
        };
        let ages = [
            age("state", self.state_at),
            age("objects", self.objects_at),
            age("data sources", self.data_at),
        ];
        ages.into_iter().flatten().collect()
    }
}

/// The suppositions, as options of `terraform plan`; empty where there are none.
pub(crate) fn supposed(what_if: &WhatIf) -> Vec<String> {
    let replace = addresses::<ResourceInstanceAddr>(&what_if.replace);
    let replace = replace.map(|addr| format!("-replace={addr}"));
    let targets = addresses::<Target>(&what_if.targets).map(|addr| format!("-target={addr}"));
    replace.chain(targets).collect()
}

/// Those that are addresses of Terraform, of such a kind.
fn addresses<T: FromStr>(texts: &[String]) -> impl Iterator<Item = T> {
    texts.iter().filter_map(|text| text.parse().ok())
}
