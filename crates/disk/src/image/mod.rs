//! `ftlab info`, `fsck`, `pack` and `unpack`: what an image is, whether it is in order, and how it travels.

mod fsck;
mod pack;

use clap::Args;
pub use fsck::{FsckOptions, fsck};
use ftlab_console::failure::Outcome;
use ftlab_console::files;
use ftlab_console::options::OutputFormat;
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{BaseInfo, DataDrive, Info, OpenOptions, Recovery};
pub use pack::{PackOptions, UnpackOptions, pack, unpack};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// The machine an image is looked at on; what it is does not depend on that.
const TESTBED: &str = "anandtech-2008";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab info x25m.img
  ftlab info x25m.img --output-format json")]
pub struct Options {
    /// The file of the image
    file: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// Report of `ftlab info`.
#[derive(Debug, Serialize)]
struct About {
    #[serde(flatten)]
    info: Info,
    /// True if the drive was switched off in order.
    clean: bool,
    /// True if the journal has a hole, so that the image is not served as it is.
    has_hole: bool,
    write_amplification: Option<f64>,
}

/// Prints the drive that an image holds, and its condition, as `ftlab info`.
///
/// # Errors
/// When the image cannot be opened.
pub fn info(options: &Options, catalog: &Catalog) -> Outcome {
    let testbed = Testbed::load(TESTBED)?;
    let open = OpenOptions::of_what_is_left(catalog, &testbed);
    let (drive, Recovery { clean, hole, .. }) =
        files::guarded(&options.file, || Ok(DataDrive::open(&options.file, &open)?))?;
    let info = drive.info();
    let about = About {
        write_amplification: info.counters.write_amplification_if_written(),
        info,
        clean,
        has_hole: hole.is_some(),
    };
    match options.output_format {
        OutputFormat::Json => print_json(&about),
        OutputFormat::Normal => screen::print(&in_words(&about)),
    }
}

fn print_json(value: &impl Serialize) -> Outcome {
    screen::print(&screen::json(value)?)
}

/// A name and what stands behind it; nothing, where there is no such line.
type Row = (&'static str, Option<String>);

fn in_words(about: &About) -> String {
    let mut out = String::new();
    let info = &about.info;
    let notes = info.notes.iter().map(|note| ("note", Some(note.clone())));
    let fault = [("fault", info.fault.clone())];
    let rows = kind(info).into_iter().chain(state(about));
    for (name, value) in rows.chain(notes).chain(fault) {
        if let Some(value) = value {
            writeln!(out, "{name:<20} {value}").expect("writing to a string succeeds");
        }
    }
    out
}

/// Rows on the model of the drive and the layout of its image.
fn kind(info: &Info) -> [Row; 10] {
    // A row without a value is left out, so that a plain drive has no lines on features that it lacks.
    let is_smaller = info.addressable_bytes != info.capacity_bytes;
    let version = info.version.as_deref().unwrap_or("?");
    let base = |base: &BaseInfo| {
        let (path, fingerprint) = (base.path.display(), &base.fingerprint);
        format!("{path}, fingerprint {fingerprint}")
    };
    let in_use = |slots: u64| screen::capacity(slots * info.slot_bytes);
    let slot = |_| format!("{} bytes", info.slot_bytes);
    let file = info.file_bytes.zip(info.taken_bytes);
    [
        ("drive", Some(format!("{} ({})", info.drive, info.name))),
        ("drive file", Some(info.drive_hash.clone())),
        ("written by", Some(format!("ftlab {version}"))),
        ("capacity", Some(screen::capacity(info.capacity_bytes))),
        (
            "addressable",
            is_smaller.then(|| screen::capacity(info.addressable_bytes)),
        ),
        ("in use", info.mapped_slots.map(in_use)),
        ("slot", info.mapped_slots.map(slot)),
        ("base", info.base.as_ref().map(base)),
        (
            "file",
            file.map(|(long, taken)| crate::sparse_file(long, taken)),
        ),
        (
            "survives",
            info.survives
                .map(|survives| format!("{survives} (as it was served last)")),
        ),
    ]
}

/// Rows on the state of the drive and its counters.
fn state(about: &About) -> [Row; 10] {
    let (info, counters) = (&about.info, &about.info.counters);
    let state = match (about.has_hole, about.clean) {
        (true, _) => "damaged: its journal has a hole; `ftlab fsck` says more",
        (false, true) => "switched off in order",
        (false, false) => "lost its power at work; it recovers when it is opened",
    };
    let buffer = match info.keeps_its_buffer {
        true => "survives a power cut",
        false => "lost in a power cut",
    };
    let cut = info.last_cut.map(|cut| crate::power_cut(&cut));
    let bytes = |bytes: u64| Some(format!("{bytes} bytes"));
    let number = |number: u64| Some(number.to_string());
    [
        ("state", Some(state.to_owned())),
        ("write buffer", Some(buffer.to_owned())),
        ("power cycles", number(info.power_cycles)),
        ("unsafe shutdowns", number(info.unsafe_shutdowns)),
        ("last power cut", Some(cut.unwrap_or("none".to_owned()))),
        ("commands", number(counters.host_ios)),
        ("written by the host", bytes(counters.host_bytes_written)),
        ("programmed", bytes(counters.nand_bytes_programmed)),
        ("erases", number(counters.nand_erases)),
        (
            "write amplification",
            Some(crate::ratio(about.write_amplification)),
        ),
    ]
}
