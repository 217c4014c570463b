//! `iocost`: the lines that Linux' `io.cost.model` and `io.cost.qos` take, as a script that writes them.
//!
//! The six rates are measured by the loads of the kernel's own tool, `tools/cgroup/iocost_coef_gen.py`. The kernel gives
//! each request a cost: that of its pages, and one for being the next in order or not (`block/blk-iocost.c`).

use crate::figures::{Figures, Row};
use crate::load::{Grid, Load, Pattern};
use crate::off::{Off, Predicted, off};
use crate::{CardError, Drawn, Form};
use std::fmt::Write;

pub const FORM: Form = Form {
    loads: |_| [measured().map(|(_, load)| load).to_vec(), checks()].concat(),
    draw,
};

/// Bytes of the pages that requests are counted in.
const PAGE_BYTES: f64 = 4096.0;
/// Bytes of the requests that bandwidths are measured with: a block of 128 MiB at a time.
const BLOCK_BYTES: u64 = 128 << 20;
/// Depth of the queue at which requests are counted.
const DEPTH: u32 = 64;
/// The percentile of latency that the kernel looks at, and the load whose latencies become its targets.
const QOS_PERCENT: f64 = 99.0;
const QOS_LOAD: Load = Load {
    pattern: Pattern::Random,
    size_bytes: 4096,
    depth: DEPTH,
    read_pct: 50,
};

/// The loads by which the six rates are judged: sizes and mixes that the tool does not measure.
fn checks() -> Vec<Load> {
    let grid = Grid {
        sizes_bytes: vec![4096, 16_384, 65_536, 262_144],
        depths: vec![DEPTH],
        reads_pct: vec![0, 30, 50, 70, 100],
    };
    grid.loads_but(&measured().map(|(_, load)| load))
}

/// The keys, and the loads that they are measured by.
fn measured() -> [(&'static str, Load); 6] {
    let load = |pattern, size_bytes, read_pct| Load {
        pattern,
        size_bytes,
        depth: if size_bytes == BLOCK_BYTES { 1 } else { DEPTH },
        read_pct,
    };
    let (sequential, random) = (Pattern::Sequential, Pattern::Random);
    [
        ("rbps", load(sequential, BLOCK_BYTES, 100)),
        ("rseqiops", load(sequential, 4096, 100)),
        ("rrandiops", load(random, 4096, 100)),
        ("wbps", load(sequential, BLOCK_BYTES, 0)),
        ("wseqiops", load(sequential, 4096, 0)),
        ("wrandiops", load(random, 4096, 0)),
    ]
}

/// Costs of one direction in seconds of the device: of a page, of a request that follows the last, of another one.
#[derive(Debug, Clone, Copy)]
struct Costs {
    page: f64,
    sequential: f64,
    random: f64,
}

impl Costs {
    /// The kernel's costs of three rates.
    fn of([bps, sequential, random]: [f64; 3]) -> Costs {
        let page = PAGE_BYTES / bps;
        Costs {
            page,
            sequential: (1.0 / sequential - page).max(0.0),
            random: (1.0 / random - page).max(0.0),
        }
    }

    fn request(self, load: Load) -> f64 {
        let own = match load.pattern {
            Pattern::Random => self.random,
            Pattern::Sequential => self.sequential,
        };
        own + self.page * (load.size_bytes as f64 / PAGE_BYTES).floor().max(1.0)
    }
}

/// Requests a second of a load that take all of the device's time.
fn predicted(read: Costs, write: Costs, load: Load) -> f64 {
    1.0 / (load.reads() * read.request(load) + (1.0 - load.reads()) * write.request(load))
}

fn draw(figures: &Figures<'_>) -> Result<Drawn, CardError> {
    let rates = measured().map(|(key, load)| {
        let row = figures.row(load);
        match key.ends_with("bps") {
            true => row.mb_s * 1e6,
            false => row.iops,
        }
    });
    let rates = rates.map(|rate| rate.round().max(1.0));
    let (read, write) = (
        Costs::of([rates[0], rates[1], rates[2]]),
        Costs::of([rates[3], rates[4], rates[5]]),
    );
    let keys = measured().map(|(key, _)| key).into_iter().zip(rates);
    let model: Vec<String> = keys.map(|(key, rate)| format!("{key}={rate:.0}")).collect();
    let rows = figures.rows_of(&checks());
    let mut all = Vec::new();
    for pattern in Pattern::ALL {
        let rows: Vec<&Row> = (rows.iter().copied())
            .filter(|row| row.load.pattern == pattern)
            .collect();
        let loads = format!(
            "{} loads of 4 KiB to 256 KiB at depth {DEPTH}",
            pattern.name()
        );
        all.extend(off(&rows, &loads, |row| Predicted {
            iops: predicted(read, write, row.load),
            read_us: None,
            write_us: None,
        }));
    }
    let ratios = rows
        .iter()
        .map(|row| row.iops / predicted(read, write, row.load));
    let qos = qos(figures.row(QOS_LOAD), ratios);
    Ok(Drawn {
        name: format!("{}.iocost.sh", figures.source.drive),
        text: text(figures, &model.join(" "), &qos, &all),
        off: all,
    })
}

/// The keys of `io.cost.qos`. The kernel adapts the rate of the device within the limits: from where the model's slowest
/// load lies beside the line's, to where its fastest lies.
fn qos(row: &Row, ratios: impl Iterator<Item = f64>) -> String {
    let us = |latency: Option<crate::Latency>| {
        let latency = latency.and_then(|latency| latency.p99_us);
        latency.expect("half of many requests go either way").ceil()
    };
    let (least, most) = ratios.fold((1.0_f64, 1.0_f64), |(least, most), ratio| {
        (least.min(ratio), most.max(ratio))
    });
    // The kernel takes 1 to 10000 percent.
    let pct = |ratio: f64| (100.0 * ratio).clamp(1.0, 10_000.0);
    format!(
        "rpct={QOS_PERCENT:.2} rlat={:.0} wpct={QOS_PERCENT:.2} wlat={:.0} min={:.2} max={:.2}",
        us(row.read),
        us(row.write),
        pct(least),
        pct(most)
    )
}

/// Explanation of the form, for its comment.
const ABOUT: &str = "\
# Writes the drive's cost model to Linux' io controller. As root:
#   sh FILE 8:0              for the device 8:0; `lsblk` shows MAJ:MIN
#   sh FILE 8:0 /mnt/cgroup  where the root of cgroup2 is mounted elsewhere
#
# io.cost.model: rbps and wbps are bytes a second, by blocks of 128 MiB in order, one
# at a time; the others are requests of 4 KiB a second, 64 at a time: as the kernel's
# tools/cgroup/iocost_coef_gen.py measures them.
# io.cost.qos: rlat and wlat are microseconds, the 99th percentiles of 4 KiB requests
# at random, half of them reads, 64 at a time. min and max are percent of these rates:
# the slowest and the fastest of the loads below, beside what the line says of them.
";

fn text(figures: &Figures<'_>, model: &str, qos: &str, off: &[Off]) -> String {
    let mut text = "#!/bin/sh\n".to_owned();
    for line in figures.source.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let _ = write!(
        text,
        "#\n{ABOUT}#\n# How far the rates that follow from the line are off, beside the model:\n"
    );
    for off in off {
        let _ = writeln!(text, "#   {}", off.line());
    }
    text + &format!(
        "set -eu\ndevice=${{1:?give MAJ:MIN of the device}}\ncgroup=${{2:-/sys/fs/cgroup}}\n\
         echo \"$device ctrl=user model=linear {model}\" > \"$cgroup/io.cost.model\"\n\
         echo \"$device enable=1 ctrl=user {qos}\" > \"$cgroup/io.cost.qos\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_loads_cost_what_the_line_says_of_them() {
        let rates = [3e9, 600e3, 400e3];
        let costs = Costs::of(rates);
        let [(_, blocks), (_, sequential), (_, random), ..] = measured();
        let rate = |load| predicted(costs, costs, load);
        assert!((rate(sequential) / rates[1] - 1.0).abs() < 1e-9);
        assert!((rate(random) / rates[2] - 1.0).abs() < 1e-9);
        let bytes_s = rate(blocks) * blocks.size_bytes as f64;
        assert!((bytes_s / rates[0] - 1.0).abs() < 1e-3, "{bytes_s}");
    }

    #[test]
    fn a_request_that_costs_less_than_its_page_costs_its_page() {
        let costs = Costs::of([4096.0 * 1000.0, 2000.0, 500.0]);
        assert_eq!(costs.sequential, 0.0);
        assert!((costs.random - 1e-3).abs() < 1e-12);
    }
}
