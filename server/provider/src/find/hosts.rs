//! What the CLI configuration and the environment say of hosts: where their services are, and tokens for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use disk::Limit;
use serde::Deserialize;

use super::Environment;
use super::cli_config;
use super::reader::{self, Body};

/// By their names.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    services: BTreeMap<String, BTreeMap<String, String>>,
    tokens: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Host {
    /// In the place of those that the host itself names.
    pub services: Option<BTreeMap<String, String>>,
    pub token: Option<String>,
}

impl Hosts {
    /// Of files that no folder that is worked on can bring.
    pub fn load(environment: &Environment) -> Hosts {
        let mut hosts = Hosts::default();
        if let Some(file) = saved_tokens(environment) {
            hosts.add_saved(&file);
        }
        let files = cli_config::files(environment).into_iter();
        for file in files.filter(|file| file.is_absolute()) {
            if let Ok(text) = disk::read_text(&file, Limit::CONFIGURATION) {
                hosts.add(&reader::read(&text));
            }
        }
        for (name, token) in environment.variables.iter() {
            let (Some(name), Some(token)) = (name.to_str(), token.to_str()) else {
                continue;
            };
            if let Some(host) = name.strip_prefix("TF_TOKEN_") {
                // Hyphens are written as two underscores.
                let host = host.replace("__", "-").replace('_', ".");
                hosts
                    .tokens
                    .insert(host.to_ascii_lowercase(), token.to_owned());
            }
        }
        hosts
    }

    pub fn host(&mut self, name: &str) -> Host {
        let name = name.to_ascii_lowercase();
        Host {
            services: self.services.remove(&name),
            // It is written between quotes.
            token: self
                .tokens
                .remove(&name)
                .filter(|token| !token.is_empty() && !token.contains(['"', '\\', '\n', '\r'])),
        }
    }

    fn add(&mut self, body: &Body) {
        for credentials in body.blocks("credentials") {
            if let ([host], Some(token)) = (&credentials.labels[..], credentials.body.text("token"))
            {
                self.tokens
                    .insert(host.to_ascii_lowercase(), token.to_owned());
            }
        }
        for host in body.blocks("host") {
            let [name] = &host.labels[..] else { continue };
            // `services` is an attribute, whose value is read as a block is.
            let services = host.body.blocks("services");
            let services =
                services.flat_map(|it| it.body.arguments.keys().map(move |key| (it, key)));
            let texts =
                services.filter_map(|(it, key)| Some((key.clone(), it.body.text(key)?.to_owned())));
            self.services
                .insert(name.to_ascii_lowercase(), texts.collect());
        }
    }

    /// What `terraform login` writes.
    fn add_saved(&mut self, file: &Path) {
        #[derive(Deserialize)]
        struct Saved {
            #[serde(default)]
            credentials: BTreeMap<String, Token>,
        }
        #[derive(Deserialize)]
        struct Token {
            token: Option<String>,
        }
        let text = disk::read_text(file, Limit::CONFIGURATION).ok();
        let saved = text.and_then(|text| serde_json::from_str::<Saved>(&text).ok());
        for (host, it) in saved.into_iter().flat_map(|saved| saved.credentials) {
            let token = it.token.into_iter();
            self.tokens
                .extend(token.map(|token| (host.to_ascii_lowercase(), token)));
        }
    }
}

fn saved_tokens(environment: &Environment) -> Option<PathBuf> {
    let file = environment.terraform_dir()?.join("credentials.tfrc.json");
    file.is_absolute().then_some(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn tokens_and_services_are_those_of_the_user() {
        let home = tempfile::tempdir().unwrap();
        let (file, folder) = match cfg!(windows) {
            true => ("terraform.rc", "terraform.d"),
            false => (".terraformrc", ".terraform.d"),
        };
        fs::write(
            home.path().join(file),
            "credentials \"a.example.com\" {\n  token = \"of-file\"\n}\nhost \"b.example.com\" {\n  services = {\n    \"modules.v1\" = \"http://127.0.0.1:1/m/\"\n  }\n}\n",
        )
        .unwrap();
        fs::create_dir(home.path().join(folder)).unwrap();
        let saved = "{ \"credentials\": { \"c.example.com\": { \"token\": \"saved\" }, \"a.example.com\": { \"token\": \"older\" } } }";
        fs::write(
            home.path().join(folder).join("credentials.tfrc.json"),
            saved,
        )
        .unwrap();
        let path = home.path().to_str().unwrap();
        let variables = [
            ("HOME", path),
            ("APPDATA", path),
            ("TF_TOKEN_d_with__hyphen_example_com", "of-variable"),
            ("TF_TOKEN_e_example_com", "two\nlines"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment = Environment {
            root_module: PathBuf::new(),
            variables: variables.into_iter().collect(),
        };
        let mut hosts = Hosts::load(&environment);
        for (name, token) in [
            ("a.example.com", Some("of-file")),
            ("c.example.com", Some("saved")),
            ("d.with-hyphen.example.com", Some("of-variable")),
            ("e.example.com", None),
        ] {
            let host = hosts.host(name);
            assert_eq!(
                (host.token.as_deref(), host.services),
                (token, None),
                "{name}"
            );
        }
        let services = hosts.host("b.example.com").services.unwrap();
        assert_eq!(services["modules.v1"], "http://127.0.0.1:1/m/");
    }
}
