//! What the schema says of a place.

use std::sync::Arc;

use ide::At;
use pulumi::program::{Program, ResourceDecl, package_of};
use pulumi::schema::{Property, ResourceType, Schema};

use crate::folder::ProgramFolder;
use crate::language::{Role, YamlFile};

/// What is known around a place.
pub(crate) struct Known<'a> {
    pub role: Role,
    pub yaml: &'a YamlFile,
    pub folder: Option<&'a ProgramFolder>,
    /// Of the text as it stands; in the configuration of a stack, of the last plan.
    pub program: Program,
}

impl<'a> Known<'a> {
    pub(crate) fn at(at: &At<'a>) -> Option<Known<'a>> {
        let role = Role::of(at.file)?;
        let yaml = YamlFile::of(at.source.parsed())?;
        let folder = at.folder.and_then(ProgramFolder::of);
        let is_program = match (&role, folder) {
            (Role::Stack(_), _) => false,
            (Role::Program, _) | (Role::Project, None) => true,
            (Role::Project, Some(folder)) => {
                let mut all = folder.program.resources.iter().map(|it| &it.file);
                all.all(|file| file == at.file)
            }
        };
        let before = folder.map(|it| &it.program);
        let program = match (is_program, before) {
            (true, Some(before)) => before.edited(at.file, &yaml.file),
            (true, None) => Program::read(at.file, &yaml.file),
            (false, before) => before.cloned().unwrap_or_default(),
        };
        Some(Known {
            role,
            yaml,
            folder,
            program,
        })
    }

    pub(crate) fn resource(&self, name: &str) -> Option<&ResourceDecl> {
        let found = self.program.resources.iter().find(|it| it.name == name)?;
        Some(&found.decl)
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
