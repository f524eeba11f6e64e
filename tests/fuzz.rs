//! The interesting inputs of the fuzz targets, as ordinary tests.

use std::fs;
use std::io::Write as _;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
mod targets;

#[test]
fn corpora() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut report = String::new();
    for (name, target) in targets::TARGETS {
        let mut paths: Vec<_> = fs::read_dir(folder.join(name))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in &paths {
            let data = fs::read(path).unwrap();
            let outcome = std::panic::catch_unwind(|| target(&data));
            assert!(outcome.is_ok(), "{name}: {}", path.display());
        }
        assert!(!paths.is_empty(), "{name} has no corpus");
        report.push_str(&format!("{name}: {} inputs\n", paths.len()));
    }
    std::io::stdout().write_all(report.as_bytes()).unwrap();
}
