//! A power cut on demand: the drive goes as it would with its process, and comes back from its image.

use super::DataDrive;
use crate::new::New;
use crate::recovery;
use crate::recovery::found::Opening;
use crate::{CutReport, ImageError, OpenOptions};

impl DataDrive {
    /// True if the drive has an image that is written to, from which it would come back.
    #[must_use]
    pub fn has_image(&self) -> bool {
        self.image.as_ref().is_some_and(|image| !image.read_only)
    }

    /// Cuts the power, and lets the drive recover from its image as it would when that is opened again. Commands
    /// that are outstanding are gone, and nobody hears of them. A seed decides what is lost, if there is one; if
    /// not, the drive's own does. Gives what was lost; nothing of a drive that loses nothing.
    ///
    /// # Errors
    /// When the drive is in memory, is only looked at, or does not come back; it is as before then, with its
    /// outstanding commands.
    pub fn cut_power(&mut self, seed: Option<u64>) -> Result<Option<CutReport>, ImageError> {
        let image = self.image.as_ref().filter(|image| !image.read_only);
        let (Some(image), Some(testbed)) = (image, self.testbed.clone()) else {
            return Err(ImageError::NothingStays);
        };
        let catalog = self.file.catalog();
        let options = OpenOptions {
            sync: image.sync,
            on_kill: image.on_kill,
            cut_seed: seed,
            ..OpenOptions::on(&catalog, &testbed)
        };
        let in_cache = self.body.lost_sectors();
        // Writers at work beside this end first.
        self.end_checkpoint();
        let _ = self.body.storage().end_sync();
        let storage = self
            .body
            .storage()
            .beside()
            .ok_or(ImageError::NothingStays)?;
        let opening = Opening {
            path: &self.path,
            drive: &self.file,
            seed: self.seed,
            options: &options,
        };
        let (drive, recovery) = recovery::recover_beside(
            storage,
            (&self.body.regions(), self.body.shape()),
            || New::of(&self.file, &testbed, self.seed),
            &opening,
        )?;
        let clock = self.clock;
        // What a cut has left is decided, so a log of what one could leave has its end here.
        let mut tap = self.body.tap().take();
        if let Some(tap) = &mut tap {
            tap.end(true);
        }
        let backing = std::mem::take(&mut self.backing);
        *self = drive;
        (self.clock, self.backing) = (clock, backing);
        *self.body.tap() = tap;
        // A cache whose data were nowhere else loses them all: its draws were made when they were written.
        Ok(recovery.cut.or(in_cache.map(|sectors| CutReport {
            seed: seed.unwrap_or_default(),
            slots: sectors,
            old: sectors,
            ..CutReport::default()
        })))
    }
}
