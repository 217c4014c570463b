//! A drive as an export of the network block device.

use crate::engine::{Engine, Run};
use ftlab_base::SECTOR_BYTES;
use ftlab_nbd::protocol::constants::{NBD_STATE_HOLE, NBD_STATE_ZERO};
use ftlab_nbd::{BlockSizes, Export, Extents, Features, Request};
use std::sync::Arc;

/// A drive that clients reach over sockets.
pub struct DriveExport {
    engine: Arc<Engine>,
    description: String,
    is_rotational: bool,
}

impl DriveExport {
    /// Offers what an engine drives, with a line for people.
    #[must_use]
    pub fn new(engine: Arc<Engine>, description: String, is_rotational: bool) -> DriveExport {
        DriveExport {
            engine,
            description,
            is_rotational,
        }
    }
}

impl Export for DriveExport {
    fn size_bytes(&self) -> u64 {
        self.engine.size_bytes()
    }

    /// Hosts are asked for whole slots: what is written or trimmed of a slot in part costs a read, or frees
    /// nothing.
    fn block_sizes(&self) -> BlockSizes {
        BlockSizes {
            preferred_bytes: self.engine.slot_bytes(),
            ..BlockSizes::default()
        }
    }

    fn features(&self) -> Features {
        Features {
            rotational: self.is_rotational,
            trim: self.engine.trim_sectors().is_some(),
            fast_zero: true,
        }
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn submit(&self, request: Request) {
        self.engine.submit(request.into());
    }

    fn block_status(&self, offset_bytes: u64, extents: &mut Extents) {
        let mut first = offset_bytes / SECTOR_BYTES;
        let end = first + u64::from(extents.left_bytes()) / SECTOR_BYTES;
        while extents.left_bytes() > 0 && first < end {
            // A drive that has stopped says nothing, which is answered with an error.
            let Ok(runs) = self.engine.runs(first..end) else {
                return;
            };
            for Run { is_mapped, sectors } in runs {
                let flags = match is_mapped {
                    true => 0,
                    false => NBD_STATE_HOLE | NBD_STATE_ZERO,
                };
                extents.push(sectors * SECTOR_BYTES, flags);
                first += sectors;
            }
        }
    }
}
