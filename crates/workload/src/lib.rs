//! fio job files, application scripts and synthetic traces, and the streams of requests they describe.
//!
//! [`JobFile::parse`] reads a job file in fio's own syntax and units; [`JobSpec::resolve`] fits one
//! of its jobs to a device; [`JobStream`] then yields the job's requests, the same ones for the
//! same seed. When a request is issued is not decided here: [`Pacing`] says what the job asks, and
//! the driver, which knows the time, obeys.
//!
//! What differs from fio:
//! * The numbers come from the run's seed, so a stream is not fio's own sequence, only its law.
//! * The random map is a permutation in constant memory. It is not kept when `percentage_random` is
//!   below 100 or when block sizes differ: such a job draws its random blocks with replacement.
//! * `zipf`, `pareto` and `normal` ranks are spread over the region one to one, where fio's hash
//!   lets some blocks collide and leaves others unreached.
//! * A region that is no multiple of the block size is cut to whole blocks.
//! * `rw=randtrimwrite` with `rwmixtrim=q` is an extension: q % of the requests trim a random block
//!   that holds data, the others write. Without `rwmixtrim` it is fio's: trim a block, write it.
//!   A job with `rwmixtrim` begins with every block of its region holding data.

mod job;
pub mod script;
mod stream;
pub mod trace;
mod units;

pub use job::{
    DataPattern, Distribution, Ignored, JobError, JobFile, JobSpec, Pacing, PatternKind, PerKind,
    ResolvedJob, Source, Zone,
};
pub use stream::{JobStream, Request};
pub use units::{Size, bytes, time};
