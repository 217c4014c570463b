//! A package of a crate has what the crate is built of, and its licences: whoever takes it from a registry has no
//! repository around it.
//!
//! Cargo follows links when it makes a package, so what lies at the root of the repository is in the packages of the crates
//! that link to it.

use cargo_metadata::{MetadataCommand, Package};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The crates that are published; each names the registries it may go to, and none when it may go nowhere.
fn published() -> Vec<Package> {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata reads the workspace");
    let mut packages = metadata.packages;
    packages.retain(|package| package.publish != Some(Vec::new()));
    packages
}

fn folder(package: &Package) -> &Path {
    let folder = package.manifest_path.parent();
    folder.expect("a manifest is in a folder").as_std_path()
}

/// The files of a package as cargo would make it.
fn files(package: &Package) -> BTreeSet<String> {
    let listed = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "--package",
        ])
        .arg(package.name.as_str())
        .current_dir(folder(package))
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&listed.stderr);
    assert!(listed.status.success(), "{}: {said}", package.name);
    let names = String::from_utf8(listed.stdout).expect("file names are UTF-8");
    names.lines().map(|name| name.replace('\\', "/")).collect()
}

/// Where `relative` leads from the folder of `file`, below the root of the package; nothing if it leads out of it.
fn resolved(file: &str, relative: &str) -> Option<String> {
    let mut path = PathBuf::from(file);
    path.pop();
    for part in Path::new(relative).components() {
        match part {
            Component::ParentDir if !path.pop() => return None,
            Component::ParentDir => {}
            part => path.push(part),
        }
    }
    Some(path.to_string_lossy().into_owned())
}

/// What the text of `file` takes in when it is compiled, as it stands there; of a name that is put together, its beginning.
/// Tests are not compiled in a package.
fn taken_in<'a>(file: &str, text: &'a str) -> Vec<&'a str> {
    if file.ends_with("tests.rs") || file.contains("/tests/") {
        return Vec::new();
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let after = ["include!(", "include_str!(", "include_bytes!("]
        .into_iter()
        .flat_map(|word| code.split(word).skip(1));
    // What a build script has made is in no package, and what it writes is no text yet.
    let after = after.map(str::trim_start).filter(|rest| {
        rest.starts_with('"') || rest.starts_with("concat!(") && !rest.starts_with("concat!(env!")
    });
    after.filter_map(|rest| rest.split('"').nth(1)).collect()
}

/// What `file` takes in and `files` do not have.
fn missing(file: &str, text: &str, files: &BTreeSet<String>) -> Vec<String> {
    let is_there = |relative: &&str| {
        let path = resolved(file, relative);
        path.is_some_and(|path| files.iter().any(|name| name.starts_with(&path)))
    };
    let taken = taken_in(file, text).into_iter();
    let missing = taken.filter(|relative| !is_there(relative));
    missing
        .map(|relative| format!("{file}: {relative}"))
        .collect()
}

#[test]
fn what_is_taken_in_from_outside_of_a_package_is_found() {
    let files = ["src/lib.rs", "data/a.csv", "suites/b.toml"];
    let files = files.map(str::to_owned).into();
    let within =
        "include_str!(\"../data/a.csv\") include_str!(concat!(\"../suites/\", $name, \".toml\"))
        include!(concat!(env!(\"OUT_DIR\"), \"/c.rs\"));
        #[cfg(test)] mod tests { include_str!(\"../../../README.md\") }";
    assert_eq!(taken_in("src/lib.rs", within).len(), 2);
    assert_eq!(missing("src/lib.rs", within, &files), Vec::<String>::new());
    let outside = "include_str!(\"../../data/a.csv\") include_bytes!(\n\"../data/c.csv\")";
    assert_eq!(missing("src/lib.rs", outside, &files).len(), 2);
}

#[test]
fn a_package_has_what_its_crate_is_built_of() {
    let mut left = Vec::new();
    let mut taken = 0;
    for package in published() {
        let files = files(&package);
        for licence in ["LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"] {
            if !files.contains(licence) {
                left.push(format!("{}: {licence}", package.name));
            }
        }
        for file in files.iter().filter(|file| file.ends_with(".rs")) {
            let text = std::fs::read_to_string(folder(&package).join(file)).expect("it is text");
            taken += taken_in(file, &text).len();
            left.extend(missing(file, &text, &files));
        }
        // What build scripts embed, too: folders that are linked.
        for entry in folder(&package).read_dir().expect("it is a folder") {
            let path = entry.expect("it can be read").path();
            if path.is_symlink() && path.is_dir() {
                left.extend(
                    below(&path, folder(&package))
                        .into_iter()
                        .filter(|file| !files.contains(file)),
                );
            }
        }
    }
    assert!(taken > 40, "only {taken} files are taken in");
    assert_eq!(left, Vec::<String>::new());
}

/// The files below a folder, by their paths below `root`.
fn below(at: &Path, root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in at.read_dir().expect("it is a folder") {
        let path = entry.expect("it can be read").path();
        match path.is_dir() {
            true => found.extend(below(&path, root)),
            false => {
                let path = path.strip_prefix(root).expect("it is below");
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found
}

#[test]
fn what_is_published_says_what_it_is_and_uses_only_what_is_published() {
    let packages = published();
    let names: BTreeSet<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    assert!(
        names.contains("ftlab") && !names.contains("xtask"),
        "{names:?}"
    );
    for package in &packages {
        let name = &package.name;
        assert!(
            package.description.is_some() && package.license.is_some(),
            "{name}"
        );
        assert!(
            !package.keywords.is_empty() && !package.categories.is_empty(),
            "{name}"
        );
        for used in package
            .dependencies
            .iter()
            .filter(|used| used.path.is_some())
        {
            assert!(
                names.contains(used.name.as_str()),
                "{name} uses {}",
                used.name
            );
            assert_eq!(
                used.req.to_string(),
                format!("^{}", package.version),
                "{name}: {}",
                used.name
            );
        }
    }
}
