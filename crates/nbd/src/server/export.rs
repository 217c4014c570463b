//! Exports of a server.

use super::Request;
use crate::protocol::constants::{
    NBD_FLAG_CAN_MULTI_CONN, NBD_FLAG_HAS_FLAGS, NBD_FLAG_READ_ONLY, NBD_FLAG_ROTATIONAL,
    NBD_FLAG_SEND_CACHE, NBD_FLAG_SEND_FAST_ZERO, NBD_FLAG_SEND_FLUSH, NBD_FLAG_SEND_FUA,
    NBD_FLAG_SEND_TRIM, NBD_FLAG_SEND_WRITE_ZEROES,
};
use crate::protocol::{BlockSizes, ExportInfo, Extent};
use std::sync::Arc;

/// Features of an export beside its size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features {
    /// True for a rotating medium.
    pub rotational: bool,
    /// True if it takes trims.
    pub trim: bool,
    /// It can tell whether zeroes are faster than a write, and refuses them if asked to when they
    /// are not.
    pub fast_zero: bool,
}

/// A block device as clients see it.
///
/// Several threads call it at once, one for each connection. What is flushed or written with FUA on
/// one connection must be so for all.
pub trait Export: Send + Sync {
    /// Its size, which never changes. A multiple of the smallest block size.
    fn size_bytes(&self) -> u64;

    /// Limits on the sizes of requests, in bytes.
    fn block_sizes(&self) -> BlockSizes {
        BlockSizes::default()
    }

    /// Features that clients learn of in the negotiation, as flags of the transmission.
    fn features(&self) -> Features;

    /// A line for people.
    fn description(&self) -> String;

    /// Takes a request, and has it completed: at once, or later from any thread, and in any order. The request
    /// was checked: it lies within the export, and on block boundaries. The call must not wait, since the
    /// connection's other requests wait for it to return.
    fn submit(&self, request: Request);

    /// Says what is stored from `offset_bytes` on, until `extents` takes no more.
    fn block_status(&self, offset_bytes: u64, extents: &mut Extents);
}

/// An export, the name clients ask for it by, and whether they may write.
#[derive(Clone)]
pub struct NamedExport {
    /// Its name. The first export of a server is also the one without a name.
    pub name: String,
    /// True if writes are refused.
    pub read_only: bool,
    /// The device behind the export.
    pub export: Arc<dyn Export>,
}

impl NamedExport {
    /// Description for clients in the negotiation.
    pub(super) fn info(&self) -> ExportInfo {
        let features = self.export.features();
        let mut flags = NBD_FLAG_HAS_FLAGS
            | NBD_FLAG_SEND_FLUSH
            | NBD_FLAG_SEND_FUA
            | NBD_FLAG_SEND_WRITE_ZEROES
            | NBD_FLAG_SEND_CACHE
            | NBD_FLAG_CAN_MULTI_CONN;
        for (is_so, flag) in [
            (self.read_only, NBD_FLAG_READ_ONLY),
            (features.rotational, NBD_FLAG_ROTATIONAL),
            (features.trim, NBD_FLAG_SEND_TRIM),
            (features.fast_zero, NBD_FLAG_SEND_FAST_ZERO),
        ] {
            if is_so {
                flags |= flag;
            }
        }
        ExportInfo {
            name: self.name.clone(),
            description: self.export.description(),
            size_bytes: self.export.size_bytes(),
            flags,
            block_sizes: self.export.block_sizes(),
        }
    }
}

/// Collects what is stored where. Neighbours of the same kind become one extent.
#[derive(Debug)]
pub struct Extents {
    list: Vec<Extent>,
    count_max: usize,
    left_bytes: u32,
}

impl Extents {
    /// The most extents of one answer; a client asks again for what is not covered.
    const COUNT_MAX: usize = 1024;

    pub(super) fn new(length_bytes: u32, one: bool) -> Extents {
        Extents {
            list: Vec::new(),
            count_max: if one { 1 } else { Self::COUNT_MAX },
            left_bytes: length_bytes,
        }
    }

    /// Bytes that still can be said something of; zero ends the question.
    #[must_use]
    pub fn left_bytes(&self) -> u32 {
        self.left_bytes
    }

    /// Adds a run of bytes that follows those before; what is too much of it is left out. `flags` are
    /// `NBD_STATE_HOLE` and `NBD_STATE_ZERO`.
    pub fn push(&mut self, length_bytes: u64, flags: u32) {
        let length = u32::try_from(length_bytes)
            .unwrap_or(u32::MAX)
            .min(self.left_bytes);
        if length == 0 {
            return;
        }
        let is_full = self.list.len() == self.count_max;
        match self.list.last_mut() {
            Some(last) if last.flags == flags => last.length_bytes += length,
            _ if is_full => {
                self.left_bytes = 0;
                return;
            }
            _ => self.list.push(Extent {
                length_bytes: length,
                flags,
            }),
        }
        self.left_bytes -= length;
    }

    pub(super) fn into_list(self) -> Vec<Extent> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_merge_and_stop_at_what_was_asked_for() {
        let mut extents = Extents::new(10_000, false);
        for (length, flags) in [(4096, 0), (1000, 0), (2000, 3), (1 << 40, 0), (5, 3)] {
            extents.push(length, flags);
        }
        assert_eq!(extents.left_bytes(), 0);
        let list: Vec<_> = extents
            .into_list()
            .iter()
            .map(|e| (e.length_bytes, e.flags))
            .collect();
        assert_eq!(list, [(5096, 0), (2000, 3), (2904, 0)]);
    }

    #[test]
    fn one_extent_is_one_extent() {
        let mut extents = Extents::new(10_000, true);
        extents.push(512, 0);
        extents.push(512, 0);
        extents.push(512, 3);
        assert_eq!(extents.left_bytes(), 0);
        let first = Extent {
            length_bytes: 1024,
            flags: 0,
        };
        assert_eq!(extents.into_list(), [first]);
    }
}
