//! A folder with files, and what is read of it.

use ftlab_readings::{Format, Left, ReadingError, Said, named, read};
use ftlab_result::{ResultSet, Run, SCHEMA};
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Place(TempDir);

/// What was read.
pub struct Taken {
    pub format: Format,
    pub set: ResultSet,
    pub left: Vec<Left>,
}

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn write_json(&self, name: &str, value: &Value) {
        self.write(name, serde_json::to_string_pretty(value).unwrap());
    }

    fn read(&self, names: &[&str]) -> Result<Taken, ReadingError> {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        let (format, readings) = read(&paths, None)?;
        let empty = json!({"schema": SCHEMA, "drives": [], "tests": [], "figures": [], "runs": [], "origin":
            {"version": "", "way": "measured", "seed": 1, "testbed": "real"}});
        let mut set: ResultSet = serde_json::from_value(empty).unwrap();
        let said = Said {
            drive: named(Some("Mine 480")),
            state: "used".to_owned(),
            link: "other".to_owned(),
            testbed: "real".to_owned(),
        };
        let left = readings.into_set(&said, &mut set);
        Ok(Taken { format, set, left })
    }

    #[track_caller]
    pub fn taken(&self, names: &[&str]) -> Taken {
        self.read(names).unwrap()
    }

    #[track_caller]
    pub fn refused(&self, names: &[&str]) -> String {
        match self.read(names) {
            Ok(taken) => panic!("{} runs were read", taken.set.runs.len()),
            Err(why) => why
                .to_string()
                .replace(&format!("{}/", self.0.path().display()), ""),
        }
    }
}

impl Taken {
    pub fn tests(&self) -> Vec<&str> {
        self.set.runs.iter().map(|run| run.test.as_str()).collect()
    }

    #[track_caller]
    pub fn run(&self, test: &str) -> &Run {
        let found = self.set.runs.iter().find(|run| run.test == test);
        found.unwrap_or_else(|| panic!("no {test} among {:?}", self.tests()))
    }

    #[track_caller]
    pub fn metric(&self, test: &str, name: &str) -> f64 {
        let run = self.run(test);
        *run.metrics
            .get(name)
            .unwrap_or_else(|| panic!("{name}: {:?}", run.metrics))
    }

    pub fn has_left(&self, what: &str) -> bool {
        self.left
            .iter()
            .any(|row| row.what.iter().any(|name| name == what))
    }

    pub fn fact(&self, key: &str) -> Option<&str> {
        let mut facts = self.set.drives[0].parameters.iter();
        facts
            .find(|fact| fact.key == key)
            .map(|fact| fact.value.as_str())
    }
}

/// A direction of fio 3 with so many requests of 4 KiB in `ms` milliseconds, each of 100 µs but one in a hundred of 900 µs.
pub fn direction(ios: u64, ms: u64) -> Value {
    let bins = json!({"99840": ios - ios / 100, "897024": ios / 100});
    let latency = |more: &Value| {
        let mut of =
            json!({"min": 99_000, "max": 900_000, "mean": 108_000.0, "stddev": 79_000.0, "N": ios});
        of.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        of
    };
    json!({
        "io_bytes": ios * 4096, "io_kbytes": ios * 4, "bw_bytes": ios * 4096 * 1000 / ms, "bw": ios * 4 * 1000 / ms,
        "iops": ios as f64 * 1e3 / ms as f64, "runtime": ms, "total_ios": ios, "short_ios": 0, "drop_ios": 0,
        "slat_ns": {"min": 1000, "max": 2000, "mean": 1500.0, "stddev": 1.0, "N": ios},
        "clat_ns": latency(&json!({"percentile": {"50.000000": 99_840, "99.000000": 897_024}, "bins": bins})),
        "lat_ns": latency(&json!({})),
        "bw_min": 1, "iops_samples": 2
    })
}

/// A direction without requests.
pub fn nothing() -> Value {
    let none = json!({"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0});
    json!({"io_bytes": 0, "io_kbytes": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0, "total_ios": 0,
           "slat_ns": none, "clat_ns": none, "lat_ns": none})
}

/// A job of fio 3 that reads.
pub fn job(name: &str, group: u32, options: &Value, reads: Value) -> Value {
    json!({"jobname": name, "groupid": group, "error": 0, "job options": options, "read": reads, "write": nothing(),
           "trim": nothing(), "sync": {"total_ios": 0, "lat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}},
           "usr_cpu": 1.5, "ctx": 9})
}

/// What fio 3 writes of some jobs.
pub fn output(jobs: &[Value]) -> Value {
    json!({"fio version": "fio-3.33", "timestamp": 1_764_000_000, "timestamp_ms": 1_764_000_000_000_u64, "time": "now",
           "global options": {"ioengine": "libaio", "filename": "/dev/nvme9n1"}, "jobs": jobs,
           "disk_util": [{"name": "nvme9n1", "util": 90.0}]})
}
