//! The inputs and outputs of a module that resources go to.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use config::{Module, Reference, Referenceable, Resource, ResourceAddr};
use smol_str::SmolStr;
use syntax::ast::StepKind;
use text::{FileId, SegmentId, Span, TextRange, TextSize};

use super::{Destination, Moved, Names};
use crate::blocks::{block, inner_block, outer_block};
use crate::kind::RefactoringContext;
use crate::rename::RESERVED_VARIABLES;
use crate::site::Site;
use crate::words::words;

/// The inputs and outputs of a module. By the expressions in the module that it is called in, and in itself.
pub(super) struct Interface<'a> {
    scene: &'a RefactoringContext<'a>,
    site: Site<'a>,
    call: SmolStr,
    moved: BTreeSet<&'a ResourceAddr>,
    segments: HashSet<(&'a FileId, SegmentId)>,
    /// In the order of their first use.
    inputs: Vec<Input>,
    outputs: Vec<(String, String)>,
    input_names: Names,
    output_names: Names,
}

struct Input {
    name: String,
    /// In the calling module.
    value: String,
    /// The other arguments of its variable.
    declared: Vec<(&'static str, String)>,
    /// The module has it already.
    is_there: bool,
}

impl<'a> Interface<'a> {
    pub fn new(
        scene: &'a RefactoringContext<'a>,
        site: &Site<'a>,
        moved: &[Moved<'a>],
        destination: &Destination<'_>,
    ) -> Interface<'a> {
        let mut interface = Interface {
            scene,
            site: *site,
            call: destination.call.clone(),
            moved: moved.iter().map(|(_, resource)| &resource.addr).collect(),
            segments: moved
                .iter()
                .map(|(site, _)| (site.file, site.segment.id))
                .collect(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            input_names: Names::default(),
            output_names: Names::default(),
        };
        let reserved = RESERVED_VARIABLES.into_iter().map(str::to_owned);
        interface.input_names.0.extend(reserved);
        if let Some((call, module)) = destination.module {
            let names = module.variables.keys().map(SmolStr::to_string);
            interface.input_names.0.extend(names);
            let names = module.outputs.keys().map(SmolStr::to_string);
            interface.output_names.0.extend(names);
            for argument in &call.arguments {
                let span = argument.expr().span();
                let place = scene
                    .modules
                    .file(&span.file)
                    .map(|it| (it, it.resolve(&span)));
                if let Some((syntax, Some(place))) = place {
                    interface.inputs.push(Input {
                        name: argument.name().to_string(),
                        value: syntax.slice(place),
                        declared: Vec::new(),
                        is_there: true,
                    });
                }
            }
        }
        interface
    }

    /// `module.name`
    pub fn call(&self) -> String {
        format!("module.{}", self.call)
    }

    pub fn is_moved(&self, addr: &ResourceAddr) -> bool {
        self.moved.contains(addr)
    }

    /// Whether it stands in a block that is moved.
    pub fn is_within(&self, span: &Span) -> bool {
        self.segments.contains(&(&span.file, span.segment))
    }

    /// The replacement of a reference in a moved block, and its place in the segment; `None` where it stays.
    pub fn input(&mut self, site: &Site<'_>, reference: &Reference) -> Option<(TextRange, String)> {
        let span = reference.span.range;
        let (range, name) = match &reference.subject {
            Referenceable::Var(name) | Referenceable::Local(name) => (span, name.to_string()),
            Referenceable::Path(name) if name == "module" => (span, "path_module".to_owned()),
            Referenceable::Resource(addr) if !self.is_moved(addr) => (span, addr.name.to_string()),
            Referenceable::ResourceInstance(addr, _) if !self.is_moved(addr) => {
                let step = reference.remaining.first();
                let attribute = step.and_then(|step| match &step.kind {
                    StepKind::Attr(attribute) => Some((step.range, &attribute.name)),
                    StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
                });
                match attribute {
                    Some((range, attribute)) => {
                        (span.cover(range), format!("{}_{attribute}", addr.name))
                    }
                    None => (span, addr.name.to_string()),
                }
            }
            Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
                (span, call.to_string())
            }
            Referenceable::ModuleOutput { call, output, .. } => (span, format!("{call}_{output}")),
            Referenceable::Resource(_)
            | Referenceable::ResourceInstance(..)
            | Referenceable::Count(_)
            | Referenceable::Each(_)
            | Referenceable::Self_
            | Referenceable::Path(_)
            | Referenceable::Terraform(_)
            | Referenceable::Tofu(_) => return None,
        };
        let value = site.text(range).to_owned();
        let known = self.inputs.iter().position(|it| it.value == value);
        let known = known.unwrap_or_else(|| {
            let name = self.input_names.pick(&[name]);
            let declared = self.declared(reference, range != span);
            self.inputs.push(Input {
                name,
                value,
                declared,
                is_there: false,
            });
            self.inputs.len() - 1
        });
        Some((range, format!("var.{}", self.inputs[known].name)))
    }

    /// The declaration of an input: of a variable that is passed on, or of the type of an attribute.
    fn declared(&self, reference: &Reference, is_attribute: bool) -> Vec<(&'static str, String)> {
        let module = self.site.module;
        let mut declared = Vec::new();
        let mut r#type = None;
        match &reference.subject {
            Referenceable::Var(name) => {
                let variable = module.variables.get(name);
                r#type = variable.and_then(|it| {
                    let span = it.r#type.as_ref()?.span();
                    let syntax = self.scene.modules.file(&span.file)?;
                    Some(syntax.slice(syntax.resolve(&span)?))
                });
                let flag = |is: bool| is.then(|| "true".to_owned());
                let sensitive = variable.and_then(|it| flag(it.sensitive));
                let ephemeral = variable.and_then(|it| flag(it.ephemeral));
                declared.extend(sensitive.map(|it| ("sensitive", it)));
                declared.extend(ephemeral.map(|it| ("ephemeral", it)));
            }
            Referenceable::ResourceInstance(addr, _) if is_attribute => {
                let step = reference.remaining.first().map(|it| &it.kind);
                if let Some(StepKind::Attr(attribute)) = step {
                    r#type = self.type_of(addr, &attribute.name);
                }
            }
            Referenceable::Path(_) => r#type = Some("string".to_owned()),
            _ => {}
        }
        declared.insert(0, ("type", r#type.unwrap_or_else(|| "any".to_owned())));
        declared
    }

    /// Of an attribute whose provider is known.
    fn type_of(&self, addr: &ResourceAddr, attribute: &str) -> Option<String> {
        let plans = self.scene.plans.iter();
        plans.into_iter().find_map(|(_, plan)| {
            let mut resources = plan.resources.values();
            let resource = resources.find(|it| it.addr.resource == *addr)?;
            let mut changes = resource.changes();
            let ty = changes
                .next()?
                .after
                .ty()
                .attributes()?
                .get(attribute)?
                .clone();
            (!ty.has_dynamic()).then(|| ty.to_string())
        })
    }

    /// The output with a value that the others refer to, as they do.
    pub fn output(&mut self, addr: &ResourceAddr, attribute: Option<&str>) -> String {
        let (value, name) = match attribute {
            Some(attribute) => (
                format!("{addr}.{attribute}"),
                format!("{}_{attribute}", addr.name),
            ),
            None => (addr.to_string(), addr.name.to_string()),
        };
        let known = self.outputs.iter().find(|(_, it)| *it == value);
        let name = match known {
            Some((name, _)) => name.clone(),
            None => {
                let long = format!("{}_{name}", addr.r#type);
                let name = self.output_names.pick(&[name, long]);
                self.outputs.push((name.clone(), value));
                name
            }
        };
        format!("{}.{name}", self.call())
    }

    /// For the call: those that it doesn't have yet.
    pub fn arguments(&self) -> Vec<(&str, &str)> {
        let new = self.inputs.iter().filter(|input| !input.is_there);
        new.map(|it| (it.name.as_str(), it.value.as_str()))
            .collect()
    }

    pub fn variables(&self) -> Vec<String> {
        let new = self.inputs.iter().filter(|input| !input.is_there);
        new.map(|input| {
            let declared = input.declared.iter();
            let declared: Vec<_> = declared.map(|(name, it)| (*name, it.as_str())).collect();
            block("variable", &[&input.name], &declared)
        })
        .collect()
    }

    pub fn outputs(&self) -> Vec<String> {
        let outputs = self.outputs.iter();
        outputs
            .map(|(name, value)| block("output", &[name], &[("value", value)]))
            .collect()
    }
}

/// References that only order the work.
pub(super) fn orders(module: &Module) -> HashSet<Span> {
    let resources = module.resources.values().flat_map(|it| &it.depends_on);
    let calls = module.module_calls.values().flat_map(|it| &it.depends_on);
    let outputs = module.outputs.values().flat_map(|it| &it.depends_on);
    let all = resources.chain(calls).chain(outputs);
    all.map(|it| it.span.clone()).collect()
}

/// Where the address of a resource ends, without a key.
pub(super) fn end_of_subject(written: &str) -> TextSize {
    let words = words(written);
    let is_prefixed = words
        .first()
        .is_some_and(|it| matches!(it.text, "data" | "ephemeral" | "resource"));
    let last = words.get(if is_prefixed { 2 } else { 1 });
    last.map_or(TextSize::of(written), |it| it.range.end())
}

/// The name and the alias of a provider configuration that has one.
pub(super) fn alias(resource: &Resource) -> Option<(&SmolStr, &SmolStr)> {
    let provider = resource.provider.as_ref()?;
    Some((&provider.name, provider.alias.as_ref()?))
}

/// By the local name of the provider, the aliases that resources use.
fn providers<'a>(moved: &[Moved<'a>]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, resource) in moved {
        let name = match &resource.provider {
            Some(provider) => provider.name.as_str(),
            None => resource.addr.implied_provider(),
        };
        let aliases = found.entry(name).or_default();
        aliases.extend(alias(resource).map(|(_, alias)| alias.as_str()));
        let has_default = alias(resource).is_none();
        aliases.extend(has_default.then_some(""));
    }
    found
}

/// `providers` for the call, where a configuration has an alias. Then all have to be named.
pub(super) fn passed(moved: &[Moved<'_>]) -> String {
    let found = providers(moved);
    if found.values().flatten().all(|alias| alias.is_empty()) {
        return String::new();
    }
    let all = found.iter().flat_map(|(name, aliases)| {
        aliases.iter().map(move |alias| match *alias {
            "" => format!("{name} = {name}\n"),
            alias => format!("{name}.{alias} = {name}.{alias}\n"),
        })
    });
    format!("{{\n{}}}", all.collect::<String>())
}

/// The `terraform` block with the providers that the module's own requirements name, or that have an alias.
pub(super) fn requirements(moved: &[Moved<'_>]) -> String {
    let Some((site, _)) = moved.first() else {
        return String::new();
    };
    let mut entries = Vec::new();
    for (name, aliases) in providers(moved) {
        let required = site.module.required_providers.get(name);
        let aliases: Vec<String> = aliases
            .iter()
            .filter(|alias| !alias.is_empty())
            .map(|alias| format!("{name}.{alias}"))
            .collect();
        if required.is_none() && aliases.is_empty() {
            continue;
        }
        let source = site.module.provider_addr(name).for_display();
        let mut entry = format!("{{\nsource = \"{source}\"\n");
        if let Some(version) = required.and_then(|it| it.version.as_ref()) {
            entry.push_str(&format!("version = {}\n", config::quote(version)));
        }
        if !aliases.is_empty() {
            let aliases = aliases.join(", ");
            entry.push_str(&format!("configuration_aliases = [{aliases}]\n"));
        }
        entries.push((name, entry + "}"));
    }
    if entries.is_empty() {
        return String::new();
    }
    let entries: Vec<_> = entries
        .iter()
        .map(|(name, it)| (*name, it.as_str()))
        .collect();
    outer_block(
        "terraform",
        &[],
        &[inner_block("required_providers", &entries)],
    )
}
