//! Writes that are there as a whole or not at all when the power goes: what a drive refuses, and what a database saves.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::{Catalog, Device};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, RunReport};
use ftlab_play::embedded::JOBS;
use ftlab_states::State;
use ftlab_workload::JobFile;

const SEED: RootSeed = RootSeed(1);

fn new_drive() -> Box<dyn Device> {
    let file = Catalog::default().load("generic-nvme-tlc-8", &[]).unwrap();
    let testbed = Testbed::load("linux-2024-nvme").unwrap();
    file.build(&testbed, SEED).unwrap()
}

fn refusal(more: &str) -> String {
    let text = format!("[j]\nrw=randwrite\nio_size=1m\natomic=1\n{more}\n");
    let job = JobFile::parse(&text, "a.fio").unwrap();
    let ran = driver::run(&job, &mut *new_drive(), Clock::Timed, SEED);
    ran.map_or_else(|why| why.to_string(), |_| String::new())
}

#[test]
fn writes_beyond_the_drives_unit_are_refused_in_words() {
    let why = refusal("bs=16k");
    let told = "atomic=1: its writes have up to 16384 bytes, and the drive writes 4096 as a whole when the power goes \
                (power_loss.atomic_write); give bs=4096 or less";
    assert!(why.contains(told), "{why}");
    for across in [
        "bs=3k",
        "bs=4k\noffset=512",
        "bs=4k\nblockalign=512",
        "bsrange=1k-4k",
    ] {
        let why = refusal(across);
        assert!(
            why.contains("writes must be of one size that is a power of two"),
            "{across}: {why}"
        );
    }
    for whole in ["bs=4k", "bs=2k", "bs=4k\natomic=0\nbs=64k"] {
        assert_eq!(refusal(whole), "", "{whole}");
    }
}

/// Writes a second of a job file that comes along, on a drive that was filled.
fn writes_per_s(job: &str) -> f64 {
    let (path, text) = JOBS.find(job).unwrap();
    let file = JobFile::parse(text, &path).unwrap();
    let mut device = new_drive();
    ftlab_states::prepare(&mut *device, State::New, State::Filled, SEED).unwrap();
    let report: RunReport = driver::run(&file, &mut *device, Clock::Timed, SEED).unwrap();
    let pages = &report.jobs[0];
    pages.direction(CommandKind::Write).ios as f64 / pages.measured.as_secs()
}

/// A doublewrite buffer writes every page twice and flushes twice as often, so that half of the pages a second are left. What is
/// written to it again and again collects more cheaply, which gives some of it back.
#[test]
fn a_doublewrite_buffer_costs_half_of_the_pages() {
    let atomic = writes_per_s("pages-4k-atomic");
    let twice = writes_per_s("pages-4k-doublewrite") / 2.0;
    let ratio = atomic / twice;
    assert!(
        (1.5..2.1).contains(&ratio),
        "{atomic} and {twice} pages a second"
    );
}
