//! The host's order in front of a disk that takes one command at a time: what a Raptor without command queueing
//! does with 32 random reads outstanding, against what its seek times say.

use ftlab_base::hash::mix64;
use ftlab_base::{Command, CommandKind, LatencyHistogram, RootSeed, SimTime};
use ftlab_drive::{Catalog, Device};
use ftlab_host::{HostOrder, Testbed};

const OUTSTANDING: u64 = 32;
const READS: u64 = 20_000;
const SECTORS: u32 = 8;

// The drive file says it in milliseconds.
const SEEK_TRACK: f64 = 0.7;
const SEEK_AVERAGE: f64 = 4.6;
const SEEK_FULL: f64 = 10.0;
const HALF_A_TURN: f64 = 3.0;
/// Host 5 µs, controller 100 µs, 4 KiB off the platter at 84 MB/s, the last sector over the link.
const REST: f64 = 0.005 + 0.1 + 0.049 + 0.003;

/// Mean and maximum in milliseconds of 4 KiB reads, uniform over a Raptor.
fn latencies(order: HostOrder, settings: &[&str]) -> (f64, f64) {
    // One rate everywhere: uniform addresses are then uniform cylinders.
    let settings: Vec<String> = (settings.iter().chain(&["disk.inner_rate=84"]))
        .map(ToString::to_string)
        .collect();
    let file = Catalog::default()
        .load("wd-raptor-150", &settings)
        .expect("it loads");
    let testbed = Testbed {
        queue_order: order,
        ..Testbed::load("anandtech-2008").expect("it loads")
    };
    let mut disk = file.build(&testbed, RootSeed(1)).expect("it can be built");
    let places = disk.capacity_sectors() / u64::from(SECTORS);
    let read = |disk: &mut dyn Device, number: u64, now: SimTime| {
        let command = Command::new(
            CommandKind::Read,
            number,
            mix64(number) % places * u64::from(SECTORS),
            SECTORS,
            now,
        );
        disk.submit(command, now);
    };
    let mut begun = vec![SimTime::ZERO; OUTSTANDING as usize];
    (0..OUTSTANDING).for_each(|number| read(&mut *disk, number, SimTime::ZERO));
    let (mut latencies, mut done) = (LatencyHistogram::default(), Vec::new());
    while let Some(now) = disk.next_event() {
        disk.advance(now, &mut done);
        for end in done.drain(..) {
            latencies.record(end.at.since(begun[end.id.0 as usize]));
            if (begun.len() as u64) < READS {
                read(&mut *disk, begun.len() as u64, now);
                begun.push(now);
            }
        }
    }
    assert_eq!(latencies.count(), READS);
    (latencies.mean_ns() / 1e6, latencies.max().as_millis())
}

#[test]
fn first_come_first_served_waits_for_a_mean_seek_for_each_command_ahead() {
    let (mean, max) = latencies(HostOrder::Fifo, &["queue.depth=1"]);
    let expected = OUTSTANDING as f64 * (SEEK_AVERAGE + HALF_A_TURN + REST);
    assert!(
        (mean / expected - 1.0).abs() < 0.02,
        "{mean} of {expected} ms"
    );
    assert!(max < 1.35 * mean, "{max} ms");
}

/// Commands that wait ahead of the sweep were passed the longer ago the nearer they are, so there is twice the mean
/// density just ahead: 62 stops a sweep for 31 that wait. The way to the next is exponential.
#[test]
fn an_elevator_halves_the_way_and_lets_none_wait_longer_than_a_sweep() {
    let (mean, max) = latencies(HostOrder::CLook, &["queue.depth=1"]);
    let stops = 2.0 * (OUTSTANDING - 1) as f64;
    // The seek curve of three points (`drive/src/disk/arm.rs`), beyond one track.
    let (middle, full) = (SEEK_AVERAGE - SEEK_TRACK, SEEK_FULL - SEEK_TRACK);
    let root = 5.0 * (middle - full / 3.0);
    let line = full - root;
    // The mean root of an exponential is 0.886 of the root of its mean.
    let next = SEEK_TRACK + root * 0.886 / stops.sqrt() + line / stops;
    let back = (SEEK_FULL - next) / stops;
    let expected = OUTSTANDING as f64 * (next + back + HALF_A_TURN + REST);
    assert!(
        (mean / expected - 1.0).abs() < 0.03,
        "{mean} of {expected} ms"
    );
    // A sweep has more stops or fewer; none of the 300 has half as many more.
    let sweep = 2.0 * mean;
    assert!((sweep..1.5 * sweep).contains(&max), "{max} of {sweep} ms");
}

#[test]
fn a_disk_that_takes_them_all_orders_them_itself() {
    let orders = [HostOrder::Fifo, HostOrder::CLook];
    let [fifo, c_look] = orders.map(|order| latencies(order, &[]));
    assert_eq!(fifo, c_look);
    let (elevator, _) = latencies(HostOrder::CLook, &["queue.depth=1"]);
    assert!(
        fifo.0 < elevator,
        "by its arm, turns included: {} ms",
        fifo.0
    );
}
