//! Crash logs: what clients wrote to a drive at work, with its data, and when what of it was safe; and the states that
//! a power cut at any instant between could have left.
//!
//! The drive that is recorded says itself what it holds in its volatile buffer, at the places where its journal notes
//! the same (`tap.rs`). So a log needs no model to be read: what a cut takes is decided by `volatile.rs` and `cut.rs`, as
//! for an image.
//!
//! # Format
//!
//! A log is a [`format::Header`], and blocks behind each other. A block holds events, packed by zstd, and has a seal
//! that names the block before it. Nothing is written twice, so the end of the process leaves whole blocks and at
//! most one that was cut off. That one is left out, with a note; anything else that is not as it was written is an
//! error. First come the data that the drive held when the log began, so a log needs no image either.
//!
//! # Memory
//!
//! Writing takes a block. Reading takes a block, and twice what the drive's volatile buffer held; the newest data lie
//! in a sparse file.

mod format;
mod read;
mod replay;
mod tap;

pub use format::CrashHeader;
pub(crate) use format::MARK_BYTES_MAX;
pub use read::{CrashLog, CrashLogError, CrashLogSummary};
pub use replay::{CrashReplay, CrashState, LostSlot, WriteInfo};
pub(crate) use tap::{LogClock, Tap};
