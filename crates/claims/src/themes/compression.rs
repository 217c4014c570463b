//! Drives that compress what they write.

use super::*;
use crate::check::{Check, Finding, job};
use ftlab_play::states::State;

const BED: &str = "behardware-2011";
pub const SCATTERED: &str = "randwrite-easy";
pub const SCATTERED_HARD: &str = "randwrite-hard";
const READS_HARD: &str = "reads-of-random-data";
const READS_HALF: &str = "reads-of-data-that-halve";

pub static CHECKS: &[Check] = &[
    Check {
        id: "C172",
        needs: &[
            job(V3_120, State::New, READS_HARD).on(BED, None),
            job(V3_120, State::New, READS_HALF).on(BED, None),
        ],
        judge: |s| {
            let lat: Vec<f64> = s.iter().map(|s| s.read.lat_ns_mean / 1e6).collect();
            Finding::new(
                spread(&lat) < 1.3,
                format!(
                    "random reads of data that do not compress and of data that halve: {}",
                    row(&lat, "ms")
                ),
            )
        },
    },
    Check {
        id: "C229",
        needs: &[
            job(I520, State::New, "write-random-data").on(BED, None),
            job(I520, State::New, "write-half-compressible").on(BED, None),
            job(I520, State::New, "write-zeroes").on(BED, None),
        ],
        judge: |s| {
            let wa = of(s, "wa");
            let written: Vec<f64> = s.iter().map(|s| s.write.bytes as f64 / 1e9).collect();
            Finding::new(
                wa[1] < 0.9 && wa[2] < 0.5,
                format!(
                    "of {} the host wrote, flash took {} times as much",
                    row(&written, "GB"),
                    row(&wa, "")
                ),
            )
        },
    },
];
