//! `textDocument/prepareCallHierarchy`, `callHierarchy/*` and the commands about modules: who calls which module.

use std::path::{Path, PathBuf};

use ide::{CalledModule, DiskFiles, ModuleCall, Snapshot, TerragruntCaller};
use serde::Deserialize;
use serde_json::{Value, json};
use text::FileId;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Range, SymbolKind,
};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id, uri};
use crate::navigation::Places;
use crate::params::AtPosition;
use crate::shown::title;

/// Of `callHierarchy/*`: the item that `prepareCallHierarchy` answered.
#[derive(Deserialize)]
pub(crate) struct CallHierarchyItemParams {
    item: CallHierarchyItem,
}

impl CallHierarchyItemParams {
    fn dir(&self) -> Option<PathBuf> {
        let file = file_id(self.item.uri.as_str());
        Some(PathBuf::from(file.path()).parent()?.to_owned())
    }
}

pub(crate) fn prepare(
    context: &RequestContext,
    params: AtPosition,
) -> Option<Vec<CallHierarchyItem>> {
    let (file, convert) = context.document(&params.text_document)?;
    let offset = convert.offset(params.position);
    let module = context.snapshot.module_around(&file, offset)?;
    Some(vec![context.module_item(&module)?])
}

pub(crate) fn incoming(
    context: &RequestContext,
    params: CallHierarchyItemParams,
) -> Option<Vec<CallHierarchyIncomingCall>> {
    let (context, dir) = (&context.with_whole_workspace(), params.dir()?);
    let units = context.snapshot.terragrunt_callers(&dir, &DiskFiles);
    let units = units.into_iter().filter_map(|it| context.unit_call(&it));
    let callers = context.snapshot.callers_of(&dir).into_iter();
    let callers = callers.filter_map(|(caller, calls)| {
        // Ranges are of the item's own file.
        let file = calls.first()?.place.file.clone();
        let calls: Vec<&ModuleCall> = calls
            .iter()
            .filter(|call| call.place.file == file)
            .collect();
        Some(CallHierarchyIncomingCall {
            from: context.module_item(&CalledModule { file, ..caller })?,
            from_ranges: context.ranges(&calls),
        })
    });
    Some(callers.chain(units).collect())
}

pub(crate) fn outgoing(
    context: &RequestContext,
    params: CallHierarchyItemParams,
) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let own = file_id(params.item.uri.as_str());
    let calls = context.snapshot.calls_of(&params.dir()?);
    let mut outgoing: Vec<(CalledModule, Vec<&ModuleCall>)> = Vec::new();
    for call in &calls {
        let Some(module) = &call.module else { continue };
        match outgoing.iter_mut().find(|(known, _)| known == module) {
            Some((_, calls)) => calls.push(call),
            None => outgoing.push((module.clone(), vec![call])),
        }
    }
    let outgoing = outgoing.into_iter().filter_map(|(module, calls)| {
        let here: Vec<&ModuleCall> = calls
            .into_iter()
            .filter(|it| it.place.file == own)
            .collect();
        Some(CallHierarchyOutgoingCall {
            to: context.module_item(&module)?,
            from_ranges: context.ranges(&here),
        })
    });
    Some(outgoing.collect())
}

/// `planlens.moduleCalls`: the calls in the module that a file belongs to.
pub(crate) fn calls(snapshot: &Snapshot, file: &FileId) -> Value {
    let module = snapshot.module_around(file, Default::default());
    let calls = module.map(|module| snapshot.calls_of(&module.dir));
    let calls = calls.unwrap_or_default().into_iter().map(|call| {
        json!({
            "name": title(&call.name),
            "source": call.source.as_deref().map(title),
            "version": call.version.as_deref().map(title),
            "uri": call.module.and_then(|module| uri(&module.file)),
        })
    });
    json!({ "moduleCalls": calls.collect::<Vec<_>>() })
}

/// `planlens.moduleCallers`: the modules that call the one that a file belongs to.
pub(crate) fn callers(snapshot: &Snapshot, file: &FileId) -> Value {
    let module = snapshot.module_around(file, Default::default());
    let callers = module.map(|module| snapshot.callers_of(&module.dir));
    let callers = callers
        .unwrap_or_default()
        .into_iter()
        .map(|(caller, calls)| {
            let names: Vec<_> = calls.iter().map(|call| title(&call.name)).collect();
            json!({ "uri": uri(&caller.file), "calls": names })
        });
    json!({ "callers": callers.collect::<Vec<_>>() })
}

impl RequestContext {
    fn module_item(&self, module: &CalledModule) -> Option<CallHierarchyItem> {
        let name = title(&module.dir.file_name()?.to_string_lossy());
        let range = self.range_in(&module.file, self.snapshot.whole_range(&module.file))?;
        Some(CallHierarchyItem {
            name,
            kind: SymbolKind::MODULE,
            tags: None,
            detail: Some(title(&module.dir.display().to_string())),
            uri: uri(&module.file)?,
            range,
            selection_range: Range::new(range.start, range.start),
            data: None,
        })
    }

    /// A unit of Terragrunt that uses a module, with the inputs that it gives.
    fn unit_call(&self, caller: &TerragruntCaller) -> Option<CallHierarchyIncomingCall> {
        let convert = Convert::of_text(&caller.text, &self.capabilities);
        let range = convert.range(caller.source);
        let unit = Path::new(caller.file.path()).parent()?.file_name()?;
        let from = CallHierarchyItem {
            name: title(&unit.to_string_lossy()),
            kind: SymbolKind::MODULE,
            tags: None,
            detail: Some(title(&caller.inputs.join(", "))),
            uri: uri(&caller.file)?,
            range,
            selection_range: range,
            data: None,
        };
        Some(CallHierarchyIncomingCall {
            from,
            from_ranges: vec![range],
        })
    }

    fn ranges(&self, calls: &[&ModuleCall]) -> Vec<Range> {
        let mut places = Places::new(self);
        let calls = calls.iter().map(|call| &call.place);
        calls
            .filter_map(|place| places.range_in(&place.file, place.range))
            .collect()
    }
}
