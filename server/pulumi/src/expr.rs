//! Expressions of a program: YAML with `${...}` and `fn::`.

use std::collections::HashMap;

use text::{Problem, Suggestion, TextRange, TextSize};
use yaml::merge::{MERGES, is_refused};
use yaml::{Node, NodeKind, Resolved, Scalar};

use crate::value::Value;

/// An expression. Ranges are relative to the segment that it stands in.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub at: TextRange,
    pub kind: ExprKind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Literal(Value),
    /// `${a.b}`, which keeps the type of the value that it refers to.
    Access(Access),
    Template(Vec<Part>),
    List(Vec<Expr>),
    Object(Vec<Property>),
    Call(Box<Call>),
    /// Its problem is reported.
    Invalid,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    pub key: Expr,
    pub value: Expr,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    Text(String),
    Access(Access),
}

/// A name and the way into its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    pub at: TextRange,
    pub root: String,
    pub steps: Vec<AccessStep>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessStep {
    Name(String),
    /// A name in brackets.
    Key(String),
    Index(usize),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub function: Function,
    pub arguments: Vec<Expr>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// With its arguments, perhaps its options, and the property of the result that is meant.
    Invoke {
        token: String,
        result: Option<String>,
    },
    Join,
    ToJson,
    ToBase64,
    FromBase64,
    Select,
    Split,
    /// Of this stack, with the name of an output.
    StackReference(String),
    AssetArchive,
    StringAsset,
    FileAsset,
    RemoteAsset,
    FileArchive,
    RemoteArchive,
    Secret,
    Unsecret,
    ReadFile,
    FileBase64,
    FileBase64Sha256,
    Sha1,
    Length,
    SingleOrNone,
    ResourceName,
    ResourceType,
}

impl Function {
    /// Whether it turns a text into an asset or an archive.
    fn makes_asset(&self) -> bool {
        matches!(
            self,
            Function::StringAsset
                | Function::FileAsset
                | Function::RemoteAsset
                | Function::FileArchive
                | Function::RemoteArchive
        )
    }
}

/// Reads expressions of one segment.
pub struct Reader<'a> {
    /// The segment's text.
    pub source: &'a str,
    pub problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    pub fn expr(&mut self, node: &Node) -> Expr {
        let kind = match &node.kind {
            NodeKind::Scalar(scalar) => self.scalar(scalar, node.range),
            NodeKind::Sequence(elements) => {
                ExprKind::List(elements.iter().map(|it| self.expr(it)).collect())
            }
            NodeKind::Mapping(_) => self.mapping(node),
            // Reported with the syntax.
            NodeKind::Alias => ExprKind::Invalid,
        };
        Expr {
            at: node.range,
            kind,
        }
    }

    fn scalar(&mut self, scalar: &Scalar, at: TextRange) -> ExprKind {
        match scalar.resolve() {
            Resolved::Null => ExprKind::Literal(Value::Null),
            Resolved::Bool(value) => ExprKind::Literal(Value::Bool(value)),
            Resolved::Number(number) => ExprKind::Literal(Value::Number(number)),
            Resolved::String => self.string(scalar, at),
        }
    }

    fn string(&mut self, scalar: &Scalar, at: TextRange) -> ExprKind {
        let parts = match interpolated(&scalar.text) {
            Ok(parts) => parts,
            Err((offset, message)) => {
                let part = TextRange::new(offset, TextSize::of(&*scalar.text));
                let at = scalar.locate(self.source, at, part);
                self.error("interpolation", message, at);
                return ExprKind::Invalid;
            }
        };
        let mut parts: Vec<Part> = parts;
        let mut places = scalar.places(self.source, at);
        for part in &mut parts {
            if let Part::Access(access) = part {
                access.at = places.locate(access.at);
            }
        }
        match parts.as_mut_slice() {
            [] => ExprKind::Literal(Value::String(String::new())),
            [Part::Text(text)] => ExprKind::Literal(Value::String(std::mem::take(text))),
            [Part::Access(access)] => ExprKind::Access(access.clone()),
            _ => ExprKind::Template(parts),
        }
    }

    fn mapping(&mut self, node: &Node) -> ExprKind {
        if let [entry] = node.entries()
            && let Some(name) = function_name(&entry.key)
            && let Some(call) = self.call(name, &entry.key, &entry.value)
        {
            return call;
        }
        self.object(node)
    }

    fn object(&mut self, node: &Node) -> ExprKind {
        self.refuse_merges(node);
        if let [_, _, ..] = node.entries()
            && let Some(name) = node.entries().iter().find_map(|it| asset_function(&it.key))
        {
            // In the host's words.
            let message = format!("{name} must have it's own object");
            self.error("function-arguments", &message, node.range);
            return ExprKind::Invalid;
        }
        let entries = node.entries().iter();
        ExprKind::Object(
            entries
                .map(|entry| Property {
                    key: self.expr(&entry.key),
                    value: self.expr(&entry.value),
                })
                .collect(),
        )
    }

    /// The host has no merge keys, but the command line reads the file before it.
    fn refuse_merges(&mut self, node: &Node) {
        for entry in node.entries().iter().filter(|it| is_refused(it)) {
            self.error("yaml-syntax", MERGES, entry.key.range);
        }
    }

    /// `None` where the name is no function's, so that the object is one.
    fn call(&mut self, name: &str, key: &Node, argument: &Node) -> Option<ExprKind> {
        let simple = SIMPLE
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((known, function)) = simple {
            self.check_case(known, key);
            let argument = self.expr(argument);
            if *function == Function::AssetArchive && !self.has_members(&argument) {
                return Some(ExprKind::Invalid);
            }
            return Some(call(function.clone(), vec![argument]));
        }
        let pair = PAIRS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((known, function)) = pair {
            self.check_case(known, key);
            let arguments = argument.elements();
            if arguments.len() != 2 {
                let message = match function {
                    Function::Split => "The argument to fn::split must be a two-values list".into(),
                    _ => format!("the argument to fn::{known} must be a two-valued list"),
                };
                self.error("function-arguments", &message, argument.range);
                return Some(ExprKind::Invalid);
            }
            let arguments = arguments.iter().map(|it| self.expr(it));
            return Some(call(function.clone(), arguments.collect()));
        }
        if name.eq_ignore_ascii_case("stackReference") {
            self.check_case("stackReference", key);
            let message = "'fn::stackReference' is deprecated; please use 'pulumi:pulumi:StackReference' instead";
            self.warning("deprecated-function", message, key.range);
            return Some(self.stack_reference(argument));
        }
        if name.eq_ignore_ascii_case("invoke") {
            self.check_case("invoke", key);
            return Some(self.invoke(argument));
        }
        if matches!(name.split(':').count(), 2 | 3) && !name.contains("::") {
            let function = Function::Invoke {
                token: name.to_owned(),
                result: None,
            };
            let arguments = match argument.kind {
                NodeKind::Mapping(_) => self.invoke_arguments(argument),
                // As the host: nothing else counts.
                _ => Some(Expr {
                    at: argument.range,
                    kind: ExprKind::Object(Vec::new()),
                }),
            };
            let arguments = arguments.map(|it| call(function, vec![it]));
            return Some(arguments.unwrap_or(ExprKind::Invalid));
        }
        let message = format!("'fn::' is a reserved prefix: fn::{name} is not a function");
        self.warning("reserved-prefix", &message, key.range);
        None
    }

    /// Whether an archive consists of assets and archives; reports what else there is.
    ///
    /// Source: `parseAssetArchive` in `ast/expr.go` of Pulumi's YAML host.
    fn has_members(&mut self, argument: &Expr) -> bool {
        let Some(members) = argument.properties() else {
            let message = "the argument to fn::assetArchive must be an object";
            self.error("function-arguments", message, argument.at);
            return false;
        };
        let is_member = |it: &Expr| match &it.kind {
            ExprKind::Call(call) => {
                call.function == Function::AssetArchive || call.function.makes_asset()
            }
            // Reported already.
            ExprKind::Invalid => true,
            _ => false,
        };
        let before = self.problems.len();
        for Property { key, value } in members {
            if key.as_str().is_none() {
                let message = "keys in fn::assetArchive arguments must be string literals";
                self.error("function-arguments", message, key.at);
            }
            if !is_member(value) {
                let message = "value must be an asset or an archive";
                self.error("function-arguments", message, value.at);
            }
        }
        self.problems.len() == before
    }

    fn stack_reference(&mut self, argument: &Node) -> ExprKind {
        let [stack, output] = argument.elements() else {
            let message = "the argument to fn::stackReference must be a two-valued list";
            self.error("function-arguments", message, argument.range);
            return ExprKind::Invalid;
        };
        let message = "the first argument to fn::stackReference must be a string literal";
        let output = self.expr(output);
        match self.literal(stack, message) {
            Some(stack) => call(Function::StackReference(stack), vec![output]),
            None => ExprKind::Invalid,
        }
    }

    /// Source: `parseInvoke` in `ast/expr.go` of Pulumi's YAML host.
    fn invoke(&mut self, argument: &Node) -> ExprKind {
        let known = ["function", "arguments", "options", "return"];
        let mut written: HashMap<&str, &Node> = HashMap::new();
        for entry in argument.entries() {
            if let Some(key) = self.known_key(&entry.key, &known) {
                written.insert(key, &entry.value);
            }
        }
        let Some(function) = written.get("function") else {
            let message = match argument.kind {
                NodeKind::Mapping(_) => "missing function name ('function')",
                _ => {
                    "the argument to fn::invoke must be an object containing 'function', 'arguments', 'options', and 'return'"
                }
            };
            self.error("function-arguments", message, argument.range);
            return ExprKind::Invalid;
        };
        let token = self.literal(function, "function name must be a string literal");
        let of = written.get("return");
        let of = of.map(|it| self.literal(it, "return directive must be a string literal"));
        let arguments = match written.get("arguments") {
            Some(arguments) => self.invoke_arguments(arguments),
            None => Some(Expr {
                at: argument.range,
                kind: ExprKind::Object(Vec::new()),
            }),
        };
        let options = written.get("options").map(|it| self.invoke_options(it));
        let (Some(token), Some(arguments)) = (token, arguments) else {
            return ExprKind::Invalid;
        };
        let function = Function::Invoke {
            token,
            result: of.flatten(),
        };
        call(
            function,
            std::iter::once(arguments).chain(options).collect(),
        )
    }

    /// Source: `InvokeOptionsDecl` in `ast/expr.go` and `typeInvoke` in `analyser.go` of Pulumi's YAML host.
    fn invoke_options(&mut self, node: &Node) -> Expr {
        let known = [
            "provider",
            "parent",
            "version",
            "dependsOn",
            "pluginDownloadURL",
        ];
        for yaml::MappingEntry { key, value } in node.entries() {
            match self.known_key(key, &known) {
                None => self.ignored_field("invokeOptions", key, &known),
                Some("version") => {
                    let version = value.text().unwrap_or_default();
                    if let Err(why) = crate::release::tolerant(version)
                        && !version.is_empty()
                    {
                        let message = format!("unable to parse function provider version: {why}");
                        self.error("function-arguments", &message, value.range);
                    }
                }
                Some(_) => {}
            }
        }
        self.expr(node)
    }

    fn invoke_arguments(&mut self, node: &Node) -> Option<Expr> {
        let arguments = self.expr(node);
        if let Some(written) = arguments.properties() {
            // The host panics.
            let mut keys = written.iter().map(|it| &it.key);
            let Some(computed) = keys.find(|it| it.as_str().is_none()) else {
                return Some(arguments);
            };
            let message = "keys of function arguments ('arguments') must be string literals";
            self.error("function-arguments", message, computed.at);
            return None;
        }
        let message = "function arguments ('arguments') must be an object";
        self.error("function-arguments", message, node.range);
        None
    }

    /// A text without references.
    fn literal(&mut self, node: &Node, message: &str) -> Option<String> {
        if let ExprKind::Literal(Value::String(text)) = self.expr(node).kind {
            return Some(text);
        }
        self.error("function-arguments", message, node.range);
        None
    }

    fn check_case(&mut self, known: &str, key: &Node) {
        let (written, meant) = (key.text().unwrap_or_default(), format!("fn::{known}"));
        if written != meant {
            let message = miscapitalized(written, &meant);
            self.misspelt(
                "function-case",
                &message,
                key.range,
                Suggestion(Some(&meant)),
            );
        }
    }

    /// The properties of a resource. Functions are none of them, and keys are names as they stand.
    ///
    /// Source: `PropertyMapOrExprDecl.parse` in `ast/template.go` of Pulumi's YAML host.
    pub fn properties(&mut self, node: &Node) -> Expr {
        let NodeKind::Mapping(entries) = &node.kind else {
            return self.expr(node);
        };
        self.refuse_merges(node);
        let properties = entries.iter().map(|entry| Property {
            key: self.name(&entry.key),
            value: self.expr(&entry.value),
        });
        Expr {
            at: node.range,
            kind: ExprKind::Object(properties.collect()),
        }
    }

    /// A key in which nothing is interpolated.
    fn name(&mut self, key: &Node) -> Expr {
        match key.scalar().map(|it| (it, it.resolve())) {
            Some((scalar, Resolved::String)) => Expr {
                at: key.range,
                kind: ExprKind::Literal(Value::String(scalar.text.to_string())),
            },
            _ => self.expr(key),
        }
    }

    /// The known key for a written one: the host accepts any letter case, and warns.
    pub fn known_key<'k>(&mut self, key: &Node, known: &[&'k str]) -> Option<&'k str> {
        let written = key.text()?;
        let mut known = known.iter();
        let meant = *known.find(|it| it.eq_ignore_ascii_case(written))?;
        if meant != written {
            let message = miscapitalized(written, meant);
            self.misspelt(
                "unknown-field",
                &message,
                key.range,
                Suggestion(Some(meant)),
            );
        }
        Some(meant)
    }

    /// A key that does not exist.
    pub fn unknown_field(&mut self, message: &str, key: &str, at: TextRange, known: &[&str]) {
        let meant = text::did_you_mean(key, known.iter().copied());
        let problem = Problem::error("unknown-field", message.to_owned(), "", at);
        self.problems.push(problem.with_fault(meant));
    }

    /// A key that does not exist, and that the host only warns of.
    pub fn ignored_field(&mut self, object: &str, key: &Node, known: &[&str]) {
        let written = key.text().unwrap_or_default();
        let message = format!("Field '{written}' does not exist on Object '{object}'");
        let meant = text::did_you_mean(written, known.iter().copied());
        self.misspelt("unknown-field", &message, key.range, meant);
    }

    pub fn error(&mut self, code: &'static str, message: &str, at: TextRange) {
        let problem = Problem::error(code, message.to_owned(), "", at);
        self.problems.push(problem);
    }

    pub fn warning(&mut self, code: &'static str, message: &str, at: TextRange) {
        self.misspelt(code, message, at, Suggestion(None));
    }

    /// A warning about a name, with the one that was perhaps meant.
    pub fn misspelt(
        &mut self,
        code: &'static str,
        message: &str,
        at: TextRange,
        meant: Suggestion<'_>,
    ) {
        self.problems.push(Problem {
            severity: text::Severity::Warning,
            fault: meant.into(),
            ..Problem::error(code, message.to_owned(), "", at)
        });
    }
}

/// The host's message for a key in another case.
pub(crate) fn miscapitalized(written: &str, meant: &str) -> String {
    format!("'{written}' looks like a miscapitalization of '{meant}'")
}

/// The name of the function that a key names, whether or not it exists.
fn function_name(key: &Node) -> Option<&str> {
    let (prefix, name) = key.text()?.split_at_checked(4)?;
    prefix.eq_ignore_ascii_case("fn::").then_some(name)
}

/// The key, if its function makes an asset or an archive: the host reads such a key in each object.
///
/// Source: `tryParseAssetOrArchive` in `ast/expr.go` of Pulumi's YAML host.
fn asset_function(key: &Node) -> Option<&str> {
    let name = function_name(key)?;
    let mut functions = SIMPLE.iter().filter(|(_, it)| it.makes_asset());
    let is_one = functions.any(|(known, _)| known.eq_ignore_ascii_case(name));
    key.text().filter(|_| is_one)
}

fn call(function: Function, arguments: Vec<Expr>) -> ExprKind {
    ExprKind::Call(Box::new(Call {
        function,
        arguments,
    }))
}

/// With one argument.
const SIMPLE: [(&str, Function); 19] = [
    ("toJSON", Function::ToJson),
    ("toBase64", Function::ToBase64),
    ("fromBase64", Function::FromBase64),
    ("assetArchive", Function::AssetArchive),
    ("stringAsset", Function::StringAsset),
    ("fileAsset", Function::FileAsset),
    ("remoteAsset", Function::RemoteAsset),
    ("fileArchive", Function::FileArchive),
    ("remoteArchive", Function::RemoteArchive),
    ("secret", Function::Secret),
    ("unsecret", Function::Unsecret),
    ("readFile", Function::ReadFile),
    ("filebase64", Function::FileBase64),
    ("filebase64sha256", Function::FileBase64Sha256),
    ("sha1", Function::Sha1),
    ("length", Function::Length),
    ("singleOrNone", Function::SingleOrNone),
    ("pulumiResourceName", Function::ResourceName),
    ("pulumiResourceType", Function::ResourceType),
];

/// With a list of arguments, so many.
const PAIRS: [(&str, Function); 3] = [
    ("join", Function::Join),
    ("select", Function::Select),
    ("split", Function::Split),
];

/// The parts of a string. Ranges are those of the string's value.
fn interpolated(text: &str) -> Result<Vec<Part>, (TextSize, &'static str)> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(dollar) = text[at..].find('$') {
        let begin = at + dollar;
        plain.push_str(&text[at..begin]);
        let rest = &text[begin..];
        if rest.starts_with("$$") {
            plain.push('$');
            at = begin + 2;
        } else if rest.starts_with("${") {
            let size = |offset: usize| TextSize::new(offset as u32);
            let (root, steps, end) = access(text, begin + 2).map_err(|it| (size(begin), it))?;
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Access(Access {
                at: TextRange::new(size(begin), size(end)),
                root,
                steps,
            }));
            at = end;
        } else {
            plain.push('$');
            at = begin + 1;
        }
    }
    plain.push_str(&text[at..]);
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

/// The path from `at` to the end of its closing brace.
fn access(text: &str, mut at: usize) -> Result<(String, Vec<AccessStep>, usize), &'static str> {
    const UNTERMINATED: &str = "unterminated interpolation";
    let mut steps = Vec::new();
    loop {
        let rest = &text[at..];
        match rest.chars().next().ok_or(UNTERMINATED)? {
            '}' => {
                at += 1;
                break;
            }
            '.' => at += 1,
            '[' if rest[1..].starts_with('"') => {
                let (name, length) = subscript(&rest[2..])?;
                steps.push(AccessStep::Key(name));
                at += 2 + length;
            }
            '[' => {
                let end = rest
                    .find(']')
                    .ok_or("missing closing bracket in list index")?;
                let index = rest[1..end].parse().map_err(|_| "invalid list index")?;
                if steps.is_empty() {
                    return Err("the root property must be a string subscript or a name");
                }
                steps.push(AccessStep::Index(index));
                at += end + 1;
            }
            _ => {
                let end = rest.find(['.', '[', '}']).ok_or(UNTERMINATED)?;
                steps.push(AccessStep::Name(rest[..end].to_owned()));
                at += end;
            }
        }
    }
    if steps.is_empty() {
        return Err("Property access expressions cannot be empty");
    }
    match steps.remove(0) {
        AccessStep::Name(root) | AccessStep::Key(root) => Ok((root, steps, at)),
        AccessStep::Index(_) => Err("the root property must be a string subscript or a name"),
    }
}

/// A quoted name, and how long it is with its closing quote and bracket.
fn subscript(text: &str) -> Result<(String, usize), &'static str> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if text[at + 1..].starts_with(']') => return Ok((name, at + 2)),
            '"' => return Err("missing closing bracket in property access"),
            '\\' if text[at + 1..].starts_with('"') => {
                chars.next();
                name.push('"');
            }
            c => name.push(c),
        }
    }
    Err("missing closing quote in property name")
}

impl Expr {
    fn for_each_child<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Literal(_)
            | ExprKind::Access(_)
            | ExprKind::Template(_)
            | ExprKind::Invalid => {}
            ExprKind::List(elements) => elements.iter().for_each(visit),
            ExprKind::Object(properties) => {
                for property in properties {
                    visit(&property.key);
                    visit(&property.value);
                }
            }
            ExprKind::Call(call) => call.arguments.iter().for_each(visit),
        }
    }

    /// All accesses inside.
    pub fn accesses<'a>(&'a self, found: &mut Vec<&'a Access>) {
        match &self.kind {
            ExprKind::Access(access) => found.push(access),
            ExprKind::Template(parts) => found.extend(parts.iter().filter_map(|part| match part {
                Part::Access(access) => Some(access),
                Part::Text(_) => None,
            })),
            _ => self.for_each_child(|it| it.accesses(found)),
        }
    }

    /// The calls of functions of providers inside, each behind those in its arguments: the package and the options.
    pub(crate) fn invocations<'a>(&'a self, found: &mut Vec<(&'a str, &'a [Property])>) {
        self.for_each_child(|it| it.invocations(found));
        found.extend(self.invocation());
    }

    /// The references in texts behind one that leads to an output: the host evaluates the rest of such a text later.
    ///
    /// Source: `evaluateInterpolations` in `run.go` of Pulumi's YAML host.
    pub(crate) fn late_accesses<'a>(
        &'a self,
        is_output: &impl Fn(&Access) -> bool,
        found: &mut Vec<&'a Access>,
    ) {
        match &self.kind {
            ExprKind::Template(_) => {
                let mut accesses = Vec::new();
                self.accesses(&mut accesses);
                if let Some(first) = accesses.iter().position(|it| is_output(it)) {
                    found.extend(accesses.into_iter().skip(first + 1));
                }
            }
            ExprKind::Object(properties) => {
                let values = properties.iter().map(|it| &it.value);
                values.for_each(|it| it.late_accesses(is_output, found));
            }
            _ => self.for_each_child(|it| it.late_accesses(is_output, found)),
        }
    }

    /// The text of a plain string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Literal(value) => value.as_str(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (ExprKind, Vec<String>) {
        let mut problems = Vec::new();
        let parse = yaml::parse(text);
        let mut reader = Reader {
            source: text,
            problems: &mut problems,
        };
        let kind = reader.expr(parse.root.as_ref().unwrap()).kind;
        let problems = problems.into_iter().map(|it| it.summary.into_owned());
        (kind, problems.collect())
    }

    fn shown(access: &Access, source: &str) -> String {
        let at = &source[std::ops::Range::<usize>::from(access.at)];
        format!("{at} = {} {:?}", access.root, access.steps)
    }

    #[test]
    fn a_string_that_is_one_interpolation_is_an_access() {
        for (text, expected) in [
            ("${a}", "${a} = a []"),
            ("\"${a.b[0]}\"", "${a.b[0]} = a [Name(\"b\"), Index(0)]"),
            (
                "'${a[\"k.x\"].c}'",
                "${a[\"k.x\"].c} = a [Key(\"k.x\"), Name(\"c\")]",
            ),
            ("${a b-c.d e}", "${a b-c.d e} = a b-c [Name(\"d e\")]"),
            ("${.a}", "${.a} = a []"),
            ("${[\"a b\"].c}", "${[\"a b\"].c} = a b [Name(\"c\")]"),
        ] {
            let (ExprKind::Access(access), _) = read(text) else {
                panic!("{text}");
            };
            assert_eq!(shown(&access, text), expected);
        }
    }

    #[test]
    fn parts_of_strings_have_places() {
        let text = "\"x\\u00e4 ${a.b} $$y $ ${c}\"";
        let (ExprKind::Template(parts), _) = read(text) else {
            panic!();
        };
        let parts: Vec<_> = parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Access(access) => shown(access, text),
            })
            .collect();
        assert_eq!(
            parts,
            ["xä ", "${a.b} = a [Name(\"b\")]", " $y $ ", "${c} = c []"]
        );
    }

    #[test]
    fn errors_in_an_interpolation_are_reported() {
        for (text, expected) in [
            ("x ${a", "unterminated interpolation"),
            ("'${a[0'", "missing closing bracket in list index"),
            ("'${a[x]}'", "invalid list index"),
            ("'${}'", "Property access expressions cannot be empty"),
            (
                "'${[0]}'",
                "the root property must be a string subscript or a name",
            ),
            ("'${a[\"b}'", "missing closing quote in property name"),
        ] {
            assert_eq!(
                read(text),
                (ExprKind::Invalid, vec![expected.to_owned()]),
                "{text}"
            );
        }
    }

    #[test]
    fn merge_keys_merge_only_mappings() {
        for (text, expected) in [
            ("{<<: {a: 1}, b: 2}", &[][..]),
            ("{'<<': x}", &[]),
            ("{<<: x}", &[MERGES]),
            ("{<<: [{a: 1}, x]}", &[MERGES]),
        ] {
            assert_eq!(read(text).1, expected, "{text}");
        }
    }

    #[test]
    fn functions_are_recognized() {
        for (text, expected) in [
            ("fn::toJSON: {a: 1}", Function::ToJson),
            ("fn::join: ['-', [a]]", Function::Join),
            ("Fn::Split: ['-', a]", Function::Split),
            (
                "fn::stackReference: [org/p/s, out]",
                Function::StackReference("org/p/s".to_owned()),
            ),
            (
                "fn::lens:lookup: {word: a}",
                Function::Invoke {
                    token: "lens:lookup".to_owned(),
                    result: None,
                },
            ),
            (
                "fn::invoke: {function: lens:index:lookup, arguments: {}, return: upper}",
                Function::Invoke {
                    token: "lens:index:lookup".to_owned(),
                    result: Some("upper".to_owned()),
                },
            ),
        ] {
            let (ExprKind::Call(call), _) = read(text) else {
                panic!("{text}");
            };
            assert_eq!(call.function, expected);
        }
        let (kind, problems) = read("fn::nothing: 1");
        assert!(matches!(kind, ExprKind::Object(_)) && problems.len() == 1);
        assert!(matches!(
            read("{'fn::toJSON': 1, b: 2}").0,
            ExprKind::Object(_)
        ));
    }

    #[test]
    fn wrong_arguments_of_functions_are_reported() {
        for (text, expected) in [
            (
                "fn::join: [a]",
                "the argument to fn::join must be a two-valued list",
            ),
            (
                "fn::split: a",
                "The argument to fn::split must be a two-values list",
            ),
            (
                "{a: 1, fn::FileAsset: x}",
                "fn::FileAsset must have it's own object",
            ),
        ] {
            let expected = vec![expected.to_owned()];
            assert_eq!(read(text), (ExprKind::Invalid, expected), "{text}");
        }
        let (kind, problems) = read("fn::stackReference: ['${a}', b]");
        let expected = "the first argument to fn::stackReference must be a string literal";
        assert_eq!((kind, &*problems[1]), (ExprKind::Invalid, expected));
        assert!(matches!(read("{fn::join: 1, b: 2}").0, ExprKind::Object(_)));
    }
}
