//! `ftlab info`, `fsck`, `pack` and `unpack`: what an image is, whether it is in order, and how it travels.

mod fsck;
mod pack;

use clap::Args;
pub use fsck::{FsckOptions, fsck};
use ftlab_console::failure::Outcome;
use ftlab_console::files;
use ftlab_console::options::OutputFormat;
use ftlab_console::screen;
use ftlab_host::Testbed;
use ftlab_image::{DataDrive, Info, OnKill, OpenOptions, Recovery};
pub use pack::{PackOptions, UnpackOptions, pack, unpack};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// The machine an image is looked at on; what it is does not depend on that.
const TESTBED: &str = "anandtech-2008";

#[derive(Debug, Args)]
pub struct Options {
    /// The file of the image
    file: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// What `ftlab info` says.
#[derive(Debug, Serialize)]
struct About {
    #[serde(flatten)]
    info: Info,
    /// Whether it was switched off in order.
    clean: bool,
    /// Whether its journal has a hole, so that it is not served as it is.
    has_hole: bool,
    write_amplification: Option<f64>,
}

/// `ftlab info`.
pub fn info(options: &Options) -> Outcome {
    let testbed = Testbed::load(TESTBED)?;
    let open = OpenOptions {
        testbed: &testbed,
        drive: None,
        read_only: true,
        sync: false,
        on_kill: OnKill::Cut,
        cut_seed: None,
        accepts_loss: true,
    };
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

fn in_words(about: &About) -> String {
    let (info, counters) = (&about.info, &about.info.counters);
    let mut rows = vec![
        ("drive", format!("{} ({})", info.drive, info.name)),
        ("drive file", info.drive_hash.clone()),
        (
            "written by",
            format!("ftlab {}", info.version.as_deref().unwrap_or("?")),
        ),
        ("capacity", screen::capacity(info.capacity_bytes)),
    ];
    if info.addressable_bytes != info.capacity_bytes {
        rows.push(("addressable", screen::capacity(info.addressable_bytes)));
    }
    if let Some(mapped) = info.mapped_slots {
        rows.push(("in use", screen::capacity(mapped * info.slot_bytes)));
        rows.push(("slot", format!("{} bytes", info.slot_bytes)));
    }
    if let Some(base) = &info.base {
        let (path, fingerprint) = (base.path.display(), &base.fingerprint);
        rows.push(("base", format!("{path}, fingerprint {fingerprint}")));
    }
    if let (Some(long), Some(taken)) = (info.file_bytes, info.taken_bytes) {
        rows.push(("file", crate::sparse_file(long, taken)));
    }
    if let Some(survives) = info.survives {
        rows.push(("survives", format!("{survives} (as it was served last)")));
    }
    let state = match (about.has_hole, about.clean) {
        (true, _) => "damaged: its journal has a hole; `ftlab fsck` says more",
        (false, true) => "switched off in order",
        (false, false) => "lost its power at work; it recovers when it is opened",
    };
    let buffer = match info.keeps_its_buffer {
        true => "survives a power cut",
        false => "lost in a power cut",
    };
    rows.extend([
        ("state", state.to_owned()),
        ("write buffer", buffer.to_owned()),
        ("power cycles", info.power_cycles.to_string()),
        ("unsafe shutdowns", info.unsafe_shutdowns.to_string()),
        (
            "last power cut",
            info.last_cut
                .map_or("none".to_owned(), |cut| crate::power_cut(&cut)),
        ),
        ("commands", counters.host_ios.to_string()),
        (
            "written by the host",
            format!("{} bytes", counters.host_bytes_written),
        ),
        (
            "programmed",
            format!("{} bytes", counters.nand_bytes_programmed),
        ),
        ("erases", counters.nand_erases.to_string()),
        (
            "write amplification",
            crate::ratio(about.write_amplification),
        ),
    ]);
    rows.extend(info.notes.iter().map(|note| ("note", note.clone())));
    if let Some(fault) = &info.fault {
        rows.push(("fault", fault.clone()));
    }
    let mut out = String::new();
    for (what, value) in rows {
        writeln!(out, "{what:<20} {value}").expect("writing to a string succeeds");
    }
    out
}
