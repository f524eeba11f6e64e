//! Template files, in the words of Terraform 1.11.4.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::{EvalContext, FileKind, Files, Functions, Variables, evaluate};
use expect_test::{Expect, expect};
use syntax::parse_expression;

/// What is in the folder of the run.
const TEMPLATES: [(&str, &str); 5] = [
    (
        "list.tftpl",
        "Hello ${name}!\n%{ for x in list ~}\n- ${x}\n%{ endfor ~}\n",
    ),
    ("wrap.tftpl", "${list}"),
    ("nested.tftpl", "x ${templatefile(\"list.tftpl\", {})}"),
    ("wrong.tftpl", "line\n  ${upper([])} ${nope(1)}"),
    ("open.tftpl", "line\n  ${name"),
];

struct Folder;

impl Files for Folder {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let template = TEMPLATES
            .iter()
            .find(|(name, _)| Path::new("/run").join(name) == path);
        template
            .map(|(_, text)| text.as_bytes().to_vec())
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        self.read(path).map(|_| FileKind::File)
    }

    fn list(&self, _: &Path) -> io::Result<Vec<String>> {
        Ok(TEMPLATES
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect())
    }
}

fn check(source: &str, expected: Expect) {
    let functions = Functions {
        base_dir: PathBuf::from("/run"),
        files: Arc::new(Folder),
        ..Functions::without_surroundings()
    };
    let id = cty::Value::unknown(cty::Type::String);
    let context = EvalContext::new(Variables::from([("id".into(), id)]), &functions);
    let parsed = parse_expression(source);
    let evaluated = evaluate(&parsed.tree, &context);
    let problems = evaluated.problems.iter();
    let problems: String = problems
        .map(|problem| format!("\n{}: {}", problem.summary, problem.detail))
        .collect();
    expected.assert_eq(&format!("{:?}{problems}", evaluated.value));
}

#[test]
fn a_template_file_is_rendered_with_its_variables() {
    check(
        "templatefile(\"list.tftpl\", { name = \"x\", list = [\"p\", \"q\"] })",
        expect![[r#""Hello x!\n- p\n- q\n""#]],
    );
    check(
        "templatefile(\"wrap.tftpl\", { list = [1, \"a\"] })",
        expect![[r#"[1, "a"]"#]],
    );
    check(
        "templatefile(\"list.tftpl\", { name = sensitive(\"x\"), list = [] })",
        expect!["(sensitive)"],
    );
    check(
        "templatefile(\"list.tftpl\", { name = \"x\", list = [id] })",
        expect![[r#"unknown(string, not null, prefix "Hello x!")"#]],
    );
}

#[test]
fn mistakes_in_a_template_file_are_reported_with_their_place() {
    check(
        "templatefile(\"list.tftpl\", { name = \"x\" })",
        expect![[r#"
            unknown(any)
            Invalid function argument: Invalid value for "vars" parameter: vars map does not contain key "list", referenced at list.tftpl:2,13-17."#]],
    );
    check(
        "templatefile(\"nested.tftpl\", {})",
        expect![[r#"
        unknown(any)
        Error in function call: Call to function "templatefile" failed: nested.tftpl:1,5-18: Error in function call; Call to function "templatefile" failed: cannot recursively call templatefile from inside another template function.."#]],
    );
    check(
        "templatefile(\"wrong.tftpl\", {})",
        expect![[r#"
        unknown(any)
        Error in function call: Call to function "templatefile" failed: wrong.tftpl:2,11-13: Invalid function argument; Invalid value for "str" parameter: string required., and 1 other diagnostic(s)."#]],
    );
    check(
        "templatefile(\"open.tftpl\", { name = 1 })",
        expect![[r#"
            unknown(any)
            Error in function call: Call to function "templatefile" failed: open.tftpl:2,3-5: Unclosed template interpolation sequence; There is no closing brace for this interpolation sequence before the end of the file. This might be caused by incorrect nesting inside the given expression.."#]],
    );
    check(
        "templatefile(\"none.tftpl\", {})",
        expect![[r#"
        unknown(any)
        Invalid function argument: Invalid value for "path" parameter: no file exists at "none.tftpl"; this function works only with files that are distributed as part of the configuration source code, so if this file will be created by a resource in this configuration you must instead obtain this result from an attribute of that resource."#]],
    );
    check(
        "templatefile(\"list.tftpl\", [])",
        expect![[r#"
        unknown(any)
        Invalid function argument: Invalid value for "vars" parameter: invalid vars value: must be a map."#]],
    );
}
