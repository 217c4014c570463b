//! Sorting of slots into streams, and the choice of the stream to collect.

use super::PageLayer;
use super::streams::{Births, Full, Separation};
use super::table::NOWHERE;
use super::victim::NOT_A_CANDIDATE;
use ftlab_base::{Lpn, Placement, SuperblockId};

impl<const FLAT: bool> PageLayer<FLAT> {
    /// The stream that a host write of `lpn` belongs to.
    ///
    /// # Panics
    /// When the host names a handle that there is not.
    #[inline]
    pub(super) fn stream_of_write(&mut self, lpn: Lpn, placement: Placement) -> usize {
        let stream = match &self.streams.separation {
            Separation::None => return 0,
            Separation::ByAddress { ends } => ends.iter().filter(|&&end| lpn.0 >= end).count(),
            Separation::ByAge { closings } => {
                let old = self.table.slot_of(lpn);
                let age = (old != NOWHERE).then(|| self.age_of(self.table.superblock_of(old)));
                let young = closings
                    .iter()
                    .position(|&c| age.is_some_and(|age| age < c));
                young.unwrap_or(closings.len())
            }
            Separation::ByHost { handles, .. } => {
                assert!(placement.0 < *handles, "{placement:?} of {handles} handles");
                usize::from(placement.0)
            }
        };
        self.streams.note(stream);
        stream
    }

    /// The stream whose data a superblock holds. What is collected stays in it.
    #[inline]
    pub(super) fn stream_of(&self, superblock: SuperblockId) -> usize {
        self.table.cell_of(superblock) % self.streams.count()
    }

    /// Superblocks closed since the data of this one were written, on average.
    fn age_of(&self, superblock: SuperblockId) -> u64 {
        self.closed - self.streams.births[superblock.index()].mean()
    }

    /// A slot whose data were born `at`, in superblocks closed by then, was appended to a superblock.
    #[inline]
    pub(super) fn note_birth(&mut self, superblock: SuperblockId, at: Option<SuperblockId>) {
        if let Separation::ByAge { .. } = self.streams.separation {
            let births = &mut self.streams.births;
            let born = at.map_or(self.closed, |from| births[from.index()].mean());
            births[superblock.index()].add(born);
        }
    }

    /// A superblock was opened: nobody is born there yet.
    pub(super) fn forget_births(&mut self, superblock: SuperblockId) {
        if let Some(births) = self.streams.births.get_mut(superblock.index()) {
            *births = Births::default();
        }
    }

    /// Leaves in the scratch copy of the counts only the full superblocks of the stream that must give.
    pub(super) fn mask_other_streams(&mut self, g: usize) {
        let mut masked = std::mem::take(&mut self.masked);
        let first = g * self.layout.superblocks_per_group as usize;
        let range = first..first + self.layout.superblocks_per_group as usize;
        masked.clear();
        masked.extend_from_slice(&self.table.valid_slots()[range]);
        let (slots, streams) = (self.layout.slots_per_superblock, self.streams.count());
        let cells = (g * streams)..(g + 1) * streams;
        // Cells are compared and not streams: that would be a division for each superblock.
        let cell = |n: usize| self.table.cell_of(SuperblockId((first + n) as u32));
        let mut full = vec![Full::default(); streams];
        for (n, &valid) in masked.iter().enumerate() {
            if valid < NOT_A_CANDIDATE {
                let of = &mut full[cell(n) - cells.start];
                of.superblocks += 1;
                of.invalid_slots += u64::from(slots - valid);
            }
        }
        let valid = cells
            .clone()
            .map(|cell| f64::from(self.table.valid_of_cell(cell)));
        let stream = self.streams.to_collect(&full, &valid.collect::<Vec<_>>());
        let chosen = cells.start + stream;
        for (n, valid) in masked.iter_mut().enumerate() {
            if cell(n) != chosen {
                *valid |= NOT_A_CANDIDATE;
            }
        }
        self.masked = masked;
    }
}
