//! Drives whose blocks have fewer pages show what larger ones show: speeds, write amplification, latencies, and what share of
//! the drive a cache of SLC is.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::{Catalog, Device};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, RunReport};
use ftlab_states::State;
use ftlab_workload::JobFile;
use rayon::prelude::*;
use std::collections::BTreeMap;

const SEED: RootSeed = RootSeed(1);

/// Bytes of a drive smaller than the suite of today tests any, and of one that is four times as large.
const SIZES: [u64; 2] = [12 << 30, 48 << 30];

/// The drive in that size, and the size as a share of what it is.
fn drive(slug: &str, bytes: u64) -> (Box<dyn Device>, f64) {
    let file = Catalog::default().load(slug, &[]).expect("it loads");
    let testbed = Testbed::load("linux-2024-nvme").expect("it loads");
    let (small, times) = file.shrunk_to(bytes).expect("it can be smaller");
    assert!(times > 1.5, "{slug} is no larger");
    let device = small.build(&testbed, SEED).expect("it can be built");
    (device, times)
}

fn run(device: &mut dyn Device, job: &str) -> RunReport {
    let job = JobFile::parse(job, "shrunk.fio").expect("it parses");
    driver::run(&job, device, Clock::Timed, SEED).expect("it runs")
}

/// Of a drive that is steady: what it programs for a write and how many it takes a second, and what reads beside half
/// as many wait for.
fn steady(slug: &str, bytes: u64) -> BTreeMap<&'static str, f64> {
    let (mut device, _) = drive(slug, bytes);
    ftlab_states::prepare(&mut *device, State::New, State::SteadyFast, SEED)
        .expect("it gets there");
    let mut loaded = device.snapshot();
    let job = "[w]\nrw=randwrite\nbs=4k\niodepth=256\nnorandommap\ntime_based\nruntime=4s\nramp_time=300ms\n";
    let writes = run(&mut *device, job);
    let iops = writes.jobs[0].direction(CommandKind::Write).ios as f64 / 4.0;
    let beside = format!(
        "[global]\nbs=4k\nnorandommap\ntime_based\nruntime=4s\nramp_time=300ms\nrate_process=poisson\n\
         [w]\nrw=randwrite\niodepth=64\nrate_iops={}\n[r]\nrw=randread\niodepth=64\nrate_iops=10000\n",
        (iops / 2.0) as u64
    );
    let reads = run(&mut *loaded, &beside);
    let latency = reads.jobs[1].direction(CommandKind::Read).latency();
    let us = |percent: f64| latency.expect("it read").percentile(percent).0 as f64 / 1e3;
    BTreeMap::from([
        ("write amplification", writes.wa().total),
        ("writes a second", iops),
        ("median of reads", us(50.0)),
        ("99th percentile of reads", us(99.0)),
    ])
}

/// Of an empty drive: MB/s of sequential writes of half of its cache, and of as much behind the cache.
fn fill(slug: &str, cache_gb: f64, bytes: u64) -> BTreeMap<&'static str, f64> {
    let (mut device, times) = drive(slug, bytes);
    let half = (cache_gb * 1e9 / times / 2.0) as u64 / (128 << 10) * (128 << 10);
    let job = |n: u64| format!("[{n}]\nstonewall\noffset={}\nsize={half}\n", n * half);
    let jobs: String = (0..4).map(job).collect();
    let report = run(
        &mut *device,
        &format!("[global]\nrw=write\nbs=128k\niodepth=32\n{jobs}"),
    );
    let speed = |n: usize| half as f64 / 1e6 / report.jobs[n].measured.as_secs();
    BTreeMap::from([("in the cache", speed(0)), ("behind the cache", speed(3))])
}

#[test]
fn a_drive_of_smaller_blocks_is_as_fast_as_one_of_larger_blocks() {
    // And the GB of their caches, where they have one.
    let drives = [
        ("samsung-pm9a3-960", None),
        ("skhynix-pe8110-960", None),
        ("samsung-970-evo-plus-1000", Some(42.0)),
        ("intel-660p-1000", Some(140.0)),
    ];
    let runs: Vec<_> = (drives.iter())
        .flat_map(|drive| SIZES.map(|bytes| (drive, bytes)))
        .collect();
    let figures = |&(&(slug, cache), bytes): &(&(&str, Option<f64>), u64)| match cache {
        None => steady(slug, bytes),
        Some(cache_gb) => fill(slug, cache_gb, bytes),
    };
    let found: Vec<_> = runs.par_iter().map(figures).collect();
    for (pair, (slug, _)) in found.chunks(2).zip(&drives) {
        let [small, large] = pair else {
            panic!("of each drive there are two sizes");
        };
        for (what, &of_small) in small {
            let off = of_small / large[what] - 1.0;
            // Tails are of few requests.
            let tolerance = if what.starts_with("99th") { 0.15 } else { 0.05 };
            assert!(
                off.abs() < tolerance,
                "{slug}, {what}: {of_small} for {}",
                large[what]
            );
        }
    }
}
