//! The figures that drive cards are made of: loads of one size and depth on a drive, each from its state.

use ftlab_base::amount::rounded;
use ftlab_base::{Blame, RootSeed};
use ftlab_card::{
    Asked, Back, Card, CardError, Latency, Load, Off, Pattern, Predicted, Row, Source, Write,
};
use ftlab_drive::MODEL_VERSION;
use ftlab_host::Testbed;
use ftlab_lab::{Begin, Cell, Event, Lab, LabError, Length, Playing, Subject, Work};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load as Played, What, mark_of_texts};
use ftlab_result::{Run, Traffic};
use ftlab_sheet::SheetError;
use ftlab_states::State;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// Everything beside the loads that decides the figures of a card.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The drive, in the size that runs.
    pub subject: Arc<Subject>,
    /// The machine that it is plugged into.
    pub machine: Arc<Testbed>,
    /// State in which each load begins.
    pub state: State,
    /// Root of every random stream.
    pub seed: RootSeed,
}

impl Setting {
    /// The setting as a card says it.
    #[must_use]
    pub fn source(&self) -> Source {
        let subject = &self.subject;
        let whole = subject.full().unwrap_or_else(|| subject.first());
        Source {
            drive: whole.slug().to_owned(),
            name: whole.name().to_owned(),
            settings: whole.settings().to_vec(),
            capacity_bytes: whole.capacity_bytes(),
            measured_bytes: subject.capacity_bytes(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model_version: MODEL_VERSION,
            state: self.state.name().to_owned(),
            testbed: self.machine.slug.clone(),
            seed: self.seed.0,
        }
    }

    fn cell(&self, load: Load) -> Cell {
        let (name, text) = (load.name(), load.job());
        let what = What::job(&text, &name).expect("a card's load is a job of fio's");
        let mark = mark_of_texts(&text, &BTreeMap::new());
        Cell {
            work: Work::Load(Playing {
                load: Played::of_text(name, &text, mark, what),
                begin: Begin::of(self.state),
                clock: Clock::Timed,
                port: None,
                length: Length::Full,
            }),
            machine: Arc::clone(&self.machine),
            subject: Arc::clone(&self.subject),
            seed: self.seed,
        }
    }
}

/// Runs loads, each once however often it is named, and returns a row of each. `hear` gets the number of those that are
/// done.
///
/// # Errors
/// When the drive cannot be brought to its state, or a load fails.
pub fn rows(
    setting: &Setting,
    loads: &[Load],
    lab: &Lab,
    hear: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Row>, Arc<LabError>> {
    let mut loads = loads.to_vec();
    loads.sort_unstable();
    loads.dedup();
    let cells: Vec<Cell> = loads.iter().map(|&load| setting.cell(load)).collect();
    let ends = Mutex::new(BTreeMap::new());
    let stopped = lab.run_cells(&cells, &|n, event| {
        if let Event::Done(end) = event {
            let end = end.map(|outcomes| row(loads[n], &outcomes[0].run));
            let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
            ends.insert(n, end);
            hear(ends.len(), cells.len());
        }
        Ok(())
    });
    stopped.expect("nobody stops it");
    let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    ends.into_values().collect()
}

/// Reason why a card cannot say how far it is off.
#[derive(Debug, Error)]
pub enum CardsError {
    /// The drive cannot be written so.
    #[error(transparent)]
    Card(#[from] CardError),
    /// The drive that comes back cannot be made as small.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// A run failed.
    #[error(transparent)]
    Lab(#[from] Arc<LabError>),
}

impl Blame for CardsError {
    fn is_input(&self) -> bool {
        match self {
            CardsError::Card(_) | CardsError::Sheet(_) => true,
            CardsError::Lab(error) => error.is_input(),
        }
    }
}

/// Writes a card from a drive file, reads it again as `ftlab import` does, runs that drive beside the one of the setting,
/// and returns the card that says how far that is off.
///
/// # Errors
/// When the drive cannot be written so, or as [`rows`].
pub fn reread(
    asked: &Asked<'_>,
    (write, back): (Write, Back),
    setting: &Setting,
    lab: &Lab,
    hear: &(dyn Fn(usize, usize) + Sync),
) -> Result<(Card, Vec<Off>), CardsError> {
    let back = Subject::from(back(&write(asked)?)?);
    let smaller = setting.subject.full();
    let bytes = smaller.map(|_| setting.subject.capacity_bytes());
    let back = Subject::fit(vec![back], bytes)?.remove(0);
    let off = beside(setting, &Arc::new(back), lab, hear)?;
    let asked = Asked {
        off: &off,
        ..*asked
    };
    Ok((write(&asked)?, off))
}

/// How far a drive is off that runs beside the one of a setting.
fn beside(
    setting: &Setting,
    other: &Arc<Subject>,
    lab: &Lab,
    hear: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Off>, Arc<LabError>> {
    let loads = ftlab_card::compared();
    let model = rows(setting, &loads, lab, &|done, all| hear(done, 2 * all))?;
    let other = Setting {
        subject: Arc::clone(other),
        ..setting.clone()
    };
    let other = rows(&other, &loads, lab, &|done, all| hear(all + done, 2 * all))?;
    let mut all = Vec::new();
    for pattern in Pattern::ALL {
        let of_pattern = |row: &&Row| row.load.pattern == pattern;
        let model: Vec<&Row> = model.iter().filter(of_pattern).collect();
        let name = pattern.name();
        let loads = format!("{name} loads of 4 KiB and 64 KiB at depths 1 and 32");
        all.extend(ftlab_card::off(&model, &loads, |row| {
            let other = other.iter().find(|other| other.load == row.load);
            Predicted::of_row(other.expect("both run the same loads"))
        }));
    }
    Ok(all)
}

fn row(load: Load, run: &Run) -> Row {
    Row {
        load,
        iops: rounded(run.read.iops + run.write.iops),
        mb_s: rounded((run.read.bytes_per_s + run.write.bytes_per_s) / 1e6),
        read: latency(&run.read),
        write: latency(&run.write),
    }
}

/// The latency of a direction; none where nothing went that way.
fn latency(of: &Traffic) -> Option<Latency> {
    let us = |percent: f64| Some(rounded(of.percentile_ns(percent)? as f64 / 1e3));
    // A percentile that fewer requests lie above than one is none.
    let tail = |percent: f64, ios_min: u64| us(percent).filter(|_| of.ios >= ios_min);
    (!of.is_none()).then(|| Latency {
        mean_us: rounded(of.lat_ns_mean / 1e3),
        p50_us: us(50.0).expect("fio's percentiles are kept"),
        p99_us: tail(99.0, 100),
        p99_9_us: tail(99.9, 1000),
    })
}
