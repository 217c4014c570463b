//! `ftlab trace convert`: a trace in another format.

use super::options::{TraceOptions, format};
use crate::failure::{Failure, Outcome};
use crate::files::{NewFile, distinct};
use crate::progress::Signs;
use crate::screen;
use clap::Args;
use ftlab_base::amount::grouped;
use ftlab_trace::{DeviceWords, Format, Look, Lost, Packing, Scan, Writer, files};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab trace convert prxy_0.csv.gz prxy_0.parquet
  ftlab trace convert sda.blktrace.0 sda.log --to fio3
  ftlab trace convert alibaba.csv.zst d419.trace --device 419 --window ..1h \\
      --to mqsim

Without --to the ending of the second file decides the format: .parquet,
.blktrace, .vscsi, or .csv for named columns. A further ending .gz or .zst
compresses the file.")]
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

/// An error of what is to be written.
fn wrong(to: &Path, why: &str) -> Failure {
    Failure::Input(format!("{}: {why}", to.display()))
}

/// The format and the packing to write.
fn asked(options: &Options) -> Result<(Format, Packing), Failure> {
    let to = &options.to;
    let Some(format) = options.format_to.or_else(|| of_ending(to)) else {
        let names: Vec<&str> = Format::ALL
            .iter()
            .map(|format| format.spec().name)
            .collect();
        let why = format!(
            "its ending says no format; give --to with one of {}",
            names.join(", ")
        );
        return Err(wrong(to, &why));
    };
    let packing = Packing::of_name(to);
    if format == Format::Parquet && packing != Packing::None {
        let why = "Parquet is packed inside; leave out the second ending";
        return Err(wrong(to, why));
    }
    Ok((format, packing))
}

pub fn command(options: &Options) -> Outcome {
    let (from, to) = (&options.from, &options.to);
    let (format, packing) = asked(options)?;
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
    let used = scan.ends_bytes.iter().filter(|end| **end > 0).count();
    if format.spec().devices == DeviceWords::Nothing && used > 1 {
        let why = format!(
            "{} says nothing of devices, and these are requests to {used}; choose one with --device",
            format.spec().title,
        );
        return Err(wrong(to, &why));
    }
    progress.say("writing");
    let out = target.begin()?;
    let failed =
        |error: std::io::Error| Failure::Running(format!("cannot write {}: {error}", to.display()));
    let handle = Box::new(out.file().try_clone().map_err(failed)?);
    let mut writer =
        Writer::new(format, packing, handle, &scan.devices, scan.first_ns).map_err(failed)?;
    for record in replay.open(from)? {
        writer.write(&record?).map_err(failed)?;
    }
    let lost = writer.finish().map_err(failed)?;
    target.end(out)?;
    drop(progress);
    let text = look.words() + &written(to, format, &lost, scan.others);
    if target.is_standard_output() {
        eprint!("{text}");
        return Ok(());
    }
    screen::print(&text)
}

/// Says what was written, and what of the trace was not.
fn written(to: &Path, format: Format, lost: &Lost, others: u64) -> String {
    let spec = format.spec();
    let (to, count) = (to.display(), grouped(lost.written));
    let mut text = format!("{to}: {count} requests in {} ({})\n", spec.title, spec.name);
    let mut words = lost.words(format);
    if others > 0 {
        words.push(format!(
            "{} commands that are no reads, writes, TRIMs or flushes.",
            grouped(others)
        ));
    }
    for words in words {
        text += &format!("  lost: {words}\n");
    }
    text
}
