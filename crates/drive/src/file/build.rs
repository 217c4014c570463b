//! From what a file says to a drive.

use super::drive_file::{Body, DriveFile};
use crate::device::Device;
use crate::disk::Disk;
use crate::faults::{Program, Scripted};
use crate::flashless::Flashless;
use crate::hosted::Hosted;
use crate::ram::Ram;
use crate::ssd::{Alone, Ssd};
use ftlab_base::{Command, CommandKind, Nanos, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_host::Testbed;
use ftlab_sheet::SheetError;

impl DriveFile {
    /// Bytes the host can address.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        match &self.body {
            Body::Ssd(ssd) => {
                let layout = ssd.layout().expect("checked on reading");
                let slots = ssd.user_slots(&layout).expect("checked on reading");
                u64::from(slots) * ssd.slot_bytes()
            }
            Body::Disk(disk) => disk.params().capacity_sectors * SECTOR_BYTES,
            Body::Ram(ram) => ram.params().capacity_sectors * SECTOR_BYTES,
        }
    }

    /// Placement handles that a host may write to; 0 for a drive without any.
    #[must_use]
    pub fn placement_handles(&self) -> u8 {
        match &self.body {
            Body::Ssd(ssd) => ssd.placement_handles(),
            Body::Disk(_) | Body::Ram(_) => 0,
        }
    }

    /// Bytes of this machine's memory that the drive takes, at least: its tables.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let plan = self.ssd().and_then(|ssd| self.plan(ssd, RootSeed(0)).ok());
        plan.map_or(0, |plan| plan.table_bytes())
    }

    /// Times of a command of 4 KiB that has an SSD to itself, part by part: `None` for what is no SSD, and for one
    /// whose slots are smaller.
    ///
    /// # Panics
    /// When it is neither a read nor a write.
    #[must_use]
    pub fn alone(&self, kind: CommandKind, testbed: &Testbed) -> Option<Alone> {
        assert!(
            matches!(kind, CommandKind::Read | CommandKind::Write),
            "{kind:?} has no data"
        );
        let ssd = self.ssd()?;
        let sectors = (4096 / SECTOR_BYTES) as u32;
        let sectors_per_slot = (ssd.slot_bytes() / SECTOR_BYTES) as u32;
        let layout = ssd.layout().expect("checked on reading");
        let slots = ssd.user_slots(&layout).expect("checked on reading");
        let params = ssd.params(slots, RootSeed(0)).expect("checked on reading");
        let command = Command::new(kind, 0, 0, sectors, SimTime::ZERO);
        (sectors <= sectors_per_slot).then(|| params.alone(&command, sectors_per_slot, testbed))
    }

    /// Time of a request that is answered and not done: that of an SSD as long as a write of 4 KiB that finds room in
    /// its buffer, that of another one the host's time and the drive's for a command.
    fn answer_time(&self, testbed: &Testbed) -> Nanos {
        let alone = self.alone(CommandKind::Write, testbed);
        let command = match &self.body {
            Body::Ssd(ssd) => ssd.link.command.get(),
            Body::Disk(disk) => disk.link.command.get(),
            Body::Ram(ram) => ram.params().command,
        };
        alone.map_or_else(|| command + testbed.alone(command), |alone| alone.total())
    }

    /// Makes the drive, as new, behind the test machine's driver, with the faults of its requests.
    ///
    /// # Errors
    /// When the system does not give the memory for it.
    pub fn build(&self, testbed: &Testbed, seed: RootSeed) -> Result<Box<dyn Device>, SheetError> {
        let device = self.build_without_faults(testbed, seed)?;
        let faults = self.faults();
        Ok(match faults.is_empty() {
            true => device,
            false => Box::new(self.with_faults(device, faults, testbed)),
        })
    }

    /// Puts faults of requests in front of a drive of this file. There may be none.
    #[must_use]
    pub fn with_faults(
        &self,
        device: Box<dyn Device>,
        faults: Program,
        testbed: &Testbed,
    ) -> Scripted {
        Scripted::new(device, faults, self.answer_time(testbed))
    }

    /// Makes the drive for somebody who has its requests go wrong himself.
    ///
    /// # Errors
    /// When the system does not give the memory for it.
    pub fn build_without_faults(
        &self,
        testbed: &Testbed,
        seed: RootSeed,
    ) -> Result<Box<dyn Device>, SheetError> {
        let mut device: Box<dyn Device> = match &self.body {
            Body::Ssd(_) => Box::new(self.build_ssd(testbed, seed)?),
            Body::Disk(disk) => {
                let seed = seed.derive(self.slug());
                Box::new(Flashless::new(Disk::new(disk.params(), seed)))
            }
            Body::Ram(ram) => Box::new(Flashless::new(Ram::new(ram.params()))),
        };
        device.plug(&testbed.host());
        Ok(match testbed.path {
            None => device,
            Some(path) => Box::new(Hosted::new(device, path, testbed.transfer_max)),
        })
    }

    /// Makes the drive as a plain [`Ssd`], which can carry stamps and record its inputs. What a request takes of the
    /// host's cores is not in it.
    ///
    /// # Errors
    /// When the file describes no flash, or the system does not give the memory for it.
    pub fn build_ssd(&self, testbed: &Testbed, seed: RootSeed) -> Result<Ssd, SheetError> {
        let invalid = |why| self.invalid(why);
        let ssd = self
            .ssd()
            .ok_or_else(|| invalid("it has no flash".into()))?;
        let seed = seed.derive(self.slug());
        let layer = self.plan(ssd, seed).and_then(|plan| plan.make());
        let layer = layer.map_err(invalid)?;
        let params = ssd.params(layer.slots(), seed).map_err(invalid)?;
        let mut ssd = Ssd::new(params, layer);
        ssd.plug(&testbed.host());
        Ok(ssd)
    }
}
