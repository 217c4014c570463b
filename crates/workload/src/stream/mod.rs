//! The requests of a job, in order.

mod checks;
mod data;
mod free_map;
mod in_use;
mod law;
mod permutation;
mod placements;
mod positions;
mod sizes;

use crate::job::block_bytes_max;
use crate::{Distribution, JobSpec, PatternKind, ResolvedJob};
use checks::Checks;
use data::Data;
use ftlab_base::rng::Stream;
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Placement, RootSeed, SimTime, SubmissionQueue,
};
use in_use::InUse;
use law::below;
pub(crate) use law::blocks_reached;
use placements::Placements;
use positions::{Place, Positions};
use rand::Rng;

/// One request, without the time it is issued at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// What to do.
    pub kind: CommandKind,
    /// First sector; 0 for a flush of everything. Of a job whose requests go through pages ([`JobSpec::is_paged`]), the first byte, and
    /// its length is in bytes too.
    pub lba: Lba,
    /// Number of sectors; 0 for a flush of everything.
    pub sectors: u32,
    /// What a write's data look like.
    pub content: Content,
    /// Where they are to lie.
    pub placement: Placement,
    /// Its latency is one of the job's; that of the last flush is not, as in fio.
    pub counts: bool,
}

impl Request {
    /// A flush: what was written before is to survive a power cut.
    pub const FLUSH: Request = Request {
        kind: CommandKind::Flush,
        lba: Lba(0),
        sectors: 0,
        content: Content::RANDOM,
        placement: Placement::DEFAULT,
        counts: true,
    };

    /// The flush of what this one writes, which makes it one with FUA: what else waits in the drive stays as it is.
    #[must_use]
    pub const fn own_flush(self) -> Request {
        Request {
            lba: self.lba,
            sectors: self.sectors,
            ..Request::FLUSH
        }
    }

    /// The request as a command that is issued at an instant.
    #[must_use]
    pub const fn command(self, id: CommandId, at: SimTime) -> Command {
        let Request {
            kind,
            lba,
            sectors,
            content,
            placement,
            counts: _,
        } = self;
        Command {
            id,
            kind,
            lba,
            sectors,
            content,
            queue: SubmissionQueue::FIRST,
            placement,
            at,
        }
    }
}

/// The requests of a job: an iterator that ends with the job's amount of I/O, or never when only
/// `runtime` ends the job. Same job, same seed, same requests.
///
/// A job trimming by `rwmixtrim` keeps one bit for each block of its region; any other job runs in
/// constant memory.
#[derive(Debug, Clone)]
pub struct JobStream {
    rng: Stream,
    positions: Positions,
    mix: Mix,
    plain: Option<Plain>,
    data: Data,
    placements: Placements,
    first_sector: u64,
    in_use: InUse,
    /// The block that was trimmed and is to be written next, in sectors from the region's start.
    trimmed: Option<Place>,
    budget: Budget,
    flushes: Flushes,
    /// What is to be read back and trimmed, for jobs that verify.
    checks: Option<Box<Checks>>,
    /// Reads stand for the writes of an earlier run.
    only_verifies: bool,
    is_sync: bool,
    /// A pass that ends early is followed by another while so many sectors are left.
    goes_on_from: Option<u64>,
    /// What each loop starts from when loops repeat one another.
    beginning: Option<Box<(Stream, Positions)>>,
}

/// How the kind of the next request is chosen.
#[derive(Debug, Clone, Copy)]
enum Mix {
    Only(CommandKind),
    /// A read with this chance, else a write.
    ReadWrite(Chance),
    /// A trim, then a write to the same block.
    TrimThenWrite,
    /// A trim of a block in use with this chance, else a write.
    TrimShare(Chance),
}

/// A probability as a threshold on 32 random bits.
#[derive(Debug, Clone, Copy)]
struct Chance(u64);

impl Chance {
    fn percent(percent: u8) -> Chance {
        Chance((u64::from(percent) << 32) / 100)
    }

    /// Draws; the sure cases cost no random number.
    #[inline]
    fn draw(self, rng: &mut Stream) -> bool {
        match self.0 {
            0 => false,
            0x1_0000_0000.. => true,
            threshold => (rng.next_u64() >> 32) < threshold,
        }
    }
}

impl JobStream {
    /// The stream of a job. It depends on the seed, the job's name, its place in the file and its
    /// `randseed`.
    #[must_use]
    pub fn new(job: &ResolvedJob, seed: RootSeed) -> JobStream {
        let spec = &job.spec;
        let seed = spec
            .randseed
            .map_or(seed, |own| seed.derive(&format!("randseed {own}")));
        let mut rng = seed.stream(&format!("workload {} {}", spec.index, spec.name));
        let positions = Positions::new(job, &mut rng);
        let repeats = spec.randrepeat && spec.loops > 1 && !spec.time_based;
        let in_use_blocks = spec
            .rwmixtrim
            .map_or(0, |_| job.region_bytes / spec.bs.write);
        JobStream {
            mix: Mix::of(job),
            plain: Plain::of(job),
            data: Data::of(job, seed),
            placements: Placements::of(job, seed),
            first_sector: job.offset_bytes / job.unit_bytes(),
            in_use: InUse::full(in_use_blocks),
            trimmed: None,
            budget: Budget::of(job),
            flushes: Flushes::of(spec),
            checks: Checks::of(job, seed),
            only_verifies: spec.verify && spec.checks.only || spec.writes_as_reads,
            is_sync: spec.sync,
            goes_on_from: match spec.time_based {
                true => Some(0),
                false => spec
                    .io_size
                    .map(|_| block_bytes_max(spec) / job.unit_bytes()),
            },
            beginning: repeats.then(|| Box::new((rng.clone(), positions.clone()))),
            rng,
            positions,
        }
    }

    /// Starts the next loop, if there is one.
    #[cold]
    fn begin_loop(&mut self) -> bool {
        if !self.budget.begin_loop() {
            return false;
        }
        match &self.beginning {
            Some(beginning) => (self.rng, self.positions) = (**beginning).clone(),
            None => self.positions.begin_loop(&mut self.rng),
        }
        self.flushes.closes = self.flushes.at_end;
        true
    }

    /// The next trim and write pair, first half or second.
    fn trim_then_write(&mut self) -> Option<(CommandKind, Place)> {
        if let Some(place) = self.trimmed.take() {
            return Some((CommandKind::Write, place));
        }
        let place = self.positions.next(CommandKind::Trim, &mut self.rng)?;
        self.trimmed = Some(place);
        Some((CommandKind::Trim, place))
    }

    /// A trim of a random block in use, or a write that puts its block in use.
    fn trim_share(&mut self, trims: Chance) -> Option<(CommandKind, Place)> {
        let sectors = self.positions.sectors(CommandKind::Write);
        if trims.draw(&mut self.rng)
            && let Some(block) = self.in_use.take_random(&mut self.rng)
        {
            return Some((CommandKind::Trim, (block * u64::from(sectors), sectors)));
        }
        let place = self.positions.next(CommandKind::Write, &mut self.rng)?;
        self.in_use.insert(place.0 / u64::from(sectors));
        Some((CommandKind::Write, place))
    }
}

impl Iterator for JobStream {
    type Item = Request;

    #[inline]
    fn next(&mut self) -> Option<Request> {
        self.next_by(|drawn| drawn)
    }
}

impl JobStream {
    /// The next request, where `choose` may have a mix make the other kind instead of the one that was drawn: as a
    /// job with rates does, whose direction is ahead of its own.
    #[inline]
    pub fn next_by(
        &mut self,
        choose: impl Fn(CommandKind) -> CommandKind + Copy,
    ) -> Option<Request> {
        if let Some(plain) = self.plain
            && !self.budget.is_spent()
        {
            self.budget.take(plain.sectors);
            let at = below(plain.places, &mut self.rng) * plain.align_sectors;
            let lba = Lba(self.first_sector + at);
            return Some(Request {
                kind: plain.kind,
                lba,
                sectors: plain.sectors,
                content: self.data.of_request(plain.kind),
                placement: self.placements.of_request(plain.kind),
                counts: true,
            });
        }
        self.next_of_mix(choose)
    }

    /// Whether a request is over only when a flush behind it has ended.
    #[must_use]
    pub fn flushes_behind(&self, request: &Request) -> bool {
        self.is_sync && request.kind == CommandKind::Write
    }

    /// Whether the next request, if there is one, is a flush, which no rate holds back.
    #[must_use]
    pub fn flush_is_due(&self) -> bool {
        match self.is_done() {
            true => self.flushes.closes,
            false => self.flushes.is_due(),
        }
    }

    /// Whether all that was asked for is done; what is read back is not.
    fn is_done(&self) -> bool {
        self.trimmed.is_none() && self.budget.is_done()
    }

    /// Whether there is no further request.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_done() && self.checks.is_none() && !self.flushes.closes
    }

    /// The next request of any job.
    fn next_of_mix(
        &mut self,
        choose: impl Fn(CommandKind) -> CommandKind + Copy,
    ) -> Option<Request> {
        // As in fio, the last write of a job has no flush of `fsync` behind it.
        if !self.is_done() && self.flushes.is_due() {
            self.flushes.last_was_flush = true;
            return Some(Request::FLUSH);
        }
        if self.trimmed.is_none()
            && let Some(checks) = &mut self.checks
            && let Some((kind, place)) = checks.due()
        {
            return Some(self.request(kind, place));
        }
        // The write of a trimmed block belongs to the trim, which has been counted.
        let counted = self.trimmed.is_none();
        let mut is_over = counted && self.budget.is_spent();
        let drawn = (!is_over).then(|| self.draw(choose)).flatten();
        let (kind, place) = match drawn {
            Some(drawn) => drawn,
            None => {
                let goes_on = !is_over
                    && (self.goes_on_from).is_some_and(|least| self.budget.sectors_left >= least);
                if !goes_on && std::mem::take(&mut self.flushes.closes) {
                    self.flushes.last_was_flush = true;
                    return Some(Request {
                        counts: false,
                        ..Request::FLUSH
                    });
                }
                if let Some(place) = self.checks.as_mut().and_then(|checks| checks.left()) {
                    return Some(self.request(CommandKind::Read, place));
                }
                is_over = !goes_on && !self.begin_loop();
                if is_over {
                    return None;
                }
                if goes_on {
                    self.positions.begin_loop(&mut self.rng);
                }
                // fio does not remember over the start of a pass that it has just flushed.
                self.flushes.last_was_flush = false;
                if self.flushes.is_due() {
                    self.flushes.last_was_flush = true;
                    return Some(Request::FLUSH);
                }
                self.draw(choose)?
            }
        };
        if counted {
            self.budget.take(place.1);
        }
        let kind = match kind {
            CommandKind::Write if self.only_verifies => CommandKind::Read,
            kind => kind,
        };
        self.flushes.count(kind);
        if let Some(checks) = &mut self.checks {
            checks.made(kind, place);
        }
        Some(self.request(kind, place))
    }

    /// Kind and place of the next request; none where the pass over the region is at its end.
    fn draw(
        &mut self,
        choose: impl Fn(CommandKind) -> CommandKind,
    ) -> Option<(CommandKind, Place)> {
        match self.mix {
            Mix::Only(kind) => Some((kind, self.positions.next(kind, &mut self.rng)?)),
            Mix::ReadWrite(reads) => {
                let kind = choose(match reads.draw(&mut self.rng) {
                    true => CommandKind::Read,
                    false => CommandKind::Write,
                });
                Some((kind, self.positions.next(kind, &mut self.rng)?))
            }
            Mix::TrimThenWrite => self.trim_then_write(),
            Mix::TrimShare(trims) => self.trim_share(trims),
        }
    }

    fn request(&mut self, kind: CommandKind, (at, sectors): Place) -> Request {
        Request {
            kind,
            lba: Lba(self.first_sector + at),
            sectors,
            content: self.data.of_request(kind),
            placement: self.placements.of_request(kind),
            counts: true,
        }
    }
}

/// What a request of a uniform random job of one kind takes. The simulator's speed tests are such
/// jobs, and going round everything that they do without makes their requests four times as fast.
#[derive(Debug, Clone, Copy)]
struct Plain {
    kind: CommandKind,
    sectors: u32,
    places: u64,
    align_sectors: u64,
}

impl Plain {
    fn of(job: &ResolvedJob) -> Option<Plain> {
        let spec = &job.spec;
        let Mix::Only(kind) = Mix::of(job) else {
            return None;
        };
        let always_jumps = spec.random && spec.percentage_random.of(kind) == 100;
        let uniform = spec.random_distribution == Distribution::Random && !job.random_map;
        let flushes = Flushes::of(spec).calls_for_any();
        let special = job.free_map
            || spec.verify
            || spec.writes_as_reads
            || !spec.has_one_size(kind)
            || spec.bs_is_seq_rand
            || spec.random_run > 1
            || spec.strides().is_some();
        (always_jumps && uniform && !flushes && !special).then(|| Plain {
            kind,
            sectors: (spec.bs.of(kind) / job.unit_bytes()) as u32,
            places: job.places(kind),
            align_sectors: job.align_bytes(kind) / job.unit_bytes(),
        })
    }
}

impl Mix {
    fn of(job: &ResolvedJob) -> Mix {
        let spec = &job.spec;
        match (spec.kind, spec.rwmixtrim) {
            (PatternKind::Read, _) => Mix::Only(CommandKind::Read),
            (PatternKind::Write, _) => Mix::Only(CommandKind::Write),
            (PatternKind::Trim, _) => Mix::Only(CommandKind::Trim),
            (PatternKind::ReadWrite, _) => Mix::ReadWrite(Chance::percent(spec.rwmixread)),
            (PatternKind::TrimWrite, None) => Mix::TrimThenWrite,
            (PatternKind::TrimWrite, Some(trims)) => Mix::TrimShare(Chance::percent(trims)),
        }
    }
}

/// How much of the job's amount of I/O is left.
#[derive(Debug, Clone)]
struct Budget {
    ios_left: u64,
    sectors_left: u64,
    loops_left: u64,
    loop_sectors: u64,
    /// What all loops together leave: the last request of each is whole, and that of all.
    all_sectors_left: u64,
}

impl Budget {
    fn of(job: &ResolvedJob) -> Budget {
        // Without an amount, 2⁶⁴ sectors are as good as endless. The last request of an amount
        // that is no multiple of the block size is whole, as in fio.
        let spec = &job.spec;
        let sectors = |bytes: u64| bytes.div_ceil(job.unit_bytes());
        let verified_pass = (spec.time_based && spec.verify).then_some(job.region_bytes);
        let loop_sectors = job.loop_bytes.or(verified_pass).map_or(u64::MAX, sectors);
        Budget {
            ios_left: job.ios_max.unwrap_or(u64::MAX),
            sectors_left: loop_sectors,
            loops_left: match spec.time_based {
                true => u64::MAX,
                false => spec.loops.saturating_sub(1),
            },
            loop_sectors,
            all_sectors_left: job.total_bytes().map_or(u64::MAX, sectors),
        }
    }

    #[inline]
    fn is_spent(&self) -> bool {
        self.sectors_left == 0 || self.ios_left == 0
    }

    /// Nothing is left of any loop.
    fn is_done(&self) -> bool {
        self.is_spent() && !self.has_loops()
    }

    fn has_loops(&self) -> bool {
        self.ios_left > 0 && self.loops_left > 0 && self.all_sectors_left > 0
    }

    #[inline]
    fn take(&mut self, sectors: u32) {
        self.ios_left -= 1;
        self.sectors_left = self.sectors_left.saturating_sub(u64::from(sectors));
        self.all_sectors_left = self.all_sectors_left.saturating_sub(u64::from(sectors));
    }

    fn begin_loop(&mut self) -> bool {
        if !self.has_loops() {
            return false;
        }
        self.loops_left -= 1;
        self.sectors_left = self.loop_sectors.min(self.all_sectors_left);
        true
    }
}

/// When `fsync`, `fdatasync` and `end_fsync` call for a flush.
#[derive(Debug, Clone)]
struct Flushes {
    /// Writes between flushes; 0 for none.
    every: [u64; 2],
    writes: u64,
    last_was_flush: bool,
    /// One more comes behind each loop.
    at_end: bool,
    /// That of this loop is still to come.
    closes: bool,
}

impl Flushes {
    fn of(spec: &JobSpec) -> Flushes {
        let at_end = spec.closes_with_a_flush();
        Flushes {
            every: [spec.fsync, spec.fdatasync],
            writes: 0,
            last_was_flush: false,
            at_end,
            closes: at_end,
        }
    }

    fn calls_for_any(&self) -> bool {
        self.every != [0; 2] || self.at_end
    }

    /// As in fio, the reads of a mix have a flush behind them too while the number of writes is right.
    #[inline]
    fn is_due(&self) -> bool {
        let is_right = |&n: &u64| n > 0 && self.writes.is_multiple_of(n);
        !self.last_was_flush && self.writes > 0 && self.every.iter().any(is_right)
    }

    #[inline]
    fn count(&mut self, kind: CommandKind) {
        self.writes += u64::from(kind == CommandKind::Write);
        self.last_was_flush = false;
    }
}
