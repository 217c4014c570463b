//! What a number of a drive file was worked out from, the drive reaches, or the file says by how much it does not: two
//! numbers of a file do not contradict each other without a word. Here for all that makers announce.

use ftlab_bench::calibrate::{Kind, Measured, Sheet, from_sheet, shown};
use ftlab_drive::Catalog;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// By how much a drive may miss a figure, and random reads beyond what one core of a controller of 2012 takes.
const TOLERANCE: f64 = 0.05;
const READS_TOLERANCE: f64 = 0.15;

/// By how much a residual may be other than what the file says.
const STATED: f64 = 0.03;

/// Commands outstanding where nothing else is said: of NVMe and of SATA.
const NVME_OUTSTANDING: u32 = 512;
const SATA_OUTSTANDING: u32 = 32;

/// Words of what is announced and is no rate or latency of data that do not compress, on a drive that is new or full. Reads
/// in order, alone, meet the drive's read-ahead: published latencies answer to that.
const OTHER: [&str; 5] = [
    "power",
    "program",
    "of data that compress",
    "written all over",
    "in order, alone",
];

/// A figure that is announced of a drive.
struct Announced {
    id: String,
    drive: String,
    figure: Measured,
}

/// A row of what makers announce of drives of 2008 to 2013; none of what is no job.
fn row(id: &str, drive: &str, what: &str, value: f64, unit: &str, note: &str) -> Option<Announced> {
    if OTHER
        .iter()
        .any(|word| what.contains(word) || note.contains(word))
    {
        return None;
    }
    let outstanding = match what {
        what if what.contains("one at a time") => 1,
        what if what.contains("3 outstanding") => 3,
        _ => SATA_OUTSTANDING,
    };
    let kind = match what {
        what if what.starts_with("sequential reads") => Kind::SequentialRead,
        what if what.starts_with("sequential writes") => Kind::FreshWrite,
        what if what.starts_with("4 KiB random reads") => Kind::RandomRead,
        what if what.contains("over the whole drive") || what.contains("full of them") => {
            Kind::RandomWrite
        }
        what if what.starts_with("4 KiB random writes") => Kind::FreshRandomWrite,
        "write, alone" => Kind::Write,
        other => {
            panic!("{id}: `{other}` is asked of no job: say how, or that it is another figure")
        }
    };
    // Random commands in MB/s are of 4 KiB.
    let is_of_commands = what.starts_with("4 KiB");
    let value = match unit {
        "MB/s" if is_of_commands => value * 1e6 / 4096.0,
        _ => value,
    };
    Some(Announced {
        id: id.to_owned(),
        drive: drive.to_owned(),
        figure: Measured::announced(kind, value, outstanding),
    })
}

fn announced() -> Vec<Announced> {
    let mut found = Vec::new();
    let text = include_str!("../reference/announced.csv");
    for line in csv::Reader::from_reader(text.as_bytes()).records() {
        let line = line.expect("it is a table");
        let value = line[3].parse().expect("a number");
        found.extend(row(&line[0], &line[1], &line[2], value, &line[4], &line[6]));
    }
    let text = include_str!("../reference/modern.csv");
    for line in csv::Reader::from_reader(text.as_bytes()).records() {
        let line = line.expect("it is a table");
        let kind = match (&line[3], &line[5]) {
            ("datasheet", "seq_read_mb_s") => Kind::SequentialRead,
            ("datasheet", "seq_write_mb_s") => Kind::SequentialWrite,
            ("datasheet", "rand_read_iops") => Kind::RandomRead,
            ("datasheet", "rand_write_iops") => Kind::RandomWrite,
            _ => continue,
        };
        let value = line[6].parse().expect("a number");
        found.push(Announced {
            id: line[0].to_owned(),
            drive: line[2].to_owned(),
            figure: Measured::announced(kind, value, NVME_OUTSTANDING),
        });
    }
    found
}

/// The figures that numbers of drive files are from, each with the residual that is stated.
fn used() -> BTreeMap<String, Option<f64>> {
    let mut used: BTreeMap<String, Option<f64>> = BTreeMap::new();
    for drive in Catalog::drives() {
        let file = Catalog::default().load(drive, &[]).expect("it comes along");
        let table: Table = file.text().parse().expect("it was read");
        let sections = table.values().filter_map(Value::as_table);
        for number in sections.flat_map(Table::values).filter_map(Value::as_table) {
            let ids = number.get("from").and_then(Value::as_array);
            for id in ids.into_iter().flatten().filter_map(Value::as_str) {
                let residual = number.get("residual").and_then(|of| of.get(id));
                let residual = residual.and_then(|value| {
                    value
                        .as_float()
                        .or(value.as_integer().map(|whole| whole as f64))
                });
                let stated = used.entry(id.to_owned()).or_default();
                *stated = stated.or(residual);
            }
        }
    }
    used
}

/// What is wrong with a figure, in a line.
fn fault(of: &Announced, stated: Option<f64>) -> Option<String> {
    let file = Catalog::default().load(&of.drive, &[]).ok()?;
    let now = shown(&file, &of.figure).expect("the model runs");
    let error = now / of.figure.value - 1.0;
    let (id, drive, percent) = (&of.id, &of.drive, 100.0 * error);
    println!(
        "{id} {drive} {:?}: {:.0}, now {now:.0}, {percent:+.0} %",
        of.figure.kind, of.figure.value
    );
    let tolerance = match of.figure.kind {
        Kind::RandomRead => READS_TOLERANCE,
        _ => TOLERANCE,
    };
    match stated {
        None if error.abs() <= tolerance => None,
        None => Some(format!(
            "{id}: {drive} misses it by {percent:+.0} %, and no number that is from it says so"
        )),
        Some(stated) if (error - stated / 100.0).abs() > STATED => Some(format!(
            "{id}: {drive} misses it by {percent:+.0} %, not by {stated:+} % as its file says"
        )),
        Some(_) => None,
    }
}

#[test]
fn what_a_number_was_derived_from_the_drive_reaches() {
    let used = used();
    let all = announced();
    assert!(all.len() > 60, "{}", all.len());
    let asked: Vec<&Announced> = all
        .iter()
        .filter(|row| used.contains_key(&row.id))
        .collect();
    assert!(asked.len() > 40, "{}", asked.len());
    let faults = asked.par_iter().filter_map(|row| fault(row, used[&row.id]));
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// By how much a number of a drive may be other than what its sheet makes of it.
const SAME: f64 = 0.01;

#[test]
fn drives_that_were_made_from_their_sheets_are_what_the_sheets_give() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../drives/sheets");
    let files = std::fs::read_dir(folder).expect("it is there");
    let paths: Vec<_> = files
        .map(|file| file.expect("it is there").path())
        .collect();
    assert!(paths.len() >= 2, "{paths:?}");
    paths.par_iter().for_each(|path| {
        let slug = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        let text = std::fs::read_to_string(path).expect("it is a text");
        let sheet = Sheet::parse(slug, &text).expect("it is a sheet");
        let made = from_sheet(&sheet, &Catalog::default()).expect("it makes a drive");
        assert!(
            made.contradictions.is_empty(),
            "{slug}: {:?}",
            made.contradictions
        );
        let shipped = Catalog::default()
            .load(slug, &[])
            .expect("it comes along")
            .parameters();
        for row in &made.fitted {
            let number = shipped.iter().find(|number| number.key == row.key);
            let is: Option<f64> = number.and_then(|number| number.value.parse().ok());
            let same = is.is_some_and(|is| (is / row.is - 1.0).abs() < SAME);
            assert!(
                same,
                "{slug}: {} is {is:?}, and its sheet gives {}",
                row.key, row.is
            );
        }
    });
}
