//! fio, as it is installed: job files for it, and the program.

mod job_text;
mod processors;
mod program;

pub use job_text::{Common, JobText};
pub use processors::Processors;
pub use program::{Ended, Fio, FioError};
