//! Drives that compress, made small: what the data do to their speed, and what is left of it after
//! a TRIM of everything (docs/decisions/0010-packed-mapping.md).

use ftlab_base::{CommandKind, RootSeed};
use ftlab_bench::driver::{self, Clock};
use ftlab_drive::Catalog;
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

fn measured((drive, data): (&str, &str)) -> Speeds {
    let settings = ["nand.blocks_per_die=128", "nand.pages_per_block=32"];
    let settings = settings
        .into_iter()
        .chain(["gc.reserve=2", "spare.op=0.07"]);
    let settings: Vec<String> = settings.map(str::to_owned).collect();
    let file = Catalog::load(drive, &settings).expect("it loads");
    let testbed = Catalog::testbed("anandtech-2012").expect("it loads");
    let mut drive = file.build(&testbed, RootSeed(1)).expect("it can be built");
    let text = JOB.replace("[global]", &format!("[global]\n{data}"));
    let job = JobFile::parse(&text, "packed.fio").expect("it is a job file");
    let report = driver::run(&job, drive.as_mut(), Clock::Timed, RootSeed(2)).expect("it runs");
    let mb_s = |name: &str| {
        let job = report.jobs.iter().find(|job| job.name == name);
        let job = job.expect("the job file names it");
        let bytes = job.direction(CommandKind::Write).bytes;
        bytes as f64 / 1e6 / job.measured.as_secs()
    };
    Speeds {
        new: mb_s("new"),
        trimmed: mb_s("trimmed"),
        wa: report.counters.write_amplification(),
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
