//! Calls of a server in this process, which answers as some path says.

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, server};
use http::{HeaderMap, HeaderValue, Response};
use tokio::io::{DuplexStream, duplex};

use crate::{Channel, Code, Status, unary};

async fn channel() -> Channel {
    let (ours, theirs) = duplex(1 << 16);
    tokio::spawn(serve(theirs));
    Channel::new(ours).await.unwrap()
}

async fn serve(stream: DuplexStream) {
    let mut connection = server::handshake(stream).await.unwrap();
    while let Some(Ok((request, respond))) = connection.accept().await {
        answer(request.uri().path(), respond);
    }
}

fn answer(path: &str, mut respond: SendResponse<Bytes>) {
    let message = |text: &[u8]| {
        let length = u32::try_from(text.len()).unwrap().to_be_bytes();
        [&[0][..], &length, text].concat()
    };
    let body: Vec<Vec<u8>> = match path {
        "/one" => vec![message(b"one")],
        "/in-parts" => message(b"parts").chunks(2).map(<[u8]>::to_vec).collect(),
        "/large" => vec![message(&vec![7; 20 << 20])],
        "/two" => vec![message(b"one"), message(b"two")],
        "/half" => vec![message(b"half")[..7].to_vec()],
        "/compressed" => vec![vec![1, 0, 0, 0, 0]],
        "/too-long" => vec![vec![0, 255, 255, 255, 255]],
        "/reset" => return respond.send_reset(Reason::INTERNAL_ERROR),
        "/http" => {
            let response = Response::builder().status(404).body(()).unwrap();
            respond.send_response(response, true).unwrap();
            return;
        }
        "/refused" => {
            let response = Response::builder()
                .header("grpc-status", "3")
                .header("grpc-message", "50%25 is not%0Aa number");
            respond
                .send_response(response.body(()).unwrap(), true)
                .unwrap();
            return;
        }
        _ => Vec::new(),
    };
    let mut stream = respond.send_response(Response::new(()), false).unwrap();
    for part in body {
        stream.send_data(part.into(), false).unwrap();
    }
    let mut trailers = HeaderMap::new();
    let status = match path {
        "/fails" => "12",
        _ => "0",
    };
    trailers.insert("grpc-status", HeaderValue::from_static(status));
    stream.send_trailers(trailers).unwrap();
}

async fn called(path: &'static str) -> Result<Bytes, Status> {
    unary(channel().await, path, Bytes::from_static(b"request")).await
}

async fn refused(path: &'static str) -> (Code, String, bool) {
    let status = called(path).await.unwrap_err();
    let message = status.message().to_owned();
    (status.code(), message, status.is_disconnected())
}

#[tokio::test]
async fn messages_arrive_however_they_are_cut() {
    assert_eq!(called("/one").await.unwrap(), "one");
    assert_eq!(called("/in-parts").await.unwrap(), "parts");
    assert_eq!(called("/large").await.unwrap().len(), 20 << 20);
}

#[tokio::test]
async fn a_call_fails_as_the_server_says() {
    assert_eq!(
        refused("/fails").await,
        (Code::UNIMPLEMENTED, String::new(), false)
    );
    let message = "50% is not\na number".to_owned();
    assert_eq!(
        refused("/refused").await,
        (Code::INVALID_ARGUMENT, message, false)
    );
    let message = "HTTP status 404 Not Found".to_owned();
    assert_eq!(refused("/http").await, (Code::UNKNOWN, message, false));
}

#[tokio::test]
async fn an_answer_that_is_not_one_message_is_refused() {
    for path in ["/none", "/two", "/half", "/compressed"] {
        assert_eq!(refused(path).await.0, Code::INTERNAL, "{path}");
    }
    assert_eq!(refused("/too-long").await.0, Code::OUT_OF_RANGE);
}

#[tokio::test]
async fn a_call_that_breaks_off_is_told_from_an_answer() {
    let (code, _, is_disconnected) = refused("/reset").await;
    assert_eq!((code, is_disconnected), (Code::UNAVAILABLE, true));
    let (ours, theirs) = duplex(1 << 16);
    let channel = Channel::new(ours).await.unwrap();
    drop(theirs);
    let status = unary(channel, "/one", Bytes::new()).await.unwrap_err();
    assert!(status.is_disconnected());
}
