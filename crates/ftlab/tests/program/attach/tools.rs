//! The toolbox, on drives at work and on images that nobody serves.

use super::client::Client;
use super::server::{MIB, Serve, run, said};
use crate::place::program;
use ftlab_attach::control::{ControlError, ControlRequest, Report, ask};
use ftlab_nbd::protocol::RequestHeader;
use ftlab_nbd::protocol::constants::{
    NBD_CMD_FLAG_FUA, NBD_CMD_FLUSH, NBD_CMD_READ, NBD_CMD_WRITE,
};
use std::path::Path;
use tempfile::TempDir;

/// A drive whose file says whose SMART attributes it has.
pub(super) const DRIVE: &str = "intel-x25-m-g1-80";

pub(super) fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

/// Clients run elsewhere.
pub(super) fn image(folder: &Path) -> String {
    let path = folder.join("disk.img");
    path.to_str().expect("ASCII").to_owned()
}

pub(super) fn serve(folder: &Path) -> Serve {
    let image = image(folder);
    let arguments = [
        "--drive", DRIVE, "--image", &image, "--timing", "off", "--size", "64m",
    ];
    Serve::start(folder, &arguments)
}

pub(super) fn reopen(folder: &Path) -> Serve {
    Serve::start(folder, &["--image", &image(folder), "--timing", "off"])
}

/// Runs the program on the image, and gives what it says.
pub(super) fn ftlab(folder: &Path, words: &[&str]) -> String {
    let image = image(folder);
    let named = |word: &&str| match *word {
        "IMAGE" => image.clone(),
        word => word.to_owned(),
    };
    let words: Vec<String> = words.iter().map(named).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    said(program(), &words)
}

fn report(folder: &Path) -> Report {
    let text = ask(
        &folder.join("disk.img.control"),
        ControlRequest::Get("/statistics"),
    );
    serde_json::from_str(&text.expect("it tells")).expect("a report")
}

/// Writes or reads 64 KiB, and sees the bytes.
pub(super) fn pattern(server: &Serve, what: &str, byte: u8, at: &str) {
    let line = format!("{what} -P {byte} {at} 64k");
    said(
        "qemu-io",
        &["-f", "raw", "-c", &line, "-c", "flush", server.uri()],
    );
}

/// The same where nothing can be flushed.
fn pattern_only(server: &Serve, what: &str, byte: u8, at: &str) {
    let line = format!("{what} -P {byte} {at} 64k");
    said("qemu-io", &["-f", "raw", "-c", &line, server.uri()]);
}

#[test]
fn trim_and_erase_empty_a_drive_at_work_or_an_image() {
    let folder = folder();
    let server = serve(folder.path());
    for at in ["0", "1m"] {
        pattern(&server, "write", 7, at);
    }
    ftlab(
        folder.path(),
        &["trim", "IMAGE", "--offset", "1m", "--length", "64k"],
    );
    pattern(&server, "read", 7, "0");
    pattern(&server, "read", 0, "1m");
    ftlab(folder.path(), &["erase", "IMAGE"]);
    pattern(&server, "read", 0, "0");
    for at in ["0", "1m"] {
        pattern(&server, "write", 8, at);
    }
    server.stop();
    let trim = ["trim", "IMAGE", "--offset", "1m", "--length", "63m"];
    ftlab(folder.path(), &trim);
    let server = reopen(folder.path());
    pattern(&server, "read", 8, "0");
    pattern(&server, "read", 0, "1m");
    ftlab(folder.path(), &["trim", "IMAGE", "--all"]);
    pattern(&server, "read", 0, "0");
    pattern(&server, "write", 9, "0");
    server.stop();
    ftlab(folder.path(), &["trim", "IMAGE", "--all"]);
    let server = reopen(folder.path());
    pattern(&server, "read", 0, "0");
    pattern(&server, "write", 9, "0");
    server.stop();
    ftlab(folder.path(), &["erase", "IMAGE"]);
    let server = reopen(folder.path());
    pattern(&server, "read", 0, "0");
    server.stop();
}

/// What a drive holds is lost only to those who say what of it.
#[test]
fn a_trim_that_names_no_range_is_refused_at_work_and_on_an_image() {
    let folder = folder();
    let server = serve(folder.path());
    pattern(&server, "write", 7, "0");
    let image = image(folder.path());
    let refuse_all = || {
        for (words, why) in [
            (&[][..], "--all"),
            (&["--offset", "0"], "--all"),
            (&["--length", "64k"], "--all"),
            (&["--length", "0"], "trims nothing"),
            (&["--offset", "0", "--length", "0"], "trims nothing"),
            (&["--offset", "1", "--length", "512"], "whole sectors"),
            (&["--all", "--length", "64k"], "cannot be used with"),
        ] {
            let all = [&["trim", image.as_str()], words].concat();
            let output = run(program(), &all);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{words:?}: {told}");
            assert!(told.contains(why), "{words:?}: {told}");
        }
        let beyond = ["trim", &image, "--offset", "0", "--length", "65m"];
        let output = run(program(), &beyond);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && told.contains("the drive has 67108864"),
            "{told}"
        );
    };
    refuse_all();
    pattern(&server, "read", 7, "0");
    server.stop();
    refuse_all();
    let server = reopen(folder.path());
    pattern(&server, "read", 7, "0");
    server.stop();
}

#[test]
fn set_max_changes_what_clients_see_of_an_image_that_nobody_serves() {
    let folder = folder();
    let server = serve(folder.path());
    let image = folder.path().join("disk.img");
    let refused = super::server::run(
        program(),
        &["set-max", image.to_str().expect("ASCII"), "32m"],
    );
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("being served"));
    server.stop();
    for (size, bytes) in [("32m", 32 * MIB), ("native", 80_026_361_856)] {
        ftlab(folder.path(), &["set-max", "IMAGE", size]);
        let server = reopen(folder.path());
        let seen: u64 = said("nbdinfo", &["--size", server.uri()])
            .trim()
            .parse()
            .expect("bytes");
        assert_eq!(seen, bytes, "{size}");
        server.stop();
    }
}

#[test]
fn top_and_prometheus_tell_what_was_asked() {
    let folder = folder();
    let server = serve(folder.path());
    pattern(&server, "write", 7, "0");
    let text = ftlab(folder.path(), &["top", "IMAGE", "--once"]);
    for part in ["Intel X25-M", "writes", "WA ", "erases of a block"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let report = report(folder.path());
    assert_eq!((report.writes.requests, report.writes.bytes), (1, 64 << 10));
    let control = folder.path().join("disk.img.control");
    let metrics = ask(&control, ControlRequest::Get("/metrics")).expect("it tells");
    for line in [
        "ftlab_requests_total{kind=\"write\"} 1",
        "ftlab_requested_bytes_total{kind=\"write\"} 65536",
        "ftlab_host_written_bytes_total 65536",
        "ftlab_takes_writes 1.0",
        "# TYPE ftlab_latency_seconds histogram",
        "# EOF",
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "no {line} in {metrics}"
        );
    }
    server.stop();
    assert!(!control.exists(), "the socket is gone with the server");
}

#[test]
fn a_control_socket_says_what_is_wrong_with_a_question() {
    let folder = folder();
    let server = serve(folder.path());
    let control = folder.path().join("disk.img.control");
    for (asked, why) in [
        (ControlRequest::Get("/nothing"), "there is no /nothing"),
        (ControlRequest::Get("/erase"), "not what /erase is for"),
        (ControlRequest::Post("/trim", ""), "a JSON object"),
        (
            ControlRequest::Post("/trim", "{\"bytes\": 512}"),
            "\"all\": true",
        ),
        (
            ControlRequest::Post("/trim", "{\"offset_bytes\": 0, \"bytes\": 5}"),
            "whole sectors",
        ),
        (ControlRequest::Post("/erase", ""), "a JSON object"),
        (
            ControlRequest::Post("/trim", "{\"offset_bytes\": 1e30}"),
            "the body",
        ),
        (ControlRequest::Post("/rest", "{}"), "hours"),
        (
            ControlRequest::Post("/rest", "{\"hours\": -1, \"celsius\": 30}"),
            "cannot be",
        ),
    ] {
        match ask(&control, asked) {
            Err(ControlError::Refused(told)) => assert!(told.contains(why), "{asked:?}: {told}"),
            other => panic!("{asked:?}: {other:?}"),
        }
    }
    let too_long = "x".repeat(1 << 20);
    match ask(&control, ControlRequest::Post("/trim", &too_long)) {
        Err(ControlError::Refused(why)) => assert!(why.contains("longer than"), "{why}"),
        other => panic!("{other:?}"),
    }
    // And it goes on.
    assert_eq!(report(folder.path()).writes.requests, 0);
    server.stop();
    assert!(matches!(
        ask(&control, ControlRequest::Get("/statistics")),
        Err(ControlError::Socket { .. })
    ));
}

#[test]
fn a_drive_can_vanish_and_come_back() {
    let folder = folder();
    let server = serve(folder.path());
    let mut client = Client::connect(&folder.path().join("disk.img.sock"));
    let mut asks = |code, data: &[u8]| {
        let header = RequestHeader {
            flags: 0,
            code,
            cookie: 1,
            offset_bytes: 0,
            length_bytes: 512,
        };
        client.send(header, data).expect("it runs");
        let (_, error) = client.reply().expect("it runs");
        if code == NBD_CMD_READ && error == 0 {
            client.data(&mut [0; 512]).expect("data");
        }
        error
    };
    assert_eq!(asks(NBD_CMD_WRITE, &[1; 512]), 0);
    ftlab(folder.path(), &["fault", "IMAGE", "vanish"]);
    // Without time nobody waits.
    assert_eq!(asks(NBD_CMD_READ, &[]), 5);
    ftlab(folder.path(), &["fault", "IMAGE", "return"]);
    assert_eq!(asks(NBD_CMD_READ, &[]), 0);
    server.stop();
}

/// Whether 64 KiB can be read.
fn is_readable(server: &Serve, at: &str) -> bool {
    let line = format!("read {at} 64k");
    let output = run("qemu-io", &["-f", "raw", "-c", &line, server.uri()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let text = text + &String::from_utf8_lossy(&output.stderr);
    let fails = text.contains("Input/output error");
    assert!(fails || text.contains("read 65536/65536"), "{text}");
    !fails
}

#[test]
fn what_cannot_be_corrected_is_an_error_until_it_is_written_anew() {
    let folder = folder();
    let server = serve(folder.path());
    pattern(&server, "write", 7, "1m");
    pattern(&server, "write", 8, "2m");
    ftlab(folder.path(), &["fault", "IMAGE", "unreadable", "1m"]);
    assert!(!is_readable(&server, "1m"));
    pattern(&server, "read", 8, "2m");
    // It is a fault of the flash: it outlives the power.
    server.kill();
    let server = reopen(folder.path());
    assert!(!is_readable(&server, "1m"));
    pattern(&server, "write", 9, "1m");
    pattern(&server, "read", 9, "1m");
    server.stop();
}

/// Sectors of a slot of a drive that is served, as a client has them.
struct Sectors(Client);

impl Sectors {
    fn of(folder: &Path) -> Sectors {
        Sectors(Client::connect(&folder.join("disk.img.sock")))
    }

    fn ask(&mut self, code: u16, flags: u16, sector: u64, data: &[u8], length: u32) -> u32 {
        let header = RequestHeader {
            flags,
            code,
            cookie: 1,
            offset_bytes: MIB + sector * 512,
            length_bytes: length,
        };
        self.0.send(header, data).expect("it runs");
        self.0.reply().expect("it runs").1
    }

    /// Writes sectors with FUA, or flushes afterwards.
    fn write(&mut self, sector: u64, sectors: usize, byte: u8, fua: bool) {
        let data = vec![byte; sectors * 512];
        let flags = if fua { NBD_CMD_FLAG_FUA } else { 0 };
        let length = data.len() as u32;
        assert_eq!(self.ask(NBD_CMD_WRITE, flags, sector, &data, length), 0);
        if !fua {
            let header = RequestHeader {
                flags: 0,
                code: NBD_CMD_FLUSH,
                cookie: 2,
                offset_bytes: 0,
                length_bytes: 0,
            };
            self.0.send(header, &[]).expect("it runs");
            assert_eq!(self.0.reply().expect("it runs"), (2, 0));
        }
    }

    /// The first bytes of the slot's sectors; nothing where there is an input/output error.
    fn read(&mut self) -> Vec<Option<u8>> {
        let mut read = |sector| {
            let mut data = [0; 512];
            match self.ask(NBD_CMD_READ, 0, sector, &[], 512) {
                0 => {
                    self.0.data(&mut data).expect("data");
                    Some(data[0])
                }
                error => {
                    assert_eq!(error, 5, "sector {sector}");
                    None
                }
            }
        };
        (0..8).map(&mut read).collect()
    }
}

#[test]
fn a_sector_written_where_its_slot_cannot_be_read_is_read_back() {
    for timing in ["model", "off"] {
        let folder = folder();
        let image = image(folder.path());
        let arguments = ["--image", &image, "--timing", timing];
        let new = [&arguments[..], &["--drive", DRIVE, "--size", "64m"]].concat();
        let server = Serve::start(folder.path(), &new);
        let mut slot = Sectors::of(folder.path());
        slot.write(0, 128, 7, false);
        ftlab(folder.path(), &["fault", "IMAGE", "unreadable", "1m"]);
        assert_eq!(slot.read(), [None; 8], "{timing}");
        slot.write(0, 1, 9, false);
        slot.write(5, 1, 8, true);
        let written = [Some(9), None, None, None, None, Some(8), None, None];
        assert_eq!(slot.read(), written, "{timing}");
        // The slot beside it is as it was.
        let mut data = [0; 512];
        assert_eq!(slot.ask(NBD_CMD_READ, 0, 8, &[], 512), 0);
        slot.0.data(&mut data).expect("data");
        assert_eq!(data, [7; 512]);
        server.kill();
        let server = Serve::start(folder.path(), &arguments);
        let mut slot = Sectors::of(folder.path());
        assert_eq!(slot.read(), written, "{timing}, after a cut");
        slot.write(0, 8, 6, false);
        assert_eq!(slot.read(), [Some(6); 8], "{timing}, cured");
        drop(slot);
        server.stop();
    }
}

#[test]
fn a_server_says_what_its_image_survives_and_info_what_it_survived() {
    let folder = folder();
    let image = image(folder.path());
    let new = [
        "--image", &image, "--drive", DRIVE, "--size", "64m", "--timing", "off",
    ];
    let server = Serve::start(folder.path(), &new);
    let killed = "survives the process killed: ";
    assert!(server.said.contains(killed), "{}", server.said);
    assert!(server.said.contains("--sync"), "{}", server.said);
    let length = std::fs::metadata(&image).expect("a file").len();
    let length = format!("{:.1} GB long with its holes", length as f64 / 1e9);
    assert!(server.said.contains(&length), "{}", server.said);
    assert!(
        server.said.contains("cp --sparse=always"),
        "{}",
        server.said
    );
    server.stop();
    let info = || ftlab(folder.path(), &["info", "IMAGE"]);
    assert!(info().contains("the process killed"), "{}", info());
    assert!(info().contains(&length), "{}", info());
    // An image that was closed in order, and is served otherwise now.
    let synced = ["--image", &image, "--timing", "off", "--sync"];
    let server = Serve::start(folder.path(), &synced);
    let cut = "survives the host's power cut, and the process killed: ";
    assert!(server.said.contains(cut), "{}", server.said);
    server.kill();
    assert!(info().contains("the host's power cut"), "{}", info());
    let json = ftlab(folder.path(), &["info", "IMAGE", "--output-format", "json"]);
    assert!(json.contains("\"survives\": \"host-power-cut\""), "{json}");
    // A drive in memory survives nothing.
    let memory = Serve::start(folder.path(), &["--drive", DRIVE, "--unix", "s"]);
    assert!(!memory.said.contains("survives"), "{}", memory.said);
    memory.stop();
}

#[test]
fn at_the_end_of_its_life_a_drive_takes_no_writes_and_can_be_read() {
    /// A drive of a few megabytes, whose spare area is soon used up.
    const SMALL: [&str; 7] = [
        "nand.blocks_per_die=32",
        "nand.pages_per_block=8",
        "spare.op=0.8",
        "reliability.rated_cycles=3000",
        "reliability.median_cycles=6000",
        "reliability.life_shape=3",
        "reliability.erase_share=0.5",
    ];
    let folder = folder();
    let disk = image(folder.path());
    let mut arguments = vec!["--drive", "generic-mlc-8", "--image", &disk];
    arguments.extend(["--timing", "off"]);
    arguments.extend(SMALL.iter().flat_map(|setting| ["--set", setting]));
    let server = Serve::start(folder.path(), &arguments);
    pattern(&server, "write", 7, "1m");
    server.stop();
    // An image that nobody serves gives it as well.
    ftlab(folder.path(), &["fault", "IMAGE", "bad-block", "3"]);
    let passes = ftlab(folder.path(), &["smart", "IMAGE"]);
    assert!(passes.contains("result: PASSED"), "{passes}");
    ftlab(folder.path(), &["fault", "IMAGE", "end-of-life"]);
    let server = reopen(folder.path());
    let line = "write -P 1 4m 4m";
    let refuses = (0..20).any(|_| {
        let output = run("qemu-io", &["-f", "raw", "-c", line, server.uri()]);
        String::from_utf8_lossy(&output.stderr).contains("Input/output error")
            || String::from_utf8_lossy(&output.stdout).contains("Input/output error")
    });
    assert!(refuses, "it takes writes for ever");
    pattern_only(&server, "read", 7, "1m");
    let fails = ftlab(folder.path(), &["smart", "IMAGE"]);
    assert!(
        fails.contains("FAILED!") && fails.contains("worn out"),
        "{fails}"
    );
    server.kill();
    let server = reopen(folder.path());
    pattern_only(&server, "read", 7, "1m");
}

#[test]
fn parity_makes_a_dead_die_good() {
    let folder = folder();
    let image = image(folder.path());
    let arguments = [
        "--drive",
        "ocz-vertex3-120",
        "--image",
        &image,
        "--size",
        "64m",
        "--timing",
        "off",
    ];
    let server = Serve::start(folder.path(), &arguments);
    for n in 0..16 {
        pattern(&server, "write", n, &format!("{n}m"));
    }
    ftlab(folder.path(), &["fault", "IMAGE", "die", "2"]);
    for n in 0..16 {
        pattern(&server, "read", n, &format!("{n}m"));
    }
    let words = ["fault", &image, "die", "3"];
    let again = run(program(), &words);
    let why = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        !again.status.success() && why.contains("die 2 failed before"),
        "{why}"
    );
    server.stop();
}

#[test]
fn what_cannot_go_wrong_is_said() {
    let folder = folder();
    serve(folder.path()).stop();
    let image = image(folder.path());
    let refused = |words: &[&str]| {
        let all = [&["fault", image.as_str()][..], words].concat();
        let output = run(program(), &all);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    for (words, part) in [
        (&["die", "500"][..], "the drive has dies 0 to"),
        (&["bad-block", "4000000000"], "the drive has blocks 0 to"),
        (&["unreadable", "1t"], "beyond the end of the drive"),
        (&["unreadable", "5m"], "write and flush it first"),
        (&["vanish"], "nobody serves"),
        (&["die"], "<DIE>"),
        (
            &["rust"],
            "no fault \"rust\": there are bad-block, unreadable, die, end-of-life, vanish, return, power-cut, stall, slow",
        ),
    ] {
        let why = refused(words);
        assert!(why.contains(part), "{words:?}: {why}");
    }
}

#[test]
fn new_firmware_keeps_what_the_drive_holds() {
    let folder = folder();
    let server = serve(folder.path());
    pattern(&server, "write", 7, "1m");
    let image = image(folder.path());
    let firmware = |words: &[&str]| {
        let all = [&["firmware", image.as_str()][..], words].concat();
        run(program(), &all)
    };
    let quicker = ["--set", "firmware.write_command=9us"];
    let refused = |words: &[&str]| {
        let output = firmware(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(refused(&quicker).contains("stop the server first"));
    server.stop();
    let done = firmware(&quicker);
    let done = String::from_utf8(done.stdout).expect("text");
    assert!(
        done.contains("firmware.write_command was") && done.contains("and is 9 us"),
        "{done}"
    );
    for (words, part) in [
        (&[][..], "say what is to be different"),
        (&["--set", "nand.t_read=1us"], "which stays as it is"),
        (&["--drive", "ocz-vertex"], "does not fit the drive"),
        (&["--drive", "wd-raptor-150"], "only a drive of flash"),
        (&["--drive", "nobody"], "nobody"),
    ] {
        let why = refused(words);
        assert!(why.contains(part), "{words:?}: {why}");
    }
    let server = reopen(folder.path());
    pattern(&server, "read", 7, "1m");
    server.stop();
}
