//! Servers whose clients do not let go, and servers that want the same socket.

use super::client::Client;
use super::server::{Serve, refused, said};
use ftlab_attach::control::{ControlRequest, ask};
use ftlab_nbd::protocol::RequestHeader;
use ftlab_nbd::protocol::constants::{
    NBD_CMD_FLAG_NO_HOLE, NBD_CMD_FLUSH, NBD_CMD_READ, NBD_CMD_WRITE, NBD_CMD_WRITE_ZEROES,
};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const DRIVE: &str = "generic-mlc-8";

/// How long a server may take to stop on a busy machine; without one, it does so at once.
const STOP: Duration = Duration::from_secs(60);

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

/// A client that says so much and waits.
fn half_open(path: &Path, what: &[u8]) -> UnixStream {
    let mut stream = UnixStream::connect(path).expect("somebody listens");
    stream.write_all(what).expect("it is taken");
    stream
}

/// A client of the block device that asks for more than fits into a socket, and reads nothing.
fn never_reads(path: &Path) -> Client {
    let mut client = Client::connect(path);
    for cookie in 0..8 {
        let header = RequestHeader {
            flags: 0,
            code: NBD_CMD_READ,
            cookie,
            offset_bytes: 0,
            length_bytes: 1 << 20,
        };
        client.send(header, &[]).expect("it is taken");
    }
    client
}

/// One that announces a write and sends half of it.
fn owes_data(path: &Path) -> Client {
    let mut client = Client::connect(path);
    let header = RequestHeader {
        flags: 0,
        code: NBD_CMD_WRITE,
        cookie: 1,
        offset_bytes: 1 << 20,
        length_bytes: 64 << 10,
    };
    client.send(header, &[9; 32 << 10]).expect("it is taken");
    client
}

#[test]
fn a_stop_is_in_order_and_in_time_whatever_clients_owe() {
    for timing in ["model", "off"] {
        let folder = folder();
        let image = folder.path().join("disk.img");
        let path = image.to_str().expect("ASCII");
        let arguments = ["--drive", DRIVE, "--image", path, "--timing", timing];
        let server = Serve::start(folder.path(), &arguments);
        let write = ["-f", "raw", "-c", "write -P 7 0 1m", "-c", "flush"];
        said("qemu-io", &[&write[..], &[server.uri()]].concat());
        let control = folder.path().join("disk.img.control");
        let ask_all = b"GET /metrics HTTP/1.1\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n";
        let erase = b"POST /erase HTTP/1.1\r\nContent-Length: 2000\r\n\r\n{\"all\": true";
        let controls = [
            half_open(&control, b""),
            half_open(&control, b"POST /trim HT"),
            half_open(&control, erase),
            half_open(&control, ask_all),
        ];
        let socket = folder.path().join("disk.img.sock");
        let disks = (owes_data(&socket), never_reads(&socket));
        let strangers = [
            half_open(&socket, b""),
            half_open(&socket, b"\0\0\0\x01IHAVE"),
        ];
        let began = Instant::now();
        let (status, _, error) = server.end("TERM");
        let took = began.elapsed();
        assert!(status.success(), "{timing}: {status}: {error}");
        assert!(took < STOP, "{timing}: a stop took {took:?}");
        drop((controls, disks, strangers));
        let server = Serve::start(folder.path(), &["--image", path, "--timing", "off"]);
        assert!(
            server.said.contains("closed in order"),
            "{timing}: {}",
            server.said
        );
        let read = ["-f", "raw", "-c", "read -P 7 0 1m"];
        let read = said("qemu-io", &[&read[..], &[server.uri()]].concat());
        assert!(!read.contains("failed"), "{timing}: {read}");
        server.stop();
    }
}

/// Large requests are under way, and in the drive's own time they would be so for minutes.
#[test]
fn a_stop_does_not_wait_for_the_rest_of_large_requests() {
    let folder = folder();
    let server = Serve::start(folder.path(), &["--drive", DRIVE, "--unix", "s"]);
    let mut client = Client::connect(&folder.path().join("s"));
    let mut ask = |code, flags, length_bytes| {
        let header = RequestHeader {
            flags,
            code,
            cookie: 1,
            offset_bytes: 0,
            length_bytes,
        };
        client.send(header, &[]).expect("it is taken");
    };
    for _ in 0..8 {
        ask(NBD_CMD_WRITE_ZEROES, NBD_CMD_FLAG_NO_HOLE, 1 << 31);
    }
    // Behind them in the queue of the drive, and answered first: the large ones are under way.
    ask(NBD_CMD_FLUSH, 0, 0);
    client.reply().expect("an answer");
    let began = Instant::now();
    let (status, _, error) = server.end("TERM");
    assert!(status.success(), "{status}: {error}");
    assert!(began.elapsed() < STOP, "{:?}", began.elapsed());
}

/// A server whose two sockets are `s` and `c`.
const AT_S_AND_C: [&str; 8] = [
    "--drive",
    DRIVE,
    "--unix",
    "s",
    "--control",
    "c",
    "--timing",
    "off",
];

#[test]
fn a_server_leaves_the_sockets_of_the_one_that_took_its_place() {
    let folder = folder();
    let [socket, control] = ["s", "c"].map(|name| folder.path().join(name));
    let first = Serve::start(folder.path(), &AT_S_AND_C);
    for path in [&socket, &control] {
        std::fs::remove_file(path).expect("somebody tidies up");
    }
    let second = Serve::start(folder.path(), &AT_S_AND_C);
    first.stop();
    ask(&control, ControlRequest::Get("/statistics")).expect("the second tells");
    said(
        "nbdinfo",
        &[
            "--size",
            &format!("nbd+unix:///?socket={}", socket.display()),
        ],
    );
    second.stop();
    assert!(
        !socket.exists() && !control.exists(),
        "its own are gone with it"
    );
}

#[test]
fn a_server_takes_no_socket_from_one_at_work() {
    let folder = folder();
    let first = Serve::start(folder.path(), &AT_S_AND_C);
    for (name, others) in [("s", ["--unix", "s"]), ("c", ["--control", "c"])] {
        let why = refused(folder.path(), &[&["--drive", DRIVE], &others[..]].concat());
        assert!(why.contains("cannot listen") && why.contains(name), "{why}");
    }
    ask(&folder.path().join("c"), ControlRequest::Get("/statistics")).expect("the first tells");
    said(
        "nbdinfo",
        &[
            "--size",
            &format!("nbd+unix:///?socket={}", folder.path().join("s").display()),
        ],
    );
    // What a server leaves that was killed is no obstacle.
    first.kill();
    Serve::start(folder.path(), &AT_S_AND_C).stop();
}
