//! A maker's data sheet as a file: what the maker announces of a drive, and what it says of the drive's parts.

use super::CalibrateError;
use super::kind::Kind;
use super::measured::Measured;
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::{Class, Flash};
use ftlab_result::quantity::table;
use ftlab_sheet::places::Places;
use ftlab_sheet::provenance;
use ftlab_sheet::quantity::{Amount, Bytes, Count, Duration, Quantity, Rate, Ratio};
use ftlab_sheet::{SheetError, check_keys, check_schema, one_line};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// What the head of a sheet must have.
const REQUIRED: [(&str, &str); 6] = [
    ("schema", "a sheet begins with schema = 1"),
    ("kind", "give \"sheet\""),
    ("name", "give the name that reports show"),
    ("class", "give \"data-centre\" or \"client\""),
    ("flash", "give \"TLC\" or \"QLC\""),
    ("capacity", "give it as it is sold, for example \"960 GB\""),
];

/// The keys of a sheet outside the sections of a drive file.
const HEAD: [&str; 18] = [
    "schema",
    "kind",
    "name",
    "summary",
    "year",
    "class",
    "flash",
    "capacity",
    "port",
    "dram",
    "cache",
    "dies",
    "die",
    "channels",
    "base",
    "announced",
    "from",
    "predict",
];

/// A data sheet.
#[derive(Debug, Clone, Deserialize)]
pub struct Sheet {
    schema: u32,
    kind: String,
    pub(super) name: String,
    pub(super) summary: Option<String>,
    pub(super) year: Option<u16>,
    pub(crate) class: Class,
    pub(super) flash: Flash,
    capacity: Quantity<Bytes>,
    /// Lanes, as `link.port` of a drive file has them.
    pub(super) port: Option<String>,
    dram: Option<Value>,
    cache: Option<Quantity<Bytes>>,
    dies: Option<Quantity<Count>>,
    die: Option<String>,
    channels: Option<Quantity<Count>>,
    pub(super) base: Option<String>,
    #[serde(default)]
    announced: Announced,
    #[serde(default)]
    from: BTreeMap<String, Vec<String>>,
    predict: Option<Value>,
    /// Sections of a drive file: what is known beside.
    #[serde(skip)]
    pub(super) sections: Table,
    /// The file that it was read from.
    #[serde(skip)]
    pub(super) source: String,
    #[serde(skip)]
    places: Places,
}

/// What a maker announces: `up to`, but for the life of the drive.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Announced {
    sequential_reads: Option<Quantity<Rate>>,
    sequential_writes: Option<Quantity<Rate>>,
    sequential_writes_past_cache: Option<Quantity<Rate>>,
    random_reads: Option<Quantity<Count>>,
    random_writes: Option<Quantity<Count>>,
    read_latency: Option<Quantity<Duration>>,
    write_latency: Option<Quantity<Duration>>,
    drive_writes_per_day: Option<Quantity<Ratio>>,
    warranty_years: Option<Quantity<Ratio>>,
    endurance: Option<Quantity<Amount>>,
}

/// The keys of [`Announced`] that a model can be asked for, each with the figure that it is of a drive without a cache and with
/// one.
const FIGURES: [(&str, Kind, Kind); 7] = [
    (
        "sequential_reads",
        Kind::SequentialRead,
        Kind::SequentialRead,
    ),
    ("sequential_writes", Kind::SequentialWrite, Kind::FreshWrite),
    (
        "sequential_writes_past_cache",
        Kind::PastCacheWrite,
        Kind::PastCacheWrite,
    ),
    ("random_reads", Kind::RandomRead, Kind::RandomRead),
    ("random_writes", Kind::RandomWrite, Kind::FreshRandomWrite),
    ("read_latency", Kind::Read, Kind::Read),
    ("write_latency", Kind::Write, Kind::Write),
];

/// Keys whose figures may be named in `[from]`.
const LIFE: [&str; 3] = [
    table::DRIVE_WRITES_PER_DAY.name,
    "warranty_years",
    "endurance",
];

/// Years of a warranty that nobody tells.
const WARRANTY_YEARS: f64 = 5.0;
/// Days of a year of warranty.
const DAYS_A_YEAR: f64 = 365.0;

/// Commands that are outstanding where makers measure drives of NVMe, over all jobs.
const OUTSTANDING: u32 = 512;

/// How SFF-8447 counts the sectors of a drive that is sold by gigabytes: a number for the first 50 GB, and one for each
/// gigabyte beyond.
const SECTORS_OF_50_GB: u64 = 97_696_368;
const SECTORS_A_GB: u64 = 1_953_504;

impl Sheet {
    /// Reads the text of a sheet; `source` names it in errors and in what is made of it.
    ///
    /// # Errors
    /// When it is none, a key is unknown or missing, or a value cannot be.
    pub fn parse(source: &str, text: &str) -> Result<Sheet, CalibrateError> {
        let read = || -> Result<Sheet, String> {
            let table: Table = text.parse().map_err(|error| one_line(&error))?;
            Self::of_table(source, table)
        };
        let places = Places::of(text);
        match read() {
            Ok(sheet) => Ok(Sheet { places, ..sheet }),
            Err(why) => Err(CalibrateError::Input(format!(
                "{source}: {}",
                places.put(why)
            ))),
        }
    }

    /// The figures that are to be predicted of the drive (`[[predict]]`), as the sheet has them.
    pub(crate) fn predict(&self) -> Option<&Value> {
        self.predict.as_ref()
    }

    /// An error of the drive that was made of the sheet, with the place in the sheet where that names the key.
    pub(super) fn at_fault(&self, error: SheetError) -> CalibrateError {
        let SheetError::Invalid { why, .. } = error else {
            return error.into();
        };
        // The place in the draft is nobody's.
        let in_draft = why
            .strip_prefix("at line ")
            .and_then(|rest| rest.split_once(": "));
        let why = in_draft.map_or(why.as_str(), |(_, why)| why);
        CalibrateError::Input(format!(
            "{}: {}",
            self.source,
            self.places.put(why.to_owned())
        ))
    }

    fn of_table(source: &str, mut table: Table) -> Result<Sheet, String> {
        check_keys(&table, &REQUIRED)?;
        let mut head = Table::new();
        for key in HEAD {
            head.extend(table.remove_entry(key));
        }
        if let Some((key, _)) = table.iter().find(|(_, value)| !value.is_table()) {
            return Err(format!(
                "`{key}` is no key of a sheet; the keys are {}",
                HEAD.join(", ")
            ));
        }
        let sheet: Sheet = head.try_into().map_err(|error| one_line(&error))?;
        check_schema(sheet.schema)?;
        if sheet.kind != "sheet" {
            return Err(format!(
                "kind: it is `{}`, and a data sheet's is `sheet`",
                sheet.kind
            ));
        }
        sheet.check_from()?;
        if !FIGURES.iter().any(|(key, ..)| sheet.value(key).is_some()) {
            let keys: Vec<&str> = FIGURES.iter().map(|(key, ..)| *key).collect();
            return Err(format!(
                "announced: it has no figure that a drive could be made from; give some of {}",
                keys.join(", ")
            ));
        }
        Ok(Sheet {
            sections: table,
            source: source.to_owned(),
            ..sheet
        })
    }

    fn check_from(&self) -> Result<(), String> {
        for (key, ids) in &self.from {
            let known = FIGURES.iter().map(|(key, ..)| *key).chain(LIFE);
            if !known.clone().any(|known| known == key) {
                let known: Vec<&str> = known.collect();
                return Err(format!("from.{key}: it is none of {}", known.join(", ")));
            }
            provenance::check(ids)?;
        }
        Ok(())
    }

    /// The capacity in sectors, as makers count what they sell by gigabytes.
    pub(super) fn sectors(&self) -> u64 {
        let bytes = self.capacity.get();
        let gigabytes = bytes / 1_000_000_000;
        match bytes % 1_000_000_000 {
            0 if gigabytes >= 50 => SECTORS_OF_50_GB + SECTORS_A_GB * (gigabytes - 50),
            _ => bytes / SECTOR_BYTES,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.capacity.get()
    }

    /// Memory for the map, as it is told; 0 for a drive without.
    pub(super) fn dram_bytes(&self) -> Result<Option<u64>, CalibrateError> {
        let wrong = |why: String| CalibrateError::Input(format!("{}: dram: {why}", self.source));
        match &self.dram {
            None => Ok(None),
            Some(Value::String(none)) if none == "none" => Ok(Some(0)),
            Some(given) => {
                let size = given.clone().try_into::<Quantity<Bytes>>();
                let size = size.map_err(|error| {
                    wrong(format!(
                        "{}; give \"none\" for a drive without",
                        one_line(&error)
                    ))
                })?;
                Ok(Some(size.get()))
            }
        }
    }

    pub(super) fn cache_bytes(&self) -> Option<u64> {
        Some(self.cache.as_ref()?.get())
    }

    /// True if it says how fast the drive is past its cache.
    pub(super) fn tells_past_cache(&self) -> bool {
        self.announced.sequential_writes_past_cache.is_some()
    }

    pub(super) fn dies(&self) -> Option<u32> {
        Some(self.dies.as_ref()?.get())
    }

    pub(super) fn channels(&self) -> Option<u32> {
        Some(self.channels.as_ref()?.get())
    }

    /// Bytes of a die, by the bits that its maker counts.
    pub(super) fn die_bytes(&self) -> Result<Option<u64>, CalibrateError> {
        let Some(text) = &self.die else {
            return Ok(None);
        };
        let bits = ftlab_sheet::short::split(text).and_then(|(value, unit)| match unit {
            "Gbit" => Some(value * f64::from(1 << 30)),
            "Tbit" => Some(value * f64::from(1 << 30) * 1024.0),
            _ => None,
        });
        match bits {
            Some(bits) if bits >= 8e9 => Ok(Some((bits / 8.0) as u64)),
            _ => Err(CalibrateError::Input(format!(
                "{}: die: `{text}` is no size of a die; write one such as \"512 Gbit\" or \"1 Tbit\"",
                self.source
            ))),
        }
    }

    pub(super) fn sequential_reads_bytes_s(&self) -> Option<f64> {
        Some(self.announced.sequential_reads.as_ref()?.base)
    }

    /// What the drive is promised to bear, in bytes of the host, and the years that this is promised for.
    pub(super) fn written(&self) -> Option<(f64, f64)> {
        let of = |given: &Option<Quantity<Ratio>>| given.as_ref().map(|given| given.base);
        let years = of(&self.announced.warranty_years).unwrap_or(WARRANTY_YEARS);
        let by_day = || {
            Some(
                of(&self.announced.drive_writes_per_day)?
                    * self.bytes() as f64
                    * years
                    * DAYS_A_YEAR,
            )
        };
        let written = self.announced.endurance.as_ref().map(|given| given.base);
        Some((written.or_else(by_day)?, years))
    }

    /// The ids of what a key of the sheet says, or the sheet itself.
    pub(super) fn from(&self, key: &str) -> Vec<String> {
        self.from
            .get(key)
            .cloned()
            .unwrap_or_else(|| vec![self.source.clone()])
    }

    /// What is announced and can be asked of a model with a cache of SLC, or of one without.
    pub(super) fn figures(&self, has_cache: bool) -> Vec<Measured> {
        let figure = |(key, plain, cached): (&str, Kind, Kind)| {
            let kind = if has_cache { cached } else { plain };
            // Without a cache there is nothing past it.
            if key == "sequential_writes_past_cache" && !has_cache {
                return None;
            }
            Some(Measured {
                source: self.source.clone(),
                from: self.from(key),
                ..Measured::announced(kind, self.value(key)?, OUTSTANDING)
            })
        };
        let mut figures: Vec<Measured> = FIGURES.into_iter().filter_map(figure).collect();
        figures.sort_by_key(|figure| figure.kind);
        figures
    }

    /// The value of a figure: MB/s, commands a second, or microseconds.
    fn value(&self, key: &str) -> Option<f64> {
        let told = &self.announced;
        let rate = |rate: &Option<Quantity<Rate>>| Some(rate.as_ref()?.base / 1e6);
        let count = |count: &Option<Quantity<Count>>| Some(count.as_ref()?.base);
        let time = |time: &Option<Quantity<Duration>>| Some(time.as_ref()?.base / 1e3);
        match key {
            "sequential_reads" => rate(&told.sequential_reads),
            "sequential_writes" => rate(&told.sequential_writes),
            "sequential_writes_past_cache" => rate(&told.sequential_writes_past_cache),
            "random_reads" => count(&told.random_reads),
            "random_writes" => count(&told.random_writes),
            "read_latency" => time(&told.read_latency),
            "write_latency" => time(&told.write_latency),
            _ => None,
        }
    }
}
