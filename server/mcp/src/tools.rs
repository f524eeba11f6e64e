//! The tools: their names, what they are for, and what they take.

use std::sync::Arc;

use anyhow::{Context, bail};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::input::{LONGEST, TOO_LONG};
use crate::session::Session;
use crate::{explain, names, plan, type_schema, validate};

/// How an agent is told what this is for.
pub(crate) const INSTRUCTIONS: &str = "planlens plans Terraform and OpenTofu configuration in milliseconds, and changes nothing: \
no file, no state, no infrastructure. Propose texts as \"edits\" and see what they would do before you write them: `compare` \
says what an edit changes in the plan, `plan` what the whole configuration does, `explain` why an object is replaced. Paths are \
relative to the workspace. Lines and columns count from 1. Long answers come page by page: ask again with \"from\". What is \
sensitive is masked.";

/// Name, title, what for, and the properties beside those that all have; the required ones.
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
        "What `terraform plan -refresh=false` would do with the configuration of a folder, with your edits in it if you give \
         any: counts, and for each object the action, what in the text causes a replacement, and errors. What is destroyed and \
         replaced comes first.",
        || json!({ "details": { "type": "boolean", "description": "Each change as terraform plan prints it." } }),
        &[],
    ),
    (
        "compare",
        "Compare the plan before and after an edit",
        "What your edits change in the plan of a folder: the objects that would be treated otherwise than with the saved text, \
         and why. Ask this before you write an edit.",
        || json!({}),
        &["edits"],
    ),
    (
        "explain",
        "Explain a change",
        "Why an object is replaced, destroyed or changed: the argument that forces it, with the provider's words on it, and the \
         way back to the declaration that brought it about.",
        || json!({ "address": { "type": "string", "description": "aws_instance.web, or module.app.aws_instance.web[0]" } }),
        &["address"],
    ),
    (
        "validate",
        "Check a folder",
        "Errors and warnings of the configuration of a folder, with your edits in it if you give any, in the words of terraform.",
        || json!({}),
        &[],
    ),
    (
        "schema",
        "Look up a type",
        "The arguments and attributes of a resource type or data source in the version of the provider that is installed here, \
         or else of one that comes with planlens, which the answer says.",
        || {
            json!({
                "type": { "type": "string", "description": "aws_s3_bucket" },
                "attribute": { "type": "string", "description": "A path below it, as lifecycle_rule.expiration: its own description and what is in it." },
            })
        },
        &["type"],
    ),
    (
        "references",
        "Find uses of a name",
        "Where something is declared and used, in all modules that are known.",
        named,
        &[],
    ),
    (
        "rename",
        "Rename with proof",
        "Edits that rename a resource, module, variable, local value or output everywhere, with `moved` blocks where they are \
         needed, and what a second plan proves about them. The edits are not made: that is up to you.",
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
        "Quick fixes and refactorings at a place: extract a module, inline one, count to for_each, extract a variable or local \
         value, and more. Without a title it lists what is offered; with one it gives the edits, and what a second plan proves.",
        || {
            let mut properties = named();
            properties["title"] =
                json!({ "type": "string", "description": "One of those that are offered." });
            properties["end_line"] =
                json!({ "type": "integer", "description": "For several blocks: the last line." });
            properties
        },
        &[],
    ),
    (
        "format",
        "Format a file",
        "A file in the layout of `terraform fmt`.",
        || json!({ "path": { "type": "string" } }),
        &["path"],
    ),
];

/// What a name is given by.
fn named() -> Value {
    json!({
        "name": { "type": "string", "description": "As it is declared: var.region, aws_instance.web, module.network, local.name, output.id. Or give a path with line and column." },
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
                "description": "Texts that are planned in the place of what is saved. Nothing is written.",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string", "description": "A file of configuration, which may be new." },
                        "text": { "type": "string", "description": "All of the new text." },
                        "old": { "type": "string", "description": "In the place of text: what stands there once." },
                        "new": { "type": "string", "description": "What stands in the place of old." },
                    },
                    "required": ["path"],
                },
            },
            "variables": { "type": "object", "description": "Values of variables by name, as -var gives them." },
            "environment": { "type": "string", "description": "A file of values (prod.tfvars) or a workspace (workspace prod) to plan with." },
            "from": { "type": "integer", "description": "The number of the first entry, for the next page." },
            "max_bytes": { "type": "integer", "description": "The largest answer: 18000 unless you ask for more." },
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
            "a message may have {} MiB; propose less at once",
            LONGEST >> 20
        ),
        _ => bail!("there is no tool {name:?}"),
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> anyhow::Result<T> {
    serde_json::from_value(arguments).context("reading the arguments")
}
