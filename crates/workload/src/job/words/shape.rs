//! Words that say which requests a job makes: their kinds and sizes.

use super::{Word, flag, per_kind, set, set_kinds, text, value};
use crate::job::engines;
use crate::job::pattern::PatternKind;
use crate::job::sizes::{Part, PerKind};
use crate::job::spec::JobSpec;
use crate::units::{Allowed, Value};
use ftlab_base::SECTOR_BYTES;
use std::collections::BTreeSet;

/// The largest request: a drive takes no larger one and its sectors must fit 32 bits.
const BLOCK_BYTES_MAX: u64 = 1 << 30;
/// As many requests may be outstanding.
const DEPTH_MAX: u64 = 65_536;
/// Files of a job.
const FILES_MAX: u64 = 4096;
/// Above half, every block would end up trimmed.
const RWMIXTRIM_MAX: u64 = 49;
/// fio's limit on the sizes of a split.
const PARTS_MAX: usize = 64;

pub static WORDS: &[Word] = &[
    value(&["name"], set!(name, text), "names the job"),
    value(
        &["description"],
        set!(description, |v| text(v).map(Some)),
        "is shown with the job",
    ),
    value(
        &["filename"],
        set!(files.named, file_names),
        "the drive that the job runs on, of several those whose names it has; names that do not begin with `/dev` are files, which \
         lie end to end on their drive where there are several, and clones share them",
    ),
    value(
        &["directory"],
        set!(files.directories, paths),
        "where its files lie; without `filename` each clone has a file of its own there, as long as its `size` or `filesize`",
    ),
    value(
        &["filename_format"],
        set!(files.format, |v| text(v).map(Some)),
        "the names of files without `filename`, of `$jobname`, `$jobnum` and `$filenum`: jobs that make the same name share the file",
    ),
    value(
        &["nrfiles"],
        set!(files.nrfiles, |v: Value<'_>| v.number(1, FILES_MAX)),
        "the number of files of a job (or clone) without `filename`, end to end, each with its part of the size, to which requests go in turn",
    ),
    value(
        &["openfiles"],
        set!(files.openfiles, |v: Value<'_>| v
            .number(0, u64::MAX)
            .map(|n| (n > 0).then_some(n))),
        "all of these are open at a time; fewer are refused",
    ),
    value(
        &["file_service_type"],
        set!(files.switches_file_after, round_robin),
        "after how many requests it is the next drive's turn; roundrobin alone",
    ),
    value(
        &["rw", "readwrite"],
        pattern,
        "the kinds of request and their order; `read:8k` leaves 8 KiB out between two, `read:-8k` goes \
         backwards, `randread:8` draws a place for every eighth request",
    ),
    value(
        &["rw_sequencer"],
        set!(pattern.rw_sequencer, |v| {
            use crate::job::pattern::Sequencer::{Identical, Sequential};
            super::one_of(v, &[("sequential", Sequential), ("identical", Identical)])
        }),
        "where the others of `randread:8` lie: behind the first, or at its place",
    ),
    value(
        &["bs", "blocksize"],
        set_kinds!(sizes.bs, block_bytes),
        "the size of requests",
    ),
    value(
        &["bsrange", "blocksize_range"],
        |job, v| {
            job.sizes.bsrange = per_kind(v, job.sizes.bsrange, |v| range(v).map(Some))?;
            Ok(())
        },
        "sizes from one to another, in multiples of the smallest, as often as fio draws them",
    ),
    value(
        &["bssplit"],
        split,
        "sizes and the percent of requests that have each",
    ),
    flag(
        &["bs_unaligned", "blocksize_unaligned"],
        set!(sizes.bs_unaligned, |v: Value<'_>| v.boolean()),
        "sizes of a range are any number of sectors of 512 bytes, which is what a drive takes",
    ),
    flag(
        &["bs_is_seq_rand"],
        set!(sizes.bs_is_seq_rand, |v: Value<'_>| v.boolean()),
        "the first of two sizes is that of sequential requests, the second that of random ones",
    ),
    value(
        &["ba", "blockalign"],
        set_kinds!(sizes.blockalign, |v| block_bytes(v).map(Some)),
        "what random requests are aligned to; it switches the random map off, as in fio",
    ),
    value(
        &["rwmixread"],
        set!(pattern.rwmixread, |v: Value<'_>| v.percent()),
        "percent of reads in a mix",
    ),
    value(
        &["rwmixwrite"],
        set!(pattern.rwmixread, |v: Value<'_>| v
            .percent()
            .map(|p| 100 - p)),
        "percent of writes in a mix",
    ),
    value(
        &["rwmixtrim"],
        set!(pattern.rwmixtrim, |v: Value<'_>| v
            .number(0, RWMIXTRIM_MAX)
            .map(|p| Some(p as u8))),
        "with rw=randtrimwrite, percent of requests that trim a random block that holds data; none of fio's",
    ),
    value(
        &["ioengine"],
        engine,
        "fio's engines for block devices send a drive the same requests; one that is synchronous (psync, sync …) has one at a \
         time, whatever iodepth says; where none is named, iodepth holds",
    ),
    flag(
        &["direct"],
        set!(submission.direct, |v: Value<'_>| v.boolean().map(Some)),
        "requests go to the drive; without it they do so too, but for sizes that are no multiple of 512 bytes, which go through \
         pages of 4 KiB in memory, as the testbed's `[os]` has it",
    ),
    flag(
        &["buffered"],
        set!(submission.direct, |v: Value<'_>| v
            .boolean()
            .map(|buffered| Some(!buffered))),
        "the contrary of direct",
    ),
    value(
        &["iodepth"],
        set!(submission.iodepth, depth),
        "requests outstanding at once",
    ),
    value(
        &["iodepth_low"],
        set!(submission.iodepth_low, |v: Value<'_>| v
            .number(0, DEPTH_MAX)
            .map(|n| n as u32)),
        "a full queue is refilled once no more than N are outstanding",
    ),
    value(
        &["iodepth_batch_complete_min", "iodepth_batch_complete"],
        set!(submission.iodepth_batch_complete_min, |v: Value<'_>| v
            .number(0, DEPTH_MAX)
            .map(|n| n.max(1) as u32)),
        "with a full queue, answers are taken when there are N, at the time of the last",
    ),
    flag(
        &["serialize_overlap"],
        set!(submission.serialize_overlap, |v: Value<'_>| v.boolean()),
        "requests that overlap do not come at the same time: true of one request at a time and of jobs that come to each block \
         once; others are refused",
    ),
    value(
        &["prioclass"],
        set!(submission.prioclass, |v: Value<'_>| v
            .number(0, 3)
            .map(|n| n as u8)),
        "how urgent the job's submission queue is, on a host that has NVMe drives weigh queues (`queue_order` of a testbed): 1 \
         (realtime) is urgent, 2 (best effort) high with a prio of 0 to 3 and medium with one of 4 to 7, 3 (idle) low; \
         medium where nothing is said",
    ),
    value(
        &["prio"],
        set!(submission.prio, |v: Value<'_>| v
            .number(0, 7)
            .map(|n| Some(n as u8))),
        "the level in that class, of best effort if none is named; 0 is the most urgent",
    ),
    value(
        &["fsync"],
        set!(flushes.fsync, |v: Value<'_>| v.number(0, u64::MAX)),
        "a flush after N writes",
    ),
    value(
        &["fdatasync"],
        set!(flushes.fdatasync, |v: Value<'_>| v.number(0, u64::MAX)),
        "a flush after N writes; a drive sees no difference to fsync",
    ),
    flag(
        &["atomic"],
        set!(flushes.atomic, |v: Value<'_>| v.boolean()),
        "each write is there as a whole or not at all when the power goes; a job whose writes are larger than the drive's unit is \
         refused",
    ),
    value(
        &["sync"],
        set!(flushes.sync, |v| super::one_of(
            v,
            &[
                ("0", false),
                ("none", false),
                ("1", true),
                ("sync", true),
                ("dsync", true)
            ],
        )),
        "a write ends when a flush behind it has, as with O_SYNC on a drive to which the system sends no FUA: one call, one latency",
    ),
    flag(
        &["end_fsync"],
        set!(flushes.end_fsync, |v: Value<'_>| v.boolean()),
        "a flush when all is written; as in fio, no latency counts it",
    ),
    flag(
        &["fsync_on_close"],
        set!(flushes.fsync_on_close, |v: Value<'_>| v.boolean()),
        "the same, when the file is closed",
    ),
    value(
        &["sg_write_mode"],
        sg_write_mode,
        "with ioengine=sg, which command a write becomes: write, write_and_verify and write_stream are writes, \
         write_same one of a pattern, write_same_ndob one of zeros, verify a read",
    ),
    value(
        &["kb_base"],
        |job, v| {
            job.kb_base = super::one_of(v, &[("1024", 1024), ("1000", 1000)])?;
            Ok(())
        },
        "what k, m and g count in: 1024 or 1000",
    ),
];

fn depth(value: Value<'_>) -> Result<u32, Allowed> {
    value.number(1, DEPTH_MAX).map(|n| n as u32)
}

fn engine(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    job.submission.is_synchronous = engines::is_synchronous(value.text);
    job.submission.times_submissions = !job.submission.is_synchronous;
    job.submission.is_vsync = value.text.trim() == "vsync";
    job.submission.stops_for = engines::stops_for(value.text);
    Ok(())
}

fn sg_write_mode(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    // Whether the command reads, and whether what it writes is zeros or the same everywhere.
    let modes = [
        ("write", [false, false, false]),
        ("write_stream", [false, false, false]),
        ("write_and_verify", [false, false, false]),
        ("same", [false, false, true]),
        ("write_same", [false, false, true]),
        ("write_same_ndob", [false, true, false]),
        ("verify", [true, false, false]),
        ("verify_bytchk_00", [true, false, false]),
        ("verify_bytchk_01", [true, false, false]),
        ("verify_bytchk_11", [true, false, false]),
    ];
    let [reads, zeros, same] = super::one_of(value, &modes)?;
    job.pattern.writes_as_reads = reads;
    job.data.zero |= zeros;
    if same {
        job.data.pattern.get_or_insert(0);
    }
    Ok(())
}

pub(super) fn block_bytes(value: Value<'_>) -> Result<u64, Allowed> {
    match value.bytes() {
        Ok(n) if (1..=BLOCK_BYTES_MAX).contains(&n) => Ok(n),
        _ => Err("bytes from 1 to 1g".into()),
    }
}

/// The smallest and the largest size of a `bsrange`, in either order as in fio.
fn range(value: Value<'_>) -> Result<(u64, u64), Allowed> {
    let ends = value.text.split_once(['-', ':']);
    let (one, other) = ends.ok_or("two sizes with a dash between, as 4k-16k")?;
    let one = block_bytes(value.part(one.trim()))?;
    let other = block_bytes(value.part(other.trim()))?;
    Ok((one.min(other), one.max(other)))
}

fn split(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    job.sizes.bssplit = per_kind(value, job.sizes.bssplit.clone(), parts)?;
    let ends = |parts: &Vec<Part>, before: Option<(u64, u64)>| {
        let sizes = || parts.iter().map(|part| part.bytes);
        sizes().min().zip(sizes().max()).or(before)
    };
    job.sizes.bsrange = PerKind {
        read: ends(&job.sizes.bssplit.read, job.sizes.bsrange.read),
        write: ends(&job.sizes.bssplit.write, job.sizes.bsrange.write),
        trim: ends(&job.sizes.bssplit.trim, job.sizes.bsrange.trim),
    };
    Ok(())
}

/// The sizes of a `bssplit`, rarest first. Those without a share have what the others leave, in equal parts.
fn parts(value: Value<'_>) -> Result<Vec<Part>, Allowed> {
    let mut parts: Vec<(u64, Option<u8>)> = Vec::new();
    for part in value.text.split(':').filter(|part| !part.is_empty()) {
        let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent.trim() {
            "" => None,
            // fio takes 0 for a share that is not given.
            percent => Some(value.part(percent).percent()?).filter(|&percent| percent > 0),
        };
        parts.push((block_bytes(value.part(bytes.trim()))?, percent));
    }
    let given: u32 = parts.iter().filter_map(|(_, p)| p.map(u32::from)).sum();
    let open = parts
        .iter()
        .filter(|(_, percent)| percent.is_none())
        .count() as u32;
    if parts.is_empty() || parts.len() > PARTS_MAX {
        return Err(format!("from 1 to {PARTS_MAX} sizes, as 4k/60:64k/40"));
    }
    if given > 100 || (given < 100 && open == 0) {
        return Err(format!("sizes whose shares add up to 100, not {given}"));
    }
    let each = |percent: Option<u8>| percent.unwrap_or(((100 - given) / open.max(1)) as u8);
    let part = |(bytes, percent)| Part {
        bytes,
        percent: each(percent),
    };
    let mut parts: Vec<Part> = parts.into_iter().map(part).collect();
    parts.sort_by_key(|part| part.percent);
    Ok(parts)
}

/// The files of a `filename`: a colon stands between two, `\:` within one.
fn file_names(value: Value<'_>) -> Result<Vec<String>, Allowed> {
    let mut files = paths(value)?;
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

/// Paths with colons between, which a backslash makes part of one.
fn paths(value: Value<'_>) -> Result<Vec<String>, Allowed> {
    let mut files = vec![String::new()];
    let mut chars = value.text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = files.last_mut().expect("one at least");
        match c {
            '\\' if chars.peek() == Some(&':') => last.extend(chars.next()),
            ':' => files.push(String::new()),
            c => last.push(c),
        }
    }
    files.retain(|file| !file.is_empty());
    Ok(files)
}

/// Files in turn are the one order that is modelled; after how many requests it is the next one's turn.
fn round_robin(value: Value<'_>) -> Result<u64, Allowed> {
    let (order, after) = value.text.split_once(':').unwrap_or((value.text, "1"));
    match order {
        "roundrobin" => value.part(after).number(1, u64::MAX),
        _ => Err("roundrobin or roundrobin:N, files in turn with N requests each".into()),
    }
}

/// Kinds and order of requests by the words of `rw`.
const PATTERNS: &[(&str, (PatternKind, bool))] = &[
    ("read", (PatternKind::Read, false)),
    ("write", (PatternKind::Write, false)),
    ("trim", (PatternKind::Trim, false)),
    ("randread", (PatternKind::Read, true)),
    ("randwrite", (PatternKind::Write, true)),
    ("randtrim", (PatternKind::Trim, true)),
    ("rw", (PatternKind::ReadWrite, false)),
    ("readwrite", (PatternKind::ReadWrite, false)),
    ("randrw", (PatternKind::ReadWrite, true)),
    ("trimwrite", (PatternKind::TrimWrite, false)),
    ("randtrimwrite", (PatternKind::TrimWrite, true)),
];

fn pattern(job: &mut JobSpec, value: Value<'_>) -> Result<(), Allowed> {
    let (word, after) = match value.text.split_once(':') {
        Some((word, after)) => (word.trim(), Some(after.trim())),
        None => (value.text, None),
    };
    (job.pattern.kind, job.pattern.random) = super::one_of(value.part(word), PATTERNS)?;
    (job.pattern.random_run, job.pattern.stride_bytes) = (1, 0);
    match after {
        Some(run) if job.pattern.random => {
            job.pattern.random_run = value.part(run).number(1, u64::MAX)?
        }
        Some(stride) => job.pattern.stride_bytes = self::stride(value, stride)?,
        None => {}
    }
    Ok(())
}

fn stride(value: Value<'_>, text: &str) -> Result<i64, Allowed> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => (-1, size),
        None => (1, text),
    };
    match value.part(size).bytes() {
        Ok(bytes) if bytes.is_multiple_of(SECTOR_BYTES) && bytes <= i64::MAX as u64 => {
            Ok(sign * bytes as i64)
        }
        _ => Err(format!(
            "a pattern and the bytes between two requests, a multiple of {SECTOR_BYTES}, as read:8k"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Value<'_> {
        Value {
            text,
            kb_base: 1024,
        }
    }

    #[test]
    fn files_are_told_apart_by_colons_and_named_once() {
        let names = |text: &str| file_names(of(text)).unwrap();
        assert_eq!(names("/dev/a:/dev/b"), ["/dev/a", "/dev/b"]);
        assert_eq!(names(r"/dev/disk\:1:b:b"), ["/dev/disk:1", "b"]);
    }

    #[test]
    fn sizes_without_a_share_have_what_is_left() {
        let shares = |text: &str| -> Vec<(u64, u8)> {
            let parts = parts(of(text)).unwrap();
            parts
                .iter()
                .map(|part| (part.bytes, part.percent))
                .collect()
        };
        assert_eq!(
            shares("4k/60:8k/:16k"),
            [(8192, 20), (16384, 20), (4096, 60)]
        );
        assert_eq!(shares("8k"), [(8192, 100)]);
        assert!(parts(of("4k/60:8k/50")).is_err());
        assert!(parts(of("4k/60:8k/30")).is_err());
        assert!(parts(of("")).is_err());
    }
}
