//! Every number of every kind of file, and of `--set`, with values that no drive, machine or program has:
//! refused with a reason that names no type of the program, or what comes out works.

use cap::Cap;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_fuzz::{Verdict, drive_file, script_file, settings, testbed_file, trace_file};
use std::collections::BTreeSet;
use std::path::Path;
use toml::{Table, Value};

/// A number that asks for more memory than this is refused, and not an end of the program.
#[global_allocator]
static ALLOCATOR: Cap<std::alloc::System> = Cap::new(std::alloc::System, 1 << 30);

/// As a file may write them.
const HOSTILE: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -1.0,
    0.0,
    0.5,
    1e9,
    4_294_967_295.0,
    4_294_967_296.0,
    1e18,
    9.3e18,
    1e300,
];

/// Names of types, and a word in letters that no file has.
const TYPES: [&str; 8] = [
    "f64", "u32", "u64", "i64", "struct ", "enum ", "NaN", "Written",
];

/// A drive of every kind, by its number among those of the fuzz target, and what makes it small.
const DRIVES: [(u8, &str, &[&str]); 5] = [
    (0, "generic-mlc-8", FLASH),
    (1, "intel-x25-m-g1-80", FLASH),
    (2, "ocz-core-jmf602", FLASH),
    (4, "seagate-momentus-7200.2", &[]),
    (5, "ocz-vertex3-120", FLASH),
];
const FLASH: &[&str] = &[
    "nand.channels=4",
    "nand.dies_per_channel=1",
    "nand.blocks_per_die=256",
    "nand.pages_per_block=8",
    "map.stripe_dies=4",
    "spare.op=1.5",
];

/// How often it was refused, and how often it worked.
#[derive(Debug, Default)]
struct Tally {
    refused: u32,
    ran: u32,
}

impl Tally {
    fn count(&mut self, what: &str, verdict: Verdict) {
        match verdict {
            Verdict::Refused(why) => {
                let shown = TYPES.iter().find(|kind| why.contains(**kind));
                assert_eq!(shown, None, "{what}: {why}");
                assert!(!why.contains('\n'), "{what}: {why}");
                self.refused += 1;
            }
            Verdict::Ran(_) => self.ran += 1,
            Verdict::NoInput | Verdict::TooLarge => {}
        }
    }
}

/// The number that a text begins with, and the unit behind it; none for a text that is none of that kind.
fn unit_of(text: &str) -> Option<&str> {
    let begin = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let unit = text[begin..].trim();
    let is_unit = unit == "%" || unit.chars().all(|c| c.is_ascii_alphabetic());
    (begin > 0 && is_unit).then_some(unit)
}

/// A number as somebody writes it.
fn written(number: f64) -> String {
    number.to_string().to_lowercase()
}

/// The file with each of its numbers in turn replaced by each hostile one, and where.
fn mutants(text: &str) -> Vec<(String, String)> {
    let table: Table = text.parse().unwrap();
    let mut out = Vec::new();
    for place in 0.. {
        let mut found = false;
        for number in HOSTILE {
            let mut mutant = Value::Table(table.clone());
            let mut left = place;
            let Some(path) = replace(&mut mutant, &mut left, number) else {
                break;
            };
            found = true;
            out.push((
                format!("{path} = {number:?}"),
                mutant.as_table().unwrap().to_string(),
            ));
        }
        if !found {
            return out;
        }
    }
    out
}

/// Replaces the number that `left` others come before; gives its path.
fn replace(value: &mut Value, left: &mut usize, number: f64) -> Option<String> {
    let is_it = |left: &mut usize| {
        let is_it = *left == 0;
        *left = left.wrapping_sub(1);
        is_it
    };
    match value {
        Value::Float(_) | Value::Integer(_) if is_it(left) => {
            let is_whole = number.fract() == 0.0 && number.abs() < 9.2e18;
            *value = match is_whole {
                true => Value::Integer(number as i64),
                false => Value::Float(number),
            };
            Some(String::new())
        }
        // As a text with a unit, and as a number without one.
        Value::String(text) if unit_of(text).is_some() => {
            let unit = unit_of(text)?.to_owned();
            if is_it(left) {
                *value = Value::String(format!("{} {unit}", written(number)));
            } else if is_it(left) {
                *value = Value::Float(number);
            } else {
                return None;
            }
            Some(String::new())
        }
        Value::Array(items) => {
            let mut items = items.iter_mut().enumerate();
            items.find_map(|(n, item)| Some(format!("[{n}]{}", replace(item, left, number)?)))
        }
        Value::Table(table) => {
            let keys: Vec<String> = table.keys().cloned().collect();
            for key in keys {
                if let Some(unit) = unit_of(&key)
                    && is_it(left)
                {
                    let held = table.remove(&key)?;
                    table.insert(format!("{} {unit}", written(number)), held);
                    return Some(format!(".\"{key}\""));
                }
                if let Some(path) = replace(&mut table[&key], left, number) {
                    return Some(format!(".{key}{path}"));
                }
            }
            None
        }
        _ => None,
    }
}

/// The texts of all files in a folder of the repository.
fn texts(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some()).collect();
    files.sort();
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    files
        .iter()
        .map(|path| (path.display().to_string(), read(path)))
        .collect()
}

fn small(name: &str, settings: &[&str]) -> DriveFile {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Catalog::default().load(name, &settings).unwrap()
}

fn all_of(folder: &str, read: fn(&[u8]) -> Verdict) -> Tally {
    let mut tally = Tally::default();
    for (file, text) in texts(folder) {
        for (what, mutant) in mutants(&text) {
            tally.count(&format!("{file}: {what}"), read(mutant.as_bytes()));
        }
    }
    tally
}

#[test]
fn numbers_of_drive_files() {
    for (_, name, settings) in DRIVES {
        let mut tally = Tally::default();
        for (what, mutant) in mutants(&small(name, settings).text()) {
            tally.count(&format!("{name}: {what}"), drive_file(mutant.as_bytes()));
        }
        assert!(tally.refused > 100 && tally.ran > 20, "{name}: {tally:?}");
    }
}

#[test]
fn numbers_of_settings() {
    for (number, name, settings_before) in DRIVES {
        let mut tally = Tally::default();
        let rows = small(name, settings_before).parameters();
        let numbers: BTreeSet<&str> = rows
            .iter()
            .filter(|row| !row.source.is_empty())
            .map(|row| row.key.as_str())
            .collect();
        // And a key that the file does not have.
        for key in numbers.into_iter().chain(["faults.lost_waking"]) {
            for value in HOSTILE.map(written) {
                let lines = format!("{}\n{key}={value}", settings_before.join("\n"));
                let data = [&[number], lines.trim().as_bytes()].concat();
                tally.count(&format!("{name}: {key}={value}"), settings(&data));
            }
        }
        assert!(tally.refused > 100 && tally.ran > 20, "{name}: {tally:?}");
    }
}

#[test]
fn numbers_of_testbeds() {
    let tally = all_of("testbeds", testbed_file);
    assert!(tally.refused > 100 && tally.ran > 50, "{tally:?}");
}

#[test]
fn numbers_of_scripts() {
    let tally = all_of("scripts", script_file);
    assert!(tally.refused > 1_000 && tally.ran > 100, "{tally:?}");
}

#[test]
fn numbers_of_traces() {
    let tally = all_of("traces", trace_file);
    assert!(tally.refused > 100 && tally.ran > 10, "{tally:?}");
}
