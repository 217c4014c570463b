//! How fast the model runs, beside the targets and what other simulators of the same set-up do:
//! 8 GiB raw (8 channels × 2 dies × 512 blocks × 256 pages × 4 KiB), 83.7 % of all slots valid,
//! uniform random 4 KiB, greedy, MLC timings, 32 commands outstanding.
//!
//! Every figure is the median of some repetitions on one core.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark measures wall time, and reports it to a person only"
)]

use cap::Cap;
use comfy_table::{CellAlignment, Table, presets};
use ftlab_base::rng::Stream;
use ftlab_base::{Command, CommandId, CommandKind, Content, Lba, RootSeed, SimTime};
use ftlab_drive::{Catalog, Device};
use rand::Rng;
use std::time::Instant;

/// Counts the bytes that are allocated.
#[global_allocator]
static ALLOCATOR: Cap<std::alloc::System> = Cap::new(std::alloc::System, usize::MAX);

/// Slots valid, of all slots of the array.
const VALID: f64 = 0.837;
/// Commands outstanding.
const DEPTH: u64 = 32;
/// Commands of one repetition.
const COMMANDS: u64 = 200_000;
/// Repetitions of what takes a fraction of a second, and of what takes seconds.
const REPETITIONS: usize = 11;
const REPETITIONS_LONG: usize = 3;
/// Blocks of a die of the set-up; eight times as many make a drive of 64 GiB.
const BLOCKS_PER_DIE: u32 = 512;
/// Sectors of a slot.
const SLOT_SECTORS: u64 = 8;

struct Load {
    drive: Box<dyn Device>,
    slots: u64,
    rng: Stream,
    now: SimTime,
    done: Vec<ftlab_base::Completion>,
}

impl Load {
    /// The drive as new, with the share of valid slots that the set-up asks for.
    fn new(blocks_per_die: u32) -> Load {
        // Set aside before OP is counted: the reserve of 2 blocks of each die, and half of the one
        // under collection.
        let op = (1.0 - 2.5 / f64::from(blocks_per_die)) / VALID - 1.0;
        let settings = [
            format!("spare.op={op}"),
            format!("nand.blocks_per_die={blocks_per_die}"),
        ];
        let file = Catalog::load("generic-mlc-8", &settings).expect("it exists");
        let testbed = Catalog::testbed("anandtech-2008").expect("it exists");
        let drive = file.build(&testbed, RootSeed(1)).expect("it can be built");
        Load {
            slots: drive.capacity_sectors() / SLOT_SECTORS,
            drive,
            rng: RootSeed(1).stream("bench"),
            now: SimTime::ZERO,
            done: Vec::new(),
        }
    }

    fn fill(&mut self) {
        for slot in 0..self.slots {
            self.drive
                .apply(command(CommandKind::Write, slot, 0, SimTime::ZERO));
        }
    }

    /// Overwritten as many times as the write amplification needs to settle: twice.
    fn settle(&mut self) {
        self.untimed(2 * self.slots);
    }

    fn slot(&mut self) -> u64 {
        ((u128::from(self.rng.next_u64()) * u128::from(self.slots)) >> 64) as u64
    }

    fn untimed(&mut self, commands: u64) {
        for _ in 0..commands {
            let slot = self.slot();
            self.drive
                .apply(command(CommandKind::Write, slot, 0, SimTime::ZERO));
        }
    }

    fn timed(&mut self, kind: CommandKind, commands: u64) {
        let (mut sent, mut completed) = (0, 0);
        while completed < commands {
            while sent < commands && sent - completed < DEPTH {
                let command = command(kind, self.slot(), sent, self.now);
                self.drive.submit(command, self.now);
                sent += 1;
            }
            let last = self
                .drive
                .advance_to_completion(SimTime::NEVER, &mut self.done);
            self.now = last.expect("commands are outstanding");
            completed += self.done.drain(..).len() as u64;
        }
    }

    /// Seconds that `run` takes, and the page programs and NAND operations it makes.
    fn measured(&mut self, run: impl FnOnce(&mut Load)) -> Measured {
        let before = self.drive.counters();
        let start = Instant::now();
        run(self);
        let seconds = start.elapsed().as_secs_f64();
        let made = self.drive.counters().since(&before);
        Measured {
            seconds,
            programs: made.nand_programs as f64,
            operations: (made.nand_programs + made.nand_reads + made.nand_erases) as f64,
            amplification: made.write_amplification(),
        }
    }
}

#[derive(Clone, Copy)]
struct Measured {
    seconds: f64,
    programs: f64,
    operations: f64,
    amplification: f64,
}

fn command(kind: CommandKind, slot: u64, id: u64, at: SimTime) -> Command {
    Command {
        id: CommandId(id),
        kind,
        lba: Lba(slot * SLOT_SECTORS),
        sectors: SLOT_SECTORS as u32,
        content: Content::RANDOM,
        at,
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What a row of the table says beside the median.
struct Row {
    what: &'static str,
    unit: &'static str,
    measured: f64,
    target: &'static str,
    others: &'static str,
}

fn writes(rows: &mut Vec<Row>) {
    let empty = ALLOCATOR.allocated();
    let mut load = Load::new(BLOCKS_PER_DIE);
    load.fill();
    load.settle();
    let runs = |load: &mut Load, run: fn(&mut Load)| -> Vec<Measured> {
        (0..REPETITIONS).map(|_| load.measured(run)).collect()
    };
    let timed = runs(&mut load, |load| load.timed(CommandKind::Write, COMMANDS));
    let bytes = (ALLOCATOR.allocated() - empty) as f64 / load.slots as f64;
    let untimed = runs(&mut load, |load| load.untimed(COMMANDS));
    let of =
        |runs: &[Measured], figure: fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
    let commands = |m: &Measured| COMMANDS as f64 / m.seconds / 1e6;
    rows.extend([
        Row {
            what: "timed random writes",
            unit: "M/s",
            measured: of(&timed, commands),
            target: "≥ 1",
            others: "MQSim 0.030",
        },
        Row {
            what: "… their write amplification",
            unit: "",
            measured: of(&timed, |m| m.amplification),
            target: "",
            others: "",
        },
        Row {
            what: "… their NAND operations",
            unit: "M/s",
            measured: of(&timed, |m| m.operations / m.seconds / 1e6),
            target: "≥ 5",
            others: "",
        },
        Row {
            what: "untimed page programs",
            unit: "M/s",
            measured: of(&untimed, |m| m.programs / m.seconds / 1e6),
            target: "≥ 20",
            others: "SSSL-ftlsim 10.3",
        },
        Row {
            what: "memory of the drive, timed",
            unit: "bytes a slot",
            measured: bytes,
            target: "≤ 9",
            others: "MQSim 299 MB (169)",
        },
    ]);
}

fn reads(rows: &mut Vec<Row>) {
    let mut load = Load::new(BLOCKS_PER_DIE);
    load.fill();
    let seconds = (0..REPETITIONS).map(|_| {
        let run = |load: &mut Load| load.timed(CommandKind::Read, COMMANDS);
        load.measured(run).seconds
    });
    rows.push(Row {
        what: "timed random reads",
        unit: "M/s",
        measured: median(seconds.map(|s| COMMANDS as f64 / s / 1e6).collect()),
        target: "≥ 3",
        others: "MQSim 0.174 to 0.227",
    });
}

fn preconditioning(rows: &mut Vec<Row>) {
    let both = |blocks_per_die| {
        let seconds = (0..REPETITIONS_LONG).map(|_| {
            let mut load = Load::new(blocks_per_die);
            let filled = load.measured(Load::fill).seconds;
            filled + load.measured(Load::settle).seconds
        });
        median(seconds.collect())
    };
    rows.push(Row {
        what: "8 GiB, filled and to steady state",
        unit: "s",
        measured: both(BLOCKS_PER_DIE),
        target: "",
        others: "MQSim 10.2",
    });
    rows.push(Row {
        what: "64 GiB, filled and to steady state",
        unit: "s",
        measured: both(8 * BLOCKS_PER_DIE),
        target: "≤ 5",
        others: "MQSim 140",
    });
}

fn main() {
    let mut rows = Vec::new();
    writes(&mut rows);
    reads(&mut rows);
    preconditioning(&mut rows);
    let mut table = Table::new();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_header(["one core", "median", "unit", "target", "others"]);
    for row in rows {
        let measured = format!("{:.3}", row.measured);
        table.add_row([row.what, &measured, row.unit, row.target, row.others]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
}
