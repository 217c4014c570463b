//! Which crate may use which: arrows point only downwards.
//!
//! The table lists every crate that a row names in its manifest, for any kind of dependency (normal,
//! build, development). An edge it does not list is an error, and so is one it lists and nobody uses.

use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A crate and every crate of the workspace it uses; lower crates first.
pub const USES: &[(&str, &[&str])] = &[
    ("ftlab-base", &[]),
    ("ftlab-theory", &[]),
    ("ftlab-nand", &["ftlab-base"]),
    // Siblings that never meet: the translation layer knows no clock, the clock no logical page.
    ("ftlab-ftl", &["ftlab-base", "ftlab-nand"]),
    ("ftlab-timing", &["ftlab-base", "ftlab-nand"]),
    // What drive files and testbed files have in common; the host's side of the cable.
    ("ftlab-sheet", &["ftlab-base"]),
    // What its files are is the sheets' to say; when and where they are written is its users'.
    ("ftlab-output", &["ftlab-base", "ftlab-sheet"]),
    ("ftlab-host", &["ftlab-base", "ftlab-sheet"]),
    // Drives make what it has, results keep it: the two meet nowhere else.
    ("ftlab-smart", &[]),
    (
        "ftlab-drive",
        &[
            "ftlab-sheet",
            "ftlab-host",
            "ftlab-smart",
            "ftlab-base",
            "ftlab-nand",
            "ftlab-ftl",
            "ftlab-timing",
        ],
    ),
    // What a power cut takes: images and devices in memory share it.
    (
        "ftlab-cut",
        &["ftlab-base", "ftlab-nand", "ftlab-ftl", "ftlab-drive"],
    ),
    // What brings a drive to a state is a host's commands, whoever runs it then.
    (
        "ftlab-states",
        &[
            "ftlab-base",
            "ftlab-theory",
            "ftlab-ftl",
            "ftlab-host",
            "ftlab-drive",
        ],
    ),
    ("ftlab-workload", &["ftlab-base"]),
    // Files of other programs as texts of ours: what a drive file makes is no concern of it.
    ("ftlab-import", &["ftlab-base"]),
    // The other way: what a drive is has to be known. Its tests read back what it wrote.
    (
        "ftlab-card",
        &[
            "ftlab-base",
            "ftlab-sheet",
            "ftlab-drive",
            "ftlab-workload",
            "ftlab-import",
        ],
    ),
    ("ftlab-trace", &["ftlab-base"]),
    ("ftlab-nbd", &["ftlab-base"]),
    // For other people's simulators: all of it is below.
    (
        "ftlab-device",
        &[
            "ftlab-base",
            "ftlab-nand",
            "ftlab-ftl",
            "ftlab-sheet",
            "ftlab-host",
            "ftlab-smart",
            "ftlab-drive",
            "ftlab-cut",
            "ftlab-states",
        ],
    ),
    // Its tests compare it with a device.
    (
        "ftlab-image",
        &[
            "ftlab-base",
            "ftlab-nand",
            "ftlab-ftl",
            "ftlab-host",
            "ftlab-sheet",
            "ftlab-output",
            "ftlab-drive",
            "ftlab-cut",
            "ftlab-device",
        ],
    ),
    (
        "ftlab-attach",
        &[
            "ftlab-base",
            "ftlab-host",
            "ftlab-drive",
            "ftlab-smart",
            "ftlab-trace",
            "ftlab-nbd",
            "ftlab-image",
        ],
    ),
    (
        "ftlab-fuzz",
        &[
            "ftlab-base",
            "ftlab-ftl",
            "ftlab-host",
            "ftlab-sheet",
            "ftlab-drive",
            "ftlab-workload",
            "ftlab-nbd",
        ],
    ),
    ("ftlab-result", &["ftlab-smart"]),
    // What other programs measured: it runs nothing, and of the states it has the rule of steadiness alone.
    (
        "ftlab-readings",
        &["ftlab-base", "ftlab-output", "ftlab-states", "ftlab-result"],
    ),
    // Both wings of the command line use it.
    (
        "ftlab-console",
        &["ftlab-base", "ftlab-drive", "ftlab-output", "ftlab-result"],
    ),
    (
        "ftlab-play",
        &[
            "ftlab-base",
            "ftlab-theory",
            "ftlab-ftl",
            "ftlab-host",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-trace",
            "ftlab-result",
        ],
    ),
    // The device for C: what it says is that crate's. Its tests run the job of its examples.
    (
        "ftlab-capi",
        &[
            "ftlab-device",
            "ftlab-base",
            "ftlab-drive",
            "ftlab-host",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-play",
        ],
    ),
    (
        "ftlab-disk",
        &[
            "ftlab-base",
            "ftlab-console",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-smart",
            "ftlab-host",
            "ftlab-sheet",
            "ftlab-workload",
            "ftlab-nbd",
            "ftlab-image",
            "ftlab-attach",
        ],
    ),
    // It knows no suite, no command and no page.
    (
        "ftlab-lab",
        &[
            "ftlab-base",
            "ftlab-host",
            "ftlab-sheet",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-result",
            "ftlab-play",
        ],
    ),
    (
        "ftlab-bench",
        &[
            "ftlab-base",
            "ftlab-output",
            "ftlab-theory",
            "ftlab-host",
            "ftlab-sheet",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-trace",
            "ftlab-result",
            "ftlab-readings",
            "ftlab-play",
            "ftlab-lab",
            "ftlab-card",
        ],
    ),
    (
        "ftlab-claims",
        &[
            "ftlab-base",
            "ftlab-host",
            "ftlab-sheet",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-result",
            "ftlab-play",
            "ftlab-lab",
            "ftlab-bench",
        ],
    ),
    // Real drives: tests and loads of a bench, no drive of a model.
    (
        "ftlab-measure",
        &[
            "ftlab-base",
            "ftlab-sheet",
            "ftlab-smart",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-result",
            "ftlab-readings",
            "ftlab-play",
            "ftlab-lab",
            "ftlab-bench",
        ],
    ),
    // Suites on candidates; it reads results, and knows nobody who measured them.
    (
        "ftlab-fit",
        &[
            "ftlab-base",
            "ftlab-sheet",
            "ftlab-host",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-result",
            "ftlab-play",
            "ftlab-lab",
            "ftlab-bench",
        ],
    ),
    // Nothing of a simulation, so that a real drive's results look like a simulated one's.
    ("ftlab-report", &["ftlab-result"]),
    // It uses of the base the guard around readers of files alone.
    ("ftlab-export", &["ftlab-base", "ftlab-result"]),
    (
        "ftlab-sweep",
        &[
            "ftlab-base",
            "ftlab-output",
            "ftlab-sheet",
            "ftlab-host",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-trace",
            "ftlab-result",
            "ftlab-play",
            "ftlab-lab",
            "ftlab-bench",
            "ftlab-export",
        ],
    ),
    (
        "ftlab",
        &[
            "ftlab-base",
            "ftlab-ftl",
            "ftlab-host",
            "ftlab-sheet",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-device",
            "ftlab-workload",
            "ftlab-trace",
            "ftlab-result",
            "ftlab-readings",
            "ftlab-play",
            "ftlab-lab",
            "ftlab-bench",
            "ftlab-claims",
            "ftlab-measure",
            "ftlab-fit",
            "ftlab-report",
            "ftlab-export",
            "ftlab-import",
            "ftlab-card",
            "ftlab-sweep",
            "ftlab-console",
            // Tests of the disk are clients of these three rooms.
            "ftlab-nbd",
            "ftlab-image",
            "ftlab-attach",
            "ftlab-disk",
        ],
    ),
    // The command line's road for another language, and none of its own.
    (
        "ftlab-python",
        &[
            "ftlab-base",
            "ftlab-output",
            "ftlab-console",
            "ftlab-theory",
            "ftlab-ftl",
            "ftlab-host",
            "ftlab-drive",
            "ftlab-device",
            "ftlab-states",
            "ftlab-workload",
            "ftlab-import",
            "ftlab-trace",
            "ftlab-result",
            "ftlab-play",
            "ftlab-lab",
            "ftlab-bench",
            "ftlab-report",
            "ftlab-export",
            "ftlab-sweep",
            // What its script runs.
            "ftlab",
        ],
    ),
    // Copied by those who write policies: what it uses of the inside, its tests use.
    ("my-policy", &["ftlab-base", "ftlab-theory", "ftlab"]),
    // Calibration reads what a review comes to; nothing uses it.
    (
        "xtask",
        &[
            "ftlab-base",
            "ftlab-drive",
            "ftlab-states",
            "ftlab-result",
            "ftlab-bench",
            "ftlab-fit",
            "ftlab-play",
            "ftlab-lab",
            // Pages of docs, from the runs that they are of.
            "ftlab-card",
            "ftlab-claims",
            "ftlab-ftl",
            "ftlab-host",
            "ftlab-report",
            "ftlab-theory",
            "ftlab-workload",
        ],
    ),
];

/// A crate and the crates of the workspace it names in its manifest.
type Uses<'a> = (&'a str, Vec<&'a str>);

/// What is wrong with `workspace`, one sentence each.
fn offences(workspace: &[Uses<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    for (user, used) in workspace {
        let Some((_, allowed)) = USES.iter().find(|(name, _)| name == user) else {
            found.push(format!("{user} has no row in USES"));
            continue;
        };
        for name in used.iter().filter(|name| !allowed.contains(name)) {
            found.push(format!("{user} may not use {name}"));
        }
        for name in allowed.iter().filter(|name| !used.contains(name)) {
            found.push(format!(
                "{user} does not use {name}: take it out of its row"
            ));
        }
    }
    found
}

/// The disk, which holds data and survives power cuts.
const DISK: &[&str] = &["ftlab-nbd", "ftlab-image", "ftlab-attach", "ftlab-disk"];

/// The lab, which runs loads on drives and reports what came of them.
const LAB: &[&str] = &[
    "ftlab-import",
    "ftlab-readings",
    "ftlab-card",
    "ftlab-bench",
    "ftlab-claims",
    "ftlab-measure",
    "ftlab-fit",
    "ftlab-report",
    "ftlab-export",
    "ftlab-sweep",
    "ftlab-python",
];

/// Where disk and lab meet, and nowhere else.
const BOTH: &str = "ftlab";

/// Crates of a table in which disk and lab meet though they are not to.
fn meetings<'a>(table: &[(&'a str, &[&str])]) -> Vec<&'a str> {
    let uses = |name: &str| table.iter().find(|row| row.0 == name).map(|row| row.1);
    let reaches = |from: &str, wing: &[&str]| {
        let mut left = vec![from];
        let mut seen = BTreeSet::new();
        while let Some(name) = left.pop() {
            if name != BOTH && seen.insert(name) {
                left.extend(uses(name).into_iter().flatten());
            }
        }
        wing.iter().any(|name| seen.contains(name))
    };
    let names = table.iter().map(|row| row.0);
    names
        .filter(|name| reaches(name, DISK) && reaches(name, LAB))
        .collect()
}

#[test]
fn disk_and_lab_meet_in_the_command_line_alone() {
    assert_eq!(meetings(USES), Vec::<&str>::new());
    for name in DISK.iter().chain(LAB) {
        assert!(USES.iter().any(|row| row.0 == *name), "{name}");
    }
    let below: &[&str] = &["ftlab-nbd"];
    let crossed = [
        ("ftlab-nbd", &[][..]),
        ("ftlab-host", below),
        ("ftlab-bench", &["ftlab-host"]),
        ("ftlab", &["ftlab-bench", "ftlab-nbd"]),
    ];
    assert_eq!(meetings(&crossed), ["ftlab-bench"]);
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
            // What is named for one system alone is named for none that a browser is. What a feature brings is there
            // when a default feature names it: in the workspace, only the program turns others on.
            let by_default = package.features.get("default").cloned().unwrap_or_default();
            let normal = normal.filter(|dependency| {
                dependency.kind == DependencyKind::Normal
                    && dependency.target.is_none()
                    && (!dependency.optional || !by_default.is_empty())
            });
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
fn an_edge_upwards_or_between_siblings_is_an_offence_and_so_is_one_of_the_table_alone() {
    let sideways = [(
        "ftlab-timing",
        vec!["ftlab-base", "ftlab-nand", "ftlab-ftl"],
    )];
    assert_eq!(offences(&sideways), ["ftlab-timing may not use ftlab-ftl"]);

    let upwards = [("ftlab-nand", vec!["ftlab-base", "ftlab-drive"])];
    assert_eq!(offences(&upwards), ["ftlab-nand may not use ftlab-drive"]);

    let report = [("ftlab-report", vec!["ftlab-result", "ftlab-drive"])];
    assert_eq!(offences(&report), ["ftlab-report may not use ftlab-drive"]);

    let unused = [("ftlab-nand", vec![])];
    assert_eq!(
        offences(&unused),
        ["ftlab-nand does not use ftlab-base: take it out of its row"]
    );
}

/// The Rust files below `folder`.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            text += &sources(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text += &std::fs::read_to_string(&path).expect("it is text");
        }
    }
    text
}

/// Those of `names` of which `source` takes nothing.
fn unused<'a>(names: impl Iterator<Item = &'a str>, source: &str) -> Vec<&'a str> {
    let is_used = |name: &str| source.contains(&format!("{}::", name.replace('-', "_")));
    names.filter(|name| !is_used(name)).collect()
}

/// Named in a manifest for the features they switch on in what others use.
const NAMED_FOR_FEATURES: [&str; 1] = ["argmin-math"];

#[test]
fn what_a_manifest_names_its_crate_uses() {
    assert_eq!(
        unused(["rand-pcg", "rand"].into_iter(), "use rand::Rng;"),
        ["rand-pcg"]
    );
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata reads the workspace");
    let mut left = Vec::new();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().expect("it is in a folder");
        let names = package.dependencies.iter().map(|d| d.name.as_str());
        let names = names.filter(|name| !NAMED_FOR_FEATURES.contains(name));
        let places = ["src", "tests", "benches", "examples"];
        let source = places.map(|place| sources(folder.join(place).as_std_path()));
        for name in unused(names, &source.concat()) {
            left.push(format!("{} does not use {name}", package.name));
        }
    }
    assert_eq!(left, Vec::<String>::new());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the workspace has a manifest");
    let (_, listed) = manifest
        .split_once("[workspace.dependencies]\n")
        .expect("it lists them");
    let (listed, _) = listed.split_once("\n[").expect("lints follow");
    let listed = listed.lines().filter_map(|line| line.split_once(" = "));
    let is_used = |name: &str| {
        let mut packages = metadata.workspace_packages().into_iter();
        packages.any(|package| package.dependencies.iter().any(|d| d.name == name))
    };
    let left: Vec<&str> = listed
        .map(|(name, _)| name)
        .filter(|name| !is_used(name))
        .collect();
    assert_eq!(left, Vec::<&str>::new(), "no crate uses them");
}

#[test]
fn a_crate_without_a_row_is_an_offence() {
    let unknown = [("ftlab-extra", vec![])];
    assert_eq!(offences(&unknown), ["ftlab-extra has no row in USES"]);
}

#[test]
fn the_table_itself_points_downwards() {
    for (row, (user, used)) in USES.iter().enumerate() {
        for name in *used {
            assert!(
                USES[..row].iter().any(|(lower, _)| lower == name),
                "{user} names {name}, which has no row above it"
            );
        }
    }
}
