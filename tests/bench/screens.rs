//! From a key to the screen: a letter is typed into a local value, and the hint of an output that reads it has the letter too.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{self, documented, repository};
use crate::workspaces::Kind;
use crate::{Bench, EDITS, at, ms, percentile};

const TYPED: &str =
    "locals {\n  word = \"\"\n}\n\noutput \"shown\" {\n  value = \"<${local.word}>\"\n}\n\n";
const RESOURCES: usize = 1_000;
const LIMIT: Duration = Duration::from_secs(60);

/// Times from a key to the letter, and to the hint, on the screen.
#[derive(Default)]
struct Times {
    typed: Vec<Duration>,
    hints: Vec<Duration>,
}

pub fn screens(bench: &Bench) -> String {
    let count = bench.size(RESOURCES);
    let resources: String = (0..count)
        .map(|it| Kind::TerraformData.resource(it))
        .collect();
    let stored = (0..count).map(|it| Kind::TerraformData.stored(it));
    let files = [("main.tf", TYPED.to_owned() + &resources)];
    let (unchanged, _) = bench.written("screens", &files, Some(stored.collect()));
    let (created, _) = bench.written("screens-created", &files, None);
    let mut text = format!("key -> screen, {count} resources in the file\n");
    let Ok(cache) = support::cache() else {
        return text;
    };
    let code = cache.join("vscode-4.100.3");
    if code.join("done").is_file() {
        let own = repository().join("tests/editors/vscode/at-once");
        let ours = repository().join("vscode-extension");
        let at_once = times_of_code(bench, &code, &own, &unchanged);
        text += &line("VS Code, a hint without a server", &at_once, "-");
        for (what, module) in [("unchanged", &unchanged), ("created", &created)] {
            let times = times_of_code(bench, &code, &ours, module);
            let more = percentile(&times.hints, 95).saturating_sub(percentile(&times.typed, 95));
            let line_of = format!("VS Code, {what}: key -> hint beside key -> letter, p95");
            let gate = bench.within(line_of, more, 60);
            text += &line(&format!("VS Code, {what}"), &times, &gate);
        }
    } else {
        text += "  SKIPPED: no VS Code: run tests/editors/install-vscode\n";
    }
    for (name, folder) in [
        ("Neovim 0.10", "neovim-trixie"),
        ("Neovim 0.12", "neovim-sid"),
    ] {
        let nvim = cache.join(folder).join("nvim");
        if !nvim.is_file() {
            let _ = writeln!(text, "  SKIPPED: no {name}: run tests/editors/install");
            continue;
        }
        for (what, module) in [("unchanged", &unchanged), ("created", &created)] {
            let times = bench.middle(
                || Neovim::start(bench, &nvim, module).times(),
                |times| percentile(&times.hints, 95),
            );
            let line_of = format!("{name}, {what}: key -> hint, p95");
            let gate = bench.within(line_of, percentile(&times.hints, 95), 25);
            text += &line(&format!("{name}, {what}"), &times, &gate);
        }
    }
    text
}

fn line(name: &str, times: &Times, gate: &str) -> String {
    let [typed, hints] = [&times.typed, &times.hints];
    format!(
        "  {name:<34} letter p50 {} p95 {} ms   hint p50 {} p95 {} max {} ms ({gate})\n",
        at(typed, 50),
        at(typed, 95),
        at(hints, 50),
        at(hints, 95),
        ms(hints.last().copied().unwrap_or_default()),
    )
}

fn times_of_code(bench: &Bench, code: &Path, extension: &Path, module: &Path) -> Times {
    let measure = || {
        let mut command = Command::new("node");
        command
            .arg(repository().join("tests/editors/vscode/keys.mjs"))
            .args([code, extension, module])
            .arg(EDITS.to_string())
            .env("PLANLENS", support::server())
            .env("PLANLENS_STATE_DIR", bench.folder.join("state"))
            .envs(bench.environment.iter().cloned());
        let (printed, _) = bench.run(&mut command);
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let of = |key: &str| {
            let times = printed[key].as_array().unwrap().iter();
            times
                .map(|it| Duration::from_secs_f64(it.as_f64().unwrap() / 1_000.0))
                .collect()
        };
        Times {
            typed: of("typed"),
            hints: of("hints"),
        }
        .sorted()
    };
    bench.middle(measure, |times| percentile(&times.hints, 95))
}

impl Times {
    fn sorted(mut self) -> Times {
        self.typed.sort();
        self.hints.sort();
        self
    }
}

/// A Neovim with the README's lines, and a terminal that shows it.
struct Neovim {
    neovim: Child,
    terminal: Child,
    keys: ChildStdin,
    drawn: Receiver<Vec<u8>>,
    /// The bytes that were drawn since the last key.
    bytes: Vec<u8>,
}

impl Neovim {
    fn start(bench: &Bench, nvim: &Path, module: &Path) -> Neovim {
        let folder = support::scratch("bench-neovim");
        let init = folder.join("init.lua");
        fs::write(&init, documented("README.md", "lua")).unwrap();
        fs::create_dir_all(folder.join("bin")).unwrap();
        std::os::unix::fs::symlink(support::server(), folder.join("bin/planlens")).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(folder.join("bin")).chain(std::env::split_paths(&path));
        let socket = folder.join("socket");
        let mut command = support::command(nvim, module);
        command
            .args(["--headless", "--clean", "--listen"])
            .arg(&socket)
            .arg("-u")
            .args([&init, Path::new("+2"), Path::new("main.tf")])
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", &folder)
            .env("XDG_STATE_HOME", folder.join("state"))
            .envs(bench.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let neovim = command.spawn().unwrap();
        let begin = Instant::now();
        while !socket.exists() {
            assert!(begin.elapsed() < LIMIT, "Neovim does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        // It draws on a terminal of its own.
        let shown = format!(
            "'{}' --server '{}' --remote-ui",
            nvim.display(),
            socket.display()
        );
        let mut terminal = Command::new("script")
            .args(["-qfec", &shown, "/dev/null"])
            .envs([
                ("TERM", "xterm-256color"),
                ("LANG", "C.UTF-8"),
                ("SHELL", "/bin/sh"),
            ])
            .envs([("LINES", "40"), ("COLUMNS", "120")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = terminal.stdout.take().unwrap();
        let (sender, drawn) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let _ = sender.send(buffer[..count].to_vec());
            }
        });
        let keys = terminal.stdin.take().unwrap();
        let mut neovim = Neovim {
            neovim,
            terminal,
            keys,
            drawn,
            bytes: Vec::new(),
        };
        neovim.until(|text| text.contains("\"<>\""));
        neovim.quiet(Duration::from_secs(1));
        neovim
    }

    /// Types words, and ends the editor.
    fn times(mut self) -> Times {
        // A long hint would be cut.
        const LETTERS: &str = "bfghjkmpqxyz";
        let mut times = Times::default();
        self.press("$i");
        for (count, letter) in LETTERS.chars().cycle().take(EDITS).enumerate() {
            if count > 0 && count % LETTERS.len() == 0 {
                self.press("\u{15}");
            }
            self.quiet(Duration::from_millis(120));
            let begin = Instant::now();
            self.keys.write_all(letter.to_string().as_bytes()).unwrap();
            self.until(|text| text.contains(letter));
            times.typed.push(begin.elapsed());
            self.until(|text| text.matches(letter).count() > 1);
            times.hints.push(begin.elapsed());
        }
        times.sorted()
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.quiet(Duration::from_millis(500));
    }

    /// Waits until nothing was drawn for so long, and forgets the drawn text.
    fn quiet(&mut self, time: Duration) {
        while self.drawn.recv_timeout(time).is_ok() {}
        self.bytes.clear();
    }

    /// Waits until the text that was drawn since the last key is as wanted.
    fn until(&mut self, is_wanted: impl Fn(&str) -> bool) {
        let begin = Instant::now();
        while !is_wanted(&text_of(&self.bytes)) {
            match self.drawn.recv_timeout(LIMIT) {
                Ok(more) => self.bytes.extend(more),
                Err(_) => panic!("not drawn: {:?}", text_of(&self.bytes)),
            }
            assert!(
                begin.elapsed() < LIMIT,
                "not drawn: {:?}",
                text_of(&self.bytes)
            );
        }
    }
}

impl Drop for Neovim {
    fn drop(&mut self) {
        let _ = self.keys.write_all(b"\x1b:qall!\r");
        for process in [&mut self.terminal, &mut self.neovim] {
            let begin = Instant::now();
            while process.try_wait().is_ok_and(|it| it.is_none())
                && begin.elapsed() < Duration::from_secs(5)
            {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Terminal output without its control sequences.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.chars();
    let mut plain = String::new();
    while let Some(character) = rest.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        match rest.next() {
            // Parameters, and a letter that ends them.
            Some('[') => drop(rest.find(|it| ('@'..='~').contains(it))),
            Some(']' | 'P') => drop(rest.find(|it| matches!(it, '\u{7}' | '\u{1b}'))),
            Some('(') => drop(rest.next()),
            _ => {}
        }
    }
    plain
}
