//! Nothing that came with a workspace is started without a yes, which counts for what it named.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use ide::{PlanJob, PlanSink, Planner, TrustFolder, Untrusted};
use lsp::Options;
use plan::{Approved, Package};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::client::{Client, editors, with_engine};

/// The packages that each plan may start, of those that the open texts need: `needs NAMESPACE/TYPE HASH`.
type Plans = mpsc::UnboundedReceiver<Vec<String>>;

struct Trusting(mpsc::UnboundedSender<Vec<String>>);

impl Planner for Trusting {
    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> BoxFuture<'static, ()> {
        // As far as the first document goes.
        let Some((file, source)) = job.snapshot.files().next() else {
            return Box::pin(async {});
        };
        let dir = Path::new(file.path()).parent().unwrap();
        let text = source.document().text();
        let needed: BTreeSet<Package> = text.lines().filter_map(package).collect();
        let approved = job.snapshot.approved();
        let (started, refused): (BTreeSet<_>, _) =
            needed.into_iter().partition(|it| may_start(approved, it));
        let path = dir.canonicalize().unwrap_or(dir.to_owned());
        let created = fs::metadata(&path).and_then(|it| it.created()).ok();
        let is_trusted = job.snapshot.is_trusted(&TrustFolder { path, created });
        let is_configured = |_: &&Package| is_trusted || !text.contains("configures");
        let configured = started.iter().filter(|it| !is_configured(it));
        let needed = Untrusted {
            reads_outside: false,
            configured: configured.map(|it| it.provider.clone()).collect(),
            packages: refused,
            ..Untrusted::default()
        };
        let running = started.iter().filter(is_configured);
        let running = running.map(|it| format!("{} {}", it.provider.for_display(), it.hash));
        let _ = self.0.send(running.collect());
        if needed != Untrusted::default() {
            report.trust_needed(dir.to_owned(), needed);
        }
        Box::pin(async {})
    }
}

fn package(line: &str) -> Option<Package> {
    let (address, hash) = line.strip_prefix("# needs ")?.split_once(' ')?;
    Some(Package {
        provider: address.parse().unwrap(),
        hash: hash.to_owned(),
    })
}

fn may_start(approved: &Approved, package: &Package) -> bool {
    match approved {
        Approved::All => true,
        Approved::Nothing => false,
        Approved::These(these) => these.take(package),
    }
}

const NEEDS_TWO: &str = "# needs acme/one h1:1\n# needs acme/two h1:1\n";
const NEEDS_ONE: &str = "# needs acme/one h1:1\n";

async fn start(capabilities: Value, options: Value) -> (Client, Plans) {
    let (sender, plans) = mpsc::unbounded_channel();
    let server = Options {
        planner: Arc::new(Trusting(sender)),
        ..Options::default()
    };
    let mut client = Client::connect(server);
    client.asks_test = vec!["window/showMessageRequest", "workspace/configuration"];
    client.initialize(capabilities, options).await;
    client.notify("initialized", json!({})).await;
    (client, plans)
}

async fn running(plans: &mut Plans, expected: &[&str]) {
    while plans.recv().await.unwrap() != expected {}
}

/// The next question, with its text.
async fn asked(client: &mut Client) -> (Value, String) {
    let question = client.incoming("window/showMessageRequest").await;
    let message = question["params"]["message"].as_str().unwrap().to_owned();
    (question, message)
}

async fn approve(client: &mut Client, question: &Value) {
    let yes = question["params"]["actions"][0].clone();
    client.reply(question, yes).await;
}

async fn refuse(client: &mut Client, question: &Value) {
    let no = question["params"]["actions"][1].clone();
    client.reply(question, no).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_is_asked_and_a_yes_allows_plugins() {
    let (mut client, mut plans) = start(editors::neovim_0_10(), json!({})).await;
    client.open(NEEDS_TWO).await;
    let question = client.incoming("workspace/configuration").await;
    client.reply(&question, json!([null])).await;
    let (question, message) = asked(&mut client).await;
    assert!(message.contains("acme/one, acme/two"), "{message}");
    assert_eq!(plans.recv().await.unwrap(), Vec::<String>::new());
    approve(&mut client, &question).await;
    running(&mut plans, &["acme/one h1:1", "acme/two h1:1"]).await;
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_an_error_or_another_answer_is_no_yes() {
    for answer in [
        json!(null),
        json!({ "title": "Not now" }),
        json!("Trust this workspace"),
    ] {
        let (mut client, mut plans) = start(editors::vscode(), json!({})).await;
        client.open(NEEDS_ONE).await;
        let question = client.incoming("workspace/configuration").await;
        client.reply(&question, json!([{}])).await;
        let question = client.incoming("window/showMessageRequest").await;
        match answer {
            Value::Null => {
                client.refuse(&question).await;
                let message = client.incoming("window/showMessage").await;
                let message = message["params"]["message"].as_str().unwrap().to_owned();
                assert!(message.contains("set \"trust\" to \"always\""), "{message}");
            }
            answer => client.reply(&question, answer).await,
        }
        let text = format!("{NEEDS_ONE}a = 2\n");
        client.change(1, json!([{ "text": text }])).await;
        client.hover(0, 0).await;
        client.shut_down().await;
        while let Some(running) = plans.recv().await {
            assert!(running.is_empty(), "{running:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_questions_points_to_the_setting() {
    let (mut client, mut plans) = start(editors::helix(), json!({})).await;
    client.open(NEEDS_ONE).await;
    let question = client.incoming("workspace/configuration").await;
    client.reply(&question, json!([null])).await;
    let message = client.incoming("window/showMessage").await;
    assert!(
        message["params"]["message"]
            .as_str()
            .unwrap()
            .contains("\"trust\"")
    );
    assert!(!client.has("window/showMessageRequest"));
    assert_eq!(plans.recv().await.unwrap(), Vec::<String>::new());
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_answer_the_question_before_it_is_asked() {
    let by_name = |pattern: &str| json!({ "trust": "ask", "trust.providers": [pattern] });
    for (settings, is_running) in [
        (json!({ "trust": "always" }), true),
        (json!({ "trust": "never" }), false),
        (by_name("acme/*"), true),
        (by_name("registry.terraform.io/acme/one"), true),
    ] {
        // By the options of the start, and by the configuration that is asked for.
        for is_pulled in [false, true] {
            let options = match is_pulled {
                true => json!({}),
                false => settings.clone(),
            };
            let (mut client, mut plans) = start(editors::vscode(), options).await;
            client.open(NEEDS_ONE).await;
            let question = client.incoming("workspace/configuration").await;
            let configuration = match is_pulled {
                true => json!([settings]),
                false => json!([null]),
            };
            client.reply(&question, configuration).await;
            client.hover(0, 0).await;
            assert!(!client.has("window/showMessageRequest"), "{settings}");
            client.shut_down().await;
            let mut last = Vec::new();
            while let Some(running) = plans.recv().await {
                last = running;
            }
            assert_eq!(!last.is_empty(), is_running, "{settings} {is_pulled}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_where_no_plugin_would_start() {
    let (mut client, mut plans) = start(editors::vscode(), json!({})).await;
    client.open("b = 1").await;
    let question = client.incoming("workspace/configuration").await;
    client.reply(&question, json!([null])).await;
    plans.recv().await.unwrap();
    client.change(1, json!([{ "text": "b = 2" }])).await;
    plans.recv().await.unwrap();
    client.hover(0, 0).await;
    assert!(!client.has("window/showMessageRequest"));
    client.shut_down().await;
}

/// A server whose state folder is in `folder`, on a document of a folder that it has open.
async fn start_in(folder: &Path, opened: &str, text: &str) -> (Client, Plans) {
    let (sender, plans) = mpsc::unbounded_channel();
    let server = Options {
        planner: Arc::new(Trusting(sender)),
        state_dir: Some(folder.join("state")),
        ..Options::default()
    };
    let mut client = Client::connect(server);
    client.asks_test = vec!["window/showMessageRequest"];
    client.folder = format!("file://{}", folder.join(opened).display());
    let mut capabilities = editors::neovim_0_10();
    capabilities["workspace"]["configuration"] = json!(false);
    client.initialize(capabilities, json!({})).await;
    client.notify("initialized", json!({})).await;
    let uri = format!("{}/main.tf", client.folder);
    client.open_as(&uri, text).await;
    (client, plans)
}

/// A user's machine on which acme/one was approved for the folder `home`.
async fn approved(folders: &[&str]) -> tempfile::TempDir {
    let machine = tempfile::tempdir().unwrap();
    for name in ["home"].iter().chain(folders) {
        fs::create_dir_all(machine.path().join(name)).unwrap();
    }
    let (mut client, mut plans) = start_in(machine.path(), "home", NEEDS_ONE).await;
    let (question, _) = asked(&mut client).await;
    approve(&mut client, &question).await;
    running(&mut plans, &["acme/one h1:1"]).await;
    client.shut_down().await;
    machine
}

/// Opens a text in a folder, which asks for exactly what is new; a yes then starts it.
async fn asks_for(machine: &Path, opened: &str, text: &str, before: &[&str], asked_for: &str) {
    let (mut client, mut plans) = start_in(machine, opened, text).await;
    assert_eq!(plans.recv().await.unwrap(), before, "{opened}");
    let (question, message) = asked(&mut client).await;
    assert!(message.contains(asked_for), "{message}");
    approve(&mut client, &question).await;
    while plans.recv().await.unwrap() == before {}
    client.shut_down().await;
}

/// Opens a text in a folder, where nothing is asked and this runs.
async fn runs(machine: &Path, opened: &str, text: &str, expected: &[&str]) {
    let (mut client, mut plans) = start_in(machine, opened, text).await;
    assert_eq!(plans.recv().await.unwrap(), expected, "{opened}");
    client.hover(0, 0).await;
    assert!(!client.has("window/showMessageRequest"), "{opened}");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_plugin_needs_no_question_in_another_folder_or_after_a_restart() {
    let machine = approved(&["elsewhere"]).await;
    symlink(machine.path().join("home"), machine.path().join("linked")).unwrap();
    for opened in ["home", "linked", "elsewhere"] {
        runs(machine.path(), opened, NEEDS_ONE, &["acme/one h1:1"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_that_a_pull_brings_is_asked_about_and_the_approved_one_goes_on() {
    let machine = approved(&[]).await;
    let text = format!("{NEEDS_ONE}# needs acme/malware h1:1\n");
    let asked_for = "these new provider plugins";
    asks_for(machine.path(), "home", &text, &["acme/one h1:1"], asked_for).await;
    let both = ["acme/malware h1:1", "acme/one h1:1"];
    runs(machine.path(), "home", &text, &both).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_package_of_an_approved_provider_is_asked_about() {
    let machine = approved(&[]).await;
    let asked_for = "acme/one (not the package that you approved). ";
    asks_for(
        machine.path(),
        "home",
        "# needs acme/one h1:2\n",
        &[],
        asked_for,
    )
    .await;
}

/// Of a folder whose configuration is given to a plugin that was approved before.
#[tokio::test(flavor = "multi_thread")]
async fn an_approved_plugin_gets_no_data_from_an_untrusted_folder() {
    let machine = approved(&["home/cloned/.git", "elsewhere", "nested/inside"]).await;
    let text = format!("{NEEDS_ONE}# configures\n");
    symlink(
        machine.path().join("elsewhere"),
        machine.path().join("home/link"),
    )
    .unwrap();
    runs(machine.path(), "home", &text, &["acme/one h1:1"]).await;
    for opened in ["home/cloned", "home/link", "nested"] {
        let asked_for = "the provider configuration in";
        asks_for(machine.path(), opened, &text, &[], asked_for).await;
    }
    // What was trusted under another name, and not what lies in it and is opened by itself.
    runs(machine.path(), "elsewhere", &text, &["acme/one h1:1"]).await;
    let asked_for = "nested/inside to acme/one";
    asks_for(machine.path(), "nested/inside", &text, &[], asked_for).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_repository_at_the_same_path_is_asked_about() {
    let machine = approved(&[]).await;
    let text = format!("{NEEDS_ONE}# configures\n");
    let home = machine.path().join("home");
    if fs::metadata(&home).unwrap().created().is_err() {
        return;
    }
    fs::remove_dir(&home).unwrap();
    fs::create_dir(&home).unwrap();
    let asked_for = "the provider configuration in";
    asks_for(machine.path(), "home", &text, &[], asked_for).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clone_inside_of_a_trusted_folder_is_not_trusted_with_it() {
    let machine = approved(&["home/cloned/.git", "home/part"]).await;
    let (mut client, mut plans) = start_in(machine.path(), "home", "b = 1\n").await;
    let main = json!({ "textDocument": { "uri": format!("{}/main.tf", client.folder) } });
    client.notify("textDocument/didClose", main).await;
    let text = "# needs acme/two h1:1\n";
    for (inside, asked_for) in [("part", "home starts"), ("cloned", "home/cloned starts")] {
        let uri = format!("{}/{inside}/main.tf", client.folder);
        client.open_as(&uri, text).await;
        let (question, message) = asked(&mut client).await;
        let is_new = message.contains("new provider plugins");
        assert!(
            message.contains(asked_for) && is_new == (inside == "part"),
            "{message}"
        );
        refuse(&mut client, &question).await;
        let document = json!({ "textDocument": { "uri": uri } });
        client.notify("textDocument/didClose", document).await;
    }
    client.shut_down().await;
    while let Some(running) = plans.recv().await {
        assert!(running.is_empty(), "{running:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_in_a_trusted_folder_leads_to_no_trusted_one() {
    let machine = approved(&["elsewhere"]).await;
    let link = machine.path().join("home/link");
    symlink(machine.path().join("elsewhere"), link).unwrap();
    let (mut client, mut plans) = start_in(machine.path(), "home", NEEDS_ONE).await;
    running(&mut plans, &["acme/one h1:1"]).await;
    let main = json!({ "textDocument": { "uri": format!("{}/main.tf", client.folder) } });
    client.notify("textDocument/didClose", main).await;
    let uri = format!("{}/link/main.tf", client.folder);
    client.open_as(&uri, "# needs acme/two h1:1\n").await;
    let (_, message) = asked(&mut client).await;
    assert!(message.contains("elsewhere starts"), "{message}");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_refusal_one_question_lists_only_new_plugins() {
    let machine = tempfile::tempdir().unwrap();
    fs::create_dir(machine.path().join("home")).unwrap();
    let (mut client, mut plans) = start_in(machine.path(), "home", NEEDS_TWO).await;
    let (question, message) = asked(&mut client).await;
    assert!(message.contains("acme/one, acme/two"), "{message}");
    // While a question waits there is no second one.
    let uri = format!("{}/main.tf", client.folder);
    let change = |version: i32, text: String| {
        let document = json!({ "uri": uri, "version": version });
        json!({ "textDocument": document, "contentChanges": [{ "text": text }] })
    };
    let more = format!("{NEEDS_TWO}# needs acme/three h1:1\n# needs acme/four h1:1\n");
    client
        .notify("textDocument/didChange", change(1, more.clone()))
        .await;
    client.hover(0, 0).await;
    assert!(!client.has("window/showMessageRequest"));
    refuse(&mut client, &question).await;
    let (question, message) = asked(&mut client).await;
    assert!(message.contains(": acme/four, acme/three. "), "{message}");
    refuse(&mut client, &question).await;
    client
        .notify("textDocument/didChange", change(2, format!("{more}\n")))
        .await;
    client.hover(0, 0).await;
    assert!(!client.has("window/showMessageRequest"));
    client.shut_down().await;
    while let Some(running) = plans.recv().await {
        assert!(running.is_empty(), "{running:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_of_the_older_format_names_no_plugin_and_is_asked_once_more() {
    let machine = tempfile::tempdir().unwrap();
    for name in ["home", "state"] {
        fs::create_dir(machine.path().join(name)).unwrap();
    }
    let home = machine.path().join("home").canonicalize().unwrap();
    let kept = machine.path().join("state/trusted.json");
    fs::write(&kept, serde_json::to_vec(&[home]).unwrap()).unwrap();
    let asked_for = "these new provider plugins";
    asks_for(machine.path(), "home", NEEDS_ONE, &[], asked_for).await;
    runs(machine.path(), "home", NEEDS_ONE, &["acme/one h1:1"]).await;
    let mode = fs::metadata(kept).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_approval_is_asked_again_while_a_server_runs() {
    let machine = approved(&[]).await;
    let (mut client, mut plans) = start_in(machine.path(), "home", NEEDS_ONE).await;
    running(&mut plans, &["acme/one h1:1"]).await;
    ide::ApprovalFile::change(&machine.path().join("state"), |kept| {
        *kept = ide::ApprovalFile::default();
    })
    .unwrap();
    client.hover(0, 0).await;
    running(&mut plans, &[]).await;
    asked(&mut client).await;
    client.shut_down().await;
}

/// Where no plugin is installed nothing else would ask.
#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_reads_outside_of_the_workspace_asks_for_trust() {
    let dir = tempfile::tempdir().unwrap();
    let text = "output \"evil\" {\n  value = try(file(\"/proc/self/comm\"), \"\")\n}\n";
    fs::write(dir.path().join("main.tf"), text).unwrap();
    let uri = format!("file://{}/main.tf", dir.path().display());
    let mut client = Client::connect(with_engine());
    client.asks_test = vec!["window/showMessageRequest", "workspace/configuration"];
    let mut capabilities = editors::vscode();
    capabilities["textDocument"]["diagnostic"] = Value::Null;
    client.initialize(capabilities, json!({})).await;
    client.notify("initialized", json!({})).await;
    client.open_as(&uri, text).await;
    let question = client.incoming("workspace/configuration").await;
    client.reply(&question, json!([{}])).await;

    let (question, message) = asked(&mut client).await;
    assert!(
        message.contains("read files outside this folder"),
        "{message}"
    );
    refuse(&mut client, &question).await;
    let found = loop {
        let published = client.incoming("textDocument/publishDiagnostics").await;
        let found = published["params"]["diagnostics"][0].clone();
        if found["code"] == "outside-workspace" {
            break found;
        }
    };
    // Who said no may think again.
    let params = json!({
        "textDocument": { "uri": uri },
        "range": found["range"],
        "context": { "diagnostics": [found] },
    });
    let actions = client.ask("textDocument/codeAction", params).await;
    let mut actions = actions.as_array().unwrap().iter();
    let trust = actions.find(|it| it["title"] == "Trust this workspace");
    let command = trust.unwrap()["command"].clone();
    client.ask("workspace/executeCommand", command).await;
    let (question, _) = asked(&mut client).await;
    approve(&mut client, &question).await;
    loop {
        let published = client.incoming("textDocument/publishDiagnostics").await;
        if published["params"]["diagnostics"] == json!([]) {
            break;
        }
    }
    client.shut_down().await;
}
