//! The questions of an editor: a workspace, its snapshots, and one file per feature.
//!
//! The main loop of the editor's side owns the [`Workspace`] and reports changes to it. Questions are put to a
//! [`Snapshot`]; plans are made from one, elsewhere, and come back as [`PlanUpdate`]s.

mod actions;
mod any_engine;
mod block_actions;
mod body;
mod callers;
mod checks;
mod cursor;
mod diagnostic_codes;
mod environments;
mod facts;
mod features;
mod file_facts;
mod folder;
mod joined_folder;
mod json_as_native;
mod markdown;
mod module_context;
mod object_facts;
mod once;
mod plan;
mod plan_trigger;
mod plan_view;
mod planner;
mod planners;
mod referent;
mod registry;
mod settings;
mod snapshot;
mod source;
mod terraform_plan;
mod tokens;
mod workspace;

mod code_lenses;
mod command;
mod completion;
mod declared;
mod diagnostics;
mod elsewhere;
mod formatting;
mod hover;
mod hover_text;
mod inlay_hints;
mod linked_editing;
mod links;
mod module_calls;
mod module_plan;
mod navigation;
mod parameter_hints;
mod providers;
mod reference_counts;
mod semantic_tokens;
mod signature_help;
mod structure;
mod symbols;
mod terragrunt;
mod trusted;
mod type_schema;
mod what_if;

pub use actions::{Action, ActionKind, Effect};
pub use any_engine::{
    Cause, Caveat, Changed, ChangedAttribute, Former, ObjectChange, OutsideChange, PlannedObject,
    ValueText,
};
pub use callers::{Caller, ListedCaller, folder_name};
pub use checks::{Checked, Checks, ChecksCache, ChecksOfRoots, check};
pub use command::Command;
pub use completion::{
    Completion, CompletionInputs, CompletionKind, Completions, Documented, snippet_as_text,
};
pub use declared::DeclaredModule;
pub use diagnostic_codes::{CODES, Code, code};
pub use elsewhere::{DEPTH_SEARCHED, FOLDERS_SEARCHED, is_passed_over};
pub use environments::{ListedEnvironment, RootInputs};
pub use facts::{
    CodeLens, HintKind, HintLabel, Hover, InlayHint, LensKind, MAX_HINT_LABEL, Shown, Tag, Tone,
};
pub use features::{Answers, Features, PlaceInFile, References};
pub use file_facts::{Facts, FileFacts, SegmentFacts};
pub use folder::{Folder, FolderChange, FolderGuess, Folders, ObjectFolder, PlanOverview};
pub use links::{Link, LinkTarget};
pub use markdown::Markdown;
pub use module_calls::{CalledModule, ModuleCall};
pub use module_context::{
    FOLDERS_ABOVE, LocalProviders, ModuleContext, ModuleContexts, RemovedPlaces, Substitutes,
};
pub use module_plan::ModulePlan;
pub use navigation::{Definition, Highlight};
pub use object_facts::ObjectFacts;
pub use once::{plan_once, plan_pending};
pub use plan::{PlanState, PlanUpdate, Revision, Stage};
pub use plan_trigger::PlanTrigger;
pub use plan_view::{CountedPlans, ListedCause, ListedChange, ListedGuess, PlanSummary};
pub use planner::{
    Intent, NoPlanner, OfferedRefactoring, PlanSink, Planner, PlannerFuture, Progress, Refactored,
    Refused, Renamable, Selection, Untrusted,
};
pub use planners::Planners;
pub use providers::ModuleProvider;
pub use referent::Location;
pub use registry::{Registry, RegistryModule};
pub use settings::{
    ActionPlace, Actions, Configure, Enable, EnvSettings, EnvironmentSettings, Hints, Level,
    LogLevel, Policy, RegistryAccess, RootSettings, RootsSettings, Settings, ShownActions, Trust,
    TrustSettings,
};
pub use signature_help::SignatureHelp;
pub use snapshot::Snapshot;
pub use source::{Language, Parsed, Segments, SourceFile, TextSegment};
pub use structure::{Fold, FoldKind};
pub use symbols::{Symbol, SymbolKind, WorkspaceSymbol};
pub use terraform_plan::{
    CalledFacts, FactInputs, FactsCache, InstanceFacts, PlanNumbers, facts, facts_of_called,
    facts_of_runs, merged,
};
pub use terragrunt::{TerragruntCaller, is_terragrunt, terragrunt_text};
pub use tokens::{SemanticToken, TokenKind};
pub use trusted::{
    ApprovalFile, ApprovalStamp, ApprovedProvider, TrustFolder, Trusted, TrustedFolder, canonical,
};
pub use type_schema::TypeSchema;
pub use what_if::WhatIf;
pub use workspace::{PlanJob, Workspace};

pub use ::plan::{Approvals, Approved, Package};
pub use change::{ChangeCounts, ChangeKind, Difference, Proof};
pub use config::{DiskFiles, ProviderAddr as PluginAddr};
