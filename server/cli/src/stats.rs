//! `planlens stats`: the costs of a plan, and of an edit.

mod program;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::bail;
use config::Files;
use plan::{AboutProvider, Caveat, OpenFiles, PlanningRequest, Root};
use provider::Stats as ProviderStats;
use syntax::Edit;
use text::{TextRange, TextSize};

use crate::args::Args;
use crate::output::say;
use crate::{Outcome, root};

pub(crate) use program::of_program;

/// How many edits are measured.
fn count(args: &Args) -> anyhow::Result<usize> {
    match args.value("count") {
        Some(count) => count
            .parse()
            .map_err(|_| anyhow::anyhow!("-count takes a whole number, not {count:?}")),
        None => Ok(20),
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    crate::doctor::refuse_stack(args)?;
    let edits = args.flag("edits");
    let count = count(args)?;
    let given = root::given(args)?;
    let files = OpenFiles::default();
    let mut root = root::open(args.dir(), given)?;
    let runtime = crate::root::one_thread()?;
    runtime.block_on(async {
        let first_plan = first_plan(&mut root, &files).await;
        if !root::is_configured(&root) {
            bail!("no configuration files in {}", args.dir().unwrap_or("."));
        }
        say(&first_plan);
        let first = processor_times();
        say(&plan_again(&mut root, &files).await);
        if edits {
            measure_edits(&mut root, &files, count).await;
        }
        root.providers().shutdown().await;
        if let (Some((first, _)), Some((own, plugins))) = (first, processor_times()) {
            say(&format!(
                "cpu    {own:>9} ms   {plugins} ms of other processes, {first} ms until the first plan\n"
            ));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// The costs of everything before the first edit.
async fn first_plan(root: &mut Root, files: &OpenFiles) -> String {
    let request = PlanningRequest {
        is_saved: true,
        may_configure: true,
        ..PlanningRequest::default()
    };
    let start = Instant::now();
    root.load(files, &request);
    let loaded = start.elapsed();
    let plan = root.plan(&mut |_| {}).await;
    let planned = start.elapsed() - loaded;
    let engine = root.engine().stats();
    let provider = root.providers().stats();
    let bytes: usize = root.module().map_or(0, |module| {
        module
            .files
            .values()
            .map(|file| usize::from(file.len()))
            .sum()
    });
    let segments: usize = root.module().map_or(0, |module| {
        module.files.values().map(|file| file.segment_count()).sum()
    });
    let mut text = String::new();
    let _ = writeln!(
        text,
        "load   {:>9} ms   {bytes} bytes, {segments} segments",
        ms(loaded)
    );
    let _ = writeln!(
        text,
        "plan   {:>9} ms   {} nodes, {} instances, {} changes",
        ms(planned),
        engine.nodes_evaluated,
        engine.instances_planned,
        plan.changes()
            .filter(|change| change.action != plan::Action::NoOp)
            .count(),
    );
    let _ = writeln!(
        text,
        "spent  {:>9} steps, {} bytes of values, as the evaluation limit counts them",
        engine.spent.steps, engine.spent.bytes,
    );
    let _ = writeln!(
        text,
        "calls  {:>9}      {} bytes sent, {} received, {} from the cache, {} processes",
        total(&provider),
        provider.bytes_sent,
        provider.bytes_received,
        provider.cache_hits,
        provider.processes_started,
    );
    for (rpc, calls) in &provider.calls {
        let _ = writeln!(text, "       {calls:>9}      {rpc:?}");
    }
    let missing = plan.caveats().map(|(_, caveat)| caveat);
    let missing = missing.filter(|it| it.about_provider() == Some(AboutProvider::NotInstalled));
    let missing: BTreeSet<String> = missing.map(Caveat::beside_text).collect();
    for sentence in missing {
        let _ = writeln!(text, "                      {sentence}");
    }
    text
}

/// The costs of a whole plan without a change.
async fn plan_again(root: &mut Root, files: &OpenFiles) -> String {
    let before = root.providers().stats();
    let start = Instant::now();
    root.evaluate_anew();
    let request = PlanningRequest {
        is_saved: true,
        may_configure: true,
        ..PlanningRequest::default()
    };
    root.load(files, &request);
    root.plan(&mut |_| {}).await;
    let time = start.elapsed();
    let engine = root.engine().stats();
    format!(
        "again  {:>9} ms   {} nodes, {} instances, {} calls, although nothing changed\n",
        ms(time),
        engine.nodes_evaluated,
        engine.instances_planned,
        total(&root.providers().stats()) - total(&before),
    )
}

/// The processor time of this process and of the plugins that have ended, in milliseconds, where the system reports it.
fn processor_times() -> Option<(u64, u64)> {
    // proc(5): after the name, which is in parentheses, fields 14 to 17, in hundredths of a second.
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |place: usize| -> Option<u64> {
        let ticks = |place: usize| fields.get(place)?.parse::<u64>().ok();
        Some(10 * (ticks(place)? + ticks(place + 1)?))
    };
    Some((time(11)?, time(13)?))
}

async fn measure_edits(root: &mut Root, files: &OpenFiles, count: usize) {
    let mut targets = literals(root, files);
    if targets.is_empty() {
        return say("no edits: no argument of a resource is a literal string or number\n");
    }
    // Spread over the module, in an order that is the same each time.
    let step = (targets.len() / count.max(1)).max(1);
    targets = targets.into_iter().step_by(step).collect();
    let mut documents: HashMap<String, syntax::File> = HashMap::new();
    for target in &targets {
        if let Ok(file) = files.parse(&target.path) {
            documents.insert(target.path.clone(), file);
        }
    }
    say("edit  segments  nodes  instances  calls  cached     bytes        ms  of\n");
    let mut times = Vec::new();
    for (number, target) in targets.iter().cycle().take(count).enumerate() {
        let Some(document) = documents.get_mut(&target.path) else {
            continue;
        };
        let Some((range, text)) = target.edited(document.text(), number) else {
            continue;
        };
        let before = root.providers().stats();
        let start = Instant::now();
        let segments;
        (*document, segments) = document.edit(&Edit { range, text: &text });
        let open = files.with_parsed(documents.clone());
        let request = PlanningRequest {
            may_configure: true,
            ..PlanningRequest::default()
        };
        root.load(&open, &request);
        root.plan(&mut |_| {}).await;
        let time = start.elapsed();
        let engine = root.engine().stats();
        let after = root.providers().stats();
        times.push(time);
        say(&format!(
            "{number:>4}  {segments:>8}  {:>5}  {:>9}  {:>5}  {:>6}  {:>8}  {:>8}  {}\n",
            engine.nodes_evaluated,
            engine.instances_planned,
            total(&after) - total(&before),
            after.cache_hits - before.cache_hits,
            after.bytes_sent + after.bytes_received - before.bytes_sent - before.bytes_received,
            ms(time),
            target.name,
        ));
    }
    times.sort_unstable();
    let at = |percent: usize| ms(times[(times.len() - 1) * percent / 100]);
    if !times.is_empty() {
        say(&format!(
            "p50 {} ms, p95 {} ms, max {} ms\n",
            at(50),
            at(95),
            at(100)
        ));
    }
}

/// A literal in a resource's arguments that an edit changes.
struct Target {
    path: String,
    /// The resource and argument.
    name: String,
    /// The literal as it is written.
    literal: String,
    /// The text before it, from the block's header on, so that it is found again after other edits.
    header: String,
    argument: String,
}

impl Target {
    /// Where the literal stands, and another one, which no earlier edit had.
    fn edited(&self, text: &str, number: usize) -> Option<(TextRange, String)> {
        let block = text.find(&self.header)?;
        let argument = block + text[block..].find(&self.argument)?;
        let start = argument + text[argument..].find('=')? + 1;
        let line_end = start + text[start..].find('\n')?;
        let value = match self.literal.starts_with('"') {
            true => format!(" \"edit-{number}-{}\"", std::process::id()),
            false => format!(" {}", 1000 + number),
        };
        let size = |offset| TextSize::try_from(offset).ok();
        Some((TextRange::new(size(start)?, size(line_end)?), value))
    }
}

fn literals(root: &Root, files: &OpenFiles) -> Vec<Target> {
    let mut targets = Vec::new();
    let Some(module) = root.module() else {
        return targets;
    };
    for resource in module.resources.values() {
        let span = &resource.decl.span;
        let (Some(header), Ok(text)) = (root.resolve(span), files.read(span.file.path())) else {
            continue;
        };
        let slice = |range: TextRange| {
            text.get(usize::from(range.start())..usize::from(range.end()))
                .map(str::to_owned)
        };
        for attribute in &resource.body.attributes {
            let expr = attribute.expr();
            let is_literal = expr
                .ast
                .as_literal_string()
                .is_some_and(|text| !text.contains('\n'))
                || matches!(expr.ast.kind, syntax::ast::ExprKind::Number(_));
            let literal = root.resolve(&expr.span()).and_then(slice);
            let argument = root.resolve(&attribute.span()).and_then(slice);
            if let (true, Some(literal), Some(argument), Some(header)) =
                (is_literal, literal, argument, slice(header))
            {
                let name = argument
                    .split('=')
                    .next()
                    .unwrap_or_default()
                    .trim_end()
                    .to_owned();
                targets.push(Target {
                    path: span.file.path().to_owned(),
                    name: format!("{} {}", resource.addr, attribute.name()),
                    literal,
                    header,
                    argument: name,
                });
                break;
            }
        }
    }
    targets
}

fn total(stats: &ProviderStats) -> u64 {
    stats.calls.values().sum()
}

fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}
