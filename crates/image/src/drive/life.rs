//! What a drive knows of itself besides its data: its serial number, and how long it was switched on.

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

    /// How often it was switched on; a drive that is gone with the process is so once.
    #[must_use]
    pub fn power_cycles(&self) -> u64 {
        self.image
            .as_ref()
            .map_or(1, |image| image.meta.power_cycles)
    }

    /// How often its power went while it was at work.
    #[must_use]
    pub fn unsafe_shutdowns(&self) -> u64 {
        let image = self.image.as_ref();
        image.map_or(0, |image| image.meta.unsafe_shutdowns)
    }

    /// How long it was switched on, in its own time: none passes while it is used without time. What passed since
    /// the last checkpoint is not kept when its power is cut.
    #[must_use]
    pub fn power_on_time(&self) -> Nanos {
        Nanos(self.spent().on_ns)
    }

    /// How far its own time has come since it was switched on.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.clock
    }

    /// How warm it is, while it is used with time; as it is when it is left alone, while nobody uses it so. Nothing
    /// if its file does not say how it warms.
    #[must_use]
    pub fn temperature(&self) -> Option<Temperature> {
        self.device().temperature(self.clock)
    }

    /// How long of that it had a command of the host's.
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
