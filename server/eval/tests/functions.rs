//! Functions against what Terraform answers: recorded cases of our own, and the tables of go-cty and OpenTofu.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use config::Profile;
use cty::{Type, Value};
use eval::{CallContext, CallError, FileKind, Files, Function, Functions, Templates, functions};
use eval::{EvalContext, evaluate};
use serde_json::Value as Json;

#[path = "functions/operators.rs"]
mod operators;

/// Files that exist only here: what the tables' cases read.
struct MemoryFiles(BTreeMap<PathBuf, Vec<u8>>);

impl MemoryFiles {
    fn new(icon: Vec<u8>) -> MemoryFiles {
        let texts = [
            ("hello.txt", "Hello World"),
            ("hello.tmpl", "Hello, ${name}!"),
            ("bare.tmpl", "${val}"),
            ("func.tmpl", "The items are ${join(\", \", list)}"),
            ("list.tmpl", "%{ for x in list ~}\n- ${x}\n%{ endfor ~}\n"),
            (
                "recursive.tmpl",
                "recursively ${templatefile(\"testdata/recursive.tmpl\", {})}",
            ),
        ];
        let texts = texts
            .into_iter()
            .map(|(name, text)| (name, text.as_bytes().to_vec()));
        let files = texts.chain([("icon.png", icon)]);
        MemoryFiles(
            files
                .map(|(name, content)| (Path::new("/run/testdata").join(name), content))
                .collect(),
        )
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0
            .get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        match (
            self.0.contains_key(path),
            self.0.keys().any(|file| file.starts_with(path)),
        ) {
            (true, _) => Ok(FileKind::File),
            (false, true) => Ok(FileKind::Directory),
            (false, false) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let inside = self
            .0
            .keys()
            .filter_map(|file| file.strip_prefix(path).ok());
        let first = inside.filter_map(|inside| inside.components().next());
        Ok(first
            .map(|name| name.as_os_str().to_string_lossy().into_owned())
            .collect())
    }
}

/// Renders with the evaluator, as it does itself but for its messages.
struct Rendered;

impl Templates for Rendered {
    fn render(
        &self,
        source: &str,
        _: Option<&str>,
        variables: &BTreeMap<String, Value>,
        _: &CallContext<'_>,
    ) -> Result<Value, CallError> {
        let parsed = syntax::parse_template(source);
        if let Some(error) = parsed.errors.first() {
            return Err(CallError::call(&*error.summary));
        }
        let variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.clone()));
        let functions = Functions::without_surroundings();
        let context = EvalContext::new(variables.collect(), &functions);
        let evaluated = evaluate(&parsed.tree, &context);
        match evaluated.problems.first() {
            Some(problem) => Err(CallError::call(&problem.detail)),
            None => Ok(evaluated.value),
        }
    }
}

fn context<'a>(files: &'a MemoryFiles, profile: Profile) -> CallContext<'a> {
    CallContext {
        base_dir: Path::new("/run"),
        home_dir: Some(Path::new("/home/me")),
        files,
        templates: &Rendered,
        plan_timestamp: Some("2024-05-06T07:08:09Z"),
        profile,
        template_depth: 0,
    }
}

fn conformance(file: &str) -> Option<Vec<Json>> {
    let folder = std::env::var_os("PLANLENS_CONFORMANCE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join("tables").join(file)).ok()?;
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// What a case expects.
#[derive(Debug)]
enum Want {
    Value(Value),
    /// An error, with its message if that is given.
    Error(Option<String>),
}

struct Outcome {
    is_right: bool,
    /// Where an error was expected and its message given: whether it is the same.
    has_same_message: Option<bool>,
    got: String,
}

fn judge(got: Result<Value, CallError>, want: &Want) -> Outcome {
    let (is_right, has_same_message) = match (&got, want) {
        (Ok(got), Want::Value(want)) => (got.raw_equals(want), None),
        (Err(error), Want::Error(Some(message))) => (true, Some(error.message == *message)),
        (Err(_), Want::Error(None)) => (true, None),
        (Ok(_), Want::Error(_)) | (Err(_), Want::Value(_)) => (false, None),
    };
    Outcome {
        is_right,
        has_same_message,
        got: format!("{got:?}"),
    }
}

/// A row of a table as a call. `None`: it is not about a function of the language.
struct Row {
    function: &'static Function,
    args: Vec<Value>,
    want: Want,
}

/// The function that a table's test is about, and the fields of its arguments; `*` before a field: it
/// holds a list of arguments.
type Binding = (&'static str, &'static str, &'static [&'static str]);

const STDLIB: &[Binding] = &[
    ("TestAbsolute", "abs", &["Input"]),
    ("TestCSVDecode", "csvdecode", &["Input"]),
    ("TestCeil", "ceil", &["Num"]),
    ("TestChunklist", "chunklist", &["List", "Len"]),
    ("TestCoalesce", "coalesce", &["*Values"]),
    ("TestCoalesceList", "coalescelist", &["*Values"]),
    ("TestConcat", "concat", &["*Input"]),
    ("TestContains", "contains", &["List", "Value"]),
    ("TestDistinct", "distinct", &["List"]),
    ("TestElement", "element", &["List", "Index"]),
    ("TestFlatten", "flatten", &["List"]),
    ("TestFloor", "floor", &["Num"]),
    ("TestFormat", "format", &["Format", "*Args"]),
    ("TestFormatList", "formatlist", &["Format", "*Args"]),
    ("TestJSONDecode", "jsondecode", &["Input"]),
    ("TestJSONEncode", "jsonencode", &["Input"]),
    ("TestJoin", "join", &["Separator", "*Lists"]),
    ("TestKeys", "keys", &["Collection"]),
    ("TestLength", "length", &["Collection"]),
    ("TestLog", "log", &["Num", "Base"]),
    ("TestLookup", "lookup", &["Collection", "Key", "Default"]),
    ("TestLower", "lower", &["Input"]),
    ("TestMax", "max", &["*Inputs"]),
    ("TestMerge", "merge", &["*Values"]),
    ("TestMin", "min", &["*Inputs"]),
    ("TestParseInt", "parseint", &["Num", "Base"]),
    ("TestPow", "pow", &["Num", "Power"]),
    ("TestRange", "range", &["*Args"]),
    ("TestRegex", "regex", &["Pattern", "String"]),
    ("TestRegexAll", "regexall", &["Pattern", "String"]),
    ("TestReplace", "replace", &["Input", "Substr", "Replace"]),
    ("TestReverse", "strrev", &["Input"]),
    ("TestReverseList", "reverse", &["Input"]),
    ("TestSetIntersection", "setintersection", &["*Input"]),
    ("TestSetSubtract", "setsubtract", &["InputA", "InputB"]),
    ("TestSetUnion", "setunion", &["*Input"]),
    ("TestSetproduct", "setproduct", &["*Collections"]),
    ("TestSignum", "signum", &["Num"]),
    ("TestSlice", "slice", &["Input", "Start", "End"]),
    ("TestSort", "sort", &["Input"]),
    ("TestStrlen", "length", &["Input"]),
    ("TestSubstr", "substr", &["Input", "Offset", "Length"]),
    ("TestUpper", "upper", &["Input"]),
    ("TestValues", "values", &["Collection"]),
    ("TestZipMap", "zipmap", &["Keys", "Values"]),
];

const OPENTOFU: &[Binding] = &[
    ("TestAllTrue", "alltrue", &["Collection"]),
    ("TestAnyTrue", "anytrue", &["Collection"]),
    ("TestBase64Decode", "base64decode", &["String"]),
    ("TestBase64Decode_error", "base64decode", &["String"]),
    ("TestBase64Encode", "base64encode", &["String"]),
    ("TestBase64Gunzip", "base64gunzip", &["String"]),
    ("TestBase64Gzip", "base64gzip", &["String"]),
    ("TestBase64Sha256", "base64sha256", &["String"]),
    (
        "TestBase64TextDecode",
        "textdecodebase64",
        &["String", "Encoding"],
    ),
    (
        "TestBase64TextEncode",
        "textencodebase64",
        &["String", "Encoding"],
    ),
    ("TestBasename", "basename", &["Path"]),
    ("TestCidrContains", "cidrcontains", &["Prefix", "Address"]),
    ("TestCidrHost", "cidrhost", &["Prefix", "Hostnum"]),
    ("TestCidrNetmask", "cidrnetmask", &["Prefix"]),
    (
        "TestCidrSubnet",
        "cidrsubnet",
        &["Prefix", "Newbits", "Netnum"],
    ),
    ("TestCidrSubnets", "cidrsubnets", &["Prefix", "*Newbits"]),
    ("TestCoalesce", "coalesce", &["*Values"]),
    ("TestDirname", "dirname", &["Path"]),
    ("TestEphemeralAsNullFunc", "ephemeralasnull", &["Input"]),
    ("TestFile", "file", &["Path"]),
    ("TestFileBase64", "filebase64", &["Path"]),
    ("TestFileBase64Sha256", "filebase64sha256", &["Path"]),
    ("TestFileBase64Sha512", "filebase64sha512", &["Path"]),
    ("TestFileExists", "fileexists", &["Path"]),
    ("TestFileMD5", "filemd5", &["Path"]),
    ("TestFileSHA1", "filesha1", &["Path"]),
    ("TestFileSHA256", "filesha256", &["Path"]),
    ("TestFileSHA512", "filesha512", &["Path"]),
    ("TestFileSet", "fileset", &["Path", "Pattern"]),
    ("TestIndex", "index", &["List", "Value"]),
    ("TestIsSensitive", "issensitive", &["Input"]),
    ("TestLength", "length", &["Value"]),
    ("TestLookup", "lookup", &["*Values"]),
    ("TestLookup_error", "lookup", &["*Values"]),
    (
        "TestMatchkeys",
        "matchkeys",
        &["Keys", "Values", "Searchset"],
    ),
    ("TestMd5", "md5", &["String"]),
    ("TestNonsensitive", "nonsensitive", &["Input"]),
    ("TestOne", "one", &["List"]),
    ("TestParseInt", "parseint", &["Num", "Base"]),
    ("TestPathExpand", "pathexpand", &["Path"]),
    ("TestReplace", "replace", &["String", "Substr", "Replace"]),
    (
        "TestRsaDecrypt",
        "rsadecrypt",
        &["Ciphertext", "Privatekey"],
    ),
    ("TestSensitive", "sensitive", &["Input"]),
    ("TestSha1", "sha1", &["String"]),
    ("TestSha256", "sha256", &["String"]),
    ("TestSha512", "sha512", &["String"]),
    ("TestStartsWith", "startswith", &["String", "Prefix"]),
    ("TestStrContains", "strcontains", &["String", "Substr"]),
    ("TestSum", "sum", &["List"]),
    ("TestTemplateFile", "templatefile", &["Path", "Vars"]),
    ("TestTemplateString", "templatestring", &["Content", "Vars"]),
    ("TestTimeCmp", "timecmp", &["TimeA", "TimeB"]),
    ("TestTimeadd", "timeadd", &["Time", "Duration"]),
    ("TestTranspose", "transpose", &["Values"]),
    ("TestURLDecode", "urldecode", &["String"]),
    ("TestURLEncode", "urlencode", &["String"]),
    ("TestUUIDV5", "uuidv5", &["Namespace", "Name"]),
];

fn value(json: &Json) -> Option<Value> {
    cty::testing::value(json)
}

fn row(bindings: &[Binding], case: &Json) -> Option<Row> {
    let test = case["test"].as_str()?;
    let fields = &case["case"];
    let table = functions::table();
    let bound = |names: &[&str]| -> Option<Vec<Value>> {
        let mut args = Vec::new();
        for field in names {
            match field.strip_prefix('*') {
                Some(field) => {
                    for arg in fields[field].as_array().into_iter().flatten() {
                        args.push(value(arg)?);
                    }
                }
                None => args.push(value(&fields[field])?),
            }
        }
        Some(args)
    };
    let binding = bindings.iter().find(|(bound, ..)| *bound == test);
    let (function, args) = match (test, binding) {
        ("TestTo", _) => (
            table.get(conversion(&fields["TargetTy"])?)?,
            vec![value(&fields["Value"])?],
        ),
        ("TestFormatDate", _) => (table.get("formatdate")?, format_date_args(fields)?),
        (_, Some((_, name, names))) => (table.get(name)?, bound(names)?),
        (_, None) => {
            let (function, names) = operators::operator(test)?;
            // Once for each row of the test; there are few.
            (&*Box::leak(Box::new(function)), bound(names)?)
        }
    };
    let error = ["Err", "WantErr", "WantError"]
        .iter()
        .map(|field| &fields[field])
        .find(|error| !error.is_null());
    let want = match error {
        // How the error is judged is a Go function.
        None if fields["ErrFn"].is_string() && fields["Want"]["nilval"] == true => {
            Want::Error(None)
        }
        Some(Json::String(message)) => Want::Error(Some(message.clone())),
        Some(Json::Bool(true)) => Want::Error(None),
        _ => Want::Value(wanted(test, fields, &args)?),
    };
    Some(Row {
        function,
        args,
        want,
    })
}

fn wanted(test: &str, fields: &Json, args: &[Value]) -> Option<Value> {
    let field = match test {
        "TestSensitive" => return Some(args[0].mark(cty::Mark::Sensitive)),
        "TestNonsensitive" => {
            let (value, mut marks) = args[0].unmark();
            marks.remove(&cty::Mark::Sensitive);
            return Some(value.mark_all(&marks));
        }
        "TestFormatDate" if fields["wantRFC3339"].is_string() => {
            return Some(Value::string(fields["wantRFC3339"].as_str()?));
        }
        "TestIsSensitive" => "IsSensitive",
        "TestEphemeralAsNullFunc" => "Expected",
        _ => "Want",
    };
    value(&fields[field])
}

fn conversion(target: &Json) -> Option<&'static str> {
    let ty = cty::testing::ty(target)?;
    let any = Type::Dynamic;
    let targets = [
        (Type::String, "tostring"),
        (Type::Number, "tonumber"),
        (Type::Bool, "tobool"),
        (Type::list(any.clone()), "tolist"),
        (Type::set(any.clone()), "toset"),
        (Type::map(any), "tomap"),
    ];
    targets
        .into_iter()
        .find(|(target, _)| *target == ty)
        .map(|(_, name)| name)
}

fn format_date_args(fields: &Json) -> Option<Vec<Value>> {
    if let Some(input) = fields["input"].as_str() {
        return Some(vec![
            Value::string("YYYY-MM-DD'T'hh:mm:ssZ"),
            Value::string(input),
        ]);
    }
    match (value(&fields["Format"]), value(&fields["Timestamp"])) {
        (Some(format), _) => Some(vec![format, Value::string("2006-01-02T15:04:05Z")]),
        (None, Some(timestamp)) => Some(vec![Value::string(""), timestamp]),
        (None, None) => None,
    }
}

/// Runs a table and prints how it went. `known` names tests, with the reason why a row of theirs fails.
fn run_table(file: &str, bindings: &[Binding], profile: Profile, known: &[(&str, usize, &str)]) {
    let Some(cases) = conformance(file) else {
        eprintln_in_test(&format!(
            "{file}: skipped, the conformance folder is not there"
        ));
        return;
    };
    let icon = cases
        .iter()
        .find(|case| case["test"] == "TestFileBase64")
        .and_then(|case| {
            use base64::Engine as _;
            let content = case["case"]["Want"]["v"].as_str()?;
            base64::engine::general_purpose::STANDARD
                .decode(content)
                .ok()
        });
    let files = MemoryFiles::new(icon.unwrap_or_default());
    // `~` is the home of whoever recorded the table.
    let home = cases
        .iter()
        .find(|case| case["test"] == "TestPathExpand")
        .and_then(|case| {
            let path = case["case"]["Path"]["v"].as_str()?.strip_prefix('~')?;
            case["case"]["Want"]["v"].as_str()?.strip_suffix(path)
        });
    let context = CallContext {
        home_dir: Some(Path::new(home.unwrap_or("/home/me"))),
        ..context(&files, profile)
    };
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut run, mut same_messages, mut messages) = (0, 0, 0);
    for case in &cases {
        let Some(row) = row(bindings, case) else {
            *left_out
                .entry(case["test"].as_str().unwrap_or_default())
                .or_default() += 1;
            continue;
        };
        run += 1;
        let function = row.function;
        let outcome = judge(function.call_conforming(&row.args, &context), &row.want);
        if let Some(is_same) = outcome.has_same_message {
            messages += 1;
            same_messages += usize::from(is_same);
            if !is_same {
                eprintln_in_test(&format!(
                    "message {}: got {}, want {:?}",
                    row.function.name, outcome.got, row.want
                ));
            }
        }
        if !outcome.is_right {
            let args = &row.args;
            let line = format!(
                "{}({args:?}): got {}, want {:?}",
                row.function.name, outcome.got, row.want
            );
            failed
                .entry(case["test"].as_str().unwrap_or_default())
                .or_default()
                .push(line);
        }
    }
    let failures: usize = failed.values().map(Vec::len).sum();
    eprintln_in_test(&format!(
        "{file}: {} of {run} rows right ({:.1} %), {same_messages} of {messages} messages the same",
        run - failures,
        100.0 * (run - failures) as f64 / run.max(1) as f64
    ));
    eprintln_in_test(&format!("{file}: not about functions: {left_out:?}"));
    let mut unexplained = Vec::new();
    for (test, lines) in &failed {
        let explained = known
            .iter()
            .filter(|(known, ..)| known == test)
            .map(|(_, count, _)| count)
            .sum::<usize>();
        if lines.len() > explained {
            unexplained.extend(lines.iter().map(|line| format!("{test}: {line}")));
        }
    }
    assert!(
        unexplained.is_empty(),
        "{} failures:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
}

/// Prints past clippy's eyes: test output is for the reader of the run.
fn eprintln_in_test(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(io::stderr(), "{line}");
}

#[test]
fn the_standard_library_table_of_go_cty_holds() {
    let known = [
        (
            "TestLength",
            1,
            "Terraform's own length says less about a value of no type, as that may be a string",
        ),
        (
            "TestStrlen",
            1,
            "Terraform's own length says less about a value of no type",
        ),
    ];
    run_table(
        "cty_function_stdlib.jsonl",
        STDLIB,
        Profile::NEWEST_TERRAFORM,
        &known,
    );
}

#[test]
fn the_function_tables_of_opentofu_hold() {
    let known = [
        (
            "TestFileExists",
            1,
            "the case needs a folder that may not be read",
        ),
        (
            "TestDirname",
            usize::from(cfg!(windows)),
            "Windows has other separators",
        ),
    ];
    run_table(
        "opentofu_lang_funcs.jsonl",
        OPENTOFU,
        Profile::NEWEST_OPENTOFU,
        &known,
    );
}

#[test]
fn an_error_does_not_show_a_sensitive_argument() {
    let files = MemoryFiles::new(Vec::new());
    let context = context(&files, Profile::TERRAFORM_1_11);
    let marks = [cty::Mark::Sensitive, cty::Mark::Ephemeral];
    for (name, rest) in [
        ("uuidv5", vec![Value::string("x")]),
        ("cidrhost", vec![Value::int(1)]),
        ("timeadd", vec![Value::string("1h")]),
        ("base64decode", vec![]),
        ("file", vec![]),
        ("tonumber", vec![]),
        ("parseint", vec![Value::int(10)]),
        ("jsondecode", vec![]),
        ("regex", vec![Value::string("x")]),
    ] {
        for mark in &marks {
            let args = [
                vec![Value::string("(hunter2").mark(mark.clone())],
                rest.clone(),
            ]
            .concat();
            let error = functions::table()
                .get(name)
                .unwrap()
                .call(&args, &context)
                .unwrap_err();
            assert!(!error.message.contains("hunter2"), "{name}: {error}");
        }
    }
}

/// Calls in the context of the run `/run`, and what they give, as `Debug` shows it.
fn check(name: &str, args: &[Value], want: &str) {
    let files = MemoryFiles::new(Vec::new());
    let context = context(&files, Profile::TERRAFORM_1_11);
    let function = functions::table().get(name).unwrap();
    let got = match function.call(args, &context) {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!(
            "{} {}",
            error.argument.map_or(-1, |index| index as i64),
            error.message
        ),
    };
    assert_eq!(got, want, "{name}({args:?})");
}

fn unknown() -> Value {
    Value::unknown(Type::String)
}

fn list(elements: &[&str]) -> Value {
    Value::list(Type::String, elements.iter().map(Value::string).collect())
}

#[test]
fn refinements_of_unknown_arguments_are_kept() {
    let partly = Value::object([("a", Value::int(1)), ("b", unknown())]);
    check(
        "merge",
        &[Value::object([("c", Value::int(2))]), partly.clone()],
        r#"{"a": 1, "b": unknown(string), "c": 2}"#,
    );
    check("keys", std::slice::from_ref(&partly), r#"["a", "b"]"#);
    check(
        "length",
        &[Value::unknown(Type::tuple([Type::String]))],
        "1",
    );
    check(
        "length",
        &[Value::set(
            Type::String,
            vec![unknown(), Value::string("b")],
        )],
        "unknown(number, not null, >= 1, <= 2)",
    );
    check("length", &[unknown()], "unknown(number, not null, >= 0)");
    check(
        "contains",
        &[
            Value::tuple(vec![Value::string("a"), unknown()]),
            Value::string("a"),
        ],
        "true",
    );
    check(
        "contains",
        &[
            Value::tuple(vec![Value::string("a"), unknown()]),
            Value::string("b"),
        ],
        "unknown(bool, not null)",
    );
    check("coalesce", &[Value::string("x"), unknown()], r#""x""#);
    check(
        "coalesce",
        &[unknown(), Value::string("x")],
        "unknown(string, not null)",
    );
    check(
        "concat",
        &[Value::list(Type::String, vec![unknown()]), list(&["b"])],
        r#"list[unknown(string), "b"]"#,
    );
    check(
        "flatten",
        &[Value::tuple(vec![Value::tuple(vec![unknown()])])],
        "[unknown(string)]",
    );
    check(
        "lookup",
        &[partly.clone(), Value::string("a"), Value::int(3)],
        "1",
    );
    check(
        "lookup",
        &[partly.clone(), Value::string("z"), Value::int(3)],
        "3",
    );
    check(
        "element",
        &[
            Value::tuple(vec![unknown(), Value::string("b")]),
            Value::int(1),
        ],
        r#""b""#,
    );
    check(
        "jsonencode",
        std::slice::from_ref(&partly),
        r#"unknown(string, not null, prefix "{")"#,
    );
    check(
        "jsondecode",
        &[unknown().refine().string_prefix("{\"a").build()],
        "unknown(any)",
    );
    check(
        "format",
        &[Value::string("a-%s"), unknown()],
        r#"unknown(string, not null, prefix "a-")"#,
    );
    check(
        "formatlist",
        &[
            Value::string("%s"),
            Value::tuple(vec![unknown(), Value::string("b")]),
        ],
        r#"list[unknown(string, not null), "b"]"#,
    );
    check(
        "join",
        &[
            Value::string(","),
            Value::list(Type::String, vec![unknown()]),
        ],
        "unknown(string, not null)",
    );
    check(
        "sort",
        &[Value::list(Type::String, vec![unknown(), unknown()])],
        "list[unknown(string), unknown(string)]",
    );
    check(
        "startswith",
        &[
            unknown().refine().string_prefix_full("ab").build(),
            Value::string("a"),
        ],
        "true",
    );
    check(
        "setunion",
        &[
            Value::set(Type::String, vec![unknown()]),
            Value::set(Type::String, vec![Value::string("b")]),
        ],
        r#"set["b", unknown(string)]"#,
    );
    check(
        "setintersection",
        &[Value::set(Type::String, vec![unknown()])],
        "unknown(set(string), not null)",
    );
    check(
        "values",
        std::slice::from_ref(&partly),
        "[1, unknown(string)]",
    );
    check(
        "zipmap",
        &[
            list(&["a", "b"]),
            Value::tuple(vec![unknown(), Value::int(1)]),
        ],
        r#"{"a": unknown(string), "b": 1}"#,
    );
    check(
        "slice",
        &[
            Value::tuple(vec![unknown(), Value::int(1)]),
            Value::int(0),
            Value::int(1),
        ],
        "[unknown(string)]",
    );
    check("upper", &[unknown()], "unknown(string, not null)");
    check("tolist", &[Value::dynamic()], "unknown(list(any))");
    check(
        "toset",
        &[Value::tuple(vec![unknown()])],
        "set[unknown(string)]",
    );
    check(
        "yamlencode",
        std::slice::from_ref(&partly),
        "unknown(string)",
    );
    check(
        "one",
        &[Value::set(Type::String, vec![unknown()])],
        "unknown(string)",
    );
    check(
        "anytrue",
        &[Value::list(
            Type::Bool,
            vec![Value::unknown(Type::Bool), Value::bool(true)],
        )],
        "true",
    );
    check(
        "max",
        &[Value::int(1), Value::unknown(Type::Number)],
        "unknown(number, not null)",
    );
    check(
        "regexall",
        &[unknown(), Value::string("a")],
        "unknown(list(any), not null)",
    );
    check("file", &[unknown()], "unknown(string, not null)");
}

#[test]
fn marks_travel_to_the_result() {
    let secret = Value::string("s").mark(cty::Mark::Sensitive);
    check("upper", std::slice::from_ref(&secret), "(sensitive)");
    check("length", &[Value::tuple(vec![secret.clone()])], "1");
    check(
        "keys",
        &[Value::object([("a", secret.clone())])],
        r#"["a"]"#,
    );
    check(
        "merge",
        &[
            Value::object([("a", secret.clone())]),
            Value::object([("b", Value::int(1))]),
        ],
        r#"{"a": (sensitive), "b": 1}"#,
    );
    check(
        "concat",
        &[Value::tuple(vec![secret.clone()]), Value::tuple(vec![])],
        "[(sensitive)]",
    );
    check(
        "lookup",
        &[
            Value::object([("a", Value::int(1))]),
            Value::string("a").mark(cty::Mark::Sensitive),
        ],
        "(sensitive)",
    );
    check("issensitive", std::slice::from_ref(&secret), "true");
    check("nonsensitive", std::slice::from_ref(&secret), r#""s""#);
    check("sensitive", &[Value::int(1)], "(sensitive)");
    check(
        "zipmap",
        &[
            Value::list(Type::String, vec![secret.clone()]),
            list(&["a"]),
        ],
        "(sensitive)",
    );
    check(
        "jsonencode",
        &[Value::tuple(vec![secret.clone()])],
        "(sensitive)",
    );
    check(
        "join",
        &[
            Value::string(","),
            Value::list(Type::String, vec![secret.clone(), unknown()]),
        ],
        "(sensitive)",
    );
    check(
        "ephemeralasnull",
        &[Value::tuple(vec![
            Value::string("e").mark(cty::Mark::Ephemeral),
            secret,
        ])],
        "[null(string), (sensitive)]",
    );
}

#[test]
fn functions_see_the_surroundings_they_are_given() {
    check(
        "file",
        &[Value::string("testdata/hello.txt")],
        r#""Hello World""#,
    );
    check(
        "file",
        &[Value::string("testdata/missing")],
        r#"0 no file exists at "testdata/missing"; this function works only with files that are distributed as part of the configuration source code, so if this file will be created by a resource in this configuration you must instead obtain this result from an attribute of that resource"#,
    );
    check(
        "filebase64",
        &[Value::string("./testdata/../testdata/hello.txt")],
        r#""SGVsbG8gV29ybGQ=""#,
    );
    check(
        "filebase64sha256",
        &[Value::string("/run/testdata/hello.txt")],
        r#""pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=""#,
    );
    check(
        "filebase64sha512",
        &[Value::string("testdata/missing").mark(cty::Mark::Sensitive)],
        "-1 open (sensitive value): no such file or directory",
    );
    check(
        "filemd5",
        &[Value::string("testdata/hello.txt")],
        r#""b10a8db164e0754105b7a99be72e3fe5""#,
    );
    check(
        "filesha1",
        &[Value::string("testdata/hello.txt")],
        r#""0a4d55a8d778e5022fab701977c5d840bbc486d0""#,
    );
    check(
        "filesha256",
        &[Value::string("testdata/hello.txt")],
        r#""a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e""#,
    );
    check(
        "filesha512",
        &[Value::string("nothing")],
        "-1 open nothing: no such file or directory",
    );
    check("fileexists", &[Value::string("testdata/hello.txt")], "true");
    check("fileexists", &[Value::string("testdata/none")], "false");
    check(
        "fileexists",
        &[Value::string("testdata")],
        r#"-1 "testdata" is a directory, not a file"#,
    );
    check(
        "fileset",
        &[
            Value::string("testdata"),
            Value::string("{hello,ba*}.t[a-z]*"),
        ],
        r#"set["bare.tmpl", "hello.tmpl", "hello.txt"]"#,
    );
    check(
        "fileset",
        &[Value::string(""), Value::string("**/*.txt")],
        r#"set["testdata/hello.txt"]"#,
    );
    check(
        "fileset",
        &[Value::string("testdata/x"), Value::string("../*.txt")],
        r#"set["../hello.txt"]"#,
    );
    check(
        "fileset",
        &[Value::string("."), Value::string("[")],
        r#"-1 failed to glob pattern "[": syntax error in pattern"#,
    );
    check("abspath", &[Value::string("a/../b")], r#""/run/b""#);
    check(
        "pathexpand",
        &[Value::string("~/.ssh/id")],
        r#""/home/me/.ssh/id""#,
    );
    check(
        "pathexpand",
        &[Value::string("~other/x")],
        "-1 cannot expand user-specific home dir",
    );
    check("plantimestamp", &[], r#""2024-05-06T07:08:09Z""#);
    check("timestamp", &[], "unknown(string, not null)");
    check("uuid", &[], "unknown(string, not null)");
    check(
        "bcrypt",
        &[Value::string("x"), Value::int(5)],
        "unknown(string, not null)",
    );
    check(
        "rsadecrypt",
        &[Value::string("!"), Value::string("")],
        r#"0 failed to decode input "!": cipher text must be base64-encoded"#,
    );
    check(
        "rsadecrypt",
        &[Value::string("YQ=="), Value::string("no key")],
        "1 invalid private key: ssh: no key found",
    );
    check(
        "templatefile",
        &[Value::string("testdata/missing"), Value::empty_object()],
        r#"0 no file exists at "testdata/missing"; this function works only with files that are distributed as part of the configuration source code, so if this file will be created by a resource in this configuration you must instead obtain this result from an attribute of that resource"#,
    );
    check(
        "templatefile",
        &[Value::string("testdata/hello.tmpl"), Value::string("x")],
        "1 invalid vars value: must be a map",
    );
    check(
        "templatestring",
        &[Value::string("x"), Value::object([("1x", Value::int(1))])],
        r#"1 invalid template variable name "1x": must start with a letter, followed by zero or more letters, digits, and underscores"#,
    );
}

/// A sample of calls with arguments of all kinds, most of them nonsense, always the same ones.
#[test]
fn no_call_panics() {
    let number = |text: &str| Value::number(cty::Number::parse(text).unwrap());
    let texts = [
        "",
        "a",
        "é👩‍👩‍👧‍👦",
        "%",
        "%[9]*.5d%é",
        "%-010.3f",
        "{",
        "[1,",
        "a,\"b",
        "10.0.0.0/8",
        "::/0",
        "0.0.0.0/0",
        "2020-01-01T00:00:00Z",
        "2020-02-30T2é:00:00+é9:00",
        "-1h.é",
        "YYYY'",
        "(?P<é>",
        "[a-\\",
        "a{9",
        "/(/",
        "~x",
        "**/{a,[b",
        "- é: [",
        "&a [*a]",
        "UTF-16",
        "////",
        "-9223372036854775808",
    ];
    let mut pool: Vec<Value> = texts.iter().map(Value::string).collect();
    pool.extend(
        [
            "0",
            "-1",
            "1.5",
            "9223372036854775807",
            "-9223372036854775808",
            "1e40",
            "3",
        ]
        .map(number),
    );
    pool.extend(
        [f64::INFINITY, f64::NEG_INFINITY]
            .map(|float| Value::number(cty::Number::try_from(float).unwrap())),
    );
    pool.extend([
        Value::bool(true),
        Value::dynamic(),
        Value::null(Type::Dynamic),
        unknown(),
        Value::empty_tuple(),
    ]);
    pool.push(Value::null(Type::list(Type::String)));
    pool.push(Value::unknown(Type::set(Type::Number)));
    pool.push(Value::set(
        Type::String,
        vec![unknown(), Value::string("b")],
    ));
    pool.push(list(&["b", "a"]).mark(cty::Mark::Sensitive));
    pool.push(Value::tuple(vec![
        Value::null(Type::String),
        Value::int(1),
        Value::tuple(vec![unknown()]),
    ]));
    pool.push(Value::object([
        ("a", Value::string("x").mark(cty::Mark::Ephemeral)),
        ("b", unknown()),
    ]));
    pool.push(Value::map(Type::String, [("a", Value::null(Type::String))]));
    let files = MemoryFiles::new(Vec::new());
    let context = context(&files, Profile::TERRAFORM_1_11);
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut results = 0;
    for name in functions::table().names() {
        let function = functions::table().get(name).unwrap();
        for _ in 0..400 {
            let more = if function.variadic.is_some() {
                random(4)
            } else {
                0
            };
            let args: Vec<Value> = (0..function.params.len() + more)
                .map(|_| pool[random(pool.len())].clone())
                .collect();
            results += usize::from(function.call(&args, &context).is_ok());
        }
    }
    assert!(results > 5_000, "{results}");
}

#[test]
fn signatures_list_parameters() {
    let table = functions::table();
    for (name, signature) in functions::signatures() {
        let Some(function) = table.get(name) else {
            assert!(
                matches!(name.as_str(), "can" | "convert" | "try"),
                "no {name}"
            );
            continue;
        };
        let shown = |name: &str, ty: &Type| format!("{name}: {ty}");
        let documented = signature.parameters.iter().chain(&signature.variadic);
        let documented: Vec<String> = documented
            .map(|param| shown(&param.name, &param.ty))
            .collect();
        let taken = function.params.iter().chain(&function.variadic);
        let taken: Vec<String> = taken.map(|param| shown(param.name, &param.ty)).collect();
        assert_eq!(documented, taken, "{name}");
        assert!(!signature.description.is_empty(), "{name}");
    }
    let undocumented: Vec<_> = table
        .names()
        .filter(|name| !functions::signatures().contains_key(*name))
        .collect();
    // These only say what to write instead.
    let missing = "schemas/functions.json describes each other function";
    assert_eq!(undocumented, ["list", "map"], "{missing}");
}

/// Recorded with Terraform 1.11.4 by `tests/data/record.py`.
#[test]
fn terraform_gives_the_same_answers() {
    let cases = include_str!("data/functions.jsonl")
        .split('\n')
        .filter(|line| !line.is_empty());
    let functions = Functions::without_surroundings();
    let files = MemoryFiles::new(Vec::new());
    let context = context(&files, functions.profile);
    let mut wrong = Vec::new();
    let (mut run, mut explained, mut missing) = (0, 0, Vec::new());
    for line in cases {
        let case: Json = serde_json::from_str(line).unwrap();
        let name = case["call"].as_str().unwrap();
        let Some(function) = functions.get(name) else {
            missing.push(name.to_owned());
            continue;
        };
        run += 1;
        let args: Vec<Value> = case["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(argument)
            .collect();
        let got = answer(function, &args, &context);
        let want = match case["error"].as_str() {
            Some(error) => error.to_owned(),
            None if case["unknown"] == true => "unknown".to_owned(),
            None => {
                let ty = case["type"]
                    .as_str()
                    .unwrap()
                    .replace(",)", ")")
                    .replace(",]", "]")
                    .replace(",}", "}");
                let value = case["value"].as_str().unwrap();
                // As `filepath.Dir` of Go.
                let is_of_windows = cfg!(windows) && name == "dirname";
                let value = match is_of_windows {
                    true => value.replace('/', r"\\"),
                    false => value.to_owned(),
                };
                format!("{ty} {value}")
            }
        };
        let is_known = KNOWN_DIFFERENCES
            .iter()
            .any(|(known, _)| line.starts_with(known));
        match (got == want, is_known) {
            (true, _) => {}
            (false, true) => explained += 1,
            (false, false) => wrong.push(format!("{line}\n   got: {got}")),
        }
    }
    eprintln_in_test(&format!(
        "recorded calls: {} of {run} the same, {explained} explained; without function: {missing:?}",
        run - wrong.len() - explained
    ));
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// How lines begin whose answer is not Terraform's, and why.
const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    (
        r#"{"call": "element", "args": [["a", "b", "c"], -1]"#,
        "Terraform 1.11 panics; from 1.12 on it answers as we do",
    ),
    (
        r#"{"call": "format", "args": ["%s", ["a"]]"#,
        "conversion says what it found, as later versions do",
    ),
    (
        r#"{"call": "jsondecode", "args": ["{\"a\":1,\"a\":\"x\"}"]"#,
        "later versions refuse a repeated property",
    ),
    (
        r#"{"call": "parseint", "args": [{"$sensitive""#,
        "Terraform shows the sensitive value",
    ),
    (
        r#"{"call": "pow", "args": [-8, 0.3333]"#,
        "Terraform panics",
    ),
    (
        r#"{"call": "setunion", "args": [["a"], 5]"#,
        "conversion says what it found, as later versions do",
    ),
    (
        r#"{"call": "yamldecode", "args": ["a: ["]"#,
        "the parser has its own words",
    ),
    (
        r#"{"call": "yamldecode", "args": ["*x"]"#,
        "the parser has its own words",
    ),
    (
        r#"{"call": "yamldecode", "args": ["---"#,
        "the parser has its own words",
    ),
    (
        r#"{"call": "yamldecode", "args": ["- !!int"#,
        "the message has no place in the text",
    ),
];

fn answer(function: &Function, args: &[Value], context: &CallContext<'_>) -> String {
    match function.call(args, context) {
        Ok(value) if !value.is_known() => "unknown".to_owned(),
        Ok(value) => {
            let (value, _) = value.unmark_deep();
            let json = cty::json::encode_simple(&value)
                .unwrap_or_else(|error| format!("no JSON: {error}"));
            format!("{} {json}", type_text(value.ty()))
        }
        Err(error) => {
            let (_, detail) = error.describe(function);
            detail.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}

fn argument(json: &Json) -> Value {
    let object = json.as_object();
    if let Some((key, inner)) = object.and_then(|object| object.iter().next())
        && key.starts_with('$')
    {
        let inner = argument(inner);
        let to = |ty: Type| {
            cty::convert(&inner, &ty).unwrap_or_else(|error| panic!("{inner:?} as {ty}: {error}"))
        };
        return match key.as_str() {
            _ if elements_are_none(&inner) => empty(key),
            "$set" => to(Type::set(Type::Dynamic)),
            "$list" => to(Type::list(Type::Dynamic)),
            "$map" => to(Type::map(Type::Dynamic)),
            _ => inner.mark(cty::Mark::Sensitive),
        };
    }
    match json {
        Json::Array(elements) => Value::tuple(elements.iter().map(argument).collect()),
        Json::Object(entries) => {
            Value::object(entries.iter().map(|(name, value)| (name, argument(value))))
        }
        Json::Null => Value::null(Type::Dynamic),
        Json::Bool(bool) => Value::bool(*bool),
        Json::String(text) => Value::string(text),
        Json::Number(number) => Value::number(cty::Number::parse(&number.to_string()).unwrap()),
    }
}

/// A type as `type()` shows it, without white space.
fn type_text(ty: &Type) -> String {
    match ty {
        Type::Dynamic => "dynamic".to_owned(),
        Type::List(element) => format!("list({})", type_text(element)),
        Type::Set(element) => format!("set({})", type_text(element)),
        Type::Map(element) => format!("map({})", type_text(element)),
        Type::Tuple(types) => {
            format!(
                "tuple([{}])",
                types.iter().map(type_text).collect::<Vec<_>>().join(",")
            )
        }
        Type::Object(object) => {
            let attributes = object
                .attributes
                .iter()
                .map(|(name, ty)| format!("{name}:{}", type_text(ty)));
            format!("object({{{}}})", attributes.collect::<Vec<_>>().join(","))
        }
        Type::String | Type::Number | Type::Bool | Type::Capsule(_) => ty.friendly_name(),
    }
}

fn elements_are_none(value: &Value) -> bool {
    value.as_slice().is_some_and(<[Value]>::is_empty)
}
fn empty(key: &str) -> Value {
    match key {
        "$set" => Value::set(Type::Dynamic, Vec::new()),
        _ => Value::list(Type::Dynamic, Vec::new()),
    }
}
