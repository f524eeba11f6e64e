//! The table of commands and options, from which come the parser, the help, the completions and the man page.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};

/// Heading of the options that scripts pass to Terraform and that change nothing here.
pub(crate) const ACCEPTED: &str = "Accepted, but without effect";

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
        .about("plan Terraform, OpenTofu and Pulumi configuration while you type")
        .long_about("planlens plans Terraform, OpenTofu and Pulumi (YAML) configuration while you type.")
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
            command("completions", "print a script that completes commands and options in a shell", "planlens completions SHELL")
                .long_about(
                    "Prints a script that completes commands, options, files and folders in a shell. To load it:\n\
                     bash: eval \"$(planlens completions bash)\" in ~/.bashrc\n\
                     zsh: eval \"$(planlens completions zsh)\" in ~/.zshrc, below compinit\n\
                     fish: planlens completions fish > ~/.config/fish/completions/planlens.fish\n\
                     PowerShell: planlens completions powershell | Out-String | Invoke-Expression in $PROFILE",
                )
                .arg(Arg::new(SHELL).required(true).value_parser(PossibleValuesParser::new(SHELLS)).help("bash, zsh, fish or powershell")),
            command("man", "show the manual page", "planlens man")
                .long_about("Prints the manual page in the format of man. To read it: planlens man | man -l -"),
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
        "serve coding agents over the Model Context Protocol: plan the texts that they propose",
        "planlens mcp [-trust] [DIR]",
    )
    .long_about(
        "Speaks the Model Context Protocol on stdin and stdout, for the folders in DIR (default: the current folder). Its tools plan a proposed text, compare its plan \
         with the plan of the saved text, explain replacements, check configuration, rename and refactor with proof, and look up schemas. They write \
         nothing. Plugins start only if you approved them earlier, or with -trust.",
    )
    .arg(flag("trust", "trust DIR until the server stops: start the plugins that its saved files need"))
    .arg(dir())
}

fn plan() -> Command {
    command("plan", "show what `terraform plan` would print, or `pulumi preview` for a program in YAML; change nothing", "planlens plan [OPTIONS] [DIR]")
        .long_about(
            "Shows what `terraform plan` would do in DIR (default: the current folder): which objects it would create, change, replace and destroy, and which values \
             are known only after apply. Running this command means that you trust the folder: it starts the installed providers and reads data \
             sources. It changes nothing. Of other objects it reads only those that `import` blocks name, and with -refresh all.",
        )
        .arg(flag("json", "print the plan as `terraform show -json` does, with the diagnostics added"))
        .arg(flag("detailed-exitcode", DETAILED_EXITCODE))
        .args(plan_options())
        .arg(file("generate-config-out", "write resource blocks for import blocks that lack one into this new file"))
        .arg(flag("watch", "plan again whenever a file of the modules changes"))
    .arg(flag("no-color", "print without colors, as with NO_COLOR in the environment"))
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
            "first read all objects of the state, as terraform does by default",
        ),
        flag(
            "refresh-only",
            "show only how the real objects differ from the state",
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
            "OpenTofu: read addresses for -target from this file, one per line",
        ),
        file(
            "exclude-file",
            "OpenTofu: read addresses for -exclude from this file, one per line",
        ),
        file(
            "state",
            "use this state file, or the state in this plan file",
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
        "evaluate with N times the limits of the editor (default: 10)",
    )
}

fn language() -> Arg {
    value(
        "language",
        "LANGUAGE",
        "plan as terraform or opentofu, or as one release: terraform@1.9 (also set by PLANLENS_LANGUAGE)",
    )
}

fn preview() -> Command {
    command("preview", "show what `pulumi preview` would print for a program in YAML; change nothing", "planlens preview [OPTIONS] [DIR]")
        .long_about(
            "Shows what `pulumi preview --diff` would show for the program in YAML in DIR (default: the current folder). Running this command means that you trust the project: \
             it starts the installed provider plugins. It changes nothing. `planlens plan` does the same in the folder of a program.",
        )
        .arg(flag("json", "print the plan as `pulumi preview --json` does"))
        .arg(value("stack", "NAME", "plan this stack instead of the selected one"))
        .arg(file("state", "use this state, in the format of `pulumi stack export`"))
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
            "Reports errors in the configuration in DIR (default: the current folder), independent of the values of variables and of the state, as \
             `terraform validate` does. Running this command means that you trust the folder: it starts the installed providers. It does not \
             configure them, and reads only files.",
        )
        .arg(flag("json", "print the result in the format of `terraform validate -json`"))
        .arg(language().help("validate as terraform or opentofu, or as one release: terraform@1.9 (also set by PLANLENS_LANGUAGE)"))
        .args(["no-color", "no-tests"].map(accepted))
        .arg(accepted_value("test-directory", DIR))
        .arg(dir())
}

fn check() -> Command {
    command(
        "check",
        "report problems in all root modules of a repository, and the effect of a change on their plans",
        "planlens check [OPTIONS] [DIR ...]\nplanlens check -merge [OPTIONS] REPORT ...",
    )
    .long_about(
        "Finds the root modules in DIR ... (default: the current folder) and reports the problems that an editor would show. It plans each module from its text, the \
         schemas of its providers, its state if that is a local file, and the files that functions name; it reads nothing else. Running this command means that you trust the folders: it \
         starts their installed providers. Exits with 1 if there are errors or no root module, and with 3 if the policy denies a change.",
    )
    .arg(
        value("format", "FORMAT", "text, json, sarif, github, junit, or markdown (for a comment on a pull request)")
            .value_parser(PossibleValuesParser::new(FORMATS)),
    )
    .arg(value("diff", "REVISION", "report only problems that are new since the merge base with this git revision, and how the plans changed"))
    .arg(value("deny", "KINDS", "fail for these changes (create, update, replace, destroy, forget), unless a comment in the block or above it says planlens:allow"))
    .arg(value("shard", "K/N", "check only this shard of the root modules"))
    .arg(file("costs", "divide the root modules by the costs in this report"))
    .arg(flag("merge", "merge reports written with -format=json"))
    .arg(language())
    .arg(accepted("no-color"))
    .arg(Arg::new(TARGETS).num_args(0..).value_hint(ValueHint::AnyPath))
}

fn fmt() -> Command {
    command("fmt", "format configuration as `terraform fmt` does", "planlens fmt [OPTIONS] [DIR or FILE ...]")
        .long_about(
            "Formats configuration as `terraform fmt` does. Takes folders (their .tf, .tfvars, .tofu, .tftest.hcl and .tfmock.hcl files; by default \
             those of this folder), single files, or `-` for stdin. Files that are formatted already are not written. Files with syntax errors are reported \
             and not changed.",
        )
        .arg(flag("check", "write nothing; exit with 3 if a file is not formatted"))
        .arg(flag("diff", "show the changes"))
        .arg(flag("list", "do not list the files whose format changes").value_name("false"))
        .arg(flag("write", "write nothing").value_name("false"))
        .arg(flag("recursive", "also format the folders in a folder"))
        .arg(accepted("no-color"))
        .arg(Arg::new(TARGETS).num_args(0..).value_hint(ValueHint::AnyPath))
}

fn doctor() -> Command {
    command("doctor", "check everything that planning depends on", "planlens doctor [OPTIONS] [DIR]")
        .long_about(
            "Checks everything that planning DIR (default: the current folder) depends on: the language, terraform and tofu, the state (read from its backend), modules, \
             providers (each is started), CLI configuration and environment. Then it makes the plan. It reports each problem with its solution. \
             The output contains no secrets, so you can paste it into a bug report. Exits with 1 if something prevents planning.",
        )
        .arg(flag("json", "print the report as JSON"))
        .args(plan_options())
        .arg(value("stack", "NAME", "for a Pulumi project: check this stack instead of the selected one"))
        .arg(accepted("no-color"))
        .arg(dir())
}

fn trust() -> Command {
    command("trust", "list the provider plugins and folders that you trust, or revoke this trust", "planlens trust list [-json]\nplanlens trust revoke ADDRESS|DIR...\nplanlens trust revoke -all")
        .long_about(
            "Lists the provider plugins that you approved, with the time and the first folder, and the folders that you trust; or revokes approvals. \
             ADDRESS is the address of a provider, such as acme/robot: this revokes all its packages. DIR is a folder: it is no longer trusted, and the \
             plugins that you first approved for it are revoked. A running editor ends a revoked plugin at the next edit.",
        )
        .subcommand(
            command("list", "list approvals", "planlens trust list [-json]")
                .display_name("trust list")
                .arg(flag("json", "print the list as JSON")),
        )
        .subcommand(
            command("revoke", "revoke approvals", "planlens trust revoke ADDRESS|DIR...\nplanlens trust revoke -all")
                .display_name("trust revoke")
                .arg(flag("all", "revoke everything"))
                .arg(Arg::new(APPROVED).num_args(0..).value_hint(ValueHint::DirPath)),
        )
}

fn stats() -> Command {
    command("stats", "show the cost of each stage of a plan, and of edits", "planlens stats [OPTIONS] [DIR]")
        .long_about(
            "Plans DIR (default: the current folder) once and shows the cost of each stage, and of evaluating everything again. With -edits, it then changes literal \
             strings and numbers of resource arguments in memory, one at a time, and shows the cost of each edit: segments parsed, nodes evaluated, calls sent to providers, \
             answers from the cache, bytes, milliseconds.",
        )
        .arg(flag("edits", "measure edits"))
        .arg(value("count", "N", "the number of edits (default: 20)"))
        .arg(file("state", "use this state file, or the state in this plan file"))
        .arg(value("var", "'NAME=VALUE'", "give a variable a value"))
        .arg(file("var-file", "read values of variables from a file"))
        .arg(language())
        .arg(value("stack", "NAME", "for a Pulumi project: plan this stack instead of the selected one"))
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
        .arg(flag("help", "show this help").short('h'))
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
