//! The figures that drive cards are made of: loads of one size and depth on a drive, each from its state.

use ftlab_base::RootSeed;
use ftlab_base::amount::rounded;
use ftlab_card::{Latency, Load, Row, Source};
use ftlab_drive::MODEL_VERSION;
use ftlab_host::Testbed;
use ftlab_lab::{Begin, Cell, Event, Lab, LabError, Length, Playing, Subject, Work};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load as Played, What, mark_of_texts};
use ftlab_result::{Run, Traffic};
use ftlab_states::State;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

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
