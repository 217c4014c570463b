//! `[nand]`: geometry and timing of the array. How many bits a cell holds is in its times and rated cycles.

use crate::file::section::section;
use ftlab_base::{Geometry, Layout, Nanos, SECTOR_BYTES};
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Rate, Time};
use ftlab_timing::NandTiming;

/// The most sectors a slot of a write buffer can tell apart.
const MOST_SECTORS_PER_SLOT: u32 = 128;

section! {
    "nand"
    /// Geometry and timing of the array.
    struct Nand {
        /// Channels.
        channels: Quantity<Count>,
        /// Dies on a channel; on those that have most, if `dies` is given.
        dies_per_channel: Quantity<Count>,
        /// Dies in all, where some channels have one less; if left out, each channel has as many.
        dies: Option<Quantity<Count>>,
        /// Planes of a die.
        planes_per_die: Quantity<Count>,
        /// Blocks of a die.
        blocks_per_die: Quantity<Count>,
        /// Pages of a block.
        pages_per_block: Quantity<Count>,
        /// User bytes of a page.
        page: Quantity<Bytes>,
        /// Bytes of a page beside the user's: metadata and ECC, which cross the channel with it.
        page_spare: Quantity<Bytes>,
        /// The least that a read moves over the channel for each page, however little is wanted of it; if left
        /// out, what is wanted.
        read_unit: Option<Quantity<Bytes>>,
        /// Reading a page into its register.
        t_read: Quantity<Time>,
        /// Programming a page, without the transfer, which `channel_rate` prices.
        t_program: Quantity<Time>,
        /// Erasing a block.
        t_erase: Quantity<Time>,
        /// Rate of one channel.
        channel_rate: Quantity<Rate>,
        /// Command, address and status cycles of an operation.
        channel_command: Quantity<Time>,
    }
}

impl Nand {
    /// Dies of the array: as many on each channel, or in all as the file says.
    fn dies(&self) -> Result<u32, String> {
        let (channels, each) = (self.channels.get(), self.dies_per_channel.get());
        let most = channels.saturating_mul(each);
        match self.dies.as_ref().map(|dies| dies.get()) {
            None => Ok(most),
            Some(dies) if dies <= most && dies > most.saturating_sub(channels) => Ok(dies),
            Some(dies) => Err(format!(
                "nand.dies: {dies} dies on {channels} channels; the fullest must have \
                 nand.dies_per_channel of them, {each}"
            )),
        }
    }

    /// The array in superblocks of `stripe_dies` dies and slots of `slot_bytes`.
    pub(in crate::file) fn layout(
        &self,
        stripe_dies: u32,
        slot_bytes: u64,
    ) -> Result<Layout, String> {
        let bytes = |name: &str, bytes: u64| {
            u32::try_from(bytes).map_err(|_| format!("{name}: {bytes} bytes; at most 2^32 − 1"))
        };
        let geometry = Geometry {
            channels: self.channels.get(),
            dies: self.dies()?,
            planes_per_die: self.planes_per_die.get(),
            blocks_per_die: self.blocks_per_die.get(),
            pages_per_block: self.pages_per_block.get(),
            page_bytes: bytes("nand.page", self.page.get())?,
            slot_bytes: bytes("map.slot", slot_bytes)?,
        };
        let layout = Layout::new(geometry, stripe_dies)?;
        if let Some(unit) = self.read_unit.as_ref().map(|unit| unit.get())
            && (unit > self.page.get() || !unit.is_multiple_of(SECTOR_BYTES))
        {
            return Err(format!(
                "nand.read_unit: {unit} bytes; it must be whole sectors, and at most a page"
            ));
        }
        if slot_bytes < 4096 {
            return Err(format!("map.slot: {slot_bytes} bytes; the least is 4 KiB"));
        }
        if slot_bytes / SECTOR_BYTES > u64::from(MOST_SECTORS_PER_SLOT) {
            return Err(format!("map.slot: {slot_bytes} bytes; the most is 64 KiB"));
        }
        Ok(layout)
    }

    pub(in crate::file) fn timing(&self) -> NandTiming {
        // The spare bytes of a page cross the channel in proportion to its sectors.
        let page = self.page.get() as f64;
        let sector_with_spare = SECTOR_BYTES as f64 * (1.0 + self.page_spare.get() as f64 / page);
        NandTiming {
            t_read: self.t_read.get(),
            t_program: self.t_program.get(),
            t_erase: self.t_erase.get(),
            slc: (Nanos::ZERO, Nanos::ZERO),
            sector_transfer: self.channel_rate.time_of(sector_with_spare),
            command_transfer: self.channel_command.get(),
            read_sectors_least: (self.read_unit.as_ref())
                .map_or(0, |unit| unit.get() / SECTOR_BYTES),
        }
    }
}
