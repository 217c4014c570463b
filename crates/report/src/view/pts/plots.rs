//! The data of the standard's plots, a run at a time.

use super::{Matrix, Quantity, block_words, mix_words};
use crate::format::kept;
use crate::view::{Family, View};
use ftlab_result::Run;
use ftlab_result::pts::{Cell, Course, Pts, Tracking};
use serde::Serialize;

/// Everything of a run that its plots show.
#[derive(Debug, Serialize)]
pub struct PtsData {
    run: usize,
    unit: &'static str,
    words: &'static str,
    /// Accesses, round by round.
    rounds: Vec<Rounds>,
    /// Number of the window's first round and whether the steady state was reached.
    window: Option<(u32, bool)>,
    tracking: Vec<Tracked>,
    matrices: Vec<MatrixData>,
    courses: Vec<CourseData>,
}

#[derive(Debug, Serialize)]
struct Rounds {
    name: String,
    values: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct Tracked {
    name: String,
    unit: String,
    /// In the rounds of the window.
    values: Vec<f64>,
    mean: f64,
    line: [f64; 2],
}

#[derive(Debug, Serialize)]
struct MatrixData {
    words: &'static str,
    unit: &'static str,
    blocks: Vec<String>,
    mixes: Vec<String>,
    /// By mix, then by block.
    values: Vec<Vec<Option<f64>>>,
}

#[derive(Debug, Serialize)]
struct CourseData {
    name: String,
    /// Capacities written, seconds, value.
    points: Vec<(f64, f64, f64)>,
}

impl PtsData {
    /// The data of the runs of a family.
    pub fn of_family(view: &View<'_>, family: &Family<'_>) -> Vec<PtsData> {
        let runs = family.runs.iter().enumerate();
        runs.filter_map(|(index, run)| {
            let pts = run.pts.as_ref()?;
            Some(PtsData::of(view, index, run, pts))
        })
        .collect()
    }

    fn of(view: &View<'_>, index: usize, run: &Run, pts: &Pts) -> PtsData {
        let quantity = Quantity::of(view, run);
        let capacity = view
            .sheet(&run.drive)
            .map_or(1, |sheet| sheet.capacity_bytes);
        let shown = quantity.of_matrices(&pts.cells).iter();
        let steady = pts.steady.as_ref();
        PtsData {
            run: index,
            unit: quantity.unit(),
            words: quantity.words(),
            rounds: rounds(pts, quantity),
            window: steady.map(|steady| (steady.window_first, steady.reached.is_some())),
            // Rounds count from 1 in the results and from 0 in the page's lists.
            tracking: steady.map_or_else(Vec::new, |steady| {
                let first = steady.window_first.saturating_sub(1) as usize;
                steady
                    .tracking
                    .iter()
                    .map(|of| tracked(of, first))
                    .collect()
            }),
            matrices: shown
                .map(|&quantity| matrix(&pts.cells, quantity))
                .collect(),
            courses: pts
                .courses
                .iter()
                .map(|of| course(of, quantity, capacity))
                .collect(),
        }
    }

    /// True if there are rounds to draw.
    pub fn has_rounds(&self) -> bool {
        !self.rounds.is_empty()
    }

    /// True if there is a matrix to draw.
    pub fn has_matrix(&self) -> bool {
        !self.matrices.is_empty()
    }

    /// True if there are courses to draw.
    pub fn has_courses(&self) -> bool {
        !self.courses.is_empty()
    }
}

/// Writes of every size, and whatever else is tracked.
fn rounds(pts: &Pts, quantity: Quantity) -> Vec<Rounds> {
    let writes = pts.cells.iter().filter(|cell| cell.read_pct == 0);
    let of_cell = |cell: &Cell| Rounds {
        name: format!(
            "{}, R/W {}",
            block_words(cell.block_bytes),
            mix_words(cell.read_pct)
        ),
        values: cell
            .rounds
            .iter()
            .map(|rate| kept(quantity.value(rate)))
            .collect(),
    };
    let mut rounds: Vec<Rounds> = writes.map(of_cell).collect();
    for of in pts.steady.iter().flat_map(|steady| &steady.tracking) {
        // An access has its order, RND or SEQ, before its size.
        if !rounds.iter().any(|known| of.access.ends_with(&known.name)) {
            rounds.push(Rounds {
                name: of
                    .access
                    .split_once(' ')
                    .map_or("", |(_, name)| name)
                    .to_owned(),
                values: of.rounds.iter().map(|&value| kept(value)).collect(),
            });
        }
    }
    rounds
}

fn tracked(of: &Tracking, first: usize) -> Tracked {
    let window = of.rounds.iter().skip(first);
    Tracked {
        name: of.access.clone(),
        unit: of.unit.clone(),
        values: window.map(|&value| kept(value)).collect(),
        mean: kept(of.mean),
        line: of.line.map(kept),
    }
}

fn matrix(cells: &[Cell], quantity: Quantity) -> MatrixData {
    let Matrix { blocks, mixes } = Matrix::of(cells);
    let of_mix = |&mix: &u8| {
        let value = |&block: &u64| Matrix::value(cells, block, mix, quantity).map(kept);
        blocks.iter().map(value).collect()
    };
    MatrixData {
        words: quantity.words(),
        unit: quantity.unit(),
        values: mixes.iter().map(of_mix).collect(),
        blocks: blocks.iter().map(|&block| block_words(block)).collect(),
        mixes: mixes
            .iter()
            .map(|&mix| format!("R/W {}", mix_words(mix)))
            .collect(),
    }
}

fn course(course: &Course, quantity: Quantity, capacity_bytes: u64) -> CourseData {
    let point = |point: &ftlab_result::pts::Point| {
        let capacities = point.written_bytes as f64 / capacity_bytes.max(1) as f64;
        (
            kept(capacities),
            kept(point.at_s),
            kept(quantity.value(&point.rate)),
        )
    };
    CourseData {
        name: course.name.clone(),
        points: course.points.iter().map(point).collect(),
    }
}
