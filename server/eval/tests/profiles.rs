//! What an expression gives under the language of each product and release.

use config::Profile;
use cty::{Type, Value};
use eval::{EvalContext, Functions, Variables, evaluate, functions};
use expect_test::{Expect, expect};

const OLD: Profile = Profile::terraform(1, 5, 7);
const NEW: Profile = Profile::NEWEST_TERRAFORM;
const TOFU: Profile = Profile::NEWEST_OPENTOFU;

/// Shows the value of each expression, or the summary and detail of its first problem. `unknown` is an unknown string, and
/// `object` is an unknown object with an attribute `name`.
fn check(cases: &[(Profile, &str)], want: Expect) {
    let lines = cases.iter().map(|(profile, source)| {
        let functions = Functions {
            profile: *profile,
            ..Functions::without_surroundings()
        };
        let parsed = syntax::parse_expression(source);
        let unknown = Value::unknown(Type::String).refine_not_null();
        let object = Value::unknown(Type::object([("name", Type::String)]));
        let variables = Variables::from([("unknown".into(), unknown), ("object".into(), object)]);
        let evaluated = evaluate(&parsed.tree, &EvalContext::new(variables, &functions));
        match evaluated.problems.first() {
            Some(problem) => format!(
                "{profile} {source}\n  {}: {}\n",
                problem.summary, problem.detail
            ),
            None => format!("{profile} {source}\n  {:?}\n", evaluated.value),
        }
    });
    want.assert_eq(&lines.collect::<String>());
}

#[test]
fn each_release_has_its_functions() {
    check(
        &[
            (OLD, r#"templatestring("a", {})"#),
            (OLD, r#"core::upper("a")"#),
            (NEW, r#"core::upper("a")"#),
            (NEW, r#"urldecode("+")"#),
            (OLD, "convert([1], set(number))"),
            (NEW, r#"convert(["1", 2, 1], set(number))"#),
            (NEW, r#"convert("a", number)"#),
            (NEW, r#"convert("a", nmber)"#),
            (NEW, "convert(1)"),
            (NEW, "convert(1, number, 2)"),
            (
                NEW,
                r#"convert({ a = 1 }, object({ a = string, b = optional(string, "d") }))"#,
            ),
        ],
        expect![[r#"
            Terraform 1.5.7 templatestring("a", {})
              Call to unknown function: The function "templatestring" was added in Terraform 1.9; this configuration is for Terraform 1.5.
            Terraform 1.5.7 core::upper("a")
              Call to unknown function: The function "core::upper" was added in Terraform 1.8; this configuration is for Terraform 1.5.
            Terraform 1.15.3 core::upper("a")
              "A"
            Terraform 1.15.3 urldecode("+")
              Call to unknown function: The function "urldecode" is only in OpenTofu, since 1.7; this configuration is for Terraform 1.15.
            Terraform 1.5.7 convert([1], set(number))
              Call to unknown function: The function "convert" was added in Terraform 1.15; this configuration is for Terraform 1.5.
            Terraform 1.15.3 convert(["1", 2, 1], set(number))
              set[1, 2]
            Terraform 1.15.3 convert("a", number)
              Invalid function argument: Invalid value for "value" parameter: a number is required.
            Terraform 1.15.3 convert("a", nmber)
              Invalid type specification: The keyword "nmber" is not a valid type specification.
            Terraform 1.15.3 convert(1)
              Not enough function arguments: Function "convert" expects 2 argument(s). Missing value for "type".
            Terraform 1.15.3 convert(1, number, 2)
              Too many function arguments: Function "convert" expects only 2 argument(s).
            Terraform 1.15.3 convert({ a = 1 }, object({ a = string, b = optional(string, "d") }))
              {"a": "1", "b": "d"}
        "#]],
    );
    let count = |profile| functions::names(profile).count();
    assert_eq!([count(OLD), count(NEW), count(TOFU)], [115, 119, 121]);
}

#[test]
fn functions_of_opentofu_reverse_their_counterparts() {
    let cases = [
        r#"cidrcontains("10.0.0.0/8", "10.1.0.0/16")"#,
        r#"cidrcontains("10.1.0.0/16", "10.0.0.0/8")"#,
        r#"cidrcontains("10.0.0.0/8", "11.0.0.1")"#,
        r#"cidrcontains("10.0.0.0/8", "::1")"#,
        r#"cidrcontains("10.0.0.0/8", "x")"#,
        r#"cidrcontains("10.0.0.0", "10.0.0.1")"#,
        r#"urldecode("a+b%2B%C3%BC")"#,
        r#"urldecode(urlencode("grüße & küsse"))"#,
        r#"urldecode("%G1")"#,
        r#"urldecode("%2")"#,
        r#"urldecode("%ff")"#,
        r#"base64gunzip(base64gzip("grüße"))"#,
        r#"base64gunzip(sensitive(base64gzip("a")))"#,
        r#"base64gunzip("aGVsbG8=")"#,
        r#"base64gunzip("?")"#,
        r#"base64gunzip(sensitive("?"))"#,
    ];
    check(
        &cases.map(|source| (TOFU, source)),
        expect![[r#"
            OpenTofu 1.12.6 cidrcontains("10.0.0.0/8", "10.1.0.0/16")
              true
            OpenTofu 1.12.6 cidrcontains("10.1.0.0/16", "10.0.0.0/8")
              false
            OpenTofu 1.12.6 cidrcontains("10.0.0.0/8", "11.0.0.1")
              false
            OpenTofu 1.12.6 cidrcontains("10.0.0.0/8", "::1")
              Error in function call: Call to function "cidrcontains" failed: address family mismatch: 10.0.0.0/8 vs. ::1.
            OpenTofu 1.12.6 cidrcontains("10.0.0.0/8", "x")
              Error in function call: Call to function "cidrcontains" failed: invalid IP address or prefix: x.
            OpenTofu 1.12.6 cidrcontains("10.0.0.0", "10.0.0.1")
              Error in function call: Call to function "cidrcontains" failed: invalid CIDR address: 10.0.0.0.
            OpenTofu 1.12.6 urldecode("a+b%2B%C3%BC")
              "a b+ü"
            OpenTofu 1.12.6 urldecode(urlencode("grüße & küsse"))
              "grüße & küsse"
            OpenTofu 1.12.6 urldecode("%G1")
              Error in function call: Call to function "urldecode" failed: failed to decode URL '': invalid URL escape "%G1".
            OpenTofu 1.12.6 urldecode("%2")
              Error in function call: Call to function "urldecode" failed: failed to decode URL '': invalid URL escape "%2".
            OpenTofu 1.12.6 urldecode("%ff")
              unknown(string, not null)
            OpenTofu 1.12.6 base64gunzip(base64gzip("grüße"))
              "grüße"
            OpenTofu 1.12.6 base64gunzip(sensitive(base64gzip("a")))
              (sensitive)
            OpenTofu 1.12.6 base64gunzip("aGVsbG8=")
              Error in function call: Call to function "base64gunzip" failed: failed to gunzip bytestream: unexpected EOF.
            OpenTofu 1.12.6 base64gunzip("?")
              Error in function call: Call to function "base64gunzip" failed: failed to decode base64 data "?".
            OpenTofu 1.12.6 base64gunzip(sensitive("?"))
              Error in function call: Call to function "base64gunzip" failed: failed to decode base64 data (sensitive value).
        "#]],
    );
}

#[test]
fn functions_follow_the_release() {
    let merged = r#"yamldecode("a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: [*a, *b]}")"#;
    check(
        &[
            (OLD, r#"nonsensitive("a")"#),
            (NEW, r#"nonsensitive("a")"#),
            (Profile::opentofu(1, 11, 0), merged),
            (TOFU, merged),
            (OLD, r#"element(["a", "b"], -1)"#),
            (NEW, r#"element(["a", "b"], -1)"#),
            (Profile::TERRAFORM_1_11, r#"element(["a", "b"], -1)"#),
            (Profile::TERRAFORM_1_11, r#"element(["a", "b"], -2)"#),
            (
                Profile::TERRAFORM_1_11,
                r#"element(tolist(["a", "b"]), -1)"#,
            ),
            (Profile::TERRAFORM_1_11, r#"format("<%v>", null)"#),
            (NEW, r#"format("<%v>", null)"#),
            (NEW, "issensitive(sensitive(unknown))"),
            (TOFU, "issensitive(sensitive(unknown))"),
            (Profile::opentofu(1, 10, 0), "issensitive(unknown)"),
            (TOFU, r#"templatestring("$${a}", { a = [1] })"#),
            (NEW, r#"templatestring("$${a}", { a = [1] })"#),
        ],
        expect![[r#"
            Terraform 1.5.7 nonsensitive("a")
              Invalid function argument: Invalid value for "value" parameter: the given value is not sensitive, so this call is redundant.
            Terraform 1.15.3 nonsensitive("a")
              "a"
            OpenTofu 1.11.0 yamldecode("a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: [*a, *b]}")
              Error in function call: Call to function "yamldecode" failed: cannot merge tuple into mapping.
            OpenTofu 1.12.6 yamldecode("a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: [*a, *b]}")
              {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 2}}
            Terraform 1.5.7 element(["a", "b"], -1)
              Error in function call: Call to function "element" failed: cannot use element function with a negative index.
            Terraform 1.15.3 element(["a", "b"], -1)
              "b"
            Terraform 1.11.4 element(["a", "b"], -1)
              Error in function call: Call to function "element" failed: panic in function implementation: runtime error: index out of range [-1].
            Terraform 1.11.4 element(["a", "b"], -2)
              "a"
            Terraform 1.11.4 element(tolist(["a", "b"]), -1)
              "b"
            Terraform 1.11.4 format("<%v>", null)
              unknown(any)
            Terraform 1.15.3 format("<%v>", null)
              "<null>"
            Terraform 1.15.3 issensitive(sensitive(unknown))
              true
            OpenTofu 1.12.6 issensitive(sensitive(unknown))
              unknown(bool, not null)
            OpenTofu 1.10.0 issensitive(unknown)
              false
            OpenTofu 1.12.6 templatestring("$${a}", { a = [1] })
              [1]
            Terraform 1.15.3 templatestring("$${a}", { a = [1] })
              Invalid function argument: Invalid value for "template" parameter: invalid template expression: templatestring is only for rendering templates retrieved dynamically from elsewhere, and so does not support providing a literal template; consider using a template string expression instead.
        "#]],
    );
}

#[test]
fn operators_follow_the_release() {
    check(
        &[
            (Profile::TERRAFORM_1_11, "false && unknown == \"a\""),
            (Profile::terraform(1, 12, 0), "false && unknown == \"a\""),
            (Profile::opentofu(1, 9, 0), "true || [][0]"),
            (Profile::opentofu(1, 10, 0), "true || [][0]"),
            (
                Profile::terraform(1, 9, 0),
                "true ? \"a\" : sensitive(\"b\")",
            ),
            (
                Profile::terraform(1, 10, 0),
                "true ? \"a\" : sensitive(\"b\")",
            ),
            (OLD, "unknown == null"),
            (Profile::terraform(1, 6, 0), "unknown == null"),
            (OLD, "\"https://${unknown}\" == \"ftp://a\""),
            (NEW, "\"https://${unknown}\" == \"ftp://a\""),
            (Profile::terraform(1, 12, 0), "object[\"nam\"]"),
            (Profile::terraform(1, 13, 0), "object[\"nam\"]"),
            (Profile::terraform(1, 13, 0), "object[\"name\"]"),
            (TOFU, "object[\"nam\"]"),
        ],
        expect![[r#"
            Terraform 1.11.4 false && unknown == "a"
              unknown(bool, not null)
            Terraform 1.12.0 false && unknown == "a"
              false
            OpenTofu 1.9.0 true || [][0]
              Invalid index: The given key does not identify an element in this collection value: the collection has no elements.
            OpenTofu 1.10.0 true || [][0]
              true
            Terraform 1.9.0 true ? "a" : sensitive("b")
              "a"
            Terraform 1.10.0 true ? "a" : sensitive("b")
              (sensitive)
            Terraform 1.5.7 unknown == null
              unknown(bool)
            Terraform 1.6.0 unknown == null
              false
            Terraform 1.5.7 "https://${unknown}" == "ftp://a"
              unknown(bool)
            Terraform 1.15.3 "https://${unknown}" == "ftp://a"
              false
            Terraform 1.12.0 object["nam"]
              unknown(any)
            Terraform 1.13.0 object["nam"]
              Invalid index: The given key does not identify an element in this collection value. Did you mean "name"?
            Terraform 1.13.0 object["name"]
              unknown(string)
            OpenTofu 1.12.6 object["nam"]
              unknown(any)
        "#]],
    );
}
