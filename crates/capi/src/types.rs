//! Types that cross the border, as C has them.

/// What a call came to.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FtlabStatus {
    /// It is done.
    Ok = 0,
    /// A pointer is null, or a text is not UTF-8.
    Argument = 1,
    /// There is no such drive, testbed or state, or a setting is wrong.
    Drive = 2,
    /// A command does not fit the drive, or its id is outstanding.
    Command = 3,
    /// Time would go back, or past something that happens at the drive: advance it there first.
    Past = 4,
    /// The device keeps no data, or no account of power cuts.
    NotKept = 5,
    /// The drive has lost what lies there.
    Unreadable = 6,
    /// A fault of ftlab itself: please report it. The handle can only be freed.
    Panic = 7,
}

/// What a command asks for.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FtlabOperation {
    /// Data come to the host.
    Read = 0,
    /// Data go to the drive.
    Write = 1,
    /// The drive may forget a range.
    Trim = 2,
    /// What was written to a range survives a power cut; of no length, everything written so far.
    Flush = 3,
}

/// A command of the host.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct FtlabCommand {
    /// Chosen by the caller; comes back with the end. No two that are outstanding have the same.
    pub id: u64,
    /// First byte of the range, a multiple of 512.
    pub offset: u64,
    /// Length of the range in bytes, a multiple of 512.
    pub bytes: u64,
    /// What it asks for, an `FtlabOperation`.
    pub operation: u32,
}

/// How a command ended.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FtlabOutcome {
    /// The drive did what was asked, or a fault has it say so.
    Good = 0,
    /// The drive takes no more writes, or a fault has refused this command; what the drive holds stays readable.
    WriteFault = 1,
    /// The data could not be read back, or a fault has it say so.
    Unrecoverable = 2,
    /// The drive did not answer, and the host gave the command up.
    Gone = 3,
}

/// The end of a command.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct FtlabCompletion {
    /// Id of the command that ended.
    pub id: u64,
    /// Instant at which the host saw it end, in nanoseconds.
    pub at_ns: u64,
    /// Success or the reason of failure, an `FtlabOutcome`.
    pub outcome: u32,
    /// A fault may flip a bit of a read on its way to the host: this is the bit's number in its byte, 0 to 7 from the lowest,
    pub flip_bit: u32,
    /// and this the byte's position on the drive; `UINT64_MAX` if no bit was flipped. `ftlab_receive` gives the data with it.
    pub flip_offset: u64,
    /// Where its latency went, if `ftlab_split_latencies` asked for that and the drive is of flash; all 0 if not. The four
    /// together are all of it: the host (queue, processor, limits of the port, what a fault has held back),
    pub host_ns: u64,
    /// the drive's controller with the mapping table,
    pub controller_ns: u64,
    /// the link between them,
    pub link_ns: u64,
    /// and the flash with what waits for its dies, or for room in the write buffer.
    pub flash_ns: u64,
}

/// Counts of a drive since it was made.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct FtlabCounters {
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
    /// Hash over the flash operations in issue order.
    pub operations_hash: u64,
    /// Hash over the ends of commands, in order; `ftlab run` has the same as `completion_hash`.
    pub completions_hash: u64,
}

/// What a power cut has come to.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct FtlabPowerCut {
    /// Slots of which a volatile buffer held something.
    pub volatile_slots: u64,
    /// Bytes whose newest version is lost.
    pub lost_bytes: u64,
    /// Bytes of those that are made of the newest version and an older one.
    pub torn_bytes: u64,
    /// Commands that were outstanding, of which nobody will hear.
    pub outstanding: u64,
}

/// What came of a fault of requests.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct FtlabRequestFault {
    /// Its number, to end it by.
    pub number: u32,
    /// 1 if it is over, and 0 if not.
    pub is_over: u32,
    /// Requests that it was about.
    pub concerned: u64,
    /// Requests with which something went wrong.
    pub hits: u64,
}

/// What goes wrong in the flash.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FtlabFault {
    /// A block wears out: its next erase fails, or a program.
    BadBlock = 0,
    /// Data at a position are beyond what ECC corrects.
    Unreadable = 1,
    /// A die fails.
    Die = 2,
    /// All blocks wear out.
    EndOfLife = 3,
}

/// An attribute of SMART.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct FtlabSmart {
    /// Its number.
    pub id: u8,
    /// 100 at first, less as it gets worse.
    pub value: u8,
    /// The value at which the drive calls itself failing; 0 for never.
    pub threshold: u8,
    /// The raw value, in the unit of the drive's maker.
    pub raw: u64,
}

/// NVMe's log page SMART / Health Information, in the standard's units.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct FtlabNvmeHealth {
    /// Bits for low spare, heat and a drive that is only read; 0 while all is well.
    pub critical_warning: u8,
    /// Degrees Celsius.
    pub celsius: i32,
    /// Percent of the spare blocks that are left.
    pub available_spare: u8,
    /// Percent of the rated cycles that the mean block has had; 255 at most.
    pub percentage_used: u8,
    /// Thousands of 512 bytes that the host read.
    pub data_units_read: u64,
    /// Thousands of 512 bytes that the host wrote.
    pub data_units_written: u64,
    /// Times that the drive was switched on.
    pub power_cycles: u64,
    /// Times that the power went while it was on.
    pub unsafe_shutdowns: u64,
    /// Reads that could not be corrected.
    pub media_errors: u64,
}
