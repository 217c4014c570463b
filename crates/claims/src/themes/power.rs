//! Watts.

use super::*;
use crate::check::{Check, Finding, test};

/// What a desktop power supply passes on at light load.
const SUPPLY_EFFICIENCY: f64 = 0.8;

pub static CHECKS: &[Check] = &[
    Check {
        id: "C107",
        needs: &[
            test(X25M, "power-idle"),
            test(RAPTOR, "power-idle"),
            test(MOMENTUS, "power-idle"),
        ],
        judge: |s| {
            let watts = of(s, "watts");
            let saved = [1, 2].map(|disk| (watts[disk] - watts[0]) / SUPPLY_EFFICIENCY);
            Finding::new(
                // Whole watts.
                (2.5..5.5).contains(&saved[0]) && saved[1] < saved[0],
                format!(
                    "idle {}; at the outlet, saved against the desktop and the notebook disk: {}",
                    list(s, "watts", "W"),
                    row(&saved, "W")
                ),
            )
        },
    },
    Check {
        id: "C109",
        // Energy and pauses of a notebook's day: less is a longer day.
        needs: &[
            test(X25M, "power-spec"),
            test(SLC, "power-spec"),
            test(CORE, "power-spec"),
            test(MOMENTUS, "power-spec"),
        ],
        judge: |s| {
            let watts = of(s, "watts");
            let others = [1, 2, 3].map(|n| watts[n]);
            Finding::new(
                others.iter().all(|&w| watts[0] < w) && watts[2] >= watts[1],
                list(s, "watts", "W in a notebook's use"),
            )
        },
    },
];
