//! Pulumi programs beside Pulumi's engine: an edit in the editor, and a whole plan.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::editor::{Editor, processor_time_of_children};
use crate::support::pulumi::{engine, prepared, tools};
use crate::support::{planlens, scratch};
use crate::{Bench, EDITS, at, edits, met, percentile};

/// A program with the state that the engine made of it.
struct Deployed {
    tools: PathBuf,
    folder: PathBuf,
    state: PathBuf,
    count: usize,
}

pub fn programs(bench: &Bench) -> String {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => return format!("SKIPPED programs: {reason}\n"),
    };
    let mut table = "\
edit -> hint, lab:Disk    |     p50 |     p95 | CPU of an edit | pulumi preview | ratio to p95 | p95
--------------------------|---------|---------|----------------|----------------|--------------|----
"
    .to_owned();
    let mut whole = String::new();
    for (count, budget, least) in [(100, 15, 30.0), (1000, 30, 100.0)] {
        let deployed = Deployed::new(&tools, bench.size(count));
        let (times, processor) = deployed.edits();
        let p95 = percentile(&times, 95);
        let (theirs, their_processor) = deployed.preview();
        let ratio = theirs.as_secs_f64() / p95.as_secs_f64();
        let what = format!("{} resources", deployed.count);
        let processor = processor / EDITS as u32;
        let _ = writeln!(
            table,
            "{what:<25} | {} | {} | {:>11.1} ms | {:>11} ms | {ratio:>11.0}x | {}; at least {least} x: {}",
            at(&times, 50),
            at(&times, 95),
            processor.as_secs_f64() * 1000.0,
            theirs.as_millis(),
            bench.within(format!("edit of a program, {what}, p95"), p95, budget),
            met(ratio >= least),
        );
        if count == 1000 {
            let own = bench.within(
                format!("own CPU of an edit of a program, {what}"),
                processor,
                15,
            );
            let ours = deployed.planned();
            let ratio = their_processor.as_secs_f64() / ours.as_secs_f64();
            let gate = bench.gate(
                format!("CPU of a whole plan of a program, {what}, with plugins"),
                format!("{ratio:.1} x"),
                "at least 3 x",
                ratio >= 3.0,
            );
            whole = format!(
                "own CPU of an edit of {what}: {own}\nwhole plan of {what}, CPU with plugins: {} ms, Pulumi's engine {} ms, {ratio:.1} x ({gate})\n",
                ours.as_millis(),
                their_processor.as_millis(),
            );
        }
    }
    table + &whole
}

impl Deployed {
    fn new(tools: &Path, count: usize) -> Deployed {
        let folder = scratch(&format!("bench-programs-{count}"));
        let resources = (0..count).map(|nth| {
            format!("  r{nth}:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: \"value-{nth}\"\n")
        });
        let resources: String = resources.collect();
        let work = folder.join("work");
        fs::create_dir_all(&work).unwrap();
        let text = format!("name: shop\nruntime: yaml\nresources:\n{resources}");
        fs::write(work.join("Pulumi.yaml"), text).unwrap();
        let stacks = folder.join("backend/.pulumi/stacks/shop");
        fs::create_dir_all(&stacks).unwrap();
        let state = stacks.join("dev.json");
        let output = engine(tools, &folder, "up", &state);
        assert!(output.status.success(), "{output:?}");
        fs::write(work.join("Pulumi.dev.yaml"), "config: {}\n").unwrap();
        Deployed {
            tools: tools.to_owned(),
            folder,
            state,
            count,
        }
    }

    fn planlens(&self) -> Command {
        let mut command = prepared(
            planlens(&self.folder.join("work")),
            &self.tools,
            &self.folder,
        );
        let backend = self.folder.join("backend");
        command
            .env(
                "PULUMI_BACKEND_URL",
                format!("file://{}", backend.display()),
            )
            .env("PLANLENS_CACHE_DIR", self.folder.join("caches"))
            .env("PLANLENS_STATE_DIR", self.folder.join("kept"));
        command
    }

    /// The times of edits in order, and the server's own processor time for all of them.
    fn edits(&self) -> (Vec<Duration>, Duration) {
        let work = self.folder.join("work");
        let mut command = self.planlens();
        command.arg("lsp");
        let log = fs::File::create(self.folder.join("log")).unwrap();
        command.stderr(log);
        let file = work.join("Pulumi.yaml");
        let mut editor = Editor::launch_file(&mut command, "warn", &work, &file, "yaml");
        let found = edits::edit_and_wait(&mut editor, |line| line);
        editor.stop();
        found
    }

    /// The duration of the engine's preview of an edit, and its processor time.
    fn preview(&self) -> (Duration, Duration) {
        self.edit("edited");
        let before = processor_time_of_children();
        let begin = Instant::now();
        let output = engine(&self.tools, &self.folder, "preview", &self.state);
        let time = begin.elapsed();
        assert!(output.status.success(), "{output:?}");
        (time, processor_time_of_children() - before)
    }

    /// The processor time of a whole plan of the same edit.
    fn planned(&self) -> Duration {
        self.edit("edited");
        let before = processor_time_of_children();
        let mut command = self.planlens();
        let output = command.args(["preview", "-json", "-stack=dev"]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        processor_time_of_children() - before
    }

    fn edit(&self, value: &str) {
        let file = self.folder.join("work/Pulumi.yaml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replacen("value-0", value, 1)).unwrap();
    }
}
