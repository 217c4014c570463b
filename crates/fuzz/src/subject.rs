//! The drive that is tried: flash with its stamps and layer to look at, or a disk.

use crate::model::Model;
use ftlab_base::{Lpn, RootSeed, SECTOR_BYTES};
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_host::Testbed;
use ftlab_sheet::SheetError;

pub enum Subject {
    Flash(Box<Ssd>),
    /// A drive without flash: a disk, or a RAM disk.
    Disk(Box<dyn Device>),
}

impl Subject {
    pub fn build(file: &DriveFile, testbed: &Testbed) -> Result<Subject, SheetError> {
        Ok(match file.kind() {
            Kind::Ssd => Subject::Flash(Box::new(file.build_ssd(testbed, RootSeed(1))?.checked())),
            Kind::Disk | Kind::Ram => Subject::Disk(file.build(testbed, RootSeed(1))?),
        })
    }

    pub fn device(&mut self) -> &mut dyn Device {
        match self {
            Subject::Flash(ssd) => &mut **ssd,
            Subject::Disk(disk) => &mut **disk,
        }
    }

    /// Sectors of a slot; of a disk's block of 4 KiB.
    pub fn sectors_per_slot(&self) -> u32 {
        match self {
            Subject::Flash(ssd) => ssd.layer().layout().geometry.slot_bytes / SECTOR_BYTES as u32,
            Subject::Disk(_) => 8,
        }
    }

    /// Model of the drive's data; a disk's platters forget everything.
    pub fn model(&self) -> Model {
        let slots = match self {
            Subject::Flash(ssd) => ssd.layer().slots(),
            Subject::Disk(_) => 0,
        };
        Model::new(slots, self.sectors_per_slot())
    }

    /// Slots of the array; none of a disk's.
    pub fn slots(&self) -> u32 {
        match self {
            Subject::Flash(ssd) => ssd.layer().layout().slots(),
            Subject::Disk(_) => 0,
        }
    }

    pub fn is_flash(&self) -> bool {
        matches!(self, Subject::Flash(_))
    }

    /// Checks the translation layer.
    pub fn check(&self) {
        if let Subject::Flash(ssd) = self {
            ssd.layer().check_invariants();
        }
    }

    /// Compares what the layer maps with what it must.
    pub fn compare(&self, model: &Model) {
        if let Subject::Flash(ssd) = self {
            model.compare(|n| ssd.layer().lookup(Lpn(n)).is_some());
        }
    }
}
