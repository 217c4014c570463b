//! Paths of the repository that comments and pages name lead somewhere.

use crate::repository::{files, text_files};
use std::collections::BTreeSet;

/// Pages that say what was, not what is.
const HISTORY: &[&str] = &["CHANGELOG.md"];

/// What there is in the repository.
struct Tree {
    /// Files and folders.
    paths: BTreeSet<String>,
    crates: BTreeSet<String>,
    /// Folders at the root.
    folders: BTreeSet<String>,
}

impl Tree {
    fn of(files: &[&str]) -> Tree {
        let mut paths = BTreeSet::new();
        for file in files {
            let ends = file.match_indices('/').map(|(at, _)| at);
            paths.extend(ends.map(|at| file[..at].to_owned()));
            paths.insert((*file).to_owned());
        }
        let below = |root: &str| -> BTreeSet<String> {
            let folders = files
                .iter()
                .filter_map(|file| file.strip_prefix(root)?.split_once('/'));
            folders.map(|(folder, _)| folder.to_owned()).collect()
        };
        Tree {
            crates: below("crates/"),
            folders: below(""),
            paths,
        }
    }

    /// Whether a word is a path of the repository: one from its root, or one that begins with a crate.
    fn is_path(&self, word: &str) -> bool {
        let Some((first, rest)) = word.split_once('/') else {
            return false;
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./*".contains(c);
        if rest.is_empty() || word.contains("//") || word.contains("..") || !word.chars().all(plain)
        {
            return false;
        }
        let is_of_crate = || {
            let begins = ["src/", "tests/", "benches/"]
                .iter()
                .any(|folder| rest.starts_with(folder));
            begins || rest.ends_with(".rs") || rest.ends_with('/')
        };
        // What a reader fills in.
        let is_blank = |part: &str| {
            let name = part.split('.').next().unwrap_or_default();
            name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase())
        };
        if rest
            .split('/')
            .any(|part| is_blank(part) && part != "README.md")
        {
            return false;
        }
        self.folders.contains(first) || self.crates.contains(first) && is_of_crate()
    }

    /// Whether it leads somewhere: from the root, from the crates, or from the sources of a crate, that of the file `from`
    /// which names it too.
    fn leads_somewhere(&self, from: &str, word: &str) -> bool {
        let word = word.trim_end_matches('/');
        let (first, rest) = word.split_once('/').unwrap_or((word, ""));
        let own = from.split("/src/").next().unwrap_or_default();
        let places = [
            word.to_owned(),
            format!("crates/{word}"),
            format!("crates/{first}/src/{rest}"),
            format!("{own}/src/{word}"),
        ];
        places.iter().any(|place| match place.split_once('*') {
            None => self.paths.contains(place),
            Some((begin, end)) => {
                let mut paths = self.paths.iter();
                paths.any(|path| path.starts_with(begin) && path.ends_with(end))
            }
        })
    }

    /// Paths of a line that lead nowhere.
    fn stale<'a>(&self, from: &str, line: &'a str) -> Vec<&'a str> {
        let words = line.split(|c: char| c.is_whitespace() || "`()[]<>{}|,;:\"'=→…".contains(c));
        let words = words.map(|word| word.trim_end_matches(['.', '?', '!']));
        words
            .filter(|word| self.is_path(word) && !self.leads_somewhere(from, word))
            .collect()
    }
}

/// The lines of a file that say something of the repository, with their numbers: comments of code; of pages all but what
/// stands in fences, other than text, which is what a reader types and gets.
fn said<'a>(name: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    let is_page = name.ends_with(".md");
    let is_code = name.ends_with(".rs");
    let mut fence = None;
    let mut said = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        if is_page && start.starts_with("```") {
            fence = match fence {
                None => Some(start.trim_start_matches('`')),
                Some(_) => None,
            };
        }
        let is_said = is_code && start.starts_with("//")
            || is_page && fence.is_none_or(|fence| fence == "text");
        if is_said {
            said.push((number + 1, line));
        }
    }
    said
}

#[test]
fn paths_that_comments_and_pages_name_lead_somewhere() {
    let names = files();
    let tree = Tree::of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let files = text_files();
    let mut stale = Vec::new();
    let mut named = 0;
    for (name, text) in files
        .iter()
        .filter(|(name, _)| !HISTORY.contains(&name.as_str()))
    {
        for (number, line) in said(name, text) {
            named += usize::from(line.contains(".rs"));
            stale.extend(
                tree.stale(name, line)
                    .iter()
                    .map(|path| format!("{name}:{number}: {path}")),
            );
        }
    }
    assert!(named > 100, "only {named} lines name a Rust file");
    assert!(stale.is_empty(), "these lead nowhere:\n{stale:#?}");
}

#[test]
fn a_path_that_leads_nowhere_is_found() {
    let tree = Tree::of(&["crates/drive/src/ssd/mod.rs", "jobs/a.fio", "docs/b.md"]);
    for line in [
        "as `crates/drive/src/ssd/mod.rs` and drive/ssd/mod.rs say, and ssd/mod.rs",
        "(`drive/src/ssd/`), jobs/*.fio, docs/b.md.",
        "a drive/test/state, read/write, https://docs/none.md, /docs/none, jobs/NAME.fio",
    ] {
        assert_eq!(
            tree.stale("crates/drive/src/lib.rs", line),
            [""; 0],
            "{line}"
        );
    }
    for (line, path) in [
        ("see `drive/src/disk.rs`:", "drive/src/disk.rs"),
        ("(`drive/src/disk/`)", "drive/src/disk/"),
        ("in docs/c.md.", "docs/c.md"),
        ("jobs/*.toml", "jobs/*.toml"),
    ] {
        assert_eq!(
            tree.stale("crates/drive/src/lib.rs", line),
            [path],
            "{line}"
        );
    }
    let page = "docs/a.md\n```sh\ndocs/b.md\n```\n```text\ndocs/c.md\n```\n";
    let lines: Vec<usize> = said("README.md", page).iter().map(|said| said.0).collect();
    // The fences of text stand with it, and the end of another begins what is said again.
    assert_eq!(lines, [1, 4, 5, 6, 7]);
}
