//! The notes of a release: what CHANGELOG.md says of the workspace's version, and what the release's files are.

use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The section of what no release has yet.
const UNRELEASED: &str = "Unreleased";

#[derive(Debug, Args)]
pub struct Options {
    /// The file to write
    out: PathBuf,
    /// A paragraph about the release's files, before the changes
    #[arg(long = "about", value_name = "TEXT")]
    about: Vec<String>,
}

pub fn command(options: &Options) -> anyhow::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CHANGELOG.md");
    let changelog = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let notes = notes(&changelog, VERSION, &options.about)?;
    std::fs::write(&options.out, notes)
        .with_context(|| format!("cannot write {}", options.out.display()))
}

/// The notes of `version`; where it has no section yet, of what is unreleased, and they say so.
fn notes(changelog: &str, version: &str, about: &[String]) -> anyhow::Result<String> {
    let (title, changes) = match section(changelog, version) {
        Some((date, changes)) => (format!("# ftlab {version}, {date}"), changes),
        None => {
            let (_, changes) = section(changelog, UNRELEASED).with_context(|| {
                format!("CHANGELOG.md has neither a section `## [{version}] - DATE` nor `## [{UNRELEASED}]`")
            })?;
            let title = format!("# ftlab {version}, not released: CHANGELOG.md gives it no date");
            (title, changes)
        }
    };
    let mut parts = vec![title];
    parts.extend(about.iter().cloned());
    parts.push(changes.to_owned());
    Ok(parts.join("\n\n") + "\n")
}

/// The date and the text of a section; the date of one that has none is empty.
fn section<'a>(changelog: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let (_, rest) = changelog.split_once(&format!("\n## [{name}]"))?;
    let (date, body) = rest.split_once('\n')?;
    let end = body.find("\n## ").unwrap_or(body.len());
    Some((date.trim_start_matches(" - ").trim(), body[..end].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGELOG: &str = "# Changelog\n\nWords.\n\n## [Unreleased]\n\n### Added\n\n- New.\n\n\
        ## [0.2.0] - 2026-12-01\n\nThe model's.\n\n### Added\n\n- A `## [0.1.0]` in a line.\n\n\
        ## [0.2.0-beta] - 2026-11-30\n\n- Older.\n\n## [0.1.0] - 2026-11-27\n\n- First.\n";

    #[test]
    fn a_section_is_cut_with_its_date_and_without_its_neighbours() {
        let notes = |version: &str, about: &[&str]| {
            let about: Vec<String> = about.iter().map(|&text| text.to_owned()).collect();
            notes(CHANGELOG, version, &about).unwrap()
        };
        assert_eq!(
            notes("0.2.0", &["It is static."]),
            "# ftlab 0.2.0, 2026-12-01\n\nIt is static.\n\nThe model's.\n\n### Added\n\n- A `## [0.1.0]` in a line.\n"
        );
        // The last section ends with the text.
        assert_eq!(
            notes("0.1.0", &[]),
            "# ftlab 0.1.0, 2026-11-27\n\n- First.\n"
        );
        // One whose name begins alike is another.
        assert!(notes("0.2.0-beta", &[]).ends_with("\n\n- Older.\n"));
    }

    #[test]
    fn a_version_without_a_section_is_not_released_and_without_changes_there_are_no_notes() {
        let notes_of = notes(CHANGELOG, "0.3.0", &[]).unwrap();
        assert!(
            notes_of.starts_with("# ftlab 0.3.0, not released"),
            "{notes_of}"
        );
        assert!(
            notes_of.ends_with("\n\n### Added\n\n- New.\n"),
            "{notes_of}"
        );
        let why = notes("# Changelog\n", "0.3.0", &[]).unwrap_err();
        assert!(why.to_string().contains("`## [0.3.0] - DATE`"), "{why}");
    }

    #[test]
    fn the_changelog_of_the_repository_has_notes() {
        let changelog = std::fs::read_to_string("../CHANGELOG.md").unwrap();
        let notes = notes(&changelog, VERSION, &[]).unwrap();
        assert!(notes.contains("\n### "), "{notes}");
        assert!(!notes.contains("\n## "), "{notes}");
    }
}
