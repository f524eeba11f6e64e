//! `planlens plan`: the plan of `terraform plan`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use config::language_release::feature;
use config::{
    AddrError, ConfigResourceAddr, ModuleAddr, Product, Repetition, ResourceInstanceAddr,
    ResourceMode, Target, TreeModule,
};
use disk::Stamp;
use plan::{
    BehindErrors, Budget, OpenFiles, Options, Plan, PlanMode, PlannedInstance, PlanningRequest,
    Root,
};
use serde_json::json;
use text::{Diagnostic, RelatedRole, Severity, Span};
use tokio::runtime::Runtime;

use crate::args::Args;
use crate::diagnostics::{DEPENDS_ON_A_PART, UNDECLARED, UNSUPPORTED_VERSION, wrapped};
use crate::generated::GeneratedFile;
use crate::output::{fail, say, show, show_colored};
use crate::{Outcome, diagnostics, lock_file, root, validate};

/// Bytes of text. A system call for each change would take longer than its text.
const WRITTEN_AT_ONCE: usize = 1 << 16;

pub(crate) fn run(args: &Args) -> Outcome {
    let is_json = args.flag("json");
    let is_detailed = args.flag("detailed-exitcode");
    let no_color = args.flag("no-color");
    if args.value("out").is_some() {
        anyhow::bail!(
            "-out is not supported: planlens applies nothing, so it writes no plan file; use `terraform plan -out`, or -json to print the plan"
        );
    }
    let given = match root::given(args) {
        Ok(given) => given,
        Err(error) => return refuse(&error.downcast()?, is_json),
    };
    let out = GeneratedFile::named(args)?;
    let options = match options(args) {
        Ok(options) => options,
        Err(error) => return refuse(&error.downcast()?, is_json),
    };
    let options = Options {
        generate_config: out.is_some(),
        ..options
    };
    let is_destroy = options.mode == PlanMode::Destroy;
    let files = OpenFiles::as_terraform_reads();
    let mut root = root::open(args.dir(), given)?;
    if args.flag("watch") {
        if is_json || is_detailed || out.is_some() {
            anyhow::bail!(
                "-watch cannot be combined with -json, -detailed-exitcode or -generate-config-out"
            );
        }
        let runtime = root::runtime()?;
        return watch(&mut root, &runtime, &request(options), is_destroy, no_color);
    }
    host::load(&mut root, &files, &request(options));
    if let Some(refused) = no_configuration(&root, is_destroy) {
        return refuse(&refused, is_json);
    }
    let (plan, document, validation) = root::one_thread()?.block_on(async {
        let plan = root.plan(&mut |_| {}).await;
        let document = is_json.then(|| root.to_json(&plan));
        let validation = validation(&mut root, &files, &plan).await;
        root.providers().shutdown().await;
        (plan, document, validation)
    });
    if let Some(out) = out
        && !is_refusal(&validation)
    {
        out.write(&plan, root.functions().profile.product)?;
    }
    let sources = diagnostics::Sources::new(&root, &plan, &files);
    if let Some(mut document) = document {
        if is_refusal(&validation) {
            document["errored"] = true.into();
            // OpenTofu has none.
            if let Some(applyable) = document.get_mut("applyable") {
                *applyable = false.into();
            }
        }
        let diagnostics = sources.to_json(&validation);
        document.insert("diagnostics".to_owned(), diagnostics);
        let text = serde_json::to_string(&document).context("writing the plan as JSON")?;
        say(&text);
        say("\n");
    } else {
        report(&plan, &sources, &validation, no_color);
    }
    let code = match is_refusal(&validation) {
        true => ExitCode::from(1),
        false => exit_code(&plan, is_detailed),
    };
    // The process ends, and the system frees its memory faster than a walk through all values does.
    std::mem::forget((root, plan));
    Ok(code)
}

/// Shows the plan now and after each change of a file, until the user ends it.
fn watch(
    root: &mut Root,
    runtime: &Runtime,
    request: &PlanningRequest,
    is_destroy: bool,
    no_color: bool,
) -> Outcome {
    /// Between two looks at the files.
    const LOOK: Duration = Duration::from_millis(250);
    /// Clears the screen, and the lines that scrolled off it.
    const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";
    loop {
        let (begin, files) = (Instant::now(), OpenFiles::as_terraform_reads());
        host::load(root, &files, request);
        let seen = stamps(root);
        let (plan, validation) = runtime.block_on(async {
            let plan = root.plan(&mut |_| {}).await;
            let validation = validation(root, &files, &plan).await;
            (plan, validation)
        });
        if std::io::stdout().is_terminal() {
            say(CLEAR);
        }
        match no_configuration(root, is_destroy) {
            Some(refused) => drop(refuse(&refused, false)?),
            None => {
                let sources = diagnostics::Sources::new(root, &plan, &files);
                report(&plan, &sources, &validation, no_color);
            }
        }
        let took = begin.elapsed().as_millis();
        say(&format!("\nPlanned in {took} ms; waiting for changes.\n"));
        while stamps(root) == seen {
            std::thread::sleep(LOOK);
            process::stay_if_interrupted();
        }
    }
}

/// The files in the folders of all modules, as they are now.
fn stamps(root: &Root) -> BTreeMap<PathBuf, Option<Stamp>> {
    let modules = root.tree().into_iter().flat_map(|tree| tree.iter());
    let dirs = modules.map(|(_, it)| PathBuf::from(it.dir.as_str()));
    let mut dirs: BTreeSet<PathBuf> = dirs.collect();
    dirs.insert(root.dir().to_owned());
    let entries = dirs
        .iter()
        .flat_map(|dir| disk::list(dir).unwrap_or_default());
    let files = entries.filter(|it| !it.is_folder());
    files
        .map(|it| (it.path.clone(), Stamp::of(&it.path).ok()))
        .collect()
}

/// Shows a plan, or why there is none.
fn report(
    plan: &Plan,
    sources: &diagnostics::Sources<'_>,
    validation: &[Diagnostic],
    no_color: bool,
) {
    if is_refusal(validation) {
        for diagnostic in validation {
            fail(&sources.one_text(diagnostic));
        }
    } else {
        let is_terminal = std::io::stdout().is_terminal();
        let no_color =
            no_color || !is_terminal || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let show = match no_color {
            true => show,
            false => show_colored,
        };
        if !sources.has_errors_before_plan() {
            let mut waiting = String::new();
            plan::render_plan(plan, !no_color, &mut |part| {
                waiting += part;
                if waiting.len() > WRITTEN_AT_ONCE {
                    show(&waiting);
                    waiting.clear();
                }
            });
            show(&waiting);
        }
        for text in sources.to_text(validation) {
            fail(&text);
        }
    }
}

/// The permission that a user gives by running a command.
pub(crate) fn request(options: Options) -> PlanningRequest {
    PlanningRequest {
        is_saved: true,
        may_configure: true,
        options: Arc::new(options),
        ..PlanningRequest::default()
    }
}

/// Errors that keep Terraform from planning anything: those of the files, of the values of variables,
/// and those of the configuration whatever the values are. Where there is none, the warnings about all that the plan
/// does not get to. The root knows of no plan after that.
pub(crate) async fn validation(root: &mut Root, files: &OpenFiles, plan: &Plan) -> Vec<Diagnostic> {
    let is_error = |it: &Diagnostic| it.severity == Severity::Error;
    let sources = diagnostics::Sources::new(root, plan, files);
    let (of_calls, loading): (Vec<_>, Vec<_>) = root
        .loading_problems()
        .into_iter()
        .partition(|it| is_error(it) && sources.is_of_call(it));
    let (of_version, of_files): (Vec<_>, Vec<_>) = loading
        .iter()
        .filter(|it| is_error(it) && ![DEPENDS_ON_A_PART, UNDECLARED].contains(&it.code))
        .partition(|it| it.code == UNSUPPORTED_VERSION);
    // Where sources are evaluated, the modules wait for the values.
    let lacks_value = plan
        .all_diagnostics()
        .any(|it| it.code == "no-variable-value");
    let waits_for_values = lacks_value && sources.loads_modules_later();
    if !waits_for_values && (!of_files.is_empty() || sources.has_declaration_errors()) {
        return sources.of_validation(diagnostics::Command::Plan);
    }
    let all = || plan.all_diagnostics().filter(|it| is_error(it));
    let unread: Vec<Diagnostic> = all()
        .filter(|it| it.code == "unreadable-file" && it.subject.is_none())
        .cloned()
        .collect();
    if !unread.is_empty() {
        return unread;
    }
    let profile = root.functions().profile;
    let has_wrong_values = all().any(is_of_given_values);
    if !of_calls.is_empty() && !has_wrong_values && profile.has(feature::CALLS_BEFORE_LOCK_FILE) {
        return diagnostics::Sources::new(root, plan, files)
            .of_validation(diagnostics::Command::Plan);
    }
    let inconsistency = lock_file::inconsistency(root);
    if inconsistency.is_some() || has_wrong_values {
        let is_before = |it: &Diagnostic| {
            it.severity != Severity::Error && it.subject.as_ref().is_some_and(is_of_values)
        };
        let mut found: Vec<Diagnostic> =
            loading.iter().filter(|it| !is_error(it)).cloned().collect();
        let told = plan.all_diagnostics();
        for diagnostic in told.filter(|it| is_of_given_values(it) || is_before(it)) {
            if !found.contains(diagnostic) {
                found.push(diagnostic.clone());
            }
        }
        found.extend(inconsistency);
        return found;
    }
    if !of_version.is_empty() || !of_calls.is_empty() {
        return diagnostics::Sources::new(root, plan, files)
            .of_validation(diagnostics::Command::Plan);
    }
    // Planning what the configuration wants finds the errors of everything that it gets to.
    let is_whole = plan.mode == PlanMode::Normal && !plan.is_partial;
    let is_found = !has_no_instances(root, plan) && !has_more_to_validate(root);
    let is_found = is_found && !plan.all_diagnostics().any(|it| sources.is_found_again(it));
    if is_whole && !plan.has_errors() && is_found {
        return Vec::new();
    }
    let validated = validate::plan(root, files).await;
    let found = diagnostics::Sources::new(root, &validated, files)
        .of_validation(diagnostics::Command::Plan);
    // Without a provider the rest is planned.
    let is_lack = |it: &Diagnostic| it.code == "provider" && it.subject.is_none();
    let is_fault = |it: &Diagnostic| is_error(it) && !is_lack(it);
    match found.iter().any(is_fault) {
        true => found,
        false => found.into_iter().filter(|it| !is_error(it)).collect(),
    }
}

/// Whether Terraform stops after it has validated the configuration, before the plan.
pub(crate) fn is_refusal(validation: &[Diagnostic]) -> bool {
    let mut validation = validation.iter();
    validation.any(|it| it.severity == Severity::Error)
}

/// Whether the error is found when the given values of variables are read: a value is missing, has no variable, or can't be
/// parsed. A null, or a value of a wrong type, is found later, when the variable is evaluated.
fn is_of_given_values(it: &Diagnostic) -> bool {
    let is_of_text = |it: &text::Related| matches!(it.role, RelatedRole::Declaration { .. });
    let is_converted = ["condition-failed", "invalid-variable-value"].contains(&it.code)
        || it.related.iter().any(is_of_text);
    let is_in_file = it.subject.as_ref().is_some_and(is_of_values);
    let is_given =
        ["no-variable-value", "unreadable-value", UNDECLARED].contains(&it.code) || is_in_file;
    it.severity == Severity::Error && is_given && !is_converted
}

/// Whether it stands in a file with values of variables.
pub(crate) fn is_of_values(place: &Span) -> bool {
    let is_of_module = |ending: &&str| place.file.path().ends_with(*ending);
    ![".tf", ".tf.json", ".tofu", ".tofu.json"]
        .iter()
        .any(is_of_module)
}

/// Whether something is declared of which nothing is planned.
fn has_no_instances(root: &Root, plan: &Plan) -> bool {
    let planned = plan.resources.values();
    let planned = planned.filter(|it| it.instances.iter().any(PlannedInstance::is_wanted));
    let planned: HashSet<_> = planned.map(|resource| resource.addr.config()).collect();
    let modules = root.tree().into_iter().flat_map(|tree| tree.iter());
    let mut declared = modules.flat_map(|(module, it)| {
        it.module.resources.keys().map(|addr| ConfigResourceAddr {
            module: module.clone(),
            resource: addr.clone(),
        })
    });
    declared.any(|addr| !planned.contains(&addr))
}

/// Whether a validation checks more than a plan: provisioners; the number of ephemeral instances, which it takes for one value;
/// a module that may have no instances and has no resources that would show it; and, in OpenTofu, ephemeral arguments of
/// modules, and parts of ephemeral resources that the schema calls sensitive.
fn has_more_to_validate(root: &Root) -> bool {
    let is_opentofu = root.functions().profile.is_opentofu();
    let modules = || root.tree().into_iter().flat_map(|tree| tree.iter());
    let may_lack_instances = |(addr, it): (&ModuleAddr, &TreeModule)| {
        let call = root.tree().and_then(|tree| tree.call(addr));
        let is_repeated = call.is_some_and(|(_, it)| it.repetition != Repetition::Single);
        is_repeated && it.module.resources.is_empty()
    };
    let has_ephemeral = |(_, it): (&ModuleAddr, &TreeModule)| {
        let mut resources = it.module.resources.keys();
        it.module.variables.values().any(|it| it.ephemeral)
            || resources.any(|it| it.mode == ResourceMode::Ephemeral)
    };
    let has_calls = modules().nth(1).is_some();
    let takes_ephemeral = is_opentofu && has_calls && modules().any(has_ephemeral);
    let mut resources = modules().flat_map(|(_, it)| it.module.resources.values());
    modules().any(may_lack_instances)
        || takes_ephemeral
        || resources.any(|it| {
            let is_repeated =
                matches!(it.repetition, Repetition::Count(_) | Repetition::ForEach(_));
            let is_ephemeral = it.addr.mode == ResourceMode::Ephemeral;
            !it.provisioning.is_empty() || is_ephemeral && (is_repeated || is_opentofu)
        })
}

pub(crate) fn options(args: &Args) -> anyhow::Result<Options> {
    if let Some(unknown) = only_of_opentofu(args)? {
        return Err(unknown.into());
    }
    let mut refused = Vec::new();
    let targets = self::targets(args, "target", "target-file", &mut refused)?;
    let excludes = self::targets(args, "exclude", "exclude-file", &mut refused)?;
    if !targets.is_empty() && !excludes.is_empty() {
        refused.push(RefusedOption::new(
            "Invalid combination of arguments",
            "The target and exclude planning options are mutually-exclusive. Each plan must use either only the target options or only the exclude options.",
        ));
    }
    let replace = replaced(args, &mut refused);
    let mode = match (args.flag("destroy"), args.flag("refresh-only")) {
        (is_destroy, true) => {
            if is_destroy {
                refused.push(RefusedOption::new(
                    "Incompatible plan mode options",
                    "The -destroy and -refresh-only options are mutually-exclusive.",
                ));
            }
            PlanMode::RefreshOnly
        }
        (true, false) => PlanMode::Destroy,
        (false, false) => PlanMode::Normal,
    };
    if mode == PlanMode::RefreshOnly && args.switch("refresh") == Some(false) {
        let detail = format!(
            "It doesn't make sense to use -refresh-only at the same time as -refresh=false, because {} would have nothing to do.",
            product(args)?.name()
        );
        refused.push(RefusedOption::new("Incompatible refresh options", detail));
    }
    if mode != PlanMode::Normal && !replace.is_empty() {
        refused.push(RefusedOption::new(
            "Unsupported plan mode",
            "Forcing resource instance replacement (with -replace=...) is allowed only in normal planning mode.",
        ));
    }
    if !refused.is_empty() {
        return Err(RefusedOptions(refused).into());
    }
    Ok(Options {
        mode,
        refresh: args.flag("refresh"),
        read_data_sources: true,
        import: true,
        behind_errors: BehindErrors::LeftOut,
        replace,
        targets,
        excludes,
        budget: Budget::default().times(root::evaluation_limit(args)?),
        ..Options::default()
    })
}

/// Terraform's error for an option that it lacks.
fn only_of_opentofu(args: &Args) -> anyhow::Result<Option<RefusedOption>> {
    let given = args.values(&["exclude", "exclude-file", "target-file"]);
    let Some((name, _)) = given.into_iter().next() else {
        return Ok(None);
    };
    Ok(match product(args)? {
        Product::OpenTofu => None,
        Product::Terraform => Some(RefusedOption::new(
            "Failed to parse command-line flags",
            format!("flag provided but not defined: -{name}"),
        )),
    })
}

/// The product that the folder is planned with, which its files may say.
fn product(args: &Args) -> anyhow::Result<Product> {
    let mut root = root::open(args.dir(), root::language(args)?)?;
    let files = OpenFiles::as_terraform_reads();
    root.load(&files, &request(Options::default()));
    Ok(root.functions().profile.product)
}

/// The addresses of an option, and those in the files that another one names: one in each line, or a comment.
fn targets(
    args: &Args,
    option: &'static str,
    file: &'static str,
    refused: &mut Vec<RefusedOption>,
) -> anyhow::Result<Vec<Target>> {
    let mut targets = addresses(args, option, option, refused);
    for (_, path) in args.values(&[file]) {
        let text = disk::read_text(std::path::Path::new(path), disk::Limit::CONFIGURATION)
            .with_context(|| format!("reading {path}"))?;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.starts_with('#') {
                continue;
            }
            let target = line.parse().ok();
            targets.push(target.with_context(|| {
                let number = number + 1;
                format!("line {number} of {path} is not the address of a module, a resource or a resource instance: {line:?}")
            })?);
        }
    }
    Ok(targets)
}

/// An option that is not valid, and Terraform's error.
#[derive(Debug)]
pub(crate) struct RefusedOption {
    summary: String,
    detail: String,
}

#[derive(Debug, thiserror::Error)]
#[error("{} options are not valid", .0.len())]
struct RefusedOptions(Vec<RefusedOption>);

impl RefusedOption {
    pub(crate) fn new(summary: impl Into<String>, detail: impl Into<String>) -> RefusedOption {
        RefusedOption {
            summary: summary.into(),
            detail: detail.into(),
        }
    }
}

impl From<RefusedOption> for anyhow::Error {
    fn from(refused: RefusedOption) -> anyhow::Error {
        RefusedOptions(vec![refused]).into()
    }
}

/// Says why nothing is planned, as all errors of a plan are said.
fn refuse(RefusedOptions(refused): &RefusedOptions, is_json: bool) -> Outcome {
    if is_json {
        let diagnostics: Vec<_> = refused
            .iter()
            .map(|it| json!({ "severity": "error", "summary": it.summary, "detail": it.detail }))
            .collect();
        let document = json!({ "errored": true, "diagnostics": diagnostics });
        say(&format!("{document}\n"));
    } else {
        for it in refused {
            fail(&format!(
                "\nError: {}\n\n{}",
                it.summary,
                wrapped(&it.detail)
            ));
        }
    }
    Ok(ExitCode::from(1))
}

/// Refuses a folder without configuration, in the words of `opPlan` in OpenTofu's `internal/backend/local/backend_plan.go`.
fn no_configuration(root: &Root, is_destroy: bool) -> Option<RefusedOptions> {
    if is_destroy || root::is_configured(root) {
        return None;
    }
    let product = root.functions().profile.product.name();
    let detail = format!(
        "Plan requires configuration to be present. Planning without a configuration would mark everything for destruction, which is normally not what is desired. If you would like to destroy everything, run plan with the -destroy option. Otherwise, create a {product} configuration file (.tf file) and try again."
    );
    let refused = RefusedOption::new("No configuration files", detail);
    Some(RefusedOptions(vec![refused]))
}

/// The addresses that an option gives; Terraform calls their kind `noun`.
fn addresses<A: FromStr<Err = AddrError>>(
    args: &Args,
    option: &'static str,
    noun: &str,
    refused: &mut Vec<RefusedOption>,
) -> Vec<A> {
    let mut addresses = Vec::new();
    for (_, text) in args.values(&[option]) {
        match text.parse() {
            Ok(address) => addresses.push(address),
            Err(AddrError(detail)) => {
                refused.push(RefusedOption::new(
                    format!("Invalid {noun} {text:?}"),
                    detail,
                ));
            }
        }
    }
    addresses
}

/// The resource instances of `-replace`.
fn replaced(args: &Args, refused: &mut Vec<RefusedOption>) -> Vec<ResourceInstanceAddr> {
    let noun = "force-replace address";
    let mut addrs: Vec<ResourceInstanceAddr> = addresses(args, "replace", noun, refused);
    addrs.retain(|addr| {
        let is_managed = addr.resource.mode == ResourceMode::Managed;
        if !is_managed {
            refused.push(RefusedOption::new(
                format!("Invalid {noun} \"{addr}\""),
                "Only managed resources can be used with the -replace=... option.",
            ));
        }
        is_managed
    });
    addrs
}

fn exit_code(plan: &Plan, is_detailed: bool) -> ExitCode {
    match (
        plan.is_errored() || plan.is_circular(),
        is_detailed && plan.has_changes(),
    ) {
        (true, _) => ExitCode::from(1),
        (false, true) => ExitCode::from(2),
        (false, false) => ExitCode::SUCCESS,
    }
}
