//! The questions to a provider about one object, and the errors in its answers.

use bytes::Bytes;
use config::{Product, ProviderAddr, ResourceInstanceAddr, ResourceMode};
use cty::{Path, Value};
use provider::{
    DeferredReason, PlanRequest, PlanResponse, Provider, ProviderError, ReadDataSourceRequest,
    ReadRequest, ReadResponse,
};
use schema::Schema;
use text::{Problem, Span};

use crate::objchange::{InvalidPlan, attribute_by_path, proposed_new};

/// A problem with one resource instance.
pub type InstanceProblem = Problem<InstancePlace>;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct InstancePlace {
    pub attribute: Option<Path>,
    /// The argument of that name in the `lifecycle` block.
    pub is_prevent_destroy: bool,
    /// The `moved` block, or the entry of an `action_trigger` block, that it is about.
    pub named_at: Option<Span>,
    /// Whose object it is about, where a provider says it.
    pub address: Option<String>,
}

pub(crate) const PROVIDER_FAILED: &str = "provider-failed";
/// The provider was not asked, because it would ask a service.
pub(crate) const NOT_ASKED: &str = "not-asked";

/// Why planning of an instance stopped; its diagnostics tell.
pub(crate) struct InstanceFailed;

/// The provider, and the object of the questions.
pub(crate) struct ProviderRequests<'a> {
    pub provider: &'a dyn Provider,
    pub addr: &'a ResourceInstanceAddr,
    pub provider_addr: &'a ProviderAddr,
    /// The module's own information for the provider.
    pub provider_meta: Option<&'a Value>,
    pub product: Product,
}

impl ProviderRequests<'_> {
    /// Asks about the configuration, by the call that there is for the mode.
    pub(crate) async fn validate(
        &self,
        config: &Value,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(), InstanceFailed> {
        let type_name = &self.addr.resource.r#type;
        let asked = match self.addr.resource.mode {
            ResourceMode::Managed => self.provider.validate_resource_config(type_name, config),
            ResourceMode::Data => self.provider.validate_data_source_config(type_name, config),
            ResourceMode::Ephemeral => self.provider.validate_ephemeral_config(type_name, config),
            ResourceMode::Action => self.provider.validate_action_config(type_name, config),
        };
        let problems = self.answer(asked.await, diagnostics)?;
        self.report_of_all(problems, diagnostics)
    }

    pub(crate) async fn plan(
        &self,
        request: PlanRequest,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<PlanResponse, InstanceFailed> {
        let answer = self.provider.plan_resource_change(request).await;
        let mut response = self.answer(answer, diagnostics)?;
        self.report(std::mem::take(&mut response.diagnostics), diagnostics)?;
        self.refuse_deferral(response.deferred, diagnostics)?;
        Ok(response)
    }

    pub(crate) async fn read_data(
        &self,
        config: &Value,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<Value, InstanceFailed> {
        let request = ReadDataSourceRequest {
            type_name: self.addr.resource.r#type.clone(),
            config: config.clone(),
            provider_meta: self.provider_meta.cloned(),
        };
        let answer = self.provider.read_data_source(request).await;
        let response = self.answer(answer, diagnostics)?;
        self.report(response.diagnostics, diagnostics)?;
        self.refuse_deferral(response.deferred, diagnostics)?;
        Ok(response.state)
    }

    /// The problems of an invocation, which are reported where it is triggered.
    pub(crate) async fn plan_action(
        &self,
        config: &Value,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<Vec<provider::Problem>, InstanceFailed> {
        let type_name = &self.addr.resource.r#type;
        let answer = self.provider.plan_action(type_name, config).await;
        self.answer(answer, diagnostics)
    }

    /// Opens an ephemeral resource, and closes it again: the plan only needs to have seen it.
    pub(crate) async fn open(
        &self,
        config: &Value,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<Value, InstanceFailed> {
        let type_name = &self.addr.resource.r#type;
        let answer = self.provider.open_ephemeral(type_name, config).await;
        let response = self.answer(answer, diagnostics)?;
        self.report(response.diagnostics, diagnostics)?;
        self.refuse_deferral(response.deferred, diagnostics)?;
        let answer = self
            .provider
            .close_ephemeral(type_name, response.private)
            .await;
        let problems = self.answer(answer, diagnostics)?;
        self.report(problems, diagnostics)?;
        Ok(response.result)
    }

    /// Reads the remote object. The new state conforms to the schema.
    pub(crate) async fn read(
        &self,
        request: ReadRequest,
        schema: &Schema,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<ReadResponse, InstanceFailed> {
        let answer = self.provider.read_resource(request).await;
        let mut response = self.answer(answer, diagnostics)?;
        self.report(std::mem::take(&mut response.diagnostics), diagnostics)?;
        self.refuse_deferral(response.deferred, diagnostics)?;
        let errors = cty::test_conformance(response.new_state.ty(), schema.implied_type());
        for mismatch in &errors {
            diagnostics.push(error(
                "invalid-object",
                "Provider produced invalid object",
                format!(
                    "Provider {:?} planned an invalid value for {} during refresh: {mismatch}.\n\nThis is a bug in the provider, which should be reported in the provider's own issue tracker.",
                    self.provider_addr.to_string(),
                    self.addr,
                ),
            ));
        }
        if errors.is_empty() {
            Ok(response)
        } else {
            Err(InstanceFailed)
        }
    }

    /// Answers may be put off only where the request allows it, and none does.
    pub(crate) fn refuse_deferral(
        &self,
        deferred: Option<DeferredReason>,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(), InstanceFailed> {
        if deferred.is_none() {
            return Ok(());
        }
        diagnostics.push(error(
            "deferred-not-allowed",
            "Provider deferred changes when Terraform did not allow deferrals",
            format!(
                "The provider signaled a deferred action for {:?}, but in this context deferrals are disabled. This is a bug in the provider, please file an issue with the provider developers.",
                self.addr.to_string(),
            ),
        ));
        Err(InstanceFailed)
    }

    /// Plans the new object of a replacement with its identity, as if there were none before it. Warnings have been given by the
    /// first plan already, whose identity Terraform passes on.
    pub(crate) async fn plan_replacement(
        &self,
        schema: &Schema,
        config: &Value,
        prior_private: Bytes,
        planned_identity: Option<Value>,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(Value, Option<Value>), InstanceFailed> {
        let null = Value::null(schema.implied_type().clone());
        let mut problems = Vec::new();
        let request = PlanRequest {
            type_name: self.addr.resource.r#type.clone(),
            proposed_new_state: proposed_new(&schema.block, &null, config),
            prior_state: null,
            config: config.clone(),
            prior_private,
            provider_meta: self.provider_meta.cloned(),
            prior_identity: planned_identity.filter(|_| self.product == Product::Terraform),
        };
        let response = self
            .plan(request, &mut problems)
            .await
            .inspect_err(|InstanceFailed| {
                diagnostics.append(&mut problems);
            })?;
        self.check_conforms(schema, &response.planned_state, diagnostics)?;
        Ok((response.planned_state, response.planned_identity))
    }

    /// The paths whose values really change, and those of write-only attributes, whose values can't be compared.
    pub(crate) fn required_replaces(
        &self,
        schema: &Schema,
        prior: &Value,
        planned: &Value,
        paths: Vec<Path>,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<Vec<Path>, InstanceFailed> {
        if prior.is_null() {
            return Ok(Vec::new());
        }
        let mut required: Vec<Path> = Vec::new();
        let mut is_broken = false;
        for path in paths {
            let (before, after) = (path.apply(prior), path.apply(planned));
            let is_changed = match (before, after) {
                (Err(_), Err(_)) => {
                    is_broken = true;
                    diagnostics.push(error(
                        "invalid-plan",
                        "Provider produced invalid plan",
                        format!(
                            "Provider {:?} has indicated \"requires replacement\" on {} for a non-existent attribute path {path}.\n\nThis is a bug in the provider, which should be reported in the provider's own issue tracker.",
                            self.provider_addr.to_string(),
                            self.addr,
                        ),
                    ));
                    continue;
                }
                (Ok(before), Ok(after)) => after.equals(&before).as_bool() != Some(true),
                (Ok(value), Err(_)) | (Err(_), Ok(value)) => !value.is_null(),
            };
            let is_write_only =
                attribute_by_path(&schema.block, &path).is_some_and(|a| a.write_only);
            if (is_changed || is_write_only) && !required.contains(&path) {
                required.push(path);
            }
        }
        required.sort_by_key(Path::order_in_sets);
        if is_broken {
            Err(InstanceFailed)
        } else {
            Ok(required)
        }
    }

    pub(crate) fn check_conforms(
        &self,
        schema: &Schema,
        planned: &Value,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(), InstanceFailed> {
        let errors = cty::test_conformance(planned.ty(), schema.implied_type());
        for error in &errors {
            diagnostics.push(self.invalid_plan(&error.to_string(), None));
        }
        // OpenTofu lets it pass.
        let must_be_null = match self.product {
            Product::Terraform => schema.block.write_only_paths(planned),
            Product::OpenTofu => Vec::new(),
        };
        for path in must_be_null {
            if path.apply(planned).is_ok_and(|value| !value.is_null()) {
                diagnostics.push(
                    self.invalid_plan("write-only attribute must be null in the plan", Some(path)),
                );
                return Err(InstanceFailed);
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(InstanceFailed)
        }
    }

    /// Messages show values, so those about secrets are left out.
    pub(crate) fn report_invalid(
        &self,
        errors: Vec<InvalidPlan>,
        secrets: &[Path],
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(), InstanceFailed> {
        let is_valid = errors.is_empty();
        for InvalidPlan { path, message } in errors {
            let is_secret = secrets.iter().any(|secret| {
                secret.steps().starts_with(path.steps()) || path.steps().starts_with(secret.steps())
            });
            let message = match is_secret {
                true => "sensitive planned value does not match config value",
                false => &message,
            };
            diagnostics.push(self.invalid_plan(message, Some(path)));
        }
        if is_valid {
            Ok(())
        } else {
            Err(InstanceFailed)
        }
    }

    pub(crate) fn answer<T>(
        &self,
        answer: Result<T, ProviderError>,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<T, InstanceFailed> {
        answer.map_err(|failure| {
            let code = match failure {
                ProviderError::AsksService { .. } => NOT_ASKED,
                _ => PROVIDER_FAILED,
            };
            diagnostics.push(error(
                code,
                "Provider can't be asked",
                format!("{} is not planned: {failure}.", self.addr),
            ));
            InstanceFailed
        })
    }

    /// Reports diagnostics of a provider about this object.
    pub(crate) fn report(
        &self,
        problems: Vec<provider::Problem>,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(), InstanceFailed> {
        self.report_about(self.addr.to_string(), problems, diagnostics)
    }

    /// Reports those about the configuration. Terraform asks once for all instances.
    fn report_of_all(
        &self,
        problems: Vec<provider::Problem>,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(), InstanceFailed> {
        self.report_about(self.addr.config().to_string(), problems, diagnostics)
    }

    fn report_about(
        &self,
        address: String,
        problems: Vec<provider::Problem>,
        diagnostics: &mut Vec<InstanceProblem>,
    ) -> Result<(), InstanceFailed> {
        let has_error = problems.iter().any(Problem::is_error);
        diagnostics.extend(problems.into_iter().map(|problem| {
            problem.map(|attribute| InstancePlace {
                attribute,
                address: Some(address.clone()),
                ..InstancePlace::default()
            })
        }));
        if has_error {
            Err(InstanceFailed)
        } else {
            Ok(())
        }
    }

    pub(crate) fn invalid_plan(&self, problem: &str, attribute: Option<Path>) -> InstanceProblem {
        let path = attribute.as_ref().map(Path::to_string).unwrap_or_default();
        let detail = format!(
            "Provider {:?} planned an invalid value for {}{path}: {problem}.\n\nThis is a bug in the provider, which should be reported in the provider's own issue tracker.",
            self.provider_addr.to_string(),
            self.addr,
        );
        let place = InstancePlace {
            attribute,
            ..InstancePlace::default()
        };
        Problem::error(
            "invalid-plan",
            "Provider produced invalid plan",
            detail,
            place,
        )
    }
}

/// An error that is about no attribute.
pub(crate) fn error(code: &'static str, summary: &'static str, detail: String) -> InstanceProblem {
    Problem::error(code, summary, detail, InstancePlace::default())
}
