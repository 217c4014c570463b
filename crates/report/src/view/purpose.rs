//! Drives ranked for each use by the test that has its role, in the test's unit.

use ftlab_result::quantity::{self, Better, Quantity, table};
use ftlab_result::{DriveKind, Role, Run, TestSheet};

use super::measure;
use super::standing::Standing;
use super::{Family, View};

/// Drives within this factor of the best are level with it.
const LEVEL: f64 = 1.02;

/// A use that somebody buys a drive for, and the test that measures it.
struct Use {
    title: &'static str,
    /// Words to read after the value.
    says: &'static str,
    /// (role of the test, state or any, reading); the first that ran decides.
    tests: &'static [(Role, Option<&'static str>, Reading)],
}

/// The value of a run that counts.
#[derive(Clone, Copy)]
enum Reading {
    /// A metric of the run.
    Metric(&'static str),
    /// The slowest interval of its course, as IOPS.
    SlowestInterval,
}

impl Reading {
    /// True if it says nothing of a run that ends early: while there is erased flash every drive is even.
    fn needs_the_end(self) -> bool {
        matches!(self, Reading::SlowestInterval)
    }
}

/// A test read by a metric.
const fn by(role: Role, metric: &Quantity) -> (Role, Option<&'static str>, Reading) {
    (role, None, Reading::Metric(metric.name))
}

/// A test read by a metric, of the runs in a state.
const fn in_state(
    role: Role,
    state: &'static str,
    metric: &Quantity,
) -> (Role, Option<&'static str>, Reading) {
    (role, Some(state), Reading::Metric(metric.name))
}

const USES: [Use; 12] = [
    Use {
        title: "Booting and starting programs",
        says: "to boot",
        tests: &[
            by(Role::Boot, &table::SECONDS),
            by(Role::StartAtBoot, &table::SECONDS),
        ],
    },
    Use {
        title: "Working while files are unpacked",
        says: "to start a program beside it",
        tests: &[by(Role::StartBesideUnpacking, &table::SECONDS)],
    },
    Use {
        title: "Small random writes, after months of use",
        says: "on a used drive",
        tests: &[
            in_state(Role::UsedRandomWrite, "seasoned", &table::MB_S),
            in_state(Role::UsedRandomWrite, "used", &table::MB_S),
            by(Role::SmallRandomWriteAlone, &table::IOPS),
        ],
    },
    Use {
        title: "Databases",
        says: "of a database’s trace",
        tests: &[by(Role::Database, &table::MB_S)],
    },
    Use {
        title: "Copying large files to it",
        says: "written",
        tests: &[
            by(Role::LargeFileCopy, &table::MB_S),
            by(Role::LargeWrite, &table::MB_S),
        ],
    },
    Use {
        title: "How long the cache lasts",
        says: "written at full speed to an empty drive",
        tests: &[by(Role::CacheSize, &table::SLC_GB)],
    },
    Use {
        title: "What a commit costs",
        says: "for a write of a log and its flush",
        tests: &[by(Role::Commit, &table::COMMIT_US)],
    },
    Use {
        title: "A database that writes pages twice",
        says: "pages through its doublewrite buffer",
        tests: &[by(Role::DatabasePages, &table::PAGES_PER_S)],
    },
    Use {
        title: "Even speed under a load without end",
        says: "in the slowest second on a full drive",
        tests: &[(Role::SustainedRandomWrite, None, Reading::SlowestInterval)],
    },
    Use {
        title: "Long hours on a battery",
        says: "at a notebook’s work",
        tests: &[
            by(Role::NotebookPower, &table::WATTS),
            by(Role::IdlePower, &table::WATTS),
        ],
    },
    Use {
        title: "What writing takes from a battery",
        says: "for what is written in order",
        tests: &[by(Role::EnergyOfWrites, &table::JOULES_PER_GB)],
    },
    Use {
        title: "Years of writing",
        says: "that wear allows for five years",
        tests: &[by(Role::Endurance, &table::HOST_WRITES_PER_DAY)],
    },
];

/// One use, with the drives ranked.
pub struct Purpose<'v, 'a> {
    /// The use in words, as a title.
    pub title: &'static str,
    /// Words to read after a value.
    pub says: &'static str,
    /// Unit of the values.
    pub unit: &'static str,
    /// `Higher is better.` or the other way.
    pub better: &'static str,
    /// The family of the test that ranks them.
    pub family: &'v Family<'a>,
    /// Slug and value, best first.
    pub ranked: Vec<(&'a str, f64)>,
    /// Slug and value of those that are left out, as no figure of this kind vouches for them.
    pub unverified: Vec<(&'a str, f64)>,
}

impl<'a> Purpose<'_, 'a> {
    /// The drives that are best, level with each other; none where there is nothing to choose from.
    pub fn best(&self) -> &[(&'a str, f64)] {
        if self.ranked.len() < 2 {
            return &[];
        }
        let Some(&(_, first)) = self.ranked.first() else {
            return &[];
        };
        let level = |value: f64| (value / first).max(first / value) <= LEVEL;
        let count = self
            .ranked
            .iter()
            .take_while(|(_, value)| level(*value))
            .count();
        &self.ranked[..count.max(1)]
    }

    /// The place of a drive, counted from 1, and its value.
    pub fn place(&self, slug: &str) -> Option<(usize, f64)> {
        let index = self.ranked.iter().position(|(drive, _)| *drive == slug)?;
        Some((index + 1, self.ranked[index].1))
    }
}

/// The uses that this set has tests for, with two drives or more to choose from; of a quick review only those
/// that show soon.
pub fn purposes<'v, 'a>(view: &'v View<'a>) -> Vec<Purpose<'v, 'a>> {
    USES.iter()
        .filter_map(|known| purpose(view, known))
        .collect()
}

fn purpose<'v, 'a>(view: &'v View<'a>, known: &Use) -> Option<Purpose<'v, 'a>> {
    let asked = known.tests.iter().flat_map(|&(role, state, reading)| {
        let tests = view.set.tests.iter().filter(move |test| test.has(role));
        tests.map(move |test: &TestSheet| (role, test, state, reading))
    });
    asked.into_iter().find_map(|(role, test, state, reading)| {
        if view.set.origin.quick && reading.needs_the_end() {
            return None;
        }
        let family = view.family_of(&test.test)?;
        let (unit, better) = match reading {
            Reading::Metric(metric) => (quantity::unit(metric), metric),
            Reading::SlowestInterval => ("IOPS", table::IOPS.name),
        };
        let lower = quantity::better(better) == Better::Lower;
        let mut ranked: Vec<(&str, f64)> = (view.slugs().iter())
            // A disk in memory would win every ranking.
            .filter(|slug| {
                view.sheet(slug)
                    .is_none_or(|sheet| sheet.kind != DriveKind::Ram)
            })
            .filter_map(|slug| {
                let of_drive = |run: &&&Run| {
                    run.drive == *slug
                        && run.test == test.test
                        && state.is_none_or(|state| run.state == state)
                };
                let runs = family.runs.iter().filter(of_drive);
                let run = runs.max_by_key(|run| hardest(run))?;
                Some((*slug, value(run, reading)?))
            })
            .collect();
        ranked.sort_by(|(_, a), (_, b)| {
            if lower {
                a.total_cmp(b)
            } else {
                b.total_cmp(a)
            }
        });
        let is_to_choose = ranked.len() > 1;
        let (ranked, unverified) = (ranked.into_iter())
            .partition(|(slug, _)| Standing::of(view, slug, role) != Standing::Unverified);
        is_to_choose.then_some(Purpose {
            title: known.title,
            says: known.says,
            unit,
            better: measure::better_words(better),
            family,
            ranked,
            unverified,
        })
    })
}

/// Data that do not compress are what photographs and films are; the fastest link is what a drive
/// is bought for. Rates of links compare as their names do.
fn hardest(run: &Run) -> (bool, &str) {
    (run.data == "incompressible", run.link.as_str())
}

fn value(run: &Run, reading: Reading) -> Option<f64> {
    let value = match reading {
        Reading::Metric(metric) => run.metrics.get(metric).copied()?,
        Reading::SlowestInterval => {
            // The last interval is cut off by the end of the run.
            let (_, whole) = run.series_ios.split_last()?;
            *whole.iter().min()? as f64 / run.series_interval_s
        }
    };
    (value.is_finite() && value > 0.0).then_some(value)
}
