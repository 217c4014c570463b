//! Jobs on several devices behind one clock.

use super::*;
use ftlab_states::watch::nobody;

/// Runs on fakes of those names, of as many sectors as the place says.
fn run_on(names: &[&str], clock: Clock, job: &str) -> Result<RunReport, DriverError> {
    let file = JobFile::parse(job, "test.fio").unwrap();
    let sizes = (1..).map(|place| place * SECTORS);
    let mut fakes: Vec<Fake> = sizes.take(names.len()).map(Fake::new).collect();
    let devices = names.iter().zip(&mut fakes);
    let devices = devices.map(|(name, fake)| ((*name).to_owned(), fake as &mut dyn Device));
    let mut target = Target::named(devices);
    super::super::run_on(&file, &mut target, clock, RootSeed(1), &nobody)
}

fn on(names: &[&str], job: &str) -> RunReport {
    run_on(names, Clock::Timed, job).unwrap()
}

fn slowest(report: &RunReport, job: usize, kind: CommandKind) -> Nanos {
    report.jobs[job].direction(kind).latency().unwrap().max()
}

const READS_AND_WRITES: &str = "[global]\nnumber_ios=100\n[r]\nfilename=/dev/x\nrw=randread\n\
                                [w]\nfilename=/dev/y\nrw=randwrite\niodepth=32\n";

#[test]
fn jobs_on_devices_of_their_own_do_not_contend() {
    let apart = on(&["x", "y"], READS_AND_WRITES);
    assert_eq!(
        slowest(&apart, 0, CommandKind::Read),
        Nanos::from_micros(100)
    );
    assert_eq!(apart.simulated, Nanos::from_millis(10), "side by side");
    let together = READS_AND_WRITES.replace("/dev/y", "/dev/x");
    let together = on(&["x"], &together);
    assert!(slowest(&together, 0, CommandKind::Read) > Nanos::from_micros(3_000));
}

#[test]
fn a_device_is_reported_by_its_name_and_all_of_them_together() {
    let report = on(&["x", "y"], READS_AND_WRITES);
    let [x, y] = &report.at[..] else {
        panic!("{} devices", report.at.len())
    };
    assert_eq!((x.name.as_str(), y.name.as_str()), ("x", "y"));
    assert_eq!((x.counters.host_ios, y.counters.host_ios), (100, 100));
    assert_eq!((x.counters.host_bytes_written, y.wa.total), (0, 2.0));
    assert_eq!(report.counters().host_ios, 200);
    assert_eq!(report.wa().total, 2.0);
    // A watt each.
    assert_eq!(report.power().unwrap().rest_watts, 2.0);
    let one = timed("[r]\nfilename=/dev/x\nnumber_ios=1");
    assert_eq!(one.only().map(|only| only.name.as_str()), Some(""));
}

#[test]
fn the_files_of_a_job_take_turns() {
    let ios = |job: &str, clock| {
        let report = run_on(&["x", "y", "z"], clock, job).unwrap();
        let devices = report.at.iter();
        devices
            .map(|device| device.counters.host_ios)
            .collect::<Vec<_>>()
    };
    let job = "[w]\nfilename=x:y:z\nrw=randwrite\nnumber_ios=100\n";
    for clock in [Clock::Timed, Clock::Untimed] {
        assert_eq!(ios(job, clock), [34, 33, 33]);
    }
    // Together 64 MiB; without a size, each is written whole.
    let sized = "[w]\nfilename=x:y:z\nrw=write\nbs=1m\nsize=63m\n";
    assert_eq!(ios(sized, Clock::Untimed), [21, 21, 21]);
    let whole = "[w]\nfilename=x:y:z\nrw=write\nbs=1m\n";
    assert_eq!(ios(whole, Clock::Untimed), [64, 128, 192]);
    // Four of one file, then four of the next: at a depth of eight, two devices have them.
    let eight = "[w]\nfilename=x:y:z\nrw=randwrite\nnumber_ios=8\niodepth=8\n\
                 file_service_type=roundrobin:4\n";
    assert_eq!(ios(eight, Clock::Timed), [4, 4, 0]);
}

#[test]
fn another_order_of_files_is_refused() {
    let text = "[w]\nfilename=x:y\nfile_service_type=random\n";
    let error = JobFile::parse(text, "test.fio").unwrap_err().to_string();
    assert!(error.contains("roundrobin"), "{error}");
}

#[test]
fn a_drive_that_takes_no_more_writes_is_named() {
    let file = JobFile::parse("[w]\nfilename=x:y\nrw=write\nbs=4k\n", "t.fio").unwrap();
    let (mut well, mut worn) = (fake(), fake());
    (worn.fails_from, worn.gives_reasons) = (10, true);
    let devices: [(String, &mut dyn Device); 2] =
        [("x".to_owned(), &mut well), ("y".to_owned(), &mut worn)];
    let mut target = Target::named(devices);
    let run = super::super::run_on(&file, &mut target, Clock::Timed, RootSeed(1), &nobody);
    assert!(run.unwrap_err().to_string().contains("y: it is worn out"));
}

#[test]
fn real_drives_apart_are_as_each_of_them_alone() {
    let job = |more: &str| {
        format!(
            "[global]\nrw=randrw\niodepth=4\nnumber_ios=2000\nsize=64m\n[a]\nfilename=x\n{more}"
        )
    };
    let drive = || {
        let file = Catalog::default()
            .load("generic-mlc-8", &["nand.blocks_per_die=64".to_owned()])
            .unwrap();
        let testbed = ftlab_host::Testbed::load("anandtech-2008").unwrap();
        file.build(&testbed, RootSeed(1)).unwrap()
    };
    let (mut x, mut y, mut alone) = (drive(), drive(), drive());
    let run = |target: &mut Target<'_>, job: &str| {
        let file = JobFile::parse(job, "test.fio").unwrap();
        super::super::run_on(&file, target, Clock::Timed, RootSeed(1), &nobody).unwrap()
    };
    let devices: [(String, &mut dyn Device); 2] =
        [("x".to_owned(), x.as_mut()), ("y".to_owned(), y.as_mut())];
    let apart = run(&mut Target::named(devices), &job("[b]\nfilename=y\n"));
    let alone = run(&mut Target::one(alone.as_mut()), &job(""));
    for kind in [CommandKind::Read, CommandKind::Write] {
        let buckets = |report: &RunReport| {
            let direction = report.jobs[0].direction(kind);
            let latency = direction.latency().expect("it was timed");
            (direction.ios, latency.buckets())
        };
        assert_eq!(buckets(&apart), buckets(&alone));
    }
}
