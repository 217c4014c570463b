//! Drives small enough to try every cut on, and what tests of them share.

mod aged;
mod beside;
mod commits;
mod crash;
mod cuts;
mod damage;
mod driven;
mod embedded;
mod faults;
mod firmware;
mod formats;
mod fua;
mod host_power;
mod life;
mod limits;
mod mutations;
mod on_base;
mod oracle;
mod pack;
mod policies;
mod random;
mod recorder;
mod reset;
mod tiny;
mod unreadable;
mod volatile;

use crate::DataDrive;

impl DataDrive {
    /// What must hold of the translation layer.
    fn check_layer(&self) {
        if let Some(layer) = self.layer() {
            layer.check_invariants();
        }
    }
}
