//! From what a file says to a drive.

use super::power;
use super::reliability::reliability;
use super::scheduling::scheduling;
use super::schema::{DestageOrder, DiskFile, Gc, Nand, RamFile, Release, Scheme, SsdFile};
use super::{Body, DriveFile};
use super::{faults, packing, placement};
use crate::device::Device;
use crate::disk::{Destage, Disk, DiskParams};
use crate::flashless::Flashless;
use crate::ram::{Ram, RamParams};
use crate::smart::Vendor;
use crate::ssd::{Ssd, SsdParams};
use ftlab_base::amount::{binary, grouped};
use ftlab_base::{Geometry, Layout, Nanos, RootSeed, SECTOR_BYTES};
use ftlab_ftl::TranslationLayer;
use ftlab_ftl::block::{BlockConfig, BlockLayer};
use ftlab_ftl::packed::{PackedConfig, PackedLayer};
use ftlab_ftl::page::{self, Checkpoint, PageConfig, VictimPolicy, policy};
use ftlab_host::Testbed;
use ftlab_nand::Reliability;
use ftlab_sheet::SheetError;
use ftlab_sheet::quantity::{Quantity, Time};
use ftlab_timing::{NandTiming, Scheduling};

/// The most sectors a slot of a write buffer can tell apart.
const MOST_SECTORS_PER_SLOT: u32 = 128;

/// A translation layer as a file describes it: checked, and not made yet.
struct LayerPlan {
    layout: Layout,
    user_slots: u32,
    scheme: SchemePlan,
    reliability: Option<Reliability>,
}

enum SchemePlan {
    Page(Box<PageConfig>),
    Block(BlockConfig),
    Packed(Box<PackedConfig>),
}

impl LayerPlan {
    /// What the tables of the layer and the states of the blocks take at least: a logical and a
    /// physical number a slot, and two counts a block.
    fn table_bytes(&self) -> u64 {
        4 * (u64::from(self.user_slots) + u64::from(self.layout.slots()))
            + 8 * u64::from(self.layout.geometry.blocks())
    }

    fn make(self) -> Result<Box<dyn TranslationLayer>, String> {
        let bytes = self.table_bytes();
        if !gives(bytes) {
            return Err(format!(
                "its tables take at least {} of memory, more than this machine gives; \
                 lower nand.blocks_per_die or nand.dies_per_channel",
                binary(bytes as f64, "B")
            ));
        }
        Ok(match self.scheme {
            SchemePlan::Page(config) => {
                page::layer(self.layout, *config).map_err(|why| why.to_string())?
            }
            SchemePlan::Packed(config) => {
                Box::new(PackedLayer::new(self.layout, *config).map_err(|why| why.to_string())?)
            }
            SchemePlan::Block(config) => Box::new(
                BlockLayer::new(self.layout, config, self.user_slots, self.reliability)
                    .map_err(|why| why.to_string())?,
            ),
        })
    }
}

/// Whether the system gives so much memory. Asked before the tables are made: a table that cannot
/// be had ends the program without a word of what to do.
fn gives(bytes: u64) -> bool {
    let mut asked = Vec::<u8>::new();
    let given = usize::try_from(bytes).is_ok_and(|n| asked.try_reserve_exact(n).is_ok());
    // Or the compiler would see that nobody uses it, and not ask.
    std::hint::black_box(&asked);
    given
}

impl DriveFile {
    /// Bytes the host can address.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        match &self.body {
            Body::Ssd(ssd) => user_slots(ssd, &layout(ssd).expect("checked on reading"))
                .map_or(0, |slots| u64::from(slots) * ssd.map.slot.get()),
            Body::Disk(disk) => disk.disk.capacity.get() / SECTOR_BYTES * SECTOR_BYTES,
            Body::Ram(ram) => ram_params(ram).capacity_sectors * SECTOR_BYTES,
        }
    }

    /// What the drive takes of this machine's memory, at least: its tables.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        match &self.body {
            Body::Ssd(ssd) => self
                .plan(ssd, RootSeed(0))
                .map_or(0, |plan| plan.table_bytes()),
            Body::Disk(_) | Body::Ram(_) => 0,
        }
    }

    /// Makes the drive, as new, behind the test machine's driver.
    ///
    /// # Errors
    /// When the system does not give the memory for it.
    pub fn build(&self, testbed: &Testbed, seed: RootSeed) -> Result<Box<dyn Device>, SheetError> {
        match &self.body {
            Body::Ssd(_) => Ok(Box::new(self.build_ssd(testbed, seed)?)),
            Body::Disk(disk) => {
                let seed = seed.derive(self.slug());
                let mut device = Flashless::new(Disk::new(disk_params(disk), seed));
                device.plug(&testbed.host());
                Ok(Box::new(device))
            }
            Body::Ram(ram) => {
                let mut device = Flashless::new(Ram::new(ram_params(ram)));
                device.plug(&testbed.host());
                Ok(Box::new(device))
            }
        }
    }

    /// Makes the drive as a plain [`Ssd`], which can carry stamps and record its inputs.
    ///
    /// # Errors
    /// When the file describes no flash, or the system does not give the memory for it.
    pub fn build_ssd(&self, testbed: &Testbed, seed: RootSeed) -> Result<Ssd, SheetError> {
        let Body::Ssd(ssd) = &self.body else {
            return Err(self.invalid("it has no flash".into()));
        };
        let plan = self.plan(ssd, seed.derive(self.slug()))?;
        let layer = plan.make().map_err(|why| self.invalid(why))?;
        let scheduling = scheduling(ssd).map_err(|why| self.invalid(why))?;
        let seed = seed.derive(self.slug());
        let faults = ssd.faults.as_ref();
        let params = SsdParams {
            lost_waking: faults.and_then(|faults| faults::lost_waking(faults, seed)),
            die_failure: faults.and_then(|faults| faults::die_failure(faults, ssd, seed)),
            ..ssd_params(ssd, scheduling, layer.slots())
        };
        let mut ssd = Ssd::new(params, layer);
        ssd.plug(&testbed.host());
        Ok(ssd)
    }

    /// Checks everything that making the drive would, so that what is read can also be built, and
    /// makes nothing: a file is read to be shown or listed as well.
    pub(super) fn check(&self) -> Result<(), SheetError> {
        match &self.body {
            Body::Ssd(ssd) => {
                scheduling(ssd).map_err(|why| self.invalid(why))?;
                let power = ssd.power.as_ref().map_or(Ok(()), power::check);
                power.map_err(|why| self.invalid(why))?;
                faults::check(ssd).map_err(|why| self.invalid(why))?;
                self.plan(ssd, RootSeed(0)).map(drop)
            }
            Body::Disk(disk) => disk_params(disk)
                .check()
                .map_err(|why| self.invalid(why.to_string())),
            Body::Ram(ram) => match ram_params(ram).capacity_sectors {
                0 => {
                    Err(self.invalid("ram.capacity must be at least a sector of 512 bytes".into()))
                }
                _ => Ok(()),
            },
        }
    }

    pub(super) fn invalid(&self, why: String) -> SheetError {
        SheetError::Invalid {
            file: self.slug.clone(),
            why,
        }
    }

    fn plan(&self, ssd: &SsdFile, seed: RootSeed) -> Result<LayerPlan, SheetError> {
        let layout = layout(ssd).map_err(|why| self.invalid(why))?;
        let user_slots = user_slots(ssd, &layout).map_err(|why| self.invalid(why))?;
        if ssd.map.scheme != Scheme::Packed {
            packing::refuse_elsewhere(ssd).map_err(|why| self.invalid(why))?;
        }
        let reliability = reliability(ssd, seed).map_err(|why| self.invalid(why))?;
        let smart = ssd.smart.as_ref().map(|keys| Vendor::named(&keys.vendor));
        smart.transpose().map_err(|why| self.invalid(why))?;
        let scheme = match ssd.map.scheme {
            Scheme::Page => {
                let fails = reliability.clone();
                let config = self.page_config(ssd, &layout, user_slots, fails, seed)?;
                SchemePlan::Page(Box::new(config))
            }
            Scheme::Block => SchemePlan::Block(self.block_config(ssd, &layout, user_slots)?),
            Scheme::Packed => {
                let fails = reliability.clone();
                let config = self.packed_config(ssd, &layout, user_slots, fails, seed)?;
                SchemePlan::Packed(Box::new(config))
            }
        };
        // A page-mapped drive collects a whole program unit of each stream before it programs.
        let least = match &scheme {
            SchemePlan::Page(config) => {
                let planes = u64::from(ssd.nand.planes_per_die.get());
                planes * config.streams.count() as u64 * ssd.nand.page.get()
            }
            SchemePlan::Block(_) => ssd.nand.page.get(),
            SchemePlan::Packed(config) => packing::least_buffer(ssd, &layout, config),
        };
        let least = least.max(ssd.map.slot.get());
        let size = ssd.buffer.size.get();
        if size < least || size / ssd.map.slot.get() > u64::from(u32::MAX) {
            return Err(self.invalid(format!(
                "buffer.size: {size} bytes; it must hold a slot and a program unit of each stream, \
                 {least} bytes, and fewer than 2^32 slots"
            )));
        }
        Ok(LayerPlan {
            layout,
            user_slots,
            scheme,
            reliability,
        })
    }

    fn page_config(
        &self,
        ssd: &SsdFile,
        layout: &Layout,
        user_slots: u32,
        reliability: Option<Reliability>,
        seed: RootSeed,
    ) -> Result<PageConfig, SheetError> {
        let gc = ssd
            .gc
            .as_ref()
            .ok_or_else(|| self.invalid("map.scheme `page` needs a [gc] section".into()))?;
        let policy = self.victim_policy(gc, seed)?;
        if ssd.map.log_blocks.is_some() || ssd.map.copy_window.is_some() {
            return Err(self.invalid(
                "map.log_blocks and map.copy_window belong to map.scheme `block`".into(),
            ));
        }
        let counted = |key: &str, bytes: u64, of: u64| {
            u32::try_from(bytes.div_ceil(of)).map_err(|_| {
                let (bytes, most) = (grouped(bytes), grouped(of * u64::from(u32::MAX)));
                self.invalid(format!("checkpoint.{key}: {bytes} bytes, at most {most}"))
            })
        };
        let checkpoint = match &ssd.checkpoint {
            Some(c) => Some(Checkpoint {
                every_slots: counted("every", c.every.get(), ssd.map.slot.get())?,
                pages: counted("size", c.size.get(), ssd.nand.page.get())?,
            }),
            None => None,
        };
        let config = PageConfig {
            user_slots,
            reserve_superblocks: placement::reserve(gc, layout, user_slots),
            batch_slots: batch_slots(gc, layout),
            ahead_superblocks: ahead(gc).map_err(|why| self.invalid(why))?,
            policy,
            checkpoint,
            translation: placement::translation(&ssd.map, layout, user_slots)
                .map_err(|why| self.invalid(why))?,
            streams: placement::streams(gc, layout, user_slots).map_err(|why| self.invalid(why))?,
            wear: placement::page_wear(ssd.wear.as_ref()).map_err(|why| self.invalid(why))?,
            reliability,
        };
        config
            .check(layout)
            .map_err(|why| self.invalid(why.to_string()))?;
        Ok(config)
    }

    fn victim_policy(&self, gc: &Gc, seed: RootSeed) -> Result<Box<dyn VictimPolicy>, SheetError> {
        let stream = seed.stream("victim");
        policy(&gc.policy, &gc.parameters(), stream)
            .map_err(|why| self.invalid(format!("[gc]: {why}")))
    }

    fn packed_config(
        &self,
        ssd: &SsdFile,
        layout: &Layout,
        user_slots: u32,
        reliability: Option<Reliability>,
        seed: RootSeed,
    ) -> Result<PackedConfig, SheetError> {
        let gc = ssd
            .gc
            .as_ref()
            .ok_or_else(|| self.invalid("map.scheme `packed` needs a [gc] section".into()))?;
        let policy = self.victim_policy(gc, seed)?;
        let config = packing::config(ssd, user_slots, policy, reliability)
            .map_err(|why| self.invalid(why))?;
        config
            .check(layout)
            .map_err(|why| self.invalid(why.to_string()))?;
        Ok(config)
    }

    fn block_config(
        &self,
        ssd: &SsdFile,
        layout: &Layout,
        user_slots: u32,
    ) -> Result<BlockConfig, SheetError> {
        if ssd.gc.is_some() || ssd.checkpoint.is_some() {
            return Err(self.invalid("[gc] and [checkpoint] belong to map.scheme `page`".into()));
        }
        if ssd.map.dram.is_some() || ssd.map.entry.is_some() {
            return Err(self.invalid("map.dram and map.entry belong to map.scheme `page`".into()));
        }
        let log_blocks = ssd.map.log_blocks.as_ref();
        let log_blocks = log_blocks
            .ok_or_else(|| self.invalid("map.scheme `block` needs map.log_blocks".into()))?;
        let (wear_every_merges, wear_blocks) =
            placement::block_wear(ssd.wear.as_ref()).map_err(|why| self.invalid(why))?;
        let config = BlockConfig {
            log_blocks: log_blocks.get(),
            copy_window_pages: ssd.map.copy_window.as_ref().map(|w| w.get()),
            wear_every_merges,
            wear_blocks,
        };
        config
            .check(layout, user_slots)
            .map_err(|why| self.invalid(why.to_string()))?;
        Ok(config)
    }
}

/// Dies of the array: as many on each channel, or in all as the file says.
fn dies(nand: &Nand) -> Result<u32, String> {
    let (channels, each) = (nand.channels.get(), nand.dies_per_channel.get());
    let most = channels.saturating_mul(each);
    match nand.dies.as_ref().map(|dies| dies.get()) {
        None => Ok(most),
        Some(dies) if dies <= most && dies > most.saturating_sub(channels) => Ok(dies),
        Some(dies) => Err(format!(
            "nand.dies: {dies} dies on {channels} channels; the fullest must have \
             nand.dies_per_channel of them, {each}"
        )),
    }
}

pub(super) fn layout(ssd: &SsdFile) -> Result<Layout, String> {
    let nand = &ssd.nand;
    let bytes = |name: &str, bytes: u64| {
        u32::try_from(bytes).map_err(|_| format!("{name}: {bytes} bytes; at most 2^32 − 1"))
    };
    let geometry = Geometry {
        channels: nand.channels.get(),
        dies: dies(nand)?,
        planes_per_die: nand.planes_per_die.get(),
        blocks_per_die: nand.blocks_per_die.get(),
        pages_per_block: nand.pages_per_block.get(),
        page_bytes: bytes("nand.page", nand.page.get())?,
        slot_bytes: bytes("map.slot", ssd.map.slot.get())?,
    };
    let layout = Layout::new(geometry, ssd.map.stripe_dies.get()).map_err(|e| e.to_string())?;
    if let Some(unit) = nand.read_unit.as_ref().map(|unit| unit.get())
        && (unit > nand.page.get() || !unit.is_multiple_of(SECTOR_BYTES))
    {
        return Err(format!(
            "nand.read_unit: {unit} bytes; it must be whole sectors, and at most a page"
        ));
    }
    if geometry.slot_bytes < 4096 {
        return Err(format!(
            "map.slot: {} bytes; the least is 4 KiB",
            geometry.slot_bytes
        ));
    }
    if u64::from(geometry.slot_bytes) / SECTOR_BYTES > u64::from(MOST_SECTORS_PER_SLOT) {
        return Err(format!(
            "map.slot: {} bytes; the most is 64 KiB",
            geometry.slot_bytes
        ));
    }
    Ok(layout)
}

/// Slots that a group of dies collects in one go; 0 to collect in step with the host's writes.
fn batch_slots(gc: &Gc, layout: &Layout) -> u32 {
    let superblocks = gc.batch.as_ref().map_or(0.0, |batch| batch.base);
    (superblocks * f64::from(layout.slots_per_superblock)).ceil() as u32
}

/// Slots the host sees. `op` is what is left of the array beside the user's data and what never
/// holds data, over the user's data, so that the closed forms for write amplification hold for `op`
/// as it stands. What never holds data is, in each group of dies and on average, the reserve and the
/// half of the superblock under collection that has been copied already; where superblocks are
/// collected in batches, half a superblock and half a batch.
fn user_slots(ssd: &SsdFile, layout: &Layout) -> Result<u32, String> {
    let slot = ssd.map.slot.get();
    match (&ssd.spare.op, &ssd.spare.user_capacity) {
        (Some(_), Some(_)) => Err("[spare] has both user_capacity and op; give one".into()),
        (Some(op), None) if ssd.map.scheme == Scheme::Packed => {
            let usable = packing::usable_slots(ssd, layout)?;
            Ok((f64::from(usable) / (1.0 + op.base)) as u32)
        }
        (Some(op), None) => {
            let slots = u64::from(layout.slots_per_superblock);
            let kept = ssd.gc.as_ref().map_or(0, |gc| {
                let batch = u64::from(batch_slots(gc, layout));
                u64::from(gc.reserve.get()) * slots + (slots + batch) / 2
            });
            let reserve = kept * u64::from(layout.groups);
            let usable = u64::from(layout.slots()).saturating_sub(reserve);
            Ok((usable as f64 / (1.0 + op.base)) as u32)
        }
        (None, Some(capacity)) => {
            let slots = capacity.get() / slot;
            if slots > u64::from(layout.slots()) {
                return Err(format!(
                    "spare.user_capacity: {} bytes on an array of {} bytes",
                    capacity.get(),
                    layout.geometry.raw_bytes()
                ));
            }
            Ok(slots as u32)
        }
        (None, None) => Err("[spare] needs user_capacity or op".into()),
    }
}

fn ssd_params(ssd: &SsdFile, scheduling: Scheduling, user_slots: u32) -> SsdParams {
    let sector = SECTOR_BYTES as f64;
    let page = ssd.nand.page.get() as f64;
    // The spare bytes of a page cross the channel in proportion to its sectors.
    let sector_with_spare = sector * (1.0 + ssd.nand.page_spare.get() as f64 / page);
    let nand = NandTiming {
        t_read: ssd.nand.t_read.get(),
        t_program: ssd.nand.t_program.get(),
        t_erase: ssd.nand.t_erase.get(),
        sector_transfer: ssd.nand.channel_rate.time_of(sector_with_spare),
        command_transfer: ssd.nand.channel_command.get(),
        read_sectors_least: (ssd.nand.read_unit.as_ref())
            .map_or(0, |unit| unit.get() / SECTOR_BYTES),
    };
    let scheduled = ssd.scheduling.as_ref();
    SsdParams {
        capacity_sectors: u64::from(user_slots) * ssd.map.slot.get() / SECTOR_BYTES,
        nand,
        queue_depth: ssd.queue.depth.get(),
        buffer_slots: (ssd.buffer.size.get() / ssd.map.slot.get()) as u32,
        buffer_frees_by_register: ssd.buffer.release == Release::Transferred,
        die_queue: ssd.firmware.die_queue.get(),
        joins_planes: scheduled.is_some_and(|keys| keys.multi_plane),
        programs_max: scheduled.and_then(|keys| Some(keys.programs_max.as_ref()?.get())),
        plane_reads: scheduled.is_some_and(|keys| keys.plane_reads),
        scheduling,
        write_command: ssd.firmware.write_command.get(),
        read_command: ssd.firmware.read_command.get(),
        read_slot: ssd.firmware.per_slot.get(),
        write_slot: ssd
            .firmware
            .write_slot
            .as_ref()
            .unwrap_or(&ssd.firmware.per_slot)
            .get(),
        read_pipeline: time_or_none(ssd.firmware.read_pipeline.as_ref()),
        write_pipeline: time_or_none(ssd.firmware.write_pipeline.as_ref()),
        idle_after: (ssd.gc.as_ref().and_then(|gc| gc.idle_after.as_ref())).map(|time| time.get()),
        lost_waking: None,
        die_failure: None,
        collected_page: time_or_none(ssd.firmware.collected_page.as_ref()),
        compressed_sector: ssd
            .compress
            .as_ref()
            .and_then(|compress| compress.rate.as_ref())
            .map_or(Nanos::ZERO, |rate| rate.time_of(sector)),
        link_sector: ssd.link.rate.time_of(sector),
        link_command: ssd.link.command.get(),
        overlap: ssd.firmware.overlap,
        power: power::ssd_power(ssd),
    }
}

fn time_or_none(time: Option<&Quantity<Time>>) -> Nanos {
    time.map_or(Nanos::ZERO, |time| time.get())
}

/// Superblocks made writable ahead; it takes a number and a span.
fn ahead(gc: &Gc) -> Result<u32, String> {
    match (&gc.ahead, &gc.idle_after) {
        (None, None) => Ok(0),
        (Some(ahead), Some(_)) => Ok(ahead.get()),
        (Some(_), None) => Err("gc.ahead needs gc.idle_after, how long the host must pause".into()),
        (None, Some(_)) => {
            Err("gc.idle_after needs gc.ahead, superblocks made writable ahead".into())
        }
    }
}

fn disk_params(file: &DiskFile) -> DiskParams {
    let DiskFile {
        disk,
        cache,
        link,
        queue,
        power,
    } = file;
    let mb_s = |rate: f64| rate / 1e6;
    DiskParams {
        rpm: disk.rpm.get(),
        capacity_sectors: disk.capacity.get() / SECTOR_BYTES,
        heads: disk.heads.get(),
        zones: disk.zones.get(),
        outer_mb_s: mb_s(disk.outer_rate.base),
        inner_mb_s: mb_s(disk.inner_rate.base),
        seek_track: disk.seek_track.get(),
        seek_average: disk.seek_average.get(),
        seek_full: disk.seek_full.get(),
        write_settle: disk.write_settle.get(),
        head_switch: disk.head_switch.get(),
        link_sector: link.rate.time_of(SECTOR_BYTES as f64),
        command_overhead: link.command.get(),
        queue_depth: queue.depth.get(),
        write_cache_bytes: cache.write_size.get(),
        write_segments: cache.write_segments.get(),
        destage_sweep: cache.destage_sweep.get(),
        destage: match cache.destage_order {
            DestageOrder::ShortestPositioning => Destage::ShortestPositioning,
            DestageOrder::Elevator => Destage::Elevator,
        },
        destage_wait: cache.destage_wait.get(),
        read_segments: cache.read_segments.get(),
        read_segment_bytes: cache.read_segment_size.get(),
        read_ahead_least_bytes: cache
            .read_ahead_least
            .as_ref()
            .map_or(0, |least| least.get()),
        power: power.as_ref().map(power::disk_power),
    }
}

fn ram_params(file: &RamFile) -> RamParams {
    let ram = &file.ram;
    RamParams {
        capacity_sectors: ram.capacity.get() / SECTOR_BYTES,
        command: ram.command.get(),
        copied_sector: ram.copy_rate.time_of(SECTOR_BYTES as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::gives;

    #[test]
    fn memory_is_asked_for_before_it_is_used() {
        assert!(gives(1 << 20));
        // More than any address space.
        assert!(!gives(1 << 62));
        assert!(!gives(u64::MAX));
    }
}
