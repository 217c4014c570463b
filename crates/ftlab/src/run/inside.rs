//! What a run tells beyond what fio can: the drive's inside, and how the run can be repeated.

use super::Finished;
use super::repeats::Repeated;
use crate::health::{SmartRow, Wear};
use crate::provenance;
use ftlab_base::CommandKind;
use ftlab_drive::MODEL_VERSION;
use ftlab_play::record::Record;
use ftlab_play::states::Settling;
use ftlab_play::warnings::Warning;
use ftlab_result::Provenance;
use serde::Serialize;
use std::collections::BTreeMap;

/// The `ftlab` object of the JSON output, and the last block of the text.
#[derive(Debug, Serialize)]
pub struct Inside {
    pub version: &'static str,
    /// Runs of one model version, drive, state, job and seed are the same.
    pub model_version: u32,
    /// The source that ftlab was built of.
    pub provenance: Provenance,
    pub drive: String,
    /// 16 hexadecimal digits.
    pub drive_file_hash: String,
    /// The state the job started from.
    pub state: String,
    /// What brought the drive there, in words.
    pub steps: Vec<String>,
    /// The rounds to the steady state, if the drive was prepared to be steady in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settling: Option<Rounds>,
    /// The file the state was loaded from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_state: Option<String>,
    /// The seed that the drive was prepared with.
    pub state_seed: u64,
    pub seed: u64,
    /// NAND bytes programmed over host bytes written, over the whole measured run.
    pub wa: f64,
    /// The same over the last window of the steady rule; absent where the rule does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wa_steady: Option<f64>,
    pub host_ios: u64,
    pub nand_programs: u64,
    pub nand_reads: u64,
    pub nand_erases: u64,
    /// Share of the programs that garbage collection or merges made, 0 to 1.
    pub gc_share: f64,
    /// Pages programmed for the mapping table.
    pub map_programs: u64,
    /// Pages read for the mapping table.
    pub map_reads: u64,
    pub buffer_stalls: u64,
    /// Trims that freed nothing, as they covered no whole slot of the drive.
    pub void_trims: u64,
    /// What the drive took from its supply; `null` without a clock, or when the drive's file does
    /// not say what its parts take.
    pub power: Option<Power>,
    pub submitted: u64,
    pub completed: u64,
    pub simulated_seconds: f64,
    pub wall_seconds: f64,
    /// 16 hexadecimal digits.
    pub op_stream_hash: String,
    /// How the drive is worn after the run, if it is of flash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wear: Option<Wear>,
    /// Its SMART attributes, if its file says whose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smart: Option<Vec<SmartRow>>,
    /// Figures over the repeats, if there were any; all else is of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeated>,
    /// Keys of the job file that have no effect, then what a reader of the figures has to know.
    pub warnings: Vec<String>,
}

/// The `power` object.
#[derive(Debug, Serialize)]
pub struct Power {
    /// Mean.
    pub watts: f64,
    /// With nothing to do.
    pub idle_watts: f64,
    /// Of what the host read and wrote; `null` when it did neither.
    pub joules_per_gb: Option<f64>,
    /// Joules by part of the drive.
    pub joules: Joules,
    /// Mean of each second.
    pub series_watts: Vec<f64>,
}

/// Joules by part of the drive.
#[derive(Debug, Serialize)]
pub struct Joules {
    pub nand: f64,
    pub bus: f64,
    pub controller: f64,
    pub link: f64,
    pub dram: f64,
    pub mechanics: f64,
}

impl Power {
    fn of(run: &Finished, metrics: &BTreeMap<String, f64>) -> Option<Power> {
        let power = run.report.power.as_ref()?;
        let energy = &power.energy;
        Some(Power {
            watts: power.watts(),
            idle_watts: power.rest_watts,
            joules_per_gb: metrics.get("joules_per_gb").copied(),
            joules: Joules {
                nand: energy.nand,
                bus: energy.bus,
                controller: energy.controller,
                link: energy.link,
                dram: energy.dram,
                mechanics: energy.mechanics,
            },
            series_watts: power.series_watts.clone(),
        })
    }
}

/// How a drive settled.
#[derive(Debug, Serialize)]
pub struct Rounds {
    /// Rounds it took, or was given.
    pub rounds: usize,
    /// Whether it was steady then.
    pub settled: bool,
    /// Write amplification of each round.
    pub wa: Vec<f64>,
}

impl Rounds {
    fn of(settling: &Settling) -> Rounds {
        Rounds {
            rounds: settling.rounds.len(),
            settled: settling.settled,
            wa: settling.rounds.iter().map(|share| 1.0 / share).collect(),
        }
    }
}

/// What to say of trims that freed nothing, if there were any.
pub fn void_trims(run: &Finished) -> Option<String> {
    let void = Some(run.report.counters.void_trims).filter(|&void| void > 0)?;
    let slot_kib = run.prepared.drive.slot_bytes()? / 1024;
    let jobs = run.report.jobs.iter();
    let trims: u64 = jobs.map(|job| job.direction(CommandKind::Trim).ios).sum();
    Some(format!(
        "{void} of {trims} trims freed nothing: the drive frees whole slots of {slot_kib} KiB, and each \
         of them covered none"
    ))
}

impl Inside {
    pub fn of(run: &Finished) -> Inside {
        let record = Record::of(&run.report);
        let inside = record.inside;
        let ignored = run.file.ignored.iter();
        let without_effect = |key: &ftlab_workload::Ignored| {
            format!("{}: {} has no effect: {}", key.at, key.key, key.reason)
        };
        let warnings = run.warnings.iter().map(Warning::to_string);
        Inside {
            version: env!("CARGO_PKG_VERSION"),
            model_version: MODEL_VERSION,
            provenance: provenance::here(),
            drive: run.prepared.drive.slug().to_owned(),
            drive_file_hash: format!("{:016x}", run.prepared.drive.hash()),
            state: run.prepared.start.origin.state.clone(),
            steps: run.prepared.start.origin.steps.clone(),
            settling: run.prepared.start.settling.as_ref().map(Rounds::of),
            from_state: run
                .prepared
                .start
                .file
                .as_ref()
                .map(|f| f.display().to_string()),
            state_seed: run.prepared.start.origin.seed,
            seed: run.seed,
            wa: inside.wa,
            wa_steady: inside.wa_steady,
            host_ios: inside.host_ios,
            nand_programs: inside.nand_programs,
            nand_reads: inside.nand_reads,
            nand_erases: inside.nand_erases,
            gc_share: inside.gc_share,
            map_programs: inside.map_programs,
            map_reads: inside.map_reads,
            buffer_stalls: inside.buffer_stalls,
            void_trims: run.report.counters.void_trims,
            power: Power::of(run, &record.metrics),
            submitted: inside.submitted,
            completed: inside.completed,
            simulated_seconds: inside.simulated_seconds,
            wall_seconds: run.wall.as_secs_f64(),
            op_stream_hash: inside.op_stream_hash,
            wear: run.prepared.device.health().as_ref().map(Wear::of),
            smart: run.prepared.smart(),
            repeats: run.repeated.clone(),
            warnings: ignored
                .map(without_effect)
                .chain(warnings)
                .chain(void_trims(run))
                .collect(),
        }
    }
}
