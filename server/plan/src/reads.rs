//! The objects that were read, kept for the plans that follow: an editor plans at every keystroke, and reads only when
//! it may.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use config::{InstanceKey, ProviderConfigAddr};
use cty::Value;
use provider::{
    FunctionError, ImportRequest, ImportResponse, ImportTarget, MoveRequest, MoveResponse,
    OpenResponse, PlanRequest, PlanResponse, Problem, Provider, ProviderError, RawState,
    ReadDataSourceRequest, ReadDataSourceResponse, ReadRequest, ReadResponse, RenewResponse, Reply,
    Slot, UpgradeIdentityResponse, UpgradeResponse,
};
use schema::ProviderSchema;
use smol_str::SmolStr;

/// The answers of providers to the calls that touch the world, and whether more may be asked for. They are in memory
/// only. Answers with errors are not kept.
#[derive(Default)]
pub struct Reads {
    may_read_objects: AtomicBool,
    may_read_data: AtomicBool,
    kept: Mutex<KeptReads>,
}

#[derive(Default)]
struct KeptReads {
    /// By the question: the object as it was known before.
    objects: Answers<Value, ReadResponse>,
    /// By the configuration.
    data: Answers<Value, ReadDataSourceResponse>,
    /// Plans of the types of [`PLANNED_BY_SERVICE`], by the configuration and the object before.
    plans: Answers<(Value, Value), PlanResponse>,
    /// By the id or identity.
    imports: Answers<ImportTarget, ImportResponse>,
}

/// The resource types that their providers plan by asking a service, so an editor does not plan them at a keystroke:
/// [`kubernetes_manifest`] needs its cluster (also to upgrade its state and to plan its deletion: `manifest/provider/plan.go`
/// of the provider), [`helm_release`] the repository of its chart (`ModifyPlan` in `helm/resource_helm_release.go`), and
/// [`kustomization_resource`] lets its cluster try the change.
///
/// [`kubernetes_manifest`]: https://registry.terraform.io/providers/hashicorp/kubernetes/latest/docs/resources/manifest
/// [`helm_release`]: https://registry.terraform.io/providers/hashicorp/helm/latest/docs/resources/release
/// [`kustomization_resource`]: https://registry.terraform.io/providers/kbst/kustomization/latest/docs/resources/resource
const PLANNED_BY_SERVICE: [&str; 3] = [
    "helm_release",
    "kubernetes_manifest",
    "kustomization_resource",
];

/// A resource type of a provider with one of its configurations.
type Type = (ProviderConfigAddr, SmolStr);

impl Reads {
    /// Objects or data sources are read again from now on.
    pub fn begin(&self, objects: bool, data: bool) {
        let mut kept = self.kept();
        if objects {
            kept.objects = Answers::default();
            kept.imports = Answers::default();
        }
        if data {
            kept.data = Answers::default();
            kept.plans = Answers::default();
        }
        self.may_read_objects.store(objects, Ordering::Release);
        self.may_read_data.store(data, Ordering::Release);
    }

    /// Nothing is read from now on.
    pub fn end(&self) {
        self.may_read_objects.store(false, Ordering::Release);
        self.may_read_data.store(false, Ordering::Release);
    }

    /// Whether an object to be imported may be found, or was.
    pub(crate) fn has_import(
        &self,
        provider: &ProviderConfigAddr,
        r#type: &str,
        target: &ImportTarget,
    ) -> bool {
        let key = (provider.clone(), r#type.into());
        self.may_read_objects.load(Ordering::Acquire) || {
            let kept = self.kept();
            kept.imports.find(&key, |known| known == target).is_some()
        }
    }

    /// Whether a data source with this configuration may be read, or was. `config` is without marks.
    pub(crate) fn has_data(
        &self,
        provider: &ProviderConfigAddr,
        r#type: &str,
        config: &Value,
    ) -> bool {
        let key = (provider.clone(), r#type.into());
        self.may_read_data.load(Ordering::Acquire) || {
            let kept = self.kept();
            let is_it = |known: &Value| known.raw_equals(config);
            kept.data.find(&key, is_it).is_some()
        }
    }

    /// The kept answer to a question.
    fn known<Q, A: Clone>(
        &self,
        answers: impl Fn(&KeptReads) -> &Answers<Q, A>,
        of: &Type,
        is_it: impl Fn(&Q) -> bool,
    ) -> Option<A> {
        answers(&self.kept()).find(of, is_it).cloned()
    }

    fn kept(&self) -> MutexGuard<'_, KeptReads> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers with their questions.
struct Answers<Q, A>(HashMap<Type, Vec<(Q, A)>>);

impl<Q, A> Default for Answers<Q, A> {
    fn default() -> Answers<Q, A> {
        Answers(HashMap::new())
    }
}

impl<Q, A> Answers<Q, A> {
    fn find(&self, of: &Type, is_it: impl Fn(&Q) -> bool) -> Option<&A> {
        let mut answers = self.0.get(of)?.iter();
        Some(&answers.find(|(known, _)| is_it(known))?.1)
    }

    fn keep(&mut self, of: Type, asked: Q, answer: A) {
        self.0.entry(of).or_default().push((asked, answer));
    }
}

fn has_errors(diagnostics: &[Problem]) -> bool {
    diagnostics.iter().any(Problem::is_error)
}

/// A provider that answers with the objects that were read before, and asks a service only when that is allowed. An object
/// that may not be read is as it was known.
pub(crate) struct ReadingProvider {
    pub provider: Arc<dyn Provider>,
    pub addr: ProviderConfigAddr,
    /// Which of several configurations, where there are.
    pub key: InstanceKey,
    pub reads: Arc<Reads>,
}

impl ReadingProvider {
    fn named(&self, r#type: &str) -> Type {
        (self.addr.clone(), format!("{type}{}", self.key).into())
    }

    fn not_allowed(&self, doing: &'static str) -> ProviderError {
        ProviderError::Unsupported {
            provider: self.addr.provider.for_display(),
            doing,
        }
    }

    fn asks_service(&self, type_name: &str) -> ProviderError {
        ProviderError::AsksService {
            provider: self.addr.provider.for_display(),
            type_name: type_name.to_owned(),
        }
    }
}

/// The answer of a provider that says nothing about deletions.
fn planned_deletion(request: PlanRequest) -> PlanResponse {
    PlanResponse {
        planned_state: request.proposed_new_state,
        requires_replace: Vec::new(),
        planned_private: request.prior_private,
        legacy_type_system: false,
        deferred: None,
        planned_identity: None,
        diagnostics: Vec::new(),
    }
}

impl Provider for ReadingProvider {
    fn acquire_slot(&self) -> Slot<'_> {
        self.provider.acquire_slot()
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        let key = self.named(&request.type_name);
        let is_it = |known: &Value| known.raw_equals(&request.current_state);
        let known = self.reads.known(|kept| &kept.objects, &key, is_it);
        if let Some(known) = known {
            return Box::pin(async move { Ok(known) });
        }
        if !self.reads.may_read_objects.load(Ordering::Acquire) {
            return Box::pin(async move {
                Ok(ReadResponse {
                    new_state: request.current_state,
                    private: request.private,
                    deferred: None,
                    new_identity: request.current_identity,
                    diagnostics: Vec::new(),
                })
            });
        }
        Box::pin(async move {
            let asked = request.current_state.clone();
            let answer = self.provider.read_resource(request).await?;
            if !has_errors(&answer.diagnostics) {
                let mut kept = self.reads.kept();
                kept.objects.keep(key, asked, answer.clone());
            }
            Ok(answer)
        })
    }

    fn read_data_source(
        &self,
        request: ReadDataSourceRequest,
    ) -> Reply<'_, ReadDataSourceResponse> {
        let key = self.named(&request.type_name);
        let is_it = |known: &Value| known.raw_equals(&request.config);
        let known = self.reads.known(|kept| &kept.data, &key, is_it);
        if let Some(known) = known {
            return Box::pin(async move { Ok(known) });
        }
        Box::pin(async move {
            if !self.reads.may_read_data.load(Ordering::Acquire) {
                return Err(self.not_allowed("reading a data source at this moment"));
            }
            let asked = request.config.clone();
            let answer = self.provider.read_data_source(request).await?;
            if !has_errors(&answer.diagnostics) {
                let mut kept = self.reads.kept();
                kept.data.keep(key, asked, answer.clone());
            }
            Ok(answer)
        })
    }

    fn import_resource_state(&self, request: ImportRequest) -> Reply<'_, ImportResponse> {
        let key = self.named(&request.type_name);
        let is_it = |known: &ImportTarget| *known == request.target;
        let known = self.reads.known(|kept| &kept.imports, &key, is_it);
        if let Some(known) = known {
            return Box::pin(async move { Ok(known) });
        }
        Box::pin(async move {
            if !self.reads.may_read_objects.load(Ordering::Acquire) {
                return Err(self.not_allowed("importing at this moment"));
            }
            let asked = request.target.clone();
            let answer = self.provider.import_resource_state(request).await?;
            if !has_errors(&answer.diagnostics) {
                let mut kept = self.reads.kept();
                kept.imports.keep(key, asked, answer.clone());
            }
            Ok(answer)
        })
    }

    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        self.provider.schema()
    }

    fn validate_provider_config<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.provider.validate_provider_config(config)
    }

    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.provider.configure(config)
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.provider.validate_resource_config(type_name, config)
    }

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.provider.validate_data_source_config(type_name, config)
    }

    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_state: RawState<'a>,
    ) -> Reply<'a, UpgradeResponse> {
        let is_allowed = self.reads.may_read_data.load(Ordering::Acquire);
        if is_allowed || !PLANNED_BY_SERVICE.contains(&type_name) {
            return self
                .provider
                .upgrade_resource_state(type_name, version, raw_state);
        }
        Box::pin(async move {
            let schema = self.provider.schema().await?;
            let current = schema.resources.get(type_name);
            let stored = current.filter(|schema| schema.version == version);
            let value = stored.and_then(|schema| match raw_state {
                RawState::Json(text) => cty::json::decode_str(text, schema.implied_type()).ok(),
                RawState::Flat(_) => None,
            });
            let upgraded_state = value.ok_or_else(|| self.asks_service(type_name))?;
            Ok(UpgradeResponse {
                upgraded_state,
                diagnostics: Vec::new(),
            })
        })
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        if !PLANNED_BY_SERVICE.contains(&request.type_name.as_str()) {
            return self.provider.plan_resource_change(request);
        }
        let key = self.named(&request.type_name);
        let asked = (request.config.clone(), request.prior_state.clone());
        let is_it = |(config, prior): &(Value, Value)| {
            config.raw_equals(&asked.0) && prior.raw_equals(&asked.1)
        };
        let known = self.reads.known(|kept| &kept.plans, &key, is_it);
        if let Some(known) = known {
            return Box::pin(async move { Ok(known) });
        }
        Box::pin(async move {
            if !self.reads.may_read_data.load(Ordering::Acquire) {
                return match request.config.is_null() {
                    true => Ok(planned_deletion(request)),
                    false => Err(self.asks_service(&request.type_name)),
                };
            }
            let answer = self.provider.plan_resource_change(request).await?;
            if !has_errors(&answer.diagnostics) {
                let mut kept = self.reads.kept();
                kept.plans.keep(key, asked, answer.clone());
            }
            Ok(answer)
        })
    }

    fn move_resource_state(&self, request: MoveRequest) -> Reply<'_, MoveResponse> {
        self.provider.move_resource_state(request)
    }

    fn upgrade_resource_identity<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_identity: &'a [u8],
    ) -> Reply<'a, UpgradeIdentityResponse> {
        self.provider
            .upgrade_resource_identity(type_name, version, raw_identity)
    }

    fn validate_action_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.provider.validate_action_config(type_name, config)
    }

    fn plan_action<'a>(&'a self, type_name: &'a str, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.provider.plan_action(type_name, config)
    }

    fn validate_ephemeral_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.provider.validate_ephemeral_config(type_name, config)
    }

    fn open_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, OpenResponse> {
        self.provider.open_ephemeral(type_name, config)
    }

    fn renew_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        private: Bytes,
    ) -> Reply<'a, RenewResponse> {
        self.provider.renew_ephemeral(type_name, private)
    }

    fn close_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        private: Bytes,
    ) -> Reply<'a, Vec<Problem>> {
        self.provider.close_ephemeral(type_name, private)
    }

    fn call_function<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        self.provider.call_function(name, arguments)
    }
}
