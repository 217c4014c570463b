//! Words of jobs that look at the drive, at other jobs, or wait: on a drive of 100 µs a command.

use super::*;
use ftlab_states::{State, prepare};

fn ended_s(report: &RunReport) -> f64 {
    report.simulated.as_secs()
}

#[test]
fn a_failure_that_is_allowed_does_not_end_the_job() {
    let mut device = fake();
    device.fails_from = 50;
    let job = |words: &str| {
        let job = format!("[w]\nrw=write\nnumber_ios=100\n{words}");
        [Clock::Timed, Clock::Untimed].map(|clock| run_on(device.clone(), clock, &job).unwrap())
    };
    for report in job("continue_on_error=write") {
        let done = &report.jobs[0];
        assert_eq!(
            (report.submitted, done.errors, done.tolerated),
            (100, 50, 50)
        );
        assert_eq!(writes(&report, 0).ios, 50);
    }
    for report in job("ignore_error=,EIO:28") {
        assert_eq!(report.jobs[0].tolerated, 50);
    }
    for report in job("continue_on_error=read") {
        let done = &report.jobs[0];
        assert_eq!((done.errors, done.tolerated), (1, 0));
        assert!(report.submitted < 60);
    }
}

#[test]
fn the_end_of_a_job_may_end_others() {
    let jobs = |what: &str| {
        format!(
            "[global]\nrw=write\nsize=16m\n[a]\nnumber_ios=10\nexitall\nexit_what={what}\n[b]\nio_size=1g\n[c]\nstonewall\n\
             number_ios=5"
        )
    };
    for clock in [Clock::Timed, Clock::Untimed] {
        let of = |what| run_on(fake(), clock, &jobs(what)).unwrap();
        let group = of("group");
        assert_eq!(writes(&group, 0).ios, 10);
        assert!(
            (9..=12).contains(&writes(&group, 1).ios),
            "{}",
            writes(&group, 1).ios
        );
        assert_eq!(writes(&group, 2).ios, 5);
        let all = of("all");
        assert_eq!((all.jobs.len(), writes(&all, 2).ios), (3, 0));
    }
    // A time that is over ends others as well.
    let by_time = timed(
        "[global]\nrw=write\n[a]\ntime_based\nruntime=1\nexitall\n[b]\ntime_based\nruntime=9",
    );
    assert!((ended_s(&by_time) - 1.0).abs() < 0.001);
}

#[test]
fn a_job_waits_for_another() {
    let job = "[global]\nrw=write\nsize=16m\n[a]\nnumber_ios=10\n[b]\nwait_for=a\nnumber_ios=10\nstartdelay=1\n[c]\nnumber_ios=10";
    let report = timed(job);
    let from = |n: usize| report.jobs[n].measured_from;
    assert_eq!(from(0), SimTime::ZERO);
    // The first and the third share the drive: ten requests of each.
    // As in fio, its delay is counted from the beginning of all jobs, and a rest from when its turn has come.
    assert_eq!(from(1), SimTime(1_000_000_000));
    let rested = timed(&job.replace("startdelay=1", "exec_prerun=sleep 1"));
    assert_eq!(rested.jobs[1].measured_from, SimTime(1_001_900_000));
    assert_eq!(writes(&report, 1).ios, 10);
    let untimed = run_on(fake(), Clock::Untimed, job).unwrap();
    assert!((0..3).all(|n| writes(&untimed, n).ios == 10));
}

#[test]
fn jobs_of_a_flow_keep_their_proportion() {
    let weights = "[global]\nrw=write\nnorandommap\ntime_based\nruntime=1\niodepth=4\n[a]\nflow=3\n[b]\nflow=1\n";
    for sleep in ["", "flow_sleep=100\n"] {
        let report = timed(&weights.replace("iodepth", &format!("{sleep}iodepth")));
        let [three, one] = [0, 1].map(|n| writes(&report, n).ios as f64);
        assert!((three / one - 3.0).abs() < 0.02, "{three} and {one}");
    }
}

#[test]
fn requests_may_come_at_random_at_their_rate() {
    let of = |process: &str| {
        let report = timed(&format!(
            "[w]\nrw=randwrite\nnorandommap\niodepth=64\nrate_iops=1000\ntime_based\nruntime=100\n{process}"
        ));
        let seconds: Vec<f64> = writes(&report, 0)
            .series
            .iter()
            .map(|s| s.ios as f64)
            .collect();
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        let variance = seconds.iter().map(|s| (s - mean).powi(2)).sum::<f64>();
        (mean, variance / seconds.len() as f64)
    };
    let (mean, variance) = of("rate_process=poisson");
    assert!((mean - 1000.0).abs() < 15.0, "{mean}");
    // As large as the mean, within what a hundred seconds tell.
    assert!((500.0..1_700.0).contains(&variance), "{variance}");
    assert!(of("").1 < 2.0);
}

#[test]
fn pauses_need_not_be_made_up_for() {
    let of = |words: &str| {
        let job = format!(
            "[w]\nrw=write\nrate_iops=1000\nthinktime=500000\nthinktime_blocks=100\ntime_based\nruntime=10\n{words}"
        );
        writes(&timed(&job), 0).ios
    };
    // A hundred at full speed between two pauses, or a hundred at their rate.
    assert!((1_950..=2_000).contains(&of("")), "{}", of(""));
    let excused = of("rate_ignore_thinktime");
    assert!((1_650..=1_750).contains(&excused), "{excused}");
}

#[test]
fn pauses_may_come_by_time() {
    let report = timed("[w]\nrw=write\nthinktime=1s\nthinktime_iotime=1s\ntime_based\nruntime=10");
    let all = writes(&report, 0).ios;
    assert!((49_000..=51_000).contains(&all), "{all}");
}

#[test]
fn a_job_fails_by_a_limit_that_the_drive_does_not_keep() {
    for (words, ends_s) in [
        ("rate_iops_min=20000", 3.0),
        ("rate_min=100m\nratecycle=500", 2.5),
        ("max_latency=50", 0.0),
        ("latency_target=50\nlatency_window=1000", 0.0),
    ] {
        let report = timed(&format!("[w]\nrw=write\ntime_based\nruntime=20\n{words}"));
        let done = &report.jobs[0];
        assert!(done.missed.is_some() && done.errors == 1, "{words}");
        assert!(
            (ended_s(&report) - ends_s).abs() < 0.01,
            "{words}: {}",
            ended_s(&report)
        );
    }
    let kept = timed("[w]\nrw=write\ntime_based\nruntime=5\nrate_iops_min=9000\nmax_latency=100");
    assert_eq!((kept.jobs[0].errors, &kept.jobs[0].missed), (0, &None));
}

#[test]
fn the_depth_is_found_at_which_latencies_are_met() {
    let report = timed(
        "[w]\nrw=randwrite\nnorandommap\niodepth=64\ntime_based\nruntime=600\nlatency_target=750\nlatency_window=100ms\n\
         latency_percentile=99",
    );
    let done = &report.jobs[0];
    assert_eq!(done.iodepth, 7);
    assert!(ended_s(&report) < 5.0, "{}", ended_s(&report));
    let latency = writes(&report, 0).latency().unwrap();
    assert!(
        latency.max() <= Nanos::from_micros(700),
        "only the depth that was found counts"
    );
}

#[test]
fn a_job_ends_when_it_is_steady() {
    let words = "[w]\nrw=write\ntime_based\nruntime=600\nnumjobs=2\ngroup_reporting\nss=iops:2%\nss_dur=5\nss_ramp=1";
    let report = timed(words);
    assert!(report.jobs.iter().all(|job| job.is_steady));
    assert!(
        (ended_s(&report) - 7.0).abs() < 0.01,
        "{}",
        ended_s(&report)
    );
}

#[test]
fn a_start_may_be_drawn() {
    let report = timed("[w]\nrw=write\nnumber_ios=10\nstartdelay=1-3\nnumjobs=8");
    let from: Vec<f64> = report
        .jobs
        .iter()
        .map(|job| job.measured_from.0 as f64 / 1e9)
        .collect();
    assert!(from.iter().all(|at| (1.0..=3.0).contains(at)), "{from:?}");
    let spread = from.iter().fold(0.0_f64, |most, at| most.max(*at)) - from[0];
    assert!(spread > 0.1, "{from:?}");
}

#[test]
fn the_wait_before_the_first_job_is_a_pause_to_the_drive() {
    let programs = |delay: u64| {
        let settings = [
            "nand.blocks_per_die=64",
            "gc.ahead=2",
            "gc.idle_after=100ms",
        ]
        .map(str::to_owned);
        let drive = Catalog::default().load("generic-mlc-8", &settings).unwrap();
        let testbed = Testbed::load("anandtech-2012").unwrap();
        let mut device = drive.build(&testbed, RootSeed(1)).unwrap();
        prepare(device.as_mut(), State::New, State::Used, RootSeed(1)).unwrap();
        let job = format!("[r]\nrw=read\nnumber_ios=1\nstartdelay={delay}");
        let file = JobFile::parse(&job, "test.fio").unwrap();
        let before = device.counters().nand_bytes_programmed;
        run(&file, device.as_mut(), Clock::Timed, RootSeed(1)).unwrap();
        device.counters().nand_bytes_programmed - before
    };
    assert_eq!(programs(0), 0);
    assert!(programs(60) > 0, "it collects while nobody asks");
}

#[test]
fn a_synchronous_write_takes_as_long_as_its_flush() {
    let flushes = |report: &RunReport| report.jobs[0].direction(CommandKind::Flush).ios;
    for (depth, micros) in [(1, 200), (4, 800)] {
        let job = format!("[w]\nrw=write\nsync=1\niodepth={depth}\nnumber_ios=1000");
        let report = timed(&job);
        let latency = writes(&report, 0).latency().unwrap();
        assert_eq!(latency.percentile(50.0), Nanos::from_micros(micros));
        let in_flight = writes(&report, 0).ios as f64 * latency.mean_ns();
        let in_flight = in_flight / report.jobs[0].measured.0 as f64;
        assert!(
            (in_flight / f64::from(depth) - 1.0).abs() < 0.01,
            "{in_flight}"
        );
        // The drive has had both.
        assert_eq!((report.submitted, flushes(&report)), (2_000, 0));
        let untimed = run_on(fake(), Clock::Untimed, &job).unwrap();
        assert_eq!((untimed.submitted, flushes(&untimed)), (2_000, 0));
    }
    // With fsync the flush is a call of its own.
    let apart = timed("[w]\nrw=write\nfsync=1\nnumber_ios=1000");
    let latency = writes(&apart, 0).latency().unwrap();
    assert_eq!(latency.max(), Nanos::from_micros(100));
    assert_eq!(flushes(&apart), 999);
}

#[test]
fn the_last_flush_is_of_the_time_and_of_no_latency() {
    for words in ["number_ios=10", "time_based\nruntime=1ms"] {
        let report = timed(&format!("[w]\nrw=write\nend_fsync=1\n{words}"));
        let done = &report.jobs[0];
        assert_eq!(done.direction(CommandKind::Flush).ios, 0, "{words}");
        assert_eq!(done.measured, Nanos::from_micros(1_100), "{words}");
        assert_eq!(report.completed, 11, "{words}");
    }
}

#[test]
fn each_direction_has_a_cap_of_its_own() {
    let rates = |words: &str| {
        let report = timed(&format!(
            "[m]\nrw=randrw\nnorandommap\ntime_based\nruntime=20\n{words}"
        ));
        let rate = |kind| report.jobs[0].direction(kind).ios as f64 / 20.0;
        [rate(CommandKind::Read), rate(CommandKind::Write)]
    };
    let near = |got: [f64; 2], want: [f64; 2], within: f64| {
        let off = got
            .iter()
            .zip(want)
            .map(|(got, want)| (got / want - 1.0).abs());
        assert!(off.fold(0.0, f64::max) <= within, "{got:?} for {want:?}");
    };
    near(rates("rate=900k,100k"), [225.0, 25.0], 0.01);
    near(rates("rate=100k,900k"), [25.0, 225.0], 0.01);
    near(rates("rate_iops=90,10"), [90.0, 10.0], 0.01);
    // Writes are held back and reads have all that is left of 10,000 a second.
    near(rates("rate=,200k"), [9_950.0, 50.0], 0.01);
    near(rates("rate_iops=,30\nrwmixread=70"), [9_970.0, 30.0], 0.01);
    near(rates("rate_iops=40,\nrwmixread=20"), [40.0, 9_960.0], 0.01);
    // Where nothing is held back, the mix decides.
    near(
        rates("rate_iops=90000,90000\nrwmixread=70"),
        [7_000.0, 3_000.0],
        0.03,
    );
    near(
        rates("rate=900k,100k\nrate_process=poisson"),
        [225.0, 25.0],
        0.15,
    );
    near(
        rates("rate=900k,100k\nbssplit=4k/50:8k/50,4k"),
        [150.0, 25.0],
        0.02,
    );
    // fio counts requests by the smallest.
    near(
        rates("rate_iops=300,100\nbssplit=4k/50:8k/50,4k"),
        [200.0, 100.0],
        0.02,
    );
}

#[test]
fn a_full_queue_may_be_refilled_in_batches() {
    let of = |words: &str| {
        let report = timed(&format!(
            "[r]\nrw=randread\nnorandommap\niodepth=8\nnumber_ios=800\n{words}"
        ));
        let reads = report.jobs[0].direction(CommandKind::Read);
        let mean = reads.latency().unwrap().mean_ns() / 1000.0;
        (mean, report.jobs[0].depths)
    };
    let (mean, depths) = of("");
    assert!(
        (mean - 800.0).abs() < 20.0 && depths[3] > 790,
        "{mean} {depths:?}"
    );
    // From empty to full each time: 1 to 8 in turn.
    let (mean, depths) = of("iodepth_low=0\niodepth_low=1\niodepth_batch_complete_min=7");
    assert!(depths[3] < 130 && mean > 600.0, "{mean} {depths:?}");
    // Four at a time, all with the last of them.
    let (mean, _) = of("iodepth_batch_complete_min=4");
    assert!((mean - 800.0).abs() < 20.0, "{mean}");
}

#[test]
fn a_synchronous_engine_has_one_request_outstanding() {
    let depth =
        |engine: &str| timed(&format!("[r]\niodepth=8\nnumber_ios=80\n{engine}")).jobs[0].iodepth;
    assert_eq!(
        ["ioengine=psync", "ioengine=libaio", ""].map(depth),
        [1, 8, 8]
    );
}

/// A writer whose bytes are looked at afterwards.
#[derive(Clone, Default)]
struct Written(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn files_without_a_name_lie_end_to_end() {
    let report = timed("[w]\nrw=write\nbs=4k\nsize=1m\nnrfiles=4\nwrite_iolog=log");
    assert_eq!(writes(&report, 0).ios, 256);
    let iolog = report.jobs[0].iolog.as_ref().unwrap();
    let written = Written::default();
    iolog
        .write(&["d".to_owned()], Box::new(written.clone()))
        .unwrap();
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let places = text.lines().filter(|line| line.contains(" write "));
    let places = places.take(5).map(|line| line.split(' ').nth(3).unwrap());
    assert_eq!(
        places.collect::<Vec<_>>(),
        ["0", "262144", "524288", "786432", "4096"]
    );
}
