//! The requests of a job, in order.

mod budget;
mod checks;
mod data;
mod free_map;
mod in_use;
mod law;
mod orders;
mod permutation;
mod placements;
mod positions;
mod sizes;
mod special;

use crate::{Distribution, JobSpec, PatternKind, ResolvedJob};
use budget::Budget;
use checks::Checks;
use data::Data;
use ftlab_base::rng::Stream;
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Placement, RootSeed, SimTime, SubmissionQueue,
};
use in_use::InUse;
pub(crate) use law::blocks_reached;
use law::{Chance, below};
use placements::Placements;
use positions::{Place, Positions};

/// One request, without the time it is issued at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Kind of the request.
    pub kind: CommandKind,
    /// First sector; 0 for a flush of everything. Of a job whose requests go through pages ([`JobSpec::is_paged`]), the first byte, and
    /// its length is in bytes too.
    pub lba: Lba,
    /// Number of sectors; 0 for a flush of everything.
    pub sectors: u32,
    /// Nature of a write's data.
    pub content: Content,
    /// Place that was chosen for a write's data.
    pub placement: Placement,
    /// Its latency is one of the job's; that of the last flush is not, as in fio.
    pub counts: bool,
    /// It comes when all before it have been answered: the first of a pass over the size, and of what is read back then.
    pub is_after_all: bool,
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
        is_after_all: false,
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
            is_after_all: _,
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
    /// Writes to be read back and trimmed, for jobs that verify.
    checks: Option<Box<Checks>>,
    /// Reads stand for the writes of an earlier run.
    only_verifies: bool,
    is_sync: bool,
    /// The pass is at its end: what is left is to be flushed and read back.
    has_ended: bool,
    /// The next request comes when all before it have been answered.
    waits: bool,
    /// Trims and writes are found one by one.
    pairs: bool,
    /// Beginning of each pass, when passes repeat one another.
    beginning: Option<Box<(Stream, Positions)>>,
}

/// The seed of a job in a run of a seed.
fn seed_of(spec: &JobSpec, seed: RootSeed) -> RootSeed {
    let own = spec.pattern.randseed;
    own.map_or(seed, |own| seed.derive(&format!("randseed {own}")))
}

/// Choice of the kind of the next request.
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

impl JobStream {
    /// The stream of a job. It depends on the seed, the job's name, its place in the file and its
    /// `randseed`.
    #[must_use]
    pub fn new(job: &ResolvedJob, seed: RootSeed) -> JobStream {
        let spec = &job.spec;
        let seed = seed_of(spec, seed);
        let mut rng = seed.stream(&format!("workload {} {}", spec.index, spec.name));
        let positions = Positions::new(job, seed, &mut rng);
        // fio goes on in the sequence of a skewed law, whatever else it repeats.
        let is_skewed = spec.pattern.random_distribution.is_skewed();
        let has_passes = spec.length.loops > 1 || job.io_bytes > job.size_bytes;
        let repeats =
            spec.pattern.randrepeat && has_passes && !spec.length.time_based && !is_skewed;
        let in_use_blocks = spec
            .pattern
            .rwmixtrim
            .map_or(0, |_| job.region_bytes / spec.sizes.bs.write);
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
            only_verifies: spec.checks.is_on && spec.checks.only || spec.pattern.writes_as_reads,
            is_sync: spec.flushes.sync,
            has_ended: false,
            waits: false,
            pairs: special::finds_each_of_a_pair(job),
            beginning: repeats.then(|| Box::new((rng.clone(), positions.clone()))),
            rng,
            positions,
        }
    }

    /// Starts the next pass, if there is one.
    #[cold]
    fn begin_pass(&mut self) -> bool {
        if !self.budget.begin_pass() {
            return false;
        }
        match &self.beginning {
            Some(beginning) => (self.rng, self.positions) = (**beginning).clone(),
            None => self.positions.begin_loop(&mut self.rng),
        }
        self.trimmed = None;
        self.flushes.begin_pass();
        (self.has_ended, self.waits) = (false, true);
        true
    }

    /// The next trim and write pair, first half or second.
    fn trim_then_write(&mut self) -> Option<(CommandKind, Place)> {
        if let Some(place) = self.trimmed.take() {
            if let Some(special) = self.positions.special() {
                special.count_write(place.1);
            }
            return Some((CommandKind::Write, place));
        }
        if self.pairs
            && let Some(special) = self.positions.special()
        {
            let kind = match special.has_to_trim() {
                true => CommandKind::Trim,
                false => CommandKind::Write,
            };
            return Some((kind, self.positions.next(kind, &mut self.rng)?));
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
            self.budget.take(plain.kind, plain.sectors);
            let at = below(plain.places, &mut self.rng) * plain.align_sectors;
            let lba = Lba(self.first_sector + at);
            return Some(Request {
                kind: plain.kind,
                lba,
                sectors: plain.sectors,
                content: self.data.of_request(plain.kind),
                placement: self.placements.of_request(plain.kind),
                counts: true,
                is_after_all: std::mem::take(&mut self.waits),
            });
        }
        self.next_of_mix(choose)
    }

    /// Returns true if a request is over only when a flush behind it has ended.
    #[must_use]
    pub fn flushes_behind(&self, request: &Request) -> bool {
        self.is_sync && request.kind == CommandKind::Write
    }

    /// Returns true if the next request, if there is one, is a flush, which no rate holds back.
    #[must_use]
    pub fn flush_is_due(&self) -> bool {
        match self.has_ended || self.is_spent() {
            true => self.flushes.close_is_due(),
            false => self.flushes.is_due(),
        }
    }

    /// Returns true if the amount of the pass is done; what is read back is not.
    fn is_spent(&self) -> bool {
        self.trimmed.is_none() && self.budget.is_spent()
    }

    /// Returns true if there is no further request.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let has_ended = self.has_ended || self.is_spent();
        has_ended && self.budget.is_last() && self.checks.is_none() && !self.flushes.close_is_due()
    }

    /// The next request of any job.
    fn next_of_mix(
        &mut self,
        choose: impl Fn(CommandKind) -> CommandKind + Copy,
    ) -> Option<Request> {
        loop {
            if !self.has_ended {
                if let Some(request) = self.next_of_pass(choose) {
                    return Some(request);
                }
                (self.has_ended, self.waits) = (true, true);
            }
            if self.flushes.close_is_due() {
                self.flushes.last_was_flush = true;
                return Some(Request {
                    counts: false,
                    is_after_all: std::mem::take(&mut self.waits),
                    ..Request::FLUSH
                });
            }
            if let Some(place) = self.checks.as_mut().and_then(|checks| checks.left()) {
                self.budget.take_beside(CommandKind::Read, place.1);
                return Some(self.request(CommandKind::Read, place));
            }
            if !self.begin_pass() {
                return None;
            }
        }
    }

    /// The next request of a pass; none where it is at its end.
    fn next_of_pass(
        &mut self,
        choose: impl Fn(CommandKind) -> CommandKind + Copy,
    ) -> Option<Request> {
        if self.is_spent() {
            return None;
        }
        if self.trimmed.is_none()
            && let Some(checks) = &mut self.checks
            && let Some((kind, place)) = checks.due()
        {
            self.budget.take_beside(kind, place.1);
            return Some(self.request(kind, place));
        }
        // As in fio, the last write of an amount has no flush of `fsync` behind it, but one behind which no other is found has.
        if self.flushes.is_due() {
            self.flushes.last_was_flush = true;
            return Some(Request {
                is_after_all: std::mem::take(&mut self.waits),
                ..Request::FLUSH
            });
        }
        let (kind, place) = self.draw(choose)?;
        self.budget.take(kind, place.1);
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
            is_after_all: std::mem::take(&mut self.waits),
        }
    }
}

/// State that a request of a uniform random job of one kind needs. The simulator's speed tests are such jobs, and going
/// round everything that they do without makes their requests four times as fast.
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
        let always_jumps = spec.pattern.random && spec.pattern.percentage_random.of(kind) == 100;
        let uniform = spec.pattern.random_distribution == Distribution::Random && !job.random_map;
        let flushes = Flushes::of(spec).calls_for_any();
        let special = job.free_map
            || spec.checks.is_on
            || spec.pattern.writes_as_reads
            || !spec.has_one_size(kind)
            || spec.sizes.bs_is_seq_rand
            || spec.pattern.random_run > 1
            || spec.strides().is_some()
            || job.may_draw_beyond();
        (always_jumps && uniform && !flushes && !special).then(|| Plain {
            kind,
            sectors: (spec.sizes.bs.of(kind) / job.unit_bytes()) as u32,
            places: job.places(kind),
            align_sectors: job.align_bytes(kind) / job.unit_bytes(),
        })
    }
}

impl Mix {
    fn of(job: &ResolvedJob) -> Mix {
        let spec = &job.spec;
        match (spec.pattern.kind, spec.pattern.rwmixtrim) {
            (PatternKind::Read, _) => Mix::Only(CommandKind::Read),
            (PatternKind::Write, _) => Mix::Only(CommandKind::Write),
            (PatternKind::Trim, _) => Mix::Only(CommandKind::Trim),
            (PatternKind::ReadWrite, _) => Mix::ReadWrite(Chance::percent(spec.pattern.rwmixread)),
            (PatternKind::TrimWrite, None) => Mix::TrimThenWrite,
            (PatternKind::TrimWrite, Some(trims)) => Mix::TrimShare(Chance::percent(trims)),
        }
    }
}

/// Flushes that `fsync`, `fdatasync` and `end_fsync` call for.
#[derive(Debug, Clone)]
struct Flushes {
    /// Writes between flushes; 0 for none.
    every: [u64; 2],
    writes: u64,
    last_was_flush: bool,
    /// One more comes behind each pass, unless a flush was the last of it.
    at_end: bool,
}

impl Flushes {
    fn of(spec: &JobSpec) -> Flushes {
        let at_end = spec.closes_with_a_flush();
        Flushes {
            every: [spec.flushes.fsync, spec.flushes.fdatasync],
            writes: 0,
            last_was_flush: false,
            at_end,
        }
    }

    /// As in fio, what a flush of the pass before was behind is forgotten.
    fn begin_pass(&mut self) {
        self.last_was_flush = false;
    }

    /// Returns true if a pass that is at its end has its flush still to come.
    fn close_is_due(&self) -> bool {
        self.at_end && !self.last_was_flush
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
