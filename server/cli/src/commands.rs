//! The table of commands and options, from which come the parser, the help, the completions and the man page.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};

/// Heading of the options that scripts pass to Terraform and that change nothing here.
pub(crate) const ACCEPTED: &str = "Accepted, and without effect";

const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// Of `planlens check`.
const FORMATS: [&str; 6] = ["text", "json", "sarif", "github", "junit", "markdown"];

/// The names of the arguments that are no options.
pub(crate) const DIR: &str = "DIR";
pub(crate) const TARGETS: &str = "DIR or FILE";
pub(crate) const APPROVED: &str = "ADDRESS or DIR";
pub(crate) const SHELL: &str = "SHELL";

pub(crate) fn planlens() -> Command {
    command("planlens", "", "planlens [-chdir=DIR] COMMAND [OPTIONS] [DIR]")
        .about("plan Terraform configuration while you type")
        .long_about("planlens plans Terraform configuration while you type.")
        .arg(value("chdir", DIR, "switch to another folder first").value_hint(ValueHint::DirPath))
        .arg(flag("version", "show the version"))
        .subcommands([
            lsp(),
            mcp(),
            plan(),
            preview(),
            validate(),
            check(),
            fmt(),
            doctor(),
            trust(),
            stats(),
            command("completions", "show the script that completes commands and options in a shell", "planlens completions SHELL")
                .long_about(
                    "Shows the script by which a shell completes commands, options, files and folders. It goes where the shell reads it:\n\
                     bash: eval \"$(planlens completions bash)\" in ~/.bashrc\n\
                     zsh: eval \"$(planlens completions zsh)\" in ~/.zshrc, below compinit\n\
                     fish: planlens completions fish > ~/.config/fish/completions/planlens.fish\n\
                     PowerShell: planlens completions powershell | Out-String | Invoke-Expression in $PROFILE",
                )
                .arg(Arg::new(SHELL).required(true).value_parser(PossibleValuesParser::new(SHELLS)).help("bash, zsh, fish or powershell")),
            command("man", "show the manual page", "planlens man")
                .long_about("Shows the manual page in the format of man: planlens man | man -l -"),
        ])
}

fn lsp() -> Command {
    command("lsp", "speak the language server protocol on stdin and stdout (the default, unless stdin is a terminal)", "planlens lsp [-stdio]")
        .long_about("Speaks the language server protocol on stdin and stdout. Editors start this; logs go to stderr.")
        .arg(accepted("stdio"))
        .arg(accepted_value("clientProcessId", "PID"))
}

fn mcp() -> Command {
    command(
        "mcp",
        "serve coding agents: the plan of a text that is not written, by the model context protocol",
        "planlens mcp [-trust] [DIR]",
    )
    .long_about(
        "Speaks the model context protocol on stdin and stdout, about the folders in DIR (or here). Tools plan a proposed text, compare it \
         with the saved one, explain a replacement, check, rename and refactor with proof, and look up schemas; they write nothing. Plugins \
         start only where you approved them earlier, or with -trust.",
    )
    .arg(flag("trust", "trust DIR, and start the plugins that its saved text needs"))
    .arg(dir())
}

fn plan() -> Command {
    command("plan", "show the plan of `terraform plan`, without changing anything; in the folder of a Pulumi program in YAML the preview of `pulumi preview`", "planlens plan [OPTIONS] [DIR]")
        .long_about(
            "Shows what `terraform plan` would do in DIR (or here): what is created, changed, replaced and destroyed, and what is known only after \
             apply. Starts the providers that the folder has installed and reads data sources, since running this counts as trusting it; changes \
             nothing. Other objects are not read unless asked for: see -refresh.",
        )
        .arg(flag("json", "print the plan as `terraform show -json` does, with the diagnostics beside it"))
        .arg(flag("detailed-exitcode", DETAILED_EXITCODE))
        .args(plan_options())
        .arg(file("generate-config-out", "write resource blocks for import blocks without one into this new file"))
        .arg(flag("watch", "plan again whenever a file of the modules changes"))
    .arg(flag("no-color", "no colours, as with NO_COLOR in the environment"))
        .arg(value("out", "FILE", "").hide(true))
        .args(["input", "lock", "compact-warnings", "concise"].map(accepted))
        .args([accepted_value("lock-timeout", "DURATION"), accepted_value("parallelism", "N")])
        .arg(dir())
}

const DETAILED_EXITCODE: &str =
    "exit with 0 for no changes, 2 for changes, 1 for errors (and for an incomplete plan)";

/// Options that change the plan.
fn plan_options() -> Vec<Arg> {
    vec![
        flag(
            "refresh",
            "read every object of the state first, as terraform does by default",
        ),
        flag(
            "refresh-only",
            "show only how the objects differ from the state",
        ),
        flag("destroy", "plan to destroy everything"),
        value("replace", "ADDR", "plan to replace this resource instance"),
        value(
            "target",
            "ADDR",
            "plan only this module, resource or instance, and its dependencies",
        ),
        value(
            "exclude",
            "ADDR",
            "OpenTofu: plan all but this module, resource or instance, and its dependents",
        ),
        file(
            "target-file",
            "OpenTofu: read addresses for -target from this file, one in each line",
        ),
        file(
            "exclude-file",
            "OpenTofu: read addresses for -exclude from this file, one in each line",
        ),
        file(
            "state",
            "take this state file, or the state in this plan file",
        ),
        value("var", "'NAME=VALUE'", "give a variable a value"),
        file("var-file", "read values of variables from a file"),
        evaluation_limit(),
        language(),
    ]
}

fn evaluation_limit() -> Arg {
    value(
        "evaluation-limit",
        "N",
        "evaluate with N times the limits of the editor: 10 unless given",
    )
}

fn language() -> Arg {
    value(
        "language",
        "LANGUAGE",
        "plan as terraform or opentofu, or as one release: terraform@1.9 (or PLANLENS_LANGUAGE says it)",
    )
}

fn preview() -> Command {
    command("preview", "show the preview of `pulumi preview` in the folder of a program in YAML", "planlens preview [OPTIONS] [DIR]\nplanlens plan [OPTIONS] [DIR]")
        .long_about(
            "Shows what `pulumi preview --diff` would say about the program in YAML in DIR (or here). Starts the provider plugins that are installed, \
             since running this counts as trusting the project; changes nothing.",
        )
        .arg(flag("json", "print the plan as `pulumi preview --json` does"))
        .arg(value("stack", "NAME", "plan this stack in the place of the selected one"))
        .arg(file("state", "take this state, as `pulumi stack export` writes it"))
        .arg(value("target", "URN", "plan only this resource"))
        .arg(value("replace", "URN", "plan to replace this resource"))
        .arg(flag("detailed-exitcode", DETAILED_EXITCODE))
        .arg(evaluation_limit())
        .args(["no-color", "non-interactive", "diff"].map(accepted))
        .arg(dir())
}

fn validate() -> Command {
    command("validate", "report errors, as `terraform validate` does", "planlens validate [OPTIONS] [DIR]")
        .long_about(
            "Says what is wrong with the configuration in DIR (or here), whatever the values of its variables and the state are, as \
             `terraform validate` does. Starts the providers that the folder has installed, since running this counts as trusting it; \
             configures none, and reads nothing but files.",
        )
        .arg(flag("json", "print the result in the format of `terraform validate -json`"))
        .arg(language().help("read it as terraform or opentofu, or as one release: terraform@1.9 (or PLANLENS_LANGUAGE says it)"))
        .args(["no-color", "no-tests"].map(accepted))
        .arg(accepted_value("test-directory", DIR))
        .arg(dir())
}

fn check() -> Command {
    command(
        "check",
        "report the diagnostics of an editor, and the effect of a change on the plans, for many root modules",
        "planlens check [OPTIONS] [DIR ...]\nplanlens check -merge [OPTIONS] REPORT ...",
    )
    .long_about(
        "Finds the root modules in DIR ... (or here), plans each from its text, its state where that is a local file, and the schemas of its \
         providers, and reports what an editor would. Reads nothing else of the world. Starts the providers that the folders have \
         installed, since running this counts as trusting them. Exits with 1 where there are errors, and with 3 where the policy denies a \
         change.",
    )
    .arg(
        value("format", "FORMAT", "text, json, sarif, github, junit, or markdown for the comment of a pull request")
            .value_parser(PossibleValuesParser::new(FORMATS)),
    )
    .arg(value("diff", "REVISION", "report only the problems that the change since this revision of git causes, and its effect on the plans"))
    .arg(value("deny", "KINDS", "create, update, replace, destroy, forget: fail for such changes, unless a comment beside the block says planlens:allow"))
    .arg(value("shard", "K/N", "check only this part of the root modules"))
    .arg(file("costs", "divide by the costs of each root module in this report"))
    .arg(flag("merge", "join reports that -format=json wrote"))
    .arg(language())
    .arg(accepted("no-color"))
    .arg(Arg::new(TARGETS).num_args(0..).value_hint(ValueHint::AnyPath))
}

fn fmt() -> Command {
    command("fmt", "bring configuration into the layout of `terraform fmt`", "planlens fmt [OPTIONS] [DIR or FILE ...]")
        .long_about(
            "Brings configuration into the layout that `terraform fmt` gives it. Takes the .tf, .tfvars, .tofu, .tftest.hcl and .tfmock.hcl files of \
             folders (of this one, if none is given), single files, or `-` for stdin. A file that is in layout is not written; one with a \
             syntax error is reported and left alone.",
        )
        .arg(flag("check", "write nothing; exit with 3 when a file is not in layout"))
        .arg(flag("diff", "show the changes"))
        .arg(flag("list", "do not name the files that are not in layout").value_name("false"))
        .arg(flag("write", "write nothing").value_name("false"))
        .arg(flag("recursive", "folders with all that is in them"))
        .arg(accepted("no-color"))
        .arg(Arg::new(TARGETS).num_args(0..).value_hint(ValueHint::AnyPath))
}

fn doctor() -> Command {
    command("doctor", "show everything that planning depends on, and its obstacles", "planlens doctor [OPTIONS] [DIR]")
        .long_about(
            "Looks at everything that planning DIR (or here) depends on, and says what is wrong and what to do about it: the language, terraform and \
             tofu, state (from its backend), modules, providers (each is started), CLI configuration, environment; and makes the plan. Shows no \
             secrets, so that the page can go into a bug report. Exits with 1 if something hinders planning.",
        )
        .arg(flag("json", "print the same as JSON"))
        .args(plan_options())
        .arg(value("stack", "NAME", "of a Pulumi project: look at this stack in the place of the selected one"))
        .arg(accepted("no-color"))
        .arg(dir())
}

fn trust() -> Command {
    command("trust", "list or revoke the provider plugins and folders that you approved", "planlens trust list [-json]\nplanlens trust revoke ADDRESS|DIR...\nplanlens trust revoke -all")
        .long_about(
            "Shows the provider plugins that you approved, when, and for which folder first, and the folders that you trust; or takes that back. \
             ADDRESS is that of a provider, as acme/robot: all its packages are taken back. DIR is a folder: it is no longer trusted, and what was \
             first approved for it is taken back. Editors notice at the next edit.",
        )
        .subcommand(
            command("list", "list approvals", "planlens trust list [-json]")
                .display_name("trust list")
                .arg(flag("json", "print the list as JSON")),
        )
        .subcommand(
            command("revoke", "revoke approvals", "planlens trust revoke ADDRESS|DIR...\nplanlens trust revoke -all")
                .display_name("trust revoke")
                .arg(flag("all", "take back everything"))
                .arg(Arg::new(APPROVED).num_args(0..).value_hint(ValueHint::DirPath)),
        )
}

fn stats() -> Command {
    command("stats", "show the costs of a plan, stage by stage, and of an edit", "planlens stats [OPTIONS] [DIR]")
        .long_about(
            "Plans DIR (or here) once and shows what each stage cost, and what it costs to evaluate everything once more. With -edits, then changes \
             one string or number after the other in memory, each to a value never seen before, and shows what each edit cost: segments parsed, \
             nodes evaluated, calls sent to providers, answers from the cache, bytes, milliseconds.",
        )
        .arg(flag("edits", "measure edits"))
        .arg(value("count", "N", "how many edits (20)"))
        .arg(file("state", "take this state file, or the state in this plan file"))
        .arg(value("var", "'NAME=VALUE'", "give a variable a value"))
        .arg(file("var-file", "read values of variables from a file"))
        .arg(language())
        .arg(value("stack", "NAME", "of a Pulumi project: plan this stack in the place of the selected one"))
        .arg(dir())
}

fn command(name: &'static str, about: &'static str, usage: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .override_usage(usage)
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .disable_version_flag(true)
        .no_binary_name(true)
        .arg(flag("help", "show this").short('h'))
}

/// An option without a value, or with `=true` or `=false`. The last one counts.
fn flag(name: &'static str, help: &'static str) -> Arg {
    option(name, help).num_args(0..=1)
}

/// An option that needs a value.
fn value(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, help)
        .num_args(1)
        .value_name(value)
        .action(ArgAction::Append)
}

fn file(name: &'static str, help: &'static str) -> Arg {
    value(name, "FILE", help).value_hint(ValueHint::FilePath)
}

fn accepted(name: &'static str) -> Arg {
    flag(name, ACCEPTED).help_heading(ACCEPTED)
}

fn accepted_value(name: &'static str, of: &'static str) -> Arg {
    value(name, of, ACCEPTED).help_heading(ACCEPTED)
}

fn option(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .help(help)
        .require_equals(true)
        .action(ArgAction::Append)
}

fn dir() -> Arg {
    Arg::new(DIR).value_hint(ValueHint::DirPath)
}
