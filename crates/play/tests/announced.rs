//! Random reads that data sheets announce: a drive reaches what its maker says, with as many outstanding as makers have.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_play::states::{self, State};
use ftlab_workload::JobFile;
use rayon::prelude::*;

const ANNOUNCED: &str = include_str!("../../../reference/modern.csv");

const SEED: RootSeed = RootSeed(1);

/// Bytes of a drive at most: with smaller blocks there is less to fill.
const BYTES_MAX: u64 = 64 << 30;

const READS: &str = "[reads]\nrw=randread\nbs=4k\niodepth=64\nnumjobs=8\nnorandommap\ntime_based\nramp_time=2ms\nruntime=20ms\n";

/// By how much a drive may miss what is announced.
const TOLERANCE: f64 = 0.15;

/// Random reads a second that are announced of drives that come with ftlab.
fn announced() -> Vec<(String, f64)> {
    let mut lines = csv::Reader::from_reader(ANNOUNCED.as_bytes());
    let rows = lines.records().map(|row| row.expect("it is a table"));
    rows.filter(|row| &row[5] == "rand_read_iops")
        .filter(|row| Catalog::load(&row[2], &[]).is_ok())
        .map(|row| (row[2].to_owned(), row[6].parse().expect("a number")))
        .collect()
}

/// Random reads a second of a full drive.
fn modelled(drive: &str) -> f64 {
    let file = Catalog::load(drive, &[]).expect("it loads");
    let (file, _) = file.shrunk_to(BYTES_MAX).expect("it can be smaller");
    let testbed = Testbed::load("spdk-2024").expect("it loads");
    let mut device = file.build(&testbed, SEED).expect("it can be built");
    states::prepare(&mut *device, State::New, State::Filled, SEED).expect("it gets there");
    let reads = JobFile::parse(READS, "reads.fio").expect("it parses");
    let report = driver::run(&reads, &mut *device, Clock::Timed, SEED).expect("it runs");
    let reads = |job: &driver::JobReport| job.direction(CommandKind::Read).ios as f64;
    let all: f64 = report.jobs.iter().map(reads).sum();
    all / report.jobs[0].measured.as_secs()
}

#[test]
fn drives_of_data_centres_read_at_random_as_fast_as_announced() {
    let announced = announced();
    assert!(announced.len() >= 6, "{announced:?}");
    let missed = announced.par_iter().filter_map(|(drive, published)| {
        let got = modelled(drive);
        println!("{drive}: {got:.0} for {published:.0} announced");
        let error = got / published - 1.0;
        (error.abs() > TOLERANCE).then(|| format!("{drive}: {:+.0} %", 100.0 * error))
    });
    let missed: Vec<String> = missed.collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
