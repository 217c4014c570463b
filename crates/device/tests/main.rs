//! A device as its users see it.

mod cuts;
mod event_loop;
mod forks;
mod policies;
mod states;
mod wrong_calls;
