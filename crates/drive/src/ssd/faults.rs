//! Faults on demand: by command, or by the drive file.

use super::Ssd;
use ftlab_ftl::Fault;
use ftlab_nand::InjectionRefused;

impl Ssd {
    /// Has something go wrong in the flash, without time. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When it cannot go wrong there; nothing has changed then.
    ///
    /// # Panics
    /// When something is outstanding.
    pub fn inject(&mut self, fault: Fault) -> Result<(), InjectionRefused> {
        assert_eq!(self.front.outstanding(), 0, "a drive at work is broken");
        if self.mapped.is_timed() {
            self.end_time();
        }
        let done = self.mapped.inject(fault);
        self.mapped.batch.clear();
        done
    }

    /// The die dies that the drive file says, once the host has written as much as it says; returns true if it
    /// has died now. The batch is empty before.
    #[inline]
    pub(super) fn fail_die_if_due(&mut self) -> bool {
        let Some(failure) = self.params.faults.die_failure else {
            return false;
        };
        if self.totals.host_bytes_written < failure.after_host_bytes
            || self.layer().dead_die().is_some()
        {
            return false;
        }
        let died = self.mapped.inject(Fault::Die(failure.die));
        died.expect("the drive file was checked");
        true
    }
}
