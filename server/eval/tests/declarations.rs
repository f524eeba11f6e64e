//! Variables, their validation, and count and for_each: configuration in, values and diagnostics out. The words are
//! those of Terraform 1.11.4, save that places stand beside a message and not in it.

use std::io;
use std::sync::Arc;

use config::{Files, Module, ModuleAddr, ModuleCache, load_module};
use cty::{Mark, Type, Value};
use eval::variables::{InputValue, final_value, marked, validate};
use eval::{EvalContext, Expansion, Functions, Variables, expand};
use expect_test::{Expect, expect};
use text::{Diagnostic, Span};

struct OneFile(&'static str);

impl Files for OneFile {
    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(vec!["main.tf".into()])
    }

    fn read(&self, _: &str) -> io::Result<Arc<str>> {
        Ok(self.0.into())
    }
}

struct Source {
    text: &'static str,
    module: Arc<Module>,
}

impl Source {
    fn new(text: &'static str) -> Source {
        let files = OneFile(text);
        let root = ModuleAddr::default();
        let (module, _) = load_module(&files, &mut ModuleCache::default(), "/", &root);
        Source { text, module }
    }

    fn at(&self, span: &Span) -> String {
        let file = self.module.files.get(&span.file).expect("the file");
        let range = file.resolve(span).expect("a place in it");
        self.text[std::ops::Range::<usize>::from(range)]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn show(&self, diagnostics: &[Diagnostic]) -> String {
        let line = |diagnostic: &Diagnostic| {
            let place = diagnostic
                .subject
                .as_ref()
                .map_or("nowhere".into(), |span| self.at(span));
            let related = diagnostic.related.iter();
            let related = related
                .map(|related| format!("\n  {}: `{}`", related.message, self.at(&related.span)));
            let related: String = related.collect();
            format!(
                "\n{}: {}\n  at `{place}`{related}",
                diagnostic.summary, diagnostic.detail
            )
        };
        diagnostics.iter().map(line).collect()
    }
}

fn env(text: &str) -> Option<InputValue> {
    Some(InputValue::Environment(text.into()))
}

fn cli(text: &str) -> Option<InputValue> {
    Some(InputValue::CommandLine(text.into()))
}

/// The only variable of the text; a local value `given` stands for an argument of a tfvars file.
fn check_variable(text: &'static str, given: Option<InputValue>, expected: Expect) {
    let source = Source::new(text);
    let variable = source.module.variables.values().next().expect("a variable");
    let local = source.module.locals.get("given");
    let given = given.or(local.map(|local| InputValue::File(local.value.clone())));
    let (value, mut diagnostics) = final_value(variable, given.as_ref());
    let functions = Functions::without_surroundings();
    let var = Value::object([(variable.name.text.clone(), marked(variable, &value))]);
    let context = EvalContext::new(Variables::from([("var".into(), var)]), &functions);
    diagnostics.extend(validate(variable, given.as_ref(), &context));
    expected.assert_eq(&format!("{value:?}{}", source.show(&diagnostics)));
}

#[test]
fn a_given_value_goes_before_the_default() {
    let text = "variable \"v\" {\n  type    = number\n  default = 1\n}\n";
    check_variable(text, None, expect!["1"]);
    check_variable(text, env("2"), expect!["2"]);
}

#[test]
fn text_is_taken_as_it_is_unless_the_type_has_parts() {
    check_variable(
        "variable \"v\" {}\n",
        env("[\"x\"]"),
        expect![[r#""[\"x\"]""#]],
    );
    check_variable(
        "variable \"v\" {\n  type = any\n}\n",
        env("[\"x\"]"),
        expect![[r#"["x"]"#]],
    );
    check_variable(
        "variable \"v\" {\n  type = list(string)\n}\n",
        cli("[\"x\", 1]"),
        expect![[r#"list["x", "1"]"#]],
    );
    check_variable(
        "variable \"v\" {\n  type = list(string)\n}\n",
        cli("[1,"),
        expect![[r#"
            unknown(list(string))
            Missing expression: Expected the start of an expression, but found the end of the file. The value was set using -var="v=...".
              at `variable "v"`
            No value for required variable: The root module input variable "v" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.
              at `variable "v"`"#]],
    );
    check_variable(
        "variable \"v\" {\n  type = any\n}\n",
        cli("x"),
        expect![[r#"
            unknown(any)
            Variables not allowed: Variables may not be used here. The value was set using -var="v=...".
              at `variable "v"`
            No value for required variable: The root module input variable "v" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.
              at `variable "v"`"#]],
    );
}

#[test]
fn unsuitable_values_are_reported_where_they_come_from() {
    check_variable(
        "variable \"v\" {\n  type = number\n}\n",
        env("x"),
        expect![[r#"
            unknown(number)
            Invalid value for input variable: Unsuitable value for var.v set using the TF_VAR_v environment variable: a number is required.
              at `variable "v"`"#]],
    );
    check_variable(
        "variable \"v\" {\n  type = number\n}\n",
        cli("x"),
        expect![[r#"
            unknown(number)
            Invalid value for input variable: Unsuitable value for var.v set using -var="v=...": a number is required.
              at `variable "v"`"#]],
    );
    let file = "variable \"v\" {\n  type = number\n}\nlocals {\n  given = \"x\"\n}\n";
    check_variable(
        file,
        None,
        expect![[r#"
        unknown(number)
        Invalid value for input variable: The given value is not suitable for var.v: a number is required.
          at `"x"`
          the variable is declared here: `variable "v"`"#]],
    );
    let secret =
        "variable \"v\" {\n  type = number\n  sensitive = true\n}\nlocals {\n  given = \"x\"\n}\n";
    check_variable(
        secret,
        None,
        expect![[r#"
        unknown(number)
        Invalid value for input variable: The given value is not suitable for var.v, which is sensitive: a number is required.
          at `variable "v"`
          the invalid value is here: `"x"`"#]],
    );
    let reference = "variable \"v\" {\n  type = number\n}\nlocals {\n  given = max(var.x)\n}\n";
    check_variable(
        reference,
        None,
        expect![[r#"
            unknown(number)
            Function calls not allowed: Functions may not be called here.
              at `max(var.x)`
            No value for required variable: The root module input variable "v" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.
              at `variable "v"`"#]],
    );
}

#[test]
fn a_variable_without_default_must_be_set() {
    check_variable(
        "variable \"v\" {\n  type = string\n}\n",
        None,
        expect![[r#"
            unknown(string)
            No value for required variable: The root module input variable "v" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.
              at `variable "v"`"#]],
    );
}

#[test]
fn null_means_the_default_where_it_is_no_value() {
    let text = "variable \"v\" {\n  type     = number\n  default  = 3\n  nullable = false\n}\nlocals {\n  given = null\n}\n";
    check_variable(text, None, expect!["3"]);
    let required = "variable \"v\" {\n  type     = number\n  nullable = false\n}\nlocals {\n  given = null\n}\n";
    check_variable(
        required,
        None,
        expect![[r#"
        unknown(number)
        Required variable not set: The given value is not suitable for var.v: required variable may not be set to null.
          at `null`
          the variable is declared here: `variable "v"`"#]],
    );
    let nullable =
        "variable \"v\" {\n  type    = number\n  default = 3\n}\nlocals {\n  given = null\n}\n";
    check_variable(nullable, None, expect!["null(number)"]);
}

#[test]
fn defaults_of_attributes_are_applied_before_conversion() {
    let text = "variable \"v\" {\n  type = list(object({\n    a = string\n    b = optional(number, \"7\")\n    c = optional(bool)\n  }))\n  \
                default = [{ a = 1 }, { a = 2, b = 8 }]\n}\n";
    check_variable(
        text,
        None,
        expect![[
            r#"list[{"a": "1", "b": 7, "c": null(bool)}, {"a": "2", "b": 8, "c": null(bool)}]"#
        ]],
    );
}

#[test]
fn mistakes_in_declarations_are_reported() {
    check_variable(
        "variable \"v\" {\n  type    = number\n  default = \"x\"\n}\n",
        None,
        expect![[r#"
            unknown(number)
            Invalid default value for variable: This default value is not compatible with the variable's type constraint: a number is required.
              at `"x"`"#]],
    );
    check_variable(
        "variable \"v\" {\n  nullable = false\n  default  = null\n}\n",
        None,
        expect![[r#"
            unknown(any)
            Invalid default value for variable: A null default value is not valid when nullable=false.
              at `null`"#]],
    );
    check_variable(
        "variable \"v\" {\n  default = var.x\n}\n",
        None,
        expect![[r#"
            unknown(any)
            Variables not allowed: Variables may not be used here.
              at `var`"#]],
    );
    check_variable(
        "variable \"v\" {\n  type = lst(string)\n  default = 1\n}\n",
        None,
        expect![[r#"
            1
            Invalid type specification: Keyword "lst" is not a valid type constructor.
              at `lst(string)`"#]],
    );
    check_variable(
        "variable \"v\" {\n  type = \"list\"\n  default = [\"a\"]\n}\n",
        None,
        expect![[r#"
            list["a"]
            Invalid quoted type constraints: Terraform 0.11 and earlier required type constraints to be given in quotes, but that form is now deprecated and will be removed in a future version of Terraform. Remove the quotes around "list" and write list(string) instead to explicitly indicate that the list elements are strings.
              at `"list"`"#]],
    );
    check_variable(
        "variable \"v\" {\n  type = list\n  default = [1, \"a\"]\n}\n",
        None,
        expect![[r#"list["1", "a"]"#]],
    );
}

#[test]
fn validation_rules_are_checked() {
    let rule = |condition: &str, message: &str, more: &str| -> &'static str {
        let text = format!(
            "variable \"v\" {{\n  default = \"x\"\n{more}  validation {{\n    condition     = {condition}\n    error_message = {message}\n  \
             }}\n}}\n"
        );
        Box::leak(text.into_boxed_str())
    };
    check_variable(
        rule("var.v == \"x\"", "\"bad\"", ""),
        None,
        expect![[r#""x""#]],
    );
    check_variable(
        rule("var.v == \"y\"", "\"bad ${var.v}\"", ""),
        None,
        expect![[r#"
            "x"
            Invalid value for variable: bad x
              at `variable "v"`
              checked by this validation rule: `validation`"#]],
    );
    check_variable(
        rule("var.v == \"y\" ? true : null", "\"bad\"", ""),
        None,
        expect![[r#"
            "x"
            Invalid variable validation result: Validation condition expression must return either true or false, not null.
              at `var.v == "y" ? true : null`"#]],
    );
    check_variable(
        rule("var.v", "\"bad\"", ""),
        None,
        expect![[r#"
        "x"
        Invalid variable validation result: Invalid validation condition result value: a bool is required.
          at `var.v`"#]],
    );
    check_variable(
        rule("var.v == \"y\"", "{}", ""),
        None,
        expect![[r#"
        "x"
        Invalid error message: Unsuitable value for error message: string required.
          at `{}`
        Invalid value for variable: Failed to evaluate condition error message.
          at `variable "v"`
          checked by this validation rule: `validation`"#]],
    );
    check_variable(
        rule("var.v == \"y\"", "null", ""),
        None,
        expect![[r#"
        "x"
        Invalid value for variable: Failed to evaluate condition error message.
          at `variable "v"`
          checked by this validation rule: `validation`"#]],
    );
    let secret = "  sensitive = true\n";
    check_variable(
        rule("var.v == \"y\"", "\"bad\"", secret),
        None,
        expect![[r#"
            "x"
            Invalid value for variable: bad
              at `variable "v"`
              checked by this validation rule: `validation`"#]],
    );
    check_variable(
        rule("var.v == \"y\"", "\"bad ${var.v}\"", secret),
        None,
        expect![[r#"
            "x"
            Error message refers to sensitive values: The error expression used to explain this condition refers to sensitive values. Terraform will not display the resulting message.

            You can correct this by removing references to sensitive values, or by carefully using the nonsensitive() function if the expression will not reveal the sensitive data.
              at `"bad ${var.v}"`
            Invalid value for variable: The error message included a sensitive value, so it will not be displayed.
              at `variable "v"`
              checked by this validation rule: `validation`"#]],
    );
    let ephemeral = "  ephemeral = true\n";
    check_variable(
        rule("var.v == \"y\"", "\"bad ${var.v}\"", ephemeral),
        None,
        expect![[r#"
            "x"
            Error message refers to ephemeral values: The error expression used to explain this condition refers to ephemeral values. Terraform will not display the resulting message.

            You can correct this by removing references to ephemeral values, or by carefully using the ephemeralasnull() function if the expression will not reveal the ephemeral data.
              at `"bad ${var.v}"`
            Invalid value for variable: The error message included a sensitive value, so it will not be displayed.
              at `variable "v"`
              checked by this validation rule: `validation`"#]],
    );
}

fn check_expansion(text: &'static str, expected: Expect) {
    let source = Source::new(text);
    let resource = source.module.resources.values().next().expect("a resource");
    let functions = Functions::without_surroundings();
    let var = Value::object([
        ("id", Value::unknown(Type::String)),
        ("number", Value::unknown(Type::Number)),
        ("secret", Value::string("s").mark(Mark::Sensitive)),
        ("token", Value::int(1).mark(Mark::Ephemeral)),
        ("tokens", Value::empty_object().mark(Mark::Ephemeral)),
        ("none", Value::null(Type::map(Type::String))),
    ]);
    let context = EvalContext::new(Variables::from([("var".into(), var)]), &functions);
    let (expansion, diagnostics) = expand(&resource.repetition, &context);
    let expansion = match expansion {
        Expansion::Single => "single".into(),
        Expansion::Disabled => "disabled".into(),
        Expansion::Count(count) => format!("count {count}"),
        Expansion::ForEach(elements) => format!("for each of {elements:?}"),
        Expansion::Unknown(why) => format!("{why:?}"),
    };
    expected.assert_eq(&format!("{expansion}{}", source.show(&diagnostics)));
}

fn repeated(argument: &str) -> &'static str {
    let text = format!("resource \"r\" \"r\" {{\n  {argument}\n}}\n");
    Box::leak(text.into_boxed_str())
}

#[test]
fn count_is_a_whole_number() {
    check_expansion(repeated(""), expect!["single"]);
    check_expansion(repeated("count = \"3\""), expect!["count 3"]);
    check_expansion(
        repeated("count = length(var.secret) - 1"),
        expect!["count 0"],
    );
    check_expansion(
        repeated("count = 1e15"),
        expect![[r#"
        Invalid
        Instances are not planned: 1000000000000000 instances are more than the 100000 that planlens plans of one object.
          at `1e15`"#]],
    );
    check_expansion(
        repeated("count = null"),
        expect![[r#"
        Invalid
        Invalid count argument: The given "count" argument value is null. An integer is required.
          at `null`"#]],
    );
    check_expansion(
        repeated("count = -1"),
        expect![[r#"
        Invalid
        Invalid count argument: The given "count" argument value is unsuitable: must be greater than or equal to zero.
          at `-1`"#]],
    );
    check_expansion(
        repeated("count = 1.5"),
        expect![[r#"
        Invalid
        Invalid count argument: The given "count" argument value is unsuitable: value must be a whole number, between -9223372036854775808 and 9223372036854775807.
          at `1.5`"#]],
    );
    check_expansion(
        repeated("count = \"x\""),
        expect![[r#"
        Invalid
        Incorrect value type: Invalid expression value: a number is required.
          at `"x"`"#]],
    );
    check_expansion(
        repeated("count = {}"),
        expect![[r#"
        Invalid
        Incorrect value type: Invalid expression value: number required.
          at `{}`"#]],
    );
    check_expansion(
        repeated("count = var.token"),
        expect![[r#"
        Invalid
        Invalid count argument: The given "count" is derived from an ephemeral value, which means that Terraform cannot persist it between plan/apply rounds. Use only non-ephemeral values to specify the number of resource instances.
          at `var.token`"#]],
    );
    check_expansion(
        repeated("count = var.number"),
        expect![[r#"
        Unknown
        Invalid count argument: The "count" value depends on resource attributes that cannot be determined until apply, so Terraform cannot predict how many instances will be created. To work around this, use the -target argument to first apply only the resources that the count depends on.
          at `var.number`"#]],
    );
    check_expansion(
        repeated("count = var.nope"),
        expect![[r#"
            Invalid
            Unsupported attribute: This object does not have an attribute named "nope". Did you mean "none"?
              at `.nope`"#]],
    );
}

#[test]
fn for_each_is_a_map_or_a_set_of_strings() {
    check_expansion(
        repeated("for_each = toset([\"b\", \"a\"])"),
        expect![[r#"for each of {"a": "a", "b": "b"}"#]],
    );
    check_expansion(
        repeated("for_each = { a = 1, b = var.id }"),
        expect![[r#"for each of {"a": 1, "b": unknown(string)}"#]],
    );
    check_expansion(
        repeated("for_each = { a = var.secret }"),
        expect![[r#"for each of {"a": (sensitive)}"#]],
    );
    check_expansion(repeated("for_each = toset([])"), expect!["for each of {}"]);
    check_expansion(
        repeated("for_each = toset([var.id])"),
        expect![[r#"
        Unknown
        Invalid for_each argument: The "for_each" set includes values derived from resource attributes that cannot be determined until apply, and so Terraform cannot determine the full set of keys that will identify the instances of this resource.

        When working with unknown values in for_each, it's better to use a map value where the keys are defined statically in your configuration and where only the values contain apply-time results.

        Alternatively, you could use the -target planning option to first apply only the resources that the for_each value depends on, and then apply a second time to fully converge.
          at `toset([var.id])`"#]],
    );
    check_expansion(
        repeated("for_each = { for k in [var.id] : k => 1 }"),
        expect![[r#"
            Unknown
            Invalid for_each argument: The "for_each" map includes keys derived from resource attributes that cannot be determined until apply, and so Terraform cannot determine the full set of keys that will identify the instances of this resource.

            When working with unknown values in for_each, it's better to define the map keys statically in your configuration and place apply-time results only in the map values.

            Alternatively, you could use the -target planning option to first apply only the resources that the for_each value depends on, and then apply a second time to fully converge.
              at `{ for k in [var.id] : k => 1 }`"#]],
    );
    check_expansion(
        repeated("for_each = null"),
        expect![[r#"
        Invalid
        Invalid for_each argument: The given "for_each" argument value is unsuitable: the given "for_each" argument value is null. A map, or set of strings is allowed.
          at `null`"#]],
    );
    check_expansion(
        repeated("for_each = var.none"),
        expect![[r#"
        Invalid
        Invalid for_each argument: The given "for_each" argument value is unsuitable: the given "for_each" argument value is null. A map, or set of strings is allowed.
          at `var.none`"#]],
    );
    check_expansion(
        repeated("for_each = [\"a\"]"),
        expect![[r#"
        Invalid
        Invalid for_each argument: The given "for_each" argument value is unsuitable: the "for_each" argument must be a map, or set of strings, and you have provided a value of type tuple.
          at `["a"]`"#]],
    );
    check_expansion(
        repeated("for_each = tolist([\"a\"])"),
        expect![[r#"
        Invalid
        Invalid for_each argument: The given "for_each" argument value is unsuitable: the "for_each" argument must be a map, or set of strings, and you have provided a value of type list of string.
          at `tolist(["a"])`"#]],
    );
    check_expansion(
        repeated("for_each = \"a\""),
        expect![[r#"
        Invalid
        Invalid for_each argument: The given "for_each" argument value is unsuitable: the "for_each" argument must be a map, or set of strings, and you have provided a value of type string.
          at `"a"`"#]],
    );
    check_expansion(
        repeated("for_each = toset([1])"),
        expect![[r#"
        Invalid
        Invalid for_each set argument: The given "for_each" argument value is unsuitable: "for_each" supports maps and sets of strings, but you have provided a set containing type number.
          at `toset([1])`"#]],
    );
    check_expansion(
        repeated("for_each = toset([tostring(null)])"),
        expect![[r#"
            Invalid
            Invalid for_each set argument: The given "for_each" argument value is unsuitable: "for_each" sets must not contain null values.
              at `toset([tostring(null)])`"#]],
    );
    check_expansion(
        repeated("for_each = toset([var.secret])"),
        expect![[r#"
        Invalid
        Invalid for_each argument: Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments. If used, the sensitive value could be exposed as a resource instance key.
          at `toset([var.secret])`"#]],
    );
    check_expansion(
        repeated("for_each = var.tokens"),
        expect![[r#"
        Invalid
        Invalid for_each argument: The given "for_each" value is derived from an ephemeral value, which means that Terraform cannot persist it between plan/apply rounds. Use only non-ephemeral values to specify a resource's instance keys.
          at `var.tokens`"#]],
    );
}
