//! What is told of a script and of a trace alike, beside what the host saw.

use super::Options;
use super::prepared::Prepared;
use super::repeats::Repeated;
use crate::failure::{Failure, Outcome};
use crate::health::SmartRow;
use crate::provenance;
use ftlab_base::SimTime;
use ftlab_drive::MODEL_VERSION;
use ftlab_play::driver::RunReport;
use ftlab_result::Provenance;
use serde::Serialize;
use std::fmt::Write;
use std::time::Instant;

/// A run of a script or a trace.
pub struct Played<R> {
    pub prepared: Prepared,
    pub report: R,
    pub repeated: Option<Repeated>,
    wall_seconds: f64,
}

impl<R> Played<R> {
    /// Plays on a prepared drive, and saves it if that is asked for. `end` says whether the run came to
    /// its end, when the drive had answered the last command, and what was done to it.
    pub fn new<E: Into<Failure>>(
        mut prepared: Prepared,
        play: impl FnOnce(&mut Prepared) -> Result<R, E>,
        end: impl FnOnce(&R, &str) -> (Outcome, SimTime, String),
    ) -> Result<Played<R>, Failure> {
        let running = Instant::now();
        let report = play(&mut prepared).map_err(Into::into)?;
        let wall_seconds = running.elapsed().as_secs_f64();
        let (failed, ended, step) = end(&report, &prepared.name);
        prepared.save_after(failed, Some(ended), step)?;
        Ok(Played {
            prepared,
            report,
            repeated: None,
            wall_seconds,
        })
    }

    /// The beginning of what programs read.
    pub fn head(&self, options: &Options) -> Head<'_> {
        let Prepared { drive, start, .. } = &self.prepared;
        Head {
            version: env!("CARGO_PKG_VERSION"),
            model_version: MODEL_VERSION,
            provenance: provenance::here(),
            drive: drive.slug(),
            drive_file_hash: format!("{:016x}", drive.hash()),
            testbed: &self.prepared.testbed.slug,
            state: &start.origin.state,
            steps: &start.origin.steps,
            seed: options.seed,
            wall_seconds: self.wall_seconds,
            smart: self.prepared.smart(),
            repeats: self.repeated.as_ref(),
        }
    }

    /// The end of what people read.
    pub fn tail(&self, options: &Options, run: &RunReport, more: &[(&str, String)]) -> String {
        let Prepared { drive, start, .. } = &self.prepared;
        let (slug, name, state) = (drive.slug(), drive.name(), &start.origin.state);
        let seed = options.seed;
        let mut rows = vec![
            ("drive", format!("{slug} ({name}), {state}, seed {seed}")),
            ("testbed", self.prepared.testbed.slug.clone()),
        ];
        rows.extend_from_slice(more);
        if run.counters.nand_programs > 0 {
            let wa = format!("{:.3} over the run", run.wa.total);
            rows.push(("write amplification", wa));
        }
        let (simulated, wall) = (run.simulated.as_secs(), self.wall_seconds);
        rows.push((
            "speed",
            format!("{simulated:.3} s simulated in {wall:.3} s"),
        ));
        let mut out = "ftlab:\n".to_owned();
        for (name, value) in rows {
            writeln!(out, "  {name:<20}{value}").expect("writing to a string succeeds");
        }
        let repeated = self.repeated.as_ref().map(Repeated::table);
        out + &self.prepared.smart_below(options) + &repeated.unwrap_or_default()
    }
}

/// Whether the drive answered all commands of a run.
pub fn failed(run: &RunReport, what: &str) -> Outcome {
    if run.jobs.iter().all(|job| job.errors == 0) {
        return Ok(());
    }
    Err(Failure::Running(format!(
        "the {what} ended early: the drive answered a command with an error"
    )))
}

/// Neither has a meaning without a clock.
pub fn needs_clock(options: &Options, what: &str) -> Outcome {
    if options.untimed {
        return Err(Failure::Input(format!(
            "a {what} has no meaning without a clock; leave out --untimed"
        )));
    }
    Ok(())
}

/// What programs read first.
#[derive(Serialize)]
pub struct Head<'a> {
    version: &'static str,
    /// Runs of one model version, drive, state, load and seed are the same.
    model_version: u32,
    /// The source that ftlab was built of.
    provenance: Provenance,
    drive: &'a str,
    /// 16 hexadecimal digits.
    drive_file_hash: String,
    testbed: &'a str,
    state: &'a str,
    /// How it came to that state.
    steps: &'a [String],
    seed: u64,
    wall_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    smart: Option<Vec<SmartRow>>,
    /// Figures over the repeats, if there were any; all else is of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats: Option<&'a Repeated>,
}
