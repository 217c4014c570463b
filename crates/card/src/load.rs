//! The loads whose figures stand on cards, as jobs in fio's words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Requests of a load at most.
const REQUESTS_MAX: u64 = 32_768;
/// Bytes of a load at most, where that is fewer requests.
const BYTES_MAX: u64 = 512 << 20;

/// Order of the places that a load reads and writes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Any place of the drive, each as likely as another.
    Random,
    /// One place after the other, from the beginning of the drive.
    Sequential,
}

impl Pattern {
    /// Both orders.
    pub const ALL: [Pattern; 2] = [Pattern::Random, Pattern::Sequential];

    /// Its name on a card.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Pattern::Random => "random",
            Pattern::Sequential => "sequential",
        }
    }
}

/// A load: requests of one size that keep a drive's queue at one depth.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Load {
    /// Order of the places.
    pub pattern: Pattern,
    /// Bytes of each request.
    pub size_bytes: u64,
    /// Requests that are outstanding at any time.
    pub depth: u32,
    /// Reads among 100 requests; the others write.
    pub read_pct: u8,
}

impl Load {
    /// Requests after which it ends.
    #[must_use]
    pub fn requests(self) -> u64 {
        REQUESTS_MAX.min(BYTES_MAX / self.size_bytes).max(1)
    }

    /// Its job file, in fio's words.
    #[must_use]
    pub fn job(self) -> String {
        let word = match (self.pattern, self.read_pct) {
            (Pattern::Random, 100) => "randread",
            (Pattern::Random, 0) => "randwrite",
            (Pattern::Random, _) => "randrw",
            (Pattern::Sequential, 100) => "read",
            (Pattern::Sequential, 0) => "write",
            (Pattern::Sequential, _) => "rw",
        };
        let mix = match self.read_pct {
            0 | 100 => String::new(),
            read => format!("rwmixread={read}\n"),
        };
        format!(
            "[{}]\nrw={word}\n{mix}bs={}\nioengine=libaio\ndirect=1\niodepth={}\nnorandommap\nnumber_ios={}\n",
            self.name(),
            self.size_bytes,
            self.depth,
            self.requests(),
        )
    }

    /// Its name: `random-4096-qd8-read70`.
    #[must_use]
    pub fn name(self) -> String {
        let Load {
            pattern,
            size_bytes,
            depth,
            read_pct,
        } = self;
        format!("{}-{size_bytes}-qd{depth}-read{read_pct}", pattern.name())
    }

    /// The share of reads among its requests, 0 to 1.
    pub(crate) fn reads(self) -> f64 {
        f64::from(self.read_pct) / 100.0
    }
}

/// Sizes, depths and mixes of loads, each ascending and without repetitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grid {
    /// Sizes of requests in bytes.
    pub sizes_bytes: Vec<u64>,
    /// Depths of the queue.
    pub depths: Vec<u32>,
    /// Reads among 100 requests.
    pub reads_pct: Vec<u8>,
}

impl Default for Grid {
    /// 4 KiB to 1 MiB, depths 1 to 64, writes to reads.
    fn default() -> Grid {
        Grid {
            sizes_bytes: vec![4096, 16_384, 65_536, 262_144, 1_048_576],
            depths: vec![1, 4, 16, 64],
            reads_pct: vec![0, 30, 70, 100],
        }
    }
}

/// Bytes that sizes are multiples of.
const SIZE_STEP_BYTES: u64 = 512;

impl Grid {
    /// All loads of it, in both orders.
    #[must_use]
    pub fn loads(&self) -> Vec<Load> {
        let mut loads = Vec::new();
        for pattern in Pattern::ALL {
            for &size_bytes in &self.sizes_bytes {
                for &depth in &self.depths {
                    loads.extend(self.reads_pct.iter().map(|&read_pct| Load {
                        pattern,
                        size_bytes,
                        depth,
                        read_pct,
                    }));
                }
            }
        }
        loads
    }

    /// All loads of it but those.
    #[must_use]
    pub(crate) fn loads_but(&self, others: &[Load]) -> Vec<Load> {
        let loads = self.loads().into_iter();
        loads.filter(|load| !others.contains(load)).collect()
    }

    /// The grid whose points lie in the middle between those of this one: of sizes and depths by their ratio. An axis of one
    /// point keeps it.
    #[must_use]
    pub fn between(&self) -> Grid {
        let size = |a: u64, b: u64| {
            let middle = (a as f64 * b as f64).sqrt() / SIZE_STEP_BYTES as f64;
            middle.round() as u64 * SIZE_STEP_BYTES
        };
        let depth = |a: u32, b: u32| (f64::from(a) * f64::from(b)).sqrt().round() as u32;
        Grid {
            sizes_bytes: middles(&self.sizes_bytes, size),
            depths: middles(&self.depths, depth),
            reads_pct: middles(&self.reads_pct, |a, b| a.midpoint(b)),
        }
    }

    /// The loads in the middle between its own, by which what is worked out from its own is judged.
    #[must_use]
    pub fn checks(&self) -> Vec<Load> {
        self.between().loads_but(&self.loads())
    }
}

fn middles<T: Copy + Ord>(axis: &[T], middle: impl Fn(T, T) -> T) -> Vec<T> {
    if let [only] = axis {
        return vec![*only];
    }
    let mut middles: Vec<T> = axis
        .windows(2)
        .map(|pair| middle(pair[0], pair[1]))
        .collect();
    middles.dedup();
    middles
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_workload::JobFile;

    #[test]
    fn every_load_is_a_job_of_fio() {
        let grid = Grid::default();
        for load in grid.loads().into_iter().chain(grid.checks()) {
            let jobs = JobFile::parse(&load.job(), "load.fio").unwrap();
            assert_eq!(jobs.jobs.len(), 1, "{}", load.job());
            assert!(load.requests() * load.size_bytes <= BYTES_MAX);
        }
    }

    #[test]
    fn checks_lie_between_the_points_and_none_is_one_of_them() {
        let grid = Grid::default();
        let checks = grid.checks();
        assert_eq!(checks.len(), 2 * 4 * 3 * 3);
        let between = grid.between();
        assert_eq!(between.sizes_bytes, [8192, 32_768, 131_072, 524_288]);
        assert_eq!(between.depths, [2, 8, 32]);
        assert_eq!(between.reads_pct, [15, 50, 85]);
        let only = Grid {
            sizes_bytes: vec![4096],
            depths: vec![1],
            reads_pct: vec![100],
        };
        assert!(only.checks().is_empty());
    }
}
