//! `ftlab pack` and `ftlab unpack`: an image as one dense file, to be shipped.

use clap::Args;
use ftlab_base::amount::decimal;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::files::{self, NewFile, Replaces};
use ftlab_console::progress::Signs;
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_sheet::magic::Kind;
use std::io::{BufReader, BufWriter};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab pack aged.img -o aged.ftlab
  ftlab pack aged.img -o aged.ftlab --replace

An image is a sparse file, and many tools fill its holes when they copy it. A
packed image has no holes and is compressed (zstd). Packing is refused if
anything in the image is damaged. An image that lies on a base is packed
together with its part of the base. Stop its server first.")]
pub struct PackOptions {
    /// The file of an image that nobody serves
    image: PathBuf,
    /// Where the packed image goes; a file that is not there yet
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Let it take the place of a packed image that is there, when the new one is whole
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    signs: Signs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab unpack aged.ftlab -o aged.img
  ftlab unpack aged.ftlab -o copy.img --quiet")]
pub struct UnpackOptions {
    /// A file of `ftlab pack`
    packed: PathBuf,
    /// Where the image goes; a file that is not there yet
    #[arg(short, long, value_name = "IMAGE")]
    out: PathBuf,
    #[command(flatten)]
    signs: Signs,
}

/// Packs an image into one dense file as `ftlab pack`.
///
/// # Errors
/// When the image cannot be read, or the packed one written.
pub fn pack(options: &PackOptions, catalog: &Catalog) -> Outcome {
    let replaces = Replaces::Same {
        kind: Kind::Packed,
        asked: options.replace,
    };
    let target = NewFile::ready_for(&options.out, "--out", replaces)?;
    let _told = options.signs.spinner("packing the image");
    let file = target.begin()?;
    let about = ftlab_image::pack(&options.image, catalog, BufWriter::new(file.file()))?;
    let packed = file.file().metadata().map_or(0, |meta| meta.len());
    target.end(file)?;
    screen::print(&format!(
        "packed {} in {}: {}\n",
        about.drive,
        options.out.display(),
        decimal(packed as f64, "B")
    ))
}

/// Makes an image of a packed file as `ftlab unpack`; it never replaces one.
///
/// # Errors
/// When the packed image cannot be read, or the image written.
pub fn unpack(options: &UnpackOptions) -> Outcome {
    let from = files::open(&options.packed, "a file of `ftlab pack`")?;
    let target = NewFile::ready_for(&options.out, "--out", Replaces::Nothing)?;
    let _told = options.signs.spinner("unpacking the image");
    let file = target.begin()?;
    let about = files::guarded(&options.packed, || {
        let about = ftlab_image::unpack(BufReader::new(from), file.file());
        about.map_err(|why| Failure::Running(format!("{}: {why}", options.packed.display())))
    })?;
    let taken = file.file().metadata().map_or(0, |meta| meta.blocks() * 512);
    target.end(file)?;
    screen::print(&format!(
        "unpacked {} to {}: {}\n",
        about.drive,
        options.out.display(),
        crate::sparse_file(about.file_bytes, taken)
    ))
}
