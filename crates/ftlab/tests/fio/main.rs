//! Runs of fio 3.33 beside runs of ftlab.

mod check;
mod in_flight;
mod jobs;
mod json;
mod own_files;
#[path = "../program/place.rs"]
#[allow(dead_code, reason = "the program's own tests use the rest")]
mod place;
mod replays;
mod requests;
mod samples;
