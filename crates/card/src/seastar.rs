//! `seastar`: the file of properties that Seastar's I/O scheduler reads (`--io-properties-file`), as its `iotune` writes it.
//!
//! The scheduler takes a disk to be busy when the shares that reads and writes have of four rates come to one: of
//! requests, and of bytes, in each direction.

use crate::figures::{Figures, Row};
use crate::load::{Grid, Load, Pattern};
use crate::off::{Off, Predicted, off};
use crate::{CardError, Drawn, Form};
use std::fmt::Write;

pub const FORM: Form = Form {
    loads: |_| [measured().map(|(_, load)| load).to_vec(), checks()].concat(),
    draw,
};

/// Depth at which iotune counts requests of one shard.
const DEPTH: u32 = 128;

/// The loads by which the four rates are judged: sizes and mixes that iotune does not measure.
fn checks() -> Vec<Load> {
    let grid = Grid {
        sizes_bytes: vec![4096, 16_384, 65_536, 262_144],
        depths: vec![DEPTH],
        reads_pct: vec![0, 30, 50, 70, 100],
    };
    grid.loads_but(&measured().map(|(_, load)| load))
}

/// The keys, and the loads of iotune that they are measured by.
fn measured() -> [(&'static str, Load); 4] {
    let requests = |read_pct| Load {
        pattern: Pattern::Random,
        size_bytes: 4096,
        depth: DEPTH,
        read_pct,
    };
    let bytes = |read_pct| Load {
        pattern: Pattern::Sequential,
        size_bytes: 1 << 20,
        depth: 4,
        read_pct,
    };
    [
        ("read_iops", requests(100)),
        ("read_bandwidth", bytes(100)),
        ("write_iops", requests(0)),
        ("write_bandwidth", bytes(0)),
    ]
}

/// Requests a second of a load that make the disk busy, by its four rates: reads and bytes of them, writes and bytes of
/// them.
fn predicted([read, read_bytes, write, write_bytes]: [f64; 4], load: Load) -> f64 {
    let bytes = load.size_bytes as f64;
    let of_reads = load.reads() * (1.0 / read + bytes / read_bytes);
    let of_writes = (1.0 - load.reads()) * (1.0 / write + bytes / write_bytes);
    1.0 / (of_reads + of_writes)
}

fn draw(figures: &Figures<'_>) -> Result<Drawn, CardError> {
    let rates = measured().map(|(key, load)| {
        let row = figures.row(load);
        let rate = match key.ends_with("iops") {
            true => row.iops,
            false => row.mb_s * 1e6,
        };
        rate.round().max(1.0)
    });
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
            iops: predicted(rates, row.load),
            read_us: None,
            write_us: None,
        }));
    }
    Ok(Drawn {
        name: "io_properties.yaml".to_owned(),
        text: text(figures, rates, &all),
        off: all,
    })
}

/// Explanation of the form, for its comment.
const ABOUT: &str = "\
# For a program of Seastar's: --io-properties-file FILE. Change `mountpoint` to where
# the file system of the drive is mounted. The rates are measured as iotune does for
# one shard: bytes a second by 1 MiB in order, 4 at a time; requests a second by 4 KiB
# at random, 128 at a time.
";

fn text(figures: &Figures<'_>, rates: [f64; 4], off: &[Off]) -> String {
    let mut text = String::new();
    for line in figures.source.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let _ = write!(
        text,
        "#\n{ABOUT}#\n# How far the rates that the scheduler works out of them are off, beside the model:\n"
    );
    for off in off {
        let _ = writeln!(text, "#   {}", off.line());
    }
    text += "disks:\n  - mountpoint: /mnt\n";
    for ((key, _), rate) in measured().into_iter().zip(rates) {
        let _ = writeln!(text, "    {key}: {rate:.0}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_bytes_share_the_disk() {
        let rates = [100e3, 1e9, 50e3, 500e6];
        let load = |size_bytes, read_pct| Load {
            pattern: Pattern::Random,
            size_bytes,
            depth: DEPTH,
            read_pct,
        };
        // 10 us of its number and 10 us of its bytes.
        assert!((predicted(rates, load(10_000, 100)) - 50e3).abs() < 1e-6);
        // The mean of that and of a write's 20 us and 20 us.
        assert!((predicted(rates, load(10_000, 50)) - 1e6 / 30.0).abs() < 1e-6);
    }
}
