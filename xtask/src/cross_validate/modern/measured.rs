//! What was measured on drives of data centres while writes came at a given rate, and what their makers announce.

use anyhow::{Context, Result};
use ftlab_drive::DriveFile;
use ftlab_result::quantity::table;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The figures of a condition, by their metrics.
pub type Figures = BTreeMap<String, f64>;

/// A drive and all that was measured on it.
pub struct Drive {
    pub slug: String,
    /// By the rate that was offered.
    pub rates: BTreeMap<u64, Figures>,
    /// Write amplification of random writes, each with the GiB that they were written to.
    pub amplifications: Vec<(f64, f64)>,
    /// The rates announced, by their metrics.
    announced: Figures,
}

/// The rate served beside the one offered.
pub const SERVED: &str = table::SERVED_WRITES_PER_S.name;

/// The share of an offered rate that is served where a drive has the capacity for it.
const SERVED_SHARE: f64 = 0.97;

impl Drive {
    /// True for a rate that the drive did not serve.
    pub fn is_saturated(&self, rate: u64) -> bool {
        self.rates[&rate]
            .get(SERVED)
            .is_some_and(|served| *served < SERVED_SHARE * rate as f64)
    }

    /// Rates that are conditions of their own: all that lie above its capacity are one, the first of which stands for them.
    pub fn conditions(&self, rates: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut saturated = false;
        let is_new = |rate: &u64| match self.is_saturated(*rate) {
            true => !std::mem::replace(&mut saturated, true),
            false => true,
        };
        rates.filter(is_new).collect()
    }

    /// The data sheet, as a file of `ftlab calibrate`: what is announced, and what a sheet tells of capacity and port.
    pub fn sheet(&self, file: &DriveFile) -> Result<String> {
        let rows = file.parameters();
        let of = |key: &str| {
            let row = rows.iter().find(|row| row.key == key);
            row.map(|row| row.value.clone())
                .with_context(|| format!("{} has no {key}", self.slug))
        };
        let mut text = format!(
            "schema = 1\nkind = \"sheet\"\nname = \"{}\"\nclass = \"data-centre\"\nflash = \"TLC\"\ncapacity = \"{} sectors\"\nport = \"{}\"\n\
             channels = {}\n[announced]\n",
            file.name(),
            of("spare.user_capacity")?,
            of("link.port")?,
            of("nand.channels")?
        );
        for (metric, key, unit) in [
            ("seq_read_mb_s", "sequential_reads", " MB/s"),
            ("seq_write_mb_s", "sequential_writes", " MB/s"),
            ("rand_read_iops", "random_reads", ""),
            ("rand_write_iops", "random_writes", ""),
        ] {
            if let Some(value) = self.announced.get(metric) {
                writeln!(text, "{key} = \"{value}{unit}\"")?;
            }
        }
        Ok(text)
    }
}

/// All drives that were measured under offered rates.
pub fn drives() -> Result<Vec<Drive>> {
    let text = include_str!("../../../../reference/modern.csv");
    let mut drives: BTreeMap<String, Drive> = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row?;
        let (id, slug, test, conditions, metric) = (&row[0], &row[2], &row[3], &row[4], &row[5]);
        let Ok(value) = row[6].parse::<f64>() else {
            continue;
        };
        let drive = drives.entry(slug.to_owned()).or_insert_with(|| Drive {
            slug: slug.to_owned(),
            rates: BTreeMap::new(),
            amplifications: Vec::new(),
            announced: Figures::new(),
        });
        match test {
            "latency-under-offered-rate" => {
                let rate = conditions
                    .strip_prefix("offered ")
                    .and_then(|rest| rest.split(' ').next());
                let rate = rate.and_then(|rate| rate.parse().ok());
                let rate = rate.with_context(|| format!("{id}: no rate in `{conditions}`"))?;
                let figures = drive.rates.entry(rate).or_default();
                figures.insert(metric.to_owned(), value);
            }
            "steady-writes"
                if metric == table::WRITE_AMP.name && conditions.starts_with("uniform ") =>
            {
                let used = conditions
                    .split(" GiB of")
                    .next()
                    .and_then(|text| text.rsplit(' ').next());
                let used = used.and_then(|gib| gib.parse().ok());
                let used =
                    used.with_context(|| format!("{id}: no used space in `{conditions}`"))?;
                drive.amplifications.push((used, value));
            }
            "datasheet" => {
                drive.announced.insert(metric.to_owned(), value);
            }
            _ => {}
        }
    }
    let measured = drives.into_values().filter(|drive| !drive.rates.is_empty());
    Ok(measured.collect())
}
