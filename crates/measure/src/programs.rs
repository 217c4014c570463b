//! Programs that speak with a drive below its file: `nvme`, `smartctl`, `hdparm`, as they are installed.

use crate::stop::Stop;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Where programs are looked for.
#[derive(Debug, Clone)]
pub struct Programs {
    path: OsString,
}

/// What a program said, and how it ended.
#[derive(Debug)]
pub struct Said {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to its output.
    pub out: String,
    /// What it wrote about errors.
    pub err: String,
}

impl Programs {
    /// Those of this process's `PATH`.
    #[must_use]
    pub fn here() -> Programs {
        Programs::in_path(std::env::var_os("PATH").unwrap_or_default())
    }

    /// Those of a list of folders as `PATH` has it.
    #[must_use]
    pub fn in_path(path: OsString) -> Programs {
        Programs { path }
    }

    /// Runs a program to its end, or until `stop` is called.
    ///
    /// # Errors
    /// When the system does not start it: most often it is not installed.
    pub fn run(&self, name: &str, options: &[&OsStr], stop: &Stop) -> io::Result<Said> {
        let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut child = Command::new(name)
            .args(options)
            .env("PATH", &self.path)
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(err.try_clone()?)
            // What a terminal sends goes to this process, which passes it on where that does no harm.
            .process_group(0)
            .spawn()?;
        let ended = stop.while_at_work(&mut child)?;
        Ok(Said {
            code: ended.code(),
            out: text(&mut out)?,
            err: text(&mut err)?,
        })
    }
}

impl Said {
    /// Returns true if the program did what it was asked.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.code == Some(0)
    }

    /// The first line about what went wrong.
    #[must_use]
    pub fn why(&self) -> String {
        let lines = self.err.lines().chain(self.out.lines());
        let mut lines = lines.map(str::trim).filter(|line| !line.is_empty());
        match (lines.next(), self.code) {
            (Some(line), _) => line.to_owned(),
            (None, Some(code)) => format!("it ended with exit code {code} and no word"),
            (None, None) => "a signal ended it".to_owned(),
        }
    }
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
