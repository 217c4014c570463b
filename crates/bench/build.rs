//! Embeds the scripts and scenarios, so that the binary needs no folder beside it.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../scripts");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).expect("the folder is part of the repository");
    let mut files: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut source = String::from("const SCRIPTS: &[(&str, &str)] = &[");
    for path in files {
        let name = path
            .file_stem()
            .expect("it has an extension")
            .to_string_lossy();
        let text = path.display().to_string();
        write!(source, "({name:?}, include_str!({text:?})),").expect("to a string");
    }
    source.push_str("];\n");
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("scripts.rs");
    fs::write(out, source).expect("the build folder is writable");
}
