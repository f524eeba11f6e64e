//! Files of Pulumi projects in YAML, as the editor has them.

use std::any::Any;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::features::tokens;
use disk::Limit;
use ide::{Language, Parsed, Segments, SemanticToken, TextSegment};
use text::{Document, FileId, SegmentId, Span, TextRange, TextSize, line_breaks};

/// The YAML of Pulumi projects.
#[derive(Debug)]
pub(crate) struct PulumiYaml;

#[derive(Debug)]
pub(crate) struct YamlFile {
    pub file: yaml::File,
    offsets: HashMap<SegmentId, (TextSize, bool)>,
}

/// The purpose of a file, by its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FilePurpose {
    /// The project, with its program unless that lies beside it.
    Project,
    /// A program beside its project.
    Program,
    /// The configuration of this stack.
    Stack(String),
}

impl FilePurpose {
    pub(crate) fn of(file: &FileId) -> Option<FilePurpose> {
        let name = file.name();
        if name == "Main.yaml" {
            return Some(FilePurpose::Program);
        }
        let stem = name.strip_prefix("Pulumi.")?;
        let stack = match stem {
            "yaml" | "yml" => return Some(FilePurpose::Project),
            _ => stem.strip_suffix(".yaml").or(stem.strip_suffix(".yml"))?,
        };
        Some(FilePurpose::Stack(stack.to_owned()))
    }
}

/// The folder of the project that a file belongs to.
pub(crate) fn project_of(
    file: &FileId,
    is_file: &dyn Fn(&Path) -> bool,
) -> Option<std::path::PathBuf> {
    /// Programs and configuration of stacks lie this deep in their project.
    const DEPTH: usize = 4;
    let dir = Path::new(file.path()).parent()?;
    let has_project = |dir: &&Path| {
        let names = ["Pulumi.yaml", "Pulumi.yml"];
        names.iter().any(|name| is_file(&dir.join(name)))
    };
    let found = dir.ancestors().take(DEPTH).find(has_project)?;
    Some(found.to_owned())
}

/// Why a file of so many bytes and line breaks is not read while somebody edits. The longest that people write have a tenth.
fn too_long(bytes: usize, breaks: usize) -> Option<String> {
    const MAX_LINES: usize = 60_000;
    (bytes as u64 > Limit::DOCUMENT.bytes() || breaks >= MAX_LINES).then(|| {
        format!(
            "Document too long: planlens does not read a file of a Pulumi project of more than {} or {MAX_LINES} lines while you edit it.",
            Limit::DOCUMENT
        )
    })
}

/// The same of a text.
pub(crate) fn text_too_long(text: &str) -> Option<String> {
    too_long(text.len(), line_breaks(text))
}

/// A text as [`PulumiYaml`] reads a document.
pub(crate) fn read(text: &str) -> yaml::File {
    match text_too_long(text) {
        Some(why) => yaml::File::unread(text.lines().next().unwrap_or_default(), &why),
        None => yaml::File::parse(text),
    }
}

impl Language for PulumiYaml {
    /// All YAML, of which nothing is said unless it is a project's.
    fn takes(&self, file: &FileId) -> bool {
        let name = file.name();
        name.ends_with(".yaml") || name.ends_with(".yml")
    }

    fn parse(
        &self,
        _file: &FileId,
        document: &Document,
        earlier: Option<(&Document, &dyn Parsed)>,
    ) -> Arc<dyn Parsed> {
        let earlier = earlier.and_then(|(_, parsed)| YamlFile::of(parsed));
        let file = match too_long(document.len(), document.line_count() - 1) {
            Some(why) => yaml::File::unread(&document.first_line(), &why),
            None => {
                let earlier = earlier.map(|it| it.file.clone()).unwrap_or_default();
                earlier.reparse(&document.text()).0
            }
        };
        let offsets = file.segments();
        let offsets = offsets.map(|it| (it.id, (it.offset, it.parsed.is_broken)));
        Arc::new(YamlFile {
            offsets: offsets.collect(),
            file,
        })
    }
}

impl YamlFile {
    pub(crate) fn of(parsed: &dyn Parsed) -> Option<&YamlFile> {
        let parsed: &dyn Any = parsed;
        parsed.downcast_ref()
    }
}

impl Parsed for YamlFile {
    fn segments(&self) -> Segments<'_> {
        Box::new(self.file.segments().map(|segment| TextSegment {
            id: segment.id,
            offset: segment.offset,
            text: &segment.parsed.text,
        }))
    }

    fn resolve(&self, span: &Span) -> Option<TextRange> {
        let (offset, _) = self.offsets.get(&span.segment)?;
        Some(span.range + *offset)
    }

    fn is_broken(&self, segment: SegmentId) -> bool {
        self.offsets.get(&segment).is_some_and(|(_, it)| *it)
    }

    fn tokens(&self, segment: &TextSegment<'_>) -> Vec<SemanticToken> {
        let found = self.file.segment(segment.id);
        found.map_or_else(Vec::new, |it| tokens::tokens(it.parsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_decide_roles() {
        let role = |name: &str| FilePurpose::of(&FileId::new(format!("/shop/{name}")));
        assert_eq!(role("Pulumi.yaml"), Some(FilePurpose::Project));
        assert_eq!(role("Pulumi.yml"), Some(FilePurpose::Project));
        assert_eq!(role("Main.yaml"), Some(FilePurpose::Program));
        assert_eq!(
            role("Pulumi.dev.yaml"),
            Some(FilePurpose::Stack("dev".to_owned()))
        );
        for other in ["main.tf", "values.yaml", "Pulumi", "PulumiPlugin.yaml"] {
            assert_eq!(role(other), None, "{other}");
        }
        // An editor may send other YAML, too: it is not HCL.
        let takes = |name: &str| PulumiYaml.takes(&FileId::new(format!("/shop/{name}")));
        assert!(takes("main.yml") && takes("Pulumi.yaml") && !takes("main.tf"));
    }
}
