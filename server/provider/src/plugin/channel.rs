//! A gRPC channel to a plugin over its Unix socket.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;

/// Where a plugin listens.
#[derive(Debug, Clone)]
pub(crate) enum Socket {
    /// Named by the user.
    Named(PathBuf),
    /// Named by the plugin; it has to lie in this folder.
    In(PathBuf, PathBuf),
}

impl Socket {
    pub fn path(&self) -> &Path {
        match self {
            Socket::Named(path) | Socket::In(path, _) => path,
        }
    }

    /// Whether a plugin names the socket of somebody else, links followed. One that does not exist is nobody's.
    pub fn is_elsewhere(&self) -> bool {
        self.resolved()
            .is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    }

    fn resolved(&self) -> io::Result<PathBuf> {
        let Socket::In(path, dir) = self else {
            return Ok(self.path().to_owned());
        };
        let path = fs::canonicalize(path)?;
        match path.parent() == Some(&fs::canonicalize(dir)?) {
            true => Ok(path),
            false => Err(ErrorKind::PermissionDenied.into()),
        }
    }
}

pub(crate) async fn connect(socket: Socket) -> Result<Channel, String> {
    // The name stands in a header that nobody reads.
    Endpoint::from_static("http://localhost")
        .connect_with_connector(service_fn(move |_| {
            // Asked again at each connection: the plugin may have put a link there since.
            let socket = socket.resolved();
            async move { UnixStream::connect(socket?).await.map(TokioIo::new) }
        }))
        .await
        .map_err(|error| format!("its socket does not answer: {error}"))
}
