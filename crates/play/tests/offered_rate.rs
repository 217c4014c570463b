//! Latencies of data-centre drives under an offered rate of random writes, beside those that were measured.
//!
//! The page `docs/latency-under-load.md` shows what comes out. With `FTLAB_REDRAW_GUIDES` set the test draws it again.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::{Catalog, Device, Scale};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, JobReport};
use ftlab_states::State;
use ftlab_workload::JobFile;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

const MEASURED: &str = include_str!("../../../reference/modern.csv");

const SEED: RootSeed = RootSeed(1);

/// Blocks have so much less of their pages, so there is so much less to prepare.
const PAGES: u32 = 16;

const DRIVES: [&str; 4] = [
    "kioxia-cm7-r-3840",
    "micron-7450-max-800",
    "samsung-pm9a3-960",
    "skhynix-pe8110-960",
];

/// Percentiles, what the source calls them, and the factor by which they may be off.
const PERCENTILES: [(f64, &str, f64); 3] =
    [(50.0, "p50", 1.15), (99.0, "p99", 1.5), (99.9, "p999", 2.0)];

/// What was measured of a drive: by the rate offered, numbers by their names.
fn measured(drive: &str) -> BTreeMap<u64, BTreeMap<String, f64>> {
    let mut lines = csv::Reader::from_reader(MEASURED.as_bytes());
    let rows = lines.records().map(|row| row.expect("it is a table"));
    let rows = rows.filter(|row| &row[2] == drive && &row[3] == "latency-under-offered-rate");
    let mut rates: BTreeMap<u64, BTreeMap<String, f64>> = BTreeMap::new();
    for row in rows {
        let rate = row[4].split(' ').nth(1).expect("it says what was offered");
        let rate = rates.entry(rate.parse().expect("a rate")).or_default();
        rate.insert(row[5].to_owned(), row[6].parse().expect("a number"));
    }
    rates
}

/// Writes at random on six queues with a hundredth of reads, and a probe that asks evenly: half reads, half writes.
/// The load and the probe's writes together are `rate` a second.
fn load(rate: u64) -> JobFile {
    let load = rate - 5000;
    let (writes, reads) = (load * 99 / 100 / 6, load / 100);
    let text = format!(
        "[global]\nbs=4k\niodepth=64\ntime_based\nruntime=2s\nramp_time=500ms\nrate_process=poisson\n\
         [load]\nrw=randwrite\nnumjobs=6\nrate_iops={writes}\n[reads]\nrw=randread\nrate_iops={reads}\n\
         [probe]\nrw=randrw\nrwmixread=50\nrate_iops=5000,4990\nrate_process=linear\n"
    );
    JobFile::parse(&text, "offered.fio").expect("it parses")
}

/// The drive after many overwrites at random.
fn steady(drive: &str) -> Box<dyn Device> {
    let file = Catalog::default().load(drive, &[]).expect("it loads");
    let scale = Scale {
        blocks: 1,
        pages: PAGES,
        cycles: 1,
    };
    let testbed = Testbed::load("linux-2024-nvme").expect("it loads");
    let file = file.scaled(scale).expect("it can be smaller");
    let mut device = file.build(&testbed, SEED).expect("it can be built");
    ftlab_states::prepare(&mut *device, State::New, State::SteadyFast, SEED)
        .expect("it gets there");
    device
}

/// The same numbers of the model.
fn modelled(steady: &mut dyn Device, rate: u64) -> BTreeMap<String, f64> {
    let report = driver::run(&load(rate), steady, Clock::Timed, SEED).expect("the drive takes it");
    let writes = |job: &JobReport| job.direction(CommandKind::Write).ios as f64;
    let seconds = report.jobs[0].measured.as_secs();
    let served = report.jobs.iter().map(writes).sum::<f64>() / seconds;
    let mut numbers = BTreeMap::from([("served_writes_per_s".to_owned(), served)]);
    let probe = report.jobs.iter().find(|job| job.name == "probe");
    let probe = probe.expect("it is in the file");
    for (kind, name) in [(CommandKind::Write, "write"), (CommandKind::Read, "read")] {
        let latency = probe.direction(kind).latency().expect("it asked");
        for (percent, short, _) in PERCENTILES {
            let us = latency.percentile(percent).0 as f64 / 1e3;
            numbers.insert(format!("{name}_lat_{short}_us"), us);
        }
    }
    numbers
}

/// Columns of the page, and by what factor each may be off.
fn columns() -> Vec<(String, String, f64)> {
    let served = (
        "served_writes_per_s".to_owned(),
        "served, 1/s".to_owned(),
        1.1,
    );
    let latencies = ["write", "read"].into_iter().flat_map(|kind| {
        PERCENTILES.map(|(percent, short, factor)| {
            (
                format!("{kind}_lat_{short}_us"),
                format!("{kind} p{percent}, µs"),
                factor,
            )
        })
    });
    std::iter::once(served).chain(latencies).collect()
}

/// Whether a number is right, as far as it was measured.
fn is_right(got: f64, published: f64, factor: f64) -> bool {
    got <= published * factor && got >= published / factor
}

/// A drive's table, and how many numbers of each column are right.
fn table(drive: &str) -> (String, Vec<(usize, usize)>) {
    let steady = steady(drive);
    let measured = measured(drive);
    let drives = measured.keys().map(|&rate| (rate, steady.snapshot()));
    let drives: Vec<_> = drives.collect();
    let modelled: Vec<_> = (drives.into_par_iter())
        .map(|(rate, mut drive)| modelled(&mut *drive, rate))
        .collect();
    let columns = columns();
    let mut drawn = format!("\n## {drive}\n\n| offered, 1/s |");
    columns
        .iter()
        .for_each(|(_, title, _)| write!(drawn, " {title} |").expect("it is a string"));
    drawn += "\n|--:|";
    drawn += &"--:|".repeat(columns.len());
    drawn.push('\n');
    let mut right = vec![(0, 0); columns.len()];
    for ((rate, published), got) in measured.iter().zip(&modelled) {
        write!(drawn, "| {rate} |").expect("it is a string");
        for (n, (name, _, factor)) in columns.iter().enumerate() {
            let (published, got) = (published[name], got[name]);
            let good = is_right(got, published, *factor);
            let mark = if good { "" } else { " ✗" };
            right[n].0 += usize::from(good);
            right[n].1 += 1;
            write!(drawn, " {got:.0} ({published:.0}){mark} |").expect("it is a string");
        }
        drawn.push('\n');
    }
    (drawn, right)
}

const HEAD: &str = "\
# Latency under an offered rate

What four data-centre drives answer while random writes come at a given rate, beside what was measured on real ones
(`reference/modern.csv`, source `ssdiq-2025`). Drawn by

```sh
FTLAB_REDRAW_GUIDES=1 cargo test --workspace --test play offered_rate
```

The drive was overwritten at random until it is steady. Six jobs write 4 KiB at random places, together at the rate
offered, at random instants, with up to 64 outstanding each; a hundredth of that are reads. A probe asks for 5,000 reads
and nearly as many writes a second at even distances; the latencies are its own. To make a test of it, blocks have a sixteenth of
their pages, and two seconds are measured where the source took sixteen minutes.

In each cell stands what the model says, and in brackets what was measured. ✗ marks what is further off than was aimed at:
10 % for the rate served, 15 % for a median, a factor of 1.5 for p99, of 2 for p99.9. What the numbers of the drives were
worked out from is in their files (`from`): of these figures some medians of reads, the rate served at the end, and
twenty of the 72 long waits of writes (p99 and p99.9).
";

#[test]
fn latencies_of_data_centre_drives_under_load_are_on_the_page() {
    let tables: Vec<_> = DRIVES.par_iter().map(|drive| table(drive)).collect();
    let columns = columns();
    let mut drawn = HEAD.to_owned();
    drawn += "\n| right, of all | ";
    for drive in DRIVES {
        write!(drawn, "{drive} | ").expect("it is a string");
    }
    drawn += "together |\n|---|";
    drawn += &"--:|".repeat(DRIVES.len() + 1);
    drawn.push('\n');
    let mut all = (0, 0);
    for (n, (_, title, _)) in columns.iter().enumerate() {
        write!(drawn, "| {title} | ").expect("it is a string");
        let counts = tables.iter().map(|(_, right)| right[n]);
        let mut together = (0, 0);
        for (good, of) in counts {
            together = (together.0 + good, together.1 + of);
            write!(drawn, "{good} of {of} | ").expect("it is a string");
        }
        all = (all.0 + together.0, all.1 + together.1);
        writeln!(drawn, "{} of {} |", together.0, together.1).expect("it is a string");
    }
    drawn.extend(tables.iter().map(|(table, _)| table.as_str()));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/latency-under-load.md");
    if std::env::var_os("FTLAB_REDRAW_GUIDES").is_some() {
        return std::fs::write(path, drawn).expect("it can be written");
    }
    let page = std::fs::read_to_string(&path).expect("the page is there");
    assert!(
        page == drawn,
        "latencies have changed: draw {} again with FTLAB_REDRAW_GUIDES=1\n{drawn}",
        path.display()
    );
}

#[test]
fn every_rate_that_was_offered_has_all_its_numbers() {
    let columns: BTreeSet<String> = columns().into_iter().map(|(name, ..)| name).collect();
    for drive in DRIVES {
        let measured = measured(drive);
        assert!(measured.len() >= 8, "{drive}");
        for (rate, numbers) in measured {
            let there: BTreeSet<String> = numbers.into_keys().collect();
            assert!(columns.is_subset(&there), "{drive} at {rate}");
        }
    }
}
