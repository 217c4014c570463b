//! `--crash-log`: what clients write to a drive, with its data, for `ftlab crash`.

use ftlab_base::amount::grouped;
use ftlab_console::failure::Failure;
use ftlab_image::DataDrive;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// A crash log that is being written. It grows at its place, so that what is in it survives the server.
pub struct CrashLogging {
    path: PathBuf,
}

impl CrashLogging {
    /// Begins with what the drive holds.
    pub fn begin(
        path: &Path,
        drive: &mut DataDrive,
        version: &str,
    ) -> Result<CrashLogging, Failure> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::Input(format!(
                "{} is there already: remove it, or give another file with --crash-log",
                path.display()
            )),
            _ => Failure::Input(format!(
                "cannot write {}: {error}; give another file with --crash-log",
                path.display()
            )),
        })?;
        let logging = CrashLogging {
            path: path.to_owned(),
        };
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let unix_ns = unix.map_or(0, |since| since.as_nanos() as u64);
        let began = Instant::now();
        let clock = Box::new(move || began.elapsed().as_nanos() as u64);
        if let Err(error) = drive.begin_crash_log(file, version.to_owned(), unix_ns, clock) {
            logging.remove()?;
            return Err(error.into());
        }
        Ok(logging)
    }

    fn remove(&self) -> Result<(), Failure> {
        std::fs::remove_file(&self.path).map_err(|error| {
            Failure::Running(format!("cannot remove {}: {error}", self.path.display()))
        })
    }

    /// Ends it and says what is in it; nothing is left of one that nobody could have written to.
    pub fn end(&self, drive: Option<&mut DataDrive>, is_reached: bool) -> Result<String, Failure> {
        let ended = drive.and_then(DataDrive::end_crash_log);
        if !is_reached {
            return self.remove().map(|()| String::new());
        }
        let Some(ended) = ended else {
            return Ok(String::new());
        };
        let summary = ended.map_err(|error| {
            Failure::Running(format!(
                "the crash log {} is not whole: {error}; make room, and record again",
                self.path.display()
            ))
        })?;
        let by_cut = match summary.ended_by_cut {
            true => ", up to the power cut",
            false => "",
        };
        Ok(format!(
            "logged {} writes and {} flushes in {}{by_cut}\n",
            grouped(summary.writes),
            grouped(summary.flushes),
            self.path.display()
        ))
    }
}
