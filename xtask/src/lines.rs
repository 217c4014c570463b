//! Lines of code of the program by crate: the size that a change of it is measured by.
//!
//! A line of code is one that is neither blank nor begins with `//`. Tests are not counted: files `tests.rs`, folders
//! `tests` and modules `#[cfg(test)] mod tests { … }`.

use anyhow::{Context, Result};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Options {
    /// The workspace to count
    #[arg(default_value = ".")]
    root: PathBuf,
}

pub fn command(options: &Options) -> Result<()> {
    let counted = counted(&options.root)?;
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    let sum = counted.iter().map(|(_, lines)| lines).sum();
    for (name, lines) in counted.iter().map(|(name, lines)| (name.as_str(), *lines)) {
        table.add_row([name, &lines.to_string()]);
    }
    table.add_row(["all", &usize::to_string(&sum)]);
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    println!("{table}");
    Ok(())
}

/// The crates of the workspace at `root` and their lines of code, by name.
fn counted(root: &Path) -> Result<Vec<(String, usize)>> {
    let mut sources = vec![("xtask".to_owned(), root.join("xtask/src"))];
    let crates = root.join("crates");
    let entries = crates.read_dir();
    for entry in entries.with_context(|| format!("cannot read {}", crates.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        sources.push((name, entry.path().join("src")));
    }
    sources.sort();
    let counted = sources.into_iter().map(|(name, source)| {
        let lines = below(&source).with_context(|| format!("cannot read {}", source.display()))?;
        Ok((name, lines))
    });
    counted.collect()
}

/// Lines of code of the Rust files below `folder`, tests left out.
fn below(folder: &Path) -> Result<usize> {
    let mut lines = 0;
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "tests" {
            lines += below(&path)?;
        } else if path.extension().is_some_and(|end| end == "rs") && name != "tests.rs" {
            lines += code(&fs::read_to_string(&path)?);
        }
    }
    Ok(lines)
}

/// Lines of code of a file's text. Formatted, so a module ends with a brace as far to the right as it begins.
fn code(text: &str) -> usize {
    let mut found = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let begins_tests = |next: &&str| next.trim_start().starts_with("mod tests {");
        if line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(begins_tests) {
            let end = line.replace("#[cfg(test)]", "}");
            lines.by_ref().find(|line| *line == end);
            continue;
        }
        let line = line.trim_start();
        found += usize::from(!line.is_empty() && !line.starts_with("//"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_no_code() {
        let text =
            "//! A file.\n\nuse a::b;\n\n/// Adds.\nfn add() {\n    // Why.\n    b(); // here\n}\n";
        assert_eq!(code(text), 4);
        let tests = "\n#[cfg(test)]\nmod tests {\n    fn one() {\n    }\n}\n\nconst A: u8 = 1;\n";
        assert_eq!(code(&format!("{text}{tests}")), 5);
        // What tests alone need is code where it stands beside others.
        assert_eq!(
            code("#[cfg(test)]\nfn probe() {}\n#[cfg(test)]\nmod tests;\n"),
            4
        );
    }

    #[test]
    fn files_and_folders_of_tests_are_left_out_and_crates_stand_by_name() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "fn a() {}\n").unwrap();
        };
        write("xtask/src/main.rs");
        write("crates/disk/src/lib.rs");
        write("crates/disk/src/serve/mod.rs");
        for test in ["src/tests.rs", "src/tests/a.rs", "tests/b.rs", "build.rs"] {
            write(&format!("crates/disk/{test}"));
        }
        let counted = counted(root.path()).unwrap();
        let expected = [("disk", 2), ("xtask", 1)];
        assert_eq!(
            counted,
            expected.map(|(name, lines)| (name.to_owned(), lines))
        );
    }
}
