//! Drives small enough to try every cut on, and what tests of them share.

mod cuts;
mod driven;
mod faults;
mod oracle;
mod recorder;
mod tiny;

use crate::DataDrive;

impl DataDrive {
    /// What must hold of the translation layer.
    fn check_layer(&self) {
        if let Some(layer) = self.layer() {
            layer.check_invariants();
        }
    }
}
