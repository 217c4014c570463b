//! Finds the commit that the program is built of, and whether the sources differ from it.
//!
//! Cargo runs this again when HEAD, the index or one of the sources has changed, and at no other time. In a package it is
//! the commit that the package was made of.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of the repository, beside those of the crates' sources, that end up in the program.
const DATA: [&str; 7] = [
    "drives",
    "jobs",
    "reference",
    "scripts",
    "suites",
    "testbeds",
    "traces",
];

fn main() {
    let manifest = env::var("CARGO_MANIFEST_DIR").expect("set by cargo");
    if let Some((commit, modified)) = packaged(Path::new(&manifest)) {
        return tell(&commit, &modified);
    }
    let root = Path::new(&manifest).join("../..");
    let sources = sources(&root);
    for path in sources.iter().chain(&git_files(&root)) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let commit = git(&root, &["rev-parse", "HEAD"]);
    let mut status = vec!["status", "--porcelain", "--"];
    status.extend(sources.iter().filter_map(|path| path.to_str()));
    let modified = git(&root, &status).filter(|_| commit.is_some());
    let modified = modified.map_or("unknown".to_owned(), |list| (!list.is_empty()).to_string());
    tell(&commit.unwrap_or_else(|| "unknown".to_owned()), &modified);
}

fn tell(commit: &str, modified: &str) {
    println!("cargo::rustc-env=FTLAB_COMMIT={commit}");
    println!("cargo::rustc-env=FTLAB_MODIFIED={modified}");
}

/// What cargo noted of the commit and of changes since, when it made a package of the sources.
fn packaged(crate_root: &Path) -> Option<(String, String)> {
    let path = crate_root.join(".cargo_vcs_info.json");
    let text = std::fs::read_to_string(&path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    let (_, commit) = text.split_once("\"sha1\": \"")?;
    let (commit, _) = commit.split_once('"')?;
    let modified = text.contains("\"dirty\": true");
    Some((commit.to_owned(), modified.to_string()))
}

/// What the program is made of, as far as it is there.
fn sources(root: &Path) -> Vec<PathBuf> {
    let crates = root.join("crates").read_dir().into_iter().flatten();
    let crates = crates.flatten().map(|entry| entry.path().join("src"));
    let data = DATA.iter().map(|folder| root.join(folder));
    let mut paths: Vec<PathBuf> = crates.chain(data).collect();
    paths.push(root.join("Cargo.lock"));
    paths.retain(|path| path.exists());
    paths.sort();
    paths
}

/// The files in which git says where the tree stands. One that is not there would have cargo run this at
/// every build.
fn git_files(root: &Path) -> Vec<PathBuf> {
    let branch = git(root, &["symbolic-ref", "-q", "HEAD"]);
    let names = [
        "HEAD".to_owned(),
        "index".to_owned(),
        "packed-refs".to_owned(),
    ];
    let paths = names.into_iter().chain(branch).filter_map(|name| {
        let path = git(root, &["rev-parse", "--git-path", &name])?;
        Some(root.join(path))
    });
    paths.filter(|path| path.exists()).collect()
}

/// What git answers; none without git or a repository.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    // A status that refreshes the index would be a change of it, and have this run again.
    let output = Command::new("git")
        .arg("--no-optional-locks")
        .args(arguments)
        .current_dir(root)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
