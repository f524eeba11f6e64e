//! Addresses and references as OpenTofu's own tests expect them, where the conformance folder is there.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use config::{
    AbsResourceAddr, ConfigResourceAddr, InstanceKey, ModuleAddr, ModuleInstanceAddr, MoveEndpoint,
    Moveable, Origin, ProviderAddr, ProviderConfigAddr, Referenceable, ResourceAddr,
    ResourceInstanceAddr, ResourceMode, Target, refs,
};
use serde_json::Value as Json;
use text::{FileId, SegmentId};

const HOST: &str = "registry.opentofu.org";

/// Cases whose expectation is OpenTofu's alone.
const KNOWN: &[(&str, &str)] = &[
    ("ephemeral", "Terraform words it differently"),
    ("ephemeral.external", "Terraform words it differently"),
    (
        "mu\u{308}nchen",
        "names are not brought into Unicode's composed form",
    ),
];

fn cases() -> Option<Vec<(String, String, Json)>> {
    let folder = std::env::var_os("PLANLENS_CONFORMANCE")
        .map(PathBuf::from)
        .unwrap_or_else(|| {
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance")
        });
    let text = std::fs::read_to_string(folder.join("tables/opentofu_addrs.jsonl")).ok()?;
    let case = |line: &str| {
        let mut json: Json = serde_json::from_str(line).unwrap();
        let text = |json: &Json, key: &str| json[key].as_str().unwrap().to_owned();
        (text(&json, "test"), text(&json, "key"), json["case"].take())
    };
    Some(text.lines().map(case).collect())
}

#[test]
fn addresses_read_and_print_as_in_the_peers_tables() {
    let mut out = std::io::stderr();
    let Some(cases) = cases() else {
        writeln!(out, "addresses: skipped, no conformance folder").unwrap();
        return;
    };
    let (mut passed, mut known, mut not_meant, mut failed) = (0, 0, 0, Vec::new());
    for (test, key, case) in &cases {
        let Some(answer) = answer(test, key, case) else {
            not_meant += 1;
            continue;
        };
        let input = case["Input"].as_str().unwrap_or(key);
        match answer {
            Ok(()) => passed += 1,
            Err(_) if KNOWN.iter().any(|(name, _)| *name == input) => known += 1,
            Err(why) => failed.push(format!("{test} {key} {case}: {why}")),
        }
    }
    writeln!(
        out,
        "addresses: {passed} passed, {known} known differences, {} failed; {not_meant} of other subjects",
        failed.len()
    )
    .unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Whether we answer as expected; `None` for subjects that have no counterpart here.
fn answer(test: &str, key: &str, case: &Json) -> Option<Result<(), String>> {
    let input = case["Input"].as_str().unwrap_or_default();
    Some(match test {
        "TestInstanceKeyString" => same(instance_key(&case["Key"]), text(&case["Want"])),
        "TestModuleInstanceEqual_true" => round_trip::<ModuleInstanceAddr>(text(case)),
        "TestModuleInstanceEqual_false" => {
            differ::<ModuleInstanceAddr>(&case["left"], &case["right"])
        }
        "TestHasSameModule" => {
            let module = |key: &str| parse::<ModuleInstanceAddr>(text(&case[key])).module();
            same(
                module("a") == module("b"),
                case["wantSame"].as_bool().unwrap_or(false),
            )
        }
        "TestIsForModule" => {
            let instance = parse::<ModuleInstanceAddr>(text(&case["inst"]));
            let module = parse::<ModuleAddr>(text(&case["mod"]));
            same(
                instance.module() == module,
                case["want"].as_bool().unwrap_or(false),
            )
        }
        "TestModuleString" => same(module(case), key),
        "TestParseTarget" => expect::<Target>(input, &case["Want"]["Subject"], &case["WantErr"]),
        "TestParseMoveEndpoint" => expect::<Target>(input, &case["WantRel"], &case["WantErr"]),
        "TestParseModule" => expect::<ModuleAddr>(input, &case["WantModule"], &case["WantErr"]),
        "TestParseConfigResource" => {
            expect::<ConfigResourceAddr>(input, &case["WantConfigResource"], &case["WantErr"])
        }
        "TestParseAbsProviderConfigInstances" => {
            expect::<ProviderConfigAddr>(input, &case["Want"], &case["WantDiag"])
        }
        "TestAbsProviderConfigString" => {
            same(provider_config(&case["Config"]), text(&case["Want"]))
        }
        "TestProviderString" => same(provider(&case["Input"]), text(&case["Want"])),
        "TestProviderIsBuiltIn" => {
            let want = case["Want"].as_bool().unwrap_or(false);
            same(provider(&case["Input"]).is_builtin(), want)
        }
        "TestParseProviderSourceStr" => match ProviderAddr::parse_on(HOST, key) {
            Ok(addr) => same(addr, provider(&case["Want"])),
            Err(_) => same(case["Err"].as_bool().unwrap_or(false), true),
        },
        "TestParseProviderPart" => match ProviderAddr::parse_on(HOST, key) {
            Ok(addr) => same(addr.r#type, text(&case["Want"])),
            Err(_) => same(case["Error"].is_string(), true),
        },
        "TestResourceLess" => {
            let less = resource(&case["left"]) < resource(&case["right"]);
            same(less, case["want"].as_bool().unwrap_or(false))
        }
        "TestResourceEqual_true" => round_trip::<ResourceAddr>(&resource(case).to_string()),
        "TestResourceEqual_false" => {
            same(resource(&case["left"]) == resource(&case["right"]), false)
        }
        "TestResourceInstanceEqual_false" | "TestAbsResourceInstanceEqual_false" => {
            same(address(&case["left"]) == address(&case["right"]), false)
        }
        "TestAbsResourceInstanceEqual_true" => round_trip::<ResourceInstanceAddr>(&address(case)),
        "TestParseRef" => reference(input, case),
        "TestUnifyMoveEndpoints" => {
            let unified = move_ends(case, &case["Module"], "InputFrom", "InputTo");
            let (from, to) = unified.map_or_else(Default::default, |(from, to)| {
                (from.to_string(), to.to_string())
            });
            let wanted = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
            same(from, wanted("WantFrom")).and(same(to, wanted("WantTo")))
        }
        "TestModuleInstanceMoveDestination" => {
            destination(case, |from, to, addr: ModuleInstanceAddr| {
                from.module_destination(to, &addr)
            })
        }
        "TestAbsResourceMoveDestination" => destination(case, |from, to, addr: AbsResourceAddr| {
            from.resource_destination(to, &addr)
        }),
        "TestAbsResourceInstanceMoveDestination" => {
            destination(case, |from, to, addr: ResourceInstanceAddr| {
                from.instance_destination(to, &addr)
            })
        }
        "TestMoveEndpointChainAndNested" => {
            let ours = end(&case["EndpointMod"], &case["Endpoint"]);
            let other = end(&case["OtherMod"], &case["Other"]);
            same(ours.can_chain_from(&other), is_true(&case["CanChainFrom"])).and(same(
                ours.is_nested_within(&other),
                is_true(&case["NestedWithin"]),
            ))
        }
        "TestSelectsModule" => {
            let end = end(&case["Endpoint"]["module"], &case["Endpoint"]["relSubject"]);
            let addr = parse(&module(&case["Addr"]));
            same(end.selects_module(&addr), is_true(&case["Selects"]))
        }
        "TestSelectsResource" => {
            let end = end(&case["Endpoint"]["module"], &case["Endpoint"]["relSubject"]);
            let addr = parse(&address(&case["Addr"]));
            same(end.selects_resource(&addr), is_true(&case["Selects"]))
        }
        "TestIsModuleMoveReIndex" => {
            let (from, to) = (
                end(&Json::Null, &case["from"]),
                end(&Json::Null, &case["to"]),
            );
            same(from.only_changes_keys(&to), is_true(&case["expect"]))
        }
        _ => return None,
    })
}

fn same(ours: impl Display, theirs: impl Display) -> Result<(), String> {
    let (ours, theirs) = (ours.to_string(), theirs.to_string());
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("{ours} instead of {theirs}"))
    }
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap()
}

fn parse<T: FromStr<Err = config::AddrError>>(text: &str) -> T {
    text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn round_trip<T: FromStr<Err = config::AddrError> + Display>(text: &str) -> Result<(), String> {
    same(parse::<T>(text), text)
}

fn is_true(json: &Json) -> bool {
    json.as_bool().unwrap_or(false)
}

fn move_ends(
    case: &Json,
    module: &Json,
    from: &str,
    to: &str,
) -> Option<(MoveEndpoint, MoveEndpoint)> {
    let (from, to) = (parse(text(&case[from])), parse(text(&case[to])));
    MoveEndpoint::unify(&module_addr(module), &from, &to)
}

fn destination<T>(
    case: &Json,
    destination: impl Fn(&MoveEndpoint, &MoveEndpoint, T) -> Option<T>,
) -> Result<(), String>
where
    T: FromStr<Err = config::AddrError> + Display,
{
    let (from, to) = move_ends(case, &case["DeclModule"], "StmtFrom", "StmtTo").unwrap();
    let moved = destination(&from, &to, parse(text(&case["Receiver"])));
    let moved = moved.map(|addr| addr.to_string()).unwrap_or_default();
    same(moved, case["WantResult"].as_str().unwrap_or_default())
}

fn end(module: &Json, subject: &Json) -> MoveEndpoint {
    let subject = if subject.is_array() {
        Moveable::Module(parse(&self::module(subject)))
    } else if subject["Call"].is_object() {
        let caller = parse(&self::module(&subject["Module"]));
        Moveable::Call(caller, text(&subject["Call"]["Name"]).into())
    } else if subject["Resource"]["Resource"].is_object() {
        Moveable::Instance(parse(&address(subject)))
    } else {
        Moveable::Resource(parse(&address(subject)))
    };
    let module = module_addr(module);
    MoveEndpoint { module, subject }
}

/// `a.b`, or a list of names.
fn module_addr(json: &Json) -> ModuleAddr {
    match json.as_str() {
        Some(names) => ModuleAddr::new(names.split('.').filter(|name| !name.is_empty())),
        None => ModuleAddr::new(json.as_array().into_iter().flatten().map(text)),
    }
}

fn differ<T: FromStr<Err = config::AddrError> + PartialEq>(
    a: &Json,
    b: &Json,
) -> Result<(), String> {
    same(parse::<T>(text(a)) == parse::<T>(text(b)), false)
}

/// Reading `input` gives the address that `want` describes, or fails if an error is wanted.
fn expect<T>(input: &str, want: &Json, want_error: &Json) -> Result<(), String>
where
    T: FromStr<Err = config::AddrError> + Display,
{
    match (input.parse::<T>(), want_error.is_string()) {
        (Ok(addr), false) => same(addr, address(want)),
        (Err(_), true) => Ok(()),
        (Ok(addr), true) => Err(format!("read as {addr}")),
        (Err(why), false) => Err(why.to_string()),
    }
}

/// The text of an address in the tables' own form.
fn address(json: &Json) -> String {
    if json.is_array() {
        return module(json);
    }
    if json["Provider"].is_object() {
        return provider_config(json).to_string();
    }
    let inner = &json["Resource"];
    if !inner.is_object() {
        return resource(json).to_string();
    }
    let module = module(&json["Module"]);
    let dot = if module.is_empty() { "" } else { "." };
    format!(
        "{module}{dot}{}{}",
        address(inner),
        instance_key(&json["Key"])
    )
}

fn module(json: &Json) -> String {
    let step = |step: &Json| match step.as_str() {
        Some(call) => format!("module.{call}"),
        None => format!(
            "module.{}{}",
            text(&step["Name"]),
            instance_key(&step["InstanceKey"])
        ),
    };
    let steps: Vec<_> = json.as_array().into_iter().flatten().map(step).collect();
    steps.join(".")
}

fn resource(json: &Json) -> ResourceAddr {
    let mode = match json["Mode"]
        .as_u64()
        .and_then(|mode| char::from_u32(mode as u32))
    {
        Some('D') => ResourceMode::Data,
        Some('E') => ResourceMode::Ephemeral,
        _ => ResourceMode::Managed,
    };
    ResourceAddr::new(mode, text(&json["Type"]), text(&json["Name"]))
}

fn instance_key(json: &Json) -> InstanceKey {
    match json {
        Json::String(key) => InstanceKey::String(key.into()),
        Json::Number(index) => InstanceKey::Int(index.as_u64().unwrap()),
        _ => InstanceKey::None,
    }
}

fn provider(json: &Json) -> ProviderAddr {
    ProviderAddr::new(
        text(&json["Hostname"]),
        text(&json["Namespace"]),
        text(&json["Type"]),
    )
}

fn provider_config(json: &Json) -> ProviderConfigAddr {
    ProviderConfigAddr {
        module: module(&json["Module"]).parse().unwrap(),
        provider: provider(&json["Provider"]),
        alias: json["Alias"].as_str().map(Into::into),
    }
}

fn reference(input: &str, case: &Json) -> Result<(), String> {
    let traversal = syntax::parse_traversal_abs(input)
        .tree
        .ok_or("no traversal")?;
    let origin = Origin {
        file: FileId::new("/main.tf"),
        segment: SegmentId { hash: 0, nth: 0 },
    };
    match refs::parse(&origin, &traversal) {
        Ok(reference) => {
            let want = &case["Want"];
            let remaining = want["Remaining"].as_array().map_or(0, Vec::len);
            same(reference.remaining.len(), remaining)?;
            let end = want["SourceRange"]["End"]["Byte"].as_u64().unwrap_or(0);
            same(u32::from(reference.span.range.end()), end)?;
            same(
                subject(&reference.subject),
                wanted_subject(input, &want["Subject"]),
            )
        }
        Err(problem) => {
            let want = case["WantErr"]
                .as_str()
                .ok_or_else(|| problem.detail.clone())?;
            same(problem.detail, want.replace("OpenTofu", "Terraform"))
        }
    }
}

fn subject(subject: &Referenceable) -> String {
    match subject {
        Referenceable::Resource(addr) => addr.to_string(),
        Referenceable::ResourceInstance(addr, key) => format!("{addr}{key}"),
        Referenceable::Module(call) => call.to_string(),
        Referenceable::ModuleInstance(call, key) => format!("{call}{key}"),
        Referenceable::ModuleOutput { call, key, output } => format!("{call}{key}.{output}"),
        Referenceable::Self_ => "self".to_owned(),
        Referenceable::Var(name)
        | Referenceable::Local(name)
        | Referenceable::Count(name)
        | Referenceable::Each(name)
        | Referenceable::Path(name)
        | Referenceable::Terraform(name)
        | Referenceable::Tofu(name) => name.to_string(),
    }
}

fn wanted_subject(input: &str, json: &Json) -> String {
    let key = instance_key(&json["Key"]);
    if input == "self" {
        "self".to_owned()
    } else if json["Resource"].is_object() || json["Type"].is_string() {
        address(json)
    } else if json["Call"]["Call"].is_object() {
        let key = instance_key(&json["Call"]["Key"]);
        format!(
            "{}{key}.{}",
            text(&json["Call"]["Call"]["Name"]),
            text(&json["Name"])
        )
    } else if json["Call"].is_object() {
        format!("{}{key}", text(&json["Call"]["Name"]))
    } else {
        text(&json["Name"]).to_owned()
    }
}
