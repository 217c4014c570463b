//! Stored form of a slot that is about to be handed to the layer.
//!
//! A slot that is written in part is completed with what lies there. What cannot be read is lost, and
//! the rest is stored without it: the host reads back what it wrote, and an error beside it.

use super::{ByteStore, ReadError, SECTOR};
use crate::slot::{self, Form, OOB_BYTES, Oob};
use ftlab_base::{Content, Lpn};
use ftlab_cut::{SectorMask, mask_of, runs};
use ftlab_drive::codec;
use ftlab_ftl::{Extent, TranslationLayer};
use std::io;

/// Slot that the layer will be handed next, as far as it was worked out.
#[derive(Debug)]
pub(super) struct Prepared {
    form: Form,
    shared: bool,
    /// Stored form; none when it is the slot that waits.
    stored: Option<Vec<u8>>,
}

impl ByteStore {
    /// Works out what is stored of a slot that waits, and what the layer is to know of it.
    pub(super) fn prepare_slot(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        stated: Content,
        layer: &dyn TranslationLayer,
    ) -> io::Result<(Extent, Content)> {
        let lost = self.complete(lpn, layer)?;
        if lost != 0 {
            let there = self.whole() & !lost;
            let data = self.waiting.get(lpn.0).expect("it was admitted").data();
            self.prepared = Some(Prepared {
                form: Form::Part,
                shared: false,
                stored: Some(slot::stored_in_part(there, data)),
            });
            // What lies there is of no use any more, so the layer need not read it.
            return Ok((Extent::Whole, Content::RANDOM));
        }
        if self.options.packs {
            return self.pack(lpn, extent, layer);
        }
        self.prepared = Some(Prepared {
            form: Form::Whole,
            shared: false,
            stored: None,
        });
        Ok((extent, stated.anonymous()))
    }

    /// All sectors of a slot.
    fn whole(&self) -> SectorMask {
        mask_of(0, (self.slot_bytes / SECTOR) as u32)
    }

    /// Completes what waits of a slot with what lies there; gives the sectors that are lost.
    fn complete(&mut self, lpn: Lpn, layer: &dyn TranslationLayer) -> io::Result<SectorMask> {
        let waiting = self.waiting.get(lpn.0).expect("it was admitted");
        let others = self.whole() & !waiting.mask;
        if others == 0 {
            return Ok(0);
        }
        let mut there = vec![0; self.slot_bytes];
        let lost = match layer.lookup(lpn) {
            None => 0,
            Some(_) if !layer.can_read(lpn) => others,
            Some(at) => match self.read_at(lpn, at, layer, &mut there) {
                Ok((_, lost)) => others & lost,
                Err(ReadError::Storage(why)) => return Err(why),
                Err(_) => others,
            },
        };
        let waiting = self.waiting.get_mut(lpn.0).expect("it was there");
        for (first, sectors) in runs(others) {
            let range = first * SECTOR..(first + sectors) * SECTOR;
            waiting.slot[OOB_BYTES..][range.clone()].copy_from_slice(&there[range]);
        }
        Ok(lost)
    }

    /// Prepares a complete slot of a drive that compresses, with the content that its bytes have.
    fn pack(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        layer: &dyn TranslationLayer,
    ) -> io::Result<(Extent, Content)> {
        let data = self.waiting.get(lpn.0).expect("it was admitted").data();
        let (mut content, packed) = codec::packed(data);
        if extent == Extent::Part {
            content = content.anonymous();
        }
        // The identity is a hash: of two slots with the same, only one is stored if they are the same.
        if let Some(identity) = content.identity()
            && let Some(at) = layer.known(identity)
            && !self.holds(at.0, data)?
        {
            content = content.anonymous();
        }
        let (form, stored) = slot::stored(packed, data);
        self.prepared = Some(Prepared {
            form,
            shared: content.identity().is_some(),
            stored: Some(stored),
        });
        Ok((extent, content))
    }

    /// True if these data lie at a place. Damaged data equal nothing.
    fn holds(&self, at: u32, data: &[u8]) -> io::Result<bool> {
        let mut there = vec![0; self.slot_bytes];
        match self.read_anybodys(at, &mut there) {
            Ok((_, lost)) => Ok(lost == 0 && there == data),
            Err(ReadError::Storage(why)) => Err(why),
            Err(_) => Ok(false),
        }
    }

    /// The slot that the layer has just taken; what it is stored as was prepared.
    pub(super) fn taken(&mut self, lpn: Lpn) -> Vec<u8> {
        let waiting = self.waiting.take(lpn.0).expect("it was admitted");
        let prepared = self.prepared.take().expect("it was prepared");
        let mut slot = match prepared.stored {
            Some(stored) => {
                self.waiting.recycle(waiting);
                stored
            }
            None => waiting,
        };
        Oob {
            lpn: lpn.0,
            bytes: (slot.len() - OOB_BYTES) as u32,
            form: prepared.form,
            shared: prepared.shared,
            sequence: self.sequence,
        }
        .write(&mut slot);
        slot
    }
}
