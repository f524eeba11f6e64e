//! Files with values of variables: blocks, names that are not declared, and values of a wrong type.

use std::collections::HashSet;

use config::{Expr, Origin};
use eval::variables::{InputValue, final_value};
use smol_str::SmolStr;
use text::{Diagnostic, FileId, Span, did_you_mean};

use super::{Checked, Checks};

/// Checks one file as if the root module were given it.
pub(super) fn check(checked: &Checked<'_>, id: &FileId, file: &syntax::File, found: &mut Checks) {
    let module = checked.tree.root();
    // Without a module there is nothing to be wrong about.
    if module.files.is_empty() {
        return;
    }
    let span = |segment, range| Span {
        file: id.clone(),
        segment,
        range,
    };
    for (segment, block) in file.body().blocks() {
        let at = span(segment, block.header_range);
        found.add(plan::misplaced_block(block, id.name(), at));
    }
    let mut names = HashSet::new();
    for (segment, attribute) in file.body().attributes() {
        let name = &attribute.name.name;
        let at = span(segment, attribute.name.range);
        if !names.insert(name) {
            continue;
        }
        let Some(variable) = module.variables.get(name) else {
            // A name without an equals sign is still being typed.
            if attribute.equals.is_some() {
                found.add(undeclared(checked, name, id, at));
            }
            continue;
        };
        let origin = Origin {
            file: id.clone(),
            segment,
        };
        let given = InputValue::File(Expr::new(&origin, attribute.expr.clone()));
        let problems = final_value(variable, Some(&given)).1.into_iter();
        let is_here = |it: &Diagnostic| it.subject.as_ref().is_some_and(|it| it.file == *id);
        found.extend(problems.filter(is_here));
    }
}

/// As loading reports it of files that a plan reads, with a suggestion.
fn undeclared(checked: &Checked<'_>, name: &SmolStr, id: &FileId, at: Span) -> Diagnostic {
    let known = checked.tree.root().variables.keys().map(SmolStr::as_str);
    let hint = did_you_mean(name, known);
    let detail = format!(
        "The root module does not declare a variable named {name:?} but a value was found in file {:?}. If you meant to use this value, add a \"variable\" block to the configuration.{hint}",
        id.name()
    );
    let summary = "Value for undeclared variable";
    Diagnostic::warning("undeclared-variable", summary, detail, at).with_fault(hint)
}
