//! How this program was called, and what starts it once more.
//!
//! A program finds both in its process. Inside of another program, as in Python's, whoever calls it has to say both.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A call of the command line from within another program.
#[derive(Debug)]
pub struct Call {
    /// The command's name as its user has typed it, and its arguments.
    pub words: Vec<OsString>,
    /// The program that starts the command line once more.
    pub program: PathBuf,
    /// What `program` needs before the command's arguments.
    pub first: Vec<OsString>,
    /// The file that has the code of the command line.
    pub code: PathBuf,
}

static CALL: OnceLock<Call> = OnceLock::new();

/// Says how the command line was called. A process does so before anything else asks, and once: the first call counts.
pub fn called(call: Call) {
    let _ = CALL.set(call);
}

/// The command's name as its user has typed it, and its arguments.
pub fn words() -> Vec<OsString> {
    CALL.get()
        .map_or_else(|| env::args_os().collect(), |call| call.words.clone())
}

/// A command that starts this program once more, and lacks its arguments.
///
/// # Errors
/// If the system does not say where the program is.
pub fn command() -> io::Result<Command> {
    let Some(call) = CALL.get() else {
        return env::current_exe().map(Command::new);
    };
    let mut command = Command::new(&call.program);
    command.args(&call.first);
    Ok(command)
}

/// The folder in which a shell finds this program by its name, if its user has named one.
///
/// # Errors
/// If the system does not say where the program is.
pub fn folder() -> io::Result<Option<PathBuf>> {
    let program = match CALL.get() {
        None => env::current_exe()?,
        Some(call) => call.words.first().map(PathBuf::from).unwrap_or_default(),
    };
    let folder = program.parent().map(Path::to_owned);
    Ok(folder.filter(|folder| !folder.as_os_str().is_empty()))
}

/// The file that has this program's code.
///
/// # Errors
/// If the system does not say where the program is.
pub fn code() -> io::Result<PathBuf> {
    CALL.get()
        .map_or_else(env::current_exe, |call| Ok(call.code.clone()))
}
