//! A power cut of a drive at work.

use super::{Engine, How};
use ftlab_image::{CutTold, DataDrive, ImageError};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// How the power goes, and for how long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PowerOff {
    /// What decides about what is lost, if not the drive's own seed.
    pub seed: Option<u64>,
    /// How long it is off, at least; what is asked meanwhile waits.
    pub off: Duration,
}

/// Why a power cut left no drive that goes on, or was not made.
#[derive(Debug, thiserror::Error)]
pub enum CutFailed {
    /// The engine has stopped.
    #[error("the drive is shutting down")]
    Stopped,
    /// The drive did not come back; if its power went, it is off its bus.
    #[error("{0}")]
    Image(#[from] ImageError),
}

/// What happens to the power.
#[derive(Debug, Clone, Copy)]
pub enum Power<'a> {
    /// It goes.
    Off,
    /// It is back, with what was lost, if the drive can lose anything.
    On(Option<&'a CutTold>),
    /// It is back, and the drive is not.
    Lost(&'a ImageError),
}

/// Who hears of it.
pub(super) type AtCut = Arc<dyn Fn(Power<'_>) + Send + Sync>;

/// A power cut that is asked for.
pub(super) struct Cut {
    pub(super) how: PowerOff,
    ways: Vec<AtCut>,
    tell: mpsc::SyncSender<Result<Option<CutTold>, ImageError>>,
}

/// What came of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// The drive has no image to come back from, and its power is on as before.
    Refused,
    /// It came back.
    IsBack,
    /// It did not.
    Lost,
}

impl Cut {
    /// Ends the ways in, and cuts the power. Whoever asked is told what came of it.
    pub(super) fn make(self, drive: &mut DataDrive) -> Made {
        let has_image = drive.has_image();
        let say = |power: Power<'_>| self.ways.iter().for_each(|hear| hear(power));
        if has_image {
            say(Power::Off);
        }
        let told = drive.cut_power(self.how.seed);
        let made = match &told {
            Ok(cut) => {
                say(Power::On(cut.as_ref()));
                Made::IsBack
            }
            Err(why) if has_image => {
                say(Power::Lost(why));
                Made::Lost
            }
            Err(_) => Made::Refused,
        };
        // He waits for it.
        let _ = self.tell.send(told);
        made
    }
}

impl Engine {
    /// Has this be called when the power goes, before anything else, and when it is back: a machine that loses its
    /// power has no connections.
    pub fn at_power_cut(&self, hear: impl Fn(Power<'_>) + Send + Sync + 'static) {
        self.at_cut
            .lock()
            .expect("no panic holds the ways in")
            .push(Arc::new(hear));
    }

    /// Cuts the power of the drive, and switches it on again. What was under way fails; what was not flushed and is
    /// in a volatile buffer is lost or not, as the seed says. Gives what was lost, if the drive can lose anything.
    ///
    /// # Errors
    /// When the drive has no image, or does not come back from it.
    pub fn cut_power(&self, how: PowerOff) -> Result<Option<CutTold>, CutFailed> {
        let (tell, told) = mpsc::sync_channel(1);
        let ways = self.at_cut.lock().expect("no panic holds the ways in");
        let cut = Cut {
            how,
            ways: ways.clone(),
            tell,
        };
        drop(ways);
        match &self.how {
            How::Timed(timed) => timed.cut(cut),
            How::Untimed(untimed) => untimed.cut(cut),
        }
        Ok(told.recv().map_err(|_| CutFailed::Stopped)??)
    }
}
