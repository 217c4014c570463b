//! Counts of a device.

/// Counts of a drive since it was made. All zero for what a drive does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Commands that ended, or were done to bring it to its state.
    pub host_commands: u64,
    /// Bytes that the host wrote, as far as they have left the write buffer.
    pub host_bytes_written: u64,
    /// Bytes of the pages that were programmed. Divided by the former they are its write amplification.
    pub nand_bytes_programmed: u64,
    /// Pages that were read, for whatever reason.
    pub nand_reads: u64,
    /// Pages that were programmed.
    pub nand_programs: u64,
    /// Blocks that were erased.
    pub nand_erases: u64,
    /// Writes that waited for room in the buffer.
    pub buffer_stalls: u64,
    /// Hash over the flash operations in issue order.
    pub operations_hash: u64,
    /// Hash over the ends of commands since it was built, in order: of each, how many were submitted before it and when it
    /// ended. `ftlab run` has the same as `completion_hash`.
    pub completions_hash: u64,
    /// Times that the drive was switched on.
    pub power_cycles: u64,
    /// Times that the power went while it was on.
    pub unsafe_shutdowns: u64,
}
