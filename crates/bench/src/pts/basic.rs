//! The basic tests: IOPS, throughput, latency. Each is rounds of accesses until they are steady.

use super::rounds::{self, MINUTE, Variable};
use super::subject::{Load, Subject};
use super::{Finding, metrics};
use ftlab_lab::LabError;
use ftlab_result::quantity::table;

/// Percents of reads, in the order of a round.
const MIXES: [u8; 7] = [100, 95, 65, 50, 35, 5, 0];

/// Bytes of requests, in the order of a mix.
const BLOCKS: [u64; 8] = [
    1024 << 10,
    128 << 10,
    64 << 10,
    32 << 10,
    16 << 10,
    8 << 10,
    4 << 10,
    512,
];

/// The accesses whose IOPS have to be steady: (percent of reads, bytes).
const TRACKED: [(u8, u64); 3] = [(0, 4 << 10), (65, 64 << 10), (100, 1024 << 10)];

/// The mixes, sizes and tracked access of the latency test.
const LATENCY_MIXES: [u8; 3] = [100, 65, 0];
const LATENCY_BLOCKS: [u64; 3] = [8 << 10, 4 << 10, 512];
const LATENCY_TRACKED: (u8, u64) = (0, 4 << 10);

/// Commands outstanding of the throughput test's only thread.
const THROUGHPUT_DEPTH: u32 = 32;

/// IOPS of random accesses: a matrix of mixes and sizes.
pub fn iops(subject: &mut Subject<'_>) -> Result<Finding, LabError> {
    let outstanding = subject.settings.threads * subject.settings.depth;
    let loads = matrix(&MIXES, &BLOCKS, outstanding);
    let tracked = TRACKED.map(|access| place(&loads, access));
    let (steady, cells) = rounds::run(subject, &loads, MINUTE, Variable::Iops, &tracked)?;
    let [write, mixed, read] = tracked.map(|n| cells[n].mean.iops);
    Ok(Finding {
        metrics: metrics(&[
            (table::IOPS.name, write),
            (table::MIXED_64K_IOPS.name, mixed),
            (table::READ_1024K_IOPS.name, read),
        ]),
        steady: Some(steady),
        cells,
        ..Finding::default()
    })
}

/// MB/s of accesses in order, of requests of one size.
pub fn throughput(subject: &mut Subject<'_>, block_bytes: u64) -> Result<Finding, LabError> {
    let loads = [100, 0].map(|read_pct| Load {
        random: false,
        read_pct,
        block_bytes,
        outstanding: THROUGHPUT_DEPTH,
    });
    let (steady, cells) = rounds::run(subject, &loads, MINUTE, Variable::Throughput, &[0, 1])?;
    Ok(Finding {
        metrics: metrics(&[
            (table::MB_S.name, cells[1].mean.mb_s),
            (table::READ_MB_S.name, cells[0].mean.mb_s),
        ]),
        steady: Some(steady),
        cells,
        ..Finding::default()
    })
}

/// Latencies of one command at a time.
pub fn latency(subject: &mut Subject<'_>) -> Result<Finding, LabError> {
    let loads = matrix(&LATENCY_MIXES, &LATENCY_BLOCKS, 1);
    let tracked = place(&loads, LATENCY_TRACKED);
    let (steady, cells) = rounds::run(subject, &loads, MINUTE, Variable::Latency, &[tracked])?;
    Ok(Finding {
        metrics: metrics(&[
            (table::LAT_AVG_MS.name, cells[tracked].mean.lat_avg_ms),
            (table::LAT_MAX_MS.name, cells[tracked].mean.lat_max_ms),
        ]),
        steady: Some(steady),
        cells,
        ..Finding::default()
    })
}

fn matrix(mixes: &[u8], blocks: &[u64], outstanding: u32) -> Vec<Load> {
    let row = |&read_pct: &u8| {
        blocks.iter().map(move |&block_bytes| Load {
            random: true,
            read_pct,
            block_bytes,
            outstanding,
        })
    };
    mixes.iter().flat_map(row).collect()
}

fn place(loads: &[Load], (read_pct, block_bytes): (u8, u64)) -> usize {
    let is_it = |load: &Load| (load.read_pct, load.block_bytes) == (read_pct, block_bytes);
    loads
        .iter()
        .position(is_it)
        .expect("what is tracked is in the matrix")
}
