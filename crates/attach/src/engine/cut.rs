//! A power cut of a drive at work.

use super::{Engine, Mode};
use ftlab_image::{CutReport, DataDrive, ImageError};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// The length of a power cut, and the seed that decides about what it loses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PowerOff {
    /// Seed of the losses; the drive's own, if there is none.
    pub seed: Option<u64>,
    /// Time for which the drive stays off at least. Requests that arrive meanwhile wait.
    pub off: Duration,
}

/// Error of a power cut: it was not outcome, or left no drive that goes on.
#[derive(Debug, thiserror::Error)]
pub enum CutFailed {
    /// The engine has stopped.
    #[error("the drive is shutting down")]
    Stopped,
    /// The drive did not come back; if its power went, it is off its bus.
    #[error("{0}")]
    Image(#[from] ImageError),
}

/// A change of the power, as listeners receive it.
#[derive(Debug, Clone, Copy)]
pub enum Power<'a> {
    /// The power goes; the drive answers nothing until it is back.
    Off,
    /// The power is back. Has what was lost, if the drive can lose anything.
    On(Option<&'a CutReport>),
    /// The power is back, and the drive is not.
    Lost(&'a ImageError),
}

/// Called when the power goes and when it is back.
pub(super) type PowerListener = Arc<dyn Fn(Power<'_>) + Send + Sync>;

/// A hard reset: aborts every request under way, and the background work of the drive.
pub(super) struct HardReset {
    /// Time for which the drive stays off afterwards at least.
    pub(super) off: Duration,
    /// Carries the reset out, and tells whoever asked for it.
    pub(super) act: Box<dyn FnOnce(&mut DataDrive) -> ResetOutcome + Send>,
}

/// The outcome of a hard reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResetOutcome {
    /// Nothing was done, and the drive is as before.
    Refused,
    /// The drive came back.
    IsBack,
    /// The drive did not come back.
    Lost,
}

/// Cuts the power after the listeners closed their connections, and tells them how the drive came back.
fn cut(
    drive: &mut DataDrive,
    seed: Option<u64>,
    listeners: &[PowerListener],
) -> (ResetOutcome, Result<Option<CutReport>, ImageError>) {
    let has_image = drive.has_image();
    let notify = |power: Power<'_>| listeners.iter().for_each(|listener| listener(power));
    if has_image {
        notify(Power::Off);
    }
    let report = drive.cut_power(seed);
    let outcome = match &report {
        Ok(cut) => {
            notify(Power::On(cut.as_ref()));
            ResetOutcome::IsBack
        }
        Err(why) if has_image => {
            notify(Power::Lost(why));
            ResetOutcome::Lost
        }
        Err(_) => ResetOutcome::Refused,
    };
    (outcome, report)
}

impl Engine {
    /// Has this be called when the power goes, before anything else, and when it is back: a machine that loses
    /// its power has no connections.
    pub fn on_power(&self, listener: impl Fn(Power<'_>) + Send + Sync + 'static) {
        self.power_listeners
            .lock()
            .expect("no panic holds the listeners")
            .push(Arc::new(listener));
    }

    /// Cuts the power of the drive, and switches it on again. Requests under way fail; data in a volatile
    /// buffer that were not flushed are lost or not, as the seed decides. Returns what was lost, if the drive
    /// can lose anything.
    ///
    /// # Errors
    /// When the drive has no image, or does not come back from it.
    pub fn cut_power(&self, how: PowerOff) -> Result<Option<CutReport>, CutFailed> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let listeners = self.listeners();
        self.hard_reset(HardReset {
            off: how.off,
            act: Box::new(move |drive| {
                let (outcome, result) = cut(drive, how.seed, &listeners);
                // The caller waits for it.
                let _ = sender.send(result);
                outcome
            }),
        });
        Ok(receiver.recv().map_err(|_| CutFailed::Stopped)??)
    }

    /// The listeners that close their connections when the power goes.
    pub(super) fn listeners(&self) -> Vec<PowerListener> {
        let listeners = self.power_listeners.lock();
        listeners.expect("no panic holds the listeners").clone()
    }

    pub(super) fn hard_reset(&self, hard_reset: HardReset) {
        match &self.mode {
            Mode::Timed(timed) => timed.hard_reset(hard_reset),
            Mode::Untimed(untimed) => untimed.hard_reset(hard_reset),
        }
    }
}
