//! Write amplification against the used space of a drive of today, as it was measured.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, Scale};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_states::State;
use ftlab_workload::JobFile;
use rayon::prelude::*;

const MEASURED: &str = include_str!("../../../reference/modern.csv");

const SEED: RootSeed = RootSeed(1);

/// Measurements of a drive under uniform writes of 4 KiB: GiB that were used, the number of times that they were
/// overwritten, and the write amplification over the last two fifths of that.
fn measured(drive: &str) -> Vec<(f64, f64, f64)> {
    let mut lines = csv::Reader::from_reader(MEASURED.as_bytes());
    let rows = lines.records().map(|row| row.expect("it is a table"));
    rows.filter_map(|row| {
        let (conditions, metric) = (&row[4], &row[5]);
        let asked = &row[2] == drive && metric == "write_amp" && conditions.starts_with("uniform");
        let number = |before: &str| {
            let words: Vec<&str> = conditions.split([' ', ',']).collect();
            let at = words.iter().position(|word| *word == before)?;
            words[at - 1].parse::<f64>().ok()
        };
        asked.then(|| (number("GiB"), number("overwrites"), row[6].parse().ok()))
    })
    .map(|(used, times, amplification)| {
        let told = "the row says how much was used, and how often";
        (
            used.expect(told),
            times.expect(told),
            amplification.expect("a number"),
        )
    })
    .collect()
}

/// What the drive's model programs in place of that, on as many superblocks of a 64th of the pages: it is sold with as
/// much as was used, for what was never written is spare.
fn modelled(drive: &str, used_gib: f64, times: f64) -> f64 {
    let capacity = format!(
        "spare.user_capacity={}KiB",
        (used_gib * f64::from(1 << 20)) as u64 / 4 * 4
    );
    let file = Catalog::default()
        .load(drive, &[capacity])
        .expect("it loads");
    let scale = Scale {
        blocks: 1,
        pages: 64,
        cycles: 1,
    };
    let testbed = Testbed::load("linux-2024-nvme").expect("it loads");
    let file = file.scaled(scale).expect("it can be smaller");
    let mut device = file.build(&testbed, SEED).expect("it can be built");
    ftlab_states::prepare(&mut *device, State::New, State::Filled, SEED).expect("it can be filled");
    let mut write = |times: f64, part: &str| {
        let bytes = (device.capacity_sectors() as f64 * 512.0 * times) as u64 / 4096 * 4096;
        let job = format!("[w]\nrw=randwrite\nbs=4k\nnorandommap\nsize=100%\nio_size={bytes}\n");
        let job = JobFile::parse(&job, "uniform.fio").expect("it parses");
        let report = driver::run(&job, &mut *device, Clock::Untimed, SEED.derive(part));
        report.expect("it runs").wa().total
    };
    write(0.6 * times, "first");
    write(0.4 * times, "last")
}

#[test]
fn a_drive_of_today_writes_as_much_as_was_measured_whatever_part_of_it_is_used() {
    let drive = "micron-7450-max-800";
    let rows = measured(drive);
    assert!(rows.len() >= 7, "{rows:?}");
    rows.par_iter().for_each(|&(used, times, published)| {
        let got = modelled(drive, used, times);
        assert!(
            (got / published - 1.0).abs() < 0.05,
            "{used} GiB: {got} for {published}"
        );
    });
}
