//! A provider with one of its configurations: checked at every edit, given to the provider only when that is allowed.

use std::sync::Arc;

use config::{Body, ProviderAddr, ProviderConfigAddr};
use cty::{Path, Value};
use provider::{Problem, Provider};
use schema::{Block, ProviderSchema};
use text::{Diagnostic, Severity, Span};

use crate::caveat::{Caveat, Unconfigured};
use crate::result::ProviderConfigResult;

/// A configuration on its way to its provider.
pub(crate) struct Configuring {
    pub addr: ProviderConfigAddr,
    pub provider: Arc<dyn Provider>,
    pub schema: Arc<ProviderSchema>,
    /// Without marks.
    pub config: Value,
    /// The `provider` block, if there is one, and where diagnostics without an attribute go.
    pub block: Option<(Body, Span)>,
    pub diagnostics: Vec<Diagnostic>,
    pub before: Option<ProviderConfigResult>,
    /// Of the provider itself.
    pub provider_generation: u64,
    /// Why it is not given to the provider, if it may not be.
    pub withheld: Option<WithholdReason>,
}

/// Why a provider is not configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WithholdReason {
    UntilSaved,
    UntilTrusted,
}

impl ProviderConfigResult {
    /// Whether the provider would have been configured if the folder were trusted.
    pub(crate) fn awaits_trust(&self) -> bool {
        self.guess == Some(Unconfigured::NotTrusted)
    }

    /// A provider that can't be asked, and why.
    pub(crate) fn blocked(provider: Arc<dyn Provider>, generation: u64, obstacle: Caveat) -> Self {
        ProviderConfigResult {
            provider,
            schema: None,
            configured: None,
            is_pending: false,
            is_refused: false,
            guess: None,
            provider_generation: 0,
            generation,
            obstacle: Some(obstacle),
            diagnostics: Vec::new(),
        }
    }
}

/// The arguments that a provider without a `provider` block lacks.
pub(crate) fn missing(block: &Block) -> Vec<Diagnostic> {
    let error =
        |code, summary: String, detail: String| Diagnostic::error(code, summary, detail, None);
    let attributes = block.attributes.iter().filter(|(_, it)| it.required);
    let blocks = block.block_types.iter().filter(|(_, it)| it.min_items > 0);
    let attributes = attributes.map(|(name, _)| {
        let detail = format!("The argument \"{name}\" is required, but no definition was found.");
        error(
            "missing-argument",
            "Missing required argument".into(),
            detail,
        )
    });
    let blocks = blocks.map(|(name, nested)| {
        let detail = format!(
            "At least {} \"{name}\" blocks are required.",
            nested.min_items
        );
        error(
            "missing-block",
            format!("Insufficient {name} blocks"),
            detail,
        )
    });
    attributes.chain(blocks).collect()
}

/// Reported beside the errors of a provider without a `provider` block, which may not mention that it lacks one.
fn needs_a_block(addr: &ProviderAddr) -> Diagnostic {
    let detail = format!(
        "Provider \"{addr}\" requires explicit configuration. Add a provider block to the root module and configure the provider's required arguments as described in the provider documentation."
    );
    let summary = "Invalid provider configuration";
    Diagnostic::error("provider", summary, detail, None)
}

impl Configuring {
    /// Validates the configuration, and configures the provider if it may be and has another configuration now.
    /// A provider that refuses its configuration is planned with all the same, unconfigured: most can.
    pub(crate) async fn run(mut self) -> ProviderConfigResult {
        let has_errors = self
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error);
        let before = self
            .before
            .take()
            .filter(|before| before.provider_generation == self.provider_generation);
        let mut configured = before.as_ref().and_then(|before| before.configured.clone());
        let mut generation = before.as_ref().map_or(1, |before| before.generation);
        let is_new = configured
            .as_ref()
            .is_none_or(|old| !old.raw_equals(&self.config));
        let mut is_refused = has_errors;
        if !has_errors && is_new {
            let answer = self.provider.validate_provider_config(&self.config).await;
            if let Err(error) = &answer
                && error.is_before_start()
            {
                // Reported once for the provider, not for each of its resources.
                let obstacle = Caveat::Provider(error.clone());
                return ProviderConfigResult {
                    schema: Some(self.schema),
                    diagnostics: self.diagnostics,
                    ..ProviderConfigResult::blocked(self.provider, generation + 1, obstacle)
                };
            }
            is_refused = !self.report(answer);
            if !is_refused && self.withheld.is_none() {
                let answer = self.provider.configure(&self.config).await;
                is_refused = !self.report(answer);
                if !is_refused {
                    configured = Some(self.config.clone());
                    generation += 1;
                }
            }
        }
        if is_refused && is_new && !has_errors && self.block.is_none() {
            self.diagnostics.push(needs_a_block(&self.addr.provider));
        }
        let guess = match &configured {
            _ if is_refused => Some(Unconfigured::HasErrors),
            Some(_) => None,
            None if self.withheld == Some(WithholdReason::UntilTrusted) => {
                Some(Unconfigured::NotTrusted)
            }
            None => Some(Unconfigured::NotSaved),
        };
        let is_pending = configured
            .as_ref()
            .is_none_or(|old| !old.raw_equals(&self.config));
        ProviderConfigResult {
            provider: self.provider,
            schema: Some(self.schema),
            configured,
            is_pending,
            is_refused,
            guess,
            provider_generation: self.provider_generation,
            generation,
            obstacle: None,
            diagnostics: self.diagnostics,
        }
    }

    /// Notes the provider's diagnostics; true if there was no error.
    fn report(&mut self, answer: Result<Vec<Problem>, provider::ProviderError>) -> bool {
        let problems = match answer {
            Ok(problems) => problems,
            Err(error) => vec![provider::error(
                "Provider can't be configured",
                format!("{error}."),
            )],
        };
        let is_fine = !problems.iter().any(Problem::is_error);
        let schema = self.schema.provider.clone();
        for problem in problems {
            let place = |path: Option<Path>| {
                let (body, span) = self.block.as_ref()?;
                let at_attribute = path.and_then(|path| eval::locate(body, &schema.block, &path));
                Some(at_attribute.unwrap_or_else(|| span.clone()))
            };
            self.diagnostics
                .push(problem.located(place).about(&self.addr));
        }
        is_fine
    }
}
