//! A device as its users see it.

mod cuts;
mod forks;
mod wrong_calls;
