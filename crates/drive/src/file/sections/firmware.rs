//! `[firmware]`, `[buffer]`, `[queue]` and `[power_loss]`: the controller and what it holds.

use crate::file::section::{section, words};
use crate::ssd::FirmwareConfig;
use ftlab_base::{Nanos, SECTOR_BYTES};
use ftlab_sheet::quantity::{Bytes, Count, CountOrNone, Flag, Quantity, Time};

/// A page of the host's memory: what NVMe counts the largest transfer in.
const TRANSFER_LEAST: u64 = 4096;

words! {
    /// Until when a slot takes room in the write buffer.
    enum Release {
        /// It is kept until it is in the cells, so that nothing is lost when a program fails.
        Programmed = "programmed",
        /// It goes on to the page register of its die, and the buffer only passes data on.
        Transferred = "transferred",
    }
}

words! {
    /// When a drive reads on ahead of the host.
    enum ReadOn {
        /// Once the host has taken half of what was read ahead.
        Half = "half-taken",
        /// Once it has taken all.
        All = "all-taken",
    }
}

section! {
    "buffer"
    /// The write buffer, and what is read ahead.
    struct Buffer {
        /// Its size; at least a program unit of each stream.
        size: Quantity<Bytes>,
        /// When the room of a slot is free again: `programmed`, in the cells, which it is if left out, or
        /// `transferred`, in the page register of its die.
        release: Option<Release>,
        /// How far the drive reads ahead of a host that reads in order, into room beside that for writes; not at
        /// all if left out.
        read_ahead: Option<Quantity<Bytes>>,
        /// When it reads on: once the host has taken half of that, `half-taken`, which it is if left out, or `all-taken`.
        read_on: Option<ReadOn>,
    }
}

section! {
    "firmware"
    /// The controller's core, which takes one thing after another.
    struct Firmware {
        /// Core time of a write command, without that of its slots. A write is answered after as much of it as a read
        /// command takes; the rest, and the slots, make whatever comes next wait.
        write_command: Quantity<Time>,
        /// Core time of any other command.
        read_command: Quantity<Time>,
        /// Core time of a TRIM, if it is not that of a read. Nothing else is done
        /// meanwhile: TRIM is no queued command of SATA.
        trim_command: Option<Quantity<Time>>,
        /// Core time of each slot of a command.
        per_slot: Quantity<Time>,
        /// Core time of each slot of a write, if it is not that of a read.
        write_slot: Option<Quantity<Time>>,
        /// What a read takes in the controller beside its core time, in stages that have several commands in hand:
        /// it adds to the latency and takes nothing from the rate. None if left out.
        read_pipeline: Option<Quantity<Time>>,
        /// The same of a write, once its data have crossed the link.
        write_pipeline: Option<Quantity<Time>>,
        /// Core time of each page that collection reads; none if left out.
        collected_page: Option<Quantity<Time>>,
        /// Programming a record of the map, which a flush does beside the data, and also where there are none. Flushes that
        /// come meanwhile are done together by the next. If left out, a flush is over when the data are in flash. A drive
        /// with capacitors does neither.
        flush_record: Option<Quantity<Time>>,
        /// NAND operations queued for a die before the firmware waits
        /// ([decision 0003](../decisions/0003-bounded-die-queues.md)).
        die_queue: Quantity<Count>,
        /// Whether the slots of a command follow each other through core, flash and link, instead of the command as
        /// a whole.
        #[serde(default)]
        overlap: bool,
        /// Whether commands are worked off in the order in which they come, so that a read waits with the writes before
        /// it that wait for room in the buffer.
        #[serde(default)]
        in_order: bool,
    }
}

section! {
    "queue"
    /// Command queueing.
    struct Queue {
        /// Commands that the drive takes at a time: 32 with NCQ, 1 without, and then the host's driver orders what
        /// waits.
        depth: Quantity<Count>,
        /// The most that one command moves (MDTS of NVMe); the host splits what is larger. Any size if left out.
        transfer_max: Option<Quantity<Bytes>>,
    }
}

impl Queue {
    /// The most sectors that one command moves, if there is a limit.
    pub(in crate::file) fn transfer_max(&self) -> Result<Option<u32>, String> {
        let sectors = |most: &Quantity<Bytes>| {
            let bytes = most.get();
            let whole = bytes.is_multiple_of(TRANSFER_LEAST);
            whole.then_some((bytes / SECTOR_BYTES) as u32).ok_or_else(|| {
                format!(
                    "queue.transfer_max: {bytes} bytes; it must be whole pages of {TRANSFER_LEAST} bytes"
                )
            })
        };
        self.transfer_max.as_ref().map(sectors).transpose()
    }
}

section! {
    "power_loss"
    /// What becomes of the write buffer when the power goes; without the section, it is lost. It matters to drives
    /// that hold bytes.
    struct PowerLoss {
        /// Capacitors that keep the drive going until the write buffer is in flash; none if left out, or 0.
        capacitors: Option<Quantity<CountOrNone>>,
        /// What is programmed as a whole or not at all when the power goes: a slot that was on its way may be made of
        /// such units of two versions. A slot if left out.
        atomic_write: Option<Quantity<Bytes>>,
        /// Whether a write with FUA makes everything before it safe, as a flush does, and not its own data alone: 1 where a
        /// source says that the firmware does so; not, if left out.
        fua_flushes_all: Option<Quantity<Flag>>,
    }
}

impl Firmware {
    /// Makes the configuration, with what a layer's collection says of waiting and of pauses.
    pub(in crate::file) fn config(
        &self,
        waiting_max: Option<u32>,
        idle_after: Option<Nanos>,
    ) -> FirmwareConfig {
        let trim_command = self.trim_command.as_ref();
        let write_slot = self.write_slot.as_ref();
        FirmwareConfig {
            write_command: self.write_command.get(),
            read_command: self.read_command.get(),
            trim_command: trim_command.unwrap_or(&self.read_command).get(),
            read_slot: self.per_slot.get(),
            write_slot: write_slot.unwrap_or(&self.per_slot).get(),
            read_pipeline: time_or_none(self.read_pipeline.as_ref()),
            write_pipeline: time_or_none(self.write_pipeline.as_ref()),
            collected_page: time_or_none(self.collected_page.as_ref()),
            flush_record: time_or_none(self.flush_record.as_ref()),
            overlap: self.overlap,
            in_order: self.in_order,
            waiting_max,
            idle_after,
        }
    }
}

/// A time that may be left out.
fn time_or_none(time: Option<&Quantity<Time>>) -> Nanos {
    time.map_or(Nanos::ZERO, |time| time.get())
}
