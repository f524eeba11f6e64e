//! The capabilities of the client.

use serde_json::Value;
use text::PositionEncoding;

/// The capabilities that the client stated, as far as they matter here. Others count as missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClientCapabilities {
    pub(crate) encoding: PositionEncoding,
    pub(crate) hover_format: MarkupFormat,
    pub(crate) signature_format: MarkupFormat,
    pub(crate) inlay_hints: bool,
    pub(crate) refreshes_inlay_hints: bool,
    pub(crate) refreshes_code_lenses: bool,
    pub(crate) related_information: bool,
    pub(crate) diagnostic_tags: bool,
    pub(crate) code_description: bool,
    pub(crate) message_requests: bool,
    pub(crate) progress: bool,
    pub(crate) configuration: bool,
    pub(crate) registers_configuration: bool,
    pub(crate) registers_watchers: bool,
    pub(crate) completion: CompletionCapabilities,
    pub(crate) definition_links: bool,
    pub(crate) nested_symbols: bool,
    pub(crate) edits: EditCapabilities,
    /// Whether the client asks for diagnostics, and can be made to ask again: then none are pushed.
    pub(crate) pulls_diagnostics: bool,
    /// Whether the client wants the status of the plans.
    pub(crate) plan_status: bool,
    /// Whether the client can write its settings: it has the command [`code_actions::SET_VARIABLE`].
    pub(crate) writes_settings: bool,
}

/// The content that edits of a workspace may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EditCapabilities {
    pub(crate) prepares_rename: bool,
    /// Edits may name the version of a document.
    pub(crate) versioned: bool,
    /// Such edits may make files.
    pub(crate) creates: bool,
    /// Edits may have a label, and ask to be confirmed.
    pub(crate) annotated: bool,
    /// The edit of an action is asked for when the action is chosen.
    pub(crate) resolves_actions: bool,
}

/// The content that completion items may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CompletionCapabilities {
    pub(crate) snippets: bool,
    pub(crate) format: MarkupFormat,
    pub(crate) tags: bool,
    pub(crate) resolves_documentation: bool,
    /// The range and the data of a list count for all its items.
    pub(crate) has_defaults: bool,
    /// Whether the editor can be made to ask again once an item is inserted: a command of VS Code's.
    pub(crate) triggers_suggestions: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkupFormat {
    Markdown,
    Plaintext,
}

impl ClientCapabilities {
    /// Reads the parameters of an initialize request.
    pub(crate) fn of_client(params: &Value) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::new(&params["capabilities"]);
        let name = params.pointer("/clientInfo/name").and_then(Value::as_str);
        capabilities.completion.triggers_suggestions = name.is_some_and(|name| {
            name.contains("Visual Studio Code")
                || name.contains("VSCodium")
                || name == "code-server"
        });
        // Made to ask again, Neovim 0.12 asks about the files that are not open alone: `on_refresh` of
        // `runtime/lua/vim/lsp/diagnostic.lua`.
        capabilities.pulls_diagnostics &= name != Some("Neovim");
        capabilities
    }

    /// Reads the `capabilities` of an initialize request.
    pub(crate) fn new(capabilities: &Value) -> ClientCapabilities {
        let has = |path: &str| match capabilities.pointer(path) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(said)) => *said,
            Some(_) => true,
        };
        ClientCapabilities {
            encoding: position_encoding(capabilities),
            hover_format: markup_format(capabilities, "hover/contentFormat"),
            signature_format: {
                let path = "signatureHelp/signatureInformation/documentationFormat";
                markup_format(capabilities, path)
            },
            inlay_hints: has("/textDocument/inlayHint"),
            refreshes_inlay_hints: has("/workspace/inlayHint/refreshSupport"),
            refreshes_code_lenses: has("/workspace/codeLens/refreshSupport"),
            related_information: has("/textDocument/publishDiagnostics/relatedInformation"),
            diagnostic_tags: has("/textDocument/publishDiagnostics/tagSupport"),
            code_description: has("/textDocument/publishDiagnostics/codeDescriptionSupport"),
            message_requests: has("/window/showMessage"),
            progress: has("/window/workDoneProgress"),
            configuration: has("/workspace/configuration"),
            registers_configuration: has("/workspace/didChangeConfiguration/dynamicRegistration"),
            registers_watchers: has("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            completion: completion(capabilities),
            definition_links: has("/textDocument/definition/linkSupport"),
            pulls_diagnostics: has("/textDocument/diagnostic")
                && has("/workspace/diagnostics/refreshSupport"),
            plan_status: has("/experimental/planlens/status"),
            writes_settings: has("/experimental/planlens/settings"),
            edits: EditCapabilities {
                prepares_rename: has("/textDocument/rename/prepareSupport"),
                versioned: has("/workspace/workspaceEdit/documentChanges"),
                creates: {
                    let path = "/workspace/workspaceEdit/resourceOperations";
                    strings(capabilities, path).any(|it| it == "create")
                },
                annotated: has("/workspace/workspaceEdit/changeAnnotationSupport"),
                resolves_actions: {
                    let path = "/textDocument/codeAction/resolveSupport/properties";
                    strings(capabilities, path).any(|it| it == "edit")
                        && has("/textDocument/codeAction/dataSupport")
                },
            },
            nested_symbols: has("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
        }
    }
}

fn completion(capabilities: &Value) -> CompletionCapabilities {
    let item = |path: &str| format!("/textDocument/completion/completionItem/{path}");
    let is_true = |path: &str| capabilities.pointer(&item(path)) == Some(&Value::Bool(true));
    let has = |path: &str, name| strings(capabilities, &item(path)).any(|it| it == name);
    let defaults = "/textDocument/completion/completionList/itemDefaults";
    let has_default = |name| strings(capabilities, defaults).any(|it| it == name);
    CompletionCapabilities {
        snippets: is_true("snippetSupport"),
        format: markup_format(
            capabilities,
            "completion/completionItem/documentationFormat",
        ),
        tags: capabilities.pointer(&item("tagSupport")).is_some(),
        resolves_documentation: has("resolveSupport/properties", "documentation"),
        has_defaults: has_default("editRange") && has_default("data"),
        triggers_suggestions: false,
    }
}

/// The first encoding of the client's list, which has its favourite in front.
fn position_encoding(capabilities: &Value) -> PositionEncoding {
    strings(capabilities, "/general/positionEncodings")
        .find_map(|name| match name {
            "utf-8" => Some(PositionEncoding::Utf8),
            "utf-16" => Some(PositionEncoding::Utf16),
            "utf-32" => Some(PositionEncoding::Utf32),
            _ => None,
        })
        .unwrap_or_default()
}

/// The first format of a list of the client's that we know.
fn markup_format(capabilities: &Value, path: &str) -> MarkupFormat {
    strings(capabilities, &format!("/textDocument/{path}"))
        .find_map(|name| match name {
            "markdown" => Some(MarkupFormat::Markdown),
            "plaintext" => Some(MarkupFormat::Plaintext),
            _ => None,
        })
        .unwrap_or(MarkupFormat::Plaintext)
}

fn strings<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = &'a str> {
    value
        .pointer(path)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_clients_favourite_encoding_is_taken() {
        let encoding = |list: Value| {
            ClientCapabilities::new(&json!({ "general": { "positionEncodings": list } })).encoding
        };
        assert_eq!(
            encoding(json!(["utf-32", "utf-8"])),
            PositionEncoding::Utf32
        );
        assert_eq!(encoding(json!(["utf-7", "utf-8"])), PositionEncoding::Utf8);
        assert_eq!(encoding(json!([])), PositionEncoding::Utf16);
        assert_eq!(encoding(json!("utf-8")), PositionEncoding::Utf16);
    }

    #[test]
    fn unstated_capabilities_are_not_supported() {
        let capabilities = ClientCapabilities::new(&Value::Null);
        assert!(!capabilities.refreshes_inlay_hints && !capabilities.message_requests);
        assert_eq!(capabilities.hover_format, MarkupFormat::Plaintext);
    }
}
