//! Uniform and skewed writes under greedy collection, against a published simulator's values: where collected data share
//! the host's log, hot and cold data mix again.

use ftlab_base::RootSeed;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_states::State;
use ftlab_workload::JobFile;
use rayon::prelude::*;

const SEED: RootSeed = RootSeed(1);

/// User slots over physical ones.
const FILL: f64 = 0.875;

/// What write amplification may be off by.
const TOLERANCE: f64 = 0.01;

/// A job that writes alone: its ranks and zones lie anywhere, and none is left out, as fio's own hash would have it.
const ALONE: (u64, &str) = (1, "each");

/// Steady write amplification of writes by that distribution on a drive that is full, and whose user slots are `fill` of
/// the physical ones, by so many clones of a job, shuffled by that word.
fn write_amplification(
    distribution: &str,
    fill: f64,
    separate: bool,
    (clones, shuffle): (u64, &str),
) -> f64 {
    let settings = [
        "nand.channels=1".to_owned(),
        "nand.dies_per_channel=1".to_owned(),
        // Large blocks: the simulator's greedy collection takes what FIFO does.
        "nand.blocks_per_die=512".to_owned(),
        "nand.pages_per_block=1024".to_owned(),
        format!("gc.separate={separate}"),
        format!("spare.op={}", 1.0 / fill - 1.0),
    ];
    let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let mut device = file.build(&testbed, SEED).unwrap();
    ftlab_states::prepare(&mut *device, State::New, State::Filled, SEED).unwrap();
    let capacity = device.capacity_sectors() * 512;
    let mut written = |drives: u64, part: &str| {
        let bytes = capacity * drives / clones;
        let job = format!(
            "[w]\nrw=randwrite\nbs=4k\nnorandommap\nsize=100%\nio_size={bytes}\n\
             random_distribution={distribution}\nnumjobs={clones}\nshuffle={shuffle}\n"
        );
        let mut job = JobFile::parse(&job, "skew.fio").unwrap();
        // What was hot until it was steady stays so.
        job.keep_orders(SEED);
        let seed = SEED.derive(part);
        let report = driver::run(&job, &mut *device, Clock::Untimed, seed);
        report.unwrap().wa().total
    };
    written(12, "until it is steady");
    written(6, "steady")
}

/// Write amplification of each distribution and fill in one log, beside what was published.
fn compare(rows: &[(&str, f64, f64)]) {
    let wrong: Vec<String> = rows
        .par_iter()
        .filter_map(|&(distribution, fill, published)| {
            let got = write_amplification(distribution, fill, false, ALONE);
            let is_right = (got / published - 1.0).abs() < TOLERANCE;
            (!is_right).then(|| format!("{distribution} on {fill}: {got} for {published}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A tenth of the space gets nine tenths of the writes.
const TENTH: &str = "zoned:90/10:10/90";

/// What is published of that.
const WA_OF_TENTH: f64 = 5.112;

#[test]
fn greedy_collects_skewed_writes_as_a_published_simulator_does() {
    // A fifth of the space gets four fifths of the writes.
    let fifth = "zoned:80/20:20/80";
    compare(&[
        ("random", FILL, 4.180),
        ("zipf:0.5", FILL, 4.380),
        (fifth, FILL, 4.515),
        (TENTH, FILL, WA_OF_TENTH),
    ]);
    // Apart, what was collected is colder than what the host writes, and stays so.
    let apart = write_amplification(TENTH, FILL, true, ALONE);
    assert!(apart < 0.93 * WA_OF_TENTH, "{apart}");
}

#[test]
fn greedy_collects_uniform_writes_as_a_published_simulator_does_however_full_the_drive_is() {
    let rows = [
        (0.30, 1.039),
        (0.53, 1.310),
        (0.68, 1.774),
        (0.78, 2.465),
        (0.83, 3.125),
        (0.88, 4.338),
    ];
    compare(&rows.map(|(fill, published)| ("random", fill, published)));
}

#[test]
fn clones_write_as_one_job_does_where_they_share_a_permutation() {
    let [shared, apart] =
        ["shared", "each"].map(|shuffle| write_amplification(TENTH, FILL, false, (4, shuffle)));
    assert!((shared / WA_OF_TENTH - 1.0).abs() < TOLERANCE, "{shared}");
    // A third of the space is hot for one of four, and hardly hotter than the rest.
    assert!(
        (apart / WA_OF_TENTH - 1.0).abs() > 5.0 * TOLERANCE,
        "{apart}"
    );
}
