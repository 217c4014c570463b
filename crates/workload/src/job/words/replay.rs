//! Words of jobs that replay a recorded trace.

use super::{Word, flag, set, text, value};
use crate::job::spec::JobSpec;
use crate::units::{Allowed, Value};
use ftlab_base::CommandKind;

pub static WORDS: &[Word] = &[
    value(
        &["read_iolog"],
        set!(replay.file, |v: Value<'_>| text(v).map(Some)),
        "the trace of that file is replayed, an iolog or any other that `ftlab run` takes, in an open loop; words that make \
         requests say nothing then, those on pace, checks and data are refused, and it runs alone",
    ),
    flag(
        &["replay_no_stall"],
        set!(replay.no_stall, |v: Value<'_>| v.boolean()),
        "its requests come iodepth at a time, whatever their times",
    ),
    value(
        &["replay_time_scale"],
        set!(replay.time_scale_percent, |v: Value<'_>| v
            .number(1, PERCENT_MAX)),
        "they come at N percent of their rate; as in fio, the waits of an iolog of version 2 stay as they are",
    ),
    value(
        &["replay_scale"],
        set!(replay.scale, |v: Value<'_>| v.number(1, u64::MAX)),
        "addresses are divided by N",
    ),
    value(
        &["replay_align"],
        set!(replay.align_bytes, align),
        "addresses are cut down to multiples of N bytes, after replay_scale",
    ),
    value(
        &["replay_skip"],
        skip,
        "requests of these kinds are left out: read, write, trim, sync; fio 3.33 does so with traces of blktrace alone",
    ),
];

/// As much as anybody asks for: requests come ten million times as fast.
const PERCENT_MAX: u64 = 1_000_000_000;

fn align(value: Value<'_>) -> Result<u64, Allowed> {
    match value.bytes() {
        Ok(bytes) if bytes.is_power_of_two() => Ok(bytes),
        _ => Err("bytes that are a power of two, as 4k".into()),
    }
}

fn skip(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    for kind in value.text.split(',').map(str::trim) {
        job.replay.skips.push(match kind {
            "read" => CommandKind::Read,
            "write" => CommandKind::Write,
            "trim" => CommandKind::Trim,
            "sync" => CommandKind::Flush,
            _ => return Err("read, write, trim or sync, with commas between them".into()),
        });
    }
    Ok(())
}
