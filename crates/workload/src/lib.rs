//! fio job files, application scripts and synthetic traces, and the streams of requests they describe.
//!
//! [`JobFile::parse`] reads a job file in fio's own syntax and units; [`JobSpec::resolve`] fits one
//! of its jobs to a device; [`JobStream`] then yields the job's requests, the same ones for the
//! same seed. When a request is issued is not decided here: [`Pacing`] says what the job asks, and
//! the driver, which knows the time, obeys.
//!
//! What differs from fio:
//! * The numbers come from the run's seed, so a stream is not fio's own sequence, only its law.
//! * The random map is a permutation in constant memory; for requests of several sizes it is a bitmap, as
//!   fio's. It is not kept when `percentage_random` is below 100 or when reads and writes differ in size: such a
//!   job draws its random blocks with replacement.
//! * A flush of `fsync=N` comes once for N writes; fio repeats it behind each read of a mix until the next write,
//!   and where it begins a pass over the size anew.
//! * An amount beyond the size is made up to its last block; fio leaves less than a block where a pass ends.
//! * Where a zone of `zonemode=strided` would reach over the end of the device, the first one is next.
//! * `rw=randtrimwrite` with `rwmixtrim=q` is an extension: q % of the requests trim a random block
//!   that holds data, the others write. Without `rwmixtrim` it is fio's: trim a block, write it.
//!   A job with `rwmixtrim` begins with every block of its region holding data.
//! * `shuffle` is an extension: a permutation takes the place of fio's hash, and scatters the blocks of zones.

mod job;
pub mod script;
mod stream;
pub mod trace;
mod units;

pub use ftlab_base::size::bytes;
pub use job::{
    BlockSizes, ByteZone, Clones, CommandWord, Continue, DIFFERENCES, DataPattern, DedupeMode,
    Described, Difference, Distribution, Echo, Effect, Ends, ExitWhat, FilePlace, FileSet, Flushes,
    Ignored, JobError, JobFile, JobSpec, LaidFile, LatencyTarget, Layout, LeftOut, Length, Log,
    Logs, Measure, Order, Pace, Pacing, Part, Pattern, PatternKind, PerKind, Region, Replay,
    Reporting, ResolvedJob, Room, Sections, Sequencer, Shuffle, Source, Steady, StopsFor, Strides,
    Submission, Surroundings, Told, Unified, Verify, Zone, command_word, described, known_engines,
    nearest_command_word, option_of, words_page,
};
pub use stream::{JobStream, Request};
pub use units::{Size, time};
