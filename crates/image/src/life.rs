//! What a drive knows of itself besides its data: its serial number, and how long it was switched on.

use crate::drive::DataDrive;
use ftlab_base::{Nanos, RootSeed, SimTime};

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
        self.kept.as_ref().map_or(1, |kept| kept.meta.power_cycles)
    }

    /// How long it was switched on, in its own time: none passes while it is used without time. What passed since
    /// the last checkpoint is not kept when its power is cut.
    #[must_use]
    pub fn power_on_time(&self) -> Nanos {
        let counted = self.kept.as_ref().map_or(0, |kept| kept.meta.power_on_ns);
        Nanos(counted.saturating_add(self.uncounted.0))
    }

    /// Notes how late it is for a drive that is on, whether it has something to do or not. Time never goes back.
    pub fn note_time(&mut self, now: SimTime) {
        if now > self.clock {
            self.uncounted = Nanos(self.uncounted.0.saturating_add(now.since(self.clock).0));
            self.clock = now;
        }
    }
}
