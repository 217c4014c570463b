//! Fills of whole consumer drives.
//!
//! *Found*: of each drive that comes with ftlab and has a cache, what its fill shows of the cache that its file gives.
//! *Left out*: each drive that a review filled, with all rows of that fill left out. What is known of it is its data sheet, which may
//! tell the size of the cache; the rest is its class's, and a range over the members of that.

use crate::numbers::short;
use anyhow::{Context, Result};
use ftlab_bench::calibrate::{Sheet, from_sheet};
use ftlab_bench::forecast::middle;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_lab::{KnownOfFill, fill_metrics, fill_of};
use ftlab_play::driver::{self, Clock};
use ftlab_play::record::Record;
use ftlab_result::Fill;
use ftlab_result::quantity::{Quantity, table};
use ftlab_workload::JobFile;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

const SEED: ftlab_base::RootSeed = ftlab_base::RootSeed(1);

/// The job of a fill, and the capacity and the machine of the suite of today's drives.
const JOB: &str = include_str!("../../../jobs/fill-128k-qd32.fio");
const SMALL_BYTES: u64 = 16_000_000_000;
const TESTBED: &str = "linux-2024-nvme";

/// Members of a class that are filled for a range.
const MEMBERS: u32 = 12;

/// How near a size and a mean are to count, as factors; and what the finder returns of a cache that is given.
const SIZE_NEAR: f64 = 1.3;
const MEAN_NEAR: f64 = 1.15;
const FOUND_NEAR: f64 = 1.1;

/// Names under which reviews have the size of the cache of an empty drive.
const SIZES: [&Quantity; 2] = [&table::SLC_GB, &table::SLC_GB_EMPTY];

/// What a fill shows.
struct Shown {
    fill: Fill,
    metrics: BTreeMap<String, f64>,
}

impl Shown {
    fn value(&self, of: &Quantity) -> Option<f64> {
        self.metrics.get(of.name).copied()
    }

    /// The plateaus in words.
    fn plateaus(&self) -> String {
        let parts = self.fill.plateaus.iter();
        let parts = parts.map(|part| format!("{:.0} MB/s to {} GB", part.mb_s, short(part.to_gb)));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Fills an empty drive.
fn fill(file: &DriveFile) -> Result<Shown> {
    let (small, times) = file.shrunk_to(SMALL_BYTES)?;
    let mut device = small.build(&Testbed::load(TESTBED)?, SEED)?;
    let job = JobFile::parse(JOB, "fill.fio")?;
    let report = driver::run(&job, &mut *device, Clock::Timed, SEED)?;
    let record = Record::of_jobs(&job, &report);
    let fill = fill_of(&record.logs, KnownOfFill::of(&small, times));
    Ok(Shown {
        metrics: fill_metrics(&fill),
        fill,
    })
}

/// A drive of which a fill was published.
struct Drive {
    slug: String,
    published: BTreeMap<String, f64>,
    shown: Shown,
    members: Vec<Shown>,
}

impl Drive {
    /// A drive by its sheet, and members of its class in place of it.
    fn of(slug: &str, published: BTreeMap<String, f64>) -> Result<Drive> {
        let place = format!("reference/sheets/{slug}.toml");
        let path: PathBuf = crate::docs::place(&place);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("{slug} needs {place}"))?;
        let file = from_sheet(&Sheet::parse(&place, &text)?, &Catalog::default())?.file;
        let members: Result<Vec<Shown>> = (file.members(MEMBERS)?.par_iter())
            .map(|(member, _)| fill(member))
            .collect();
        Ok(Drive {
            slug: slug.to_owned(),
            published,
            shown: fill(&file)?,
            members: members?,
        })
    }

    fn published(&self, of: &[&Quantity]) -> Option<f64> {
        of.iter()
            .find_map(|of| self.published.get(of.name).copied())
    }

    /// The range of a figure over the middle members.
    fn range(&self, of: &Quantity) -> Option<[f64; 2]> {
        let values = self.members.iter().filter_map(|member| member.value(of));
        let [low, _, high] = middle(values.collect())?;
        Some([low, high])
    }
}

/// What was published of fills, by drive.
fn published() -> Result<BTreeMap<String, BTreeMap<String, f64>>> {
    let text = include_str!("../../../reference/modern.csv");
    let mut drives: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row?;
        if &row[3] == "sequential-fill" {
            let value = row[6]
                .parse()
                .with_context(|| format!("{}: no number", &row[0]))?;
            let drive = drives.entry(row[2].to_owned()).or_default();
            drive.insert(row[5].to_owned(), value);
        }
    }
    Ok(drives)
}

/// Prints both tables, and writes them as a page.
pub fn command() -> Result<()> {
    let with_cache = |slug: &str| -> Result<Option<DriveFile>> {
        let file = Catalog::default().load(slug, &[])?;
        Ok(file.cache_bytes().map(|_| file))
    };
    let files: Result<Vec<Option<DriveFile>>> =
        Catalog::drives().into_iter().map(with_cache).collect();
    let files: Vec<DriveFile> = files?.into_iter().flatten().collect();
    let found: Result<Vec<(DriveFile, Shown)>> = files
        .into_par_iter()
        .map(|file| {
            let shown = fill(&file)?;
            Ok((file, shown))
        })
        .collect();
    let drives: Result<Vec<Drive>> = published()?
        .into_par_iter()
        .map(|(slug, figures)| Drive::of(&slug, figures))
        .collect();
    let drives = drives?;
    let page = [
        HEAD.to_owned(),
        finder(&found?),
        left_out(&drives),
        curves(&drives),
    ];
    let page = page.concat();
    println!("{page}");
    crate::docs::write("docs/cross-validation-fills.md", &page)
}

const HEAD: &str = "\
# Fills of whole drives

An empty drive written in order, from its first address to its last: plateaus, and the size of the cache of SLC. Drawn by

```sh
cargo run --release -p xtask -- cross-validate --fills
```
";

fn within(one: f64, other: f64, factor: f64) -> bool {
    (one / other).ln().abs() <= factor.ln()
}

/// A difference in percent.
fn off(is: f64, should: f64) -> String {
    format!("{:+.1} %", 100.0 * (is / should - 1.0))
}

fn finder(found: &[(DriveFile, Shown)]) -> String {
    let mut text = "
## What a fill shows of the cache that a file gives

The finder divides the course of the speed into plateaus. It returns the cache within 10 % or says that it cannot tell.

| drive | given | found | off | plateaus |
|---|--:|--:|--:|---|
"
    .to_owned();
    let mut right = 0;
    for (file, shown) in found {
        let given = file.cache_bytes().unwrap_or_default() as f64 / 1e9;
        let (told, difference) = match shown.value(&table::SLC_GB) {
            None => ("cannot tell".to_owned(), "–".to_owned()),
            Some(gb) => (format!("{} GB", short(gb)), off(gb, given)),
        };
        let is_right = (shown.value(&table::SLC_GB)).is_none_or(|gb| within(gb, given, FOUND_NEAR));
        right += usize::from(is_right);
        let slug = file.slug();
        let plateaus = shown.plateaus();
        writeln!(
            text,
            "| {slug} | {} GB | {told} | {difference} | {plateaus} |",
            short(given)
        )
        .expect("it is a string");
    }
    writeln!(
        text,
        "\n{right} of {} are within 10 % or the finder says that it cannot tell.",
        found.len()
    )
    .expect("it is a string");
    text
}

fn left_out(drives: &[Drive]) -> String {
    let mut text = "
## Published fills, left out

Each drive with all rows of its fill left out: `ftlab calibrate --sheet` makes it of what its maker announces (`reference/sheets/`), which
may be the size of the cache; what no sheet tells is the class's. No number of a class is worked out from these fills, but whoever set
them had seen them. *Range*: the middle 80 % of the members of the class.

| drive | cache, published | of the sheet | range | off | mean, published | of the sheet | range | off |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
"
    .to_owned();
    let mut shares = [[0, 0]; 2];
    for drive in drives {
        let mut cells = vec![drive.slug.clone()];
        let rows: [(&[&Quantity], &Quantity, f64); 2] = [
            (&SIZES, &table::SLC_GB, SIZE_NEAR),
            (&[&table::MEAN_MB_S], &table::MEAN_MB_S, MEAN_NEAR),
        ];
        for ((names, of, near), share) in rows.into_iter().zip(&mut shares) {
            let Some(published) = drive.published(names) else {
                cells.extend(["–"; 4].map(str::to_owned));
                continue;
            };
            let is = drive.shown.value(of);
            let range = drive.range(of);
            let is_near = is.is_some_and(|is| within(is, published, near));
            *share = [share[0] + usize::from(is_near), share[1] + 1];
            cells.extend([
                format!("{published} {}", of.unit),
                is.map_or("cannot tell".to_owned(), short),
                range.map_or("–".to_owned(), |[low, high]| {
                    format!("{} to {}", short(low), short(high))
                }),
                is.map_or("–".to_owned(), |is| off(is, published)),
            ]);
        }
        writeln!(text, "| {} |", cells.join(" | ")).expect("it is a string");
    }
    let [sizes, means] = shares;
    writeln!(
        text,
        "\nThe size of the cache is within × {SIZE_NEAR} for {} of {}, the mean within 15 % for {} of {}.",
        sizes[0], sizes[1], means[0], means[1]
    )
    .expect("it is a string");
    text
}

/// Speeds and knees beside sizes and means, each with the name that reviews have for it and what the model calls it.
const CURVE: [(&Quantity, &Quantity); 6] = [
    (&table::SLC_WRITE_MB_S, &table::SLC_WRITE_MB_S),
    (&table::AFTER_MB_S, &table::AFTER_MB_S),
    (&table::DIRECT_TLC_MB_S, &table::AFTER_MB_S),
    (&table::DIRECT_UNTIL_GB, &table::DIRECT_UNTIL_GB),
    (&table::DIRECT_TLC_UNTIL_GB, &table::DIRECT_UNTIL_GB),
    (&table::FOLD_MB_S, &table::FOLD_MB_S),
];

fn curves(drives: &[Drive]) -> String {
    let mut text = "
## The curves of the same drives

| drive | figure | published | of the sheet | off |
|---|---|--:|--:|--:|
"
    .to_owned();
    for drive in drives {
        for (name, of) in CURVE {
            let Some(published) = drive.published(&[name]) else {
                continue;
            };
            let is = drive.shown.value(of);
            writeln!(
                text,
                "| {} | {} | {published} {} | {} | {} |",
                drive.slug,
                of.name,
                of.unit,
                is.map_or("–".to_owned(), short),
                is.map_or("–".to_owned(), |is| off(is, published))
            )
            .expect("it is a string");
        }
        writeln!(
            text,
            "| {} | plateaus | | {} | |",
            drive.slug,
            drive.shown.plateaus()
        )
        .expect("it is a string");
    }
    text
}
