//! The page that says what a fit is worth: on hidden drives, whose numbers are known, and on drives of which others published many
//! figures.

use super::write;
use crate::fits::{Found, Public, Row, TAILS_WITHIN, summary};
use anyhow::{Context, Result, ensure};
use clap::Args;
use ftlab_fit::judge::median;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo run --profile review -p xtask -- hidden {1001..1030} --keep target/hidden
  cargo run --profile review -p xtask -- public --keep target/public
  cargo run --profile review -p xtask -- docs fit --hidden target/hidden --public target/public")]
pub struct Options {
    /// What `hidden --keep` kept
    #[arg(long, value_name = "DIR")]
    hidden: PathBuf,
    /// What `public --keep` kept
    #[arg(long, value_name = "DIR")]
    public: PathBuf,
}

const HEAD: &str = "\
# What a fit is worth

`ftlab fit` was given drives that it does not know. Of the hidden ones a generator drew the numbers, so that what was found stands beside
the truth. Of the public ones others published what they measured; the fit saw half of it, and the other half judges. Nothing on this page
is typed in:

```sh
cargo run --profile review -p xtask -- hidden {1001..1030} --keep target/hidden
cargo run --profile review -p xtask -- public --keep target/public
cargo run --profile review -p xtask -- docs fit --hidden target/hidden --public target/public
```

Rates, medians of latency and write amplification are called *firm*. The tests that judge are fitted to nothing.
";

const HIDDEN: &str = "
## Hidden drives

The suite `fit` measures each in virtual time. Channels are 2 to 16 and dies 4 to 128, planes 1 to 4, cells of 1 to 4 bits; 5 to 40 % of
the flash is spare. Half of the drives have a cache of SLC. A third have a mechanism that no fit solves for; of these the prediction alone
counts. A number is *identifiable* if a fifth more or less of it moves a firm figure of the true drive by more than 3 %.
";

const PUBLIC: &str = "
## Public drives

Each begins with its data sheet (`reference/fit/sheets/`), without any number of its class that came from its own figures. The list of what
the fit may see (`reference/fit/split.csv`) is older than the first fit. *Committed* is the file of the catalogue, which was made with all
figures in view.
";

/// Draws the page.
pub fn draw(options: &Options) -> Result<()> {
    let mut rows: Vec<Row> = all(&options.hidden, "row.json")?;
    rows.sort_by_key(|row| row.seed);
    let mut public: Vec<Public> = all(&options.public, "public.json")?;
    public.sort_by(|one, other| one.drive.cmp(&other.drive));
    ensure!(
        !rows.is_empty() && !public.is_empty(),
        "nothing was kept there"
    );
    let mut page = format!("{HEAD}{HIDDEN}\n");
    for line in summary(&rows).lines() {
        writeln!(page, "- {line}")?;
    }
    page += &drives(&rows);
    page += &numbers(&rows);
    page += PUBLIC;
    page += &published(&public);
    write("docs/fit.md", &page)
}

/// The files of a name in the folders of one.
fn all<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path().join(name);
        if path.exists() {
            let text = fs::read_to_string(&path)?;
            found.push(serde_json::from_str(&text).with_context(|| path.display().to_string())?);
        }
    }
    Ok(found)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn drives(rows: &[Row]) -> String {
    let mut text = "
| seed | channels, dies, planes | found | flash | unknown mechanism | held out: median | worst firm | at | seconds |
|---:|---|---|---:|---|---:|---:|---|---:|
"
    .to_owned();
    for row in rows {
        let counts = |of: [u32; 3]| of.map(|count| count.to_string()).join(", ");
        let found = match row.found == row.truth {
            true => "the same".to_owned(),
            false => counts(row.found),
        };
        text += &format!(
            "| {} | {}{} | {found} | {:+.1} % | {} | {} | {} | {} | {:.0} |\n",
            row.seed,
            counts(row.truth),
            if row.cache { ", cache" } else { "" },
            100.0 * (row.flash - 1.0),
            row.unknown.as_deref().unwrap_or("–"),
            percent(row.held_out.median),
            percent(row.held_out.worst),
            row.held_out.worst_at,
            row.seconds
        );
    }
    text
}

/// Each number, where it is identifiable and the drive has nothing unknown.
fn numbers(rows: &[Row]) -> String {
    let known: Vec<&Found> = rows
        .iter()
        .filter(|row| row.unknown.is_none())
        .flat_map(|row| &row.numbers)
        .collect();
    let mut names: Vec<&str> = known.iter().map(|of| &*of.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut text = "
This table counts the drives whose mechanisms the fit all knows:

| number | drives that have it | identifiable | found within 10 % | median error | worst |
|---|---:|---:|---:|---:|---:|
"
    .to_owned();
    for name in names {
        let all: Vec<&&Found> = known.iter().filter(|of| of.name == name).collect();
        let told = all.iter().filter(|of| of.identifiable);
        let errors: Vec<f64> = told.map(|of| (of.found / of.truth - 1.0).abs()).collect();
        let near = errors.iter().filter(|error| **error <= 0.1).count();
        text += &format!(
            "| `{name}` | {} | {} | {near} | {} | {} |\n",
            all.len(),
            errors.len(),
            if errors.is_empty() {
                "–".to_owned()
            } else {
                percent(median(errors.clone()))
            },
            if errors.is_empty() {
                "–".to_owned()
            } else {
                percent(errors.iter().copied().fold(0.0, f64::max))
            }
        );
    }
    text
}

fn published(drives: &[Public]) -> String {
    let mut text = format!(
        "
| drive | fitted to | judged by | file | firm: median | worst | 99th percentiles within a factor {TAILS_WITHIN} |
|---|---:|---:|---|---:|---:|---:|
"
    );
    for of in drives {
        for (name, standing) in [
            ("data sheet", &of.start),
            ("fitted", &of.fitted),
            ("committed", &of.committed),
        ] {
            text += &format!(
                "| {} | {} | {} | {name} | {} | {} | {:.0} % |\n",
                of.drive,
                of.fitted_to,
                standing.figures,
                percent(standing.median),
                percent(standing.worst),
                100.0 * standing.tails
            );
        }
    }
    text
}
