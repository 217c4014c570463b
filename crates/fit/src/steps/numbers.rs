//! What a fit finds: numbers that are solved for, by what tells them, and choices.

use crate::candidate::Number;

/// Ways to pace collection.
pub const PACING: &[&[&str]] = &[
    &["gc.pacing=in-step"],
    &["gc.turn=1", "gc.waiting_max=128"],
    &["gc.turn=10", "gc.waiting_max=128"],
    &["gc.turn=1", "gc.waiting_max=65536"],
];

/// What becomes of writes to a cache that is full.
pub const FULL: &[&[&str]] = &[
    &["slc.when_full=direct", "slc.when_out=direct"],
    &["slc.when_full=direct", "slc.when_out=fold"],
    &["slc.when_full=beside", "slc.when_out=direct"],
    &["slc.when_full=beside", "slc.when_out=fold"],
    &["slc.when_full=fold", "slc.when_out=fold"],
];

/// Whether reads pass writes that wait for room.
pub(super) const ORDERS: &[&[&str]] = &[&["firmware.in_order=false"], &["firmware.in_order=true"]];

const fn key(key: &'static str) -> Number {
    Number::Key(key)
}

/// What the drive's side of the link carries.
pub(super) const LINK_RATE: Number = key("link.rate");
/// Commands that a drive has in hand.
pub(super) const DEPTH: Number = key("queue.depth");
pub(super) const BUFFER: Number = key("buffer.size");
pub(super) const PAGES: Number = key("nand.pages_per_block");
pub(super) const PROGRAM: Number = key("nand.t_program");
pub(super) const CACHE_PROGRAM: Number = key("slc.t_program");
pub(super) const READ_COMMAND: Number = key("firmware.read_command");
pub(super) const READ_PIPELINE: Number = key("firmware.read_pipeline");

/// What a write takes that goes to the buffer.
pub(super) const WRITE_COMMAND: [Number; 2] = [
    key("firmware.write_pipeline"),
    key("firmware.write_command"),
];

/// What of a cache is set aside, and what of the free flash it takes.
pub(super) const CACHE_SIZES: [Number; 2] = [key("slc.own_size"), key("slc.more_size")];

/// Numbers that a fill and bursts tell.
pub(super) const FILL: &[Number] = &[
    PROGRAM,
    CACHE_SIZES[0],
    CACHE_SIZES[1],
    CACHE_PROGRAM,
    BUFFER,
];

/// Numbers that say how long a read waits for what a die is doing.
pub(super) const TURNS: &[Number] = &[
    key("scheduling.suspend_time"),
    key("scheduling.suspend_every"),
    key("scheduling.suspend_left_min"),
];

/// Numbers that are solved for by all tests at last.
pub(super) fn every() -> Vec<Number> {
    let rest = [
        Number::Spare,
        READ_COMMAND,
        READ_PIPELINE,
        key("nand.t_read"),
        key("nand.channel_rate"),
        key("slc.t_read"),
    ];
    [FILL, &WRITE_COMMAND, &rest].concat()
}

/// All numbers that a fit says something of.
#[must_use]
pub fn numbers() -> Vec<Number> {
    [&every(), TURNS, &[LINK_RATE, DEPTH]].concat()
}
