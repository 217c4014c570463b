//! Checks that the data of a batch of the journal are in their places.
//!
//! Where the machine may lose its power, a batch and its data are written together, and its storage takes
//! them in any order. It is waited for once, before the next batch is written and before anything is
//! erased. So all batches but the last are there with their data. The last one has a digest of the slots
//! that went to their places since the one before; if what lies there gives another, the power went
//! before the storage had all of it, nobody was promised anything, and the batch is left out. Nothing
//! that the batches before it speak of is gone by then: places are written once between two erases. Once
//! the wait is over, a mark knows of the batch. So when data are damaged later they are not taken for data
//! that never were there.

use crate::journal::{Batch, Landing};
use crate::record::Record;
use crate::regions::Regions;
use crate::storage::Storage;
use ftlab_drive::ssd::{LayerInput, Ssd};
use ftlab_nand::DataMove;
use std::io;
use std::ops::Range;

/// The places that are erased before anything else moves.
pub(crate) fn erased_first(moves: &[DataMove]) -> impl Iterator<Item = Range<u32>> {
    moves.iter().map_while(|step| match *step {
        DataMove::Erase { first, slots } => Some(first.0..first.0 + slots),
        _ => None,
    })
}

/// Returns true if the data of a batch are in their places. The layer was asked everything before it, but for the
/// request that was under way: `under_way`, and its moves that were made by then.
pub(crate) fn has_landed(
    batch: &Batch,
    under_way: Option<(LayerInput, u32)>,
    ssd: &Ssd,
    storage: &dyn Storage,
    regions: &Regions,
) -> io::Result<bool> {
    let is_told = |record: &Record| matches!(record, Record::Input(_) | Record::Moved(_));
    if !batch.records.iter().any(is_told) {
        // What went to its place is of the request that was under way, whose moves are made again; and a recovery
        // that was cut off may have erased that place for it.
        return Ok(true);
    }
    let mut inputs: Vec<LayerInput> = under_way.iter().map(|(input, _)| *input).collect();
    // Where the last request was cut off, if it was.
    let mut end = None;
    for record in &batch.records {
        match record {
            Record::Input(input) => {
                inputs.push(*input);
                end = None;
            }
            Record::Moved(moves) => end = Some(*moves as usize),
            _ => {}
        }
    }
    let mut moves = ssd.foretell(&inputs);
    let last = moves.last_mut();
    let left = last
        .zip(end)
        .map(|(last, end)| last.split_off(end.min(last.len())));
    let made = under_way.map_or(0, |(_, made)| made as usize);
    let slot_bytes = ssd.layer().layout().geometry.slot_bytes as usize;
    let (mut slot, mut landing) = (Vec::new(), Landing::default());
    for step in moves.iter().flatten().skip(made) {
        if let DataMove::Write { to, .. } | DataMove::Copy { to, .. } = *step {
            regions.read_slot(storage, to.0, slot_bytes, &mut slot)?;
            landing.note(to.0, &slot);
        }
    }
    for places in erased_first(&left.unwrap_or_default()) {
        landing.forget(&places);
    }
    Ok(landing.digest() == batch.landed)
}
