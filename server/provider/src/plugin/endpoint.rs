//! Where planlens and a plugin that it starts meet: on a Unix socket in a folder of their own.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use ::process::PrivateDir;
use grpc::Channel;
use tokio::net::UnixStream;

use super::channel::{self, Address};
use super::handshake::Handshake;
use super::old_socket;
use super::process::Refusal;
use crate::find::Environment;

/// The longest name that go-plugin gives to a socket.
const SOCKET_NAME: &str = "plugin4294967295";

#[derive(Debug, Clone)]
pub(crate) struct PluginEndpoint {
    sockets: PathBuf,
    temporary: Temporary,
}

/// Where a plugin has its temporary files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Temporary {
    OfUser,
    /// In the folder of its socket.
    Sockets,
}

impl PluginEndpoint {
    /// Makes the folder for the socket, too.
    pub fn prepare(
        environment: &Environment,
    ) -> Result<(PluginEndpoint, Option<PrivateDir>), String> {
        prepare(environment, Temporary::OfUser)
    }

    /// For libraries of before 2023, which know no folder for sockets but the one for all temporary files. `socket` is the one that
    /// the plugin left there, which was started after `begin`.
    pub fn prepare_again(
        environment: &Environment,
        socket: &Path,
        begin: SystemTime,
    ) -> Result<(PluginEndpoint, Option<PrivateDir>), String> {
        old_socket::remove(socket, environment.temporary_dir()?, begin);
        prepare(environment, Temporary::Sockets)
    }

    /// Tells the plugin where.
    pub fn announce(&self, command: &mut Command) {
        command
            .env_remove("PLUGIN_CLIENT_CERT")
            .env("PLUGIN_UNIX_SOCKET_DIR", &self.sockets);
        if self.temporary == Temporary::Sockets {
            command.env("TMPDIR", &self.sockets);
        }
    }

    pub async fn connect(self, handshake: &Handshake) -> Result<Channel, Refusal> {
        let Address::Socket(path) = &handshake.address else {
            return Err("it does not listen on a Unix socket".to_owned().into());
        };
        let socket = Socket {
            path: self.sockets.join(path),
            dir: self.sockets,
        };
        if socket.is_elsewhere() {
            return Err(Refusal::ListensElsewhere(socket.path));
        }
        // Resolved again: the plugin may have put a link there since.
        let connected = async { UnixStream::connect(socket.resolved()?).await };
        Ok(channel::connect(channel::SOCKET, connected).await?)
    }
}

fn prepare(
    environment: &Environment,
    temporary: Temporary,
) -> Result<(PluginEndpoint, Option<PrivateDir>), String> {
    let parent = environment.temporary_dir()?;
    let dir = PrivateDir::for_socket(parent, SOCKET_NAME.len())?;
    let sockets = dir.path().to_owned();
    Ok((PluginEndpoint { sockets, temporary }, Some(dir)))
}

/// Named by the plugin; it has to lie in the folder.
struct Socket {
    path: PathBuf,
    dir: PathBuf,
}

impl Socket {
    /// Whether a plugin names the socket of somebody else, links followed. One that does not exist is nobody's.
    fn is_elsewhere(&self) -> bool {
        self.resolved()
            .is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    }

    fn resolved(&self) -> io::Result<PathBuf> {
        let path = fs::canonicalize(&self.path)?;
        match path.parent() == Some(&fs::canonicalize(&self.dir)?) {
            true => Ok(path),
            false => Err(ErrorKind::PermissionDenied.into()),
        }
    }
}
