//! `[checkpoint]`: writing the mapping tables to flash.

use crate::file::section::section;
use ftlab_base::Geometry;
use ftlab_base::amount::grouped;
use ftlab_ftl::page::Checkpoint;
use ftlab_sheet::quantity::{Bytes, Quantity};

section! {
    "checkpoint" of "page"
    /// Writing the mapping tables to flash every so often; never without the section.
    struct CheckpointKeys {
        /// Host data between two checkpoints.
        every: Quantity<Bytes>,
        /// Size of the tables written.
        size: Quantity<Bytes>,
    }
}

impl CheckpointKeys {
    pub(in crate::file) fn checkpoint(&self, geometry: &Geometry) -> Result<Checkpoint, String> {
        let counted = |key: &str, bytes: u64, of: u32| {
            let of = u64::from(of);
            u32::try_from(bytes.div_ceil(of)).map_err(|_| {
                let (bytes, most) = (grouped(bytes), grouped(of * u64::from(u32::MAX)));
                format!("checkpoint.{key}: {bytes} bytes, at most {most}")
            })
        };
        Ok(Checkpoint {
            every_slots: counted("every", self.every.get(), geometry.slot_bytes)?,
            pages: counted("size", self.size.get(), geometry.page_bytes)?,
        })
    }
}
