//! Figures of a recorded trace: counts, and the least write amplification that a drive can have under it.

use ftlab_theory::{Class, greedy, spare_by_root, split};
use ftlab_trace::{BLOCK_BYTES, Look, Profile};
use serde::Serialize;

/// Spare area, as a share of what is written, for which a bound is given.
const SPARES: [f64; 4] = [0.07, 0.14, 0.28, 0.5];

/// Pages of a block of the bound: more make little difference.
const PAGES: u32 = 256;

/// The hottest shares of the written blocks.
pub const HOTTEST: [f64; 3] = [0.01, 0.1, 0.2];

/// All figures of a trace, for programs.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// Name of its file.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// Number of reads.
    pub reads: u64,
    /// Number of writes.
    pub writes: u64,
    /// Number of TRIMs.
    pub trims: u64,
    /// Number of flushes.
    pub flushes: u64,
    /// Requests with a flush before them.
    pub preflushes: u64,
    /// Requests that bypass the buffer.
    pub fua: u64,
    /// Commands that are no reads, writes, TRIMs or flushes.
    pub left_out: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes trimmed.
    pub trimmed_bytes: u64,
    /// Share of the reads among reads and writes.
    pub read_share: Option<f64>,
    /// Time from the first request to the last.
    pub span_ns: u64,
    /// Devices that are addressed.
    pub devices: Vec<Device>,
    /// Percentiles of sizes in bytes: 1, 50, 99 and the largest.
    pub read_sizes_bytes: [Option<u64>; 4],
    /// The same of writes.
    pub write_sizes_bytes: [Option<u64>; 4],
    /// Share of the reads that begin where the one before ended.
    pub sequential_reads: Option<f64>,
    /// The same of writes.
    pub sequential_writes: Option<f64>,
    /// One of how many blocks was followed for what is said below.
    pub blocks_sampled_one_of: u64,
    /// Bytes of the blocks that are addressed.
    pub footprint_bytes: f64,
    /// Bytes of the blocks that are written.
    pub written_footprint_bytes: f64,
    /// Bytes that are written over others.
    pub overwritten_bytes: f64,
    /// Share of the writes to the hottest 1, 10 and 20 % of the written blocks; empty where nothing was written.
    pub hottest: Vec<[f64; 2]>,
    /// Requests by the time since the one before, a row a range: its upper end in nanoseconds (the last has none), the number of
    /// requests, and the sum of their times.
    pub idle: Vec<[u64; 3]>,
    /// Accesses to a block that was accessed before, by the bytes of other blocks in between: the upper end of a range, and the
    /// number of accesses.
    pub reuse_distances: Vec<[f64; 2]>,
    /// Spare area over what is written, and the least write amplification with blocks of one rate of writes together.
    pub least_write_amplification: Vec<[f64; 2]>,
    /// Requests that are earlier than one before them.
    pub disordered: u64,
    /// Requests that do not begin and end at sectors.
    pub unaligned: u64,
    /// Requests without bytes.
    pub empty: u64,
}

#[derive(Debug, Serialize)]
/// A device that a trace names.
pub struct Device {
    /// Its name in the trace.
    pub name: String,
    /// End of the last address.
    pub end_bytes: u64,
}

/// The share of a whole; of nothing there is none.
fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

impl Figures {
    /// The figures of a trace that was read.
    #[must_use]
    pub fn of(look: &Look, profile: &Profile) -> Figures {
        let (scan, blocks) = (&profile.scan, &profile.blocks);
        let [reads, writes, trims, flushes] = scan.requests;
        let [read_bytes, written_bytes, trimmed_bytes, _] = scan.bytes;
        let sizes =
            |kind| [1.0, 50.0, 99.0, 100.0].map(|percent| profile.size_percentile(kind, percent));
        let devices = scan.devices.iter().zip(&scan.ends_bytes);
        let device = |(name, end): (&String, &u64)| Device {
            name: name.clone(),
            end_bytes: *end,
        };
        let idle = (0_u32..).zip(profile.idle.iter().zip(&profile.idle_ns));
        let distances = (0_i32..)
            .zip(&blocks.distances)
            .filter(|(_, count)| **count > 0.0);
        Figures {
            file: look.file.clone(),
            format: look.format.spec().name,
            reads,
            writes,
            trims,
            flushes,
            preflushes: scan.preflushes,
            fua: scan.fua,
            left_out: scan.others,
            read_bytes,
            written_bytes,
            trimmed_bytes,
            read_share: share(reads, reads + writes),
            span_ns: scan.span_ns(),
            // Devices that the trace names and never addresses are left out.
            devices: devices.filter(|(_, end)| **end > 0).map(device).collect(),
            read_sizes_bytes: sizes(0),
            write_sizes_bytes: sizes(1),
            sequential_reads: share(profile.sequential[0], reads),
            sequential_writes: share(profile.sequential[1], writes),
            blocks_sampled_one_of: blocks.one_of,
            footprint_bytes: blocks.footprint_bytes,
            written_footprint_bytes: blocks.written_bytes,
            overwritten_bytes: blocks.overwritten_bytes,
            hottest: HOTTEST
                .iter()
                .filter_map(|&share| Some([share, blocks.hottest(share)?]))
                .collect(),
            idle: idle
                .map(|(decade, (count, ns))| [10_u64.pow(decade + 3), *count, *ns])
                .collect(),
            reuse_distances: distances
                .map(|(n, count)| [2_f64.powi(n) * BLOCK_BYTES as f64, *count])
                .collect(),
            least_write_amplification: least(&blocks.classes()),
            disordered: scan.disordered,
            unaligned: scan.unaligned,
            empty: scan.empty,
        }
    }
}

/// The least write amplification of a drive that holds what the trace writes, for some spare areas: blocks that are
/// written about as often have erase blocks and spare area of their own, shared out in the best way, and each of them
/// is written at random moments. Who knows more than how often a block is written can come below it.
fn least(classes: &[(f64, f64)]) -> Vec<[f64; 2]> {
    if classes.is_empty() {
        return Vec::new();
    }
    let class = |&(addresses, writes): &(f64, f64)| Class { addresses, writes };
    let classes: Vec<Class> = classes.iter().map(class).collect();
    let domain = "classes that were counted are shares of a whole";
    let spare = spare_by_root(&classes).expect(domain);
    let one = |alpha| greedy(alpha, PAGES);
    let at = |op: f64| [op, split(1.0 + op, &classes, &spare, one).expect(domain)];
    SPARES.into_iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_uniform_writes_where_all_blocks_are_alike_and_falls_with_skew() {
        let alike = least(&[(1.0, 1.0)]);
        for [op, wa] in &alike {
            assert_eq!(*wa, greedy(1.0 + op, PAGES).unwrap());
        }
        let skewed = least(&[(0.8, 0.2), (0.2, 0.8)]);
        for (skewed, alike) in skewed.iter().zip(&alike) {
            assert!(
                skewed[1] < alike[1] && skewed[1] >= 1.0,
                "{skewed:?} {alike:?}"
            );
        }
        assert!(least(&[]).is_empty());
    }
}
