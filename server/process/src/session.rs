//! A program and its children, except for those that left its session on purpose: setsid(2).

use std::collections::BTreeSet;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::unix;

/// A program that starts others faster than they are ended is given up on after so many looks.
const LOOKS: usize = 100;

/// Asks all processes of the session that `leader` leads to end. A session that no longer exists is not an error.
pub(crate) fn terminate(leader: &Pid) {
    signal(*leader, Signal::TERM);
}

pub(crate) fn kill(leader: &Pid) {
    signal(*leader, Signal::KILL);
}

fn signal(leader: Pid, signal: Signal) {
    // The leader's group in one step, so that none of it can start another one in between.
    let _ = kill_process_group(leader, signal);
    let mut seen = BTreeSet::new();
    for _ in 0..LOOKS {
        let found = unix::processes().into_iter().filter(|process| {
            unix::session(*process) == Some(leader) && unix::group(*process) != Some(leader)
        });
        let found: Vec<Pid> = found.filter(|it| seen.insert(it.as_raw_pid())).collect();
        if found.is_empty() {
            return;
        }
        for member in found {
            let _ = kill_process(member, signal);
        }
    }
}

/// Asks a running program, and its group, to end as a person at a terminal does.
pub fn interrupt(process: u32) {
    if let Some(leader) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(leader, Signal::INT);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::test_kill_process;

    use super::*;
    use crate::{Start, Supervised};

    /// Far more than it takes.
    const LONG: Duration = Duration::from_secs(20);

    /// A shell with job control gives each of its children a group of its own.
    #[test]
    fn children_in_groups_of_their_own_end_with_the_program() {
        let mut command = Command::new("bash");
        command
            .args([
                "-c",
                "set -m; sleep 600 & echo $!; trap '' TERM; sleep 600 & echo $!; wait",
            ])
            .stdout(Stdio::piped());
        let (sender, ended) = channel();
        let start = Start {
            command,
            dir: None,
            end: None,
            ended: Box::new(move |_| sender.send(()).unwrap()),
        };
        let mut program = Supervised::start(start).unwrap();
        let lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let children: Vec<Pid> = lines
            .take(2)
            .map(|line| Pid::from_raw(line.unwrap().parse().unwrap()).unwrap())
            .collect();
        for child in &children {
            assert_eq!(unix::group(*child), Some(*child));
        }
        drop(program);
        ended.recv_timeout(LONG).unwrap();
        // They are killed, which takes them a moment. Until init has reaped one, it is still there.
        let end = Instant::now() + LONG;
        for child in children {
            while test_kill_process(child).is_ok() && !is_zombie(child) {
                assert!(Instant::now() < end, "{child:?}");
                thread::yield_now();
            }
        }
    }

    fn is_zombie(process: Pid) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.as_raw_pid()));
        status.is_ok_and(|status| status.contains("State:\tZ"))
    }
}
