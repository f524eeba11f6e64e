//! Compiles the plugin protocols in `schemas/`, with protox in the place of protoc.

use std::env;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    // Asked for now: a target folder may be a copy of another checkout's, with the path of that one compiled in.
    let schemas = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../schemas");
    let files = ["tfplugin5.proto", "tfplugin6.proto", "goplugin.proto"].map(|f| schemas.join(f));
    for file in files.iter().chain([&schemas.join("tfplugin.proto")]) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    // Requests are sent by `plugin::client`, which both protocols share: only messages are generated.
    let descriptors = protox::compile(&files, [&schemas])?;
    tonic_prost_build::configure()
        .build_client(false)
        .build_server(false)
        .bytes(".")
        .btree_map(".")
        .compile_fds(descriptors)?;
    Ok(())
}
