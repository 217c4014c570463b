//! Estimates of how long runs take to simulate, relative to each other. A review's time left is reckoned from them.
//!
//! Nothing is measured here: the unit is about the work of one write of 4 KiB with time, and what is
//! known before a run is how many of them it makes or how long it lasts. Nothing else rests on it, so
//! a guess that is off makes no result wrong, only a wait.

use crate::suites::{Act, Procedure};
use ftlab_drive::{DriveFile, Kind};
use ftlab_lab::{Cell, Length, Playing, Subject, Work};
use ftlab_play::load::{Load, What};
use ftlab_states::State;
use ftlab_workload::JobFile;

/// Bytes of one unit of work.
const UNIT_BYTES: u64 = 4096;

/// The work of a write without time, as a share of one with it; docs/speed.md has both.
const UNTIMED: f64 = 0.06;

/// Virtual seconds of an application script, whose end is not known before it runs.
const SCRIPT_S: f64 = 20.0;

/// The part of an hour of torture that is simulated with time (`torture.rs`).
const TORTURE_TIMED: f64 = 1.0 / 60.0;

/// Units that a virtual second of a busy drive takes.
fn of_a_second(file: &DriveFile) -> f64 {
    match file.kind() {
        Kind::Ssd => 10_000.0,
        // An arm positions itself a hundred times a second.
        Kind::Disk => 200.0,
        Kind::Ram => 100_000.0,
    }
}

/// The parts of each cell of one drive. The first load of a state costs what the state does.
pub fn of_cells(cells: &[Cell]) -> Vec<Vec<f64>> {
    let mut reached = Vec::new();
    let of_cell = |cell: &Cell| match &cell.work {
        Work::Course(course) => course.costs(cell),
        Work::Load(playing) => {
            let mut cost = of_load(cell.subject.first(), playing);
            let state = (cell.subject.data_before(&playing.load), playing.begin.state);
            if !reached.contains(&state) {
                reached.push(state);
                cost += of_state(&cell.subject, playing.begin.state);
            }
            vec![cost]
        }
    };
    cells.iter().map(of_cell).collect()
}

/// A load on drives that are prepared; several are as good as the first of them.
fn of_load(file: &DriveFile, playing: &Playing) -> f64 {
    match playing.load.what() {
        What::Job(job) => of_job(file, &playing.length.of(job.clone())),
        What::Script(_) => SCRIPT_S * of_a_second(file),
        What::Trace(trace) => {
            let most = playing.length.operations_max().unwrap_or(u64::MAX);
            trace.operations().min(most) as f64
        }
        What::Recording(recording) => {
            let most = playing.length.operations_max().unwrap_or(u64::MAX);
            recording.scan.all().min(most) as f64
        }
    }
}

/// A job file at its length.
fn of_job(file: &DriveFile, job_file: &JobFile) -> f64 {
    let of_one = |job: &ftlab_workload::JobSpec| -> f64 {
        let Ok(job) = job.resolve(file.capacity_bytes()) else {
            return 0.0;
        };
        let bs = job.spec.sizes.bs.write.max(job.spec.sizes.bs.read);
        // A large transfer is cheaper than its slots one by one, and never less than a command.
        let of_command = (bs as f64 / UNIT_BYTES as f64 / 2.0).max(1.0);
        let commands = job.ios_max.map(|ios| ios as f64 * of_command);
        let bytes = job
            .total_bytes()
            .map(|bytes| (bytes / bs.max(1)) as f64 * of_command);
        let timed = job
            .spec
            .length
            .runtime
            .map(|span| span.as_secs() * of_a_second(file));
        let ends = [commands, bytes, timed].into_iter().flatten();
        ends.fold(f64::INFINITY, f64::min)
    };
    let jobs = job_file.jobs.iter().map(of_one);
    jobs.filter(|units| units.is_finite()).sum()
}

/// Bringing drives from new to a state.
fn of_state(subject: &Subject, state: State) -> f64 {
    subject.files().map(|file| of_drive(file, state)).sum()
}

fn of_drive(file: &DriveFile, state: State) -> f64 {
    let capacities = match (file.kind(), state) {
        (Kind::Disk | Kind::Ram, _) | (_, State::New) => 0.0,
        (Kind::Ssd, State::Filled | State::FilledRandom) => 1.0,
        // Half of a used drive's programs are copies.
        (Kind::Ssd, State::Seasoned | State::Used) => 1.5,
        (Kind::Ssd, State::Restored) => 2.0,
        (Kind::Ssd, State::SteadyFast) => 2.0,
        (Kind::Ssd, State::Steady) => 6.0,
    };
    capacities * units_of(file)
}

/// Writing all of a drive without time.
fn units_of(file: &DriveFile) -> f64 {
    (file.capacity_bytes() / UNIT_BYTES) as f64 * UNTIMED
}

/// Each job that a procedure measures, with what is done before it.
pub fn of_procedure(file: &DriveFile, procedure: &Procedure, length: Length) -> Vec<f64> {
    let mut costs = Vec::new();
    let mut before = 0.0;
    let job_of = |job: &Load| {
        let job = job.job_file().expect("a suite reads nothing else here");
        of_job(file, &length.of_procedure(job.clone()))
    };
    for act in &procedure.acts {
        match act {
            Act::SecureErase | Act::Trim(_) => {}
            Act::FillFrom(..) => before += units_of(file),
            Act::Reach(state) => before += of_drive(file, *state),
            Act::Overwrite(_, times) => before += f64::from(*times) * units_of(file),
            Act::Torture(job) => before += job_of(job) * (TORTURE_TIMED + UNTIMED),
            Act::Measure(job, _) => costs.push(std::mem::take(&mut before) + job_of(job)),
        }
    }
    costs
}

/// The work of a number of programs without time.
pub fn of_programs(programs: f64) -> f64 {
    programs * UNTIMED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites;
    use ftlab_drive::Catalog;

    fn of(drive: &str, text: &str, length: Length) -> f64 {
        let file = Catalog::default().load(drive, &[]).unwrap();
        of_job(&file, &length.of(JobFile::parse(text, "t.fio").unwrap()))
    }

    #[test]
    fn work_grows_with_time_and_ends_with_an_amount() {
        let ssd = "intel-x25-m-g1-80";
        let timed = |s: u32| format!("[w]\nrw=randwrite\nbs=4k\ntime_based\nruntime={s}\n");
        let [short, long] = [30, 60].map(|s| of(ssd, &timed(s), Length::Full));
        assert!((long / short - 2.0).abs() < 1e-9);
        assert!(of("seagate-momentus-7200.2", &timed(60), Length::Full) < long / 10.0);
        assert_eq!(of(ssd, &timed(600), Length::Quick), 150_000.0);
        let amount = "[w]\nrw=randwrite\nbs=4k\nsize=4m\n";
        assert_eq!(of(ssd, amount, Length::Full), 1024.0);
    }

    #[test]
    fn a_procedure_costs_what_leads_up_to_each_of_its_measurements() {
        let file = Catalog::default().load("intel-x25-m-g1-80", &[]).unwrap();
        for test in suites::all() {
            if let suites::Work::Within(procedure, _) = &test.step.work {
                let costs = of_procedure(&file, procedure, Length::Full);
                let is_measured = |act: &&Act| matches!(act, Act::Measure(..));
                let measured = procedure.acts.iter().filter(is_measured).count();
                assert_eq!(costs.len(), measured, "{}", procedure.slug);
                assert!(costs.iter().all(|cost| *cost > 0.0), "{}", procedure.slug);
            }
        }
    }
}
