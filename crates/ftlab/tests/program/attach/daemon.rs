//! A server in the background: what the call that starts it waits for, and how it is ended.

use super::server::{Serve, refused, run, said};
use crate::place::program;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const NEW: [&str; 4] = ["--drive", "generic-mlc-8", "--image", "d.img"];

/// A directory in which servers run in the background; what is still there in the end is killed.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(TempDir::new().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn ftlab(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.path());
        // Its end is that of both pipes: of a server that held on to one, too.
        command.stdin(Stdio::null()).output().expect("it starts")
    }

    /// What a call says that succeeds.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.ftlab(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        assert_eq!(error, "", "{arguments:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// The one line of a call that is refused.
    fn refuses(&self, arguments: &[&str]) -> String {
        let output = self.ftlab(arguments);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
        error
    }

    fn serve(&self, arguments: &[&str]) -> String {
        self.says(&[&["serve", "--daemon"], arguments].concat())
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect(name)
    }

    fn pid(&self) -> String {
        self.read("d.img.pid").trim().to_owned()
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            let name = entry.expect("an entry").file_name();
            name.into_string().expect("ASCII")
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Ok(pid) = std::fs::read_to_string(self.path().join("d.img.pid")) {
            run("kill", &["-KILL", pid.trim()]);
        }
    }
}

/// Writes, or reads back, a pattern over the socket of `d.img`.
fn qemu_io(place: &Place, what: &str) -> String {
    let socket = place.path().join("d.img.sock");
    let uri = format!("nbd+unix:///?socket={}", socket.display());
    said("qemu-io", &["-f", "raw", "-c", what, &uri])
}

/// The session of a process.
fn session(pid: &str) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    fields.split(' ').nth(3).expect("a session").to_owned()
}

#[test]
fn the_call_returns_when_the_drive_can_be_used_and_the_server_goes_on() {
    let place = Place::new();
    let told = place.serve(&NEW);
    assert!(told.ends_with("\nready\n"), "{told}");
    assert!(told.contains("ftlab stop d.img.pid"), "{told}");
    // No waiting here: the call has done it.
    qemu_io(&place, "write -f -P 7 0 64k");
    qemu_io(&place, "read -P 7 0 64k");
    let pid = place.pid();
    assert_eq!(session(&pid), pid, "the end of a terminal is not its own");
    assert_eq!(place.says(&["stop", "d.img"]), "");
    let log = place.read("d.img.log");
    assert!(log.starts_with(&told), "{log}");
    assert!(log.contains("lateness of "), "{log}");
    assert_eq!(place.files(), ["d.img", "d.img.log"]);
    // It was closed in order.
    assert!(place.serve(&["--image", "d.img"]).contains("in order"));
    qemu_io(&place, "read -P 7 0 64k");
    place.says(&["stop", "d.img.pid"]);
}

#[test]
fn a_server_ends_in_order_when_its_input_does() {
    let place = Place::new();
    let (mut server, mut input) = Serve::start_with_input(place.path(), &NEW);
    // What it is told says nothing.
    input.write_all(b"quit\n").expect("it listens");
    qemu_io(&place, "write -P 7 0 64k");
    drop(input);
    let (status, out, error) = server.ended();
    assert!(status.success() && out.contains("lateness"), "{error}");
    assert_eq!(error, "standard input has ended, so the drive stops\n");
    // Beside a signal it is no second one, which would cut the power.
    let (mut server, input) = Serve::start_with_input(place.path(), &["--image", "d.img"]);
    assert!(server.said.contains("in order"), "{}", server.said);
    qemu_io(&place, "read -P 7 0 64k");
    server.signal("TERM");
    drop(input);
    let (status, _, error) = server.ended();
    assert!(status.success(), "{status}: {error}");
    let both = ["--daemon", "--until-stdin-closes", "--image", "d.img"];
    let error = refused(place.path(), &both);
    assert!(error.contains("--daemon"), "{error}");
}

#[test]
fn what_keeps_it_from_serving_is_told_to_the_caller_and_nothing_is_left() {
    let place = Place::new();
    for (arguments, why) in [
        (&["--unix", "no/such/folder/s"][..], "cannot listen"),
        (&["--log", "no/such/folder/log"], "with --log"),
        (&["--pid-file", "no/such/folder/pid"], "the pid file"),
        (&["--size", "1"], "sectors"),
        (&["--fuse", "no/such/folder"], "cannot mount"),
        (&["--fuse", "/dev/null"], "no directory"),
        (&["--fuse", "/dev"], "holds files"),
        (&["--log", "/dev/stdout"], "--log"),
    ] {
        let error = place.refuses(&[&["serve", "--daemon"], &NEW[..], arguments].concat());
        assert!(error.contains(why), "{arguments:?}: {error}");
        assert_eq!(place.files(), [""; 0], "{arguments:?}");
    }
    let in_memory = ["serve", "--daemon", "--drive", "generic-mlc-8"];
    let error = place.refuses(&in_memory);
    assert!(error.contains("--log"), "{error}");
    place.serve(&NEW);
    let error = place.refuses(&["serve", "--daemon", "--image", "d.img"]);
    assert!(error.contains("another process"), "{error}");
    qemu_io(&place, "write 0 4k");
    place.says(&["stop", "d.img"]);
}

#[test]
fn a_server_that_was_killed_can_be_followed_at_once_and_not_be_stopped() {
    let place = Place::new();
    place.serve(&NEW);
    for round in 1..=5 {
        qemu_io(&place, &format!("write -f -P {round} 0 64k"));
        said("kill", &["-KILL", &place.pid()]);
        let told = place.serve(&["--image", "d.img"]);
        assert!(told.contains("lost its power"), "{told}");
        qemu_io(&place, &format!("read -P {round} 0 64k"));
    }
    said("kill", &["-KILL", &place.pid()]);
    // A number that is nobody's is not sent a signal, whoever has it now.
    let error = loop {
        let output = place.ftlab(&["stop", "d.img"]);
        if output.status.code() == Some(2) {
            break String::from_utf8(output.stderr).expect("text");
        }
    };
    assert!(error.contains("nobody serves it"), "{error}");
}

#[test]
fn only_a_server_with_a_pid_file_is_stopped() {
    let place = Place::new();
    let error = place.refuses(&["stop", "d.img"]);
    assert!(error.contains("No such file"), "{error}");
    let server = Serve::start(place.path(), &NEW);
    let error = place.refuses(&["stop", "d.img"]);
    assert!(error.contains("Ctrl-C"), "{error}");
    server.stop();
    let server = Serve::start(place.path(), &[&NEW[2..], &["--pidfile", "p"]].concat());
    assert_eq!(place.read("p"), format!("{}\n", server.pid()));
    let taken = ["--drive", "generic-mlc-8", "--unix", "s", "--pid-file", "p"];
    let error = refused(place.path(), &taken);
    assert!(error.contains("another server"), "{error}");
    place.says(&["stop", "p"]);
    assert_eq!(place.files(), ["d.img"]);
}
