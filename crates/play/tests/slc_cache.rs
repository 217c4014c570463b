//! How fast drives with a cache of SLC are filled, as reviews measured it: the cache's size, the speeds before and behind
//! its end, what a pause gives back, what is left of a cache on a drive that is nearly full, and the speed when no cell is free.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, Device, Scale};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_workload::JobFile;
use rayon::prelude::*;
use std::collections::BTreeMap;

const MEASURED: &str = include_str!("../../../reference/modern.csv");

const SEED: RootSeed = RootSeed(1);

/// Blocks have so much less of their pages, so a fill takes so much less time.
const PAGES: u32 = 16;

/// Parts of the cache that are written one after the other.
const PARTS: u64 = 20;

/// What was published of a drive's fill, by name: a number, and whether it is a bound from below.
fn published(drive: &str) -> BTreeMap<String, (f64, bool)> {
    let mut lines = csv::Reader::from_reader(MEASURED.as_bytes());
    let rows = lines.records().map(|row| row.expect("it is a table"));
    let rows = rows.filter(|row| &row[2] == drive && &row[3] == "sequential-fill");
    rows.map(|row| {
        let value = row[6].parse().expect("a number");
        (row[5].to_owned(), (value, &row[8] == "gt"))
    })
    .collect()
}

fn new_drive(drive: &str) -> Box<dyn Device> {
    let file = Catalog::default().load(drive, &[]).expect("it loads");
    let scale = Scale {
        blocks: 1,
        pages: PAGES,
        cycles: 1,
    };
    let testbed = Testbed::load("linux-2024-nvme").expect("it loads");
    let file = file.scaled(scale).expect("it can be smaller");
    file.build(&testbed, SEED).expect("it can be built")
}

/// MB/s of sequential writes of `bytes` each, one behind the other; the last after a pause, which the one before it ends.
fn write(device: &mut dyn Device, parts: u64, bytes: u64) -> Vec<f64> {
    let job = |n: u64| {
        let (offset, pause_s) = (n * bytes, if n + 2 == parts { 30 } else { 0 });
        format!("[{n}]\nstonewall\nexec_prerun=sleep {pause_s}\noffset={offset}\nsize={bytes}\n")
    };
    let jobs: String = (0..parts).map(job).collect();
    let text = format!("[global]\nrw=write\nbs=128k\niodepth=32\n{jobs}");
    let jobs = JobFile::parse(&text, "fill.fio").expect("it parses");
    let report = driver::run(&jobs, device, Clock::Timed, SEED).expect("it runs");
    let speed = |measured: f64| bytes as f64 / 1e6 / measured;
    let jobs = report.jobs.iter();
    jobs.map(|job| speed(job.measured.as_secs())).collect()
}

/// What a fill shows: the cache's size in GB of the whole drive, MB/s in it and behind it, and behind a pause.
struct Fill {
    cache_gb: f64,
    in_cache: f64,
    behind: f64,
    after_pause: f64,
}

fn fill(drive: &str, cache_gb: f64) -> Fill {
    let mut device = new_drive(drive);
    let part = (cache_gb * 1e9 / f64::from(PAGES)) as u64 / PARTS / (128 << 10) * (128 << 10);
    let mut speeds = write(&mut *device, PARTS * 7 / 4 + 2, part);
    let after_pause = speeds.pop().expect("it was written");
    speeds.pop();
    // The write buffer takes some of the first part, and the drive writes late what it has taken of the last in the cache.
    let median = |of: &[f64]| {
        let mut sorted = of.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let half = PARTS as usize / 2;
    let in_cache = median(&speeds[2..half]);
    let behind = median(&speeds[speeds.len() - half..]);
    let is_fast = |&&speed: &&f64| speed > (in_cache * behind).sqrt();
    let fast = speeds.iter().take_while(is_fast).count() as f64;
    Fill {
        cache_gb: fast * part as f64 * f64::from(PAGES) / 1e9,
        in_cache,
        behind,
        after_pause,
    }
}

#[test]
fn consumer_drives_are_filled_as_fast_as_reviews_saw_and_their_caches_end_where_theirs_did() {
    let drives = [
        "adata-atom-50-1000",
        "crucial-p1-1000",
        "intel-660p-1000",
        "samsung-850-evo-250",
        "samsung-870-qvo-4000",
        "samsung-970-evo-500",
        "samsung-970-evo-plus-1000",
        "samsung-970-evo-plus-250",
        "samsung-970-evo-plus-500",
        "samsung-980-pro-1000",
    ];
    let wrong = drives.par_iter().flat_map_iter(|drive| {
        let published = published(drive);
        let any_of = |names: &[&str]| names.iter().find_map(|name| published.get(*name).copied());
        let size = any_of(&["slc_gb", "slc_gb_empty"]).expect("each review says it");
        let got = fill(drive, size.0);
        let pairs = [
            ("GB of cache", got.cache_gb, Some(size)),
            ("MB/s in it", got.in_cache, any_of(&["slc_write_mb_s"])),
            (
                "MB/s behind it",
                got.behind,
                any_of(&["after_mb_s", "direct_tlc_mb_s"]),
            ),
            (
                "MB/s after a pause",
                got.after_pause,
                Some((got.in_cache, false)),
            ),
        ];
        let wrong = pairs.into_iter().filter_map(|(what, got, published)| {
            let (published, is_least) = published?;
            let ratio = got / published;
            let right = ratio > 0.85 && (is_least || ratio < 1.15);
            (!right).then(|| format!("{drive}: {got:.1} {what}, published {published}"))
        });
        wrong.collect::<Vec<String>>()
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs jobs one behind the other on a new drive; gives the seconds of each.
fn seconds(device: &mut dyn Device, jobs: &str) -> Vec<f64> {
    let text = format!("[global]\nrw=write\nbs=128k\niodepth=32\n{jobs}");
    let jobs = JobFile::parse(&text, "fill.fio").expect("it parses");
    let report = driver::run(&jobs, device, Clock::Timed, SEED).expect("it runs");
    let jobs = report.jobs.iter();
    jobs.map(|job| job.measured.as_secs()).collect()
}

#[test]
fn a_drive_that_is_four_fifths_full_has_the_cache_that_is_always_there() {
    let slug = "intel-660p-1000";
    let published = published(slug);
    let mut device = new_drive(slug);
    let gb = |gb: f64| (gb * 1e9 / f64::from(PAGES)) as u64 / (128 << 10) * (128 << 10);
    let (full, part) = (gb(0.8 * 1024.0), gb(2.0));
    // After a rest in which all of the cache is folded.
    let parts = (0..16).map(|n| {
        let (offset, rest) = (full + n * part, if n == 0 { 300 } else { 0 });
        format!("[{n}]\nstonewall\nexec_prerun=sleep {rest}\noffset={offset}\nsize={part}\n")
    });
    let jobs = format!("[fill]\nsize={full}\n{}", parts.collect::<String>());
    let times = seconds(&mut *device, &jobs);
    let speeds: Vec<f64> = times[1..].iter().map(|s| part as f64 / 1e6 / s).collect();
    let fast = speeds.iter().take_while(|&&speed| speed > 500.0).count();
    let (size, _) = published["slc_gb_at_80pct_full"];
    assert!(
        (size - 2.0..=size + 2.0).contains(&(2.0 * fast as f64)),
        "{fast} parts of 2 GB: {speeds:?}"
    );
}

#[test]
fn where_no_cell_is_free_the_drive_is_as_fast_as_it_folds() {
    let slug = "adata-atom-50-1000";
    let published = published(slug);
    let mut device = new_drive(slug);
    let gb = |gb: f64| (gb * 1e9 / f64::from(PAGES)) as u64 / (128 << 10) * (128 << 10);
    let (first, part) = (gb(600.0), gb(100.0));
    let jobs = format!("[fill]\nsize={first}\n[out]\nstonewall\noffset={first}\nsize={part}\n");
    let times = seconds(&mut *device, &jobs);
    let got = part as f64 / 1e6 / times[1];
    let (fold, _) = published["fold_mb_s"];
    assert!((got / fold - 1.0).abs() < 0.15, "{got:.0} MB/s of {fold}");
}
