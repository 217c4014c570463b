//! A grid that was read: its rows by their numbers, and what each of them is.

use crate::SweepError;
use crate::hypercube;
use crate::keys::{DriveText, Grid, dotted};
use crate::value::Value;
use ftlab_base::RootSeed;
use ftlab_bench::loads::{Called, Named, ReadLoad, Reading};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_lab::{mark_of, mark_of_drive};
use ftlab_play::driver::Clock;
use ftlab_play::load::mark_of_trace;
use ftlab_states::State;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// The most rows: more than anybody waits for.
const ROWS_MAX: usize = 10_000_000;

/// Values of settings, by key.
pub type Settings = BTreeMap<String, Value>;

/// A grid that was read.
#[derive(Debug)]
pub struct Sweep {
    pub(crate) drives: Vec<DriveFile>,
    pub(crate) variants: Vec<Settings>,
    pub(crate) loads: Vec<ReadLoad>,
    pub(crate) seeds: Vec<u64>,
    pub(crate) state: State,
    pub(crate) clock: Clock,
    /// The part of an id that each drive gives.
    marks: Vec<u128>,
}

/// The place of a row in its grid: numbers of a drive, settings, a load and a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The index of the drive, from 0, in the order of the file.
    pub drive: usize,
    /// The index of the combination of settings, from 0.
    pub variant: usize,
    /// The index of the load, from 0, in the order of the file.
    pub load: usize,
    /// The index of the seed, from 0; not the seed itself.
    pub seed: usize,
}

impl Sweep {
    /// Reads a grid from the text of its file, which errors name, with drives of the catalogue. Relative paths in it begin at
    /// its folder.
    ///
    /// # Errors
    /// When it is no grid, or a drive or a load of it cannot be read.
    pub fn parse(text: &str, file: &Path, catalog: &Catalog) -> Result<Sweep, SweepError> {
        let shown = file.display().to_string();
        let grid = Grid::parse(text, &shown)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        Sweep::of(&grid, folder, &shown, catalog)
    }

    /// Reads a grid of another program's words, which errors call `name`. Relative paths in it begin at `folder`.
    ///
    /// # Errors
    /// As [`Sweep::parse`].
    pub fn of(
        grid: &Grid,
        folder: &Path,
        name: &str,
        catalog: &Catalog,
    ) -> Result<Sweep, SweepError> {
        let wrong = |why: String| SweepError::Grid {
            file: name.to_owned(),
            why,
        };
        // Before anything is made of what may be too many.
        check_rows(grid).map_err(wrong)?;
        let state = State::of_name(&grid.state).map_err(wrong)?;
        let clock = match grid.untimed {
            true => Clock::Untimed,
            false => Clock::Timed,
        };
        let drives = grid.drives.iter().map(|named| {
            let file = match named {
                Named::Text(DriveText { name, text }) => catalog.parse(name, text, &[]),
                Named::Name(drive) => match folder.join(drive) {
                    path if drive.ends_with(".toml") => catalog.load(&path.to_string_lossy(), &[]),
                    _ => catalog.load(drive, &[]),
                },
            };
            file.map_err(|error| SweepError::Drive {
                file: name.to_owned(),
                error: Box::new(error),
            })
        });
        let drives = drives.collect::<Result<Vec<_>, _>>()?;
        // Nothing of the machine gets into a load, for its rows would not be the same elsewhere.
        let reading = Reading {
            folder,
            takes_names: true,
            clock,
            untimed_word: "untimed",
            called: Called::ByName,
            replay: &grid.replay.replay().map_err(wrong)?,
            is_carried: true,
            ..Reading::default()
        };
        let loads = grid.loads.iter().map(|named| reading.read(named));
        let loads = loads.collect::<Result<Vec<_>, _>>();
        let mut loads = loads.map_err(|error| SweepError::Load {
            file: name.to_owned(),
            error: Box::new(error),
        })?;
        for ReadLoad { load, texts } in &mut loads {
            if let Some(trace) = &texts.trace {
                let words = format!("{:?}", grid.replay);
                let mark = mark_of_trace(&texts.text, &texts.scripts, &trace.hash, &words);
                *load = load.marked(mark);
            }
        }
        let sweep = Sweep {
            variants: variants(grid).map_err(wrong)?,
            seeds: grid.seeds.all(),
            marks: drives.iter().map(mark_of_drive).collect(),
            drives,
            loads,
            state,
            clock,
        };
        sweep.check().map_err(wrong)?;
        sweep.check_drives()?;
        Ok(sweep)
    }

    fn check(&self) -> Result<(), String> {
        let counts = [
            ("drives", self.drives.len()),
            ("loads", self.loads.len()),
            ("seeds", self.seeds.len()),
        ];
        if let Some((what, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(format!("it has no {what}; give at least one"));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = self
            .loads
            .iter()
            .find(|load| !names.insert(&load.texts.name))
        {
            let name = &twice.texts.name;
            return Err(format!("two loads are called {name}; rename a file"));
        }
        let mut ids = BTreeMap::new();
        for row in 0..self.rows() {
            if let Some(first) = ids.insert(self.mark(self.point(row)), row) {
                return Err(format!(
                    "rows {first} and {row} are the same run; take out a drive, a load, a seed or a value that is \
                     there twice"
                ));
            }
        }
        Ok(())
    }

    /// Refuses a grid of which no drive can be as its settings say: that is a mistake, and no table of reasons.
    fn check_drives(&self) -> Result<(), SweepError> {
        let mut first = None;
        for drive in 0..self.drives.len() {
            for variant in 0..self.variants.len() {
                match self.drive(drive, variant) {
                    Ok(_) => return Ok(()),
                    Err(error) => first = first.or(Some(error.to_string())),
                }
            }
        }
        Err(SweepError::AllRefused(first.unwrap_or_default()))
    }

    /// The number of rows: drives times combinations of settings, loads and seeds.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.drives.len() * self.variants.len() * self.loads.len() * self.seeds.len()
    }

    /// The place of a row: seeds change from row to row, then loads, then settings, then drives.
    #[must_use]
    pub fn point(&self, row: usize) -> Point {
        let (rest, seed) = (row / self.seeds.len(), row % self.seeds.len());
        let (rest, load) = (rest / self.loads.len(), rest % self.loads.len());
        Point {
            drive: rest / self.variants.len(),
            variant: rest % self.variants.len(),
            load,
            seed,
        }
    }

    /// The row of a point.
    #[must_use]
    pub fn row(&self, point: Point) -> usize {
        let of_drive = point.drive * self.variants.len() + point.variant;
        (of_drive * self.loads.len() + point.load) * self.seeds.len() + point.seed
    }

    /// The id of a row's run: 32 hexadecimal digits, of all that decides its numbers.
    #[must_use]
    pub fn id(&self, row: usize) -> String {
        format!("{:032x}", self.mark(self.point(row)))
    }

    fn mark(&self, point: Point) -> u128 {
        let drive = self.marks[point.drive];
        let load = self.loads[point.load].load.mark();
        let seed = RootSeed(self.seeds[point.seed]);
        let settings = self.settings(point.variant);
        let text = mark_of(drive, load, self.state, self.clock, seed, &settings);
        xxh3_128(text.as_bytes())
    }

    /// A hash of the grid's rows in their order, which tells it from others.
    #[must_use]
    pub fn hash(&self) -> String {
        let ids = (0..self.rows()).flat_map(|row| self.mark(self.point(row)).to_le_bytes());
        format!("{:032x}", xxh3_128(&ids.collect::<Vec<u8>>()))
    }

    /// A drive with the settings of a variant, as `key=value`.
    pub(crate) fn settings(&self, variant: usize) -> Vec<String> {
        let each = self.variants[variant].iter();
        each.map(|(key, value)| format!("{key}={value}")).collect()
    }

    /// Every key that any row sets.
    pub(crate) fn keys(&self) -> BTreeSet<&str> {
        let keys = self.variants.iter().flat_map(BTreeMap::keys);
        keys.map(String::as_str).collect()
    }

    /// The grid with the texts of everything it names, which reads the same on a machine that has none of the files.
    #[must_use]
    pub fn packed(&self, grid: &Grid) -> Grid {
        let drive = |file: &DriveFile| {
            Named::Text(DriveText {
                name: file.slug().to_owned(),
                text: file.text(),
            })
        };
        let loads = self.loads.iter();
        Grid {
            drives: self.drives.iter().map(drive).collect(),
            loads: loads.map(|load| Named::Text(load.texts.clone())).collect(),
            ..grid.clone()
        }
    }
}

/// Refuses more rows than anybody waits for.
fn check_rows(grid: &Grid) -> Result<(), String> {
    let together = match &grid.latin_hypercube {
        Some(cube) => cube.points as usize,
        None => grid.list.len().max(1),
    };
    let mut counts = vec![
        grid.drives.len(),
        grid.loads.len(),
        grid.seeds.count(),
        together,
    ];
    for values in dotted(&grid.set, |_| false)?.values() {
        counts.push(values.as_array().map_or(1, Vec::len));
    }
    match counts.into_iter().fold(1, usize::saturating_mul) {
        0..=ROWS_MAX => Ok(()),
        rows => Err(format!(
            "it has {rows} rows, and more than {ROWS_MAX} are more than anybody waits for; divide it into several grids"
        )),
    }
}

/// All combinations of settings: of those that belong together each with each value of the others, the last key's
/// values changing from one to the next.
fn variants(grid: &Grid) -> Result<Vec<Settings>, String> {
    // A list or a hypercube gives settings that belong together; a grid has one of them at most.
    let together = match (&grid.list[..], &grid.latin_hypercube) {
        ([], None) => vec![Settings::new()],
        ([], Some(cube)) if cube.points == 0 => {
            return Err("latin_hypercube: points = 0; give at least 1".to_owned());
        }
        ([], Some(cube)) => hypercube::points(&cube.spans()?, cube.points, cube.seed)
            .map_err(|why| format!("latin_hypercube: {why}"))?,
        (list, None) => list.iter().map(one).collect::<Result<_, _>>()?,
        (_, Some(_)) => {
            return Err("it has a list and a latin_hypercube; give one of them".to_owned());
        }
    };
    let mut all = together;
    for (key, values) in dotted(&grid.set, |_| false)? {
        let values = match &values {
            toml::Value::Array(values) if values.is_empty() => {
                return Err(format!("set: {key} has no value; give at least one"));
            }
            toml::Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        let values = values.iter().map(Value::of).collect::<Result<Vec<_>, _>>();
        let values = values.map_err(|why| format!("set: {key}: {why}"))?;
        if all.iter().any(|settings| settings.contains_key(&key)) {
            return Err(format!("{key} is set in two places; leave one of them out"));
        }
        let with = |settings: Settings| {
            let key = &key;
            values.iter().map(move |value| {
                let mut settings = settings.clone();
                settings.insert(key.clone(), value.clone());
                settings
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    Ok(all)
}

/// The settings of an entry of the list.
fn one(entry: &toml::Table) -> Result<Settings, String> {
    let leaves = dotted(entry, |_| false).map_err(|why| format!("list: {why}"))?;
    let value = |(key, value): (String, toml::Value)| match Value::of(&value) {
        Ok(value) => Ok((key, value)),
        Err(why) => Err(format!("list: {key}: {why}")),
    };
    leaves.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests;
