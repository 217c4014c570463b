//! Dies and channels: an agenda that prices NAND operations.
//!
//! The scheduler knows dies, channels and fences; it knows neither logical addresses nor data.
//!
//! # Invariants
//!
//! - **Timing knows no LPN.** The scheduler sees dies, sectors to transfer and fences. It cannot
//!   prefer one datum over another, so whatever order it chooses, the data are right by construction.
//! - **What waits for a fence is issued after everything that signals it.** An operation waits for
//!   one fence at most and signals two at most; all waiters of a fence come in one batch, or the waiter is the drive. So a
//!   fence that is clear when its waiter comes up is *reached*, never *not yet used*, and its number can be reused.
//!   `FenceCheck` in `crates/ftl/src/testing.rs` checks it. Within a block no fence is needed: a die keeps its order.
//!   Without time nobody waits and all fences are one; a program unit begun so is filled up before time begins
//!   (`Ssd::set_timed`).
//! - **Within a block, order is kept.** A scheduling policy says which operation a die starts. Of
//!   two on one block, one never passes the other unless both read, and the scheduler asserts it
//!   (`docs/scheduling.md`).
//! - **Die queues are bounded and push back.** The chain scheduler → `wants_more` → `drain` → write
//!   buffer → host is the only reason why a write waits for flash (decision 0003).
//! - **Energy is worked out, never accumulated.** Scheduler and servers count what they begin and for
//!   how long, in whole numbers; `PowerModel::energy` prices the counts when the driver's meter asks, once a second. So a
//!   run is the same with and without `[power]`, and no event is slower for it, but for a drive with `[thermal]`, which asks ten
//!   times a second, and one whose host lets it enter power states, which a command after a pause waits for.

mod energy;
mod fences;
mod nand_timing;
mod plane_set;
mod policy;
mod rest;
mod scheduler;
mod thermal;

pub use energy::{Activity, Energy, NandActivity, PowerModel};
pub use nand_timing::{MOST_PAGE_TYPES, NandTiming};
pub use policy::{DieOrder, Scheduling, Suspend};
pub use rest::{POWER_STATES_MAX, PowerState, PowerStates};
pub use scheduler::{ArrayOccupancy, Dispatch, Scheduler, SchedulerConfig};
pub use thermal::{THROTTLE_STEPS, ThermalModel, ThrottleStep};
