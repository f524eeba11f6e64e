//! Plans of whole root modules, over a provider in this process and the builtin one.

mod changes;
mod failures;
mod functions;
mod incremental;
mod labels;
mod lifecycle;
mod modules;
mod outside;
mod refactoring;
mod support;
