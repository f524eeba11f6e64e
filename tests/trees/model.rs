//! A small module tree: what it says as text, and the state that it leaves when it is applied.

use serde_json::{Map, Value, json};

use crate::support::random::Random;

/// What a directory declares.
#[derive(Clone, Default)]
pub struct Module {
    pub resources: Vec<Resource>,
    pub calls: Vec<Call>,
    /// `moved` and `removed` blocks.
    pub blocks: Vec<String>,
    /// Resources that check blocks look at.
    pub checks: Vec<Check>,
}

/// A check block, which holds or doesn't.
#[derive(Clone)]
pub struct Check {
    pub name: String,
    pub value: Expr,
    /// Whether it reads a data source of its own.
    pub reads: bool,
}

#[derive(Clone)]
pub struct Resource {
    /// Stays when the resource is renamed.
    pub id: usize,
    pub name: String,
    pub kind: Kind,
    pub keys: Keys,
    pub value: Expr,
    /// Another value replaces the object.
    pub trigger: Option<String>,
    /// Lines of the `lifecycle` block.
    pub lifecycle: Vec<String>,
    /// The resource of the module that `depends_on` names, by its id.
    pub depends_on: Option<usize>,
}

#[derive(Clone)]
pub struct Call {
    pub name: String,
    /// The directory, within the caller's.
    pub dir: String,
    pub keys: Keys,
    pub input: Expr,
    pub module: Module,
    /// As a resource's.
    pub depends_on: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Data,
    Null,
    Server,
    /// Its blocks are dynamic.
    Service,
    /// A data source.
    Lookup,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Keys {
    Single,
    Count(usize),
    Each(Vec<&'static str>),
}

#[derive(Clone)]
pub enum Expr {
    Text(String),
    /// `each.key`, `count.index` or a text.
    Key,
    /// `var.input`
    Input,
    /// The value of another resource of the module, by its id.
    Of(usize),
    /// The output of a called module.
    Child(String),
    /// The other at the place of `{}`. Not for what is applied: nobody works that out here.
    Within(&'static str, Box<Expr>),
}

impl Kind {
    pub fn type_name(self) -> &'static str {
        match self {
            Kind::Data => "terraform_data",
            Kind::Null => "null_resource",
            Kind::Server => "lab6_server",
            Kind::Service => "lab6_service",
            Kind::Lookup => "lab6_lookup",
        }
    }

    /// The address of a resource within its module.
    pub fn object(self, name: &str) -> String {
        match self {
            Kind::Lookup => format!("data.{}.{name}", self.type_name()),
            _ => format!("{}.{name}", self.type_name()),
        }
    }

    fn value_name(self) -> &'static str {
        match self {
            Kind::Data => "output",
            Kind::Null | Kind::Lookup => "id",
            Kind::Server | Kind::Service => "name",
        }
    }

    fn provider(self) -> &'static str {
        match self {
            Kind::Data => "provider[\"terraform.io/builtin/terraform\"]",
            Kind::Null => "provider[\"registry.terraform.io/hashicorp/null\"]",
            Kind::Server | Kind::Service | Kind::Lookup => {
                "provider[\"registry.terraform.io/planlens/lab6\"]"
            }
        }
    }
}

impl Keys {
    /// The keys as they stand in addresses.
    pub fn all(&self) -> Vec<String> {
        match self {
            Keys::Single => vec![String::new()],
            Keys::Count(count) => (0..*count).map(|index| format!("[{index}]")).collect(),
            Keys::Each(keys) => keys.iter().map(|key| format!("[\"{key}\"]")).collect(),
        }
    }

    fn line(&self) -> String {
        match self {
            Keys::Single => String::new(),
            Keys::Count(count) => format!("  count = {count}\n"),
            Keys::Each(keys) => format!("  for_each = toset({})\n", json!(keys)),
        }
    }

    /// What `Expr::Key` is for one instance.
    fn value(&self, index: usize) -> Value {
        match self {
            Keys::Single => json!("single"),
            Keys::Count(_) => json!(index),
            Keys::Each(keys) => json!(keys[index]),
        }
    }

    /// An attribute of all instances of `object`: of the only one itself, else a tuple.
    fn attribute(&self, object: &str, name: &str) -> String {
        match self {
            Keys::Single => format!("{object}.{name}"),
            Keys::Count(_) => format!("{object}[*].{name}"),
            Keys::Each(_) => format!("values({object})[*].{name}"),
        }
    }

    fn together(&self, mut values: Vec<Value>) -> Value {
        match self {
            Keys::Single => values.remove(0),
            Keys::Count(_) | Keys::Each(_) => Value::Array(values),
        }
    }
}

impl Module {
    /// The files of the module and of those that it calls, by path.
    pub fn write(&self, dir: &str, files: &mut Vec<(String, String)>) {
        let mut text = "terraform {\n  required_providers {\n    lab6 = { source = \"planlens/lab6\" }\n  }\n}\nvariable \"input\" {}\n".to_owned();
        for resource in &self.resources {
            text += &self.resource_text(resource);
        }
        for call in &self.calls {
            let input = self.expr_text(&call.input, &call.keys);
            text += &format!(
                "module \"{}\" {{\n  source = \"./{}\"\n{}  input = {input}\n{}}}\n",
                call.name,
                call.dir,
                call.keys.line(),
                self.depends_on(call.depends_on)
            );
            call.module.write(&format!("{dir}/{}", call.dir), files);
        }
        let output: Vec<String> = self.shown().map(|r| self.value_text(r)).collect();
        text += &format!("output \"out\" {{\n  value = [{}]\n}}\n", output.join(", "));
        text += &self.blocks.concat();
        for check in &self.checks {
            text += &self.check_text(check);
        }
        files.push((format!("{dir}/main.tf"), text));
    }

    /// The resources that the module's output holds.
    fn shown(&self) -> impl Iterator<Item = &Resource> {
        self.resources.iter().take(3)
    }

    fn resource_text(&self, resource: &Resource) -> String {
        let value = self.expr_text(&resource.value, &resource.keys);
        let trigger = resource.trigger.as_deref();
        let trigger = trigger.map_or("null".to_owned(), |trigger| json!(trigger).to_string());
        let arguments = match resource.kind {
            Kind::Data => format!("  input = {value}\n  triggers_replace = {trigger}\n"),
            Kind::Null => format!("  triggers = {{ t = {trigger} }}\n"),
            Kind::Server => format!(
                "  name = \"s-{}\"\n  region = \"eu\"\n  tags = {{ v = jsonencode({value}) }}\n",
                resource.trigger.as_deref().unwrap_or_default()
            ),
            Kind::Service => SERVICE
                .replace("TRIGGER", resource.trigger.as_deref().unwrap_or_default())
                .replace("VALUE", &value),
            Kind::Lookup => format!("  name = jsonencode({value})\n  region = {trigger}\n"),
        };
        let lifecycle = match resource.lifecycle.as_slice() {
            [] => String::new(),
            lines => format!("  lifecycle {{\n    {}\n  }}\n", lines.join("\n    ")),
        };
        let block = match resource.kind {
            Kind::Lookup => "data",
            _ => "resource",
        };
        format!(
            "{block} \"{}\" \"{}\" {{\n{}{arguments}{}{lifecycle}}}\n",
            resource.kind.type_name(),
            resource.name,
            resource.keys.line(),
            self.depends_on(resource.depends_on)
        )
    }

    fn depends_on(&self, id: Option<usize>) -> String {
        let named = self.resources.iter().find(|named| Some(named.id) == id);
        named.map_or(String::new(), |named| {
            format!("  depends_on = [{}]\n", named.kind.object(&named.name))
        })
    }

    fn check_text(&self, check: &Check) -> String {
        let value = self.expr_text(&check.value, &Keys::Single);
        let name = &check.name;
        let (data, condition) = match check.reads {
            true => (
                format!(
                    "  data \"lab6_lookup\" \"{name}\" {{\n    name = jsonencode({value})\n  }}\n"
                ),
                format!("data.lab6_lookup.{name}.id != \"found-\\\"red\\\"\""),
            ),
            false => (
                String::new(),
                format!("jsonencode({value}) != \"\\\"red\\\"\""),
            ),
        };
        format!(
            "check \"{name}\" {{\n{data}  assert {{\n    condition     = {condition}\n    error_message = \"It is red.\"\n  }}\n}}\n"
        )
    }

    fn value_text(&self, resource: &Resource) -> String {
        let object = resource.kind.object(&resource.name);
        resource.keys.attribute(&object, resource.kind.value_name())
    }

    fn expr_text(&self, expr: &Expr, keys: &Keys) -> String {
        match expr {
            Expr::Text(text) => json!(text).to_string(),
            Expr::Key => match keys {
                Keys::Single => "\"single\"".to_owned(),
                Keys::Count(_) => "count.index".to_owned(),
                Keys::Each(_) => "each.key".to_owned(),
            },
            Expr::Input => "var.input".to_owned(),
            Expr::Of(id) => match self.resources.iter().find(|resource| resource.id == *id) {
                Some(resource) => self.value_text(resource),
                None => "\"gone\"".to_owned(),
            },
            Expr::Child(name) => match self.calls.iter().find(|call| call.name == *name) {
                Some(call) => call.keys.attribute(&format!("module.{name}"), "out"),
                None => "\"gone\"".to_owned(),
            },
            Expr::Within(text, inner) => text.replace("{}", &self.expr_text(inner, keys)),
        }
    }
}

/// The arguments of a service: blocks for a list, one within, and for a set.
const SERVICE: &str = r#"  name = "s-TRIGGER"
  dynamic "port" {
    for_each = "TRIGGER" == "t1" ? [80, 8080] : [80]
    content {
      number = port.value
      dynamic "allow" {
        for_each = [nonsensitive(jsonencode(VALUE))]
        content {
          from = allow.value
        }
      }
    }
  }
  dynamic "volume" {
    for_each = toset(["data", nonsensitive(jsonencode(VALUE))])
    content {
      path = volume.value
      size = length(volume.key)
    }
  }
"#;

/// Applies modules, by working out what their values are.
pub struct Applied<'a> {
    pub random: &'a mut Random,
    /// In the form of a state file.
    pub resources: Vec<Value>,
    pub tainted: usize,
    pub deposed: usize,
    /// How many of the modules around have a `depends_on`. Of a deposed object and something replaced that is named
    /// there, terraform makes a cycle.
    pub waiting: usize,
}

impl Applied<'_> {
    /// One instance of a module; answers its output.
    pub fn module(&mut self, module: &Module, addr: &str, input: &Value) -> Value {
        // Calls read only what stands before all that reads them.
        let mut scope = Scope {
            module,
            input,
            resources: Map::new(),
            calls: Map::new(),
        };
        let reads_calls = |resource: &&Resource| matches!(resource.value, Expr::Child(_));
        for resource in module.resources.iter().filter(|r| !reads_calls(r)) {
            self.resource(resource, addr, &mut scope);
        }
        for call in &module.calls {
            let keys = call.keys.all();
            let mut outputs = Vec::new();
            let waits = usize::from(call.depends_on.is_some());
            self.waiting += waits;
            for (index, key) in keys.iter().enumerate() {
                let dot = if addr.is_empty() { "" } else { "." };
                let addr = format!("{addr}{dot}module.{}{key}", call.name);
                let input = scope.value(&call.input, &call.keys, index);
                outputs.push(self.module(&call.module, &addr, &input));
            }
            self.waiting -= waits;
            let output = call.keys.together(outputs);
            scope.calls.insert(call.name.clone(), output);
        }
        for resource in module.resources.iter().filter(reads_calls) {
            self.resource(resource, addr, &mut scope);
        }
        let shown = module
            .shown()
            .map(|r| scope.resources[&r.id.to_string()].clone());
        Value::Array(shown.collect())
    }

    fn resource(&mut self, resource: &Resource, module: &str, scope: &mut Scope<'_>) {
        let mut instances = Vec::new();
        let mut values = Vec::new();
        for (index, _) in resource.keys.all().iter().enumerate() {
            let value = scope.value(&resource.value, &resource.keys, index);
            let id = format!("{:08x}", self.random.next() as u32);
            let attributes = attributes(resource, &value, &id);
            values.push(match resource.kind {
                Kind::Data => value,
                Kind::Null => json!(id),
                Kind::Server | Kind::Service => attributes["name"].clone(),
                Kind::Lookup => attributes["id"].clone(),
            });
            let is_managed = resource.kind != Kind::Lookup;
            let mut instance = json!({
                "schema_version": 0, "attributes": attributes, "sensitive_attributes": [],
            });
            match &resource.keys {
                Keys::Single => {}
                keys => instance["index_key"] = keys.value(index),
            }
            let may_be_deposed = is_managed && self.waiting == 0 && resource.depends_on.is_none();
            if may_be_deposed && self.random.chance(3) {
                let mut deposed = instance.clone();
                deposed["deposed"] = json!(format!("{:08x}", self.random.next() as u32));
                instances.push(deposed);
                self.deposed += 1;
            }
            if is_managed && self.random.chance(3) {
                instance["status"] = json!("tainted");
                self.tainted += 1;
            }
            instances.push(instance);
        }
        let value = resource.keys.together(values);
        scope.resources.insert(resource.id.to_string(), value);
        self.resources.push(json!({
            "module": module,
            "mode": if resource.kind == Kind::Lookup { "data" } else { "managed" },
            "type": resource.kind.type_name(),
            "name": resource.name,
            "provider": resource.kind.provider(),
            "instances": instances,
        }));
    }
}

struct Scope<'a> {
    module: &'a Module,
    input: &'a Value,
    resources: Map<String, Value>,
    calls: Map<String, Value>,
}

impl Scope<'_> {
    fn value(&self, expr: &Expr, keys: &Keys, index: usize) -> Value {
        match expr {
            Expr::Text(text) => json!(text),
            Expr::Key => keys.value(index),
            Expr::Input => self.input.clone(),
            Expr::Of(id) => match self.module.resources.iter().any(|r| r.id == *id) {
                true => self.resources[&id.to_string()].clone(),
                false => json!("gone"),
            },
            Expr::Child(name) => self.calls[name].clone(),
            Expr::Within(..) => unreachable!("nothing is applied that has to be evaluated"),
        }
    }
}

/// What the state says of an object.
fn attributes(resource: &Resource, value: &Value, id: &str) -> Value {
    let trigger = resource.trigger.as_deref();
    match resource.kind {
        Kind::Data => json!({
            "id": id,
            "input": dynamic(value),
            "output": dynamic(value),
            "triggers_replace": trigger.map(|trigger| dynamic(&json!(trigger))),
        }),
        Kind::Null => json!({ "id": id, "triggers": { "t": trigger } }),
        Kind::Server => json!({
            "id": id, "address": id, "enabled": null, "groups": null, "quota": null, "ratio": null,
            "name": format!("s-{}", trigger.unwrap_or_default()),
            "region": "eu", "revision": 1, "size": null, "tier": "basic", "zones": null,
            "tags": { "v": value.to_string() },
        }),
        Kind::Service => {
            let text = value.to_string();
            let volume = |path: &str| json!({ "path": path, "size": path.chars().count() });
            json!({
                "id": id, "name": format!("s-{}", trigger.unwrap_or_default()),
                "port": [{ "number": 80, "protocol": "tcp", "handle": id, "allow": [{ "from": text }] }],
                "volume": [volume("data"), volume(&text)],
                "logging": null, "timeouts": null,
            })
        }
        Kind::Lookup => {
            let name = value.to_string();
            json!({
                "id": format!("found-{name}"), "name": name, "region": trigger.unwrap_or("eu-1"),
                "secret": format!("MARKER-SECRET-{name}"), "tags": { "Name": name },
                "network": { "cidr": "10.0.0.0/24", "mtu": 1500 }, "filter": [],
            })
        }
    }
}

/// A value whose type the schema doesn't tell.
fn dynamic(value: &Value) -> Value {
    json!({ "value": value, "type": type_of(value) })
}

pub fn type_of(value: &Value) -> Value {
    match value {
        Value::Number(_) => json!("number"),
        Value::Array(elements) => {
            json!(["tuple", elements.iter().map(type_of).collect::<Vec<_>>()])
        }
        _ => json!("string"),
    }
}
