//! That what a server writes takes the place of nothing: looked at before a drive is made or opened.

use super::{Options, record};
use crate::failure::Outcome;
use crate::files::{self, Replaces};
use std::path::PathBuf;

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
            outputs.push(("--log", self.log_path()?, Replaces::Files));
        }
        for (option, path, replaces) in &outputs {
            files::check(path, option, *replaces)?;
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
