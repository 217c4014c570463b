//! `[nand]`: geometry and timing of the array. How many bits a cell holds is in its times and rated cycles.

use super::page_types;
use crate::file::section::section;
use ftlab_base::{Geometry, Layout, Nanos, SECTOR_BYTES};
use ftlab_sheet::quantity::{Bytes, Count, Duration, Quantity, Rate, Share, Time};
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
        /// Pages of a plane that are programmed together, in one pass: those of a word line, which are as many as a cell
        /// holds bits; 1 if left out. `t_program` is that of all of them.
        pages_per_program: Option<Quantity<Count>>,
        /// Reading a page into its register; the mean of the pages of a word line.
        t_read: Quantity<Duration>,
        /// By what part of `t_read` the first page of a word line is read sooner, and its last one later; needs
        /// `pages_per_program`. 0 if left out.
        t_read_spread: Option<Quantity<Share>>,
        /// Reading a page of a word line's first type, of which `t_read` is the mean then. A drive states the types that
        /// its cells have: LSB and MSB, CSB between them, or TSB behind. Each page has the times of the next type, or
        /// those of a word line that are programmed together.
        t_read_lsb: Option<Quantity<Duration>>,
        /// The same of the second type of three or four.
        t_read_csb: Option<Quantity<Duration>>,
        /// The same of the last type of two or three, and the third of four.
        t_read_msb: Option<Quantity<Duration>>,
        /// The same of the last type of four.
        t_read_tsb: Option<Quantity<Duration>>,
        /// Programming a page, or the pages that are programmed together, without the transfer, which `channel_rate`
        /// prices.
        t_program: Quantity<Duration>,
        /// Erasing a block.
        t_erase: Quantity<Duration>,
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

    /// Planes of a die, which sense together where they do.
    pub(in crate::file) fn planes(&self) -> u32 {
        self.planes_per_die.get()
    }

    /// Pages of a plane that are programmed together.
    pub(in crate::file) fn pages_per_program(&self) -> u32 {
        (self.pages_per_program.as_ref()).map_or(1, |pages| pages.get())
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
        // The pages of a word line are written by one program as those of several planes are: to the layer, each of
        // them is a page of a plane of its own. All first pages of the planes come first, then all second ones.
        let together = self.pages_per_program();
        if together == 0 || !self.pages_per_block.get().is_multiple_of(together) {
            return Err(format!(
                "nand.pages_per_program: {together} pages at a time; it must divide nand.pages_per_block, {}",
                self.pages_per_block.get()
            ));
        }
        // In the file's own numbers: those of the geometry count the pages of a word line as planes.
        let (blocks, planes) = (self.blocks_per_die.get(), self.planes());
        if planes > 0 && !blocks.is_multiple_of(planes) {
            return Err(format!(
                "nand.blocks_per_die: {blocks} blocks do not divide over nand.planes_per_die, {planes}; next to it are {} and {}",
                blocks - blocks % planes,
                blocks.saturating_add(planes - blocks % planes)
            ));
        }
        let geometry = Geometry {
            channels: self.channels.get(),
            dies: self.dies()?,
            planes_per_die: self.planes().saturating_mul(together),
            blocks_per_die: self.blocks_per_die.get().saturating_mul(together),
            pages_per_block: self.pages_per_block.get() / together,
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

    pub(in crate::file) fn timing(&self) -> Result<NandTiming, String> {
        // The spare bytes of a page cross the channel in proportion to its sectors.
        let page = self.page.get() as f64;
        let sector_with_spare = SECTOR_BYTES as f64 * (1.0 + self.page_spare.get() as f64 / page);
        let (page_types, of_type) = page_types::times(self)?;
        Ok(NandTiming {
            t_read: self.t_read.get(),
            t_program: self.t_program.get(),
            page_types,
            of_type,
            pages_per_program: self.pages_per_program(),
            t_erase: self.t_erase.get(),
            slc: (Nanos::ZERO, Nanos::ZERO),
            sector_transfer: self.channel_rate.time_of(sector_with_spare),
            command_transfer: self.channel_command.get(),
            read_sectors_least: (self.read_unit.as_ref())
                .map_or(0, |unit| unit.get() / SECTOR_BYTES),
        })
    }
}
