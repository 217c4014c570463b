//! Drives that are lost in a switch of power states.

use super::*;
use crate::check::{Check, Finding, experiment};
use crate::wakings::LOST;

/// The fault, as rare as makes a test short.
const FAULT: &str = "faults.lost_waking=100";

pub static CHECKS: &[Check] = &[
    Check {
        id: "C218",
        needs: &[
            experiment(V3_240, &LOST).with(FAULT),
            experiment(V3_240, &LOST),
        ],
        judge: |s| {
            let [with, without] = [0, 1].map(|n| s[n].get("bursts_with_pauses"));
            let all = s[0].get("bursts");
            Finding::new(
                with < all && without == all,
                format!(
                    "with the fault the drive is off its bus after {with} bursts of reads, without it \
                     never in {all}"
                ),
            )
        },
    },
    Check {
        id: "C219",
        needs: &[experiment(V3_240, &LOST).with(FAULT)],
        judge: |s| {
            let [all, with, without] =
                ["bursts", "bursts_with_pauses", "bursts_without"].map(|m| s[0].get(m));
            Finding::new(
                with < all && without == all,
                format!(
                    "with pauses of a second the drive is lost after {with} bursts of reads, without \
                     pauses never in {without}"
                ),
            )
        },
    },
];
