//! Predictions: what members of a drive's class give.

use super::ForecastError;
use super::range::{middle, widened};
use super::request::{Asked, Request};
use super::residuals::Residuals;
use super::row::Row;
use crate::calibrate::from_sheet;
use ftlab_base::RootSeed;
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use ftlab_lab::{Begin, Cell, Event, Lab, Length, Outcome, Playing, Subject, Work};
use ftlab_play::driver::Clock;
use ftlab_play::load::Load;
use std::sync::{Arc, Mutex, PoisonError};

/// The capacity to which a drive is shrunk; larger ones keep as many blocks as they have.
const SMALL_BYTES: u64 = 16_000_000_000;

/// The share of members that must have a figure.
const MEMBERS_MIN: f64 = 0.5;

/// What was predicted of a drive.
#[derive(Debug, Clone)]
pub struct Forecast {
    /// The drive's class.
    pub class: String,
    /// A prediction for each figure that members have.
    pub rows: Vec<Row>,
    /// The other figures, and why there is none.
    pub lacking: Vec<String>,
    /// What the sheet says that the drive does not reach, and what is to be known of it.
    pub remarks: Vec<String>,
}

/// Predicts what is asked of a drive on a day, from so many members of its class.
///
/// # Errors
/// When the sheet makes no drive, or a run fails.
pub fn forecast(
    request: &Request,
    members: u32,
    date: &str,
    residuals: &Residuals,
    lab: &Lab,
) -> Result<Forecast, ForecastError> {
    let made = from_sheet(&request.sheet)?;
    // A class that leaves nothing open has one member.
    let members = match made.file.spread().is_empty() {
        true => 1,
        false => members,
    };
    let drives = made.file.members(members)?;
    let mut cells = Vec::new();
    for (drive, _) in &drives {
        let subject = Subject::fit(vec![Subject::from(drive.clone())], Some(SMALL_BYTES))?;
        let subject: Vec<Arc<Subject>> = subject.into_iter().map(Arc::new).collect();
        for (asked, load) in request.asked.iter().zip(&request.loads) {
            cells.push(cell(&subject[0], asked, load, drive)?);
        }
    }
    let outcomes = outcomes(&cells, lab)?;
    let class = made
        .file
        .class()
        .map_or("", |class| class.name())
        .to_owned();
    let mut forecast = Forecast {
        class,
        rows: Vec::new(),
        lacking: Vec::new(),
        remarks: [made.contradictions, made.remarks].concat(),
    };
    let each = request.asked.iter().zip(&request.loads).enumerate();
    for (n, (asked, load)) in each {
        let of_members = outcomes.iter().skip(n).step_by(request.asked.len());
        let values: Vec<f64> = of_members.filter_map(|of| asked.value(of)).collect();
        let id = asked.id(&request.slug);
        let kind = asked.kind(load).filter(|_| {
            values.len() as f64 >= MEMBERS_MIN * f64::from(members) && !values.is_empty()
        });
        let (Some(kind), Some(range)) = (kind, middle(values.clone())) else {
            let of = values.len();
            let why = format!("{id}: {of} of {members} members have this figure");
            forecast.lacking.push(why);
            continue;
        };
        let residual = residuals.at(&forecast.class, kind);
        let [low, middle, high] = widened(range, residual).map(rounded);
        forecast.rows.push(Row {
            id,
            date: date.to_owned(),
            model: ftlab_drive::version(),
            drive: request.slug.clone(),
            test: asked.test(),
            state: asked.state.name().to_owned(),
            testbed: cells[n].machine.slug.clone(),
            metric: asked.metric.clone(),
            unit: asked.unit().to_owned(),
            middle,
            low,
            high,
            kind: kind.name().to_owned(),
            members: values.len(),
            residual,
            input_shows: asked.input_shows,
        });
    }
    Ok(forecast)
}

/// Rounds to four digits, as no figure is more exact.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn cell(
    subject: &Arc<Subject>,
    asked: &Asked,
    load: &Load,
    drive: &DriveFile,
) -> Result<Cell, ForecastError> {
    let usual = ftlab_drive::default_testbed([drive]);
    let machine = Testbed::load(asked.testbed.as_deref().unwrap_or(usual))?;
    Ok(Cell {
        work: Work::Load(Playing {
            load: load.clone(),
            begin: Begin::of(asked.state),
            clock: Clock::Timed,
            port: None,
            length: Length::Full,
        }),
        machine: Arc::new(machine),
        subject: Arc::clone(subject),
        seed: RootSeed(1),
    })
}

/// The outcome of each cell.
fn outcomes(cells: &[Cell], lab: &Lab) -> Result<Vec<Outcome>, ForecastError> {
    let ends = Mutex::new(vec![None; cells.len()]);
    let stopped = lab.run_cells(cells, &|n, event| {
        if let Event::Done(end) = event {
            let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
            ends[n] = Some(end.map(|mut outcomes| outcomes.remove(0)));
        }
        Ok(())
    });
    stopped.expect("nobody stops it");
    let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    let all = ends.into_iter().map(|end| end.expect("each has ended"));
    Ok(all.collect::<Result<_, _>>()?)
}
