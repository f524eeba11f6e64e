//! The protocol: tools are called one after the other, and plans are resources.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::sync::Mutex;

use crate::answer::{refused, shown};
use crate::input::limited;
use crate::session::{CallArguments, Options, Session};
use crate::tools;

/// The scheme of plan documents, as editors have it: `planlens-plan:///FOLDER`.
const SCHEME: &str = "planlens-plan:///";

/// Bytes of a plan document; `plan` has all of it, page by page.
const LONGEST: usize = 200_000;

/// Serves on stdin and stdout until the client leaves.
pub async fn serve(options: Options) -> anyhow::Result<()> {
    let options = Options {
        folder: options
            .folder
            .canonicalize()
            .with_context(|| format!("finding the folder {}", options.folder.display()))?,
        ..options
    };
    let folder = options.folder.clone();
    let planner = options.planner.clone();
    let server = Server {
        session: Arc::new(Mutex::new(Session::new(options))),
        folder,
    };
    let stdio = (limited(tokio::io::stdin()), tokio::io::stdout());
    let running = server.serve(stdio).await.context("greeting the client")?;
    running.waiting().await.context("serving the client")?;
    planner.restart();
    Ok(())
}

struct Server {
    session: Arc<Mutex<Session>>,
    folder: PathBuf,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("planlens", env!("CARGO_PKG_VERSION")))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = async {
            let mut session = self.session.lock().await;
            tools::call(&mut session, &request.name, request.arguments).await
        };
        // A cancelled call has no answer. The next one plans anew.
        let cancelled = async {
            context.ct.cancelled().await;
            Err(anyhow!("the call was cancelled"))
        };
        let answer = tokio::select! {
            answer = call => answer,
            cancelled = cancelled => cancelled,
        };
        Ok(answer.unwrap_or_else(|error| refused(&error)).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let plan = Resource::new(SCHEME, "plan")
            .with_description("The plan of the workspace, as terraform plan prints it. For another root module, append its folder.")
            .with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![plan]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let unknown = || ErrorData::resource_not_found("there is no such plan", None);
        let folder = request.uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
        let mut session = self.session.lock().await;
        let asked = CallArguments {
            folder: Some(
                self.folder
                    .join(Path::new(folder))
                    .to_string_lossy()
                    .into_owned(),
            ),
            ..CallArguments::default()
        };
        let planned = session.planned(&asked).await.map_err(|_| unknown())?;
        let document = planned.snapshot.plan_document(&planned.dir);
        let mut text = shown(&document.ok_or_else(unknown)?);
        if text.len() > LONGEST {
            let mut end = LONGEST;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text += "\n… (cut: the tool `plan` returns all of it)\n";
        }
        let contents = vec![ResourceContents::text(text, request.uri)];
        Ok(ReadResourceResult::new(contents).into())
    }
}
