//! Completion at the cursor.

use ide::{Completion, CompletionKind, Completions, Markdown, PlaceInFile};
use pulumi::evaluate::Binding;
use pulumi::program::package_of;
use pulumi::schema::{Property, Simple};
use pulumi::urn::PROVIDER_PREFIX;
use pulumi::value::Value;

use super::place::{Place, PlaceKind};
use super::typed::{Called, CursorContext, Level, inside, property_at};
use super::words::{
    ALIAS, CONFIG, CONFIG_TYPES, FUNCTIONS, INVOKE, INVOKE_OPTIONS, OPTIONS, PLUGIN, PLUGINS,
    RESOURCE, SETTINGS, STACK, TOP, Word, meaning,
};
use crate::language::FilePurpose;
use crate::planned_objects::masked;

/// More are not sent at once: the editor asks again as the word grows.
const LIMIT: usize = 2_000;

pub(crate) fn completions(at: &PlaceInFile<'_>) -> Completions {
    let text = at.source.document().text();
    let found = Place::at(&text, at.offset).zip(CursorContext::at(at));
    let Some((place, known)) = found else {
        return Completions::default();
    };
    let mut items = Items {
        text: &text,
        place: &place,
        known: &known,
        found: Vec::new(),
    };
    items.add_all();
    let mut found = items.found;
    found.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    found.dedup_by(|a, b| a.label == b.label);
    let is_incomplete = found.len() > LIMIT;
    if is_incomplete {
        found.retain(|it| it.label.contains(&place.typed));
        found.truncate(LIMIT);
    }
    Completions {
        items: found,
        is_incomplete,
    }
}

struct Items<'a> {
    text: &'a str,
    place: &'a Place,
    known: &'a CursorContext<'a>,
    found: Vec<Completion>,
}

impl Items<'_> {
    fn add_all(&mut self) {
        let path: Vec<&str> = self.place.path.iter().map(String::as_str).collect();
        match (&self.place.kind, &self.known.role) {
            (PlaceKind::Reference { path, .. }, _) => self.references(&path.clone()),
            (PlaceKind::Key, FilePurpose::Stack(_)) => match path.as_slice() {
                [] => self.words(&STACK),
                ["config"] => self.config_keys(),
                _ => {}
            },
            (PlaceKind::Value { .. }, FilePurpose::Stack(_)) => {}
            (PlaceKind::Key, _) => self.keys(&path),
            (PlaceKind::Value { key, .. }, _) if key == "-" => self.elements(&path),
            (PlaceKind::Value { key, .. }, _) => self.values(&path, key),
        }
    }

    fn item(&self, kind: CompletionKind, label: &str) -> Completion {
        Completion {
            label: label.to_owned(),
            kind,
            detail: None,
            documentation: Markdown::default(),
            snippet: escaped(label),
            range: self.place.word,
            rank: 5,
            is_deprecated: false,
            asks_again: false,
        }
    }

    /// A key with its colon, unless one follows.
    fn key(&self, label: &str, opens: bool) -> Completion {
        let is_flow = self.place.is_flow;
        let rest = self.place.rest.trim_start_matches(is_of_word);
        let has_colon = match is_flow {
            true => rest.trim_start().starts_with(':'),
            false => self.place.rest.contains(':'),
        };
        let behind = match (has_colon, opens && !is_flow) {
            (true, _) => "",
            (false, true) => ":\n  $0",
            (false, false) => ": $0",
        };
        Completion {
            snippet: format!("{}{behind}", escaped(label)),
            asks_again: !has_colon,
            ..self.item(CompletionKind::Argument, label)
        }
    }

    fn words(&mut self, words: &[Word]) {
        for (word, meaning) in words {
            if self.has_sibling(word) {
                continue;
            }
            let opens = [
                "config",
                "variables",
                "resources",
                "outputs",
                "properties",
                "options",
                "get",
                "customTimeouts",
                "backend",
                "plugins",
                "providers",
                "arguments",
                "state",
            ];
            let item = Completion {
                documentation: Markdown::documentation(meaning),
                ..self.key(word, opens.contains(word))
            };
            self.found.push(item);
        }
    }

    fn has_sibling(&self, name: &str) -> bool {
        self.place.siblings.iter().any(|(it, _)| it == name)
    }

    /// Keys in the call of a function, if the place is in one.
    fn keys_of_call(&mut self) -> Option<()> {
        let place = self.place;
        let called = Called::around(self.text, place)?;
        if let Some(path) = called.argument() {
            let (_, function) = self.known.function(&called.written)?;
            let level = Level::at(function.inputs(), path)?;
            for (name, property) in level.fields {
                self.property(name, property, level.required.contains(&name));
            }
            return Some(());
        }
        match called.path {
            [] => self.words(&INVOKE),
            [options] if options == "options" => self.words(&INVOKE_OPTIONS),
            _ => return None,
        }
        Some(())
    }

    /// Values in the call of a function, if the place is in one and they are known.
    fn values_of_call(&mut self, key: &str) -> Option<()> {
        let place = self.place;
        let called = Called::around(self.text, place)?;
        match (called.argument(), called.path, key) {
            (Some(path), ..) => {
                let (_, function) = self.known.function(&called.written)?;
                let level = Level::at(function.inputs(), path)?;
                self.listed(level.field(key)?);
                self.whole_references();
            }
            (None, [], "function") => {
                for token in self.functions_of_packages() {
                    let item = self.item(CompletionKind::Function, &token);
                    self.found.push(item);
                }
            }
            (None, [], "return") => {
                let (_, function) = self.known.function(&called.written)?;
                let outputs = function.outputs()?;
                for name in outputs.names() {
                    let item = Completion {
                        detail: outputs.get(name).map(Property::type_text),
                        ..self.item(CompletionKind::Member, name)
                    };
                    self.found.push(item);
                }
            }
            (None, [options], key) if options == "options" => self.option(None, key),
            _ => return None,
        }
        Some(())
    }

    fn keys(&mut self, path: &[&str]) {
        if self.keys_of_call().is_some() {
            return;
        }
        match path {
            [] => self.words(&TOP),
            ["config" | "configuration", _] => self.words(&CONFIG),
            ["resources", name] => self.of_resource(name),
            ["resources", _, "options"] => self.words(&OPTIONS),
            ["resources", _, "options", "customTimeouts"] => self.words(&[
                ("create", "How long the creation may take: `10m`."),
                ("update", "How long an update may take: `10m`."),
                ("delete", "How long the deletion may take: `10m`."),
            ]),
            ["resources", _, "options", "aliases", "-"] => self.words(&ALIAS),
            ["resources", _, "get"] => self.words(&[
                ("id", "The id of the existing object."),
                ("state", "More properties that identify it."),
            ]),
            ["resources", name, "properties", rest @ ..] => self.properties(name, rest),
            ["resources", name, "get", "state", rest @ ..] => self.state(name, rest),
            ["variables" | "outputs", ..] => self.functions(),
            ["plugins"] => self.words(&PLUGINS),
            ["plugins", _, "-"] => self.words(&PLUGIN),
            ["options"] => {
                self.words(&[("refresh", "`always` refreshes the state with each command.")])
            }
            ["backend"] => self.words(&[(
                "url",
                "`file://...`, `s3://...` or the URL of Pulumi Cloud.",
            )]),
            ["runtime"] => {
                self.words(&[("name", "`yaml`"), ("options", "Options of the language.")])
            }
            _ => {}
        }
    }

    fn of_resource(&mut self, name: &str) {
        let decl = self.known.resource(name);
        let is_provider = decl.is_some_and(|it| it.type_name.starts_with(PROVIDER_PREFIX));
        let words: Vec<Word> = RESOURCE
            .into_iter()
            .filter(|(word, _)| *word != "defaultProvider" || is_provider)
            .collect();
        self.words(&words);
        let of_type = decl.and_then(|it| self.known.type_of(it));
        let Some((_, of_type)) = of_type else { return };
        let required: Vec<&str> = of_type.required_inputs().collect();
        // Required properties come with the key.
        if let Some(item) = self.found.iter_mut().find(|it| it.label == "properties")
            && !required.is_empty()
            && item.snippet.contains('\n')
        {
            let lines = required.iter().enumerate();
            let lines = lines.map(|(nth, name)| format!("\n  {}: ${}", escaped(name), nth + 1));
            item.snippet = format!("properties:{}", lines.collect::<String>());
            item.detail = Some(format!("with {}", required.join(", ")));
        }
    }

    fn properties(&mut self, name: &str, rest: &[&str]) {
        let of_type = self
            .known
            .resource(name)
            .and_then(|it| self.known.type_of(it));
        let Some((_, of_type)) = of_type else {
            return self.functions();
        };
        if rest.is_empty() {
            let required: Vec<&str> = of_type.required_inputs().collect();
            for name in of_type.inputs() {
                if let Some(property) = of_type.input(name) {
                    self.property(name, property, required.contains(&name));
                }
            }
            return;
        }
        let path: Vec<String> = rest.iter().map(|it| (*it).to_owned()).collect();
        let Some(property) = property_at(of_type, &path) else {
            return self.functions();
        };
        let required = property.required();
        for name in property.names().unwrap_or_default() {
            if let Some(inner) = property.property(name) {
                self.property(name, inner, required.contains(&name));
            }
        }
        self.functions();
    }

    /// Properties by which an existing object is found.
    fn state(&mut self, name: &str, rest: &[&str]) {
        let resource = self.known.resource(name);
        let Some((token, of_type)) = resource.and_then(|it| self.known.type_of(it)) else {
            return;
        };
        let path: Vec<String> = rest.iter().map(|it| (*it).to_owned()).collect();
        let level = Level::at(of_type.state(token), &path);
        for (name, property) in level.into_iter().flat_map(|it| it.fields) {
            self.property(name, property, false);
        }
    }

    fn property(&mut self, name: &str, property: Property<'_>, is_required: bool) {
        if self.has_sibling(name) {
            return;
        }
        let is_nested = matches!(property.simple(), Simple::Array | Simple::Object);
        let item = Completion {
            detail: Some(match is_required {
                true => format!("{}, required", property.type_text()),
                false => property.type_text(),
            }),
            documentation: Markdown::documentation(property.description()),
            rank: if is_required { 3 } else { 4 },
            is_deprecated: property.deprecation().is_some(),
            ..self.key(name, is_nested)
        };
        self.found.push(item);
    }

    /// Those of the language, and those of the packages.
    fn functions(&mut self) {
        if !self.place.siblings.is_empty() {
            return;
        }
        for (name, meaning) in FUNCTIONS {
            let item = Completion {
                kind: CompletionKind::Function,
                documentation: Markdown::documentation(meaning),
                rank: 6,
                ..self.key(name, false)
            };
            self.found.push(item);
        }
        let schemas = self.known.folder.iter().flat_map(|it| &it.schemas);
        for schema in schemas {
            for token in schema.functions() {
                let item = Completion {
                    kind: CompletionKind::Function,
                    documentation: Markdown::documentation(schema.function_description(token)),
                    rank: 7,
                    ..self.key(&format!("fn::{}", short(token)), true)
                };
                self.found.push(item);
            }
        }
    }

    fn functions_of_packages(&self) -> Vec<String> {
        let schemas = self.known.folder.iter().flat_map(|it| &it.schemas);
        schemas.flat_map(|it| it.functions()).map(short).collect()
    }

    fn values(&mut self, path: &[&str], key: &str) {
        if self.values_of_call(key).is_some() {
            return;
        }
        match path {
            [] if key == "runtime" => self.literals(&["yaml"]),
            ["resources", _] if key == "type" => self.types(),
            ["resources", _] if key == "defaultProvider" => self.literals(&["true", "false"]),
            ["resources", name, "options"] => self.option(Some(name), key),
            ["resources", _, "options", "providers"] => self.resources(Some(key.to_owned())),
            ["resources", _, "options", "aliases", "-"] => match key {
                "parent" => self.resources(None),
                "noParent" => self.literals(&["true", "false"]),
                _ => {}
            },
            ["config" | "configuration", _] if key == "type" => self.literals(&CONFIG_TYPES),
            ["config" | "configuration", _] if key == "secret" => {
                self.literals(&["true", "false"]);
            }
            ["resources", name, "properties", rest @ ..] => {
                let path: Vec<String> = rest
                    .iter()
                    .chain([&key])
                    .map(|it| (*it).to_owned())
                    .collect();
                self.property_values(name, &path);
                self.whole_references();
            }
            ["variables" | "outputs", ..] | ["resources", _, "get", ..] => {
                self.whole_references();
            }
            _ => {}
        }
    }

    fn elements(&mut self, path: &[&str]) {
        match path {
            [
                "resources",
                name,
                "options",
                "ignoreChanges" | "replaceOnChanges" | "hideDiffs",
                "-",
            ] => {
                self.paths(name, false);
            }
            ["resources", name, "options", "additionalSecretOutputs", "-"] => {
                self.paths(name, true);
            }
            [
                "resources",
                _,
                "options",
                "dependsOn" | "replaceWith" | "providers",
                "-",
            ] => {
                self.resources(None);
            }
            ["resources", _, "options", "aliases", "-"] => self.words(&ALIAS),
            ["resources", name, "properties", rest @ ..] => {
                let path: Vec<String> = rest.iter().map(|it| (*it).to_owned()).collect();
                self.property_values(name, &path);
                // An element may begin with a key.
                self.properties(name, rest);
                self.whole_references();
            }
            ["plugins", _, "-"] => self.words(&PLUGIN),
            ["variables" | "outputs", ..] => self.whole_references(),
            _ => {}
        }
    }

    /// Of a resource, or of a call.
    fn option(&mut self, resource: Option<&str>, key: &str) {
        match key {
            "protect" | "deleteBeforeReplace" | "retainOnDelete" => {
                self.literals(&["true", "false"]);
            }
            "parent" | "deletedWith" | "dependsOn" | "replaceWith" => self.resources(None),
            "provider" => {
                let decl = resource.and_then(|it| self.known.resource(it));
                let package = decl.map(|it| it.package().to_owned());
                self.resources(Some(package.unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn literals(&mut self, literals: &[&str]) {
        for literal in literals {
            let item = self.item(CompletionKind::Literal, literal);
            self.found.push(item);
        }
    }

    fn types(&mut self) {
        let folder = self.known.folder;
        let schemas = folder.iter().flat_map(|it| &it.schemas);
        for schema in schemas {
            for token in schema.resources() {
                let Some(of_type) = schema.resource(token) else {
                    continue;
                };
                let item = Completion {
                    documentation: Markdown::documentation(of_type.description()),
                    is_deprecated: of_type.deprecation().is_some(),
                    ..self.item(CompletionKind::Type, &short(token))
                };
                self.found.push(item);
            }
        }
        let installed = folder.iter().flat_map(|it| &it.installed);
        let installed: Vec<String> = installed.cloned().collect();
        for package in installed {
            let provider = Completion {
                rank: 7,
                detail: Some("a provider".to_owned()),
                ..self.item(
                    CompletionKind::Provider,
                    &format!("{PROVIDER_PREFIX}{package}"),
                )
            };
            let whole = Completion {
                rank: 6,
                detail: Some("a package".to_owned()),
                asks_again: true,
                ..self.item(CompletionKind::Module, &format!("{package}:"))
            };
            self.found.extend([provider, whole]);
        }
        let stash = self.item(CompletionKind::Type, "pulumi:index:Stash");
        self.found.push(stash);
    }

    fn property_values(&mut self, name: &str, path: &[String]) {
        let of_type = self
            .known
            .resource(name)
            .and_then(|it| self.known.type_of(it));
        let property = of_type.and_then(|(_, of_type)| property_at(of_type, path));
        if let Some(property) = property {
            self.listed(property);
        }
    }

    /// The values that a schema lists.
    fn listed(&mut self, property: Property<'_>) {
        for (value, description) in property.values() {
            let item = Completion {
                documentation: Markdown::documentation(description),
                rank: 2,
                ..self.item(CompletionKind::Literal, &value)
            };
            self.found.push(item);
        }
        if property.simple() == Simple::Bool {
            self.literals(&["true", "false"]);
        }
    }

    /// Resources that an option may name; only providers of a package.
    fn resources(&mut self, provider_of: Option<String>) {
        let own = self.place.path.get(1);
        let program = &self.known.program;
        for declared in program.resources.iter().filter(|it| Some(&it.name) != own) {
            let type_name = &declared.decl.type_name;
            let is_meant = match &provider_of {
                Some(package) => {
                    let is_of_package = package.is_empty() || package_of(type_name) == *package;
                    type_name.starts_with(PROVIDER_PREFIX) && is_of_package
                }
                None => true,
            };
            if is_meant {
                let item = Completion {
                    detail: Some(type_name.clone()),
                    ..self.item(CompletionKind::Resource, &format!("${{{}}}", declared.name))
                };
                self.found.push(item);
            }
        }
    }

    /// Names in braces, where a value may stand.
    fn whole_references(&mut self) {
        for (name, kind, detail) in self.names() {
            let item = Completion {
                detail,
                rank: 6,
                ..self.item(kind, &format!("${{{name}}}"))
            };
            self.found.push(item);
        }
    }

    fn names(&self) -> Vec<(String, CompletionKind, Option<String>)> {
        let program = &self.known.program;
        let own = match self.place.path.as_slice() {
            [section, name, ..] if section == "resources" || section == "variables" => Some(name),
            _ => None,
        };
        let config = program.config.iter().map(|it| {
            let detail = it.decl.type_name.as_ref().map(|(name, _)| name.clone());
            (it.name.clone(), CompletionKind::Variable, detail)
        });
        let variables = program.variables.iter();
        let variables = variables.map(|it| (it.name.clone(), CompletionKind::Local, None));
        let resources = program.resources.iter().map(|it| {
            let detail = Some(it.decl.type_name.clone());
            (it.name.clone(), CompletionKind::Resource, detail)
        });
        let all = config.chain(variables).chain(resources);
        all.filter(|(name, ..)| Some(name) != own).collect()
    }

    /// Between `${` and the cursor.
    fn references(&mut self, before: &str) {
        let is_bracketed = matches!(
            self.place.kind,
            PlaceKind::Reference {
                is_bracketed: true,
                ..
            }
        );
        let close = match (is_bracketed, self.place.rest.starts_with(['}', '"'])) {
            (_, true) => "",
            (true, false) => "\"]\\}",
            (false, false) => "\\}",
        };
        if before.is_empty() {
            for (name, kind, detail) in self.names() {
                let item = Completion {
                    detail,
                    snippet: format!("{}{close}", escaped(&name)),
                    ..self.item(kind, &name)
                };
                self.found.push(item);
            }
            let settings = Completion {
                snippet: "pulumi.".to_owned(),
                asks_again: true,
                rank: 6,
                ..self.item(CompletionKind::Module, "pulumi")
            };
            self.found.push(settings);
            return;
        }
        for (name, detail, documentation) in self.members(before) {
            let item = Completion {
                detail,
                documentation,
                snippet: format!("{}{close}", escaped(&name)),
                ..self.item(CompletionKind::Member, &name)
            };
            self.found.push(item);
        }
    }

    /// Names after a dot.
    fn members(&self, before: &str) -> Vec<(String, Option<String>, Markdown)> {
        let mut steps: Vec<String> = Vec::new();
        for part in before.split('.') {
            let (name, index) = part.split_once('[').unwrap_or((part, ""));
            steps.push(name.to_owned());
            steps.extend((!index.is_empty()).then(|| "-".to_owned()));
        }
        let Some((root, rest)) = steps.split_first() else {
            return Vec::new();
        };
        if root == "pulumi" {
            let settings = SETTINGS.iter();
            let settings = settings
                .map(|(name, described)| ((*name).to_owned(), None, Markdown::text(*described)));
            return settings.collect();
        }
        if let Some(decl) = self.known.resource(root) {
            return self.members_of(decl, rest);
        }
        let names = self.known.folder.map(|it| &it.plan.names);
        let binding = names.and_then(|it| it.get(root));
        let Some(Binding::Value(evaluated)) = binding.map(|it| &**it) else {
            return Vec::new();
        };
        let mut value = evaluated.value.revealed();
        for step in rest {
            value = match value {
                Value::Object(object) => object.get(step).unwrap_or(&Value::Null).revealed(),
                Value::Array(elements) => elements.first().unwrap_or(&Value::Null).revealed(),
                _ => return Vec::new(),
            };
        }
        let Value::Object(object) = value else {
            return Vec::new();
        };
        let is_secret = evaluated.value.has_secret();
        let members = object.iter().map(|(name, value)| {
            let detail = (!is_secret).then(|| pulumi::functions::json(&masked(value)));
            (name.clone(), detail, Markdown::default())
        });
        members.collect()
    }

    fn members_of(
        &self,
        decl: &pulumi::program::ResourceDecl,
        rest: &[String],
    ) -> Vec<(String, Option<String>, Markdown)> {
        let Some((_, of_type)) = self.known.type_of(decl) else {
            return Vec::new();
        };
        let described = |name: &str, property: Property<'_>| {
            let documentation = Markdown::documentation(property.description());
            (name.to_owned(), Some(property.type_text()), documentation)
        };
        let Some((first, rest)) = rest.split_first() else {
            let own = [("id", "Its id."), ("urn", "Its URN.")];
            let own = own.map(|(name, meaning)| {
                let string = Some("string".to_owned());
                (name.to_owned(), string, Markdown::text(meaning))
            });
            let outputs = of_type.properties();
            let outputs = outputs.filter_map(|name| Some(described(name, of_type.output(name)?)));
            return own.into_iter().chain(outputs).collect();
        };
        let property = of_type.output(first).and_then(|it| inside(it, rest));
        let Some(property) = property else {
            return Vec::new();
        };
        let names = property.names().unwrap_or_default().into_iter();
        names
            .filter_map(|name| Some(described(name, property.property(name)?)))
            .collect()
    }

    /// Paths of properties of a resource.
    fn paths(&mut self, name: &str, of_outputs: bool) {
        let of_type = self
            .known
            .resource(name)
            .and_then(|it| self.known.type_of(it));
        let Some((_, of_type)) = of_type else { return };
        let mut found = Vec::new();
        let names: Vec<&str> = match of_outputs {
            true => of_type.properties().collect(),
            false => of_type.inputs().collect(),
        };
        for name in names {
            let property = match of_outputs {
                true => of_type.output(name),
                false => of_type.input(name),
            };
            let Some(property) = property else { continue };
            found.push((name.to_owned(), property.type_text()));
            if of_outputs {
                continue;
            }
            let (inner, path) = match property.items() {
                Some(items) => (items, format!("{name}[*]")),
                None => (property, name.to_owned()),
            };
            for key in inner.names().unwrap_or_default() {
                let detail = inner.property(key).map(Property::type_text);
                found.push((format!("{path}.{key}"), detail.unwrap_or_default()));
            }
        }
        let whole = Completion {
            documentation: Markdown::text("All properties."),
            snippet: "\"*\"".to_owned(),
            ..self.item(CompletionKind::Literal, "*")
        };
        self.found.push(whole);
        for (path, detail) in found {
            let snippet = match path.contains('[') {
                true => format!("\"{}\"", escaped(&path)),
                false => escaped(&path),
            };
            let item = Completion {
                detail: Some(detail),
                snippet,
                ..self.item(CompletionKind::Member, &path)
            };
            self.found.push(item);
        }
    }

    /// Keys of the configuration, as the program declares them.
    fn config_keys(&mut self) {
        let Some(folder) = self.known.folder else {
            return;
        };
        for declared in &self.known.program.config {
            let key = declared.decl.key.as_deref().unwrap_or(&declared.name);
            let key = match key.contains(':') {
                true => key.to_owned(),
                false => format!("{}:{key}", folder.name),
            };
            if self.has_sibling(&key) {
                continue;
            }
            let detail = declared
                .decl
                .type_name
                .as_ref()
                .map(|(name, _)| name.clone());
            let item = Completion {
                detail,
                ..self.key(&key, false)
            };
            self.found.push(item);
        }
        for schema in &folder.schemas {
            for (name, property) in schema.configuration() {
                let item = Completion {
                    detail: Some(property.type_text()),
                    documentation: Markdown::documentation(property.description()),
                    rank: 6,
                    ..self.key(&format!("{}:{name}", schema.name), false)
                };
                self.found.push(item);
            }
        }
    }
}

/// A token as people write it: without the module that all have.
fn short(token: &str) -> String {
    let parts: Vec<&str> = token.split(':').collect();
    match parts.as_slice() {
        [package, "index", name] => format!("{package}:{name}"),
        [package, module, name] => match module.split_once('/') {
            Some(("index", _)) => format!("{package}:{name}"),
            Some((folder, _)) => format!("{package}:{folder}:{name}"),
            None => token.to_owned(),
        },
        _ => token.to_owned(),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || "_-".contains(c)
}

/// A text in a snippet, where some characters have a meaning.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('$', "\\$")
        .replace('}', "\\}")
}

/// The meaning of an option.
pub(super) fn option_meaning(option: &str) -> Option<&'static str> {
    meaning(&OPTIONS, option)
}
