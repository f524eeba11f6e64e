//! Scopes: the values of the names in an expression.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::Profile;
use cty::Value;
use smol_str::SmolStr;

use crate::{Functions, ProviderFunctions};

/// Values by the name that a reference begins with: `var`, `local`, `aws_instance`, ...
pub type Variables = BTreeMap<SmolStr, Value>;

/// The names that an expression may refer to and call. Scopes are nested by borrowing, so that an inner one costs
/// no copy of the outer.
#[derive(Clone, Default)]
pub struct EvalContext<'a> {
    parent: Option<&'a EvalContext<'a>>,
    /// `None`: this scope has no names, which is not the same as having none of those asked for.
    variables: Option<Variables>,
    functions: Option<&'a Functions>,
    provider_functions: Option<Arc<dyn ProviderFunctions>>,
    /// The current element of the innermost splat expression.
    splat_item: Option<Value>,
    /// How many templates are being rendered around the expression.
    template_depth: usize,
    profile: Profile,
}

impl<'a> EvalContext<'a> {
    /// No references, no functions: as for the values in a tfvars file.
    pub fn empty() -> EvalContext<'a> {
        EvalContext::default()
    }

    pub fn new(variables: Variables, functions: &'a Functions) -> EvalContext<'a> {
        EvalContext {
            variables: Some(variables),
            ..EvalContext::empty().with_functions(functions)
        }
    }

    /// The same scope, in which functions may be called, under their profile.
    pub fn with_functions(self, functions: &'a Functions) -> EvalContext<'a> {
        EvalContext {
            functions: Some(functions),
            profile: functions.profile,
            ..self
        }
    }

    /// The same scope, in which functions of the module's providers may be called.
    pub fn with_provider_functions(self, functions: Arc<dyn ProviderFunctions>) -> EvalContext<'a> {
        EvalContext {
            provider_functions: Some(functions),
            ..self
        }
    }

    pub fn with_profile(self, profile: Profile) -> EvalContext<'a> {
        EvalContext { profile, ..self }
    }

    pub(crate) fn in_template(self, depth: usize) -> EvalContext<'a> {
        EvalContext {
            template_depth: depth,
            ..self
        }
    }

    /// A scope inside this one, whose names hide those outside.
    pub fn child(&self, variables: Variables) -> EvalContext<'_> {
        EvalContext {
            variables: Some(variables),
            ..self.nested()
        }
    }

    /// A scope in which a splat's current element is `item`.
    pub(crate) fn with_splat_item(&self, item: Option<Value>) -> EvalContext<'_> {
        EvalContext {
            splat_item: item,
            ..self.nested()
        }
    }

    fn nested(&self) -> EvalContext<'_> {
        EvalContext {
            parent: Some(self),
            variables: None,
            functions: self.functions,
            provider_functions: None,
            splat_item: self.splat_item.clone(),
            template_depth: self.template_depth,
            profile: self.profile,
        }
    }

    /// Adds a name to this scope, or gives it another value.
    pub fn set(&mut self, name: impl Into<SmolStr>, value: Value) {
        self.variables
            .get_or_insert_default()
            .insert(name.into(), value);
    }

    /// The value of a name in the nearest scope that has it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.scopes()
            .find_map(|scope| scope.variables.as_ref()?.get(name))
    }

    pub fn functions(&self) -> Option<&'a Functions> {
        self.functions
    }

    pub(crate) fn provider_functions(&self) -> Option<&dyn ProviderFunctions> {
        self.scopes()
            .find_map(|scope| scope.provider_functions.as_deref())
    }

    pub(crate) fn template_depth(&self) -> usize {
        self.template_depth
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    pub(crate) fn splat_item(&self) -> Option<&Value> {
        self.splat_item.as_ref()
    }

    /// Whether nothing may be evaluated: then strings of JSON syntax are no templates.
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_none() && !self.has_variables()
    }

    /// Whether references are allowed at all.
    pub(crate) fn has_variables(&self) -> bool {
        self.scopes().any(|scope| scope.variables.is_some())
    }

    /// The names in all scopes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.scopes()
            .flat_map(|scope| scope.variables.iter().flat_map(|names| names.keys()))
            .map(SmolStr::as_str)
    }

    fn scopes(&self) -> impl Iterator<Item = &EvalContext<'a>> {
        std::iter::successors(Some(self), |scope| scope.parent)
    }
}
