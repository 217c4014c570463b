//! The servers that are compared, each a process of its own on a core of its own.

use crate::AREA_BYTES;
use ftlab_attach::{DriveExport, Engine, Timing};
use ftlab_base::{LatencyHistogram, Nanos, Outcome, SECTOR_BYTES, SimTime};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{CreateOptions, DataDrive};
use ftlab_nbd::pacing::Waiter;
use ftlab_nbd::{Export, Limits, Listen, MemoryExport, NamedExport, Server};
use std::fs;
use std::io::{Read, Write, stdin, stdout};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The argument that makes this program the server instead of the benchmark.
pub const SERVE: &str = "--serve";

/// A server and its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// ftlab's, on memory.
    Memory,
    /// Memory with a delay in microseconds.
    Delayed(u64),
    /// A drive with an image, without time.
    DriveOff,
    /// The same in the model's time.
    DriveModel,
    /// nbdkit's memory plugin.
    NbdkitMemory,
    /// qemu-nbd on a device that does nothing.
    QemuNull,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Memory => "ftlab, memory",
            Kind::Delayed(_) => "ftlab, delayed",
            Kind::DriveOff => "ftlab, a drive's image",
            Kind::DriveModel => "ftlab, a drive in time",
            Kind::NbdkitMemory => "nbdkit, memory",
            Kind::QemuNull => "qemu-nbd, null-co",
        }
    }

    /// Whether it can be started here.
    pub fn is_installed(self) -> bool {
        let program = self.command("").swap_remove(0);
        Command::new(program).arg("--version").output().is_ok()
    }

    fn command(self, socket: &str) -> Vec<String> {
        let own = |what: &str| {
            let program = std::env::current_exe().expect("this program has a path");
            let program = program.to_string_lossy().into_owned();
            vec![program, SERVE.into(), socket.into(), what.into()]
        };
        let words = |text: String| text.split(' ').map(str::to_owned).collect();
        match self {
            Kind::Memory => own("0"),
            Kind::Delayed(us) => own(&us.to_string()),
            Kind::DriveOff => own(OFF),
            Kind::DriveModel => own(MODEL),
            Kind::NbdkitMemory => words(format!("nbdkit -f -U {socket} memory {AREA_BYTES}")),
            Kind::QemuNull => words(format!(
                "qemu-nbd --persistent --socket={socket} --image-opts driver=null-co,size={AREA_BYTES}"
            )),
        }
    }
}

/// A server that runs until this is dropped.
pub struct Running {
    process: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Running {
    /// Starts a server on a core, and waits until it listens.
    pub fn start(kind: Kind, socket: &Path, core: u32) -> Running {
        let path = socket.to_str().expect("a path of ASCII");
        let mut process = Command::new("taskset")
            .args(["-c", &core.to_string()])
            .args(kind.command(path))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("taskset runs the server");
        let output = process.stdout.take().expect("a pipe");
        for _ in 0..500 {
            if socket.exists() {
                break;
            }
            sleep(Duration::from_millis(10));
        }
        assert!(socket.exists(), "{} does not listen", kind.name());
        Running {
            input: process.stdin.take(),
            output,
            process,
        }
    }

    /// What all its threads have computed. Threads that have ended are not counted: a connection's
    /// end shortly before fio does.
    pub fn cpu_ns(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
        let stat = stat.expect("the server runs");
        // After the name in parentheses, which may hold anything: state is the first, times 12 and 13.
        let fields: Vec<&str> = stat[stat.rfind(')').expect("a name")..]
            .split(' ')
            .collect();
        let ticks: u64 = fields[12..14]
            .iter()
            .map(|f| f.parse::<u64>().expect("ticks"))
            .sum();
        // A hundred a second on every Linux that user space sees.
        ticks * 10_000_000
    }

    /// Ends a server of this crate, and gives its lateness: 50, 99 and 99.9 %.
    pub fn lateness_us(mut self) -> Vec<f64> {
        drop(self.input.take());
        let mut text = String::new();
        self.output
            .read_to_string(&mut text)
            .expect("the server's last words");
        text.split_whitespace()
            .map(|us| us.parse().expect("microseconds"))
            .collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How late a thread of this program is that sleeps so long: 50, 99 and 99.9 %.
pub fn bare_waits_us(span_us: u64) -> Vec<f64> {
    // The slack is set by this; its spin is not used.
    let _waiter = Waiter::for_this_thread().expect("the kernel takes the slack");
    let span = Duration::from_micros(span_us);
    let mut late = LatencyHistogram::default();
    for _ in 0..10_000 {
        let due = Instant::now() + span;
        std::thread::park_timeout(span);
        late.record(Nanos(due.elapsed().as_nanos() as u64));
    }
    percentiles_us(&late)
}

fn percentiles_us(late: &LatencyHistogram) -> Vec<f64> {
    let us = |percent| late.percentile(percent).0 as f64 / 1e3;
    [50.0, 99.0, 99.9].map(us).to_vec()
}

/// The drive that is served: its reads take some 80 µs.
const DRIVE: &str = "intel-x25-m-g1-80";

/// Words for drives instead of a delay.
const OFF: &str = "off";
const MODEL: &str = "model";

/// Serves memory or a drive until standard input ends, then tells the lateness.
pub fn serve(arguments: &[String]) {
    let socket = Path::new(&arguments[0]);
    let lateness = match arguments[1].as_str() {
        OFF => serve_drive(socket, Timing::Off),
        MODEL => serve_drive(socket, Timing::Model),
        delay_us => serve_memory(socket, delay_us.parse().expect("microseconds")),
    };
    let us = percentiles_us(&lateness);
    // Whoever started it may not want to know.
    let _ = writeln!(stdout(), "{} {} {}", us[0], us[1], us[2]);
}

fn serve_memory(socket: &Path, delay_us: u64) -> LatencyHistogram {
    let export = Arc::new(match delay_us {
        0 => MemoryExport::new(AREA_BYTES),
        us => MemoryExport::with_delay(AREA_BYTES, move |_| Duration::from_micros(us))
            .expect("a thread for the pacer"),
    });
    serve_export(socket, export.clone());
    export.lateness().unwrap_or_default()
}

fn serve_drive(socket: &Path, timing: Timing) -> LatencyHistogram {
    let file = Catalog::default().load(DRIVE, &[]).expect("a drive");
    let testbed = Testbed::load("attached").expect("a testbed");
    let options = CreateOptions {
        size_bytes: Some(AREA_BYTES),
        ..CreateOptions::default()
    };
    let image = socket.with_extension("img");
    let mut drive = DataDrive::create(&image, &file, &testbed, &options).expect("an image");
    fill(&mut drive);
    let engine = Arc::new(Engine::start(drive, timing).expect("an engine"));
    let export = DriveExport::new(Arc::clone(&engine), DRIVE.into(), false);
    serve_export(socket, Arc::new(export));
    engine.stop();
    engine.statistics().lateness
}

/// Writes the area once, without time: lateness is that of the reads alone.
fn fill(drive: &mut DataDrive) {
    const SECTORS: u32 = 2048;
    let data = vec![0x5a; SECTORS as usize * SECTOR_BYTES as usize];
    for number in 0..AREA_BYTES / data.len() as u64 {
        let write =
            ftlab_base::Command::write(number, number * u64::from(SECTORS), SECTORS, SimTime::ZERO);
        assert_eq!(drive.apply(write, &data), Outcome::Good);
    }
}

fn serve_export(socket: &Path, export: Arc<dyn Export>) {
    let exports = vec![NamedExport {
        name: "disk".into(),
        read_only: false,
        export,
    }];
    let listen = Listen::Unix(socket.into());
    let server = Server::start(&listen, exports, Limits::default(), |_, _| {});
    let server = server.expect("it listens");
    let _ = stdin().read_to_end(&mut Vec::new());
    drop(server);
}
