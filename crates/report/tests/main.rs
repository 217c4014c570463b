//! What the crate is to do, as its users have it: one program, for each that is linked takes seconds of a first build.

mod comparison;
mod html;
mod pair;
mod roles;
mod sample;
mod terminal;
