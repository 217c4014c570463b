//! The life of a drive as programs read it.

use super::{Daily, Ending, EnduranceError, Life, Mark, Plan};
use ftlab_drive::{DriveFile, MODEL_VERSION};
use ftlab_lab::smart_of;
use ftlab_play::record::erases;
use ftlab_result::{Erases, Provenance, SmartAttribute};
use serde::Serialize;

const DAYS_A_YEAR: f64 = 365.0;

/// Rows of the table of a life.
const ROWS: usize = 16;

/// Bytes of a terabyte and a gigabyte.
const TB: f64 = 1e12;
const GB: f64 = 1e9;

/// A life, as JSON. Bytes are the full drive's.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Version of the model.
    pub model_version: u32,
    /// Where the program is from, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Slug of the drive.
    pub drive: String,
    /// Name of the job.
    pub job: String,
    /// Root of every random stream.
    pub seed: u64,
    /// By how much the drive was divided.
    pub scale: ScaleRow,
    /// Gigabytes that the host writes a day.
    pub per_day_gb: f64,
    /// Years that were asked for.
    pub years: f64,
    /// True if the drive still took writes after N years.
    pub lasts: bool,
    /// Years until it took no more.
    pub lived_years: f64,
    /// Host terabytes in all.
    pub host_tb: f64,
    /// Host terabytes when a block had gone bad.
    pub first_bad_tb: Option<f64>,
    /// Host terabytes when none had yet: the drive is looked at now and then.
    pub first_bad_after_tb: Option<f64>,
    /// Host terabytes when the mean block had used its rated cycles.
    pub rated_tb: Option<f64>,
    /// Host terabytes when it had not yet.
    pub rated_after_tb: Option<f64>,
    /// The amount that the maker lets the host write; none where the drive file does not say.
    pub announced: Option<Announced>,
    /// Write amplification.
    pub wa: f64,
    /// Reads that no correction helped.
    pub unreadable: u64,
    /// Why it took no more, in words.
    pub ending: String,
    /// The drive after the years asked for, or at its end if it did not live that long.
    pub then: MarkRow,
    /// The life, from its beginning to its end.
    pub life: Vec<MarkRow>,
    /// The scaled drive's figure at its end.
    pub wear: Erases,
    /// The full drive's figure at its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub smart: Vec<SmartAttribute>,
}

/// The amount that a maker lets the host write.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Announced {
    /// Terabytes of host writes.
    pub host_tb: f64,
    /// True if it is the usual amount of the drive's class, as no source gives it.
    pub assumed: bool,
    /// Years until the host has written it.
    pub years: f64,
    /// True if that is as long as was asked for.
    pub lasts: bool,
}

impl Announced {
    /// The amount of a drive that the host writes `bytes_per_day` to; none where its file does not say.
    #[must_use]
    pub fn of(drive: &DriveFile, bytes_per_day: f64, wanted_years: f64) -> Option<Announced> {
        let rated = drive.rated_bytes()?;
        let years = rated.years(bytes_per_day);
        Some(Announced {
            host_tb: rated.bytes as f64 / TB,
            assumed: rated.is_assumed,
            years,
            lasts: years >= wanted_years,
        })
    }
}

/// The answer for a drive whose file has an announced amount alone: its wear is not simulated.
#[derive(Debug, Serialize)]
pub struct Rated {
    /// Version of the model.
    pub model_version: u32,
    /// The source of the program, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Slug of the drive.
    pub drive: String,
    /// Gigabytes that the host writes a day.
    pub per_day_gb: f64,
    /// Years that were asked for.
    pub years: f64,
    /// The amount, and how long it lasts.
    pub announced: Announced,
}

/// The way to an answer on a drive's life.
#[derive(Debug)]
pub enum Way {
    /// The drive is written to its end, on this scale.
    Simulated(Plan),
    /// The announced amount is all that is known.
    Known(Box<Rated>),
}

impl Way {
    /// The way for a drive: at most `programs` pages are programmed in a simulated life.
    ///
    /// # Errors
    /// When the file gives neither block lives nor an announced amount, or the drive cannot be scaled.
    pub fn of(
        drive: &DriveFile,
        programs: f64,
        daily: Daily,
        years: f64,
    ) -> Result<Way, EnduranceError> {
        match Plan::within(drive, programs) {
            Ok(plan) => Ok(Way::Simulated(plan)),
            Err(error @ EnduranceError::LastsForEver { .. }) => {
                let announced = Announced::of(drive, daily.bytes, years).ok_or(error)?;
                Ok(Way::Known(Box::new(Rated {
                    model_version: MODEL_VERSION,
                    provenance: None,
                    drive: drive.slug().to_owned(),
                    per_day_gb: daily.bytes / GB,
                    years,
                    announced,
                })))
            }
            Err(error) => Err(error),
        }
    }
}

/// By how much the drive was divided.
#[derive(Debug, Serialize)]
pub struct ScaleRow {
    /// Divisor of the blocks.
    pub blocks: u32,
    /// Divisor of the pages of a block.
    pub pages: u32,
    /// Divisor of the cycles.
    pub cycles: u32,
}

/// The drive at a moment of its life.
#[derive(Debug, Serialize)]
pub struct MarkRow {
    /// Host terabytes in all.
    pub host_tb: f64,
    /// Write amplification.
    pub wa: f64,
    /// Share of the rated cycles that is used.
    pub worn_share: f64,
    /// Share of the blocks beyond the rated cycles.
    pub over_worn_share: f64,
    /// Share of the blocks that is bad.
    pub bad_share: f64,
    /// Share of the spare area that is left.
    pub spare_share: f64,
}

impl MarkRow {
    fn of(mark: &Mark) -> MarkRow {
        MarkRow {
            host_tb: mark.host_bytes / TB,
            wa: mark.wa,
            worn_share: mark.worn_share,
            over_worn_share: mark.over_worn_share,
            bad_share: mark.bad_share,
            spare_share: mark.spare_share,
        }
    }
}

/// A question about a drive's life.
#[derive(Debug, Clone)]
pub struct Lived {
    /// Name of the job.
    pub job: String,
    /// Root of every random stream.
    pub seed: u64,
    /// What is done to the drive, day by day.
    pub daily: Daily,
    /// Years that the drive should last.
    pub years: f64,
}

impl Lived {
    /// The answer, of the life that the drive had.
    ///
    /// # Panics
    /// Never: a life has an end.
    #[must_use]
    pub fn report(self, drive: &DriveFile, plan: &Plan, life: &Life) -> Report {
        let daily = self.daily;
        let lived_years = life.days(daily) / DAYS_A_YEAR;
        let asked_bytes = daily.bytes * self.years * DAYS_A_YEAR;
        let end = life.marks.last().expect("a life has an end");
        let then = life.at(asked_bytes).unwrap_or(end);
        let Ending::ReadOnly(ending) = life.ending.clone();
        // A life has more marks than a screen has rows; its end is always among those kept.
        let step = life.marks.len().div_ceil(ROWS);
        let kept = |n: usize| n.is_multiple_of(step) || n + 1 == life.marks.len();
        let rows = life.marks.iter().enumerate().filter(|(n, _)| kept(*n));
        Report {
            model_version: MODEL_VERSION,
            provenance: None,
            drive: drive.slug().to_owned(),
            job: self.job,
            seed: self.seed,
            scale: ScaleRow {
                blocks: plan.scale.blocks,
                pages: plan.scale.pages,
                cycles: plan.scale.cycles,
            },
            per_day_gb: daily.bytes / GB,
            years: self.years,
            lasts: lived_years >= self.years,
            lived_years,
            host_tb: life.host_bytes / TB,
            first_bad_tb: life.first_bad_bytes.map(|bytes| bytes / TB),
            first_bad_after_tb: life
                .first_bad_bytes
                .map(|bytes| life.seen_before(bytes) / TB),
            rated_tb: life.rated_bytes.map(|bytes| bytes / TB),
            rated_after_tb: life.rated_bytes.map(|bytes| life.seen_before(bytes) / TB),
            announced: Announced::of(drive, daily.bytes, self.years),
            wa: life.wa,
            unreadable: life.unreadable,
            ending,
            then: MarkRow::of(then),
            life: rows.map(|(_, mark)| MarkRow::of(mark)).collect(),
            wear: erases(&end.health),
            smart: smart_of(drive, &end.of_full),
        }
    }
}
