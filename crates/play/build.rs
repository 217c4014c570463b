//! Embeds jobs, scripts, scenarios and traces, so that the binary needs no folder beside it.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    embed("jobs", "fio", "JOB_FILES");
    embed("scripts", "toml", "SCRIPT_FILES");
    embed("traces", "toml", "TRACE_FILES");
}

/// Writes a table of the names and texts of a folder's files of a kind.
fn embed(folder: &str, extension: &str, table: &str) {
    let root = env::var("CARGO_MANIFEST_DIR").expect("set by cargo");
    let path = Path::new(&root).join("../..").join(folder);
    println!("cargo::rerun-if-changed={}", path.display());
    let entries = fs::read_dir(&path).expect("the folder is part of the repository");
    let mut files: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    let mut source = format!("const {table}: &[(&str, &str)] = &[");
    for path in files {
        let name = path
            .file_stem()
            .expect("it has an extension")
            .to_string_lossy();
        let text = path.display().to_string();
        write!(source, "({name:?}, include_str!({text:?})),").expect("to a string");
    }
    source.push_str("];\n");
    let out = env::var("OUT_DIR").expect("set by cargo");
    let out = Path::new(&out).join(format!("{folder}.rs"));
    fs::write(out, source).expect("the build folder is writable");
}
