//! Starts the server on two streams and runs it to its end.

use std::time::Duration;

use anyhow::Context;
use ide::LogLevel;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp_server::Server;
use tracing_subscriber::filter::{LevelFilter, Targets};

use crate::client::{Client, UnreadMessages};
use crate::event::Events;
use crate::front::{FromClient, ToClient};
use crate::options::Options;
use crate::state::State;
use crate::transport::DecodedCount;
use crate::{main_loop, stdio, transport};

/// Requests that may wait at the same time. Beyond it the transport would stop reading, so that edits would wait
/// for requests; the number is out of reach, and costs nothing before it is used.
const CONCURRENCY: usize = 1 << 16;

/// Deeply nested input is parsed recursively.
const STACK_SIZE: usize = 16 << 20;

/// Bytes of messages between the reader and the transport.
const INPUT_BUFFER: usize = 1 << 16;

/// How long the last messages may take, for a client that no longer reads.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Serves the client at the other end of stdin and stdout, until it leaves.
pub fn serve(options: Options) -> anyhow::Result<()> {
    // The message of a panic may quote a document or a value.
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "panic");
    }));
    // Whatever takes long has a thread of its own, and what passes between two threads wakes one of them, which costs more
    // than most of what is done with a message.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_stack_size(STACK_SIZE)
        .build()
        .context("starting the server")?;
    let options = Options {
        leaving: process::begin_to_end,
        ..options
    };
    let input = stdio::input(runtime.handle()).context("reading the input")?;
    let (output, written) = stdio::output(runtime.handle()).context("writing the output")?;
    let served = runtime.block_on(async {
        let served = serve_on(input, output, options).await;
        let _ = tokio::time::timeout(LAST_WORDS, written).await;
        // Plugins are ended by tasks of this runtime.
        let _ = tokio::task::spawn_blocking(process::end_all).await;
        served
    });
    runtime.shutdown_background();
    served
}

/// Serves the client that writes `input` and reads `output`, until it leaves.
pub async fn serve_on(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + 'static,
    options: Options,
) -> anyhow::Result<()> {
    let (events, receiver) = Events::new();
    let (outgoing, outgoing_receiver) = mpsc::unbounded_channel();
    let (messages, messages_out) = tokio::io::duplex(INPUT_BUFFER);

    let (taken, unread) = (DecodedCount::default(), UnreadMessages::default());
    let read = transport::copy_messages(input, messages, taken.clone(), events.clone());
    let reader = tokio::spawn(read);
    let front = FromClient {
        events: events.clone(),
        taken: taken.clone(),
    };
    let back = ToClient {
        outgoing: outgoing_receiver,
        unread: unread.clone(),
        events: events.clone(),
        taken,
    };
    let mut transport = tokio::spawn(async move {
        let output = std::pin::pin!(output);
        Server::new(messages_out, output, back)
            .concurrency_level(CONCURRENCY)
            .serve(front)
            .await
    });

    let client = Client::new(outgoing, unread);
    let was_shut_down = main_loop::run(State::new(events, client, options), receiver).await;
    // The state is gone, and with it the source of all replies and messages: the transport writes those that are
    // left and ends.
    let ended = tokio::time::timeout(LAST_WORDS, &mut transport).await;
    reader.abort();
    match ended {
        Ok(ended) => ended.context("writing the last messages")?,
        Err(_) => transport.abort(),
    }
    anyhow::ensure!(was_shut_down, "the client left without a shutdown request");
    Ok(())
}

/// The filter of a log for `level`. It keeps the transport quiet, which would log whole messages.
pub fn log_filter(level: LogLevel) -> Targets {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let quiet = ["tower_lsp_server", "h2", "hyper", "tower"];
    Targets::new()
        .with_default(level)
        .with_targets(quiet.map(|it| (it, LevelFilter::OFF)))
}
