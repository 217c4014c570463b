//! What it brings into somebody else's build.

use std::collections::BTreeSet;
use std::process::Command;

const CRATES_MAX: usize = 50;

#[test]
fn its_tree_has_at_most_fifty_crates() {
    let mut tree = Command::new(env!("CARGO"));
    tree.args([
        "tree",
        "--offline",
        "--locked",
        "--edges",
        "normal",
        "--prefix",
        "none",
    ]);
    let tree = tree
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    let tree = String::from_utf8(tree.stdout).unwrap();
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(names.contains("ftlab-drive"), "{names:?}");
    assert!(
        names.len() <= CRATES_MAX,
        "{} crates: {names:?}",
        names.len()
    );
}
