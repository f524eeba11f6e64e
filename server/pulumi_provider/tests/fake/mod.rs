//! A provider that notes each call, and may be in a bad way.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response};
use process::Variables;
use prost::Message;
use pulumi::config::Config;
use pulumi::engine::{Inputs, PlanOptions};
use pulumi::program::Program;
use pulumi::secrets::Keys;
use pulumi::urn::StackName;
use pulumi_provider::wire as pb;
use pulumi_provider::{Environment, Installed};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

const SCHEMA: &str = r#"{"name": "fake", "version": "1.0.0", "provider": {"inputProperties": {"region": {"type": "string"}}}, "resources": {"fake:index:Item": {
    "properties": {"size": {"type": "string"}, "arn": {"type": "string"}, "key": {"type": "string", "secret": true}},
    "inputProperties": {"size": {"type": "string"}, "key": {"type": "string", "secret": true},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}}}}}}"#;

/// How a provider is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Greets,
    /// It does not know greetings, and has no previews.
    Old,
    /// It refuses what it is given, and quotes it.
    Quotes,
    /// It names the keys of a map as what is wrong.
    Fails,
    /// It names them as what differs.
    Differs,
    /// Its configuration is wrong, and it quotes that.
    Misconfigured,
    /// It is gone when it is asked for differences.
    DiesInDiff,
    /// The first time that it is asked for differences it closes the connection.
    DropsOnce,
    /// It does not know differences.
    Undecided,
    /// It takes its time.
    Late,
    /// Its schema has 40 MB.
    Large,
}

/// The provider `fake`, which runs already.
pub fn installed(port: u16) -> Installed {
    Installed::new(Environment {
        variables: Variables::from([("PULUMI_DEBUG_PROVIDERS", format!("fake:{port}"))]),
        dir: PathBuf::from("/"),
        named: Vec::new(),
    })
}

/// The stack `dev` of the project `shop`, without a state.
pub fn inputs(program: &Program) -> Inputs {
    Inputs {
        program: program.clone(),
        config: Config::read("", "shop", &Keys::default()),
        state: Default::default(),
        stack: StackName {
            stack: "dev".to_owned(),
            project: "shop".to_owned(),
        },
        organization: String::new(),
        dir: PathBuf::from("/"),
        root_dir: PathBuf::from("/"),
        options: PlanOptions::default(),
        is_saved: true,
        may_have_policies: false,
        locks: Default::default(),
        stacks: None,
    }
}

pub struct Fake {
    manner: Manner,
    pub calls: Mutex<Vec<String>>,
    closes: Notify,
}

impl Fake {
    pub async fn start(manner: Manner) -> (Arc<Fake>, u16) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let fake = Arc::new(Fake {
            manner,
            calls: Mutex::default(),
            closes: Notify::new(),
        });
        let serving = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        (fake, port)
    }

    async fn serve(self: Arc<Fake>, stream: TcpStream) {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        loop {
            let asked = tokio::select! {
                asked = connection.accept() => asked,
                () = self.closes.notified() => return,
            };
            let Some(Ok((request, respond))) = asked else {
                return;
            };
            tokio::spawn(self.clone().answer(request, respond));
        }
    }

    async fn answer(
        self: Arc<Fake>,
        request: http::Request<h2::RecvStream>,
        mut respond: h2::server::SendResponse<Bytes>,
    ) {
        let method = request.uri().path().rsplit('/').next().unwrap().to_owned();
        let mut body = request.into_body();
        let mut bytes = Vec::new();
        while let Some(Ok(part)) = body.data().await {
            bytes.extend_from_slice(&part);
        }
        let message = &bytes[5..];
        if self.manner == Manner::Late {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        if self.manner == Manner::DiesInDiff && method == "Diff" {
            return respond.send_reset(h2::Reason::INTERNAL_ERROR);
        }
        let (status, answer, note) = self.answered(&method, message);
        let is_first = !self.calls.lock().unwrap().contains(&note);
        if self.manner == Manner::DropsOnce && method == "Diff" && is_first {
            self.calls.lock().unwrap().push(note);
            return self.closes.notify_one();
        }
        self.calls.lock().unwrap().push(note);
        let mut response = Response::new(());
        let grpc = HeaderValue::from_static("application/grpc");
        response.headers_mut().insert("content-type", grpc);
        let mut send = respond.send_response(response, false).unwrap();
        let mut frame = vec![0];
        frame.extend((answer.len() as u32).to_be_bytes());
        frame.extend(answer);
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static(status));
        if status == "2" {
            trailers.insert(
                "grpc-message",
                HeaderValue::from_static("hunter22 is wrong"),
            );
        }
        if status == "0" {
            send_all(&mut send, frame.into()).await;
        }
        send.send_trailers(trailers).unwrap();
    }

    /// The status, the answer, and what is noted.
    fn answered(&self, method: &str, message: &[u8]) -> (&'static str, Vec<u8>, String) {
        let note = method.to_owned();
        let accepts = self.manner != Manner::Old;
        match method {
            "Handshake" if self.manner == Manner::Old => ("12", Vec::new(), note),
            "Handshake" => {
                let answer = pb::HandshakeResponse {
                    accept_secrets: accepts,
                    accept_resources: accepts,
                    accept_outputs: accepts,
                    supports_autonaming_configuration: accepts,
                };
                ("0", answer.encode_to_vec(), note)
            }
            "Parameterize" => {
                let request = pb::ParameterizeRequest::decode(message).unwrap();
                let value = request.value.unwrap();
                let told = String::from_utf8_lossy(&value.value).into_owned();
                let note = format!("{note} {} {} {told}", value.name, value.version);
                let answer = pb::ParameterizeResponse {
                    name: told,
                    version: value.version,
                };
                ("0", answer.encode_to_vec(), note)
            }
            "GetSchema" => {
                let request = pb::GetSchemaRequest::decode(message).unwrap();
                let note = match request.subpackage_name.as_str() {
                    "" => note,
                    name => format!("{note} of {name} {}", request.subpackage_version),
                };
                let filler = match self.manner {
                    Manner::Large => "x".repeat(40 << 20),
                    _ => String::new(),
                };
                let schema = SCHEMA.replacen('{', &format!(r#"{{"description": "{filler}", "#), 1);
                let answer = pb::GetSchemaResponse { schema };
                ("0", answer.encode_to_vec(), note)
            }
            "CheckConfig" | "Check" if self.manner == Manner::Quotes && method == "Check" => {
                ("2", Vec::new(), note)
            }
            "CheckConfig" | "Check" => {
                let request = pb::CheckRequest::decode(message).unwrap();
                let fails = match self.manner {
                    Manner::Fails => method == "Check",
                    Manner::Misconfigured => method == "CheckConfig",
                    _ => false,
                };
                let failure = pb::CheckFailure {
                    property: "tags[\"hunter22\"]".to_owned(),
                    reason: "hunter22 is too weak".to_owned(),
                };
                let is_secret =
                    format!("{:?}", request.news).contains("1b47061264138c4ac30d75fd1eb44270");
                let named = request.autonaming.iter();
                let named = named.map(|it| format!(" as {} {}", it.proposed_name, it.mode));
                let named: String = named.collect();
                let answer = pb::CheckResponse {
                    inputs: request.news,
                    failures: Vec::from_iter(fails.then_some(failure)),
                };
                (
                    "0",
                    answer.encode_to_vec(),
                    format!(
                        "{note}{}{named}",
                        if is_secret { " with a secret" } else { "" }
                    ),
                )
            }
            "Configure" => ("0", Vec::new(), note),
            "Diff" if self.manner == Manner::Differs => {
                let differs = |kind| pb::PropertyDiff {
                    kind,
                    input_diff: true,
                };
                let detailed = [
                    ("tags[\"hunter22\"]", 0),
                    ("tags[\"oldsecret9\"]", 2),
                    ("size", 4),
                ];
                let detailed = detailed.map(|(path, kind)| (path.to_owned(), differs(kind)));
                let answer = pb::DiffResponse {
                    changes: 2,
                    diffs: vec!["tags".to_owned(), "size".to_owned()],
                    detailed_diff: detailed.into_iter().collect(),
                    has_detailed_diff: true,
                    ..pb::DiffResponse::default()
                };
                ("0", answer.encode_to_vec(), note)
            }
            "Diff" => ("0", pb::DiffResponse::default().encode_to_vec(), note),
            "Update" => {
                let request = pb::UpdateRequest::decode(message).unwrap();
                let answer = pb::UpdateResponse {
                    properties: request.news,
                };
                (
                    "0",
                    answer.encode_to_vec(),
                    format!("{note} preview={}", request.preview),
                )
            }
            "Create" => {
                let request = pb::CreateRequest::decode(message).unwrap();
                let answer = pb::CreateResponse {
                    properties: request.properties,
                };
                (
                    "0",
                    answer.encode_to_vec(),
                    format!("{note} preview={}", request.preview),
                )
            }
            _ => ("12", Vec::new(), note),
        }
    }
}

/// As the window of the stream allows.
async fn send_all(send: &mut h2::SendStream<Bytes>, mut data: Bytes) {
    while !data.is_empty() {
        send.reserve_capacity(data.len());
        let room = std::future::poll_fn(|context| send.poll_capacity(context)).await;
        let Some(Ok(room)) = room else { return };
        let part = data.split_to(room.min(data.len()));
        if send.send_data(part, false).is_err() {
            return;
        }
    }
}
