//! `--record`: what clients do to a drive as a trace, and beside it the drive as it was before.

use super::beside;
use ftlab_attach::Recorder;
use ftlab_base::amount::grouped;
use ftlab_console::failure::Failure;
use ftlab_console::files::{Begun, NewFile, Replaces};
use ftlab_drive::saved::{self, Origin};
use ftlab_image::DataDrive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The option that says where.
pub const OPTION: &str = "--record";

/// Path of the saved state from which the recorded drive began.
pub fn state_beside(path: &Path) -> PathBuf {
    beside(path, ".state")
}

/// A trace that is being recorded.
pub struct Recording {
    path: PathBuf,
    state: PathBuf,
    target: NewFile,
    file: Begun,
    recorder: Arc<Recorder>,
}

impl Recording {
    /// Saves the drive as it is, and begins to record.
    pub fn begin(
        path: &Path,
        drive: &DataDrive,
        version: &str,
        seed: u64,
    ) -> Result<Recording, Failure> {
        let new = |path| NewFile::ready_for(path, OPTION, Replaces::Nothing);
        let target = new(path)?;
        let state = state_beside(path);
        let steps = vec!["What its clients did before.".to_owned()];
        let origin = Origin::new(version, drive.drive_file(), "attached", steps, seed);
        let saved = saved::write(&origin, drive.device());
        new(&state)?.write(&saved)?;
        let file = target.begin()?;
        let handle = file.file().try_clone();
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

    /// The recorder for the engine.
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
