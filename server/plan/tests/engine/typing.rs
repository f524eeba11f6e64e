//! What is said of an object while a configuration is typed is what was true before, what is true after, or what
//! Terraform would plan for the text as it stands; or it is labelled.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use fixture::typing::hunks;
use plan::{BehindErrors, Options, Plan, PlanningRequest, Root};
use text::Severity;

use crate::incremental::{Random, seeds};
use crate::support::{DIR, Texts, block_on, fake, root, state_text, surroundings};

/// The pairs of configurations; `PLANLENS_SEEDS` asks for others.
const SEEDS: Range<u64> = 1..13;

/// What is to happen to each object that is planned without a label.
type Claims = BTreeMap<String, String>;

fn claims(plan: &Plan) -> Claims {
    let resources = plan.resources.values().filter(|it| it.caveat.is_none());
    let changes = resources.flat_map(|it| it.changes());
    changes
        .map(|change| {
            let claim = format!(
                "{:?} {:?} {:?} -> {:?}",
                change.action, change.replace_paths, change.before, change.after
            );
            (change.addr.to_string(), claim)
        })
        .collect()
}

fn planned(root: &mut Root, files: &Texts, behind_errors: BehindErrors) -> Plan {
    let request = PlanningRequest {
        options: Arc::new(Options {
            behind_errors,
            ..Options::default()
        }),
        is_saved: true,
        may_configure: true,
        ..PlanningRequest::default()
    };
    root.load(files, &request);
    block_on(root.plan(&mut |_| {}))
}

/// What Terraform would do; `None` where it refuses the text.
fn refused_or_planned(files: &Texts) -> Option<Claims> {
    let mut root = root(surroundings(), Arc::new(fake()));
    let plan = planned(&mut root, files, BehindErrors::LeftOut);
    let has_errors = |it: &text::Diagnostic| it.severity == Severity::Error;
    let problems = root.problems();
    let is_refused = problems.iter().any(has_errors) || plan.all_diagnostics().any(has_errors);
    (!is_refused).then(|| claims(&plan))
}

/// Types one configuration into another. Answers how many texts Terraform would refuse, and of how many objects
/// something was said in all.
fn type_it(before: &Texts, after: &Texts, random: &mut Random, seed: u64) -> (usize, usize) {
    let (Some(old), Some(new)) = (refused_or_planned(before), refused_or_planned(after)) else {
        return (0, 0);
    };
    let mut files = before.clone();
    let mut root = root(surroundings(), Arc::new(fake()));
    planned(&mut root, &files, BehindErrors::AsBefore);
    let mut accepted = old.clone();
    let (mut refused, mut claimed) = (0, 0);
    let targets = after.texts();
    for (path, target) in &targets {
        let mut text = files.texts().get(path).cloned().unwrap_or_default();
        for hunk in hunks(&text, target) {
            for step in hunk.steps(&text, &mut |limit| random.below(limit)) {
                let previous = files.texts()[path].clone();
                files.set(path, &step);
                let shown = claims(&planned(&mut root, &files, BehindErrors::AsBefore));
                claimed += shown.len();
                let own = refused_or_planned(&files);
                refused += usize::from(own.is_none());
                for (addr, claim) in &shown {
                    let is_of = |claims: &Claims| claims.get(addr) == Some(claim);
                    assert!(
                        is_of(&accepted) || is_of(&new) || own.as_ref().is_some_and(is_of),
                        "seed {seed}: {addr} is said to be\n  {claim}\nbefore: {:?}\nlast:   {:?}\nafter:  {:?}\nof now: {:?}\n{previous}\n{step}",
                        old.get(addr),
                        accepted.get(addr),
                        new.get(addr),
                        own.as_ref().map(|it| it.get(addr)),
                    );
                }
                if let Some(own) = own {
                    assert_eq!(
                        shown, own,
                        "seed {seed}: all is said of a text that can be planned\n{files:?}"
                    );
                    accepted = own;
                }
            }
            text = files.texts()[path].clone();
        }
    }
    (refused, claimed)
}

/// A configuration without errors. Each object refers to those before it.
#[derive(Clone)]
struct Configuration {
    variables: Vec<String>,
    locals: Vec<String>,
    /// The argument of the called module, and its name inside.
    argument: String,
    inside: String,
    region: String,
    disks: Vec<Disk>,
    outputs: Vec<String>,
}

#[derive(Clone)]
struct Disk {
    name: String,
    repetition: String,
    arguments: Vec<(&'static str, String)>,
}

const DISKS: [&str; 5] = ["a", "b", "c", "first", "second"];

impl Configuration {
    fn new(random: &mut Random) -> Configuration {
        let mut new = Configuration {
            variables: Vec::new(),
            locals: Vec::new(),
            argument: String::new(),
            inside: "inner".to_owned(),
            region: "\"north\"".to_owned(),
            disks: Vec::new(),
            outputs: Vec::new(),
        };
        for _ in 0..2 {
            new.variables.push(literal(random));
        }
        for _ in 0..3 {
            let local = new.value(random);
            new.locals.push(local);
        }
        new.argument = new.value(random);
        for name in &DISKS[..3] {
            let disk = new.disk(name, random);
            new.disks.push(disk);
        }
        let output = new.value(random);
        new.outputs.push(output);
        new
    }

    fn disk(&self, name: &str, random: &mut Random) -> Disk {
        let repetition = match random.below(4) {
            0 => format!("  count = {}\n", 1 + random.below(2)),
            1 => "  for_each = toset([\"x\", \"y\"])\n".to_owned(),
            _ => String::new(),
        };
        let mut arguments = vec![("zone", self.value(random))];
        if random.one_in(2) {
            arguments.push(("name", self.value(random)));
        }
        if random.one_in(3) {
            arguments.push(("tags", format!("{{ a = {} }}", self.value(random))));
        }
        Disk {
            name: name.to_owned(),
            repetition,
            arguments,
        }
    }

    /// A string, of what there is already.
    fn value(&self, random: &mut Random) -> String {
        let local = |random: &mut Random| match self.locals.len() {
            0 => literal(random),
            count => format!("local.l{}", random.below(count)),
        };
        match random.below(6) {
            0 => literal(random),
            1 | 2 => local(random),
            3 => format!("var.v{}", random.below(2)),
            4 => format!("\"${{var.v{}}}-{}\"", random.below(2), random.below(30)),
            _ => match self.disks.iter().find(|it| it.repetition.is_empty()) {
                Some(disk) if random.one_in(2) => format!("fake_disk.{}.zone", disk.name),
                Some(disk) => format!("fake_disk.{}.id", disk.name),
                None => local(random),
            },
        }
    }

    fn edit(&mut self, random: &mut Random) {
        match random.below(9) {
            0 | 1 => self.variables[random.below(2)] = literal(random),
            2 => {
                let at = random.below(self.locals.len());
                let before = Configuration {
                    locals: self.locals[..at].to_vec(),
                    disks: Vec::new(),
                    ..self.clone()
                };
                self.locals[at] = before.value(random);
            }
            3 => self.argument = literal(random),
            4 => self.region = literal(random),
            5 => {
                let free = DISKS.iter();
                let mut free = free.filter(|name| self.disks.iter().all(|it| it.name != **name));
                if let Some(name) = free.next() {
                    let disk = self.disk(name, random);
                    self.disks.push(disk);
                }
            }
            6 => self.outputs = vec![self.value(random)],
            7 => self.inside = format!("inner{}", random.below(20)),
            _ => {
                let at = random.below(self.disks.len());
                let before = Configuration {
                    disks: self.disks[..at].to_vec(),
                    ..self.clone()
                };
                let name = self.disks[at].name.clone();
                let was_single = self.disks[at].repetition.is_empty();
                let mut disk = before.disk(&name, random);
                if was_single {
                    // Others may refer to it.
                    disk.repetition.clear();
                }
                self.disks[at] = disk;
            }
        }
    }

    fn write(&self) -> Texts {
        let mut main = String::new();
        for (at, value) in self.variables.iter().enumerate() {
            main +=
                &format!("variable \"v{at}\" {{\n  type    = string\n  default = {value}\n}}\n\n");
        }
        main += &format!(
            "provider \"fake\" {{\n  region = {}\n}}\n\nlocals {{\n",
            self.region
        );
        for (at, value) in self.locals.iter().enumerate() {
            main += &format!("  l{at} = {value}\n");
        }
        main += &format!(
            "}}\n\nmodule \"m\" {{\n  source = \"./m\"\n  in     = {}\n}}\n\n",
            self.argument
        );
        for Disk {
            name,
            repetition,
            arguments,
        } in &self.disks
        {
            main += &format!("resource \"fake_disk\" \"{name}\" {{\n{repetition}");
            for (name, value) in arguments {
                main += &format!("  {name} = {value}\n");
            }
            main += "}\n\n";
        }
        for (at, value) in self.outputs.iter().enumerate() {
            main += &format!("output \"o{at}\" {{\n  value = {value}\n}}\n");
        }
        let module = format!(
            "variable \"in\" {{\n  type = string\n}}\n\nresource \"fake_disk\" \"inside\" {{\n  zone = var.in\n  name = \"{}\"\n}}\n",
            self.inside
        );
        let mut objects = vec![object("module.m.fake_disk.inside", "z", "inner")];
        for name in DISKS {
            for key in ["", "[0]", "[\"x\"]"] {
                objects.push(object(&format!("fake_disk.{name}{key}"), "north", "n"));
            }
        }
        let mut files = Texts::default();
        files.set(&format!("{DIR}/main.tf"), &main);
        files.set(&format!("{DIR}/m/main.tf"), &module);
        files.set(&format!("{DIR}/terraform.tfstate"), &state_text(&objects));
        files
    }
}

fn literal(random: &mut Random) -> String {
    (*random.pick(&[
        "\"north\"",
        "\"1\"",
        "\"10\"",
        "\"south-2\"",
        "\"n\"",
        "\"north-west\"",
    ]))
    .to_owned()
}

fn object(addr: &str, zone: &str, name: &str) -> (String, String) {
    let body = format!(
        "id = \"s\"\nkind = \"std\"\nrevision = \"r\"\nname = \"{name}\"\nzone = \"{zone}\"\n"
    );
    (addr.to_owned(), body)
}

/// The same configuration in JSON syntax.
fn in_json_syntax(files: &Texts) -> Texts {
    let mut converted = Texts::default();
    for (path, text) in files.texts() {
        match path.ends_with(".tf") {
            true => converted.set(&format!("{path}.json"), &fixture::to_json_syntax(&text)),
            false => converted.set(&path, &text),
        }
    }
    converted
}

#[test]
fn nothing_is_claimed_of_a_text_that_is_no_configuration() {
    check_pairs(|files| files);
}

#[test]
fn nothing_is_claimed_of_a_text_in_json_that_is_no_configuration() {
    check_pairs(|files| in_json_syntax(&files));
}

fn check_pairs(syntax: impl Fn(Texts) -> Texts) {
    let (mut pairs, mut refused, mut claimed) = (0, 0, 0);
    for seed in seeds(SEEDS) {
        let mut random = Random(seed);
        let mut configuration = Configuration::new(&mut random);
        for _ in 0..4 {
            let before = syntax(configuration.write());
            for _ in 0..=random.below(3) {
                configuration.edit(&mut random);
            }
            let after = syntax(configuration.write());
            let (more, claims) = type_it(&before, &after, &mut random, seed);
            pairs += usize::from(claims > 0);
            refused += more;
            claimed += claims;
        }
    }
    let tried = format!("{pairs} pairs, {refused} refused texts, {claimed} claims");
    assert!(
        pairs > 2 * seeds(SEEDS).count() && refused > 100 && claimed > 1_000,
        "only {tried}"
    );
}
