//! A fill tells the cache that a drive's file gives, within a tenth, or says that it cannot be told.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_lab::{KnownOfFill, fill_metrics, fill_of};
use ftlab_play::driver::{self, Clock};
use ftlab_play::record::Record;
use ftlab_result::Fill;
use ftlab_workload::JobFile;
use rayon::prelude::*;

const JOB: &str = include_str!("../../../jobs/fill-128k-qd32.fio");

const SEED: RootSeed = RootSeed(1);

/// Half of the suite's size: a fill takes half the time, and tells the same.
const BYTES_MAX: u64 = 8_000_000_000;

/// By how much a cache may be told wrong, as a factor.
const NEAR: f64 = 1.1;

fn fill(file: &DriveFile) -> Fill {
    let (small, times) = file.shrunk_to(BYTES_MAX).expect("it can be smaller");
    let testbed = Testbed::load("linux-2024-nvme").expect("it loads");
    let mut device = small.build(&testbed, SEED).expect("it can be built");
    let job = JobFile::parse(JOB, "fill.fio").expect("it parses");
    let report = driver::run(&job, &mut *device, Clock::Timed, SEED).expect("it runs");
    let record = Record::of_jobs(&job, &report);
    fill_of(&record.logs, KnownOfFill::of(&small, times))
}

/// What is wrong with what the fill of a drive tells; nothing is if it says that it cannot tell.
fn wrong(file: &DriveFile) -> Option<String> {
    let given = file.cache_bytes().expect("it has a cache") as f64 / 1e9;
    let fill = fill(file);
    let told = fill_metrics(&fill).get("slc_gb").copied();
    assert_eq!(told.is_none(), fill.doubt.is_some(), "{}", file.slug());
    let told = told?;
    ((told / given).ln().abs() > NEAR.ln()).then(|| {
        format!(
            "{} {:?}: {told:.2} GB of {given:.2}: {:?}",
            file.slug(),
            file.settings(),
            fill.plateaus
        )
    })
}

#[test]
fn the_cache_of_every_drive_is_told() {
    let files = Catalog::drives().into_iter();
    let files = files.map(|slug| Catalog::default().load(slug, &[]).expect("it loads"));
    let files: Vec<DriveFile> = files.filter(|file| file.cache_bytes().is_some()).collect();
    assert!(files.len() >= 14, "{}", files.len());
    let faults: Vec<String> = files.par_iter().filter_map(wrong).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // None of them is so slow in its cache that nobody could tell.
    let doubts = files.par_iter().filter_map(|file| fill(file).doubt);
    assert_eq!(doubts.collect::<Vec<String>>(), Vec::<String>::new());
}

#[test]
fn of_caches_of_any_size_and_speed_a_fill_tells_the_size_or_that_it_cannot() {
    let sizes = ["10GB", "36GB", "110GB", "300GB"].map(|size| format!("slc.more_size={size}"));
    let speeds = [150, 300, 450, 520, 560, 590].map(|us| format!("slc.t_program={us}us"));
    let rules = ["direct", "beside", "fold"].map(|rule| format!("slc.when_full={rule}"));
    let mut sets: Vec<Vec<String>> = Vec::new();
    for size in &sizes {
        sets.extend(speeds.iter().map(|speed| vec![size.clone(), speed.clone()]));
        sets.extend(rules.iter().map(|rule| vec![size.clone(), rule.clone()]));
    }
    let with = |set: &Vec<String>| {
        Catalog::default()
            .load("generic-nvme-tlc-1000", set)
            .expect("it loads")
    };
    let files: Vec<DriveFile> = sets.iter().map(with).collect();
    let faults: Vec<String> = files.par_iter().filter_map(wrong).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // As fast as what is behind it, and much faster.
    let doubt = |us: u32| {
        let set = [format!("slc.t_program={us}us")];
        fill(
            &Catalog::default()
                .load("generic-nvme-tlc-1000", &set)
                .expect("it loads"),
        )
        .doubt
    };
    let why = doubt(590).expect("nobody can tell");
    assert!(
        why.contains("as fast as the cache") && why.contains("at one bit each"),
        "{why}"
    );
    assert_eq!(doubt(150), None);
}
