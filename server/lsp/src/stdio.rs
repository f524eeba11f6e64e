//! Standard input and output, each with a thread that only copies: the streams of tokio take a thread of a pool for each
//! read and write, and wake four threads for it.

use std::fs::File;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Bytes between a thread and the server.
const BUFFER: usize = 1 << 16;

/// Copies the standard input, up to its end.
pub(crate) fn input(runtime: &Handle) -> io::Result<DuplexStream> {
    let (mut ours, theirs) = tokio::io::duplex(BUFFER);
    let runtime = runtime.clone();
    let copy = move || {
        let (mut stdin, mut buffer) = (io::stdin().lock(), vec![0; BUFFER]);
        loop {
            match stdin.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) if runtime.block_on(ours.write_all(&buffer[..length])).is_ok() => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) => return,
                Err(error) => return tracing::warn!(%error, "the input failed"),
            }
        }
    };
    spawn("input", copy)?;
    Ok(theirs)
}

/// A stream that is copied to the standard output. The receiver completes when everything is written or the reader is gone.
pub(crate) fn output(runtime: &Handle) -> io::Result<(DuplexStream, oneshot::Receiver<()>)> {
    let (mut ours, theirs) = tokio::io::duplex(BUFFER);
    let (end, ended) = oneshot::channel();
    let runtime = runtime.clone();
    let mut stdout = stdout()?;
    let copy = move || {
        let mut buffer = vec![0; BUFFER];
        while let Ok(length @ 1..) = runtime.block_on(ours.read(&mut buffer)) {
            if stdout.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = end.send(());
    };
    spawn("output", copy)?;
    Ok((theirs, ended))
}

/// The standard output without a buffer for lines, which would write a message in two parts.
fn stdout() -> io::Result<File> {
    let stdout = io::stdout();
    #[cfg(unix)]
    let own = stdout.as_fd().try_clone_to_owned();
    #[cfg(windows)]
    let own = stdout.as_handle().try_clone_to_owned();
    Ok(File::from(own?))
}

fn spawn(name: &str, copy: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(copy).map(drop)
}
