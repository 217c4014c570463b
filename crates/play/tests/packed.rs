//! Drives that compress, made small: what the data do to their speed, and what is left of it after
//! a TRIM of everything (docs/decisions/0010-packed-mapping.md).

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::{Catalog, Device};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_workload::JobFile;
use rayon::prelude::*;

const JOB: &str = "
[global]
bs=1m
iodepth=32

[new]
rw=write

[random]
stonewall
rw=randwrite
norandommap
bs=4k
io_size=50%

[trim]
stonewall
rw=trim

[trimmed]
stonewall
rw=write
";

/// Sequential writes of a new drive and of one that was written all over and trimmed, in MB/s; and
/// the write amplification of it all.
struct Speeds {
    new: f64,
    trimmed: f64,
    wa: f64,
}

fn built(drive: &str, settings: &[&str]) -> Box<dyn Device> {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    let file = Catalog::default().load(drive, &settings).expect("it loads");
    let testbed = Testbed::load("anandtech-2012").expect("it loads");
    file.build(&testbed, RootSeed(1)).expect("it can be built")
}

fn ran(job: &str, drive: &mut dyn Device) -> driver::RunReport {
    let job = JobFile::parse(job, "packed.fio").expect("it is a job file");
    driver::run(&job, drive, Clock::Timed, RootSeed(2)).expect("it runs")
}

/// What a job wrote, and in how many seconds.
fn writes<'a>(report: &'a driver::RunReport, name: &str) -> (&'a driver::Direction, f64) {
    let job = report.jobs.iter().find(|job| job.name == name);
    let job = job.expect("the job file names it");
    (job.direction(CommandKind::Write), job.measured.as_secs())
}

fn measured((drive, data): (&str, &str)) -> Speeds {
    let settings = [
        "nand.blocks_per_die=128",
        "nand.pages_per_block=32",
        "gc.reserve=2",
        "spare.op=0.07",
    ];
    let mut drive = built(drive, &settings);
    let text = JOB.replace("[global]", &format!("[global]\n{data}"));
    let report = ran(&text, drive.as_mut());
    let mb_s = |name: &str| {
        let (writes, s) = writes(&report, name);
        writes.bytes as f64 / 1e6 / s
    };
    Speeds {
        new: mb_s("new"),
        trimmed: mb_s("trimmed"),
        wa: report.counters().write_amplification(),
    }
}

#[test]
fn trim_does_not_bring_back_the_speed_of_a_new_drive() {
    let runs = [
        ("ocz-vertex3-120", ""),
        ("intel-520-240", ""),
        ("ocz-vertex3-120", "buffer_compress_percentage=90"),
        ("intel-520-240", "buffer_compress_percentage=90"),
    ];
    let all: Vec<Speeds> = runs.into_par_iter().map(measured).collect();
    let [small, large, small_easy, large_easy] = &all[..] else {
        unreachable!("as many as there are runs")
    };
    let near = |value: f64, published: f64| (value / published).ln().abs() < 0.1;
    // Random data: the dies limit a new drive, and the smaller one has half as many.
    assert!(near(small.new, 161.0), "{} MB/s", small.new);
    assert!(near(large.new, 284.5), "{} MB/s", large.new);
    assert!(near(small.trimmed, 130.0), "{} MB/s", small.trimmed);
    assert!(near(large.trimmed, 162.9), "{} MB/s", large.trimmed);
    assert!(small.wa > 1.0 && large.wa > 1.0);
    // Data that compress: the compressor limits either, at any time.
    for easy in [small_easy, large_easy] {
        assert!(near(easy.new, 456.0), "{} MB/s", easy.new);
        assert!(near(easy.trimmed, 456.0), "{} MB/s", easy.trimmed);
        assert!(easy.wa < 0.2, "write amplification {}", easy.wa);
    }
}

/// A drive full of zeros, of which little is in flash, takes random data that do not compress.
const ONTO_ZEROS: &str = "
[global]
bs=4k
iodepth=32

[fill]
rw=write
bs=1m
buffer_compress_percentage=100

[held]
stonewall
rw=randwrite
norandommap
time_based
runtime=45s

[between]
stonewall
rw=randwrite
norandommap
time_based
runtime=25s

[dropped]
stonewall
rw=randwrite
norandommap
time_based
runtime=10s
";

#[test]
fn random_writes_drop_when_the_flash_is_full_and_not_before() {
    // A thirty-second of the drive, in flash and in memory for its table: what takes half an hour
    // there takes 56 seconds here.
    let mut drive = built(
        "intel-525-240",
        &[
            "nand.blocks_per_die=1024",
            "nand.pages_per_block=32",
            "map.cache=16KiB",
            "spare.user_capacity=14651941sectors",
            "gc.reserve=8",
        ],
    );
    let report = ran(ONTO_ZEROS, drive.as_mut());
    let iops = |name: &str| {
        let (writes, s) = writes(&report, name);
        writes.ios as f64 / s
    };
    let [held, dropped] = ["held", "dropped"].map(iops);
    // 25 dies program at a time, four slots on two planes in 1.38 ms; and all have a page of the table to read for
    // each write.
    let programmed = 25.0 * 4.0 / 1.38e-3;
    assert!((0.5..0.7).contains(&(held / programmed)), "{held} IOPS");
    assert!(dropped < 0.6 * held, "{dropped} after {held} IOPS");
}
