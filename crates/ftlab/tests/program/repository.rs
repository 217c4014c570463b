//! What holds for every file of the repository.
//!
//! Each rule is a function over text, tried first on text that breaks it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The most lines a Rust file may have.
const RUST_LINES_MAX: usize = 700;

/// The crates that may use the wall clock, and so have a `clippy.toml` of their own.
const WALL_CLOCK: &[&str] = &["attach", "console", "disk", "ftlab", "nbd"];

/// The one registry a lock file may name: what cargo calls crates.io, whichever mirror serves it.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize()
        .expect("the workspace is two folders up")
}

/// Every file that git knows or would add: its path below the root.
pub fn files() -> Vec<String> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    let names = String::from_utf8(listed.stdout).expect("file names are UTF-8");
    let names = names.split_terminator('\0').map(str::to_owned);
    // One removed but not yet committed is still listed.
    names.filter(|name| root().join(name).exists()).collect()
}

/// Every text file that git knows or would add: its path below the root, and its content.
pub fn text_files() -> Vec<(String, String)> {
    // A binary one is not UTF-8.
    let read = |name: String| {
        let text = std::fs::read_to_string(root().join(&name)).ok()?;
        Some((name, text))
    };
    let files: Vec<_> = files().into_iter().filter_map(read).collect();
    assert!(
        files.iter().any(|(name, _)| name == "Cargo.toml"),
        "git listed {} files, and Cargo.toml is not one",
        files.len()
    );
    files
}

/// The path of one machine, or of a folder beside the repository, that `line` holds.
fn foreign_path(line: &str) -> Option<&'static str> {
    // Written in two parts, so that this file passes its own test.
    const FOREIGN: [&str; 5] = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/tm", "p/"),
        concat!("../sha", "red"),
    ];
    FOREIGN.into_iter().find(|foreign| {
        line.match_indices(foreign).any(|(at, _)| {
            // A folder of that name within the repository is no offence.
            let before = line[..at].chars().next_back();
            before.is_none_or(|c| !(c.is_alphanumeric() || "_-.}".contains(c)))
        })
    })
}

/// Whether `line` of the lock file `name` says which server a package came from.
fn names_a_registry(name: &str, line: &str) -> bool {
    if name.ends_with("Cargo.lock") {
        line.starts_with("source = ") && line != format!("source = \"{CRATES_IO}\"")
    } else {
        name.ends_with("-lock.json") && line.contains("\"resolved\"") && line.contains("://")
    }
}

/// The entries of a `clippy.toml`, a line each.
fn bans(clippy: &str) -> Vec<&str> {
    let entries = clippy.lines().map(str::trim);
    entries.filter(|line| line.starts_with("{ path")).collect()
}

#[test]
fn the_rules_can_fail() {
    let path = concat!("see \"/wo", "rk/main\"");
    assert!(foreign_path(path).is_some());
    assert!(foreign_path(concat!("--socket=/tm", "p/drive.sock")).is_some());
    let within = concat!("crates/ro", "ot/mod.rs, a frame/wo", "rk/load");
    assert!(foreign_path(within).is_none());

    let mirror = "source = \"registry+https://mirror.example/index\"";
    assert!(names_a_registry("Cargo.lock", mirror));
    assert!(!names_a_registry(
        "Cargo.lock",
        &format!("source = \"{CRATES_IO}\"")
    ));
    let resolved = "\"resolved\": \"https://mirror.example/a.tgz\",";
    assert!(names_a_registry("web/package-lock.json", resolved));
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    for (name, text) in text_files() {
        for (number, line) in text.lines().enumerate() {
            if let Some(path) = foreign_path(line) {
                panic!("{name}:{}: {path} exists on one machine only", number + 1);
            }
        }
    }
}

#[test]
fn lock_files_name_no_server() {
    for (name, text) in text_files() {
        for (number, line) in text.lines().enumerate() {
            assert!(
                !names_a_registry(&name, line),
                "{name}:{}: {line}\nfor npm: omit-lockfile-registry-resolved=true",
                number + 1
            );
        }
    }
}

#[test]
fn rust_files_are_short_enough_to_read() {
    for (name, text) in text_files() {
        let lines = text.lines().count();
        assert!(
            !name.ends_with(".rs") || lines <= RUST_LINES_MAX,
            "{name} has {lines} lines, more than {RUST_LINES_MAX}: which two charters does it serve?"
        );
    }
}

#[test]
fn every_crate_begins_by_saying_what_it_is() {
    for (name, text) in text_files() {
        let is_root = name.ends_with("src/lib.rs") || name.ends_with("src/main.rs");
        assert!(
            !is_root || text.starts_with("//! "),
            "{name} does not begin with `//! `"
        );
    }
}

#[test]
fn only_the_wall_clock_bans_are_lifted_and_only_where_listed() {
    let files = text_files();
    let (_, workspace) = files
        .iter()
        .find(|(name, _)| name == "clippy.toml")
        .expect("the workspace has a clippy.toml");
    let without_clock: Vec<&str> = bans(workspace)
        .into_iter()
        .filter(|ban| !ban.contains("\"std::time::"))
        .collect();
    assert!(without_clock.len() < bans(workspace).len());

    for (name, text) in &files {
        let Some(folder) = name
            .strip_prefix("crates/")
            .and_then(|below| below.strip_suffix("/clippy.toml"))
        else {
            continue;
        };
        assert!(
            WALL_CLOCK.contains(&folder),
            "{name}: this crate may not lift a ban"
        );
        assert_eq!(bans(text), without_clock, "{name} lifts or adds other bans");
    }
}
