//! Words that ask for logs of a job's requests.

use super::{Word, flag, set, value};
use crate::job::logs::Log;
use crate::job::spec::JobSpec;
use crate::units::{Allowed, Value};
use ftlab_base::Nanos;

/// A word that asks for what logs here do not have: with 0 it asks for nothing, and without logs it says nothing.
macro_rules! unlike {
    ($name:literal, $what:literal) => {
        value(
            &[$name],
            |job, v| {
                job.logs.unlike = match v.number(0, u64::MAX)? {
                    0 => job.logs.unlike.filter(|other| *other != $name),
                    _ => Some($name),
                };
                Ok(())
            },
            concat!(
                "nothing with 0; else logs would have ",
                $what,
                ", and a job that writes some is refused"
            ),
        )
    };
}

pub static WORDS: &[Word] = &[
    log(
        &["write_bw_log"],
        |job, v| named(job, Log::Bandwidth, v),
        "the rate in bytes of each request or span goes to NAME_bw.JOB.log, in the folder of --logs",
    ),
    log(
        &["write_iops_log"],
        |job, v| named(job, Log::Iops, v),
        "the same of requests, to NAME_iops.JOB.log",
    ),
    log(
        &["write_lat_log"],
        |job, v| named(job, Log::Latency, v),
        "latencies, to NAME_lat.JOB.log and NAME_clat.JOB.log; NAME_slat.JOB.log is empty, as a request is with the \
         drive when it is made",
    ),
    log(
        &["write_hist_log"],
        |job, v| named(job, Log::Histogram, v),
        "histograms of latencies over spans of log_hist_msec, to NAME_clat_hist.JOB.log; without such a span it is empty, as \
         fio's is",
    ),
    value(
        &["log_hist_msec"],
        set!(logs.histogram_every, |v: Value<'_>| {
            v.number(0, u64::MAX / MILLISECOND_NS)
                .map(Nanos::from_millis)
        }),
        "a histogram for N milliseconds, written at the first answer after them; a last span that is not full has none",
    ),
    value(
        &["log_hist_coarseness"],
        set!(logs.histogram_coarseness, |v: Value<'_>| {
            v.number(0, 6).map(|times| times as u32)
        }),
        "bins of histograms are put together in twos, N times, from 1856",
    ),
    value(
        &["write_iolog"],
        |job, v| {
            job.logs.iolog = Some(name(v).to_owned());
            Ok(())
        },
        "the requests themselves, as an iolog that `ftlab run` and fio replay, to NAME.JOB in the folder of --logs, or to NAME \
         where there is one job",
    ),
    value(
        &["log_avg_msec"],
        set!(logs.average, |v: Value<'_>| {
            v.number(0, u64::MAX / MILLISECOND_NS)
                .map(Nanos::from_millis)
        }),
        "logs have a line for N milliseconds instead of one for each request",
    ),
    flag(
        &["log_max_value"],
        set!(logs.of_longest, |v: Value<'_>| v.boolean()),
        "the longest latency of such a span instead of the mean",
    ),
    flag(
        &["per_job_logs"],
        set!(logs.of_each_job, |v: Value<'_>| v.boolean()),
        "whether each job has logs of its own, with its number in their names",
    ),
    unlike!("log_offset", "a column of offsets"),
    unlike!("log_prio", "a column of priorities that is fio's"),
    unlike!("log_issue_time", "a column of times of issue"),
    unlike!("log_unix_epoch", "times since 1970"),
    unlike!("log_alternate_epoch", "times of another clock"),
    unlike!("log_alternate_epoch_clock_id", "times of another clock"),
    unlike!("log_store_compressed", "a packed form"),
];

const MILLISECOND_NS: u64 = 1_000_000;

/// A log without a name has that of its job.
const fn log(names: &'static [&'static str], set: super::Set, does: &'static str) -> Word {
    Word {
        names,
        bare: Some(""),
        set,
        does,
    }
}

fn named(job: &mut JobSpec, log: Log, value: Value<'_>) -> Result<(), Allowed> {
    job.logs.names.insert(log, name(value).to_owned());
    Ok(())
}

/// The name of a log: a folder before it is one of the machine that the job was written for.
fn name<'a>(value: Value<'a>) -> &'a str {
    value.text.rsplit('/').next().unwrap_or_default()
}
