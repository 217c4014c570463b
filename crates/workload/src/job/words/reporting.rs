//! Words that say how jobs are reported.

use super::{Word, flag, one_of, set, value};
use crate::job::reporting::{LeftOut, Unified};
use crate::job::spec::JobSpec;
use crate::units::{Allowed, Value};

pub static WORDS: &[Word] = &[
    flag(
        &["group_reporting"],
        set!(clones.group_reporting, |v: Value<'_>| v.boolean()),
        "the jobs of a group are reported as one, under the name of the first",
    ),
    flag(
        &["new_group"],
        set!(reporting.new_group, |v: Value<'_>| v.boolean()),
        "begins another group, as stonewall does too",
    ),
    value(
        &["stats"],
        set!(reporting.is_shown, |v: Value<'_>| v.boolean()),
        "with 0 the job is left out where jobs are reported one by one",
    ),
    value(
        &["disk_util"],
        set!(reporting.of_disk, |v: Value<'_>| v.boolean()),
        "with 0 JSON and terse lines leave out what fio says of a disk, if all jobs have it",
    ),
    value(
        &["unified_rw_reporting"],
        set!(reporting.unified, |v| one_of(
            v,
            &[
                ("none", Unified::Apart),
                ("0", Unified::Apart),
                ("mixed", Unified::Mixed),
                ("1", Unified::Mixed),
                ("both", Unified::Both),
                ("2", Unified::Both),
            ]
        )),
        "reads, writes and trims are reported as one: instead of each (mixed, 1), or beside each (both, 2)",
    ),
    value(
        &["percentile_list"],
        set!(reporting.percentiles, percentiles),
        "which percentiles of latencies are reported, as 50:99:99.9",
    ),
    value(
        &["clat_percentiles"],
        set!(reporting.of_clat, |v: Value<'_>| v.boolean()),
        "whether clat has percentiles; by default it has",
    ),
    value(
        &["lat_percentiles"],
        set!(reporting.of_lat, |v: Value<'_>| v.boolean()),
        "whether lat has percentiles",
    ),
    value(
        &["slat_percentiles"],
        set!(reporting.of_slat, |v: Value<'_>| v.boolean()),
        "whether slat has percentiles; a request is with the drive when it is made, so they are zero",
    ),
    flag(
        &["disable_lat"],
        set!(reporting.left_out.lat, |v: Value<'_>| v.boolean()),
        "lat is zero in JSON and terse lines, and so is its N",
    ),
    flag(
        &["disable_clat"],
        set!(reporting.left_out.clat, |v: Value<'_>| v.boolean()),
        "the same of clat, of flushes and of the shares of latencies",
    ),
    flag(
        &["disable_slat"],
        set!(reporting.left_out.slat, |v: Value<'_>| v.boolean()),
        "the same of slat",
    ),
    flag(
        &["disable_bw_measurement", "disable_bw"],
        set!(reporting.left_out.bw, |v: Value<'_>| v.boolean()),
        "nothing to JSON, which has rates with it as without; a job that writes logs is refused with it",
    ),
    flag(
        &["gtod_reduce"],
        gtod_reduce,
        "the four of these; with 0 none that is not named",
    ),
];

/// As in fio, 0 leaves alone what other words say.
fn gtod_reduce(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    if value.boolean()? {
        job.reporting.left_out = LeftOut {
            lat: true,
            clat: true,
            slat: true,
            bw: true,
        };
    }
    Ok(())
}

/// As many as fio takes.
const PERCENTILES_MAX: usize = 20;

fn percentiles(value: Value<'_>) -> Result<Vec<f64>, Allowed> {
    let allowed = || {
        format!(
            "at most {PERCENTILES_MAX} numbers from 0 to 100 with colons between, as 50:99:99.9"
        )
    };
    let number = |text: &str| {
        let percent = text.trim().parse::<f64>().ok();
        percent.filter(|percent| (0.0..=100.0).contains(percent))
    };
    let percents: Option<Vec<f64>> = value.text.split(':').map(number).collect();
    let mut percents = percents.ok_or_else(allowed)?;
    if percents.len() > PERCENTILES_MAX {
        return Err(allowed());
    }
    percents.sort_by(f64::total_cmp);
    Ok(percents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_numbers_with_colons_between_in_any_order() {
        let of = |text| {
            let value = Value {
                text,
                kb_base: 1024,
            };
            percentiles(value)
        };
        assert_eq!(of("99.9:50:99").unwrap(), [50.0, 99.0, 99.9]);
        for wrong in [
            "99.9:foo",
            "50,99",
            "101",
            "-1",
            "nan",
            "50:",
            &"1:".repeat(21),
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
