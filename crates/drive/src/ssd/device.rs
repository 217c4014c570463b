//! An SSD as a [`Device`]: what its host can ask of it, with time and without.

use super::Ssd;
use super::mapped::{Mapped, SlotWrite};
use super::waking;
use super::write_through::Cache;
use crate::counters::Counters;
use crate::device::{CacheRefused, Device, EraseRefused};
use crate::health::Health;
use crate::heat::Temperature;
use crate::occupancy::Occupancy;
use crate::state::DeviceState;
use ftlab_base::{Command, CommandKind, Completion, Outcome, SimTime};
use ftlab_ftl::Extent;
use ftlab_ftl::page::PageMapped;
use ftlab_host::Host;
use ftlab_nand::{Cause, StateError, WearHistogram};
use ftlab_timing::{Energy, PowerModel};

impl Device for Ssd {
    fn capacity_sectors(&self) -> u64 {
        self.params.capacity_sectors
    }

    fn atomic_bytes(&self) -> u64 {
        self.params.buffer.atomic_bytes
    }

    fn begin_time(&mut self, now: SimTime) {
        self.mapped.set_timed(true);
        self.now = now;
        self.follow_heat(now);
        self.begin_pause(now);
    }

    fn note_time(&mut self, now: SimTime) {
        self.follow_heat(now);
    }

    fn submit(&mut self, command: Command, now: SimTime) {
        let end = command.lba.0 + u64::from(command.sectors);
        assert!(
            end <= self.params.capacity_sectors,
            "a command to sector {end} of {}",
            self.params.capacity_sectors
        );
        self.expect(&command);
        self.mapped.set_timed(true);
        if self.is_at_rest() {
            self.wake(now);
            let waking = self.resting.ends(now, self.power.as_ref());
            self.awake_at = now + waking;
        }
        self.now = now;
        self.end_pause();
        if self.front.is_one(&command) {
            return self.take_in(command, now);
        }
        for part in self.front.split(command) {
            self.take_in(part, now);
        }
    }

    fn next_event(&self) -> Option<SimTime> {
        let next = self.next_at();
        (next < SimTime::NEVER).then_some(next)
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        self.run(now, usize::MAX, done);
    }

    fn advance_to_completion(
        &mut self,
        limit: SimTime,
        done: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        let last = self.run(limit, done.len(), done)?;
        // The rest of the instant, of which there is mostly none.
        if self.next_at() <= last {
            self.advance(last, done);
        }
        Some(last)
    }

    fn apply(&mut self, command: Command) -> Outcome {
        let outcome = self.apply_at_once(command);
        self.totals.count(&command, outcome, self.slot.sectors());
        outcome
    }

    fn expect(&self, command: &Command) {
        self.layer().expect(self.slot.piece(command, 0).lpn);
    }

    fn fault(&self) -> Option<String> {
        if self.wakings.is_gone {
            return Some(waking::GONE.to_owned());
        }
        self.mapped.refusal.map(|refusal| refusal.to_string())
    }

    fn health(&self) -> Option<Health> {
        let array = self.layer().array();
        let nand = array.counters();
        let host = nand.programs_for(Cause::Host);
        let endurance = array.reliability().and_then(|r| r.endurance);
        Some(Health {
            wear: WearHistogram::of(array.erase_counts().iter().copied()),
            rated_cycles: endurance.map(|e| e.rated_cycles),
            faults: array.fault_counters(),
            spare: self.layer().spare(),
            host_bytes_written: self.totals.host_bytes_written,
            nand_bytes_programmed: nand.programs() * u64::from(array.geometry().page_bytes),
            pages_programmed: [host, nand.programs() - host],
        })
    }

    fn rest(&mut self, hours: f64, celsius: f64) {
        let array = self.mapped.layer.array_mut();
        let errors = array.reliability().and_then(|r| r.bit_errors.as_ref());
        let faster = errors.map_or(0.0, |errors| errors.acceleration(celsius));
        array.age((hours * 3600.0 * faster) as u64);
    }

    fn counters(&self) -> Counters {
        let array = self.layer().array();
        let nand = array.counters();
        let moved = nand.programs_for(Cause::Gc) + nand.programs_for(Cause::Wear);
        let page_bytes = u64::from(array.geometry().page_bytes);
        Counters {
            host_ios: self.totals.host_ios,
            host_bytes_written: self.totals.host_bytes_written,
            host: self.totals.host,
            nand_reads: nand.reads(),
            nand_programs: nand.programs(),
            moved_programs: moved,
            map_reads: nand.reads_for(Cause::Map),
            map_programs: nand.programs_for(Cause::Map),
            nand_erases: nand.erases(),
            nand_bytes_programmed: nand.programs() * page_bytes,
            nand_bytes_read: nand.reads() * page_bytes,
            buffer_stalls: self.totals.buffer_stalls,
            void_trims: self.totals.void_trims,
            stream_hash: array.stream_hash(),
        }
    }

    fn erase_counts(&self) -> &[u32] {
        self.layer().array().erase_counts()
    }

    fn energy(&self, now: SimTime) -> Option<Energy> {
        let power = self.power.as_ref()?;
        Some(power.energy(&self.activity(now)))
    }

    fn occupancy(&self, now: SimTime) -> Option<Occupancy> {
        Some(Occupancy {
            host_busy: vec![self.front.busy_until(now)],
            limit_held: self.front.held_until(now),
            link_busy: Some(self.link.busy_until(now)),
            core_busy: Some(self.core.busy_until(now)),
            array: Some(self.scheduler.occupancy(now)),
            arm_busy: None,
        })
    }

    fn temperature(&self, now: SimTime) -> Option<Temperature> {
        self.temperature_at(now)
    }

    fn rest_watts(&self) -> Option<f64> {
        self.power.map(|power| power.rest_watts())
    }

    fn set_write_cache(&mut self, on: bool) -> Result<(), CacheRefused> {
        assert_eq!(self.front.outstanding(), 0, "a drive at work is set up");
        if self.mapped.is_timed() {
            self.end_time();
        }
        if self.params.buffer.outlasts_power {
            return Ok(());
        }
        // What is in a page register is not programmed.
        let frees_by_register = on && self.params.nand.register_frees;
        self.scheduler.free_by_register(frees_by_register);
        self.cache = Cache::set(on);
        Ok(())
    }

    fn plug(&mut self, host: &Host) {
        self.front.plug(host);
        self.link.plug(host);
        self.cycle_power();
        self.power = self.params.power.map(|power| PowerModel {
            link_sleeps: host.link_sleeps,
            enters_states: host.power_states,
            ..power
        });
        self.settle_heat();
    }

    fn secure_erase(&mut self) -> Result<(), EraseRefused> {
        self.erase_everything();
        Ok(())
    }

    fn restart_stream_hash(&mut self) {
        self.mapped.layer.array_mut().reset_stream_hash();
    }

    fn page_layer(&self) -> Option<&dyn PageMapped> {
        self.mapped.layer.page_layer()
    }

    fn save(&self) -> DeviceState {
        DeviceState::Ssd(self.state())
    }

    fn restore(&mut self, state: DeviceState) -> Result<(), StateError> {
        match state {
            DeviceState::Ssd(state) => self.take_over(state),
            DeviceState::Flashless(_) => Err(StateError(
                "it is of a drive without flash, and the drive is an SSD".into(),
            )),
        }
    }

    fn snapshot(&self) -> Box<dyn Device> {
        Box::new(self.copy())
    }

    fn fork(&self) -> Box<dyn Device> {
        Box::new(self.clone())
    }

    fn ssd(&self) -> Option<&Ssd> {
        Some(self)
    }

    fn ssd_mut(&mut self) -> Option<&mut Ssd> {
        Some(self)
    }
}

impl Ssd {
    /// Carries a command out without time.
    fn apply_at_once(&mut self, command: Command) -> Outcome {
        let fails = |mapped: &mut Mapped| match command.kind {
            _ if !mapped.store_still_fails() => None,
            // The store is read, whatever it has not carried out.
            CommandKind::Read => Some(Outcome::Good),
            CommandKind::Write | CommandKind::Trim | CommandKind::Flush => {
                Some(Outcome::WriteFault)
            }
        };
        if let Some(outcome) = fails(&mut self.mapped) {
            return outcome;
        }
        if self.mapped.is_timed() {
            self.end_time();
            if let Some(outcome) = fails(&mut self.mapped) {
                return outcome;
            }
        }
        match command.kind {
            CommandKind::Write if self.mapped.refusal.is_some() => return Outcome::WriteFault,
            CommandKind::Write => return self.write_at_once(&command),
            CommandKind::Read => {
                let (first, slots) = self.slot.touched(&command);
                self.mapped.look_up(first, slots);
                let fence = self.mapped.batch.fence();
                let before = self.mapped.unreadable();
                self.mapped
                    .read_command(&command, self.slot, fence, |_| false);
                self.mapped.batch.recycle(fence);
                if self.mapped.unreadable() > before {
                    self.mapped.batch.clear();
                    return Outcome::Unrecoverable;
                }
            }
            CommandKind::Trim => {
                let (first, slots) = self.slots_of_trim(&command);
                self.mapped.trim(first, slots);
            }
            CommandKind::Flush if self.params.buffer.outlasts_power => {}
            CommandKind::Flush => self.mapped.flush(),
        }
        self.mapped.batch.clear();
        Outcome::Good
    }

    /// Writes slot by slot, up to the first that the flash or the store does not take.
    fn write_at_once(&mut self, command: &Command) -> Outcome {
        let mut offset = 0;
        while offset < command.sectors {
            let piece = self.slot.piece(command, offset);
            let (extent, content) = match piece.sectors == self.slot.sectors() {
                true => (Extent::Whole, piece.content),
                false => (Extent::Part, piece.content.anonymous()),
            };
            self.mapped.admit(command, offset, &piece, false);
            let write = SlotWrite {
                lpn: piece.lpn,
                extent,
                content,
                placement: piece.placement,
            };
            let is_taken = self.mapped.write(write).is_ok();
            if !is_taken {
                self.mapped.withdraw(piece.lpn);
            }
            self.mapped.batch.clear();
            if !is_taken || self.mapped.store_has_failed() {
                return Outcome::WriteFault;
            }
            offset += piece.sectors;
        }
        self.totals.host_bytes_written += command.bytes();
        self.fail_die_if_due();
        self.mapped.batch.clear();
        Outcome::Good
    }
}
