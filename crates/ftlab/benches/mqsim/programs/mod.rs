//! The two programs that are compared. Each is given the same load on the same drive at some length, and says what it did and
//! what that took.

pub mod mqsim;
pub mod own;

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use wait4::{ResUse, Wait4};

/// Requests outstanding.
pub const DEPTH: u64 = 32;
/// Bytes of a request, and of a page.
pub const REQUEST: u64 = 4096;

/// Requests of 4 KiB at random over all of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    Writes,
    Reads,
}

/// What a program did, and what that took.
#[derive(Debug, Clone, Copy)]
pub struct Ran {
    /// Requests that it completed.
    pub served: u64,
    /// Pages of the flash that it programmed.
    pub programs: u64,
    /// Time of processors outside the kernel.
    pub user: Duration,
    /// The most memory that was resident, in bytes.
    pub memory: u64,
}

/// What a request more costs: the difference of two runs, in which starting, preparing and reporting cancel.
#[derive(Debug, Clone, Copy)]
pub struct Slope {
    /// Seconds of user time a request.
    pub seconds: f64,
    /// Programs a request: the write amplification of writes.
    pub programs: f64,
}

impl Slope {
    pub fn between(few: &Ran, many: &Ran) -> Result<Slope, String> {
        let requests = many.served as f64 - few.served as f64;
        let seconds = many.user.as_secs_f64() - few.user.as_secs_f64();
        if requests <= 0.0 || seconds <= 0.0 {
            return Err(format!(
                "{} requests took {:?} of user time and {} took {:?}: something else keeps the machine busy; try again",
                few.served, few.user, many.served, many.user
            ));
        }
        Ok(Slope {
            seconds: seconds / requests,
            programs: (many.programs as f64 - few.programs as f64) / requests,
        })
    }
}

/// Runs a program in a folder to its end. Returns what it printed, and what it took.
fn ended(call: &mut Command, folder: &Path) -> Result<(String, ResUse), String> {
    let name = call.get_program().display().to_string();
    // Files take all that it prints while this waits, which a pipe does not.
    let (out, err) = (folder.join("printed"), folder.join("complained"));
    let file = |path| File::create(path).map_err(|error| format!("{}: {error}", folder.display()));
    let child = call
        .stdin(std::process::Stdio::null())
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .current_dir(folder)
        .spawn();
    let child = child.map_err(|error| format!("{name} cannot be started: {error}"))?;
    let took = child.wait4().map_err(|error| format!("{name}: {error}"))?;
    let said =
        |path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let (printed, complained) = (said(&out), said(&err));
    if !took.status.success() {
        let status = took.status;
        return Err(format!(
            "{name} failed ({status}): {}",
            end_of(&(printed + &complained))
        ));
    }
    Ok((printed, took))
}

/// The last lines that a program said, where it says why it ended.
fn end_of(said: &str) -> &str {
    const CHARS: usize = 400;
    let said = said.trim();
    let from = said.char_indices().rev().nth(CHARS - 1);
    &said[from.map_or(0, |(at, _)| at)..]
}
