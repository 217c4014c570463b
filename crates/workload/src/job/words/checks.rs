//! Words that say how data are checked, and what happens where the drive fails.

use super::{Word, flag, one_of, set, value};
use crate::job::goals::Continue;
use crate::job::spec::JobSpec;
use crate::units::{Allowed, Value};

/// The names of fio's ways to check. A modelled drive checks every slot by its stamp, whichever it is.
const METHODS: &[&str] = &[
    "md5",
    "crc64",
    "crc32c",
    "crc32c-intel",
    "crc32",
    "crc16",
    "crc7",
    "xxhash",
    "sha512",
    "sha256",
    "sha1",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "pattern",
    "meta",
];

pub static WORDS: &[Word] = &[
    value(
        &["verify"],
        method,
        "what was written is read back and checked; whichever way of fio's it names, the drive's stamps are what is \
         compared",
    ),
    value(
        &["do_verify"],
        set!(checks.at_end, |v: Value<'_>| v.boolean()),
        "whether it is read back at the end",
    ),
    flag(
        &["verify_only"],
        set!(checks.only, |v: Value<'_>| v.boolean()),
        "nothing is written: what an earlier run wrote is read",
    ),
    value(
        &["verify_backlog"],
        set!(checks.backlog, |v: Value<'_>| v.number(0, u64::MAX)),
        "it is read back after N writes",
    ),
    value(
        &["verify_backlog_batch"],
        set!(checks.batch, |v: Value<'_>| v.number(0, u64::MAX)),
        "how many are read back then",
    ),
    value(
        &["verify_pattern"],
        |job, v| {
            job.data.compress_percent.get_or_insert(PATTERN_PERCENT);
            if v.text.is_empty() {
                return Err("a pattern".into());
            }
            Ok(())
        },
        "written data are that pattern with a header of its own in each block: they compress, and no two are alike",
    ),
    value(
        &["trim_percentage"],
        set!(checks.trim_percent, |v: Value<'_>| v.percent()),
        "percent of the checked writes that are trimmed later",
    ),
    value(
        &["trim_backlog"],
        set!(checks.trim_backlog, |v: Value<'_>| v.number(0, u64::MAX)),
        "after how many writes those are trimmed",
    ),
    value(
        &["trim_backlog_batch"],
        set!(checks.trim_batch, |v: Value<'_>| v.number(0, u64::MAX)),
        "how many are trimmed then",
    ),
    flag(
        &["trim_verify_zero"],
        set!(checks.reads_trimmed, |v: Value<'_>| v.boolean()),
        "what was trimmed is read back too",
    ),
    value(
        &["continue_on_error"],
        set!(ends.continue_on_error, |v| one_of(v, CONTINUE)),
        "which failures do not end the job; they are counted",
    ),
    value(
        &["ignore_error"],
        ignore_error,
        "the same, by lists for reads, writes and checks",
    ),
];

/// A pattern leaves a header of each block.
const PATTERN_PERCENT: u8 = 98;

const fn both(read: bool, write: bool) -> Continue {
    Continue { read, write }
}

const CONTINUE: &[(&str, Continue)] = &[
    ("none", both(false, false)),
    ("0", both(false, false)),
    ("read", both(true, false)),
    ("write", both(false, true)),
    ("io", both(true, true)),
    ("verify", both(false, false)),
    ("all", both(true, true)),
    ("1", both(true, true)),
];

fn method(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    // A colon and a number used to say where in a block the sum lies.
    let name = value.text.split(':').next().unwrap_or_default();
    job.checks.is_on = match name {
        "0" | "none" | "null" => false,
        name if METHODS.contains(&name) => true,
        _ => return Err(format!("none, or one of {}", METHODS.join(", "))),
    };
    Ok(())
}

/// A drive here fails with an error of input and output.
fn ignore_error(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    let mut kinds = value.text.split(',').map(|list| {
        let errors = list.split(':').map(str::trim);
        let mut known = errors.filter(|error| !error.is_empty());
        known.any(|error| error == "EIO" || error == "5")
    });
    job.ends.continue_on_error.read |= kinds.next().unwrap_or(false);
    job.ends.continue_on_error.write |= kinds.next().unwrap_or(false);
    Ok(())
}
