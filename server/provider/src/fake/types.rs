//! How the types of the fake provider behave.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use cty::{Path, Value};
use schema::{Block, Schema};
use smol_str::SmolStr;

use crate::{
    ImportRequest, ImportResponse, MoveRequest, MoveResponse, PlanRequest, PlanResponse, Problem,
    ProviderError, RawState, ReadDataSourceRequest, ReadDataSourceResponse, ReadRequest,
    ReadResponse, UpgradeResponse,
};

/// How a resource type behaves.
pub struct FakeResource {
    pub(super) schema: Arc<Schema>,
    behaviours: BTreeMap<SmolStr, Behaviour>,
    is_legacy: bool,
    plan: Option<Behavior<PlanRequest, PlanResponse>>,
    validate: Option<Box<ValidateFn>>,
    read: Option<Behavior<ReadRequest, ReadResponse>>,
    import: Option<Behavior<ImportRequest, ImportResponse>>,
    move_here: Option<Behavior<MoveRequest, MoveResponse>>,
}

/// How a data source behaves. By default every configuration is valid, and reading gives the configuration.
pub struct FakeDataSource {
    pub(super) schema: Arc<Schema>,
    validate: Option<Box<ValidateFn>>,
    read: Option<Behavior<ReadDataSourceRequest, ReadDataSourceResponse>>,
}

type Behavior<Request, Response> =
    Box<dyn Fn(Request) -> Result<Response, ProviderError> + Send + Sync>;
type ValidateFn = dyn Fn(&Value) -> Vec<Problem> + Send + Sync;

/// How an attribute at the top of a resource type's block behaves in a plan. Without any, a computed attribute is
/// unknown at creation and keeps its value after.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// A change of it replaces the resource instance.
    ForcesReplacement,
    /// Recomputed with every change of any other attribute.
    KnownAfterApply,
    /// The planned value where the configuration has none.
    Default(Value),
    /// Text that differs from the prior one only in case is no change.
    IgnoresCase,
    /// Planning never ends while the attribute is known to be this.
    HangsAt(Value),
}

impl FakeResource {
    pub fn new(block: Block) -> FakeResource {
        FakeResource::with_version(0, block)
    }

    pub fn with_version(version: i64, block: Block) -> FakeResource {
        FakeResource {
            schema: Arc::new(Schema::new(version, block)),
            behaviours: BTreeMap::new(),
            is_legacy: false,
            plan: None,
            validate: None,
            read: None,
            import: None,
            move_here: None,
        }
    }

    pub fn with(mut self, attribute: &str, behaviour: Behaviour) -> FakeResource {
        self.behaviours.insert(attribute.into(), behaviour);
        self
    }

    /// As SDKv2: it says so, and lists every attribute that could force replacement, changed or not.
    pub fn legacy(self) -> FakeResource {
        FakeResource {
            is_legacy: true,
            ..self
        }
    }

    /// Plans by `plan` instead.
    pub fn planned_by(
        self,
        plan: impl Fn(PlanRequest) -> Result<PlanResponse, ProviderError> + Send + Sync + 'static,
    ) -> FakeResource {
        FakeResource {
            plan: Some(Box::new(plan)),
            ..self
        }
    }

    pub fn validated_by(
        self,
        validate: impl Fn(&Value) -> Vec<Problem> + Send + Sync + 'static,
    ) -> FakeResource {
        FakeResource {
            validate: Some(Box::new(validate)),
            ..self
        }
    }

    /// Is read by `read`. Without it, a remote object is as the state has it.
    pub fn read_by(
        self,
        read: impl Fn(ReadRequest) -> Result<ReadResponse, ProviderError> + Send + Sync + 'static,
    ) -> FakeResource {
        FakeResource {
            read: Some(Box::new(read)),
            ..self
        }
    }

    /// Is imported by `import`. Without it, that fails the test.
    pub fn imported_by(
        self,
        import: impl Fn(ImportRequest) -> Result<ImportResponse, ProviderError> + Send + Sync + 'static,
    ) -> FakeResource {
        FakeResource {
            import: Some(Box::new(import)),
            ..self
        }
    }

    /// Takes objects of other types by `move_here`. Without it, that fails the test.
    pub fn moved_by(
        self,
        move_here: impl Fn(MoveRequest) -> Result<MoveResponse, ProviderError> + Send + Sync + 'static,
    ) -> FakeResource {
        FakeResource {
            move_here: Some(Box::new(move_here)),
            ..self
        }
    }

    pub(super) fn validate(&self, config: &Value) -> Vec<Problem> {
        self.validate
            .as_ref()
            .map_or_else(Vec::new, |validate| validate(config))
    }

    pub(super) fn read(&self, request: ReadRequest) -> Result<ReadResponse, ProviderError> {
        match &self.read {
            Some(read) => read(request),
            None => Ok(ReadResponse {
                new_state: request.current_state,
                private: request.private,
                deferred: None,
                new_identity: request.current_identity,
                diagnostics: Vec::new(),
            }),
        }
    }

    pub(super) fn import(&self, request: ImportRequest) -> Result<ImportResponse, ProviderError> {
        let import = self.import.as_ref();
        import.expect("the test says how it is imported")(request)
    }

    pub(super) fn move_here(&self, request: MoveRequest) -> Result<MoveResponse, ProviderError> {
        let move_here = self.move_here.as_ref();
        move_here.expect("the test says how it is moved")(request)
    }

    pub(super) fn hangs(&self, proposed: &Value) -> bool {
        self.behaviours
            .iter()
            .any(|(name, behaviour)| match behaviour {
                Behaviour::HangsAt(value) => {
                    proposed.get(name).is_some_and(|v| v.raw_equals(value))
                }
                _ => false,
            })
    }

    pub(super) fn plan(&self, request: PlanRequest) -> Result<PlanResponse, ProviderError> {
        if let Some(plan) = &self.plan {
            return plan(request);
        }
        let mut planned = match request.proposed_new_state.as_map() {
            Some(proposed) => BTreeMap::from(proposed),
            None => return Ok(self.planned(request.proposed_new_state, Vec::new())),
        };
        let prior = |name: &str| request.prior_state.get(name);
        for (name, behaviour) in &self.behaviours {
            let Some(value) = planned.get_mut(name) else {
                continue;
            };
            match behaviour {
                Behaviour::Default(default) if value.is_null() => *value = default.clone(),
                Behaviour::IgnoresCase if is_same_but_case(prior(name), value) => {
                    *value = prior(name).cloned().unwrap_or_else(|| value.clone());
                }
                _ => {}
            }
        }
        let is_changed =
            |name: &str, value: &Value| prior(name).is_none_or(|p| !p.raw_equals(value));
        let is_create = request.prior_state.is_null();
        let any_changed = planned.iter().any(|(name, value)| is_changed(name, value));
        for (name, attribute) in &self.schema.block.attributes {
            let is_configured = request
                .config
                .get(name)
                .is_some_and(|value| !value.is_null());
            let is_volatile = matches!(self.behaviours.get(name), Some(Behaviour::KnownAfterApply));
            let is_unset = planned.get(name).is_some_and(Value::is_null);
            if attribute.computed
                && !is_configured
                && (is_create && is_unset || any_changed && is_volatile)
            {
                planned.insert(name.clone(), Value::unknown(attribute.ty.clone()));
            }
        }
        let requires_replace = self
            .behaviours
            .iter()
            .filter(|(_, behaviour)| matches!(behaviour, Behaviour::ForcesReplacement))
            .filter(|(name, _)| {
                let value = planned.get(*name);
                self.is_legacy || !is_create && value.is_some_and(|value| is_changed(name, value))
            })
            .map(|(name, _)| Path::new().attr(name))
            .collect();
        Ok(self.planned(Value::object(planned), requires_replace))
    }

    fn planned(&self, planned_state: Value, requires_replace: Vec<Path>) -> PlanResponse {
        PlanResponse {
            planned_state,
            requires_replace,
            planned_private: Bytes::new(),
            legacy_type_system: self.is_legacy,
            deferred: None,
            planned_identity: None,
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn upgrade(&self, raw_state: RawState<'_>) -> UpgradeResponse {
        let ty = self.schema.implied_type();
        let RawState::Json(json) = raw_state else {
            unreachable!("no test has such a state");
        };
        match cty::json::decode_str(json, ty) {
            Ok(upgraded_state) => UpgradeResponse {
                upgraded_state,
                diagnostics: Vec::new(),
            },
            Err(error) => UpgradeResponse {
                upgraded_state: Value::null(ty.clone()),
                diagnostics: vec![crate::error("Can't read state", error.to_string())],
            },
        }
    }
}

fn is_same_but_case(prior: Option<&Value>, value: &Value) -> bool {
    match (prior.and_then(Value::as_str), value.as_str()) {
        (Some(prior), Some(text)) => prior.eq_ignore_ascii_case(text),
        (_, _) => false,
    }
}

impl FakeDataSource {
    pub fn new(block: Block) -> FakeDataSource {
        FakeDataSource {
            schema: Arc::new(Schema::new(0, block)),
            validate: None,
            read: None,
        }
    }

    pub fn validated_by(
        self,
        validate: impl Fn(&Value) -> Vec<Problem> + Send + Sync + 'static,
    ) -> FakeDataSource {
        FakeDataSource {
            validate: Some(Box::new(validate)),
            ..self
        }
    }

    pub fn read_by(
        self,
        read: impl Fn(ReadDataSourceRequest) -> Result<ReadDataSourceResponse, ProviderError>
        + Send
        + Sync
        + 'static,
    ) -> FakeDataSource {
        FakeDataSource {
            read: Some(Box::new(read)),
            ..self
        }
    }

    pub(super) fn validate(&self, config: &Value) -> Vec<Problem> {
        self.validate
            .as_ref()
            .map_or_else(Vec::new, |validate| validate(config))
    }

    pub(super) fn read(
        &self,
        request: ReadDataSourceRequest,
    ) -> Result<ReadDataSourceResponse, ProviderError> {
        match &self.read {
            Some(read) => read(request),
            None => Ok(ReadDataSourceResponse {
                state: request.config,
                deferred: None,
                diagnostics: Vec::new(),
            }),
        }
    }
}
