//! Turns each message into one event, and each request's reply into its answer.
//!
//! The transport polls its handlers concurrently, so the order of messages is kept only up to the point where a
//! handler first waits. Each handler therefore sends its event before anything else; a notification is nothing
//! but that, and a request then waits for its reply.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, Sink, Stream, future, stream};
use serde_json::Value;
use tokio::sync::mpsc;
use tower_lsp_server::Loopback;
use tower_lsp_server::jsonrpc::{Error, Request, Response};

use crate::client::UnreadMessages;
use crate::event::{Event, Events, Reply};
use crate::transport::DecodedCount;

/// The client's messages, on their way into the main loop.
pub(crate) struct FromClient {
    pub(crate) events: Events,
    pub(crate) taken: DecodedCount,
}

impl tower::Service<Request> for FromClient {
    type Response = Option<Response>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Option<Response>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        self.taken.one();
        let (method, id, params) = request.into_parts();
        let method = method.into_owned();
        let params = params.unwrap_or(Value::Null);
        match id {
            None => {
                self.events.send(Event::Notification { method, params });
                future::ready(Ok(None)).boxed()
            }
            // An answer with neither a result nor an error decodes as a request without a method.
            Some(id) if method.is_empty() => {
                self.events.send(Event::Answer {
                    id,
                    answer: Err(Error::invalid_request()),
                });
                future::ready(Ok(None)).boxed()
            }
            Some(id) => {
                let (reply, answer) = Reply::new();
                self.events.send(Event::Request {
                    id: id.clone(),
                    method,
                    params,
                    reply,
                });
                async move {
                    let answer = answer
                        .await
                        .unwrap_or_else(|_| Err(Error::request_cancelled()));
                    Ok(Some(Response::from_parts(id, answer)))
                }
                .boxed()
            }
        }
    }
}

/// Our messages to the client, and its answers.
pub(crate) struct ToClient {
    pub(crate) outgoing: mpsc::UnboundedReceiver<Request>,
    pub(crate) unread: UnreadMessages,
    pub(crate) events: Events,
    pub(crate) taken: DecodedCount,
}

impl Loopback for ToClient {
    type RequestStream = Pin<Box<dyn Stream<Item = Request> + Send>>;
    type ResponseSink = ClientAnswers;

    fn split(self) -> (Self::RequestStream, ClientAnswers) {
        let ToClient {
            mut outgoing,
            unread,
            events,
            taken,
        } = self;
        let answers = ClientAnswers(events.clone(), taken);
        let requests = stream::poll_fn(move |context| {
            let request = outgoing.poll_recv(context);
            if matches!(request, Poll::Ready(Some(_))) && unread.one_is_read() {
                events.send(Event::CaughtUp);
            }
            request
        });
        (Box::pin(requests), answers)
    }
}

/// Sends the client's answers into the main loop.
pub(crate) struct ClientAnswers(Events, DecodedCount);

impl Sink<Response> for ClientAnswers {
    type Error = Infallible;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, response: Response) -> Result<(), Infallible> {
        self.1.one();
        let (id, answer) = response.into_parts();
        self.0.send(Event::Answer { id, answer });
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
}
