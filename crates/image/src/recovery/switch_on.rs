//! A drive that was found is switched on.

use crate::drive::{Body, DataDrive, store_of, store_of_mut};
use crate::journal::Journal;
use crate::{ImageError, Recovery};

impl DataDrive {
    /// Switches it on. The journal goes on where it ended, begins anew behind the checkpoint that stands, or behind a new
    /// one that says what is otherwise now.
    pub(super) fn switch_on(
        &mut self,
        recovery: &Recovery,
        goes_on: bool,
    ) -> Result<(), ImageError> {
        let kept = self.kept.as_mut().expect("it was found somewhere");
        if kept.read_only {
            return Ok(());
        }
        kept.meta.power_cycles += 1;
        kept.meta.unsafe_shutdowns += u64::from(!recovery.clean);
        // What the image survives is noted in a checkpoint, and whose model its journal is of.
        let is_as_before = kept.is_as_before() && kept.meta.version == ftlab_drive::version();
        let (stands, journals) = (kept.stands, self.regions().journals);
        let Body::Flash(ssd) = &mut self.body else {
            return self.checkpoint();
        };
        if recovery.clean && is_as_before {
            store_of_mut(ssd).keep_journal(Journal::new(journals, stands));
            self.note_power_on();
            return Ok(());
        }
        match goes_on {
            true => self.flush_storage()?,
            false => self.checkpoint()?,
        }
        self.hand_on_kept();
        Ok(())
    }

    /// Hands on to the layer what a write buffer has kept.
    fn hand_on_kept(&mut self) {
        let Body::Flash(ssd) = &mut self.body else {
            return;
        };
        while let Some(lpn) = store_of(ssd).first_emptied() {
            ssd.hand_on_trim(lpn);
        }
        let mut all = true;
        while let Some((lpn, extent)) = store_of(ssd).first_waiting().filter(|_| all) {
            all = ssd.hand_on(lpn, extent);
        }
        if all {
            store_of_mut(ssd).end_restoring();
        }
        self.commit_and_wait();
        self.note_failure();
    }
}
