//! Images packed to travel: what lies in them, without holes, compressed and checked.
//!
//! ```text
//! magic 8 │ format 4 │ zstd: what it is │ pieces │ the end: checksum of all that 8
//! piece: at 8 │ bytes 4 │ bytes
//! ```
//!
//! An image that lies on a base is packed with what it has of that, and is a whole image when it is unpacked. A packed
//! file is read from front to back, so it can come through a pipe; that it is whole is known when its end is there.

use crate::ImageError;
use crate::base::open::{Access, open_image};
use crate::error::{Wrong, system_error};
use crate::header::Header;
use ftlab_drive::Catalog;
use ftlab_sheet::magic::PACKED as MAGIC;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

const FORMAT: u32 = 1;
/// The position that marks the end, where no data follow.
const END: u64 = u64::MAX;
const PIECE_BYTES: u64 = 1 << 18;
/// Data within a piece that are all zeros are left out in parts of this size.
const PART_BYTES: usize = 4096;
const ABOUT_BYTES_MAX: u32 = 1 << 12;
const LEVEL: i32 = 3;

/// Facts of a packed image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedImage {
    /// Version of ftlab that packed it.
    pub version: String,
    /// Slug of the drive in the catalogue.
    pub drive: String,
    /// Bytes of the image's file, holes included.
    pub file_bytes: u64,
}

/// Error of unpacking: of the packed file, or of the system.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The file does not begin with the magic number of a packed image.
    #[error("it is not a packed image; `ftlab pack` makes one")]
    Foreign,
    /// It is of another format.
    #[error(
        "it has format {found}, and this ftlab reads format {FORMAT}: unpack it with the ftlab that packed it"
    )]
    Format {
        /// Format of the file.
        found: u32,
    },
    /// Its bytes are not those that were written.
    #[error("it is damaged: {0}; copy it again")]
    Damaged(String),
    /// The system does not take what is in it.
    #[error("cannot write what is in it: {0}")]
    Write(io::Error),
}

/// Takes the checksum of what is written, or read.
struct Summed<T> {
    inner: T,
    sum: Xxh3,
}

impl<T: Write> Summed<T> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.inner.write_all(bytes)
    }
}

impl<T: Read> Summed<T> {
    fn take(&mut self, into: &mut [u8]) -> Result<(), UnpackError> {
        self.inner.read_exact(into).map_err(|why| {
            UnpackError::Damaged(match why.kind() {
                ErrorKind::UnexpectedEof => "it was cut off".to_owned(),
                _ => why.to_string(),
            })
        })?;
        self.sum.update(into);
        Ok(())
    }

    fn take_number<const N: usize>(&mut self) -> Result<[u8; N], UnpackError> {
        let mut bytes = [0; N];
        self.take(&mut bytes)?;
        Ok(bytes)
    }
}

/// Packs an image. Nothing in it changes, and nobody writes to it meanwhile.
///
/// # Errors
/// When it cannot be read, is no image, somebody serves it, or `to` takes no more.
pub fn pack(path: &Path, catalog: &Catalog, to: impl Write) -> Result<PackedImage, ImageError> {
    let storage = open_image(path, Access::ReadOnly, None)?.storage;
    let unusable = |why: Wrong| ImageError::Unusable {
        path: path.to_owned(),
        why,
    };
    let (header, _) = Header::read(&*storage, catalog).map_err(unusable)?;
    let length = storage.length();
    let length = length.map_err(|why| unusable(Wrong::Unreadable(why)))?;
    let about = PackedImage {
        version: ftlab_drive::version(),
        drive: header.slug,
        file_bytes: length.unwrap_or_default(),
    };
    let packed = (|| {
        let mut to = to;
        to.write_all(&MAGIC)?;
        to.write_all(&FORMAT.to_le_bytes())?;
        let mut to = Summed {
            inner: zstd::Encoder::new(to, LEVEL)?,
            sum: Xxh3::new(),
        };
        let words = postcard::to_stdvec(&about).map_err(io::Error::other)?;
        to.put(&(words.len() as u32).to_le_bytes())?;
        to.put(&words)?;
        let (mut at, mut piece) = (0, Vec::new());
        // Holes are skipped, and come back as holes.
        while let Some(data) = storage.next_data(at)?.filter(|at| *at < about.file_bytes) {
            at = data / PIECE_BYTES * PIECE_BYTES;
            let end = about.file_bytes.min(at + PIECE_BYTES);
            piece.resize((end - at) as usize, 0);
            storage.read_at(at, &mut piece)?;
            put_piece(&mut to, at, &piece)?;
            at = end;
        }
        to.put(&END.to_le_bytes())?;
        let sum = to.sum.digest();
        to.put(&sum.to_le_bytes())?;
        to.inner.finish()?.flush()
    })();
    packed.map_err(|why| system_error(path, "pack it", why))?;
    Ok(about)
}

/// Writes the parts of a piece that are not zeros.
fn put_piece(to: &mut Summed<impl Write>, at: u64, piece: &[u8]) -> io::Result<()> {
    let is_zeros = |part: &[u8]| part.iter().all(|&byte| byte == 0);
    let mut from = 0;
    while from < piece.len() {
        let rest = piece[from..].chunks(PART_BYTES);
        let zeros = rest.take_while(|part| is_zeros(part)).count() * PART_BYTES;
        from = (from + zeros).min(piece.len());
        let rest = piece[from..].chunks(PART_BYTES);
        let data: usize = rest
            .take_while(|part| !is_zeros(part))
            .map(<[u8]>::len)
            .sum();
        if data > 0 {
            to.put(&(at + from as u64).to_le_bytes())?;
            to.put(&(data as u32).to_le_bytes())?;
            to.put(&piece[from..from + data])?;
        }
        from += data;
    }
    Ok(())
}

/// Unpacks an image into a new file, which is of no use if that fails.
///
/// # Errors
/// When it is no packed image, is damaged or was cut off, or the file does not take it.
pub fn unpack(mut from: impl Read, to: &File) -> Result<PackedImage, UnpackError> {
    let mut front = [0; 12];
    from.read_exact(&mut front)
        .map_err(|_| UnpackError::Foreign)?;
    if front[..8] != MAGIC {
        return Err(UnpackError::Foreign);
    }
    let found = u32::from_le_bytes(front[8..].try_into().expect("four bytes"));
    if found != FORMAT {
        return Err(UnpackError::Format { found });
    }
    let damaged = |why: &str| UnpackError::Damaged(why.to_owned());
    let inner = zstd::Decoder::new(from).map_err(UnpackError::Write)?;
    let mut from = Summed {
        inner,
        sum: Xxh3::new(),
    };
    let bytes = u32::from_le_bytes(from.take_number()?);
    if bytes > ABOUT_BYTES_MAX {
        return Err(damaged("what it says of itself makes no sense"));
    }
    let mut words = vec![0; bytes as usize];
    from.take(&mut words)?;
    let about: PackedImage =
        postcard::from_bytes(&words).map_err(|why| UnpackError::Damaged(why.to_string()))?;
    to.set_len(about.file_bytes).map_err(UnpackError::Write)?;
    let mut piece = Vec::new();
    loop {
        let at = u64::from_le_bytes(from.take_number()?);
        if at == END {
            break;
        }
        let bytes = u32::from_le_bytes(from.take_number()?);
        let end = at.checked_add(bytes.into());
        let fits = end.is_some_and(|end| end <= about.file_bytes);
        // A piece beyond the end would make the file longer than it said.
        if !fits || u64::from(bytes) > PIECE_BYTES {
            return Err(damaged("a piece of it lies beyond its end"));
        }
        piece.resize(bytes as usize, 0);
        from.take(&mut piece)?;
        to.write_all_at(&piece, at).map_err(UnpackError::Write)?;
    }
    let sum = from.sum.digest();
    if u64::from_le_bytes(from.take_number()?) != sum {
        return Err(damaged("its checksum is wrong"));
    }
    match from.inner.read(&mut [0]) {
        Ok(0) => Ok(about),
        _ => Err(damaged("there is more behind its end")),
    }
}
