//! `ftlab trace info`: what is in a trace, as text, JSON and a page of charts.

use super::options::TraceOptions;
use super::page;
use crate::failure::Outcome;
use crate::files::{self, NewFile};
use crate::options::OutputFormat;
use crate::progress::Signs;
use crate::screen;
use clap::Args;
use ftlab_base::Nanos;
use ftlab_base::amount::{decimal, grouped};
use ftlab_bench::trace_figures::Figures;
use ftlab_trace::{Look, Profile, Scan, files as files_of_trace};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab trace info prxy_0.csv.gz
  ftlab trace info alibaba.csv.zst --device 419 --window ..1h --html d419.html
  ftlab trace info sda.blktrace.0 --action Q --output-format json

The trace is read twice. A block has 4 KiB. If a trace touches more than 4 GiB,
a sample of its blocks is followed and represents all of them.")]
pub struct Options {
    /// The trace
    file: PathBuf,
    #[command(flatten)]
    trace: TraceOptions,
    /// Write a page of charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    signs: Signs,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

pub fn command(options: &Options) -> Outcome {
    if let Some(page) = &options.html {
        // The files beside it that it consists of, too.
        for file in files_of_trace(&options.file) {
            files::distinct(&[("the trace", &file), ("--html", page)])?;
        }
    }
    let page = options
        .html
        .as_deref()
        .map(|path| NewFile::ready(path, "--html"))
        .transpose()?;
    let replay = options.trace.replay();
    let look = Look::at(&options.file, &replay.opening)?;
    let progress = options.signs.spinner("counting");
    let scan = Scan::of(replay.open(&options.file)?)?;
    progress.say("following blocks");
    let profile = Profile::of(replay.open(&options.file)?, scan)?;
    drop(progress);
    let figures = Figures::of(&look, &profile);
    if let Some(page) = page {
        page.write(page::render(&look, &profile, &figures, &text(&figures, &profile)).as_bytes())?;
    }
    let out = match options.output_format {
        OutputFormat::Normal => look.words() + &text(&figures, &profile),
        OutputFormat::Json => screen::json(&figures)?,
    };
    screen::print(&out)
}

/// A line for people: its name and what it says.
type Row = (&'static str, String);

/// The figures for people.
fn text(figures: &Figures, profile: &Profile) -> String {
    let rows = [
        requests(figures),
        sizes(figures),
        blocks(figures),
        times(figures, profile),
        remarks(figures),
    ];
    let line = |(name, value): &Row| format!("{name:<17}{value}\n");
    rows.iter().flatten().map(line).collect()
}

fn bytes(bytes: f64) -> String {
    decimal(bytes, "B")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn percent_of(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), percent)
}

fn requests(figures: &Figures) -> Vec<Row> {
    let span_s = figures.span_ns as f64 / 1e9;
    let amount = |count: u64| {
        // A trace of a single moment has no rate.
        let amount = bytes(count as f64);
        match span_s > 0.0 {
            true => format!("{amount}, {}/s", bytes(count as f64 / span_s)),
            false => amount,
        }
    };
    let mut rows = vec![(
        "requests",
        format!(
            "{} reads, {} writes, {} TRIMs, {} flushes in {}",
            grouped(figures.reads),
            grouped(figures.writes),
            grouped(figures.trims),
            grouped(figures.flushes),
            Nanos(figures.span_ns)
        ),
    )];
    if figures.preflushes + figures.fua > 0 {
        let (before, fua) = (grouped(figures.preflushes), grouped(figures.fua));
        rows.push(("flagged", format!("{before} flushed before, {fua} FUA")));
    }
    rows.push(("read", amount(figures.read_bytes)));
    rows.push(("written", amount(figures.written_bytes)));
    if figures.trims > 0 {
        rows.push(("trimmed", bytes(figures.trimmed_bytes as f64)));
    }
    let share = percent_of(figures.read_share);
    rows.push(("read share", format!("{share} of the reads and writes")));
    rows
}

fn sizes(figures: &Figures) -> Vec<Row> {
    let ends = figures.devices.iter().map(|device| device.end_bytes);
    let end = bytes(ends.max().unwrap_or(0) as f64);
    let devices = figures.devices.len();
    let mut rows = vec![("devices", format!("{devices}, addresses up to {end}"))];
    for (name, sizes) in [
        ("sizes of reads", figures.read_sizes_bytes),
        ("sizes of writes", figures.write_sizes_bytes),
    ] {
        if let [Some(low), Some(median), Some(high), Some(most)] = sizes {
            rows.push((
                name,
                format!(
                    "1 % up to {low} bytes, half up to {median}, 99 % up to {high}, at most {most}"
                ),
            ));
        }
    }
    let (reads, writes) = (
        percent_of(figures.sequential_reads),
        percent_of(figures.sequential_writes),
    );
    rows.push((
        "in order",
        format!("{reads} of the reads, {writes} of the writes"),
    ));
    rows
}

fn blocks(figures: &Figures) -> Vec<Row> {
    let (all, written) = (
        bytes(figures.footprint_bytes),
        bytes(figures.written_footprint_bytes),
    );
    let mut rows = vec![
        ("footprint", format!("{all}, {written} of it written")),
        ("overwritten", bytes(figures.overwritten_bytes)),
    ];
    let hot = figures.hottest.iter();
    let hot: Vec<String> = hot
        .map(|[share, writes]| format!("{} to {:.0} %", percent(*writes), 100.0 * share))
        .collect();
    if !hot.is_empty() {
        let hot = hot.join(", ");
        rows.push((
            "hottest blocks",
            format!("of the writes {hot} of the written blocks"),
        ));
    }
    rows
}

fn times(figures: &Figures, profile: &Profile) -> Vec<Row> {
    let span_s = figures.span_ns as f64 / 1e9;
    // The first five classes are gaps below 10 ms, which are too short to be called idle.
    let idle_s: f64 = profile.idle_ns[5..].iter().map(|ns| *ns as f64 / 1e9).sum();
    let idle = profile.idle[5..].iter().sum();
    let mut rows = vec![(
        "idle",
        format!(
            "{} gaps of 10 ms or more, {} of the time",
            grouped(idle),
            percent_of((span_s > 0.0).then(|| idle_s / span_s))
        ),
    )];
    let all: f64 = profile.blocks.distances.iter().sum();
    let mut below = 0.0;
    let half = figures.reuse_distances.iter().find(|[_, count]| {
        below += count;
        below * 2.0 >= all
    });
    if let Some([distance, _]) = half {
        let within = bytes(*distance);
        rows.push((
            "reuse distance",
            format!("half of the accesses to a block again within {within} of others"),
        ));
    }
    let least = figures.least_write_amplification.iter();
    let least: Vec<String> = least
        .map(|[op, wa]| format!("{wa:.2} at {:.0} %", 100.0 * op))
        .collect();
    if !least.is_empty() {
        let least = least.join(", ");
        rows.push((
            "least WA",
            format!("{least} of spare area, where blocks written as often are kept together"),
        ));
    }
    rows
}

/// Oddities of the requests, and the share of the blocks that the figures were made of.
fn remarks(figures: &Figures) -> Vec<Row> {
    let odd = [
        (
            figures.disordered,
            "disordered",
            "requests are earlier than one before them",
        ),
        (
            figures.unaligned,
            "unaligned",
            "requests do not begin and end at sectors of 512 bytes",
        ),
        (figures.empty, "empty", "requests have no bytes"),
        (
            figures.left_out,
            "left out",
            "commands are no reads, writes, TRIMs or flushes",
        ),
    ];
    let odd = odd.into_iter().filter(|(count, ..)| *count > 0);
    let mut rows: Vec<Row> = odd
        .map(|(count, name, words)| (name, format!("{} {words}", grouped(count))))
        .collect();
    let one_of = figures.blocks_sampled_one_of;
    if one_of > 1 {
        rows.push(("sample", format!("of blocks one of {one_of} was followed")));
    }
    rows
}
