//! Counters of a drive.

use ftlab_base::{Command, CommandKind, Outcome};
use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// Requests of a host to a drive, by command, as the logs of NVMe drives tell them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCommands {
    /// Reads that ended, well or not.
    pub reads: u64,
    /// Bytes of those that ended well.
    pub bytes_read: u64,
    /// Writes that ended, well or not.
    pub writes: u64,
    /// Those among them that did not begin and end with a slot.
    pub part_writes: u64,
    /// Commands that the drive ended with an error.
    pub failed: u64,
}

impl HostCommands {
    /// Counts a command that has ended. The drive has slots of `slot_sectors`, a power of two.
    pub(crate) fn count(&mut self, command: &Command, outcome: Outcome, slot_sectors: u32) {
        match command.kind {
            CommandKind::Read => {
                self.reads += 1;
                if outcome == Outcome::Good {
                    self.bytes_read += command.bytes();
                }
            }
            CommandKind::Write => {
                self.writes += 1;
                let ends = command.lba.0 | u64::from(command.sectors);
                self.part_writes += u64::from(ends & u64::from(slot_sectors - 1) != 0);
            }
            CommandKind::Trim | CommandKind::Flush => {}
        }
        // A drive that is gone has ended nothing.
        let failed = matches!(outcome, Outcome::WriteFault | Outcome::Unrecoverable);
        self.failed += u64::from(failed);
    }

    /// Every count, in the order in which a journal has them.
    #[must_use]
    pub fn all(self) -> [u64; 5] {
        let HostCommands {
            reads,
            bytes_read,
            writes,
            part_writes,
            failed,
        } = self;
        [reads, bytes_read, writes, part_writes, failed]
    }

    /// Makes the counts again of [`HostCommands::all`].
    #[must_use]
    pub fn of_all([reads, bytes_read, writes, part_writes, failed]: [u64; 5]) -> HostCommands {
        HostCommands {
            reads,
            bytes_read,
            writes,
            part_writes,
            failed,
        }
    }
}

/// Totals of a drive since it was made. All zero for what a drive does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Commands completed or applied.
    pub host_ios: u64,
    /// Bytes the host wrote, as far as they have left the write buffer.
    pub host_bytes_written: u64,
    /// Reads and writes of the host, and what failed.
    pub host: HostCommands,
    /// Pages read, for whatever reason.
    pub nand_reads: u64,
    /// Pages programmed, for whatever reason.
    pub nand_programs: u64,
    /// The programs that garbage collection, merges and wear levelling made.
    pub moved_programs: u64,
    /// The reads that were for the mapping table.
    pub map_reads: u64,
    /// The programs that were for the mapping table.
    pub map_programs: u64,
    /// Blocks erased, for whatever reason.
    pub nand_erases: u64,
    /// Bytes of the pages that were programmed.
    pub nand_bytes_programmed: u64,
    /// Bytes of the pages that were read.
    pub nand_bytes_read: u64,
    /// Times a host write had to wait for room in the write buffer.
    pub buffer_stalls: u64,
    /// Trims that covered no whole slot and so changed nothing.
    pub void_trims: u64,
    /// Hash over the operations since it was last restarted.
    pub stream_hash: u64,
}

/// Numbers of [`Counters`] without the hash.
const TOTALS: usize = size_of::<Counters>() / size_of::<u64>() - 1;

impl Counters {
    /// All but the hash.
    fn totals(&mut self) -> [&mut u64; TOTALS] {
        // Sums and differences go over these; a hash is neither added nor subtracted.
        let host = &mut self.host;
        [
            &mut self.host_ios,
            &mut self.host_bytes_written,
            &mut host.reads,
            &mut host.bytes_read,
            &mut host.writes,
            &mut host.part_writes,
            &mut host.failed,
            &mut self.nand_reads,
            &mut self.nand_programs,
            &mut self.moved_programs,
            &mut self.map_reads,
            &mut self.map_programs,
            &mut self.nand_erases,
            &mut self.nand_bytes_programmed,
            &mut self.nand_bytes_read,
            &mut self.buffer_stalls,
            &mut self.void_trims,
        ]
    }

    fn with(mut self, mut other: Counters, change: fn(&mut u64, u64)) -> Counters {
        let pairs = self.totals().into_iter().zip(other.totals());
        pairs.for_each(|(mine, theirs)| change(mine, *theirs));
        self
    }

    /// Returns the counts since `earlier`; the hash is the present one.
    #[must_use]
    pub fn since(&self, earlier: &Counters) -> Counters {
        self.with(*earlier, |now, before| *now -= before)
    }

    /// Returns the counts of two drives together; the hash is of both hashes, in order.
    #[must_use]
    pub fn plus(&self, other: &Counters) -> Counters {
        Counters {
            stream_hash: self.stream_hash.rotate_left(1) ^ other.stream_hash,
            ..self.with(*other, |sum, more| *sum += more)
        }
    }

    /// Checks that every total can still be counted up.
    pub(crate) fn check(mut self) -> Result<(), StateError> {
        let check = |total: &mut u64| StateError::count("a total", *total);
        self.totals().into_iter().try_for_each(check)
    }

    /// Write amplification where the host wrote anything.
    #[must_use]
    pub fn write_amplification_if_written(&self) -> Option<f64> {
        (self.host_bytes_written > 0).then(|| self.write_amplification())
    }

    /// Write amplification: bytes programmed over bytes the host wrote; 0 without host writes.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        match self.host_bytes_written {
            0 => 0.0,
            bytes => self.nand_bytes_programmed as f64 / bytes as f64,
        }
    }
}
