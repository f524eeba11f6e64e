//! A gRPC channel to a plugin.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use grpc::Channel;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

#[cfg(unix)]
pub(crate) const SOCKET: &str = "socket";
pub(crate) const PORT: &str = "port";

/// Where a plugin listens, as it or the user says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// A Unix socket.
    Socket(PathBuf),
    /// On this machine.
    Port(SocketAddr),
}

impl Address {
    pub fn parse(network: &str, address: &str) -> Result<Address, String> {
        let here = || {
            let address: SocketAddr = address.parse().ok()?;
            address.ip().is_loopback().then_some(address)
        };
        match network {
            "unix" => Ok(Address::Socket(PathBuf::from(address))),
            "tcp" => here().map(Address::Port).ok_or_else(|| {
                format!("{address} is not an address and port of this machine, like 127.0.0.1:1234")
            }),
            _ => Err(format!(
                "it listens neither on a Unix socket nor on TCP, but on {network:?}"
            )),
        }
    }
}

/// Speaks through a connection to a socket or a port.
pub(crate) async fn connect<S>(
    what: &'static str,
    connected: impl Future<Output = io::Result<S>>,
) -> Result<Channel, String>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let connected = async { Channel::new(connected.await?).await };
    connected
        .await
        .map_err(|error| format!("its {what} does not answer: {error}"))
}

/// Connects to a plugin that somebody else started.
pub(crate) async fn attach(address: Address) -> Result<Channel, String> {
    match address {
        Address::Port(address) => connect(PORT, port(address)).await,
        #[cfg(unix)]
        Address::Socket(path) => connect(SOCKET, tokio::net::UnixStream::connect(path)).await,
        #[cfg(not(unix))]
        Address::Socket(path) => Err(format!("{} is a Unix socket", path.display())),
    }
}

pub(crate) async fn port(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
