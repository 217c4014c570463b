//! Results for other programs: tables as CSV and Parquet, and fio's JSON.
//!
//! Four tables, [`figures`], [`runs`], [`devices`] and [`series`], are made of one or several result sets, and three more
//! say of one how latencies and rates are distributed: [`percentiles`], [`histogram`] and [`per_second`]. [`csv()`] and
//! [`parquet()`] write any of them, and [`read_parquet`] reads one back. [`fio::render`] writes a run as fio writes a job. Everything is a pure
//! function of result sets, whoever made them.

mod csv;
pub mod fio;
mod parquet;
mod parquet_in;
mod table;
mod tables;

pub use csv::csv;
pub use parquet::{Notes, ParquetError, parquet, parquet_with};
pub use parquet_in::{notes, read_parquet};
pub use table::{Cells, Column, Table};
pub use tables::{Labelled, devices, figures, histogram, per_second, percentiles, runs, series};
