//! Data of a drive at any instant of a crash log, and the states that a power cut could have left then.

use super::format::Event;
use super::read::{CrashLog, CrashLogError, Reader};
use ftlab_base::{Lpn, SECTOR_BYTES};
use ftlab_cut::Volatile;
use ftlab_cut::{Fate, PowerCut};
use ftlab_cut::{mask_of, runs};
use ftlab_drive::ssd::{LayerInput, SlotWrite};
use ftlab_ftl::Extent;
use rustix::fs::{FallocateFlags, fallocate};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

const SECTOR: usize = SECTOR_BYTES as usize;

/// A write of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteInfo {
    /// Its number: the first of a log is 1. A trim has 0.
    pub number: u64,
    /// Time of the write, in nanoseconds since the log began.
    pub at_ns: u64,
}

/// A slot of which a cut has left something else than the host would have read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostSlot {
    /// Position on the drive, in bytes.
    pub offset_bytes: u64,
    /// Data that the slot holds in this state.
    pub data: Vec<u8>,
    /// True if the data are made of two versions.
    pub is_torn: bool,
    /// The newest write that is lost there.
    pub write: WriteInfo,
}

/// State that a power cut has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrashState {
    /// The instant, as the number of what happened before.
    pub point: u64,
    /// Time of the cut, in nanoseconds since the log began.
    pub at_ns: u64,
    /// Text of the last mark by then; empty if there was none.
    pub mark: String,
    /// Slots that the volatile buffer had something of.
    pub volatile_slots: u64,
    /// Slots that the host would have read otherwise, in the order of the drive.
    pub lost: Vec<LostSlot>,
}

/// A drive as it was at an instant of a log, which goes on.
pub struct CrashReplay {
    reader: Reader,
    /// The data that the host reads.
    newest: File,
    slot_bytes: usize,
    atomic_bytes: u64,
    keeps: bool,
    volatile: Volatile,
    /// The layer's version of slots with buffered data.
    under: BTreeMap<u32, Vec<u8>>,
    /// Older versions of slots that are being programmed.
    before: BTreeMap<u32, Vec<u8>>,
    /// The newest writes to slots: what waits, and what was handed on.
    waiting: BTreeMap<u32, WriteInfo>,
    handed: BTreeMap<u32, WriteInfo>,
    /// Slots that were given up and may come back.
    given_up: BTreeSet<u32>,
    point: u64,
    at_ns: u64,
    mark: String,
    /// An event that was read, and comes next.
    next: Option<(Event, Vec<u8>)>,
}

impl CrashLog {
    /// Begins with what the drive held when the log began, in a file that is empty.
    ///
    /// # Errors
    /// When the log cannot be read, or the file not be written.
    pub fn replay(&self, newest: File) -> Result<CrashReplay, CrashLogError> {
        let reader = Reader::open(&self.path)?;
        let header = self.header();
        let mut replay = CrashReplay {
            newest,
            slot_bytes: header.slot_bytes as usize,
            atomic_bytes: header.atomic_bytes,
            keeps: header.keeps_its_buffer,
            volatile: Volatile::default(),
            under: BTreeMap::new(),
            before: BTreeMap::new(),
            waiting: BTreeMap::new(),
            handed: BTreeMap::new(),
            given_up: BTreeSet::new(),
            point: 0,
            at_ns: 0,
            mark: String::new(),
            next: None,
            reader,
        };
        let length = replay.newest.set_len(header.capacity_bytes);
        length.map_err(|why| replay.system(why))?;
        replay.go_to(0)?;
        Ok(replay)
    }
}

impl CrashReplay {
    fn system(&self, why: io::Error) -> CrashLogError {
        CrashLogError::System {
            path: std::path::PathBuf::from("the state of the drive"),
            what: "keep it in a temporary file",
            why,
        }
    }

    /// The data that the host reads.
    #[must_use]
    pub fn newest(&self) -> &File {
        &self.newest
    }

    /// Goes on to a point, or to the log's end. There is no way back.
    ///
    /// # Errors
    /// When the log cannot be read, or the file not be written.
    pub fn go_to(&mut self, point: u64) -> Result<(), CrashLogError> {
        loop {
            let (event, data) = match self.next.take() {
                Some(next) => next,
                None => match self.reader.next()? {
                    Some((event, data)) => (event, data.to_vec()),
                    None => return Ok(()),
                },
            };
            // A write that is under way is not begun.
            let is_behind = event.is_point() || matches!(event, Event::Wrote { .. });
            if is_behind && self.point == point {
                self.next = Some((event, data));
                return Ok(());
            }
            let done = self.follow(&event, &data);
            done.map_err(|why| self.system(why))?;
        }
    }

    fn follow(&mut self, event: &Event, data: &[u8]) -> io::Result<()> {
        // A point is counted before its event is followed, as a cut at it comes behind the event.
        self.point += u64::from(event.is_point());
        self.at_ns = event.at_ns().unwrap_or(self.at_ns);
        match *event {
            Event::Base { sector, .. } => self.newest.write_all_at(data, sector * SECTOR_BYTES)?,
            Event::Wrote {
                at_ns,
                command: number,
                slot,
                first,
                waits,
                ..
            } => {
                let write = WriteInfo { number, at_ns };
                let at = self.place(slot) + u64::from(first) * SECTOR_BYTES;
                self.note_written(write, at, data.len(), waits)?;
                self.newest.write_all_at(data, at)?;
            }
            Event::Withdrawn { slot } => {
                self.waiting.remove(&slot);
                if let Some(under) = self.under.remove(&slot) {
                    self.newest.write_all_at(&under, self.place(slot))?;
                }
            }
            Event::Handed { slot } => self.hand_on(slot),
            Event::Gone { slot } => {
                self.volatile.note_gone(slot);
                self.before.remove(&slot);
            }
            Event::Programmed { slot } => self.programmed(slot),
            Event::Settled { slot, slots } => {
                for slot in slot..slot + slots {
                    self.hand_on(slot);
                    self.programmed(slot);
                }
            }
            Event::AllProgrammed => {
                self.volatile.all_programmed();
                self.before.clear();
                self.handed.clear();
                self.given_up.clear();
            }
            Event::GivenUp { at_ns, slot } => self.give_up(slot, at_ns)?,
            Event::Trimmed { slot, slots, .. } => {
                let input = LayerInput::Trim(Lpn(slot), slots);
                self.volatile.follow(input, true, &[], &[]);
                self.forget(slot..slot.saturating_add(slots))?;
            }
            Event::Erased { .. } => {
                self.volatile
                    .follow(LayerInput::SecureErase, true, &[], &[]);
                self.given_up.clear();
                self.forget(0..u32::MAX)?;
            }
            Event::Marked { .. } => self.mark = String::from_utf8_lossy(data).into_owned(),
            Event::Begun | Event::Flush { .. } | Event::Ended { .. } => {}
        }
        Ok(())
    }

    fn place(&self, slot: u32) -> u64 {
        u64::from(slot) * self.slot_bytes as u64
    }

    /// The host's version of a slot.
    fn newest_of(&self, slot: u32) -> io::Result<Vec<u8>> {
        let mut data = vec![0; self.slot_bytes];
        let mut rest = &mut data[..];
        let mut at = self.place(slot);
        // The last slot of a drive may reach beyond what the host may address.
        while !rest.is_empty() {
            match self.newest.read_at(rest, at)? {
                0 => break,
                read => (at, rest) = (at + read as u64, &mut rest[read..]),
            }
        }
        Ok(data)
    }

    /// Bytes are about to be written.
    fn note_written(
        &mut self,
        write: WriteInfo,
        at: u64,
        bytes: usize,
        waits: bool,
    ) -> io::Result<()> {
        if self.keeps {
            return Ok(());
        }
        let slot_bytes = self.slot_bytes as u64;
        for slot in at / slot_bytes..(at + bytes as u64).div_ceil(slot_bytes) {
            let slot = slot as u32;
            if !self.under.contains_key(&slot) {
                self.under.insert(slot, self.newest_of(slot)?);
            }
            self.waiting.insert(slot, write);
            if waits {
                self.volatile.hold(slot);
            }
        }
        Ok(())
    }

    /// The layer has the newest of a slot, which is being programmed.
    fn hand_on(&mut self, slot: u32) {
        let Some(under) = self.under.remove(&slot) else {
            return;
        };
        if !self.volatile.is_programming(slot) {
            self.before.insert(slot, under);
        }
        let input = LayerInput::Write(SlotWrite::of(Lpn(slot), Extent::Whole));
        self.volatile.follow(input, true, &[(slot, 0)], &[]);
        self.given_up.remove(&slot);
        if let Some(write) = self.waiting.remove(&slot) {
            self.handed.insert(slot, write);
        }
    }

    /// Notes that the data of a slot that were handed on are in the cells.
    fn programmed(&mut self, slot: u32) {
        self.volatile.programmed(slot);
        self.before.remove(&slot);
        self.handed.remove(&slot);
        self.given_up.remove(&slot);
    }

    /// A slot is about to be given up, and may come back.
    fn give_up(&mut self, slot: u32, at_ns: u64) -> io::Result<()> {
        if self.keeps {
            return Ok(());
        }
        if !self.volatile.is_programming(slot) {
            let under = self.under.get(&slot).cloned();
            let held = under.map_or_else(|| self.newest_of(slot), Ok)?;
            self.before.insert(slot, held);
        }
        let input = LayerInput::Trim(Lpn(slot), 1);
        self.volatile.follow(input, true, &[(slot, 0)], &[]);
        self.given_up.insert(slot);
        let number = 0;
        self.handed.insert(slot, WriteInfo { number, at_ns });
        Ok(())
    }

    /// Empties slots that a trim or an erase took, but for those that were given up.
    fn forget(&mut self, slots: Range<u32>) -> io::Result<()> {
        let is_in = |slot: &u32| slots.contains(slot);
        let given_up = &self.given_up;
        let keep = |slot: &u32| !is_in(slot) || given_up.contains(slot);
        self.under.retain(|slot, _| !is_in(slot));
        self.waiting.retain(|slot, _| !is_in(slot));
        self.before.retain(|slot, _| keep(slot));
        self.handed.retain(|slot, _| keep(slot));
        let end = self.newest.metadata()?.len();
        let (from, to) = (self.place(slots.start), self.place(slots.end).min(end));
        if from >= to {
            return Ok(());
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        if fallocate(&self.newest, flags, from, to - from).is_ok() {
            return Ok(());
        }
        // Not every file system has holes.
        let zeroes = vec![0; self.slot_bytes];
        for at in (from..to).step_by(self.slot_bytes) {
            let bytes = (to - at).min(self.slot_bytes as u64) as usize;
            self.newest.write_all_at(&zeroes[..bytes], at)?;
        }
        Ok(())
    }

    /// Draws the state that a power cut at this instant leaves. Nothing changes by that.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn cut(&self, seed: u64) -> Result<CrashState, CrashLogError> {
        let cut = PowerCut {
            seed,
            atomic_bytes: self.atomic_bytes,
        };
        let volatile = self.volatile.saved();
        let mut lost = Vec::new();
        for slot in &volatile {
            let fate = slot.fate(&cut, self.slot_bytes as u64);
            let left = self.left_of(slot.lpn, slot.waits, fate);
            lost.extend(left.map_err(|why| self.system(why))?);
        }
        // What no buffer has yet is lost, whatever the seed.
        let held: BTreeSet<u32> = volatile.iter().map(|slot| slot.lpn).collect();
        for &slot in self.under.keys().filter(|slot| !held.contains(slot)) {
            let left = self.left_of(slot, true, Fate::Old);
            lost.extend(left.map_err(|why| self.system(why))?);
        }
        lost.sort_by_key(|lost| lost.offset_bytes);
        Ok(CrashState {
            point: self.point,
            at_ns: self.at_ns,
            mark: self.mark.clone(),
            volatile_slots: volatile.len() as u64,
            lost,
        })
    }

    /// Data of a slot after a cut, if they differ from the host's version.
    fn left_of(&self, slot: u32, waits: bool, fate: Fate) -> io::Result<Option<LostSlot>> {
        let newest = self.newest_of(slot)?;
        let layer = self.under.get(&slot).unwrap_or(&newest);
        let before = self.before.get(&slot);
        let data = match (fate, before) {
            (Fate::New, _) | (_, None) => layer.clone(),
            // No part of what was given up comes back.
            (Fate::Torn(_), _) if self.given_up.contains(&slot) => layer.clone(),
            (Fate::Old, Some(before)) => before.clone(),
            (Fate::Torn(new), Some(before)) => {
                let mut torn = before.clone();
                let sectors = (self.slot_bytes / SECTOR) as u32;
                for (first, sectors) in runs(new & mask_of(0, sectors)) {
                    let range = first * SECTOR..(first + sectors) * SECTOR;
                    torn[range.clone()].copy_from_slice(&layer[range]);
                }
                torn
            }
        };
        if data == newest {
            return Ok(None);
        }
        let waiting = self.waiting.get(&slot).filter(|_| waits);
        let write = waiting.or_else(|| self.handed.get(&slot));
        Ok(Some(LostSlot {
            offset_bytes: self.place(slot),
            data,
            is_torn: matches!(fate, Fate::Torn(_)) && before.is_some(),
            write: *write.expect("something was written"),
        }))
    }
}
