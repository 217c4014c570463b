//! Predictions: what members of a drive's class give.

use super::ForecastError;
use super::kind::Kind;
use super::range::{Range, middle, widened};
use super::request::{Asked, Request};
use super::residuals::Residuals;
use super::row::Row;
use crate::calibrate::from_sheet;
use ftlab_base::RootSeed;
use ftlab_base::amount::rounded;
use ftlab_drive::{Catalog, DriveFile};
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

/// Makes the drive of a sheet, runs so many members of its class, and gives a prediction for each figure that the request asks
/// for. Each carries the date.
///
/// # Errors
/// When the sheet makes no drive, or a run fails.
pub fn forecast(
    request: &Request,
    catalog: &Catalog,
    members: u32,
    date: &str,
    residuals: &Residuals,
    lab: &Lab,
) -> Result<Forecast, ForecastError> {
    let made = from_sheet(&request.sheet, catalog)?;
    // A class that leaves nothing open has one member.
    let members = match made.file.spread().is_empty() {
        true => 1,
        false => members,
    };
    let drives = made.file.members(members)?;
    let cells = cells(request, drives.into_iter().map(|(drive, _)| drive))?;
    let outcomes = outcomes(&cells, lab)?;
    let class = request.class();
    let mut forecast = Forecast {
        class: class.to_owned(),
        rows: Vec::new(),
        lacking: Vec::new(),
        remarks: [made.contradictions, made.remarks].concat(),
    };
    for (n, asked) in request.asked.iter().enumerate() {
        let of_members = outcomes.iter().skip(n).step_by(request.asked.len());
        let values: Vec<f64> = of_members.filter_map(|of| asked.value(of)).collect();
        let have = values.len();
        let is_enough = have as f64 >= MEMBERS_MIN * f64::from(members);
        let kind = asked.kind(&request.loads[n]).filter(|_| is_enough);
        let (Some(kind), Some(range)) = (kind, middle(values)) else {
            let why = format!(
                "{}: {have} of {members} members have this figure",
                asked.id(&request.slug)
            );
            forecast.lacking.push(why);
            continue;
        };
        let residual = residuals.at(class, kind);
        let row = row(request, asked, kind, widened(range, residual));
        forecast.rows.push(Row {
            date: date.to_owned(),
            testbed: cells[n].machine.slug.clone(),
            members: have,
            residual,
            ..row
        });
    }
    Ok(forecast)
}

/// A prediction of a figure, but for when it was made and from what.
fn row(request: &Request, asked: &Asked, kind: Kind, range: Range) -> Row {
    let [low, middle, high] = range.map(rounded);
    Row {
        id: asked.id(&request.slug),
        date: String::new(),
        model: ftlab_drive::version(),
        drive: request.slug.clone(),
        test: asked.test(),
        state: asked.state.name().to_owned(),
        testbed: String::new(),
        metric: asked.metric.clone(),
        unit: asked.unit().to_owned(),
        middle,
        low,
        high,
        kind: kind.name().to_owned(),
        members: 0,
        residual: 0.0,
        input_shows: asked.input_shows,
    }
}

/// What each drive is asked, one after the other.
fn cells(
    request: &Request,
    drives: impl Iterator<Item = DriveFile>,
) -> Result<Vec<Cell>, ForecastError> {
    let mut cells = Vec::new();
    for drive in drives {
        let small = Subject::fit(vec![Subject::from(drive)], Some(SMALL_BYTES))?;
        for subject in small.into_iter().map(Arc::new) {
            for (asked, load) in request.asked.iter().zip(&request.loads) {
                cells.push(cell(&subject, asked, load)?);
            }
        }
    }
    Ok(cells)
}

fn cell(subject: &Arc<Subject>, asked: &Asked, load: &Load) -> Result<Cell, ForecastError> {
    let usual = subject.usual_testbed();
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
