//! Latency of a command that has the drive to itself: the sum of its parts at queue depth 1.

use super::SsdParams;
use ftlab_base::{Command, CommandKind, Nanos};
use ftlab_host::{Link, Testbed};

/// The parts of the latency of one command that finds the drive idle, the table entry it needs in memory and, as a
/// write, room in the buffer. The firmware may work on after the answer: that is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alone {
    /// System call, driver and interrupt.
    pub host: Nanos,
    /// The command's FISes and its data on the cable.
    pub link: Nanos,
    /// The firmware core until the answer, and stages of the controller beside it, a compressor among them.
    pub firmware: Nanos,
    /// Sensing of the page.
    pub flash: Nanos,
    /// The page's sectors from the flash to the controller.
    pub bus: Nanos,
}

impl Alone {
    /// Sum of all parts.
    #[must_use]
    pub fn total(&self) -> Nanos {
        self.host + self.link + self.firmware + self.flash + self.bus
    }
}

impl SsdParams {
    /// The parts of a read or a write of no more than a slot, in slots of N sectors; a read brings data that do not
    /// compress.
    pub(crate) fn alone(
        &self,
        command: &Command,
        sectors_per_slot: u32,
        testbed: &Testbed,
    ) -> Alone {
        let mut link = Link::new(self.link.end);
        link.plug(&testbed.host());
        let mut data = link.span(u64::from(command.sectors));
        let decision = self.firmware.core(command, sectors_per_slot).decision;
        let (firmware, flash, bus) = match command.kind {
            CommandKind::Read => {
                let first_page = self.first_page(command.sectors);
                // While the rest comes out of the flash, what has come crosses the link.
                let together = self.crosses_together(command.sectors);
                let behind = first_page - self.first_page(together);
                let last = link.span(u64::from(together));
                data = data.max(behind + last) - behind;
                let flash = self.nand.timing.t_read;
                (
                    decision + self.firmware.read_pipeline,
                    flash,
                    first_page - flash,
                )
            }
            // A write is answered from the buffer, so flash and bus have no part in it.
            _ => {
                let compressed = self.link.compression(command, command.sectors);
                let firmware = decision + compressed + self.firmware.write_pipeline;
                (firmware, Nanos::ZERO, Nanos::ZERO)
            }
        };
        let limit = self
            .commands
            .limit
            .map_or(Nanos::ZERO, |limit| limit.latency);
        let drives = Alone {
            host: limit,
            link: link.protocol(self.link.command) + data,
            firmware,
            flash,
            bus,
        };
        Alone {
            host: limit + testbed.alone(drives.total()),
            ..drives
        }
    }
}
