//! Jobs whose requests go through pages in the memory of a host.

use super::*;

/// A host whose calls in memory take a microsecond, with this dirty limit, a background limit and an interval.
fn host(limit_bytes: u64, background_bytes: Option<u64>, interval: Nanos) -> Testbed {
    let mut host = Testbed::load("linux-2024-sync").unwrap();
    let cache = &mut host.os.as_mut().unwrap().cache;
    assert_eq!(cache.memory_call, Some(Nanos::from_micros(1)));
    cache.dirty_limit_bytes = limit_bytes;
    cache.dirty_background_bytes = background_bytes;
    cache.lazy_writer_interval = interval;
    host
}

fn large() -> Testbed {
    host(1 << 30, None, Nanos::from_secs(30))
}

fn run_behind(host: &Testbed, clock: Clock, job: &str) -> RunReport {
    let file = JobFile::parse(job, "test.fio").unwrap();
    let mut device = fake();
    let mut target = Target::one(&mut device).on(host);
    super::super::run_on(&file, &mut target, clock, RootSeed(1), &watch::nobody).unwrap()
}

fn latency_us(report: &RunReport, job: usize, kind: CommandKind) -> (u64, u64) {
    let latency = report.jobs[job].direction(kind).latency().unwrap();
    (latency.min().0 / 1000, latency.max().0 / 1000)
}

#[test]
fn a_flush_writes_the_pages_that_have_changed() {
    let job = "[wal]\nioengine=sync\nrw=write\nbs=2300\nsize=230000\nfdatasync=1";
    for clock in [Clock::Timed, Clock::Untimed] {
        let report = run_behind(&large(), clock, job);
        let written = report.jobs[0].direction(CommandKind::Write);
        assert_eq!((written.ios, written.bytes), (100, 230_000));
        assert_eq!(report.jobs[0].direction(CommandKind::Flush).ios, 99);
        // Each write lies in one page, or in two, of 4 KiB.
        let pages = |n: u64| (n * 2300 + 2299) / 4096 - n * 2300 / 4096 + 1;
        let pages: u64 = (0..100).map(pages).sum();
        assert_eq!(report.counters().host_bytes_written, pages * 4096);
        if clock == Clock::Timed {
            // The pages, and then the flush.
            assert_eq!(latency_us(&report, 0, CommandKind::Flush), (200, 200));
            assert_eq!(latency_us(&report, 0, CommandKind::Write), (1, 1));
        }
    }
    // A synchronous write is over when its pages are on the drive.
    let sync = "[wal]\nrw=write\nbs=2300\nsize=23000\nsync=1";
    let sync = run_behind(&large(), Clock::Timed, sync);
    assert_eq!(latency_us(&sync, 0, CommandKind::Write), (200, 200));
}

#[test]
fn a_read_brings_the_pages_that_are_not_in_memory() {
    let reads = "[r]\nrw=read\nbs=2048\nbssplit=1000/50:3096/50\nsize=8k\nloops=2";
    let report = run_behind(&large(), Clock::Timed, reads);
    let read = report.jobs[0].direction(CommandKind::Read);
    assert_eq!(report.counters().host_ios, 2, "{} calls", read.ios);
    assert_eq!(latency_us(&report, 0, CommandKind::Read), (1, 100));
}

#[test]
fn what_nobody_flushes_is_written_behind_the_job() {
    let lazy = "[log]\nrw=write\nbs=100\nsize=8k";
    for more in ["", "\ntime_based\nruntime=1s\nnumber_ios=81"] {
        let lazy = run_behind(&large(), Clock::Timed, &format!("{lazy}{more}"));
        // 81 writes of 100 bytes lie in the file whole.
        assert_eq!(lazy.counters().host_bytes_written, 8192);
        if more.is_empty() {
            assert_eq!(lazy.jobs[0].measured, Nanos::from_micros(81));
        }
    }
}

#[test]
fn the_lazy_writer_comes_once_an_interval_and_above_the_background_limit() {
    // A write each 10 ms, for 1 s: the first page is changed 40 times.
    let job = "[log]\nrw=write\nbs=100\nsize=10000\nthinktime=10ms";
    let at_end = run_behind(&large(), Clock::Timed, job);
    assert_eq!(at_end.counters().host_bytes_written, 3 * 4096);
    let interval = host(1 << 30, None, Nanos::from_millis(250));
    let by_interval = run_behind(&interval, Clock::Timed, job);
    // 2,500, 5,000, 7,500 and 10,000 bytes: one page, two, one and two.
    assert_eq!(by_interval.counters().host_bytes_written, 6 * 4096);
    let background = host(1 << 30, Some(4096), Nanos::from_secs(30));
    let above = run_behind(&background, Clock::Timed, job);
    assert_eq!(above.counters().host_bytes_written, 5 * 4096);
}

#[test]
fn a_write_waits_at_the_dirty_limit() {
    // The drive takes 100 us for what the lazy writer brings it.
    let job = "[w]\nrw=write\nbs=4000\nsize=800000";
    let free = run_behind(&large(), Clock::Timed, job);
    assert_eq!(latency_us(&free, 0, CommandKind::Write), (1, 1));
    let tight = host(16 * 4096, None, Nanos::from_secs(30));
    for clock in [Clock::Timed, Clock::Untimed] {
        let report = run_behind(&tight, clock, job);
        // 196 pages; one that is changed again behind the lazy writer is written again.
        let pages = report.counters().host_bytes_written / 4096;
        assert!((196..=220).contains(&pages), "{pages}");
        if clock == Clock::Timed {
            let (least, most) = latency_us(&report, 0, CommandKind::Write);
            assert!(least == 1 && most > 100, "{least} to {most} us");
        }
    }
}

#[test]
fn jobs_on_a_drive_share_its_pages_and_a_flush_is_of_all() {
    let jobs = "[a]\nrw=write\nbs=100\nsize=100\n\n[b]\nrw=write\nbs=100\nsize=200\nstartdelay=1ms\nfsync=1";
    let report = run_behind(&large(), Clock::Timed, jobs);
    // One page, which both change, for each write of b.
    assert_eq!(report.counters().host_bytes_written, 2 * 4096);
}

#[test]
fn a_host_without_pages_in_memory_is_refused() {
    let file = JobFile::parse("[w]\nrw=write\nbs=2300\nsize=23000", "test.fio").unwrap();
    let error = |machine: &str| {
        let machine = Testbed::load(machine).unwrap();
        let shape = DeviceShape::plain(1 << 30);
        let error = super::super::check(&file, &[shape], &machine, Clock::Timed).unwrap_err();
        assert!(error.is_input());
        error.to_string()
    };
    assert!(error("spdk-2024").contains("take a testbed whose [os] section has memory_call"));
    let direct = JobFile::parse("[w]\nbs=2300\ndirect=1", "test.fio").unwrap_err();
    assert!(direct.to_string().contains("give bs=2560"), "{direct}");
}
