//! The expected value at a place: a type, a word, one of some values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use config::{ResourceMode, Variable};
use cty::Type;
use schema::{ArgumentKind, Attribute, SchemaSource};
use smol_str::SmolStr;

use super::CompletionContext;
use super::allowed::allowed_values;
use crate::body::{self, ArgumentSchema, BodySchema};
use crate::cursor::{Header, ValuePlace, Within};
use crate::hover_text::Text;
use crate::module_context::ModuleContext;
use crate::referent::local_module;

/// The expected value at a place.
#[derive(Clone, Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) kind: ArgumentKind,
    pub(super) values: Vec<SmolStr>,
    pub(super) ty: Type,
    /// Of an object that a provider describes attribute by attribute.
    pub(super) attributes: Option<&'a BTreeMap<SmolStr, Attribute>>,
}

/// Arguments whose value names an object and has no value itself.
pub(super) const ADDRESS_KINDS: [ArgumentKind; 4] = [
    ArgumentKind::References,
    ArgumentKind::ReplaceTriggeredBy,
    ArgumentKind::Address,
    ArgumentKind::StateAddress,
];

impl Default for Expected<'_> {
    fn default() -> Self {
        Expected {
            kind: ArgumentKind::Any,
            values: Vec::new(),
            ty: Type::Dynamic,
            attributes: None,
        }
    }
}

impl Expected<'_> {
    pub(super) fn of_type(ty: Type) -> Self {
        Expected {
            ty,
            ..Expected::default()
        }
    }

    /// How well a value of type `ty` is in its place.
    pub(super) fn rank(&self, ty: &Type) -> u8 {
        if self.ty.is_dynamic() {
            return 3;
        }
        match fit(ty, &self.ty) {
            Fit::Same => 1,
            Fit::Converted => 2,
            Fit::Perhaps => 4,
            Fit::Never => 7,
        }
    }
}

impl CompletionContext<'_> {
    /// The expected value at the cursor.
    pub(crate) fn expected(&self, place: &ValuePlace) -> Expected<'_> {
        let mut expected = self.expected_of_argument(&place.argument);
        for within in &place.within {
            expected = match within {
                Within::Element => Expected {
                    ty: element(&expected.ty),
                    ..expected
                },
                Within::Item(key) => match expected.attributes.and_then(|it| it.get(key)) {
                    Some(attribute) => of_attribute(attribute),
                    None => Expected {
                        ty: item(&expected.ty, key),
                        attributes: None,
                        ..expected
                    },
                },
                Within::Argument { .. } if expected.kind == ArgumentKind::Type => expected,
                Within::Argument { function, index } => {
                    Expected::of_type(parameter(function, *index).unwrap_or(Type::Dynamic))
                }
                Within::Interpolation => Expected::of_type(Type::String),
                Within::Index | Within::Operand => Expected::default(),
                Within::Key { .. } | Within::Quoted => expected,
            };
        }
        expected
    }

    fn expected_of_argument(&self, name: &SmolStr) -> Expected<'_> {
        let blocks = &self.cursor.blocks;
        let Some(header) = blocks.last() else {
            let variable = self.known.module.variables.get(name);
            return variable.map_or_else(Expected::default, |variable| of_variable(variable));
        };
        let Some(schema) = BodySchema::of(&self.known, self.role(), blocks) else {
            return Expected::default();
        };
        let added = schema.language.and_then(|it| body::added(it, header));
        let argument = schema.argument(name).or_else(|| {
            let argument = added?.arguments.get(name)?;
            Some(ArgumentSchema::Language(argument))
        });
        match argument {
            Some(ArgumentSchema::Provider(Cow::Borrowed(attribute))) => of_attribute(attribute),
            Some(ArgumentSchema::Provider(Cow::Owned(attribute))) => {
                Expected::of_type(attribute.ty)
            }
            Some(ArgumentSchema::Language(argument)) => Expected {
                kind: argument.kind,
                values: argument.values.clone(),
                ty: match (header.kind.as_str(), name.as_str(), header.labels.first()) {
                    ("variable", "default", Some(variable)) => {
                        let variable = self.known.module.variables.get(variable);
                        variable.map_or(Type::Dynamic, |variable| of_variable(variable).ty)
                    }
                    (
                        "mock_resource" | "mock_data" | "override_resource" | "override_data",
                        "defaults" | "values",
                        _,
                    ) => self.mocked(header).unwrap_or(Type::Dynamic),
                    _ => argument.kind.ty(),
                },
                attributes: None,
            },
            None => match schema.language.map(|language| language.further) {
                Some(SchemaSource::Module) => {
                    let called = self.called_module();
                    let variable =
                        called.and_then(|called| called.module.variables.get(name).cloned());
                    variable.map_or_else(Expected::default, |variable| of_variable(&variable))
                }
                Some(SchemaSource::ProviderRequirements) => Expected::of_type(requirement()),
                Some(SchemaSource::Variables) => {
                    let tested = self.tested_module();
                    let variable = tested.module.variables.get(name);
                    variable.map_or_else(Expected::default, |variable| of_variable(variable))
                }
                _ => Expected::default(),
            },
        }
    }

    /// The module that the call around the cursor calls.
    pub(crate) fn called_module(&self) -> Option<&Arc<ModuleContext>> {
        let header = self
            .cursor
            .blocks
            .first()
            .filter(|it| it.kind == "module")?;
        self.called_by(header.labels.first()?)
    }

    /// The module that the `run` block around the cursor runs.
    pub(super) fn tested_module(&self) -> &Arc<ModuleContext> {
        let run = self.own_block().filter(|run| run.kind.name == "run");
        let module = run.and_then(|run| run.body.blocks_of("module").into_iter().next());
        let source = module.and_then(|module| {
            let source = module.body.attribute("source")?;
            source.expr.as_literal_string()
        });
        // Tests name folders as the module does that they test.
        let here = self.known.module.files.keys().next().unwrap_or(self.file);
        let tested = source.and_then(|source| self.modules.get(&local_module(here, &source)?));
        tested.unwrap_or(&self.known)
    }

    /// The attributes that a provider would compute of the object that a mock is for, all of them optional.
    fn mocked(&self, header: &Header) -> Option<Type> {
        let (mode, r#type) = match header.labels.first() {
            Some(label) if header.kind == "mock_data" => (ResourceMode::Data, label.clone()),
            Some(label) => (ResourceMode::Managed, label.clone()),
            None => {
                let target = self.own_body()?.attribute("target")?;
                let traversal = target.expr.as_traversal()?;
                let reference = config::refs::parse(&self.origin(), &traversal).ok()?;
                let addr = reference.subject.resource()?.clone();
                (addr.mode, addr.r#type)
            }
        };
        let schema = self.known.resource_schema(mode, &r#type)?;
        let computed = schema.block.attributes.iter().filter(|(_, it)| it.computed);
        let computed: Vec<_> = computed
            .map(|(name, it)| (name.as_str(), it.ty.clone()))
            .collect();
        let names: Vec<&str> = computed.iter().map(|(name, _)| *name).collect();
        Some(Type::object_with_optional(computed, names))
    }

    pub(crate) fn called_by(&self, call: &str) -> Option<&Arc<ModuleContext>> {
        let source = self.known.module.module_calls.get(call)?.source.as_ref()?;
        self.modules.get(&local_module(self.file, source)?)
    }

    /// The documentation of an object's key that is expected here.
    pub(crate) fn key(&self, place: &ValuePlace, key: &str) -> Option<Text> {
        let expected = self.expected(place);
        if let Some(attribute) = expected.attributes.and_then(|it| it.get(key)) {
            let mut text = Text::argument(key, attribute);
            text.attribute(attribute);
            return Some(text);
        }
        let ty = expected.ty.attribute_type(key)?;
        let mut text = Text::default();
        text.code(&format!("{key} : {}", ty.friendly_name_for_constraint()));
        text.paragraph(match expected.ty.is_optional_attribute(key) {
            true => "Optional",
            false => "Required",
        });
        Some(text)
    }
}

fn of_attribute(attribute: &Attribute) -> Expected<'_> {
    Expected {
        attributes: attribute.nested_type.as_ref().map(|it| &it.attributes),
        ..Expected::of_type(attribute.ty.clone())
    }
}

fn of_variable(variable: &Variable) -> Expected<'static> {
    let ty = variable
        .r#type
        .as_ref()
        .map(|expr| eval::types::variable_type(&expr.ast).0.ty);
    Expected {
        values: allowed_values(variable),
        ..Expected::of_type(ty.unwrap_or(Type::Dynamic))
    }
}

/// An entry of `required_providers`.
fn requirement() -> Type {
    Type::object_with_optional(
        [
            ("source", Type::String),
            ("version", Type::String),
            ("configuration_aliases", Type::list(Type::Dynamic)),
        ],
        ["version", "configuration_aliases"],
    )
}

fn element(ty: &Type) -> Type {
    match ty {
        Type::Tuple(elements) => elements.first().cloned().unwrap_or(Type::Dynamic),
        _ => ty.element_type().cloned().unwrap_or(Type::Dynamic),
    }
}

fn item(ty: &Type, key: &str) -> Type {
    let inside = ty.attribute_type(key).or_else(|| ty.element_type());
    inside.cloned().unwrap_or(Type::Dynamic)
}

fn parameter(function: &str, index: usize) -> Option<Type> {
    let signature = eval::functions::signatures().get(function)?;
    let parameter = signature
        .parameters
        .get(index)
        .or(signature.variadic.as_ref());
    parameter.map(|parameter| parameter.ty.clone())
}

/// How a value of one type serves where another is wanted.
enum Fit {
    Same,
    Converted,
    Perhaps,
    Never,
}

fn fit(from: &Type, to: &Type) -> Fit {
    match (from, to) {
        _ if from == to => Fit::Same,
        (Type::Dynamic, _) | (_, Type::Dynamic) => Fit::Perhaps,
        (Type::String, Type::Number | Type::Bool) => Fit::Perhaps,
        (Type::Number | Type::Bool, Type::String) => Fit::Converted,
        (Type::List(a) | Type::Set(a), Type::List(b) | Type::Set(b))
        | (Type::Map(a), Type::Map(b)) => match fit(a, b) {
            Fit::Same => Fit::Converted,
            other => other,
        },
        (Type::Tuple(_), Type::List(_) | Type::Set(_) | Type::Tuple(_)) => Fit::Perhaps,
        (Type::Object(_) | Type::Map(_), Type::Object(_) | Type::Map(_)) => Fit::Perhaps,
        _ => Fit::Never,
    }
}
