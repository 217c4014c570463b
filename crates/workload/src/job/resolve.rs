//! A job on a device of a known size.

use super::check;
use super::distribution::Distribution;
use super::error::JobError;
use super::goals::{LatencyTarget, Steady};
use super::sizes::PerKind;
use super::spec::{DataPattern, JobSpec};
use crate::stream::blocks_reached;
use crate::units::Size;
use ftlab_base::{CommandKind, Nanos, SECTOR_BYTES};

/// A job that fits its device and will end.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResolvedJob {
    /// The job as stated.
    pub spec: JobSpec,
    /// Bytes of the device, or those up to the end of the file on it that the job has.
    pub device_bytes: u64,
    /// Start of the region in bytes.
    pub offset_bytes: u64,
    /// Length of the region in bytes: whole blocks. As in fio, the last block of a sequential job may reach
    /// beyond the end of its size, though not beyond that of the device.
    pub region_bytes: u64,
    /// Its size as stated, in bytes from the start of its region: it may reach beyond the device.
    pub extent_bytes: u64,
    /// Bytes that a pass over it moves at most.
    pub size_bytes: u64,
    /// Bytes of `io_size`, where it is given in bytes; else 0.
    pub io_bytes: u64,
    /// Bytes of its size that lie beyond the device.
    pub bytes_beyond: u64,
    /// The job's size is that of the device.
    pub is_whole_device: bool,
    /// Amount of I/O of one loop in bytes; absent when only `runtime` ends the job.
    pub loop_bytes: Option<u64>,
    /// Requests over all loops at most. A trim and the write after it count as one.
    pub ios_max: Option<u64>,
    /// Random blocks come each once before any comes again.
    pub random_map: bool,
    /// Random requests of several sizes come to each block once.
    pub free_map: bool,
    /// Placement handles that its writes go to.
    pub handles: Vec<u8>,
}

impl ResolvedJob {
    /// Fits it to a drive with `of_drive` placement handles; 0 for a drive without.
    ///
    /// # Errors
    /// When it names one that the drive has not.
    pub fn with_handles(mut self, of_drive: u8) -> Result<ResolvedJob, JobError> {
        let placement = &self.spec.placement;
        if !placement.is_told {
            let hinted = placement.hint > 0 && placement.hint < of_drive;
            self.handles = Vec::from_iter(hinted.then_some(placement.hint));
            return Ok(self);
        }
        if of_drive == 0 {
            return Err(self.spec.error(
                "it writes to placement handles (fdp, dataplacement), and the drive has none; give it some with --set \
                 gc.streams=by-host --set gc.handles=8 --set gc.isolation=initially, or leave fdp out"
                    .into(),
            ));
        }
        if let Some(handle) = placement.handles.iter().find(|&&handle| handle >= of_drive) {
            return Err(self.spec.error(format!(
                "plids={handle}: the drive has {of_drive} placement handles, from 0 to {}",
                of_drive - 1
            )));
        }
        self.handles = match placement.handles.is_empty() {
            true => (0..of_drive).collect(),
            false => placement.handles.clone(),
        };
        Ok(self)
    }
}

impl ResolvedJob {
    /// Fits it to a drive that writes `unit_bytes` as a whole, or not at all, when the power goes.
    ///
    /// # Errors
    /// When it asks for more of its writes.
    pub fn with_atomic(self, unit_bytes: u64) -> Result<ResolvedJob, JobError> {
        let spec = &self.spec;
        if !spec.flushes.atomic || !spec.kinds().contains(&CommandKind::Write) {
            return Ok(self);
        }
        let size = spec.sizes.bs_max.of(CommandKind::Write);
        if size > unit_bytes {
            return Err(spec.error(format!(
                "atomic=1: its writes have up to {size} bytes, and the drive writes {unit_bytes} as a whole when the power goes \
                 (power_loss.atomic_write); give bs={unit_bytes} or less, or leave atomic out and write every page twice, as \
                 databases do"
            )));
        }
        let place = self.offset_bytes | self.align_bytes(CommandKind::Write);
        let is_whole = spec.has_one_size(CommandKind::Write)
            && size.is_power_of_two()
            && place.is_multiple_of(size);
        if !is_whole {
            return Err(spec.error(format!(
                "atomic=1: writes must be of one size that is a power of two, at multiples of it, so that none lies across two of \
                 the drive's {unit_bytes} bytes; give such a bs, and offset and blockalign that are multiples of it"
            )));
        }
        Ok(self)
    }
}

/// Times at which a job wants its requests issued. Spans are of simulated time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pacing {
    /// Requests outstanding at once.
    pub iodepth: u32,
    /// A full queue is refilled when no more are outstanding.
    pub iodepth_low: u32,
    /// Answers that are taken from a full queue at once, at least.
    pub batch_complete_min: u32,
    /// Pause after every `thinktime_blocks` completed requests; of which `thinktime_spin` burns
    /// processor time.
    pub thinktime: Nanos,
    /// The part of `thinktime` spent computing.
    pub thinktime_spin: Nanos,
    /// Requests between pauses, at least 1.
    pub thinktime_blocks: u64,
    /// Cap in requests a second.
    pub rate_iops: PerKind<Option<u64>>,
    /// Cap in bytes a second.
    pub rate_bytes: PerKind<Option<u64>>,
    /// The pause comes after so long at work as well; zero for never.
    pub thinktime_iotime: Nanos,
    /// Requests come at random at their rate.
    pub rate_poisson: bool,
    /// Pauses are no arrears for a rate.
    pub rate_ignore_thinktime: bool,
    /// Least requests and bytes a second, looked at once a cycle.
    pub rate_iops_min: PerKind<Option<u64>>,
    /// As for requests, in bytes.
    pub rate_bytes_min: PerKind<Option<u64>>,
    /// Length of that cycle.
    pub rate_cycle: Nanos,
    /// The depth is sought at which latencies are met.
    pub latency: LatencyTarget,
    /// Longest that a request may take.
    pub max_latency: Option<Nanos>,
    /// Condition under which the job has become steady.
    pub steadystate: Steady,
    /// Time before which nothing is issued, counted from the beginning of all jobs.
    pub startdelay: Nanos,
    /// The longest such wait, where it is drawn.
    pub startdelay_max: Option<Nanos>,
    /// Rest of a job whose turn has come.
    pub rest: Nanos,
    /// From the first request until counting begins.
    pub ramp_time: Nanos,
    /// From the end of the ramp to the end of the job, if the requests last as long.
    pub runtime: Option<Nanos>,
}

/// As many blocks are counted to see which of them a hash reaches: those of 4 TiB in 4 KiB.
const HASHED_BLOCKS_MAX: u64 = 1 << 30;

impl ResolvedJob {
    /// Moves the job behind other files: it was fitted to a file that begins with this byte of its device.
    #[must_use]
    pub fn in_file_at(mut self, first_byte: u64) -> ResolvedJob {
        self.offset_bytes += first_byte;
        self.device_bytes += first_byte;
        self.is_whole_device = false;
        self
    }

    /// Returns the times at which the job wants its requests issued.
    #[must_use]
    pub fn pacing(&self) -> Pacing {
        let spec = &self.spec;
        Pacing {
            iodepth: spec.submission.iodepth,
            iodepth_low: spec.submission.iodepth_low,
            batch_complete_min: spec.submission.iodepth_batch_complete_min,
            thinktime: spec.pace.thinktime,
            thinktime_spin: spec.pace.thinktime_spin,
            thinktime_blocks: spec.pace.thinktime_blocks,
            rate_iops: spec.pace.rate_iops,
            rate_bytes: spec.pace.rate,
            thinktime_iotime: spec.pace.thinktime_iotime,
            rate_poisson: spec.pace.rate_poisson,
            rate_ignore_thinktime: spec.pace.rate_ignore_thinktime,
            rate_iops_min: spec.ends.rate_iops_min,
            rate_bytes_min: spec.ends.rate_min,
            rate_cycle: spec.ends.rate_cycle,
            latency: spec.ends.latency,
            max_latency: spec.ends.max_latency,
            steadystate: spec.ends.steadystate,
            startdelay: spec.order.startdelay,
            startdelay_max: spec.order.startdelay_max,
            rest: spec.order.rest,
            ramp_time: spec.length.ramp_time,
            runtime: spec.length.runtime,
        }
    }

    /// Returns the nature of the written data.
    #[must_use]
    pub fn data(&self) -> DataPattern {
        self.spec.data
    }

    /// Bytes over all loops; absent when only `runtime` ends the job.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        self.loop_bytes
            .map(|bytes| bytes.saturating_mul(self.spec.length.loops))
    }

    /// Bytes after which the job writes to random places in the order that it has just been through;
    /// absent when it never does.
    #[must_use]
    pub fn repeated_pass_bytes(&self) -> Option<u64> {
        let spec = &self.spec;
        if !spec.writes_at_random() || !spec.pattern.randrepeat || spec.length.time_based {
            return None;
        }
        let map = self.random_map.then_some(self.region_bytes);
        let pass = match spec.pattern.norandommap {
            true => self.size_bytes.max(self.io_bytes),
            false => self.size_bytes,
        };
        // An engine that does a request in the call that submits it goes on as long as there are places.
        let has_passes =
            spec.submission.times_submissions && (spec.length.loops > 1 || self.io_bytes > pass);
        let each_pass = has_passes.then_some(pass);
        map.into_iter().chain(each_pass).min()
    }

    /// The share of its blocks that a job never writes, though it writes at random over all of them: what fio's
    /// hash of skewed laws leaves out. None for other laws, where ranks are spread over all blocks, and for more
    /// blocks than can be counted in a moment.
    #[must_use]
    pub fn share_left_out(&self) -> Option<f64> {
        let spec = &self.spec;
        let is_skewed = spec.pattern.random_distribution.is_skewed();
        if !spec.writes_at_random() || !is_skewed || spec.shuffled().is_some() {
            return None;
        }
        let blocks = self.places(CommandKind::Write);
        let reached = (blocks <= HASHED_BLOCKS_MAX).then(|| blocks_reached(blocks))?;
        Some((blocks - reached) as f64 / blocks as f64)
    }

    /// Returns the unit of places and lengths of its requests, in bytes: a sector, or a byte where they go through
    /// pages in memory.
    #[must_use]
    pub fn unit_bytes(&self) -> u64 {
        self.spec.unit_bytes()
    }

    /// Alignment in bytes of a kind's random requests.
    pub(crate) fn align_bytes(&self, kind: CommandKind) -> u64 {
        self.spec.align_bytes(kind)
    }

    /// Number and length in bytes of the blocks that shuffled zones are made of: the same for requests of all kinds, and each
    /// as long as the longest request, so that one that lies in a zone does so with most of its length.
    pub(crate) fn blocks_of_zones(&self) -> (u64, u64) {
        let kinds = self.spec.kinds();
        let aligned = kinds.iter().map(|&kind| self.align_bytes(kind)).max();
        let bytes = check::block_bytes_max(&self.spec).next_multiple_of(aligned.unwrap_or(1));
        let whole = |&kind: &CommandKind| self.places(kind) * self.align_bytes(kind) / bytes;
        (kinds.iter().map(whole).min().unwrap_or(0), bytes)
    }

    /// Returns the number of places that a skewed law is made for: as in fio, a last block that lies partly beyond the
    /// size counts, whatever zones and alignment say.
    fn skewed_places(&self) -> u64 {
        let smallest = self.spec.sizes.bs.read.min(self.spec.sizes.bs.write);
        let bytes = self.extent_bytes.min(self.device_bytes);
        bytes.div_ceil(smallest)
    }

    /// Returns true if a place that is drawn may lie beyond the job's size or its device: in fio that ends the pass.
    #[must_use]
    pub fn may_draw_beyond(&self) -> bool {
        let spec = &self.spec;
        let skewed = spec.pattern.random_distribution.is_skewed();
        let beyond = |&kind: &CommandKind| {
            let overhang = spec
                .sizes
                .bs
                .of(kind)
                .saturating_sub(self.align_bytes(kind));
            skewed && self.places(kind) * self.align_bytes(kind) + overhang > self.region_bytes
        };
        let in_zones = skewed && spec.strides().is_some();
        spec.pattern.random
            && (self.bytes_beyond > 0 || in_zones || spec.kinds().iter().any(beyond))
    }

    /// Returns the number of aligned places that a kind's random requests can take: in the region, or in a zone of it.
    pub(crate) fn places(&self, kind: CommandKind) -> u64 {
        let align = self.align_bytes(kind);
        if self.spec.pattern.random && self.spec.pattern.random_distribution.is_skewed() {
            return self.skewed_places();
        }
        // A block longer than the grid must not reach over the region's end.
        let overhang = self.spec.sizes.bs.of(kind).saturating_sub(align);
        let strides = self.spec.strides();
        let bytes = strides.map_or(self.region_bytes, |zone| zone.range.min(self.region_bytes));
        bytes.saturating_sub(overhang) / align
    }
}

impl JobSpec {
    /// Fits the job to a device.
    ///
    /// # Errors
    /// When options do not go together, when the region reaches beyond the device (stating both
    /// sizes) or when it holds not one block.
    pub fn resolve(&self, device_bytes: u64) -> Result<ResolvedJob, JobError> {
        if let Some(fault) = check::fault(self) {
            return Err(self.error(fault.why));
        }
        if self.replay.file.is_some() {
            return Err(self.error(
                "it replays a trace with read_iolog, which is a load of its own; give `ftlab run` a file of this job alone"
                    .into(),
            ));
        }
        let offset_bytes = self.offset_on(device_bytes)?;
        let room = device_bytes - offset_bytes;
        let extent = self.extent_on(device_bytes, offset_bytes)?;
        let size_bytes = match self.region.size {
            Some(Size::Bytes(bytes)) if !self.region.fill_device => bytes.min(extent),
            _ => extent,
        };
        let block_bytes = check::block_bytes_max(self);
        let region_bytes = self.region_of(extent.min(room), room);
        let random_map = self.keeps_random_map();
        let one_size = self.kinds().iter().all(|&kind| self.has_one_size(kind));
        let job = ResolvedJob {
            device_bytes,
            offset_bytes,
            region_bytes,
            extent_bytes: self.whole_share(extent),
            size_bytes: match self.length.io_size {
                Some(Size::Percent(percent)) => {
                    share(self.whole_share(extent), percent).min(size_bytes)
                }
                _ => self.whole_share(size_bytes),
            },
            io_bytes: match self.length.io_size {
                Some(Size::Bytes(bytes)) => bytes,
                _ => 0,
            },
            bytes_beyond: extent.saturating_sub(room),
            is_whole_device: extent >= device_bytes,
            loop_bytes: (!self.length.time_based).then(|| {
                match (self.length.io_size, self.strides()) {
                    // The map has no block beyond the last whole one.
                    (None, None) if random_map => region_bytes.min(size_bytes),
                    _ => self.amount_bytes(size_bytes, region_bytes),
                }
            }),
            ios_max: self.ios_max(),
            handles: Vec::new(),
            random_map: random_map && one_size,
            free_map: random_map && !one_size && self.strides().is_none(),
            spec: self.clone(),
        };
        if self
            .kinds()
            .iter()
            .any(|&kind| region_bytes == 0 || job.places(kind) == 0)
        {
            return Err(self.error(format!(
                "the region of {size_bytes} bytes holds no block of {block_bytes} bytes at its \
                 alignment; give a larger size or a smaller bs or blockalign"
            )));
        }
        Ok(job)
    }

    /// Alignment in bytes of a kind's random requests.
    pub(super) fn align_bytes(&self, kind: CommandKind) -> u64 {
        let aligned = self.sizes.blockalign.of(kind);
        aligned.unwrap_or(self.sizes.bs.of(kind))
    }

    fn unit_bytes(&self) -> u64 {
        match self.is_paged() {
            true => 1,
            false => SECTOR_BYTES,
        }
    }

    pub(super) fn error(&self, why: String) -> JobError {
        JobError::Job {
            at: self.source.clone(),
            job: self.name.clone(),
            why,
        }
    }

    fn offset_on(&self, device_bytes: u64) -> Result<u64, JobError> {
        let smallest = self
            .kinds()
            .iter()
            .map(|&kind| self.sizes.bs.of(kind))
            .min();
        let bytes_of = |place: Size| match place {
            Size::Bytes(bytes) => bytes,
            Size::Percent(percent) => share(device_bytes, percent),
        };
        let clones = u64::from(self.clones.clone_index);
        let increment = bytes_of(self.region.offset_increment).saturating_mul(clones);
        let mut offset = bytes_of(self.region.offset).saturating_add(increment);
        let is_share = |place: Size| matches!(place, Size::Percent(_));
        if is_share(self.region.offset) || is_share(self.region.offset_increment) {
            let block = match self.region.offset_align {
                0 => smallest.unwrap_or(SECTOR_BYTES),
                align => align,
            };
            // Where the next block would lie beyond all numbers, so does the offset.
            offset = offset.checked_next_multiple_of(block).unwrap_or(offset);
        }
        if offset >= device_bytes {
            return Err(self.error(format!(
                "offset {offset} lies beyond the device, which has {device_bytes} bytes"
            )));
        }
        Ok(offset)
    }

    /// Length of the region before it is cut to the device and to whole blocks. A percentage is of the whole file and ends
    /// with it at the latest. As in fio, a size may reach beyond the device: nothing lies there, but a job that draws
    /// places moves as much.
    fn extent_on(&self, device_bytes: u64, offset: u64) -> Result<u64, JobError> {
        let file = self.region.filesize.unwrap_or(device_bytes);
        let Some(room) = file.checked_sub(offset).filter(|&room| room > 0) else {
            return Err(self.error(format!(
                "offset {offset} lies beyond the file, which has {file} bytes by filesize"
            )));
        };
        Ok(
            match self.region.size.filter(|_| !self.region.fill_device) {
                Some(Size::Percent(percent)) => share(file, percent).min(room),
                Some(Size::Bytes(bytes)) if self.region.filesize.is_none() => bytes,
                _ => room,
            },
        )
    }

    /// Returns the bytes that the job goes through of `size` bytes with `room` to the end of the device, in whole
    /// blocks.
    fn region_of(&self, size: u64, room: u64) -> u64 {
        let kinds = self.kinds();
        let smallest = kinds.iter().map(|&kind| self.sizes.bs.of(kind)).min();
        let smallest = smallest.unwrap_or(SECTOR_BYTES);
        let largest = check::block_bytes_max(self);
        let whole = |bytes: u64, block: u64| bytes - bytes % block;
        if self.strides().is_some() {
            // Zones go on to the end of the device, however little is moved in all.
            return whole(room, smallest);
        }
        if self.pattern.stride_bytes != 0 {
            // A share of the device is whole blocks, as in fio, and bytes are what they are.
            let is_share =
                matches!(self.region.size, Some(Size::Percent(percent)) if percent != 100);
            return whole(
                size,
                if is_share {
                    smallest
                } else {
                    SECTOR_BYTES.min(smallest)
                },
            );
        }
        if smallest < largest && kinds.iter().any(|&kind| !self.has_one_size(kind)) {
            return whole(size, smallest);
        }
        if self.pattern.random || !self.is_in_bytes() {
            return whole(size, largest);
        }
        if self.is_own_file() {
            return whole(size, self.unit_bytes());
        }
        match smallest == largest {
            // fio looks at the place where a request begins.
            true => whole(room, largest).min(size.next_multiple_of(largest)),
            false => whole(size, largest),
        }
    }

    /// Returns true if the amount of the device that it goes through is given in bytes.
    fn is_in_bytes(&self) -> bool {
        matches!(self.region.size, Some(Size::Bytes(_))) || self.region.filesize.is_some()
    }

    /// Returns true if it names no device, so that fio makes a file of the job's size: a request has to lie in it
    /// whole.
    pub(crate) fn is_own_file(&self) -> bool {
        (self.files.named.is_empty() || self.files.is_part_of_device) && self.is_in_bytes()
    }

    /// A size that is a share of the device, in whole blocks, as in fio; another one as it is.
    fn whole_share(&self, bytes: u64) -> u64 {
        let smallest = self
            .kinds()
            .iter()
            .map(|&kind| self.sizes.bs.of(kind))
            .min();
        match self.region.size.filter(|_| !self.region.fill_device) {
            Some(Size::Percent(percent)) if percent < 100 => {
                bytes - bytes % smallest.unwrap_or(SECTOR_BYTES)
            }
            _ => bytes,
        }
    }

    fn amount_bytes(&self, size_bytes: u64, region_bytes: u64) -> u64 {
        let is_exact = matches!(self.region.size, Some(Size::Bytes(_)) | None);
        match self.length.io_size {
            None | Some(Size::Bytes(0)) if self.strides().is_some() => size_bytes,
            // Strides begin again where they come to the end.
            None | Some(Size::Bytes(0)) if self.pattern.stride_bytes != 0 => size_bytes,
            // Places are drawn again and again, so that the last request is whole.
            None | Some(Size::Bytes(0)) if self.pattern.random && is_exact => size_bytes,
            None | Some(Size::Bytes(0)) => region_bytes.min(size_bytes),
            Some(Size::Bytes(bytes)) => bytes,
            Some(Size::Percent(percent)) => share(size_bytes, percent),
        }
    }

    fn ios_max(&self) -> Option<u64> {
        let counted = self
            .length
            .number_ios
            .filter(|&ios| ios > 0 && !self.length.time_based);
        counted.map(|ios| ios.saturating_mul(self.length.loops))
    }

    /// fio keeps a map of visited blocks for uniform random jobs on the default alignment. Jumps
    /// among sequential runs, and blocks of several sizes, would visit blocks twice anyway.
    fn keeps_random_map(&self) -> bool {
        let kinds = self.kinds();
        let uniform = self.pattern.random_distribution == Distribution::Random;
        let all_random = kinds
            .iter()
            .all(|&kind| self.pattern.percentage_random.of(kind) == 100);
        let is_own = |&kind: &CommandKind| {
            let align = self.sizes.blockalign.of(kind);
            align.is_none_or(|align| align == self.sizes.bs.of(kind))
        };
        let own_grid = kinds.iter().all(is_own);
        let one_size = kinds
            .iter()
            .all(|&kind| self.sizes.bs.of(kind) == self.sizes.bs.of(kinds[0]));
        let alone = self.pattern.random_run == 1;
        let trims_by_share = self.pattern.rwmixtrim.is_some();
        self.pattern.random
            && uniform
            && all_random
            && own_grid
            && one_size
            && alone
            && !trims_by_share
            && (!self.pattern.norandommap || self.pattern.lfsr)
    }
}

/// A percentage of a size, rounded down.
fn share(bytes: u64, percent: u8) -> u64 {
    (u128::from(bytes) * u128::from(percent.min(100)) / 100) as u64
}
