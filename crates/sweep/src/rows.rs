//! Rows: how a run ended, as cells of a table.

use crate::grid::Sweep;
use ftlab_base::Blame;
use ftlab_bench::ask;
use ftlab_export::{Cells, Column, Table, runs};
use ftlab_lab::LabError;
use ftlab_play::driver::Clock;
use ftlab_result::{At, Run};
use std::cmp::Ordering;

/// The name of the tables.
pub const NAME: &str = "sweep";

/// The column that tells runs apart.
pub const RUN_ID: &str = "run_id";
/// The column of row numbers.
pub const ROW: &str = "row";
/// The column of how runs ended.
pub const STATUS: &str = "status";
/// The column that says why a row has no figures.
pub const REASON: &str = "reason";
/// The column of whether garbage collection had settled.
const SETTLED: &str = "settled";

/// Columns of the grid itself, in their order. Settings stand behind them, and then the end of the run.
const OF_GRID: [&str; 7] = [ROW, RUN_ID, "drive", "load", "state", "clock", "seed"];

/// Columns of exported runs that a grid says itself or that say nothing of a single run.
const NOT_OF_RUN: [&str; 6] = ["set", "run", "drive", "method", "test", "state"];

/// The reason why a row has no run, and who can mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRun {
    /// The reason in a line.
    pub why: String,
    /// The side at fault.
    pub fault: Fault,
}

/// The side at fault where there is no run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The input: such a run cannot be.
    Input,
    /// The model: the run began, and did not end as runs do.
    Model,
    /// This machine or what lies on it, so that another try may end otherwise.
    Here,
}

impl From<&LabError> for NotRun {
    fn from(error: &LabError) -> NotRun {
        NotRun {
            why: error.to_string(),
            fault: match error {
                LabError::Drive { .. } | LabError::Threads { .. } => Fault::Here,
                _ if error.is_input() => Fault::Input,
                _ => Fault::Model,
            },
        }
    }
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// As runs do: it has figures.
    Done,
    /// There can be no such run.
    Refused,
    /// It began, and the model gave up.
    Failed,
    /// This machine could not make it: it is tried again.
    Skipped,
}

impl Status {
    /// Every status, in the order in which summaries count them.
    pub const ALL: [Status; 4] = [
        Status::Done,
        Status::Refused,
        Status::Failed,
        Status::Skipped,
    ];

    /// As the column has it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Refused => "refused",
            Status::Failed => "failed",
            Status::Skipped => "skipped",
        }
    }

    /// The status of that word.
    #[must_use]
    pub fn named(word: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// A run's id and its end.
#[derive(Debug, Clone)]
pub struct Row {
    /// The id of the run.
    pub id: String,
    end: Result<Box<Run>, NotRun>,
}

impl Row {
    /// A row that a machine could not make, and why: it is tried again.
    #[must_use]
    pub fn skipped(id: String, why: &str) -> Row {
        let not_run = NotRun {
            why: why.to_owned(),
            fault: Fault::Here,
        };
        Row::of(id, Err(not_run))
    }

    /// A row of what is left of a run in a table: its courses over time are not.
    pub(crate) fn of(id: String, end: Result<Run, NotRun>) -> Row {
        let figures = |run: Run| {
            Box::new(Run {
                metrics: run.metrics,
                data: run.data,
                link: run.link,
                testbed: run.testbed,
                read: run.read,
                write: run.write,
                trim: run.trim,
                flush: run.flush,
                at: (run.at.into_iter())
                    .map(|at| At {
                        inside: at.inside,
                        ..At::default()
                    })
                    .collect(),
                together: run.together,
                submitted: run.submitted,
                completed: run.completed,
                warnings: run.warnings,
                seconds: run.seconds,
                ..Run::default()
            })
        };
        Row {
            id,
            end: end.map(figures),
        }
    }

    /// The end of the run.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.end {
            Ok(_) => Status::Done,
            Err(NotRun {
                fault: Fault::Input,
                ..
            }) => Status::Refused,
            Err(NotRun {
                fault: Fault::Model,
                ..
            }) => Status::Failed,
            Err(NotRun {
                fault: Fault::Here, ..
            }) => Status::Skipped,
        }
    }

    /// The reason for a row without figures; `None` for one that is done.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.end.as_ref().err().map(|not_run| not_run.why.as_str())
    }
}

/// Rows as a table: ids, how the runs ended, and the figures of those that are done.
pub fn table(rows: Vec<Row>) -> Table {
    let words =
        |word: &dyn Fn(&Row) -> Option<String>| Cells::Text(rows.iter().map(word).collect());
    let ends = [
        (RUN_ID, words(&|row| Some(row.id.clone()))),
        (STATUS, words(&|row| Some(row.status().word().to_owned()))),
        (REASON, words(&|row| row.reason().map(str::to_owned))),
    ];
    let mut columns: Vec<Column> = ends
        .into_iter()
        .map(|(name, cells)| column(name, cells))
        .collect();
    let mut at: Vec<Option<usize>> = Vec::new();
    let mut done = Vec::new();
    for row in rows {
        at.push(row.end.is_ok().then_some(done.len()));
        done.extend(row.end.ok().map(|run| *run));
    }
    let mut set = ask::empty(ask::origin(0, String::new(), false));
    set.runs = done;
    let figures = runs(&[("", &set)]).columns.into_iter();
    let figures = figures.filter(|column| !NOT_OF_RUN.contains(&column.name.as_str()));
    columns.extend(figures.map(|of| column(&of.name, of.cells.take(&at))));
    Table {
        name: NAME,
        columns,
    }
}

fn column(name: &str, cells: Cells) -> Column {
    Column {
        name: name.to_owned(),
        cells,
    }
}

/// The table of these rows of a grid: what the grid says of them beside what came of them, which stands in the rows
/// `at` of `ends`.
pub fn of_grid(sweep: &Sweep, rows: &[usize], ends: &Table, at: &[usize]) -> Table {
    let points: Vec<_> = rows.iter().map(|&row| sweep.point(row)).collect();
    let words = |words: &dyn Fn(usize) -> String| {
        Cells::Text((0..rows.len()).map(|n| Some(words(n))).collect())
    };
    let clock = match sweep.clock {
        Clock::Timed => "timed",
        Clock::Untimed => "untimed",
    };
    let cells = [
        Cells::Whole(rows.iter().map(|&row| Some(row as u64)).collect()),
        words(&|n| sweep.id(rows[n])),
        words(&|n| sweep.drives[points[n].drive].slug().to_owned()),
        words(&|n| sweep.loads[points[n].load].texts.name.clone()),
        words(&|_| sweep.state.name().to_owned()),
        words(&|_| clock.to_owned()),
        Cells::Whole(
            points
                .iter()
                .map(|point| Some(sweep.seeds[point.seed]))
                .collect(),
        ),
    ];
    let of_grid = OF_GRID.iter().zip(cells);
    let mut columns: Vec<Column> = of_grid.map(|(name, cells)| column(name, cells)).collect();
    for key in sweep.keys() {
        let values = sweep.values(key, rows);
        // What any row of the grid, here or in another share, has a word for is words.
        let is_number = sweep.variants.iter().all(|settings| {
            settings
                .get(key)
                .is_none_or(|value| value.number().is_some())
        });
        columns.push(column(
            key,
            match is_number {
                true => Cells::Number(
                    values
                        .iter()
                        .map(|value| value.and_then(|v| v.number()))
                        .collect(),
                ),
                false => Cells::Text(
                    values
                        .iter()
                        .map(|value| value.map(ToString::to_string))
                        .collect(),
                ),
            },
        ));
    }
    let at: Vec<Option<usize>> = at.iter().map(|&row| Some(row)).collect();
    let is_of_grid = |of: &&Column| columns.iter().any(|column| column.name == of.name);
    let ends = ends
        .columns
        .iter()
        .filter(|of| !is_of_grid(of) && !is_setting(&of.name));
    let ends: Vec<Column> = ends
        .map(|of| column(&of.name, of.cells.take(&at)))
        .collect();
    columns.extend(ends);
    arranged(Table {
        name: NAME,
        columns,
    })
}

/// Number of rows whose runs ended before garbage collection had settled.
pub fn unsettled(table: &Table) -> usize {
    let of_name = table.columns.iter().find(|column| column.name == SETTLED);
    match of_name.map(|column| &column.cells) {
        Some(Cells::Text(words)) => {
            let is_no = |word: &&Option<String>| word.as_deref() == Some("no");
            words.iter().filter(is_no).count()
        }
        _ => 0,
    }
}

/// Returns `true` for the column of a setting: its key alone has a dot.
fn is_setting(column: &str) -> bool {
    column.contains('.')
}

/// Columns of the runs themselves, without those of the grid.
pub fn without_grid(table: &Table, rows: &[usize]) -> Table {
    let at: Vec<Option<usize>> = rows.iter().map(|&row| Some(row)).collect();
    let is_left = |of: &&Column| {
        of.name == RUN_ID || !(OF_GRID.contains(&of.name.as_str()) || is_setting(&of.name))
    };
    let columns = table.columns.iter().filter(is_left);
    let columns = columns
        .map(|of| column(&of.name, of.cells.take(&at)))
        .collect();
    arranged(Table {
        name: NAME,
        columns,
    })
}

/// The table with its columns in an order that depends on their names alone, without figures that no row has:
/// tables of the same rows are the same, whatever they were put together from.
pub fn arranged(mut table: Table) -> Table {
    table
        .columns
        .retain(|column| rank(&column.name) <= RANK_OF_ENDS || !column.cells.holds_nothing());
    table.columns.sort_by(|a, b| {
        let rank = rank(&a.name).cmp(&rank(&b.name));
        rank.then_with(|| natural(&a.name, &b.name))
    });
    table
}

/// The rank of how runs ended; before it stands what a grid says.
const RANK_OF_ENDS: usize = OF_GRID.len() + 2;

fn rank(column: &str) -> usize {
    if let Some(at) = OF_GRID.iter().position(|name| *name == column) {
        return at;
    }
    let families = ["metric_", "read_", "write_", "trim_", "flush_"];
    match column {
        _ if is_setting(column) => OF_GRID.len(),
        STATUS => OF_GRID.len() + 1,
        REASON => RANK_OF_ENDS,
        _ => {
            let family = families
                .iter()
                .position(|family| column.starts_with(family));
            RANK_OF_ENDS + 1 + family.unwrap_or(families.len())
        }
    }
}

/// The order of names in which numbers count as such: p5 before p10, p99 before `p99_9`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(&first), Some(&other)) = (a.first(), b.first()) {
        let order = match first.is_ascii_digit() && other.is_ascii_digit() {
            true => {
                let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
                let (n, m) = (digits(a), digits(b));
                let (number, another) = (&a[..n], &b[..m]);
                (a, b) = (&a[n..], &b[m..]);
                n.cmp(&m).then_with(|| number.cmp(another))
            }
            false => {
                (a, b) = (&a[1..], &b[1..]);
                first.cmp(&other)
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_result::Traffic;

    #[test]
    fn a_row_has_the_latencies_of_every_kind_of_request() {
        let traffic = |ns| Traffic {
            ios: 3,
            lat_ns_percentiles: vec![(99.0, ns)],
            ..Traffic::default()
        };
        let run = Run {
            read: traffic(1),
            write: traffic(2),
            trim: traffic(3),
            flush: traffic(4),
            ..Run::default()
        };
        let table = table(vec![Row::of("a".to_owned(), Ok(run))]);
        let kinds = ["read", "write", "trim", "flush"];
        for (ns, kind) in (1..).zip(kinds) {
            let Some(Cells::Whole(cells)) = table.column(&format!("{kind}_lat_ns_p99")) else {
                panic!("{kind} has no column");
            };
            assert_eq!(cells[..], [Some(ns)], "{kind}");
        }
    }

    #[test]
    fn columns_have_an_order_of_their_own() {
        let names = [
            "wa",
            "write_lat_ns_p99_9",
            "write_lat_ns_p99",
            "write_lat_ns_p5",
            "write_lat_ns_p10",
            "seed",
            "spare.op",
            "metric_iops",
            "reason",
            "status",
            "run_id",
            "row",
            "empty",
            "gc.policy",
        ];
        let of = |name: &&str| {
            column(
                name,
                match *name {
                    "empty" | "reason" => Cells::Text(vec![None]),
                    _ => Cells::Whole(vec![Some(1)]),
                },
            )
        };
        let table = arranged(Table {
            name: NAME,
            columns: names.iter().map(of).collect(),
        });
        let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "row",
                "run_id",
                "seed",
                "gc.policy",
                "spare.op",
                "status",
                "reason",
                "metric_iops",
                "write_lat_ns_p5",
                "write_lat_ns_p10",
                "write_lat_ns_p99",
                "write_lat_ns_p99_9",
                "wa"
            ]
        );
    }
}
