//! What an editor and the server say to each other, kept and compared with the protocol.

use std::ffi::OsStr;
use std::fs;
use std::io::BufReader;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fixture::protocol::Protocol;

use super::client::{SECRET, read};

/// A folder with a `planlens` that keeps both sides of its conversations beside it, and what it logs. It is the server itself, so that an
/// editor may kill it.
pub fn recording(folder: &Path) -> PathBuf {
    let bin = folder.join("recorded");
    fs::create_dir_all(&bin).unwrap();
    let script = format!(
        "#!/usr/bin/env bash\n[ \"$1\" = lsp ] || exec {planlens:?} \"$@\"\n\
         exec {planlens:?} \"$@\" < <(tee {bin:?}/$$.in) > >(tee {bin:?}/$$.out) 2> >(tee {bin:?}/$$.log >&2)\n",
        planlens = env!("CARGO_BIN_EXE_planlens"),
    );
    let program = bin.join("planlens");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    bin
}

/// Panics where the server said something that the protocol doesn't allow, or logged a secret. Answers how many messages it
/// sent.
pub fn check_recorded(bin: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(bin).unwrap() {
        let sent = entry.unwrap().path();
        if sent.extension() == Some(OsStr::new("log")) {
            let log = fs::read_to_string(&sent).unwrap();
            assert!(!log.contains(SECRET), "a secret was logged: {log}");
        }
        if sent.extension() != Some(OsStr::new("in")) {
            continue;
        }
        let messages = |path: &Path| {
            let mut file = BufReader::new(fs::File::open(path).unwrap());
            std::iter::from_fn(move || Some(read(&mut file)?.1))
        };
        let mut protocol = Protocol::default();
        messages(&sent).for_each(|message| protocol.sent(&message));
        for message in messages(&sent.with_extension("out")) {
            protocol.received(&message);
            count += 1;
        }
    }
    count
}
