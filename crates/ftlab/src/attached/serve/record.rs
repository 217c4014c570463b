//! `--record`: what clients do to a drive as a trace, and beside it the drive as it was before.

use crate::failure::Failure;
use crate::files::NewFile;
use crate::provenance;
use ftlab_attach::Recorder;
use ftlab_base::amount::grouped;
use ftlab_drive::saved::{self, Origin};
use ftlab_image::DataDrive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A trace that is being recorded.
pub struct Recording {
    path: PathBuf,
    state: PathBuf,
    target: NewFile,
    file: tempfile::NamedTempFile,
    recorder: Arc<Recorder>,
}

impl Recording {
    /// Saves the drive as it is, and begins to record.
    pub fn begin(path: &Path, drive: &DataDrive, seed: u64) -> Result<Recording, Failure> {
        let target = NewFile::ready(path, "--record")?;
        let mut state = path.as_os_str().to_owned();
        state.push(".state");
        let state = PathBuf::from(state);
        let steps = vec!["What its clients did before.".to_owned()];
        let origin = Origin::new(
            provenance::version(),
            drive.drive_file(),
            "attached",
            steps,
            seed,
        );
        let saved = saved::write(&origin, drive.device());
        NewFile::ready(&state, "--record")?.write(&saved)?;
        let file = target.begin()?;
        let handle = file.as_file().try_clone();
        let handle = handle.map_err(|error| {
            Failure::Running(format!("cannot record to {}: {error}", path.display()))
        })?;
        Ok(Recording {
            path: path.to_owned(),
            state,
            target,
            file,
            recorder: Arc::new(Recorder::new(handle)),
        })
    }

    /// What records.
    pub fn recorder(&self) -> Arc<Recorder> {
        Arc::clone(&self.recorder)
    }

    /// Puts the trace into its place and says so; nothing is left of one that nobody could have written to.
    pub fn end(self, is_reached: bool) -> Result<String, Failure> {
        if !is_reached {
            let removed = std::fs::remove_file(&self.state);
            return removed.map(|()| String::new()).map_err(|error| {
                Failure::Running(format!("cannot remove {}: {error}", self.state.display()))
            });
        }
        let commands = self.recorder.finish();
        let commands = commands.map_err(|error| {
            Failure::Running(format!(
                "the trace {} is not whole: {error}; make room, and record again",
                self.path.display()
            ))
        })?;
        self.target.end(self.file)?;
        Ok(format!(
            "recorded {} commands in {}; the drive before them is {}\n",
            grouped(commands),
            self.path.display(),
            self.state.display()
        ))
    }
}
