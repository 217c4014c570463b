//! Behaviour of the disk's parts: curve, platter, arm, caches.

use super::super::arm::SeekCurve;
use super::*;
use std::collections::BTreeSet;

#[test]
fn the_seek_curve_passes_its_three_points() {
    let params = momentus();
    let cylinders = 10_000;
    let curve = SeekCurve::new(&params, cylinders);
    assert_eq!(curve.time(0), Nanos::ZERO);
    assert_eq!(curve.time(1), params.seek_track);
    assert_eq!(curve.time(cylinders - 1), params.seek_full);
    // Over all ordered pairs of different cylinders, distance d comes up 2(C − d) times.
    let (mut sum, mut pairs) = (0.0, 0.0);
    for distance in 1..cylinders {
        let weight = f64::from(cylinders - distance);
        sum += weight * curve.time(distance).as_millis();
        pairs += weight;
    }
    assert!((sum / pairs - 11.0).abs() < 0.01, "{}", sum / pairs);
    assert!((1..cylinders).all(|d| curve.time(d) <= curve.time(d + 1)));
}

#[test]
fn rotation_wraps() {
    let params = momentus();
    let platter = Platter::new(&params);
    let arm = Arm::new(&params, platter.cylinders(), Nanos(5_000_000));
    let turn = platter.turn();
    let place = platter.locate(1);
    let waits = (0..40).map(|n| {
        let now = SimTime(n * turn.0 / 10);
        let wait = arm.positioning(now, place, true);
        assert!(wait < turn);
        assert_eq!(wait, arm.positioning(now + turn * 3, place, true));
        wait
    });
    let (least, most) = (waits.clone().min(), waits.max());
    assert!(most.unwrap() - least.unwrap() > Nanos(turn.0 * 8 / 10));
}

#[test]
fn a_stream_meets_every_sector_as_it_passes() {
    let params = momentus();
    let platter = Platter::new(&params);
    for start in (0..params.capacity_sectors - 20_000).step_by(3_000_017) {
        for sectors in [1, 300, 701, 5_000, 20_000] {
            let (from, to) = (platter.locate(start), platter.locate(start + sectors));
            let transit = platter.transit(start, sectors);
            let mut arm = Arm::new(&params, platter.cylinders(), Nanos::ZERO);
            arm.stand_at(platter.locate(start + sectors - 1));
            let wait = arm.positioning(SimTime(from.angle.0) + transit, to, true);
            let on_track = transit + wait;
            assert!(wait < Nanos::from_millis(3), "{start} + {sectors}: {wait}");
            assert!(platter.passed_in(start, on_track, u64::MAX >> 30) >= sectors);
        }
    }
}

#[test]
fn the_outer_zone_holds_more_than_the_inner() {
    let params = momentus();
    let platter = Platter::new(&params);
    let last = platter.locate(params.capacity_sectors - 1);
    assert!(platter.locate(0).track > last.track);
    assert!(last.cylinder < platter.cylinders());
    assert!(platter.transit(0, 4_096) < platter.transit(params.capacity_sectors - 4_096, 4_096));
}

#[test]
fn the_write_cache_brings_every_dirty_sector_to_the_platter() {
    let params = momentus();
    let platter = Platter::new(&params);
    let mut cache = WriteCache::new(&params);
    let mut dirty = BTreeSet::new();
    for number in 0..20_000_u64 {
        let draw = mix64(number);
        let (lba, sectors) = (draw % 4_000, 1 + (draw >> 32) % 100);
        if !cache.sweeping() && cache.admit(lba, sectors) {
            cache.insert(lba, sectors, &platter);
            dirty.extend(lba..lba + sectors);
        } else {
            let (index, _) = cache.nearest(|place| place.angle).expect("it is full");
            let extent = cache.take(index, &platter);
            assert!(cache.holds(extent.lba, extent.sectors));
            for sector in extent.lba..extent.lba + extent.sectors {
                assert!(dirty.remove(&sector));
            }
            cache.written();
        }
        let probe = (draw >> 16) % 4_000;
        assert_eq!(cache.holds(probe, 1), dirty.contains(&probe));
        assert_eq!(cache.has_waiting(), !dirty.is_empty());
    }
}

#[test]
fn reading_ahead_keeps_to_the_stream_of_the_latest_read() {
    let params = momentus();
    let platter = Platter::new(&params);
    let mut reads = ReadCache::new(&params);
    reads.host_reads(200_000_000, SimTime::ZERO, &platter);
    reads.keep(1_000, 1_100);
    assert_eq!(reads.next_ahead(SimTime::ZERO), None);
    reads.host_reads(1_100, SimTime::ZERO, &platter);
    assert_eq!(reads.next_ahead(SimTime::ZERO), Some(1_100));
    reads.read_ahead(1_100, SimTime::ZERO, &platter);
    let full = reads.full_at().expect("it reads ahead");
    let half = SimTime(full.0 / 2);
    assert!((400..700).contains(&reads.held(1_000, 2_000, half, &platter)));
    assert_eq!(reads.held(1_100, 2_000, full, &platter), 1_024);
    let to_come = reads.comes_by(2_000, 100, half, &platter);
    assert!(to_come.is_some_and(|at| half < at && at < full));
    let late = SimTime(full.0 - 1);
    let dropped = reads.comes_by(1_000, 200, late, &platter);
    assert_eq!(dropped, None, "its beginning is no longer held");
    assert_eq!(reads.stop(full, &platter), Some(1_100 + 1_024 - 1));
    let beginning = reads.held(1_000, 2_000, full, &platter);
    assert_eq!(beginning, 0, "one segment is kept, not more");
}

#[test]
fn impossible_disks_are_named() {
    let why = |change: fn(&mut DiskParams)| {
        let mut params = momentus();
        change(&mut params);
        params.check().unwrap_err().0
    };
    assert_eq!(momentus().check(), Ok(()));
    assert!(why(|p| p.heads = 0).contains("heads is 0"));
    assert!(why(|p| p.inner_mb_s = f64::NAN).contains("inner_mb_s"));
    assert!(why(|p| p.seek_average = p.seek_full).contains("seek_average"));
    assert!(why(|p| p.rpm = u32::MAX).contains("rpm is 4294967295; it must lie in"));
    assert!(why(|p| p.zones = u32::MAX).contains("zones is 4294967295; it must lie in 1 to"));
    assert!(why(|p| p.head_switch = Nanos::from_secs(3_600)).contains("head_switch is 3600 s"));
    let huge = why(|p| (p.capacity_sectors, p.rpm) = (u64::MAX >> 8, 1_000_000));
    assert!(huge.contains("more than 2^32 cylinders"), "{huge}");
    assert!(why(|p| p.destage_sweep = 17).contains("write_segments (16)"));
    assert!(why(|p| p.destage_wait = Nanos::from_secs(11)).contains("destage_wait is 11"));
    let far = why(|p| p.read_ahead_least_bytes = p.read_segment_bytes + 1);
    assert!(far.contains("at most read_segment_bytes (524288)"), "{far}");
}
