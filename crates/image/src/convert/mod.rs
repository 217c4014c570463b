//! Opening an image that an earlier version of ftlab has written.
//!
//! What lies in a file is read as it was written. Two things may be otherwise than that version had them. Drive files may
//! have lost a key since ([`ftlab_drive::REMOVED`]): the header is written anew without it. And the model may do otherwise
//! what a journal asks of it again: then data do not lie where its map says. Such an image is written anew beside: the
//! layer goes on from its checkpoint and is asked the same, its own way, and each slot gets the page that the request has
//! written which wrote it last. The new file takes the place of the old one when all of it is there, so whoever is
//! cut off finds the old one. Where nothing of the file may change, all of that is done in memory.

mod found_pages;

use crate::base::Base;
use crate::blank::Blank;
use crate::body::flash::{Flash, byte_store};
use crate::drive::DataDrive;
use crate::error::{Wrong, system_error};
use crate::file::{begin_aside, replace};
use crate::header::Header;
use crate::new::New;
use crate::recovery::found::{Found, Opening};
use crate::recovery::log::{Log, Written};
use crate::recovery::{bring_back, replay};
use crate::regions::Regions;
use crate::slot::{self, OOB_BYTES};
use crate::storage::{Memory, Overlay, Storage};
use crate::{ImageError, OpenOptions, Recovery};
use found_pages::{OlderPage, Pages};
use ftlab_base::{Content, Lpn, Ppa};
use ftlab_drive::ssd::{LayerInput, PageStore, Ssd, StoreFailed};
use ftlab_drive::{REMOVED, RemovedKey};
use ftlab_ftl::{Extent, TranslationLayer};
use ftlab_nand::DataMove;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The new file of an image that is rewritten.
pub(crate) struct Target {
    pub(crate) storage: Box<dyn Storage>,
    /// Puts it into the place of the old one, once all of it is there.
    pub(crate) place: Box<dyn FnOnce() -> Result<(), ImageError>>,
}

/// Gives where an image is written anew that cannot go on where it lies.
pub(crate) type Aside<'a> = dyn Fn(&Arc<dyn Storage>) -> Result<Target, ImageError> + 'a;

/// In memory over the old one, which stays.
pub(crate) fn in_memory(old: &Arc<dyn Storage>) -> Result<Target, ImageError> {
    Ok(Target {
        storage: Box::new(Overlay::new(Arc::clone(old))),
        place: Box::new(|| Ok(())),
    })
}

/// In a file beside the old one, on the same base.
pub(crate) fn in_a_file(
    path: &Path,
    base: Option<&Base>,
    old: &dyn Storage,
) -> Result<Target, ImageError> {
    let (file, begun) = begin_aside(path)?;
    let storage = match base {
        Some(base) => base
            .begin(Some(path), Box::new(file), true)
            .map(|layer| Box::new(layer) as Box<dyn Storage>),
        None => old
            .length()
            .and_then(|bytes| file.set_length(bytes.unwrap_or_default()))
            .map(|()| Box::new(file) as Box<dyn Storage>),
    };
    let path = path.to_owned();
    Ok(Target {
        storage: storage.map_err(|why| system_error(&path, "write it anew", why))?,
        place: Box::new(move || replace(&path, begun, true)),
    })
}

/// Opens an image. If it cannot go on where it lies, it is written anew in a file beside, or in memory where nothing of it
/// may change.
pub(crate) fn open_beside(
    path: &Path,
    storage: Box<dyn Storage>,
    base: Option<&Base>,
    options: &OpenOptions<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let aside = |old: &Arc<dyn Storage>| match options.read_only {
        true => in_memory(old),
        false => in_a_file(path, base, &**old),
    };
    open(path, storage, options, (REMOVED, &aside))
}

/// Opens what lies on a storage, whatever version wrote it. These are the keys that drive files have no more.
pub(crate) fn open(
    path: &Path,
    storage: Box<dyn Storage>,
    options: &OpenOptions<'_>,
    (removed, aside): (&[RemovedKey], &Aside<'_>),
) -> Result<(DataDrive, Recovery), ImageError> {
    let unusable = |why: Wrong| ImageError::Unusable {
        path: path.to_owned(),
        why,
    };
    let (header, drive) =
        Header::read_knowing(&*storage, options.catalog, removed).map_err(unusable)?;
    if let Some(replayed) = options.drive {
        crate::header::check_drive(&drive, replayed, path)?;
    }
    let opening = Opening {
        path,
        drive: &drive,
        seed: header.seed,
        options,
    };
    let find = |storage: &dyn Storage| {
        let new = New::of(&drive, options.testbed, header.seed)?;
        Found::read(path, storage, new, options.accepts_loss)
    };
    // What comes out the same needs no other file, whatever model wrote it.
    let (mut made, recovery) = match replay(find(&*storage)?, &*storage, &opening) {
        Ok(replayed) => replayed.switch_on(storage, &opening)?,
        Err(Wrong::Replay { version }) if version != ftlab_drive::version() => {
            let old = Arc::from(storage);
            let anew = write_anew(&old, find(&*old)?, &header, &opening, aside)?;
            let (mut made, recovery) = bring_back(find(&*anew.storage)?, anew.storage, &opening)?;
            made.notes.push(format!(
                "its journal was written by ftlab {version}, and it was written anew for this one: each slot holds what it held"
            ));
            let recovery = Recovery {
                replayed: anew.requests,
                left_out: anew.left_out,
                ..recovery
            };
            (made, recovery)
        }
        Err(why) => return Err(unusable(why)),
    };
    if !header.notes.is_empty() && !options.read_only {
        let written = header.write(made.body.storage());
        written.map_err(|why| made.storage_error("write its header", why))?;
    }
    made.notes.extend(header.notes);
    Ok((made, recovery))
}

/// An image that was written anew.
struct Rewritten {
    storage: Box<dyn Storage>,
    requests: u64,
    left_out: u64,
}

/// Writes an image anew whose journal another model wrote.
///
/// # Errors
/// When the model refuses what the other one took, or a page cannot be found, as of an image that is damaged: then the old
/// one stays as it is.
fn write_anew(
    old: &Arc<dyn Storage>,
    found: Found,
    header: &Header,
    opening: &Opening<'_>,
    aside: &Aside<'_>,
) -> Result<Rewritten, ImageError> {
    let unusable = |why: Wrong| ImageError::Unusable {
        path: opening.path.to_owned(),
        why,
    };
    let unreadable = |why: io::Error| unusable(Wrong::Unreadable(why));
    let (mut ssd, before) = found.of_flash().map_err(unusable)?;
    let version = before.meta.version.clone();
    let otherwise = move || Wrong::Replay {
        version: version.clone(),
    };
    let pages = Pages::of(&**old, &ssd, &before.meta).map_err(unreadable)?;
    let log = Log::read(before, &**old, &ssd, opening, |write| pages.has(write));
    let log = log.map_err(unusable)?;
    let sources = Sources {
        begin: StartState::of(&ssd, &pages, &log),
        pages: &pages,
        log: &log,
        storage: &**old,
        regions: Regions::of_layer(ssd.layer()),
        slot_bytes: ssd.layer().layout().geometry.slot_bytes as usize,
    };
    let Some(moved) = Relocations::ask(&mut ssd, &log) else {
        return Err(unusable(otherwise()));
    };
    // Only now, when it is known that the model takes what the other one took, is anything written.
    let mut target = aside(old)?;
    let layer = ssd.layer();
    for lpn in (0..layer.slots()).map(Lpn) {
        let Some(place) = layer.lookup(lpn) else {
            continue;
        };
        let slot = sources.slot(lpn, place, &moved).map_err(unreadable)?;
        let slot = slot.ok_or_else(|| unusable(otherwise()))?;
        let put = put(&mut *target.storage, sources.regions.place(place.0), &slot);
        put.map_err(|why| system_error(opening.path, "write it anew", why))?;
    }
    let (requests, left_out) = (log.requests.len() as u64, log.left_out);
    let storage = finish(ssd, moved.blank, log, target.storage, (header, opening))?;
    (target.place)()?;
    Ok(Rewritten {
        storage,
        requests,
        left_out,
    })
}

/// Makes an image of slots that lie in their places: one whose power went behind the last request of its journal. Gives what
/// it lies on, when all of it is there.
fn finish(
    mut ssd: Box<Ssd>,
    blank: Blank,
    log: Log,
    storage: Box<dyn Storage>,
    (header, opening): (&Header, &Opening<'_>),
) -> Result<Box<dyn Storage>, ImageError> {
    let unwritable = |why| system_error(opening.path, "write it anew", why);
    let mut store = byte_store(&ssd, storage, opening.options(log.meta.on_kill));
    store.set_blank(blank);
    store.lose(log.meta.lost.clone());
    store.go_on(log.end(), log.buffered.clone());
    if !log.buffered.is_empty() {
        // They wait until somebody switches the drive on.
        store.begin_restoring();
    }
    if let Some(totals) = log.totals {
        ssd.set_totals(totals);
    }
    let flash = Flash::new(ssd, store);
    let mut made = DataDrive::around(opening.path, opening.drive, Box::new(flash));
    made.max_sectors = log.meta.max_sectors;
    made.image = Some(log.into_image_state());
    header.write(made.body.storage()).map_err(unwritable)?;
    made.checkpoint()?;
    made.body.storage().sync().map_err(unwritable)?;
    Ok(made.body.replace_storage(Box::new(Memory::default())))
}

/// Writes a slot to its place, unless it lies there.
fn put(storage: &mut dyn Storage, at: u64, slot: &[u8]) -> io::Result<()> {
    let mut lies = vec![0; slot.len()];
    storage.read_at(at, &mut lies)?;
    match lies == slot {
        true => Ok(()),
        false => storage.write_at(at, slot),
    }
}

/// The drive as its checkpoint has it.
struct StartState {
    /// Places where data lie that several slots have, and where these lie in the file now.
    shared: BTreeMap<u32, u32>,
    blank: Blank,
    sequence: u64,
}

impl StartState {
    fn of(ssd: &Ssd, pages: &Pages, log: &Log) -> StartState {
        let shared = pages.shared.iter();
        let shared = shared.filter_map(|(identity, lies)| {
            let place = ssd.layer().known(*identity)?;
            Some((place.0, *lies))
        });
        StartState {
            shared: shared.collect(),
            blank: log.blank.clone(),
            sequence: log.meta.sequence,
        }
    }
}

/// Source of the data at a place of the drive under replay.
#[derive(Debug, Clone, Copy)]
enum DataSource {
    /// The data that a place held when the checkpoint was written.
    From(u32),
    Write(Written),
}

/// Follows the data of a drive that is asked anew.
#[derive(Debug, Default)]
struct Relocations {
    /// Places that hold other data than at the checkpoint.
    places: BTreeMap<u32, DataSource>,
    blank: Blank,
    /// The request that is asked.
    write: Option<Written>,
    refuses: bool,
}

impl Relocations {
    /// Asks a drive as its checkpoint has it what the log says; nothing, if it does not take that.
    fn ask(ssd: &mut Ssd, log: &Log) -> Option<Relocations> {
        ssd.carry(Box::new(Relocations {
            blank: log.blank.clone(),
            ..Relocations::default()
        }));
        for request in log.requests.iter().filter(|request| request.taken) {
            let moved = ssd.store_mut::<Relocations>().expect("it carries that");
            moved.write = request.write();
            ssd.replay(&[request.input]);
        }
        let moved = ssd.store_mut::<Relocations>().map(std::mem::take);
        moved.filter(|moved| !moved.refuses)
    }

    fn lies_at(&self, place: u32) -> DataSource {
        let lies = self.places.get(&place).copied();
        lies.unwrap_or(DataSource::From(place))
    }
}

impl PageStore for Relocations {
    fn prepare(
        &mut self,
        _: Lpn,
        extent: Extent,
        stated: Content,
        _: &dyn TranslationLayer,
    ) -> Result<(Extent, Content), StoreFailed> {
        Ok((extent, stated))
    }

    fn follow(
        &mut self,
        input: LayerInput,
        taken: bool,
        _: &dyn TranslationLayer,
        moves: &[DataMove],
    ) {
        self.refuses |= matches!(input, LayerInput::Write(_)) && !taken;
        for step in moves {
            self.blank.follow(step);
            match *step {
                DataMove::Write { to, .. } => {
                    let write = self.write.expect("a write was asked");
                    self.places.insert(to.0, DataSource::Write(write));
                }
                DataMove::Copy { from, to } => {
                    let lies = self.lies_at(from.0);
                    self.places.insert(to.0, lies);
                }
                DataMove::Erase { .. } => {}
            }
        }
    }

    /// It lives no longer than a conversion.
    fn copy(&self) -> Option<Box<dyn PageStore>> {
        None
    }
}

/// Sources of the slots of the new image.
struct Sources<'a> {
    begin: StartState,
    pages: &'a Pages,
    log: &'a Log,
    storage: &'a dyn Storage,
    regions: Regions,
    slot_bytes: usize,
}

impl Sources<'_> {
    /// The slot that is to lie at a place, sealed for that; nothing, if its page cannot be found.
    fn slot(&self, lpn: Lpn, place: Ppa, moved: &Relocations) -> io::Result<Option<Vec<u8>>> {
        let from = match moved.lies_at(place.0) {
            DataSource::Write(write) => match self.log.slot_of(write) {
                Some(slot) => {
                    let mut slot = slot.to_vec();
                    slot::seal(&mut slot, place.0);
                    return Ok(Some(slot));
                }
                None => self.pages.at(write),
            },
            DataSource::From(before) => match self.begin.shared.get(&before) {
                Some(shared) => Some(*shared),
                None => match self.pages.before(lpn, self.begin.sequence, before) {
                    OlderPage::At(from) => Some(from),
                    OlderPage::Nowhere => return Ok(self.zeros(before, place.0)),
                    OlderPage::Unknown => None,
                },
            },
        };
        let Some(from) = from else {
            return Ok(None);
        };
        let mut slot = Vec::new();
        self.regions
            .read_slot(self.storage, from, self.slot_bytes, &mut slot)?;
        slot::seal_moved(&mut slot, from, place.0);
        Ok(Some(slot))
    }

    /// The zeros of a place that was written before the drive had bytes; none if it was not.
    fn zeros(&self, before: u32, place: u32) -> Option<Vec<u8>> {
        let is_blank = self.begin.blank.has(before);
        if is_blank && before == place {
            return Some(vec![0; OOB_BYTES]);
        }
        (is_blank || self.pages.has_old_zeros).then(|| {
            let mut zeros = slot::zeros();
            slot::seal(&mut zeros, place);
            zeros
        })
    }
}
