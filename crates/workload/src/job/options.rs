//! The keys that shape a job, each with how its value is read.

use super::distribution::distribution;
use super::spec::{JobSpec, PatternKind, PerKind};
use crate::units::{Allowed, Size, boolean, bytes, number, percent, size, time};
use ftlab_base::{Nanos, SECTOR_BYTES};
use std::collections::BTreeSet;

/// The largest request: a drive takes no larger one and its sectors must fit 32 bits.
const BLOCK_BYTES_MAX: u64 = 1 << 30;
/// As many clones of a job as fio allows by default.
pub const JOBS_MAX: usize = 4096;
const IODEPTH_MAX: u64 = 65_536;
/// Above half, every block would end up trimmed.
const RWMIXTRIM_MAX: u64 = 49;
const SECOND: Nanos = Nanos::from_secs(1);
const MICROSECOND: Nanos = Nanos::from_micros(1);

type Set = fn(&mut JobSpec, &str) -> Result<(), Allowed>;

/// A supported key.
pub struct Key {
    /// fio's main name, then its others.
    pub names: &'static [&'static str],
    /// May stand without a value, which then means 1.
    pub flag: bool,
    /// Reads the value into the job.
    pub set: Set,
}

const fn value(names: &'static [&'static str], set: Set) -> Key {
    Key {
        names,
        flag: false,
        set,
    }
}

const fn flag(names: &'static [&'static str], set: Set) -> Key {
    Key {
        names,
        flag: true,
        set,
    }
}

/// Writes what `$read` makes of the value into a field.
macro_rules! set {
    ($($field:ident).+, $read:expr) => {
        |job, text| {
            job.$($field).+ = ($read)(text)?;
            Ok(())
        }
    };
}

/// As `set!`, for a field with a value for each kind of request.
macro_rules! set_kinds {
    ($field:ident, $read:expr) => {
        |job, text| {
            job.$field = per_kind(text, job.$field, $read)?;
            Ok(())
        }
    };
}

/// Every supported key.
pub static KEYS: &[Key] = &[
    value(&["name"], set!(name, text)),
    value(&["description"], set!(description, |t| text(t).map(Some))),
    value(&["filename"], set!(files, file_names)),
    value(
        &["file_service_type"],
        set!(switches_file_after, round_robin),
    ),
    value(&["rw", "readwrite"], |job, text| {
        (job.kind, job.random) = pattern(text)?;
        Ok(())
    }),
    value(&["bs", "blocksize"], set_kinds!(bs, block_bytes)),
    value(
        &["ba", "blockalign"],
        set_kinds!(blockalign, |t| block_bytes(t).map(Some)),
    ),
    value(
        &["iodepth"],
        set!(iodepth, |t| number(t, 1, IODEPTH_MAX).map(|n| n as u32)),
    ),
    value(&["size"], set!(size, |t| size(t).map(all_if_zero))),
    value(&["offset"], set!(offset, size)),
    value(&["offset_increment"], set!(offset_increment, size)),
    value(
        &["io_size", "io_limit"],
        set!(io_size, |t| size(t).map(Some)),
    ),
    value(&["number_ios"], set!(number_ios, unless_zero)),
    value(
        &["loops"],
        set!(loops, |t| number(t, 1, u64::from(u32::MAX))),
    ),
    value(
        &["runtime", "timeout"],
        set!(runtime, |t| time(t, SECOND).map(some_unless_zero)),
    ),
    flag(&["time_based"], set!(time_based, boolean)),
    value(&["ramp_time"], set!(ramp_time, |t| time(t, SECOND))),
    value(
        &["startdelay", "start_delay"],
        set!(startdelay, |t| time(t, SECOND)),
    ),
    value(&["rwmixread"], set!(rwmixread, percent)),
    value(
        &["rwmixwrite"],
        set!(rwmixread, |t| percent(t).map(|p| 100 - p)),
    ),
    value(
        &["rwmixtrim"],
        set!(rwmixtrim, |t| number(t, 0, RWMIXTRIM_MAX)
            .map(|p| Some(p as u8))),
    ),
    value(
        &["percentage_random"],
        set_kinds!(percentage_random, percent),
    ),
    value(
        &["random_distribution"],
        set!(random_distribution, distribution),
    ),
    flag(&["norandommap"], set!(norandommap, boolean)),
    value(&["randseed"], set!(randseed, |t| bytes(t).map(Some))),
    value(&["randrepeat"], set!(randrepeat, boolean)),
    value(
        &["buffer_compress_percentage"],
        set!(data.compress_percent, |t| percent(t).map(Some)),
    ),
    value(&["dedupe_percentage"], set!(data.dedupe_percent, percent)),
    flag(&["refill_buffers"], set!(data.refill, boolean)),
    flag(&["zero_buffers"], set!(data.zero, boolean)),
    value(&["scramble_buffers"], set!(data.scramble, boolean)),
    value(&["thinktime"], set!(thinktime, |t| time(t, MICROSECOND))),
    value(
        &["thinktime_spin"],
        set!(thinktime_spin, |t| time(t, MICROSECOND)),
    ),
    value(
        &["thinktime_blocks"],
        set!(thinktime_blocks, |t| number(t, 1, u64::MAX)),
    ),
    value(
        &["rate"],
        set_kinds!(rate, |t| bytes(t).map(|n| (n > 0).then_some(n))),
    ),
    value(&["rate_iops"], set_kinds!(rate_iops, unless_zero)),
    flag(
        &["stonewall", "wait_for_previous"],
        set!(stonewall, boolean),
    ),
    value(
        &["numjobs"],
        set!(numjobs, |t| number(t, 1, JOBS_MAX as u64).map(|n| n as u32)),
    ),
    flag(&["group_reporting"], set!(group_reporting, boolean)),
    value(&["fsync"], set!(fsync, |t| number(t, 0, u64::MAX))),
    value(&["fdatasync"], set!(fdatasync, |t| number(t, 0, u64::MAX))),
];

/// The supported key of that name or alias.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.names.contains(&name))
}

fn text(text: &str) -> Result<String, Allowed> {
    Ok(text.to_owned())
}

/// A count that 0 switches off, as in fio.
fn unless_zero(text: &str) -> Result<Option<u64>, Allowed> {
    number(text, 0, u64::MAX).map(|n| (n > 0).then_some(n))
}

/// As in fio, a size of 0 is no size: the region goes on to the end of the device.
fn all_if_zero(size: Size) -> Option<Size> {
    (size != Size::Bytes(0)).then_some(size)
}

fn some_unless_zero(span: Nanos) -> Option<Nanos> {
    (span > Nanos::ZERO).then_some(span)
}

fn block_bytes(text: &str) -> Result<u64, Allowed> {
    match bytes(text) {
        Ok(n)
            if (SECTOR_BYTES..=BLOCK_BYTES_MAX).contains(&n) && n.is_multiple_of(SECTOR_BYTES) =>
        {
            Ok(n)
        }
        _ => Err(format!("a multiple of {SECTOR_BYTES} bytes from 512 to 1g")),
    }
}

/// The files of a `filename`: a colon stands between two, `\:` within one.
fn file_names(text: &str) -> Result<Vec<String>, Allowed> {
    let mut files = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = files.last_mut().expect("one at least");
        match c {
            '\\' if chars.peek() == Some(&':') => last.extend(chars.next()),
            ':' => files.push(String::new()),
            c => last.push(c),
        }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| !file.is_empty() && seen.insert(file.clone()));
    Ok(files)
}

/// Files in turn are the one order that is modelled; after how many requests it is the next one's turn.
fn round_robin(text: &str) -> Result<u64, Allowed> {
    let (order, after) = text.split_once(':').unwrap_or((text, "1"));
    match order {
        "roundrobin" => number(after, 1, u64::MAX),
        _ => Err("roundrobin or roundrobin:N, files in turn with N requests each".into()),
    }
}

fn pattern(text: &str) -> Result<(PatternKind, bool), Allowed> {
    Ok(match text {
        "read" => (PatternKind::Read, false),
        "write" => (PatternKind::Write, false),
        "trim" => (PatternKind::Trim, false),
        "randread" => (PatternKind::Read, true),
        "randwrite" => (PatternKind::Write, true),
        "randtrim" => (PatternKind::Trim, true),
        "rw" | "readwrite" => (PatternKind::ReadWrite, false),
        "randrw" => (PatternKind::ReadWrite, true),
        "trimwrite" => (PatternKind::TrimWrite, false),
        "randtrimwrite" => (PatternKind::TrimWrite, true),
        _ => {
            return Err(
                "read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, \
                        trimwrite or randtrimwrite"
                    .into(),
            );
        }
    })
}

/// Reads up to three values for reads, writes and trims. The last one, when no comma ends it, also
/// holds for the kinds after it; an empty one leaves what was there.
fn per_kind<T: Copy>(
    text: &str,
    before: PerKind<T>,
    read: impl Fn(&str) -> Result<T, Allowed>,
) -> Result<PerKind<T>, Allowed> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err("at most three values: reads, writes, trims".into());
    }
    let nth = |n: usize, before: T| match parts[n.min(parts.len() - 1)] {
        "" => Ok(before),
        part => read(part),
    };
    Ok(PerKind {
        read: nth(0, before.read)?,
        write: nth(1, before.write)?,
        trim: nth(2, before.trim)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_give_values_to_kinds_as_in_fio() {
        let default = PerKind::all(4096);
        let kinds = |read, write, trim| Ok(PerKind { read, write, trim });
        let of = |text| per_kind(text, default, block_bytes);
        assert_eq!(of("8k"), kinds(8192, 8192, 8192));
        assert_eq!(of("8k,32k"), kinds(8192, 32768, 32768));
        assert_eq!(of("8k,32k,"), kinds(8192, 32768, 4096));
        assert_eq!(of(",8k"), kinds(4096, 8192, 8192));
        assert_eq!(of(",8k,"), kinds(4096, 8192, 4096));
        assert!(of("8k,8k,8k,8k").is_err());
    }

    #[test]
    fn files_are_told_apart_by_colons_and_named_once() {
        let names = |text: &str| file_names(text).unwrap();
        assert_eq!(names("/dev/a:/dev/b"), ["/dev/a", "/dev/b"]);
        assert_eq!(names(r"/dev/disk\:1:b:b"), ["/dev/disk:1", "b"]);
    }

    #[test]
    fn no_name_belongs_to_two_keys() {
        let mut names: Vec<_> = KEYS.iter().flat_map(|key| key.names).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        for name in names {
            assert_eq!(super::super::keys::ignored(name), None, "{name}");
            assert_eq!(super::super::keys::unsupported(name), None, "{name}");
        }
    }
}
