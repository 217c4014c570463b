//! The batches that recovery reads: those of the journal, and then what was noted beside its end.

use crate::error::Wrong;
use crate::journal::{Batch, Hole, Reader};
use std::vec::IntoIter;

/// Batches, the oldest first.
pub(super) struct Batches<'a> {
    reader: Reader<'a>,
    /// The journal in front of the batch that was read last.
    before: Reader<'a>,
    /// Batches that stand beside the journal, once that has ended.
    beside: Option<IntoIter<Batch>>,
    hole: Option<Hole>,
}

impl<'a> Batches<'a> {
    pub(super) fn of(reader: Reader<'a>) -> Batches<'a> {
        Batches {
            before: reader.clone(),
            reader,
            beside: None,
            hole: None,
        }
    }

    /// The next one. Nothing follows a hole.
    pub(super) fn next(&mut self) -> Result<Option<Batch>, Wrong> {
        if self.beside.is_none() {
            let before = self.reader.clone();
            if let Some(batch) = self.reader.next().map_err(Wrong::Unreadable)? {
                self.before = before;
                return Ok(Some(batch));
            }
            self.hole = self.reader.hole().map_err(Wrong::Unreadable)?;
            let spilled = match self.hole {
                None => self.reader.spilled().map_err(Wrong::Unreadable)?,
                Some(_) => Vec::new(),
            };
            self.beside = Some(spilled.into_iter());
        }
        Ok(self.beside.as_mut().and_then(Iterator::next))
    }

    /// True if the batch that was read last stands beside the journal.
    pub(super) fn is_beside(&self) -> bool {
        self.beside.is_some()
    }

    /// True if the power of the machine may have gone before the whole batch that was read last was on its
    /// storage: it is the last one, it says what belongs to it, and nobody relies on it.
    pub(super) fn may_be_cut_off(&self, batch: &Batch) -> Result<bool, Wrong> {
        if self.is_beside() || batch.landed.is_none() || self.reader.is_relied_on() {
            return Ok(false);
        }
        let mut behind = self.reader.clone();
        let is_last = behind.next().map_err(Wrong::Unreadable)?.is_none();
        Ok(is_last && behind.hole().map_err(Wrong::Unreadable)?.is_none())
    }

    /// Ends in front of the batch that was read last.
    pub(super) fn leave_out(&mut self) {
        self.reader = self.before.clone();
        self.beside = Some(Vec::new().into_iter());
    }

    /// Position at which the journal cannot be read, though there is more behind.
    pub(super) fn hole(&self) -> Option<Hole> {
        self.hole
    }

    /// The journal as far as it was read.
    pub(super) fn reader(&self) -> &Reader<'a> {
        &self.reader
    }
}
