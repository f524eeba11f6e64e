//! The root modules that are measured, and states in which all their objects are.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::Bench;

/// How many resources read the one that is edited.
pub const DEPENDENTS: usize = 50;

impl Bench {
    /// A root module with so many resources, initialized, with or without a state in which they all are. The state is
    /// made here, as applying thousands takes its time; `terraform plan` finds nothing to do.
    pub fn module(&self, kind: Kind, count: usize, has_state: bool) -> PathBuf {
        let name = format!("{}-{count}-{has_state}", kind.type_name());
        let text: String = (0..count).map(|index| kind.resource(index)).collect();
        let stored = has_state.then(|| (0..count).map(|index| kind.stored(index)).collect());
        let (module, is_new) = self.written(&name, &[("main.tf", text)], stored);
        if is_new && has_state && count == 100 {
            let plan = [
                "plan",
                "-refresh=false",
                "-input=false",
                "-detailed-exitcode",
            ];
            self.run(self.terraform(&module).args(plan));
        }
        module
    }

    /// One resource that so many others read, among `count`.
    pub fn dependents(&self, count: usize, dependents: usize) -> PathBuf {
        let kind = Kind::RandomId;
        let mut text =
            "resource \"terraform_data\" \"root\" {\n  input = \"value-0\"\n}\n\n".to_owned();
        let mut root = Kind::TerraformData.stored(0);
        root["name"] = json!("root");
        let attributes = &mut root["instances"][0]["attributes"];
        attributes["input"] = json!({ "value": "value-0", "type": "string" });
        attributes["output"] = attributes["input"].clone();
        attributes["triggers_replace"] = Value::Null;
        let mut stored = vec![root];
        for index in 0..count {
            let (mut resource, mut object) = (kind.resource(index), kind.stored(index));
            if index < dependents {
                let read = format!("\"server-{index}\"");
                resource = resource.replace(&read, "terraform_data.root.input");
                object["instances"][0]["attributes"]["keepers"]["server"] = json!("value-0");
            }
            text.push_str(&resource);
            stored.push(object);
        }
        self.written(
            &format!("dependents-{dependents}-{count}"),
            &[("main.tf", text)],
            Some(stored),
        )
        .0
    }

    /// Modules three deep, with `count` resources in the instances of the innermost.
    pub fn nested(&self, count: usize) -> PathBuf {
        let outer = (count / 100).max(1);
        let call = |name: &str, count: usize| {
            format!("module \"{name}\" {{\n  source = \"./{name}\"\n  count  = {count}\n}}\n")
        };
        let leaf: String = (0..10)
            .map(|index| Kind::RandomId.resource(index))
            .collect();
        let files = [
            ("main.tf", call("a", outer)),
            ("a/main.tf", call("b", 5)),
            ("a/b/main.tf", call("c", 2)),
            ("a/b/c/main.tf", leaf),
        ];
        self.written(&format!("nested-{count}"), &files, None).0
    }

    /// One resource with an instance for each of `count` keys.
    pub fn for_each(&self, count: usize) -> PathBuf {
        let text = format!(
            "resource \"random_id\" \"each\" {{\n  for_each    = toset([for index in range({count}) : \"key-${{index}}\"])\n  prefix      = each.key\n  byte_length = 8\n}}\n"
        );
        self.written(&format!("each-{count}"), &[("main.tf", text)], None)
            .0
    }

    /// Each resource reads the one before it.
    pub fn chain(&self, count: usize) -> PathBuf {
        let resource = |index: usize| {
            let input = match index {
                0 => "\"value-0\"".to_owned(),
                _ => format!("terraform_data.r{}.input", index - 1),
            };
            format!("resource \"terraform_data\" \"r{index}\" {{\n  input = {input}\n}}\n\n")
        };
        let text = (0..count).map(resource).collect();
        self.written(&format!("chain-{count}"), &[("main.tf", text)], None)
            .0
    }

    /// A folder of root modules with five resources each, and a state for each.
    pub fn roots(&self, count: usize) -> Vec<PathBuf> {
        let first = self.module(Kind::RandomId, 5, true);
        let folder = self.folder.join(format!("roots-{count}"));
        let roots = (0..count).map(|index| folder.join(format!("root-{index}")));
        roots.inspect(|root| copy(&first, root)).collect()
    }

    /// A folder with a module of five resources that so many root modules call, each with a state. Answers the module.
    pub fn shared(&self, callers: usize) -> PathBuf {
        let kind = Kind::RandomId;
        let text: String = (0..5).map(|index| kind.resource(index)).collect();
        let root =
            "module \"m\" {\n  source = \"../module\"\n}\n\nresource \"random_pet\" \"own\" {\n}\n";
        let stored = (0..5).map(|index| {
            let mut object = kind.stored(index);
            object["module"] = json!("module.m");
            object
        });
        let files = [("main.tf", root.to_owned()), ("../module/main.tf", text)];
        let name = format!("shared-{callers}/root-0");
        let (first, _) = self.written(&name, &files, Some(stored.collect()));
        let folder = first.parent().unwrap_or(Path::new("/"));
        for caller in 1..callers {
            copy(&first, &folder.join(format!("root-{caller}")));
        }
        folder.join("module")
    }

    /// Two copies of a module of which each resource is replaced, with an output that names the content of `main.tf`.
    pub fn twins(&self, count: usize) -> [PathBuf; 2] {
        let module = self.module(Kind::RandomId, count, true);
        ["warm", "cold"].map(|name| {
            let twin = self.folder.join(name);
            copy(&module, &twin);
            let main = twin.join("main.tf");
            let text = fs::read_to_string(&main).unwrap();
            fs::write(main, text.replace("\"value-", "\"value-0")).unwrap();
            let output = "output \"text\" {\n  value = filesha256(\"${path.module}/main.tf\")\n}\n";
            fs::write(twin.join("text.tf"), output).unwrap();
            twin
        })
    }

    /// Writes a module's files and state if that was not done yet. Answers whether it was done now.
    pub fn written(
        &self,
        name: &str,
        files: &[(&str, String)],
        stored: Option<Vec<Value>>,
    ) -> (PathBuf, bool) {
        self.written_in(name, files, stored, &self.environment)
    }

    /// The same, with the providers that an environment has.
    pub fn written_in(
        &self,
        name: &str,
        files: &[(&str, String)],
        stored: Option<Vec<Value>>,
        environment: &[(&'static str, PathBuf)],
    ) -> (PathBuf, bool) {
        let module = self.folder.join(name);
        if module.exists() {
            return (module, false);
        }
        for (path, text) in files {
            let file = module.join(path);
            fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).unwrap();
            fs::write(file, text).unwrap();
        }
        let mut init = self.terraform(&module);
        init.args(["init", "-input=false"])
            .envs(environment.iter().cloned());
        self.run(&mut init);
        if let Some(mut resources) = stored {
            resources.sort_by_key(|it| (it["type"].to_string(), it["name"].to_string()));
            let state = json!({
                "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "planlens-bench",
                "outputs": {}, "resources": resources, "check_results": null,
            });
            fs::write(module.join("terraform.tfstate"), state.to_string()).unwrap();
        }
        (module, true)
    }
}

/// Makes a root module that is installed and has a state as `from` is and has.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in ["main.tf", "terraform.tfstate", ".terraform.lock.hcl"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
    let _ = std::os::unix::fs::symlink(from.join(".terraform"), to.join(".terraform"));
}

/// Resources of which any edit of the first argument forces replacement.
#[derive(Clone, Copy)]
pub enum Kind {
    TerraformData,
    RandomPet,
    RandomId,
}

impl Kind {
    pub fn type_name(self) -> &'static str {
        match self {
            Kind::TerraformData => "terraform_data",
            Kind::RandomPet => "random_pet",
            Kind::RandomId => "random_id",
        }
    }

    pub fn resource(self, index: usize) -> String {
        let arguments = match self {
            Kind::TerraformData => {
                format!("triggers_replace = \"value-{index}\"\n  input = \"input-{index}\"")
            }
            Kind::RandomPet => format!(
                "prefix  = \"value-{index}\"\n  length  = 2\n  keepers = {{ server = \"server-{index}\" }}"
            ),
            Kind::RandomId => format!(
                "prefix      = \"value-{index}\"\n  byte_length = 8\n  keepers     = {{ server = \"server-{index}\" }}"
            ),
        };
        format!(
            "resource \"{}\" \"r{index}\" {{\n  {arguments}\n}}\n\n",
            self.type_name()
        )
    }

    /// The resource in a state.
    pub fn stored(self, index: usize) -> Value {
        let typed = |text: String| json!({ "value": text, "type": "string" });
        let keepers = json!({ "server": format!("server-{index}") });
        let prefix = format!("value-{index}");
        let attributes = match self {
            Kind::TerraformData => json!({
                "id": format!("{index:08x}-7f55-824b-f436-3e7063936c5c"),
                "input": typed(format!("input-{index}")), "output": typed(format!("input-{index}")),
                "triggers_replace": typed(prefix),
            }),
            Kind::RandomPet => json!({
                "id": format!("{prefix}-able-ant"), "keepers": keepers, "length": 2, "prefix": prefix,
                "separator": "-",
            }),
            Kind::RandomId => json!({
                "id": "AAAAAAAAAAE", "b64_std": format!("{prefix}AAAAAAAAAAE="),
                "b64_url": format!("{prefix}AAAAAAAAAAE"), "byte_length": 8, "dec": format!("{prefix}1"),
                "hex": format!("{prefix}0000000000000001"), "keepers": keepers, "prefix": prefix,
            }),
        };
        let provider = match self {
            Kind::TerraformData => "terraform.io/builtin/terraform",
            Kind::RandomPet | Kind::RandomId => "registry.terraform.io/hashicorp/random",
        };
        json!({
            "mode": "managed", "type": self.type_name(), "name": format!("r{index}"),
            "provider": format!("provider[{provider:?}]"),
            "instances": [{ "schema_version": 0, "attributes": attributes, "sensitive_attributes": [] }],
        })
    }
}
