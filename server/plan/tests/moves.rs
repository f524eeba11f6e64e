//! Moves as functions of statements and a state: our own small cases, and the peers' where they are on this machine.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use config::{
    AbsResourceAddr, Files, InstanceKey, Module, ModuleAddr, ModuleCache, ModuleInstanceAddr,
    MoveEndpoint, Moveable, Repetition, ResourceInstanceAddr, load_module,
};
use cty::testing::table;
use expect_test::{Expect, expect};
use fixture::Fixture;
use plan::moves::{
    DeclaredInstances, Modules, MoveStatement, Moves, apply, explicit, implied, validate,
};
use serde_json::{Value as Json, json};
use state::State;
use text::{Diagnostic, FileId, SegmentId, Span, TextRange};

struct Memory(BTreeMap<String, Arc<str>>);

impl Files for Memory {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = self.0.keys().filter_map(|path| path.strip_prefix(dir));
        let names = names.filter_map(|name| name.strip_prefix('/'));
        let names = names.filter(|name| !name.contains('/')).map(str::to_owned);
        Ok(names.collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        let text = self.0.get(path).cloned();
        text.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// The modules of a fixture: `/main.tf` is the root, and `/a/main.tf` is called as `a` by the root.
fn load(fixture: &str) -> Vec<(ModuleAddr, Arc<Module>)> {
    let fixture = Fixture::parse(fixture);
    let files = fixture.files.into_iter();
    let files: BTreeMap<String, Arc<str>> =
        files.map(|file| (file.path, file.text.into())).collect();
    let dirs: Vec<String> = files
        .keys()
        .filter_map(|path| path.strip_suffix("/main.tf"))
        .map(str::to_owned)
        .collect();
    let files = Memory(files);
    let load = |dir: String| {
        let addr = ModuleAddr::new(dir.split('/').skip(1).filter(|name| !name.is_empty()));
        let (module, _) = load_module(&files, &mut ModuleCache::default(), &dir, &addr);
        (addr, module)
    };
    dirs.into_iter().map(load).collect()
}

fn modules(loaded: &[(ModuleAddr, Arc<Module>)]) -> Modules<'_> {
    let modules = loaded.iter();
    modules.map(|(addr, module)| (addr, &**module)).collect()
}

/// A state with an object at each address.
fn state<'a>(addrs: impl IntoIterator<Item = &'a str>) -> Arc<State> {
    let mut resources: BTreeMap<AbsResourceAddr, Vec<InstanceKey>> = BTreeMap::new();
    for addr in addrs {
        let addr: ResourceInstanceAddr = addr.parse().unwrap();
        resources.entry(addr.resource()).or_default().push(addr.key);
    }
    let resource = |(addr, keys): (AbsResourceAddr, Vec<InstanceKey>)| {
        let instance = |key: &InstanceKey| {
            let key = match key {
                InstanceKey::None => Json::Null,
                InstanceKey::Int(index) => json!(index),
                InstanceKey::String(key) => json!(key.as_str()),
            };
            json!({ "index_key": key, "attributes": {} })
        };
        json!({
            "module": addr.module.to_string(),
            "mode": "managed",
            "type": addr.resource.r#type.as_str(),
            "name": addr.resource.name.as_str(),
            "provider": "provider[\"example.com/foo/bar\"]",
            "instances": keys.iter().map(instance).collect::<Vec<_>>(),
        })
    };
    let resources: Vec<Json> = resources.into_iter().map(resource).collect();
    let file = json!({ "version": 4, "resources": resources });
    Arc::new(state::read(&file.to_string()).unwrap())
}

/// `NEW` or `NEW <- OLD` for each object, and what is blocked.
fn shown(state: &State, moves: &Moves) -> String {
    let object = |(addr, _): (ResourceInstanceAddr, _)| match moves.moved.get(&addr) {
        Some(moved) if moved.is_implied => format!("{addr} <- {} (implied)\n", moved.from),
        Some(moved) => format!("{addr} <- {}\n", moved.from),
        None => format!("{addr}\n"),
    };
    let blocked = moves.blocked.iter();
    let blocked = blocked.map(|(actual, wanted)| format!("{actual} stays, {wanted} is taken\n"));
    state.instances().map(object).chain(blocked).collect()
}

fn check(fixture: &str, addrs: &[&str], expected: Expect) {
    let loaded = load(fixture);
    let modules = modules(&loaded);
    let state = state(addrs.iter().copied());
    let mut statements = explicit(&modules);
    statements.extend(implied(&modules, &state, &statements, false));
    let (state, moves) = apply(&statements, &state);
    expected.assert_eq(&shown(&state, &moves));
}

#[test]
fn a_chain_ends_at_its_last_address_whatever_the_order_of_its_blocks() {
    check(
        r#"
moved {
  from = a.two
  to   = a.three
}
moved {
  from = a.one
  to   = a.two
}
resource "a" "three" {}
"#,
        &["a.one"],
        expect![["
            a.three <- a.one
        "]],
    );
}

#[test]
fn a_module_moves_with_its_contents() {
    check(
        r#"
moved {
  from = module.old
  to   = module.new[0]
}
moved {
  from = a.loose
  to   = module.new[0].a.loose
}
module "new" {
  source = "./new"
  count  = 1
}
"#,
        &["a.loose", "module.old.a.b[1]", "module.old.module.deep.a.b"],
        expect![["
            module.new[0].a.b[1] <- module.old.a.b[1]
            module.new[0].a.loose <- a.loose
            module.new[0].module.deep.a.b <- module.old.module.deep.a.b
        "]],
    );
}

#[test]
fn a_renamed_module_call_takes_along_all_its_instances() {
    check(
        r#"
moved {
  from = module.old
  to   = module.new
}
"#,
        &[
            r#"module.old["x"].a.b"#,
            r#"module.old["y"].module.deep[1].a.b"#,
        ],
        expect![[r#"
            module.new["x"].a.b <- module.old["x"].a.b
            module.new["y"].module.deep[1].a.b <- module.old["y"].module.deep[1].a.b
        "#]],
    );
}

#[test]
fn a_block_in_a_module_moves_in_all_instances_of_it() {
    check(
        r#"
module "m" {
  source = "./m"
  count  = 2
}
#- /m/main.tf
moved {
  from = a.old
  to   = a.new
}
"#,
        &["a.old", "module.m[0].a.old", "module.m[1].a.old[7]"],
        expect![["
            a.old
            module.m[0].a.new <- module.m[0].a.old
            module.m[1].a.new[7] <- module.m[1].a.old[7]
        "]],
    );
}

#[test]
fn an_object_survives_adding_or_removing_count() {
    check(
        r#"
resource "a" "gains" { count = 2 }
resource "a" "loses" {}
resource "a" "told" { count = 2 }
resource "a" "each" { for_each = {} }
moved {
  from = a.told
  to   = a.told[1]
}
"#,
        &["a.each", "a.gains", "a.loses[0]", "a.loses[1]", "a.told"],
        expect![["
            a.each
            a.gains[0] <- a.gains (implied)
            a.loses <- a.loses[0] (implied)
            a.loses[1]
            a.told[1] <- a.told
        "]],
    );
}

#[test]
fn an_object_stays_where_another_is_at_its_new_address() {
    check(
        r#"
moved {
  from = a.one
  to   = a.two
}
moved {
  from = a.x
  to   = a.y[0]
}
"#,
        &["a.one", "a.two", "a.x", "a.y[0]"],
        expect![["
            a.one
            a.two
            a.x
            a.y[0]
            a.one stays, a.two is taken
            a.x stays, a.y[0] is taken
        "]],
    );
}

#[test]
fn statements_in_a_cycle_move_nothing() {
    check(
        r#"
moved {
  from = a.one
  to   = a.two
}
moved {
  from = a.two
  to   = a.one
}
moved {
  from = a.x
  to   = a.y
}
"#,
        &["a.one", "a.x"],
        expect![["
            a.one
            a.x
        "]],
    );
}

#[test]
fn module_calls_are_rekeyed_without_a_block_only_where_that_is_wanted() {
    let loaded = load("module \"m\" {\n  source = \"./m\"\n  count = 1\n}\n#- /m/main.tf\n");
    let modules = modules(&loaded);
    let state = state(["module.m.a.b", "module.m.a.c"]);
    assert!(implied(&modules, &state, &[], false).is_empty());
    let (state, moves) = apply(&implied(&modules, &state, &[], true), &state);
    expect![["
        module.m[0].a.b <- module.m.a.b (implied)
        module.m[0].a.c <- module.m.a.c (implied)
    "]]
    .assert_eq(&shown(&state, &moves));
}

/// A configuration with each kind of repetition, at the root and in modules.
const ZOO: &str = r#"
module "single" { source = "./single" }
module "count" {
  source = "./count"
  count  = 2
}
module "zero_count" {
  source = "./zero_count"
  count  = 0
}
module "for_each" {
  source   = "./for_each"
  for_each = { a = "A" }
}
module "fake_external" { source = "./fake_external" }
resource "test" "single" {}
resource "test" "count" { count = 2 }
resource "test" "zero_count" { count = 0 }
resource "test" "for_each" { for_each = { a = "A" } }
resource "other" "single" {}
"#;

fn zoo() -> Vec<(ModuleAddr, Arc<Module>)> {
    let resources = ZOO
        .lines()
        .filter(|line| line.starts_with("resource \"test\""));
    let child: String = resources.map(|line| format!("{line}\n")).collect();
    let names = ["single", "count", "zero_count", "for_each", "fake_external"];
    let children = names
        .iter()
        .map(|name| format!("#- /{name}/main.tf\n{child}"));
    load(&format!(
        "#- /main.tf\n{ZOO}{}",
        children.collect::<String>()
    ))
}

/// The instances that the zoo's literal `count` and `for_each` give.
fn declared(modules: &Modules<'_>) -> DeclaredInstances {
    let keys = |repetition: &Repetition, name: &str| match repetition {
        Repetition::Single | Repetition::Enabled(_) => vec![InstanceKey::None],
        Repetition::Count(_) if name == "zero_count" => vec![],
        Repetition::Count(_) => vec![InstanceKey::Int(0), InstanceKey::Int(1)],
        Repetition::ForEach(_) => vec![InstanceKey::String("a".into())],
    };
    let mut declared = DeclaredInstances::default();
    let mut stack = vec![ModuleInstanceAddr::root()];
    while let Some(addr) = stack.pop() {
        let module = modules[&addr.module()];
        for resource in module.resources.values() {
            let keys = keys(&resource.repetition, &resource.addr.name);
            let resource = addr.resource(resource.addr.clone());
            declared
                .resources
                .insert(resource, keys.into_iter().collect());
        }
        for (name, call) in &module.module_calls {
            declared.calls.insert((addr.clone(), name.clone()));
            let keys = keys(&call.repetition, name).into_iter();
            stack.extend(keys.map(|key| addr.child(name.clone(), key)));
        }
        declared.modules.insert(addr);
    }
    declared
}

fn statement(module: &str, from: &str, to: &str) -> MoveStatement {
    let module = ModuleAddr::new(module.split('.').filter(|name| !name.is_empty()));
    let ends = MoveEndpoint::unify(&module, &from.parse().unwrap(), &to.parse().unwrap());
    let (from, to) = ends.unwrap();
    written(from, to)
}

/// A statement of the file `test`.
fn written(from: MoveEndpoint, to: MoveEndpoint) -> MoveStatement {
    MoveStatement {
        from,
        to,
        is_implied: false,
        span: Span {
            file: FileId::new("test"),
            segment: SegmentId { hash: 0, nth: 0 },
            range: TextRange::new(0.into(), 0.into()),
        },
    }
}

fn problems(statements: &[MoveStatement]) -> String {
    let zoo = zoo();
    let modules = modules(&zoo);
    let place = |span: &Span| match span.file.path() {
        "test" => "test:1,1".to_owned(),
        file => format!("PLACE in {file}"),
    };
    let problems = validate(statements, &modules, &declared(&modules), &place);
    let shown = |problem: Diagnostic| format!("{}: {}", problem.summary, problem.detail);
    problems
        .into_iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn errors_in_statements_have_terraforms_words() {
    let statements = [
        statement("", "test.single", "test.single"),
        statement("", "module.count[0]", "module.x"),
        statement("count", "test.single", "test.y"),
        statement("", "test.a", "test.b"),
        statement("", "test.a", "test.c"),
        statement("", "test.zero_count[0]", "test.d"),
    ];
    expect![[r#"
        Redundant move statement: This statement declares a move from test.single to the same address, which is the same as not declaring this move at all.
        Moved object still exists: This statement declares a move from module.count[0], but that module instance is still declared at PLACE in /main.tf.

        Change your configuration so that this instance will be declared as module.x instead.
        Moved object still exists: This statement declares a move from module.count[0].test.single, but that resource is still declared at PLACE in /count/main.tf.

        Change your configuration so that this resource will be declared as module.count[0].test.y instead.
        Moved object still exists: This statement declares a move from module.count[1].test.single, but that resource is still declared at PLACE in /count/main.tf.

        Change your configuration so that this resource will be declared as module.count[1].test.y instead.
        Ambiguous move statements: A statement at test:1,1 declared that test.a moved to test.b, but this statement instead declares that it moved to test.c.

        Each resource can move to only one destination resource."#]]
    .assert_eq(&problems(&statements));
    expect![[r#"
        Cyclic dependency in move statements: The following chained move statements form a cycle, and so there is no final location to move objects to:
          - test:1,1: test.a[*] → test.b[*]
          - test:1,1: test.b[*] → test.c[*]
          - test:1,1: test.c[*] → test.a[*]

        A chain of move statements must end with an address that doesn't appear in any other statements, and which typically also refers to an object still declared in the configuration."#]]
    .assert_eq(&problems(&[
        statement("", "test.a", "test.b"),
        statement("", "test.b", "test.c"),
        statement("", "test.c", "test.a"),
        statement("", "test.x", "test.y"),
    ]));
}

/// Inner moves match both ends of an outer one that only changes keys: no cycle.
#[test]
fn moves_inside_of_a_module_that_gets_keys_are_no_cycle() {
    let statements = [
        statement("count", "test.count", "test.count[0]"),
        statement("", "module.count", "module.count[0]"),
    ];
    assert_eq!(problems(&statements), "");
}

#[test]
fn moves_go_as_in_the_peers_table() {
    let Some(rows) = table("tables/opentofu_refactoring.jsonl") else {
        report("opentofu_refactoring: SKIPPED, not on this machine");
        return;
    };
    let (mut passed, mut others, mut failed) = (0, 0, Vec::new());
    for row in &rows {
        let outcome = match row["test"].as_str() {
            Some("TestApplyMoves") => applies_as(&row["case"]),
            Some("TestValidateMoves") => validates_as(&row["case"]),
            _ => {
                others += 1;
                continue;
            }
        };
        match outcome {
            Ok(()) => passed += 1,
            Err(why) => failed.push(format!("{}: {why}", row["key"])),
        }
    }
    report(&format!(
        "opentofu_refactoring: {passed} passed, {} failed; {others} about removed blocks",
        failed.len()
    ));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn report(line: &str) {
    use std::io::Write;
    let mut out = io::stderr();
    writeln!(out, "{line}").unwrap();
}

fn statements(json: &Json) -> Vec<MoveStatement> {
    let statements = json.as_array().into_iter().flatten();
    statements
        .map(|json| MoveStatement {
            is_implied: json["Implied"].as_bool().unwrap_or(false),
            ..written(end(&json["From"]), end(&json["To"]))
        })
        .collect()
}

fn end(json: &Json) -> MoveEndpoint {
    let names = json["module"].as_array().into_iter().flatten();
    MoveEndpoint {
        module: ModuleAddr::new(names.map(|name| name.as_str().unwrap())),
        subject: moveable(&json["relSubject"]),
    }
}

fn moveable(json: &Json) -> Moveable {
    if json.is_array() {
        return Moveable::Module(module(json));
    }
    let inner = module(&json["Module"]);
    if let Some(call) = json["Call"]["Name"].as_str() {
        return Moveable::Call(inner, call.into());
    }
    let instance = &json["Resource"];
    let resource = |json: &Json| {
        let text = |key: &str| json[key].as_str().unwrap();
        inner.resource(config::ResourceAddr::managed(text("Type"), text("Name")))
    };
    match instance["Resource"].is_object() {
        true => Moveable::Instance(resource(&instance["Resource"]).instance(key(&instance["Key"]))),
        false => Moveable::Resource(resource(instance)),
    }
}

fn module(json: &Json) -> ModuleInstanceAddr {
    let steps = json.as_array().into_iter().flatten();
    ModuleInstanceAddr::new(steps.map(|step| config::ModuleStep {
        call: step["Name"].as_str().unwrap().into(),
        key: key(&step["InstanceKey"]),
    }))
}

fn key(json: &Json) -> InstanceKey {
    match json {
        Json::String(key) => InstanceKey::String(key.into()),
        Json::Number(index) => InstanceKey::Int(index.as_u64().unwrap()),
        _ => InstanceKey::None,
    }
}

fn applies_as(case: &Json) -> Result<(), String> {
    let mut addrs = Vec::new();
    for (module, stored) in case["State"]["Modules"].as_object().into_iter().flatten() {
        for (resource, stored) in stored["Resources"].as_object().into_iter().flatten() {
            for key in stored["Instances"].as_object().into_iter().flatten() {
                let key = key.0.replace("<nil>", "");
                let dot = if module.is_empty() { "" } else { "." };
                addrs.push(format!("{module}{dot}{resource}{key}"));
            }
        }
    }
    let prior = state(addrs.iter().map(String::as_str));
    let (after, moves) = apply(&statements(&case["Stmts"]), &prior);
    let ours: Vec<String> = after
        .instances()
        .map(|(addr, _)| addr.to_string())
        .collect();
    let wanted = json!(ours);
    let listed = match &case["WantInstanceAddrs"] {
        Json::Null => &json!([]),
        listed => listed,
    };
    same(&wanted, listed)?;
    let elements = |key: &str| {
        let elements = case["WantResults"][key]["Elems"].as_object();
        elements.into_iter().flatten().map(|(_, element)| element)
    };
    let moved: Vec<String> = elements("Changes")
        .map(|change| {
            let (from, to) = (&change["Value"]["From"], &change["Value"]["To"]);
            format!("{} <- {}", moveable(to), moveable(from))
        })
        .collect();
    let ours = moves.moved.iter();
    let ours: Vec<String> = ours
        .map(|(to, moved)| format!("{to} <- {}", moved.from))
        .collect();
    same(&json!(ours), &json!(moved))?;
    let blocked: Vec<String> = elements("Blocked")
        .map(|blocked| {
            let (actual, wanted) = (&blocked["Value"]["Actual"], &blocked["Value"]["Wanted"]);
            format!("{} stays, {}", moveable(actual), moveable(wanted))
        })
        .collect();
    let ours = moves.blocked.iter();
    let ours: Vec<String> = ours
        .map(|(actual, wanted)| format!("{actual} stays, {wanted}"))
        .collect();
    same(&json!(ours), &json!(blocked))
}

/// Places in the peers' fixture are not those in ours.
fn validates_as(case: &Json) -> Result<(), String> {
    let ours = problems(&statements(&case["Statements"]));
    let without_place = |text: &str| match text.split_once("still declared at ") {
        Some((head, tail)) => {
            let tail = tail.split_once(".\n\n").unwrap().1;
            format!("{head}still declared. {tail}")
        }
        None => text.to_owned(),
    };
    let wanted = case["WantError"].as_str().unwrap_or_default();
    same(&json!(without_place(&ours)), &json!(without_place(wanted)))
}

fn same(ours: &Json, theirs: &Json) -> Result<(), String> {
    match ours == theirs {
        true => Ok(()),
        false => Err(format!("{ours} instead of {theirs}")),
    }
}
