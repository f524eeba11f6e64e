//! What may never panic and never hang, whatever it is given. Each function takes any bytes; it panics where a
//! promise is broken.

mod bytes;
mod session;

use std::fs;
use std::io;
use std::sync::{Arc, LazyLock};

use config::addr::ModuleAddr;
use config::{Files, ModuleCache, Profile, load_module};
use cty::{Mark, Type, Value, json as cty_json, msgpack as cty_msgpack};
use eval::{EvalContext, Functions, Variables};
use provider::{Environment, Installation};
use syntax::dump::{dump_expr, dump_file};

pub use session::session;

/// Takes any bytes.
type Target = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Target); 9] = [
    ("evaluate", evaluate),
    ("format", format),
    ("json", json),
    ("json_syntax", json_syntax),
    ("lock_file", lock_file),
    ("msgpack", msgpack),
    ("session", session),
    ("state", state),
    ("syntax", syntax),
];

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// A file keeps every byte of its text; a text is also an expression, a template and a reference, or not.
pub fn syntax(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let file = syntax::parse(text);
    let mut kept = String::new();
    for segment in file.segments() {
        kept.push_str(&segment.parsed.syntax().to_string());
    }
    assert_eq!(kept, text, "the tree has the text");
    dump_file(file.body());
    dump_expr(&syntax::parse_expression(text).tree);
    dump_expr(&syntax::parse_template(text).tree);
    syntax::parse_traversal_abs(text);
}

/// Configuration in JSON syntax: a file keeps every byte of its text, what it declares is read in the language of both
/// products, and its first half grows to the same file.
pub fn json_syntax(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let file = OnlyFile(text);
    let parsed = file.parse(OnlyFile::PATH).expect("it is there");
    let mut kept = String::new();
    for segment in parsed.segments() {
        kept.push_str(&segment.parsed.syntax().to_string());
    }
    assert_eq!(kept, text, "the tree has the text");
    let dumped = dump_file(parsed.body());
    let half = (0..=text.len() / 2).rfind(|at| text.is_char_boundary(*at));
    let half = config::parse_file(OnlyFile::PATH, &text[..half.unwrap_or(0)]);
    assert_eq!(dump_file(half.reparse(text).0.body()), dumped);
    for profile in [Profile::NEWEST_TERRAFORM, Profile::NEWEST_OPENTOFU] {
        let mut cache = ModuleCache::new(profile);
        load_module(&file, &mut cache, "/", &ModuleAddr::root());
    }
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(SCOPE.clone(), &functions);
    for (_, attribute) in config::parse_file("/x.tfvars.json", text)
        .body()
        .attributes()
    {
        eval::evaluate(&attribute.expr, &context);
    }
}

/// A directory with one file in it.
struct OnlyFile<'a>(&'a str);

impl OnlyFile<'_> {
    const PATH: &'static str = "/main.tf.json";
}

impl Files for OnlyFile<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        Ok(Vec::from_iter((dir == "/").then(|| "main.tf.json".into())))
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        match path == OnlyFile::PATH {
            true => Ok(self.0.into()),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Formatting is settled after a few rounds (one `"${...}"` is taken off at a time) and stays valid.
pub fn format(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Some(mut formatted) = syntax::format(text) else {
        return;
    };
    for _ in 0..=text.len() {
        let again = syntax::format(&formatted).expect("formatted text is valid");
        if again == formatted {
            return;
        }
        formatted = again;
    }
    panic!("never settled: {formatted}");
}

/// A value that JSON text implies has the same text when it is read again.
pub fn json(data: &[u8]) {
    let Some(text) = text(data) else { return };
    for ty in &*TYPES {
        let _ = cty_json::decode_str(text, ty);
    }
    let Ok(value) = cty_json::decode_implied(text) else {
        return;
    };
    // A number with a great exponent is infinite, as in the reference, and JSON has no infinity.
    let Ok(written) = cty_json::encode_simple(&value) else {
        assert!(
            format!("{value:?}").contains("Inf"),
            "{value:?} can't be written"
        );
        return;
    };
    let again = cty_json::decode_implied(&written).expect("what was written can be read");
    assert_eq!(again, value);
}

/// A value that was read has the same bytes when it is written, read and written again. It may be another value: long
/// integers are written as text, with as many digits as their precision needs.
pub fn msgpack(data: &[u8]) {
    let Some((which, data)) = data.split_first() else {
        return;
    };
    let ty = &TYPES[usize::from(*which) % TYPES.len()];
    let _ = cty_msgpack::implied_type(data);
    let Ok(value) = cty_msgpack::decode(data, ty) else {
        return;
    };
    let written = cty_msgpack::encode(&value, ty).expect("what was read can be written");
    let again = cty_msgpack::decode(&written, ty).expect("what was written can be read");
    assert_eq!(cty_msgpack::encode(&again, ty).as_ref(), Ok(&written));
}

/// A state file is read or refused.
pub fn state(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(state) = state::read(text) else { return };
    assert!(state.changed_resources(&state).is_empty());
    for (addr, instance) in state.instances() {
        let _ = addr.to_string();
        let Some(object) = &instance.current else {
            continue;
        };
        // Half a surrogate pair passes as long as it isn't looked at.
        let Ok(value) = serde_json::from_str(object.attributes.get()) else {
            continue;
        };
        for ty in &*TYPES {
            let _ = cty_json::decode(&value, ty);
        }
    }
}

/// A package that is verified is one that the lock file names, with its version and its hash.
pub fn lock_file(data: &[u8]) {
    let environment = &PACKAGE.0;
    fs::write(environment.root_module.join(".terraform.lock.hcl"), data).expect("a file");
    let random = "hashicorp/random".parse().expect("an address");
    let examined = provider::examine(environment, &random);
    if let Ok(Installation::Package { hash, .. }) = examined.installation {
        let text = text(data).expect("a lock file is UTF-8");
        let version = examined.locked.expect("it is selected");
        assert!(text.contains(hash.as_str()) && version == PACKAGE_VERSION);
    }
}

const PACKAGE_VERSION: &str = "3.9.0";

/// A root module with an unpacked package.
static PACKAGE: LazyLock<(Environment, tempfile::TempDir)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let environment = Environment {
        root_module: folder.path().to_owned(),
        variables: Default::default(),
    };
    let version =
        format!(".terraform/providers/registry.terraform.io/hashicorp/random/{PACKAGE_VERSION}");
    // All platforms that tests may run on.
    for os in ["linux", "darwin"] {
        for processor in ["amd64", "arm64"] {
            let package = folder
                .path()
                .join(&version)
                .join(format!("{os}_{processor}"));
            fs::create_dir_all(&package).expect("a folder");
            fs::write(package.join("terraform-provider-random"), "program").expect("a file");
        }
    }
    (environment, folder)
});

/// Evaluation ends, with a value whose type its errors do not contradict.
pub fn evaluate(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(SCOPE.clone(), &functions);
    for parsed in [syntax::parse_expression(text), syntax::parse_template(text)] {
        let evaluated = eval::evaluate(&parsed.tree, &context);
        if !evaluated.has_errors() {
            let (value, _) = evaluated.value.unmark_deep();
            assert_eq!(value, value.clone().unmark_deep().0);
        }
    }
}

static TYPES: LazyLock<Vec<Type>> = LazyLock::new(|| {
    let object = Type::object([("a", Type::String), ("b", Type::list(Type::Number))]);
    vec![
        Type::Dynamic,
        Type::String,
        Type::Number,
        Type::Bool,
        Type::list(Type::String),
        Type::set(object.clone()),
        Type::map(Type::Dynamic),
        Type::tuple([Type::Bool, Type::Dynamic]),
        Type::object([("o", object), ("d", Type::Dynamic)]),
    ]
});

/// Short names, so that they are found.
static SCOPE: LazyLock<Variables> = LazyLock::new(|| {
    let secret = |value: Value| value.mark(Mark::Sensitive);
    let unknown = Value::unknown(Type::String);
    let list = Value::list(Type::String, vec!["x".into(), unknown.clone()]);
    let object = Value::object([("a", secret("y".into())), ("b", Value::int(2))]);
    let scope = [
        ("s", Value::string("text")),
        ("n", Value::int(3)),
        ("t", Value::bool(true)),
        ("z", Value::null(Type::String)),
        ("u", unknown.refine_not_null()),
        ("d", Value::dynamic()),
        ("k", secret(Value::int(7))),
        ("l", list),
        (
            "e",
            Value::set(Type::Number, vec![1.into(), Value::unknown(Type::Number)]),
        ),
        ("m", Value::map(Type::String, [("a", Value::string("v"))])),
        ("o", object),
        ("f", Value::unknown(Type::list(Type::Bool))),
    ];
    scope.map(|(name, value)| (name.into(), value)).into()
});
