//! Cards that hold figures: the drive runs their loads.

use super::{Options, lab, off_table, ready, setting};
use crate::failure::Outcome;
use crate::options::OutputFormat;
use crate::screen;
use clap::Args;
use ftlab_bench::cards;
use ftlab_card::{Figures, Form, Grid, Off};
use ftlab_drive::DriveFile;
use serde::Serialize;

/// The most that a request moves, and the most that are outstanding.
const SIZE_MAX: u64 = 16 << 20;
const DEPTH_MAX: u32 = 1024;

/// The loads of a table.
#[derive(Debug, Args)]
pub struct Axes {
    /// Sizes of requests, for example 4k,64k: multiples of 512 bytes; by default 4k,16k,64k,256k,1m
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size)]
    pub sizes: Option<Vec<u64>>,
    /// Depths of the queue, for example 1,32; by default 1,4,16,64
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=i64::from(DEPTH_MAX)))]
    pub depths: Option<Vec<u32>>,
    /// Reads among 100 requests, for example 0,100; by default 0,30,70,100
    #[arg(long, value_name = "PERCENT,…", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=100))]
    pub reads: Option<Vec<u8>>,
}

fn size(text: &str) -> Result<u64, String> {
    let bytes = ftlab_workload::bytes(text).map_err(|allowed| format!("give {allowed}"))?;
    match bytes.is_multiple_of(512) && (1..=SIZE_MAX).contains(&bytes) {
        true => Ok(bytes),
        false => Err("give a multiple of 512 bytes, 512 to 16m".to_owned()),
    }
}

impl Axes {
    /// The grid that was asked for.
    fn grid(&self) -> Grid {
        let usual = Grid::default();
        Grid {
            sizes_bytes: axis(self.sizes.as_ref(), usual.sizes_bytes),
            depths: axis(self.depths.as_ref(), usual.depths),
            reads_pct: axis(self.reads.as_ref(), usual.reads_pct),
        }
    }
}

/// An axis in order, each value once.
fn axis<T: Copy + Ord>(asked: Option<&Vec<T>>, usual: Vec<T>) -> Vec<T> {
    let mut axis = asked.cloned().unwrap_or(usual);
    axis.sort_unstable();
    axis.dedup();
    axis
}

/// The card as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    /// Absent where the card was not written to a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    card: &'a str,
    off: &'a [Off],
}

pub fn command(options: &Options, form: Form, drive: DriveFile) -> Outcome {
    let file = ready(options)?;
    let setting = setting(options, drive)?;
    let grid = options.axes.grid();
    let progress = options.work.signs.bar();
    let hear = |done: usize, all: usize| progress.set(done, all, "loads");
    let rows = cards::rows(&setting, &(form.loads)(&grid), &lab(options)?, &hear)?;
    progress.clear();
    let source = setting.source();
    let drawn = (form.draw)(&Figures {
        source: &source,
        grid: &grid,
        rows: &rows,
    })?;
    let path = options.out.as_ref().map(|path| path.display().to_string());
    if let Some(file) = &file {
        file.write(drawn.text.as_bytes())?;
        if file.is_standard_output() {
            return Ok(());
        }
    }
    screen::print(&match (options.output_format, path) {
        (OutputFormat::Normal, None) => drawn.text,
        (OutputFormat::Normal, Some(path)) => format!("wrote {path}\n\n{}", off_table(&drawn.off)),
        (OutputFormat::Json, file) => screen::json(&Report {
            file,
            card: &drawn.text,
            off: &drawn.off,
        })?,
    })
}
