//! A root module in memory, planned, and its plan as text.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use config::{InstanceKey, ProviderAddr, ResourceAddr, ResourceInstanceAddr};
use cty::{Mark, Type, Value};
use expect_test::Expect;
use fixture::Fixture;
use plan::{Plan, PlanningRequest, ResourceInstanceChange, Root, Surroundings};
use provider::fake::{Behaviour, FakeDataSource, FakeProvider, FakeResource};
use provider::{PlanResponse, Provider, ProviderError, Rpc};
use schema::{Attribute, Block, NestedBlock, Nesting};
use serde_json::{Value as Json, json};
use text::{Diagnostic, Severity};

/// Where the root module is said to be.
pub const DIR: &str = "/module";

/// Files in memory, kept parsed as an editor keeps its documents.
#[derive(Clone, Default)]
pub struct Texts(BTreeMap<String, syntax::File>);

impl Texts {
    pub fn set(&mut self, path: &str, text: &str) {
        let file = match self.0.get(path) {
            Some(before) => before.reparse(text).0,
            None if path.ends_with(".json") => config::parse_file(path, text),
            None => syntax::parse(text),
        };
        self.0.insert(path.to_owned(), file);
    }
}

impl Texts {
    /// Each file with its text.
    pub fn texts(&self) -> BTreeMap<String, String> {
        let texts = self.0.iter();
        texts
            .map(|(path, file)| (path.clone(), file.text().to_string()))
            .collect()
    }
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .iter()
            .try_for_each(|(path, file)| writeln!(f, "#- {path}\n{}", file.text()))
    }
}

impl config::Files for Texts {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = self.0.keys().filter_map(|path| {
            let name = path.strip_prefix(dir)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        });
        let names: Vec<String> = names.collect();
        match names.is_empty() {
            true => Err(io::Error::from(io::ErrorKind::NotFound)),
            false => Ok(names),
        }
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        Ok(self.parse(path)?.text().clone())
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        let file = self.0.get(path).cloned();
        file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

/// A root module, and the provider `fake` that it may use.
pub struct World {
    pub files: Texts,
    pub root: Root,
    pub provider: Arc<FakeProvider>,
    pub request: PlanningRequest,
}

pub fn surroundings() -> Surroundings {
    Surroundings {
        dir: PathBuf::from(DIR),
        cwd: PathBuf::from(DIR),
        variables: Default::default(),
        options: Vec::new(),
        state: None,
        plan_timestamp: None,
        cache_dir: None,
        is_trusted: true,
        approved: plan::Approved::All,
        language: plan::LanguageChoice::pinned(config::Profile::TERRAFORM_1_11),
    }
}

impl World {
    /// The module of a fixture, whose files may leave out the module's folder.
    pub fn new(text: &str) -> World {
        World::with(text, surroundings(), fake())
    }

    pub fn with(text: &str, surroundings: Surroundings, provider: FakeProvider) -> World {
        let fixture = Fixture::parse(text);
        let mut files = Texts::default();
        for file in &fixture.files {
            files.set(&format!("{DIR}{}", file.path), &file.text);
        }
        if !fixture.state.is_empty() {
            files.set(
                &format!("{DIR}/terraform.tfstate"),
                &state_text(&fixture.state),
            );
        }
        let provider = Arc::new(provider);
        World {
            files,
            root: root(surroundings, provider.clone()),
            provider,
            request: PlanningRequest {
                is_saved: true,
                may_configure: true,
                ..PlanningRequest::default()
            },
        }
    }

    pub fn set(&mut self, path: &str, text: &str) {
        self.files.set(&format!("{DIR}{path}"), text);
    }

    pub fn plan(&mut self) -> Plan {
        self.root.load(&self.files, &self.request);
        block_on(self.root.plan(&mut |_| {}))
    }

    /// The plan as text: changes, outputs, labels, diagnostics.
    pub fn show(&self, plan: &Plan) -> String {
        let mut text = String::new();
        for change in plan.changes() {
            show_change(&mut text, change);
        }
        for output in plan.output_changes() {
            let action = output.action.json_names().join("/");
            let after = match output.is_sensitive {
                true => "(sensitive)".to_owned(),
                false => format!("{:?}", output.after),
            };
            let _ = writeln!(text, "output {}: {action} {after}", output.name);
        }
        for (addr, caveat) in plan.caveats() {
            let _ = writeln!(text, "label {addr}: {caveat}");
        }
        let mut problems: Vec<String> = plan
            .all_diagnostics()
            .map(|diagnostic| self.show_diagnostic(diagnostic))
            .collect();
        problems.sort();
        text + &problems.concat()
    }

    fn show_diagnostic(&self, diagnostic: &Diagnostic) -> String {
        let at = diagnostic.subject.as_ref().map_or_else(
            || "nowhere".to_owned(),
            |span| match self.root.resolve(span) {
                Some(range) => {
                    let file = config::Files::parse(&self.files, span.file.path()).unwrap();
                    format!("`{}`", &file.text()[range])
                }
                None => "a lost place".to_owned(),
            },
        );
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info | Severity::Hint => "note",
        };
        let detail = match diagnostic.detail.as_str() {
            "" => String::new(),
            detail => format!(": {}", detail.lines().next().unwrap_or_default()),
        };
        format!("{severity} at {at}: {}{detail}\n", diagnostic.summary)
    }

    /// How often the provider was asked for a plan of each type.
    pub fn planned_types(&self) -> Vec<String> {
        let plans = self.provider.requests().into_iter();
        plans
            .filter(|request| request.rpc == Rpc::PlanResourceChange)
            .map(|request| request.type_name.to_string())
            .collect()
    }
}

pub fn check(text: &str, expect: Expect) {
    let mut world = World::new(text);
    let plan = world.plan();
    expect.assert_eq(&world.show(&plan));
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

pub fn root(surroundings: Surroundings, provider: Arc<dyn Provider>) -> Root {
    let root = Root::new(surroundings);
    root.providers()
        .insert(ProviderAddr::implied("fake"), provider);
    root
}

fn show_change(text: &mut String, change: &ResourceInstanceChange) {
    let symbol = match change.action.symbol() {
        "" => "=",
        symbol => symbol,
    };
    let _ = write!(text, "{symbol} {}", change.addr);
    if let Some(deposed) = &change.deposed {
        let _ = write!(text, " deposed {deposed}");
    }
    if let Some(previous) = &change.previous_addr {
        let _ = write!(text, " from {previous}");
    }
    if let Some(reason) = change.reason {
        let _ = write!(text, " ({})", reason.json_name());
    }
    if !change.replace_paths.is_empty() {
        let paths: Vec<String> = change.replace_paths.iter().map(|p| p.to_string()).collect();
        let _ = write!(text, " because of {}", paths.join(" "));
    }
    text.push('\n');
    let attribute = |value: &Value, name: &str| match value.unmark().0.is_null() {
        true => None,
        false => value.unmark().0.get_attr(name).ok(),
    };
    let names = change.schema.block.attributes.keys();
    for name in names.chain(change.schema.block.block_types.keys()) {
        let before = attribute(&change.before, name).filter(|value| !is_absent(value));
        let after = attribute(&change.after, name).filter(|value| !is_absent(value));
        let is_same = match (&before, &after) {
            (Some(before), Some(after)) => before.raw_equals(after),
            (None, None) => true,
            (_, _) => false,
        };
        if !is_same && !change.after.is_null() {
            let _ = writeln!(text, "    {name}: {} -> {}", show(before), show(after));
        }
    }
}

fn is_absent(value: &Value) -> bool {
    let (value, marks) = value.unmark();
    let is_empty = value.as_slice().is_some_and(<[Value]>::is_empty);
    marks.is_empty() && (value.is_null() || is_empty)
}

fn show(value: Option<Value>) -> String {
    match value {
        None => "null".to_owned(),
        Some(value) if value.unmark_deep().1.contains(&Mark::Sensitive) => "(sensitive)".to_owned(),
        Some(value) => format!("{value:?}"),
    }
}

/// The provider `fake`. Any call beyond those of planning fails the test.
pub fn fake() -> FakeProvider {
    let disk = || {
        FakeResource::new(disk_block())
            .with("zone", Behaviour::ForcesReplacement)
            .with("label", Behaviour::IgnoresCase)
            .with("revision", Behaviour::KnownAfterApply)
            .with("kind", Behaviour::Default(Value::string("std")))
            .validated_by(|config| match config.get("name").and_then(Value::as_str) {
                Some("forbidden") => vec![provider::Problem {
                    at: Some(cty::Path::new().attr("name")),
                    ..provider::error("Bad name", "This name is forbidden.")
                }],
                _ => Vec::new(),
            })
    };
    let image = Block {
        attributes: BTreeMap::from([("id".into(), Attribute::new(Type::String).computed())]),
        ..Block::default()
    };
    let config = Block {
        attributes: BTreeMap::from([("region".into(), Attribute::new(Type::String).optional())]),
        ..Block::default()
    };
    FakeProvider::new()
        .with_config(config)
        .with_data_source("fake_image", FakeDataSource::new(image))
        .with_resource("fake_disk", disk())
        .with_resource("fake_old", disk().legacy())
        .with_resource(
            "fake_secret",
            FakeResource::new(secret_block()).planned_by(plan_secret),
        )
        .with_resource(
            "fake_failing",
            FakeResource::new(disk_block()).planned_by(|_| {
                Err(ProviderError::Stopped {
                    provider: "fake".to_owned(),
                    doing: "a plan",
                })
            }),
        )
        .with_resource(
            "fake_liar",
            FakeResource::new(disk_block()).planned_by(|request| {
                let mut planned = BTreeMap::from(request.proposed_new_state.as_map().unwrap());
                planned.insert("name".into(), Value::string("lie"));
                Ok(planned_as(Value::object(planned)))
            }),
        )
}

fn planned_as(planned_state: Value) -> PlanResponse {
    PlanResponse {
        planned_state,
        requires_replace: Vec::new(),
        planned_private: bytes::Bytes::new(),
        legacy_type_system: false,
        deferred: None,
        planned_identity: None,
        diagnostics: Vec::new(),
    }
}

pub fn disk_block() -> Block {
    let string = || Attribute::new(Type::String);
    let port = Block {
        attributes: BTreeMap::from([
            ("number".into(), Attribute::new(Type::Number).required()),
            ("note".into(), string().optional()),
        ]),
        ..Block::default()
    };
    let ports = NestedBlock {
        block: port,
        nesting: Nesting::List,
        min_items: 0,
        max_items: 0,
    };
    Block {
        attributes: BTreeMap::from([
            ("id".into(), string().computed()),
            ("kind".into(), string().optional().computed()),
            ("label".into(), string().optional()),
            ("name".into(), string().optional()),
            ("password".into(), string().optional().sensitive()),
            ("revision".into(), string().computed()),
            ("size".into(), Attribute::new(Type::Number).optional()),
            (
                "tags".into(),
                Attribute::new(Type::map(Type::String)).optional(),
            ),
            ("zone".into(), string().optional()),
        ]),
        block_types: BTreeMap::from([("port".into(), ports)]),
        ..Block::default()
    }
}

fn secret_block() -> Block {
    let string = || Attribute::new(Type::String);
    Block {
        attributes: BTreeMap::from([
            ("id".into(), string().computed()),
            ("key".into(), string().optional().write_only()),
            ("version".into(), string().optional()),
        ]),
        ..Block::default()
    }
}

/// A new key is noticed by nobody; `version` replaces the object for the sake of its write-only key.
fn plan_secret(request: provider::PlanRequest) -> Result<PlanResponse, ProviderError> {
    let Some(proposed) = request.proposed_new_state.as_map() else {
        return Ok(planned_as(request.proposed_new_state));
    };
    let mut planned = BTreeMap::from(proposed);
    planned.insert("key".into(), Value::null(Type::String));
    let version = |state: &Value| state.get("version").cloned();
    let is_create = request.prior_state.is_null();
    if is_create {
        planned.insert("id".into(), Value::unknown(Type::String));
    }
    let is_same = version(&request.prior_state) == version(&request.proposed_new_state);
    let requires_replace = match is_create || is_same {
        true => Vec::new(),
        false => vec![cty::Path::new().attr("key")],
    };
    Ok(PlanResponse {
        requires_replace,
        ..planned_as(Value::object(planned))
    })
}

/// A state file with these objects. Flags behind an address: `tainted`, `deposed=KEY`, `private=BASE64`,
/// `sensitive=ATTRIBUTE`, `provider=ALIAS`. Attributes that are not given are null.
pub fn state_text(objects: &[(String, String)]) -> String {
    let mut resources: BTreeMap<String, Json> = BTreeMap::new();
    let mut outputs = serde_json::Map::new();
    for (header, body) in objects {
        let mut words = header.split_whitespace();
        let addr = words.next().unwrap();
        let attributes = attributes(body);
        if addr == "outputs" {
            for (name, value) in attributes {
                outputs.insert(name, json!({ "type": json_type(&value), "value": value }));
            }
            continue;
        }
        let addr: ResourceInstanceAddr = addr.parse().unwrap();
        let ResourceAddr { r#type, name, .. } = &addr.resource;
        let (r#type, name) = (r#type.as_str(), name.as_str());
        let index = match &addr.key {
            InstanceKey::None => Json::Null,
            InstanceKey::Int(index) => json!(index),
            InstanceKey::String(key) => json!(key.as_str()),
        };
        let mut object = serde_json::Map::new();
        for name in names(r#type) {
            object.insert(name, Json::Null);
        }
        if r#type.starts_with("fake_") && r#type != "fake_secret" {
            object.insert("port".to_owned(), json!([]));
        }
        for (name, value) in attributes {
            let is_dynamic = r#type == "terraform_data" && name != "id";
            let value = match is_dynamic {
                true => json!({ "type": json_type(&value), "value": value }),
                false => value,
            };
            object.insert(name, value);
        }
        let mut instance = json!({
            "index_key": index,
            "schema_version": 0,
            "attributes": object,
        });
        let mut alias = String::new();
        for flag in words {
            match flag.split_once('=') {
                None => instance["status"] = json!(flag),
                Some(("sensitive", name)) => {
                    instance["sensitive_attributes"] =
                        json!([[{"type": "get_attr", "value": name}]]);
                }
                Some(("provider", name)) => alias = format!(".{name}"),
                Some((key, value)) => instance[key] = json!(value),
            }
        }
        let provider = match r#type.split('_').next() {
            Some("terraform") => ProviderAddr::builtin(),
            other => ProviderAddr::implied(other.unwrap()),
        };
        let resource = resources.entry(addr.resource().to_string());
        let resource = resource.or_insert_with(|| {
            let mut resource = json!({
                "mode": "managed",
                "type": r#type,
                "name": name,
                "provider": format!("provider[\"{provider}\"]{alias}"),
                "instances": [],
            });
            if !addr.module.is_root() {
                resource["module"] = json!(addr.module.to_string());
            }
            resource
        });
        resource["instances"].as_array_mut().unwrap().push(instance);
    }
    let resources: Vec<Json> = resources.into_values().collect();
    json!({
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 1,
        "lineage": "fixture",
        "outputs": outputs,
        "resources": resources,
    })
    .to_string()
}

fn json_type(value: &Json) -> &'static str {
    match value {
        Json::String(_) => "string",
        _ => "number",
    }
}

fn names(r#type: &str) -> Vec<String> {
    let block = match r#type {
        "terraform_data" => {
            return ["id", "input", "output", "triggers_replace"]
                .map(str::to_owned)
                .into();
        }
        "null_resource" => return ["id", "triggers"].map(str::to_owned).into(),
        "fake_secret" => secret_block(),
        _ => disk_block(),
    };
    block.attributes.keys().map(ToString::to_string).collect()
}

fn attributes(body: &str) -> Vec<(String, Json)> {
    let file = syntax::parse(body);
    let attributes = file.body().attributes().map(|(_, attribute)| {
        let value = eval::evaluate(&attribute.expr, &eval::EvalContext::empty()).value;
        (attribute.name.name.to_string(), plan::plain(&value))
    });
    attributes.collect()
}
