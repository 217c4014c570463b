//! Traces played back.

use super::*;
use crate::check::{Check, Finding, test, tested};

pub static CHECKS: &[Check] = &[
    Check {
        id: "C242",
        // A drive that reads well, against one that is slower in everything.
        needs: &[
            test(I520, "atsb2011-heavy"),
            test(I320_300, "atsb2011-heavy"),
        ],
        judge: |s| {
            let ahead = |metric| {
                let rates = of(s, metric);
                rates[0] / rates[1]
            };
            let [all, reads, writes] = ["mb_s", "read_mb_s", "write_mb_s"].map(ahead);
            Finding::new(
                reads > 1.05 && all < reads,
                format!(
                    "{I520} over {I320_300}: {} in all, {} in reads, {} in writes",
                    short(all),
                    short(reads),
                    short(writes)
                ),
            )
        },
    },
    Check {
        id: "C243",
        // On new drives, as reviewers get them: a full SF-2281 collects for ever after.
        needs: &[
            tested(I520, "atsb2011-heavy", "new"),
            tested(M4_256, "atsb2011-heavy", "new"),
            tested(I510_250, "atsb2011-heavy", "new"),
            tested(I320_300, "atsb2011-heavy", "new"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[1..].iter().all(|&other| rates[0] > other),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C245",
        needs: &[test(HYPERX, "atsb2011-light"), test(I520, "atsb2011-light")],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] >= rates[1] && near(rates[0], rates[1], 0.1),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
];
