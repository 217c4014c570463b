//! Drives whose numbers nobody knows but the generator: the truth that a fit is judged by.
//!
//! Channels are 2 to 16 and dies 4 to 128, powers of two both; a die has 1, 2 or 4 planes, a cell 1 to 4 bits; 5 to 40 % of flash
//! lies beside what the host sees. With and without a cache of SLC, capacitors and ways to pace collection.
//!
//! A drive that is attached and measured by the clock answers no sooner than the machine can, which takes as long as a read of
//! today's flash. [`slow`] draws drives that take sixteen times as long, of 4 or 8 dies with 1 or 2 planes.

use crate::candidate::{Candidate, Number};
use crate::steps::{FULL, PACING};
use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_sheet::SheetError;
use rand::{Rng, RngExt};
use toml::{Table, Value};

/// What kind of drives are drawn.
struct Breed {
    /// Bytes that the host sees of a drive, about; more with many dies.
    bytes: f64,
    /// How many times as long as that of today everything takes.
    slowness: f64,
    /// Dies at most and planes at most, as powers of two.
    dies_log2: u32,
    planes_log2: u32,
}

const TODAY: Breed = Breed {
    bytes: 1.5e9,
    slowness: 1.0,
    dies_log2: 7,
    planes_log2: 2,
};

const SLOW: Breed = Breed {
    bytes: 1e8,
    slowness: 16.0,
    dies_log2: 3,
    planes_log2: 1,
};

/// Bytes of a page.
const PAGE_BYTES: f64 = 16.0 * 1024.0;

/// A drive, and the file that a fit begins with.
#[derive(Debug, Clone)]
pub struct Hidden {
    /// The drive that is measured.
    pub truth: DriveFile,
    /// What a data sheet and Identify say of it, in the class's generic form.
    pub start: DriveFile,
    /// The mechanism that no fit knows, if it has one.
    pub unknown: Option<&'static str>,
}

/// Times of cells of 1, 2, 3 and 4 bits in µs: the least and the most of a read, and of a program of all pages of a word line.
const CELLS: [([f64; 2], [f64; 2]); 4] = [
    ([15.0, 35.0], [150.0, 350.0]),
    ([30.0, 75.0], [600.0, 1600.0]),
    ([40.0, 90.0], [600.0, 2400.0]),
    ([80.0, 160.0], [2000.0, 7000.0]),
];

/// Times that a class has and no sheet says.
const OF_CLASS: [&str; 9] = [
    "firmware.read_command",
    "firmware.write_command",
    "firmware.read_pipeline",
    "firmware.write_pipeline",
    "scheduling.suspend_time",
    "scheduling.suspend_every",
    "scheduling.suspend_left_min",
    "slc.t_program",
    "slc.t_read",
];

/// A draw between two values, each factor as likely.
fn between(random: &mut impl Rng, [least, most]: [f64; 2]) -> f64 {
    (least.ln() + random.random::<f64>() * (most / least).ln()).exp()
}

/// One of several.
fn of<T: Copy>(random: &mut impl Rng, all: &[T]) -> T {
    all[random.random_range(0..all.len())]
}

/// Sizes of a drive, as they are drawn.
struct Sizes {
    channels: u32,
    dies: u32,
    planes: u32,
    bits: u32,
    /// Pages of a plane that are programmed together: with a cache in front one, else those of a word line.
    together: u32,
    has_cache: bool,
    pages_per_block: u32,
    superblocks: u32,
    spare: f64,
}

impl Sizes {
    fn drawn(random: &mut impl Rng, breed: &Breed) -> Sizes {
        let has_cache = random.random_bool(0.5);
        let channels = 1_u32 << random.random_range(1..=breed.dies_log2.min(4));
        let dies = 1_u32 << random.random_range(channels.ilog2().max(2)..=breed.dies_log2);
        let planes = 1_u32 << random.random_range(0..=breed.planes_log2);
        // A cache holds one bit of cells that hold more.
        let bits = random.random_range(if has_cache { 2..=4_u32 } else { 1..=4 });
        let together = if has_cache { 1 } else { bits };
        let superblocks = random.random_range(180..=320_u32);
        let program = f64::from(dies * planes * together) * PAGE_BYTES;
        let programs = (breed.bytes / program / f64::from(superblocks))
            .round()
            .clamp(4.0, 400.0);
        Sizes {
            channels,
            dies,
            planes,
            bits,
            together,
            has_cache,
            pages_per_block: (together * programs as u32).next_multiple_of(bits),
            superblocks,
            spare: between(random, [0.05, 0.40]),
        }
    }

    /// Bytes that the host sees.
    fn user_bytes(&self) -> f64 {
        let pages = f64::from(self.dies * self.planes) * f64::from(self.pages_per_block);
        let raw = pages * f64::from(self.superblocks) * PAGE_BYTES;
        (raw / (1.0 + self.spare) / 4096.0).floor() * 4096.0
    }

    /// What no data sheet says of the flash and the controller.
    fn hidden(&self, random: &mut impl Rng, breed: &Breed) -> Vec<String> {
        let (read, program) = CELLS[self.bits as usize - 1];
        let program = between(random, program) * f64::from(self.together) / f64::from(self.bits);
        let row = f64::from(self.dies * self.planes * self.together) * PAGE_BYTES;
        let buffer = between(random, [1.0, 32.0]) * 1024.0 * 1024.0;
        let buffer = buffer.min(breed.bytes / 50.0).max(3.0 * row);
        // As long a part of a die's time as for blocks of 2,000 pages.
        let erase = between(random, [2000.0, 10_000.0]) * f64::from(self.pages_per_block) / 2000.0;
        let read = between(random, read);
        let rate = between(random, [400.0, 2400.0]) / breed.slowness;
        let mut settings = vec![
            format!("nand.channels={}", self.channels),
            format!("nand.dies_per_channel={}", self.dies / self.channels),
            format!("nand.planes_per_die={}", self.planes),
            format!("map.stripe_dies={}", self.dies),
            format!("nand.blocks_per_die={}", self.superblocks * self.planes),
            format!("nand.pages_per_block={}", self.pages_per_block),
            format!("nand.channel_rate={rate}MB/s"),
            format!(
                "buffer.size={}B",
                (buffer / PAGE_BYTES).round() * PAGE_BYTES
            ),
        ];
        let times = [
            ("nand.t_read", read),
            ("nand.t_program", program),
            ("nand.t_erase", erase),
            ("firmware.read_command", between(random, [0.5, 3.0])),
            ("firmware.write_command", between(random, [0.5, 3.0])),
            ("firmware.read_pipeline", between(random, [2.0, 12.0])),
            ("firmware.write_pipeline", between(random, [2.0, 12.0])),
        ];
        settings.extend(breed.times(&times));
        settings
    }

    /// What no data sheet says of the cache.
    fn cache(&self, random: &mut impl Rng, breed: &Breed) -> Vec<String> {
        let user_mb = self.user_bytes() / 1e6;
        // What is set aside takes as many times its size of the flash beside what the host sees.
        let own = between(random, [0.002, 0.02]).min(0.3 * self.spare / f64::from(self.bits));
        let more = between(random, [0.02, 0.25]);
        let times = [
            ("slc.t_program", between(random, [60.0, 250.0])),
            ("slc.t_read", between(random, [15.0, 35.0])),
        ];
        let mut settings = vec![
            format!("slc.own_size={}MB", user_mb * own),
            format!("slc.more_size={}MB", user_mb * more),
        ];
        settings.extend(breed.times(&times));
        settings
    }
}

/// How long a read waits for a program, as four makers' drives differ.
fn turns(random: &mut impl Rng, breed: &Breed) -> Vec<String> {
    let ranges = [
        ("scheduling.suspend_time", [10.0, 80.0]),
        ("scheduling.suspend_every", [20.0, 130.0]),
        ("scheduling.suspend_left_min", [330.0, 450.0]),
    ];
    breed.times(&ranges.map(|(key, range)| (key, between(random, range))))
}

fn owned(settings: &[&str]) -> Vec<String> {
    settings.iter().map(|&setting| setting.to_owned()).collect()
}

/// The hidden drive of a seed.
///
/// # Errors
/// When no such drive can be, which the generator does not give.
pub fn drive(seed: u64) -> Result<Hidden, SheetError> {
    TODAY.drive(seed)
}

/// The same of a drive that is small and slow, for measuring it by the clock.
///
/// # Errors
/// When no such drive can be, which the generator does not give.
pub fn slow(seed: u64) -> Result<Hidden, SheetError> {
    SLOW.drive(seed)
}

impl Breed {
    fn drive(&self, seed: u64) -> Result<Hidden, SheetError> {
        let random = &mut RootSeed(seed).stream("hidden-drive");
        let sizes = Sizes::drawn(random, self);
        let capacitors = !sizes.has_cache && random.random_bool(0.6);
        let mut known = vec![
            format!("spare.user_capacity={}B", sizes.user_bytes()),
            format!("power_loss.capacitors={}", u32::from(capacitors)),
            format!("link.port={}", of(random, &["pcie3x4", "pcie4x4"])),
        ];
        let mut hidden = sizes.hidden(random, self);
        let base = if sizes.has_cache {
            known.push(format!("slc.bits={}", sizes.bits));
            hidden.extend(sizes.cache(random, self));
            hidden.extend(owned(PACING[0]));
            hidden.extend(owned(of(random, FULL)));
            "generic-nvme-tlc-1000"
        } else {
            hidden.extend(owned(of(random, PACING)));
            hidden.extend(turns(random, self));
            "generic-dc-tlc-1920"
        };
        let unknown = random.random_bool(1.0 / 3.0);
        // A cache goes with one stream of data alone.
        let unknown = unknown.then(|| of(random, &UNKNOWN[usize::from(sizes.has_cache)..]));
        let known = class(base, sizes.together)?.with(&known)?;
        let truth = known.with(&hidden)?;
        Ok(Hidden {
            truth: truth.with(&unknown.map_or_else(Vec::new, |(_, settings)| owned(settings)))?,
            start: self.start(&known, sizes.bits, sizes.together)?,
            unknown: unknown.map(|(name, _)| name),
        })
    }

    /// Settings of times in µs, as long as such drives take.
    fn times(&self, of_today: &[(&str, f64)]) -> Vec<String> {
        let settings = of_today.iter();
        let settings = settings.map(|(key, time)| format!("{key}={}us", time * self.slowness));
        settings.collect()
    }

    /// The drive of the class with the dies that such drives have, and blocks so small that there are a few hundred superblocks.
    fn start(&self, known: &DriveFile, bits: u32, together: u32) -> Result<DriveFile, SheetError> {
        const SUPERBLOCKS: f64 = 240.0;
        const SPARE: f64 = 1.15;
        let user = known.capacity_bytes() as f64;
        // Half of what such drives have at most.
        let dies = f64::from(1_u32 << self.dies_log2.min(4));
        let (channels, planes) = (dies / 2.0, f64::from(1_u32 << self.planes_log2));
        let page_row = dies * planes * PAGE_BYTES;
        let pages = (user * SPARE / page_row / SUPERBLOCKS).round() as u32;
        let pages = pages.max(4 * together).next_multiple_of(bits);
        let superblocks = (user * SPARE / page_row / f64::from(pages)).round();
        let (read, program) = CELLS[bits as usize - 1];
        let middle = |[least, most]: [f64; 2]| (least * most).sqrt();
        let mut settings = vec![
            format!("nand.channels={channels}"),
            format!("nand.dies_per_channel={}", dies / channels),
            format!("map.stripe_dies={dies}"),
            format!("nand.planes_per_die={planes}"),
            format!("nand.pages_per_block={pages}"),
            format!("nand.blocks_per_die={}", superblocks * planes),
            format!("nand.channel_rate={}MB/s", 1400.0 / self.slowness),
            "link.rate=20000MB/s".to_owned(),
        ];
        let program = middle(program) * f64::from(together) / f64::from(bits);
        let of_class = Candidate::of(known);
        let mut times = vec![
            ("nand.t_read", middle(read)),
            ("nand.t_program", program),
            ("nand.t_erase", 5000.0 * f64::from(pages) / 2000.0),
        ];
        times.extend(
            OF_CLASS
                .iter()
                .filter_map(|&key| Some((key, of_class.get(Number::Key(key))?))),
        );
        settings.extend(self.times(&times));
        if known.cache_bytes().is_some() {
            settings.push(format!("slc.own_size={}MB", user / 1e6 * 0.006));
            settings.push(format!("slc.more_size={}MB", user / 1e6 * 0.10));
        }
        known.with(&settings)
    }
}

/// The generic drive of a class without what is its alone: its parity, its power, and that its map could be too large.
fn class(base: &str, pages_per_program: u32) -> Result<DriveFile, SheetError> {
    let generic = Catalog::default().known(base, &[])?;
    let mut table: Table = generic
        .text()
        .parse()
        .expect("it is the text of a drive file");
    for section in ["members", "power", "thermal", "reliability", "smart"] {
        table.remove(section);
    }
    let mut remove = |section: &str, keys: &[&str]| {
        if let Some(Value::Table(section)) = table.get_mut(section) {
            keys.iter().for_each(|&key| drop(section.remove(key)));
        }
    };
    remove("map", &["parity", "dram", "entry", "run"]);
    remove("slc", &["gone_at"]);
    remove("nand", &["t_read_spread", "pages_per_program"]);
    let mut settings = vec![
        format!("nand.pages_per_block={}", 120),
        format!("nand.blocks_per_die={}", 120_000),
    ];
    if pages_per_program > 1 {
        settings.push(format!("nand.pages_per_program={pages_per_program}"));
        settings.push("nand.t_read_spread=0.2".to_owned());
    }
    Catalog::default().parse("hidden", &table.to_string(), &settings)
}

/// Mechanisms that no fit solves for, with what sets them.
const UNKNOWN: &[(&str, &[&str])] = &[
    (
        "hot data apart by age",
        &["gc.streams=by-age", "gc.hot_age=0.2", "gc.reserve=5"],
    ),
    ("collection in the order of writing", &["gc.policy=fifo"]),
    (
        "the emptier of two victims",
        &["gc.policy=d-choices", "gc.choices=2"],
    ),
    ("reading ahead", &["buffer.read_ahead=1MiB"]),
    ("no suspension", &["scheduling.suspend=none"]),
];
