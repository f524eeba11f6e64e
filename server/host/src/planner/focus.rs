//! The visible part of the text: it is planned before everything else.

use std::collections::BTreeSet;
use std::path::Path;

use config::{ModuleAddr, ModuleTree, ResourceAddr, ResourceMode};
use ide::Snapshot;
use plan::{NodeId, NodeObject};
use syntax::ast::{Block, Item};
use text::TextRange;

/// If more is shown, the editor asks for whole files, and their visible part isn't known.
const SEEN: usize = 400;

/// The declarations that the editor shows of the modules that are planned with the root module in `dir`; `tree` is these,
/// if they were read before.
pub(super) fn focus(
    snapshot: &Snapshot,
    dir: &Path,
    tree: Option<&std::sync::Arc<ModuleTree>>,
) -> BTreeSet<NodeId> {
    let mut focus = BTreeSet::new();
    for (file, range) in snapshot.shown() {
        let Some(folder) = Path::new(file.path()).parent() else {
            continue;
        };
        let called = tree.into_iter().flat_map(|tree| tree.iter());
        let called =
            called.filter(|(addr, it)| !addr.is_root() && Path::new(it.dir.as_str()) == folder);
        let called = called.map(|(addr, _)| addr.clone());
        let root = (folder == dir).then(ModuleAddr::root);
        let modules: Vec<ModuleAddr> = root.into_iter().chain(called).collect();
        let source = snapshot.file(&file).filter(|_| !modules.is_empty());
        let Some(syntax) = source.and_then(|source| source.hcl()) else {
            continue;
        };
        for segment in syntax.segments_touching(range) {
            let is_shown = |it: TextRange| (it + segment.offset).intersect(range).is_some();
            for item in &segment.parsed.items {
                let nodes = modules
                    .iter()
                    .flat_map(|module| nodes(item, module, is_shown));
                focus.extend(nodes);
            }
        }
    }
    match focus.len() > SEEN {
        true => BTreeSet::new(),
        false => focus,
    }
}

/// What a block declares, as far as the ranges of it are shown. At a call the values of its arguments are.
fn nodes(item: &Item, module: &ModuleAddr, is_shown: impl Fn(TextRange) -> bool) -> Vec<NodeId> {
    let Item::Block(block) = item else {
        return Vec::new();
    };
    let Block {
        kind, labels, body, ..
    } = &**block;
    let attributes = body.attributes.iter().filter(|it| is_shown(it.range));
    let attributes = attributes.map(|it| it.name.name.clone());
    let mut names = labels.iter().map(|label| label.text.clone());
    let (first, second) = (names.next(), names.next());
    match (kind.name.as_str(), first, second) {
        ("locals", None, None) => attributes
            .map(|it| NodeObject::Local(it).of(module))
            .collect(),
        ("module", Some(call), None) => {
            let called = module.child(call);
            attributes
                .map(|it| NodeObject::Variable(it).of(&called))
                .collect()
        }
        ("output", Some(name), None) => vec![NodeObject::Output(name).of(module)],
        ("variable", Some(name), None) => vec![NodeObject::Variable(name).of(module)],
        (kind, Some(r#type), Some(name)) => {
            let mode = ResourceMode::of_block_type(kind);
            let addr = mode.map(|mode| ResourceAddr::new(mode, r#type, name));
            let node = addr.map(|addr| NodeObject::Resource(addr).of(module));
            node.into_iter().collect()
        }
        _ => Vec::new(),
    }
}
