//! Things that happen at given instants of the wall clock, and how late they are.
//!
//! A [`Waiter`] puts its thread to sleep until an instant or a call, whichever is first. The kernel
//! wakes a thread late: by its timer slack (50 µs unless told otherwise, here 1 ns) and by the time a
//! wake-up takes. So the waiter lets itself be woken somewhat early and spins for the rest; how early
//! follows from how late it was woken of late. A [`Pacer`] is a thread with a waiter and a heap of
//! items with their instants; it counts the *lateness* of each.

mod pacer;
mod waiter;

pub use pacer::Pacer;
pub use waiter::{Waiter, Waker, Woken};
