//! What MQSim gives with its card of a drive, under loads of cards: how far that is from the model stands on the card.

use super::Peer;
use super::mqsim::Mqsim;
use super::question::{Question, SUITE};
use anyhow::{Context, Result};
use ftlab_bench::suites::{self, Latencies};
use ftlab_card::{Load, Pattern, Predicted};
use ftlab_drive::DriveFile;
use ftlab_result::quantity::table;
use ftlab_workload::JobFile;
use std::path::Path;

const fn load(size_bytes: u64, depth: u32, read_pct: u8) -> Load {
    Load {
        pattern: Pattern::Random,
        size_bytes,
        depth,
        read_pct,
    }
}

/// Few, since a run takes from seconds to minutes; of one direction, since MQSim's flows are.
pub const LOADS: [Load; 8] = [
    load(4096, 1, 100),
    load(4096, 32, 100),
    load(65_536, 1, 100),
    load(65_536, 32, 100),
    load(4096, 1, 0),
    load(4096, 32, 0),
    load(65_536, 1, 0),
    load(65_536, 32, 0),
];

/// What MQSim's program gives for a drive under a load. An error is a run that came to nothing.
pub fn predicted_by_mqsim(program: &Path, drive: &DriveFile, load: Load) -> Result<Predicted> {
    let suite = suites::named(SUITE).map_err(anyhow::Error::msg)?;
    // Any test that asks for the latencies of all requests: the load takes the place of its jobs.
    let test = suite
        .tests()
        .find(|test| matches!(test.step.latencies, Latencies::OfAll));
    let question = Question {
        drive: drive.clone(),
        test: test.context("the suite has no test of all latencies")?,
        jobs: JobFile::parse(&load.job(), &load.name())?,
        used_percent: 100,
        is_new: false,
    };
    let folder = tempfile::tempdir()?;
    let answer = Mqsim::of(program)?.ask(&question, folder.path())?;
    let value = |name: &str| answer.values.get(name).copied();
    let iops = value(table::IOPS.name).context("it gave no rate")?;
    let mean = value(table::LAT_AVG_US.name).context("it gave no latency")?;
    let latency = Some([mean, value("lat_p99_us").unwrap_or(f64::NAN)]);
    Ok(Predicted {
        iops,
        read_us: latency.filter(|_| load.read_pct == 100),
        write_us: latency.filter(|_| load.read_pct == 0),
    })
}
