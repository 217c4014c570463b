//! Scenarios on drives whose answers can be worked out by hand.

use super::*;
use ftlab_base::{CommandKind, Content};
use ftlab_drive::Catalog;
use ftlab_drive::fake::Fake;
use ftlab_host::Testbed;
use ftlab_states::watch::nobody;
use ftlab_workload::script::Run;

const GIB_SECTORS: u64 = 2_097_152;

/// A script of one phase, and the files it reads and writes.
fn script(phase: &str) -> String {
    format!(
        "schema = 1\nname = \"test\"\nsummary = \"\"\ntestbed = \"anandtech-2008\"\n\
         [files.in]\nat = \"6 GiB\"\nsize = \"64 MiB\"\n\
         [files.out]\nat = \"7 GiB\"\nsize = \"64 MiB\"\ncount = 16\n\
         [[phase]]\nname = \"p\"\n{phase}"
    )
}

fn testbed() -> Testbed {
    Testbed::load("anandtech-2008").unwrap()
}

fn testbed_with(processor: Processor) -> Testbed {
    Testbed {
        processor,
        ..testbed()
    }
}

fn drive(service: Nanos) -> Fake {
    let mut drive = Fake::new(8 * GIB_SECTORS);
    drive.service = service;
    drive
}

fn alone(phase: &str) -> Scenario {
    Scenario::parse(&script(phase), "test.toml", &|_| None).unwrap()
}

fn run_on(scenario: &Scenario, drive: &mut Fake, testbed: &Testbed) -> ScenarioReport {
    run_scenario(scenario, drive, testbed, RootSeed(1), &nobody).unwrap()
}

fn seconds(report: &ScenarioReport, process: usize) -> f64 {
    report.processes[process].seconds.unwrap().as_secs()
}

const READS: &str = "read = { files = \"in\", amount = \"10 MiB\", blocks = { \"64 KiB\" = 1 } }\n";
const COPY: &str = "read = { files = \"in\", amount = \"40 MiB\", blocks = { \"64 KiB\" = 1 } }\n\
    write = { files = \"out\", amount = \"50 MiB\", blocks = { \"16 KiB\" = 3, \"64 KiB\" = 1 } }\n";

#[test]
fn on_a_drive_without_latency_only_thinking_and_computing_take_time() {
    let mut drive = drive(Nanos::ZERO);
    let scenario = alone(&format!(
        "think = \"2 s\"\ncpu = \"3 s\"\ndepth = 2\n{COPY}"
    ));
    let report = run_on(&scenario, &mut drive, &testbed());
    assert_eq!(report.processes[0].seconds, Some(Nanos::from_secs(5)));
}

#[test]
fn a_program_waits_for_the_checks_of_what_it_writes() {
    let seconds_with = |check: &str| {
        let scenario = alone(&format!(
            "write = {{ files = \"out\", amount = \"10 MiB\", blocks = {{ \"64 KiB\" = 1 }} }}\n{check}"
        ));
        let report = run_on(&scenario, &mut drive(Nanos::from_millis(1)), &testbed());
        (seconds(&report, 0), report.processes[0].read_bytes)
    };
    assert_eq!(seconds_with(""), (0.0, 0));
    let (took, read) =
        seconds_with("check = { amount = \"5 MiB\", blocks = { \"16 KiB\" = 1 } }\n");
    assert_eq!(read, 5 << 20);
    assert!(
        (0.32..0.33).contains(&took),
        "320 reads one by one: {took} s"
    );
}

#[test]
fn a_quicker_machine_shortens_computing_and_not_thinking() {
    let quick = testbed_with(Processor {
        speed: 2.0,
        ..Processor::REFERENCE
    });
    let scenario = alone("think = \"2 s\"\ncpu = \"3 s\"\n");
    let report = run_on(&scenario, &mut drive(Nanos::ZERO), &quick);
    assert_eq!(seconds(&report, 0), 3.5);
}

#[test]
fn reads_wait_for_the_drive_and_deeper_ones_for_less() {
    let of_depth = |depth: u32| {
        let mut drive = drive(Nanos::from_millis(1));
        drive.ways = 4;
        let scenario = alone(&format!("depth = {depth}\n{READS}"));
        seconds(&run_on(&scenario, &mut drive, &testbed()), 0)
    };
    assert_eq!(of_depth(1), 0.16);
    assert_eq!(of_depth(4), 0.04);
}

#[test]
fn reading_ahead_hides_computing_and_asks_for_one_block_at_a_time() {
    let of = |keys: &str| {
        let mut drive = drive(Nanos::from_millis(1));
        drive.ways = 4;
        let report = run_on(&alone(&format!("{keys}\n{READS}")), &mut drive, &testbed());
        seconds(&report, 0)
    };
    assert_eq!(of("cpu = \"0.16 s\""), 0.32);
    assert_eq!(of("cpu = \"0.16 s\"\nahead = 1"), 0.161);
    assert_eq!(of("ahead = 1"), 0.16, "one at a time");
    assert_eq!(of("depth = 2\nahead = 1"), 0.08);
}

#[test]
fn reading_ahead_ends_with_a_file_and_what_is_outstanding_does_not() {
    let of = |keys: &str, count: u32| {
        let mut drive = drive(Nanos::from_millis(1));
        drive.ways = 4;
        let text = script(&format!("cpu = \"0.16 s\"\n{keys}\n{READS}"));
        let files = format!("[files.in]\ncount = {count}");
        let text = text.replacen("[files.in]", &files, 1);
        let scenario = Scenario::parse(&text, "test.toml", &|_| None).unwrap();
        seconds(&run_on(&scenario, &mut drive, &testbed()), 0)
    };
    assert_eq!(of("ahead = 1", 1), 0.161);
    // The first block of each of ten files is waited for.
    assert_eq!(of("ahead = 1", 64), 0.17);
    assert_eq!(of("depth = 2", 64), 0.161);
}

#[test]
fn everything_asked_for_is_transferred() {
    let mut drive = drive(Nanos::from_micros(10));
    let report = run_on(&alone(COPY), &mut drive, &testbed());
    let process = &report.processes[0];
    assert_eq!(
        (process.read_bytes, process.written_bytes),
        (40 << 20, 50 << 20)
    );
    assert_eq!(report.run.submitted, report.run.completed);

    let through = COPY.trim_end().trim_end_matches('}').to_owned() + ", through = true }\n";
    let report = run_on(
        &alone(&format!("depth = 3\n{through}")),
        &mut drive,
        &testbed(),
    );
    let moved = |kind| report.run.jobs[0].direction(kind).bytes;
    assert_eq!(moved(CommandKind::Read), 40 << 20);
    assert_eq!(moved(CommandKind::Write), 50 << 20);
    assert_eq!(report.run.jobs.len(), 1, "nothing went through the system");
}

#[test]
fn what_is_written_is_dirty_up_to_the_limit_and_then_programs_wait() {
    let mut small = testbed();
    let os = &mut small.os.as_mut().unwrap().cache;
    os.dirty_limit_bytes = 4 << 20;
    os.write_bytes = 64 << 10;
    os.write_depth = 1;
    // 640 writes of 64 KiB by the lazy writer, 10 ms each.
    let write = "write = { files = \"out\", amount = \"40 MiB\", blocks = { \"64 KiB\" = 1 } }\n";
    let report = run_on(&alone(write), &mut drive(Nanos::from_millis(10)), &small);
    assert_eq!(report.dirty_max_bytes, 4 << 20);
    let least = (40 - 4) as f64 * 16.0 * 0.010;
    assert!(
        (least..least * 1.1).contains(&seconds(&report, 0)),
        "{}",
        seconds(&report, 0)
    );

    let report = run_on(
        &alone(write),
        &mut drive(Nanos::from_millis(10)),
        &testbed(),
    );
    assert_eq!(seconds(&report, 0), 0.0, "all of it fits below the limit");
}

#[test]
fn the_file_system_writes_journal_and_tables_of_its_own() {
    let mut drive = drive(Nanos::from_micros(10));
    let report = run_on(
        &alone(&format!("cpu = \"22 s\"\n{COPY}")),
        &mut drive,
        &testbed(),
    );
    let names: Vec<_> = report
        .run
        .jobs
        .iter()
        .map(|job| job.name.as_str())
        .collect();
    assert_eq!(names, ["program", "lazy writer", "file system"]);
    let writes = report.run.jobs[2].direction(CommandKind::Write).ios;
    // The journal and a page of a table in each second in which something changed, and a few pages
    // more at the four checkpoints.
    assert!((3 * 4..=2 * 22 + 4 * 4).contains(&writes), "{writes}");
}

fn new_system() -> System {
    let os = testbed().os.unwrap();
    System::new(os.cache, os.file_system.unwrap())
}

/// Whose requests the lazy writer makes, second by second, until nothing is left: J of the journal, T
/// of tables, and D of data.
fn seconds_of(cache: &mut System) -> Vec<String> {
    let (mut now, mut seconds) = (SimTime::ZERO, Vec::new());
    while cache.next_pass() < SimTime::NEVER {
        now += Nanos::from_secs(1);
        cache.tick(now);
        let requests = std::iter::from_fn(|| {
            let (owner, ..) = cache.next()?;
            cache.ended(owner);
            Some(match owner {
                Owner::Journal => 'J',
                Owner::Page => 'T',
                _ => 'D',
            })
        });
        seconds.push(requests.collect());
    }
    seconds
}

#[test]
fn the_lazy_writer_comes_to_one_table_after_the_other_and_to_all_at_a_checkpoint() {
    let mut cache = new_system();
    cache.begin_files(100);
    let run = Run {
        lba: 7 * GIB_SECTORS,
        sectors: 8_000,
    };
    assert!(cache.admit(0, run, Content::RANDOM, SimTime::ZERO));
    let seconds = seconds_of(&mut cache);
    // The journal, and an eighth of 26 pages of records, in turn with the data; then the page of the
    // bitmap, one of 3 of the directory, an eighth of the 22 pages of records that are left; then a
    // checkpoint.
    let checkpoint = "T".repeat(21);
    let expected = ["JDTDTDTDTDDDDDDDDDDDD", "T", "T", "TTT", &checkpoint];
    assert_eq!(seconds[..5], expected);
    assert!(seconds[5..].iter().all(String::is_empty));
}

#[test]
fn a_file_gets_its_clusters_once_and_filling_it_changes_its_record() {
    let mut cache = new_system();
    let mut pages_of = |begun: u64, lba: u64| {
        cache.begin_files(begun);
        let run = Run { lba, sectors: 8 };
        assert!(cache.admit(0, run, Content::RANDOM, SimTime::ZERO));
        let requests = seconds_of(&mut cache).concat();
        requests.matches('T').count()
    };
    assert_eq!(pages_of(1, 7 * GIB_SECTORS), 3, "record, clusters, entry");
    assert_eq!(pages_of(0, 7 * GIB_SECTORS + 8), 1, "record");
}

#[test]
fn passes_end_at_pages_whatever_the_size_of_files() {
    let mut cache = new_system();
    let mut now = SimTime::ZERO;
    // The sizes of two files in sectors: neither is a number of pages.
    for (lba, sectors) in [(7 * GIB_SECTORS, 8_003), (7 * GIB_SECTORS + 8_008, 5)] {
        assert!(cache.admit(0, Run { lba, sectors }, Content::RANDOM, now));
    }
    let mut written = Vec::new();
    while cache.next_pass() < SimTime::NEVER {
        now += Nanos::from_secs(1);
        cache.tick(now);
        while let Some((owner, run, _)) = cache.next() {
            cache.ended(owner);
            written.extend(matches!(owner, Owner::Data(_)).then_some(run));
        }
    }
    let pages = written.iter().flat_map(|run| {
        assert!(run.lba % 8 == 0 && run.sectors % 8 == 0, "{run:?}");
        (run.lba..run.lba + u64::from(run.sectors)).step_by(8)
    });
    let each_once = (0..1_002).map(|page| 7 * GIB_SECTORS + 8 * page);
    assert!(pages.eq(each_once), "{written:?}");
}

#[test]
fn writes_carry_how_compressible_they_are_and_tables_do_not_compress() {
    for through in [false, true] {
        let mut drive = drive(Nanos::from_micros(10));
        drive.compresses = true;
        let write = "files = \"out\", amount = \"40 MiB\", blocks = { \"64 KiB\" = 1 }";
        let scenario = alone(&format!(
            "cpu = \"9 s\"\nwrite = {{ {write}, through = {through}, \
             buffer_compress_percentage = 50 }}\n"
        ));
        let report = run_on(&scenario, &mut drive, &testbed());
        let written = |job: &JobReport| job.direction(CommandKind::Write).bytes as f64;
        let tables: f64 = report.run.jobs.iter().skip(2).map(written).sum();
        let data: f64 = report.run.jobs.iter().take(2).map(written).sum();
        assert!(data > 30e6, "{data}");
        // Two bytes programmed for each that is left.
        let expected = 2.0 * tables + data;
        let programmed = report.run.counters().nand_bytes_programmed as f64;
        assert!(
            (programmed / expected - 1.0).abs() < 0.02,
            "{programmed} for {expected}"
        );
    }
}

#[test]
fn what_a_drive_takes_is_metered_from_the_start_to_the_end() {
    let file = Catalog::default()
        .load("seagate-momentus-7200.2", &[])
        .unwrap();
    let mut drive = file.build(&testbed(), RootSeed(1)).unwrap();
    let scenario = alone(&format!("think = \"3 s\"\n{READS}"));
    let report = run_scenario(&scenario, drive.as_mut(), &testbed(), RootSeed(1), &nobody).unwrap();
    let power = report.run.power().expect("its file says what it takes");
    assert_eq!(power.span, report.run.simulated);
    assert!(power.series_watts.len() >= 3);
    // It rests for most of the time and then works.
    let rest = power.rest_watts;
    assert!((power.series_watts[0] - rest).abs() < 0.01 * rest);
    assert!(power.watts() > rest && power.watts() < 1.5 * rest);
}

#[test]
fn a_pause_is_one_in_which_no_data_of_a_program_move() {
    let mut slow = alone(READS);
    slow.pause = Nanos::from_millis(5);
    let report = run_on(&slow, &mut drive(Nanos::from_millis(6)), &testbed());
    assert_eq!(report.run.pauses.count, 160);
    assert_eq!(report.run.pauses.longest, Nanos::from_millis(6));
    let report = run_on(&slow, &mut drive(Nanos::from_millis(5)), &testbed());
    assert_eq!(report.run.pauses.count, 0);
}

const TWO: &str = "schema = 1\nname = \"two\"\nsummary = \"\"\ntestbed = \"anandtech-2008\"\n\
    [[process]]\nname = \"first\"\nscript = \"reads\"\nbackground = true\n\
    [[process]]\nname = \"second\"\nscript = \"reads\"\nstart = \"50 ms\"\n";

fn two(background: bool, phase: &str) -> Scenario {
    let text = TWO.replace("background = true", &format!("background = {background}"));
    let library = |name: &str| (name == "reads").then(|| ("reads.toml".to_owned(), script(phase)));
    Scenario::parse(&text, "two.toml", &library).unwrap()
}

#[test]
fn programs_share_the_drive_from_their_starts_on() {
    let report = run_on(
        &two(false, READS),
        &mut drive(Nanos::from_millis(1)),
        &testbed(),
    );
    // Alone for 50 ms, then in turns: 110 more of the first, as many of the second, then the rest.
    assert!(
        (seconds(&report, 0) - 0.27).abs() < 0.002,
        "{}",
        seconds(&report, 0)
    );
    assert!(
        (seconds(&report, 1) - 0.27).abs() < 0.002,
        "{}",
        seconds(&report, 1)
    );
    assert_eq!(report.run.simulated, Nanos::from_millis(320));
}

#[test]
fn nobody_waits_for_the_background() {
    let mut quick = drive(Nanos::from_micros(10));
    quick.ways = 1;
    let mut scenario = two(true, READS);
    scenario.processes[0].script.phases[0].think = Nanos::from_secs(9);
    let report = run_on(&scenario, &mut quick, &testbed());
    assert_eq!(report.processes[0].seconds, None);
    assert_eq!(
        report.run.simulated,
        report.processes[1].start + report.processes[1].seconds.unwrap()
    );
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let text = COPY.replace("1 } }\nwrite", "1 }, sequential = \"10 %\" }\nwrite");
    let scenario = alone(&text);
    let run = |seed| {
        let file = Catalog::default().load("wd-velociraptor-300", &[]).unwrap();
        let mut drive = file.build(&testbed(), RootSeed(1)).unwrap();
        let report = run_scenario(
            &scenario,
            drive.as_mut(),
            &testbed(),
            RootSeed(seed),
            &nobody,
        )
        .unwrap();
        (
            report.run.simulated,
            report.run.counters(),
            report.processes[0].seconds,
        )
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0);
}

#[test]
fn what_does_not_fit_is_an_error_before_anything_runs() {
    let check = |scenario: &Scenario, bytes: u64, testbed: &Testbed| {
        check_scenario(scenario, bytes, testbed)
            .unwrap_err()
            .to_string()
    };
    let gib = 1 << 30;
    let beyond = check(&alone(READS), 6 * gib, &testbed());
    assert!(
        beyond.contains("files `in`") && beyond.contains("smaller `at`"),
        "{beyond}"
    );
    let bare = Testbed {
        os: None,
        ..testbed()
    };
    assert!(check(&alone(COPY), 8 * gib, &bare).contains("[os]"));
    let mut far = testbed();
    let os = far.os.as_mut().unwrap();
    os.file_system.as_mut().unwrap().directory = 8 * gib;
    assert!(check(&alone(COPY), 8 * gib, &far).contains("file system"));
    check_scenario(&alone(READS), 8 * gib, &bare).unwrap();
}

#[test]
fn a_computation_beyond_all_time_is_told_as_one() {
    for speed in [4.2e-5, 1e-9] {
        let slow = testbed_with(Processor {
            speed,
            ..Processor::REFERENCE
        });
        let scenario = alone("cpu = \"7000 min\"\n");
        let error = run_scenario(
            &scenario,
            &mut drive(Nanos::ZERO),
            &slow,
            RootSeed(1),
            &nobody,
        );
        let why = error.unwrap_err().to_string();
        assert!(why.contains("host.cpu_speed"), "{speed}: {why}");
    }
}

#[test]
fn a_drive_that_loses_a_command_or_fails_ends_the_run() {
    let mut lossy = drive(Nanos::from_micros(10));
    lossy.loses = 7;
    let error =
        run_scenario(&alone(READS), &mut lossy, &testbed(), RootSeed(1), &nobody).unwrap_err();
    assert!(matches!(error, DriverError::Stuck { .. }), "{error}");
    let mut worn = drive(Nanos::from_micros(10));
    (worn.fails_from, worn.gives_reasons) = (5, true);
    let error =
        run_scenario(&alone(READS), &mut worn, &testbed(), RootSeed(1), &nobody).unwrap_err();
    assert!(error.to_string().contains("worn out"), "{error}");
}

#[test]
fn programs_that_compute_at_a_time_slow_each_other_down() {
    let of = |processor: Processor| {
        let mut drive = drive(Nanos::ZERO);
        let scenario = two(false, "cpu = \"0.2 s\"\n");
        let report = run_on(&scenario, &mut drive, &testbed_with(processor));
        [0, 1].map(|process| seconds(&report, process))
    };
    let share = Processor {
        sharing: 0.25,
        ..Processor::REFERENCE
    };
    // Alone for 50 ms, then 150 ms take a quarter longer; the second has 50 ms left for itself.
    assert_eq!(of(share), [0.237_5, 0.237_5]);
    let turns = Processor {
        cores: Some(1),
        ..share
    };
    assert_eq!(of(turns), [0.35, 0.35]);
    assert_eq!(of(Processor::REFERENCE), [0.2, 0.2]);
}

#[test]
fn at_the_dirty_limit_programs_take_turns() {
    let of = |scenario: &Scenario| {
        let mut tight = testbed();
        tight.os.as_mut().unwrap().cache.dirty_limit_bytes = 1 << 20;
        let report = run_on(scenario, &mut drive(Nanos::from_millis(1)), &tight);
        let seconds = report.processes.iter().map(|process| process.seconds);
        seconds.map(|s| s.unwrap().as_secs()).collect::<Vec<_>>()
    };
    let write = "write = { files = \"out\", amount = \"50 MiB\", blocks = { \"64 KiB\" = 1 } }\n";
    let [alone] = of(&alone(write))[..] else {
        panic!("one process");
    };
    for shared in of(&two(false, write)) {
        assert!((1.6..2.4).contains(&(shared / alone)), "{shared}, {alone}");
    }
}
