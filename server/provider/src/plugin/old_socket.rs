//! Plugins whose library is of before 2023: they make their socket among all temporary files, until those have another folder.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Removes the socket that a plugin left in the folder for temporary files when it was killed. One that was there before the
/// plugin, or that somebody listens on, is somebody else's: a plugin can name any.
pub(crate) fn remove(socket: &Path, temporary: &Path, started: SystemTime) {
    if is_left(socket, temporary, started).is_some() {
        let _ = fs::remove_file(socket);
    }
}

fn is_left(socket: &Path, temporary: &Path, started: SystemTime) -> Option<()> {
    let digits = socket.file_name()?.to_str()?.strip_prefix("plugin")?;
    let is_named_like_one = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    let is_there = fs::canonicalize(socket.parent()?).ok()? == fs::canonicalize(temporary).ok()?;
    let metadata = fs::symlink_metadata(socket).ok()?;
    let started = started.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let is_new = metadata.ctime() >= i64::try_from(started).ok()?;
    if !(is_named_like_one && is_there && metadata.file_type().is_socket() && is_new) {
        return None;
    }
    let refused = UnixStream::connect(socket).err()?;
    (refused.kind() == ErrorKind::ConnectionRefused).then_some(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_a_dead_socket_of_the_plugin_itself_is_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path();
        let started = SystemTime::now();
        let path = |name: &str| dir.join(name);
        let dead = |name: &str| drop(UnixListener::bind(path(name)).unwrap());
        let is_left = |name: &str, started| {
            remove(&path(name), dir, started);
            path(name).exists()
        };
        dead("plugin1");
        assert!(!is_left("plugin1", started));
        dead("agent");
        assert!(is_left("agent", started));
        fs::create_dir(path("plugin")).unwrap();
        dead("plugin/plugin2");
        assert!(is_left("plugin/plugin2", started));
        fs::write(path("plugin3"), "").unwrap();
        assert!(is_left("plugin3", started));
        dead("plugin4");
        assert!(is_left("plugin4", started + Duration::from_secs(60)));
        let _listener = UnixListener::bind(path("plugin5")).unwrap();
        assert!(is_left("plugin5", started));
    }
}
