//! A program: its declarations with their places, and the order of evaluation.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use text::{FileId, Problem, SegmentId, Span, TextRange, TextSize};
use yaml::{File, KeyValue, Node, NodeKind, SegmentRole};

use crate::expr::{Access, Expr, ExprKind, Function, Property, Reader, miscapitalized};
use crate::options::{ResourceOptions, flag, options, text};
use crate::value::Value;

/// The text of a program, parsed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    pub config: Declarations<ConfigDecl>,
    pub variables: Declarations<Expr>,
    pub resources: Declarations<ResourceDecl>,
    pub outputs: Declarations<Expr>,
    /// The releases of Pulumi that it is for, if it says so.
    pub required_version: Option<Arc<Declared<Expr>>>,
    /// Names of components that it defines, whose instances are not planned.
    pub components: Vec<String>,
    pub problems: Vec<Problem<Span>>,
    /// The positions of the resources that are the default providers of their packages.
    default_providers: HashMap<String, usize>,
}

/// Versions of a program share those that did not change.
pub type Declarations<T> = Vec<Arc<Declared<T>>>;

/// Something with a name, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Declared<T> {
    pub name: String,
    pub file: FileId,
    /// The origin of the ranges inside.
    pub segment: SegmentId,
    /// Of the name.
    pub at: TextRange,
    /// Whether its text does not parse, so that parts may be missing.
    pub is_broken: bool,
    pub decl: T,
    /// Problems found in the text.
    problems: Vec<Problem>,
    /// Where its name stands in a text in which it is half-typed. Everything else is that of an earlier text.
    half_typed: Option<Span>,
}

impl<T> Declared<T> {
    /// Whether its text is only half a declaration.
    fn is_unfinished(&self) -> bool {
        self.is_broken || self.has_errors()
    }

    /// Whether its own text has an error. Errors beside other declarations are not counted.
    pub(crate) fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    pub fn span(&self, range: TextRange) -> Span {
        Span {
            file: self.file.clone(),
            segment: self.segment,
            range,
        }
    }

    /// Whether it is that of an earlier text, since it is half-typed.
    pub fn is_of_earlier_text(&self) -> bool {
        self.half_typed.is_some()
    }

    /// Where it is named.
    pub fn place(&self) -> Span {
        let half_typed = self.half_typed.clone();
        half_typed.unwrap_or_else(|| self.span(self.at))
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct ConfigDecl {
    /// Under which it is configured, if not under its own name.
    pub key: Option<String>,
    pub type_name: Option<(String, TextRange)>,
    pub default: Option<Expr>,
    pub is_secret: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ResourceDecl {
    pub type_name: String,
    pub type_at: TextRange,
    /// Its name in the stack, if it differs from the key.
    pub name: Option<String>,
    pub is_default_provider: bool,
    /// A map, or one expression.
    pub properties: Option<Expr>,
    pub get: Option<Expr>,
    pub options: ResourceOptions,
}

/// The sections of a program.
const SECTIONS: [&str; 8] = [
    "config",
    "configuration",
    "variables",
    "resources",
    "outputs",
    "components",
    "namespace",
    SETTINGS,
];

/// Something that is evaluated, by its position in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unit {
    Config(usize),
    Variable(usize),
    Resource(usize),
}

/// The name of the stack's own values.
pub const SETTINGS: &str = "pulumi";

impl Program {
    pub fn read(id: &FileId, file: &File) -> Program {
        Program::default().edited(id, file)
    }

    /// The program of a newer text. What cannot be parsed keeps the meaning that it had: a declaration that is half-typed, and
    /// those that are missing while anything is.
    pub fn edited(&self, id: &FileId, file: &File) -> Program {
        let mut problems = Vec::new();
        let errors = file.errors().map(|(segment, it)| (segment, it.clone()));
        for (segment, problem) in errors.chain(wrong_keys(id, file)) {
            let span = |range| Span {
                file: id.clone(),
                segment,
                range,
            };
            problems.push(problem.map(span));
        }
        let at_key = |item: &KeyValue<'_>, code: &'static str, message: String| {
            let span = Span {
                file: id.clone(),
                segment: item.segment.id,
                range: item.key.range,
            };
            Problem::error(code, message, "", span)
        };
        // The host takes the names of sections in any case.
        let sections = SECTIONS.map(|section| {
            let mut written = file
                .keys()
                .filter(|it| it.name().eq_ignore_ascii_case(section));
            (section, written.next())
        });
        let section = |name: &str| {
            let mut sections = sections.iter();
            sections
                .find(|(it, _)| *it == name)
                .and_then(|(_, item)| item.as_ref())
        };
        let entries = |name: &str| {
            section(name)
                .map(|it| file.entries(it.name()))
                .unwrap_or_default()
        };
        let component = entries("components").into_iter().next();
        let namespace = section("namespace")
            .filter(|it| !it.value.is_null())
            .cloned();
        for (item, message) in [
            (
                component,
                "components are only supported in plugins, not in programs",
            ),
            (
                namespace,
                "namespace is only supported in component plugins",
            ),
        ] {
            problems.extend(item.map(|item| at_key(&item, "plugin-only", message.to_owned())));
        }
        for (name, item) in &sections {
            let Some(item) = item
                .as_ref()
                .filter(|_| !["namespace", SETTINGS].contains(name))
            else {
                continue;
            };
            problems.extend(section_problems(
                name,
                item,
                entries(name).is_empty(),
                &at_key,
            ));
        }
        let is_broken = has_no_keys(file) || file.segments().any(|it| it.parsed.is_broken);
        let mut reading = Reading {
            id,
            is_broken,
            problems,
        };
        // A key that both sections declare counts in the newer one.
        let [newer, mut former] = ["config", "configuration"].map(entries);
        let declared: HashSet<&str> = newer.iter().map(KeyValue::name).collect();
        former.retain(|it| !declared.contains(it.name()));
        let config = reading.section(&self.config, [newer, former].concat(), config);
        let expr = |reader: &mut Reader<'_>, item: &KeyValue<'_>| reader.expr(item.value);
        let variables = reading.section(&self.variables, entries("variables"), expr);
        let resources = reading.section(&self.resources, entries("resources"), resource);
        let outputs = reading.section(&self.outputs, entries("outputs"), expr);
        let settings = section(SETTINGS).filter(|it| !it.value.is_null());
        let range = |item: &KeyValue<'_>| item.value.get("requiredVersion").is_some();
        let required_version = settings
            .filter(|it| range(it))
            .map(|item| Arc::new(reading.declared(item, required_version)));
        let settings = settings.filter(|it| !matches!(it.value.kind, NodeKind::Mapping(_)));
        if let Some(item) = settings {
            let message = "pulumi must be an object".to_owned();
            reading
                .problems
                .push(at_key(item, "type-mismatch", message));
        }
        let components = entries("components").into_iter();
        // Of several of one package the last counts.
        let default_providers = resources.iter().enumerate();
        let default_providers = default_providers.filter(|(_, it)| it.decl.is_default_provider);
        Program {
            config,
            variables,
            outputs,
            required_version,
            components: components.map(|item| item.name().to_owned()).collect(),
            problems: reading.problems,
            default_providers: default_providers
                .map(|(index, it)| (it.decl.package().to_owned(), index))
                .collect(),
            resources,
        }
    }

    /// Gives half-typed resources the types of the text as it stands: the last plan may be about a text with another type.
    pub fn with_written_types(mut self, file: &File) -> Program {
        let half_typed = |it: &&mut Arc<Declared<ResourceDecl>>| it.is_of_earlier_text();
        let mut half_typed = self.resources.iter_mut().filter(half_typed).peekable();
        if half_typed.peek().is_none() {
            return self;
        }
        let entries = file.entries("resources");
        let entries: HashMap<&str, &KeyValue<'_>> =
            entries.iter().map(|it| (it.name(), it)).collect();
        for declared in half_typed {
            let entry = entries.get(declared.name.as_str());
            let written = entry.and_then(|it| it.value.get("type")?.value.text());
            if let Some(written) = written.filter(|it| !it.is_empty()) {
                Arc::make_mut(declared).decl.type_name = written.to_owned();
            }
        }
        self
    }
}

/// Whether the file is empty, or holds only comments and loose words.
fn has_no_keys(file: &File) -> bool {
    file.segments()
        .all(|it| it.parsed.role == SegmentRole::Loose)
}

/// The keys that are written twice, those of the file that must be texts without references, and a file without any.
///
/// Source: `DecodeYAML` in `syntax/encoding/yaml.go` and `TemplateDecl` in `ast/template.go` of Pulumi's YAML host.
fn wrong_keys(id: &FileId, file: &File) -> Vec<(SegmentId, Problem)> {
    if has_no_keys(file) {
        let message = format!("Top level of '{}' must be an object", id.name());
        let start = TextRange::empty(TextSize::new(0));
        let problem = Problem::error("type-mismatch", message, "", start);
        let place = file.segments().next().map(|it| it.id);
        let place = place.unwrap_or(SegmentId { hash: 0, nth: 0 });
        return vec![(place, problem)];
    }
    let names = ["name", "description", "version"].into_iter();
    let misshapen = names.filter_map(|name| {
        let mut keys = file.keys();
        let item = keys.find(|it| it.name().eq_ignore_ascii_case(name))?;
        let message = format!("{name} must be a string");
        let problem = Problem::error("type-mismatch", message, "", item.key.range);
        (!is_plain_text(&item)).then_some((item.segment.id, problem))
    });
    let repeated = file.repeated_keys("outputs").into_iter();
    repeated.chain(misshapen).collect()
}

/// Whether the value of a key is text without references.
fn is_plain_text(item: &KeyValue<'_>) -> bool {
    let mut reader = Reader {
        source: &item.segment.parsed.text,
        problems: &mut Vec::new(),
    };
    reader.expr(item.value).as_str().is_some()
}

/// A text on its way into a program.
struct Reading<'a> {
    id: &'a FileId,
    /// Whether anything in the file does not parse.
    is_broken: bool,
    problems: Vec<Problem<Span>>,
}

impl Reading<'_> {
    fn section<T: Clone>(
        &mut self,
        earlier: &Declarations<T>,
        items: Vec<KeyValue<'_>>,
        read: impl Fn(&mut Reader<'_>, &KeyValue<'_>) -> T,
    ) -> Declarations<T> {
        let by_place: HashMap<(SegmentId, TextRange), &Arc<Declared<T>>> = earlier
            .iter()
            .filter(|it| it.file == *self.id && !it.is_of_earlier_text())
            .map(|it| ((it.segment, it.at), it))
            .collect();
        let mut by_name: HashMap<&str, &Arc<Declared<T>>> = HashMap::new();
        for declared in earlier.iter().rev().filter(|it| !it.is_unfinished()) {
            by_name.insert(&declared.name, declared);
        }
        let mut found: Declarations<T> = Vec::with_capacity(items.len());
        for item in items {
            let known = by_place.get(&(item.segment.id, item.key.range));
            let declared = match known {
                Some(declared) => (*declared).clone(),
                None => Arc::new(self.declared(&item, &read)),
            };
            let problems = declared.problems.iter().cloned();
            self.problems
                .extend(problems.map(|it| it.map(|range| declared.span(range))));
            let before = by_name.get(&*declared.name);
            found.push(match before {
                Some(before) if declared.is_unfinished() => Arc::new(Declared {
                    half_typed: Some(declared.place()),
                    ..(***before).clone()
                }),
                _ => declared,
            });
        }
        first_what_was_there(&mut found, &by_name);
        if self.is_broken {
            let names: HashSet<String> = found.iter().map(|it| it.name.clone()).collect();
            let missing = earlier.iter().filter(|it| !names.contains(&it.name));
            found.extend(missing.cloned());
        }
        found
    }

    fn declared<T>(
        &self,
        item: &KeyValue<'_>,
        read: impl Fn(&mut Reader<'_>, &KeyValue<'_>) -> T,
    ) -> Declared<T> {
        let mut problems = Vec::new();
        let mut reader = Reader {
            source: &item.segment.parsed.text,
            problems: &mut problems,
        };
        let decl = read(&mut reader, item);
        Declared {
            name: item.name().to_owned(),
            file: self.id.clone(),
            segment: item.segment.id,
            at: item.key.range,
            is_broken: item.segment.parsed.is_broken,
            decl,
            problems,
            half_typed: None,
        }
    }
}

/// Of two with the same name the one that was there before comes first: the other is being typed.
fn first_what_was_there<T>(found: &mut Declarations<T>, before: &HashMap<&str, &Arc<Declared<T>>>) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for index in 0..found.len() {
        let name = found[index].name.clone();
        let was_there = |it: &Arc<Declared<T>>| {
            let before = before.get(&*it.name);
            before.is_some_and(|before| Arc::ptr_eq(before, it))
        };
        match first.get(&name) {
            None => drop(first.insert(name, index)),
            Some(&at) if !was_there(&found[at]) && was_there(&found[index]) => {
                found.swap(at, index);
            }
            Some(_) => {}
        }
    }
}

/// The problems of a section's key. The entries are read apart from it.
fn section_problems(
    name: &str,
    item: &KeyValue<'_>,
    is_empty: bool,
    at_key: &dyn Fn(&KeyValue<'_>, &'static str, String) -> Problem<Span>,
) -> Vec<Problem<Span>> {
    let warning = |problem: Problem<Span>| Problem {
        severity: text::Severity::Warning,
        ..problem
    };
    let mut problems = Vec::new();
    if item.name() != name {
        let problem = at_key(item, "unknown-field", miscapitalized(item.name(), name));
        let meant = text::Suggestion(Some(name));
        problems.push(warning(problem.with_fault(meant)));
    }
    if !matches!(item.value.kind, NodeKind::Mapping(_)) && is_empty {
        let message = format!("{name} must be an object");
        problems.push(at_key(item, "type-mismatch", message));
    } else if name == "configuration" {
        let message = "Pulumi.yaml: root-level `configuration` field is deprecated; please use `config` instead.";
        problems.push(warning(at_key(
            item,
            "deprecated-section",
            message.to_owned(),
        )));
    }
    problems
}

fn required_version(reader: &mut Reader<'_>, item: &KeyValue<'_>) -> Expr {
    let range = item.value.get("requiredVersion");
    reader.expr(range.map_or(item.value, |it| &it.value))
}

fn config(reader: &mut Reader<'_>, item: &KeyValue<'_>) -> ConfigDecl {
    let node = item.value;
    let text = |key: &str| {
        let value = &node.get(key)?.value;
        Some((value.text()?.to_owned(), value.range))
    };
    let is = |key: &str| text(key).is_some_and(|(text, _)| text == "true");
    ConfigDecl {
        key: text("name")
            .map(|(text, _)| text)
            .filter(|it| !it.is_empty()),
        type_name: text("type"),
        default: node.get("default").map(|it| reader.expr(&it.value)),
        is_secret: is("secret"),
    }
}

fn resource(reader: &mut Reader<'_>, item: &KeyValue<'_>) -> ResourceDecl {
    let node = item.value;
    if !matches!(node.kind, NodeKind::Mapping(_)) {
        let message = format!("resources.{} must be an object", item.name());
        reader.error("type-mismatch", &message, node.range);
    }
    let known = [
        "type",
        "name",
        "defaultProvider",
        "properties",
        "options",
        "get",
    ];
    let mut fields: HashMap<&str, &Node> = HashMap::new();
    let mut unknown = Vec::new();
    for entry in node.entries() {
        match reader.known_key(&entry.key, &known) {
            Some(key) => drop(fields.insert(key, &entry.value)),
            None => unknown.push(&entry.key),
        }
    }
    let value = |key: &str| fields.get(key).copied();
    let first_key = node.entries().first().map(|it| &it.key);
    let type_at = value("type").or(first_key).unwrap_or(node).range;
    let type_name = value("type").and_then(|it| text(reader, "type", it));
    let type_name = type_name.unwrap_or_default();
    // The host looks at the keys of a resource that has a type.
    for node in unknown.into_iter().filter(|_| !type_name.is_empty()) {
        let key = node.text().unwrap_or_default();
        if !["condition", "metadata"].contains(&key) {
            let message = format!("Resource {type_name} has invalid key '{key}'");
            reader.unknown_field(&message, key, node.range, &known);
        }
    }
    let get = value("get").and_then(|it| read_object(reader, it));
    let properties = value("properties");
    if let Some(null) = properties.filter(|it| it.is_null()) {
        // The host does not register such a resource, so the engine would delete it.
        let message = match get.is_some() {
            true => EXCLUSIVE,
            false => "properties must be an object",
        };
        reader.error("type-mismatch", message, null.range);
    }
    let name = value("name").and_then(|it| text(reader, "name", it));
    let is_default_provider =
        value("defaultProvider").and_then(|it| flag(reader, "defaultProvider", it));
    let is_provider = is_provider_type(&type_name);
    if let Some(node) =
        value("defaultProvider").filter(|_| is_default_provider.is_some() && !is_provider)
    {
        let message = "cannot set defaultProvider on non-provider resource";
        reader.error("invalid-option", message, node.range);
    }
    ResourceDecl {
        type_name,
        type_at,
        name: name.filter(|it| !it.is_empty()),
        is_default_provider: is_default_provider == Some(true) && is_provider,
        properties: properties
            .filter(|it| !it.is_null())
            .map(|it| reader.properties(it)),
        get,
        options: value("options")
            .map(|it| options(reader, it))
            .unwrap_or_default(),
    }
}

/// Whether a name is written as those of types and functions are: with two or three parts.
///
/// Source: `loadPackages` in `packages.go` of Pulumi's YAML host.
pub(crate) fn is_type_token(name: &str) -> bool {
    matches!(name.split(':').count(), 2 | 3)
}

/// The host's message for a resource that is read and managed.
pub(crate) const EXCLUSIVE: &str = "Resource fields properties and get are mutually exclusive";

/// An object that is read instead of managed. Without an id nothing is.
fn read_object(reader: &mut Reader<'_>, node: &Node) -> Option<Expr> {
    if !matches!(node.kind, NodeKind::Mapping(_)) {
        reader.error("type-mismatch", "get must be an object", node.range);
        return None;
    }
    let known = ["id", "state"];
    let mut has_id = false;
    for entry in node.entries() {
        match reader.known_key(&entry.key, &known) {
            Some("id") => has_id = true,
            Some(_) if !matches!(entry.value.kind, NodeKind::Mapping(_) | NodeKind::Alias) => {
                // The host does not register such a resource, so the engine would delete it.
                reader.error(
                    "type-mismatch",
                    "state must be an object",
                    entry.value.range,
                );
            }
            Some(_) => {}
            None => reader.ignored_field("get", &entry.key, &known),
        }
    }
    let is_state = |key: &Node| {
        let name = key.text();
        name.is_some_and(|it| it.eq_ignore_ascii_case("state"))
    };
    has_id.then(|| {
        let entries = node.entries().iter();
        let parts = entries.map(|entry| Property {
            key: reader.expr(&entry.key),
            value: match is_state(&entry.key) {
                true => reader.properties(&entry.value),
                false => reader.expr(&entry.value),
            },
        });
        Expr {
            at: node.range,
            kind: ExprKind::Object(parts.collect()),
        }
    })
}

impl ResourceDecl {
    /// The expressions that it waits for. References of other options have to be declared above it.
    fn awaited(&self) -> impl Iterator<Item = &Expr> {
        let options = &self.options;
        let awaited = [
            &self.properties,
            &options.depends_on,
            &options.parent,
            &options.provider,
            &options.providers,
            &options.aliases,
        ];
        let read = self.read_part("id");
        awaited.into_iter().flatten().chain(read)
    }

    /// All expressions that it is made of.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let options = &self.options;
        let others = [
            &options.protect,
            &options.replace_with,
            &options.deleted_with,
            &options.replacement_trigger,
            &options.env_var_mappings,
        ];
        let timeouts = options.evaluated_timeouts.iter().map(|(_, it)| it);
        let read = self.read_part("state");
        self.awaited()
            .chain(others.into_iter().flatten())
            .chain(timeouts)
            .chain(read)
    }

    /// The id or the state of an object that is read.
    pub(crate) fn read_part(&self, name: &str) -> Option<&Expr> {
        part(self.get.as_ref()?.properties()?, name)
    }

    /// Whether its type is written as types are.
    pub(crate) fn has_type(&self) -> bool {
        is_type_token(&self.type_name)
    }

    pub(crate) fn is_provider(&self) -> bool {
        is_provider_type(&self.type_name)
    }

    /// The package that a type belongs to.
    pub fn package(&self) -> &str {
        package_of(&self.type_name)
    }
}

fn is_provider_type(type_name: &str) -> bool {
    type_name.starts_with(crate::urn::PROVIDER_PREFIX)
}

/// The package that a type belongs to.
pub fn package_of(type_name: &str) -> &str {
    match type_name.strip_prefix(crate::urn::PROVIDER_PREFIX) {
        Some(package) => package,
        None => type_name.split(':').next().unwrap_or_default(),
    }
}

/// In which order a program is evaluated, and why some of it is not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Order {
    pub nodes: Vec<Unit>,
    pub problems: Vec<Problem<Span>>,
    /// The resources that are part of a cycle, or behind one.
    pub left_out: Vec<usize>,
}

impl Program {
    /// Depth first, in the order of the text. Configuration comes first; a default provider comes before the resources of its
    /// package. What is part of a cycle is left out, and what has the name of a value that the stack has (`configured`).
    pub fn order<'a>(
        &'a self,
        project: &str,
        configured: impl IntoIterator<Item = &'a str>,
    ) -> Order {
        let mut names = Names {
            configured: configured.into_iter().collect(),
            ..Names::default()
        };
        let mut order = Order::default();
        for (index, declared) in self.config.iter().enumerate() {
            if names.add(declared, "config", Unit::Config(index), &mut order.problems) {
                order.nodes.push(Unit::Config(index));
            }
        }
        for (index, declared) in self.resources.iter().enumerate() {
            names.add(
                declared,
                "resource",
                Unit::Resource(index),
                &mut order.problems,
            );
        }
        for (index, declared) in self.variables.iter().enumerate() {
            names.add(
                declared,
                "variable",
                Unit::Variable(index),
                &mut order.problems,
            );
        }
        self.conflicts_with_providers(&mut order.problems);
        let mut visit = Visit {
            program: self,
            project,
            names: &names.by_name,
            configured: &names.configured,
            sorted_names: None,
            visiting: HashSet::new(),
            failed: HashSet::new(),
            done: order.nodes.iter().copied().collect(),
            order,
        };
        let resources = (0..self.resources.len()).map(Unit::Resource);
        for node in resources.chain((0..self.variables.len()).map(Unit::Variable)) {
            // Of two with the same name the first counts.
            if names.meant.contains(&node) && !names.configured.contains(self.name(node)) {
                visit.visit(node);
            }
        }
        visit.order.left_out = resources_of(&visit.failed);
        visit.order
    }

    /// Refuses options that choose another plugin than the default provider of the program.
    ///
    /// Source: `setDefaultProviders` in `run.go` of Pulumi's YAML host.
    fn conflicts_with_providers(&self, problems: &mut Vec<Problem<Span>>) {
        for declared in &self.resources {
            let ResourceDecl {
                type_name, options, ..
            } = &declared.decl;
            let package = type_name.split(':').next().unwrap_or_default();
            let Some(provider) = self.default_provider(package) else {
                continue;
            };
            let of_provider = &self.resources[provider].decl.options;
            if options.provider.is_some() {
                continue;
            }
            let differs =
                |own: &Option<String>, other: &Option<String>| own.is_some() && own != other;
            let detail = format!("Try removing this option on resource \"{}\"", declared.name);
            for (is_conflict, message) in [
                (
                    differs(&options.version, &of_provider.version),
                    VERSION_CONFLICT,
                ),
                (
                    differs(
                        &options.plugin_download_url,
                        &of_provider.plugin_download_url,
                    ),
                    ADDRESS_CONFLICT,
                ),
            ] {
                if is_conflict {
                    let span = declared.span(declared.at);
                    problems.push(Problem::error("invalid-option", message, &*detail, span));
                }
            }
        }
        for declared in &self.variables {
            let Some((package, options)) = declared.decl.invocation() else {
                continue;
            };
            let has = |name: &str| part(options, name).is_some();
            if self.default_provider(package).is_none() || has("provider") {
                continue;
            }
            // Even the same is refused.
            let detail = format!("Try removing this option on resource \"{}\"", declared.name);
            for (option, message) in [
                ("version", VERSION_CONFLICT),
                ("pluginDownloadURL", ADDRESS_CONFLICT),
            ] {
                if has(option) {
                    let span = declared.span(declared.at);
                    problems.push(Problem::error("invalid-option", message, &*detail, span));
                }
            }
        }
    }

    /// The call of a function of a provider with the default provider of the program, if it takes that.
    pub(crate) fn with_default_provider(&self, call: &Expr) -> Option<Expr> {
        let (package, options) = call.invocation()?;
        let provider = &self.resources[self.default_provider(package)?];
        if part(options, "provider").is_some() {
            return None;
        }
        let named = ExprKind::Access(Access {
            at: call.at,
            root: provider.name.clone(),
            steps: Vec::new(),
        });
        let call = call.with_call_option("provider", named);
        Some(match &provider.decl.options.version {
            Some(version) => {
                let version = ExprKind::Literal(Value::from(version.as_str()));
                call.with_call_option("version", version)
            }
            None => call,
        })
    }

    fn name(&self, unit: Unit) -> &str {
        match unit {
            Unit::Config(index) => &self.config[index].name,
            Unit::Variable(index) => &self.variables[index].name,
            Unit::Resource(index) => &self.resources[index].name,
        }
    }

    /// The dependencies of a node.
    fn accesses(&self, node: Unit) -> Vec<&Access> {
        let mut found = Vec::new();
        match node {
            Unit::Config(index) => {
                let default = self.config[index].decl.default.iter();
                default.for_each(|it| it.accesses(&mut found));
            }
            Unit::Variable(index) => self.variables[index].decl.accesses(&mut found),
            Unit::Resource(index) => {
                let exprs = self.resources[index].decl.awaited();
                exprs.for_each(|it| it.accesses(&mut found));
            }
        }
        found
    }
}

const VERSION_CONFLICT: &str = "Version conflicts with the default provider version";
const ADDRESS_CONFLICT: &str = "PluginDownloadURL conflicts with the default provider URL";

/// The value of the property with this name, in which case does not matter.
pub(crate) fn part<'a>(properties: &'a [Property], name: &str) -> Option<&'a Expr> {
    let is_it = |it: &str| it.eq_ignore_ascii_case(name);
    let mut properties = properties.iter();
    let found = properties.find(|it| it.key.as_str().is_some_and(is_it));
    found.map(|it| &it.value)
}

/// After so many problems nothing is suggested any more, as each suggestion looks at all names.
pub(crate) const SUGGESTIONS: usize = 100;

#[derive(Default)]
struct Names<'a> {
    by_name: HashMap<&'a str, (Unit, &'static str)>,
    places: HashMap<&'a str, (&'a FileId, SegmentId)>,
    meant: HashSet<Unit>,
    /// Values that the stack has, declared or not.
    configured: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    /// Answers whether the name is free.
    fn add<T>(
        &mut self,
        declared: &'a Declared<T>,
        kind: &'static str,
        node: Unit,
        problems: &mut Vec<Problem<Span>>,
    ) -> bool {
        let name = declared.name.as_str();
        let place = (&declared.file, declared.segment);
        let message = match self.by_name.get(name) {
            _ if name == SETTINGS => format!("{kind} {name} uses the reserved name pulumi"),
            Some((_, other)) if *other == kind => {
                // Equal keys of one mapping are reported as duplicate keys.
                if self.places.get(name) == Some(&place) {
                    return false;
                }
                format!("found duplicate {kind} {name}")
            }
            // The stack's value of it counts.
            Some((_, "config")) if self.configured.contains(name) => return false,
            Some((_, other)) => {
                format!("{kind} {name} cannot have the same name as {other} {name}")
            }
            None => {
                self.places.insert(name, place);
                self.by_name.insert(name, (node, kind));
                self.meant.insert(node);
                return true;
            }
        };
        let span = declared.span(declared.at);
        problems.push(Problem::error("duplicate-name", message, "", span));
        false
    }
}

fn resources_of(units: &HashSet<Unit>) -> Vec<usize> {
    let resources = units.iter().filter_map(|unit| match unit {
        Unit::Resource(index) => Some(*index),
        Unit::Config(_) | Unit::Variable(_) => None,
    });
    let mut resources: Vec<usize> = resources.collect();
    resources.sort_unstable();
    resources
}

struct Visit<'a> {
    program: &'a Program,
    project: &'a str,
    names: &'a HashMap<&'a str, (Unit, &'static str)>,
    configured: &'a HashSet<&'a str>,
    sorted_names: Option<Vec<&'a str>>,
    visiting: HashSet<Unit>,
    done: HashSet<Unit>,
    /// Part of a cycle, or behind one.
    failed: HashSet<Unit>,
    order: Order,
}

/// A node whose dependencies are looked at.
struct Visiting {
    node: Unit,
    /// Those that were not looked at yet, the next one last.
    rest: Vec<Dependency>,
    is_possible: bool,
}

enum Dependency {
    Name(String, Span),
    /// The provider in the program that it uses without saying so.
    DefaultProvider(Unit),
}

impl Visit<'_> {
    /// Puts a node into the order, after its dependencies. A chain of dependencies may be as long as the text.
    fn visit(&mut self, node: Unit) {
        let mut stack = Vec::from_iter(self.begun(node));
        while let Some(visiting) = stack.last_mut() {
            // One reference of a circle is reported.
            let next = visiting.rest.pop().filter(|_| visiting.is_possible);
            match next {
                Some(dependency) => {
                    if let Some(next) = self.next(dependency, &mut visiting.is_possible) {
                        visiting.is_possible &= !self.failed.contains(&next);
                        stack.extend(self.begun(next));
                    }
                }
                None => {
                    let Visiting {
                        node, is_possible, ..
                    } = *visiting;
                    stack.pop();
                    self.end(node, is_possible);
                    if let Some(before) = stack.last_mut() {
                        before.is_possible &= is_possible;
                    }
                }
            }
        }
    }

    /// `None`: it has its place, or can have none.
    fn begun(&mut self, node: Unit) -> Option<Visiting> {
        if self.done.contains(&node) || self.failed.contains(&node) {
            return None;
        }
        self.visiting.insert(node);
        let mut rest = self.dependencies(node);
        let provider = self.default_provider(node);
        rest.extend(provider.map(Dependency::DefaultProvider));
        rest.reverse();
        Some(Visiting {
            node,
            rest,
            is_possible: true,
        })
    }

    fn end(&mut self, node: Unit, is_possible: bool) {
        self.visiting.remove(&node);
        match is_possible {
            true => {
                if let Unit::Resource(index) = node {
                    self.place_late(index);
                }
                self.done.insert(node);
                self.order.nodes.push(node);
            }
            false => {
                self.failed.insert(node);
            }
        }
    }

    /// Puts variables before a resource whose trigger reads them late. The host does not wait for them, but has them by then.
    fn place_late(&mut self, resource: usize) {
        let program = self.program;
        let options = &program.resources[resource].decl.options;
        let Some(trigger) = &options.replacement_trigger else {
            return;
        };
        let is_output = |it: &Access| matches!(self.find(&it.root), Some(Unit::Resource(_)));
        let mut late = Vec::new();
        trigger.late_accesses(&is_output, &mut late);
        for access in late {
            let Some(node) = self.find(&access.root) else {
                continue;
            };
            let is_done = |name: &str| self.find(name).is_some_and(|it| self.done.contains(&it));
            let has_value = |it: &&Access| self.is_configured(&it.root) || is_done(&it.root);
            let is_open = matches!(node, Unit::Variable(_)) && !self.done.contains(&node);
            if is_open && program.accesses(node).iter().all(has_value) {
                self.done.insert(node);
                self.order.nodes.push(node);
            }
        }
    }

    /// The node of a dependency. Reports dependencies that do not exist.
    fn next(&mut self, dependency: Dependency, is_possible: &mut bool) -> Option<Unit> {
        let (access, span) = match dependency {
            Dependency::Name(access, span) => (access, span),
            Dependency::DefaultProvider(provider) => return Some(provider),
        };
        if access == SETTINGS || self.is_configured(&access) {
            return None;
        }
        let Some(found) = self.find(&access) else {
            let message = format!("resource, variable, or config value \"{access}\" not found");
            let mut problem = Problem::error("missing-name", message, "", span);
            if self.order.problems.len() < SUGGESTIONS {
                let names = self.names;
                let known = self.sorted_names.get_or_insert_with(|| {
                    let mut known: Vec<&str> = names.keys().copied().collect();
                    known.sort_unstable();
                    known
                });
                let meant = text::did_you_mean(&access, known.iter().copied());
                problem = problem.with_fault(meant);
            }
            self.order.problems.push(problem);
            return None;
        };
        if self.visiting.contains(&found) {
            let (_, kind) = self.names[access.as_str()];
            let message =
                format!("circular dependency of {kind} '{access}' transitively on itself");
            let problem = Problem::error("cycle", message, "", span);
            self.order.problems.push(problem);
            *is_possible = false;
            return None;
        }
        Some(found)
    }

    fn find(&self, name: &str) -> Option<Unit> {
        let found = self.names.get(name);
        let found = found.or_else(|| self.names.get(self.without_project(name)));
        found.map(|(node, _)| *node)
    }

    fn is_configured(&self, name: &str) -> bool {
        self.configured.contains(name) || self.configured.contains(self.without_project(name))
    }

    fn without_project<'n>(&self, name: &'n str) -> &'n str {
        let stripped = name.strip_prefix(self.project);
        stripped.and_then(|it| it.strip_prefix(':')).unwrap_or(name)
    }

    /// The names that it refers to, with their places.
    fn dependencies(&self, node: Unit) -> Vec<Dependency> {
        let program = self.program;
        let span = |range| match node {
            Unit::Config(index) => program.config[index].span(range),
            Unit::Variable(index) => program.variables[index].span(range),
            Unit::Resource(index) => program.resources[index].span(range),
        };
        let accesses = program.accesses(node).into_iter();
        accesses
            .map(|it| Dependency::Name(it.root.clone(), span(it.at)))
            .collect()
    }

    /// The provider in the program that a resource uses without saying so. The host sorts before it gives functions theirs.
    fn default_provider(&self, node: Unit) -> Option<Unit> {
        let Unit::Resource(index) = node else {
            return None;
        };
        let decl = &self.program.resources[index].decl;
        if decl.options.provider.is_some() || decl.is_default_provider {
            return None;
        }
        // Other providers of the package do without it.
        let package = decl.type_name.split(':').next()?;
        Some(Unit::Resource(self.program.default_provider(package)?))
    }
}

impl Program {
    /// Whether everything that it declares is that of its text.
    pub fn is_parsed(&self) -> bool {
        fn all<T>(declarations: &Declarations<T>) -> bool {
            let mut all = declarations.iter();
            all.all(|it| !it.is_broken && !it.is_of_earlier_text())
        }
        all(&self.config) && all(&self.variables) && all(&self.resources) && all(&self.outputs)
    }

    /// Whether releases of Pulumi plan it differently: it says for which it is, or a resource is deleted with another one.
    pub fn depends_on_release(&self) -> bool {
        let mut resources = self.resources.iter();
        self.required_version.is_some()
            || resources.any(|it| it.decl.options.deleted_with.is_some())
    }

    /// The position of the resource that is the default provider of a package.
    pub fn default_provider(&self, package: &str) -> Option<usize> {
        self.default_providers.get(package).copied()
    }
}

impl Expr {
    /// The package of the function that this is a call of, and the options of the call.
    pub(crate) fn invocation(&self) -> Option<(&str, &[Property])> {
        let ExprKind::Call(call) = &self.kind else {
            return None;
        };
        let Function::Invoke { token, .. } = &call.function else {
            return None;
        };
        let options = call.arguments.get(1).and_then(Expr::properties);
        Some((package_of(token), options.unwrap_or_default()))
    }

    /// The same call with another option.
    pub(crate) fn with_call_option(&self, name: &str, value: ExprKind) -> Expr {
        let mut expr = self.clone();
        let at = self.at;
        if let ExprKind::Call(call) = &mut expr.kind {
            let option = |kind| Expr { at, kind };
            let option = Property {
                key: option(ExprKind::Literal(Value::from(name))),
                value: option(value),
            };
            match call.arguments.get_mut(1).map(|it| &mut it.kind) {
                Some(ExprKind::Object(options)) => options.push(option),
                _ => call.arguments.push(Expr {
                    at,
                    kind: ExprKind::Object(vec![option]),
                }),
            }
        }
        expr
    }

    /// The properties of an object that is written as such.
    pub fn properties(&self) -> Option<&[Property]> {
        match &self.kind {
            ExprKind::Object(properties) => Some(properties),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        Program::read(&FileId::new("/Pulumi.yaml"), &File::parse(text))
    }

    #[test]
    fn a_half_typed_resource_has_the_type_of_its_text_for_completion() {
        let before = program("resources:\n  a:\n    type: t:Old\n    properties: {x: 1}\n");
        let text = "resources:\n  a:\n    type: t:New\n    properties:\n      \n";
        let (id, file) = (FileId::new("/Pulumi.yaml"), File::parse(text));
        let types = |program: &Program| -> Vec<String> {
            let resources = program.resources.iter();
            resources.map(|it| it.decl.type_name.clone()).collect()
        };
        let planned = before.edited(&id, &file);
        assert_eq!(types(&planned), ["t:Old"]);
        let completed = planned.with_written_types(&file);
        assert_eq!(types(&completed), ["t:New"]);
        assert!(completed.resources[0].decl.properties.is_some());
    }

    fn order(text: &str) -> (Vec<String>, Vec<String>) {
        let program = program(text);
        let order = program.order("shop", []);
        let name = |node: &Unit| match node {
            Unit::Config(index) => program.config[*index].name.clone(),
            Unit::Variable(index) => program.variables[*index].name.clone(),
            Unit::Resource(index) => program.resources[*index].name.clone(),
        };
        let problems = order.problems.iter().map(|it| it.summary.to_string());
        (order.nodes.iter().map(name).collect(), problems.collect())
    }

    #[test]
    fn dependencies_come_first_and_then_the_order_of_the_text() {
        let (nodes, problems) = order(
            "variables:\n  v: ${b.x}-${pulumi.stack}\nresources:\n  a:\n    type: t:T\n    properties: {x: '${v}'}\n  b:\n    type: t:T\n    properties: {y: '${shop:c}'}\n  p:\n    type: pulumi:providers:t\n    defaultProvider: true\nconfig:\n  c: {type: string}\n",
        );
        assert_eq!(nodes, ["c", "p", "b", "v", "a"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn a_cycle_and_a_missing_name_are_reported_and_the_rest_has_an_order() {
        let (nodes, problems) =
            order("variables:\n  a: ${b}\n  b: ${a}\n  c: ${nobody}\n  d: 1\n  e: ${a}\n");
        assert_eq!(nodes, ["c", "d"]);
        assert_eq!(
            problems,
            [
                "circular dependency of variable 'a' transitively on itself",
                "resource, variable, or config value \"nobody\" not found",
            ]
        );
    }

    #[test]
    fn two_keys_of_one_mapping_are_reported_once() {
        let text = "variables: {a: 1, a: 2}\n";
        assert_eq!(order(text).1, Vec::<String>::new());
        let told = program(text).problems;
        let told: Vec<&str> = told.iter().map(|it| &*it.summary).collect();
        assert_eq!(told, ["Invalid YAML"]);
    }

    #[test]
    fn keys_count_in_any_case() {
        let read = program(
            "Resources:\n  a:\n    Type: t:T\n    Properties: {x: 1}\n    options: {Protect: true}\n",
        );
        let [a] = read.resources.as_slice() else {
            panic!("{:?}", read.resources);
        };
        assert_eq!(a.decl.type_name, "t:T");
        assert!(a.decl.properties.is_some() && a.decl.options.protect.is_some());
        let told: Vec<&str> = read.problems.iter().map(|it| &*it.summary).collect();
        assert_eq!(
            told,
            [
                "'Resources' looks like a miscapitalization of 'resources'",
                "'Type' looks like a miscapitalization of 'type'",
                "'Properties' looks like a miscapitalization of 'properties'",
                "'Protect' looks like a miscapitalization of 'protect'",
            ]
        );
    }

    #[test]
    fn other_providers_of_a_package_do_not_wait_for_its_default_provider() {
        let (_, problems) = order(
            "resources:\n  a: {type: 'pulumi:providers:t', defaultProvider: true, properties: {x: '${c.y}'}}\n  b: {type: 'pulumi:providers:t'}\n  c: {type: t:T, options: {provider: '${b}', version: 2.0.0}}\n",
        );
        assert_eq!(problems, Vec::<String>::new());
        let (_, problems) = order(
            "resources:\n  a: {type: 'pulumi:providers:t', defaultProvider: true, options: {version: 1.0.0}}\n  b: {type: t:T, options: {version: 2.0.0}}\n  c: {type: t:T, options: {version: 1.0.0}}\n",
        );
        assert_eq!(
            problems,
            ["Version conflicts with the default provider version"]
        );
    }

    #[test]
    fn names_are_unique_over_all_sections() {
        let (_, problems) = order(
            "config:\n  a: {type: string}\nvariables:\n  a: 1\n  pulumi: 1\nresources:\n  b: {type: t:T}\n  b: {type: t:T}\n",
        );
        assert_eq!(
            problems,
            [
                "found duplicate resource b",
                "variable a cannot have the same name as config a",
                "variable pulumi uses the reserved name pulumi",
            ]
        );
    }

    #[test]
    fn options_are_read() {
        let program = program(
            "resources:\n  a:\n    type: lens:Item\n    name: other\n    options:\n      protect: true\n      ignoreChanges: [size, 'tags[*]']\n      deleteBeforeReplace: false\n      parent: ${b}\n      nonsense: 1\n      import: id-1\n",
        );
        let decl = &program.resources[0].decl;
        assert_eq!(decl.name.as_deref(), Some("other"));
        assert_eq!(decl.options.ignore_changes, ["size", "tags[*]"]);
        assert_eq!(decl.options.delete_before_replace, Some(false));
        assert_eq!(decl.options.import.as_deref(), Some("id-1"));
        assert_eq!(decl.package(), "lens");
        let problems: Vec<_> = program
            .problems
            .iter()
            .map(|it| it.summary.to_string())
            .collect();
        assert_eq!(problems, ["nonsense does not exist on resource options"]);
    }

    #[test]
    fn parts_of_another_shape_are_reported() {
        let resource = |part: &str| format!("resources:\n  a:\n    type: t:T\n    {part}\n");
        for (text, expected) in [
            (resource("name: 5"), "name must be a string"),
            (resource("name: ${b.c}"), "name must be a string"),
            (resource("get: x"), "get must be an object"),
            (
                resource("defaultProvider: 'true'"),
                "defaultProvider must be a boolean value",
            ),
            (
                resource("defaultProvider: true"),
                "cannot set defaultProvider on non-provider resource",
            ),
            (resource("options:"), "options must be an object"),
            (
                resource("options: {version: 1}"),
                "version must be a string",
            ),
            (
                resource("options: {import: '${b.c}'}"),
                "import must be a string",
            ),
            (
                resource("options: {ignoreChanges: a}"),
                "ignoreChanges must be a list",
            ),
            (
                resource("options: {hideDiffs: [a, 1]}"),
                "hideDiffs[1] must be a string",
            ),
            (
                resource("options: {retainOnDelete: 1}"),
                "retainOnDelete must be a boolean value",
            ),
            (
                resource("options: {customTimeouts: {create: 5}}"),
                "customTimeouts.create must be a string, got a number",
            ),
            (
                resource("options: {customTimeouts: {read: soon}}"),
                "unable to parse customTimeout Value soon",
            ),
            ("variables:\n".to_owned(), "variables must be an object"),
            ("outputs: [1]\n".to_owned(), "outputs must be an object"),
            (
                "resources:\n  a:\n".to_owned(),
                "resources.a must be an object",
            ),
            (
                "variables:\n  a: {'fn::join': [1]}\n".to_owned(),
                "the argument to fn::join must be a two-valued list",
            ),
        ] {
            let problems = program(&text).problems;
            let problems: Vec<_> = problems.iter().map(|it| it.summary.to_string()).collect();
            assert_eq!(problems, [expected], "{text}");
        }
        let state = resource("get: {id: x, state: {y: '${later.z}'}}");
        let text = format!("{state}  later:\n    type: t:T\n");
        assert_eq!(order(&text).0, ["a", "later"]);
    }
}
