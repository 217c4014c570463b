//! The toolbox, on drives at work and on images that nobody serves.

use crate::client::Client;
use crate::server::{MIB, Serve, json, said};
use ftlab_attach::control::{Asked, ControlError, Report, ask};
use ftlab_nbd::protocol::RequestHeader;
use ftlab_nbd::protocol::constants::{NBD_CMD_READ, NBD_CMD_WRITE};
use std::path::Path;
use tempfile::TempDir;

/// A drive whose file says whose SMART attributes it has.
const DRIVE: &str = "intel-x25-m-g1-80";

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

/// Clients run elsewhere.
fn image(folder: &Path) -> String {
    let path = folder.join("disk.img");
    path.to_str().expect("ASCII").to_owned()
}

fn serve(folder: &Path) -> Serve {
    let image = image(folder);
    let arguments = [
        "--drive", DRIVE, "--image", &image, "--timing", "off", "--size", "64m",
    ];
    Serve::start(folder, &arguments)
}

fn reopen(folder: &Path) -> Serve {
    Serve::start(folder, &["--image", &image(folder), "--timing", "off"])
}

/// Runs the program on the image, and gives what it says.
fn ftlab(folder: &Path, words: &[&str]) -> String {
    let image = image(folder);
    let named = |word: &&str| match *word {
        "IMAGE" => image.clone(),
        word => word.to_owned(),
    };
    let words: Vec<String> = words.iter().map(named).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    said(env!("CARGO_BIN_EXE_ftlab"), &words)
}

fn report(folder: &Path) -> Report {
    let text = ask(&folder.join("disk.img.control"), Asked::Get("/statistics"));
    serde_json::from_str(&text.expect("it tells")).expect("a report")
}

/// Writes or reads 64 KiB, and sees the bytes.
fn pattern(server: &Serve, what: &str, byte: u8, at: &str) {
    let line = format!("{what} -P {byte} {at} 64k");
    said(
        "qemu-io",
        &["-f", "raw", "-c", &line, "-c", "flush", server.uri()],
    );
}

#[test]
fn smart_tells_the_same_of_a_drive_at_work_and_of_its_image() {
    let folder = folder();
    let server = serve(folder.path());
    pattern(&server, "write", 5, "0");
    let text = ftlab(folder.path(), &["smart", "IMAGE"]);
    for part in [
        "Intel X25-M",
        "67108864 bytes",
        "PASSED",
        "Media_Wearout_Indicator",
        "VALUE",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let at_work = json(&ftlab(
        folder.path(),
        &["smart", "IMAGE", "--output-format", "json"],
    ));
    let table = at_work["ata_smart_attributes"]["table"]
        .as_array()
        .expect("a table");
    let wearout = table
        .iter()
        .find(|row| row["id"] == 0xe9)
        .expect("it has that");
    assert_eq!(wearout["value"], 100);
    assert_eq!(at_work["ftlab"]["host_bytes_written"], 64 << 10);
    server.stop();
    let off = json(&ftlab(
        folder.path(),
        &["smart", "IMAGE", "--output-format", "json"],
    ));
    assert_eq!(off["ata_smart_attributes"], at_work["ata_smart_attributes"]);
    assert_eq!(off["ftlab"]["host_bytes_written"], 64 << 10);
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
    ftlab(folder.path(), &["trim", "IMAGE", "--offset", "1m"]);
    let server = reopen(folder.path());
    pattern(&server, "read", 8, "0");
    pattern(&server, "read", 0, "1m");
    server.stop();
    ftlab(folder.path(), &["erase", "IMAGE"]);
    let server = reopen(folder.path());
    pattern(&server, "read", 0, "0");
    server.stop();
}

#[test]
fn set_max_changes_what_clients_see_of_an_image_that_nobody_serves() {
    let folder = folder();
    let server = serve(folder.path());
    let image = folder.path().join("disk.img");
    let refused = crate::server::run(
        env!("CARGO_BIN_EXE_ftlab"),
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
    let metrics = ask(&control, Asked::Get("/metrics")).expect("it tells");
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
        (Asked::Get("/nothing"), "there is no /nothing"),
        (Asked::Get("/erase"), "not what /erase is for"),
        (Asked::Post("/trim", "{\"bytes\": 5}"), "whole sectors"),
        (Asked::Post("/trim", "{\"offset_bytes\": 1e30}"), "the body"),
        (Asked::Post("/rest", "{}"), "hours"),
        (
            Asked::Post("/rest", "{\"hours\": -1, \"celsius\": 30}"),
            "cannot be",
        ),
    ] {
        match ask(&control, asked) {
            Err(ControlError::Refused(told)) => assert!(told.contains(why), "{asked:?}: {told}"),
            other => panic!("{asked:?}: {other:?}"),
        }
    }
    let everything = "x".repeat(1 << 20);
    assert!(ask(&control, Asked::Post("/trim", &everything)).is_err());
    // And it goes on.
    assert_eq!(report(folder.path()).writes.requests, 0);
    server.stop();
    assert!(matches!(
        ask(&control, Asked::Get("/statistics")),
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
