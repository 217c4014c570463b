//! The stutter of block mapping behind a buffer of 16 KB.

use super::*;
use crate::check::{Check, Finding, job, test};
use ftlab_play::states::State;

/// Writes of at least N ms, as a share of all.
fn share_above(sample: &Sample, ms: f64) -> f64 {
    let bound = ms * 1e6;
    let histogram = &sample.write.lat_ns_histogram;
    let above = histogram.iter().filter(|(upper, _)| *upper as f64 > bound);
    above.map(|(_, count)| *count).sum::<u64>() as f64 / sample.write.ios.max(1) as f64
}

/// Small writes now and then, each alone, as a log of messages makes them.
const APPENDS: &str = "appends";
/// The same where each makes NTFS write six pages in six places: the data, two of the journal, the record of the
/// file, the bitmap and the directory.
const APPENDS_OF_SIX: &str = "appends-of-six";
const WRITES_OF_SIX: f64 = 6.0;

/// Writes in sequence, and one in ten elsewhere.
const BURST: &str = "burst";
const READS_ALONE: &str = "reads-alone";
const READS_BESIDE: &str = "reads-beside-writes";

pub static CHECKS: &[Check] = &[
    Check {
        id: "C039",
        needs: &[test(CORE, "seqrand-mix-4k-qd1-seq90")],
        judge: |s| {
            let slow = share_above(&s[0], 100.0);
            let between = share_above(&s[0], 2.0) - slow;
            Finding::new(
                slow > 0.01 && slow < 0.5 && between < slow / 5.0,
                format!(
                    "{} % of the writes take over 100 ms, {} % between 2 and 100 ms, the rest less",
                    short(100.0 * slow),
                    short(100.0 * between)
                ),
            )
        },
    },
    Check {
        id: "C045",
        needs: &[job(CORE, State::Filled, APPENDS)],
        judge: |s| {
            let slow = share_above(&s[0], 100.0);
            Finding::new(
                slow > 0.5 && near(s[0].get("lat_max_ms"), 1000.0, 0.4),
                format!(
                    "of writes two seconds apart, {} % take over 100 ms; the longest {} ms",
                    short(100.0 * slow),
                    short(s[0].get("lat_max_ms"))
                ),
            )
        },
    },
    Check {
        id: "C074",
        needs: &[
            test(CORE, "archive-create-200mb-while-extract-5gb"),
            test(MOMENTUS, "archive-create-200mb-while-extract-5gb"),
        ],
        judge: |s| {
            let took = of(s, "extract_seconds");
            let idle = |s: &Sample| {
                let still = s.series_bytes.iter().filter(|&&bytes| bytes == 0).count();
                100.0 * still as f64 / s.series_bytes.len().max(1) as f64
            };
            let idle = [idle(&s[0]), idle(&s[1])];
            Finding::new(
                near(took[0], took[1], 0.3)
                    && s[0].get("pauses") > 0.0
                    && s[1].get("pauses") == 0.0,
                format!(
                    "{}; seconds without data {}; {}",
                    list(s, "extract_seconds", "s"),
                    row(&idle, "%"),
                    list(s, "pauses", "pauses")
                ),
            )
        },
    },
    Check {
        id: "C077",
        needs: &[
            job(CORE, State::Filled, APPENDS_OF_SIX),
            job(CORE, State::Filled, APPENDS_OF_SIX).with("buffer.size=256KiB"),
        ],
        judge: |s| {
            let slow: Vec<f64> = s
                .iter()
                .map(|s| WRITES_OF_SIX * share_above(s, 100.0))
                .collect();
            Finding::new(
                slow[1] < slow[0] / 2.0,
                format!(
                    "of the six writes of an append, {} take over 100 ms with 16 KiB of buffer, {} with 256",
                    short(slow[0]),
                    short(slow[1])
                ),
            )
        },
    },
    Check {
        id: "C078",
        needs: &[job(CORE, State::Filled, BURST)],
        judge: |s| {
            let stalls = s[0].inside.buffer_stalls;
            Finding::new(
                stalls > 0 && s[0].get("lat_max_ms") > 100.0,
                format!(
                    "of 24 writes {stalls} waited for room in the buffer, the longest {} ms",
                    short(s[0].get("lat_max_ms"))
                ),
            )
        },
    },
    Check {
        id: "C079",
        needs: &[
            job(CORE, State::Filled, READS_ALONE),
            job(CORE, State::Filled, READS_BESIDE),
            test("supertalent-mlc-jmf602", "webpage-load-while-extract-5gb"),
        ],
        judge: |s| {
            let reads = [s[0].read.lat_ns_mean / 1e6, s[1].read.lat_ns_mean / 1e6];
            let page = s[2].get("seconds");
            Finding::new(
                reads[1] > 50.0 * reads[0] && page > 10.0,
                format!(
                    "reads take {} ms alone and {} ms beside random writes; a web page during an \
                     extraction {} s",
                    short(reads[0]),
                    short(reads[1]),
                    short(page)
                ),
            )
        },
    },
];
