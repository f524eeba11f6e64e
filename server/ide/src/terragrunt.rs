//! Terragrunt's files: `terragrunt.hcl`, `root.hcl` and `terragrunt.stack.hcl`, which call modules and each other by paths.

mod completion;
mod hover;
mod names;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::Files;
use disk::joined;
use smol_str::SmolStr;
use syntax::ast::{
    Attribute, Block, Call, Expr, ExprKind, Item, ObjectItem, ObjectKey, TemplatePart,
};
use text::{FileId, TextRange, TextSize};

use crate::Snapshot;
use crate::links::{Link, LinkTarget};

/// The files by which a folder is a unit or a stack, in the order in which they are looked for.
const UNITS: [&str; 2] = ["terragrunt.hcl", "terragrunt.stack.hcl"];

/// Whether a file is known by its name to be one of Terragrunt.
pub fn is_terragrunt(file: &FileId) -> bool {
    UNITS.contains(&file.name()) || file.name() == "root.hcl"
}

/// The text of a file of Terragrunt on disk.
pub fn terragrunt_text(file: &FileId, files: &dyn Files) -> Option<Arc<str>> {
    let syntax = files.parse(file.path()).ok();
    let syntax = syntax.filter(|_| is_terragrunt(file))?;
    Some(syntax.text().clone())
}

/// A file of Terragrunt that uses a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerragruntCaller {
    pub file: FileId,
    pub text: Arc<str>,
    /// Where it names the module.
    pub source: TextRange,
    /// The values that it gives to variables of the module, as they are written: those that are literal and no secret.
    pub inputs: Vec<String>,
}

impl Snapshot {
    /// The files of Terragrunt in the workspace that use the module in `dir` by its path.
    pub fn terragrunt_callers(&self, dir: &Path, files: &dyn Files) -> Vec<TerragruntCaller> {
        let mut found = Vec::new();
        self.visit_folders(files, &mut |folder, path, names| {
            let units = names.iter().filter(|name| UNITS.contains(&name.as_str()));
            for unit in units {
                let file = FileId::new(format!("{path}/{unit}"));
                let open = self.file(&file).and_then(|source| source.hcl().cloned());
                let syntax = open.or_else(|| files.parse(file.path()).ok());
                let paths = Paths { dir: folder, files };
                found.extend(syntax.and_then(|it| self.terragrunt_caller(file, &it, &paths, dir)));
            }
        });
        found
    }

    /// The names of a variable of the module in `dir` in the `inputs` of the units that use it.
    pub fn terragrunt_inputs(
        &self,
        dir: &Path,
        variable: &str,
        files: &dyn Files,
    ) -> Vec<(FileId, TextRange)> {
        let mut found = Vec::new();
        self.visit_folders(files, &mut |folder, path, names| {
            let units = names.iter().filter(|name| UNITS.contains(&name.as_str()));
            for unit in units {
                let file = FileId::new(format!("{path}/{unit}"));
                let Some(syntax) = self.syntax_of(&file, files) else {
                    continue;
                };
                let paths = Paths { dir: folder, files };
                let used = self.used_module(&syntax, &paths);
                if used.is_some_and(|used| used.dir == dir) {
                    let names = inputs(&syntax).filter(|(name, _)| name == variable);
                    found.extend(names.map(|(_, range)| (file.clone(), range)));
                }
            }
        });
        found
    }

    /// The module that a unit uses: by its own source, else by that of a file that it includes, where a relative path also
    /// starts at the unit.
    fn used_module(&self, unit: &syntax::File, paths: &Paths<'_>) -> Option<UsedModule> {
        let named = |(offset, source): (TextSize, &Expr)| {
            Some(UsedModule {
                dir: paths.module_folder(source)?,
                place: source.range + offset,
            })
        };
        let own = arguments(unit, "terraform", "source").find_map(named);
        own.or_else(|| {
            let mut included = arguments(unit, "include", "path");
            included.find_map(|(offset, path)| {
                let LinkTarget::File(file) = paths.included(path)?.target else {
                    return None;
                };
                let syntax = self.syntax_of(&file, paths.files)?;
                let used = arguments(&syntax, "terraform", "source").find_map(named)?;
                Some(UsedModule {
                    place: path.range + offset,
                    ..used
                })
            })
        })
    }

    fn terragrunt_caller(
        &self,
        file: FileId,
        syntax: &syntax::File,
        paths: &Paths<'_>,
        dir: &Path,
    ) -> Option<TerragruntCaller> {
        let variables = &self.known_modules().get(dir)?.module.variables;
        let text = syntax.text();
        let used = self.used_module(syntax, paths).filter(|it| it.dir == dir)?;
        let mut inputs = Vec::new();
        for segment in syntax.segments() {
            for item in &segment.parsed.items {
                match item {
                    Item::Attribute(attribute) if attribute.name.name == "inputs" => {
                        let ExprKind::Object(items) = &attribute.expr.kind else {
                            continue;
                        };
                        for (name, value) in items.iter().filter_map(literal) {
                            let variable = variables.get(name);
                            if variable.is_some_and(|it| !it.sensitive) {
                                let range = value + segment.offset;
                                let value = text.get(range.start().into()..range.end().into());
                                inputs.extend(value.map(|value| format!("{name} = {value}")));
                            }
                        }
                    }
                    Item::Block(_) | Item::Attribute(_) | Item::Member(_) => {}
                }
            }
        }
        Some(TerragruntCaller {
            file,
            source: used.place,
            text: text.clone(),
            inputs,
        })
    }

    /// Links to the files and folders that are named by literal paths and exist.
    pub(crate) fn terragrunt_links(&self, file: &FileId, files: &dyn Files) -> Vec<Link> {
        let Some((source, paths)) = self.hcl_file(file).zip(Paths::of(file, files)) else {
            return Vec::new();
        };
        let mut links = Vec::new();
        for segment in source.syntax().segments() {
            let before = links.len();
            for item in &segment.parsed.items {
                if let Item::Block(block) = item {
                    paths.of_block(block, &mut links);
                }
            }
            for link in &mut links[before..] {
                link.range += segment.offset;
            }
        }
        links
    }
}

/// The paths in a file of `dir`.
struct Paths<'a> {
    dir: &'a Path,
    files: &'a dyn Files,
}

impl<'a> Paths<'a> {
    fn of(file: &'a FileId, files: &'a dyn Files) -> Option<Paths<'a>> {
        let dir = Path::new(file.path()).parent()?;
        Some(Paths { dir, files })
    }

    fn of_block(&self, block: &Block, links: &mut Vec<Link>) {
        for attribute in &block.body.attributes {
            match (block.kind.name.as_str(), attribute.name.name.as_str()) {
                ("terraform", "source") => links.extend(self.module(attribute)),
                ("unit" | "stack", "source") | ("dependency", "config_path") => {
                    links.extend(self.unit(&attribute.expr));
                }
                ("dependencies", "paths") => {
                    if let ExprKind::Tuple(paths) = &attribute.expr.kind {
                        links.extend(paths.iter().filter_map(|path| self.unit(path)));
                    }
                }
                ("include", "path") => links.extend(self.included(&attribute.expr)),
                _ => {}
            }
        }
    }

    /// The folder that a module's source leads to: two slashes stand before the part that is used of what is copied.
    fn module_folder(&self, source: &Expr) -> Option<PathBuf> {
        self.folder(&self.path(source)?.replace("//", "/"))
    }

    /// The text of a path of literals and the functions that name files and folders.
    fn path(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Template(template) => {
                let parts = template.parts.iter().map(|part| match part {
                    TemplatePart::Literal(text, _) => Some(text.to_string()),
                    TemplatePart::Interpolation(inner) => self.path(inner),
                    TemplatePart::If(_) | TemplatePart::For(_) => None,
                });
                parts.collect()
            }
            ExprKind::TemplateWrap(inner) | ExprKind::Parens(inner) => self.path(inner),
            ExprKind::Call(call) => {
                let found = match call.name.as_str() {
                    "get_terragrunt_dir" | "get_original_terragrunt_dir" => self.dir.to_owned(),
                    "get_repo_root" => self.repository()?,
                    "find_in_parent_folders" => self.found_above(call)?.1,
                    "dirname" => joined(self.dir, &self.path(call.args.first()?)?)
                        .parent()?
                        .to_owned(),
                    _ => return None,
                };
                found.to_str().map(str::to_owned)
            }
            _ => None,
        }
    }

    /// The nearest folder above that is a repository. In a worktree of one `.git` is a file.
    fn repository(&self) -> Option<PathBuf> {
        let mut above = self.dir.ancestors();
        let found = above.find(|dir| {
            let folders = dir.to_str().and_then(|dir| self.files.folders(dir).ok());
            let is_folder = folders.is_some_and(|names| names.iter().any(|it| it == ".git"));
            is_folder || self.is_file(&dir.join(".git"))
        });
        found.map(Path::to_owned)
    }

    /// The nearest file above of the name that `find_in_parent_folders` has.
    fn found_above(&self, call: &Call) -> Option<(String, PathBuf)> {
        let name = match call.args.first() {
            Some(name) => name.as_literal_string()?.to_string(),
            None => UNITS[0].to_owned(),
        };
        let mut above = self.dir.ancestors().skip(1).map(|dir| dir.join(&name));
        let found = above.find(|file| self.is_file(file))?;
        Some((name, found))
    }

    fn module(&self, attribute: &Attribute) -> Option<Link> {
        let source = self.path(&attribute.expr)?;
        let dir = self.module_folder(&attribute.expr)?;
        let mut names = self.files.list(dir.to_str()?).ok()?;
        names.retain(|name| name.ends_with(".tf") || name.ends_with(".tofu"));
        names.sort_by_key(|name| !name.starts_with("main."));
        let file = dir.join(names.first()?);
        link(attribute.expr.range, &file, format!("Module {source}"))
    }

    /// The folder of another unit or stack.
    fn unit(&self, path: &Expr) -> Option<Link> {
        let text = path.as_literal_string()?;
        let dir = self.folder(&text)?;
        let names = self.files.list(dir.to_str()?).ok()?;
        let unit = UNITS
            .iter()
            .find(|unit| names.iter().any(|it| it == *unit))?;
        link(path.range, &dir.join(unit), format!("Unit {text}"))
    }

    /// A file by its path, or the nearest above by its name: `find_in_parent_folders("root.hcl")`.
    fn included(&self, path: &Expr) -> Option<Link> {
        if let Some(text) = path.as_literal_string() {
            let file = joined(self.dir, &text);
            return self
                .is_file(&file)
                .then(|| link(path.range, &file, text.to_string()))?;
        }
        let ExprKind::Call(call) = &path.kind else {
            return None;
        };
        if call.name != "find_in_parent_folders" {
            return None;
        }
        let (name, found) = self.found_above(call)?;
        link(path.range, &found, name)
    }

    fn folder(&self, path: &str) -> Option<PathBuf> {
        let is_local = ["./", "../", "/"]
            .iter()
            .any(|start| path.starts_with(start));
        is_local.then(|| joined(self.dir, path))
    }

    fn is_file(&self, file: &Path) -> bool {
        let dir = file.parent().and_then(Path::to_str);
        let names = dir.and_then(|dir| self.files.list(dir).ok());
        let name = file.file_name().and_then(|name| name.to_str());
        names.is_some_and(|names| names.iter().any(|it| Some(it.as_str()) == name))
    }
}

/// The module that a unit uses.
struct UsedModule {
    dir: PathBuf,
    /// The source, or the path of the file that has it.
    place: TextRange,
}

/// An argument in the top-level blocks of a kind, with the offsets that its ranges are relative to.
fn arguments<'a>(
    syntax: &'a syntax::File,
    kind: &'a str,
    argument: &'a str,
) -> impl Iterator<Item = (TextSize, &'a Expr)> {
    let blocks = names::blocks(syntax).filter(move |(_, it)| it.kind.name == kind);
    blocks.filter_map(move |(offset, it)| Some((offset, &*it.body.attribute(argument)?.expr)))
}

/// The names of the inputs of a unit.
fn inputs(syntax: &syntax::File) -> impl Iterator<Item = (SmolStr, TextRange)> {
    syntax.segments().flat_map(|segment| {
        let items = segment.parsed.items.iter();
        let objects = items.filter_map(|item| match item {
            Item::Attribute(attribute) if attribute.name.name == "inputs" => {
                match &attribute.expr.kind {
                    ExprKind::Object(items) => Some(items),
                    _ => None,
                }
            }
            Item::Block(_) | Item::Attribute(_) | Item::Member(_) => None,
        });
        let names = objects.flatten().filter_map(|item| match &item.key {
            ObjectKey::Name(name) => Some((name.name.clone(), name.range + segment.offset)),
            ObjectKey::Expr(_) => None,
        });
        names.collect::<Vec<_>>()
    })
}

/// An item whose value is written out.
fn literal(item: &ObjectItem) -> Option<(&SmolStr, TextRange)> {
    let ObjectKey::Name(name) = &item.key else {
        return None;
    };
    let is_literal = match &item.value.kind {
        ExprKind::Number(_) | ExprKind::Bool(_) => true,
        _ => item.value.as_quoted_string().is_some(),
    };
    is_literal.then_some((&name.name, item.value.range))
}

fn link(range: TextRange, file: &Path, tooltip: String) -> Option<Link> {
    Some(Link {
        range,
        target: LinkTarget::File(FileId::new(file.to_str()?)),
        tooltip,
    })
}
