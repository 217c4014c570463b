// What the build scripts of crates with files that come along have in common: they embed the files, so that
// the binary needs no folder beside it.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// Writes `catalog.rs` with a table for each (name, folder, extension): the names without extension and the texts of such
/// files of the folder, sorted by name.
fn embed(tables: &[(&str, &str, &str)]) {
    // The folders of the repository, by links, which packages have as files.
    let root = env::var("CARGO_MANIFEST_DIR").expect("set by cargo");
    let root = Path::new(&root);
    let mut source = String::new();
    for (table, folder, extension) in tables {
        let folder = root.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        let entries = fs::read_dir(&folder).expect("the folder is part of the repository");
        let mut files: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == *extension));
        files.sort();
        writeln!(source, "pub(super) const {table}: &[(&str, &str)] = &[").expect("to a string");
        for path in files {
            let slug = path
                .file_stem()
                .expect("it has an extension")
                .to_string_lossy();
            let path = path.display().to_string();
            writeln!(source, "    ({slug:?}, include_str!({path:?})),").expect("to a string");
        }
        source.push_str("];\n");
    }
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("catalog.rs");
    fs::write(out, source).expect("the build folder is writable");
}
