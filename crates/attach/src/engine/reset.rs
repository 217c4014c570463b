//! Going back to a base or a snapshot while clients are there, and making one.

use super::cut::{HardReset, Power, ResetOutcome};
use super::{Engine, Mode, Stopped};
use ftlab_image::ImageError;
use std::sync::mpsc;
use std::time::Duration;

/// Error of a reset or a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum ResetFailed {
    /// The engine has stopped.
    #[error("{0}")]
    Stopped(#[from] Stopped),
    /// The drive is as it was.
    #[error("{0}")]
    Image(#[from] ImageError),
}

impl Engine {
    /// Takes the drive back to a snapshot, or to the base of its image. Requests under way fail, and
    /// connections end, as if the disk had been pulled and another put in.
    ///
    /// # Errors
    /// When there is nothing to go back to, what is asked is recorded, or the storage fails: the drive is as it was,
    /// and its clients hear nothing.
    pub fn reset(&self, to: Option<String>) -> Result<(), ResetFailed> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let listeners = self.listeners();
        let act = Box::new(move |drive: &mut ftlab_image::DataDrive| {
            let reset = drive.reset(to.as_deref());
            let outcome = match reset {
                Ok(()) => ResetOutcome::IsBack,
                Err(_) => ResetOutcome::Refused,
            };
            if outcome == ResetOutcome::IsBack {
                listeners.iter().for_each(|listener| listener(Power::Off));
            }
            // The caller waits for it.
            let _ = sender.send(reset);
            outcome
        });
        self.hard_reset(HardReset {
            off: Duration::ZERO,
            act,
        });
        Ok(receiver.recv().map_err(|_| Stopped)??)
    }

    /// Keeps the present state of the drive as a snapshot of this name. Requests that arrive meanwhile wait.
    ///
    /// # Errors
    /// When there is no image, the name is taken or is none, or the storage fails.
    pub fn snapshot(&self, name: String) -> Result<(), ResetFailed> {
        let wake: Box<dyn Fn() + Send> = match &self.mode {
            Mode::Timed(timed) => {
                let waker = timed.waker();
                Box::new(move || waker.wake())
            }
            Mode::Untimed(untimed) => Box::new(untimed.commit_listener()),
        };
        let outcome = self.quietly(move |drive| {
            let outcome = drive.snapshot(&name);
            // The image is another file now. Without a thread for it, flushes wait in place.
            let _ = drive.sync_beside(wake);
            outcome
        });
        Ok(outcome??)
    }
}
