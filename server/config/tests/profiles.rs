//! What the language of each product and release has: files, blocks and arguments.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use config::{Files, Module, ModuleAddr, ModuleCache, Profile, load_module};
use expect_test::{Expect, expect};

struct Memory(BTreeMap<String, Arc<str>>);

impl Files for Memory {
    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        let names = self.0.keys().filter_map(|path| path.rsplit('/').next());
        Ok(names.map(str::to_owned).collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        self.0
            .get(path)
            .cloned()
            .ok_or(io::ErrorKind::NotFound.into())
    }
}

fn load(profile: Profile, files: &[(&str, &str)]) -> (Arc<Module>, Vec<String>) {
    let files = files
        .iter()
        .map(|(name, text)| (format!("/w/{name}"), Arc::from(*text)));
    let mut cache = ModuleCache::new(profile);
    let files = Memory(files.collect());
    let (module, diagnostics) = load_module(&files, &mut cache, "/w", &ModuleAddr::root());
    let lines = diagnostics
        .iter()
        .map(|d| format!("{}: {}\n", d.summary, d.detail));
    (module, lines.collect())
}

fn check(profile: Profile, text: &str, want: Expect) {
    want.assert_eq(&load(profile, &[("main.tf", text)]).1.concat());
}

#[test]
fn files_named_for_opentofu_take_the_place_of_others() {
    let files = [
        ("a.tf", "output \"a\" {\n  value = 1\n}\n"),
        ("a.tofu", "output \"b\" {\n  value = 1\n}\n"),
        ("c.tofu", "output \"c\" {\n  value = 1\n}\n"),
        ("d_override.tofu", "output \"c\" {\n  value = 2\n}\n"),
        (".e.tofu", "output \"e\" {\n  value = 1\n}\n"),
    ];
    let outputs = |profile| {
        let (module, diagnostics) = load(profile, &files);
        assert_eq!(diagnostics, Vec::<String>::new());
        module
            .outputs
            .keys()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(outputs(Profile::NEWEST_TERRAFORM), ["a"]);
    assert_eq!(outputs(Profile::opentofu(1, 7, 0)), ["a"]);
    assert_eq!(outputs(Profile::opentofu(1, 8, 0)), ["b", "c"]);
}

#[test]
fn a_release_lacks_later_features() {
    let text = r#"
terraform {
  encryption {}
}
variable "a" {
  ephemeral  = true
  const      = true
  deprecated = "no"
  default    = 1
}
output "a" {
  value      = 1
  type       = number
  deprecated = "no"
}
removed {
  from = terraform_data.b
  lifecycle {
    destroy = false
  }
}
import {
  to       = terraform_data.a
  identity = { id = "a" }
  for_each = []
}
resource "terraform_data" "a" {}
ephemeral "random_password" "a" {}
action "a" "b" {}
language {
  compatible_with {
    opentofu  = "~> 1.12"
    something = 1
  }
}
"#;
    check(
        Profile::terraform(1, 5, 7),
        text,
        expect![[r#"
            Unsupported block type: Blocks of type "encryption" are not expected here: it is only in OpenTofu, since 1.7; this configuration is for Terraform 1.5.
            Unsupported argument: An argument named "ephemeral" is not expected here: it was added in Terraform 1.10; this configuration is for Terraform 1.5.
            Unsupported argument: An argument named "const" is not expected here: it was added in Terraform 1.15; this configuration is for Terraform 1.5.
            Unsupported argument: An argument named "deprecated" is not expected here: it was added in Terraform 1.15; this configuration is for Terraform 1.5.
            Unsupported argument: An argument named "type" is not expected here: it was added in Terraform 1.15; this configuration is for Terraform 1.5.
            Unsupported argument: An argument named "deprecated" is not expected here: it was added in Terraform 1.15; this configuration is for Terraform 1.5.
            Unsupported block type: Blocks of type "removed" are not expected here: it was added in Terraform 1.7; this configuration is for Terraform 1.5.
            Unsupported block type: Blocks of type "lifecycle" are not expected here: it was added in Terraform 1.7; this configuration is for Terraform 1.5.
            Unsupported argument: An argument named "identity" is not expected here: it was added in Terraform 1.12; this configuration is for Terraform 1.5.
            Unsupported argument: An argument named "for_each" is not expected here: it was added in Terraform 1.7; this configuration is for Terraform 1.5.
            Missing required argument: The argument "id" is required, but no definition was found.
            Unsupported block type: Blocks of type "ephemeral" are not expected here: it was added in Terraform 1.10; this configuration is for Terraform 1.5.
            Unsupported block type: Blocks of type "action" are not expected here: it was added in Terraform 1.14; this configuration is for Terraform 1.5.
            Unsupported block type: Blocks of type "language" are not expected here: it is only in OpenTofu, since 1.12; this configuration is for Terraform 1.5.
        "#]],
    );
    check(
        Profile::NEWEST_TERRAFORM,
        text,
        expect![[r#"
            Unsupported block type: Blocks of type "encryption" are not expected here: it is only in OpenTofu, since 1.7; this configuration is for Terraform 1.15.
            Const variable cannot be ephemeral: A variable that is marked as "const" cannot also be marked as "ephemeral".
            Unsupported block type: Blocks of type "language" are not expected here: it is only in OpenTofu, since 1.12; this configuration is for Terraform 1.15.
        "#]],
    );
    check(
        Profile::opentofu(1, 6, 0),
        text,
        expect![[r#"
            Unsupported block type: Blocks of type "encryption" are not expected here: it was added in OpenTofu 1.7; this configuration is for OpenTofu 1.6.
            Unsupported argument: An argument named "ephemeral" is not expected here: it was added in OpenTofu 1.11; this configuration is for OpenTofu 1.6.
            Unsupported argument: An argument named "const" is not expected here: it was added in OpenTofu 1.12; this configuration is for OpenTofu 1.6.
            Unsupported argument: An argument named "deprecated" is not expected here: it was added in OpenTofu 1.10; this configuration is for OpenTofu 1.6.
            Unsupported argument: An argument named "type" is not expected here: it is only in Terraform, since 1.15; this configuration is for OpenTofu 1.6.
            Unsupported argument: An argument named "deprecated" is not expected here: it was added in OpenTofu 1.10; this configuration is for OpenTofu 1.6.
            Unsupported block type: Blocks of type "removed" are not expected here: it was added in OpenTofu 1.7; this configuration is for OpenTofu 1.6.
            Unsupported block type: Blocks of type "lifecycle" are not expected here: it was added in OpenTofu 1.10; this configuration is for OpenTofu 1.6.
            Unsupported argument: An argument named "identity" is not expected here: it was added in OpenTofu 1.12; this configuration is for OpenTofu 1.6.
            Unsupported argument: An argument named "for_each" is not expected here: it was added in OpenTofu 1.7; this configuration is for OpenTofu 1.6.
            Missing required argument: The argument "id" is required, but no definition was found.
            Unsupported block type: Blocks of type "ephemeral" are not expected here: it was added in OpenTofu 1.11; this configuration is for OpenTofu 1.6.
            Unsupported block type: Blocks of type "action" are not expected here: it is only in Terraform, since 1.14; this configuration is for OpenTofu 1.6.
            Unsupported block type: Blocks of type "language" are not expected here: it was added in OpenTofu 1.12; this configuration is for OpenTofu 1.6.
        "#]],
    );
    check(
        Profile::NEWEST_OPENTOFU,
        text,
        expect![[r#"
            Unsupported argument: An argument named "type" is not expected here: it is only in Terraform, since 1.15; this configuration is for OpenTofu 1.12.
            Unsupported block type: Blocks of type "action" are not expected here: it is only in Terraform, since 1.14; this configuration is for OpenTofu 1.12.
        "#]],
    );
}

#[test]
fn opentofu_forgets_where_terraform_destroys() {
    let text = "removed {\n  from = terraform_data.a\n}\n";
    let destroys = |profile| load(profile, &[("main.tf", text)]).0.removed[0].destroy;
    assert!(destroys(Profile::NEWEST_TERRAFORM));
    assert!(!destroys(Profile::NEWEST_OPENTOFU));
}

#[test]
fn the_type_in_a_conversion_is_no_reference() {
    let text = "output \"a\" {\n  value = convert([1], set(string))\n}\n";
    check(Profile::NEWEST_TERRAFORM, text, expect![[r#""#]]);
}

#[test]
fn removed_blocks_are_judged_in_the_words_of_opentofu() {
    let text = r#"
removed {
  from = terraform_data.a
}
removed {
  from = terraform_data.b[0]
}
removed {
  from = data.fake_disk.c
}
removed {
  from = terraform_data.d
  lifecycle {
    destroy = false
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo"
  }
}
removed {
  from = terraform_data.e
  lifecycle {
    destroy = true
  }
  provisioner "local-exec" {
    command = "echo"
  }
}
removed {
  from = module.f
  lifecycle {
    destroy = true
  }
}
"#;
    check(
        Profile::NEWEST_OPENTOFU,
        text,
        expect![[r#"
        Missing lifecycle from the removed block: It is recommended for each 'removed' block configured to have also the 'lifecycle' block defined. By not specifying if the resource should be destroyed or not, could lead to unwanted behavior.
        Resource instance address with keys is not allowed: Resource address cannot be a resource instance (e.g. "null_resource.a[0]"), it must be a resource instead (e.g. "null_resource.a").
        Data source address is not allowed: Data sources cannot be destroyed, and therefore, 'removed' blocks are not allowed to target them. To remove data sources from the state, you should remove the data source block from the configuration.
        Removed block provisioners will not be executed: The 'removed' block has marked the resource to be forgotten and not destroyed. Therefore, the provisioners configured for it will not be executed.
        Invalid "removed.provisioner" block: "removed" blocks can only contain destroy provisioners. "removed.provisioner.when = destroy" expected
    "#]],
    );
}

#[test]
fn moved_blocks_and_ephemeral_resources_are_judged_in_the_words_of_opentofu() {
    let text = r#"
moved {
  from = terraform_data.a[null]
  to   = terraform_data.b
}
moved {
  from = var.c
  to   = local.d
}
removed {
  from = terraform_data.e
  lifecycle {
    destroy = true
  }
  connection {
    host = "f"
  }
}
ephemeral "random_password" "g" {
  lifecycle {
    prevent_destroy = true
  }
}
"#;
    check(
        Profile::NEWEST_OPENTOFU,
        text,
        expect![[r#"
        Invalid address: Invalid resource instance key: either a string or an integer is required.
        Invalid "moved" address: The resource referenced by the "from" attribute is not allowed to be moved.
        Unsupported block type: Blocks of type "connection" are not expected here.
        Invalid lifecycle configuration for ephemeral resource: The lifecycle argument "prevent_destroy" cannot be used in ephemeral resources. This is meant to be used strictly in "resource" blocks.
    "#]],
    );
}

#[test]
fn an_empty_deprecation_is_an_error_in_opentofu() {
    let text = "variable \"a\" {\n  deprecated = \"\"\n}\noutput \"b\" {\n  value      = 1\n  deprecated = \" \"\n}\n";
    check(
        Profile::NEWEST_OPENTOFU,
        text,
        expect![[r#"
        Invalid `deprecated` value: The "deprecated" argument must not be empty, and should provide instructions on how to migrate away from usage of this deprecated variable.
        Invalid `deprecated` attribute: The "deprecated" argument must not be empty, and should provide instructions on how to migrate away from usage of this deprecated output value.
    "#]],
    );
}

#[test]
fn action_triggers_name_events_and_actions() {
    let text = r#"
resource "terraform_data" "a" {
  lifecycle {
    action_trigger {
      events  = [sometimes, after_create, after_create]
      actions = []
    }
    action_trigger {
      events  = [before_update]
      actions = [action.fake.b]
    }
    action_trigger {
    }
  }
}
"#;
    check(
        Profile::NEWEST_TERRAFORM,
        text,
        expect![[r#"
            Invalid "event" value sometimes: The "event" argument supports the following values: before_create, after_create, before_update, after_update.
            Duplicate "after_create" event: The event is already defined in this action_trigger block.
            No actions specified: At least one action must be specified for an action_trigger.
            Missing required argument: The argument "events" is required, but no definition was found.
            Missing required argument: The argument "actions" is required, but no definition was found.
            No actions specified: At least one action must be specified for an action_trigger.
            No events specified: At least one event must be specified for an action_trigger.
            action_trigger actions references non-existent action: The lifecycle action_trigger actions list contains a reference to the action "action.fake.b" that does not exist in the configuration of this module.
        "#]],
    );
}

#[test]
fn an_action_trigger_names_declared_actions() {
    let text = r#"
action "fake" "counted" {
  count = 2
}
resource "terraform_data" "a" {
  count = 2
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.fake.counted[0], action.fake.counted[count.index], action.fake.b[count.index], action.fake.c["x"]]
    }
  }
}
"#;
    check(
        Profile::NEWEST_TERRAFORM,
        text,
        expect![[r#"
            action_trigger actions references non-existent action: The lifecycle action_trigger actions list contains a reference to the action "action.fake.b" that does not exist in the configuration of this module.
            action_trigger actions references non-existent action: The lifecycle action_trigger actions list contains a reference to the action "action.fake.c" that does not exist in the configuration of this module.
        "#]],
    );
}

#[test]
fn a_type_is_a_reference_where_convert_does_not_exist() {
    let text = "output \"a\" {\n  value = try(convert({ a = 1 }, object({ a = string })), \"none\")\n}\nresource \"terraform_data\" \"b\" {\n  input = can(core::convert([], list(any)))\n}\n";
    for profile in [Profile::NEWEST_OPENTOFU, Profile::TERRAFORM_1_11] {
        check(
            profile,
            text,
            expect![[r#"
                Invalid reference: A reference to a resource type must be followed by at least one attribute access, specifying the resource name.
                Invalid reference: A reference to a resource type must be followed by at least one attribute access, specifying the resource name.
            "#]],
        );
    }
    check(Profile::NEWEST_TERRAFORM, text, expect![[""]]);
}

#[test]
fn an_import_has_an_id_or_an_identity() {
    let text = "import {\n  to = terraform_data.a\n}\nimport {\n  to       = terraform_data.b\n  identity = {}\n  id       = \"b\"\n}\nresource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {}\n";
    check(
        Profile::TERRAFORM_1_11,
        "import {\n  to = terraform_data.a\n}\nresource \"terraform_data\" \"a\" {}\n",
        expect![[r#"
            Missing required argument: The argument "id" is required, but no definition was found.
        "#]],
    );
    check(
        Profile::NEWEST_TERRAFORM,
        text,
        expect![[r#"
            Invalid import block: At least one of 'id' or 'identity' must be specified.
            Invalid import block: Only one of 'id' or 'identity' can be specified.
        "#]],
    );
    check(
        Profile::NEWEST_OPENTOFU,
        text,
        expect![[r#"
            Missing required import argument: One of 'id' or 'identity' must be specified in an import block to identify the resource instance to import.
            Conflicting import arguments: Only one of 'id' or 'identity' can be specified in an import block. 'id' identifies the resource instance by its ID, while 'identity' identifies the resource instance by its Resource Identity. Choose one method to identify the resource instance to import.
        "#]],
    );
}
