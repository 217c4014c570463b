//! One number of a file: value, unit, source, confidence.

use crate::provenance;
use crate::short;
use ftlab_base::amount::grouped;
use ftlab_base::{Nanos, SECTOR_BYTES};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt::{Formatter, Result as Printed};
use std::marker::PhantomData;

/// The key of the range in which the members of a class have a number.
pub const RANGE_KEY: &str = "range";

/// Kind of source that a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A data sheet or the maker's own words.
    Datasheet,
    /// One of the reviews, in words or pictures.
    Review,
    /// Measured on a real drive.
    Measured,
    /// Found by a fit to published figures: `from` says which.
    Fitted,
    /// Worked out by hand from figures that were published or announced: `from` says which.
    Derived,
    /// Neither published nor fitted: what drives of the kind have. The note says why.
    Assumed,
    /// Taken over from the configuration of another program: the note says from which key.
    Imported,
    /// Set on the command line.
    Set,
}

/// Certainty of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Stated for this very part.
    High,
    /// Stated for its kind, or pinned by several figures.
    Medium,
    /// From memory, or pinned by one figure.
    Low,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    value: f64,
    unit: String,
    source: Source,
    #[allow(dead_code, reason = "checked here, shown from the text of the file")]
    confidence: Confidence,
    /// Ids of the figures that it was worked out from.
    #[serde(default)]
    from: Vec<String>,
    /// By how many percent the drive misses some of them.
    #[serde(default)]
    residual: BTreeMap<String, f64>,
    /// The least and the most that members of a class have.
    range: Option<[f64; 2]>,
    #[serde(default)]
    #[allow(dead_code, reason = "checked here, shown from the text of the file")]
    note: String,
}

/// Kind of number: its units, and their worth in the base unit.
pub trait Dimension {
    /// The name where a file's keys are listed.
    const NAME: &'static str;
    /// (unit, factor to the base unit). A number set on the command line without a unit takes the
    /// file's; the first unit here when the file has none. A bare number in a file has the unit 1, or the only one here.
    const UNITS: &'static [(&'static str, f64)];
    /// True if only whole numbers are valid.
    const WHOLE: bool;
    /// The least value in the base unit.
    const LEAST: f64;
    /// The most, in the base unit: beyond anything a drive has, so that sums stay exact.
    const MOST: f64;
}

/// A number of dimension `D`, in its base unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity<D> {
    /// In the base unit of its dimension.
    pub base: f64,
    dimension: PhantomData<D>,
}

macro_rules! dimension {
    ($(#[$doc:meta])* $name:ident, $word:literal, whole: $whole:literal, least: $least:literal, most: $most:expr, $($unit:literal = $factor:expr),+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name;

        impl Dimension for $name {
            const NAME: &'static str = $word;
            const UNITS: &'static [(&'static str, f64)] = &[$(($unit, $factor)),+];
            const WHOLE: bool = $whole;
            const LEAST: f64 = $least;
            const MOST: f64 = $most;
        }
    };
}

dimension! {
    /// Things counted, at least one.
    Count, "count", whole: true, least: 1.0, most: 4_294_967_295.0, "1" = 1.0, "k" = 1e3, "M" = 1e6
}
dimension! {
    /// Things counted, perhaps none.
    CountOrNone, "count or 0", whole: true, least: 0.0, most: 4_294_967_295.0, "1" = 1.0, "k" = 1e3, "M" = 1e6
}
dimension! {
    /// A yes or no that a source vouches for.
    Flag, "0 or 1", whole: true, least: 0.0, most: 1.0, "1" = 1.0
}
dimension! {
    /// A ratio above zero.
    Ratio, "ratio", whole: false, least: 1e-9, most: 1e6, "1" = 1.0, "%" = 0.01
}
dimension! {
    /// A part of a whole, perhaps none and perhaps very small.
    Share, "share", whole: false, least: 0.0, most: 1.0, "1" = 1.0, "%" = 0.01
}
dimension! {
    /// Energy of one particle; base electronvolt.
    ActivationEnergy, "energy in eV", whole: false, least: 0.0, most: 10.0, "eV" = 1.0
}
dimension! {
    /// A span of time; base nanosecond.
    Time, "time", whole: false, least: 0.0, most: 3.6e12, "ns" = 1.0, "us" = 1e3, "ms" = 1e6, "s" = 1e9
}
dimension! {
    /// A span of time of what takes some; base nanosecond.
    Duration, "time above 0", whole: false, least: 1.0, most: 3.6e12, "ns" = 1.0, "us" = 1e3, "ms" = 1e6, "s" = 1e9
}
dimension! {
    /// A size; base byte.
    Bytes, "size", whole: false, least: 1.0, most: 1.8e16,
    "B" = 1.0, "KiB" = 1024.0, "MiB" = 1_048_576.0, "GiB" = 1_073_741_824.0,
    "TiB" = 1_099_511_627_776.0, "kB" = 1e3, "MB" = 1e6, "GB" = 1e9, "TB" = 1e12, "sectors" = SECTOR_BYTES as f64
}
dimension! {
    /// An amount of data over years; base byte.
    Amount, "amount of data", whole: false, least: 1.0, most: 1e18,
    "B" = 1.0, "GB" = 1e9, "TB" = 1e12, "PB" = 1e15, "GiB" = 1_073_741_824.0, "TiB" = 1_099_511_627_776.0
}
dimension! {
    /// A rate; base byte a second.
    Rate, "rate", whole: false, least: 1.0, most: 1e15, "MB/s" = 1e6, "MiB/s" = 1_048_576.0, "GB/s" = 1e9,
    "GiB/s" = 1_073_741_824.0, "kB/s" = 1e3, "KiB/s" = 1024.0
}

dimension! {
    /// A power; base watt.
    Power, "power", whole: false, least: 0.0, most: 1e3, "W" = 1.0, "mW" = 1e-3
}
dimension! {
    /// An energy; base joule.
    Energy, "energy", whole: false, least: 0.0, most: 1.0, "uJ" = 1e-6, "nJ" = 1e-9, "mJ" = 1e-3
}
dimension! {
    /// An energy a byte; base joule a byte.
    EnergyPerByte, "energy a byte", whole: false, least: 0.0, most: 1e-3, "nJ/B" = 1e-9, "pJ/B" = 1e-12
}

dimension! {
    /// A temperature; base degree Celsius.
    Celsius, "temperature", whole: false, least: -100.0, most: 1000.0, "C" = 1.0
}
dimension! {
    /// A thermal resistance; base kelvin a watt.
    ThermalResistance, "kelvin a watt", whole: false, least: 1e-3, most: 1e4, "K/W" = 1.0
}
dimension! {
    /// A heat capacity; base joule a kelvin.
    HeatCapacity, "joules a kelvin", whole: false, least: 1e-3, most: 1e6, "J/K" = 1.0
}

/// A quantity whose time is read as a span.
trait Span: Dimension {}

impl Span for Time {}
impl Span for Duration {}

impl Written {
    /// What a short form says: nobody vouches for it.
    fn short(value: f64, unit: &str) -> Written {
        Written {
            value,
            unit: unit.to_owned(),
            source: Source::Assumed,
            confidence: Confidence::Low,
            from: Vec::new(),
            residual: BTreeMap::new(),
            range: None,
            note: String::new(),
        }
    }

    /// Only what was worked out from figures names them, and only such as there are.
    fn check_from(&self) -> Result<(), String> {
        if !self.from.is_empty() && !matches!(self.source, Source::Fitted | Source::Derived) {
            return Err(
                "from: a number that was worked out from figures has the source `fitted` or `derived`"
                    .to_owned(),
            );
        }
        provenance::check(&self.from)?;
        match self.residual.keys().find(|id| !self.from.contains(id)) {
            Some(id) => Err(format!("residual: {id} is none of the figures in `from`")),
            None => Ok(()),
        }
    }
}

impl<D: Dimension> Quantity<D> {
    fn new(written: &Written) -> Result<Self, String> {
        written.check_from()?;
        let value = written.value;
        if let Some([least, most]) = written.range
            && !(least <= value && value <= most && least < most)
        {
            return Err(format!(
                "range: {least} to {most} does not lie about the value, {value}"
            ));
        }
        let unit = match written.unit.as_str() {
            "" => Some(&D::UNITS[0]),
            name => short::unit(name, D::UNITS),
        };
        let Some((unit, factor)) = unit else {
            return Err(format!(
                "unit `{}` is none of: {}",
                written.unit,
                short::listed(D::UNITS)
            ));
        };
        let base = written.value * factor;
        // Limits are shown in the unit that was written, not in the base unit.
        if let Some(why) = fault::<D>(base) {
            let with_unit = |number: String| match *unit {
                "1" => number,
                unit => format!("{number} {unit}"),
            };
            return Err(format!(
                "{}: it {why}; from {} to {} is allowed",
                with_unit(plain(written.value)),
                plain(D::LEAST / factor),
                with_unit(plain(D::MOST / factor)),
            ));
        }
        Ok(Quantity {
            base,
            dimension: PhantomData,
        })
    }
}

/// Returns the fault of a number in its base unit, if it has one.
fn fault<D: Dimension>(base: f64) -> Option<&'static str> {
    match base {
        base if base.is_nan() => Some("must be a number"),
        base if base < 0.0 && D::LEAST == 0.0 => Some("must not be negative"),
        base if base <= 0.0 && D::LEAST > 0.0 => Some("must be above 0"),
        base if base < D::LEAST => Some("is less than anything a drive has"),
        base if base > D::MOST => Some("is beyond anything a drive has"),
        base if D::WHOLE && base.fract() != 0.0 => Some("must be a whole number"),
        _ => None,
    }
}

/// A number as somebody would write it, without the noise of its last bits.
fn plain(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    match rounded {
        v if v.is_nan() => "nan".to_owned(),
        v if v.fract() == 0.0 && (0.0..1e15).contains(&v) => grouped(v as u64),
        v if v != 0.0 && v.is_finite() && !(1e-4..1e15).contains(&v.abs()) => format!("{v:e}"),
        v => v.to_string(),
    }
}

impl<'de, D: Dimension> Deserialize<'de> for Quantity<D> {
    fn deserialize<S: Deserializer<'de>>(from: S) -> Result<Self, S::Error> {
        from.deserialize_any(Reader(PhantomData))
    }
}

/// Reads a number in any of its forms.
struct Reader<D>(PhantomData<D>);

impl<D: Dimension> Reader<D> {
    fn bare<E: Error>(value: f64) -> Result<Quantity<D>, E> {
        let unit = short::bare(value, D::UNITS).map_err(E::custom)?;
        Quantity::new(&Written::short(value, unit)).map_err(E::custom)
    }
}

impl<'de, D: Dimension> Visitor<'de> for Reader<D> {
    type Value = Quantity<D>;

    fn expecting(&self, to: &mut Formatter<'_>) -> Printed {
        let unit = D::UNITS[0].0;
        let example = if unit == "1" {
            "4"
        } else {
            &format!("\"4 {unit}\"")
        };
        write!(
            to,
            "a number: {example}, or {{ value = 4, unit = \"{unit}\", source = …, confidence = … }}"
        )
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Quantity<D>, E> {
        Reader::bare(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Quantity<D>, E> {
        Reader::bare(value)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity<D>, E> {
        let (value, unit) = short::number(text, D::UNITS).map_err(E::custom)?;
        Quantity::new(&Written::short(value, unit)).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Quantity<D>, A::Error> {
        let written = Written::deserialize(MapAccessDeserializer::new(map))?;
        Quantity::new(&written).map_err(A::Error::custom)
    }
}

impl Quantity<Count> {
    /// Returns the number as a count.
    #[must_use]
    pub fn get(&self) -> u32 {
        self.base as u32
    }
}

impl Quantity<CountOrNone> {
    /// Returns the number as a count; 0 for none.
    #[must_use]
    pub fn get(&self) -> u32 {
        self.base as u32
    }
}

impl Quantity<Flag> {
    /// Returns true unless the number is zero.
    #[must_use]
    pub fn get(&self) -> bool {
        self.base > 0.0
    }
}

#[expect(private_bounds, reason = "times alone are read so")]
impl<D: Span> Quantity<D> {
    /// Returns the number as a span.
    #[must_use]
    pub fn get(&self) -> Nanos {
        Nanos(self.base.round() as u64)
    }
}

impl Quantity<Bytes> {
    /// Returns the number of bytes.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.base.round() as u64
    }
}

impl Quantity<Amount> {
    /// Returns the number of bytes.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.base.round() as u64
    }
}

impl Quantity<Rate> {
    /// The time of one sector of 512 bytes when each costs `bytes` on the wire.
    #[must_use]
    pub fn time_of(&self, bytes: f64) -> Nanos {
        Nanos((bytes / self.base * 1e9).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse<D: Dimension>(text: &str) -> Result<f64, String> {
        let text = format!("{text}, source = \"fitted\", confidence = \"low\"");
        let table: toml::Table = format!("q = {{ {text} }}").parse().unwrap();
        let quantity = table["q"].clone().try_into::<Quantity<D>>();
        quantity.map(|q| q.base).map_err(|e| e.to_string())
    }

    #[test]
    fn units_scale_to_the_base() {
        assert_eq!(parse::<Time>("value = 50, unit = \"us\""), Ok(50_000.0));
        assert_eq!(parse::<Bytes>("value = 256, unit = \"KiB\""), Ok(262_144.0));
        assert_eq!(
            parse::<Ratio>("value = 7, unit = \"%\"").map(|x| (x * 1e9).round()),
            Ok(7e7)
        );
    }

    #[test]
    fn what_cannot_be_is_told_with_what_can() {
        let error = |r: Result<f64, String>| r.unwrap_err();
        assert!(
            error(parse::<Time>("value = 1, unit = \"KiB\"")).contains("none of: ns, us, ms, s")
        );
        for (text, why) in [
            (
                "value = nan",
                "nan us: it must be a number; from 0 to 3,600,000,000 us",
            ),
            ("value = -nan", "nan us: it must be a number"),
            (
                "value = inf",
                "inf us: it is beyond anything a drive has; from 0 to",
            ),
            ("value = -inf", "-inf us: it must not be negative"),
            (
                "value = 1e300",
                "1e300 us: it is beyond anything a drive has",
            ),
        ] {
            let told = error(parse::<Time>(&format!("{text}, unit = \"us\"")));
            assert!(told.contains(why), "{text}: {told}");
        }
        let ratio = |value| error(parse::<Ratio>(&format!("value = {value}, unit = \"1\"")));
        assert!(ratio("0").contains("0: it must be above 0; from 1e-9 to 1,000,000 is allowed"));
        assert!(ratio("1e-10").contains("1e-10: it is less than anything a drive has"));
        let count = |value| error(parse::<Count>(&format!("value = {value}, unit = \"1\"")));
        assert!(count("1.5").contains("1.5: it must be a whole number; from 1 to 4,294,967,295"));
        assert!(count("-1").contains("-1: it must be above 0"));
    }

    #[test]
    fn figures_are_named_by_what_was_worked_out_from_them() {
        let of = |source, from| {
            let text = format!("source = \"{source}\", confidence = \"low\", from = [{from}]");
            let table: toml::Table = format!("q = {{ value = 5, unit = \"us\", {text} }}")
                .parse()
                .unwrap();
            let read = table["q"].clone().try_into::<Quantity<Time>>();
            read.map(drop).map_err(|why| why.to_string())
        };
        assert_eq!(of("fitted", "\"F0172\""), Ok(()));
        assert_eq!(of("derived", "\"F0172\", \"A001\""), Ok(()));
        // A fit to figures of one's own has no ids to name.
        assert_eq!(of("fitted", ""), Ok(()));
        let why = of("assumed", "\"F0172\"").unwrap_err();
        assert!(why.contains("the source `fitted` or `derived`"), "{why}");
        let why = of("derived", "\"F9999\"").unwrap_err();
        assert!(why.contains("no figure is called `F9999`"), "{why}");
    }

    fn short<D: Dimension>(text: &str) -> Result<f64, String> {
        let table: toml::Table = format!("q = {text}").parse().unwrap();
        let read = table["q"].clone().try_into::<Quantity<D>>();
        read.map(|q| q.base)
            .map_err(|why| why.to_string().trim().to_owned())
    }

    #[test]
    fn a_number_may_be_bare_or_have_its_unit_behind_it() {
        assert_eq!(short::<Count>("4"), Ok(4.0));
        assert_eq!(short::<Count>("\"3k\""), Ok(3000.0));
        assert_eq!(short::<Ratio>("0.07"), Ok(0.07));
        assert_eq!(short::<Share>("\"50 %\""), Ok(0.5));
        assert_eq!(short::<Celsius>("70"), Ok(70.0));
        assert_eq!(short::<Celsius>("\"70 °C\""), Ok(70.0));
        for micro in ["us", "µs", "μs"] {
            assert_eq!(short::<Time>(&format!("\"49 {micro}\"")), Ok(49_000.0));
        }
        assert_eq!(short::<Rate>("\"1.5 GB/s\""), Ok(1.5e9));
        assert_eq!(short::<Bytes>("\"2 TiB\""), Ok(2_f64.powi(41)));
        assert_eq!(short::<ActivationEnergy>("\"1.1eV\""), Ok(1.1));
    }

    #[test]
    fn a_short_form_that_cannot_be_is_refused_with_what_can() {
        let of_time = |text: &str| short::<Duration>(text).unwrap_err();
        for (text, why) in [
            (
                "49",
                "49 has no unit; write it as \"49 ns\", with one of ns, us, ms, s",
            ),
            ("nan", "NaN has no unit"),
            (
                "\"0 us\"",
                "0 us: it must be above 0; from 0.001 to 3,600,000,000 us",
            ),
            ("\"49 parsecs\"", "unit `parsecs` is none of: ns, us, ms, s"),
            (
                "\"soon\"",
                "`soon` is no number; write one such as \"4 ns\"",
            ),
            ("\"\"", "`` is no number"),
            (
                "true",
                "expected a number: \"4 ns\", or { value = 4, unit = \"ns\"",
            ),
        ] {
            assert!(of_time(text).contains(why), "{text}: {}", of_time(text));
        }
        let why = short::<Count>("[4]").unwrap_err();
        assert!(why.contains("expected a number: 4, or {"), "{why}");
    }
}
