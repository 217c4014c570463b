//! The sections of an SSD, and what follows from several of them.

use super::own::OwnPolicies;
use super::section::{Section, Sheet, Unread};
use super::sections::checkpoint::CheckpointKeys;
use super::sections::faults::{FaultKeys, Has};
use super::sections::firmware::{Buffer, Firmware, PowerLoss, Queue, ReadOn, Release};
use super::sections::gc::{PackedGc, PageGc};
use super::sections::limit::{LimitKeys, limit};
use super::sections::link::Link;
use super::sections::map::{BlockMap, PackedMap, PageMap, Scheme};
use super::sections::nand::Nand;
use super::sections::packed::{Compress, Raise, least_buffer};
use super::sections::power::SsdPowerKeys;
use super::sections::reliability::{EccKeys, ReliabilityKeys, SmartKeys, endurance, reliability};
use super::sections::scheduling::{SchedulingKeys, scheduling};
use super::sections::slc::SlcKeys;
use super::sections::spare::Spare;
use super::sections::thermal::ThermalKeys;
use super::sections::wear::{BlockWear, PageWear};
use crate::ssd::{BufferConfig, CommandsConfig, FaultConfig, LinkConfig, SsdParams};
use ftlab_base::{Layout, Nanos, RootSeed, SECTOR_BYTES};
use ftlab_ftl::block::BlockConfig;
use ftlab_ftl::packed::PackedConfig;
use ftlab_ftl::page::{PageConfig, WearLevelling};
use ftlab_host::Limit;
use ftlab_nand::{Endurance, Reliability};
use ftlab_timing::{NandTiming, SchedulerConfig};
use toml::Table;

/// The sections of an SSD.
#[derive(Debug, Clone)]
pub(super) struct SsdFile {
    pub(super) nand: Nand,
    pub(super) mapping: Mapping,
    pub(super) spare: Spare,
    pub(super) reliability: Option<ReliabilityKeys>,
    ecc: Option<EccKeys>,
    pub(super) smart: Option<SmartKeys>,
    pub(super) faults: Option<FaultKeys>,
    buffer: Buffer,
    firmware: Firmware,
    scheduling: Option<SchedulingKeys>,
    pub(super) link: Link,
    queue: Queue,
    pub(super) limit: Option<Limit>,
    power: Option<SsdPowerKeys>,
    thermal: Option<ThermalKeys>,
    pub(super) power_loss: Option<PowerLoss>,
}

/// The sections that depend on the mapping.
#[derive(Debug, Clone)]
pub(super) enum Mapping {
    Page(Box<PageSections>),
    Block(BlockSections),
    Packed(PackedSections),
}

#[derive(Debug, Clone)]
pub(super) struct PageSections {
    map: PageMap,
    pub(super) gc: PageGc,
    pub(super) wear: Option<PageWear>,
    pub(super) checkpoint: Option<CheckpointKeys>,
    pub(super) slc: Option<SlcKeys>,
}

impl PageSections {
    /// Time that the host must pause before the drive works ahead, if it does.
    fn idle_after(&self) -> Option<Nanos> {
        let folds = self.slc.as_ref().and_then(SlcKeys::fold_after);
        self.gc.idle_after().or(folds)
    }

    /// Checks what follows from two sections.
    fn check(&self, nand: &Nand) -> Result<(), String> {
        if self.slc.is_some() && nand.pages_per_program() > 1 {
            return Err(
                "nand.pages_per_program is not for a drive with [slc], whose blocks of one bit a cell program one page \
                 at a time: leave it out, and give nand.t_program for a page"
                    .to_owned(),
            );
        }
        let folds = self.slc.as_ref().and_then(SlcKeys::fold_after);
        if folds.is_some() && self.gc.idle_after().is_some() {
            return Err(
                "slc.fold_after and gc.idle_after are both given; a drive works in pauses after one span: \
                 leave one of the two out"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

#[derive(Debug, Clone)]
pub(super) struct BlockSections {
    map: BlockMap,
    wear: Option<BlockWear>,
}

#[derive(Debug, Clone)]
pub(super) struct PackedSections {
    map: PackedMap,
    gc: PackedGc,
    compress: Compress,
    raise: Option<Raise>,
}

impl PackedSections {
    fn keeps_parity(&self) -> bool {
        self.raise.as_ref().is_some_and(|raise| raise.parity)
    }
}

/// Every section that an SSD may have, in the order of the guide.
pub(super) const SHEETS: &[Sheet] = &[
    Nand::SHEET,
    PageMap::SHEET,
    BlockMap::SHEET,
    PackedMap::SHEET,
    Spare::SHEET,
    PageGc::SHEET,
    PackedGc::SHEET,
    PageWear::SHEET,
    BlockWear::SHEET,
    CheckpointKeys::SHEET,
    SlcKeys::SHEET,
    Compress::SHEET,
    Raise::SHEET,
    Buffer::SHEET,
    Firmware::SHEET,
    SchedulingKeys::SHEET,
    Link::SHEET,
    Queue::SHEET,
    LimitKeys::SHEET,
    ReliabilityKeys::SHEET,
    EccKeys::SHEET,
    SmartKeys::SHEET,
    FaultKeys::SHEET,
    SsdPowerKeys::SHEET,
    ThermalKeys::SHEET,
    PowerLoss::SHEET,
];

/// Translation layer that a file asks for: checked, and not made yet.
pub(super) enum SchemePlan {
    Page(Box<PageConfig>),
    Block(BlockConfig, Option<Reliability>),
    Packed(Box<PackedConfig>),
}

impl SsdFile {
    /// Returns true if the drive speaks NVMe, as those on lanes of PCI Express do.
    pub(super) fn is_nvme(&self) -> bool {
        self.link.port.is_some()
    }

    /// Reads the sections of an SSD.
    pub(super) fn read(table: Table) -> Result<SsdFile, String> {
        let mut unread = Unread::new(table, SHEETS);
        let mapping = Mapping::read(&mut unread)?;
        let file = SsdFile {
            nand: unread.required()?,
            mapping,
            spare: unread.required()?,
            reliability: unread.optional()?,
            ecc: unread.optional()?,
            smart: unread.optional()?,
            faults: unread.optional()?,
            buffer: unread.required()?,
            firmware: unread.required()?,
            scheduling: unread.optional()?,
            link: unread.required()?,
            queue: unread.required()?,
            limit: limit(&mut unread)?,
            power: unread.optional()?,
            thermal: unread.optional()?,
            power_loss: unread.optional()?,
        };
        unread.finish()?;
        Ok(file)
    }

    /// Bytes of a slot.
    pub(super) fn slot_bytes(&self) -> u64 {
        self.mapping.slot_and_stripe().0
    }

    /// Layout of the array; an error says what cannot be.
    pub(super) fn layout(&self) -> Result<Layout, String> {
        let (slot_bytes, stripe_dies) = self.mapping.slot_and_stripe();
        let layout = self.nand.layout(stripe_dies, slot_bytes)?;
        match &self.mapping {
            Mapping::Page(page) => page.map.with_parity(layout),
            Mapping::Block(_) | Mapping::Packed(_) => Ok(layout),
        }
    }

    /// Bytes of the write buffer.
    pub(super) fn buffer_bytes(&self) -> u64 {
        self.buffer.size.get()
    }

    /// Slots that the host sees.
    pub(super) fn user_slots(&self, layout: &Layout) -> Result<u32, String> {
        self.spare.user_slots(layout, || self.usable_slots(layout))
    }

    /// Slots that data may take, the user's and what is invalid of it.
    pub(super) fn usable_slots(&self, layout: &Layout) -> Result<u32, String> {
        match &self.mapping {
            Mapping::Page(page) => {
                let aside = page.slc.as_ref().map_or(0, |slc| slc.slots_aside(layout));
                Ok(page.gc.usable_slots(layout).saturating_sub(aside))
            }
            Mapping::Block(_) => Ok(layout.slots()),
            Mapping::Packed(packed) => {
                let parity = packed.keeps_parity();
                packed.compress.usable_slots(&packed.gc, parity, layout)
            }
        }
    }

    /// Failures of the array that the file has; an error says what is wrong.
    pub(super) fn failures(&self, seed: RootSeed) -> Result<Option<Reliability>, String> {
        let (keys, ecc, faults) = (&self.reliability, &self.ecc, &self.faults);
        let page_bytes = self.nand.page.get();
        reliability(
            keys.as_ref(),
            ecc.as_ref(),
            faults.as_ref(),
            page_bytes,
            seed,
        )
    }

    /// Distribution of the lives of blocks, even if none fails in a run; an error says what is wrong.
    pub(super) fn endurance(&self) -> Result<Option<Endurance>, String> {
        let lives = self.reliability.as_ref().map(endurance).transpose()?;
        Ok(lives.flatten())
    }

    /// Checks what follows from sections that no translation layer asks for.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(page) = self.mapping.page() {
            page.check(&self.nand)?;
            if page.map.uses_host_memory() && !self.is_nvme() {
                return Err(
                    "map.host_memory: only a drive on lanes of PCI Express reaches the host's memory: give link.port, or leave it out"
                        .to_owned(),
                );
            }
        }
        // The values are made again with the drive; here only the errors count.
        self.nand.timing()?;
        scheduling(self.scheduling.as_ref())?;
        self.link.end()?;
        self.queue.transfer_max()?;
        let joins_planes = self
            .scheduling
            .as_ref()
            .is_some_and(|keys| keys.multi_plane);
        if joins_planes && self.nand.pages_per_program() > 1 {
            return Err(
                "scheduling.multi_plane is for pages that are programmed one by one; with nand.pages_per_program a die \
                 programs those of all its planes anyway: leave one of the two out"
                    .to_owned(),
            );
        }
        self.power.as_ref().map_or(Ok(()), SsdPowerKeys::check)?;
        if let Some(thermal) = &self.thermal {
            thermal.model()?;
            if self.power.is_none() {
                return Err("[thermal] needs [power], which says what warms the drive".to_owned());
            }
        }
        if self.is_nvme() && self.smart.is_some() {
            return Err(
                "smart.vendor names a table of ATA attributes, and a drive with link.port has the logs of \
                 NVMe: leave [smart] out"
                    .to_owned(),
            );
        }
        let has = Has {
            power: self.power.is_some(),
        };
        self.faults
            .as_ref()
            .map_or(Ok(()), |faults| faults.check(has))?;
        self.check_atomic_write()
    }

    /// Plans a translation layer, with policies that the file may name; an error says what cannot be.
    pub(super) fn scheme(
        &self,
        layout: &Layout,
        user_slots: u32,
        (seed, own): (RootSeed, &OwnPolicies),
    ) -> Result<SchemePlan, String> {
        let reliability = self.failures(seed)?;
        let plan = match &self.mapping {
            Mapping::Page(page) => {
                page.map.host_table(user_slots)?;
                let gc = &page.gc;
                let checkpoint = page.checkpoint.as_ref();
                let config = PageConfig {
                    user_slots,
                    reserve_superblocks: gc.reserve.get(),
                    pace: gc.pace(layout, own)?,
                    one_log: !gc.separate.unwrap_or(true),
                    ahead_superblocks: gc.ahead_superblocks()?,
                    policy: gc.victim().policy(own, seed)?,
                    checkpoint: checkpoint
                        .map(|keys| keys.checkpoint(&layout.geometry))
                        .transpose()?,
                    translation: page.map.translation(layout, user_slots)?,
                    streams: gc.separation(layout, user_slots)?,
                    wear: (page.wear.as_ref())
                        .map_or(Ok(WearLevelling::default()), PageWear::levelling)?,
                    slc: (page.slc.as_ref())
                        .map(|slc| slc.config(layout))
                        .transpose()?,
                    reliability,
                };
                // Each part is in order by itself; this looks at them beside each other.
                config.check(layout)?;
                SchemePlan::Page(Box::new(config))
            }
            Mapping::Block(block) => {
                let wear = block.wear.as_ref().map_or((0, 0), BlockWear::levelling);
                SchemePlan::Block(block.map.config(wear, layout, user_slots)?, reliability)
            }
            Mapping::Packed(packed) => {
                let policy = packed.gc.victim().policy(own, seed)?;
                let parity = packed.keeps_parity();
                let (compress, gc) = (&packed.compress, &packed.gc);
                let table = packed.map.table(self.nand.page.get(), user_slots)?;
                let config = PackedConfig {
                    table,
                    reliability,
                    ..compress.config(gc, parity, user_slots, policy)?
                };
                config.check(layout)?;
                SchemePlan::Packed(Box::new(config))
            }
        };
        self.check_buffer(layout, &plan)?;
        Ok(plan)
    }

    /// Placement handles that a host may write to.
    pub(super) fn placement_handles(&self) -> u8 {
        let page = self.mapping.page();
        page.map_or(0, |page| page.gc.placement_handles().unwrap_or(0))
    }

    /// A page-mapped drive collects a whole program unit of each stream before it programs.
    fn check_buffer(&self, layout: &Layout, plan: &SchemePlan) -> Result<(), String> {
        let page = self.nand.page.get();
        let least = match plan {
            SchemePlan::Page(config) => {
                let planes = u64::from(self.nand.planes_per_die.get());
                planes * config.streams.count() as u64 * page
            }
            SchemePlan::Block(..) => page,
            SchemePlan::Packed(config) => least_buffer(layout, config),
        };
        let (slot, size) = (self.slot_bytes(), self.buffer.size.get());
        let least = least.max(slot);
        if size < least || size / slot > u64::from(u32::MAX) {
            return Err(format!(
                "buffer.size: {size} bytes; it must hold a slot and a program unit of each stream, \
                 {least} bytes, and fewer than 2^32 slots"
            ));
        }
        Ok(())
    }

    /// Returns true if what is in the write buffer survives a power cut.
    pub(super) fn keeps_buffer(&self) -> bool {
        let keys = self.power_loss.as_ref();
        let capacitors = keys.and_then(|keys| keys.capacitors.as_ref());
        capacitors.is_some_and(|capacitors| capacitors.get() > 0)
    }

    /// Returns true if a write with FUA flushes everything.
    pub(super) fn fua_flushes_all(&self) -> bool {
        let keys = self.power_loss.as_ref();
        let flushes_all = keys.and_then(|keys| keys.fua_flushes_all.as_ref());
        flushes_all.is_some_and(|flag| flag.get())
    }

    /// Bytes of a slot that are programmed as a whole, or not at all, when the power goes.
    pub(super) fn atomic_write_bytes(&self) -> u64 {
        let keys = self.power_loss.as_ref();
        let atomic = keys.and_then(|keys| keys.atomic_write.as_ref());
        atomic.map_or(self.slot_bytes(), |atomic| atomic.get())
    }

    /// Checks that units which are whole or not make up slots.
    fn check_atomic_write(&self) -> Result<(), String> {
        let (slot, atomic) = (self.slot_bytes(), self.atomic_write_bytes());
        if atomic.is_multiple_of(SECTOR_BYTES) && slot.is_multiple_of(atomic) {
            return Ok(());
        }
        Err(format!(
            "power_loss.atomic_write: {atomic} bytes; it must be whole sectors of {SECTOR_BYTES} bytes, and a \
             slot of {slot} bytes must be made of them"
        ))
    }

    /// Times and memory of the drive; `user_slots` are those of its layer. An error says what cannot be.
    pub(super) fn params(&self, user_slots: u32, seed: RootSeed) -> Result<SsdParams, String> {
        let (slot, firmware) = (self.slot_bytes(), &self.firmware);
        let faults = self.faults.as_ref();
        let dies = self.layout()?.geometry.dies();
        let page_spare = self.nand.page_spare.get() as f64 / self.nand.page.get() as f64;
        // Only page mapping has a pace and pauses, and only packed mapping a compressor.
        let (idle_after, waiting_max, compressed_sector) = match &self.mapping {
            Mapping::Page(page) => (page.idle_after(), page.gc.waiting_max(), Nanos::ZERO),
            Mapping::Block(_) => (None, None, Nanos::ZERO),
            Mapping::Packed(packed) => (None, None, packed.compress.sector()),
        };
        let read_ahead = self.buffer.read_ahead.as_ref();
        Ok(SsdParams {
            capacity_sectors: u64::from(user_slots) * slot / SECTOR_BYTES,
            nand: self.scheduler()?,
            commands: CommandsConfig {
                queue_depth: self.queue.depth.get(),
                transfer_max: self.queue.transfer_max()?,
                limit: self.limit,
            },
            firmware: firmware.config(waiting_max, idle_after),
            buffer: BufferConfig {
                slots: (self.buffer.size.get() / slot) as u32,
                read_ahead_slots: read_ahead.map_or(0, |size| (size.get() / slot) as u32),
                reads_on_by_half: self.buffer.read_on != Some(ReadOn::All),
                outlasts_power: self.keeps_buffer(),
                fua_flushes_all: self.fua_flushes_all(),
                atomic_bytes: self.atomic_write_bytes(),
            },
            host_table: match &self.mapping {
                Mapping::Page(page) => page.map.host_table(user_slots)?,
                Mapping::Block(_) | Mapping::Packed(_) => None,
            },
            link: LinkConfig {
                end: self.link.end()?,
                command: self.link.command.get(),
                compressed_sector,
                corrected_sectors: self.ecc.as_ref().map_or(u32::MAX, EccKeys::sectors),
            },
            power: self.power.as_ref().map(|keys| keys.model(page_spare)),
            thermal: self.thermal.as_ref().map(ThermalKeys::model).transpose()?,
            faults: FaultConfig {
                lost_waking: faults.and_then(|faults| faults.lost_waking(seed)),
                die_failure: faults.and_then(|faults| faults.die_failure(dies, seed)),
            },
        })
    }

    /// Its dies and channels.
    fn scheduler(&self) -> Result<SchedulerConfig, String> {
        let keys = self.scheduling.as_ref();
        let timing = NandTiming {
            slc: self.mapping.slc_times(),
            ..self.nand.timing()?
        };
        let plain = SchedulerConfig {
            register_frees: self.buffer.release == Some(Release::Transferred),
            ..SchedulerConfig::plain(timing, scheduling(keys)?, self.firmware.die_queue.get())
        };
        let Some(keys) = keys else {
            return Ok(plain);
        };
        let together = |is_on: bool| if is_on { self.nand.planes() } else { 1 };
        let apart = together(keys.independent_plane_reads);
        let dies = self.layout()?.geometry.dies();
        if dies.saturating_mul(apart) > u32::from(u16::MAX) {
            return Err(format!(
                "scheduling.independent_plane_reads: {dies} dies of {apart} planes; at most {} planes read by themselves",
                u16::MAX
            ));
        }
        Ok(SchedulerConfig {
            dispatch: keys.dispatch(),
            programs_max: keys.programs_max.as_ref().map(|most| most.get()),
            joins_planes: keys.multi_plane,
            planes_read: together(keys.plane_reads),
            planes_collected: together(keys.plane_collection),
            planes_apart: apart,
            ..plain
        })
    }
}

impl Mapping {
    /// Reads what depends on `map.scheme`.
    fn read(unread: &mut Unread) -> Result<Mapping, String> {
        let scheme = unread.look("map", "scheme");
        let scheme = scheme
            .ok_or("map.scheme is missing: the translation layer, `page`, `block` or `packed`")?;
        let scheme = Scheme::read(scheme)?;
        unread.set_scheme(scheme.name());
        Ok(match scheme {
            Scheme::Page => Mapping::Page(Box::new(PageSections {
                map: unread.required()?,
                gc: unread.required()?,
                wear: unread.optional()?,
                checkpoint: unread.optional()?,
                slc: unread.optional()?,
            })),
            Scheme::Block => Mapping::Block(BlockSections {
                map: unread.required()?,
                wear: unread.optional()?,
            }),
            Scheme::Packed => Mapping::Packed(PackedSections {
                map: unread.required()?,
                gc: unread.required()?,
                compress: unread.required()?,
                raise: unread.optional()?,
            }),
        })
    }

    /// Bytes of a slot, and dies of a superblock.
    fn slot_and_stripe(&self) -> (u64, u32) {
        let (slot, stripe_dies) = match self {
            Mapping::Page(page) => (&page.map.slot, &page.map.stripe_dies),
            Mapping::Block(block) => (&block.map.slot, &block.map.stripe_dies),
            Mapping::Packed(packed) => (&packed.map.slot, &packed.map.stripe_dies),
        };
        (slot.get(), stripe_dies.get())
    }

    /// Reading and programming a page of a block that holds one bit a cell; none does without a cache.
    fn slc_times(&self) -> (Nanos, Nanos) {
        let slc = self.page().and_then(|page| page.slc.as_ref());
        slc.map_or((Nanos::ZERO, Nanos::ZERO), SlcKeys::times)
    }

    /// The sections of page mapping.
    pub(super) fn page(&self) -> Option<&PageSections> {
        match self {
            Mapping::Page(page) => Some(page),
            Mapping::Block(_) | Mapping::Packed(_) => None,
        }
    }
}
