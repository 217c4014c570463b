//! Words that say where on the drive a job's requests lie.

use super::{Word, flag, one_of, set, set_kinds, unless_zero, value};
use crate::job::distribution::distribution;
use crate::job::shuffle::Shuffle;
use crate::job::spec::HandleOrder;
use crate::units::{Allowed, Size, Value};
use ftlab_base::SECTOR_BYTES;

pub static WORDS: &[Word] = &[
    flag(
        &["fdp"],
        set!(placement.is_told, |v: Value<'_>| v.boolean()),
        "writes go to the placement handles of the drive (NVMe FDP: `gc.streams` of a drive file)",
    ),
    value(
        &["dataplacement"],
        set!(placement.is_told, |v| one_of(
            v,
            &[("none", false), ("fdp", true), ("streams", true)]
        )),
        "the same; with streams, stream N is placement handle N, and writes of no stream are handle 0's",
    ),
    value(
        &["plids", "fdp_pli"],
        set!(placement.handles, handles),
        "which handles: numbers and ranges from 0 on, as 0,2-4; all that the drive has if left out",
    ),
    value(
        &["plid_select", "fdp_pli_select"],
        set!(placement.order, |v| one_of(
            v,
            &[
                ("roundrobin", HandleOrder::RoundRobin),
                ("random", HandleOrder::Random),
            ]
        )),
        "which of them a write gets",
    ),
    value(
        &["write_hint"],
        set!(placement.hint, |v| one_of(
            v,
            &[
                ("none", 0),
                ("short", 1),
                ("medium", 2),
                ("long", 3),
                ("extreme", 4),
            ]
        )),
        "without fdp, the placement handle of all writes: 0 to 4 from none to extreme, as Linux has it; no effect on a drive \
         that has fewer",
    ),
    value(
        &["size"],
        |job, v| {
            job.region.size = all_if_zero(after(job.region.size, v)?);
            Ok(())
        },
        "length of the region and amount of I/O; percent of the drive",
    ),
    value(
        &["filesize"],
        set!(region.filesize, filesize),
        "how much of the drive, from its start, is the file that the job uses",
    ),
    value(
        &["offset"],
        |job, v| {
            job.region.offset = after(Some(job.region.offset), v)?;
            Ok(())
        },
        "start of the region; percent of the drive",
    ),
    value(
        &["offset_align"],
        set!(region.offset_align, sectors),
        "what an offset in percent is rounded up to",
    ),
    value(
        &["offset_increment"],
        |job, v| {
            job.region.offset_increment = after(Some(job.region.offset_increment), v)?;
            Ok(())
        },
        "how far each clone begins behind the one before",
    ),
    value(
        &["io_size", "io_limit"],
        |job, v| {
            job.length.io_size = Some(after(job.length.io_size, v)?);
            Ok(())
        },
        "amount of I/O, where that is not the region's length",
    ),
    flag(
        &["fill_device", "fill_fs"],
        set!(region.fill_device, |v: Value<'_>| v.boolean()),
        "the region goes to the end of the drive, where fio runs out of space",
    ),
    value(
        &["percentage_random"],
        set_kinds!(pattern.percentage_random, |v: Value<'_>| v.percent()),
        "percent of a random job's requests that jump",
    ),
    value(
        &["random_distribution"],
        set!(pattern.random_distribution, distribution),
        "the law of random places: random, zipf, pareto, normal, zoned, zoned_abs, with fio's defaults",
    ),
    Word {
        names: &["shuffle"],
        bare: Some("each"),
        set: set!(pattern.shuffle, |v| one_of(v, &Shuffle::WORDS).map(Some)),
        does: "each: a permutation spreads ranks and zones over all blocks, another one for each clone; shared: one permutation, \
               so that clones, and all jobs that say so, have the same hot blocks; none: as in fio. None of fio's, as --shuffle \
               is, which holds for jobs that do not say it",
    },
    flag(
        &["norandommap"],
        set!(pattern.norandommap, |v: Value<'_>| v.boolean()),
        "random blocks are drawn with replacement, not each once",
    ),
    value(
        &["random_generator"],
        set!(pattern.lfsr, |v| one_of(
            v,
            &[
                ("tausworthe", false),
                ("tausworthe64", false),
                ("lfsr", true)
            ]
        )),
        "lfsr: each block once, with norandommap too; numbers come from the run's seed",
    ),
    value(
        &["randseed"],
        set!(pattern.randseed, |v: Value<'_>| v.bytes().map(Some)),
        "mixed into the run's seed",
    ),
    value(
        &["randrepeat"],
        set!(pattern.randrepeat, |v: Value<'_>| v.boolean()),
        "whether each loop repeats the first one's sequence",
    ),
    value(
        &["zonemode"],
        set!(pattern.zonemode_strided, |v| {
            let modes = &[("none", Some(false)), ("strided", Some(true))];
            one_of(v, modes).map_err(|allowed| {
                format!("{allowed}: a modelled drive has no zones of its own, as zbd asks for")
            })
        }),
        "strided: one zone after the other; zbd is refused, as a modelled drive has no zones of its own",
    ),
    value(
        &["zonesize", "zone_size"],
        set!(pattern.zones.size, sectors),
        "bytes moved in a zone before the next one's turn",
    ),
    value(
        &["zonerange"],
        set!(pattern.zones.range, sectors),
        "length of a zone",
    ),
    value(
        &["zoneskip"],
        set!(pattern.zones.skip, sectors),
        "bytes left out between two zones",
    ),
    value(
        &["number_ios"],
        set!(length.number_ios, unless_zero),
        "at most N requests",
    ),
];

/// A size that may be given more than once. fio keeps a percentage beside bytes that follow it, and takes it of them.
fn after(before: Option<Size>, value: Value<'_>) -> Result<Size, Allowed> {
    match (before, value.size()?) {
        (Some(Size::Percent(percent)), Size::Bytes(_)) => Err(format!(
            "a percentage where one was given before, {percent}%: fio would take that of the bytes; give one of the two"
        )),
        (_, size) => Ok(size),
    }
}

/// As in fio, a size of 0 is no size: the region goes on to the end of the device.
fn all_if_zero(size: Size) -> Option<Size> {
    (size != Size::Bytes(0)).then_some(size)
}

/// The size of the one file. fio draws one from a range, and leaves a file that is as large as that alone.
fn filesize(value: Value<'_>) -> Result<Option<u64>, Allowed> {
    let allowed = || "one size, as 1g: fio draws one of a range at random".to_owned();
    let (least, most) = value
        .text
        .split_once('-')
        .unwrap_or((value.text, value.text));
    let bytes = |text: &str| value.part(text.trim()).bytes().map_err(|_| allowed());
    let (least, most) = (bytes(least)?, bytes(most)?);
    if least != most {
        return Err(allowed());
    }
    Ok((least > 0).then_some(least))
}

/// Bytes that are whole sectors.
fn sectors(value: Value<'_>) -> Result<u64, Allowed> {
    match value.bytes() {
        Ok(bytes) if bytes.is_multiple_of(SECTOR_BYTES) => Ok(bytes),
        _ => Err(format!("a multiple of {SECTOR_BYTES} bytes")),
    }
}

/// Placement handles, as numbers and ranges.
fn handles(value: Value<'_>) -> Result<Vec<u8>, Allowed> {
    let allowed = || "handles from 0 to 254, and ranges of them, as 0,2-4".to_owned();
    let mut handles = Vec::new();
    for part in value.text.split([',', ':']) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u8>().ok().filter(|&n| n < u8::MAX);
        let (first, last) = (number(first), number(last));
        let range = first.zip(last).filter(|(first, last)| first <= last);
        let (first, last) = range.ok_or_else(allowed)?;
        handles.extend(first..=last);
    }
    Ok(handles)
}
