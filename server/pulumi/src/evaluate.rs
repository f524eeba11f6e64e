//! The value of an expression.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use text::{Problem, TextRange};

use crate::archive::Archives;
use crate::budget::Meter;
use crate::caveat::Caveat;
use crate::expr::{Access, AccessStep, Expr, ExprKind, Function, Part, Property};
use crate::functions;
use crate::urn::Urn;
use crate::value::{Object, Resource, Secret, Value};

/// A value, the resources that it comes from, and why parts of it are not known.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluated {
    pub value: Value,
    pub dependencies: BTreeSet<Urn>,
    pub caveats: BTreeSet<Caveat>,
    /// Whether secrets inside of outputs were read with a whole around them, of which the host leaves empty objects.
    pub has_hidden: bool,
    /// Whether the host holds it, or a part of it, as an output.
    pub has_output: bool,
}

/// The value of a name.
#[derive(Clone, PartialEq, Debug)]
pub enum Binding {
    Value(Evaluated),
    Resource(Box<Registered>),
    /// It failed, so references to it are not evaluated.
    Failed,
}

/// A resource as the program sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Registered {
    pub urn: Urn,
    pub name: String,
    pub type_name: String,
    /// `None` for a component.
    pub id: Option<Value>,
    /// Without those that are known only after the update.
    pub outputs: Object,
    /// The names of its properties, also of those whose values are not known.
    pub properties: Vec<String>,
    pub caveats: BTreeSet<Caveat>,
}

/// Why there is no value.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// A value that it refers to failed, and reports that itself.
    Behind(String),
    Problem(Box<Problem>),
}

/// Where names and files are found.
pub struct Scope<'a> {
    pub project: &'a str,
    pub dir: &'a Path,
    pub bindings: &'a Bindings,
    /// The functions of providers that were called. `None` where none is called.
    pub calls: Option<&'a [FunctionCall]>,
    /// Whether functions read files anywhere, or only those of the project.
    pub reads_everywhere: bool,
    pub archives: &'a Archives,
    /// Whether the name that was meant is looked for.
    pub suggests: bool,
    pub reads: RefCell<Reads>,
    pub meter: Meter,
}

/// A function of a provider that is called, and its answer.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionCall {
    pub invocation: Invocation,
    pub answer: Result<Value, NoAnswer>,
}

/// A call of a function of a provider, with arguments that are known.
#[derive(Clone, PartialEq, Debug)]
pub struct Invocation {
    pub token: String,
    pub arguments: Object,
    pub version: Option<String>,
    /// The address that the plugin comes from.
    pub url: Option<String>,
    pub provider: Option<Urn>,
    pub parent: Option<Urn>,
}

/// Why a function has no result.
#[derive(Clone, PartialEq, Debug)]
pub enum NoAnswer {
    Failed(String),
    NotCalled(Caveat),
}

/// The values of names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bindings {
    by_name: HashMap<String, Arc<Binding>>,
    /// The names of resources.
    by_urn: HashMap<Urn, String>,
    /// The names of the configuration, which may be written with that of the project.
    configuration: HashSet<String>,
}

impl Bindings {
    pub(crate) fn new(configuration: HashSet<String>) -> Bindings {
        Bindings {
            configuration,
            ..Bindings::default()
        }
    }

    pub(crate) fn insert(&mut self, name: &str, binding: Arc<Binding>) {
        if let Binding::Resource(resource) = &*binding {
            self.by_urn.insert(resource.urn.clone(), name.to_owned());
        }
        self.by_name.insert(name.to_owned(), binding);
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Binding>> {
        self.by_name.get(name)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    fn resource(&self, urn: &Urn) -> Option<(&str, &Arc<Binding>)> {
        let name = self.by_urn.get(urn)?;
        Some((name, self.by_name.get(name)?))
    }
}

/// The reads of an evaluation.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Names with the values that were read.
    pub names: Vec<(String, Option<Arc<Binding>>)>,
    /// Paths of files.
    pub files: BTreeSet<String>,
    /// Calls without an answer yet.
    pub calls: Vec<Invocation>,
}

impl Reads {
    /// The secrets of the values that were read.
    pub fn secret_texts(&self) -> Vec<String> {
        let mut secrets = Vec::new();
        let bindings = self.names.iter();
        for binding in bindings.filter_map(|(_, binding)| binding.as_deref()) {
            match binding {
                Binding::Value(value) => value.value.secret_texts(&mut secrets),
                Binding::Resource(it) => {
                    let outputs = it.outputs.values();
                    outputs.for_each(|it| it.secret_texts(&mut secrets));
                }
                Binding::Failed => {}
            }
        }
        secrets
    }
}

impl Evaluated {
    pub fn plain(value: Value) -> Evaluated {
        Evaluated {
            value,
            ..Evaluated::default()
        }
    }

    /// Whether the host holds an output in its place: it comes from a resource or a call, or is a secret.
    pub(crate) fn is_of_output(&self) -> bool {
        let is_plain = !self.value.has_secret() && !self.value.has_unknown_part();
        self.has_output || !self.dependencies.is_empty() || !is_plain
    }

    /// With a null that stays in an object, if it is an output that depends on something.
    fn with_null_output(mut self) -> Evaluated {
        if self.value == Value::Null && self.has_output && !self.dependencies.is_empty() {
            self.value = Value::NullOutput;
        }
        self
    }

    /// Counts the memory of a copy of it.
    fn count(&self, meter: &Meter, at: TextRange) -> Result<(), Fault> {
        let dependencies = self.dependencies.iter().map(|it| it.as_str().len());
        meter.take(dependencies.sum(), at)?;
        meter.take_value(&self.value, at)
    }

    fn take(&mut self, other: Evaluated) -> Value {
        self.dependencies.extend(other.dependencies);
        self.caveats.extend(other.caveats);
        self.has_hidden |= other.has_hidden;
        self.has_output |= other.has_output;
        other.value
    }
}

pub(crate) fn fault(at: TextRange, message: impl Into<String>) -> Fault {
    let message: String = message.into();
    Fault::Problem(Box::new(Problem::error("evaluation", message, "", at)))
}

impl Scope<'_> {
    pub fn evaluate(&self, expr: &Expr) -> Result<Evaluated, Fault> {
        match &expr.kind {
            ExprKind::Literal(value) => {
                self.meter.take(value.size(), expr.at)?;
                Ok(Evaluated::plain(value.clone()))
            }
            ExprKind::Access(access) => self.access(access),
            ExprKind::Template(parts) => self.template(parts, expr.at),
            ExprKind::List(elements) => {
                self.meter.take(size_of::<Value>(), expr.at)?;
                let mut result = Evaluated::default();
                let mut values = Vec::new();
                for element in elements {
                    values.push(result.take(self.evaluate(element)?));
                }
                result.value = Value::Array(values);
                Ok(result)
            }
            ExprKind::Object(properties) => {
                self.meter.take(size_of::<Value>(), expr.at)?;
                self.object(properties)
            }
            ExprKind::Call(call) => {
                let mut result = Evaluated::default();
                let mut arguments = Vec::new();
                for (nth, argument) in call.arguments.iter().enumerate() {
                    let mut evaluated = self.evaluate(argument)?;
                    // The result of a provider's function comes from its arguments, not from its options.
                    if nth > 0 && matches!(call.function, Function::Invoke { .. }) {
                        evaluated.dependencies.clear();
                    }
                    arguments.push(result.take(evaluated));
                }
                // The host panics.
                let has_output = || {
                    arguments
                        .iter()
                        .any(|it| it.has_secret() || it.has_unknown_part())
                };
                if call.function == Function::AssetArchive
                    && result.caveats.is_empty()
                    && (result.has_output || !result.dependencies.is_empty() || has_output())
                {
                    let message =
                        "expected asset map to contain Assets and/or Archives, not outputs";
                    return Err(fault(expr.at, message));
                }
                let result = functions::call(self, call, arguments, result, expr.at)?;
                Ok(result.with_null_output())
            }
            ExprKind::Invalid => Err(Fault::Behind("an invalid expression".to_owned())),
        }
    }

    fn object(&self, properties: &[Property]) -> Result<Evaluated, Fault> {
        // Where a key is unknown, the host never looks at the values.
        let (mut result, mut values) = (Evaluated::default(), Evaluated::default());
        let mut object = Object::new();
        let (mut is_unknown, mut is_secret) = (false, false);
        for property in properties {
            let key = result.take(self.evaluate(&property.key)?);
            let value = values.take(self.evaluate(&property.value)?);
            is_secret |= matches!(key, Value::Secret(_));
            match key.revealed() {
                Value::Unknown => is_unknown = true,
                Value::String(key) => {
                    object.insert(key.clone(), value);
                }
                other => {
                    let what = format!(
                        "object key must evaluate to a string, not {}",
                        other.type_name()
                    );
                    return Err(fault(property.key.at, what));
                }
            }
        }
        let value = match is_unknown {
            true => Value::Unknown,
            false => {
                result.take(values);
                Value::Object(object)
            }
        };
        result.value = match is_secret {
            true => Value::secret(value),
            false => value,
        };
        Ok(result)
    }

    /// Source: `evaluateInterpolations` in `run.go` of Pulumi's YAML host.
    fn template(&self, parts: &[Part], at: TextRange) -> Result<Evaluated, Fault> {
        let mut result = Evaluated::default();
        let mut text = String::new();
        let (mut is_unknown, mut is_secret) = (false, false);
        for part in parts {
            let access = match part {
                Part::Text(part) => {
                    self.meter.take(part.len(), at)?;
                    text.push_str(part);
                    continue;
                }
                Part::Access(access) => access,
            };
            let mut part = self.access(access)?;
            is_secret |= part.value.has_secret();
            if part.value.has_unknown_part() {
                // The host ignores the rest.
                is_unknown = true;
                result.take(part);
                break;
            }
            // The host writes addresses in memory, which differ from run to run.
            if part.value.has_resource() {
                is_unknown = true;
                part.dependencies.clear();
                let name = access.root.clone();
                part.caveats.insert(Caveat::ResourceText(name));
            } else if part.has_hidden && part.value.is_whole() {
                is_unknown = true;
                part.caveats.insert(Caveat::SecretText);
            }
            let value = result.take(part);
            let formatted = functions::formatted(&value);
            self.meter.take(formatted.len(), access.at)?;
            text.push_str(&formatted);
        }
        let value = match is_unknown {
            true => Value::Unknown,
            false => Value::String(text),
        };
        result.value = match is_secret {
            true => Value::secret(value),
            false => value,
        };
        Ok(result)
    }

    fn access(&self, access: &Access) -> Result<Evaluated, Fault> {
        let root = access.root.as_str();
        let stripped = || root.strip_prefix(self.project)?.strip_prefix(':');
        // Only values of the configuration may be named with the project.
        let of_project = || stripped().filter(|it| self.bindings.configuration.contains(*it));
        let name = match self.bindings.contains(root) {
            true => root,
            false => of_project().unwrap_or(root),
        };
        let found = self.bindings.get(name);
        let read = (name.to_owned(), found.cloned());
        self.reads.borrow_mut().names.push(read);
        match found.map(|it| &**it) {
            None => {
                let root = &access.root;
                let message = format!("resource or variable named \"{root}\" could not be found");
                let mut problem = Problem::error("evaluation", message, "", access.at);
                if self.suggests {
                    let mut known: Vec<&str> = self.bindings.names().collect();
                    known.sort_unstable();
                    problem = problem.with_fault(text::did_you_mean(root, known));
                }
                Err(Fault::Problem(Box::new(problem)))
            }
            Some(Binding::Failed) => Err(Fault::Behind(access.root.clone())),
            Some(Binding::Value(evaluated)) => {
                let value =
                    self.walk(&evaluated.value, &access.steps, access.at, Origin::Program)?;
                let result = Evaluated {
                    value,
                    dependencies: evaluated.dependencies.clone(),
                    caveats: evaluated.caveats.clone(),
                    has_hidden: evaluated.has_hidden,
                    has_output: evaluated.has_output,
                };
                result.count(&self.meter, access.at)?;
                Ok(result.with_null_output())
            }
            Some(Binding::Resource(resource)) => {
                let value = self.member(resource, &access.steps, access.at)?;
                let mut result = Evaluated::plain(value);
                result.has_hidden = resource.hides_secrets(&access.steps);
                result.has_output = !access.steps.is_empty();
                result.dependencies.insert(resource.urn.clone());
                result.count(&self.meter, access.at)?;
                if result.value.has_unknown() {
                    result.caveats.clone_from(&resource.caveats);
                }
                Ok(result.with_null_output())
            }
        }
    }

    fn member(
        &self,
        resource: &Registered,
        steps: &[AccessStep],
        at: TextRange,
    ) -> Result<Value, Fault> {
        let Some((first, rest)) = steps.split_first() else {
            return Ok(resource.reference());
        };
        let (AccessStep::Name(name) | AccessStep::Key(name)) = first else {
            return Err(fault(
                at,
                "cannot access an object property using an integer index",
            ));
        };
        match name.as_str() {
            "id" => return Ok(resource.id.clone().unwrap_or(Value::Null)),
            "urn" => return Ok(Value::from(resource.urn.as_str())),
            _ => {}
        }
        let is_later =
            resource.properties.contains(name) || resource.outputs.values().any(Value::has_unknown);
        match resource.outputs.get(name) {
            Some(value) => self.walk(value, rest, at, Origin::Provider),
            None if is_later => Ok(Value::Unknown),
            None => Ok(Value::Null),
        }
    }

    pub(crate) fn walk(
        &self,
        value: &Value,
        steps: &[AccessStep],
        at: TextRange,
        origin: Origin,
    ) -> Result<Value, Fault> {
        let Some((first, rest)) = steps.split_first() else {
            let is_partial = origin == Origin::Provider && value.has_unknown();
            return Ok(match value {
                Value::Array(_) | Value::Object(_) if is_partial => Value::Unknown,
                _ if origin == Origin::Provider => value.without_contents(),
                _ => value.clone(),
            });
        };
        match (value, first) {
            (Value::Secret(Secret::Known(inner)), _) => {
                Ok(Value::secret(self.walk(inner, steps, at, origin)?))
            }
            (Value::Unknown | Value::Secret(Secret::Sealed(_)), _) => Ok(Value::Unknown),
            (Value::Resource(resource), _) => match self.registered(&resource.urn) {
                Some(registered) => self.member(registered, steps, at),
                None => Ok(Value::Unknown),
            },
            (Value::Null, _) if origin == Origin::Provider => Ok(Value::Null),
            (Value::Object(object), AccessStep::Name(name) | AccessStep::Key(name)) => match object
                .get(name)
            {
                None if origin == Origin::Provider && value.has_unknown() => Ok(Value::Unknown),
                None | Some(Value::Null | Value::NullOutput) if rest.is_empty() => Ok(Value::Null),
                None | Some(Value::Null | Value::NullOutput) => Err(no_receiver(&Value::Null, at)),
                Some(value) => self.walk(value, rest, at, origin),
            },
            (Value::Object(_), AccessStep::Index(_)) => Err(fault(
                at,
                "cannot access an object property using an integer index",
            )),
            (Value::Array(elements), AccessStep::Index(index)) => match elements.get(*index) {
                Some(value) => self.walk(value, rest, at, origin),
                None => {
                    let length = elements.len();
                    Err(fault(
                        at,
                        format!("list index {index} out-of-bounds for list of length {length}"),
                    ))
                }
            },
            (Value::Array(_), AccessStep::Name(_) | AccessStep::Key(_)) => Err(fault(
                at,
                "cannot access a list element using a property name",
            )),
            _ => Err(no_receiver(value, at)),
        }
    }

    /// The resource that a reference names, if the program has it.
    fn registered(&self, urn: &str) -> Option<&Registered> {
        let (name, binding) = self.bindings.resource(&Urn::new(urn))?;
        let read = (name.to_owned(), Some(binding.clone()));
        self.reads.borrow_mut().names.push(read);
        match &**binding {
            Binding::Resource(resource) => Some(resource),
            Binding::Value(_) | Binding::Failed => None,
        }
    }
}

impl Registered {
    /// Whether these steps lead to something with secrets inside, which is no secret as a whole.
    fn hides_secrets(&self, steps: &[AccessStep]) -> bool {
        let Some((AccessStep::Name(name) | AccessStep::Key(name), rest)) = steps.split_first()
        else {
            return false;
        };
        let mut rest = rest.iter();
        let part = rest.try_fold(self.outputs.get(name), |part, step| match (part?, step) {
            (Value::Object(object), AccessStep::Name(name) | AccessStep::Key(name)) => {
                Some(object.get(name))
            }
            (Value::Array(elements), AccessStep::Index(index)) => Some(elements.get(*index)),
            _ => None,
        });
        let part = part.flatten();
        part.is_some_and(|it| it.is_whole() && it.has_secret())
    }

    /// As one value for the whole.
    pub fn reference(&self) -> Value {
        Value::Resource(Resource {
            urn: self.urn.to_string(),
            id: self.id.clone().map(Box::new),
        })
    }
}

/// Where a value comes from. In what a provider says, a part that is missing beside something unknown is unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Program,
    Provider,
}

fn no_receiver(value: &Value, at: TextRange) -> Fault {
    fault(
        at,
        format!(
            "receiver must be a list or object, not {}",
            value.type_name()
        ),
    )
}
