//! `ftlab claims`: what the sources say in words, checked by simulation.

use crate::failure::{Failure, Outcome};
use crate::files::{Folder, NewFile};
use crate::options::{OutputFormat, Work};
use crate::session::{Command, Session};
use crate::{drives, provenance, results, screen};
use clap::Args;
use ftlab_claims::{Judged, Plan};
use ftlab_drive::{Catalog, DriveFile, MODEL_VERSION};
use ftlab_report::html::charts::{self, Bar, Bars, End, Page};
use ftlab_result::{Provenance, ResultSet};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab claims                    every claim; takes some minutes
  ftlab claims C052 C057          two of them
  ftlab claims --html claims.html
                                  every claim, as a page too
  ftlab claims --drive ocz-core-jmf602 --set buffer.size=256KiB
                                  those that need this drive, with it changed")]
pub struct Options {
    /// Claims, C001 to C270; none for all
    ids: Vec<String>,
    /// Only claims that need this drive: a name of `ftlab drives`, or a path to a drive file that takes
    /// the place of the drive of its name; may be repeated
    #[arg(long = "drive", value_name = "DRIVE", value_parser = drives::name(), hide_possible_values = true)]
    drives: Vec<String>,
    /// Change a number of the drives given with --drive; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "drives")]
    settings: Vec<String>,
    /// Write verdicts and figures for programs
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page of the verdicts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Directory for cells.jsonl, where each run is kept as soon as it is done
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Continue an interrupted check: finished runs are taken from the directory of --keep, if model version,
    /// seed and drive file are the same
    #[arg(long, requires = "keep")]
    resume: bool,
    #[command(flatten)]
    work: Work,
    /// Output format; JSON is the content of the file of --json
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// The document that `--json` writes.
#[derive(Debug, Serialize)]
struct Results<'a> {
    version: &'static str,
    model_version: u32,
    provenance: Provenance,
    seed: u64,
    claims: &'a [Judged],
}

/// The checks' part of their session: an interrupted one has no verdicts.
struct Checking;

impl Command for Checking {
    fn leave(&self, _set: &ResultSet) -> Result<String, Failure> {
        Ok(String::new())
    }
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    // Targets are made ready before the runs, so that a wrong path does not cost them.
    let json = options.json.as_deref();
    let json = json.map(|path| NewFile::ready(path, "--json"));
    let json = json.transpose()?;
    let html = options.html.as_deref();
    let html = html
        .map(|path| NewFile::ready(path, "--html"))
        .transpose()?;
    let checks = plan(options, catalog)?.checks()?;
    let folder = options.keep.as_deref();
    let folder = folder
        .map(|path| Folder::ready_for(path, "--keep"))
        .transpose()?;
    let cache = folder.map(|folder| results::cache(&folder, options.resume, catalog));
    let cache = cache.transpose()?;
    let progress = options.work.signs.shares();
    let session = Session::new(checks, cache, Checking, "drives", progress);
    let (ends, kept) = session.run(&options.work)?;
    let judged = session.batch.judged(ends);
    let results = screen::json(&Results {
        version: env!("CARGO_PKG_VERSION"),
        model_version: MODEL_VERSION,
        provenance: provenance::here(),
        seed: options.work.seed,
        claims: &judged,
    })?;
    if let Some(file) = json {
        file.write(results.as_bytes())?;
    }
    if let Some(file) = html {
        file.write(page(&judged).as_bytes())?;
    }
    screen::print(&match options.output_format {
        OutputFormat::Normal => normal(&judged),
        OutputFormat::Json => results,
    })?;
    kept
}

fn normal(judged: &[Judged]) -> String {
    let mut table = screen::table(&["id", "verdict", "measured", "claim"]);
    for one in judged {
        let claim = &one.claim;
        table.add_row([&claim.id, one.verdict.name(), &one.measured, &claim.claim]);
    }
    format!(
        "{}\n{}\n",
        screen::lines(table),
        ftlab_claims::summary(judged)
    )
}

/// The page of the verdicts: how many there are of each, and all of them.
fn page(judged: &[Judged]) -> String {
    let mut counts: Vec<Bar> = Vec::new();
    for one in judged {
        let name = one.verdict.name();
        match counts.iter_mut().find(|(of, _)| of == name) {
            Some((_, count)) => count[0] += 1.0,
            None => counts.push((name.to_owned(), vec![1.0])),
        }
    }
    let verdicts = Bars {
        title: "Claims by verdict",
        series: &["claims"],
        bars: counts,
    };
    let rows = judged.iter().map(|one| {
        let claim = &one.claim;
        vec![
            claim.id.as_str(),
            one.verdict.name(),
            &claim.claim,
            &one.measured,
        ]
    });
    charts::render(&Page {
        title: "What the sources say, checked by simulation",
        lead: &[format!("{}.", ftlab_claims::summary(judged))],
        text: "",
        charts: &[verdicts],
        below: "Every claim",
        end: End::Table(&["id", "verdict", "claim", "measured"], rows.collect()),
    })
}

fn plan(options: &Options, catalog: &Catalog) -> Result<Plan, Failure> {
    let load = |name: &String| catalog.load(name, &options.settings);
    let drives: Result<Vec<DriveFile>, _> = options.drives.iter().map(load).collect();
    Ok(Plan {
        ids: options.ids.iter().map(|id| id.to_uppercase()).collect(),
        drives: drives?,
        seed: options.work.root(),
    })
}
