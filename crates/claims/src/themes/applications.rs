//! Programs at work: launches, archives, scans, loads.

use super::*;
use crate::check::{Check, Finding, job, test};
use ftlab_play::states::State;

/// A level of a game: a little data, much work of the CPU, the same on every drive.
const CPU_BOUND: &str = "cpu-bound-load";

pub static CHECKS: &[Check] = &[
    Check {
        id: "C069",
        needs: &[
            test(SLC, "archive-create-200mb-while-extract"),
            test(X25M, "archive-create-200mb-while-extract"),
            test(CORE, "archive-create-200mb-while-extract"),
        ],
        judge: |s| {
            let took = of(s, "create_seconds");
            let ratios: Vec<f64> = took[..2].iter().map(|t| t / took[2]).collect();
            Finding::new(
                ratios.iter().all(|&ratio| near(ratio, 0.7, 0.15)),
                format!(
                    "{}; of the last drive's time {}",
                    list(s, "create_seconds", "s"),
                    row(&ratios, "")
                ),
            )
        },
    },
    Check {
        id: "C095",
        needs: &[
            test(X25M, "launch-photoshop-cs3"),
            test(X25M, "launch-powerpoint2007"),
            test(RAPTOR, "launch-photoshop-cs3"),
            test(RAPTOR, "launch-powerpoint2007"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let ratios = [took[0] / took[2], took[1] / took[3]];
            Finding::new(
                near(mean(&ratios), 0.5, 0.25),
                format!("of the disk's time: {}", row(&ratios, "")),
            )
        },
    },
    Check {
        id: "C096",
        needs: &[
            job(X25M, State::Filled, CPU_BOUND),
            job(SLC, State::Filled, CPU_BOUND),
            job(CORE, State::Filled, CPU_BOUND),
            job(MOMENTUS, State::Filled, CPU_BOUND),
            job(RAPTOR, State::Filled, CPU_BOUND),
        ],
        judge: |s| {
            let took: Vec<f64> = s.iter().map(|s| s.seconds).collect();
            Finding::new(
                spread(&took) < 1.05,
                format!(
                    "20 s of work with 2.6 MB of reads between: {}",
                    row(&took, "s")
                ),
            )
        },
    },
];
