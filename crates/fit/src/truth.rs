//! What a suite tells of a drive whose numbers are known: the most that a fit can find.

use crate::candidate::{Candidate, Layout};
use crate::pinned::{self, Found};
use crate::request::Request;
use crate::role::FITTED;
use crate::solve::Aim;
use crate::steps;
use ftlab_drive::DriveFile;
use ftlab_lab::Lab;

/// What tests tell of a drive.
#[derive(Debug)]
pub struct Identifiable {
    /// Its numbers, each with how far a fifth of it moves a figure.
    pub numbers: Vec<Found>,
    /// True if half or twice as many channels of half or twice the rate move a figure as much as pins a number.
    pub channels: bool,
    /// The misfit of the drive itself: what a second run of the same tests differs by.
    pub misfit: f64,
}

/// What the tests of a request tell of a drive.
#[must_use]
pub fn told(request: &Request<'_>, lab: &Lab, truth: &DriveFile) -> Identifiable {
    let bench = request.bench(lab);
    let truth = Candidate::of(truth);
    let aim = Aim::of(&bench, bench.tests(FITTED));
    let misfit = aim.misfit_of(&bench, &truth);
    let numbers = steps::numbers();
    let (_, numbers) = pinned::found(&bench, &aim, &truth, &truth, &numbers);
    let Layout { channels, dies, .. } = truth.layout;
    let others = [channels / 2, channels * 2].into_iter();
    let others = others.filter(|other| (1..=dies).contains(other));
    let others: Vec<Candidate> = others.map(|other| truth.with_channels(other)).collect();
    Identifiable {
        numbers,
        channels: pinned::moves(&bench, &aim, &truth, &others),
        misfit,
    }
}
