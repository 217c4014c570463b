//! The power goes, and comes again.

use crate::device::{Carries, Device};
use crate::error::Error;
use crate::store::MemoryStore;
use ftlab_base::SECTOR_BYTES;
use ftlab_cut::CutResult;
use ftlab_drive::Device as _;
use ftlab_drive::saved::DeviceState;
use ftlab_ftl::Room;

/// A range whose newest data a power cut has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lost {
    /// Its first byte.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// True if it is made of the newest version and an older one; false if it is as it was before.
    pub is_torn: bool,
}

/// What a power cut has come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PowerCut {
    /// The seed that decided.
    pub seed: u64,
    /// Slots of which a volatile buffer held something; none of a drive with capacitors.
    pub volatile_slots: u64,
    /// What is lost.
    pub lost: Vec<Lost>,
    /// Ids of the commands that were outstanding, of which nobody will hear.
    pub outstanding: Vec<u64>,
}

impl Device {
    /// Cuts the power at `now_ns`, and switches the drive on again at the same instant. What was flushed or programmed is
    /// there; of everything else the seed decides, slot by slot, and a drive with capacitors loses nothing acknowledged. Faults
    /// of requests go on, with what they have counted.
    ///
    /// # Errors
    /// When time would go back or past something that happens at the drive, or the device keeps no account of what a cut takes.
    pub fn power_cut(&mut self, now_ns: u64, seed: u64) -> Result<PowerCut, Error> {
        if self.carries == Carries::Nothing {
            return Err(Error::NoAccount);
        }
        self.now = self.instant(now_ns)?;
        self.note_drained(self.now);
        let mut outstanding: Vec<u64> = self.outstanding.drain().map(|(id, _)| id).collect();
        outstanding.sort_unstable();
        let mut cut = PowerCut {
            seed,
            outstanding,
            ..PowerCut::default()
        };
        let mut next = self.file.build_without_faults(&self.testbed, self.seed)?;
        match &mut self.flat {
            Some(flat) => {
                let lost = flat.cut();
                cut.volatile_slots = lost.len() as u64;
                let offsets = lost.into_iter().map(|sector| sector * SECTOR_BYTES);
                cut.lost = joined(offsets.map(|offset| (offset, false)), SECTOR_BYTES);
                let state = DeviceState::Flashless(self.drive.counters());
                next.restore(state).map_err(impossible)?;
            }
            None => {
                let left = self.leave(seed, &mut *next)?;
                cut.volatile_slots = left.report.slots;
                let slot_bytes = self.slot_bytes();
                let mut lost: Vec<(u64, bool)> = (left.lost.iter())
                    .map(|slot| (u64::from(slot.lpn) * slot_bytes, slot.is_torn))
                    .collect();
                lost.sort_unstable();
                cut.lost = joined(lost.into_iter(), slot_bytes);
            }
        }
        self.drive.replace(next);
        self.follow_ways();
        // As of an image, its time begins with the first command.
        self.drive.note_time(self.now);
        self.worked_at = self.now;
        self.power_cycles += 1;
        self.unsafe_shutdowns += 1;
        Ok(cut)
    }

    /// Brings a drive as built to where the power has left this one.
    fn leave(&self, seed: u64, next: &mut dyn ftlab_drive::Device) -> Result<CutResult, Error> {
        let ssd = self.drive.ssd().expect("it is of flash");
        let store: &MemoryStore = ssd.store().expect("it was given one");
        let drawn = ftlab_cut::PowerCut {
            seed,
            atomic_bytes: self.file.atomic_write_bytes(),
        };
        let mut left = store.left_by(&drawn, ssd.layer());
        let state = ssd.found_without_power(Room::default());
        next.restore(DeviceState::Ssd(state)).map_err(impossible)?;
        let next = next.ssd_mut().expect("it is of flash as well");
        let (kept, emptied) = store.after(std::mem::take(&mut left.slots), next);
        next.carry(Box::new(kept));
        emptied.into_iter().for_each(|lpn| next.hand_on_trim(lpn));
        let mut takes = true;
        while takes
            && let Some((lpn, extent)) = next
                .store::<MemoryStore>()
                .and_then(MemoryStore::first_waiting)
        {
            takes = next.hand_on(lpn, extent);
        }
        if let Some(store) = next.store_mut::<MemoryStore>() {
            store.note_all_programmed();
        }
        Ok(left)
    }
}

/// A drive that was at work does not fit itself.
fn impossible(why: ftlab_nand::StateError) -> Error {
    Error::State(why.to_string())
}

/// Ranges of slots that follow one another and have the same fate, joined.
fn joined(slots: impl Iterator<Item = (u64, bool)>, slot_bytes: u64) -> Vec<Lost> {
    let mut joined: Vec<Lost> = Vec::new();
    for (offset, is_torn) in slots {
        match joined.last_mut() {
            Some(last) if last.offset + last.bytes == offset && last.is_torn == is_torn => {
                last.bytes += slot_bytes;
            }
            _ => joined.push(Lost {
                offset,
                bytes: slot_bytes,
                is_torn,
            }),
        }
    }
    joined
}
