//! Deleted files, TRIM and secure erase.

use super::*;
use crate::check::{Check, Finding, experiment, job, tested};
use crate::experiments::{DELETION, SECURE_ERASE};
use crate::lab::NOBODY;
use ftlab_play::states::State;

const RANDOM: &str = "trim-10gb-randwrite";
const SEQUENTIAL: &str = "trim-10gb-seqwrite";

/// Random writes on a tenth of a drive, for as long as it takes to run out of erased blocks.
const ON_A_TENTH: &str = "randwrite-tenth";
const READS: &str = "randread-4k-10s";

/// The mean of the first N seconds, in MB/s.
fn beginning(sample: &Sample, seconds: usize) -> f64 {
    let series = &sample.series_bytes;
    let first = &series[..seconds.min(series.len())];
    first.iter().sum::<u64>() as f64 / 1e6 / first.len().max(1) as f64
}

/// The mean of the last N seconds, in MB/s.
fn ending(sample: &Sample, seconds: usize) -> f64 {
    let series = &sample.series_bytes;
    let last = &series[series.len().saturating_sub(seconds)..];
    last.iter().sum::<u64>() as f64 / 1e6 / last.len().max(1) as f64
}

/// Seconds until the rate first drops for good, and GB written until then; none if it does not.
fn dip(sample: &Sample) -> Option<(f64, f64)> {
    let series: Vec<f64> = sample
        .series_bytes
        .iter()
        .map(|&bytes| bytes as f64)
        .collect();
    let at = *ftlab_bench::drops::drops(&series).first()?;
    Some((at as f64, series[..at].iter().sum::<f64>() / 1e9))
}

fn told(dips: &[Option<(f64, f64)>], samples: &[Sample]) -> String {
    let one = |(dip, sample): (&Option<(f64, f64)>, &Sample)| match dip {
        Some((seconds, gb)) => format!("{} after {seconds} s and {} GB", sample.drive, short(*gb)),
        None => format!("{} not at all", sample.drive),
    };
    let all: Vec<String> = dips.iter().zip(samples).map(one).collect();
    all.join(", ")
}

pub static CHECKS: &[Check] = &[
    Check {
        id: "C012",
        needs: &[experiment(X25M, &DELETION)],
        judge: |s| {
            let [erases, without, with] =
                ["erases", "kept_without_trim", "kept_with_trim"].map(|m| s[0].get(m));
            Finding::new(
                erases == 0.0 && near(without, 1.0, 0.001) && with < 0.95,
                format!(
                    "a tenth deleted: {erases} erases, {} % of the data still kept; told by TRIM, {} %",
                    short(100.0 * without),
                    short(100.0 * with)
                ),
            )
        },
    },
    Check {
        id: "C154",
        needs: &[
            job(GENERIC, State::New, READS).on(NOBODY, None),
            job(GENERIC, State::Filled, READS).on(NOBODY, None),
        ],
        judge: |s| {
            let reads: Vec<f64> = s.iter().map(|s| s.inside.nand_reads as f64).collect();
            let iops = of(s, "iops");
            Finding::new(
                reads[0] == 0.0 && iops[0] > 2.0 * iops[1],
                format!(
                    "random reads of an empty and of a full drive: {}, {} of flash",
                    row(&iops, "IOPS"),
                    row(&reads, "reads")
                ),
            )
        },
    },
    Check {
        id: "C199",
        needs: &[
            job(GENERIC, State::New, ON_A_TENTH)
                .on(NOBODY, None)
                .with("nand.blocks_per_die=128"),
            job(GENERIC, State::Steady, ON_A_TENTH)
                .on(NOBODY, None)
                .with("nand.blocks_per_die=128"),
        ],
        judge: |s| {
            let first: Vec<f64> = s.iter().map(|s| beginning(s, 3)).collect();
            Finding::new(
                first[0] > 1.5 * first[1],
                format!(
                    "random writes with all blocks to be had and with none: {}",
                    row(&first, "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C200",
        needs: &[
            job(GENERIC, State::New, ON_A_TENTH).on(NOBODY, None),
            job(GENERIC, State::Filled, ON_A_TENTH).on(NOBODY, None),
        ],
        judge: |s| {
            let dips: Vec<_> = s.iter().map(dip).collect();
            let seconds = [0, 1].map(|n| dips[n].map_or(f64::INFINITY, |dip| dip.0));
            let last: Vec<f64> = s.iter().map(|s| ending(s, 10)).collect();
            Finding::new(
                seconds[1] < 0.8 * seconds[0] && last[1] < last[0],
                format!(
                    "random writes to a tenth of an empty and of a full drive drop: {}; in the end {}",
                    told(&dips, s),
                    row(&last, "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C201",
        needs: &[
            job(X25M, State::New, ON_A_TENTH),
            job(X25M, State::Filled, ON_A_TENTH),
        ],
        judge: |s| {
            let first: Vec<f64> = s.iter().map(|s| beginning(s, 30)).collect();
            Finding::new(
                near(first[1], first[0], 0.1),
                format!(
                    "random writes on a new drive and over what was written in order: {}",
                    row(&first, "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C202",
        needs: &[
            tested(I320_120, RANDOM, "new"),
            tested(I510_120, RANDOM, "new"),
            tested(M4_128, RANDOM, "new"),
            tested(V3_120, RANDOM, "new"),
        ],
        judge: |s| {
            let dips: Vec<_> = s.iter().map(dip).collect();
            let at = |n: usize| dips[n].map_or(f64::INFINITY, |dip: (f64, f64)| dip.0);
            Finding::new((1..4).all(|n| at(0) > at(n)), told(&dips, s))
        },
    },
    Check {
        id: "C203",
        needs: &[
            tested(I510_120, RANDOM, "new"),
            tested(M4_128, RANDOM, "new"),
            tested(V3_120, RANDOM, "new"),
            tested(I320_120, RANDOM, "new"),
        ],
        judge: |s| {
            let dips: Vec<_> = s.iter().map(dip).collect();
            let said = [60.0, 90.0, 180.0, 210.0];
            let fits = dips
                .iter()
                .zip(said)
                .all(|(dip, said)| dip.is_some_and(|dip| near(dip.0, said, 0.25)));
            Finding::new(fits, told(&dips, s))
        },
    },
    Check {
        id: "C204",
        needs: &[
            tested(V3_120, RANDOM, "new"),
            tested(I320_120, RANDOM, "new"),
            tested(M4_128, RANDOM, "new"),
            tested(I510_120, RANDOM, "new"),
        ],
        judge: |s| {
            let dips: Vec<_> = s.iter().map(dip).collect();
            let volumes: Vec<f64> = dips
                .iter()
                .map(|dip| dip.map_or(f64::NAN, |dip| dip.1))
                .collect();
            Finding::new(falls(&volumes), told(&dips, s))
        },
    },
    Check {
        id: "C205",
        needs: &[
            tested(I510_120, SEQUENTIAL, "new"),
            tested(M4_128, SEQUENTIAL, "new"),
            tested(I320_120, SEQUENTIAL, "new"),
            tested(V3_120, SEQUENTIAL, "new"),
        ],
        judge: |s| {
            let dips: Vec<_> = s.iter().map(dip).collect();
            Finding::new(
                dips[..3].iter().all(Option::is_none)
                    && dips[3].is_some_and(|dip| near(dip.1, 9.4, 0.3)),
                told(&dips, s),
            )
        },
    },
    Check {
        id: "C206",
        needs: &[
            tested(I510_120, SEQUENTIAL, "used"),
            tested(M4_128, SEQUENTIAL, "used"),
            tested(V3_120, SEQUENTIAL, "used"),
            tested(I320_120, SEQUENTIAL, "used"),
            tested(I320_120, SEQUENTIAL, "new"),
        ],
        judge: |s| {
            let first: Vec<f64> = s.iter().map(|s| beginning(s, 30)).collect();
            Finding::new(
                falls(&first[..3]) && first[3] > 0.9 * first[4],
                format!(
                    "the first 30 s over randomly written space: {}",
                    row(&first, "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C207",
        needs: &[
            tested(I510_120, SEQUENTIAL, "used"),
            tested(I510_120, SEQUENTIAL, "new"),
            tested(M4_128, SEQUENTIAL, "used"),
            tested(M4_128, SEQUENTIAL, "new"),
            tested(V3_120, SEQUENTIAL, "used"),
            tested(V3_120, SEQUENTIAL, "new"),
        ],
        judge: |s| {
            let ends = s
                .chunks(2)
                .map(|pair| ending(&pair[0], 30) / ending(&pair[1], 30));
            let ends: Vec<f64> = ends.collect();
            Finding::new(
                ends.iter().all(|&ratio| ratio > 0.85),
                format!("in the end, of the speed as new: {}", row(&ends, "")),
            )
        },
    },
    Check {
        id: "C208",
        needs: &[
            tested(M4_128, SEQUENTIAL, "after-trim"),
            tested(M4_128, SEQUENTIAL, "new"),
            tested(I320_120, SEQUENTIAL, "after-trim"),
            tested(I320_120, SEQUENTIAL, "new"),
            tested(I510_120, SEQUENTIAL, "after-trim"),
            tested(I510_120, SEQUENTIAL, "new"),
            tested(V3_120, SEQUENTIAL, "after-trim"),
            tested(V3_120, SEQUENTIAL, "new"),
        ],
        judge: |s| {
            let ratios = s
                .chunks(2)
                .map(|pair| beginning(&pair[0], 60) / beginning(&pair[1], 60));
            let ratios: Vec<f64> = ratios.collect();
            Finding::new(
                ratios[..3].iter().all(|&ratio| ratio > 0.95) && near(ratios[3], 0.81, 0.1),
                format!("after TRIM, of the speed as new: {}", row(&ratios, "")),
            )
        },
    },
    Check {
        id: "C259",
        needs: &[experiment(GENERIC, &SECURE_ERASE)],
        judge: |s| {
            let [left, used, after, held] =
                ["valid_after", "wa_used", "wa_after", "held_after_fill"].map(|m| s[0].get(m));
            Finding::new(
                left == 0.0 && after < 1.01 && used > 1.5 && held == 1.0,
                format!(
                    "after a secure erase {left} of the data are left and a write programs {} times \
                     its bytes ({} before); filled in order, {} % of the addresses hold data",
                    short(after),
                    short(used),
                    short(100.0 * held)
                ),
            )
        },
    },
];
