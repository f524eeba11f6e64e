//! The declarations of a module, with ranges, and the addresses of the things in it; nothing is evaluated here.

pub mod addr;
mod assemble;
mod body;
mod check;
mod declare;
mod files;
pub mod language_release;
mod literal;
mod load;
mod module;
mod read;
pub mod refs;
mod scope;
mod source;
mod table;
mod tree;

pub use addr::{
    AbsResourceAddr, AddrError, ConfigResourceAddr, InstanceKey, ModuleAddr, ModuleInstanceAddr,
    ModuleStep, MoveEndpoint, Moveable, ProviderAddr, ProviderConfigAddr, ResourceAddr,
    ResourceInstanceAddr, ResourceMode, StepPattern, Target, quote,
};
pub use body::{Body, Expected, Member};
pub use check::{check_reference, is_undeclared, unpassed_aliases};
pub use declare::{decode, parse_decoded, parse_file};
pub use files::{
    DiskFiles, FileKind, FileRole, FileVersion, Files, is_configuration, is_named_for_opentofu,
    opened,
};
pub use language_release::{Product, Profile, Version};
pub use literal::not_literal;
pub use load::{ModuleCache, load_module};
pub use module::{
    ActionEvent, ActionReference, ActionTrigger, Backend, Check, CheckRule, Decl, Deprecation,
    Duplicates, Encryption, IgnoreChanges, IgnoredPath, Import, ImportKey, ImportTarget, Lifecycle,
    Local, Module, ModuleCall, Moved, Output, OverriddenDefault, Provider, ProviderMeta,
    ProviderRef, ProviderRequirement, Removed, Repetition, Resource, Variable,
};
pub use read::{NOT_STATIC, is_identifier};
pub use refs::{Reference, Referenceable, each_traversal, has_variables};
pub use source::{Attribute, Block, Expr, Name, Origin};
pub use table::Table;
pub use tree::{
    InstalledModule, ModuleTree, ProviderKey, StaticEvaluator, TreeCache, TreeModule,
    check_arguments, installed_modules, is_local, load_tree, not_as_installed,
};
