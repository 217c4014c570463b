//! The SSD: host queue, link, firmware core, write buffer, translation layer, NAND.
//!
//! ```text
//! submit → host queue → host CPU → link ∥ firmware core → write buffer → completion
//!                                                              ↓
//!                              translation layer → scheduler → programmed: room in the buffer
//! ```
//!
//! A write completes when the buffer has taken all its slots; a read when its last byte has
//! crossed the link. The translation layer is asked for the next slot only while the queues of the
//! dies have room for what it issued, so its state does not run ahead of the clock without limit.

mod buffer;
mod stamps;
mod state;

pub use state::SsdState;

use crate::device::{Counters, Device};
use crate::host_queue::{HostOrder, HostQueue};
use crate::saved::DeviceState;
use buffer::{SectorMask, WriteBuffer, sector_mask};
use ftlab_base::{Command, CommandKind, Completion, Lpn, Nanos, Outcome, SECTOR_BYTES, SimTime};
use ftlab_ftl::page::PageLayer;
use ftlab_ftl::{Extent, Refusal, TranslationLayer};
use ftlab_nand::{Cause, Fence, OpBatch, StateError};
use ftlab_timing::{NandTiming, Scheduler, Server};
use stamps::Stamps;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What an SSD takes in time and holds in memory, apart from its NAND and its mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SsdParams {
    /// Sectors the host can address.
    pub capacity_sectors: u64,
    /// Phases of the NAND's operations.
    pub nand: NandTiming,
    /// Commands the drive takes at a time (NCQ: 32; without: 1).
    pub queue_depth: u32,
    /// Slots in the write buffer.
    pub buffer_slots: u32,
    /// NAND operations the firmware queues for a die before it waits.
    pub die_queue: u32,
    /// Time of the firmware core for a write command.
    pub write_command: Nanos,
    /// Time of the firmware core for a read command.
    pub read_command: Nanos,
    /// Time of the firmware core for each slot of a command.
    pub per_slot: Nanos,
    /// Time of one sector of 512 bytes on the host link.
    pub link_sector: Nanos,
    /// Time of a command's protocol on the host link.
    pub link_command: Nanos,
    /// Time of the host's CPU for a command.
    pub host_command: Nanos,
    /// How the host orders what waits for the drive.
    pub host_order: HostOrder,
}

/// What the translation layer was asked, in order: enough to repeat a run without time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerInput {
    /// A slot was written.
    Write(Lpn, Extent),
    /// Slots were read: first and count.
    Read(Lpn, u32),
    /// Slots were trimmed: first and count.
    Trim(Lpn, u32),
    /// Open program units were filled up.
    Flush,
}

/// A write that is not wholly in the buffer yet.
#[derive(Debug, Clone, Copy)]
struct Admission {
    number: u32,
    /// Sectors admitted so far.
    admitted: u32,
    stalled: bool,
}

/// What happens to a command next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The firmware has a command, and a write's data.
    Ready(u32),
    /// The command is done for the host.
    Done(u32),
    /// The command is over and was not done: the flash takes no more writes.
    Failed(u32),
}

/// An SSD in virtual time.
#[derive(Debug)]
pub struct Ssd {
    params: SsdParams,
    sectors_per_slot: u32,
    layer: Box<dyn TranslationLayer>,
    batch: OpBatch,
    scheduler: Scheduler,
    queue: HostQueue,
    host: Server,
    link: Server,
    core: Server,
    buffer: WriteBuffer,
    admissions: VecDeque<Admission>,
    flushes: VecDeque<u32>,
    /// Commands at the drive, by the numbers that events carry.
    commands: Vec<Command>,
    free_commands: Vec<u32>,
    events: BinaryHeap<Reverse<(SimTime, u64, Event)>>,
    sequence: u64,
    /// Slots whose program a fence tells, by fence.
    programming: Vec<Vec<Lpn>>,
    /// Reads whose end a fence tells, by fence: command number plus one.
    reading: Vec<u32>,
    /// Whether commands come with a clock.
    timed: bool,
    host_ios: u64,
    /// Of what left the buffer for the flash, or was dropped by a trim before.
    host_bytes_written: u64,
    buffer_stalls: u64,
    /// Why no more writes are taken.
    refusal: Option<Refusal>,
    stamps: Option<Stamps>,
    inputs: Option<Vec<LayerInput>>,
}

impl Ssd {
    /// An SSD around a translation layer.
    #[must_use]
    pub fn new(params: SsdParams, layer: Box<dyn TranslationLayer>) -> Ssd {
        let geometry = layer.layout().geometry;
        let sectors_per_slot = geometry.slot_bytes / SECTOR_BYTES as u32;
        Ssd {
            params,
            sectors_per_slot,
            batch: OpBatch::default(),
            scheduler: Scheduler::new(geometry, params.nand, params.die_queue),
            queue: HostQueue::new(params.host_order, params.queue_depth),
            host: Server::default(),
            link: Server::default(),
            core: Server::default(),
            buffer: WriteBuffer::new(params.buffer_slots, sectors_per_slot),
            admissions: VecDeque::new(),
            flushes: VecDeque::new(),
            commands: Vec::new(),
            free_commands: Vec::new(),
            events: BinaryHeap::new(),
            sequence: 0,
            programming: Vec::new(),
            reading: Vec::new(),
            timed: true,
            host_ios: 0,
            host_bytes_written: 0,
            buffer_stalls: 0,
            refusal: None,
            stamps: None,
            inputs: None,
            layer,
        }
    }

    /// Checks on every read that the newest data come back.
    ///
    /// # Panics
    /// When something was written already.
    #[must_use]
    pub fn checked(mut self) -> Ssd {
        assert_eq!(self.host_ios, 0, "stamps must be there from the start");
        self.stamps = Some(Stamps::new(self.layer.layout().slots(), self.layer.slots()));
        self.batch = OpBatch::carrying_data();
        self
    }

    /// Notes what the translation layer is asked from now on.
    pub fn record_inputs(&mut self) {
        self.inputs = Some(Vec::new());
    }

    /// What the translation layer was asked since [`Ssd::record_inputs`].
    #[must_use]
    pub fn inputs(&self) -> &[LayerInput] {
        self.inputs.as_deref().unwrap_or_default()
    }

    /// Asks the translation layer the same again, without time.
    pub fn replay(&mut self, inputs: &[LayerInput]) {
        self.set_timed(false);
        for input in inputs {
            match *input {
                LayerInput::Write(lpn, extent) => {
                    let _ = self.layer_write(lpn, extent);
                }
                LayerInput::Read(first, slots) => {
                    let fence = self.batch.fence();
                    self.layer_read(first, slots, fence);
                }
                LayerInput::Trim(first, slots) => self.layer_trim(first, slots),
                LayerInput::Flush => self.layer_flush(),
            }
            self.batch.clear();
        }
    }

    /// The translation layer, to look at.
    #[must_use]
    pub fn layer(&self) -> &dyn TranslationLayer {
        &*self.layer
    }

    fn note(&mut self, input: LayerInput) {
        if let Some(inputs) = &mut self.inputs {
            inputs.push(input);
        }
    }

    fn layer_write(&mut self, lpn: Lpn, extent: Extent) -> Result<Fence, Refusal> {
        self.note(LayerInput::Write(lpn, extent));
        let fence = self.layer.write(lpn, extent, &mut self.batch);
        match fence {
            Ok(_) => {
                if let Some(stamps) = &mut self.stamps {
                    stamps.written(lpn);
                }
                self.follow_moves();
            }
            Err(refusal) => self.refusal = Some(refusal),
        }
        fence
    }

    fn layer_read(&mut self, first: Lpn, slots: u32, done: Fence) {
        self.note(LayerInput::Read(first, slots));
        if let Some(stamps) = &self.stamps {
            for lpn in (first.0..first.0 + slots).map(Lpn) {
                stamps.check(lpn, self.layer.lookup(lpn));
            }
        }
        self.layer.read(first, slots, done, &mut self.batch);
    }

    fn layer_trim(&mut self, first: Lpn, slots: u32) {
        self.note(LayerInput::Trim(first, slots));
        if let Some(stamps) = &mut self.stamps {
            stamps.trimmed(first, slots);
        }
        self.layer.trim(first, slots, &mut self.batch);
        self.refusal = None;
        self.follow_moves();
    }

    fn layer_flush(&mut self) {
        self.note(LayerInput::Flush);
        self.layer.flush(&mut self.batch);
        self.follow_moves();
    }

    fn follow_moves(&mut self) {
        if let Some(stamps) = &mut self.stamps {
            stamps.follow(self.batch.moves());
        }
    }

    /// Without time nobody waits for fences; with time somebody does. A program unit that was begun
    /// without time is filled up before time begins.
    fn set_timed(&mut self, timed: bool) {
        if self.timed == timed {
            return;
        }
        if timed {
            self.layer_flush();
            self.batch.clear();
        }
        self.timed = timed;
        self.batch.set_timed(timed);
    }

    /// Hands the operations of the last request to the scheduler.
    fn issue(&mut self, now: SimTime) {
        self.scheduler.issue(now, self.batch.ops());
        self.batch.clear();
    }

    fn schedule(&mut self, at: SimTime, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((at, self.sequence, event)));
    }

    /// Sends waiting commands to the drive while it takes them.
    fn send(&mut self, now: SimTime) {
        while let Some(command) = self.queue.send() {
            let number = match self.free_commands.pop() {
                Some(number) => number,
                None => {
                    self.commands.push(command);
                    self.commands.len() as u32 - 1
                }
            };
            self.commands[number as usize] = command;
            let sent = self.host.serve(now, self.params.host_command);
            let slots = u64::from(command.sectors.div_ceil(self.sectors_per_slot));
            let (work, sectors) = match command.kind {
                CommandKind::Write => (self.params.write_command, u64::from(command.sectors)),
                _ => (self.params.read_command, 0),
            };
            let slots = if command.kind == CommandKind::Trim {
                0
            } else {
                slots
            };
            // The core works on the command while its data arrive.
            let arrived = self.link.serve(
                sent,
                self.params.link_command + self.params.link_sector * sectors,
            );
            let decided = self.core.serve(sent, work + self.params.per_slot * slots);
            self.schedule(arrived.max(decided), Event::Ready(number));
        }
    }

    fn ready(&mut self, number: u32, now: SimTime) {
        let command = self.commands[number as usize];
        match command.kind {
            CommandKind::Write | CommandKind::Flush if self.refusal.is_some() => {
                self.schedule(now, Event::Failed(number));
            }
            CommandKind::Write => {
                self.admissions.push_back(Admission {
                    number,
                    admitted: 0,
                    stalled: false,
                });
                self.admit(now);
            }
            CommandKind::Read => self.begin_read(number, command, now),
            CommandKind::Trim => {
                let (first, slots) = self.whole_slots(&command);
                self.host_bytes_written += self.buffer.forget(first, slots);
                self.layer_trim(first, slots);
                self.issue(now);
                self.schedule(now, Event::Done(number));
                // What the buffer dropped is room for others, and perhaps all a flush waits for.
                self.end_flushes(now);
                self.admit(now);
            }
            CommandKind::Flush => {
                self.flushes.push_back(number);
                self.drain(now);
                self.end_flushes(now);
            }
        }
    }

    /// Takes waiting writes into the buffer, in order, as far as there is room, and hands on what
    /// the firmware's queue has room for.
    fn admit(&mut self, now: SimTime) {
        while self.flushes.is_empty()
            && let Some(mut admission) = self.admissions.pop_front()
        {
            let command = self.commands[admission.number as usize];
            self.admit_slots(&mut admission, &command);
            if admission.admitted < command.sectors {
                self.buffer_stalls += u64::from(!admission.stalled);
                admission.stalled = true;
                self.admissions.push_front(admission);
                break;
            }
            self.schedule(now, Event::Done(admission.number));
        }
        self.drain(now);
    }

    fn admit_slots(&mut self, admission: &mut Admission, command: &Command) {
        while admission.admitted < command.sectors {
            let (lpn, mask, sectors) = self.piece(command, admission.admitted);
            if !self.buffer.admit(lpn, mask) {
                return;
            }
            admission.admitted += sectors;
        }
    }

    /// The part of one slot that a command covers from its sector `offset` on.
    fn piece(&self, command: &Command, offset: u32) -> (Lpn, SectorMask, u32) {
        let lba = command.lba.0 + u64::from(offset);
        let per_slot = u64::from(self.sectors_per_slot);
        let within = (lba % per_slot) as u32;
        let sectors = (self.sectors_per_slot - within).min(command.sectors - offset);
        (
            Lpn((lba / per_slot) as u32),
            sector_mask(within, sectors),
            sectors,
        )
    }

    /// The slots that a command covers wholly.
    fn whole_slots(&self, command: &Command) -> (Lpn, u32) {
        let per_slot = u64::from(self.sectors_per_slot);
        let first = command.lba.0.div_ceil(per_slot);
        let end = (command.lba.0 + u64::from(command.sectors)) / per_slot;
        (Lpn(first as u32), end.saturating_sub(first) as u32)
    }

    /// The slots that a command touches.
    fn touched_slots(&self, command: &Command) -> (Lpn, u32) {
        let per_slot = u64::from(self.sectors_per_slot);
        let first = command.lba.0 / per_slot;
        let end = (command.lba.0 + u64::from(command.sectors)).div_ceil(per_slot);
        (Lpn(first as u32), (end - first) as u32)
    }

    /// Hands slots from the buffer to the translation layer while the queues of the dies have room.
    fn drain(&mut self, now: SimTime) {
        while self.refusal.is_none()
            && self.scheduler.wants_more()
            && let Some((lpn, extent)) = self.buffer.front()
        {
            let Ok(fence) = self.layer_write(lpn, extent) else {
                self.fail_writes(now);
                return;
            };
            self.host_bytes_written += self.buffer.take().map_or(0, |(.., bytes)| bytes);
            self.issue(now);
            self.scheduler.watch(fence);
            let index = fence.index();
            if index >= self.programming.len() {
                self.programming.resize_with(index + 1, Vec::new);
            }
            self.programming[index].push(lpn);
        }
        if !self.flushes.is_empty() && self.buffer.nothing_waits() && !self.buffer.is_empty() {
            self.layer_flush();
            self.issue(now);
        }
    }

    /// Ends everything that waits for flash that takes no more. What the buffer holds stays there.
    fn fail_writes(&mut self, now: SimTime) {
        let writes = self.admissions.drain(..).map(|admission| admission.number);
        for number in writes.chain(self.flushes.drain(..)).collect::<Vec<_>>() {
            self.schedule(now, Event::Failed(number));
        }
    }

    fn end_flushes(&mut self, now: SimTime) {
        if self.buffer.is_empty() {
            while let Some(number) = self.flushes.pop_front() {
                self.schedule(now, Event::Done(number));
            }
        }
    }

    fn begin_read(&mut self, number: u32, command: Command, now: SimTime) {
        let done = self.batch.fence();
        // Runs of neighbouring slots that the buffer does not hold are read together.
        let (mut first, mut slots) = (Lpn(0), 0);
        let mut offset = 0;
        while offset < command.sectors {
            let (lpn, mask, sectors) = self.piece(&command, offset);
            if self.buffer.holds(lpn, mask) {
                self.read_run(first, slots, done);
                slots = 0;
            } else {
                first = if slots == 0 { lpn } else { first };
                slots += 1;
            }
            offset += sectors;
        }
        self.read_run(first, slots, done);
        if self.batch.ops().is_empty() {
            self.batch.recycle(done);
            self.data_out(number, now);
            return;
        }
        self.issue(now);
        self.scheduler.watch(done);
        if done.index() >= self.reading.len() {
            self.reading.resize(done.index() + 1, 0);
        }
        self.reading[done.index()] = number + 1;
    }

    fn read_run(&mut self, first: Lpn, slots: u32, done: Fence) {
        if slots > 0 {
            self.layer_read(first, slots, done);
        }
    }

    fn data_out(&mut self, number: u32, now: SimTime) {
        let sectors = u64::from(self.commands[number as usize].sectors);
        let at = self.link.serve(now, self.params.link_sector * sectors);
        self.schedule(at, Event::Done(number));
    }

    /// Follows up what the NAND has finished.
    fn after_nand(&mut self, now: SimTime) {
        while let Some(fence) = self.scheduler.pop_spent() {
            self.batch.recycle(fence);
        }
        let mut room = false;
        while let Some(fence) = self.scheduler.pop_reached() {
            let reader = self
                .reading
                .get_mut(fence.index())
                .map_or(0, std::mem::take);
            if reader > 0 {
                self.data_out(reader - 1, now);
            } else {
                let slots = &mut self.programming[fence.index()];
                slots.drain(..).for_each(|lpn| self.buffer.programmed(lpn));
                room = true;
            }
            self.batch.recycle(fence);
        }
        if room {
            self.end_flushes(now);
            self.admit(now);
        } else if !self.buffer.nothing_waits() {
            self.drain(now);
        }
    }

    fn complete(&mut self, number: u32, at: SimTime, outcome: Outcome, done: &mut Vec<Completion>) {
        let id = self.commands[number as usize].id;
        self.free_commands.push(number);
        self.queue.completed();
        self.host_ios += 1;
        done.push(Completion { id, at, outcome });
        self.send(at);
    }
}

impl Device for Ssd {
    fn capacity_sectors(&self) -> u64 {
        self.params.capacity_sectors
    }

    fn submit(&mut self, command: Command, now: SimTime) {
        let end = command.lba.0 + u64::from(command.sectors);
        assert!(
            end <= self.params.capacity_sectors,
            "a command to sector {end} of {}",
            self.params.capacity_sectors
        );
        self.set_timed(true);
        self.queue.push(command);
        self.send(now);
    }

    fn next_event(&self) -> Option<SimTime> {
        let own = self.events.peek().map(|Reverse((at, ..))| *at);
        match (own, self.scheduler.next_event()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        while let Some(next) = self.next_event().filter(|at| *at <= now) {
            if self.scheduler.next_event() == Some(next) {
                self.scheduler.step(next);
                self.after_nand(next);
                continue;
            }
            let Some(Reverse((at, _, event))) = self.events.pop() else {
                return;
            };
            match event {
                Event::Ready(number) => self.ready(number, at),
                Event::Done(number) => self.complete(number, at, Outcome::Good, done),
                Event::Failed(number) => self.complete(number, at, Outcome::WriteFault, done),
            }
        }
    }

    fn apply(&mut self, command: Command) -> Outcome {
        self.set_timed(false);
        self.host_ios += 1;
        match command.kind {
            CommandKind::Write => {
                let mut offset = 0;
                while offset < command.sectors {
                    let (lpn, _, sectors) = self.piece(&command, offset);
                    let whole = sectors == self.sectors_per_slot;
                    let extent = if whole { Extent::Whole } else { Extent::Part };
                    if self.layer_write(lpn, extent).is_err() {
                        return Outcome::WriteFault;
                    }
                    self.batch.clear();
                    offset += sectors;
                }
                self.host_bytes_written += command.bytes();
            }
            CommandKind::Read => {
                let (first, slots) = self.touched_slots(&command);
                let fence = self.batch.fence();
                self.layer_read(first, slots, fence);
                self.batch.recycle(fence);
            }
            CommandKind::Trim => {
                let (first, slots) = self.whole_slots(&command);
                self.layer_trim(first, slots);
            }
            CommandKind::Flush => self.layer_flush(),
        }
        self.batch.clear();
        Outcome::Good
    }

    fn fault(&self) -> Option<String> {
        self.refusal.map(|refusal| refusal.to_string())
    }

    fn counters(&self) -> Counters {
        let nand = self.layer.array().counters();
        let moved = nand.programs_for(Cause::Gc) + nand.programs_for(Cause::Wear);
        Counters {
            host_ios: self.host_ios,
            host_bytes_written: self.host_bytes_written,
            nand_reads: nand.reads(),
            nand_programs: nand.programs(),
            moved_programs: moved,
            nand_erases: nand.erases(),
            nand_bytes_programmed: nand.programs()
                * u64::from(self.layer.layout().geometry.page_bytes),
            buffer_stalls: self.buffer_stalls,
            stream_hash: self.layer.array().stream_hash(),
        }
    }

    fn restart_stream_hash(&mut self) {
        self.layer.array_mut().reset_stream_hash();
    }

    fn page_layer(&self) -> Option<&PageLayer> {
        self.layer.page_layer()
    }

    fn save(&self) -> DeviceState {
        DeviceState::Ssd(self.state())
    }

    fn restore(&mut self, state: DeviceState) -> Result<(), StateError> {
        match state {
            DeviceState::Ssd(state) => self.take_over(state),
            DeviceState::Disk(_) => Err(StateError(
                "it is of a disk, and the drive is an SSD".into(),
            )),
        }
    }

    fn snapshot(&self) -> Box<dyn Device> {
        assert_eq!(self.queue.outstanding(), 0, "a snapshot of a drive at work");
        assert!(
            self.buffer.is_empty(),
            "a snapshot of a drive with data in its buffer"
        );
        let mut copy = Ssd::new(self.params, self.layer.boxed());
        copy.timed = self.timed;
        copy.batch.set_timed(self.timed);
        if self.stamps.is_some() {
            copy.batch = OpBatch::carrying_data();
            copy.batch.set_timed(self.timed);
            copy.stamps.clone_from(&self.stamps);
        }
        copy.host_ios = self.host_ios;
        copy.host_bytes_written = self.host_bytes_written;
        copy.buffer_stalls = self.buffer_stalls;
        copy.refusal = self.refusal;
        Box::new(copy)
    }
}

#[cfg(test)]
mod tests;
