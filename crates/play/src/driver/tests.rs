//! Runs on a drive whose answers can be worked out by hand: 100 µs a command.

use super::*;
use ftlab_base::{Blame, CommandKind, Nanos, SECTOR_BYTES};
use ftlab_drive::Catalog;
use ftlab_drive::fake::Fake;

mod devices;
mod pages;
mod words;

const SECTORS: u64 = 1 << 17; // 64 MiB

fn fake() -> Fake {
    Fake::new(SECTORS)
}

fn run_on(mut device: Fake, clock: Clock, job: &str) -> Result<RunReport, DriverError> {
    let file = JobFile::parse(job, "test.fio").unwrap();
    run(&file, &mut device, clock, RootSeed(1))
}

fn timed(job: &str) -> RunReport {
    run_on(fake(), Clock::Timed, job).unwrap()
}

fn writes(report: &RunReport, job: usize) -> &Direction {
    report.jobs[job].direction(CommandKind::Write)
}

#[test]
fn a_job_by_amount_ends_with_it() {
    let report = timed("[w]\nrw=randwrite\nbs=4k\nnumber_ios=50");
    assert_eq!((report.submitted, report.completed), (50, 50));
    assert_eq!(writes(&report, 0).ios, 50);
    assert_eq!(writes(&report, 0).bytes, 50 * 4096);
    assert_eq!(report.jobs[0].measured, Nanos::from_millis(5));
    assert_eq!(
        writes(&report, 0).latency().unwrap().max(),
        Nanos::from_micros(100)
    );
    assert_eq!(
        report.wa(),
        WriteAmplification {
            steady: None,
            total: 2.0
        }
    );
}

#[test]
fn depth_is_kept_and_waiting_is_latency() {
    let report = timed("[w]\nrw=randwrite\niodepth=4\nnumber_ios=1000");
    let latency = writes(&report, 0).latency().unwrap();
    assert_eq!(latency.max(), Nanos::from_micros(400));
    assert_eq!(report.jobs[0].measured, Nanos::from_millis(100));
    assert_eq!(
        report.jobs[0].depths[2], 997,
        "all but the first three are at 4"
    );
}

#[test]
fn what_is_outstanding_at_the_end_is_waited_for_and_not_counted() {
    let report = timed("[w]\nrw=randwrite\niodepth=4\ntime_based\nruntime=1");
    // One ends every 100 µs; the one at exactly 1 s is no longer within the second.
    assert_eq!(writes(&report, 0).ios, 9_999);
    assert_eq!(report.jobs[0].measured, Nanos::from_secs(1));
    assert_eq!(report.completed, 10_003);
    assert_eq!(
        report.simulated,
        Nanos::from_secs(1) + Nanos::from_micros(300)
    );
}

#[test]
fn a_ramp_comes_before_the_runtime_and_is_not_counted() {
    let report = timed("[w]\nrw=randwrite\ntime_based\nramp_time=1\nruntime=2");
    assert_eq!(writes(&report, 0).ios, 20_000);
    assert_eq!(writes(&report, 0).series.len(), 2);
    assert_eq!(report.jobs[0].measured, Nanos::from_secs(2));
    assert_eq!(report.simulated, Nanos::from_secs(3));
    assert!(
        report.counters().host_ios <= 20_002,
        "counters leave the ramp out"
    );
}

#[test]
fn groups_follow_one_another_and_jobs_of_a_group_share() {
    let report = timed(
        "[global]\nrw=randwrite\nnumber_ios=100\n[a]\n[b]\n[c]\nstonewall\nexec_prerun=sleep 1",
    );
    assert_eq!(
        report.jobs.iter().map(|job| job.group).collect::<Vec<_>>(),
        [0, 0, 1]
    );
    assert_eq!(report.jobs[1].measured, Nanos::from_millis(20));
    assert_eq!(report.jobs[2].measured, Nanos::from_millis(10));
    let start = SimTime(Nanos::from_millis(20).0) + Nanos::from_secs(1);
    assert_eq!(report.jobs[2].measured_from, start);
}

#[test]
fn rates_and_pauses_hold_a_job_back() {
    let paced = timed("[w]\nrw=randwrite\nrate_iops=1000\ntime_based\nruntime=2");
    assert_eq!(writes(&paced, 0).ios, 2_000);
    let by_bytes = timed("[w]\nrw=randwrite\nrate=4000k\ntime_based\nruntime=2");
    assert_eq!(writes(&by_bytes, 0).ios, 2_000);
    let thinking = timed("[w]\nrw=randwrite\nthinktime=900\nnumber_ios=100");
    assert_eq!(thinking.simulated, Nanos::from_micros(100 * 100 + 99 * 900));
    let in_blocks =
        timed("[w]\nrw=randwrite\niodepth=2\nthinktime=1000\nthinktime_blocks=10\nnumber_ios=20");
    assert_eq!(in_blocks.simulated, Nanos::from_micros(20 * 100 + 1000));
}

#[test]
fn a_job_held_back_lasts_its_runtime() {
    let report = timed("[w]\nrw=randwrite\nrate_iops=1\ntime_based\nruntime=3");
    assert_eq!(writes(&report, 0).ios, 3);
    assert_eq!(report.simulated, Nanos::from_secs(3));
}

#[test]
fn a_failed_command_ends_its_job() {
    let mut device = fake();
    device.fails_from = 10;
    let report = run_on(device, Clock::Timed, "[w]\nrw=randwrite\nnumber_ios=50").unwrap();
    assert_eq!(report.jobs[0].errors, 1);
    assert_eq!(writes(&report, 0).ios, 10);
    assert_eq!(report.completed, 11);
}

#[test]
fn a_drive_that_takes_no_more_writes_ends_the_run_with_its_reason() {
    for clock in [Clock::Timed, Clock::Untimed] {
        let mut device = fake();
        (device.fails_from, device.gives_reasons) = (10, true);
        let error = run_on(device, clock, "[w]\nrw=randwrite\nnumber_ios=50").unwrap_err();
        assert!(error.to_string().ends_with("it is worn out"), "{error}");
    }
}

#[test]
fn shuffled_jobs_come_to_the_same_places_with_a_clock_and_without() {
    for law in ["zoned:90/10:10/90", "zipf:1.1"] {
        for shuffle in ["each", "shared"] {
            let places = |clock| {
                let job = format!(
                    "[w]\nrw=randwrite\nbs=4k\nnorandommap\nnumjobs=4\noffset=12k\nnumber_ios=500\n\
                     random_distribution={law}\nshuffle={shuffle}"
                );
                let file = JobFile::parse(&job, "test.fio").unwrap();
                let mut device = fake();
                run(&file, &mut device, clock, RootSeed(1)).unwrap();
                device.places.sort_unstable();
                device.places
            };
            let timed = places(Clock::Timed);
            assert_eq!(timed.len(), 2_000);
            assert_eq!(timed, places(Clock::Untimed), "{law} {shuffle}");
        }
    }
}

#[test]
fn a_drive_that_dies_is_an_error_that_says_since_when() {
    let mut device = fake();
    device.dies_at = 10;
    let error = run_on(
        device,
        Clock::Timed,
        "[w]\nrw=randwrite\niodepth=2\nnumber_ios=50",
    );
    let message = error.unwrap_err().to_string();
    assert!(message.contains("with 2 commands outstanding"), "{message}");
    assert!(message.contains("900 µs"), "{message}");
}

#[test]
fn a_command_lost_while_another_job_goes_on_is_noticed_at_the_end() {
    let mut device = fake();
    device.loses = 3;
    let jobs = "[a]\nrw=randwrite\nnumber_ios=50\n[b]\nrw=randwrite\ntime_based\nruntime=1";
    let error = run_on(device, Clock::Timed, jobs).unwrap_err();
    assert!(matches!(error, DriverError::Stuck { outstanding: 1, .. }));
    assert!(
        error.to_string().contains("the oldest one since 100 µs"),
        "{error}"
    );
}

#[test]
fn a_drive_that_takes_no_time_ends_a_job_by_amount() {
    let mut device = fake();
    device.service = Nanos::ZERO;
    let job = "[w]\nrw=randwrite\nsize=100%\nloops=150";
    let report = run_on(device, Clock::Timed, job).unwrap();
    // More than what a job that only time ends is let do at one instant.
    assert!(writes(&report, 0).ios > 1 << 21);
    assert_eq!(report.simulated, Nanos::ZERO);
}

#[test]
fn a_drive_too_slow_for_the_clock_is_an_error() {
    let mut device = fake();
    device.service = Nanos(u64::MAX / 8);
    let error = run_on(device, Clock::Timed, "[w]\nrw=randwrite\nnumber_ios=50").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("after 292 years of virtual time"),
        "{error}"
    );
}

#[test]
fn a_drive_that_takes_no_time_does_not_hang_a_timed_job() {
    let mut device = fake();
    device.service = Nanos::ZERO;
    let error = run_on(
        device,
        Clock::Timed,
        "[w]\nrw=randwrite\ntime_based\nruntime=1",
    );
    let message = error.unwrap_err().to_string();
    assert!(
        message.starts_with("time stands still at 0 ns"),
        "{message}"
    );
    assert!(message.contains("give it an amount of I/O"), "{message}");
}

#[test]
fn without_a_clock_amounts_count() {
    let job = "[w]\nrw=randwrite\nsize=100%\nloops=4\n[r]\nrw=read\nnumber_ios=7";
    let report = run_on(fake(), Clock::Untimed, job).unwrap();
    assert_eq!(writes(&report, 0).bytes, 4 * SECTORS * SECTOR_BYTES);
    assert_eq!(report.jobs[1].direction(CommandKind::Read).ios, 7);
    assert_eq!(report.wa().steady, Some(2.0));
    assert!(writes(&report, 0).latency().is_none());
    assert_eq!(report.simulated, Nanos::ZERO);
}

#[test]
fn without_a_clock_a_job_by_time_needs_an_amount() {
    let by_time = "[w]\nrw=randwrite\ntime_based\nruntime=60";
    let error = run_on(fake(), Clock::Untimed, by_time).unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("io_size="),
        "{error}"
    );
    let both = run_on(fake(), Clock::Untimed, &format!("{by_time}\nio_size=1m")).unwrap();
    assert_eq!(writes(&both, 0).bytes, 1 << 20);
}

#[test]
fn the_seed_decides_the_requests() {
    let hash = |seed| {
        let file = JobFile::parse("[w]\nrw=randwrite\nnumber_ios=9", "test.fio").unwrap();
        let job = file.jobs[0].resolve(SECTORS * SECTOR_BYTES).unwrap();
        ftlab_workload::JobStream::new(&job, RootSeed(seed))
            .map(|r| r.lba.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
}

#[test]
fn write_amplification_is_told_by_the_second() {
    let of_job = |job: &str| {
        let drive = Catalog::default()
            .load("generic-mlc-8", &["nand.blocks_per_die=64".to_owned()])
            .unwrap();
        let testbed = Testbed::load("anandtech-2012").unwrap();
        let mut device = drive.build(&testbed, RootSeed(1)).unwrap();
        let file = JobFile::parse(job, "test.fio").unwrap();
        run(&file, device.as_mut(), Clock::Timed, RootSeed(1)).unwrap()
    };
    let report = of_job("[w]\nrw=randwrite\nnorandommap\niodepth=32\ntime_based\nruntime=60");
    assert_eq!(report.at[0].series_wa.len(), 60);
    let rises = |wa: &[f64]| wa[50] > wa[0] * 1.5;
    assert!(
        rises(&report.at[0].series_wa),
        "{:?}",
        report.at[0].series_wa
    );
    assert!(
        (report.at[0].series_wa[0] - 1.0).abs() < 0.05,
        "nothing is collected at first"
    );
    let reads = of_job("[w]\nrw=randread\ntime_based\nruntime=2");
    assert_eq!(reads.at[0].series_wa, [0.0, 0.0]);
}

#[test]
fn pauses_are_times_without_a_completion_while_somebody_waits() {
    let pauses = |service: Nanos, job: &str| {
        let mut fake = fake();
        fake.service = service;
        run_on(fake, Clock::Timed, job).unwrap().pauses
    };
    let of = |count, longest| PauseReport {
        count,
        longest,
        threshold: PAUSE,
    };
    let three = "[w]\nrw=randwrite\nnumber_ios=3";
    let slow = Nanos::from_millis(1_200);
    assert_eq!(pauses(slow, three), of(3, slow));
    let quick = Nanos::from_millis(900);
    assert_eq!(pauses(quick, three), of(0, quick));
    // Between the writes nobody waits.
    let thinks = "[w]\nrw=randwrite\nnumber_ios=3\nthinktime=5000000";
    assert_eq!(pauses(quick, thinks), of(0, quick));
    let untimed = run_on(fake(), Clock::Untimed, "[w]\nrw=write").unwrap();
    assert_eq!(untimed.pauses, PauseReport::default());
}

#[test]
fn the_meter_reads_every_second_of_the_measured_time() {
    // A watt, and a joule for each of 100 commands a second.
    let slow = || {
        let mut fake = fake();
        fake.service = Nanos::from_millis(10);
        fake
    };
    let power = |job: &str| run_on(slow(), Clock::Timed, job).unwrap().power().unwrap();
    let plain = power("[w]\nrw=randwrite\ntime_based\nruntime=3");
    assert_eq!(plain.span, Nanos::from_secs(3));
    assert!((plain.watts() - 101.0).abs() < 1e-9, "{}", plain.watts());
    assert_eq!(plain.series_watts, [101.0, 101.0, 101.0]);
    let ramped = power("[w]\nrw=randwrite\ntime_based\nramp_time=2\nruntime=1");
    assert_eq!(
        (ramped.span, ramped.series_watts.len()),
        (Nanos::from_secs(1), 1)
    );
    assert!((ramped.watts() - 101.0).abs() < 2.0, "{}", ramped.watts());
    let pauses = power("[w]\nrw=randwrite\nnumber_ios=2\nthinktime=4500000");
    let series: Vec<f64> = pauses
        .series_watts
        .iter()
        .map(|watts| watts.round())
        .collect();
    assert_eq!(
        series,
        [2.0, 1.0, 1.0, 1.0],
        "and then one more, not a whole second"
    );
    let untimed = run_on(slow(), Clock::Untimed, "[w]\nrw=write").unwrap();
    assert!(untimed.power().is_none());
}

#[test]
fn whoever_waits_hears_how_much_of_a_run_is_done() {
    // A time and an amount that ends a job first; two groups.
    let by_time = "[w]\nrw=randwrite\ntime_based\nruntime=20";
    let by_amount = "[a]\nrw=randwrite\nnorandommap\nio_size=1g\nnumber_ios=200000\n[b]\nstonewall\nrw=read\nnumber_ios=200000\nio_size=1g";
    for (clock, job) in [
        (Clock::Timed, by_time),
        (Clock::Timed, by_amount),
        (Clock::Untimed, by_amount),
    ] {
        let told = std::sync::Mutex::new(Vec::new());
        let watch = |_: &str, share: Option<f64>| {
            told.lock().unwrap().push(share.unwrap());
            Ok(())
        };
        let file = JobFile::parse(job, "test.fio").unwrap();
        let mut device = fake();
        let mut target = Target::one(&mut device);
        super::run_on(&file, &mut target, clock, RootSeed(1), &watch).unwrap();
        let shares = told.into_inner().unwrap();
        assert!(shares.len() > 5, "{job}: {shares:?}");
        assert!(shares.is_sorted(), "{job}: {shares:?}");
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        assert!(*shares.last().unwrap() > 0.8, "{job}: {shares:?}");
    }
}
