//! What is one for a whole process: below a device it would let one drive change another.

use super::{may_only_shrink, sources};
use crate::layering::USES;

/// Files with a static that changes. Nothing that a drive does depends on these: memory that is used again, and who hears of a
/// panic.
const CHANGING: &[&str] = &["crates/base/src/guard.rs", "crates/base/src/memory.rs"];

/// Whether a line declares a static that changes after the program has begun; one that is worked out once does not.
fn changes(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_of_visibility = |word: &&str| ["", "pub", "crate", "super", "in"].contains(word);
    if words.by_ref().find(|word| !is_of_visibility(word)) != Some("static") {
        return false;
    }
    let changing = [
        "mut", "Mutex", "RwLock", "Once", "OnceLock", "Cell", "OnceCell", "RefCell",
    ];
    words.any(|word| changing.contains(&word) || word.starts_with("Atomic"))
}

#[test]
fn drives_of_a_process_have_nothing_in_common() {
    let (_, below) = (USES.iter().find(|row| row.0 == "ftlab-device")).expect("it has a row");
    let is_below = |path: &str| {
        let names = below.iter().chain(&["ftlab-device"]);
        let mut folders = names.filter_map(|name| name.strip_prefix("ftlab-"));
        folders.any(|folder| path.starts_with(&format!("crates/{folder}/")))
    };
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|source| is_below(&source.path) && source.text.lines().any(changes))
        .map(|source| source.path)
        .collect();
    let rule =
        "what a drive does depends on what its caller gave it, and on no static that changes";
    may_only_shrink(rule, CHANGING, &found);
}

#[test]
fn a_static_that_changes_is_told_from_one_that_does_not() {
    for line in [
        "static OWN: RwLock<Vec<&'static Registered>> = RwLock::new(Vec::new());",
        "    static NEXT: AtomicU64 = AtomicU64::new(1);",
        "pub(crate) static mut COUNT: u32 = 0;",
        "    static NUMBER: OnceCell<u64> = const { OnceCell::new() };",
    ] {
        assert!(changes(line), "{line}");
    }
    for line in [
        "pub static WORDS: &[Word] = &[",
        "static FILE: LazyLock<File> =",
        "    fn spare() -> &'static Mutex<Spare<Self>>;",
    ] {
        assert!(!changes(line), "{line}");
    }
}
