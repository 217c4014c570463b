//! Formats of results that are read, and how files tell which one they are of.

use crate::error::ReadingError;
use crate::fio::is_log;
use crate::readings::Readings;
use crate::source::Source;
use crate::tools::{ezfio, fio, iob, pts, tkperf};
use std::path::{Path, PathBuf};

/// Folders below each other, and files in them, that are looked at.
const FOLDERS_MAX: usize = 12;
const FILES_MAX: usize = 100_000;

/// A format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON and logs of fio's.
    Fio,
    /// The folder of fio-plot's `bench-fio`.
    FioPlot,
    /// The folder of ezFIO.
    Ezfio,
    /// The XML of `TKperf`.
    Tkperf,
    /// The folders of shell scripts of SNIA's specification.
    Pts,
    /// The tables of SSD-iq's `iob`.
    SsdIq,
}

impl Format {
    /// Every format, in the order in which files are looked at for it.
    pub const ALL: [Format; 6] = [
        Format::SsdIq,
        Format::Ezfio,
        Format::Pts,
        Format::Tkperf,
        Format::FioPlot,
        Format::Fio,
    ];

    /// Its name, as users type it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Fio => "fio",
            Format::FioPlot => "fio-plot",
            Format::Ezfio => "ezfio",
            Format::Tkperf => "tkperf",
            Format::Pts => "pts",
            Format::SsdIq => "ssd-iq",
        }
    }

    /// What it is, and the names of files that show it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Format::Fio => "fio's JSON (json or json+) and logs (X_bw.1.log)",
            Format::FioPlot => "fio-plot's bench-fio (randread-16-1.json)",
            Format::Ezfio => "ezFIO (ezfio_tests_….csv)",
            Format::Tkperf => "TKperf (an .xml with <roundmat>)",
            Format::Pts => "scripts of SNIA's PTS over fio (fio_pass=1_rw=65_bs=4096.json)",
            Format::SsdIq => "SSD-iq's iob (iob-log-….csv, iob-stats-id0-….csv)",
        }
    }

    /// True if a file is of the format by its name and, where that does not say it, by what is in it.
    fn is_of(self, source: &Source) -> Result<bool, ReadingError> {
        Ok(match self {
            Format::SsdIq => iob::is_table(source),
            Format::Ezfio => ezfio::is_table(source),
            Format::Pts => pts::is_round(source),
            Format::Tkperf => tkperf::is_report(source)?,
            Format::FioPlot => is_of_bench_fio(source),
            // What the user has named is for fio's reader to say.
            Format::Fio => {
                source.file_name().ends_with(".json") || is_log(source) || !source.is_found
            }
        })
    }

    fn read(self, sources: &[Source]) -> Result<Readings, ReadingError> {
        match self {
            Format::Fio => fio::read(sources, fio::Names::File),
            Format::FioPlot => fio::read(sources, fio::Names::Load),
            Format::Ezfio => ezfio::read(sources),
            Format::Tkperf => tkperf::read(sources),
            Format::Pts => pts::read(sources),
            Format::SsdIq => iob::read(sources),
        }
    }

    /// True if a file, found in a folder, may be of the format: any that its reader looks at.
    fn may_read(self, source: &Source) -> bool {
        let name = source.file_name();
        match self {
            Format::Ezfio => name.starts_with("ezfio") || name.starts_with("Test"),
            Format::SsdIq => name.starts_with("iob-"),
            Format::Tkperf => name.ends_with(".xml"),
            Format::Pts => name.ends_with(".json"),
            Format::Fio | Format::FioPlot => name.ends_with(".json") || is_log(source),
        }
    }
}

/// `MODE-DEPTH-JOBS.json`.
fn is_of_bench_fio(source: &Source) -> bool {
    let parts: Vec<&str> = source.stem().rsplitn(3, '-').collect();
    let [jobs, depth, mode] = parts[..] else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_mode = ["read", "write", "trim", "rw"]
        .iter()
        .any(|word| mode.contains(word));
    source.file_name().ends_with(".json") && is_number(jobs) && is_number(depth) && is_mode
}

/// Reads files and folders, as of a format that the caller names or of the first that a file shows.
///
/// # Errors
/// When they are of no format that is known, or something in them is broken.
pub fn read(paths: &[PathBuf], format: Option<Format>) -> Result<(Format, Readings), ReadingError> {
    let mut sources = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => list(path, &mut sources, 0)?,
            false => sources.push(Source::of(path)),
        }
    }
    let place = paths.first().map_or(Path::new("."), PathBuf::as_path);
    let format = match format {
        Some(format) => format,
        None => recognised(&sources, place)?,
    };
    let is_own = |source: &Source| !source.is_found || format.may_read(source);
    let (own, others): (Vec<Source>, Vec<Source>) = sources.into_iter().partition(is_own);
    let mut readings = format.read(&own)?;
    for source in others {
        let ending = source
            .file_name()
            .rsplit_once('.')
            .map_or("", |(_, ending)| ending);
        let what = if ending.is_empty() {
            "files without an ending".to_owned()
        } else {
            format!("*.{ending}")
        };
        readings
            .left
            .note(&what, &source.name, "files of other kinds");
    }
    if readings.each.is_empty() {
        let why = format!(
            "there are no results of {} in it; {}",
            format.name(),
            known()
        );
        return Err(ReadingError::new(place.display().to_string(), why));
    }
    Ok((format, readings))
}

fn recognised(sources: &[Source], place: &Path) -> Result<Format, ReadingError> {
    for format in Format::ALL {
        for source in sources {
            if format.is_of(source)? {
                return Ok(format);
            }
        }
    }
    let why = format!("it is of no format that ftlab knows; {}", known());
    Err(ReadingError::new(place.display().to_string(), why))
}

/// The formats, for an error.
fn known() -> String {
    let each = Format::ALL.map(|format| format!("{}: {}", format.name(), format.words()));
    format!(
        "give results, and their --format if their names do not tell it: {}",
        each.join("; ")
    )
}

/// Lists the files of a folder and of those in it, in the order of their names.
fn list(folder: &Path, found: &mut Vec<Source>, depth: usize) -> Result<(), ReadingError> {
    let wrong = |why: String| ReadingError::new(folder.display().to_string(), why);
    if depth > FOLDERS_MAX {
        return Err(wrong(format!(
            "it has more than {FOLDERS_MAX} folders in each other; give the one that has the results"
        )));
    }
    let entries =
        std::fs::read_dir(folder).map_err(|error| wrong(format!("cannot read it: {error}")))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| wrong(format!("cannot read it: {error}")))?;
        let kind = entry
            .file_type()
            .map_err(|error| wrong(format!("cannot read it: {error}")))?;
        // A link could lead back to a folder that it is in.
        if kind.is_dir() || kind.is_file() {
            paths.push((entry.path(), kind.is_dir()));
        }
    }
    paths.sort();
    for (path, is_folder) in paths {
        if is_folder {
            list(&path, found, depth + 1)?;
        } else {
            found.push(Source {
                is_found: true,
                ..Source::of(&path)
            });
        }
        if found.len() > FILES_MAX {
            return Err(wrong(format!(
                "it has more than {FILES_MAX} files; give the folder of one series of measurements"
            )));
        }
    }
    Ok(())
}
