//! Words that say what the data look like to a drive that compresses or looks for duplicates.

use super::{Word, flag, one_of, set, value};
use crate::job::spec::DedupeMode;
use crate::units::{Allowed, Value};
use ftlab_base::hash::StreamHash;

pub static WORDS: &[Word] = &[
    value(
        &["buffer_compress_percentage"],
        set!(data.compress_percent, |v: Value<'_>| v.percent().map(Some)),
        "how much of a buffer compresses away",
    ),
    value(
        &["buffer_pattern"],
        |job, v| {
            job.data.pattern = Some(pattern(v)?);
            Ok(())
        },
        "all buffers are the same pattern, which compresses away; with buffer_compress_percentage that share of \
         buffers that differ",
    ),
    value(
        &["dedupe_percentage"],
        set!(data.dedupe_percent, |v: Value<'_>| v.percent()),
        "share of writes that repeat an earlier one",
    ),
    value(
        &["dedupe_mode"],
        set!(data.dedupe_mode, |v| one_of(
            v,
            &[
                ("repeat", DedupeMode::Repeat),
                ("working_set", DedupeMode::WorkingSet),
            ]
        )),
        "which earlier one: the last new one, or any of a working set",
    ),
    value(
        &["dedupe_working_set_percentage"],
        set!(data.working_set_percent, |v: Value<'_>| v.percent()),
        "the working set's share of the job's blocks",
    ),
    flag(
        &["dedupe_global"],
        set!(data.dedupe_global, |v: Value<'_>| v.boolean()),
        "jobs share the working set",
    ),
    flag(
        &["refill_buffers"],
        set!(data.refill, |v: Value<'_>| v.boolean()),
        "each write has new data",
    ),
    flag(
        &["zero_buffers"],
        set!(data.zero, |v: Value<'_>| v.boolean()),
        "all buffers are zero",
    ),
    value(
        &["scramble_buffers"],
        set!(data.scramble, |v: Value<'_>| v.boolean()),
        "each write differs a little from the last; fio's default",
    ),
];

/// A hash of what buffers are filled with. A file in quotes ('name') is not read; its name is hashed instead.
fn pattern(value: Value<'_>) -> Result<u64, Allowed> {
    const ALLOWED: &str =
        "bytes as a number (0xdeadbeef), as \"text\" or from a 'file', one after the other";
    let mut rest = value.text;
    while !rest.is_empty() {
        // The value is checked as fio would read it, and its text alone is hashed.
        let quote = rest.chars().next().filter(|c| "\"'".contains(*c));
        rest = match quote {
            Some(quote) => {
                let end = rest[1..].find(quote).ok_or(ALLOWED)?;
                &rest[end + 2..]
            }
            None => {
                let digits = rest.trim_start_matches(['-', '+']);
                let hex = digits
                    .strip_prefix("0x")
                    .or_else(|| digits.strip_prefix("0X"));
                let (digits, radix) = hex.map_or((digits, 10), |hex| (hex, 16));
                let after = digits.trim_start_matches(|c: char| c.is_digit(radix));
                if after.len() == digits.len() {
                    return Err(ALLOWED.into());
                }
                after
            }
        };
    }
    if value.text.is_empty() {
        return Err(ALLOWED.into());
    }
    let mut hash = StreamHash::default();
    hash.bytes(value.text.as_bytes());
    Ok(hash.value())
}
