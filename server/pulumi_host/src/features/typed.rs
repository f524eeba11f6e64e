//! Schemas at a place.

use std::sync::Arc;

use ide::PlaceInFile;
use pulumi::program::{Program, ResourceDecl, package_of};
use pulumi::schema::{Fields, FunctionType, Property, ResourceType, Schema};

use super::place::Place;
use crate::folder::ProgramFolder;
use crate::language::{FilePurpose, YamlFile};

/// The program, its plan and its schemas, around a place.
pub(crate) struct CursorContext<'a> {
    pub role: FilePurpose,
    pub yaml: &'a YamlFile,
    pub folder: Option<&'a ProgramFolder>,
    /// Of the text as it stands; in the configuration of a stack, of the last plan.
    pub program: Program,
}

impl<'a> CursorContext<'a> {
    pub(crate) fn at(at: &PlaceInFile<'a>) -> Option<CursorContext<'a>> {
        let role = FilePurpose::of(at.file)?;
        let yaml = YamlFile::of(at.source.parsed())?;
        let folder = at.folder.and_then(ProgramFolder::of);
        let before = folder.map(|it| &it.program);
        // The program of another file: its open text, or the text of the last plan.
        let other = folder
            .map(|it| &it.program_file)
            .filter(|it| *it != at.file);
        let (file, yaml_of_program) = match (other, &role) {
            (Some(other), _) => {
                let open = at.snapshot.file(other);
                (other, open.and_then(|it| YamlFile::of(it.parsed())))
            }
            (None, FilePurpose::Stack(_)) => (at.file, None),
            (None, FilePurpose::Project | FilePurpose::Program) => (at.file, Some(yaml)),
        };
        let program = match (yaml_of_program, before) {
            (Some(yaml), Some(before)) => {
                let edited = before.edited(file, &yaml.file);
                edited.with_written_types(&yaml.file)
            }
            (Some(yaml), None) => Program::read(file, &yaml.file),
            (None, before) => before.cloned().unwrap_or_default(),
        };
        Some(CursorContext {
            role,
            yaml,
            folder,
            program,
        })
    }

    /// The name of the project, as of the last plan or of this file.
    pub(crate) fn project(&self) -> &str {
        let written = || self.yaml.file.key("name")?.value.text();
        let planned = self.folder.map(|it| it.name.as_str());
        planned.or_else(written).unwrap_or_default()
    }

    pub(crate) fn resource(&self, name: &str) -> Option<&ResourceDecl> {
        let found = self.program.resources.iter().find(|it| it.name == name)?;
        Some(&found.decl)
    }

    pub(crate) fn function(&self, written: &str) -> Option<(&str, FunctionType<'_>)> {
        let schema = self.schema(written.split(':').next()?)?;
        let token = schema.function_token(written)?;
        Some((token, schema.function(token)?))
    }

    pub(crate) fn schema(&self, package: &str) -> Option<&Arc<Schema>> {
        self.folder?.schema(package)
    }

    /// The type of a resource.
    pub(crate) fn type_of(&self, resource: &ResourceDecl) -> Option<(&str, ResourceType<'_>)> {
        self.resource_type(&resource.type_name)
    }

    pub(crate) fn resource_type(&self, written: &str) -> Option<(&str, ResourceType<'_>)> {
        let schema = self.schema(package_of(written))?;
        let token = match written.starts_with(pulumi::urn::PROVIDER_PREFIX) {
            true => return Some((&schema.name, schema.resource(written)?)),
            false => schema.resource_token(written)?,
        };
        Some((token, schema.resource(token)?))
    }
}

/// A call that a place is in.
pub(crate) struct Called<'p> {
    /// The written name of the function: behind `fn::`, or as the value of `function`.
    pub written: String,
    /// Of `fn::invoke`, whose arguments have a key.
    pub is_invoke: bool,
    /// The way from the function to the place.
    pub path: &'p [String],
}

impl<'p> Called<'p> {
    pub(crate) fn around(text: &str, place: &'p Place) -> Option<Called<'p>> {
        const PREFIX: &str = "fn::";
        let is_function = |it: &String| {
            it.get(..4)
                .is_some_and(|it| it.eq_ignore_ascii_case(PREFIX))
        };
        let depth = place.path.iter().rposition(is_function)?;
        let path = &place.path[depth + 1..];
        let named = &place.path[depth][PREFIX.len()..];
        let is_invoke = named.eq_ignore_ascii_case("invoke");
        let written = match (is_invoke, path.first()) {
            (false, _) => named.to_owned(),
            (true, Some(_)) => place
                .beside(text, depth + 1, "function")
                .unwrap_or_default(),
            (true, None) => {
                let mut siblings = place.siblings.iter();
                let found = siblings.find(|(key, _)| key == "function");
                found.map(|(_, value)| value.clone()).unwrap_or_default()
            }
        };
        Some(Called {
            written,
            is_invoke,
            path,
        })
    }

    /// The way from its arguments to the place, if that is among them.
    pub(crate) fn argument(&self) -> Option<&'p [String]> {
        match (self.is_invoke, self.path) {
            (false, path) => Some(path),
            (true, [first, path @ ..]) if first == "arguments" => Some(path),
            (true, _) => None,
        }
    }
}

/// The fields of an object, and the names of the required ones.
pub(crate) struct Level<'a> {
    pub fields: Vec<(&'a str, Property<'a>)>,
    pub required: Vec<&'a str>,
}

impl<'a> Level<'a> {
    /// Those at the end of a path.
    pub(crate) fn at(of: Fields<'a>, path: &[String]) -> Option<Level<'a>> {
        let Some((first, rest)) = path.split_first() else {
            let names = of.names().into_iter();
            let fields = names.filter_map(|name| Some((name, of.get(name)?)));
            return Some(Level {
                fields: fields.collect(),
                required: of.required().collect(),
            });
        };
        let property = inside(of.get(first)?, rest)?;
        let names = property.names()?.into_iter();
        let fields = names.filter_map(|name| Some((name, property.property(name)?)));
        Some(Level {
            fields: fields.collect(),
            required: property.required(),
        })
    }

    pub(crate) fn field(&self, name: &str) -> Option<Property<'a>> {
        let found = self.fields.iter().find(|(it, _)| *it == name)?;
        Some(found.1)
    }
}

/// The property at the end of a path, whose first step is a property of the type.
pub(crate) fn property_at<'a>(of: ResourceType<'a>, path: &[String]) -> Option<Property<'a>> {
    let (first, rest) = path.split_first()?;
    inside(of.input(first)?, rest)
}

pub(crate) fn inside<'a>(mut property: Property<'a>, path: &[String]) -> Option<Property<'a>> {
    for step in path {
        property = match step.as_str() {
            "-" => property.items()?,
            name => property.property(name)?,
        };
    }
    Some(property)
}
