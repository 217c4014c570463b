//! `ftlab serve --daemon`: the call returns when the drive can be used, and the server goes on in the background.
//!
//! A process that has threads cannot be forked, so the program starts itself once more. The second process is the
//! server. Its standard output is a pipe to the first until the drive is ready; its standard error is the caller's
//! until then, so that nothing that goes wrong is lost.

use super::pid_file::PidFile;
use super::{Options, READY, beside};
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::files::NewFile;
use ftlab_console::{own, screen};
use rustix::process::setsid;
use rustix::stdio::{dup2_stderr, dup2_stdout};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::Stdio;

/// Starts the server, and returns when the drive is ready. A server that does not come that far ends this process
/// with its own exit code.
pub fn start(options: &Options) -> Outcome {
    // Before anything is started: the names must be known.
    options.log_path()?;
    options.pid_path()?;
    let failed = |error: io::Error| Failure::Running(format!("cannot start the server: {error}"));
    let mut words = own::words().into_iter().skip(1);
    let mut server = own::command()
        .map_err(failed)?
        .args(words.next())
        .arg("--in-background")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut last = String::new();
    let mut output = server.stdout.take().expect("it is piped");
    // The server closes its end when it is ready, or ends.
    output.read_to_string(&mut last).map_err(failed)?;
    if last.ends_with(READY) {
        return screen::print(&last);
    }
    let status = server.wait().map_err(failed)?;
    match status.code() {
        // It has said why.
        Some(code) if code != 0 => std::process::exit(code),
        _ => Err(Failure::Running(format!(
            "the server ended before the drive was ready: {status}"
        ))),
    }
}

/// Leaves the caller's session, so that the end of a terminal is not the server's.
pub fn leave_session() {
    // It fails for a process that leads a session already, which is as good.
    let _ = setsid();
}

/// Lets the caller go on. Later output goes to the log, which begins with the caller's `notice`.
pub fn let_go(mut log: File, notice: &str) -> Outcome {
    let moved = log
        .write_all(notice.as_bytes())
        .and_then(|()| Ok(dup2_stderr(&log)?))
        .and_then(|()| Ok(dup2_stdout(&log)?));
    moved.map_err(|error| Failure::Running(format!("cannot write the log: {error}")))
}

/// The line that says how to end a server that has a pid file.
pub fn notice(pid_file: Option<&PidFile>) -> String {
    let line = |file: &PidFile| {
        let path = file.path().display();
        format!(
            "stop     ftlab stop {path}    (it is process {})\n",
            std::process::id()
        )
    };
    pid_file.map_or_else(String::new, line)
}

impl Options {
    /// Path of the pid file, if there is one.
    pub(super) fn pid_path(&self) -> Result<Option<PathBuf>, Failure> {
        match &self.pid_file {
            Some(path) => Ok(Some(path.clone())),
            None if self.daemon => self.beside_image(".pid", "--pid-file").map(Some),
            None => Ok(None),
        }
    }

    /// The log of a server in the background.
    pub(super) fn open_log(&self) -> Result<Option<File>, Failure> {
        if !self.in_background {
            return Ok(None);
        }
        let path = self.log_path()?;
        Ok(Some(NewFile::append(&path, "--log")?))
    }

    pub(super) fn log_path(&self) -> Result<PathBuf, Failure> {
        match &self.log {
            Some(path) => Ok(path.clone()),
            None => self.beside_image(".log", "--log"),
        }
    }

    fn beside_image(&self, added: &str, option: &str) -> Result<PathBuf, Failure> {
        let image = self.image.first().ok_or_else(|| {
            Failure::Input(format!(
                "--daemon without --image has no file to name others after: say where with {option}"
            ))
        })?;
        Ok(beside(image, added))
    }
}
