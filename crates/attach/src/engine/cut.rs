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

/// Something that ends all that is under way at once, and whatever the drive has to do by itself.
pub(super) struct Jolt {
    /// How long the drive is off afterwards, at least.
    pub(super) off: Duration,
    /// Does it; whoever asked is told what came of it.
    pub(super) act: Box<dyn FnOnce(&mut DataDrive) -> Made + Send>,
}

/// What came of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// It was not done, and the drive is as before.
    Refused,
    /// It came back.
    IsBack,
    /// It did not.
    Lost,
}

/// Ends the ways in, and cuts the power.
fn cut(
    drive: &mut DataDrive,
    seed: Option<u64>,
    ways: &[AtCut],
) -> (Made, Result<Option<CutTold>, ImageError>) {
    let has_image = drive.has_image();
    let say = |power: Power<'_>| ways.iter().for_each(|hear| hear(power));
    if has_image {
        say(Power::Off);
    }
    let told = drive.cut_power(seed);
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
    (made, told)
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
        let ways = self.ways();
        self.jolt(Jolt {
            off: how.off,
            act: Box::new(move |drive| {
                let (made, result) = cut(drive, how.seed, &ways);
                // He waits for it.
                let _ = tell.send(result);
                made
            }),
        });
        Ok(told.recv().map_err(|_| CutFailed::Stopped)??)
    }

    /// The ways in, which hear of it when their connections are to end.
    pub(super) fn ways(&self) -> Vec<AtCut> {
        let ways = self.at_cut.lock();
        ways.expect("no panic holds the ways in").clone()
    }

    pub(super) fn jolt(&self, jolt: Jolt) {
        match &self.how {
            How::Timed(timed) => timed.jolt(jolt),
            How::Untimed(untimed) => untimed.jolt(jolt),
        }
    }
}
