//! A drive that holds bytes, in memory or in a file that survives power cuts.
//!
//! A [`DataDrive`] is a modelled drive whose translation layer moves real bytes: with time or without,
//! what is read is what was written. In a file, what was flushed is there after a cut at any instant,
//! and of everything else each slot is old or new. `docs/decisions/` says how.

mod checkpoint;
mod commits;
mod drive;
mod error;
mod fault;
mod firmware;
mod flat;
mod fsck;
mod header;
mod info;
mod journal;
mod landed;
mod life;
mod made;
mod mark;
mod options;
mod rebuild;
mod record;
mod recovery;
mod regions;
mod slot;
mod storage;
mod store;

pub use commits::Commit;
pub use drive::DataDrive;
pub use error::{ImageError, Wrong};
pub use fault::FlashFault;
pub use fsck::{Damaged, Fsck, accept, fsck};
pub use info::Info;
pub use journal::Hole;
pub use options::{CreateOptions, OpenOptions, Recovery, Survives};
pub use rebuild::{Rebuilt, rebuild};

#[cfg(test)]
mod tests;
