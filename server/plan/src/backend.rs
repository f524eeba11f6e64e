//! Errors of the arguments of a `backend` block.

use config::{Attribute, Backend, Body, Product, has_variables, not_literal};
use eval::{EvalContext, Functions, Variables};
use schema::LanguageSchema;
use text::Diagnostic;

/// Backends that take the same arguments in all releases of a product.
const CHECKED: [(&str, Product); 3] = [
    ("http", Product::Terraform),
    ("local", Product::Terraform),
    ("local", Product::OpenTofu),
];

/// The errors of arguments that `init` refuses. Arguments may be missing, as `-backend-config` gives more of them.
pub(crate) fn check(backend: &Backend, functions: &Functions) -> Vec<Diagnostic> {
    let product = functions.profile.product;
    let mut body = Body::clone(&backend.body);
    let mut found = Vec::new();
    // OpenTofu evaluates them, and reports their errors there.
    let mut is_to_evaluate = |attribute: &Attribute| match product {
        Product::Terraform => not_literal(&attribute.expr())
            .map(|error| found.push(error))
            .is_some(),
        Product::OpenTofu => has_variables(&attribute.ast.expr),
    };
    body.attributes.retain(|it| !is_to_evaluate(it));
    let known = LanguageSchema::get().backends.get(&backend.r#type);
    if let Some(known) = known.filter(|_| CHECKED.contains(&(backend.r#type.as_str(), product))) {
        let context = EvalContext::new(Variables::default(), functions);
        found.extend(eval::decode(&body, &known.schema(), &context).diagnostics);
    }
    found
}
