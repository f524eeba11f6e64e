//! The provider configuration of a resource, and its instance if it has several.

use config::{ImportKey, InstanceKey, ProviderAddr};
use cty::{Mark, Type, Value, convert};
use eval::EvalContext;
use text::{Diagnostic, Fault};

use crate::result::{ProviderConfigResult, ProviderConfigs};

/// The provider of a resource.
pub(crate) struct ResolvedProvider<'a> {
    pub provider: ProviderAddr,
    /// `None` while there is no result of it.
    pub configs: Option<&'a ProviderConfigs>,
    /// Which of the configurations is meant, where the resource or a call around it says so.
    pub chosen: ConfigChoice<'a>,
    /// The value of the module's `provider_meta` block, if it has one.
    pub meta: Option<Value>,
    /// Errors of that, or of the choice.
    pub problems: Vec<Diagnostic>,
}

/// Which of the configurations with `for_each` serves a resource.
pub(crate) enum ConfigChoice<'a> {
    /// There is only one, or the call of the module selects it.
    Key(InstanceKey),
    /// Each instance of the resource decides it; for one that no longer exists, the state.
    ByInstance(&'a ImportKey),
    /// The state has it for each object.
    ByState,
}

impl<'a> ResolvedProvider<'a> {
    /// The only configuration, or any of several: they have one schema.
    pub fn any(&self) -> Option<&'a ProviderConfigResult> {
        self.configs?.first()
    }

    /// The configuration that serves the instance `addr`, whose scope this is.
    pub fn of_instance(
        &self,
        addr: &dyn std::fmt::Display,
        scope: &EvalContext<'_>,
    ) -> Result<&'a ProviderConfigResult, Vec<Diagnostic>> {
        let key = match &self.chosen {
            ConfigChoice::Key(key) => key.clone(),
            ConfigChoice::ByInstance(key) => key_of(key, scope)?,
            ConfigChoice::ByState => InstanceKey::None,
        };
        match self.with_key(addr, &key) {
            Err(_) if self.is_miskeyed(&key) => Err(Vec::new()),
            found => found,
        }
    }

    /// Whether there is a key without `for_each`, or none with it: an error of the module itself.
    fn is_miskeyed(&self, key: &InstanceKey) -> bool {
        let is_keyed = |key: &InstanceKey| *key != InstanceKey::None;
        let mut keys = self.configs.iter().flat_map(|it| it.by_key.keys());
        keys.next()
            .is_some_and(|other| is_keyed(other) != is_keyed(key))
    }

    /// The configuration that serves an object that is not configured any more.
    pub fn of_object(
        &self,
        addr: &dyn std::fmt::Display,
        object: &state::Object,
    ) -> Result<&'a ProviderConfigResult, Vec<Diagnostic>> {
        match &self.chosen {
            ConfigChoice::Key(key) => self.with_key(addr, key),
            ConfigChoice::ByInstance(_) | ConfigChoice::ByState => {
                self.with_key(addr, &object.provider_key)
            }
        }
    }

    fn with_key(
        &self,
        addr: &dyn std::fmt::Display,
        key: &InstanceKey,
    ) -> Result<&'a ProviderConfigResult, Vec<Diagnostic>> {
        let found = self.configs.and_then(|configs| configs.by_key.get(key));
        found.ok_or_else(|| {
            let provider = &self.provider;
            let detail = format!(
                "To work with {addr} its original provider instance at provider[\"{provider}\"]{key} is required, but it has been removed. This occurs when an element is removed from the provider configuration's for_each collection while objects created by that the associated provider instance still exist in the state. Re-add the for_each element to destroy {addr}, after which you can remove the provider configuration again."
            );
            let summary = "Provider instance not present";
            let code = "missing-provider-config";
            vec![Diagnostic::error(code, summary, detail, None)]
        })
    }
}

/// Which configuration a key means.
///
/// Follows `resolveProviderInstance` of OpenTofu's `internal/tofu`.
pub(crate) fn key_of(
    key: &ImportKey,
    scope: &EvalContext<'_>,
) -> Result<InstanceKey, Vec<Diagnostic>> {
    let expr = match key {
        ImportKey::Static(key) => return Ok(key.clone()),
        ImportKey::Expr(expr) => expr,
    };
    let (value, diagnostics) = eval::evaluate_expr(expr, scope);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let (value, marks) = value.unmark();
    let mut fault = Fault::Other;
    let problem = if marks.contains(&Mark::Sensitive) {
        "A provider instance key must not be derived from a sensitive value.".to_owned()
    } else if marks.contains(&Mark::Ephemeral) {
        "A provider instance key must not be derived from an ephemeral value.".to_owned()
    } else if value.is_null() {
        "A provider instance key must not be null.".to_owned()
    } else if !value.is_known() {
        fault = Fault::UnknownUntilApply;
        "The provider instance key depends on values that cannot be determined until apply, and so OpenTofu cannot select a provider instance to create a plan for this resource instance.".to_owned()
    } else {
        match convert(&value, &Type::String) {
            Ok(key) => return Ok(InstanceKey::String(key.as_str().unwrap_or_default().into())),
            Err(error) => format!("The given instance key is unsuitable: {error}."),
        }
    };
    let summary = "Invalid provider instance key";
    let at = expr.span();
    let invalid = Diagnostic::error("invalid-provider-key", summary, problem, at);
    Err(vec![invalid.with_fault(fault)])
}
