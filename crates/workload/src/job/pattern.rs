//! The kinds of requests that a job makes, and where they lie.

use super::distribution::Distribution;
use super::shuffle::Shuffle;
use super::sizes::PerKind;
use ftlab_base::RootSeed;

/// Kinds of request that a job makes (fio's `rw`, without its random or sequential half).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatternKind {
    /// Reads and nothing else.
    Read,
    /// Writes and nothing else.
    Write,
    /// Trims and nothing else.
    Trim,
    /// Reads and writes, shared by `rwmixread`.
    ReadWrite,
    /// Each block is trimmed and then written; with `rwmixtrim`, writes and trims by that share.
    TrimWrite,
}

/// Places of the requests between two random ones (fio's `rw_sequencer`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sequencer {
    /// Each behind the one before.
    Sequential,
    /// All at the place of the first.
    Identical,
}

/// Zones that a job goes through one after the other (fio's `zonemode=strided`), in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Strides {
    /// Bytes that are moved in a zone before the next one's turn.
    pub size: u64,
    /// Length of a zone.
    pub range: u64,
    /// Distance between two zones.
    pub skip: u64,
}

/// The kinds of a job's requests, and the places where they lie in its region.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// The kinds of request.
    pub kind: PatternKind,
    /// Random (`randread` …) rather than sequential.
    pub random: bool,
    /// Reads stand for writes: commands that check what is there.
    pub writes_as_reads: bool,
    /// Percent of reads in a read-write mix.
    pub rwmixread: u8,
    /// Percent of requests that trim a random block in use; an extension, 0 to 49.
    pub rwmixtrim: Option<u8>,
    /// Percent of a random job's requests that jump; the rest follow their predecessor.
    pub percentage_random: PerKind<u8>,
    /// The law of random positions.
    pub random_distribution: Distribution,
    /// Where the ranks of a skewed law and the zones lie (`shuffle`, a word of ftlab's own); none where the job does not say.
    pub shuffle: Option<Shuffle>,
    /// The seed that permutations for it follow from, where that is not the run's.
    pub order_seed: Option<RootSeed>,
    /// Requests of which the first is random (`rw=randread:8`).
    pub random_run: u64,
    /// Places of the others of these.
    pub rw_sequencer: Sequencer,
    /// Bytes between two sequential requests, backwards where negative (`rw=read:8k`).
    pub stride_bytes: i64,
    /// Zones of which one after the other is used.
    pub zonemode_strided: Option<bool>,
    /// `zonesize`, `zonerange` and `zoneskip`.
    pub zones: Strides,
    /// Random blocks are drawn with replacement instead of each once.
    pub norandommap: bool,
    /// fio draws them by a shift register, which gives each once without a map.
    pub lfsr: bool,
    /// Mixed into the run's seed.
    pub randseed: Option<u64>,
    /// Each loop repeats the first one's sequence; fio's default.
    pub randrepeat: bool,
}

impl Default for Pattern {
    fn default() -> Self {
        Pattern {
            kind: PatternKind::Read,
            random: false,
            writes_as_reads: false,
            rwmixread: 50,
            rwmixtrim: None,
            percentage_random: PerKind::all(100),
            random_distribution: Distribution::Random,
            shuffle: None,
            order_seed: None,
            random_run: 1,
            rw_sequencer: Sequencer::Sequential,
            stride_bytes: 0,
            zonemode_strided: None,
            zones: Strides {
                size: 0,
                range: 0,
                skip: 0,
            },
            norandommap: false,
            lfsr: false,
            randseed: None,
            randrepeat: true,
        }
    }
}
