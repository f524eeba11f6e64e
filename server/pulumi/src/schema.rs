//! The schema of a package: inputs and outputs of its types.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use crate::path::{Path, PathStep};
use crate::types::{ObjectType, Type};

/// A schema, parsed on demand.
#[derive(Clone, PartialEq, Debug)]
pub struct Schema {
    pub name: String,
    pub version: String,
    json: Json,
}

/// A resource type of a schema.
#[derive(Clone, Copy, Debug)]
pub struct ResourceType<'a> {
    schema: &'a Schema,
    json: &'a Json,
}

/// A type as far as values are converted to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simple {
    Bool,
    Integer,
    Number,
    String,
    Array,
    /// Of any shape.
    Object,
    /// Several, or one that anything may be.
    Any,
}

impl Schema {
    pub fn parse(text: &str) -> Result<Schema, serde_json::Error> {
        let json: Json = serde_json::from_str(text)?;
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        Ok(Schema {
            name: text("name"),
            version: text("version"),
            json,
        })
    }

    /// The token of a resource type as the schema writes it. `pkg:Type`, a module without its folder and another case mean
    /// the same.
    pub fn resource_token(&self, written: &str) -> Option<&str> {
        find(self.json["resources"].as_object()?, written)
    }

    /// The resource type that is meant, or the provider itself, with its token.
    pub fn named<'a>(&'a self, written: &'a str) -> Option<(&'a str, ResourceType<'a>)> {
        let token = match written.starts_with(crate::urn::PROVIDER_PREFIX) {
            true => written,
            false => self.resource_token(written)?,
        };
        Some((token, self.resource(token)?))
    }

    pub fn function_token(&self, written: &str) -> Option<&str> {
        find(self.json["functions"].as_object()?, written)
    }

    pub fn resource(&self, token: &str) -> Option<ResourceType<'_>> {
        let json = match token.strip_prefix(crate::urn::PROVIDER_PREFIX) {
            Some(_) => self.json.get("provider")?,
            None => self.json["resources"].get(token)?,
        };
        Some(ResourceType { schema: self, json })
    }

    /// The names of all resource types.
    pub fn resources(&self) -> impl Iterator<Item = &str> {
        let resources = self.json["resources"].as_object();
        resources
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    }

    /// The tokens of all functions.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let functions = self.json["functions"].as_object();
        functions
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    }

    pub fn function(&self, token: &str) -> Option<FunctionType<'_>> {
        let json = self.json["functions"].get(token)?;
        Some(FunctionType { schema: self, json })
    }

    /// The documentation of a function.
    pub fn function_description(&self, token: &str) -> &str {
        let function = self.json["functions"].get(token);
        function
            .and_then(|it| it["description"].as_str())
            .unwrap_or_default()
    }

    /// The configuration keys of the package.
    pub fn configuration(&self) -> impl Iterator<Item = (&str, Property<'_>)> {
        let variables = self.json["config"]["variables"].as_object();
        variables.into_iter().flatten().map(|(name, json)| {
            let property = Property { schema: self, json };
            (name.as_str(), property)
        })
    }

    /// The object type that a reference means, if it is one of this schema.
    fn object(&self, property: &Json) -> Option<(&str, &Json)> {
        let token = property["$ref"].as_str()?.strip_prefix("#/types/")?;
        let token = token.replace("%2F", "/");
        let (token, json) = self.json["types"].as_object()?.get_key_value(&token)?;
        Some((token, json))
    }
}

/// A function of a schema.
#[derive(Clone, Copy, Debug)]
pub struct FunctionType<'a> {
    schema: &'a Schema,
    json: &'a Json,
}

impl<'a> FunctionType<'a> {
    /// Its arguments.
    pub fn inputs(self) -> Fields<'a> {
        let inputs = &self.json["inputs"];
        Fields {
            required: inputs.get("required"),
            ..Fields::new(self.schema, "", &inputs["properties"])
        }
    }

    /// The type of its result, if that is an object.
    pub fn outputs(self) -> Option<Fields<'a>> {
        let json = self.json.get("outputs")?;
        Some(Fields::new(self.schema, "", &json["properties"]))
    }

    /// Its result, if that is a value and not an object of them.
    pub fn value(self) -> Option<Property<'a>> {
        let schema = self.schema;
        let json = self.json.get("outputs")?;
        let is_object = json.get("properties").is_some() || json["type"] == "object";
        (!is_object).then_some(Property { schema, json })
    }

    /// A property of its result.
    pub fn output(self, name: &str) -> Option<Property<'a>> {
        let outputs = self.outputs()?;
        let mut names = outputs.names().into_iter();
        outputs.get(names.find(|it| it.eq_ignore_ascii_case(name))?)
    }
}

/// The properties of a type.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    schema: &'a Schema,
    token: &'a str,
    properties: &'a Json,
    required: Option<&'a Json>,
}

impl<'a> Fields<'a> {
    fn new(schema: &'a Schema, token: &'a str, properties: &'a Json) -> Fields<'a> {
        Fields {
            schema,
            token,
            properties,
            required: None,
        }
    }

    pub fn token(&self) -> &'a str {
        self.token
    }

    pub fn get(&self, name: &str) -> Option<Property<'a>> {
        let json = self.properties.get(name)?;
        Some(Property {
            schema: self.schema,
            json,
        })
    }

    pub fn names(&self) -> Vec<&'a str> {
        let names = self.properties.as_object().into_iter().flat_map(Map::keys);
        names.map(String::as_str).collect()
    }

    pub fn required(&self) -> impl Iterator<Item = &'a str> {
        let required = self.required.and_then(Json::as_array).into_iter().flatten();
        required.filter_map(Json::as_str)
    }
}

fn find<'a>(tokens: &'a Map<String, Json>, written: &str) -> Option<&'a str> {
    let parts: Vec<&str> = written.split(':').collect();
    let lower = |name: &str| {
        let mut chars = name.chars();
        let first = chars.next().map(|c| c.to_ascii_lowercase());
        first.into_iter().chain(chars).collect::<String>()
    };
    let candidates = match parts.as_slice() {
        [package, name] | [package, "", name] => vec![
            written.to_owned(),
            format!("{package}:index:{name}"),
            format!("{package}:index/{}:{name}", lower(name)),
        ],
        [package, module, name] => vec![
            written.to_owned(),
            format!("{package}:{module}/{}:{name}", lower(name)),
        ],
        _ => return None,
    };
    candidates.iter().find_map(|candidate| {
        let exact = tokens.get_key_value(candidate).map(|(token, _)| token);
        let same = || {
            tokens
                .keys()
                .find(|token| token.eq_ignore_ascii_case(candidate))
        };
        exact.or_else(same).map(String::as_str)
    })
}

impl<'a> ResourceType<'a> {
    pub fn is_component(self) -> bool {
        self.json["isComponent"].as_bool().unwrap_or_default()
    }

    fn map(self, key: &str) -> impl Iterator<Item = (&'a str, &'a Json)> {
        let map = self.json[key].as_object().into_iter().flatten();
        map.map(|(name, json)| (name.as_str(), json))
    }

    pub fn inputs(self) -> impl Iterator<Item = &'a str> {
        self.map("inputProperties").map(|(name, _)| name)
    }

    pub fn properties(self) -> impl Iterator<Item = &'a str> {
        self.map("properties").map(|(name, _)| name)
    }

    pub fn required_inputs(self) -> impl Iterator<Item = &'a str> {
        let required = self.json["requiredInputs"].as_array().into_iter().flatten();
        required.filter_map(Json::as_str)
    }

    /// The inputs, as the object that is written.
    pub fn written(self, token: &'a str) -> Fields<'a> {
        Fields {
            required: self.json.get("requiredInputs"),
            ..Fields::new(self.schema, token, &self.json["inputProperties"])
        }
    }

    /// The outputs of an existing object. None of them has to be written.
    pub fn state(self, token: &'a str) -> Fields<'a> {
        Fields::new(self.schema, token, &self.json["properties"])
    }

    /// The properties that a program can read.
    pub fn accessible(self) -> Vec<&'a str> {
        let id = Some("id").filter(|_| !self.is_component());
        id.into_iter()
            .chain(["urn"])
            .chain(self.properties())
            .collect()
    }

    /// The type of one of these.
    pub fn accessed(self, name: &str) -> Option<Type<'a>> {
        match name {
            "urn" => Some(Type::String),
            "id" if !self.is_component() => Some(Type::String),
            _ => self.output(name).map(Property::type_of),
        }
    }

    pub fn input(self, name: &str) -> Option<Property<'a>> {
        let json = self.json["inputProperties"].get(name)?;
        Some(Property {
            schema: self.schema,
            json,
        })
    }

    pub fn output(self, name: &str) -> Option<Property<'a>> {
        let json = self.json["properties"].get(name)?;
        Some(Property {
            schema: self.schema,
            json,
        })
    }

    pub fn description(self) -> &'a str {
        self.json["description"].as_str().unwrap_or_default()
    }

    /// Why it should not be used any more.
    pub fn deprecation(self) -> Option<&'a str> {
        self.json["deprecationMessage"].as_str()
    }

    pub fn secret_outputs(self) -> impl Iterator<Item = &'a str> {
        let is_secret = |json: &Json| json["secret"].as_bool().unwrap_or_default();
        let secret = self
            .map("properties")
            .filter(move |(_, json)| is_secret(json));
        secret.map(|(name, _)| name)
    }

    /// Inputs that have one value only, with it.
    pub fn constants(self) -> impl Iterator<Item = (&'a str, &'a Json)> {
        let inputs = self.map("inputProperties");
        inputs.filter_map(|(name, json)| Some((name, json.get("const")?)))
    }

    /// Types that it had before.
    pub fn alias_types(self) -> impl Iterator<Item = &'a str> {
        let aliases = self.json["aliases"].as_array().into_iter().flatten();
        aliases.filter_map(|alias| alias["type"].as_str())
    }

    /// Whose change replaces it, as paths with `[*]`.
    pub fn replace_on_changes(self) -> Vec<Path> {
        let mut found = Vec::new();
        for (name, json) in self.map("properties") {
            let path = Path::name(name);
            self.schema
                .replacing(json, &path, &mut BTreeSet::new(), &mut found);
        }
        found
    }
}

impl Schema {
    fn replacing(
        &self,
        json: &Json,
        path: &Path,
        seen: &mut BTreeSet<String>,
        found: &mut Vec<Path>,
    ) {
        let mut path = path.clone();
        let mut inner = json;
        loop {
            let inside = [
                ("items", PathStep::Any),
                ("additionalProperties", PathStep::AnyKey),
            ];
            let mut inside = inside.into_iter().map(|(key, step)| (&inner[key], step));
            match inside.find(|(it, _)| it.is_object()) {
                Some((next, step)) => {
                    path = path.then(step);
                    inner = next;
                }
                None => break,
            }
        }
        if json["replaceOnChanges"].as_bool() == Some(true) {
            found.push(path);
            return;
        }
        let Some((token, object)) = self.object(inner) else {
            return;
        };
        if !seen.insert(token.to_owned()) {
            return;
        }
        for (name, json) in object["properties"].as_object().into_iter().flatten() {
            self.replacing(json, &path.then(PathStep::Name(name.clone())), seen, found);
        }
        seen.remove(token);
    }
}

/// A property of a type.
#[derive(Clone, Copy, Debug)]
pub struct Property<'a> {
    schema: &'a Schema,
    json: &'a Json,
}

impl<'a> Property<'a> {
    pub fn description(self) -> &'a str {
        self.json["description"].as_str().unwrap_or_default()
    }

    /// Why it should not be used any more.
    pub fn deprecation(self) -> Option<&'a str> {
        self.json["deprecationMessage"].as_str()
    }

    /// Its type in words: `string`, `List<integer>`, `Map<Rule>`.
    pub fn type_text(self) -> String {
        if let Some(items) = self.items() {
            return format!("List<{}>", items.type_text());
        }
        let more = &self.json["additionalProperties"];
        if more.is_object() {
            return format!("Map<{}>", self.at(more).type_text());
        }
        if let Some(several) = self.json["oneOf"].as_array() {
            let types: Vec<String> = several.iter().map(|it| self.at(it).type_text()).collect();
            return types.join(" | ");
        }
        match (self.json["$ref"].as_str(), self.json["type"].as_str()) {
            (Some(reference), _) => {
                let name = reference.rsplit([':', '/', '#']).next();
                name.unwrap_or(reference).to_owned()
            }
            (None, found) => found.unwrap_or("any").to_owned(),
        }
    }

    /// Its allowed values with their documentation, if the schema lists them.
    pub fn values(self) -> Vec<(String, &'a str)> {
        let of_type = self.schema.object(self.json).map(|(_, json)| json);
        let listed = of_type.and_then(|it| it["enum"].as_array());
        let values = listed.into_iter().flatten().map(|it| {
            let text = match &it["value"] {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            (text, it["description"].as_str().unwrap_or_default())
        });
        let several = self.json["oneOf"].as_array().into_iter().flatten();
        let of_several = several.flat_map(|it| self.at(it).values());
        values.chain(of_several).collect()
    }

    /// The keys that an object has to have.
    pub fn required(self) -> Vec<&'a str> {
        let of_type = self.schema.object(self.json).map(|(_, json)| json);
        let required = of_type.and_then(|it| it["required"].as_array());
        required
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect()
    }

    pub fn is_secret(self) -> bool {
        self.json["secret"].as_bool().unwrap_or_default()
    }

    pub fn simple(self) -> Simple {
        if self.json.get("oneOf").is_some() {
            return Simple::Any;
        }
        if self.json.get("$ref").is_some() {
            return match self.schema.object(self.json) {
                Some((_, json)) if json["type"] == "object" => Simple::Object,
                _ => Simple::Any,
            };
        }
        match self.json["type"].as_str().unwrap_or_default() {
            "boolean" => Simple::Bool,
            "integer" => Simple::Integer,
            "number" => Simple::Number,
            "string" => Simple::String,
            "array" => Simple::Array,
            "object" => Simple::Object,
            _ => Simple::Any,
        }
    }

    pub fn type_of(self) -> Type<'a> {
        let boxed = |it: Property<'a>| Box::new(it.type_of());
        if let Some(several) = self.json["oneOf"].as_array() {
            return Type::Union(several.iter().map(|it| self.at(it).type_of()).collect());
        }
        if let Some(reference) = self.json["$ref"].as_str() {
            return self.referred(reference);
        }
        match self.json["type"].as_str().unwrap_or_default() {
            "boolean" => Type::Bool,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "string" => Type::String,
            "array" => self.items().map_or(Type::Any, |it| Type::List(boxed(it))),
            "object" => Type::Map(match self.json.get("additionalProperties") {
                Some(json) => boxed(self.at(json)),
                None => Box::new(Type::String),
            }),
            _ => Type::Any,
        }
    }

    fn referred(self, reference: &'a str) -> Type<'a> {
        let resource = || {
            let token = reference.strip_prefix("#/resources/")?.replace("%2F", "/");
            let resources = self.schema.json["resources"].as_object()?;
            let (token, _) = resources.get_key_value(&token)?;
            Some(Type::Resource(token, self.schema.resource(token)?))
        };
        match (reference, self.schema.object(self.json)) {
            ("pulumi.json#/Asset", _) => Type::Asset,
            ("pulumi.json#/Archive", _) => Type::Archive,
            (_, Some((token, json))) => match json["enum"].as_array() {
                Some(values) => Type::Enum {
                    token,
                    element: Box::new(self.at(json).type_of()),
                    values,
                },
                None => Type::Object(ObjectType::Declared(Fields {
                    required: json.get("required"),
                    ..Fields::new(self.schema, token, &json["properties"])
                })),
            },
            // Types of other packages are not looked at.
            _ => resource().unwrap_or(Type::Any),
        }
    }

    fn at(self, json: &'a Json) -> Property<'a> {
        Property {
            schema: self.schema,
            json,
        }
    }

    /// Of the elements of a list.
    pub fn items(self) -> Option<Property<'a>> {
        self.json.get("items").map(|json| self.at(json))
    }

    /// Of a key of an object.
    pub fn property(self, name: &str) -> Option<Property<'a>> {
        if let Some((_, object)) = self.schema.object(self.json) {
            return object["properties"].get(name).map(|json| self.at(json));
        }
        self.json
            .get("additionalProperties")
            .map(|json| self.at(json))
    }

    /// The keys of an object type, if it lists them.
    pub fn names(self) -> Option<Vec<&'a str>> {
        let (_, object) = self.schema.object(self.json)?;
        let properties = object["properties"].as_object()?;
        Some(properties.keys().map(String::as_str).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"name": "t", "version": "1.0.0", "types": {
        "t:index:Rule": {"type": "object", "properties": {
            "protocol": {"type": "string", "replaceOnChanges": true}, "port": {"type": "integer"},
            "again": {"$ref": "#/types/t:index:Rule"}}}},
        "resources": {"t:index:Item": {
            "properties": {"zone": {"type": "string", "replaceOnChanges": true}, "generated": {"type": "string", "secret": true},
                "rules": {"type": "array", "items": {"$ref": "#/types/t:index:Rule"}},
                "by": {"type": "object", "additionalProperties": {"$ref": "#/types/t:index:Rule"}}},
            "inputProperties": {"kind": {"type": "string", "const": "Item"}, "rules": {"type": "array", "items": {"$ref": "#/types/t:index:Rule"}}},
            "requiredInputs": ["size"], "aliases": [{"type": "t:old:Item"}]},
        "t:mod/bucket:Bucket": {}},
        "functions": {"t:index:names": {"outputs": {"type": "array", "items": {"type": "string"}}},
            "t:index:item": {"outputs": {"properties": {"size": {"type": "integer"}}}}, "t:index:nothing": {}},
        "provider": {"inputProperties": {"token": {"type": "string", "secret": true}}}}"##;

    fn schema() -> Schema {
        Schema::parse(SCHEMA).unwrap()
    }

    #[test]
    fn tokens_have_short_forms() {
        let schema = schema();
        for (written, expected) in [
            ("t:index:Item", Some("t:index:Item")),
            ("t:Item", Some("t:index:Item")),
            ("T:item", Some("t:index:Item")),
            ("t:mod:Bucket", Some("t:mod/bucket:Bucket")),
            ("t:Nothing", None),
            ("t", None),
        ] {
            assert_eq!(schema.resource_token(written), expected, "{written}");
        }
    }

    #[test]
    fn replace_on_changes_is_found_inside_lists_and_maps() {
        let schema = schema();
        let paths = schema
            .resource("t:index:Item")
            .unwrap()
            .replace_on_changes();
        let mut paths: Vec<_> = paths.iter().map(Path::to_string).collect();
        paths.sort();
        assert_eq!(paths, ["by.*.protocol", "rules[*].protocol", "zone"]);
    }

    #[test]
    fn the_result_of_a_function_is_an_object_or_a_value() {
        let schema = schema();
        let value = |token| schema.function(token).unwrap().value();
        assert_eq!(value("t:index:names").unwrap().type_text(), "List<string>");
        assert!(value("t:index:item").is_none() && value("t:index:nothing").is_none());
        let item = schema.function("t:index:item").unwrap();
        assert_eq!(item.output("Size").unwrap().type_text(), "integer");
    }

    #[test]
    fn a_type_lists_options_that_the_host_adds() {
        let schema = schema();
        let item = schema.resource("t:index:Item").unwrap();
        assert_eq!(item.secret_outputs().collect::<Vec<_>>(), ["generated"]);
        assert_eq!(item.constants().next().unwrap().0, "kind");
        assert_eq!(item.alias_types().collect::<Vec<_>>(), ["t:old:Item"]);
        let rule = item.input("rules").unwrap().items().unwrap();
        assert_eq!(rule.property("port").unwrap().simple(), Simple::Integer);
        assert!(
            schema
                .resource("pulumi:providers:t")
                .unwrap()
                .input("token")
                .unwrap()
                .is_secret()
        );
    }
}
