//! A slot as it lies at a place: whose it is, and its bytes, compressed where the drive does that.
//!
//! ```text
//! magic 4 │ LPN 4 │ bytes 4 │ form 1 │ shared 1 │ 0 2 │ sequence 8 │ checksum of the bytes 8 │ seal 8 │ bytes
//! ```
//!
//! The seal is a checksum over everything before it and over the place. So a slot that was written in part is
//! none, and neither is one that lies elsewhere than it was written, an older version of the same
//! slot among them. Data that move get a seal for their new place if they had one for the old, so damage stays
//! damage.

use ftlab_base::SECTOR_BYTES;
use ftlab_cut::{SectorMask, mask_of, runs};
use ftlab_drive::codec::{self, Packed};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bytes in front of a slot's own.
pub(crate) const OOB_BYTES: usize = 40;
const MAGIC: [u8; 4] = *b"slot";
/// Position of the checksum of the bytes, and of the seal behind it.
const CHECKSUM_AT: usize = OOB_BYTES - 16;
const SEAL_AT: usize = OOB_BYTES - 8;

/// Form in which the bytes of a slot are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Stored as they are.
    Whole,
    /// The compressed form, as it is shorter.
    Shorter,
    /// Not at all: they are zeros.
    Zeros,
    /// Some of its sectors as they are, behind a mask of them. The others could not be read when these
    /// were written, and are lost.
    Part,
}

impl Form {
    const ALL: [Form; 4] = [Form::Whole, Form::Shorter, Form::Zeros, Form::Part];
}

const SECTOR: usize = SECTOR_BYTES as usize;
/// Bytes of the mask of a slot in part. A sector is missing, so there is room for it.
const MASK_BYTES: usize = size_of::<SectorMask>();

/// Metadata out of band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Oob {
    /// Logical page number of the slot when it was written.
    pub(crate) lpn: u32,
    /// Length of the bytes that follow.
    pub(crate) bytes: u32,
    pub(crate) form: Form,
    /// Other slots may have the same data, and no place of their own.
    pub(crate) shared: bool,
    /// Number of the request of the layer that wrote it.
    pub(crate) sequence: u64,
}

impl Oob {
    /// Reads what stands in front of a slot; `None` when there is none. The checksum is another matter.
    pub(crate) fn read(front: &[u8]) -> Option<Oob> {
        let front: &[u8; OOB_BYTES] = front.get(..OOB_BYTES)?.try_into().ok()?;
        let word =
            |at: usize| u32::from_le_bytes(front[at..at + 4].try_into().expect("four bytes"));
        if front[..4] != MAGIC {
            return None;
        }
        Some(Oob {
            lpn: word(4),
            bytes: word(8),
            form: *Form::ALL.get(usize::from(front[12]))?,
            shared: front[13] != 0,
            sequence: u64::from_le_bytes(front[16..24].try_into().expect("eight bytes")),
        })
    }

    /// Writes itself in front of `slot`, whose bytes are there. It has no seal until it has a place.
    pub(crate) fn write(self, slot: &mut [u8]) {
        assert_eq!(
            slot.len(),
            OOB_BYTES + self.bytes as usize,
            "a slot's length"
        );
        slot[..4].copy_from_slice(&MAGIC);
        slot[4..8].copy_from_slice(&self.lpn.to_le_bytes());
        slot[8..12].copy_from_slice(&self.bytes.to_le_bytes());
        slot[12] = self.form as u8;
        slot[13] = u8::from(self.shared);
        slot[14..16].fill(0);
        slot[16..24].copy_from_slice(&self.sequence.to_le_bytes());
        let sum = xxh3_64(&slot[OOB_BYTES..]);
        slot[CHECKSUM_AT..SEAL_AT].copy_from_slice(&sum.to_le_bytes());
    }
}

fn seal_of(slot: &[u8], place: u32) -> [u8; 8] {
    xxh3_64_with_seed(&slot[..SEAL_AT], place.into()).to_le_bytes()
}

/// Gives a slot the seal of the place where it will lie.
pub(crate) fn seal(slot: &mut [u8], place: u32) {
    let seal = seal_of(slot, place);
    slot[SEAL_AT..OOB_BYTES].copy_from_slice(&seal);
}

/// Reseals a slot that moves, only if it had the seal of the place that it leaves: damage stays visible.
pub(crate) fn seal_moved(slot: &mut [u8], from: u32, to: u32) {
    if slot[SEAL_AT..OOB_BYTES] == seal_of(slot, from) {
        seal(slot, to);
    }
}

/// True if nothing was ever written there.
pub(crate) fn is_nothing(lies: &[u8]) -> bool {
    lies[..OOB_BYTES].iter().all(|&byte| byte == 0)
}

/// Zeros that were there before anybody wrote, whosever they are.
pub(crate) fn zeros() -> Vec<u8> {
    let mut slot = vec![0; OOB_BYTES];
    ZEROS.write(&mut slot);
    slot
}

/// Metadata of a slot of zeros.
pub(crate) const ZEROS: Oob = Oob {
    lpn: 0,
    bytes: 0,
    form: Form::Zeros,
    shared: true,
    sequence: 0,
};

/// Damage of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Broken {
    #[error("nothing is written there")]
    Nothing,
    #[error("its bytes are not those that were written: the checksum is wrong")]
    Checksum,
    #[error("its metadata are damaged, or it was written for another place")]
    Seal,
    #[error("its length of {0} bytes is impossible")]
    Length(u32),
}

/// The slot at the front of what lies at a place, if it is whole: its metadata, and what is stored of it.
/// A slot has `slot_bytes` at most.
pub(crate) fn check(lies: &[u8], place: u32, slot_bytes: usize) -> Result<(Oob, &[u8]), Broken> {
    let oob = Oob::read(lies).ok_or(Broken::Nothing)?;
    if lies[SEAL_AT..OOB_BYTES] != seal_of(lies, place) {
        return Err(Broken::Seal);
    }
    let end = OOB_BYTES + oob.bytes as usize;
    if oob.bytes as usize > slot_bytes || lies.len() < end {
        return Err(Broken::Length(oob.bytes));
    }
    let sum = u64::from_le_bytes(lies[CHECKSUM_AT..SEAL_AT].try_into().expect("eight bytes"));
    if xxh3_64(&lies[OOB_BYTES..end]) != sum {
        return Err(Broken::Checksum);
    }
    Ok((oob, &lies[OOB_BYTES..end]))
}

/// Makes the bytes of a slot of what is stored of it; gives the sectors that are lost.
pub(crate) fn unpack(oob: &Oob, stored: &[u8], into: &mut [u8]) -> Result<SectorMask, Broken> {
    match oob.form {
        Form::Zeros if stored.is_empty() => into.fill(0),
        Form::Whole if stored.len() == into.len() => into.copy_from_slice(stored),
        Form::Shorter if codec::unpack(stored, into) => {}
        Form::Part => return unpack_part(stored, into).ok_or(Broken::Length(oob.bytes)),
        _ => return Err(Broken::Length(oob.bytes)),
    }
    Ok(0)
}

fn unpack_part(stored: &[u8], into: &mut [u8]) -> Option<SectorMask> {
    let (mask, mut rest) = stored.split_first_chunk::<MASK_BYTES>()?;
    let there = SectorMask::from_le_bytes(*mask);
    let whole = mask_of(0, (into.len() / SECTOR) as u32);
    if there & !whole != 0 || rest.len() != there.count_ones() as usize * SECTOR {
        return None;
    }
    for (first, sectors) in runs(there) {
        let (run, after) = rest.split_at(sectors * SECTOR);
        into[first * SECTOR..][..run.len()].copy_from_slice(run);
        rest = after;
    }
    Some(whole & !there)
}

/// Stored form of a slot of which only some sectors are to be had, with room for its metadata in front.
pub(crate) fn stored_in_part(there: SectorMask, data: &[u8]) -> Vec<u8> {
    let mut slot = vec![0; OOB_BYTES];
    slot.extend(there.to_le_bytes());
    for (first, sectors) in runs(there) {
        slot.extend(&data[first * SECTOR..(first + sectors) * SECTOR]);
    }
    slot
}

/// Stored form of the bytes of a slot, with room for its metadata in front.
pub(crate) fn stored(packed: Packed, data: &[u8]) -> (Form, Vec<u8>) {
    let (form, bytes): (Form, &[u8]) = match &packed {
        Packed::Zeros => (Form::Zeros, &[]),
        Packed::Shorter(bytes) => (Form::Shorter, bytes),
        Packed::Whole => (Form::Whole, data),
    };
    let mut slot = vec![0; OOB_BYTES + bytes.len()];
    slot[OOB_BYTES..].copy_from_slice(bytes);
    (form, slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(data: &[u8]) -> (Oob, Vec<u8>) {
        let mut slot = vec![0; OOB_BYTES];
        slot.extend_from_slice(data);
        let oob = Oob {
            lpn: 7,
            bytes: data.len() as u32,
            form: Form::Whole,
            shared: false,
            sequence: 9,
        };
        oob.write(&mut slot);
        seal(&mut slot, 5);
        (oob, slot)
    }

    #[test]
    fn a_slot_is_found_as_it_was_written_and_not_when_any_bit_differs() {
        let (oob, good) = slot(b"some bytes of a slot");
        assert_eq!(check(&good, 5, 64), Ok((oob, &good[OOB_BYTES..])));
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&bad, 5, 64).is_err(), "bit {bit}");
            // It does not become whole by moving.
            seal_moved(&mut bad, 5, 6);
            assert!(check(&bad, 6, 64).is_err(), "bit {bit}");
        }
        assert_eq!(check(&[0; 100], 5, 64), Err(Broken::Nothing));
        let short = &good[..good.len() - 1];
        assert_eq!(check(short, 5, 64), Err(Broken::Length(20)));
    }

    #[test]
    fn a_slot_is_whole_at_its_place_alone_until_it_moves() {
        let (oob, mut slot) = slot(b"some bytes of a slot");
        assert_eq!(check(&slot, 6, 64), Err(Broken::Seal));
        seal_moved(&mut slot, 5, 6);
        assert_eq!(check(&slot, 6, 64), Ok((oob, &slot[OOB_BYTES..])));
        assert_eq!(check(&slot, 5, 64), Err(Broken::Seal));
    }

    #[test]
    fn a_mask_falls_into_runs() {
        let found = |mask| runs(mask).collect::<Vec<_>>();
        assert_eq!(found(0b0110_1101), [(0, 1), (2, 2), (5, 2)]);
        assert_eq!(found(SectorMask::MAX), [(0, 128)]);
        assert_eq!(found(1 << 127), [(127, 1)]);
        assert_eq!(found(0), []);
    }

    #[test]
    fn a_slot_in_part_gives_the_sectors_that_are_there_and_says_which_are_not() {
        let data: Vec<u8> = (0..8).flat_map(|n| [n + 1; SECTOR]).collect();
        let mut slot = stored_in_part(0b0100_0011, &data);
        assert!(slot.len() < OOB_BYTES + data.len());
        let oob = Oob {
            lpn: 1,
            bytes: (slot.len() - OOB_BYTES) as u32,
            form: Form::Part,
            shared: false,
            sequence: 1,
        };
        oob.write(&mut slot);
        seal(&mut slot, 2);
        let (oob, stored) = check(&slot, 2, data.len()).unwrap();
        let mut again = vec![0; data.len()];
        assert_eq!(unpack(&oob, stored, &mut again), Ok(0b1011_1100));
        for n in [0, 1, 6] {
            let sector = n * SECTOR..(n + 1) * SECTOR;
            assert_eq!(again[sector.clone()], data[sector], "sector {n}");
        }
        for wrong in [&stored[..stored.len() - 1], &stored[..10], &[]] {
            assert!(unpack(&oob, wrong, &mut again).is_err());
        }
        // A sector that no slot has.
        let mut beyond = stored.to_vec();
        beyond[1] = 1;
        assert!(unpack(&oob, &beyond, &mut again).is_err());
    }

    #[test]
    fn what_is_stored_of_a_slot_gives_its_bytes_again() {
        let text: Vec<u8> = b"again and ".iter().copied().cycle().take(4096).collect();
        let noise: Vec<u8> = (0..4096_u64)
            .map(|n| (xxh3_64(&n.to_le_bytes()) >> 9) as u8)
            .collect();
        for (data, form) in [
            (vec![0; 4096], Form::Zeros),
            (text, Form::Shorter),
            (noise, Form::Whole),
        ] {
            let (_, packed) = codec::packed(&data);
            let (found, mut slot) = stored(packed, &data);
            assert_eq!(found, form);
            let oob = Oob {
                lpn: 1,
                bytes: (slot.len() - OOB_BYTES) as u32,
                form,
                shared: false,
                sequence: 1,
            };
            oob.write(&mut slot);
            seal(&mut slot, 3);
            let (oob, stored) = check(&slot, 3, 4096).unwrap();
            let mut again = vec![1; 4096];
            unpack(&oob, stored, &mut again).unwrap();
            assert!(again == data, "{form:?}");
        }
    }
}
