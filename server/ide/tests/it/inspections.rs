//! What other editors inspect: each of JetBrains' inspections for Terraform is told here, by a code of ours.

use crate::support::Opened;

#[test]
fn inspections_of_jetbrains_are_covered() {
    let output = |value: &str| format!("output \"x\" {{\n  value = {value}\n}}\n");
    let thing = |inside: &str| {
        format!("resource \"fake_thing\" \"a\" {{\n  name = \"a\"\n  {inside}\n}}\n")
    };
    let data = |inside: &str| format!("resource \"terraform_data\" \"a\" {{\n  {inside}\n}}\n");
    let values = "variable \"n\" {\n  type = number\n}\n";
    let cases = [
        (
            "conflicting properties",
            data("count = 1\n  for_each = {}"),
            "invalid-combination",
        ),
        (
            "deprecated properties",
            thing("capacity = 1"),
            "deprecated-argument",
        ),
        (
            "deprecated blocks",
            thing("legacy {\n  }"),
            "deprecated-block",
        ),
        (
            "duplicated output",
            output("1") + &output("2"),
            "duplicate-declaration",
        ),
        (
            "duplicated property",
            thing("size = 1\n  size = 2"),
            "syntax",
        ),
        (
            "duplicated provider",
            "provider \"fake\" {}\nprovider \"fake\" {}\n".into(),
            "duplicate-declaration",
        ),
        (
            "duplicated variable",
            values.repeat(2),
            "duplicate-declaration",
        ),
        (
            "HIL expression can be converted to HCL2",
            output("\"${1 + 2}\""),
            "interpolation-only",
        ),
        (
            "illegal interpolation",
            "variable \"x\" {\n  default = \"${path.module}\"\n}\n".into(),
            "variables-not-allowed",
        ),
        (
            "incorrect .tfvars content: type",
            format!("#- /a.tfvars\nn = []\n#- /main.tf\n{values}"),
            "invalid-variable-value",
        ),
        (
            "incorrect .tfvars content: name",
            format!("#- /a.tfvars\nm = 1\n#- /main.tf\n{values}"),
            "undeclared-variable",
        ),
        (
            "incorrect .tfvars content: block",
            format!("#- /a.tfvars\nm {{\n}}\n#- /main.tf\n{values}"),
            "unexpected-block",
        ),
        (
            "incorrect variable type",
            "variable \"x\" {\n  type = strong\n}\n".into(),
            "invalid-type",
        ),
        (
            "invalid block names",
            "variable \"a b\" {\n}\n".into(),
            "invalid-name",
        ),
        ("invalid string literal", output("\"\\q\""), "syntax"),
        ("invalid number literal", output("1.2.3"), "syntax"),
        (
            "module directory isn't initialized",
            "module \"x\" {\n  source = \"acme/vpc/aws\"\n}\n".into(),
            "module-not-installed",
        ),
        (
            "missing required property",
            "resource \"fake_thing\" \"a\" {\n}\n".into(),
            "missing-argument",
        ),
        (
            "operation argument type mismatch",
            output("1 + \"a\""),
            "invalid-operand",
        ),
        (
            "suboptimal expression: conditional",
            output("path.module == \"\" ? true : false"),
            "redundant-conditional",
        ),
        (
            "suboptimal expression: comparison",
            output("(1 < 2) == true"),
            "comparison-with-bool",
        ),
        (
            "suboptimal expression: negation",
            output("!(1 == 2)"),
            "negated-comparison",
        ),
        (
            "unavailable scope: each",
            output("each.key"),
            "each-without-for-each",
        ),
        (
            "unavailable scope: count",
            output("count.index"),
            "count-without-count",
        ),
        ("unavailable scope: self", output("self.id"), "invalid-self"),
        (
            "unknown block type",
            "resourc \"a\" \"b\" {\n}\n".into(),
            "unsupported-block",
        ),
        (
            "unknown property",
            thing("colour = 1"),
            "unsupported-argument",
        ),
        (
            "unknown resource type",
            "resource \"fake_thign\" \"a\" {\n}\n".into(),
            "unknown-resource-type",
        ),
        (
            "unknown resource types referenced",
            output("fake_thign.a.id"),
            "undeclared-reference",
        ),
        (
            "unresolved module",
            "module \"x\" {\n  source = \"./nowhere\"\n}\n".into(),
            "module-not-installed",
        ),
        (
            "unresolved reference",
            output("var.x"),
            "undeclared-reference",
        ),
    ];
    let mut missing = Vec::new();
    for (inspection, text, code) in cases {
        let opened = Opened::new(&text);
        if !opened
            .diagnostics()
            .iter()
            .any(|it| it.diagnostic.code == code)
        {
            missing.push(format!("{inspection}: no {code} in\n{}", opened.shown()));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
