//! The host's memory holds a part of the mapping table: random reads take what the shares of the table say that are in the
//! drive's memory, in the host's, and on flash alone.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_states::State;
use ftlab_workload::JobFile;

const SEED: RootSeed = RootSeed(1);

/// 130 MB in slots of 4 KiB.
const SLOTS: f64 = 31_738.0;

/// Bytes of an entry in memory, with what tells it from its neighbours.
const ENTRY: f64 = 6.0;

/// Mean latency in microseconds of reads at random over a drive that has been filled.
fn mean_us(settings: &[&str]) -> f64 {
    let small = [
        "nand.blocks_per_die=128",
        "nand.pages_per_block=6",
        "spare.user_capacity=130MB",
        "slc.own_size=1MB",
        "slc.more_size=8MB",
    ];
    let settings = small.iter().chain(settings).map(ToString::to_string);
    let settings: Vec<String> = settings.collect();
    let file = Catalog::default()
        .load("generic-nvme-tlc-8", &settings)
        .expect("it loads");
    let testbed = Testbed::load("linux-2024-nvme").expect("it loads");
    let mut device = file.build(&testbed, SEED).expect("it can be built");
    ftlab_states::prepare(&mut *device, State::New, State::Filled, SEED).expect("it gets there");
    let text = "[reads]\nrw=randread\nbs=4k\nnorandommap\niodepth=1\nramp_time=300ms\ntime_based\nruntime=3s\n";
    let job = JobFile::parse(text, "reads.fio").expect("it parses");
    let report = driver::run(&job, &mut *device, Clock::Timed, SEED).expect("it runs");
    let reads = report.jobs[0].direction(CommandKind::Read);
    reads.latency().expect("it read").mean_ns() / 1e3
}

const OWN: f64 = 24.0 * 1024.0;
const HOSTS: f64 = 96.0 * 1024.0;

#[track_caller]
fn near(is: f64, should: f64, within: f64) {
    assert!((is / should - 1.0).abs() < within, "{is} for {should}");
}

#[test]
fn reads_take_what_the_shares_of_the_table_say() {
    let fits = mean_us(&["map.dram=1MiB"]);
    let flash = mean_us(&["map.dram=768B"]);
    let own = mean_us(&["map.dram=24KiB"]);
    let with = |latency: &str| mean_us(&["map.dram=24KiB", "map.host_memory=96KiB", latency]);
    let (quick, slow) = (
        with("map.host_memory_latency=0us"),
        with("map.host_memory_latency=20us"),
    );
    let share = |bytes: f64| bytes / ENTRY / SLOTS;
    // What a look at the flash takes: nearly every entry is there alone.
    let miss = (flash - fits) / (1.0 - share(768.0));
    assert!(miss > 50.0, "{miss} us");
    near(own - fits, (1.0 - share(OWN)) * miss, 0.02);
    near(quick - fits, (1.0 - share(OWN + HOSTS)) * miss, 0.02);
    near(slow - quick, share(HOSTS) * 20.0, 0.02);
}

#[test]
fn a_table_that_the_drive_and_its_host_hold_reads_no_flash() {
    let fits = mean_us(&["map.dram=1MiB"]);
    let borrowed = mean_us(&[
        "map.dram=24KiB",
        "map.host_memory=1MiB",
        "map.host_memory_latency=20us",
    ]);
    near(borrowed - fits, (1.0 - OWN / ENTRY / SLOTS) * 20.0, 0.02);
}
