//! Energy that a disk takes from its supply, and the spans that decide it.

use ftlab_base::{Nanos, SimTime};
use ftlab_timing::Energy;

/// Power of the parts of a disk, in watts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiskPower {
    /// Board and link, all the time.
    pub electronics_watts: f64,
    /// Turning the platters, all the time.
    pub spindle_watts: f64,
    /// The arm while it seeks and settles.
    pub seek_watts: f64,
    /// Heads and channel while data pass them.
    pub transfer_watts: f64,
}

impl DiskPower {
    /// Watts of a disk at rest: its platters turn.
    #[must_use]
    pub fn rest_watts(&self) -> f64 {
        self.electronics_watts + self.spindle_watts
    }
}

/// Time in which the arm sought and data passed the heads, of all work begun. Reading ahead is left out, as what it
/// reads is seldom known before it is stopped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ArmTime {
    pub seeking: Nanos,
    pub transferring: Nanos,
}

impl ArmTime {
    /// Energy that the disk took from time zero to `now`.
    pub(super) fn energy(&self, power: &DiskPower, now: SimTime) -> Energy {
        Energy {
            controller: now.as_secs() * power.electronics_watts
                + self.transferring.as_secs() * power.transfer_watts,
            mechanics: now.as_secs() * power.spindle_watts
                + self.seeking.as_secs() * power.seek_watts,
            ..Energy::default()
        }
    }
}
