//! `ftlab stop`: ends a server in order, and waits until it has ended.

use super::beside;
use super::pid_file::Other;
use clap::Args;
use ftlab_console::failure::{Failure, Outcome};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Interval at which it looks if the server has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A server that is asked to stop ends within seconds, unless its file is in use.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab stop x25m.img
  ftlab stop x25m.pid

It sends SIGTERM to the process named in the pid file. It returns when the
server has answered what was under way, closed the image and ended.")]
pub struct StopOptions {
    /// The image of a drive that `ftlab serve --daemon` serves, or the server's pid file
    #[arg(value_name = "IMAGE")]
    target: PathBuf,
}

/// Ends a server in the background as `ftlab stop`, and returns once its image is closed.
///
/// # Errors
/// When nobody serves the image, or the server does not end in time.
pub fn stop(options: &StopOptions) -> Outcome {
    let beside = beside(&options.target, ".pid");
    let path = if beside.exists() {
        &beside
    } else {
        &options.target
    };
    let (server, pid) = find(path)?;
    let failed = |error: std::io::Error| {
        Failure::Running(format!(
            "cannot stop process {}: {error}",
            pid.as_raw_nonzero()
        ))
    };
    // A server that was killed leaves its pid file behind, but no lock on it.
    if server.has_ended().map_err(failed)? {
        return Err(Failure::Input(format!(
            "{}: nobody serves it; process {} has ended without removing its pid file",
            path.display(),
            pid.as_raw_nonzero()
        )));
    }
    kill_process(pid, Signal::TERM).map_err(|error| failed(error.into()))?;
    let began = Instant::now();
    while !server.has_ended().map_err(failed)? {
        if began.elapsed() > PATIENCE {
            return Err(Failure::Running(format!(
                "process {} was asked to stop {} seconds ago and still runs: its log says what it waits for",
                pid.as_raw_nonzero(),
                PATIENCE.as_secs()
            )));
        }
        sleep(LOOK_EVERY);
    }
    Ok(())
}

/// The process that a pid file names.
fn find(path: &Path) -> Result<(Other, Pid), Failure> {
    let server = Other::open(path).map_err(|error| {
        Failure::Input(format!(
            "{}: {error}; give an image of `ftlab serve --daemon`, or a pid file",
            path.display()
        ))
    })?;
    let pid = server.pid.filter(|&pid| pid > 0).and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| {
        Failure::Input(format!(
            "{}: this is no pid file, and there is none beside it: `ftlab serve --daemon` makes one; a server in \
             a terminal is stopped there, with Ctrl-C",
            path.display()
        ))
    })?;
    Ok((server, pid))
}
