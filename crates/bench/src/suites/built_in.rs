//! The suites that come with ftlab: `suites/*.toml`, compiled in. Those of the reviews make one list of tests; others are
//! asked for by name.

use super::keys::unknown;
use super::{Family, Files, Suite, Test};
use ftlab_drive::Catalog;
use std::path::Path;
use std::sync::{Arc, LazyLock};

macro_rules! suite {
    ($name:literal) => {
        (
            concat!("suites/", $name, ".toml"),
            include_str!(concat!("../../suites/", $name, ".toml")),
        )
    };
}

/// (name, text) of every file in `suites/`, in the order of the list of methods.
const FILES: [(&str, &str); 6] = [
    suite!("anandtech-2008"),
    suite!("anandtech-2009"),
    suite!("behardware-2011"),
    suite!("anandtech-2012"),
    suite!("anandtech-2013"),
    suite!("witnesses"),
];

/// The suites of the reviews, parsed on first use: a run walks them many times.
static OURS: LazyLock<Vec<Suite>> = LazyLock::new(|| read(&FILES));

/// Suites of no one review.
const OTHERS: [(&str, &str); 3] = [suite!("modern"), suite!("desktop"), suite!("fit")];

fn read(suites: &[(&str, &str)]) -> Vec<Suite> {
    let mut files = Files::default();
    let read = |&(name, text): &(&str, &str)| {
        let suite = Suite::read(text, name, &mut files);
        suite.unwrap_or_else(|error| panic!("a test reads every suite: {error}"))
    };
    suites.iter().map(read).collect()
}

/// The name of a suite's file without folder and ending.
fn slug(file: &'static str) -> &'static str {
    let file = file.trim_start_matches("suites/");
    file.trim_end_matches(".toml")
}

/// Returns the names of the suites that are compiled in.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().chain(&OTHERS).map(|&(file, _)| slug(file))
}

/// The suite of that name: of its file without folder and ending.
///
/// # Errors
/// Which names there are.
pub fn named(name: &str) -> Result<Suite, String> {
    let all = || FILES.iter().chain(&OTHERS);
    let Some(of_name) = all().find(|(file, _)| slug(file) == name) else {
        return Err(unknown(name, all().map(|&(file, _)| slug(file))));
    };
    Ok(read(std::slice::from_ref(of_name)).remove(0))
}

/// The suite that has the most of some tests; none if none has any.
#[must_use]
pub fn with_most<'a>(tests: impl IntoIterator<Item = &'a str>) -> Option<Suite> {
    let tests: Vec<&str> = tests.into_iter().collect();
    let all = FILES
        .iter()
        .chain(&OTHERS)
        .map(|of| read(std::slice::from_ref(of)).remove(0));
    let having = all.map(|suite| {
        let has = |slug: &&&str| suite.tests().any(|test| test.answers_to(slug));
        (tests.iter().filter(has).count(), suite)
    });
    let most = having.max_by_key(|(count, _)| *count);
    most.filter(|(count, _)| *count > 0).map(|(_, suite)| suite)
}

/// Returns true if a suite is asked for by a name rather than by the path of a file. Whatever is a file, or looks like
/// the path of one, is a suite of the user's.
#[must_use]
pub fn is_name(path: &Path) -> bool {
    path.extension().is_none() && path.components().count() == 1 && !path.exists()
}

/// The suite of a file, or that which comes with ftlab under this name.
///
/// # Errors
/// As [`Suite::open`], and where no suite has the name, which there are.
pub fn open(path: &Path) -> Result<Suite, String> {
    match is_name(path) {
        true => named(&path.to_string_lossy())
            .map_err(|why| format!("no suite that comes with ftlab is called {why}")),
        false => Suite::open(path),
    }
}

/// Every family of the reviews, in the order of the list of methods.
pub fn families() -> impl Iterator<Item = &'static Arc<Family>> {
    OURS.iter().flat_map(|suite| &suite.families)
}

/// The drives that a review is of if none is named.
#[must_use]
pub fn drives() -> Vec<String> {
    let drives = OURS.iter().flat_map(|suite| &suite.drives);
    drives.cloned().collect()
}

/// The drives that a review of everything is of if none is named: all that come along, but for those of a suite of their
/// own. A drive of today is larger than what the reviews' tests were made for, and takes as long as several of theirs.
#[must_use]
pub fn all_drives() -> Vec<String> {
    let others = read(&OTHERS);
    let is_others = |drive: &str| {
        let mut named = others
            .iter()
            .flat_map(|suite| suite.drives.iter().chain(&suite.more_drives));
        named.any(|other| other == drive)
    };
    let ours = Catalog::drives()
        .into_iter()
        .filter(|drive| !is_others(drive));
    ours.map(str::to_owned).collect()
}

/// Every test of the reviews, family by family.
pub fn all() -> impl Iterator<Item = Test> {
    OURS.iter().flat_map(Suite::tests)
}
