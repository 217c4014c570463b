//! A running `ftlab serve`, and the programs that talk to it.

#[path = "../../../../nbd/tests/server/programs.rs"]
mod programs;

pub use programs::{check_offers, json, run, said};

use crate::place::program;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

pub const MIB: u64 = 1 << 20;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs until this is dropped.
pub struct Serve {
    process: Child,
    output: Option<BufReader<ChildStdout>>,
    /// What it said until it was ready.
    pub said: String,
}

impl Serve {
    /// Starts `ftlab serve` in a directory, and waits until it is ready.
    pub fn start(folder: &Path, arguments: &[&str]) -> Serve {
        Serve::wait(command(folder, arguments), arguments)
    }

    /// The same for one that gets an error when it writes beyond a limit on files, and no signal.
    pub fn start_unstopped_by_limits(folder: &Path, arguments: &[&str]) -> Serve {
        let mut shell = Command::new("sh");
        let program = program();
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" serve \"$@\"", program]);
        Serve::wait(piped(shell, folder, arguments), arguments)
    }

    /// The same for one that stops when its input ends, with that.
    pub fn start_with_input(folder: &Path, arguments: &[&str]) -> (Serve, ChildStdin) {
        let mut command = command(folder, arguments);
        command.arg("--until-stdin-closes").stdin(Stdio::piped());
        let mut server = Serve::wait(command, arguments);
        let input = server.process.stdin.take().expect("a pipe");
        (server, input)
    }

    fn wait(mut command: Command, arguments: &[&str]) -> Serve {
        let mut process = command.spawn().expect("it starts");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (tell, told) = mpsc::channel();
        // A thread, as a server that says nothing must not stop the test for ever.
        thread::spawn(move || {
            let mut said = String::new();
            while output.read_line(&mut said).is_ok_and(|count| count > 0) {
                if said.ends_with("\nready\n") {
                    let _ = tell.send((said, output));
                    return;
                }
            }
        });
        match told.recv_timeout(PATIENCE) {
            Ok((said, output)) => Serve {
                process,
                output: Some(output),
                said,
            },
            Err(_) => {
                let _ = process.kill();
                let output = process.wait_with_output().expect("its last words");
                let error = String::from_utf8_lossy(&output.stderr);
                panic!("{arguments:?} is not ready: {error}");
            }
        }
    }

    /// Where clients find it.
    pub fn uri(&self) -> &str {
        let line = self.said.lines().find_map(|line| line.strip_prefix("at "));
        line.expect("it says where").trim()
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    pub fn signal(&self, name: &str) {
        said("kill", &["-s", name, &self.process.id().to_string()]);
    }

    /// The next line it says.
    pub fn line(&mut self) -> String {
        let mut output = self.output.take().expect("it has not ended");
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            if output.read_line(&mut line).is_ok() {
                let _ = tell.send((line, output));
            }
        });
        let (line, output) = told.recv_timeout(PATIENCE).expect("it says a line");
        self.output = Some(output);
        line
    }

    /// Ends it with a signal; gives how it ended and what it said in the end.
    pub fn end(mut self, signal: &str) -> (ExitStatus, String, String) {
        self.signal(signal);
        self.ended()
    }

    /// Sends a signal again and again, as a person without patience would, until it has ended.
    pub fn insist(mut self, signal: &str) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().expect("a process") {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "it does not end");
            self.signal(signal);
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until it has ended; gives how, and what it said in the end.
    pub fn ended(&mut self) -> (ExitStatus, String, String) {
        let (mut out, mut error) = (String::new(), String::new());
        if let Some(mut output) = self.output.take() {
            output.read_to_string(&mut out).expect("text");
        }
        let stderr = self.process.stderr.as_mut().expect("a pipe");
        stderr.read_to_string(&mut error).expect("text");
        (self.process.wait().expect("it ends"), out, error)
    }

    /// Stops it as a person would, and sees that all went well.
    pub fn stop(self) -> String {
        let (status, out, error) = self.end("TERM");
        assert!(status.success(), "{status}: {error}");
        // A machine that is busy otherwise makes it say that it is still at work.
        let complaints = error
            .lines()
            .filter(|line| !line.starts_with("at work for "));
        assert_eq!(complaints.count(), 0, "{error}");
        out
    }

    /// Kills it without a word.
    pub fn kill(self) {
        let (status, _, _) = self.end("KILL");
        assert!(!status.success());
    }
}

impl Serve {
    /// The same at once, before the drive has time for anything.
    pub fn kill_now(mut self) {
        self.process.kill().expect("it runs");
        assert!(!self.process.wait().expect("it ends").success());
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("serve");
    piped(command, folder, arguments)
}

fn piped(mut command: Command, folder: &Path, arguments: &[&str]) -> Command {
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The one line that says why `ftlab serve` does not serve.
pub fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = command(folder, arguments).output().expect("it starts");
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(error.starts_with("error: "), "{arguments:?}: {error}");
    error
}
