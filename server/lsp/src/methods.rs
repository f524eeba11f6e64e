//! Every request: its answer, its waits, and its entry in the server's capabilities. One row for each.

use std::time::Duration;

use ide::Stage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use text::{FileId, PositionEncoding};
use tower_lsp_server::jsonrpc::{Error, Id, Result};
use tower_lsp_server::ls_types::{
    CallHierarchyServerCapability, CodeLensOptions, DeclarationCapability, DocumentLinkOptions,
    ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability,
    LinkedEditingRangeServerCapabilities, OneOf, PositionEncodingKind, SaveOptions,
    SelectionRangeProviderCapability, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};

use crate::capabilities::ClientCapabilities;
use crate::context::{RequestContext, to_value};
use crate::event::Reply;
use crate::state::State;
use crate::transport::UNREADABLE;
use crate::{
    callers, code_actions, code_lenses, completion, environments, formatting, hover, inlay_hints,
    module_calls, navigation, plan_view, pull, rename, semantic_tokens, signature_help, structure,
    symbols,
};

/// A request.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) answer: Handler,
    /// Takes note of it as it arrives.
    pub(crate) note: Option<fn(&mut State, &Value)>,
    pub(crate) hold: Option<WaitRule>,
    /// Says in the answer to `initialize` that it is offered.
    offer: Option<fn(&ClientCapabilities, &mut ServerCapabilities)>,
}

/// How a request is answered.
pub(crate) enum Handler {
    /// By the main loop.
    AtOnce(fn(&mut State, Value) -> Result<Value>),
    /// From a snapshot, beside the main loop.
    Computed(fn(Value) -> Compute),
    /// By the planner, if it has to.
    Planned {
        is_for_planner: fn(&Value) -> bool,
        answer: fn(&mut State, Id, Value, Reply),
        otherwise: fn(Value) -> Compute,
    },
}

pub(crate) type Compute = Box<dyn FnOnce(&RequestContext) -> Result<Value> + Send>;

/// How a request is held back.
#[derive(Clone, Copy)]
pub(crate) struct WaitRule {
    /// Whether its part of a document is still to come.
    pub(crate) awaits: fn(&State, &FileId) -> bool,
    pub(crate) at_most: Duration,
    /// An edit ends it, as its place is one of the text before.
    pub(crate) is_at_place: bool,
}

/// How long a request waits for the plan of the current texts, so that nothing stale is drawn and drawn again: some
/// editors can't be made to ask again, and Neovim before 0.11 draws hints only once for each text. It covers the start
/// of a provider; editors give up after ten seconds or more.
const HOLD: Duration = Duration::from_secs(5);

/// How long a request at a place waits: while the first folder is read, and a code action for the plan. An edit ends it,
/// as the place is one of the text before.
const HOLD_AT_PLACE: Duration = Duration::from_millis(500);

impl WaitRule {
    const fn for_all(awaits: fn(&State, &FileId) -> bool) -> WaitRule {
        WaitRule {
            awaits,
            at_most: HOLD,
            is_at_place: false,
        }
    }

    const fn at_place(awaits: fn(&State, &FileId) -> bool) -> WaitRule {
        WaitRule {
            awaits,
            at_most: HOLD_AT_PLACE,
            is_at_place: true,
        }
    }
}

/// Hints; the rest is asked for again when it is planned.
fn awaits_hints(state: &State, file: &FileId) -> bool {
    let stage = match state.capabilities.refreshes_inlay_hints {
        true => Stage::Shown,
        false => Stage::Planned,
    };
    state.awaits_plan_of(file, stage)
}

fn awaits_plan(state: &State, file: &FileId) -> bool {
    state.awaits_plan_of(file, Stage::Planned)
}

fn awaits_modules(state: &State, file: &FileId) -> bool {
    !state.snapshot().knows_modules() && state.awaits_plan_of(file, Stage::Planned)
}

impl Method {
    const fn new(name: &'static str, answer: Handler) -> Method {
        Method {
            name,
            answer,
            note: None,
            hold: None,
            offer: None,
        }
    }

    const fn at_once(name: &'static str, answer: fn(&mut State, Value) -> Result<Value>) -> Method {
        Method::new(name, Handler::AtOnce(answer))
    }

    const fn computed(name: &'static str, answer: fn(Value) -> Compute) -> Method {
        Method::new(name, Handler::Computed(answer))
    }

    /// By the planner alone.
    const fn planned(name: &'static str, answer: fn(&mut State, Id, Value, Reply)) -> Method {
        let answer = Handler::Planned {
            is_for_planner: |_| true,
            answer,
            otherwise: |_| Box::new(|_| Ok(Value::Null)),
        };
        Method::new(name, answer)
    }

    const fn noted(mut self, note: fn(&mut State, &Value)) -> Method {
        self.note = Some(note);
        self
    }

    const fn held(mut self, hold: WaitRule) -> Method {
        self.hold = Some(hold);
        self
    }

    const fn offered(mut self, offer: fn(&ClientCapabilities, &mut ServerCapabilities)) -> Method {
        self.offer = Some(offer);
        self
    }

    pub(crate) fn named(name: &str) -> Option<&'static Method> {
        METHODS.iter().find(|method| method.name == name)
    }
}

static METHODS: [Method; 38] = [
    Method::at_once(UNREADABLE, |_, _| Err(Error::invalid_request())),
    Method::at_once("shutdown", |state, _| Ok(state.shutdown())),
    Method::at_once("workspace/executeCommand", State::execute).offered(|_, server| {
        let commands = ide::Command::ALL.map(|command| command.name().to_string());
        server.execute_command_provider = Some(ExecuteCommandOptions {
            commands: commands.to_vec(),
            ..ExecuteCommandOptions::default()
        });
    }),
    Method::computed("textDocument/hover", |it| made(it, hover::answer))
        .held(WaitRule::at_place(awaits_modules))
        .offered(|_, server| {
            server.hover_provider = Some(HoverProviderCapability::Simple(true));
        }),
    Method::computed("textDocument/completion", |it| made(it, completion::answer))
        .held(WaitRule::at_place(awaits_modules))
        .offered(|_, server| server.completion_provider = Some(completion::options())),
    Method::computed("completionItem/resolve", |it| made(it, completion::resolve)),
    Method::computed("textDocument/signatureHelp", |it| {
        made(it, signature_help::answer)
    })
    .held(WaitRule::at_place(awaits_modules))
    .offered(|_, server| server.signature_help_provider = Some(signature_help::options())),
    Method::computed("textDocument/definition", |it| {
        made(it, navigation::definition)
    })
    .offered(|_, server| server.definition_provider = Some(OneOf::Left(true))),
    Method::computed("textDocument/declaration", |it| {
        made(it, navigation::definition)
    })
    .offered(|_, server| server.declaration_provider = Some(DeclarationCapability::Simple(true))),
    Method::computed("textDocument/references", |it| {
        made(it, navigation::references)
    })
    .offered(|_, server| server.references_provider = Some(OneOf::Left(true))),
    Method::computed("textDocument/documentHighlight", |it| {
        made(it, navigation::highlights)
    })
    .offered(|_, server| server.document_highlight_provider = Some(OneOf::Left(true))),
    Method::computed("textDocument/linkedEditingRange", |it| {
        made(it, navigation::linked)
    })
    .offered(|_, server| {
        let linked = LinkedEditingRangeServerCapabilities::Simple(true);
        server.linked_editing_range_provider = Some(linked);
    }),
    Method::computed("textDocument/prepareCallHierarchy", |it| {
        made(it, module_calls::prepare)
    })
    .offered(|_, server| {
        let calls = CallHierarchyServerCapability::Simple(true);
        server.call_hierarchy_provider = Some(calls);
    }),
    Method::computed("callHierarchy/incomingCalls", |it| {
        made(it, module_calls::incoming)
    }),
    Method::computed("callHierarchy/outgoingCalls", |it| {
        made(it, module_calls::outgoing)
    }),
    Method::computed("textDocument/documentSymbol", |it| {
        made(it, symbols::of_document)
    })
    .offered(|_, server| server.document_symbol_provider = Some(OneOf::Left(true))),
    Method::computed("workspace/symbol", |it| made(it, symbols::of_workspace))
        .offered(|_, server| server.workspace_symbol_provider = Some(OneOf::Left(true))),
    Method::planned("textDocument/prepareRename", State::prepare_rename),
    Method::planned("textDocument/rename", State::rename)
        .offered(|client, server| server.rename_provider = Some(rename::options(client))),
    Method::computed("textDocument/foldingRange", |it| made(it, structure::folds)).offered(
        |_, server| {
            let folds = FoldingRangeProviderCapability::Simple(true);
            server.folding_range_provider = Some(folds);
        },
    ),
    Method::computed("textDocument/selectionRange", |it| {
        made(it, structure::selections)
    })
    .offered(|_, server| {
        let selections = SelectionRangeProviderCapability::Simple(true);
        server.selection_range_provider = Some(selections);
    }),
    Method::computed("textDocument/documentLink", |it| made(it, structure::links)).offered(
        |_, server| {
            server.document_link_provider = Some(DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: Default::default(),
            });
        },
    ),
    Method::computed("textDocument/semanticTokens/full", |it| {
        made(it, semantic_tokens::full)
    })
    .offered(|_, server| {
        server.semantic_tokens_provider = Some(semantic_tokens::options().into());
    }),
    Method::computed("textDocument/semanticTokens/full/delta", |it| {
        made(it, semantic_tokens::delta)
    }),
    Method::computed("textDocument/semanticTokens/range", |it| {
        made(it, semantic_tokens::range)
    }),
    Method::computed("workspace/textDocumentContent", |it| {
        made(it, plan_view::content)
    })
    .noted(State::plan_document_is_read),
    Method::computed("planlens/callers", |it| made(it, callers::list)),
    Method::computed("planlens/environments", |it| made(it, environments::list)),
    Method::computed("planlens/plan", |it| made(it, plan_view::plans)),
    Method::computed("textDocument/formatting", |it| {
        made(it, formatting::document)
    })
    .offered(|_, server| server.document_formatting_provider = Some(OneOf::Left(true))),
    Method::computed("textDocument/rangeFormatting", |it| {
        made(it, formatting::range)
    })
    .offered(|_, server| server.document_range_formatting_provider = Some(OneOf::Left(true))),
    Method::computed("textDocument/onTypeFormatting", |it| {
        made(it, formatting::on_type)
    })
    .offered(|_, server| {
        let on_type = formatting::on_type_options();
        server.document_on_type_formatting_provider = Some(on_type);
    }),
    // Editors ask for the part that they show.
    Method::computed("textDocument/inlayHint", |it| made(it, inlay_hints::answer))
        .noted(State::shows)
        .held(WaitRule::for_all(awaits_hints))
        .offered(|_, server| server.inlay_hint_provider = Some(OneOf::Left(true))),
    Method::computed("textDocument/diagnostic", |it| made(it, pull::of_document))
        .held(WaitRule::for_all(State::awaits_checks_of))
        .offered(|client, server| {
            server.diagnostic_provider = client.pulls_diagnostics.then(pull::options);
        }),
    Method::computed("workspace/diagnostic", |it| made(it, pull::of_workspace)),
    Method::computed("textDocument/codeAction", |it| {
        made(it, code_actions::answer)
    })
    .held(WaitRule::at_place(awaits_plan))
    .offered(|_, server| server.code_action_provider = Some(code_actions::options().into())),
    Method::new(
        "codeAction/resolve",
        Handler::Planned {
            is_for_planner: code_actions::is_refactoring,
            answer: State::resolve_refactoring,
            otherwise: |it| made(it, code_actions::resolve),
        },
    ),
    Method::computed("textDocument/codeLens", |it| made(it, code_lenses::answer))
        .held(WaitRule::for_all(awaits_plan))
        .offered(|_, server| {
            server.code_lens_provider = Some(CodeLensOptions {
                resolve_provider: Some(false),
            });
        }),
];

/// Reads `params`, and makes the answer of `answer` from them.
fn made<P, R>(params: Value, answer: fn(&RequestContext, P) -> R) -> Compute
where
    P: DeserializeOwned + 'static,
    R: Serialize + 'static,
{
    Box::new(move |context| {
        let params = serde_json::from_value(params)
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        to_value(answer(context, params))
    })
}

/// All that we offer to a client.
pub(crate) fn server_capabilities(client: &ClientCapabilities) -> ServerCapabilities {
    let mut server = ServerCapabilities {
        position_encoding: Some(match client.encoding {
            PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
            PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
            PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                // The text that comes with a save shows whether the edits arrived whole.
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(true),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        ..ServerCapabilities::default()
    };
    for offer in METHODS.iter().filter_map(|method| method.offer) {
        offer(client, &mut server);
    }
    server
}
