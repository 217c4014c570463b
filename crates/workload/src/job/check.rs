//! Options that are each valid and yet do not go together.

use super::spec::{JobSpec, PatternKind};
use crate::units::Size;
use ftlab_base::{CommandKind, Nanos, SECTOR_BYTES};

/// What does not go together, and the key whose line to point at.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    pub key: &'static str,
    pub why: String,
}

type Check = fn(&JobSpec) -> Option<Fault>;

/// Looks for the first fault of a job that shows without a device.
pub fn fault(job: &JobSpec) -> Option<Fault> {
    const CHECKS: &[Check] = &[
        block_sizes,
        size_below_block,
        unaligned_offset,
        unaligned_increment,
        no_depth,
        endless,
        two_rates,
        trim_share,
        trim_pairs,
    ];
    CHECKS.iter().find_map(|check| check(job))
}

fn fault_if(wrong: bool, key: &'static str, why: impl FnOnce() -> String) -> Option<Fault> {
    wrong.then(|| Fault { key, why: why() })
}

/// The job's largest request in bytes.
pub fn block_bytes_max(job: &JobSpec) -> u64 {
    job.kinds()
        .iter()
        .map(|&kind| job.bs.of(kind))
        .max()
        .unwrap_or(SECTOR_BYTES)
}

fn block_sizes(job: &JobSpec) -> Option<Fault> {
    let whole = |bytes: u64| {
        bytes > 0
            && bytes.is_multiple_of(SECTOR_BYTES)
            && bytes / SECTOR_BYTES <= u64::from(u32::MAX)
    };
    let fits =
        |kind: &CommandKind| whole(job.bs.of(*kind)) && job.blockalign.of(*kind).is_none_or(whole);
    fault_if(!job.kinds().iter().all(fits), "bs", || {
        format!("bs and blockalign must be multiples of {SECTOR_BYTES} bytes")
    })
}

fn size_below_block(job: &JobSpec) -> Option<Fault> {
    let Some(Size::Bytes(size)) = job.size else {
        return None;
    };
    let block = block_bytes_max(job);
    fault_if(size < block, "size", || {
        format!("size={size} is smaller than one block; it must be at least bs, {block} bytes")
    })
}

fn unaligned_offset(job: &JobSpec) -> Option<Fault> {
    unaligned("offset", job.offset)
}

fn unaligned_increment(job: &JobSpec) -> Option<Fault> {
    unaligned("offset_increment", job.offset_increment)
}

fn unaligned(key: &'static str, place: Size) -> Option<Fault> {
    let Size::Bytes(bytes) = place else {
        return None;
    };
    fault_if(!bytes.is_multiple_of(SECTOR_BYTES), key, || {
        format!("{key}={bytes} must be a multiple of {SECTOR_BYTES} bytes")
    })
}

fn no_depth(job: &JobSpec) -> Option<Fault> {
    fault_if(job.iodepth == 0 || job.loops == 0, "iodepth", || {
        "iodepth and loops must be at least 1".into()
    })
}

fn endless(job: &JobSpec) -> Option<Fault> {
    let unlimited = job.runtime.is_none_or(|span| span == Nanos::ZERO);
    fault_if(job.time_based && unlimited, "time_based", || {
        "time_based without a runtime would never end; add runtime=60".into()
    })
}

fn two_rates(job: &JobSpec) -> Option<Fault> {
    let any = |rates: super::PerKind<Option<u64>>| {
        job.kinds().iter().any(|&kind| rates.of(kind).is_some())
    };
    fault_if(any(job.rate) && any(job.rate_iops), "rate_iops", || {
        "rate and rate_iops exclude each other; leave one out".into()
    })
}

fn trim_share(job: &JobSpec) -> Option<Fault> {
    job.rwmixtrim?;
    let randtrimwrite = job.kind == PatternKind::TrimWrite && job.random;
    let own_grid = |align: Option<u64>| align.is_none_or(|bytes| bytes == job.bs.write);
    let one_grid = own_grid(job.blockalign.write) && own_grid(job.blockalign.trim);
    fault_if(!randtrimwrite, "rwmixtrim", || {
        "rwmixtrim needs rw=randtrimwrite".into()
    })
    .or_else(|| {
        fault_if(!one_grid, "blockalign", || {
            "rwmixtrim trims whole blocks; leave blockalign out".into()
        })
    })
    .or_else(|| {
        fault_if(job.rwmixtrim > Some(49), "rwmixtrim", || {
            "rwmixtrim must be at most 49, or every block ends up trimmed".into()
        })
    })
}

fn trim_pairs(job: &JobSpec) -> Option<Fault> {
    let differ = job.kind == PatternKind::TrimWrite && job.bs.trim != job.bs.write;
    fault_if(differ, "bs", || {
        "the blocks trimmed are those written; give bs one size for writes and trims".into()
    })
}
