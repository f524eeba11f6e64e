//! OpenTofu's own table of its language, where its folder is at hand, and cases of our own of what it taught.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;

use config::{Body, Origin, Profile, Reference, Referenceable, refs};
use cty::testing::{table, value};
use cty::{Type, Value};
use eval::{EvalContext, Functions, Variables};
use expect_test::expect;
use plan::{LanguageChoice, OpenFiles, Options, Plan, PlanningRequest, Root, Surroundings};
use provider::fake::{FakeDataSource, FakeProvider, FakeResource};
use provider::{ReadDataSourceResponse, Rpc};
use schema::{Attribute, Block, DescriptionKind, FunctionParameter, FunctionSignature};
use schema::{NestedBlock, Nesting};
use serde_json::Value as Json;
use text::FileId;

use crate::schema_json;
use crate::support::{World, block_on, fake, surroundings};

/// Runs the table and prints how it went; no row is left out.
#[test]
fn opentofu_lang() {
    let mut stderr = std::io::stderr();
    let mut say = |line: &str| writeln!(stderr, "opentofu_lang: {line}").unwrap();
    let Some(rows) = table("tables/opentofu_lang.jsonl") else {
        return say("SKIPPED, the conformance tables are not here");
    };
    let mut passed = 0;
    let mut failed = functions(rows.iter().filter(|row| row["test"] == "TestFunctions"));
    for row in &rows {
        let case = &row["case"];
        let outcome = match row["test"].as_str().unwrap() {
            "TestFunctions" => match failed.contains_key(row["key"].as_str().unwrap()) {
                true => continue,
                false => Ok(()),
            },
            "TestScopeEvalContext" => scope(case),
            "TestScopeExpandEvalBlock" => expanded_block(case),
            "TestScopeEvalSelfBlock" => self_block(case),
            "Test_enhanceFunctionDiags" => wrong_function(case),
            "TestValidEphemeralReference" => ephemeral_reference(case),
            "TestReferencesInExpr" => provider_functions(case),
            other => Err(format!("{other} is not bound")),
        };
        match outcome {
            Ok(()) => passed += 1,
            Err(why) => {
                failed.insert(format!("{} {} {case}", row["test"], row["key"]), why);
            }
        }
    }
    say(&format!("{passed} of {} passed", rows.len()));
    assert!(failed.is_empty(), "{failed:#?}");
}

fn same<T: PartialEq + std::fmt::Debug>(got: &T, want: &T) -> Result<(), String> {
    match got == want {
        true => Ok(()),
        false => Err(format!("got {got:?}, want {want:?}")),
    }
}

fn opentofu() -> Surroundings {
    Surroundings {
        language: LanguageChoice::pinned(Profile::NEWEST_OPENTOFU),
        ..surroundings()
    }
}

/// What is wrong, by the name of the row: all expressions as outputs of one module.
fn functions<'a>(rows: impl Iterator<Item = &'a Json>) -> BTreeMap<String, String> {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["", "subdirectory/"] {
        for (name, text) in [("hello.txt", "hello!"), ("hello.tmpl", "Hello, ${name}!")] {
            let path = dir.path().join(folder).join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    let mut surroundings = Surroundings {
        dir: dir.path().to_owned(),
        cwd: dir.path().to_owned(),
        plan_timestamp: Some("2004-04-25T15:00:00Z".into()),
        ..opentofu()
    };
    let mut text = String::new();
    let mut wanted = BTreeMap::new();
    for row in rows {
        let key = row["key"].as_str().unwrap();
        for (index, case) in row["case"].as_array().unwrap().iter().enumerate() {
            let src = case["src"].as_str().unwrap();
            let want = value(&case["want"]).expect("a value");
            // `~` is the home of whoever recorded the table.
            if let Some(home) = want
                .as_str()
                .and_then(|path| path.strip_suffix("/test-file"))
            {
                surroundings.variables.insert("HOME", home);
            }
            text.push_str(&format!(
                "output \"{key}_{index}\" {{\n  value = [{src}]\n}}\n"
            ));
            wanted.insert(format!("{key}_{index}"), (key, want));
        }
    }
    std::fs::write(dir.path().join("main.tofu"), text).unwrap();
    let mut root = Root::new(surroundings);
    root.load(&OpenFiles::default(), &PlanningRequest::default());
    let plan = block_on(root.plan(&mut |_| {}));
    let problems: Vec<String> = plan.all_diagnostics().map(|d| d.detail.clone()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let mut failed = BTreeMap::new();
    for (name, (key, want)) in wanted {
        let want = Value::tuple(vec![want]);
        if let Err(why) = same(&output(&plan, &name), &Some(want)) {
            failed.insert(key.to_owned(), why);
        }
    }
    failed
}

fn output(plan: &Plan, name: &str) -> Option<Value> {
    let output = plan.outputs.iter().find(|output| output.name == name)?;
    Some(output.after.clone())
}

/// The objects that the rows of `TestScopeEvalContext` refer to.
const OBJECTS: &str = r#"
resource "null_resource" "foo" {
  provider = fake
  attr     = "bar"
}
resource "null_resource" "multi" {
  provider = fake
  count    = 2
  attr     = "multi${count.index}"
}
resource "null_resource" "each" {
  provider = fake
  for_each = toset(["each0", "each1"])
  attr     = each.key
}
data "null_data_source" "foo" {
  provider = fake
  attr     = "bar"
}
module "foo" {
  source = "./foo"
}
terraform {
  required_providers {
    fake = {
      source = "registry.terraform.io/hashicorp/fake"
    }
  }
}
#- /foo/main.tf
output "output0" {
  value = "bar0"
}
output "output1" {
  value = "bar1"
}
"#;

/// The expression refers to what OpenTofu looks up for it, and has the same value in a plan.
fn scope(case: &Json) -> Result<(), String> {
    let text = case["Expr"].as_str().unwrap();
    let parsed = syntax::parse_expression(text);
    let wanted: BTreeMap<&str, Value> = (case["Want"].as_object().unwrap().iter())
        .map(|(name, json)| (name.as_str(), value(json).unwrap()))
        .collect();
    let mut roots = BTreeSet::new();
    for reference in refs::references(&nowhere(), &parsed.tree) {
        let path = path(&reference);
        let has = |root: &str, rest: &[String]| {
            let mut value = wanted.get(root)?;
            for name in rest {
                value = value.get(name)?;
            }
            Some(())
        };
        has(&path[0], &path[1..]).ok_or_else(|| format!("refers to {path:?}"))?;
        roots.insert(path[0].clone());
        // One object under two names.
        match path[0].as_str() {
            "terraform" | "tofu" => roots.extend(["terraform".to_owned(), "tofu".to_owned()]),
            "null_resource" => roots.extend(["resource".to_owned()]),
            _ => {}
        }
    }
    let all: BTreeSet<String> = wanted.keys().map(|name| (*name).to_owned()).collect();
    let roots: BTreeSet<String> = roots.intersection(&all).cloned().collect();
    let is_there = |name: &String| name != "resource" || roots.contains("null_resource");
    same(&roots, &all.into_iter().filter(is_there).collect())?;
    // The row has an attribute of `self` that isn't there; and no provider opens an ephemeral resource here.
    if text.starts_with("self.") || text.starts_with("ephemeral.") {
        return Ok(());
    }
    // A function of the test's own.
    let text = match text
        .strip_prefix("foo(")
        .and_then(|args| args.strip_suffix(')'))
    {
        Some(args) => format!("[{args}]"),
        None => text.to_owned(),
    };
    let variables: Variables = (wanted.iter())
        .map(|(name, value)| ((*name).into(), value.clone()))
        .collect();
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(variables, &functions);
    let want = eval::evaluate(&syntax::parse_expression(&text).tree, &context).value;
    let repetition = match text.split('.').next() {
        Some("count") => "count = 1",
        Some("each") => "for_each = { a = 1 }",
        _ => "",
    };
    let used = format!(
        "resource \"null_resource\" \"got\" {{\n  provider = fake\n  {repetition}\n  attr = jsonencode({text})\n}}\n"
    );
    let mut world = World::with(&format!("{used}{OBJECTS}"), opentofu(), null());
    world.request.options = Arc::new(Options {
        read_data_sources: true,
        ..Options::default()
    });
    let plan = world.plan();
    let problems: Vec<String> = plan.all_diagnostics().map(|d| d.detail.clone()).collect();
    same(&problems, &Vec::new())?;
    let got = plan
        .changes()
        .find(|change| change.addr.resource.name == "got")
        .ok_or("no change")?;
    same(
        &got.after.get("attr").and_then(Value::as_str),
        &cty::json::encode_simple(&want).ok().as_deref(),
    )
}

fn nowhere() -> Origin {
    let file = syntax::parse("\n");
    Origin {
        file: FileId::new("/main.tf"),
        segment: file.segments().next().unwrap().id,
    }
}

/// The names that lead to what is referred to.
fn path(reference: &Reference) -> Vec<String> {
    let path = match &reference.subject {
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
            addr.to_string()
        }
        Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
            format!("module.{call}")
        }
        Referenceable::ModuleOutput { call, output, .. } => format!("module.{call}.{output}"),
        Referenceable::Count(name) => format!("count.{name}"),
        Referenceable::Each(name) => format!("each.{name}"),
        Referenceable::Terraform(name) => format!("terraform.{name}"),
        Referenceable::Tofu(name) => format!("tofu.{name}"),
        Referenceable::Path(name) => format!("path.{name}"),
        Referenceable::Var(name) => format!("var.{name}"),
        Referenceable::Local(name) => format!("local.{name}"),
        Referenceable::Self_ => "self".to_owned(),
    };
    path.split('.').map(str::to_owned).collect()
}

/// `null_resource` and `null_data_source`, with one attribute.
fn null() -> FakeProvider {
    let attr = Attribute::new(Type::String).optional();
    let block = || Block {
        attributes: BTreeMap::from([("attr".into(), attr.clone())]),
        ..Block::default()
    };
    FakeProvider::new()
        .with_resource("null_resource", FakeResource::new(block()))
        .with_data_source(
            "null_data_source",
            FakeDataSource::new(block()).read_by(|request| {
                Ok(ReadDataSourceResponse {
                    state: request.config,
                    deferred: None,
                    diagnostics: Vec::new(),
                })
            }),
        )
        .also_allowing([Rpc::ReadDataSource])
}

/// The body of a block around a text.
fn body(text: &str) -> Body {
    let text = format!("block {{\n{text}\n}}\n");
    let file = syntax::parse(&text);
    let (segment, block) = file.body().blocks().next().expect("a block");
    let origin = Origin {
        file: FileId::new("/main.tf"),
        segment,
    };
    Body::new(&origin, &block.body, origin.span(block.header_range))
}

fn decoded(text: &str, schema: &Block, variables: Variables) -> Result<Value, String> {
    let functions = Functions {
        profile: Profile::NEWEST_OPENTOFU,
        ..Functions::without_surroundings()
    };
    let context = EvalContext::new(variables, &functions);
    let decoded = eval::decode(&body(text), schema, &context);
    match decoded.diagnostics.as_slice() {
        [] => Ok(decoded.value),
        problems => Err(format!("{problems:?}")),
    }
}

fn expanded_block(case: &Json) -> Result<(), String> {
    let optional = |ty: Type| Attribute::new(ty).optional();
    let object = Type::object([("boop", Type::String)]);
    let bar = Block {
        attributes: BTreeMap::from([("baz".into(), optional(Type::String))]),
        ..Block::default()
    };
    let schema = Block {
        attributes: BTreeMap::from([
            ("foo".into(), optional(Type::String)),
            ("list_of_obj".into(), optional(Type::list(object))),
        ]),
        block_types: BTreeMap::from([(
            "bar".into(),
            NestedBlock {
                block: bar,
                nesting: Nesting::Map,
                min_items: 0,
                max_items: 0,
            },
        )]),
        ..Block::default()
    };
    let list = vec![Value::string("elem0"), Value::string("elem1")];
    let map = [
        ("key1", Value::string("val1")),
        ("key2", Value::string("val2")),
    ];
    let local = Value::object([
        ("greeting", Value::string("howdy")),
        ("list", Value::list(Type::String, list)),
        ("map", Value::map(Type::String, map)),
    ]);
    let text = case["Config"].as_str().unwrap();
    let got = decoded(text, &schema, [("local".into(), local)].into())?;
    same(&got, &value(&case["Want"]).unwrap())
}

fn self_block(case: &Json) -> Result<(), String> {
    let optional = |ty: Type| Attribute::new(ty).optional();
    let schema = Block {
        attributes: BTreeMap::from([
            ("attr".into(), optional(Type::String)),
            ("num".into(), optional(Type::Number)),
        ]),
        ..Block::default()
    };
    let path = [
        ("cwd", "/home/foo/bar"),
        ("module", "foo/bar"),
        ("root", "/home/foo"),
    ];
    let path = Value::object(path.map(|(name, path)| (name, Value::string(path))));
    let workspace = Value::object([("workspace", Value::string("default"))]);
    let mut variables = Variables::from([
        ("path".into(), path),
        ("terraform".into(), workspace.clone()),
        ("tofu".into(), workspace),
    ]);
    variables.extend(value(&case["Self"]).map(|value| ("self".into(), value)));
    if let Some(key) = value(&case["KeyData"]["EachKey"]) {
        variables.insert("each".into(), Value::object([("key", key)]));
    }
    let got = decoded(case["Config"].as_str().unwrap(), &schema, variables)?;
    let wanted = case["Want"].as_object().unwrap().iter();
    same(
        &got,
        &Value::object(wanted.map(|(name, json)| (name, value(json).unwrap()))),
    )
}

fn wrong_function(case: &Json) -> Result<(), String> {
    let config = case["Config"].as_str().unwrap();
    let value = config.strip_prefix("attr = ").unwrap();
    let text = format!("output \"a\" {{\n  value = {value}\n}}\n");
    let plan = World::with(&text, opentofu(), FakeProvider::new()).plan();
    let got: Vec<_> = plan
        .all_diagnostics()
        .map(|problem| (problem.summary.as_str(), problem.detail.as_str()))
        .collect();
    let text = |name: &str| case[name].as_str().unwrap();
    same(&got, &vec![(text("Summary"), text("Detail"))])
}

fn ephemeral_reference(case: &Json) -> Result<(), String> {
    let schema = schema_json::block(&case["schema"]);
    let value = value(&case["val"]).unwrap();
    let profile = Profile::NEWEST_OPENTOFU;
    let got = eval::reject_ephemeral(&body(""), &schema, &value, profile);
    let got: Vec<_> = got
        .iter()
        .map(|problem| (problem.summary.as_str(), problem.detail.as_str()))
        .collect();
    let wanted = case["want"].as_array().into_iter().flatten();
    let wanted: Vec<_> = wanted
        .map(|problem| {
            let text = |name: &str| problem["diagnosticBase"][name].as_str().unwrap();
            (text("summary"), text("detail"))
        })
        .collect();
    same(&got, &wanted)
}

/// Of a function with parameters of one type.
fn signature(ty: Type, count: usize) -> FunctionSignature {
    let parameter = FunctionParameter {
        name: "x".into(),
        ty: ty.clone(),
        allow_null_value: false,
        allow_unknown_values: false,
        description: "".into(),
        description_kind: DescriptionKind::Plain,
    };
    FunctionSignature {
        parameters: vec![parameter; count],
        variadic_parameter: None,
        return_type: ty,
        summary: "".into(),
        description: "".into(),
        description_kind: DescriptionKind::Plain,
        deprecation_message: "".into(),
    }
}

/// The functions of a provider that an expression calls are those that the provider is asked for.
fn provider_functions(case: &Json) -> Result<(), String> {
    let first = |arguments: &[Value]| Ok(arguments[0].clone());
    let provider = FakeProvider::new()
        .with_function("echo", signature(Type::String, 1), first)
        .with_function("add", signature(Type::Number, 2), first)
        .with_function("mul", signature(Type::Number, 2), first);
    let text = format!(
        "terraform {{\n  required_providers {{\n    testing = {{\n      source = \"registry.terraform.io/hashicorp/fake\"\n    \
         }}\n  }}\n}}\noutput \"a\" {{\n  value = {}\n}}\n",
        case["exprSrc"].as_str().unwrap()
    );
    let mut world = World::with(&text, opentofu(), provider);
    let plan = world.plan();
    let problems: Vec<String> = plan.all_diagnostics().map(|d| d.detail.clone()).collect();
    same(&problems, &Vec::new())?;
    let requests = world.provider.requests();
    let got: BTreeSet<&str> = (requests.iter())
        .filter(|request| request.rpc == Rpc::CallFunction)
        .map(|request| request.type_name.as_str())
        .collect();
    let wanted = case["wantFuncRefs"].as_array().into_iter().flatten();
    let wanted = wanted.filter_map(|name| name.as_str()?.rsplit("::").next());
    same(&got, &wanted.collect())
}

#[test]
fn objects_of_the_language_have_second_names() {
    let text = r#"
resource "terraform_data" "a" {
  input = 1
}
output "resource" {
  value = resource.terraform_data.a.input
}
output "shadowed" {
  value = [for terraform_data in [2] : resource.terraform_data.a.input]
}
output "tofu" {
  value = "${tofu.workspace} ${terraform.workspace}"
}
output "applying" {
  value = ephemeralasnull(tofu.applying) == null
}
"#;
    let mut world = World::with(text, opentofu(), FakeProvider::new());
    let plan = world.plan();
    expect![[r#"
        + terraform_data.a
            id: null -> unknown(string, not null)
            input: null -> 1
            output: null -> unknown(number)
        output applying: create true
        output resource: create 1
        output shadowed: create [1]
        output tofu: create "default default"
    "#]]
    .assert_eq(&world.show(&plan));
    let mut world = World::new(text);
    let plan = world.plan();
    expect![[r#"
        + terraform_data.a
            id: null -> unknown(string, not null)
            input: null -> 1
            output: null -> unknown(number)
        output resource: create 1
        output shadowed: create [1]
        error at `tofu.applying`: Reference to undeclared resource: A managed resource "tofu" "applying" has not been declared in the root module. The "tofu" object is only in OpenTofu, since 1.9; this configuration is for Terraform 1.11.
        error at `tofu.workspace`: Reference to undeclared resource: A managed resource "tofu" "workspace" has not been declared in the root module. The "tofu" object is only in OpenTofu, since 1.9; this configuration is for Terraform 1.11.
    "#]].assert_eq(&world.show(&plan));
}

#[test]
fn functions_that_are_not_there_are_named_as_opentofu_names_them() {
    let text = r#"
terraform {
  required_providers {
    fake = {
      source = "registry.terraform.io/hashicorp/fake"
    }
  }
}
variable "token" {
  default   = "t"
  ephemeral = true
}
resource "fake_disk" "a" {
  tags = { t = var.token }
}
output "alias" {
  value = provider::fake::alias::shout("a")
}
output "core" {
  value = core::uper("a")
}
output "namespace" {
  value = magic::upper("a")
}
output "format" {
  value = provider::fake::alias::more::shout("a")
}
"#;
    let signature = signature(Type::String, 1);
    let provider = fake().with_function("shout", signature, |_| Ok(Value::string("A")));
    let mut world = World::with(text, opentofu(), provider);
    let plan = world.plan();
    expect![[r#"
        output alias: create "A"
        error at `core::uper`: Call to unknown function: There is no builtin (core::) function named "uper". Did you mean "upper"?
        error at `magic::upper`: Unknown function namespace: Function "magic::upper" does not exist within a valid namespace (provider,core)
        error at `provider::fake::alias::more::shout`: Invalid function format: invalid provider function "provider::fake::alias::more::shout": expected provider::<name>::<function> or provider::<name>::<alias>::<function>
        error at `{ t = var.token }`: Ephemeral value used in non-ephemeral context: Attribute ".tags["t"]" is referencing an ephemeral value but ephemeral values can be referenced only by other ephemeral attributes or by write-only ones.
    "#]].assert_eq(&world.show(&plan));
}
