//! What requests cost the host, each way: in front of a drive that takes no time, all of it is the host's, and closed forms say
//! how much.

use ftlab_base::{CommandKind, Nanos, RootSeed};
use ftlab_drive::Catalog;
use ftlab_host::{Coalescing, Path, Sees, Testbed};
use ftlab_play::driver::{self, Clock};
use ftlab_states::State;
use ftlab_workload::JobFile;

const SEED: RootSeed = RootSeed(1);

/// Memory that a request takes a nanosecond of.
const NO_TIME: (&str, &[&str]) = ("ramdisk-8gb", &["ram.command=0us", "ram.copy_rate=1e6MB/s"]);

const FLASH: (&str, &[&str]) = (
    "generic-nvme-tlc-8",
    &[
        "nand.blocks_per_die=128",
        "nand.pages_per_block=6",
        "map.dram=1MiB",
        "spare.user_capacity=150MB",
        "slc.own_size=1MB",
        "slc.more_size=8MB",
    ],
);

/// What a run says.
#[derive(Debug)]
struct Found {
    iops: f64,
    mean_us: f64,
    /// Cores at work, and what each request took of them.
    cores: f64,
    us_per_io: f64,
}

fn reads(drive: (&str, &[&str]), testbed: &Testbed, job: &str) -> Found {
    let settings: Vec<String> = drive.1.iter().map(ToString::to_string).collect();
    let file = Catalog::default()
        .load(drive.0, &settings)
        .expect("it loads");
    let mut device = file.build(testbed, SEED).expect("it can be built");
    if drive == FLASH {
        ftlab_states::prepare(&mut *device, State::New, State::Filled, SEED)
            .expect("it gets there");
    }
    let text = format!(
        "[global]\nrw=randread\nbs=512\nnorandommap\ntime_based\nramp_time=1ms\n[reads]\n{job}"
    );
    let file = JobFile::parse(&text, "path.fio").expect("it parses");
    let report = driver::run(&file, &mut *device, Clock::Timed, SEED).expect("it runs");
    assert_eq!(report.submitted, report.completed);
    let seconds = report.jobs[0].measured.as_secs();
    let (mut ios, mut mean_us) = (0.0, 0.0);
    for job in &report.jobs {
        let reads = job.direction(CommandKind::Read);
        ios += reads.ios as f64;
        mean_us += reads.ios as f64 * reads.latency().expect("it read").mean_ns() / 1e3;
    }
    let cores = report.at[0]
        .host_cores
        .expect("the host says what it costs");
    Found {
        iops: ios / seconds,
        mean_us: mean_us / ios,
        cores,
        us_per_io: 1e6 * cores * seconds / ios,
    }
}

fn on(path: Path) -> Testbed {
    Testbed {
        host_command: Nanos::ZERO,
        path: Some(path),
        ..Testbed::load("linux-2024-nvme").expect("it loads")
    }
}

const CALL: f64 = 0.9;
const SUBMIT: f64 = 0.3;
const COMPLETE: f64 = 0.2;
const INTERRUPT: f64 = 1.5;

/// A host that hands over `batch` requests with one call. The drive interrupts it.
fn interrupted(batch: u32, coalescing: Option<Coalescing>) -> Path {
    let us = |us: f64| Nanos((us * 1e3) as u64);
    Path {
        call: us(CALL),
        batch,
        submit: us(SUBMIT),
        complete: us(COMPLETE),
        sees: Sees::Interrupts {
            cost: us(INTERRUPT),
            coalescing,
        },
        cores: None,
    }
}

fn polling(period: Nanos) -> Path {
    Path {
        sees: Sees::Polling(period),
        ..interrupted(1, None)
    }
}

#[track_caller]
fn near(is: f64, should: f64, within: f64) {
    assert!((is / should - 1.0).abs() < within, "{is} for {should}");
}

const ALONE: &str = "iodepth=1\nruntime=10ms\n";

#[test]
fn a_request_alone_takes_the_sum_of_its_parts() {
    let parts = CALL + SUBMIT + INTERRUPT + COMPLETE;
    let found = reads(NO_TIME, &on(interrupted(32, None)), ALONE);
    near(found.mean_us, parts, 0.001);
    near(found.us_per_io, parts, 0.001);
    near(found.cores, 1.0, 0.001);
    let alone = interrupted(32, None).alone(Nanos(1));
    near(found.mean_us, alone.0 as f64 / 1e3, 0.001);
    // The drive's nanosecond is over at the next look.
    let found = reads(NO_TIME, &on(polling(Nanos(100))), ALONE);
    near(found.mean_us, CALL + SUBMIT + 0.1 + COMPLETE, 0.001);
}

/// A core hands over all that is due, is interrupted once for it, and goes round.
#[test]
fn a_core_makes_as_many_requests_as_their_costs_allow() {
    for (batch, depth) in [(1, 1), (1, 16), (8, 16), (32, 16), (32, 100)] {
        let calls =
            f64::from(depth).div_euclid(f64::from(batch)) + f64::from(u8::from(depth % batch > 0));
        let round = INTERRUPT + calls * CALL + f64::from(depth) * (SUBMIT + COMPLETE);
        let job = format!("iodepth={depth}\nruntime=20ms\n");
        let found = reads(NO_TIME, &on(interrupted(batch, None)), &job);
        near(found.iops, f64::from(depth) / round * 1e6, 0.01);
        near(found.cores, 1.0, 0.01);
    }
}

#[test]
fn each_job_has_a_core_unless_there_are_fewer() {
    let job = "iodepth=16\nnumjobs=4\nruntime=10ms\n";
    let path = interrupted(32, None);
    let own = reads(NO_TIME, &on(path), job);
    let cores = Some(2);
    let shared = reads(NO_TIME, &on(Path { cores, ..path }), job);
    near(own.cores, 4.0, 0.01);
    near(shared.cores, 2.0, 0.01);
    // Two jobs on a core have one interrupt for what both wait for.
    let round = |depth: f64| INTERRUPT + CALL + depth * (SUBMIT + COMPLETE);
    near(own.iops, 4.0 * 16.0 / round(16.0) * 1e6, 0.01);
    near(shared.iops, 2.0 * 32.0 / round(32.0) * 1e6, 0.01);
}

#[test]
fn coalescing_adds_its_time_to_a_request_alone_and_takes_from_the_cores_where_there_are_many() {
    let coalescing = |threshold| {
        Some(Coalescing {
            threshold,
            time: Nanos::from_micros(100),
        })
    };
    let alone = |coalescing| reads(FLASH, &on(interrupted(32, coalescing)), ALONE);
    let at_once = alone(None);
    near(alone(coalescing(8)).mean_us - at_once.mean_us, 100.0, 0.02);
    near(alone(coalescing(1)).mean_us, at_once.mean_us, 1e-6);
    let many = |coalescing| {
        reads(
            FLASH,
            &on(interrupted(32, coalescing)),
            "iodepth=64\nruntime=20ms\n",
        )
    };
    let (each, eighths) = (many(None), many(coalescing(8)));
    assert!(
        eighths.us_per_io < each.us_per_io - 0.5 * INTERRUPT,
        "{eighths:?} {each:?}"
    );
    // An interrupt for eight requests.
    assert!(
        eighths.us_per_io > SUBMIT + COMPLETE + INTERRUPT / 8.0,
        "{eighths:?}"
    );
    near(eighths.iops, each.iops, 0.05);
}

#[test]
fn polling_costs_a_core_all_its_time_and_no_interrupt() {
    // The same reads, however long they take.
    let alone = "iodepth=1\ntime_based=0\nramp_time=0\nnumber_ios=400\n";
    let found = reads(FLASH, &on(polling(Nanos(50))), alone);
    near(found.cores, 1.0, 1e-6);
    let waits = reads(FLASH, &on(interrupted(1, None)), alone);
    assert!(waits.cores < 0.1, "{waits:?}");
    // The next look is half a period away on average.
    near(waits.mean_us - found.mean_us, INTERRUPT - 0.025, 0.02);
    let jobs = reads(
        FLASH,
        &on(polling(Nanos(50))),
        "iodepth=1\nnumjobs=3\nruntime=10ms\n",
    );
    near(jobs.cores, 3.0, 1e-6);
}

/// Testbeds of one machine, from the way that costs most to the one that costs least: reads a second of a core, and what one
/// request at a time takes of the host.
#[test]
fn the_ways_of_a_machine_differ_in_latency_and_in_what_a_core_can_do() {
    let paths = [
        "linux-2024-libaio",
        "linux-2024-io-uring",
        "linux-2024-polled",
        "spdk-2024",
    ];
    let measure = |path: &&str| {
        let testbed = Testbed::load(path).expect("it loads");
        let many = reads(NO_TIME, &testbed, "iodepth=128\nruntime=20ms\n");
        let one = reads(NO_TIME, &testbed, ALONE);
        (many.iops / 1e6, one.mean_us)
    };
    let found: Vec<(f64, f64)> = paths.iter().map(measure).collect();
    assert!(
        found.is_sorted_by(|slow, quick| slow.0 < quick.0 && slow.1 > quick.1),
        "{found:?}"
    );
    // What was published of each, in millions.
    near(found[0].0, 0.608, 0.15);
    near(found[2].0, 2.58, 0.02);
    near(found[3].0, 13.85, 0.02);
    let sync = Testbed::load("linux-2024-sync").expect("it loads");
    let waits = reads(NO_TIME, &sync, ALONE);
    assert!(waits.mean_us > found[1].1, "{waits:?} {found:?}");
}
