//! Windows: a program and its children are in a job, which ends them. All jobs lie within one that planlens
//! itself is in: the system ends that when planlens ends, however it does.

#![allow(unsafe_code)]

use std::fs::Metadata;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::ptr;
use std::sync::{Arc, OnceLock};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    CREATE_NO_WINDOW, GetCurrentProcess, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
    PROCESS_VM_READ,
};

use crate::registry::Watched;

/// The handle by which a program and its children are ended.
pub(crate) type Leader = Arc<Job>;

/// Processes that end together, at the latest when nobody holds the job any more.
#[derive(Debug)]
pub(crate) struct Job(OwnedHandle);

impl PartialEq for Job {
    fn eq(&self, other: &Job) -> bool {
        self.0.as_raw_handle() == other.0.as_raw_handle()
    }
}

impl Eq for Job {}

impl Job {
    fn new() -> io::Result<Job> {
        // SAFETY: a job without a name and with the usual rights; the returned handle is ours.
        let job = unsafe {
            let handle = CreateJobObjectW(ptr::null(), ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            Job(OwnedHandle::from_raw_handle(handle))
        };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: the structure is of the kind and the length that is said.
        let is_set = unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(&limits).cast(),
                size_of_val(&limits) as u32,
            )
        };
        succeeded(is_set).map(|()| job)
    }

    fn add(&self, process: RawHandle) -> io::Result<()> {
        // SAFETY: both are open.
        succeeded(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process) })
    }

    fn end(&self) {
        // SAFETY: it is open. One that is empty is no error.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}

fn succeeded(answer: i32) -> io::Result<()> {
    match answer {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Has a command start without a window.
pub(crate) fn prepare(command: &mut Command, _: bool, _: Option<WatcherMessage>) {
    command.creation_flags(CREATE_NO_WINDOW);
}

/// Puts a program that has just started into a job of its own.
pub(crate) fn leader(child: &Child) -> Option<Leader> {
    let job = Job::new().and_then(|job| job.add(child.as_raw_handle()).map(|()| job));
    job.inspect_err(|error| tracing::debug!(%error, "program has no job"))
        .ok()
        .map(Arc::new)
}

/// The id of a process is not given to another one while its handle is open.
pub(crate) fn wait_without_reaping(child: &Child) {
    use windows_sys::Win32::System::Threading::{INFINITE, WaitForSingleObject};
    // SAFETY: the child holds the handle.
    unsafe { WaitForSingleObject(child.as_raw_handle(), INFINITE) };
}

/// No signal asks a process without a window to end.
pub(crate) fn terminate(leader: &Leader) {
    leader.end();
}

pub(crate) fn kill(leader: &Leader) {
    leader.end();
}

pub fn interrupt(_: u32) {}

/// From the first program on: puts this process into the job in which all programs are.
pub(crate) fn handle_signals() {
    static OURS: OnceLock<Option<Job>> = OnceLock::new();
    OURS.get_or_init(|| {
        let job = Job::new().and_then(|job| {
            // SAFETY: a handle of this process that needs no closing.
            job.add(unsafe { GetCurrentProcess() }).map(|()| job)
        });
        job.inspect_err(|error| tracing::warn!(%error, "programs may outlive planlens"))
            .ok()
    });
}

/// The system ends this process at once.
pub fn stay_if_interrupted() {}

/// The system sets no such limit.
pub fn address_space() -> Option<u64> {
    None
}

pub(crate) fn open_files() -> Option<u64> {
    None
}

/// Whether a file is a program is said by its name.
pub fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file()
}

/// The memory that a process has of its own and shares, in bytes.
pub fn memory(process: u32) -> Option<u64> {
    let rights = PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_VM_READ;
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let length = size_of_val(&counters) as u32;
    // SAFETY: the opened handle is ours to close, and the structure has the given length.
    unsafe {
        let handle = OpenProcess(rights, 0, process);
        if handle.is_null() {
            return None;
        }
        let handle = OwnedHandle::from_raw_handle(handle);
        succeeded(K32GetProcessMemoryInfo(
            handle.as_raw_handle(),
            &mut counters,
            length,
        ))
        .ok()?;
    }
    Some(counters.WorkingSetSize as u64)
}

/// Plugins listen on a port, and need no folder.
#[derive(Debug)]
pub enum PrivateDir {}

impl PrivateDir {
    pub fn path(&self) -> &Path {
        match *self {}
    }

    pub(crate) fn id(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn remove(&self) {
        match *self {}
    }
}

pub fn sweep(_: &Path) {}

/// The first argument of the process that ends programs after planlens, where the system does not.
pub const WATCH_ARGUMENT: &str = "--watch-programs";

pub fn watch() {}

pub fn watch_with_this_program() {}

pub(crate) fn is_watcher_wanted() -> bool {
    false
}

/// A message of a program to the watcher.
pub(crate) enum WatcherMessage {}

/// None is needed.
pub(crate) enum Watcher {}

impl Watcher {
    pub fn start() -> io::Result<Watcher> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn notify(&mut self, _: u64, _: &Watched) -> io::Result<()> {
        match *self {}
    }

    pub fn forget(&mut self, _: u64) -> io::Result<()> {
        match *self {}
    }

    pub fn word(&self, _: u64, _: Option<PathBuf>) -> Option<WatcherMessage> {
        match *self {}
    }
}
