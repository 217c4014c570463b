//! The logs that jobs ask for (`write_lat_log` and its like), as files with fio's names.

use crate::failure::Failure;
use crate::files::{Folder, NewFile};
use ftlab_bench::loads::OwnLoad;
use ftlab_bench::review::Review;
use ftlab_lab::Visit;
use ftlab_play::logs::LogFile;
use ftlab_play::record::Record;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// The option that says where.
const OPTION: &str = "--logs";

/// The name in an iolog of a drive that has none.
const DRIVE: &str = "drive";

/// The folder of logs that jobs ask for.
#[derive(Debug)]
pub struct Logs {
    folder: Folder,
    /// True if they are of one run, whose files need no folder of their own.
    is_only_run: bool,
    /// The names of loads, each with that of its results.
    loads: Vec<(String, String)>,
}

impl Logs {
    /// # Errors
    /// When nothing can be written there.
    pub fn ready(path: &Path, review: &Review) -> Result<Logs, Failure> {
        let names = |own: &OwnLoad| (own.load.name().to_owned(), own.name.clone());
        Ok(Logs {
            folder: Folder::ready_for(path, OPTION)?,
            is_only_run: review.drives.len() * review.loads.len() == 1,
            loads: review.loads.iter().map(names).collect(),
        })
    }

    /// Writes those of a run: into the folder where it is the only one, or into one of its load and its drive.
    pub fn write(&self, visit: Visit<'_>, record: &Record) -> Result<(), Failure> {
        let files = LogFile::all(&record.logs);
        if files.is_empty() && record.iologs.is_empty() {
            return Ok(());
        }
        let folder = self.of_run(visit);
        Folder::ready_for(&folder, OPTION)?;
        for file in files {
            written(&folder.join(&file.name), |out| {
                file.write(&mut BufWriter::new(out))
            })?;
        }
        let members = visit.cell.subject.members().iter();
        let names: Vec<String> = members
            .map(|member| match member.name.as_str() {
                "" => DRIVE.to_owned(),
                name => name.to_owned(),
            })
            .collect();
        // The file of a job alone needs no number; those of several jobs would overwrite each other.
        let is_one = (visit.playing.load)
            .job_file()
            .is_some_and(|file| file.jobs.len() == 1);
        for iolog in &record.iologs {
            let name = match is_one {
                true => iolog.name.clone(),
                false => format!("{}.{}", iolog.name, iolog.number),
            };
            written(&folder.join(name), |out| {
                iolog.write(&names, Box::new(out.try_clone()?))
            })?;
        }
        Ok(())
    }

    fn of_run(&self, visit: Visit<'_>) -> PathBuf {
        let folder = self.folder.path();
        if self.is_only_run {
            return folder.to_owned();
        }
        let load = visit.playing.load.name();
        let load = self.loads.iter().find(|(name, _)| name == load);
        let load = load.map_or(visit.playing.load.name(), |(_, slug)| slug);
        let (subject, variant) = (&visit.cell.subject, visit.cell.subject.as_variant());
        let drive = match variant.name.as_str() {
            "" => subject.slug().to_owned(),
            name => format!("{},{name}", subject.slug()),
        };
        // A value of a setting may be anything.
        folder
            .join(load)
            .join(drive.replace(std::path::is_separator, "-"))
    }
}

/// Writes a file whole, or not at all.
fn written(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> Result<(), Failure> {
    let place = NewFile::ready(path, OPTION)?;
    let begun = place.begin()?;
    write(begun.file())
        .map_err(|error| Failure::Running(format!("cannot write {}: {error}", path.display())))?;
    Ok(place.end(begun)?)
}
