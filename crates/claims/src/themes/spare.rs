//! Spare area, collection under way, and steadiness.

use super::*;
use crate::check::{Check, Finding, experiment, job, test};
use crate::experiments::SHEET;
use crate::lab::NOBODY;
use ftlab_play::states::State;

/// Random writes to a drive filled in order, from its first second.
const STEADY: &str = "randwrite-qd32-90s";
/// The drives of the 2013 review.
const DRIVES_2013: &str = "consistency-randwrite-4k-qd32";
const S3700: &str = "intel-dc-s3700-200";
const I525: &str = "intel-525-240";
const I335: &str = "intel-335-240";
const NEUTRON: &str = "corsair-neutron-240";
const VECTOR: &str = "ocz-vector-256";
const S840: &str = "samsung-840-pro-256";

fn series(sample: &Sample) -> Vec<f64> {
    sample.series.iter().map(|&ios| ios as f64).collect()
}

/// The second half of a series, after the start.
fn later(sample: &Sample) -> Vec<f64> {
    let series = series(sample);
    series[series.len() / 2..].to_vec()
}

/// Standard deviation over mean.
fn variation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (squares / values.len() as f64).sqrt() / mean
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::min)
}

pub static CHECKS: &[Check] = &[
    Check {
        id: "C240",
        needs: &[
            experiment(X25M, &SHEET),
            experiment(G2, &SHEET),
            experiment(SLC, &SHEET),
            experiment(CORE, &SHEET),
            experiment(V3_120, &SHEET),
            experiment(V3_240, &SHEET),
            experiment(I520, &SHEET),
        ],
        judge: |s| {
            let spare = s
                .iter()
                .map(|s| (s.get("raw_bytes") - s.get("user_bytes")) / 1e9);
            let spare: Vec<f64> = spare.collect();
            let over = spare.iter().filter(|&&gb| gb > 4.0).count();
            Finding::new(
                2 * over > spare.len(),
                format!(
                    "{over} of {} drives have more than 4 GB of spare area: {}",
                    spare.len(),
                    row(&spare, "GB")
                ),
            )
        },
    },
    Check {
        id: "C256",
        needs: &[
            job(GENERIC, State::Filled, STEADY).on(NOBODY, None),
            test(X25M, "randwrite-4k-qd32"),
        ],
        judge: |s| {
            let series = series(&s[0]);
            let [early, late] = [&series[1..5], &series[60..]].map(variation);
            let moved = s[0].inside.gc_share;
            Finding::new(
                moved > 0.1 && late > early,
                format!(
                    "IOPS second by second scatter by {} % before collection and by {} % when {} % of \
                     the programs are copies",
                    short(100.0 * early),
                    short(100.0 * late),
                    short(100.0 * moved)
                ),
            )
        },
    },
    Check {
        id: "C257",
        needs: &[
            test(NEUTRON, DRIVES_2013),
            test(NEUTRON, DRIVES_2013).with("gc.batch=2"),
        ],
        judge: |s| {
            let most = |v: &[f64]| v.iter().copied().fold(f64::NAN, f64::max);
            let [scatter, least, most] = [variation, least, most]
                .map(|f| s.iter().map(|s| f(&later(s))).collect::<Vec<_>>());
            Finding::new(
                scatter[0] < scatter[1] && most[0] < most[1] && least[1] < least[0] / 2.0,
                format!(
                    "collecting in step with writes, and two superblocks in one go: scatter {}, least {}, \
                     most {}",
                    row(&scatter, "of the mean"),
                    row(&least, "IOPS"),
                    row(&most, "IOPS")
                ),
            )
        },
    },
    Check {
        id: "C258",
        needs: &[
            test(S3700, DRIVES_2013),
            test(I525, DRIVES_2013),
            test(I335, DRIVES_2013),
            test(NEUTRON, DRIVES_2013),
            test(VECTOR, DRIVES_2013),
            test(S840, DRIVES_2013),
        ],
        judge: |s| {
            let scatter: Vec<f64> = s.iter().map(|s| variation(&later(s))).collect();
            Finding::new(
                scatter[1..].iter().all(|&other| scatter[0] < other),
                row(&scatter, "of the mean"),
            )
        },
    },
    Check {
        id: "C261",
        needs: &[job(GENERIC, State::Filled, STEADY).on(NOBODY, None)],
        judge: |s| {
            let series = series(&s[0]);
            let [early, late] = [mean(&series[1..5]), mean(&series[60..])];
            let wa = s[0].get("wa");
            Finding::new(
                late < early / 2.0 && wa > 1.2,
                format!(
                    "{} IOPS while there are erased blocks, {} after; write amplification {}",
                    short(early),
                    short(late),
                    short(wa)
                ),
            )
        },
    },
    Check {
        id: "C262",
        needs: &[
            test(I525, DRIVES_2013),
            test(I335, DRIVES_2013),
            test(NEUTRON, DRIVES_2013),
            test(VECTOR, DRIVES_2013),
            test(S840, DRIVES_2013),
        ],
        judge: |s| {
            let changes = s.iter().map(|s| {
                let series = series(s);
                let at = series.len() * 7 / 10;
                mean(&series[at..]) / mean(&series[at / 2..at])
            });
            let changes: Vec<f64> = changes.collect();
            let steady = changes
                .iter()
                .filter(|&&ratio| near(ratio, 1.0, 0.15))
                .count();
            Finding::new(
                2 * steady > changes.len(),
                format!("after 1400 s, of the 700 s before: {}", row(&changes, "")),
            )
        },
    },
    Check {
        id: "C263",
        needs: &[
            job(GENERIC, State::Filled, STEADY).on(NOBODY, None),
            job(GENERIC, State::Filled, STEADY)
                .on(NOBODY, None)
                .with("spare.op=0.333"),
            test(S840, DRIVES_2013),
            test(S840, "consistency-randwrite-4k-qd32-25-spare"),
        ],
        judge: |s| {
            let [means, lows] =
                [mean, least].map(|f| s.iter().map(|s| f(&later(s))).collect::<Vec<f64>>());
            let gains = |v: &[f64]| v.chunks(2).all(|pair| pair[1] > pair[0]);
            Finding::new(
                gains(&means) && gains(&lows),
                format!("mean {}, least {}", row(&means, "IOPS"), row(&lows, "IOPS")),
            )
        },
    },
    Check {
        id: "C264",
        needs: &[test(I335, DRIVES_2013)],
        judge: |s| {
            let series = series(&s[0]);
            let [before, after] = [mean(&series[1000..1700]), mean(&series[1850..])];
            Finding::new(
                after < 0.9 * before,
                format!(
                    "{} IOPS before 1700 s, {} after 1850 s",
                    short(before),
                    short(after)
                ),
            )
        },
    },
    Check {
        id: "C265",
        needs: &[
            job(V3_120, State::Used, super::compression::SCATTERED_HARD),
            job(V3_120, State::Used, super::compression::SCATTERED),
            test(I525, DRIVES_2013),
        ],
        judge: |s| {
            let scatter: Vec<f64> = s[..2].iter().map(|s| variation(&later(s))).collect();
            Finding::new(
                falls(&scatter),
                format!(
                    "data that do not compress and data that do: {}",
                    row(&scatter, "of the mean")
                ),
            )
        },
    },
    Check {
        id: "C266",
        needs: &[
            test(S3700, DRIVES_2013),
            test(I525, DRIVES_2013),
            test(I335, DRIVES_2013),
            test(NEUTRON, DRIVES_2013),
            test(VECTOR, DRIVES_2013),
            test(S840, DRIVES_2013),
        ],
        judge: |s| {
            let most = s
                .iter()
                .map(|s| later(s).into_iter().fold(f64::NAN, f64::max));
            let most: Vec<f64> = most.collect();
            Finding::new(
                most.iter().all(|&iops| iops < 50_000.0),
                row(&most, "IOPS at most"),
            )
        },
    },
    Check {
        id: "C267",
        needs: &[
            test(I525, DRIVES_2013),
            test(NEUTRON, DRIVES_2013),
            test(VECTOR, DRIVES_2013),
            test(S840, DRIVES_2013),
        ],
        judge: |s| {
            let lows: Vec<f64> = s.iter().map(|s| least(&later(s))).collect();
            let worse = lows[1..].iter().filter(|&&other| other < lows[0]).count();
            Finding::new(
                worse >= 2 && variation(&later(&s[0])) > 0.1,
                format!("least {}", row(&lows, "IOPS")),
            )
        },
    },
];
