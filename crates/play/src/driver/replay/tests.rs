use super::*;
use crate::recording::Pace;
use ftlab_base::{Blame, RootSeed};
use ftlab_drive::Catalog;
use ftlab_drive::fake::Fake;
use ftlab_host::Testbed;
use ftlab_states::watch::nobody;
use ftlab_trace::{Fit, Opening, Reader, Scan, Selection};
use std::io::Write;

const SECTORS: u64 = 1 << 17; // 64 MiB

/// A trace in named columns; times in microseconds.
fn recording(rows: &str, pace: Pace, fit: Fit) -> Recording {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "time_us,op,lba,sectors,preflush,fua\n{rows}").unwrap();
    let open = move || {
        let reader = Reader::open(file.path(), &Opening::default())?;
        Ok(Selected::of(reader, Selection::default()))
    };
    let opened: Selected = open().unwrap();
    let format = opened.reader().format();
    let scan = Scan::of(opened).unwrap();
    Recording::new("t.csv".to_owned(), format, scan, pace, fit, Box::new(open))
}

fn play(
    recording: &Recording,
    mut device: Fake,
    clock: Clock,
) -> Result<ReplayReport, DriverError> {
    run_replay(recording, &mut device, clock, None, &nobody)
}

fn latencies(report: &ReplayReport, kind: CommandKind) -> (u64, u64) {
    let latency = report.run.jobs[0].direction(kind).latency().unwrap();
    (latency.min().0 / 1000, latency.max().0 / 1000)
}

#[test]
fn in_an_open_loop_latency_counts_from_the_arrival() {
    // 100 µs a command, one at a time: the third waits for two.
    let rows = "7,write,0,8,0,0\n7,write,8,8,0,0\n17,write,16,8,0,0\n1007,write,24,8,0,0";
    let original = recording(rows, Pace::Original, Fit::Refuse);
    let report = play(&original, Fake::new(SECTORS), Clock::Timed).unwrap();
    let (min, max) = latencies(&report, CommandKind::Write);
    assert_eq!((min, max / 10), (100, 29));
    assert_eq!(report.run.simulated, Nanos::from_micros(1_100));
    assert_eq!(report.held, 0);
    let faster = recording(rows, Pace::Scaled(10.0), Fit::Refuse);
    let report = play(&faster, Fake::new(SECTORS), Clock::Timed).unwrap();
    assert_eq!(report.run.simulated, Nanos::from_micros(400));
}

#[test]
fn in_a_closed_loop_the_next_request_waits_for_one_to_end() {
    let rows: Vec<String> = (0..12)
        .map(|n| format!("{},read,{},8,0,0", 1_000_000 * n, 8 * n))
        .collect();
    let rows = rows.join("\n");
    let run = |pace| {
        let mut wide = Fake::new(SECTORS);
        wide.ways = 4;
        play(&recording(&rows, pace, Fit::Refuse), wide, Clock::Timed).unwrap()
    };
    assert_eq!(
        run(Pace::Closed(1)).run.simulated,
        Nanos::from_micros(1_200)
    );
    assert_eq!(run(Pace::Closed(2)).run.simulated, Nanos::from_micros(600));
    let asap = run(Pace::Asap);
    assert_eq!(asap.run.simulated, Nanos::from_micros(300));
    assert_eq!(asap.run.jobs[0].direction(CommandKind::Read).ios, 12);
}

#[test]
fn a_flush_before_and_one_behind_belong_to_their_request() {
    let rows = "0,write,0,8,1,1\n0,flush,,,,\n5000,trim,0,64,0,0";
    let recording = recording(rows, Pace::Original, Fit::Refuse);
    let mut wide = Fake::new(SECTORS);
    wide.ways = 8;
    let report = play(&recording, wide.clone(), Clock::Timed).unwrap();
    // Flush, write and flush, one after the other.
    assert_eq!(latencies(&report, CommandKind::Write), (300, 300));
    assert_eq!(latencies(&report, CommandKind::Flush), (100, 100));
    assert_eq!((report.run.submitted, report.run.completed), (5, 5));
    let counted = |report: &ReplayReport| {
        use CommandKind::{Flush, Read, Trim, Write};
        [Read, Write, Trim, Flush].map(|kind| report.run.jobs[0].direction(kind).ios)
    };
    assert_eq!(counted(&report), [0, 1, 1, 1]);
    let untimed = play(&recording, wide, Clock::Untimed).unwrap();
    assert_eq!(counted(&untimed), [0, 1, 1, 1]);
    assert_eq!(untimed.run.submitted, 5);
}

#[test]
fn what_lies_beyond_the_drive_is_refused_or_made_to_fit() {
    let rows = "0,write,0,8,0,0\n1,write,1048576,8,0,0";
    let refused = recording(rows, Pace::Asap, Fit::Refuse);
    let error = check_replay(&refused, SECTORS * SECTOR_BYTES).unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("--fit"),
        "{error}"
    );
    for fit in [Fit::Wrap, Fit::Compact, Fit::Scale] {
        let report = play(
            &recording(rows, Pace::Asap, fit),
            Fake::new(SECTORS),
            Clock::Untimed,
        );
        assert_eq!(report.unwrap().run.completed, 2, "{fit:?}");
    }
}

#[test]
fn a_part_ends_with_so_many_requests_and_a_failed_write_ends_all() {
    let rows: Vec<String> = (0..50)
        .map(|n| format!("{n},write,{},8,0,0", 8 * n))
        .collect();
    let recording = recording(&rows.join("\n"), Pace::Closed(1), Fit::Refuse);
    let mut device = Fake::new(SECTORS);
    let part = run_replay(&recording, &mut device, Clock::Timed, Some(7), &nobody).unwrap();
    assert_eq!(part.run.completed, 7);
    let mut device = Fake::new(SECTORS);
    device.fails_from = 10;
    for clock in [Clock::Timed, Clock::Untimed] {
        let report = play(&recording, device.clone(), clock).unwrap();
        assert_eq!(report.run.jobs[0].errors, 1);
        assert!(report.run.completed < 15);
    }
}

#[test]
fn requests_of_an_earlier_time_are_issued_in_the_order_of_the_file() {
    let rows = "100,write,0,8,0,0\n50,write,8,8,0,0\n300,write,16,8,0,0";
    let recording = recording(rows, Pace::Original, Fit::Refuse);
    assert_eq!(recording.scan.disordered, 1);
    let report = play(&recording, Fake::new(SECTORS), Clock::Timed).unwrap();
    // From the earliest on: the first two come 50 µs after it, the last 250 µs.
    assert_eq!(report.run.simulated, Nanos::from_micros(350));
}

/// How long a write with FUA takes behind many that wait in the buffer of a drive.
fn fua_takes(settings: &[&str]) -> Nanos {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let mut device = file.build(&testbed, RootSeed(1)).unwrap();
    let mut rows: Vec<String> = (0..200)
        .map(|n| format!("0,write,{},8,0,0", 64 * n))
        .collect();
    rows.push("6000,write,16,8,0,1".to_owned());
    let recording = recording(&rows.join("\n"), Pace::Original, Fit::Refuse);
    let report = run_replay(&recording, &mut *device, Clock::Timed, None, &nobody).unwrap();
    let end = report.run.simulated;
    Nanos(end.0 - Nanos::from_micros(6000).0)
}

/// A write with FUA waits for its own data, and a drive whose firmware flushes everything for it says so in its file.
#[test]
fn fua_is_of_its_own_write() {
    // So that what waits does so in the buffer, and not in the queues of the dies.
    let queue = "firmware.die_queue=1";
    let own = fua_takes(&[queue]);
    let all = fua_takes(&[queue, "power_loss.fua_flushes_all=1"]);
    assert!(own.0 * 2 < all.0, "{own:?} and {all:?}");
}
