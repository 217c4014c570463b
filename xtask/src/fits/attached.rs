//! A drive attached by `ftlab serve` and measured by `ftlab measure`, which is by fio and by the clock.

use anyhow::{Context, Result, ensure};
use ftlab_bench::suites::Suite;
use ftlab_drive::DriveFile;
use ftlab_result::ResultSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// As many times fewer requests as the drives are slow, but enough for a 99th percentile.
const FEWER: u64 = 16;
const REQUESTS_MIN: u64 = 1000;

/// A server that lives as long as this.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, and nobody wants to hear how.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes the suite `fit` with fewer requests into a folder. Bursts are as long as they were: that is what they are for.
pub fn suite(folder: &Path) -> Result<Suite> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for job in fs::read_dir(root.join("jobs"))? {
        let job = job?;
        let name = job.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(job.path())?;
        let text = match name.contains("burst") {
            true => text,
            false => text.lines().map(fewer).collect(),
        };
        fs::write(folder.join(name), text)?;
    }
    let path = folder.join("suite.toml");
    fs::copy(root.join("suites/fit.toml"), &path)?;
    Suite::open(&path).map_err(anyhow::Error::msg)
}

/// A line of a job file, with fewer requests if it is the one that says how many.
fn fewer(line: &str) -> String {
    let requests = line.strip_prefix("number_ios=");
    match requests.and_then(|requests| requests.parse::<u64>().ok()) {
        Some(all) => format!("number_ios={}\n", (all / FEWER).max(all.min(REQUESTS_MIN))),
        None => format!("{line}\n"),
    }
}

/// What the suite of a folder gives on a drive there.
pub fn measured(ftlab: &Path, drive: &DriveFile, folder: &Path) -> Result<ResultSet> {
    fs::write(folder.join("truth.toml"), drive.text())?;
    // It is called in the folder, where a relative path would lead elsewhere.
    let ftlab = ftlab.canonicalize();
    let ftlab = &ftlab.context("there is no ftlab where --attached says")?;
    let program = |arguments: &[&str]| {
        let mut command = Command::new(ftlab);
        command.args(arguments).current_dir(folder);
        command
    };
    let mut server = program(&["serve", "--drive", "./truth.toml", "--unix", "drive.sock"]);
    let server = server.stdout(Stdio::piped()).spawn();
    let mut server =
        Server(server.with_context(|| format!("{} cannot be started", ftlab.display()))?);
    let said = BufReader::new(server.0.stdout.take().expect("a pipe"));
    let is_ready = said
        .lines()
        .any(|line| line.is_ok_and(|line| line == "ready"));
    ensure!(is_ready, "the drive was not attached");
    let uri = "nbd+unix:///?socket=drive.sock";
    let identified =
        program(&["measure", "--identify", uri, "--output-format", "json"]).output()?;
    let identified: serde_json::Value = serde_json::from_slice(&identified.stdout)?;
    let id = identified["id"].as_str().context("the drive has no id")?;
    let measure = program(&[
        "measure",
        uri,
        "--suite",
        "suite.toml",
        "--out",
        "measured",
        "--destroy",
        id,
    ])
    .status()?;
    ensure!(measure.success(), "the drive was not measured");
    let results = fs::read_to_string(folder.join("measured/results.json"))?;
    Ok(serde_json::from_str(&results)?)
}
