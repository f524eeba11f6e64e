//! Recorded previews of the real engine: the same steps, reasons and inputs, and the same questions to the provider, whose
//! answers are played back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pulumi::ask::{
    Changes, CheckRequest, Checked, ConfigureRequest, CreateRequest, Detailed, DiffKind,
    DiffRequest, Diffed, Failure, InvokeRequest, Invoked, Package, Plugin, PluginError, Plugins,
    PropertyDiff, ReadObject, ReadPermission, ReadRequest,
};
use pulumi::config::Config;
use pulumi::engine::{Inputs, PlanOptions, plan};
use pulumi::json::{Secrets, UNKNOWN, Writing, object_from_json, object_to_json};
use pulumi::preview::digest;
use pulumi::program::Program;
use pulumi::secrets::Keys;
use pulumi::state::State;
use pulumi::urn::{StackName, Urn};
use pulumi::value::Object;
use serde_json::{Value as Json, json};
use text::FileId;

/// Past the capture of tests.
fn report(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A provider that answers what was recorded.
struct Recorded {
    calls: Vec<(String, Json, Json)>,
    asked: Mutex<Vec<(String, Json)>>,
}

const WIRE: Writing = Writing {
    secrets: Secrets::Kept,
    keeps_resources: true,
};

fn wire(object: &Object) -> Json {
    Json::Object(object_to_json(object, WIRE))
}

fn object(json: &Json) -> Object {
    let object = json.as_object().cloned().unwrap_or_default();
    object_from_json(&object, &|_| None)
}

/// What can't be the same twice.
fn comparable(method: &str, request: &Json) -> Json {
    let mut request = request.clone();
    if let Some(request) = request.as_object_mut() {
        request.remove("randomSeed");
        if method == "Configure" {
            request.retain(|key, _| ["args", "id", "urn"].contains(&key.as_str()));
        }
    }
    request
}

impl Recorded {
    fn read(text: &str) -> Recorded {
        let calls = text.lines().map(|line| {
            let json: Json = serde_json::from_str(line).unwrap();
            let method = json["method"].as_str().unwrap().to_owned();
            let request = comparable(&method, &json["request"]);
            (method, request, json["response"].clone())
        });
        Recorded {
            calls: calls.collect(),
            asked: Mutex::default(),
        }
    }

    fn ask(&self, method: &str, request: Json) -> Result<Json, PluginError> {
        self.asked
            .lock()
            .unwrap()
            .push((method.to_owned(), request.clone()));
        let found = self
            .calls
            .iter()
            .find(|(name, recorded, _)| name == method && *recorded == request);
        match found {
            Some((_, _, response)) => Ok(response.clone()),
            None => Err(PluginError::new(format!(
                "{method} was not recorded: {request}"
            ))),
        }
    }
}

fn subject(urn: &Urn) -> Json {
    json!({ "urn": urn.as_str(), "name": urn.name(), "type": urn.type_name() })
}

fn with(mut json: Json, more: Json) -> Json {
    let more = more.as_object().unwrap().clone();
    json.as_object_mut().unwrap().extend(more);
    json
}

fn difference(request: &DiffRequest) -> Json {
    let mut json = with(
        subject(&request.urn),
        json!({ "olds": wire(&request.olds), "oldInputs": wire(&request.old_inputs), "news": wire(&request.news) }),
    );
    if !request.ignore_changes.is_empty() {
        json["ignoreChanges"] = json!(request.ignore_changes);
    }
    json
}

fn check(request: &CheckRequest) -> Json {
    with(
        subject(&request.urn),
        json!({ "olds": wire(&request.olds), "news": wire(&request.news) }),
    )
}

fn checked(response: &Json) -> Checked {
    let failures = response["failures"].as_array().into_iter().flatten();
    Checked {
        inputs: object(&response["inputs"]),
        failures: failures
            .map(|it| Failure {
                property: it["property"].as_str().unwrap_or_default().to_owned(),
                reason: it["reason"].as_str().unwrap_or_default().to_owned(),
            })
            .collect(),
    }
}

fn diffed(response: &Json) -> Diffed {
    let texts = |key: &str| {
        let texts = response[key].as_array().into_iter().flatten();
        texts.map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let details = response["detailedDiff"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let details = details.into_iter().map(|(path, json)| {
        let kind = match json["kind"].as_str().unwrap_or("ADD") {
            "ADD" => DiffKind::Add,
            "ADD_REPLACE" => DiffKind::AddReplace,
            "DELETE" => DiffKind::Delete,
            "DELETE_REPLACE" => DiffKind::DeleteReplace,
            "UPDATE" => DiffKind::Update,
            "UPDATE_REPLACE" => DiffKind::UpdateReplace,
            other => panic!("{other}"),
        };
        let is_of_inputs = json["inputDiff"].as_bool().unwrap_or_default();
        (path, PropertyDiff { kind, is_of_inputs })
    });
    let details: Detailed = details.collect();
    Diffed {
        changes: match response["changes"].as_str() {
            Some("DIFF_NONE") => Changes::None,
            Some("DIFF_SOME") => Changes::Some,
            _ => Changes::Unknown,
        },
        replaces: texts("replaces"),
        diffs: texts("diffs"),
        detailed: response["hasDetailedDiff"]
            .as_bool()
            .unwrap_or_default()
            .then_some(details),
        deletes_before_replace: response["deleteBeforeReplace"]
            .as_bool()
            .unwrap_or_default(),
    }
}

impl Plugin for Recorded {
    async fn schema(&self) -> Result<String, PluginError> {
        let response = self.ask("GetSchema", json!({}))?;
        Ok(response["schema"].as_str().unwrap().to_owned())
    }

    async fn check_config(&self, request: CheckRequest) -> Result<Checked, PluginError> {
        self.ask("CheckConfig", check(&request))
            .map(|it| checked(&it))
    }

    async fn diff_config(&self, request: DiffRequest, _: bool) -> Result<Diffed, PluginError> {
        self.ask("DiffConfig", difference(&request))
            .map(|it| diffed(&it))
    }

    async fn configure(&self, request: ConfigureRequest) -> Result<(), PluginError> {
        let id = request.id.as_deref().unwrap_or(UNKNOWN);
        let json = json!({ "args": wire(&request.inputs), "id": id, "urn": request.urn.as_str() });
        self.ask("Configure", json).map(|_| ())
    }

    async fn check(&self, request: CheckRequest) -> Result<Checked, PluginError> {
        self.ask("Check", check(&request)).map(|it| checked(&it))
    }

    async fn diff(&self, request: DiffRequest) -> Result<Diffed, PluginError> {
        let json = with(difference(&request), json!({ "id": request.id }));
        self.ask("Diff", json).map(|it| diffed(&it))
    }

    async fn preview_create(&self, request: CreateRequest) -> Result<Option<Object>, PluginError> {
        let json = with(
            subject(&request.urn),
            json!({ "preview": true, "properties": wire(&request.properties) }),
        );
        self.ask("Create", json)
            .map(|it| Some(object(&it["properties"])))
    }

    async fn preview_update(&self, request: DiffRequest) -> Result<Option<Object>, PluginError> {
        let json = with(
            difference(&request),
            json!({ "id": request.id, "preview": true }),
        );
        self.ask("Update", json)
            .map(|it| Some(object(&it["properties"])))
    }

    async fn invoke(
        &self,
        request: InvokeRequest,
        _: ReadPermission,
    ) -> Result<Invoked, PluginError> {
        let json = json!({ "tok": request.token, "args": wire(&request.arguments) });
        let answer = self.ask("Invoke", json)?;
        Ok(Invoked {
            result: object(&answer["return"]),
            failures: checked(&answer).failures,
        })
    }

    async fn read(
        &self,
        request: ReadRequest,
        _: ReadPermission,
    ) -> Result<Option<ReadObject>, PluginError> {
        let inputs = wire(&request.inputs.unwrap_or_default());
        let json = json!({ "id": request.id, "properties": inputs, "inputs": inputs });
        let answer = self.ask("Read", with(subject(&request.urn), json))?;
        Ok(answer.get("properties").map(|properties| ReadObject {
            outputs: object(properties),
            inputs: answer.get("inputs").map(object),
            id: answer["id"].as_str().unwrap_or(&request.id).to_owned(),
        }))
    }
}

struct Recording(Arc<Recorded>);

impl Plugins for Recording {
    type Plugin = Recorded;

    async fn start(&self, _: &Package) -> Result<Arc<Recorded>, PluginError> {
        Ok(self.0.clone())
    }
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

struct Case {
    dir: PathBuf,
}

impl Case {
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.join(name)).unwrap_or_default()
    }

    fn inputs(&self) -> Inputs {
        let keys = Keys::new(Some("lens".to_owned()));
        let file = yaml::File::parse(&self.read("after.yaml"));
        let state = self.read("state.json");
        let state = match state.as_str() {
            "" => Arc::default(),
            text => Arc::new(State::read(text.as_bytes(), &keys).unwrap()),
        };
        let case: Json = serde_json::from_str(&self.read("case.json")).unwrap();
        let args: Vec<&str> = case["args"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Json::as_str)
            .collect();
        let named = |flag: &str| {
            let pairs = args.chunks(2).filter(|pair| pair[0] == flag);
            pairs.map(|pair| pair[1].to_owned()).collect()
        };
        Inputs {
            program: Program::read(&FileId::new("/Pulumi.yaml"), &file),
            config: Config::read(&self.read("after.config.yaml"), "shop", &keys),
            state,
            stack: StackName {
                stack: "dev".to_owned(),
                project: "shop".to_owned(),
            },
            organization: "organization".to_owned(),
            dir: PathBuf::from("/"),
            root_dir: PathBuf::from("/"),
            options: PlanOptions {
                targets: named("-target"),
                replace: named("-replace"),
                stops_at_faults: true,
                world: Some(ReadPermission::of_a_command()),
                release: None,
                reads_everywhere: true,
                budget: pulumi::budget::Budget::default(),
            },
            is_saved: true,
            may_have_policies: false,
            locks: Default::default(),
            stacks: None,
        }
    }
}

/// What a step says, in a line.
fn steps(digest: &Json) -> BTreeSet<String> {
    let set = |json: &Json| -> BTreeSet<String> {
        let texts = json.as_array().into_iter().flatten();
        texts.map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let steps = digest["steps"].as_array().unwrap().iter();
    steps
        .map(|step| {
            let details: BTreeMap<&String, String> =
                (step["detailedDiff"].as_object().into_iter().flatten())
                    .map(|(path, diff)| (path, format!("{} {}", diff["kind"], diff["inputDiff"])))
                    .collect();
            let inputs: BTreeMap<&String, &Json> =
                (step["newState"]["inputs"].as_object().into_iter().flatten()).collect();
            format!(
                "{} {} replace {:?} diff {:?} {details:?} inputs {inputs:?}",
                step["op"],
                step["urn"],
                set(&step["replaceReasons"]),
                set(&step["diffReasons"]),
            )
        })
        .collect()
}

/// The errors of a preview, without colours, layout and what an interrupted preview says of itself.
fn errors(digest: &Json) -> BTreeSet<(String, String)> {
    let diagnostics = digest["diagnostics"].as_array().unwrap().iter();
    let mut found = BTreeSet::new();
    for it in diagnostics {
        let mut message = String::new();
        let mut is_escape = false;
        for c in it["message"].as_str().unwrap().chars() {
            match c {
                '\u{1b}' => is_escape = true,
                'm' if is_escape => is_escape = false,
                _ if is_escape => {}
                c => message.push(c),
            }
        }
        let message = message.trim();
        let is_place = message.starts_with("on Pulumi.yaml")
            || message.starts_with(|c: char| c.is_ascii_digit());
        if is_place || message == "error: preview failed" {
            continue;
        }
        let message = message
            .trim_start_matches("error: ")
            .trim_start_matches("Error: ");
        let message = message.trim_start_matches("Preview failed: ");
        found.insert((
            it["urn"].as_str().unwrap_or_default().to_owned(),
            message.to_owned(),
        ));
    }
    found
}

/// Calls about resources, sorted. Those about plugins have no resource.
fn about_resources<'a>(calls: impl Iterator<Item = (&'a String, &'a Json)>) -> Vec<String> {
    let calls = calls.filter(|(_, request)| request["urn"].is_string());
    let mut lines: Vec<String> = calls
        .map(|(method, request)| {
            let sorted: BTreeMap<_, _> = request.as_object().unwrap().iter().collect();
            format!("{method} {}", json!(sorted))
        })
        .collect();
    lines.sort();
    lines
}

fn normalized(line: &str) -> String {
    let json: BTreeMap<String, Json> =
        serde_json::from_str(&line[line.find(' ').unwrap()..]).unwrap();
    format!(
        "{} {}",
        &line[..line.find(' ').unwrap()],
        ordered(&json!(json))
    )
}

/// With the keys of all objects in order.
fn ordered(json: &Json) -> String {
    match json {
        Json::Object(object) => {
            let sorted: BTreeMap<&String, String> =
                object.iter().map(|(key, it)| (key, ordered(it))).collect();
            format!("{sorted:?}")
        }
        Json::Array(elements) => format!("{:?}", elements.iter().map(ordered).collect::<Vec<_>>()),
        other => other.to_string(),
    }
}

/// Their folder: in that of `PLANLENS_CONFORMANCE`, or beside the repository.
fn recorded_previews() -> PathBuf {
    let folder = std::env::var_os("PLANLENS_CONFORMANCE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance"),
        PathBuf::from,
    );
    folder.join("pulumi")
}

fn skipped(folder: &Path) {
    report(&format!(
        "SKIPPED: no recorded previews in {}; PLANLENS_CONFORMANCE names the folder that has them",
        folder.display()
    ));
}

#[test]
fn recorded_previews_are_the_same() {
    let cases = recorded_previews();
    let Ok(entries) = fs::read_dir(&cases) else {
        return skipped(&cases);
    };
    let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in &names {
        let case = Case {
            dir: cases.join(name),
        };
        let inputs = case.inputs();
        let recorded = Arc::new(Recorded::read(&case.read("grpc.jsonl")));
        let plan = ready(plan(&inputs, &Recording(recorded.clone())));
        let found = digest(&plan);
        let expected: Json = serde_json::from_str(&case.read("preview.json")).unwrap();
        let name = name.to_string_lossy();
        let mut differ = |what: &str, found: String, expected: String| {
            if found != expected {
                wrong.push(format!("{name}: {what}\n  {found}\n  {expected}"));
            }
        };
        differ(
            "steps",
            format!("{:#?}", steps(&found)),
            format!("{:#?}", steps(&expected)),
        );
        differ(
            "errors",
            format!("{:?}", errors(&found)),
            format!("{:?}", errors(&expected)),
        );
        differ(
            "counts",
            ordered(&found["changeSummary"]),
            ordered(&expected["changeSummary"]),
        );
        if errors(&expected).is_empty() {
            let text = pulumi::render::text(&plan);
            // Resources are registered in any order.
            let lines = |text: &str| {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.sort();
                format!("{lines:#?}")
            };
            differ("text", lines(&text), lines(&case.read("preview.diff.txt")));
        }
        let asked = recorded.asked.lock().unwrap();
        let asked = about_resources(asked.iter().map(|(method, request)| (method, request)));
        let reported = recorded
            .calls
            .iter()
            .map(|(method, request, _)| (method, request));
        // A provider that only deletes is not started here: nothing would be asked of it.
        let is_checked = recorded
            .calls
            .iter()
            .any(|(method, ..)| method == "CheckConfig");
        let reported =
            about_resources(reported.filter(|(method, _)| is_checked || *method != "Configure"));
        let sorted = |lines: Vec<String>| {
            let mut lines: Vec<String> = lines.iter().map(|it| normalized(it)).collect();
            lines.sort();
            format!("{lines:#?}")
        };
        differ("calls", sorted(asked), sorted(reported));
    }
    let failed: BTreeSet<&str> = wrong.iter().filter_map(|it| it.split(':').next()).collect();
    report(&format!(
        "{} of {} recorded previews are the same",
        names.len() - failed.len(),
        names.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn secrets_are_in_no_text() {
    let cases = recorded_previews();
    let case = Case {
        dir: cases.join("22-secret-input"),
    };
    if !case.dir.exists() {
        return skipped(&case.dir);
    }
    let inputs = case.inputs();
    let recorded = Arc::new(Recorded::read(&case.read("grpc.jsonl")));
    let plan = ready(plan(&inputs, &Recording(recorded)));
    let texts = [
        digest(&plan).to_string(),
        pulumi::render::text(&plan),
        format!("{plan:?}"),
    ];
    for text in texts {
        assert!(text.contains("[secret]"));
        for secret in ["\"one\"", "\"two\"", "gen-a-0001"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}
