//! Which of `each`, `count` and `self` an expression may use, as far as its own block tells.

use syntax::ast;
use text::{Diagnostic, Fault, Span, did_you_mean};

use crate::module::{CheckRule, Decl};
use crate::refs::{self, Reference, Referenceable};
use crate::source::{Block, Body, Expr, Origin};

/// The names that are available to an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AvailableNames {
    pub each: bool,
    pub count: bool,
    pub self_object: bool,
}

impl AvailableNames {
    /// Those of an instance, whether the resource has instances or not.
    pub const INSTANCE: AvailableNames = AvailableNames {
        each: true,
        count: true,
        self_object: false,
    };

    pub fn with_self(self) -> AvailableNames {
        AvailableNames {
            self_object: true,
            ..self
        }
    }
}

/// Collects the references of a declaration and their errors.
#[derive(Default)]
pub(crate) struct FoundReferences {
    pub references: Vec<Reference>,
    pub problems: Vec<Diagnostic>,
    /// Errors of the types that `convert` takes, if these were references.
    pub type_problems: Vec<Diagnostic>,
}

impl FoundReferences {
    pub fn into_decl(self, block: &Block) -> Decl {
        self.into_decl_at(block.header_span(), block.span())
    }

    /// Room for more references and problems would stay for ever, and they are large.
    pub fn into_decl_at(mut self, span: Span, full_span: Span) -> Decl {
        self.references.shrink_to_fit();
        self.problems.shrink_to_fit();
        Decl {
            span,
            full_span,
            references: self.references,
            problems: self.problems,
            type_problems: self.type_problems,
        }
    }

    pub fn expr(&mut self, expr: &Expr, scope: AvailableNames) {
        refs::each_in_expr(&expr.ast, &mut |traversal, is_in_type| match is_in_type {
            true => self.in_type(&expr.origin, traversal),
            false => self.traversal(&expr.origin, traversal, scope),
        });
    }

    pub fn body(&mut self, body: &Body, scope: AvailableNames) {
        refs::each_in_body(
            body,
            &mut |origin, traversal, is_in_type| match is_in_type {
                true => self.in_type(origin, traversal),
                false => self.traversal(origin, traversal, scope),
            },
        );
    }

    fn in_type(&mut self, origin: &Origin, traversal: &ast::Traversal) {
        let problem = refs::parse(origin, traversal).err();
        self.type_problems.extend(problem.map(|it| *it));
    }

    pub fn rule(&mut self, rule: &CheckRule, scope: AvailableNames) {
        for expr in rule.exprs() {
            self.expr(expr, scope);
        }
    }

    pub fn traversal(
        &mut self,
        origin: &Origin,
        traversal: &ast::Traversal,
        scope: AvailableNames,
    ) {
        match refs::parse(origin, traversal) {
            Ok(reference) => {
                self.problems.extend(out_of_scope(&reference, scope));
                self.references.push(reference);
            }
            Err(problem) => self.problems.push(*problem),
        }
    }
}

fn out_of_scope(reference: &Reference, scope: AvailableNames) -> Option<Diagnostic> {
    let mut fault = Fault::Other;
    let (code, summary, detail) = match &reference.subject {
        Referenceable::Each(name) if name != "key" && name != "value" => (
            "invalid-each-attribute",
            "Invalid \"each\" attribute",
            format!(
                "The \"each\" object does not have an attribute named \"{name}\". The supported attributes are each.key and each.value, the current key and value pair of the \"for_each\" attribute set."
            ),
        ),
        Referenceable::Each(name) if !scope.each && name == "value" => (
            "each-without-for-each",
            "each.value cannot be used in this context",
            "A reference to \"each.value\" has been used in a context in which it is unavailable, such as when the configuration no longer contains the value in its \"for_each\" expression. Remove this reference to each.value in your configuration to work around this error.".to_owned(),
        ),
        Referenceable::Each(_) if !scope.each => (
            "each-without-for-each",
            "Reference to \"each\" in context without for_each",
            "The \"each\" object can be used only in \"module\" or \"resource\" blocks, and only when the \"for_each\" argument is set.".to_owned(),
        ),
        Referenceable::Count(name) if name != "index" => (
            "invalid-count-attribute",
            "Invalid \"count\" attribute",
            format!(
                "The \"count\" object does not have an attribute named \"{name}\". The only supported attribute is count.index, which is the index of each instance of a resource block that has the \"count\" argument set."
            ),
        ),
        Referenceable::Count(_) if !scope.count => (
            "count-without-count",
            "Reference to \"count\" in non-counted context",
            "The \"count\" object can only be used in \"module\", \"resource\", and \"data\" blocks, and only when the \"count\" argument is set.".to_owned(),
        ),
        Referenceable::Self_ if !scope.self_object => (
            "invalid-self",
            "Invalid \"self\" reference",
            "The \"self\" object is not available in this context. This object can be used only in resource provisioner, connection, and postcondition blocks.".to_owned(),
        ),
        Referenceable::Path(name) if !["module", "root", "cwd"].contains(&name.as_str()) => {
            let hint = did_you_mean(name, ["module", "root", "cwd"]);
            fault = hint.into();
            (
                "invalid-path-attribute",
                "Invalid \"path\" attribute",
                format!(
                    "The \"path\" object does not have an attribute named \"{name}\".{hint}"
                ),
            )
        }
        Referenceable::Terraform(name) if name == "env" => (
            "invalid-terraform-attribute",
            "Invalid \"terraform\" attribute",
            "The terraform.env attribute was deprecated in v0.10 and removed in v0.12. The \"state environment\" concept was renamed to \"workspace\" in v0.12, and so the workspace name can now be accessed using the terraform.workspace attribute.".to_owned(),
        ),
        Referenceable::Terraform(name) if name != "workspace" && name != "applying" => (
            "invalid-terraform-attribute",
            "Invalid \"terraform\" attribute",
            format!(
                "The \"terraform\" object does not have an attribute named \"{name}\". The only supported attributes are terraform.workspace, the name of the currently-selected workspace, and terraform.applying, a boolean which is true only during apply."
            ),
        ),
        Referenceable::Var(_)
        | Referenceable::Local(_)
        | Referenceable::Resource(_)
        | Referenceable::ResourceInstance(..)
        | Referenceable::Module(_)
        | Referenceable::ModuleInstance(..)
        | Referenceable::ModuleOutput { .. }
        | Referenceable::Count(_)
        | Referenceable::Each(_)
        | Referenceable::Self_
        | Referenceable::Path(_)
        | Referenceable::Terraform(_)
        | Referenceable::Tofu(_) => return None,
    };
    let diagnostic = Diagnostic::error(code, summary, detail, reference.span.clone());
    Some(diagnostic.with_fault(fault))
}
