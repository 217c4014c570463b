//! A hard disk in virtual time.
//!
//! Stages: the host's front end → controller (serial) → link → caches or arm. One arm, one
//! spindle: the rotational position is a function of time, so every positioning is exact. Writes
//! end in the cache while it has room (`write_cache.rs` tells what happens when it has none), reads
//! are served from either cache, else reordered by positioning time. The arm serves reads first,
//! then reads ahead, and destages when the host has read nothing for a while; during a sweep or a
//! flush it takes whatever is nearest.
//!
//! Left out: defects and remapping, thermal recalibration, retries, spin-down, and hits on data
//! that has been destaged. No data is kept: a read that is only partly in the write cache costs a
//! read of the platter.

mod arm;
mod check;
mod controller;
mod media;
mod params;
mod platter;
mod power;
mod read_cache;
#[cfg(test)]
mod tests;
mod transfers;
mod write_cache;

pub use params::{Destage, DiskParams};
pub use power::DiskPower;

use crate::flashless::Medium;
use crate::occupancy::Occupancy;
use arm::Arm;
use controller::Controller;
use ftlab_base::{
    Command, CommandKind, Completion, Nanos, Outcome, RootSeed, SECTOR_BYTES, Server, SimTime,
};
use ftlab_host::{End, FrontEnd, Host, Link};
use ftlab_timing::Energy;
use media::{MediaCommand, MediaQueue};
use platter::Platter;
use power::ArmTime;
use read_cache::ReadCache;
use std::collections::VecDeque;
use std::ops::Range;
use transfers::{To, Transfer, Transfers};
use write_cache::WriteCache;

/// Work of the arm.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// Reading for a command, over the platter for the span.
    Read(MediaCommand, Nanos),
    /// Writing through for a command.
    Write(Command),
    /// Bringing dirty data to the platter.
    Destage,
}

/// The arm's visit to a stream: what it reads there before it serves anybody else.
#[derive(Debug, Clone, Copy)]
struct Visit {
    /// The first sector beyond.
    end: u64,
    /// Instant at which the arm has read up to there.
    until: SimTime,
}

/// The sectors of a command.
fn sectors_of(command: &Command) -> Range<u64> {
    command.lba.0..command.lba.0 + u64::from(command.sectors)
}

/// A hard disk in virtual time.
#[derive(Debug, Clone)]
pub struct Disk {
    platter: Platter,
    arm: Arm,
    front: FrontEnd,
    controller: Controller,
    transfers: Transfers,
    writes: WriteCache,
    reads: ReadCache,
    media: MediaQueue,
    destage: Destage,
    destage_wait: Nanos,
    /// Instant at which the host will have read nothing for `destage_wait`.
    quiet_at: SimTime,
    /// Sector at which the elevator goes on.
    elevator_lba: u64,
    capacity_sectors: u64,
    arm_time: ArmTime,
    /// The time in which the arm does what `busy` says.
    arm_busy: Server,
    power: Option<DiskPower>,
    /// Writes that wait for a sweep to end, oldest first.
    waiting_writes: VecDeque<Command>,
    flush: Option<Command>,
    /// Flushes of some sectors, as writes with FUA ask for, the oldest first.
    own_flushes: Vec<Command>,
    /// The stream that the arm is at, if it is at one.
    visit: Option<Visit>,
    read_ahead_least_sectors: u64,
    /// Work of the arm, and the instant at which it ends.
    busy: Option<(SimTime, Work)>,
}

impl Disk {
    /// A disk at rest with clean caches, plugged into nothing; the seed sets where the spindle stands
    /// at time zero.
    ///
    /// # Panics
    /// If `params` do not pass [`DiskParams::check`].
    #[must_use]
    pub fn new(params: DiskParams, seed: RootSeed) -> Disk {
        params.check().unwrap_or_else(|why| panic!("{why}"));
        let platter = Platter::new(&params);
        let phase = Nanos(seed.derive("spindle").0 % platter.turn().0);
        Disk {
            arm: Arm::new(&params, platter.cylinders(), phase),
            front: FrontEnd::new(params.queue_depth, params.limit),
            controller: Controller::new(params.command_overhead),
            transfers: Transfers::new(Link::new(End::Sata(params.link_sector))),
            writes: WriteCache::new(&params),
            reads: ReadCache::new(&params),
            media: MediaQueue::new(params.queue_depth),
            destage: params.destage,
            destage_wait: params.destage_wait,
            quiet_at: SimTime::ZERO,
            elevator_lba: 0,
            capacity_sectors: params.capacity_sectors,
            arm_time: ArmTime::default(),
            arm_busy: Server::default(),
            power: params.power,
            waiting_writes: VecDeque::new(),
            flush: None,
            own_flushes: Vec::new(),
            visit: None,
            read_ahead_least_sectors: params.read_ahead_least_bytes / SECTOR_BYTES,
            busy: None,
            platter,
        }
    }

    /// The one event at `at`: the link's first if there are several, then the arm's, then the controller's.
    fn step(&mut self, at: SimTime, done: &mut Vec<Completion>) {
        if let Some(transfer) = self.transfers.take_ended(at) {
            self.end_transfer(transfer, done);
        } else if let Some((_, work)) = self.busy.take_if(|&mut (ends, _)| ends <= at) {
            self.end_work(work, at, done);
        } else if let Some(command) = self.controller.take_ready(at) {
            self.arrive(command, at, done);
        }
    }

    fn arrive(&mut self, command: Command, at: SimTime, done: &mut Vec<Completion>) {
        match command.kind {
            CommandKind::Read => self.arrive_read(command, at),
            CommandKind::Write if self.writes.enabled() => {
                self.waiting_writes.push_back(command);
            }
            CommandKind::Write => {
                self.transfers.begin(at, command, To::Platter);
            }
            CommandKind::Trim => self.finish(command, at, done),
            CommandKind::Flush if command.sectors > 0 => self.own_flushes.push(command),
            CommandKind::Flush => self.flush = Some(command),
        }
    }

    fn arrive_read(&mut self, command: Command, at: SimTime) {
        self.quiet_at = at + self.destage_wait;
        let (lba, sectors) = (command.lba.0, u64::from(command.sectors));
        if self.writes.holds(lba, sectors) {
            return self.transfers.begin(at, command, To::Host);
        }
        let held = self.reads.held(lba, sectors, at, &self.platter);
        let passes = self.reads.comes_by(lba, sectors, at, &self.platter);
        self.reads.host_reads(lba + sectors, at, &self.platter);
        if held == sectors {
            return self.transfers.begin(at, command, To::Host);
        }
        let needed = MediaCommand {
            command,
            lba: lba + held,
            sectors: sectors - held,
            place: self.platter.locate(lba + held),
            passed: 0,
        };
        match passes.filter(|_| self.busy.is_none() && self.may_go_on(lba + sectors)) {
            Some(ends) => self.read_in_passing(needed, at, ends),
            None => self.media.push(needed),
        }
    }

    /// Returns true if the arm may read along its stream up to `end`: while others wait, up to the end of its visit.
    fn may_go_on(&self, end: u64) -> bool {
        let others = !self.media.is_empty() || self.dirty_data_wait();
        !others || self.visit.is_some_and(|visit| end <= visit.end)
    }

    /// Reads for a command what the arm comes by until `ends`. Beyond its visit, which it goes when
    /// nobody else waits, another begins.
    fn read_in_passing(&mut self, read: MediaCommand, at: SimTime, ends: SimTime) {
        let end = read.lba + read.sectors;
        self.visit = self.visit.filter(|visit| end <= visit.end);
        self.call_arm(at);
        self.arm.stand_at(self.platter.locate(end - 1));
        self.work(at, ends.since(at), Work::Read(read, ends.since(at)));
    }

    /// The arm has read up to `end` of a stream and reads on; others wait until its visit is over.
    fn stay(&mut self, end: u64, at: SimTime) {
        self.reads.go_on(end, at, &self.platter);
        let least = (end + self.read_ahead_least_sectors).min(self.capacity_sectors);
        let visit_end = self.visit.map_or(least, |visit| visit.end);
        let until = match visit_end.saturating_sub(end) {
            0 => at,
            sectors => at + self.platter.transit(end, sectors),
        };
        self.visit = Some(Visit {
            end: visit_end,
            until,
        });
        let alone = self.media.len() == 1 && !self.dirty_data_wait();
        if let Some((index, read)) = self.media.along(end, visit_end, alone)
            && let Some(ends) = self
                .reads
                .comes_by(read.lba, read.sectors, at, &self.platter)
        {
            self.media.take(index);
            self.read_in_passing(read, at, ends);
        }
    }

    /// Ends the reads of which the arm has read everything, for others, since they came.
    fn serve_from_buffer(&mut self, at: SimTime) {
        let (reads, platter) = (&self.reads, &self.platter);
        let held = |lba, sectors| reads.held(lba, sectors, at, platter);
        for command in self.media.take_held(held, platter) {
            self.transfers.begin(at, command, To::Host);
        }
    }

    /// Lets writes into the cache that wait for room, in order.
    fn release_writes(&mut self, at: SimTime) {
        while let Some(&command) = self.waiting_writes.front() {
            let sectors = u64::from(command.sectors);
            if self.writes.sweeping() || !self.writes.admit(command.lba.0, sectors) {
                return;
            }
            self.waiting_writes.pop_front();
            self.transfers.begin(at, command, To::Cache);
        }
    }

    fn end_transfer(&mut self, transfer: Transfer, done: &mut Vec<Completion>) {
        let command = transfer.command;
        let (lba, sectors) = (command.lba.0, u64::from(command.sectors));
        match transfer.to {
            To::Host => {}
            To::Cache => self.writes.insert(lba, sectors, &self.platter),
            To::Platter => {
                return self.media.push(MediaCommand {
                    command,
                    lba,
                    sectors,
                    place: self.platter.locate(lba),
                    passed: 0,
                });
            }
        }
        self.finish(command, transfer.ends, done);
    }

    fn end_work(&mut self, work: Work, at: SimTime, done: &mut Vec<Completion>) {
        match work {
            Work::Read(read, over_platter) => {
                self.quiet_at = at + self.destage_wait;
                let end = read.lba + read.sectors;
                if self.reads.keep(read.lba, end) && self.read_ahead_least_sectors > 0 {
                    self.stay(end, at);
                } else {
                    self.visit = None;
                }
                // The link runs along with the platter; what is left is the last sector, or more
                // when the link is the slower of the two.
                let link = self.transfers.span(read.sectors);
                let left = Nanos(link.0.saturating_sub(over_platter.0));
                let span = left.max(self.transfers.span(1));
                self.transfers.begin_rest(at, span, read.command, To::Host);
            }
            Work::Write(command) => self.finish(command, at, done),
            Work::Destage => self.writes.written(),
        }
    }

    /// Gives a resting arm its next work: reads, reading ahead, destaging, in that order; a sweep
    /// or a flush puts dirty data on a par with reads. A host that reads a file leaves pauses
    /// between its reads, and an arm that destaged in them would go back and forth for every few.
    fn start_work(&mut self, at: SimTime, done: &mut Vec<Completion>) {
        if self.writes.is_empty()
            && let Some(flush) = self.flush.take()
        {
            self.finish(flush, at, done);
        }
        let writes = &self.writes;
        let ends = |own: &mut Command| !writes.is_dirty(&sectors_of(own));
        let ended: Vec<Command> = self.own_flushes.extract_if(.., ends).collect();
        for own in ended {
            self.finish(own, at, done);
        }
        if self.busy.is_some() || at < self.stays_until() {
            return;
        }
        self.serve_from_buffer(at);
        let urgent = self.is_urgent();
        let destage = self.writes.has_waiting() && (urgent || at >= self.destages_at());
        if !self.media.is_empty() || destage {
            self.call_arm(at);
            self.start_nearest(at, urgent);
        } else if self.reads.enabled() {
            self.start_reading_ahead(at);
        }
    }

    /// Until when the arm goes on along a stream, whoever else waits.
    fn stays_until(&self) -> SimTime {
        self.visit.map_or(SimTime::ZERO, |visit| visit.until)
    }

    /// Returns true if dirty data have to go to the platter.
    fn is_urgent(&self) -> bool {
        self.writes.sweeping() || self.flush.is_some() || !self.own_flushes.is_empty()
    }

    /// Returns true if there are dirty data that wait for the arm.
    fn dirty_data_wait(&self) -> bool {
        self.is_urgent() && self.writes.has_waiting()
    }

    /// Instant at which the arm destages without need: it has read ahead, and the host may have done reading.
    fn destages_at(&self) -> SimTime {
        self.reads
            .full_at()
            .map_or(self.quiet_at, |full| full.max(self.quiet_at))
    }

    fn start_nearest(&mut self, at: SimTime, urgent: bool) {
        let leave = self.visit.take().map(|visit| {
            let begun = visit.end.saturating_sub(self.read_ahead_least_sectors);
            begun..visit.end + self.reads.segment_sectors()
        });
        let command = self.media.nearest(at, &self.arm, leave);
        let dirty = if urgent || command.is_none() {
            self.next_dirty(at)
        } else {
            None
        };
        match (command, dirty) {
            (Some((index, cost)), dirty) if dirty.is_none_or(|(_, other)| cost <= other) => {
                self.start_command(index, at);
            }
            (_, Some((index, cost))) => self.start_destage(index, at, cost),
            (_, None) => {}
        }
    }

    fn next_dirty(&self, at: SimTime) -> Option<(usize, Nanos)> {
        let cost = |place| self.arm.positioning(at, place, true);
        let everything = self.writes.sweeping() || self.flush.is_some();
        if let Some(own) = self.own_flushes.first().filter(|_| !everything)
            && let Some(found) = self.writes.within(&sectors_of(own), cost)
        {
            return Some(found);
        }
        match self.destage {
            Destage::ShortestPositioning => self.writes.nearest(cost),
            Destage::Elevator => self.writes.next_above(self.elevator_lba, cost),
        }
    }

    fn start_command(&mut self, index: usize, at: SimTime) {
        let next = self.media.take(index);
        let write = next.command.kind == CommandKind::Write;
        let positioning = self.arm.positioning(at, next.place, write);
        let span = self.platter.transit(next.lba, next.sectors);
        self.arm_time.seeking += self.arm.moving(next.place, write);
        self.arm_time.transferring += span;
        let work = if write {
            Work::Write(next.command)
        } else {
            Work::Read(next, span)
        };
        let last = self.platter.locate(next.lba + next.sectors - 1);
        self.arm.stand_at(last);
        self.work(at, positioning + span, work);
    }

    /// The arm is at work from now on, for so long.
    fn work(&mut self, at: SimTime, span: Nanos, work: Work) {
        self.busy = Some((self.arm_busy.serve(at, span), work));
    }

    fn start_destage(&mut self, index: usize, at: SimTime, positioning: Nanos) {
        let extent = self.writes.take(index, &self.platter);
        self.elevator_lba = extent.lba + extent.sectors;
        self.arm_time.seeking += self.arm.moving(extent.place, true);
        self.arm.stand_at(extent.place);
        let span = self.platter.transit(extent.lba, extent.sectors);
        self.arm_time.transferring += span;
        self.work(at, positioning + span, Work::Destage);
    }

    fn start_reading_ahead(&mut self, at: SimTime) {
        if let Some(next) = self.reads.next_ahead(at) {
            self.call_arm(at);
            let place = self.platter.locate(next);
            let begun = at + self.arm.positioning(at, place, false);
            self.reads.read_ahead(next, begun, &self.platter);
        }
    }

    /// Ends reading ahead, so that the arm stands still.
    fn call_arm(&mut self, at: SimTime) {
        if let Some(lba) = self.reads.stop(at, &self.platter) {
            self.arm.stand_at(self.platter.locate(lba));
        }
    }

    fn finish(&mut self, command: Command, at: SimTime, done: &mut Vec<Completion>) {
        self.controller.finished();
        if let Some(sent) = self.front.completed(at) {
            self.controller.expect(sent);
        }
        done.push(Completion {
            id: command.id,
            at,
            outcome: Outcome::Good,
        });
    }
}

impl Medium for Disk {
    fn capacity_sectors(&self) -> u64 {
        self.capacity_sectors
    }

    fn submit(&mut self, command: Command, now: SimTime) {
        if command.kind != CommandKind::Flush {
            let end = command.lba.0.checked_add(u64::from(command.sectors));
            assert!(
                command.sectors > 0 && end.is_some_and(|end| end <= self.capacity_sectors),
                "{command:?} on a disk of {} sectors",
                self.capacity_sectors
            );
        }
        if let Some(sent) = self.front.submit(command, now) {
            self.controller.expect(sent);
            self.controller.feed(now);
        }
    }

    fn next_event(&self) -> Option<SimTime> {
        let arm = match self.busy {
            Some((ends, _)) => Some(ends),
            // Whatever needs the arm at once has it, or waits for a stream.
            None if !self.media.is_empty() => Some(self.stays_until()),
            None if self.dirty_data_wait() => Some(self.stays_until()),
            None if self.writes.has_waiting() => Some(self.destages_at().max(self.stays_until())),
            None => None,
        };
        [self.controller.next_event(), self.transfers.next_end(), arm]
            .into_iter()
            .flatten()
            .min()
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        while let Some(at) = self.next_event().filter(|&at| at <= now) {
            self.step(at, done);
            self.release_writes(at);
            self.start_work(at, done);
            self.controller.feed(at);
        }
    }

    fn dirty(&self) -> Vec<Range<u64>> {
        self.writes.dirty().collect()
    }

    fn cache_sectors(&self) -> u64 {
        self.writes.sectors_max()
    }

    fn plug(&mut self, host: &Host) {
        self.front.plug(host);
        self.transfers.plug(host);
    }

    fn energy(&self, now: SimTime) -> Option<Energy> {
        let power = self.power.as_ref()?;
        Some(self.arm_time.energy(power, now))
    }

    fn occupancy(&self, now: SimTime) -> Occupancy {
        Occupancy {
            host_busy: vec![self.front.busy_until(now)],
            limit_held: self.front.held_until(now),
            link_busy: Some(self.transfers.busy_until(now)),
            core_busy: Some(self.controller.busy_until(now)),
            arm_busy: Some(self.arm_busy.busy_until(now)),
            array: None,
        }
    }

    fn rest_watts(&self) -> Option<f64> {
        self.power.map(|power| power.rest_watts())
    }
}
