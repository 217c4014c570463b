//! Serial number of a drive, and its times and counts of power.

use super::DataDrive;
use crate::meta::DriveTime;
use ftlab_base::{Completion, Nanos, RootSeed, SimTime};
use ftlab_drive::Temperature;

impl DataDrive {
    /// Its serial number, as long as ATA allows. It follows from what makes the drive the one it is, its name and
    /// the seed it was made with: a drive that is made again in the same way is the same unit.
    #[must_use]
    pub fn serial(&self) -> String {
        let unit = RootSeed(self.seed).derive(&format!("serial of {}", self.file.slug()));
        format!("FTL-{:016X}", unit.0)
    }

    /// Times that the drive was switched on; once, for a drive that is gone with the process.
    #[must_use]
    pub fn power_cycles(&self) -> u64 {
        self.image
            .as_ref()
            .map_or(1, |image| image.meta.power_cycles)
    }

    /// Times that the power went while the drive was at work.
    #[must_use]
    pub fn unsafe_shutdowns(&self) -> u64 {
        let image = self.image.as_ref();
        image.map_or(0, |image| image.meta.unsafe_shutdowns)
    }

    /// Power-on time by the drive's own clock, which stands while it is used without time. What passed since
    /// the last checkpoint is not kept when its power is cut.
    #[must_use]
    pub fn power_on_time(&self) -> Nanos {
        Nanos(self.spent().on_ns)
    }

    /// Time since the drive was switched on, by its own clock.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.clock
    }

    /// Temperature of the drive by its own clock, or that of an idle drive while it is used without time.
    /// Nothing if its file does not say how it warms.
    #[must_use]
    pub fn temperature(&self) -> Option<Temperature> {
        self.device().temperature(self.clock)
    }

    /// Part of the power-on time in which it had a command of the host.
    #[must_use]
    pub fn busy_time(&self) -> Nanos {
        Nanos(self.spent().busy_ns)
    }

    pub(crate) fn spent(&self) -> DriveTime {
        let counted = self.image.as_ref().map(|image| image.meta.spent);
        counted.unwrap_or_default().plus(self.uncounted)
    }

    /// Notes how late it is for a drive that is on, whether it has something to do or not. Time never goes back.
    pub fn note_time(&mut self, now: SimTime) {
        self.pass(now);
        let clock = self.clock;
        self.device_mut().note_time(clock);
    }

    fn pass(&mut self, now: SimTime) {
        if now > self.clock {
            let on_ns = now.since(self.clock).0;
            let busy_ns = if self.outstanding > 0 { on_ns } else { 0 };
            self.uncounted = self.uncounted.plus(DriveTime { on_ns, busy_ns });
            self.clock = now;
        }
    }

    /// Notes that commands have ended, in order, by `now`.
    pub(crate) fn note_ends(&mut self, ended: &[Completion], now: SimTime) {
        for completion in ended {
            self.pass(completion.at.min(now));
            self.outstanding -= 1;
        }
        self.note_time(now);
    }
}
