//! Types of expressions, and which of them fit where: as Pulumi's language host for YAML checks a program before it evaluates it.

use std::cell::RefCell;

use serde_json::Value as Json;
use text::{Fault, Missing, TextRange};

use crate::expr::{Access, AccessStep, Call, Expr, ExprKind, Function};
use crate::schema::{Fields, FunctionType, Property, ResourceType};
use crate::value::Value;

#[derive(Clone, Debug)]
pub enum Type<'a> {
    /// Of any shape, or not known. It fits everywhere, and everything fits it.
    Any,
    Bool,
    Integer,
    Number,
    String,
    Asset,
    Archive,
    List(Box<Type<'a>>),
    Map(Box<Type<'a>>),
    Union(Vec<Type<'a>>),
    Enum {
        token: &'a str,
        element: Box<Type<'a>>,
        values: &'a [Json],
    },
    Object(ObjectType<'a>),
    Resource(&'a str, ResourceType<'a>),
}

/// The properties of an object.
#[derive(Clone, Debug)]
pub enum ObjectType<'a> {
    Declared(Fields<'a>),
    /// It stands in the program.
    Written(Vec<(&'a str, Type<'a>)>),
}

/// Something that does not fit its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// `None`: of the whole.
    pub at: Option<TextRange>,
    pub fault: Fault,
    pub summary: String,
    pub detail: String,
}

impl Misfit {
    fn new(at: TextRange, summary: String, detail: String) -> Misfit {
        Misfit {
            at: Some(at),
            fault: Fault::Other,
            summary,
            detail,
        }
    }
}

/// The types of the names of a program.
pub trait Names<'a> {
    fn type_of(&self, name: &str) -> Type<'a>;

    /// A function of a package, or the reason why it does not exist. `None`: its package is not known.
    fn function(&self, token: &str) -> Option<Result<FunctionType<'a>, String>>;
}

/// Checks the expressions of one declaration.
pub struct Checker<'a, 'n> {
    pub names: &'n dyn Names<'a>,
    pub found: RefCell<Vec<Misfit>>,
}

impl<'a> Checker<'a, '_> {
    fn report(&self, misfit: Misfit) {
        self.found.borrow_mut().push(misfit);
    }

    /// Checks the inside of an expression, wherever it is used.
    pub fn walk(&self, expr: &'a Expr) {
        match &expr.kind {
            // The host does not look into templates.
            ExprKind::Literal(_) | ExprKind::Invalid | ExprKind::Template(_) => {}
            ExprKind::Access(access) => {
                let root = self.names.type_of(&access.root);
                if let Err(misfit) = accessed(root, access) {
                    self.report(misfit);
                }
            }
            ExprKind::List(elements) => elements.iter().for_each(|it| self.walk(it)),
            ExprKind::Object(properties) => {
                for property in properties {
                    self.walk(&property.key);
                    self.walk(&property.value);
                }
            }
            ExprKind::Call(call) => {
                call.arguments.iter().for_each(|it| self.walk(it));
                self.call(call, expr.at);
            }
        }
    }

    fn call(&self, call: &'a Call, at: TextRange) {
        match (&call.function, call.arguments.as_slice()) {
            (Function::Join, [delimiter, _]) => self.fits(delimiter, &Type::String),
            (Function::Split, [delimiter, source]) => {
                self.fits(delimiter, &Type::String);
                self.fits(source, &Type::String);
            }
            (Function::Select, [index, values]) => {
                self.fits(index, &Type::Integer);
                self.fits(values, &Type::List(Box::new(Type::Any)));
            }
            (Function::Invoke { token, result }, _) => match (self.names.function(token), result) {
                (Some(Err(why)), _) => self.report(Misfit::new(at, why, String::new())),
                (Some(Ok(function)), Some(result)) if function.value().is_some() => {
                    self.report(Misfit::new(
                        at,
                        "fn::invoke has a non-object return value".to_owned(),
                        format!("cannot specify property '{result}' for function {token}"),
                    ));
                }
                (Some(Ok(function)), Some(result)) if function.output(result).is_none() => {
                    let outputs = function.outputs().map_or(Vec::new(), |it| it.names());
                    self.report(Misfit::new(
                        at,
                        format!("{result} does not exist on {token}"),
                        existing(token, &outputs, result),
                    ));
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Checks that a value may stand where a type is wanted.
    pub fn fits(&self, expr: &'a Expr, wanted: &Type<'a>) {
        self.fit(expr, wanted, true);
    }

    /// Checks the same, and reports all of a value where a part does not fit.
    pub fn fits_whole(&self, expr: &'a Expr, wanted: &Type<'a>) {
        if !self.is_fit(expr, wanted, true) {
            self.mismatch(expr, wanted);
        }
    }

    /// `is_direct`: not an element of a list or a map, whose values the host does not compare with those of an enumeration.
    fn fit(&self, expr: &'a Expr, wanted: &Type<'a>, is_direct: bool) {
        match (&expr.kind, wanted) {
            (ExprKind::Call(call), _)
                if matches!(call.function, Function::Secret | Function::Unsecret) =>
            {
                call.arguments
                    .iter()
                    .for_each(|it| self.fit(it, wanted, false));
            }
            // Keys that are known later may be any.
            (ExprKind::Object(properties), _)
                if properties.iter().any(|it| it.key.as_str().is_none()) => {}
            (_, Type::Union(several)) => {
                let is_one = several.iter().any(|it| self.is_fit(expr, it, is_direct));
                if !is_one {
                    self.mismatch(expr, wanted);
                }
            }
            (ExprKind::List(elements), Type::List(wanted)) => {
                elements.iter().for_each(|it| self.fit(it, wanted, false));
            }
            (ExprKind::Object(properties), Type::Map(wanted)) => {
                for property in properties {
                    self.fit(&property.value, wanted, false);
                }
            }
            (ExprKind::Object(_), Type::Object(object)) => {
                self.properties(expr, object, Some(expr.at), is_direct);
            }
            (
                ExprKind::Literal(value),
                Type::Enum {
                    element, values, ..
                },
            ) => {
                let is_value = || !is_direct || is_listed(value, values);
                if !assignable(&self.type_of(expr), element) {
                    self.mismatch(expr, wanted);
                } else if !is_value() {
                    let all: Vec<String> = values.iter().map(named).collect();
                    let allowed = format!("Allowed values are {}", all.join(", "));
                    self.report(Misfit::new(expr.at, allowed, String::new()));
                }
            }
            _ if assignable(&self.type_of(expr), wanted) => {}
            _ => self.mismatch(expr, wanted),
        }
    }

    fn is_fit(&self, expr: &'a Expr, wanted: &Type<'a>, is_direct: bool) -> bool {
        let quiet = Checker {
            names: self.names,
            found: RefCell::default(),
        };
        quiet.fit(expr, wanted, is_direct);
        quiet.found.into_inner().is_empty()
    }

    fn mismatch(&self, expr: &'a Expr, wanted: &Type<'a>) {
        let given = self.type_of(expr);
        let lead = match given {
            Type::List(_) | Type::Map(_) | Type::Union(_) | Type::Object(_) => "",
            _ => "type ",
        };
        let (given, wanted) = (given.text(), wanted.text());
        self.report(Misfit::new(
            expr.at,
            format!("{wanted} is not assignable from {given}"),
            format!("Cannot assign {lead}'{given}' to {lead}'{wanted}'"),
        ));
    }

    /// Checks the properties that are written of an object. `at`: the place of those that are missing.
    pub fn properties(
        &self,
        expr: &'a Expr,
        object: &ObjectType<'a>,
        at: Option<TextRange>,
        is_direct: bool,
    ) {
        let ExprKind::Object(written) = &expr.kind else {
            return;
        };
        for property in written {
            // A key that is known later may be any.
            let Some(name) = property.key.as_str() else {
                return;
            };
            match object.property(name) {
                Some(wanted) => self.fit(&property.value, &wanted, is_direct),
                None => {
                    let label = format!("'{}'", Type::Object(object.clone()).text());
                    let names = object.names();
                    self.report(Misfit {
                        at: Some(property.key.at),
                        fault: text::did_you_mean(name, names.iter().copied()).into(),
                        summary: format!("Property {name} does not exist on {label}"),
                        detail: existing(&label, &names, name),
                    });
                }
            }
        }
        let is_written = |name: &str| written.iter().any(|it| it.key.as_str() == Some(name));
        let ObjectType::Declared(fields) = object else {
            return;
        };
        self.missing(fields.required().filter(|name| !is_written(name)), at);
    }

    /// Reports properties that are missing.
    pub fn missing<'b>(&self, names: impl Iterator<Item = &'b str>, at: Option<TextRange>) {
        for name in names {
            self.report(Misfit {
                at,
                fault: Missing::Argument(name.to_owned()).into(),
                summary: format!("Missing required property '{name}'"),
                detail: String::new(),
            });
        }
    }

    pub fn type_of(&self, expr: &'a Expr) -> Type<'a> {
        match &expr.kind {
            ExprKind::Literal(value) => match value {
                Value::Bool(_) => Type::Bool,
                Value::Number(_) => Type::Number,
                Value::String(_) => Type::String,
                _ => Type::Any,
            },
            ExprKind::Access(access) => {
                let root = self.names.type_of(&access.root);
                accessed(root, access).unwrap_or(Type::Any)
            }
            ExprKind::Template(_) => Type::String,
            ExprKind::List(elements) => {
                let mut types: Vec<Type<'a>> = elements.iter().map(|it| self.type_of(it)).collect();
                types.dedup_by(|a, b| a.text() == b.text());
                let element = match types.len() {
                    0 => Type::Any,
                    1 => types.remove(0),
                    _ => Type::Union(types),
                };
                Type::List(Box::new(element))
            }
            ExprKind::Object(properties) => {
                let properties = properties.iter();
                let types = properties.map(|it| Some((it.key.as_str()?, self.type_of(&it.value))));
                match types.collect() {
                    Some(properties) => Type::Object(ObjectType::Written(properties)),
                    None => Type::Any,
                }
            }
            ExprKind::Call(call) => self.type_of_call(call),
            ExprKind::Invalid => Type::Any,
        }
    }

    fn type_of_call(&self, call: &'a Call) -> Type<'a> {
        match (&call.function, call.arguments.as_slice()) {
            (Function::Secret | Function::Unsecret, [value]) => self.type_of(value),
            (Function::Join | Function::ToJson, _) => Type::String,
            (Function::Split, _) => Type::List(Box::new(Type::String)),
            (Function::Select, [_, values]) => match self.type_of(values) {
                Type::List(element) => *element,
                _ => Type::Any,
            },
            (Function::AssetArchive | Function::FileArchive | Function::RemoteArchive, _) => {
                Type::Archive
            }
            (Function::StringAsset | Function::FileAsset | Function::RemoteAsset, _) => Type::Asset,
            (Function::Invoke { token, result }, _) => {
                let Some(Ok(function)) = self.names.function(token) else {
                    return Type::Any;
                };
                match (function.value(), result) {
                    (Some(value), _) => value.type_of(),
                    (None, Some(result)) => {
                        function.output(result).map_or(Type::Any, Property::type_of)
                    }
                    (None, None) => function
                        .outputs()
                        .map_or(Type::Any, |it| Type::Object(ObjectType::Declared(it))),
                }
            }
            _ => Type::Any,
        }
    }
}

/// A value of an enumeration, with its name if it has one.
fn named(value: &Json) -> String {
    let written = &value["value"];
    match value["name"].as_str() {
        Some(name) => format!("{name} ({written})"),
        None => written.to_string(),
    }
}

/// The type at the end of a path.
fn accessed<'a>(root: Type<'a>, access: &Access) -> Result<Type<'a>, Misfit> {
    below(root, access, 0, access.root.clone())
}

/// The type at the end of the remaining steps. `shown`: the path so far.
///
/// Source: `typePropertyAccess` in `analyser.go` of Pulumi's YAML host.
fn below<'a>(
    found: Type<'a>,
    access: &Access,
    nth: usize,
    mut shown: String,
) -> Result<Type<'a>, Misfit> {
    let Some(step) = access.steps.get(nth) else {
        return Ok(found);
    };
    let fault =
        |summary: String, detail: &str| Err(Misfit::new(access.at, summary, detail.to_owned()));
    let text = found.text();
    let found = match (found, step) {
        (Type::Any, _) => return Ok(Type::Any),
        (Type::Union(several), _) => {
            let several = several.into_iter();
            let several = several.map(|it| below(it, access, nth, shown.clone()));
            let Ok(mut types) = several.collect::<Result<Vec<_>, _>>() else {
                let verb = match step {
                    AccessStep::Name(_) => "access",
                    AccessStep::Key(_) | AccessStep::Index(_) => "index",
                };
                let detail = format!("'{shown}' could be a type that does not support {verb}ing");
                return fault(
                    format!("Cannot {verb} into {shown} of type {text}"),
                    &detail,
                );
            };
            types.dedup_by(|a, b| a.text() == b.text());
            return Ok(match types.len() {
                1 => types.remove(0),
                _ => Type::Union(types),
            });
        }
        // The host ignores everything after it.
        (Type::Map(element), AccessStep::Name(_)) => return Ok(*element),
        (Type::Map(element), AccessStep::Key(_)) | (Type::List(element), AccessStep::Index(_)) => {
            *element
        }
        (Type::Object(object), AccessStep::Name(name)) => match object.property(name) {
            Some(found) => found,
            None => return Err(nonexistent(access, &shown, &object.names(), name)),
        },
        (Type::Resource(_, resource), AccessStep::Name(name)) => match resource.accessed(name) {
            Some(found) => found,
            None => {
                let names = resource.accessible();
                return Err(nonexistent(access, &shown, &names, name));
            }
        },
        (_, AccessStep::Name(_)) => {
            return fault(
                format!("cannot access a property on '{shown}' (type {text})"),
                "Property access is only allowed on Resources and Objects",
            );
        }
        (Type::Map(_), AccessStep::Index(_)) => {
            return fault(
                format!("Cannot index via number into '{shown}' (type {text})"),
                "Index via number is only allowed on Arrays",
            );
        }
        (Type::List(_), AccessStep::Key(_)) => {
            return fault(
                format!("Cannot index via string into '{shown}' (type {text})"),
                "Index via string is only allowed on Maps",
            );
        }
        (_, AccessStep::Key(_) | AccessStep::Index(_)) => {
            return fault(
                format!("Cannot index into '{shown}' (type {text})"),
                "Index property access is only allowed on Maps and Lists",
            );
        }
    };
    match step {
        AccessStep::Name(name) => shown.push_str(&format!(".{name}")),
        AccessStep::Key(key) => shown.push_str(&format!("[{key:?}]")),
        AccessStep::Index(index) => shown.push_str(&format!("[{index}]")),
    }
    below(found, access, nth + 1, shown)
}

fn nonexistent(access: &Access, shown: &str, names: &[&str], name: &str) -> Misfit {
    Misfit {
        at: Some(access.at),
        fault: Fault::Other,
        summary: format!("{name} does not exist on {shown}"),
        detail: existing(shown, names, name),
    }
}

/// Whether every value of a type may stand where another is wanted.
fn assignable<'a>(given: &Type<'a>, wanted: &Type<'a>) -> bool {
    match (given, wanted) {
        (Type::Any, _) | (_, Type::Any) => true,
        (Type::Union(several), _) => several.iter().all(|it| assignable(it, wanted)),
        (_, Type::Union(several)) => several.iter().any(|it| assignable(given, it)),
        // The host knows no conversion of an enumeration, not even to itself.
        (Type::Enum { .. }, _) => false,
        (_, Type::Enum { element, .. }) => assignable(given, element),
        (Type::Number | Type::Integer, Type::Number | Type::Integer) => true,
        (
            Type::Resource(..) | Type::String | Type::Number | Type::Integer | Type::Bool,
            Type::String,
        ) => true,
        (Type::Asset | Type::Archive, Type::Asset) => true,
        (Type::Archive, Type::Archive) | (Type::Bool, Type::Bool) => true,
        (Type::List(given), Type::List(wanted)) | (Type::Map(given), Type::Map(wanted)) => {
            assignable(given, wanted)
        }
        (Type::Object(given), Type::Map(wanted)) => {
            given.all(|_, property| assignable(&property, wanted))
        }
        (Type::Map(given), Type::Object(wanted)) => {
            wanted.all(|_, property| assignable(given, &property))
        }
        (Type::Object(given), Type::Object(wanted)) => {
            if let (ObjectType::Declared(given), ObjectType::Declared(wanted)) = (given, wanted)
                && given.token() == wanted.token()
            {
                let mut names = wanted.names().into_iter();
                return names.all(|it| !wanted.get(it).is_some_and(|it| it.type_of().has_enum()));
            }
            let is_whole = match wanted {
                ObjectType::Declared(fields) => {
                    let mut required = fields.required();
                    required.all(|name| given.property(name).is_some())
                }
                ObjectType::Written(_) => true,
            };
            is_whole
                && given.all(|name, given| {
                    let wanted = wanted.property(name);
                    wanted.is_some_and(|wanted| assignable(&given, &wanted))
                })
        }
        (Type::Resource(given, _), Type::Resource(wanted, _)) => given == wanted,
        _ => false,
    }
}

fn is_listed(value: &Value, values: &[Json]) -> bool {
    match value {
        Value::String(text) => values.iter().any(|it| it["value"] == text.as_str()),
        Value::Number(number) => values
            .iter()
            .any(|it| it["value"].as_f64() == Some(*number)),
        _ => true,
    }
}

impl<'a> ObjectType<'a> {
    fn property(&self, name: &str) -> Option<Type<'a>> {
        match self {
            ObjectType::Declared(fields) => fields.get(name).map(Property::type_of),
            ObjectType::Written(properties) => {
                let mut properties = properties.iter();
                properties
                    .find(|(known, _)| *known == name)
                    .map(|(_, it)| it.clone())
            }
        }
    }

    fn names(&self) -> Vec<&'a str> {
        match self {
            ObjectType::Declared(fields) => fields.names(),
            ObjectType::Written(properties) => properties.iter().map(|(name, _)| *name).collect(),
        }
    }

    fn all(&self, holds: impl Fn(&str, Type<'a>) -> bool) -> bool {
        let mut names = self.names().into_iter();
        names.all(|name| self.property(name).is_none_or(|it| holds(name, it)))
    }
}

impl<'a> Type<'a> {
    /// Of the option `aliases`. Source: the type check of Pulumi's YAML host, `pkg/pulumiyaml/analyser.go`.
    pub fn aliases() -> Type<'a> {
        let parent = Type::Union(vec![Type::Any, Type::String]);
        let alias = ObjectType::Written(vec![
            ("name", Type::String),
            ("noParent", Type::Bool),
            ("parent", parent),
            ("project", Type::String),
            ("stack", Type::String),
            ("type", Type::String),
            ("urn", Type::String),
        ]);
        Type::List(Box::new(Type::Union(vec![
            Type::String,
            Type::Object(alias),
        ])))
    }

    fn has_enum(&self) -> bool {
        match self {
            Type::Enum { .. } => true,
            Type::List(element) | Type::Map(element) => element.has_enum(),
            Type::Union(several) => several.iter().all(Type::has_enum),
            _ => false,
        }
    }

    /// How large it is.
    pub fn parts(&self) -> usize {
        1 + match self {
            Type::List(element) | Type::Map(element) => element.parts(),
            Type::Union(several) => several.iter().map(Type::parts).sum(),
            Type::Object(ObjectType::Written(properties)) => {
                properties.iter().map(|(_, it)| it.parts()).sum()
            }
            _ => 0,
        }
    }

    /// In the words of the host.
    pub(crate) fn text(&self) -> String {
        match self {
            Type::Any => "any".to_owned(),
            Type::Bool => "boolean".to_owned(),
            Type::Integer => "integer".to_owned(),
            Type::Number => "number".to_owned(),
            Type::String => "string".to_owned(),
            Type::Asset => "asset".to_owned(),
            Type::Archive => "archive".to_owned(),
            Type::List(element) => format!("List<{}>", element.text()),
            Type::Map(element) => format!("Map<{}>", element.text()),
            Type::Union(several) => {
                let several: Vec<String> = several.iter().map(Type::text).collect();
                format!("Union<{}>", several.join(", "))
            }
            Type::Enum { token, .. } | Type::Resource(token, _) => (*token).to_owned(),
            Type::Object(ObjectType::Declared(fields)) => fields.token().to_owned(),
            Type::Object(ObjectType::Written(properties)) => {
                let properties = properties.iter();
                let shown = properties.map(|(name, it)| format!("{name}: {}", it.text()));
                format!("{{{}}}", shown.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The names that exist, those that are spelt alike first.
fn existing(label: &str, names: &[&str], name: &str) -> String {
    const LISTED: usize = 5;
    if names.is_empty() {
        return format!("{label} has no properties");
    }
    let mut names = names.to_vec();
    names.sort_by_key(|it| (text::distance(it, name), *it));
    let more = names.len().saturating_sub(LISTED);
    let list = names[..names.len().min(LISTED)].join(", ");
    match more {
        0 => format!("Existing properties are: {list}"),
        1 => format!("Existing properties are: {list} and 1 other"),
        more => format!("Existing properties are: {list} and {more} others"),
    }
}
