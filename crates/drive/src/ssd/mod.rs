//! The SSD: host queue, link, firmware core, write buffer, translation layer, NAND.
//!
//! ```text
//! submit → host queue → host CPU → link (command) → firmware core → link (data) → compressor → write buffer → completion
//!                                                              ↓
//!                              translation layer → scheduler → programmed: room in the buffer
//! ```
//!
//! A write completes when the buffer has taken all its slots, or with the write cache off when they are
//! programmed; a read when its last byte has
//! crossed the link. The translation layer is asked for the next slot only while the queues of the
//! dies have room for what it issued, so its state does not run ahead of the clock without limit.

mod alone;
mod buffer;
mod commands;
mod device;
mod events;
mod faults;
mod flushes;
mod host_table;
mod lookup;
mod mapped;
mod page_store;
mod params;
mod pauses;
mod power;
mod read_ahead;
mod reads;
mod slots;
mod spans;
mod stamps;
mod state;
mod storing;
mod table_reads;
mod thermal;
mod waking;
mod write_through;
mod writes;

pub use crate::state::{SsdState, Totals};
pub use alone::Alone;
pub use host_table::HostTable;
pub use mapped::{LayerInput, SlotWrite};
pub use page_store::{PageStore, StoreFailed, WrittenPart};
pub use params::{
    BufferConfig, CommandsConfig, DieFailure, FaultConfig, FirmwareConfig, LinkConfig, LostWaking,
    SsdParams,
};
pub use spans::Spans;

use crate::heat::Heat;
use buffer::{Place, WriteBuffer};
use commands::Commands;
use events::{Awaited, Event, Events};
use flushes::Flushes;
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Nanos, Outcome, SECTOR_BYTES, Server, SimTime,
};
use ftlab_ftl::TranslationLayer;
use ftlab_host::{FrontEnd, Link, Sent};
use ftlab_timing::{PowerModel, Scheduler};
use host_table::OwnPieces;
use mapped::Mapped;
use power::Resting;
use read_ahead::ReadAhead;
use slots::SlotSize;
use spans::Ways;
use std::collections::{BTreeSet, VecDeque};
use table_reads::{Halts, TableReads};
use waking::Wakings;
use write_through::Cache;
use writes::Admission;

/// An SSD in virtual time. A clone goes on where it is; its store goes with it if there can be two.
#[derive(Debug, Clone)]
pub struct Ssd {
    params: SsdParams,
    /// Its power model as the host that it is plugged in has it.
    power: Option<PowerModel>,
    slot: SlotSize,
    mapped: Mapped,
    scheduler: Scheduler,
    front: FrontEnd,
    link: Link,
    compressor: Server,
    core: Server,
    buffer: WriteBuffer,
    cache: Cache,
    admissions: VecDeque<Admission>,
    /// Reads whose data wait until those of a write are in the drive.
    waiting_out: VecDeque<u32>,
    flushes: Flushes,
    commands: Commands,
    events: Events,
    /// Where their time goes, if somebody asked.
    ways: Option<Box<Ways>>,
    /// Instant at which the last command that is no read was let go on to the buffer.
    last_ready: SimTime,
    /// Instant at which the last write is answered of those whose time is known.
    last_written: SimTime,
    /// Slots whose program a fence tells, by fence.
    programming: Vec<Vec<Place>>,
    /// Purpose that pages are read for, by the fence that tells.
    reading: Vec<Option<Awaited>>,
    /// Pages of a mapping table on flash that are being read.
    table_reads: TableReads,
    /// With a table in the host's memory: what the drive has of it.
    own_pieces: Option<OwnPieces>,
    halts: Halts,
    /// True while collection takes a turn, which the host's writes wait for unless too many do.
    in_turn: bool,
    read_ahead: ReadAhead,
    resting: Resting,
    /// Instant at which it is awake again after the last rest.
    awake_at: SimTime,
    heat: Option<Heat>,
    /// Instant at which work ahead begins or goes on; never while the host waits for anything.
    works_ahead_at: SimTime,
    /// True while the array does work ahead.
    works_ahead: bool,
    /// True if the last thing that happened was a look for such work that found none and woke nothing.
    looked_in_vain: bool,
    wakings: Wakings,
    /// Reads that found data they could not correct.
    unreadable: BTreeSet<u32>,
    /// The present, as far as commands and flash have come.
    now: SimTime,
    totals: Totals,
}

impl Ssd {
    /// An SSD around a translation layer.
    #[must_use]
    pub fn new(params: SsdParams, layer: Box<dyn TranslationLayer>) -> Ssd {
        let mut mapped = Mapped::new(layer);
        mapped.batch.keep_order(params.nand.order.is_plain());
        Ssd::around(params, mapped)
    }

    fn around(params: SsdParams, mapped: Mapped) -> Ssd {
        let geometry = mapped.layer.layout().geometry;
        let slot = SlotSize::new(geometry.slot_bytes / SECTOR_BYTES as u32);
        Ssd {
            params,
            // The host that the drive is plugged into adapts this copy.
            power: params.power,
            slot,
            mapped,
            scheduler: Scheduler::new(geometry, params.nand),
            front: FrontEnd::new(params.commands.queue_depth, params.commands.limit)
                .splitting(params.commands.transfer_max),
            link: Link::new(params.link.end),
            compressor: Server::default(),
            core: Server::default(),
            buffer: WriteBuffer::new(params.buffer.slots, slot.sectors()),
            cache: Cache::Back,
            admissions: VecDeque::new(),
            waiting_out: VecDeque::new(),
            flushes: Flushes::new(params.firmware.flush_record),
            commands: Commands::default(),
            events: Events::default(),
            ways: None,
            last_ready: SimTime::ZERO,
            last_written: SimTime::ZERO,
            programming: Vec::new(),
            reading: Vec::new(),
            table_reads: TableReads::default(),
            own_pieces: params.host_table.map(OwnPieces::new),
            halts: Halts::default(),
            in_turn: false,
            read_ahead: ReadAhead::new(params.buffer),
            resting: Resting::default(),
            awake_at: SimTime::ZERO,
            heat: None,
            works_ahead_at: SimTime::NEVER,
            works_ahead: false,
            looked_in_vain: false,
            wakings: Wakings::default(),
            unreadable: BTreeSet::new(),
            now: SimTime::ZERO,
            totals: Totals::default(),
        }
    }

    /// Checks on every read that the newest data come back.
    ///
    /// # Panics
    /// When something was written already.
    #[must_use]
    pub fn checked(mut self) -> Ssd {
        assert_eq!(
            self.totals.host_ios, 0,
            "stamps must be there from the start"
        );
        self.mapped.carry_stamps();
        self
    }

    /// Notes what the translation layer is asked from now on.
    pub fn record_inputs(&mut self) {
        self.mapped.inputs = Some(Vec::new());
    }

    /// Says of each command from now on where its time went.
    pub fn follow_ways(&mut self) {
        self.ways = Some(Box::default());
    }

    /// Where the time of a command went that has ended, once.
    pub fn take_spans(&mut self, id: CommandId) -> Option<Spans> {
        self.ways.as_mut()?.take(id)
    }

    /// Requests to the translation layer since [`Ssd::record_inputs`].
    #[must_use]
    pub fn inputs(&self) -> &[LayerInput] {
        self.mapped.inputs.as_deref().unwrap_or_default()
    }

    /// Asks the translation layer the same again, without time.
    pub fn replay(&mut self, inputs: &[LayerInput]) {
        self.mapped.replay(inputs);
    }

    /// The translation layer, to look at.
    #[must_use]
    pub fn layer(&self) -> &dyn TranslationLayer {
        &*self.mapped.layer
    }

    /// Time ends: what the flash still does is done, a unit that was begun is filled up, and when
    /// time begins again everything is idle, whatever the clock says then. Nothing is outstanding.
    fn end_time(&mut self) {
        loop {
            while self.run_nand(SimTime::NEVER).is_some() {}
            if self.buffer.is_empty() || self.mapped.takes_no_writes() {
                break;
            }
            self.drain(self.now);
            self.mapped.flush();
            self.issue(self.now);
        }
        self.read_ahead.forget();
        self.look_at_heat(self.now);
        self.own_pieces = self.params.host_table.map(OwnPieces::new);
        self.scheduler.restart_clock();
        self.front.restart_clock();
        self.link.restart_clock();
        (self.compressor, self.core) = Default::default();
        (self.now, self.last_ready, self.last_written) = Default::default();
        self.awake_at = SimTime::ZERO;
        self.resting = Resting::default();
        self.in_turn = false;
        self.settle_heat();
        self.end_pause();
        self.cycle_power();
        // What waits for a store that has failed goes on with time, where its units were begun.
        if !self.mapped.store_has_failed() {
            self.mapped.set_timed(false);
        }
    }

    /// Erases the array and forgets what the buffer holds; whoever wrote it is past caring.
    fn erase_everything(&mut self) {
        assert_eq!(self.front.outstanding(), 0, "a drive at work is erased");
        if self.mapped.is_timed() {
            self.end_time();
        }
        self.buffer = WriteBuffer::new(self.params.buffer.slots, self.slot.sectors());
        self.mapped.secure_erase();
        self.mapped.batch.clear();
    }

    /// Hands the operations of the last request to the scheduler.
    #[inline]
    fn issue(&mut self, now: SimTime) {
        let batch = &self.mapped.batch;
        if batch.has_notes() {
            batch
                .promised()
                .iter()
                .for_each(|&fence| self.scheduler.promise(fence));
        }
        self.scheduler.issue(now, batch.ops());
        if self.params.firmware.collected_page > Nanos::ZERO {
            let work = self.params.firmware.collection(batch.ops());
            self.core.serve(now, work);
        }
        if batch.has_notes() {
            self.follow_notes();
        }
        self.mapped.batch.clear();
    }

    /// Follows what the last request says besides operations, which have been issued.
    #[cold]
    fn follow_notes(&mut self) {
        for &fence in self.mapped.batch.kept() {
            self.scheduler.keep(fence);
        }
        for n in 0..self.mapped.batch.table_reads().len() {
            self.await_table_page(n);
        }
        for n in 0..self.mapped.batch.halts().len() {
            self.halt(n);
        }
    }

    /// Instant of the next event of commands, flash or work ahead; never if there is none.
    #[inline]
    fn next_at(&self) -> SimTime {
        let next = self.scheduler.next_event().min(self.events.first_at());
        next.min(self.works_ahead_at)
    }

    /// Takes a command, or queues it where the drive has as many as it takes.
    #[inline]
    fn take_in(&mut self, command: Command, now: SimTime) {
        if let Some(sent) = self.front.submit(command, now) {
            self.expect_sent(sent);
        }
    }

    /// The host sends a command to the drive.
    fn expect_sent(&mut self, sent: Sent) {
        let number = self.commands.enter(sent.command);
        let at = sent.at.max(self.awake_at);
        self.events.schedule(at, Event::Sent, number);
    }

    /// A command has left the host. It is a chain: the command crosses the link, which its FISes do between
    /// those of data under way; the firmware decides, and only then a write's data cross.
    fn sent(&mut self, number: u32, now: SimTime) {
        if self.halts.is_halted() {
            self.halts.hold(number);
            return;
        }
        let turn = self.turn_to(number, now);
        let command = self.commands.get(number);
        let protocol = self.link.command(now, self.params.link.command);
        let work = self.params.firmware.core(command, self.slot.sectors());
        let decided = self.core.serve(turn + protocol, work.decision);
        // A read's other slots; a write is answered by then, and who comes next waits.
        let worked = self.core.serve(now, work.after);
        if command.kind == CommandKind::Read {
            let pipeline = self.params.firmware.read_pipeline;
            let first = if self.params.firmware.overlap {
                decided
            } else {
                worked
            };
            self.commands.set_through(number, worked + pipeline);
            self.events
                .schedule(first + pipeline, Event::ReadReady, number);
        } else {
            self.events.schedule(decided, Event::Decided, number);
        }
    }

    /// The firmware has decided what to do about a command that is no read: a write's data cross the link and the
    /// compressor, if there is one, slot by slot.
    fn decided(&mut self, number: u32, now: SimTime) {
        let command = self.commands.get(number);
        let brought = match command.kind {
            CommandKind::Write => command.sectors,
            _ => 0,
        };
        let last = self.crosses_last(command);
        let arrived = self.link.bring(now, u64::from(brought) - last) + self.link.span(last);
        let first = if self.params.firmware.overlap {
            self.slot.first(command)
        } else {
            self.held_at_once(command.sectors)
        };
        // What is left when its first sectors have passed.
        let rest = u64::from(brought.saturating_sub(first));
        // What is no write passes the compressor in its turn, so that it finds what was written before.
        let work = self.params.link.compression(command, command.sectors);
        let last_compressed = self.params.link.compression(command, self.slot.sectors());
        let unhindered = self
            .compressor
            .serve(arrived.less(self.link.span(rest)), work);
        // It waits for the last slot, if the link is slower.
        let compressed = self
            .compressor
            .serve(arrived + last_compressed, Nanos::ZERO);
        let pipeline = self.params.firmware.pipeline_in(command);
        // A flush and a trim stay behind the writes before them.
        let begun = (unhindered.less(self.params.link.compressed_sector * rest) + pipeline)
            .max(self.last_ready);
        self.last_ready = begun;
        self.commands.set_through(number, compressed + pipeline);
        self.events.schedule(begun, Event::Ready, number);
    }

    fn ready(&mut self, number: u32, now: SimTime) {
        let command = *self.commands.get(number);
        match command.kind {
            CommandKind::Write | CommandKind::Flush | CommandKind::Trim
                if self.mapped.store_still_fails() =>
            {
                self.events.schedule(now, Event::Failed, number);
            }
            CommandKind::Write | CommandKind::Flush if self.mapped.refusal.is_some() => {
                self.events.schedule(now, Event::Failed, number);
            }
            CommandKind::Write => self.begin_write(number, now),
            CommandKind::Read if self.holds_reads() => self.wait_in_turn(number),
            CommandKind::Read => self.look_up(number, &command, now),
            CommandKind::Trim => self.trim(number, &command, now),
            CommandKind::Flush => self.begin_flush(number, now),
        }
    }

    /// Lets the NAND work up to `limit`, or until that concerns the drive, and follows it up; gives its last instant.
    #[inline]
    fn run_nand(&mut self, limit: SimTime) -> Option<SimTime> {
        let now = self.scheduler.run(limit, !self.buffer.nothing_waits())?;
        self.now = now;
        let mut has_room = self.scheduler.has_news() && self.take_news(now);
        if !has_room && self.scheduler.wants_more() && !self.buffer.nothing_waits() {
            has_room = self.drain(now);
        }
        if has_room {
            self.end_flushes(now);
            self.admit(now);
        }
        Some(now)
    }

    /// Takes the fences that were reached; returns true if that made room in the buffer.
    fn take_news(&mut self, now: SimTime) -> bool {
        while let Some(fence) = self.scheduler.pop_spent() {
            self.mapped.batch.recycle(fence);
        }
        let mut room = false;
        while let Some(fence) = self.scheduler.pop_reached() {
            if let Some(number) = fence.command() {
                self.data_came(number, now);
                continue;
            }
            if let Some(place) = fence.place() {
                self.mapped.programmed(self.buffer.programmed(Place(place)));
                room = true;
                continue;
            }
            match self.reading.get_mut(fence.index()).and_then(Option::take) {
                Some(Awaited::Data(number)) => self.data_came(number, now),
                Some(Awaited::Table(page)) => self.table_came(page, now),
                Some(Awaited::Firmware) => self.go_on(now),
                None => {
                    // The last row that is folded has a fence, too, and no write waits for it.
                    let places = self.programming.get_mut(fence.index());
                    for place in places.into_iter().flat_map(|places| places.drain(..)) {
                        self.mapped.programmed(self.buffer.programmed(place));
                    }
                    room = true;
                    let ended = self.cache.programmed(fence.index());
                    self.end_writes(&ended, now);
                }
            }
            self.mapped.batch.recycle(fence);
        }
        room
    }

    fn complete(&mut self, number: u32, at: SimTime, outcome: Outcome, done: &mut Vec<Completion>) {
        let command = self.commands.leave(number);
        let (id, kind) = (command.id, command.kind);
        self.totals
            .host
            .count(command, outcome, self.slot.sectors());
        if let Some(outcome) = self.front.ended(id, outcome) {
            self.totals.host_ios += 1;
            if outcome != Outcome::Good {
                self.mapped.give_up(id);
            }
            if let Some(ways) = &mut self.ways {
                ways.ended(number, (id, kind), at);
            }
            done.push(Completion { id, at, outcome });
        }
        if let Some(sent) = self.front.completed(at) {
            self.expect_sent(sent);
        }
        if self.front.outstanding() == 0 {
            self.begin_pause(at);
        }
    }

    /// Lets things happen up to `limit`, or until more than `completions` are done; gives the last
    /// instant at which something happened.
    fn run(
        &mut self,
        limit: SimTime,
        completions: usize,
        done: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        let (mut last, mut worked) = (None, None);
        while done.len() <= completions
            && let Some(at) = self.step(limit, done)
        {
            last = Some(at);
            if self.looked_in_vain {
                self.looked_in_vain = false;
            } else {
                worked = last;
            }
        }
        if let Some(at) = worked {
            self.resting.worked_at(at);
        }
        last
    }

    /// Lets the earliest event happen if it is not after `limit`; gives its instant.
    #[inline]
    fn step(&mut self, limit: SimTime, done: &mut Vec<Completion>) -> Option<SimTime> {
        let at = self.events.first_at();
        let next = self.scheduler.next_event();
        if self.works_ahead_at < at.min(next) {
            return self.work_ahead(limit);
        }
        // At one instant the flash goes first, so commands find the room that it made.
        if next <= at {
            let at = self.run_nand(limit.min(at).min(self.works_ahead_at))?;
            self.go_on_ahead(at);
            return Some(at);
        }
        if at > limit {
            return None;
        }
        let (event, number) = self.events.pop()?;
        if let Some(ways) = &mut self.ways {
            match event {
                Event::Sent => ways.sent(number, at),
                Event::Decided => ways.decided(number, at),
                Event::Ready => ways.begun(number, at),
                _ => {}
            }
        }
        match event {
            Event::Sent if self.wakings.is_gone => self.give_up(number, at),
            Event::Sent => self.sent(number, at),
            Event::Decided => self.decided(number, at),
            Event::Ready | Event::ReadReady => self.ready(number, at),
            Event::LookedUp => {
                let command = *self.commands.get(number);
                self.begin_read(number, &command, at);
            }
            Event::Recorded => self.recorded(at),
            Event::DataOut if self.unreadable.remove(&number) => {
                self.complete(number, at, Outcome::Unrecoverable, done);
            }
            Event::DataOut | Event::Written | Event::Done => {
                self.complete(number, at, Outcome::Good, done)
            }
            Event::Failed => self.complete(number, at, Outcome::WriteFault, done),
            Event::GivenUp => self.complete(number, at, Outcome::Gone, done),
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests;
