//! Place of a sector: cylinder, head and angle.
//!
//! Addresses run along a track, then over the heads of a cylinder, then inwards. Each track starts
//! later in the turn than the one before it by the time of switching to it (skew), so that a stream
//! loses that time and no more. Angles are nanoseconds of the turn: everything is whole numbers, and
//! a stream never misses its next sector by a rounding error, which would cost a full turn.

use super::params::DiskParams;
use ftlab_base::{Nanos, SECTOR_BYTES};

/// The position of a sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the cylinder; 0 is outermost.
    pub cylinder: u32,
    /// Number of the head, from 0.
    pub head: u32,
    /// Time of a turn at which the sector begins to pass the head, from 0 to below one turn.
    pub angle: Nanos,
    /// Sectors from this one to the end of the track, at least 1.
    pub left: u32,
    /// Sectors of the track.
    pub track: u32,
}

#[derive(Debug, Clone, Copy)]
struct Zone {
    first_lba: u64,
    first_cylinder: u32,
    first_angle: u64,
    track: u32,
}

/// The layout of the whole disk.
#[derive(Debug, Clone)]
pub struct Platter {
    zones: Vec<Zone>,
    cylinders: u32,
    heads: u32,
    turn: u64,
    head_skew: u64,
    cylinder_skew: u64,
}

impl Platter {
    /// Lays out a disk that has passed [`DiskParams::check`].
    pub fn new(params: &DiskParams) -> Platter {
        let tracks: Vec<u32> = tracks(params).collect();
        let zone_cylinders = zone_cylinders(params);
        let mut platter = Platter {
            zones: Vec::with_capacity(tracks.len()),
            cylinders: Platter::cylinders_of(params).expect("checked"),
            heads: params.heads,
            turn: params.revolution().0,
            head_skew: params.head_switch.0,
            cylinder_skew: cylinder_skew(params).0,
        };
        let mut first_lba = 0;
        for (number, &track) in (0..).zip(&tracks) {
            platter.zones.push(Zone {
                first_lba,
                first_cylinder: number * zone_cylinders as u32,
                first_angle: skew_over(&platter, u64::from(number) * zone_cylinders),
                track,
            });
            first_lba += zone_cylinders * u64::from(params.heads) * u64::from(track);
        }
        platter
    }

    /// Cylinders that a disk would have; `None` when they have no number of 32 bits. Counts and
    /// rates have been checked.
    pub fn cylinders_of(params: &DiskParams) -> Option<u32> {
        u32::try_from(zone_cylinders(params).checked_mul(u64::from(params.zones))?).ok()
    }

    /// Cylinders of the disk.
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// One turn of the spindle.
    pub fn turn(&self) -> Nanos {
        Nanos(self.turn)
    }

    /// Finds the place of sector `lba`.
    pub fn locate(&self, lba: u64) -> Place {
        let zone = self.zones[self.zones.partition_point(|z| z.first_lba <= lba) - 1];
        let offset = lba - zone.first_lba;
        let (track, sector) = (
            offset / u64::from(zone.track),
            (offset % u64::from(zone.track)) as u32,
        );
        let (cylinder, head) = (
            (track / u64::from(self.heads)) as u32,
            (track % u64::from(self.heads)) as u32,
        );
        let start = zone.first_angle
            + skew_over(self, u64::from(cylinder))
            + u64::from(head) * self.head_skew;
        Place {
            cylinder: zone.first_cylinder + cylinder,
            head,
            angle: Nanos((start + self.passing(sector, zone.track)) % self.turn),
            left: zone.track - sector,
            track: zone.track,
        }
    }

    /// Time from the start of a track until its sector `n` begins, in nanoseconds.
    fn passing(&self, n: u32, track: u32) -> u64 {
        u64::from(n) * self.turn / u64::from(track)
    }

    /// From the first sector's beginning to the last one's end, for `sectors` ≥ 1 from `lba` on.
    pub fn transit(&self, mut lba: u64, mut sectors: u64) -> Nanos {
        let mut span = 0;
        loop {
            let place = self.locate(lba);
            if sectors <= u64::from(place.left) {
                return Nanos(span + self.along(place, sectors as u32));
            }
            span += self.along(place, place.left) + self.switch_after(place);
            lba += u64::from(place.left);
            sectors -= u64::from(place.left);
        }
    }

    /// Sectors wholly passed in `span` when the head is at the beginning of `lba`, at most `limit`.
    pub fn passed_in(&self, mut lba: u64, span: Nanos, limit: u64) -> u64 {
        let (mut left, mut passed) = (span.0, 0);
        while passed < limit {
            let place = self.locate(lba);
            let rest = self.along(place, place.left);
            if left < rest {
                passed += self.within(place, left);
                break;
            }
            left = left.saturating_sub(rest + self.switch_after(place));
            lba += u64::from(place.left);
            passed += u64::from(place.left);
        }
        passed.min(limit)
    }

    /// The time over `sectors` of one track, exact to the nanosecond for the angles of `locate`.
    fn along(&self, place: Place, sectors: u32) -> u64 {
        let first = place.track - place.left;
        self.passing(first + sectors, place.track) - self.passing(first, place.track)
    }

    /// The sectors of one track that `along` passes in `span`.
    fn within(&self, place: Place, span: u64) -> u64 {
        let first = place.track - place.left;
        let until = self.passing(first, place.track) + span;
        // The most n whose floor(n × turn / track) is no more than `until`.
        ((until + 1) * u64::from(place.track) - 1) / self.turn - u64::from(first)
    }

    /// The skew from this track to the next.
    fn switch_after(&self, place: Place) -> u64 {
        if place.head + 1 < self.heads {
            self.head_skew
        } else {
            self.cylinder_skew
        }
    }
}

/// The skew that `cylinders` cylinders add up to, in one turn.
fn skew_over(platter: &Platter, cylinders: u64) -> u64 {
    let one = u64::from(platter.heads - 1) * platter.head_skew + platter.cylinder_skew;
    cylinders * (one % platter.turn) % platter.turn
}

/// The skew from cylinder to cylinder: enough to write without a lost turn.
fn cylinder_skew(params: &DiskParams) -> Nanos {
    params.seek_track + params.write_settle
}

/// Cylinders of a zone.
fn zone_cylinders(params: &DiskParams) -> u64 {
    let per_turn: u64 = tracks(params).map(u64::from).sum();
    params
        .capacity_sectors
        .div_ceil(per_turn * u64::from(params.heads))
}

/// Sectors of a track, by zone.
fn tracks(params: &DiskParams) -> impl Iterator<Item = u32> {
    (0..params.zones).map(|zone| track_sectors(params, zone))
}

/// Sectors of a track in zone `zone`: what passes in a turn and a mean track switch at the sustained
/// rate, since the switch is part of that rate.
fn track_sectors(params: &DiskParams, zone: u32) -> u32 {
    let inward = f64::from(zone) / f64::from((params.zones - 1).max(1));
    let mb_s = params.outer_mb_s + (params.inner_mb_s - params.outer_mb_s) * inward;
    let switches = params.head_switch.as_secs() * f64::from(params.heads - 1)
        + cylinder_skew(params).as_secs();
    let seconds = params.revolution().as_secs() + switches / f64::from(params.heads);
    ((mb_s * 1e6 * seconds / SECTOR_BYTES as f64) as u32).max(1)
}
