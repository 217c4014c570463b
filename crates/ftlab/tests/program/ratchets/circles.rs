//! Files of a crate that `use` each other in a ring can only be understood together, so a ring has at most four.
//!
//! A name that a file hands on from another one is that other file's, so handing it on joins no ring.

use super::{Source, sources};
use std::collections::{BTreeMap, BTreeSet};

const FILES_MAX: usize = 4;

/// A module's path below the root of its crate.
type Module = Vec<String>;

/// A path that a file names by `use`.
struct Named {
    path: Vec<String>,
    /// Whether it is there for others.
    is_handed_on: bool,
}

/// The modules of a crate that are files, each with the paths that it names.
struct Crate {
    files: BTreeMap<Module, Vec<Named>>,
}

impl Crate {
    /// The files that `module` uses, itself left out.
    fn used_by(&self, module: &Module) -> BTreeSet<&Module> {
        let own = self.files[module]
            .iter()
            .filter(|named| !named.is_handed_on);
        let used = own.filter_map(|named| self.place(module, &named.path));
        used.filter(|used| *used != module).collect()
    }

    /// The file that has what a path of `module` names; nothing for what is of another crate.
    fn place(&self, module: &Module, path: &[String]) -> Option<&Module> {
        let mut at = module.clone();
        let mut is_own = false;
        let mut rest = path;
        while let [name, below @ ..] = rest {
            match name.as_str() {
                "crate" => at.clear(),
                "super" => _ = at.pop(),
                "self" => {}
                child => {
                    at.push(child.to_owned());
                    if !self.files.contains_key(&at) {
                        at.pop();
                        break;
                    }
                }
            }
            is_own = true;
            rest = below;
        }
        let (found, names) = self.files.get_key_value(&at).filter(|_| is_own)?;
        let of = |name: &String| names.iter().find(|named| named.path.last() == Some(name));
        match rest.first().and_then(of) {
            Some(handed_on) if handed_on.path != *path => self.place(found, &handed_on.path),
            _ => Some(found),
        }
    }

    /// The files that lead to each other, each ring once.
    fn circles(&self) -> Vec<BTreeSet<&Module>> {
        let below = |module| {
            let mut seen = BTreeSet::new();
            let mut left: Vec<&Module> = self.used_by(module).into_iter().collect();
            while let Some(module) = left.pop() {
                if seen.insert(module) {
                    left.extend(self.used_by(module));
                }
            }
            seen
        };
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            self.files.keys().map(|file| (file, below(file))).collect();
        let mut circles: Vec<BTreeSet<&Module>> = Vec::new();
        for (file, reached) in &reach {
            let ring: BTreeSet<&Module> = reached
                .iter()
                .copied()
                .filter(|other| reach[other].contains(file))
                .collect();
            if !ring.is_empty() && !circles.contains(&ring) {
                circles.push(ring);
            }
        }
        circles
    }
}

/// The paths that a text names by `use`, one for each name.
fn used(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        let of = ["", "pub ", "pub(crate) ", "pub(super) "];
        let begins = of
            .iter()
            .find_map(|word| line.strip_prefix(word)?.strip_prefix("use "));
        let Some(begin) = begins else { continue };
        let mut statement = begin.to_owned();
        while !statement.contains(';') {
            let Some(more) = lines.next() else { break };
            statement += more.trim();
        }
        let statement = statement.split(';').next().unwrap_or_default();
        let mut paths = Vec::new();
        names(&[], statement, &mut paths);
        let is_handed_on = line.starts_with("pub");
        found.extend(paths.into_iter().map(|path| Named { path, is_handed_on }));
    }
    found
}

/// The names of a tree of names, below a path.
fn names(path: &[String], tree: &str, found: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    if let Some(inner) = tree.strip_prefix('{') {
        let inner = inner.strip_suffix('}').unwrap_or(inner);
        let mut depth = 0;
        let is_end = |c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        };
        let each = inner.split(is_end).filter(|one| !one.trim().is_empty());
        for one in each {
            names(path, one, found);
        }
        return;
    }
    let (first, below) = match tree.split_once("::") {
        Some((first, below)) if !first.contains(' ') => (first, Some(below)),
        _ => (tree.split(' ').next().unwrap_or_default(), None),
    };
    let mut path = path.to_vec();
    if first != "self" || path.is_empty() {
        path.push(first.to_owned());
    }
    match below {
        Some(below) => names(&path, below, found),
        None => found.push(path),
    }
}

/// The crates of sources, by their folders.
fn crates(sources: &[Source]) -> BTreeMap<String, Crate> {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for Source { path, text } in sources {
        let (root, file) = path.split_once("/src/").expect("a source");
        let mut module: Module = file
            .trim_end_matches(".rs")
            .split('/')
            .map(str::to_owned)
            .collect();
        let is_root = ["lib", "main"].contains(&module[0].as_str()) && module.len() == 1;
        if is_root || module.last().is_some_and(|last| last == "mod") {
            module.pop();
        }
        // A program's `main` beside its library knows that alone.
        let of = crates.entry(root.to_owned()).or_insert(Crate {
            files: BTreeMap::new(),
        });
        of.files.entry(module).or_insert_with(|| used(text));
    }
    crates
}

/// Circles of too many files, each by its crate, how many files it has, and the first of them.
fn larger(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for (root, files) in crates(sources) {
        for circle in files.circles() {
            if circle.len() > FILES_MAX {
                let files: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
                println!("{root}: {}", files.join(", "));
                let first = files.iter().find(|file| !file.is_empty());
                let first = first.map_or("", String::as_str);
                found.push(format!("{root}: {}, {first}", circle.len()));
            }
        }
    }
    found
}

#[test]
fn files_that_use_each_other_in_a_ring_are_few() {
    let larger = larger(&sources());
    assert!(
        larger.is_empty(),
        "a ring of files that use each other has at most four; these have more:\n{larger:#?}"
    );
}

#[test]
fn a_ring_is_found_whatever_its_files_name_each_other_by() {
    let source = |path: &str, text: &str| Source {
        path: format!("crates/a/src/{path}"),
        text: text.to_owned(),
    };
    let ring = [
        source("lib.rs", "use z::Z;\npub use b::c::C;\nmod b;\nmod f;\n"),
        source("b/mod.rs", "use crate::b::{\n    c::{C, CC},\n};\n"),
        source("b/c.rs", "use super::d::D as E;\n"),
        source("b/d.rs", "use super::super::f;\nuse std::fmt;\n"),
        source("f.rs", "    use self::g::*;\n"),
        source("f/g.rs", "use crate::b;\n"),
    ];
    assert_eq!(larger(&ring), ["crates/a: 5, b"]);
    let with = |last: &str| {
        let names = ["lib.rs", "b/mod.rs", "b/c.rs", "b/d.rs", "f.rs", "f/g.rs"];
        let texts = ring.iter().map(|one| one.text.as_str());
        let mut files: Vec<Source> = names
            .iter()
            .zip(texts)
            .map(|(name, text)| source(name, text))
            .collect();
        files[5].text = last.to_owned();
        larger(&files)
    };
    assert_eq!(with("use crate::b::c::C;\n"), [""; 0]);
    // What the root hands on is a child's, or of another crate.
    assert_eq!(
        with("use crate::C;\nuse super::super::b;\n"),
        ["crates/a: 5, b"]
    );
    assert_eq!(with("use crate::Z;\n"), [""; 0]);
}
