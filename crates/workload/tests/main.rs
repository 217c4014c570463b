//! What the crate is to do, as its users have it: one program, for each that is linked takes seconds of a first build.

mod errors;
mod fio;
mod jobs;
mod page;
mod parse;
mod robust;
mod scripts;
mod shuffle;
mod stream;
mod traces;
mod words;
