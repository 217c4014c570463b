use super::*;
use ftlab_drive::{Catalog, Kind};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_result::Run;
use ftlab_states::State;
use ftlab_workload::JobFile;

/// A drive of generic flash, an eighth as large.
const SETTINGS: [&str; 1] = ["nand.blocks_per_die=64"];

fn plan(tests: &[Test], settings: Settings, scale: Option<f64>) -> Pts {
    let set = SETTINGS.map(str::to_owned);
    Pts {
        drives: vec![
            Catalog::default()
                .load("generic-mlc-8", &set)
                .unwrap()
                .into(),
        ],
        tests: tests.to_vec(),
        settings,
        scale: scale.and_then(Scale::of),
        testbed: Some(Testbed::load("anandtech-2013").unwrap()),
        seed: RootSeed(1),
    }
}

/// The same of a drive of NVMe with TLC and a cache of SLC, of 150 MB.
fn of_today(tests: &[Test], settings: Settings, more: &[&str]) -> Pts {
    const SMALL: [&str; 6] = [
        "nand.blocks_per_die=128",
        "nand.pages_per_block=6",
        "map.dram=1MiB",
        "spare.user_capacity=150MB",
        "slc.own_size=1MB",
        "slc.more_size=8MB",
    ];
    let set: Vec<String> = SMALL.iter().chain(more).map(ToString::to_string).collect();
    Pts {
        drives: vec![
            Catalog::default()
                .load("generic-nvme-tlc-8", &set)
                .unwrap()
                .into(),
        ],
        testbed: Some(Testbed::load("linux-2024-nvme").unwrap()),
        ..plan(tests, settings, None)
    }
}

/// All of the drive, with the cache on: what the drive's states are prepared with.
fn whole() -> Settings {
    Settings {
        active_range_pct: 100,
        ..CLIENT
    }
}

fn set_of(plan: &Pts, threads: usize) -> ResultSet {
    let asked = plan.clone().batch().unwrap();
    let lab = ftlab_lab::Lab::new(threads, u64::MAX).unwrap();
    let ends = ask::run(&asked, &lab, &|_, _| Ok(())).unwrap();
    assert!(ends.error(0..asked.cells().len()).is_none());
    asked.set(&ends, "")
}

fn run_of(plan: &Pts) -> Run {
    let mut set = set_of(plan, 2);
    assert_eq!(set.runs.len(), 1);
    set.runs.remove(0)
}

/// IOPS of random writes of 4 KiB on the drive in the state `steady`, as many outstanding.
fn iops_of_state(plan: &Pts) -> f64 {
    let file = plan.drives[0].first();
    assert_eq!(file.kind(), Kind::Ssd);
    let mut device = file
        .build(plan.testbed.as_ref().unwrap(), RootSeed(7))
        .unwrap();
    ftlab_states::prepare(device.as_mut(), State::New, State::Steady, RootSeed(7)).unwrap();
    let job =
        "[w]\nrw=randwrite\nnorandommap\nbs=4k\niodepth=32\ntime_based\nruntime=10\nramp_time=1";
    let job = JobFile::parse(job, "steady.fio").unwrap();
    let report = driver::run(&job, device.as_mut(), Clock::Timed, RootSeed(7)).unwrap();
    ftlab_play::record::Record::of(&report).run.metrics["iops"]
}

#[test]
fn steady_iops_are_those_of_the_steady_state() {
    let plan = plan(&[Test::HostIdleRecovery], whole(), None);
    let state = iops_of_state(&plan);
    let run = run_of(&plan);
    let near = |iops: f64| (iops / state - 1.0).abs() < 0.1;
    let pts = run.pts.unwrap();
    let steady = pts.steady.unwrap();
    let tracked = &steady.tracking[0];
    assert!(near(tracked.mean), "{tracked:?}: {state}");
    assert!(tracked.is_steady && steady.reached == Some(steady.rounds));
    // Nothing of this drive works in pauses.
    assert_eq!(pts.courses.len(), 10);
    assert!(
        near(run.metrics["idle_50s_iops"]),
        "{:?}: {state}",
        run.metrics
    );
}

#[test]
fn write_saturation_begins_fresh_and_ends_with_four_capacities() {
    let plan = plan(&[Test::WriteSaturation], whole(), None);
    let run = run_of(&plan);
    let metric = |name: &str| run.metrics[name];
    assert!(
        metric("fresh_iops") > 3.0 * metric("iops"),
        "{:?}",
        run.metrics
    );
    let course = &run.pts.as_ref().unwrap().courses[0].points;
    let capacity = plan.drives[0].capacity_bytes();
    let written = course.last().unwrap().written_bytes;
    let enough = 4 * capacity;
    assert!(
        (enough..enough + capacity / 25).contains(&written),
        "{written}"
    );
}

/// Write saturation uses up the cache of a drive of today; behind it are cells that take many times as long. The drive is so large
/// that it is not full after the first sample.
#[test]
fn a_drive_of_today_saturates_behind_its_cache() {
    let larger = [
        "nand.t_program=2ms",
        "nand.blocks_per_die=512",
        "spare.user_capacity=600MB",
        "slc.own_size=4MB",
        "slc.more_size=32MB",
    ];
    let run = run_of(&of_today(&[Test::WriteSaturation], CLIENT, &larger));
    let metric = |name: &str| run.metrics[name];
    assert!(
        metric("fresh_iops") > 1.5 * metric("iops"),
        "{:?}",
        run.metrics
    );
}

/// The specification turns off a write cache that a power cut empties, and one with capacitors is none.
#[test]
fn a_drive_with_capacitors_answers_from_its_buffer_in_the_enterprise_class() {
    let latency_ms = |settings: &[&str]| {
        let run = run_of(&of_today(&[Test::Latency], ENTERPRISE, settings));
        let pts = run.pts.unwrap();
        pts.steady.unwrap().tracking[0].mean
    };
    let (kept, lost) = (latency_ms(&["power_loss.capacitors=1"]), latency_ms(&[]));
    assert!(
        10.0 * kept < lost,
        "{kept} ms with capacitors, {lost} without"
    );
}

#[test]
fn the_iops_test_is_a_matrix_over_its_window() {
    let run = run_of(&plan(&[Test::Iops], CLIENT, Some(800.0)));
    let pts = run.pts.unwrap();
    assert_eq!(pts.cells.len(), 56);
    let steady = pts.steady.unwrap();
    assert_eq!(steady.tracking.len(), 3);
    assert!(steady.window_last == steady.rounds && steady.window_first + 4 == steady.rounds);
    for cell in &pts.cells {
        assert_eq!(cell.rounds.len() as u32, steady.rounds);
        let window = &cell.rounds[cell.rounds.len() - 5..];
        let mean = window.iter().map(|rate| rate.iops).sum::<f64>() / 5.0;
        assert!(
            (cell.mean.iops - mean).abs() < 1e-9 && mean > 0.0,
            "{cell:?}"
        );
        let bytes_s = cell.mean.iops * cell.block_bytes as f64;
        assert!((bytes_s / 1e6 / cell.mean.mb_s - 1.0).abs() < 1e-6);
    }
    let of = |read, block| {
        let is_it = |cell: &&Access| (cell.read_pct, cell.block_bytes) == (read, block);
        pts.cells.iter().find(is_it).unwrap().mean.iops
    };
    assert_eq!(run.metrics["iops"], of(0, 4096));
    assert!(of(100, 4096) > of(65, 4096) && of(65, 4096) > of(0, 4096));
    assert!(of(0, 4096) > of(0, 65536) && of(0, 65536) > of(0, 1 << 20));
    assert_eq!(pts.scale.divisor, 800.0);
    assert!(!pts.scale.words.is_empty());
}

#[test]
fn a_scaled_stretch_writes_as_much_as_one_with_time() {
    let plan = plan(&[], CLIENT, None);
    let file = plan.drives[0].first();
    let load = subject::Load {
        random: true,
        read_pct: 35,
        block_bytes: 4096,
        outstanding: 32,
    };
    let length = subject::Length::Span(ftlab_base::Nanos::from_secs(4));
    let nobody = &ftlab_states::watch::nobody;
    let stretch = |scale: Scale| {
        let device = file
            .build(plan.testbed.as_ref().unwrap(), RootSeed(1))
            .unwrap();
        let mut subject = Subject::new(file, nobody, device, &plan.settings, scale, RootSeed(2));
        subject.precondition().unwrap();
        let before = subject.written_bytes;
        let rate = subject.stretch(load, length).unwrap();
        assert_eq!(subject.elapsed_s, 4.0);
        (rate.iops, (subject.written_bytes - before) as f64)
    };
    let (standard, scaled) = (stretch(Scale::STANDARD), stretch(Scale::of(10.0).unwrap()));
    assert!(
        (scaled.0 / standard.0 - 1.0).abs() < 0.05,
        "{standard:?} {scaled:?}"
    );
    assert!(
        (scaled.1 / standard.1 - 1.0).abs() < 0.05,
        "{standard:?} {scaled:?}"
    );
    let sheet = Scale::STANDARD.sheet(vec!["shorter".to_owned()]);
    assert_eq!((sheet.minute_s, sheet.counted_s), (60.0, 60.0));
    assert!(sheet.words.is_empty());
}

#[test]
fn without_its_cache_a_drive_takes_as_long_as_a_program() {
    let latency = |settings: Settings| {
        let run = run_of(&plan(&[Test::Latency], settings, Some(200.0)));
        run.metrics["lat_avg_ms"]
    };
    let off = latency(ENTERPRISE);
    assert!(off > 0.9, "{off} ms, of which a program takes 0.9");
    assert!(latency(CLIENT) < off / 3.0);
}

#[test]
fn a_load_in_order_goes_on_where_it_ended_and_recovers() {
    let run = run_of(&plan(&[Test::CrossStimulusRecovery], whole(), None));
    let metric = |name: &str| run.metrics[name];
    assert!(
        metric("random_mb_s") < 0.6 * metric("mb_s"),
        "{:?}",
        run.metrics
    );
    assert!(
        metric("again_mb_s") > 0.9 * metric("mb_s"),
        "{:?}",
        run.metrics
    );
    // All of the drive has to be written in order again, and hardly more.
    let capacity_gb = 0.95;
    let recovery = metric("recovery_gb");
    assert!(
        (0.3 * capacity_gb..2.0 * capacity_gb).contains(&recovery),
        "{recovery} GB"
    );
}

#[test]
fn threads_and_other_tests_change_no_run() {
    let tests = [Test::Latency, Test::Throughput];
    let both = set_of(&plan(&tests, CLIENT, Some(400.0)), 2);
    let alone = set_of(&plan(&tests[1..], CLIENT, Some(400.0)), 1);
    assert_eq!(both.runs.len(), 3);
    assert_eq!(both.runs[1..], alone.runs[..]);
}

#[test]
fn what_has_no_flash_is_refused() {
    let mut disk = plan(&[Test::Latency], CLIENT, None);
    disk.drives = vec![
        Catalog::default()
            .load("seagate-momentus-7200.2", &[])
            .unwrap()
            .into(),
    ];
    let asked = disk.batch().unwrap();
    let lab = ftlab_lab::Lab::new(1, u64::MAX).unwrap();
    let ends = ask::run(&asked, &lab, &|_, _| Ok(())).unwrap();
    let refused = ends.error(0..1).unwrap().to_string();
    assert!(refused.contains("no flash to erase"), "{refused}");
}

#[test]
fn a_smaller_form_of_a_drive_is_as_steady_and_says_what_it_is() {
    let whole = plan(&[Test::Latency], ENTERPRISE, None);
    let bytes = whole.drives[0].capacity_bytes() / 4;
    let small = Pts {
        drives: Drive::fit(whole.drives.clone(), Some(bytes)).unwrap(),
        ..whole.clone()
    };
    assert!(small.drives[0].capacity_bytes() <= bytes);
    let (whole, small) = (run_of(&whole), run_of(&small));
    for (name, of_whole) in &whole.metrics {
        let ratio = small.metrics[name] / of_whole;
        // Long latencies are chance in half a second.
        let is_mean = !name.contains("max") && !name.contains("p99");
        assert!(!is_mean || (0.85..1.15).contains(&ratio), "{name}: {ratio}");
    }
    assert!(whole.notes.is_empty());
    assert!(
        small.notes[0].contains("fewer pages than the drive's"),
        "{:?}",
        small.notes
    );
}
