//! A journal that is read as a list of requests, for a layer that does them its own way.

use super::batches::Batches;
use super::buffer::Buffer;
use super::found::{FlashCheckpoint, Opening};
use super::request::check_input;

use crate::Survives;
use crate::blank::Blank;
use crate::error::Wrong;
use crate::journal::{Batch, Reader};
use crate::mark::Mark;
use crate::meta::{ImageState, Meta};
use crate::record::Record;
use crate::regions::Regions;
use crate::storage::Storage;
use ftlab_base::Identity;
use ftlab_cut::BufferedSlot;
use ftlab_drive::ssd::{LayerInput, Ssd, Totals};
use std::collections::BTreeMap;

/// A write of the journal: the slot, the number of the request, and which data they are, if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) lpn: u32,
    pub(crate) number: u64,
    pub(crate) identity: Option<Identity>,
}

/// A request of the layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) input: LayerInput,
    /// True if the layer took it.
    pub(crate) taken: bool,
    number: u64,
}

impl Request {
    /// The write that it is, if it is one.
    pub(crate) fn write(&self) -> Option<Written> {
        match self.input {
            LayerInput::Write(write) if self.taken => Some(Written {
                lpn: write.lpn.0,
                number: self.number,
                identity: write.content.identity(),
            }),
            _ => None,
        }
    }
}

/// All that a journal says.
pub(crate) struct Log {
    stands: Mark,
    pub(crate) meta: Meta,
    pub(crate) blank: Blank,
    pub(crate) requests: Vec<Request>,
    /// Slots that wait in a buffer behind that.
    pub(crate) buffered: Vec<BufferedSlot>,
    pub(crate) totals: Option<Totals>,
    /// Requests that were left out.
    pub(crate) left_out: u64,
    /// The slot that the last request writes, if it may not be in its place.
    slot: Option<Vec<u8>>,
}

impl Log {
    /// Reads what stands on a storage behind the checkpoint of a drive. `is_there` says whether a page is there that a
    /// request has written.
    pub(crate) fn read(
        before: FlashCheckpoint,
        storage: &dyn Storage,
        ssd: &Ssd,
        opening: &Opening<'_>,
        is_there: impl Fn(Written) -> bool,
    ) -> Result<Log, Wrong> {
        let regions = Regions::of_layer(ssd.layer());
        let slot_bytes = ssd.layer().layout().geometry.slot_bytes as usize;
        let known = before.known.map(|known| known.end);
        let reader = Reader::new(storage, regions.journals, before.stands.end, known);
        let mut batches = Batches::of(reader);
        let mut buffer = Buffer::of(before.buffered, slot_bytes);
        let mut log = Log {
            stands: before.stands,
            meta: before.meta,
            blank: before.blank,
            requests: Vec::new(),
            buffered: Vec::new(),
            totals: None,
            left_out: 0,
            slot: None,
        };
        while let Some(batch) = batches.next()? {
            // A batch whose data never reached the disk is left out: nobody was promised it.
            if batches.may_be_cut_off(&batch)? && !log.has_landed(&batch, &is_there) {
                log.left_out = batch.inputs().count() as u64;
                batches.leave_out();
                continue;
            }
            for record in batch.records {
                log.follow(record, ssd, &mut buffer)?;
            }
            log.totals = Some(batch.totals);
        }
        match batches.hole().filter(|_| !opening.options.accepts_loss) {
            Some(hole) => return Err(Wrong::Hole { hole }),
            None => log.buffered = buffer.into_slots(),
        }
        Ok(log)
    }

    fn follow(&mut self, record: Record, ssd: &Ssd, buffer: &mut Buffer) -> Result<(), Wrong> {
        match record {
            Record::Input(input) => {
                check_input(input, ssd)?;
                buffer.follow(input);
                self.slot = None;
                self.requests.push(Request {
                    input,
                    taken: true,
                    number: self.end(),
                });
            }
            Record::Refused => {
                buffer.refused();
                if let Some(last) = self.requests.last_mut() {
                    last.taken = false;
                }
            }
            Record::Slot(slot) => self.slot = Some(slot),
            Record::Admitted { lpn, first, data } => buffer.admit(lpn, first, &data)?,
            Record::PowerOn => self.meta.power_cycles += 1,
            Record::PowerLost(cut) => {
                self.meta.power_cycles += 1;
                self.meta.unsafe_shutdowns += 1;
                self.meta.last_cut = cut.or(self.meta.last_cut);
            }
            // What of a write was made is seen by its page, and what a volatile buffer held is as it was handed on.
            Record::Moved(_)
            | Record::Held(_)
            | Record::Programmed(_)
            | Record::AllProgrammed
            | Record::Totals(_)
            | Record::Landed(_) => {}
        }
        Ok(())
    }

    /// True if the pages of a batch are there whose slots nothing else in it writes or gives up.
    fn has_landed(&self, batch: &Batch, is_there: impl Fn(Written) -> bool) -> bool {
        let mut newest = BTreeMap::new();
        let (mut number, mut last) = (self.end(), None);
        for record in &batch.records {
            match record {
                Record::Input(input) => {
                    let request = Request {
                        input: *input,
                        taken: true,
                        number,
                    };
                    if let LayerInput::Trim(first, slots) = *input {
                        let end = first.0.saturating_add(slots);
                        newest.retain(|lpn, _| !(first.0..end).contains(lpn));
                    }
                    last = request.write();
                    newest.extend(last.map(|write| (write.lpn, write)));
                    number += 1;
                }
                // Its bytes are in the journal, or nowhere.
                Record::Slot(_) | Record::Refused => {
                    last.take().map(|write| newest.remove(&write.lpn));
                }
                _ => {}
            }
        }
        newest.into_values().all(is_there)
    }

    /// The number of the request that comes next.
    pub(crate) fn end(&self) -> u64 {
        self.meta.sequence + self.requests.len() as u64
    }

    /// The slot of a write as the journal has it, if it is the last one and may not be in its place.
    pub(crate) fn slot_of(&self, write: Written) -> Option<&[u8]> {
        self.slot
            .as_deref()
            .filter(|_| write.number + 1 == self.end())
    }

    /// State of the image, as it was.
    pub(crate) fn into_image_state(self) -> ImageState {
        ImageState {
            stands: self.stands,
            sync: self.meta.survives == Survives::HostPowerCut,
            on_kill: self.meta.on_kill,
            read_only: false,
            meta: self.meta,
        }
    }
}
