//! Completion from registries, with `curl` and a server of our own in the place of a registry, as a `host` block of the CLI
//! configuration names it.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::client::Client;
use support::{planlens, program, scratch, skipped};

const CONFIGURATION: &str = r#"terraform {
  required_providers {
    robot = {
      source  = "registry.example.com/acme/robot"
      version = ""
    }
  }
}

module "net" {
  source  = "registry.example.com/acme/net/aws//nested"
  version = ""
}

module "other" {
  source = "registry.example.com/acme/"
}

module "found" {
  source = "registry.example.com/vpc"
}
"#;

/// Where the versions and sources above are completed.
const PROVIDER: (u32, u32) = (4, 17);
const MODULE: (u32, u32) = (11, 13);
const NAMESPACE: (u32, u32) = (15, 38);
const SEARCH: (u32, u32) = (19, 36);

/// A registry, and the requests that it got: their paths, each with the token.
#[derive(Clone)]
struct Registry {
    port: u16,
    asked: Arc<Mutex<Vec<(String, String)>>>,
}

impl Registry {
    fn start(is_silent: bool) -> Registry {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let registry = Registry {
            port: listener.local_addr().unwrap().port(),
            asked: Arc::default(),
        };
        let asked = registry.asked.clone();
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                match is_silent {
                    true => held.push(stream),
                    false => answer(stream, &asked),
                }
            }
        });
        registry
    }

    fn asked(&self) -> Vec<(String, String)> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<(String, String)>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let request = lines.next().unwrap().unwrap();
    let path = request.split(' ').nth(1).unwrap().to_owned();
    let headers = lines.map(Result::unwrap).take_while(|it| !it.is_empty());
    let token = headers.filter_map(|it| Some(it.strip_prefix("Authorization: ")?.to_owned()));
    let token: String = token.collect();
    let versions =
        |all: &[&str]| -> Value { all.iter().map(|it| json!({ "version": it })).collect() };
    let module = |name: &str| json!({ "namespace": "acme", "name": name, "provider": "aws", "version": "2.0.0", "description": "About it." });
    let body = match &*path {
        "/m/acme/net/aws/versions" => Some(
            json!({ "modules": [{ "versions": versions(&["1.2.0", "10.0.1", "2.0.0-beta1", "9.4.0"]) }] }),
        ),
        "/p/acme/robot/versions" => Some(json!({ "versions": versions(&["0.9.0", "3.1.4"]) })),
        "/m/acme?limit=100" => Some(json!({ "modules": [module("net"), module("dns")] })),
        "/m/search?q=vpc&limit=100" => Some(json!({ "modules": [module("vpc")] })),
        _ => None,
    };
    asked.lock().unwrap().push((path, token));
    let (status, body) = match body {
        Some(body) => ("200 OK", body.to_string()),
        None => ("404 Not Found", "{}".to_owned()),
    };
    let length = body.len();
    let response =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(response.as_bytes()).unwrap();
}

struct Session {
    client: Client,
    uri: String,
    folder: PathBuf,
}

/// Opens the configuration where the CLI configuration leads to `registry`.
fn open(test: &str, registry: &Registry, settings: Value) -> Session {
    let folder = scratch(test);
    let module = folder.join("module");
    fs::create_dir_all(&module).unwrap();
    fs::write(module.join("main.tf"), CONFIGURATION).unwrap();
    let base = format!("http://127.0.0.1:{}", registry.port);
    let config = folder.join("user.tfrc");
    let text = format!(
        "host \"registry.example.com\" {{\n  services = {{\n    \"modules.v1\" = \"{base}/m/\"\n    \"providers.v1\" = \"{base}/p\"\n  }}\n}}\n"
    );
    fs::write(&config, text).unwrap();
    let mut command = planlens(&module);
    command
        .arg("lsp")
        .env("TF_CLI_CONFIG_FILE", &config)
        .env("TF_TOKEN_registry_example_com", "MARKER-SECRET-token");
    let mut client = Client::start(&mut command);
    let root = format!("file://{}", module.display());
    let params = json!({
        "processId": null,
        "rootUri": root,
        "capabilities": {},
        "initializationOptions": settings,
    });
    client.ask("initialize", params);
    client.notify("initialized", json!({}));
    let uri = format!("{root}/main.tf");
    client.open(&uri, "terraform", CONFIGURATION);
    let document = json!({ "textDocument": { "uri": uri } });
    client.ask("textDocument/codeLens", document);
    Session {
        client,
        uri,
        folder: module,
    }
}

impl Session {
    fn labels(&mut self, (line, character): (u32, u32)) -> Vec<String> {
        let params = json!({
            "textDocument": { "uri": self.uri },
            "position": { "line": line, "character": character },
        });
        let answer = self.client.ask("textDocument/completion", params);
        let mut items = answer["items"].as_array().cloned().unwrap_or_default();
        items.sort_by_key(|it| it["sortText"].as_str().unwrap().to_owned());
        let labels = items
            .iter()
            .map(|it| it["label"].as_str().unwrap().to_owned());
        labels.collect()
    }

    fn all(&mut self) -> Vec<Vec<String>> {
        [PROVIDER, MODULE, NAMESPACE, SEARCH]
            .map(|place| self.labels(place))
            .into()
    }
}

#[test]
fn registries_are_asked_where_the_user_wants_it() {
    let test = "registries_are_asked_where_the_user_wants_it";
    if program("curl").is_none() {
        return skipped(test, "no curl on the PATH");
    }
    let registry = Registry::start(false);
    let settings = json!({ "trust": "always", "registry": "online" });
    let mut session = open(test, &registry, settings);
    for _ in 0..2 {
        let [provider, module, namespace, search] = &session.all()[..] else {
            unreachable!()
        };
        assert_eq!(provider[..2], ["3.1.4", "~> 3.1"]);
        // The newest by number, without prereleases.
        assert_eq!(module[..4], ["10.0.1", "~> 10.0", "9.4.0", "~> 9.4"]);
        assert!(!module.iter().any(|it| it.contains("beta")), "{module:?}");
        for name in ["net", "dns"] {
            let source = format!("registry.example.com/acme/{name}/aws");
            assert!(namespace.contains(&source), "{namespace:?}");
        }
        assert!(
            search.contains(&"registry.example.com/acme/vpc/aws".to_owned()),
            "{search:?}"
        );
    }
    // Each question once, with the token of the host.
    let asked = registry.asked();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(
        asked
            .iter()
            .all(|(_, token)| token == "Bearer MARKER-SECRET-token"),
        "{asked:?}"
    );
    session.client.stop();
}

#[test]
fn no_registry_is_asked_unasked_or_for_a_folder_that_is_not_trusted() {
    let registry = Registry::start(false);
    for (nth, settings) in [
        json!({ "trust": "always" }),
        json!({ "trust": "never", "registry": "online" }),
    ]
    .into_iter()
    .enumerate()
    {
        let mut session = open(&format!("no_registry_is_asked_{nth}"), &registry, settings);
        session.all();
        session.client.stop();
    }
    assert!(registry.asked().is_empty(), "{:?}", registry.asked());
}

/// A folder can bring a CLI configuration where the environment names one by a relative path.
#[test]
fn a_folder_cannot_lead_a_token_to_another_host() {
    let registry = Registry::start(false);
    let settings = json!({ "trust": "always", "registry": "online" });
    let session = open("a_folder_cannot_lead_a_token", &registry, settings.clone());
    session.client.stop();
    let config = session.folder.join("../user.tfrc");
    fs::rename(config, session.folder.join("brought.tfrc")).unwrap();
    let mut command = planlens(&session.folder);
    command
        .arg("lsp")
        .env("TF_CLI_CONFIG_FILE", Path::new("brought.tfrc"))
        .env("TF_TOKEN_registry_example_com", "MARKER-SECRET-token")
        // No connection leaves the machine.
        .env("https_proxy", "http://127.0.0.1:9");
    let mut client = Client::start(&mut command);
    let root = format!("file://{}", session.folder.display());
    let params = json!({ "processId": null, "rootUri": root, "capabilities": {}, "initializationOptions": settings });
    client.ask("initialize", params);
    client.notify("initialized", json!({}));
    client.open(&session.uri, "terraform", CONFIGURATION);
    let mut session = Session { client, ..session };
    session.all();
    session.client.stop();
    assert!(registry.asked().is_empty(), "{:?}", registry.asked());
}

#[test]
fn a_registry_that_does_not_answer_is_waited_for_once() {
    let test = "a_registry_that_does_not_answer";
    if program("curl").is_none() {
        return skipped(test, "no curl on the PATH");
    }
    let registry = Registry::start(true);
    let settings = json!({ "trust": "always", "registry": "online" });
    let mut session = open(test, &registry, settings);
    let begin = Instant::now();
    assert!(session.labels(MODULE).is_empty());
    let first = begin.elapsed();
    assert!(first < Duration::from_secs(20), "{first:?}");
    let begin = Instant::now();
    assert!(session.labels(MODULE).is_empty());
    assert!(
        begin.elapsed() < first / 2,
        "{:?} {first:?}",
        begin.elapsed()
    );
    session.client.stop();
}
