//! The pages of an image by what they say of themselves, to find what a slot held.

use crate::Survives;
use crate::meta::Meta;
use crate::pages::{self, Page};
use crate::recovery::log::Written;
use crate::regions::Regions;
use crate::slot::{self, Oob};
use crate::storage::Storage;
use ftlab_base::{Identity, Lpn};
use ftlab_drive::codec;
use ftlab_drive::ssd::Ssd;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// A page that says whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OwnedPage {
    lpn: u32,
    /// The number of the request that wrote it.
    number: u64,
    /// The checksum of what it stores.
    sum: u64,
    place: u32,
}

/// The pages of an image that are whole, by what they say of themselves.
pub(super) struct Pages {
    by_slot: Vec<OwnedPage>,
    /// Places of data that several slots may share, by identity.
    pub(super) shared: BTreeMap<Identity, u32>,
    /// True if one of them holds zeros that were there before the drive had bytes, and moved.
    pub(super) has_old_zeros: bool,
    /// True if all pages are whole.
    all_whole: bool,
    /// True if some pages may be of requests that never happened: a batch that the end of a host has left out,
    /// whose numbers others have had since.
    may_be_of_none: bool,
}

impl Pages {
    pub(super) fn of(storage: &dyn Storage, ssd: &Ssd, meta: &Meta) -> io::Result<Pages> {
        let layer = ssd.layer();
        let slot_bytes = layer.layout().geometry.slot_bytes as usize;
        let mut found = Pages {
            by_slot: Vec::new(),
            shared: BTreeMap::new(),
            has_old_zeros: false,
            all_whole: true,
            may_be_of_none: meta.survives == Survives::HostPowerCut && meta.unsafe_shutdowns > 0,
        };
        let mut data = vec![0; slot_bytes];
        let regions = Regions::of_layer(layer);
        let is_lost = |oob: &Oob| {
            let mut lost = meta.lost.iter();
            lost.any(|&(from, until)| (from..until).contains(&oob.sequence))
        };
        let shape = (layer.places(), slot_bytes);
        // Pages are not in the order of their requests, so all are read before any is looked for.
        pages::look_at_all(storage, &regions, shape, |place, page| match page {
            Page::Broken(_) => found.all_whole = false,
            Page::Whole(oob, _) if oob == slot::ZEROS => found.has_old_zeros = true,
            Page::Whole(oob, _) if is_lost(&oob) => {}
            Page::Whole(oob, stored) => {
                found.by_slot.push(OwnedPage {
                    lpn: oob.lpn,
                    number: oob.sequence,
                    sum: xxh3_64(stored),
                    place,
                });
                if oob.shared
                    && slot::unpack(&oob, stored, &mut data) == Ok(0)
                    && let Some(identity) = codec::identity_of(&data)
                {
                    found.shared.insert(identity, place);
                }
            }
        })?;
        found.by_slot.sort_unstable();
        Ok(found)
    }

    /// The pages of a slot that requests of these numbers wrote.
    fn of_slot(&self, lpn: u32, numbers: Range<u64>) -> &[OwnedPage] {
        let until = |number: u64| {
            let is_before = |told: &OwnedPage| (told.lpn, told.number) < (lpn, number);
            self.by_slot.partition_point(is_before)
        };
        &self.by_slot[until(numbers.start)..until(numbers.end)]
    }

    /// Place of a write's data; none if the pages do not tell.
    pub(super) fn at(&self, write: Written) -> Option<u32> {
        match self.of_slot(write.lpn, write.number..write.number + 1) {
            [] => self.shared.get(&write.identity?).copied(),
            [first, others @ ..] => {
                let are_same = others.iter().all(|other| other.sum == first.sum);
                are_same.then_some(first.place)
            }
        }
    }

    /// True if the data of a write are certainly there.
    pub(super) fn has(&self, write: Written) -> bool {
        self.at(write).is_some()
    }

    /// The version of a slot before a request, which lay at `place` then. It is unknown if it has moved, and pages
    /// are damaged or may be of requests that never happened.
    pub(super) fn before(&self, lpn: Lpn, number: u64, place: u32) -> OlderPage {
        let told = self.of_slot(lpn.0, 0..number);
        if told.iter().any(|told| told.place == place) {
            return OlderPage::At(place);
        }
        let is_one = told
            .array_windows()
            .all(|[one, other]| one.number == other.number && one.sum == other.sum);
        match told.last() {
            None if self.all_whole => OlderPage::Nowhere,
            Some(newest) if self.all_whole && (is_one || !self.may_be_of_none) => {
                OlderPage::At(newest.place)
            }
            _ => OlderPage::Unknown,
        }
    }
}

/// The version of a slot before a request.
pub(super) enum OlderPage {
    At(u32),
    /// No page was ever written of it.
    Nowhere,
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(told: &[(u64, u64, u32)], may_be_of_none: bool, all_whole: bool) -> Pages {
        let told = told.iter().map(|&(number, sum, place)| OwnedPage {
            lpn: 7,
            number,
            sum,
            place,
        });
        Pages {
            by_slot: told.collect(),
            shared: BTreeMap::new(),
            has_old_zeros: false,
            all_whole,
            may_be_of_none,
        }
    }

    fn before(pages: &Pages, place: u32) -> Option<u32> {
        match pages.before(Lpn(7), 20, place) {
            OlderPage::At(place) => Some(place),
            OlderPage::Nowhere | OlderPage::Unknown => None,
        }
    }

    #[test]
    fn the_newest_of_a_slot_is_where_it_lay_or_where_it_has_moved() {
        let told = [(3, 30, 100), (5, 50, 200), (25, 60, 300)];
        assert_eq!(before(&pages(&told, false, true), 200), Some(200));
        assert_eq!(before(&pages(&told, false, true), 999), Some(200));
        // Damage may be what was the newest.
        assert_eq!(before(&pages(&told, false, false), 999), None);
        assert_eq!(before(&pages(&told, false, false), 200), Some(200));
    }

    #[test]
    fn a_page_of_a_request_that_never_happened_is_not_taken_for_one_that_did() {
        let told = [(5, 50, 200), (12, 90, 300)];
        assert_eq!(before(&pages(&told, true, true), 999), None);
        assert_eq!(before(&pages(&told, true, true), 200), Some(200));
        let moving = [(5, 50, 200), (5, 50, 300)];
        assert!(before(&pages(&moving, true, true), 999).is_some());
        let write = Written {
            lpn: 7,
            number: 5,
            identity: None,
        };
        assert!(pages(&moving, true, true).has(write));
        assert!(!pages(&[(5, 50, 200), (5, 51, 300)], true, true).has(write));
    }
}
