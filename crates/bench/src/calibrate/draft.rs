//! The drive of a sheet before anything is fitted: its class, with the parts that the sheet tells.

use super::numbers::{count_of, number_of, quantity_of};
use super::sheet::Sheet;
use super::text;
use super::types::CalibrateError;
use ftlab_base::SECTOR_BYTES;
use ftlab_base::amount::rounded;
use ftlab_drive::{Catalog, Class, DriveFile, Flash};
use ftlab_sheet::quantity::{Bytes, RANGE_KEY, Rate};
use toml::{Table, Value};

/// What the model can address: 2^32 slots of 4 KiB.
const FLASH_BYTES_MAX: u64 = 1 << 44;

/// Bytes of a gigabit, as dies are counted.
const BYTES_A_GBIT: u64 = 1 << 27;

/// Rates of the pins of flash, in MB/s of a channel, as its standards have them.
const CHANNEL_RATES_MB_S: [f64; 9] = [
    400.0, 533.0, 667.0, 800.0, 1200.0, 1600.0, 2000.0, 2400.0, 3600.0,
];

/// By how much channels together carry more than the host is sold: commands, and the spare bytes of a page, take their part.
const CHANNEL_MARGIN: f64 = 1.3;

/// Memory of a map that has four bytes for each slot of 4 KiB.
const BYTES_AN_ENTRY: u64 = 1024;

/// The drive of a sheet before anything is fitted.
pub struct Draft {
    /// Its text.
    pub table: Table,
    /// The drive of that text.
    pub file: DriveFile,
    /// The nominal size of its dies.
    pub die_bytes: u64,
}

/// A key of the draft, with its section, and its value.
type Part = (&'static str, &'static str, Value);

/// A number of the draft.
fn entry(
    value: impl Into<Value>,
    unit: &str,
    [source, confidence]: [&str; 2],
    note: &str,
) -> Value {
    let mut entry = Table::new();
    entry.insert("value".to_owned(), value.into());
    for (key, text) in [
        ("unit", unit),
        ("source", source),
        ("confidence", confidence),
        ("note", note),
    ] {
        entry.insert(key.to_owned(), Value::String(text.to_owned()));
    }
    Value::Table(entry)
}

const TOLD: [&str; 2] = ["datasheet", "high"];
const FOLLOWS: [&str; 2] = ["derived", "medium"];
const USUAL: [&str; 2] = ["assumed", "medium"];

/// Makes the draft of a sheet, whose drive may name policies of the catalogue.
pub fn draft(sheet: &Sheet, catalog: &Catalog) -> Result<Draft, CalibrateError> {
    let wrong = |why: String| CalibrateError::Input(format!("{}: {why}", sheet.source));
    let base_name = base_of(sheet, catalog)?;
    let base = catalog
        .load(&base_name, &[])
        .map_err(|error| wrong(format!("base: {error}")))?;
    let mut table = head(sheet, &base_name);
    let mut put = |section: &str, key: &str, value: Value| {
        let section = table
            .entry(section)
            .or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(section) = section {
            section.insert(key.to_owned(), value);
        }
    };
    for (section, keys) in &sheet.sections {
        let keys = keys.as_table().expect("checked on reading");
        for (key, value) in keys {
            put(section, key, value.clone());
        }
    }
    put(
        "spare",
        "user_capacity",
        entry(sheet.sectors() as i64, "sectors", TOLD, "as it is sold"),
    );
    if let Some(port) = &sheet.port {
        put("link", "port", Value::String(port.clone()));
    }
    let array = Array::of(sheet, &base)?;
    for (section, key, value) in parts(sheet, &base, &array)? {
        put(section, key, value);
    }
    if let Some((bytes, years)) = sheet.written() {
        let note = format!("what it is promised to bear in {years} years");
        put(
            "reliability",
            "rated_bytes",
            entry(bytes / 1e12, "TB", TOLD, &note),
        );
    }
    let text = text::of(&table);
    let file = catalog.parse(&sheet.source, &text, &[]);
    Ok(Draft {
        file: file.map_err(|error| sheet.at_fault(error))?,
        table,
        die_bytes: array.die_bytes,
    })
}

/// The drive of ftlab that the sheet's is made from, which must have no memory for the map where the sheet says so.
fn base_of(sheet: &Sheet, catalog: &Catalog) -> Result<String, CalibrateError> {
    let base = match &sheet.base {
        Some(base) => base.clone(),
        None => base_of_class(sheet)?,
    };
    if sheet.dram_bytes()? == Some(0) {
        let file = catalog
            .load(&base, &[])
            .map_err(|error| sheet.at_fault(error))?;
        let whole = (file.capacity_bytes() / BYTES_AN_ENTRY) as f64;
        if quantity_of::<Bytes>(&file, "map.dram").is_some_and(|dram| dram >= whole) {
            return Err(CalibrateError::Input(format!(
                "{}: dram: \"none\", and {base} has memory for its whole map: give base = \"…\" with a drive of `ftlab drives` that has \
                 none, such as generic-nvme-dramless-1000, or leave dram out",
                sheet.source
            )));
        }
    }
    Ok(base)
}

/// The drive of ftlab that the sheet's class is modelled by.
fn base_of_class(sheet: &Sheet) -> Result<String, CalibrateError> {
    if sheet
        .port
        .as_deref()
        .is_none_or(|port| !port.starts_with("pcie"))
    {
        return Err(CalibrateError::Input(format!(
            "{}: port: give lanes such as \"pcie4x4\", or base = \"…\" with a drive of `ftlab drives` that has another port",
            sheet.source
        )));
    }
    let without_dram = sheet.dram_bytes()? == Some(0);
    let base = match (sheet.class, sheet.flash) {
        (Class::DataCentre, Flash::Tlc) => "generic-dc-tlc-1920",
        (Class::Client, Flash::Tlc) if without_dram => "generic-nvme-dramless-1000",
        (Class::Client, Flash::Tlc) => "generic-nvme-tlc-1000",
        (Class::Client, Flash::Qlc) => "generic-nvme-qlc-2000",
        (class, flash) => {
            return Err(CalibrateError::Input(format!(
                "{}: no class of ftlab is {} with {}: give base = \"…\" with the drive of `ftlab drives` that is nearest",
                sheet.source,
                class.name(),
                flash.name()
            )));
        }
    };
    Ok(base.to_owned())
}

fn head(sheet: &Sheet, base: &str) -> Table {
    let mut head = Table::new();
    let summary = sheet.summary.clone().unwrap_or_else(|| {
        format!(
            "{} of its class, with what its data sheet tells.",
            sheet.flash.name()
        )
    });
    head.insert("schema".to_owned(), Value::Integer(1));
    for (key, text) in [
        ("kind", "ssd"),
        ("base", base),
        ("name", &sheet.name),
        ("summary", &summary),
        ("flash", sheet.flash.name()),
        ("class", sheet.class.name()),
    ] {
        head.insert(key.to_owned(), Value::String(text.to_owned()));
    }
    if let Some(year) = sheet.year {
        head.insert("year".to_owned(), Value::Integer(year.into()));
    }
    head
}

/// Dies, channels, memory and cache: told, or what a drive of the capacity has.
fn parts(sheet: &Sheet, base: &DriveFile, array: &Array) -> Result<Vec<Part>, CalibrateError> {
    let mut parts = array.parts(sheet, base)?;
    parts.extend(channel_rate(sheet, base, array.channels));
    parts.extend(parity(base, array.dies));
    parts.extend(memory(sheet)?);
    parts.extend(cache(sheet, base));
    parts.extend(program(sheet, base)?);
    // What the sheet says in a drive file's words counts.
    let is_given = |section: &str, key: &str| {
        let keys = sheet.sections.get(section);
        keys.is_some_and(|keys| keys.get(key).is_some())
    };
    parts.retain(|(section, key, _)| !is_given(section, key));
    Ok(parts)
}

/// The dies of a drive.
struct Array {
    dies: u32,
    channels: u32,
    die_bytes: u64,
    /// The size of a die of the class.
    class_bytes: u64,
}

/// A number of the class that a draft needs.
fn of_base(sheet: &Sheet, base: &DriveFile, key: &str) -> Result<u32, CalibrateError> {
    count_of(base, key).ok_or_else(|| {
        let (source, base) = (&sheet.source, base.slug());
        CalibrateError::Input(format!("{source}: base: {base} has no {key}"))
    })
}

/// The nominal size of a die of the class: a power of two, beside which it has a few percent.
fn die_of(sheet: &Sheet, base: &DriveFile) -> Result<u64, CalibrateError> {
    let channels = of_base(sheet, base, "nand.channels")?;
    let dies = u64::from(channels * of_base(sheet, base, "nand.dies_per_channel")?);
    let bytes = base.raw_bytes().unwrap_or_default() / dies;
    match bytes.checked_ilog2() {
        Some(power) => Ok(1 << power),
        None => Err(CalibrateError::Input(format!(
            "{}: base: {} has no flash",
            sheet.source,
            base.slug()
        ))),
    }
}

impl Array {
    fn of(sheet: &Sheet, base: &DriveFile) -> Result<Array, CalibrateError> {
        let wrong = |why: String| CalibrateError::Input(format!("{}: {why}", sheet.source));
        let of_class = of_base(sheet, base, "nand.channels")?;
        let class_bytes = die_of(sheet, base)?;
        let at_least = |die: u64| u32::try_from(sheet.bytes().div_ceil(die)).unwrap_or(u32::MAX);
        let usual = |die: u64| {
            at_least(die)
                .checked_next_power_of_two()
                .unwrap_or(u32::MAX)
        };
        // A small drive has smaller dies rather than channels without any.
        let smaller = usual(class_bytes) < of_class && sheet.dies().is_none();
        let untold = if smaller {
            class_bytes / 2
        } else {
            class_bytes
        };
        let die_bytes = sheet.die_bytes()?.unwrap_or(untold);
        let (least, usual) = (at_least(die_bytes), usual(die_bytes));
        let dies = sheet.dies().unwrap_or(usual);
        if dies < least {
            let gbit = die_bytes / BYTES_A_GBIT;
            return Err(wrong(format!(
                "dies: {dies} of {gbit} Gbit hold less than the drive's capacity: give more, or a larger `die`"
            )));
        }
        let channels = match sheet.channels() {
            Some(told) => told,
            None => of_class.min(dies),
        };
        if !dies.is_multiple_of(channels) {
            return Err(wrong(format!(
                "dies: {dies} do not divide over {channels} channels: give `channels`, or another number of dies"
            )));
        }
        if u64::from(dies).saturating_mul(die_bytes) >= FLASH_BYTES_MAX {
            return Err(wrong(
                "capacity: the model addresses less than 16 TiB of flash, in slots of 4 KiB; make the half of the drive: half of its \
                 capacity, dies and channels, on half as many lanes, with half of the announced rates"
                    .to_owned(),
            ));
        }
        Ok(Array {
            dies,
            channels,
            die_bytes,
            class_bytes,
        })
    }

    fn parts(&self, sheet: &Sheet, base: &DriveFile) -> Result<Vec<Part>, CalibrateError> {
        let count = |count: u32, source, note: &str| entry(i64::from(count), "1", source, note);
        let how = match sheet.dies() {
            Some(_) => "as the sheet has it",
            None => "the least power of two that holds the capacity",
        };
        let gbit = self.die_bytes / BYTES_A_GBIT;
        let many = format!("{} dies of {gbit} Gbit: {how}", self.dies);
        let each = self.dies / self.channels;
        let planes = of_base(sheet, base, "nand.planes_per_die")?;
        let blocks = f64::from(of_base(sheet, base, "nand.blocks_per_die")?);
        let size = self.die_bytes as f64 / self.class_bytes as f64;
        let blocks = (blocks * size / f64::from(planes)).round() as u32 * planes;
        let channels = "as the sheet or its class has it";
        Ok(vec![
            ("nand", "channels", count(self.channels, FOLLOWS, channels)),
            ("nand", "dies_per_channel", count(each, FOLLOWS, &many)),
            (
                "nand",
                "blocks_per_die",
                count(blocks, USUAL, "of the class"),
            ),
            (
                "map",
                "stripe_dies",
                count(self.dies, USUAL, "data are spread over all dies"),
            ),
        ])
    }
}

/// A rate of channels that the class does not have, where its own carry less than the sheet announces.
fn channel_rate(sheet: &Sheet, base: &DriveFile, channels: u32) -> Option<Part> {
    let own = quantity_of::<Rate>(base, "nand.channel_rate")? / 1e6;
    let needed = sheet.sequential_reads_bytes_s()? / 1e6 * CHANNEL_MARGIN / f64::from(channels);
    if own >= needed {
        return None;
    }
    let rate = CHANNEL_RATES_MB_S
        .into_iter()
        .find(|rate| *rate >= needed)?;
    let note = "the least of its standards at which the channels carry what is announced of reads in order";
    Some(("nand", "channel_rate", entry(rate, "MB/s", FOLLOWS, note)))
}

/// Parity that stripes of these dies can have, where they cannot have that of the class: units of a superblock are whole
/// stripes.
fn parity(base: &DriveFile, dies: u32) -> Option<Part> {
    let own = count_of(base, "map.parity")?;
    let pages = count_of(base, "nand.pages_per_block")?
        / count_of(base, "nand.pages_per_program").unwrap_or(1);
    if (dies * pages).is_multiple_of(own + 1) {
        return None;
    }
    let is_stripe = |parity: &u32| dies.is_multiple_of(parity + 1);
    let nearest = (2..2 * own)
        .filter(is_stripe)
        .min_by_key(|parity| parity.abs_diff(own))?;
    let note = format!(
        "the class has one unit of parity for {own}; this is the nearest that stripes over {dies} dies can have"
    );
    Some((
        "map",
        "parity",
        entry(i64::from(nearest), "1", USUAL, &note),
    ))
}

/// Memory for the map: told, or four bytes for each slot of 4 KiB.
fn memory(sheet: &Sheet) -> Result<Option<Part>, CalibrateError> {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let value = match sheet.dram_bytes()? {
        // The class says what such a drive has.
        Some(0) => return Ok(None),
        Some(told) => entry(mib(told), "MiB", TOLD, "as the sheet has it"),
        None => {
            let whole = (sheet.bytes() / BYTES_AN_ENTRY).next_power_of_two();
            entry(
                mib(whole),
                "MiB",
                USUAL,
                "a gigabyte a terabyte: the whole map",
            )
        }
    };
    Ok(Some(("map", "dram", value)))
}

/// The cache of SLC: told, or in proportion to that of the class.
fn cache(sheet: &Sheet, base: &DriveFile) -> Vec<Part> {
    if !super::flash::has_cache(base) {
        return Vec::new();
    }
    let share = (sheet.sectors() * SECTOR_BYTES) as f64 / base.capacity_bytes() as f64;
    let of_base = |key: &str| quantity_of::<Bytes>(base, key);
    let (own, more) = (of_base("slc.own_size"), of_base("slc.more_size"));
    let by_share = number_of(base, "slc.free_share").is_some();
    // What is set aside does not grow with a drive that is larger than its class.
    let own = own.map(|own| {
        own * if by_share || more.is_some() {
            share.min(1.0)
        } else {
            share
        }
    });
    let size = |bytes: f64, source, note| entry(rounded(bytes / 1e9), "GB", source, note);
    if let Some(told) = sheet.cache_bytes() {
        let own = own.unwrap_or(0.0).min(told as f64);
        let note = "as the sheet has it, with an empty drive";
        let sizes = [("own_size", own), ("more_size", told as f64 - own)];
        let sizes = sizes.into_iter().filter(|(_, bytes)| *bytes > 0.0);
        let mut parts: Vec<Part> = sizes
            .map(|(key, bytes)| ("slc", key, size(bytes, TOLD, note)))
            .collect();
        if by_share {
            let all = "the size is told";
            parts.push(("slc", "free_share", entry(100.0, "%", FOLLOWS, all)));
        }
        return parts;
    }
    let ranges = base.spread().ranges;
    let part = |key: &'static str, bytes: f64| {
        let note = "in proportion to the class: no sheet tells it";
        let mut entry = size(bytes, ["assumed", "low"], note);
        // What nobody tells lies in the range of the class, in proportion.
        let name = format!("slc.{key}");
        let range = ranges.iter().find(|range| range.key == name);
        if let (Some(range), Value::Table(entry)) = (range, &mut entry) {
            let bounds = range
                .bounds
                .map(|bound| Value::Float(rounded(bound * share)));
            entry.insert(RANGE_KEY.to_owned(), bounds.to_vec().into());
        }
        ("slc", key, entry)
    };
    let more = more.map(|more| part("more_size", more * share));
    let own = own.map(|own| part("own_size", own));
    own.into_iter().chain(more).collect()
}

/// What dies program in a second, in MB, by the year from which drives have them: as shown at ISSCC, of three bits a cell two years
/// before, and of four.
type Dies = [(u16, f64, &'static str)];
const TLC_DIES: &Dies = &[
    (0, 53.0, "48 layers, 2016"),
    (2019, 57.0, "96 layers, 2018"),
    (2021, 104.0, "128 layers, 2019: 82 and 132"),
    (2022, 170.0, "176 layers, 2021: 160, 168 and 184"),
];
const QLC_DIES: &Dies = &[
    (0, 12.0, "64 layers, 2018"),
    (2020, 23.0, "92 and 96 layers, 2020: 18 and 30"),
    (2022, 40.0, "144 layers, 2021"),
];

/// How fast the dies of a consumer drive are by its year, where the sheet does not say how fast it is past its cache.
fn program(sheet: &Sheet, base: &DriveFile) -> Result<Option<Part>, CalibrateError> {
    let (dies, year) = match (sheet.class, sheet.flash, sheet.year) {
        (Class::Client, Flash::Tlc, Some(year)) => (TLC_DIES, year),
        (Class::Client, Flash::Qlc, Some(year)) => (QLC_DIES, year),
        _ => return Ok(None),
    };
    if !super::flash::has_cache(base) || sheet.tells_past_cache() {
        return Ok(None);
    }
    let planes = f64::from(of_base(sheet, base, "nand.planes_per_die")?);
    let page = quantity_of::<Bytes>(base, "nand.page").unwrap_or_default();
    let time = |at: usize| rounded(planes * page / dies[at].1);
    let at = dies
        .iter()
        .rposition(|(from, ..)| *from <= year)
        .unwrap_or(0);
    let (_, mb_s, shown) = dies[at];
    let note = format!("{mb_s} MB/s a die, as dies of its time: {shown}");
    let mut entry = entry(time(at), "us", USUAL, &note);
    if let Value::Table(entry) = &mut entry {
        // The generations before and after it.
        let bounds = [(at + 1).min(dies.len() - 1), at.saturating_sub(1)];
        let bounds = bounds.map(|at| Value::Float(time(at)));
        entry.insert(RANGE_KEY.to_owned(), bounds.to_vec().into());
    }
    Ok(Some(("nand", "t_program", entry)))
}
