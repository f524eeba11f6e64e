//! Calls over gRPC to plugins on this machine. Messages pass as bytes: what was sent is also a cache's key.

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use prost::Message;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};

/// Schemas of large providers are over gRPC's usual 4 MiB. Servers of Terraform's plugins stop at 256 MiB, those of Pulumi's at
/// 400 MiB.
const MESSAGE_LIMIT: usize = 400 << 20;

/// Dropping the future cancels the call at gRPC level.
pub async fn unary(channel: Channel, path: &'static str, request: Bytes) -> Result<Bytes, Status> {
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

pub async fn server_streaming<M: Message>(
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
