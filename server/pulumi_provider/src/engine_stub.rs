//! An engine for plugins to report to: it answers everything with nothing.
//!
//! Plugins on Pulumi's Go library end themselves when their engine does not answer for five minutes. What they log may quote
//! values, so it is dropped.

use std::io;
use std::net::Ipv4Addr;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response};
use tokio::net::{TcpListener, TcpStream};

/// Its address, which plugins get. It serves until the runtime ends.
pub(crate) async fn start() -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?.to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    Ok(address)
}

/// A message without fields: not compressed, of no length.
const EMPTY: &[u8] = &[0, 0, 0, 0, 0];
/// Of the health service: serving.
const SERVING: &[u8] = &[0, 0, 0, 0, 2, 8, 1];

async fn serve(stream: TcpStream) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let message = match request.uri().path() {
            "/grpc.health.v1.Health/Check" => SERVING,
            _ => EMPTY,
        };
        let mut response = Response::new(());
        let grpc = HeaderValue::from_static("application/grpc");
        response
            .headers_mut()
            .insert(http::header::CONTENT_TYPE, grpc);
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        if let Ok(mut body) = respond.send_response(response, false) {
            let _ = body.send_data(Bytes::from_static(message), false);
            let _ = body.send_trailers(trailers);
        }
    }
}
