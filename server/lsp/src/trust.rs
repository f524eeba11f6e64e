//! The user's trust: folders, and the provider plugins that may start.
//!
//! A plugin is a program that came with a workspace, so starting it needs a yes. It counts for the package that was named,
//! by its address and hash, in every folder. The same yes trusts the folder that it was asked for, by its path without
//! links: its configuration is then given to providers, and decides where `terraform` runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use ide::{
    ApprovalFile, ApprovalStamp, Approvals, Approved, Package, PluginAddr, Trust, TrustFolder,
    Trusted, Untrusted,
};
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::Result;

use crate::client::{MessageKind, Question};
use crate::shown::{message, title};
use crate::state::State;

const TRUST: &str = "Trust this workspace";
const DO_NOT_TRUST: &str = "Not now";

/// The questions and answers.
#[derive(Default)]
pub(crate) struct TrustAnswers {
    kept: ApprovalFile,
    stamp: ApprovalStamp,
    /// The folders that something is needed for, and that was not asked about.
    needed: BTreeMap<TrustFolder, Untrusted>,
    /// The questions of this run: none of them is asked again.
    asked: BTreeMap<TrustFolder, Untrusted>,
    is_asking: bool,
    /// The client has spoken, or time has passed, since the answers on disk were looked at.
    pub(crate) look_is_due: bool,
}

impl TrustAnswers {
    pub(crate) fn kept(state_dir: Option<&Path>) -> TrustAnswers {
        TrustAnswers {
            stamp: state_dir.map(ApprovalStamp::of).unwrap_or_default(),
            kept: state_dir.map(ApprovalFile::read).unwrap_or_default(),
            ..TrustAnswers::default()
        }
    }

    /// The next question: the needed approvals that were neither given nor asked for.
    fn next(&mut self, patterns: &[String]) -> Option<(TrustFolder, Untrusted)> {
        let (trusted, approvals) = (self.kept.trusted(), self.approvals(patterns));
        while let Some((folder, needed)) = self.needed.pop_first() {
            let asked = self.asked.entry(folder.clone()).or_default();
            let is_new = |it: &&Package| !approvals.take(it) && !asked.packages.contains(*it);
            let is_trusted = trusted.takes(&folder);
            let is_unasked = |it: &&PluginAddr| !is_trusted && !asked.configured.contains(*it);
            let packages: BTreeSet<Package> =
                needed.packages.iter().filter(is_new).cloned().collect();
            let is_asked = |addr: &&PluginAddr| packages.iter().any(|it| it.provider == **addr);
            let places = needed.places.iter().filter(|(addr, _)| is_asked(addr));
            let new = Untrusted {
                places: places
                    .map(|(addr, it)| (addr.clone(), it.clone()))
                    .collect(),
                configured: needed
                    .configured
                    .iter()
                    .filter(is_unasked)
                    .cloned()
                    .collect(),
                reads_outside: needed.reads_outside && !is_trusted && !asked.reads_outside,
                packages,
            };
            asked.extend(&new);
            if new != Untrusted::default() {
                return Some((folder, new));
            }
        }
        None
    }

    fn approvals(&self, patterns: &[String]) -> Approvals {
        Approvals {
            patterns: patterns.to_vec(),
            packages: self.kept.packages(),
        }
    }

    /// The question: which plugins start, and which get the configuration of the folder.
    fn question(&self, folder: &TrustFolder, new: &Untrusted) -> String {
        let path = title(&folder.path.to_string_lossy());
        if new.packages.is_empty() && new.configured.is_empty() {
            return format!(
                "planlens: functions in {path} read files outside this folder. Do you trust the folder?"
            );
        }
        if new.packages.is_empty() {
            let providers = new.configured.iter().map(PluginAddr::for_display);
            let providers = providers.collect::<Vec<_>>().join(", ");
            return format!(
                "planlens: to plan, planlens must pass the provider configuration in {path} to {providers}. Such a configuration can run \
                 programs and send credentials. Do you trust the folder?"
            );
        }
        let known = self.kept.packages();
        let name = |package: &Package| {
            let name = match new.places.get(&package.provider) {
                Some(path) => title(&path.to_string_lossy()),
                None => package.provider.for_display(),
            };
            match known.iter().any(|it| it.provider == package.provider) {
                true => format!("{name} (not the package that you approved)"),
                false => name,
            }
        };
        let names = new.packages.iter().map(name).collect::<Vec<_>>().join(", ");
        let which = match self.kept.trusted().takes(folder) {
            true => "these new provider plugins",
            false => "provider plugins",
        };
        format!(
            "planlens: planning {path} starts {which}, which run their own code: {names}. Do you trust them?"
        )
    }
}

impl State {
    /// Asks one question at a time, each for a folder, when a plan needed an approval and all settings are known. Until
    /// the answer nothing is started.
    pub(crate) fn ask_for_trust(&mut self) {
        if self.settings.current.trust.mode != Trust::Ask {
            return;
        }
        if std::mem::take(&mut self.trust.look_is_due) {
            self.look_at_kept_trust();
        }
        if self.settings.awaits_configuration || self.trust.is_asking {
            return;
        }
        let next = self.trust.next(&self.settings.current.trust.providers);
        let Some((folder, new)) = next else {
            return;
        };
        let text = self.trust.question(&folder, &new);
        if !self.capabilities.message_requests {
            return self.tell_how_to_trust(&new);
        }
        self.trust.is_asking = true;
        let params = json!({
            "type": MessageKind::Info as u8,
            "message": message(&text),
            "actions": [{ "title": TRUST }, { "title": DO_NOT_TRUST }],
        });
        let question = Question::Trust { folder, new };
        self.client
            .ask("window/showMessageRequest", params, question);
    }

    /// Another server may have been answered meanwhile, and answers may have been taken back.
    fn look_at_kept_trust(&mut self) {
        let Some(state_dir) = self.options.state_dir.as_deref() else {
            return;
        };
        let stamp = ApprovalStamp::of(state_dir);
        if stamp != self.trust.stamp {
            self.trust.kept = ApprovalFile::read(state_dir);
            self.trust.stamp = stamp;
            self.apply_trust();
        }
    }

    fn tell_how_to_trust(&mut self, new: &Untrusted) {
        let packages = new.packages.iter().map(|it| &it.provider);
        let providers: BTreeSet<String> = packages
            .chain(&new.configured)
            .map(PluginAddr::for_display)
            .collect();
        let providers = providers.into_iter().collect::<Vec<_>>().join(", ");
        let what = match new.packages.is_empty() {
            true if new.configured.is_empty() => "read files outside this workspace".to_owned(),
            true => format!("configure {providers} with the settings in this workspace"),
            false => format!("start the provider plugins of this workspace ({providers})"),
        };
        let or_named = match new.packages.is_empty() {
            true => "",
            false => ", or list providers in \"trust.providers\"",
        };
        let message = format!(
            "planlens does not {what}: this editor cannot show the question. To allow it, set \"trust\" to \"always\"{or_named}"
        );
        self.client.show_message(MessageKind::Info, &message);
    }

    /// A root module needs something that only the user can give.
    pub(crate) fn trust_is_needed(&mut self, dir: &Path, needed: &Untrusted) {
        let folder = self.snapshot().trust_folder(dir);
        self.trust.needed.entry(folder).or_default().extend(needed);
    }

    /// The user wants to be asked about the folder of the root module in `dir`, whatever was answered before.
    pub(crate) fn trust_is_wanted(&mut self, dir: &Path) {
        let folder = self.snapshot().trust_folder(dir);
        let mut needed = self.trust.asked.remove(&folder).unwrap_or_default();
        needed.reads_outside = true;
        self.trust.needed.entry(folder).or_default().extend(&needed);
    }

    pub(crate) fn trust_answered(
        &mut self,
        folder: &TrustFolder,
        new: &Untrusted,
        answer: Result<Value>,
    ) {
        self.trust.is_asking = false;
        match answer {
            Ok(action) if action["title"] == TRUST => {
                self.trust.kept.add(folder, &new.packages);
                // An approval that is taken back later is asked for again.
                self.trust.asked.remove(folder);
                self.keep_trust(folder, new);
                self.apply_trust();
            }
            Ok(_) => {}
            Err(_) => self.tell_how_to_trust(new),
        }
    }

    fn keep_trust(&mut self, folder: &TrustFolder, new: &Untrusted) {
        let Some(state_dir) = self.options.state_dir.as_deref() else {
            return;
        };
        match ApprovalFile::change(state_dir, |kept| kept.add(folder, &new.packages)) {
            // Nothing is read from it but the known approvals, and those that others have kept there.
            Ok(()) => self.look_at_kept_trust(),
            Err(error) => tracing::warn!(%error, "the answer is not kept"),
        }
    }

    pub(crate) fn apply_trust(&mut self) {
        let settings = &self.settings.current.trust;
        let (trusted, approved) = match settings.mode {
            Trust::Always => (Trusted::Everywhere, Approved::All),
            Trust::Never => (Trusted::default(), Approved::Nothing),
            Trust::Ask => {
                let approvals = self.trust.approvals(&settings.providers);
                let approved = Approved::These(Arc::new(approvals));
                (self.trust.kept.trusted(), approved)
            }
        };
        if self.workspace.set_trust(trusted, approved) {
            // A running plugin may be trusted no more.
            self.options.planner.restart();
        }
    }
}
