//! Drives as they are built, and their bytes on a storage.

use crate::ImageError;
use crate::blank::Blank;
use crate::checkpoint::{KEPT_BYTES_MAX, Shape};
use crate::checkpoints::NextRoom;
use crate::commits::Commits;
use crate::drive::{Body, DataDrive};
use crate::error::system_error;
use crate::flat::FlatStore;
use crate::life::Spent;
use crate::regions::Regions;
use crate::reset::Ground;
use crate::storage::Storage;
use crate::store::{ByteStore, Keeping};
use ftlab_base::{RootSeed, SimTime};
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_host::Testbed;
use std::collections::BTreeSet;
use std::path::Path;

/// The largest write buffer of a drive in an image: half of what a checkpoint has room for, as slots that were trimmed
/// wait there, too.
pub(crate) const BUFFER_BYTES_MAX: u64 = KEPT_BYTES_MAX / 2;

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

    /// That an image has room for what waits in its write buffer when the power goes.
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

    /// The same once more.
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

    /// What a checkpoint of it can be of.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            New::Flash(ssd) => Shape::of_flash(ssd),
            New::Flat(device, _) => Shape::of_sectors(device.capacity_sectors()),
        }
    }

    /// With bytes on a storage; nothing is kept beside them yet.
    pub(crate) fn on(
        self,
        path: &Path,
        storage: Box<dyn Storage>,
        drive: &DriveFile,
        keeping: Keeping,
    ) -> Result<DataDrive, ImageError> {
        let regions = self.regions();
        let body = match self {
            New::Flash(mut ssd) => {
                let store = byte_store(&ssd, storage, keeping);
                ssd.carry(Box::new(store));
                Body::Flash(ssd)
            }
            New::Flat(device, seed) => {
                let store = FlatStore::new(storage, regions, keeping, seed);
                let store = store.map_err(|why| system_error(path, "read it", why))?;
                Body::Flat(device, Box::new(store))
            }
        };
        Ok(DataDrive::around(path, drive, body))
    }
}

impl DataDrive {
    pub(crate) fn around(path: &Path, drive: &DriveFile, body: Body) -> DataDrive {
        let mut made = DataDrive {
            path: path.to_owned(),
            file: drive.clone(),
            seed: 0,
            testbed: None,
            body,
            kept: None,
            ground: Ground::default(),
            max_sectors: 0,
            reads: BTreeSet::new(),
            commits: Commits::default(),
            under_way: None,
            next_room: NextRoom::None,
            notes: Vec::new(),
            failure: None,
            clock: SimTime::ZERO,
            uncounted: Spent::default(),
            outstanding: 0,
            worked_at: SimTime::ZERO,
        };
        made.max_sectors = made.device().capacity_sectors();
        made
    }

    /// What a checkpoint of it can be of.
    pub(crate) fn shape(&self) -> Shape {
        match &self.body {
            Body::Flash(ssd) => Shape::of_flash(ssd),
            Body::Flat(device, _) => Shape::of_sectors(device.capacity_sectors()),
        }
    }

    pub(crate) fn regions(&self) -> Regions {
        match &self.body {
            Body::Flash(ssd) => Regions::of_layer(ssd.layer()),
            Body::Flat(device, _) => Regions::of_sectors(device.capacity_sectors()),
        }
    }
}

/// The bytes of a drive on a storage.
pub(crate) fn byte_store(ssd: &Ssd, storage: Box<dyn Storage>, keeping: Keeping) -> ByteStore {
    let layer = ssd.layer();
    let slot_bytes = layer.layout().geometry.slot_bytes;
    let buffer_slots = ssd.buffer_slots() as usize;
    let regions = Regions::of_layer(layer);
    ByteStore::new(storage, regions, slot_bytes, buffer_slots, keeping)
}
