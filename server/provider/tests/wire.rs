//! The messages of the plugin protocols are generated here and committed: a build needs no compiler of protocols.

use std::fs;
use std::path::Path;

use expect_test::expect_file;

/// Says the difference, and writes the files anew with `UPDATE_EXPECT=1`.
#[test]
fn the_committed_wire_code_is_generated_from_the_protocols() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let files = ["tfplugin5.proto", "tfplugin6.proto", "goplugin.proto"].map(|f| schemas.join(f));
    let out = tempfile::tempdir().unwrap();
    // Requests are sent by `plugin::channel`, which both protocols share: only messages are generated.
    prost_build::Config::new()
        .bytes(["."])
        .btree_map(["."])
        .out_dir(out.path())
        .compile_fds(protox::compile(&files, [&schemas]).unwrap())
        .unwrap();
    let generated = |package: &str, proto: &str| {
        let code = fs::read_to_string(out.path().join(format!("{package}.rs"))).unwrap();
        format!("//! Messages of `schemas/{proto}.proto`.\n\n{code}")
    };
    expect_file!["../src/wire/tfplugin.rs"].assert_eq(&generated("tfplugin", "tfplugin"));
    expect_file!["../src/wire/tfplugin5.rs"].assert_eq(&generated("tfplugin5", "tfplugin5"));
    expect_file!["../src/wire/tfplugin6.rs"].assert_eq(&generated("tfplugin6", "tfplugin6"));
    expect_file!["../src/wire/goplugin.rs"].assert_eq(&generated("plugin", "goplugin"));
}
