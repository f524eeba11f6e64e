//! A program of resources that are built in, as an editor plans it.

use std::path::PathBuf;
use std::sync::Arc;

use pulumi::ask::{Package, Plugin, PluginError, Plugins};
use pulumi::budget::Budget;
use pulumi::engine::{Inputs, Memo, PlanOptions};
use pulumi::plan::Plan;
use pulumi::program::Program;
use pulumi::secrets::Keys;
use pulumi::state::State;
use pulumi::urn::StackName;
use text::FileId;
use tokio::runtime::Builder;

const STATE: &str = r#"{"version": 3, "deployment": {"resources": [
    {"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "type": "pulumi:pulumi:Stack"},
    {"urn": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default", "type": "pulumi:providers:pulumi", "custom": true, "id": "0"},
    {"urn": "urn:pulumi:dev::shop::pulumi:index:Stash::first", "type": "pulumi:index:Stash", "custom": true, "provider": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default::0", "id": "1", "inputs": {"input": "tiny"}, "outputs": {"input": "tiny", "output": "tiny"}},
    {"urn": "urn:pulumi:dev::shop::pulumi:index:Stash::edited", "type": "pulumi:index:Stash", "custom": true, "provider": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default::0", "id": "2", "inputs": {"input": "x"}, "outputs": {"input": "x", "output": "x"}},
    {"urn": "urn:pulumi:dev::shop::pulumi:index:Stash::last", "type": "pulumi:index:Stash", "custom": true, "provider": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default::0", "id": "3", "inputs": {"input": "x"}, "outputs": {"input": "x", "output": "x"}},
    {"urn": "urn:pulumi:dev::shop::pulumi:index:Stash::gone", "type": "pulumi:index:Stash", "custom": true, "provider": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default::0", "id": "4", "inputs": {"input": "x"}, "outputs": {"input": "x", "output": "x"}}
]}}"#;

/// What is built in needs no plugin.
pub struct Nothing;

impl Plugins for Nothing {
    type Plugin = Never;

    async fn start(&self, package: &Package) -> Result<Arc<Never>, PluginError> {
        Err(PluginError::new(format!(
            "{} is not installed",
            package.name
        )))
    }
}

pub enum Never {}

impl Plugin for Never {
    async fn schema(&self) -> Result<String, PluginError> {
        match *self {}
    }

    async fn check_config(
        &self,
        _: pulumi::ask::CheckRequest,
    ) -> Result<pulumi::ask::Checked, PluginError> {
        match *self {}
    }

    async fn diff_config(
        &self,
        _: pulumi::ask::DiffRequest,
        _: bool,
    ) -> Result<pulumi::ask::Diffed, PluginError> {
        match *self {}
    }

    async fn configure(&self, _: pulumi::ask::ConfigureRequest) -> Result<(), PluginError> {
        match *self {}
    }

    async fn check(
        &self,
        _: pulumi::ask::CheckRequest,
    ) -> Result<pulumi::ask::Checked, PluginError> {
        match *self {}
    }

    async fn diff(&self, _: pulumi::ask::DiffRequest) -> Result<pulumi::ask::Diffed, PluginError> {
        match *self {}
    }

    async fn preview_create(
        &self,
        _: pulumi::ask::CreateRequest,
    ) -> Result<Option<pulumi::value::Object>, PluginError> {
        match *self {}
    }

    async fn preview_update(
        &self,
        _: pulumi::ask::DiffRequest,
    ) -> Result<Option<pulumi::value::Object>, PluginError> {
        match *self {}
    }

    async fn invoke(
        &self,
        _: pulumi::ask::InvokeRequest,
        _: pulumi::ask::ReadPermission,
    ) -> Result<pulumi::ask::Invoked, PluginError> {
        match *self {}
    }

    async fn read(
        &self,
        _: pulumi::ask::ReadRequest,
        _: pulumi::ask::ReadPermission,
    ) -> Result<Option<pulumi::ask::ReadObject>, PluginError> {
        match *self {}
    }
}

/// A program that is edited.
pub struct Editor {
    program: Program,
    state: Arc<State>,
    memo: Memo<Never>,
    pub config: pulumi::config::Config,
    pub budget: Budget,
    pub dir: PathBuf,
    pub reads_everywhere: bool,
}

impl Editor {
    pub fn open() -> Editor {
        Editor {
            program: Program::default(),
            state: Arc::new(State::read(STATE.as_bytes(), &Keys::default()).unwrap()),
            memo: Memo::default(),
            config: Default::default(),
            budget: Budget::default(),
            dir: PathBuf::from("/shop"),
            reads_everywhere: false,
        }
    }

    pub fn plan(&mut self, text: &str) -> Plan {
        let file = FileId::new("/shop/Pulumi.yaml");
        self.program = self.program.edited(&file, &yaml::File::parse(text));
        let inputs = Inputs {
            program: self.program.clone(),
            config: self.config.clone(),
            state: self.state.clone(),
            stack: StackName {
                stack: "dev".to_owned(),
                project: "shop".to_owned(),
            },
            organization: String::new(),
            dir: self.dir.clone(),
            root_dir: self.dir.clone(),
            options: PlanOptions {
                budget: self.budget,
                reads_everywhere: self.reads_everywhere,
                ..PlanOptions::default()
            },
            is_saved: true,
            may_have_policies: false,
            locks: Default::default(),
            stacks: None,
        };
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.memo.plan(&inputs, &Nothing))
    }
}
