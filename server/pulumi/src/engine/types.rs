//! Checks of types, before anything is evaluated.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use text::{Problem, Span, TextRange};

use super::memo::CheckedTypes;
use super::{Inputs, Run};
use crate::ask::{Package, Plugins};
use crate::expr::Expr;
use crate::lock::Locks;
use crate::program::{Declarations, Declared, EXCLUSIVE, Program, ResourceDecl, SETTINGS, Unit};
use crate::schema::{FunctionType, Schema};
use crate::types::{Checker, Names, ObjectType, Type};
use crate::value::Value;

/// The schemas that are known.
type Schemas = BTreeMap<Package, Arc<Schema>>;

/// Inputs of the type checks.
#[derive(Clone, Default)]
pub(super) struct TypeBasis {
    program: Program,
    locks: Arc<Locks>,
    schemas: Schemas,
    configured: Configured,
}

/// The types of the stack's values, by name. Its content counts, whatever is declared for it.
type Configured = BTreeMap<String, Type<'static>>;

fn configured(inputs: &Inputs) -> Configured {
    let names = inputs.config.names(&inputs.stack.project);
    let names = names.map(|(name, value)| {
        let type_of = match &value.value {
            Value::String(_) => Type::String,
            Value::Number(_) => Type::Number,
            Value::Bool(_) => Type::Bool,
            Value::Object(_) => Type::Map(Box::new(Type::Any)),
            // The host knows no type of lists, secrets and nulls.
            _ => Type::Any,
        };
        (name.to_owned(), type_of)
    });
    names.collect()
}

impl TypeBasis {
    /// Whether every name still has its type.
    fn is_same(&self, other: &TypeBasis) -> bool {
        fn are_same<T>(
            a: &Declarations<T>,
            b: &Declarations<T>,
            of_one_type: impl Fn(&T, &T) -> bool,
        ) -> bool {
            let is_same = |(a, b): (&Arc<Declared<T>>, &Arc<Declared<T>>)| {
                Arc::ptr_eq(a, b) || a.name == b.name && of_one_type(&a.decl, &b.decl)
            };
            a.len() == b.len() && a.iter().zip(b).all(is_same)
        }
        let (a, b) = (&self.program, &other.program);
        let of_one_type = |a: &ResourceDecl, b: &ResourceDecl| {
            package(a, &self.locks) == package(b, &self.locks) && a.type_name == b.type_name
        };
        let schemas = self.schemas.iter().zip(&other.schemas);
        let texts = |it: &TypeBasis| -> Vec<(String, String)> {
            let configured = it.configured.iter();
            configured
                .map(|(name, it)| (name.clone(), it.text()))
                .collect()
        };
        texts(self) == texts(other)
            && self.schemas.len() == other.schemas.len()
            && schemas
                .into_iter()
                .all(|(a, b)| a.0 == b.0 && Arc::ptr_eq(a.1, b.1))
            && are_same(&a.resources, &b.resources, of_one_type)
            && are_same(&a.variables, &b.variables, |_, _| false)
            && are_same(&a.config, &b.config, |_, _| false)
    }
}

impl<P: Plugins> Run<'_, P> {
    /// `order` holds the nodes that can be evaluated.
    pub(super) async fn check_types(&mut self, order: &[Unit]) {
        let inputs = self.inputs;
        let program = &inputs.program;
        for declared in &program.resources {
            if declared.decl.has_type() {
                self.schema(&package(&declared.decl, &inputs.locks)).await;
            }
        }
        let basis = TypeBasis {
            program: program.clone(),
            locks: inputs.locks.clone(),
            schemas: self
                .memo
                .schemas
                .iter()
                .map(|(package, it)| (package.clone(), it.clone()))
                .collect(),
            configured: configured(inputs),
        };
        if !self.memo.type_basis.is_same(&basis) {
            self.memo.types.clear();
        }
        let known = NameTypes::new(&basis, &inputs.stack.project);
        known.find_in_order(order);
        for declared in &program.resources {
            let kept = self.memo.types.get(&declared.name);
            let kept = kept.filter(|it| Arc::ptr_eq(&it.declared, declared));
            let problems = match kept {
                Some(kept) => kept.problems.clone(),
                None => {
                    let problems = known.resource(declared);
                    let kept = CheckedTypes {
                        declared: declared.clone(),
                        problems: problems.clone(),
                    };
                    self.memo.types.insert(declared.name.clone(), kept);
                    problems
                }
            };
            if !problems.is_empty() {
                self.misfits.insert(declared.name.clone());
            }
            for problem in problems {
                self.reported.extend(problem.at.clone());
                self.report(None, problem);
            }
        }
        for declared in program.variables.iter().chain(&program.outputs) {
            for problem in known.expression(declared) {
                self.reported.extend(problem.at.clone());
                self.report(None, problem);
            }
        }
        drop(known);
        self.memo.type_basis = basis;
    }
}

/// The names of a program with their types.
struct NameTypes<'a> {
    program: &'a Program,
    project: &'a str,
    locks: &'a Locks,
    schemas: &'a Schemas,
    configured: &'a Configured,
    units: HashMap<&'a str, Unit>,
    /// Those of variables. `None`: it is being found out.
    variables: RefCell<HashMap<usize, Option<Type<'a>>>>,
}

impl<'a> Names<'a> for NameTypes<'a> {
    fn type_of(&self, name: &str) -> Type<'a> {
        let stripped = || name.strip_prefix(self.project)?.strip_prefix(':');
        let configured = self.configured.get(name);
        if let Some(found) = configured.or_else(|| self.configured.get(stripped()?)) {
            return found.clone();
        }
        let unit = self.units.get(name);
        let unit = unit.or_else(|| self.units.get(stripped()?));
        match unit {
            Some(Unit::Config(index)) => self.config(*index),
            Some(Unit::Variable(index)) => self.variable(*index),
            Some(Unit::Resource(index)) => {
                let decl = &self.program.resources[*index].decl;
                let schema = self.schemas.get(&package(decl, self.locks));
                let found = schema.and_then(|it| it.named(&decl.type_name));
                found.map_or(Type::Any, |(token, it)| Type::Resource(token, it))
            }
            None if name == SETTINGS => {
                let keys = ["cwd", "project", "stack", "organization", "rootDirectory"];
                let keys = keys.map(|key| (key, Type::String));
                Type::Object(ObjectType::Written(Vec::from(keys)))
            }
            None => Type::Any,
        }
    }

    fn function(&self, token: &str) -> Option<Result<FunctionType<'a>, String>> {
        let name = token.split(':').next().unwrap_or_default();
        let mut schemas = self.schemas.iter();
        let (_, schema) = schemas.find(|(package, _)| package.name == name)?;
        let found = schema
            .function_token(token)
            .and_then(|it| schema.function(it));
        Some(found.ok_or_else(|| {
            format!("unable to find function \"{token}\" in resource provider \"{name}\"")
        }))
    }
}

impl<'a> NameTypes<'a> {
    fn new(basis: &'a TypeBasis, project: &'a str) -> NameTypes<'a> {
        let program = &basis.program;
        let mut units: HashMap<&str, Unit> = HashMap::new();
        // Of several with one name the first counts.
        for (index, declared) in program.variables.iter().enumerate().rev() {
            units.insert(&declared.name, Unit::Variable(index));
        }
        for (index, declared) in program.resources.iter().enumerate().rev() {
            units.insert(&declared.name, Unit::Resource(index));
        }
        for (index, declared) in program.config.iter().enumerate().rev() {
            units.insert(&declared.name, Unit::Config(index));
        }
        NameTypes {
            program,
            project,
            locks: &basis.locks,
            schemas: &basis.schemas,
            configured: &basis.configured,
            units,
            variables: RefCell::default(),
        }
    }

    fn checker(&self) -> Checker<'a, '_> {
        Checker {
            names: self,
            found: RefCell::default(),
        }
    }

    /// Finds the types of variables in an order in which each needs only those before it: a chain of them may be as long as
    /// the text. Those that are in a cycle, or behind one, have none.
    fn find_in_order(&self, order: &[Unit]) {
        let variables = 0..self.program.variables.len();
        let none = variables.map(|index| (index, None));
        self.variables.borrow_mut().extend(none);
        for unit in order {
            if let Unit::Variable(index) = unit {
                self.variables.borrow_mut().remove(index);
                self.variable(*index);
            }
        }
    }

    fn variable(&self, index: usize) -> Type<'a> {
        /// A type that is larger is not compared: variables that repeat each other double it at each step.
        const MAX_PARTS: usize = 1000;
        if let Some(known) = self.variables.borrow().get(&index) {
            return known.clone().unwrap_or(Type::Any);
        }
        self.variables.borrow_mut().insert(index, None);
        let declared = &self.program.variables[index];
        let found = self.checker().type_of(&declared.decl);
        let found = match found.parts() > MAX_PARTS {
            true => Type::Any,
            false => found,
        };
        self.variables
            .borrow_mut()
            .insert(index, Some(found.clone()));
        found
    }

    fn config(&self, index: usize) -> Type<'a> {
        let decl = &self.program.config[index].decl;
        if let Some(default) = &decl.default {
            return self.checker().type_of(default);
        }
        let name = decl.type_name.as_ref().map(|(name, _)| name.to_lowercase());
        let name = name.unwrap_or_default();
        let simple = |name: &str| match name {
            "string" => Type::String,
            "number" => Type::Number,
            "int" | "integer" => Type::Integer,
            "boolean" | "bool" => Type::Bool,
            "object" => Type::Map(Box::new(Type::Any)),
            _ => Type::Any,
        };
        match name
            .strip_prefix("list<")
            .and_then(|it| it.strip_suffix('>'))
        {
            Some(element) => Type::List(Box::new(simple(element))),
            None => simple(&name),
        }
    }

    /// Type errors of a variable or an output.
    fn expression(&self, declared: &'a Declared<Expr>) -> Vec<Problem<Option<Span>>> {
        let checker = self.checker();
        checker.walk(&declared.decl);
        reported(declared, checker)
    }

    /// Type errors of a resource.
    fn resource(&self, declared: &'a Declared<ResourceDecl>) -> Vec<Problem<Option<Span>>> {
        let decl = &declared.decl;
        let problem = |code, summary: String, at| {
            vec![Problem::error(code, summary, "", Some(declared.span(at)))]
        };
        if decl.type_name.is_empty() {
            if declared.has_errors() {
                return Vec::new();
            }
            let name = &declared.name;
            let summary = format!("Required field 'type' is missing on resource \"{name}\"");
            return problem("missing-type", summary, decl.type_at);
        }
        let about = |why: String| {
            let summary = format!("error resolving type of resource {}: {why}", declared.name);
            let at = Some(declared.span(decl.type_at));
            Problem::error("unknown-type", summary, "", at)
        };
        if !decl.has_type() && !declared.is_broken {
            return vec![about(format!("invalid type token {:?}", decl.type_name))];
        }
        let Some(schema) = self
            .schemas
            .get(&package(decl, self.locks))
            .filter(|_| !declared.is_broken)
        else {
            return Vec::new();
        };
        let Some((token, resource)) = schema.named(&decl.type_name) else {
            let type_name = &decl.type_name;
            let why = format!(
                "unable to find resource type \"{type_name}\" in resource provider \"{}\"",
                decl.package()
            );
            let meant = text::did_you_mean(type_name, schema.resources());
            return vec![about(why).with_fault(meant)];
        };
        let checker = self.checker();
        decl.exprs().for_each(|it| checker.walk(it));
        if let Some(aliases) = &decl.options.aliases {
            checker.fits_whole(aliases, &Type::aliases());
        }
        if let Some(mappings) = &decl.options.env_var_mappings {
            checker.fits(mappings, &Type::Map(Box::new(Type::String)));
        }
        if decl.get.is_some() {
            if decl
                .properties
                .as_ref()
                .is_some_and(|it| it.properties() != Some(&[]))
            {
                return problem("type-mismatch", EXCLUSIVE.to_owned(), declared.at);
            }
            if let Some(id) = decl.read_part("id") {
                checker.fits(id, &Type::String);
            }
            if let Some(state) = decl.read_part("state") {
                let wanted = ObjectType::Declared(resource.state(token));
                checker.properties(state, &wanted, None, true);
            }
            return reported(declared, checker);
        }
        let written = ObjectType::Declared(resource.written(token));
        match &decl.properties {
            Some(properties) if properties.properties().is_some() => {
                checker.properties(properties, &written, None, true);
            }
            Some(properties) => checker.fits(properties, &Type::Object(written)),
            None => checker.missing(resource.required_inputs(), None),
        }
        reported(declared, checker)
    }
}

fn reported<T>(declared: &Declared<T>, checker: Checker<'_, '_>) -> Vec<Problem<Option<Span>>> {
    let misfits = checker.found.into_inner().into_iter();
    let problems = misfits.map(|misfit| {
        let at = declared.span(misfit.at.unwrap_or(declared.at));
        let problem = Problem::error("type-mismatch", misfit.summary, misfit.detail, Some(at));
        problem.with_fault(misfit.fault)
    });
    problems.collect()
}

/// The package that serves a resource.
pub(super) fn package(decl: &ResourceDecl, locks: &Locks) -> Package {
    locks.package(decl.package(), decl.options.version.as_ref())
}

/// The key of a property, or else of the resource.
pub(super) fn place_of(declared: &Declared<ResourceDecl>, property: Option<&str>) -> TextRange {
    let properties = declared
        .decl
        .properties
        .as_ref()
        .and_then(|it| it.properties());
    let mut written = properties.into_iter().flatten();
    let found = written.find(|it| it.key.as_str() == property && property.is_some());
    found.map_or(declared.at, |it| it.key.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"name": "t", "types": {
        "t:index:Port": {"type": "object", "properties": {"protocol": {"$ref": "#/types/t:index:Protocol"}, "number": {"type": "integer"},
            "inner": {"$ref": "#/types/t:index:Port"}}, "required": ["protocol"]},
        "t:index:Protocol": {"type": "string", "enum": [{"value": "tcp"}, {"value": "udp"}]}},
        "provider": {"inputProperties": {"region": {"type": "string"}}},
        "functions": {"t:index:loud": {"outputs": {"properties": {"word": {"type": "string"}}}}},
        "resources": {"t:index:Disk": {
            "properties": {"handle": {"type": "string"}, "ports": {"type": "array", "items": {"$ref": "#/types/t:index:Port"}}},
            "inputProperties": {"size": {"type": "string"}, "copies": {"type": "integer"}, "first": {"$ref": "#/types/t:index:Port"},
                "tags": {"type": "object", "additionalProperties": {"type": "string"}}, "disk": {"$ref": "#/resources/t:index:Disk"},
                "either": {"oneOf": [{"type": "integer"}, {"$ref": "#/types/t:index:Port"}]},
                "ports": {"type": "array", "items": {"$ref": "#/types/t:index:Port"}}},
            "requiredInputs": ["size"]}}}"##;

    /// Everything that does not fit, with the text at its place.
    fn misfits(text: &str) -> Vec<String> {
        let file = yaml::File::parse(text);
        let program = Program::read(&text::FileId::new("/Pulumi.yaml"), &file);
        let package = Package::new("t", None);
        let basis = TypeBasis {
            program: program.clone(),
            locks: Arc::default(),
            schemas: Schemas::from([(package, Arc::new(Schema::parse(SCHEMA).unwrap()))]),
            configured: Configured::from([("four".to_owned(), Type::Number)]),
        };
        let known = NameTypes::new(&basis, "shop");
        let resources = program.resources.iter().flat_map(|it| known.resource(it));
        let others = program.variables.iter().chain(&program.outputs);
        let others = others.flat_map(|it| known.expression(it));
        let shown = resources.chain(others).map(|problem| {
            let span = problem.at.as_ref().unwrap();
            let segment = file.segment(span.segment).unwrap();
            let at = &segment.parsed.text[std::ops::Range::<usize>::from(span.range)];
            format!("{at}: {}", problem.summary)
        });
        shown.collect()
    }

    fn of_disk(properties: &str) -> Vec<String> {
        misfits(&format!(
            "config:\n  many: {{type: Integer}}\nvariables:\n  v: {{k: [1, 2], m: [{{z: 1}}, x]}}\nresources:\n  a:\n    type: t:Disk\n    properties: {{size: x, {properties}}}\n  b:\n    type: t:Disk\n    properties: {{size: x}}\n"
        ))
    }

    #[test]
    fn type_errors_are_reported_at_their_place() {
        for (properties, expected) in [
            (
                "copies: many",
                "many: integer is not assignable from string",
            ),
            (
                "copies: '${b.handle}'",
                "'${b.handle}': integer is not assignable from string",
            ),
            (
                "tags: {a: [1]}",
                "[1]: string is not assignable from List<number>",
            ),
            (
                "ports: [{protocol: tcp, nmber: 1}]",
                "nmber: Property nmber does not exist on 't:index:Port'",
            ),
            (
                "ports: [{number: 1}]",
                "{number: 1}: Missing required property 'protocol'",
            ),
            (
                "first: {protocol: icmp}",
                "icmp: Allowed values are \"tcp\", \"udp\"",
            ),
            (
                "either: x",
                "x: Union<integer, t:index:Port> is not assignable from string",
            ),
            ("disk: x", "x: t:index:Disk is not assignable from string"),
            (
                "size: '${b.ports}'",
                "'${b.ports}': string is not assignable from List<t:index:Port>",
            ),
            (
                "size: 1, sze: 2",
                "sze: Property sze does not exist on 't:index:Disk'",
            ),
            ("copies: '${b.size}'", "${b.size}: size does not exist on b"),
            (
                "copies: '${b.ports[0].nmber}'",
                "${b.ports[0].nmber}: nmber does not exist on b.ports[0]",
            ),
            // No enumeration fits anywhere, not even where the same is wanted.
            (
                "first: '${b.ports[0]}'",
                "'${b.ports[0]}': t:index:Port is not assignable from t:index:Port",
            ),
            (
                "size: '${b.ports[0].protocol}'",
                "'${b.ports[0].protocol}': string is not assignable from t:index:Protocol",
            ),
            ("copies: '${v.z}'", "${v.z}: z does not exist on v"),
            (
                "copies: '${v.m[0].z}'",
                "${v.m[0].z}: Cannot access into v.m[0] of type Union<{z: number}, string>",
            ),
            (
                "copies: '${v.k.z}'",
                "${v.k.z}: cannot access a property on 'v.k' (type List<number>)",
            ),
        ] {
            let found = of_disk(properties);
            assert_eq!(found, [expected], "{properties}");
        }
    }

    #[test]
    fn matching_types_are_accepted() {
        for properties in [
            "copies: '${many}'",
            "copies: '${b.ports[0].number}'",
            "tags: {a: 1, b: true}",
            "tags: {'${b.handle}': [1]}",
            // The host compares no element with an enumeration.
            "ports: [{protocol: icmp, inner: {protocol: tcp, number: 1}}]",
            "either: {protocol: tcp}",
            "disk: '${b}'",
            "size: 1, copies: '${v.k[0]}'",
            "tags: {a: 'x-${b.nothing}'}",
            "tags: {a: '${pulumi.stack}', b: '${nobody.x}'}",
            "tags: {fn::secret: {a: b}}",
        ] {
            assert_eq!(of_disk(properties), [""; 0], "{properties}");
        }
    }

    #[test]
    fn providers_functions_and_reads_are_checked() {
        let found = misfits(
            "resources:\n  p:\n    type: pulumi:providers:t\n    properties: {input: x}\n  a:\n    type: t:Disk\n    get: {id: [1], state: {handle: 1, sise: 2}}\n  b:\n    type: t:Dsk\n  c: {}\n  d:\n    type: t:Disk\n  e:\n    type: Disk\nvariables:\n  x: {'fn::t:lod': {}}\n  y: {'fn::t:loud': {}}\n  z: ${y.wrd}\noutputs:\n  o: ${y.word}\n",
        );
        assert_eq!(
            found,
            [
                "input: Property input does not exist on 'pulumi:providers:t'",
                "[1]: string is not assignable from List<number>",
                "sise: Property sise does not exist on 't:index:Disk'",
                "t:Dsk: error resolving type of resource b: unable to find resource type \"t:Dsk\" in resource provider \"t\"",
                "{}: Required field 'type' is missing on resource \"c\"",
                "d: Missing required property 'size'",
                "Disk: error resolving type of resource e: invalid type token \"Disk\"",
                "{'fn::t:lod': {}}: unable to find function \"t:lod\" in resource provider \"t\"",
                "${y.wrd}: wrd does not exist on y",
            ]
        );
    }

    #[test]
    fn variables_that_repeat_each_other_end() {
        let mut text = "variables:\n  v0: {a: 1}\n".to_owned();
        for n in 1..60 {
            let before = n - 1;
            text.push_str(&format!(
                "  v{n}: {{a: '${{v{before}}}', b: '${{v{before}}}'}}\n"
            ));
        }
        text.push_str("  x: ${y}\n  y: ${x}\noutputs:\n  o: ${v59.a.b}\n");
        assert_eq!(misfits(&text), [""; 0]);
    }
}
