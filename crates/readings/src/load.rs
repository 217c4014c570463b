//! What jobs of fio's do, in words: titles and steps of tests.

use crate::fio::{FioJob, depth, option, rw};
use ftlab_base::size;
use ftlab_result::quantity::table;
use ftlab_result::{Chart, TestSheet};
use std::collections::BTreeMap;

/// From which block size on a job is about its data rate, in bytes.
const LARGE_BLOCK: u64 = 64 << 10;

/// fio's block size where a job does not say one.
const BLOCK: &str = "4k";

/// What jobs do that all do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// fio's word: `randread`, `rw`, …
    pub rw: String,
    /// Sizes of requests, in fio's words.
    pub block: String,
    /// Share of the reads in percent, of a load that mixes them with writes.
    pub read_pct: Option<u8>,
    /// Requests that each job keeps outstanding.
    pub depth: u32,
    /// Jobs side by side.
    pub jobs: u32,
}

impl Load {
    /// What all jobs do; none where they differ, and where no options are known.
    #[must_use]
    pub fn of(jobs: &[FioJob], global: &BTreeMap<String, String>, count: u32) -> Option<Load> {
        let of = |job: &FioJob| -> Option<Load> {
            let said = |names: &[&str]| option(job, global, names).map(str::to_owned);
            let rw = rw(job, global)?.to_owned();
            let mixes = matches!(rw.as_str(), "rw" | "readwrite" | "randrw");
            let reads = said(&["rwmixread"]).and_then(|pct| pct.parse().ok());
            let writes = said(&["rwmixwrite"]).and_then(|pct| pct.parse().ok());
            let of_writes = writes.and_then(|pct: u8| 100_u8.checked_sub(pct));
            let block = said(&["bssplit", "bs", "blocksize"]);
            Some(Load {
                read_pct: mixes.then(|| reads.or(of_writes).unwrap_or(50)),
                rw,
                block: block.unwrap_or_else(|| BLOCK.to_owned()),
                depth: depth(job, global)?,
                jobs: count,
            })
        };
        let mut each = jobs.iter().map(of);
        let first = each.next()??;
        each.all(|other| other.as_ref() == Some(&first))
            .then_some(first)
    }

    /// Bytes of a request, if all are of one size.
    #[must_use]
    pub fn block_bytes(&self) -> Option<u64> {
        size::bytes(&self.block).ok()
    }

    /// Which requests: the title of a family of tests that differ by their depth alone.
    #[must_use]
    pub fn title(&self) -> String {
        let what = match self.rw.as_str() {
            "read" => "Reads in order".to_owned(),
            "write" => "Writes in order".to_owned(),
            "randread" => "Random reads".to_owned(),
            "randwrite" => "Random writes".to_owned(),
            "trim" => "Trims in order".to_owned(),
            "randtrim" => "Random trims".to_owned(),
            "rw" | "readwrite" => format!("Reads and writes in order, {} % reads", self.mixed()),
            "randrw" => format!("Random reads and writes, {} % reads", self.mixed()),
            other => format!("rw={other}"),
        };
        match self.block_bytes() {
            Some(bytes) => format!("{what}, {}", block_words(bytes)),
            None => format!("{what}, bs={}", self.block),
        }
    }

    /// All of it in a word: `randread-4k-qd8-j2`.
    #[must_use]
    pub fn name(&self) -> String {
        let mix = self
            .read_pct
            .map_or_else(String::new, |pct| pct.to_string());
        format!(
            "{}{mix}-{}-qd{}-j{}",
            self.rw, self.block, self.depth, self.jobs
        )
    }

    /// How many at a time.
    #[must_use]
    pub fn step(&self) -> String {
        match self.jobs {
            1 => format!("QD {}", self.depth),
            jobs => format!("QD {}, {jobs} jobs", self.depth),
        }
    }

    fn mixed(&self) -> u8 {
        self.read_pct.unwrap_or(50)
    }
}

/// A size of requests as people say it: `4 KiB`.
#[must_use]
pub fn block_words(bytes: u64) -> String {
    match bytes.is_multiple_of(1024) {
        true => format!("{} KiB", bytes / 1024),
        false => format!("{bytes} B"),
    }
}

/// A test as a report shows it, with the metric that is asked of requests of such a size.
#[must_use]
pub fn sheet(title: String, step: String, block_bytes: Option<u64>, text: &str) -> TestSheet {
    let is_large = block_bytes.is_some_and(|bytes| bytes >= LARGE_BLOCK);
    let of = if is_large { &table::MB_S } else { &table::IOPS };
    TestSheet {
        test: String::new(),
        method: String::new(),
        title,
        text: text.to_owned(),
        step,
        chart: Chart::Bars,
        chart_metric: of.name.to_owned(),
        chart_unit: of.unit.to_owned(),
        chart_beside: String::new(),
        latencies_of: String::new(),
        source: String::new(),
        roles: Vec::new(),
    }
}
