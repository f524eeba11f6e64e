//! A module that is planned again after each edit has the plan of one that is read for the first time, and a plan
//! that is dropped halfway spoils nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use cty::Value;
use plan::{Plan, PlanningRequest, Root, to_json};
use provider::fake::FakeProvider;
use provider::{
    FunctionError, ImportRequest, ImportResponse, MoveRequest, MoveResponse, OpenResponse,
    PlanRequest, PlanResponse, Problem, Provider, RawState, ReadDataSourceRequest,
    ReadDataSourceResponse, ReadRequest, ReadResponse, RenewResponse, Reply, Slot,
    UpgradeIdentityResponse, UpgradeResponse,
};
use schema::ProviderSchema;
use serde_json::{Value as Json, json};
use text::Diagnostic;
use tokio::sync::Semaphore;

use crate::support::{DIR, Texts, World, block_on, fake, root, state_text, surroundings};

/// The modules that are edited; `PLANLENS_SEEDS` asks for others.
const SEEDS: Range<u64> = 1..9;

/// How many edits of each; `PLANLENS_EDITS` asks for more.
const EDITS: usize = 25;

/// Numbers that look random and are the same each time (splitmix64).
pub(crate) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Those that `PLANLENS_SEEDS` asks for, as `FIRST..LAST`.
pub(crate) fn seeds(otherwise: Range<u64>) -> Range<u64> {
    let Ok(asked) = std::env::var("PLANLENS_SEEDS") else {
        return otherwise;
    };
    let (first, last) = asked.split_once("..").expect("seeds are FIRST..LAST");
    first.parse().unwrap()..last.parse().unwrap()
}

/// A module whose text is written anew after each edit.
struct Model {
    random: Random,
    resources: Vec<Resource>,
    locals: Vec<String>,
    /// The blocks of locals; each local is in one of them.
    outputs: Vec<String>,
    /// Defaults of the variables.
    variables: Vec<Option<u64>>,
    given: BTreeMap<usize, u64>,
    extra: Vec<&'static str>,
    calls: Vec<Call>,
    /// What the modules `m` and `n` declare; either may call the other, or itself.
    modules: [Called; 2],
    state: Vec<(String, String)>,
    state_outputs: u64,
}

struct Resource {
    r#type: &'static str,
    name: String,
    repetition: String,
    arguments: BTreeMap<&'static str, String>,
    lifecycle: String,
    broken: Option<&'static str>,
    /// In which of the two files.
    is_second: bool,
}

/// A module call.
struct Call {
    name: &'static str,
    repetition: String,
    rest: String,
    argument: Option<String>,
}

/// What a called module has beside a variable, a local value and an output.
#[derive(Default)]
struct Called {
    size: usize,
    resource: &'static str,
    call: &'static str,
    output: &'static str,
    input: &'static str,
}

impl Called {
    fn text(&self) -> String {
        format!(
            "variable \"in\" {{\n{}}}\nlocals {{\n  twice = \"${{var.in}}-{}\"\n}}\n{}{}output \"out\" {{\n{}}}\n",
            self.input, self.size, self.resource, self.call, self.output
        )
    }
}

const CALLS: [&str; 3] = ["m", "k", "far"];
const INPUTS: [&str; 4] = [
    "",
    "  default = 7\n",
    "  type = string\n  nullable = false\n  default = \"d\"\n",
    "  sensitive = true\n  validation {\n    condition = var.in != 1\n    error_message = \"no\"\n  }\n",
];
const INNER: [&str; 7] = [
    "",
    "resource \"fake_disk\" \"a\" {\n  name = local.twice\n}\n",
    "resource \"fake_disk\" \"a\" {\n  count = 2\n  name  = var.in\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n",
    "resource \"fake_disk\" \"a\" {\n  for_each = toset([var.in])\n  name = path.module\n}\n",
    "resource \"fake_disk\" \"b\" {\n  provider = fake.other\n  zone = var.in\n}\nterraform {\n  required_providers {\n    fake = {\n      source = \"hashicorp/fake\"\n      configuration_aliases = [fake.other]\n    }\n  }\n}\n",
    "provider \"fake\" {\n  region = var.in\n}\nresource \"fake_disk\" \"a\" {\n}\n",
    "resource \"fake_disk\" \"a\" {\n  zone = var.in\n}\nresource \"fake_disk\" \"b\" {\n  lifecycle {\n    replace_triggered_by = [fake_disk.a]\n  }\n}\n",
];
const INNER_CALLS: [&str; 5] = [
    "",
    "",
    "module \"m\" {\n  source = \"../n\"\n  in = local.twice\n}\n",
    "module \"m\" {\n  count = 2\n  source = \"../n\"\n  in = count.index\n  depends_on = [fake_disk.a]\n}\n",
    "module \"m\" {\n  source = \"../m\"\n}\n",
];
const INNER_OUTPUTS: [&str; 6] = [
    "  value = var.in\n",
    "  value = fake_disk.a\n",
    "  value = try(module.m[0].out, module.m.out, fake_disk.a.id)\n",
    "  value = local.twice\n  sensitive = true\n",
    "  value = module.m\n",
    "  value = local.twice\n  precondition {\n    condition = var.in != 2\n    error_message = \"two\"\n  }\n",
];

const TYPES: [&str; 6] = [
    "fake_disk",
    "fake_disk",
    "fake_disk",
    "fake_old",
    "terraform_data",
    "fake_failing",
];
const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
const BREAKS: [&str; 5] = [
    "  size = \n",
    "  name = \"open\n",
    "  port {\n",
    "  = 3\n",
    "  tags = { a = \n",
];
const EXTRA: [&str; 8] = [
    "provider \"fake\" {\n  region = local.l0\n}\n",
    "provider \"fake\" {\n  region = \"x\"\n}\n",
    "provider \"fake\" {\n  alias  = \"other\"\n  region = local.l1\n}\n",
    "data \"fake_image\" \"image\" {\n}\n",
    "moved {\n  from = fake_disk.a\n  to   = fake_disk.z\n}\n",
    "removed {\n  from = fake_old.b\n  lifecycle {\n    destroy = false\n  }\n}\n",
    "terraform {\n  required_providers {\n    fake = {\n      source = \"hashicorp/fake\"\n    }\n  }\n}\n",
    "import {\n  to = fake_disk.c\n  id = \"1\"\n}\n",
];

impl Model {
    fn new(seed: u64) -> Model {
        let mut model = Model {
            random: Random(seed),
            resources: Vec::new(),
            locals: Vec::new(),
            outputs: Vec::new(),
            variables: vec![Some(1), Some(2), None],
            given: BTreeMap::from([(2, 3)]),
            extra: Vec::new(),
            calls: Vec::new(),
            modules: Default::default(),
            state: Vec::new(),
            state_outputs: 0,
        };
        for _ in 0..6 {
            let value = model.expression();
            model.locals.push(value);
        }
        for _ in 0..8 {
            model.change_call();
            model.change_module();
        }
        for _ in 0..18 {
            model.add_resource();
        }
        for _ in 0..4 {
            let value = model.expression();
            model.outputs.push(value);
        }
        for _ in 0..8 {
            model.change_state();
        }
        model
    }

    /// Something that may refer to anything, or to nothing that exists.
    fn expression(&mut self) -> String {
        let random = &mut self.random;
        match random.below(12) {
            0 => format!("{}", random.below(3)),
            1 => format!("\"t{}\"", random.below(3)),
            2 => format!("var.v{}", random.below(4)),
            3 | 4 => format!("local.l{}", random.below(7)),
            5 => format!("\"x-${{local.l{}}}\"", random.below(7)),
            6 => "terraform.workspace".to_owned(),
            7 => "data.fake_image.image.id".to_owned(),
            8 => {
                let call = *random.pick(&CALLS);
                match random.below(7) {
                    0 => format!("module.{call}[0].out"),
                    1 => format!("module.{call}[\"a\"].out"),
                    2 => format!("module.{call}"),
                    3 => format!("values(module.{call})[*].out"),
                    4 => format!("try(module.{call}.out, module.{call}[0].out, 0)"),
                    _ => format!("module.{call}.out"),
                }
            }
            _ => {
                let r#type = *random.pick(&TYPES);
                let name = *random.pick(&NAMES);
                let attribute = match r#type {
                    "terraform_data" => *random.pick(&["id", "input", "output"]),
                    _ => *random.pick(&["id", "name", "size", "revision", "missing"]),
                };
                match random.below(6) {
                    0 => format!("{type}.{name}[0].{attribute}"),
                    1 => format!("length({type}.{name}[*])"),
                    2 => format!("try({type}.{name}.{attribute}, {type}.{name}[0].{attribute}, 0)"),
                    _ => format!("{type}.{name}.{attribute}"),
                }
            }
        }
    }

    fn change_call(&mut self) {
        let name = *self.random.pick(&CALLS);
        let before = self.calls.iter().position(|call| call.name == name);
        let before = before.map(|index| self.calls.remove(index));
        if before.is_some() && self.random.one_in(6) {
            return;
        }
        let argument = self.random.one_in(8);
        let argument = (!argument).then(|| self.expression());
        let mut call = before.unwrap_or(Call {
            name,
            repetition: String::new(),
            rest: String::new(),
            argument: None,
        });
        call.argument = argument;
        let random = &mut self.random;
        if random.one_in(2) {
            call.repetition = match random.below(8) {
                0 => format!("  count = {}\n", random.below(3)),
                1 => "  count = var.v0\n".to_owned(),
                2 => "  for_each = toset([\"a\", \"b\"])\n".to_owned(),
                3 => "  for_each = { a = local.l1, c = 1 }\n".to_owned(),
                4 if random.one_in(2) => "  count = length(fake_disk.a.id)\n".to_owned(),
                _ => String::new(),
            };
            call.rest = match random.below(8) {
                0 => "  depends_on = [fake_disk.a, fake_disk.b]\n".to_owned(),
                1 => "  providers = { fake.other = fake }\n".to_owned(),
                2 => "  providers = { fake = fake.other, fake.other = fake.other }\n".to_owned(),
                3 => "  surplus = 1\n".to_owned(),
                _ => String::new(),
            };
        }
        self.calls.push(call);
    }

    fn change_module(&mut self) {
        let random = &mut self.random;
        let called = &mut self.modules[random.below(2)];
        match random.below(5) {
            0 => called.size = random.below(3),
            1 => called.resource = random.pick::<&str>(&INNER),
            2 => called.call = random.pick::<&str>(&INNER_CALLS),
            3 => called.output = random.pick::<&str>(&INNER_OUTPUTS),
            _ => called.input = random.pick::<&str>(&INPUTS),
        }
    }

    fn add_resource(&mut self) {
        let r#type = *self.random.pick(&TYPES);
        let name = (*self.random.pick(&NAMES)).to_owned();
        // A second block for the same resource is rare, but must do no harm.
        let exists = |r: &Resource| r.r#type == r#type && r.name == name;
        if self.resources.iter().any(exists) && !self.random.one_in(20) {
            return;
        }
        let mut resource = Resource {
            r#type,
            name,
            repetition: String::new(),
            arguments: BTreeMap::new(),
            lifecycle: String::new(),
            broken: None,
            is_second: self.random.one_in(2),
        };
        for _ in 0..self.random.below(4) {
            self.change_argument(&mut resource);
        }
        if self.random.one_in(10) {
            let itself = format!("{}.{}[0].id", resource.r#type, resource.name);
            resource.arguments.insert("name", itself);
        }
        if self.random.one_in(8) && resource.r#type.starts_with("fake_") {
            let alias = "fake.other".to_owned();
            resource.arguments.insert("provider", alias);
        }
        self.change_repetition(&mut resource);
        self.change_lifecycle(&mut resource);
        self.resources.push(resource);
    }

    fn change_argument(&mut self, resource: &mut Resource) {
        let name = match resource.r#type {
            "terraform_data" => *self.random.pick(&["input", "triggers_replace"]),
            _ => *self
                .random
                .pick(&["name", "zone", "size", "label", "password", "nonsense"]),
        };
        if resource.arguments.remove(name).is_none() || self.random.one_in(2) {
            let value = match (name, self.random.below(4)) {
                ("size", 0..3) => format!("{}", self.random.below(4)),
                (_, 0) => format!("\"t{}\"", self.random.below(3)),
                (_, _) => self.expression(),
            };
            resource.arguments.insert(name, value);
        }
    }

    fn change_repetition(&mut self, resource: &mut Resource) {
        let random = &mut self.random;
        resource.repetition = match random.below(8) {
            0 => format!("  count = {}\n", random.below(3)),
            1 => format!("  count = var.v{}\n", random.below(3)),
            2 => "  for_each = toset([\"a\", \"b\"])\n".to_owned(),
            3 => format!("  for_each = {{ a = {}, c = local.l1 }}\n", random.below(3)),
            4 if random.one_in(3) => "  count = length(fake_disk.a.id)\n".to_owned(),
            _ => String::new(),
        };
    }

    fn change_lifecycle(&mut self, resource: &mut Resource) {
        let random = &mut self.random;
        resource.lifecycle = match random.below(16) {
            0 => "    create_before_destroy = true\n".to_owned(),
            1 => "    prevent_destroy = true\n".to_owned(),
            2 => "    ignore_changes = [name, size]\n".to_owned(),
            3 => "    ignore_changes = all\n".to_owned(),
            4 => "    replace_triggered_by = [fake_disk.a]\n".to_owned(),
            5 => "    replace_triggered_by = [fake_disk.b.size, fake_old.c.name]\n".to_owned(),
            6 => "    replace_triggered_by = [fake_disk.c.name]\n".to_owned(),
            7 => format!(
                "    precondition {{\n      condition     = local.l{} != 1\n      error_message = \"it is one\"\n    }}\n",
                random.below(6)
            ),
            8 => format!(
                "    postcondition {{\n      condition     = self.id != local.l{} && var.v0 == 1\n      error_message = \"id ${{self.id}}\"\n    }}\n",
                random.below(6)
            ),
            _ => String::new(),
        };
    }

    fn change_state(&mut self) {
        let r#type = *self.random.pick(&TYPES);
        let name = *self.random.pick(&NAMES);
        let key = *self
            .random
            .pick(&["", "", "", "[0]", "[1]", "[\"a\"]", "[\"b\"]"]);
        let modules = [
            "module.m.",
            "module.m[0].",
            "module.k[\"a\"].",
            "module.k.module.m[1].",
            "module.m.module.m.",
            "module.gone.",
        ];
        let (module, name) = match self.random.one_in(3) {
            true => (*self.random.pick(&modules), *self.random.pick(&["a", "b"])),
            false => ("", name),
        };
        let addr = format!("{module}{type}.{name}{key}");
        let objects = self.state.len();
        self.state.retain(|(known, _)| {
            let known = known.split(' ').next().unwrap_or_default();
            known != addr
        });
        if self.state.len() < objects && self.random.one_in(2) {
            return;
        }
        let body = match r#type {
            "terraform_data" => format!("id = \"s\"\ninput = \"t{}\"\n", self.random.below(3)),
            _ => format!(
                "id = \"s\"\nkind = \"std\"\nrevision = \"r\"\nname = \"t{}\"\nsize = {}\nzone = \"t{}\"\n",
                self.random.below(3),
                self.random.below(4),
                self.random.below(3)
            ),
        };
        let flags = match self.random.below(8) {
            0 => " tainted",
            1 => " deposed=abc",
            2 => " sensitive=id",
            3 if r#type.starts_with("fake_") => " provider=other",
            _ => "",
        };
        self.state.push((format!("{addr}{flags}"), body));
    }

    /// One edit; says what it was.
    fn edit(&mut self) -> String {
        match self.random.below(8) {
            0 => {
                self.change_call();
                return "a call".to_owned();
            }
            1 => {
                self.change_module();
                return "a module".to_owned();
            }
            _ => {}
        }
        let kind = self.random.below(20);
        let index = self.random.below(self.resources.len().max(1));
        if index < self.resources.len() {
            let mut resource = self.resources.remove(index);
            let addr = format!("{}.{}", resource.r#type, resource.name);
            let what = match kind {
                0..4 => {
                    self.change_argument(&mut resource);
                    format!("an argument of {addr}")
                }
                4 => {
                    resource.name = (*self.random.pick(&NAMES)).to_owned();
                    format!("the name of {addr}")
                }
                5 => {
                    self.change_repetition(&mut resource);
                    format!("the count of {addr}")
                }
                6 => {
                    self.change_lifecycle(&mut resource);
                    format!("the lifecycle of {addr}")
                }
                7 | 8 => {
                    resource.broken = Some(*self.random.pick(&BREAKS));
                    format!("{addr} is broken")
                }
                9 => return format!("{addr} is deleted"),
                _ => String::new(),
            };
            let at = match self.random.one_in(8) {
                true => self.random.below(self.resources.len() + 1),
                false => index,
            };
            self.resources.insert(at, resource);
            if !what.is_empty() {
                return what;
            }
        }
        match kind {
            10 | 11 => {
                let index = self.random.below(self.locals.len());
                self.locals[index] = self.expression();
                format!("local.l{index}")
            }
            12 => {
                let index = self.random.below(self.variables.len());
                let value = self.random.below(3) as u64;
                if self.given.remove(&index).is_none() {
                    self.given.insert(index, value);
                }
                format!("the given value of var.v{index}")
            }
            13 => {
                let index = self.random.below(self.variables.len());
                self.variables[index] = match self.random.below(4) {
                    0 => None,
                    value => Some(value as u64),
                };
                format!("the default of var.v{index}")
            }
            14 => {
                let index = self.random.below(self.outputs.len());
                self.outputs[index] = self.expression();
                format!("output o{index}")
            }
            15 | 16 => {
                self.change_state();
                "the state".to_owned()
            }
            17 => {
                self.state_outputs = self.random.below(3) as u64;
                "the outputs of the state".to_owned()
            }
            18 => {
                let extra = *self.random.pick(&EXTRA);
                match self.extra.iter().position(|known| *known == extra) {
                    Some(index) => {
                        self.extra.remove(index);
                    }
                    None => self.extra.push(extra),
                }
                extra.lines().next().unwrap_or_default().to_owned()
            }
            _ => {
                self.add_resource();
                "a new resource".to_owned()
            }
        }
    }

    fn is_broken(&self) -> bool {
        self.resources
            .iter()
            .any(|resource| resource.broken.is_some())
    }

    fn repair(&mut self) {
        for resource in &mut self.resources {
            resource.broken = None;
        }
    }

    fn write(&self, files: &mut Texts) {
        let mut texts = [String::new(), String::new()];
        for (index, value) in self.variables.iter().enumerate() {
            let default = value.map(|value| format!("  default = {value}\n"));
            let text = &mut texts[0];
            let _ = write!(
                text,
                "variable \"v{index}\" {{\n{}}}\n\n",
                default.unwrap_or_default()
            );
        }
        for (half, locals) in self.locals.chunks(3).enumerate() {
            texts[half % 2] += "locals {\n";
            for (index, value) in locals.iter().enumerate() {
                let _ = writeln!(texts[half % 2], "  l{} = {value}", half * 3 + index);
            }
            texts[half % 2] += "}\n\n";
        }
        for extra in &self.extra {
            texts[1] += extra;
        }
        for call in &self.calls {
            let directory = if call.name == "k" { "n" } else { call.name };
            let argument = call.argument.iter();
            let argument: String = argument.map(|value| format!("  in = {value}\n")).collect();
            texts[1] += &format!(
                "module \"{}\" {{\n  source = \"./{directory}\"\n{}{argument}{}}}\n",
                call.name, call.repetition, call.rest
            );
        }
        for (called, directory) in self.modules.iter().zip(["m", "n"]) {
            files.set(&format!("{DIR}/{directory}/main.tf"), &called.text());
        }
        for resource in &self.resources {
            let text = &mut texts[usize::from(resource.is_second)];
            let _ = writeln!(
                text,
                "resource \"{}\" \"{}\" {{",
                resource.r#type, resource.name
            );
            *text += &resource.repetition;
            for (name, value) in &resource.arguments {
                let _ = writeln!(text, "  {name} = {value}");
            }
            *text += resource.broken.unwrap_or_default();
            if !resource.lifecycle.is_empty() {
                let _ = write!(text, "  lifecycle {{\n{}  }}\n", resource.lifecycle);
            }
            *text += "}\n\n";
        }
        for (index, value) in self.outputs.iter().enumerate() {
            let _ = write!(
                texts[1],
                "output \"o{index}\" {{\n  value = {value}\n}}\n\n"
            );
        }
        let given: Vec<String> = self
            .given
            .iter()
            .map(|(index, value)| format!("v{index} = {value}\n"))
            .collect();
        files.set(&format!("{DIR}/main.tf"), &texts[0]);
        files.set(&format!("{DIR}/more.tf"), &texts[1]);
        files.set(&format!("{DIR}/terraform.tfvars"), &given.concat());
        let mut state = self.state.clone();
        state.sort();
        let outputs = format!("o0 = {}\n", self.state_outputs);
        state.push(("outputs".to_owned(), outputs));
        files.set(&format!("{DIR}/terraform.tfstate"), &state_text(&state));
    }
}

/// A provider that lets others run before it answers, and is asked about few objects at the same time.
struct Slow(FakeProvider, Semaphore);

async fn pause() {
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
}

impl Provider for Slow {
    fn acquire_slot(&self) -> Slot<'_> {
        Box::pin(async { self.1.acquire().await.ok() })
    }

    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        Box::pin(async {
            pause().await;
            self.0.schema().await
        })
    }

    fn validate_provider_config<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.0.validate_provider_config(config)
    }

    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        Box::pin(async {
            pause().await;
            self.0.configure(config).await
        })
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.0.validate_resource_config(type_name, config)
    }

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.0.validate_data_source_config(type_name, config)
    }

    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_state: RawState<'a>,
    ) -> Reply<'a, UpgradeResponse> {
        self.0.upgrade_resource_state(type_name, version, raw_state)
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        Box::pin(async {
            pause().await;
            self.0.plan_resource_change(request).await
        })
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        self.0.read_resource(request)
    }

    fn read_data_source(
        &self,
        request: ReadDataSourceRequest,
    ) -> Reply<'_, ReadDataSourceResponse> {
        self.0.read_data_source(request)
    }

    fn import_resource_state(&self, request: ImportRequest) -> Reply<'_, ImportResponse> {
        self.0.import_resource_state(request)
    }

    fn move_resource_state(&self, request: MoveRequest) -> Reply<'_, MoveResponse> {
        self.0.move_resource_state(request)
    }

    fn upgrade_resource_identity<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_identity: &'a [u8],
    ) -> Reply<'a, UpgradeIdentityResponse> {
        self.0
            .upgrade_resource_identity(type_name, version, raw_identity)
    }

    fn validate_ephemeral_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.0.validate_ephemeral_config(type_name, config)
    }

    fn validate_action_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.0.validate_action_config(type_name, config)
    }

    fn plan_action<'a>(&'a self, type_name: &'a str, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.0.plan_action(type_name, config)
    }

    fn open_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, OpenResponse> {
        self.0.open_ephemeral(type_name, config)
    }

    fn renew_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        private: Bytes,
    ) -> Reply<'a, RenewResponse> {
        self.0.renew_ephemeral(type_name, private)
    }

    fn close_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        private: Bytes,
    ) -> Reply<'a, Vec<Problem>> {
        self.0.close_ephemeral(type_name, private)
    }

    fn call_function<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        self.0.call_function(name, arguments)
    }
}

fn new_root() -> Root {
    root(surroundings(), Arc::new(Slow(fake(), Semaphore::new(2))))
}

fn request() -> PlanningRequest {
    PlanningRequest {
        is_saved: true,
        may_configure: true,
        ..PlanningRequest::default()
    }
}

/// Everything that a user can see of a plan, in a fixed order.
fn everything(root: &Root, plan: &Plan) -> Json {
    let place = |diagnostic: &Diagnostic| {
        let spans = diagnostic.subject.iter();
        let spans = spans.chain(diagnostic.related.iter().map(|related| &related.span));
        let places: Vec<String> = spans
            .map(|span| format!("{} {:?}", span.file.name(), root.resolve(span)))
            .collect();
        places.join(", ")
    };
    let mut problems: Vec<String> = plan
        .all_diagnostics()
        .map(|problem| {
            format!(
                "{}: {:?} {} {}: {}",
                place(problem),
                problem.severity,
                problem.code,
                problem.summary,
                problem.detail
            )
        })
        .collect();
    problems.sort();
    let shown = |values: &BTreeMap<smol_str::SmolStr, Value>| {
        let shown = values
            .iter()
            .map(|(name, value)| format!("{name} = {value:?}"));
        shown.collect::<Vec<_>>()
    };
    let resources: Vec<String> = plan
        .resources
        .iter()
        .map(|(addr, resource)| format!("{addr} = {:?}", resource.value))
        .collect();
    let labels: Vec<String> = plan
        .caveats()
        .map(|(addr, caveat)| format!("{addr}: {caveat}"))
        .collect();
    json!({
        "plan": to_json(plan),
        "problems": problems,
        "locals": shown(&plan.locals),
        "variables": shown(&plan.variables),
        "modules": format!("{:#?}", plan.modules),
        "resources": resources,
        "labels": labels,
    })
}

/// The lines that only one of both has.
fn difference(old: &Json, new: &Json) -> String {
    let lines = |json: &Json| -> Vec<String> {
        let text = serde_json::to_string_pretty(json).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let mut text = String::new();
    for line in old.iter().filter(|line| !new.contains(line)) {
        let _ = writeln!(text, "- again: {line}");
    }
    for line in new.iter().filter(|line| !old.contains(line)) {
        let _ = writeln!(text, "+ fresh: {line}");
    }
    text
}

/// Runs a plan, but drops it after so many steps.
async fn plan_for(root: &mut Root, steps: usize) {
    let mut publish = |_| {};
    let countdown = async {
        for _ in 0..steps {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = root.plan(&mut publish) => {}
        () = countdown => {}
    }
}

#[test]
fn planning_again_is_planning_anew() {
    let mut compared = 0;
    let asked = std::env::var("PLANLENS_EDITS").ok();
    let edits_each = asked.map_or(EDITS, |text| text.parse().unwrap());
    for seed in seeds(SEEDS) {
        let mut model = Model::new(seed);
        let mut files = Texts::default();
        let mut again = new_root();
        let mut edits = Vec::new();
        for edit in 0..edits_each {
            if edit > 0 {
                edits.push(model.edit());
            }
            if model.is_broken() && model.random.one_in(3) {
                model.repair();
                edits.push("all is repaired".to_owned());
            }
            model.write(&mut files);
            again.load(&files, &request());
            if model.random.one_in(3) {
                // Dropped halfway; another edit follows, or none.
                let steps = model.random.below(12);
                block_on(plan_for(&mut again, steps));
                edits.push(format!("dropped after {steps}"));
                if model.random.one_in(2) {
                    continue;
                }
                again.load(&files, &request());
            }
            let plan = block_on(again.plan(&mut |_| {}));
            let seen = everything(&again, &plan);
            // A broken block keeps its last plan, which a fresh one can't know.
            if model.is_broken() {
                continue;
            }
            let mut fresh_files = Texts::default();
            model.write(&mut fresh_files);
            let mut fresh = new_root();
            fresh.load(&fresh_files, &request());
            let plan = block_on(fresh.plan(&mut |_| {}));
            let wanted = everything(&fresh, &plan);
            compared += 1;
            assert!(
                seen == wanted,
                "seed {seed} after {edits:#?}\n{}\n{fresh_files:?}",
                difference(&seen, &wanted)
            );
        }
    }
    assert!(compared > 60, "only {compared} plans were compared");
}

/// Edits a module, and plans it again and anew.
#[track_caller]
fn check_again(text: &str, path: &str, edited: &str) {
    let mut world = World::with(text, surroundings(), fake());
    world.plan();
    world.set(path, edited);
    let again = world.plan();
    let seen = everything(&world.root, &again);
    let mut fresh = World::with(text, surroundings(), fake());
    fresh.set(path, edited);
    let plan = fresh.plan();
    let wanted = everything(&fresh.root, &plan);
    assert!(seen == wanted, "{}", difference(&seen, &wanted));
}

#[test]
fn objects_of_a_module_that_can_no_longer_be_read_are_not_deleted() {
    let text = |call: &str| format!("{call}\nresource \"fake_disk\" \"b\" {{\n}}\n");
    check_again(
        &format!(
            "#- state module.m.fake_disk.a\nid = \"1\"\n#- /main.tf\n{}",
            text("")
        ),
        "/main.tf",
        &text("module \"m\" {\n  source = \"./missing\"\n}"),
    );
}

#[test]
fn unknown_instances_name_the_failure_behind_them_once_it_is_there() {
    let text = |wanted: u64| {
        format!(
            "variable \"v\" {{\n  default = 1\n  validation {{\n    condition = var.v == {wanted}\n    error_message = \"no\"\n  }}\n}}\nresource \"fake_disk\" \"a\" {{\n}}\nlocals {{\n  id = \"${{fake_disk.a.id}}${{var.v}}\"\n}}\nresource \"fake_disk\" \"b\" {{\n  count = length(local.id)\n}}\n"
        )
    };
    check_again(&text(1), "/main.tf", &text(2));
    check_again(&text(2), "/main.tf", &text(1));
}

#[test]
fn the_provider_in_the_state_deletes_objects_of_module_instances_that_are_gone() {
    let text = |region: &str| {
        format!(
            "provider \"fake\" {{\n  region = {region}\n}}\nprovider \"fake\" {{\n  alias = \"other\"\n}}\nresource \"terraform_data\" \"late\" {{\n}}\nmodule \"m\" {{\n  source = \"./m\"\n  count = 1\n  providers = {{ fake = fake.other }}\n}}\n"
        )
    };
    let module = "#- /m/main.tf\nresource \"fake_disk\" \"a\" {\n}\n";
    let state = "#- state module.m[1].fake_disk.a\nid = \"1\"\n";
    let (text, edited) = (text("\"x\""), text("terraform_data.late.id"));
    let mut world = World::new(&format!("{state}{module}#- /main.tf\n{text}"));
    let plan = world.plan();
    assert!(
        plan.changes()
            .any(|change| change.addr.to_string() == "module.m[1].fake_disk.a")
    );
    check_again(
        &format!("{state}{module}#- /main.tf\n{text}"),
        "/main.tf",
        &edited,
    );
}
