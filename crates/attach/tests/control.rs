//! Clients of the control socket that send too little, too much, nothing, or something else; and what is left of
//! the drive's data then.

use ftlab_attach::control::{Control, ControlError, ControlRequest, Limits, Report, ask};
use ftlab_attach::engine::{Engine, IoRequest, Operation, Timing};
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::DataDrive;
use ftlab_nbd::NbdError;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the data are written to, in sectors.
const WRITTEN: Range<u64> = 0..2048;

const EVERYTHING: &str = "{\"all\": true}";

/// A drive behind a control socket.
struct Served {
    engine: Arc<Engine>,
    control: Option<Control>,
    path: PathBuf,
    _folder: TempDir,
}

fn serve(timing: Timing, limits: Limits) -> Served {
    let file = Catalog::default()
        .load("generic-mlc-8", &[])
        .expect("a drive");
    let testbed = Testbed::load("attached").expect("a testbed");
    let drive = DataDrive::in_memory(&file, &testbed, 1).expect("a drive");
    let engine = Arc::new(Engine::start(drive, timing).expect("an engine"));
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("s");
    let control = Control::start(Arc::clone(&engine), &path, false, limits);
    Served {
        engine,
        control: Some(control.expect("a socket")),
        path,
        _folder: folder,
    }
}

fn quick() -> Served {
    serve(Timing::Off, Limits::default())
}

fn bytes(range: &Range<u64>) -> usize {
    ((range.end - range.start) * SECTOR_BYTES) as usize
}

impl Served {
    fn ask(
        &self,
        operation: Operation,
        range: Range<u64>,
        buffer: Vec<u8>,
    ) -> Result<Vec<u8>, NbdError> {
        let (tell, told) = mpsc::channel();
        let answer = Box::new(move |result| {
            let _ = tell.send(result);
        });
        let ask = IoRequest::local(operation, range, false, buffer, answer);
        self.engine.submit(ask);
        told.recv_timeout(PATIENCE).expect("an answer")
    }

    fn write(&self) {
        let data = vec![7; bytes(&WRITTEN)];
        self.ask(Operation::Write, WRITTEN, data)
            .expect("it is taken");
    }

    /// The sectors of the written range that hold zeroes; the others hold what was written.
    fn lost(&self) -> Vec<u64> {
        let read = self.ask(Operation::Read, WRITTEN, vec![0; bytes(&WRITTEN)]);
        let read = read.expect("it can be read");
        let sectors = read.chunks(SECTOR_BYTES as usize).zip(0..);
        let lost = sectors.filter(|(sector, _)| sector.iter().any(|byte| *byte != 7));
        lost.map(|(_, number)| number).collect()
    }

    fn connect(&self) -> UnixStream {
        let stream = UnixStream::connect(&self.path).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// What is answered to bytes after which no more comes.
    fn answer(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // It may hang up before it has all.
        let _ = stream.write_all(request);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("text")
    }

    fn statistics(&self) -> Report {
        let text = ask(&self.path, ControlRequest::Get("/statistics")).expect("it tells");
        serde_json::from_str(&text).expect("a report")
    }

    /// A client that said so much, and waits.
    fn half_open(&self, said: &str) -> UnixStream {
        let mut stream = self.connect();
        stream.write_all(said.as_bytes()).expect("it is taken");
        stream
    }
}

/// The requests that are done when they come whole.
fn destructive() -> impl Iterator<Item = &'static str> {
    ["/trim", "/erase"].into_iter()
}

#[test]
fn what_did_not_come_whole_is_not_done() {
    let served = quick();
    served.write();
    let heads = [
        "Content-Length:\r\n",
        "Content-Length: \r\n",
        "Content-Length: 38x\r\n",
        "Content-Length: x\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: +13\r\n",
        "Content-Length: 13, 13\r\n",
        "Content-Length: 13\r\nContent-Length: 13\r\n",
        "Content-Length: 0\r\nContent-Length: 13\r\n",
        "Content-Length: 14\r\n",
        "Content-Length: 12\r\n",
        "Content-Length: 0\r\n",
        "Content-Length: 65537\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length: 13\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 13\r\n",
        "",
    ];
    let lengths = heads.iter().flat_map(|head| {
        destructive().map(move |url| format!("POST {url} HTTP/1.1\r\n{head}\r\n{EVERYTHING}"))
    });
    let chunked = [
        "d\r\n{\"all\"",
        "d\r\n{\"all\": true}\r\n",
        "d\r\n{\"all\": true}\r\n0\r\n",
    ];
    let chunks = chunked.iter().flat_map(|chunk| {
        destructive().map(move |url| {
            format!("POST {url} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}")
        })
    });
    let whole = format!("POST /trim HTTP/1.1\r\nContent-Length: 13\r\n\r\n{EVERYTHING}");
    let cut_off = (1..whole.len()).map(|length| whole[..length].to_owned());
    for request in lengths.chain(chunks).chain(cut_off) {
        let answer = served.answer(request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 4"), "{request:?}: {answer}");
        let (_, why) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(why.len() > 10, "{request:?}: no reason in {answer:?}");
        assert_eq!(served.lost(), [0; 0], "{request:?} destroyed data");
    }
    // The same whole.
    let answer = served.answer(whole.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(served.lost().len(), WRITTEN.count());
}

#[test]
fn a_body_that_does_not_say_what_is_not_done() {
    let served = quick();
    served.write();
    let bodies = [
        "",
        " ",
        "[]",
        "[true]",
        "[null, 0, 4096]",
        "{}",
        "null",
        "true",
        "\"all\"",
        "{\"all\": false}",
        "{\"all\": \"true\"}",
        "{\"all\": true, \"bytes\": 4096}",
        "{\"offset_bytes\": 0}",
        "{\"bytes\": 4096}",
        "{\"offset_bytes\": 0, \"bytes\": 0}",
        "{\"offset_bytes\": 0, \"bytes\": 5}",
        "{\"offset_bytes\": 0, \"bytes\": 1e30}",
        "{\"offset_bytes\": 0, \"bytes\": -4096}",
        "{\"offset_bytes\": 0, \"length\": 4096}",
        "{\"all\": true",
        "{\"all\": true} {\"all\": true}",
    ];
    for url in destructive() {
        for body in bodies {
            match ask(&served.path, ControlRequest::Post(url, body)) {
                Err(ControlError::Refused(why)) => assert!(why.len() > 10, "{url} {body}: {why}"),
                other => panic!("{url} {body}: {other:?}"),
            }
            assert_eq!(served.lost(), [0; 0], "{url} {body:?} destroyed data");
        }
    }
    // Lists that would have been faults and rests.
    // Times beyond any test, and what nothing lies at.
    for (url, body) in [
        ("/fault", "[\"end-of-life\"]"),
        ("/rest", "[1000.0, 85.0]"),
        ("/rest", "{\"hours\": 1e300, \"celsius\": 40}"),
        ("/rest", "{\"hours\": 1, \"celsius\": -274}"),
        ("/rest", "{\"hours\": 1, \"celsius\": 1e9}"),
        ("/power-cut", "{\"off_ms\": 604800001}"),
        ("/power-cut", "{\"off_ms\": 18446744073709551615}"),
    ] {
        let refused = ask(&served.path, ControlRequest::Post(url, body));
        assert!(
            matches!(refused, Err(ControlError::Refused(_))),
            "{url}: {refused:?}"
        );
    }
    let erase = ask(
        &served.path,
        ControlRequest::Post("/erase", "{\"offset_bytes\": 0, \"bytes\": 4096}"),
    );
    assert!(
        matches!(erase, Err(ControlError::Refused(_))),
        "an erase is of everything"
    );
    assert_eq!(served.lost(), [0; 0]);
}

#[test]
fn what_is_said_is_done_and_nothing_else() {
    let served = quick();
    for (url, body, lost) in [
        (
            "/trim",
            "{\"offset_bytes\": 65536, \"bytes\": 8192}",
            128..144,
        ),
        ("/trim", EVERYTHING, WRITTEN),
        ("/erase", EVERYTHING, WRITTEN),
    ] {
        served.write();
        ask(&served.path, ControlRequest::Post(url, body)).expect("it is done");
        let lost: Vec<u64> = lost.collect();
        assert_eq!(served.lost(), lost, "{url} {body}");
    }
    let beyond = "{\"offset_bytes\": 0, \"bytes\": 1125899906842624}";
    match ask(&served.path, ControlRequest::Post("/trim", beyond)) {
        Err(ControlError::Refused(why)) => assert!(why.contains("the drive has"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// What clients say that then say no more.
const UNFINISHED: [&str; 4] = [
    "",
    "GET /stat",
    "POST /trim HTTP/1.1\r\nContent-Length: 13\r\n\r\n",
    "POST /erase HTTP/1.1\r\nContent-Length: 13\r\n\r\n{\"all\"",
];

#[test]
fn a_client_that_owes_its_request_keeps_nobody_waiting_and_is_given_up() {
    let limits = Limits {
        request: Duration::from_millis(500),
        ..Limits::default()
    };
    let served = serve(Timing::Off, limits);
    served.write();
    let owing: Vec<_> = UNFINISHED
        .iter()
        .map(|said| served.half_open(said))
        .collect();
    assert_eq!(served.statistics().writes.requests, 1);
    for mut stream in owing {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it is given up");
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
    assert_eq!(served.lost(), [0; 0]);
}

fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux");
    tasks.count()
}

fn resident_bytes() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = pages.split(' ').nth(1).expect("a second number");
    pages.parse::<usize>().expect("a number") * 4096
}

/// Says to a test that it has a process to itself.
const ALONE: &str = "FTLAB_TEST_ALONE";

/// Runs a test once more in a process of its own, as what others take beside it would count. Returns true there.
fn is_alone(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("its own file");
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .expect("it starts");
    let said = [output.stdout, output.stderr].map(|of| String::from_utf8_lossy(&of).into_owned());
    assert!(
        output.status.success() && said[0].contains("1 passed"),
        "{said:?}"
    );
    false
}

#[test]
fn a_thousand_half_open_connections_cost_bounded_threads_and_memory_and_keep_nobody_waiting() {
    if !is_alone(
        "a_thousand_half_open_connections_cost_bounded_threads_and_memory_and_keep_nobody_waiting",
    ) {
        return;
    }
    let served = quick();
    served.write();
    let (threads_before, bytes_before) = (threads(), resident_bytes());
    let mut streams = Vec::new();
    let mut threads_most = 0;
    for said in UNFINISHED.iter().cycle().take(1_000) {
        let mut stream = served.connect();
        // Those before it were hung up on.
        let _ = stream.write_all(said.as_bytes());
        streams.push(stream);
        threads_most = threads_most.max(threads());
    }
    assert_eq!(served.statistics().writes.requests, 1);
    let limit = threads_before + Limits::default().connections_max + 64;
    assert!(
        threads_most < limit,
        "{threads_most} threads, {threads_before} before"
    );
    let more_bytes = resident_bytes().saturating_sub(bytes_before);
    assert!(more_bytes < 64 << 20, "{more_bytes} bytes more");
    assert_eq!(served.lost(), [0; 0]);
}

#[test]
fn headers_and_bodies_without_end_are_not_kept() {
    let served = quick();
    served.write();
    for (begin, more) in [
        ("GET /", "x"),
        ("GET /statistics HTTP/1.1\r\n", "X: y\r\n"),
        (
            "POST /trim HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1\r\n \r\n",
        ),
        (
            "POST /trim HTTP/1.1\r\nContent-Length: 13\r\n\r\n",
            "{\"all\": true}",
        ),
    ] {
        let mut stream = served.half_open(begin);
        let piece = more.repeat(4096);
        let began = Instant::now();
        while stream.write_all(piece.as_bytes()).is_ok() {
            assert!(began.elapsed() < PATIENCE, "{begin:?} goes on for ever");
        }
    }
    assert_eq!(served.lost(), [0; 0]);
    assert_eq!(served.statistics().writes.requests, 1);
}

#[test]
fn the_socket_closes_whatever_its_clients_do() {
    let mut served = quick();
    let clients: Vec<_> = UNFINISHED
        .iter()
        .map(|said| served.half_open(said))
        .collect();
    let never_read = served.half_open("GET /metrics HTTP/1.1\r\n\r\n");
    let began = Instant::now();
    drop(served.control.take());
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    assert!(!served.path.exists());
    drop((clients, never_read));
}

/// Three minutes of the drive's time and more: until then an erase waits.
fn keep_busy(served: &Served) {
    let zeroes = Operation::Zero {
        no_hole: true,
        fast: false,
    };
    for _ in 0..20 {
        let never_told = Box::new(|_| {});
        let ask = IoRequest::local(zeroes, 0..4 << 20, false, Vec::new(), never_told);
        served.engine.submit(ask);
    }
}

#[test]
fn an_erase_that_waits_keeps_only_other_erases_waiting() {
    let mut served = serve(Timing::Model, Limits::default());
    keep_busy(&served);
    let erase = format!("POST /erase HTTP/1.1\r\nContent-Length: 13\r\n\r\n{EVERYTHING}");
    let mut waiting: Vec<_> = (0..=Limits::default().actions_max)
        .map(|_| served.half_open(&erase))
        .collect();
    // One more than may wait: it is told at once, and looks are answered.
    let (tell, told) = mpsc::channel();
    for mut stream in waiting
        .iter()
        .map(|stream| stream.try_clone().expect("a file"))
    {
        let tell = tell.clone();
        thread::spawn(move || {
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            let _ = tell.send(answer);
        });
    }
    let first = told.recv_timeout(PATIENCE).expect("one is refused");
    assert!(
        first.starts_with("HTTP/1.1 503 ") && first.contains("try again"),
        "{first}"
    );
    assert_eq!(
        served.statistics().writes.requests,
        0,
        "it is still at work"
    );
    assert!(told.try_recv().is_err(), "the others wait");
    // And they do not hold up the end.
    let began = Instant::now();
    drop(served.control.take());
    served.engine.stop().expect("the drive");
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    waiting.clear();
}
