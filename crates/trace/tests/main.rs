//! What the crate is to do, as its users have it: one program, for each that is linked takes seconds of a first build.

mod damaged;
mod formats;
mod iologs;
mod places;
