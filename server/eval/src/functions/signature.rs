//! The signature of a function for people: `schemas/functions.json`, whose names and types come from
//! `terraform metadata functions -json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use config::language_release::Since;
use cty::Type;
use schema::{FunctionParameter, FunctionSignature};
use serde_json::Value as Json;
use smol_str::SmolStr;

/// A function as documentation and signature help show it.
#[derive(Debug, Clone)]
pub struct Signature {
    /// Which releases have the function.
    pub since: Since,
    /// One sentence, in Markdown.
    pub description: String,
    pub parameters: Vec<Parameter>,
    /// The parameter for further arguments.
    pub variadic: Option<Parameter>,
    /// `Dynamic` where it depends on the arguments.
    pub returns: Type,
}

#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: SmolStr,
    pub ty: Type,
    pub is_nullable: bool,
}

impl Signature {
    /// Of a function that a provider defines.
    pub fn of_provider(function: &FunctionSignature) -> Signature {
        let parameter = |it: &FunctionParameter| Parameter {
            name: it.name.clone(),
            ty: it.ty.clone(),
            is_nullable: it.allow_null_value,
        };
        let description = match function.description.is_empty() {
            true => &function.summary,
            false => &function.description,
        };
        Signature {
            since: Since::ALWAYS,
            description: description.to_string(),
            parameters: function.parameters.iter().map(parameter).collect(),
            variadic: function.variadic_parameter.as_ref().map(parameter),
            returns: function.return_type.clone(),
        }
    }

    /// As documentation writes it: `name(a: string, b: number...) -> string`.
    pub fn title(&self, name: &str) -> String {
        let parameter =
            |it: &Parameter| format!("{}: {}", it.name, it.ty.friendly_name_for_constraint());
        let mut parameters: Vec<String> = self.parameters.iter().map(parameter).collect();
        parameters.extend(self.variadic.iter().map(|it| parameter(it) + "..."));
        let returns = self.returns.friendly_name_for_constraint();
        format!("{name}({}) -> {returns}", parameters.join(", "))
    }
}

/// The signatures of all functions by name, `try` and `can` included.
pub fn signatures() -> &'static BTreeMap<SmolStr, Signature> {
    static SIGNATURES: LazyLock<BTreeMap<SmolStr, Signature>> = LazyLock::new(|| {
        let json: Json = serde_json::from_str(include_str!("../../../../schemas/functions.json"))
            .unwrap_or_default();
        let functions = json["functions"].as_object().into_iter().flatten();
        functions
            .map(|(name, json)| (name.into(), signature(json)))
            .collect()
    });
    &SIGNATURES
}

fn signature(json: &Json) -> Signature {
    let parameters = json["parameters"].as_array().into_iter().flatten();
    Signature {
        since: since(&json["since"]),
        description: json["description"].as_str().unwrap_or_default().to_owned(),
        parameters: parameters.map(parameter).collect(),
        variadic: json.get("variadic").map(parameter),
        returns: ty(&json["returns"]),
    }
}

/// The minor versions; `null` stands for all releases of both.
fn since(json: &Json) -> Since {
    let minor = |product: &str| {
        let version = json[product].as_str()?.strip_prefix("1.")?;
        version.parse().ok()
    };
    match json.is_null() {
        true => Since::ALWAYS,
        false => Since {
            terraform: minor("terraform"),
            opentofu: minor("opentofu"),
        },
    }
}

fn parameter(json: &Json) -> Parameter {
    Parameter {
        name: json["name"].as_str().unwrap_or_default().into(),
        ty: ty(&json["type"]),
        is_nullable: json["nullable"] == true,
    }
}

fn ty(json: &Json) -> Type {
    Type::from_json(json).unwrap_or(Type::Dynamic)
}
