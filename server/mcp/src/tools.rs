//! The tools: names, purposes and parameters.

use std::sync::Arc;

use anyhow::{Context, bail};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::input::{LONGEST, TOO_LONG, UNREADABLE};
use crate::session::Session;
use crate::{explain, names, plan, type_schema, validate};

/// The instructions for an agent.
pub(crate) const INSTRUCTIONS: &str = "planlens plans Terraform and OpenTofu configuration in milliseconds and changes nothing: \
no file, no state, no infrastructure. Propose texts as \"edits\" to see their effect before you write them: `compare` shows how \
an edit changes the plan, `plan` shows the whole plan, `explain` shows why an object is replaced. Paths are relative to the \
workspace. Lines and columns count from 1. Long answers have several pages: ask for the next one with \"from\". Sensitive values \
are masked.";

/// Name, title, purpose, the properties beside the common ones, and the required ones.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    fn() -> Value,
    &'static [&'static str],
);

const TOOLS: [Row; 9] = [
    (
        "plan",
        "Plan a folder",
        "Shows what `terraform plan -refresh=false` would do in a folder, with your edits if you give any: counts, errors, and \
         for each object the action and the cause of a replacement in the text. Destroyed and replaced objects come first.",
        || json!({ "details": { "type": "boolean", "description": "Each change as terraform plan prints it." } }),
        &[],
    ),
    (
        "compare",
        "Compare the plan before and after an edit",
        "Shows how your edits change the plan of a folder: the objects whose planned action differs from the plan of the saved \
         text, and why. Ask this before you write an edit.",
        || json!({}),
        &["edits"],
    ),
    (
        "explain",
        "Explain a change",
        "Shows why an object is replaced, destroyed or changed: the argument that forces it, the provider's reason, and the \
         references that lead back to the cause.",
        || json!({ "address": { "type": "string", "description": "aws_instance.web, or module.app.aws_instance.web[0]" } }),
        &["address"],
    ),
    (
        "validate",
        "Check a folder",
        "Shows errors and warnings of the configuration of a folder, with your edits if you give any, in terraform's words.",
        || json!({}),
        &[],
    ),
    (
        "schema",
        "Look up a type",
        "Shows the arguments and attributes of a resource type or data source in the installed version of its provider. If it \
         is not installed, the answer is for the version that comes with planlens, and says so.",
        || {
            json!({
                "type": { "type": "string", "description": "aws_s3_bucket" },
                "attribute": { "type": "string", "description": "A path in the type, such as lifecycle_rule.expiration: shows its description and its contents." },
            })
        },
        &["type"],
    ),
    (
        "references",
        "Find uses of a name",
        "Shows where something is declared and used, in all known modules.",
        named,
        &[],
    ),
    (
        "rename",
        "Rename with proof",
        "Returns edits that rename a resource, module, variable, local value or output everywhere, with `moved` blocks where \
         needed, and the proof by a second plan. It does not make the edits: you do.",
        || {
            let mut properties = named();
            properties["new_name"] = json!({ "type": "string" });
            properties
        },
        &["new_name"],
    ),
    (
        "refactor",
        "Refactor with proof",
        "Quick fixes and refactorings at a place: extract a module, inline one, convert count to for_each, extract a variable or \
         local value, and more. Without a title it lists them; with a title it returns the edits and the proof by a second plan.",
        || {
            let mut properties = named();
            properties["title"] =
                json!({ "type": "string", "description": "A title from the list." });
            properties["end_line"] = json!({ "type": "integer", "description": "The last line, to select several blocks." });
            properties
        },
        &[],
    ),
    (
        "format",
        "Format a file",
        "Formats a file as `terraform fmt` does.",
        || json!({ "path": { "type": "string" } }),
        &["path"],
    ),
];

/// The parameters of a name.
fn named() -> Value {
    json!({
        "name": { "type": "string", "description": "The declared name: var.region, aws_instance.web, module.network, local.name, output.id. Instead of a name, you can give a path with line and column." },
        "path": { "type": "string" },
        "line": { "type": "integer" },
        "column": { "type": "integer" },
    })
}

pub(crate) fn list() -> Vec<Tool> {
    let tools = TOOLS.iter().map(|(name, title, about, properties, required)| {
        let mut all = json!({
            "folder": { "type": "string", "description": "The folder of the root module, below the workspace. Default: the workspace itself." },
            "edits": {
                "type": "array",
                "description": "Texts to plan instead of the saved ones. Nothing is written.",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string", "description": "A configuration file, which may be new." },
                        "text": { "type": "string", "description": "The whole new text." },
                        "old": { "type": "string", "description": "Instead of the whole text: the old part, which must occur exactly once." },
                        "new": { "type": "string", "description": "The replacement for the old part." },
                    },
                    "required": ["path"],
                },
            },
            "variables": { "type": "object", "description": "Values of variables by name, as with -var." },
            "environment": { "type": "string", "description": "A variable file (prod.tfvars) or a workspace (workspace prod) to plan with." },
            "from": { "type": "integer", "description": "The number of the first entry, for the next page." },
            "max_bytes": { "type": "integer", "description": "The maximum size of the answer. Default: 18000." },
        });
        if let (Some(all), Value::Object(more)) = (all.as_object_mut(), properties()) {
            all.extend(more);
        }
        let schema = json!({ "type": "object", "properties": all, "required": required });
        let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
        let annotations = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
        Tool::new(*name, *about, Arc::new(schema)).with_title(*title).with_annotations(annotations)
    });
    tools.collect()
}

pub(crate) async fn call(
    session: &mut Session,
    name: &str,
    arguments: Option<JsonObject>,
) -> anyhow::Result<CallToolResult> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    match name {
        "plan" => plan::plan(session, read(arguments)?).await,
        "compare" => plan::compare(session, read(arguments)?).await,
        "explain" => explain::explain(session, read(arguments)?).await,
        "validate" => validate::validate(session, read(arguments)?).await,
        "schema" => type_schema::schema(session, read(arguments)?).await,
        "references" => names::references(session, read(arguments)?).await,
        "rename" => names::rename(session, read(arguments)?).await,
        "refactor" => names::refactor(session, read(arguments)?).await,
        "format" => names::format(session, read(arguments)?).await,
        TOO_LONG => bail!(
            "a message can have at most {} MiB: propose less at once",
            LONGEST >> 20
        ),
        UNREADABLE => bail!("the message is not valid JSON"),
        _ => bail!("there is no tool {name:?}"),
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> anyhow::Result<T> {
    serde_json::from_value(arguments).context("reading the arguments")
}
