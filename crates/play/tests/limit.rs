//! Volumes of clouds: what their users get of them is what their makers promise.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, JobReport, RunReport};
use ftlab_workload::JobFile;

const SEED: RootSeed = RootSeed(1);

fn run(drive: &str, job: &str) -> RunReport {
    run_jobs(drive, &format!("[j]\nnorandommap\ntime_based\n{job}\n"))
}

fn run_jobs(drive: &str, text: &str) -> RunReport {
    let file = Catalog::default().load(drive, &[]).unwrap();
    let testbed = Testbed::load("linux-2024-nvme").unwrap();
    let mut device = file.build(&testbed, SEED).unwrap();
    let job = JobFile::parse(text, "limit.fio").unwrap();
    driver::run(&job, &mut *device, Clock::Timed, SEED).unwrap()
}

/// Requests a second of one kind, over the time that counts.
fn iops(drive: &str, kind: CommandKind, job: &str) -> f64 {
    let report = run(drive, job);
    let job = &report.jobs[0];
    job.direction(kind).ios as f64 / (job.measured.0 as f64 / 1e9)
}

fn assert_near(got: f64, want: f64, what: &str) {
    assert!((got / want - 1.0).abs() < 0.01, "{what}: {got} for {want}");
}

#[test]
fn a_volume_gives_its_operations_and_its_bytes_and_no_more() {
    let gp3 = "aws-ebs-gp3-500";
    let small = iops(
        gp3,
        CommandKind::Read,
        "rw=randread\nbs=16k\niodepth=32\nruntime=5",
    );
    assert_near(small, 3000.0, "16 KiB");
    // Beyond 256 KiB a request counts as several, but the bytes are spent long before.
    let large = iops(
        gp3,
        CommandKind::Write,
        "rw=write\nbs=1m\niodepth=8\nruntime=5",
    );
    assert_near(large, 125.0, "1 MiB");
    // One at a time it takes as long as the way there and back.
    let alone = iops(
        gp3,
        CommandKind::Read,
        "rw=randread\nbs=4k\niodepth=1\nruntime=2",
    );
    assert!((1_350.0..1_430.0).contains(&alone), "{alone}");
}

#[test]
fn credit_is_spent_at_the_peak_and_then_the_rate_is_what_comes_in() {
    let gp2 = "aws-ebs-gp2-100";
    let job = "rw=randread\nbs=4k\niodepth=16\nruntime=10";
    assert_near(iops(gp2, CommandKind::Read, job), 3000.0, "with credit");
    // 5.4 million credits at 2,700 a second more than come in last 2,000 seconds.
    let later = format!("{job}\nramp_time=2010");
    assert_near(iops(gp2, CommandKind::Read, &later), 300.0, "without");
    let just_before = format!("{job}\nramp_time=1980");
    assert_near(
        iops(gp2, CommandKind::Read, &just_before),
        3000.0,
        "at last",
    );
}

#[test]
fn requests_in_order_that_wait_together_count_as_one() {
    let (gp3, gp2) = ("aws-ebs-gp3-500", "aws-ebs-gp2-100");
    let job = |rw: &str, bs: &str| format!("rw={rw}\nbs={bs}\niodepth=64\nruntime=5");
    // The bytes of 125 MiB/s bind, not 3,000 operations.
    let in_order = iops(gp3, CommandKind::Read, &job("read", "32k"));
    assert_near(in_order, 4000.0, "gp3 in order");
    let written = iops(gp3, CommandKind::Write, &job("write", "32k"));
    assert_near(written, 4000.0, "gp3 written in order");
    let at_random = iops(gp3, CommandKind::Read, &job("randread", "32k"));
    assert_near(at_random, 3000.0, "gp3 at random");
    // What is smaller than 32 KiB is not merged.
    let small = iops(gp3, CommandKind::Read, &job("read", "16k"));
    assert_near(small, 3000.0, "gp3, 16 KiB in order");
    // 300 operations of 256 KiB, once the credit is spent.
    let after_the_credit = |job: &str| {
        let warm = "[warm]\nrw=randread\nbs=4k\niodepth=64\nruntime=2100";
        let text = format!(
            "[global]\nnorandommap\ntime_based\n{warm}\n[j]\nstonewall\nbs=32k\nruntime=20\n{job}\n"
        );
        let report = run_jobs(gp2, &text);
        let job: &JobReport = &report.jobs[1];
        job.direction(CommandKind::Read).ios as f64 / job.measured.as_secs()
    };
    let in_order = after_the_credit("rw=read\niodepth=64");
    assert_near(in_order, 2400.0, "gp2 in order");
    let at_random = after_the_credit("rw=randread\niodepth=64");
    assert_near(at_random, 300.0, "gp2 at random");
    // There is nothing to merge one at a time with.
    assert_near(after_the_credit("rw=read"), 300.0, "gp2 one at a time");
}

#[test]
fn writes_of_a_local_drive_count_nearly_twice() {
    let local = "gcp-local-ssd-375";
    let job = |rw: &str| format!("rw={rw}\nbs=4k\nsize=1g\niodepth=256\nruntime=2\nramp_time=1");
    let reads = iops(local, CommandKind::Read, &job("randread"));
    assert_near(reads, 170_000.0, "reads");
    let writes = iops(local, CommandKind::Write, &job("randwrite"));
    assert_near(writes, 90_000.0, "writes");
    let bytes = iops(
        local,
        CommandKind::Write,
        "rw=write\nbs=256k\niodepth=32\nruntime=1",
    );
    assert_near(bytes / 4.0, 350.0, "MiB");
}

#[test]
fn a_volume_with_ordered_operations_has_bytes_in_proportion() {
    let io2 = "aws-ebs-io2-500";
    let job = |rw: &str, bs: &str| format!("rw={rw}\nbs={bs}\niodepth=64\nruntime=2");
    let small = iops(io2, CommandKind::Write, &job("randwrite", "16k"));
    assert_near(small, 16_000.0, "16 KiB");
    let large = iops(io2, CommandKind::Read, &job("read", "1m"));
    assert_near(large, 4000.0, "MiB");
}

#[test]
fn credit_of_operations_and_of_bytes_lasts_half_an_hour() {
    let p20 = "azure-premium-ssd-p20-512";
    let rate = |rw: &str, bs: &str, ramp: u64| {
        let job = format!("rw={rw}\nbs={bs}\niodepth=32\nruntime=10\nramp_time={ramp}");
        iops(p20, CommandKind::Read, &job)
    };
    assert_near(rate("randread", "4k", 0), 3500.0, "with credit");
    assert_near(rate("randread", "4k", 1810), 2300.0, "without");
    // Requests of 1 MB: 170 MB/s, and then 150.
    assert_near(rate("read", "1000448", 0), 170.0, "bytes with credit");
    assert_near(rate("read", "1000448", 1810), 150.0, "bytes without");
    let p30 = "azure-premium-ssd-p30-1024";
    let small = "rw=randwrite\nbs=8k\niodepth=64\nruntime=2";
    assert_near(iops(p30, CommandKind::Write, small), 5000.0, "P30");
}

#[test]
fn reads_and_writes_may_share_operations_and_have_bytes_each() {
    let pd = "gcp-pd-ssd-500";
    let of = |job: &str| {
        let report = run(pd, &format!("{job}\niodepth=128\nruntime=2"));
        let job = &report.jobs[0];
        [CommandKind::Read, CommandKind::Write]
            .map(|kind| job.direction(kind).ios as f64 / job.measured.as_secs())
    };
    let [reads, writes] = of("rw=randrw\nbs=4k");
    assert_near(reads + writes, 21_000.0, "operations of both");
    let [reads, _] = of("rw=read\nbs=1m");
    assert_near(reads, 480.0, "MiB read");
    let [reads, writes] = of("rw=rw\nbs=1m");
    assert!(reads + writes > 900.0, "{reads} and {writes} MiB");
}
