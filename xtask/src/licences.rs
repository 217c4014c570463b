//! The licences of the libraries that are linked into `ftlab`, or into its module for Python, as one text: who hands the
//! program on hands them on.

use anyhow::{Context, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Beginnings of the names of files that have to be handed on.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// The libraries that the report embeds; their first comment has the licences.
const BUNDLE: &str = include_str!("../../crates/report/web/dist/libraries.js");

#[derive(Debug, Args)]
pub struct Options {
    /// The file to write
    out: PathBuf,
    /// The crate that the libraries are linked into
    #[arg(long, value_name = "CRATE", default_value = "ftlab")]
    of: String,
}

pub fn command(options: &Options) -> anyhow::Result<()> {
    let text = text(&linked(&metadata()?, &options.of)?)?;
    std::fs::write(&options.out, text)
        .with_context(|| format!("cannot write {}", options.out.display()))
}

/// The workspace as it is built for this machine: what others need is not fetched.
fn metadata() -> anyhow::Result<Metadata> {
    let options = ["--filter-platform", "host-tuple"].map(str::to_owned);
    MetadataCommand::new()
        .other_options(options)
        .exec()
        .context("cargo metadata resolves the workspace")
}

/// The packages from elsewhere that a program of the workspace is linked of.
fn linked<'a>(metadata: &'a Metadata, program: &str) -> anyhow::Result<Vec<&'a Package>> {
    let resolve = metadata.resolve.as_ref().context("nothing was resolved")?;
    let nodes: BTreeMap<&PackageId, _> = resolve.nodes.iter().map(|n| (&n.id, n)).collect();
    let members = metadata.workspace_packages();
    let root = members.iter().find(|package| package.name == program);
    let mut left = vec![&root.with_context(|| format!("there is no {program}"))?.id];
    let mut seen = BTreeSet::new();
    while let Some(id) = left.pop() {
        if !seen.insert(id) {
            continue;
        }
        let is_linked = |kinds: &[cargo_metadata::DepKindInfo]| {
            kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
        };
        let uses = nodes[id]
            .deps
            .iter()
            .filter(|dep| is_linked(&dep.dep_kinds));
        left.extend(uses.map(|dep| &dep.pkg));
    }
    let mut packages: Vec<&Package> = seen.into_iter().map(|id| &metadata[id]).collect();
    packages.retain(|package| package.source.is_some());
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(packages)
}

/// The packages with their licences, then each text once.
fn text(packages: &[&Package]) -> anyhow::Result<String> {
    let mut out = "ftlab is linked with these libraries. Their licences follow.\n\n".to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let called = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().unwrap_or("see its text");
        writeln!(out, "{called}: {licence}")?;
        let folder = package
            .manifest_path
            .parent()
            .context("it is in a folder")?;
        for path in notices(folder.as_std_path())? {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            // Many libraries have the same text, which is printed once for all of them.
            let text = text.trim().replace("\r\n", "\n");
            let users = texts.entry(text).or_default();
            if !users.contains(&called) {
                users.push(called.clone());
            }
        }
    }
    for (text, users) in texts {
        let users = users.join(", ");
        write!(out, "\n{}\n{users}\n\n{text}\n", "=".repeat(80))?;
    }
    let Some((bundled, _)) = BUNDLE.trim_start_matches("/*!").split_once("*/") else {
        bail!("the bundle of the report's libraries does not begin with their licences");
    };
    write!(
        out,
        "\n{}\nThe report's libraries\n{bundled}",
        "=".repeat(80)
    )?;
    Ok(out)
}

/// The files of a folder that have to be handed on.
fn notices(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_uppercase();
        if path.is_file() && NAMES.iter().any(|begin| name.starts_with(begin)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_licences_of_what_the_program_and_its_crates_link_are_there_and_of_no_tool() {
        let metadata = metadata().unwrap();
        let packages = linked(&metadata, "ftlab").unwrap();
        let names: Vec<&str> = packages.iter().map(|p| p.name.as_str()).collect();
        // Of its own manifest, of those of its crates; of tests and of another program.
        for (name, is_there) in [
            ("clap", true),
            ("rand_pcg", true),
            ("proptest", false),
            ("pyo3", false),
        ] {
            assert_eq!(names.contains(&name), is_there, "{name}");
        }
        let module = linked(&metadata, "ftlab-python").unwrap();
        assert!(module.iter().any(|package| package.name == "pyo3"));
        let text = text(&packages).unwrap();
        for part in [
            "Permission is hereby granted",
            "TERMS AND CONDITIONS FOR USE",
            "echarts",
            "zrender",
        ] {
            assert!(text.contains(part), "{part}");
        }
    }
}
