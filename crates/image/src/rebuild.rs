//! Making a new image of what is left of a damaged one.
//!
//! Each page says whose it is and when it was written. Where the drive's map can be read, up to a hole in
//! the journal perhaps, it says what a slot held, and pages that were written later are newer. Where it
//! cannot, the newest page of each slot is taken. The map is as the layer had it at the hole: a power cut there would
//! give slots back what they held before, and nobody cut the power. What was found is written to a new drive of the same
//! kind, beside the image; when that is whole, it takes the image's place.

use crate::base::open::{Access, open_image};
use crate::blank::Blank;
use crate::drive::DataDrive;
use crate::error::{Wrong, system_error};
use crate::header::Header;
use crate::mark::Mark;
use crate::meta::{ImageState, new_meta};
use crate::new::New;
use crate::pages;
use crate::recovery::bring_back;
use crate::recovery::found::{Found, Opening};
use crate::regions::Regions;
use crate::slot::{self, OOB_BYTES, Oob};
use crate::storage::{FileStorage, Overlay, Storage};
use crate::store_options::StoreOptions;
use crate::{CreateOptions, ImageError, OnKill, OpenOptions};
use ftlab_base::{Command, Lba, Lpn, Outcome, SECTOR_BYTES, SimTime};
use ftlab_cut::SectorMask;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Result of rebuilding an image. Counters and wear of the drive begin anew.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// True if the drive's map could be read, up to a hole perhaps. If not, trimmed data may be there again.
    pub has_map: bool,
    /// True if the drive stores equal data once. Then the pages do not name all slots they are of.
    pub shares: bool,
    /// Slots that hold what the map says.
    pub kept_slots: u64,
    /// Slots whose newest data the map does not know of; pages do.
    pub found_slots: u64,
    /// Slots whose data are damaged, and which hold an earlier version now.
    pub older_slots: u64,
    /// Slots whose data are damaged, and which hold nothing now.
    pub lost_slots: u64,
    /// Slots of which some sectors could not be read before; those hold nothing now.
    pub partly_lost_slots: u64,
    /// Pages that are damaged, whosever they are.
    pub damaged_pages: u64,
    /// Damaged pages that do not name their slot.
    pub nameless_pages: u64,
}

impl Rebuilt {
    /// True if every slot holds the newest data that were ever written to it, as far as pages tell.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let is_lost = self.older_slots + self.lost_slots + self.partly_lost_slots > 0;
        !is_lost && self.nameless_pages == 0 && !self.may_miss_shared()
    }

    /// True if slots may be missed that were stored with others.
    #[must_use]
    pub fn may_miss_shared(&self) -> bool {
        self.found_slots > 0 && self.shares
    }
}

/// A page that is whole: when it was written, and where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Page {
    sequence: u64,
    place: u32,
}

/// Makes a new image of what is left of a damaged one, in its place.
///
/// # Errors
/// When the header cannot be read, somebody has the image open, or there is no room for a second one beside
/// it. The damaged image is as it was then.
pub fn rebuild(path: &Path, catalog: &Catalog, testbed: &Testbed) -> Result<Rebuilt, ImageError> {
    let storage = open_image(path, Access::ReadOnly, None)?.storage;
    let (header, file) = Header::read(&*storage, catalog).map_err(|why| ImageError::Unusable {
        path: path.to_owned(),
        why,
    })?;
    let new = New::of(&file, testbed, header.seed)?;
    if let New::Flat(..) = new {
        drop(storage);
        return begin_anew(path, new, &file);
    }
    let (regions, shape) = (new.regions(), new.shape());
    let options = OpenOptions::of_what_is_left(catalog, testbed);
    let lies = open_image(path, Access::ReadOnly, None)?.storage;
    let found = Found::read(path, &*lies, New::of(&file, testbed, header.seed)?, true);
    let mapped = found.and_then(|found| {
        let lies = Box::new(Overlay::new(Arc::from(lies)));
        let found = found.without_cut();
        let opening = Opening {
            path,
            drive: &file,
            seed: header.seed,
            options: &options,
        };
        bring_back(found, lies, &opening)
    });
    let mapped = mapped.ok();
    // Without a hole, nothing is behind it.
    let behind_hole = mapped.as_ref().and_then(|(drive, recovery)| {
        let lost = recovery.hole.and(drive.body.lost().last());
        lost.map(|&(from, until)| from..until)
    });
    let mut damaged = DamagedImage {
        path: path.to_owned(),
        storage,
        regions,
        slot_bytes: shape.slot_bytes as usize,
        pages: BTreeMap::new(),
        broken: BTreeMap::new(),
        rebuilt: Rebuilt {
            has_map: mapped.is_some(),
            shares: file.compresses(),
            ..Rebuilt::default()
        },
        mapped: mapped.map(|(drive, _)| drive),
        behind_hole: behind_hole.unwrap_or(0..0),
    };
    damaged
        .find_pages(new.places(), shape.slots)
        .map_err(|why| system_error(path, "read it", why))?;
    let create = CreateOptions {
        seed: header.seed,
        ..CreateOptions::default()
    };
    let begun = FileStorage::begin(path);
    let (new_file, begun) = begun.map_err(|why| system_error(path, "make a new one", why))?;
    let set_length = FileStorage::set_length;
    let about = (&file, testbed);
    let made = DataDrive::create_on(path, new_file, about, &create, |_| Ok(()), set_length)?;
    damaged.write_to(made, shape.slots)?;
    let synced = begun.file().sync_all();
    let moved = synced.and_then(|()| begun.place(path, true));
    moved.map_err(|why| system_error(path, "replace it", why))?;
    Ok(damaged.rebuilt)
}

/// A drive without flash needs no map: its sectors lie where they are, with their checksums. Its counters
/// begin anew.
fn begin_anew(path: &Path, new: New, file: &DriveFile) -> Result<Rebuilt, ImageError> {
    let mut storage = open_image(path, Access::Alone { sync: true }, None)?.storage;
    let unusable = |why| ImageError::Unusable {
        path: path.to_owned(),
        why: Wrong::Unreadable(why),
    };
    let known = Mark::furthest(&*storage).map_err(unusable)?;
    let lengthened = storage.lengthen(new.regions().end());
    lengthened.map_err(|why| system_error(path, "make it so long", why))?;
    let options = StoreOptions::of(file, true, OnKill::Keep);
    let body = new.on(storage, options, Blank::default());
    let body = body.map_err(|why| system_error(path, "read it", why))?;
    let mut drive = DataDrive::around(path, file, body);
    drive.image = Some(ImageState {
        stands: known.unwrap_or(Mark::NONE),
        meta: new_meta(drive.max_sectors, true, OnKill::Keep),
        sync: true,
        on_kill: OnKill::Keep,
        read_only: false,
    });
    drive.close()?;
    Ok(Rebuilt::default())
}

/// A counter of the result.
type Counter = fn(&mut Rebuilt) -> &mut u64;

/// The readable parts of a damaged image.
struct DamagedImage {
    path: PathBuf,
    storage: Box<dyn Storage>,
    regions: Regions,
    slot_bytes: usize,
    /// The drive as its map has it, if that can be read.
    mapped: Option<DataDrive>,
    /// Numbers of requests that the map does not know of.
    behind_hole: Range<u64>,
    /// The newest page of each slot.
    pages: BTreeMap<u32, Page>,
    /// Number of the newest request among the damaged pages that say that they are a slot's.
    broken: BTreeMap<u32, u64>,
    rebuilt: Rebuilt,
}

impl DamagedImage {
    /// Looks at the metadata of every page.
    fn find_pages(&mut self, places: u32, slots: u32) -> io::Result<()> {
        let (pages, broken, rebuilt) = (&mut self.pages, &mut self.broken, &mut self.rebuilt);
        let shape = (places, self.slot_bytes);
        pages::look_at_all(
            &*self.storage,
            &self.regions,
            shape,
            |place, page| match page {
                pages::Page::Whole(oob, _) => {
                    let page = Page {
                        sequence: oob.sequence,
                        place,
                    };
                    let newest = pages.entry(oob.lpn).or_insert(page);
                    *newest = page.max(*newest);
                }
                pages::Page::Broken(lies) => {
                    rebuilt.damaged_pages += 1;
                    // It says, perhaps, whose it was.
                    match Oob::read(lies).filter(|oob| oob.lpn < slots) {
                        Some(oob) => {
                            let newest = broken.entry(oob.lpn).or_default();
                            *newest = oob.sequence.max(*newest);
                        }
                        None => rebuilt.nameless_pages += 1,
                    }
                }
            },
        )
    }

    /// Data of a slot in the new image; none if it is empty.
    fn slot(&mut self, lpn: u32) -> Result<Option<Vec<u8>>, ImageError> {
        let page = self.pages.get(&lpn).copied();
        let broken = self.broken.get(&lpn).copied();
        // Something newer than what is whole was there.
        let newer = broken.filter(|broken| page.is_none_or(|page| *broken > page.sequence));
        let found: Counter = match newer {
            None => |rebuilt| &mut rebuilt.found_slots,
            Some(_) => |rebuilt| &mut rebuilt.older_slots,
        };
        let is_behind = |sequence: &u64| self.behind_hole.contains(sequence);
        let page_behind = page.filter(|page| is_behind(&page.sequence));
        match (page, page_behind) {
            (Some(page), _) if self.mapped.is_none() => return self.salvage(page, found).map(Some),
            (_, Some(page)) => return self.salvage(page, found).map(Some),
            _ => {}
        }
        let lost = newer.filter(is_behind);
        let Some(drive) = &mut self.mapped else {
            self.rebuilt.lost_slots += u64::from(newer.is_some());
            return Ok(None);
        };
        let sectors = self.slot_bytes as u64 / SECTOR_BYTES;
        let lba = Lba(u64::from(lpn) * sectors);
        if !drive.is_mapped(lba, 1).0 {
            self.rebuilt.lost_slots += u64::from(lost.is_some());
            return Ok(None);
        }
        let place = drive.layer().and_then(|layer| layer.lookup(Lpn(lpn)));
        let waits = drive.body.has_waiting(lpn);
        if let (Some(page), Some(place), false) = (page, place, waits)
            && self.is_older_there(place.0, page, lpn)?
        {
            return self
                .salvage(page, |rebuilt| &mut rebuilt.older_slots)
                .map(Some);
        }
        let drive = self.mapped.as_mut().expect("it was there");
        let mut data = vec![0; self.slot_bytes];
        let read = drive.read(lba, &mut data);
        match (read, page) {
            (Ok(()), _) => {
                let counter = match lost {
                    None => &mut self.rebuilt.kept_slots,
                    Some(_) => &mut self.rebuilt.older_slots,
                };
                *counter += 1;
                Ok(Some(data))
            }
            (Err(ImageError::Damaged { .. }), Some(page)) => {
                let has_moved = match place {
                    Some(place) => self.is_used_anew(place.0, lpn)?,
                    None => false,
                };
                let older = self.salvage(
                    page,
                    match has_moved {
                        true => found,
                        false => |rebuilt| &mut rebuilt.older_slots,
                    },
                );
                older.map(Some)
            }
            (Err(ImageError::Damaged { .. }), None) => {
                self.rebuilt.lost_slots += 1;
                Ok(None)
            }
            (Err(why), _) => Err(why),
        }
    }

    /// True if the data at a place are those of a slot, and older than a page of it: the version of the map
    /// never reached the storage of the host.
    fn is_older_there(&self, place: u32, page: Page, lpn: u32) -> Result<bool, ImageError> {
        let lies = self.lies_at(place)?;
        let found = slot::check(&lies, place, self.slot_bytes);
        Ok(found.is_ok_and(|(oob, _)| oob.lpn == lpn && oob.sequence < page.sequence))
    }

    fn lies_at(&self, place: u32) -> Result<Vec<u8>, ImageError> {
        let mut lies = vec![0; OOB_BYTES + self.slot_bytes];
        let read = self.storage.read_at(self.regions.place(place), &mut lies);
        read.map_err(|why| system_error(&self.path, "read a page of it", why))?;
        Ok(lies)
    }

    /// True if the data at a place are whole and another slot's, or there are none: then the older data were
    /// moved before the erase, and the newest page is that.
    fn is_used_anew(&self, place: u32, lpn: u32) -> Result<bool, ImageError> {
        let lies = self.lies_at(place)?;
        Ok(match slot::check(&lies, place, self.slot_bytes) {
            Ok((oob, _)) => oob.lpn != lpn,
            Err(_) => slot::is_nothing(&lies),
        })
    }

    /// The data of a page that was found whole. The slot is counted there, unless sectors of it are lost.
    fn salvage(&mut self, page: Page, counter: Counter) -> Result<Vec<u8>, ImageError> {
        let (data, lost) = self.page(page)?;
        let counter = match lost {
            0 => counter(&mut self.rebuilt),
            _ => &mut self.rebuilt.partly_lost_slots,
        };
        *counter += 1;
        Ok(data)
    }

    /// The data of a page that was found whole, and the sectors of it that are lost.
    fn page(&self, page: Page) -> Result<(Vec<u8>, SectorMask), ImageError> {
        let read = || {
            let mut lies = vec![0; OOB_BYTES + self.slot_bytes];
            let at = self.regions.place(page.place);
            self.storage.read_at(at, &mut lies)?;
            let whole = slot::check(&lies, page.place, self.slot_bytes);
            let (oob, stored) = whole.map_err(io::Error::other)?;
            let mut data = vec![0; self.slot_bytes];
            let lost = slot::unpack(&oob, stored, &mut data).map_err(io::Error::other)?;
            Ok((data, lost))
        };
        read().map_err(|why| system_error(&self.path, "read a page of it", why))
    }

    /// Writes everything to a new drive, and closes that.
    fn write_to(&mut self, mut made: DataDrive, slots: u32) -> Result<(), ImageError> {
        let sectors = self.slot_bytes as u64 / SECTOR_BYTES;
        for lpn in 0..slots {
            let Some(data) = self.slot(lpn)? else {
                continue;
            };
            let write = Command::write(
                lpn.into(),
                u64::from(lpn) * sectors,
                sectors as u32,
                SimTime::ZERO,
            );
            if made.apply(write, &data) != Outcome::Good {
                let why = io::Error::other("the new drive does not take what the old one held");
                made.flush_storage()?;
                return Err(system_error(made.path(), "write to it", why));
            }
        }
        if let Some(mapped) = &self.mapped {
            made.set_max(mapped.capacity_bytes())?;
        }
        made.close()
    }
}
