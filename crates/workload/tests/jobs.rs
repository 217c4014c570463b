//! The job files that come with the product.

use ftlab_base::RootSeed;
use ftlab_workload::{JobFile, JobStream};
use std::path::{Path, PathBuf};

const DEVICE_BYTES: u64 = 80_000_000_000;

fn job_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs");
    let entries = std::fs::read_dir(&folder).expect("the folder of jobs");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "fio"));
    paths.sort();
    paths
}

/// Requests that every job makes at least: a gigabyte in 16 MiB, as AS-SSD does, is the shortest.
const LEAST: usize = 64;

#[test]
fn every_job_fits_an_80_gb_drive() {
    let paths = job_files();
    assert!(paths.len() >= 23, "{} job files", paths.len());
    for path in paths {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let file = JobFile::parse(&text, &name).unwrap_or_else(|error| panic!("{error}"));
        for spec in &file.jobs {
            let job = spec
                .resolve(DEVICE_BYTES)
                .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(
                JobStream::new(&job, RootSeed(1)).take(LEAST).count(),
                LEAST,
                "{name}"
            );
        }
    }
}

#[test]
fn every_job_is_named_after_its_file_and_begins_with_what_it_tests() {
    for path in job_files() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        assert!(text.starts_with("# "), "{}", path.display());
        let file = JobFile::parse(&text, "job").expect("parses");
        // What stands before the last job prepares the drive for it; of several that run together
        // each is named after what it does.
        let groups = file.groups();
        if let [last] = groups.last().expect("a file has jobs")[..] {
            assert_eq!(path.file_stem(), Some(file.jobs[last].name.as_ref()));
        }
    }
}

#[test]
fn the_steady_state_job_writes_four_drive_sizes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs");
    let text = std::fs::read_to_string(folder.join("uniform-random-4k.fio")).expect("the job");
    let file = JobFile::parse(&text, "job").expect("parses");
    let job = file.jobs[0].resolve(DEVICE_BYTES).expect("fits");
    assert_eq!(
        job.total_bytes(),
        Some(4 * (DEVICE_BYTES - DEVICE_BYTES % 4096))
    );
    assert!(!job.random_map);
}
