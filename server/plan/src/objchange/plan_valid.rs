//! Valid answers of a provider to a plan request.

use std::collections::BTreeMap;

use cty::{Path, PathStep, Type, Value};
use schema::{Attribute, Block, NestedType, Nesting};
use smol_str::SmolStr;

use super::is_same;

/// A planned value breaks the rules at `path`. The message is meant for the provider's developer.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidPlan {
    pub path: Path,
    pub message: String,
}

/// Checks the plan of a provider. It may fill in only attributes that are computed and null in the configuration;
/// as an exception it may return the prior value of an attribute, saying that both mean the same.
///
/// All values conform to `block`'s implied type and carry no marks.
pub fn assert_plan_valid(
    block: &Block,
    prior: &Value,
    config: &Value,
    planned: &Value,
) -> Vec<InvalidPlan> {
    let mut check = Check::default();
    check.block(block, prior, config, planned);
    check.errors
}

const ELEMENT_UNKNOWN: &str = "element representing nested block must not be unknown itself; set nested attribute values to unknown instead";
const BLOCK_UNKNOWN: &str = "attribute representing nested block must not be unknown itself; set nested attribute values to unknown instead";

#[derive(Default)]
struct Check {
    path: Path,
    errors: Vec<InvalidPlan>,
}

impl Check {
    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(InvalidPlan {
            path: self.path.clone(),
            message: message.into(),
        });
    }

    fn at(&mut self, step: PathStep, check: impl FnOnce(&mut Check)) {
        self.path.0.push(step);
        check(self);
        self.path.0.pop();
    }

    /// Presence in the plan and in the configuration must agree. True where both are there to be compared.
    fn is_present(&mut self, config: &Value, planned: &Value) -> bool {
        match (config.is_null(), planned.is_null()) {
            (false, true) => self.error("planned for absence but config wants existence"),
            (true, false) => self.error("planned for existence but config wants absence"),
            (true, true) => {}
            (false, false) => return true,
        }
        false
    }

    fn block(&mut self, block: &Block, prior: &Value, config: &Value, planned: &Value) {
        if !self.is_present(config, planned) {
            return;
        }
        self.attributes(&block.attributes, prior, config, planned);
        for (name, nested) in &block.block_types {
            let prior = attribute(prior, name, || nested.implied_type());
            let config = attribute(config, name, || nested.implied_type());
            let planned = attribute(planned, name, || nested.implied_type());
            self.at(PathStep::GetAttr(name.clone()), |check| {
                check.blocks(&nested.block, nested.nesting, &prior, &config, &planned);
            });
        }
    }

    fn blocks(
        &mut self,
        block: &Block,
        nesting: Nesting,
        prior: &Value,
        config: &Value,
        planned: &Value,
    ) {
        if planned.raw_equals(config) {
            return;
        }
        if !config.is_known() {
            return self.error(format!(
                "planned value {planned:?} for unknown dynamic block"
            ));
        }
        if !planned.is_known() {
            return self.error(BLOCK_UNKNOWN);
        }
        let kind = match nesting {
            Nesting::Single | Nesting::Group => return self.block(block, prior, config, planned),
            Nesting::List => "list",
            Nesting::Map => "map",
            Nesting::Set => "set",
        };
        if planned.is_null() {
            return self.error(format!(
                "attribute representing a {kind} of nested blocks must be empty to indicate no blocks, not null"
            ));
        }
        let planned_elements = elements(planned);
        let config_elements = elements(config);
        let config_of = |key: &Value| find(&config_elements, key);
        // An object is a map whose elements differ in type: its keys are compared, not counted.
        let is_counted = match nesting {
            Nesting::List => true,
            Nesting::Map => !matches!(planned.ty(), Type::Object(_)),
            Nesting::Set | Nesting::Single | Nesting::Group => false,
        };
        if is_counted && planned_elements.len() != config_elements.len() {
            return self.error(format!(
                "block count in plan ({}) disagrees with count in config ({})",
                planned_elements.len(),
                config_elements.len()
            ));
        }
        let priors = elements(prior);
        for (key, planned) in &planned_elements {
            self.at(
                step(planned_elements_are_object(nesting, config), key),
                |check| {
                    if nesting == Nesting::Map && config_of(key).is_none() {
                        let key = key.as_str().unwrap_or_default();
                        check.path.0.pop();
                        check.error(format!(
                            "block key {key:?} from plan is not present in config"
                        ));
                        check.path.0.push(PathStep::Index(Value::string(key)));
                        return;
                    }
                    if !planned.is_known() {
                        return check.error(ELEMENT_UNKNOWN);
                    }
                    // Elements of a set cannot be matched: the provider is trusted.
                    let (Nesting::List | Nesting::Map, Some(config)) = (nesting, config_of(key))
                    else {
                        return;
                    };
                    let prior =
                        find(&priors, key).unwrap_or_else(|| Value::null(block.implied_type()));
                    check.block(block, &prior, &config, planned);
                },
            );
        }
        if nesting == Nesting::Map {
            self.missing_keys("block", &planned_elements, &config_elements);
        }
    }

    fn missing_keys(&mut self, kind: &str, planned: &[(Value, Value)], config: &[(Value, Value)]) {
        for (key, _) in config {
            if find(planned, key).is_none() {
                let key = key.as_str().unwrap_or_default();
                self.error(format!(
                    "{kind} key {key:?} from config is not present in plan"
                ));
            }
        }
    }

    fn attributes(
        &mut self,
        attributes: &BTreeMap<SmolStr, Attribute>,
        prior: &Value,
        config: &Value,
        planned: &Value,
    ) {
        for (name, schema) in attributes {
            let prior = attribute(prior, name, || schema.ty.clone());
            let config = attribute(config, name, || schema.ty.clone());
            let planned = attribute(planned, name, || schema.ty.clone());
            self.at(PathStep::GetAttr(name.clone()), |check| {
                check.attribute(schema, &prior, &config, &planned);
            });
        }
    }

    fn attribute(&mut self, schema: &Attribute, prior: &Value, config: &Value, planned: &Value) {
        if is_same(planned, config) {
            return;
        }
        if !prior.is_null() && !config.is_null() && is_same(planned, prior) {
            return;
        }
        let is_computed_only = schema.computed && !schema.optional;
        if is_computed_only || (schema.computed && config.is_null()) {
            return;
        }
        if config.is_null() && !planned.is_null() {
            return self.error(if schema.sensitive {
                "sensitive planned value for a non-computed attribute".to_owned()
            } else {
                format!("planned value {planned:?} for a non-computed attribute")
            });
        }
        if planned.is_null() && schema.write_only {
            return;
        }
        if let Some(nested) = &schema.nested_type {
            return self.nested(nested, prior, config, planned);
        }
        let or_prior = if prior.is_null() {
            ""
        } else {
            " nor prior value"
        };
        self.error(match (schema.sensitive, prior.is_null()) {
            (true, _) => format!("sensitive planned value does not match config value{or_prior}"),
            (false, true) => {
                format!("planned value {planned:?} does not match config value {config:?}")
            }
            (false, false) => format!(
                "planned value {planned:?} does not match config value {config:?} nor prior value {prior:?}"
            ),
        });
    }

    fn nested(&mut self, nested: &NestedType, prior: &Value, config: &Value, planned: &Value) {
        if !self.is_present(config, planned) {
            return;
        }
        if !planned.is_known() {
            return self.error("planned unknown for configured value");
        }
        if let Nesting::Single | Nesting::Group = nested.nesting {
            return self.attributes(&nested.attributes, prior, config, planned);
        }
        let (planned_length, config_length) = (planned.length(), config.length());
        let (Ok(planned_length), Ok(config_length)) = (planned_length, config_length) else {
            return;
        };
        if !planned_length.is_known() && !config_length.is_known() {
            return;
        }
        let is_equal = planned_length.equals(&config_length);
        let may_be_equal = match nested.nesting {
            Nesting::Set => !is_equal.is_known() || is_equal.as_bool() == Some(true),
            Nesting::List | Nesting::Map | Nesting::Single | Nesting::Group => {
                is_equal.as_bool() == Some(true)
            }
        };
        if !may_be_equal {
            return self.error(format!(
                "count in plan ({planned_length:?}) disagrees with count in config ({config_length:?})"
            ));
        }
        if nested.nesting == Nesting::Set {
            return;
        }
        let (planned_elements, config_elements) = (elements(planned), elements(config));
        let priors = elements(prior);
        for (key, planned) in &planned_elements {
            let Some(config) = find(&config_elements, key) else {
                if nested.nesting == Nesting::Map {
                    let key = key.as_str().unwrap_or_default();
                    self.error(format!(
                        "map key {key:?} from plan is not present in config"
                    ));
                }
                continue;
            };
            let prior = find(&priors, key).unwrap_or_else(|| {
                Value::null(Type::object(
                    nested
                        .attributes
                        .iter()
                        .map(|(name, schema)| (name.clone(), schema.ty.clone())),
                ))
            });
            self.at(step(nested.nesting == Nesting::Map, key), |check| {
                check.attributes(&nested.attributes, &prior, &config, planned);
            });
        }
        if nested.nesting == Nesting::Map {
            self.missing_keys("map", &planned_elements, &config_elements);
        }
    }
}

fn planned_elements_are_object(nesting: Nesting, config: &Value) -> bool {
    nesting == Nesting::Map && matches!(config.ty(), Type::Object(_))
}

fn step(is_attribute: bool, key: &Value) -> PathStep {
    match key.as_str() {
        Some(name) if is_attribute => PathStep::GetAttr(name.into()),
        _ => PathStep::Index(key.clone()),
    }
}

fn attribute(object: &Value, name: &str, ty: impl FnOnce() -> Type) -> Value {
    if object.is_null() {
        return Value::null(ty());
    }
    object.get_attr(name).unwrap_or_else(|_| Value::null(ty()))
}

/// Elements with their keys; none of a null or unknown collection.
fn elements(collection: &Value) -> Vec<(Value, Value)> {
    collection
        .elements()
        .map(|(key, value)| (key, value.clone()))
        .collect()
}

fn find(elements: &[(Value, Value)], key: &Value) -> Option<Value> {
    elements
        .iter()
        .find(|(candidate, _)| candidate.raw_equals(key))
        .map(|(_, value)| value.clone())
}
