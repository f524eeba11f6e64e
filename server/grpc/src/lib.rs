//! Calls over gRPC to plugins on this machine. Messages pass as bytes: what was sent is also a cache's key.
//!
//! gRPC stands on HTTP/2 (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>), and a call is made on the
//! connection itself. General clients pass it through queues and tasks of theirs first, which reconnect, balance and limit:
//! half of the processor time of a plan went there.

mod answer;
mod status;
#[cfg(test)]
mod tests;

use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use h2::client::{self, SendRequest};
use http::{Method, Request, Uri, Version, header};
use prost::Message;
use tokio::io::{AsyncRead, AsyncWrite};

pub use answer::Answer;
pub use status::{Code, Status};

/// How much a plugin may send before planlens takes it. Schemas are many megabytes, so a small window costs a wait for each.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 5 << 20;

/// A connection to a plugin, shared by its clones.
#[derive(Clone)]
pub struct Channel(SendRequest<Bytes>);

impl Channel {
    /// Speaks through `stream`, until the last clone is dropped or the other end closes it.
    pub async fn new<S>(stream: S) -> io::Result<Channel>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (requests, connection) = client::Builder::new()
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .enable_push(false)
            .handshake(stream)
            .await
            .map_err(io::Error::other)?;
        // Its end is the end of each call.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Channel(requests))
    }

    async fn call(self, path: &'static str, message: Bytes) -> Result<Answer, Status> {
        let mut requests = self.0.ready().await?;
        let (response, mut body) = requests.send_request(request(path), false)?;
        body.send_data(framed(&message), true)?;
        Answer::of(response.await?)
    }
}

/// A call with one answer. Dropping the future cancels the call at gRPC level.
pub async fn unary(channel: Channel, path: &'static str, request: Bytes) -> Result<Bytes, Status> {
    let mut answer = channel.call(path, request).await?;
    let message = answer.message().await?;
    let message = message.ok_or_else(|| Status::new(Code::INTERNAL, "the answer is empty"))?;
    match answer.message().await? {
        None => Ok(message),
        Some(_) => Err(Status::new(Code::INTERNAL, "there are two answers")),
    }
}

/// A call with any number of answers.
pub async fn server_streaming<M: Message>(
    channel: Channel,
    path: &'static str,
    request: M,
) -> Result<Answer, Status> {
    channel.call(path, request.encode_to_vec().into()).await
}

fn request(path: &'static str) -> Request<()> {
    // No one reads the header with the authority.
    let uri = Uri::builder()
        .scheme("http")
        .authority("localhost")
        .path_and_query(path)
        .build();
    let mut request = Request::new(());
    *request.method_mut() = Method::POST;
    *request.version_mut() = Version::HTTP_2;
    *request.uri_mut() = uri.unwrap_or_default();
    let headers = request.headers_mut();
    let grpc = header::HeaderValue::from_static("application/grpc");
    headers.insert(header::CONTENT_TYPE, grpc);
    let trailers = header::HeaderValue::from_static("trailers");
    headers.insert(header::TE, trailers);
    request
}

/// A message as gRPC sends it: not compressed, and its length before it.
fn framed(message: &Bytes) -> Bytes {
    let mut framed = BytesMut::with_capacity(answer::PREFIX + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    framed.freeze()
}
