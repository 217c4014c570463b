//! The drive of the set-up, and what is asked of it.

use ftlab_base::rng::Stream;
use ftlab_base::{Command, CommandKind, RootSeed, SimTime};
use ftlab_drive::{Catalog, Device};
use ftlab_host::Testbed;
use ftlab_states::State;
use rand::Rng;
use std::collections::VecDeque;
use std::time::Instant;

/// Slots valid, of all slots of the array.
pub const VALID: f64 = 0.837;
/// Commands outstanding at a time.
const DEPTH: u64 = 32;
/// Commands without time that the drive knows ahead.
const LOOKAHEAD: usize = 8;
/// Sectors of a slot.
const SLOT_SECTORS: u64 = 8;
pub const SEED: RootSeed = RootSeed(1);

/// Kind of work that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Writes,
    Reads,
    Untimed,
}

pub struct Load {
    pub drive: Box<dyn Device>,
    pub slots: u64,
    pub slots_of_array: u64,
    rng: Stream,
    now: SimTime,
    done: Vec<ftlab_base::Completion>,
}

impl Load {
    /// The drive as new, with the share of valid slots that the set-up asks for.
    pub fn new(blocks_per_die: u32) -> Load {
        // Set aside before OP is counted: the reserve of 2 blocks of each die, and half of the one
        // under collection.
        let op = (1.0 - 2.5 / f64::from(blocks_per_die)) / VALID - 1.0;
        let settings = [
            format!("spare.op={op}"),
            format!("nand.blocks_per_die={blocks_per_die}"),
        ];
        let file = Catalog::default()
            .load("generic-mlc-8", &settings)
            .expect("it exists");
        let testbed = Testbed::load("anandtech-2008").expect("it exists");
        let drive = file.build(&testbed, SEED).expect("it can be built");
        Load {
            slots: drive.capacity_sectors() / SLOT_SECTORS,
            slots_of_array: slots_of_array(&*drive),
            drive,
            rng: SEED.stream("bench"),
            now: SimTime::ZERO,
            done: Vec::new(),
        }
    }

    pub fn fill(&mut self) {
        for slot in 0..self.slots {
            self.drive
                .apply(command(CommandKind::Write, slot, 0, SimTime::ZERO));
        }
    }

    /// Filled and brought to the steady state by the short cut that `--state steady-fast` takes.
    pub fn start_steady(&mut self) {
        ftlab_states::prepare(&mut *self.drive, State::New, State::SteadyFast, SEED)
            .expect("greedy collection has a closed form");
    }

    pub fn work(&mut self, work: Work, commands: u64) {
        match work {
            Work::Writes => self.timed(CommandKind::Write, commands),
            Work::Reads => self.timed(CommandKind::Read, commands),
            Work::Untimed => self.untimed(commands),
        }
    }

    /// Overwritten as many times as the write amplification needs to settle: twice.
    pub fn settle(&mut self) {
        self.untimed(2 * self.slots);
    }

    fn slot(&mut self) -> u64 {
        ((u128::from(self.rng.next_u64()) * u128::from(self.slots)) >> 64) as u64
    }

    /// Works as a run without time does, which announces commands to the drive a few ahead.
    fn untimed(&mut self, commands: u64) {
        let mut expected = VecDeque::with_capacity(LOOKAHEAD);
        for n in 0..commands + LOOKAHEAD as u64 {
            if n < commands {
                let next = command(CommandKind::Write, self.slot(), 0, SimTime::ZERO);
                self.drive.expect(&next);
                expected.push_back(next);
            }
            if n >= LOOKAHEAD as u64
                && let Some(next) = expected.pop_front()
            {
                self.drive.apply(next);
            }
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
    pub fn measured(&mut self, run: impl FnOnce(&mut Load)) -> Measured {
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

fn slots_of_array(drive: &dyn Device) -> u64 {
    let layer = drive
        .page_layer()
        .expect("the generic drive is page-mapped");
    let mapping = layer.mapping();
    let superblocks = u64::from(mapping.groups) * u64::from(mapping.superblocks_per_group);
    superblocks * u64::from(mapping.slots_per_superblock)
}

#[derive(Clone, Copy)]
pub struct Measured {
    pub seconds: f64,
    pub programs: f64,
    pub operations: f64,
    pub amplification: f64,
}

fn command(kind: CommandKind, slot: u64, id: u64, at: SimTime) -> Command {
    Command::new(kind, id, slot * SLOT_SECTORS, SLOT_SECTORS as u32, at)
}
