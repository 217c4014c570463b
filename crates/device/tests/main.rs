//! A device as its users see it.

mod dropped_flush;
mod event_loop;
mod faults;
mod forks;
mod health;
mod policies;
mod size;
mod splits;
mod states;
mod turmoil;
mod wrong_calls;
