//! Functions of providers, which are called where the user has asked for it.

use text::counted;

use super::Run;
use crate::ask::{InvokeRequest, Package, Plugin, PluginError, Plugins};
use crate::caveat::Caveat;
use crate::evaluate::{FunctionCall, Invocation, NoAnswer};
use crate::program::{is_type_token, package_of};
use crate::urn::{STACK_REFERENCE, Urn};
use crate::value::{Object, Value, masked};

impl<P: Plugins> Run<'_, P> {
    /// Calls a function and keeps the answer.
    pub(super) async fn invoke(&mut self, invocation: Invocation) {
        let answer = self.answer(&invocation).await;
        self.calls.push(FunctionCall { invocation, answer });
    }

    async fn answer(&mut self, invocation: &Invocation) -> Result<Value, NoAnswer> {
        let Invocation {
            token, arguments, ..
        } = invocation;
        if token == STACK_REFERENCE {
            let package = self.inputs.locks.package(package_of(token), None);
            let package = self.requested(package);
            self.schema(&package).await;
            let provider = self.default_provider(&package, None).await;
            let name = arguments.get("name").and_then(Value::as_str);
            return self.referred(name.unwrap_or_default(), &provider);
        }
        if !is_type_token(token) {
            return Err(NoAnswer::Failed(format!("invalid type token {token:?}")));
        }
        let not_called = || NoAnswer::NotCalled(Caveat::Invoke(token.clone()));
        let world = self.inputs.options.world.ok_or_else(not_called)?;
        let locks = &self.inputs.locks;
        let package = locks.package(package_of(token), invocation.version.as_ref());
        let package = self.requested(package);
        let Some(schema) = self.schema(&package).await else {
            let caveat = self.unknown_schemas.get(&package).cloned();
            return Err(caveat.map_or_else(not_called, NoAnswer::NotCalled));
        };
        let function = schema.function_token(token).map(str::to_owned);
        let function = function.ok_or_else(not_called)?;
        let provider = match self.provider_of(invocation, &package) {
            Some(provider) => provider,
            None => {
                let url = invocation.url.as_deref();
                self.default_provider(&package, url).await
            }
        };
        let provider = self.providers.get(&provider).cloned();
        let provider = provider.ok_or_else(not_called)?;
        if let Some(caveat) = &provider.caveat {
            return Err(NoAnswer::NotCalled(caveat.clone()));
        }
        let plugin = provider.plugin.as_ref().ok_or_else(not_called)?;
        let request = InvokeRequest {
            token: function.clone(),
            arguments: arguments.clone(),
        };
        let has_one_value = schema
            .function(&function)
            .is_some_and(|it| it.value().is_some());
        match plugin.invoke(request, world).await {
            Ok(answer) if answer.failures.is_empty() => Ok(match has_one_value {
                true => answer.result.into_iter().next().unwrap_or_default().1,
                false => Value::Object(answer.result),
            }),
            // Source: `InvokePackageRaw` in `context.go` of Pulumi's SDK for Go.
            Ok(answer) => {
                let failures = answer.failures.iter();
                let failures = failures.map(|it| {
                    let (reason, property) = (&it.reason, &it.property);
                    format!("\n\t* {function} invoke failed: {reason} ({property})")
                });
                let errors = counted(answer.failures.len(), "error");
                let message = format!("{errors} occurred:{}", failures.collect::<String>());
                Err(failed(&message, arguments))
            }
            Err(PluginError { why, .. }) => {
                let message = format!("invocation of {function} returned an error: {why}");
                Err(failed(&message, arguments))
            }
        }
    }

    /// The provider that a call names, or takes over from the parent that it names.
    fn provider_of(&self, invocation: &Invocation, package: &Package) -> Option<Urn> {
        let inherited = || {
            let parent = self.inherited.get(invocation.parent.as_ref()?)?;
            parent.providers.get(&package.name).cloned()
        };
        let named = invocation.provider.clone();
        named.or_else(inherited)
    }
}

/// A call without an answer. Its message shows no secret of the arguments.
fn failed(message: &str, arguments: &Object) -> NoAnswer {
    let mut secrets = Vec::new();
    arguments
        .values()
        .for_each(|it| it.secret_texts(&mut secrets));
    NoAnswer::Failed(masked(message, secrets))
}
