//! Words that say where on the drive a job's requests lie.

use super::{Word, flag, one_of, set, set_kinds, unless_zero, value};
use crate::job::distribution::distribution;
use crate::units::{Allowed, Size, Value};
use ftlab_base::SECTOR_BYTES;

pub static WORDS: &[Word] = &[
    value(
        &["size"],
        set!(size, |v: Value<'_>| v.size().map(all_if_zero)),
        "length of the region and amount of I/O; percent of the drive",
    ),
    value(
        &["offset"],
        set!(offset, |v: Value<'_>| v.size()),
        "start of the region; percent of the drive",
    ),
    value(
        &["offset_align"],
        set!(offset_align, sectors),
        "what an offset in percent is rounded up to",
    ),
    value(
        &["offset_increment"],
        set!(offset_increment, |v: Value<'_>| v.size()),
        "how far each clone begins behind the one before",
    ),
    value(
        &["io_size", "io_limit"],
        set!(io_size, |v: Value<'_>| v.size().map(Some)),
        "amount of I/O, where that is not the region's length",
    ),
    flag(
        &["fill_device", "fill_fs"],
        set!(fill_device, |v: Value<'_>| v.boolean()),
        "the region goes to the end of the drive, where fio runs out of space",
    ),
    value(
        &["percentage_random"],
        set_kinds!(percentage_random, |v: Value<'_>| v.percent()),
        "percent of a random job's requests that jump",
    ),
    value(
        &["random_distribution"],
        set!(random_distribution, distribution),
        "the law of random places: random, zipf, pareto, normal, zoned, zoned_abs, with fio's defaults",
    ),
    flag(
        &["norandommap"],
        set!(norandommap, |v: Value<'_>| v.boolean()),
        "random blocks are drawn with replacement, not each once",
    ),
    value(
        &["randseed"],
        set!(randseed, |v: Value<'_>| v.bytes().map(Some)),
        "mixed into the run's seed",
    ),
    value(
        &["randrepeat"],
        set!(randrepeat, |v: Value<'_>| v.boolean()),
        "whether each loop repeats the first one's sequence",
    ),
    value(
        &["zonemode"],
        set!(zonemode_strided, |v| {
            let modes = &[("none", Some(false)), ("strided", Some(true))];
            one_of(v, modes).map_err(|allowed| {
                format!("{allowed}: a modelled drive has no zones of its own, as zbd asks for")
            })
        }),
        "strided: one zone after the other",
    ),
    value(
        &["zonesize", "zone_size"],
        set!(zones.size, sectors),
        "bytes moved in a zone before the next one's turn",
    ),
    value(
        &["zonerange"],
        set!(zones.range, sectors),
        "length of a zone",
    ),
    value(
        &["zoneskip"],
        set!(zones.skip, sectors),
        "bytes left out between two zones",
    ),
    value(
        &["number_ios"],
        set!(number_ios, unless_zero),
        "at most N requests",
    ),
];

/// As in fio, a size of 0 is no size: the region goes on to the end of the device.
fn all_if_zero(size: Size) -> Option<Size> {
    (size != Size::Bytes(0)).then_some(size)
}

/// Bytes that are whole sectors.
fn sectors(value: Value<'_>) -> Result<u64, Allowed> {
    match value.bytes() {
        Ok(bytes) if bytes.is_multiple_of(SECTOR_BYTES) => Ok(bytes),
        _ => Err(format!("a multiple of {SECTOR_BYTES} bytes")),
    }
}
