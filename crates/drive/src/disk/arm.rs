//! The arm over the turning platter: how long until a sector passes the head.

use super::params::DiskParams;
use super::platter::Place;
use ftlab_base::{Nanos, SimTime};

/// Seek time against distance: `a + b·sqrt(x) + c·x`, x the share of the full stroke. The root is the
/// arm speeding up and slowing down, the line its cruise (Ruemmler and Wilkes, "An introduction to
/// disk drive modeling", 1994).
#[derive(Debug, Clone, Copy)]
pub struct SeekCurve {
    track: Nanos,
    constant_ns: f64,
    root_ns: f64,
    line_ns: f64,
    stroke: f64,
}

impl SeekCurve {
    /// The curve through the three times a data sheet gives. Over uniform pairs of cylinders the
    /// distance has density 2(1 − x), so the mean of sqrt(x) is 8/15 and that of x is 1/3.
    pub fn new(params: &DiskParams, cylinders: u32) -> SeekCurve {
        let stroke = f64::from(cylinders.saturating_sub(1).max(2));
        let [track, mean, full] =
            [params.seek_track, params.seek_average, params.seek_full].map(|n| n.0 as f64);
        let (x, root) = (1.0 / stroke, (1.0 / stroke).sqrt());
        // a + b·root + c·x = track; a + b·8/15 + c/3 = mean; a + b + c = full. Taking the last from
        // the others leaves two equations in b and c.
        let (m11, m12, r1) = (1.0 - root, 1.0 - x, full - track);
        let (m21, m22, r2) = (7.0 / 15.0, 2.0 / 3.0, full - mean);
        let determinant = m11 * m22 - m12 * m21;
        let root_ns = (r1 * m22 - m12 * r2) / determinant;
        let line_ns = (m11 * r2 - r1 * m21) / determinant;
        SeekCurve {
            track: params.seek_track,
            constant_ns: full - root_ns - line_ns,
            root_ns,
            line_ns,
            stroke,
        }
    }

    /// The time over `distance` cylinders, settled for reading.
    pub fn time(&self, distance: u32) -> Nanos {
        match distance {
            0 => Nanos::ZERO,
            // Exact: a nanosecond more than the skew would cost a stream a full turn.
            1 => self.track,
            _ => {
                let x = f64::from(distance) / self.stroke;
                let ns = self.constant_ns + self.root_ns * x.sqrt() + self.line_ns * x;
                Nanos(ns.round() as u64)
            }
        }
    }
}

/// The arm: on which track it stands, and how the platter turns under it.
#[derive(Debug, Clone)]
pub struct Arm {
    curve: SeekCurve,
    cylinder: u32,
    head: u32,
    turn: u64,
    phase: u64,
    write_settle: Nanos,
    head_switch: Nanos,
}

impl Arm {
    /// An arm on the outermost track; `phase` is where the spindle stands at time zero.
    pub fn new(params: &DiskParams, cylinders: u32, phase: Nanos) -> Arm {
        Arm {
            curve: SeekCurve::new(params, cylinders),
            cylinder: 0,
            head: 0,
            turn: params.revolution().0,
            phase: phase.0 % params.revolution().0,
            write_settle: params.write_settle,
            head_switch: params.head_switch,
        }
    }

    /// The time from `now` until the sector at `place` begins to pass the head, ready to be read or,
    /// with `write`, written: seek, settle and rotation.
    pub fn positioning(&self, now: SimTime, place: Place, write: bool) -> Nanos {
        let moving = self.moving(place, write);
        let angle = (now.0 + moving.0 + self.phase) % self.turn;
        let behind = if place.angle.0 < angle { self.turn } else { 0 };
        moving + Nanos(place.angle.0 + behind - angle)
    }

    /// The part of it that is seek and settle.
    pub fn moving(&self, place: Place, write: bool) -> Nanos {
        let distance = self.cylinder.abs_diff(place.cylinder);
        if distance > 0 {
            let settle = if write {
                self.write_settle
            } else {
                Nanos::ZERO
            };
            self.curve.time(distance) + settle
        } else if self.head != place.head {
            self.head_switch
        } else {
            Nanos::ZERO
        }
    }

    /// Leaves the arm on the track of `place`.
    pub fn stand_at(&mut self, place: Place) {
        (self.cylinder, self.head) = (place.cylinder, place.head);
    }
}
