//! Tools that run fio, or measure by themselves, and the folders that they write.

pub mod ezfio;
pub mod fio;
pub mod iob;
mod iob_table;
pub mod pts;
pub mod tkperf;
