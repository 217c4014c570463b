//! The data behind a device of flash: its bytes, if it keeps any, and what a power cut would take.

use crate::slots::{Places, Stored};
use ftlab_base::{CommandId, Content, Lpn, SECTOR_BYTES};
use ftlab_cut::{
    Account, BufferedSlot, CutResult, PowerCut, SectorMask, Versions, Volatile, mask_of, runs,
};
use ftlab_drive::codec;
use ftlab_drive::ssd::{LayerInput, PageStore, Ssd, StoreFailed, WrittenPart};
use ftlab_ftl::{Extent, TranslationLayer};
use ftlab_nand::DataMove;
use std::collections::BTreeMap;
use std::ops::Range;

const SECTOR: usize = SECTOR_BYTES as usize;

/// A slot of which sectors wait in the write buffer.
#[derive(Debug, Clone)]
struct Waiting {
    mask: SectorMask,
    /// The whole slot, if bytes are kept; those of other sectors mean nothing.
    bytes: Vec<u8>,
}

/// Data of a write of which something has not come to the buffer.
#[derive(Debug, Clone)]
struct Coming {
    data: Vec<u8>,
    /// Sectors that have not.
    left: u32,
}

/// What a store does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreOptions {
    /// True if it keeps bytes.
    pub(crate) keeps: bool,
    /// True if slots are compressed, and equal ones stored once.
    pub(crate) packs: bool,
    /// True if the write buffer survives a power cut.
    pub(crate) capacitors: bool,
}

/// The store of a device of flash.
#[derive(Debug, Clone)]
pub(crate) struct MemoryStore {
    options: StoreOptions,
    slot_bytes: usize,
    /// Data of writes that are on their way to the buffer.
    coming: BTreeMap<CommandId, Coming>,
    waiting: BTreeMap<u32, Waiting>,
    /// Sectors that are lost of the slot that the layer is handed next.
    lost: SectorMask,
    places: Places,
    account: Account,
}

impl MemoryStore {
    /// A store for a drive at rest. What it holds already reads as zeros.
    pub(crate) fn of(ssd: &Ssd, options: StoreOptions) -> MemoryStore {
        MemoryStore {
            options,
            slot_bytes: ssd.layer().layout().geometry.slot_bytes as usize,
            coming: BTreeMap::new(),
            waiting: BTreeMap::new(),
            lost: 0,
            places: Places::default(),
            account: Account::of(Volatile::default(), ssd.buffer_slots() as usize),
        }
    }

    /// The store of the drive after a power cut, and slots that the layer is to give up. What else it is to be handed
    /// waits.
    pub(crate) fn after(&self, left: Vec<BufferedSlot>, ssd: &Ssd) -> (MemoryStore, Vec<Lpn>) {
        let mut store = MemoryStore {
            places: self.places.clone(),
            ..MemoryStore::of(ssd, self.options)
        };
        let mut emptied = Vec::new();
        for BufferedSlot { lpn, mask, bytes } in left {
            match mask {
                0 => emptied.push(Lpn(lpn)),
                _ => drop(store.waiting.insert(lpn, Waiting { mask, bytes })),
            }
        }
        emptied.sort_unstable();
        (store, emptied)
    }

    fn tracks(&self) -> bool {
        !self.options.capacitors
    }

    fn whole(&self) -> SectorMask {
        mask_of(0, (self.slot_bytes / SECTOR) as u32)
    }

    /// The data of a write that is submitted now.
    pub(crate) fn give(&mut self, id: CommandId, data: &[u8]) {
        if self.options.keeps {
            let left = (data.len() / SECTOR) as u32;
            let data = data.to_vec();
            self.coming.insert(id, Coming { data, left });
        }
    }

    /// The first slot that waits, and whether all of it does.
    pub(crate) fn first_waiting(&self) -> Option<(Lpn, Extent)> {
        let (&lpn, waiting) = self.waiting.first_key_value()?;
        let extent = match waiting.mask == self.whole() {
            true => Extent::Whole,
            false => Extent::Part,
        };
        Some((Lpn(lpn), extent))
    }

    /// What the layer was handed is in the cells.
    pub(crate) fn note_handed_on_programmed(&mut self) {
        while let Some(lpn) = self.account.volatile.oldest() {
            self.account.volatile.programmed(lpn);
        }
    }

    /// What it was handed of some slots is.
    pub(crate) fn note_programmed_of(&mut self, slots: Range<u32>) {
        for lpn in self.account.volatile.programming_of(slots) {
            self.account.volatile.programmed(lpn);
        }
    }

    /// Everything is.
    pub(crate) fn note_all_programmed(&mut self) {
        self.account.volatile.all_programmed();
    }

    /// What a power cut leaves. Nothing changes by that.
    pub(crate) fn left_by(&self, cut: &PowerCut, layer: &dyn TranslationLayer) -> CutResult {
        if self.tracks() {
            let lying = Lying { store: self, layer };
            return self.account.volatile.left_by(cut, self.slot_bytes, &lying);
        }
        let kept = self.waiting.iter().map(|(&lpn, waiting)| BufferedSlot {
            lpn,
            mask: waiting.mask,
            bytes: waiting.bytes.clone(),
        });
        CutResult {
            slots: kept.collect(),
            ..CutResult::default()
        }
    }

    /// Reads sectors of a slot, from the first on as many as `into` holds: what waits in the buffer over what lies
    /// where the layer has it. Gives those that are lost.
    pub(crate) fn read(
        &self,
        lpn: Lpn,
        layer: &dyn TranslationLayer,
        first: u32,
        into: &mut [u8],
    ) -> SectorMask {
        let wanted = mask_of(first, (into.len() / SECTOR) as u32);
        let from = first as usize * SECTOR;
        let lost = match layer.lookup(lpn).and_then(|at| self.places.get(at.0)) {
            None => {
                into.fill(0);
                0
            }
            Some(stored) => {
                into.copy_from_slice(&stored.bytes[from..from + into.len()]);
                stored.lost & wanted
            }
        };
        let Some(waiting) = self.waiting.get(&lpn.0) else {
            return lost;
        };
        for (run, sectors) in runs(waiting.mask & wanted) {
            let at = run * SECTOR..(run + sectors) * SECTOR;
            into[at.start - from..at.end - from].copy_from_slice(&waiting.bytes[at]);
        }
        lost & !waiting.mask
    }

    /// Completes what waits of a slot with what lies there; gives the sectors that are lost.
    fn complete(&mut self, lpn: Lpn, layer: &dyn TranslationLayer) -> SectorMask {
        let others = self.whole() & !self.waiting[&lpn.0].mask;
        if others == 0 {
            return 0;
        }
        let there = layer.lookup(lpn).and_then(|at| self.places.get(at.0));
        let waiting = self.waiting.get_mut(&lpn.0).expect("it was admitted");
        for (first, sectors) in runs(others) {
            let range = first * SECTOR..(first + sectors) * SECTOR;
            match there {
                None => waiting.bytes[range].fill(0),
                Some(there) => waiting.bytes[range.clone()].copy_from_slice(&there.bytes[range]),
            }
        }
        match layer.lookup(lpn).is_some() && !layer.can_read(lpn) {
            true => others,
            false => there.map_or(0, |there| there.lost & others),
        }
    }

    /// What the layer is to know of a whole slot of a drive that compresses: what its bytes are like.
    fn content(&self, lpn: Lpn, extent: Extent, layer: &dyn TranslationLayer) -> Content {
        let data = &self.waiting[&lpn.0].bytes;
        let content = codec::content_of(data);
        // The identity is a hash: of two slots with the same, only one is stored if they are the same.
        let is_another = |at: u32| {
            let there = self.places.get(at);
            there.is_none_or(|there| there.lost != 0 || *there.bytes != **data)
        };
        let known = content
            .identity()
            .and_then(|identity| layer.known(identity));
        match extent == Extent::Part || known.is_some_and(|at| is_another(at.0)) {
            true => content.anonymous(),
            false => content,
        }
    }
}

impl PageStore for MemoryStore {
    fn admit(&mut self, part: WrittenPart) {
        let slot_bytes = if self.options.keeps {
            self.slot_bytes
        } else {
            0
        };
        let waiting = self.waiting.entry(part.lpn.0).or_insert_with(|| Waiting {
            mask: 0,
            bytes: vec![0; slot_bytes],
        });
        waiting.mask |= mask_of(part.first, part.sectors);
        if self.options.keeps {
            let coming = self.coming.get_mut(&part.id).expect("it was given");
            coming.left -= part.sectors;
            let (from, to) = (part.offset as usize * SECTOR, part.first as usize * SECTOR);
            let bytes = part.sectors as usize * SECTOR;
            waiting.bytes[to..to + bytes].copy_from_slice(&coming.data[from..from + bytes]);
            if coming.left == 0 {
                self.coming.remove(&part.id);
            }
        }
        if part.waits && self.tracks() {
            self.account.volatile.hold(part.lpn.0);
        }
    }

    fn give_up(&mut self, id: CommandId) {
        self.coming.remove(&id);
    }

    fn withdraw(&mut self, lpn: Lpn) {
        self.waiting.remove(&lpn.0);
    }

    fn prepare(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        stated: Content,
        layer: &dyn TranslationLayer,
    ) -> Result<(Extent, Content), StoreFailed> {
        if self.tracks() {
            self.account.prepare(layer, lpn, 1);
        }
        if !self.options.keeps {
            return Ok((extent, stated));
        }
        self.lost = self.complete(lpn, layer);
        Ok(match (self.lost, self.options.packs) {
            (0, true) => (extent, self.content(lpn, extent, layer)),
            (0, false) => (extent, stated.anonymous()),
            // What lies there is of no use any more, so the layer need not read it.
            _ => (Extent::Whole, Content::RANDOM),
        })
    }

    fn prepare_trim(&mut self, first: Lpn, slots: u32, layer: &dyn TranslationLayer) {
        if self.tracks() {
            self.account.prepare(layer, first, slots);
        }
    }

    fn follow(
        &mut self,
        input: LayerInput,
        taken: bool,
        _: &dyn TranslationLayer,
        moves: &[DataMove],
    ) {
        if self.tracks() {
            self.account.follow(input, taken, moves);
        }
        let mut written = None;
        match input {
            LayerInput::Write(write) if taken => {
                let waiting = self.waiting.remove(&write.lpn.0).expect("it was admitted");
                written = Some(Stored {
                    bytes: waiting.bytes.into(),
                    lost: std::mem::take(&mut self.lost),
                });
            }
            LayerInput::Trim(first, slots) => {
                let range = first.0..first.0.saturating_add(slots);
                self.waiting.retain(|lpn, _| !range.contains(lpn));
            }
            LayerInput::SecureErase => self.waiting.clear(),
            _ => {}
        }
        if self.options.keeps {
            self.places.follow(moves, written.as_ref());
        }
        while let Some(lpn) = self.account.overdue() {
            self.account.volatile.programmed(lpn);
        }
    }

    fn programmed(&mut self, lpn: Lpn) {
        self.account.volatile.programmed(lpn.0);
    }

    fn copy(&self) -> Option<Box<dyn PageStore>> {
        Some(Box::new(self.clone()))
    }
}

/// The versions of slots that a store has, with a layer that says where they lie.
struct Lying<'a> {
    store: &'a MemoryStore,
    layer: &'a dyn TranslationLayer,
}

impl Lying<'_> {
    /// Reads what lies at a place; false if some of it is lost.
    fn read_whole(&self, place: u32, into: &mut [u8]) -> bool {
        let stored = self.store.places.get(place);
        if let Some(stored) = stored {
            into.copy_from_slice(&stored.bytes);
        }
        stored.is_none_or(|stored| stored.lost == 0)
    }
}

impl Versions for Lying<'_> {
    fn read_older(&self, _lpn: u32, place: u32, into: &mut [u8]) -> bool {
        self.read_whole(place, into)
    }

    fn read_newest(&self, lpn: u32, into: &mut [u8]) -> bool {
        let at = self.layer.lookup(Lpn(lpn));
        at.is_some_and(|at| {
            self.read_whole(at.0, into);
            true
        })
    }
}
