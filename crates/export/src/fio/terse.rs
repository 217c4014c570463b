//! Jobs as lines of numbers with semicolons between (fio's terse output).

use super::disk::Disk;
use super::job::{cpu_of_each, depth_shares, errno, first_error, reporting, samples};
use super::latency::{percentiles, spectrum};
use ftlab_result::{Directions, Job, Reporting, Run, Traffic};
use std::fmt::{Result, Write};

/// Columns that fio keeps for percentiles.
const PERCENTILES_MAX: usize = 20;

/// A version of fio's terse output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TerseVersion {
    /// With trims, without the version of fio and the disk.
    V2,
    /// Reads and writes: fio's default.
    V3,
    /// Version 3 with trims.
    V4,
    /// Version 4 with samples of the rates.
    V5,
}

impl TerseVersion {
    /// The version of that number.
    #[must_use]
    pub fn numbered(number: u32) -> Option<TerseVersion> {
        match number {
            2 => Some(TerseVersion::V2),
            3 => Some(TerseVersion::V3),
            4 => Some(TerseVersion::V4),
            5 => Some(TerseVersion::V5),
            _ => None,
        }
    }

    const fn number(self) -> u32 {
        match self {
            TerseVersion::V2 => 2,
            TerseVersion::V3 => 3,
            TerseVersion::V4 => 4,
            TerseVersion::V5 => 5,
        }
    }
}

/// A line for each job of a run; `program` is the name and version of what ran it.
#[must_use]
pub fn terse(program: &str, run: &Run, version: TerseVersion) -> String {
    let mut out = String::new();
    for job in &run.jobs {
        line(&mut out, program, run, job, version).expect("writing to a string succeeds");
    }
    out
}

fn line(out: &mut String, program: &str, run: &Run, job: &Job, version: TerseVersion) -> Result {
    write!(out, "{}", version.number())?;
    if version != TerseVersion::V2 {
        write!(out, ";{program}")?;
    }
    write!(out, ";{};{};{}", job.name, job.group, errno(job))?;
    // The order of the fields is fixed by fio's HOWTO: no field may be left out, even if it has no meaning here.
    let reporting = reporting(job);
    for traffic in directions(job, &reporting, version) {
        direction(out, traffic, job, &reporting, version)?;
    }
    write!(out, ";{:.6}%;{:.6}%;0;0;0", 0.0, cpu_of_each(run))?;
    for share in depth_shares(job) {
        write!(out, ";{share:3.1}%")?;
    }
    for share in spectrum(job, reporting.without_clat).of_us_and_ms() {
        write!(out, ";{share:3.2}%")?;
    }
    if let Some(disk) = Disk::of(run)
        && version != TerseVersion::V2
    {
        write!(
            out,
            ";{};{};{};{};{};{};{};{};{:3.2}%",
            disk.name,
            disk.read_ios,
            disk.write_ios,
            disk.read_merges,
            disk.write_merges,
            disk.read_ticks,
            disk.write_ticks,
            disk.in_queue,
            disk.util
        )?;
    }
    if let Some(failures) = job.failures {
        write!(out, ";{failures};{}", first_error(failures))?;
    }
    if let Some(description) = job.description.as_deref().filter(|text| !text.is_empty()) {
        let between = if version == TerseVersion::V2 {
            "\n"
        } else {
            ""
        };
        write!(out, "{between};{description}")?;
    }
    writeln!(out)
}

fn directions<'a>(job: &'a Job, reporting: &Reporting, version: TerseVersion) -> Vec<&'a Traffic> {
    let mut directions = Vec::new();
    if reporting.directions != Directions::Mixed {
        directions.extend([&job.read, &job.write]);
        if version != TerseVersion::V3 {
            directions.push(&job.trim);
        }
    }
    if reporting.directions != Directions::Apart {
        directions.push(&job.mixed);
    }
    directions
}

fn direction(
    out: &mut String,
    of: &Traffic,
    job: &Job,
    reporting: &Reporting,
    version: TerseVersion,
) -> Result {
    let runtime_ms = if of.ios > 0 {
        job.measured_ns / 1_000_000
    } else {
        0
    };
    let (kib, rate) = (of.bytes / 1024, of.bytes_per_s as u64 / 1024);
    write!(out, ";{kib};{rate};{};{runtime_ms}", of.iops as u64)?;
    let latency = |out: &mut String, of: &Traffic| {
        let (min, max) = (of.lat_ns_min / 1000, of.lat_ns_max / 1000);
        let (mean, stddev) = (of.lat_ns_mean / 1e3, of.lat_ns_stddev / 1e3);
        write!(out, ";{min};{max};{mean:.6};{stddev:.6}")
    };
    let none = Traffic::default();
    let (of_clat, of_lat) = (
        if reporting.without_clat { &none } else { of },
        if reporting.without_lat { &none } else { of },
    );
    // The latency of submission comes first in fio's order; its fields stay zero.
    latency(out, &none)?;
    latency(out, of_clat)?;
    let is_shown =
        reporting.of_lat && !reporting.without_lat || reporting.of_clat && !reporting.without_clat;
    let asked = percentiles(reporting);
    let known = of.lat_ns_percentiles.iter();
    let mut shown = known.filter(|(percent, _)| is_shown && asked.contains(percent));
    for _ in 0..PERCENTILES_MAX {
        match shown.next() {
            Some((percent, ns)) => write!(out, ";{percent:.6}%={}", ns / 1000)?,
            None => write!(out, ";0%=0")?,
        }
    }
    latency(out, of_lat)?;
    let rates = samples(of);
    let (bytes, ios) = (rates.bytes, rates.ios);
    let of_all = if rates.seconds > 0 { 100.0 } else { 0.0 };
    let kib = |bytes: f64| bytes / 1024.0;
    let (min, max) = (kib(bytes.min) as u64, kib(bytes.max) as u64);
    let (mean, stddev) = (kib(bytes.mean), kib(bytes.stddev));
    write!(out, ";{min};{max};{of_all:.6}%;{mean:.6};{stddev:.6}")?;
    if version == TerseVersion::V5 {
        let (min, max) = (ios.min as u64, ios.max as u64);
        let (mean, stddev, seconds) = (ios.mean, ios.stddev, rates.seconds);
        write!(
            out,
            ";{seconds};{min};{max};{mean:.6};{stddev:.6};{seconds}"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_as_many_columns_as_fio_s() {
        let job: Job = serde_json::from_value(serde_json::json!({
            "name": "j", "group": 0, "clones": 1, "iodepth": 1, "measured_ns": 2_000_000_000_u64,
        }))
        .unwrap();
        let columns = |job: &Job, version| {
            let run = Run {
                drive: "d".to_owned(),
                jobs: vec![job.clone()],
                ..Run::default()
            };
            let text = terse("ftlab-1", &run, version);
            assert!(text.ends_with('\n'));
            text.split(';').count()
        };
        // Counted in lines of fio 3.33 with one disk.
        let counted = [
            (TerseVersion::V2, 161),
            (TerseVersion::V3, 130),
            (TerseVersion::V4, 171),
            (TerseVersion::V5, 189),
        ];
        for (version, of_fio) in counted {
            assert_eq!(columns(&job, version), of_fio, "{version:?}");
        }
        let more = Job {
            failures: Some(3),
            description: Some("what it does".to_owned()),
            ..job
        };
        assert_eq!(columns(&more, TerseVersion::V3), 133);
    }
}
