//! The logs that jobs ask for (`write_lat_log` and its like), as files with fio's names.

use crate::failure::Failure;
use crate::files::{Folder, NewFile};
use ftlab_bench::review::{Plan, Visit};
use ftlab_bench::suites::Test;
use ftlab_bench::variants::Variant;
use ftlab_play::logs::LogFile;
use ftlab_play::record::Record;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// The option that says where.
const OPTION: &str = "--logs";

/// What an iolog calls a drive that has no name.
const DRIVE: &str = "drive";

/// Where logs go.
#[derive(Debug)]
pub struct Logs(Folder);

impl Logs {
    /// # Errors
    /// When nothing can be written there.
    pub fn ready(path: &Path) -> Result<Logs, Failure> {
        Ok(Logs(Folder::ready_for(path, OPTION)?))
    }

    /// Writes those of a run: into the folder where it is the only one, or into one of its load and its drive.
    pub fn write(
        &self,
        plan: &Plan,
        variants: &[Variant],
        visit: &Visit<'_>,
        record: &Record,
    ) -> Result<(), Failure> {
        let files = LogFile::all(&record.logs);
        if files.is_empty() && record.iologs.is_empty() {
            return Ok(());
        }
        let folder = self.of_run(plan, variants, visit);
        Folder::ready_for(&folder, OPTION)?;
        for file in files {
            written(&folder.join(&file.name), |out| {
                file.write(&mut BufWriter::new(out))
            })?;
        }
        let members = visit.subject.members().iter();
        let names: Vec<String> = members
            .map(|member| match member.name.as_str() {
                "" => DRIVE.to_owned(),
                name => name.to_owned(),
            })
            .collect();
        let is_one = visit
            .load
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

    fn of_run(&self, plan: &Plan, variants: &[Variant], visit: &Visit<'_>) -> PathBuf {
        let folder = self.0.path();
        if plan.drives.len() * plan.tests.len() == 1 {
            return folder.to_owned();
        }
        let is_of = |test: &&Test| test.loads().contains(visit.load);
        let test = plan.tests.iter().find(is_of);
        let load = test.map_or(visit.load.name(), |test| &test.step.slug);
        let variant = &variants[visit.drive].name;
        let drive = match variant.is_empty() {
            true => visit.subject.slug().to_owned(),
            false => format!("{},{variant}", visit.subject.slug()),
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
