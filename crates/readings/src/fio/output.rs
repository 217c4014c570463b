//! What fio says of a run: `--output-format=json` and `json+`, of fio 2 and 3.

use super::document::documents;
use super::latency::Latency;
use crate::left::Ledger;
use crate::object::{COUNT_MAX, Object};
use serde_json::Value;
use std::collections::BTreeMap;

/// The name of the sum over the clients of a server.
const ALL_CLIENTS: &str = "All clients";

/// Keys that results have no place for, by the last part of their names.
const LEFT: [(&[&str], &str); 8] = [
    (
        &[
            "eta",
            "elapsed",
            "job_runtime",
            "job_start",
            "time",
            "timestamp",
            "timestamp_ms",
        ],
        "times of fio's own report",
    ),
    (
        &["usr_cpu", "sys_cpu", "ctx", "majf", "minf"],
        "processor time and page faults of the host",
    ),
    (
        &["iodepth_level", "iodepth_submit", "iodepth_complete"],
        "shares in percent, of requests by depth and by batch",
    ),
    (
        &["latency_ns", "latency_us", "latency_ms"],
        "shares in percent, of latencies in fio's buckets",
    ),
    (
        &["io_kbytes", "bw", "iops"],
        "what follows from bytes, requests and time",
    ),
    (
        &[
            "bw_min",
            "bw_max",
            "bw_agg",
            "bw_mean",
            "bw_dev",
            "bw_samples",
            "iops_min",
            "iops_max",
            "iops_mean",
            "iops_stddev",
            "iops_samples",
        ],
        "samples of the rate in fio's steps; its logs have the course",
    ),
    (
        &[
            "latency_depth",
            "latency_target",
            "latency_percentile",
            "latency_window",
            "steadystate",
        ],
        "the end of a search for a depth or for a steady state",
    ),
    (&["disk_util"], "counters of the kernel's block layer"),
];

/// Why any other key is left out.
const UNKNOWN: &str = "ftlab does not know it";

/// What fio says in one document.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The program and its version, for example `fio-3.33`.
    pub version: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub at_ms: Option<u64>,
    /// Options of the global section.
    pub global: BTreeMap<String, String>,
    /// Jobs, or groups of them that are reported as one.
    pub jobs: Vec<FioJob>,
    /// What ftlab says beside, if it is not of fio but of ftlab.
    pub ftlab: Option<Value>,
}

/// A job, or several that are reported as one.
#[derive(Debug, Clone, Default)]
pub struct FioJob {
    /// Its name.
    pub name: String,
    /// Jobs of one group ran at the same time.
    pub group: u32,
    /// The system's number of the error that it ended with; 0 for none.
    pub error: i64,
    /// Requests that failed, of a job that went on.
    pub failures: u64,
    /// The description of its section.
    pub description: Option<String>,
    /// The machine that ran it, of a client.
    pub host: Option<String>,
    /// The options of its section.
    pub options: BTreeMap<String, String>,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Trims.
    pub trim: Direction,
    /// All of them as one (`unified_rw_reporting`).
    pub mixed: Direction,
    /// Latencies of flushes.
    pub sync: Latency,
    /// True if fio timed how long it took to submit.
    pub has_slat: bool,
}

/// A direction of a job.
#[derive(Debug, Clone, Default)]
pub struct Direction {
    /// Bytes moved.
    pub io_bytes: u64,
    /// Bytes moved a second, as fio says.
    pub bw_bytes: f64,
    /// Commands completed.
    pub total_ios: u64,
    /// Length of its statistics in milliseconds.
    pub runtime_ms: u64,
    /// Latencies from the beginning of a request to its completion.
    pub latency: Latency,
    /// True if their distribution is of the time from submission to completion.
    pub is_of_clat: bool,
}

impl Output {
    /// Reads a text that has one document; lines around it are remarks.
    ///
    /// # Errors
    /// When it is something else.
    pub fn parse(text: &str) -> Result<Output, String> {
        let mut all = documents(text)?;
        match all.len() {
            1 => Output::of(all.remove(0), "", &mut Ledger::default()),
            n => Err(format!(
                "it has {n} documents of fio's; give them one by one"
            )),
        }
    }

    /// True if a document has jobs of fio's.
    pub(super) fn is_in(document: &Value) -> bool {
        ["jobs", "client_stats"]
            .iter()
            .any(|key| document.get(key).is_some())
    }

    /// Reads a document that stands at `place`; what results have no place for goes into the ledger.
    ///
    /// # Errors
    /// When it is no output of fio's: which key, and what stands there.
    pub fn of(value: Value, place: &str, ledger: &mut Ledger) -> Result<Output, String> {
        let mut object = Object::of("", value)?;
        let seconds = object.count("timestamp")?;
        let at_ms = object.count("timestamp_ms")?;
        let jobs = object.objects("jobs")?;
        let of_clients = object.objects("client_stats")?;
        let Some(jobs) = jobs.or(of_clients) else {
            return Err(
                "it has neither `jobs` nor `client_stats`; give what `fio --output-format=json` writes".to_owned(),
            );
        };
        object.text("time");
        let ftlab = object.object("ftlab")?;
        let output = Output {
            version: object.text("fio version"),
            at_ms: at_ms.or(seconds.map(|seconds| seconds.saturating_mul(1000))),
            global: object.texts("global options")?,
            jobs: jobs
                .into_iter()
                .map(|job| FioJob::of(job, place, ledger))
                .collect::<Result<_, _>>()?,
            ftlab: ftlab.map(Object::into_value),
        };
        note_rest(&object, "", place, ledger);
        Ok(output.without_sums(place, ledger))
    }

    /// Nanoseconds of a unit in its logs of latencies: fio has microseconds before 2.99. None where no version is known.
    #[must_use]
    pub fn unit_ns(&self) -> Option<u64> {
        const FIRST_OF_NS: (u32, u32) = (2, 99);
        let numbers = self.version.as_deref()?.strip_prefix("fio-")?;
        let mut numbers = numbers.split(|c: char| !c.is_ascii_digit());
        let mut number = || numbers.next()?.parse().ok();
        let version: (u32, u32) = (number()?, number()?);
        Some(if version < FIRST_OF_NS { 1000 } else { 1 })
    }

    /// A server's clients stand beside their sum: what they did counts once.
    fn without_sums(mut self, place: &str, ledger: &mut Ledger) -> Output {
        let is_sum = |job: &FioJob| job.name == ALL_CLIENTS;
        if self.jobs.iter().any(|job| !is_sum(job)) && self.jobs.iter().any(is_sum) {
            ledger.note(ALL_CLIENTS, place, "the sum of what stands beside it");
            self.jobs.retain(|job| !is_sum(job));
        }
        self
    }
}

impl FioJob {
    fn of(mut object: Object, place: &str, ledger: &mut Ledger) -> Result<FioJob, String> {
        let mut read = |key: &str| match object.object(key)? {
            Some(of) => Direction::of(of, key, place, ledger),
            None => Ok((Direction::default(), false)),
        };
        let [read, write, trim, mixed] =
            [read("read")?, read("write")?, read("trim")?, read("mixed")?];
        let sync = match object.object("sync")? {
            Some(mut of) => {
                let count = of.count("total_ios")?.unwrap_or(0);
                latency(&mut of, "lat", count)?
            }
            None => Latency::default(),
        };
        let name = object.text("jobname");
        let job = FioJob {
            name: name.ok_or_else(|| object.lacks("jobname"))?,
            group: object.count("groupid")?.unwrap_or(0) as u32,
            error: object.number("error")?.unwrap_or(0.0) as i64,
            failures: object.count("total_err")?.unwrap_or(0),
            description: object.text("desc"),
            host: object.text("hostname").filter(|host| !host.is_empty()),
            options: object.texts("job options")?,
            has_slat: [&read, &write, &trim, &mixed].iter().any(|of| of.1),
            read: read.0,
            write: write.0,
            trim: trim.0,
            mixed: mixed.0,
            sync,
        };
        for key in ["first_error", "port"] {
            object.text(key);
        }
        note_rest(&object, "jobs.", place, ledger);
        Ok(job)
    }

    /// Takes in the same job of a later round.
    pub(crate) fn go_on(&mut self, later: &FioJob) {
        let own = [
            &mut self.read,
            &mut self.write,
            &mut self.trim,
            &mut self.mixed,
        ];
        for (direction, more) in own.into_iter().zip(later.directions()) {
            direction.io_bytes += more.io_bytes;
            direction.total_ios += more.total_ios;
            direction.runtime_ms += more.runtime_ms;
            direction.latency.merge(&more.latency);
            direction.is_of_clat |= more.is_of_clat;
        }
        self.sync.merge(&later.sync);
        self.failures += later.failures;
        if self.error == 0 {
            self.error = later.error;
        }
    }

    /// Its directions.
    #[must_use]
    pub fn directions(&self) -> [&Direction; 4] {
        [&self.read, &self.write, &self.trim, &self.mixed]
    }

    /// Seconds of its statistics.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let ms = self.directions().map(|direction| direction.runtime_ms);
        ms.into_iter().max().unwrap_or(0) as f64 / 1e3
    }
}

impl Direction {
    /// The direction, and whether its submissions were timed.
    fn of(
        mut object: Object,
        name: &str,
        place: &str,
        ledger: &mut Ledger,
    ) -> Result<(Direction, bool), String> {
        let runtime_ms = object.count("runtime")?.unwrap_or(0);
        let kib_s = object.number("bw")?.unwrap_or(0.0);
        let iops = object.number("iops")?.unwrap_or(0.0);
        // fio 2.1 counts no requests, and its rate is a whole number.
        let counted = (iops * runtime_ms as f64 / 1e3).round() as u64;
        let total_ios = object.count("total_ios")?.unwrap_or(counted);
        let stated = object.count("io_bytes")?.unwrap_or(0);
        let is_bytes = ["io_kbytes", "bw_bytes"].iter().any(|key| object.has(key))
            || !is_kib(stated, kib_s, runtime_ms);
        let io_bytes = if is_bytes {
            stated
        } else {
            (stated * 1024).min(COUNT_MAX)
        };
        let [mut lat, clat] = [
            latency(&mut object, "lat", total_ios)?,
            latency(&mut object, "clat", total_ios)?,
        ];
        let slat = latency(&mut object, "slat", total_ios)?;
        let mut is_of_clat = false;
        let has_clat = clat.count() > 0 && lat.count() > 0;
        if lat.count() == 0 {
            is_of_clat = clat.count() > 0;
            lat = clat;
        } else if !lat.has_distribution() && clat.has_distribution() {
            is_of_clat = true;
            lat = lat.with_distribution_of(clat);
        }
        for (part, is_there) in [("slat", slat.count() > 0), ("clat", has_clat)] {
            if is_there {
                ledger.note(
                    part,
                    place,
                    "parts of latencies: up to the submission, and from there on",
                );
            }
        }
        for key in ["short_ios", "drop_ios"] {
            if object.count(key)?.is_some_and(|count| count > 0) {
                ledger.note(key, place, "requests that came back short, or were dropped");
            }
        }
        let direction = Direction {
            io_bytes,
            bw_bytes: object.number("bw_bytes")?.unwrap_or(kib_s * 1024.0),
            total_ios,
            runtime_ms,
            latency: lat,
            is_of_clat,
        };
        if total_ios > 0 {
            note_rest(&object, &format!("jobs.{name}."), place, ledger);
        }
        Ok((direction, slat.count() > 0))
    }
}

/// fio 2 gives the amount in KiB under a name that says bytes: the rate beside it tells.
fn is_kib(amount: u64, kib_s: f64, runtime_ms: u64) -> bool {
    const BETWEEN: f64 = 32.0;
    let kib = kib_s * runtime_ms as f64 / 1e3;
    kib == 0.0 || (amount as f64) < kib * BETWEEN
}

/// Latencies by their name, which ends in their unit since fio 3.
fn latency(object: &mut Object, name: &str, count: u64) -> Result<Latency, String> {
    let in_ns = object.object(&format!("{name}_ns"))?;
    let in_us = object.object(name)?;
    match in_ns {
        Some(of) => Latency::read(Some(of), 1, count),
        None => Latency::read(in_us, 1000, count),
    }
}

/// Notes the keys that nobody took. Those that nobody knows are called by their path.
fn note_rest(object: &Object, before: &str, place: &str, ledger: &mut Ledger) {
    for key in object.rest() {
        match LEFT.iter().find(|(keys, _)| keys.contains(&key)) {
            Some((_, why)) => ledger.note(key, place, why),
            None => ledger.note(&format!("{before}{key}"), place, UNKNOWN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn remarks_in_front_of_the_results_are_left_out() {
        let none = r#"{"io_bytes":0,"total_ios":0,"runtime":0,"lat_ns":{"min":0,"max":0,"mean":0.0,"stddev":0.0,"N":0}}"#;
        let text = format!(
            r#"note: something
{{"jobs":[{{"jobname":"a","groupid":0,"error":5,"read":{none},"write":{none},"trim":{none}}}]}}"#
        );
        let output = Output::parse(&text).unwrap();
        assert_eq!(
            (output.jobs[0].name.as_str(), output.jobs[0].error),
            ("a", 5)
        );
        let why = |text: &str| Output::parse(text).unwrap_err();
        assert!(why("fio: no such file").contains("no JSON"));
        assert_eq!(why("{\"jobs\": 1}"), "jobs is 1, where a list belongs");
        assert!(why("{\"a\": 1}").contains("neither `jobs`"));
        assert!(why("{\"jobs\": []}\n{\"jobs\": []}").contains("2 documents"));
        assert_eq!(why("{\"jobs\": [{}]}"), "jobs[0].jobname is missing");
    }

    #[test]
    fn amounts_of_fio_2_are_kib_and_of_fio_3_bytes() {
        let direction = |more: serde_json::Value| {
            let mut of = json!({"io_bytes": 40_960, "bw": 20_480, "iops": 5120.0, "runtime": 2000, "total_ios": 10_240});
            of.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            let of = Object::of("read", of).unwrap();
            Direction::of(of, "read", "x", &mut Ledger::default())
                .unwrap()
                .0
        };
        let old = direction(json!({"lat": {"min": 1, "max": 9, "mean": 4.5, "stddev": 1.0}}));
        assert_eq!(old.io_bytes, 40 << 20);
        assert_eq!(
            (old.latency.mean_ns(), old.latency.count()),
            (4500.0, 10_240)
        );
        assert_eq!(old.bw_bytes, 20_480.0 * 1024.0);
        let new = direction(json!({"io_bytes": 40 << 20, "io_kbytes": 40_960}));
        assert_eq!(new.io_bytes, 40 << 20);
        // A version that says bytes and no KiB beside them.
        let between = direction(json!({"io_bytes": 40 << 20}));
        assert_eq!(between.io_bytes, 40 << 20);
    }

    #[test]
    fn what_has_no_place_is_noted_and_what_nobody_knows_too() {
        let mut ledger = Ledger::default();
        let value = json!({"jobs": [{"jobname": "a", "ctx": 4, "novel": 1,
            "read": {"io_bytes": 8, "total_ios": 2, "runtime": 1, "drop_ios": 1, "bw_dev": 1.0, "fresh": 0}}]});
        Output::of(value, "x.json", &mut ledger).unwrap();
        let rows = ledger.rows();
        let named = |what: &str| {
            rows.iter()
                .find(|row| row.what.iter().any(|name| name == what))
        };
        assert_eq!(named("jobs.novel").unwrap().why, UNKNOWN);
        assert_eq!(named("jobs.read.fresh").unwrap().why, UNKNOWN);
        assert!(named("ctx").unwrap().why.contains("host"));
        assert!(named("bw_dev").is_some() && named("drop_ios").is_some());
    }

    #[test]
    fn clients_count_and_their_sum_does_not() {
        let job = |name: &str| json!({"jobname": name, "hostname": name, "read": {"total_ios": 3}});
        let text = json!({"client_stats": [job("a"), job("b"), job(ALL_CLIENTS)]}).to_string();
        let output = Output::parse(&text).unwrap();
        let hosts: Vec<_> = output
            .jobs
            .iter()
            .filter_map(|job| job.host.as_deref())
            .collect();
        assert_eq!(hosts, ["a", "b"]);
    }
}
