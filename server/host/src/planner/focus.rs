//! The visible part of the text: it is planned before everything else.

use std::collections::BTreeSet;
use std::path::Path;

use config::{ConfigResourceAddr, ModuleAddr, ModuleTree, ResourceAddr, ResourceMode};
use ide::Snapshot;
use syntax::ast::{Block, Item};

/// If more is shown, the editor asks for whole files, and their visible part isn't known.
const SEEN: usize = 200;

/// The resources that the editor shows of the modules that are planned with the root module in `dir`; `tree` is these,
/// if they were read before.
pub(super) fn focus(
    snapshot: &Snapshot,
    dir: &Path,
    tree: Option<&std::sync::Arc<ModuleTree>>,
) -> BTreeSet<ConfigResourceAddr> {
    let mut focus = BTreeSet::new();
    for (file, range) in snapshot.shown() {
        let syntax = snapshot.file(file).and_then(|source| source.hcl());
        let (Some(syntax), Some(folder)) = (syntax, Path::new(file.path()).parent()) else {
            continue;
        };
        let called = tree.into_iter().flat_map(|tree| tree.iter());
        let called =
            called.filter(|(addr, it)| !addr.is_root() && Path::new(it.dir.as_str()) == folder);
        let called = called.map(|(addr, _)| addr.clone());
        let root = (folder == dir).then(ModuleAddr::root);
        let modules: Vec<ModuleAddr> = root.into_iter().chain(called).collect();
        let segments = syntax.segments_touching(*range);
        let items = segments.flat_map(|segment| &segment.parsed.items);
        for addr in items.filter_map(resource) {
            focus.extend(modules.iter().map(|module| ConfigResourceAddr {
                module: module.clone(),
                resource: addr.clone(),
            }));
        }
    }
    match focus.len() > SEEN {
        true => BTreeSet::new(),
        false => focus,
    }
}

fn resource(item: &Item) -> Option<ResourceAddr> {
    let Item::Block(block) = item else {
        return None;
    };
    let Block { kind, labels, .. } = &**block;
    let mode = ResourceMode::of_block_type(&kind.name)?;
    let [r#type, name] = labels.as_slice() else {
        return None;
    };
    Some(ResourceAddr::new(
        mode,
        r#type.text.clone(),
        name.text.clone(),
    ))
}
