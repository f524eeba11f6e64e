//! A gRPC channel to a plugin over its Unix socket. Messages pass as bytes: what was sent is also the cache's key.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use hyper_util::rt::TokioIo;
use prost::Message;
use tokio::net::UnixStream;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};
use tower::service_fn;

/// Schemas of large providers are over gRPC's usual 4 MiB. Plugin servers themselves stop at 256 MiB.
const MESSAGE_LIMIT: usize = 256 << 20;

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

/// Dropping the future cancels the call at gRPC level.
pub(crate) async fn unary(
    channel: Channel,
    path: &'static str,
    request: Bytes,
) -> Result<Bytes, Status> {
    let mut grpc = Grpc::new(channel)
        .max_decoding_message_size(MESSAGE_LIMIT)
        .max_encoding_message_size(MESSAGE_LIMIT);
    ready(&mut grpc).await?;
    let path = PathAndQuery::from_static(path);
    Ok(grpc
        .unary(Request::new(request), path, BytesCodec)
        .await?
        .into_inner())
}

pub(crate) async fn server_streaming<M: Message>(
    channel: Channel,
    path: &'static str,
    request: M,
) -> Result<Streaming<Bytes>, Status> {
    let mut grpc = Grpc::new(channel);
    ready(&mut grpc).await?;
    let path = PathAndQuery::from_static(path);
    let request = Request::new(Bytes::from(request.encode_to_vec()));
    Ok(grpc
        .server_streaming(request, path, BytesCodec)
        .await?
        .into_inner())
}

async fn ready(grpc: &mut Grpc<Channel>) -> Result<(), Status> {
    grpc.ready()
        .await
        .map_err(|error| Status::unavailable(error.to_string()))
}

#[derive(Default)]
struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = BytesCodec;
    type Decoder = BytesCodec;

    fn encoder(&mut self) -> BytesCodec {
        BytesCodec
    }

    fn decoder(&mut self) -> BytesCodec {
        BytesCodec
    }
}

impl Encoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
