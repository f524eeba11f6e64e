//! A plugin process: started with the address of an engine of ours, greeted, and asked. What it can be asked changes nothing:
//! Create and Update are sent as previews only, and only where it has them; Read and Invoke on the user's command.

use std::future::Future;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::process::{Greeting, Launch, Plugin as Supervisor, Starting};
use bytes::Bytes;
use grpc::{Channel, Code, Status};
use prost::Message;
use pulumi::ask::{
    BasePlugin, Changes, CheckRequest, Checked, ConfigureRequest, CreateRequest, Detailed,
    DiffKind, DiffRequest, Diffed, Failure, InvokeRequest, Invoked, Package, Plugin, PluginError,
    Plugins, PropertyDiff, ReadObject, ReadPermission, ReadRequest,
};
use pulumi::json::{Secrets, UNKNOWN, Writing};
use pulumi::urn::PROVIDER_PREFIX;
use pulumi::value::{Object, Value};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::answers::{self, Answers};
use crate::convert::{from_object, object, with_secrets_of};
use crate::find::{Environment, PluginLocation};
use crate::{engine_stub, wire as pb};

/// Plugins start in 0.1 to 0.5 s. A machine that is busy may need hundreds of times that.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Calls time out after a minute.
const CALL_LIMIT: Duration = Duration::from_secs(60);

/// A plugin that holds more is replaced; the largest start with a quarter of it.
const MEMORY: u64 = 4 << 30;

/// The port's line.
const LINE_LIMIT: u64 = 4096;

/// The plugins of this machine.
pub struct Installed {
    environment: Environment,
    engine: OnceCell<String>,
    gate: Option<Arc<dyn Gate>>,
    start_limit: Duration,
}

/// Says which plugins may start.
pub trait Gate: Send + Sync {
    /// Refuses with a reason. `path` is the executable, unless somebody else started the plugin, which runs in `dir`.
    fn check(&self, package: &Package, path: Option<&Path>, dir: &Path) -> Result<(), String>;
}

/// A plugin that serves.
pub struct Process {
    name: String,
    /// The package that its parameter makes it, and the version.
    subpackage: Option<(String, String)>,
    channel: Channel,
    supervisor: Supervisor,
    greeted: PluginCapabilities,
    /// Of Configure, where there was no greeting.
    configured: OnceLock<PluginCapabilities>,
    answers: Answers,
}

/// Its capabilities, and whether it has previews.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct PluginCapabilities {
    /// Whether it knows how to be greeted; then this is all that counts.
    is_answered: bool,
    accepts_secrets: bool,
    accepts_resources: bool,
    /// Whether names may be proposed to it.
    takes_autonaming: bool,
    has_previews: bool,
}

impl Installed {
    pub fn new(environment: Environment) -> Installed {
        Installed {
            environment,
            engine: OnceCell::new(),
            gate: None,
            start_limit: START_LIMIT,
        }
    }

    /// Waits this long for a plugin to say where it serves.
    pub fn within(self, start_limit: Duration) -> Installed {
        Installed {
            start_limit,
            ..self
        }
    }

    /// Plugins, restricted to those that `gate` approves.
    pub fn behind(environment: Environment, gate: Arc<dyn Gate>) -> Installed {
        Installed {
            gate: Some(gate),
            ..Installed::new(environment)
        }
    }
}

impl Plugins for Installed {
    type Plugin = Process;

    async fn start(&self, package: &Package) -> Result<Arc<Process>, PluginError> {
        let place = self.environment.find(package);
        let place = place.map_err(|missing| PluginError::new(missing.to_string()))?;
        if let Some(gate) = &self.gate {
            let path = match &place {
                PluginLocation::Executable(path) => Some(path.as_path()),
                PluginLocation::Running(_) => None,
            };
            gate.check(package, path, &self.environment.dir)
                .map_err(PluginError::new)?;
        }
        let engine = self.engine.get_or_try_init(engine_stub::start).await;
        let engine = engine.map_err(|error| PluginError::new(error.to_string()))?;
        let (supervisor, channel) = match place {
            PluginLocation::Running(port) => (
                Supervisor::attached(),
                connect(port).await.map_err(PluginError::new)?,
            ),
            PluginLocation::Executable(path) => {
                let mut command = Command::new(&path);
                command
                    .arg(engine)
                    .current_dir(&self.environment.dir)
                    .env_clear()
                    .envs(self.environment.variables.iter());
                let launch = Launch {
                    name: package.name.clone(),
                    command,
                    dir: None,
                    memory: MEMORY,
                    log,
                };
                Supervisor::start(launch, Port(self.start_limit))
                    .await
                    .map(|(plugin, served)| (plugin, served.channel))
                    .map_err(PluginError::new)?
            }
        };
        let mut process = Process {
            name: package.name.clone(),
            subpackage: None,
            channel,
            supervisor,
            greeted: PluginCapabilities::default(),
            configured: OnceLock::new(),
            answers: Answers::new(),
        };
        process.greet(engine, &self.environment).await?;
        if let Some(base) = &package.base {
            process.become_package(package, base).await?;
        }
        tracing::info!(plugin = process.name, greeted = ?process.greeted, "plugin started");
        Ok(Arc::new(process))
    }
}

/// Its output may quote values.
fn log(plugin: &str, line: &[u8]) {
    tracing::trace!(plugin, bytes = line.len(), "plugin output");
}

/// A plugin says the number of its port, within this time.
struct Port(Duration);

struct Connection {
    channel: Channel,
    process: u32,
}

impl Greeting for Port {
    type Connection = Connection;
    type Error = String;

    async fn greet(self, plugin: &mut Starting) -> Result<Connection, String> {
        let Port(limit) = self;
        let line = timeout(limit, plugin.first_line(LINE_LIMIT)).await;
        let line = line.map_err(|_| format!("it said nothing within {limit:?}"))??;
        let port = line
            .trim()
            .parse()
            .map_err(|_| "it did not say its port".to_owned())?;
        Ok(Connection {
            channel: connect(port).await?,
            process: plugin.process(),
        })
    }

    fn last_word(served: &Connection) -> impl Future<Output = ()> + Send + 'static {
        let cancel = grpc::unary(
            served.channel.clone(),
            "/pulumirpc.ResourceProvider/Cancel",
            Bytes::new(),
        );
        let process = served.process;
        async move {
            drop(cancel.await);
            ::process::interrupt(process);
        }
    }
}

async fn connect(port: u16) -> Result<Channel, String> {
    let connected = async {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        stream.set_nodelay(true)?;
        Channel::new(stream).await
    };
    let connected = timeout(START_LIMIT, connected)
        .await
        .map_err(|_| format!("its port did not answer within {START_LIMIT:?}"))?;
    connected.map_err(|error| format!("its port does not answer: {error}"))
}

impl Process {
    async fn greet(&mut self, engine: &str, environment: &Environment) -> Result<(), PluginError> {
        let dir = environment.dir.display().to_string();
        let request = pb::HandshakeRequest {
            engine_address: engine.to_owned(),
            root_directory: None,
            program_directory: Some(dir),
            configure_with_urn: true,
            supports_views: false,
            supports_refresh_before_update: true,
            invoke_with_preview: true,
        };
        let path = "/pulumirpc.ResourceProvider/Handshake";
        match self.send::<_, pb::HandshakeResponse>(path, request).await {
            Ok(answer) => {
                self.greeted = PluginCapabilities {
                    is_answered: true,
                    accepts_secrets: answer.accept_secrets,
                    accepts_resources: answer.accept_resources,
                    takes_autonaming: answer.supports_autonaming_configuration,
                    has_previews: true,
                };
                Ok(())
            }
            Err(status) if status.code() == Code::UNIMPLEMENTED => Ok(()),
            Err(status) => Err(self.failure(&status, &[])),
        }
    }

    /// Tells it which package it serves.
    async fn become_package(
        &mut self,
        package: &Package,
        base: &BasePlugin,
    ) -> Result<(), PluginError> {
        let version = package.version.clone().unwrap_or_default();
        let request = pb::ParameterizeRequest {
            value: Some(pb::ParametersValue {
                name: package.name.clone(),
                version,
                value: Bytes::copy_from_slice(&base.parameter),
            }),
        };
        let path = "/pulumirpc.ResourceProvider/Parameterize";
        let answer: Result<pb::ParameterizeResponse, Status> = self.send(path, request).await;
        let answer = answer.map_err(|status| self.failure(&status, &[]))?;
        if answer.name != package.name {
            return Err(PluginError::new(format!(
                "its plugin serves the package {:?} in its place",
                answer.name
            )));
        }
        self.subpackage = Some((answer.name, answer.version));
        Ok(())
    }

    /// Its current capabilities.
    fn flags(&self) -> PluginCapabilities {
        match self.greeted.is_answered {
            true => self.greeted,
            false => self.configured.get().copied().unwrap_or_default(),
        }
    }

    fn writing(&self) -> Writing {
        let flags = self.flags();
        Writing {
            secrets: match flags.accepts_secrets {
                true => Secrets::Kept,
                false => Secrets::Revealed,
            },
            keeps_resources: flags.accepts_resources,
        }
    }

    async fn send<Q: Message, A: Message + Default>(
        &self,
        path: &'static str,
        request: Q,
    ) -> Result<A, Status> {
        self.send_bytes(path, Bytes::from(request.encode_to_vec()))
            .await
            .and_then(decoded)
    }

    /// Asks about a resource: the same question is asked once.
    async fn ask<Q: Message, A: Message + Default>(
        &self,
        path: &'static str,
        request: Q,
    ) -> Result<A, Status> {
        self.ask_named(path, path, request).await
    }

    /// The same, for questions that differ only by their names.
    async fn ask_named<Q: Message, A: Message + Default>(
        &self,
        name: &'static str,
        path: &'static str,
        request: Q,
    ) -> Result<A, Status> {
        let request = Bytes::from(request.encode_to_vec());
        let key = answers::key(name, &request);
        if let Some(answer) = self.answers.get(&key) {
            return decoded(answer);
        }
        let answer = self.send_bytes(path, request).await?;
        self.answers.insert(key, &answer);
        decoded(answer)
    }

    async fn send_bytes(&self, path: &'static str, request: Bytes) -> Result<Bytes, Status> {
        let call = grpc::unary(self.channel.clone(), path, request);
        let answer = tokio::select! {
            answer = timeout(CALL_LIMIT, call) => answer,
            () = self.supervisor.ended() => return Err(Status::new(Code::UNAVAILABLE, "the plugin ended")),
        };
        let late = |_| {
            let text = format!("no answer within {CALL_LIMIT:?}");
            Status::new(Code::DEADLINE_EXCEEDED, text)
        };
        let answer = answer.map_err(late)?;
        if answer.as_ref().is_err_and(Status::is_disconnected) {
            // It no longer serves anything, even if its process still exists.
            self.supervisor.begin_to_end();
        }
        answer
    }

    /// The error message of a plugin, without the secrets that it received.
    fn failure(&self, status: &Status, given: &[&Object]) -> PluginError {
        let mut secrets = Vec::new();
        for value in given.iter().flat_map(|it| it.values()) {
            value.secret_texts(&mut secrets);
        }
        PluginError {
            why: pulumi::value::masked(status.message(), secrets),
            // Failures of the connection have a cause of their own.
            is_answer: !status.is_disconnected()
                && !matches!(
                    status.code(),
                    Code::UNAVAILABLE | Code::DEADLINE_EXCEEDED | Code::CANCELLED | Code::DATA_LOSS
                ),
        }
    }

    fn check_message(&self, request: &CheckRequest, writing: Writing) -> pb::CheckRequest {
        let autonaming = request.autonaming.as_ref();
        let autonaming = autonaming.filter(|_| self.flags().takes_autonaming);
        pb::CheckRequest {
            urn: request.urn.to_string(),
            olds: Some(object(&request.olds, writing)),
            news: Some(object(&request.news, writing)),
            random_seed: Bytes::copy_from_slice(&request.seed),
            name: request.urn.name().to_owned(),
            r#type: request.urn.type_name().to_owned(),
            autonaming: autonaming.map(|it| pb::AutonamingOptions {
                proposed_name: it.name.clone(),
                mode: it.mode as i32,
            }),
        }
    }

    fn diff_message(&self, request: &DiffRequest, writing: Writing) -> pb::DiffRequest {
        pb::DiffRequest {
            id: request.id.clone(),
            urn: request.urn.to_string(),
            olds: Some(object(&request.olds, writing)),
            news: Some(object(&request.news, writing)),
            ignore_changes: request.ignore_changes.clone(),
            old_inputs: Some(object(&request.old_inputs, writing)),
            name: request.urn.name().to_owned(),
            r#type: request.urn.type_name().to_owned(),
        }
    }

    async fn checked(
        &self,
        path: &'static str,
        request: &CheckRequest,
        writing: Writing,
    ) -> Result<Option<Checked>, PluginError> {
        let answer: Result<pb::CheckResponse, Status> =
            self.ask(path, self.check_message(request, writing)).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(status) if status.code() == Code::UNIMPLEMENTED => return Ok(None),
            Err(status) => return Err(self.failure(&status, &[&request.news, &request.olds])),
        };
        let mut inputs = from_object(answer.inputs);
        if writing.secrets != Secrets::Kept {
            with_secrets_of(&mut inputs, &request.news);
        }
        Ok(Some(Checked {
            inputs,
            failures: answer.failures.into_iter().map(failure).collect(),
        }))
    }

    async fn diffed(
        &self,
        name: &'static str,
        path: &'static str,
        request: &DiffRequest,
        writing: Writing,
    ) -> Result<Diffed, PluginError> {
        let message = self.diff_message(request, writing);
        let answer: Result<pb::DiffResponse, Status> = self.ask_named(name, path, message).await;
        match answer {
            Ok(answer) => Ok(difference(answer)),
            Err(status) if status.code() == Code::UNIMPLEMENTED => Ok(Diffed::default()),
            Err(status) => Err(self.failure(
                &status,
                &[&request.news, &request.olds, &request.old_inputs],
            )),
        }
    }

    fn outputs(&self, properties: Option<pb::Struct>, inputs: &Object) -> Object {
        let mut outputs = from_object(properties);
        if !self.flags().accepts_secrets {
            with_secrets_of(&mut outputs, inputs);
        }
        outputs
    }

    /// Has it end, and waits until it has.
    pub async fn end(&self) {
        self.supervisor.end().await;
    }
}

fn decoded<A: Message + Default>(answer: Bytes) -> Result<A, Status> {
    A::decode(answer).map_err(|error| Status::new(Code::DATA_LOSS, error.to_string()))
}

/// Of what is compared and checked of a provider's configuration.
const CONFIGURATION: Writing = Writing {
    secrets: Secrets::Revealed,
    keeps_resources: false,
};

fn failure(failure: pb::CheckFailure) -> Failure {
    Failure {
        property: failure.property,
        reason: failure.reason,
    }
}

fn difference(answer: pb::DiffResponse) -> Diffed {
    let details = answer.detailed_diff.into_iter();
    let details: Detailed = details
        .map(|(path, diff)| {
            let kind = match diff.kind {
                1 => DiffKind::AddReplace,
                2 => DiffKind::Delete,
                3 => DiffKind::DeleteReplace,
                4 => DiffKind::Update,
                5 => DiffKind::UpdateReplace,
                _ => DiffKind::Add,
            };
            let is_of_inputs = diff.input_diff;
            (path, PropertyDiff { kind, is_of_inputs })
        })
        .collect();
    Diffed {
        changes: match answer.changes {
            1 => Changes::None,
            2 => Changes::Some,
            _ => Changes::Unknown,
        },
        replaces: answer.replaces,
        diffs: answer.diffs,
        detailed: answer.has_detailed_diff.then_some(details),
        deletes_before_replace: answer.delete_before_replace,
    }
}

impl Plugin for Process {
    fn is_running(&self) -> bool {
        self.supervisor.is_running()
    }

    async fn schema(&self) -> Result<String, PluginError> {
        let path = "/pulumirpc.ResourceProvider/GetSchema";
        let (name, version) = self.subpackage.clone().unwrap_or_default();
        let request = pb::GetSchemaRequest {
            version: 0,
            subpackage_name: name,
            subpackage_version: version,
        };
        let answer: Result<pb::GetSchemaResponse, Status> = self.send(path, request).await;
        answer
            .map(|it| it.schema)
            .map_err(|status| self.failure(&status, &[]))
    }

    async fn check_config(&self, request: CheckRequest) -> Result<Checked, PluginError> {
        let checked = self
            .checked(
                "/pulumirpc.ResourceProvider/CheckConfig",
                &request,
                CONFIGURATION,
            )
            .await?;
        // Where there is no check, everything is right.
        Ok(checked.unwrap_or(Checked {
            inputs: request.news,
            failures: Vec::new(),
        }))
    }

    async fn diff_config(
        &self,
        request: DiffRequest,
        is_configured: bool,
    ) -> Result<Diffed, PluginError> {
        let path = "/pulumirpc.ResourceProvider/DiffConfig";
        let name = match is_configured {
            true => "DiffConfig of a configured plugin",
            false => path,
        };
        self.diffed(name, path, &request, CONFIGURATION).await
    }

    async fn configure(&self, request: ConfigureRequest) -> Result<(), PluginError> {
        let package = request
            .urn
            .type_name()
            .strip_prefix(PROVIDER_PREFIX)
            .unwrap_or_default();
        let mut args = request.inputs.clone();
        args.remove("__internal");
        let own = args.iter().filter(|(key, _)| *key != "version");
        let variables = own.map(|(key, value)| (format!("{package}:config:{key}"), text(value)));
        let writing = Writing {
            secrets: Secrets::Kept,
            keeps_resources: true,
        };
        let message = pb::ConfigureRequest {
            variables: variables.collect(),
            args: Some(object(&args, writing)),
            accept_secrets: true,
            accept_resources: true,
            sends_old_inputs: true,
            sends_old_inputs_to_delete: true,
            id: Some(request.id.clone().unwrap_or_else(|| UNKNOWN.to_owned())),
            urn: Some(request.urn.to_string()),
            name: Some(request.urn.name().to_owned()),
            r#type: Some(request.urn.type_name().to_owned()),
        };
        let path = "/pulumirpc.ResourceProvider/Configure";
        let answer: Result<pb::ConfigureResponse, Status> = self.send(path, message).await;
        let answer = answer.map_err(|status| self.failure(&status, &[&request.inputs]))?;
        let _ = self.configured.set(PluginCapabilities {
            is_answered: false,
            accepts_secrets: answer.accept_secrets,
            accepts_resources: answer.accept_resources,
            takes_autonaming: answer.supports_autonaming_configuration,
            has_previews: answer.supports_preview,
        });
        Ok(())
    }

    async fn check(&self, request: CheckRequest) -> Result<Checked, PluginError> {
        let checked = self
            .checked(
                "/pulumirpc.ResourceProvider/Check",
                &request,
                self.writing(),
            )
            .await?;
        checked.ok_or_else(|| PluginError::new("it cannot check resources".to_owned()))
    }

    async fn diff(&self, request: DiffRequest) -> Result<Diffed, PluginError> {
        let path = "/pulumirpc.ResourceProvider/Diff";
        self.diffed(path, path, &request, self.writing()).await
    }

    async fn preview_create(&self, request: CreateRequest) -> Result<Option<Object>, PluginError> {
        if !self.flags().has_previews {
            return Ok(None);
        }
        let message = pb::CreateRequest {
            urn: request.urn.to_string(),
            properties: Some(object(&request.properties, self.writing())),
            preview: true,
            name: request.urn.name().to_owned(),
            r#type: request.urn.type_name().to_owned(),
        };
        let path = "/pulumirpc.ResourceProvider/Create";
        let answer: Result<pb::CreateResponse, Status> = self.ask(path, message).await;
        let answer = answer.map_err(|status| self.failure(&status, &[&request.properties]))?;
        Ok(Some(self.outputs(answer.properties, &request.properties)))
    }

    async fn preview_update(&self, request: DiffRequest) -> Result<Option<Object>, PluginError> {
        if !self.flags().has_previews {
            return Ok(None);
        }
        let pb::DiffRequest {
            id,
            urn,
            olds,
            news,
            ignore_changes,
            old_inputs,
            name,
            r#type,
        } = self.diff_message(&request, self.writing());
        let message = pb::UpdateRequest {
            id,
            urn,
            olds,
            news,
            ignore_changes,
            preview: true,
            old_inputs,
            name,
            r#type,
        };
        let path = "/pulumirpc.ResourceProvider/Update";
        let answer: Result<pb::UpdateResponse, Status> = self.ask(path, message).await;
        let answer =
            answer.map_err(|status| self.failure(&status, &[&request.news, &request.olds]))?;
        Ok(Some(self.outputs(answer.properties, &request.news)))
    }

    async fn invoke(
        &self,
        request: InvokeRequest,
        _: ReadPermission,
    ) -> Result<Invoked, PluginError> {
        let message = pb::InvokeRequest {
            tok: request.token.clone(),
            args: Some(object(&request.arguments, self.writing())),
            preview: true,
        };
        let path = "/pulumirpc.ResourceProvider/Invoke";
        let answer: Result<pb::InvokeResponse, Status> = self.send(path, message).await;
        let answer = answer.map_err(|status| self.failure(&status, &[&request.arguments]))?;
        Ok(Invoked {
            result: from_object(answer.r#return),
            failures: answer.failures.into_iter().map(failure).collect(),
        })
    }

    async fn read(
        &self,
        request: ReadRequest,
        _: ReadPermission,
    ) -> Result<Option<ReadObject>, PluginError> {
        let given = request.inputs.as_ref();
        let inputs = given.map(|it| object(it, self.writing()));
        let state = request.state.as_ref();
        let state = state.map(|it| object(it, self.writing()));
        let message = pb::ReadRequest {
            id: request.id.clone(),
            urn: request.urn.to_string(),
            properties: state.or_else(|| inputs.clone()),
            inputs,
            name: request.urn.name().to_owned(),
            r#type: request.urn.type_name().to_owned(),
        };
        let path = "/pulumirpc.ResourceProvider/Read";
        let answer: Result<pb::ReadResponse, Status> = self.send(path, message).await;
        let given = request.inputs.unwrap_or_default();
        let answer = answer.map_err(|status| self.failure(&status, &[&given]))?;
        // An object that does not exist has no properties.
        Ok(answer.properties.map(|properties| ReadObject {
            outputs: self.outputs(Some(properties), &given),
            inputs: answer.inputs.map(|it| from_object(Some(it))),
            id: answer.id,
        }))
    }
}

/// Configuration as text: what is none is written as JSON.
fn text(value: &Value) -> String {
    match value.revealed() {
        Value::String(text) => text.clone(),
        other => pulumi::functions::json(other),
    }
}
