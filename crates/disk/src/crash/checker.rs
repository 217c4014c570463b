//! The command that says whether a state is sound. It has a process group of its own; however it ends, nothing of it
//! runs on.

use super::leftovers;
use super::process::{self, Ended};
use ftlab_console::failure::Failure;
use ftlab_image::CrashState;
use rustix::process::Pid;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The variable of the environment that has the path of a state; what belongs to a checker is known by it.
pub const STATE: &str = "FTLAB_STATE";

/// The most bytes of a checker's last words that a report quotes.
const WORDS_BYTES: u64 = 2048;
const WORDS_LETTERS: usize = 160;

/// Exit codes of sh for a command that does not exist, or cannot be run.
const NOT_RUNNABLE: [i32; 2] = [126, 127];

/// Verdict of a checker on a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passes,
    /// The state is not sound, for this reason.
    Fails(String),
    /// Nobody wants to know any more.
    Interrupted,
}

/// A command, and how it is run.
pub struct Checker {
    command: String,
    timeout: Duration,
    is_interrupted: Arc<AtomicBool>,
    /// Time at which the log began, in nanoseconds since 1970.
    began_unix_ns: u64,
}

impl Checker {
    pub fn new(
        command: &str,
        timeout: Duration,
        began_unix_ns: u64,
        is_interrupted: Arc<AtomicBool>,
    ) -> Checker {
        Checker {
            command: command.to_owned(),
            timeout,
            is_interrupted,
            began_unix_ns,
        }
    }

    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    /// The command line that sh runs for a state.
    fn words(&self, state: &Path) -> String {
        let path = state.to_string_lossy();
        let path = shlex::try_quote(&path).expect("a path has no NUL");
        if self.command.contains("{}") {
            self.command.replace("{}", &path)
        } else if self.command.contains(STATE) {
            self.command.clone()
        } else {
            format!("{} {path}", self.command)
        }
    }

    /// Has a state checked, which is the checker's to change.
    ///
    /// # Errors
    /// When the checker cannot be started, or leaves something behind.
    pub fn check(&self, state: &Path, about: &CrashState) -> Result<Verdict, Failure> {
        let failed =
            |error: io::Error| Failure::Running(format!("the checker cannot be started: {error}"));
        let mut output = tempfile::tempfile().map_err(failed)?;
        let mut child = Command::new("sh")
            .args(["-c", &self.words(state)])
            .env(STATE, state)
            .env("FTLAB_MARK", &about.mark)
            .env(
                "FTLAB_CUT_NS",
                (self.began_unix_ns + about.at_ns).to_string(),
            )
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(failed)?)
            .stderr(output.try_clone().map_err(failed)?)
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let group = Pid::from_child(&child);
        let ended = process::wait(&mut child, self.timeout, &self.is_interrupted);
        let is_over = matches!(ended, Ok(Ended::By(_)));
        let left = leftovers::behind(group, state, is_over);
        if !is_over {
            // It was killed with its group, so this does not wait long.
            child.wait().map_err(failed)?;
        }
        match ended.map_err(failed)? {
            Ended::Interrupted => Ok(Verdict::Interrupted),
            Ended::TookTooLong => {
                let seconds = self.timeout.as_secs_f64();
                Ok(Verdict::Fails(format!(
                    "the checker took longer than {seconds} s"
                )))
            }
            Ended::By(_) if !left.is_empty() => Err(Failure::Running(format!(
                "the checker left {} behind, which was ended: have it wait for what it starts, and detach what it \
                 attaches",
                left.join(", ")
            ))),
            Ended::By(status) => verdict(status, &last_words(&mut output)),
        }
    }
}

/// Verdict of an exit status.
///
/// # Errors
/// When the exit code says that the checker cannot be run.
fn verdict(status: ExitStatus, words: &str) -> Result<Verdict, Failure> {
    let last_words = match words {
        "" => String::new(),
        words => format!(": {words}"),
    };
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(Verdict::Passes),
        (Some(code), _) if NOT_RUNNABLE.contains(&code) => Err(Failure::Input(format!(
            "the checker cannot be run (exit code {code}){last_words}"
        ))),
        (Some(code), _) => Ok(Verdict::Fails(format!("exit code {code}{last_words}"))),
        (None, signal) => Ok(Verdict::Fails(format!(
            "ended by signal {}{last_words}",
            signal.unwrap_or_default()
        ))),
    }
}

/// The last line that it said, or the end of that.
pub fn last_words(output: &mut File) -> String {
    let mut words = Vec::new();
    let read = output.seek(SeekFrom::End(0)).and_then(|end| {
        output.seek(SeekFrom::Start(end.saturating_sub(WORDS_BYTES)))?;
        output.read_to_end(&mut words)
    });
    if read.is_err() {
        return String::new();
    }
    let words = String::from_utf8_lossy(&words);
    let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.unwrap_or_default()
        .chars()
        .take(WORDS_LETTERS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn check(command: &str, timeout: Duration) -> Result<Verdict, Failure> {
        let state = tempfile::NamedTempFile::new().unwrap();
        let about = CrashState {
            point: 3,
            at_ns: 5,
            mark: "row 17".into(),
            volatile_slots: 0,
            lost: Vec::new(),
        };
        let checker = Checker::new(command, timeout, 1000, Arc::default());
        checker.check(state.path(), &about)
    }

    /// Longer than anything here takes.
    const LONG: Duration = Duration::from_secs(60);

    fn fails(command: &str) -> String {
        match check(command, LONG) {
            Ok(Verdict::Fails(why)) => why,
            other => panic!("{command}: {other:?}"),
        }
    }

    #[test]
    fn the_state_is_where_the_command_wants_it_and_its_exit_is_the_verdict() {
        for passes in [
            "test -f",
            "test -f {} && test -w {}",
            "test -f \"$FTLAB_STATE\"",
            "test \"$FTLAB_MARK\" = 'row 17' -a \"$FTLAB_CUT_NS\" = 1005 -a -f",
        ] {
            assert_eq!(check(passes, LONG).unwrap(), Verdict::Passes, "{passes}");
        }
        assert_eq!(fails("test -d"), "exit code 1");
        let said = "echo first; echo the second >&2; exit 3; echo";
        assert_eq!(fails(said), "exit code 3: the second");
        assert_eq!(fails("kill -ABRT $$; echo"), "ended by signal 6");
    }

    #[test]
    fn one_that_cannot_be_run_is_no_verdict() {
        for command in ["./there-is-none", "/dev/null {}"] {
            let why = check(command, LONG).unwrap_err();
            assert!(matches!(why, Failure::Input(_)), "{command}: {why:?}");
        }
    }

    #[test]
    fn one_that_takes_too_long_is_ended_with_everything_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let alive = folder.path().join("alive");
        let command = format!(
            "(setsid sh -c 'while :; do date > {0}; sleep 0.02; done' &) ; sleep 100; echo {{}}",
            alive.display()
        );
        let verdict = check(&command, Duration::from_millis(500)).unwrap();
        let Verdict::Fails(why) = verdict else {
            panic!("{verdict:?}");
        };
        assert!(why.contains("longer than 0.5 s"), "{why}");
        assert!(alive.exists(), "it was at work");
        std::fs::remove_file(&alive).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        assert!(!alive.exists(), "it is at work still");
    }

    #[test]
    fn what_it_leaves_behind_is_ended_and_told() {
        for command in ["sleep 100 & echo {}", "setsid sleep 100 & echo {}"] {
            let began = Instant::now();
            let Err(Failure::Running(why)) = check(command, LONG) else {
                panic!("{command}: no error");
            };
            assert!(why.contains("sleep (process "), "{why}");
            assert!(began.elapsed() < Duration::from_secs(30));
        }
    }
}
