//! Which modules of a crate use which, re-exports resolved, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules that `lib.rs` declares, each with what lies in it, and the modules that it names.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The modules of a crate that use each other, in as few groups as there are.
pub fn circles(src: &Path) -> Vec<BTreeSet<String>> {
    let uses = uses(src);
    let reached: BTreeMap<&String, BTreeSet<&String>> = uses
        .keys()
        .map(|module| (module, reach(&uses, module)))
        .collect();
    let mut circles: Vec<BTreeSet<String>> = Vec::new();
    for (module, others) in &reached {
        let is_known = circles.iter().any(|circle| circle.contains(*module));
        if others.contains(module) && !is_known {
            let same = others
                .iter()
                .filter(|other| reached[*other].contains(module));
            circles.push(same.map(|it| it.to_string()).collect());
        }
    }
    circles
}

/// What a module uses, directly or through others.
fn reach<'a>(uses: &'a Uses, module: &str) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut left: Vec<&String> = uses[module].iter().collect();
    while let Some(next) = left.pop() {
        if found.insert(next) {
            left.extend(&uses[next]);
        }
    }
    found
}

fn uses(src: &Path) -> Uses {
    let lib = code(&src.join("lib.rs"));
    let mut modules: Uses = lib
        .lines()
        .filter_map(|line| line.trim_end().strip_suffix(';')?.split_once("mod "))
        .map(|(_, name)| (name.to_owned(), BTreeSet::new()))
        .collect();
    // Names at the top of the crate that stand for something in a module.
    let mut exported = BTreeMap::new();
    for path in lib
        .match_indices("pub use ")
        .chain(lib.match_indices("pub(crate) use "))
    {
        for path in paths(tree(&lib[path.0 + path.1.len()..])) {
            let path: Vec<_> = path
                .into_iter()
                .filter(|it| *it != "self" && *it != "crate")
                .collect();
            if let [first, .., last] = path.as_slice()
                && modules.contains_key(*first)
            {
                exported.insert(last.to_string(), first.to_string());
            }
        }
    }
    for name in modules.keys().cloned().collect::<Vec<_>>() {
        let mut named = BTreeSet::new();
        visit(&src.join(format!("{name}.rs")), 1, &mut named);
        visit(&src.join(&name), 2, &mut named);
        let known = named
            .iter()
            .filter_map(|it| match modules.contains_key(it) {
                true => Some(it),
                false => exported.get(it),
            });
        let known: BTreeSet<String> = known.filter(|it| **it != name).cloned().collect();
        modules.insert(name, known);
    }
    modules
}

/// Collects what files name at the top of their crate. `depth` is that of the module that a file is.
fn visit(path: &Path, depth: usize, named: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let depth = depth + usize::from(path.is_dir());
            match path.file_stem().and_then(|it| it.to_str()) {
                Some("tests") => {}
                Some("mod") => visit(&path, depth - 1, named),
                _ => visit(&path, depth, named),
            }
        }
    } else if path.exists() {
        let code = code(path);
        for start in ["crate::", "super::"] {
            for (at, _) in code.match_indices(start) {
                let is_inside =
                    code[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_' || it == ':');
                if is_inside {
                    continue;
                }
                for path in paths(tree(&code[at..])) {
                    let above = path.iter().take_while(|it| **it == "super").count();
                    let top = match path.first() {
                        Some(&"crate") => path.get(1),
                        _ if above == depth => path.get(above),
                        _ => None,
                    };
                    named.extend(top.map(|it| it.to_string()));
                }
            }
        }
    }
}

/// The code of a file without its tests, comments and strings.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let mut code = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        code.extend(line.split('"').step_by(2));
        code.push('\n');
    }
    code
}

/// The text of a path or of a tree of paths at the begin of `code`.
fn tree(code: &str) -> &str {
    let mut depth = 0;
    let end = code.find(|it: char| {
        match it {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        let is_part = it.is_alphanumeric() || "_:{}".contains(it) || depth > 0;
        !is_part || depth < 0
    });
    &code[..end.unwrap_or(code.len())]
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<Vec<&str>> {
    let Some((before, inside)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or_default();
        let steps = name.split("::").map(str::trim).filter(|it| !it.is_empty());
        return vec![steps.collect()];
    };
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    let prefix: Vec<&str> = before
        .split("::")
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    let mut depth = 0;
    let separated = inside.split(|it| {
        match it {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        it == ',' && depth == 0
    });
    separated
        .filter(|part| !part.trim().is_empty())
        .flat_map(|part| paths(part.trim()))
        .map(|rest| [prefix.clone(), rest].concat())
        .collect()
}
