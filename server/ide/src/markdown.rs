//! Text that an editor renders.

mod documentation;
mod escape;

use text::visible;

/// Text that an editor renders as Markdown, or shows as plain text where it knows no Markdown.
///
/// The constructors are the only way to make one. Whatever they are given, it loads nothing, runs nothing, holds no
/// HTML, and links only to `https` pages that a piece of documentation or planlens itself links to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Markdown(Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Heading(String),
    Code(String),
    CodeBlock {
        language: &'static str,
        code: String,
    },
    Diff(String),
    Documentation(String),
    Link {
        title: &'static str,
        page: String,
    },
}

impl Markdown {
    /// A paragraph that reads as it is written.
    pub fn text(text: impl Into<String>) -> Markdown {
        let text = text.into();
        Markdown::of(!text.trim().is_empty(), || Part::Text(text))
    }

    /// A paragraph in bold.
    pub fn heading(text: impl Into<String>) -> Markdown {
        let text = text.into();
        Markdown::of(!text.trim().is_empty(), || Part::Heading(text))
    }

    /// A paragraph of code on one line.
    pub fn code(code: impl Into<String>) -> Markdown {
        let code = code.into();
        Markdown::of(!code.trim().is_empty(), || Part::Code(code))
    }

    /// Code that is highlighted as a language.
    pub fn code_block(language: &'static str, code: impl Into<String>) -> Markdown {
        let code = code.into();
        Markdown(vec![Part::CodeBlock { language, code }])
    }

    /// Changes as `terraform plan` prints them.
    pub fn diff(diff: impl Into<String>) -> Markdown {
        Markdown(vec![Part::Diff(diff.into())])
    }

    /// Markdown of others: of the schema of a provider, of a description. Emphasis, code, lists, tables and `https`
    /// links stay. Images, HTML and other links do not: their text does.
    pub fn documentation(source: &str) -> Markdown {
        let source = documentation::cut(source);
        Markdown::of(!source.is_empty(), || Part::Documentation(source))
    }

    /// A link to a page. One that is not an `https` page is only text.
    pub fn link(title: &'static str, page: impl Into<String>) -> Markdown {
        let page = page.into();
        Markdown(vec![Part::Link { title, page }])
    }

    fn of(is_there: bool, part: impl FnOnce() -> Part) -> Markdown {
        Markdown(is_there.then(part).into_iter().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds paragraphs at the end.
    pub fn push(&mut self, more: Markdown) {
        self.0.extend(more.0);
    }

    /// Adds the paragraphs that it does not hold yet.
    pub(crate) fn push_new(&mut self, more: Markdown) {
        for part in more.0 {
            if !self.0.contains(&part) {
                self.0.push(part);
            }
        }
    }

    /// The common beginning, each one's own middle, and the common end.
    pub(crate) fn in_common(all: &[&Markdown]) -> (Markdown, Vec<Markdown>, Markdown) {
        let Some((first, others)) = all.split_first() else {
            return Default::default();
        };
        let parts = &first.0;
        let shortest = all.iter().map(|it| it.0.len()).min().unwrap_or_default();
        let starts = |count: &usize| others.iter().all(|it| it.0[..*count] == parts[..*count]);
        let start = (0..=shortest).rev().find(starts).unwrap_or_default();
        let last = |it: &Markdown, count: usize| it.0[it.0.len() - count..].to_vec();
        let ends = |count: &usize| {
            others
                .iter()
                .all(|it| last(it, *count) == last(first, *count))
        };
        let end = (0..=shortest - start).rev().find(ends).unwrap_or_default();
        let middle = |it: &&Markdown| Markdown(it.0[start..it.0.len() - end].to_vec());
        let middles = all.iter().map(middle).collect();
        (
            Markdown(parts[..start].to_vec()),
            middles,
            Markdown(last(first, end)),
        )
    }

    /// How many characters it has, roughly.
    pub(crate) fn len(&self) -> usize {
        self.to_plaintext().len()
    }

    pub fn to_markdown(&self) -> String {
        joined(self.0.iter().map(Part::to_markdown))
    }

    /// The text without links that planlens adds.
    pub fn to_plaintext(&self) -> String {
        joined(self.0.iter().map(Part::to_plaintext))
    }
}

impl Part {
    fn to_markdown(&self) -> String {
        match self {
            Part::Text(text) => escape::text(text),
            Part::Heading(text) => format!("**{}**", escape::line(text)),
            Part::Code(code) => escape::code(code),
            Part::CodeBlock { language, code } => escape::code_block(language, code),
            Part::Diff(diff) => escape::code_block("diff", &symbols_first(diff)),
            Part::Documentation(source) => documentation::render(source),
            Part::Link { title, page } => match escape::page(page) {
                Some(page) => format!("[{title}]({page})"),
                None => escape::line(page),
            },
        }
    }

    fn to_plaintext(&self) -> String {
        let text = match self {
            Part::Text(text)
            | Part::Heading(text)
            | Part::Code(text)
            | Part::CodeBlock { code: text, .. }
            | Part::Diff(text)
            | Part::Documentation(text) => text,
            Part::Link { .. } => "",
        };
        visible(text.trim_end()).into_owned()
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.filter(|it| !it.is_empty()).collect();
    parts.join("\n\n")
}

/// A plan with its symbols at the start of the line, where the highlighting of diffs looks for them.
fn symbols_first(diff: &str) -> String {
    let line = |line: &str| {
        let rest = line.trim_start_matches(' ');
        let indent = &line[..line.len() - rest.len()];
        let mut symbols = ["-/+ ", "+/- ", "+ ", "- ", "~ "].into_iter();
        match symbols.find(|symbol| rest.starts_with(symbol)) {
            Some(symbol) => format!("{symbol}{indent}{}", &rest[symbol.len()..]),
            None => line.to_owned(),
        }
    };
    diff.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_move_to_the_start_and_columns_stay() {
        let text = Markdown::diff(
            r#"  # fake_disk.a must be replaced
-/+ resource "fake_disk" "a" {
      ~ id   = "1" -> (known after apply)
        name = "a"
    }"#,
        );
        let expected = r#"```diff
  # fake_disk.a must be replaced
-/+ resource "fake_disk" "a" {
~       id   = "1" -> (known after apply)
        name = "a"
    }
```"#;
        assert_eq!(text.to_markdown(), expected);
    }

    #[test]
    fn a_fence_is_longer_than_the_backticks_in_it() {
        let code = "\n```\n![](https://evil.example/p.png)\n`````";
        assert_eq!(
            Markdown::code_block("terraform", code).to_markdown(),
            format!("``````terraform\n{code}\n``````")
        );
        assert_eq!(Markdown::code("a `` b`").to_markdown(), "``` a `` b` ```");
    }

    #[test]
    fn a_text_reads_as_it_is_written() {
        let text =
            Markdown::text("~> 5.0 of fake_disk.a[\"x\"] <b> *is* `![](https://x)` www.x.de &amp;");
        assert_eq!(
            text.to_markdown(),
            r#"~> 5.0 of fake_disk.a\["x"\] &lt;b> \*is\* &#96;!\[\](https\://x)&#96; www\.x.de &amp;amp;"#
        );
        assert_eq!(
            Markdown::text("# a\n- b\n1. c\n===").to_markdown(),
            "\\# a\n\\- b\n1\\. c\n\\==="
        );
    }

    #[test]
    fn a_link_leads_to_https_alone() {
        let link = |page: &str| Markdown::link("Documentation", page).to_markdown();
        assert_eq!(
            link("https://a.example/b_c"),
            "[Documentation](https://a.example/b_c)"
        );
        assert_eq!(
            link("https://a.example/b) ![](x"),
            "[Documentation](https://a.example/b%29%20!%5B%5D%28x)"
        );
        assert_eq!(link("command:x"), "command:x");
        assert_eq!(
            link("https://good.example@evil.example/"),
            r"https\://good.example\@evil.example/"
        );
    }
}
