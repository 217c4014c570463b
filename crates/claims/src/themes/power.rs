//! Watts.

use super::*;
use crate::check::{Check, Finding, test};

/// What a desktop power supply passes on at light load.
const SUPPLY_EFFICIENCY: f64 = 0.8;

pub static CHECKS: &[Check] = &[
    Check {
        id: "C106",
        needs: &[
            test(X25M, "power-spec"),
            test(SLC, "power-spec"),
            test(CORE, "power-spec"),
            test(MOMENTUS, "power-spec"),
            test(RAPTOR, "power-spec"),
        ],
        judge: |s| {
            let [idle, typical] = ["idle_watts", "watts"].map(|metric| of(s, metric));
            Finding::new(
                near(idle[0], 0.06, 0.1)
                    && near(typical[0], 0.15, 0.25)
                    && typical[3..].iter().all(|&disk| typical[0] < disk / 3.0),
                format!(
                    "idle {}; in a notebook's use {}",
                    row(&idle, "W"),
                    list(s, "watts", "W")
                ),
            )
        },
    },
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
        id: "C210",
        needs: &[
            test(FALCON2, "power-idle"),
            test(V3_240, "power-idle"),
            test(V3_120, "power-idle"),
        ],
        judge: |s| {
            let watts = of(s, "watts");
            Finding::new(
                near(watts[0], 0.4, 0.2) && near(watts[1], 1.65, 0.2) && watts[2] < watts[1],
                list(s, "watts", "W"),
            )
        },
    },
    Check {
        id: "C211",
        needs: &[
            test(F120, "power-seqwrite"),
            test(I320_120, "power-seqwrite"),
            test(M4_256, "power-seqwrite"),
            test(I510_250, "power-seqwrite"),
            test(V3_240, "power-seqwrite"),
            test(C300_256, "power-seqwrite"),
        ],
        judge: |s| {
            let watts = of(s, "watts");
            Finding::new(
                watts[..3].iter().all(|&w| w < 4.0) && watts[3..].iter().all(|&w| w > 4.0),
                list(s, "watts", "W"),
            )
        },
    },
    Check {
        id: "C212",
        needs: &[
            test(X25M, "power-idle"),
            test(SLC, "power-idle"),
            test(CORE, "power-idle"),
            test(CAVIAR, "power-idle"),
            test(X25M, "power-seqwrite"),
            test(SLC, "power-seqwrite"),
            test(CORE, "power-seqwrite"),
            test(CAVIAR, "power-seqwrite"),
        ],
        judge: |s| {
            let watts = of(s, "watts");
            Finding::new(
                watts[..3].iter().all(|&w| w < watts[3])
                    && watts[4..7].iter().all(|&w| w < watts[7]),
                format!(
                    "idle {}; writing {}",
                    list(&s[..4], "watts", "W"),
                    list(&s[4..], "watts", "W")
                ),
            )
        },
    },
    Check {
        id: "C251",
        needs: &[test(I520, "power-idle"), test(HYPERX, "power-idle")],
        judge: |s| Finding::new(falls(&of(s, "watts")), list(s, "watts", "W")),
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
