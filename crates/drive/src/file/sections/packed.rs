//! `[compress]` and `[raise]`: what becomes of data before they are written to flash, and parity over dies.

use super::gc::{CollectionReads, PackedGc};
use crate::file::section::section;
use ftlab_base::{Layout, Nanos, SECTOR_BYTES};
use ftlab_ftl::packed::PackedConfig;
use ftlab_ftl::page::{Greedy, VictimPolicy};
use ftlab_sheet::quantity::{Bytes, Quantity, Rate};

section! {
    "compress" of "packed"
    /// What becomes of data before they are written to flash. A slot takes whole chunks, at least one.
    struct Compress {
        /// What slots are measured in once they are compressed.
        chunk: Quantity<Bytes>,
        /// Rate of the compressor, which every write passes through; no limit if left out.
        rate: Option<Quantity<Rate>>,
        /// Whether data that are known are stored only once.
        dedup: bool,
    }
}

section! {
    "raise" of "packed"
    /// Parity over dies; none without the section.
    struct Raise {
        /// Whether one program unit of every row is parity, which takes one die's share.
        parity: bool,
    }
}

/// A slot is far smaller.
const CHUNK_BYTES_MAX: u64 = 1 << 20;

impl Compress {
    /// Time of a sector of 512 bytes in the compressor.
    pub(in crate::file) fn sector(&self) -> Nanos {
        let rate = self.rate.as_ref();
        rate.map_or(Nanos::ZERO, |rate| rate.time_of(SECTOR_BYTES as f64))
    }

    /// The configuration of a packed layer whose table is in memory and whose blocks last.
    pub(in crate::file) fn config(
        &self,
        gc: &PackedGc,
        parity: bool,
        user_slots: u32,
        policy: Box<dyn VictimPolicy>,
    ) -> Result<PackedConfig, String> {
        let chunk = self.chunk.get();
        if chunk > CHUNK_BYTES_MAX {
            return Err(format!("compress.chunk: {chunk} bytes; at most 1 MiB"));
        }
        Ok(PackedConfig {
            user_slots,
            chunk_bytes: chunk as u32,
            dedup: self.dedup,
            raise: parity,
            reads_whole: gc.reads == Some(CollectionReads::All),
            early_valid: gc.early_valid.as_ref().map(|share| share.base),
            reserve_superblocks: gc.reserve.get(),
            policy,
            table: None,
            reliability: None,
        })
    }

    /// Slots of incompressible data that a packed layer holds beside what collection needs.
    pub(in crate::file) fn usable_slots(
        &self,
        gc: &PackedGc,
        parity: bool,
        layout: &Layout,
    ) -> Result<u32, String> {
        let config = self.config(gc, parity, 1, Box::new(Greedy))?;
        config.check(layout)?;
        Ok(config.slots_max(layout))
    }
}

/// Bytes of slots that may wait for one program unit to fill up, and one slot that does not fit in.
pub(in crate::file) fn least_buffer(layout: &Layout, config: &PackedConfig) -> u64 {
    let slots = u64::from(config.slots_per_unit_max(layout)) + 1;
    slots * u64::from(layout.geometry.slot_bytes)
}
