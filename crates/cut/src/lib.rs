//! What a power cut takes of a drive's volatile buffer, and what it leaves.
//!
//! An [`Account`] follows a drive of flash at work: which slots wait in its buffer, which are being programmed, and where
//! their older versions lie. A [`PowerCut`] draws the [`Fate`] of each of these, and [`Volatile::left_by`] puts together
//! what the layer is to be handed again. A disk's [`CachedWrites`] wait until they are on the platter, and are lost
//! with the power.
//!
//! Images and devices in memory share these rules, so a cut of the same drive with the same seed leaves the same data.

mod account;
mod cached;
mod left;
mod mask;
mod power_cut;
pub mod volatile;

pub use account::{Account, DRAINED_AFTER, Followed};
pub use cached::CachedWrites;
pub use left::{BufferedSlot, CutResult, LostSlot, Versions};
pub use mask::{SectorMask, mask_of, runs};
pub use power_cut::{CutReport, Fate, PowerCut};
pub use volatile::Volatile;
