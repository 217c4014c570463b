//! `--pack`: an entry of the shelf is made of a measurement.

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::{results, screen};
use clap::{Args, ValueEnum};
use ftlab_measure::machine;
use ftlab_measure::shelf::{self, Said};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct PackOptions {
    /// Make an entry of the shelf (measured/README.md) from a directory of results: without serial
    /// number, paths, host name and the build of the kernel
    #[arg(
        long,
        value_name = "RESULTS",
        requires = "date",
        requires = "licence",
        conflicts_with_all = ["device", "identify", "suite", "tests", "quick", "destroy", "dry_run", "resume"]
    )]
    pack: Option<PathBuf>,
    /// Day of the measurement, 2026-12-01
    #[arg(long, value_name = "DAY", requires = "pack")]
    date: Option<String>,
    /// Licence of the entry and its results
    #[arg(long, value_enum, value_name = "LICENCE", requires = "pack")]
    licence: Option<Licence>,
    /// Who measured, if that is to be said
    #[arg(long, value_name = "WHO", requires = "pack")]
    by: Option<String>,
    /// What was measured, in words, where that is not the model that the drive says
    #[arg(long, value_name = "WORDS", requires = "pack")]
    drive: Option<String>,
    /// What is known to be odd, a sentence; may be repeated
    #[arg(long, value_name = "SENTENCE", requires = "pack")]
    odd: Vec<String>,
}

/// A licence by its SPDX name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Licence {
    /// No rights are kept
    #[value(name = "CC0-1.0")]
    Cc0,
    /// Users of the data name the source
    #[value(name = "CC-BY-4.0")]
    CcBy,
}

pub fn command(options: &PackOptions, name: Option<&str>, out: &Path) -> Outcome {
    let (Some(from), Some(date), Some(licence)) = (&options.pack, &options.date, options.licence)
    else {
        unreachable!("without a device the command line has these three");
    };
    let said = Said {
        drive: options.drive.clone(),
        date: date.clone(),
        by: options.by.clone(),
        licence: match licence {
            Licence::Cc0 => shelf::Licence::Cc0,
            Licence::CcBy => shelf::Licence::CcBy,
        },
        odd: options.odd.clone(),
    };
    let set = results::read(from)?;
    let packed = shelf::pack(&set, &said, name, machine::name().as_deref());
    let packed = packed.map_err(|why| Failure::Input(format!("{}: {why}", from.display())))?;
    let folder = Folder::ready(out)?;
    let ((entry, text), (results, bytes)) = (&packed.entry, &packed.results);
    folder.write(&[(entry, text.as_bytes()), (results, bytes)])?;
    screen::print(&format!(
        "Entry:   {}\nResults: {}, {} bytes\n",
        folder.join(entry).display(),
        folder.join(results).display(),
        bytes.len()
    ))
}
