//! The messages of the provider protocol are generated here and committed: a build needs no compiler of protocols.

use std::fs;
use std::path::Path;

use expect_test::expect_file;

/// Says the difference, and writes the file anew with `UPDATE_EXPECT=1`.
#[test]
fn the_committed_wire_code_is_generated_from_the_protocol() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let out = tempfile::tempdir().unwrap();
    prost_build::Config::new()
        .bytes(["."])
        .btree_map(["."])
        .out_dir(out.path())
        .compile_fds(protox::compile([schemas.join("pulumi.proto")], [&schemas]).unwrap())
        .unwrap();
    let code = fs::read_to_string(out.path().join("pulumi.rs")).unwrap();
    let code = format!("//! Messages of `schemas/pulumi.proto`.\n\n{code}");
    expect_file!["../src/wire.rs"].assert_eq(&code);
}
