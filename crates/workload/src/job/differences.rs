//! Jobs of which fio makes other requests than ftlab does, or of whose requests it says otherwise, and the reasons.

use super::distribution::Distribution;
use super::pattern::PatternKind;
use super::spec::JobSpec;
use ftlab_base::CommandKind;

/// Jobs of which fio does otherwise. A test runs fio 3.33 beside ftlab on drawn jobs; one that no difference covers must give the
/// same requests and the same counts in both.
pub struct Difference {
    /// The jobs, in words.
    pub jobs: &'static str,
    /// Treatment of these jobs by fio.
    pub fio: &'static str,
    is_of: Is,
}

/// Sign of a difference.
enum Is {
    /// These jobs make other requests.
    Of(fn(&JobSpec) -> bool),
    /// Of these, what fio's JSON says differs.
    Said(fn(&JobSpec) -> bool),
    /// ftlab refuses them with an error that has these words.
    Refused(&'static str),
}

impl Difference {
    /// Returns true if a job that runs is one of them.
    #[must_use]
    pub fn covers(&self, job: &JobSpec) -> bool {
        matches!(self.is_of, Is::Of(covers) | Is::Said(covers) if covers(job))
    }

    /// Returns true if the difference shows in the requests to the drive, not in fio's JSON alone.
    #[must_use]
    pub fn is_of_requests(&self) -> bool {
        !matches!(self.is_of, Is::Said(_))
    }

    /// Returns true if an error refuses a job that is one of them.
    #[must_use]
    pub fn refuses(&self, error: &str) -> bool {
        matches!(self.is_of, Is::Refused(words) if error.contains(words))
    }
}

const fn of(jobs: &'static str, fio: &'static str, covers: fn(&JobSpec) -> bool) -> Difference {
    Difference {
        jobs,
        fio,
        is_of: Is::Of(covers),
    }
}

const fn said(jobs: &'static str, fio: &'static str, covers: fn(&JobSpec) -> bool) -> Difference {
    Difference {
        jobs,
        fio,
        is_of: Is::Said(covers),
    }
}

const fn refused(jobs: &'static str, fio: &'static str, words: &'static str) -> Difference {
    Difference {
        jobs,
        fio,
        is_of: Is::Refused(words),
    }
}

/// All differences that are known.
pub static DIFFERENCES: &[Difference] = &[
    of(
        "jobs with an `iodepth` above 1 and no `ioengine`",
        "its own engine, psync, has one request outstanding; with `ioengine=libaio` or io_uring it has as many as here",
        |job| {
            job.submission.iodepth > 1
                && !job.submission.is_synchronous
                && !job.submission.times_submissions
        },
    ),
    of(
        "random jobs with different sizes for reads, writes and trims (`bs=8k,4k`), without `norandommap`",
        "fio looks places of blocks of each size up in one map of the smallest, and ends when that is full",
        |job| {
            let differ =
                job.sizes.bs.read != job.sizes.bs.write || job.sizes.bs.read != job.sizes.bs.trim;
            job.pattern.random && differ && !job.pattern.norandommap
        },
    ),
    of(
        "`random_generator=lfsr` with `norandommap` and different sizes for reads, writes and trims",
        "fio's register counts blocks of the smallest: it draws places beyond the device, and ends with the first",
        |job| {
            let differ =
                job.sizes.bs.read != job.sizes.bs.write || job.sizes.bs.read != job.sizes.bs.trim;
            job.pattern.random && job.pattern.lfsr && job.pattern.norandommap && differ
        },
    ),
    of(
        "zones of `random_distribution` in zones (`zonemode=strided`)",
        "fio draws from the zones of the whole size in each, and ends with the first place beyond the device",
        |job| job.pattern.random && is_zoned(job) && job.strides().is_some(),
    ),
    of(
        "`rw=trimwrite` with sizes that differ (`bsrange`, `bssplit`) in zones",
        "fio goes on writing where it trims no more",
        |job| is_pairs(job) && job.strides().is_some() && !job.has_one_size(CommandKind::Trim),
    ),
    of(
        "`rw=randtrimwrite` whose region does not begin with the device, or in zones",
        "fio writes as far behind the trimmed block as the region or the zone begins, and trims no other",
        |job| {
            let begins_later = job.may_begin_later() || job.strides().is_some();
            is_pairs(job) && job.pattern.random && begins_later
        },
    ),
    of(
        "`rw=trimwrite` and `rw=randtrimwrite` with `number_ios` and `loops`",
        "fio doubles the number at each pass",
        |job| is_pairs(job) && job.length.number_ios.is_some() && job.length.loops > 1,
    ),
    of(
        "`random_generator=lfsr` with zones of `random_distribution`",
        "fio's register knows of no zones: it draws places beyond the device, and ends with the first",
        |job| job.pattern.random && job.pattern.lfsr && is_zoned(job),
    ),
    said(
        "jobs that only read, with `verify` and `continue_on_error`",
        "fio counts what it cannot verify; a modelled drive has nothing that is not its own",
        |job| {
            job.kinds() == [CommandKind::Read]
                && job.checks.is_on
                && job.ends.continue_on_error.read
        },
    ),
    of(
        "`verify` of writes that come to a block again: random ones in zones (`zonemode=strided`) or in runs \
         (`rw=randwrite:3`), and those of a mix with strides, zones or a skewed law",
        "fio looks for what it wrote there first, and fails",
        |job| {
            let is_mix = job.pattern.kind == PatternKind::ReadWrite;
            let is_skewed = is_mix && job.pattern.random_distribution.is_skewed();
            let again = job.strides().is_some()
                || job.pattern.stride_bytes != 0
                || job.pattern.random_run > 1
                || is_skewed;
            let writes = job.kinds().contains(&CommandKind::Write);
            job.checks.is_on && writes && again && (job.pattern.random || is_mix)
        },
    ),
    said(
        "`verify_only` of a job that writes",
        "fio counts the writes that it does not make",
        |job| job.checks.is_on && job.checks.only && job.kinds().contains(&CommandKind::Write),
    ),
    said(
        "`fdatasync`",
        "fio 3.33 counts its calls among the short reads of its JSON",
        |job| job.flushes.fdatasync > 0,
    ),
    of(
        "`ioengine=vsync` with `iodepth`",
        "fio makes one call of requests that follow one another, and counts the last alone",
        |job| job.submission.is_vsync,
    ),
    of(
        "`ramp_time` with `thinktime`",
        "fio makes up at the end of the ramp for the requests that it paused for",
        |job| job.length.ramp_time.0 > 0 && job.pace.thinktime.0 > 0,
    ),
    refused(
        "strides (`rw=read:8000`) of no whole sectors",
        "fio makes them through the page cache",
        "the bytes between two requests, a multiple of 512",
    ),
    refused(
        "`rw=trimwrite` and `rw=randtrimwrite` with different sizes for writes and trims",
        "fio draws both by themselves",
        "the blocks trimmed are those written",
    ),
    refused(
        "trims, or `verify`, of requests of no whole sectors",
        "fio makes them through the page cache",
        "go through pages in memory, which is modelled for reads, writes and flushes",
    ),
    refused(
        "`offset` and `offset_increment` of no whole sectors, where requests are",
        "fio makes them through the page cache",
        "must be a multiple of 512 bytes",
    ),
    refused(
        "`serialize_overlap` where requests to the same places may be outstanding at once",
        "fio holds a request back until none overlaps it",
        "requests to the same places may be outstanding at once",
    ),
    refused(
        "an `offset` that leaves nothing of the device or of `filesize`",
        "fio makes no request; ftlab says why there is none to make",
        "lies beyond the",
    ),
];

/// Returns true if each block is trimmed and then written.
fn is_pairs(job: &JobSpec) -> bool {
    job.pattern.kind == PatternKind::TrimWrite && job.pattern.rwmixtrim.is_none()
}

/// Returns true if places are drawn from zones that have shares of them.
fn is_zoned(job: &JobSpec) -> bool {
    matches!(
        job.pattern.random_distribution,
        Distribution::Zoned(_) | Distribution::ZonedAbs(_)
    )
}

/// Sentences that hold of every job, for the page.
pub const OF_EVERY_JOB: &[&str] = &[
    "Requests of whole sectors go to the drive whatever `direct` says; fio without it measures the host's page cache.",
    "Of requests that go through pages in memory, a read brings the pages that it needs and no more; Linux reads ahead, 128 KiB by default.",
    "What is outstanding when a job's time is over is waited for and not counted; fio counts it and lengthens the time.",
    "Random places, sizes by shares and the directions of a mix follow the same laws from other random numbers.",
    "Calls of `sync_file_range` are not counted; fio counts them among flushes, though nothing reaches a drive.",
    "A drive without data has nothing to compare: `verify` of a job that only reads finds no fault.",
    "A submission takes no time: `slat` is zero, and requests of a batch (`iodepth_batch`) are each counted at their own depth.",
];
