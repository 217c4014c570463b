//! The logs: which zones have one, and where in it each slot's newest data lie.

use super::space::{LogicalBlock, Space};
use ftlab_base::{SuperblockId, deltas};
use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// No log, no zone, no position.
const NONE: u32 = u32::MAX;

/// The log of one logical block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Log {
    /// The superblock that takes the slots.
    pub superblock: SuperblockId,
    /// Slots taken so far.
    pub fill: u32,
    /// True if offset 0 came first, 1 second and so on: then the log can become the data.
    pub sequential: bool,
}

/// The logs of one zone.
#[derive(Debug, Clone, Copy)]
struct OpenZone {
    zone: u32,
    /// Time the zone was last written, counted in writes.
    written: u64,
}

/// All logs in a saved state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LogsState {
    /// Open zones with the time each was last written, by place.
    open: Vec<Option<(u32, u64)>>,
    /// By place and group.
    logs: Vec<Option<LogState>>,
    writes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LogState {
    superblock: SuperblockId,
    fill: u32,
    sequential: bool,
    /// Newest position of each offset.
    #[serde(with = "deltas")]
    positions: Vec<u32>,
}

/// All logs. A zone opens as a whole; each of its blocks gets a superblock when first written.
#[derive(Debug, Clone)]
pub(super) struct Logs {
    groups: usize,
    slots_per_block: usize,
    /// The place of a zone in `open`, by zone.
    places: Vec<u32>,
    /// Zones that have logs, by place.
    open: Vec<OpenZone>,
    /// Logs, by place and group.
    logs: Vec<Option<Log>>,
    /// Newest position in the log, by place, group and offset.
    positions: Vec<u32>,
    writes: u64,
}

impl Logs {
    pub fn new(space: &Space, open_max: u32) -> Logs {
        let groups = space.groups as usize;
        let places = open_max as usize;
        let slots_per_block = space.slots_per_block as usize;
        let nobody = OpenZone {
            zone: NONE,
            written: 0,
        };
        Logs {
            groups,
            slots_per_block,
            places: vec![NONE; space.zones as usize],
            open: vec![nobody; places],
            logs: vec![None; places * groups],
            positions: vec![NONE; places * groups * slots_per_block],
            writes: 0,
        }
    }

    /// Zones that may be open at a time.
    pub fn open_max(&self) -> u32 {
        self.open.len() as u32
    }

    pub fn is_open(&self, zone: u32) -> bool {
        self.places[zone as usize] != NONE
    }

    /// The zone to close before another can open: the least recently written one. `None` while
    /// there is a place.
    pub fn victim(&self) -> Option<u32> {
        // A place that nobody has was last written before all others.
        let oldest = self.open.iter().min_by_key(|open| open.written);
        let zone = oldest.expect("there is at least one place").zone;
        (zone != NONE).then_some(zone)
    }

    /// Gives a zone a place, without any log yet.
    pub fn open(&mut self, zone: u32) {
        let place = self.open.iter().position(|open| open.zone == NONE);
        let place = place.expect("a zone opens when there is a place");
        self.open[place].zone = zone;
        self.places[zone as usize] = place as u32;
    }

    /// Takes a zone's place; its logs are gone already.
    pub fn close(&mut self, zone: u32) {
        let place = std::mem::replace(&mut self.places[zone as usize], NONE) as usize;
        debug_assert!(self.of_place(place).iter().all(Option::is_none));
        self.open[place] = OpenZone {
            zone: NONE,
            written: 0,
        };
    }

    /// Returns true if no block of an open zone has a log.
    pub fn is_empty(&self, zone: u32) -> bool {
        let place = self.places[zone as usize] as usize;
        self.of_place(place).iter().all(Option::is_none)
    }

    /// The log of a block.
    pub fn get(&self, block: LogicalBlock) -> Option<Log> {
        self.logs[self.index(block)?]
    }

    /// Superblock and position of the newest data of a slot, if they are in a log.
    pub fn find(&self, block: LogicalBlock, offset: u32) -> Option<(SuperblockId, u32)> {
        let index = self.index(block)?;
        let log = self.logs[index]?;
        let position = self.positions[index * self.slots_per_block + offset as usize];
        (position != NONE).then_some((log.superblock, position))
    }

    /// Starts the log of a block of an open zone.
    pub fn start(&mut self, block: LogicalBlock, superblock: SuperblockId) {
        let index = self.index(block).expect("the zone is open");
        let first = index * self.slots_per_block;
        self.positions[first..first + self.slots_per_block].fill(NONE);
        self.logs[index] = Some(Log {
            superblock,
            fill: 0,
            sequential: true,
        });
    }

    /// Place of a block's next slot: its log's superblock and the position there.
    pub fn next(&self, block: LogicalBlock) -> (SuperblockId, u32) {
        let log = self.get(block).expect("the log was started");
        (log.superblock, log.fill)
    }

    /// Leaves a position out, since its page is bad: the log is not in order any more.
    pub fn pass(&mut self, block: LogicalBlock) {
        let index = self.index(block).expect("the zone is open");
        let log = self.logs[index].as_mut().expect("the log was started");
        log.fill += 1;
        log.sequential = false;
    }

    /// Takes in one slot; gives its superblock and position.
    pub fn append(&mut self, block: LogicalBlock, offset: u32) -> (SuperblockId, u32) {
        let index = self.index(block).expect("the zone is open");
        self.writes += 1;
        self.open[index / self.groups].written = self.writes;
        let log = self.logs[index].as_mut().expect("the log was started");
        let position = log.fill;
        log.fill += 1;
        log.sequential &= position == offset;
        self.positions[index * self.slots_per_block + offset as usize] = position;
        (log.superblock, position)
    }

    /// Ends the log of a block, if it has one; gives what it was.
    pub fn end(&mut self, block: LogicalBlock) -> Option<Log> {
        let index = self.index(block)?;
        self.logs[index].take()
    }

    /// All logs and whose they are.
    pub fn iter(&self) -> impl Iterator<Item = (LogicalBlock, Log)> {
        let with_block = |(index, log): (usize, &Option<Log>)| {
            let block = LogicalBlock {
                group: (index % self.groups) as u32,
                zone: self.open[index / self.groups].zone,
            };
            log.map(|log| (block, log))
        };
        self.logs.iter().enumerate().filter_map(with_block)
    }

    pub fn state(&self) -> LogsState {
        let zone = |open: &OpenZone| (open.zone != NONE).then_some((open.zone, open.written));
        let log = |(index, log): (usize, &Option<Log>)| {
            log.map(|log| LogState {
                superblock: log.superblock,
                fill: log.fill,
                sequential: log.sequential,
                positions: self.positions[index * self.slots_per_block..][..self.slots_per_block]
                    .to_vec(),
            })
        };
        LogsState {
            open: self.open.iter().map(zone).collect(),
            logs: self.logs.iter().enumerate().map(log).collect(),
            writes: self.writes,
        }
    }

    /// Takes over other logs; `self` has none.
    pub fn restore(&mut self, state: LogsState) -> Result<(), StateError> {
        StateError::length("the list of open zones", state.open.len(), self.open.len())?;
        StateError::length("the list of logs", state.logs.len(), self.logs.len())?;
        StateError::count("the count of writes", state.writes)?;
        for (place, open) in state.open.into_iter().enumerate() {
            let Some((zone, written)) = open else {
                continue;
            };
            let closed = self.places.get(zone as usize) == Some(&NONE);
            StateError::unless(closed && written <= state.writes, || {
                format!("zone {zone} is open twice, does not exist or was written in the future")
            })?;
            self.places[zone as usize] = place as u32;
            self.open[place] = OpenZone { zone, written };
        }
        for (index, log) in state.logs.into_iter().enumerate() {
            let Some(log) = log else { continue };
            let slots = self.slots_per_block;
            StateError::length("a log", log.positions.len(), slots)?;
            let positions = || log.positions.iter().enumerate();
            // A log in order becomes the data without a copy, so each of its slots must lie at its own offset.
            let fits = self.open[index / self.groups].zone != NONE
                && (1..=slots as u32).contains(&log.fill)
                && positions().all(|(_, &position)| position == NONE || position < log.fill)
                && (!log.sequential
                    || positions().all(|(offset, &p)| p == NONE || p as usize == offset));
            StateError::unless(fits, || {
                format!("the log on {} contradicts itself", log.superblock)
            })?;
            self.positions[index * slots..][..slots].copy_from_slice(&log.positions);
            self.logs[index] = Some(Log {
                superblock: log.superblock,
                fill: log.fill,
                sequential: log.sequential,
            });
        }
        self.writes = state.writes;
        Ok(())
    }

    fn of_place(&self, place: usize) -> &[Option<Log>] {
        &self.logs[place * self.groups..(place + 1) * self.groups]
    }

    fn index(&self, block: LogicalBlock) -> Option<usize> {
        let place = self.places[block.zone as usize];
        (place != NONE).then(|| place as usize * self.groups + block.group as usize)
    }
}
