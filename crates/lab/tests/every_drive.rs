//! What every drive of the catalogue does is kept request by request, so that faster code cannot change it unseen.
//!
//! A short run with a clock and one without on each drive, used and shrunk, give a sum each: of all operations of the flash
//! in their order, and of the latency of every request in the order of completion. Where the model changes, and with it
//! `MODEL_VERSION`, `FTLAB_KEEP_SUMS=1` writes them anew.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, DriveFile, Kind, default_testbed};
use ftlab_lab::{Devices, How, Length, Subject, data_before, play, testbed};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, What};
use ftlab_play::logs::LogFile;
use ftlab_states::watch;
use ftlab_states::{State, prepare_with};
use rayon::prelude::*;
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a drive at most: enough for collection, wear levelling and caches to be at work.
const BYTES_MAX: u64 = 128 << 20;

/// Requests of all kinds and sizes, with flushes, on all of the drive and on a hot part of it.
const TIMED: &str = "[global]\nnorandommap\nrandrepeat=0\nwrite_lat_log=all\n\
    [mixed]\nrw=randrw\nrwmixread=40\nbssplit=4k/60:16k/25:128k/10:512/5\nblockalign=512\niodepth=32\nfsync=64\n\
    number_ios=2000\nstonewall\n\
    [hot]\nrw=randwrite\nbs=4k\nrandom_distribution=zipf:1.1\niodepth=4\nnumber_ios=2000\nstonewall\n\
    [trims]\nrw=randtrimwrite\nbs=64k\niodepth=8\nnumber_ios=400\nstonewall\n\
    [reads]\nrw=read\nbs=128k\niodepth=2\nnumber_ios=200\nstonewall\n\
    [alone]\nrw=randread\nbs=4k\nnumber_ios=300\nthinktime=2ms\nthinktime_blocks=50\n";

const UNTIMED: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nnumber_ios=20000\n";

/// Random writes of a block map cost hundreds of programs each.
const OF_BLOCKS: &str = "number_ios=400\n";

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/every_drive.csv");

fn sum(file: &DriveFile, text: &str, clock: Clock) -> u64 {
    let small = file.shrunk_to(BYTES_MAX).expect("every drive shrinks").0;
    let machine = testbed(None, default_testbed([&small])).expect("it comes with ftlab");
    let subject = Subject::from(small.clone());
    let text = match small.kind() == Kind::Ssd && small.spare().is_none() {
        true => text
            .replace("number_ios=2000\n", OF_BLOCKS)
            .replace("number_ios=20000\n", OF_BLOCKS),
        false => text.to_owned(),
    };
    let load = Load::of_text(
        "sum",
        &text,
        1,
        What::job(&text, "sum.fio").expect("a job file"),
    );
    let seed = RootSeed(1);
    let mut devices: Devices = subject.build(&machine, seed).expect("it can be built");
    let data = data_before(&small, &load);
    if small.kind() == Kind::Ssd {
        let to = (State::New, State::Used);
        prepare_with(devices[0].as_mut(), to, seed, data, &watch::nobody).expect("it can be used");
    }
    let how = How {
        length: Length::Full,
        clock,
        seed: load.seed(seed),
        has_settled: false,
        watch: &watch::nobody,
    };
    let slug = file.slug();
    let record = play(&load, &subject, &mut devices, &machine, &how)
        .unwrap_or_else(|error| panic!("{slug}: {error}"));
    let mut seen = Vec::new();
    for log in LogFile::all(&record.logs) {
        log.write(&mut seen).expect("memory takes it");
    }
    let inside = record.run.inside();
    seen.extend(format!("{:?}", inside.map(|of| &of.op_stream_hash)).bytes());
    seen.extend(record.run.seconds.to_bits().to_le_bytes());
    xxh3_64(&seen)
}

#[test]
fn every_drive_does_what_it_did() {
    let sums = |slug: &&str| {
        let file = Catalog::default()
            .load(slug, &[])
            .expect("it comes with ftlab");
        let timed = sum(&file, TIMED, Clock::Timed);
        let untimed = sum(&file, UNTIMED, Clock::Untimed);
        format!("{slug},{timed:016x},{untimed:016x}")
    };
    let rows: Vec<String> = Catalog::drives().par_iter().map(sums).collect();
    let mut now = "drive,timed,untimed\n".to_owned();
    for row in rows {
        let _ = writeln!(now, "{row}");
    }
    if std::env::var_os("FTLAB_KEEP_SUMS").is_some() {
        std::fs::write(KEPT, &now).expect("the file can be written");
        return;
    }
    let kept = std::fs::read_to_string(KEPT).expect("the sums are kept");
    let others: Vec<&str> = now
        .lines()
        .filter(|row| !kept.lines().any(|kept| kept == *row))
        .collect();
    assert!(
        others.is_empty() && now.lines().count() == kept.lines().count(),
        "these drives do other than they did: {others:#?}"
    );
}
