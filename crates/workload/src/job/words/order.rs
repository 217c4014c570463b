//! Words that say which jobs run beside, after and because of which.

use super::{JOBS_MAX, MICROSECOND, Word, flag, one_of, set, text, value};
use crate::job::goals::ExitWhat;
use crate::units::Value;

pub static WORDS: &[Word] = &[
    flag(
        &["stonewall", "wait_for_previous"],
        set!(order.stonewall, |v: Value<'_>| v.boolean()),
        "starts only when every job before it has ended",
    ),
    value(
        &["wait_for"],
        set!(order.wait_for, |v| text(v).map(Some)),
        "starts only when all clones of that job have ended",
    ),
    value(
        &["numjobs"],
        set!(clones.numjobs, |v: Value<'_>| v
            .number(1, JOBS_MAX as u64)
            .map(|n| n as u32)),
        "how many clones of the job run",
    ),
    flag(
        &["exitall"],
        set!(order.exitall, |v: Value<'_>| v.boolean()),
        "its end ends the other jobs",
    ),
    flag(
        &["exitall_on_error"],
        set!(order.exitall_on_error, |v: Value<'_>| v.boolean()),
        "its end ends the other jobs if it failed",
    ),
    value(
        &["exit_what"],
        set!(order.exit_what, |v| one_of(
            v,
            &[
                ("group", ExitWhat::Group),
                ("stonewall", ExitWhat::Stonewall),
                ("all", ExitWhat::All),
            ]
        )),
        "which: those that run beside it, or all to come as well",
    ),
    value(
        &["flow"],
        set!(order.flow, |v: Value<'_>| v
            .number(0, u64::from(u32::MAX))
            .map(|n| n as u32)),
        "its weight among the jobs of a flow, which do requests in proportion",
    ),
    value(
        &["flow_id"],
        set!(order.flow_id, |v: Value<'_>| v
            .number(0, u64::from(u32::MAX))
            .map(|n| n as u32)),
        "which flow",
    ),
    value(
        &["flow_sleep"],
        set!(order.flow_sleep, |v: Value<'_>| v.time(MICROSECOND)),
        "how long it waits when it is ahead of the others",
    ),
];
