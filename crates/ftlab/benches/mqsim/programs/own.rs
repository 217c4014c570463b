//! ftlab as a user runs it: a job on the generic drive, in its steady state.

use super::{DEPTH, Load, REQUEST, Ran, ended};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Spare area with which the drive programs as many pages a write as MQSim does.
const SPARE: &str = "spare.op=0.15";

/// Runs a load of so many requests by the program at this path.
pub fn run(program: &Path, load: Load, requests: u64) -> Result<Ran, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let job = folder.path().join("load.fio");
    let rw = match load {
        Load::Writes => "randwrite",
        Load::Reads => "randread",
    };
    // By their bytes, since a number of requests ends with the drive's size.
    let bytes = requests * REQUEST;
    let text =
        format!("[load]\nrw={rw}\nbs={REQUEST}\niodepth={DEPTH}\nnorandommap\nio_size={bytes}\n");
    std::fs::write(&job, text).map_err(|error| error.to_string())?;
    let mut call = Command::new(program);
    call.arg("run").arg(&job).args([
        "--drive",
        "generic-mlc-8",
        "--set",
        SPARE,
        "--state",
        "steady-fast",
    ]);
    call.args(["--jobs", "1", "--quiet", "--output-format", "json"]);
    let (printed, took) = ended(&mut call, folder.path())?;
    let told: Value =
        serde_json::from_str(&printed).map_err(|error| format!("ftlab's result: {error}"))?;
    let count = |key: &str| {
        let count = told["ftlab"][key].as_u64();
        count.ok_or_else(|| format!("ftlab's result has no number for {key}"))
    };
    let served = count("completed")?;
    if served != requests {
        return Err(format!("ftlab served {served} of {requests} requests"));
    }
    Ok(Ran {
        served,
        programs: count("nand_programs")?,
        user: took.rusage.utime,
        memory: took.rusage.maxrss,
    })
}
