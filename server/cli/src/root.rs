//! The root module that a command works on. Running a command in a folder counts as trusting it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use config::{Product, Version};
use host::PlannerConfig;
use plan::{LanguageChoice, Root, Surroundings, VarOption};
use process::Variables;

use crate::args::Args;
use crate::plan::RefusedOption;

/// The values that the command line gives a root module.
#[derive(Default)]
pub(crate) struct RootArguments {
    variables: Vec<VarOption>,
    state: Option<PathBuf>,
    language: LanguageChoice,
}

/// The values of the `-var`, `-var-file`, `-state` and `-language` options.
pub(crate) fn given(args: &Args) -> anyhow::Result<RootArguments> {
    let state = args.value("state").map(|path| {
        std::path::absolute(path).with_context(|| format!("finding the state file {path}"))
    });
    Ok(RootArguments {
        state: state.transpose()?,
        variables: var_options(args)?,
        language: language_option(args)?,
    })
}

/// How much more evaluation may cost than in the editor, where somebody waits.
pub(crate) const TIMES_THE_EDITOR: u32 = 10;

/// The value of the `-evaluation-limit` option: how many times the editor's limits.
pub(crate) fn evaluation_limit(args: &Args) -> anyhow::Result<u32> {
    match args.value("evaluation-limit") {
        Some(text) => match text.parse() {
            Ok(times @ 1..) => Ok(times),
            Ok(0) | Err(_) => bail!("-evaluation-limit takes a whole number from 1, not {text:?}"),
        },
        None => Ok(TIMES_THE_EDITOR),
    }
}

/// The value of the `-language` option alone.
pub(crate) fn language(args: &Args) -> anyhow::Result<RootArguments> {
    Ok(RootArguments {
        language: language_option(args)?,
        ..RootArguments::default()
    })
}

fn var_options(args: &Args) -> anyhow::Result<Vec<VarOption>> {
    let mut options = Vec::new();
    for (option, value) in args.values(&["var", "var-file"]) {
        options.push(match option {
            "var-file" => {
                let path = std::path::absolute(value)
                    .with_context(|| format!("finding the variables file {value}"))?;
                VarOption::File(path.to_string_lossy().into_owned())
            }
            _ => var_option(value)?,
        });
    }
    Ok(options)
}

fn var_option(given: &str) -> Result<VarOption, RefusedOption> {
    let detail = match given.split_once('=') {
        Some((name, value)) if name.ends_with(' ') => {
            let meant = name.trim_end();
            format!(
                "Variable name {name:?} is invalid due to trailing space. Did you mean -var=\"{meant}={value}\"?"
            )
        }
        Some((name, value)) => {
            return Ok(VarOption::Var {
                name: name.to_owned(),
                value: value.to_owned(),
            });
        }
        None => format!(
            "The given -var option {given:?} is not correctly specified. Must be a variable name and value separated by an equals sign, like -var=\"key=value\"."
        ),
    };
    Err(RefusedOption::new("Invalid -var option", detail))
}

/// The value of the `-language` option, or of the environment in its place: `terraform`, `opentofu@1.8`, ...
fn language_option(args: &Args) -> anyhow::Result<LanguageChoice> {
    let said = args
        .value("language")
        .map(str::to_owned)
        .or_else(|| std::env::var("PLANLENS_LANGUAGE").ok());
    let Some(text) = said.filter(|text| !text.is_empty()) else {
        return Ok(LanguageChoice::default());
    };
    let (product, version) = match text.split_once('@') {
        Some((product, version)) => (product, Some(version)),
        None => (text.as_str(), None),
    };
    let product = match product {
        "terraform" => Product::Terraform,
        "opentofu" | "tofu" => Product::OpenTofu,
        _ => bail!(
            "-language takes terraform or opentofu, optionally with a version as in terraform@1.11, not {text:?}"
        ),
    };
    let version = match version.map(|version| (version, Version::parse(version))) {
        Some((_, Some(version))) => Some(known(product, version)?),
        Some((text, None)) => bail!("{text:?} is not a version"),
        None => None,
    };
    Ok(LanguageChoice {
        product: Some(product),
        version,
        installed: Vec::new(),
    })
}

fn known(product: Product, version: Version) -> anyhow::Result<Version> {
    let minor = |version: &Version| (version.major, version.minor);
    let releases = product.releases().iter().map(minor);
    let (Some(first), Some(last)) = (releases.clone().min(), releases.max()) else {
        return Ok(version);
    };
    ensure!(
        (first..=last).contains(&minor(&version)),
        "planlens knows {product} {}.{} to {}.{}, not {version}",
        first.0,
        first.1,
        last.0,
        last.1
    );
    Ok(version)
}

/// The settings of an editor, with the language that the `-language` option says.
pub(crate) fn settings(args: &Args) -> anyhow::Result<ide::Settings> {
    let language = language_option(args)?;
    let product = match language.product {
        Some(Product::Terraform) => "terraform",
        Some(Product::OpenTofu) => "opentofu",
        None => "auto",
    };
    let version = language
        .version
        .map(|it| it.to_string())
        .unwrap_or_default();
    ide::Settings::with([
        ("language.product", &product.into()),
        ("language.version", &version.into()),
    ])
    .context("making settings")
}

/// The root module in `dir`, or in the current folder.
pub(crate) fn open(dir: Option<&str>, given: RootArguments) -> anyhow::Result<Root> {
    Ok(Root::new(surroundings(dir, given)?))
}

/// Whether the folder has a file of the language.
pub(crate) fn is_configured(root: &Root) -> bool {
    root.module().is_some_and(|it| !it.files.is_empty())
}

/// The inputs of the root module in `dir`, or in the current folder.
pub(crate) fn surroundings(
    dir: Option<&str>,
    given: RootArguments,
) -> anyhow::Result<Surroundings> {
    let mut language = given.language;
    let cwd = std::env::current_dir().context("finding the current folder")?;
    let cwd = disk::in_one_form(cwd);
    let dir = match dir {
        Some(dir) => existing(Path::new(dir))?,
        None => cwd.clone(),
    };
    if dir.to_str().is_none() {
        bail!("the path of {} is not UTF-8 encoded", dir.display());
    }
    let config = planner_config();
    if language.asks_machine() {
        language.installed = host::installed(&dir, &config.variables);
    }
    let given = host::RootOptions {
        options: given.variables,
        state: given.state,
        language,
        is_trusted: true,
        approved: plan::Approved::All,
    };
    Ok(host::surroundings(&config, &dir, given))
}

/// The inputs of engines from this process and its machine.
pub(crate) fn planner_config() -> PlannerConfig {
    PlannerConfig {
        variables: Variables::of_this_process(),
        cache_dir: cache_dir(),
        now,
    }
}

pub(crate) fn existing(dir: &Path) -> anyhow::Result<PathBuf> {
    if dir.is_file() {
        bail!("{} is a file: name the folder that it is in", dir.display());
    }
    if !dir.is_dir() {
        bail!("there is no folder {}", dir.display());
    }
    disk::real(dir).with_context(|| format!("finding the folder {}", dir.display()))
}

/// Where schemas are kept between runs: the user's folder for caches.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    users_dir("PLANLENS_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "cache")
}

/// Where the user's answers are kept between runs.
pub(crate) fn state_dir() -> Option<PathBuf> {
    users_dir(
        "PLANLENS_STATE_DIR",
        "XDG_STATE_HOME",
        ".local/state",
        "state",
    )
}

/// The folder that `ours` names, or a folder of ours in that for all programs: `theirs`, else `at_home`. On Windows both
/// kinds are `on_windows` in one folder of ours.
fn users_dir(ours: &str, theirs: &str, at_home: &str, on_windows: &str) -> Option<PathBuf> {
    let variables = Variables::of_this_process();
    let windows = || {
        let local = variables.path("LOCALAPPDATA").filter(|_| cfg!(windows));
        Some(local?.join("planlens").join(on_windows))
    };
    let user = || {
        let named = variables.path(theirs).map(Path::to_owned);
        let user = named.or_else(|| Some(variables.home()?.join(at_home)))?;
        Some(user.join("planlens"))
    };
    let named = variables.path(ours).map(Path::to_owned);
    let base = named.or_else(windows).or_else(user)?;
    base.is_absolute().then(|| disk::in_one_form(base))
}

/// The time of day as RFC 3339, in UTC.
fn now() -> String {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = since_1970.map_or(0, |elapsed| elapsed.as_secs());
    eval::functions::timestamp_text(i64::try_from(seconds).unwrap_or_default())
}

/// The runtime for the calls of a command that plans once. In one thread a call costs no change of threads: on another it
/// would wake one to be sent, and this one for its answer.
pub(crate) fn one_thread() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("preparing the calls of providers")
}

/// The runtime for the calls of providers.
pub(crate) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting the threads that talk to providers")
}
