//! A sweep of ten thousand rows of which none is missing, called again: its rows found in the parts of a sweep that was
//! interrupted at its end, then in its table. Seconds, the least of three calls each.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it measures wall time"
)]

use ftlab_drive::Catalog;
use ftlab_lab::Lab;
use ftlab_states::watch::Stopped;
use ftlab_sweep::{Row, Share, Store, Sweep};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const ROWS: usize = 10_000;

/// What a call is to take at most.
const GOAL: Duration = Duration::from_secs(5);

const CALLS: usize = 3;

/// Fifty drives of 200 seeds each, and runs that take no time: what is measured is all the rest.
fn grid() -> String {
    let spares: Vec<String> = (0..50)
        .map(|n| format!("{:.2}", 0.1 + 0.01 * f64::from(n)))
        .collect();
    format!(
        "drives = ['generic-mlc-8']\nseeds = 200\nstate = 'new'\n\
         loads = [{{ name = 'w', text = \"[w]\\nrw=randrw\\nnumber_ios=200\\n\" }}]\n\
         [set]\nnand.blocks_per_die = 64\nnand.pages_per_block = 16\nspare.op = [{}]\n",
        spares.join(", ")
    )
}

/// Runs all rows, up to where their table would be written.
fn interrupted(folder: &Path) {
    let sweep =
        Sweep::parse(&grid(), Path::new("grid.toml"), &Catalog::default()).expect("it is a grid");
    let store = Mutex::new(Store::open(folder, &sweep).expect("a folder"));
    let lab = Lab::new(2, 1 << 30).expect("threads");
    let units = sweep.missing(Share::ALL, &|_| false);
    let kept = |row: Option<Row>| {
        let mut store = store.lock().expect("no holder panics");
        let kept = row.map_or(Ok(()), |row| store.add(row));
        kept.map_err(|_| Stopped)
    };
    sweep.run(&units, None, &lab, &kept).expect("there is room");
}

/// What a call does that finds all its rows.
fn called_again(folder: &Path) -> Duration {
    let began = Instant::now();
    let sweep =
        Sweep::parse(&grid(), Path::new("grid.toml"), &Catalog::default()).expect("it is a grid");
    let store = Store::open(folder, &sweep).expect("a folder");
    assert!(sweep.missing(Share::ALL, &|id| store.has(id)).is_empty());
    let finished = store.finish(&sweep, Share::ALL).expect("there is room");
    assert_eq!(finished.count(ftlab_sweep::Status::Done), ROWS);
    began.elapsed()
}

fn main() {
    let parts = tempfile::tempdir().expect("a folder");
    interrupted(parts.path());
    let copies: Vec<tempfile::TempDir> = (0..CALLS)
        .map(|_| {
            let copy = tempfile::tempdir().expect("a folder");
            for file in std::fs::read_dir(parts.path()).expect("a folder") {
                let file = file.expect("a file");
                std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("room");
            }
            copy
        })
        .collect();
    for what in ["in parts", "in a table"] {
        let calls = copies.iter().map(|copy| called_again(copy.path()));
        let least = calls.min().expect("there are calls");
        println!(
            "{ROWS} rows {what}: {:.2} s (goal: {} s)",
            least.as_secs_f64(),
            GOAL.as_secs()
        );
        assert!(least < GOAL);
    }
}
