//! Drives small enough to try every cut on, and what tests of them share.

mod cuts;
mod damage;
mod driven;
mod faults;
mod firmware;
mod life;
mod mutations;
mod oracle;
mod random;
mod recorder;
mod tiny;
mod unreadable;

use crate::DataDrive;
use crate::drive::{Body, store_of};

impl DataDrive {
    /// Whether the translation layer has got all that was written.
    fn nothing_waits(&self) -> bool {
        match &self.body {
            Body::Flash(ssd) => store_of(ssd).first_waiting().is_none(),
            Body::Flat(..) => true,
        }
    }

    /// What must hold of the translation layer.
    fn check_layer(&self) {
        if let Some(layer) = self.layer() {
            layer.check_invariants();
        }
    }
}
