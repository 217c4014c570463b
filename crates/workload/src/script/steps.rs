//! The steps of a script: which sectors are read and written, in which order.

use super::{Phase, Script, ScriptError, Transfer};
use ftlab_base::rng::Stream;
use ftlab_base::{Nanos, RootSeed, SECTOR_BYTES};
use rand::RngExt;

/// Requests that jump begin at clusters of 4 KiB, as files do.
pub(crate) const CLUSTER_SECTORS: u64 = 8;

/// Sectors in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// First sector of the range.
    pub lba: u64,
    /// Number of sectors, at least 1.
    pub sectors: u32,
}

/// One step of a program: read, compute, write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    /// The read, which comes first.
    pub read: Option<Run>,
    /// True if that read is the first of a file.
    pub opens_file: bool,
    /// CPU time, on the script's testbed.
    pub cpu: Nanos,
    /// Writes that follow the computing.
    pub writes: Vec<Run>,
    /// Files that these writes begin.
    pub files_begun: u64,
    /// Read after that, one after the other.
    pub checks: Vec<Run>,
}

/// The steps of a script, phase by phase.
#[derive(Debug)]
pub struct StepStream {
    phases: Vec<Phase>,
    seed: RootSeed,
    phase: usize,
    steps: Option<PhaseSteps>,
}

impl StepStream {
    /// The steps of `script` on a drive of `capacity_bytes`.
    ///
    /// # Errors
    /// When its files do not fit the drive.
    pub fn new(
        script: &Script,
        capacity_bytes: u64,
        seed: RootSeed,
    ) -> Result<StepStream, ScriptError> {
        for phase in &script.phases {
            for transfer in phase.read.iter().chain(&phase.write) {
                let end = (transfer.at + transfer.size) * SECTOR_BYTES;
                if end > capacity_bytes {
                    return Err(ScriptError::BeyondDrive {
                        file: script.file.clone(),
                        files: transfer.files.clone(),
                        end,
                        capacity: capacity_bytes,
                    });
                }
            }
        }
        Ok(StepStream {
            phases: script.phases.clone(),
            seed,
            phase: 0,
            steps: None,
        })
    }

    /// Begins the next phase; `None` after the last. What is left of the present one is dropped.
    pub fn next_phase(&mut self) -> Option<&Phase> {
        let phase = self.phases.get(self.phase)?;
        let seed = self.seed.derive(&format!("phase/{}", self.phase));
        self.steps = Some(PhaseSteps::new(phase, seed));
        self.phase += 1;
        Some(phase)
    }

    /// The next step of the present phase; `None` at its end.
    pub fn next_step(&mut self) -> Option<Step> {
        self.steps.as_mut()?.next()
    }
}

/// The steps of one phase.
#[derive(Debug)]
struct PhaseSteps {
    read: Option<Walk>,
    write: Option<Walk>,
    check: Option<Walk>,
    cpu: Nanos,
    /// CPU time that was given out so far.
    cpu_given: Nanos,
    files: u64,
    files_begun: u64,
    is_over: bool,
}

impl PhaseSteps {
    fn new(phase: &Phase, seed: RootSeed) -> PhaseSteps {
        let walk = |transfer: &Option<Transfer>, name: &str| {
            let transfer = transfer.as_ref()?;
            Some(Walk::new(transfer, seed.stream(name)))
        };
        PhaseSteps {
            read: walk(&phase.read, "read"),
            write: walk(&phase.write, "write"),
            check: walk(&phase.check, "check"),
            cpu: phase.cpu,
            cpu_given: Nanos::ZERO,
            files: phase.write.as_ref().map_or(0, |write| write.count),
            files_begun: 0,
            is_over: false,
        }
    }

    /// Reads lead where there are any: for each share of them that is read, the same share is
    /// computed and written, whole requests at a time, the rest at the end.
    fn next(&mut self) -> Option<Step> {
        if self.is_over {
            return None;
        }
        let mut step = Step::default();
        let (done, total) = match (&mut self.read, &mut self.write) {
            (Some(read), write) => {
                let file = read.file();
                step.read = read.next();
                step.opens_file = read.file() != file;
                self.is_over = read.left == 0;
                if let Some(write) = write {
                    let due = share(write.amount, read.moved(), read.amount);
                    while write.moved() < due && (self.is_over || write.ahead() <= due) {
                        step.writes.extend(write.next());
                    }
                }
                (read.moved(), read.amount)
            }
            (None, Some(write)) => {
                step.writes.extend(write.next());
                self.is_over = write.left == 0;
                (write.moved(), write.amount)
            }
            (None, None) => {
                self.is_over = true;
                (1, 1)
            }
        };
        // Shares are of the whole, and what was given out is subtracted: so nothing is lost by rounding.
        let cpu = Nanos(share(self.cpu.0, done, total));
        step.cpu = cpu - self.cpu_given;
        self.cpu_given = cpu;
        if let Some(write) = self.write.as_ref().filter(|write| write.moved() > 0) {
            let begun = 1 + share(self.files - 1, write.moved(), write.amount);
            step.files_begun = begun.min(self.files) - self.files_begun;
            self.files_begun += step.files_begun;
            if let Some(check) = &mut self.check {
                check.stay_in_last_file_of(write);
                let due = share(check.amount, write.moved(), write.amount);
                while check.moved() < due && (self.is_over || check.ahead() <= due) {
                    step.checks.extend(check.next());
                }
            }
        }
        Some(step)
    }
}

/// `of` × `done` / `total`, rounded down.
fn share(of: u64, done: u64, total: u64) -> u64 {
    (u128::from(of) * u128::from(done) / u128::from(total)) as u64
}

/// Requests of one direction.
#[derive(Debug)]
struct Walk {
    at: u64,
    size: u64,
    /// Number of the files.
    count: u64,
    amount: u64,
    left: u64,
    blocks: Vec<(u32, u32)>,
    weights: u64,
    sequential: f64,
    /// Place of the next request that does not jump, from the start of the files.
    position: u64,
    /// The size of the next request.
    block: u32,
    stream: Stream,
}

impl Walk {
    fn new(transfer: &Transfer, stream: Stream) -> Walk {
        let weights = transfer
            .blocks
            .iter()
            .map(|(_, weight)| u64::from(*weight))
            .sum();
        let mut walk = Walk {
            at: transfer.at,
            size: transfer.size,
            count: transfer.count,
            amount: transfer.amount,
            left: transfer.amount,
            blocks: transfer.blocks.clone(),
            weights,
            sequential: transfer.sequential,
            position: 0,
            block: 0,
            stream,
        };
        walk.draw_block();
        walk
    }

    /// The number of the file that the last request ended in; none before the first.
    fn file(&self) -> Option<u64> {
        let last = self.position.checked_sub(1)?;
        Some(share(self.count, last, self.size))
    }

    /// Moves to the file that `written` is at, as far as it is there.
    fn stay_in_last_file_of(&mut self, written: &Walk) {
        let blocks = self.blocks.iter().map(|&(sectors, _)| u64::from(sectors));
        let largest = blocks.max().unwrap_or(0);
        let end = written.position.max(largest);
        let start = end.saturating_sub((written.size / written.count).max(largest));
        let at = written.at + start / CLUSTER_SECTORS * CLUSTER_SECTORS;
        self.position = (self.at + self.position).saturating_sub(at);
        (self.at, self.size) = (at, written.at + end - at);
    }

    /// Sectors moved so far.
    fn moved(&self) -> u64 {
        self.amount - self.left
    }

    /// Sectors moved after the next request.
    fn ahead(&self) -> u64 {
        self.moved() + u64::from(self.block).min(self.left)
    }

    fn draw_block(&mut self) {
        let mut ticket = match self.blocks.len() {
            1 => 0,
            _ => self.stream.random_range(0..self.weights),
        };
        for &(sectors, weight) in &self.blocks {
            let weight = u64::from(weight);
            if ticket < weight {
                self.block = sectors;
                return;
            }
            ticket -= weight;
        }
    }

    fn next(&mut self) -> Option<Run> {
        if self.left == 0 {
            return None;
        }
        let sectors = u64::from(self.block).min(self.left);
        let jumps = self.sequential < 1.0 && self.stream.random::<f64>() >= self.sequential;
        if jumps {
            let places = (self.size - sectors) / CLUSTER_SECTORS + 1;
            self.position = self.stream.random_range(0..places) * CLUSTER_SECTORS;
        } else if self.position + sectors > self.size {
            self.position = 0;
        }
        let run = Run {
            lba: self.at + self.position,
            sectors: sectors as u32,
        };
        self.position += sectors;
        self.left -= sectors;
        self.draw_block();
        Some(run)
    }
}
