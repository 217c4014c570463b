//! What the crate is to do, as its users have it: one program, for each that is linked takes seconds of a first build.

mod arbitration;
mod atomic;
mod host_memory;
mod host_path;
mod limit;
mod model_version;
mod offered_rate;
mod packed;
mod placement;
mod scheduling;
mod shrunk;
mod skew;
mod slc_cache;
mod steady;
mod used_space;
