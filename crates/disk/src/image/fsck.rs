//! `ftlab fsck`: whether an image is in order, and what to do if it is not.

use super::{TESTBED, print_json};
use clap::Args;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::files;
use ftlab_console::options::OutputFormat;
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{Fsck, Rebuilt, accept, rebuild, rebuild_command};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab fsck x25m.img
  ftlab fsck x25m.img --output-format json
  ftlab fsck x25m.img --accept    continue without what is lost
  ftlab fsck x25m.img --rebuild   make a new image from its pages

Nothing in the image changes unless --accept or --rebuild is given. Copy a
damaged image before you try either.

A process that is killed leaves no hole in an image's journal. A hole is damage,
or the result of a power cut of this machine while the image was served without
--sync. Everything after it is lost, flushed or not.

--accept continues as if the drive had lost its power at the hole. Slots that
were written or moved later cannot be read until they are written again.

--rebuild makes a new image from the notes that pages keep of themselves, even
if the map of the image cannot be read at all. It finds data written after a
hole, but not trims there. Wear and counters begin anew. It needs room for a
second image beside the first, which it replaces at the end.

The exit code is 0 if the image is in order, and 1 if it is damaged or --rebuild
could not find everything.")]
pub struct FsckOptions {
    /// The file of the image
    file: PathBuf,
    /// Continue without the lost data: cut the journal at a hole, mend the header and the file's length
    #[arg(long, conflicts_with = "rebuild")]
    accept: bool,
    /// Make a new image from what its pages hold, in the place of the damaged one
    #[arg(long)]
    rebuild: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// Checks an image as `ftlab fsck`, and mends it if the options ask for that.
///
/// # Errors
/// When the image cannot be read, or is damaged.
pub fn fsck(options: &FsckOptions, catalog: &Catalog) -> Outcome {
    files::guarded(&options.file, || checked(options, catalog))
}

fn checked(options: &FsckOptions, catalog: &Catalog) -> Outcome {
    let testbed = Testbed::load(TESTBED)?;
    if options.rebuild {
        let rebuilt = rebuild(&options.file, catalog, &testbed)?;
        match options.output_format {
            OutputFormat::Json => print_json(&rebuilt)?,
            OutputFormat::Normal => screen::print(&rebuilt_in_words(&rebuilt))?,
        }
        return match rebuilt.is_whole() {
            true => Ok(()),
            false => Err(Failure::Running(format!(
                "{}: not everything that was written could be found, as said above; what is there is whole",
                options.file.display()
            ))),
        };
    }
    if options.accept {
        accept(&options.file, catalog, &testbed)?;
    }
    let found = ftlab_image::fsck(&options.file, catalog, &testbed)?;
    match options.output_format {
        OutputFormat::Json => print_json(&found)?,
        OutputFormat::Normal => screen::print(&found_in_words(&found))?,
    }
    match wrong_in_words(&options.file, &found) {
        None => Ok(()),
        Some(wrong) => Err(Failure::Running(wrong)),
    }
}

/// Describes the worst damage and its remedy; none if the image is sound.
fn wrong_in_words(file: &Path, found: &Fsck) -> Option<String> {
    let rebuild = rebuild_command(file);
    let file = file.display();
    if let Some(hole) = found.hole {
        return Some(format!(
            "{file}: the journal has a hole, and {} requests behind it are lost, {} of them flushed; restore the file \
             from a copy, run `{rebuild}`, which finds what pages say of them, or have --accept go on without them",
            hole.requests, hole.flushed
        ));
    }
    if found.missing_bytes > 0 {
        return Some(format!(
            "{file}: the file was cut off; restore it from a copy, or have --accept make it as long as it was"
        ));
    }
    if found.damaged_slots > 0 {
        return Some(format!(
            "{file}: {} of {} slots are damaged; what is written over them is whole again",
            found.damaged_slots, found.mapped_slots
        ));
    }
    (!found.is_good()).then(|| {
        format!("{file}: one of the two copies of the header is damaged; --accept writes it anew")
    })
}

fn rebuilt_in_words(rebuilt: &Rebuilt) -> String {
    let mut out = format!(
        "slots        {} as the map says, {} found by their pages\n",
        rebuilt.kept_slots, rebuilt.found_slots
    );
    let mut line = |text: String| out += &(text + "\n");
    if rebuilt.lost_slots + rebuilt.older_slots > 0 {
        line(format!(
            "lost         {} slots hold nothing now, {} an earlier version",
            rebuilt.lost_slots, rebuilt.older_slots
        ));
    }
    if rebuilt.partly_lost_slots > 0 {
        line(format!(
            "             {} slots lack some sectors, which could not be read before",
            rebuilt.partly_lost_slots
        ));
    }
    if rebuilt.damaged_pages > 0 {
        line(format!(
            "pages        {} are damaged, {} of them do not say whose they were: slots may hold an earlier version for them",
            rebuilt.damaged_pages, rebuilt.nameless_pages
        ));
    }
    // Trims are recorded in the map alone; without it a trimmed slot looks like any other.
    if !rebuilt.has_map {
        line("map          cannot be read: what was trimmed may be there again".to_owned());
    }
    if rebuilt.may_miss_shared() {
        line(
            "shared       this drive stores equal data once, and a page names one slot alone: others with the \
             same data may hold an earlier version, or nothing"
                .to_owned(),
        );
    }
    line("drive        its wear and its counters begin anew".to_owned());
    out
}

fn found_in_words(found: &Fsck) -> String {
    let mut out = format!("drive        {} ({})\n", found.drive, found.drive_hash);
    // A line is printed only for what was found, so that a sound image takes a few lines.
    let mut line = |text: String| out += &(text + "\n");
    for (n, checkpoint) in found.checkpoints.iter().enumerate() {
        line(format!("checkpoint {n} {checkpoint}"));
    }
    for (n, wrong) in found.headers.iter().enumerate() {
        if let Some(wrong) = wrong {
            line(format!("header {n}     damaged: {wrong}"));
        }
    }
    for note in &found.notes {
        line(format!("note         {note}"));
    }
    if found.missing_bytes > 0 {
        line(format!(
            "file         {} bytes are missing at its end",
            found.missing_bytes
        ));
    }
    line(match (found.clean, found.hole) {
        (_, Some(hole)) => format!(
            "journal      a hole behind {} batches: {} requests to the flash are lost there, {} of them flushed",
            hole.batch, hole.requests, hole.flushed
        ),
        (true, None) => "journal      empty: switched off in order".to_owned(),
        (false, None) => format!(
            "journal      {} requests to ask again, {} moves to make again, {} slots in the buffer",
            found.replayed, found.redone, found.kept_slots
        ),
    });
    if found.left_out > 0 {
        line(format!(
            "left out     {} requests at its end, which had not reached the disk when the machine lost its power, \
             and of which none was flushed",
            found.left_out
        ));
    }
    line(format!(
        "slots        {} mapped, {} of them stored once for several, {} damaged",
        found.mapped_slots, found.shared_slots, found.damaged_slots
    ));
    for slot in &found.damaged {
        line(format!(
            "damaged      sector {} (LPN {}, place {}): {}",
            slot.lba, slot.lpn, slot.place, slot.why
        ));
    }
    out
}
