//! A drive that was found is switched on.

use super::DataDrive;
use crate::{ImageError, Recovery};

impl DataDrive {
    /// Switches it on. The journal goes on where it ended, begins anew behind the checkpoint that stands, or behind a new
    /// one that says what is otherwise now.
    pub(crate) fn switch_on(
        &mut self,
        recovery: &Recovery,
        goes_on: bool,
    ) -> Result<(), ImageError> {
        let image = self.image.as_mut().expect("it was found somewhere");
        if image.read_only {
            return Ok(());
        }
        image.meta.power_cycles += 1;
        image.meta.unsafe_shutdowns += u64::from(!recovery.clean);
        // What the image survives is noted in a checkpoint, and whose model its journal is of.
        let is_as_before = image.is_as_before() && image.meta.version == ftlab_drive::version();
        let stands = image.stands;
        if recovery.clean && is_as_before && self.body.begin_journal(stands) {
            self.note_power_on();
            return Ok(());
        }
        match goes_on {
            true => self.flush_storage()?,
            false => self.checkpoint()?,
        }
        self.body.hand_on_kept();
        self.commit_and_wait();
        self.note_failure();
        Ok(())
    }
}
