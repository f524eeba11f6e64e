//! What a plan of a Pulumi program costs, and what an edit costs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use pulumi::engine::{Inputs, Memo};
use pulumi::plan::Plan;
use pulumi::program::Program;
use pulumi_provider::{Installed, Process};
use text::FileId;
use yaml::{File, Node, Resolved};

use super::{count, ms, processor_times};
use crate::Outcome;
use crate::args::Args;
use crate::output::say;
use crate::program::{Prepared, prepared, refuse};

pub(crate) fn of_program(args: &Args) -> Outcome {
    refuse(args, "stats", &["var", "var-file", "language"])?;
    let (edits, count) = (args.flag("edits"), count(args)?);
    let start = Instant::now();
    let Prepared {
        project,
        inputs,
        installed,
        ..
    } = prepared(args)?;
    let loaded = start.elapsed();
    let path = project.program_path();
    let text = disk::read_text(&path, disk::Limit::CONFIGURATION)?;
    say(&format!(
        "load   {:>9} ms   {} bytes, {} resources, {} in the state\n",
        ms(loaded),
        text.len(),
        inputs.program.resources.len(),
        inputs.state.resources.len(),
    ));
    let runtime = crate::root::one_thread()?;
    runtime.block_on(async {
        let mut memo = Memo::default();
        let (plan, time) = timed(&mut memo, &inputs, &installed).await;
        let changes = plan.steps.iter().filter(|it| it.is_change()).count();
        let steps = plan.steps.len();
        say(&format!(
            "plan   {:>9} ms   {steps} steps, {changes} changes\n",
            ms(time)
        ));
        let first = processor_times();
        let (_, time) = timed(&mut memo, &inputs, &installed).await;
        say(&format!("again  {:>9} ms\n", ms(time)));
        if edits {
            let file = FileId::new(path.display().to_string());
            let edited = Edited {
                file,
                inputs: &inputs,
                text,
            };
            edited.measure(&mut memo, &installed, count).await;
        }
        if let (Some((first, _)), Some((own, _))) = (first, processor_times()) {
            say(&format!(
                "cpu    {own:>9} ms   {first} ms until the first plan\n"
            ));
        }
    });
    Ok(ExitCode::SUCCESS)
}

async fn timed(
    memo: &mut Memo<Process>,
    inputs: &Inputs,
    installed: &Installed,
) -> (Plan, Duration) {
    let start = Instant::now();
    let plan = memo.plan(inputs, installed).await;
    (plan, start.elapsed())
}

struct Edited<'a> {
    file: FileId,
    inputs: &'a Inputs,
    text: String,
}

impl Edited<'_> {
    async fn measure(mut self, memo: &mut Memo<Process>, installed: &Installed, count: usize) {
        let mut parsed = File::parse(&self.text);
        let mut program: Program = self.inputs.program.clone();
        let literals = literals(&parsed);
        if literals == 0 {
            return say("no edits: no property of a resource is a literal string or number\n");
        }
        say("edit  segments  changes        ms  of\n");
        let mut times = Vec::new();
        for number in 0..count {
            // Spread over the program, in an order that is the same each time.
            let nth = number * (literals / count.max(1)).max(1) % literals;
            let Some((name, text)) = changed(&parsed, &self.text, nth, number) else {
                continue;
            };
            let start = Instant::now();
            let (newer, segments) = parsed.reparse(&text);
            program = program.edited(&self.file, &newer);
            let inputs = Inputs {
                program: program.clone(),
                is_saved: false,
                ..self.inputs.clone()
            };
            let plan = memo.plan(&inputs, installed).await;
            let time = start.elapsed();
            let changes = plan.steps.iter().filter(|it| it.is_change()).count();
            let shown = ms(time);
            say(&format!(
                "{number:>4}  {segments:>8}  {changes:>7}  {shown:>8}  {name}\n"
            ));
            times.push(time);
            (parsed, self.text) = (newer, text);
        }
        times.sort_unstable();
        let at = |percent: usize| {
            let time = times.get(times.len().saturating_sub(1) * percent / 100);
            ms(time.copied().unwrap_or_default())
        };
        say(&format!(
            "p50 {} ms, p95 {} ms, max {} ms\n",
            at(50),
            at(95),
            at(100)
        ));
    }
}

/// The literals of properties that are strings or numbers.
fn of_properties(file: &File) -> impl Iterator<Item = (String, &Node, text::TextSize)> {
    file.entries("resources").into_iter().flat_map(|item| {
        let properties = item.value.get("properties");
        let entries = properties.map(|it| it.value.entries()).unwrap_or_default();
        entries.iter().filter_map(move |entry| {
            let scalar = entry.value.scalar()?;
            let is_literal = matches!(scalar.resolve(), Resolved::String | Resolved::Number(_));
            let name = format!("{} {}", item.name(), entry.key.text()?);
            let is_plain = is_literal && !scalar.text.contains(['$', '\n']);
            is_plain.then_some((name, &entry.value, item.segment.offset))
        })
    })
}

fn literals(file: &File) -> usize {
    of_properties(file).count()
}

/// The text with another value for one literal, which it never had before.
fn changed(file: &File, text: &str, nth: usize, number: usize) -> Option<(String, String)> {
    let (name, node, offset) = of_properties(file).nth(nth)?;
    let range = node.range + offset;
    let new = match node.scalar()?.resolve() {
        Resolved::Number(_) => format!("{}", 1000 + number),
        _ => format!("edit-{number}-{}", std::process::id()),
    };
    let edit = text::Replacement::replace(range, new);
    Some((name, text::apply(text, &[edit])))
}
