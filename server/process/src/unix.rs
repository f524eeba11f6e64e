//! Unix: differences between systems, and the system calls without a safe wrapper.

#![allow(unsafe_code)]

use std::fs::Metadata;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};

use rustix::process::{Pid, Resource, WaitId, WaitIdOptions, getpid, getrlimit, setsid, waitid};

pub use crate::private_dir::{PrivateDir, sweep};
pub use crate::session::interrupt;
pub(crate) use crate::session::{kill, terminate};
pub(crate) use crate::signals::handle as handle_signals;
pub use crate::signals::stay_if_interrupted;
pub use crate::watcher::{WATCH_ARGUMENT, watch, watch_with_this_program};
pub(crate) use crate::watcher::{Watcher, is_wanted as is_watcher_wanted};

/// The handle by which a program and its children are ended: the leader of its session.
pub(crate) type Leader = Pid;

/// Of a program that was started by [`prepare`].
pub(crate) fn leader(child: &Child) -> Option<Leader> {
    Pid::from_raw(child.id().try_into().ok()?)
}

/// While an ended process is not reaped, no other one gets its id.
pub(crate) fn wait_without_reaping(child: &Child) {
    let Some(process) = leader(child) else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(process), options) {}
}

/// The bytes that this process and those that it starts may address, if they are limited.
pub fn address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// How many files this process may have open, if they are limited.
pub(crate) fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Descriptors above this one are not looked at: whoever started planlens rarely leaves any open.
const DESCRIPTORS: RawFd = 1024;

/// A text for the watcher that a child sends about itself, with room for its process id.
pub(crate) struct WatcherMessage {
    pub pipe: RawFd,
    pub text: Vec<u8>,
    /// Where in the text the digits of the id stand: zeros so far.
    pub digits: std::ops::Range<usize>,
}

/// Has a command start in a session of its own, without descriptors that planlens inherited. It ends with the thread that
/// starts it, on Linux, and says a word before it begins.
pub(crate) fn prepare(
    command: &mut Command,
    ends_with_thread: bool,
    mut word: Option<WatcherMessage>,
) {
    let parent = getpid();
    let before_exec = move || {
        setsid()?;
        if ends_with_thread {
            end_with_thread(parent)?;
        }
        forget_descriptors();
        if let Some(word) = &mut word {
            say(word);
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing, takes no lock, and only makes system calls.
    unsafe { command.pre_exec(before_exec) };
}

#[cfg(target_os = "linux")]
fn end_with_thread(parent: Pid) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    match getppid() == Some(parent) {
        true => Ok(()),
        // The parent ended before the signal was set.
        false => Err(rustix::io::Errno::PIPE.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn end_with_thread(_: Pid) -> io::Result<()> {
    Ok(())
}

/// The executable of this process, also after an upgrade has replaced the file.
#[cfg(target_os = "linux")]
pub(crate) fn this_program() -> io::Result<PathBuf> {
    Ok("/proc/self/exe".into())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// The length of `sun_path`, less a NUL: unix(7), unix(4).
pub(crate) const SOCKET_PATH_LIMIT: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Whether a file is a program that somebody may run.
pub fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// All but the first three are closed by exec.
fn forget_descriptors() {
    for descriptor in 3..DESCRIPTORS {
        // SAFETY: one that is not open is an error that changes nothing.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// Between fork and exec.
fn say(word: &mut WatcherMessage) {
    let mut id = getpid().as_raw_pid();
    for digit in word.text[word.digits.clone()].iter_mut().rev() {
        *digit = b'0' + (id % 10) as u8;
        id /= 10;
    }
    // SAFETY: system calls on a descriptor that the parent keeps open, and on bytes that live here. A watcher that has
    // ended must not end the child by the signal.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        libc::write(word.pipe, word.text.as_ptr().cast(), word.text.len());
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Whether whoever started planlens has it ignore a signal, as nohup(1) does.
pub(crate) fn is_ignored(signal: i32) -> bool {
    // SAFETY: sigaction only writes to `action`, for which zeros are a value.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// All processes.
#[cfg(target_os = "macos")]
pub(crate) fn processes() -> Vec<Pid> {
    /// For those that start between the two calls.
    const MORE: usize = 256;
    // SAFETY: without a buffer the number of processes is answered; with one, no more is written than it holds.
    let ids = unsafe {
        let count = libc::proc_listallpids(std::ptr::null_mut(), 0);
        let mut ids = vec![0_i32; usize::try_from(count).unwrap_or(0) + MORE];
        let bytes = i32::try_from(std::mem::size_of_val(ids.as_slice())).unwrap_or(i32::MAX);
        let count = libc::proc_listallpids(ids.as_mut_ptr().cast(), bytes);
        ids.truncate(usize::try_from(count).unwrap_or(0));
        ids
    };
    ids.into_iter().filter_map(Pid::from_raw).collect()
}

/// All processes: proc(5). Empty where the system doesn't tell it this way.
#[cfg(not(target_os = "macos"))]
pub(crate) fn processes() -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(Pid::from_raw).collect()
}

/// The session that a process is in. None: it has ended, or is the kernel's.
pub(crate) fn session(process: Pid) -> Option<Pid> {
    // SAFETY: a system call on a plain number.
    Pid::from_raw(unsafe { libc::getsid(process.as_raw_pid()) }.max(0))
}

/// The group that a process is in.
pub(crate) fn group(process: Pid) -> Option<Pid> {
    // SAFETY: a system call on a plain number.
    Pid::from_raw(unsafe { libc::getpgid(process.as_raw_pid()) }.max(0))
}

/// The memory that a process has of its own and shares, in bytes.
#[cfg(target_os = "macos")]
pub fn memory(process: u32) -> Option<u64> {
    let process = i32::try_from(process).ok()?;
    let length = size_of::<libc::proc_taskinfo>() as i32;
    // SAFETY: zeros are a value of the structure, into which no more is written than its length.
    unsafe {
        let mut info: libc::proc_taskinfo = std::mem::zeroed();
        let kind = libc::PROC_PIDTASKINFO;
        let written = libc::proc_pidinfo(process, kind, 0, (&raw mut info).cast(), length);
        (written == length).then_some(info.pti_resident_size)
    }
}

/// The memory that a process has of its own and shares, in bytes. None where the system doesn't tell it this way: proc(5).
#[cfg(not(target_os = "macos"))]
pub fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}
