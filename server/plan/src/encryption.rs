//! OpenTofu's encryption of states: the settings in `encryption` blocks and `TF_ENCRYPTION`, and decryption.
//!
//! Follows OpenTofu's `internal/encryption` (`base.go`, `targets.go`, `methods.go`, `keyprovider.go`, `config/config_merge.go`).

mod layers;
mod payload;

use config::{Attribute, Expr, ModuleTree};
use cty::{Type, Value, convert};
use passphrase::Hash;
use smol_str::SmolStr;
use syntax::ast::{ExprKind, StepKind};
use text::{Diagnostic, Severity, Span};

use crate::condition::has_errors;
use crate::static_values::StaticValues;
use layers::{Layers, Target};

/// How the state is encrypted: the methods in the order in which they are tried.
///
/// Has secrets in it, so it is never printed.
#[derive(Clone, PartialEq)]
pub(crate) struct Encryption {
    methods: Vec<Result<Method, Unusable>>,
}

/// Why a method can't be used. The messages hold no secret.
#[derive(Clone, PartialEq)]
struct Unusable(String);

#[derive(Clone, PartialEq)]
enum Method {
    Unencrypted,
    AesGcm {
        keys: KeyProvider,
        /// Additional authenticated data.
        aad: Vec<u8>,
    },
}

/// A source of keys.
#[derive(Clone, PartialEq)]
struct KeyProvider {
    passphrase: Passphrase,
    settings: Pbkdf2,
    /// The name of the key's metadata in an encrypted file.
    metadata: String,
}

#[derive(Clone, PartialEq)]
enum Passphrase {
    Text(String),
    Chain(Box<KeyProvider>),
}

/// The settings of new keys. The settings of an existing key are in the encrypted file.
#[derive(Clone, PartialEq)]
struct Pbkdf2 {
    key_length: i64,
    iterations: i64,
    salt_length: i64,
    hash_function: String,
}

const UNENCRYPTED: &str = "unencrypted";

/// Types of key providers and methods that need a service or a program of the user's.
const ELSEWHERE: [&str; 5] = ["aws_kms", "gcp_kms", "azure_vault", "openbao", "external"];

const MINIMUM_PASSPHRASE: usize = 16;
const MINIMUM_ITERATIONS: i64 = 200_000;

/// The encryption of the state that the root module and `variable`, the text of `TF_ENCRYPTION`, ask for. `None`: of none, or
/// something is wrong with it.
pub(crate) fn read(
    tree: &ModuleTree,
    variable: Option<&str>,
    values: &StaticValues,
) -> (Option<Encryption>, Vec<Diagnostic>) {
    let (layers, mut diagnostics) = Layers::of(tree.root(), variable);
    if has_errors(&diagnostics) || layers.is_empty() {
        return (None, diagnostics);
    }
    diagnostics.extend(layers.duplicates());
    let mut reader = Reader {
        tree,
        values,
        layers: &layers,
        diagnostics,
    };
    reader.warn_of_unencrypted();
    let state = layers.target("state").map(|target| reader.target(&target));
    let others = layers.target("plan").into_iter();
    for target in others.chain(layers.remote_targets()) {
        reader.target(&target);
    }
    let mut diagnostics = reader.diagnostics;
    for diagnostic in &mut diagnostics {
        diagnostic.subject = diagnostic.subject.take().filter(layers::is_in_a_file);
        diagnostic
            .related
            .retain(|it| layers::is_in_a_file(&it.span));
    }
    let state = state.flatten().filter(|_| !has_errors(&diagnostics));
    (state.map(|methods| Encryption { methods }), diagnostics)
}

struct Reader<'a> {
    tree: &'a ModuleTree,
    values: &'a StaticValues<'a>,
    layers: &'a Layers,
    diagnostics: Vec<Diagnostic>,
}

type Found<T> = Result<T, Vec<Diagnostic>>;

impl Reader<'_> {
    fn warn_of_unencrypted(&mut self) {
        let methods = self.layers.declared("method");
        let unencrypted = methods.iter().filter(|it| it.r#type == UNENCRYPTED);
        self.diagnostics.extend(unencrypted.map(|_| {
            Diagnostic::warning(
                "encryption",
                "Unencrypted method configured",
                "Method unencrypted is present in configuration. This is a security risk and should only be enabled during migrations.",
                self.layers.at.clone(),
            )
        }));
    }

    /// The methods of something that is encrypted; `None` after an error.
    fn target(&mut self, target: &Target) -> Option<Vec<Result<Method, Unusable>>> {
        let mut named = Vec::new();
        for method in &target.methods {
            let method = method.as_ref();
            let method = method.map_err(|at| not_a_reference(at.clone()));
            match method.and_then(|it| self.method_named(it)) {
                Ok(method) => named.push(method),
                Err(diagnostic) => {
                    self.diagnostics.push(*diagnostic);
                    return None;
                }
            }
        }
        if target.is_enforced && named.iter().any(|it| it.r#type == UNENCRYPTED) {
            self.diagnostics.push(Diagnostic::error(
                "encryption",
                "Unencrypted method is forbidden",
                "Unable to use unencrypted method since the enforced flag is set.",
                self.layers.at.clone(),
            ));
            return None;
        }
        let mut methods = Vec::new();
        // Others are looked at when something is to be decrypted.
        for (index, declared) in named.iter().enumerate() {
            let method = self.method(declared);
            if let (Err(found), 0) = (&method, index) {
                let errors = found.iter().filter(|it| it.severity == Severity::Error);
                self.diagnostics.extend(errors.cloned());
            }
            methods.push(method.map_err(|found| Unusable::of(&found)));
        }
        Some(methods)
    }

    fn method_named(&self, method: &Expr) -> Result<layers::EncryptionBlock, Box<Diagnostic>> {
        let error = |summary: &str, detail: String| {
            Box::new(Diagnostic::error(
                "encryption",
                summary,
                detail,
                method.span(),
            ))
        };
        if !matches!(method.ast.kind, ExprKind::Traversal(_) | ExprKind::Json(_)) {
            return Err(not_a_reference(method.span()));
        }
        let Some((r#type, name)) = reference(method, "method") else {
            return Err(error(
                "Invalid encryption method identifier",
                "Expected method of form method.<type>.<name>".into(),
            ));
        };
        let declared = self.layers.find("method", &r#type, &name);
        declared.ok_or_else(|| {
            error(
                "Reference to undeclared encryption method",
                format!(
                    "There is no method {:?} {:?} block declared in the encryption block.",
                    r#type.as_str(),
                    name.as_str()
                ),
            )
        })
    }

    fn method(&self, declared: &layers::EncryptionBlock) -> Found<Method> {
        match declared.r#type.as_str() {
            UNENCRYPTED => return Ok(Method::Unencrypted),
            "aes_gcm" => {}
            elsewhere if ELSEWHERE.contains(&elsewhere) => return Err(not_supported(declared)),
            other => {
                let summary = format!("Error fetching encryption method {other:?}");
                let detail = format!("encryption method with ID {other} not found");
                return Err(vec![self.error(&summary, detail, declared.at.clone())]);
            }
        }
        declared.refuse_others(&["keys", "aad"])?;
        let Some(keys) = declared.attribute("keys") else {
            let detail = "The argument \"keys\" is required, but no definition was found.";
            let at = declared.at.clone();
            return Err(vec![Diagnostic::error(
                "missing-argument",
                "Missing required argument",
                detail,
                at,
            )]);
        };
        let keys = self.keys(&keys.expr(), &mut Vec::new())?;
        let length = usize::try_from(keys.settings.key_length).unwrap_or(0);
        if !matches!(length, 16 | 24 | 32) {
            return Err(vec![self.error(
                "Invalid method configuration",
                format!(
                    "invalid method configuration: AES-GCM requires the key length to be one of: 16, 24, 32, received {length} bytes in the encryption key"
                ),
                declared.at.clone(),
            )]);
        }
        let aad = match declared.attribute("aad") {
            None => Vec::new(),
            Some(aad) => bytes(&self.value(declared, aad)?).ok_or_else(|| {
                let detail = "Unsuitable value: list of number required".to_owned();
                vec![self.error("Unsuitable value type", detail, Some(aad.expr().span()))]
            })?,
        };
        Ok(Method::AesGcm { keys, aad })
    }

    /// The key provider that an expression refers to. `behind`: those that are being read.
    fn keys(&self, expr: &Expr, behind: &mut Vec<(SmolStr, SmolStr)>) -> Found<KeyProvider> {
        let Some((r#type, name)) = reference(expr, "key_provider") else {
            let detail = "A key_provider compatible value is required here.".to_owned();
            let summary = "Expected key_provider value";
            return Err(vec![self.error(summary, detail, Some(expr.span()))]);
        };
        let Some(declared) = self.layers.find("key_provider", &r#type, &name) else {
            let detail = format!(
                "There is no key_provider {:?} {:?} block declared in the encryption block.",
                r#type.as_str(),
                name.as_str()
            );
            let summary = "Reference to undeclared key provider";
            return Err(vec![self.error(summary, detail, Some(expr.span()))]);
        };
        let address = format!("key_provider.{type}.{name}");
        let known = (r#type.clone(), name);
        if behind.contains(&known) {
            let detail =
                format!("Cannot load {address} due to circular reference between key providers.");
            let at = declared.at.clone();
            return Err(vec![self.error("Circular reference detected", detail, at)]);
        }
        behind.push(known);
        match r#type.as_str() {
            "pbkdf2" => self.pbkdf2(&declared, address, behind),
            elsewhere if ELSEWHERE.contains(&elsewhere) => Err(not_supported(&declared)),
            other => {
                let summary = format!("Error fetching key_provider {other:?}");
                let detail = format!("key provider with ID {other} not found");
                Err(vec![self.error(&summary, detail, declared.at.clone())])
            }
        }
    }

    fn pbkdf2(
        &self,
        declared: &layers::EncryptionBlock,
        address: String,
        behind: &mut Vec<(SmolStr, SmolStr)>,
    ) -> Found<KeyProvider> {
        declared.refuse_others(&[
            "passphrase",
            "chain",
            "key_length",
            "iterations",
            "hash_function",
            "salt_length",
            "encrypted_metadata_alias",
        ])?;
        let text = |name: &str| -> Found<Option<String>> {
            let Some(attribute) = declared.attribute(name) else {
                return Ok(None);
            };
            let value = self.value(declared, attribute)?;
            let value = convert(&value, &Type::String).unwrap_or(Value::null(Type::String));
            Ok(value.as_str().map(str::to_owned))
        };
        let number = |name: &str, default: i64| -> Found<i64> {
            let number = text(name)?;
            Ok(number.map_or(default, |it| it.parse().unwrap_or(0)))
        };
        let settings = Pbkdf2 {
            key_length: number("key_length", 32)?,
            iterations: number("iterations", 600_000)?,
            salt_length: number("salt_length", 32)?,
            hash_function: text("hash_function")?.unwrap_or_else(|| "sha512".into()),
        };
        let metadata = text("encrypted_metadata_alias")?.filter(|alias| !alias.is_empty());
        let metadata = metadata.unwrap_or(address);
        let passphrase = text("passphrase")?.filter(|text| !text.is_empty());
        let chain = declared.attribute("chain");
        let chain = chain.map(|chain| self.keys(&chain.expr(), behind));
        let refused = |why: String| {
            let detail = format!("{metadata} failed with error: {why}");
            let at = declared.at.clone();
            vec![self.error("Unable to build encryption key data", detail, at)]
        };
        let passphrase = match (passphrase, chain.transpose()?) {
            (Some(text), None) if text.len() < MINIMUM_PASSPHRASE => {
                let why =
                    format!("passphrase is too short (minimum {MINIMUM_PASSPHRASE} characters)");
                return Err(refused(why));
            }
            (Some(text), None) => Passphrase::Text(text),
            (None, Some(chain)) => Passphrase::Chain(Box::new(chain)),
            (Some(_), Some(_)) => {
                return Err(refused(
                    "passphrase and chain are mutually exclusive".into(),
                ));
            }
            (None, None) => {
                let why = "no passphrase provided and no chained provider defined";
                return Err(refused(why.into()));
            }
        };
        settings.check().map_err(refused)?;
        Ok(KeyProvider {
            passphrase,
            settings,
            metadata,
        })
    }

    /// All of an `encryption` block counts as sensitive, so that the value is taken without its marks.
    fn value(&self, declared: &layers::EncryptionBlock, attribute: &Attribute) -> Found<Value> {
        let subject = format!(
            "encryption.{}.{}.{}",
            declared.kind, declared.r#type, declared.name
        );
        self.values
            .of_encryption(self.tree, &subject, &attribute.expr())
    }

    fn error(&self, summary: &str, detail: String, at: Option<Span>) -> Diagnostic {
        let at = at.or_else(|| self.layers.at.clone());
        Diagnostic::error("encryption", summary, detail, at)
    }
}

impl Pbkdf2 {
    /// As `Build` of OpenTofu's `keyprovider/pbkdf2/config.go`.
    fn check(&self) -> Result<(), String> {
        let positive = |number: i64, what: &str| match number > 0 {
            true => Ok(()),
            false => Err(format!("the {what} must be larger than zero")),
        };
        positive(self.key_length, "key length")?;
        positive(self.iterations, "number of iterations")?;
        if self.iterations < MINIMUM_ITERATIONS {
            return Err(format!(
                "the number of iterations is dangerously low (<{MINIMUM_ITERATIONS}), refusing to generate key"
            ));
        }
        positive(self.salt_length, "salt length")?;
        hash(&self.hash_function).map(|_| ())
    }
}

fn hash(name: &str) -> Result<Hash, String> {
    match name {
        "sha256" => Ok(Hash::Sha256),
        "sha512" => Ok(Hash::Sha512),
        other => Err(format!("invalid hash function name: {other}")),
    }
}

impl Unusable {
    fn of(diagnostics: &[Diagnostic]) -> Unusable {
        let told = diagnostics.first();
        Unusable(told.map_or_else(String::new, |it| format!("{}: {}", it.summary, it.detail)))
    }
}

fn not_a_reference(at: Span) -> Box<Diagnostic> {
    let summary = "Invalid expression";
    Box::new(Diagnostic::error(
        "encryption",
        summary,
        config::NOT_STATIC,
        at,
    ))
}

/// planlens asks no service for keys, and starts no program for them.
fn not_supported(declared: &layers::EncryptionBlock) -> Vec<Diagnostic> {
    let kind = declared.kind.replace('_', " ");
    vec![Diagnostic::warning(
        "encryption",
        "State can't be decrypted",
        format!(
            "planlens does not support the {kind} \"{}\".",
            declared.r#type
        ),
        declared.at.clone(),
    )]
}

/// `ROOT.TYPE.NAME`, which JSON syntax may also hold as a text.
fn reference(expr: &Expr, root: &str) -> Option<(SmolStr, SmolStr)> {
    let text = expr.ast.as_literal_string();
    if let Some(text) = text.filter(|text| !text.contains("${")) {
        let mut names = text.split('.');
        let is_root = names.next() == Some(root);
        let (r#type, name) = (names.next()?, names.next()?);
        return (is_root && names.next().is_none()).then(|| (r#type.into(), name.into()));
    }
    let mut found = None;
    config::each_traversal(&expr.ast, &mut |traversal| {
        let mut names = traversal.steps.iter().map(|step| match &step.kind {
            StepKind::Attr(name) => Some(name.name.clone()),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
        });
        if traversal.root.name == root
            && let (Some(Some(r#type)), Some(Some(name))) = (names.next(), names.next())
        {
            found = Some((r#type, name));
        }
    });
    found
}

/// A list of numbers as bytes.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    let numbers = value.elements();
    numbers
        .map(|(_, number)| u8::try_from(number.as_i64()?).ok())
        .collect()
}
