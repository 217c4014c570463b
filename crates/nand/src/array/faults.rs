//! Faults of an array, present and to come: blocks out of use, the life of the others, and the age of their data.
//!
//! Blocks go by their addresses, behind the controller's table of bad blocks: a translation layer
//! may exchange two blocks of a plane ([`Array::exchange`]), and what belongs to the physical block
//! goes with it. What happens to a physical block depends on its own number and cycles alone.

use super::injected::Injected;
use super::{Array, WATCHED};
use crate::bit_errors::Stress;
use crate::reliability::{Draw, Reliability};
use ftlab_base::{BlockId, Geometry, PagePlace};
use serde::{Deserialize, Serialize};

/// Bad blocks and failures of an array, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCounters {
    /// Blocks that were bad when the drive was made.
    pub factory_bad: u32,
    /// Blocks that an erase failed on.
    pub erase_failed: u32,
    /// Blocks that a program failed on.
    pub program_failed: u32,
    /// Reads that were repeated, each time.
    pub retries: u64,
    /// Reads of pages that could not be corrected, nor made good from elsewhere.
    pub unreadable: u64,
    /// Reads of pages that could not be corrected and were made good from the rest of their row.
    pub made_good: u64,
}

/// Properties of one physical block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Number of the physical block.
    pub home: u32,
    /// Cycles it survives; follows from the number.
    life: u32,
    /// Reads since the erase.
    pub reads: u32,
    /// The array's age when it was last erased, in seconds at the reference temperature.
    pub born_s: u64,
    /// Reads since the erase, up to which none can fail at the present age, nor by a fault on demand.
    calm_reads: u32,
}

impl Cell {
    fn new(home: u32, life: u32) -> Cell {
        Cell {
            home,
            life,
            reads: 0,
            born_s: 0,
            calm_reads: 0,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Faults {
    config: Reliability,
    /// Codewords of a page.
    codewords: u32,
    pub cells: Vec<Cell>,
    pub counters: FaultCounters,
    /// A state of a block in which no page has bits that fail, and so in none that has been through less.
    sure: Stress,
    /// Seconds at the reference temperature since the drive was made.
    pub age_s: u64,
    /// Faults that were injected by command.
    pub injected: Injected,
}

impl Faults {
    pub fn new(config: Reliability, geometry: &Geometry) -> Faults {
        let cell = |home| Cell::new(home, config.life_cycles(home));
        let errors = config.bit_errors.as_ref();
        Faults {
            cells: (0..geometry.blocks()).map(cell).collect(),
            codewords: errors.map_or(0, |errors| {
                geometry.page_bytes.div_ceil(errors.params().codeword_bytes)
            }),
            config,
            counters: FaultCounters::default(),
            sure: Stress::default(),
            age_s: 0,
            injected: Injected::default(),
        }
    }

    /// Returns true if a block is in its last cycle, after `cycles` erases.
    pub fn is_worn_out(&self, block: BlockId, cycles: u32) -> bool {
        let cell = &self.cells[block.index()];
        let ends = cycles > cell.life || self.injected.wears_out(cell.home);
        ends && !self.injected.is_of_reserve(cell.home)
    }

    /// Counts a read of a block, if it is known that it cannot fail.
    #[inline]
    pub fn reads_calmly(&mut self, block: BlockId) -> bool {
        let cell = &mut self.cells[block.index()];
        let is_calm = cell.reads < cell.calm_reads;
        cell.reads += u32::from(is_calm);
        is_calm
    }

    /// In a state of a block no page has bits that fail: looks whether that holds of what its fellows will be through soon.
    fn note_sure(&mut self, known: Stress) {
        let is_new = !known.is_within(&self.sure);
        let Some(errors) = self.config.bit_errors.as_ref().filter(|_| is_new) else {
            return;
        };
        let soon = Stress {
            cycles: known.cycles + known.cycles / 8 + 64,
            ..known
        };
        self.sure = match errors.failing_pages(soon, 0, self.codewords) < Reliability::LEAST_DRAW {
            true => soon,
            false => known,
        };
    }

    /// Forgets the numbers of reads that cannot fail, since something has changed: they are worked out anew.
    pub fn forget_calm(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.calm_reads = 0);
    }

    /// Puts a block of that home at an address.
    pub fn house(&mut self, block: usize, home: u32) {
        self.cells[block].home = home;
        self.cells[block].life = self.config.life_cycles(home);
    }
}

/// Reads of a block of which it is looked at first whether all of them are sure to succeed.
const CALM_AT_FIRST: u32 = 4096;

/// The outcome of a read of a page.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    /// Number of times the read is repeated.
    retries: u32,
    /// True if the data can be had in the end.
    readable: bool,
    /// Reads of its block up to which none can fail, if that was found out.
    calm_reads: Option<u32>,
}

fn hours(seconds: u64) -> f64 {
    seconds as f64 / 3600.0
}

impl Array {
    /// The array that `config` describes; its factory bad blocks are out of use.
    #[must_use]
    pub fn with_reliability(geometry: Geometry, config: Option<Reliability>) -> Array {
        let mut array = Array::new(geometry);
        let Some(config) = config else {
            return array;
        };
        let mut faults = Faults::new(config, &geometry);
        for block in 0..geometry.blocks() {
            if faults.config.is_factory_bad(block) {
                array.mark_bad(BlockId(block));
                faults.counters.factory_bad += 1;
            }
        }
        array.faults = Some(Box::new(faults));
        array
    }

    /// Returns true if anything in the array can fail.
    #[must_use]
    pub fn can_fail(&self) -> bool {
        self.faults.is_some()
    }

    /// Returns the reliability of the drive file, if something can fail.
    #[must_use]
    pub fn reliability(&self) -> Option<&Reliability> {
        self.faults.as_ref().map(|faults| &faults.config)
    }

    /// Returns the counts of failures so far.
    #[must_use]
    pub fn fault_counters(&self) -> FaultCounters {
        self.faults
            .as_ref()
            .map_or_else(FaultCounters::default, |f| f.counters)
    }

    /// Reads so far that could not be corrected.
    #[inline]
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.faults
            .as_ref()
            .map_or(0, |faults| faults.counters.unreadable)
    }

    /// Reads of pages that could be corrected, of data that could not be when they were moved there.
    pub fn note_unreadable(&mut self, reads: u64) {
        if let Some(faults) = &mut self.faults {
            faults.counters.unreadable += reads;
        }
    }

    /// The last read that could not be corrected was made good from elsewhere.
    pub fn note_made_good(&mut self) {
        if let Some(faults) = &mut self.faults {
            faults.counters.unreadable -= 1;
            faults.counters.made_good += 1;
        }
    }

    /// Lets the data age: `seconds` at the reference temperature.
    pub fn age(&mut self, seconds: u64) {
        if let Some(faults) = &mut self.faults {
            faults.age_s = faults.age_s.saturating_add(seconds);
            faults.forget_calm();
        }
    }

    /// Puts a block that the controller has kept for its own tables in the place of a bad one. It
    /// is not worn, but as nothing will be left to replace it with, nothing more is reported of it.
    ///
    /// # Panics
    /// When the block is not bad.
    pub fn replace_from_reserve(&mut self, block: BlockId) {
        assert!(self.bad[block.index()], "{block} is replaced and not bad");
        self.bad[block.index()] = false;
        self.programmed[block.index()] = 0;
        if let Some(faults) = &mut self.faults {
            let home = faults.cells[block.index()].home;
            faults.injected.replace_from_reserve(home);
        }
    }

    /// Exchanges the blocks at two addresses of one plane, as a controller does with its table of bad
    /// blocks. Data do not move with them: neither address may hold any.
    pub fn exchange(&mut self, a: BlockId, b: BlockId) {
        let (a, b) = (a.index(), b.index());
        self.programmed.swap(a, b);
        self.erases.swap(a, b);
        self.bad.swap(a, b);
        if let Some(faults) = &mut self.faults {
            faults.cells.swap(a, b);
        }
    }

    /// A block was erased: whether it failed, and how its next programs will end.
    #[cold]
    pub(super) fn erased(&mut self, block: BlockId) -> bool {
        let cycles = self.erases[block.index()];
        let faults = self.faults.as_mut().expect("asked only then");
        let age_s = faults.age_s;
        let cell = &mut faults.cells[block.index()];
        (cell.reads, cell.born_s, cell.calm_reads) = (0, age_s, 0);
        let home = cell.home;
        faults.injected.erased(home);
        if !faults.is_worn_out(block, cycles) {
            return true;
        }
        if faults.injected.is_dead(home) || faults.config.erase_fails(home, cycles) {
            faults.counters.erase_failed += 1;
            self.mark_bad(block);
            return false;
        }
        self.programmed[block.index()] = WATCHED;
        true
    }

    /// A program of a block in its last cycle: whether it is good.
    pub(super) fn advance_watched(&mut self, block: BlockId, page: u32) -> bool {
        let pages = self.geometry.pages_per_block;
        let cycles = self.erases[block.index()];
        let faults = self.faults.as_mut().expect("only what can fail is watched");
        let home = faults.cells[block.index()].home;
        let fails = page == faults.config.failing_page(home, cycles, pages);
        if fails || faults.injected.is_dead(home) {
            faults.counters.program_failed += 1;
            self.mark_bad(block);
            return false;
        }
        self.programmed[block.index()] += 1;
        true
    }

    /// A read that can fail, as far as is known: how often it is repeated, and whether it succeeds.
    pub(super) fn correct(&mut self, place: PagePlace) -> (u32, bool) {
        let faults = self.faults.as_mut().expect("asked only then");
        let cell = &mut faults.cells[place.block.index()];
        cell.reads = cell.reads.saturating_add(1);
        let (reads, hours) = (cell.reads, hours(faults.age_s - cell.born_s));
        let cycles = self.erases[place.block.index()];
        let attempt = self.attempt(place, reads);
        let faults = self.faults.as_mut().expect("as before");
        if let Some(calm_reads) = attempt.calm_reads {
            faults.cells[place.block.index()].calm_reads = calm_reads;
            faults.note_sure(Stress {
                cycles,
                hours,
                reads: calm_reads,
            });
        }
        faults.counters.retries += u64::from(attempt.retries);
        faults.counters.unreadable += u64::from(!attempt.readable);
        (attempt.retries, attempt.readable)
    }

    /// Returns true if the next read of a page would be corrected. Nothing is read, and nothing is counted.
    #[must_use]
    pub fn can_read(&self, place: PagePlace) -> bool {
        self.faults.as_ref().is_none_or(|faults| {
            let reads = faults.cells[place.block.index()].reads.saturating_add(1);
            self.attempt(place, reads).readable
        })
    }

    /// The outcome of a read of the page that is the one of that number since its block was erased.
    fn attempt(&self, place: PagePlace, reads: u32) -> Attempt {
        let faults = self.faults.as_ref().expect("asked only then");
        let cycles = self.erases[place.block.index()];
        let cell = &faults.cells[place.block.index()];
        let page = u64::from(cell.home) << 32 | u64::from(place.page);
        let errors = faults.config.bit_errors.as_ref();
        if faults.injected.spoils(cell.home, place.page)
            || faults.config.is_unreadable(page, cycles)
        {
            return Attempt {
                retries: errors.map_or(0, |errors| errors.params().retries_max),
                readable: false,
                calm_reads: None,
            };
        }
        let only_bits_fail = faults.config.reads_all_pages() && !faults.injected.spoils_any();
        let calm = |reads| Attempt {
            retries: 0,
            readable: true,
            calm_reads: only_bits_fail.then_some(reads),
        };
        let Some(errors) = errors else {
            return calm(u32::MAX);
        };
        let stress = |reads| Stress {
            cycles,
            hours: hours(faults.age_s - cell.born_s),
            reads,
        };
        // Every read makes a failure likelier, so what is sure for more of them is sure until then. Most blocks are erased
        // before they are read as often as is tried first.
        let twice = reads.saturating_mul(2);
        let sure = |&reads: &u32| {
            stress(reads).is_within(&faults.sure)
                || errors.failing_pages(stress(reads), 0, faults.codewords)
                    < Reliability::LEAST_DRAW
        };
        let tried = [twice.max(CALM_AT_FIRST), twice];
        let tried = &tried[usize::from(twice >= CALM_AT_FIRST)..];
        if let Some(&reads) = tried.iter().find(|&reads| sure(reads)) {
            return calm(reads);
        }
        let weakness = faults.config.uniform(Draw::WeakPage, page, cycles.into());
        let corrected = errors.correct(stress(reads), faults.codewords, weakness);
        Attempt {
            retries: corrected.retries,
            readable: corrected.readable,
            calm_reads: None,
        }
    }

    /// Returns the state of a block that its bit errors depend on.
    #[must_use]
    pub fn stress(&self, block: BlockId) -> Stress {
        let cycles = self.erases[block.index()];
        let none = Stress {
            cycles,
            ..Stress::default()
        };
        self.faults.as_ref().map_or(none, |faults| {
            let cell = &faults.cells[block.index()];
            Stress {
                cycles,
                hours: hours(faults.age_s - cell.born_s),
                reads: cell.reads,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bit_errors::{BitErrors, ErrorParams};
    use crate::op::{Cause, OpBatch, Order};
    use ftlab_base::{DieId, Geometry};

    /// What an array answers without a second look is what the closer look would have said.
    #[test]
    fn reads_that_cannot_fail_are_those_that_do_not() {
        let errors = BitErrors::new(ErrorParams {
            rated_cycles: 10,
            rber_new: 1e-6,
            rber_wear: 5e-5,
            wear_power: 2.0,
            rber_retention: 5e-4,
            retention_power: 1.2,
            rber_disturb: 0.05,
            disturb_power: 1.0,
            activation_ev: 1.1,
            codeword_bytes: 512,
            correctable_bits: 15,
            retries_max: 4,
            retry_gain: 0.3,
        });
        let reliability = Reliability {
            seed: 7,
            factory_bad: 0.0,
            grown_bad: 0.0,
            unreadable_pages: 0.0,
            endurance: None,
            bit_errors: Some(errors.clone()),
        };
        let geometry = Geometry {
            channels: 1,
            dies: 1,
            planes_per_die: 1,
            blocks_per_die: 1,
            pages_per_block: 1,
            page_bytes: 4096,
            slot_bytes: 4096,
        };
        let (die, block) = (DieId(0), BlockId(0));
        let mut array = Array::with_reliability(geometry, Some(reliability.clone()));
        let (mut batch, mut repeated, mut aged) = (OpBatch::default(), 0, 0);
        let place = PagePlace {
            die,
            block,
            page: 0,
        };
        for cycle in 1..=20 {
            assert!(array.erase((die, block), 1, Cause::Host, Order::FREE, &mut batch));
            assert!(
                array
                    .program(place, 1, Cause::Host, Order::FREE, &mut batch)
                    .is_good()
            );
            for read in 1..=20_000 {
                if cycle % 3 == 0 && read == 10 {
                    array.age(100_000_000);
                    aged += 1;
                }
                let before = array.fault_counters().retries;
                let readable = array.read(place, 4096, Cause::Host, Order::FREE, &mut batch);
                let retries = (array.fault_counters().retries - before) as u32;
                batch.clear();
                let weakness = reliability.uniform(Draw::WeakPage, 0, cycle);
                let sure = errors.correct(array.stress(block), 8, weakness);
                assert_eq!((retries, readable), (sure.retries, sure.readable));
                repeated += retries;
            }
        }
        assert!(repeated > 0 && aged > 0 && repeated < 20 * 20_000 * 4);
        // A fault on demand ends the calm of a page that was read well just before.
        let mut array = Array::with_reliability(geometry, Some(reliability));
        let _ = array.program(place, 1, Cause::Host, Order::FREE, &mut batch);
        let mut read = |array: &mut Array| {
            batch.clear();
            array.read(place, 4096, Cause::Host, Order::FREE, &mut batch)
        };
        assert!((0..3).all(|_| read(&mut array)));
        array.spoil(&[place]).unwrap();
        assert!(!read(&mut array) && !read(&mut array));
    }
}
