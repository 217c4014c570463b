//! Speed of the model, beside the targets: 8 GiB raw (8 channels × 2 dies × 512 blocks × 256 pages × 4 KiB), 83.7 % of all
//! slots valid, uniform random 4 KiB, greedy, MLC timings, 32 commands outstanding.
//!
//! Every figure is the median of some repetitions on one core. `cargo bench -p ftlab-lab --bench instructions` counts
//! instructions instead, which no other program on the machine can disturb, and `cargo bench -p ftlab --bench mqsim` runs
//! another simulator beside.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark measures wall time, and reports it to a person only"
)]

mod load;
mod remap;

use cap::Cap;
use comfy_table::{CellAlignment, Table, presets};
use load::{Load, Measured, Work};
use std::time::Instant;

/// Counts the bytes that are allocated.
#[global_allocator]
static ALLOCATOR: Cap<std::alloc::System> = Cap::new(std::alloc::System, usize::MAX);

/// Commands of one repetition.
const COMMANDS: u64 = 200_000;
/// Remaps of one repetition of the bare loop.
const REMAPS: u64 = 20_000_000;
/// Repetitions of what takes a fraction of a second, and of what takes seconds.
const REPETITIONS: usize = 11;
const REPETITIONS_LONG: usize = 3;
/// Blocks of a die of the set-up; eight times as many make a drive of 64 GiB.
const BLOCKS_PER_DIE: u32 = 512;
/// Few enough blocks that the tables of the whole drive fit into the caches next to a core.
const BLOCKS_PER_DIE_CACHED: u32 = 64;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A row of the table: a median and its target.
struct Row {
    what: &'static str,
    unit: &'static str,
    measured: f64,
    target: &'static str,
}

fn repeated(load: &mut Load, work: Work) -> Vec<Measured> {
    let run = |_| load.measured(|load| load.work(work, COMMANDS));
    (0..REPETITIONS).map(run).collect()
}

fn of(runs: &[Measured], figure: fn(&Measured) -> f64) -> f64 {
    median(runs.iter().map(figure).collect())
}

fn millions(m: &Measured) -> f64 {
    COMMANDS as f64 / m.seconds / 1e6
}

fn programs(m: &Measured) -> f64 {
    m.programs / m.seconds / 1e6
}

/// A drive of the set-up in its steady state.
fn settled(blocks_per_die: u32) -> Load {
    let mut load = Load::new(blocks_per_die);
    load.fill();
    load.settle();
    load
}

fn writes(rows: &mut Vec<Row>) {
    let empty = ALLOCATOR.allocated();
    let mut load = settled(BLOCKS_PER_DIE);
    let timed = repeated(&mut load, Work::Writes);
    // The drive's memory is what was taken since it was made: the measuring takes none that stays.
    let bytes = (ALLOCATOR.allocated() - empty) as f64;
    let untimed = repeated(&mut load, Work::Untimed);
    let cached = repeated(&mut settled(BLOCKS_PER_DIE_CACHED), Work::Untimed);
    let remaps = (0..REPETITIONS).map(|_| remap::remaps_per_microsecond(REMAPS));
    let remaps = median(remaps.collect());
    let share = 100.0 * of(&untimed, programs) / remaps;
    let row = |what, unit, measured, target| Row {
        what,
        unit,
        measured,
        target,
    };
    rows.extend([
        row("timed random writes", "M/s", of(&timed, millions), "≥ 1"),
        row(
            "… their write amplification",
            "",
            of(&timed, |m| m.amplification),
            "",
        ),
        row(
            "… their NAND operations",
            "M/s",
            of(&timed, |m| m.operations / m.seconds / 1e6),
            "≥ 5",
        ),
        row(
            "untimed page programs",
            "M/s",
            of(&untimed, programs),
            "≥ 20",
        ),
        row("… of what a bare remapping loop does", "%", share, "≥ 15"),
        row("… and that loop", "M/s", remaps, ""),
        row(
            "… of 1 GiB, whose tables fit the caches",
            "M/s",
            of(&cached, programs),
            "",
        ),
        row(
            "memory of the drive, timed",
            "bytes a slot of the host",
            bytes / load.slots as f64,
            "≤ 9",
        ),
        row(
            "…",
            "bytes a slot of the array",
            bytes / load.slots_of_array as f64,
            "",
        ),
    ]);
}

fn reads(rows: &mut Vec<Row>) {
    let mut load = Load::new(BLOCKS_PER_DIE);
    load.fill();
    rows.push(Row {
        what: "timed random reads",
        unit: "M/s",
        measured: of(&repeated(&mut load, Work::Reads), millions),
        target: "≥ 3",
    });
}

fn preconditioning(rows: &mut Vec<Row>) {
    let seconds = |blocks_per_die, prepare: fn(&mut Load)| {
        let seconds = (0..REPETITIONS_LONG).map(|_| {
            let start = Instant::now();
            prepare(&mut Load::new(blocks_per_die));
            start.elapsed().as_secs_f64()
        });
        median(seconds.collect())
    };
    // What `steady-fast` is the short cut of.
    let slow = |load: &mut Load| {
        load.fill();
        load.settle();
    };
    let row = |what, measured, target| Row {
        what,
        unit: "s",
        measured,
        target,
    };
    rows.extend([
        row(
            "8 GiB, filled and written over twice",
            seconds(BLOCKS_PER_DIE, slow),
            "",
        ),
        row(
            "8 GiB, steady-fast",
            seconds(BLOCKS_PER_DIE, Load::start_steady),
            "",
        ),
        row(
            "64 GiB, filled and written over twice",
            seconds(8 * BLOCKS_PER_DIE, slow),
            "",
        ),
        row(
            "64 GiB, steady-fast",
            seconds(8 * BLOCKS_PER_DIE, Load::start_steady),
            "≤ 5",
        ),
    ]);
}

fn main() {
    let mut rows = Vec::new();
    writes(&mut rows);
    reads(&mut rows);
    preconditioning(&mut rows);
    let mut table = Table::new();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_header(["one core", "median", "unit", "target"]);
    for row in rows {
        let measured = format!("{:.3}", row.measured);
        table.add_row([row.what, &measured, row.unit, row.target]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
}
