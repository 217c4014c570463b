//! A server replaces nothing by what it writes: its outputs are looked at before a drive is made or opened.

use super::{Options, record};
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::files::{self, Replaces};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

impl Options {
    /// Looks at every file that this call writes.
    pub(super) fn check_outputs(&self) -> Outcome {
        let mut outputs: Vec<(&str, PathBuf, Replaces)> = Vec::new();
        if let Some(trace) = &self.record {
            let state = record::state_beside(trace);
            outputs.push((record::OPTION, trace.clone(), Replaces::Nothing));
            outputs.push((record::OPTION, state, Replaces::Nothing));
        }
        if let Some(log) = &self.crash_log {
            outputs.push(("--crash-log", log.clone(), Replaces::Nothing));
        }
        if let Some(pid) = self.pid_path()? {
            outputs.push(("--pid-file", pid, Replaces::PidFiles));
        }
        if self.daemon {
            let log = self.log_path()?;
            check_log(&log)?;
            outputs.push(("--log", log, Replaces::Files));
        }
        for (option, path, replaces) in &outputs {
            files::check(path, option, *replaces)?;
        }
        if let Some(folder) = &self.fuse {
            check_folder(folder)?;
        }
        // What is listened at takes the place of sockets alone, but what is not there yet may become another output.
        let sockets = [("--unix", &self.unix), ("--control", &self.control)];
        let sockets = sockets
            .iter()
            .filter_map(|(option, path)| Some((*option, path.as_deref()?)));
        let drives = [("--image", &self.image), ("--base", &self.base)];
        let drives = drives
            .iter()
            .flat_map(|(option, paths)| paths.iter().map(|path| (*option, path.as_path())));
        let written = outputs
            .iter()
            .map(|(option, path, _)| (*option, path.as_path()));
        for drive in drives {
            for other in written.clone().chain(sockets.clone()) {
                files::distinct(&[drive, other])?;
            }
        }
        let all: Vec<_> = written.chain(sockets).collect();
        Ok(files::distinct(&all)?)
    }
}

/// Checks that a drive can be mounted there, and hides nothing: the system would mount it over a file, too.
fn check_folder(folder: &Path) -> Outcome {
    let wrong = |why: &str| {
        Err(Failure::Input(format!(
            "cannot mount the drive in {}: {why}",
            folder.display()
        )))
    };
    let there = std::fs::metadata(folder).and_then(|meta| match meta.is_dir() {
        true => Ok(std::fs::read_dir(folder)?.next().is_none()),
        false => Err(ErrorKind::NotADirectory.into()),
    });
    match there {
        Ok(true) => Ok(()),
        Ok(false) => {
            wrong("it holds files, which the drive would hide; give an empty directory with --fuse")
        }
        Err(why) if why.kind() == ErrorKind::NotADirectory => {
            wrong("it is no directory; give an empty one with --fuse")
        }
        Err(why) => wrong(&why.to_string()),
    }
}

/// Checks that the log outlives this call: its output is closed when the server is ready, and whoever reads a pipe may go.
fn check_log(log: &Path) -> Outcome {
    let is_file = std::fs::metadata(log).map_or(true, |meta| meta.is_file());
    match is_file && log != Path::new("/dev/stdout") || log == Path::new("/dev/null") {
        true => Ok(()),
        false => Err(Failure::Input(format!(
            "cannot write to {}: a server in the background outlives whoever reads it; give a file with --log",
            log.display()
        ))),
    }
}
