//! The texts that a run prints, and their place: fio's `--output-format` and its relatives.

use crate::failure::Failure;
use crate::files::NewFile;
use clap::Args;
use ftlab_export::fio::{self, TerseVersion, Wall};
use ftlab_result::{ResultSet, Run};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct OutputOptions {
    /// Output format: normal (for people), json (for programs), json+ (the same with the bins of latencies) or terse (fio's
    /// line of numbers); several with commas between
    #[arg(long, value_name = "FORMATS", default_value = "normal", value_parser = formats)]
    output_format: Formats,
    /// The same as --output-format=terse
    #[arg(long, conflicts_with = "output_format")]
    minimal: bool,
    /// Print fio's line of numbers as well
    #[arg(long)]
    append_terse: bool,
    /// Version of that line: 2, 3, 4 or 5
    #[arg(long, value_name = "N", default_value = "3", value_parser = terse_version)]
    terse_version: TerseVersion,
    /// Write all of it to a file instead
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The formats asked for.
#[derive(Debug, Clone, Copy)]
pub struct Formats {
    pub normal: bool,
    pub json: bool,
    with_bins: bool,
    terse: Option<TerseVersion>,
}

fn formats(text: &str) -> Result<Formats, String> {
    let mut formats = Formats {
        normal: false,
        json: false,
        with_bins: false,
        terse: None,
    };
    for word in text.split(',') {
        match word.trim() {
            "normal" => formats.normal = true,
            "json" => formats.json = true,
            "json+" => (formats.json, formats.with_bins) = (true, true),
            "terse" | "minimal" | "csv" => formats.terse = Some(TerseVersion::V3),
            _ => {
                return Err(
                    "give normal, json, json+ or terse, or several with commas between, as normal,json"
                        .to_owned(),
                );
            }
        }
    }
    Ok(formats)
}

fn terse_version(text: &str) -> Result<TerseVersion, String> {
    let version = text.parse().ok().and_then(TerseVersion::numbered);
    version.ok_or_else(|| "give 2, 3, 4 or 5".to_owned())
}

impl OutputOptions {
    /// The formats asked for, whichever option asks.
    pub fn formats(&self) -> Formats {
        let formats = self.output_format;
        let is_terse = self.minimal || self.append_terse || formats.terse.is_some();
        Formats {
            normal: formats.normal && !self.minimal,
            terse: is_terse.then_some(self.terse_version),
            ..formats
        }
    }

    /// The file to write to, before any work is done for it.
    pub fn file(&self) -> Result<Option<NewFile>, Failure> {
        let path = self.output.as_deref();
        let file = path.map(|path| NewFile::ready(path, "--output"));
        Ok(file.transpose()?)
    }
}

impl Formats {
    /// Runs, each as long as its wall says, in all formats, in fio's order of them.
    pub fn render(
        &self,
        set: &ResultSet,
        walls: &[Wall],
        text: impl Fn(&Run, &Wall) -> String,
    ) -> String {
        let runs = || set.runs.iter().zip(walls);
        let mut out = String::new();
        if let Some(version) = self.terse {
            let program = fio::program(set);
            out.extend(runs().map(|(run, _)| fio::terse(&program, run, version)));
        }
        if self.json {
            let json = |(run, wall)| fio::render(set, run, Some(wall), self.with_bins);
            out.extend(runs().map(json));
        }
        if self.normal {
            let texts: Vec<String> = runs().map(|(run, wall)| text(run, wall)).collect();
            out += &texts.join("\n");
        }
        out
    }
}
