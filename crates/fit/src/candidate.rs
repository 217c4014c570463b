//! The drive file to begin with, with other numbers.

use ftlab_drive::DriveFile;
use ftlab_sheet::SheetError;
use std::collections::BTreeMap;

/// A number that is solved for, on a scale of factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Number {
    /// Flash beside what the host sees, over what it sees.
    Spare,
    /// A key of the drive file.
    Key(&'static str),
}

/// What is known of a number before anything was measured.
#[derive(Debug, Clone, Copy)]
pub struct Prior {
    /// The number.
    pub number: Number,
    /// Its unit in drive files.
    pub unit: &'static str,
    /// The least and the most that drives of today have, in that unit.
    pub bounds: [f64; 2],
    /// One deviation of its logarithm.
    pub deviation: f64,
}

const fn prior(key: &'static str, unit: &'static str, bounds: [f64; 2], deviation: f64) -> Prior {
    Prior {
        number: Number::Key(key),
        unit,
        bounds,
        deviation,
    }
}

/// All numbers that a fit can solve for.
pub const PRIORS: &[Prior] = &[
    Prior {
        number: Number::Spare,
        unit: "1",
        bounds: [0.03, 1.2],
        deviation: 1.0,
    },
    prior("nand.pages_per_block", "1", [4.0, 1e5], 2.0),
    prior("nand.t_read", "us", [2.0, 400.0], 1.1),
    prior("nand.t_program", "us", [20.0, 30_000.0], 1.5),
    prior("nand.channel_rate", "MB/s", [20.0, 8000.0], 1.0),
    prior("link.rate", "MB/s", [50.0, 20_000.0], 3.0),
    prior("firmware.read_command", "us", [0.02, 200.0], 1.1),
    prior("firmware.write_command", "us", [0.02, 200.0], 1.1),
    prior("firmware.read_pipeline", "us", [0.05, 300.0], 1.1),
    prior("firmware.write_pipeline", "us", [0.05, 300.0], 1.1),
    prior("buffer.size", "MiB", [0.06, 4096.0], 1.5),
    prior("queue.depth", "1", [1.0, 65_536.0], 1.0),
    prior("scheduling.suspend_time", "us", [1.0, 1000.0], 0.7),
    prior("scheduling.suspend_every", "us", [1.0, 1000.0], 0.7),
    prior("scheduling.suspend_left_min", "us", [1.0, 10_000.0], 0.7),
    prior("slc.own_size", "MB", [1.0, 1e6], 2.0),
    prior("slc.more_size", "MB", [1.0, 1e6], 2.0),
    prior("slc.t_program", "us", [10.0, 2000.0], 1.1),
    prior("slc.t_read", "us", [2.0, 200.0], 0.7),
];

impl Number {
    /// What is known of it.
    #[must_use]
    pub fn prior(self) -> &'static Prior {
        let found = PRIORS.iter().find(|prior| prior.number == self);
        found.expect("every number has a prior")
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Number::Spare => "spare",
            Number::Key(key) => key,
        }
    }
}

/// The factor by which a number may differ from that of the file to begin with, if drives of today have none like it.
const WIDE: f64 = 20.0;

/// Pages of a block, a whole number.
const PAGES: Number = Number::Key("nand.pages_per_block");

/// The change of a number's logarithm by which slopes are told.
const STEP: f64 = 0.04;

/// Superblocks at least by which flash is changed for a slope.
const STEP_SUPERBLOCKS: f64 = 2.0;

const CHANNEL_RATE: Number = Number::Key("nand.channel_rate");

/// Dies and channels, which are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// Channels.
    pub channels: u32,
    /// Dies on all of them.
    pub dies: u32,
    /// Planes of a die.
    pub planes: u32,
}

/// A drive file with other numbers.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The file to begin with.
    start: DriveFile,
    /// Dies and channels.
    pub layout: Layout,
    /// Numbers in the units of their priors, where they are not the start's.
    values: BTreeMap<Number, f64>,
    /// Settings of each choice that was made.
    choices: BTreeMap<&'static str, Vec<String>>,
}

/// The value of a key in a file, in a unit.
fn value(file: &DriveFile, key: &str, unit: &str) -> Option<f64> {
    let row = file.parameters().into_iter().find(|row| row.key == key)?;
    let value: f64 = row.value.parse().ok()?;
    let times = |unit: &str| match unit {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "B" | "B/s" | "1" | "" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        "kB" => 1e3,
        "MB" | "MB/s" => 1e6,
        "GB" | "GB/s" => 1e9,
        "TB" => 1e12,
        "sectors" => 512.0,
        "MiB/s" => 1024.0 * 1024.0,
        _ => f64::NAN,
    };
    Some(value * times(&row.unit) / times(unit))
}

impl Candidate {
    /// The file to begin with as it is.
    #[must_use]
    pub fn of(start: &DriveFile) -> Candidate {
        let count = |key| value(start, key, "1").unwrap_or(1.0) as u32;
        let channels = count("nand.channels");
        let dies = match value(start, "nand.dies", "1") {
            Some(dies) => dies as u32,
            None => channels * count("nand.dies_per_channel"),
        };
        Candidate {
            start: start.clone(),
            layout: Layout {
                channels,
                dies,
                planes: count("nand.planes_per_die"),
            },
            values: BTreeMap::new(),
            choices: BTreeMap::new(),
        }
    }

    /// The file to begin with as a drive of as many bytes: its flash beside them stays the same share, and a smaller drive has
    /// smaller blocks, so that it has as many.
    ///
    /// # Errors
    /// When no such drive can be.
    pub fn begin(start: &DriveFile, capacity_bytes: u64) -> Result<Candidate, SheetError> {
        let own = Candidate::of(start);
        let spare = own.get(Number::Spare).expect("it has flash");
        let slot = start.slot_bytes().unwrap_or(4096);
        let bytes = capacity_bytes / slot * slot;
        let share = bytes as f64 / start.capacity_bytes() as f64;
        let pages = own.get(PAGES).expect("it has flash") * share.min(1.0);
        let own = own.with(PAGES, pages);
        let [pages, blocks] = [
            own.pages_per_block(),
            own.blocks_for(bytes as f64 * (1.0 + spare)),
        ];
        let mut sized = vec![
            format!("nand.pages_per_block={pages}"),
            format!("nand.blocks_per_die={blocks}"),
            format!("spare.user_capacity={bytes}B"),
        ];
        for key in ["slc.own_size", "slc.more_size"] {
            if let Some(size) = own.get(Number::Key(key)) {
                sized.push(format!("{key}={}MB", size * share));
            }
        }
        Ok(Candidate::of(&start.with(&sized)?))
    }

    /// A number as it is.
    #[must_use]
    pub fn get(&self, number: Number) -> Option<f64> {
        let set = self.values.get(&number).copied();
        set.or_else(|| match number {
            Number::Spare => {
                Some(self.start.raw_bytes()? as f64 / self.start.capacity_bytes() as f64 - 1.0)
            }
            Number::Key(key) => value(&self.start, key, number.prior().unit),
        })
    }

    /// The candidate with another number, within its bounds. They are wider where the file to begin with is of another age.
    #[must_use]
    pub fn with(&self, number: Number, value: f64) -> Candidate {
        let Prior { unit, bounds, .. } = number.prior();
        let [mut least, mut most] = *bounds;
        if let Number::Key(key) = number
            && *unit != "1"
            && let Some(of_start) = self::value(&self.start, key, unit)
        {
            (least, most) = (least.min(of_start / WIDE), most.max(of_start * WIDE));
        }
        let mut other = self.clone();
        other.values.insert(number, value.clamp(least, most));
        other
    }

    /// The candidate with other dies and channels, and superblocks as large as its own.
    #[must_use]
    pub fn laid_out(&self, layout: Layout) -> Candidate {
        let planes = |of: Layout| f64::from(of.dies * of.planes);
        let pages = self.get(PAGES).expect("it has flash") * planes(self.layout) / planes(layout);
        let other = Candidate {
            layout,
            ..self.clone()
        };
        if planes(layout) == planes(self.layout) {
            return other;
        }
        other.with(PAGES, pages)
    }

    /// The change of a number's logarithm by which slopes are told: flash and caches come in superblocks, so that less of them is
    /// the same drive.
    #[must_use]
    pub fn step(&self, number: Number) -> f64 {
        let own = self.get(number).unwrap_or(1.0);
        let superblock = self.row_bytes() * self.pages_per_block() as f64;
        let (bytes, step) = match number {
            Number::Spare => (own * self.start.capacity_bytes() as f64, superblock),
            Number::Key("slc.own_size" | "slc.more_size") => {
                let bits = value(&self.start, "slc.bits", "1").unwrap_or(1.0);
                (own * 1e6, superblock / bits)
            }
            Number::Key(_) => return STEP,
        };
        (STEP_SUPERBLOCKS * step / bytes).ln_1p().max(STEP)
    }

    /// The candidate with as many channels, which carry together what its own do.
    #[must_use]
    pub fn with_channels(&self, channels: u32) -> Candidate {
        let own = self.layout.channels;
        let other = self.laid_out(Layout {
            channels,
            ..self.layout
        });
        match self.get(CHANNEL_RATE) {
            Some(rate) if channels != own => {
                other.with(CHANNEL_RATE, rate * f64::from(own) / f64::from(channels))
            }
            _ => other,
        }
    }

    /// The candidate with a choice made.
    #[must_use]
    pub fn choosing(&self, choice: &'static str, settings: &[&str]) -> Candidate {
        let mut other = self.clone();
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        other.choices.insert(choice, settings);
        other
    }

    /// The choices that were made.
    #[must_use]
    pub fn choices(&self) -> &BTreeMap<&'static str, Vec<String>> {
        &self.choices
    }

    /// What is set of the file to begin with.
    #[must_use]
    pub fn settings(&self) -> Vec<String> {
        let Layout {
            channels,
            dies,
            planes,
        } = self.layout;
        let mut settings = vec![
            format!("nand.channels={channels}"),
            format!("nand.dies_per_channel={}", dies / channels),
            format!("map.stripe_dies={dies}"),
            format!("nand.planes_per_die={planes}"),
            format!("nand.pages_per_block={}", self.pages_per_block()),
            format!("nand.blocks_per_die={}", self.blocks_per_die()),
        ];
        if value(&self.start, "nand.dies", "1").is_some() {
            settings.push(format!("nand.dies={dies}"));
        }
        for (number, value) in &self.values {
            let Number::Key(key) = number else { continue };
            // It is set as a whole number, with the blocks.
            if *number == PAGES {
                continue;
            }
            settings.push(match number.prior().unit {
                "1" => format!("{key}={}", value.round().max(1.0)),
                unit => format!("{key}={value}{unit}"),
            });
        }
        settings.extend(self.choices.values().flatten().cloned());
        settings
    }

    /// The candidate, and those with the next fewer and more pages of a block.
    #[must_use]
    pub fn with_other_pages(&self) -> Vec<Candidate> {
        let [pages, step] = [self.pages_per_block(), self.pages_step()];
        let others = [pages.saturating_sub(step), pages + step].into_iter();
        let others = others.filter(|&pages| pages >= step);
        let others = others.map(|pages| self.with(PAGES, pages as f64));
        std::iter::once(self.clone()).chain(others).collect()
    }

    /// Pages of a block.
    fn pages_per_block(&self) -> u64 {
        let pages = self.get(PAGES).expect("every drive of flash has it");
        let step = self.pages_step();
        ((pages / step as f64).round() as u64).max(1) * step
    }

    /// Pages by which blocks differ: whole word lines, whole pages of the cache and, with parity, superblocks of whole stripes.
    fn pages_step(&self) -> u64 {
        let count = |key| value(&self.start, key, "1").map(|count| count as u64);
        let together = count("nand.pages_per_program").unwrap_or(1);
        let as_slc = count("slc.bits").unwrap_or(1);
        let units = count("map.parity").map_or(1, |data| data + 1);
        let times =
            (1..=units).find(|times| (times * u64::from(self.layout.dies)).is_multiple_of(units));
        together * times.unwrap_or(units) * as_slc
    }

    /// Bytes of a page on all planes of all dies.
    fn row_bytes(&self) -> f64 {
        let page = value(&self.start, "nand.page", "B").expect("every drive of flash has it");
        f64::from(self.layout.dies * self.layout.planes) * page
    }

    /// Bytes that all dies program at the same time.
    #[must_use]
    pub fn programmed_bytes(&self) -> f64 {
        self.row_bytes() * value(&self.start, "nand.pages_per_program", "1").unwrap_or(1.0)
    }

    /// Blocks of a die at which the flash is as much as it is to be.
    fn blocks_per_die(&self) -> u64 {
        let spare = self.get(Number::Spare).expect("it has flash");
        self.blocks_for(self.start.capacity_bytes() as f64 * (1.0 + spare))
    }

    /// Blocks of a die of a drive with so many bytes of flash.
    fn blocks_for(&self, bytes: f64) -> u64 {
        let of = |key, unit| value(&self.start, key, unit).expect("every drive of flash has it");
        let block = of("nand.page", "B") * self.pages_per_block() as f64;
        let planes = f64::from(self.layout.planes);
        let superblocks = (bytes / (block * planes * f64::from(self.layout.dies))).round();
        superblocks.max(1.0) as u64 * u64::from(self.layout.planes)
    }

    /// The drive file.
    ///
    /// # Errors
    /// When no such drive can be.
    pub fn file(&self) -> Result<DriveFile, SheetError> {
        self.start.with(&self.settings())
    }
}
