//! `ftlab trace convert`: a trace in another format.

use super::options::{TraceOptions, format};
use crate::failure::{Failure, Outcome};
use crate::files::{NewFile, distinct};
use crate::progress::Signs;
use crate::screen;
use clap::Args;
use ftlab_base::amount::grouped;
use ftlab_trace::{DeviceWords, Format, Look, Packing, Scan, Writer, files};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab trace convert prxy_0.csv.gz prxy_0.parquet
  ftlab trace convert sda.blktrace.0 sda.log --to fio3
  ftlab trace convert alibaba.csv.zst d419.trace --device 419 --window ..1h --to mqsim

Without --to the ending of B says the format: .parquet, .blktrace, .vscsi, or .csv for named columns. An ending .gz or
.zst behind it packs the file.")]
pub struct Options {
    /// The trace
    from: PathBuf,
    /// The file to write
    to: PathBuf,
    /// The format to write
    #[arg(long = "to", value_name = "FORMAT", value_parser = format())]
    format_to: Option<Format>,
    #[command(flatten)]
    trace: TraceOptions,
    #[command(flatten)]
    signs: Signs,
}

/// The format that the ending of a file says.
fn of_ending(path: &Path) -> Option<Format> {
    let path = match Packing::of_name(path) {
        Packing::None => path.to_owned(),
        _ => path.with_extension(""),
    };
    match path.extension()?.to_str()? {
        "parquet" => Some(Format::Parquet),
        "blktrace" => Some(Format::Blktrace),
        "vscsi" => Some(Format::Vscsi),
        "csv" => Some(Format::Csv),
        _ => None,
    }
}

pub fn command(options: &Options) -> Outcome {
    let (from, to) = (&options.from, &options.to);
    let wrong = |why: String| Err(Failure::Input(format!("{}: {why}", to.display())));
    let Some(format) = options.format_to.or_else(|| of_ending(to)) else {
        let names: Vec<&str> = Format::ALL
            .iter()
            .map(|format| format.spec().name)
            .collect();
        return wrong(format!(
            "its ending says no format; give --to with one of {}",
            names.join(", ")
        ));
    };
    let packing = Packing::of_name(to);
    if format == Format::Parquet && packing != Packing::None {
        return wrong("Parquet is packed inside; leave out the second ending".to_owned());
    }
    // The files beside it that it consists of, too.
    for file in files(from) {
        distinct(&[("the trace", &file), ("what is written", to)])?;
    }
    let target = NewFile::ready(to, "another path")?;
    let replay = options.trace.replay();
    let look = Look::at(from, &replay.opening)?;
    let progress = options.signs.spinner("reading");
    let scan = Scan::of(replay.open(from)?)?;
    // The ids of devices are those of the whole trace, of which some may have no requests.
    let used: Vec<String> = (scan.devices.iter().zip(&scan.ends_bytes))
        .filter(|(_, end)| **end > 0)
        .map(|(name, _)| name.clone())
        .collect();
    if format.spec().devices == DeviceWords::Nothing && used.len() > 1 {
        return wrong(format!(
            "{} says nothing of devices, and these are requests to {}; choose one with --device",
            format.spec().title,
            used.len()
        ));
    }
    progress.say("writing");
    let out = target.begin()?;
    let failed =
        |error: std::io::Error| Failure::Running(format!("cannot write {}: {error}", to.display()));
    let handle = out.file().try_clone().map_err(failed)?;
    let mut writer = Writer::new(
        format,
        packing,
        Box::new(handle),
        &scan.devices,
        scan.first_ns,
    )
    .map_err(failed)?;
    for record in replay.open(from)? {
        writer.write(&record?).map_err(failed)?;
    }
    let lost = writer.finish().map_err(failed)?;
    target.end(out)?;
    drop(progress);
    let mut text = look.words();
    text += &format!(
        "{}: {} requests in {} ({})\n",
        to.display(),
        grouped(lost.written),
        format.spec().title,
        format.spec().name
    );
    for words in lost.words(format) {
        text += &format!("  lost: {words}\n");
    }
    if scan.others > 0 {
        text += &format!(
            "  lost: {} commands that are no reads, writes, TRIMs or flushes.\n",
            grouped(scan.others)
        );
    }
    if target.is_standard_output() {
        eprint!("{text}");
        return Ok(());
    }
    screen::print(&text)
}
