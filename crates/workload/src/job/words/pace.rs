//! Words that say how long a job runs, and when its requests are issued.

use super::{MICROSECOND, SECOND, Word, flag, one_of, set, set_kinds, unless_zero, value};
use crate::job::goals::Measure;
use crate::job::spec::JobSpec;
use crate::units::{Allowed, Value};
use ftlab_base::Nanos;

const MILLISECOND: Nanos = Nanos::from_millis(1);

pub static WORDS: &[Word] = &[
    value(
        &["loops"],
        // As in fio, none is one.
        set!(length.loops, |v: Value<'_>| v
            .number(0, u64::from(u32::MAX))
            .map(|n| n.max(1))),
        "how often the amount is done",
    ),
    value(
        &["runtime", "timeout"],
        set!(length.runtime, |v: Value<'_>| v
            .time(SECOND)
            .map(some_unless_zero)),
        "ends the job, counted from the end of the ramp",
    ),
    flag(
        &["time_based"],
        set!(length.time_based, |v: Value<'_>| v.boolean()),
        "repeats until the runtime is over",
    ),
    value(
        &["ramp_time"],
        set!(length.ramp_time, |v: Value<'_>| v.time(SECOND)),
        "runs so long before anything is counted",
    ),
    value(
        &["startdelay", "start_delay"],
        start_delay,
        "issues nothing before this time, counted from the beginning of all jobs as in fio, or a time within a range; to the drive it is idle time",
    ),
    value(
        &[PRERUN],
        |job, v| {
            let rest = slept(v).ok_or("sleep and a time, such as sleep 30")?;
            job.order.rest = rest;
            Ok(())
        },
        "`sleep N`: rests so long when the job's turn has come, before its first request; other commands have no effect",
    ),
    value(
        &["thinktime"],
        set!(pace.thinktime, |v: Value<'_>| v.time(MICROSECOND)),
        "a pause after N requests",
    ),
    value(
        &["thinktime_spin"],
        set!(pace.thinktime_spin, |v: Value<'_>| v.time(MICROSECOND)),
        "the part of a pause that would burn processor time",
    ),
    value(
        &["thinktime_blocks"],
        |job, v| {
            job.pace.thinktime_blocks = v.number(1, u64::MAX)?;
            job.pace.thinktime_by_blocks = true;
            Ok(())
        },
        "requests between pauses",
    ),
    value(
        &["thinktime_blocks_type"],
        |_, v| one_of(v, &[("complete", ()), ("issue", ())]),
        "whether requests count that have ended or that were made: in the long run as many lie between two pauses",
    ),
    value(
        &["thinktime_iotime"],
        set!(pace.thinktime_iotime, |v: Value<'_>| v.time(SECOND)),
        "a pause after so long at work",
    ),
    value(
        &["rate"],
        set_kinds!(pace.rate, unless_zero),
        "at most N bytes a second; each direction has its own, and in a mix one that is ahead of its cap lets the other go first",
    ),
    value(
        &["rate_iops"],
        set_kinds!(pace.rate_iops, unless_zero),
        "at most N requests a second, of the smallest size; each direction has its own",
    ),
    value(
        &["rate_process"],
        set!(pace.rate_poisson, |v| one_of(
            v,
            &[("linear", false), ("poisson", true)]
        )),
        "poisson: requests come at random at their rate",
    ),
    flag(
        &["rate_ignore_thinktime"],
        set!(pace.rate_ignore_thinktime, |v: Value<'_>| v.boolean()),
        "pauses are no arrears that a rate has to catch up with",
    ),
    value(
        &["rate_min", "ratemin"],
        set_kinds!(ends.rate_min, unless_zero),
        "the job fails where it moves fewer bytes a second",
    ),
    value(
        &["rate_iops_min"],
        set_kinds!(ends.rate_iops_min, unless_zero),
        "the job fails where it makes fewer requests a second",
    ),
    value(
        &["rate_cycle", "ratecycle"],
        set!(ends.rate_cycle, |v: Value<'_>| v.time(MILLISECOND)),
        "over how long rate_min and rate_iops_min look",
    ),
    value(
        &["latency_target"],
        set!(ends.latency.target, |v: Value<'_>| v
            .time(MICROSECOND)
            .map(some_unless_zero)),
        "seeks the depth, up to iodepth, at which requests take at most so long",
    ),
    value(
        &["latency_window"],
        set!(ends.latency.window, |v: Value<'_>| v.time(MICROSECOND)),
        "how long a depth is tried for it",
    ),
    value(
        &["latency_percentile"],
        set!(ends.latency.percentile, |v: Value<'_>| {
            let percent = v.text.trim_end_matches('%').parse().ok();
            let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
            percent.ok_or_else(|| Allowed::from("a percentage from 0 to 100"))
        }),
        "percent of the requests that have to keep within it",
    ),
    flag(
        &["latency_run"],
        set!(ends.latency.run, |v: Value<'_>| v.boolean()),
        "goes on, and on seeking, once the depth is found",
    ),
    value(
        &["max_latency"],
        set!(ends.max_latency, |v: Value<'_>| v
            .time(MICROSECOND)
            .map(some_unless_zero)),
        "the job fails at a request that takes longer",
    ),
    value(
        &["steadystate", "ss"],
        steady_state,
        "ends the job when it is steady: iops, iops_slope, bw or bw_slope and a limit",
    ),
    value(
        &["steadystate_duration", "ss_dur"],
        set!(ends.steadystate.duration, |v: Value<'_>| v.time(SECOND)),
        "over how long it has to be steady",
    ),
    value(
        &["steadystate_ramp_time", "ss_ramp"],
        set!(ends.steadystate.ramp, |v: Value<'_>| v.time(SECOND)),
        "how long nothing counts for that",
    ),
];

fn some_unless_zero(span: Nanos) -> Option<Nanos> {
    (span > Nanos::ZERO).then_some(span)
}

/// The word for a command that the host runs before a job, of which ftlab knows the one that only takes time.
pub const PRERUN: &str = "exec_prerun";

/// The time that the command `sleep` takes; none for other commands.
pub fn slept(command: Value<'_>) -> Option<Nanos> {
    let time = command.text.trim().strip_prefix("sleep ")?.trim();
    command.part(time).time(SECOND).ok()
}

fn start_delay(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    let (least, most) = match value.text.split_once('-') {
        Some((least, most)) => (least, Some(value.part(most.trim()).time(SECOND)?)),
        None => (value.text, None),
    };
    let least = value.part(least.trim()).time(SECOND)?;
    if most.is_some_and(|most| most < least) {
        return Err("a time, or two with a dash between of which the first is the shorter".into());
    }
    (job.order.startdelay, job.order.startdelay_max) = (least, most);
    Ok(())
}

fn steady_state(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    const ALLOWED: &str = "iops, iops_slope, bw or bw_slope with a limit, as iops_slope:0.3%";
    let (word, limit) = value.text.split_once(':').ok_or(ALLOWED)?;
    let words = [
        ("iops", (Measure::Iops, false)),
        ("iops_slope", (Measure::Iops, true)),
        ("bw", (Measure::Bandwidth, false)),
        ("bw_slope", (Measure::Bandwidth, true)),
    ];
    let (measure, by_slope) = one_of(value.part(word), &words).map_err(|_| ALLOWED)?;
    let percent = limit.strip_suffix('%');
    let limit = match (percent, measure) {
        (Some(percent), _) => percent.trim().parse().ok(),
        (None, Measure::Iops) => limit.parse().ok(),
        (None, Measure::Bandwidth) => value.part(limit).bytes().ok().map(|bytes| bytes as f64),
    };
    let limit = limit.filter(|limit: &f64| *limit >= 0.0 && limit.is_finite());
    job.ends.steadystate.limit = limit.ok_or(ALLOWED)?;
    job.ends.steadystate.measure = measure;
    job.ends.steadystate.by_slope = by_slope;
    job.ends.steadystate.in_percent = percent.is_some();
    Ok(())
}
