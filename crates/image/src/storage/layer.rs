//! A storage that lies on another one: what was written is above, everything else is read below, which never
//! changes and which many may have at once.
//!
//! ```text
//! above:  whatever its owner puts there │ map: a byte for each block │ blocks, each at its place
//! ```
//!
//! A block is copied up when it is written first: the whole block goes to its place, and its byte in the map follows.
//! So a block that was cut off is still the one below. No byte of the map is zero, and none is one bit away from
//! another, so damage to it is noticed.
//!
//! Where the machine may lose its power, a byte could reach its storage sooner than the block that it speaks of. There
//! a block is first *written*, and *safe* only after a sync; on a machine that was started anew, what is not safe is
//! as it lies below.

use super::syncer::Syncer;
use super::{Region, Storage, Wake};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a block.
pub(crate) const BLOCK_BYTES: u64 = 1 << 16;

/// Values of a byte of the map: the block lies below, is written above, or is safe there, too.
const BELOW: u8 = 0x33;
const WRITTEN: u8 = 0x5c;
const SAFE: u8 = 0xa9;

/// Layout of the map and the blocks above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    map: Region,
    /// Start of the first block, in bytes.
    data_at: u64,
}

impl Plan {
    /// The layout over a storage of `bytes` bytes, for a map that begins at `at`.
    pub(crate) fn new(at: u64, bytes: u64) -> Plan {
        let map = Region {
            at,
            bytes: bytes.div_ceil(BLOCK_BYTES),
        };
        Plan {
            map,
            data_at: (map.at + map.bytes).next_multiple_of(BLOCK_BYTES),
        }
    }

    /// End of the layer, in bytes.
    pub(crate) fn end(&self) -> u64 {
        self.data_at + self.map.bytes * BLOCK_BYTES
    }

    /// Writes the map of a layer in which nothing is written yet.
    pub(crate) fn write_empty(&self, above: &mut dyn Storage) -> io::Result<()> {
        let part = vec![BELOW; self.map.bytes.min(1 << 20) as usize];
        let (mut at, end) = (self.map.at, self.map.at + self.map.bytes);
        while at < end {
            let bytes = (end - at).min(part.len() as u64) as usize;
            above.write_at(at, &part[..bytes])?;
            at += bytes as u64;
        }
        Ok(())
    }
}

/// Location of each block, for all who use a layer.
#[derive(Debug)]
struct Map {
    blocks: Vec<AtomicU8>,
    /// Blocks that are written and not safe.
    fresh: Mutex<Vec<u64>>,
    /// Held by the thread that makes blocks safe; the next one waits, as its blocks may be among them.
    settling: Mutex<()>,
}

impl Map {
    fn is_below(&self, block: u64) -> bool {
        self.blocks[block as usize].load(Ordering::Acquire) == BELOW
    }

    /// End of the run of blocks from `from` that lie all below or all above.
    fn run(&self, from: u64, until: u64) -> (bool, u64) {
        let is_below = self.is_below(from);
        let other = (from + 1..until).find(|&block| self.is_below(block) != is_below);
        (is_below, other.unwrap_or(until))
    }
}

/// Blocks above, over a storage that is only read.
#[derive(Debug)]
pub(crate) struct Layer {
    below: Arc<dyn Storage>,
    below_bytes: u64,
    above: Box<dyn Storage>,
    plan: Plan,
    map: Arc<Map>,
    /// True if the machine may lose its power, and blocks are safe only after a sync.
    careful: bool,
    is_dirty: bool,
    syncer: Option<Syncer>,
}

/// Reason why a layer cannot be used.
#[derive(Debug)]
pub(crate) enum LayerError {
    Storage(io::Error),
    /// A byte of the map that nobody wrote.
    Map(u64),
}

impl From<io::Error> for LayerError {
    fn from(why: io::Error) -> LayerError {
        LayerError::Storage(why)
    }
}

impl Layer {
    /// A layer in which nothing is written; its map is, as [`Plan::write_empty`] does.
    pub(crate) fn new(
        below: Arc<dyn Storage>,
        below_bytes: u64,
        above: Box<dyn Storage>,
        plan: Plan,
        careful: bool,
    ) -> Layer {
        let blocks = (0..plan.map.bytes).map(|_| AtomicU8::new(BELOW));
        Layer {
            below,
            below_bytes,
            above,
            plan,
            map: Arc::new(Map {
                blocks: blocks.collect(),
                fresh: Mutex::default(),
                settling: Mutex::default(),
            }),
            careful,
            is_dirty: true,
            syncer: None,
        }
    }

    /// Opens a layer as it was left, from its map. On a machine that was started anew since, what is not safe is left
    /// out. Also returns whether the map is to be written, so that it stays so.
    ///
    /// # Errors
    /// When the storage fails, or the map is damaged.
    pub(crate) fn open(mut self, started_anew: bool) -> Result<(Layer, bool), LayerError> {
        let mut bytes = vec![0; self.plan.map.bytes as usize];
        self.above.read_at(self.plan.map.at, &mut bytes)?;
        let (mut fresh, mut is_changed) = (Vec::new(), false);
        for (block, byte) in bytes.into_iter().enumerate() {
            let found = match byte {
                BELOW | SAFE => byte,
                WRITTEN if started_anew => BELOW,
                // From now on nobody would ever make it safe.
                WRITTEN if !self.careful => SAFE,
                WRITTEN => {
                    fresh.push(block as u64);
                    WRITTEN
                }
                _ => return Err(LayerError::Map(block as u64)),
            };
            is_changed |= found != byte;
            let byte = found;
            self.map.blocks[block].store(byte, Ordering::Release);
        }
        let map = Arc::get_mut(&mut self.map).expect("nobody else has it yet");
        map.fresh = Mutex::new(fresh);
        Ok((self, is_changed))
    }

    /// Writes down what [`Layer::open`] has found, so that it stays so.
    pub(crate) fn write_map(&mut self) -> io::Result<()> {
        let blocks = self.map.blocks.iter();
        let bytes: Vec<u8> = blocks.map(|byte| byte.load(Ordering::Acquire)).collect();
        self.above.write_at(self.plan.map.at, &bytes)?;
        self.above.sync()
    }

    /// Its owner's part of what lies above.
    pub(crate) fn above(&mut self) -> &mut dyn Storage {
        &mut *self.above
    }

    fn blocks_of(&self, at: u64, bytes: u64) -> io::Result<Range<u64>> {
        let end = at.checked_add(bytes);
        match end.map(|end| end.div_ceil(BLOCK_BYTES)) {
            Some(until) if until <= self.plan.map.bytes => Ok(at / BLOCK_BYTES..until),
            _ => Err(io::Error::other(
                "it lies on a base, and does not grow beyond that",
            )),
        }
    }

    /// Blocks are written from now on.
    fn mark(&mut self, blocks: Range<u64>) -> io::Result<()> {
        let byte = if self.careful { WRITTEN } else { SAFE };
        let bytes = vec![byte; (blocks.end - blocks.start) as usize];
        self.above
            .write_at(self.plan.map.at + blocks.start, &bytes)?;
        for block in blocks.clone() {
            self.map.blocks[block as usize].store(byte, Ordering::Release);
        }
        if self.careful {
            lock(&self.map.fresh).extend(blocks);
        }
        Ok(())
    }

    /// Writes to blocks that lie below: whole ones as they are, and a part of one over what lies there.
    fn write_first(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let end = at + bytes.len() as u64;
        let (first, until) = (at / BLOCK_BYTES, end.div_ceil(BLOCK_BYTES));
        let is_whole = at.is_multiple_of(BLOCK_BYTES) && end.is_multiple_of(BLOCK_BYTES);
        if is_whole {
            self.above.write_at(self.plan.data_at + at, bytes)?;
        } else {
            let start = first * BLOCK_BYTES;
            let mut whole = vec![0; ((until - first) * BLOCK_BYTES) as usize];
            self.below.read_at(start, &mut whole)?;
            let from = (at - start) as usize;
            whole[from..from + bytes.len()].copy_from_slice(bytes);
            self.above.write_at(self.plan.data_at + start, &whole)?;
        }
        self.mark(first..until)
    }

    fn settle(&mut self) -> io::Result<()> {
        settle(&self.map, self.plan.map.at, &mut *self.above)
    }
}

/// Waits until what is above is safe, and until that is noted.
fn settle(map: &Map, map_at: u64, above: &mut dyn Storage) -> io::Result<()> {
    let _others_wait = lock(&map.settling);
    let fresh = std::mem::take(&mut *lock(&map.fresh));
    let settled = (|| {
        above.sync()?;
        for &block in &fresh {
            above.write_at(map_at + block, &[SAFE])?;
            map.blocks[block as usize].store(SAFE, Ordering::Release);
        }
        match fresh.is_empty() {
            true => Ok(()),
            false => above.sync(),
        }
    })();
    if settled.is_err() {
        lock(&map.fresh).extend(fresh);
    }
    settled
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storage for Layer {
    fn read_at(&self, at: u64, mut into: &mut [u8]) -> io::Result<()> {
        let mut at = at;
        while !into.is_empty() {
            let end = at + into.len() as u64;
            let until = end.div_ceil(BLOCK_BYTES).min(self.plan.map.bytes);
            let block = at / BLOCK_BYTES;
            if block >= until {
                into.fill(0);
                return Ok(());
            }
            let (is_below, run) = self.map.run(block, until);
            let bytes = (end.min(run * BLOCK_BYTES) - at) as usize;
            let (part, rest) = into.split_at_mut(bytes);
            match is_below {
                true => self.below.read_at(at, part)?,
                false => self.above.read_at(self.plan.data_at + at, part)?,
            }
            at += bytes as u64;
            into = rest;
        }
        Ok(())
    }

    fn write_at(&mut self, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.is_dirty = true;
        let blocks = self.blocks_of(at, bytes.len() as u64)?;
        let mut block = blocks.start;
        while !bytes.is_empty() {
            let (is_below, until) = self.map.run(block, blocks.end);
            let end = (at + bytes.len() as u64).min(until * BLOCK_BYTES);
            let (part, rest) = bytes.split_at((end - at) as usize);
            match is_below {
                true => self.write_first(at, part)?,
                false => self.above.write_at(self.plan.data_at + at, part)?,
            }
            (at, bytes, block) = (end, rest, until);
        }
        Ok(())
    }

    /// Gives data up, which need not be looked for below any more.
    fn give_up(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        self.is_dirty = true;
        self.blocks_of(at, bytes)?;
        self.above.give_up(self.plan.data_at + at, bytes)?;
        let (mut block, end) = (at.div_ceil(BLOCK_BYTES), (at + bytes) / BLOCK_BYTES);
        while block < end {
            let (is_below, until) = self.map.run(block, end);
            if is_below {
                self.mark(block..until)?;
            }
            block = until;
        }
        Ok(())
    }

    fn next_data(&self, at: u64) -> io::Result<Option<u64>> {
        let above = self.above.next_data(self.plan.data_at + at)?;
        let above = above.map(|found| found - self.plan.data_at);
        let end = self.plan.map.bytes;
        let mut from = at;
        let below = loop {
            let mut blocks = from / BLOCK_BYTES..end;
            let Some(block) = blocks.find(|&block| self.map.is_below(block)) else {
                break None;
            };
            match self.below.next_data(from.max(block * BLOCK_BYTES))? {
                None => break None,
                Some(found) if found / BLOCK_BYTES >= end => break None,
                Some(found) if self.map.is_below(found / BLOCK_BYTES) => break Some(found),
                Some(found) => from = (found / BLOCK_BYTES + 1) * BLOCK_BYTES,
            }
        };
        Ok(above.into_iter().chain(below).min())
    }

    fn length(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.below_bytes))
    }

    fn share(&mut self) -> io::Result<()> {
        self.above.share()
    }

    fn machine(&self) -> Option<u64> {
        self.above.machine()
    }

    fn beside(&self) -> Option<Box<dyn Storage>> {
        Some(Box::new(Layer {
            below: Arc::clone(&self.below),
            below_bytes: self.below_bytes,
            above: self.above.beside()?,
            plan: self.plan,
            map: Arc::clone(&self.map),
            careful: self.careful,
            // What the other one wrote, too.
            is_dirty: true,
            syncer: None,
        }))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.end_sync()?;
        match std::mem::take(&mut self.is_dirty) {
            true => self.settle(),
            false => Ok(()),
        }
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        let Some(syncer) = &self.syncer else {
            return self.sync();
        };
        if std::mem::take(&mut self.is_dirty) {
            syncer.begin();
        }
        Ok(())
    }

    fn is_syncing(&self) -> bool {
        self.syncer.as_ref().is_some_and(Syncer::is_under_way)
    }

    fn end_sync(&mut self) -> io::Result<()> {
        self.syncer.as_ref().map_or(Ok(()), Syncer::end)
    }

    fn sync_beside(&mut self, wake: Wake) -> io::Result<()> {
        let Some(above) = self.above.beside() else {
            return Ok(());
        };
        let (map, map_at) = (Arc::clone(&self.map), self.plan.map.at);
        let settle = move || {
            // Each is dirty: what others wrote is to be safe, too.
            let above = above.beside();
            let mut above = above.ok_or(io::ErrorKind::Unsupported)?;
            settle(&map, map_at, &mut *above)
        };
        self.syncer = Some(Syncer::start(Box::new(settle), wake)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Memory;

    const BLOCK: usize = BLOCK_BYTES as usize;

    fn layer(careful: bool) -> Layer {
        let mut below = Memory::default();
        below.write_at(0, &vec![1; 3 * BLOCK]).unwrap();
        let plan = Plan::new(0, 4 * BLOCK_BYTES);
        let mut above = Memory::default();
        plan.write_empty(&mut above).unwrap();
        let below: Arc<dyn Storage> = Arc::new(below);
        Layer::new(below, 4 * BLOCK_BYTES, Box::new(above), plan, careful)
    }

    fn read(layer: &Layer, at: usize, bytes: usize) -> Vec<u8> {
        let mut read = vec![9; bytes];
        layer.read_at(at as u64, &mut read).unwrap();
        read
    }

    /// The layer opened again, and whether that changed something of it.
    fn again(layer: Layer, careful: bool, started_anew: bool) -> (Layer, bool) {
        let (below, above) = (layer.below, layer.above);
        let again = Layer::new(below, layer.below_bytes, above, layer.plan, careful);
        again.open(started_anew).unwrap()
    }

    #[test]
    fn what_is_written_lies_above_and_the_rest_is_read_below() {
        let mut layer = layer(false);
        layer.write_at(BLOCK_BYTES - 2, &[2; 4]).unwrap();
        assert_eq!(read(&layer, BLOCK - 4, 8), [1, 1, 2, 2, 2, 2, 1, 1]);
        assert_eq!(read(&layer, 3 * BLOCK - 1, 3), [1, 0, 0]);
        let is_below = |block| layer.map.is_below(block);
        assert_eq!([0, 1, 2, 3].map(is_below), [false, false, true, true]);
        // What was written before is written where it is.
        layer.write_at(BLOCK_BYTES, &vec![3; 2 * BLOCK]).unwrap();
        assert_eq!(read(&layer, BLOCK - 1, 2), [2, 3]);
        assert_eq!(read(&layer, 3 * BLOCK - 1, 2), [3, 0]);
        assert!(layer.write_at(4 * BLOCK_BYTES - 1, &[1; 2]).is_err());
        let mut below = vec![0; BLOCK];
        layer.below.read_at(0, &mut below).unwrap();
        assert!(below.iter().all(|&byte| byte == 1), "it never changes");
    }

    #[test]
    fn what_is_given_up_is_not_read_below() {
        let mut layer = layer(false);
        layer.give_up(10, 2 * BLOCK_BYTES).unwrap();
        // A block that is given up in part is as it was.
        assert_eq!(read(&layer, BLOCK - 1, 2), [1, 0]);
        assert_eq!(read(&layer, 2 * BLOCK - 1, 2), [0, 1]);
        assert_eq!(layer.next_data(BLOCK_BYTES).unwrap(), Some(2 * BLOCK_BYTES));
        assert_eq!(layer.next_data(3 * BLOCK_BYTES).unwrap(), None);
    }

    #[test]
    fn what_is_not_safe_is_left_out_on_a_machine_that_was_started_anew() {
        for (started_anew, found) in [(false, [2, 3]), (true, [2, 1])] {
            let mut layer = layer(true);
            layer.write_at(0, &[2]).unwrap();
            layer.sync().unwrap();
            layer.write_at(BLOCK_BYTES, &[3]).unwrap();
            let (again, is_changed) = again(layer, true, started_anew);
            assert_eq!(is_changed, started_anew);
            let there = [read(&again, 0, 1)[0], read(&again, BLOCK, 1)[0]];
            assert_eq!(there, found);
        }
    }

    #[test]
    fn what_was_not_safe_stays_where_nobody_will_make_it_so() {
        let mut layer = layer(true);
        layer.write_at(0, &[2]).unwrap();
        for started_anew in [false, true] {
            let (mut again, is_changed) = again(layer, false, started_anew);
            assert_eq!(is_changed, !started_anew);
            again.write_map().unwrap();
            assert_eq!(read(&again, 0, 2), [2, 1]);
            layer = again;
        }
    }

    #[test]
    fn a_map_that_nobody_wrote_is_told() {
        for bit in 0..8 {
            for byte in [BELOW, WRITTEN, SAFE, 0] {
                let mut layer = layer(false);
                let byte = if byte == 0 { 0 } else { byte ^ (1 << bit) };
                layer.above.write_at(2, &[byte]).unwrap();
                assert!(matches!(layer.open(false), Err(LayerError::Map(2))));
            }
        }
    }
}
