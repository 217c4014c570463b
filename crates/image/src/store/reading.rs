//! Reads of slots: buffered data over those at the place, checked.

use super::{ByteStore, ReadError, SECTOR};
use crate::slot::{self, OOB_BYTES, Oob};
use ftlab_base::{Lpn, Ppa};
use ftlab_cut::{SectorMask, mask_of, runs};
use ftlab_drive::codec;
use ftlab_ftl::TranslationLayer;
use ftlab_nand::DataMove;
use std::io;

impl ByteStore {
    /// Sectors of a slot as they are now: what waits in the buffer over what lies where the layer has it. Reads from
    /// the first sector on, as much as `into` holds.
    pub(crate) fn read(
        &self,
        lpn: Lpn,
        layer: &dyn TranslationLayer,
        first: u32,
        into: &mut [u8],
    ) -> Result<(), ReadError> {
        let sectors = (into.len() / SECTOR) as u32;
        let wanted = mask_of(first, sectors);
        let waiting = self.waiting.get(lpn.0);
        let waits = waiting.map_or(0, |waiting| waiting.mask & wanted);
        // Buffered sectors are newer than those at the place, which is read only for the others.
        if waits != wanted {
            let at = layer.lookup(lpn).filter(|_| !self.is_emptied(lpn));
            let lost = match at {
                None => {
                    into.fill(0);
                    0
                }
                Some(at) if into.len() == self.slot_bytes => self.read_at(lpn, at, layer, into)?.1,
                Some(at) => {
                    let mut whole = vec![0; self.slot_bytes];
                    let (_, lost) = self.read_at(lpn, at, layer, &mut whole)?;
                    let from = first as usize * SECTOR;
                    into.copy_from_slice(&whole[from..from + into.len()]);
                    lost
                }
            };
            if lost & wanted & !waits != 0 {
                return Err(ReadError::Lost);
            }
        }
        let Some(waiting) = waiting else {
            return Ok(());
        };
        for (run, sectors) in runs(waits) {
            let (from, to) = (run * SECTOR, (run - first as usize) * SECTOR);
            let bytes = sectors * SECTOR;
            into[to..to + bytes].copy_from_slice(&waiting.data()[from..from + bytes]);
        }
        Ok(())
    }

    /// The slot where the layer has it: its metadata, and the sectors that are lost. A page that is stored once for several
    /// names one of them; whose it is, its data say, of which the layer knows where they lie.
    pub(crate) fn read_at(
        &self,
        lpn: Lpn,
        at: Ppa,
        layer: &dyn TranslationLayer,
        into: &mut [u8],
    ) -> Result<(Oob, SectorMask), ReadError> {
        let (oob, lost) = self.read_place(lpn, at.0, into)?;
        let lies = || codec::identity_of(into).and_then(|identity| layer.known(identity));
        match oob.lpn == lpn.0 || oob == slot::ZEROS || lies() == Some(at) {
            true => Ok((oob, lost)),
            false => Err(ReadError::Foreign(oob.lpn)),
        }
    }

    /// The slot at a place, which must be that of `lpn`, or of several: its metadata, and the sectors that are lost.
    pub(crate) fn read_place(
        &self,
        lpn: Lpn,
        at: u32,
        into: &mut [u8],
    ) -> Result<(Oob, SectorMask), ReadError> {
        let (oob, lost) = self.read_anybodys(at, into)?;
        match oob.lpn == lpn.0 || oob.shared {
            true => Ok((oob, lost)),
            false => Err(ReadError::Foreign(oob.lpn)),
        }
    }

    /// The slot at a place, whosever it is, and the sectors that are lost.
    pub(super) fn read_anybodys(
        &self,
        at: u32,
        into: &mut [u8],
    ) -> Result<(Oob, SectorMask), ReadError> {
        let (lies, at) = self.lies(at)?;
        if self.blank.has(at) && slot::is_nothing(&lies) {
            into.fill(0);
            return Ok((slot::ZEROS, 0));
        }
        let (oob, stored) = slot::check(&lies, at, self.slot_bytes)?;
        let is_lost = |&(from, until): &(u64, u64)| (from..until).contains(&oob.sequence);
        if oob.sequence >= self.sequence || self.lost.iter().any(is_lost) {
            return Err(ReadError::Later);
        }
        let lost = slot::unpack(&oob, stored, into)?;
        Ok((oob, lost))
    }

    /// Data of a place once everything is carried out, as long as a slot can be, and the place at which they
    /// lie now.
    fn lies(&self, mut at: u32) -> io::Result<(Vec<u8>, u32)> {
        for pending in self.unfinished.queue.iter().rev() {
            for step in pending.left().iter().rev() {
                match *step {
                    DataMove::Write { to, .. } if to.0 == at => {
                        let mut slot = pending.slot.clone().expect("a write has its slot");
                        slot::seal(&mut slot, at);
                        return Ok((slot, at));
                    }
                    DataMove::Copy { from, to } if to.0 == at => at = from.0,
                    _ => {}
                }
            }
        }
        let mut lies = vec![0; OOB_BYTES + self.slot_bytes];
        self.storage.read_at(self.regions.place(at), &mut lies)?;
        Ok((lies, at))
    }
}
