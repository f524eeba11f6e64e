//! Functions of providers: their answers so far, and the questions that are still open.
//!
//! An expression is evaluated without waiting. The provider's part of it is noted here; the
//! engine asks for it, and evaluates the node again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use config::{Module, ModuleAddr, ProviderAddr, ProviderConfigAddr};
use cty::Value;
use eval::{CallError, FunctionAnswer, ProviderFunction, ProviderFunctions};
use provider::{Providers, Reply};
use schema::{FunctionSignature, ProviderSchema};
use smol_str::SmolStr;

/// Answers are dropped when there are more: a half-typed argument is seldom asked for again.
const LIMIT: usize = 10_000;

/// The answers of the providers of a root module about their functions.
#[derive(Default)]
pub(crate) struct FunctionAnswers(Mutex<ProviderAnswers>);

#[derive(Default)]
struct ProviderAnswers {
    schemas: HashMap<ProviderAddr, Result<Arc<ProviderSchema>, String>>,
    results: HashMap<CallKey, Result<Result<Value, CallError>, String>>,
    needed: Vec<ProviderQuestion>,
    was_used: bool,
}

/// A call by its content.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct CallKey {
    provider: ProviderAddr,
    function: SmolStr,
    /// In the wire's form, each of its parameter's type.
    arguments: Vec<Vec<u8>>,
}

/// A question to a provider.
pub(crate) enum ProviderQuestion {
    Schema(ProviderAddr),
    CallKey(CallKey, Vec<Value>),
}

/// The questions since the last time.
pub(crate) struct Noted {
    pub needed: Vec<ProviderQuestion>,
    /// Whether any function of a provider was looked at.
    pub was_used: bool,
}

impl FunctionAnswers {
    pub fn take_noted(&self) -> Noted {
        let mut known = self.lock();
        Noted {
            needed: std::mem::take(&mut known.needed),
            was_used: std::mem::take(&mut known.was_used),
        }
    }

    /// Forgets everything: providers may answer differently from now on.
    pub fn forget(&self) {
        *self.lock() = ProviderAnswers::default();
    }

    /// Asks the providers, and keeps the answers.
    pub async fn ask(&self, providers: &Providers, needed: Vec<ProviderQuestion>) {
        for needed in needed {
            match needed {
                ProviderQuestion::Schema(addr) => {
                    let schema = asked(providers, &addr).schema().await;
                    let schema = schema.map_err(|error| error.to_string());
                    self.lock().schemas.insert(addr, schema);
                }
                ProviderQuestion::CallKey(call, arguments) => {
                    let provider = asked(providers, &call.provider);
                    let reply: Reply<'_, _> = provider.call_function(&call.function, &arguments);
                    let result = reply.await.map_err(|error| error.to_string());
                    let result = result.map(|result| {
                        result.map_err(|error| CallError {
                            argument: error.argument,
                            ..CallError::call(error.text)
                        })
                    });
                    let mut known = self.lock();
                    if known.results.len() >= LIMIT {
                        known.results.clear();
                    }
                    known.results.insert(call, result);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, ProviderAnswers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Functions need no configuration; of a provider's processes that of its default configuration is asked.
fn asked(providers: &Providers, addr: &ProviderAddr) -> Arc<dyn provider::Provider> {
    providers.provider(&ProviderConfigAddr {
        module: ModuleAddr::root(),
        provider: addr.clone(),
        alias: None,
    })
}

/// The functions of a module's providers, by their local names.
pub(crate) struct ModuleFunctions {
    pub module: Arc<Module>,
    pub answers: Arc<FunctionAnswers>,
}

impl ModuleFunctions {
    /// `None`: the module requires no provider of that name.
    fn addr(&self, provider: &str) -> Option<ProviderAddr> {
        let is_required = self.module.required_providers.contains_key(provider);
        is_required.then(|| self.module.provider_addr(provider))
    }
}

impl ProviderFunctions for ModuleFunctions {
    fn find(&self, provider: &str, function: &str) -> ProviderFunction {
        let Some(addr) = self.addr(provider) else {
            return ProviderFunction::NoSuchProvider;
        };
        let mut known = self.answers.lock();
        known.was_used = true;
        match known.schemas.get(&addr) {
            Some(Ok(schema)) => match schema.functions.get(function) {
                Some(signature) => ProviderFunction::Known(signature.clone()),
                None => ProviderFunction::NoSuchFunction,
            },
            Some(Err(reason)) => ProviderFunction::Unavailable(reason.clone()),
            None => {
                known.needed.push(ProviderQuestion::Schema(addr));
                ProviderFunction::Needed
            }
        }
    }

    fn answer(&self, provider: &str, function: &str, arguments: &[Value]) -> FunctionAnswer {
        let Some(addr) = self.addr(provider) else {
            return FunctionAnswer::Needed;
        };
        if addr.is_builtin()
            && let Some(result) = eval::functions::terraform::call(function, arguments)
        {
            return FunctionAnswer::Known(result);
        }
        let mut known = self.answers.lock();
        let signature = known
            .schemas
            .get(&addr)
            .and_then(|schema| schema.as_ref().ok());
        let signature = signature.and_then(|schema| schema.functions.get(function));
        let encoded = signature.map(|signature| encode(signature, arguments));
        let call = match encoded {
            Some(Ok(arguments)) => CallKey {
                provider: addr,
                function: function.into(),
                arguments,
            },
            Some(Err(reason)) => return FunctionAnswer::Unavailable(reason),
            None => return FunctionAnswer::Needed,
        };
        match known.results.get(&call) {
            Some(Ok(result)) => FunctionAnswer::Known(result.clone()),
            Some(Err(reason)) => FunctionAnswer::Unavailable(reason.clone()),
            None => {
                known
                    .needed
                    .push(ProviderQuestion::CallKey(call, arguments.to_vec()));
                FunctionAnswer::Needed
            }
        }
    }
}

fn encode(signature: &FunctionSignature, arguments: &[Value]) -> Result<Vec<Vec<u8>>, String> {
    let more = signature.variadic_parameter.iter().cycle();
    let parameters = signature.parameters.iter().chain(more);
    arguments
        .iter()
        .zip(parameters)
        .map(|(argument, parameter)| {
            cty::msgpack::encode(argument, &parameter.ty).map_err(|error| error.to_string())
        })
        .collect()
}
