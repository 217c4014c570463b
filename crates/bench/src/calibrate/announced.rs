//! A drive that reaches its data sheet: the numbers that announced figures pin, and what contradicts what.

use super::bench::{self, Bench, Fit, in_short};
use super::kind::{ARRAY_READ, Kind};
use super::measured::Measured;
use super::numbers::Number;
use super::numbers::{count_of, in_unit, number_of};
use super::sheet::Sheet;
use super::types::{CalibrateError, Calibrated, Fitted, Pinned, PinnedBy};
use super::{draft, flash, remarks, text};
use ftlab_drive::{Catalog, DriveFile, default_testbed};
use ftlab_host::Testbed;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// The machine that makers measure drives of NVMe in.
const TESTBED: &str = "spdk-2024";

/// Rounds over all figures: a number that is fitted moves the figures before it by a little.
const ROUNDS: usize = 2;

/// By how much a figure may be off before it is fitted again.
const CLOSE: f64 = 0.004;

/// By how much the drive may miss a figure, and a rate of random reads.
const TOLERANCE: f64 = 0.05;
const READS_TOLERANCE: f64 = 0.15;

/// The share of an announced rate of reads that the controller takes for itself where the flash is what limits them.
const CONTROLLER_SHARE: f64 = 0.9;

/// The shortest time of the array, beside that of the class, that a sheet is believed: dies of one kind differ by less.
const ARRAY_SHARE_MIN: f64 = 0.6;

/// The controller's time for a read that is left where the array's is fitted.
const PIPELINE_LEFT_US: f64 = 1.0;

/// By how much more a drive reads for planes to read by themselves.
const PLANES_GAIN: f64 = 1.02;

/// Switches on reads by each plane of a die.
const PLANES_READ: &str = "scheduling.independent_plane_reads";

/// The machine that a maker measures a drive in.
fn testbed(file: &DriveFile) -> Result<Testbed, CalibrateError> {
    let machine = match file.is_nvme() {
        true => TESTBED,
        false => default_testbed([file]),
    };
    Ok(Testbed::load(machine)?)
}

/// What a drive gives of a figure that is announced.
///
/// # Errors
/// When the model cannot be run.
pub fn shown(file: &DriveFile, figure: &Measured) -> Result<f64, CalibrateError> {
    let testbed = &testbed(file)?;
    Bench { testbed, figure }.shown(file)
}

/// A drive on its way to its sheet.
struct Making<'a> {
    sheet: &'a Sheet,
    testbed: Testbed,
    file: DriveFile,
    table: Table,
    fitted: Vec<Fitted>,
    /// Figures that a fit did not reach, and why.
    short: Vec<(Kind, String)>,
    contradictions: Vec<String>,
    remarks: Vec<String>,
}

/// Makes the drive of a data sheet, which may name policies of the catalogue.
///
/// # Errors
/// When the sheet tells no drive, or the model cannot be run.
pub fn from_sheet(sheet: &Sheet, catalog: &Catalog) -> Result<Calibrated, CalibrateError> {
    let draft::Draft {
        table,
        file,
        die_bytes,
    } = draft::draft(sheet, catalog)?;
    let mut making = Making {
        sheet,
        testbed: testbed(&file)?,
        file,
        table,
        fitted: Vec::new(),
        short: Vec::new(),
        contradictions: Vec::new(),
        remarks: Vec::new(),
    };
    let figures = sheet.figures(flash::has_cache(&making.file));
    for round in 0..ROUNDS {
        for figure in &figures {
            making.fit(figure, round == 0)?;
        }
    }
    making.judge(&figures)?;
    let (file, fitted) = (&making.file, &making.fitted);
    making
        .remarks
        .extend(remarks::on_cache(sheet, file, &figures));
    making
        .contradictions
        .extend(remarks::on_flash(sheet, file, fitted, die_bytes));
    let (life, beyond) = remarks::on_life(sheet, file);
    making.remarks.extend(life);
    making.contradictions.extend(beyond);
    making.made()
}

impl Making<'_> {
    fn bench<'b>(&'b self, figure: &'b Measured) -> Bench<'b> {
        Bench {
            testbed: &self.testbed,
            figure,
        }
    }

    /// Fits the number that a figure pins.
    fn fit(&mut self, figure: &Measured, is_first: bool) -> Result<(), CalibrateError> {
        if !is_first {
            // What was out of reach is tried again with what later figures have changed.
            self.short.retain(|(kind, _)| *kind != figure.kind);
            let now = self.bench(figure).shown(&self.file)?;
            if (now / figure.value - 1.0).abs() < CLOSE {
                return Ok(());
            }
        }
        if let Some(why) = self.cannot_be(figure) {
            self.short.push((figure.kind, why));
            return Ok(());
        }
        match self.bench(figure).fit(&self.file)? {
            Fit::At(row) => self.keep(figure.kind.number(), row),
            Fit::Short { why, row } => match figure.kind {
                Kind::RandomRead => self.fit_reads(figure, why),
                Kind::Read => self.fit_array(figure, why),
                Kind::RandomWrite => {
                    self.short.push((figure.kind, why));
                    self.keep(figure.kind.number(), row)
                }
                _ => {
                    self.short.push((figure.kind, why));
                    Ok(())
                }
            },
        }
    }

    fn keep(&mut self, number: Number, mut row: Fitted) -> Result<(), CalibrateError> {
        self.file = self.file.with(&[bench::setting(number, row.is)])?;
        if let Some(before) = self.fitted.iter_mut().find(|before| before.key == row.key) {
            (row.was, row.model[0]) = (before.was, before.model[0]);
            *before = row;
        } else {
            self.fitted.push(row);
        }
        Ok(())
    }

    /// Two figures of a sheet that no drive can have.
    fn cannot_be(&self, figure: &Measured) -> Option<String> {
        if figure.kind != Kind::RandomWrite {
            return None;
        }
        let figures = self.sheet.figures(false);
        let in_order = figures
            .iter()
            .find(|figure| figure.kind == Kind::SequentialWrite)?;
        let random = figure.value * figure.block_bytes as f64 / 1e6;
        (random > in_order.value).then(|| {
            format!(
                "{}: random writes of {} IOPS are {} MB/s, more than the {} MB/s of writes in order: one of the two is not of a \
                 drive that is full and steady",
                figure.source,
                in_short(figure.value),
                in_short(random),
                in_short(in_order.value)
            )
        })
    }

    /// Random reads that the dies cannot give as they are: each plane by itself, then a shorter time of the array.
    fn fit_reads(&mut self, figure: &Measured, why: String) -> Result<(), CalibrateError> {
        let planes = count_of(&self.file, "nand.planes_per_die").unwrap_or(1);
        let is_on = number_of(&self.file, PLANES_READ).is_some_and(|row| row.value == "true");
        if planes > 1 && !is_on {
            let file = self.file.with(&[format!("{PLANES_READ}=true")])?;
            let [apart, together] = [&file, &self.file].map(|file| self.bench(figure).shown(file));
            if apart? > PLANES_GAIN * together? {
                let section = self
                    .table
                    .entry("scheduling")
                    .or_insert_with(|| Table::new().into());
                if let Value::Table(section) = section {
                    section.insert("independent_plane_reads".to_owned(), true.into());
                }
                self.file = file;
                self.remarks.push(format!(
                    "random reads: the dies of the class do not give {} IOPS unless each of their planes reads by itself, so they do",
                    in_short(figure.value)
                ));
                return self.fit(figure, true);
            }
        }
        let number = Kind::RandomRead.number();
        let core = CONTROLLER_SHARE * 1e6 / figure.value;
        let was = in_unit(&self.file, number);
        let before = self.bench(figure).shown(&self.file)?;
        if was.is_none_or(|was| was > core) {
            let row = self.bench(figure).row(number, was, core, before);
            self.keep(number, row)?;
        }
        self.fit_array(figure, why)
    }

    /// Reads that are quicker than the class's array: its time is less then, within what dies differ by.
    fn fit_array(&mut self, figure: &Measured, why: String) -> Result<(), CalibrateError> {
        let by_page = ["lsb", "csb", "msb"];
        let has_types = |file: &DriveFile| {
            by_page
                .iter()
                .any(|page| number_of(file, &format!("nand.t_read_{page}")).is_some())
        };
        let mut file = self.file.clone();
        if figure.kind == Kind::Read {
            let number = figure.kind.number();
            file = file.with(&[bench::setting(number, PIPELINE_LEFT_US)])?;
        }
        // Another figure may have made it shorter already; it is the class's that counts.
        let fitted = self.fitted.iter().find(|row| row.key == ARRAY_READ.key);
        let class = fitted
            .and_then(|row| row.was)
            .or(in_unit(&file, ARRAY_READ));
        if !has_types(&file)
            && let Fit::At(row) = self.bench(figure).fit_number(&file, ARRAY_READ)?
            && class.is_some_and(|class| row.is >= ARRAY_SHARE_MIN * class && row.is <= class)
        {
            if figure.kind == Kind::Read {
                let number = figure.kind.number();
                let before = self.bench(figure).shown(&self.file)?;
                let was = in_unit(&self.file, number);
                let left = self
                    .bench(figure)
                    .row(number, was, PIPELINE_LEFT_US, before);
                self.keep(number, left)?;
            }
            return self.keep(ARRAY_READ, row);
        }
        self.short.push((figure.kind, why));
        Ok(())
    }

    /// Measures every figure of the finished drive, and says which it does not reach.
    fn judge(&mut self, figures: &[Measured]) -> Result<(), CalibrateError> {
        for figure in figures {
            let now = self.bench(figure).shown(&self.file)?;
            for row in &mut self.fitted {
                if row.figure == figure.kind.figure() {
                    row.model[1] = now;
                }
            }
            let tolerance = match figure.kind {
                Kind::RandomRead => READS_TOLERANCE,
                _ => TOLERANCE,
            };
            if (now / figure.value - 1.0).abs() <= tolerance {
                continue;
            }
            let why = self.short.iter().find(|(kind, _)| *kind == figure.kind);
            let why = match why {
                Some((_, why)) => why.clone(),
                None => self.bench(figure).wrong(&format!(
                    "the model gives {}: numbers that other figures pin stand against it",
                    in_short(now)
                )),
            };
            self.contradictions.push(why);
        }
        Ok(())
    }

    /// The file, and what pins each of its numbers.
    fn made(mut self) -> Result<Calibrated, CalibrateError> {
        text::put(&mut self.table, &self.fitted, text::ANNOUNCED);
        let text = text::of(&self.table);
        let file = self.file.catalog().parse(&self.sheet.source, &text, &[])?;
        let pinned = pinned(&self.table, &self.fitted, &file);
        Ok(Calibrated {
            file,
            text,
            fitted: self.fitted,
            contradictions: self.contradictions,
            remarks: self.remarks,
            pinned,
        })
    }
}

/// What pins each number: the sheet what is in its own table and not assumed, the class what has a source there.
fn pinned(table: &Table, fitted: &[Fitted], file: &DriveFile) -> Vec<Pinned> {
    let fitted: BTreeSet<&str> = fitted.iter().map(|row| row.key).collect();
    let is_own = |key: &str| {
        let (section, key) = key.split_once('.').unwrap_or_default();
        table
            .get(section)
            .is_some_and(|section| section.get(key).is_some())
    };
    let rows = file.parameters();
    let numbers = rows.into_iter().filter(|row| !row.source.is_empty());
    let by = |row: ftlab_drive::ParameterRow| {
        let is_assumed = row.source == "assumed" && row.confidence == "low";
        let by = match row.key.as_str() {
            key if fitted.contains(key) => PinnedBy::Sheet,
            key if is_own(key) && row.source != "assumed" => PinnedBy::Sheet,
            _ if is_assumed => PinnedBy::Nothing,
            _ => PinnedBy::Class,
        };
        Pinned { key: row.key, by }
    };
    numbers.map(by).collect()
}
