//! Type constraints: `list(string)`, `object({a = optional(number, 1)})`.

mod defaults;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cty::{ConvertError, Type, Value, convert};
use smol_str::SmolStr;
use syntax::ast::{Call, Expr, ExprKind, ObjectItem, ObjectKey};
use text::{Problem, TextRange};

use crate::EvalContext;
use crate::evaluate::eval;
use crate::problem::Problems;
use crate::wording::{why_at, wrong_type};

pub use defaults::Defaults;

/// The meaning of a `type` argument.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeConstraint {
    /// With optional attributes.
    pub ty: Type,
    /// The values of absent optional attributes, if there are any.
    pub defaults: Option<Arc<Defaults>>,
}

impl TypeConstraint {
    pub const ANY: TypeConstraint = TypeConstraint {
        ty: Type::Dynamic,
        defaults: None,
    };

    /// The value with the defaults of absent attributes, converted to the type.
    pub(crate) fn conform(&self, value: &Value) -> Result<Value, ConvertError> {
        match &self.defaults {
            Some(defaults) if !value.is_null() => convert(&defaults.apply(value), &self.ty),
            _ => convert(value, &self.ty),
        }
    }
}

/// Reads the type constraint of a `variable` block, where plain `list` and `map` stand for collections of any
/// element type. An invalid constraint is `Dynamic`.
pub fn variable_type(expr: &Expr) -> (TypeConstraint, Vec<Problem>) {
    if let Some(keyword) = expr.as_quoted_string() {
        return quoted_type(&keyword, expr.range);
    }
    let ty = match keyword(&expr.unwrapped()).as_deref() {
        Some("list") => Type::list(Type::Dynamic),
        Some("map") => Type::map(Type::Dynamic),
        _ => return type_constraint(expr),
    };
    (TypeConstraint { ty, defaults: None }, Vec::new())
}

/// Reads a type constraint: exact types, `any`, and optional attributes with defaults.
pub fn type_constraint(expr: &Expr) -> (TypeConstraint, Vec<Problem>) {
    read(
        expr,
        Dialect {
            allows_any: true,
            allows_defaults: true,
        },
    )
}

/// Reads a type constraint in which optional attributes have no defaults.
pub fn type_constraint_without_defaults(expr: &Expr) -> (Type, Vec<Problem>) {
    let (constraint, problems) = read(
        expr,
        Dialect {
            allows_any: true,
            allows_defaults: false,
        },
    );
    (constraint.ty, problems)
}

/// Reads an exact type, without `any` and optional attributes.
pub fn exact_type(expr: &Expr) -> (Type, Vec<Problem>) {
    let (constraint, problems) = read(
        expr,
        Dialect {
            allows_any: false,
            allows_defaults: false,
        },
    );
    (constraint.ty, problems)
}

#[derive(Clone, Copy)]
struct Dialect {
    allows_any: bool,
    allows_defaults: bool,
}

fn read(expr: &Expr, dialect: Dialect) -> (TypeConstraint, Vec<Problem>) {
    let mut problems = Problems::default();
    let constraint = dialect.constraint(&expr.unwrapped(), &mut problems);
    (constraint, problems.0)
}

/// Quoted names are from before Terraform 0.12; the constraint that they meant is still returned.
fn quoted_type(keyword: &str, range: TextRange) -> (TypeConstraint, Vec<Problem>) {
    let instead = match keyword {
        "string" => "string",
        "list" => "list(string)",
        "map" => "map(string)",
        _ => {
            let detail = "To provide a full type expression, remove the surrounding quotes and give the type \
                          expression directly.";
            let summary = "Invalid legacy variable type hint";
            let problem = Problem::error("invalid-type", summary, detail, range);
            return (TypeConstraint::ANY, vec![problem]);
        }
    };
    let ty = match keyword {
        "string" => Type::String,
        "list" => Type::list(Type::String),
        _ => Type::map(Type::String),
    };
    let detail = format!(
        "Terraform 0.11 and earlier required type constraints to be given in quotes, but that form is now deprecated \
         and will be removed in a future version of Terraform. Remove the quotes around \"{keyword}\"{}.",
        match keyword {
            "string" => String::new(),
            _ => format!(
                " and write {instead} instead to explicitly indicate that the {keyword} elements are strings"
            ),
        }
    );
    let problem = Problem::error(
        "quoted-type",
        "Invalid quoted type constraints",
        detail,
        range,
    );
    (TypeConstraint { ty, defaults: None }, vec![problem])
}

const INVALID_TYPE: &str = "Invalid type specification";

/// A name where a type is expected; as in HCL, the keywords `null`, `true` and `false` are names too.
fn keyword(expr: &Expr) -> Option<SmolStr> {
    match &expr.kind {
        ExprKind::Parens(inner) => keyword(inner),
        ExprKind::Null => Some("null".into()),
        ExprKind::Bool(true) => Some("true".into()),
        ExprKind::Bool(false) => Some("false".into()),
        _ => expr.as_keyword(),
    }
}

fn call(expr: &Expr) -> Option<&Call> {
    match &expr.kind {
        ExprKind::Parens(inner) => call(inner),
        ExprKind::Call(call) => Some(call.as_ref()),
        _ => None,
    }
}

impl Dialect {
    fn constraint(self, expr: &Expr, problems: &mut Problems) -> TypeConstraint {
        let mut invalid = |detail: String, range: TextRange| {
            problems.error("invalid-type", INVALID_TYPE, detail, range);
            TypeConstraint::ANY
        };
        if let Some(keyword) = keyword(expr) {
            let ty = match keyword.as_str() {
                "bool" => Type::Bool,
                "string" => Type::String,
                "number" => Type::Number,
                "any" if self.allows_any => Type::Dynamic,
                _ => return invalid(wrong_keyword(&keyword), expr.range),
            };
            return TypeConstraint { ty, defaults: None };
        }
        let Some(call) = call(expr) else {
            let detail = "A type specification is either a primitive type keyword (bool, number, string) or a complex \
                          type constructor call, like list(string).";
            return invalid(detail.into(), expr.range);
        };
        if let Some(detail) = wrong_call(call) {
            return invalid(detail, arguments_range(call, expr.range));
        }
        let argument = match call.args.as_slice() {
            [argument] => Some(argument),
            _ => None,
        };
        match (call.name.as_str(), argument) {
            ("list", Some(element)) => self.collection(Type::list, element, problems),
            ("set", Some(element)) => self.collection(Type::set, element, problems),
            ("map", Some(element)) => self.collection(Type::map, element, problems),
            ("object", Some(attributes)) => self.object(attributes, problems),
            ("tuple", Some(elements)) => self.tuple(elements, problems),
            ("optional", _) => {
                let detail =
                    "Keyword \"optional\" is valid only as a modifier for object type attributes.";
                invalid(detail.into(), call.name_range)
            }
            (name, _) => invalid(
                format!("Keyword \"{name}\" is not a valid type constructor."),
                expr.range,
            ),
        }
    }

    fn collection(
        self,
        of: fn(Type) -> Type,
        element: &Expr,
        problems: &mut Problems,
    ) -> TypeConstraint {
        let element = self.constraint(element, problems);
        let ty = of(element.ty);
        let defaults = element.defaults.map(|child| {
            let children = BTreeMap::from([(SmolStr::default(), child)]);
            Arc::new(Defaults {
                ty: ty.clone(),
                values: BTreeMap::new(),
                children,
            })
        });
        TypeConstraint { ty, defaults }
    }

    fn tuple(self, elements: &Expr, problems: &mut Problems) -> TypeConstraint {
        let ExprKind::Tuple(elements) = &elements.kind else {
            let detail = "Tuple type constructor requires a list of element types.";
            problems.error("invalid-type", INVALID_TYPE, detail, elements.range);
            return TypeConstraint::ANY;
        };
        let elements: Vec<TypeConstraint> = elements
            .iter()
            .map(|element| self.constraint(element, problems))
            .collect();
        let ty = Type::tuple(elements.iter().map(|element| element.ty.clone()));
        let children = elements.into_iter().enumerate();
        let children = children
            .filter_map(|(i, element)| Some((SmolStr::from(i.to_string()), element.defaults?)))
            .collect();
        structural(ty, BTreeMap::new(), children)
    }

    fn object(self, attributes: &Expr, problems: &mut Problems) -> TypeConstraint {
        let ExprKind::Object(items) = &attributes.kind else {
            let detail = "Object type constructor requires a map whose keys are attribute names and whose values are \
                          the corresponding attribute types.";
            problems.error("invalid-type", INVALID_TYPE, detail, attributes.range);
            return TypeConstraint::ANY;
        };
        let mut object = ObjectConstraint::default();
        for item in items {
            self.attribute(item, &mut object, problems);
        }
        let ty = Type::object_with_optional(object.types, object.optional);
        structural(ty, object.defaults, object.children)
    }

    fn attribute(self, item: &ObjectItem, object: &mut ObjectConstraint, problems: &mut Problems) {
        let mut invalid = |detail: &str, range: TextRange| {
            problems.error("invalid-type", INVALID_TYPE, detail, range);
        };
        let (name, key_range) = match &item.key {
            ObjectKey::Name(name) => (name.name.clone(), name.range),
            ObjectKey::Expr(key) => {
                return invalid(
                    "Object constructor map keys must be attribute names.",
                    key.range,
                );
            }
        };
        if object.types.contains_key(&name) {
            return invalid("Object constructor map keys must be unique.", key_range);
        }
        let optional = call(&item.value).filter(|call| call.name == "optional");
        let Some(modifier) = optional else {
            let constraint = self.constraint(&item.value, problems);
            return object.insert(name, constraint);
        };
        let args_range = arguments_range(modifier, item.value.range);
        let Some((ty, rest)) = modifier.args.split_first() else {
            let detail = "Optional attribute modifier requires the attribute type as its argument.";
            return invalid(detail, args_range);
        };
        let mut default = None;
        match rest {
            _ if !self.allows_any => {
                let detail = "Optional attribute modifier is only for type constraints, not for exact types.";
                invalid(detail, modifier.name_range);
            }
            [] => {
                object.optional.insert(name.clone());
            }
            [given] if self.allows_defaults => default = Some(given),
            _ if self.allows_defaults => {
                let detail = "Optional attribute modifier expects at most two arguments: the attribute type, and a \
                              default value.";
                invalid(detail, args_range);
            }
            _ => {
                let detail =
                    "Optional attribute modifier expects only one argument: the attribute type.";
                invalid(detail, args_range);
            }
        }
        let default = default.and_then(|expr| {
            let point = problems.here();
            let value = eval(expr, &EvalContext::empty(), problems);
            (!problems.has_errors_since(point)).then_some((value, expr.range))
        });
        let constraint = self.constraint(ty, problems);
        if let Some((value, range)) = default {
            object.optional.insert(name.clone());
            match convert(&value, &constraint.ty) {
                Ok(value) => {
                    object.defaults.insert(name.clone(), value);
                }
                Err(error) => {
                    let detail = format!(
                        "This default value is not compatible with the attribute's type constraint: {why}.",
                        why = why_at(&error)
                    );
                    let summary = "Invalid default value for optional attribute";
                    let invalid = Problem::error("invalid-default", summary, detail, range);
                    problems.push(invalid.with_fault(wrong_type(&value, &constraint.ty)));
                }
            }
        }
        object.insert(name, constraint);
    }
}

#[derive(Default)]
struct ObjectConstraint {
    types: BTreeMap<SmolStr, Type>,
    optional: BTreeSet<SmolStr>,
    defaults: BTreeMap<SmolStr, Value>,
    children: BTreeMap<SmolStr, Arc<Defaults>>,
}

impl ObjectConstraint {
    fn insert(&mut self, name: SmolStr, constraint: TypeConstraint) {
        if let Some(child) = constraint.defaults {
            self.children.insert(name.clone(), child);
        }
        self.types.insert(name, constraint.ty);
    }
}

fn structural(
    ty: Type,
    values: BTreeMap<SmolStr, Value>,
    children: BTreeMap<SmolStr, Arc<Defaults>>,
) -> TypeConstraint {
    let has_defaults = !values.is_empty() || !children.is_empty();
    let defaults = has_defaults.then(|| {
        Arc::new(Defaults {
            ty: ty.clone(),
            values,
            children,
        })
    });
    TypeConstraint { ty, defaults }
}

fn wrong_keyword(keyword: &str) -> String {
    match keyword {
        "any" => {
            "The keyword \"any\" cannot be used in this type specification: an exact type is required.".into()
        }
        "list" | "set" | "map" | "object" | "tuple" => needs_argument(keyword),
        _ => format!("The keyword \"{keyword}\" is not a valid type specification."),
    }
}

fn wrong_call(call: &Call) -> Option<String> {
    match call.name.as_str() {
        name @ ("bool" | "string" | "number") => Some(format!(
            "Primitive type keyword \"{name}\" does not expect arguments."
        )),
        "any" => Some("Type constraint keyword \"any\" does not expect arguments.".into()),
        name @ ("list" | "set" | "map" | "object" | "tuple") if call.args.len() != 1 => {
            Some(needs_argument(name))
        }
        _ => None,
    }
}

fn needs_argument(constructor: &str) -> String {
    let what = match constructor {
        "object" => "attribute types and values as a map",
        "tuple" => "element types as a list",
        _ => "element type",
    };
    format!("The {constructor} type constructor requires one argument specifying the {what}.")
}

/// The parentheses with the arguments; if there are too many, those.
fn arguments_range(call: &Call, whole: TextRange) -> TextRange {
    match call.args.as_slice() {
        [_, second, .., last] => second.range.cover(last.range),
        [_, second] => second.range,
        _ => TextRange::new(call.open_paren.start(), whole.end()),
    }
}
