//! Runs a program to its end, within limits.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Start, Supervised};

/// The limits of a program.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From its start to its end.
    pub within: Duration,
    /// Bytes that it may print on stdout.
    pub output: u64,
}

/// The output of a program until it ended.
#[derive(Debug)]
pub struct Printed {
    pub is_success: bool,
    pub output: Vec<u8>,
    /// Its beginning.
    pub errors: String,
}

impl Printed {
    /// The output of a program that prints UTF-8.
    pub fn text(self) -> Result<String, String> {
        String::from_utf8(self.output).map_err(|_| "its output is not UTF-8".to_owned())
    }
}

/// Bytes of stderr that are kept.
const ERRORS: u64 = 1 << 20;

/// How long pipes may stay open after the end of the program and its children. Only a process that left the session on
/// purpose still holds them.
const PIPES_WITHIN: Duration = Duration::from_secs(1);

enum Event {
    Ended(io::Result<ExitStatus>),
    /// All that came from stdout. None: more than it may print.
    Output(Option<Vec<u8>>),
    Errors(Vec<u8>),
}

/// Starts a program, waits for its end, and ends its children. Says why there is no answer.
pub fn run(command: Command, limits: Limits) -> Result<Printed, String> {
    run_with_input(command, Stdio::null(), limits)
}

/// The same for a program that reads from its stdin.
pub fn run_with_input(
    mut command: Command,
    input: Stdio,
    limits: Limits,
) -> Result<Printed, String> {
    let within = limits.within;
    let deadline = Instant::now() + within;
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (sender, events) = channel();
    let ended = sender.clone();
    let mut program = Supervised::start(Start {
        command,
        dir: None,
        end: None,
        // Nobody may wait for it any more.
        ended: Box::new(move |status| drop(ended.send(Event::Ended(status)))),
    })
    .map_err(|error| format!("it does not start: {error}"))?;
    let pipes = (program.stdout.take(), program.stderr.take());
    read(pipes.0, &sender, move |pipe| {
        Event::Output(whole(pipe, limits.output))
    })
    .and_then(|()| read(pipes.1, &sender, |pipe| Event::Errors(beginning(pipe))))
    .map_err(|error| format!("its output can't be read: {error}"))?;
    gather(&events, deadline, limits)
}

fn gather(events: &Receiver<Event>, deadline: Instant, limits: Limits) -> Result<Printed, String> {
    let mut deadline = deadline;
    let (mut status, mut output, mut errors) = (None, None, None);
    while status.is_none() || output.is_none() || errors.is_none() {
        let rest = deadline.saturating_duration_since(Instant::now());
        match events.recv_timeout(rest) {
            Ok(Event::Ended(ended)) => {
                status = Some(ended);
                deadline = deadline.min(Instant::now() + PIPES_WITHIN);
            }
            Ok(Event::Output(Some(bytes))) => output = Some(bytes),
            Ok(Event::Output(None)) => {
                return Err(format!("it printed more than {} MiB", limits.output >> 20));
            }
            Ok(Event::Errors(bytes)) => errors = Some(bytes),
            Err(_) if status.is_some() => {
                return Err("it ended, and something else keeps its output open".to_owned());
            }
            Err(_) if output.is_some() => {
                return Err(format!("it did not end within {:?}", limits.within));
            }
            Err(_) => return Err(format!("it did not answer within {:?}", limits.within)),
        }
    }
    Ok(Printed {
        is_success: status.is_some_and(|it| it.is_ok_and(|status| status.success())),
        output: output.unwrap_or_default(),
        errors: String::from_utf8_lossy(&errors.unwrap_or_default()).into_owned(),
    })
}

/// Reads a pipe in a thread, which ends with the pipe.
fn read<P: Read + Send + 'static>(
    pipe: Option<P>,
    events: &Sender<Event>,
    event: impl FnOnce(Option<P>) -> Event + Send + 'static,
) -> io::Result<()> {
    let events = events.clone();
    let thread = thread::Builder::new().name("output".to_owned());
    thread
        .spawn(move || drop(events.send(event(pipe))))
        .map(drop)
}

fn whole(pipe: Option<impl Read>, limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let limited = pipe.map(|pipe| pipe.take(limit + 1).read_to_end(&mut bytes));
    drop(limited);
    (bytes.len() as u64 <= limit).then_some(bytes)
}

/// Reads on after that, so that the program doesn't stall.
fn beginning(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = (&mut pipe).take(ERRORS).read_to_end(&mut bytes);
        let _ = io::copy(&mut pipe, &mut io::sink());
    }
    bytes
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const SHORT: Limits = Limits {
        within: Duration::from_millis(500),
        output: 1 << 20,
    };

    /// Far more than any of it takes.
    const LONG: Limits = Limits {
        within: Duration::from_secs(30),
        output: 1 << 20,
    };

    fn shell(script: &str, limits: Limits) -> Result<Printed, String> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        run(command, limits)
    }

    #[test]
    fn a_program_answers_with_its_output() {
        let printed = shell("echo out; echo error >&2; exit 3", LONG).unwrap();
        assert!(!printed.is_success);
        assert_eq!(
            (printed.output.as_slice(), printed.errors.as_str()),
            (b"out\n".as_slice(), "error\n")
        );
    }

    #[test]
    fn output_that_is_not_utf8_is_kept_and_is_no_text() {
        let printed = shell("printf 'x\\351'", LONG).unwrap();
        assert_eq!(printed.output, b"x\xe9");
        assert_eq!(printed.text().unwrap_err(), "its output is not UTF-8");
    }

    #[test]
    fn a_program_that_closes_its_output_and_stays_is_ended() {
        let error = shell("exec >&- 2>&-; sleep 600", SHORT).unwrap_err();
        assert_eq!(error, "it did not end within 500ms");
    }

    #[test]
    fn a_silent_program_is_ended() {
        let error = shell("trap '' TERM; while :; do sleep 1; done", SHORT).unwrap_err();
        assert_eq!(error, "it did not answer within 500ms");
    }

    #[test]
    fn a_program_that_ends_is_not_waited_for_because_of_its_children() {
        let begin = Instant::now();
        let printed = shell("sleep 600 & echo out", LONG).unwrap();
        assert_eq!(printed.output, b"out\n");
        assert!(begin.elapsed() < LONG.within / 2);
    }

    #[test]
    fn a_program_that_prints_without_an_end_is_ended() {
        let error = shell("yes", LONG).unwrap_err();
        assert_eq!(error, "it printed more than 1 MiB");
        let error = shell("yes >&2", SHORT).unwrap_err();
        assert_eq!(error, "it did not answer within 500ms");
    }
}
