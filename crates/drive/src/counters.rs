//! What a drive has counted.

use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// Totals of a drive since it was made. All zero for what a drive does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Commands completed or applied.
    pub host_ios: u64,
    /// Bytes the host wrote, as far as they have left the write buffer.
    pub host_bytes_written: u64,
    /// Pages read.
    pub nand_reads: u64,
    /// Pages programmed.
    pub nand_programs: u64,
    /// The programs that garbage collection, merges and wear levelling made.
    pub moved_programs: u64,
    /// The reads that were for the mapping table.
    pub map_reads: u64,
    /// The programs that were for the mapping table.
    pub map_programs: u64,
    /// Blocks erased.
    pub nand_erases: u64,
    /// Bytes programmed.
    pub nand_bytes_programmed: u64,
    /// Times a host write had to wait for room in the write buffer.
    pub buffer_stalls: u64,
    /// Trims that covered no whole slot and so changed nothing.
    pub void_trims: u64,
    /// Hash over the operations since it was last restarted.
    pub stream_hash: u64,
}

impl Counters {
    /// What was counted since `earlier`; the hash is the present one.
    #[must_use]
    pub fn since(&self, earlier: &Counters) -> Counters {
        Counters {
            host_ios: self.host_ios - earlier.host_ios,
            host_bytes_written: self.host_bytes_written - earlier.host_bytes_written,
            nand_reads: self.nand_reads - earlier.nand_reads,
            nand_programs: self.nand_programs - earlier.nand_programs,
            moved_programs: self.moved_programs - earlier.moved_programs,
            map_reads: self.map_reads - earlier.map_reads,
            map_programs: self.map_programs - earlier.map_programs,
            nand_erases: self.nand_erases - earlier.nand_erases,
            nand_bytes_programmed: self.nand_bytes_programmed - earlier.nand_bytes_programmed,
            buffer_stalls: self.buffer_stalls - earlier.buffer_stalls,
            void_trims: self.void_trims - earlier.void_trims,
            stream_hash: self.stream_hash,
        }
    }

    /// What was counted of two drives; the hash is of both hashes, in order.
    #[must_use]
    pub fn plus(&self, other: &Counters) -> Counters {
        Counters {
            host_ios: self.host_ios + other.host_ios,
            host_bytes_written: self.host_bytes_written + other.host_bytes_written,
            nand_reads: self.nand_reads + other.nand_reads,
            nand_programs: self.nand_programs + other.nand_programs,
            moved_programs: self.moved_programs + other.moved_programs,
            map_reads: self.map_reads + other.map_reads,
            map_programs: self.map_programs + other.map_programs,
            nand_erases: self.nand_erases + other.nand_erases,
            nand_bytes_programmed: self.nand_bytes_programmed + other.nand_bytes_programmed,
            buffer_stalls: self.buffer_stalls + other.buffer_stalls,
            void_trims: self.void_trims + other.void_trims,
            stream_hash: self.stream_hash.rotate_left(1) ^ other.stream_hash,
        }
    }

    /// That every total can still be counted up.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        let totals = [
            self.host_ios,
            self.host_bytes_written,
            self.nand_reads,
            self.nand_programs,
            self.moved_programs,
            self.map_reads,
            self.map_programs,
            self.nand_erases,
            self.nand_bytes_programmed,
            self.buffer_stalls,
        ];
        let check = |&total: &u64| StateError::count("a total", total);
        totals.iter().try_for_each(check)
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
