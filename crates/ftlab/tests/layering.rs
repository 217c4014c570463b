//! Which crate may use which: arrows point only downwards.
//!
//! The table is the one of `ARCHITECTURE.md`. It lists every crate a row may name in its manifest, for
//! any kind of dependency (normal, build, development), so an edge it does not list is an error.

use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A crate and every crate of the workspace it may use; lower crates first.
const MAY_USE: &[(&str, &[&str])] = &[
    ("ftlab-base", &[]),
    ("ftlab-theory", &[]),
    ("ftlab-nand", &["ftlab-base"]),
    // Siblings that never meet: the translation layer knows no clock, the clock no logical page.
    ("ftlab-ftl", &["ftlab-base", "ftlab-nand"]),
    ("ftlab-timing", &["ftlab-base", "ftlab-nand"]),
    (
        "ftlab-drive",
        &["ftlab-base", "ftlab-nand", "ftlab-ftl", "ftlab-timing"],
    ),
    ("ftlab-workload", &["ftlab-base"]),
    (
        "ftlab-nbd",
        &[
            "ftlab-base",
            "ftlab-nand",
            "ftlab-ftl",
            "ftlab-timing",
            "ftlab-drive",
        ],
    ),
    (
        "ftlab-image",
        &["ftlab-base", "ftlab-nand", "ftlab-ftl", "ftlab-drive"],
    ),
    (
        "ftlab-attach",
        &["ftlab-base", "ftlab-drive", "ftlab-nbd", "ftlab-image"],
    ),
    (
        "ftlab-fuzz",
        &[
            "ftlab-base",
            "ftlab-ftl",
            "ftlab-drive",
            "ftlab-workload",
            "ftlab-nbd",
        ],
    ),
    ("ftlab-result", &["ftlab-base"]),
    (
        "ftlab-play",
        &[
            "ftlab-base",
            "ftlab-theory",
            "ftlab-ftl",
            "ftlab-drive",
            "ftlab-workload",
            "ftlab-result",
        ],
    ),
    (
        "ftlab-bench",
        &[
            "ftlab-base",
            "ftlab-theory",
            "ftlab-ftl",
            "ftlab-drive",
            "ftlab-workload",
            "ftlab-result",
            "ftlab-play",
        ],
    ),
    (
        "ftlab-claims",
        &[
            "ftlab-base",
            "ftlab-drive",
            "ftlab-workload",
            "ftlab-result",
            "ftlab-play",
            "ftlab-bench",
        ],
    ),
    // Nothing else, so that a real drive's results look like a simulated one's.
    ("ftlab-report", &["ftlab-result"]),
    ("ftlab-export", &["ftlab-result"]),
    (
        "ftlab",
        &[
            "ftlab-base",
            "ftlab-theory",
            "ftlab-nand",
            "ftlab-ftl",
            "ftlab-timing",
            "ftlab-drive",
            "ftlab-workload",
            "ftlab-result",
            "ftlab-play",
            "ftlab-bench",
            "ftlab-claims",
            "ftlab-report",
            "ftlab-export",
            "ftlab-nbd",
            "ftlab-image",
            "ftlab-attach",
        ],
    ),
    // Calibration reads what a review comes to; nothing uses it.
    (
        "xtask",
        &["ftlab-base", "ftlab-drive", "ftlab-result", "ftlab-bench"],
    ),
];

/// A crate and the crates of the workspace it names in its manifest.
type Uses<'a> = (&'a str, Vec<&'a str>);

/// What is wrong with `workspace`, one sentence each.
fn offences(workspace: &[Uses<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    for (user, used) in workspace {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| name == user) else {
            found.push(format!("{user} has no row in MAY_USE"));
            continue;
        };
        for name in used.iter().filter(|name| !allowed.contains(name)) {
            found.push(format!("{user} may not use {name}"));
        }
    }
    found
}

#[test]
fn crates_use_only_the_crates_below_them() {
    // Declared dependencies suffice, so nothing is resolved and no network is needed.
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata reads the workspace");
    let members = metadata.workspace_packages();
    let workspace: Vec<Uses<'_>> = members
        .iter()
        .map(|package| {
            let used = package
                .dependencies
                .iter()
                .filter(|dependency| dependency.path.is_some())
                .map(|dependency| dependency.name.as_str())
                .collect();
            (package.name.as_str(), used)
        })
        .collect();

    let edges: usize = workspace.iter().map(|(_, used)| used.len()).sum();
    assert!(
        edges >= 10,
        "only {edges} edges seen: the workspace was not read"
    );
    assert_eq!(offences(&workspace), Vec::<String>::new());
}

/// What has no place in a browser, where `ftlab-play` is to run: thread pools, files and what draws on them.
const NOT_IN_A_BROWSER: &[&str] = &[
    "clap",
    "csv",
    "ctrlc",
    "fuser",
    "getrandom",
    "indicatif",
    "memmap2",
    "parking_lot",
    "parquet",
    "plotters",
    "rayon",
    "rustix",
    "signal-hook",
    "tempfile",
];

#[test]
fn what_plays_a_load_could_run_in_a_browser() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata reads the workspace");
    let packages: BTreeMap<&str, &Package> = metadata
        .workspace_packages()
        .into_iter()
        .map(|package| (package.name.as_str(), package))
        .collect();
    let mut seen = BTreeSet::new();
    let mut left = vec!["ftlab-play"];
    while let Some(name) = left.pop() {
        if seen.insert(name)
            && let Some(package) = packages.get(name)
        {
            let normal = package.dependencies.iter();
            let normal = normal.filter(|dependency| dependency.kind == DependencyKind::Normal);
            left.extend(normal.map(|dependency| dependency.name.as_str()));
        }
    }
    assert!(
        seen.contains("ftlab-drive") && seen.contains("rand"),
        "{seen:?}"
    );
    let found: Vec<_> = NOT_IN_A_BROWSER
        .iter()
        .filter(|name| seen.contains(*name))
        .collect();
    assert!(
        found.is_empty(),
        "ftlab-play cannot run in a browser with {found:?}"
    );

    // Its own text, tests apart, names none of what the standard library offers for it.
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../play/src");
    let mut folders = vec![source];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).expect("it is text");
            for module in [
                "std::fs",
                "std::thread",
                "std::net",
                "std::time",
                "std::process",
            ] {
                assert!(!text.contains(module), "{} uses {module}", path.display());
            }
        }
    }
    assert!(files >= 20, "{files} files");
}

#[test]
fn an_edge_upwards_or_between_siblings_is_an_offence() {
    let sideways = [("ftlab-ftl", vec!["ftlab-nand", "ftlab-timing"])];
    assert_eq!(offences(&sideways), ["ftlab-ftl may not use ftlab-timing"]);

    let upwards = [("ftlab-nand", vec!["ftlab-drive"])];
    assert_eq!(offences(&upwards), ["ftlab-nand may not use ftlab-drive"]);

    let report = [("ftlab-report", vec!["ftlab-result", "ftlab-drive"])];
    assert_eq!(offences(&report), ["ftlab-report may not use ftlab-drive"]);
}

#[test]
fn a_crate_without_a_row_is_an_offence() {
    let unknown = [("ftlab-extra", vec![])];
    assert_eq!(offences(&unknown), ["ftlab-extra has no row in MAY_USE"]);
}

#[test]
fn the_table_itself_points_downwards() {
    for (row, (user, used)) in MAY_USE.iter().enumerate() {
        for name in *used {
            assert!(
                MAY_USE[..row].iter().any(|(lower, _)| lower == name),
                "{user} names {name}, which has no row above it"
            );
        }
    }
}
