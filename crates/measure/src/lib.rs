//! The bench on a real drive: which drive it is, whether it may be written to, and suites that fio runs there.
//!
//! [`device`] names a drive and has it alone; nothing is written to one that was not named twice.

pub mod device;
