//! The operating system's calls on processes that `std` doesn't have.

#![allow(unsafe_code)]

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Starts a process that leads a group of its own and doesn't outlive this one.
///
/// Linux ties a child to the *thread* that started it, and threads of a runtime come and go, so all children are
/// started by one thread that stays.
pub(crate) async fn spawn(mut command: Command) -> io::Result<Child> {
    command.process_group(0).kill_on_drop(true);
    #[cfg(target_os = "linux")]
    end_with_parent(&mut command);
    let runtime = Handle::current();
    let (answer, child) = oneshot::channel();
    let job = move || {
        let _runtime = runtime.enter();
        let _ = answer.send(command.spawn());
    };
    starter()?
        .send(Box::new(job))
        .map_err(|_| io::ErrorKind::BrokenPipe)?;
    child.await.map_err(|_| io::ErrorKind::BrokenPipe)?
}

type Job = Box<dyn FnOnce() + Send>;

fn starter() -> io::Result<Sender<Job>> {
    static STARTER: OnceLock<Sender<Job>> = OnceLock::new();
    if let Some(starter) = STARTER.get() {
        return Ok(starter.clone());
    }
    let (sender, jobs) = channel::<Job>();
    thread::Builder::new()
        .name("plugin starter".to_owned())
        .spawn(move || {
            for job in jobs {
                job();
            }
        })?;
    Ok(STARTER.get_or_init(|| sender).clone())
}

#[cfg(target_os = "linux")]
fn end_with_parent(command: &mut Command) {
    let parent = std::process::id();
    let before_exec = move || {
        // SAFETY: prctl and getppid only make system calls, which is all that may happen between fork and exec.
        let (result, parent_now) = unsafe {
            (
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL),
                libc::getppid(),
            )
        };
        match result {
            0 if parent_now as u32 == parent => Ok(()),
            // The parent ended before the signal was set.
            0 => Err(io::ErrorKind::BrokenPipe.into()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(before_exec) };
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Signal {
    Terminate,
    Kill,
}

/// A process and its children, by its id. Killed on drop.
pub(crate) struct Group(Option<i32>);

impl Group {
    /// `leader` was started by [`spawn`], so that it leads a group.
    pub fn new(leader: &Child) -> Group {
        Group(leader.id().and_then(|id| id.try_into().ok()))
    }

    /// A group that is gone is no error.
    pub fn signal(&self, signal: Signal) {
        let signal = match signal {
            Signal::Terminate => libc::SIGTERM,
            Signal::Kill => libc::SIGKILL,
        };
        if let Some(leader) = self.0 {
            // SAFETY: a system call on plain numbers.
            unsafe { libc::killpg(leader, signal) };
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::Kill);
    }
}

/// The memory that a process has of its own and shares, in bytes. None where the system doesn't tell it this way: proc(5).
pub(crate) fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

pub(crate) fn is_alive(process: i32) -> bool {
    // SAFETY: signal 0 is never delivered; it only asks.
    let result = unsafe { libc::kill(process, 0) };
    result == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}
