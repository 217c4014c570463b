//! Drives as they are built, and their bytes on a storage.

use crate::ImageError;
use crate::blank::Blank;
use crate::body::Body;
use crate::body::flash::{Flash, byte_store};
use crate::body::flat::Flat;
use crate::buffered::BUFFER_BYTES_MAX;
use crate::checkpoint::Shape;
use crate::flat::FlatStore;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::store_options::StoreOptions;
use ftlab_base::RootSeed;
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_host::Testbed;
use std::io;

/// A drive as it is built, without its bytes.
pub(crate) enum New {
    Flash(Box<Ssd>),
    Flat(Box<dyn Device>, RootSeed),
}

impl New {
    pub(crate) fn of(drive: &DriveFile, testbed: &Testbed, seed: u64) -> Result<New, ImageError> {
        let seed = RootSeed(seed);
        Ok(match drive.kind() {
            Kind::Ssd => New::Flash(Box::new(drive.build_ssd(testbed, seed)?)),
            Kind::Disk | Kind::Ram => New::Flat(drive.build_without_faults(testbed, seed)?, seed),
        })
    }

    /// Checks that an image has room for what waits in its write buffer when the power goes.
    pub(crate) fn check_buffer(&self) -> Result<(), ImageError> {
        let New::Flash(ssd) = self else {
            return Ok(());
        };
        let slot_bytes = ssd.layer().layout().geometry.slot_bytes;
        match u64::from(ssd.buffer_slots()) * u64::from(slot_bytes) {
            0..=BUFFER_BYTES_MAX => Ok(()),
            bytes => Err(ImageError::Buffer { bytes }),
        }
    }

    /// Copies the drive; the original stays ready for another recovery.
    pub(crate) fn copy(&self) -> New {
        match self {
            New::Flash(ssd) => New::Flash(Box::new(ssd.copy())),
            New::Flat(device, seed) => New::Flat(device.snapshot(), *seed),
        }
    }

    pub(crate) fn regions(&self) -> Regions {
        match self {
            New::Flash(ssd) => Regions::of_layer(ssd.layer()),
            New::Flat(device, _) => Regions::of_sectors(device.capacity_sectors()),
        }
    }

    /// Has something be done to it before it has bytes; gives the blocks that may hold what was written then.
    pub(crate) fn age(
        &mut self,
        age: impl FnOnce(&mut dyn Device) -> Result<(), ImageError>,
    ) -> Result<Blank, ImageError> {
        match self {
            New::Flat(device, _) => {
                age(&mut **device)?;
                Ok(Blank::default())
            }
            New::Flash(ssd) => {
                age(&mut **ssd)?;
                let is_new = ssd.counters().host_ios == 0;
                Ok(match is_new {
                    true => Blank::default(),
                    false => Blank::all(ssd.layer()),
                })
            }
        }
    }

    /// Places of its array; a drive without flash has none.
    pub(crate) fn places(&self) -> u32 {
        match self {
            New::Flash(ssd) => ssd.layer().places(),
            New::Flat(..) => 0,
        }
    }

    /// Geometry for checkpoints of the drive.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            New::Flash(ssd) => Shape::of_flash(ssd),
            New::Flat(device, _) => Shape::of_sectors(device.capacity_sectors()),
        }
    }

    /// With bytes on a storage.
    pub(crate) fn on(
        self,
        storage: Box<dyn Storage>,
        options: StoreOptions,
        blank: Blank,
    ) -> io::Result<Box<dyn Body>> {
        Ok(match self {
            New::Flash(ssd) => {
                let mut store = byte_store(&ssd, storage, options);
                store.set_blank(blank);
                Box::new(Flash::new(ssd, store))
            }
            New::Flat(device, seed) => {
                let regions = Regions::of_sectors(device.capacity_sectors());
                let store = FlatStore::new(storage, regions, options, seed)?;
                Box::new(Flat::new(device, store))
            }
        })
    }
}
