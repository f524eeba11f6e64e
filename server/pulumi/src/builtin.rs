//! The provider that is part of Pulumi's engine. It keeps values and needs no plugin.

use std::sync::Arc;

use crate::ask::{
    Changes, CheckRequest, Checked, ConfigureRequest, CreateRequest, DiffRequest, Diffed, Failure,
    InvokeRequest, Invoked, Plugin, PluginError, ReadObject, ReadPermission, ReadRequest,
};
use crate::value::Object;

/// The package that needs no plugin.
pub(crate) const PACKAGE: &str = "pulumi";

/// A plugin, or the builtin provider.
pub(crate) enum PackageHost<T> {
    Builtin,
    Plugin(Arc<T>),
    /// A plugin whose configuration is known only after the update.
    Unconfigured(Arc<T>),
}

const UNCONFIGURED: &str = "its configuration is known after the update";

const SCHEMA: &str = r##"{
    "name": "pulumi",
    "provider": {},
    "resources": {
        "pulumi:index:Stash": {
            "properties": { "input": { "$ref": "pulumi.json#/Any" }, "output": { "$ref": "pulumi.json#/Any" } },
            "inputProperties": { "input": { "$ref": "pulumi.json#/Any" } },
            "requiredInputs": ["input"]
        },
        "pulumi:pulumi:StackReference": {
            "properties": { "name": { "type": "string" }, "outputs": { "type": "object", "additionalProperties": { "$ref": "pulumi.json#/Any" } },
                "secretOutputNames": { "type": "array", "items": { "type": "string" } } },
            "inputProperties": { "name": { "type": "string" } }
        }
    }
}"##;

/// The value that a stash was created with stays its output, whatever it is given later.
fn kept(inputs: &Object, before: Option<&Object>) -> Object {
    let mut outputs = inputs.clone();
    let output = match before {
        Some(before) => before.get("output"),
        None => inputs.get("input"),
    };
    if let Some(output) = output {
        outputs.insert("output".to_owned(), output.clone());
    }
    outputs
}

impl<T: Plugin> Plugin for PackageHost<T> {
    fn is_running(&self) -> bool {
        match self {
            PackageHost::Builtin => true,
            PackageHost::Plugin(plugin) | PackageHost::Unconfigured(plugin) => plugin.is_running(),
        }
    }

    async fn schema(&self) -> Result<String, PluginError> {
        match self {
            PackageHost::Builtin => Ok(SCHEMA.to_owned()),
            PackageHost::Plugin(plugin) | PackageHost::Unconfigured(plugin) => {
                plugin.schema().await
            }
        }
    }

    async fn check_config(&self, request: CheckRequest) -> Result<Checked, PluginError> {
        match self {
            // It has no configuration.
            PackageHost::Builtin => Ok(Checked::default()),
            PackageHost::Plugin(plugin) | PackageHost::Unconfigured(plugin) => {
                plugin.check_config(request).await
            }
        }
    }

    async fn diff_config(
        &self,
        request: DiffRequest,
        is_configured: bool,
    ) -> Result<Diffed, PluginError> {
        match self {
            PackageHost::Builtin => Ok(Diffed {
                changes: Changes::None,
                ..Diffed::default()
            }),
            PackageHost::Plugin(plugin) | PackageHost::Unconfigured(plugin) => {
                plugin.diff_config(request, is_configured).await
            }
        }
    }

    async fn configure(&self, request: ConfigureRequest) -> Result<(), PluginError> {
        match self {
            PackageHost::Builtin | PackageHost::Unconfigured(_) => Ok(()),
            PackageHost::Plugin(plugin) => plugin.configure(request).await,
        }
    }

    async fn check(&self, request: CheckRequest) -> Result<Checked, PluginError> {
        match self {
            PackageHost::Builtin => {
                let unknown = request.news.keys().find(|it| *it != "input");
                let failure = |property: &str, what: &str| Failure {
                    property: property.to_owned(),
                    reason: format!("{what} property \"{property}\""),
                };
                let input = request.news.get("input");
                let failure = match (unknown, input) {
                    (Some(unknown), _) => Some(failure(unknown, "unknown")),
                    (None, None) => Some(failure("input", "missing required")),
                    (None, Some(_)) => None,
                };
                Ok(Checked {
                    failures: failure.into_iter().collect(),
                    inputs: request.news,
                })
            }
            PackageHost::Plugin(plugin) => plugin.check(request).await,
            // As they are written.
            PackageHost::Unconfigured(_) => Ok(Checked {
                inputs: request.news,
                failures: Vec::new(),
            }),
        }
    }

    async fn diff(&self, request: DiffRequest) -> Result<Diffed, PluginError> {
        match self {
            PackageHost::Builtin => {
                match request.news.get("input") == request.old_inputs.get("input") {
                    true => Ok(Diffed {
                        changes: Changes::None,
                        ..Diffed::default()
                    }),
                    false => Ok(Diffed {
                        changes: Changes::Some,
                        diffs: vec!["input".to_owned()],
                        ..Diffed::default()
                    }),
                }
            }
            PackageHost::Plugin(plugin) => plugin.diff(request).await,
            // An update is assumed.
            PackageHost::Unconfigured(_) => Ok(Diffed {
                changes: Changes::Some,
                ..Diffed::default()
            }),
        }
    }

    async fn preview_create(&self, request: CreateRequest) -> Result<Option<Object>, PluginError> {
        match self {
            PackageHost::Builtin => Ok(Some(kept(&request.properties, None))),
            PackageHost::Plugin(plugin) => plugin.preview_create(request).await,
            PackageHost::Unconfigured(_) => Ok(Some(Object::new())),
        }
    }

    async fn preview_update(&self, request: DiffRequest) -> Result<Option<Object>, PluginError> {
        match self {
            PackageHost::Builtin => Ok(Some(kept(&request.news, Some(&request.olds)))),
            PackageHost::Plugin(plugin) => plugin.preview_update(request).await,
            PackageHost::Unconfigured(_) => Ok(Some(Object::new())),
        }
    }

    async fn invoke(
        &self,
        request: InvokeRequest,
        world: ReadPermission,
    ) -> Result<Invoked, PluginError> {
        match self {
            PackageHost::Builtin => {
                Err(PluginError::new(format!("{} is not called", request.token)))
            }
            PackageHost::Plugin(plugin) => plugin.invoke(request, world).await,
            // Source: `Invoke` in `provider_plugin.go` of Pulumi.
            PackageHost::Unconfigured(_) => Ok(Invoked::default()),
        }
    }

    async fn read(
        &self,
        request: ReadRequest,
        world: ReadPermission,
    ) -> Result<Option<ReadObject>, PluginError> {
        match self {
            PackageHost::Builtin => Err(PluginError::new("stash can not be imported".to_owned())),
            PackageHost::Plugin(plugin) => plugin.read(request, world).await,
            PackageHost::Unconfigured(_) => Err(PluginError::new(UNCONFIGURED.to_owned())),
        }
    }
}
