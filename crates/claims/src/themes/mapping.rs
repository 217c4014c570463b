//! Used drives, and the memory that their tables need.

use super::*;
use crate::check::{Check, Finding, job, test, tested};
use ftlab_play::states::State;

const B1: &str = "randwrite-4k-qd3-8gb";

/// Swapping: small reads and writes anywhere.
const SWAP: &str = "swap";

fn used_over_new(s: &[Sample]) -> (f64, String) {
    let ratio = s[1].get("mb_s") / s[0].get("mb_s");
    let said = format!(
        "{} new {}, used {} MB/s: {}",
        s[0].drive,
        short(s[0].get("mb_s")),
        short(s[1].get("mb_s")),
        short(ratio)
    );
    (ratio, said)
}

pub static CHECKS: &[Check] = &[
    Check {
        id: "C113",
        needs: &[tested(X25M, B1, "new"), tested(X25M, B1, "used")],
        judge: |s| {
            let (ratio, said) = used_over_new(s);
            Finding::new(near(ratio, 0.64, 0.15), said)
        },
    },
    Check {
        id: "C114",
        needs: &[tested(G2, B1, "new"), tested(G2, B1, "used")],
        judge: |s| {
            let (ratio, said) = used_over_new(s);
            Finding::new(ratio > 0.97, said)
        },
    },
    Check {
        id: "C115",
        needs: &[
            tested(X25M, B1, "new"),
            tested(X25M, B1, "used"),
            tested(G2, B1, "new"),
            tested(G2, B1, "used"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] > rates[2] && rates[3] > rates[1],
                format!("{}; {}", used_over_new(&s[..2]).1, used_over_new(&s[2..]).1),
            )
        },
    },
    Check {
        id: "C117",
        needs: &[tested(X25M, B1, "new"), tested(X25M, B1, "used")],
        judge: |s| {
            // Three minutes of writes do not bring back what only TRIM could.
            let series: Vec<f64> = s[1].series.iter().map(|&ios| ios as f64).collect();
            let (first, last) = series.split_at(series.len() / 2);
            let new = s[0].get("iops");
            Finding::new(
                mean(last) < 0.85 * new,
                format!(
                    "used, {} IOPS in the first half of the run and {} in the second; new, {}",
                    short(mean(first)),
                    short(mean(last)),
                    short(new)
                ),
            )
        },
    },
    Check {
        id: "C118",
        needs: &[
            tested(G2, B1, "new"),
            tested(G2, B1, "used"),
            tested(G2, B1, "new").with("map.dram=12MiB map.entry=4B"),
            tested(G2, B1, "used").with("map.dram=12MiB map.entry=4B"),
        ],
        judge: |s| {
            let (large, said) = used_over_new(&s[..2]);
            let (small, less) = used_over_new(&s[2..]);
            Finding::new(
                large > 0.97 && small < 0.9,
                format!("with its memory {said}; with half of it {less}"),
            )
        },
    },
    Check {
        id: "C119",
        needs: &[
            tested(VERTEX, B1, "new"),
            tested(VERTEX, B1, "used"),
            tested(RAPTOR, B1, "used"),
        ],
        judge: |s| {
            let (ratio, said) = used_over_new(s);
            let disks = s[1].get("mb_s") / s[2].get("mb_s");
            Finding::new(
                near(ratio, 0.54, 0.25) && near(disks, 5.0, 0.3),
                format!("{said}, {} times {RAPTOR}", short(disks)),
            )
        },
    },
    Check {
        id: "C121",
        needs: &[tested(MOMENTUS, B1, "new")],
        judge: |s| {
            let rate = s[0].get("mb_s");
            Finding::new(
                (0.3 * 0.75..=0.7 * 1.25).contains(&rate),
                format!("{} IOPS, {} MB/s", short(s[0].get("iops")), short(rate)),
            )
        },
    },
    Check {
        id: "C123",
        needs: &[
            test(VERTEX, "randread-4k-qd3"),
            test(X25M, "randread-4k-qd3"),
            test(G2, "randread-4k-qd3"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                // The source counts in tens.
                (29.5..40.5).contains(&rates[0]) && rates[1..].iter().all(|&r| near(r, 60.0, 0.2)),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C128",
        needs: &[
            job(X25M, State::Used, SWAP),
            job(MOMENTUS, State::Used, SWAP),
            tested(X25M, B1, "new"),
            tested(X25M, B1, "used"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            let (ratio, said) = used_over_new(&s[2..]);
            Finding::new(
                iops[0] > 10.0 * iops[1] && ratio > 0.5,
                format!("swapping: {}; {said}", list(&s[..2], "iops", "IOPS")),
            )
        },
    },
];
