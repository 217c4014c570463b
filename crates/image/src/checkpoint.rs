//! Checkpoints: the whole state of a drive, in two areas that are used in turn.
//!
//! ```text
//! magic 8 │ number 8 │ bytes 8 │ checksum of the state 8 │ checksum 8 │ … │ at 4 KiB: the state, LZ4
//! ```
//!
//! It may be written beside other work ([`crate::under_way`]). The head is written when the rest is there, so an area holds a checkpoint or none; the other area
//! holds the one before it until then. A [`Mark`] is noted afterwards: a checkpoint whose head is destroyed is
//! missed.

use crate::buffered::BUFFERED_BYTES_MAX;
use crate::error::Wrong;
use crate::mark::{End, Mark};
use crate::meta::Meta;
use crate::storage::{Bytes, Region, Storage};
use ftlab_cut::BufferedSlot;
use ftlab_cut::volatile::VolatileSlot;
use ftlab_drive::Device as _;
use ftlab_drive::saved::{DeviceState, SavedError, Unpacked, state_bytes_max};
use ftlab_drive::ssd::Ssd;
use lz4_flex::frame::FrameEncoder;
use std::io::{self, BufWriter, IntoInnerError, Read, Write};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: [u8; 8] = *b"\x8fftpoint";
const HEAD_BYTES: usize = 40;
const CHECKSUM_AT: usize = HEAD_BYTES - 8;
/// Start of the state, in bytes from the checkpoint.
const STATE_AT: u64 = 4096;
/// Bytes that are written at a time, and given up at a time: while the system does either, nobody else writes
/// to the file.
const WRITTEN_BYTES: usize = 1 << 20;
const GIVEN_UP_BYTES: u64 = 32 << 20;
/// The most that what an image keeps beside takes, unpacked.
const META_BYTES_MAX: u64 = 1 << 16;
/// The most that the numbers of a slot in a write buffer take beside its bytes.
const BUFFERED_BYTES_BESIDE_MAX: u64 = 64;

/// Everything that a checkpoint says.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) meta: Meta,
    pub(crate) buffered: Vec<BufferedSlot>,
    /// Slots that a power cut could take away.
    pub(crate) volatile: Vec<VolatileSlot>,
    /// Blocks that were programmed before the drive had bytes.
    pub(crate) blank: Vec<u8>,
    pub(crate) state: DeviceState,
}

/// A checkpoint that is to be written.
#[derive(Debug)]
pub(crate) struct NewCheckpoint {
    /// Notes that it is the newest.
    pub(crate) mark: Mark,
    pub(crate) saved: Saved,
    pub(crate) shape: Shape,
    pub(crate) areas: [Region; 2],
    /// Regions of the journal that are not needed once the checkpoint stands.
    pub(crate) free: Vec<Region>,
    pub(crate) sync: bool,
}

/// Mark and metadata of a checkpoint that is on the storage.
#[derive(Debug)]
pub(crate) struct CheckpointInfo {
    pub(crate) mark: Mark,
    pub(crate) meta: Meta,
}

impl NewCheckpoint {
    /// The mark and the metadata, for the drive to adopt once it stands.
    pub(crate) fn info(&self) -> CheckpointInfo {
        CheckpointInfo {
            mark: self.mark,
            meta: self.saved.meta.clone(),
        }
    }

    /// Writes it. When that succeeds, it stands; what it gives then is whether that is noted, too, and
    /// nothing is left of the journal before it, where batches of the next one would be looked for.
    ///
    /// # Errors
    /// When it does not stand: the one before does.
    pub(crate) fn write(&self, storage: &mut dyn Storage) -> io::Result<io::Result<()>> {
        self.write_state(storage)?;
        Ok((|| {
            self.mark.note_checkpoint(storage)?;
            self.free
                .iter()
                .try_for_each(|region| give_up(storage, *region))
        })())
    }

    fn write_state(&self, storage: &mut dyn Storage) -> io::Result<()> {
        self.saved.check(self.shape)?;
        let number = self.mark.checkpoint;
        let area = self.areas[(number % 2) as usize];
        // Nothing is left of the one that stood there, should this one be cut off.
        storage.write_at(area.at, &[0; HEAD_BYTES])?;
        let state = Region {
            at: area.at + STATE_AT,
            bytes: area.bytes - STATE_AT,
        };
        give_up(storage, state)?;
        if self.sync {
            storage.sync()?;
        }
        let (bytes, checksum) = pack(&self.saved, self.shape, storage, state)?;
        // With everything that it speaks of.
        if self.sync {
            storage.sync()?;
        }
        let mut head = [0; HEAD_BYTES];
        head[..8].copy_from_slice(&MAGIC);
        head[8..16].copy_from_slice(&number.to_le_bytes());
        head[16..24].copy_from_slice(&bytes.to_le_bytes());
        head[24..32].copy_from_slice(&checksum.to_le_bytes());
        let sum = xxh3_64(&head[..CHECKSUM_AT]);
        head[CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
        storage.write_at(area.at, &head)?;
        match self.sync {
            true => storage.sync(),
            false => Ok(()),
        }
    }
}

/// Gives a region up, piece by piece, so that nobody who writes elsewhere waits long for it.
fn give_up(storage: &mut dyn Storage, region: Region) -> io::Result<()> {
    let end = region.at + region.bytes;
    let mut at = region.at;
    while let Some(data) = storage.next_data(at)?.filter(|data| *data < end) {
        at = end.min(data + GIVEN_UP_BYTES);
        storage.give_up(data, at - data)?;
    }
    Ok(())
}

impl Saved {
    /// Checks that a reader will take the checkpoint: one that is refused would shut the image, and the one
    /// before it does not.
    fn check(&self, shape: Shape) -> io::Result<()> {
        let meta = postcard::to_stdvec(&self.meta).map_err(io::Error::other)?;
        if meta.len() as u64 > META_BYTES_MAX {
            let lost = self.meta.lost.len();
            return Err(io::Error::other(format!(
                "what was lost of it lies in {lost} parts, and an image has room for fewer: make a new image of it with \
                 `ftlab fsck --rebuild`"
            )));
        }
        let buffered = self.buffered.len() as u64 * shape.slot_bytes;
        if buffered > BUFFERED_BYTES_MAX {
            return Err(io::Error::other(format!(
                "{buffered} bytes wait in its write buffer, and an image has room for {BUFFERED_BYTES_MAX}"
            )));
        }
        Ok(())
    }
}

/// A writer that refuses what goes beyond the bytes that are `left`.
struct LimitedWriter<T> {
    inner: T,
    left: u64,
}

impl<T: Write> Write for LimitedWriter<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64);
        let left = left.ok_or_else(|| {
            io::Error::other("the drive's state takes more bytes than whoever reads it takes")
        })?;
        let written = self.inner.write(bytes)?;
        self.left = left + (bytes.len() - written) as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a state, packed, into a region; gives its length and its checksum.
fn pack(
    saved: &Saved,
    shape: Shape,
    storage: &mut dyn Storage,
    region: Region,
) -> io::Result<(u64, u64)> {
    let packed = Packing {
        storage,
        left: region,
        sum: Xxh3::new(),
    };
    let packed = BufWriter::with_capacity(WRITTEN_BYTES, packed);
    // Numbers come byte by byte; in handfuls they are packed sooner.
    let packer = BufWriter::with_capacity(1 << 16, FrameEncoder::new(packed));
    let beside = (&saved.meta, &saved.buffered, &saved.volatile, &saved.blank);
    let inner = postcard::to_io(&beside, packer).map_err(io::Error::other)?;
    let left = state_bytes_max(shape.sectors);
    let packer =
        postcard::to_io(&saved.state, LimitedWriter { inner, left }).map_err(io::Error::other)?;
    let packer = packer
        .inner
        .into_inner()
        .map_err(IntoInnerError::into_error)?;
    let packed = packer.finish().map_err(io::Error::other)?;
    let packed = packed.into_inner().map_err(IntoInnerError::into_error)?;
    Ok((region.bytes - packed.left.bytes, packed.sum.digest()))
}

/// Progress of packing a state.
struct Packing<'a> {
    storage: &'a mut dyn Storage,
    left: Region,
    sum: Xxh3,
}

impl Write for Packing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len() as u64;
        if count > self.left.bytes {
            let why = "the drive's state takes more bytes than there is room for";
            return Err(io::Error::other(why));
        }
        self.storage.write_at(self.left.at, bytes)?;
        self.sum.update(bytes);
        self.left.at += count;
        self.left.bytes -= count;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Contents of a checkpoint area.
#[derive(Debug)]
pub(crate) enum Area {
    /// No checkpoint: none was written there, or it was cut off.
    Empty,
    /// A checkpoint that is not as it was written.
    Damaged { number: u64, why: String },
    /// A checkpoint that is as it was written, and may be restored.
    Whole(Packed),
}

/// A checkpoint as it lies there, packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed {
    pub(crate) number: u64,
    /// Region of the state.
    state: Region,
}

impl Area {
    /// Its number; nothing comes before all others.
    fn number(&self) -> Option<u64> {
        match self {
            Area::Empty => None,
            Area::Damaged { number, .. } => Some(*number),
            Area::Whole(packed) => Some(packed.number),
        }
    }

    /// Looks at one of the areas.
    pub(crate) fn read(
        storage: &dyn Storage,
        areas: &[Region; 2],
        which: usize,
    ) -> io::Result<Area> {
        let area = areas[which];
        let mut head = [0; HEAD_BYTES];
        storage.read_at(area.at, &mut head)?;
        let word =
            |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let (number, bytes, sum) = (word(8), word(16), word(CHECKSUM_AT));
        // A head that was cut off is none, and neither is one of the other area.
        let is_whole = head[..8] == MAGIC && xxh3_64(&head[..CHECKSUM_AT]) == sum;
        if !is_whole || number % 2 != which as u64 {
            return Ok(Area::Empty);
        }
        if bytes > area.bytes - STATE_AT {
            let why = format!("its length of {bytes} bytes is impossible");
            return Ok(Area::Damaged { number, why });
        }
        let state = Region {
            at: area.at + STATE_AT,
            bytes,
        };
        if checksum(storage, state)? != word(24) {
            let why = "its checksum is wrong".to_owned();
            return Ok(Area::Damaged { number, why });
        }
        Ok(Area::Whole(Packed { number, state }))
    }
}

/// The checksum of what lies in a region, however long that is.
fn checksum(storage: &dyn Storage, region: Region) -> io::Result<u64> {
    let mut bytes = Bytes::new(storage, region);
    let (mut sum, mut part) = (Xxh3::new(), vec![0; 1 << 16]);
    loop {
        match bytes.read(&mut part)? {
            0 => return Ok(sum.digest()),
            read => sum.update(&part[..read]),
        }
    }
}

/// Finds the newest whole checkpoint of the two areas.
///
/// # Errors
/// When there is none, it is damaged, or a mark knows of a newer one: the one before it is of no use, as
/// the journal behind that is gone.
pub(crate) fn newest(
    storage: &dyn Storage,
    areas: &[Region; 2],
    known: Option<u64>,
) -> Result<Packed, Wrong> {
    let read = |which| Area::read(storage, areas, which).map_err(Wrong::Unreadable);
    let found = [read(0)?, read(1)?];
    let newest = found.into_iter().max_by_key(Area::number);
    let newest = newest.expect("there are two");
    if let Some(known) = known.filter(|known| Some(*known) > newest.number()) {
        let why = format!("number {known}, which is the newest, is not there");
        return Err(Wrong::Checkpoint(why));
    }
    match newest {
        Area::Empty => Err(Wrong::Checkpoint("none is there".to_owned())),
        Area::Damaged { number, why } => {
            Err(Wrong::Checkpoint(format!("of number {number}, {why}")))
        }
        Area::Whole(packed) => Ok(packed),
    }
}

/// Geometry of the drive that a checkpoint is of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) sectors: u64,
    /// Slots, and bytes of each; none of a drive without flash.
    pub(crate) slots: u32,
    pub(crate) slot_bytes: u64,
}

impl Shape {
    /// The shape of a drive of flash.
    pub(crate) fn of_flash(ssd: &Ssd) -> Shape {
        Shape {
            sectors: ssd.capacity_sectors(),
            slots: ssd.layer().slots(),
            slot_bytes: u64::from(ssd.layer().layout().geometry.slot_bytes),
        }
    }

    /// The shape of another drive.
    pub(crate) fn of_sectors(sectors: u64) -> Shape {
        Shape {
            sectors,
            slots: 0,
            slot_bytes: 0,
        }
    }
}

impl Packed {
    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.state.bytes
    }

    /// It stands, and the journal goes on behind it.
    pub(crate) fn mark(&self, meta: &Meta) -> Mark {
        let Meta { sequence, seal, .. } = *meta;
        Mark {
            checkpoint: self.number,
            end: End {
                part: self.number,
                batches: 0,
                sequence,
                seal,
            },
        }
    }

    /// Unpacks it. What such a drive cannot need is refused before it takes memory.
    pub(crate) fn unpack(&self, storage: &dyn Storage, shape: Shape) -> Result<Saved, Wrong> {
        let senseless = |why: SavedError| Wrong::Checkpoint(why.to_string());
        let impossible = |why: String| Err(Wrong::Checkpoint(why));
        let mut unpacked = Unpacked::new(Bytes::new(storage, self.state));
        let meta: Meta = unpacked.next(META_BYTES_MAX).map_err(senseless)?;
        if meta.max_sectors > shape.sectors {
            return impossible(format!(
                "it lets the host address {} sectors of a drive of {}",
                meta.max_sectors, shape.sectors
            ));
        }
        let mut buffered = Vec::new();
        let count: u32 = unpacked
            .next(BUFFERED_BYTES_BESIDE_MAX)
            .map_err(senseless)?;
        if u64::from(count) * shape.slot_bytes > BUFFERED_BYTES_MAX || count > shape.slots {
            return impossible(format!("it has {count} slots in a write buffer"));
        }
        for _ in 0..count {
            let bytes_max = shape.slot_bytes + BUFFERED_BYTES_BESIDE_MAX;
            let slot: BufferedSlot = unpacked.next(bytes_max).map_err(senseless)?;
            if slot.lpn >= shape.slots || slot.bytes.len() as u64 != shape.slot_bytes {
                return impossible(format!("it has LPN {} in a write buffer", slot.lpn));
            }
            buffered.push(slot);
        }
        let count: u32 = unpacked
            .next(BUFFERED_BYTES_BESIDE_MAX)
            .map_err(senseless)?;
        if count > shape.slots {
            return impossible(format!("it has {count} slots in a volatile write buffer"));
        }
        let mut volatile = Vec::new();
        for _ in 0..count {
            let slot: VolatileSlot = unpacked
                .next(BUFFERED_BYTES_BESIDE_MAX)
                .map_err(senseless)?;
            if slot.lpn >= shape.slots {
                return impossible(format!("it has LPN {} in a write buffer", slot.lpn));
            }
            volatile.push(slot);
        }
        // There are no more blocks than slots.
        let bytes_max = u64::from(shape.slots) + BUFFERED_BYTES_BESIDE_MAX;
        let blank: Vec<u8> = unpacked.next(bytes_max).map_err(senseless)?;
        let bytes_max = state_bytes_max(shape.sectors);
        let state: DeviceState = unpacked.next(bytes_max).map_err(senseless)?;
        unpacked.finish().map_err(senseless)?;
        Ok(Saved {
            meta,
            buffered,
            volatile,
            blank,
            state,
        })
    }
}
