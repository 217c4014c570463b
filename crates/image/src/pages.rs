//! The pages of an image: which of them say whose they are and when they were written.

use crate::regions::Regions;
use crate::slot::{self, Broken, OOB_BYTES, Oob};
use crate::storage::Storage;
use std::io;

/// A page that lies at a place.
pub(crate) enum Page<'a> {
    /// It is whole: its metadata, and its bytes as they are stored.
    Whole(Oob, &'a [u8]),
    /// It is not; what lies there.
    Broken(&'a [u8]),
}

/// Looks at every page, place by place. What was never written is left out.
pub(crate) fn look_at_all(
    storage: &dyn Storage,
    regions: &Regions,
    (places, slot_bytes): (u32, usize),
    mut look: impl FnMut(u32, Page<'_>),
) -> io::Result<()> {
    let mut lies = vec![0; OOB_BYTES + slot_bytes];
    let mut place = 0;
    while place < places {
        let at = regions.place(place);
        // Holes have no pages, and are most of a new drive.
        let Some(data) = storage.next_data(at)? else {
            break;
        };
        let next = ((data - regions.data.at) / regions.stride) as u32;
        if next > place {
            place = next;
            continue;
        }
        storage.read_at(at, &mut lies)?;
        let mut covered = 1;
        match slot::check(&lies, place, slot_bytes) {
            Ok((oob, stored)) => {
                look(place, Page::Whole(oob, stored));
                let bytes = (OOB_BYTES as u64) + u64::from(oob.bytes);
                covered = bytes.div_ceil(regions.stride) as u32;
            }
            Err(Broken::Nothing) if slot::is_nothing(&lies) => {}
            Err(_) => look(place, Page::Broken(&lies)),
        }
        place += covered;
    }
    Ok(())
}
