//! What is said of the objects of the test workspaces while their text is typed: what was true before, what is true after, or
//! what terraform plans for the text as it stands; or it is labelled. On the real providers, in both syntaxes.
//!
//! A run takes some of the workspaces; with `PLANLENS_TEST_LONG` it takes all of them and asks terraform more often.

mod support;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use fixture::typing::hunks;
use plan::{
    BehindErrors, LanguageChoice, OpenFiles, Options, Plan, PlanningRequest, Root, Surroundings,
};
use support::random::Random;
use support::{cache, command, printed, program, repository, scratch, skipped};
use text::Severity;
use tokio::runtime::Runtime;

/// What is to happen to each object that is planned without a label.
type Claims = BTreeMap<String, String>;

/// Texts by their paths.
type Texts = BTreeMap<PathBuf, String>;

fn claims(plan: &Plan) -> Claims {
    let resources = plan.resources.values().filter(|it| it.caveat.is_none());
    let changes = resources.flat_map(|it| it.changes());
    changes
        .map(|change| {
            // Providers name them in no order.
            let mut paths: Vec<String> = change
                .replace_paths
                .iter()
                .map(|it| format!("{it:?}"))
                .collect();
            paths.sort();
            let claim = format!(
                "{:?} {paths:?} {:?} -> {:?}",
                change.action, change.before, change.after
            );
            (change.addr.to_string(), claim)
        })
        .collect()
}

/// A root module on the real providers.
struct World {
    root: Root,
    runtime: Arc<Runtime>,
    disk: OpenFiles,
    behind_errors: BehindErrors,
}

impl World {
    fn new(
        folder: &Path,
        cache: &Path,
        runtime: &Arc<Runtime>,
        behind_errors: BehindErrors,
    ) -> World {
        let mut variables = process::Variables::of_this_process();
        variables.extend(support::environment(&folder.join("env")));
        let terraformrc = cache.join("terraformrc").display().to_string();
        variables.insert("TF_CLI_CONFIG_FILE".to_owned(), terraformrc);
        let surroundings = Surroundings {
            dir: folder.to_owned(),
            cwd: folder.to_owned(),
            variables,
            options: Vec::new(),
            state: None,
            plan_timestamp: Some("2026-01-01T00:00:00Z".to_owned()),
            cache_dir: None,
            is_trusted: true,
            approved: plan::Approved::All,
            language: LanguageChoice::pinned(config::Profile::TERRAFORM_1_11),
        };
        World {
            root: Root::new(surroundings),
            runtime: runtime.clone(),
            disk: OpenFiles::default(),
            behind_errors,
        }
    }

    fn plan(&mut self, texts: &Texts, is_saved: bool) -> Plan {
        let documents: HashMap<String, syntax::File> = texts
            .iter()
            .map(|(path, text)| {
                let path = path.to_string_lossy().into_owned();
                let file = config::parse_file(&path, text);
                (path, file)
            })
            .collect();
        let request = PlanningRequest {
            is_saved,
            may_configure: true,
            options: Arc::new(Options {
                behind_errors: self.behind_errors,
                import: true,
                read_data_sources: true,
                ..Options::default()
            }),
            ..PlanningRequest::default()
        };
        self.root.load(&self.disk.with_parsed(documents), &request);
        self.runtime.block_on(self.root.plan(&mut |_| {}))
    }

    /// What Terraform would do; `None` where it refuses the text.
    fn refused_or_planned(&mut self, texts: &Texts) -> Option<Claims> {
        self.root.evaluate_anew();
        let plan = self.plan(texts, true);
        let has_errors = |it: &text::Diagnostic| it.severity == Severity::Error;
        let problems = self.root.problems();
        let is_refused = problems.iter().any(has_errors) || plan.all_diagnostics().any(has_errors);
        (!is_refused).then(|| claims(&plan))
    }
}

#[derive(Default)]
struct Sums {
    pairs: usize,
    texts: usize,
    refused: usize,
    claims: usize,
    /// Of texts that can be planned: how many claims are those of the text itself.
    own: usize,
    asked: usize,
    wrong: Vec<String>,
}

/// One workspace, in one syntax.
struct Typed<'a> {
    folder: &'a Path,
    cache: &'a Path,
    oracle: World,
    runtime: Arc<Runtime>,
    random: Random,
    /// Of a hundred texts, how many terraform is asked about.
    asked: usize,
}

impl Typed<'_> {
    fn pair(&mut self, before: &Texts, after: &Texts, sums: &mut Sums) {
        let old = self.oracle.refused_or_planned(before);
        let new = self.oracle.refused_or_planned(after);
        let (Some(mut accepted), Some(new)) = (old, new) else {
            return;
        };
        sums.pairs += 1;
        let mut editor = World::new(
            self.folder,
            self.cache,
            &self.runtime,
            BehindErrors::AsBefore,
        );
        let mut texts = before.clone();
        editor.plan(&texts, true);
        for (path, target) in after {
            let mut text = texts.get(path).cloned().unwrap_or_default();
            for hunk in hunks(&text, target) {
                let random = &mut self.random;
                for step in hunk.steps(&text, &mut |limit| random.below(limit)) {
                    texts.insert(path.clone(), step);
                    let shown = claims(&editor.plan(&texts, false));
                    let own = self.oracle.refused_or_planned(&texts);
                    sums.texts += 1;
                    sums.refused += usize::from(own.is_none());
                    sums.claims += shown.len();
                    if self.random.chance(self.asked) {
                        sums.asked += 1;
                        sums.wrong.extend(self.ask_terraform(&texts, own.is_some()));
                    }
                    for (addr, claim) in &shown {
                        let is_of = |claims: &Claims| claims.get(addr) == Some(claim);
                        let is_own = own.as_ref().is_some_and(is_of);
                        sums.own += usize::from(is_own);
                        if !is_own && !is_of(&accepted) && !is_of(&new) {
                            sums.wrong.push(format!(
                                "{}: {addr} is said to be\n  {claim}\nlast:   {:?}\nafter:  {:?}\nof now: {:?}\n{}",
                                self.folder.display(),
                                accepted.get(addr),
                                new.get(addr),
                                own.as_ref().map(|it| it.get(addr)),
                                texts[path],
                            ));
                        }
                    }
                    if let Some(own) = own {
                        accepted = own;
                    }
                }
                text = texts[path].clone();
            }
        }
    }

    /// What is wrong if terraform takes another view of a text.
    fn ask_terraform(&self, texts: &Texts, is_planned: bool) -> Option<String> {
        let terraform = program("terraform")?;
        for (path, text) in texts {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let output = command(&terraform, self.folder)
            .args(["plan", "-refresh=false", "-input=false", "-no-color"])
            .env("TF_CLI_CONFIG_FILE", self.cache.join("terraformrc"))
            .envs(support::environment(&self.folder.join("env")))
            .output()
            .unwrap();
        // Those beside the root module are planned all the same.
        let is_kinder = printed(&output).contains("Module not installed");
        (output.status.success() != is_planned && !is_kinder).then(|| {
            let texts: Vec<&String> = texts.values().collect();
            format!(
                "planlens plans it: {is_planned}\n{}\n{texts:?}",
                printed(&output)
            )
        })
    }
}

/// The files of configuration of a module, and of those in it.
fn texts(folder: &Path, from: &Path) -> Texts {
    let mut texts = Texts::new();
    for (path, content) in support::files(from) {
        let name = path.to_string_lossy();
        let is_configuration = name.ends_with(".tf") || name.ends_with(".tf.json");
        let relative = path.strip_prefix(from).unwrap();
        let is_other = relative.starts_with("before") || relative.starts_with(".terraform");
        if is_configuration && !is_other {
            let text = String::from_utf8(content).unwrap();
            texts.insert(folder.join(relative), text);
        }
    }
    texts
}

fn in_json_syntax(texts: &Texts) -> Texts {
    let convert = |(path, text): (&PathBuf, &String)| match path.extension()? == "tf" {
        true => {
            let json = fixture::to_json_syntax(text);
            Some((path.with_extension("tf.json"), json))
        }
        false => Some((path.clone(), text.clone())),
    };
    texts.iter().filter_map(convert).collect()
}

/// Another version: some string or number is another one.
fn edited(texts: &Texts, random: &mut Random) -> Texts {
    let mut edited = texts.clone();
    let paths: Vec<&PathBuf> = texts.keys().collect();
    let path = *random.pick(&paths);
    let text = &texts[path];
    let places: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| c.is_ascii_alphanumeric() && text[..*at].ends_with(['"', ' ', '-']))
        .map(|(at, _)| at)
        .collect();
    if places.is_empty() {
        return edited;
    }
    let start = *random.pick(&places);
    let rest = &text[start..];
    let len = rest
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    let new = match rest[..len].parse::<u64>() {
        Ok(number) => (number + 1).to_string(),
        Err(_) => format!("{}x", &rest[..len]),
    };
    let new = [&text[..start], &new, &rest[len..]].concat();
    edited.insert(path.clone(), new);
    edited
}

fn another_in_each_run() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap().as_secs()
}

#[test]
fn diagnostics_while_typing_are_true() {
    let test = "diagnostics_while_typing_are_true";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let is_long = std::env::var_os("PLANLENS_TEST_LONG").is_some();
    let seed = std::env::var("PLANLENS_SEED").ok();
    let seed = seed.map_or_else(another_in_each_run, |it| it.parse().unwrap());
    let mut random = Random(seed);
    let (of_hundred, edits, asked) = if is_long { (100, 4, 2) } else { (6, 1, 1) };
    let runtime = Arc::new(Runtime::new().unwrap());
    let mut sums = Sums::default();
    for entry in fs::read_dir(repository().join("tests/workspaces")).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap().to_string_lossy().into_owned();
        if !random.chance(of_hundred) || name == "hundred" {
            continue;
        }
        for is_json in [false, true] {
            let folder = scratch(&format!(
                "{test}/{name}{}",
                if is_json { "_json" } else { "" }
            ));
            support::copy_module(&from, &folder);
            let _ = fs::copy(from.join("env"), folder.join("env"));
            support::install_providers(&cache, &folder);
            let mut after = texts(&folder, &from);
            let mut before = match from.join("before").is_dir() {
                true => texts(&folder, &from.join("before")),
                false => after.clone(),
            };
            if is_json {
                for path in after.keys().filter(|it| it.extension().unwrap() == "tf") {
                    fs::remove_file(path).unwrap();
                }
                (before, after) = (in_json_syntax(&before), in_json_syntax(&after));
            }
            for path in after.keys() {
                before.entry(path.clone()).or_default();
            }
            for path in before.keys() {
                after.entry(path.clone()).or_default();
            }
            if after.is_empty() {
                // Only OpenTofu's own files: no text that terraform, which is asked, would read.
                continue;
            }
            if is_json {
                let texts = before.values_mut().chain(after.values_mut());
                for text in texts.filter(|it| it.is_empty()) {
                    text.push_str("{}");
                }
            }
            let mut typed = Typed {
                folder: &folder,
                cache: &cache,
                oracle: World::new(&folder, &cache, &runtime, BehindErrors::LeftOut),
                runtime: runtime.clone(),
                random: Random(random.next()),
                asked,
            };
            typed.pair(&before, &after, &mut sums);
            for _ in 0..edits {
                let other = edited(&after, &mut random);
                typed.pair(&after, &other, &mut sums);
            }
        }
    }
    let Sums {
        pairs,
        texts,
        refused,
        claims,
        own,
        asked,
        wrong,
    } = &sums;
    let tried = format!(
        "seed {seed}: {pairs} pairs, {texts} texts, {refused} refused, {claims} claims, {own} of the text itself, terraform asked {asked} times"
    );
    let _ = writeln!(std::io::stderr(), "{tried}");
    assert!(
        wrong.is_empty(),
        "{tried}\n{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(*pairs > 0 && *claims > 0, "{tried}");
}
