//! Options that are each valid and yet do not go together.

use super::distribution::Distribution;
use super::logs::Log;
use super::pattern::PatternKind;
use super::sizes::PerKind;
use super::spec::JobSpec;
use crate::units::Size;
use ftlab_base::{CommandKind, Nanos, SECTOR_BYTES};

/// Keys that do not go together, and the one whose line to point at.
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
        two_rates,
        rates_below_their_least,
        zones_without_a_size,
        zones_beyond_the_region,
        zones_of_no_common_block,
        trim_share,
        trim_pairs,
        replay_of_a_part,
        files_that_are_shut,
        overlaps,
        logs_of_another_shape,
        times_that_are_left_out,
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
        .map(|&kind| job.sizes.bs_max.of(kind))
        .max()
        .unwrap_or(SECTOR_BYTES)
}

fn block_sizes(job: &JobSpec) -> Option<Fault> {
    let whole = |bytes: u64| (1..=u64::from(u32::MAX)).contains(&bytes);
    let fits = |kind: &CommandKind| {
        whole(job.sizes.bs.of(*kind)) && job.sizes.blockalign.of(*kind).is_none_or(whole)
    };
    let bs = job.sizes.bs.of(job.kinds()[0]);
    fault_if(!job.kinds().iter().all(fits), "bs", || "bs and blockalign must be from 1 byte to 4g".into())
        .or_else(|| {
            fault_if(job.is_paged() && job.submission.direct == Some(true), "bs", || {
                format!(
                    "direct=1: a drive takes whole sectors of {SECTOR_BYTES} bytes; give bs={} or a multiple, or leave direct \
                     out, and the requests go through pages of 4 KiB in memory",
                    bs.next_multiple_of(SECTOR_BYTES)
                )
            })
        })
        .or_else(|| {
            let trims = job.kinds().contains(&CommandKind::Trim);
            fault_if(job.is_paged() && (trims || job.checks.is_on), "bs", || {
                format!(
                    "requests of {bs} bytes go through pages in memory, which is modelled for reads, writes and flushes; give \
                     trims and verify a bs of whole sectors of {SECTOR_BYTES} bytes"
                )
            })
        })
}

fn size_below_block(job: &JobSpec) -> Option<Fault> {
    let Some(Size::Bytes(size)) = job.region.size else {
        return None;
    };
    let block = block_bytes_max(job);
    fault_if(size < block, "size", || {
        format!("size={size} is smaller than one block; it must be at least bs, {block} bytes")
    })
}

fn unaligned_offset(job: &JobSpec) -> Option<Fault> {
    unaligned(job, "offset", job.region.offset)
}

fn unaligned_increment(job: &JobSpec) -> Option<Fault> {
    unaligned(job, "offset_increment", job.region.offset_increment)
}

fn unaligned(job: &JobSpec, key: &'static str, place: Size) -> Option<Fault> {
    let Size::Bytes(bytes) = place else {
        return None;
    };
    if job.is_paged() {
        return None;
    }
    fault_if(!bytes.is_multiple_of(SECTOR_BYTES), key, || {
        format!("{key}={bytes} must be a multiple of {SECTOR_BYTES} bytes")
    })
}

fn no_depth(job: &JobSpec) -> Option<Fault> {
    fault_if(
        job.submission.iodepth == 0 || job.length.loops == 0,
        "iodepth",
        || "iodepth and loops must be at least 1".into(),
    )
}

fn two_rates(job: &JobSpec) -> Option<Fault> {
    let any = |rates: super::PerKind<Option<u64>>| {
        job.kinds().iter().any(|&kind| rates.of(kind).is_some())
    };
    fault_if(
        any(job.pace.rate) && any(job.pace.rate_iops),
        "rate_iops",
        || "rate and rate_iops exclude each other; leave one out".into(),
    )
    .or_else(|| {
        fault_if(
            any(job.ends.rate_min) && any(job.ends.rate_iops_min),
            "rate_iops_min",
            || "rate_min and rate_iops_min exclude each other; leave one out".into(),
        )
    })
}

fn rates_below_their_least(job: &JobSpec) -> Option<Fault> {
    let below = |rate: super::PerKind<Option<u64>>, least: super::PerKind<Option<u64>>| {
        let is_below = |&kind: &CommandKind| {
            let ends = rate.of(kind).zip(least.of(kind));
            ends.is_some_and(|(rate, least)| rate < least)
        };
        job.kinds().iter().any(is_below)
    };
    let bytes = below(job.pace.rate, job.ends.rate_min);
    let ios = below(job.pace.rate_iops, job.ends.rate_iops_min);
    fault_if(
        bytes || ios,
        if bytes { "rate_min" } else { "rate_iops_min" },
        || "the least rate is above the rate that the job is held to; lower it".into(),
    )
}

fn zones_without_a_size(job: &JobSpec) -> Option<Fault> {
    let missing = job.pattern.zonemode_strided == Some(true) && job.pattern.zones.size == 0;
    fault_if(missing, "zonemode", || {
        "zonemode=strided needs zonesize, the bytes that are moved in a zone".into()
    })
    .or_else(|| {
        let off = job.pattern.zonemode_strided == Some(false) && job.pattern.zones.size > 0;
        fault_if(off, "zonesize", || {
            "zonemode=none and zonesize exclude each other; leave one out".into()
        })
    })
    .or_else(|| {
        let small = |zones: super::Strides| zones.range < block_bytes_max(job);
        fault_if(job.strides().is_some_and(small), "zonesize", || {
            format!("a zone must hold a block of {} bytes", block_bytes_max(job))
        })
    })
}

/// Zones in bytes that the size of the job does not hold.
fn zones_beyond_the_region(job: &JobSpec) -> Option<Fault> {
    let (Distribution::ZonedAbs(zones), Some(Size::Bytes(size))) =
        (&job.pattern.random_distribution, job.region.size)
    else {
        return None;
    };
    let end = |kind: &CommandKind| {
        let zones = zones.get(*kind).iter();
        zones.fold(0_u64, |end, zone| end.saturating_add(zone.bytes))
    };
    let end = job.kinds().iter().map(end).max().unwrap_or(0);
    fault_if(end > size, "random_distribution", || {
        format!(
            "the zones of zoned_abs end at {end} bytes and the job has size={size}; give it more, or them less"
        )
    })
}

/// Shuffled zones are sets of blocks, which reads and writes share: those of the one lie whole in those of the other.
fn zones_of_no_common_block(job: &JobSpec) -> Option<Fault> {
    let is_zoned = !job.pattern.random_distribution.is_skewed();
    let aligned = |&kind: &CommandKind| job.align_bytes(kind);
    let largest = job.kinds().iter().map(aligned).max()?;
    let mut aligned = job.kinds().iter().map(aligned);
    let odd = aligned.find(|&bytes| bytes == 0 || !largest.is_multiple_of(bytes))?;
    fault_if(is_zoned && job.shuffled().is_some(), "shuffle", || {
        format!(
            "shuffled zones are sets of blocks, and blocks of {odd} bytes do not divide those of {largest}; give bs or \
             blockalign sizes that do, or leave shuffle out"
        )
    })
}

fn trim_share(job: &JobSpec) -> Option<Fault> {
    job.pattern.rwmixtrim?;
    let randtrimwrite = job.pattern.kind == PatternKind::TrimWrite && job.pattern.random;
    let own_grid = |align: Option<u64>| align.is_none_or(|bytes| bytes == job.sizes.bs.write);
    let one_size = job.has_one_size(CommandKind::Write);
    let one_grid =
        one_size && own_grid(job.sizes.blockalign.write) && own_grid(job.sizes.blockalign.trim);
    fault_if(!randtrimwrite, "rwmixtrim", || {
        "rwmixtrim needs rw=randtrimwrite".into()
    })
    .or_else(|| {
        fault_if(!one_grid, "blockalign", || {
            "rwmixtrim trims whole blocks; leave blockalign out".into()
        })
    })
    .or_else(|| {
        fault_if(job.pattern.rwmixtrim > Some(49), "rwmixtrim", || {
            "rwmixtrim must be at most 49, or every block ends up trimmed".into()
        })
    })
}

fn trim_pairs(job: &JobSpec) -> Option<Fault> {
    let differ = job.pattern.kind == PatternKind::TrimWrite
        && [job.sizes.bs.trim, job.sizes.bs_max.trim]
            != [job.sizes.bs.write, job.sizes.bs_max.write];
    fault_if(differ, "bs", || {
        "the blocks trimmed are those written; give bs one size for writes and trims".into()
    })
}

/// Refuses files of which not all are open: the turns of files would depend on which are.
fn files_that_are_shut(job: &JobSpec) -> Option<Fault> {
    let shut = job.files.nrfiles > 1
        && job
            .files
            .openfiles
            .is_some_and(|open| open < job.files.nrfiles);
    fault_if(shut, "openfiles", || {
        format!(
            "openfiles must be nrfiles, {}: all files have their turn",
            job.files.nrfiles
        )
    })
}

fn overlaps(job: &JobSpec) -> Option<Fault> {
    let once = !job.pattern.random
        || !job.pattern.norandommap && job.pattern.random_distribution == Distribution::Random;
    let may = job.submission.serialize_overlap && job.submission.iodepth > 1 && !once;
    fault_if(may, "serialize_overlap", || {
        "requests to the same places may be outstanding at once; leave serialize_overlap out, or norandommap and \
         random_distribution"
            .into()
    })
}

/// A trace is replayed once and whole: what would repeat it or end it says so elsewhere. Of a job's words on pace, checks and
/// data a replay does none, and what it cannot do it must not swallow.
fn replay_of_a_part(job: &JobSpec) -> Option<Fault> {
    job.replay.file.as_ref()?;
    let once =
        "a trace is replayed once, as far as it goes; choose a part of the trace with --window";
    let paced = "requests come at the trace's times, or iodepth at a time; say how fast with replay_time_scale or --pace";
    let watched = "nothing ends a replay before its trace ends; look at the results, or require them with --require";
    let as_is = "requests are what the trace says, and nothing is added to them";
    let data = "data are alike where the trace says so, and else nothing compresses";
    // Each of these would change the requests of the trace, and the results would no longer be the trace's.
    let given = [
        ("runtime", job.length.runtime.is_some(), once),
        ("number_ios", job.length.number_ios.is_some(), once),
        ("io_size", job.length.io_size.is_some(), once),
        ("loops", job.length.loops > 1, once),
        ("numjobs", job.clones.numjobs > 1, once),
        ("ramp_time", job.length.ramp_time > Nanos::ZERO, once),
        ("rate", job.pace.rate != PerKind::default(), paced),
        ("rate_iops", job.pace.rate_iops != PerKind::default(), paced),
        ("startdelay", job.order.startdelay > Nanos::ZERO, paced),
        ("thinktime", job.pace.thinktime > Nanos::ZERO, paced),
        ("flow", job.order.flow > 0, paced),
        ("rate_min", job.ends.rate_min != PerKind::default(), watched),
        (
            "rate_iops_min",
            job.ends.rate_iops_min != PerKind::default(),
            watched,
        ),
        ("latency_target", job.ends.latency.target.is_some(), watched),
        ("max_latency", job.ends.max_latency.is_some(), watched),
        (
            "steadystate",
            job.ends.steadystate.duration > Nanos::ZERO,
            watched,
        ),
        ("verify", job.checks.is_on, as_is),
        ("sync", job.flushes.sync, as_is),
        ("end_fsync", job.flushes.end_fsync, as_is),
        ("fsync_on_close", job.flushes.fsync_on_close, as_is),
        (
            "buffer_compress_percentage",
            job.data.compressible_percent() > 0,
            data,
        ),
        ("dedupe_percentage", job.data.dedupe_percent > 0, data),
    ];
    let (key, _, why) = given.into_iter().find(|(_, is_given, _)| *is_given)?;
    Some(Fault {
        key,
        why: format!("{key} and read_iolog do not go together: {why}; leave {key} out"),
    })
}

fn logs_of_another_shape(job: &JobSpec) -> Option<Fault> {
    let key = job.logs.unlike?;
    fault_if(!job.logs.names.is_empty(), key, || {
        format!(
            "with {key} fio's logs have columns, times or a form that ftlab's have not; leave it out"
        )
    })
}

/// Refuses looks at latencies, and logs of them, of a job that keeps none.
fn times_that_are_left_out(job: &JobSpec) -> Option<Fault> {
    let left_out = job.reporting.left_out;
    let looks =
        left_out.lat && (job.ends.max_latency.is_some() || job.ends.latency.target.is_some());
    let key = if job.ends.max_latency.is_some() {
        "max_latency"
    } else {
        "latency_target"
    };
    fault_if(looks, key, || {
        format!("{key} looks at latencies, and gtod_reduce or disable_lat leaves them out; leave one of them out")
    })
    .or_else(|| {
        let log = job.logs.names.keys().next().filter(|_| left_out.any())?;
        let key = match log {
            Log::Bandwidth => "write_bw_log",
            Log::Iops => "write_iops_log",
            Log::Latency => "write_lat_log",
            Log::Histogram => "write_hist_log",
        };
        fault_if(true, key, || {
            format!(
                "fio writes no such log, or parts of it, with gtod_reduce or one of its disable_ words; leave {key} or that \
                 word out"
            )
        })
    })
}
