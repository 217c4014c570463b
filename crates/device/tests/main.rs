//! A device as its users see it.

mod cuts;
mod event_loop;
mod forks;
mod policies;
mod wrong_calls;
