//! Records of the journal: what the translation layer was asked, and what goes with it.

use crate::CutReport;
use ftlab_base::{BlockId, Content, DieId, Lpn, Placement};
use ftlab_drive::ssd::{LayerInput, SlotWrite, Totals};
use ftlab_drive::{HeatTotals, HostCommands};
use ftlab_ftl::{Extent, Fault};

/// An event in a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// The layer was asked something.
    Input(LayerInput),
    /// Number of the data moves of the last request that are made. The next one erases, so from there on they
    /// can be made again as often as need be.
    Moved(u32),
    /// The slot that the last request writes, as it is to lie there.
    Slot(Vec<u8>),
    /// The last request was not taken.
    Refused,
    /// Sectors of a slot are in a write buffer that keeps them without power.
    Admitted { lpn: u32, first: u8, data: Vec<u8> },
    /// The drive was switched on.
    PowerOn,
    /// Counts of the drive.
    Totals(Totals),
    /// The digest of the slots that went to their places since the batch before.
    Landed(u64),
    /// Something of a slot waits in a write buffer that is lost without power.
    Held(u32),
    /// The data of a slot that were handed to the layer are in the cells.
    Programmed(u32),
    /// Whatever the layer was handed is in the cells, and nothing waits.
    AllProgrammed,
    /// The power went, and the drive was switched on again: what that took from a volatile buffer. Whatever is to be
    /// handed on of it follows as admitted; a slot of which nothing is, is to be given up.
    PowerLost(Option<CutReport>),
}

/// Tags of the records.
#[repr(u8)]
#[derive(Clone, Copy)]
enum Tag {
    WriteWhole,
    WritePart,
    Read,
    ReadPart,
    Trim,
    Flush,
    WorkAhead,
    SecureErase,
    Moved,
    Slot,
    Admitted,
    PowerOn,
    Refused,
    BadBlock,
    Unreadable,
    DeadDie,
    EndOfLife,
    Totals,
    Landed,
    LookUp,
    Held,
    Programmed,
    AllProgrammed,
    /// Writes to a placement handle that is not the default one.
    PlacedWhole,
    PlacedPart,
    PowerLost,
    /// A power cut of a drive that loses nothing.
    PowerKept,
    Turn,
}

impl Tag {
    const ALL: [Tag; 28] = [
        Tag::WriteWhole,
        Tag::WritePart,
        Tag::Read,
        Tag::ReadPart,
        Tag::Trim,
        Tag::Flush,
        Tag::WorkAhead,
        Tag::SecureErase,
        Tag::Moved,
        Tag::Slot,
        Tag::Admitted,
        Tag::PowerOn,
        Tag::Refused,
        Tag::BadBlock,
        Tag::Unreadable,
        Tag::DeadDie,
        Tag::EndOfLife,
        Tag::Totals,
        Tag::Landed,
        Tag::LookUp,
        Tag::Held,
        Tag::Programmed,
        Tag::AllProgrammed,
        Tag::PlacedWhole,
        Tag::PlacedPart,
        Tag::PowerLost,
        Tag::PowerKept,
        Tag::Turn,
    ];
}

/// Appends a number, seven bits a byte.
fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Takes a number from the front of `from`.
fn take_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Takes `N` numbers from the front of `from`.
fn take_numbers<const N: usize>(from: &mut &[u8]) -> Option<[u64; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = take_number(from)?;
    }
    Some(numbers)
}

fn put(to: &mut Vec<u8>, tag: Tag, numbers: &[u64]) {
    to.push(tag as u8);
    numbers.iter().for_each(|&number| put_number(to, number));
}

/// Appends a request of the layer.
pub(crate) fn put_input(to: &mut Vec<u8>, input: LayerInput) {
    let of = |lpn: Lpn| u64::from(lpn.0);
    match input {
        LayerInput::Write(write) => {
            // Most writes have no placement, and tags without one save its bytes.
            let is_placed = write.placement != Placement::DEFAULT;
            let tag = match (write.extent, is_placed) {
                (Extent::Whole, false) => Tag::WriteWhole,
                (Extent::Part, false) => Tag::WritePart,
                (Extent::Whole, true) => Tag::PlacedWhole,
                (Extent::Part, true) => Tag::PlacedPart,
            };
            let numbers = [
                of(write.lpn),
                write.content.word(),
                write.placement.0.into(),
            ];
            put(to, tag, &numbers[..2 + usize::from(is_placed)]);
        }
        LayerInput::LookUp(first, slots) => put(to, Tag::LookUp, &[of(first), slots.into()]),
        LayerInput::Read(first, slots) => put(to, Tag::Read, &[of(first), slots.into()]),
        LayerInput::ReadPart(lpn, first, end) => {
            put(to, Tag::ReadPart, &[of(lpn), first.into(), end.into()]);
        }
        LayerInput::Trim(first, slots) => put(to, Tag::Trim, &[of(first), slots.into()]),
        LayerInput::Flush => put(to, Tag::Flush, &[]),
        LayerInput::WorkAhead => put(to, Tag::WorkAhead, &[]),
        LayerInput::Turn => put(to, Tag::Turn, &[]),
        LayerInput::SecureErase => put(to, Tag::SecureErase, &[]),
        LayerInput::Fault(Fault::BadBlock(block)) => put(to, Tag::BadBlock, &[block.0.into()]),
        LayerInput::Fault(Fault::Unreadable(lpn)) => put(to, Tag::Unreadable, &[of(lpn)]),
        LayerInput::Fault(Fault::Die(die)) => put(to, Tag::DeadDie, &[die.0.into()]),
        LayerInput::Fault(Fault::EndOfLife) => put(to, Tag::EndOfLife, &[]),
    }
}

/// Appends what is no request.
pub(crate) fn put_moved(to: &mut Vec<u8>, moves: u32) {
    put(to, Tag::Moved, &[moves.into()]);
}

/// Appends the bytes of a slot.
pub(crate) fn put_slot(to: &mut Vec<u8>, slot: &[u8]) {
    put(to, Tag::Slot, &[slot.len() as u64]);
    to.extend_from_slice(slot);
}

/// Appends sectors in the buffer.
pub(crate) fn put_admitted(to: &mut Vec<u8>, lpn: u32, first: u32, data: &[u8]) {
    put(
        to,
        Tag::Admitted,
        &[lpn.into(), first.into(), data.len() as u64],
    );
    to.extend_from_slice(data);
}

/// Appends that the drive was switched on.
pub(crate) fn put_power_on(to: &mut Vec<u8>) {
    put(to, Tag::PowerOn, &[]);
}

/// Appends that the last request was not taken.
pub(crate) fn put_refused(to: &mut Vec<u8>) {
    put(to, Tag::Refused, &[]);
}

/// Appends what the drive has counted.
pub(crate) fn put_totals(to: &mut Vec<u8>, totals: Totals) {
    let Totals {
        host_ios,
        host_bytes_written,
        buffer_stalls,
        void_trims,
        host,
        heat,
    } = totals;
    let beside = [host_ios, host_bytes_written, buffer_stalls, void_trims];
    put(to, Tag::Totals, &beside);
    let within = host.all().into_iter().chain(heat.all());
    within.for_each(|number| put_number(to, number));
}

/// Appends the digest of the slots that went to their places.
pub(crate) fn put_landed(to: &mut Vec<u8>, digest: u64) {
    put(to, Tag::Landed, &[digest]);
}

/// Appends that something of a slot waits in a volatile buffer.
pub(crate) fn put_held(to: &mut Vec<u8>, lpn: u32) {
    put(to, Tag::Held, &[lpn.into()]);
}

/// Appends that what was handed on of a slot is in the cells.
pub(crate) fn put_programmed(to: &mut Vec<u8>, lpn: u32) {
    put(to, Tag::Programmed, &[lpn.into()]);
}

/// Appends that everything is.
pub(crate) fn put_all_programmed(to: &mut Vec<u8>) {
    put(to, Tag::AllProgrammed, &[]);
}

/// Appends that the power went and is back.
pub(crate) fn put_power_lost(to: &mut Vec<u8>, cut: Option<CutReport>) {
    match cut {
        None => put(to, Tag::PowerKept, &[]),
        Some(CutReport {
            seed,
            slots,
            new,
            old,
            torn,
        }) => put(to, Tag::PowerLost, &[seed, slots, new, old, torn]),
    }
}

/// Appends a record that was noted beside the journal behind the last request, once more.
pub(crate) fn put_again(to: &mut Vec<u8>, record: &Record) {
    match record {
        Record::Admitted { lpn, first, data } => put_admitted(to, *lpn, (*first).into(), data),
        Record::Held(lpn) => put_held(to, *lpn),
        Record::Programmed(lpn) => put_programmed(to, *lpn),
        Record::AllProgrammed => put_all_programmed(to),
        Record::PowerLost(cut) => put_power_lost(to, *cut),
        Record::PowerOn => put_power_on(to),
        // These belong to a request, or to a batch, of their own.
        Record::Input(_)
        | Record::Moved(_)
        | Record::Slot(_)
        | Record::Refused
        | Record::Totals(_)
        | Record::Landed(_) => {}
    }
}

fn take_small(from: &mut &[u8]) -> Option<u32> {
    u32::try_from(take_number(from)?).ok()
}

fn take_bytes(from: &mut &[u8]) -> Option<Vec<u8>> {
    let bytes = usize::try_from(take_number(from)?).ok()?;
    let (taken, rest) = from.split_at_checked(bytes)?;
    *from = rest;
    Some(taken.to_vec())
}

/// Takes a record from the front of `from`; `None` when it makes no sense.
pub(crate) fn take(from: &mut &[u8]) -> Option<Record> {
    let (&tag, rest) = from.split_first()?;
    *from = rest;
    // A tag that is not known ends the reading: behind it nothing can be told apart.
    let tag = *Tag::ALL.get(usize::from(tag))?;
    Some(match tag {
        Tag::Moved => Record::Moved(take_small(from)?),
        Tag::Slot => Record::Slot(take_bytes(from)?),
        Tag::Admitted => Record::Admitted {
            lpn: take_small(from)?,
            first: u8::try_from(take_small(from)?).ok()?,
            data: take_bytes(from)?,
        },
        Tag::PowerOn => Record::PowerOn,
        Tag::Totals => {
            let [host_ios, host_bytes_written, buffer_stalls, void_trims] = take_numbers(from)?;
            Record::Totals(Totals {
                host_ios,
                host_bytes_written,
                buffer_stalls,
                void_trims,
                host: HostCommands::of_all(take_numbers(from)?),
                heat: HeatTotals::of_all(take_numbers(from)?),
            })
        }
        Tag::Landed => Record::Landed(take_number(from)?),
        Tag::Refused => Record::Refused,
        Tag::Held => Record::Held(take_small(from)?),
        Tag::Programmed => Record::Programmed(take_small(from)?),
        Tag::AllProgrammed => Record::AllProgrammed,
        Tag::PowerKept => Record::PowerLost(None),
        Tag::PowerLost => {
            let [seed, slots, new, old, torn] = take_numbers(from)?;
            Record::PowerLost(Some(CutReport {
                seed,
                slots,
                new,
                old,
                torn,
            }))
        }
        tag => Record::Input(take_input(tag, from)?),
    })
}

/// Takes a request of the layer that has this tag.
fn take_input(tag: Tag, from: &mut &[u8]) -> Option<LayerInput> {
    let lpn = |from: &mut &[u8]| take_small(from).map(Lpn);
    Some(match tag {
        Tag::LookUp => LayerInput::LookUp(lpn(from)?, take_small(from)?),
        Tag::Read => LayerInput::Read(lpn(from)?, take_small(from)?),
        Tag::ReadPart => LayerInput::ReadPart(lpn(from)?, take_small(from)?, take_small(from)?),
        Tag::Trim => LayerInput::Trim(lpn(from)?, take_small(from)?),
        Tag::Flush => LayerInput::Flush,
        Tag::WorkAhead => LayerInput::WorkAhead,
        Tag::Turn => LayerInput::Turn,
        Tag::SecureErase => LayerInput::SecureErase,
        Tag::BadBlock => LayerInput::Fault(Fault::BadBlock(BlockId(take_small(from)?))),
        Tag::Unreadable => LayerInput::Fault(Fault::Unreadable(lpn(from)?)),
        Tag::DeadDie => {
            let die = DieId(u16::try_from(take_small(from)?).ok()?);
            LayerInput::Fault(Fault::Die(die))
        }
        Tag::EndOfLife => LayerInput::Fault(Fault::EndOfLife),
        Tag::WriteWhole => take_write(Extent::Whole, false, from)?,
        Tag::WritePart => take_write(Extent::Part, false, from)?,
        Tag::PlacedWhole => take_write(Extent::Whole, true, from)?,
        Tag::PlacedPart => take_write(Extent::Part, true, from)?,
        _ => return None,
    })
}

fn take_write(extent: Extent, is_placed: bool, from: &mut &[u8]) -> Option<LayerInput> {
    Some(LayerInput::Write(SlotWrite {
        lpn: Lpn(take_small(from)?),
        extent,
        content: Content::of_word(take_number(from)?),
        placement: match is_placed {
            true => Placement(u8::try_from(take_small(from)?).ok()?),
            false => Placement::DEFAULT,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        let inputs = [
            LayerInput::Write(SlotWrite {
                content: Content::compressible(30),
                ..SlotWrite::of(Lpn(300), Extent::Whole)
            }),
            LayerInput::Write(SlotWrite {
                content: Content::of_word(u64::MAX),
                placement: Placement(255),
                ..SlotWrite::of(Lpn(u32::MAX), Extent::Part)
            }),
            LayerInput::LookUp(Lpn(1), 2),
            LayerInput::Read(Lpn(1), 2),
            LayerInput::ReadPart(Lpn(128), 3, 5),
            LayerInput::Trim(Lpn(0), 1 << 30),
            LayerInput::Flush,
            LayerInput::WorkAhead,
            LayerInput::Turn,
            LayerInput::SecureErase,
            LayerInput::Fault(Fault::BadBlock(BlockId(9_000))),
            LayerInput::Fault(Fault::Unreadable(Lpn(70))),
            LayerInput::Fault(Fault::Die(DieId(3))),
            LayerInput::Fault(Fault::EndOfLife),
        ];
        let mut bytes = Vec::new();
        inputs
            .iter()
            .for_each(|&input| put_input(&mut bytes, input));
        put_moved(&mut bytes, 700);
        put_slot(&mut bytes, b"slot");
        put_admitted(&mut bytes, 9, 127, b"sectors");
        put_power_on(&mut bytes);
        put_refused(&mut bytes);
        let totals = Totals {
            host_ios: 1,
            host_bytes_written: 1 << 40,
            buffer_stalls: 0,
            void_trims: 7,
            host: HostCommands::of_all([5, 1 << 41, 6, 300, 2]),
            heat: HeatTotals::of_all([3, 1, 1 << 42, 400, 0, 8]),
        };
        put_totals(&mut bytes, totals);
        put_landed(&mut bytes, u64::MAX);
        put_held(&mut bytes, 300);
        put_programmed(&mut bytes, u32::MAX);
        put_all_programmed(&mut bytes);
        let cut = CutReport {
            seed: u64::MAX,
            slots: 6,
            new: 3,
            old: 2,
            torn: 1,
        };
        let losses = [Some(cut), None];
        losses
            .iter()
            .for_each(|cut| put_power_lost(&mut bytes, *cut));
        let mut from = &bytes[..];
        let read: Vec<Record> = std::iter::from_fn(|| take(&mut from)).collect();
        let mut want: Vec<Record> = inputs.map(Record::Input).into();
        want.push(Record::Moved(700));
        want.push(Record::Slot(b"slot".to_vec()));
        want.push(Record::Admitted {
            lpn: 9,
            first: 127,
            data: b"sectors".to_vec(),
        });
        want.push(Record::PowerOn);
        want.push(Record::Refused);
        want.push(Record::Totals(totals));
        want.push(Record::Landed(u64::MAX));
        want.push(Record::Held(300));
        want.push(Record::Programmed(u32::MAX));
        want.push(Record::AllProgrammed);
        want.extend(losses.map(Record::PowerLost));
        assert_eq!(read, want);
        assert!(from.is_empty());
    }
}
