//! A drive that holds bytes, in memory or in a file that survives power cuts.
//!
//! A [`DataDrive`] is a modelled drive whose translation layer moves real bytes: with time or without,
//! what is read is what was written. In a file, what was flushed is there after a cut at any instant,
//! and of everything else each slot is old or new. `docs/decisions/` says how.
//!
//! # The path of a write
//!
//! Methods of `DataDrive` are in `drive/`; of either kind of drive, in `body/`. What has no line here is as in the path of a
//! host write.
//!
//! ```text
//! DataDrive::submit       ByteStore::give             its bytes wait under the command's id
//! Ssd::admit              PageStore::admit            image/store/: the part is in the buffer, over what waits of its slot;
//!                                                     with capacitors, a record with the data
//! Ssd::drain              Mapped::write               drive/ssd/mapped.rs
//!   PageStore::prepare    store/prepared.rs           the rest of the slot is read, or lost; compressed, and compared where it may be stored once
//!   TranslationLayer::write                           with what the bytes look like; says how data move
//!                         Account::follow             cut/volatile.rs: where the slot lay before, which a power cut may bring back
//!   PageStore::follow     Pending::carry_out          store/pending.rs: the slot to its place, copies; with --sync, landed.rs notes them
//!                         Pending::mark               before an erase: the record, how many moves are made, and a mark
//!                         Journal::note_input         journal/: data are there, so the record may be
//! DataDrive::advance      Journal::commit             one write for all records, before anybody hears of a completion
//!                         DataDrive::begin_commit     drive/committing.rs: with --sync, at a flush; storage/syncer.rs waits for the disk beside
//!                         Journal::mark               after a flush: how far the journal goes for sure, mark.rs
//!                         DataDrive::checkpoint       every four million requests, checkpoint.rs
//! DataDrive::read         ByteStore::read             what waits in the buffer over what lies at TranslationLayer::lookup
//! DataDrive::open         recovery/                   checkpoint, then Ssd::replay of the journal, without a last batch whose data
//!                                                     are not there (landed.rs); what was cut off behind an
//!                                                     erase is made again; a new checkpoint
//! ```
//!
//! `fsck` opens an image over memory that takes what recovery writes (`fsck.rs`); `accept` there opens it in spite of a hole, and
//! `rebuild.rs` makes a new image of what pages say.
//!
//! `DataDrive::begin_crash_log` has a drive at work say what it is written and when that is safe, and `CrashLog` draws from that what a power
//! cut at any instant could have left (`crash/`).
//!
//! An image that an earlier version wrote is converted when it is opened (`convert/`), and `tests/formats` keeps some of each.
//!
//! Disks and RAM disks hold their bytes by sector with two checksums each (`flat.rs`), with neither journal nor map. `apply` goes the same way
//! without the buffer.
//!
//! An image may lie on another one, which is only read (`base/`, `storage/layer.rs`): what changes is above, `reset.rs` goes back, `snapshot.rs` keeps where to, and
//! `pack.rs` makes one dense file of all of it. A drive that was used before it had bytes has blank blocks (`blank.rs`).
//!
//! An end out of order is a power cut of the drive, unless the image forgives (`OnKill`): recovery draws what became of
//! each slot of a volatile buffer (`crates/cut`), and hands what is old to the layer again (`store/cut_result.rs`, decision 0015).
//!
//! # Invariants
//!
//! - **A cut leaves a drive.** Whatever instant a process with an image ends at, opening the image gives
//!   everything that was flushed, and of each other slot what it held or was to hold. It rests on three rules: data are written before
//!   the record that names them; before an erase the record and the moves made are written; a completion is reported when its
//!   record is written. `crates/image/src/tests/cuts.rs` cuts every mapping scheme off after, and in the middle of, every operation on
//!   its file, and operations of each recovery in turn: every one with `make soak` (decision 0012).
//! - **A cut takes what is volatile, and nothing else.** What was flushed, programmed, or acknowledged by a drive with
//!   capacitors stays in every mode. `crates/image/src/tests/volatile.rs`.
//! - **No byte is read that was not written there.** A slot carries its LPN and a checksum, sealed for its place;
//!   what does not fit is an error of the read (`ImageError::Damaged`), never data.
//! - **A base never changes.** It is opened to be read, and what was made on it is refused when it is another: a base whose
//!   fingerprint differs is never served (decision 0017). `crates/image/src/tests/on_base.rs` and `reset.rs`.
//! - **Damage is reported.** Whatever part of an image is damaged, opening it is refused, or reading is an error,
//!   or what is read is what was flushed. It rests on seals that name what came before, and on marks in a second place
//!   that say how far the image had come. `crates/image/src/tests/mutations.rs` damages images of four kinds of drive at random
//!   (decision 0012).

mod backing;
mod base;
mod blank;
mod body;
mod buffered;
mod checkpoint;
mod commits;
mod convert;
mod crash;
mod drive;
mod error;
mod fault;
mod file;
mod firmware;
mod flat;
mod framed;
mod fsck;
mod header;
mod journal;
mod landed;
mod made;
mod mark;
mod meta;
mod new;
mod open;
mod options;
mod pack;
mod pages;
mod rebuild;
mod record;
mod recovery;
mod regions;
mod reset;
mod size;
mod slot;
mod snapshot;
mod snapshots;
mod storage;
mod store;
mod store_options;
mod tracker;
mod under_way;

pub use body::check::Damaged;
pub use commits::Commit;
pub use crash::{
    CrashHeader, CrashLog, CrashLogError, CrashLogSummary, CrashReplay, CrashState, LostSlot,
    WriteInfo,
};
pub use drive::{BaseInfo, DataDrive, Info};
pub use error::{ImageError, Wrong, rebuild_command};
pub use fault::FlashFault;
pub use fsck::{Fsck, accept, fsck};
pub use ftlab_cut::{CutReport, Fate, PowerCut};
pub use journal::Hole;
pub use options::{CreateOptions, OnKill, OpenOptions, Recovery, Survives};
pub use pack::{PackedImage, UnpackError, pack, unpack};
pub use rebuild::{Rebuilt, rebuild};
pub use reset::reset_image;
pub use snapshots::{Snapshot, remove_snapshot, snapshots};

#[cfg(test)]
mod tests;
